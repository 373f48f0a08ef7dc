"""Alerts of the floor page: what is wrong, and nothing else."""

import asyncio
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from jackpot.app import Server
from jackpot.bank.bank import BankStopped
from jackpot.bank.lifecycle import BankLifecycle, LifecycleState
from jackpot.ledger.journal import Head
from jackpot.net.device_registry import DeviceRegistry
from jackpot.web import overview
from jackpot.web.overview import Overview
from tests.running_server import COUNTED, LINK, administer, configure, connected, on_loop, sign, table
from tests.web.test_metrics import fetch


def devices(role: str) -> Any:
    return SimpleNamespace(registry=DeviceRegistry(role, [], lambda _role, _device: ()), current={})


def bank_of(bank: str, *, elsewhere: bool) -> Any:
    async def ask(_: Any) -> Any:
        raise BankStopped("no state is asked for here")

    lifecycle = BankLifecycle(bank, "a host:1:abc", 0.0, shared=True, others=True)
    if elsewhere:
        for beat in (1, 2):
            lifecycle.seen(Head(bank, 1, 0, bytes(32), "b host:1:abc", beat), held=True, now=0.0, waits=0.0)
    else:
        lifecycle.state = LifecycleState.SERVING
    return SimpleNamespace(
        name=bank,
        lifecycle=lifecycle,
        active=True,
        board=SimpleNamespace(links={}, trusted=True),
        ask=ask,
    )


@pytest.mark.parametrize("elsewhere", [False, True])
def test_only_the_server_that_has_a_bank_misses_its_redis(elsewhere: bool) -> None:
    """DESIGN, beyond one machine: a server that stands by feeds nothing, and that is no fault."""
    source: Any = SimpleNamespace(
        config=SimpleNamespace(
            site=SimpleNamespace(timezone="UTC", locale="en_US"),
            server=SimpleNamespace(id="a"),
            displays={},
            signage=(),
        ),
        clock=SimpleNamespace(monotonic=lambda: 0.0, unix_ms=lambda: 0),
        banks={"main": bank_of("main", elsewhere=elsewhere)},
        people=bank_of("site", elsewhere=False),
        tables=devices("table"),
        signs=devices("sign"),
        relays=[SimpleNamespace(bank="main", line=SimpleNamespace(up=False))],
        signer=None,
        notifier=None,
        mystery=None,
    )
    money: Any = None
    found = asyncio.run(Overview(source, money).look())
    missed = ["Bank main does not reach Redis: signs fed by Redis show a fault"]
    assert [trouble["what"] for trouble in found["troubles"]] == ([] if elsewhere else missed)


@on_loop
async def test_whatever_is_wrong_says_what_comes_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S7, T3, T10, S9: who reads an alert knows whom to ask or what to type, or on which page to act."""
    monkeypatch.setattr(overview, "BACK_WITHIN_S", 0.0)
    config = configure(tmp_path, tables=3, links=COUNTED)
    async with (
        Server(config) as server,
        sign(server),
        table(server) as first,
        table(server, "T02") as second,
        connected(server.ports["tables"]) as third,
    ):
        first.wager(1, "R1", 1, 2, lock=True, chips={LINK: 1})
        assert (await first.answer(1))["warn"]
        second.wager(1, "R1", 1, lock=True, chips={LINK: 1})
        second.say(t="close", seq=2, round="R1")
        assert (await second.answer(2))["t"] == "ack"
        await administer(config, do="reopen", table="T02", round="R1", reason="seat 3", by="Ann")
        await third.hello(config, "table", "T03", acked=7)
        assert (await third.type("error"))["code"] == "ledger_behind"
        await administer(config, do="suspend", cause="operator", links=[LINK], reason="new felt", by="Ann")
        found = json.loads((await fetch(server, "/floor.json"))[1])["troubles"]
    said = {trouble["what"]: trouble["next"] for trouble in found}
    people = "--reason TEXT"
    behind = "look at `jackpot ledger behind`, then two people answer each table: "
    count = "count again at the table, or strike a wager: "
    assert said == {
        "Link Floor Five is suspended: by people": f"`jackpot links resume {LINK} {people}` once it is over",
        "Table T03 has answers that the ledger does not have": (
            f"{behind}`jackpot ledger confirm-behind TABLE --believe {people}`, with `--highest "
            "LINK.LEVEL=SUM` for each level of a mystery link, or --disbelieve"
        ),
        "Table T01: the chips counted differ from the wagers accepted": (
            f"{count}`jackpot rounds strike T01 R1 SEAT LINK`, or `jackpot rounds void`"
        ),
        "Table T02: Ann asked to reopen round R1; the table waits 15 minutes at most": (
            "another person answers: `jackpot rounds reopen T02 R1`, or `decline`"
        ),
        "Table T03 is offline": "check power, network and key; the log names devices that were refused",
    }
    assert {trouble["at"]: "`" in trouble["there"] for trouble in found} == dict.fromkeys(
        [f"/ops/links/{LINK}", *(f"/ops/tables/T0{number}" for number in (1, 2, 3)), ""], False
    )
