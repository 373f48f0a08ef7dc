"""The registry of reports, which the command line, pages and programs read."""

from typing import Final

from jackpot.reports import (
    alarms,
    audit_reports,
    contributions,
    cost,
    explain,
    fairness,
    papers,
    reconcile,
    taxes,
    wagers,
    winners,
)
from jackpot.reports.report import Report

REPORTS: Final[dict[str, Report]] = {
    report.name: report
    for report in (
        reconcile.REPORT,
        explain.REPORT,
        contributions.REPORT,
        wagers.REPORT,
        cost.REPORT,
        *winners.REPORTS,
        taxes.REPORT,
        *audit_reports.REPORTS,
        alarms.REPORT,
        fairness.REPORT,
        *papers.REPORTS,
    )
}
