"""Edits a ledger by hand as somebody with all rights could; the triggers are put back afterwards."""

from pathlib import Path
from typing import Final

from tests.ledger.planted import run_sql
from tests.ledger.verify.test_verifier import spoil

GUARDED: Final = ("takeover", "name")


def tamper(url: str, *statements: str) -> None:
    """Carries statements out on the tables `takeover`, `name`, and those that no trigger guards."""
    if url.startswith("sqlite"):
        spoil(Path(url.removeprefix("sqlite:///")), *statements)
        return
    run_sql(
        url,
        *(f"ALTER TABLE {table} DISABLE TRIGGER {table}_is_never_changed" for table in GUARDED),
        *statements,
        *(f"ALTER TABLE {table} ENABLE ALWAYS TRIGGER {table}_is_never_changed" for table in GUARDED),
    )
