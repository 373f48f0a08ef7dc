"""What was dealt? Rounds as the journal tells them: wagers that stood, cards shown, draws made."""

from collections.abc import Iterator
from heapq import merge
from typing import Final, Protocol

from jackpot.ledger.reading import Reader
from jackpot.reports.read.entries import Entry, counting, must_be_here, of_kinds
from jackpot.rules.acts.rounds import Struck
from jackpot.rules.events import Closed, Event, Locked, Locking, Settled, Voided, Wagered, Withdrawn
from jackpot.rules.state import DrawMade, HandShown, Placed

# Of a table: the round in play, and the one before it, which people may reopen (T10).
ROUNDS_KEPT: Final = 2

# What people do to a round, apart from what its table does.
_ACTS: Final = (Voided.kind, Struck.kind)


class Dealt:
    """One round. at: when it opened, unix milliseconds. ended: it is told, and again if it changes."""

    def __init__(self, table: int, round_id: str, at: int) -> None:
        self.table = table
        self.id = round_id
        self.at = at
        self.ended = False
        self.bets: list[Placed] = []
        self.shown: list[HandShown] = []
        self.board = self.dealer = b""


class Watch(Protocol):
    """Is told of each round as it ends."""

    def drawn(self, seq: int, round_: Dealt, draws: list[DrawMade]) -> None:
        """A lock has drawn, by that entry of the journal."""

    def played(self, round_: Dealt, sign: int) -> None:
        """A round has ended; -1: it is taken back as it was told, because people reopened or voided it."""


def watch(ledger: Reader, bank: str, after: int, upto: int, watcher: Watch) -> None:
    """Tells of every round that opened with after < seq <= upto; two a table in memory. Raises InArchive."""
    must_be_here(ledger, bank, after)
    tables: dict[int, dict[str, Dealt]] = {}
    for entry in merge(counting(ledger, bank, after, upto), of_kinds(ledger, bank, _ACTS, after, upto)):
        event = entry.event
        rounds = tables.setdefault(_table(entry, event), {})
        if isinstance(event, Wagered) and event.round not in rounds:
            rounds[event.round] = Dealt(_table(entry, event), event.round, entry.at)
            for old in list(rounds)[:-ROUNDS_KEPT]:
                del rounds[old]
        round_ = rounds.get(getattr(event, "round", ""))
        if round_ is not None:
            for locking in _change(round_, event, watcher):
                if locking.draws:
                    watcher.drawn(entry.seq, round_, locking.draws)
            if isinstance(event, Voided):
                del rounds[event.round]


def _change(round_: Dealt, event: Event, watcher: Watch) -> Iterator[Locking]:
    """Carries one event out; yields the lock that it is, if it is one."""
    if round_.ended:
        round_.ended = False
        watcher.played(round_, -1)
    match event:
        case Wagered():
            round_.bets += event.bets
            if event.locking is not None:
                yield event.locking
        case Locked() if not event.recount:
            yield event.locking
        case Withdrawn():
            _take_back(round_, event.bets)
        case Struck():
            _take_back(round_, [event.bet])
        case Settled():
            round_.shown += event.shown
            round_.board = event.board or round_.board
            round_.dealer = event.dealer or round_.dealer
            round_.ended = event.closing is not None
        case Closed():
            round_.ended = True
    if round_.ended:
        watcher.played(round_, 1)


def _take_back(round_: Dealt, bets: list[Placed]) -> None:
    """These wagers no longer stand. A player who was named later is no other wager."""
    gone = {(bet.seat, bet.link, bet.dealer) for bet in bets}
    round_.bets = [bet for bet in round_.bets if (bet.seat, bet.link, bet.dealer) not in gone]


def _table(entry: Entry, event: Event) -> int:
    """Whose round it is about."""
    if isinstance(event, Voided | Struck):
        return event.table
    return entry.table or 0
