"""The result of a month equals a count wager by wager, and each number is the sum of the rows it leads to."""

import re
from collections import Counter
from contextlib import closing
from datetime import datetime, time
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

import pytest
from msgspec.structs import replace

from jackpot.catalogue import draws_return, odds_return, row_chances
from jackpot.config import Shift
from jackpot.ledger.journal import Row, genesis, row_of
from jackpot.ledger.open import open_reader
from jackpot.ledger.reading import Reader
from jackpot.reports.director import FIGURES, director_page
from jackpot.reports.output import CellFormat, as_csv, as_html, exact
from jackpot.reports.registry import REPORTS
from jackpot.reports.report import GROUPS, ReportRequest, ReportResult, dicts
from jackpot.reports.result import EXACT, Difference
from jackpot.rules import registry
from jackpot.rules.acts.parameters import LinkChanged
from jackpot.rules.commands import Command
from tests.frames import Bet, Claim, Settle, Wager
from tests.ledger.waiting import open_ledger
from tests.reports.asked import Said, said
from tests.reports.season import SITE, Season
from tests.reports.test_cost import Walk
from tests.rules.floor import BANK
from tests.rules.test_engine import BOARD, ROYAL, bank, send

MONTHS: Final = ("2026-10", "2026-11")
SUMS: Final = ("wagered", "onto_meters", "paid", "running_cost", "left_to_the_house", "seeds")


@pytest.fixture(scope="module")
def walk(season: Season) -> Walk:
    return Walk(season)


def by(books: Reader, group: str, month: str, **asked: Any) -> dict[str, dict[str, Any]]:
    found = said(books, "result", group=group, month=month, **asked)
    assert found.problems == []
    return {row["name"]: row for row in found.rows}


def total(report: Said, name: str) -> int:
    return sum(row[name] for row in report.rows)


@pytest.mark.parametrize("month", MONTHS)
def test_a_month_is_what_its_wagers_and_awards_come_to(books: Reader, walk: Walk, month: str) -> None:
    """L6, A1, A5, M4: by link and table as a walk over the events counts them; seeds stand apart."""
    links: dict[str, Counter[str]] = {}
    tables: dict[str, Counter[str]] = {}
    for (period, link, table), figures in walk.of_months().items():
        if period == month:
            links.setdefault(link, Counter()).update(figures)
            tables.setdefault(table, Counter()).update(figures)
    by_link, by_table = by(books, "link", month), by(books, "table", month)
    assert by_link.keys() == {link for link, figures in links.items() if any(figures.values())}
    for rows, counted in ((by_link, links), (by_table, tables)):
        for name, row in rows.items():
            figures = counted[name]
            house = figures["odds_paid"] + figures["envy_paid"] + figures["draws_paid"]
            onto = figures["onto_meters"] + figures["onto_reserves"]
            assert row["wagers"] == figures["wagers"]
            assert row["wagered"] == figures["wagered"]
            assert row["onto_meters"] == onto
            assert row["paid"] == figures["paid_from_meters"] + house
            assert row["running_cost"] == onto + house
            assert row["left_to_the_house"] == figures["wagered"] - onto - house
    assert all(row["seeds"] == links[name]["seeds"] for name, row in by_link.items())
    assert any(row["seeds"] for row in by_link.values())
    assert all(row["seeds"] is None for row in by_table.values()), "a link's own, divided among no tables"


@pytest.mark.parametrize("month", MONTHS)
def test_every_group_has_the_same_total(books: Reader, month: str) -> None:
    """The director: links, tables, games, shifts and days are the same money, cut in five ways."""
    groups = {group: by(books, group, month) for group in GROUPS}
    assert all(len(rows) > 1 for group, rows in groups.items() if group != "shift"), (
        "there is something to cut"
    )
    for name in ("wagers", "wagered", "onto_meters", "paid", "running_cost", "left_to_the_house", "hits"):
        assert len({sum(row[name] for row in rows.values()) for rows in groups.values()}) == 1, name
    for name in ("seeds",):
        assert len({sum(row[name] for row in groups[group].values()) for group in ("link", "day")}) == 1


@pytest.mark.parametrize("group", ["link", "table", "game", "shift"])
def test_every_number_is_the_sum_of_its_rows(books: Reader, group: str) -> None:
    """The director: what a number leads to adds up to it, for each part of the floor."""
    for month in MONTHS:
        for name, row in by(books, group, month).items():
            part: dict[str, Any] = {"month": month, group: name}
            put = said(books, "contributions", **part)
            assert (total(put, "wagered"), total(put, "contributions")) == (
                row["wagered"],
                row["onto_meters"],
            )
            assert total(said(books, "awards", **part), "amount") == row["paid"]
            days = by(books, "day", **part).values()
            for figure in ("running_cost", "left_to_the_house", "expected_seeds"):
                assert abs(sum(day[figure] for day in days) - row[figure]) <= len(days), figure
            hands = said(books, "expected", **part)
            assert sum(line["actual"] or 0 for line in hands.rows) == row["hits"]
            expected = row["expected_cost"] - row["onto_meters"]
            assert abs(total(hands, "expected_paid") - expected) <= len(hands.rows), "to a micro-dollar a row"
            if group == "link":
                assert total(said(books, "seeds", **part), "amount") == row["seeds"]


def test_shifts_are_those_of_the_site(books: Reader) -> None:
    """The director: a shift's wagers are those that tables made in it; so are those of its hours."""
    site = replace(SITE, shifts=(Shift("early", time(6)), Shift("late", time(18, 30))))
    wanted = ReportRequest(site, (BANK,), month=MONTHS[0], group="shift")
    rows: list[dict[str, Any]] = list(dicts(REPORTS["result"], REPORTS["result"].find(books, wanted).rows))
    assert {row["name"] for row in rows} <= {"early", "late"}
    for row in rows:
        hours = REPORTS["contributions"].find(books, wanted._replace(shift=row["name"])).rows
        lines: list[dict[str, Any]] = list(dicts(REPORTS["contributions"], hours))
        assert sum(line["wagered"] for line in lines) == row["wagered"]


def test_what_is_expected_is_of_the_same_wagers(season: Season, books: Reader, walk: Walk) -> None:
    """A1, A7: wagers on the terms of their moment and at their tables, by exact odds; envy is not in it."""
    hits: Counter[str] = Counter()
    paid: Counter[str] = Counter()
    onto: Counter[str] = Counter()
    state = season.engine.state
    seats = {table.terms.table: table.terms.seats for table in state.tables}
    changed = {link.terms.link for link in state.links if any(link.number == one for one in _changed(season))}
    for (month, link, table), figures in walk.of_months().items():
        if month == MONTHS[0] and table in seats and link not in changed:
            terms = next(one.terms for one in state.links if one.terms.link == link)
            chance = sum(row_chances(terms), Fraction(0))
            hits[link] += figures["wagers"] * chance  # type: ignore[assignment]
            share = (odds_return(terms) + draws_return(terms, seats[table])) * terms.wager
            paid[link] += figures["wagers"] * share  # type: ignore[assignment]
            onto[link] += figures["onto_meters"] + figures["onto_reserves"]
    rows = by(books, "link", MONTHS[0])
    assert hits
    for link in hits:
        assert rows[link]["expected_hits"] == f"{float(hits[link]):.2f}"
        assert rows[link]["expected_cost"] == onto[link] + int(paid[link])


def _changed(season: Season) -> set[int]:
    """Links whose terms people changed: their wagers are of several terms."""
    found = (registry.decode(row.kind, row.version, row.body) for row in season.rows)
    return {event.link for event in found if isinstance(event, LinkChanged)}


def test_without_a_month_it_is_of_the_last_one(books: Reader) -> None:
    """The director: the month of the newest row; one without rows says what will stand here."""
    assert said(books, "result").rows == said(books, "result", month=MONTHS[1]).rows
    for month in ("2026-09", "2026-12"):
        empty = said(books, "result", month=month)
        assert empty.rows == []
        assert "once rounds are played" in str(empty.facts["nothing yet"])


def test_the_page_has_a_month_and_the_one_before(books: Reader) -> None:
    """The director: the figures of the report, for both months, with the parts of the floor below."""
    wanted = ReportRequest(SITE, (BANK,), month=MONTHS[1])
    page = director_page(books, wanted, CellFormat(SITE, "en"))
    assert page.months == list(reversed(MONTHS))
    assert (page.shown.key, page.before.key) == (MONTHS[1], MONTHS[0])
    assert [group.group for group in page.groups] == list(GROUPS)
    assert all(list(row.cells) == list(FIGURES) for group in page.groups for row in group.rows)
    shown = CellFormat(SITE, "en")
    for month, row in ((MONTHS[1], page.shown), (MONTHS[0], page.before)):
        for name in SUMS:
            whole = sum(line[name] for line in by(books, "link", month).values())
            assert row.cells[name] == shown.cents(whole), name
    assert sum(day.wagered for day in page.days) == sum(
        row["wagered"] for row in by(books, "link", MONTHS[1]).values()
    )


@pytest.mark.parametrize("name", ["result", "expected", "cost", "liability"])
def test_people_read_the_title_of_a_link_and_sums_in_cents(books: Reader, name: str) -> None:
    """The director: a page says what people say, and the file for programs has ids and exact sums."""
    links = {row["name"] for row in said(books, "result", month=MONTHS[0]).rows}
    titles = {link: f"Title of {link}" for link in links}
    report = REPORTS[name]

    def found() -> ReportResult:
        month = {"cost": None, "liability": None}.get(name, MONTHS[0])
        return report.find(books, ReportRequest(SITE, (BANK,), month=month, titles=titles))

    page = "".join(as_html(report, found(), SITE, 0))
    file = "".join(as_csv(report, found(), SITE))
    assert "Title of" in page
    assert "Title of" not in file
    assert not re.search(r"\$[\d,]+\.\d{3}", page)
    assert re.search(r",-?\d+\.\d{6}[,\r]", file)


def test_a_chance_that_is_as_good_as_none_is_told_by_a_bound() -> None:
    """The director: people read a bound, and programs the figure; of a larger one both read the same."""
    shown = CellFormat(SITE, "en")
    for chance, read, file in ((7.5e-21, "< 0.0001", "7.5e-21"), (0.0123, "0.012", "0.012")):
        cell = Difference(0.43, chance, exact=True).cells()[1]
        assert (shown.cell("figure", cell), exact("figure", cell)) == (read, file)


def test_a_small_month_is_what_a_pencil_makes_of_it(tmp_path: Path) -> None:
    """L6, A1, A5: three wagers of 1.00, a royal with its envy, a full house; all by hand.

    Of 2,598,960 hands 4 are royals, 36 straight flushes, 624 fours, 3,744 full houses, 5,108 flushes, 10,200
    straights and 54,912 threes. The house pays 300, 50, 40, 30 and 9 for 1 for the last five.
    """
    subject = bank(hold_table=False)
    full = Claim(3, ("9s", "9h", "9d"))
    played: tuple[tuple[Command, str], ...] = (
        (Wager("r1", tuple(Bet(seat, "L", 100) for seat in (3, 2)), True), "2026-11-03"),
        (Settle("r1", (Claim(3, ROYAL),), BOARD, close=True), "2026-11-03"),
        (Wager("r2", (Bet(3, "L", 100),), True), "2026-11-04"),
        (Settle("r2", (full,), ("4c", "4d"), close=True), "2026-11-04"),
    )
    for seq, (frame, at) in enumerate(played, 1):
        moment = int(datetime.fromisoformat(f"{at}T18:00:00+00:00").timestamp() * 1000)
        assert send(subject, seq, frame, at=moment).answer["t"] == "ack"
    url, rows = f"sqlite:///{tmp_path / 'ledger.db'}", list[Row]()
    for entry in subject.entries:
        rows.append(row_of(BANK, 1, entry, rows[-1].hash if rows else genesis(BANK)))
    with closing(open_ledger(url)) as ledger:
        ledger.new_epoch(BANK, "test")
        ledger.append(BANK, 1, 0, rows)
    with closing(open_reader(url)) as books:
        (row,) = by(books, "table", "2026-11").values()
        (link,) = by(books, "link", "2026-11").values()
    returned = Fraction(624 * 300 + 3_744 * 50 + 5_108 * 40 + 10_200 * 30 + 54_912 * 9, 2_598_960)
    assert (row["wagers"], row["wagered"]) == (3, 3_000_000)
    assert row["onto_meters"] == 630_000, "21 % of each"
    assert row["paid"] == 10_000_420_000 + 1_000_000_000 + 50_000_000, "the meter, envy, 50 for 1"
    assert row["paid_by_the_house"] == 1_050_000_000
    assert (row["running_cost"], row["left_to_the_house"]) == (1_050_630_000, -1_047_630_000)
    assert (row["running_cost_per_cent"], row["expected_cost_per_cent"]) == ("35021.00", "74.05")
    assert row["expected_cost"] == 630_000 + int(3_000_000 * returned)
    chance = Fraction(74_628, 2_598_960)
    beyond = 2 * (3 * chance**2 * (1 - chance) + chance**3)
    assert (row["hits"], row["expected_hits"], row["chance"]) == (2, "0.09", f"{float(beyond):.2g}")
    assert (row["how"], row["seeds"]) == (EXACT, None)
    assert link["seeds"] == 10_000_000_000, "the reseed; the seed came before the month"
