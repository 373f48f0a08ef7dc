"""Settlements that need all hands of a round in one, and the ends of rounds (T4, T5, T8, A6).

Where hands share an award, or players wagered on the dealer's hand, a round takes one settlement with hands.
So the first one that leaves out a seat is refused: what that seat has won would be lost with it.
"""

from typing import Any

import pytest

from jackpot.rules.acts.rounds import Strike
from jackpot.rules.commands import Command
from tests.faults.worked.form import Link, Message, Table
from tests.frames import Bet, Claim, Close, Settle, Void, Wager
from tests.rules.subject import OfEngine
from tests.said import refused_frame

TENTHS = {"simultaneous": "share", "primary": {"": "10"}}
BOARD = ("Js", "Ts")
WINS, LOSES, LOSES_TOO = ("As", "Ks", "Qs"), ("2h", "3c", "7d"), ("2c", "4d", "7h")
FLOP, DEALERS, OWN = ("Qs", "Js", "Ts"), ("As", "Ks"), ("9s", "8s")
Paid = list[tuple[int, int]]


class Frames:
    """One table, and what it sends."""

    def __init__(self, subject: OfEngine) -> None:
        self.subject = subject
        self.seq = 0

    def send(self, command: Command) -> Message:
        self.seq += 1
        return self.subject.execute(command, table="T1", table_seq=self.seq).answer

    def refused(self, command: Command, template: str, *values: Any) -> None:
        self.seq += 1
        outcome = self.subject.execute(command, table="T1", table_seq=self.seq)
        assert refused_frame(outcome) == ("bad_message", template, *values)

    def shown(self, command: Command) -> list[list[str] | None]:
        """The cards of each hit that signs are told of."""
        self.seq += 1
        outcome = self.subject.execute(command, table="T1", table_seq=self.seq)
        return [push.message.get("cards") for push in outcome.pushes if push.message["t"] == "hit"]

    def paid(self, command: Command) -> Paid:
        """What it pays of the meter, as seat and cents."""
        answer = self.send(command)
        assert answer["t"] == "ack", answer
        awards = answer.get("awards", ())
        return [(award["seat"], award["amount"]) for award in awards if award["kind"] == "meter"]


def shared(*seats: int) -> Frames:
    """A round of these seats on a link that shares, next to a link that pays by turn."""
    subject = OfEngine()
    subject.open(Link("L", "ma-PTMGL01", options=TENTHS))
    subject.open(Link("P", "pa-643a-three-card-A"))
    subject.add(Table("T1", links=("L", "P")))
    frames = Frames(subject)
    assert frames.paid(Wager("r1", (*(Bet(seat, "L", 100) for seat in seats), Bet(1, "P", 100)), True)) == []
    return frames


def dealer_floor(simultaneous: str = "order") -> Frames:
    """Seat 5 on its own hand and seat 2 on the dealer's, locked."""
    subject = OfEngine()
    subject.open(Link("L", "pa-653a-five-card-hand-bonus", options={"simultaneous": simultaneous}))
    subject.add(Table("T1", "ultimate-texas-holdem", 6))
    frames = Frames(subject)
    assert frames.paid(Wager("r1", (Bet(5, "L", 100), Bet(2, "L", 100, on="dealer")), lock=True)) == []
    return frames


ALL = (Claim(7, LOSES), Claim(3, WINS), Claim(1, LOSES_TOO))


def test_the_first_settlement_that_leaves_out_a_seat_is_refused() -> None:
    """T5 (WIRE: all hands in one): it names the seats, of every link, and the winner is then still paid."""
    frames = shared(7, 3)
    frames.refused(Settle("r1", ALL[:1], BOARD), "one_settle_lacks_seats", (3, 1))
    frames.refused(Settle("r1", ALL[:2], BOARD), "one_settle_lacks_seats", (1,))
    assert frames.paid(Settle("r1", ALL, BOARD)) == []
    assert frames.paid(Close("r1")) == [(3, 1_000_020)]


def test_a_seat_left_out_of_the_settlement_that_closes_has_lost() -> None:
    """T4, T8: no table waits for a hand that nobody can send, such as an abandoned seat's."""
    frames = shared(7, 3)
    assert frames.paid(Settle("r1", ALL[1:2], BOARD, close=True)) == [(3, 1_000_020)]


@pytest.mark.parametrize("end", [Close("r1"), Void("r1", "misdeal")], ids=["close", "void"])
@pytest.mark.parametrize("first", [None, Settle("r1", (), BOARD)], ids=["nothing", "the board alone"])
def test_a_round_ends_without_any_hand(first: Command | None, end: Command) -> None:
    """T8, T6: after a refused settlement, with or without cards shown, every way out is open."""
    frames = shared(7, 3)
    frames.refused(Settle("r1", ALL[:1], BOARD), "one_settle_lacks_seats", (3, 1))
    assert first is None or frames.paid(first) == []
    assert frames.paid(end) == []
    assert frames.paid(Wager("r2", (Bet(7, "L", 100),))) == []


def test_a_hand_without_a_wager_may_be_left_out_or_sent() -> None:
    """A5: it can earn others an envy bonus; nothing says whether it was shown."""
    frames = shared(7, 3)
    hands = (ALL[0], Claim(5, ("Ah", "Kh", "Qh")), *ALL[1:])
    assert frames.paid(Settle("r1", hands, BOARD)) == []
    frames.refused(Settle("r1", (Claim(2, ("5c", "6c", "8c")),)), "one_settle_was_taken")


def test_hands_missed_in_a_closed_round_come_as_they_are_found() -> None:
    """T10: a reopened round names no missing seat."""
    frames = shared(7, 3)
    frames.send(Close("r1"))
    assert frames.subject.act("reopen", people=2, table="T1", round="r1")["ok"]
    assert frames.paid(Settle("r1", ALL[1:2], BOARD)) == []
    assert frames.paid(Close("r1")) == [(3, 1_000_020)]


def test_a_settlement_without_hands_shows_cards_and_pays_nothing() -> None:
    """A6, T4: nobody's turn has come; the dealer's hand is paid at its own among the hands."""
    frames = dealer_floor()
    assert frames.paid(Settle("r1", (), FLOP)) == []
    assert frames.paid(Settle("r1", (), None, DEALERS)) == []
    assert frames.paid(Settle("r1", (Claim(5, OWN),))) == [(5, 100_002), (2, 900_024)]
    assert frames.paid(Close("r1")) == []


@pytest.mark.parametrize("simultaneous", ["order", "share"])
@pytest.mark.parametrize(
    ("close", "template"),
    [(Close("r1"), "dealer_wagers_unpaid"), (Settle("r1", (), close=True), "dealer_hand_missing")],
    ids=["close", "settle"],
)
def test_a_dealers_hand_shown_alone_is_paid_at_the_close(
    close: Command, template: str, simultaneous: str
) -> None:
    """WIRE `close`: that hand is shown first. A table whose players have all lost takes this way."""
    frames = dealer_floor(simultaneous)
    frames.refused(close, template)
    assert frames.paid(Settle("r1", (), FLOP, DEALERS)) == []
    assert frames.paid(close) == [(2, 1_000_026)]
    assert frames.send(close)["code"] == "no_such_round", "it has ended"


def test_a_hand_missed_before_the_dealers_is_paid_as_at_its_turn() -> None:
    """T10, A6: seat 5 comes before the dealer's hand, which the close has paid at the turn of seat 2."""
    frames = dealer_floor()
    frames.send(Settle("r1", (), FLOP, DEALERS))
    frames.send(Close("r1"))
    assert frames.subject.act("reopen", people=2, table="T1", round="r1")["ok"]
    assert frames.paid(Settle("r1", (Claim(5, OWN),))) == [(5, 100_002)]


def test_a_dealers_hand_is_shown_whole_with_the_board_that_it_needs() -> None:
    """A6, H2: so the close that pays it can always rank it; and one that is known is not struck (T8)."""
    frames = dealer_floor()
    frames.refused(Settle("r1", (), None, DEALERS), "board_too_short", "L")
    frames.refused(Settle("r1", (), FLOP, DEALERS[:1]), "dealer_count_wrong", 2, 1)
    assert frames.paid(Settle("r1", (), FLOP, DEALERS)) == []
    strike = Strike("T1", "r1", 2, "L", "slip", "dealer")
    assert frames.subject.execute(strike, people=("Ada", "Grace")).answer["code"] == "dealer_shown"


def test_signs_are_told_the_cards_of_a_hit() -> None:
    """S7: those that made the hand, of the seat or of the dealer; none of a hand that was claimed by name."""
    settled, named = shared(7, 3), shared(7, 3)
    assert settled.shown(Settle("r1", ALL, BOARD, close=True)) == [["As", "Ks", "Qs", "Js", "Ts"]]
    royal = Claim(3, hand="royal-flush", suit="s", link="L")
    assert named.shown(Settle("r1", (ALL[0], royal, ALL[2]), ("4h", "8h"), close=True)) == [None]
    dealers = dealer_floor()
    dealers.shown(Settle("r1", (), FLOP, DEALERS))
    assert dealers.shown(Settle("r1", (Claim(5, OWN),))) == [
        ["Qs", "Js", "Ts", "9s", "8s"],
        ["As", "Ks", "Qs", "Js", "Ts"],
    ]
