"""Listeners for devices, with or without TLS, and their graceful close."""

import asyncio
import ssl
from collections.abc import Sequence
from typing import Final

import structlog

from jackpot.config import Tls
from jackpot.config.certificates import ends_ms, unfit
from jackpot.net.devices import ConnectedDevices
from jackpot.net.listener import Listener
from jackpot.runtime.isolate import isolate

# Devices have this long to read their last answers.
CLOSE_WITHIN_S: Final = 2.0
# A certificate is put in its place days before the old one ends.
LOOK_S: Final = 10.0

log: Final = structlog.get_logger()


class Encryption:
    """TLS of a process's listeners. A certificate that replaces the old one is used without a restart.

    ends: when the certificate ends, unix seconds; None without TLS.
    """

    def __init__(self, tls: Tls | None) -> None:
        self.ends: float | None = None
        self._tls = tls
        self._contexts: list[ssl.SSLContext] = []
        self._taken = _mark(tls)
        self._due = 0.0

    def of(self, *, devices: bool) -> ssl.SSLContext | None:
        """TLS of a listener; with a client CA every device must show a certificate of it. Raises OSError."""
        if (tls := self._tls) is None:
            return None
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        context.load_cert_chain(tls.cert, tls.key)
        if devices and tls.client_ca is not None:
            context.load_verify_locations(tls.client_ca)
            context.verify_mode = ssl.CERT_REQUIRED
        self._contexts.append(context)
        self.ends = ends_ms(tls.cert) / 1000
        return context

    def tick(self, now: float) -> None:
        """Lets time pass, in seconds: new connections get the certificate that stands there by now."""
        if self._tls is None or now < self._due:
            return
        self._due = now + LOOK_S
        if (mark := _mark(self._tls)) != self._taken:
            self._taken = mark
            self._take(self._tls)

    def _take(self, tls: Tls) -> None:
        fault = unfit(tls.cert, tls.key)  # half of two new files leaves the old ones in use
        if fault is not None:
            log.warning("certificate_refused", reason=fault)
            return
        try:
            for context in self._contexts:
                context.load_cert_chain(tls.cert, tls.key)
            self.ends = ends_ms(tls.cert) / 1000
        except (OSError, ValueError) as error:  # somebody replaced them meanwhile: the next look takes those
            self._taken = ()
            log.warning("certificate_refused", reason=str(error))
            return
        log.info("certificate_loaded", file=str(tls.cert), ends=int(self.ends))


def _mark(tls: Tls | None) -> tuple[tuple[int, int], ...]:
    """A mark that changes with each of the files; empty while one of them is missing."""
    try:
        stats = [file.stat() for file in (tls.cert, tls.key)] if tls is not None else []
    except OSError:
        return ()
    return tuple((stat.st_mtime_ns, stat.st_ino) for stat in stats)


def listen(listener: Listener, devices: ConnectedDevices) -> int:
    """Lets devices in at a listener; the port that it got. Raises OSError."""
    certified = listener.tls is not None and listener.tls.verify_mode is ssl.CERT_REQUIRED
    return listener.listen(
        lambda admission: devices.connection(certified=certified, admission=admission).protocol
    )


async def close(devices: Sequence[ConnectedDevices]) -> None:
    """Closes every connection once it was sent what is due; after 2 s even if that was not read."""
    for each in devices:
        each.flush()
        for connection in tuple(each.connections):
            isolate(connection, connection.protocol.transport.close)
    try:
        async with asyncio.timeout(CLOSE_WITHIN_S):
            for each in devices:
                await each.gone.wait()
    except TimeoutError:
        for each in devices:
            for connection in tuple(each.connections):
                isolate(connection, connection.break_off)
