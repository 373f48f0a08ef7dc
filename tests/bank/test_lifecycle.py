"""The state table of a bank is complete, and keeps the rules of the lease under any input.

Without a database: the ledger is a head in memory, the servers' clocks are numbers, and hypothesis chooses
what happens next.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import product
from math import inf, nextafter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jackpot.bank.lifecycle import (
    AWAY,
    AWAY_S,
    BEAT_S,
    BLIND_S,
    DRAINING,
    GONE_S,
    HANDED_OVER_S,
    HELD,
    IN_DOUBT,
    LEASE_S,
    LOOK_S,
    NOT_FIRST_S,
    OPEN,
    SILENT_S,
    STARTED_TOGETHER_S,
    SURE,
    TAKEOVER_S,
    TRANSITIONS,
    BankCondition,
    BankLifecycle,
    HeadWatch,
    LifecycleAction,
    LifecycleInput,
    LifecycleState,
    next_state,
    takeover_delay,
)
from jackpot.ledger.journal import Head
from jackpot.rules.invariant import InvariantError
from jackpot.runtime.service import Service

US, THEM = "a host:1:abc", "b host:2:abc"


def head(holder: str, epoch: int = 1, seq: int = 0, beat: int = 1) -> Head:
    return Head("main", epoch, seq, bytes(32), holder, beat)


def lifecycle(*, shared: bool = True, others: bool = True) -> BankLifecycle:
    return BankLifecycle("main", US, 0.0, shared=shared, others=others)


def serving(now: float = 0.0, *, shared: bool = True, others: bool = True) -> BankLifecycle:
    """A bank that was taken at `now`, and serves."""
    found = lifecycle(shared=shared, others=others)
    found.take()
    found.taken(head(US), now, now)
    found.checked()
    assert found.agreed() == (LifecycleAction.ACCEPT_DEVICES,)
    return found


# The table itself

TAKEN = {LifecycleInput.TAKEN, LifecycleInput.TAKEN_LATE}
ACKNOWLEDGED = {LifecycleInput.ACKNOWLEDGED, LifecycleInput.ACKNOWLEDGED_LATE}
LATE = {LifecycleInput.TAKEN_LATE, LifecycleInput.ACKNOWLEDGED_LATE}


def test_the_table_knows_every_state_and_input() -> None:
    """DESIGN, beyond one machine: a bank's life is one literal table; nothing in it is unreachable."""
    assert TRANSITIONS.keys() == set(LifecycleState)
    assert {what for row in TRANSITIONS.values() for what in row} == set(LifecycleInput)
    reached = {LifecycleState.WATCHING}
    while more := {after for state in reached for after in TRANSITIONS[state].values()} - reached:
        reached |= more
    assert reached == set(LifecycleState)


@pytest.mark.parametrize("state", LifecycleState)
def test_every_input_in_every_state_keeps_the_rules(state: LifecycleState) -> None:
    """DESIGN, beyond one machine, and 4: what an input may do to a bank, whatever state it is in."""
    for what in LifecycleInput:
        keeps_the_rules(state, what)


def keeps_the_rules(state: LifecycleState, what: LifecycleInput) -> None:
    if what not in TRANSITIONS[state]:
        with pytest.raises(InvariantError, match="cannot happen to a bank that is"):
            next_state(state, what)
        return
    after = next_state(state, what)
    if state is LifecycleState.FAILED or what is LifecycleInput.FAILED:
        assert after is LifecycleState.FAILED, "what has stopped for good stays so"
        return
    assert after is not LifecycleState.FAILED
    if after in HELD - {state} and state not in HELD:
        assert (state, what) == (LifecycleState.CHECKING, LifecycleInput.CHECKED), (
            "held only once the epoch's books were checked"
        )
    if after is LifecycleState.CHECKING:
        assert (state, what in TAKEN) == (LifecycleState.TAKING, True), "checked only in an epoch of our own"
    if after in OPEN and state not in OPEN | AWAY:
        assert what is LifecycleInput.AGREED, (
            "no device is let in before configuration and journal agree (L9)"
        )
    if state in IN_DOUBT and after not in IN_DOUBT and after in HELD:
        assert what is LifecycleInput.REBUILT, "a doubt ends with a look at the ledger, and nothing else"
    if what is LifecycleInput.DOUBTED:
        assert after in IN_DOUBT
    if what in {LifecycleInput.FENCED, LifecycleInput.LOST}:
        assert after is LifecycleState.WATCHING, "a server that lost the bank decides nothing"
    if what in {LifecycleInput.SLOW, LifecycleInput.DOUBTED, LifecycleInput.LAPSED}:
        assert after not in SURE - {LifecycleState.OPENING}, "links are suspended"
    if state in AWAY and after in OPEN:
        assert what in {LifecycleInput.ACKNOWLEDGED, LifecycleInput.TAKEN}, (
            "devices come back only once the ledger has confirmed it"
        )
    if after is LifecycleState.RELEASING:
        assert (state in DRAINING, what) == (True, LifecycleInput.DRAINED), "first nothing more is taken in"
    if state in DRAINING and after in HELD:
        assert after in DRAINING, "a bank that is to be given up takes nothing in again"


CALLS: dict[LifecycleInput, Callable[[BankLifecycle, float], object]] = {
    LifecycleInput.SEEN: lambda one, now: one.seen(head(THEM), held=True, now=now, waits=0.0),
    LifecycleInput.FREE: lambda one, _now: one.take(),
    LifecycleInput.LOST: lambda one, _now: one.lost(),
    LifecycleInput.TAKEN: lambda one, now: one.taken(head(US), now, now),
    LifecycleInput.TAKEN_LATE: lambda one, now: one.taken(head(US), now - LEASE_S, now),
    LifecycleInput.CHECKED: lambda one, _now: one.checked(),
    LifecycleInput.AGREED: lambda one, _now: one.agreed(),
    LifecycleInput.ACKNOWLEDGED: lambda one, now: one.acknowledged(now, now),
    LifecycleInput.ACKNOWLEDGED_LATE: lambda one, now: one.acknowledged(now - LEASE_S, now),
    LifecycleInput.SLOW: lambda one, _now: one.slow(),
    LifecycleInput.DOUBTED: lambda one, _now: one.doubted(),
    LifecycleInput.REBUILT: lambda one, _now: one.rebuilt(),
    LifecycleInput.FENCED: lambda one, _now: one.fenced(),
    LifecycleInput.ENDING: lambda one, _now: one.ending(),
    LifecycleInput.DRAINED: lambda one, _now: one.drained(),
    LifecycleInput.RELEASED: lambda one, _now: one.released(),
    LifecycleInput.FAILED: lambda one, _now: one.fail("for this test"),
    LifecycleInput.LAPSED: lambda one, now: one.tick(now),
}

STEPS = st.lists(
    st.tuples(st.sampled_from([*CALLS]), st.sampled_from([0.0, 0.1, BEAT_S, 1.0, LEASE_S, AWAY_S, 3600.0])),
    max_size=40,
)


@settings(max_examples=500)
@given(STEPS, st.booleans(), st.booleans())
def test_whatever_comes_the_views_agree_with_the_state(
    steps: list[tuple[LifecycleInput, float]], shared: bool, others: bool
) -> None:
    """DESIGN, beyond one machine: what is asked about a bank has one answer, and a safe one.

    An input that cannot come raises and changes nothing.
    """
    one, now = lifecycle(shared=shared, others=others), 100.0
    confirmed, epoch_since_doubt = -inf, True
    for what, passed in steps:
        now += passed
        before = one.state
        try:
            said = CALLS[what](one, now) or ()
        except InvariantError:
            assert one.state is before
            assert what not in TRANSITIONS[before] or (
                what is LifecycleInput.REBUILT and not epoch_since_doubt
            )
        else:
            assert isinstance(said, tuple)
            if what in TAKEN | ACKNOWLEDGED:
                confirmed = now - (LEASE_S if what in LATE else 0.0)
            if what in TAKEN:
                epoch_since_doubt = True
            if what is LifecycleInput.DOUBTED and before is not LifecycleState.FAILED:
                epoch_since_doubt = False
            left = before in HELD and one.state not in HELD
            assert not left or {LifecycleAction.STOP, LifecycleAction.DISCONNECT} <= set(said), (
                "askers and devices are told"
            )
            came = before not in OPEN and one.state in OPEN
            assert came == (LifecycleAction.ACCEPT_DEVICES in said)
            assert before not in OPEN or one.state in OPEN or LifecycleAction.DISCONNECT in said
            if before in IN_DOUBT and one.state in SURE:
                assert epoch_since_doubt, "first a new epoch, only then a look (DESIGN 4)"
        agree(one, now)
        if shared and one.trusted(now):
            assert now - confirmed < LEASE_S, "nothing is promised 2 s after the last acknowledgement"


@pytest.mark.parametrize("state", LifecycleState)
def test_an_acknowledgement_does_what_the_table_says_in_every_state(state: LifecycleState) -> None:
    """DESIGN, lease: the short way of a bank that serves is the table's; the lease holds from `began`."""
    for shared, took in product((False, True), (0.0, BEAT_S, LEASE_S - 0.01, LEASE_S, 3600.0)):
        acknowledges(state, took, shared=shared)


def acknowledges(state: LifecycleState, took: float, *, shared: bool) -> None:
    one, began = lifecycle(shared=shared), 100.0
    one.state, one.beat_due = state, 50.0
    late = shared and took >= LEASE_S
    what = LifecycleInput.ACKNOWLEDGED_LATE if late else LifecycleInput.ACKNOWLEDGED
    if what not in TRANSITIONS[state]:
        with pytest.raises(InvariantError):
            one.acknowledged(began, began + took)
        assert (one.state, one.beat_due, one.leased(-inf)) == (state, 50.0, False)
        return
    said = one.acknowledged(began, began + took)
    assert one.state is TRANSITIONS[state][what]
    came = state in AWAY and one.state in OPEN
    assert said == ((LifecycleAction.ACCEPT_DEVICES,) if came else ())
    assert one.beat_due == began + BEAT_S
    left = began + LEASE_S if shared else inf
    held = state is not LifecycleState.FAILED
    assert one.leased(nextafter(left, -inf)) == held
    assert not one.leased(left)


def agree(one: BankLifecycle, now: float) -> None:
    """Asserts that all properties agree with the state."""
    told = one.look(7, now)
    assert not one.trusted(now) or one.leased(now)
    assert not one.trusted(now) or (one.stopped is None and not one.in_doubt)
    assert (
        (one.stopped is None)
        == (one.state in HELD)
        == (told.here in {BankCondition.HELD, BankCondition.UNCONFIRMED})
    )
    assert (told.here is BankCondition.STOPPED) == one.failed
    assert (told.here is BankCondition.HELD) == (one.state in HELD and one.leased(now))
    assert (one.service is Service.HERE) == (one.state in OPEN)
    assert not (one.elsewhere and one.busy)
    assert not one.draining or (one.stopped is None and not one.trusted(now))
    if one.elsewhere or one.failed or one.state in AWAY:
        assert one.service is Service.ELSEWHERE
    if one.state in HELD:
        assert (one.held_by, told.holder, told.seq) == (US, US, 7)
    else:
        assert one.held_by == (THEM if one.elsewhere else "")


# What a standby sees of a head


def test_a_lease_ends_before_anybody_takes_over() -> None:
    """DESIGN, lease: a holder suspends itself before another may take the bank, however slowly that looks."""
    assert 2 * BEAT_S + LOOK_S < SILENT_S < LEASE_S < TAKEOVER_S
    assert LEASE_S <= GONE_S
    assert LOOK_S < BLIND_S < GONE_S
    assert NOT_FIRST_S < HANDED_OVER_S
    assert LEASE_S + AWAY_S >= TAKEOVER_S


@dataclass
class Look:
    """A poll of a standby: its result, and the time since the poll before. moved: whether the head moved
    meanwhile.
    """

    after: float
    moved: bool
    held: bool


LOOKS = st.lists(
    st.builds(
        Look,
        after=st.sampled_from([0.01, LOOK_S, 0.6, BLIND_S, 1.5, LEASE_S, TAKEOVER_S, 60.0, 3600.0]),
        moved=st.booleans(),
        held=st.booleans(),
    ),
    max_size=40,
)


@given(LOOKS, st.sampled_from([0.0, NOT_FIRST_S, HANDED_OVER_S]))
def test_a_bank_with_a_living_holder_is_never_free(looks: list[Look], waits: float) -> None:
    """DESIGN, lease: nobody takes a bank whose head may have moved, as far as he saw, within the lease.

    held by a standing connection: within TAKEOVER_S. Of what was not looked at BLIND_S counts, no more.
    """
    now, beat = 1000.0, 1
    watch = HeadWatch(now)
    quiet = gone = 0.0
    for look in looks:
        now += look.after
        quiet += min(look.after, BLIND_S)
        gone += min(look.after, BLIND_S)
        if look.moved:
            beat += 1
            quiet = gone = 0.0
        if look.held:
            gone = 0.0
        if watch.free(head(THEM, beat=beat), held=look.held, now=now, waits=waits):
            assert quiet >= TAKEOVER_S + waits - 1e-9 or gone >= GONE_S + waits - 1e-9
            assert quiet >= LEASE_S - 1e-9
            assert not watch.alive
            return


@pytest.mark.parametrize("holder", ["a", ""])
@pytest.mark.parametrize("held", [False, True])
def test_slow_looks_find_a_dead_holder_too(*, holder: str, held: bool) -> None:
    """DESIGN, lease: a bank is not left to nobody where every look takes longer than BLIND_S."""
    watch, now = HeadWatch(0.0), 0.0
    while not watch.free(head(holder, beat=1), held=held, now=now, waits=NOT_FIRST_S):
        now += 1.5 * BLIND_S
        assert now < 3 * TAKEOVER_S


@given(st.floats(0, 10), st.booleans())
def test_a_bank_without_a_holder_is_free_at_once(waits: float, held: bool) -> None:
    """DESIGN, lease: what was given up is taken at once, but by a server that leaves it to another first."""
    watch = HeadWatch(0.0)
    now = 0.0
    while not watch.free(head("", beat=1), held=held, now=now, waits=waits):
        now += LOOK_S
    assert waits <= now < waits + LOOK_S + 1e-6


def test_a_holder_that_stops_beating_is_not_taken_for_alive() -> None:
    """WIRE, not_active: who comes while nobody is known to serve the bank is not sent to a dead server."""
    watch = HeadWatch(0.0)

    def alive() -> bool:
        return watch.alive

    assert not watch.free(head(THEM, beat=1), held=True, now=0.0)
    assert not alive()
    watch.free(head(THEM, beat=2), held=True, now=LOOK_S)
    assert alive()
    watch.free(head(THEM, beat=2), held=False, now=2 * LOOK_S)
    assert not alive()
    watch.free(head(THEM, beat=3), held=True, now=3 * LOOK_S)
    assert alive()
    watch.free(head(THEM, beat=3), held=True, now=3 * LOOK_S + SILENT_S / 2)
    assert alive()
    watch.free(head(THEM, beat=3), held=True, now=3 * LOOK_S + SILENT_S)
    assert not alive()


def test_a_standby_that_was_frozen_knows_of_nobody() -> None:
    """DESIGN, lease: what was seen before a freeze says nothing about now, neither alive nor dead."""
    watch = HeadWatch(0.0)
    for beat in (1, 2):
        watch.free(head(THEM, beat=beat), held=True, now=beat * LOOK_S)
    assert watch.alive
    assert not watch.free(head(THEM, beat=2), held=False, now=3600.0)
    assert not watch.alive


# Several servers and one head, without a database


@dataclass
class World:
    """One head, and servers whose clocks stand apart; a frozen one sees nothing until it wakes."""

    rates: tuple[float, ...]
    now: float = 0.0
    head: Head = field(default_factory=lambda: head("", epoch=0, beat=0))
    holds: list[BankLifecycle] = field(default_factory=list)
    epochs: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        for number in range(len(self.rates)):
            own = f"{'abc'[number]} host"
            self.holds.append(BankLifecycle("main", own, self.clock(number), shared=True, others=True))
            self.epochs.append(0)

    def clock(self, number: int) -> float:
        return self.now * self.rates[number] + 1000 * number

    def trusted(self) -> list[int]:
        return [number for number, one in enumerate(self.holds) if one.trusted(self.clock(number))]

    def look(self, number: int, held: bool) -> None:
        """A standby reads the head; it takes a free bank, unless the head has moved by then."""
        one = self.holds[number]
        if one.state is LifecycleState.WATCHING:
            now = self.clock(number)
            if LifecycleAction.TAKE in one.seen(self.head, held=held, now=now, waits=0.0):
                self._take(number)

    def _take(self, number: int) -> None:
        one, began = self.holds[number], self.clock(number)
        epoch = self.head.epoch + 1
        self.head = head(one.own, epoch, self.head.seq, self.head.beat + 1)
        self.epochs[number] = epoch
        one.taken(self.head, began, self.clock(number))
        if one.state is LifecycleState.CHECKING:
            one.checked()
            one.agreed()
        else:
            one.rebuilt()

    def commit(self, number: int, took: float, *, doubt: bool, beat: bool) -> None:
        """A holder commits or beats; the answer takes a while, or is lost after it was written."""
        one, began = self.holds[number], self.clock(number)
        if one.state not in HELD - IN_DOUBT:
            return
        if self.head.epoch != self.epochs[number]:
            self.pass_time(took)
            one.fenced()
            return
        self.head = head(one.own, self.head.epoch, self.head.seq + (not beat), self.head.beat + beat)
        self.pass_time(took)
        if one.state not in HELD - IN_DOUBT:
            return
        if doubt:
            one.doubted()
        else:
            one.acknowledged(began, self.clock(number))

    def recover(self, number: int) -> None:
        """After doubt: the new epoch first. It fails where another server has the bank by now."""
        one = self.holds[number]
        if one.state not in IN_DOUBT:
            return
        if self.head.epoch != self.epochs[number]:
            one.fenced()
            return
        self._take(number)

    def pass_time(self, seconds: float) -> None:
        """Advances the clocks in small steps, and checks the rule after each."""
        ends = self.now + seconds
        while self.now < ends:
            self.now = min(self.now + 0.05, ends)
            self.judge()

    def tick(self) -> None:
        for number, one in enumerate(self.holds):
            one.tick(self.clock(number))

    def judge(self) -> None:
        shown = self.trusted()
        assert len(shown) < 2, f"{shown} both show the bank at {self.now}"
        for number in shown:
            assert self.epochs[number] == self.head.epoch, "it shows a bank that another server has"


SERVERS = st.integers(0, 2)
TIMES = st.sampled_from([0.0, 0.05, LOOK_S, BEAT_S, BLIND_S, LEASE_S, GONE_S, TAKEOVER_S, 6.0])
MOVES = st.lists(
    st.one_of(
        st.tuples(st.just("look"), SERVERS, TIMES, st.booleans()),
        st.tuples(st.sampled_from(["commit", "beat", "doubt"]), SERVERS, TIMES, st.booleans()),
        st.tuples(st.sampled_from(["recover", "release", "tick"]), SERVERS, TIMES, st.booleans()),
    ),
    max_size=60,
)


@settings(max_examples=400, deadline=None)
@given(MOVES, st.tuples(*[st.sampled_from([0.99, 1.0, 1.01])] * 3))
def test_never_do_two_servers_show_a_bank(
    moves: list[tuple[str, int, float, bool]], rates: tuple[float, float, float]
) -> None:
    """DESIGN, beyond one machine: one active server a bank; a standby takes none that may still be shown.

    The clocks of any two machines differ by 2 % at most; none of their times is ever compared. A connection
    that is seen to be gone while its holder lives is the worst case, and is given here as often as not.
    """
    world = World(rates)
    for what, number, seconds, flag in moves:
        if what == "look":
            world.look(number, flag)
        elif what == "recover":
            world.recover(number)
        elif what == "release":
            if world.holds[number].state in HELD and world.head.epoch == world.epochs[number]:
                world.holds[number].ending()
                world.holds[number].drained()
                world.head = head("", world.head.epoch, world.head.seq, world.head.beat + 1)
                world.judge()
                world.holds[number].released()
        elif what == "tick":
            world.tick()
        else:
            world.commit(number, seconds, doubt=what == "doubt", beat=what == "beat")
        world.judge()
        world.pass_time(seconds)


# One rule each


def test_a_doubt_ends_with_a_new_epoch_and_then_a_look() -> None:
    """DESIGN 4: first a new epoch in an acknowledged commit, only then the head."""
    one = serving()
    one.doubted()
    assert (one.in_doubt, one.trusted(0.1), one.stopped) == (True, False, None)
    with pytest.raises(InvariantError, match="before a new epoch"):
        one.rebuilt()
    assert one.state is LifecycleState.DOUBT
    one.taken(head(US, 2), 1.0, 1.1)
    assert not one.trusted(1.2)
    one.rebuilt()
    assert one.trusted(1.2)
    assert not one.trusted(1.0 + LEASE_S), "the lease holds from when the epoch was asked for"
    one.doubted()
    with pytest.raises(InvariantError, match="before a new epoch"):
        one.rebuilt()


def test_a_doubt_in_opening_lets_no_device_in() -> None:
    """L9, DESIGN 4: devices wait for configuration and journal, and for the ledger, in whichever order."""
    one = lifecycle()
    one.take()
    one.taken(head(US), 0.0, 0.0)
    one.checked()
    one.doubted()
    assert (one.state, one.service) == (LifecycleState.OPENING_DOUBT, Service.SOON)
    assert one.agreed() == (LifecycleAction.ACCEPT_DEVICES,)
    assert (one.state, one.trusted(0.1)) == (LifecycleState.DOUBT, False)


def test_a_lapsed_holder_sends_its_devices_away_and_takes_them_back() -> None:
    """WIRE, not_active: once another server may have the bank; back when the ledger confirms it after all."""
    one = serving()
    assert one.tick(LEASE_S + AWAY_S - 0.01) == ()
    assert not one.trusted(LEASE_S)
    assert one.tick(LEASE_S + AWAY_S) == (LifecycleAction.DISCONNECT,)
    assert one.tick(LEASE_S + AWAY_S + 1) == ()
    assert one.service is Service.ELSEWHERE
    assert one.acknowledged(0.5, 10.0) == (), "it was sent too long ago to say anything of now"
    assert one.acknowledged(10.0, 10.1) == (LifecycleAction.ACCEPT_DEVICES,)
    assert (one.state, one.trusted(10.2)) == (LifecycleState.SERVING, True)


def test_a_bank_that_is_to_be_given_up_answers_what_it_decided_and_no_more() -> None:
    """DESIGN, beyond one machine: devices stay for their answers, but not through a doubt."""
    one = serving()
    assert one.ending() == ()
    assert (one.draining, one.service, one.trusted(0.1)) == (True, Service.HERE, False)
    one.acknowledged(0.5, 0.6)
    assert one.ending() == ()
    assert one.state is LifecycleState.DRAINING
    assert one.tick(0.5 + LEASE_S + AWAY_S) == (LifecycleAction.DISCONNECT,)
    assert one.acknowledged(9.0, 9.1) == (), "nobody comes back to it"
    assert one.drained() == (LifecycleAction.GIVE_UP, LifecycleAction.STOP, LifecycleAction.DISCONNECT)
    assert one.stopped == "bank main is being given up"
    assert one.look(0, 9.2)[4:] == (BankCondition.STANDBY, "it is being given up")
    assert one.released() == ()
    assert one.stopped == "standby: no server has bank main"
    doubtful = serving()
    doubtful.ending()
    assert doubtful.doubted() == (LifecycleAction.DISCONNECT,)
    assert (doubtful.in_doubt, doubtful.draining) == (True, True)
    assert doubtful.drained()


def test_without_other_servers_a_slow_ledger_sends_nobody_away() -> None:
    """DESIGN, lease: links are suspended, and that is all; there is nowhere else to go."""
    one = serving(others=False)
    assert one.tick(3600.0) == ()
    assert (one.service, one.trusted(3600.0)) == (Service.HERE, False)
    embedded = serving(shared=False, others=False)
    assert embedded.trusted(3600.0)
    embedded.slow()
    assert (embedded.trusted(3600.0), embedded.leased(3600.0)) == (False, True)
    embedded.acknowledged(3600.0, 3603.0)
    assert embedded.trusted(3603.0)


def test_a_bank_that_was_handed_over_is_left_to_others_for_longer() -> None:
    """`jackpot lease hand-over`: this server takes it back only if nobody else does."""

    def taken_after(one: BankLifecycle, seen: Iterable[Head]) -> float:
        now = 1.0
        for each in seen:
            if LifecycleAction.TAKE in one.seen(each, held=False, now=now, waits=0.0):
                return now - 1.0
            now += LOOK_S
        raise AssertionError("it was never taken")

    one = serving()
    one.ending(hand_over=True)
    one.drained()
    one.released()
    free = [head("")] * 100
    assert taken_after(one, free) == pytest.approx(HANDED_OVER_S, abs=2 * LOOK_S)
    again = serving()
    again.ending(hand_over=True)
    again.drained()
    again.released()
    assert taken_after(again, [head(THEM, 2), *free]) == pytest.approx(LOOK_S, abs=LOOK_S)


def test_what_a_standby_sees_is_told_once() -> None:
    """WIRE, not_active: who waits here is sent on once another server is seen at work, and not before."""
    one = lifecycle()
    assert one.stopped == "starting"
    said = one.seen(head(THEM, beat=1), held=True, now=0.0, waits=0.0)
    assert said == (LifecycleAction.STAND_BY, LifecycleAction.STOP, LifecycleAction.DISCONNECT)
    assert (one.service, one.held_by, one.stopped) == (Service.SOON, "", f"standby: {THEM} has bank main")
    assert one.seen(head(THEM, beat=1), held=True, now=0.2, waits=0.0) == ()
    assert one.seen(head(THEM, beat=2), held=True, now=0.4, waits=0.0) == (
        LifecycleAction.STOP,
        LifecycleAction.DISCONNECT,
    )
    assert (one.service, one.held_by) == (Service.ELSEWHERE, THEM)
    assert one.seen(head(THEM, beat=3), held=True, now=0.6, waits=0.0) == (LifecycleAction.DISCONNECT,)
    assert one.lost() == (LifecycleAction.STAND_BY, LifecycleAction.STOP, LifecycleAction.DISCONNECT)
    assert one.look(0, 1.0)[1:] == ("", 0, 0, BankCondition.STANDBY, "the ledger does not answer")


def test_a_ledger_that_went_back_is_told_and_remembered() -> None:
    """S5: the highest row that was ever seen must be there when this server takes the bank."""
    one = lifecycle()
    one.seen(head(THEM, seq=7), held=True, now=0.0, waits=0.0)
    assert LifecycleAction.WENT_BACK in one.seen(head(THEM, seq=5), held=True, now=0.2, waits=0.0)
    assert LifecycleAction.WENT_BACK not in one.seen(head(THEM, seq=5), held=True, now=0.4, waits=0.0)
    assert one.furthest is not None
    assert one.furthest.seq == 7


def test_the_first_reason_of_a_stop_stays() -> None:
    """S3: a bank that has stopped says why, and nothing that follows from it brings it back."""
    one = serving()
    assert one.fail("the disk failed twice") == (LifecycleAction.STOP, LifecycleAction.DISCONNECT)
    assert one.fail("and again") == ()
    one.acknowledged(1.0, 1.0)
    assert (one.stopped, one.trusted(1.0)) == ("the disk failed twice", False)
    assert one.beat_due > 1.0, "a shell that still beats does so at its pace"


def test_a_bank_that_fails_before_its_books_were_read_shows_nothing() -> None:
    """S3, S4: its epoch is this server's, but what a board has of it is of an earlier time."""
    one = lifecycle()
    one.take()
    one.taken(head(US), 0.0, 0.0)
    assert one.fail("row 7 is missing") == (LifecycleAction.STOP, LifecycleAction.DISCONNECT)
    assert not one.leased(0.1)
    held = serving()
    held.fail("the disk failed twice")
    assert held.leased(0.1), "what it made durable stands until the lease ends"
    assert not held.leased(LEASE_S)


@pytest.mark.parametrize(
    ("first", "others_first", "busy", "up_s", "expected"),
    [
        (True, True, 5, 0.0, 0.0),
        (False, False, 0, 0.0, 0.0),
        (False, False, 1, 0.0, STARTED_TOGETHER_S),
        (False, True, 0, 0.0, STARTED_TOGETHER_S),
        (False, True, 0, 10.0, NOT_FIRST_S),
        (False, True, 2, 10.0, NOT_FIRST_S + 0.4),
        (False, False, 2, 10.0, 0.4),
    ],
)
def test_free_banks_spread_over_the_servers(
    first: bool, others_first: bool, busy: int, up_s: float, expected: float
) -> None:
    """DESIGN, beyond one machine: banks spread; a pinned one goes to its server, else to another."""
    given = takeover_delay(first=first, others_first=others_first, busy=busy, up_s=up_s)
    assert given == pytest.approx(expected)
