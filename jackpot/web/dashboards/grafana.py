"""Grafana's dashboard JSON, generated from panels, their queries and units."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, Literal, NamedTuple

Map = dict[str, Any]

COLUMNS: Final = 24
SOURCE: Final = {"type": "prometheus", "uid": "${datasource}"}
# What a colour says: in order, look at it, act.
GREEN: Final = "green"
YELLOW: Final = "yellow"
RED: Final = "red"
GOLD: Final = "#f5c542"
YES_NO: Final = {0: ("", GREEN), 1: ("yes", "orange")}
ON_OFF: Final = {0: ("offline", RED), 1: ("on", GREEN)}

# Steps of a threshold: from which value on which colour holds.
Steps = Sequence[tuple[float, str]]
Mapping = dict[int, tuple[str, str]]


class TableColumn(NamedTuple):
    """One column of a table: a query, with a value for each value of the table's label."""

    name: str
    expr: str
    unit: str = "locale"
    mapping: Mapping | None = None


class Panel(NamedTuple):
    """One panel. words: a sentence. asks: legends and expressions, or columns.

    width: of 24 columns. steps: for a stat, and lines in a graph. mapping: texts of values. by: the label of
    a table's rows. aside: legends of a graph that are bars, with their axis at the right.
    """

    kind: Literal["stat", "lines", "stacked", "bars", "states", "table", "row"]
    title: str
    words: str = ""
    asks: Sequence[tuple[str, str] | TableColumn] = ()
    unit: str = "none"
    width: int = 8
    height: int = 8
    steps: Steps = ()
    mapping: Mapping | None = None
    by: str = ""
    aside: str = ""
    aside_unit: str = "short"
    decimals: int | None = None


class Variable(NamedTuple):
    """A dashboard variable: a label of a series. many: more than one value, or all."""

    name: str
    label: str
    series: str
    many: bool = True


class Dashboard(NamedTuple):
    uid: str
    title: str
    words: str
    variables: Sequence[Variable]
    panels: Sequence[Panel]
    marks: Sequence[tuple[str, str, str, str]] = ()
    """By name: an expression, the mark's text and its colour."""


def written(board: Dashboard, runbook: str, units: dict[str, str]) -> Map:
    """A dashboard's JSON. runbook: its link to the runbook.

    units: Grafana's units for placeholders of ours.
    """
    panels = [_in_units(panel, units) for panel in board.panels]
    return {
        "uid": f"jackpot-{board.uid}",
        "title": board.title,
        "description": board.words,
        "tags": ["jackpot"],
        "schemaVersion": 39,
        "version": 1,
        "editable": True,
        "graphTooltip": 1,
        "refresh": "5s",
        "time": {"from": "now-1h", "to": "now"},
        "timezone": "browser",
        "weekStart": "",
        "fiscalYearStartMonth": 0,
        "liveNow": False,
        "links": [_link("Dashboards", "dashboards"), _link("Runbook", "link", runbook)],
        "timepicker": {"refresh_intervals": ["5s", "10s", "30s", "1m", "5m"]},
        "annotations": {"list": [_mark(*mark) for mark in board.marks]},
        "templating": {"list": [_DATASOURCE, *map(_variable, board.variables)]},
        "panels": list(_placed(panels)),
    }


def _in_units(panel: Panel, units: dict[str, str]) -> Panel:
    asks = [
        one._replace(unit=units.get(one.unit, one.unit)) if isinstance(one, TableColumn) else one
        for one in panel.asks
    ]
    return panel._replace(asks=asks, unit=units.get(panel.unit, panel.unit))


_DATASOURCE: Final = {
    "name": "datasource",
    "label": "Data source",
    "type": "datasource",
    "query": "prometheus",
    "refresh": 1,
    "current": {},
    "hide": 0,
    "includeAll": False,
    "multi": False,
    "options": [],
    "regex": "",
    "skipUrlSync": False,
}


def _link(title: str, kind: str, url: str = "") -> Map:
    return {
        "title": title,
        "type": kind,
        "url": url,
        "tags": ["jackpot"] if kind == "dashboards" else [],
        "asDropdown": kind == "dashboards",
        "icon": "external link" if kind == "dashboards" else "doc",
        "includeVars": kind == "dashboards",
        "keepTime": kind == "dashboards",
        "targetBlank": kind == "link",
        "tooltip": "",
    }


def _mark(name: str, expr: str, text: str, colour: str) -> Map:
    return {
        "name": name,
        "datasource": SOURCE,
        "enable": True,
        "hide": False,
        "iconColor": colour,
        "expr": expr,
        "step": "10s",
        "titleFormat": text,
        "textFormat": "",
        "tagKeys": "",
    }


def _variable(variable: Variable) -> Map:
    query = f"label_values({variable.series}, {variable.name})"
    return {
        "name": variable.name,
        "label": variable.label,
        "type": "query",
        "datasource": SOURCE,
        "definition": query,
        "query": {"query": query, "refId": f"variable-{variable.name}", "qryType": 1},
        "refresh": 2,
        "sort": 1,
        "includeAll": variable.many,
        "multi": variable.many,
        "allValue": ".*",
        "current": {"selected": True, "text": ["All"], "value": ["$__all"]} if variable.many else {},
        "options": [],
        "hide": 0,
        "regex": "",
        "skipUrlSync": False,
    }


def _placed(panels: Iterable[Panel]) -> Iterator[Map]:
    """Lays panels out from left to right, then below the highest one of the line."""
    left = top = high = 0
    for number, panel in enumerate(panels, 1):
        width, height = (COLUMNS, 1) if panel.kind == "row" else (panel.width, panel.height)
        if left + width > COLUMNS:
            left, top, high = 0, top + high, 0
        yield {
            "id": number,
            "gridPos": {"x": left, "y": top, "w": width, "h": height},
            "title": panel.title,
            **_FORMS[panel.kind](panel),
        }
        left, high = left + width, max(high, height)


def _target(place: int, expr: str, legend: str, *, instant: bool) -> Map:
    when = {"instant": True, "range": False} if instant else {"range": True}
    return {
        "refId": chr(ord("A") + place),
        "datasource": SOURCE,
        "expr": expr,
        "legendFormat": legend,
        "editorMode": "code",
        **when,
    }


def _asked(panel: Panel, *, instant: bool) -> Map:
    asks = [(one.name, one.expr) if isinstance(one, TableColumn) else one for one in panel.asks]
    targets = [_target(place, expr, name, instant=instant) for place, (name, expr) in enumerate(asks)]
    return {"description": panel.words, "datasource": SOURCE, "targets": targets}


def _mappings(mapping: Mapping) -> list[Map]:
    texts = enumerate(mapping.items())
    options = {
        str(value): {"text": text, "color": colour, "index": at} for at, (value, (text, colour)) in texts
    }
    return [{"type": "value", "options": options}]


def _thresholds(steps: Steps) -> Map:
    # The first colour holds from below everything: Grafana wants no number there.
    found = [{"color": colour, "value": value if at else None} for at, (value, colour) in enumerate(steps)]
    return {"mode": "absolute", "steps": found}


def _row(_panel: Panel) -> Map:
    return {"type": "row", "collapsed": False, "panels": []}


def _stat(panel: Panel) -> Map:
    defaults: Map = {"unit": panel.unit, "color": {"mode": "thresholds"}}
    defaults["thresholds"] = _thresholds(panel.steps or ((0, GOLD),))
    if panel.mapping is not None:
        defaults["mappings"] = _mappings(panel.mapping)
    if panel.decimals is not None:
        defaults["decimals"] = panel.decimals
    named = any(name != "__auto" for name, *_ in panel.asks)
    options = {
        "colorMode": "background" if panel.steps else "value",
        "graphMode": "none" if panel.steps else "area",
        "justifyMode": "center",
        "textMode": "value_and_name" if named else "value",
        "reduceOptions": {"calcs": ["lastNotNull"], "fields": "", "values": False},
        "wideLayout": not named,
        "orientation": "auto",
    }
    config = {"defaults": defaults, "overrides": []}
    # A background line is drawn of a range alone.
    return {
        "type": "stat",
        **_asked(panel, instant=bool(panel.steps)),
        "fieldConfig": config,
        "options": options,
    }


def _graph(panel: Panel) -> Map:
    bars = panel.kind == "bars"
    custom: Map = {"drawStyle": "bars" if bars else "line", "lineWidth": 0 if bars else 2}
    custom |= {"fillOpacity": 70 if bars else 12, "showPoints": "never", "spanNulls": False, "axisSoftMin": 0}
    if panel.kind == "lines":
        custom["lineInterpolation"] = "linear"
    else:
        custom |= {"fillOpacity": 70 if bars else 30, "stacking": {"mode": "normal", "group": "A"}}
    defaults: Map = {
        "unit": panel.unit,
        "color": {"mode": "palette-classic"},
        "custom": custom,
        "noValue": "none",
    }
    if panel.steps:
        defaults["thresholds"] = _thresholds(panel.steps)
        custom["thresholdsStyle"] = {"mode": "line"}
    if panel.decimals is not None:
        defaults["decimals"] = panel.decimals
    overrides = []
    if panel.aside:
        apart = {"axisPlacement": "right", "drawStyle": "bars", "fillOpacity": 100, "lineWidth": 3}
        looks = [{"id": "unit", "value": panel.aside_unit}, {"id": "decimals", "value": 0}]
        looks += [{"id": f"custom.{name}", "value": value} for name, value in apart.items()]
        overrides.append({"matcher": {"id": "byRegexp", "options": panel.aside}, "properties": looks})
    legend = {
        "displayMode": "table",
        "placement": "bottom",
        "calcs": ["max", "lastNotNull"],
        "showLegend": True,
    }
    options = {"legend": legend, "tooltip": {"mode": "multi", "sort": "desc"}}
    config = {"defaults": defaults, "overrides": overrides}
    return {"type": "timeseries", **_asked(panel, instant=False), "fieldConfig": config, "options": options}


def _states(panel: Panel) -> Map:
    defaults: Map = {
        "unit": panel.unit,
        "color": {"mode": "thresholds"},
        "custom": {"fillOpacity": 75, "lineWidth": 0},
    }
    defaults["thresholds"] = _thresholds(((0, RED), (1, GREEN)))
    defaults["mappings"] = _mappings(panel.mapping or ON_OFF)
    options = {
        "mergeValues": True,
        "showValue": "never",
        "alignValue": "center",
        "rowHeight": 0.8,
        "legend": {"showLegend": False, "displayMode": "list", "placement": "bottom", "calcs": []},
        "tooltip": {"mode": "single", "sort": "none"},
    }
    config = {"defaults": defaults, "overrides": []}
    return {
        "type": "state-timeline",
        **_asked(panel, instant=False),
        "fieldConfig": config,
        "options": options,
    }


def _table(panel: Panel) -> Map:
    """A table panel: a row for each value of one label, a column for each query."""
    found = _asked(panel, instant=True)
    columns = [one for one in panel.asks if isinstance(one, TableColumn)]
    overrides, names = [], {panel.by: panel.by.capitalize()}
    for target, column in zip(found["targets"], columns, strict=True):
        target["format"] = "table"
        target["legendFormat"] = "__auto"
        names[f"Value #{target['refId']}"] = column.name
        looks: list[Map] = [{"id": "unit", "value": column.unit}]
        if column.mapping is not None:
            looks = [{"id": "mappings", "value": _mappings(column.mapping)}]
            looks.append({"id": "custom.cellOptions", "value": {"type": "color-text"}})
        overrides.append({"matcher": {"id": "byName", "options": column.name}, "properties": looks})
    pattern = f"^({panel.by}|Value #[A-{chr(ord('A') + len(columns) - 1)}])$"
    order = {
        "renameByName": names,
        "indexByName": {name: at for at, name in enumerate(names)},
        "excludeByName": {},
    }
    return {
        "type": "table",
        **found,
        "fieldConfig": {
            "defaults": {"unit": "none", "color": {"mode": "palette-classic"}},
            "overrides": overrides,
        },
        "options": {"showHeader": True, "cellHeight": "sm"},
        "transformations": [
            {"id": "joinByField", "options": {"byField": panel.by, "mode": "outer"}},
            {"id": "filterFieldsByName", "options": {"include": {"pattern": pattern}}},
            {"id": "organize", "options": order},
        ],
    }


_FORMS: Final = {
    "row": _row,
    "stat": _stat,
    "lines": _graph,
    "stacked": _graph,
    "bars": _graph,
    "states": _states,
    "table": _table,
}
