"""The tester passes a correct device, and fails a wrong one for exactly what it breaks."""

import asyncio
from collections.abc import Coroutine, Sequence
from typing import Any

import pytest

from controllers.table import TableSession
from jackpot.lab.conformance.device import Options, examine
from jackpot.lab.conformance.offers import offer_of
from jackpot.lab.conformance.played import ConformanceSession, Setting
from jackpot.lab.conformance.report import ConformanceReport
from tests.lab.conformance import players
from tests.lab.conformance.players import KEY, LINK, OFFERS, BonusPlayer, Player
from tests.running_server import on_loop

HEARTBEAT_MS = 400
# A device that breaks an obligation may stay away for good.
PATIENCE_S = 6.0


async def report_of(
    role: str, device: str, play: Any, options: Options, offers: Sequence[str] = ()
) -> ConformanceReport:
    """What the tester says of the device that `play` runs, given the server's address."""
    setting = Setting(role, device, KEY, LINK, 100, HEARTBEAT_MS, offers=tuple(map(offer_of, offers)))
    async with asyncio.TaskGroup() as group:
        running: list[asyncio.Task[None]] = []

        async def ready(played: ConformanceSession) -> None:
            begun: Coroutine[Any, Any, None] = play([played.addresses[0]])
            running.append(group.create_task(begun))

        report = await examine(setting, options, ready)
        for task in running:
            task.cancel()
    return report


def verdicts(report: ConformanceReport, verdict: str) -> dict[str, str]:
    return {one.name: why for one, found, why in report.results() if found == verdict}


@on_loop
async def test_the_reference_clients_pass() -> None:
    """WIRE: the table and the sign that vendors copy keep every obligation that can be seen so quickly."""
    quick = Options(quick=True)
    table, sign = await asyncio.gather(
        report_of("table", "T01", lambda servers: Player(TableSession, servers).play(), quick),
        report_of("sign", "S01", players.show, quick),
    )
    assert (verdicts(table, "fail"), verdicts(sign, "fail")) == ({}, {})
    assert verdicts(table, "not seen").keys() == {"power-loss", "replaced"}
    assert verdicts(sign, "not seen").keys() == {"replaced"}


BREAKING: dict[str, type[TableSession]] = {
    "back-off": players.Hasty,
    "silence": players.Patient,
    "resend": players.Rewriting,
    "decided": players.Repeating,
    "last-follows": players.Impatient,
    "unknown": players.Strict,
    "expected": players.Skipping,
    "used-up": players.Reusing,
    "not-active": players.Homely,
    "moved": players.Changing,
    "witness": players.Yielding,
    "believes": players.Stubborn,
}


@pytest.mark.parametrize("name", BREAKING)
@on_loop
async def test_each_fault_is_found(name: str) -> None:
    """WIRE: a device that breaks one obligation fails it. Else a pass would prove nothing."""
    options = Options(quick=True, only=[name], patience=PATIENCE_S)
    session = BREAKING[name]
    report = await report_of("table", "T01", lambda servers: Player(session, servers).play(), options)
    assert name in verdicts(report, "fail"), report.results()


@pytest.mark.parametrize("name", ["suspended", "left-over"])
@on_loop
async def test_a_dealer_that_heeds_nothing_is_found(name: str) -> None:
    """WIRE: no wager on a suspended link; a round that is told is finished first."""
    options = Options(quick=True, only=[name], patience=PATIENCE_S)

    def play(servers: list[str]) -> Coroutine[Any, Any, None]:
        return Player(TableSession, servers, heeds=False).play()

    report = await report_of("table", "T01", play, options)
    assert name in verdicts(report, "fail"), report.results()


@on_loop
async def test_a_table_that_wagers_while_an_answer_is_late_is_found() -> None:
    """WIRE: it waits longer than two heartbeats for an answer, and takes no wagers; one that waits passes."""
    options = Options(quick=True, only=["late-answers"], patience=PATIENCE_S)

    def rush(servers: list[str]) -> Coroutine[Any, Any, None]:
        return Player(players.Hopeful, servers).rush()

    report = await report_of("table", "T01", rush, options)
    assert "late-answers" in verdicts(report, "fail"), report.results()


OF_OFFERS = {
    "offer-amounts",
    "offer-counts",
    "offer-cards",
    "offer-award",
    "offer-suspended",
    "offer-bounds",
}


@on_loop
async def test_a_table_that_takes_bonus_wagers_passes() -> None:
    """B3, B16: it is looked at with its offers; one that takes none is asked nothing about them."""
    only = [*OF_OFFERS, "left-over"]
    options = Options(quick=True, only=only)
    bonus, plain = await asyncio.gather(
        report_of("table", "T01", lambda servers: BonusPlayer(servers).play(), options, OFFERS),
        report_of("table", "T01", lambda servers: Player(TableSession, servers).play(), options),
    )
    assert (verdicts(bonus, "fail"), verdicts(plain, "fail")) == ({}, {})
    assert verdicts(bonus, "pass").keys() >= {*only}
    assert not OF_OFFERS & {one.name for one, _, _ in plain.results()}


@pytest.mark.parametrize(
    ("name", "fault", "verdict"),
    [
        ("offer-bounds", "stale", "fail"),
        ("offer-suspended", "deaf", "fail"),
        ("offer-suspended", "giving_up", "fail"),
        ("offer-suspended", "obstinate", "fail"),
        ("offer-award", "stopping", "not seen"),
    ],
)
@on_loop
async def test_a_table_that_does_not_heed_an_offer_is_found(name: str, fault: str, verdict: str) -> None:
    """B3: bounds of an earlier welcome, a wager on a suspended offer, and no play after an award."""
    options = Options(quick=True, only=[name], patience=PATIENCE_S)

    def play(servers: list[str]) -> Coroutine[Any, Any, None]:
        return BonusPlayer(servers, fault).play()

    report = await report_of("table", "T01", play, options, OFFERS)
    assert name in verdicts(report, verdict), report.results()
