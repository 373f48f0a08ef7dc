"""The soak of the model plays offers, and finds a difference."""

import pytest

from jackpot.rules.rounds import recompute
from tests.soak.model import soak

OFFERS = "Let It Ride"


def test_some_hundred_steps_differ_in_nothing() -> None:
    """B1-B4, M4: bonus wagers next to a progressive, as the soak plays them for an hour."""
    assert soak(300, 1, OFFERS) == 0


def test_wagers_that_do_not_go_back_are_found(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """T2, T6, B3: an engine that keeps what it should give back differs, and the step is named."""
    monkeypatch.setattr(recompute, "given_back", lambda _link, _bets: [])
    assert soak(300, 1, OFFERS) == 1
    assert f"{OFFERS}, seed 1, step " in capsys.readouterr().out
