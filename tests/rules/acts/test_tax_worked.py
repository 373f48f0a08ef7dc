"""Payments worked out by hand from the tax office's text, each played from the wager to the payment (A10).

What is received for a wager less the wager is its proceeds (26 CFR 31.3402(q)-1(c)(1)). A stake that comes
back with odds of "N to 1" is received, and is not won: then all the winnings are proceeds.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final, NamedTuple

import pytest
from msgspec.structs import replace

from jackpot.rules.acts.hits import Correct, Corrected, Paid, Pay, Undo, Validate
from jackpot.rules.acts.papers import AddPapers, ErasePapers
from jackpot.rules.paytable import ForOne, PaytableRow, ToOne
from tests.frames import Claim, Settle, Wager
from tests.rules.acts.test_payout_tax import LAW, NAMED, WHOLE, WITHHELD, sums, two_hits_of_one_wager
from tests.rules.acts.test_requests import last
from tests.rules.acts.test_winners import ENVY, OWN, act, refused, royal_of_three
from tests.rules.rounds.test_offers import Place, bets, offer
from tests.rules.subject import OfEngine

STAKE_BACK: Final = ToOne
STAKE_KEPT: Final = ForOne


class Case(NamedTuple):
    """A win of a wager that the player chose. wager, won: cents. form, withheld: what the law takes."""

    wager: int
    pays: type[ForOne | ToOne]
    won: int
    form: str
    withheld: int
    who: Mapping[str, Any] = MappingProxyType({})


WITHOUT_NUMBER: Final = {"on_paper": tuple(name for name in NAMED if name != "taxpayer_number")}
FOREIGN: Final = {"nonresident": True, **WITHOUT_NUMBER}
TREATY: Final = {"nonresident": True, "treaty_rate": 1_000, "treaty_form": "W-8BEN"}
EXAMPLES: Final = {
    "2,000.00 on 5.00": Case(500, STAKE_KEPT, 200_000, "W-2G", 0),
    "1,999.99 on 5.00": Case(500, STAKE_KEPT, 199_999, "", 0),
    "the same with the stake back, which is not won": Case(500, STAKE_BACK, 199_999, "", 0),
    "6,000.00 on 20.00, which is 300 times": Case(2_000, STAKE_KEPT, 600_000, "W-2G", 0),
    "5,999.99 on 20.00": Case(2_000, STAKE_KEPT, 599_999, "", 0),
    "6,000.00 on 20.00 with the stake back: proceeds are 300 times": Case(
        2_000, STAKE_BACK, 600_000, "W-2G", 144_000
    ),
    "6,020.00 on 20.00": Case(2_000, STAKE_KEPT, 602_000, "W-2G", 144_000),
    "5,005.00 on 5.00: proceeds of 5,000.00": Case(500, STAKE_KEPT, 500_500, "W-2G", 0),
    "5,005.01 on 5.00: proceeds of 5,000.01": Case(500, STAKE_KEPT, 500_501, "W-2G", 120_000),
    "5,000.00 with the stake back": Case(500, STAKE_BACK, 500_000, "W-2G", 0),
    "5,000.01 with the stake back": Case(500, STAKE_BACK, 500_001, "W-2G", 120_000),
    "20,000.00 on 100.00, which is 200 times": Case(10_000, STAKE_KEPT, 2_000_000, "", 0),
    "2,000.00 without a number": Case(500, STAKE_KEPT, 200_000, "W-2G", 47_880, WITHOUT_NUMBER),
    "the same with the stake back": Case(500, STAKE_BACK, 200_000, "W-2G", 48_000, WITHOUT_NUMBER),
    "10,000.00 without a number: once": Case(1_000, STAKE_KEPT, 1_000_000, "W-2G", 239_760, WITHOUT_NUMBER),
    "1,000.00 of no resident": Case(2_000, STAKE_BACK, 100_000, "1042-S", 30_000, FOREIGN),
    "1,000.00 by a treaty of 10 %": Case(2_000, STAKE_KEPT, 100_000, "1042-S", 10_000, TREATY),
}


def won(case: Case) -> OfEngine:
    """A straight flush on an offer, brought to the example's sum before it is paid."""
    rows = (PaytableRow("straight-flush", case.pays(40)),)
    place = Place(offer("three", "three", rows, validate_at=None, cage_at=None, always_validate_for=None))
    place.send(Wager("r1", bets("three", (6, case.wager)), lock=True))
    place.send(Settle("r1", (Claim(6, ("9s", "8s", "7s")),), ("3d", "5h"), close=True))
    if case.won != 40 * case.wager:
        place.act(Correct("A1", case.won, "as in the example"))
    place.act(Validate("H1"))
    return place.subject


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_chosen_wager_is_taxed_by_what_was_wagered(name: str) -> None:
    """A10, B3, B4: the player's own wager counts, and not the least one; the stake is not won."""
    case = EXAMPLES[name]
    subject = won(case)
    pays: Any = Pay("H1", document="1", tax=LAW)
    if case.form:
        given: dict[str, Any] = {"paper": bytes(32), "on_paper": NAMED, **case.who}
        pays = replace(pays, tax_form=case.form, way="cheque", withheld=case.withheld, **given)
        assert refused(subject, replace(pays, withheld=case.withheld + 1))[0] == "withheld_differs"
        bare = replace(pays, tax_form="", on_paper=(), paper=b"", way="")
        assert refused(subject, bare)[0] == "no_tax_form"
    assert act(subject, pays)["ok"]
    event: Any = last(subject)
    assert isinstance(event, Paid)
    assert (event.form, event.withheld) == (case.form, case.withheld)
    assert (event.wager, event.winnings, event.paid) == (case.wager, case.won, case.won)


def test_a_corrected_offer_remembers_what_was_withheld() -> None:
    """A10, B15: 24 % of 6,000.00 were withheld; of 1,000.00 more 240.00 are, and not the whole again."""
    subject = won(EXAMPLES["6,000.00 on 20.00 with the stake back: proceeds are 300 times"])
    pays = replace(WHOLE, seat=None, withheld=144_000)
    assert act(subject, pays)["ok"]
    assert act(subject, Correct("A1", 700_000, "misread", "V-1", tax=LAW, way="cheque"))["ok"]
    event: Any = last(subject)
    assert (event.withheld, event.paid, event.winnings, event.wager) == (24_000, 100_000, 700_000, 2_000)


def test_an_award_undone_between_two_parts_takes_its_form_with_it() -> None:
    """A10, A11: two awards of one wager take the form; what is left of it after an undo does not."""
    subject = two_hits_of_one_wager()
    own, envy = sums(subject)[1, "meter"], sums(subject)[2, "envy"]
    low = replace(LAW, form_from=own + envy)
    first = Pay("H2", document="2", seat=5, tax=low)
    assert refused(subject, first)[0] == "no_tax_form"
    paid = replace(WHOLE, hit="H2", seat=5, tax=low, document="2", withheld=0)
    assert act(subject, paid)["ok"]
    assert act(subject, Undo("H1", "misread"))["ok"]
    fix = Correct("A3", envy + 100, "misread", "V-1", tax=low)
    assert act(subject, fix)["ok"], "1,001.00 of 1.00 is below that sum"
    event: Any = last(subject)
    assert (event.form, event.withheld) == ("", 0)


def test_a_correction_down_and_up_again_withholds_nothing_twice() -> None:
    """A10: what was withheld of 10,000.63 covers a payment that is taken back and made again."""
    subject = royal_of_three()
    assert act(subject, WHOLE)["ok"]
    assert act(subject, Correct("A1", 400_000, "misread", "V-1", tax=LAW))["ok"]
    assert act(subject, Correct("A1", OWN, "right after all", "V-2", tax=LAW, way="cheque"))["ok"]
    event: Any = last(subject)
    assert (event.withheld, event.paid) == (0, OWN - 400_000)
    assert act(subject, Correct("A1", OWN + 100_000, "more", "V-3", tax=LAW, way="cheque"))["ok"]
    event = last(subject)
    assert event.withheld == 263_991 - WITHHELD


def test_two_seats_of_one_patron_stay_below_the_form() -> None:
    """A10: each of two boxes won 1,999.99; 3,999.98 of one patron take no form."""
    subject = royal_of_three()
    for award, seat in (("A2", 5), ("A3", 2)):
        assert act(subject, Correct(award, 199_999, "as in the example"))["ok"]
        assert act(subject, Validate("H1"))["ok"]
        named: Any = {"paper": bytes(32), "on_paper": ("patron",), "same_patron": (5, 2)}
        assert act(subject, Pay("H1", document=f"{seat}", seat=seat, tax=LAW, **named))["ok"]
        event: Any = last(subject)
        assert (event.form, event.winnings) == ("", 199_999)


def test_no_form_of_another_name_stands_for_the_one_that_is_due() -> None:
    """A10: what was added to the papers before is held to its name, too."""
    subject = royal_of_three()
    number: Any = {"paper": bytes(32), "on_paper": ("tax_number",)}
    assert act(subject, AddPapers("H1", "a trick", seat=3, tax_form="receipt", **number))["ok"]
    bare = replace(WHOLE, tax_form="", on_paper=tuple(name for name in NAMED if name != "tax_number"))
    assert refused(subject, bare) == ("no_tax_form", "tax_number")
    assert act(subject, AddPapers("H1", "the right one", seat=3, tax_form=" w-2g", **number))["ok"]
    assert act(subject, bare)["ok"]


def test_a_correction_pays_nobody_who_is_not_named() -> None:
    """A10: what is paid on top takes all that a payment takes: patron, identification and way, too."""
    subject = royal_of_three()
    assert act(subject, Pay("H1", document="1", seat=5, tax=LAW))["ok"]
    form: Any = {"tax_form": "W-2G", "paper": bytes(32)}
    fields: tuple[Any, ...] = ("tax_number", "taxpayer_number")
    assert act(subject, AddPapers("H1", "more", seat=5, on_paper=fields, **form))["ok"]
    fix = Correct("A2", 1_000_000, "a trick", "V-1", tax=LAW, way="cheque")
    assert refused(subject, fix) == ("no_paper", "patron")
    assert act(subject, AddPapers("H1", "more", seat=5, on_paper=("patron", "tax_number"), **form))["ok"]
    assert refused(subject, fix) == ("no_paper", "identification")
    more: Any = {"paper": bytes(32), "on_paper": ("identification",)}
    assert act(subject, AddPapers("H1", "more", seat=5, **more))["ok"]
    assert refused(subject, replace(fix, way="")) == ("no_paper", "way")
    assert act(subject, fix)["ok"]
    event: Any = last(subject)
    assert isinstance(event, Corrected)
    assert (event.form, event.way, event.withheld) == ("W-2G", "cheque", 239_976)


def test_erased_papers_name_nobody_any_more() -> None:
    """A10: what is paid on top after that takes the names anew; without the number a part is withheld."""
    subject = royal_of_three()
    low = replace(LAW, form_from=ENVY)
    for award, seat in (("A1", 3), ("A2", 5), ("A3", 2)):
        withheld = WITHHELD if seat == 3 else 0
        pays = replace(WHOLE, award=award, seat=seat, tax=low, document=award, withheld=withheld)
        assert act(subject, pays)["ok"]
    assert act(subject, ErasePapers("H1", "asked for"))["ok"]
    fix = Correct("A1", OWN + 100_000, "misread", "V-1", tax=low, way="cheque")
    assert refused(subject, fix) == ("no_paper", "patron")
    again: Any = {"paper": bytes(32), "on_paper": ("patron", "identification")}
    assert act(subject, AddPapers("H1", "again", seat=3, **again))["ok"]
    assert act(subject, fix)["ok"]


@pytest.mark.parametrize(("before", "notice"), [(939_936, False), (939_937, True), (None, False)])
def test_cash_that_a_correction_pays_on_top_is_reported_as_well(before: int | None, notice: bool) -> None:
    """A10: of 790.32 more 189.68 are withheld, and 600.64 given; 10,000.00 in a day is not more."""
    subject = royal_of_three()
    assert act(subject, WHOLE)["ok"]
    fix = Correct("A1", OWN + 79_032, "misread", "V-1", tax=LAW, way="cash", cash_before=before)
    assert act(subject, fix)["ok"]
    event: Any = last(subject)
    assert (event.paid, event.withheld) == (79_032, 18_968)
    found = [alarm.kind for alarm in subject.engine.state.alarms.values()]
    assert found == (["currency_report"] if notice else [])
