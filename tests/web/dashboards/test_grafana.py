"""Grafana JSON generated from panels."""

from jackpot.web.dashboards.grafana import Dashboard, Panel, TableColumn, Variable, written

BOARD = Dashboard(
    "some",
    "Some",
    "A board.",
    [Variable("link", "Link", "jackpot_link_active")],
    [
        Panel("stat", "One", "A number.", [("__auto", "up")], "money", 14, 4),
        Panel(
            "lines",
            "Wide",
            "A graph.",
            [("{{link}}", "up"), ("hits {{link}}", "up")],
            "s",
            12,
            aside="/^hits /",
        ),
        Panel(
            "table",
            "Rows",
            "A table.",
            [TableColumn("Sum", "up", "money"), TableColumn("Up", "up")],
            by="link",
        ),
    ],
)


def test_panels_stand_in_lines_and_never_over_one_another() -> None:
    """Deploy: what does not fit into 24 columns begins a line below the highest panel of the one before."""
    places = [panel["gridPos"] for panel in written(BOARD, "", {})["panels"]]
    assert places == [
        {"x": 0, "y": 0, "w": 14, "h": 4},
        {"x": 0, "y": 4, "w": 12, "h": 8},
        {"x": 12, "y": 4, "w": 8, "h": 8},
    ]


def test_sums_are_in_the_currency_of_the_site() -> None:
    """Deploy: what stands for a sum is written in the given unit, in panels and in columns."""
    stat, graph, table = written(BOARD, "", {"money": "currencyEUR"})["panels"]
    assert stat["fieldConfig"]["defaults"]["unit"] == "currencyEUR"
    assert graph["fieldConfig"]["defaults"]["unit"] == "s"
    (money, _) = table["fieldConfig"]["overrides"]
    assert money["properties"] == [{"id": "unit", "value": "currencyEUR"}]


def test_what_is_counted_at_the_side_is_bars() -> None:
    """Deploy: series by their legend have an axis of their own, so that one hit is seen next to thousands."""
    (aside,) = written(BOARD, "", {})["panels"][1]["fieldConfig"]["overrides"]
    assert aside["matcher"] == {"id": "byRegexp", "options": "/^hits /"}
    assert {"id": "custom.drawStyle", "value": "bars"} in aside["properties"]
    assert {"id": "custom.axisPlacement", "value": "right"} in aside["properties"]
