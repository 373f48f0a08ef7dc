"""Does anything get lost when the server is killed? kill -9 at random moments under load, ten times."""

import asyncio
import signal
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from random import Random
from typing import Any, Final

from controllers.client import SignClient, TableClient
from controllers.memory import FileMemory
from controllers.table import Offline
from jackpot.ledger.open import open_ledger
from jackpot.rules.engine import Engine
from jackpot.rules.events import Refused
from jackpot.rules.money import to_cents
from tests.e2e.floors import EASY
from tests.e2e.site import Site

KILLS: Final = 10
TABLES: Final = 4
# Answers between two kills: from the first moments after a start to well into the stream.
ANSWERS_MOST: Final = 400
WAIT_S: Final = 30.0

Message = dict[str, Any]
HANDS: Final = (
    ({"cards": ["As", "Ks", "Qs"]}, ["Js", "Ts"]),
    ({"cards": ["9s", "8s", "7s"]}, ["6s", "5s"]),
    ({"cards": ["9s", "9h", "9d"]}, ["9c", "5s"]),
    ({"cards": ["2s", "5h", "9d"]}, ["Jc", "Ks"]),
    ({"cards": ["2s", "2h", "2d"]}, ["Jc", "Ks"]),
)


class Played:
    """What the devices were told. answers: (table, seq) -> command and answer. shown: revision -> values."""

    def __init__(self) -> None:
        self.answers: dict[tuple[str, int], tuple[str, Message]] = {}
        self.rounds: Counter[str] = Counter()
        self.shown: dict[int, set[tuple[str, str, int]]] = {}
        self.starts: list[Counter[str]] = []
        self.over = False
        self.news = asyncio.Condition()

    def told(self, push: Message) -> None:
        """A sign's or a table's push."""
        if push["t"] == "meters":
            self.shown.setdefault(push["rev"], set()).update(
                (link, level, cents) for link, level, cents in push["values"]
            )

    async def answered(self, table: str, kind: str, answer: Message) -> None:
        if "expected" not in answer:
            known = self.answers.setdefault((table, answer["seq"]), (kind, answer))
            assert known == (kind, answer), f"{table} {answer['seq']} was answered twice, differently"
        async with self.news:
            self.news.notify_all()

    async def until(self, what: str, condition: Any) -> None:
        async with self.news:
            try:
                async with asyncio.timeout(WAIT_S):
                    await self.news.wait_for(condition)
            except TimeoutError:
                raise AssertionError(f"{what}: not within {WAIT_S:.0f} s") from None


async def play(table: TableClient, name: str, played: Played, rng: Random) -> None:
    """Rounds until the load ends: each round's commands follow each other without waiting."""
    while not played.over:
        round_id = f"{name}-{rng.randrange(10**12)}"
        seats = sorted(rng.sample(range(1, 8), 3), reverse=True)
        bets = [{"seat": seat, "link": "easy", "amount": 100} for seat in seats]
        hand, board = rng.choice(HANDS)
        hands = [{"seat": seats[0], **hand}]
        await table.wait_online()
        try:
            await asyncio.gather(
                ask(table, name, played, "wager", round=round_id, bets=bets, lock=True),
                ask(table, name, played, "settle", round=round_id, hands=hands, board=board, close=True),
            )
        except Offline:  # certainly not sent: the table waits for the server and deals a new round
            continue
        played.rounds[name] += 1


async def ask(table: TableClient, name: str, played: Played, kind: str, **fields: Any) -> None:
    answer = await table.command(kind, **fields)
    await played.answered(name, kind, answer)


@asynccontextmanager
async def load(site: Site, names: list[str], sign: str, played: Played, folder: Path) -> AsyncIterator[None]:
    """Tables that play and a sign that watches, until the block ends; then every command is answered."""
    async with AsyncExitStack() as devices, asyncio.TaskGroup() as playing:
        board = SignClient(sign, site.keys[sign], [f"127.0.0.1:{site.ports['signs']}"], on_push=played.told)
        await devices.enter_async_context(board)
        tables = []
        for name in names:
            server = f"127.0.0.1:{site.ports['tables']}"
            memory = FileMemory(folder / f"{name}.memory", sync=False)
            devices.callback(memory.close)
            table = TableClient(name, site.keys[name], [server], memory, on_push=played.told)
            tables.append(await devices.enter_async_context(table))
            playing.create_task(play(table, name, played, Random(name)))
        try:
            yield
        finally:
            played.over = True


def fixed_ports(site: Site) -> None:
    """From the next start on the server is found where it was."""
    for role in ("tables", "signs"):
        site._parts[0] = site._parts[0].replace(
            f'{role} = "127.0.0.1:0"', f'{role} = "127.0.0.1:{site.ports[role]}"'
        )


async def kill_and_restart(site: Site, played: Played, rng: Random) -> None:
    """Kill -9 after some answers more, a start on the same ledger, and every table goes on by itself."""
    target = len(played.answers) + rng.randint(1, ANSWERS_MOST)
    await played.until("answers", lambda: len(played.answers) >= target)
    await asyncio.to_thread(site.stop, signal.SIGKILL)
    before = played.rounds.copy()
    await asyncio.to_thread(site.start)
    await played.until(
        "a round of every table", lambda: all(played.rounds[name] > count for name, count in before.items())
    )


def test_nothing_is_lost_by_ten_kills(tmp_path: Path) -> None:
    """S4, S5: acknowledged commands are in the ledger once, no shown value was lost, the books verify."""
    site, rng, played = Site(tmp_path, EASY), Random(9), Played()
    site.add("table", ["easy"], TABLES)
    site.add("sign", ["easy"])
    names = [name for name in site.keys if name.startswith("T")]
    sign = next(name for name in site.keys if name.startswith("S"))

    async def scenario() -> None:
        async with load(site, names, sign, played, tmp_path):
            await played.until("a round of every table", lambda: all(played.rounds[name] for name in names))
            for _ in range(KILLS):
                await kill_and_restart(site, played, rng)

    site.start()
    try:
        fixed_ports(site)
        asyncio.run(scenario())
        assert site.stop() == 0
    finally:
        site.stop(signal.SIGKILL)
    check_ledger(tmp_path, names, played)
    site.cli("verify")


def check_ledger(folder: Path, names: list[str], played: Played) -> None:
    """Every answer has its one row of the same kind; every value shown is its revision's."""
    ledger = open_ledger(f"sqlite:///{folder}/ledger.db", readonly=True)
    try:
        rows = ledger.rows("main", 0, 10**9)
    finally:
        ledger.close()
    engine = Engine("main")
    journalled: dict[tuple[str, int], int] = {}
    looked_at = 0
    for row in rows:
        engine.replay(row.seq, row.at, row.kind, row.version, row.table, row.table_seq, row.digest, row.body)
        if row.table is not None and row.table_seq is not None:
            key = names[row.table - 1], row.table_seq
            assert key not in journalled, f"{key} is in the ledger twice"
            journalled[key] = row.kind
        meters = {
            (link.terms.link, level.terms.level): to_cents(level.accounts.primary)
            for link in engine.state.links
            for level in link.levels
        }
        for link_name, level_name, cents in played.shown.pop(row.seq, ()):
            assert meters[link_name, level_name] == cents, f"revision {row.seq} was shown with another value"
            looked_at += 1
    assert not played.shown, f"revisions were shown that the ledger has not: {sorted(played.shown)}"
    for key, (kind, answer) in played.answers.items():
        assert key in journalled, f"{kind} {key} was answered and is not in the ledger"
        assert (answer["t"] == "nack") == (journalled[key] == Refused.kind), f"{key}: {answer}"
    assert len(played.answers) > KILLS * TABLES
    assert looked_at > KILLS
