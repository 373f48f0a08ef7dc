"""Collects exceptions raised in event-loop callbacks, which no awaiting code would see."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import pytest

_TOLD: Final = asyncio.BaseEventLoop.default_exception_handler


@contextmanager
def failures_of_callbacks() -> Iterator[list[str]]:
    """Collects what callbacks raise meanwhile, those of protocols included.

    A lost connection is not counted; nor is the end of a loop, which cancels what still serves a
    stream: Python 3.11 reports that as one.
    """
    failed: list[str] = []

    def note(loop: asyncio.BaseEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        of_callback = "handle" in context or "protocol" in context
        if of_callback and error is not None and not isinstance(error, OSError | asyncio.CancelledError):
            failed.append(f"{context['message']}: {error!r}")
        _TOLD(loop, context)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(asyncio.BaseEventLoop, "default_exception_handler", note)
        yield failed
