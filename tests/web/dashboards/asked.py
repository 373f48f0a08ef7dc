"""Which metrics does a dashboard ask for?"""

import re

from jackpot.web.dashboards.grafana import Board, Column


def metrics(board: Board) -> set[str]:
    """Of all its panels' expressions."""
    asks = [ask for panel in board.panels for ask in panel.asks]
    text = " ".join(ask.expr if isinstance(ask, Column) else ask[1] for ask in asks)
    return {
        re.sub(r"_(bucket|count)$", "", name) for name in re.findall(r"\b(?:jackpot|process)_[a-z_]+", text)
    }
