"""Refusals to people and devices: acting alone, twice, or with impossible sums and names."""

import pytest

from jackpot.rules import commands, views
from jackpot.rules.acts.hits import Correct, Pay, Undo, Validate
from jackpot.rules.acts.links import Suspend
from jackpot.rules.acts.rounds import Reopen
from jackpot.rules.acts.tables import OpenTable
from jackpot.rules.commands import TableHello
from jackpot.rules.engine import Engine
from jackpot.rules.money import to_cents
from jackpot.rules.paytable import TableTerms
from jackpot.rules.state import HITS_SHOWN
from tests import frames
from tests.faults.worked.form import Link, Table
from tests.frames import Bet, Claim, Close, Lock, Settle, Wager, malformed
from tests.rules.subject import OfEngine
from tests.rules.test_engine import BOARD, ROYAL, bank, royal, send, wager


def test_greetings_do_not_drive_acts_out_of_memory() -> None:
    """A10, S5: however often a table greets, an act asked again after a doubt is done once."""
    subject = bank()
    act = Suspend("cleaning", ("L",), "")
    subject.execute(act, digest=b"s" * 16, people=("Ada",))
    for acked in range(1, 300):
        subject.execute(TableHello(acked=acked), table="T1")
    assert subject.execute(act, digest=b"s" * 16, people=("Ada",)).entry is None


def test_a_poisoned_greeting_uses_no_number_of_its_table() -> None:
    """S4: an internal refusal of what has no number leaves the table's numbers alone."""
    subject = bank()
    send(subject, 1, malformed("t: unknown"))
    envelope = commands.Envelope(TableHello(), 0, 0, bytes(16), table="T1")
    subject.engine.execute_as_internal(envelope, "tests")
    assert send(subject, 2, malformed("t: unknown")).answer["code"] == "bad_message"


def test_an_act_that_breaks_an_invariant_stops_the_links_it_is_about() -> None:
    """S4: a hit's act stops that hit's link, not the bank."""
    subject = bank()
    subject.open(Link("M", "pa-643a-five-card-A"))
    send(subject, 1, wager())
    send(subject, 2, royal())
    envelope = commands.Envelope(Validate("H1"), 0, 0, b"v" * 16, people=("Ada",))
    subject.engine.execute_as_internal(envelope, "tests")
    assert [link.suspended for link in subject.engine.state.links] == [["internal"], []]


def test_sums_and_names_that_cannot_be_are_refused() -> None:
    """A10, M1: no correction leaves 64 bits, no name is too long to be a number."""
    subject = bank()
    send(subject, 1, wager())
    send(subject, 2, royal())
    both = ("Ada", "Grace")
    huge = subject.execute(Correct("A1", 2**53 - 1, "slip"), people=both).answer
    long = subject.execute(Validate("H" + "9" * 5000), people=both).answer
    assert (huge["code"], long["code"]) == ("bad_amount", "no_such_hit")


def test_a_table_names_a_link_once() -> None:
    """L2, H3: a link named twice would pay its wagers twice."""
    subject = OfEngine()
    subject.open(Link("L", "pa-643a-five-card-A"))
    terms = TableTerms("T1", "let-it-ride", 7, ("L", "L"))
    assert subject.execute(OpenTable(terms)).answer["code"] == "no_links"


@pytest.mark.parametrize("shown", ["seat", "board", "closed"])
def test_once_cards_were_shown_a_count_that_agreed_stays(shown: str) -> None:
    """T3: a second count does not take back a wager that has won or lost, in a reopened round neither."""
    subject = bank()
    send(subject, 1, Wager("r1", wager().bets, lock=True, chips={"L": 2} if shown == "seat" else None))
    hands = (Claim(3, ROYAL),) if shown == "seat" else ()
    send(subject, 2, frames.Close("r1") if shown == "closed" else Settle("r1", hands, BOARD))
    if shown == "closed":
        assert subject.act("reopen", people=2, table="T1", round="r1")["ok"]
    refused = send(subject, 3, Lock("r1", {"L": 1})).answer
    assert (refused["code"], refused["message"].partition(":")[0]) == ("chip_mismatch", "chips")
    assert subject.act("strike", table="T1", round="r1", seat=2, link="L")["code"] == "not_mismatch"
    assert send(subject, 4, Lock("r1", {"L": 2})).answer == {"t": "ack", "seq": 4}, "the same count again"
    assert send(subject, 5, frames.Close("r1")).answer["t"] == "ack"


def test_a_wager_for_the_last_closed_round_is_locked_out_after_a_void_too() -> None:
    """T1, T10: while a round can be reopened its name opens no other."""
    subject = bank()
    send(subject, 1, wager())
    send(subject, 2, Close("r1"))
    send(subject, 3, wager("r2", lock=False))
    send(subject, 4, frames.Void("r2", "misdeal"))
    assert send(subject, 5, wager("r1")).answer["code"] == "locked_out"


def test_an_envy_bonus_is_validated_with_its_hand() -> None:
    """A10: pending until the hand is validated, be it by its hit or by the hand's own award."""
    subject = bank()
    send(subject, 1, wager())
    send(subject, 2, royal())
    early = subject.execute(Validate("H1", "A2"), people=("Ada",)).answer
    assert early["code"] == "hand_pending"
    answer = subject.execute(Validate("H1", "A1"), people=("Ada",)).answer
    assert [award["status"] for award in answer["awards"]] == ["validated", "validated"]


def test_a_hits_status_is_told_when_all_of_it_that_stands_has_it() -> None:
    """A10, S7: signs learn that a hit is paid, also one whose envy bonus was undone."""
    subject = bank()
    send(subject, 1, wager())
    send(subject, 2, royal())
    subject.execute(Undo("H1", "left the table", "A2"), people=("Ada",))
    for act, status in ((Validate("H1"), "validated"), (Pay("H1", document="W-1"), "paid")):
        pushes = subject.execute(act, people=("Ada",)).pushes
        told = [push.message["status"] for push in pushes if push.signs_of == "L"]
        assert status in told


def test_signs_are_told_that_a_later_award_is_raised() -> None:
    """A11: its table and signs are told."""
    subject = bank()
    send(subject, 1, wager())
    send(subject, 2, royal())
    send(subject, 1, wager("x1"), table="T2")
    send(subject, 2, royal("x1"), table="T2")
    outcome = subject.execute(Undo("H1", "misread"), people=("Ada", "Grace"))
    raised = [push for push in outcome.pushes if push.message.get("status") == "raised"]
    assert {(push.table, push.signs_of) for push in raised} == {("T2", None), (None, "L")}


def test_showing_nothing_is_no_turn() -> None:
    """T10, T4: a missed hand's turn is before the next lower seat, not where a table sent no hands.

    S1: the meter fell when it was made, to what is recomputed.
    """
    subject = bank()
    send(subject, 1, wager(seats=(5, 3)))
    send(subject, 2, Settle("r1", (), BOARD))
    send(subject, 1, wager("x1"), table="T2")
    send(subject, 3, Settle("r1", (Claim(3, ("2h", "5d", "9c")),), close=True))
    subject.execute(Reopen("T1", "r1", "missed"), people=("Ada", "Grace"))
    award = send(subject, 4, Settle("r1", (Claim(5, ROYAL),), close=True)).answer["awards"][0]
    assert award["amount"] == 1_000_084
    mega = views.statistics(subject.engine)["links"][0]["levels"][0]
    (shown,) = mega["last_hits"]
    assert shown["after"] == mega["primary"] < shown["before"]


def test_the_last_hits_are_as_many_after_an_undo() -> None:
    """S1: the last 25 hits, undone ones left out, each with what stood there before it and after."""
    subject = OfEngine()
    subject.open(Link("L", "pa-643a-five-card-A", options={"hold_table": False}))
    subject.add(Table("T1"))
    for number in range(HITS_SHOWN + 2):
        send(subject, 2 * number + 1, Wager(f"r{number}", (Bet(3, "L", 100),), lock=True))
        send(subject, 2 * number + 2, royal(f"r{number}"))
        subject.act("validate", hit=f"H{number + 1}")
        if number <= HITS_SHOWN:
            subject.act("pay", hit=f"H{number + 1}")
    send(subject, 2 * HITS_SHOWN + 5, Wager("end", (Bet(3, "L", 100),), lock=True))
    for _ in range(2):
        (level,) = views.statistics(subject.engine)["links"][0]["levels"]
        assert len(level["last_hits"]) == HITS_SHOWN
        last = level["last_hits"][0]
        assert last["hit"] == f"H{level['hits']}"
        assert to_cents(last["before"]) == last["amount"]
        assert to_cents(last["after"]) == to_cents(level["reseed"])
        subject.act("undo", hit=f"H{HITS_SHOWN + 2}", people=2)
    assert Engine.from_snapshot(subject.engine.snapshot()).snapshot() == subject.engine.snapshot()


def test_a_seat_carries_its_player_for_all_its_wagers() -> None:
    """T9, A5: a player's second box earns their first no envy, whichever wager named the player."""
    subject = OfEngine()
    for name in ("L", "M"):
        subject.open(Link(name, "pa-643a-five-card-A"))
    subject.add(Table("T1", links=("L", "M")))
    bets = (Bet(3, "L", 100), Bet(3, "M", 100, "Ann"), Bet(2, "L", 100, "Ann"))
    send(subject, 1, Wager("r1", bets))
    send(subject, 2, frames.Withdraw("r1", (frames.Unbet(3, "M"),)))
    send(subject, 3, Lock("r1"))
    assert [award["kind"] for award in send(subject, 4, royal()).answer["awards"]] == ["meter"]


def test_a_player_keeps_his_second_box_when_he_takes_its_wager_back() -> None:
    """A5: the hand of a box whose wager was withdrawn is still its player's: no envy for their other box."""
    subject = OfEngine()
    subject.open(Link("L", "pa-643a-five-card-A"))
    subject.add(Table("T1"))
    send(subject, 1, Wager("r1", (Bet(3, "L", 100, "Ann"), Bet(2, "L", 100, "Ann"), Bet(1, "L", 100))))
    send(subject, 2, frames.Withdraw("r1", (frames.Unbet(3, "L"),)))
    send(subject, 3, Lock("r1"))
    awards = send(subject, 4, royal()).answer["awards"]
    assert [(award["seat"], award["kind"]) for award in awards] == [(1, "envy")]


def test_a_corrected_award_is_raised_like_any_other() -> None:
    """A10, A11: two people took a dollar off; undoing the hit before it adds all that this hit had taken."""
    subject = bank()
    send(subject, 1, wager())
    send(subject, 2, royal())
    send(subject, 1, wager("x1"), table="T2")
    send(subject, 2, royal("x1"), table="T2")
    people = ("Ada", "Grace")
    subject.execute(Correct("A3", 1_000_042 - 100, "misread"), people=people)
    assert subject.meters()["L", ""]["primary"] == 10_001_000_000
    subject.execute(Undo("H1", "misdealt"), people=people)
    raised = {award["award"]: award["amount"] for hit in subject.hits() for award in hit["awards"]}
    assert raised["A3"] == 1_000_084 - 100
    assert subject.meters()["L", ""]["primary"] == 10_001_000_000
    assert subject.meters()["L", ""]["awards"] == (1_000_084 - 100) * 10_000
