"""The Business dashboard: wagers by table and game, cost of awards, contributions and house money."""

from typing import Final

from jackpot.web.dashboards.grafana import Dashboard, Panel, TableColumn
from jackpot.web.dashboards.queries import BY_LINK, BY_SERVER, BY_TABLE, HITS, MONEY, TL, L, T, row

_GAMES: Final = "on (instance, table) group_left (game) jackpot_table_info"
_RATE: Final = f"rate(jackpot_table_wagers_total{{{TL}}}[$__rate_interval])"
_PLAYED: Final = f"increase(jackpot_table_wagers_total{{{TL}}}[$__range])"
_ROUNDS: Final = f"increase(jackpot_table_rounds_total{{{T}}}[$__range])"
_AWARDED: Final = "jackpot_awards_made_currency_units_total"
_CONTRIBUTED: Final = f"sum by (link, level) (jackpot_contributions_currency_units{{{L}}})"
_PUT_IN: Final = f"sum by (link, level) (jackpot_house_currency_units{{{L}}})"

BUSINESS: Final = Dashboard(
    "business",
    "Business",
    "Is the link earning? Wagers by table and game, what awards cost, and contributions next to house money.",
    (BY_SERVER, BY_LINK, BY_TABLE),
    [
        Panel(
            "table",
            "Wagers by table",
            "Wagers and rounds of each table in the chosen time, those undone later included.",
            [
                TableColumn("Wagers", f"sum by (table) ({_PLAYED})", "locale"),
                TableColumn("Rounds", _ROUNDS, "locale"),
                TableColumn(
                    "Wagers a round",
                    f"sum by (table) ({_PLAYED}) / (sum by (table) ({_ROUNDS}) > 0)",
                    "none",
                ),
            ],
            width=8,
            height=10,
            by="table",
        ),
        Panel(
            "stacked",
            "Wagers an hour, by game",
            "What each game brings to the links.",
            [
                (
                    "{{game}}",
                    f"3600 * sum by (game) ({_RATE} * {_GAMES})",
                )
            ],
            "short",
            8,
            10,
            decimals=0,
        ),
        Panel(
            "stacked",
            "Wagers an hour, by link",
            "What each link takes.",
            [
                (
                    "{{link}}",
                    f"3600 * sum by (link) ({_RATE})",
                )
            ],
            "short",
            8,
            10,
            decimals=0,
        ),
        row("What it costs"),
        Panel(
            "stat",
            "Envy",
            "Envy bonuses awarded in the chosen time, which the house pays; undone ones included.",
            [
                (
                    "{{link}}",
                    f'sum by (link) (increase({_AWARDED}{{{L}, kind="envy"}}[$__range]))',
                )
            ],
            MONEY,
            6,
            decimals=2,
        ),
        Panel(
            "bars",
            "Awards an hour, by kind",
            "As they were made: meter awards come from the meters, the others from the house.",
            [("{{kind}}", f"3600 * sum by (kind) (rate({_AWARDED}{{{L}}}[$__rate_interval])) > 0")],
            MONEY,
            9,
            decimals=2,
        ),
        Panel(
            "lines",
            "Awarded over the links' lives, by who pays",
            "Paid or not. The cage pays meter awards, the table's inventory odds and envy, "
            "the account electronic wins.",
            [("{{pays}}", f"sum by (pays) (jackpot_awards_currency_units{{{L}}})")],
            MONEY,
            9,
            decimals=2,
        ),
        row("Contributions and house money"),
        Panel(
            "lines",
            "Contributions an hour",
            "What wagers add to meters and reserves, net of what is undone.",
            [
                (
                    "{{link}}",
                    f"sum by (link) (delta(jackpot_contributions_currency_units{{{L}}}[1h]))",
                )
            ],
            MONEY,
            12,
            decimals=2,
        ),
        Panel(
            "lines",
            "Contributions for each unit of house money",
            "Over the links' lives. Below 1 the house has put in more than the players have.",
            [
                ("{{link}} · {{level}}", f"{_CONTRIBUTED} / ({_PUT_IN} > 0)"),
            ],
            "none",
            12,
            decimals=2,
        ),
    ],
    (HITS,),
)
