"""Placement keeps to the limits it names, and its table is the one in the documentation."""

import pytest

from jackpot.lab.testing.placement import (
    CLUSTER_MAX,
    CORE_MAX,
    DEVICES_MAX,
    Casino,
    PlacedBank,
    UnitCost,
    bank_of,
    limits_of,
    lines,
    most_tables,
    place,
)
from tests.deploy.tools import DEPLOY

UNIT = UnitCost()


def test_the_page_shows_what_it_computes() -> None:
    """SCALE.md: its table is the program's own, so that a changed figure changes the page."""
    page = (DEPLOY / "SCALE.md").read_text().splitlines()
    for line in lines(Casino(), UNIT):
        assert line in page, line


@pytest.mark.parametrize("count", [1, 7, 100, 1_000])
def test_each_server_and_cluster_has_room_for_what_it_holds(count: int) -> None:
    """SCALE.md: never fewer than their whole need asks for, and at most twice as many."""
    banks = [bank_of(1, Casino(tables=50 + 10 * (number % 40))) for number in range(count)]
    placed = place("some", banks, UNIT)
    cores = sum(bank.cores(UNIT) for bank in banks)
    assert cores / CORE_MAX <= placed.servers <= 2 * cores / CORE_MAX + 1
    rows = sum(bank.frames for bank in banks)
    assert rows / (CLUSTER_MAX * UNIT.cluster_frames) <= placed.clusters
    assert placed.limits == []


def test_a_bank_that_no_process_holds_is_named() -> None:
    """SCALE.md: one link is one order of events; what is too much for one writer no placement makes less."""
    most = most_tables(Casino(), UNIT)
    fits, too_many = (
        PlacedBank(bank_of(1, Casino(tables)).frames, tables, 0) for tables in (most, most + 200)
    )
    assert list(limits_of(fits, UNIT)) == []
    (said,) = limits_of(too_many, UNIT)
    assert said.startswith("1.0 cores, and a bank has one")
    named = list(limits_of(bank_of(10_000, Casino()), UNIT))
    assert len(named) == 3
    assert f"a process has descriptors for {DEVICES_MAX:,}" in named[1]
