"""A report is read by indexes, page by page, however long the journal is."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import apsw
import pytest

from jackpot.ledger.reading import Reader
from jackpot.ledger.sqlite.store import SqliteLedger
from jackpot.reports.read import entries
from jackpot.reports.read.hits import done_with, story_of
from jackpot.reports.registry import REPORTS
from jackpot.rules.acts.hits import Paid, Validated
from jackpot.rules.acts.readings import ReadingTaken
from jackpot.rules.events import Refused
from tests.reports.asked import day, said
from tests.reports.season import FIRST, Season

# What may be read more where the journal is longer: its readings are looked through, one number each, and
# halved by reading one of them after the other.
MORE = 40


class Counted(SqliteLedger):
    """Reader that counts its statements and rows, and keeps each statement."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, readonly=True)
        self.rows_read = 0
        self.statements: list[tuple[str, tuple[Any, ...]]] = []

    def _ask(self, sql: str, values: tuple[Any, ...]) -> Any:
        found = super()._ask(sql, values)
        self.statements.append((sql, values))
        self.rows_read += len(found)
        return found


def counted(season: Season, path: Path, rows: int) -> Counted:
    """Reader of a ledger with the first so many rows of the season."""
    with closing(SqliteLedger(path)) as ledger:
        ledger.new_epoch("main", "test")
        ledger.append("main", 1, 0, season.rows[:rows])
    return Counted(path)


@pytest.fixture(scope="module")
def both(season: Season, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Counted, Counted]]:
    """The journal up to the first reading, and all of it."""
    folder = tmp_path_factory.mktemp("counted")
    first = next(row.seq for row in season.rows if row.kind == ReadingTaken.kind)
    short = counted(season, folder / "short.db", first)
    whole = counted(season, folder / "whole.db", len(season.rows))
    yield short, whole
    short.close()
    whole.close()


@pytest.mark.parametrize(
    "report", ["reconcile", "contributions", "cost", "refusals", "access", "parameters", "alarms"]
)
def test_a_day_costs_no_more_in_a_longer_journal(both: tuple[Counted, Counted], report: str) -> None:
    """S2: a day's report reads that day, and not what came before or after it."""
    costs = []
    for ledger in both:
        ledger.rows_read, ledger.statements = 0, []
        asked = said(ledger, report, **day(FIRST.isoformat()))
        costs.append((len(ledger.statements), ledger.rows_read, asked.rows))
    (statements, read, short), (more, longer, whole) = costs
    assert whole == short
    assert short
    assert more <= statements + MORE
    assert longer <= read + MORE


def test_an_old_hit_is_found_as_fast_as_a_new_one(both: tuple[Counted, Counted]) -> None:
    """S1: all that became of a hit costs the rows of that hit, however long the journal went on after it."""
    found = []
    for ledger in both:
        ledger.rows_read = 0
        story = story_of(ledger, "main", 1)
        assert story is not None
        found.append((story.hit.seq, ledger.rows_read - len(done_with(ledger, "main", 1))))
    (seq, read), (same, longer) = found
    assert same == seq
    assert longer <= read + MORE


def test_no_statement_of_a_report_walks_through_a_table(
    both: tuple[Counted, Counted], season: Season
) -> None:
    """DESIGN, the ledger: readers page in short statements, each by a key or a small index."""
    ledger = both[1]
    ledger.statements = []
    percentage = max(shown.hit for level in season.engine.state.links[0].levels for shown in level.shown)
    for report in REPORTS:
        said(ledger, report, hit=percentage, link="five-A" if report == "reading-slip" else None)
    plans = set()
    for sql, values in ledger.statements:
        found = ledger.file.ask(f"EXPLAIN QUERY PLAN {sql}", values)
        plans |= {
            (" ".join(sql.split()), detail)
            for *_, detail in found
            if any(table in detail for table in ("journal", "posting", "hit_entry"))
        }
    assert len(plans) > 10
    walks = [(sql, plan) for sql, plan in plans if plan.startswith("SCAN")]
    assert walks == []
    used = {plan.split("INDEX ")[1].split(" ")[0] for _, plan in plans if "INDEX " in plan}
    small = {"journal_by_kind", "journal_of_refusals", "posting_of_awards", "hit_entry_by_hit"}
    assert used >= small


def test_pages_follow_each_other_without_a_gap(
    books: Reader, season: Season, monkeypatch: pytest.MonkeyPatch
) -> None:
    """DESIGN, the ledger: short reads, page after page, come to all there is, whatever the page's size."""
    wanted = [row.seq for row in season.rows if row.kind == Refused.kind]
    others = [row.seq for row in season.rows if row.table_seq is None]
    kinds = {row.kind for row in season.rows}
    for size in (1, 7, entries.PAGE):
        monkeypatch.setattr(entries, "PAGE", size)
        assert [entry.seq for entry in entries.refused(books, "main")] == wanted
        assert [entry.seq for entry in entries.of_kinds(books, "main", kinds)] == others
        half = len(season.rows) // 2
        found = [entry.seq for entry in entries.of_kinds(books, "main", kinds, 10, half)]
        assert found == [seq for seq in others if 10 < seq <= half]
    assert entries.newest(books, "main", ReadingTaken.kind, 1) is None
    assert entries.one(books, "main", len(season.rows) + 1) is None


def test_the_small_indexes_hold_no_wager(season: Season, tmp_path: Path) -> None:
    """DESIGN, the ledger: a wager costs no index: only acts, the server's rows and refusals are in them."""
    path = tmp_path / "ledger.db"
    counted(season, path, len(season.rows)).close()
    with closing(apsw.Connection(str(path))) as connection:
        for name, condition in (
            ("journal_by_kind", "table_seq IS NULL"),
            ("journal_of_refusals", "kind = 9"),
        ):
            (inside,) = connection.execute(
                f"SELECT count(*) FROM journal INDEXED BY {name} WHERE {condition}"
            ).fetchall()[0]
            expected = sum(
                row.table_seq is None if "IS NULL" in condition else row.kind == Refused.kind
                for row in season.rows
            )
            assert inside == expected
            assert inside < len(season.rows) * 2 / 3


def test_what_is_written_on_many_hits_is_read_by_one_statement(books: Reader, season: Season) -> None:
    """A10: each entry of people on a hit, with that hit's number, on both databases."""
    kinds = (Validated.kind, Paid.kind)
    last = max(hit for row in season.rows for hit in row.hits)
    found = list(entries.written_on_hits(books, "main", 1, last, kinds))
    walked = {
        (hit, entry.event.hit)
        for hit in range(1, last + 1)
        for entry in entries.entries_of_hit(books, "main", hit)
        if isinstance(entry.event, Validated | Paid)
    }
    assert {(hit, event.hit) for hit, event in found if isinstance(event, Validated | Paid)} == walked
    assert len(walked) > 5
    assert {hit for hit, _ in entries.written_on_hits(books, "main", 2, 3, kinds)} <= {2, 3}
