"""Runs blocking calls in one thread, in order, and lets callers await them."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from math import inf
from queue import SimpleQueue
from threading import Thread
from typing import Any, Final, TypeVar

from jackpot.clock import CHARGED, thread_seconds
from jackpot.ledger.store import CommitInDoubt

LEFT: Final = "the ledger did not answer in time, and is not waited for"

T = TypeVar("T")


async def outlast(
    call: asyncio.Future[Any], drop: Callable[[], None] = lambda: None
) -> asyncio.CancelledError | None:
    """Waits until the call is done. Returns the last cancellation of the caller, if any.

    drop: called for each cancellation, to end the call. The caller decides what to raise: the call's own
    error comes first.
    """
    cancelled: asyncio.CancelledError | None = None
    while not call.done():
        try:
            await asyncio.wait((call,))
        except asyncio.CancelledError as error:
            cancelled = error
            drop()
    return cancelled


class ThreadCall(asyncio.Future[T]):
    """Future of a thread job. Cancelling the caller does not cancel it: `drop` is called, and the caller
    waits.
    """

    def __init__(self, drop: Callable[[], None]) -> None:
        super().__init__()
        self._drop = drop
        self.charged = CHARGED.get()

    def cancel(self, msg: Any | None = None) -> bool:  # noqa: ARG002 - as of a Future
        """Called when the caller's task is cancelled, which takes effect once the job has ended."""
        if not self.done():
            self._drop()
        return False

    def end(self, given: Any, error: BaseException | None) -> None:
        """Completes the call, if it is still awaited."""
        if self.done():
            return
        if error is None:
            self.set_result(given)
        else:
            self.set_exception(error)

    def leave(self) -> None:
        """Abandons the call."""
        self.end(None, CommitInDoubt(LEFT))


class ThreadExecutor:
    """Executor of one daemon thread, in order. The process can end while a hanging disk blocks it."""

    def __init__(self) -> None:
        self._waiting: set[ThreadCall[Any]] = set()
        self._calls: SimpleQueue[tuple[ThreadCall[Any] | None, Callable[[], Any]] | None] = SimpleQueue()
        Thread(target=self._work, name="ledger", daemon=True).start()

    def _work(self) -> None:
        while (asked := self._calls.get()) is not None:
            call, work = asked
            if call is not None and call.done():
                continue
            given, error = None, None
            charged = None if call is None else call.charged
            began = 0.0 if charged is None else thread_seconds()
            try:
                given = work()
            except BaseException as raised:  # noqa: BLE001 - it is raised where the call was made
                error = raised
            if call is not None:
                with suppress(RuntimeError):  # its loop is closed: nobody is there to hear of it
                    if charged is not None:
                        call.get_loop().call_soon_threadsafe(charged, thread_seconds() - began)
                    call.get_loop().call_soon_threadsafe(call.end, given, error)

    async def run(
        self, work: Callable[[], T], drop: Callable[[], None] = lambda: None, within_s: float = inf
    ) -> T:
        """Runs a job in the thread. A cancelled caller waits for its end; then the job's error or
        CancelledError is raised.

        drop: called when the caller is cancelled. within_s: how long this call is waited for.
        Raises CommitInDoubt where it is not waited for any more.

        The thread wakes the caller directly: each commit passes here, and one more task or future costs a
        lone wager 50 us on an idle processor.
        """
        call = ThreadCall[T](drop)
        self._calls.put((call, work))
        self._waiting.add(call)
        late = None if within_s == inf else call.get_loop().call_later(within_s, call.leave)
        try:
            return await call
        except asyncio.CancelledError:
            call.result()  # which raises the work's own error, if it has one
            raise
        finally:
            self._waiting.discard(call)
            if late is not None:
                late.cancel()

    def later(self, work: Callable[[], Any]) -> None:
        """Schedules a job that nobody awaits: a failure of it must show itself in the next call."""
        self._calls.put((None, work))

    def leave(self) -> None:
        """Abandons all calls; jobs that have not begun never do."""
        for call in self._waiting:
            call.leave()

    def end(self) -> None:
        """Ends the thread after the queued jobs."""
        self._calls.put(None)
