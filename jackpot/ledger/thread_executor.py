"""How does work that blocks leave the event loop, and who waits for it? A thread in order, and one wait."""

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


class Call(asyncio.Future[T]):
    """What one work gives. Cancelling its caller does not end it: it calls `drop`, and the caller waits."""

    def __init__(self, drop: Callable[[], None]) -> None:
        super().__init__()
        self._drop = drop
        self.charged = CHARGED.get()

    def cancel(self, msg: Any | None = None) -> bool:  # noqa: ARG002 - as of a Future
        """Called by the caller's task, which is cancelled once the work has ended."""
        if not self.done():
            self._drop()
        return False

    def end(self, given: Any, error: BaseException | None) -> None:
        """Ends it, where it is still waited for."""
        if self.done():
            return
        if error is None:
            self.set_result(given)
        else:
            self.set_exception(error)

    def leave(self) -> None:
        """Waits for it no longer."""
        self.end(None, CommitInDoubt(LEFT))


class Aside:
    """Work in one thread, in order. No end of the process waits for it: a hanging disk holds it for ever."""

    def __init__(self) -> None:
        self._waiting: set[Call[Any]] = set()
        self._calls: SimpleQueue[tuple[Call[Any] | None, Callable[[], Any]] | None] = SimpleQueue()
        Thread(target=self._work, name="ledger", daemon=True).start()

    def _work(self) -> None:
        while (asked := self._calls.get()) is not None:
            call, work = asked
            if call is not None and call.done():
                continue
            given, error, began = None, None, thread_seconds()
            try:
                given = work()
            except BaseException as raised:  # noqa: BLE001 - it is raised where the call was made
                error = raised
            if call is not None:
                used = thread_seconds() - began
                with suppress(RuntimeError):  # its loop is closed: nobody is there to hear of it
                    if call.charged is not None:
                        call.get_loop().call_soon_threadsafe(call.charged, used)
                    call.get_loop().call_soon_threadsafe(call.end, given, error)

    async def run(
        self, work: Callable[[], T], drop: Callable[[], None] = lambda: None, within_s: float = inf
    ) -> T:
        """A cancelled caller waits for the end; then the work's error is raised, or CancelledError.

        drop: called when the caller is cancelled. within_s: how long this call is waited for.
        Raises CommitInDoubt where it is not waited for any more.

        Its caller is woken by the thread's word alone: each commit passes here, and a task or a future more
        on the way costs a lone wager 50 us where the processor was idle before.
        """
        call = Call[T](drop)
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
        """Work that nobody waits for: a failure of it must show itself in the next call."""
        self._calls.put((None, work))

    def leave(self) -> None:
        """Waits no longer for anything that was asked; what has not begun never does."""
        for call in self._waiting:
            call.leave()

    def end(self) -> None:
        """Lets the thread end after what was asked of it."""
        self._calls.put(None)
