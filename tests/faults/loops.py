"""A deterministic asyncio event loop, whose time and order are those of the simulated timeline.

Every simulated process has a loop of its own, and with it a monotonic clock that may run a little fast or
slow. A frozen process runs nothing; when it wakes, what came over its connections runs first, then all
timers that came due meanwhile, as in a real loop. A dead one never runs again.
"""

from __future__ import annotations

import asyncio
from asyncio import events
from collections import deque
from collections.abc import Callable, Coroutine
from contextvars import Context
from functools import partial
from inspect import CORO_CREATED, getcoroutinelocals, getcoroutinestate, iscoroutine
from itertools import count
from typing import Any, Final

from tests.faults.network import Timeline

# Rounds in which a dead process's tasks are let go; each may catch its end a few times.
BURIALS: Final = 200
# Seconds until a thread has done its work.
THREAD_S: Final = 0.001


class Crashed(BaseException):
    """The process dies in the middle of its own code; none of that may catch it."""


class FalseFuture(asyncio.Future[Any]):
    """A future that hashes by its number instead of its address, so that sets are deterministic."""

    def __init__(self, loop: FalseLoop) -> None:
        self._number = next(loop.numbers)
        super().__init__(loop=loop)

    def __hash__(self) -> int:
        return self._number


class FalseTask(asyncio.Task[Any]):
    """A task that hashes by its number and is named by it."""

    def __init__(
        self, coro: Coroutine[Any, Any, Any], loop: FalseLoop, name: str | None, context: Context | None
    ) -> None:
        self._number = next(loop.numbers)
        super().__init__(coro, loop=loop, name=name or f"task {self._number}", context=context)

    def __hash__(self) -> int:
        return self._number


def _close_unbegun(work: Any) -> None:
    """Closes the coroutines of a task that never ran, so that they do not warn."""
    if iscoroutine(work) and getcoroutinestate(work) == CORO_CREATED:
        for inner in getcoroutinelocals(work).values():
            if iscoroutine(inner):
                inner.close()


class FalseLoop(asyncio.AbstractEventLoop):
    """The simulated loop. rate, offset: its clock against the timeline's. ran: called after each callback.

    crashed: whether the process has just died in its own code; on_crash: called then.
    """

    def __init__(self, timeline: Timeline, rate: float, offset: float, ran: Callable[[], None]) -> None:
        self.timeline = timeline
        self.frozen = self.dead = self.crashed = False
        self.on_crash: Callable[[], None] = self.bury
        self.tasks: list[asyncio.Task[Any]] = []
        self.troubles: list[BaseException] = []
        self._rate = rate
        self._offset = offset
        self._ran = ran
        self._ready: deque[asyncio.Handle] = deque()
        self._overdue: list[asyncio.Handle] = []
        self._armed = False
        self.numbers = count(1)

    def time(self) -> float:
        return self.timeline.now * self._rate + self._offset

    def freeze(self) -> None:
        self.frozen = True

    def thaw(self) -> None:
        self.frozen = False
        self._ready.extend(self._overdue)
        self._overdue.clear()
        self._arm()

    def bury(self) -> None:
        """Cancels all tasks of a dead process; none of them has any further effect."""
        self.dead = True
        for _ in range(BURIALS):
            left = [task for task in self.tasks if not task.done()]
            if not left:
                break
            for task in left:
                _close_unbegun(task.get_coro())
                task.cancel()
            self._run_ready()
        self.tasks.clear()
        self._ready.clear()

    # What asyncio asks of a loop

    def call_soon(  # type: ignore[override]
        self, callback: Callable[..., Any], *args: Any, context: Context | None = None
    ) -> asyncio.Handle:
        handle = asyncio.Handle(callback, args, self, context)
        self._ready.append(handle)
        self._arm()
        return handle

    def call_later(  # type: ignore[override]
        self, delay: float, callback: Callable[..., Any], *args: Any, context: Context | None = None
    ) -> asyncio.TimerHandle:
        return self.call_at(self.time() + delay, callback, *args, context=context)

    def call_at(  # type: ignore[override]
        self, when: float, callback: Callable[..., Any], *args: Any, context: Context | None = None
    ) -> asyncio.TimerHandle:
        handle = asyncio.TimerHandle(when, callback, args, self, context)
        self.timeline.at((when - self._offset) / self._rate, partial(self._due, handle))
        return handle

    def create_future(self) -> asyncio.Future[Any]:
        return FalseFuture(self)

    def create_task(  # type: ignore[override]
        self, coro: Coroutine[Any, Any, Any], *, name: str | None = None, context: Context | None = None
    ) -> asyncio.Task[Any]:
        task = FalseTask(coro, self, name, context)
        self.tasks = [*(one for one in self.tasks if not one.done()), task]
        return task

    def call_exception_handler(self, context: dict[str, Any]) -> None:
        """Fails the run: a callback must not raise here."""
        error = context.get("exception")
        if error is not None and not self.dead and not self.crashed:
            self.troubles.append(error)

    def run_in_executor(  # type: ignore[override]
        self, _executor: object, work: Callable[..., Any], *args: Any
    ) -> asyncio.Future[Any]:
        """A thread of the process: its work is done in one go a moment later, unless that died by then."""
        done = self.create_future()

        def run() -> None:
            try:
                found = work(*args)
            except Exception as error:  # noqa: BLE001 - the caller's, as of a thread
                if not done.done():
                    done.set_exception(error)
            else:
                if not done.done():
                    done.set_result(found)

        self.call_later(THREAD_S, run)
        return done

    def get_debug(self) -> bool:
        return False

    def is_running(self) -> bool:
        return not self.dead

    def is_closed(self) -> bool:
        return False

    def _timer_handle_cancelled(self, handle: asyncio.TimerHandle) -> None:
        """Does nothing; a cancelled timer is skipped when due."""

    # How it runs

    def _due(self, handle: asyncio.Handle) -> None:
        if handle.cancelled() or self.dead:
            return
        if self.frozen:
            self._overdue.append(handle)
            return
        self._ready.append(handle)
        self._arm()

    def _arm(self) -> None:
        if self._ready and not self._armed and not self.frozen and not self.dead:
            self._armed = True
            self.timeline.after(0.0, self._drain)

    def _drain(self) -> None:
        self._armed = False
        if self.frozen or self.dead:
            return
        self._run_ready()
        if self.crashed:
            self.on_crash()
            return
        self._ran()
        self._arm()

    def _run_ready(self) -> None:
        before = events._get_running_loop()
        events._set_running_loop(self)
        try:
            for _ in range(len(self._ready)):
                handle = self._ready.popleft()
                if not handle.cancelled():
                    handle._run()
                if self.crashed and not self.dead:
                    break  # nothing of it runs any more
        finally:
            events._set_running_loop(before)
