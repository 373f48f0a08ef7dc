"""Panels, variables and queries that several dashboards share."""

from typing import Final

from jackpot.web.dashboards.grafana import GREEN, RED, YELLOW, Panel, Steps, Variable

# The unit of sums: `written` puts in the site's currency.
MONEY: Final = "money"

S: Final = 'job="jackpot", instance=~"$instance"'
L: Final = f'{S}, link=~"$link"'
T: Final = f'{S}, table=~"$table"'
TL: Final = f'{T}, link=~"$link"'

BY_SERVER: Final = Variable("instance", "Server", 'jackpot_build_info{job="jackpot"}')
BY_LINK: Final = Variable("link", "Link", f"jackpot_link_active{{{S}}}")
BY_TABLE: Final = Variable("table", "Table", f"jackpot_table_connected{{{S}}}")

# Green up to one; from there on a person looks.
NONE: Final = ((0, GREEN), (1, RED))


def late(look: float, act: float | None = None) -> Steps:
    """Thresholds: green, yellow from where somebody looks, red from where somebody acts."""
    return ((0, GREEN), (look, YELLOW), *([] if act is None else [(act, RED)]))


def row(title: str) -> Panel:
    """A row with its title, above the panels that follow."""
    return Panel("row", title)


def one(title: str, words: str, expr: str, steps: Steps = (), unit: str = "none") -> Panel:
    """A stat panel of the current value; a duration is in whole seconds."""
    decimals = 0 if unit == "s" else None
    return Panel("stat", title, words, [("__auto", expr)], unit, 3, 4, steps, decimals=decimals)


def hits_in_a_step(labels: str) -> str:
    """Expression for the hits within each step of a graph, by these labels.

    Every rise of the counter is in one step and in no other, so that none is lost however wide the window is.
    The value before it may be an hour old, if nothing was scraped meanwhile.
    """
    now = f"max by (link, level) (jackpot_hits_total{{{L}}})"
    before = f"max by (link, level) (last_over_time(jackpot_hits_total{{{L}}}[1h] offset $__interval))"
    return f"sum by ({labels}) ({now} - {before}) > 0"


HITS: Final = ("Hits", hits_in_a_step("link, level"), "{{link}} {{level}} won", "#f5c542")
RESTARTS: Final = (
    "Restarts",
    f"changes(process_start_time_seconds{{{S}}}[$__interval]) > 0",
    "The server was restarted",
    "red",
)
