"""Timer wheel: a connection is visited at its deadline, and no sooner."""

from collections import Counter
from math import inf

from hypothesis import given, settings
from hypothesis import strategies as st

from jackpot.net.timer_wheel import SLOT_S, TimerWheel


@settings(max_examples=60)
@given(st.lists(st.floats(0, 100), min_size=1, max_size=50), st.lists(st.floats(0.01, 10), max_size=60))
def test_each_is_due_once_and_in_time(whens: list[float], steps: list[float]) -> None:
    """Costs that must not grow: nobody looks at a connection before its deadline; after it, within a slot."""
    timer_wheel: TimerWheel[int] = TimerWheel()
    for number, when in enumerate(whens):
        timer_wheel.wait(number, when)
    now, seen = 0.0, Counter[int]()
    for step in [*steps, 200.0]:
        now += step
        due = timer_wheel.due(now)
        seen.update(due)
        assert all(whens[number] <= now for number in due)
        late = {number for number, when in enumerate(whens) if when <= now - SLOT_S}
        assert late <= seen.keys()
    assert seen == Counter(range(len(whens)))


def test_one_that_waits_twice_is_looked_at_once_when_the_first_is_due() -> None:
    """WIRE, faults: a ping may be due before the hello was; what was waited for before is forgotten then."""
    for whens in ((5.0, 1.0), (1.0, 5.0), (1.0, 1.0)):
        timer_wheel: TimerWheel[str] = TimerWheel()
        for when in whens:
            timer_wheel.wait("T01", when)
        assert [timer_wheel.due(now) for now in (0.5, 2.0, 6.0, 9.0)] == [set(), {"T01"}, set(), set()]
        timer_wheel.wait("T01", inf)
        assert timer_wheel.due(1e9) == set()


def test_one_that_is_held_back_is_looked_at_next_time() -> None:
    """WIRE, faults: a device above its limits goes on in time, and waits for its deadline all the same."""
    timer_wheel: TimerWheel[str] = TimerWheel()
    timer_wheel.wait("T01", 5.0)
    timer_wheel.poll_next_tick("T01")
    assert [timer_wheel.due(now) for now in (0.1, 0.2, 6.0)] == [{"T01"}, set(), {"T01"}]
