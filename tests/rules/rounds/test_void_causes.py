"""Voids with a cause, and voids that let Trips Wagers be settled (P5)."""

from dataclasses import dataclass
from typing import Any, Final, get_args

import pytest
from msgspec.structs import replace

from controllers.messages import Malformed, VoidCause, decode_device
from jackpot.rules import events, registry
from jackpot.rules.acts.rounds import Reopen, VoidRound
from jackpot.rules.paytable import ANY, Game
from jackpot.rules.void_causes import CHAPTERS, sections
from tests.frames import Bet, Claim, Close, Settle, Void, Wager
from tests.rules.rounds.test_offers import HIGH, METER, TRIPS, Place, offer, rows

BEAT: Final = offer("beat", "beaten", rows(HIGH, 10_000, 500, 40, 25, 20))
BETS: Final = (Bet(5, "trips", 500), Bet(5, "beat", 500), Bet(5, "five-A", 100), Bet(2, "trips", 1_000))
# Seat 5's seven cards are a flush of spades; seat 2 has two pair.
BOARD: Final = ("2s", "7s", "9s", "Kd", "Kh")
HANDS: Final = (Claim(5, ("As", "Js")), Claim(2, ("7d", "9d")))


# As the seeds have them: for each chapter and cause the subsection, typed once more.
@dataclass(frozen=True)
class Named:
    cause: VoidCause
    game: Game
    paytables: tuple[str, ...]
    sections: str


@pytest.mark.parametrize(
    "named",
    [
        Named("cards-face-up", "four-card-poker", ("pa-641a-2011-aces-up-A",), "641a.13(a)"),
        Named("wrong-number-of-cards", "four-card-poker", (), "641a.13(c)"),
        Named("exposed-card", "let-it-ride", ("pa-643a-five-card-C",), "643a.13(d)"),
        Named("shoe-jam", "three-card-poker", ("pa-649a-2011-progressive-A",), "649a.13(f)"),
        Named("stub-count", "ultimate-texas-holdem", (), "653a.8(h), 653a.9(f), 653a.10(f)"),
        Named("stub-count", "criss-cross-poker", (), "674a.8(h), 674a.9(f), 674a.10(f)"),
        Named("cards-face-up", "let-it-ride", ("ma-lir-bonus", "ma-lir-progressive"), "MA 13(a)"),
        Named("wrong-number-of-cards", "let-it-ride", ("ma-lir-bonus",), "MA 13(c)"),
        Named("exposed-card", "let-it-ride", ("ma-lir-bonus",), ""),
        Named("shoe-jam", "let-it-ride", ("ma-lir-bonus",), "MA 13(e)"),
        Named("stub-count", "let-it-ride", ("ma-lir-bonus",), "MA 7(e)(2), MA 8(e)"),
        Named("shoe-jam", "let-it-ride", ("ma-lir-bonus", "pa-643a-five-card-C"), "643a.13(f), MA 13(e)"),
    ],
    ids=lambda named: f"{named.cause}-{named.game}-{len(named.paytables)}",
)
def test_each_cause_has_its_sections(named: Named) -> None:
    """P5: the irregularities of .13 of each chapter, and the stub that does not count to 52."""
    assert sections(named.cause, named.game, named.paytables) == named.sections
    assert set(CHAPTERS) == set(get_args(Game)) - {ANY}
    assert sections(named.cause, ANY, ("mystery",)) == ""
    assert sections(named.cause, named.game, (*named.paytables, "mystery")) == named.sections


def test_a_cause_is_journalled_of_tables_and_of_people() -> None:
    """P5: one of the named irregularities, or none; what a shuffler's jam voids is nothing (.13(e))."""
    place = Place(METER)
    for number, cause in enumerate((*get_args(VoidCause), None)):
        place.send(Wager(f"r{number}", (Bet(1, "five-A", 100),), True))
        assert place.send(Void(f"r{number}", "tests", cause))["refunds"][0]["amount"] == 100
        assert last_void(place).cause == (cause or "")
    place.send(Wager("r9", (Bet(1, "five-A", 100),), True))
    place.act(VoidRound("T1", "r9", "tests", cause="stub-count"), ("ann",))
    assert (last_void(place).cause, last_void(place).people.names) == ("stub-count", ("ann",))
    jam = decode_device(b"\x85\xa1t\xa4void\xa3seq\x01\xa5round\xa1r\xa6reason\xa1x\xa5cause\xacshuffler-jam")
    assert isinstance(jam, Malformed)
    assert jam.message.startswith("cause: ")


def test_a_void_lets_trips_wagers_be_settled() -> None:
    """P5: all others go back at once; the round stays locked, is settled by its cards, and closed as ever."""
    place = Place(TRIPS, BEAT, METER, game="ultimate-texas-holdem")
    before = place.subject.link("five-A").levels
    place.send(Wager("r1", BETS, True, {"five-A": 1}))
    back = place.send(Void("r1", "the dealer's ace fell over", "exposed-card", ("trips",)))["refunds"]
    assert [(one["seat"], one["link"], one["amount"]) for one in back] == [
        (5, "beat", 500), (5, "five-A", 100),
    ]  # fmt: skip
    assert place.state() == "locked"
    assert place.subject.link("five-A").levels[0].accounts == before[0].accounts
    assert place.house("beat") == (0, 0, 0)
    (award,) = place.send(Settle("r1", HANDS, BOARD))["awards"]
    assert (award["seat"], award["link"], award["amount"]) == (5, "trips", 3_500)
    assert "awards" not in place.send(Close("r1"))
    assert place.subject.engine.state.tables[0].rounds == 1
    assert place.house("trips") == (1_500, 4_000, -2_500)


def test_what_a_count_still_owed_is_void_with_the_wagers() -> None:
    """P5, T3: where the chips of a link did not agree, they went back with its wagers."""
    place = Place(TRIPS, replace(METER, count_chips=True), game="ultimate-texas-holdem")
    place.send(Wager("r1", (Bet(5, "trips", 500), Bet(5, "five-A", 100)), True, {"five-A": 2}))
    assert place.state() == "mismatch"
    place.send(Void("r1", "tests", "cards-face-up", ("trips",)))
    assert place.state() == "locked"
    place.send(Settle("r1", (HANDS[0],), BOARD, close=True))


def test_the_rest_may_be_void_too() -> None:
    """P5, T6: a round that goes on with Trips Wagers is void like any other, by whoever voids it."""
    place = Place(TRIPS, BEAT, game="ultimate-texas-holdem")
    place.send(Wager("r1", (Bet(5, "trips", 500), Bet(4, "beat", 500)), True))
    place.send(Void("r1", "tests", "exposed-card", ("trips",)))
    assert [one["link"] for one in place.send(Void("r1", "tests", "shoe-jam"))["refunds"]] == ["trips"]
    assert (place.house("trips"), place.house("beat")) == ((0, 0, 0), (0, 0, 0))


@pytest.mark.parametrize("cause", [None, "wrong-number-of-cards", "shoe-jam", "stub-count"])
def test_no_other_cause_lets_a_wager_be_settled(cause: VoidCause | None) -> None:
    """P5: 653a.13(c), (f) and a stub that does not count return all wagers; a void without cause does."""
    place = Place(TRIPS, BEAT, game="ultimate-texas-holdem")
    place.send(Wager("r1", (Bet(5, "trips", 500),), True))
    said = place.hear(Void("r1", "tests", cause, ("trips",))).answer
    assert said["code"] == "bad_message"
    assert said["message"] == (
        "settles: a void lets wagers be settled for cards-face-up or exposed-card alone; leave it out, and "
        "every wager goes back"
    )


def test_no_other_wager_is_settled_in_a_void() -> None:
    """P5: another wager of the table, Let It Ride, an open round and one that was settled are refused."""
    place = Place(TRIPS, BEAT, METER, game="ultimate-texas-holdem")
    place.send(Wager("r1", (Bet(5, "trips", 500), Bet(5, "beat", 500))))

    def refused(*settles: str) -> str:
        return str(place.refused(Void("r1", "tests", "exposed-card", settles))[0])

    assert (refused("beat"), refused("trips", "five-A")) == ("bad_message", "bad_message")
    assert refused("trips") == "not_locked"
    place.send(Wager("r1", (Bet(4, "trips", 500),), True))
    assert refused("trips", "nothing") == "unknown_link"
    place.send(Settle("r1", (Claim(5, ("As", "Js")),), BOARD, ("2d", "3d")))
    assert refused("trips") == "already_settled"
    place.send(Close("r1"))
    place.act(Reopen("T1", "r1", "tests"))
    assert place.refused(Void("r1", "tests", "exposed-card"))[0] == "two_people"
    place.act(VoidRound("T1", "r1", "tests", undo_final=True, cause="exposed-card"))
    place.send(Wager("r2", (Bet(5, "beat", 500),), True))
    assert place.refused(Void("r2", "tests", "exposed-card", ("trips",)))[0] == "no_wager"
    other = Place(replace(TRIPS, hand_kind="five-flop"))
    other.send(Wager("r1", (Bet(5, "trips", 500),), True))
    assert other.refused(Void("r1", "tests", "exposed-card", ("trips",)))[0] == "bad_message"


def last_void(place: Place) -> Any:
    """The newest entry, which is a void."""
    entry = place.subject.entries[-1]
    event = registry.decode(entry.kind, entry.version, entry.body)
    assert isinstance(event, events.Voided)
    return event
