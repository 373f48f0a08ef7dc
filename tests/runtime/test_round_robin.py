"""The round robin serves everybody within the interval, and never all at one moment."""

from collections import Counter

from jackpot.runtime.round_robin import RoundRobin

SECONDS = 4.0
TICKS_A_SECOND = 10
MANY = set(range(1_000))


def made(count: int) -> RoundRobin[int]:
    turns: RoundRobin[int] = RoundRobin(SECONDS, 0.0)
    for number in range(count):
        turns.add(number)
    return turns


def test_each_has_one_turn_in_the_time() -> None:
    """Costs that must not grow: 1,000 have 25 turns a tick of a tenth of a second, and never more at once."""
    turns, found = made(1_000), Counter[int]()
    for tick in range(1, 10 * TICKS_A_SECOND * 4 + 1):
        due = turns.due(MANY, tick / TICKS_A_SECOND)
        assert len(due) <= 26
        found.update(due)
    assert found.keys() == MANY
    assert set(found.values()) <= {9, 10, 11}


def test_one_alone_has_no_more_turns_than_one_of_many() -> None:
    """WIRE: a meter that does not move is shown every few seconds, not at every look."""
    turns = made(1)
    found = [len(turns.due({0}, tick / TICKS_A_SECOND)) for tick in range(1, 401)]
    assert 9 <= sum(found) <= 10


def test_after_a_pause_everybody_has_a_turn_at_once() -> None:
    """WIRE: a process that stood still owes everybody what it did not say, and says it once."""
    assert made(1_000).due(MANY, 60.0) == MANY


def test_one_that_is_gone_has_no_turn_and_takes_none() -> None:
    """Of 1,000 that came before one, 999 go: it is not later for them."""
    turns = made(1_000)
    seen = [turns.due({999}, tick / TICKS_A_SECOND) for tick in range(1, 41)]
    assert {999} in seen
    assert turns.due(set(), 60.0) == set()
