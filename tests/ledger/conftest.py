"""Which backends does the conformance suite run on? Each gives a place that can be opened again."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from jackpot.ledger.sqlite import SqliteLedger
from jackpot.ledger.store import Ledger, Reader


class SqlitePlace:
    """One ledger file; what was opened is closed at the end of the test."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "ledger.db"
        self.opened: list[SqliteLedger] = []

    def open(self) -> Ledger:
        self.opened.append(SqliteLedger(self.path))
        return self.opened[-1]

    def read(self) -> Reader:
        self.opened.append(SqliteLedger(self.path, readonly=True))
        return self.opened[-1]

    def close(self) -> None:
        for ledger in self.opened:
            ledger.close()


@pytest.fixture(params=["sqlite"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[SqlitePlace]:
    """A ledger of each kind of database."""
    made = {"sqlite": SqlitePlace}[request.param](tmp_path)
    yield made
    made.close()
