"""Exports for programs, spreadsheets and paper keep rows as they are, whatever people wrote."""

import csv
import io
import json
import tracemalloc
from datetime import time
from typing import Any

import msgspec
import pytest

from jackpot.config import Site
from jackpot.config.writing import moment
from jackpot.reports.output import CUT, CellFormat, Totals, as_csv, as_html, as_json, exact
from jackpot.reports.report import Cell, Fact, NamedId, Report, ReportColumn, ReportProblem, ReportResult
from jackpot.text import Sentence
from tests.reports.season import SITE

HOSTILE = '=HYPERLINK("http://x")<script>alert(1)</script>'
AT = 1_790_000_000_000
COLUMNS = (
    ReportColumn("name"),
    ReportColumn("sum", "sum", total=True),
    ReportColumn("at", "moment"),
    ReportColumn("count", "count"),
    ReportColumn("took", "span"),
)
# Some pages of any size that a report reads, so that the whole of it would be seen at once.
MANY = 20_000
MEMORY_MAX = 2_000_000


def report(**more: Any) -> Report:
    return Report("test", "A test", "What is this?", COLUMNS, (), lambda *_: found(), **more)


def found(rows: int = 1) -> ReportResult:
    row: tuple[Cell, ...] = (HOSTILE, -1_234_567_890, AT, 12_345, 65_000)
    return ReportResult([Fact("what", HOSTILE), Fact("sum", 1_000_000, "sum")], iter([row] * rows), [])


def test_a_program_gets_exact_values() -> None:
    """M1: sums are decimal strings to the micro-dollar, moments and spans are milliseconds."""
    read = json.loads("".join(as_json(report(), found(2))))
    assert read["facts"] == {"what": HOSTILE, "sum": "1.000000"}
    assert (
        read["rows"]
        == [{"name": HOSTILE, "sum": "-1234.567890", "at": AT, "count": 12_345, "took": 65_000}] * 2
    )
    assert read["problems"] == []
    assert [exact("sum", micros) for micros in (0, 7, -7, None)] == [
        "0.000000",
        "0.000007",
        "-0.000007",
        None,
    ]
    assert json.loads("".join(as_json(report(), found(0))))["rows"] == []


def test_a_spreadsheet_runs_nothing() -> None:
    """Misuse: a reason that looks like a formula is a text; a negative sum stays a number."""
    lines = list(csv.reader(io.StringIO("".join(as_csv(report(), found(), SITE)))))
    assert lines[0] == ["name", "sum", "at", "count", "took"]
    assert lines[1] == [f"'{HOSTILE}", "-1234.567890", "2026-09-21T10:13:20.000-04:00", "12345", "65000"]


@pytest.mark.parametrize(
    ("zone", "moments"),
    [
        ("America/New_York", ("2026-11-01T01:30:00.250-04:00", "2026-11-01T01:30:00.250-05:00")),
        ("UTC", ("2026-11-01T05:30:00.250+00:00", "2026-11-01T06:30:00.250+00:00")),
    ],
)
def test_a_spreadsheet_gets_moments_with_their_offset(zone: str, moments: tuple[str, str]) -> None:
    """S2: ISO 8601 in the site's own time: the hour that comes twice in autumn is two moments."""
    first = 1_793_511_000_250
    rows: list[tuple[Cell, ...]] = [("", 0, at, 0, 0) for at in (first, first + 3_600_000)]
    both = found()._replace(rows=iter([*rows, ("", 0, None, 0, 0)]))
    site = msgspec.structs.replace(SITE, timezone=zone)
    lines = list(csv.DictReader(io.StringIO("".join(as_csv(report(), both, site)))))
    assert [line["at"] for line in lines] == [*moments, ""]


@pytest.mark.parametrize("lines", [(), ("Signature",)])
def test_a_page_runs_nothing_and_loads_nothing(lines: tuple[str, ...]) -> None:
    """Misuse: whatever people wrote is shown as text; a printed page needs no network."""
    html = "".join(as_html(report(lines=lines), found(), SITE, AT))
    assert "<script" not in html
    assert "&lt;script&gt;" in html
    assert "http" not in html.replace("http://x", "")
    assert "-$1,234.567890" in html
    assert ("Signature" in html) == bool(lines)


def test_a_problem_is_on_the_page_and_in_the_json() -> None:
    """M4: a report that does not add up says so, although it is found out while the rows go by."""

    def with_problem() -> ReportResult:
        made = found(0)

        def rows() -> Any:
            made.problems.append(ReportProblem("sum_off", "{link} does not add up", link="bonus"))
            yield from found().rows

        return made._replace(rows=rows())

    assert "bonus does not add up" in "".join(as_html(report(), with_problem(), SITE, AT))
    assert json.loads("".join(as_json(report(), with_problem())))["problems"] == [
        {"template": "sum_off", "values": {"link": "bonus"}, "text": "bonus does not add up"}
    ]


@pytest.mark.parametrize("form", ["csv", "json", "html"])
def test_many_rows_need_the_memory_of_few(form: str) -> None:
    """Misuse: a report of any length leaves row by row, and is never held whole."""

    def rows() -> Any:
        for number in range(MANY):
            yield (f"{number:0100}", number, AT, number, number)

    many = found(0)._replace(rows=rows())
    parts = {"csv": as_csv(report(), many, SITE), "json": as_json(report(), many),
             "html": as_html(report(), many, SITE, AT)}[form]  # fmt: skip
    next(parts)
    tracemalloc.start()
    length = sum(len(part) for part in parts)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert length > MANY * 100
    assert most < MEMORY_MAX


def test_totals_are_added_up_while_rows_go_by() -> None:
    """M1: only columns that say so, to the micro-dollar."""
    totals = Totals(report(), found(3))
    assert len(list(totals)) == 3
    assert totals.sums == {1: -3 * 1_234_567_890}


def test_sums_and_times_are_the_sites() -> None:
    """S1: currency, locale and zone of the site, on a screen and on paper."""
    wien = Site("Wien", "EUR", time(6), "Europe/Vienna", "de_AT")
    assert CellFormat(SITE).cell("sum", 1_234_567_890_000) == "$1,234,567.89"
    assert CellFormat(SITE).cell("sum", -7) == "-$0.000007"
    assert CellFormat(wien).cell("sum", 1_234_560_000).split() == ["\N{EURO SIGN}", "1.234,56"]
    assert CellFormat(SITE).cell("moment", AT) == "2026-09-21 10:13:20 EDT"
    assert CellFormat(wien).cell("moment", AT) == "2026-09-21 16:13:20 CEST"
    paper = "".join(as_html(report(lines=("Signature",)), found(), wien, AT, "es"))
    assert paper.count("2026-09-21 16:13:20 CEST") == 2, "its row, and when it was printed"
    assert moment(10**18, "UTC") == f"{10**18} ms"
    assert CellFormat(SITE).cell("count", 12_345) == "12,345"
    assert CellFormat(SITE).cell("sum", None) == ""


def test_people_read_cents_and_titles_and_programs_exact_sums_and_ids() -> None:
    """M1: a sum on a page is cut to the cent, towards nothing; CSV and JSON have it whole, and the id."""
    shown = CellFormat(SITE, "es_MX")
    assert [shown.cell("money", micros) for micros in (2_678_675, -2_678_675, -7, 0)] == [
        "$2.67", "-$2.67", "$0.00", "$0.00",
    ]  # fmt: skip
    assert exact("money", -2_678_675) == "-2.678675"
    link = NamedId("floor-five", "Riverside Five")
    assert shown.cell("text", link) == "Riverside Five"
    assert (exact("text", link), json.dumps(link)) == ("floor-five", '"floor-five"')
    game = NamedId("let-it-ride", Sentence("the link itself"))
    assert shown.cell("text", game) == shown.say(Sentence("the link itself")) != game


@pytest.mark.parametrize(("micros", "cut"), [(1_230_000, False), (1_235_000, True)])
def test_people_are_told_where_sums_lost_parts_of_a_cent(micros: int, cut: bool) -> None:
    """M3, L6: by hand such sums may be a cent off, so paper says it; what is left of whole cents adds up."""
    columns = (ReportColumn("cost", "money", total=True), ReportColumn("left", "rest", total=True))
    rows: list[tuple[Cell, ...]] = [(micros, 2_000_000 - micros)]
    page = "".join(as_html(report()._replace(columns=columns), ReportResult([], iter(rows), []), SITE, AT))
    assert (str(CUT) in page) == cut
    assert page.count("$1.23") == 2
    assert page.count("$0.77") == 2, "with $1.23 it is two dollars"
