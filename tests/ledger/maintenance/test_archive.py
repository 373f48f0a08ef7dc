"""Archiving old rows loses no row, no cent and no proof."""

import os
import shutil
import stat
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from threading import Thread
from typing import Final

import pytest
from msgspec.structs import replace

from controllers.answers import Ack
from jackpot.ledger.banks import COPY_HOLDER
from jackpot.ledger.heads import BankHeads, SignedHead
from jackpot.ledger.journal import Row
from jackpot.ledger.maintenance import archive as sealing
from jackpot.ledger.maintenance.archive import ArchivePlan, Archiving, NotArchived
from jackpot.ledger.maintenance.copy import NotACopy
from jackpot.ledger.maintenance.nightly import NAME
from jackpot.ledger.open import open_reader, opened
from jackpot.ledger.reading import Reader
from jackpot.ledger.rebuild import rebuild
from jackpot.ledger.sqlite.file import locked
from jackpot.ledger.sqlite.store import SqliteLedger
from jackpot.ledger.store import Fenced, LedgerCorrupt, LedgerError, LedgerUnusable
from jackpot.ledger.verify.parallel_verify import in_parts
from jackpot.ledger.verify.verifier import WHOLE, VerifyOptions, VerifyReport, verify
from jackpot.rules.acts.archives import Archived
from jackpot.rules.acts.hits import Undo, Validate, payments
from jackpot.rules.acts.links import OpenLink
from jackpot.rules.acts.programs import ProgramBegan
from jackpot.rules.acts.readings import ReadingTaken
from jackpot.rules.acts.tables import OpenTable
from jackpot.rules.engine import Engine
from jackpot.rules.events import Refused
from jackpot.rules.paytable import TableTerms
from jackpot.rules.registry import decode
from jackpot.rules.signing import People
from jackpot.rules.state import Award, Hit
from tests import frames
from tests.frames import Bet, Claim
from tests.ledger.conftest import Place
from tests.ledger.maintenance.test_backup import backed_up
from tests.ledger.maintenance.test_copy import write
from tests.ledger.people import ADMINS, Paper
from tests.ledger.planted import run_sql
from tests.ledger.play import NEW, START_MS, Play
from tests.ledger.season import Season
from tests.ledger.verify.test_verifier import spoil
from tests.ledger.waiting import backup, night, restore, seal
from tests.ledgers import Fresh

HOW: Final = Archiving(People(("anna", "ben")), "a year ago", START_MS * 2, START_MS)
# What a seal writes of its own in a bank: which program it is, and what leaves.
OWN: Final = [ProgramBegan.kind, Archived.kind]


def quiet(_what: str, _done: int, _of: int) -> None:
    """Progress callback that does nothing."""


def head_of(seq: int, hash_: bytes) -> SignedHead:
    """As a server signed it."""
    return SignedHead(1, "riverside", "main", 9, seq, hash_.hex(), 0, "00" * 32, "")


# What another server does, which waits for nothing that the ledger's own connection does.
TAKE: Final = (
    "UPDATE head SET epoch = epoch + 1",
    "INSERT INTO takeover (bank, epoch, how, holder, seq) SELECT bank, epoch, 'taken', holder, seq FROM head",
)


class Kept:
    """A ledger with a season in it, and its archive once there is one."""

    def __init__(self, place: Place, folder: Path, season: Season | None = None) -> None:
        self.season = season or Season()
        self.url = place.url
        self.ledger = place.open()
        self.file = folder / "archive.db"
        self.season.write(self.ledger)

    def seal(self) -> ArchivePlan:
        (one,) = seal(self.ledger, self.file, HOW)
        return one

    @contextmanager
    def going_on(self) -> Iterator[Season]:
        """The season after the ledger was sealed; what is played within is written at the end."""
        season, known = self.season, len(self.season.rows)
        for row in self.ledger.rows("main", known, 10):
            season.engine.replay(row)
            season.rows.append(row)
        season.new_epoch(self.ledger.head("main").epoch + 1)
        known = len(season.rows)
        yield season
        season.write(self.ledger, known)

    def more(self, states: int) -> None:
        """The ledger goes on after it was sealed, with a hit that is paid."""
        with self.going_on() as season:
            for number in range(states):
                if number == states - 1:
                    season.win()
                season.weeks()
                season.snapshots.append(season.seal())
                season.win()

    @contextmanager
    def whole(self) -> Iterator[Reader]:
        """The archive, brought up to date: what the ledger would be if nothing had left."""
        backup(self.ledger, self.file)
        with closing(open_reader(f"sqlite:///{self.file}")) as archive:
            yield archive

    def take(self) -> None:
        """Another server takes the bank."""
        self.meanwhile(*TAKE)

    def meanwhile(self, *statements: str) -> None:
        """Somebody else runs SQL, while this thread waits for the one of the ledger."""
        running = Thread(target=run_sql, args=(self.url, *statements))
        running.start()
        running.join()

    def plan(self, before_ms: int = HOW.before_ms) -> ArchivePlan:
        return sealing.plan(self.ledger, rebuild(self.ledger, "main")[0].state, before_ms)

    def signed(self, seq: int, hash_: bytes) -> Iterator[tuple[str, ...]]:
        """What a signed head of that row shows, without the archive and with it."""
        with closing(open_reader(f"sqlite:///{self.file}")) as archive:
            for options in (WHOLE, VerifyOptions(archive=archive)):
                heads = BankHeads("main")
                heads.add(1, head_of(seq, hash_))
                yield verify(self.ledger, "main", None, heads, options).problems

    def days(self) -> list[str]:
        """The gaming days that were read."""
        events = [decode(row.kind, row.version, row.body) for row in self.season.rows]
        return sorted(event.day for event in events if isinstance(event, ReadingTaken))

    def last_round(self) -> str:
        """The one that was closed last before the state in which the chain could begin."""
        closed = Engine.from_snapshot(self.season.snapshots[2].state).state.tables[0].closed
        assert closed is not None
        return closed.id

    def rows(self) -> list[Row]:
        return self.ledger.rows("main", 0, 10_000)

    def verified(self, options: VerifyOptions = WHOLE, known: bytes | None = None) -> VerifyReport:
        return verify(self.ledger, "main", known, options=options)

    def with_archive(self, known: bytes | None = None) -> tuple[str, ...]:
        """Problems found in the archive, by itself and as the beginning of the ledger."""
        with closing(open_reader(f"sqlite:///{self.file}")) as archive:
            own = verify(archive, "main").problems
            return own + self.verified(VerifyOptions(archive=archive), known).problems


@pytest.fixture
def kept(place: Place, tmp_path: Path) -> Kept:
    return Kept(place, tmp_path)


def test_old_frames_leave_and_the_chain_goes_on(kept: Kept) -> None:
    """S8: what is no table's frame, hits and refusals stay; the archive has all, and both are proved."""
    before = kept.rows()
    engine, _ = rebuild(kept.ledger, "main")
    one = kept.seal()
    after = kept.rows()
    assert one.upto == kept.season.snapshots[2].seq
    gone = [row for row in before if row not in after]
    assert len(gone) == one.leaving > 20
    assert all(row.table_seq and row.kind != Refused.kind and not row.hits for row in gone)
    assert [row.kind for row in after[-2:]] == OWN
    assert [row for row in before if row.seq > one.upto] == after[-len(before) + one.upto - 2 : -2]
    assert backed_up(kept.file) == before
    report = kept.verified()
    assert (report.problems, report.archived) == ((), one.upto)
    assert kept.with_archive() == ()
    again, head = rebuild(kept.ledger, "main")
    assert again.state.links == engine.state.links
    assert (head.seq, head.holder) == (len(before) + len(OWN), "")
    assert kept.ledger.schema().problems == []


def test_nobody_can_delete_afterwards(kept: Kept) -> None:
    """S8: append-only is lifted for one transaction, and holds again after it."""
    kept.seal()
    for table in ("journal", "posting"):
        with pytest.raises(Exception, match="append-only"):
            run_sql(kept.url, f"DELETE FROM {table} WHERE seq = 2")
    assert kept.verified().problems == ()


def test_parts_and_chain_find_the_same(kept: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    """S8: a sealed ledger is verified in parts, and by its chain alone, as a whole one is."""
    kept.seal()
    monkeypatch.setattr("jackpot.ledger.verify.parallel_verify.SPAN_ROWS_MIN", 1)
    parts = in_parts(kept.ledger, kept.url, 2)
    assert kept.verified(VerifyOptions(parts=parts)) == kept.verified()
    assert kept.verified(VerifyOptions(chain=True)).problems == ()


class Interrupted(BaseException):
    """Simulated power failure."""


@pytest.mark.parametrize("step", ["copying", "proving", "comparing", "deleting"])
def test_an_interrupted_seal_goes_on(kept: Kept, step: str) -> None:
    """S4: whatever was done when the power went, no row is lost, and the same call ends it."""
    before = kept.rows()

    def stop(what: str, _done: int, _of: int) -> None:
        if step in what:
            raise Interrupted

    with pytest.raises(Interrupted):
        seal(kept.ledger, kept.file, HOW, stop)
    assert kept.rows()[: len(before)] == before
    assert kept.verified() == verify(kept.ledger, "main")
    assert (kept.verified().problems, kept.verified().archived) == ((), 0)
    rebuild(kept.ledger, "main")
    one = kept.seal()
    assert one.leaving > 20
    assert len([row for row in kept.rows() if row.kind == Archived.kind]) == 1
    assert kept.with_archive() == ()


def test_other_people_go_on_with_an_interrupted_seal(kept: Kept) -> None:
    """S4, S8: other admins may finish it, two of them; the row is written once."""

    def stop(what: str, _done: int, _of: int) -> None:
        if "deleting" in what:
            raise Interrupted

    def told() -> int:
        return len([row for row in kept.rows() if row.kind == Archived.kind])

    with pytest.raises(Interrupted):
        seal(kept.ledger, kept.file, HOW, stop)
    paper = Paper()
    paper.write(kept.ledger)
    floor = HOW._replace(people=People(proof=paper.proof(paper.floor, paper.floor_too)))
    with pytest.raises(LedgerUnusable, match="only admin may"):
        seal(kept.ledger, kept.file, floor)
    assert (told(), kept.verified().archived) == (1, 0)
    (one,) = seal(
        kept.ledger, kept.file, HOW._replace(people=People(proof=paper.proof(*ADMINS)), reason="on")
    )
    assert one.leaving > 20
    assert told() == 1
    assert kept.with_archive() == ()


def test_the_next_seal_goes_on_in_the_same_archive(kept: Kept) -> None:
    """S8: a year later more leaves, into the same whole archive; nothing to leave is no fault."""
    first = kept.seal()
    (nothing,) = seal(kept.ledger, kept.file, HOW)
    assert (nothing.upto, nothing.held != "") == (0, True)
    kept.more(3)
    second = kept.seal()
    assert second.upto > first.upto
    assert kept.verified().archived == second.upto
    assert kept.with_archive() == ()
    assert [row.seq for row in backed_up(kept.file)] == list(range(1, len(kept.season.rows) + 1))


def test_an_archive_is_continued_as_a_backup_is(kept: Kept, tmp_path: Path) -> None:
    """S3: a copy of the archive takes what has come since, and comes back whole; no other file does."""
    kept.seal()
    kept.more(1)
    whole = tmp_path / "whole.db"
    shutil.copyfile(kept.file, whole)
    backup(kept.ledger, whole)
    with closing(SqliteLedger(whole, readonly=True)) as ledger:
        report = verify(ledger, "main")
        assert (report.problems, report.archived, report.head.seq) == ((), 0, kept.ledger.head("main").seq)
    back = f"sqlite:///{tmp_path / 'back.db'}"
    restore(whole, lambda: opened(back), START_MS)
    with closing(open_reader(back)) as ledger:
        assert verify(ledger, "main").problems == ()
    new = tmp_path / "new.db"
    with pytest.raises(NotACopy, match="are archived: bring a copy of the archive up to date"):
        backup(kept.ledger, new)
    assert not new.exists()


def test_an_archive_that_differs_deletes_nothing(kept: Kept, tmp_path: Path) -> None:
    """S8: another ledger's archive, one that rots after it was proved, one with somebody's trigger, a link,
    the ledger itself.
    """
    rows = len(kept.rows())
    other = tmp_path / "other.db"
    with closing(SqliteLedger(other)) as ledger:
        write(ledger, Play(3).until(20).rows)
        ledger.new_epoch("main", COPY_HOLDER)
    backup(kept.ledger, kept.file)
    rotten = tmp_path / "rotten.db"

    def rot(what: str, _done: int, _of: int) -> None:
        if "comparing" in what:
            spoil(rotten, "UPDATE journal SET at = at + 1 WHERE seq = 7")

    planted = tmp_path / "planted.db"
    shutil.copyfile(kept.file, planted)
    spoil(planted, "CREATE TRIGGER thief AFTER INSERT ON journal BEGIN DELETE FROM snapshot; END")
    link = tmp_path / "link.db"
    link.symlink_to(kept.file)
    for file, said, tell in (
        (other, "no copy of it", quiet),
        (rotten, "row 7 is another one in", rot),
        (planted, "thief", quiet),
        (link, "is a link to another file", quiet),
        (tmp_path / "ledger-20260101T000000Z.db", "deleted by itself", quiet),
        (tmp_path / "none" / "archive.db", "there is no folder", quiet),
    ):
        with pytest.raises(LedgerError, match=said):
            seal(kept.ledger, file, HOW, tell)
        assert len(kept.rows()) == rows
    if isinstance(kept.ledger, SqliteLedger):
        with pytest.raises(NotArchived, match="is the ledger itself"):
            seal(kept.ledger, kept.ledger.path, HOW)
    assert kept.verified().problems == ()


def test_an_archive_that_goes_meanwhile_deletes_nothing(kept: Kept) -> None:
    """S8: rows leave only while the file that was compared is still there, under its name."""
    rows = len(kept.rows())

    def replace() -> None:
        shutil.copyfile(kept.file, kept.file.with_name("copy.db"))
        kept.file.with_name("copy.db").replace(kept.file)

    for work, said in ((replace, "was changed or replaced"), (kept.file.unlink, "No such file")):

        def then(what: str, done: int, _of: int, work: Callable[[], None] = work) -> None:
            if "deleting" in what and not done:
                work()

        with pytest.raises((NotArchived, FileNotFoundError), match=said):
            seal(kept.ledger, kept.file, HOW, then)
        assert [row.kind for row in kept.rows()[rows:]] == OWN
    kept.seal()
    assert kept.with_archive() == ()


def test_who_writes_meanwhile_keeps_the_rows(kept: Kept) -> None:
    """S8: a server that takes the bank between the comparison and the deletion fences the deletion."""
    rows = len(kept.rows())

    def take(what: str, done: int, _of: int) -> None:
        if "deleting" in what and not done:
            kept.take()

    with pytest.raises(Fenced, match="nothing was deleted"):
        seal(kept.ledger, kept.file, HOW, take)
    assert len(kept.rows()) == rows + len(OWN)
    assert kept.ledger.schema().problems == []
    assert kept.verified().problems == ()


def test_a_bank_that_a_server_has_taken_stays_with_it(fresh: Fresh, tmp_path: Path) -> None:
    """S8: a server that starts while the archive is made keeps its bank; the seal takes none."""
    kept = Kept(Place(fresh("postgres")), tmp_path)

    def take(what: str, _done: int, _of: int) -> None:
        if "proving" in what and not taken:
            kept.take()
            taken.append(kept.url)

    taken: list[str] = []
    with pytest.raises(Fenced, match="another took it first"):
        seal(kept.ledger, kept.file, HOW, take)
    assert kept.ledger.head("main").holder == "server"
    assert kept.rows() == kept.season.rows
    kept.ledger.close()


def test_nobody_else_has_the_archive_while_rows_leave(kept: Kept) -> None:
    """S8: a backup that a timer starts meanwhile does not touch the file that is compared."""
    refused: list[str] = []

    def also(what: str, done: int, _of: int) -> None:
        if "comparing" in what and not done:
            with pytest.raises(LedgerUnusable, match="in use") as error:
                locked(kept.file)
            refused.append(str(error.value))

    seal(kept.ledger, kept.file, HOW, also)
    assert refused
    os.close(locked(kept.file))


def test_a_row_that_stays_and_changes_meanwhile_deletes_nothing(
    kept: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S8: a row that was compared already is held to the archive once more, with all that stay."""
    monkeypatch.setattr(sealing, "PAGE_ROWS", 10)
    rows = len(kept.rows())

    def change(what: str, done: int, _of: int) -> None:
        if "comparing" in what and done == 20:
            kept.meanwhile(*unguarded(kept.url, "UPDATE journal SET at = at + 1 WHERE seq = 2"))

    with pytest.raises(LedgerCorrupt, match=r"what stays of rows 1 to \d+ is other than in"):
        seal(kept.ledger, kept.file, HOW, change)
    assert len(kept.rows()) == rows


def test_a_deletion_that_takes_more_takes_nothing(kept: Kept) -> None:
    """S8: a trigger that somebody planted at the last moment deletes a row that stays: all is rolled back."""
    rows = len(kept.rows())

    def plant(what: str, done: int, _of: int) -> None:
        if "deleting" in what and not done:
            kept.meanwhile(*thief(kept.url))

    with pytest.raises(LedgerError):
        seal(kept.ledger, kept.file, HOW, plant)
    assert [row.seq for row in kept.rows()] == list(
        range(1, rows + 3)
    )  # and the program, and the row that says what leaves


def unguarded(url: str, statement: str) -> tuple[str, ...]:
    """Runs a statement with the append-only triggers lifted, and restores them."""
    if url.startswith("sqlite"):
        name = "journal_is_never_changed"
        guard = f"CREATE TRIGGER {name} BEFORE UPDATE ON journal BEGIN SELECT RAISE(ABORT, 'x'); END"
        return f"DROP TRIGGER {name}", statement, guard
    return (
        "ALTER TABLE journal DISABLE TRIGGER ALL",
        statement,
        "ALTER TABLE journal ENABLE ALWAYS TRIGGER journal_is_never_changed",
    )


def thief(url: str) -> tuple[str, ...]:
    """A trigger that deletes row 2 with any other row."""
    if url.startswith("sqlite"):
        body = "BEGIN DELETE FROM journal WHERE seq = 2; END"
        return (f"CREATE TRIGGER thief AFTER DELETE ON journal WHEN OLD.seq <> 2 {body}",)
    body = "BEGIN DELETE FROM journal WHERE seq = 2; RETURN NULL; END"
    when = "FOR EACH ROW WHEN (OLD.seq <> 2)"
    return (
        f"CREATE FUNCTION thief() RETURNS trigger LANGUAGE plpgsql AS $$ {body} $$",
        f"CREATE TRIGGER thief AFTER DELETE ON journal {when} EXECUTE FUNCTION thief()",
    )


def test_what_left_is_told_whatever_comes_after(kept: Kept) -> None:
    """S8: people keep the archive, also if a server takes the bank at once, or the look after it fails."""
    told: list[ArchivePlan] = []

    def then(work: Callable[[], None]) -> Callable[[str, int, int], None]:
        return lambda what, done, _of: work() if "deleting" in what and done else None

    (one,) = seal(kept.ledger, kept.file, HOW, then(kept.take))
    assert (one.leaving > 20, kept.verified().archived) == (True, one.upto)
    kept.more(3)

    def fail() -> None:
        raise LedgerCorrupt("the disk")

    with pytest.raises(LedgerCorrupt, match="the disk"):
        seal(kept.ledger, kept.file, HOW, then(fail), told.append)
    assert [one.upto for one in told] == [kept.verified().archived]
    assert kept.with_archive() == ()


def test_what_is_still_needed_stays(kept: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    """A10, L10: rows since an unpaid hit, since a running cycle began, of two states, and young ones."""
    seqs = [snapshot.seq for snapshot in kept.season.snapshots]
    young = kept.plan(START_MS)
    assert (young.upto, "no sealed state is so old" in young.held) == (0, True)
    whole = kept.plan()
    assert (whole.upto, "the cycle of three meter began in row" in whole.held) == (seqs[2], True)
    monkeypatch.setattr(sealing, "STATES_AFTER", 4)
    few = kept.plan()
    assert (few.upto, "a start needs 4 sealed states after it" in few.held) == (0, True)
    monkeypatch.undo()
    state = kept.season.engine.state
    for seq, round_, said in (
        (seqs[2], "x", f"H99, in row {seqs[2]}, is not paid"),
        (seqs[2] + 9, kept.last_round(), "is not over, and began before row"),
    ):
        award = Award(99, 99, 1, 1, 1, "royal", "meter", 1, "cage", "pending")
        state.hits[99] = Hit(99, 1, round_, 1, 1, "royal", seq, START_MS, 1, [award])
        waits = sealing.plan(kept.ledger, state, HOW.before_ms)
        assert (waits.upto, said in waits.held) == (0, True)


@pytest.mark.parametrize("paid", [True, False])
def test_a_hit_that_waits_for_nobody_holds_no_row(place: Place, tmp_path: Path, paid: bool) -> None:
    """A10: the hits of a table's last round are kept until it locks again; one that is over holds nothing."""
    season = Season()
    season.does(OpenTable(TableTerms("T02", "let-it-ride", 7, ("three",))))
    season.frame("T02", frames.Wager("last", (Bet(1, "three", 500),), lock=True))
    settle = frames.Settle("last", (Claim(1, ("As", "Ks", "Qs")),), close=True)
    settled = season.frame("T02", settle).answer
    assert isinstance(settled, Ack)
    hit = settled.awards[0].hit
    if paid:
        season.does(Validate(hit), "anna")
        for pay in payments(season.engine.state.hits[int(hit[1:])], "W-1"):
            season.does(pay, "ben")
    else:
        season.does(Undo(hit, "misdealt"), "anna", "ben")
    years(season)
    kept = Kept(place, tmp_path, season)
    assert int(hit[1:]) in season.engine.state.hits
    assert kept.seal().upto == season.snapshots[-3].seq
    assert kept.with_archive() == ()


def test_a_level_that_nothing_moved_holds_no_row(place: Place, tmp_path: Path) -> None:
    """L10: a link without a seed, on which nobody has wagered yet, has no cycle to explain."""
    season = Season()
    season.does(OpenLink(replace(NEW, levels=(replace(NEW.levels[0], seed=0),))))
    years(season)
    kept = Kept(place, tmp_path, season)
    assert kept.seal().upto == season.snapshots[-3].seq


def years(season: Season) -> None:
    """Three sealed states, and a cycle that begins after all of them."""
    for _ in range(3):
        season.weeks()
        season.snapshots.append(season.seal())
    season.win()


def test_two_newer_states_stay_and_a_start_takes_the_older(place: Place, tmp_path: Path) -> None:
    """S3: nothing else would keep them, for the running cycle is younger; a start replays from the first."""
    season = Season()
    years(season)
    kept = Kept(place, tmp_path, season)
    assert kept.seal().upto == season.snapshots[-3].seq
    told: list[tuple[int, tuple[str, ...]]] = []
    _, head = rebuild(kept.ledger, "main", lambda rows, why: told.append((rows, tuple(why))))
    assert told == [(head.seq - season.snapshots[-2].seq, ())]


def test_a_start_needs_its_states(kept: Kept) -> None:
    """S3: the state that the chain begins with is kept for ever; without two a start says what to do."""
    one = kept.seal()
    kept.more(3)
    assert kept.ledger.snapshot_rows("main")[0][0] == one.upto
    rebuild(kept.ledger, "main")
    run_sql(kept.url, "DELETE FROM snapshot")
    with pytest.raises(LedgerCorrupt, match="are archived: bring a copy of the archive up to date"):
        rebuild(kept.ledger, "main")
    (problem,) = kept.verified().problems
    assert "there is no snapshot" in problem


def test_nobody_else_reads_an_archive_or_a_night_of_it(kept: Kept, tmp_path: Path) -> None:
    """A10: both hold names and secrets; a file that is continued has the permissions that it had."""
    old = os.umask(0)
    try:
        backup(kept.ledger, kept.file)
        kept.seal()
        folder = tmp_path / "nights"
        folder.mkdir()
        file = night(kept.ledger, folder, START_MS, 1, quiet, kept.file).file
        modes = [stat.S_IMODE(one.stat().st_mode) for one in (kept.file, file)]
        kept.file.chmod(0o640)
        backup(kept.ledger, kept.file)
    finally:
        os.umask(old)
    assert [*modes, stat.S_IMODE(kept.file.stat().st_mode)] == [0o600, 0o600, 0o640]


def test_a_night_begins_as_a_copy_of_the_archive(kept: Kept, tmp_path: Path) -> None:
    """S3: each night of a sealed ledger is whole from row 1; without the archive it fails.

    An old night is known as this ledger's also where its last row left meanwhile.
    """
    folder = tmp_path / "nights"
    folder.mkdir()
    upto = next(row.seq for row in kept.season.rows[50:] if row.table_seq is not None)
    old = folder / datetime.fromtimestamp(START_MS / 1000 - 86_400, UTC).strftime(NAME)
    with closing(SqliteLedger(old)) as ledger:
        write(ledger, kept.season.rows[:upto])
    old.with_name(f"{old.name}-lock").unlink()
    kept.seal()
    assert kept.ledger.rows("main", upto - 1, 1)[0].seq > upto
    kept.more(1)
    with pytest.raises(NotACopy, match="are archived"):
        night(kept.ledger, folder, START_MS, 1)
    first, second = (
        night(kept.ledger, folder, START_MS + day, 1, quiet, kept.file) for day in (0, 86_400_000)
    )
    assert [row.seq for row in backed_up(second.file)] == list(range(1, kept.ledger.head("main").seq + 1))
    assert (first.gone, second.gone, kept.file.exists()) == ((old,), (first.file,), True)


def test_only_two_admins_let_rows_leave(kept: Kept) -> None:
    """S8: where people sign, a refusal stands in the journal; it is no permission, and no row goes."""
    paper = Paper()
    paper.write(kept.ledger)
    before = kept.rows()
    two = paper.floor, paper.floor_too
    for signers, said in ((two, "only admin may"), (ADMINS[:1], "it takes two people")):
        how = HOW._replace(people=People(proof=paper.proof(*signers)))
        with pytest.raises(LedgerUnusable, match=said):
            seal(kept.ledger, kept.file, how)
    assert kept.rows()[: len(before)] == before
    assert kept.verified().archived == 0
