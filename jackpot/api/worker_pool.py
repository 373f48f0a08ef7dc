"""Pool of worker processes for long queries. Each worker takes one question, answers it, and exits.

A thread would make the tables' frames late. The process runs nothing of the working directory, yields to the
server's own (`jackpot.worker_limits`), and is ended at its time limit, or once nobody waits for it.
"""

import asyncio
import os
import sys
from asyncio import StreamReader, Task
from asyncio.subprocess import PIPE
from collections import Counter, defaultdict
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from tempfile import TemporaryDirectory
from typing import Final

import structlog

from jackpot.api.operation import BadRequest, NotDone
from jackpot.rules.codes import Code
from jackpot.text import RefusalSentence
from jackpot.worker_limits import PROGRESS
from jackpot.worker_refusal import WorkerRefusal

# For one person, of one question: the dozen pictures of a page, and of the page loaded once more.
JOINED_EACH: Final = 32
# Bytes of what a process complains of: the last frames of a traceback, which say what failed.
COMPLAINT_MAX: Final = 8 * 1024
# Bytes of an answer before which a process tells how far it is; such a one is some kilobytes.
ANSWER_MAX: Final = 8 * 1024 * 1024
# As asyncio has it by itself: such an answer is read without lines.
_LINE_MAX: Final = 2**16
# What each process is told of the server's environment: where programs, modules and this user's files are,
# how people here write, and where the certificates lie. The server's secrets are none of its business.
_TOLD: Final = (
    "HOME",
    "LANG",
    "LC_ALL",
    "LD_LIBRARY_PATH",
    "PATH",
    "PYTHONDONTWRITEBYTECODE",
    "PYTHONPATH",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
    "TMPDIR",
    "TZ",
)
# One of these processes takes one processor, and no memory for threads that it does not start.
_ALONE: Final = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
log: Final = structlog.get_logger()


def refused_by(refusal: WorkerRefusal) -> BadRequest | NotDone:
    """What a worker refuses, as people and programs are told it."""
    said = refusal.said.sentence()
    return BadRequest(said) if refusal.code is Code.BAD_REQUEST else NotDone(refusal.code, said)


class WorkerTimeout(NotDone):
    """A process did not answer within its time, and was ended."""


Progress = Callable[[int, int], None]
"""Takes how much of the work is done, and how much there is."""


@dataclass(eq=False)
class _PendingQuestion:
    """One question until its answer. waiting: by person, how often they wait, the first one first."""

    work: Task[bytes]
    waiting: Counter[int] = field(default_factory=Counter)

    def of(self, person: int) -> bool:
        """Whether it counts for that person: they have waited longest."""
        return next(iter(self.waiting)) == person


class WorkerPool:
    """Runs questions in worker processes of one module.

    called: what answers, in words for people. each_max: questions of one person that wait or are worked at.
    total_max: of all people. at_once: of processes, of each kind of question. told: prefixes of further
    environment variables that they get. own_folder: each runs in a new folder, which is removed with it.
    """

    def __init__(
        self,
        module: str,
        called: str,
        *,
        each_max: int,
        total_max: int,
        at_once: int = 1,
        told: tuple[str, ...] = (),
        own_folder: bool = False,
    ) -> None:
        # -P: nothing is run that somebody put into the working directory.
        self._program: tuple[str, ...] = (sys.executable, "-P", "-m", module)
        self._called = called
        self._each_max, self._total_max = each_max, total_max
        self._told, self._own_folder = told, own_folder
        self._turns: defaultdict[str, asyncio.Semaphore] = defaultdict(lambda: asyncio.Semaphore(at_once))
        self._asked: dict[bytes, _PendingQuestion] = {}
        self._progress: defaultdict[bytes, list[Progress]] = defaultdict(list)

    async def ask_with_progress(
        self, question: bytes, person: int, within_s: float, progress: Progress
    ) -> bytes:
        """As `ask`, of a module that says how far it is. progress: takes that, for each who asks the same."""
        self._progress[question].append(progress)
        try:
            return await self.ask(question, person, within_s)
        finally:
            self._progress[question].remove(progress)
            if not self._progress[question]:
                del self._progress[question]

    def _tell(self, question: bytes, done: int, of: int) -> None:
        """Tells all who wait for a question how far it is."""
        for progress in self._progress.get(question, ()):
            progress(done, of)

    async def ask(self, question: bytes, person: int, within_s: float, kind: str = "") -> bytes:
        """Asks a process; who asks the same meanwhile gets the same answer.

        It ends when the last of those who wait for it is cancelled. within_s: from its turn on. kind: a
        question waits for none of another kind. Raises NotDone if too many wait, or if it fails, and
        WorkerTimeout.
        """
        asking = self._asked.get(question)
        if asking is None:
            self._admit(person)
            # Of no one asker's group, as any of them may leave: the last one who does sees its end.
            work = asyncio.create_task(self._in_turn(question, within_s, kind))  # noqa: TID251 - see above
            asking = self._asked[question] = _PendingQuestion(work)
        elif asking.waiting[person] >= JOINED_EACH:
            raise NotDone(
                Code.BUSY,
                RefusalSentence(
                    "{called} works at this for you already: wait for its answer", called=self._called
                ),
            )
        asking.waiting[person] += 1
        try:
            return await asyncio.shield(asking.work)
        finally:
            asking.waiting[person] -= 1
            if not asking.waiting[person]:
                del asking.waiting[person]
            if not asking.waiting:
                del self._asked[question]
                asking.work.cancel()
                await asyncio.wait([asking.work])

    def _admit(self, person: int) -> None:
        """Raises NotDone if a new question of that person is one too many."""
        if sum(asking.of(person) for asking in self._asked.values()) >= self._each_max:
            raise NotDone(
                Code.BUSY,
                RefusalSentence(
                    "{called} works for you already: try again in some seconds", called=self._called
                ),
            )
        if len(self._asked) >= self._total_max:
            raise NotDone(
                Code.BUSY,
                RefusalSentence("{called} works for others: try again in some seconds", called=self._called),
            )

    async def _in_turn(self, question: bytes, within_s: float, kind: str) -> bytes:
        async with self._turns[kind]:
            return await self._answer(question, within_s)

    async def _answer(self, question: bytes, within_s: float) -> bytes:
        """Asks a new process."""
        try:
            with self._folder() as folder:
                status, said, complaint = await self._run(question, within_s, folder)
        except TimeoutError as late:
            raise WorkerTimeout(
                Code.BUSY,
                RefusalSentence(
                    "{called} did not answer within {within_s} s",
                    called=self._called,
                    within_s=f"{within_s:.0f}",
                ),
            ) from late
        except OSError as error:  # no descriptor, no process, no room for its folder
            log.warning("process_not_started", what=self._called, reason=str(error))
            raise NotDone(
                Code.BUSY,
                RefusalSentence("{called} cannot begin now: try again in some seconds", called=self._called),
            ) from error
        if status:
            log.error("process_failed", what=self._called, complaint=complaint.decode(errors="replace"))
            raise NotDone(
                Code.INTERNAL, RefusalSentence("{called} failed: the log says how", called=self._called)
            )
        return said

    def _folder(self) -> AbstractContextManager[str | None]:
        """A temporary folder that the server makes and removes: a killed process cleans nothing up."""
        if not self._own_folder:
            return nullcontext()
        return TemporaryDirectory(prefix="jackpot-", ignore_cleanup_errors=True)

    async def _run(
        self, question: bytes, within_s: float, folder: str | None
    ) -> tuple[int | None, bytes, bytes]:
        """Runs a new process: its exit code, its output, and the end of its standard error.

        Raises TimeoutError, and OSError if it cannot be started.
        """
        process = await asyncio.create_subprocess_exec(
            *self._program,
            stdin=PIPE,
            stdout=PIPE,
            stderr=PIPE,
            cwd=folder,
            env=self._environment(folder),
            limit=ANSWER_MAX if question in self._progress else _LINE_MAX,
        )
        assert process.stdin is not None  # noqa: S101 - a pipe, as the other two
        assert process.stdout is not None  # noqa: S101
        assert process.stderr is not None  # noqa: S101
        try:
            async with asyncio.timeout(within_s), asyncio.TaskGroup() as reading:
                told = partial(self._tell, question) if question in self._progress else None
                said = reading.create_task(_answer_of(process.stdout, told))
                complaint = reading.create_task(_end_of(process.stderr))
                process.stdin.write(question)
                process.stdin.close()
                await process.wait()
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        return process.returncode, said.result(), complaint.result()

    def _environment(self, folder: str | None) -> dict[str, str]:
        told = {
            name: value for name, value in os.environ.items() if name in _TOLD or name.startswith(self._told)
        }
        # Where matplotlib looks for its settings, and keeps the list of fonts that it makes.
        return told | _ALONE | ({} if folder is None else {"MPLCONFIGDIR": folder})


async def _answer_of(stream: StreamReader, progress: Progress | None) -> bytes:
    """Reads the answer. progress: takes how far the work is, which comes before it line by line."""
    if progress is None:
        return await stream.read()
    while (line := await stream.readline()).startswith(PROGRESS):
        done, of = line.removeprefix(PROGRESS).split()
        progress(int(done), int(of))
    return line + await stream.read()


async def _end_of(stream: StreamReader) -> bytes:
    """Reads a stream to its end, so that the writer never blocks; keeps the last bytes."""
    kept = b""
    while piece := await stream.read(COMPLAINT_MAX):
        kept = (kept + piece)[-COMPLAINT_MAX:]
    return kept
