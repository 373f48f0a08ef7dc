"""The Rules Submission has every choice of the holder, and since when it holds (P7)."""

from datetime import UTC, datetime, timedelta
from typing import Any, Final

import pytest
from msgspec.structs import replace

from jackpot.catalogue import load
from jackpot.lab.bench.ledger_fixture import BANK
from jackpot.ledger.reading import Reader
from jackpot.reports.registry import REPORTS
from jackpot.reports.report import NamedId, ReportRequest
from jackpot.rules.acts.ends import GiveEnd
from jackpot.rules.acts.fields import DAY_MS
from jackpot.rules.acts.links import OpenLink, Suspend
from jackpot.rules.acts.parameters import ChangeLink
from jackpot.rules.acts.tables import OpenTable
from jackpot.rules.commands import Command
from jackpot.rules.paytable import Game, LinkTerms, TableTerms
from tests.ledger.conftest import Place
from tests.ledger.maintenance.test_join import NOW
from tests.ledger.resting import BANKS, two_banks
from tests.ledger.waiting import join
from tests.reports.asked import said, unanswerable
from tests.reports.season import SITE, Season
from tests.rules.rounds.test_offers import PAIR_PLUS, SIX, SIX_OF, THREE, TRIPS

DOLLAR: Final = 1_000_000
LINK: Final = "five-C"
Lines = list[dict[str, Any]]


def made(season: Season, command: Command, *people: str) -> tuple[int, int]:
    """Does an act; the number of its entry, and its moment."""
    assert season.ask(command, None, *people).entry is not None
    return season.rows[-1].seq, season.rows[-1].at


def choice(lines: Lines, wager: str, name: str) -> tuple[Any, tuple[int, int]]:
    """The value of a choice, and the entry from which it holds, with its moment."""
    (line,) = (line for line in lines if (line["wager"], line["choice"]) == (wager, name))
    return line["value"], (line["row"], line["since"])


def test_each_choice_has_the_moment_from_which_it_holds(place: Place) -> None:
    """P7, L9: what a change leaves alone keeps its date; a wager that a table takes later holds from then."""
    season = Season(1, 0, 0)
    table = season.engine.state.tables[0].terms
    terms = next(one.terms for one in season.engine.state.links if one.terms.link == LINK)
    begun = next((row.seq, row.at) for row in season.rows if b"\xa2L1" in row.body)
    made(season, Suspend("operator", (LINK,), "a letter"), "Ann")
    changed = made(season, ChangeLink(replace(terms, validate_at=70 * DOLLAR), "a letter"), "Ann", "Bo")
    made(season, OpenLink(THREE))
    offered = made(season, OpenTable(replace(table, links=(*table.links, "three"), adjacent_boxes=1)))
    ledger = place.open()
    season.write(ledger)
    lines = said(ledger, "submission", table="L1").rows
    assert {line["table"] for line in lines} == {"L1"}
    assert choice(lines, "", "game") == ("Let It Ride", begun)
    assert choice(lines, "", "adjacent boxes") == ("1", offered)
    assert choice(lines, "", "links") == (f"{LINK} three-A three", offered)
    assert choice(lines, LINK, "validate at") == ("$70.00", changed)
    assert next(line["who"] for line in lines if line["choice"] == "validate at") == "Ann and Bo"
    assert choice(lines, LINK, "paytable") == (
        "pa-643a-five-card-C",
        begun,
    )  # the link is older than the table
    assert choice(lines, "three", "placed") == ("layout", offered)
    assert choice(lines, LINK, "Mega seed") == ("$10,000.00", begun)
    assert choice(lines, "three", "most") == ("$100.00", offered)
    assert choice(lines, "three", "count chips") == ("no", offered)
    assert "flush 4 to 1" in choice(lines, "three", "rows")[0].lower()


def test_the_six_cards_that_an_approval_names_are_a_choice(place: Place) -> None:
    """P7, B16: of a Six Card Bonus of Ultimate Texas Hold 'Em alone; elsewhere its text says the cards."""
    season = Season(1, 0, 0)
    begun = made(season, OpenLink(replace(SIX, cards=SIX_OF)))
    made(season, OpenLink(replace(SIX, link="printed")))
    made(season, OpenTable(TableTerms("B1", "let-it-ride", 7, ("printed",))))
    table = made(season, OpenTable(TableTerms("B2", "ultimate-texas-holdem", 6, ("six",), 1)))
    assert begun < table
    ledger = place.open()
    season.write(ledger)
    lines = said(ledger, "submission").rows
    assert choice(lines, "six", "cards") == (" ".join(SIX_OF), table)
    assert not [line for line in lines if (line["wager"], line["choice"]) == ("printed", "cards")]


def test_every_choice_of_every_table_is_there(books: Reader, season: Season) -> None:
    """P7: of each table and of each wager that it takes, as they stand."""
    lines = said(books, "submission").rows
    for table in season.engine.state.tables:
        own = [line for line in lines if line["table"] == table.terms.table]
        assert choice(own, "", "seats")[0] == str(table.terms.seats)
        links = [season.engine.state.link(number) for number in table.links]
        standing = {link.terms.link for link in links if not link.closed}
        assert {line["wager"] for line in own} == {"", *standing}
        for link in links:
            if not link.closed:
                counted = "yes" if link.terms.count_chips else "no"
                assert choice(own, link.terms.link, "count chips")[0] == counted
                assert len([line for line in own if line["wager"] == link.terms.link]) >= (
                    11 + 5 * len(link.terms.levels)
                )


def test_what_the_text_leaves_open_is_in_it(place: Place) -> None:
    """P10: next to the choices, word for word as the catalogue has it."""
    season = Season(1, 0, 0)
    open_ = replace(THREE, paytable="pa-643a-three-card-bonus-A")
    made(season, OpenLink(open_))
    made(season, OpenTable(TableTerms("B1", "let-it-ride", 7, ("three",))))
    ledger = place.open()
    season.write(ledger)
    lines = said(ledger, "submission", table="B1").rows
    found = [line["value"] for line in lines if line["choice"] == "left open by the text"]
    assert found == list(load(open_.paytable).readings)
    assert found


def test_a_joined_bank_goes_on_with_the_dates_of_before(place: Place) -> None:
    """P7: what became part of another bank is listed there alone, from when it was chosen."""
    ledger = place.open()
    two_banks(ledger)
    before = said(ledger, "submission", banks=BANKS).rows
    join(ledger, BANKS, "floor", "anna", "one room", NOW)
    after = said(ledger, "submission", banks=(*BANKS, "floor")).rows
    assert before
    assert after == before


def test_a_table_that_is_not_there_is_said(books: Reader) -> None:
    """P7: and which there are."""
    with unanswerable("table_not_known", table="T99"):
        said(books, "submission", table="T99")


def test_what_the_tables_own_game_pays_is_a_choice_of_the_table(place: Place) -> None:
    """P7, B2, B9: base wagers, Blind and Ante Bonus too, the payout limit, and what Pair Plus needs."""
    season = Season(1, 0, 0)
    table = season.engine.state.tables[0].terms
    limited = replace(table, payout_limit=75_000 * DOLLAR, base_wagers=("pa-643a-base-A",))
    begun = made(season, OpenTable(limited))
    later = made(season, OpenTable(replace(limited, base_wagers=("pa-643a-base-B",), pair_plus="both")))
    ledger = place.open()
    season.write(ledger)
    lines = said(ledger, "submission", table="L1").rows
    assert choice(lines, "", "payout limit") == ("$75,000.00", begun)
    assert choice(lines, "", "base wagers") == ("pa-643a-base-B", later)
    assert choice(lines, "", "pair plus") == ("both", later)


def test_people_read_names_and_programs_ids(books: Reader) -> None:
    """P7: links by their titles, paytables by theirs; a file has both by their ids."""
    found = REPORTS["submission"].find(books, ReportRequest(SITE, (BANK,), titles={LINK: "Riverside Five"}))
    cells = [row for row in found.rows if row[2] == LINK]
    assert {cell.called for row in cells if isinstance(cell := row[2], NamedId)} == {"Riverside Five"}
    (paytable,) = {row[4] for row in cells if row[3] == "paytable"}
    assert isinstance(paytable, NamedId)
    assert (paytable, paytable.called) == ("pa-643a-five-card-C", load("pa-643a-five-card-C").title)


def test_an_announced_end_is_a_choice_of_the_holder(place: Place) -> None:
    """P2, P7: the last day, and where the money goes; so `parameters` has it, with the reason."""
    season = Season(1, 0, 0)
    levels = {
        one.terms.link: [level.terms.level for level in one.levels] for one in season.engine.state.links
    }
    other = next(link for link in levels if link != LINK and levels[link])
    into = tuple(f"{level}={levels[other][0]}" for level in levels[LINK])
    due = season.rows[-1].at + 2 * DAY_MS
    last = datetime.fromtimestamp(due / 1000, UTC).date() - timedelta(days=1)
    end = GiveEnd(LINK, last.isoformat(), due, "a season", other, into)
    announced = made(season, end, "Ann", "Bo")
    ledger = place.open()
    season.write(ledger)
    lines = said(ledger, "submission", table="L1").rows
    assert choice(lines, LINK, "last day") == (f"{last}, its money to {other}", announced)
    days = {"first": "2000-01-01", "last": "2099-12-31"}
    (line,) = [line for line in said(ledger, "parameters", **days).rows if line["row"] == announced[0]]
    assert line["terms"].endswith("a season")
    assert str(last) in line["terms"]


@pytest.mark.parametrize(
    ("terms", "game", "seats", "base"),
    [
        (TRIPS, "ultimate-texas-holdem", 6, ("pa-653a-blind-B",)),
        (PAIR_PLUS, "three-card-poker", 7, ("pa-649a-2011-ante-bonus-B", "pa-649a-2011-ante-bonus-suited-C")),
    ],
)
def test_blind_and_ante_bonus_are_choices_of_their_tables(
    place: Place, terms: LinkTerms, game: Game, seats: int, base: tuple[str, ...]
) -> None:
    """P7, B2: their paytables stand in the journal's terms of the table, and another one from its own row."""
    season = Season(1, 0, 0)
    made(season, OpenLink(terms))
    table = TableTerms("B1", game, seats, (terms.link,), 1)
    before = made(season, OpenTable(table))
    chosen = made(season, OpenTable(replace(table, base_wagers=base)))
    ledger = place.open()
    season.write(ledger)
    row = next(row for row in season.rows if row.seq == chosen[0])
    assert all(paytable.encode() in row.body for paytable in base)
    lines = said(ledger, "submission", table="B1").rows
    assert choice(lines, "", "base wagers") == (" ".join(base), chosen)
    assert choice(lines, "", "game")[1] == before
