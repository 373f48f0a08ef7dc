"""A floor on three PostgreSQL nodes outlives the loss of its standbys and of its primary."""

import asyncio
import os
import signal
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from jackpot.lab.testing.postgres import Postgres
from tests.e2e.floors import EASY
from tests.e2e.load import Played, check, load
from tests.e2e.site import Site, running

TABLES: Final = 4
ANY: Final = {"synchronous_standby_names": "ANY 1 (north, south, west)"}
SENDER: Final = "select pid from pg_stat_replication where application_name = '{}'"


class Nodes:
    """A primary, two standbys of which one must have each commit, and a server that knows all three.

    standbys: by the name under which each follows its primary.
    """

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self.primary = stack.enter_context(Postgres(folder / "north"))
        self.standbys = {name: self.primary.standby(folder / name, name) for name in ("south", "west")}
        self.primary.create("ledger")
        self.primary.configure(ANY)
        ports = ",".join(f"127.0.0.1:{node.port}" for node in (self.primary, *self.standbys.values()))
        url = f"postgresql://postgres@{ports}/ledger"
        self.site = Site(folder, EASY, ledger=url, more="require_synchronous = true")
        self.site.add("table", ["easy"], TABLES)
        self.site.add("sign", ["easy"])

    def thaw(self) -> None:
        for standby in self.standbys.values():
            standby.thaw()

    def lag(self, name: str) -> None:
        """Stops replication to that standby."""
        ((sender,),) = self.primary.sql(SENDER.format(name))
        os.kill(sender, signal.SIGSTOP)

    def fail_over(self) -> None:
        """The primary is killed, the standby that has every commit takes its place, the other follows it."""
        self.primary.kill()
        by_journal = sorted(self.standbys, key=lambda name: self.standbys[name].received())
        follower, heir = by_journal[0], self.standbys[by_journal[-1]]
        heir.promote()
        followed = f"host=127.0.0.1 port={heir.port} user=postgres application_name={follower}"
        self.standbys[follower].configure({"primary_conninfo": followed})
        heir.configure(ANY)


def test_a_floor_outlives_its_standbys_and_its_primary(tmp_path: Path) -> None:
    """S4, S5, DESIGN 4: suspends and resumes by itself without standbys, then outlives a failover.

    One standby lacks the last commits, which the other has, as either may while one of two is enough.
    """
    with ExitStack() as stack:
        nodes = Nodes(tmp_path, stack)
        site, played = nodes.site, Played()
        stack.enter_context(running(site))
        asyncio.run(scenario(nodes, played, tmp_path))
        assert not [line for line in site.log if line["event"] in {"bank_stopped", "bank_fenced"}]
        assert site.stop() == 0
        check(site.url, site.devices("table"), played)


async def scenario(nodes: Nodes, played: Played, folder: Path) -> None:
    site = nodes.site
    async with load(site, played, folder) as names:
        await played.until_all_play(names)
        await asyncio.to_thread(nodes.standbys["south"].freeze)
        await played.until_all_play(names)
        await asyncio.to_thread(nodes.standbys["west"].freeze)
        await played.until_told("suspended")
        assert await asyncio.to_thread(site.status, "/readyz") == 503
        await asyncio.to_thread(nodes.thaw)
        await played.until_told("active")
        await asyncio.to_thread(nodes.lag, "south")
        await played.until_all_play(names)
        await asyncio.to_thread(nodes.fail_over)
        await played.until_all_play(names)
        await played.until_told("active")
        assert await asyncio.to_thread(site.status, "/readyz") == 200
