"""One command brings up a whole large floor, its parts work together, and Ctrl-C ends it."""

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final

import aiohttp
import pytest

from controllers.client import SignClient, TableClient
from controllers.memory import VolatileMemory
from jackpot.lab.bench.servers import Program, used
from jackpot.lab.demo.house import FIVE, SIGNS, key
from jackpot.lab.demo.people import Login
from jackpot.lab.testing.postgres import EnginesMissing
from jackpot.lab.testing.topology import Topology
from jackpot.ledger.connect import connect
from tests.deploy.test_prometheus import Prometheus, wait_for
from tests.deploy.tools import DEPLOY, TIMEOUT_S, tool
from tests.e2e.vendor import bets

SIGN: Final = next(sign for sign, link in SIGNS.items() if link == FIVE)
# Seed of the link's mega, and 9 % of a wager on it.
WITH_A_WAGER: Final = 1_000_000 + 9
IGNORES: Final = """
import signal, time

signal.signal(signal.SIGTERM, signal.SIG_IGN)
print("ready", flush=True)
time.sleep(60)
"""
SYNCHRONOUS: Final = "SELECT application_name FROM pg_stat_replication WHERE sync_state = 'sync'"


@contextmanager
def up() -> Iterator[dict[str, Any]]:
    """The addresses of all that runs; ended as by Ctrl-C, whatever its shell made of SIGINT before."""
    process = subprocess.Popen(
        ["bash", "-c", f"trap '' INT; exec '{DEPLOY}/local-up' --json"],
        env={**os.environ, "PYTHON": sys.executable},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        said = process.stdout.readline()
        if not said:
            raise AssertionError(process.communicate()[1])
        yield json.loads(said)
        process.send_signal(signal.SIGINT)
        try:
            assert process.wait(TIMEOUT_S) == 0
        except subprocess.TimeoutExpired as late:
            left = subprocess.run(
                ["ps", "-o", "etimes,args", "--ppid", str(process.pid)],
                capture_output=True,
                text=True,
                check=False,
            )
            raise AssertionError(f"what has not ended:\n{left.stdout}") from late
    finally:
        process.kill()
        process.communicate()


async def wager(addresses: dict[str, Any]) -> None:
    """One wager at the server with the bank; returns once a sign of the second signage process shows it."""
    folder = Path(addresses["config"]).parent
    servers = [addresses[f"server {name}"]["tables"] for name in ("a", "b")]
    shown = asyncio.Event()
    sign = SignClient(SIGN, key(folder, SIGN), [addresses["signage bar"]["signs"]])

    def look(_message: dict[str, Any]) -> None:
        if sign.meters.get((FIVE, "mega")) == WITH_A_WAGER:
            shown.set()

    sign.on_push = look
    async with asyncio.timeout(TIMEOUT_S), sign:
        async with TableClient("T01", key(folder, "T01"), servers, VolatileMemory()) as table:
            await table.wait_online()
            assert (await table.wager("R1", bets(FIVE, [1])))["t"] == "ack"
        await shown.wait()


async def signed_in(addresses: dict[str, Any]) -> None:
    """Signs each of the people in at the server that has the bank of the people; the other one says so."""
    async with aiohttp.ClientSession() as session:
        for one in addresses["people"]:
            form = {"login": one["login"], "secret": one["password"], "back": "/ops"}
            statuses = set()
            for server in ("server a", "server b"):
                at = f"http://{addresses[server]['http']}/ops/sign-in"
                async with session.post(at, data=form, allow_redirects=False) as answer:
                    statuses.add(answer.status)
            assert 303 in statuses, one["login"]


async def synchronous(url: str) -> list[str]:
    """The standbys that have every commit before it is answered."""
    connection = await connect(url)
    try:
        return [row[0] for row in await connection.fetch(SYNCHRONOUS)]
    finally:
        await connection.close()


def test_the_whole_topology_on_one_machine() -> None:
    """Deploy: no alert fires at rest, and people sign in; a wager reaches a sign of the second signage
    process, and Prometheus; Ctrl-C leaves nothing.
    """
    for program in ("prometheus", "prometheus-alertmanager"):
        tool(program, program)
    with up() as addresses:
        prometheus = Prometheus(addresses["prometheus"])
        wait_for(lambda: len(prometheus.ask("up == 1")) < 4)
        wait_for(lambda: len(prometheus.ask("max by (sign) (jackpot_sign_connected) == 1")) < len(SIGNS))
        wait_for(lambda: prometheus.ask("ALERTS"))  # none fires, and none is about to
        assert {one["role"] for one in addresses["people"]} == {"admin", "auditor", "cage", "floor"}
        asyncio.run(signed_in(addresses))
        asyncio.run(wager(addresses))
        assert asyncio.run(synchronous(addresses["postgresql"])) == ["db2"]
        meter = f'max(jackpot_meter_currency_units{{link="{FIVE}", level="mega"}}) == {WITH_A_WAGER / 100}'
        wait_for(lambda: not prometheus.ask(meter))
        wait_for(lambda: len(prometheus.ask("jackpot_ledger_standbys == 1")) < 2)
        wait_for(lambda: not prometheus.get("alertmanagers")["activeAlertmanagers"])
        assert prometheus.ask('count_over_time(ALERTS{alertstate="firing"}[10m])') == [], "none ever fired"
    assert not Path(addresses["config"]).parent.exists()
    for at in ("prometheus", "prometheus-alertmanager"):
        host, _, port = addresses[at].partition(":")
        with socket.socket() as trial, pytest.raises(ConnectionRefusedError):
            trial.connect((host, int(port)))


def test_a_person_reads_where_each_part_is() -> None:
    """Deploy: pages as one opens them, devices' addresses behind them."""
    topology = Topology(Path(), DEPLOY, ExitStack())
    topology.addresses = {
        "server a": {"tables": "127.0.0.1:1", "signs": "127.0.0.1:2", "http": "127.0.0.1:3"},
        "prometheus": "127.0.0.1:4",
    }
    topology.logins = (Login("supervisor-1", "floor", "secret"),)
    assert [line.split() for line in topology.summary().splitlines()] == [
        ["server", "a", "http://127.0.0.1:3", "tables", "127.0.0.1:1", "signs", "127.0.0.1:2"],
        ["prometheus", "http://127.0.0.1:4"],
        ["keys", "keys,", "of", "the", "tables", "and", "signs"],
        ["floor", "supervisor-1", "secret,", "at", "/ops", "of", "a", "server"],
    ]


def test_a_program_that_will_not_end_is_killed_and_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Deploy: what ignores SIGTERM holds nobody up for longer than the one time that all programs have."""
    monkeypatch.setattr("jackpot.lab.testing.topology.ENDS_S", 0.0)
    with ExitStack() as stack:
        topology = Topology(tmp_path, DEPLOY, stack)
        stack.callback(topology._end)
        program = Program(tmp_path / "a", "-c", IGNORES)
        topology._start("server a", program)
        program.said(str.strip)
    assert capsys.readouterr().err == "killed, since it had not ended after 0 s: server a\n"
    assert used({}, program.cpu()) == 0, "it is gone"


def test_what_is_missing_is_named_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Deploy: one line with every package to install, before anything is started."""
    monkeypatch.setenv("PATH", str(tmp_path))
    with ExitStack() as stack, pytest.raises(EnginesMissing, match="install prometheus prometheus-alert"):
        Topology(tmp_path, DEPLOY, stack).up()
    assert list(tmp_path.iterdir()) == []
