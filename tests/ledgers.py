"""Creates an empty ledger of either kind for a test, under a URL, and removes it with the test."""

from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest

from jackpot.lab.testing.postgres import Postgres

Fresh = Callable[[str], str]
KINDS = ("sqlite", "postgres")
_numbers = count(1)


@pytest.fixture
def fresh(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Fresh]:
    """The URL of a new, empty ledger of a kind: `sqlite`, or `postgres`, which skips where there is none."""
    made: list[tuple[Postgres, str]] = []

    def url(kind: str) -> str:
        number = next(_numbers)
        if kind == "sqlite":
            return f"sqlite:///{tmp_path}/ledger-{number}.db"
        cluster: Postgres = request.getfixturevalue("postgres")
        made.append((cluster, f"fresh_{number}"))
        return cluster.create(made[-1][1])

    yield url
    for cluster, name in made:
        cluster.drop(name)
