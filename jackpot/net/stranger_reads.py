"""Reads of a device connection that has not authenticated: a few at once, further ones ever more seldom.

A read costs the server as much for one byte as for a whole hello, and a stranger may send each byte by
itself. A device says its hello in one piece or in a few, with TLS in some more. So this protocol stands
between the socket and the connection's own, and leaves once the device is known.
"""

import asyncio
from typing import Final

from jackpot.net.admission import AdmissionStage, ConnectionAdmission

# A handshake and a hello that a slow network cut into pieces.
READS_AT_ONCE: Final = 8
# Between the next two reads; twice as long between those after them. So a hello may still come in a dozen
# pieces before its time is over, and a stranger costs no more reads than that.
PAUSE_FIRST_S: Final = 0.1


class StrangerReads(asyncio.Protocol):
    """A socket's protocol until its device is known. inner: the connection's own, or its TLS."""

    def __init__(
        self, inner: asyncio.Protocol | asyncio.BufferedProtocol, admission: ConnectionAdmission
    ) -> None:
        self._inner = inner
        self._admission = admission
        self._reads = 0
        self._pause = PAUSE_FIRST_S
        self._transport: asyncio.Transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)  # noqa: S101 - what a socket gives
        self._transport = transport
        self._inner.connection_made(transport)

    def data_received(self, data: bytes) -> None:
        self._reads += 1
        if isinstance(self._inner, asyncio.BufferedProtocol):
            memoryview(self._inner.get_buffer(len(data)))[: len(data)] = data
            self._inner.buffer_updated(len(data))
        else:
            self._inner.data_received(data)
        if self._admission.stage is AdmissionStage.KNOWN:
            self._transport.set_protocol(self._inner)
        elif self._reads >= READS_AT_ONCE and not self._transport.is_closing():
            self._transport.pause_reading()
            asyncio.get_running_loop().call_later(self._pause, self._read_on)
            self._pause *= 2

    def _read_on(self) -> None:
        self._transport.resume_reading()

    def eof_received(self) -> bool | None:
        return self._inner.eof_received()

    def connection_lost(self, exc: Exception | None) -> None:
        self._inner.connection_lost(exc)

    def pause_writing(self) -> None:
        self._inner.pause_writing()

    def resume_writing(self) -> None:
        self._inner.resume_writing()
