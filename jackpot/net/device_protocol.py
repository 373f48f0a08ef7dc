"""The asyncio protocol of one device connection; moves bytes between transport and handler.

It knows the transport and nothing of what is said. It tells its handler what came and that the connection
ended, writes what it is given, and knows what the other side has left unread. An exception of the handler
ends this connection alone.
"""

import asyncio
import socket
from typing import Any, Final, NamedTuple, Protocol

from jackpot.clock import Clock
from jackpot.net.admission import AdmittedProtocol, ConnectionAdmission
from jackpot.runtime.isolate import drop_peer, isolate

# How long a closed connection may take to read its last frame before it is cut.
LINGER_S: Final = 2.0


class ConnectionHandler(AdmittedProtocol, Protocol):
    """Handler of one connection's bytes, behind its protocol."""

    def opened(self) -> None:
        """The connection is made."""

    def received(self, data: bytes, now: float) -> None:
        """Bytes came."""

    def ended(self) -> None:
        """The device closed its side, or the connection is gone: nobody is there to answer."""

    def gone(self) -> None:
        """The connection is gone, however it ended."""


class Reads(NamedTuple):
    """Limits on unread bytes.

    unread_max: bytes that a device may leave unread, for so many seconds. in_system: bytes of them that the
    system may hold, so that a new value waits for the last one to leave; None: as many as it likes.
    """

    unread_max: int
    seconds: float
    in_system: int | None = None


class DeviceProtocol(asyncio.Protocol):
    """Protocol of one connection. alive: the device has not closed its side. heard_at: when bytes came last.

    unread_since: since when the device has not read what it was told; None while it reads.
    """

    def __init__(
        self, handler: ConnectionHandler, clock: Clock, admission: ConnectionAdmission, reads: Reads
    ) -> None:
        self.admission = admission
        self.alive = True
        self.heard_at = 0.0
        self.unread_since: float | None = None
        self.transport: asyncio.Transport
        self._handler = handler
        self._clock = clock
        self._reads = reads
        self._listens = True
        self._ending_since: float | None = None

    # Called by asyncio.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The connection is made; starts the handler."""
        assert isinstance(transport, asyncio.Transport)  # noqa: S101 - what a listener gives
        self.transport = transport
        self.admission.connected(self._handler)
        isolate(self._handler, self._handler.opened)

    def data_received(self, data: bytes) -> None:
        """Bytes came."""
        self.admission.heard()
        self.heard_at = self._clock.monotonic()
        try:
            self._handler.received(data, self.heard_at)
        except Exception as error:  # noqa: BLE001 - as `isolate`, on the way of every wager
            drop_peer(self._handler, self._handler.received, error)

    def eof_received(self) -> bool:
        """The device closed its side."""
        self._end_of_device()
        return False

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - why is of no use to anybody
        """The connection is gone."""
        self._end_of_device()
        self.admission.left()
        self._handler.gone()

    def pause_writing(self) -> None:
        """The device does not read as fast as it is sent to."""
        self.unread_since = self._clock.monotonic()

    def resume_writing(self) -> None:
        """The device has read what there was."""
        self.unread_since = None

    def _end_of_device(self) -> None:
        if self.alive:
            self.alive = False
            isolate(self._handler, self._handler.ended)

    # Called by its handler.

    def prepare(self) -> None:
        """Sets the limits of the transport."""
        if self._reads.in_system is not None:
            write_through(self.transport, self._reads.in_system)

    def write(self, data: bytes) -> bool:
        """Sends bytes; False if the device has left too much unread."""
        if not self.transport.is_closing():
            self.transport.write(data)
            return self.transport.get_write_buffer_size() <= self._reads.unread_max
        return True

    @property
    def unread(self) -> int:
        """Bytes for the device that the system has not taken yet."""
        return self.transport.get_write_buffer_size()

    def listen(self, *, on: bool) -> None:
        """Resumes or pauses reading."""
        if on != self._listens and not self.transport.is_closing():
            self._listens = on
            if on:
                self.transport.resume_reading()
            else:
                self.transport.pause_reading()

    def end(self) -> None:
        """Closes after what was written; a device that is gone meanwhile hears no more of it."""
        if self._ending_since is not None:
            return
        self._ending_since = self._clock.monotonic()
        if self.transport.is_closing() or not self.alive or not self.transport.can_write_eof():
            self.transport.close()
            return
        try:
            self.transport.write_eof()
        except OSError:
            self.transport.abort()

    def sweep(self, now: float) -> str | None:
        """Lets time pass: cuts what lingers. Returns why the device is to be cut, None if it reads."""
        if self._ending_since is not None and now - self._ending_since >= LINGER_S:
            self.transport.abort()
        if self.unread_since is not None and now - self.unread_since >= self._reads.seconds:
            return f"left its values unread for {self._reads.seconds:.0f} s"
        return None

    @property
    def address(self) -> str:
        """The peer's address, for a log."""
        host, port, *_ = self.transport.get_extra_info("peername") or ("unknown", 0)
        return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"

    @property
    def common_name(self) -> str:
        """The common name of the device's certificate, empty if it showed none."""
        certificate: dict[str, Any] = self.transport.get_extra_info("peercert") or {}
        for part in certificate.get("subject", ()):
            for name, value in part:
                if name == "commonName":
                    return str(value)
        return ""


def write_through(transport: asyncio.WriteTransport, in_system: int) -> None:
    """Counts any byte that has not left as unread; the system holds at most `in_system` of them."""
    transport.set_write_buffer_limits(high=0)
    raw = transport.get_extra_info("socket")
    if raw is not None:
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, in_system)
