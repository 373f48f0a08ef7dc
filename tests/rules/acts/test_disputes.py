"""A disputed hit is held until two people lift the dispute, and a large payment takes its tax form (A10)."""

from collections.abc import Mapping
from typing import Any

import pytest

from jackpot.rules import outgoing_messages, views
from jackpot.rules.acts.disputes import Dispute, Lift
from jackpot.rules.acts.fields import DAY_MS
from jackpot.rules.acts.hits import Correct, Pay, Undo, Validate
from jackpot.rules.acts.papers import AddPapers, ErasePapers
from jackpot.rules.acts.requests import Confirm
from jackpot.rules.commands import ActCommand
from jackpot.rules.money import from_cents
from jackpot.rules.signing import Proof, Signed
from tests.rules.acts.test_requests import ANN, BEN, LOOKER, ask, last, waiting, won
from tests.rules.subject import OfEngine
from tests.rules.test_engine import royal, send, wager
from tests.said import refusal

ADA, BOTH = ("Ada",), ("Ada", "Grace")
HOLD = Dispute("H1", "seat 3 says it held the ace")
# The royal's own award is $10,000.42.
LARGE = 200_000


def act(subject: OfEngine, command: Any, people: tuple[str, ...] = ADA) -> Mapping[str, Any]:
    return subject.execute(command, people=people).answer


def lift(subject: OfEngine) -> Lift:
    """What lifts the dispute that holds H1 now; where none does, one that there never was."""
    return Lift("H1", "pictures seen", subject.engine.state.disputed.get(1, 0))


def counted(subject: OfEngine) -> dict[str, int]:
    found: dict[str, int] = views.statistics(subject.engine)["hits"]
    return found


def test_a_disputed_hit_is_not_paid_until_two_people_lift_that() -> None:
    """A10: it may be validated meanwhile; one person alone neither lifts it nor holds it twice."""
    subject = won()
    assert act(subject, HOLD)["hit"] == "H1"
    assert act(subject, HOLD)["code"] == "disputed"
    assert act(subject, Validate("H1"))["ok"]
    first, second = subject.payments()
    refused = act(subject, first)
    assert refusal(refused) == ("disputed", "hit_in_dispute", 1)
    assert act(subject, lift(subject))["code"] == "two_people"
    assert act(subject, lift(subject), BOTH)["ok"]
    assert act(subject, lift(subject), BOTH)["code"] == "not_disputed"
    assert act(subject, first)["ok"]
    assert act(subject, second)["ok"]
    assert act(subject, HOLD)["code"] == "not_pending"


def test_what_is_disputed_is_counted_apart_and_still_waits_on_the_signs() -> None:
    """S7: nobody who validates and pays is late with it; the jackpot still waits for signs and tables."""
    subject = won()
    before, on_signs = counted(subject), outgoing_messages.jackpots(subject.engine.state, 1)
    act(subject, HOLD)
    awards = before["pending"]
    assert counted(subject) == {"pending": 0, "validated": 0, "disputed": awards}
    groups = views.statistics(subject.engine)["waiting"]
    assert {group["status"] for group in groups} == {"disputed"}
    assert sum(group["amount"] for group in groups) == sum(
        award.amount for award in subject.engine.state.hits[1].awards
    )
    assert outgoing_messages.jackpots(subject.engine.state, 1) == on_signs != ()
    act(subject, lift(subject), BOTH)
    assert counted(subject) == before


def test_an_undone_hit_is_disputed_no_more() -> None:
    """A11: nothing waits to be paid, so nothing is held; the number comes never again."""
    subject = won()
    act(subject, HOLD)
    assert act(subject, Undo("H1", "misdeal"))["ok"]
    assert subject.engine.state.disputed == {}
    send(subject, 3, wager("r2"))
    send(subject, 4, royal("r2"))
    assert act(subject, lift(subject), BOTH)["code"] == "not_disputed"


def test_floor_and_audit_lift_it_and_the_one_who_asks_waits_for_another() -> None:
    """A10: an auditor may be the second of the two, and the cage neither holds nor lifts."""
    subject = won()
    auditor, cage = Signed(8, ("auditor",)), Signed(9, ("cage",))
    for command, who in ((HOLD, auditor), (HOLD, cage), (Lift("H1", "x", 3), cage)):
        assert ask(subject, command, who).answer["code"] == "not_allowed"
    assert ask(subject, HOLD, ANN).answer["ok"]
    assert ask(subject, lift(subject), ANN).answer["asked"]
    assert waiting(subject) == ["main-1"]
    assert ask(subject, lift(subject), BEN, auditor).answer["ok"]
    assert subject.engine.state.disputed == {}


def test_what_was_asked_about_one_dispute_lifts_no_later_one() -> None:
    """A10: a request outlives the dispute that it meant; the hit stays held by the one that came since."""
    subject = won()
    ask(subject, HOLD, ANN)
    old = lift(subject)
    assert ask(subject, old, ANN).answer["request"] == "main-1"
    assert ask(subject, Lift("H1", "another reason", old.dispute), ANN, BEN).answer["ok"]
    ask(subject, HOLD, ANN)
    held = subject.engine.state.disputed
    assert held == {1: subject.engine.seq}
    refused = ask(subject, Confirm("main-1"), ANN, BEN).answer
    assert refusal(refused) == ("not_disputed", "hit_disputed_by_other_entry", "H1", held[1])
    assert views.hit(subject.engine.state, subject.engine.state.hits[1])["disputed"] == held[1]
    assert ask(subject, lift(subject), ANN, BEN).answer["ok"]
    assert held == {}


def test_a_payment_takes_a_document() -> None:
    """A10: it is paid when its documentation is complete, through whatever way it is requested."""
    subject = won()
    act(subject, Validate("H1"))
    refused = act(subject, Pay("H1", seat=3))
    assert refusal(refused) == ("no_document", "document_missing")
    assert act(subject, Pay("H1", document="4711", seat=3))["ok"]


def test_a_large_payment_takes_a_tax_form() -> None:
    """A10: the field is named; the journal has the form's name, and the sum from which one was wanted."""
    subject = won()
    act(subject, Validate("H1", surveillance="cam 12, 02:14", paper=b"v" * 32, on_paper=("witness",)))
    refused = act(subject, Pay("H1", document="W-1", tax_from=LARGE, seat=3))
    assert refusal(refused) == ("no_tax_form", "tax_form_missing", 3, from_cents(LARGE))
    taxed = Pay("H1", None, "4711", "W-2G", LARGE, b"p" * 32, 3, on_paper=("tax_number",))
    assert act(subject, taxed)["ok"]
    paid: Any = last(subject)
    assert (paid.document, paid.tax_form, paid.tax_from, paid.paper) == ("4711", "W-2G", LARGE, b"p" * 32)


@pytest.mark.parametrize("tax_from", [None, 1_000_043])
def test_a_smaller_payment_takes_none(tax_from: int | None) -> None:
    """A10: below the site's sum, or where the site has none."""
    subject = won()
    act(subject, Validate("H1"))
    assert act(subject, Pay("H1", document="W-1", tax_from=tax_from, seat=3))["ok"]


def test_a_correction_of_a_paid_award_takes_a_tax_form_where_it_reaches_the_sum() -> None:
    """A10: what is paid on top is a payment, too: its form is on the papers first. Not where it is less."""
    subject = won()

    def correct(cents: int, tax_from: int | None = 1_100_000) -> Mapping[str, Any]:
        return act(subject, Correct("A1", cents, "misread", "W-1", tax_from), BOTH)

    assert correct(1_100_000)["ok"], "its payment will ask"
    assert correct(1_000_042)["ok"]
    act(subject, Validate("H1"))
    assert act(subject, Pay("H1", document="W-1", tax_from=1_100_000, seat=3))["ok"]
    assert correct(1_099_999)["ok"]
    refused = correct(1_100_000)
    assert refusal(refused) == ("no_tax_form", "tax_form_missing", 3, from_cents(1_100_000))
    assert correct(1_099_999, 1_000_000)["ok"], "no more is paid"
    assert correct(1_100_000, None)["ok"]
    assert correct(1_100_001, 1_000_000)["code"] == "no_tax_form", "it was above the sum before"
    assert correct(1_099_999, 1_000_000)["ok"]
    form = AddPapers("H1", "on top", "", "W-2G", b"p" * 32, 3, ("tax_number",))
    assert act(subject, form, BOTH)["ok"]
    assert correct(1_100_000)["ok"]
    made: Any = last(subject)
    assert made.tax_from == 1_100_000
    assert correct(1_200_000)["ok"], "it had its form"


def test_papers_are_erased_of_what_is_settled_alone() -> None:
    """A10: admins have it done, also of a hit long forgotten; two, or one once its time is over."""
    subject = won()
    admin, other = Signed(8, ("admin",)), Signed(9, ("admin",))
    erase = ErasePapers("H1", "asked for")
    assert ask(subject, erase, ANN).answer["code"] == "not_allowed"
    assert ask(subject, erase, admin).answer["code"] == "not_validated"
    assert ask(subject, ErasePapers("H2", "x"), LOOKER).answer["code"] == "no_such_hit"
    assert ask(subject, Undo("H1", "misdeal"), ANN).answer["ok"]
    assert ask(subject, erase, admin).answer["asked"]
    assert ask(subject, Confirm("main-1"), other).answer["code"] == "not_allowed"
    assert ask(subject, Confirm("main-1"), admin, other).answer["hit"] == "H1"
    assert ask(subject, erase, admin, other).answer["ok"]


def test_one_erases_papers_once_their_time_is_over() -> None:
    """A10, S8: by the act's own time and that of the newest entry with papers.

    Of a hit that the state has forgotten the server says when that was.
    """
    subject, admin = won(), Proof((Signed(8, ("admin",)),), 5, b"h" * 32)

    def asked(at: int, days: int | None = 30, hit: str = "H1", written: int = 0) -> bool:
        erase = ErasePapers(hit, "over", days, written)
        answer = subject.execute(erase, proof=admin, at=at * DAY_MS).answer
        assert answer["ok"], answer
        return bool(answer.get("asked"))

    def write(act: ActCommand, day: int) -> None:
        who = Signed(9, ("floor", "cage"))
        assert subject.execute(act, proof=Proof((who,), 5, b"h" * 32), at=day * DAY_MS).answer["ok"]

    write(Validate("H1", paper=b"v" * 32, on_paper=("dealer",)), 1)
    write(Pay("H1", document="4711", paper=b"p" * 32, seat=3, on_paper=("patron",)), 2)
    write(Pay("H1", document="4712", seat=2), 2)
    assert asked(31)
    assert not asked(32)
    assert asked(32, None)
    assert asked(31, written=1), "what the rules know themselves nobody else says"
    write(AddPapers("H1", "left out", paper=b"a" * 32, on_paper=("witness",)), 33)
    assert asked(62)
    assert not asked(63)
    del subject.engine.state.hits[1], subject.auditor.state.hits[1]
    assert asked(70)
    assert asked(70, written=41 * DAY_MS)
    assert not asked(70, written=40 * DAY_MS)
