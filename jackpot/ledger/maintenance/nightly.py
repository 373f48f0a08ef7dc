"""Nightly backup: each one is restored on trial, then old backups are removed.

A file gets its final name only after a trial restore: each of its rows was redecided, and it ends with the
heads of the source.
"""

import os
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, NamedTuple

from jackpot.ledger.maintenance.backup import backup, duplicate, remove, restore, sync
from jackpot.ledger.maintenance.copy import Copied, Progress, heads_of
from jackpot.ledger.open import opened
from jackpot.ledger.sqlite.file import locked
from jackpot.ledger.store import LedgerError, LedgerUnusable, Store

# Names sort as their moments do.
NAME: Final = "ledger-%Y%m%dT%H%M%SZ.db"
# What the same names match.
PROVED: Final = f"ledger-{'[0-9]' * 8}T{'[0-9]' * 6}Z.db"
# A backup that has not come back yet, and the ledger that it comes back as: gone when the night is over.
UNPROVED: Final = ".unproved"
TRIAL: Final = ".trial"
# Held by the night that is at work in the folder.
LOCK: Final = "nightly"
# Two weeks: long enough to notice that an older state of the ledger is needed.
KEPT: Final = 14


class BackupRetention(NamedTuple):
    """Retention of backups. most: how many stay. archive: what has the source's old rows, where it was
    sealed: each backup begins as its copy.
    """

    most: int = KEPT
    archive: Path | None = None


class NightlyBackup(NamedTuple):
    """Result of a nightly backup. copied: heads in the file, by bank. gone: older backups that were
    removed.
    """

    file: Path
    copied: list[Copied]
    gone: tuple[Path, ...]


async def night(
    source: Store,
    folder: Path,
    unix_ms: int,
    keeping: BackupRetention,
    progress: Progress = lambda _what, _done, _of: None,
) -> NightlyBackup:
    """Adds a proved backup to the folder and keeps only the newest ones. The source may be in use.

    Of older files only backups of this ledger are counted and removed: one of a later name, another ledger's,
    and one that a server took into use stay. It reads the whole source: no earlier file is trusted. unix_ms:
    the time now. Raises LedgerUnusable where another night is at work there, the folder is not there, or a
    backup of that second is; what `backup` and `restore` raise. Then every older backup stays.
    """
    lock = _alone(folder)
    try:
        _tidy(folder)
        moment = datetime.fromtimestamp(unix_ms / 1000, UTC)
        file = folder / moment.strftime(NAME)
        if file.exists():  # of another ledger, or of a clock that was set back: it may be the only one
            raise LedgerUnusable(f"{file} is there already, and stays as it is: try again in a second")
        unproved = file.with_name(file.name + UNPROVED)
        if keeping.archive is not None:
            duplicate(keeping.archive, unproved)
        copied = await backup(source, unproved, progress)
        await _tried(unproved, file.with_name(file.name + TRIAL), unix_ms, progress)
        unproved.replace(file)
        sync(folder)
        remove(unproved)
        return NightlyBackup(file, copied, tuple(await _let_go(file, keeping.most)))
    finally:
        os.close(lock)


def _alone(folder: Path) -> int:
    """Takes the folder's lock. Returns its descriptor, to be closed at the end."""
    if not folder.is_dir():
        raise LedgerUnusable(f"there is no folder {folder}")
    try:
        return locked(folder / LOCK)
    except LedgerUnusable as error:
        raise LedgerUnusable(f"{folder}: another backup into it is at work ({error})") from error


def _tidy(folder: Path) -> None:
    """Removes files of an interrupted nightly backup, recognised by their names."""
    for end in (UNPROVED, TRIAL):
        for half in folder.glob(f"{PROVED}{end}*"):
            half.unlink(missing_ok=True)


async def _tried(file: Path, trial: Path, unix_ms: int, progress: Progress) -> None:
    """Restores the file on trial into a temporary ledger."""
    try:
        await restore(file, lambda: opened(f"sqlite:///{trial}"), unix_ms, progress)
    finally:
        remove(trial)


async def _let_go(file: Path, keep: int) -> Sequence[Path]:
    """Removes older backups of the same ledger. The newest stay: `keep` with that file."""
    older = [one for one in sorted(file.parent.glob(PROVED)) if one.name < file.name]
    async with opened(f"sqlite:///{file}", readonly=True) as whole:
        ours = [one for one in older if await _goes_on(one, whole)]
    gone = ours[: max(0, len(ours) - (keep - 1))]
    for one in gone:
        remove(one)
    return gone


async def _goes_on(file: Path, whole: Store) -> bool:
    """Whether the file is an older backup of what `whole` has from row 1, and is in no use."""
    if not _only_made(file):
        return False
    try:
        async with opened(f"sqlite:///{file}", readonly=True) as ledger:
            heads = await ledger.run(heads_of)
    except LedgerError:
        return False
    ends = [await whole.rows(head.bank, head.seq - 1, 1) for head in heads]
    return all(row and row[0].hash == head.hash for row, head in zip(ends, heads, strict=True))


def _only_made(file: Path) -> bool:
    """Whether it is a regular file that nobody has taken into use: a server leaves a lock next to it."""
    used = any(file.with_name(file.name + end).exists() for end in ("-lock", "-wal"))
    return file.is_file() and not file.is_symlink() and not used
