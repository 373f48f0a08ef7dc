"""Claims: whose hand it is, which cards make it, and which links a name counts for (H2, H4, A5)."""

from typing import Any

import pytest
from msgspec.structs import replace

from jackpot.rules import commands
from jackpot.rules.acts.links import OpenLink
from jackpot.rules.paytable import EnvyRow, ForOne, LinkTerms, PaytableRow, Percent, ToOne
from tests import frames
from tests.faults.worked.form import Link, Table
from tests.frames import Bet, Claim, Close, Settle, Wager
from tests.rules.floor import DOLLAR, level, link
from tests.rules.subject import OfEngine

UTH = "ultimate-texas-holdem"
FIVE = Link("five", "pa-643a-five-card-A")
BONUS = Link("bonus", "pa-643a-five-card-hand-bonus")
OLD = {"seed": {"": "10000"}, "reseed": {"": "10000"}, "primary": {"": "15"}}
SEVEN = Link("seven", "pa-653a-2011-progressive", options=OLD)
FLOP = Link("flop", "pa-653a-five-card-hand-bonus")
Paid = list[tuple[str, int, str, int]]


class Floor:
    """One table with a round of the wagers given, locked."""

    def __init__(self, table: Table, *links: Link | LinkTerms, bets: tuple[Bet, ...]) -> None:
        self.subject = OfEngine()
        for one in links:
            if isinstance(one, Link):
                self.subject.open(one)
            else:
                self.subject.execute(OpenLink(one))
        self.subject.add(table)
        self.seq = 0
        assert self.send(Wager("r1", bets, lock=True))["t"] == "ack"

    def send(self, command: commands.Command) -> dict[str, Any]:
        self.seq += 1
        return self.subject.execute(command, table="T1", table_seq=self.seq).answer

    def paid(self, command: commands.Command) -> Paid:
        """What a settlement pays: link, seat, kind, cents."""
        answer = self.send(command)
        assert answer["t"] == "ack", answer
        return [(a["link"], a["seat"], a["kind"], a["amount"]) for a in answer.get("awards", ())]

    def refused(self, command: commands.Command, code: str, field: str) -> None:
        answer = self.send(command)
        assert (answer.get("code"), answer.get("message", "").split(":")[0]) == (code, field)


def two_links() -> Floor:
    bets = (Bet(7, "bonus", 100), Bet(1, "five", 100))
    return Floor(Table("T1", links=("five", "bonus")), FIVE, BONUS, bets=bets)


def holdem(*bets: Bet) -> Floor:
    return Floor(Table("T1", UTH, 6, ("seven", "flop")), SEVEN, FLOP, bets=bets)


def test_a_hand_bonus_under_653a_is_made_of_two_cards_and_the_flop() -> None:
    """H2, A6: the player's and the dealer's; turn and river make nothing, and need not be sent."""
    bets = (Bet(5, "flop", 100), Bet(2, "flop", 100, on="dealer"))
    flop = Settle("r1", (Claim(5, ("9s", "8s")),), ("Qs", "Js", "Ts"), ("2s", "3s"), close=True)
    assert holdem(*bets).paid(flop) == [("flop", 5, "meter", 100_002), ("flop", 2, "odds", 5_000)]
    river = Settle("r1", (Claim(5, ("As", "Ks")),), ("Qs", "Js", "2d", "Ts", "9s"), ("8s", "7s"), close=True)
    assert holdem(*bets).paid(river) == []


def test_a_name_says_its_link_where_other_cards_make_the_hand() -> None:
    """H4: a royal of two and the flop is not the royal of the best five of seven."""
    bets = (Bet(5, "flop", 100), Bet(5, "seven", 100))
    floor = holdem(*bets)
    floor.refused(Settle("r1", (Claim(5, hand="royal-flush"),)), "bad_message", "link")
    told = floor.paid(Settle("r1", (Claim(5, hand="royal-flush", link="seven"),), close=True))
    assert told == [("seven", 5, "meter", 1_000_015)]
    assert holdem(*bets).paid(Settle("r1", (Claim(5, hand="royal-flush", link="flop"),), close=True)) == [
        ("flop", 5, "meter", 1_000_013)
    ]


def test_a_name_alone_is_for_the_cards_of_the_seats_own_wagers() -> None:
    """H4, A5: the wager on the flop is named; nobody on the best five of seven is owed envy by that."""
    bets = (Bet(5, "flop", 100), Bet(2, "seven", 100))
    floor = holdem(*bets)
    told = floor.paid(Settle("r1", (Claim(5, hand="royal-flush"),), close=True))
    assert told == [("flop", 5, "meter", 1_000_013)]
    holdem(*bets).refused(Settle("r1", (Claim(4, hand="royal-flush"),)), "bad_message", "link")


def test_a_named_hand_earns_envy_on_a_link_that_only_others_wagered_on() -> None:
    """A5: the holder of the royal need not have placed that wager; with the link named, or the same cards."""
    envy, meter = ("five", 1, "envy", 100_000), ("bonus", 7, "meter", 1_000_013)
    named = Claim(7, hand="royal-flush", link="five")
    assert two_links().paid(Settle("r1", (named,), close=True)) == [envy]
    assert two_links().paid(Settle("r1", (Claim(7, hand="royal-flush"),), close=True)) == [envy, meter]
    both = (named, Claim(7, hand="royal-flush", link="bonus"))
    assert two_links().paid(Settle("r1", both, close=True)) == [envy, meter]


def test_a_named_link_that_nobody_wagered_on_is_refused() -> None:
    """H4: `no_wager` where the name could count for nobody."""
    floor = Floor(Table("T1", links=("five", "bonus")), FIVE, BONUS, bets=(Bet(7, "bonus", 100),))
    floor.refused(Settle("r1", (Claim(7, hand="royal-flush", link="five"),)), "no_wager", "link")
    floor.refused(Settle("r1", (Claim(7, hand="royal-flush", link="six"),)), "unknown_link", "link")


@pytest.mark.parametrize("first", [None, "Q"], ids=["a name for all", "a name for a link"])
@pytest.mark.parametrize(("suit", "other"), [(None, "straight"), ("s", "mini-royal")], ids=["name", "suit"])
def test_the_same_cards_have_one_name(first: str | None, suit: Any, other: Any) -> None:
    """H2, H4: two links whose hands the same three cards make; what a seat names them is one hand."""
    links = (Link("P", "pa-643a-three-card-A"), Link("Q", "pa-643a-three-card-B"))
    floor = Floor(Table("T1", links=("P", "Q")), *links, bets=(Bet(7, "P", 100), Bet(7, "Q", 100)))
    one = Claim(7, hand="mini-royal" if suit else "straight-flush", suit=suit, link="P")
    two = Claim(7, hand=other, suit="h" if suit else None, link=first)
    floor.refused(Settle("r1", (two, one)), "hand_mismatch", "hand")
    same = replace(one, link="Q")
    assert floor.paid(Settle("r1", (one, same), close=True)) != []


ROYAL = ("As", "Ks", "Qs")
BOARD = ("Js", "Ts")
NOTHING = ("2h", "5d", "9c")


def boxes(*bets: tuple[int, str | None], game: str = "let-it-ride") -> Floor:
    placed = tuple(Bet(seat, "five", 100, player) for seat, player in bets)
    return Floor(Table("T1", game, 6, ("five",)), FIVE, bets=placed)


def test_a_hand_says_whose_a_box_without_a_wager_is() -> None:
    """A5: no envy for a player's own royal in a second box; the player next to it is paid."""
    floor = boxes((4, "p9"), (2, "p2"))
    royal = Settle("r1", (Claim(5, ROYAL, player="p9"),), BOARD, close=True)
    assert floor.paid(royal) == [("five", 2, "envy", 100_000)]
    floor = boxes((4, "p9"), (2, "p2"))
    unsaid = Settle("r1", (Claim(5, ROYAL),), BOARD, close=True)
    assert floor.paid(unsaid) == [("five", 4, "envy", 100_000), ("five", 2, "envy", 100_000)]


@pytest.mark.parametrize(
    ("claims", "game"),
    [
        ((Claim(4, NOTHING, player="p2"),), "let-it-ride"),  # its wager is p9's
        ((Claim(1, NOTHING, player="p2"),), "let-it-ride"),  # its wager is of a player without a name
        ((Claim(6, NOTHING, player="p9"),), "let-it-ride"),  # not a neighbour
        ((Claim(5, NOTHING, player="p9"), Claim(3, ("3h", "6d", "8c"), player="p9")), "let-it-ride"),
        ((Claim(3, hand="pair", player="p"), Claim(3, hand="pair", link="five", player="q")), "let-it-ride"),
        ((Claim(5, ("2h", "5d"), player="p9"),), UTH),  # one position a player
    ],
)
def test_a_hand_contradicts_no_wager_and_no_neighbour(claims: tuple[Claim, ...], game: str) -> None:
    """A5, T9: refused as `bad_message` naming `player`."""
    floor = boxes((4, "p9"), (1, None), game=game)
    floor.refused(Settle("r1", claims, BOARD if game != UTH else ("Js", "Ts", "3c")), "bad_message", "player")


def test_what_a_hand_said_of_its_box_holds_for_the_round() -> None:
    """A5, T9: in a later settlement too, and for a missed hand."""
    floor = boxes((4, "p9"), (1, None))
    assert floor.paid(Settle("r1", (Claim(5, NOTHING, player="p9"),), BOARD)) == []
    floor.refused(Settle("r1", (Claim(3, ("3h", "6d", "8c"), player="p9"),)), "bad_message", "player")
    floor.refused(Settle("r1", (Claim(5, NOTHING, player="p8"),)), "bad_message", "player")
    assert floor.send(Close("r1"))["t"] == "ack"


def made(name: str, *rows: PaytableRow, **more: Any) -> LinkTerms:
    """A link of a paytable that no regulation prints."""
    return link(name, "made", (level("meter", 1_000, 0, 100),), rows, **more)


def test_a_wager_on_the_dealers_hand_earns_no_envy() -> None:
    """A5, A6: only a player's own wager is paid for another player's hand."""
    terms = made(
        "x",
        PaytableRow("royal-flush", Percent("meter", 10_000)),
        envy=(EnvyRow("flush", 50 * DOLLAR),),
        electronic=True,
        dealer_hand=True,
    )
    bets = (Bet(5, "x", 100), Bet(4, "x", 100), Bet(3, "x", 100, on="dealer"))
    floor = Floor(Table("T1", UTH, 6, ("x",)), terms, bets=bets)
    flush = Settle("r1", (Claim(5, ("2s", "5s")),), ("9s", "Js", "Ks"), ("2d", "3d"), close=True)
    assert floor.paid(flush) == [("x", 4, "envy", 5_000)]


def test_to_one_odds_return_the_wager_and_for_one_odds_do_not() -> None:
    """A1, B4: 4 to 1 on $1 is $4 and the $1 besides, 4 for 1 is $4."""
    terms = made(
        "x",
        PaytableRow("royal-flush", Percent("meter", 10_000)),
        PaytableRow("flush", ToOne(4)),
        PaytableRow("straight", ForOne(4)),
    )
    floor = Floor(Table("T1", links=("x",)), terms, bets=(Bet(5, "x", 100), Bet(3, "x", 100)))
    hands = (Claim(5, ("2s", "5s", "7s")), Claim(3, ("Qs", "Kd", "Ah")))
    assert floor.paid(Settle("r1", hands, BOARD, close=True)) == [
        ("x", 5, "odds", 400),
        ("x", 3, "odds", 400),
    ]


WRONG = {
    "one player in two places": (Claim(6, NOTHING, player="Bob"), Claim(1, ROYAL, player="Bob")),
    "a seat of two players": (Claim(6, NOTHING, player="Bob"), Claim(6, NOTHING, link="five", player="Ann")),
    "two hands of a seat": (Claim(5, NOTHING), Claim(5, ROYAL, link="five")),
}


@pytest.mark.parametrize("hands", WRONG.values(), ids=WRONG)
@pytest.mark.parametrize("state", ["no round", "open", "miscounted"])
def test_what_is_wrong_in_a_settlement_alone_is_said_before_its_round_is_looked_at(
    state: str, hands: tuple[Claim, ...]
) -> None:
    """T9, WIRE: `bad_message` comes before `no_such_round`, `not_locked` and `chip_mismatch`."""
    floor = Floor(Table("T1", links=("five",)), FIVE, bets=(Bet(3, "five", 100),))
    floor.send(frames.Void("r1", "none"))
    if state != "no round":
        miscounted = state == "miscounted"
        bets = (Bet(3, "five", 100),)
        floor.send(Wager("r2", bets, lock=miscounted, chips={"five": 2} if miscounted else None))
    assert floor.send(Settle("r2", hands, BOARD))["code"] == "bad_message"


def test_a_wager_against_a_player_is_a_bad_message_in_a_reopened_round_too() -> None:
    """T9, WIRE: whose the seat is, is looked at before the round's state."""
    floor = boxes((4, "p9"), (1, None))
    floor.send(Close("r1"))
    assert floor.subject.act("reopen", people=2, table="T1", round="r1")["ok"]
    for player, code in (("p9", "locked_out"), ("p8", "bad_message")):
        assert floor.send(Wager("r1", (Bet(4, "five", 100, player),)))["code"] == code


def test_boxes_between_which_one_is_still_to_be_named_may_be_neighbours() -> None:
    """T9: a message alone does not say whose the box between two others is."""
    table = Table("T1", links=("five",), adjacent_boxes=3)
    floor = Floor(table, FIVE, bets=(Bet(4, "five", 100, "Bob"),))
    hands = (Claim(5, NOTHING, player="Bob"), Claim(3, ("3h", "6d", "8c"), player="Bob"))
    assert floor.paid(Settle("r1", hands, BOARD, close=True)) == []
