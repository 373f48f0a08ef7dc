"""How is a ledger backed up every night? Each backup is brought back on trial, and then old ones are let go.

A backup that was never restored is only a hope. So a file has its final name only once it became a ledger
again, whose every row was decided a second time and whose heads are those of the source.
"""

import os
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, NamedTuple

from jackpot.ledger.backup import backup, remove, restore, sync
from jackpot.ledger.copy import Copied, Progress
from jackpot.ledger.open import opened
from jackpot.ledger.sqlite_file import locked
from jackpot.ledger.store import LedgerUnusable, Store

# Names sort as their moments do.
NAME: Final = "ledger-%Y%m%dT%H%M%SZ.db"
# What the same names match.
PROVED: Final = f"ledger-{'[0-9]' * 8}T{'[0-9]' * 6}Z.db"
# A backup that has not come back yet.
UNPROVED: Final = ".unproved"
# The ledger that a backup comes back as; it is gone when the night is over.
TRIAL: Final = "trial.db"
# Held by the night that is at work in the folder.
LOCK: Final = "nightly"
# Two weeks: somebody finds within them that they want the books of before.
KEPT: Final = 14


class Night(NamedTuple):
    """What a night did. copied: how far the file goes, by bank. gone: older backups that were let go."""

    file: Path
    copied: list[Copied]
    gone: tuple[Path, ...]


async def night(
    source: Store,
    folder: Path,
    unix_ms: int,
    keep: int = KEPT,
    progress: Progress = lambda _what, _done, _of: None,
) -> Night:
    """Leaves one more proved backup in the folder, and the newest `keep` of all. The source may be in use.

    It reads the whole source: no earlier file is trusted. unix_ms: the time now. Raises LedgerUnusable where
    another night is at work there, or the folder is not there; what `backup` and `restore` raise. Then every
    older backup stays.
    """
    lock = _alone(folder)
    try:
        _tidy(folder)
        moment = datetime.fromtimestamp(unix_ms / 1000, UTC)
        file = folder / moment.strftime(NAME)
        unproved = file.with_name(file.name + UNPROVED)
        copied = await backup(source, unproved, progress)
        await _tried(unproved, folder / TRIAL, unix_ms, progress)
        unproved.replace(file)
        sync(folder)
        remove(unproved)
        return Night(file, copied, tuple(_let_go(folder, keep)))
    finally:
        os.close(lock)


def _alone(folder: Path) -> int:
    """The lock's descriptor, to be closed at the end."""
    if not folder.is_dir():
        raise LedgerUnusable(f"there is no folder {folder}")
    try:
        return locked(folder / LOCK)
    except LedgerUnusable as error:
        raise LedgerUnusable(f"{folder}: another backup into it is at work ({error})") from error


def _tidy(folder: Path) -> None:
    """Removes what an interrupted night left."""
    for half in [*folder.glob(f"{PROVED}{UNPROVED}*"), folder / TRIAL]:
        remove(half)


async def _tried(file: Path, trial: Path, unix_ms: int, progress: Progress) -> None:
    """Brings the file back as a ledger, which is gone again afterwards."""
    try:
        await restore(file, lambda: opened(f"sqlite:///{trial}"), unix_ms, progress)
    finally:
        remove(trial)


def _let_go(folder: Path, keep: int) -> Sequence[Path]:
    """All but the newest; which they were."""
    old = sorted(folder.glob(PROVED))[:-keep]
    for file in old:
        remove(file)
    return old
