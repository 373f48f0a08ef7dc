"""Conformance suite of the Store interface, run on every backend."""

from contextlib import closing
from threading import Thread

import msgspec
import pytest

from jackpot.ledger.journal import Head, Row, Snapshot, genesis
from jackpot.ledger.store import KEPT_APART, KEPT_BYTES_A_ROW, DataRefused, Fenced
from jackpot.rules.postings import Posting
from tests.ledger.conftest import Place
from tests.ledger.material import rows
from tests.ledger.waiting import open_ledger
from tests.ledgers import KINDS, Fresh


@pytest.mark.parametrize("kind", KINDS)
def test_a_new_ledger_says_that_it_was_made(fresh: Fresh, kind: str) -> None:
    """S3: who opens it first is told, so that a ledger that was lost is not begun again unseen."""
    url = fresh(kind)
    for made in (True, False):
        with closing(open_ledger(url)) as ledger:
            assert ledger.created == made


def test_an_unknown_bank_is_empty(place: Place) -> None:
    """S3: a bank that was never written stands at its genesis."""
    ledger = place.open()
    assert ledger.head("main") == Head("main", 0, 0, genesis("main"), "", 0)
    assert ledger.banks() == []
    assert ledger.rows("main", 0, 10) == []
    assert ledger.newest_snapshot("main") is None
    assert ledger.sums("main", None, 10) == []
    assert ledger.strays("main") == []


def test_each_writer_takes_a_new_epoch(place: Place) -> None:
    """DESIGN 4: a new epoch names its holder and moves nothing else."""
    ledger = place.open()
    assert ledger.new_epoch("main", "first") == Head("main", 1, 0, genesis("main"), "first", 0)
    written = rows(3)
    ledger.append("main", 1, 0, written)
    assert ledger.new_epoch("main", "second") == Head("main", 2, 3, written[-1].hash, "second", 0)
    assert ledger.new_epoch("main", "third", at_least=2).epoch == 3
    assert ledger.new_epoch("main", "copy", at_least=40).epoch == 40
    assert ledger.new_epoch("other", "copy", at_least=7).epoch == 7
    assert ledger.banks() == ["main", "other"]


def test_rows_come_back_as_they_were_written(place: Place) -> None:
    """S5: what was acknowledged is there after reopening, in order, page by page."""
    ledger = place.open()
    ledger.new_epoch("main", "test")
    written = rows(300)
    ledger.append("main", 1, 0, written[:256])
    ledger.append("main", 1, 256, written[256:])
    ledger.close()
    again = place.open()
    assert not again.created
    assert again.rows("main", 0, 1_000) == written
    assert again.rows("main", 100, 7) == written[100:107]
    assert again.rows("main", 300, 7) == []
    assert again.head("main") == Head("main", 1, 300, written[-1].hash, "test", 0)


def test_banks_are_apart(place: Place) -> None:
    """DESIGN, the ledger: a bank has its own order, chain, head and epoch."""
    ledger = place.open()
    ledger.new_epoch("north", "a")
    ledger.new_epoch("south", "b")
    ledger.new_epoch("south", "c")
    north, south = rows(4, bank="north"), rows(2, bank="south", epoch=2)
    ledger.append("north", 1, 0, north[:1])
    ledger.append("south", 2, 0, south)
    ledger.append("north", 1, 1, north[1:])
    assert ledger.rows("north", 0, 10) == north
    assert ledger.rows("south", 0, 10) == south
    assert ledger.head("south").epoch == 2
    assert ledger.strays("north") == ledger.strays("south") == []


def test_a_lease_is_confirmed_and_given_up(place: Place) -> None:
    """DESIGN, lease: a beat moves the head and no row; only the epoch that holds the bank may do either."""
    ledger = place.open()
    ledger.new_epoch("main", "first")
    ledger.beat("main", 1)
    ledger.beat("main", 1)
    assert ledger.head("main") == Head("main", 1, 0, genesis("main"), "first", 2)
    ledger.new_epoch("main", "second")
    for old in (ledger.beat, ledger.release):
        with pytest.raises(Fenced, match="taken by another writer"):
            old("main", 1)
    ledger.release("main", 2)
    assert ledger.head("main") == Head("main", 2, 0, genesis("main"), "", 2)


@pytest.mark.parametrize(("epoch", "before"), [(1, 3), (3, 3), (2, 2), (2, 4)])
def test_the_fence_lets_only_the_head_move(place: Place, epoch: int, before: int) -> None:
    """DESIGN, the ledger: an old epoch, or a head moved by another, writes nothing and says so."""
    ledger = place.open()
    ledger.new_epoch("main", "old")
    written = rows(5)
    ledger.append("main", 1, 0, written[:3])
    ledger.new_epoch("main", "new")
    with pytest.raises(Fenced, match="taken by another writer"):
        ledger.append("main", epoch, before, rows(2, epoch=epoch, after=written[before - 1]))
    assert ledger.rows("main", 0, 10) == written[:3]
    ledger.append("main", 2, 3, rows(2, epoch=2, after=written[2]))
    assert ledger.head("main").seq == 5


def test_unbalanced_postings_are_refused(place: Place) -> None:
    """M4: the database itself refuses postings that do not sum to zero; the next batch goes on."""
    ledger = place.open()
    ledger.new_epoch("main", "test")
    good = rows(2)
    bad = msgspec.structs.replace(good[1], postings=(Posting(1, 1, 1, primary=1),))
    with pytest.raises(DataRefused):
        ledger.append("main", 1, 0, [good[0], bad])
    assert ledger.rows("main", 0, 10) == []
    ledger.append("main", 1, 0, good)
    assert ledger.rows("main", 0, 10) == good


@pytest.mark.parametrize(
    "change",
    [
        {"digest": b"short"},
        {"hash": b"short"},
        {"table_seq": 2**63},
        {"kind": "no number"},
        {"postings": (Posting(1, 1, 1), Posting(1, 1, 1))},
        {"postings": (Posting(1, -1, 1),)},
    ],
)
def test_data_that_no_column_holds_is_refused(place: Place, change: dict[str, object]) -> None:
    """DESIGN 4: on a live connection the data is at fault, nothing is written and nothing is in doubt."""
    ledger = place.open()
    ledger.new_epoch("main", "test")
    good = rows(3)
    with pytest.raises(DataRefused):
        ledger.append("main", 1, 0, [good[0], msgspec.structs.replace(good[1], **change), good[2]])
    ledger.append("main", 1, 0, good)
    assert ledger.rows("main", 0, 10) == good


def test_rows_must_be_dense(place: Place) -> None:
    """DESIGN, the ledger: seq is dense; a gap is the caller's bug, never written."""
    ledger = place.open()
    ledger.new_epoch("main", "test")
    good = rows(3)
    for wrong in ([], good[1:], [good[0], good[2]], [good[1], good[0]]):
        with pytest.raises(ValueError, match="not dense"):
            ledger.append("main", 1, 0, wrong)
    assert ledger.rows("main", 0, 10) == []


def test_some_old_snapshots_stay(place: Place) -> None:
    """S8: far apart, for `verify` to begin at each; large ones further, so that a row stays small."""
    ledger = place.open()
    for bank in ("main", "other"):
        ledger.new_epoch(bank, "test")
    states = {"main": b"small", "other": bytes(2 * KEPT_APART * KEPT_BYTES_A_ROW)}
    for bank, state in states.items():
        for seq in range(KEPT_APART // 2 + 1, 4 * KEPT_APART, KEPT_APART // 4):
            ledger.save_snapshot(Snapshot(bank, seq, bytes(32), 1, state))
    old = [[seq / KEPT_APART for seq, _ in ledger.snapshot_rows(bank)][:-3] for bank in states]
    assert [[round(seq, 2) for seq in kept] for kept in old] == [[1.0, 2.0, 3.0], [2.0]]


def test_only_the_newest_snapshots_stay(place: Place) -> None:
    """DESIGN 5: a snapshot names bank, seq, hash and format; each bank keeps three."""
    ledger = place.open()
    for bank in ("main", "other"):
        ledger.new_epoch(bank, "test")
    made = [Snapshot("main", seq, bytes([seq]) * 32, 1, b"state %d" % seq) for seq in (1, 2, 3, 4)]
    other = Snapshot("other", 1, bytes(32), 1, bytes(100_000))
    for snapshot in (*made, other):
        ledger.save_snapshot(snapshot)
    assert ledger.newest_snapshot("main") == made[3]
    assert ledger.newest_snapshot("main", below=4) == made[2]
    assert ledger.newest_snapshot("main", below=3) == made[1]
    assert ledger.newest_snapshot("main", below=2) is None
    assert ledger.newest_snapshot("other") == other
    ledger.save_snapshot(msgspec.structs.replace(made[3], state=b"again"))
    assert ledger.newest_snapshot("main") == msgspec.structs.replace(made[3], state=b"again")
    for seq in (1_000, 2_000):  # nobody's: the bank has not come so far
        ledger.save_snapshot(Snapshot("main", seq, bytes(32), 1, b"forged"))
    for snapshot in made[1:]:
        ledger.save_snapshot(snapshot)
    assert ledger.newest_snapshot("main") == made[3]
    assert ledger.newest_snapshot("main", below=4) == made[2]
    assert ledger.newest_snapshot("main", below=2) is None


def test_the_database_sums_the_postings(place: Place) -> None:
    """M4: sums by link and level, over any span of rows."""
    ledger = place.open()
    ledger.new_epoch("main", "test")
    ledger.append("main", 1, 0, rows(10))
    first, second = ledger.sums("main", 4, 7)
    assert first == Posting(1, 1, 0, primary=2 * 630_000 + 12, wagers=-2 * 630_000 - 12)
    assert second == Posting(1, 2, 0, primary=140_000, reserve=20_000, wagers=-160_000)
    assert ledger.sums("main", None, 10)[1].primary == 5 * 70_000


def test_a_reader_works_beside_the_writer(place: Place) -> None:
    """S3: an auditor reads while the server writes, and takes no lock from it."""
    ledger = place.open()
    ledger.new_epoch("main", "test")
    written = rows(4)
    ledger.append("main", 1, 0, written[:2])
    reader = place.read()
    assert reader.rows("main", 0, 10) == written[:2]
    ledger.append("main", 1, 2, written[2:])
    assert reader.rows("main", 0, 10) == written
    assert reader.head("main") == ledger.head("main")


def test_a_reader_never_sees_a_gap(place: Place) -> None:
    """DESIGN 1: order is seq alone: a reader sees each row after all rows before it, while others write."""
    ledger = place.open()
    ledger.new_epoch("main", "test")
    reader = place.read()
    written = rows(2_000)
    read: list[Row] = []
    behind: list[int] = []

    def follow() -> None:
        while len(read) < len(written):
            read.extend(reader.rows("main", len(read), 37))
            if reader.head("main").seq < len(read):
                behind.append(len(read))

    following = Thread(target=follow, daemon=True)
    following.start()
    for start in range(0, len(written), 20):
        ledger.append("main", 1, start, written[start : start + 20])
    following.join(30)
    assert read == written
    assert behind == []


def test_recovery_is_harmless_where_nothing_failed(place: Place) -> None:
    """DESIGN 4: recover, new epoch, look: everything acknowledged is there."""
    ledger = place.open()
    ledger.new_epoch("main", "test")
    written = rows(4)
    ledger.append("main", 1, 0, written[:2])
    ledger.recover()
    assert ledger.new_epoch("main", "test").seq == 2
    later = rows(2, epoch=2, after=written[1])
    ledger.append("main", 2, 2, later)
    assert ledger.rows("main", 0, 10) == written[:2] + later
