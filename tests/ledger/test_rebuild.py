"""Does the state come back from the journal to the last micro-dollar, or say why it cannot?"""

from contextlib import closing
from pathlib import Path
from typing import Any

import apsw
import msgspec
import pytest

from jackpot.ledger.journal import Head, Row, Snapshot
from jackpot.ledger.rebuild import carry_forward, check_meters, read_to, rebuild
from jackpot.ledger.sqlite import SqliteLedger
from jackpot.ledger.store import Fenced, LedgerCorrupt
from jackpot.rules.engine import SNAPSHOT_FORMAT, Engine
from tests.ledger.play import Play
from tests.ledger.test_verify import spoil, write


def snapshot_of(play: Play) -> Snapshot:
    last = play.rows[-1]
    return Snapshot("main", last.seq, last.hash, SNAPSHOT_FORMAT, play.engine.snapshot())


def rebuilt(path: Path) -> Engine:
    ledger = SqliteLedger(path, readonly=True)
    try:
        engine, head = rebuild(ledger, "main")
        assert head == ledger.head("main")
        assert engine.seq == head.seq
        check_meters(ledger, "main", engine)
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
        snapshots.append(snapshot_of(play.until(snapshot_at)))
    play.until(1_200)
    write(path, play.rows, snapshots)
    assert rebuilt(path).snapshot() == play.engine.snapshot()


def test_an_empty_bank_has_an_empty_state(path: Path) -> None:
    """S3: nothing written, nothing known."""
    SqliteLedger(path).close()
    assert rebuilt(path).snapshot() == Engine("main").snapshot()


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE snapshot SET hash = zeroblob(32)",
        "UPDATE snapshot SET format = 99, state = x'c0'",
        "UPDATE snapshot SET seq = 70 WHERE seq = 60",
        "UPDATE snapshot SET seq = 7000 WHERE seq = 60",
        "DELETE FROM snapshot WHERE seq = 60",
    ],
)
def test_a_snapshot_that_the_journal_does_not_bear_out_is_ignored(path: Path, statement: str) -> None:
    """DESIGN 5: an older one serves, or the whole journal."""
    play = Play(12)
    snapshots = [snapshot_of(play.until(30))]
    while len(play.rows) < 60:
        play.step()
    sixty = Play(12).until(60)
    snapshots.append(snapshot_of(sixty))
    assert sixty.rows == play.rows
    play.until(90)
    write(path, play.rows, snapshots)
    spoil(path, statement.replace("60", str(len(sixty.rows))))
    assert rebuilt(path).snapshot() == play.engine.snapshot()


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
        rebuild(Overtaken(reader, other, rows[60:]), "main")
    reader.close()
    other.close()


def test_a_bank_is_read_beside_its_writer(path: Path) -> None:
    """L4: whoever looks at another server's bank sees it as of one head, whatever is written."""
    play = Play(13).until(60)
    rows = list(play.rows)
    write(path, rows, [])
    with closing(SqliteLedger(path)) as other, closing(SqliteLedger(path, readonly=True)) as reader:
        beside = Overtaken(reader, other, play.until(80).rows[len(rows) :])
        head = beside.head("main")
        assert reader.head("main").seq > head.seq == len(rows)
        assert read_to(beside, "main", head).snapshot() == Play(13).until(60).engine.snapshot()


def test_a_snapshot_that_is_no_state_is_named(path: Path) -> None:
    """S3: a snapshot of the right row whose bytes are spoiled is not passed over in silence."""
    play = Play(13).until(80)
    write(path, play.rows, [snapshot_of(play)])
    spoil(path, "UPDATE snapshot SET state = x'c0'")
    with pytest.raises(LedgerCorrupt, match="is no state"):
        rebuilt(path)


@pytest.mark.parametrize("bit", [0, 300, 1_000, 5_000, 9_999])
def test_a_bit_that_turned_in_a_snapshot_is_named(path: Path, bit: int) -> None:
    """S3: no disk changes what waits to be paid, of which no sum tells."""
    play = Play(13).until(80)
    snapshot = snapshot_of(play)
    state = bytearray(snapshot.state)
    state[bit // 8] ^= 1 << bit % 8
    write(path, play.rows, [msgspec.structs.replace(snapshot, state=bytes(state))])
    with pytest.raises(LedgerCorrupt, match="is no state: its bytes were changed; once it is known why"):
        rebuilt(path)


def test_a_snapshot_of_another_row_is_named(path: Path) -> None:
    """S3: a state put under another row's name."""
    play = Play(13).until(80)
    earlier = snapshot_of(Play(13).until(40)).state
    write(path, play.rows, [snapshot_of(play)])
    connection = apsw.Connection(str(path))
    connection.execute("UPDATE snapshot SET state = ?", (earlier,))
    connection.close()
    with pytest.raises(LedgerCorrupt, match=f"the snapshot of row {len(play.rows)} is of"):
        rebuilt(path)


def test_a_forged_meter_in_a_snapshot_is_named(path: Path) -> None:
    """S3, M4: the rebuilt accounts are held against the sums of the postings."""
    play = Play(13).until(80)
    level = play.engine.state.links[0].levels[1]
    level.accounts.primary += 700
    level.accounts.house -= 700
    write(path, play.rows, [snapshot_of(play)])
    with pytest.raises(LedgerCorrupt, match="link 1 level 2 primary: the events make"):
        rebuilt(path)


def test_a_start_sums_on_from_the_balances(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """S3, M4: a ledger of any length is carried forward span by span; only what follows is summed."""
    monkeypatch.setattr("jackpot.ledger.rebuild.SUM_ROWS", 25)
    write(path, Play(13).until(80).rows, [])
    with closing(SqliteLedger(path)) as ledger:
        carry_forward(ledger, "main", 80)
        assert ledger.balances("main", 80) == (75, ledger.sums("main", None, 75))
        assert ledger.balances("main", 74) == (50, ledger.sums("main", None, 50))
        carry_forward(ledger, "main", 80)
    assert rebuilt(path).seq >= 80
    spoil(path, 'UPDATE balance SET "primary" = "primary" + 7 WHERE seq = 50 AND link = 1 AND level = 1')
    assert rebuilt(path).seq >= 80
    spoil(path, 'UPDATE balance SET "primary" = "primary" + 7 WHERE seq = 75 AND link = 1 AND level = 1')
    with pytest.raises(LedgerCorrupt, match="link 1 level 1 primary: the events make"):
        rebuilt(path)


def test_balances_beyond_64_bits_are_named(path: Path) -> None:
    """S3: forged postings whose sum no database holds stop the start, in plain words."""
    write(path, Play(13).until(80).rows, [])
    for seq in (70, 71):
        spoil(path, f"INSERT INTO posting VALUES (1, {seq}, 9, 9, 1, {2**62}, 0, 0, {-(2**62)}, 0, 0, 0, 0)")
    spoil(path, f"INSERT INTO posting VALUES (1, 72, 9, 9, 1, {2**62}, 0, 0, {-(2**62)}, 0, 0, 0, 0)")
    with (
        closing(SqliteLedger(path)) as ledger,
        pytest.raises(LedgerCorrupt, match="no balances at row 75"),
    ):
        ledger.carry_forward("main", 75)
