"""Fixtures that run the conformance suite on each backend; a place can be opened again."""

from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from jackpot.lab.testing.postgres import Postgres
from jackpot.ledger.open import open_reader
from jackpot.ledger.reading import Reader
from tests.ledger.waiting import Ledger, open_ledger

_numbers = count(1)


class Place:
    """Location of one ledger; what was opened is closed at the end of the test."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.opened: list[Reader] = []

    def open(self) -> Ledger:
        ledger = open_ledger(self.url)
        self.opened.append(ledger)
        return ledger

    def read(self) -> Reader:
        """Opens a reader that another thread may use while this one writes."""
        self.opened.append(open_reader(self.url))
        return self.opened[-1]

    def close(self) -> None:
        for ledger in self.opened:
            ledger.close()


@pytest.fixture(params=["sqlite", "postgres"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    """An empty ledger of each kind of database; in SQLite it is not made yet."""
    if request.param == "sqlite":
        made = Place(f"sqlite:///{tmp_path / 'ledger.db'}")
        yield made
        made.close()
        return
    cluster: Postgres = request.getfixturevalue("postgres")
    name = f"place_{next(_numbers)}"
    made = Place(cluster.create(name, request.getfixturevalue("ledger_template")))
    yield made
    made.close()
    cluster.drop(name)
