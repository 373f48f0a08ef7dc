"""Admission control for connections that are not authenticated yet; evicts the oldest silent one.

A connection comes in three steps. Accepted, it waits in the line of its address. Admitted, at a limited rate,
it is a stranger. Once it has authenticated, the configuration bounds it, and it no longer counts here. The
lines take turns. Addresses from which a device has authenticated go one by one with all the others, so that
neither a flood nor the rate limit keeps a known device out. An authentication gives its admission back to the
rate limit: a whole floor that comes at one moment is admitted as fast as it greets. Where there are too many
strangers, the oldest silent one is evicted. No I/O, and no clock: the time is passed in.
"""

import socket
from collections import deque
from collections.abc import Mapping
from contextlib import suppress
from enum import IntEnum, auto
from typing import Final, Protocol

import msgspec

from jackpot.runtime.isolate import Peer

# Strangers admitted at once before the rate limit holds: as many as one address may have.
RESERVE: Final = 256.0
# Addresses from which a device has authenticated: several times the largest floor.
KNOWN_MAX: Final = 4_096


class AdmissionStage(IntEnum):
    """Stage of a connection's admission."""

    WAITING = auto()
    """Accepted, in the line of its address."""
    SILENT = auto()
    TALKING = auto()
    """It has said something, or was served before."""
    ASKING = auto()
    """It waits for us: what it said is looked at when its turn comes."""
    SERVED = auto()
    """Its request is being answered: nobody may take its place meanwhile."""
    KNOWN = auto()
    """It is a device that is known here."""
    GONE = auto()


# What changes a stage; what is not listed for a stage changes nothing.
MOVES: Final[dict[AdmissionStage, dict[str, AdmissionStage]]] = {
    AdmissionStage.WAITING: {"entered": AdmissionStage.SILENT, "left": AdmissionStage.GONE},
    AdmissionStage.SILENT: {
        "heard": AdmissionStage.TALKING,
        "asks": AdmissionStage.ASKING,
        "busy": AdmissionStage.SERVED,
        "proved": AdmissionStage.KNOWN,
        "left": AdmissionStage.GONE,
    },
    AdmissionStage.TALKING: {
        "asks": AdmissionStage.ASKING,
        "busy": AdmissionStage.SERVED,
        "proved": AdmissionStage.KNOWN,
        "left": AdmissionStage.GONE,
    },
    AdmissionStage.ASKING: {
        "idle": AdmissionStage.TALKING,
        "busy": AdmissionStage.SERVED,
        "proved": AdmissionStage.KNOWN,
        "left": AdmissionStage.GONE,
    },
    AdmissionStage.SERVED: {
        "idle": AdmissionStage.TALKING,
        "proved": AdmissionStage.KNOWN,
        "left": AdmissionStage.GONE,
    },
    AdmissionStage.KNOWN: {"left": AdmissionStage.GONE},
    AdmissionStage.GONE: {},
}
# These count as strangers.
STRANGERS: Final = frozenset(
    {AdmissionStage.SILENT, AdmissionStage.TALKING, AdmissionStage.ASKING, AdmissionStage.SERVED}
)


class AdmissionLimits(msgspec.Struct, frozen=True):
    """Limits of one listener.

    most: connections that count, those in the line included. of_address: of one address, once admitted. pace:
    strangers admitted a second once the reserve is used up. known: descriptors kept for known devices; more
    connections of theirs, which others are about to replace, count with the strangers.
    """

    most: int
    of_address: int
    pace: int
    known: int = 0


class AdmittedProtocol(Peer, Protocol):
    """The protocol of a connection."""

    def evict(self) -> None:
        """Ends it to make room."""


class ConnectionAdmission:
    """Admission of one connection; without a listener nothing bounds it."""

    __slots__ = ("_control", "address", "protocol", "raw", "stage")

    def __init__(
        self,
        admission_control: "AdmissionControl | None" = None,
        raw: socket.socket | None = None,
        address: str = "",
    ) -> None:
        self.raw = raw
        self.address = address
        self.protocol: AdmittedProtocol | None = None
        self.stage = AdmissionStage.WAITING
        self._control = admission_control

    @property
    def gone(self) -> bool:
        """Whether the peer hung up while the connection waited."""
        if self.raw is None:
            return False
        try:
            return self.raw.recv(1, socket.MSG_PEEK) == b""
        except (BlockingIOError, InterruptedError):
            return False
        except OSError:
            return True

    def hang_up(self) -> None:
        """Ends a connection whose protocol is made by now; the protocol sees it end."""
        if self.raw is not None:
            with suppress(OSError):  # it is gone already
                self.raw.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Closes without sending anything."""
        if self.raw is not None:
            self.raw.close()

    def connected(self, protocol: AdmittedProtocol) -> None:
        """Its connection is made."""
        if self._control is not None:
            self.protocol = protocol

    def heard(self) -> None:
        """It has sent something: silent connections are evicted before it."""
        if self.stage is AdmissionStage.SILENT:
            self._happens("heard")

    def proved(self) -> None:
        """It has authenticated as a known device, and is never evicted."""
        self._happens("proved")
        if self._control is not None:
            self._control.vouch(self.address)

    def asks(self) -> None:
        """It waits for its turn, which does not count as idleness."""
        self._happens("asks")

    def busy(self) -> None:
        """It is being served, and is not evicted meanwhile."""
        self._happens("busy")

    def idle(self, *, served: bool) -> None:
        """Nothing is being done for it. served: its request named something that exists.

        One that was served ranks with an authenticated device.
        """
        self._happens("idle")
        if served and self._control is not None and self.stage is AdmissionStage.TALKING:
            self._control.vouch(self.address)

    def left(self) -> None:
        """The connection is gone, and its place is free."""
        self._happens("left")

    def _happens(self, what: str) -> None:
        if self._control is not None:
            self._control.happens(self, what)


class _WaitingLines:
    """Lines of waiting connections by address, first in first out; addresses take turns."""

    def __init__(self) -> None:
        self.length = 0
        self._known: dict[str, deque[ConnectionAdmission]] = {}
        self._others: dict[str, deque[ConnectionAdmission]] = {}

    def of(self, address: str) -> int:
        """How many connections of an address wait."""
        return len(self._known.get(address, ())) + len(self._others.get(address, ()))

    def enter(self, admission: ConnectionAdmission, *, known: bool) -> None:
        """Appends a connection to the line of its address."""
        lines = self._known if known else self._others
        lines.setdefault(admission.address, deque()).append(admission)
        self.length += 1

    def next(self) -> list[ConnectionAdmission]:
        """Dequeues one connection of an address with known devices, and one of another address."""
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


class ArrivalOutcome(IntEnum):
    """Outcome of a connection's arrival."""

    ENTERS = auto()
    WAITS = auto()
    REFUSED = auto()


class AdmissionControl:
    """Admission control of one listener. now: monotonic seconds, as in every call. inside: the admitted."""

    def __init__(self, bounds: AdmissionLimits, now: float) -> None:
        self.bounds = bounds
        self.inside: set[ConnectionAdmission] = set()
        self.allowance = RESERVE
        self._allowed_at = now
        self._lines = _WaitingLines()
        self._known: dict[str, None] = {}
        self._strangers: dict[AdmissionStage, dict[ConnectionAdmission, None]] = {
            stage: {} for stage in STRANGERS
        }
        self._of_address: dict[str, dict[ConnectionAdmission, None]] = {}

    @property
    def waiting(self) -> int:
        """How many connections wait in the line."""
        return self._lines.length

    @property
    def strangers(self) -> int:
        """How many admitted connections are not authenticated."""
        return sum(map(len, self._strangers.values()))

    def arrive(self, admission: ConnectionAdmission, now: float) -> ArrivalOutcome:
        """Decides on an accepted connection.

        One address leaves a quarter of the line to others. Addresses from which no device is known leave an
        eighth of it to those from which one is, so that no number of them keeps a known device out.
        """
        waiting, most = self._lines.length, self.bounds.most
        if (over := len(self.inside) - self.bounds.known) + waiting >= most and over > self.strangers:
            return ArrivalOutcome.REFUSED
        if not waiting and self._paced(now):
            return ArrivalOutcome.ENTERS
        known = admission.address in self._known
        full = waiting and waiting + self.strangers >= (most if known else most * 7 // 8)
        if full or self._lines.of(admission.address) >= most * 3 // 4:
            return ArrivalOutcome.REFUSED
        self._lines.enter(admission, known=known)
        return ArrivalOutcome.WAITS

    def turn(self, now: float) -> list[ConnectionAdmission]:
        """Dequeues connections to admit, within the rate limit."""
        return self._lines.next() if self._paced(now) else []

    def _paced(self, now: float) -> bool:
        """Whether the rate limit admits one more."""
        self.allowance = min(self.allowance + (now - self._allowed_at) * self.bounds.pace, RESERVE)
        self._allowed_at = now
        return self.allowance >= 1

    def empty(self) -> list[ConnectionAdmission]:
        """Dequeues all that wait."""
        found = []
        while admissions := self._lines.next():
            found += admissions
        return found

    def enter(self, admission: ConnectionAdmission) -> ConnectionAdmission | None:
        """Admits a connection as a stranger.

        Returns who is evicted for it: nobody, another one, or itself.
        """
        self.allowance -= 1
        of_address = self._of_address.get(admission.address, {})
        goes = None
        if len(of_address) >= self.bounds.of_address:
            goes = (
                _oldest(of_address, AdmissionStage.SILENT, AdmissionStage.TALKING, AdmissionStage.ASKING)
                or admission
            )
        elif self.strangers >= self.bounds.most:
            goes = self.oldest() or self._crowding(of_address) or admission
        if goes is not admission:
            self.happens(admission, "entered")
        return goes

    def oldest(self) -> ConnectionAdmission | None:
        """The oldest silent stranger, else the oldest idle one, if any."""
        among = self._strangers[AdmissionStage.SILENT] or self._strangers[AdmissionStage.TALKING]
        return next(iter(among), None)

    def _crowding(self, own: Mapping[ConnectionAdmission, None]) -> ConnectionAdmission | None:
        """The oldest waiting connection of the address with the most; none if that is its own address.

        So an address that keeps many waiting keeps nobody out, and evicts nobody that has fewer.
        """
        most = max(self._of_address.values(), key=len)
        return _oldest(most, AdmissionStage.ASKING) if len(most) > len(own) else None

    def happens(self, admission: ConnectionAdmission, what: str) -> None:
        """Moves a connection to the stage that follows."""
        before = admission.stage
        after = admission.stage = MOVES[before].get(what, before)
        if after is before:
            return
        if before in STRANGERS:
            del self._strangers[before][admission]
        if after in STRANGERS:
            self._strangers[after][admission] = None
        elif before in STRANGERS:
            self._release_place(admission)
        if after is AdmissionStage.SILENT:
            self._of_address.setdefault(admission.address, {})[admission] = None
            self.inside.add(admission)
        elif after is AdmissionStage.GONE:
            self.inside.discard(admission)

    def vouch(self, address: str) -> None:
        """Marks the address as one with known devices, and gives the rate limit its share back."""
        self._known.pop(address, None)
        self._known[address] = None
        if len(self._known) > KNOWN_MAX:
            del self._known[next(iter(self._known))]
        self.allowance = min(self.allowance + 1, RESERVE)

    def _release_place(self, admission: ConnectionAdmission) -> None:
        counted = self._of_address[admission.address]
        del counted[admission]
        if not counted:
            del self._of_address[admission.address]


def _oldest(among: Mapping[ConnectionAdmission, None], *stages: AdmissionStage) -> ConnectionAdmission | None:
    """The oldest in the first of these stages that is not empty."""
    return next((one for stage in stages for one in among if one.stage is stage), None)


NO_LISTENER: Final = ConnectionAdmission()
