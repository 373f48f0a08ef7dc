"""Persistent log of a table, which survives power loss.

It is a write-ahead log. A record is written before its command is sent, or before an answer is acted on. So
an unanswered command survives, and so does the highest answered number. `controllers.table` defines the
records.
"""

import os
import zlib
from pathlib import Path
from typing import Any, BinaryIO, Final, Protocol

import msgpack

Record = list[Any]

HEAD_BYTES: Final = 8
"""Length and CRC-32 before each record: a torn last write is told from a whole one."""


class Memory(Protocol):
    """Interface of a table's log. size: in bytes, so that its owner knows when to start a new one."""

    size: int

    def load(self) -> list[Record]:
        """All records, oldest first."""

    def append(self, record: Record) -> None:
        """Add one; it is safe when this returns."""

    def replace(self, record: Record) -> None:
        """Replace all records by one, atomically."""


class VolatileMemory:
    """Keeps the log in `records`, for tables that may forget and for simulations."""

    def __init__(self) -> None:
        self.records: list[bytes] = []
        self.size = 0

    def load(self) -> list[Record]:
        return [msgpack.unpackb(record, strict_map_key=False) for record in self.records]

    def append(self, record: Record) -> None:
        self.records.append(msgpack.packb(record))
        self.size += len(self.records[-1])

    def replace(self, record: Record) -> None:
        self.records.clear()
        self.size = 0
        self.append(record)


class FileMemory:
    """Keeps the log in a file. sync: off, the records survive the program's end but not the power's."""

    def __init__(self, path: Path, *, sync: bool = True) -> None:
        self._path = path
        self._sync = sync
        self._file = path.open("a+b")
        self.size = 0
        self._sync_folder()

    def load(self) -> list[Record]:
        """All whole records; a torn last one is cut off."""
        self._file.seek(0)
        data = self._file.read()
        records = []
        self.size = 0
        while (end := self.size + HEAD_BYTES) <= len(data):
            length = int.from_bytes(data[self.size : self.size + 4], "big")
            checksum = int.from_bytes(data[self.size + 4 : end], "big")
            body = data[end : end + length]
            if len(body) < length or zlib.crc32(body) != checksum:
                break
            records.append(msgpack.unpackb(body, strict_map_key=False))
            self.size = end + length
        self._file.truncate(self.size)
        return records

    def append(self, record: Record) -> None:
        data = _bytes_of(record)
        self._file.write(data)
        self._flush(self._file)
        self.size += len(data)

    def replace(self, record: Record) -> None:
        """Write a new file, and rename it over the old one once it is whole."""
        path = self._path.with_suffix(self._path.suffix + ".new")
        data = _bytes_of(record)
        new = path.open("w+b")
        try:
            new.write(data)
            self._flush(new)
            path.replace(self._path)
        except BaseException:
            new.close()
            raise
        self._file.close()
        self._file, self.size = new, len(data)
        self._sync_folder()

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _flush(self, file: BinaryIO) -> None:
        file.flush()
        if self._sync:
            os.fsync(file.fileno())

    def _sync_folder(self) -> None:
        """Sync the folder: a file survives a power loss only once its folder entry is written."""
        if not self._sync:
            return
        folder = os.open(self._path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _bytes_of(record: Record) -> bytes:
    body: bytes = msgpack.packb(record)
    return len(body).to_bytes(4, "big") + zlib.crc32(body).to_bytes(4, "big") + body
