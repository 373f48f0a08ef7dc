"""Read-only access to a ledger for pages and commands, over a connection apart from the writer's."""

from collections.abc import Callable
from contextlib import suppress
from threading import Event
from typing import Final, TypeVar

from jackpot.ledger.open import open_reader
from jackpot.ledger.reading import Reader
from jackpot.ledger.store import CommitInDoubt, LedgerError
from jackpot.ledger.thread_executor import LEFT, ThreadExecutor

# Timeout of a page's read. Most reads take some milliseconds.
READ_WITHIN_S: Final = 3.0

T = TypeVar("T")


class LedgerReader:
    """Read-only ledger in a worker thread. It opens when needed, and again after a failure."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._aside = ThreadExecutor()
        self._ledger: Reader | None = None
        self._used = False

    async def read(self, work: Callable[[Reader], T]) -> T:
        """Runs a read. Raises LedgerError, and CommitInDoubt on a timeout, after which it is abandoned."""
        self._used = True
        left = Event()

        def check() -> None:
            if left.is_set():
                raise CommitInDoubt(LEFT)

        try:
            return await self._aside.run(lambda: self._read(work, check), within_s=READ_WITHIN_S)
        finally:
            left.set()

    async def close(self) -> None:
        """Closes it."""
        if self._used:
            with suppress(LedgerError):  # nothing was written
                await self.read(lambda ledger: ledger.close())
        self._aside.end()

    def _read(self, work: Callable[[Reader], T], check: Callable[[], None]) -> T:
        ledger = self._ledger = self._ledger or open_reader(self._url)
        ledger.check = check
        try:
            return work(ledger)
        except LedgerError:
            self._ledger = None
            ledger.close()
            raise
