"""Admission control: every stage and every event, without sockets."""

from collections import Counter
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jackpot.net.admission import (
    MOVES,
    RESERVE,
    STRANGERS,
    AdmissionControl,
    AdmissionLimits,
    AdmissionStage,
    ArrivalOutcome,
    ConnectionAdmission,
)

WIDE = AdmissionLimits(most=1_000, of_address=1_000, pace=1)
HAPPENS = ("entered", "heard", "asks", "busy", "idle", "proved", "left")


def crowded(bounds: AdmissionLimits, *addresses: str) -> tuple[AdmissionControl, list[ConnectionAdmission]]:
    """Admission control into which these have come, one after the other; the evicted ones are gone."""
    crowd = AdmissionControl(bounds, 0.0)
    return crowd, [come(crowd, address) for address in addresses]


def come(crowd: AdmissionControl, address: str, now: float = 0.0) -> ConnectionAdmission:
    """A connection that arrives while the rate limit admits it at once."""
    admission = ConnectionAdmission(crowd, address=address)
    assert crowd.arrive(admission, now) is ArrivalOutcome.ENTERS
    enter(crowd, [admission])
    return admission


def enter(crowd: AdmissionControl, guests: Sequence[ConnectionAdmission]) -> None:
    for admission in guests:
        if (goes := crowd.enter(admission)) is not None:
            goes.left()


def let_in(crowd: AdmissionControl, now: float) -> list[ConnectionAdmission]:
    """Admits everything that the rate limit allows now."""
    found = []
    while guests := crowd.turn(now):
        enter(crowd, guests)
        found += guests
    return found


def line(crowd: AdmissionControl, count: int, address: str) -> list[ConnectionAdmission]:
    """Lets so many of an address arrive; returns those that now wait."""
    found = []
    for _ in range(count):
        admission = ConnectionAdmission(crowd, address=address)
        arrival = crowd.arrive(admission, 0.0)
        if arrival is ArrivalOutcome.ENTERS:
            enter(crowd, [admission])
        elif arrival is ArrivalOutcome.WAITS:
            found.append(admission)
    return found


@pytest.mark.parametrize("stage", AdmissionStage)
@pytest.mark.parametrize("what", HAPPENS)
def test_every_stage_and_all_that_happens(stage: AdmissionStage, what: str) -> None:
    """WIRE, faults: a stage that does not list what happens stays; nobody comes back from GONE."""
    after = MOVES[stage].get(what, stage)
    assert (after is AdmissionStage.GONE) == (what == "left" or stage is AdmissionStage.GONE)
    assert after is not AdmissionStage.KNOWN or what == "proved" or stage is AdmissionStage.KNOWN
    assert stage is AdmissionStage.WAITING or after is not AdmissionStage.WAITING


@given(st.lists(st.tuples(st.integers(0, 9), st.sampled_from(HAPPENS)), max_size=60))
def test_whatever_happens_the_counts_are_right(steps: list[tuple[int, str]]) -> None:
    """WIRE, faults: strangers are counted once each, by address and in all, and never above their bounds."""
    bounds = AdmissionLimits(most=5, of_address=3, pace=1)
    crowd = AdmissionControl(bounds, 0.0)
    guests = [ConnectionAdmission(crowd, address=str(number % 3)) for number in range(10)]
    for number, what in steps:
        admission = guests[number]
        if what != "entered":
            crowd.happens(admission, what)
        elif admission.stage is AdmissionStage.WAITING and (goes := crowd.enter(admission)) is not None:
            assert goes.stage in {
                AdmissionStage.WAITING,
                AdmissionStage.SILENT,
                AdmissionStage.TALKING,
                AdmissionStage.ASKING,
            }
            goes.left()
        counted = [one for one in guests if one.stage in STRANGERS]
        assert crowd.strangers == len(counted) <= bounds.most
        by_address = Counter(one.address for one in counted)
        assert {address: len(those) for address, those in crowd._of_address.items()} == by_address
        assert all(number <= bounds.of_address for number in by_address.values())
        assert crowd.inside == {one for one in guests if one.stage in {*STRANGERS, AdmissionStage.KNOWN}}


def test_the_oldest_that_says_nothing_goes_first() -> None:
    """WIRE, faults: one that has begun a hello stays; of the silent ones the oldest goes."""
    crowd, guests = crowded(AdmissionLimits(most=100, of_address=3, pace=100), *["A"] * 3)
    guests[0].heard()
    come(crowd, "A")
    assert [admission.stage for admission in guests] == [
        AdmissionStage.TALKING,
        AdmissionStage.GONE,
        AdmissionStage.SILENT,
    ]


def test_one_that_is_served_stays() -> None:
    """WIRE, faults: nobody takes the place of one that is being served; where all are, the newcomer goes."""
    crowd, guests = crowded(AdmissionLimits(most=100, of_address=2, pace=100), "A", "A")
    for admission in guests:
        admission.busy()
    assert come(crowd, "A").stage is AdmissionStage.GONE
    guests[1].idle(served=True)
    assert come(crowd, "A").stage is AdmissionStage.SILENT
    assert [admission.stage for admission in guests] == [AdmissionStage.SERVED, AdmissionStage.GONE]


def test_one_that_we_let_wait_goes_after_those_that_ask_for_nothing() -> None:
    """WIRE, faults: within an address the silent go first, then the idle, then one that has asked."""
    crowd, guests = crowded(AdmissionLimits(most=100, of_address=3, pace=100), *"AAA")
    guests[0].asks()
    guests[1].heard()
    come(crowd, "A").asks()
    assert [admission.stage for admission in guests] == [
        AdmissionStage.ASKING,
        AdmissionStage.TALKING,
        AdmissionStage.GONE,
    ]
    come(crowd, "A").asks()
    assert guests[1].stage is AdmissionStage.GONE
    come(crowd, "A")
    assert guests[0].stage is AdmissionStage.GONE


def test_those_that_wait_keep_nobody_out() -> None:
    """Misuse: where all wait for their turns, one of the address that has the most goes, and no other."""
    crowd, guests = crowded(AdmissionLimits(most=6, of_address=6, pace=100), *"BAAAAC")
    for admission in guests:
        admission.asks()
    come(crowd, "D").asks()
    come(crowd, "B").asks()
    assert [admission.stage is AdmissionStage.GONE for admission in guests] == [
        False,
        True,
        True,
        False,
        False,
        False,
    ]
    assert come(crowd, "A").stage is AdmissionStage.GONE  # it has two, as has B: nobody has more
    assert crowd.strangers == 6


def test_all_addresses_together_are_bounded() -> None:
    """WIRE, faults: at the limit of all the oldest stranger goes, of whatever address."""
    crowd, guests = crowded(AdmissionLimits(most=4, of_address=3, pace=100), *"ABCDE")
    assert [admission.stage for admission in guests] == [AdmissionStage.GONE, *[AdmissionStage.SILENT] * 4]
    assert crowd.strangers == 4


def test_a_flood_waits_and_others_do_not() -> None:
    """WIRE, faults: beyond its reserve a flood is let in at the pace; another address has its own line."""
    crowd = AdmissionControl(WIDE, 0.0)
    assert len(line(crowd, int(RESERVE) + 50, "flood")) == 50
    assert len(crowd.inside) == RESERVE
    (other,) = line(crowd, 1, "other")
    assert crowd.waiting == 51
    assert other in let_in(crowd, 2.0)
    assert crowd.waiting == 49


def test_a_proof_gives_the_pace_back() -> None:
    """WIRE, handshake: a floor that comes at one moment is let in as fast as it proves itself."""
    crowd = AdmissionControl(WIDE, 0.0)
    assert len(line(crowd, int(RESERVE) + 50, "floor")) == 50
    for admission in list(crowd.inside)[:50]:
        admission.proved()
        assert len(let_in(crowd, 0.0)) == 1
    assert crowd.waiting == 0


def test_where_a_device_is_known_others_do_not_come_first() -> None:
    """WIRE, faults: hellos of addresses of known devices take turns with all the strangers' together."""
    crowd, (device,) = crowded(WIDE, "known")
    device.proved()
    crowd.allowance = 0.0
    for number in range(100):
        line(crowd, 1, f"stranger {number}")
    (again,) = line(crowd, 1, "known")
    assert again in let_in(crowd, 1.0)
    assert crowd.waiting >= 99


def test_a_full_line_refuses_and_leaves_room_for_others() -> None:
    """WIRE, faults: one address takes three quarters of the line and no more."""
    crowd = AdmissionControl(AdmissionLimits(most=40, of_address=8, pace=1), 0.0)
    crowd.allowance = 0.0
    assert len(line(crowd, 60, "flood")) == 30
    assert len(line(crowd, 20, "other")) == 5
    assert crowd.waiting == 35
    assert len(crowd.empty()) == 35
    assert crowd.waiting == 0


def test_no_number_of_strangers_keeps_a_known_device_out() -> None:
    """WIRE, faults: what strangers of many addresses may fill leaves room where a device is known."""
    crowd, (device,) = crowded(AdmissionLimits(most=40, of_address=8, pace=1), "known")
    device.proved()
    crowd.allowance = 0.0
    for number in range(100):
        line(crowd, 1, f"stranger {number}")
    (again,) = line(crowd, 1, "known")
    assert again in let_in(crowd, 1.0)


def test_devices_that_come_again_take_no_more_than_there_is() -> None:
    """Descriptors: above what is kept for devices a new connection of one takes a stranger's place."""
    crowd, guests = crowded(AdmissionLimits(most=3, of_address=9, pace=100, known=2), *"ABC")
    for admission in guests:
        admission.proved()
    for address in "AB":  # whose old connections nobody knows to be dead
        come(crowd, address)
    assert crowd.arrive(ConnectionAdmission(crowd, address="C"), 0.0) is ArrivalOutcome.REFUSED
    guests[0].left()
    come(crowd, "C")
