"""Each watcher gets values at its pace; whole snapshots are spread over time."""

from collections.abc import Callable
from itertools import pairwise

import pytest

from controllers.answers import LinkFacts, Meters
from controllers.frames import LENGTH_BYTES, decode
from jackpot.clock import SystemClock
from jackpot.publish.board import BoardLink, MeterBoard
from jackpot.publish.broadcaster import SHOWN_AT_ONCE, SNAPSHOT_INTERVAL_S

TICK_S = 0.1
MANY = 500


class HandClock(SystemClock):
    """A clock that only the test advances."""

    now = 1_000.0

    def monotonic(self) -> float:
        return self.now


class Always:
    """Trust in a bank that may be shown while it is `held`."""

    held = True

    def leased(self, now: float) -> bool:
        return self.held

    def trusted(self, now: float) -> bool:
        return True


class Eye:
    """A watcher. seen: what it was sent and when, by level. reads: whether it accepts more."""

    kind = "table"

    def __init__(self, clock: HandClock) -> None:
        self.reads = True
        self.seen: list[tuple[float, dict[str, int]]] = []
        self._clock = clock

    def tell(self, frame: bytes) -> None:
        length = int.from_bytes(frame[:LENGTH_BYTES], "big")
        values = decode(frame[LENGTH_BYTES : LENGTH_BYTES + length])["values"]
        self.seen.append((self._clock.now, {level: cents for _, level, cents in values}))

    def show(self, frame: bytes) -> bool:
        if self.reads:
            self.tell(frame)
        return self.reads

    def break_off(self) -> None:
        raise AssertionError


class Hall:
    """Many watchers of one link of two levels, and the time."""

    def __init__(self, *, signs: bool, many: int = MANY) -> None:
        self.clock = HandClock()
        self.standing = Always()
        self.board = MeterBoard("main", self.clock, self.standing)
        facts = LinkFacts("five", 100, "test-five", ("major", "minor"), "active")
        self.board.links["five"] = BoardLink(facts, {"major": 100, "minor": 200}, "")
        self.broadcaster = self.board.broadcaster
        self.eyes = [Eye(self.clock) for _ in range(many)]
        for number, eye in enumerate(self.eyes):
            self.broadcaster.watch(eye, frozenset({"five"}), None if signs else f"T{number}")
        self.busiest = 0
        self.soon: list[Callable[[], None]] = []

    def shown(self) -> int:
        """Number of frames that all were sent so far."""
        return sum(len(eye.seen) for eye in self.eyes)

    def let_others_wait(self) -> None:
        """Moves values; from now on the test runs the scheduled callbacks."""
        self.run(2)
        self.broadcaster.soon = self.soon.append
        self.move(1_000)
        self.run(TICK_S)

    def run(self, seconds: float, each_tick: Callable[[int], None] = lambda _tick: None) -> None:
        for tick in range(round(seconds / TICK_S)):
            self.clock.now += TICK_S
            each_tick(tick)
            before = self.shown()
            self.broadcaster.tick(self.clock.now)
            self.busiest = max(self.busiest, self.shown() - before)

    def lose(self) -> None:
        """Loses the lease: another server may hold the bank."""
        self.standing.held = False

    def move(self, cents: int) -> None:
        self.board.rev += 1
        self.board.links["five"].levels["major"] = cents
        self.broadcaster.moved("five", "major")


@pytest.mark.parametrize("signs", [False, True])
def test_who_waits_has_the_whole_in_turn(*, signs: bool) -> None:
    """WIRE: the whole at least every 5 s though nothing moved, and no moment in which all are told."""
    hall = Hall(signs=signs)
    hall.run(60)
    for eye in hall.eyes:
        times = [at for at, _ in eye.seen]
        gaps = [after - before for before, after in zip(times, [*times[1:], hall.clock.now], strict=True)]
        assert max(gaps) <= 5
        assert len(times) <= 60 / SNAPSHOT_INTERVAL_S + 2
        assert all(values == {"major": 100, "minor": 200} for _, values in eye.seen)
    assert hall.busiest <= MANY * 2 * TICK_S / SNAPSHOT_INTERVAL_S


@pytest.mark.parametrize(("signs", "pace"), [(False, 2), (True, 10)])
def test_what_moves_is_seen_by_all_at_their_pace(*, signs: bool, pace: int) -> None:
    """WIRE: a table has at most 2 frames a second after the first, a sign 10; each ends with what is true."""
    hall = Hall(signs=signs, many=50)
    hall.run(2)
    hall.run(20, lambda tick: hall.move(1_000 + tick))
    hall.run(1)
    for eye in hall.eyes:
        times = [at for at, _ in eye.seen]
        assert all(
            sum(start <= at < start + 1 - TICK_S / 2 for at in times) <= pace + 1 for start in times
        ), times
        shown: dict[str, int] = {}
        for _, values in eye.seen:
            shown |= values
        assert shown == {"major": 1_199, "minor": 200}
        gaps = [after - before for before, after in pairwise(times)]
        assert max(gaps[-20:]) <= 5


def test_one_that_does_not_read_gets_the_whole_once_it_does() -> None:
    """WIRE: values are conflated for a slow reader; the newest is what it sees then."""
    hall = Hall(signs=True, many=3)
    slow = hall.eyes[0]
    slow.reads = False
    hall.run(3, lambda tick: hall.move(1_000 + tick))
    assert len(slow.seen) == 1
    slow.reads = True
    hall.run(1)
    assert slow.seen[1][1] == {"major": 1_029, "minor": 200}


def test_all_are_owed_the_whole_after_doubt() -> None:
    """S5: sent values may be stale, so everybody gets a whole snapshot at once."""
    hall = Hall(signs=True)
    hall.run(1)
    hall.broadcaster.owe_all()
    hall.run(2 * TICK_S)
    assert all(eye.seen[-1][0] > hall.clock.now - 3 * TICK_S for eye in hall.eyes)


def test_a_table_that_left_is_told_nothing_more() -> None:
    """T11: who ends their watch is forgotten; a table that came back meanwhile hears what is meant for it."""
    hall = Hall(signs=False, many=1)
    (before,) = hall.eyes
    leave = hall.broadcaster.watch(before, frozenset({"five"}), "T0")
    after = Eye(hall.clock)
    leave_again = hall.broadcaster.watch(after, frozenset({"five"}), "T0")
    leave()
    news = Meters("main", 1, 0, (("five", "major", 1),))
    told = len(before.seen), len(after.seen)
    hall.broadcaster.tell_table("T0", news)
    assert (len(before.seen), len(after.seen)) == (told[0], told[1] + 1)
    leave_again()
    hall.broadcaster.tell_table("T0", news)
    assert (len(before.seen), len(after.seen)) == (told[0], told[1] + 1)
    assert not hall.broadcaster.groups


@pytest.mark.parametrize("signs", [False, True])
def test_a_wager_waits_for_some_of_the_watchers_alone(*, signs: bool) -> None:
    """Design 3: all see a value at the same pace, and others have their turn between some and the next."""
    hall = Hall(signs=signs)
    hall.let_others_wait()
    steps = 1
    while hall.soon:
        (step,), shown = hall.soon, hall.shown()
        hall.soon.clear()
        # A commit meanwhile shows no more of them, and asks for nothing twice.
        hall.broadcaster.tick(hall.clock.now)
        assert (hall.shown(), hall.soon) == (shown, [])
        step()
        assert 0 < hall.shown() - shown <= SHOWN_AT_ONCE
        steps += 1
    saw = sum(eye.seen[-1][1]["major"] == 1_000 for eye in hall.eyes)
    assert steps == -(-saw // SHOWN_AT_ONCE)
    assert saw > MANY / 2  # the others had the whole a moment ago, and have it again when they may
    hall.broadcaster.soon = lambda call: call()
    hall.run(1)
    assert all(eye.seen[-1][1]["major"] == 1_000 for eye in hall.eyes)


def test_a_push_comes_after_the_values_that_were_due() -> None:
    """WIRE: the hit of a later commit is not followed by the meters of an earlier one."""
    hall = Hall(signs=True)
    hall.let_others_wait()
    hall.broadcaster.tell("five", Meters("main", 2, 0, (("five", "major", 5),)))
    assert all([values["major"] for _, values in eye.seen[-2:]] == [1_000, 5] for eye in hall.eyes)
    (step,) = hall.soon
    shown = hall.shown()
    step()
    assert hall.shown() == shown


@pytest.mark.parametrize("ends", [lambda hall: hall.broadcaster.owe_all(), lambda hall: hall.lose()])
def test_nothing_old_is_shown_once_it_may_not_be_true(ends: Callable[[Hall], None]) -> None:
    """S5: after doubt, or without the lease, what was due is dropped, and all are owed the whole."""
    hall = Hall(signs=True)
    hall.let_others_wait()
    shown = hall.shown()
    ends(hall)
    for step in hall.soon:
        step()
    assert hall.shown() == shown
    hall.standing.held = True
    hall.broadcaster.soon = lambda call: call()
    hall.run(2 * TICK_S)
    assert all(eye.seen[-1][1] == {"major": 1_000, "minor": 200} for eye in hall.eyes)
