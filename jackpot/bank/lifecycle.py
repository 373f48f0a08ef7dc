"""Lifecycle of a bank in one server: its states, their transitions, and the lease that they keep.

Among several servers on one ledger one holds a bank: it alone decides and writes. The others watch it. The
lifecycle of a bank in one server is one table, TRANSITIONS:

    WATCHING -free-> TAKING -taken-> CHECKING -checked-> OPENING -agreed-> SERVING
        ^   ^__ fenced, lost ______|________|____________________|____________________|  | ending
        |______ released __________________________________ RELEASING <-drained- DRAINING

An input that the table does not list for a state is a broken invariant. `BankLifecycle` follows the table,
returns the actions that each input has, and answers everything that is asked about a bank: whether it may be
shown, whether a device may come in, what pages, metrics and `jackpot lease show` say.

The lease: the holder of a bank is named in its head. It commits, or at least beats, so that the head moves.
Without an acknowledgement for LEASE_S it shows and promises nothing. Each other server looks at the head. A
server that sees the head stand still for longer takes the bank in a new epoch. The epoch is a fence: the
database refuses what the old holder still sends. No server ever looks at another machine's time.

No I/O, and no clock: times are monotonic seconds of this server, and passed in.
"""

from collections.abc import Mapping
from enum import Enum, IntEnum, auto
from math import inf
from typing import Final, NamedTuple

from jackpot.ledger.journal import Head
from jackpot.rules.invariant import InvariantError
from jackpot.runtime.service import Service

# A holder without work confirms its lease so often: two lost beats in a row are not yet a lapse.
BEAT_S: Final = 0.6
# Without an acknowledged commit or beat for so long a holder suspends its links and shows nothing.
LEASE_S: Final = 2.0
# A head that stands still for so long has lost its holder; a second more than the holder gives itself.
TAKEOVER_S: Final = 3.0
# A holder whose lease has lapsed for so long sends its devices to the others: one may hold the bank by now.
AWAY_S: Final = 2.0
# The holder's connection is gone: it is dead, or its lease has lapsed by then too.
GONE_S: Final = 2.0
# How often a bank that somebody else holds is looked at.
LOOK_S: Final = 0.25
# A server that was frozen, or cut off, looks late: in between it has not seen that nothing moved. This much
# of such a gap counts. With none of it, a server whose looks always take longer would never take a bank.
BLIND_S: Final = 1.0
# A holder that has not been seen to move for so long, or whose connection is gone, is not known to be there.
SILENT_S: Final = 1.5
# A free bank is not taken at once by a server that holds others already (so much for each), that is not the
# one to take it first, or that people have just taken it from.
PER_BANK_S: Final = 0.2
NOT_FIRST_S: Final = 0.5
HANDED_OVER_S: Final = 5.0
# A person who hands a bank over is told within this time who took it: until then somebody has, or it is back.
HEIR_WITHIN_S: Final = 2 * HANDED_OVER_S
# A server that has just started leaves free banks to one that was started with it, so that each gets some.
STARTED_TOGETHER_S: Final = 2.0


class LifecycleState(IntEnum):
    """States of a bank in one server."""

    WATCHING = auto()
    """Another server holds the bank, or may. Its head in the ledger is looked at."""
    TAKING = auto()
    """The next epoch is being asked for. It shuts out what an older holder still sends."""
    CHECKING = auto()
    """The epoch is ours. The ledger is read and checked."""
    OPENING = auto()
    """The bank decides. Links and tables are made to agree with the configuration; no device is in yet."""
    OPENING_DOUBT = auto()
    """As DOUBT, where it came in OPENING."""
    SERVING = auto()
    """Devices play."""
    SLOW = auto()
    """As SERVING, but a commit takes too long: links are suspended until it is acknowledged."""
    DOUBT = auto()
    """As SERVING, but nobody knows whether the last commit is durable. Nothing is decided. A new epoch must
    be acknowledged first; only then is the ledger read.
    """
    LAPSED = auto()
    """The ledger has acknowledged nothing for so long that another server may hold the bank by now. Devices
    were disconnected. They come back if the ledger acknowledges something after all.
    """
    LAPSED_DOUBT = auto()
    """As DOUBT, where it came in LAPSED, or lasted until the lease had lapsed."""
    DRAINING = auto()
    """The bank is to be given up. Its links are suspended and nothing more is taken in, but what was decided
    becomes durable, and devices get their answers.
    """
    DRAINING_AWAY = auto()
    """As DRAINING, where no device is in."""
    DRAINING_DOUBT = auto()
    """A doubt while the bank drains. It is not waited out, for nobody knows how long it lasts."""
    RELEASING = auto()
    """Everything decided is durable. The bank is being given up, and is no longer shown."""
    FAILED = auto()
    """Stopped for good: a person must look."""


class LifecycleInput(IntEnum):
    """Inputs of a bank's lifecycle."""

    SEEN = auto()
    """A look at the head: the bank is not free."""
    FREE = auto()
    """A look at the head: the bank may be taken."""
    LOST = auto()
    """The ledger did not answer, and nothing of ours is on its way."""
    TAKEN = auto()
    """A new epoch is acknowledged, and what it confirms has not run out."""
    TAKEN_LATE = auto()
    """A new epoch is acknowledged, so long after it was asked for that it confirms nothing."""
    CHECKED = auto()
    """The ledger was read in that epoch and is sound."""
    AGREED = auto()
    """Configuration and journal agree."""
    ACKNOWLEDGED = auto()
    """A commit or beat is acknowledged, and what it confirms has not run out."""
    ACKNOWLEDGED_LATE = auto()
    """A commit or beat is acknowledged that was asked for too long ago to confirm anything."""
    SLOW = auto()
    """A commit has been under way for too long."""
    DOUBTED = auto()
    """Nobody knows whether a commit is durable."""
    REBUILT = auto()
    """The state is again what the ledger holds."""
    LAPSED = auto()
    """Nothing was acknowledged for so long that another server may hold the bank."""
    FENCED = auto()
    """Another server has taken the bank."""
    ENDING = auto()
    """It is to be given up: this server stops, or people want another to have it."""
    DRAINED = auto()
    """Everything decided is durable, or in a doubt that is not waited out."""
    RELEASED = auto()
    """It was given up, or that failed and others must wait until it has lapsed."""
    FAILED = auto()
    """It cannot go on."""


TRANSITIONS: Final[Mapping[LifecycleState, Mapping[LifecycleInput, LifecycleState]]] = {
    LifecycleState.WATCHING: {
        LifecycleInput.SEEN: LifecycleState.WATCHING,
        LifecycleInput.FREE: LifecycleState.TAKING,
        LifecycleInput.LOST: LifecycleState.WATCHING,
        LifecycleInput.AGREED: LifecycleState.WATCHING,  # the bank was lost while that was being done
        LifecycleInput.FENCED: LifecycleState.WATCHING,
        LifecycleInput.FAILED: LifecycleState.FAILED,
    },
    LifecycleState.TAKING: {
        LifecycleInput.TAKEN: LifecycleState.CHECKING,
        LifecycleInput.TAKEN_LATE: LifecycleState.CHECKING,
        LifecycleInput.LOST: LifecycleState.WATCHING,
        LifecycleInput.FENCED: LifecycleState.WATCHING,
        LifecycleInput.FAILED: LifecycleState.FAILED,
    },
    LifecycleState.CHECKING: {
        LifecycleInput.CHECKED: LifecycleState.OPENING,
        LifecycleInput.LOST: LifecycleState.WATCHING,
        LifecycleInput.FENCED: LifecycleState.WATCHING,
        LifecycleInput.FAILED: LifecycleState.FAILED,
    },
    LifecycleState.OPENING: {
        LifecycleInput.AGREED: LifecycleState.SERVING,
        LifecycleInput.ACKNOWLEDGED: LifecycleState.OPENING,
        LifecycleInput.ACKNOWLEDGED_LATE: LifecycleState.OPENING,
        LifecycleInput.SLOW: LifecycleState.OPENING,
        LifecycleInput.DOUBTED: LifecycleState.OPENING_DOUBT,
        LifecycleInput.REBUILT: LifecycleState.OPENING,
        LifecycleInput.FENCED: LifecycleState.WATCHING,
        LifecycleInput.ENDING: LifecycleState.DRAINING_AWAY,
        LifecycleInput.FAILED: LifecycleState.FAILED,
    },
    LifecycleState.OPENING_DOUBT: {
        LifecycleInput.AGREED: LifecycleState.DOUBT,
        LifecycleInput.TAKEN: LifecycleState.OPENING_DOUBT,
        LifecycleInput.TAKEN_LATE: LifecycleState.OPENING_DOUBT,
        LifecycleInput.DOUBTED: LifecycleState.OPENING_DOUBT,
        LifecycleInput.REBUILT: LifecycleState.OPENING,
        LifecycleInput.FENCED: LifecycleState.WATCHING,
        LifecycleInput.ENDING: LifecycleState.DRAINING_DOUBT,
        LifecycleInput.FAILED: LifecycleState.FAILED,
    },
    LifecycleState.SERVING: {
        LifecycleInput.ACKNOWLEDGED: LifecycleState.SERVING,
        LifecycleInput.ACKNOWLEDGED_LATE: LifecycleState.SERVING,
        LifecycleInput.SLOW: LifecycleState.SLOW,
        LifecycleInput.DOUBTED: LifecycleState.DOUBT,
        LifecycleInput.REBUILT: LifecycleState.SERVING,
        LifecycleInput.LAPSED: LifecycleState.LAPSED,
        LifecycleInput.FENCED: LifecycleState.WATCHING,
        LifecycleInput.ENDING: LifecycleState.DRAINING,
        LifecycleInput.FAILED: LifecycleState.FAILED,
    },
    LifecycleState.SLOW: {
        LifecycleInput.ACKNOWLEDGED: LifecycleState.SERVING,
        LifecycleInput.ACKNOWLEDGED_LATE: LifecycleState.SERVING,
        LifecycleInput.SLOW: LifecycleState.SLOW,
        LifecycleInput.DOUBTED: LifecycleState.DOUBT,
        LifecycleInput.REBUILT: LifecycleState.SERVING,
        LifecycleInput.LAPSED: LifecycleState.LAPSED,
        LifecycleInput.FENCED: LifecycleState.WATCHING,
        LifecycleInput.ENDING: LifecycleState.DRAINING,
        LifecycleInput.FAILED: LifecycleState.FAILED,
    },
    LifecycleState.DOUBT: {
        LifecycleInput.TAKEN: LifecycleState.DOUBT,
        LifecycleInput.TAKEN_LATE: LifecycleState.DOUBT,
        LifecycleInput.DOUBTED: LifecycleState.DOUBT,
        LifecycleInput.REBUILT: LifecycleState.SERVING,
        LifecycleInput.LAPSED: LifecycleState.LAPSED_DOUBT,
        LifecycleInput.FENCED: LifecycleState.WATCHING,
        LifecycleInput.ENDING: LifecycleState.DRAINING_DOUBT,
        LifecycleInput.FAILED: LifecycleState.FAILED,
    },
    LifecycleState.LAPSED: {
        LifecycleInput.ACKNOWLEDGED: LifecycleState.SERVING,
        LifecycleInput.ACKNOWLEDGED_LATE: LifecycleState.LAPSED,
        LifecycleInput.SLOW: LifecycleState.LAPSED,
        LifecycleInput.DOUBTED: LifecycleState.LAPSED_DOUBT,
        LifecycleInput.REBUILT: LifecycleState.LAPSED,
        LifecycleInput.FENCED: LifecycleState.WATCHING,
        LifecycleInput.ENDING: LifecycleState.DRAINING_AWAY,
        LifecycleInput.FAILED: LifecycleState.FAILED,
    },
    LifecycleState.LAPSED_DOUBT: {
        LifecycleInput.TAKEN: LifecycleState.DOUBT,
        LifecycleInput.TAKEN_LATE: LifecycleState.LAPSED_DOUBT,
        LifecycleInput.DOUBTED: LifecycleState.LAPSED_DOUBT,
        LifecycleInput.REBUILT: LifecycleState.LAPSED,
        LifecycleInput.FENCED: LifecycleState.WATCHING,
        LifecycleInput.ENDING: LifecycleState.DRAINING_DOUBT,
        LifecycleInput.FAILED: LifecycleState.FAILED,
    },
    LifecycleState.DRAINING: {
        LifecycleInput.ACKNOWLEDGED: LifecycleState.DRAINING,
        LifecycleInput.ACKNOWLEDGED_LATE: LifecycleState.DRAINING,
        LifecycleInput.SLOW: LifecycleState.DRAINING,
        LifecycleInput.DOUBTED: LifecycleState.DRAINING_DOUBT,
        LifecycleInput.REBUILT: LifecycleState.DRAINING,
        LifecycleInput.LAPSED: LifecycleState.DRAINING_AWAY,
        LifecycleInput.FENCED: LifecycleState.WATCHING,
        LifecycleInput.ENDING: LifecycleState.DRAINING,
        LifecycleInput.DRAINED: LifecycleState.RELEASING,
        LifecycleInput.FAILED: LifecycleState.FAILED,
    },
    LifecycleState.DRAINING_AWAY: {
        LifecycleInput.AGREED: LifecycleState.DRAINING_AWAY,
        LifecycleInput.ACKNOWLEDGED: LifecycleState.DRAINING_AWAY,
        LifecycleInput.ACKNOWLEDGED_LATE: LifecycleState.DRAINING_AWAY,
        LifecycleInput.SLOW: LifecycleState.DRAINING_AWAY,
        LifecycleInput.DOUBTED: LifecycleState.DRAINING_DOUBT,
        LifecycleInput.REBUILT: LifecycleState.DRAINING_AWAY,
        LifecycleInput.FENCED: LifecycleState.WATCHING,
        LifecycleInput.ENDING: LifecycleState.DRAINING_AWAY,
        LifecycleInput.DRAINED: LifecycleState.RELEASING,
        LifecycleInput.FAILED: LifecycleState.FAILED,
    },
    LifecycleState.DRAINING_DOUBT: {
        LifecycleInput.AGREED: LifecycleState.DRAINING_DOUBT,
        LifecycleInput.TAKEN: LifecycleState.DRAINING_DOUBT,
        LifecycleInput.TAKEN_LATE: LifecycleState.DRAINING_DOUBT,
        LifecycleInput.DOUBTED: LifecycleState.DRAINING_DOUBT,
        LifecycleInput.REBUILT: LifecycleState.DRAINING_AWAY,
        LifecycleInput.FENCED: LifecycleState.WATCHING,
        LifecycleInput.ENDING: LifecycleState.DRAINING_DOUBT,
        LifecycleInput.DRAINED: LifecycleState.RELEASING,
        LifecycleInput.FAILED: LifecycleState.FAILED,
    },
    LifecycleState.RELEASING: {
        LifecycleInput.RELEASED: LifecycleState.WATCHING,
        LifecycleInput.FAILED: LifecycleState.FAILED,
    },
    LifecycleState.FAILED: dict.fromkeys(LifecycleInput, LifecycleState.FAILED),
}

IN_DOUBT: Final = frozenset(
    {
        LifecycleState.OPENING_DOUBT,
        LifecycleState.DOUBT,
        LifecycleState.LAPSED_DOUBT,
        LifecycleState.DRAINING_DOUBT,
    }
)
# No more work is accepted. A tuple, for it is tested at every read, and a state's hash takes longer.
DRAINING: Final = (LifecycleState.DRAINING, LifecycleState.DRAINING_AWAY, LifecycleState.DRAINING_DOUBT)
# The bank is written here.
HELD: Final = (
    frozenset(
        {
            LifecycleState.OPENING,
            LifecycleState.SERVING,
            LifecycleState.SLOW,
            LifecycleState.LAPSED,
            *DRAINING,
        }
    )
    | IN_DOUBT
)
# What was decided last is known to be durable, or soon will be.
SURE: Final = frozenset({LifecycleState.OPENING, LifecycleState.SERVING})
# Devices are connected.
OPEN: Final = frozenset(
    {LifecycleState.SERVING, LifecycleState.SLOW, LifecycleState.DOUBT, LifecycleState.DRAINING}
)
AWAY: Final = frozenset(
    {
        LifecycleState.LAPSED,
        LifecycleState.LAPSED_DOUBT,
        LifecycleState.DRAINING_AWAY,
        LifecycleState.DRAINING_DOUBT,
    }
)
# States in which a bank counts as this server's, where it decides whether to take one more.
BUSY: Final = HELD | {LifecycleState.TAKING, LifecycleState.CHECKING, LifecycleState.RELEASING}


class LifecycleAction(Enum):
    """Actions that an input has, performed in the order given."""

    TAKE = auto()
    """Ask for the next epoch, on the head that was just seen."""
    WENT_BACK = auto()
    """Say that the ledger stands before a row that was seen in it."""
    STAND_BY = auto()
    """Say that the bank is not decided here now, and by whom."""
    GIVE_UP = auto()
    """Say that this server gives the bank up."""
    STOP = auto()
    """Refuse what was asked and is not answered."""
    DISCONNECT = auto()
    """Send devices to the other servers, or let them wait here: `service` says which."""
    ACCEPT_DEVICES = auto()
    """Let in the devices that wait."""


def next_state(state: LifecycleState, what: LifecycleInput) -> LifecycleState:
    """State after an input. Raises InvariantError if the input is not listed for this state."""
    after = TRANSITIONS[state].get(what)
    if after is None:
        name = what.name.lower().replace("_", " ")
        raise InvariantError(f"{name} cannot happen to a bank that is {state.name.lower()}")
    return after


def takeover_delay(*, first: bool, others_first: bool, busy: int, up_s: float) -> float:
    """Seconds for which a free bank is left to other servers.

    first: it is configured to be taken here first; others_first: to be taken by others first. busy: the banks
    that this server has or takes already. up_s: how long ago this server started.
    """
    if first:
        return 0.0
    if (others_first or busy) and up_s < STARTED_TOGETHER_S:
        return STARTED_TOGETHER_S
    return busy * PER_BANK_S + (NOT_FIRST_S if others_first else 0.0)


class BankCondition(Enum):
    """The state of a bank in this server, in a word for operators."""

    HELD = "held"
    UNCONFIRMED = "unconfirmed"
    """Held as far as this server knows; the ledger has not confirmed it in time."""
    STANDBY = "standby"
    STOPPED = "stopped"


class Lease(NamedTuple):
    """The holder of a bank, as this server knows. why: more about `here`, a sentence; may be empty."""

    bank: str
    holder: str
    epoch: int
    seq: int
    here: BankCondition
    why: str


class HeadWatch:
    """One server's observation of a bank's head, by its own clock. alive: its holder was seen at work."""

    def __init__(self, now: float) -> None:
        self.alive = False
        self._moved = False
        self._mark: tuple[int, int, int, str] | None = None
        self._looked_at = now
        self._quiet = 0.0
        self._gone: float | None = None

    def free(self, head: Head, *, held: bool, now: float, waits: float = 0.0) -> bool:
        """Whether the bank may be taken. held: its holder's connection stands. waits: additional delay."""
        mark = (head.epoch, head.seq, head.beat, head.holder)
        passed = now - self._looked_at
        if passed > BLIND_S:
            self._moved, passed = False, BLIND_S
        self._looked_at = now
        self._quiet += passed
        if mark != self._mark:
            self._moved = self._mark is not None
            self._mark, self._quiet, self._gone = mark, 0.0, None
        if held:
            self._gone = None
        else:
            self._gone = 0.0 if self._gone is None else self._gone + passed
        self.alive = bool(head.holder) and held and self._moved and self._quiet < SILENT_S
        if not head.holder:
            return self._quiet >= waits
        if self._gone is not None and self._gone >= GONE_S + waits:
            return True
        return self._quiet >= TAKEOVER_S + waits


class BankLifecycle:
    """Lifecycle of one bank in one server. Each input returns actions, to be performed in order.

    own: this server's name in a head. now, began: monotonic seconds. shared: other servers can reach the
    ledger, so the lease must be confirmed. others: there are other servers, so devices are disconnected once
    it has lapsed. furthest: the head of the highest row that was seen. beat_due: when the lease must be
    confirmed at the latest, where nothing else is written.
    """

    def __init__(self, bank: str, own: str, now: float, *, shared: bool, others: bool) -> None:
        self.bank = bank
        self.own = own
        self.state = LifecycleState.WATCHING
        self.others = others
        self.furthest: Head | None = None
        self.beat_due = -inf
        self._shared = shared
        self._watch = HeadWatch(now)
        self._head: Head | None = None
        self._holder: str | None = None
        self._reason = ""
        self._until = -inf
        self._new_epoch = False
        self._handed_over = False

    # Inputs.

    def seen(self, head: Head, *, held: bool, now: float, waits: float) -> tuple[LifecycleAction, ...]:
        """The head was read. held: its holder's connection stands. waits: seconds for which others have
        precedence.
        """
        if self.state is not LifecycleState.WATCHING:
            self._follow(LifecycleInput.SEEN)
            return ()
        said: list[LifecycleAction] = []
        before, was = self._head, (self._holder, self.elsewhere)
        self._head = head
        if self.furthest is None or head.seq > self.furthest.seq:
            self.furthest = head
        if head.seq < self.furthest.seq and (before is None or before.seq != head.seq):
            said.append(LifecycleAction.WENT_BACK)
        if head.holder not in {"", self.own}:
            self._handed_over = False
        waits = HANDED_OVER_S if self._handed_over else waits
        if self._watch.free(head, held=held, now=now, waits=waits):
            self.take()
            return (*said, LifecycleAction.TAKE)
        self._follow(LifecycleInput.SEEN)
        self._holder = head.holder
        if self._holder != was[0]:
            said.append(LifecycleAction.STAND_BY)
        if (self._holder, self.elsewhere) != was:
            said += [LifecycleAction.STOP, LifecycleAction.DISCONNECT]
        elif self.elsewhere:
            said.append(LifecycleAction.DISCONNECT)  # devices that waited for this look
        return tuple(said)

    def take(self) -> None:
        """The bank is free, or no other server is known: begins taking it."""
        self._follow(LifecycleInput.FREE)
        self._handed_over = False

    def lost(self) -> tuple[LifecycleAction, ...]:
        """The ledger does not answer: what was seen in it is not valid any more."""
        said = self._forget_holder(LifecycleInput.LOST)
        self._head = None
        return said

    def taken(self, head: Head, began: float, now: float) -> tuple[LifecycleAction, ...]:
        """A new epoch, asked for at `began`, is acknowledged: nothing older can be written any more."""
        said = self._confirmed(LifecycleInput.TAKEN, LifecycleInput.TAKEN_LATE, began, now)
        self._head, self._new_epoch = head, True
        return said

    def checked(self) -> tuple[LifecycleAction, ...]:
        """The ledger was read in that epoch and is sound: the bank starts deciding."""
        return self._follow(LifecycleInput.CHECKED)

    def agreed(self) -> tuple[LifecycleAction, ...]:
        """Links and tables match the configuration: devices are accepted."""
        self._follow(LifecycleInput.AGREED)
        return (LifecycleAction.ACCEPT_DEVICES,) if self.state in OPEN else ()

    def acknowledged(self, began: float, now: float) -> tuple[LifecycleAction, ...]:
        """A commit or beat that was sent at `began` is durable. The lease holds from then, not from now.

        Each commit comes here, nearly always to a bank that serves: TRANSITIONS leaves that as it is.
        """
        until = began + LEASE_S if self._shared else inf
        if self.state is LifecycleState.SERVING and now < until:
            self._until, self.beat_due = until, began + BEAT_S
            return ()
        return self._confirmed(LifecycleInput.ACKNOWLEDGED, LifecycleInput.ACKNOWLEDGED_LATE, began, now)

    def slow(self) -> tuple[LifecycleAction, ...]:
        """A commit takes too long; it is left alone."""
        return self._follow(LifecycleInput.SLOW)

    def doubted(self) -> tuple[LifecycleAction, ...]:
        """Nobody knows whether the last commit is durable."""
        said = self._follow(LifecycleInput.DOUBTED)
        self._new_epoch = False
        return said

    def rebuilt(self) -> tuple[LifecycleAction, ...]:
        """The state is what the ledger holds. Raises InvariantError in doubt without a new epoch."""
        if self.state in IN_DOUBT and not self._new_epoch:
            raise InvariantError("the ledger was read before a new epoch shut out what was on its way")
        self._follow(LifecycleInput.REBUILT)
        return ()

    def fenced(self) -> tuple[LifecycleAction, ...]:
        """Another server has taken the bank."""
        return self._forget_holder(LifecycleInput.FENCED)

    def ending(self, *, hand_over: bool = False) -> tuple[LifecycleAction, ...]:
        """The bank is to be given up. Nothing more is taken in, and what was decided becomes durable.

        hand_over: an operator wants another server to take it, so others get more time than usual.
        """
        self._handed_over = self._handed_over or hand_over
        return self._follow(LifecycleInput.ENDING)

    def drained(self) -> tuple[LifecycleAction, ...]:
        """Nothing waits: the bank is given up. Another server may take it before this one hears of it."""
        return self._forget_holder(LifecycleInput.DRAINED)

    def released(self) -> tuple[LifecycleAction, ...]:
        """The bank was given up; or that failed, and others wait until the lease has lapsed."""
        return self._follow(LifecycleInput.RELEASED)

    def fail(self, reason: str) -> tuple[LifecycleAction, ...]:
        """Stops the bank for good; the first reason is kept."""
        if self.failed:
            return ()
        if self.state not in HELD:
            self._until = -inf
        self._follow(LifecycleInput.FAILED)
        self._reason = reason
        return (LifecycleAction.STOP, LifecycleAction.DISCONNECT)

    def tick(self, now: float) -> tuple[LifecycleAction, ...]:
        """Lets time pass; about ten times a second."""
        if self.others and self.state in OPEN and now - self._until >= AWAY_S:
            return self._follow(LifecycleInput.LAPSED)
        return ()

    def _follow(self, what: LifecycleInput) -> tuple[LifecycleAction, ...]:
        """Disconnects accepted devices once they may not stay."""
        before = self.state
        self.state = next_state(before, what)
        return (LifecycleAction.DISCONNECT,) if before in OPEN and self.state in AWAY else ()

    def _confirmed(
        self, in_time: LifecycleInput, late: LifecycleInput, began: float, now: float
    ) -> tuple[LifecycleAction, ...]:
        """What was sent at `began` is acknowledged, in time or so late that it confirms nothing now."""
        until = began + LEASE_S if self._shared else inf
        before = self.state
        self._follow(in_time if now < until else late)
        self.beat_due = began + BEAT_S
        if not self.failed:
            self._until = until
        return (LifecycleAction.ACCEPT_DEVICES,) if before in AWAY and self.state in OPEN else ()

    def _forget_holder(self, what: LifecycleInput) -> tuple[LifecycleAction, ...]:
        """Forgets the holder: from here on none is known."""
        before, was = self.state, (self._holder, self.elsewhere)
        self._follow(what)
        if self.state is LifecycleState.FAILED:
            return ()
        self._until = -inf
        self._holder = ""
        told = LifecycleAction.GIVE_UP if self.state is LifecycleState.RELEASING else LifecycleAction.STAND_BY
        said = (told,) if was[0] != "" or before in HELD else ()
        return (*said, LifecycleAction.STOP, LifecycleAction.DISCONNECT) if said or was[1] else ()

    # What is asked about the bank.

    def leased(self, now: float) -> bool:
        """Whether no other server can have the bank: it is held, and the ledger confirmed that in time."""
        return (self.state in HELD or self.failed) and now < self._until

    def trusted(self, now: float) -> bool:
        """Whether the shown meters are durable, and this server is the one that may publish them (S4)."""
        return self.state in SURE and now < self._until

    @property
    def in_doubt(self) -> bool:
        """Whether a new epoch must come before the ledger is read again."""
        return self.state in IN_DOUBT

    @property
    def draining(self) -> bool:
        """Whether nothing more is taken in, because the bank is to be given up."""
        return self.state in DRAINING

    @property
    def failed(self) -> bool:
        """Whether it has stopped for good."""
        return self.state is LifecycleState.FAILED

    @property
    def busy(self) -> bool:
        """Whether it is held here, or being taken or given up."""
        return self.state in BUSY

    @property
    def elsewhere(self) -> bool:
        """Whether another server was seen to hold it, and to be at work."""
        return self.state is LifecycleState.WATCHING and bool(self._holder) and self._watch.alive

    @property
    def held_by(self) -> str:
        """The holder of the bank, by the name in its head; "" where no holder is seen to be at work."""
        if self.state in HELD:
            return self.own
        return (self._holder or "") if self.elsewhere else ""

    @property
    def service(self) -> Service:
        """The bank's availability for a device here."""
        if self.state in OPEN:
            return Service.HERE
        away = self.elsewhere or self.failed or self.state in AWAY
        return Service.ELSEWHERE if away else Service.SOON

    @property
    def stopped(self) -> str | None:
        """Why nothing is decided here, for people; None where the bank is held."""
        if self.state in HELD:
            return None
        if self.failed:
            return self._reason
        if self._holder is None:
            return "starting"
        if self.state is LifecycleState.RELEASING:
            return f"bank {self.bank} is being given up"
        return f"standby: {self._holder or 'no server'} has bank {self.bank}"

    def look(self, seq: int, now: float) -> Lease:
        """The lease of the bank, also without a ledger. seq: of the last row made durable here."""
        if self.state in HELD:
            here = BankCondition.HELD if self.leased(now) else BankCondition.UNCONFIRMED
            why = "" if here is BankCondition.HELD else "the ledger has not confirmed it in time"
            return Lease(self.bank, self.own, self._head.epoch if self._head else 0, seq, here, why)
        head = self._head or Head(self.bank, 0, 0, b"", "", 0)
        known = self.bank, head.holder, head.epoch, head.seq
        if self.failed:
            return Lease(*known, BankCondition.STOPPED, self._reason)
        if self._head is None:
            return Lease(*known, BankCondition.STANDBY, "the ledger does not answer")
        if self.state is LifecycleState.RELEASING:
            return Lease(*known, BankCondition.STANDBY, "it is being given up")
        return Lease(*known, BankCondition.STANDBY, "" if self.elsewhere else "no server is seen at work")
