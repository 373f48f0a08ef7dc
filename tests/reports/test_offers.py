"""Reports of bonus wagers with fixed odds: what was wagered on them, paid, and returned (B1, B4)."""

from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from controllers.messages import TableMessage
from jackpot.catalogue import odds_return, row_chances
from jackpot.ledger.open import open_reader
from jackpot.reports.read import hits
from jackpot.reports.read.cards import FRAMES_MAX, cards_of
from jackpot.reports.read.names import JournalNames
from jackpot.reports.what_if import what_if
from jackpot.rules.acts.links import OpenLink
from jackpot.rules.acts.rounds import VoidRound
from jackpot.rules.acts.tables import OpenTable
from jackpot.rules.paytable import Game, PaytableRow, TableTerms, ToOne
from tests.frames import Bet, Claim, Settle, Unbet, Wager, Withdraw
from tests.ledger.waiting import open_ledger
from tests.reports.asked import said
from tests.reports.season import Season
from tests.rules.floor import BANK
from tests.rules.rounds.test_offers import THREE, offer, rows

DOLLAR = 1_000_000


def test_reports_read_the_postings_of_an_offer(tmp_path: Path) -> None:
    """B1, B4, M4: cost and contributions by wager from level 0, each wager with its own amount."""
    season = Season(1, 0, 0)
    season.ask(OpenLink(THREE))
    season.ask(OpenTable(TableTerms("B1", "let-it-ride", 7, ("three",))))
    frames: list[TableMessage] = [
        Wager("r1", (Bet(3, "three", 1_000), Bet(2, "three", 500), Bet(1, "three", 10_000))),
        Withdraw("r1", (Unbet(1, "three"),)),
        Wager("r1", (Bet(1, "three", 500),), True),
        Settle("r1", (Claim(3, ("2h", "2d", "9c")), Claim(2, ("3h", "5d", "8c"))), close=True),
    ]
    for frame in frames:
        season.ask(frame, season.engine.table("B1"))
    url = f"sqlite:///{tmp_path}/ledger.db"
    with closing(open_ledger(url)) as ledger:
        season.write(ledger)
    with closing(open_reader(url)) as books:
        cost = said(books, "cost", first="2000-01-01", link="three")
        contributions = said(books, "contributions", first="2000-01-01", link="three")
        wagers = said(books, "wagers", first="2000-01-01", link="three")
        result = said(books, "result", link="three")
        awards = said(books, "awards", first="2000-01-01", link="three")
        meters = said(books, "reconcile", link="three", drops={"three": 2_100 * 10_000})
    (row,) = cost.rows
    figures: dict[str, Any] = {
        name: row[name] for name in ("wagered", "stakes", "cost", "odds_paid", "left_to_the_house")
    }
    assert (row["table"], row["wagers"] or None, cost.problems) == ("B1", None, [])
    assert figures == {
        "wagered": 20 * DOLLAR, "stakes": 10 * DOLLAR, "cost": 10 * DOLLAR, "odds_paid": 10 * DOLLAR,
        "left_to_the_house": 0,
    }  # fmt: skip
    (house,) = meters.rows  # of the house's account, for an offer has no level
    assert [house[name] for name in ("difference", "wagers", "wagered", "drop", "over")] == [
        0, None, 20 * DOLLAR, 21 * DOLLAR, DOLLAR,
    ]  # fmt: skip
    (hour,) = contributions.rows
    assert (hour["wagers"], hour["wagered"], hour["contributions"]) == (None, 20 * DOLLAR, 0)
    assert [one["wagered"] for one in wagers.rows] == [
        cents * 10_000 for cents in (1_000, 500, 10_000, -10_000, 500)
    ]
    (month,) = result.rows
    # The same money in each report: what is paid and what it costs, apart from the stakes.
    names = ("wagered", "stakes", "paid_by_the_house", "running_cost", "left_to_the_house")
    assert ({name: month[name] for name in names}, result.problems) == ({
        "wagered": row["wagered"], "stakes": row["stakes"], "paid_by_the_house": row["odds_paid"],
        "running_cost": row["cost"], "left_to_the_house": row["left_to_the_house"],
    }, [])  # fmt: skip
    assert [sum(one[name] for one in awards.rows) for name in ("amount", "stake")] == [
        month["paid"], month["stakes"],
    ]  # fmt: skip
    assert result.facts["result"] == (
        "$10.00 of $20.00 wagered, less $10.00 of stakes returned; $0.00 is left to the house before seeds"
    )
    # The returns of the paytable, without the stakes of what wins, of twenty dollars.
    assert month["expected_cost"] == int((odds_return(THREE) - sum(row_chances(THREE))) * 20 * DOLLAR)
    assert (month["hits"], month["expected_hits"], month["chance"]) == (None, "", ""), "none are counted"


def test_a_void_that_undoes_final_awards_takes_them_out_of_every_report(tmp_path: Path) -> None:
    """B15, M4, T6: nothing was wagered or paid; the hit is undone, and its page says by whom and why."""
    season = Season(1, 0, 0)
    season.ask(OpenLink(THREE))
    season.ask(OpenTable(TableTerms("B1", "let-it-ride", 7, ("three",))))
    for frame in (
        Wager("r1", (Bet(3, "three", 1_000), Bet(2, "three", 500)), True),
        Settle("r1", (Claim(3, ("2h", "2d", "9c")), Claim(2, ("3h", "3d", "8c")))),
    ):
        season.ask(frame, season.engine.table("B1"))
    season.ask(VoidRound("B1", "r1", "misdeal", undo_final=True), None, "ann")
    url = f"sqlite:///{tmp_path}/ledger.db"
    with closing(open_ledger(url)) as ledger:
        season.write(ledger)
    with closing(open_reader(url)) as books:
        cost = said(books, "cost", first="2000-01-01", link="three")
        story = hits.story_of(books, BANK, 1)
        (done,) = hits.done_with(books, BANK, 1)
    assert (cost.rows, cost.problems) == ([], [])
    assert story is not None
    assert [award.status for award in story.hit.awards] == ["undone"]
    assert (done.what, done.awards, done.people, done.reason) == ("undone", [1], ("ann",), "misdeal")


NAMED = ("own-1", "own-2", "dealer-1", "board-1", "board-2", "board-3")
SIX = offer("six", "six", rows(("four-of-a-kind", "full-house"), 50, 25), fold="stands")
COVER = offer(
    "cover", "best-of-table", (PaytableRow("straight", ToOne(30), by_players=(30, 15, 10, 8, 6, 5, 4)),)
)
BEAT = offer("beat", "beaten", rows(("full-house",), 40), fold="stands")
PAIR = ("9h", "9d", "2c", "4s", "Kd")
CROSS = offer("cross", "five-board", rows(("full-house", "pair"), 15, 1), fold="stands")


def test_the_cards_of_a_hit_are_those_that_its_wager_counts(tmp_path: Path) -> None:
    """B10, B11, B13, B16: bonus, dealer's and board's cards, the beaten hand, the highest of the table.

    Played again, each wager has them, too, and comes to the same.
    """
    season = Season(1, 0, 0)
    named = replace(SIX, link="named", cards=NAMED)
    for terms in (SIX, COVER, BEAT, CROSS, named):
        season.ask(OpenLink(terms))
    tables: list[tuple[str, Game, tuple[str, ...]]] = [
        ("B1", "let-it-ride", ("six", "cover")),
        ("B2", "ultimate-texas-holdem", ("beat", "named")),
        ("B3", "criss-cross-poker", ("cross",)),
        ("B4", "three-card-poker", ("six",)),
    ]
    for name, game, links in tables:
        season.ask(OpenTable(TableTerms(name, game, 6, links, 1)))
    board = ("9h", "9d", "9c", "4s", "Kd")
    frames: list[tuple[str, TableMessage]] = [
        ("B1", Wager("r1", (Bet(3, "six", 500), Bet(3, "cover", 500)), True, players=2)),
        ("B1", Settle("r1", (Claim(3, ("Ks", "Kh", "Kd")), Claim(2, ("6h", "7h", "Ts"))), ("9d", "8c"),
                      close=True, bonus=("2s", "2h", "2d"))),
        ("B2", Wager("r1", (Bet(5, "beat", 500), Bet(5, "named", 500)), True)),
        ("B2", Settle("r1", (Claim(5, ("9s", "2c")),), board, ("4h", "4d"), close=True)),
        ("B3", Wager("r1", (Bet(5, "cross", 500),), True)),
        ("B3", Settle("r1", (), PAIR, close=True)),
        ("B4", Wager("r1", (Bet(5, "six", 500),), True)),
        ("B4", Settle("r1", (Claim(5, ("9s", "9h", "2c"), folded=True),), None, ("9d", "9c", "4h"),
                      close=True)),
    ]  # fmt: skip
    for table, frame in frames:
        season.ask(frame, season.engine.table(table))
    url = f"sqlite:///{tmp_path}/ledger.db"
    with closing(open_ledger(url)) as ledger:
        season.write(ledger)
    with closing(open_reader(url)) as books:
        names = JournalNames(books, BANK)
        found = {
            (names.table(story.hit.table), names.link(story.hit.link)): cards_of(books, names, story.hit)
            for number in range(1, 7)
            if (story := hits.story_of(books, BANK, number)) is not None
        }
        fairness = said(books, "fairness", first="2000-01-01")
        again = [
            what_if(books, BANK, link, lambda now: now, lambda *_: None)
            for link in ("six", "cover", "beat", "cross", "named")
        ]
    for one in again:
        assert (one.refused, one.would_total) == (Counter(), one.journal_total)
    ranked = {of: cards.ranked for of, cards in found.items()}
    assert ranked == {
        ("B1", "six"): ("Ks", "Kh", "Kd", "2s", "2h", "2d"),
        ("B1", "cover"): ("6h", "7h", "Ts", "9d", "8c"),
        ("B2", "beat"): ("4h", "4d", *board),
        ("B2", "named"): ("9s", "2c", "4h", "9h", "9d", "9c"),
        ("B3", "cross"): PAIR,
        ("B4", "six"): ("9s", "9h", "2c", "9d", "9c", "4h"),
    }
    assert found["B1", "six"].bonus == ("2s", "2h", "2d")
    compared = {row["link"] for row in fairness.rows if row["link"]}
    assert compared == {"six", "cross", "beat", "cover", "named"}


def test_a_hit_whose_cards_lie_many_frames_back_has_a_page_all_the_same(tmp_path: Path) -> None:
    """B10, A10: a table that shows the board again and again hides the hands from it, and breaks nothing."""
    season = Season(1, 0, 0)
    season.ask(OpenLink(COVER))
    season.ask(OpenTable(TableTerms("B1", "let-it-ride", 6, ("cover",), 1)))
    board = ("9d", "8c")
    frames: list[TableMessage] = [
        Wager("r1", (Bet(3, "cover", 500),), True, players=1),
        Settle("r1", (Claim(3, ("6h", "7h", "Ts")),), board),
        *(Settle("r1", (), board) for _ in range(FRAMES_MAX)),
        Settle("r1", (), board, close=True),
    ]
    for frame in frames:
        season.ask(frame, season.engine.table("B1"))
    url = f"sqlite:///{tmp_path}/ledger.db"
    with closing(open_ledger(url)) as ledger:
        season.write(ledger)
    with closing(open_reader(url)) as books:
        story = hits.story_of(books, BANK, 1)
        assert story is not None
        found = cards_of(books, JournalNames(books, BANK), story.hit)
    assert (found.board, found.ranked) == (board, ())
