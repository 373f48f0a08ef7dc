"""Taxes on a payment by a country's law: the form that is due, and what is withheld, in whole cents.

The law looks at one wager: all that it wins, an envy bonus too, and no other wager's. Its figures come with
each command, so the same events always give the same sums, whatever a later law says.
"""

from typing import Final, NamedTuple

import msgspec

from jackpot.rules.money import BASIS_POINTS
from jackpot.rules.state import Award, BankState, Hit

# Half a cent, in parts of a cent as a product of cents and basis points has them.
_HALF: Final = BASIS_POINTS // 2


class TaxTerms(msgspec.Struct, frozen=True, array_like=True):
    """The figures of a country's law in one year. Sums are cents, rates basis points.

    form: what a win of `form_from` and of `multiple` times its wager takes. withhold_over: above this, less
    the wager, `rate` of it is withheld. backup_rate: of a win that takes a form, without a taxpayer number.
    foreign_form, foreign_rate: of somebody who is no resident. cash_over: above this, in cash to one patron
    in a gaming day, there is something to report. needs: what a payment that takes a form wants on its
    papers.
    """

    country: str
    year: int
    form: str
    form_from: int
    multiple: int
    withhold_over: int
    rate: int
    backup_rate: int
    foreign_form: str
    foreign_rate: int
    cash_over: int
    needs: tuple[str, ...] = ()


class Payee(NamedTuple):
    """Who is paid, as far as the law asks. numbered: their taxpayer number is there.

    treaty_rate: of their country, in basis points, None without a treaty.
    """

    numbered: bool = False
    nonresident: bool = False
    treaty_rate: int | None = None


class Winnings(NamedTuple):
    """What one wager won, in cents. total: by all awards that stand, paid or not.

    before: what was paid of it. now: what is paid now. withheld: what was withheld before. returned: of the
    wager, besides the winnings, as an award of N to 1 has it: that is received, too, but is not won.
    """

    wager: int
    total: int
    before: int
    now: int
    withheld: int
    returned: int = 0

    def lost(self) -> int:
        """What of the wager did not come back: it comes off the winnings for the proceeds."""
        return max(self.wager - self.returned, 0)


class TaxDue(NamedTuple):
    """What a payment takes. form: "" for none. rate: in basis points, 0 where nothing is withheld.

    withheld: from this payment, in cents.
    """

    form: str
    rate: int
    withheld: int


def due(terms: TaxTerms, won: Winnings, payee: Payee) -> TaxDue:
    """The form that a payment takes, and what is withheld from it.

    A part of a wager's win is taxed as its share of the whole. What was withheld too little before is
    withheld now, as far as this payment reaches; nothing is ever given back.
    """
    if payee.nonresident:
        rate = terms.foreign_rate if payee.treaty_rate is None else payee.treaty_rate
        return TaxDue(terms.foreign_form, rate, _withheld(rate, won.before + won.now, won))
    large = won.total >= terms.form_from and won.total >= terms.multiple * won.wager
    regular = withholds(terms, won, payee)
    form = terms.form if large or regular else ""
    rate = terms.rate if regular else terms.backup_rate if form and not payee.numbered else 0
    return TaxDue(form, rate, _withheld(rate, won.before + won.now - won.lost(), won))


def withholds(terms: TaxTerms, won: Winnings, payee: Payee) -> bool:
    """Whether the win itself, less its wager, is so large that a part of it is withheld."""
    proceeds = won.total - won.lost()
    large = proceeds > terms.withhold_over and proceeds >= terms.multiple * won.wager
    return large and not payee.nonresident


def _withheld(rate: int, taxed: int, won: Winnings) -> int:
    """The part of the tax that this payment bears, rounded to the nearest cent, half a cent upwards."""
    tax = (max(taxed, 0) * rate + _HALF) // BASIS_POINTS
    return min(max(tax - won.withheld, 0), won.now)


def awards_of_wager(state: BankState, hit: Hit, seat: int) -> list[Award]:
    """The standing awards of the wager by which a seat is paid for a hit.

    They are of its link and round, on its own hand or on the dealer's, by whichever hand they were earned.
    """
    return [
        award
        for one in _same_wager(state, hit)
        for award in one.awards
        if award.seat == seat and award.stands()
    ]


def withheld_before(state: BankState, hit: Hit, seat: int) -> int:
    """What was withheld from payments of that wager, in cents."""
    return sum(one.sheets[seat].withheld for one in _same_wager(state, hit) if seat in one.sheets)


def _same_wager(state: BankState, hit: Hit) -> list[Hit]:
    """The hits of the round that pay the same wagers; the last settled ones are among them."""
    key = _wager_key(hit)
    kept = (state.hits, state.paid, state.table(hit.table).paid)
    found = [one for hits in kept for one in hits.values() if _wager_key(one) == key]
    return found or [hit]


def _wager_key(hit: Hit) -> tuple[int, str, int, int, bool]:
    return hit.table, hit.round, hit.opened, hit.link, hit.seat == 0
