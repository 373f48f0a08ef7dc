"""Measures honest tables while the server is attacked. By hand: `python -m tests.soak hostile`.

One server, twenty tables that play at a floor's pace, and newcomers all the time: a table, a sign and a sign
page's stream, one after the other. Each attack of `attacks.py` runs in a process of its own for some seconds.
Printed for each: how long a table waited for an answer before and during it (median and 99 of 100), how long
the slowest newcomer took to be let in, what the server used of a core and grew by, and what it logged.

A machine has stalls of its own, most of them its disk's. So the ledger lies in memory where there is a folder
for it. Answers during an attack are held against the worst of all quiet times so far, and an attack that
seems to slow them is suffered once more: a stall that comes in both is the attacker's. The exit code is 0
where nothing was wrong, 1 where anything was.
"""

import asyncio
import os
import ssl
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from random import Random
from typing import Any, Final, NamedTuple

import aiohttp
import msgspec
from argon2 import PasswordHasher

from controllers.client import TableClient
from controllers.memory import VolatileMemory
from controllers.table import Offline
from jackpot.auth.password_hashing import AT_ONCE
from tests.e2e.floors import EASY
from tests.e2e.site import Site, running
from tests.e2e.vendor import bets
from tests.faults.repeat import SHARED_MEMORY
from tests.program import jackpot
from tests.running_server import connected
from tests.soak.attacks import ATTACKS, ENCRYPTED
from tests.soak.doors import IN, Browser
from tests.soak.target import BROWSER, HOST, LOGINS, PROXY, SECRET, Target

TABLES: Final = 20
STOLEN: Final = 5
SIGNS: Final = 200
# A table plays a round, then rests about as long: some hundred rounds a second in all.
REST_S: Final = 0.2
# Newcomers a second, so that their own lines are no noise.
NEXT_S: Final = 1.0
BEFORE_S: Final = 5.0
# As long as an attack, so that what the machine does seldom is in it, too.
QUIET_S: Final = 20.0
# The floor is promised this, whatever attacks it.
P99_S: Final = 0.1
P99_TIMES: Final = 2.0
# Twice less than this is the machine's own noise: attacker, tables and server share its cores.
P99_LEAST_S: Final = 0.02
LET_IN_S: Final = 5.0
# What each check of a secret takes while it runs is added: it is meant to, and given back.
GROWTH_BYTES: Final = 64 * 2**20
CHECKS_BYTES: Final = AT_ONCE * PasswordHasher().memory_cost * 2**10
# Descriptors of honest newcomers, and of sockets that are still closing when an attack has just ended.
SPARE_DESCRIPTORS: Final = 64
# Lines of one event in one second: the first at once, then one with a count.
LINES_A_SECOND: Final = 2
# What honest devices make the server log, and what it logs at its start.
QUIET: Final = {"serving", "config_warning"}
SETTLE_S: Final = 20.0
TICKS: Final = os.sysconf("SC_CLK_TCK")
PAGE_BYTES: Final = os.sysconf("SC_PAGE_SIZE")


class Floor:
    """Measurements of honest devices. waits, joins: (moment it ended, seconds). failed: (moment, what)."""

    def __init__(self, site: Site, tls: ssl.SSLContext | None = None) -> None:
        self.tls = tls
        self.waits: list[tuple[float, float]] = []
        self.joins: list[tuple[float, float]] = []
        self.failed: list[tuple[float, str]] = []
        self._site = site

    async def play(self, table: TableClient, name: str) -> None:
        """Rounds until it is cancelled."""
        rng = Random(name)
        while True:
            await table.wait_online()
            round_id = f"R{rng.randrange(10**12)}"
            try:
                await self._timed(table.wager(round_id, bets("easy", [3, 2, 1]), lock=True))
                await self._timed(table.close(round_id))
            except Offline:
                self.failed.append((time.monotonic(), f"{name} is offline"))
            await wait_a_moment(REST_S * (0.5 + rng.random()))

    async def _timed(self, answer: Awaitable[dict[str, Any]]) -> None:
        began = time.monotonic()
        said = await answer
        now = time.monotonic()
        self.waits.append((now, now - began))
        if said["t"] == "nack":
            self.failed.append((now, f"refused: {said['code']}"))

    async def newcomers(self, table: str, sign: str) -> None:
        """Connects newcomers one after the other until cancelled; each leaves as soon as it is let in."""
        while True:
            await self._join("table", self._greet("table", table))
            await self._join("sign", self._greet("sign", sign))
            await self._join("stream", self._stream())
            await wait_a_moment(NEXT_S)

    async def _join(self, what: str, joining: Awaitable[None]) -> None:
        began = time.monotonic()
        try:
            async with asyncio.timeout(LET_IN_S):
                await joining
        except (OSError, EOFError, TimeoutError, aiohttp.ClientError) as error:
            self.failed.append((time.monotonic(), f"{what} was not let in: {type(error).__name__} {error}"))
        else:
            now = time.monotonic()
            self.joins.append((now, now - began))

    async def _greet(self, role: str, name: str) -> None:
        async with connected(self._site.ports[f"{role}s"], self.tls) as device:
            await device.greet(self._site.keys[name], role, name)
            await device.type("welcome")

    async def _stream(self) -> None:
        plain = self.tls is None
        url = f"{'http' if plain else 'https'}://{HOST}:{self._site.ports['http']}/events/meters?links=easy"
        known = True if self.tls is None else self.tls
        async with aiohttp.ClientSession() as client, client.get(url, ssl=known) as answer:
            answer.raise_for_status()
            await answer.content.readline()


async def wait_a_moment(seconds: float) -> None:
    """A floor's own pace: there is nothing to wait for."""
    await asyncio.sleep(seconds)


class Server(NamedTuple):
    """Memory, descriptors and used core seconds of the server process."""

    resident: int
    descriptors: int
    seconds: float


def look(site: Site) -> Server:
    """Reads the process's usage. Raises FileNotFoundError where the server has died."""
    assert site._process is not None
    proc = Path(f"/proc/{site._process.pid}")
    pages = int((proc / "statm").read_text().split()[1])
    used = (proc / "stat").read_text().rpartition(")")[2].split()[11:13]
    return Server(pages * PAGE_BYTES, len(list((proc / "fd").iterdir())), sum(map(int, used)) / TICKS)


class Seen(NamedTuple):
    """One attack: seconds before and during it (median, 99 of 100). slow: how late answers were, "" if not.

    core: what the server used of one, before and during it. wrong: everything else that is.
    """

    before: tuple[float, float]
    during: tuple[float, float]
    core: tuple[float, float]
    slowest_join: float
    grown: int
    lines: int
    slow: str
    wrong: list[str]


async def rest(floor: Floor, seconds: float) -> tuple[float, float]:
    """A quiet time: seconds that tables waited (median, 99 of 100)."""
    began = time.monotonic()
    await wait_a_moment(seconds)
    return _spread([wait for at, wait in floor.waits if began <= at])


def is_slow(during: float, quiet: Sequence[float]) -> bool:
    """Whether 99 of 100 answers came later in an attack than is promised, by those of the quiet times."""
    return during > P99_S or during > P99_TIMES * max(*quiet, P99_LEAST_S)


async def suffer(site: Site, floor: Floor, name: str, target: Target, quiet: list[float]) -> Seen:
    """Runs one attack. quiet: 99 of 100 answers in each quiet time so far; the one before it is added."""
    quietly = look(site)
    before = await rest(floor, BEFORE_S)
    quiet.append(before[1])
    start, logged, small = time.monotonic(), len(site.log), look(site)
    attacker = await asyncio.create_subprocess_exec(
        "nice", sys.executable, "-m", "tests.soak.attacks", name,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    )  # fmt: skip
    said, _ = await attacker.communicate(msgspec.json.encode(target))
    ended, large = time.monotonic(), look(site)
    print(f"{name}: {said.decode().strip() or 'the attacker failed'}", flush=True)
    core = (small.seconds - quietly.seconds) / BEFORE_S, (large.seconds - small.seconds) / (ended - start)
    during = _spread([wait for at, wait in floor.waits if start <= at < ended])
    joins = [took for at, took in floor.joins if start <= at < ended]
    lines = [line for line in site.log[logged:] if line["event"] not in QUIET]
    wrong = [f"{count} times: {what}" for what, count in _failed(floor, start, ended).items()]
    if attacker.returncode:
        wrong.append("it harmed somebody, or failed")
    slow = ""
    if is_slow(during[1], quiet):
        slow = f"99 of 100 answers within {_ms(during[1])}, {_ms(max(quiet))} at the worst quiet time"
    if not joins:
        wrong.append("no newcomer was let in")
    if large.resident - small.resident > GROWTH_BYTES + CHECKS_BYTES:
        wrong.append(f"{(large.resident - small.resident) >> 20} MiB more")
    wrong += _often(lines)
    wrong += await _settled(site, small)
    grown = large.resident - small.resident
    return Seen(before, during, core, max(joins, default=0.0), grown, len(lines), slow, wrong)


def _failed(floor: Floor, start: float, ended: float) -> Counter[str]:
    return Counter(what for at, what in floor.failed if start <= at < ended)


def _often(lines: list[dict[str, Any]]) -> list[str]:
    """Causes with more lines in a second than an operator can read."""
    counted = Counter((line["event"], str(line.get("timestamp", ""))[:19]) for line in lines)
    worst = Counter[str]()
    for (event, _), count in counted.items():
        worst[event] = max(worst[event], count)
    return [f"{event}: {count} lines in a second" for event, count in worst.items() if count > LINES_A_SECOND]


async def _settled(site: Site, small: Server) -> list[str]:
    """Whether the attacker's descriptors are given back."""
    ends = time.monotonic() + SETTLE_S
    while (left := look(site).descriptors - small.descriptors) > SPARE_DESCRIPTORS:
        if time.monotonic() > ends:
            return [f"{left} descriptors are still open {SETTLE_S:.0f} s later"]
        await wait_a_moment(0.1)
    return []


def _spread(waits: list[float]) -> tuple[float, float]:
    if not waits:
        return 0.0, float("inf")
    ordered = sorted(waits)
    return ordered[len(ordered) // 2], ordered[min(len(ordered) - 1, len(ordered) * 99 // 100)]


async def attack_all(
    site: Site, target: Target, honest: list[str], names: list[str], tls: ssl.SSLContext | None
) -> bool:
    """Every attack in turn; whether the floor had what it is promised in all of them."""
    floor = Floor(site, tls)
    good = True
    newcomer, sign = honest.pop(), site.devices("sign")[-1]
    async with AsyncExitStack() as devices, asyncio.TaskGroup() as playing:
        tasks = [playing.create_task(floor.newcomers(newcomer, sign))]
        for name in honest:
            server = [f"{HOST}:{site.ports['tables']}"]
            table = await devices.enter_async_context(
                TableClient(name, site.keys[name], server, VolatileMemory(), tls=tls)
            )
            tasks.append(playing.create_task(floor.play(table, name)))
        quiet = [(await rest(floor, QUIET_S))[1]]
        for name in names:
            first = await suffer(site, floor, name, target, quiet)
            tell(first, first.wrong)
            if first.slow:
                print(f"  {first.slow}: once more, for it may have been the machine", flush=True)
                again = await suffer(site, floor, name, target, quiet)
                tell(again, [*again.wrong, again.slow] if again.slow else again.wrong)
                good = good and not again.wrong and not again.slow
            good = good and not first.wrong
        for task in tasks:
            task.cancel()
    return good


def tell(seen: Seen, wrong: Sequence[str]) -> None:
    """Formats an attack's results for the person who watches."""
    print(
        f"  p50 {_ms(seen.before[0])} -> {_ms(seen.during[0])}, p99 {_ms(seen.before[1])} -> "
        f"{_ms(seen.during[1])}; {seen.core[0]:.2f} of a core -> {seen.core[1]:.2f}; "
        f"slowest newcomer {_ms(seen.slowest_join)}; "
        f"{seen.grown / 2**20:+.1f} MiB; {seen.lines} log lines",
        *(f"  WRONG {what}" for what in wrong),
        sep="\n",
        flush=True,
    )


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:.1f} ms"


def cookies_of_a_browser(port: int) -> str:
    """The cookies of the browser in which the first of LOGINS has signed in."""
    browser = Browser(port, BROWSER)
    status, text = browser.sign_in(LOGINS[0], SECRET)
    assert status == IN, text
    return browser.cookies


def soak(seconds: int, only: str) -> int:
    """Attacks whose name holds `only`, for so many seconds each; 0 where the floor had its promise."""
    good = True
    if names := [name for name in ATTACKS if only in name]:
        good = _soak(seconds, names, encrypted=False)
    if names := [name for name in ENCRYPTED if only in name]:
        good = _soak(seconds, names, encrypted=True) and good
    print("the floor had what it is promised" if good else "not as promised")
    return 0 if good else 1


def _soak(seconds: int, names: list[str], *, encrypted: bool) -> bool:
    """Runs these attacks on one server, with TLS or without; returns whether the floor was unharmed."""
    defaults: dict[str, int] = {"heartbeat_ms": 5_000, "commands": 2_000, "size": 1_048_576, "refusals": 100}
    quick = SHARED_MEMORY if SHARED_MEMORY.is_dir() else None
    with tempfile.TemporaryDirectory(prefix="soak-", dir=quick) as place:
        site = Site(Path(place), EASY, listen=f'proxies = ["{PROXY}"]', **defaults)  # type: ignore[arg-type]
        site.add("table", ["easy"], TABLES + 1)
        site.add("table", ["easy"], STOLEN, kind="stolen")
        site.add("sign", ["easy"], SIGNS + 1)
        tables, signs = site.devices("table"), site.devices("sign")
        stolen, honest = tables[-STOLEN:], tables[:-STOLEN]
        tls, authority = None, ""
        if encrypted:
            assert jackpot("keys", "tls", Path(place) / "server", "--host", HOST).returncode == 0
            authority = f"{place}/server.pem"
            tls = ssl.create_default_context(cafile=authority)
            site.encrypt("server.pem", "server.key")
        site.begin("".join(f"{login}\n{login.title()}\n{SECRET}\n{SECRET}\n" for login in LOGINS))
        with running(site):
            cookies = "" if encrypted else cookies_of_a_browser(site.ports["http"])
            target = Target(
                site.ports["tables"],
                site.ports["signs"],
                site.ports["http"],
                float(seconds),
                {name: site.keys[name].hex() for name in stolen},
                {name: site.keys[name].hex() for name in signs[:-1]},
                "easy",
                authority,
                cookies,
            )
            good = asyncio.run(attack_all(site, target, honest, names, tls))
            code = site.stop()
    if code:
        print(f"the server ended with {code}")
    return good and code == 0
