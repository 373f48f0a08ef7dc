"""Separate process that writes large batches into a SQLite file while the next one is decided.

    python -P -m jackpot.ledger.sqlite.writer_process FILE    batches in, what became of each out

A thread of the server waits for the interpreter after each call of SQLite, as long as frames are decided: so
deciding and writing took turns. Where two processors are free, this process gains two fifths of the frames of
a busy floor. It says GREETING once it can write. A batch and its answer are four bytes of length and a
MessagePack value each.

It writes for the server that started it, which holds the file's lock. Should it outlive it by a moment,
the epoch in the file fences it like any older writer.
"""

import asyncio
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Sequence
from contextlib import suppress
from math import inf
from pathlib import Path
from typing import Final

import msgspec

from jackpot import __version__
from jackpot.ledger.journal import Row
from jackpot.ledger.sqlite.store import SqliteLedger
from jackpot.ledger.store import CommitInDoubt, DataRefused, Fenced, LedgerCorrupt, LedgerError
from jackpot.ledger.thread_executor import LEFT, outlast
from jackpot.worker_limits import end_with_the_server

# A program that was replaced under the server is another one, and greets otherwise.
GREETING: Final = f"jackpot {__version__}\n".encode()
ENDED: Final = "the process that writes large batches has ended"
# A limit of the system, or a lack of memory, would end the next one as well: a doubt a minute at the most.
AGAIN_S: Final = 60.0
# It has the batch in hand to write, and the file to close. Nobody waits for a disk that takes longer.
ENDS_WITHIN_S: Final = 10.0
_LENGTH_BYTES: Final = 4
_ERRORS: Final[dict[str, type[LedgerError]]] = {
    kind.__name__: kind for kind in (DataRefused, Fenced, LedgerCorrupt, CommitInDoubt)
}


class WriterBatch(msgspec.Struct, frozen=True, array_like=True):
    """Arguments of `Store.append`."""

    bank: str
    epoch: int
    seq_before: int
    rows: Sequence[Row]


class WriterAnswer(msgspec.Struct, frozen=True, array_like=True):
    """Result of a batch. error: name of the Store error; empty if the batch is durable."""

    error: str = ""
    text: str = ""


class WriterProcess:
    """Server side of the process: one call at a time. path: of the file, which this server has open
    already.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._process: Process | None = None
        self._greeted = False
        self._started_at = -inf
        self._left = False

    async def ready(self) -> bool:
        """Whether it accepts a batch now. The first call starts the process, which then takes a second.

        It is started once in AGAIN_S at the most.
        """
        if self._greeted:
            return True
        try:
            if self._process is None:
                now = asyncio.get_running_loop().time()
                if now < self._started_at + AGAIN_S:
                    return False
                self._started_at = now
                words = "-P", "-m", __spec__.name, str(self._path)
                # In a group of its own, as Ctrl-C is for the server alone.
                self._process = await asyncio.create_subprocess_exec(
                    sys.executable, *words, stdin=PIPE, stdout=PIPE, process_group=0
                )
            async with asyncio.timeout(0):
                self._greeted = await _read(self._process, len(GREETING)) == GREETING
        except TimeoutError:
            return False
        except (OSError, RuntimeError, asyncio.IncompleteReadError):  # no process, no thread to watch it
            pass
        if not self._greeted:
            await self.end()
        return self._greeted

    async def append(self, bank: str, epoch: int, seq_before: int, rows: Sequence[Row]) -> None:
        """As `Store.append`, if `ready`. After CommitInDoubt `end` must follow."""
        async with asyncio.TaskGroup() as group:
            asked = group.create_task(self._answer_to(WriterBatch(bank, epoch, seq_before, rows)))
            cancelled = await outlast(asked)
        answer = asked.result()
        if answer.error:
            raise _ERRORS[answer.error](answer.text)
        if cancelled is not None:
            raise cancelled

    async def _answer_to(self, batch: WriterBatch) -> WriterAnswer:
        assert self._process is not None  # noqa: S101 - it is ready
        assert self._process.stdin is not None  # noqa: S101 - a pipe
        try:
            self._process.stdin.write(_framed(batch))
            length = await _read(self._process, _LENGTH_BYTES)
            said = await _read(self._process, int.from_bytes(length, "big"))
            return msgspec.msgpack.decode(said, type=WriterAnswer)
        except (OSError, asyncio.IncompleteReadError, msgspec.DecodeError):
            return WriterAnswer(CommitInDoubt.__name__, LEFT if self._left else ENDED)

    async def end(self) -> None:
        """Stops the process; returns once it has released the file."""
        process, self._process, self._greeted = self._process, None, False
        if process is not None:
            _kill(process)
            await process.wait()

    def leave(self) -> None:
        """Abandons calls under way."""
        self._left = True
        if self._process is not None and self._process.stdout is not None:
            _kill(self._process)
            self._process.stdout.feed_eof()

    async def close(self) -> None:
        """Closes the process, after the batch in hand is written."""
        if self._process is not None and self._process.stdin is not None and self._greeted:
            self._process.stdin.close()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._process.wait(), ENDS_WITHIN_S)
        await self.end()


async def _read(process: Process, size: int) -> bytes:
    """Reads exactly so many bytes from the process. Raises OSError, IncompleteReadError."""
    assert process.stdout is not None  # noqa: S101 - a pipe
    return await process.stdout.readexactly(size)


def _kill(process: Process) -> None:
    with suppress(ProcessLookupError):  # it has ended by itself
        process.kill()


def _framed(value: WriterBatch | WriterAnswer) -> bytes:
    data = msgspec.msgpack.encode(value)
    return len(data).to_bytes(_LENGTH_BYTES, "big") + data


def main(path: str) -> None:
    """Main function of the process, which ends at the end of its input. It ignores termination signals: the
    server handles them and closes it.
    """
    end_with_the_server()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    read, write = sys.stdin.buffer, sys.stdout.buffer
    ledger = SqliteLedger(path, second=True)
    decoder = msgspec.msgpack.Decoder(WriterBatch)
    write.write(GREETING)
    write.flush()
    while length := read.read(_LENGTH_BYTES):
        batch = decoder.decode(read.read(int.from_bytes(length, "big")))
        write.write(_framed(_written(ledger, batch)))
        write.flush()
        with suppress(CommitInDoubt):  # the file is in doubt then, and the next batch says so
            ledger.checkpoint()
    ledger.close()


def _written(ledger: SqliteLedger, batch: WriterBatch) -> WriterAnswer:
    try:
        ledger.append(batch.bank, batch.epoch, batch.seq_before, batch.rows)
    except tuple(_ERRORS.values()) as error:
        return WriterAnswer(type(error).__name__, str(error))
    return WriterAnswer()


if __name__ == "__main__":
    main(sys.argv[1])
