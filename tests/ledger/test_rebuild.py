"""Rebuilding restores the state to the last micro-dollar, or says why it cannot."""

from contextlib import closing
from pathlib import Path
from typing import Any, cast

import msgspec
import pytest

from jackpot.ledger.journal import Head, Row
from jackpot.ledger.reading import Reader
from jackpot.ledger.rebuild import read_to, rebuild
from jackpot.ledger.sqlite.store import SqliteLedger
from jackpot.ledger.store import Fenced, LedgerCorrupt
from jackpot.rules.engine import Engine
from tests.ledger.play import Play
from tests.ledger.verify.test_verifier import spoil, write


def rebuilt(path: Path) -> Engine:
    ledger = SqliteLedger(path, readonly=True)
    try:
        engine, head = rebuild(ledger, "main")
        assert head == ledger.head("main")
        assert engine.seq == head.seq
        return engine
    finally:
        ledger.close()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the ledger is made."""
    return tmp_path / "ledger.db"


@pytest.mark.parametrize("snapshot_at", [None, 40, 1_200])
def test_the_state_comes_back(path: Path, snapshot_at: int | None) -> None:
    """S3: from the start or from a snapshot, over several pages, the state is the same, byte for byte."""
    play = Play(11)
    snapshots = []
    if snapshot_at is not None:
        snapshots.append(play.until(snapshot_at).seal())
    play.until(1_200)
    write(path, play.rows, snapshots)
    assert rebuilt(path).snapshot() == play.engine.snapshot()


def test_an_empty_bank_has_an_empty_state(path: Path) -> None:
    """S3: nothing written, nothing known."""
    SqliteLedger(path).close()
    assert rebuilt(path).snapshot() == Engine("main").snapshot()


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("UPDATE journal SET body = x'90' WHERE seq = 50", "row 50 does not follow from row 49"),
        ("DELETE FROM journal WHERE seq = 50", "row 50 is missing, row 51 is there"),
        ("DELETE FROM journal WHERE seq >= 50", "row 50 is missing, the head stands at"),
        ("DELETE FROM posting WHERE seq = 2", "row 2 does not follow"),
        ("UPDATE head SET seq = 49", "the head names another hash than row 49"),
        (
            "UPDATE head SET seq = 49, hash = (SELECT hash FROM journal WHERE seq = 49)",
            "there are rows after the head, which stands at 49",
        ),
    ],
)
def test_a_broken_journal_is_named(path: Path, statement: str, said: str) -> None:
    """S3: with anything wrong on the way, no link starts."""
    write(path, Play(13).until(80).rows, [])
    spoil(path, statement)
    with pytest.raises(LedgerCorrupt, match=said):
        rebuilt(path)


class Overtaken:
    """A reader under whose eyes another writer takes the bank and adds rows."""

    def __init__(self, ledger: SqliteLedger, other: SqliteLedger, rows: list[Row]) -> None:
        self._ledger = ledger
        self._other = other
        self._rows = rows

    def __getattr__(self, name: str) -> Any:
        return getattr(self._ledger, name)

    def head(self, bank: str) -> Head:
        head = self._ledger.head(bank)
        if self._rows:
            taken = self._other.new_epoch(bank, "another")
            self._other.append(bank, taken.epoch, head.seq, self._rows)
            self._rows = []
        return head


def test_a_bank_that_is_taken_meanwhile_is_not_corrupt(path: Path) -> None:
    """DESIGN 4: rows of a newer epoch after the head that was read are another writer's, and no forgery."""
    rows = Play(13).until(80).rows
    write(path, rows[:60], [])
    other = SqliteLedger(path)
    reader = SqliteLedger(path, readonly=True)
    with pytest.raises(Fenced, match="taken by another writer while it was read"):
        rebuild(cast("Reader", Overtaken(reader, other, rows[60:])), "main")
    reader.close()
    other.close()


def test_a_bank_is_read_beside_its_writer(path: Path) -> None:
    """L4: a reader of another server's bank sees it as of one head, whatever is written meanwhile."""
    play = Play(13).until(60)
    rows = list(play.rows)
    write(path, rows, [])
    with closing(SqliteLedger(path)) as other, closing(SqliteLedger(path, readonly=True)) as reader:
        overtaken = Overtaken(reader, other, play.until(80).rows[len(rows) :])
        head = overtaken.head("main")
        assert reader.head("main").seq > head.seq == len(rows)
        engine = read_to(cast("Reader", overtaken), "main", head)
        assert engine.snapshot() == Play(13).until(60).engine.snapshot()


@pytest.mark.parametrize("bit", [0, 300, 1_000, 5_000, 9_999])
def test_a_bit_that_turned_in_a_snapshot_is_seen(path: Path, bit: int) -> None:
    """S3: no disk changes what waits to be paid, of which no sum tells."""
    play = Play(13).until(80)
    snapshot = play.seal()
    state = bytearray(snapshot.state)
    state[bit // 8] ^= 1 << bit % 8
    write(path, play.rows, [msgspec.structs.replace(snapshot, state=bytes(state))])
    assert rebuilt(path).snapshot() == play.engine.snapshot()


def test_a_posting_that_no_row_made_is_named(path: Path) -> None:
    """S3, M4: the rebuilt accounts are held against the database's own sums of the postings."""
    write(path, Play(13).until(80).rows, [])
    spoil(path, "INSERT INTO posting VALUES (1, -3, 1, 1, 1, 700, 0, 0, -700, 0, 0, 0, 0)")
    with pytest.raises(LedgerCorrupt, match="link 1 level 1 primary: the events make"):
        rebuilt(path)
