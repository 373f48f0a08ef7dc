"""The registry of reports, which the command line, pages and programs read."""

from typing import Final

from jackpot.reports import (
    account_credits,
    alarms,
    audit_reports,
    commitments,
    contributions,
    cost,
    explain,
    fairness,
    liability,
    movements,
    papers,
    reconcile,
    result,
    submission,
    taxes,
    voids,
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
        voids.REPORT,
        cost.REPORT,
        result.REPORT,
        result.EXPECTED,
        *movements.REPORTS,
        *liability.REPORTS,
        *winners.REPORTS,
        taxes.REPORT,
        account_credits.REPORT,
        *audit_reports.REPORTS,
        submission.REPORT,
        alarms.REPORT,
        fairness.REPORT,
        commitments.REPORT,
        *papers.REPORTS,
    )
}
