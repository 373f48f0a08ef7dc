"""Which reports are there? The one registry that the command line, pages and programs read."""

from typing import Final

from jackpot.books import (
    alarms,
    contributions,
    cost,
    doings,
    explain,
    fairness,
    papers,
    reconcile,
    wagers,
    winners,
)
from jackpot.books.report import Report

REPORTS: Final[dict[str, Report]] = {
    report.name: report
    for report in (
        reconcile.REPORT,
        explain.REPORT,
        contributions.REPORT,
        wagers.REPORT,
        cost.REPORT,
        *winners.REPORTS,
        *doings.REPORTS,
        alarms.REPORT,
        fairness.REPORT,
        *papers.REPORTS,
    )
}
