"""Baselines of the machine: the cost of disk flushes and of PostgreSQL COPY, without our server.

Without a pause, or at a floor's pace: a processor that waited in between has forgotten what it does here too.
"""

import asyncio
import os
import secrets
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final

import asyncpg

# A very slow disk is measured by so many flushes, even if they take longer than the time given.
COMMITS_MIN: Final = 5

_TABLE: Final = """
    CREATE TABLE IF NOT EXISTS bare (bank int, seq bigint, at bigint, epoch bigint, kind int, version int,
        digest bytea, body bytea, hash bytea, a bigint, b bigint, c bigint, PRIMARY KEY (bank, seq))
"""
_BODY_BYTES: Final = 60


def flushes(file: Path, size: int, seconds: float, every: float = 0) -> list[float]:
    """Duration in seconds of each append of so many bytes with its flush. every: seconds between."""
    data = secrets.token_bytes(max(size, 1))
    took: list[float] = []
    handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        ends = time.perf_counter() + seconds
        while (began := time.perf_counter()) < ends or len(took) < COMMITS_MIN:
            os.write(handle, data)
            os.fdatasync(handle)
            took.append(time.perf_counter() - began)
            time.sleep(max(0.0, every - took[-1]))
    finally:
        os.close(handle)
        file.unlink()
    return took


async def copies(url: str, rows: int, seconds: float, every: float = 0) -> list[float]:
    """Duration in seconds of each COPY of so many rows with its COMMIT. every: as of `flushes`."""
    connection = await asyncpg.connect(url)
    try:
        await connection.execute(_TABLE)
        first = await connection.fetchval("SELECT coalesce(max(seq), 0) + 1 FROM bare")
        return await _timed(lambda number: _copy(connection, first + number * rows, rows), seconds, every)
    finally:
        await connection.close()


async def _copy(connection: "asyncpg.Connection[asyncpg.Record]", first: int, rows: int) -> None:
    body, digest, row_hash = bytes(_BODY_BYTES), bytes(16), bytes(32)
    records = [(1, first + number, 0, 1, 3, 1, digest, body, row_hash, 0, 0, 0) for number in range(rows)]
    await connection.execute("BEGIN")
    await connection.copy_records_to_table("bare", records=records)
    await connection.execute("COMMIT")


async def _timed(work: Callable[[int], Awaitable[None]], seconds: float, every: float) -> list[float]:
    took: list[float] = []
    ends = time.perf_counter() + seconds
    while (began := time.perf_counter()) < ends or len(took) < COMMITS_MIN:
        await work(len(took))
        took.append(time.perf_counter() - began)
        await asyncio.sleep(max(0.0, every - took[-1]))
    return took
