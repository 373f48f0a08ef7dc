"""Simulated sessions of an offer agree with its exact return, and are the same again."""

import math
from fractions import Fraction

import pytest

from jackpot.odds.drawable import drawable
from jackpot.odds.sessions import LENGTHS, SESSIONS, sessions
from jackpot.odds.sheets import sheets_of
from tests.odds.test_analysis import found_of


@pytest.mark.parametrize(
    ("paytable", "players"),
    [("pa-653a-trips-A", 1), ("pa-653a-bad-beat-B", 6), ("ma-lir-cover-all", 2), ("ma-lir-bonus", 1)],
)
def test_sessions_stray_about_the_exact_return(paytable: str, players: int) -> None:
    """B14: two methods: the mean of what was simulated is the exact return, as far as chance lets it be."""
    found = found_of(paytable, players=players)
    wager = found.subject.terms.wager
    _, deviation = found.spread
    for one in sessions(found.pays):
        assert len(one.sums) == SESSIONS
        bound = 4 * float(deviation) / math.sqrt(one.wagers * SESSIONS)
        assert abs(float(one.mean / (one.wagers * wager) - found.total)) < bound
        assert one.quantile(Fraction(1, 20)) <= one.quantile(Fraction(1, 2)) <= one.quantile(Fraction(19, 20))


def test_the_same_seed_gives_the_same_sessions() -> None:
    """A figure of a page is that of its file, and of the next page; another seed gives others."""
    pays = found_of("pa-653a-trips-A").pays
    before = sessions(pays)
    sessions.cache_clear()
    assert before == sessions(pays) != sessions(pays, "2")


def test_offers_alone_have_sessions() -> None:
    """B1, B2: what a meter pays, and what no table sends, is not simulated here."""
    names = {
        paytable: (
            [sheet.name for sheet in sheets_of(found_of(paytable)) if sheet.name == "sessions"],
            [picture.name for picture in drawable(found_of(paytable)) if picture.kind == "sessions"],
        )
        for paytable in ("pa-653a-trips-A", "pa-643a-five-card-C", "pa-653a-blind-A")
    }
    assert names == {
        "pa-653a-trips-A": (["sessions"], ["sessions"]),
        "pa-643a-five-card-C": ([], []),
        "pa-653a-blind-A": ([], []),
    }
    (sheet,) = [one for one in sheets_of(found_of("pa-653a-trips-A")) if one.name == "sessions"]
    assert [row[0] for row in sheet.rows] == list(LENGTHS)
