"""Grafana dashboards for operations: Floor, Link, Server and Business.

This is their one source: `jackpot dashboards` writes them in the site's currency, and
deploy/grafana/dashboards has them for US dollars.
"""

import json
from collections.abc import Iterator
from typing import Final

from jackpot.web.dashboards.business import BUSINESS
from jackpot.web.dashboards.floor import FLOOR
from jackpot.web.dashboards.grafana import written
from jackpot.web.dashboards.link import LINK
from jackpot.web.dashboards.queries import MONEY
from jackpot.web.dashboards.server import SERVER

# Currencies that Grafana writes by their sign; it puts the code before a sum of any other.
SIGNS: Final = (
    "USD",
    "GBP",
    "EUR",
    "JPY",
    "BRL",
    "DKK",
    "ISK",
    "NOK",
    "SEK",
    "CZK",
    "CHF",
    "PLN",
    "ZAR",
    "INR",
)
RUNBOOK: Final = "RUNBOOK.md"


def dashboards(currency: str, runbook: str = RUNBOOK) -> Iterator[tuple[str, str]]:
    """Each dashboard's file name and JSON. currency: of ISO 4217. runbook: its address for people."""
    units = {MONEY: f"currency{currency}" if currency in SIGNS else f"currency:{currency}"}
    for board in (FLOOR, LINK, SERVER, BUSINESS):
        text = json.dumps(written(board, runbook, units), indent=2, ensure_ascii=False)
        yield f"{board.uid}.json", f"{text}\n"
