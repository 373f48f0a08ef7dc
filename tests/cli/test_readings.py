"""`jackpot ledger readings` lists the meters at the end of each gaming day (S2)."""

import json
from pathlib import Path

import pytest

from jackpot.app import Server
from tests.net.test_admin_socket import jackpot
from tests.running_server import StepClock, configure, on_loop, table


@on_loop
async def test_readings_are_listed_without_a_server(tmp_path: Path) -> None:
    """S2: by day, in the site's time and currency, with the bank's head; as JSON in the words of the API."""
    config, clock = configure(tmp_path), StepClock()
    async with Server(config, clock) as server, table(server) as device:
        device.wager(1, "R1", 1, 2)
        await device.answer(1)
    clock.ahead_s += 3 * 86_400
    async with Server(config, clock) as server:
        head = server.banks["main"].sequencer.durable_hash.hex()
    given = ("--config", str(config.path))
    code, out, error = await jackpot("ledger", "readings", *given)
    assert (code, error) == (0, "")
    assert out.count("gaming day 20") == 3
    assert out.index(head) == out.index("head ") + len("head ")  # the newest first
    assert "$10,000.18" in out
    assert " EST, row " in out or " EDT, row " in out
    found = json.loads((await jackpot("ledger", "readings", "--json", *given))[1])
    assert found[0]["hash"] == head
    assert found[0]["meters"][0]["value"] == "10000.18"
    days = [reading["day"] for reading in found]
    assert days == sorted(days, reverse=True)
    one = await jackpot("ledger", "readings", "--json", "--from", days[1], "--to", days[1], *given)
    assert [reading["day"] for reading in json.loads(one[1])] == [days[1]]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--from", "yesterday"), "--from: 'yesterday' is no day, like 2026-11-20\n"),
        (("--to", "20261120"), "--to: '20261120' is no day, like 2026-11-20\n"),
        (("--bank", "mian"), "there is no bank mian in this ledger; there is main, site\n"),
    ],
)
def test_what_cannot_be_listed(tmp_path: Path, words: tuple[str, ...], said: str) -> None:
    """One clear line and a non-zero exit."""

    @on_loop
    async def ask() -> None:
        config = configure(tmp_path)
        async with Server(config):
            pass
        answer = await jackpot("ledger", "readings", *words, "--config", str(config.path))
        assert answer == (1, "", said)

    ask()
