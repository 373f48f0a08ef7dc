"""Network partitions between servers that share a bank, made with nft in a network namespace.

    unshare --user --map-root-user --net python -m tests.e2e.cuts FOLDER WHO:HOW ...

WHO is cut from what: `holder-database`, `standby-database`, `holder-redis`. HOW: `drop` (nothing passes in
either direction, and nobody is told), `reject` (the sender is told by a reset), `to` (what is sent is
lost) and `from` (what is answered is lost). Each server reaches the database and Redis at an address of its
own, so that a rule of nft cuts one server. After each cut the floor must play, at the server that it should,
and again once it is over. At last an independent check reads both logs, what every device heard, and the
journal.
"""

import asyncio
import itertools
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from jackpot.lab.testing.postgres import Postgres
from jackpot.lab.testing.redis import RedisServer
from tests.e2e.floors import EASY
from tests.e2e.load import load
from tests.e2e.servers import Heard, Server, Servers, serving, verdict
from tests.e2e.vendor import WAIT_S

TABLES: Final = 4
# Where each server finds the database and Redis.
PLACES: Final = {"a": "127.0.0.11", "b": "127.0.0.12"}
WHO: Final = ("holder-database", "standby-database", "holder-redis")
HOW: Final = {
    "drop": ("drop", "drop"),
    "reject": ("reject with tcp reset", ""),
    "to": ("drop", ""),
    "from": ("", "drop"),
}
CASES: Final = [f"{who}:{how}" for who, how in itertools.product(WHO, HOW)]
_LOOK_EVERY_S: Final = 0.05


def nft(commands: str) -> None:
    subprocess.run(["nft", "-f", "-"], input=commands, text=True, check=True)


def cut(server: Server, port: int, how: str) -> None:
    """Cuts the traffic between `server` and that port: packets are dropped or rejected."""
    to, back = HOW[how]
    place = PLACES[server.name]
    rules = [f"ip daddr {place} tcp dport {port} {to}"] * bool(to)
    rules += [f"ip saddr {place} tcp sport {port} {back}"] * bool(back)
    chain = "type filter hook input priority 0; policy accept;"
    nft("\n".join(["table inet cut {", f"chain input {{ {chain}", *rules, "}", "}", ""]))


def heal() -> None:
    nft("delete table inet cut\n")


class Floor(Servers):
    """Two servers, each with its own way to the database and to Redis. cuttable: these two's ports."""

    cuttable: tuple[int, ...] = ()

    def seen_by(self, name: str, text: str) -> str:
        for port in self.cuttable:
            text = text.replace(f"127.0.0.1:{port}", f"{PLACES[name]}:{port}")
        return text


def wait_until(condition: Callable[[], bool], what: str) -> None:
    ends = time.monotonic() + WAIT_S
    while not condition():
        assert time.monotonic() < ends, f"{what}: not within {WAIT_S:.0f} s"
        time.sleep(_LOOK_EVERY_S)


class Trial:
    """A floor under load, one cut after the other."""

    def __init__(self, floor: Floor, heard: Heard, names: list[str]) -> None:
        self._floor = floor
        self._heard = heard
        self._names = names

    async def suffer(self, who: str, how: str) -> None:
        """Runs one cut and checks the floor during and after it; prints how long the floor stood."""
        holder = await asyncio.to_thread(self._floor.holder)
        standby = self._floor.other(holder)
        victim, port = {
            "holder-database": (holder, self._floor.cuttable[0]),
            "standby-database": (standby, self._floor.cuttable[0]),
            "holder-redis": (holder, self._floor.cuttable[1]),
        }[who]
        lost = victim.count("ledger_unavailable")
        self._heard.longest()
        began = time.monotonic()
        await asyncio.to_thread(cut, victim, port, how)
        if who == "holder-database":
            await self._until(standby.holds, "takeover")
        elif who == "standby-database":
            await self._until(lambda: victim.count("ledger_unavailable") > lost, "noticed")
        else:
            await self._until(lambda: relay_up(holder) == 0, "noticed")
        await self._heard.until_all_play(self._names)
        played = time.monotonic() - began
        if who == "holder-database":
            assert not await asyncio.to_thread(victim.holds), "it says that it has the bank, and cannot know"
        await asyncio.to_thread(heal)
        should = standby if who == "holder-database" else holder
        if who == "holder-redis":
            await self._until(lambda: relay_up(holder) == 1, "Redis reached again")
        else:
            await self._until(lambda: victim.stands_by(should), "standing by")
        assert await asyncio.to_thread(self._floor.holder) is should, f"{should.name} does not have the bank"
        await self._heard.until_all_play(self._names)
        waited = self._heard.longest()
        print(f"{who}:{how}: all play after {played:.1f} s, waited at most {waited:.1f} s", flush=True)

    async def _until(self, condition: Callable[[], bool], what: str) -> None:
        await asyncio.to_thread(wait_until, condition, what)


def relay_up(server: Server) -> float:
    """Whether Redis accepts the server's publications of the bank, by its metrics."""
    (line,) = [line for line in server.get("/metrics").splitlines() if line.startswith("jackpot_relay_up{")]
    return float(line.split()[-1])


async def run(floor: Floor, heard: Heard, cases: Sequence[str]) -> None:
    async with load(floor, heard, floor.folder) as names:
        await heard.until_all_play(names)
        trial = Trial(floor, heard, names)
        for case in cases:
            await trial.suffer(*case.split(":"))


def main(folder: Path, *cases: str) -> None:
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    everywhere = ["127.0.0.1", *PLACES.values()]
    with (
        Postgres(folder / "node", {"listen_addresses": ",".join(everywhere)}) as node,
        RedisServer(folder / "redis", settings={"bind": " ".join(everywhere)}) as redis,
    ):
        links = f'[redis]\nurl = "{redis.url}"\n{EASY}'
        floor = Floor(folder, links, node.create("ledger"), tuple(PLACES), heartbeat_ms=5_000)
        floor.cuttable = node.port, redis.port
        floor.add("table", ["easy"], TABLES)
        floor.add("sign", ["easy"])
        heard = Heard()
        with serving(floor):
            asyncio.run(run(floor, heard, cases or CASES))
        verdict(floor, heard)
    print(f"{len(heard.answers)} answers, each from the server that had the bank; the books verify")


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
