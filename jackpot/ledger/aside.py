"""How does work that blocks leave the event loop, and who waits for it? A thread in order, and one wait."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from math import inf
from queue import SimpleQueue
from threading import Thread
from typing import Any, Final, TypeVar

from jackpot.ledger.store import CommitInDoubt

LEFT: Final = "the ledger did not answer in time, and is not waited for"

T = TypeVar("T")


async def outlast(
    call: asyncio.Future[Any], drop: Callable[[], None] = lambda: None
) -> asyncio.CancelledError | None:
    """Returns once the call is done, with the last cancellation of the caller, if there was one.

    drop: called for each cancellation, to bring the end of the call about. What to raise is the caller's
    decision: the call's own error comes first.
    """
    cancelled: asyncio.CancelledError | None = None
    while not call.done():
        try:
            await asyncio.wait((call,))
        except asyncio.CancelledError as error:
            cancelled = error
            drop()
    return cancelled


class Aside:
    """Work in one thread, in order. No end of the process waits for it: a hanging disk holds it for ever."""

    def __init__(self) -> None:
        self._waiting: set[asyncio.Future[Any]] = set()
        self._calls: SimpleQueue[tuple[Future[Any], Callable[[], Any]] | None] = SimpleQueue()
        Thread(target=self._work, name="ledger", daemon=True).start()

    def _work(self) -> None:
        while (asked := self._calls.get()) is not None:
            call, work = asked
            if call.set_running_or_notify_cancel():
                try:
                    call.set_result(work())
                except BaseException as error:  # noqa: BLE001 - it is raised where the call was made
                    call.set_exception(error)

    async def run(
        self, work: Callable[[], T], drop: Callable[[], None] = lambda: None, within_s: float = inf
    ) -> T:
        """A cancelled caller waits for the end; then the work's error is raised, or CancelledError.

        drop: called when the caller is cancelled. within_s: how long this call is waited for.
        Raises CommitInDoubt where it is not waited for any more.
        """
        asked: Future[T] = Future()
        call = asyncio.wrap_future(asked)
        self._waiting.add(call)
        self._calls.put((asked, work))
        late = None if within_s == inf else asyncio.get_running_loop().call_later(within_s, call.cancel)
        cancelled = await outlast(call, drop)
        if late is not None:
            late.cancel()
        self._waiting.discard(call)
        if call.cancelled():
            raise CommitInDoubt(LEFT)
        if cancelled is not None and call.exception() is None:
            raise cancelled
        return call.result()

    def later(self, work: Callable[[], Any]) -> None:
        """Work that nobody waits for: a failure of it must show itself in the next call."""
        self._calls.put((Future(), work))

    def leave(self) -> None:
        """Waits no longer for anything that was asked; what has not begun never does."""
        for call in self._waiting:
            call.cancel()

    def end(self) -> None:
        """Lets the thread end after what was asked of it."""
        self._calls.put(None)
