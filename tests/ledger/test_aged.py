"""A file of an earlier schema is restored, verified and reported on, and never written."""

import re
import shutil
from collections.abc import Callable
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Final

import apsw
import pytest

from jackpot.ledger.migrations import migrations
from jackpot.ledger.open import open_reader, opened
from jackpot.ledger.sqlite.store import SqliteLedger
from jackpot.ledger.store import LedgerUnusable
from jackpot.ledger.verify.verifier import VerifyOptions, verify
from tests.ledger.aged import EARLIER, aged
from tests.ledger.conftest import Place
from tests.ledger.maintenance.test_archive import HOW, Kept
from tests.ledger.maintenance.test_backup import backed_up
from tests.ledger.maintenance.test_nightly import DAY_MS, backups
from tests.ledger.play import START_MS
from tests.ledger.verify.test_verifier import spoil
from tests.ledger.waiting import backup, night, open_ledger, restore, seal
from tests.ledgers import KINDS, Fresh
from tests.program import jackpot
from tests.reports.read.test_rounds import Idle, kept_of, missed

SITE: Final = ("--currency", "USD", "--timezone", "UTC", "--day-ends", "06:00")
NEWEST: Final = f"{len(migrations('sqlite')):04}"

earlier = pytest.mark.parametrize("number", EARLIER)


def untouched(file: Path) -> Callable[[], bool]:
    """Returns a check that the file is unchanged, with no new file next to it."""

    def look() -> tuple[bytes, list[str]]:
        return sha256(file.read_bytes()).digest(), sorted(
            path.name for path in file.parent.glob(f"{file.name}*")
        )

    before = look()
    return lambda: look() == before


def report(name: str, file: Path) -> str:
    """What a report says of all days."""
    done = jackpot("report", name, "--csv", "--ledger", f"sqlite:///{file}", *SITE)
    assert (done.returncode, done.stderr) == (0, "")
    assert len(done.stdout.splitlines()) > 1
    return done.stdout


@pytest.fixture
def kept(place: Place, tmp_path: Path) -> Kept:
    """A ledger of which old rows left for an archive, and its restored copy's place."""
    (tmp_path / "archive").mkdir()
    found = Kept(place, tmp_path / "archive")
    assert found.seal().upto
    return found


@pytest.mark.parametrize("kind", KINDS)
@earlier
def test_yesterdays_backup_comes_back_after_an_upgrade(
    fresh: Fresh, tmp_path: Path, number: int, kind: str
) -> None:
    """S3, S9: the copy has today's tables and proves itself; the backup is what it was, on every disk."""
    file, target = tmp_path / "night.db", fresh(kind)
    with closing(open_ledger(fresh("sqlite"))) as ledger:
        Idle().write(ledger)
        backup(ledger, file)
    aged(file, number)
    rows, same = backed_up(file), untouched(file)
    done = jackpot("ledger", "restore", str(file), "--ledger", target)
    assert (done.returncode, done.stderr) == (0, "")
    assert same()
    with closing(open_reader(target)) as ledger:
        assert ledger.rows("main", 0, len(rows)) == rows
        assert ledger.schema() == ([], [])
    done = jackpot("verify", "--ledger", target)
    assert (done.returncode, done.stderr) == (0, "")


@earlier
def test_an_archive_of_years_ago_is_verified(kept: Kept, number: int) -> None:
    """S3, S8: beside today's ledger it is read by its own schema, which is named, and stays as it is."""
    aged(kept.file, number)
    same = untouched(kept.file)
    done = jackpot("verify", "--ledger", kept.url, "--archive", str(kept.file), "--jobs", "2")
    assert (done.returncode, done.stderr) == (0, "")
    assert re.search(r"^ledger: schema \d{4}$", done.stdout, re.MULTILINE)
    assert (
        f"\narchive: schema {number:04} of an earlier program, read as it is; this one's is {NEWEST}\n"
        in (done.stdout)
    )
    assert f"are proved by {kept.file}\n" in done.stdout
    assert same()


@earlier
def test_an_archive_of_years_ago_is_changed_by_nobody(kept: Kept, number: int) -> None:
    """S3: held to the migrations that it says it has: what they do not make is named, as is what it hides."""
    aged(kept.file, number)
    spoil(kept.file, "CREATE TRIGGER swallow BEFORE INSERT ON posting BEGIN SELECT RAISE(IGNORE); END")
    words = ("verify", "--ledger", kept.url, "--archive", str(kept.file))
    done = jackpot(*words)
    assert (done.returncode, "archive: the schema: trigger swallow on posting is not the" in done.stderr) == (
        1,
        True,
    )
    spoil(kept.file, "DROP VIEW conservation")
    done = jackpot(*words)
    assert (done.returncode, "archive: the schema: view conservation is missing" in done.stderr) == (1, True)


def test_a_ledger_that_says_it_is_older_is_held_to_that(tmp_path: Path) -> None:
    """S3: a ledger with a row of `migration` taken out has more tables than the rest explains."""
    file = tmp_path / "ledger.db"
    with closing(open_ledger(f"sqlite:///{file}")) as ledger:
        Idle().write(ledger)
    spoil(file, "DELETE FROM migration WHERE number = (SELECT max(number) FROM migration)")
    done = jackpot("verify", "--ledger", f"sqlite:///{file}")
    assert (done.returncode, "the schema: table mystery_trigger is not the ledger's" in done.stderr) == (
        1,
        True,
    )


@earlier
def test_an_archive_of_years_ago_gives_a_form_its_cards(place: Place, tmp_path: Path, number: int) -> None:
    """A10: the payout form prints from it, and it stays as it is."""
    kept = kept_of(place, tmp_path, Idle(), Idle.idle)
    hit = missed(kept)
    aged(kept.file, number)
    same = untouched(kept.file)
    done = jackpot("report", "payout", hit, "--ledger", kept.url, "--archive", str(kept.file), *SITE)
    assert (done.returncode, done.stderr) == (0, "")
    assert "cards from: the archive" in done.stdout
    assert same()


@earlier
def test_an_older_ledger_is_read_whole(tmp_path: Path, number: int) -> None:
    """S3, S8: verify, reports, a backup and a copy of it: all as of the same ledger with today's tables."""
    file = tmp_path / "ledger.db"
    with closing(open_ledger(f"sqlite:///{file}")) as ledger:
        Idle().write(ledger)
    today = jackpot("verify", "--ledger", f"sqlite:///{file}")
    reports = {name: report(name, file) for name in ("reconcile", "contributions", "cost")}
    old = aged(Path(shutil.copy(file, tmp_path / "old.db")), number)
    same, url = untouched(old), f"sqlite:///{old}"
    done = jackpot("verify", "--ledger", url)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[1:] == today.stdout.splitlines()[1:]
    assert done.stdout.startswith(f"ledger: schema {number:04} of an earlier program, ")
    assert reports == {name: report(name, old) for name in reports}
    for words in (("backup", str(tmp_path / "to.db")), ("copy", f"sqlite:///{tmp_path}/copy.db")):
        done = jackpot("ledger", *words, "--ledger", url)
        assert (done.returncode, done.stderr) == (0, "")
    assert same()
    with closing(SqliteLedger(tmp_path / "to.db", readonly=True)) as made:
        assert made.version.number == made.version.newest


@earlier
def test_nights_of_before_an_upgrade_are_let_go(tmp_path: Path, number: int) -> None:
    """S3: they count among the backups that stay, so that no folder fills; the trial is of the new one."""
    folder = tmp_path / "nights"
    folder.mkdir()
    with closing(open_ledger(f"sqlite:///{tmp_path}/ledger.db")) as ledger:
        Idle().write(ledger)
        first, second = (night(ledger, folder, START_MS + day * DAY_MS, 2) for day in (0, 1))
        for one in (first, second):
            aged(one.file, number)
        third = night(ledger, folder, START_MS + 2 * DAY_MS, 2)
    assert third.gone == (first.file,)
    assert backups(folder) == [second.file.name, third.file.name]


@earlier
def test_an_archive_of_years_ago_begins_a_night_and_is_continued(
    kept: Kept, tmp_path: Path, number: int
) -> None:
    """S3: a night takes a copy of it, and leaves it alone; the next `ledger seal` makes it today's."""
    aged(kept.file, number)
    same, folder = untouched(kept.file), tmp_path / "nights"
    folder.mkdir()
    made = night(kept.ledger, folder, START_MS, 2, archive=kept.file)
    assert same()
    restore(made.file, lambda: opened(f"sqlite:///{tmp_path}/back.db"), START_MS)
    # A restored bank has two rows more: the program that restored it, and that it waits for people.
    assert backed_up(tmp_path / "back.db")[:-2] == backed_up(made.file)
    backup(kept.ledger, kept.file)
    seal(kept.ledger, kept.file, HOW)
    with closing(SqliteLedger(kept.file, readonly=True)) as archive:
        assert archive.schema() == ([], [])
        assert verify(kept.ledger, "main", options=VerifyOptions(archive=archive)).problems == ()


def test_migrations_with_a_gap_are_refused(tmp_path: Path) -> None:
    """S3: what was applied is the first ones, in their order; neither a reader nor a writer guesses."""
    file = tmp_path / "ledger.db"
    SqliteLedger(file).close()
    with closing(apsw.Connection(str(file))) as connection:
        connection.execute("DELETE FROM migration WHERE number = 1")
    for readonly in (True, False):
        with pytest.raises(LedgerUnusable, match="lacks migration 0001, and has later ones"):
            SqliteLedger(file, readonly=readonly)


def test_a_file_before_its_first_migration_is_no_ledger(tmp_path: Path) -> None:
    """S3: an `init` that was cut off left nothing to read."""
    file = tmp_path / "ledger.db"
    with closing(apsw.Connection(str(file))) as connection:
        connection.execute("CREATE TABLE migration (number INTEGER PRIMARY KEY, name TEXT NOT NULL)")
    with pytest.raises(LedgerUnusable, match="holds no ledger yet"):
        SqliteLedger(file, readonly=True)
