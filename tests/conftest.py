"""What holds for every test? In CI nothing is skipped: a missing tool is a failure."""

import os
from collections.abc import Generator
from typing import Final

import pytest

from tests.engines import database, ledger_template, postgres
from tests.ledgers import fresh

__all__ = ["database", "fresh", "ledger_template", "postgres"]  # fixtures for every test

IN_CI: Final = os.environ.get("CI", "").lower() in {"1", "true", "yes"}


def _fail_instead_of_skip(report: pytest.TestReport | pytest.CollectReport) -> None:
    if IN_CI and report.outcome == "skipped" and not hasattr(report, "wasxfail"):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        report.outcome = "failed"
        report.longrepr = (
            f"{report.nodeid}: {reason}. In CI nothing may be skipped: .ci/run installs what is missing."
        )


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    _fail_instead_of_skip(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    _fail_instead_of_skip(report)
    return report
