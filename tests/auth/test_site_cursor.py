"""Site cursor: each bank notes in time that somebody has lost a right."""

import asyncio
from pathlib import Path
from typing import Any

from jackpot.auth.site_cursor import see_now, see_people
from jackpot.ledger.store import CommitInDoubt
from jackpot.rules.acts.people import EndPerson
from tests import ceilings
from tests.auth.test_auth_service import ANN, BEN, STOP, journal, opened
from tests.running_server import on_loop, until


@on_loop
async def test_a_bank_notes_who_is_gone_and_nothing_else(tmp_path: Path) -> None:
    """S8: once for each loss; not for a sign-in, nor where an act has named a later entry since."""
    async with opened(tmp_path) as site:
        main, directory = site.main, site.auth.directory

        async def noted() -> int:
            await see_now(main, directory)
            return await main.ask(lambda engine: engine.state.known)

        first = await noted()
        assert first == (await directory.look()).state.seq, "that there are people"
        cal = await site.join("cal", "floor")
        assert await noted() == first
        ann = await site.enter(ANN)
        assert (await site.auth.act(site.server.people, EndPerson(cal.id), [ann])).ok
        ended = (await directory.look()).state.lost
        assert await noted() == ended
        await site.enter(BEN)
        assert (await site.auth.act(main, STOP, [ann])).ok
        assert await noted() > ended
    assert journal(tmp_path, "main")[-3:] == ["people_seen", "people_seen", "suspended"]


@on_loop
async def test_a_start_notes_what_happened_meanwhile(tmp_path: Path) -> None:
    """S8: people who began on a stopped server are known to each bank from the start on."""
    async with opened(tmp_path):
        pass
    async with opened(tmp_path, empty=True) as site:
        await until(lambda: site.server.banks["main"].sequencer.engine.state.known > 0)
    assert journal(tmp_path, "main")[-1] == "people_seen"


@on_loop
async def test_a_server_that_stops_while_its_ledger_fails_ends() -> None:
    """DESIGN: a cancelled look raises the error of its own call; nothing looks again then."""
    looks = asyncio.Event()

    class Lost:
        """People of a ledger whose connection breaks as it is given up."""

        async def look(self) -> Any:
            looks.set()
            try:
                await asyncio.get_running_loop().create_future()
            except asyncio.CancelledError:
                raise CommitInDoubt("the connection broke") from None

    lost: Any = Lost()
    async with asyncio.timeout(ceilings.WAIT_S), asyncio.TaskGroup() as group:
        looking = group.create_task(see_people(lost, lost))
        await looks.wait()
        looking.cancel()
    assert looking.cancelled()
