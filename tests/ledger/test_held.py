"""A writer resumes from the copy that it holds in memory only where the ledger agrees."""

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from jackpot.ledger import held as held_in_memory
from jackpot.ledger.held import HeldRows
from jackpot.ledger.journal import Head, Row, Snapshot, genesis
from jackpot.ledger.rebuild import rebuild
from jackpot.ledger.sqlite.store import SqliteLedger
from jackpot.ledger.store import LedgerCorrupt
from jackpot.rules.engine import Engine
from tests.ledger.play import Play
from tests.ledger.verify.test_verifier import spoil, write

# Where a writer's state began, what it knows to be durable, what is in doubt, and what is in the ledger.
BASE, DURABLE, DOUBTFUL, LAST = 40, 120, 125, 140


class Counting(SqliteLedger):
    """A ledger that counts the rows that are read of it."""

    read = 0

    def rows(self, bank: str, after: int, limit: int) -> list[Row]:
        found = super().rows(bank, after, limit)
        self.read += len(found)
        return found


class Written:
    """A ledger with all rows of a play, and what their writer held when it had the first of them only."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.play = Play(13).until(LAST)
        self.rows = self.play.rows[:LAST]
        self.states = {upto: self._state(upto) for upto in (BASE, DURABLE, DOUBTFUL, LAST)}
        self.told: list[tuple[int, Sequence[str]]] = []
        self.saved: list[Snapshot] = []

    def _state(self, upto: int) -> bytes:
        engine = Engine("main")
        for row in self.rows[:upto]:
            engine.replay(row)
        return engine.snapshot()

    def until(self, upto: int) -> None:
        """The ledger has so many rows."""
        write(self.path, self.rows[:upto], [])

    def held(self, rows: list[Row] | None = None) -> HeldRows:
        """Of the state at BASE, and the rows to DURABLE; those to DOUBTFUL are in doubt."""
        rows = self.rows if rows is None else rows
        hash_ = rows[BASE - 1].hash
        held = HeldRows(Engine.from_snapshot(self.states[BASE]), Head("main", 1, BASE, hash_, "", 0))
        held.durable(rows[BASE : BASE + 3], None)
        held.durable(rows[BASE + 3 : DURABLE], None)
        held.doubted(rows[DURABLE:DOUBTFUL], None)
        return held

    def again(self, held: HeldRows) -> tuple[bytes, int]:
        """The state that the writer goes on from, and how many rows it read for it."""
        with closing(Counting(self.path)) as ledger:
            engine, head = rebuild(
                ledger,
                "main",
                lambda rows, why: self.told.append((rows, why)),
                self.saved.append,
                held=held,
            )
            held.settled(engine, head)
            return engine.snapshot(), ledger.read


@pytest.fixture
def written(tmp_path: Path) -> Written:
    """A ledger that is not made yet, and its rows."""
    return Written(tmp_path / "ledger.db")


@pytest.mark.parametrize(("upto", "read"), [(DURABLE, 0), (DOUBTFUL, 0), (LAST, LAST - DOUBTFUL)])
def test_only_what_is_missing_is_read(written: Written, upto: int, read: int) -> None:
    """S3, DESIGN 4: whether the batch in doubt was durable or not, and where another writer went on."""
    written.until(upto)
    held = written.held()
    assert written.again(held) == (written.states[upto], read)
    assert written.again(held) == (written.states[upto], 0)


def test_another_hash_has_everything_read(written: Written) -> None:
    """S3, S5: what is held stands or falls with its last row's hash."""
    written.until(DURABLE)
    rows = list(written.rows)
    rows[DURABLE - 1] = msgspec.structs.replace(rows[DURABLE - 1], hash=bytes(32))
    assert written.again(written.held(rows)) == (written.states[DURABLE], DURABLE)


def test_a_ledger_that_went_back_is_read_whole(written: Written) -> None:
    """S5: a state that is ahead of the ledger is not the ledger's."""
    written.until(DURABLE - 1)
    _, read = written.again(written.held())
    assert read == DURABLE - 1


def test_a_head_that_names_another_row_is_not_believed(written: Written) -> None:
    """S3: the journal itself has the row, or nothing is held."""
    written.until(DURABLE)
    spoil(written.path, f"UPDATE journal SET hash = zeroblob(32) WHERE seq = {DURABLE}")
    with pytest.raises(LedgerCorrupt, match=f"row {DURABLE} does not follow"):
        written.again(written.held())


def test_what_is_held_and_does_not_fit_itself_is_read_again(written: Written) -> None:
    """S3: memory that a bit turned in is no reason to stop, and nothing to go on from."""
    written.until(DURABLE)
    rows = list(written.rows)
    rows[BASE + 10] = msgspec.structs.replace(rows[BASE + 10], at=rows[BASE + 10].at + 1)
    assert written.again(written.held(rows)) == (written.states[DURABLE], DURABLE)
    ((rows_read, why),) = written.told
    assert rows_read == DURABLE
    assert why[-1].startswith("what this server holds in memory is wrong: main: row")


def test_a_seal_begins_anew_and_is_saved_where_it_was_not(written: Written) -> None:
    """DESIGN 5: a batch in doubt that was durable after all has its snapshot saved."""
    before = len(written.play.rows)
    snapshot = written.play.seal()
    rows = written.play.rows
    write(written.path, rows, [])
    held = written.held(rows)
    held.durable(rows[DURABLE:before], None)
    held.doubted(rows[before:], snapshot)
    assert written.again(held) == (written.play.engine.snapshot(), 0)
    assert written.saved == [snapshot]
    (place,) = held.places()
    assert (place.snapshot, list(place.rows())) == (snapshot, rows[before:])


def test_no_more_is_held_than_may_be(written: Written, monkeypatch: pytest.MonkeyPatch) -> None:
    """DESIGN, limits: a flood between two seals fills no memory; until the next seal the ledger is read."""
    written.until(DOUBTFUL)
    held = written.held()
    monkeypatch.setattr(held_in_memory, "HELD_BYTES_MAX", 1_000)
    held.doubted([], None)
    held.durable(written.rows[DURABLE:DOUBTFUL], None)
    assert not list(held.places())
    snapshot = written.play.seal()
    held.durable(written.play.rows[DOUBTFUL:], snapshot)
    assert [place.snapshot for place in held.places()] == [snapshot]


def test_an_empty_bank_holds_nothing(written: Written) -> None:
    """Before the first row there is nothing to go on from."""
    assert not list(HeldRows(Engine("main"), Head("main", 0, 0, genesis("main"), "", 0)).places())
