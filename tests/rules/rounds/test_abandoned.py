"""Seats whose players left the table: a floorperson confirms it before the round closes (P6)."""

from typing import Any, Final

from msgspec.structs import replace

from controllers.messages import On
from jackpot.catalogue import ids, load
from jackpot.rules.acts.rounds import DecideAbandoned, Reopen, Strike, VoidRound
from jackpot.rules.outgoing_messages import greeting
from jackpot.rules.paytable import MASSACHUSETTS, LinkTerms
from tests.frames import Bet, Claim, Close, Lock, Settle, Void, Wager
from tests.reports.test_offers import CROSS
from tests.rules import floor
from tests.rules.rounds import test_mystery
from tests.rules.rounds.test_offers import METER, PAIR_PLUS, TRIPS, Place
from tests.rules.subject import OfEngine
from tests.rules.test_two_people import ON_DEALER, dealer_floor

ENVY: Final = floor.TERMS["three-A"]
ROYAL: Final = ("As", "Ks", "Qs")
BOARD: Final = ("2h", "3d")
NOTHING: Final = ("2c", "4d", "9h")


def left(seat: int, **more: Any) -> Claim:
    return Claim(seat, abandoned=True, **more)


def answer(place: Place, seat: int, *, abandoned: bool = True, round_: str = "r1") -> dict[str, Any]:
    return place.act(DecideAbandoned("T1", round_, seat, abandoned, "tests"), ("ann",))


def three(*seats: int) -> tuple[Bet, ...]:
    return tuple(Bet(seat, ENVY.link, 100) for seat in seats)


def test_a_paytable_says_whose_rules_it_is_by() -> None:
    """P6: the id of each paytable of Massachusetts, and of no other, begins so."""
    of = {name: load(name).jurisdiction for name in ids()}
    assert {name for name in of if name.startswith(MASSACHUSETTS)} == {
        name for name, where in of.items() if where == "Massachusetts"
    }
    terms: LinkTerms = replace(METER, paytable="ma-PTMGL01")
    assert (terms.of_massachusetts, METER.of_massachusetts) == (True, False)


def test_no_round_closes_before_a_floorperson_has_answered() -> None:
    """P6: the close says what to do; the table is told the answer, and what waits when it connects."""
    place = Place(METER)
    place.send(Wager("r1", (Bet(5, "five-A", 100), Bet(2, "five-A", 100)), True))
    assert "awards" not in place.send(Settle("r1", (left(5),)))
    told = greeting(place.subject.engine.state, place.subject.engine.state.tables[0]).round
    assert told is not None
    assert [(one.seat, one.confirmed) for one in told.abandoned] == [(5, False)]  # type: ignore[union-attr]
    for frame in (Close("r1"), Settle("r1", (Claim(2, NOTHING),), BOARD, close=True)):
        refused = place.hear(frame).answer
        assert refused["code"] == "bad_message"
        assert refused["message"].startswith(
            "abandoned: a floorperson first answers for seat 5 on the table's"
        )
    pushed = place.subject.execute(
        DecideAbandoned("T1", "r1", 5, True, "the player went home"), people=("ann",)
    ).pushes
    assert [push.message["abandoned"] for push in pushed] == [[{"seat": 5, "confirmed": True}]]
    place.send(Settle("r1", (Claim(2, NOTHING),), BOARD, close=True))


def test_its_wagers_lose_and_its_cards_count_for_others() -> None:
    """P6: a mini-royal wins its seat nothing, and earns the others their envy; envy to it is lost, too."""
    place = Place(ENVY)
    place.send(Wager("r1", three(6, 5, 2), True))
    place.send(Settle("r1", (left(5),)))
    answer(place, 5)
    awards = place.send(Settle("r1", (Claim(5, ROYAL, abandoned=True), Claim(2, ("Ah", "Kh", "Qh")))))[
        "awards"
    ]
    assert {(one["seat"], one["kind"], one["because"]) for one in awards} == {
        (6, "envy", 5), (2, "envy", 5), (2, "odds", None), (6, "envy", 2),
    }  # fmt: skip
    place.send(Close("r1"))


def test_what_would_be_won_waits_for_the_answer() -> None:
    """P6, A5: a hand that earns a seat envy is not settled while nobody has said whether it was abandoned."""
    place = Place(ENVY)
    place.send(Wager("r1", three(5, 2), True))
    place.send(Settle("r1", (left(5),)))
    hand = Settle("r1", (Claim(2, ROYAL),))
    refused = place.hear(hand).answer
    assert (refused["code"], refused["message"].partition(":")[0]) == ("bad_message", "abandoned")
    place.send(Settle("r1", (Claim(5, NOTHING),)))  # the player is back: the hand is settled at its turn
    answer(place, 5, abandoned=False)
    kinds = [(one["seat"], one["kind"]) for one in place.send(hand)["awards"]]
    assert kinds == [(2, "meter"), (5, "envy")]
    place.send(Close("r1"))


def test_a_seat_that_was_not_abandoned_is_settled_as_ever() -> None:
    """P6: the answer no takes the question back; nothing waits any more."""
    place = Place(ENVY)
    place.send(Wager("r1", three(5, 2), True))
    place.send(Settle("r1", (left(5), left(2))))
    answer(place, 5, abandoned=False)
    answer(place, 2)
    assert place.send(Settle("r1", (Claim(5, ROYAL),)))["awards"][0]["kind"] == "meter"
    place.send(Close("r1"))


def test_offers_of_an_abandoned_seat_lose_unseen() -> None:
    """P6, B13, B16: no card that nobody showed holds up a round for a wager that has lost."""
    place = Place(TRIPS, game="ultimate-texas-holdem")
    place.send(Wager("r1", (Bet(5, "trips", 500),), True))
    place.send(Settle("r1", (left(5),)))
    answer(place, 5)
    assert "awards" not in place.send(Close("r1"))
    assert place.house("trips") == (500, 0, 500)
    cross = Place(CROSS, game="criss-cross-poker")
    cross.send(Wager("r1", (Bet(5, "cross", 500), Bet(2, "cross", 500)), True))
    cross.send(Settle("r1", (left(5),)))
    answer(cross, 5)
    board = ("9h", "9d", "2c", "4s", "Kd")
    awards = cross.send(Settle("r1", (), board, close=True))["awards"]
    assert [one["seat"] for one in awards] == [2]


def test_no_wager_of_an_abandoned_seat_is_struck_for_unseen_cards() -> None:
    """P6, T8, B16: it has lost. Struck by two people it would be given back to a player who has left."""
    dealer, frame = dealer_floor()
    frame(ON_DEALER)
    frame(Settle("r1", (left(2),)))
    offers = Place(TRIPS, game="ultimate-texas-holdem")
    offers.send(Wager("r1", (Bet(2, "trips", 500), Bet(5, "trips", 500)), True))
    offers.send(Settle("r1", (left(2),)))
    unseen: list[tuple[OfEngine, str, On]] = [(dealer, "L", "dealer"), (offers.subject, "trips", "own")]
    for subject, link, on in unseen:
        assert subject.execute(DecideAbandoned("T1", "r1", 2, True, "gone"), people=("ann",)).answer["ok"]
        refused = subject.execute(Strike("T1", "r1", 2, link, "no cards", on), people=("ann", "bo")).answer
        assert (refused["code"], refused["template"]) == ("not_mismatch", "abandoned_has_lost")


def test_a_count_that_agreed_stays_once_a_player_has_left() -> None:
    """P6, T3: else a dealer who counts wrong, and one floorperson, give a lost wager back."""
    place = Place(ENVY)
    place.send(Wager("r1", (Bet(2, "three-A", 100), Bet(5, "three-A", 100)), True, {"three-A": 2}))
    place.send(Settle("r1", (left(2),)))
    again = Lock("r1", {"three-A": 1})
    assert place.refused(again) == ("chip_mismatch", "count_stays_when_abandoned", (2,))
    place.act(DecideAbandoned("T1", "r1", 2, True, "gone"), ("ann",))
    assert place.refused(again)[:2] == ("chip_mismatch", "count_stays_when_abandoned")
    strike = Strike("T1", "r1", 2, "three-A", "slip")
    assert place.subject.execute(strike, people=("ann",)).answer["code"] == "not_mismatch"
    place.send(Lock("r1", {"three-A": 2}))
    assert place.state() == "locked"


def test_what_may_not_be_abandoned() -> None:
    """P6: none by Massachusetts, without a wager, once settled, with a name, or with cards too early."""
    ma = replace(METER, link="ma", paytable="ma-PTMGL01")
    place = Place(METER, PAIR_PLUS, ma)
    place.send(Wager("r1", (Bet(5, "five-A", 100), Bet(4, "ma", 100), Bet(3, "five-A", 100))))

    def refused(*hands: Claim) -> tuple[Any, ...]:
        return place.refused(Settle("r1", hands, BOARD))[:2]

    assert refused(left(5))[0] == "not_locked"
    place.send(Wager("r1", (Bet(2, "five-A", 100),), True))
    assert refused(left(4)) == ("bad_message", "abandoned_not_of_link")
    assert refused(left(6)) == ("no_wager", "abandoned_without_wager")
    assert refused(left(9))[0] == "unknown_seat"
    for hand in (left(5, folded=True), left(5, hand="pair"), left(5, link="five-A")):
        assert refused(hand)[0] == "bad_message"
    assert refused(left(5, cards=NOTHING)) == ("bad_message", "abandoned_unconfirmed")
    assert refused(left(5), Claim(5, NOTHING))[0] == "bad_message"
    place.send(Settle("r1", (Claim(5, NOTHING),), BOARD))
    assert refused(left(5))[0] == "already_settled"
    no = place.subject.execute(DecideAbandoned("T1", "r1", 3, True, "x"), people=("ann",)).answer
    assert no["code"] == "no_such_round"
    place.send(Close("r1"))
    place.act(Reopen("T1", "r1", "tests"))
    assert refused(left(3)) == ("bad_message", "abandoned_too_late")


def test_a_void_returns_it_all_the_same() -> None:
    """P6, T6: whoever left has the wager back where the round is void."""
    place = Place(ENVY)
    place.send(Wager("r1", three(5), True))
    place.send(Settle("r1", (left(5),)))
    assert len(place.send(Void("r1", "tests"))["refunds"]) == 1
    place.send(Wager("r2", three(5), True))
    place.send(Settle("r2", (left(5),)))
    answer(place, 5, round_="r2")
    assert len(place.act(VoidRound("T1", "r2", "tests"), ("ann",))["refunds"]) == 1


def test_a_mystery_wager_counts_all_the_same() -> None:
    """P6, Y3: no hand decides it; the close draws for it, and it lifts the meter."""
    place = test_mystery.Place(test_mystery.mystery(), METER, game="let-it-ride")
    bets = (Bet(5, "M", 500), Bet(5, "five-A", 100))
    place.send(Wager("r1", bets, True, {"M": 1}))
    place.send(Settle("r1", (left(5),)))
    place.act(DecideAbandoned("T1", "r1", 5, True, "tests"), ("ann",))
    assert place.close("r1", 9_999_999) == []
    assert (place.level().wagers, place.meter()) == (1, 10_500_000)
