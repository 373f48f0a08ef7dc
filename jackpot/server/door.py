"""Who may come in at a listener, and who must go for it? Nobody is known before the hello.

A connection comes in three steps: accepted it waits in the line of its address; let in, at a pace, it is a
stranger; proved, it is bounded by the configuration and counts here no more. The lines take turns, those of
addresses from which a device has proved itself one by one with the others, so that neither a flood nor the
pace keeps a known device out. A proof gives back what letting in has cost of the pace: a whole floor that
comes at one moment is let in as fast as it greets. Where there are too many strangers the oldest that says
nothing goes.
"""

import asyncio
import errno
import socket
import ssl
from collections import deque
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any, Final, Protocol

import msgspec
import structlog

from jackpot.clock import Clock
from jackpot.config import Address
from jackpot.server.alone import alone

# After a takeover a whole floor comes at one moment, and whoever finds no room is told nothing: it tries
# again after many seconds. The kernel keeps no more than this unless it is told to.
BACKLOG: Final = 4_096
# Accepted in one turn of the event loop: a millisecond, so that a flood delays no answer by more.
ACCEPTED_AT_ONCE: Final = 64
# Strangers let in at once before the pace is kept: as many as one address may have.
RESERVE: Final = 256.0
# After a turn in which some were refused no more are accepted for so long: who calls again at once waits in
# the kernel's queue, and cost less than a tenth of a processor.
REFUSED_PAUSE_S: Final = 0.02
# How often those that wait for the pace are looked at.
LOOK_S: Final = 0.02
# Addresses from which a device has proved itself: several times the largest floor.
KNOWN_MOST: Final = 4_096
# Where the system has no descriptor left it is asked again after this.
RETRY_S: Final = 0.2
# A TLS handshake takes some milliseconds; this is for a network that loses packets.
HANDSHAKE_S: Final = 5.0
# No descriptors, or no memory for one.
_EXHAUSTED: Final = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})
# The first 64 bits of an IPv6 address: one machine has all that follow.
_NETWORK_PARTS: Final = 4

log: Final = structlog.get_logger()


class Bounds(msgspec.Struct, frozen=True):
    """most: connections that count, those in the line included. of_address: of one address, once let in.

    pace: strangers let in a second once the reserve is used up.
    """

    most: int
    of_address: int
    pace: int


class Visitor(Protocol):
    """The protocol of a connection: one peer."""

    @property
    def kind(self) -> str: ...
    def break_off(self) -> None: ...

    def turn_out(self) -> None:
        """There is no room for it."""


class Guest:
    """One connection as its door sees it; without a door it is bounded by nothing."""

    __slots__ = ("_door", "address", "raw", "visitor")

    def __init__(
        self, door: "Door | None" = None, raw: socket.socket | None = None, address: str = ""
    ) -> None:
        self._door = door
        self.raw = raw
        self.address = address
        self.visitor: Visitor | None = None

    @property
    def gone(self) -> bool:
        """Whether it has hung up while it waited."""
        if self.raw is None:
            return False
        try:
            return self.raw.recv(1, socket.MSG_PEEK) == b""
        except (BlockingIOError, InterruptedError):
            return False
        except OSError:
            return True

    def hang_up(self) -> None:
        """Ends what somebody else holds by now, which so finds it ended."""
        if self.raw is not None:
            with suppress(OSError):  # it is gone already
                self.raw.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Says nothing."""
        if self.raw is not None:
            self.raw.close()

    def came(self, visitor: Visitor) -> None:
        """Its connection is made."""
        if self._door is not None:
            self.visitor = visitor

    def heard(self) -> None:
        """It has said something."""
        if self._door is not None:
            self._door.heard(self)

    def proved(self) -> None:
        """It is a device that is known here: it stays, whoever else comes."""
        if self._door is not None:
            self._door.proved(self)

    def busy(self) -> None:
        """It is being served and not turned out meanwhile; it counts."""
        if self._door is not None:
            self._door.busy(self)

    def idle(self, *, served: bool) -> None:
        """Nothing is being done for it. served: it had asked for something that there is."""
        if self._door is not None:
            self._door.idle(self, served=served)

    def left(self) -> None:
        """It is gone."""
        if self._door is not None:
            self._door.left(self)


class _Lines:
    """Who waits, by address, first come first let in; addresses take turns."""

    def __init__(self) -> None:
        self.length = 0
        self._known: dict[str, deque[Guest]] = {}
        self._others: dict[str, deque[Guest]] = {}

    def of(self, address: str) -> int:
        """How many of an address wait."""
        return len(self._known.get(address, ())) + len(self._others.get(address, ()))

    def enter(self, guest: Guest, *, known: bool) -> None:
        """It waits behind those of its address."""
        lines = self._known if known else self._others
        lines.setdefault(guest.address, deque()).append(guest)
        self.length += 1

    def next(self) -> list[Guest]:
        """Whose turn it is: one from where devices are known, and one from elsewhere."""
        found = []
        for lines in (self._known, self._others):
            if lines:
                address = next(iter(lines))
                line = lines.pop(address)
                found.append(line.popleft())
                if line:
                    lines[address] = line
        self.length -= len(found)
        return found


class Door:
    """One listener. name: for metrics and logs. start: runs a task beside the rest.

    refused: connections closed before anybody spoke to them. turned_out: strangers that went for others.
    """

    def __init__(
        self,
        name: str,
        bounds: Bounds,
        clock: Clock,
        start: Callable[[Coroutine[Any, Any, None]], object],
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self.name = name
        self.bounds = bounds
        self.refused = 0
        self.turned_out = 0
        self.open: set[Guest] = set()
        self._clock = clock
        self._start = start
        self._tls = tls
        self._factory: Callable[[Guest], asyncio.Protocol]
        self._listening: list[socket.socket] = []
        self._lines = _Lines()
        self._known: dict[str, None] = {}
        self._silent: dict[Guest, None] = {}
        self._talking: dict[Guest, None] = {}
        self._counted: dict[str, dict[Guest, None]] = {}
        self._strangers = 0
        self._left_of_pace = RESERVE
        self._paced_at = clock.monotonic()
        self._look: asyncio.TimerHandle | None = None

    async def listen(self, address: Address, factory: Callable[[Guest], asyncio.Protocol]) -> int:
        """Lets connections in at `address`, each with a protocol of `factory`; the port. Raises OSError."""
        self._factory = factory
        loop = asyncio.get_running_loop()
        places = await loop.getaddrinfo(
            address.host or None, address.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
        for family, _, _, _, place in dict.fromkeys(places):
            self._listening.append(_bound(family, place))
        for raw in self._listening:
            raw.listen(BACKLOG)
            loop.add_reader(raw, self._ready, raw)
        port: int = self._listening[0].getsockname()[1]
        return port

    def close(self) -> None:
        """Nobody comes in any more; whoever is not quite in, is not waited for."""
        loop = asyncio.get_running_loop()
        for raw in self._listening:
            loop.remove_reader(raw)
            raw.close()
        self._listening.clear()
        if self._look is not None:
            self._look.cancel()
        while waiting := self._lines.next():
            for guest in waiting:
                self._refuse(guest)
        for guest in self.open:
            if guest.visitor is None:
                guest.hang_up()

    def statistics(self) -> dict[str, Any]:
        """How many are in and wait, and how many could not be."""
        return {
            "listener": self.name,
            "open": len(self.open),
            "waiting": self._lines.length,
            "most": self.bounds.most,
            "refused": self.refused,
            "turned_out": self.turned_out,
        }

    # What a guest tells.

    def heard(self, guest: Guest) -> None:
        """Those that say nothing go before it."""
        if guest in self._silent:
            del self._silent[guest]
            self._talking[guest] = None

    def proved(self, guest: Guest) -> None:
        """It counts no more."""
        self.busy(guest)
        self._forget(guest)
        self._vouch(guest)

    def _vouch(self, guest: Guest) -> None:
        """Its address has a line with the known ones, and the pace its share back."""
        self._known.pop(guest.address, None)
        self._known[guest.address] = None
        if len(self._known) > KNOWN_MOST:
            del self._known[next(iter(self._known))]
        self._left_of_pace = min(self._left_of_pace + 1, RESERVE)
        self._let_in()

    def busy(self, guest: Guest) -> None:
        """Nobody may take its place."""
        self._silent.pop(guest, None)
        self._talking.pop(guest, None)

    def idle(self, guest: Guest, *, served: bool) -> None:
        """Somebody may; one that was served is no worse than a device that has proved itself."""
        if guest in self.open:
            self._talking[guest] = None
            if served:
                self._vouch(guest)

    def left(self, guest: Guest) -> None:
        """Its place is free."""
        self.busy(guest)
        self._forget(guest)
        self.open.discard(guest)

    def _forget(self, guest: Guest) -> None:
        counted = self._counted.get(guest.address, {})
        if guest in counted:
            del counted[guest]
            self._strangers -= 1
            if not counted:
                del self._counted[guest.address]

    # How they come in.

    def _ready(self, listening: socket.socket) -> None:
        before = self.refused
        for accepted in range(ACCEPTED_AT_ONCE):
            try:
                raw, place = listening.accept()
            except (BlockingIOError, InterruptedError, ConnectionAbortedError):
                break
            except OSError as error:
                self._exhausted(listening, error, alone=not accepted)
                break
            raw.setblocking(False)
            self._arrive(Guest(self, raw, _address(place)))
        if self.refused > before:
            self._pause(listening, REFUSED_PAUSE_S)

    def _exhausted(self, listening: socket.socket, error: OSError, *, alone: bool) -> None:
        """No descriptor is left: a stranger gives up its own, and the next is tried for soon.

        alone: nobody has come in this turn, so that it is known that somebody waits.
        """
        log.error("accept_failed", listener=self.name, reason=str(error), kind=(self.name, error.errno))
        self._pause(listening, RETRY_S)
        if alone and error.errno in _EXHAUSTED:
            self._make_room(self._silent or self._talking)

    def _pause(self, listening: socket.socket, seconds: float) -> None:
        loop = asyncio.get_running_loop()
        loop.remove_reader(listening)
        loop.call_later(seconds, self._again, listening)

    def _again(self, listening: socket.socket) -> None:
        if listening in self._listening:
            asyncio.get_running_loop().add_reader(listening, self._ready, listening)

    def _arrive(self, guest: Guest) -> None:
        """It waits for its turn; one address leaves a quarter of the line to others."""
        if guest.gone:
            guest.close()
            return
        full = self._lines.length and self._lines.length + self._strangers >= self.bounds.most
        if full or self._lines.of(guest.address) >= self.bounds.most * 3 // 4:
            self._refuse(guest)
        else:
            self._lines.enter(guest, known=guest.address in self._known)
            self._let_in()

    def _let_in(self) -> None:
        now = self._clock.monotonic()
        self._left_of_pace = min(self._left_of_pace + (now - self._paced_at) * self.bounds.pace, RESERVE)
        self._paced_at = now
        while self._left_of_pace >= 1 and self._lines.length:
            for guest in self._lines.next():
                if guest.gone:
                    guest.close()
                    continue
                self._left_of_pace -= 1
                self._enter(guest)
        if self._lines.length and self._look is None and self._listening:
            self._look = asyncio.get_running_loop().call_later(LOOK_S, self._looked)

    def _looked(self) -> None:
        self._look = None
        self._let_in()

    def _enter(self, guest: Guest) -> None:
        """Becomes a stranger, where need be instead of another one."""
        counted = self._counted.get(guest.address, {})
        among = None
        if len(counted) >= self.bounds.of_address:
            among = counted
        elif self._strangers >= self.bounds.most:
            among = self._silent or self._talking
        if among is not None and not self._make_room(among):
            self._refuse(guest)
            return
        self._strangers += 1
        self._counted.setdefault(guest.address, {})[guest] = None
        self._silent[guest] = None
        self.open.add(guest)
        self._start(self._admit(guest))

    async def _admit(self, guest: Guest) -> None:
        """Gives it its protocol, after its TLS handshake; not where another one has its place by now."""
        if guest not in self.open:
            guest.close()
            return
        loop, limit = asyncio.get_running_loop(), None if self._tls is None else HANDSHAKE_S
        assert guest.raw is not None  # noqa: S101 - as it was accepted
        try:
            await loop.connect_accepted_socket(
                lambda: self._factory(guest), guest.raw, ssl=self._tls, ssl_handshake_timeout=limit
            )
        except (OSError, TimeoutError) as error:  # which an SSLError is too
            log.info(
                "not_admitted", listener=self.name, address=guest.address, reason=str(error), kind=self.name
            )
            self.left(guest)

    def _make_room(self, among: dict[Guest, None]) -> bool:
        """The oldest of them that says nothing goes, else the oldest that is not being served, if any."""
        quiet = next((one for one in among if one in self._silent), None)
        other = quiet or next((one for one in among if one in self._talking), None)
        if other is not None:
            self._turn_out(other)
        return other is not None

    def _turn_out(self, guest: Guest) -> None:
        self.turned_out += 1
        log.warning("turned_out", listener=self.name, address=guest.address, kind=self.name)
        self.left(guest)
        if guest.visitor is not None:
            alone(guest.visitor, guest.visitor.turn_out)
        else:
            guest.hang_up()

    def _refuse(self, guest: Guest) -> None:
        """Says nothing and costs next to nothing."""
        self.refused += 1
        log.warning("refused", listener=self.name, address=guest.address, kind=self.name)
        guest.close()


def _bound(family: int, place: Any) -> socket.socket:
    """A listening address taken. Raises OSError."""
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


def _address(place: Any) -> str:
    """What counts as one address: of IPv6 the network, for one machine has as many as it wants."""
    host = str(place[0])
    if ":" not in host:
        return host
    packed = socket.inet_pton(socket.AF_INET6, host.partition("%")[0])
    if packed[:12] == bytes(10) + b"\xff\xff":
        return socket.inet_ntop(socket.AF_INET, packed[12:])
    return socket.inet_ntop(socket.AF_INET6, packed[: 2 * _NETWORK_PARTS] + bytes(8))


NO_DOOR: Final = Guest()
