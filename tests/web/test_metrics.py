"""Metrics for Prometheus: readable, exact and durable."""

import json
from pathlib import Path

import aiohttp
from prometheus_client.parser import text_string_to_metric_families

from jackpot.app import Server
from jackpot.signage import SignageProcess
from jackpot.web.metrics import SCRAPE_SERVES_S
from tests.running_server import LINK, Faulty, StepClock, administer, configure, on_loop, sign, table


async def fetch(server: Server | SignageProcess, path: str) -> tuple[int, str]:
    address = f"http://127.0.0.1:{server.ports['http']}{path}"
    async with aiohttp.ClientSession() as session, session.get(address) as response:
        return response.status, await response.text()


async def samples(server: Server) -> dict[tuple[str, frozenset[tuple[str, str]]], float]:
    status, text = await fetch(server, "/metrics")
    assert status == 200
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def key(name: str, **labels: str) -> tuple[str, frozenset[tuple[str, str]]]:
    return name, frozenset(labels.items())


@on_loop
async def test_what_is_counted(tmp_path: Path) -> None:
    """Meters in currency units, wagers, rounds, refusals by code, commits, connections."""
    async with Server(configure(tmp_path)) as server, table(server) as device, sign(server):
        device.wager(1, "R1", 1, 2, 3)
        await device.answer(1)
        device.wager(2, "R1", 9)
        assert (await device.answer(2))["code"] == "unknown_seat"
        device.say(t="void", seq=3, round="R1", reason="misdeal")
        await device.answer(3)
        device.wager(4, "R2", 1, lock=True)
        device.say(t="close", seq=5, round="R2")
        await device.answer(5)
        found = await samples(server)
        assert found[key("jackpot_meter_currency_units", link=LINK, level="mega")] == 10_000.09
        assert found[key("jackpot_wagers_total", link=LINK, level="mega")] == 4
        assert found[key("jackpot_wagers_undone_total", link=LINK, level="mega")] == 3
        assert found[key("jackpot_table_wagers_total", table="T01", link=LINK)] == 4
        assert found[key("jackpot_table_rounds_total", table="T01")] == 1
        assert found[key("jackpot_refusals_total", bank="main", code="unknown_seat")] == 1
        assert found[key("jackpot_table_connected", table="T01")] == 1
        assert found[key("jackpot_table_connected", table="T02")] == 0
        assert found[key("jackpot_sign_connected", sign="S01")] == 1
        assert found[key("jackpot_durable_seq", bank="main")] == server.banks["main"].sequencer.durable_seq
        assert found[key("jackpot_commit_seconds_count", bank="main")] >= 4
        batches = server.banks["main"].sequencer.durable_seq - 1  # the first row came with the ledger
        assert found[key("jackpot_batch_rows_sum", bank="main")] == batches
        assert found[key("jackpot_bank_active", bank="main")] == 1


@on_loop
async def test_a_scrape_never_shows_what_is_not_durable(tmp_path: Path) -> None:
    """S5: while a commit hangs the scrape shows the last durable meters."""
    config = configure(tmp_path)
    ledger, clock = Faulty(config), StepClock()
    async with Server(config, clock, ledger) as server, table(server) as device:
        meter = key("jackpot_meter_currency_units", link=LINK, level="mega")
        assert (await samples(server))[meter] == 10_000
        ledger.go.clear()
        device.wager(1, "R1", 1)
        clock.ahead_s += SCRAPE_SERVES_S
        assert (await samples(server))[meter] == 10_000
        ledger.go.set()
        await device.answer(1)
        clock.ahead_s += SCRAPE_SERVES_S
        assert (await samples(server))[meter] == 10_000.09


@on_loop
async def test_health(tmp_path: Path) -> None:
    """WIRE, HTTP: alive, and ready while every bank is active and durable."""
    async with Server(configure(tmp_path)) as server:
        assert (await fetch(server, "/healthz"))[0] == 200
        assert await fetch(server, "/readyz") == (200, '{"status": "ready"}')


@on_loop
async def test_a_hit_is_one_sum_everywhere(tmp_path: Path) -> None:
    """A5, S7: what its hand has won; the envy that it earned others is told apart, on page and command."""
    config = configure(tmp_path)
    async with Server(config) as server, sign(server) as shown, table(server) as device:
        device.wager(1, "R1", 1, 2, lock=True)
        royal = {"seat": 1, "cards": ["As", "Ks", "Qs"]}
        device.say(t="settle", seq=2, round="R1", hands=[royal], board=["Js", "Ts"], close=True)
        assert (await device.answer(2))["t"] == "ack"
        assert (await shown.type("hit"))["amount"] == 1_000_018
        (state,) = (await shown.hear(lambda message: message.get("waiting", [])))["waiting"]
        assert state["amount"] == 1_000_018
        (hit,) = json.loads((await fetch(server, "/floor.json"))[1])["hits"]
        assert (hit["amount"], hit["envy"]) == ("$10,000.18", "$1,000.00")
        (listed,) = (await administer(config, do="/hits/waiting"))["hits"]
        assert (listed["amount"], listed["envy"]) == ("10000.18", "1000.00")
        assert [award["amount"] for award in listed["awards"]] == ["10000.18", "1000.00"]
        waiting = key("jackpot_awards_waiting_currency_units", link=LINK, level="mega", status="pending")
        assert (await samples(server))[waiting] == 10_000.18
