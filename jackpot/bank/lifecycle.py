"""State machine of one bank in one server. No I/O: time and events are passed in.

Among several servers on one ledger one holds a bank: it alone decides and writes. The others watch it. The
lifecycle of a bank in one server is one table, TRANSITIONS:

    WATCHING -free-> TAKING -taken-> CHECKING -checked-> OPENING -agreed-> SERVING
        ^   ^__ fenced, lost ______|________|____________________|____________________|  | ending
        |______ released __________________________________ RELEASING <-drained- DRAINING

Each input returns the actions that the supervisor performs, in order. An input that the table does not list
for a state is a broken invariant. `service_states` defines the states and all queries on a bank.
"""

from collections.abc import Mapping
from enum import Enum, auto
from math import inf
from typing import Final

from jackpot.ledger.journal import Head
from jackpot.rules.invariant import InvariantError
from jackpot.runtime.head_watch import (
    AWAY_S,
    BEAT_S,
    HANDED_OVER_S,
    LEASE_S,
    NOT_FIRST_S,
    PER_BANK_S,
    STARTED_TOGETHER_S,
)
from jackpot.runtime.service_states import AWAY, HELD, IN_DOUBT, OPEN, LifecycleState, LifecycleStatus

INPUTS: Final = (
    "seen",  # a look at the head: the bank is not free
    "free",  # a look at the head: the bank may be taken
    "lost",  # the ledger did not answer, and nothing of ours is on its way
    "taken",  # a new epoch is acknowledged, and what it confirms has not run out
    "taken late",  # a new epoch is acknowledged, so long after it was asked for that it confirms nothing
    "checked",  # the ledger was read in that epoch and is sound
    "agreed",  # configuration and journal agree
    "acknowledged",  # a commit or beat is acknowledged, and what it confirms has not run out
    "acknowledged late",  # it was asked for too long ago
    "slow",  # a commit has been under way for too long
    "doubted",  # nobody knows whether a commit is durable
    "rebuilt",  # the state is again what the ledger holds
    "lapsed",  # nothing was acknowledged for so long that another server may hold the bank
    "fenced",  # another server has taken the bank
    "ending",  # it is to be given up: this server stops, or people want another to have it
    "drained",  # everything decided is durable, or in a doubt that is not waited out
    "released",  # it was given up, or that failed and others must wait until it has lapsed
    "failed",  # it cannot go on
)

TRANSITIONS: Final[Mapping[LifecycleState, Mapping[str, LifecycleState]]] = {
    LifecycleState.WATCHING: {
        "seen": LifecycleState.WATCHING,
        "free": LifecycleState.TAKING,
        "lost": LifecycleState.WATCHING,
        "agreed": LifecycleState.WATCHING,  # the bank was lost while that was being done
        "fenced": LifecycleState.WATCHING,
        "failed": LifecycleState.FAILED,
    },
    LifecycleState.TAKING: {
        "taken": LifecycleState.CHECKING,
        "taken late": LifecycleState.CHECKING,
        "lost": LifecycleState.WATCHING,
        "fenced": LifecycleState.WATCHING,
        "failed": LifecycleState.FAILED,
    },
    LifecycleState.CHECKING: {
        "checked": LifecycleState.OPENING,
        "lost": LifecycleState.WATCHING,
        "fenced": LifecycleState.WATCHING,
        "failed": LifecycleState.FAILED,
    },
    LifecycleState.OPENING: {
        "agreed": LifecycleState.SERVING,
        "acknowledged": LifecycleState.OPENING,
        "acknowledged late": LifecycleState.OPENING,
        "slow": LifecycleState.OPENING,
        "doubted": LifecycleState.OPENING_DOUBT,
        "rebuilt": LifecycleState.OPENING,
        "fenced": LifecycleState.WATCHING,
        "ending": LifecycleState.DRAINING_AWAY,
        "failed": LifecycleState.FAILED,
    },
    LifecycleState.OPENING_DOUBT: {
        "agreed": LifecycleState.DOUBT,
        "taken": LifecycleState.OPENING_DOUBT,
        "taken late": LifecycleState.OPENING_DOUBT,
        "doubted": LifecycleState.OPENING_DOUBT,
        "rebuilt": LifecycleState.OPENING,
        "fenced": LifecycleState.WATCHING,
        "ending": LifecycleState.DRAINING_DOUBT,
        "failed": LifecycleState.FAILED,
    },
    LifecycleState.SERVING: {
        "acknowledged": LifecycleState.SERVING,
        "acknowledged late": LifecycleState.SERVING,
        "slow": LifecycleState.SLOW,
        "doubted": LifecycleState.DOUBT,
        "rebuilt": LifecycleState.SERVING,
        "lapsed": LifecycleState.LAPSED,
        "fenced": LifecycleState.WATCHING,
        "ending": LifecycleState.DRAINING,
        "failed": LifecycleState.FAILED,
    },
    LifecycleState.SLOW: {
        "acknowledged": LifecycleState.SERVING,
        "acknowledged late": LifecycleState.SERVING,
        "slow": LifecycleState.SLOW,
        "doubted": LifecycleState.DOUBT,
        "rebuilt": LifecycleState.SERVING,
        "lapsed": LifecycleState.LAPSED,
        "fenced": LifecycleState.WATCHING,
        "ending": LifecycleState.DRAINING,
        "failed": LifecycleState.FAILED,
    },
    LifecycleState.DOUBT: {
        "taken": LifecycleState.DOUBT,
        "taken late": LifecycleState.DOUBT,
        "doubted": LifecycleState.DOUBT,
        "rebuilt": LifecycleState.SERVING,
        "lapsed": LifecycleState.LAPSED_DOUBT,
        "fenced": LifecycleState.WATCHING,
        "ending": LifecycleState.DRAINING_DOUBT,
        "failed": LifecycleState.FAILED,
    },
    LifecycleState.LAPSED: {
        "acknowledged": LifecycleState.SERVING,
        "acknowledged late": LifecycleState.LAPSED,
        "slow": LifecycleState.LAPSED,
        "doubted": LifecycleState.LAPSED_DOUBT,
        "rebuilt": LifecycleState.LAPSED,
        "fenced": LifecycleState.WATCHING,
        "ending": LifecycleState.DRAINING_AWAY,
        "failed": LifecycleState.FAILED,
    },
    LifecycleState.LAPSED_DOUBT: {
        "taken": LifecycleState.DOUBT,
        "taken late": LifecycleState.LAPSED_DOUBT,
        "doubted": LifecycleState.LAPSED_DOUBT,
        "rebuilt": LifecycleState.LAPSED,
        "fenced": LifecycleState.WATCHING,
        "ending": LifecycleState.DRAINING_DOUBT,
        "failed": LifecycleState.FAILED,
    },
    LifecycleState.DRAINING: {
        "acknowledged": LifecycleState.DRAINING,
        "acknowledged late": LifecycleState.DRAINING,
        "slow": LifecycleState.DRAINING,
        "doubted": LifecycleState.DRAINING_DOUBT,
        "rebuilt": LifecycleState.DRAINING,
        "lapsed": LifecycleState.DRAINING_AWAY,
        "fenced": LifecycleState.WATCHING,
        "ending": LifecycleState.DRAINING,
        "drained": LifecycleState.RELEASING,
        "failed": LifecycleState.FAILED,
    },
    LifecycleState.DRAINING_AWAY: {
        "agreed": LifecycleState.DRAINING_AWAY,
        "acknowledged": LifecycleState.DRAINING_AWAY,
        "acknowledged late": LifecycleState.DRAINING_AWAY,
        "slow": LifecycleState.DRAINING_AWAY,
        "doubted": LifecycleState.DRAINING_DOUBT,
        "rebuilt": LifecycleState.DRAINING_AWAY,
        "fenced": LifecycleState.WATCHING,
        "ending": LifecycleState.DRAINING_AWAY,
        "drained": LifecycleState.RELEASING,
        "failed": LifecycleState.FAILED,
    },
    LifecycleState.DRAINING_DOUBT: {
        "agreed": LifecycleState.DRAINING_DOUBT,
        "taken": LifecycleState.DRAINING_DOUBT,
        "taken late": LifecycleState.DRAINING_DOUBT,
        "doubted": LifecycleState.DRAINING_DOUBT,
        "rebuilt": LifecycleState.DRAINING_AWAY,
        "fenced": LifecycleState.WATCHING,
        "ending": LifecycleState.DRAINING_DOUBT,
        "drained": LifecycleState.RELEASING,
        "failed": LifecycleState.FAILED,
    },
    LifecycleState.RELEASING: {
        "released": LifecycleState.WATCHING,
        "failed": LifecycleState.FAILED,
    },
    LifecycleState.FAILED: dict.fromkeys(INPUTS, LifecycleState.FAILED),
}


class LifecycleAction(Enum):
    """Actions that the supervisor performs about an input, in the order given."""

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


def next_state(state: LifecycleState, news: str) -> LifecycleState:
    """State after an input. Raises InvariantError if the input is not listed for this state."""
    after = TRANSITIONS[state].get(news)
    if after is None:
        raise InvariantError(f"{news} cannot happen to a bank that is {state.name.lower()}")
    return after


def patience(*, first: bool, others_first: bool, busy: int, up_s: float) -> float:
    """Seconds for which a free bank is left to other servers.

    first: it is configured to be taken here first; others_first: to be taken by others first. busy: the banks
    that this server has or takes already. up_s: how long ago this server started.
    """
    if first:
        return 0.0
    if (others_first or busy) and up_s < STARTED_TOGETHER_S:
        return STARTED_TOGETHER_S
    return busy * PER_BANK_S + (NOT_FIRST_S if others_first else 0.0)


class BankLifecycle(LifecycleStatus):
    """Lifecycle of a bank, advanced by events. now, began: monotonic seconds.

    shared: other servers can reach the ledger, so the lease must be confirmed. others: there are other
    servers, so devices are disconnected once it has lapsed. furthest: the head of the highest row that was
    seen.
    """

    def __init__(self, bank: str, own: str, now: float, *, shared: bool, others: bool) -> None:
        super().__init__(bank, own, now)
        self.others = others
        self.furthest: Head | None = None
        self._shared = shared
        self._new_epoch = False
        self._handed_over = False

    def seen(self, head: Head, *, held: bool, now: float, waits: float) -> tuple[LifecycleAction, ...]:
        """The head was read. held: its holder's connection stands. waits: seconds for which others have
        precedence.
        """
        if self.state is not LifecycleState.WATCHING:
            self._follow("seen")
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
        self._follow("seen")
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
        self._follow("free")
        self._handed_over = False

    def lost(self) -> tuple[LifecycleAction, ...]:
        """The ledger does not answer: what was seen in it is not valid any more."""
        said = self._not_ours("lost")
        self._head = None
        return said

    def taken(self, head: Head, began: float, now: float) -> tuple[LifecycleAction, ...]:
        """A new epoch, asked for at `began`, is acknowledged: nothing older can be written any more."""
        said = self._confirmed("taken", began, now)
        self._head, self._new_epoch = head, True
        return said

    def checked(self) -> tuple[LifecycleAction, ...]:
        """The ledger was read in that epoch and is sound: the bank starts deciding."""
        return self._follow("checked")

    def agreed(self) -> tuple[LifecycleAction, ...]:
        """Links and tables match the configuration: devices are accepted."""
        self._follow("agreed")
        return (LifecycleAction.ACCEPT_DEVICES,) if self.state in OPEN else ()

    def acknowledged(self, began: float, now: float) -> tuple[LifecycleAction, ...]:
        """A commit or beat that was sent at `began` is durable. The lease holds from then, not from now."""
        return self._confirmed("acknowledged", began, now)

    def slow(self) -> tuple[LifecycleAction, ...]:
        """A commit takes too long; it is left alone."""
        return self._follow("slow")

    def doubted(self) -> tuple[LifecycleAction, ...]:
        """Nobody knows whether the last commit is durable."""
        said = self._follow("doubted")
        self._new_epoch = False
        return said

    def rebuilt(self) -> tuple[LifecycleAction, ...]:
        """The state is what the ledger holds. Raises InvariantError in doubt without a new epoch."""
        if self.state in IN_DOUBT and not self._new_epoch:
            raise InvariantError("the ledger was read before a new epoch shut out what was on its way")
        self._follow("rebuilt")
        return ()

    def fenced(self) -> tuple[LifecycleAction, ...]:
        """Another server has taken the bank."""
        return self._not_ours("fenced")

    def ending(self, *, hand_over: bool = False) -> tuple[LifecycleAction, ...]:
        """The bank is to be given up. Nothing more is taken in, and what was decided becomes durable.

        hand_over: an operator wants another server to take it, so others get more time than usual.
        """
        self._handed_over = self._handed_over or hand_over
        return self._follow("ending")

    def drained(self) -> tuple[LifecycleAction, ...]:
        """Nothing waits: the bank is given up. Another server may take it before this one hears of it."""
        return self._not_ours("drained")

    def released(self) -> tuple[LifecycleAction, ...]:
        """The bank was given up; or that failed, and others wait until the lease has lapsed."""
        return self._follow("released")

    def fail(self, reason: str) -> tuple[LifecycleAction, ...]:
        """Stops the bank for good; the first reason is kept."""
        if self.failed:
            return ()
        if self.state not in HELD:
            self._until = -inf
        self._follow("failed")
        self._reason = reason
        return (LifecycleAction.STOP, LifecycleAction.DISCONNECT)

    def tick(self, now: float) -> tuple[LifecycleAction, ...]:
        """Lets time pass; about ten times a second."""
        if self.others and self.state in OPEN and now - self._until >= AWAY_S:
            return self._follow("lapsed")
        return ()

    def _follow(self, news: str) -> tuple[LifecycleAction, ...]:
        """Disconnects accepted devices once they may not stay."""
        before = self.state
        self.state = next_state(before, news)
        return (LifecycleAction.DISCONNECT,) if before in OPEN and self.state in AWAY else ()

    def _confirmed(self, news: str, began: float, now: float) -> tuple[LifecycleAction, ...]:
        until = began + LEASE_S if self._shared else inf
        before = self.state
        self._follow(news if now < until else f"{news} late")
        self._beat_due = began + BEAT_S
        if not self.failed:
            self._until = until
        return (LifecycleAction.ACCEPT_DEVICES,) if before in AWAY and self.state in OPEN else ()

    def _not_ours(self, news: str) -> tuple[LifecycleAction, ...]:
        """Forgets the holder: from here on none is known."""
        before, was = self.state, (self._holder, self.elsewhere)
        self._follow(news)
        if self.state is LifecycleState.FAILED:
            return ()
        self._until = -inf
        self._holder = ""
        told = LifecycleAction.GIVE_UP if self.state is LifecycleState.RELEASING else LifecycleAction.STAND_BY
        said = (told,) if was[0] != "" or before in HELD else ()
        return (*said, LifecycleAction.STOP, LifecycleAction.DISCONNECT) if said or was[1] else ()
