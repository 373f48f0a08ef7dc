"""Lifecycle states of a bank in one server, and what follows for those who ask.

One server among several holds a bank: it alone decides and writes. The others watch it. In one server a bank
is in one of these states; `lifecycle` says how it comes from one to another.

WATCHING   Another server holds the bank, or may. Its head in the ledger is looked at.
TAKING     The next epoch is being asked for. It shuts out what an older holder still sends.
CHECKING   The epoch is ours. The ledger is read and checked.
OPENING    The bank decides. Links and tables are made to agree with the configuration; no device is in yet.
SERVING    Devices play.
SLOW       As SERVING, but a commit takes too long: links are suspended until it is acknowledged.
DOUBT      As SERVING, but nobody knows whether the last commit is durable. Nothing is decided. A new epoch
           must be acknowledged first; only then is the ledger read.
LAPSED     The ledger has acknowledged nothing for so long that another server may hold the bank by now.
           Devices were disconnected. They come back if the ledger acknowledges something after all.
DRAINING   The bank is to be given up. Its links are suspended and nothing more is taken in, but what was
           decided becomes durable, and devices get their answers.
RELEASING  Everything decided is durable. The bank is being given up, and is no longer shown.
FAILED     Stopped for good: a person must look.

A doubt can also come in OPENING and in LAPSED; OPENING_DOUBT and LAPSED_DOUBT remember where it came. A bank
whose devices are not in, or are disconnected meanwhile, is DRAINING_AWAY until it is given up. A doubt while
it drains is DRAINING_DOUBT. It is not waited out, for nobody knows how long it lasts. Everything that is
asked about a bank is read from here: whether it may be shown, whether a device may come in, what pages,
metrics and `jackpot lease show` say. No I/O, and no clock: the time is passed in.
"""

from enum import Enum, IntEnum, auto
from math import inf
from typing import Final, NamedTuple

from jackpot.ledger.journal import Head
from jackpot.runtime.head_watch import HeadWatch


class LifecycleState(IntEnum):
    WATCHING = auto()
    TAKING = auto()
    CHECKING = auto()
    OPENING = auto()
    OPENING_DOUBT = auto()
    SERVING = auto()
    SLOW = auto()
    DOUBT = auto()
    LAPSED = auto()
    LAPSED_DOUBT = auto()
    DRAINING = auto()
    DRAINING_AWAY = auto()
    DRAINING_DOUBT = auto()
    RELEASING = auto()
    FAILED = auto()


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


class Service(Enum):
    """The availability of a bank for a device here."""

    HERE = auto()
    SOON = auto()
    """No server is known to serve the bank now, and this one may soon: it had better wait here."""
    ELSEWHERE = auto()


class Here(Enum):
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
    here: Here
    why: str


class LifecycleStatus:
    """The lifecycle status of one bank in one server. own: this server's name in a head.

    now: monotonic seconds, as in every call.
    """

    def __init__(self, bank: str, own: str, now: float) -> None:
        self.bank = bank
        self.own = own
        self.state = LifecycleState.WATCHING
        self._watch = HeadWatch(now)
        self._head: Head | None = None
        self._holder: str | None = None
        self._reason = ""
        self._until = -inf
        self._beat_due = -inf

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
    def beat_due(self) -> float:
        """When the lease must be confirmed at the latest, where nothing else is written."""
        return self._beat_due

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
            here = Here.HELD if self.leased(now) else Here.UNCONFIRMED
            why = "" if here is Here.HELD else "the ledger has not confirmed it in time"
            return Lease(self.bank, self.own, self._head.epoch if self._head else 0, seq, here, why)
        head = self._head or Head(self.bank, 0, 0, b"", "", 0)
        known = self.bank, head.holder, head.epoch, head.seq
        if self.failed:
            return Lease(*known, Here.STOPPED, self._reason)
        if self._head is None:
            return Lease(*known, Here.STANDBY, "the ledger does not answer")
        if self.state is LifecycleState.RELEASING:
            return Lease(*known, Here.STANDBY, "it is being given up")
        return Lease(*known, Here.STANDBY, "" if self.elsewhere else "no server is seen at work")
