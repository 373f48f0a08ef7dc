"""An upgrade under load from the previous version of the program loses nothing."""

import asyncio
from pathlib import Path
from typing import Final

import pytest

from tests.e2e.floors import EASY
from tests.e2e.history import before
from tests.e2e.load import Played, check, fixed_ports, load
from tests.e2e.site import Site, running
from tests.ledgers import KINDS, Fresh
from tests.program import jackpot

TABLES: Final = 4
# Answers of each program: some batches of every table.
ANSWERS: Final = 200


def runs(site: Site, folder: Path) -> bool:
    """Whether the server was started as the program in that folder."""
    assert site._process is not None
    environment = Path(f"/proc/{site._process.pid}/environ").read_bytes()
    return f"PYTHONPATH={folder}".encode() in environment.split(b"\0")


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_lost_by_an_upgrade(kind: str, fresh: Fresh, tmp_path: Path) -> None:
    """S4, S5, S8: stopped under load, migrated, started as this program: the tables go on where they were.

    Every answer of either program is in the ledger once, and this program decides all of it again.
    """
    old = tmp_path / "before"
    old.mkdir()
    site, played = Site(tmp_path, EASY, ledger=fresh(kind)), Played()
    site.more = before(old)
    # The previous version does not know this section, and believes names without it.
    site._parts[0] = site._parts[0].replace("[people]\nrequired = false\n", "")
    site.add("table", ["easy"], TABLES)
    site.add("sign", ["easy"])

    async def upgrade() -> None:
        async with load(site, played, tmp_path) as names:
            await played.until_more(ANSWERS)
            assert await asyncio.to_thread(site.stop) == 0
            migrated = await asyncio.to_thread(jackpot, "ledger", "migrate", "--ledger", site.url)
            assert migrated.returncode == 0, migrated.stderr
            site.more = {}
            await asyncio.to_thread(site.start)
            await played.until_all_play(names)
            await played.until_more(ANSWERS)

    fixed_ports(site)
    with running(site):
        assert runs(site, old)
        asyncio.run(upgrade())
        assert site.stop() == 0
    check(site.url, site.devices("table"), played)
    assert len(played.answers) >= 2 * ANSWERS
