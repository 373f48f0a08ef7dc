"""Voids in reports: by cause, table and shift, and a round that went on with its Trips Wagers (P5)."""

from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from jackpot.ledger.open import open_reader
from jackpot.ledger.reading import Reader
from jackpot.reports.read.dealt import DealtRound, watch
from jackpot.reports.read.shifts import shift_of
from jackpot.reports.what_if import what_if
from jackpot.rules import registry
from jackpot.rules.acts.links import OpenLink
from jackpot.rules.acts.rounds import DecideAbandoned, VoidRound
from jackpot.rules.acts.tables import OpenTable
from jackpot.rules.events import LevelCounted, Voided
from jackpot.rules.paytable import TableTerms
from jackpot.rules.state import DrawMade
from tests.frames import Bet, Claim, Close, Settle, Void, Wager
from tests.ledger.waiting import open_ledger
from tests.reports.asked import said, unanswerable
from tests.reports.season import SITE, Season
from tests.rules.floor import BANK
from tests.rules.rounds.test_offers import TRIPS
from tests.rules.rounds.test_void_causes import BEAT, BOARD, HANDS


def test_voids_are_counted_by_cause_table_and_shift(books: Reader, season: Season) -> None:
    """P5: as a walk over all rows of the season counts them."""
    found = Counter[tuple[str, str, str]]()
    people = Counter[tuple[str, str, str]]()
    for row in season.rows:
        event = registry.decode(row.kind, row.version, row.body)
        if isinstance(event, Voided):
            table = season.engine.state.table(event.table).terms.table
            key = (table, shift_of(row.at, SITE), event.cause or "none")
            found[key] += 1
            people[key] += bool(event.people.count())
    assert {cause for *_, cause in found} > {"none", "stub-count", "shoe-jam"}
    rows = said(books, "voids", first="2000-01-01").rows
    told = {(row["table"], row["shift"], str(row["cause"])): row for row in rows}
    assert {key: row["rounds"] for key, row in told.items()} == found
    assert {key: row["by_people"] for key, row in told.items()} == people
    (table, *_) = next(iter(found))
    assert said(books, "voids", first="2000-01-01", table=table).rows == [
        row for row in rows if row["table"] == table
    ]
    with unanswerable("table_not_known", table="nowhere"):
        said(books, "voids", table="nowhere")


@pytest.fixture
def half_void(tmp_path: Path) -> str:
    """A ledger with a round that went on with Trips Wagers, and one of which the rest was void later."""
    season = Season(1, 0, 0)
    for terms in (TRIPS, BEAT):
        season.ask(OpenLink(terms))
    season.ask(OpenTable(TableTerms("B1", "ultimate-texas-holdem", 6, ("trips", "beat"))))
    bets = (Bet(5, "trips", 500), Bet(5, "beat", 500), Bet(2, "trips", 1_000))
    for frame in (
        Wager("r1", bets, True),
        Void("r1", "an ace fell over", "exposed-card", ("trips",)),
        Settle("r1", HANDS, BOARD),
        Close("r1"),
        Wager("r2", bets, True),
        Void("r2", "two kings lay face up", "cards-face-up", ("trips",)),
    ):
        outcome = season.ask(frame, season.engine.table("B1"))
        assert getattr(outcome.answer, "code", None) is None, outcome.answer
    season.ask(VoidRound("B1", "r2", "it jammed", cause="shoe-jam"), None, "ann")
    url = f"sqlite:///{tmp_path}/ledger.db"
    with closing(open_ledger(url)) as ledger:
        season.write(ledger)
    return url


def test_a_round_that_went_on_is_in_every_report(half_void: str) -> None:
    """P5, M4: its wagers and their returns, the hands that were dealt, and what it comes to played again."""
    ended: list[tuple[str, int, list[tuple[int, int]]]] = []

    class Listener:
        def drawn(self, seq: int, round_: DealtRound, draws: list[DrawMade]) -> None: ...

        def counted(self, levels: list[LevelCounted]) -> None: ...

        def played(self, round_: DealtRound, sign: int) -> None:
            ended.append((round_.id, sign, [(bet.seat, bet.link) for bet in round_.bets]))

    with closing(open_reader(half_void)) as books:
        voids = said(books, "voids", first="2000-01-01")
        wagers = said(books, "wagers", first="2000-01-01")
        cost: list[dict[str, Any]] = said(books, "cost", first="2000-01-01", link="trips").rows
        contributions = said(books, "contributions", first="2000-01-01").rows
        watch(books, BANK, 0, books.head(BANK).seq, Listener())
        again = [what_if(books, BANK, link, lambda now: now, lambda *_: None) for link in ("trips", "beat")]
    assert [
        (row["cause"], row["sections"], row["rounds"], row["by_people"], row["settled"]) for row in voids.rows
    ] == [
        ("cards-face-up", "653a.13(a)", 1, 0, 1),
        ("exposed-card", "653a.13(d)", 1, 0, 1),
        ("shoe-jam", "653a.13(f)", 1, 1, 0),
    ]
    back = [(row["round"], row["seat"], row["link"]) for row in wagers.rows if row["what"] == "void"]
    assert back == [("r1", 5, "beat"), ("r2", 5, "beat"), ("r2", 5, "trips"), ("r2", 2, "trips")]
    assert wagers.problems == []
    (row,) = cost
    assert (row["wagered"], row["odds_paid"]) == (15_000_000, 35_000_000)
    assert sum(row["wagered"] for row in contributions) == 15_000_000
    assert [(round_, sign, [seat for seat, _ in bets]) for round_, sign, bets in ended] == [("r1", 1, [5, 2])]
    for one in again:
        assert (one.refused, one.would_total) == (Counter(), one.journal_total)


def test_a_round_with_an_abandoned_seat_comes_to_the_same_again(tmp_path: Path) -> None:
    """P6: played again, the seat loses, too; the journal says what the table asked, and what it was told."""
    season = Season(1, 0, 0)
    for terms in (TRIPS, BEAT):
        season.ask(OpenLink(terms))
    season.ask(OpenTable(TableTerms("B1", "ultimate-texas-holdem", 6, ("trips", "beat"))))
    for command in (
        Wager("r1", (Bet(5, "trips", 500), Bet(2, "trips", 1_000), Bet(1, "beat", 500)), True),
        Settle("r1", (Claim(5, abandoned=True), Claim(1, abandoned=True))),
        DecideAbandoned("B1", "r1", 5, True, "went home"),
        DecideAbandoned("B1", "r1", 1, False, "is back"),
        Settle("r1", (*HANDS, Claim(1, ("3c", "4c"))), BOARD, ("5c", "6c")),
        Close("r1"),
    ):
        act = isinstance(command, DecideAbandoned)
        outcome = season.ask(command, *((None, "ann") if act else (season.engine.table("B1"),)))
        assert getattr(outcome.answer, "code", "") == "", outcome.answer
    url = f"sqlite:///{tmp_path}/ledger.db"
    with closing(open_ledger(url)) as ledger:
        season.write(ledger)
    with closing(open_reader(url)) as books:
        cost: list[dict[str, Any]] = said(books, "cost", first="2000-01-01", link="trips").rows
        again = [what_if(books, BANK, link, lambda now: now, lambda *_: None) for link in ("trips", "beat")]
        abouts = [str(row["about"]) for row in said(books, "access", first="2000-01-01").rows]
    assert (cost[0]["wagered"], cost[0]["odds_paid"]) == (15_000_000, 0)
    for one in again:
        assert (one.refused, one.would_total) == (Counter(), one.journal_total)
    assert [about for about in abouts if "abandoned" in about] == [
        "table B1, round r1, seat 5, abandoned",
        "table B1, round r1, seat 1, not abandoned",
    ]
