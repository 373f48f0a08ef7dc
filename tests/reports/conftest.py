"""Ledgers for the tests of histories and reports: those of the ledger's own tests, and a season."""

from collections.abc import Iterator
from contextlib import closing

import pytest

from jackpot.lab.testing.postgres import Postgres
from jackpot.ledger.open import open_reader
from jackpot.ledger.reading import Reader
from tests.ledger.conftest import place
from tests.ledger.waiting import open_ledger
from tests.reports.season import Season

__all__ = ["books", "place", "season"]

SEED = 15
DAYS = 4
STEPS = 170


@pytest.fixture(scope="session")
def season() -> Season:
    """Some days of a floor, with everything that may happen there."""
    return Season(SEED, DAYS, STEPS)


@pytest.fixture(scope="session", params=["sqlite", "postgres"])
def books(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, season: Season
) -> Iterator[Reader]:
    """Reader of the season's ledger, in either database."""
    if request.param == "sqlite":
        url = f"sqlite:///{tmp_path_factory.mktemp('season') / 'ledger.db'}"
    else:
        cluster: Postgres = request.getfixturevalue("postgres")
        url = cluster.create("season")
    with closing(open_ledger(url)) as ledger:
        season.write(ledger)
    with closing(open_reader(url)) as reader:
        yield reader
    if request.param == "postgres":
        request.getfixturevalue("postgres").drop("season")
