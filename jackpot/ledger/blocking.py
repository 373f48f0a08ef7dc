"""How does code without an event loop use a Store? As a Ledger whose calls wait for the store's."""

from collections.abc import Callable, Coroutine, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from jackpot.ledger.journal import Head, Row, Snapshot
from jackpot.ledger.store import Differences, Question
from jackpot.rules.postings import Posting

if TYPE_CHECKING:
    from jackpot.ledger.postgres import PostgresStore


T = TypeVar("T")


class Call(Protocol):
    """Carries a coroutine out where the store's connection lives, and waits for it."""

    def __call__(self, work: Coroutine[Any, Any, T], /) -> T: ...


class Blocking:
    """A Ledger on an asynchronous store. end: called after `close`."""

    def __init__(
        self,
        store: "PostgresStore",
        call: Call,
        end: Callable[[], None] = lambda: None,
    ) -> None:
        self.created = store.created
        self.applied = store.applied
        self.store = store
        self._call = call
        self._end = end
        self._closed = False

    def banks(self) -> list[str]:
        return self._call(self.store.banks())

    def head(self, bank: str) -> Head:
        return self._call(self.store.head(bank))

    def rows(self, bank: str, after: int, limit: int) -> list[Row]:
        return self._call(self.store.rows(bank, after, limit))

    def newest_snapshot(self, bank: str, below: int | None = None) -> Snapshot | None:
        return self._call(self.store.newest_snapshot(bank, below))

    def sums(self, bank: str, after: int | None, upto: int) -> list[Posting]:
        return self._call(self.store.sums(bank, after, upto))

    def ask(self, bank: str, question: Question[T]) -> T:
        return self._call(self.store.ask(bank, question))

    def strays(self, bank: str) -> list[str]:
        return self._call(self.store.strays(bank))

    def schema(self) -> Differences:
        return self._call(self.store.schema())

    def new_epoch(self, bank: str, holder: str, at_least: int = 0) -> Head:
        return self._call(self.store.new_epoch(bank, holder, at_least))

    def open_banks(self, firsts: Sequence[Row]) -> None:
        self._call(self.store.open_banks(firsts))

    def beat(self, bank: str, epoch: int) -> None:
        self._call(self.store.beat(bank, epoch))

    def release(self, bank: str, epoch: int) -> None:
        self._call(self.store.release(bank, epoch))

    def append(self, bank: str, epoch: int, seq_before: int, rows: Sequence[Row]) -> None:
        self._call(self.store.append(bank, epoch, seq_before, rows))

    def save_snapshot(self, snapshot: Snapshot) -> None:
        self._call(self.store.save_snapshot(snapshot))

    def checkpoint(self) -> None:
        self._call(self.store.checkpoint())

    def recover(self) -> None:
        self._call(self.store.recover())

    def close(self) -> None:
        if self._closed:
            return
        self._closed = True
        try:
            self._call(self.store.close())
        finally:
            self._end()
