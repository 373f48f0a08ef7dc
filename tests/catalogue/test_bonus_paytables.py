"""Bonus and base wagers match the printed regulations: every table is typed here from its own section."""
# ruff: noqa: E501 - tables stand as they are printed

import re
from typing import Final

import pytest

from jackpot import catalogue
from jackpot.catalogue import CatalogueError, Paytable

# What a printed hand is called, with its suits and the least rank of a pair.
HANDS: Final = {
    "Six-card royal flush, diamonds": ("six-card-royal-flush", "d", ""),
    "Six-card royal flush, hearts, spades or clubs": ("six-card-royal-flush", "hsc", ""),
    "Royal flush": ("royal-flush", "", ""),
    "Straight flush": ("straight-flush", "", ""),
    "Four-of-a-kind": ("four-of-a-kind", "", ""),
    "Full house": ("full-house", "", ""),
    "Flush": ("flush", "", ""),
    "Straight": ("straight", "", ""),
    "Three-of-a-kind": ("three-of-a-kind", "", ""),
    "Two pair": ("two-pair", "", ""),
    "Pair": ("pair", "", ""),
    "Pair of tens or better": ("pair", "", "T"),
    "Pair of aces": ("pair", "", "A"),
    "Pair of 6s or better": ("pair", "", "6"),
    "Pair of jacks or better": ("pair", "", "J"),
    "Pair of 6s through 10s": ("pair", "", "6"),
    "Mini-royal": ("mini-royal", "", ""),
    "Ace, king, queen of spades": ("mini-royal", "s", ""),
    "Ace, king, queen": ("mini-royal", "hdc", ""),
    "Less than a straight": ("", "", ""),
    "Less than a flush": ("", "", ""),
}
# A row that is printed for all lower hands stands for each of them here.
LOWER: Final = ("straight", "three-of-a-kind", "two-pair", "pair", "high-card")

# By section as it is cited: the ids that it makes, and its table as printed. A dash is an empty cell, or N/A.
PRINTED: Final[dict[str, tuple[str, str]]] = {
    "58 Pa. Code § 643a.12(a)": (
        "pa-643a-base-?",
        """
        Hand                   | A          | B
        Royal flush            | 1,000 to 1 | 500 to 1
        Straight flush         | 200 to 1   | 200 to 1
        Four-of-a-kind         | 50 to 1    | 50 to 1
        Full house             | 11 to 1    | 11 to 1
        Flush                  | 8 to 1     | 8 to 1
        Straight               | 5 to 1     | 5 to 1
        Three-of-a-kind        | 3 to 1     | 3 to 1
        Two pair               | 2 to 1     | 2 to 1
        Pair of tens or better | 1 to 1     | 1 to 1
        """,
    ),
    "58 Pa. Code § 643a.12(b)": (
        "pa-643a-five-card-bonus-?",
        """
        Hand                   | A           | B           | C           | D           | E           | F           | G
        Royal flush            | 20,000 to 1 | 20,000 to 1 | 20,000 to 1 | 10,000 to 1 | 10,000 to 1 | 10,000 to 1 | 25,000 to 1
        Straight flush         | 2,000 to 1  | 2,000 to 1  | 2,000 to 1  | 2,000 to 1  | 2,000 to 1  | 2,000 to 1  | 2,500 to 1
        Four-of-a-kind         | 150 to 1    | 200 to 1    | 100 to 1    | 200 to 1    | 200 to 1    | 100 to 1    | 400 to 1
        Full house             | 75 to 1     | 75 to 1     | 75 to 1     | 75 to 1     | 100 to 1    | 75 to 1     | 200 to 1
        Flush                  | 50 to 1     | 50 to 1     | 50 to 1     | 50 to 1     | 50 to 1     | 50 to 1     | 50 to 1
        Straight               | 25 to 1     | 25 to 1     | 25 to 1     | 25 to 1     | 25 to 1     | 25 to 1     | 25 to 1
        Three-of-a-kind        | 4 to 1      | 5 to 1      | 9 to 1      | 5 to 1      | 10 to 1     | 9 to 1      | 5 to 1
        Two pair               | 3 to 1      | 4 to 1      | 6 to 1      | 4 to 1      | 6 to 1      | 6 to 1      | -
        Pair of tens or better | 2 to 1      | 1 to 1      | -           | 1 to 1      | -           | -           | -
        """,
    ),
    "58 Pa. Code § 643a.12(c)": (
        "pa-643a-three-card-bonus-?",
        """
        Hand            | A       | B       | C       | D       | E       | F
        Mini-royal      | -       | -       | -       | 50 to 1 | 50 to 1 | 50 to 1
        Straight flush  | 40 to 1 | 40 to 1 | 40 to 1 | 40 to 1 | 40 to 1 | 40 to 1
        Three-of-a-kind | 30 to 1 | 30 to 1 | 30 to 1 | 30 to 1 | 30 to 1 | 30 to 1
        Straight        | 6 to 1  | 5 to 1  | 6 to 1  | 6 to 1  | 5 to 1  | 6 to 1
        Flush           | 4 to 1  | 4 to 1  | 3 to 1  | 4 to 1  | 4 to 1  | 3 to 1
        Pair            | 1 to 1  | 1 to 1  | 1 to 1  | 1 to 1  | 1 to 1  | 1 to 1
        """,
    ),
    "58 Pa. Code § 643a.12(g)": (
        "pa-643a-six-card-bonus-?",
        """
        Hand                                          | A          | B          | C          | D          | E
        Six-card royal flush, diamonds                | -          | -          | -          | -          | 200,000 to 1
        Six-card royal flush, hearts, spades or clubs | -          | -          | -          | -          | 20,000 to 1
        Royal flush                                   | 1,000 to 1 | 1,000 to 1 | 1,000 to 1 | 1,000 to 1 | 1,000 to 1
        Straight flush                                | 200 to 1   | 200 to 1   | 200 to 1   | 200 to 1   | 200 to 1
        Four-of-a-kind                                | 50 to 1    | 50 to 1    | 100 to 1   | 100 to 1   | 50 to 1
        Full house                                    | 25 to 1    | 25 to 1    | 20 to 1    | 20 to 1    | 20 to 1
        Flush                                         | 20 to 1    | 15 to 1    | 15 to 1    | 15 to 1    | 15 to 1
        Straight                                      | 10 to 1    | 10 to 1    | 9 to 1     | 10 to 1    | 10 to 1
        Three-of-a-kind                               | 5 to 1     | 5 to 1     | 8 to 1     | 7 to 1     | 5 to 1
        """,
    ),
    "58 Pa. Code § 653a.12(b)": (
        "pa-653a-blind-?",
        """
        Hand                 | A        | B
        Royal flush          | 500 to 1 | 500 to 1
        Straight flush       | 50 to 1  | 50 to 1
        Four-of-a-kind       | 10 to 1  | 10 to 1
        Full house           | 3 to 1   | 3 to 1
        Flush                | 3 to 2   | 3 to 2
        Straight             | 1 to 1   | -
        Less than a straight | push     | -
        Less than a flush    | -        | push
        """,
    ),
    "58 Pa. Code § 653a.12(c)": (
        "pa-653a-trips-?",
        """
        Hand            | A       | B       | C       | D
        Royal flush     | 50 to 1 | 50 to 1 | 50 to 1 | 50 to 1
        Straight flush  | 40 to 1 | 40 to 1 | 40 to 1 | 40 to 1
        Four-of-a-kind  | 30 to 1 | 30 to 1 | 30 to 1 | 20 to 1
        Full house      | 9 to 1  | 8 to 1  | 8 to 1  | 7 to 1
        Flush           | 7 to 1  | 6 to 1  | 7 to 1  | 6 to 1
        Straight        | 4 to 1  | 5 to 1  | 4 to 1  | 5 to 1
        Three-of-a-kind | 3 to 1  | 3 to 1  | 3 to 1  | 3 to 1
        """,
    ),
    "58 Pa. Code § 653a.12(f)": (
        "pa-653a-six-card-bonus-?",
        """
        Hand                                          | A          | B          | C          | D          | E
        Six-card royal flush, diamonds                | -          | -          | -          | -          | 200,000 to 1
        Six-card royal flush, hearts, spades or clubs | -          | -          | -          | -          | 20,000 to 1
        Royal flush                                   | 1,000 to 1 | 1,000 to 1 | 1,000 to 1 | 1,000 to 1 | 1,000 to 1
        Straight flush                                | 200 to 1   | 200 to 1   | 200 to 1   | 200 to 1   | 200 to 1
        Four-of-a-kind                                | 50 to 1    | 50 to 1    | 100 to 1   | 100 to 1   | 50 to 1
        Full house                                    | 25 to 1    | 25 to 1    | 20 to 1    | 20 to 1    | 20 to 1
        Flush                                         | 20 to 1    | 15 to 1    | 15 to 1    | 15 to 1    | 15 to 1
        Straight                                      | 10 to 1    | 10 to 1    | 9 to 1     | 10 to 1    | 10 to 1
        Three-of-a-kind                               | 5 to 1     | 5 to 1     | 8 to 1     | 7 to 1     | 5 to 1
        """,
    ),
    "58 Pa. Code § 653a.12(g)": (
        "pa-653a-bad-beat-?",
        """
        Hand            | A           | B
        Straight flush  | 10,000 to 1 | 7,500 to 1
        Four-of-a-kind  | 500 to 1    | 500 to 1
        Full house      | 40 to 1     | 50 to 1
        Flush           | 25 to 1     | 30 to 1
        Straight        | 20 to 1     | 20 to 1
        Three-of-a-kind | 9 to 1      | 9 to 1
        """,
    ),
    "58 Pa. Code § 674a.12(a)": (
        "pa-674a-ante",
        """
        Hand                    | -
        Royal flush             | 1 to 1
        Straight flush          | 1 to 1
        Four-of-a-kind          | 1 to 1
        Full house              | 1 to 1
        Flush                   | 1 to 1
        Straight                | 1 to 1
        Three-of-a-kind         | 1 to 1
        Two pair                | 1 to 1
        Pair of jacks or better | 1 to 1
        Pair of 6s through 10s  | push
        """,
    ),
    "58 Pa. Code § 674a.12(b)": (
        "pa-674a-base",
        """
        Hand                    | -
        Royal flush             | 500 to 1
        Straight flush          | 100 to 1
        Four-of-a-kind          | 40 to 1
        Full house              | 12 to 1
        Flush                   | 8 to 1
        Straight                | 5 to 1
        Three-of-a-kind         | 3 to 1
        Two pair                | 2 to 1
        Pair of jacks or better | 1 to 1
        Pair of 6s through 10s  | push
        """,
    ),
    "58 Pa. Code § 674a.12(c)": (
        "pa-674a-five-card-bonus",
        """
        Hand                 | -
        Royal flush          | 250 to 1
        Straight flush       | 100 to 1
        Four-of-a-kind       | 40 to 1
        Full house           | 15 to 1
        Flush                | 10 to 1
        Straight             | 6 to 1
        Three-of-a-kind      | 4 to 1
        Two pair             | 3 to 1
        Pair of 6s or better | 1 to 1
        """,
    ),
    "41 Pa.B. 3836 (2011), proposed 58 Pa. Code § 641a.12(b)": (
        "pa-641a-2011-ante-bonus",
        """
        Hand            | -
        Four-of-a-kind  | 25 to 1
        Straight flush  | 20 to 1
        Three-of-a-kind | 2 to 1
        """,
    ),
    "41 Pa.B. 3836 (2011), proposed 58 Pa. Code § 641a.12(c)": (
        "pa-641a-2011-aces-up-?",
        """
        Hand            | A       | B       | C       | D       | E       | F
        Four-of-a-kind  | 50 to 1 | 50 to 1 | 50 to 1 | 50 to 1 | 50 to 1 | 50 to 1
        Straight flush  | 30 to 1 | 30 to 1 | 40 to 1 | 40 to 1 | 30 to 1 | 40 to 1
        Three-of-a-kind | 9 to 1  | 7 to 1  | 8 to 1  | 8 to 1  | 8 to 1  | 7 to 1
        Flush           | 6 to 1  | 6 to 1  | 5 to 1  | 6 to 1  | 6 to 1  | 5 to 1
        Straight        | 4 to 1  | 5 to 1  | 4 to 1  | 4 to 1  | 4 to 1  | 4 to 1
        Two pair        | 2 to 1  | 2 to 1  | 3 to 1  | 2 to 1  | 2 to 1  | 3 to 1
        Pair of aces    | 1 to 1  | 1 to 1  | 1 to 1  | 1 to 1  | 1 to 1  | 1 to 1
        """,
    ),
    "41 Pa.B. 3836 (2011), proposed 58 Pa. Code § 643a.12(b)": (
        "pa-643a-2011-bonus-?",
        """
        Hand                   | A       | B       | C
        Royal flush            | $25,000 | $20,000 | $20,000
        Straight flush         | $2,500  | $2,000  | $2,000
        Four-of-a-kind         | $400    | $200    | $100
        Full house             | $200    | $75     | $75
        Flush                  | $50     | $50     | $50
        Straight               | $25     | $25     | $25
        Three-of-a-kind        | $5      | $5      | $9
        Two pair               | $0      | $4      | $6
        Pair of tens or better | $0      | $1      | $0
        """,
    ),
    "41 Pa.B. 3836 (2011), proposed 58 Pa. Code § 643a.12(c)": (
        "pa-643a-2011-three-card-bonus-?",
        """
        Hand            | A       | B       | C       | D       | E       | F
        Mini-royal      | 40 to 1 | 40 to 1 | 40 to 1 | 50 to 1 | 50 to 1 | 50 to 1
        Straight flush  | 40 to 1 | 40 to 1 | 40 to 1 | 40 to 1 | 40 to 1 | 40 to 1
        Three-of-a-kind | 30 to 1 | 30 to 1 | 30 to 1 | 30 to 1 | 30 to 1 | 30 to 1
        Straight        | 6 to 1  | 5 to 1  | 6 to 1  | 6 to 1  | 5 to 1  | 6 to 1
        Flush           | 4 to 1  | 4 to 1  | 3 to 1  | 4 to 1  | 4 to 1  | 3 to 1
        Pair            | 1 to 1  | 1 to 1  | 1 to 1  | 1 to 1  | 1 to 1  | 1 to 1
        """,
    ),
    "41 Pa.B. 3836 (2011), proposed 58 Pa. Code § 649a.12(b)": (
        "pa-649a-2011-ante-bonus-?",
        """
        Hand            | A      | B      | C
        Straight flush  | 5 to 1 | 5 to 1 | 4 to 1
        Three-of-a-kind | 4 to 1 | 3 to 1 | 3 to 1
        Straight        | 1 to 1 | 1 to 1 | 1 to 1
        """,
    ),
    "41 Pa.B. 3836 (2011), proposed 58 Pa. Code § 649a.12(c)": (
        "pa-649a-2011-ante-bonus-suited-?",
        """
        Hand                       | A       | B       | C
        Ace, king, queen of spades | 50 to 1 | 50 to 1 | 50 to 1
        Ace, king, queen           | 5 to 1  | 50 to 1 | 10 to 1
        Straight flush             | 4 to 1  | 8 to 1  | 6 to 1
        Three-of-a-kind            | 3 to 1  | 6 to 1  | 3 to 1
        Straight                   | 1 to 1  | -       | -
        """,
    ),
    "41 Pa.B. 3836 (2011), proposed 58 Pa. Code § 649a.12(d)": (
        "pa-649a-2011-pair-plus-?",
        """
        Hand            | A       | B       | C
        Straight flush  | 35 to 1 | 40 to 1 | 40 to 1
        Three-of-a-kind | 25 to 1 | 30 to 1 | 30 to 1
        Straight        | 5 to 1  | 5 to 1  | 6 to 1
        Flush           | 3 to 1  | 4 to 1  | 3 to 1
        Pair            | 1 to 1  | 1 to 1  | 1 to 1
        """,
    ),
    "41 Pa.B. 3836 (2011), proposed 58 Pa. Code § 649a.12(f)": (
        "pa-649a-2011-six-card-bonus-?",
        """
        Hand            | A          | B          | C
        Royal flush     | 1,000 to 1 | 1,000 to 1 | 1,000 to 1
        Straight flush  | 200 to 1   | 200 to 1   | 200 to 1
        Four-of-a-kind  | 50 to 1    | 100 to 1   | 100 to 1
        Full house      | 25 to 1    | 20 to 1    | 20 to 1
        Flush           | 20 to 1    | 15 to 1    | 15 to 1
        Straight        | 10 to 1    | 9 to 1     | 10 to 1
        Three-of-a-kind | 5 to 1     | 8 to 1     | 7 to 1
        """,
    ),
    "41 Pa.B. 3836 (2011), proposed 58 Pa. Code § 653a.12(b)": (
        "pa-653a-2011-blind",
        """
        Hand                 | -
        Royal flush          | 500 to 1
        Straight flush       | 50 to 1
        Four-of-a-kind       | 10 to 1
        Full house           | 3 to 1
        Flush                | 3 to 2
        Straight             | 1 to 1
        Less than a straight | push
        """,
    ),
    "41 Pa.B. 3836 (2011), proposed 58 Pa. Code § 653a.12(c)": (
        "pa-653a-2011-trips-?",
        """
        Hand            | A       | B       | C       | D
        Royal flush     | 50 to 1 | 50 to 1 | 50 to 1 | 50 to 1
        Straight flush  | 40 to 1 | 40 to 1 | 40 to 1 | 40 to 1
        Four-of-a-kind  | 30 to 1 | 30 to 1 | 30 to 1 | 20 to 1
        Full house      | 9 to 1  | 8 to 1  | 8 to 1  | 7 to 1
        Flush           | 7 to 1  | 6 to 1  | 7 to 1  | 6 to 1
        Straight        | 4 to 1  | 5 to 1  | 4 to 1  | 5 to 1
        Three-of-a-kind | 3 to 1  | 3 to 1  | 3 to 1  | 3 to 1
        """,
    ),
    "Massachusetts Gaming Commission, rules of Let It Ride, s. 10(d)": (
        "ma-lir-bonus",
        """
        Hand            | -
        Royal flush     | $25,000
        Straight flush  | $2,500
        Four-of-a-kind  | $400
        Full house      | $200
        Flush           | $50
        Straight        | $25
        Three-of-a-kind | $5
        """,
    ),
    "Massachusetts Gaming Commission, rules of Let It Ride, s. 10(e)": (
        "ma-lir-three-card-bonus-?",
        """
        Hand            | A       | B       | C       | D       | E       | F
        Mini-royal      | -       | -       | -       | 50 to 1 | 50 to 1 | 50 to 1
        Straight flush  | 40 to 1 | 40 to 1 | 40 to 1 | 40 to 1 | 40 to 1 | 40 to 1
        Three-of-a-kind | 30 to 1 | 30 to 1 | 30 to 1 | 30 to 1 | 30 to 1 | 30 to 1
        Straight        | 6 to 1  | 5 to 1  | 6 to 1  | 6 to 1  | 5 to 1  | 6 to 1
        Flush           | 4 to 1  | 4 to 1  | 3 to 1  | 4 to 1  | 4 to 1  | 3 to 1
        Pair            | 1 to 1  | 1 to 1  | 1 to 1  | 1 to 1  | 1 to 1  | 1 to 1
        """,
    ),
}

# The rules of Let It Ride, s. 11(k): columns by players.
COVER_ALL: Final = """
    Hand            | 7       | 6        | 5        | 4        | 3        | 2        | 1
    Royal flush     | 90 to 1 | 100 to 1 | 150 to 1 | 200 to 1 | 250 to 1 | 300 to 1 | 500 to 1
    Straight flush  | 40 to 1 | 50 to 1  | 60 to 1  | 70 to 1  | 80 to 1  | 100 to 1 | 200 to 1
    Four-of-a-kind  | 20 to 1 | 30 to 1  | 35 to 1  | 40 to 1  | 50 to 1  | 80 to 1  | 150 to 1
    Full house      | 10 to 1 | 15 to 1  | 17 to 1  | 20 to 1  | 25 to 1  | 40 to 1  | 100 to 1
    Flush           | 7 to 1  | 10 to 1  | 11 to 1  | 15 to 1  | 20 to 1  | 30 to 1  | 70 to 1
    Straight        | 4 to 1  | 5 to 1   | 6 to 1   | 8 to 1   | 10 to 1  | 15 to 1  | 30 to 1
    Three-of-a-kind | 3 to 1  | 3 to 1   | 4 to 1   | 5 to 1   | 7 to 1   | 11 to 1  | 20 to 1
"""

Row = tuple[str, str, str, str]


def lines(table: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.split("|")] for line in table.strip().splitlines()]


def rows(hand: str, pays: str, above: set[str]) -> list[Row]:
    """A printed cell as rows (hand, suits, least, pays). above: the hands that have a row before."""
    if pays in ("-", "$0"):
        return []
    name, suits, least = HANDS[hand]
    text = pays.replace(",", "")
    if not name:
        return [(lower, "", "", text) for lower in LOWER if lower not in above]
    return [(name, suits, least, text)]


def column(table: list[list[str]], at: int) -> list[Row]:
    found: list[Row] = []
    for line in table[1:]:
        found += rows(line[0], line[at], {row[0] for row in found})
    return found


def printed() -> dict[str, tuple[str, list[Row]]]:
    """By id, the section and the rows."""
    found = {}
    for section, (ids, text) in PRINTED.items():
        table = lines(text)
        for at, letter in enumerate(table[0][1:], 1):
            found[ids.replace("?", letter)] = (section, column(table, at))
    return found


EVERY: Final = printed()
ROUND: Final = "ma-lir-cover-all"


def as_rows(table: Paytable) -> list[Row]:
    suits = {"shc": "hsc"}
    return [(row.hand, suits.get(row.suits, row.suits), row.least, row.pays) for row in table.rows]


def test_the_catalogue_holds_every_bonus_wager_and_no_other() -> None:
    """B1, B2: offers and what is shown alone are those of the sections below."""
    assert {*catalogue.ids_for("offer"), *catalogue.ids_for("catalogue")} == {*EVERY, ROUND}


@pytest.mark.parametrize("paytable", EVERY)
def test_rows(paytable: str) -> None:
    """B1, B2: every figure of every table, next to its section."""
    section, wanted = EVERY[paytable]
    table = catalogue.load(paytable)
    assert as_rows(table) == wanted
    assert {table.source, *(row.source for row in table.rows)} == {section}
    assert (table.status == "proposed") == section.startswith("41 Pa.B.")
    assert table.level == {}
    assert table.envy == ()


def test_cover_all() -> None:
    """B10: s. 11(k), by players; what a row pays one player is its own payout."""
    table = catalogue.load(ROUND)
    printed_lines = lines(COVER_ALL)
    assert printed_lines[0][1:] == list("7654321")
    for row, line in zip(table.rows, printed_lines[1:], strict=True):
        assert (row.hand, row.suits, row.least) == HANDS[line[0]]
        assert list(row.by_players) == line[:0:-1]
        assert row.pays == line[-1]
        assert row.source == "Massachusetts Gaming Commission, rules of Let It Ride, s. 11(k)"
    assert table.hand == "best-of-table"


GAMES: Final = {
    "pa-641a": "four-card-poker",
    "pa-643a": "let-it-ride",
    "pa-649a": "three-card-poker",
    "pa-653a": "ultimate-texas-holdem",
    "pa-674a": "criss-cross-poker",
    "ma-lir-": "let-it-ride",
}
# By what an id says: its hand (H2, B16), its name in the house, where it lies (B2), and what a fold does (B8).
OFFERED: Final[dict[str, tuple[str, str, tuple[str, ...], str]]] = {
    "pa-643a-five-card-bonus": ("five-flop", "five-card-bonus", ("device", "layout"), "none"),
    "pa-643a-three-card-bonus": ("three", "three-card-bonus", ("layout",), "none"),
    "pa-643a-six-card-bonus": ("six", "six-card-bonus", ("layout",), "none"),
    "pa-653a-trips": ("five-best", "trips", ("layout",), "stands"),
    "pa-653a-bad-beat": ("beaten", "bad-beat", ("layout",), "stands"),
    "pa-653a-six-card-bonus": ("six", "six-card-bonus", ("layout",), "stands"),
    "pa-641a-2011-aces-up": ("four", "aces-up", ("layout",), "stands"),
    "pa-649a-2011-pair-plus": ("three", "pair-plus", ("layout",), "forfeits"),
    "pa-649a-2011-six-card-bonus": ("six", "six-card-bonus", ("layout",), "stands"),
    "pa-674a-five-card-bonus": ("five-board", "five-card-bonus", ("layout",), "stands"),
    "pa-643a-2011-bonus": ("five-flop", "let-it-ride-bonus", ("device",), "none"),
    "pa-643a-2011-three-card-bonus": ("three", "three-card-bonus", ("layout",), "none"),
    "ma-lir-bonus": ("five-flop", "let-it-ride-bonus", ("device",), "none"),
    "ma-lir-three-card-bonus": ("three", "three-card-bonus", ("layout",), "none"),
    "ma-lir-cover-all": ("best-of-table", "cover-all", ("layout",), "none"),
}
ALONE: Final = {
    "pa-643a-base": "five-flop",
    "pa-653a-blind": "winning",
    "pa-653a-2011-blind": "winning",
    "pa-653a-2011-trips": "five-best",
    "pa-641a-2011-ante-bonus": "four",
    "pa-649a-2011-ante-bonus": "three",
    "pa-649a-2011-ante-bonus-suited": "three",
    "pa-674a-base": "five-line",
    "pa-674a-ante": "five-line",
}


@pytest.mark.parametrize("paytable", [*EVERY, ROUND])
def test_how_a_wager_is_played(paytable: str) -> None:
    """B2, B3, B5, B8, B12, B16: game, hand, place, fold, stake, amounts, and which odds may be raised."""
    table = catalogue.load(paytable)
    (game,) = table.games
    assert game == GAMES[paytable[:7]]
    family = re.sub("-[A-G]$", "", paytable)
    dollars = table.rows[0].pays.startswith("$")
    assert table.wagers == (("1.00",) if dollars else ())
    assert (table.no_less is not None) == (paytable.startswith("ma-lir") and paytable != ROUND)
    if family in ALONE:
        assert table.use == "catalogue"
        assert table.hand == ALONE[family]
        assert (table.bonus_on == "Ante") == ("ante-bonus" in paytable)
        assert table.placed == {}
        return
    hand, wager, placed, fold = OFFERED[family]
    assert table.use == "offer"
    assert (table.hand, table.wager, tuple(table.placed)) == (hand, wager, placed)
    assert catalogue.fold_of(table, game) == fold
    assert (table.stake_open is not None) == (family == "pa-643a-five-card-bonus")
    assert (table.cards_open is not None) == (family == "pa-653a-six-card-bonus")


def test_what_is_read_here_is_said() -> None:
    """B4, B8, B10, B11: where a text leaves something open or contradicts itself, the paytable says how it is read."""
    said = {
        paytable: " ".join(table.readings) for paytable, table in catalogue.every().items() if table.readings
    }
    assert "paid as a straight flush" in said["pa-643a-three-card-bonus-A"]
    assert "N/A" in said["ma-lir-three-card-bonus-C"]
    assert "three of a kind and a pair" in said["pa-649a-2011-six-card-bonus-A"]
    assert "whichever it is" in said["pa-653a-bad-beat-B"]
    assert "dealer's hand, which Let It Ride has not" in said[ROUND]
    assert "pays it with the higher hand only" in said["pa-649a-2011-ante-bonus-C"]
    assert "pa-643a-three-card-bonus-D" not in said
    assert "pa-643a-2011-three-card-bonus-A" not in said


def test_what_is_not_held_is_named() -> None:
    """B11, P9: the wagers that are cited, or known, and whose text is not held; none of them has a paytable."""
    assert [wager.section for wager in catalogue.not_held()] == [
        "58 Pa. Code § 643b.1",
        "58 Pa. Code § 653b.3",
        "58 Pa. Code § 674b.1",
    ]
    assert all(wager.reason for wager in catalogue.not_held())
    assert not any(
        "674b" in paytable or "643b" in paytable or "653b" in paytable for paytable in catalogue.ids()
    )


GOOD = """
id = "x"
title = "x"
jurisdiction = "x"
status = "in force"
source = "s"
games = ["ultimate-texas-holdem"]
hand = "five-best"
wager = "trips"
placed = { layout = "s" }
fold = { ultimate-texas-holdem = { does = "stands", source = "s" } }
rows = [{ hand = "royal-flush", pays = "50 to 1", source = "s" },
        { hand = "pair", least = "T", pays = "1 to 1", source = "s" },
        { hand = "pair", least = "6", pays = "1 for 1", source = "s" }]
"""


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ('least = "T"', 'least = "5"', "best first"),
        ('least = "6"', 'least = "T"', "more than once"),
        ('least = "6"', 'least = "10"', "the least rank"),
        ('"pair", least = "T"', '"flush", least = "T"', "the least rank"),
        ('"50 to 1"', '"50 for 2"', "is no payout"),
        ('"50 to 1"', '"3 to 2"', "is no payout"),
        ('"50 to 1"', '"$50"', "dollars are printed for every row"),
        ('"50 to 1"', '"100% of meter"', "no level of it"),
        ('"50 to 1"', '"50 to 1", by_players = ["60 to 1", "50 to 1"]', "something else by players"),
        ('wager = "trips"\n', "", "says its name"),
        ("placed = { layout", "placed = { lap", "Invalid enum value"),
        ('placed = { layout = "s" }', "", "says its name and where"),
        ('wager = "trips"', 'wager = "trips"\nstake_open = "s"', "is for a wagering device"),
        ('"five-best"', '"six"\nby_turn = "s"', "what only a link has"),
        ('"five-best"', '"three"', "no hand of this game"),
        ('"five-best"', '"winning"', "makes no winning hand"),
        ('does = "stands"', 'does = "lost"', "Invalid enum value"),
        (
            'fold = { ultimate-texas-holdem = { does = "stands", source = "s" } }',
            "",
            "ultimate-texas-holdem has folds",
        ),
        ("fold = { ultimate-texas-holdem", "fold = { let-it-ride", "not offered in"),
    ],
)
def test_a_file_that_contradicts_itself_is_refused(old: str, new: str, fault: str) -> None:
    """B1-B5, B8: a bonus wager's file is read strictly, and the refusal says what is wrong."""
    assert catalogue.parse(GOOD, "x").use == "offer"
    assert old in GOOD
    with pytest.raises(CatalogueError, match=re.escape(fault)):
        catalogue.parse(GOOD.replace(old, new, 1), "x")


def test_a_link_takes_no_bonus_wager() -> None:
    """B1: what has no levels is refused in a [[link]], and why."""
    for paytable, why in (("pa-653a-trips-A", r"an \[\[offer\]\]"), ("pa-643a-base-A", "base wager")):
        with pytest.raises(CatalogueError, match=why):
            catalogue.resolve(catalogue.LinkEntry("x", paytable, "5.00"))
