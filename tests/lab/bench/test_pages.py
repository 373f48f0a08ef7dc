"""No page, list or report costs more where the journal is longer; all of them are tried."""

import asyncio
import re
from pathlib import Path
from typing import Final, NamedTuple

import pytest

from jackpot.lab.bench import frames
from jackpot.lab.bench.ledger_fixture import PastOptions, past
from jackpot.lab.bench.pages import Cost, PageVisitor, addresses, visiting
from jackpot.lab.bench.servers import ServedFloor
from jackpot.reports.read import journal

# They read nothing of the journal.
OF_MEMORY: Final = {
    "/", "/sign/{link}", "/sign/wall", "/logo/{link}", "/backdrop/{link}", "/font/{link}", "/static/{name}",
    "/picture/{link}/{place}", "/sign/{table}/posted",
    "/ws/meters", "/events/meters", "/healthz", "/readyz", "/api/docs",
    "/api/v1/openapi.json", "/ops/sign-in", "/ops/lab/{picture}.svg",
}  # fmt: skip
# They lead to a page that is asked: this one reads a hit of each bank, as that page does.
LEADING_ON: Final = {"/ops/hits/{hit}"}
# The hit is final: it is undone no more.
REFUSED: Final = ("/ops/hits/main/H1/preview?act=undo", 404)
# They read a month, which is longer in the longer journal; a process of its own reads it.
OF_A_MONTH: Final = ("/ops/director", "/ops/reports/result?", "/ops/reports/expected?")
# It replays what the newest snapshot has not, of which there is none in so short a journal.
SINCE_A_SNAPSHOT: Final = "/ops/reports/credits?"
SHORT, LONG, DAY_ROWS, TABLES = 1_200, 3_600, 300, 16
# Steps more for each gaming day more: its reading is one row. To read a day's rows takes thousands.
STEPS_A_DAY: Final = 30


class Asked(NamedTuple):
    """costs: by address. routes: all that answer a GET."""

    costs: dict[str, Cost]
    routes: set[str]


def ask_all(folder: Path, rows: int) -> Asked:
    made = past(folder / str(rows), rows, ServedFloor(TABLES), PastOptions(hands=True, day_rows=DAY_ROWS))

    async def ask() -> Asked:
        async with visiting(made) as visitor:
            routes = {
                route.resource.canonical
                for runner in visitor.server._sites
                for route in runner.app.router.routes()
                if route.method == "GET" and route.resource is not None
            }
            return Asked({address: await least(visitor, address) for address in addresses()}, routes)

    return asyncio.run(ask())


async def least(visitor: PageVisitor, address: str) -> Cost:
    """The lesser of two visits: what the server reads for itself at that moment is not the page's."""
    return min([await visitor.cost(address) for _ in range(2)], key=lambda cost: cost.steps)


def asked_of(route: str) -> bool:
    pattern = re.compile(re.sub(r"{\w+}", "[^/]+", route))
    return any(pattern.fullmatch(address.partition("?")[0]) for address in addresses())


def test_nothing_that_people_ask_reads_more_of_a_longer_journal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Costs that must not grow: what is read for each page, list and report, and there is no other one.

    What a number bounds has come to it in the shorter journal: a page of hits, a search for what is rare.
    """
    monkeypatch.setattr(frames, "WIN_EVERY", 5)
    monkeypatch.setattr(journal, "LOOKED_AT_MAX", 500)
    short, long = (ask_all(tmp_path, rows) for rows in (SHORT, LONG))
    assert {route for route in long.routes if not asked_of(route)} == OF_MEMORY | LEADING_ON
    answered = [cost for asked in (short, long) for cost in asked.costs.values()]
    refused = {(cost.path, cost.status) for cost in answered if cost.status != 200}
    assert refused == {REFUSED}, "the page of that hit says why, and is read as well"
    more = STEPS_A_DAY * (LONG - SHORT) // DAY_ROWS
    pairs = [
        (short.costs[address], cost)
        for address, cost in long.costs.items()
        if not address.startswith((*OF_A_MONTH, SINCE_A_SNAPSHOT))
    ]
    assert [pair for pair in pairs if pair[1].steps > pair[0].steps * 1.1 + more] == []
