"""How often are connections looked at that say nothing?"""

from collections import Counter
from collections.abc import Callable

from jackpot.server.turns import Turns

HEARTBEAT_S = 5.0
TICKS_A_SECOND = 10
MANY = set(range(1_000))


def looks(turns: Turns[int], ticks: int, before: Callable[[], None] = lambda: None) -> Counter[int]:
    """How often each of many is looked at in so many ticks."""
    found: Counter[int] = Counter()
    for tick in range(1, ticks + 1):
        before()
        found.update(turns.due(MANY, tick / TICKS_A_SECOND))
    return found


def made() -> Turns[int]:
    turns: Turns[int] = Turns(HEARTBEAT_S, 0.0)
    for number in sorted(MANY):
        turns.came(number)
    return turns


def test_a_silent_connection_is_looked_at_twice_a_second() -> None:
    """Costs that must not grow: with the heartbeat of 5 s each has a look in half a second, and no more."""
    found = looks(made(), 10 * TICKS_A_SECOND)
    assert found.keys() == MANY
    assert set(found.values()) <= {19, 20, 21}


def test_after_a_pause_everybody_is_looked_at_at_once() -> None:
    """WIRE, faults: a process that stood still cuts all who were silent, and nobody's turn comes later."""
    assert made().due(MANY, 60.0) == MANY


def test_one_that_is_held_back_goes_on_in_time() -> None:
    """WIRE, faults: a device above its limits is looked at with every tick, while it stays above them."""
    turns = made()
    found = looks(turns, TICKS_A_SECOND, lambda: turns.hold_back(7))
    assert found[7] == TICKS_A_SECOND
    assert sum(found.values()) <= 2.1 * len(MANY) + TICKS_A_SECOND


def test_one_that_is_gone_has_no_turn() -> None:
    """A connection that ended is forgotten, held back or not."""
    turns = made()
    turns.came(-1)
    turns.hold_back(-1)
    assert -1 not in looks(turns, 2 * TICKS_A_SECOND)
    assert -1 not in turns.due(MANY | {-1}, 60.0)
