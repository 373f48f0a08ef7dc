"""Reads the cards of a hit, or what was drawn, from the frames of its round (H2, A7, A10).

Archived frames are read from the archive, where it is given; else the round comes from the snapshot at the
cut.
"""

from collections.abc import Iterable
from itertools import chain
from typing import Any, Final, Literal, NamedTuple

from jackpot.ledger.archived import archived_message, cut_of, why_not_archive
from jackpot.ledger.reading import Reader
from jackpot.reports.read.entries import Entry, asked
from jackpot.reports.read.names import JournalNames
from jackpot.reports.report import Archive, InArchive, ReportRefused
from jackpot.rules import hands
from jackpot.rules.cards import text, unpack
from jackpot.rules.events import Locked, Settled, Wagered
from jackpot.rules.rounds.settling import LUCKY_BONUS, MAGIC_CARD
from jackpot.rules.state import HandShown, Hit, Round
from jackpot.text import card

# A table's frames back from a hit among which its round's stand: more than a round has seats and wagers.
FRAMES_MAX: Final = 64
# Rows back from a hit among which they stand: a round is a minute or two of the whole floor.
_BACK: Final = 100_000

_FRAMES: Final = """
    SELECT seq, at, kind, version, "table", table_seq, body FROM journal
    WHERE bank = ?1 AND seq <= ?2 AND seq > ?3 AND kind IN ({}) AND "table" = ?4
    ORDER BY seq DESC LIMIT ?5
"""
_SETTLING: Final = _FRAMES.format(Settled.kind)
_LOCKING: Final = _FRAMES.format(f"{Wagered.kind}, {Locked.kind}")


Source = Literal["journal", "archive", "state"]
"""Where a round's frames were found: here, in the archive, or as the state at the cut has what they said."""


class HitCards(NamedTuple):
    """Cards of a hit as texts such as "As", in the order in which they were dealt.

    own: of the hand that made the hit, a player's or the dealer's; none where it was not shown. ranked: those
    that the hand is made of, or that were beaten (B11). dealer: the dealer's, where they were sent. drawn: of
    a drawn bonus what was drawn; it has no hand. bonus: of the Six Card Bonus that all share.
    """

    own: tuple[str, ...] = ()
    board: tuple[str, ...] = ()
    dealer: tuple[str, ...] = ()
    ranked: tuple[str, ...] = ()
    drawn: str = ""
    source: Source = "journal"
    bonus: tuple[str, ...] = ()


class _Round(NamedTuple):
    """Evidence on a hit's round.

    events: of its frames, the newest first. state: in the snapshot at the cut, or None.
    """

    events: list[Any]
    state: Round | None
    source: Source


def cards_of(ledger: Reader, names: JournalNames, hit: Hit, archive: Archive | None = None) -> HitCards:
    """What was shown up to the hit. archive: the ledger's. Raises InArchive, ReportRefused, LedgerError."""
    if hit.hand == LUCKY_BONUS:
        return HitCards(drawn=f"Lucky Bonus: box {hit.seat}")
    if names.links[hit.link].mystery:
        return HitCards()
    if hit.hand == MAGIC_CARD:
        return _magic(_of_round(ledger, names, _LOCKING, hit, archive), hit)
    round_ = _of_round(ledger, names, _SETTLING, hit, archive)
    own = board = dealer = bonus = b""
    for event in round_.events:
        board, dealer, bonus = board or event.board, dealer or event.dealer, bonus or event.bonus
        own = own or _cards_of_seat(hit.seat, event.shown)
    if round_.state is not None:
        state = round_.state
        board, dealer, bonus = board or state.board, dealer or state.dealer, bonus or state.bonus
        own = own or _cards_of_seat(hit.seat, reversed(round_.state.shown))
    own = own if hit.seat else dealer
    terms, game = names.links[hit.link], names.tables[hit.table].game
    ranked: tuple[int, ...] = ()
    if terms.hand_kind == "best-of-table":
        dealt = _all(round_)  # none where so many frames came after them that they are not looked for
        ranked = hands.best_cards(map(unpack, dealt), unpack(board)) if dealt else ()
    elif not hit.unverified:
        shown = hands.CardsShown(unpack(own), unpack(board), unpack(dealer), unpack(bonus))
        ranked = hands.cards_of(terms.hand_kind, game, shown, terms.cards)
    return HitCards(
        _texts(own), _texts(board), _texts(dealer), tuple(map(text, ranked)), source=round_.source,
        bonus=_texts(bonus),
    )  # fmt: skip


def _all(round_: _Round) -> list[bytes]:
    """The cards of every seat that showed them, in payout order."""
    of_events = (hand for event in reversed(round_.events) for hand in event.shown)
    before = () if round_.state is None else round_.state.shown
    shown = {hand.seat: hand.cards for hand in chain(before, of_events) if hand.cards}
    return [shown[seat] for seat in sorted(shown, reverse=True)]


def _cards_of_seat(seat: int, shown: Iterable[HandShown]) -> bytes:
    return next((hand.cards for hand in shown if hand.seat == seat), b"")


def _magic(round_: _Round, hit: Hit) -> HitCards:
    """The Magic Card draw of the hit, among the links' draws; the card counts wherever it lay."""
    lockings = [event.locking.draws for event in round_.events if event.locking is not None]
    lockings += [] if round_.state is None else [round_.state.draws]
    for draw in chain.from_iterable(lockings):
        if draw.link == hit.link and draw.magic is not None:
            return HitCards(drawn=f"Magic Card: {card(text(draw.magic))}", source=round_.source)
    return HitCards(drawn="Magic Card", source=round_.source)


def _of_round(ledger: Reader, names: JournalNames, frames: str, hit: Hit, archive: Archive | None) -> _Round:
    """The events of these kinds in the hit's round, up to the hit. Raises InArchive, ReportRefused."""
    bank, cut = names.bank, cut_of(ledger, names.bank)
    events = _events(ledger, bank, frames, hit, (names.rounds.after, hit.seq))
    if cut is None or hit.seq - _BACK >= cut.seq or _locked_after(ledger, bank, hit, cut.seq):
        return _Round(events, None, "journal")
    if archive is not None:
        whole = archive()
        if (other := why_not_archive(ledger, whole, bank, cut)) is not None:
            raise ReportRefused("archive_refused", "{reason}", field="archive", reason=other)
        return _Round(events + _events(whole, bank, frames, hit, (0, min(cut.seq, hit.seq))), None, "archive")
    state = names.rounds.find(hit.table, hit.round)
    if state is None:
        raise InArchive("rows_archived", "{archived}", archived=archived_message(bank, cut))
    return _Round(events, state, "state")


def _events(ledger: Reader, bank: str, frames: str, hit: Hit, within: tuple[int, int]) -> list[Any]:
    """The events of the hit's round, the newest first. within: (after, upto), the entries to search."""
    after, upto = within
    found = asked(ledger, bank, frames, upto, max(after, hit.seq - _BACK), hit.table, FRAMES_MAX)
    events = [Entry(*row).event for row in found]
    return [event for event in events if getattr(event, "round", None) == hit.round]


def _locked_after(ledger: Reader, bank: str, hit: Hit, row: int) -> bool:
    """Whether the hit's round took wagers, or was locked, after that row: all cards were shown later."""
    found = asked(ledger, bank, _LOCKING, hit.seq, row, hit.table, FRAMES_MAX)
    return any(getattr(Entry(*one).event, "round", "") == hit.round for one in found)


def _texts(packed: bytes) -> tuple[str, ...]:
    return tuple(text(card) for card in unpack(packed))
