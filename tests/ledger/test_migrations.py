"""Migration files keep their order, and each is applied once."""

import pytest

from jackpot.ledger import migrations
from jackpot.ledger.store import LedgerUnusable


def test_the_files_are_numbered_and_noted() -> None:
    """DESIGN, the ledger: forward-only files from 1 on, each with a note at its head."""
    found = migrations.migrations("sqlite")
    assert [migration.number for migration in found] == list(range(1, len(found) + 1))
    assert found[0].name == "ledger"
    assert found[0].note.startswith("The book of record")
    assert all(migration.note and migration.sql for migration in found)


def test_only_what_is_missing_is_applied() -> None:
    """DESIGN, the ledger: a migration is applied once."""
    known = migrations.migrations("sqlite")
    assert migrations.pending("sqlite", []) == known
    assert migrations.pending("sqlite", [1]) == known[1:]
    with pytest.raises(LedgerUnusable, match="schema is at 0042"):
        migrations.pending("sqlite", [1, 42])
