"""Is each winner of a hit paid alone, with a document and papers of their own (A10)?"""

from collections.abc import Mapping
from typing import Any

import pytest

from jackpot.rules.acts.fields import PaperField
from jackpot.rules.acts.hits import Pay, Undo, Validate
from tests.faults.worked.form import Link, Table
from tests.frames import Bet, Settle, Wager
from tests.rules.acts.test_requests import last
from tests.rules.subject import OfEngine
from tests.rules.test_engine import bank, royal, send, wager

# A royal flush of seat 3; its own award and, for seats 5 and 2, what it earned them.
OWN, ENVY = 1_000_063, 100_000


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


def refused(subject: OfEngine, command: Pay) -> tuple[str, str]:
    """The code, and the field that the message names."""
    answer = act(subject, command)
    return str(answer["code"]), str(answer["message"]).partition(":")[0]


def test_each_winner_is_paid_alone_with_a_form_of_their_own() -> None:
    """A5, A10: no payment covers two; only who comes to the site's sum needs the tax form. In any order."""
    subject = royal_of_three()
    assert refused(subject, Pay("H1", document="4711")) == ("several_winners", "seat")
    assert act(subject, Pay("H1", document="4712", tax_from=ENVY + 1, seat=5))["ok"]
    assert refused(subject, Pay("H1", document="4711", tax_from=ENVY + 1, seat=3)) == (
        "no_tax_form",
        "tax_form",
    )
    first = Pay("H1", document="4711", tax_form="W-2G", tax_from=ENVY + 1, seat=3)
    assert act(subject, first)["ok"]
    paid: Any = last(subject)
    assert (paid.awards, paid.document, paid.tax_form) == ([1], "4711", "W-2G")
    assert refused(subject, Pay("H1", document="4711")) == ("several_winners", "seat"), "one waits still"
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
    """A10, S8: the first that is missing is named; what was wanted and what was there is in the journal."""
    subject = royal_of_three()
    wanted: tuple[PaperField, ...] = ("witness", "patron")
    tried: list[tuple[tuple[PaperField, ...], str]] = [
        ((), "witness"),
        (("patron",), "witness"),
        (("witness", "dealer"), "patron"),
    ]
    for filled, missing in tried:
        command = Pay("H1", document="1", seat=3, needs=wanted, filled=filled)
        assert refused(subject, command) == ("no_paper", missing)
    assert act(subject, Pay("H1", document="1", seat=3, needs=wanted, filled=("patron", "witness")))["ok"]
    paid: Any = last(subject)
    assert (paid.needs, paid.filled) == (wanted, ("patron", "witness"))
