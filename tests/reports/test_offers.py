"""Reports of bonus wagers with fixed odds: what was wagered on them, paid, and returned (B1, B4)."""

from contextlib import closing
from pathlib import Path
from typing import Any

from controllers.messages import TableMessage
from jackpot.catalogue import odds_return
from jackpot.ledger.open import open_reader
from jackpot.reports.read import hits
from jackpot.rules.acts.links import OpenLink
from jackpot.rules.acts.rounds import VoidRound
from jackpot.rules.acts.tables import OpenTable
from jackpot.rules.paytable import TableTerms
from tests.frames import Bet, Claim, Settle, Unbet, Wager, Withdraw
from tests.ledger.waiting import open_ledger
from tests.reports.asked import said
from tests.reports.season import Season
from tests.rules.floor import BANK
from tests.rules.rounds.test_offers import THREE

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
    figures = {
        name: month[name] for name in ("wagered", "paid_by_the_house", "running_cost", "left_to_the_house")
    }
    assert (figures, result.problems) == ({
        "wagered": 20 * DOLLAR, "paid_by_the_house": 20 * DOLLAR, "running_cost": 20 * DOLLAR,
        "left_to_the_house": 0,
    }, [])  # fmt: skip
    # The returns of the paytable, with the stakes of what wins, of twenty dollars.
    assert month["expected_cost"] == int(odds_return(THREE) * 20 * DOLLAR)
    assert (month["hits"], month["chance"]) == (0, "")


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
