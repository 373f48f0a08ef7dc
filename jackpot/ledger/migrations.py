"""Schema migrations: numbered SQL files, applied in order, never undone.

A file is `NNNN_name.sql`; its first comment is its note. Migrations only add: a running auditor's query and
an older row stay valid. The migrations that a database has are in its table `migration`.
"""

import re
from collections.abc import Callable, Collection
from importlib import resources
from typing import Final, NamedTuple

from jackpot.ledger import names
from jackpot.ledger.reading import Conversation
from jackpot.ledger.store import LedgerUnusable

# The runner's own table, made before the first migration, on every kind of database.
CREATE: Final = "CREATE TABLE IF NOT EXISTS migration (number INTEGER PRIMARY KEY, name TEXT NOT NULL)"
APPLIED: Final = "SELECT number FROM migration ORDER BY number"

_NAME: Final = re.compile(r"(\d{4})_(\w+)\.sql")


# What a migration fills from the journal's events, which SQL cannot read: by the migration's name.
_FILLS: Final[dict[str, Callable[[], Conversation[None]]]] = {"takeovers_and_names": names.fill}


class Migration(NamedTuple):
    """One file: its number from 1, its name, the note at its head, and the whole of its SQL."""

    number: int
    name: str
    note: str
    sql: str

    def fill(self) -> Conversation[None]:
        """Data migration after its SQL, in the same transaction."""
        if self.name in _FILLS:
            yield from _FILLS[self.name]()


def migrations(dialect: str) -> list[Migration]:
    """Every migration for `sqlite` or `postgres`, in order.

    Raises ValueError where a file has no note or the numbers have a gap: the program is broken.
    """
    found = []
    for file in resources.files("jackpot").joinpath("schemas", "sql", dialect).iterdir():
        name = _NAME.fullmatch(file.name)
        if name is None:
            continue
        sql = file.read_text(encoding="utf-8")
        note = sql.partition("\n")[0].removeprefix("-- ")
        if note.startswith("--") or not sql.startswith("-- "):
            raise ValueError(f"{file.name} has no note at its head")
        found.append(Migration(int(name[1]), name[2], note, sql))
    found.sort()
    if [migration.number for migration in found] != list(range(1, len(found) + 1)):
        raise ValueError(f"the {dialect} migrations are not numbered 1, 2, 3, ...")
    return found


def roles() -> str:
    """The SQL that makes PostgreSQL's roles and gives them their rights; its owner may run it again."""
    return resources.files("jackpot").joinpath("schemas", "sql", "postgres", "roles.sql").read_text()


def pending(dialect: str, applied: Collection[int]) -> list[Migration]:
    """The migrations that the database lacks, which come after those that it has.

    Raises LedgerUnusable if it is newer than this program, or lacks one that comes before others.
    """
    known = migrations(dialect)
    newer = sorted(set(applied) - {migration.number for migration in known})
    if newer:
        raise LedgerUnusable(
            f"the ledger's schema is at {newer[-1]:04}, this program knows up to {len(known):04}: "
            f"use the newer program that made it"
        )
    missing = [migration for migration in known if migration.number not in applied]
    if missing and applied and missing[0].number < max(applied):
        raise LedgerUnusable(
            f"the ledger lacks migration {missing[0].number:04}, and has later ones: its table `migration` "
            "was changed by hand"
        )
    return missing
