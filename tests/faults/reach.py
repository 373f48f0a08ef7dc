"""A simulated server's connection to its ledger, with delayed, lost and late calls.

Calls hang while nothing passes, fail before or after they were carried out, or arrive when nobody waits for
them any more: also when the process is dead, or frozen, or the bank is another's by then.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import inf
from random import Random
from typing import Any, Final, TypeVar

from jackpot.bank.lifecycle import LEASE_S
from jackpot.ledger.journal import Head, Row, Snapshot
from jackpot.ledger.reading import Reader
from jackpot.ledger.store import CommitInDoubt, Fenced, LedgerError, Statement
from jackpot.rules.engine import Engine
from tests.faults.loops import FalseLoop
from tests.faults.network import Timeline
from tests.faults.places import Killed
from tests.faults.shared import Backend, Shared

# Seconds: of a call on its way, each way; of a look at the whole journal, which now and then takes very long.
WAY_S: Final = 0.001
LOOK_S: Final = 0.02
LONG_LOOK_S: Final = 6.0
LONG: Final = 0.15
# As of a real connection: until one that cannot be made is given up, and one whose other end is silent.
CONNECT_S: Final = 3.0
UNHEARD_S: Final = 10.0
# A slow call takes at most so long, and a call that its process gave up arrives within it.
LATE_S: Final = 6.0
# What was held back arrives so soon after a cut has healed.
HEALS_S: Final = 0.5
# How long a backend stands whose node lost its power, and how often nobody finds the one of a late call.
STANDS_S: Final = 12.0
UNSEEN: Final = 0.4
# A fault strikes one of so many next calls.
CALLS: Final = 6

T = TypeVar("T")
_numbers = itertools.count(1)


async def wait_out(seconds: float) -> None:
    """Waits so much simulated time in this process, without real waiting."""
    await asyncio.sleep(seconds)


@dataclass
class Armed:
    """An armed fault of a later call. calls: how many come before it."""

    kind: str
    calls: int


@dataclass
class Call:
    """One call in flight. at: when it was sent, by the process's clock. done: when it was carried out."""

    work: Callable[[Backend], Any]
    backend: Backend
    answer: asyncio.Future[Any]
    at: float
    done: float = 0.0


@dataclass
class Line:
    """The network path from one process to the database's machine, for all its connections."""

    severed: bool = False
    stuck: list[Callable[[], None]] = field(default_factory=list)


class Reach:
    """One process's Store for one bank. severed: nothing passes in either direction.

    told: called with what a whole-journal read has found. line: shared with its path to another bank, for
    which alone the process's end is told.

    until: by the process's own clock, for how long its lease is certain. Taken from what it has sent and the
    ledger has acknowledged, not from what the product makes of that.
    """

    process: Any

    def __init__(
        self,
        name: str,
        loop: FalseLoop,
        base: Shared,
        timeline: Timeline,
        random: Random,
        told: Callable[[Reader, Engine, Head], None],
        line: Line | None = None,
    ) -> None:
        self.created = False
        self.applied: list[str] = []
        self.shared = not base.alone
        self.warnings: list[str] = []
        self.name = name
        self.number = next(_numbers)
        self.taken = self.gone = False
        self.line = line or Line()
        self.looked = (-inf, 0)
        self.until = -inf
        self.backends = [Backend()]
        self.armed: list[Armed] = []
        self._loop = loop
        self._base = base
        self._timeline = timeline
        self._random = random
        self._told = told
        self._second = line is not None
        self._doubt: str | None = None
        self._left = False
        self._order = asyncio.Lock()
        self._calls: list[Call] = []

    # Trouble

    def arm(self, kind: str) -> None:
        """Arms a fault for one of the next calls: lost, unheard, late, slow."""
        self.armed.append(Armed(kind, self._random.randrange(CALLS)))

    @property
    def well(self) -> bool:
        """Whether calls go through."""
        return not self.severed and not self.armed

    @property
    def severed(self) -> bool:
        return self.line.severed

    @severed.setter
    def severed(self, severed: bool) -> None:
        self.line.severed = severed

    def heal(self) -> None:
        self.severed = False
        stuck, self.line.stuck = self.line.stuck, []
        for action in stuck:
            self._timeline.after(self._random.random() * HEALS_S, action)

    def died(self, *, stands: bool) -> None:
        """The process is gone; its connection is closed, or stands for a while; what it sent arrives."""
        self.gone = True
        if not self._second:
            self._base.died()
        self._timeline.after(STANDS_S if stands else 20 * WAY_S, self._end_backends)

    def end_backend(self) -> None:
        """An administrator ends its connection."""
        self.backends[-1].alive = False

    def _end_backends(self) -> None:
        for backend in self.backends:
            backend.alive = False

    # A call

    async def _call(self, work: Callable[[Backend], T], way: float = WAY_S) -> tuple[T, Call]:
        """Runs one call at a time, in order. A cancelled caller has the connection dropped, and waits."""
        async with self._order:
            if self.gone or self._doubt is not None:
                raise CommitInDoubt(self._doubt or "the process is dead")
            call = Call(work, self.backends[-1], self._loop.create_future(), self._loop.time())
            self._calls.append(call)
            unheard = self._loop.call_later(UNHEARD_S, self._lose, call, "nothing was heard")
            self._send(call, way)
            try:
                return await self._answered(call), call
            except CommitInDoubt as error:
                self._doubt = str(error)
                raise
            except Fenced:
                self.until = -inf
                raise
            finally:
                unheard.cancel()
                self._calls.remove(call)

    async def _answered(self, call: Call) -> Any:
        cancelled: asyncio.CancelledError | None = None
        while not call.answer.done():
            try:
                await asyncio.wait((call.answer,))
            except asyncio.CancelledError as error:
                cancelled = error
                self._lose(call, "dropped")
        if cancelled is not None and call.answer.exception() is None:
            raise cancelled
        return call.answer.result()

    def _send(self, call: Call, way: float) -> None:
        wait = way * 2 * self._random.random()
        match self._due():
            case "lost":
                self._timeline.after(wait, partial(self._break, call))
            case "unheard":
                self._timeline.after(wait, partial(self._arrive, call, unheard=True))
            case "late":
                call.backend.unseen = self._random.random() < UNSEEN
                self._timeline.after(wait, partial(self._hear, call, None, CommitInDoubt("it broke")))
                self._timeline.after(self._random.random() * LATE_S, partial(self._arrive, call))
            case "slow":
                self._timeline.after(self._random.random() * LATE_S, partial(self._arrive, call))
            case _:
                self._timeline.after(wait, partial(self._arrive, call))

    def _due(self) -> str | None:
        for armed in self.armed:
            armed.calls -= 1
            if armed.calls < 0:
                self.armed.remove(armed)
                return armed.kind
        return None

    def _arrive(self, call: Call, *, unheard: bool = False) -> None:
        """Carries a call out at the ledger if the backend lives, whether or not a caller still waits."""
        if self.severed:
            self.line.stuck.append(partial(self._arrive, call, unheard=unheard))
            return
        if self.gone and not self.shared:
            return  # a thread of the process was to do it
        found: Any = None
        failed: LedgerError | None = None
        if not call.backend.alive:
            failed = CommitInDoubt("the connection was ended")
        else:
            try:
                call.done = self._timeline.now
                found = call.work(call.backend)
            except LedgerError as error:
                failed = error
            except Killed:
                self.process.killed()
                return
        if unheard:
            self._break(call)
            return
        self._timeline.after(WAY_S * 2 * self._random.random(), partial(self._hear, call, found, failed))

    def _break(self, call: Call) -> None:
        call.backend.alive = False
        self._hear(call, None, CommitInDoubt("the connection broke"))

    def _hear(self, call: Call, found: Any, failed: LedgerError | None) -> None:
        if self.severed:
            self.line.stuck.append(partial(self._hear, call, found, failed))
        else:
            self._loop.call_soon(self._finish, call, found, failed)

    def _finish(self, call: Call, found: Any, failed: LedgerError | None) -> None:
        if not call.answer.done():
            if failed is None:
                call.answer.set_result(found)
            else:
                call.answer.set_exception(failed)

    def _lose(self, call: Call, why: str) -> None:
        self._finish(call, None, CommitInDoubt(why))

    async def _confirmed(self, work: Callable[[Backend], T]) -> T:
        """A call that confirms the lease."""
        found, call = await self._call(work)
        self.until = max(self.until, call.at + LEASE_S) if self.shared else inf
        return found

    # A Store

    async def open(self) -> None:
        """Raises LedgerError."""
        await self._call(lambda _: self._base.open())

    async def new_epoch(
        self, bank: str, holder: str, at_least: int = 0, *, expected: Head | None = None
    ) -> Head:
        again = self.taken
        try:
            head = await self._confirmed(
                lambda backend: self._base.take(self, backend, holder, at_least, expected, again=again)
            )
        except Fenced:
            self.taken = False
            raise
        self.taken = True
        return head

    async def beat(self, bank: str, epoch: int) -> None:
        await self._confirmed(lambda _: self._base.beat(self, epoch))

    async def append(self, bank: str, epoch: int, seq_before: int, rows: Sequence[Row]) -> None:
        await self._confirmed(lambda _: self._base.append(self, epoch, seq_before, rows))

    async def release(self, bank: str, epoch: int) -> None:
        self.until = -inf
        await self._call(lambda _: self._base.release(self, epoch))

    async def head(self, bank: str) -> Head:
        found, call = await self._call(lambda _: self._base.ledger.head(bank))
        self.looked = call.done, found.epoch
        return found

    async def held(self, bank: str) -> bool:
        return (await self._call(lambda _: self._base.held))[0]

    async def rows(self, bank: str, after: int, limit: int) -> list[Row]:
        return (await self._call(lambda _: self._base.ledger.rows(bank, after, limit)))[0]

    async def save_snapshot(self, snapshot: Snapshot) -> None:
        await self._call(lambda _: self._base.ledger.save_snapshot(snapshot))

    async def change(self, *statements: Statement) -> list[tuple[Any, ...]]:
        raise AssertionError(f"nobody signs in on a simulated floor: {statements}")

    async def open_banks(self, firsts: Sequence[Row]) -> None:
        await self._call(lambda _: self._base.open_banks(firsts))

    async def run(self, work: Callable[[Reader], T]) -> T:
        def looked(_: Backend) -> T:
            found = work(self._base.ledger)
            if isinstance(found, tuple) and isinstance(found[0], Engine):
                self._told(self._base.ledger, *found[:2])
            return found

        # A look at a long journal is made of many calls, and those of others may come between.
        if self.shared and self._random.random() < LONG:
            await wait_out(self._random.random() * LONG_LOOK_S)
        return (await self._call(looked, LOOK_S))[0]

    async def recover(self) -> None:
        async with self._order:
            if self.gone or self._left:
                raise CommitInDoubt("the process is dead, or waits no longer")
            older = self.backends[-1]
            if not self.severed:
                older.alive = older.alive and older.unseen
            if self.severed:
                await wait_out(CONNECT_S)
            if self.severed:
                raise CommitInDoubt("no connection")
            await wait_out(2 * WAY_S)
            self.backends = [one for one in self.backends if one.alive] + [Backend()]
            self._doubt = None
        if not self.shared:
            await self._call(lambda _: self._base.recover())

    def leave(self) -> None:
        self._left = True
        for call in self._calls:
            self._lose(call, "dropped")

    async def close(self) -> None:
        if not self.gone:
            self._end_backends()
