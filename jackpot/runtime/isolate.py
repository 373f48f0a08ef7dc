"""Isolates errors of one peer: that peer is dropped and counted, and the others go on.

Code that serves many peers calls what belongs to one of them (a callback of its connection, an answer, a
push, the sweep, a request) through `isolate`. So no error that one peer causes reaches the task group (S9).
"""

from collections.abc import Awaitable, Callable
from typing import Any, Final, ParamSpec, Protocol, TypeVar

import structlog

# Kinds of peers; "answer" is for a peer that is not known.
KINDS: Final = ("admin", "answer", "http", "sign", "stream", "table", "udp")

P = ParamSpec("P")
T = TypeVar("T")
log: Final = structlog.get_logger()

_counts: Final = dict.fromkeys(KINDS, 0)


class Peer(Protocol):
    """The other end of a connection, or of datagrams."""

    @property
    def kind(self) -> str:
        """One of KINDS."""

    def break_off(self) -> None:
        """Ends it at once, whatever was not sent."""


def isolate(peer: Peer, work: Callable[P, T], *args: P.args, **facts: P.kwargs) -> T | None:
    """Calls the work of one peer; where that raises, drops the peer and returns None."""
    try:
        return work(*args, **facts)
    except Exception as error:  # noqa: BLE001 - whatever one peer caused, the others go on
        drop_peer(peer, work, error)
        return None


def drop_peer(peer: Peer, work: Callable[..., Any], error: Exception) -> None:
    """Counts the error that the peer's work raised, and breaks the peer off."""
    failed(peer.kind, _name(work), error)
    try:
        peer.break_off()
    except Exception as worse:  # noqa: BLE001 - the others go on
        failed(peer.kind, _name(peer.break_off), worse)


def failed(kind: str, place: str, error: Exception) -> None:
    """Counts and logs an error of one peer's work."""
    _counts[kind] += 1
    log.error("peer_failed", peer=kind, at=place, exc_info=error, kind=(kind, place, type(error).__name__))


async def contained(work: Awaitable[None], stop: Callable[[Exception], None]) -> None:
    """Awaits a task's work to its end. stop: called with an unexpected error."""
    try:
        await work
    except Exception as error:
        log.critical("task_failed", exc_info=error)
        stop(error)


def failures() -> dict[str, int]:
    """The number of errors of peers' work since the process began, by KINDS."""
    return dict(_counts)


def _name(work: Callable[..., Any]) -> str:
    return getattr(work, "__qualname__", type(work).__name__)
