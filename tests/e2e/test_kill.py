"""Does anything get lost when the server is killed? kill -9 at random moments under load, ten times."""

import asyncio
import signal
from pathlib import Path
from random import Random
from typing import Final

from tests.e2e.floors import EASY
from tests.e2e.load import Played, check, fixed_ports, load
from tests.e2e.site import Site

KILLS: Final = 10
TABLES: Final = 4
# Answers between two kills: from the first moments after a start to well into the stream.
ANSWERS_MOST: Final = 400


async def kill_and_restart(site: Site, names: list[str], played: Played, rng: Random) -> None:
    """Kill -9 after some answers more, a start on the same ledger, and every table goes on by itself."""
    await played.until_more(rng.randint(1, ANSWERS_MOST))
    await asyncio.to_thread(site.stop, signal.SIGKILL)
    await asyncio.to_thread(site.start)
    await played.until_all_play(names)


def test_nothing_is_lost_by_ten_kills(tmp_path: Path) -> None:
    """S4, S5: acknowledged commands are in the ledger once, no shown value was lost, the books verify."""
    site, rng, played = Site(tmp_path, EASY), Random(9), Played()
    site.add("table", ["easy"], TABLES)
    site.add("sign", ["easy"])

    async def scenario() -> None:
        async with load(site, played, tmp_path) as names:
            await played.until_all_play(names)
            for _ in range(KILLS):
                await kill_and_restart(site, names, played, rng)

    site.start()
    try:
        fixed_ports(site)
        asyncio.run(scenario())
        assert site.stop() == 0
    finally:
        site.stop(signal.SIGKILL)
    check(site.url, site.devices("table"), played)
    assert len(played.answers) > KILLS * TABLES
    site.cli("verify")
