"""A round from its first wager to its end, in the order that the rules demand."""

from jackpot.rules import commands
from tests.faults.worked.form import Link, Table
from tests.frames import Bet, Claim, Close, Settle, Void, Wager
from tests.rules.subject import OfEngine
from tests.said import Heard, refused_frame

ROYAL = ("As", "Ks", "Qs")
QUEENS = ("Qd", "Qh", "Qc")
BOARD = ("Js", "Ts")
FLOP = ("Qd", "Jd", "Td", "7s", "4s")


class Floor:
    """One table, its numbers counted for it."""

    def __init__(self, *links: Link, table: Table | None = None) -> None:
        self.subject = OfEngine()
        for link in links or (Link("L", "pa-643a-five-card-A"),):
            self.subject.open(link)
        self.subject.add(table or Table("T1"))
        self.seq = 0

    def send(self, command: commands.Command) -> Heard:
        self.seq += 1
        return self.subject.execute(command, table="T1", table_seq=self.seq)

    def code(self, command: commands.Command) -> str:
        """The refusal's code; "" for an ack. A refusal that uses no number gives it back."""
        answer = self.send(command).answer
        if "expected" in answer:
            self.seq -= 1
        return str(answer.get("code", ""))


def bet(seat: int, link: str = "L", player: str | None = None) -> Bet:
    return Bet(seat, link, 100, player)


def test_the_fraction_below_a_cent_stays_on_the_meter() -> None:
    """M3, A2: an award is floored to the cent; what is below it begins the next meter."""
    floor = Floor(Link("L", "ma-lir-progressive", options={"seed": {"": "10000"}, "primary": {"": "12.34"}}))
    floor.send(Wager("r1", (bet(3),), lock=True))
    award = floor.send(Settle("r1", (Claim(3, ROYAL),), BOARD)).answer["awards"][0]
    assert award["amount"] == 1_000_012
    assert floor.subject.meters()["L", ""]["primary"] == 10_000_000_000 + 3_400


def test_a_table_plays_several_links_in_one_round() -> None:
    """L2: a three-card and a five-card progressive on one table; each has its own wager and meter."""
    floor = Floor(
        Link("L", "pa-643a-five-card-A"),
        Link("M", "pa-643a-three-card-A"),
        table=Table("T1", links=("L", "M")),
    )
    floor.send(Wager("r1", (bet(3), bet(3, "M"), bet(2, "M")), lock=True))
    awards = floor.send(Settle("r1", (Claim(3, ROYAL),), BOARD, close=True)).answer["awards"]
    assert [(award["link"], award["kind"], award["seat"]) for award in awards] == [
        ("L", "meter", 3),
        ("M", "meter", 3),
        ("M", "envy", 2),
    ]


def test_seats_are_settled_in_payout_order() -> None:
    """T4: seat numbers fall; a seat above the last one is out of turn, the last one again is settled."""
    floor = Floor()
    floor.send(Wager("r1", (bet(5), bet(3), bet(2)), lock=True))
    both = (Claim(2, ("2h", "5d", "9c")), Claim(3, ("3h", "6d", "8c")))
    refused = floor.send(Settle("r1", both, BOARD))
    assert refused_frame(refused) == ("out_of_order", "seat_out_of_order", 3, 2)
    assert floor.code(Settle("r1", both[1:], BOARD)) == ""
    assert floor.code(Settle("r1", both[1:], BOARD)) == "already_settled"
    assert floor.code(Settle("r1", (Claim(5, QUEENS),), BOARD)) == "out_of_order"
    assert floor.code(Settle("r1", both[:1], BOARD)) == ""


def test_a_void_returns_every_wager_unless_an_award_stands() -> None:
    """T6: refunds say where they go; an award is undone first, by a floorperson."""
    floor = Floor()
    floor.send(Wager("r1", (bet(5), bet(3)), lock=True))
    floor.send(Settle("r1", (Claim(5, QUEENS),), BOARD))
    refused = floor.send(Void("r1", "misdeal")).answer
    assert (refused["code"], refused["hits"]) == ("award_standing", ["H1"])
    assert floor.subject.act("undo", hit="H1")["ok"]
    refunds = floor.send(Void("r1", "misdeal")).answer["refunds"]
    assert [(refund["seat"], refund["amount"], refund["pays"]) for refund in refunds] == [
        (5, 100, "inventory"),
        (3, 100, "inventory"),
    ]
    assert floor.subject.meters()["L", ""]["primary"] == 10_000_000_000
    assert floor.code(Wager("r1", (bet(5),))) == "locked_out"


def test_boxes_of_one_player_are_neighbours() -> None:
    """T9: seats apart, too many boxes, or two players on one seat are refused, naming the field."""
    floor = Floor()
    for bets in (
        (bet(5, player="Ann"), bet(3, player="Ann")),
        (bet(5, player="Ann"), bet(4, player="Ann"), bet(3, player="Ann")),
    ):
        answer = floor.send(Wager("r1", bets)).answer
        assert answer["code"] == "bad_message"
        assert answer["message"].startswith("player")
    assert floor.code(Wager("r1", (bet(5, player="Ann"), bet(4, player="Ann")))) == ""


def test_a_closed_round_is_voided_only_after_it_is_reopened() -> None:
    """T10, T6: until the table's next lock, reopened by two and voided by two; the table alone never does."""
    floor = Floor()
    floor.send(Wager("r1", (bet(5),), lock=True))
    floor.send(Close("r1"))
    assert floor.code(Void("r1", "misdeal")) == "no_such_round"
    assert floor.subject.act("reopen", people=2, table="T1", round="r1")["ok"]
    assert floor.code(Wager("r2", (bet(5),))) == "round_unfinished"
    assert floor.code(Void("r1", "misdeal")) == "two_people"
    alone = floor.subject.act("void_round", table="T1", round="r1")
    assert alone == {"ok": False, "code": "two_people"}
    assert floor.subject.act("void_round", people=2, table="T1", round="r1")["refunds"]
    floor.send(Wager("r2", (bet(5),), lock=True))
    floor.send(Close("r2"))
    floor.send(Wager("r3", (bet(5),), lock=True))
    assert not floor.subject.act("reopen", people=2, table="T1", round="r2")["ok"]


def test_an_id_used_again_is_another_round() -> None:
    """A10, T10: a hit belongs to the round that made it, not to a later one of the same name."""
    floor = Floor()
    floor.send(Wager("r1", (bet(7),), lock=True))
    floor.send(Settle("r1", (Claim(7, cards=QUEENS),), board=("Qs", "2h"), close=True))
    floor.send(Wager("r2", (bet(7),), lock=True))
    floor.send(Close("r2"))
    floor.send(Wager("r1", (bet(7),), lock=True))
    for act in ("validate", "pay"):
        assert floor.subject.act(act, hit="H1")["ok"]
    assert not floor.subject.engine.state.hits, "paid, and its round cannot be reopened"


def test_a_round_has_one_deck() -> None:
    """L1, H4: a card lies once in a round, with whichever seats, board or dealer, in whichever frames."""
    twice = {
        "two seats": Settle("r1", (Claim(5, ("Ah", "Kh")), Claim(3, ("Ah", "Kh"))), FLOP, ("2c", "3c")),
        "a seat and the board": Settle("r1", (Claim(5, ("Qd", "Kh")),), FLOP, ("2c", "3c")),
        "a seat and the dealer": Settle("r1", (Claim(5, ("2c", "Kh")),), FLOP, ("2c", "3c")),
        "the board and the dealer": Settle("r1", (Claim(5, ("Ah", "Kh")),), FLOP, ("Qd", "3c")),
        "the dealer's own": Settle("r1", (), FLOP, ("2c", "2c"), close=True),
    }
    for what, settle in twice.items():
        floor = Floor(table=Table("T1", "ultimate-texas-holdem", 6))
        floor.send(Wager("r1", (bet(5), bet(3)), lock=True))
        assert floor.code(settle) == "impossible_cards", what
    floor = Floor(table=Table("T1", "ultimate-texas-holdem", 6))
    floor.send(Wager("r1", (bet(5), bet(3)), lock=True))
    assert floor.code(Settle("r1", (Claim(5, ("Ah", "Kh")),), FLOP, ("2c", "3c"))) == ""
    for cards in (("Ah", "Kd"), ("2c", "Kd")):
        assert floor.code(Settle("r1", (Claim(3, cards),))) == "impossible_cards", "of an earlier frame"
