"""Throttle for TLS ciphertext: each piece waits for its turn before it is decrypted.

Records of one byte, or of none, cost most of what TLS costs, and so does a handshake. asyncio decrypts all
that a socket gives at once, and shows only what came out of it. So this protocol stands between the socket
and asyncio's TLS: it takes one small piece, and reads no further until that one had its turn. Nothing waits
inside of TLS, so nothing is decrypted outside of a turn.
"""

import asyncio
from asyncio.sslproto import SSLProtocol
from collections.abc import Callable
from typing import Any, Final

# Decrypted in one turn. As records of one byte it is a millisecond's work.
DECRYPTED_AT_ONCE: Final = 4 * 1024


class Tls(SSLProtocol):
    """asyncio's TLS, with a buffer for one piece: its own takes 256 KiB for each connection."""

    max_size = DECRYPTED_AT_ONCE


class Ciphertext(asyncio.BufferedProtocol):
    """One socket's protocol, with asyncio's TLS behind it.

    meet: told of the socket's transport before anything else. wait: has its argument called in a turn.
    """

    # Bytes are taken out of it before anything else is read.
    _read: Final = memoryview(bytearray(DECRYPTED_AT_ONCE))

    def __init__(
        self,
        tls: SSLProtocol,
        meet: Callable[["Ciphertext", asyncio.Transport], None],
        wait: Callable[[Callable[[], None]], None],
    ) -> None:
        self._tls = tls
        self._meet = meet
        self._wait = wait
        self._piece = b""
        self._wanted = True
        self._reads = True
        self._transport: asyncio.Transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)  # noqa: S101 - what a socket gives
        self._transport = transport
        self._meet(self, transport)
        self._tls.connection_made(transport)

    def get_buffer(self, sizehint: int) -> memoryview:  # noqa: ARG002 - it is as long as it is
        return self._read

    def buffer_updated(self, nbytes: int) -> None:
        self._piece = bytes(self._read[:nbytes])
        self._flow()
        self._wait(self._decrypt)

    def _decrypt(self) -> None:
        """Passes the piece to TLS."""
        piece, self._piece = self._piece, b""
        if self._transport.is_closing():
            return
        self._tls.get_buffer(len(piece))[: len(piece)] = piece
        self._tls.buffer_updated(len(piece))
        self._flow()

    def pause_reading(self) -> None:
        """Pauses reading from the socket."""
        self._wanted = False
        self._flow()

    def resume_reading(self) -> None:
        """Resumes reading from the socket."""
        self._wanted = True
        self._flow()

    def _flow(self) -> None:
        reads = self._wanted and not self._piece
        if reads == self._reads or self._transport.is_closing():
            return
        self._reads = reads
        if reads:
            self._transport.resume_reading()
        else:
            self._transport.pause_reading()

    def eof_received(self) -> Any:
        tls: Any = self._tls  # it says True where it has not shown all of it yet, and then ends by itself
        return tls.eof_received()

    def connection_lost(self, exc: Exception | None) -> None:
        self._tls.connection_lost(exc)

    def pause_writing(self) -> None:
        self._tls.pause_writing()

    def resume_writing(self) -> None:
        self._tls.resume_writing()
