"""Soak of several servers that die or are restarted: losses, and time without play.

Three servers of one ledger under load, again and again: kill -9 of the holder; SIGSTOP, takeover, SIGCONT;
a hand-over; a restart of all, one after the other. Printed: how long until every table had played a round
again, and the longest that a table waited for an answer meanwhile.
"""

import asyncio
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable
from pathlib import Path
from random import Random
from typing import Final

from jackpot.lab.testing.postgres import Postgres
from tests.e2e.cuts import CASES
from tests.e2e.floors import EASY
from tests.e2e.load import load
from tests.e2e.servers import Heard, Server, Servers, kill, serving, verdict

TABLES: Final = 6
SERVERS: Final = ("a", "b", "c")
# Answers between two troubles, at the least and at the most.
ANSWERS: Final = (100, 1_000)
# What a floor is promised after a kill and in a restart of all: seconds.
WITHIN_S: Final = 5.0
# What took longer than a restart of all does is worth a look at the logs.
LONG_S: Final = 20.0
# Of each server's log, where it ends badly.
LINES: Final = 60
_LOOK_EVERY_S: Final = 0.02


class Soak:
    """A floor under load, and what each trouble cost it: seconds until all played, and the longest wait."""

    def __init__(self, floor: Servers, rng: Random) -> None:
        self.heard = Heard()
        self.took: dict[str, list[float]] = defaultdict(list)
        self.waited: dict[str, list[float]] = defaultdict(list)
        self._floor = floor
        self._rng = rng
        self._names: list[str] = []

    async def run(self, times: int) -> None:
        """Each trouble so many times."""
        troubles = {
            "kill": self._kill,
            "freeze": self._freeze,
            "hand-over": self._hand_over,
            "restart of all": self._restart_all,
        }
        async with load(self._floor, self.heard, self._floor.folder) as self._names:
            await self.heard.until_all_play(self._names)
            for number in range(1, times + 1):
                for what, trouble in troubles.items():
                    await self._suffer(what, trouble)
                took = ", ".join(f"{what} {seconds[-1]:.1f} s" for what, seconds in self.took.items())
                print(f"{number} of {times}: {len(self.heard.answers):,} answers; {took}", flush=True)

    async def _suffer(self, what: str, trouble: Callable[[Server], Awaitable[None]]) -> None:
        await self.heard.until_more(self._rng.randint(*ANSWERS))
        holder = await asyncio.to_thread(self._floor.holder)
        self.heard.longest()
        began = time.monotonic()
        await trouble(holder)
        await self.heard.until_all_play(self._names)
        self.took[what].append(time.monotonic() - began)
        self.waited[what].append(self.heard.longest())
        if self.took[what][-1] > LONG_S:
            tell(self._floor, self.heard)
        for server in self._floor.each.values():
            if not server.up:
                await asyncio.to_thread(server.start)

    async def _kill(self, holder: Server) -> None:
        await asyncio.to_thread(kill, holder)

    async def _freeze(self, holder: Server) -> None:
        holder.signal(signal.SIGSTOP)
        await asyncio.to_thread(wait_for_another, self._floor, holder)
        holder.signal(signal.SIGCONT)

    async def _hand_over(self, holder: Server) -> None:
        answer = await asyncio.to_thread(holder.admin, do="hand-over", bank="main")
        assert answer["ok"], answer

    async def _restart_all(self, _holder: Server) -> None:
        for server in self._floor.each.values():
            assert await asyncio.to_thread(server.stop) == 0
            await self.heard.until_all_play(self._names)
            await asyncio.to_thread(server.start)


def wait_for_another(floor: Servers, holder: Server) -> None:
    """Waits until another server holds the bank."""
    others = [server for server in floor.each.values() if server is not holder]
    while not any(server.holds() for server in others):
        time.sleep(_LOOK_EVERY_S)


def soak(times: int, seed: int) -> int:
    """The exit code: 0 where nothing was lost or doubled, and the floor had what it is promised."""
    with tempfile.TemporaryDirectory() as place, Postgres(Path(place) / "node") as node:
        floor = Servers(Path(place), EASY, node.create("ledger"), SERVERS, heartbeat_ms=5_000)
        floor.add("table", ["easy"], TABLES)
        floor.add("sign", ["easy"])
        with serving(floor):
            found = Soak(floor, Random(seed))
            try:
                asyncio.run(found.run(times))
            except BaseException:
                tell(floor, found.heard)
                raise
        verdict(floor, found.heard)
    print(f"{len(found.heard.answers):,} acknowledged, none lost or doubled; the books verify")
    for what, seconds in found.took.items():
        print(f"{what}: all play after {_spread(seconds)}; longest wait {_spread(found.waited[what])}")
    late = [*found.took["kill"], *found.waited["kill"], *found.waited["restart of all"]]
    return 1 if max(late) > WITHIN_S else 0


def soak_cuts(times: int) -> int:
    """The exit code: 0 where no two servers answered for one bank, whatever was cut, so many times each."""
    namespace = ("unshare", "--user", "--map-root-user", "--net")
    with tempfile.TemporaryDirectory() as place:
        cuts = [sys.executable, "-m", "tests.e2e.cuts", place, *CASES * times]
        return subprocess.run([*namespace, *cuts], check=False).returncode


def tell(floor: Servers, heard: Heard) -> None:
    """Failure report for the person who watches."""
    print(f"after {len(heard.answers):,} answers; sent away: {heard.sent_away[-TABLES:]}")
    for name, table in heard.tables.items():
        state, unanswered = table.session.state, len(table.session.pending)
        print(f"{name}: {state}, {unanswered} unanswered, tries {table._servers}")
    for server in floor.each.values():
        told = [line for line in server.history if line["event"] not in {"closed", "config_warning"}]
        print(f"{server.name} at {server.at}:", *told[-LINES:], sep="\n  ")


def _spread(seconds: list[float]) -> str:
    ordered = sorted(seconds)
    middle, most = statistics.median(ordered), ordered[int(len(ordered) * 0.95)]
    return f"{ordered[0]:.2f} - {ordered[-1]:.2f} s (median {middle:.2f}, 95 % {most:.2f})"
