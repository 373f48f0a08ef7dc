"""A transport that connects the server's asyncio protocols to simulated connections.

The server's side of a connection is an asyncio protocol, which is a set of callbacks: a `Pipe` calls them.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Any, Protocol

from tests.faults.network import Wire


class After(Protocol):
    """A scheduler of callbacks: a process's loop."""

    def call_later(self, delay: float, callback: Callable[[], None], /) -> object: ...


class Pipe(asyncio.Transport):
    """The server's end of a wire, as its protocol sees it. said: takes the bytes that it is to send.

    mood: where it has one it dies at one of these calls, and its protocol hears of that as from a real loop.
    """

    def __init__(
        self,
        loop: After,
        wire: Wire,
        protocol: asyncio.Protocol,
        alive: Callable[[], bool],
        said: Callable[[bytes], None],
    ) -> None:
        super().__init__()
        self.mood = wire.mood
        self._said = said
        self._lost = False
        self._after = loop.call_later
        self._wire = wire
        self._protocol = protocol
        self._alive = alive
        self._closing = self._eof = False
        self._paused = False
        self._unread: deque[Callable[[], object]] = deque()
        wire.server.receive = lambda data: self._arrived(partial(protocol.data_received, data))
        wire.server.ended = lambda: self._arrived(self._ended)
        protocol.connection_made(self)

    def _arrived(self, event: Callable[[], object]) -> None:
        self._unread.append(event)
        self._read()

    def _read(self) -> None:
        while self._unread and not self._paused and not self._closing and self._alive():
            self._unread.popleft()()

    def _ended(self) -> None:
        if not self._protocol.eof_received():
            self._close()

    def _called(self, name: str) -> None:
        """Notes a call on the transport; raises what a dead one raises."""
        mood = self.mood
        if mood is None or not self._alive() or not mood.strikes(name):
            return
        if not mood.dead:
            mood.dead = True
            self._wire.cut(device_told=mood.device_told, server_told=False)
            self._after(mood.seen_after, self._lose)
        raise mood.error(name)

    def _lose(self) -> None:
        """Reports the lost connection to the protocol, once."""
        self._closing = True
        if not self._lost and self._alive():
            self._lost = True
            self._protocol.connection_lost(None)

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        self._called("get_extra_info")
        return default

    def is_closing(self) -> bool:
        self._called("is_closing")
        return self._closing

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self._called("write")
        if not self._closing and not self._eof and self._alive():
            self._said(bytes(data))
            self._wire.server.send(bytes(data))

    def get_write_buffer_size(self) -> int:
        self._called("get_write_buffer_size")
        return 0

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        """Does nothing; no data is ever left unsent here."""
        self._called("set_write_buffer_limits")

    def can_write_eof(self) -> bool:
        self._called("can_write_eof")
        return True

    def write_eof(self) -> None:
        self._called("write_eof")
        self._eof = True
        self._wire.server.out.finish()

    def close(self) -> None:
        self._called("close")
        self._close()

    def _close(self) -> None:
        if not self._closing:
            self._closing = True
            if not self._eof:
                self._wire.server.close()
            self._after(0.0, self._lose)

    def abort(self) -> None:
        self._called("abort")
        self._wire.server.out.cut(told=True)
        self._close()

    def pause_reading(self) -> None:
        self._called("pause_reading")
        self._paused = True

    def resume_reading(self) -> None:
        self._called("resume_reading")
        self._paused = False
        self._after(0.0, self._read)
