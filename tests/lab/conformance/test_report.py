"""The conformance report has a verdict on every obligation."""

from pathlib import Path

from jackpot.lab.conformance.device import OF_ALL, OF_OFFERS, OF_TABLES
from jackpot.lab.conformance.report import BY_NAME, OBLIGATIONS, ConformanceReport
from jackpot.lab.conformance.server import ASKED

ROOT = Path(__file__).parents[3]


def test_each_obligation_is_of_a_section_of_the_page() -> None:
    """WIRE: a maker reads there what a verdict means."""
    page = (ROOT / "controllers" / "README.md").read_text()
    assert len(BY_NAME) == len(OBLIGATIONS)
    assert not [one.name for one in OBLIGATIONS if f"\n## {one.section}\n" not in page]


def test_each_trial_is_of_obligations_that_there_are() -> None:
    """WIRE: what no trial shows is looked at all the time, and nothing is looked at that is no obligation."""
    names = [name for _, shown in (*OF_ALL, *OF_TABLES, *OF_OFFERS, *ASKED) for name in shown]
    assert set(names) <= set(BY_NAME)
    sources = [file.read_text() for file in (ROOT / "jackpot" / "lab" / "conformance").glob("*.py")]
    for name in set(BY_NAME) - set(names):
        assert any(f'report.met("{name}"' in source for source in sources), name


def test_a_failure_stays_and_the_first_one_is_told() -> None:
    """A device that fails once has failed, whatever it does well before and after."""
    report = ConformanceReport("table")
    report.met("resend", "once")
    report.broken("resend", "seq 7 came with other content")
    report.broken("resend", "seq 9 too")
    report.met("resend", "again")
    report.missed("moved", "it did not come")
    found = {one.name: (verdict, why) for one, verdict, why in report.results()}
    assert found["resend"] == ("fail", "seq 7 came with other content")
    assert found["moved"] == ("not seen", "it did not come")
    assert found["hello"][0] == "not seen"
    assert report.failed
    assert not report.passed
    never_came, good = ConformanceReport("table"), ConformanceReport("table")
    good.met("hello")
    assert (never_came.passed, good.passed) == (False, True)
    assert "challenge" not in found
    assert not ConformanceReport("sign").failed
    assert "wagers" not in {one.name for one, _, _ in ConformanceReport("sign").results()}
