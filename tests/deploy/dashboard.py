"""The queries of the shipped dashboards, with every variable filled in as Grafana does."""

import json
from typing import Any, Final

from tests.deploy.tools import DEPLOY

FOLDER: Final = DEPLOY / "grafana" / "dashboards"

# What Grafana puts in: every instance, link and table; four scrape intervals; a pixel; the window.
GIVEN: Final = {
    "$instance": ".*",
    "$link": ".*",
    "$table": ".*",
    "$__rate_interval": "20s",
    "$__interval": "15s",
    "$__range": "5m",
}


def boards() -> dict[str, dict[str, Any]]:
    """Every dashboard that is shipped, by its title."""
    found = [json.loads(file.read_text()) for file in sorted(FOLDER.glob("*.json"))]
    return {board["title"]: board for board in found}


def panels(board: dict[str, Any]) -> list[dict[str, Any]]:
    """All panels but the rows' titles."""
    return [panel for panel in board["panels"] if panel["type"] != "row"]


def queries() -> dict[str, str]:
    """Every query of panels and annotations, by its location."""
    found = {}
    for title, board in boards().items():
        for panel in panels(board):
            for target in panel["targets"]:
                found[f"{title}, {panel['title']} {target['refId']}"] = target["expr"]
        found |= {f"{title}, mark {one['name']}": one["expr"] for one in board["annotations"]["list"]}
    return {name: filled(expr) for name, expr in found.items()}


def variables() -> dict[str, tuple[str, str]]:
    """Series and label of each variable that is read from Prometheus."""
    found = {}
    for board in boards().values():
        for variable in board["templating"]["list"]:
            if variable["type"] == "query":
                inner = variable["query"]["query"].removeprefix("label_values(").removesuffix(")")
                series, _, label = inner.rpartition(",")
                found[variable["name"]] = filled(series), label.strip()
    return found


def filled(expr: str) -> str:
    """The expression with all variables substituted."""
    for name, value in GIVEN.items():
        expr = expr.replace(name, value)
    return expr
