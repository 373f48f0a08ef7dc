"""Who may come in at a listener, and who must go for it? Nobody is known before the hello.

A connection comes in three steps. Accepted, it waits in the line of its address. Let in, at a pace, it is a
stranger. Once it has proved itself the configuration bounds it, and it no longer counts here. The lines take
turns: those of addresses from which a device has proved itself go one by one with all the others, so that
neither a flood nor the pace keeps a known device out. A proof gives back what letting in has cost of the
pace: a whole floor that comes at one moment is let in as fast as it greets. Where there are too many
strangers the oldest that says nothing goes. No I/O, and no clock: the time is passed in.
"""

import socket
from collections import deque
from collections.abc import Mapping
from contextlib import suppress
from enum import IntEnum, auto
from typing import Final, Protocol

import msgspec

from jackpot.runtime.isolate import Peer

# Strangers let in at once before the pace is kept: as many as one address may have.
RESERVE: Final = 256.0
# Addresses from which a device has proved itself: several times the largest floor.
KNOWN_MOST: Final = 4_096


class Stage(IntEnum):
    """How far a connection has come."""

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
MOVES: Final[dict[Stage, dict[str, Stage]]] = {
    Stage.WAITING: {"entered": Stage.SILENT, "left": Stage.GONE},
    Stage.SILENT: {
        "heard": Stage.TALKING,
        "asks": Stage.ASKING,
        "busy": Stage.SERVED,
        "proved": Stage.KNOWN,
        "left": Stage.GONE,
    },
    Stage.TALKING: {
        "asks": Stage.ASKING,
        "busy": Stage.SERVED,
        "proved": Stage.KNOWN,
        "left": Stage.GONE,
    },
    Stage.ASKING: {
        "idle": Stage.TALKING,
        "busy": Stage.SERVED,
        "proved": Stage.KNOWN,
        "left": Stage.GONE,
    },
    Stage.SERVED: {"idle": Stage.TALKING, "proved": Stage.KNOWN, "left": Stage.GONE},
    Stage.KNOWN: {"left": Stage.GONE},
    Stage.GONE: {},
}
# These count as strangers.
STRANGERS: Final = frozenset({Stage.SILENT, Stage.TALKING, Stage.ASKING, Stage.SERVED})


class Bounds(msgspec.Struct, frozen=True):
    """most: connections that count, those in the line included. of_address: of one address, once let in.

    pace: strangers let in a second once the reserve is used up. known: descriptors kept for known devices;
    more connections of theirs, which others are about to replace, count with the strangers.
    """

    most: int
    of_address: int
    pace: int
    known: int = 0


class Visitor(Peer, Protocol):
    """The protocol of a connection."""

    def turn_out(self) -> None:
        """There is no room for it."""


class Guest:
    """One connection as its listener sees it; without a listener nothing bounds it."""

    __slots__ = ("_crowd", "address", "raw", "stage", "visitor")

    def __init__(
        self, crowd: "Crowd | None" = None, raw: socket.socket | None = None, address: str = ""
    ) -> None:
        self.raw = raw
        self.address = address
        self.visitor: Visitor | None = None
        self.stage = Stage.WAITING
        self._crowd = crowd

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
        """Ends a connection that somebody else holds by now; the holder finds it ended."""
        if self.raw is not None:
            with suppress(OSError):  # it is gone already
                self.raw.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Says nothing."""
        if self.raw is not None:
            self.raw.close()

    def came(self, visitor: Visitor) -> None:
        """Its connection is made."""
        if self._crowd is not None:
            self.visitor = visitor

    def heard(self) -> None:
        """It has said something: those that say nothing go before it."""
        if self.stage is Stage.SILENT:
            self._happens("heard")

    def proved(self) -> None:
        """It is a device that is known here: it stays, whatever else comes."""
        self._happens("proved")
        if self._crowd is not None:
            self._crowd.vouch(self.address)

    def asks(self) -> None:
        """It waits for its turn, which is no idleness of its own."""
        self._happens("asks")

    def busy(self) -> None:
        """It is being served: nobody may take its place."""
        self._happens("busy")

    def idle(self, *, served: bool) -> None:
        """Nothing is being done for it. served: it had asked for something that there is.

        One that was served is no worse than a device that has proved itself.
        """
        self._happens("idle")
        if served and self._crowd is not None and self.stage is Stage.TALKING:
            self._crowd.vouch(self.address)

    def left(self) -> None:
        """It is gone: its place is free."""
        self._happens("left")

    def _happens(self, what: str) -> None:
        if self._crowd is not None:
            self._crowd.happens(self, what)


class _Lines:
    """Connections that wait, by address, first come first let in; addresses take turns."""

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


class Arrival(IntEnum):
    """What becomes of a connection that was just accepted."""

    ENTERS = auto()
    WAITS = auto()
    REFUSED = auto()


class Crowd:
    """Everybody at one listener. now: monotonic seconds, as in every call. inside: those that were let in."""

    def __init__(self, bounds: Bounds, now: float) -> None:
        self.bounds = bounds
        self.inside: set[Guest] = set()
        self.allowance = RESERVE
        self._allowed_at = now
        self._lines = _Lines()
        self._known: dict[str, None] = {}
        self._strangers: dict[Stage, dict[Guest, None]] = {stage: {} for stage in STRANGERS}
        self._of_address: dict[str, dict[Guest, None]] = {}

    @property
    def waiting(self) -> int:
        """How many are in the line."""
        return self._lines.length

    @property
    def strangers(self) -> int:
        """How many are in and have not proved themselves."""
        return sum(map(len, self._strangers.values()))

    def arrive(self, guest: Guest, now: float) -> Arrival:
        """What becomes of it.

        One address leaves a quarter of the line to others. Addresses from which no device is known leave an
        eighth of it to those from which one is, so that no number of them keeps a known device out.
        """
        waiting, most = self._lines.length, self.bounds.most
        if (over := len(self.inside) - self.bounds.known) + waiting >= most and over > self.strangers:
            return Arrival.REFUSED
        if not waiting and self._paced(now):
            return Arrival.ENTERS
        known = guest.address in self._known
        full = waiting and waiting + self.strangers >= (most if known else most * 7 // 8)
        if full or self._lines.of(guest.address) >= most * 3 // 4:
            return Arrival.REFUSED
        self._lines.enter(guest, known=known)
        return Arrival.WAITS

    def turn(self, now: float) -> list[Guest]:
        """Those whose turn it is to come in, out of the line; none while the pace does not allow it."""
        return self._lines.next() if self._paced(now) else []

    def _paced(self, now: float) -> bool:
        """Whether the pace lets one more in."""
        self.allowance = min(self.allowance + (now - self._allowed_at) * self.bounds.pace, RESERVE)
        self._allowed_at = now
        return self.allowance >= 1

    def empty(self) -> list[Guest]:
        """All that wait, out of the line."""
        found = []
        while guests := self._lines.next():
            found += guests
        return found

    def enter(self, guest: Guest) -> Guest | None:
        """It becomes a stranger. Returns who must go for it: nobody, another one, or itself."""
        self.allowance -= 1
        of_address = self._of_address.get(guest.address, {})
        goes = None
        if len(of_address) >= self.bounds.of_address:
            goes = _oldest(of_address, Stage.SILENT, Stage.TALKING, Stage.ASKING) or guest
        elif self.strangers >= self.bounds.most:
            goes = self.oldest() or self._crowding(of_address) or guest
        if goes is not guest:
            self.happens(guest, "entered")
        return goes

    def oldest(self) -> Guest | None:
        """The oldest stranger that says nothing, else the oldest that asks for nothing, if any."""
        among = self._strangers[Stage.SILENT] or self._strangers[Stage.TALKING]
        return next(iter(among), None)

    def _crowding(self, own: Mapping[Guest, None]) -> Guest | None:
        """The oldest that waits for its turn, of the address that has the most; none where that is one's own.

        So an address that keeps many waiting keeps nobody out, and drives nobody out that has fewer.
        """
        most = max(self._of_address.values(), key=len)
        return _oldest(most, Stage.ASKING) if len(most) > len(own) else None

    def happens(self, guest: Guest, what: str) -> None:
        """Moves it to the stage that follows."""
        before = guest.stage
        after = guest.stage = MOVES[before].get(what, before)
        if after is before:
            return
        if before in STRANGERS:
            del self._strangers[before][guest]
        if after in STRANGERS:
            self._strangers[after][guest] = None
        elif before in STRANGERS:
            self._count_no_more(guest)
        if after is Stage.SILENT:
            self._of_address.setdefault(guest.address, {})[guest] = None
            self.inside.add(guest)
        elif after is Stage.GONE:
            self.inside.discard(guest)

    def vouch(self, address: str) -> None:
        """The address has a line with the known ones, and the pace gets its share back."""
        self._known.pop(address, None)
        self._known[address] = None
        if len(self._known) > KNOWN_MOST:
            del self._known[next(iter(self._known))]
        self.allowance = min(self.allowance + 1, RESERVE)

    def _count_no_more(self, guest: Guest) -> None:
        counted = self._of_address[guest.address]
        del counted[guest]
        if not counted:
            del self._of_address[guest.address]


def _oldest(among: Mapping[Guest, None], *stages: Stage) -> Guest | None:
    """The oldest in the first of these stages in which there is one."""
    return next((one for stage in stages for one in among if one.stage is stage), None)


NO_DOOR: Final = Guest()
