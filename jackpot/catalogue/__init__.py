"""What may a link pay, on which terms, and by which regulation?

`load` reads one paytable of the catalogue, `resolve` lays a link's configuration beside it.
"""

from jackpot.catalogue.figures import money_text, parse_money, parse_pays, parse_rate, rate_text
from jackpot.catalogue.paytables import (
    CatalogueError,
    EnvySchedule,
    Figure,
    Level,
    Paytable,
    every,
    games_of,
    ids,
    load,
    parse,
    rows_of,
)
from jackpot.catalogue.terms import LevelEntry, LinkEntry, TermsRefused, resolve

__all__ = [
    "CatalogueError",
    "EnvySchedule",
    "Figure",
    "Level",
    "LevelEntry",
    "LinkEntry",
    "Paytable",
    "TermsRefused",
    "every",
    "games_of",
    "ids",
    "load",
    "money_text",
    "parse",
    "parse_money",
    "parse_pays",
    "parse_rate",
    "rate_text",
    "resolve",
    "rows_of",
]
