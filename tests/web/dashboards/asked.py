"""Names of the metrics that a dashboard queries."""

import re

from jackpot.web.dashboards.grafana import Dashboard, TableColumn


def metrics(board: Dashboard) -> set[str]:
    """Metric names in the expressions of all its panels."""
    asks = [ask for panel in board.panels for ask in panel.asks]
    text = " ".join(ask.expr if isinstance(ask, TableColumn) else ask[1] for ask in asks)
    return {
        re.sub(r"_(bucket|count)$", "", name) for name in re.findall(r"\b(?:jackpot|process)_[a-z_]+", text)
    }
