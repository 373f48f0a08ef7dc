"""Offers: all that is different for a link without levels (B1).

Its wagers move no meter: they are the house's, at level 0, where its awards are posted too. It takes cards
alone, and loses for no card that nobody showed (B16). Its settled hits are kept by table (B15).
"""

from collections.abc import Iterable
from typing import Final

from jackpot.rules import hands
from jackpot.rules.effects import Effects
from jackpot.rules.events import LevelChange
from jackpot.rules.hands import CardsShown
from jackpot.rules.meter import Accounts
from jackpot.rules.paytable import DECIDED_AT_CLOSE, LinkTerms
from jackpot.rules.refusal import Refusal
from jackpot.rules.state import BankState, Hit, Link, Placed, Round, Table

# The postings of what no meter pays.
HOUSE_LEVEL: Final = 0

# The refusal for each of the cards that a seat does not hold, in the order in which they are looked for.
_MISSING: Final = {
    "board": "board_too_short",
    "bonus": "bonus_missing",
    "dealer": "offer_dealer_missing",
}


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


def lacking(
    terms: LinkTerms, table: Table, round_: Round, common: CardsShown, hands_shown: int
) -> Refusal | None:
    """The refusal to decide a link's wagers without cards that they count; None where none is missing (B16).

    common: without a seat's own cards: where these were not sent, a wager is lost (B8). hands_shown: of how
    many seats they were (B10).
    """
    missing = hands.needs(terms.hand_kind, table.terms.game, terms.cards).missing(common)
    for what, template in _MISSING.items():
        if what in missing:
            return Refusal(template, link=terms.link)
    if terms.hand_kind == "best-of-table" and hands_shown != round_.players:
        return Refusal("players_not_shown", link=terms.link, players=round_.players, shown=hands_shown)
    return None


def decided_at_close(state: BankState, table: Table, round_: Round) -> list[int]:
    """The numbers of the round's offers whose wagers its first close decides (B10, B13)."""
    if round_.reopened or not round_.offers:
        return []
    wagered = round_.links()
    kinds = ((number, state.link(number).terms.hand_kind) for number in table.links if number in wagered)
    return [number for number, kind in kinds if kind in DECIDED_AT_CLOSE]


def named(terms: LinkTerms) -> bool:
    """Whether a hand may be named for the link without its cards (B16, H4)."""
    return not terms.offer


def settled_hits(state: BankState, hit: Hit) -> dict[int, Hit]:
    """Where a settled hit is kept for corrections (A10, B15)."""
    return state.table(hit.table).paid if state.link(hit.link).terms.offer else state.paid
