"""The soak of must-hit-by cycles is silent where they are fair, and finds a level that is not."""

from dataclasses import replace

import pytest

from tests.faults.model_mystery import COMMITTED, DRAWN, Award, Level, Terms
from tests.soak import mystery
from tests.soak.mystery import LEVEL, Played, by_model, judged, soak

CYCLES = 4_000
# A floor that plays a day in a second or two.
SMALL = mystery.FLOOR._replace(tables=2, rounds=20)


def test_some_thousand_cycles_of_each_form() -> None:
    """Y2, Y5: both forms have the exact law, and no money is made; the seed is fixed."""
    assert min(judged(CYCLES, 1).values()) > LEVEL


def lower(terms: Terms, form: str, cycles: int, seed: int) -> Played:
    """Cycles whose trigger is the lower of two."""
    return by_model(replace(terms, must_hit_by=terms.must_hit_by - terms.rise), form, cycles, seed)


class Forgetful(Level):
    """A drawn level that does not remember what was decided."""

    def contribute(self) -> Award | None:
        if self.form == DRAWN:
            self.highest = self.terms.minimum
        return super().contribute()


def test_a_shorter_range_is_found() -> None:
    """Y1: whose maximum is a wager too low."""
    assert min(judged(CYCLES, 1, lower).values()) < LEVEL


def test_a_level_that_forgets_what_was_decided_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Y2: the drawn form alone, against the law and against the other form."""
    monkeypatch.setattr("tests.soak.mystery.Level", Forgetful)
    found = judged(CYCLES, 1, only="equal")
    assert found["equal steps: both forms alike"] < LEVEL
    assert found["equal steps, drawn: lengths"] < LEVEL
    assert found["equal steps, committed: lengths"] > LEVEL


def test_a_missing_micro_dollar_is_found() -> None:
    """M4: the sums of a whole run are those that came in."""

    def losing(terms: Terms, form: str, cycles: int, seed: int) -> Played:
        played = by_model(terms, form, cycles, seed)
        return replace(played, left=played.left - 1)

    assert set(judged(10, 1, losing).values()) >= {0.0}


def test_the_command_says_what_it_compared(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Y5: each comparison with its chance, and how many are improbable; none of a level that is not there.

    The engine plays some hundred cycles of it, on a small floor.
    """
    monkeypatch.setattr(mystery, "FLOOR", SMALL)
    assert soak(500, 1, "equal") == 0
    said = capsys.readouterr().out
    assert "0 of 21 comparisons are improbable" in said
    for form in (DRAWN, COMMITTED):
        assert f"engine: equal steps, {form}, meter: 1 to 4 wagers" in said
    assert soak(10, 1, "no such") == 1
