"""Blocking wrapper of an asyncio store, for tests without an event loop; one loop for all."""

import asyncio
import atexit
from collections.abc import Callable, Coroutine, Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any, Protocol, TypeVar

from jackpot.bank import config_alignment
from jackpot.ledger import banks, schema
from jackpot.ledger.journal import Head, Row, Snapshot
from jackpot.ledger.maintenance import archive as sealing
from jackpot.ledger.maintenance import backup as backing
from jackpot.ledger.maintenance import copy as copying
from jackpot.ledger.maintenance import join as joining
from jackpot.ledger.maintenance import nightly
from jackpot.ledger.maintenance.archive import ArchivePlan, Archiving
from jackpot.ledger.maintenance.copy import Copied, Progress
from jackpot.ledger.maintenance.nightly import BackupRetention, NightlyBackup
from jackpot.ledger.open import _POSTGRES, _path
from jackpot.ledger.postgres.store import PostgresStore
from jackpot.ledger.reading import Reader
from jackpot.ledger.sqlite.async_sqlite import AsyncSqliteStore
from jackpot.ledger.sqlite.store import SqliteLedger
from jackpot.ledger.store import Statement, Store
from jackpot.rules.signing import People

T = TypeVar("T")
_runner = asyncio.Runner()
atexit.register(_runner.close)


class Call(Protocol):
    """Carries a coroutine out where the store's connection lives, and waits for it."""

    def __call__(self, work: Coroutine[Any, Any, T], /) -> T: ...


class Waiting(Reader):
    """A ledger in PostgreSQL whose calls wait for the store's. call: its loop's."""

    def __init__(self, store: PostgresStore, call: Call = _runner.run) -> None:
        super().__init__(self._asked, schema.postgres, schema.postgres_version())
        self.created = store.created
        self.applied = store.applied
        self.store = store
        self.call = call
        self._closed = False

    def _asked(self, sql: str, values: tuple[Any, ...]) -> list[Any]:
        return self.call(self.store.ask(sql, values))

    def new_epoch(self, bank: str, holder: str, at_least: int = 0) -> Head:
        return self.call(self.store.new_epoch(bank, holder, at_least))

    def open_banks(self, firsts: Sequence[Row]) -> None:
        self.call(self.store.open_banks(firsts))

    def beat(self, bank: str, epoch: int) -> None:
        self.call(self.store.beat(bank, epoch))

    def release(self, bank: str, epoch: int) -> None:
        self.call(self.store.release(bank, epoch))

    def append(self, bank: str, epoch: int, seq_before: int, rows: Sequence[Row]) -> None:
        self.call(self.store.append(bank, epoch, seq_before, rows))

    def save_snapshot(self, snapshot: Snapshot) -> None:
        self.call(self.store.save_snapshot(snapshot))

    def change(self, *statements: Statement) -> list[tuple[Any, ...]]:
        return self.call(self.store.change(*statements))

    def recover(self) -> None:
        self._numbers.clear()
        self.call(self.store.recover())

    def close(self) -> None:
        if not self._closed:
            self._closed = True
            self.call(self.store.close())


Ledger = SqliteLedger | Waiting


def open_ledger(url: str, *, readonly: bool = False) -> Ledger:
    """As `open_store`, for a test that waits."""
    if url.startswith(_POSTGRES):
        return Waiting(_runner.run(PostgresStore.open(url, readonly=readonly)))
    return SqliteLedger(_path(url), readonly=readonly)


def store_of(ledger: Ledger | Store) -> Store:
    """The port of a ledger whose calls wait."""
    if isinstance(ledger, SqliteLedger):
        return AsyncSqliteStore(ledger)
    return ledger.store if isinstance(ledger, Waiting) else ledger


def join(ledger: Ledger | Store, names: Sequence[str], into: str, person: str | People, *more: Any) -> Head:
    by = People((person,)) if isinstance(person, str) else person
    return _runner.run(joining.join(store_of(ledger), names, joining.Joining(into, by, *more)))


def open_banks(ledger: Ledger, *more: Any) -> None:
    _runner.run(banks.open_banks(store_of(ledger), *more))


def open_books(ledger: Ledger, *more: Any) -> config_alignment.AlignedBank:
    return _runner.run(config_alignment.open_books(store_of(ledger), *more))


def copy(source: Ledger, target: Ledger, progress: Progress = lambda _what, _done, _of: None) -> list[Copied]:
    return _runner.run(copying.copy(store_of(source), store_of(target), progress))


def carry(
    source: Ledger, target: Ledger | Store, progress: Progress = lambda _what, _done, _of: None
) -> list[Copied]:
    return _runner.run(copying.carry(store_of(source), store_of(target), progress))


def backup(source: Ledger, file: Path, progress: Progress = lambda _what, _done, _of: None) -> list[Copied]:
    return _runner.run(backing.backup(store_of(source), file, progress))


def night(
    source: Ledger,
    folder: Path,
    unix_ms: int,
    keep: int,
    progress: Progress = lambda _what, _done, _of: None,
    archive: Path | None = None,
) -> NightlyBackup:
    return _runner.run(
        nightly.night(store_of(source), folder, unix_ms, BackupRetention(keep, archive), progress)
    )


def seal(
    source: Ledger,
    file: Path,
    how: Archiving,
    progress: Progress = lambda _w, _d, _o: None,
    tell: Callable[[ArchivePlan], None] = lambda _plan: None,
) -> list[ArchivePlan]:
    """What `tell` was told."""
    told: list[ArchivePlan] = []

    def both(one: ArchivePlan) -> None:
        told.append(one)
        tell(one)

    _runner.run(sealing.archive(store_of(source), file, how, both, progress))
    return told


def restore(
    file: Path, open_target: Callable[[], AbstractAsyncContextManager[Store]], unix_ms: int
) -> list[Copied]:
    return _runner.run(backing.restore(file, open_target, unix_ms))
