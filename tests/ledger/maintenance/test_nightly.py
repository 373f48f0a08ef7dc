"""Each nightly backup was restored on trial; no more are kept than configured."""

import os
import shutil
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import pytest

from jackpot.ledger.journal import Row
from jackpot.ledger.maintenance.nightly import LOCK, NAME, UNPROVED, NightlyBackup
from jackpot.ledger.sqlite.file import locked
from jackpot.ledger.store import LedgerCorrupt, LedgerUnusable
from tests.ledger.maintenance.test_backup import Interrupted, backed_up, interrupt
from tests.ledger.maintenance.test_copy import ROWS, played, played_to, source, write
from tests.ledger.play import START_MS, Play
from tests.ledger.verify.test_verifier import spoil
from tests.ledger.waiting import Ledger, night, open_ledger
from tests.ledgers import KINDS

__all__ = ["played", "source"]

DAY_MS: Final = 86_400_000


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "backups"
    made.mkdir()
    return made


def backups(folder: Path) -> list[str]:
    """Files in the folder, except the lock."""
    return sorted(path.name for path in folder.iterdir() if not path.name.endswith("-lock"))


def nights(source: Ledger, folder: Path, count: int, keep: int, more: Any = None) -> Iterator[NightlyBackup]:
    for number in range(count):
        yield night(source, folder, START_MS + number * DAY_MS, keep, *([more] if more else []))


@pytest.mark.parametrize("source", KINDS, indirect=True)
def test_the_newest_are_kept(source: Ledger, played: list[Row], folder: Path) -> None:
    """S3: each night is one whole ledger under its own time; the older ones go once the new one came back."""
    first, second = nights(source, folder, 2, keep=2)
    assert (first.gone, second.gone) == ((), ())
    more = played_to(ROWS + 30)[0]
    write(source, more, after=len(played))
    third = night(source, folder, START_MS + 2 * DAY_MS, 2)
    assert third.gone == (first.file,)
    assert backups(folder) == [second.file.name, third.file.name]
    assert (backed_up(second.file), backed_up(third.file)) == (played, more)
    assert [bank.head.seq for bank in third.copied] == [len(more)]


def test_a_backup_of_the_same_second_stays(source: Ledger, played: list[Row], folder: Path) -> None:
    """S3: two ledgers' nights into one folder, or a clock that was set back, lose no backup."""
    first = night(source, folder, START_MS, 2)
    write(source, played_to(ROWS + 30)[0], after=len(played))
    with pytest.raises(LedgerUnusable, match=f"{first.file} is there already, and stays as it is"):
        night(source, folder, START_MS + 999, 2)
    assert backups(folder) == [first.file.name]
    assert backed_up(first.file) == played


def test_another_ones_files_are_left_alone(source: Ledger, played: list[Row], folder: Path) -> None:
    """Deploy: only what a night wrote of this ledger is let go, and nothing else is counted."""
    moment = datetime.fromtimestamp(START_MS / 1000, UTC)
    early, late = ((moment + timedelta(days)).strftime(NAME) for days in (-30, 30))
    with closing(open_ledger(f"sqlite:///{folder.parent}/other.db")) as ledger:
        write(ledger, Play(21).until(ROWS).rows)
        other = night(ledger, folder, START_MS - 20 * DAY_MS, 1).file.name
    link, served = ((moment - timedelta(days)).strftime(NAME) for days in (9, 8))
    kept = ["ledger.db", "ledger-old.db", "ledger-20260101.db.gpg", "trial.db", early, late]
    for name in kept:
        (folder / name).write_text("somebody's")
    (folder / link).symlink_to(folder / "ledger.db")
    night(source, folder, START_MS - 8 * DAY_MS, 1)
    (folder / f"{served}-lock").touch()
    made = [one.file.name for one in nights(source, folder, 2, keep=1)]
    assert backups(folder) == sorted([*kept, other, link, served, made[-1]])
    assert (folder / "ledger.db").read_text() == "somebody's"


def test_a_night_keeps_the_backup_that_it_made(source: Ledger, folder: Path) -> None:
    """S3: where the clock was ahead, or goes back, no backup goes for the sake of files of later names."""
    later = [one.file.name for one in nights(source, folder, 2, keep=2)]
    before = night(source, folder, START_MS - 400 * DAY_MS, 1)
    assert (before.file.exists(), before.gone) == (True, ())
    assert backups(folder) == [before.file.name, *later]


@pytest.mark.parametrize("step", ["copying", "proving"])
def test_an_interrupted_night_is_made_good(source: Ledger, folder: Path, step: str) -> None:
    """S4: whatever the power took away, the next night leaves its backup and nothing half done."""

    def stop(what: str, done: int, of: int) -> None:
        if step in what:
            interrupt(what, done, of)

    with pytest.raises(Interrupted):
        list(nights(source, folder, 1, 3, stop))
    made = night(source, folder, START_MS + DAY_MS, 3)
    assert backups(folder) == [made.file.name]


def test_a_trial_that_fails_lets_nothing_go(source: Ledger, folder: Path, monkeypatch: Any) -> None:
    """S3: a file that does not come back is no backup: the night fails, and the older ones stay."""
    first, second = nights(source, folder, 2, keep=2)
    replace = Path.replace

    def rot(path: Path, target: Path) -> Path:
        """The disk changes what was written, after it was proved."""
        if target.name.startswith("ledger-"):
            spoil(path, "UPDATE posting SET awards = awards + 1, house = house - 1 WHERE seq = 2")
        return replace(path, target)

    monkeypatch.setattr(Path, "replace", rot)
    with pytest.raises(LedgerCorrupt, match="row 2 "):
        night(source, folder, START_MS + 2 * DAY_MS, 2)
    assert {first.file.name, second.file.name} <= set(backups(folder))
    assert not [name for name in backups(folder) if "trial" in name]
    (spoiled,) = set(backups(folder)) - {first.file.name, second.file.name}
    assert spoiled.endswith(UNPROVED)
    monkeypatch.undo()
    third = night(source, folder, START_MS + 3 * DAY_MS, 2)
    assert backups(folder) == [second.file.name, third.file.name]


def test_one_at_a_time(source: Ledger, folder: Path) -> None:
    """Deploy: a night still at work is not disturbed by the next; a folder that is not there is told."""
    work = locked(folder / LOCK)
    with pytest.raises(LedgerUnusable, match=f"{folder}: another backup into it is at work"):
        night(source, folder, START_MS, 3)
    os.close(work)
    shutil.rmtree(folder)
    with pytest.raises(LedgerUnusable, match=f"there is no folder {folder}"):
        night(source, folder, START_MS, 3)
