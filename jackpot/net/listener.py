"""Listener: accepts connections, admits them within the rate limit, and gives them their protocol.

`jackpot.net.admission` decides who is admitted and who is evicted; here are the sockets. The event loop's
work for new connections is bounded in each turn, so that admitted ones wait no longer for their answers.
"""

import asyncio
import errno
import socket
import ssl
from asyncio.sslproto import SSLProtocol
from collections.abc import Callable, Coroutine
from typing import Any, Final

import structlog

from jackpot.clock import Clock
from jackpot.config import Address
from jackpot.net import admin_socket
from jackpot.net.admission import (
    AdmissionControl,
    AdmissionLimits,
    AdmissionStage,
    ArrivalOutcome,
    ConnectionAdmission,
)
from jackpot.net.stranger_reads import StrangerReads
from jackpot.runtime.isolate import isolate

# After a takeover a whole floor comes at one moment, and a device that finds no room is told nothing: it
# tries again after many seconds. The kernel keeps no more than this unless it is told to.
BACKLOG: Final = 4_096
# Accepted in one turn of the event loop: a millisecond, so that a flood delays no answer by more.
ACCEPTED_AT_ONCE: Final = 64
# Let in in one turn of the event loop: each takes 0.2 ms until it is challenged, and as much again where what
# it said at once is refused. An answer so waits some milliseconds for them, and not for a whole reserve.
LET_IN_AT_ONCE: Final = 8
# After a turn in which some were refused no more are accepted for so long: a stranger that calls again at
# once waits in the kernel's queue, and costs less than a tenth of a processor.
REFUSED_PAUSE_S: Final = 0.02
# How often connections that wait for the rate limit are looked at.
LOOK_S: Final = 0.02
# Where the system has no descriptor left it is asked again after this.
RETRY_S: Final = 0.2
# A TLS handshake takes some milliseconds; this is for a network that loses packets.
HANDSHAKE_S: Final = 5
# No descriptors, or no memory for one.
_EXHAUSTED: Final = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})
# The first 64 bits of an IPv6 address: one machine has all that follow.
_NETWORK_PARTS: Final = 4

log: Final = structlog.get_logger()


class Listener:
    """Accepts connections at its addresses. name: for metrics and logs.

    start: runs a task next to the others.

    refused: connections closed without a word. evicted: strangers closed for others.
    """

    def __init__(
        self,
        name: str,
        bounds: AdmissionLimits,
        clock: Clock,
        start: Callable[[Coroutine[Any, Any, None]], object],
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self.name = name
        self.admission_control = AdmissionControl(bounds, clock.monotonic())
        self.refused = 0
        self.evicted = 0
        self._clock = clock
        self._start = start
        self.tls = tls
        self._connect: Callable[[ConnectionAdmission], Coroutine[Any, Any, None]]
        self._in_turn: Callable[[Callable[[], None]], None]
        self._listening: list[socket.socket] = []
        self._look: asyncio.TimerHandle | None = None

    async def bind(self, address: Address) -> None:
        """Binds the address, for itself alone; nobody is let in yet. Raises OSError."""
        places = await asyncio.get_running_loop().getaddrinfo(
            address.host or None, address.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
        for family, _, _, _, place in dict.fromkeys(places):
            self._listening.append(_bound(family, place))

    def take(self, listening: socket.socket) -> None:
        """Takes a socket that is bound already, as `bind` would."""
        listening.setblocking(False)
        self._listening.append(listening)

    def listen(self, factory: Callable[[ConnectionAdmission], asyncio.Protocol]) -> int:
        """Lets connections in, each with a protocol of `factory`; the port, or 0. Raises OSError."""

        async def connect(admission: ConnectionAdmission) -> None:
            loop, raw, inner = asyncio.get_running_loop(), admission.raw, factory(admission)
            assert raw is not None  # noqa: S101 - as it was accepted
            if self.tls is None:
                await loop.connect_accepted_socket(lambda: StrangerReads(inner, admission), raw)
                return
            ready = loop.create_future()
            tls = SSLProtocol(
                loop, inner, self.tls, ready, server_side=True, ssl_handshake_timeout=HANDSHAKE_S
            )
            socket_, _ = await loop.connect_accepted_socket(lambda: StrangerReads(tls, admission), raw)
            try:
                await ready
            except BaseException:
                socket_.close()
                raise

        return self.listen_in_turns(connect, lambda accept: accept())

    def listen_in_turns(
        self,
        connect: Callable[[ConnectionAdmission], Coroutine[Any, Any, None]],
        in_turn: Callable[[Callable[[], None]], None],
    ) -> int:
        """Lets connections in within turns that somebody else gives; the port, or 0. Raises OSError.

        connect: gives a connection its protocol; what it raises is an OSError. in_turn: has its argument
        called when some may be accepted. Until then the kernel keeps them, and they cost nothing here.
        """
        self._connect, self._in_turn = connect, in_turn
        loop = asyncio.get_running_loop()
        for raw in self._listening:
            raw.listen(BACKLOG)
            loop.add_reader(raw, self._ready, raw)
        place = self._listening[0].getsockname()
        return 0 if isinstance(place, str) else int(place[1])

    def close(self) -> None:
        """Stops accepting; does not wait for connections that are not admitted yet."""
        loop = asyncio.get_running_loop()
        for raw in self._listening:
            loop.remove_reader(raw)
            raw.close()
        self._listening.clear()
        if self._look is not None:
            self._look.cancel()
        for admission in self.admission_control.empty():
            self._refuse(admission)
        for admission in self.admission_control.inside:
            if admission.protocol is None:
                admission.hang_up()

    def statistics(self) -> dict[str, Any]:
        """How many are admitted and wait, and how many were refused."""
        return {
            "listener": self.name,
            "open": len(self.admission_control.inside),
            "waiting": self.admission_control.waiting,
            "most": self.admission_control.bounds.most,
            "refused": self.refused,
            "evicted": self.evicted,
        }

    def _ready(self, listening: socket.socket) -> None:
        """A socket is readable: accepts in this listener's next turn."""
        asyncio.get_running_loop().remove_reader(listening)
        self._in_turn(lambda: self._accept(listening))

    def _accept(self, listening: socket.socket) -> None:
        """Accepts some connections, and the others in the next turn of the loop."""
        if listening not in self._listening:
            return  # the listener was closed meanwhile
        before, entered, pause = self.refused, 0, 0.0
        for accepted in range(ACCEPTED_AT_ONCE):
            try:
                raw, place = listening.accept()
            except (BlockingIOError, InterruptedError, ConnectionAbortedError):
                break
            except OSError as error:
                self._exhausted(error, first=not accepted)
                pause = RETRY_S
                break
            raw.setblocking(False)
            entered += self._arrive(ConnectionAdmission(self.admission_control, raw, _address(raw, place)))
            if entered >= LET_IN_AT_ONCE:
                break
        if self.refused > before:
            pause = max(pause, REFUSED_PAUSE_S)
        if pause:
            asyncio.get_running_loop().call_later(pause, self._again, listening)
        else:
            self._again(listening)

    def _exhausted(self, error: OSError, *, first: bool) -> None:
        """No descriptor is left: evicts a stranger, and tries the next one soon.

        first: none was accepted in this turn, so somebody is known to wait.
        """
        log.error("accept_failed", listener=self.name, reason=str(error), kind=(self.name, error.errno))
        if first and error.errno in _EXHAUSTED and (other := self.admission_control.oldest()) is not None:
            self._evict(other)

    def _again(self, listening: socket.socket) -> None:
        if listening in self._listening:
            asyncio.get_running_loop().add_reader(listening, self._ready, listening)

    def _arrive(self, admission: ConnectionAdmission) -> int:
        """Admits an accepted connection, or queues it; how many were admitted."""
        if admission.gone:
            admission.close()
            return 0
        arrival = self.admission_control.arrive(admission, self._clock.monotonic())
        if arrival is ArrivalOutcome.REFUSED:
            self._refuse(admission)
        elif arrival is ArrivalOutcome.WAITS:
            self._admit_soon(LOOK_S)
        else:
            self._enter(admission)
        return int(arrival is ArrivalOutcome.ENTERS)

    def _admit_soon(self, seconds: float) -> None:
        if self._look is None and self._listening:
            self._look = asyncio.get_running_loop().call_later(seconds, self._let_in)

    def _let_in(self) -> None:
        """Admits connections that are due; of many, the others in the next turn of the loop."""
        self._look = None
        entered = 0
        while entered < LET_IN_AT_ONCE and (
            admissions := self.admission_control.turn(self._clock.monotonic())
        ):
            for admission in admissions:
                if admission.gone:
                    admission.close()
                else:
                    self._enter(admission)
                    entered += 1
        if self.admission_control.waiting:
            self._admit_soon(0.0 if entered >= LET_IN_AT_ONCE else LOOK_S)

    def _enter(self, admission: ConnectionAdmission) -> None:
        """Admits a connection as a stranger, evicting another one if needed."""
        goes = self.admission_control.enter(admission)
        if goes is admission:
            self._refuse(admission)
            return
        if goes is not None:
            self._evict(goes)
        self._start(self._admit(admission))

    async def _admit(self, admission: ConnectionAdmission) -> None:
        """Gives it its protocol, after its TLS handshake, unless it was evicted meanwhile."""
        if admission.stage is AdmissionStage.GONE:
            admission.close()
            return
        try:
            await self._connect(admission)
        except (OSError, TimeoutError) as error:  # which an SSLError is too
            log.info(
                "not_admitted",
                listener=self.name,
                address=admission.address,
                reason=str(error),
                kind=self.name,
                source=admission.address,
            )
            admission.left()

    def _evict(self, admission: ConnectionAdmission) -> None:
        self.evicted += 1
        address = admission.address
        log.warning("connection_evicted", listener=self.name, address=address, kind=self.name, source=address)
        admission.left()
        if admission.protocol is not None:
            isolate(admission.protocol, admission.protocol.evict)
        else:
            admission.hang_up()

    def _refuse(self, admission: ConnectionAdmission) -> None:
        """Closes without a word, at next to no cost."""
        self.refused += 1
        address = admission.address
        log.warning("connection_refused", listener=self.name, address=address, kind=self.name, source=address)
        admission.close()


def _bound(family: int, place: Any) -> socket.socket:
    """Binds a listening socket. Raises OSError."""
    raw = socket.socket(family, socket.SOCK_STREAM)
    try:
        raw.setblocking(False)
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            raw.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        raw.bind(place)
    except OSError as error:
        raw.close()
        raise OSError(error.errno, f"{place[0]} port {place[1]}: {str(error.strerror).lower()}") from error
    return raw


def _address(raw: socket.socket, place: Any) -> str:
    """The address by which connections are grouped; of IPv6 the /64 network.

    One machine has as many IPv6 addresses as it wants. At a unix socket each user of this machine is one.
    """
    if raw.family == socket.AF_UNIX:
        return f"uid {admin_socket.peer_of(raw)}"
    host = str(place[0])
    if ":" not in host:
        return host
    packed = socket.inet_pton(socket.AF_INET6, host.partition("%")[0])
    if packed[:12] == bytes(10) + b"\xff\xff":
        return socket.inet_ntop(socket.AF_INET, packed[12:])
    return socket.inet_ntop(socket.AF_INET6, packed[: 2 * _NETWORK_PARTS] + bytes(8))
