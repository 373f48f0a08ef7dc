"""The ledger shared by the simulated servers; every takeover and every row is checked.

The rows lie in a place of the run's ground, one transaction after the other. Several servers share it as they
share a PostgreSQL: each connection has a backend, the head names the backend that took the bank, and the next
server that takes the bank ends that backend first. A server that is alone takes the bank at once.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

from jackpot.bank.lifecycle import GONE_S
from jackpot.ledger.journal import Head, Row
from jackpot.ledger.store import DataRefused, Fenced
from jackpot.rules.events import Refused
from tests.faults.difference import Difference, same
from tests.faults.house import BANK
from tests.faults.network import Timeline
from tests.faults.places import Place
from tests.ledger.waiting import Ledger

# What two machines' clocks make of the same seconds, at worst, and a moment for what is on its way.
APART: Final = 0.97
# Movements of a head that are remembered: more than in any time that a standby looks back.
MOVES: Final = 5_000


class Backend:
    """The database backend of one connection. unseen: no other process finds it to end it."""

    def __init__(self) -> None:
        self.alive = True
        self.unseen = False


class Written(Protocol):
    """Listener that is called with every durable row."""

    def written(self, rows: Sequence[Row]) -> None:
        """Called when a commit has returned."""


class Taker(Protocol):
    """One process as the ledger sees it.

    name: of the process, in this life. number: as of a writer's uuid. looked: when it saw the head that it
    decided on, and that head's epoch.
    """

    name: str
    number: int
    looked: tuple[float, int]
    backends: list[Backend]


@dataclass
class Owner:
    """The process that took the bank last. moves: when its head moved."""

    number: int
    name: str
    backend: Backend
    epoch: int
    taken: float
    moves: list[float] = field(default_factory=list)
    released: bool = False


class Shared:
    """One bank in the ledger of all. alone: one server at a time has the ledger.

    of: the bank of the links, for another that lies in its ledger. firsts: makes of the first rows of all
    banks what they are to be. opened: called once they are there, and for each new process. takings: how
    often the bank was taken. writers: whose each row is. durable: when it was so up to which row. recovering:
    nothing was committed since a process began, or looked at the ledger again.
    """

    def __init__(
        self,
        place: Place,
        timeline: Timeline,
        witness: Written,
        poison: Collection[bytes],
        *,
        alone: bool,
        bank: str = BANK,
        of: Shared | None = None,
    ) -> None:
        self.place = place
        self.alone = alone
        self.bank = bank
        self.firsts: Callable[[Sequence[Row]], Sequence[Row]] = lambda firsts: firsts
        self.opened: Callable[[Ledger], None] = lambda _ledger: None
        self.owner: Owner | None = None
        self.writers: dict[int, str] = {}
        self.durable: list[tuple[float, int]] = []
        self.takings = 0
        self.recovering = True
        self._before = 0
        self._timeline = timeline
        self._witness = witness
        self._poison = poison
        self._epochs: dict[int, str] = {}
        self._of = of
        self._ledger: Ledger | None = None

    @property
    def ledger(self) -> Ledger:
        found = self._ledger if self._of is None else self._of.ledger
        assert found is not None, "no process has opened it"
        return found

    def open(self) -> None:
        """Opens the ledger for a new process. Raises LedgerError, Killed."""
        self._ledger = self.place.open()
        if self.ledger.head(self.bank).seq:
            self.opened(self.ledger)

    def open_banks(self, firsts: Sequence[Row]) -> None:
        """The first start of all."""
        self.ledger.open_banks(self.firsts(firsts))
        self.opened(self.ledger)

    def died(self) -> None:
        """Cleans up after a dead process. A ledger shared by several servers outlives it."""
        self.recovering = True
        self.place.died()

    def recover(self) -> None:
        """Recovers after a doubt, where one server has the ledger to itself."""
        self.recovering = True
        self.ledger.recover()

    def take(
        self, taker: Taker, backend: Backend, holder: str, at_least: int, seen: Head | None, *, again: bool
    ) -> Head:
        """Takes the bank as the real database does: ends the holder's backend, and takes the next epoch.

        again: it had the bank, for all that it had heard when it sent this.
        """
        owner, now = self.owner, self._timeline.now
        if seen is not None:
            head = self.ledger.head(self.bank)
            if (head.epoch, head.seq, head.beat) != (seen.epoch, seen.seq, seen.beat):
                raise Fenced("the bank is at work, or another took it first")
        if taken_from := owner is not None and owner.number != taker.number:
            if again:
                raise Fenced("the bank was taken by another writer")
            self._judge(owner, taker)
        ended = [*taker.backends, *([owner.backend] if owner is not None and taken_from else ())]
        for one in ended:
            one.alive = one is backend or (one.alive and one.unseen)
        head = self.ledger.new_epoch(self.bank, holder, at_least)
        if head.epoch <= max(self._epochs, default=0):
            raise Difference(f"the bank was taken in epoch {head.epoch}, after {max(self._epochs)}")
        self.owner = Owner(taker.number, taker.name, backend, head.epoch, now, [now])
        self._epochs[head.epoch] = taker.name
        self.takings += 1
        return head

    def _judge(self, owner: Owner | None, taker: Taker) -> None:
        """Checks that no server takes the bank from a holder whose head it has just seen move."""
        at, epoch = taker.looked
        if owner is None or owner.released or self.alone:
            return
        same("the epoch of the bank that is taken", epoch, owner.epoch)
        seen = bisect_right(owner.moves, at)
        still = at - owner.moves[seen - 1] if seen else 0.0
        if still < GONE_S * APART:
            raise Difference(
                f"{taker.name} takes the bank from {owner.name}, seen to stand for {still:.2f} s"
            )

    def append(self, taker: Taker, epoch: int, before: int, rows: Sequence[Row]) -> None:
        if any(row.digest in self._poison and row.kind != Refused.kind for row in rows):
            raise DataRefused("this digest is not to be stored")
        self._fenced(taker, epoch, lambda: self.ledger.append(self.bank, epoch, before, rows))
        self._moved(taker, epoch)
        if self.writers.get(before) != taker.name:
            self._before = before
        for row in rows:
            self.writers[row.seq] = taker.name
        self.durable.append((self._timeline.now, rows[-1].seq))
        self.recovering = False
        self._witness.written(rows)

    def beat(self, taker: Taker, epoch: int) -> None:
        self._fenced(taker, epoch, lambda: self.ledger.beat(self.bank, epoch))
        self._moved(taker, epoch)

    def release(self, taker: Taker, epoch: int) -> None:
        self._fenced(taker, epoch, lambda: self.ledger.release(self.bank, epoch))
        self._moved(taker, epoch)
        if self.owner is not None:
            self.owner.released = True

    def _fenced(self, taker: Taker, epoch: int, work: Callable[[], None]) -> None:
        """Checks that no holder of the bank is fenced."""
        try:
            work()
        except Fenced as error:
            mine = self.owner is not None and (self.owner.number, self.owner.epoch) == (taker.number, epoch)
            if mine and not self.place.robbed:
                raise Difference(f"{taker.name} is fenced though it has the bank: {error}") from error
            raise

    def _moved(self, taker: Taker, epoch: int) -> None:
        """Checks that a write of this epoch is the server's own, and that the epoch is the newest."""
        owner = self.owner
        assert owner is not None
        same(f"whose epoch {epoch} is, in which {taker.name} writes", self._epochs.get(epoch), taker.name)
        same(f"who has the bank, while {taker.name} writes", (owner.name, owner.epoch), (taker.name, epoch))
        owner.moves.append(self._timeline.now)
        if len(owner.moves) > 2 * MOVES:
            del owner.moves[:MOVES]

    def others_last(self, name: str) -> int:
        """The last row that another process wrote."""
        return self._before if self.writers.get(len(self.writers)) == name else len(self.writers)

    def durable_at(self, when: float) -> int:
        """The last durable row at that moment."""
        place = bisect_right(self.durable, (when, 1 << 62))
        return self.durable[place - 1][1] if place else 0

    @property
    def held(self) -> bool:
        """Whether the backend that took the bank stands."""
        return self.owner is not None and self.owner.backend.alive
