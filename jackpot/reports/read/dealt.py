"""Reads rounds as dealt from the journal: wagers that stood, cards shown, draws made."""

from collections.abc import Iterator
from heapq import merge
from typing import Final, Protocol

from jackpot.ledger.reading import Reader
from jackpot.reports.read.entries import Entry, counting, must_be_here, of_kinds
from jackpot.rules.acts.rounds import Struck
from jackpot.rules.events import (
    Closed,
    Event,
    LevelCounted,
    Locked,
    Locking,
    Settled,
    Voided,
    Wagered,
    Withdrawn,
)
from jackpot.rules.state import DrawMade, HandShown, Placed

# Rounds kept of a table: the one in play, and the one before it, which people may reopen (T10).
ROUNDS_KEPT: Final = 2

# What people do to a round, apart from what its table does.
_ACTS: Final = (Voided.kind, Struck.kind)


class DealtRound:
    """One round.

    at: when it opened, unix milliseconds. ended: it was reported, and is again if it changes. players: who
    were dealt a hand, 0 where nobody said (B10).
    """

    def __init__(self, table: int, round_id: str, at: int) -> None:
        self.table = table
        self.id = round_id
        self.at = at
        self.ended = False
        self.bets: list[Placed] = []
        self.shown: list[HandShown] = []
        self.board = self.dealer = self.bonus = b""
        self.players = 0


class RoundListener(Protocol):
    """Receiver of rounds as they end."""

    def drawn(self, seq: int, round_: DealtRound, draws: list[DrawMade]) -> None:
        """A lock has drawn, at that entry of the journal."""

    def counted(self, levels: list[LevelCounted]) -> None:
        """A close has counted the wagers of its round on mystery levels, with what they drew (Y3)."""

    def played(self, round_: DealtRound, sign: int) -> None:
        """A round has ended; -1: a reported round is taken back, because people reopened or voided it."""


def watch(ledger: Reader, bank: str, after: int, upto: int, watcher: RoundListener) -> None:
    """Reports every round that opened with after < seq <= upto; keeps two a table in memory.

    Raises InArchive.
    """
    must_be_here(ledger, bank, after)
    tables: dict[int, dict[str, DealtRound]] = {}
    for entry in merge(counting(ledger, bank, after, upto), of_kinds(ledger, bank, _ACTS, after, upto)):
        event = entry.event
        rounds = tables.setdefault(_table(entry, event), {})
        if isinstance(event, Wagered) and event.round not in rounds:
            rounds[event.round] = DealtRound(_table(entry, event), event.round, entry.at)
            for old in list(rounds)[:-ROUNDS_KEPT]:
                del rounds[old]
        round_ = rounds.get(getattr(event, "round", ""))
        if round_ is not None:
            for locking in _change(round_, event, watcher):
                if locking.draws:
                    watcher.drawn(entry.seq, round_, locking.draws)
            if isinstance(event, Voided) and not event.settles:
                del rounds[event.round]


def _change(round_: DealtRound, event: Event, watcher: RoundListener) -> Iterator[Locking]:
    """Applies one event; yields the lock, if it is one."""
    if round_.ended:
        round_.ended = False
        watcher.played(round_, -1)
    match event:
        case Wagered():
            round_.bets += event.bets
            if event.locking is not None:
                round_.players = event.locking.players
                yield event.locking
        case Locked():
            round_.players = event.locking.players or round_.players
            if not event.recount:
                yield event.locking
        case Withdrawn():
            _take_back(round_, event.bets)
        case Struck():
            _take_back(round_, [event.bet])
        case Voided():
            _take_back(round_, [bet for bet in round_.bets if bet.link not in event.settles])
        case Settled():
            round_.shown += event.shown
            round_.board = event.board or round_.board
            round_.dealer = event.dealer or round_.dealer
            round_.bonus = event.bonus or round_.bonus
            round_.ended = event.closing is not None
        case Closed():
            round_.ended = True
    if isinstance(event, Settled | Closed) and event.counted:
        watcher.counted(event.counted)
    if round_.ended:
        watcher.played(round_, 1)


def _take_back(round_: DealtRound, bets: list[Placed]) -> None:
    """Removes wagers that no longer stand.

    A wager that only got its player's name later is still the same.
    """
    gone = {(bet.seat, bet.link, bet.dealer) for bet in bets}
    round_.bets = [bet for bet in round_.bets if (bet.seat, bet.link, bet.dealer) not in gone]


def _table(entry: Entry, event: Event) -> int:
    """The number of the event's table."""
    if isinstance(event, Voided | Struck):
        return event.table
    return entry.table or 0
