"""Idempotency cache of the server's own acts, which no bank's journal remembers."""

import asyncio
from collections.abc import Awaitable, Callable

from jackpot.api.operation import NotDone, Reply
from jackpot.rules.codes import Code
from jackpot.rules.commands import KEY_BYTES
from jackpot.rules.state import ACTS_KEPT
from jackpot.text import RefusalSentence


class IdempotencyCache:
    """Remembers answers as long as the process lives; a bank remembers its acts in the journal.

    kept: else only while the act is being done, so that a concurrent duplicate gets the same answer.
    """

    def __init__(self, *, kept: bool = True) -> None:
        self._kept = kept
        self._answers: dict[bytes, tuple[bytes, asyncio.Future[Reply]]] = {}

    async def done(self, digest: bytes, work: Callable[[], Awaitable[Reply]]) -> Reply:
        """Performs it, or gives the answer of the first time; a refusal is tried again. Raises NotDone."""
        key = digest[-KEY_BYTES:]
        before = self._answers.get(key)
        if before is not None and before[0] != digest:
            raise NotDone(Code.KEY_USED, "the key was used for another act")
        if before is not None:
            return await asyncio.shield(before[1])
        answer: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        self._answers[key] = digest, answer
        if len(self._answers) > ACTS_KEPT:
            del self._answers[next(iter(self._answers))]
        try:
            answer.set_result(await work())
        except BaseException as error:
            self._answers.pop(key, None)
            answer.set_exception(
                NotDone(Code.INTERNAL, RefusalSentence("the first try failed: {error}", error=error))
            )
            answer.exception()  # nobody else may have waited for it
            raise
        if not self._kept:
            del self._answers[key]
        return answer.result()
