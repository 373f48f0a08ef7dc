"""What is different for a link without levels, an offer (B1): this file, and nothing besides.

Its wagers move no meter: they are the house's, at level 0, where its awards are posted too. It takes cards
alone, and loses for no card that nobody showed (B16). Its settled hits are kept by table (B15).
"""

from collections.abc import Iterable, Sized
from typing import Final

from jackpot.rules import hands
from jackpot.rules.effects import Effects
from jackpot.rules.events import LevelChange
from jackpot.rules.meter import Accounts
from jackpot.rules.paytable import HandKind, LinkTerms
from jackpot.rules.refusal import refuse_if
from jackpot.rules.state import BankState, Hit, Link, Placed, Round, Table

# The postings of what no meter pays.
HOUSE_LEVEL: Final = 0

# Hands of other cards than a seat's own and the board: no table settles them yet (B10, B11, B13, B16).
NOT_SETTLED: Final[frozenset[HandKind]] = frozenset(("six", "five-board", "best-of-table", "beaten"))


def take_wagers(effects: Effects, table: Table, round_: Round, link: Link, bets: Iterable[Placed]) -> None:
    """Posts the wagers of an entry on an offer: the house has them."""
    total = sum(bet.wagered(link.terms) for bet in bets if bet.link == link.number)
    effects.outside(link).add(Accounts(house=total, wagers=-total))
    table.sums[link.number] = table.sums.get(link.number, 0) + total
    if link.number not in round_.offers:
        round_.offers.append(link.number)


def given_back(link: Link, bets: Iterable[Placed]) -> list[LevelChange]:
    """What the postings of an offer change by where these wagers go back (T2, T6)."""
    total = sum(bet.wagered(link.terms) for bet in bets if bet.link == link.number)
    change = Accounts(house=-total, wagers=total)
    return [LevelChange(link.number, HOUSE_LEVEL, change)] if link.terms.offer else []


def check_shown(
    state: BankState, table: Table, bets: Iterable[Placed], folded: set[int], board: tuple[int, ...]
) -> None:
    """Refuses to settle wagers on offers that stand without the community cards that they count (B16).

    folded: seats that folded.
    """
    for bet in bets:
        terms = state.link(bet.link).terms
        if not terms.offer or (bet.seat in folded and terms.forfeits(table.terms.game)):
            continue
        refuse_if(lacks_board(terms, table, board), "board_too_short", link=terms.link)


def lacks_board(terms: LinkTerms, table: Table, board: Sized) -> bool:
    """Whether community cards that the link's wagers count were not shown (B16)."""
    taken, _ = hands.made_of(terms.hand_kind, table.terms.game)
    return len(board) < taken


def named(terms: LinkTerms) -> bool:
    """Whether a hand may be named for the link without its cards (B16, H4)."""
    return not terms.offer


def settled_hits(state: BankState, hit: Hit) -> dict[int, Hit]:
    """Where a settled hit is kept for corrections (A10, B15)."""
    return state.table(hit.table).paid if state.link(hit.link).terms.offer else state.paid
