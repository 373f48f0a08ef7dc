"""Which queries does the dashboard ask, as Grafana would ask them with everything chosen?"""

import json
from typing import Any, Final

from tests.deploy.tools import DEPLOY

FLOOR: Final = DEPLOY / "grafana" / "dashboards" / "floor.json"

# What Grafana puts in: every instance, link and table; four scrape intervals; the width of a pixel.
GIVEN: Final = {
    "$instance": ".*",
    "$link": ".*",
    "$table": ".*",
    "$__rate_interval": "20s",
    "$__interval": "15s",
}


def dashboard() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(FLOOR.read_text())
    return found


def panels() -> list[dict[str, Any]]:
    """All panels but the rows' titles."""
    return [panel for panel in dashboard()["panels"] if panel["type"] != "row"]


def queries() -> dict[str, str]:
    """Every query by where it stands: of panels, of annotations."""
    found = {
        f"{panel['title']} {target['refId']}": target["expr"]
        for panel in panels()
        for target in panel["targets"]
    }
    found |= {f"annotation {one['name']}": one["expr"] for one in dashboard()["annotations"]["list"]}
    return {name: filled(expr) for name, expr in found.items()}


def variables() -> dict[str, tuple[str, str]]:
    """Of each variable that is read from Prometheus: the series it looks at, and their label."""
    found = {}
    for variable in dashboard()["templating"]["list"]:
        if variable["type"] == "query":
            inner = variable["query"]["query"].removeprefix("label_values(").removesuffix(")")
            series, _, label = inner.rpartition(",")
            found[variable["name"]] = filled(series), label.strip()
    return found


def filled(expr: str) -> str:
    """An expression with everything put in."""
    for name, value in GIVEN.items():
        expr = expr.replace(name, value)
    return expr
