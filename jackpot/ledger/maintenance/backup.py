"""Backs a ledger up into one SQLite file, atomically, and restores it.

A backup is made under another name, and gets its final name once it is proved. So a file of that name is a
whole ledger: one SQLite file without a write-ahead log, which a reader can open anywhere. The next backup
into the same file reads only the rows that have come since.
"""

import os
import shutil
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, closing
from pathlib import Path
from typing import Final

import apsw

from jackpot.ledger.banks import UNFINISHED_COPY
from jackpot.ledger.maintenance.copy import Copied, NotACopy, Progress, carry, finish, heads_of, prove
from jackpot.ledger.maintenance.restored import hold
from jackpot.ledger.open import opened
from jackpot.ledger.reading import Reader
from jackpot.ledger.sqlite.file import locked
from jackpot.ledger.sqlite.store import SqliteLedger
from jackpot.ledger.store import LedgerCorrupt, LedgerUnusable, Store

# An unfinished file has this at the end of its name.
PART: Final = ".part"

# What SQLite and its user keep next to a database file.
_BESIDE: Final = ("", "-wal", "-shm", "-lock", "-journal")


async def backup(
    source: Store, file: Path, progress: Progress = lambda _what, _done, _of: None
) -> list[Copied]:
    """Creates or updates the backup `file` from the source, which may be in use meanwhile.

    file: a backup of this ledger, or nothing yet. One that was interrupted leaves `file` as it was. Raises
    LedgerUnusable where the file is in use, NotACopy where it is another ledger's, LedgerCorrupt, OSError.
    """
    await source.run(heads_of)  # an empty ledger makes no file
    part = file.with_name(file.name + PART)
    lock = locked(file)
    try:
        if _with_ending(file, "-wal").exists():
            raise LedgerUnusable(f"{file} is a ledger that a server writes, or wrote: not a backup")
        again = _exists(file)
        try:
            if again:
                remove(part)
                duplicate(file, part)
            copied = await _write_backup(source, part, progress)
        except BaseException as error:
            if again or isinstance(error, LedgerCorrupt | NotACopy):
                remove(part)  # else the next call goes on with it
            raise
        sync(part)
        part.replace(file)
        sync(file.parent)
        remove(part)
        return copied
    finally:
        os.close(lock)


async def restore(
    file: Path,
    open_target: Callable[[], AbstractAsyncContextManager[Store]],
    unix_ms: int,
    progress: Progress = lambda _what, _done, _of: None,
) -> list[Copied]:
    """Restores a backup into an empty ledger. File and ledger are proved; the banks are suspended (S9).

    No server takes the ledger before it is whole and its banks are suspended. unix_ms: the time now.

    Raises LedgerUnusable where the ledger is not empty or the file is none, LedgerCorrupt.
    """
    async with opened(_url(file), readonly=True) as source:
        await prove(source, await source.run(heads_of), progress)
        async with open_target() as target:
            if await target.run(Reader.banks):
                raise LedgerUnusable("the target is not empty: restore into a new ledger")
            copied = await carry(source, target, progress)
            await prove(target, [bank.head for bank in copied], progress)
            await hold(target, unix_ms, UNFINISHED_COPY)
            await finish(target)
            return copied


async def _write_backup(source: Store, part: Path, progress: Progress) -> list[Copied]:
    """Writes and proves the backup, still under its unfinished name."""
    async with opened(_url(part)) as target:
        copied = await carry(source, target, progress)
        await finish(target)
    try:
        # Without the log it is one file, and can be read where nothing can be written.
        with closing(apsw.Connection(str(part))) as connection:
            connection.pragma("journal_mode", "delete")
    except apsw.Error as error:
        raise LedgerUnusable(f"{part} cannot become one file: {error}") from error
    async with opened(_url(part), readonly=True) as made:
        for problem in await made.run(_faults):  # of the file as it was, where there was one
            raise LedgerCorrupt(f"{part}: {problem}")
        await prove(made, [bank.head for bank in copied], progress)
    return copied


def _faults(backup: Reader) -> list[str]:
    """Problems of the file's schema, or of pages that a proof of the rows does not read."""
    return [*backup.schema().problems, *(backup.integrity() if isinstance(backup, SqliteLedger) else [])]


def _exists(file: Path) -> bool:
    return file.exists()


def _url(file: Path) -> str:
    return f"sqlite:///{file}"


def _with_ending(path: Path, end: str) -> Path:
    return path.with_name(path.name + end)


def duplicate(file: Path, to: Path) -> None:
    """Copies it to a new file, which has the same permissions and no others meanwhile. Raises OSError."""
    to.touch(mode=0o600, exist_ok=False)
    shutil.copy(file, to)


def remove(path: Path) -> None:
    """Removes a SQLite file, and the files next to it."""
    for end in _BESIDE:
        _with_ending(path, end).unlink(missing_ok=True)


def sync(path: Path) -> None:
    """Makes a file, or a folder's list of names, durable."""
    opened = os.open(path, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
