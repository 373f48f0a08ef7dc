"""The cost report equals a count wager by wager and award by award, and agrees with other reports."""

from collections import Counter, defaultdict
from contextlib import closing
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

from jackpot.config.writing import writing
from jackpot.ledger.open import open_reader
from jackpot.ledger.reading import Reader
from jackpot.ledger.rebuild import accounts_of
from jackpot.reports import cost
from jackpot.rules import events, registry
from jackpot.rules.acts.hits import Undone
from jackpot.rules.acts.readings import ReadingTaken
from jackpot.rules.acts.rounds import Struck
from jackpot.rules.engine import Engine
from jackpot.rules.money import floor_to_cent
from tests.ledger.conftest import Place
from tests.ledger.resting import BANKS, two_banks
from tests.ledger.verify.test_verifier import spoil
from tests.ledger.waiting import join, open_ledger
from tests.reports.asked import day, said, unanswerable
from tests.reports.season import SITE, Season

LINK: Final = "the link itself"
LEFT: Final = "left_to_the_house"
# By the kind of an award, the column of what was paid.
PAID: Final = {"meter": "paid_from_meters", "odds": "odds_paid", "envy": "envy_paid", "draw": "draws_paid"}
BY_HOUSE: Final = ("odds_paid", "envy_paid", "draws_paid")
COST: Final = ("onto_meters", "onto_reserves", *BY_HOUSE, "seeds")
FIGURES: Final = tuple(column.name for column in cost.COLUMNS[4:])
ALL: Final = {"first": "2000-01-01"}
Key = tuple[str, str, str]
"""Gaming day or month, link, table."""


class Worth(NamedTuple):
    """Current value of an award. name: of its column."""

    link: int
    table: str
    name: str
    micros: int = 0


class Walk:
    """Replays a season and counts: each wager at the rates of its moment, each change of what an award is
    worth, and the house's money on each meter from reading to reading. It reads no posting.
    """

    def __init__(self, season: Season) -> None:
        self.engine = Engine("main")
        self.found: defaultdict[Key, Counter[str]] = defaultdict(Counter)
        self._placed: dict[tuple[str, Any], Counter[str]] = {}
        self._worth: dict[int, Worth] = {}
        self._today: list[tuple[str, str, Counter[str]]] = []
        self._house: dict[tuple[int, int], tuple[int, ...]] = {}
        for row in season.rows:
            event = registry.decode(row.kind, row.version, row.body)
            self._before(event, self._table(row.table, event))
            self.engine.replay(row)
            self._after(event, self._table(row.table, event))
            if isinstance(event, ReadingTaken):
                self._day_ends(event.day)

    def of_months(self) -> dict[Key, Counter[str]]:
        found: defaultdict[Key, Counter[str]] = defaultdict(Counter)
        for (name, link, table), figures in self.found.items():
            found[name[:7], link, table].update(figures)
        return found

    def _table(self, number: int | None, event: events.Event) -> str:
        number = getattr(event, "table", None) or number
        named = (table.terms.table for table in self.engine.state.tables if table.number == number)
        return next(named, "")

    def _before(self, event: events.Event, table: str) -> None:
        """State before the event: wagers taken back count as they did when they were made."""
        if isinstance(event, events.Withdrawn):
            back = [(event.round, bet) for bet in event.bets]
        elif isinstance(event, Struck):
            back = [(event.round, event.bet)]
        elif isinstance(event, events.Voided):
            back = [key for key in self._placed if key[0] == event.round]
        else:
            return
        for key in back:
            figures = self._placed.pop(key)
            self._count(key[1].link, table, {name: -figure for name, figure in figures.items()})

    def _after(self, event: events.Event, table: str) -> None:
        if isinstance(event, events.Wagered):
            for bet in event.bets:
                terms = self.engine.state.link(bet.link).terms
                figures = Counter(wagers=1, wagered=terms.wager)
                for level in terms.levels:
                    figures["onto_meters"] += terms.wager * level.primary // 10_000
                    figures["onto_reserves"] += terms.wager * level.reserve // 10_000
                self._placed[event.round, bet] = figures
                self._count(bet.link, table, figures)
        for hit in (*self.engine.state.hits.values(), *self.engine.state.paid.values()):
            for award in hit.awards:
                name = PAID[award.kind]
                at = self.engine.state.table(hit.table).terms.table
                self._worth.setdefault(award.number, Worth(award.link, at, name))
                self._becomes(award.number, award.worth() if award.stands() else 0)
        for number in event.awards if isinstance(event, Undone) else ():  # of a hit that nobody keeps
            self._becomes(number, 0)

    def _becomes(self, award: int, micros: int) -> None:
        known = self._worth[award]
        if micros != known.micros:
            self._count(known.link, known.table, {known.name: micros - known.micros})
            self._worth[award] = known._replace(micros=micros)

    def _count(self, link: int, table: str, figures: dict[str, int]) -> None:
        self._today.append((self.engine.state.link(link).terms.link, table, Counter(figures)))

    def _day_ends(self, name: str) -> None:
        for link, table, figures in self._today:
            self.found[name, link, table].update(figures)
        self._today = []
        now = accounts_of(self.engine)
        for (number, level), accounts in now.items():
            before = self._house.get((number, level), (0,) * 8)
            if level:
                figures = self.found[name, self.engine.state.link(number).terms.link, LINK]
                figures.update(seeds=before[3] - accounts[3], corrections=before[6] - accounts[6])
        self._house = now


@pytest.fixture(scope="module")
def walk(season: Season) -> Walk:
    return Walk(season)


def told(books: Reader, **asked: Any) -> dict[Key, dict[str, int]]:
    """Figures of each row; those that are not a table's, or not a link's, are left out."""
    report = said(books, "cost", **asked)
    assert report.problems == []
    found = {}
    for row in report.rows:
        blank = {"seeds", "corrections"} if row["table"] != LINK else set(FIGURES) - {
            "cost", LEFT, "seeds", "corrections"
        }  # fmt: skip
        assert {name for name in FIGURES if row[name] is None} == blank
        key = (row["period"], row["link"], row["table"])
        assert key not in found
        found[key] = {name: row[name] for name in FIGURES if row[name]}
    return found


def expected(found: dict[Key, Counter[str]]) -> dict[Key, dict[str, int]]:
    """Expected figures, with cost and remainder; rows in which nothing moved are left out."""
    rows = {}
    for key, figures in found.items():
        spent = sum(figures[name] for name in COST)
        row = {**figures, "cost": spent, LEFT: figures["wagered"] - spent}
        if row := {name: figure for name, figure in row.items() if figure}:
            rows[key] = row
    return rows


def test_each_row_is_what_its_wagers_awards_and_seeds_come_to(books: Reader, walk: Walk) -> None:
    """L6, A1, A5, A10, A11, M4: by day and by month, as a walk over the events alone counts them."""
    by_day = expected(walk.found)
    assert told(books, by="day", **ALL) == by_day
    assert told(books, by="month", **ALL) == expected(walk.of_months())
    moved = Counter(name for figures in by_day.values() for name in figures)
    assert set(moved) == set(FIGURES) - {"stakes"}, "each figure is tried; stakes are of offers"
    assert any(
        figures["paid_from_meters"] < 0 for figures in by_day.values() if "paid_from_meters" in figures
    )
    assert len({name for name, *_ in by_day}) > 2


def test_it_says_what_the_other_reports_say(books: Reader, walk: Walk) -> None:
    """S2, L10: a day's sums are those of its contributions, of its reconciliation, of its hits and envy."""
    for name in sorted({name for name, *_ in walk.found}):
        rows = told(books, by="day", **day(name))
        of_links: defaultdict[str, Counter[str]] = defaultdict(Counter)
        of_tables: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
        for (_, link, table), figures in rows.items():
            of_links[link].update(figures)
            of_tables[link, table].update(figures)
        put: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
        for line in said(books, "contributions", **day(name)).rows:
            put[line["link"], line["table"]].update({key: line[key] for key in ("wagers", "wagered")})
            put[line["link"], line["table"]]["put"] += line["contributions"]
        for where, sums in put.items():
            mine = of_tables[where]
            assert [mine["wagers"], mine["wagered"], mine["onto_meters"] + mine["onto_reserves"]] == [
                sums["wagers"], sums["wagered"], sums["put"]
            ]  # fmt: skip
        for line in said(books, "reconcile", **day(name)).rows:
            mine = of_links[line["link"]]
            if line["level"] == "house":
                assert line["awards"] == line["house"] == sum(mine[name] for name in BY_HOUSE)
                mine["left again"] -= line["house"]
            else:
                mine["awards again"] += line["awards"]
                mine["seeds again"] += line["house"]
                mine["corrections again"] += line["corrections"]
                mine["left again"] += (line["wagered"] or 0) - line["contributions"] - line["house"]
        for mine in of_links.values():
            assert mine["awards again"] == mine["paid_from_meters"]
            assert mine["seeds again"] == mine["seeds"]
            assert mine["corrections again"] == mine["corrections"]
            assert mine["left again"] == mine[LEFT]
    total: Counter[str] = Counter()
    for figures in told(books, **ALL).values():
        total.update(figures)
    hits = said(books, "hits", **ALL).rows
    won = total["paid_from_meters"] + total["odds_paid"] + total["draws_paid"]
    assert (won, total["envy_paid"]) == tuple(sum(hit[name] for hit in hits) for name in ("amount", "envy"))
    assert total["envy_paid"] == sum(line["amount"] for line in said(books, "envy", **ALL).rows)


def test_the_first_lines_answer(books: Reader, walk: Walk, monkeypatch: pytest.MonkeyPatch) -> None:
    """S2: what it cost, seeds apart, and what is left; table by table, the dearest first, and the links' own.

    Whoever adds them up by hand comes to the same, to the cent.
    """
    rows = expected(walk.of_months())
    by_table: Counter[str] = Counter()
    for (_, _, table), figures in rows.items():
        by_table[table] += figures.get("cost", 0)
    wagered = sum(figures.get("wagered", 0) for figures in rows.values())
    seeds = sum(figures.get("seeds", 0) for figures in rows.values())
    (first, answer), (second, left), (third, tables), *_ = said(
        books, "cost", by="month", **ALL
    ).facts.items()
    assert (first, second, third) == ("cost", "left to the house", "by table")
    cents = writing(SITE.locale, SITE.currency).to_the_cent
    assert seeds
    spent = floor_to_cent(by_table.total() - seeds) + seeds
    assert sums_in(answer) == [cents(sum_) for sum_ in (spent, spent - seeds, seeds)]
    assert sums_in(left) == [cents(sum_) for sum_ in (wagered - spent, wagered, spent)]
    own = by_table.pop(LINK)
    assert sums_in(tables) == [cents(sum_) for sum_ in (*sorted(by_table.values(), reverse=True), own)]
    assert str(tables).startswith(f"{by_table.most_common()[0][0]} $")
    monkeypatch.setattr(cost, "NAMED", 2)
    short = said(books, "cost", by="month", **ALL).facts["by table"]
    more = sum(sorted(by_table.values(), reverse=True)[2:])
    assert f", {len(by_table) - 2} more tables {cents(more)}" in str(short)


def sums_in(text: Any) -> list[str]:
    return [word.strip(",;:") for word in str(text).split() if "$" in word]


def test_without_days_it_is_of_the_last_day_or_month_that_has_ended(books: Reader, walk: Walk) -> None:
    """S2: the season ends in its second month, so the first one is the last that has ended."""
    by_day, by_month = expected(walk.found), expected(walk.of_months())
    newest, ended = max(name for name, *_ in by_day), min(name for name, *_ in by_month)
    assert (newest[:7], ended) == ("2026-11", "2026-10")
    assert told(books) == {key: row for key, row in by_day.items() if key[0] == newest}
    assert told(books, by="month") == {key: row for key, row in by_month.items() if key[0] == ended}
    link = next(key[1] for key in by_month if key[0] == ended)
    assert told(books, by="month", link=link) == {
        key: row for key, row in by_month.items() if key[:2] == (ended, link)
    }
    with unanswerable("link_not_known", link="nowhere"):
        said(books, "cost", link="nowhere")


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ('"primary" = "primary" + 7, wagers = wagers - 7 WHERE wagers < 0', "contributions"),
        ("awards = awards + 7, house = house - 7 WHERE level > 0 AND awards > 0", "awards of meters"),
        ("awards = awards + 7, house = house - 7 WHERE level = 0 AND awards > 0", "awards of the house"),
    ],
)
def test_money_of_no_table_is_found(season: Season, tmp_path: Path, change: str, what: str) -> None:
    """M4, S8: postings that were changed are no table's, and the report says of which link."""
    path = tmp_path / "ledger.db"
    with closing(open_ledger(f"sqlite:///{path}")) as ledger:
        season.write(ledger)
    spoil(path, f"UPDATE posting SET {change}")
    with closing(open_reader(f"sqlite:///{path}")) as books:
        problems = said(books, "cost", **ALL).problems
    assert {(problem.template, problem.values["what"]) for problem in problems} == {("sum_of_no_table", what)}


def test_what_banks_hand_on_to_another_is_nobodys_cost(place: Place) -> None:
    """L10, M4: joined banks cost what they had cost apart; seeds are neither given back nor given twice."""
    ledger = place.open()
    two_banks(ledger)
    apart = told(ledger, banks=BANKS, **ALL)
    assert {figures.get("seeds", 0) > 0 for (*_, table), figures in apart.items() if table == LINK} == {True}
    join(ledger, BANKS, "floor", "anna", "one room", 1_800_000_000_000)
    assert told(ledger, banks=(*BANKS, "floor"), **ALL) == apart
