"""Two servers write two banks of one ledger at once, and pages and metrics show which holds which."""

import asyncio
import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.e2e.floors import EASY, SIDE
from tests.e2e.load import load
from tests.e2e.servers import Heard, Server, Servers, kill, serving, verdict
from tests.e2e.vendor import WAIT_S
from tests.web.browser import CHROMIUM, chromium, opened

BANKS = {"main": "easy", "side": "side"}


def wait_for_page(server: Server, page: str) -> dict[str, Any]:
    """The floor page once it says so: it looks once a second, and has to see a holder at work."""
    ends = time.monotonic() + WAIT_S
    while (floor := json.loads(server.get("/floor.json")))["banks"] != page:
        assert time.monotonic() < ends, floor["banks"]
        time.sleep(0.05)
    return dict(floor)


def wait_for_metrics(server: Server, lines: Sequence[str]) -> str:
    """The metrics once they say so: those of a second ago may be given again."""
    ends = time.monotonic() + WAIT_S
    while True:
        metrics = server.get("/metrics")
        missing = [line for line in lines if line not in metrics]
        if not missing:
            return metrics
        assert time.monotonic() < ends, missing
        time.sleep(0.05)


def seen(server: Server, page: str, **states: str) -> None:
    """State of each bank at a server, active or standby, by its floor page and its metrics."""
    floor = wait_for_page(server, page)
    assert not [trouble for trouble in floor["troubles"] if "Bank" in trouble["what"]]
    others = [BANKS[bank] for bank, state in states.items() if state != "active"]
    assert list(floor["elsewhere"]) == others
    of_banks = [
        line
        for bank, state in states.items()
        for line in (
            f'jackpot_bank_active{{bank="{bank}"}} {float(state == "active")}',
            f'jackpot_bank_standby{{bank="{bank}"}} {float(state != "active")}',
        )
    ]
    metrics = wait_for_metrics(server, of_banks)
    assert f'server="{server.name}"' in metrics
    for bank, state in states.items():
        assert (f'jackpot_cycle{{level="mega",link="{BANKS[bank]}"}}' in metrics) == (state == "active")


async def until_browsed(server: Server, link: str, badge: str) -> None:
    """Waits until a server's floor page shows that status of a link, and no meter."""
    faults: list[str] = []
    address = f"http://127.0.0.1:{server.at['http']}/"
    async with chromium() as browser:
        page = await opened(browser, address, "wall", faults)
        shown = page.locator(".link", has=page.locator(f'a[href="/sign/{link}"]'))
        await shown.locator(".badge", has_text=badge).wait_for()
        assert not await shown.locator(".levels").is_visible()
    assert faults == []


def test_two_servers_write_a_bank_each(tmp_path: Path, database: str) -> None:
    """DESIGN, beyond one machine: each bank has a chain of its own, is pinned, taken over, handed back."""
    floor = Servers(tmp_path, EASY + SIDE, database, pins={"a": ["main"], "b": ["side"]})
    for link in BANKS.values():
        floor.add("table", [link], 2, kind=f"table {link}")
        floor.add("sign", [link], kind=f"sign {link}")
    heard = {bank: Heard() for bank in BANKS}

    def look(at: str, **has: str) -> None:
        said = ", ".join(f"bank {bank}: server {name}" for bank, name in has.items())
        states = {bank: "active" if name == at else "standby" for bank, name in has.items()}
        seen(floor[at], f"This is server {at}; {said}", **states)

    async def scenario() -> None:
        async with (
            load(floor, heard["main"], tmp_path, "easy", "easy") as tables,
            load(floor, heard["side"], tmp_path, "side", "side") as others,
        ):
            for played, names in zip(heard.values(), (tables, others), strict=True):
                await played.until_all_play(names)
            for server in "ab":
                await asyncio.to_thread(look, server, main="a", side="b")
            if CHROMIUM is not None:
                await until_browsed(floor["a"], "side", "at server b")
            await asyncio.to_thread(kill, floor["b"])
            await heard["side"].until_all_play(others)
            await asyncio.to_thread(look, "a", main="a", side="a")
            await asyncio.to_thread(floor["b"].start)
            done = await asyncio.to_thread(floor["a"].lease, "hand-over", "side")
            assert (done.returncode, done.stdout[:8]) == (0, "side: b "), done.stderr
            for played, names in zip(heard.values(), (tables, others), strict=True):
                await played.until_all_play(names)
            for server in "ab":
                await asyncio.to_thread(look, server, main="a", side="b")

    with serving(floor):
        asyncio.run(scenario())
    for bank, link in BANKS.items():
        verdict(floor, heard[bank], bank, link)
