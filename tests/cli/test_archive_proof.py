"""`jackpot verify --archive` on archives that a failing disk spoiled, and with whole banks missing."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Final

import pytest

from jackpot.clock import SystemClock
from jackpot.ledger.banks import _first
from jackpot.ledger.maintenance.archive import Archiving
from jackpot.ledger.maintenance.join import HOLDER
from jackpot.ledger.store import LedgerCorrupt
from jackpot.rules.signing import People
from tests.ledger.conftest import Place
from tests.ledger.maintenance.test_archive import Kept
from tests.ledger.people import Paper
from tests.ledger.verify.test_verifier import spoil
from tests.ledger.waiting import backup, seal
from tests.program import jackpot

# Of which `verify` reads no page, and reports do.
INDEX: Final = "journal_of_refusals"
# How a page of an index without entries begins: its kind, no free block, no cell. Where cells begin follows.
EMPTY: Final = b"\x0a\x00\x00\x00\x00"


@pytest.fixture
def kept(tmp_path: Path) -> Kept:
    """A ledger with a second bank, next to no archive yet."""
    made = Kept(Place(f"sqlite:///{tmp_path / 'ledger.db'}"), tmp_path)
    Paper().write(made.ledger)
    return made


def let_go(kept: Kept) -> None:
    """Archives old rows now."""
    now = SystemClock().unix_ms()
    seal(kept.ledger, kept.file, Archiving(People(("anna", "ben")), "a year ago", now, now))


def proof(kept: Kept, *more: str) -> list[str]:
    """The problems that the command names."""
    kept.ledger.close()
    done = jackpot("verify", "--ledger", kept.url, "--archive", str(kept.file), *more)
    return [line for line in done.stderr.splitlines() if not line.startswith("$")]


def rot(file: Path) -> None:
    """Overwrites the one page of a small index with an empty one, as a disk that lost a write."""
    with closing(sqlite3.connect(file)) as connection:
        ((size,),) = connection.execute("PRAGMA page_size")
        ((page,),) = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = ?", (INDEX,))
    with file.open("r+b") as pages:
        pages.seek((page - 1) * size)
        pages.write(EMPTY + size.to_bytes(2) + bytes(size - len(EMPTY) - 2))


def test_a_page_that_no_proof_reads_is_named(kept: Kept) -> None:
    """S8: the archive is the only place that has old rows, so each page of its file is looked at."""
    let_go(kept)
    rot(kept.file)
    assert any(line.startswith("archive: the file:") for line in proof(kept))


def test_nothing_leaves_for_an_archive_with_such_a_page(kept: Kept) -> None:
    """S3, S8: a backup that goes on in a file that the disk spoiled is none, and nothing leaves."""
    backup(kept.ledger, kept.file)
    rot(kept.file)
    rows = kept.rows()
    with pytest.raises(LedgerCorrupt, match="the file:"):
        let_go(kept)
    assert kept.rows() == rows
    kept.ledger.close()


def test_a_bank_of_an_interrupted_join_accuses_nobody(kept: Kept) -> None:
    """S8: it had no row when rows left; it has some now, which the archive need not have."""
    kept.ledger.new_epoch("joined", HOLDER)
    let_go(kept)
    first = _first("joined", "riverside", SystemClock().unix_ms() + 1, People())
    kept.ledger.append("joined", first.epoch, 0, [first])
    assert [line for line in proof(kept) if "joined" in line] == []


def test_a_bank_that_the_archive_has_and_the_ledger_lacks_is_named(kept: Kept) -> None:
    """S8: a whole bank, taken out of the ledger, is missed by the archive, if it was the one sealed too."""
    let_go(kept)
    kept.ledger.close()
    number = "(SELECT id FROM bank WHERE name = 'main')"
    tables = ("hit_entry", "posting", "journal", "snapshot", "head", "opening")
    spoil(
        Path(kept.url.removeprefix("sqlite:///")),
        *(f"DELETE FROM {table} WHERE bank = {number}" for table in tables),
        f"DELETE FROM bank WHERE id = {number}",
    )
    assert "main: the archive has this bank, and the ledger does not: it was taken out" in proof(kept)
