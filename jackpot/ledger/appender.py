"""How does a large batch get into a SQLite file while the next one is decided? By a process of its own.

    python -P -m jackpot.ledger.appender FILE    batches in, what became of each out

A thread of the server waits for the interpreter after each call of SQLite, as long as frames are decided: so
deciding and writing took turns. Where two processors are free, this process gains two fifths of the frames of
a busy floor. A batch and its answer are four bytes of length and a MessagePack value each.

It writes for the server that started it, which holds the file's lock. Should it outlive it by a moment,
the epoch in the file fences it like any older writer.
"""

import asyncio
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec

from jackpot.behind import end_with_the_server
from jackpot.ledger.aside import LEFT, outlast
from jackpot.ledger.journal import Row
from jackpot.ledger.sqlite import SqliteLedger
from jackpot.ledger.store import CommitInDoubt, DataRefused, Fenced, LedgerCorrupt, LedgerError

ENDED: Final = "the process that writes large batches has ended"
# A limit of the system, or a lack of memory: the next one would end like it.
NEVER_ANSWERED: Final = f"{ENDED} before its first answer, and no other is started"
# It has the batch in hand to write, and the file to close. Nobody waits for a disk that takes longer.
ENDS_WITHIN_S: Final = 10.0
_LENGTH_BYTES: Final = 4
_ERRORS: Final[dict[str, type[LedgerError]]] = {
    kind.__name__: kind for kind in (DataRefused, Fenced, LedgerCorrupt, CommitInDoubt)
}


class Batch(msgspec.Struct, frozen=True, array_like=True):
    """What `append` of a Store is given."""

    bank: str
    epoch: int
    seq_before: int
    rows: Sequence[Row]


class Answer(msgspec.Struct, frozen=True, array_like=True):
    """error: which of a Store's errors it was, by name; empty where the batch is durable."""

    error: str = ""
    text: str = ""


class Appender:
    """The server's side: one batch at a time. The process starts with the first, and again after `recover`.

    path: of the file, which this server has open already. proven: the process that was started last has
    answered. Where one fails before it has, batches are better written without it.
    """

    def __init__(self, path: Path) -> None:
        self.proven = False
        self._path = path
        self._turn = asyncio.Lock()
        self._process: Process | None = None
        self._doubt = ""

    async def append(self, bank: str, epoch: int, seq_before: int, rows: Sequence[Row]) -> None:
        """As of a Store: after CommitInDoubt `recover` must follow, before the file is looked at."""
        async with asyncio.TaskGroup() as group:
            asked = group.create_task(self._ask(Batch(bank, epoch, seq_before, rows)))
            cancelled = await outlast(asked)
        answer = asked.result()
        if answer.error:
            raise _ERRORS[answer.error](answer.text)
        if cancelled is not None:
            raise cancelled

    async def recover(self) -> None:
        """After doubt: returns once the process holds the file no more."""
        if self._doubt and self._process is not None:
            await _end(self._process)
            self._process = None
        self._doubt = ""

    def leave(self) -> None:
        """Waits no longer for anything that was asked."""
        self._doubt = LEFT
        if self._process is not None and self._process.stdout is not None:
            _kill(self._process)
            self._process.stdout.feed_eof()

    async def close(self) -> None:
        """Ends the process, once it has written what it was given."""
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.close()
            try:
                await asyncio.wait_for(self._process.wait(), ENDS_WITHIN_S)
            except TimeoutError:
                await _end(self._process)

    async def _ask(self, batch: Batch) -> Answer:
        async with self._turn:
            if not self._doubt:
                answer = await self._answer_to(batch)
                self._doubt = answer.text if answer.error == CommitInDoubt.__name__ else ""
                return answer
        return Answer(CommitInDoubt.__name__, self._doubt)

    async def _answer_to(self, batch: Batch) -> Answer:
        try:
            if self._process is None:
                self.proven = False
                words = "-P", "-m", __spec__.name, str(self._path)
                self._process = await asyncio.create_subprocess_exec(
                    sys.executable, *words, stdin=PIPE, stdout=PIPE
                )
            to, back = self._process.stdin, self._process.stdout
            assert to is not None  # noqa: S101 - they are pipes
            assert back is not None  # noqa: S101
            to.write(_framed(batch))
            length = await back.readexactly(_LENGTH_BYTES)
            said = await back.readexactly(int.from_bytes(length, "big"))
        except (OSError, asyncio.IncompleteReadError):
            return Answer(CommitInDoubt.__name__, self._doubt or (ENDED if self.proven else NEVER_ANSWERED))
        self.proven = True
        return msgspec.msgpack.decode(said, type=Answer)


async def _end(process: Process) -> None:
    _kill(process)
    await process.wait()


def _kill(process: Process) -> None:
    with suppress(ProcessLookupError):  # it has ended by itself
        process.kill()


def _framed(value: Batch | Answer) -> bytes:
    data = msgspec.msgpack.encode(value)
    return len(data).to_bytes(_LENGTH_BYTES, "big") + data


def main(path: str) -> None:
    """The process: it ends when nothing follows. Signals to end are the server's, which then closes it."""
    end_with_the_server()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    read, write = sys.stdin.buffer, sys.stdout.buffer
    ledger = SqliteLedger(path, second=True)
    decoder = msgspec.msgpack.Decoder(Batch)
    while length := read.read(_LENGTH_BYTES):
        batch = decoder.decode(read.read(int.from_bytes(length, "big")))
        write.write(_framed(_written(ledger, batch)))
        write.flush()
        with suppress(CommitInDoubt):  # the file is in doubt then, and the next batch says so
            ledger.checkpoint()
    ledger.close()


def _written(ledger: SqliteLedger, batch: Batch) -> Answer:
    try:
        ledger.append(batch.bank, batch.epoch, batch.seq_before, batch.rows)
    except tuple(_ERRORS.values()) as error:
        return Answer(type(error).__name__, str(error))
    return Answer()


if __name__ == "__main__":
    main(sys.argv[1])
