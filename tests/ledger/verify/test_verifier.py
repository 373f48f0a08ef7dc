"""Verify finds every change of a ledger and names the place, without false alarms."""

import shutil
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Final, NamedTuple

import apsw
import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jackpot.ledger.journal import Row, Snapshot, genesis, row_of
from jackpot.ledger.sqlite.store import SqliteLedger
from jackpot.ledger.verify.chain_verifier import PROBLEMS_MAX
from jackpot.ledger.verify.verifier import VerifyOptions, VerifyReport, verify
from jackpot.rules.acts.snapshot_seals import SNAPSHOT_FORMAT, Sealed, SnapshotSeal
from jackpot.rules.commands import Envelope
from jackpot.rules.engine import Engine
from jackpot.rules.events import RULES_VERSION
from jackpot.rules.outcome import DecidedEntry
from tests.ledger.play import Play

ROWS: Final = 150
KEYS: Final = {"journal": ["bank", "seq"], "posting": ["bank", "seq", "link", "level"]}
NULLABLE: Final = {"link", "table", "table_seq"}
EXTRA: Final = "1, 5, 0, 0, -5, 0, 0, 0, 0"  # cycle and balanced accounts of a posting that nobody made


class Written(NamedTuple):
    """A sound ledger, its rows, and a way to copies of it that may be spoiled."""

    path: Path
    rows: list[Row]
    copies: Iterator[int]

    def copy(self) -> Path:
        """The same ledger, to be spoiled."""
        return Path(shutil.copy(self.path, self.path.with_name(f"copy-{next(self.copies)}.db")))


def write(path: Path, rows: list[Row], snapshots: list[Snapshot]) -> None:
    """The rows as a server would have written them, epochs and all."""
    ledger = SqliteLedger(path)
    ledger.new_epoch("main", "test")
    for row in rows:
        while ledger.head("main").epoch < row.epoch:
            ledger.new_epoch("main", "test")
        ledger.append("main", row.epoch, row.seq - 1, [row])
    for snapshot in snapshots:
        ledger.save_snapshot(snapshot)
    ledger.close()


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Written:
    """A few hundred entries of every kind, and two snapshots."""
    play = Play(3)
    snapshots = []
    for upto in (ROWS // 2, ROWS - 10):
        play.until(upto)
        snapshots.append(play.seal())
    play.until(ROWS)
    path = tmp_path_factory.mktemp("verify") / "ledger.db"
    write(path, play.rows, snapshots)
    return Written(path, play.rows, count())


def spoil(path: Path, *statements: str) -> None:
    """Runs SQL as somebody with the file could: triggers are dropped and restored."""
    connection = apsw.Connection(str(path))
    connection.pragma("ignore_check_constraints", True)
    guards = connection.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").fetchall()
    for name, _ in guards:
        connection.execute(f"DROP TRIGGER {name}")
    for statement in statements:
        connection.execute(statement)
    for _, sql in guards if statements else ():
        connection.execute(str(sql))
    connection.close()


def audit(path: Path, known: bytes | None = None, bank: str = "main") -> VerifyReport:
    ledger = SqliteLedger(path, readonly=True)
    try:
        return verify(ledger, bank, known)
    finally:
        ledger.close()


def test_a_sound_ledger_has_no_problem(written: Written) -> None:
    """S3: chain, postings, sums, snapshots and head agree; progress runs to the end."""
    seen: list[tuple[int, int]] = []
    ledger = SqliteLedger(written.path, readonly=True)
    options = VerifyOptions(progress=lambda done, of: seen.append((done, of)))
    report = verify(ledger, "main", written.rows[40].hash, options=options)
    ledger.close()
    assert report.problems == ()
    assert report.head.seq == len(written.rows)
    assert report.head.hash == written.rows[-1].hash
    assert seen[0] == (0, len(written.rows))
    assert seen[-1] == (len(written.rows), len(written.rows))


@pytest.mark.parametrize(
    ("statements", "said"),
    [
        (["UPDATE journal SET body = x'90' WHERE seq = 20"], "row 20 was changed or added"),
        (["UPDATE journal SET at = at + 1 WHERE seq = 20"], "row 20 was changed or added"),
        (["UPDATE journal SET hash = zeroblob(32) WHERE seq = 20"], "the hash of row 20 was changed"),
        (["DELETE FROM journal WHERE seq = 20"], "row 20 is missing"),
        (["DELETE FROM journal WHERE seq BETWEEN 20 AND 29"], "rows 20 to 29 are missing"),
        (
            [
                "UPDATE journal SET seq = -1 WHERE seq = 20",
                "UPDATE journal SET seq = 20 WHERE seq = 21",
                "UPDATE journal SET seq = 21 WHERE seq = -1",
                "UPDATE posting SET seq = -1 WHERE seq = 20",
                "UPDATE posting SET seq = 20 WHERE seq = 21",
                "UPDATE posting SET seq = 21 WHERE seq = -1",
            ],
            "row 20 was moved: it was written as row 21",
        ),
        (
            ['UPDATE posting SET "primary" = "primary" + 1, house = house - 1 WHERE seq = 2 AND level = 2'],
            "the postings of row 2 were changed",
        ),
        (['UPDATE posting SET "primary" = 1 WHERE seq = 2 AND level = 2'], "row 2 does not balance"),
        (["DELETE FROM posting WHERE seq = 2 AND level = 1"], "the postings of row 2 were changed"),
        (
            [f"INSERT INTO posting VALUES (1, 2, 9, 1, {EXTRA})"],
            "the postings of row 2 were changed",
        ),
        ([f"INSERT INTO posting VALUES (1, 999999, 1, 1, {EXTRA})"], "posting row 999999 lies"),
        ([f"INSERT INTO posting VALUES (1, -3, 1, 1, {EXTRA})"], "the database sums"),
        ([f"INSERT INTO posting VALUES (7, 3, 1, 1, {EXTRA})"], "bank number 7, which has no"),
        (["UPDATE head SET seq = seq - 1"], "the head names another hash"),
        (["UPDATE head SET seq = seq + 5"], "rows {after} to {five} are missing"),
        (["UPDATE head SET hash = zeroblob(32)"], "the head names another hash than row {last}"),
        (["UPDATE head SET epoch = 0"], "there is no such bank in this ledger, or its head is gone"),
        (["DELETE FROM head"], "there is no such bank in this ledger, or its head is gone"),
        (["UPDATE bank SET name = 'mine'"], "there is no such bank"),
        (["DELETE FROM journal WHERE seq = {last}"], "row {last} is missing"),
        (["UPDATE snapshot SET state = x'90'"], "is not what row {sealed} sealed"),
        (["UPDATE snapshot SET hash = zeroblob(32)"], "names another hash than its row has"),
        (["UPDATE snapshot SET seq = seq + 1000"], "is sealed by no row after it"),
    ],
)  # fmt: skip
def test_what_was_done_is_named(written: Written, statements: list[str], said: str) -> None:
    """S3: a changed, missing or moved row, posting, head or snapshot, each in its own words."""
    last = len(written.rows)
    path = written.copy()
    spoil(path, *(statement.format(last=last) for statement in statements))
    problems = audit(path).problems
    sealed = next(row.seq for row in written.rows if row.kind == Sealed.kind)
    wanted = said.format(last=last, after=last + 1, five=last + 5, sealed=sealed)
    assert any(wanted in problem for problem in problems), problems


def test_an_added_row_is_found(written: Written) -> None:
    """S3: a row put between two others pushes the later ones from their places."""
    path = written.copy()
    spoil(
        path,
        "UPDATE journal SET seq = -seq - 1 WHERE seq >= 30",
        "UPDATE journal SET seq = -seq WHERE seq < 0",
        "INSERT INTO journal SELECT bank, 30, at, epoch, kind, version, link, NULL, NULL, digest, body, hash "
        "FROM journal WHERE seq = 29",
    )  # fmt: skip
    problems = audit(path).problems
    assert "main: row 30 was changed or added: it does not follow from row 29" in problems
    assert len(problems) <= PROBLEMS_MAX + 1


def test_a_forged_tail_must_still_make_sense(written: Written) -> None:
    """S3: a row added at the end with a right hash is found by its event: the engine cannot apply it."""
    path = written.copy()
    last = written.rows[-1]
    forged = row_of(
        "main",
        last.epoch,
        DecidedEntry(last.seq + 1, 0, 6, RULES_VERSION, 1, 1, 1, bytes(16), b"\x93", ()),
        last.hash,
    )
    ledger = SqliteLedger(path)
    ledger.append("main", last.epoch, last.seq, [forged])
    ledger.close()
    (problem,) = audit(path).problems
    assert f"the event of row {forged.seq} cannot be applied" in problem


def test_a_forged_posting_with_a_right_chain_is_found(written: Written) -> None:
    """M4: an event whose stored postings are others than it makes, however well they balance and hash."""
    path = written.path.with_name("forged.db")
    opened, first = written.rows[:2]
    extra = first.postings[0]._replace(
        primary=first.postings[0].primary + 7, house=first.postings[0].house - 7
    )
    entry = DecidedEntry(
        2, first.at, first.kind, first.version, first.link, None, None, first.digest, first.body,
        (extra, *first.postings[1:]),
    )  # fmt: skip
    write(path, [opened, row_of("main", 1, entry, opened.hash)], [])
    (problem,) = audit(path).problems
    assert "the event of row 2 makes other postings: link 1 level 1" in problem


def test_a_cut_tail_is_found_by_its_last_hash(written: Written) -> None:
    """S3: all that there was, taken back with its head, leaves a sound, shorter ledger; the kept hash tells.

    Where a server took the bank since, that takeover must have been taken away, too.
    """
    path = written.copy()
    kept = written.rows[-20]
    spoil(
        path,
        f"DELETE FROM journal WHERE seq > {kept.seq}",
        f"DELETE FROM posting WHERE seq > {kept.seq}",
        f"DELETE FROM hit_entry WHERE seq > {kept.seq}",
        f"DELETE FROM snapshot WHERE seq > {kept.seq}",
        f"UPDATE head SET seq = {kept.seq}, hash = x'{kept.hash.hex()}'",
    )
    (problem,) = audit(path).problems
    assert f"the head is at row {kept.seq}, and was at row" in problem
    spoil(path, f"DELETE FROM takeover WHERE seq > {kept.seq}", f"UPDATE head SET epoch = {kept.epoch}")
    assert audit(path).problems == ()
    assert audit(path, kept.hash).problems == ()
    assert audit(path, genesis("main")).problems == ()
    (problem,) = audit(path, written.rows[-1].hash).problems
    assert written.rows[-1].hash.hex() in problem
    assert "the end was cut off" in problem


def test_an_unknown_bank_is_a_problem(written: Written) -> None:
    """S3: a mistyped name must not verify an empty bank."""
    (problem,) = audit(written.path, bank="mian").problems
    assert problem == "mian: there is no such bank in this ledger, or its head is gone"


def test_a_server_may_write_meanwhile(written: Written) -> None:
    """S3: verify judges what was there when it began, while a server runs."""
    path = written.copy()
    server = SqliteLedger(path)
    epoch = server.new_epoch("main", "server").epoch
    engine = Engine("main")
    for row in written.rows:
        engine.replay(row)
    last = [written.rows[-1]]

    def write_more(_done: int, _of: int) -> None:
        snapshot = Snapshot("main", last[0].seq, last[0].hash, SNAPSHOT_FORMAT, engine.snapshot())
        sealed = engine.execute(Envelope(SnapshotSeal(), 0, 0, bytes(16))).entry
        assert sealed is not None
        row = row_of("main", epoch, sealed, last[0].hash)
        server.append("main", epoch, last[0].seq, [row])
        server.save_snapshot(snapshot)
        last[0] = row

    reader = SqliteLedger(path, readonly=True)
    report = verify(reader, "main", options=VerifyOptions(progress=write_more))
    reader.close()
    server.close()
    assert report.problems == ()
    assert report.head.seq == len(written.rows)
    assert last[0].seq > report.head.seq


def changed(old: int | bytes | None, by: int) -> int | bytes:
    """Another value of the same type, by one bit where it is bytes."""
    if isinstance(old, bytes):
        at = by % max(1, len(old))
        return bytes([*old[:at], (old[at] if old else 0) ^ 0x10, *old[at + 1 :]])
    return by if old is None else old + by


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_any_changed_value_is_found(written: Written, data: st.DataObject) -> None:
    """S3: whatever is changed, in any column of any row of journal and posting, verify finds it."""
    table = data.draw(st.sampled_from(sorted(KEYS)))
    path = written.copy()
    spoil(path)
    connection = apsw.Connection(str(path))
    connection.pragma("ignore_check_constraints", True)
    row = data.draw(
        st.sampled_from(connection.execute(f"SELECT * FROM {table} ORDER BY 1, 2, 3, 4").fetchall())
    )
    columns = [name for _, name, *_ in connection.execute(f"PRAGMA table_info({table})")]
    column = data.draw(st.sampled_from(columns))
    old = row[columns.index(column)]
    nullable = table == "journal" and column in NULLABLE
    to_null = old is not None and nullable and data.draw(st.booleans())
    new = None if to_null else changed(old, data.draw(st.integers(1, 2**40)))
    where = " AND ".join(f"{key} = {row[columns.index(key)]}" for key in KEYS[table])
    connection.execute(f'UPDATE OR REPLACE {table} SET "{column}" = ? WHERE {where}', (new,))
    assert connection.changes() == 1
    connection.close()
    report = audit(path)
    path.unlink()
    assert report.problems
    assert all(problem.startswith("main: ") for problem in report.problems)


def test_report_is_plain(written: Written) -> None:
    """S3: what was found can be kept as data."""
    assert msgspec.to_builtins(audit(written.path))["head"]["seq"] == len(written.rows)
