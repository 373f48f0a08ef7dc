"""How do pages and commands read the books? Next to the writer, over a connection of their own."""

from collections.abc import Callable
from contextlib import suppress
from threading import Event
from typing import Final, TypeVar

from jackpot.ledger.aside import LEFT, Aside
from jackpot.ledger.open import open_reader
from jackpot.ledger.reading import Reader
from jackpot.ledger.store import CommitInDoubt, LedgerError

# A person who looks at a page waits no longer for a disk or a database. Most reads take some milliseconds.
READ_WITHIN_S: Final = 3.0
# A report that is there within this time holds nobody up, and needs no process of its own.
SHORT_WITHIN_S: Final = 0.25
# Who asks for a longer one waits for the longest cycle of a floor: some ten million entries of a year.
REPORT_WITHIN_S: Final = 30.0

T = TypeVar("T")


class Books:
    """A ledger that is only read, in a thread of its own. It opens when needed, and again after a failure.

    within_s: how long a reading may take.
    """

    def __init__(self, url: str, within_s: float = READ_WITHIN_S) -> None:
        self._url = url
        self.within_s = within_s
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
            return await self._aside.run(lambda: self._read(work, check), within_s=self.within_s)
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
