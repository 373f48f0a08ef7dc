"""How do pages and commands read the books? Next to the writer, over a connection of their own."""

from collections.abc import Callable
from contextlib import suppress
from threading import Event
from typing import Final, TypeVar

from jackpot.ledger.open import open_reader
from jackpot.ledger.reading import Reader
from jackpot.ledger.store import CommitInDoubt, LedgerError
from jackpot.ledger.thread_executor import LEFT, Aside

# A person who looks at a page waits no longer for a disk or a database. Most reads take some milliseconds.
READ_WITHIN_S: Final = 3.0

T = TypeVar("T")


class Books:
    """A ledger that is only read, in a thread of its own. It opens when needed, and again after a failure."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._aside = Aside()
        self._ledger: Reader | None = None
        self._used = False

    async def read(self, work: Callable[[Reader], T]) -> T:
        """Raises LedgerError, and CommitInDoubt where it takes too long; then it is read no further."""
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
        """Ends its use."""
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
