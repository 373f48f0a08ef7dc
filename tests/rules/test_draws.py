"""Magic Card and Lucky Bonus: the draws, what the journal keeps of them, and who is paid (A7)."""

from typing import Any

import pytest

from jackpot.rules import commands, registry
from jackpot.rules.acts.rounds import Reopen
from jackpot.rules.cards import parse
from jackpot.rules.commands import RawDraws
from jackpot.rules.state import DrawMade
from tests.faults.worked.form import Link, Table
from tests.frames import Bet, Claim, Close, Settle, Wager
from tests.rules.subject import PEOPLE, OfEngine
from tests.said import Heard

EVERY = {"magic_every": 10, "lucky_every": 10}
LOST = 7
BOARD = ("9s", "Kd")
NOTHING = ("2h", "5c", "8d")


class Drawn:
    """A $5 Five Card Hand Bonus of 643a and its table; one round is locked with the draw given."""

    def __init__(self, draw: RawDraws, seats: tuple[int, ...] = (5, 3, 2), **options: Any) -> None:
        self.subject = OfEngine()
        self.subject.open(Link("L", "pa-643a-five-card-hand-bonus", "5.00", options or EVERY))
        self.subject.add(Table("T1"))
        self.seq = 0
        bets = tuple(Bet(seat, "L", 500) for seat in seats)
        self.locked = self.send(Wager("r1", bets, lock=True), draws={"L": draw})

    def send(self, command: commands.Command, **fields: Any) -> Heard:
        self.seq += 1
        return self.subject.execute(command, table="T1", table_seq=self.seq, **fields)

    def prizes(self, command: commands.Command) -> list[tuple[int, str, int]]:
        """The draws that a settlement paid: seat, what, cents."""
        answer = self.send(command).answer
        assert answer["t"] == "ack", answer
        awards = [award for award in answer.get("awards", ()) if award["kind"] == "draw"]
        return [(award["seat"], award["hand"], award["amount"]) for award in awards]

    def journalled(self) -> list[DrawMade]:
        entry = self.subject.entries[-1]
        event = registry.decode(entry.kind, entry.version, entry.body)
        locking = getattr(event, "locking", None)
        assert locking is not None
        return list(locking.draws)


def magic(card: str) -> RawDraws:
    return RawDraws(0, parse(card), LOST, 1)


def lucky(box: int) -> RawDraws:
    return RawDraws(LOST, 0, 0, box)


def test_a_magic_card_on_the_board_pays_every_seat_with_a_wager() -> None:
    """A7: magic Kd, board 9s Kd; seats with cards, with a name, with nothing sent get $100."""
    floor = Drawn(magic("Kd"))
    hands = (Claim(5, NOTHING), Claim(3, hand="pair"))
    assert floor.prizes(Settle("r1", hands, BOARD)) == [(5, "magic-card", 10_000), (3, "magic-card", 10_000)]
    assert floor.prizes(Close("r1")) == [(2, "magic-card", 10_000)]


def test_a_seat_settled_before_the_card_was_on_the_board_gets_it_at_the_close() -> None:
    """A7: by name, before any community card was sent."""
    floor = Drawn(magic("Kd"), (5, 3))
    assert floor.prizes(Settle("r1", (Claim(5, hand="pair"),))) == []
    assert floor.prizes(Settle("r1", (Claim(3, NOTHING),), BOARD, close=True)) == [
        (3, "magic-card", 10_000),
        (5, "magic-card", 10_000),
    ]


def test_a_magic_card_of_ones_own_is_paid_only_where_it_was_sent() -> None:
    """A7: rank and suit among the seat's three; nobody else, and nobody without a wager, gets it."""
    floor = Drawn(magic("8d"), (5, 3))
    hands = (Claim(5, NOTHING), Claim(4, ("2c", "3c", "4d")), Claim(3, hand="pair"))
    assert floor.prizes(Settle("r1", hands, BOARD, close=True)) == [(5, "magic-card", 10_000)]
    floor = Drawn(magic("8h"), (5, 3))
    assert floor.prizes(Settle("r1", (Claim(5, NOTHING),), BOARD, close=True)) == []


def test_a_draw_is_paid_once_a_seat_however_often_its_round_ends() -> None:
    """A7, T10: not again at the close, nor when the round was reopened; a missed hand's own card is."""
    floor = Drawn(RawDraws(0, parse("Kd"), 0, 5), (5, 3))
    assert floor.prizes(Settle("r1", (Claim(5, NOTHING),), BOARD)) == [
        (5, "magic-card", 10_000),
        (5, "lucky-bonus", 2_500),
    ]
    assert floor.prizes(Close("r1")) == [(3, "magic-card", 10_000)]
    floor.subject.execute(Reopen("T1", "r1", "missed"), people=PEOPLE)
    assert floor.prizes(Settle("r1", (Claim(3, ("2s", "5d", "8c")),), close=True)) == []
    floor = Drawn(magic("8c"), (5, 3))
    assert floor.prizes(Settle("r1", (Claim(5, NOTHING),), BOARD, close=True)) == []
    floor.subject.execute(Reopen("T1", "r1", "missed"), people=PEOPLE)
    assert floor.prizes(Settle("r1", (Claim(3, ("2s", "5d", "8c")),), close=True)) == [
        (3, "magic-card", 10_000)
    ]


def test_a_lucky_box_left_out_is_paid_at_the_close_and_one_without_a_wager_never() -> None:
    """A7: 5 for 1 to the drawn box."""
    assert Drawn(lucky(2)).prizes(Settle("r1", (Claim(5, NOTHING),), BOARD, close=True)) == [
        (2, "lucky-bonus", 2_500)
    ]
    assert Drawn(lucky(4)).prizes(Close("r1")) == []


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (EVERY, DrawMade(1, LOST, 31, LOST - 1, 4)),
        ({"magic_every": 10}, DrawMade(1, LOST, 31, -1, -1)),
        ({"lucky_every": 10}, DrawMade(1, -1, -1, LOST - 1, 4)),
    ],
)
def test_a_lost_draw_is_journalled_with_its_raw_numbers(options: dict[str, Any], expected: DrawMade) -> None:
    """A7, S1: every number that the random source gave for a draw of the link is in the journal."""
    floor = Drawn(RawDraws(LOST, 31, LOST - 1, 4), **options)
    assert floor.journalled() == [expected]
    assert "draw" not in floor.locked.answer


def test_a_won_draw_is_journalled_with_its_raw_numbers() -> None:
    """A7: what was drawn can be decided again from the entry."""
    floor = Drawn(RawDraws(0, parse("Kd"), LOST, 4))
    assert floor.journalled() == [DrawMade(1, 0, parse("Kd"), LOST, 4)]
    assert floor.locked.answer["draw"] == {"L": {"magic_card": "Kd"}}


@pytest.mark.parametrize(
    "draw",
    [
        RawDraws(10, 0, 1, 1),
        RawDraws(-1, 0, 1, 1),
        RawDraws(1, 52, 1, 1),
        RawDraws(1, 0, 10, 1),
        RawDraws(1, 0, 1, 8),
    ],
)
def test_numbers_that_no_draw_gives_stop_the_link(draw: RawDraws) -> None:
    """A7: a random source out of its range is a broken invariant, never a prize."""
    floor = Drawn(draw)
    assert floor.locked.answer["code"] == "internal"
    assert floor.subject.engine.state.links[0].suspended == ["internal"]
