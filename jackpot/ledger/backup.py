"""How is a ledger copied into one file that is either whole or not there, and how does it come back?

A backup is made under another name, and gets its final name once it is proved. So a file of that name is a
whole ledger: one SQLite file without a write-ahead log, which a reader can open anywhere. The next backup
into the same file reads only the rows that have come since.
"""

import os
import shutil
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Final

import apsw

from jackpot.ledger.copy import UNFINISHED, Copied, NotACopy, Progress, carry, finish, heads_of, prove
from jackpot.ledger.restored import hold
from jackpot.ledger.sqlite import SqliteLedger, locked
from jackpot.ledger.store import Ledger, LedgerCorrupt, LedgerUnusable, Reader

# An unfinished file has this at the end of its name.
PART: Final = ".part"

# What SQLite and its user keep next to a database file.
_BESIDE: Final = ("", "-wal", "-shm", "-lock", "-journal")


def backup(source: Reader, file: Path, progress: Progress = lambda _what, _done, _of: None) -> list[Copied]:
    """Brings `file` up to what the source holds now. The source may be in use meanwhile.

    file: a backup of this ledger, or nothing yet. One that was interrupted leaves `file` as it was. Raises
    LedgerUnusable where the file is in use, NotACopy where it is another ledger's, LedgerCorrupt, OSError.
    """
    heads_of(source)  # an empty ledger makes no file
    part = file.with_name(file.name + PART)
    lock = locked(file)
    try:
        if _named(file, "-wal").exists():
            raise LedgerUnusable(f"{file} is a ledger that a server writes, or wrote: not a backup")
        again = file.exists()
        try:
            if again:
                _remove(part)
                shutil.copyfile(file, part)
            copied = _made(source, part, progress)
        except BaseException as error:
            if again or isinstance(error, LedgerCorrupt | NotACopy):
                _remove(part)  # else the next call goes on with it
            raise
        _sync(part)
        part.replace(file)
        _sync(file.parent)
        _remove(part)
        return copied
    finally:
        os.close(lock)


def restore(
    file: Path,
    open_target: Callable[[], Ledger],
    unix_ms: int,
    progress: Progress = lambda _what, _done, _of: None,
) -> list[Copied]:
    """Brings a backup into an empty ledger. The file is proved first, then the ledger. Its banks wait (S9).

    No server takes the ledger before it is whole and its banks are suspended. unix_ms: the time now.

    Raises LedgerUnusable where the ledger is not empty or the file is none, LedgerCorrupt.
    """
    with closing(SqliteLedger(file, readonly=True)) as source:
        prove(source, heads_of(source), progress)
        with closing(open_target()) as target:
            if target.banks():
                raise LedgerUnusable("the target is not empty: restore into a new ledger")
            copied = carry(source, target, progress)
            prove(target, [bank.head for bank in copied], progress)
            hold(target, unix_ms, UNFINISHED)
            finish(target)
            return copied


def _made(source: Reader, part: Path, progress: Progress) -> list[Copied]:
    """The backup, complete and proved, still under its unfinished name."""
    with closing(SqliteLedger(part)) as target:
        copied = carry(source, target, progress)
        finish(target)
    try:
        # Without the log it is one file, and can be read where nothing can be written.
        with closing(apsw.Connection(str(part))) as connection:
            connection.pragma("journal_mode", "delete")
    except apsw.Error as error:
        raise LedgerUnusable(f"{part} is in use by another program: {error}") from error
    with closing(SqliteLedger(part, readonly=True)) as made:
        prove(made, [bank.head for bank in copied], progress)
    return copied


def _named(path: Path, end: str) -> Path:
    return path.with_name(path.name + end)


def _remove(path: Path) -> None:
    for end in _BESIDE:
        _named(path, end).unlink(missing_ok=True)


def _sync(path: Path) -> None:
    """Makes a file, or a folder's list of names, durable."""
    opened = os.open(path, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
