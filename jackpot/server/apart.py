"""How is long work done next to the tables? In a process of its own, which is asked once, answers, and ends.

A thread would make the tables' frames late. The process runs nothing of the working directory, goes behind
the server's own (`jackpot.behind`), and is ended at its time limit, or once nobody waits for it.
"""

import asyncio
import os
import sys
from asyncio.subprocess import PIPE
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Final

import structlog

from jackpot.rules.codes import Code
from jackpot.server.asks.ask import NotDone

# One of these processes takes one processor, and no memory for threads that it does not start.
_ALONE: Final = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
log: Final = structlog.get_logger()


class Late(NotDone):
    """A process did not answer within its time, and was ended."""


@dataclass(eq=False)
class _Asking:
    """One question, until it has its answer, or its failure. person: who asked it first.

    waiting: how many wait for it. lock: of the one of them who has a process answer it.
    """

    person: int
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    waiting: int = 0
    answer: bytes | None = None
    failure: NotDone | None = None


class Apart:
    """Asks the processes of one module.

    called: what answers, in words for people. each: questions of one person that wait or are worked at. most:
    of all people. at_once: of processes, of each kind of question.
    """

    def __init__(self, module: str, called: str, *, each: int, most: int, at_once: int = 1) -> None:
        # -P: nothing is run that somebody put into the working directory.
        self._program: tuple[str, ...] = (sys.executable, "-P", "-m", module)
        self._called = called
        self._each, self._most = each, most
        self._turns: defaultdict[str, asyncio.Semaphore] = defaultdict(lambda: asyncio.Semaphore(at_once))
        self._asked: dict[bytes, _Asking] = {}

    async def ask(self, question: bytes, person: int, within_s: float, kind: str = "") -> bytes:
        """What a process answers; who asks the same meanwhile gets the same answer.

        within_s: from its turn on. kind: it waits for no question of another one. Raises NotDone where too
        many wait, or where it fails; Late.
        """
        asking = self._asked.get(question)
        if asking is None:
            asking = self._asked[question] = self._first(person)
        asking.waiting += 1
        try:
            async with asking.lock:  # where the one who has it leaves, the next one asks
                return await self._answered(question, asking, within_s, kind)
        finally:
            asking.waiting -= 1
            if not asking.waiting:
                del self._asked[question]

    def _first(self, person: int) -> _Asking:
        if sum(one.person == person for one in self._asked.values()) >= self._each:
            raise NotDone(Code.BUSY, f"{self._called} works for you already: try again in some seconds")
        if len(self._asked) >= self._most:
            raise NotDone(Code.BUSY, f"{self._called} works for others: try again in some seconds")
        return _Asking(person)

    async def _answered(self, question: bytes, asking: _Asking, within_s: float, kind: str) -> bytes:
        if asking.failure is not None:
            raise asking.failure
        if asking.answer is None:
            try:
                async with self._turns[kind]:
                    asking.answer = await self._answer(question, within_s)
            except NotDone as failure:
                asking.failure = failure
                raise
        return asking.answer

    async def _answer(self, question: bytes, within_s: float) -> bytes:
        """Asks a new process."""
        process = await asyncio.create_subprocess_exec(
            *self._program, stdin=PIPE, stdout=PIPE, stderr=PIPE, env=os.environ | _ALONE
        )
        try:
            async with asyncio.timeout(within_s):
                said, complaint = await process.communicate(question)
        except TimeoutError as late:
            raise Late(Code.BUSY, f"{self._called} did not answer within {within_s:.0f} s") from late
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        if process.returncode:
            log.error("process_failed", what=self._called, complaint=complaint.decode(errors="replace"))
            raise NotDone(Code.INTERNAL, f"{self._called} failed: the log says how")
        return said
