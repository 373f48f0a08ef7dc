"""Balanced double-entry postings of a journal entry (M4)."""

from collections.abc import Sequence
from typing import NamedTuple


class Posting(NamedTuple):
    """One wide row a level a journal entry; the eight accounts, in micro-dollars, sum to zero.

    link: the link's number in its bank. level: 1, 2, 3 in the paytable's order; 0 for awards that no
    meter pays. cycle: the level's at the entry's start (0 at level 0). Sources (house, wagers,
    corrections, transfers) are negative, uses (primary, reserve, overflow, awards) positive.
    """

    link: int
    level: int
    cycle: int
    primary: int = 0
    reserve: int = 0
    overflow: int = 0
    house: int = 0
    wagers: int = 0
    awards: int = 0
    corrections: int = 0
    transfers: int = 0


def only_link(postings: Sequence[Posting]) -> int | None:
    """The link of all of them; None where they are of several links, or there is none.

    postings: in the journal's order, by link.
    """
    first = postings[0].link if postings else None
    return first if postings and postings[-1].link == first else None
