"""Every cell of every report is of its column's kind."""

from jackpot.ledger.reading import Reader
from jackpot.reports.registry import REPORTS
from jackpot.reports.report import ReportRequest, dicts
from tests.reports.season import SITE, Season

# Reports without a row in the season, which is in no country with taxes and has no mystery link.
ELSEWHERE = {"taxes", "commitments"}


def test_every_cell_is_of_its_kind(books: Reader, season: Season) -> None:
    """The registry: texts are texts, sums and moments whole numbers; each column has its cell."""
    for report in REPORTS.values():
        wanted = ReportRequest(SITE, ("main",), first="2000-01-01", hit=season.engine.state.next_hit - 1)
        if report.name == "reading-slip":
            wanted = wanted._replace(link=season.engine.state.links[0].terms.link)
        if report.options == ("hit",):
            wanted = wanted._replace(first=None)
        elif "day" in report.options:
            wanted = wanted._replace(first=None, last=None)
        found = report.find(books, wanted)
        rows = list(dicts(report, found.rows))
        assert rows or report.name in ELSEWHERE, report.name
        for row in rows:
            for column in report.columns:
                value = row[column.name]
                assert value is None or isinstance(
                    value, str if column.kind in ("text", "word", "answer", "figure") else int
                )
        assert found.problems == []
