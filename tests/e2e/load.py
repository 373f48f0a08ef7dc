"""Load generator: a floor that plays while a test breaks something, and the check that nothing was lost."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager, closing
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, Final, NamedTuple

from controllers.client import SignClient, TableClient
from controllers.memory import FileMemory
from controllers.table import Offline
from jackpot.lab.testing.postgres import free_port
from jackpot.ledger.verify.verifier import verify
from jackpot.rules.engine import Engine
from jackpot.rules.events import Refused
from jackpot.rules.money import to_cents
from tests import ceilings
from tests.e2e.site import Site
from tests.ledger.waiting import open_ledger

WAIT_S: Final = ceilings.WAIT_S

# Between two rounds of a table. Without it a load plays as fast as the machine can, and every row is read
# again when the test is over.
PAUSE_S: Final = 0.02

Message = dict[str, Any]
HANDS: Final = (
    ({"cards": ["As", "Ks", "Qs"]}, ["Js", "Ts"]),
    ({"cards": ["9s", "8s", "7s"]}, ["6s", "5s"]),
    ({"cards": ["9s", "9h", "9d"]}, ["9c", "5s"]),
    ({"cards": ["2s", "5h", "9d"]}, ["Jc", "Ks"]),
    ({"cards": ["2s", "2h", "2d"]}, ["Jc", "Ks"]),
)


class Played:
    """Everything that the devices were told during play.

    answers: (table, seq) -> command and answer. shown: revision -> values. states: device -> the states of
    its link, as it was told of them. tables: their clients, by name.
    within_s: the timeout of every wait. pause_s: between two rounds of a table.
    """

    def __init__(self, pause_s: float = PAUSE_S) -> None:
        self.pause_s = pause_s
        self.answers: dict[tuple[str, int], tuple[str, Message]] = {}
        self.rounds: Counter[str] = Counter()
        self.shown: dict[int, set[tuple[str, str, int]]] = {}
        self.states: dict[str, list[str]] = {}
        self.tables: dict[str, TableClient] = {}
        self.over = False
        self.within_s = WAIT_S
        self._news = asyncio.Event()

    def told(self, device: str, push: Message) -> None:
        """Records a push or welcome of a sign or table."""
        if push["t"] == "meters":
            self.shown.setdefault(push["rev"], set()).update(
                (link, level, cents) for link, level, cents in push["values"]
            )
        elif push["t"] == "link":
            self.states[device].append(push["state"])
        elif push["t"] == "welcome":
            self.states.setdefault(device, []).extend(link["state"] for link in push["links"])
        self._wake()

    def answered(self, table: str, kind: str, answer: Message) -> None:
        if "expected" not in answer:
            known = self.answers.setdefault((table, answer["seq"]), (kind, answer))
            assert known == (kind, answer), f"{table} {answer['seq']} was answered twice, differently"
        self._wake()

    def played(self, name: str) -> None:
        self.rounds[name] += 1
        self._wake()

    async def until(self, what: str, condition: Callable[[], bool]) -> None:
        """Waits until the condition holds, checking it after each message from the server."""
        try:
            async with asyncio.timeout(self.within_s):
                while not condition():
                    await self._news.wait()
        except TimeoutError:
            raise AssertionError(f"{what}: not within {self.within_s:.0f} s") from None

    async def until_more(self, answers: int) -> None:
        """Waits for so many more answers."""
        target = len(self.answers) + answers
        await self.until("answers", lambda: len(self.answers) >= target)

    async def until_all_play(self, names: list[str]) -> None:
        """Waits until every table has played one more whole round."""
        before = self.rounds.copy()
        await self.until(
            "a round of every table", lambda: all(self.rounds[name] > before[name] for name in names)
        )

    async def until_told(self, state: str) -> None:
        """Waits until every device was last told this state."""
        await self.until(state, lambda: all(states[-1] == state for states in self.states.values()))

    def _wake(self) -> None:
        self._news.set()
        self._news = asyncio.Event()


async def play(table: TableClient, name: str, played: Played, rng: Random, link: str = "easy") -> None:
    """Plays rounds until the load ends; each round's commands are pipelined."""
    while not played.over:
        round_id = f"{name}-{rng.randrange(10**12)}"
        seats = sorted(rng.sample(range(1, 8), 3), reverse=True)
        bets = [{"seat": seat, "link": link, "amount": 100} for seat in seats]
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
        played.played(name)
        await wait_for_players(played.pause_s)


async def wait_for_players(seconds: float) -> None:
    """Waits as a table waits for its players."""
    await asyncio.sleep(seconds)


async def ask(table: TableClient, name: str, played: Played, kind: str, **fields: Any) -> None:
    played.answered(name, kind, await table.command(kind, **fields))


@asynccontextmanager
async def load(
    site: Site, played: Played, folder: Path, kind: str = "", link: str = "easy"
) -> AsyncIterator[list[str]]:
    """Runs all tables and signs, wherever their bank is; in the end every command is answered.

    kind: only devices of that kind. Yields the tables' names.
    """
    names = site.of("table", kind)
    async with AsyncExitStack() as devices, asyncio.TaskGroup() as playing:
        for sign in site.of("sign", kind):
            watch = SignClient(sign, site.keys[sign], site.addresses("signs"))
            watch.on_push = partial(played.told, sign)
            await devices.enter_async_context(watch)
        for name in names:
            memory = FileMemory(folder / f"{name}.memory", sync=False)
            devices.callback(memory.close)
            table = TableClient(name, site.keys[name], site.addresses("tables"), memory)
            table.on_push = partial(played.told, name)
            played.tables[name] = await devices.enter_async_context(table)
            playing.create_task(play(table, name, played, Random(name), link))
        try:
            yield names
        finally:
            played.over = True


def free_ports(count: int) -> list[int]:
    """Distinct free ports that no other connection is given, whatever else runs meanwhile."""
    return [free_port() for _ in range(count)]


def fixed_ports(site: Site) -> None:
    """Fixes the server's ports before its first start, so that restarts keep them."""
    roles = ("tables", "signs")
    for role, port in zip(roles, free_ports(len(roles)), strict=True):
        site._parts[0] = site._parts[0].replace(f'{role} = "127.0.0.1:0"', f'{role} = "127.0.0.1:{port}"')


class Found(NamedTuple):
    """Comparison of a ledger with what was played: counts, and a sentence for each fault."""

    answered: int
    looked_at: int
    lost: list[str]
    doubled: list[str]
    wrong: list[str]


def look(url: str, names: list[str], played: Played, bank: str = "main") -> Found:
    """S4, S5: every answer against its row of the same kind, every value shown against its revision's.

    names: the bank's tables.
    """
    with closing(open_ledger(url, readonly=True)) as ledger:
        rows = ledger.rows(bank, 0, 10**9)
    engine = Engine(bank)
    journalled: dict[tuple[str, int], int] = {}
    lost, doubled, wrong = [], [], []
    shown = dict(played.shown)
    looked_at = 0
    for row in rows:
        engine.replay(row)
        if row.table is not None and row.table_seq is not None:
            key = names[row.table - 1], row.table_seq
            if key in journalled:
                doubled.append(f"{key} is in the ledger twice")
            journalled[key] = row.kind
        if row.seq not in shown:
            continue
        meters = {
            (link.terms.link, level.terms.level): to_cents(level.accounts.primary)
            for link in engine.state.links
            for level in link.levels
        }
        for link_name, level_name, cents in shown.pop(row.seq):
            if meters[link_name, level_name] != cents:
                wrong.append(f"revision {row.seq} was shown with {cents} at {link_name}.{level_name}")
            looked_at += 1
    lost += [f"revision {revision} was shown and is not in the ledger" for revision in shown]
    for key, (kind, answer) in played.answers.items():
        if key not in journalled:
            lost.append(f"{kind} {key} was answered and is not in the ledger")
        elif (answer["t"] == "nack") != (journalled[key] == Refused.kind):
            wrong.append(f"{kind} {key} was answered {answer}")
    return Found(len(played.answers), looked_at, lost, doubled, wrong)


def check(url: str, names: list[str], played: Played, bank: str = "main") -> None:
    """Asserts that nothing was lost, doubled or shown before it was durable, and that the books verify."""
    found = look(url, names, played, bank)
    assert found.lost == found.doubled == found.wrong == []
    assert found.answered > len(names)
    assert found.looked_at > 0
    with closing(open_ledger(url, readonly=True)) as ledger:
        assert verify(ledger, bank).problems == ()
