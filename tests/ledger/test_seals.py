"""A start uses only snapshots that the chain of the journal has sealed."""

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import msgspec
import pytest

from jackpot.bank.sequencer import Sequencer
from jackpot.ledger.journal import Row, Snapshot, row_of
from jackpot.ledger.rebuild import rebuild
from jackpot.ledger.store import LedgerCorrupt
from jackpot.ledger.verify.verifier import verify
from jackpot.rules import events, row_commands
from jackpot.rules.acts import snapshot_seals
from jackpot.rules.acts.act import ActContext
from jackpot.rules.acts.readings import Reading, ReadingTaken, decide_reading
from jackpot.rules.acts.snapshot_seals import SNAPSHOT_FORMAT, Sealed, SnapshotSeal, digest_of
from jackpot.rules.engine import Engine
from jackpot.rules.outcome import DecidedEntry
from tests.ledger.conftest import Place
from tests.ledger.planted import run_sql
from tests.ledger.play import Play
from tests.ledger.waiting import Ledger

RICHER = 1_000_000_000_000
# No more than lie between two seals of `Written`.
APART = 20


class Written:
    """A ledger as its server left it: three snapshots, and some rows after the newest one's seal."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger
        play = Play(12)
        self.oldest, self.older, self.newer = (play.until(upto).seal() for upto in (40, 80, 120))
        self.rows, self.truth = play.until(150).rows, play.engine.snapshot()
        epoch = 0
        for row in self.rows:
            while epoch < row.epoch:
                epoch = ledger.new_epoch("main", "server").epoch
            ledger.append("main", epoch, row.seq - 1, [row])
        for snapshot in (self.oldest, self.older, self.newer):
            ledger.save_snapshot(snapshot)

    def start(
        self, keep: Callable[[Snapshot], None] = lambda _snapshot: None, proved: int | None = None
    ) -> tuple[bytes, int, list[str]]:
        """The state that a start goes on from, how many rows it replayed for it, and why so many."""
        told: list[tuple[int, Sequence[str]]] = []
        engine, _ = rebuild(self.ledger, "main", lambda rows, why: told.append((rows, why)), keep, proved)
        ((rows, why),) = told
        return engine.snapshot(), rows, list(why)

    def append(self, event: events.Event, version: int = 0) -> Row:
        """One more row, chained as a server's would be, for an event without postings."""
        version = version or events.RULES_VERSION
        last = self.ledger.head("main")
        body = row_commands.encode(
            event, Reading(event.day) if isinstance(event, ReadingTaken) else SnapshotSeal()
        )
        seq = last.seq + 1
        digest = seq.to_bytes(16, "big")
        entry = DecidedEntry(seq, 0, event.kind, version, None, None, None, digest, body, ())
        row = row_of("main", last.epoch, entry, last.hash)
        self.ledger.append("main", last.epoch, last.seq, [row])
        return row

    def forge(self, lie: Snapshot) -> Snapshot:
        """A state of the forger's own after the last row, the row that seals it, and its snapshot."""
        head = self.ledger.head("main")
        engine = Engine.from_snapshot(lie.state)
        engine.state.seq = head.seq
        made = msgspec.structs.replace(lie, seq=head.seq, hash=head.hash, state=engine.snapshot())
        self.append(Sealed(SNAPSHOT_FORMAT, digest_of(made.state)))
        self.ledger.save_snapshot(made)
        return made


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


def test_a_start_decides_the_newest_seal_again(written: Written) -> None:
    """S3: the state to the last byte, from the seal before the newest, and nothing is saved again."""
    kept: list[Snapshot] = []
    assert written.start(kept.append) == (written.truth, len(written.rows) - written.older.seq, [])
    assert kept == []
    assert verify(written.ledger, "main").problems == ()


def test_a_start_goes_on_from_what_a_signed_head_proves(written: Written) -> None:
    """S3, S8: a snapshot counts where its seal, too, lies in what was signed; the rest is replayed."""
    last, newer, older, oldest = len(written.rows), written.newer, written.older, written.oldest
    unproved = f"main: no head that was signed proves the snapshot of row {newer.seq}"
    for proved, begun, why in (
        (last, older, []),
        (newer.seq + 1, older, []),
        (newer.seq, oldest, [unproved]),
        (older.seq, None, [unproved]),
    ):
        state, rows, said = written.start(proved=proved)
        assert (state, rows) == (written.truth, last - (0 if begun is None else begun.seq))
        assert said[: len(why)] == why


def test_a_forged_snapshot_is_passed_over_and_named(written: Written) -> None:
    """S3, S8: a role that may write to the database gives nobody a jackpot; two older snapshots serve."""
    written.ledger.save_snapshot(forged(written.newer))
    said = f"main: the snapshot of row {written.newer.seq} is not what row {written.newer.seq + 1} sealed"
    assert written.start() == (written.truth, len(written.rows) - written.oldest.seq, [said])
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
    assert written.start()[:2] == (written.truth, len(written.rows) - written.older.seq)
    assert verify(written.ledger, "main").problems == ()


def test_deleted_snapshots_come_back(written: Written, place: Place) -> None:
    """S3: the way back from anything that was planted there is to delete it, and to start."""
    run_sql(place.url, "DELETE FROM snapshot")
    kept: list[Snapshot] = []
    assert written.start(kept.append) == (written.truth, len(written.rows), [])
    assert kept == [written.oldest, written.older, written.newer]


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
    body = row_commands.encode(Sealed(SNAPSHOT_FORMAT, digest_of(lie.state)), SnapshotSeal()).hex()
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


@pytest.mark.parametrize("format_", [SNAPSHOT_FORMAT - 1, SNAPSHOT_FORMAT, SNAPSHOT_FORMAT + 1])
def test_a_seal_of_a_state_that_no_rows_made_is_named(written: Written, format_: int) -> None:
    """S8: appended as a server would have; a start that replays it, and verify, compute the state."""
    row = written.append(Sealed(format_, bytes(32)))
    (problem,) = verify(written.ledger, "main").problems
    assert problem.startswith(f"main: row {row.seq} (sealed): the rules decide otherwise: ")
    with pytest.raises(LedgerCorrupt, match=f"row {row.seq} seals another state than the rows before"):
        written.start()


def test_a_seal_of_an_older_program_is_not_decided_again(
    written: Written, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S8: its format and its rules' version say so; it spares no start of this program its replay."""
    older = Snapshot("main", len(written.rows), written.rows[-1].hash, SNAPSHOT_FORMAT - 1, b"another form")
    written.append(Sealed(older.format, digest_of(older.state)), version=events.RULES_VERSION)
    written.ledger.save_snapshot(older)
    monkeypatch.setattr(events, "RULES_VERSION", events.RULES_VERSION + 1)
    report = verify(written.ledger, "main")
    assert (report.problems, report.older) == ((), len(written.rows) + 1)
    run_sql(place.url, f"DELETE FROM snapshot WHERE seq < {older.seq}")
    _, rows, why = written.start()
    assert rows == len(written.rows) + 1
    (said,) = why
    assert said.startswith(f"main: the snapshot of row {older.seq} has format {older.format}, this program's")


def test_a_seal_that_is_no_seal_stops_the_start(written: Written) -> None:
    """S3: forged bytes break nothing inside; the row is named."""
    last = written.ledger.head("main")
    entry = DecidedEntry(last.seq + 1, 0, Sealed.kind, 1, None, None, None, bytes(16), b"\xc1", ())
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


def test_a_forged_tail_is_decided_again(written: Written, place: Place) -> None:
    """S3: one row that seals a richer state, its snapshot and the head do not make a start serve it.

    Nor does it help the forger, or anybody, to delete snapshots: people are told the way back.
    """
    lie = written.forge(forged(written.newer))
    said = f"row {lie.seq + 1} seals another state than the rows before it make: .* jackpot ledger restore"
    for statement in ("SELECT 1", f"DELETE FROM snapshot WHERE seq < {lie.seq}", "DELETE FROM snapshot"):
        run_sql(place.url, statement)
        with pytest.raises(LedgerCorrupt, match=said):
            written.start()
    (problem,) = verify(written.ledger, "main").problems
    assert problem.startswith(f"main: row {lie.seq + 1} (sealed): the rules decide otherwise: digest")


def test_two_forged_seals_do_not_stand_for_each_other(
    written: Written, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S3: the second seals what the first one and no other row made; a seal is good so far after another."""
    monkeypatch.setattr(snapshot_seals, "SEAL_MIN", APART)
    first = written.forge(forged(written.newer))
    engine = Engine.from_snapshot(first.state)
    engine.replay(written.ledger.rows("main", first.seq, 1)[0])
    second = written.forge(msgspec.structs.replace(first, state=engine.snapshot()))
    assert second.seq == first.seq + 1
    with pytest.raises(LedgerCorrupt, match=f"row {second.seq + 1} seals too soon, 0 entries after the last"):
        written.start()
    run_sql(place.url, f"DELETE FROM snapshot WHERE seq IN ({first.seq}, {second.seq})")
    with pytest.raises(LedgerCorrupt, match=f"row {first.seq + 1} seals another state"):
        written.start()


def test_as_many_forged_rows_as_lie_between_two_seals_are_left_to_verify(
    written: Written, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S8: where each follows the rules a start goes on from the forger's state; verify does not."""
    monkeypatch.setattr(snapshot_seals, "SEAL_MIN", APART)
    lie = written.forge(forged(written.newer))
    engine = Engine.from_snapshot(lie.state)
    engine.replay(written.ledger.rows("main", lie.seq, 1)[0])
    for number in range(1, APART + 1):
        engine.replay(
            written.append(decide_reading(engine.state, Reading(f"2030-01-{number:02}"), ActContext()))
        )
    last = written.forge(msgspec.structs.replace(lie, state=engine.snapshot()))
    assert written.start()[1] == last.seq + 1 - lie.seq
    with pytest.raises(LedgerCorrupt, match=f"row {lie.seq + 1} seals another state than the rows before"):
        written.start(proved=lie.seq)  # where the newest head was signed before the forger came
    said = f"main: row {lie.seq + 1} (sealed): the rules decide otherwise: digest"
    assert verify(written.ledger, "main").problems[0].startswith(said)


def test_a_server_seals_no_sooner_than_a_seal_is_good() -> None:
    """S3: else its own next start would refuse its ledger."""
    assert (
        inspect.signature(Sequencer).parameters["snapshot_every"].default
        == snapshot_seals.SEAL_STEP
        == 10_000
    )
