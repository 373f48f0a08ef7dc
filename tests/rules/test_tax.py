"""The taxes on a win of one wager, worked out by hand from the law's own text, and not from the program.

Each row is one payment of one wager, as a cashier of 2026 would work it out with a pencil:

- W-2G: the winnings are at least $2,000 and at least 300 times the wager (26 U.S.C. 6041(a) and (h);
  Instructions for Forms W-2G and 5754).
- Regular withholding: the proceeds, which are the winnings less the wager, are more than $5,000 and at least
  300 times the wager; then 24 % of all the proceeds (26 U.S.C. 3402(q)(1), (3)(A), (4)(A)).
- Backup withholding: a W-2G is due, no regular withholding is, and there is no taxpayer number; then 24 % of
  the proceeds (26 U.S.C. 3406(a)(1)(A), (b)(3)(A)).
- 1042-S: somebody who is no resident, whatever they win; 30 % of the gross winnings, or the rate of a treaty
  (26 U.S.C. 871(a)(1), 1441(a); Publication 515).
"""

from collections.abc import Mapping
from typing import Final

import pytest

from jackpot.rules.tax import Payee, TaxTerms, Winnings, due, withholds

US_2026: Final = TaxTerms(
    country="us",
    year=2026,
    form="W-2G",
    form_from=200_000,
    multiple=300,
    withhold_over=500_000,
    rate=2_400,
    backup_rate=2_400,
    foreign_form="1042-S",
    foreign_rate=3_000,
    cash_over=1_000_000,
)
RESIDENT: Final = Payee(numbered=True)
WITHOUT_NUMBER: Final = Payee(numbered=False)
FOREIGN: Final = Payee(nonresident=True)

# By what it shows: wager, winnings, who is paid, the form that is due, and what is withheld; in cents.
EXAMPLES: Final[Mapping[str, tuple[int, int, Payee, str, int]]] = {
    "a cent below the year's sum": (500, 199_999, RESIDENT, "", 0),
    "the year's sum itself": (500, 200_000, RESIDENT, "W-2G", 0),
    "the sum, but 200 times the wager": (1_000, 200_000, RESIDENT, "", 0),
    "299.9 times the wager": (667, 200_000, RESIDENT, "", 0),
    "300.3 times the wager": (666, 200_000, RESIDENT, "W-2G", 0),
    "exactly 300 times the wager": (1_000, 300_000, RESIDENT, "W-2G", 0),
    "winnings of 5,000: the wager comes off first": (500, 500_000, RESIDENT, "W-2G", 0),
    "proceeds of exactly 5,000": (500, 500_500, RESIDENT, "W-2G", 0),
    "proceeds of a cent more": (500, 500_501, RESIDENT, "W-2G", 120_000),
    "ten thousand on five dollars": (500, 1_000_000, RESIDENT, "W-2G", 239_880),
    "proceeds of exactly 300 times": (2_000, 602_000, RESIDENT, "W-2G", 144_000),
    "winnings of 300 times, proceeds of less": (2_000, 601_999, RESIDENT, "W-2G", 0),
    "much, at 200 times the wager": (10_000, 2_000_000, RESIDENT, "", 0),
    "no number: backup withholding": (500, 200_000, WITHOUT_NUMBER, "W-2G", 47_880),
    "no number: regular withholding, and not twice": (500, 1_000_000, WITHOUT_NUMBER, "W-2G", 239_880),
    "no number, and no form": (1_000, 200_000, WITHOUT_NUMBER, "", 0),
    "no number, 300 times, proceeds of less": (2_000, 601_999, WITHOUT_NUMBER, "W-2G", 144_000),
    "no resident: the gross": (500, 1_000_000, FOREIGN, "1042-S", 300_000),
    "no resident, from the first cent": (500, 25_000, FOREIGN, "1042-S", 7_500),
    "a treaty that leaves nothing": (500, 1_000_000, Payee(nonresident=True, treaty_rate=0), "1042-S", 0),
    "a treaty's 10 %": (500, 1_000_000, Payee(nonresident=True, treaty_rate=1_000), "1042-S", 100_000),
    "a treaty's 12.5 %": (500, 1_000_000, Payee(nonresident=True, treaty_rate=1_250), "1042-S", 125_000),
    "0.48 of a cent is dropped": (500, 500_502, RESIDENT, "W-2G", 120_000),
    "0.72 of a cent is a cent": (500, 500_503, RESIDENT, "W-2G", 120_001),
    "half a cent is a cent": (500, 33_335, FOREIGN, "1042-S", 10_001),
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_form_and_the_sum_withheld_are_those_of_the_law(name: str) -> None:
    """A10: each example of the law's text."""
    wager, winnings, payee, form, withheld = EXAMPLES[name]
    won = Winnings(wager=wager, total=winnings, before=0, now=winnings, withheld=0)
    found = due(US_2026, won, payee)
    assert (found.form, found.withheld) == (form, withheld)


def test_a_wager_that_is_paid_in_parts_is_taxed_as_one() -> None:
    """A10: 6,000 on five dollars, paid as 4,900 and then 1,100: 24 % of 5,995 in all."""
    first = due(US_2026, Winnings(500, 600_000, 0, 490_000, 0), RESIDENT)
    second = due(US_2026, Winnings(500, 600_000, 490_000, 110_000, first.withheld), RESIDENT)
    assert (first.withheld, second.withheld) == (117_480, 26_400)
    assert first.withheld + second.withheld == 143_880


def test_what_is_withheld_later_makes_up_for_what_was_not() -> None:
    """A10: 4,000 were paid in full before the wager won 3,000 more: 24 % of 6,995, from the second."""
    assert due(US_2026, Winnings(500, 700_000, 400_000, 300_000, 0), RESIDENT).withheld == 167_880


def test_never_more_is_withheld_than_is_paid() -> None:
    """A10: the part that is paid last is less than the tax on all of it."""
    assert due(US_2026, Winnings(500, 510_000, 500_000, 10_000, 0), RESIDENT).withheld == 10_000


def test_nothing_is_given_back_that_was_withheld() -> None:
    """A10: a number came later, or the sum was corrected down: the patron asks the tax office."""
    assert due(US_2026, Winnings(500, 300_000, 200_000, 100_000, 90_000), RESIDENT).withheld == 0


def test_the_rate_says_which_withholding_it_is() -> None:
    """A10: the entry holds the rate, none where nothing is withheld."""
    won = Winnings(500, 1_000_000, 0, 1_000_000, 0)
    assert [due(US_2026, won, who).rate for who in (RESIDENT, FOREIGN)] == [2_400, 3_000]
    assert due(US_2026, won._replace(total=200_000, now=200_000), RESIDENT).rate == 0
    assert withholds(US_2026, won, RESIDENT)
    assert not withholds(US_2026, won._replace(total=500_500), RESIDENT)
