"""Paytables of regulations, and the terms of a link that follow from them.

`load` reads one paytable of the catalogue, `resolve` makes a link's terms of it and of the link's
configuration.
"""

from jackpot.catalogue.figures import money_text, parse_money, parse_pays, parse_rate, rate_text
from jackpot.catalogue.paytables import (
    CatalogueError,
    EnvySchedule,
    Figure,
    Paytable,
    PaytableLevel,
    cards_by_house,
    every,
    games_of,
    ids,
    load,
    parse,
    rows_of,
)
from jackpot.catalogue.returns import (
    Odds,
    Return,
    draws_return,
    envy_return,
    envy_sums,
    hit_chance,
    odds_of,
    odds_return,
    percent_text,
    return_of,
    row_chances,
    times,
)
from jackpot.catalogue.terms import DEFAULT_BANK, LevelEntry, LinkEntry, TermsRefused, resolve

__all__ = [
    "DEFAULT_BANK",
    "CatalogueError",
    "EnvySchedule",
    "Figure",
    "LevelEntry",
    "LinkEntry",
    "Odds",
    "Paytable",
    "PaytableLevel",
    "Return",
    "TermsRefused",
    "cards_by_house",
    "draws_return",
    "envy_return",
    "envy_sums",
    "every",
    "games_of",
    "hit_chance",
    "ids",
    "load",
    "money_text",
    "odds_of",
    "odds_return",
    "parse",
    "parse_money",
    "parse_pays",
    "parse_rate",
    "percent_text",
    "rate_text",
    "resolve",
    "return_of",
    "row_chances",
    "rows_of",
    "times",
]
