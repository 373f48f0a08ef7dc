"""The Link dashboard of one progressive: each level's history, its hits, and those that its odds predict."""

from typing import Final

from jackpot.web.dashboards.grafana import Dashboard, Panel, TableColumn
from jackpot.web.dashboards.queries import BY_LINK, BY_SERVER, HITS, MONEY, RESTARTS, L, hits_in_a_step


def _level(metric: str) -> str:
    return f"sum by (level) (jackpot_{metric}{{{L}}})"


_MADE: Final = f"sum by (level) (jackpot_hits_total{{{L}}} - jackpot_hits_undone_total{{{L}}})"
_CHANCE: Final = f"on (instance, link, level) jackpot_hit_probability_ratio{{{L}}}"
_WAGERS: Final = f"(jackpot_wagers_total{{{L}}} - jackpot_wagers_undone_total{{{L}}})"

LINK: Final = Dashboard(
    "link",
    "Link",
    "What does one progressive do? Its levels, their hits, and those that the odds let expect.",
    (BY_SERVER, BY_LINK._replace(many=False)),
    [
        Panel(
            "stat",
            "Meters",
            "What the signs show now.",
            [("{{level}}", _level("meter_currency_units"))],
            MONEY,
            12,
            5,
            decimals=2,
        ),
        Panel(
            "stat",
            "Hits",
            "Hits over the link's life, those undone left out.",
            [("{{level}}", _MADE)],
            "short",
            6,
            5,
            decimals=0,
        ),
        Panel(
            "stat",
            "Cycles",
            "One more at each reseed.",
            [("{{level}}", _level("cycle"))],
            "short",
            6,
            5,
            decimals=0,
        ),
        Panel(
            "lines",
            "History",
            "Each level's meter. The bars at the right are its hits: they add up to every hit, however wide "
            "the window is.",
            [("{{level}}", _level("meter_currency_units")), ("hits {{level}}", hits_in_a_step("level"))],
            MONEY,
            24,
            11,
            decimals=2,
            aside="/^hits /",
        ),
        Panel(
            "table",
            "Hits, expected and made",
            "Expected: wagers times the exact odds of the hands. Few hits are far from it by chance alone.",
            [
                TableColumn("Wagers", f"sum by (level) ({_WAGERS})"),
                TableColumn("One in", f"1 / (max by (level) (jackpot_hit_probability_ratio{{{L}}}) > 0)"),
                TableColumn("Expected", f"sum by (level) ({_WAGERS} * {_CHANCE})", "none"),
                TableColumn("Made", _MADE),
                TableColumn("Undone", _level("hits_undone_total")),
            ],
            width=12,
            by="level",
        ),
        Panel(
            "table",
            "Money",
            "Over the link's life. Meter, reserve and overflow are the rest, less wins.",
            [
                TableColumn("Meter", _level("meter_currency_units"), MONEY),
                TableColumn("Reserve", _level("reserve_currency_units"), MONEY),
                TableColumn("Overflow", _level("overflow_currency_units"), MONEY),
                TableColumn("Contributions", _level("contributions_currency_units"), MONEY),
                TableColumn("House", _level("house_currency_units"), MONEY),
                TableColumn("Wins", _level("wins_currency_units"), MONEY),
                TableColumn("Corrections", _level("corrections_currency_units"), MONEY),
                TableColumn("Transfers", _level("transfers_currency_units"), MONEY),
            ],
            width=12,
            by="level",
        ),
        Panel(
            "lines",
            "Contributions a minute",
            "What wagers add to meters and reserves, net of what is undone.",
            [
                (
                    "{{level}}",
                    f"sum by (level) (delta(jackpot_contributions_currency_units{{{L}}}[5m])) / 5",
                )
            ],
            MONEY,
            12,
            decimals=2,
        ),
        Panel(
            "stacked",
            "Awards waiting",
            "By level and by what they wait for.",
            [("{{level}} · {{status}}", f"sum by (level, status) (jackpot_awards_waiting{{{L}}})")],
            "short",
            12,
            decimals=0,
        ),
    ],
    (HITS, RESTARTS),
)
