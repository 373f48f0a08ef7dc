"""Taxes of a hit's payments: what the law wants of a payment, or of a correction of one (A10)."""

from collections.abc import Collection, Iterable

from jackpot.rules import names, tax
from jackpot.rules.acts import payout_details
from jackpot.rules.money import from_cents, to_cents
from jackpot.rules.refusal import refuse_if
from jackpot.rules.state import Award, BankState, Hit, PayoutDetails
from jackpot.rules.tax import Payee, TaxDue, TaxTerms, Winnings


def of_payment(state: BankState, hit: Hit, awards: Iterable[Award]) -> Winnings:
    """The wager's winnings, where these awards of one seat are paid now."""
    paid = list(awards)
    return _winnings(state, hit, paid[0].seat, sum(award.worth() for award in paid))


def of_correction(state: BankState, hit: Hit, seat: int, on_top: int) -> Winnings:
    """The same, where so much is paid on top of what was paid; micro-dollars."""
    winnings = _winnings(state, hit, seat, on_top)
    return winnings._replace(total=winnings.total + winnings.now)


def of_seat(state: BankState, hit: Hit, seat: int) -> Winnings:
    """The same, where all that waits of the hit for that seat is paid at once."""
    waits = [award for award in hit.awards if award.seat == seat and award.stands() and not award.settled()]
    return _winnings(state, hit, seat, sum(award.worth() for award in waits))


def _winnings(state: BankState, hit: Hit, seat: int, now: int) -> Winnings:
    awards = tax.awards_of_wager(state, hit, seat)
    total = sum(award.worth() for award in awards)
    before = sum(award.worth() for award in awards if award.settled())
    wager = hit.wager or state.link(hit.link).terms.wager
    returned = sum(award.stake for award in awards)
    withheld = tax.withheld_before(state, hit, seat)
    return Winnings(
        to_cents(wager), to_cents(total), to_cents(before), to_cents(now), withheld, to_cents(returned)
    )


def check_payee(
    terms: TaxTerms | None,
    *,
    nonresident: bool,
    treaty_rate: int | None,
    treaty_form: str,
    withheld: int | None,
) -> None:
    """Refuses what is half said of a treaty, and taxes where the site is in no country that has them."""
    said = {"nonresident": nonresident, "treaty_rate": treaty_rate is not None, "treaty_form": treaty_form}
    if terms is None:
        for field, is_said in (said | {"withheld": bool(withheld)}).items():
            refuse_if(bool(is_said), "tax_of_no_country", field=field)
        return
    missing = "treaty_form" if treaty_rate is not None else "treaty_rate"
    refuse_if((treaty_rate is not None) != bool(treaty_form), "treaty_incomplete", field=missing)
    refuse_if(treaty_rate is not None and not nonresident, "treaty_of_resident")
    refuse_if((treaty_rate or 0) > terms.foreign_rate, "treaty_rate_high")


def check_treaty(treaty_rate: int | None, *, numbered: bool) -> None:
    """Refuses a treaty's rate to somebody whose taxpayer number is not on the papers: they claim none."""
    refuse_if(treaty_rate is not None and not numbered, "treaty_without_number")


def check_way(way: str, on_paper: Collection[str]) -> None:
    """Refuses a way of payment without its number, and a number without a way."""
    numbered = "way_number" in on_paper
    refuse_if(bool(way) != numbered, "way_incomplete", field="way_number" if way else "way")


def check_other_way(way: str, other_way: str, part: int, on_paper: Collection[str], cents: int) -> None:
    """Refuses a part that is given another way without its sum or number, or that leaves the first nothing.

    part: of `cents`, the whole payment; both in cents.
    """
    numbered, said = "other_number" in on_paper, bool(other_way)
    missing = "other_number" if said else "other_way"
    refuse_if(said != numbered, "way_incomplete", field=missing)
    refuse_if(said != bool(part), "part_incomplete", field="other_sum" if said else "other_way")
    refuse_if(said and not way, "part_of_no_way")
    refuse_if(said and way == other_way, "part_same_way")
    refuse_if(said and not 0 < part < cents, "part_out_of_range", sum=from_cents(cents))


def check_form(due: TaxDue, won: Winnings, hit: Hit, seat: int, tax_form: str = "") -> None:
    """Refuses a payment without the form that is due, or with another one.

    tax_form: what is written on the winner's papers now, "" for nothing.
    """
    other = bool(tax_form) and bool(due.form) and names.normal_form(tax_form) != names.normal_form(due.form)
    refuse_if(other, "tax_form_differs", form=due.form)
    refuse_if(
        bool(due.form) and not tax_form and not payout_details.has_tax_form(hit, seat, due.form),
        "tax_form_due",
        form=due.form,
        sum=from_cents(won.total),
        wager=from_cents(won.wager),
    )


def check_paid(
    terms: TaxTerms, found: TaxDue, on_paper: Collection[str], way: str, withheld: int | None
) -> None:
    """Refuses a payment whose papers lack what a form takes, or that withholds another sum than the law.

    withheld: what the cashier says is withheld, in cents; None where they do not say.
    """
    check_needs(terms, found, on_paper, way)
    sum_due = from_cents(found.withheld)
    refuse_if(bool(found.form) and withheld is None, "withheld_unsaid", sum=sum_due, form=found.form)
    refuse_if(withheld not in (None, found.withheld), "withheld_differs", sum=sum_due)


def check_needs(terms: TaxTerms, due: TaxDue, on_paper: Collection[str], way: str) -> None:
    """Refuses a payment, or what a correction pays on top, whose papers lack what a form takes."""
    has = {*on_paper, *(("way",) if way else ())}
    for name in terms.needs if due.form else ():
        refuse_if(name not in has, "paper_of_form_missing", field=name, form=due.form)


def write(hit: Hit, seat: int, payee: Payee, withheld: int) -> None:
    """Writes on a winner's papers who is paid, and what was withheld, in cents."""
    sheet = hit.sheets.setdefault(seat, PayoutDetails())
    sheet.nonresident, sheet.treaty_rate = payee.nonresident, payee.treaty_rate
    sheet.withheld += withheld
