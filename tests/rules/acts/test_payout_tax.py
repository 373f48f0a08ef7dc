"""A payment follows the tax law of the site's country: its form, what is withheld, what is reported (A10)."""

from collections.abc import Mapping
from typing import Any, Final

import pytest
from msgspec.structs import replace

from jackpot.rules import registry
from jackpot.rules.acts.banks import Offsets, renumbered
from jackpot.rules.acts.hits import Correct, Corrected, Paid, Pay, Undo, Validate, ways
from jackpot.rules.acts.papers import AddPapers
from tests.faults.worked.form import Link, Table
from tests.frames import Bet, Claim, Settle, Wager
from tests.rules.acts.test_requests import last
from tests.rules.acts.test_winners import ENVY, OWN, act, refused, royal_of_three
from tests.rules.subject import OfEngine
from tests.rules.test_engine import BOARD, ROYAL, bank, royal, send, wager
from tests.rules.test_tax import US_2026

LAW: Final = replace(US_2026, needs=("patron", "identification", "way"))
NAMED: Final = ("patron", "tax_number", "identification", "taxpayer_number", "way_number")
# 24 % of 10,000.63 less the wager of 1.00: 2,399.9112.
WITHHELD: Final = 239_991
WHOLE: Final = Pay(
    "H1", document="1", seat=3, tax=LAW, tax_form="W-2G", paper=bytes(32), on_paper=NAMED, withheld=WITHHELD,
    way="cheque",
)  # fmt: skip


def without(*fields: str) -> tuple[Any, ...]:
    """What the papers name, but for these."""
    return tuple(name for name in NAMED if name not in fields)


def paid(subject: OfEngine) -> Paid:
    event: Any = last(subject)
    assert isinstance(event, Paid)
    return event


def test_a_payment_that_takes_a_form_wants_all_that_belongs_to_it() -> None:
    """A10: patron, identification, form, what is withheld, and how it is paid; what lacks is named."""
    subject = royal_of_three()
    wanting: list[tuple[Mapping[str, Any], tuple[str, str]]] = [
        ({"tax_form": "", "on_paper": without("tax_number")}, ("no_tax_form", "tax_number")),
        ({"tax_form": "1042-S"}, ("no_tax_form", "tax_form")),
        ({"on_paper": without("patron")}, ("no_paper", "patron")),
        ({"on_paper": without("identification")}, ("no_paper", "identification")),
        ({"way": "", "on_paper": without("way_number")}, ("no_paper", "way")),
        ({"on_paper": without("way_number")}, ("no_paper", "way_number")),
        ({"way": ""}, ("no_paper", "way")),
        ({"withheld": None}, ("withheld_differs", "withheld")),
        ({"withheld": WITHHELD - 1}, ("withheld_differs", "withheld")),
        ({"withheld": 0}, ("withheld_differs", "withheld")),
        ({"treaty_rate": 1_000}, ("no_tax_form", "treaty_form")),
        ({"treaty_form": "W-8BEN"}, ("no_tax_form", "treaty_rate")),
        ({"treaty_form": "W-8BEN", "treaty_rate": 0}, ("bad_request", "nonresident")),
    ]
    for fields, said in wanting:
        assert refused(subject, replace(WHOLE, **fields)) == said, fields
    assert act(subject, WHOLE)["ok"]


def test_the_entry_holds_all_by_which_it_was_decided() -> None:
    """A10, S8: the law's figures, the wager and the sums; no account moves, the meter was debited gross."""
    subject = royal_of_three()
    before = subject.meters()
    assert act(subject, WHOLE)["ok"]
    event = paid(subject)
    assert event.tax == LAW
    assert (event.wager, event.winnings, event.paid, event.withheld) == (100, OWN, OWN, WITHHELD)
    assert (event.form, event.rate, event.way) == ("W-2G", 2_400, "cheque")
    entry = subject.entries[-1]
    assert entry.postings == ()
    assert subject.meters() == before
    assert registry.decode(entry.kind, entry.version, entry.body) == event


def test_a_win_below_the_law_takes_nothing() -> None:
    """A10: an envy bonus of 1,000 is a thousand times its wager, and no form; nor is a patron's second."""
    subject = royal_of_three()
    assert act(subject, Pay("H1", document="1", seat=2, tax=LAW))["ok"]
    event = paid(subject)
    assert (event.form, event.withheld, event.rate, event.winnings) == ("", 0, 0, ENVY)
    second = Pay("H1", document="2", seat=5, tax=LAW, paper=bytes(32), on_paper=("patron",), same_patron=(2,))
    assert act(subject, second)["ok"], "two boxes are two wagers"
    assert paid(subject).winnings == ENVY


def test_no_number_has_a_part_withheld_and_a_form() -> None:
    """A10: backup withholding is of the same rate, of a win whose proceeds are not that large."""
    subject = royal_of_three()
    low = replace(LAW, form_from=ENVY)
    one = replace(
        WHOLE, seat=5, tax=low, on_paper=without("taxpayer_number"), withheld=23_976, document="5"
    )  # 24 % of 999.00
    assert refused(subject, replace(one, withheld=0)) == ("withheld_differs", "withheld")
    assert act(subject, one)["ok"]
    other = replace(one, seat=2, document="2", on_paper=NAMED, withheld=0)
    assert act(subject, other)["ok"]
    assert (paid(subject).form, paid(subject).rate) == ("W-2G", 0)


def test_a_number_that_was_added_before_counts() -> None:
    """A10: papers are one: what was added to them stands there."""
    subject = royal_of_three()
    added = AddPapers("H1", "forgotten", seat=5, paper=bytes(32), on_paper=("taxpayer_number", "patron"))
    assert act(subject, added)["ok"]
    one = replace(
        WHOLE,
        seat=5,
        tax=replace(LAW, form_from=ENVY),
        withheld=0,
        on_paper=without("taxpayer_number", "patron"),
    )
    assert act(subject, one)["ok"]
    assert paid(subject).withheld == 0


@pytest.mark.parametrize(("treaty", "withheld"), [(None, 300_019), (1_500, 150_009), (0, 0)])
def test_who_is_no_resident_has_thirty_per_cent_withheld_or_what_a_treaty_says(
    treaty: int | None, withheld: int
) -> None:
    """A10: of the gross; 30 % of 10,000.63 are 3,000.189, 15 % are 1,500.0945. A treaty takes the number."""
    subject = royal_of_three()
    by_treaty: dict[str, Any] = {} if treaty is None else {"treaty_rate": treaty, "treaty_form": "W-8BEN"}
    pays = replace(
        WHOLE,
        nonresident=True,
        tax_form="1042-S",
        withheld=withheld,
        on_paper=without("taxpayer_number") if treaty is None else NAMED,
        **by_treaty,
    )
    assert refused(subject, replace(pays, tax_form="W-2G")) == ("no_tax_form", "tax_form")
    if treaty is None:
        high = replace(pays, treaty_rate=3_001, treaty_form="W-8BEN")
        assert refused(subject, high) == ("bad_request", "treaty_rate")
    else:
        unnumbered = replace(pays, on_paper=without("taxpayer_number"))
        assert refused(subject, unnumbered) == ("no_paper", "taxpayer_number")
    assert act(subject, pays)["ok"]
    event = paid(subject)
    assert (event.form, event.withheld) == ("1042-S", withheld)
    assert event.rate == (3_000 if treaty is None else treaty)


def two_hits_of_one_wager() -> OfEngine:
    """Seat 5 won its own straight flush as H1, and envy for seat 3's royal as an award of H2."""
    subject = bank(hold_table=False)
    send(subject, 1, wager(seats=(5, 3)))
    hands = (Claim(5, ("9s", "8s", "7s")), Claim(3, ROYAL))
    assert send(subject, 2, Settle("r1", hands, BOARD, close=True)).answer["t"] == "ack"
    for hit in ("H1", "H2"):
        assert act(subject, Validate(hit))["ok"]
    return subject


def sums(subject: OfEngine) -> dict[tuple[int, str], int]:
    """By hit and kind the cents of seat 5's awards."""
    hits = {**subject.engine.state.hits, **subject.engine.state.paid}
    return {
        (number, award.kind): award.amount // 10_000
        for number, hit in sorted(hits.items())
        for award in hit.awards
        if award.seat == 5
    }


def test_all_that_one_wager_wins_counts_together_by_whichever_hit() -> None:
    """A10, A5: a hand's own award and an envy bonus are one wager's; in two parts, they are taxed as one."""
    subject = two_hits_of_one_wager()
    own, envy = sums(subject)[1, "meter"], sums(subject)[2, "envy"]
    low = replace(LAW, form_from=own + envy, withhold_over=own + envy - 101)
    first = replace(WHOLE, hit="H1", seat=5, tax=low, document="1")
    tax = ((own + envy - 100) * 24 + 50) // 100
    part = ((own - 100) * 24 + 50) // 100
    assert refused(subject, replace(first, tax_form="", on_paper=without("tax_number")))[0] == "no_tax_form"
    assert act(subject, replace(first, withheld=part))["ok"]
    assert act(subject, replace(first, hit="H2", document="2", withheld=tax - part))["ok"]
    assert (paid(subject).winnings, paid(subject).paid) == (own + envy, envy)


def test_an_award_that_is_undone_counts_no_more() -> None:
    """A10, A11: what stands is what was won; the form is due no longer."""
    subject = two_hits_of_one_wager()
    own, envy = sums(subject)[1, "meter"], sums(subject)[2, "envy"]
    low = replace(LAW, form_from=own + envy)
    plain = Pay("H2", document="2", seat=5, tax=low)
    assert refused(subject, plain)[0] == "no_tax_form"
    assert act(subject, Undo("H1", "misread"))["ok"]
    assert act(subject, Validate("H2"))["ok"], "the royal comes to more now, and waits again"
    assert act(subject, plain)["ok"]
    assert paid(subject).winnings == envy


def test_two_links_are_two_wagers() -> None:
    """A10: one seat and one hand, hit on two links: each link's wager is looked at alone."""
    subject = OfEngine()
    for name in ("L", "M"):
        subject.open(Link(name, "pa-643a-five-card-A"))
    subject.add(Table("T1", links=("L", "M")))
    bets = tuple(Bet(3, name, 100) for name in ("L", "M"))
    assert send(subject, 1, Wager("r1", bets, lock=True)).answer["t"] == "ack"
    assert send(subject, 2, royal()).answer["t"] == "ack"
    for number, hit in enumerate(("H1", "H2")):
        assert act(subject, Validate(hit))["ok"]
        winnings = subject.engine.state.hits[number + 1].awards[0].amount // 10_000
        withheld = ((winnings - 100) * 24 + 50) // 100
        pays = replace(WHOLE, hit=hit, document=hit, withheld=withheld)
        assert act(subject, pays)["ok"]
        assert paid(subject).winnings == winnings


def test_two_rounds_of_one_name_are_two_wagers() -> None:
    """A10: a table may use a round's name again."""
    subject = two_hits_of_one_wager()
    own = sums(subject)[1, "meter"]
    for seq, name in ((3, "r2"), (5, "r1")):
        assert send(subject, seq, wager(name, seats=(5,))).answer["t"] == "ack"
        shown = Settle(name, (Claim(5, ("9s", "8s", "2c")),), BOARD, close=True)
        hand = Claim(5, ("9s", "8s", "7s")) if name == "r1" else shown.hands[0]
        assert send(subject, seq + 1, replace(shown, hands=(hand,))).answer["t"] == "ack"
    third = max(subject.engine.state.hits)
    assert act(subject, Validate(f"H{third}"))["ok"]
    assert act(subject, Pay(f"H{third}", document="9", tax=replace(LAW, form_from=own + ENVY + 2)))["ok"]
    assert paid(subject).winnings == sums(subject)[third, "meter"]


def test_what_a_correction_pays_on_top_is_taxed_with_the_rest() -> None:
    """A10: 24 % of 10,499.63 less what was withheld; it takes a form, that stands on the papers."""
    subject = royal_of_three()
    assert act(subject, WHOLE)["ok"]
    fix = Correct("A1", OWN + 50_000, "misread", "V-1", tax=LAW, way="account")
    assert act(subject, fix)["ok"]
    event: Any = last(subject)
    assert isinstance(event, Corrected)
    assert (event.winnings, event.paid, event.form) == (OWN + 50_000, 50_000, "W-2G")
    assert event.withheld == 251_991 - WITHHELD
    down = Correct("A1", 100_000, "misread again", "V-2", tax=LAW)
    assert act(subject, down)["ok"]
    event = last(subject)
    assert (event.withheld, event.paid, event.form) == (0, 0, ""), "what was withheld stays withheld"
    sheet = (subject.engine.state.hits.get(1) or subject.engine.state.paid[1]).sheets[3]
    assert sheet.withheld == 251_991


def test_a_correction_that_reaches_the_law_needs_its_form_first() -> None:
    """A10: the form is added to the papers, and then the difference is paid."""
    subject = royal_of_three()
    assert act(subject, Pay("H1", document="1", seat=5, tax=LAW))["ok"]
    fix = Correct("A2", 250_000, "misread", "V-1", tax=LAW, way="account")
    assert refused(subject, fix) == ("no_tax_form", "tax_number")
    added = AddPapers(
        "H1",
        "corrected",
        seat=5,
        tax_form="W-2G",
        paper=bytes(32),
        on_paper=("tax_number", "taxpayer_number", "patron", "identification"),
    )
    assert act(subject, added)["ok"]
    assert act(subject, fix)["ok"]
    event: Any = last(subject)
    assert (event.form, event.withheld, event.winnings) == ("W-2G", 0, 250_000)


def test_a_correction_of_somebody_who_is_no_resident_keeps_their_treaty() -> None:
    """A10: the papers say at which rate the rest was withheld."""
    subject = royal_of_three()
    pays = replace(
        WHOLE, nonresident=True, tax_form="1042-S", treaty_rate=1_000, treaty_form="W-8BEN", withheld=100_006
    )
    assert act(subject, pays)["ok"]
    assert act(subject, Correct("A1", OWN + 10_000, "misread", "V-1", tax=LAW, way="account"))["ok"]
    event: Any = last(subject)
    assert (event.rate, event.withheld) == (1_000, 1_000)


def test_a_site_without_a_countrys_taxes_takes_none() -> None:
    """A10: other countries go on as they are; who says what is withheld is told so."""
    subject = royal_of_three()
    for field, value in (
        ("withheld", 1),
        ("nonresident", True),
        ("treaty_rate", 0),
        ("treaty_form", "W-8BEN"),
    ):
        said: dict[str, Any] = {field: value}
        pays = Pay("H1", document="1", seat=5, **said)
        assert refused(subject, pays) == ("bad_request", field)
    assert act(subject, Pay("H1", document="1", seat=5))["ok"]
    event = paid(subject)
    assert (event.tax, event.withheld, event.form, event.paid) == (None, 0, "", ENVY)


@pytest.mark.parametrize(("before", "notice"), [(0, False), (239_928, False), (239_929, True), (None, False)])
def test_cash_over_the_laws_sum_in_a_gaming_day_is_to_be_reported(before: int | None, notice: bool) -> None:
    """A10: what is paid out counts, 7,600.72 here; 10,000.00 is not more, and nobody unnamed counts."""
    subject = royal_of_three()
    assert act(subject, replace(WHOLE, way="cash", cash_before=before))["ok"]
    assert paid(subject).winnings == OWN, "cash of before adds nothing to a form"
    found = [alarm for alarm in subject.engine.state.alarms.values() if alarm.kind == "currency_report"]
    assert [alarm.place for alarm in found] == (["hit H1"] if notice else [])


@pytest.mark.parametrize(("over", "notice"), [(760_072, False), (760_071, True)])
def test_one_payment_over_the_sum_is_to_be_reported_whoever_is_named(over: int, notice: bool) -> None:
    """A10: 7,600.72 to somebody whom no paper names."""
    subject = royal_of_three()
    tax = replace(US_2026, cash_over=over)
    assert act(subject, replace(WHOLE, way="cash", cash_before=None, tax=tax))["ok"]
    assert bool(subject.engine.state.alarms) == notice


# 4,000.00 of the 7,600.72 that are handed out are given by cheque, and the rest in cash.
PARTS: Final = replace(
    WHOLE, way="cash", on_paper=(*NAMED, "other_number"), other_way="cheque", other_sum=400_000
)


@pytest.mark.parametrize(
    ("first", "before", "notice"),
    [
        ("cash", 639_928, False),
        ("cash", 639_929, True),
        ("cheque", 600_000, False),
        ("cheque", 600_001, True),
    ],
)
def test_of_a_payment_in_parts_only_the_cash_counts(first: Any, before: int, notice: bool) -> None:
    """A10: 3,600.72 in cash and 4,000.00 by cheque, or the other way round, by whichever is named first."""
    subject = royal_of_three()
    other: Any = "cheque" if first == "cash" else "cash"
    assert act(subject, replace(PARTS, way=first, other_way=other, cash_before=before))["ok"]
    event = paid(subject)
    assert ways(event) == {first: OWN - WITHHELD - 400_000, other: 400_000}
    assert (event.paid, event.withheld, event.form) == (OWN, WITHHELD, "W-2G"), "the law looks at the whole"
    assert bool(subject.engine.state.alarms) == notice
    entry = subject.entries[-1]
    assert registry.decode(entry.kind, entry.version, entry.body) == event


def test_a_part_given_another_way_is_said_whole() -> None:
    """A10: its way, number and sum, less than all that is handed out; and the rest has a way of its own."""
    subject = royal_of_three()
    wanting: list[tuple[Mapping[str, Any], tuple[str, str]]] = [
        ({"on_paper": NAMED}, ("no_paper", "other_number")),
        ({"other_way": ""}, ("no_paper", "other_way")),
        ({"other_way": "", "on_paper": NAMED}, ("no_paper", "other_way")),
        ({"other_sum": 0}, ("no_paper", "other_sum")),
        ({"other_way": "cash"}, ("bad_request", "other_way")),
        ({"other_sum": OWN - WITHHELD}, ("bad_request", "other_sum")),
        ({"other_sum": -1}, ("bad_request", "other_sum")),
    ]
    for fields, said in wanting:
        assert refused(subject, replace(PARTS, **fields)) == said, fields
    alone = Pay("H1", document="1", seat=5, paper=bytes(32), on_paper=("other_number",), other_way="cheque")
    assert refused(subject, replace(alone, other_sum=ENVY - 1)) == ("no_paper", "way")
    both: Any = {"way": "cash", "on_paper": ("way_number", "other_number")}
    assert refused(subject, replace(alone, **both, other_sum=ENVY)) == ("bad_request", "other_sum")
    assert act(subject, replace(alone, **both, other_sum=ENVY - 1))["ok"]
    assert ways(paid(subject)) == {"cash": 1, "cheque": ENVY - 1}, "where no country has taxes, too"


def test_a_cheque_is_no_cash() -> None:
    """A10: whatever was paid in cash before."""
    subject = royal_of_three()
    assert act(subject, replace(WHOLE, cash_before=5_000_000))["ok"]
    assert not subject.engine.state.alarms


def test_a_joined_bank_keeps_what_was_withheld() -> None:
    """A10, L8: a hit that is handed on can be corrected, and its papers say what was withheld."""
    subject = royal_of_three()
    assert act(subject, WHOLE)["ok"]
    hit = subject.engine.state.hits.get(1) or subject.engine.state.paid[1]
    assert renumbered(hit, Offsets(1, 1, 1, 1)).sheets[3] == hit.sheets[3]
