"""Commands, pages and programs can all read the registry of reports."""

from jackpot.reports.registry import REPORTS


def test_every_report_says_what_it_is() -> None:
    """The registry: a name, a title, help, an example, and columns of different names."""
    for name, report in REPORTS.items():
        assert report.name == name
        assert report.title
        assert report.example
        assert report.help.rstrip()[-1] in ".?"
        names = [column.name for column in report.columns]
        assert len(set(names)) == len(names)
