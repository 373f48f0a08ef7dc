"""What happens to a bank in this server, and what must the server do next? No I/O: time and news come in.

Among several servers on one ledger one holds a bank: it alone decides and writes. The others watch it. This
is the life of one bank in one server, as one table, TRANSITIONS:

    WATCHING -free-> TAKING -taken-> CHECKING -checked-> OPENING -agreed-> SERVING
        ^   ^__ fenced, lost ______|________|____________________|____________________|  | ending
        |______ released __________________________________ RELEASING <-drained- DRAINING

Each input returns what the shell must do, in order. An input that the table does not list for a state is a
broken invariant. `life` says what the states mean, and answers every question about a bank.
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
from jackpot.runtime.service_states import AWAY, HELD, IN_DOUBT, OPEN, Life, State

INPUTS: Final = (
    "seen",  # a look at the head: the bank is not free
    "free",  # a look at the head: the bank may be taken
    "lost",  # the ledger did not answer, and nothing of ours is on its way
    "taken",  # a new epoch is acknowledged, and what it confirms has not run out
    "taken late",  # a new epoch is acknowledged, so long after it was asked for that it confirms nothing
    "checked",  # the books of that epoch were read and are sound
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

TRANSITIONS: Final[Mapping[State, Mapping[str, State]]] = {
    State.WATCHING: {
        "seen": State.WATCHING,
        "free": State.TAKING,
        "lost": State.WATCHING,
        "agreed": State.WATCHING,  # the bank was lost while that was being done
        "fenced": State.WATCHING,
        "failed": State.FAILED,
    },
    State.TAKING: {
        "taken": State.CHECKING,
        "taken late": State.CHECKING,
        "lost": State.WATCHING,
        "fenced": State.WATCHING,
        "failed": State.FAILED,
    },
    State.CHECKING: {
        "checked": State.OPENING,
        "lost": State.WATCHING,
        "fenced": State.WATCHING,
        "failed": State.FAILED,
    },
    State.OPENING: {
        "agreed": State.SERVING,
        "acknowledged": State.OPENING,
        "acknowledged late": State.OPENING,
        "slow": State.OPENING,
        "doubted": State.OPENING_DOUBT,
        "rebuilt": State.OPENING,
        "fenced": State.WATCHING,
        "ending": State.DRAINING_AWAY,
        "failed": State.FAILED,
    },
    State.OPENING_DOUBT: {
        "agreed": State.DOUBT,
        "taken": State.OPENING_DOUBT,
        "taken late": State.OPENING_DOUBT,
        "doubted": State.OPENING_DOUBT,
        "rebuilt": State.OPENING,
        "fenced": State.WATCHING,
        "ending": State.DRAINING_DOUBT,
        "failed": State.FAILED,
    },
    State.SERVING: {
        "acknowledged": State.SERVING,
        "acknowledged late": State.SERVING,
        "slow": State.SLOW,
        "doubted": State.DOUBT,
        "rebuilt": State.SERVING,
        "lapsed": State.LAPSED,
        "fenced": State.WATCHING,
        "ending": State.DRAINING,
        "failed": State.FAILED,
    },
    State.SLOW: {
        "acknowledged": State.SERVING,
        "acknowledged late": State.SERVING,
        "slow": State.SLOW,
        "doubted": State.DOUBT,
        "rebuilt": State.SERVING,
        "lapsed": State.LAPSED,
        "fenced": State.WATCHING,
        "ending": State.DRAINING,
        "failed": State.FAILED,
    },
    State.DOUBT: {
        "taken": State.DOUBT,
        "taken late": State.DOUBT,
        "doubted": State.DOUBT,
        "rebuilt": State.SERVING,
        "lapsed": State.LAPSED_DOUBT,
        "fenced": State.WATCHING,
        "ending": State.DRAINING_DOUBT,
        "failed": State.FAILED,
    },
    State.LAPSED: {
        "acknowledged": State.SERVING,
        "acknowledged late": State.LAPSED,
        "slow": State.LAPSED,
        "doubted": State.LAPSED_DOUBT,
        "rebuilt": State.LAPSED,
        "fenced": State.WATCHING,
        "ending": State.DRAINING_AWAY,
        "failed": State.FAILED,
    },
    State.LAPSED_DOUBT: {
        "taken": State.DOUBT,
        "taken late": State.LAPSED_DOUBT,
        "doubted": State.LAPSED_DOUBT,
        "rebuilt": State.LAPSED,
        "fenced": State.WATCHING,
        "ending": State.DRAINING_DOUBT,
        "failed": State.FAILED,
    },
    State.DRAINING: {
        "acknowledged": State.DRAINING,
        "acknowledged late": State.DRAINING,
        "slow": State.DRAINING,
        "doubted": State.DRAINING_DOUBT,
        "rebuilt": State.DRAINING,
        "lapsed": State.DRAINING_AWAY,
        "fenced": State.WATCHING,
        "ending": State.DRAINING,
        "drained": State.RELEASING,
        "failed": State.FAILED,
    },
    State.DRAINING_AWAY: {
        "agreed": State.DRAINING_AWAY,
        "acknowledged": State.DRAINING_AWAY,
        "acknowledged late": State.DRAINING_AWAY,
        "slow": State.DRAINING_AWAY,
        "doubted": State.DRAINING_DOUBT,
        "rebuilt": State.DRAINING_AWAY,
        "fenced": State.WATCHING,
        "ending": State.DRAINING_AWAY,
        "drained": State.RELEASING,
        "failed": State.FAILED,
    },
    State.DRAINING_DOUBT: {
        "agreed": State.DRAINING_DOUBT,
        "taken": State.DRAINING_DOUBT,
        "taken late": State.DRAINING_DOUBT,
        "doubted": State.DRAINING_DOUBT,
        "rebuilt": State.DRAINING_AWAY,
        "fenced": State.WATCHING,
        "ending": State.DRAINING_DOUBT,
        "drained": State.RELEASING,
        "failed": State.FAILED,
    },
    State.RELEASING: {
        "released": State.WATCHING,
        "failed": State.FAILED,
    },
    State.FAILED: dict.fromkeys(INPUTS, State.FAILED),
}


class Do(Enum):
    """What the shell must do about an input, in the order given."""

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
    SEND_AWAY = auto()
    """Send devices to the other servers, or let them wait here: `service` says which."""
    LET_IN = auto()
    """Let in the devices that wait."""


def next_state(state: State, news: str) -> State:
    """The state after an input. Raises InvariantError where it cannot come in this state."""
    after = TRANSITIONS[state].get(news)
    if after is None:
        raise InvariantError(f"{news} cannot happen to a bank that is {state.name.lower()}")
    return after


def patience(*, first: bool, others_first: bool, busy: int, up_s: float) -> float:
    """How many seconds a free bank is left to other servers.

    first: it is configured to be taken here first; others_first: to be taken by others first. busy: the banks
    that this server has or takes already. up_s: how long ago this server started.
    """
    if first:
        return 0.0
    if (others_first or busy) and up_s < STARTED_TOGETHER_S:
        return STARTED_TOGETHER_S
    return busy * PER_BANK_S + (NOT_FIRST_S if others_first else 0.0)


class Hold(Life):
    """A bank's life, moved on by news. now, began: monotonic seconds.

    shared: other servers can reach the ledger, so the lease must be confirmed. others: there are other
    servers, so devices are sent away once it has lapsed. furthest: the head of the highest row that was seen.
    """

    def __init__(self, bank: str, own: str, now: float, *, shared: bool, others: bool) -> None:
        super().__init__(bank, own, now)
        self.others = others
        self.furthest: Head | None = None
        self._shared = shared
        self._new_epoch = False
        self._handed_over = False

    def seen(self, head: Head, *, held: bool, now: float, waits: float) -> tuple[Do, ...]:
        """The head was looked at. held: its holder's connection stands. waits: how long others come first."""
        if self.state is not State.WATCHING:
            self._follow("seen")
            return ()
        said: list[Do] = []
        before, was = self._head, (self._holder, self.elsewhere)
        self._head = head
        if self.furthest is None or head.seq > self.furthest.seq:
            self.furthest = head
        if head.seq < self.furthest.seq and (before is None or before.seq != head.seq):
            said.append(Do.WENT_BACK)
        if head.holder not in {"", self.own}:
            self._handed_over = False
        waits = HANDED_OVER_S if self._handed_over else waits
        if self._watch.free(head, held=held, now=now, waits=waits):
            self.take()
            return (*said, Do.TAKE)
        self._follow("seen")
        self._holder = head.holder
        if self._holder != was[0]:
            said.append(Do.STAND_BY)
        if (self._holder, self.elsewhere) != was:
            said += [Do.STOP, Do.SEND_AWAY]
        elif self.elsewhere:
            said.append(Do.SEND_AWAY)  # devices that waited for this look
        return tuple(said)

    def take(self) -> None:
        """The bank is free, or nobody else is known of: it is being taken."""
        self._follow("free")
        self._handed_over = False

    def lost(self) -> tuple[Do, ...]:
        """The ledger does not answer: what was seen in it is not known any more."""
        said = self._not_ours("lost")
        self._head = None
        return said

    def taken(self, head: Head, began: float, now: float) -> tuple[Do, ...]:
        """A new epoch, asked for at `began`, is acknowledged: nothing older can be written any more."""
        said = self._confirmed("taken", began, now)
        self._head, self._new_epoch = head, True
        return said

    def checked(self) -> tuple[Do, ...]:
        """The books were read in that epoch and are sound: the bank decides."""
        return self._follow("checked")

    def agreed(self) -> tuple[Do, ...]:
        """Links and tables are as the configuration wants them: devices may come in."""
        self._follow("agreed")
        return (Do.LET_IN,) if self.state in OPEN else ()

    def acknowledged(self, began: float, now: float) -> tuple[Do, ...]:
        """A commit or beat that was sent at `began` is durable. The lease holds from then, not from now."""
        return self._confirmed("acknowledged", began, now)

    def slow(self) -> tuple[Do, ...]:
        """A commit takes too long; it is left alone."""
        return self._follow("slow")

    def doubted(self) -> tuple[Do, ...]:
        """Nobody knows whether the last commit is durable."""
        said = self._follow("doubted")
        self._new_epoch = False
        return said

    def rebuilt(self) -> tuple[Do, ...]:
        """The state is what the ledger holds. Raises InvariantError in doubt without a new epoch."""
        if self.state in IN_DOUBT and not self._new_epoch:
            raise InvariantError("the ledger was read before a new epoch shut out what was on its way")
        self._follow("rebuilt")
        return ()

    def fenced(self) -> tuple[Do, ...]:
        """Another server has taken the bank."""
        return self._not_ours("fenced")

    def ending(self, *, hand_over: bool = False) -> tuple[Do, ...]:
        """The bank is to be given up. Nothing more is taken in, and what was decided becomes durable.

        hand_over: people want another server to have it, so that gets more time than usual to take it.
        """
        self._handed_over = self._handed_over or hand_over
        return self._follow("ending")

    def drained(self) -> tuple[Do, ...]:
        """Nothing waits: the bank is given up. Another server may take it before this one hears of it."""
        return self._not_ours("drained")

    def released(self) -> tuple[Do, ...]:
        """It was given up; or that failed, and others wait until it has lapsed."""
        return self._follow("released")

    def fail(self, reason: str) -> tuple[Do, ...]:
        """It cannot go on; the first reason stays."""
        if self.failed:
            return ()
        if self.state not in HELD:
            self._until = -inf
        self._follow("failed")
        self._reason = reason
        return (Do.STOP, Do.SEND_AWAY)

    def tick(self, now: float) -> tuple[Do, ...]:
        """Lets time pass; about ten times a second."""
        if self.others and self.state in OPEN and now - self._until >= AWAY_S:
            return self._follow("lapsed")
        return ()

    def _follow(self, news: str) -> tuple[Do, ...]:
        """Devices that were in are sent away where they may not be in any more."""
        before = self.state
        self.state = next_state(before, news)
        return (Do.SEND_AWAY,) if before in OPEN and self.state in AWAY else ()

    def _confirmed(self, news: str, began: float, now: float) -> tuple[Do, ...]:
        until = began + LEASE_S if self._shared else inf
        before = self.state
        self._follow(news if now < until else f"{news} late")
        self._beat_due = began + BEAT_S
        if not self.failed:
            self._until = until
        return (Do.LET_IN,) if before in AWAY and self.state in OPEN else ()

    def _not_ours(self, news: str) -> tuple[Do, ...]:
        """From here on nobody is known to hold it."""
        before, was = self.state, (self._holder, self.elsewhere)
        self._follow(news)
        if self.state is State.FAILED:
            return ()
        self._until = -inf
        self._holder = ""
        told = Do.GIVE_UP if self.state is State.RELEASING else Do.STAND_BY
        said = (told,) if was[0] != "" or before in HELD else ()
        return (*said, Do.STOP, Do.SEND_AWAY) if said or was[1] else ()
