"""A fault-injecting VFS under the real SQLite; a seed chooses the faults of the disk.

A file here has two contents. The *cache* is what the operating system shows: a real file, so that SQLite's
shared memory, its locks and several connections work as always. The *platter* is what outlives the power.
They differ in sectors: `_File.dirty` keeps, for each sector written since the last sync, what the platter
still holds there; a sync forgets them. What a failed sync was to write is *doomed*: the cache calls those
pages clean, reads show them, and no later sync writes them (as Linux does), unless the page is written again.

`kill()` ends the process: every file that it had open refuses, the cache survives. `power_loss()` after it
puts the platter in the place of the cache: of each dirty sector the old content, the new, or a torn mix.
"""

# ruff: noqa: N802 - SQLite names the methods of a VFS.

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Final

import apsw

if TYPE_CHECKING:
    from typing_extensions import Buffer

# What a drive writes in one go; SQLite's own default as well.
SECTOR_BYTES: Final = 512
# What the cache marks clean or dirty as one; a failed sync dooms whole pages and a rewrite saves whole pages.
PAGE_SECTORS: Final = 8
# Files whose loss nobody mourns: SQLite deletes them when it closes them.
PASSING: Final = apsw.SQLITE_OPEN_DELETEONCLOSE | apsw.SQLITE_OPEN_TEMP_DB | apsw.SQLITE_OPEN_TRANSIENT_DB


@dataclass
class _File:
    """Tracks how one file's cache differs from its platter.

    size, size_durable: bytes, in the cache and on the platter; size_durable None: the folder does not know
    the file yet. dirty, doomed: sector number -> what the platter holds (short or empty past its end).
    tainted: since a failed sync no good one has made cache and platter equal.
    """

    path: Path
    size: int
    size_durable: int | None
    tainted: bool = False
    dirty: dict[int, bytes] = field(default_factory=dict)
    doomed: dict[int, bytes] = field(default_factory=dict)

    def touch(self, offset: int, length: int) -> None:
        """Remember what the platter holds under the bytes about to change."""
        first, last = offset // SECTOR_BYTES, (offset + length - 1) // SECTOR_BYTES
        if self.doomed:
            for page in range(first // PAGE_SECTORS, last // PAGE_SECTORS + 1):
                for sector in range(page * PAGE_SECTORS, (page + 1) * PAGE_SECTORS):
                    if sector in self.doomed:
                        self.dirty[sector] = self.doomed.pop(sector)
        missing = [sector for sector in range(first, last + 1) if sector not in self.dirty]
        if not missing:
            return
        start = missing[0] * SECTOR_BYTES
        held = b"" if start >= self.size else _read(self.path, start, (last + 1) * SECTOR_BYTES - start)
        for sector in missing:
            at = sector * SECTOR_BYTES - start
            self.dirty[sector] = held[at : at + SECTOR_BYTES]

    def synced(self) -> None:
        self.dirty.clear()
        self.size_durable = self.size
        self.tainted = bool(self.doomed)

    def dropped(self) -> None:
        """A sync failed: what it was to write is clean in the cache and will never be written."""
        for sector, held in self.dirty.items():
            self.doomed.setdefault(sector, held)
        self.dirty.clear()
        self.tainted = True

    def platter(self, random: Random, keep: float) -> bytes | None:
        """The file's content after a power loss; None: nothing, not even its name.

        keep: the chance of each dirty sector to have been written before.
        """
        if self.size_durable is None and random.random() >= keep:
            return None
        cache = self.path.read_bytes() if self.path.exists() else b""
        size_durable = self.size_durable or 0
        size = self.size if random.random() < keep else size_durable
        image = bytearray(max(size, size_durable, len(cache)))
        image[: len(cache)] = cache
        for sector, held in self.doomed.items():
            _put(image, sector, held)
        for sector in sorted(self.dirty):
            start = sector * SECTOR_BYTES
            fate = random.random()
            if fate < keep and start < self.size:
                size = max(size, min(self.size, start + SECTOR_BYTES))
                if random.random() < 0.1:
                    tear = random.randrange(1, SECTOR_BYTES)
                    _put(image, sector, self.dirty[sector], after=tear)
            else:
                _put(image, sector, self.dirty[sector])
        return bytes(image[:size])


def _read(path: Path, offset: int, length: int) -> bytes:
    handle = os.open(path, os.O_RDONLY)
    try:
        return os.pread(handle, length, offset)
    finally:
        os.close(handle)


def _put(image: bytearray, sector: int, held: bytes, after: int = 0) -> None:
    """Put a sector's old content back, from its byte `after` on; what it did not reach is zero."""
    start = sector * SECTOR_BYTES
    if start >= len(image):
        return
    full = held.ljust(SECTOR_BYTES, b"\0")[: len(image) - start]
    image[start + after : start + len(full)] = full[after:]


class Disk(apsw.VFS):
    """A disk for real SQLite files, as a VFS; every fault is asked for, nothing fails by itself.

    name: of the VFS, as `apsw.Connection(path, vfs=name)` wants it. random: decides what a power loss leaves.

    Faults, each of the next operations only, unless it says otherwise:
    `fail_sync` (its data is gone, later syncs say yes and lie about it), `revive_sync` (it fails to the
    caller's eyes, the data is on the platter), `fail_write`, `fail_read` (after so many more), `room` (bytes
    by which files may still grow; None: any number), `down` (every operation fails until it is False again).
    """

    def __init__(self, name: str, random: Random) -> None:
        self.name = name
        self.random = random
        self.life = 0
        self.running = True
        self.files: dict[str, _File] = {}
        self.ghosts: dict[str, bytes] = {}  # deleted, but the folder not synced since: path -> content
        self.fail_sync = False
        self.revive_sync = False
        self.fail_write: int | None = None
        self.fail_read: int | None = None
        self.room: int | None = None
        self.down = False
        self.faults: dict[str, int] = {}
        super().__init__(name, "unix")

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> apsw.VFSFile:
        if name is None or flags[0] & PASSING:
            return apsw.VFSFile("unix", name, flags)
        path = name if isinstance(name, str) else name.filename()
        self.guard(self.life)
        there = Path(path).exists()
        opened = _Open(self, name, path, flags)
        if path not in self.files:
            size = Path(path).stat().st_size
            self.files[path] = _File(Path(path), size, size if there else None)
        return opened

    def xDelete(self, filename: str, syncdir: bool) -> None:
        self.guard(self.life)
        file = self.files.pop(filename, None)
        if file is not None and not syncdir:
            left = file.platter(self.random, 0.0)
            if left is not None:
                self.ghosts.setdefault(filename, left)
        elif syncdir:
            self.ghosts.pop(filename, None)
        super().xDelete(filename, syncdir)

    def guard(self, life: int) -> None:
        """An operation of a process of that life: refused when it is dead or the disk is down."""
        if life != self.life or not self.running:
            raise apsw.exception_for(apsw.SQLITE_IOERR)
        if self.down:
            self.count("down")
            raise apsw.exception_for(apsw.SQLITE_IOERR)

    def count(self, fault: str) -> None:
        self.faults[fault] = self.faults.get(fault, 0) + 1

    def tainted(self) -> bool:
        """Whether some file's cache still differs from its platter because of a failed sync.

        A log in that state, copied into the database and then cut off, leaves a time in which a power loss
        brings back only its first part: no program above SQLite can help that. It ends with the first good
        sync of a commit after the log was truncated.
        """
        return any(file.tainted for file in self.files.values())

    def write_back(self, share: float) -> None:
        """The operating system writes some dirty pages by itself, in no order, as it may at any time."""
        for file in self.files.values():
            for sector in [s for s in file.dirty if self.random.random() < share]:
                del file.dirty[sector]

    def evict(self) -> None:
        """The cache forgets its clean pages: doomed ones show what the platter holds. No file may be open."""
        for file in self.files.values():
            for sector, held in file.doomed.items():
                start = sector * SECTOR_BYTES
                with file.path.open("r+b") as handle:
                    handle.seek(start)
                    handle.write(held.ljust(SECTOR_BYTES, b"\0")[: max(0, file.size - start)])
            file.doomed.clear()

    def kill(self) -> None:
        """The process dies: all that it has open refuses, and so does all else until `start()`."""
        self.life += 1
        self.running = False
        self.fail_sync = self.revive_sync = self.down = False
        self.fail_write = self.fail_read = None

    def start(self) -> None:
        """A new process may open the files; the connections of the dead one have been closed."""
        self.running = True

    def power_loss(self, keep: float) -> None:
        """The platter takes the cache's place. After `kill()`, with every old connection closed.

        keep: chance of each unsynced sector to have reached the platter (0.0: none, 1.0: all).
        """
        self.count("power_loss")
        for path, file in list(self.files.items()):
            left = file.platter(self.random, keep)
            if left is not None:
                file.path.write_bytes(left)
                self.ghosts.pop(path, None)
            else:
                file.path.unlink(missing_ok=True)
            Path(path + "-shm").unlink(missing_ok=True)
        for path, left in self.ghosts.items():
            if not Path(path).exists() and self.random.random() >= keep:
                Path(path).write_bytes(left)
        self.ghosts.clear()
        self.files.clear()


class _Open(apsw.VFSFile):
    """An open file handle of one process life."""

    def __init__(self, disk: Disk, name: str | apsw.URIFilename, path: str, flags: list[int]) -> None:
        self.disk = disk
        self.life = disk.life
        self.path = path
        super().__init__("unix", name, flags)

    def xRead(self, amount: int, offset: int) -> bytes:
        self.disk.guard(self.life)
        if self.disk.fail_read is not None:
            self.disk.fail_read -= 1
            if self.disk.fail_read < 0:
                self.disk.fail_read = None
                self.disk.count("fail_read")
                raise apsw.exception_for(apsw.SQLITE_IOERR_READ)
        return super().xRead(amount, offset)

    def xWrite(self, data: Buffer, offset: int) -> None:
        disk = self.disk
        disk.guard(self.life)
        file = disk.files[self.path]
        length = memoryview(data).nbytes
        if disk.fail_write is not None:
            disk.fail_write -= 1
            if disk.fail_write < 0:
                disk.fail_write = None
                disk.count("fail_write")
                raise apsw.exception_for(apsw.SQLITE_IOERR_WRITE)
        grows = offset + length - file.size
        if disk.room is not None and grows > 0:
            if grows > disk.room:
                disk.count("full")
                raise apsw.exception_for(apsw.SQLITE_FULL)
            disk.room -= grows
        file.touch(offset, length)
        super().xWrite(data, offset)
        file.size = max(file.size, offset + length)

    def xTruncate(self, newsize: int) -> None:
        self.disk.guard(self.life)
        file = self.disk.files[self.path]
        if newsize < file.size:
            file.touch(newsize, file.size - newsize)
        super().xTruncate(newsize)
        file.size = newsize

    def xSync(self, flags: int) -> None:
        disk = self.disk
        disk.guard(self.life)
        file = disk.files[self.path]
        if disk.fail_sync:
            disk.fail_sync = False
            disk.count("fail_sync")
            file.dropped()
            raise apsw.exception_for(apsw.SQLITE_IOERR_FSYNC)
        if file.size_durable is None and self.path.endswith(("-wal", "-journal")):
            disk.ghosts.clear()  # SQLite syncs the folder too, once for each new log or journal
        file.synced()
        if disk.revive_sync:
            disk.revive_sync = False
            disk.count("revive_sync")
            raise apsw.exception_for(apsw.SQLITE_IOERR_FSYNC)
