"""Does a start believe a snapshot that somebody planted? None that the chain of the journal did not seal."""

from collections.abc import Callable, Sequence
from typing import Any

import msgspec
import pytest

from jackpot.ledger.journal import Row, Snapshot, row_of
from jackpot.ledger.rebuild import rebuild
from jackpot.ledger.store import LedgerCorrupt
from jackpot.ledger.verify import verify
from jackpot.rules import events
from jackpot.rules.acts.seals import SNAPSHOT_FORMAT, Sealed, digest_of
from jackpot.rules.engine import Engine
from jackpot.rules.outcome import Entry
from tests.ledger.conftest import Place
from tests.ledger.planted import run_sql
from tests.ledger.play import Play
from tests.ledger.waiting import Ledger

RICHER = 1_000_000_000_000


class Written:
    """A ledger as its server left it: two snapshots, and some rows after the newer one's seal."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger
        play = Play(12)
        self.older, self.newer = play.until(60).seal(), play.until(120).seal()
        self.rows, self.truth = play.until(150).rows, play.engine.snapshot()
        epoch = 0
        for row in self.rows:
            while epoch < row.epoch:
                epoch = ledger.new_epoch("main", "server").epoch
            ledger.append("main", epoch, row.seq - 1, [row])
        for snapshot in (self.older, self.newer):
            ledger.save_snapshot(snapshot)

    def start(
        self, keep: Callable[[Snapshot], None] = lambda _snapshot: None
    ) -> tuple[bytes, int, list[str]]:
        """The state that a start goes on from, how many rows it replayed for it, and why so many."""
        told: list[tuple[int, Sequence[str]]] = []
        engine, _ = rebuild(self.ledger, "main", lambda rows, why: told.append((rows, why)), keep)
        ((rows, why),) = told
        return engine.snapshot(), rows, list(why)

    def append(self, event: events.Event) -> Row:
        """One more row, chained as a server's would be, for an event without postings."""
        last = self.ledger.head("main")
        body = events.encode(event)
        seq = last.seq + 1
        entry = Entry(seq, 0, event.kind, events.RULES_VERSION, None, None, None, bytes(16), body, ())
        row = row_of("main", last.epoch, entry, last.hash)
        self.ledger.append("main", last.epoch, last.seq, [row])
        return row


@pytest.fixture
def written(place: Place) -> Written:
    """In either database."""
    return Written(place.open())


def forged(snapshot: Snapshot) -> Snapshot:
    """The same state with a million more to be won, in accounts that balance."""
    engine = Engine.from_snapshot(snapshot.state)
    accounts = engine.state.links[0].levels[0].accounts
    accounts.primary += RICHER
    accounts.house -= RICHER
    return msgspec.structs.replace(snapshot, state=engine.snapshot())


def test_a_start_replays_what_follows_the_newest_seal(written: Written) -> None:
    """S3: the state to the last byte, and no more rows than need be."""
    assert written.start() == (written.truth, len(written.rows) - written.newer.seq, [])
    assert verify(written.ledger, "main").problems == ()


def test_a_forged_snapshot_is_passed_over_and_named(written: Written) -> None:
    """S3, S8: a role that may write to the database gives nobody a jackpot; the older snapshot serves."""
    written.ledger.save_snapshot(forged(written.newer))
    said = f"main: the snapshot of row {written.newer.seq} is not what row {written.newer.seq + 1} sealed"
    assert written.start() == (written.truth, len(written.rows) - written.older.seq, [said])
    assert verify(written.ledger, "main").problems == (said,)


@pytest.mark.parametrize(
    "plant",
    [
        forged,
        lambda newer: msgspec.structs.replace(forged(newer), hash=bytes(32)),
        lambda newer: msgspec.structs.replace(newer, format=SNAPSHOT_FORMAT + 1),
        lambda newer: msgspec.structs.replace(newer, seq=newer.seq + 5),
        lambda newer: msgspec.structs.replace(newer, state=b"\xc0"),
    ],
    ids=["state", "hash", "format", "row", "bytes"],
)
def test_with_no_snapshot_that_is_sealed_all_is_replayed(
    written: Written, plant: Callable[[Snapshot], Snapshot], place: Place
) -> None:
    """S3: slow but right. Then the sealed snapshots are in the ledger again, and the next start is short."""
    run_sql(place.url, "DELETE FROM snapshot")
    written.ledger.save_snapshot(plant(written.newer))
    state, rows, why = written.start(written.ledger.save_snapshot)
    assert (state, rows, len(why)) == (written.truth, len(written.rows), 1)
    assert written.ledger.newest_snapshot("main", below=written.newer.seq + 1) == written.newer
    assert written.start()[:2] == (written.truth, len(written.rows) - written.newer.seq)
    assert verify(written.ledger, "main").problems == ()


def test_deleted_snapshots_come_back(written: Written, place: Place) -> None:
    """S3: the way back from anything that was planted there is to delete it, and to start."""
    run_sql(place.url, "DELETE FROM snapshot")
    kept: list[Snapshot] = []
    assert written.start(kept.append) == (written.truth, len(written.rows), [])
    assert kept == [written.older, written.newer]


def test_a_snapshot_beyond_the_head_is_no_start(written: Written) -> None:
    """S3: nothing seals it; verify says so."""
    beyond = msgspec.structs.replace(forged(written.newer), seq=len(written.rows) + 70)
    written.ledger.save_snapshot(beyond)
    assert written.start()[0] == written.truth
    assert verify(written.ledger, "main").problems == (
        f"main: the snapshot of row {beyond.seq} is sealed by no row after it",
    )


def test_a_seal_that_was_forged_in_its_place_breaks_the_chain(written: Written, place: Place) -> None:
    """S3: the row that seals a snapshot is held by all rows after it, up to the head."""
    lie = forged(written.newer)
    body = events.encode(Sealed(SNAPSHOT_FORMAT, digest_of(lie.state))).hex()
    written.ledger.save_snapshot(lie)
    where = f"WHERE seq = {lie.seq + 1}"
    if place.url.startswith("sqlite"):
        run_sql(
            place.url,
            "DROP TRIGGER journal_is_never_changed",
            f"UPDATE journal SET body = x'{body}' {where}",
        )
    else:
        run_sql(
            place.url,
            "ALTER TABLE journal DISABLE TRIGGER ALL",
            f"UPDATE journal SET body = '\\x{body}' {where}",
        )
    with pytest.raises(LedgerCorrupt, match=f"row {lie.seq + 1} does not follow from row {lie.seq}"):
        written.start()
    problems = verify(written.ledger, "main").problems
    assert any(f"row {lie.seq + 1} was changed or added" in said for said in problems), problems


@pytest.mark.parametrize("format_", [SNAPSHOT_FORMAT, SNAPSHOT_FORMAT + 1])
def test_a_seal_of_a_state_that_no_rows_made_is_named(written: Written, format_: int) -> None:
    """S8: appended as a server would have; a start that replays it, and verify, compute the state."""
    row = written.append(Sealed(format_, bytes(32)))
    (problem,) = verify(written.ledger, "main").problems
    assert problem.startswith(f"main: row {row.seq} (sealed): the rules decide otherwise: ")
    if format_ == SNAPSHOT_FORMAT:
        with pytest.raises(LedgerCorrupt, match=f"row {row.seq} seals another state than the rows before"):
            written.start()


def test_a_seal_of_an_older_format_is_not_decided_again(written: Written, place: Place) -> None:
    """S8: it counts as a row of older rules does, and spares no start of this program its replay."""
    older = Snapshot("main", len(written.rows), written.rows[-1].hash, SNAPSHOT_FORMAT - 1, b"another form")
    written.append(Sealed(older.format, digest_of(older.state)))
    written.ledger.save_snapshot(older)
    report = verify(written.ledger, "main")
    assert (report.problems, report.older) == ((), 1)
    run_sql(place.url, f"DELETE FROM snapshot WHERE seq < {older.seq}")
    _, rows, why = written.start()
    assert rows == len(written.rows) + 1
    (said,) = why
    assert said.startswith(f"main: the snapshot of row {older.seq} has format {older.format}, this program's")


def test_a_seal_that_is_no_seal_stops_the_start(written: Written) -> None:
    """S3: forged bytes break nothing inside; the row is named."""
    last = written.ledger.head("main")
    entry = Entry(last.seq + 1, 0, Sealed.kind, 1, None, None, None, bytes(16), b"\xc1", ())
    row = row_of("main", last.epoch, entry, last.hash)
    written.ledger.append("main", last.epoch, last.seq, [row])
    with pytest.raises(LedgerCorrupt, match=f"the event of row {row.seq} cannot be applied"):
        written.start()


def test_a_sealed_state_that_is_none_is_passed_over(written: Written, place: Place) -> None:
    """S3: a seal and a snapshot of the same nonsense, both appended with a server's rights."""
    nonsense: Any = b"\xc0"
    written.append(Sealed(SNAPSHOT_FORMAT, digest_of(nonsense)))
    last = written.rows[-1]
    written.ledger.save_snapshot(Snapshot("main", last.seq, last.hash, SNAPSHOT_FORMAT, nonsense))
    with pytest.raises(LedgerCorrupt, match="seals another state than the rows before it make"):
        written.start()
