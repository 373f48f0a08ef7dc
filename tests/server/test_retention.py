"""Is the name of somebody who left kept only so long?"""

import asyncio
from pathlib import Path

import pytest
import structlog

from jackpot.ledger.keyring import people
from jackpot.rules.acts.fields import DAY_MS
from jackpot.rules.acts.people import EndPerson
from jackpot.rules.signing import SITE
from jackpot.server import retention
from jackpot.server.asks.ask import Request
from jackpot.server.asks.done import Done
from jackpot.server.asks.people import EraseName
from jackpot.server.asks.target import keyed
from jackpot.server.retention import erase_names
from tests.server.bed import StepClock, on_loop, until
from tests.server.test_people import ANN, journal, opened

KEPT_DAYS = 30


@on_loop
async def test_a_name_is_erased_by_age_and_the_journal_says_so(tmp_path: Path) -> None:
    """Retention: of who left so many days ago, once; who is here keeps theirs."""
    async with opened(tmp_path) as site:
        dee = await site.join("dee", "floor")
        desk = site.server.people
        assert (await site.entrance.act(desk, EndPerson(dee.id), [await site.enter(ANN)])).ok
        for days, names in ((KEPT_DAYS - 1, {"ann", "ben", "dee"}), (1, {"ann", "ben"}), (1, {"ann", "ben"})):
            site.wait(days * DAY_MS)
            await erase_names(desk, site.entrance, KEPT_DAYS)
            kept = await site.entrance.books.read(people)
            assert {one.login for one in kept.values()} == names
    assert journal(tmp_path).count("name_erased") == 1


@on_loop
async def test_one_admin_alone_erases_by_age_only(tmp_path: Path) -> None:
    """Retention: whether a name's time is over the server says, by the site's days; who asks cannot."""
    async with opened(tmp_path, names_kept_days=KEPT_DAYS) as site:
        dee = await site.join("dee", "floor")
        ann = await site.enter(ANN)
        assert (await site.entrance.act(site.server.people, EndPerson(dee.id), [ann])).ok
        for key, days, asked in (("early", KEPT_DAYS - 1, True), ("late", 2, False)):
            site.wait(days * DAY_MS)
            request = keyed(Request(EraseName(dee.id), (ann,), SITE), ann, key)
            done = await site.server.acts.carry_out(request)
            assert isinstance(done, Done)
            assert done.asked == asked
        assert {one.login for one in (await site.entrance.books.read(people)).values()} == {"ann", "ben"}


@on_loop
async def test_what_a_moved_clock_says_erases_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Retention: a clock that is wrong at the start is put right before a look; a look after a step waits."""
    monkeypatch.setattr(retention, "LOOK_S", 0.1)
    clock, looks = StepClock(), list[int]()
    clock.stepped_s = 3 * 365 * 86_400.0

    with structlog.testing.capture_logs() as logs:

        async def look() -> None:
            looks.append(len(logs))

        async with asyncio.TaskGroup() as group:
            each_hour = group.create_task(retention._each_hour("not_erased", clock, look))
            await asyncio.sleep(0)  # it has begun, and believes the clock of now
            assert looks == []
            clock.stepped_s = 0.0
            await until(lambda: len(looks) == 1)
            clock.stepped_s = retention.STEP_MOST_MS / 1000 + 1
            await until(lambda: len(looks) >= 3)
            each_hour.cancel()
    assert (looks[0], looks[-1]) == (1, 2), "each step is a warning before the next look"
    assert [line["reason"] for line in logs] == [
        f"the clock was moved by {-3 * 365 * 86_400} s",
        "the clock was moved by 61 s",
    ]
