"""Payment of missed hands of a shared row, independent of how many messages they come in (T10, T5)."""

from itertools import count

import pytest

from jackpot.rules import commands
from tests.faults.worked.form import Link, Message, Table
from tests.frames import Bet, Claim, Close, Settle, Wager
from tests.rules.subject import OfEngine
from tests.rules.test_engine import send

SEATS = (7, 5, 3)
TWO = ("Ada", "Grace")
PACKED = {
    "in one": ((5, 3),),
    "in two": ((5,), (3,)),
    "the other way round": ((5,), (), (3,)),
}


class SharedFloor:
    """One table on a link that shares, and another table that plays on."""

    def __init__(self) -> None:
        self.subject = OfEngine()
        options = {"primary": {"": "50.33"}, "simultaneous": "share", "hold_table": False}
        self.subject.open(Link("L", "ma-PTMGL01", options=options))
        for name in ("T1", "T2"):
            self.subject.add(Table(name))
        self._seqs = {"T1": count(1), "T2": count(1)}

    def send(self, command: commands.Command, table: str = "T1") -> Message:
        answer: Message = send(self.subject, next(self._seqs[table]), command, table=table).answer
        assert answer["t"] == "ack", answer
        return answer

    def play(self, *first: int) -> None:
        """A round with these winners at its first close; then the other table plays, and two reopen it."""
        bets = tuple(Bet(seat, "L", 100) for seat in SEATS)
        self.send(Wager("r1", bets, lock=True))
        hands = tuple(Claim(seat, hand="straight-flush") for seat in first)
        self.send(Settle("r1", hands, close=True))
        self.send(Wager("x1", bets, lock=True), "T2")
        assert self.subject.act("reopen", people=2, table="T1", round="r1")["ok"]

    def late(self, *packed: tuple[int, ...]) -> dict[int, int]:
        """Missed hands in so many messages, then the close: what each seat won of the meter."""
        awards: list[Message] = []
        for seats in packed:
            hands = tuple(Claim(seat, hand="straight-flush") for seat in seats)
            awards += self.send(Settle("r1", hands)).get("awards", []) if hands else []
        assert [award for award in awards if award["kind"] == "meter"] == [], "only at the next close"
        awards = self.send(Close("r1")).get("awards", [])
        return {award["seat"]: award["amount"] for award in awards}


@pytest.mark.parametrize("packed", PACKED.values(), ids=PACKED)
@pytest.mark.parametrize("first", [(), (7,)], ids=["none before", "one before"])
def test_the_sum_does_not_depend_on_the_packaging(
    first: tuple[int, ...], packed: tuple[tuple[int, ...], ...]
) -> None:
    """T10: together at the next close, as of the first one, divided by all winners of the row."""
    floor = SharedFloor()
    floor.play(*first)
    tenth = 100_015 // (len(first) + 2)  # of 10,000.00 + 3 x 0.5033, without the other table's wagers
    assert floor.late(*packed) == {5: tenth, 3: tenth}


def test_the_first_winner_keeps_what_was_published_and_the_house_makes_it_up() -> None:
    """T10, A11: 1,000.15 stand, two thirds of it are won again; the meter gives a tenth in all."""
    floor = SharedFloor()
    floor.play(7)
    before = floor.subject.meters()["L", ""]
    floor.late((5,), (3,))
    after = floor.subject.meters()["L", ""]
    assert after["awards"] - before["awards"] == 2 * 33_338 * 10_000
    assert before["primary"] - after["primary"] == (3 * 33_338 - 100_015) * 10_000
    assert after["house"] - before["house"] == (100_015 - 33_338) * 10_000


def test_a_row_that_nobody_had_won_is_taken_at_the_first_close() -> None:
    """T10, A2: late hands take the whole meter as it was; the other table's wagers are the next one's."""
    floor = SharedFloor()
    floor.play()
    floor.send(Settle("r1", (Claim(7, hand="royal-flush"),)))
    answer = floor.send(Close("r1"))
    assert [award["amount"] for award in answer["awards"]] == [1_000_150]
    meter = floor.subject.meters()["L", ""]
    assert (meter["primary"], meter["cycle"]) == (10_000_000_000 + 9_900 + 3 * 503_300, 2)


def test_a_second_reopening_counts_those_of_the_first() -> None:
    """T10: its hands are divided by all winners of the row; what the first one published is not lowered."""
    floor = SharedFloor()
    floor.play()
    assert floor.late((7,)) == {7: 100_015}
    assert floor.subject.act("reopen", people=2, table="T1", round="r1")["ok"]
    assert floor.late((5,)) == {5: 50_007}
    assert floor.subject.act("reopen", people=2, table="T1", round="r1")["ok"]
    assert floor.late() == {}
