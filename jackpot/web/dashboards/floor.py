"""The Floor dashboard: meters, tables and signs, what waits for people, and what is wrong."""

from typing import Final

from jackpot.web.dashboards.grafana import GREEN, ON_OFF, RED, YES_NO, Dashboard, Panel, TableColumn
from jackpot.web.dashboards.queries import (
    BY_LINK,
    BY_SERVER,
    BY_TABLE,
    HITS,
    MONEY,
    NONE,
    RESTARTS,
    TL,
    L,
    S,
    T,
    hits_in_a_step,
    late,
    one,
    row,
)

_OLDEST: Final = f"jackpot_oldest_waiting_timestamp_seconds{{{L}}}"
_UP: Final = f"min(max by (bank) (jackpot_bank_active{{{S}}})) or vector(0)"

FLOOR: Final = Dashboard(
    "floor",
    "Floor",
    "Is the floor healthy? Meters, tables and signs, what waits for people, and what is wrong.",
    (BY_SERVER, BY_LINK, BY_TABLE),
    [
        one(
            "Server",
            "Answering, and every bank of it durable.",
            f"min(up{{{S}}}) * ({_UP})",
            steps=((0, RED), (1, GREEN)),
        )._replace(mapping={0: ("DOWN", RED), 1: ("UP", GREEN)}),
        one(
            "Links suspended",
            "Links that take no wagers now.",
            f"count(jackpot_link_active{{{L}}} == 0) or vector(0)",
            steps=NONE,
        ),
        one(
            "Tables offline",
            "Configured tables that are not connected.",
            f"count(jackpot_table_connected{{{T}}} == 0) or vector(0)",
            steps=late(1),
        ),
        one(
            "Signs offline",
            "Configured signs that are not connected.",
            f"count(jackpot_sign_connected{{{S}}} == 0) or vector(0)",
            steps=late(1),
        ),
        one(
            "Awards waiting",
            "Awards that wait for a floorperson, or for papers.",
            f"sum(jackpot_awards_waiting{{{L}}})",
            steps=late(1),
        ),
        one(
            "Longest wait",
            "How long the oldest hit has waited that is neither paid nor disputed.",
            f"max((time() - {_OLDEST}) * ({_OLDEST} > bool 0))",
            unit="s",
            steps=late(300, 900),
        ),
        one(
            "Second people",
            "Acts that wait for a second person.",
            f"sum(jackpot_requests_waiting{{{S}}})",
            steps=late(1),
        ),
        one(
            "Alerts",
            "Alerts that fire now, but for the news of a jackpot won.",
            'count(ALERTS{alertname=~"Jackpot.*", alertstate="firing", severity!="info"}) or vector(0)',
            steps=NONE,
        ),
        row("Meters and play"),
        Panel(
            "stat",
            "Meters",
            "What the signs show now.",
            [("{{link}} · {{level}}", f"jackpot_meter_currency_units{{{L}}}")],
            MONEY,
            10,
            9,
            decimals=2,
        ),
        Panel(
            "bars",
            "Hits",
            "Percentage hits by level: the bars add up to every hit, however wide the window is.",
            [("{{link}} · {{level}}", hits_in_a_step("link, level"))],
            "short",
            7,
            9,
            decimals=0,
        ),
        Panel(
            "lines",
            "Rounds a minute",
            "Rounds that the chosen tables close, and wagers by link.",
            [
                ("rounds", f"60 * sum(rate(jackpot_table_rounds_total{{{T}}}[$__rate_interval]))"),
                (
                    "wagers, {{link}}",
                    f"60 * sum by (link) (rate(jackpot_table_wagers_total{{{TL}}}[$__rate_interval]))",
                ),
            ],
            "opm",
            7,
            9,
            decimals=1,
        ),
        row("Tables"),
        Panel(
            "states",
            "Tables on and offline",
            "A gap in the green is a time without progressive wagers at that table.",
            [("{{table}}", f"jackpot_table_connected{{{T}}}")],
            width=12,
            height=9,
        ),
        Panel(
            "table",
            "Tables now",
            "Rounds and wagers over each table's life; wagers undone later are in them, as the table counts.",
            [
                TableColumn("State", f"jackpot_table_connected{{{T}}}", mapping=ON_OFF),
                TableColumn("Rounds", f"jackpot_table_rounds_total{{{T}}}"),
                TableColumn("Wagers", f"sum by (table) (jackpot_table_wagers_total{{{T}}})"),
                TableColumn(
                    "Last heard", f"time() - (jackpot_table_last_seen_timestamp_seconds{{{T}}} > 0)", "s"
                ),
                TableColumn("Cards held", f"jackpot_table_held{{{T}}}", mapping=YES_NO),
                TableColumn("Count differs", f"jackpot_table_chip_mismatch{{{T}}}", mapping=YES_NO),
            ],
            width=12,
            height=9,
            by="table",
        ),
        row("What people see to"),
        Panel(
            "stacked",
            "Awards waiting",
            "Pending: for a floorperson. Validated: for papers. Disputed: for those who lift that.",
            [
                (
                    "{{link}} · {{status}}",
                    f"sum by (link, status) (jackpot_awards_waiting{{{L}}})",
                )
            ],
            "short",
            decimals=0,
        ),
        Panel(
            "stacked",
            "Sum of the awards that wait",
            "Money that is won and not paid.",
            [("{{link}}", f"sum by (link) (jackpot_awards_waiting_currency_units{{{L}}})")],
            MONEY,
            decimals=2,
        ),
        Panel(
            "bars",
            "Alarms",
            "What the server warned of in the five minutes before; the pages and the log have each.",
            [("{{code}}", f"sum by (code) (increase(jackpot_alarms_total{{{S}}}[5m])) > 0")],
            "short",
        ),
    ],
    (HITS, RESTARTS),
)
