"""Charges of requests: taken from one bucket, and what was taken too much goes back there."""

import pytest

from jackpot.web.http_budget import BURST_S, EXPECTED_S, BudgetShare
from jackpot.web.http_charge import Charge
from tests.web.test_http_budget import Ahead, busy


def test_what_was_taken_too_much_goes_back_where_it_was_taken_from() -> None:
    """Misuse: a probe that costs less than expected gives nothing to the common time, which paid nothing."""
    clock = Ahead()
    budget = busy(clock)
    probe, stranger = budget.payer(BudgetShare.PROBE, "1"), budget.payer(BudgetShare.STRANGER, "1")
    budget.charge(stranger, 2 * BURST_S)
    budget.charge(probe, BURST_S - EXPECTED_S / 2)
    common, own = budget._common.left(clock.now), budget._own[BudgetShare.PROBE].left(clock.now)
    charge = Charge(budget, probe)
    charge.begin()
    assert budget._own[BudgetShare.PROBE].left(clock.now) == pytest.approx(own - EXPECTED_S)
    charge.spend(0.0001)
    charge.settle()
    assert budget._common.left(clock.now) == common
    assert budget._own[BudgetShare.PROBE].left(clock.now) == pytest.approx(own - 0.0001)


def test_what_is_moved_to_a_person_is_given_back_to_the_stranger() -> None:
    """Who turns out to be a person pays for all of the request, and their address for none of it."""
    clock = Ahead()
    budget = busy(clock)
    stranger, person = budget.payer(BudgetShare.STRANGER, "1"), budget.payer(BudgetShare.PERSON, "1")
    charge, counted = Charge(budget, stranger), list[float]()
    charge.begin()
    for seconds in (0.001, 0.004):
        charge.spend(seconds)
        counted.append(sum(budget.used.values()))
    charge.move(person)
    charge.spend(0.001)
    charge.settle()
    counted.append(sum(budget.used.values()))
    assert stranger.used == 0.0
    assert person.used == pytest.approx(0.006)
    assert counted == pytest.approx([0.001, 0.005, 0.006])  # a counter that falls is one that began again
