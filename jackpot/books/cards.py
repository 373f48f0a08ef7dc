"""Which cards made a hit, or what was drawn? As the frames of its round have them (H2, A7, A10)."""

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from jackpot.books.entries import Entry, asked
from jackpot.books.names import Names
from jackpot.books.report import InArchive
from jackpot.ledger.archived import cut_of, is_archived
from jackpot.ledger.reading import Reader
from jackpot.rules import hands
from jackpot.rules.cards import text, unpack
from jackpot.rules.events import Locked, Settled, Wagered
from jackpot.rules.settling import LUCKY_BONUS, MAGIC_CARD
from jackpot.rules.state import DrawMade, Hit
from jackpot.words import card

# A table's frames back from a hit among which its round's stand: more than a round has seats and wagers.
FRAMES_MOST: Final = 64
# Rows back from a hit among which they stand: a round is a minute or two of the whole floor.
_BACK: Final = 100_000

_FRAMES: Final = """
    SELECT seq, at, kind, version, "table", table_seq, body FROM journal
    WHERE bank = ?1 AND seq <= ?2 AND seq > ?3 AND kind IN ({}) AND "table" = ?4
    ORDER BY seq DESC LIMIT ?5
"""
_SETTLING: Final = _FRAMES.format(Settled.kind)
_LOCKING: Final = _FRAMES.format(f"{Wagered.kind}, {Locked.kind}")


class Cards(NamedTuple):
    """Texts of cards such as "As", in the order in which they were dealt.

    own: of the hand that made the hit, a player's or the dealer's; none where it was not shown. ranked: those
    that the hand is made of. dealer: the dealer's, where they were sent. drawn: of a drawn bonus what was
    drawn; it has no hand.
    """

    own: tuple[str, ...] = ()
    board: tuple[str, ...] = ()
    dealer: tuple[str, ...] = ()
    ranked: tuple[str, ...] = ()
    drawn: str = ""


def cards_of(ledger: Reader, names: Names, hit: Hit) -> Cards:
    """What was shown up to the hit. Raises LedgerError."""
    if hit.hand == LUCKY_BONUS:
        return Cards(drawn=f"Lucky Bonus: box {hit.seat}")
    if hit.hand == MAGIC_CARD:
        return Cards(drawn=_magic(ledger, names, hit))
    own = board = dealer = b""
    for event in _of_round(ledger, names.bank, _SETTLING, hit, Settled):
        board, dealer = board or event.board, dealer or event.dealer
        own = own or next((shown.cards for shown in event.shown if shown.seat == hit.seat), b"")
    own = own if hit.seat else dealer
    ranked = b""
    if own and not hit.unverified:
        taken, _ = hands.made_of(names.links[hit.link].hand_kind, names.tables[hit.table].game)
        ranked = own + board[:taken]
    return Cards(_texts(own), _texts(board), _texts(dealer), _texts(ranked))


def _magic(ledger: Reader, names: Names, hit: Hit) -> str:
    """Of the links' draws that of the hit's; the card wherever it lay."""
    for event in _of_round(ledger, names.bank, _LOCKING, hit, Wagered, Locked):
        draws: list[DrawMade] = [] if event.locking is None else event.locking.draws
        for draw in draws:
            if draw.link == hit.link and draw.magic is not None:
                return f"Magic Card: {card(text(draw.magic))}"
    return "Magic Card"


def _of_round(ledger: Reader, bank: str, frames: str, hit: Hit, *kinds: type[Any]) -> Iterator[Any]:
    """The events of these kinds in the hit's round, the newest first. Raises InArchive."""
    cut = cut_of(ledger, bank)
    if cut is not None and hit.seq - _BACK < cut.seq and not _locked_after(ledger, bank, hit, cut.seq):
        raise InArchive(is_archived(bank, cut))
    for row in asked(ledger, bank, frames, hit.seq, hit.seq - _BACK, hit.table, FRAMES_MOST):
        event = Entry(*row).event
        if isinstance(event, kinds) and event.round == hit.round:
            yield event


def _locked_after(ledger: Reader, bank: str, hit: Hit, row: int) -> bool:
    """Whether the hit's round took wagers, or was locked, after that row: all it showed came later."""
    found = asked(ledger, bank, _LOCKING, hit.seq, row, hit.table, FRAMES_MOST)
    return any(getattr(Entry(*one).event, "round", "") == hit.round for one in found)


def _texts(packed: bytes) -> tuple[str, ...]:
    return tuple(text(card) for card in unpack(packed))
