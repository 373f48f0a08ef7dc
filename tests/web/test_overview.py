"""Does the floor page name what is wrong, and nothing else?"""

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from jackpot.ledger.journal import Head
from jackpot.server.hold import Hold
from jackpot.server.life import State
from jackpot.server.writer import BankStopped
from jackpot.web.overview import Overview


def devices(role: str) -> Any:
    return SimpleNamespace(role=role, devices={}, current={}, blocked=set())


def writer(bank: str, *, elsewhere: bool) -> Any:
    async def ask(_: Any) -> Any:
        raise BankStopped("no state is asked for here")

    hold = Hold(bank, "a host:1:abc", 0.0, shared=True, others=True)
    if elsewhere:
        for beat in (1, 2):
            hold.seen(Head(bank, 1, 0, bytes(32), "b host:1:abc", beat), held=True, now=0.0, waits=0.0)
    else:
        hold.state = State.SERVING
    return SimpleNamespace(
        bank=bank,
        hold=hold,
        active=True,
        board=SimpleNamespace(links={}, trusted=True),
        ask=ask,
    )


@pytest.mark.parametrize("elsewhere", [False, True])
def test_only_the_server_that_has_a_bank_misses_its_redis(elsewhere: bool) -> None:
    """DESIGN, beyond one machine: a server that stands by feeds nothing, and that is no fault."""
    source: Any = SimpleNamespace(
        config=SimpleNamespace(
            site=SimpleNamespace(timezone="UTC"), server=SimpleNamespace(id="a"), displays={}, signage=()
        ),
        clock=SimpleNamespace(monotonic=lambda: 0.0, unix_ms=lambda: 0),
        writers={"main": writer("main", elsewhere=elsewhere)},
        floor=devices("table"),
        signs=devices("sign"),
        relays=[SimpleNamespace(bank="main", line=SimpleNamespace(up=False))],
    )
    money: Any = None
    found = asyncio.run(Overview(source, money).look())
    missed = ["Redis takes nothing of bank main: signs fed by it show a fault"]
    assert found["troubles"] == ([] if elsewhere else missed)
