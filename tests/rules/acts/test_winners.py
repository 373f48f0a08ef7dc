"""Each winner of a hit is paid alone, with a document and papers of their own (A10)."""

from collections.abc import Mapping
from typing import Any

import pytest
from msgspec.structs import replace

from jackpot.rules.acts.fields import PaperField
from jackpot.rules.acts.hits import Correct, Pay, Undo, Validate
from jackpot.rules.acts.papers import AddPapers
from jackpot.rules.acts.requests import Reject
from jackpot.rules.commands import ActCommand
from jackpot.rules.signing import Proof, Role, Signed
from tests.faults.worked.form import Link, Table
from tests.frames import Bet, Settle, Wager
from tests.rules.acts.test_requests import last
from tests.rules.subject import OfEngine
from tests.rules.test_engine import bank, royal, send, wager
from tests.said import field

# A royal flush of seat 3; its own award and, for seats 5 and 2, what it earned them.
OWN, ENVY = 1_000_063, 100_000
# Next to the journal lies the number of a tax form, or a patron.
NUMBER: dict[str, Any] = {"paper": bytes(32), "on_paper": ("tax_number",)}
PATRON: dict[str, Any] = {"paper": bytes(32), "on_paper": ("patron",)}


def act(subject: OfEngine, command: Any, people: tuple[str, ...] = ("Ada", "Grace")) -> Mapping[str, Any]:
    return subject.execute(command, people=people).answer


def royal_of_three() -> OfEngine:
    """H1 is validated: A1 of seat 3, with envy bonuses A2 of seat 5 and A3 of seat 2."""
    subject = bank()
    send(subject, 1, wager(seats=(5, 3, 2)))
    send(subject, 2, royal())
    assert act(subject, Validate("H1"))["ok"]
    assert statuses(subject) == [(3, OWN, "validated"), (5, ENVY, "validated"), (2, ENVY, "validated")]
    return subject


def statuses(subject: OfEngine) -> list[tuple[int, int, str]]:
    """Of each award of H1 its seat, cents and status."""
    state = subject.engine.state
    hit = state.hits.get(1) or state.paid[1]
    return [(award.seat, award.amount // 10_000, award.status) for award in hit.awards]


def refused(subject: OfEngine, command: ActCommand) -> tuple[str, str]:
    """The code, and the field that is wrong; nothing where it is done."""
    answer = act(subject, command)
    return str(answer.get("code", "")), field(answer)


def test_each_winner_is_paid_alone_with_a_form_of_their_own() -> None:
    """A5, A10: no payment covers two; only who comes to the site's sum needs the tax form. In any order."""
    subject = royal_of_three()
    assert refused(subject, Pay("H1", document="4711")) == ("several_winners", "seat")
    assert act(subject, Pay("H1", document="4712", tax_from=ENVY + 1, seat=5))["ok"]
    assert refused(subject, Pay("H1", document="4711", tax_from=ENVY + 1, seat=3)) == (
        "no_tax_form",
        "tax_form",
    )
    first = Pay("H1", document="4711", tax_form="W-2G", tax_from=ENVY + 1, seat=3, **NUMBER)
    assert act(subject, first)["ok"]
    paid: Any = last(subject)
    assert (paid.awards, paid.document, paid.tax_form) == ([1], "4711", "W-2G")
    assert refused(subject, Pay("H1", document="4714")) == ("several_winners", "seat"), "one waits still"
    assert statuses(subject)[2] == (2, ENVY, "validated")
    assert act(subject, Pay("H1", document="4713", seat=2))["ok"]
    assert {status for _, _, status in statuses(subject)} == {"paid"}


def test_the_sum_that_takes_a_tax_form_is_the_winners_own() -> None:
    """A10: what others get of the hit never counts."""
    subject = royal_of_three()
    assert act(subject, Pay("H1", document="1", tax_from=OWN + 1, seat=3))["ok"]
    assert refused(subject, Pay("H1", document="2", tax_from=ENVY, seat=2)) == ("no_tax_form", "tax_form")
    assert refused(subject, Pay("H1", "A3", "2", tax_from=ENVY)) == ("no_tax_form", "tax_form")


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (Pay("H1", document="1", seat=4), ("no_such_award", "seat")),
        (Pay("H1", "A2", "1", seat=3), ("no_such_award", "award")),
        (Pay("H1", "A9", "1", seat=3), ("no_such_award", "award")),
        (Pay("H1", seat=3), ("no_document", "document")),
        (Pay("H1"), ("several_winners", "seat")),
        (Pay("H2", seat=3), ("no_such_hit", "hit")),
    ],
)
def test_a_payment_that_names_nobody_who_is_to_be_paid_is_refused(
    command: Pay, said: tuple[str, str]
) -> None:
    """A10: nothing is paid, and the field is named."""
    subject = royal_of_three()
    assert refused(subject, command) == said
    assert {status for _, _, status in statuses(subject)} == {"validated"}


def test_a_winner_is_paid_once() -> None:
    """A10: a form that is sent twice for one winner pays nobody else."""
    subject = royal_of_three()
    assert act(subject, Pay("H1", document="1", seat=3))["ok"]
    assert refused(subject, Pay("H1", document="1", seat=3)) == ("not_validated", "hit")
    assert [status for _, _, status in statuses(subject)] == ["paid", "validated", "validated"]


def test_who_is_no_winner_any_more_needs_no_name() -> None:
    """A10, A11: with the others undone one winner is left; a hit of one winner is paid by its number."""
    subject = royal_of_three()
    for award in ("A2", "A3"):
        assert act(subject, Undo("H1", "left the table", award))["ok"]
    assert act(subject, Pay("H1", document="1"))["ok"]
    assert statuses(subject)[0] == (3, OWN, "paid")


def test_envy_alone_is_one_winner() -> None:
    """A5, A10: a hand without a wager of its own earned one other seat something."""
    subject = bank()
    send(subject, 1, wager(seats=(5,)))
    send(subject, 2, royal())
    assert act(subject, Validate("H1"))["ok"]
    assert act(subject, Pay("H1", document="1"))["ok"]
    assert statuses(subject) == [(5, ENVY, "paid")]


def test_players_who_share_the_dealers_hand_are_paid_one_by_one() -> None:
    """A6, A10: no seat is the hit's own; the table is free once all of them have their papers (T11)."""
    subject = OfEngine()
    subject.open(Link("L", "pa-653a-five-card-hand-bonus"))
    subject.add(Table("T1", "ultimate-texas-holdem", 6))
    bets = tuple(Bet(seat, "L", 100, on="dealer") for seat in (4, 1))
    send(subject, 1, Wager("r1", bets, lock=True))
    send(subject, 2, Settle("r1", (), ("Qs", "Js", "Ts", "2d", "3c"), dealer=("As", "Ks"), close=True))
    assert act(subject, Validate("H1"))["ok"]
    assert refused(subject, Pay("H1", document="1")) == ("several_winners", "seat")
    assert act(subject, Pay("H1", document="1", seat=1))["ok"]
    assert subject.engine.state.tables[0].held == [1]
    assert act(subject, Pay("H1", document="2", seat=4))["ok"]
    assert subject.engine.state.tables[0].held == []


def test_what_the_site_wants_on_papers_must_be_there() -> None:
    """A10, S8: the first that is missing is named. What was written before counts, for all or for one."""
    subject = royal_of_three()
    wanted: tuple[PaperField, ...] = ("witness", "patron")

    def pay(seat: int, **written: Any) -> tuple[str, str]:
        return refused(subject, Pay("H1", document=f"D{seat}", seat=seat, needs=wanted, **written))

    assert pay(3, **PATRON) == ("no_paper", "witness")
    assert act(subject, AddPapers("H1", "late", paper=bytes(32), seat=5, on_paper=("witness",)))["ok"]
    assert pay(3, **PATRON) == ("no_paper", "witness"), "that is on the papers of seat 5 alone"
    assert act(subject, AddPapers("H1", "late", paper=bytes(32), on_paper=("witness",)))["ok"]
    assert pay(3) == ("no_paper", "patron")
    assert act(subject, AddPapers("H1", "early", paper=bytes(32), seat=3, on_paper=("patron",)))["ok"]
    assert pay(2) == ("no_paper", "patron"), "each winner has their own"
    assert act(subject, Pay("H1", document="1", seat=3, needs=wanted))["ok"]
    assert act(subject, Pay("H1", document="2", seat=2, needs=wanted, **PATRON))["ok"]


def test_a_winner_has_a_document_of_their_own() -> None:
    """A10: a form's number is one winner's, however it is written; their own awards may share it."""
    subject = royal_of_three()
    assert act(subject, Pay("H1", document="P 4711", seat=3))["ok"]
    assert refused(subject, Pay("H1", document="p  4711", seat=5)) == ("document_used", "document")
    assert refused(subject, Pay("H1", "A2", "P 4711")) == ("document_used", "document")
    assert act(subject, Pay("H1", document="4712", seat=5))["ok"]
    assert refused(subject, Correct("A2", ENVY + 1, "misread", "P 4711")) == ("document_used", "document")
    assert act(subject, Correct("A1", OWN + 1, "misread", "P 4711"))["ok"], "that is their own"


def test_what_is_one_winners_own_stands_on_no_others_papers() -> None:
    """A10: patron and tax form without a seat are refused where there are several; who was there is not."""
    subject = royal_of_three()
    form: dict[str, Any] = {"tax_form": "W-2G", **NUMBER}
    for own in (form, PATRON):
        assert refused(subject, AddPapers("H1", "late", **own)) == ("several_winners", "seat")
        assert refused(subject, AddPapers("H1", "late", seat=4, **own)) == ("no_such_award", "seat")
        assert act(subject, AddPapers("H1", "late", seat=5, **own))["ok"]
    assert act(subject, AddPapers("H1", "late", paper=bytes(32), on_paper=("dealer",)))["ok"]
    for award in ("A2", "A3"):
        assert act(subject, Undo("H1", "left the table", award))["ok"]
    assert act(subject, AddPapers("H1", "late", **form))["ok"], "there is one winner now"
    added: Any = last(subject)
    assert added.seat == 3


def test_a_hit_of_which_all_is_undone_takes_no_papers() -> None:
    """A11: it is as if it had not been made, so there is nobody whose papers these are."""
    subject = royal_of_three()
    camera = AddPapers("H1", "late", "camera 7")
    assert act(subject, camera)["ok"]
    assert act(subject, Undo("H1", "misread"))["ok"]
    for more in (camera, replace(camera, paper=bytes(32), seat=3, on_paper=("patron",))):
        assert refused(subject, more) == ("no_such_award", "hit")


def test_a_tax_form_on_the_winners_papers_is_one() -> None:
    """A10: it is given with a payment or added before; half of one is none, and another winner's neither."""
    subject = royal_of_three()
    pay = Pay("H1", document="1", tax_from=ENVY, seat=3)
    assert act(subject, AddPapers("H1", "early", tax_form="W-2G", seat=5, **NUMBER))["ok"]
    assert refused(subject, pay) == ("no_tax_form", "tax_form")
    assert refused(subject, replace(pay, tax_form="W-2G")) == ("no_tax_form", "tax_number")
    assert refused(subject, replace(pay, **NUMBER)) == ("no_tax_form", "tax_form")
    assert act(subject, Pay("H1", document="2", tax_from=ENVY, seat=5))["ok"]


def test_seats_that_name_one_patron_are_counted_together() -> None:
    """T9, A10: the server knows no persons; what two winners' papers name alike is one patron's."""
    subject = royal_of_three()
    assert act(subject, Pay("H1", document="1", tax_from=2 * ENVY, seat=5, **PATRON))["ok"]
    second = Pay("H1", document="2", tax_from=2 * ENVY, seat=2, **PATRON)
    assert refused(subject, replace(second, same_patron=(5,))) == ("no_tax_form", "tax_form")
    assert refused(subject, replace(second, same_patron=(5,), tax_from=2 * ENVY + 1)) == ("", "")


def test_papers_and_what_they_name_belong_together() -> None:
    """S8: no entry says that papers name somebody where there are none, or hides whom they name."""
    subject = royal_of_three()
    for wrong in ({"on_paper": ("patron",)}, {"paper": bytes(32)}):
        fields: dict[str, Any] = wrong
        assert refused(subject, Pay("H1", document="1", seat=3, **fields)) == ("bad_request", "paper")
        assert refused(subject, AddPapers("H1", "x", "cam", seat=3, **fields)) == ("bad_request", "paper")


def signed(subject: OfEngine, command: Any, *roles: Role) -> str:
    """How people with each of these roles are answered; "" where it is done."""
    who = tuple(Signed(number, (role,)) for number, role in enumerate(roles, 3))
    return str(subject.execute(command, proof=Proof(who, 5, b"h" * 32)).answer.get("code", ""))


def test_the_cage_pays_what_it_pays() -> None:
    """A8: a part of a meter is paid by the cage alone, and what is journalled against it once it is paid."""
    subject = royal_of_three()
    assert signed(subject, Correct("A1", OWN - 1, "misread"), "floor", "floor") == "", "it is not paid yet"
    assert signed(subject, Validate("H1"), "floor") == ""
    for pay in (Pay("H1", document="1", seat=3), Pay("H1", "A1", "1")):
        assert signed(subject, pay, "floor") == "not_allowed"
    assert signed(subject, Pay("H1", document="2", seat=5), "floor") == ""
    assert signed(subject, Pay("H1", document="1", seat=3), "cage") == ""
    assert signed(subject, Pay("H1", document="3", seat=2), "cage") == ""
    more = Correct("A1", OWN, "misread", "V-1")
    assert signed(subject, more, "floor", "cage") == "not_allowed"
    assert signed(subject, more, "cage", "cage") == ""
    assert signed(subject, Correct("A2", ENVY + 1, "misread", "V-2"), "floor", "floor") == ""


def test_one_of_the_floor_does_not_reject_what_the_cage_asked_for() -> None:
    """A8: a request is rejected by who asked, or by who may ask for the same."""
    subject = royal_of_three()
    assert signed(subject, Pay("H1", document="1", seat=3), "cage") == ""
    assert signed(subject, Correct("A1", OWN - 1, "misread", "V-1"), "cage") == ""
    other = Proof((Signed(9, ("floor",)),), 5, b"h" * 32)
    assert subject.execute(Reject("main-1", "no"), proof=other).answer["code"] == "not_allowed"
    cashier = Proof((Signed(9, ("cage",)),), 5, b"h" * 32)
    assert subject.execute(Reject("main-1", "no"), proof=cashier).answer["ok"]
