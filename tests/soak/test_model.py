"""The soak of the model plays offers, and finds a difference."""

from typing import Any

import pytest

from jackpot.rules.events import LevelChange
from jackpot.rules.meter import Accounts
from jackpot.rules.rounds import mystery, recompute
from jackpot.rules.state import Award, BankState, Level
from tests.soak.model import soak

OFFERS = "Let It Ride"


def test_some_hundred_steps_differ_in_nothing() -> None:
    """B1-B4, M4: bonus wagers next to a progressive, as the soak plays them for an hour."""
    assert soak(300, 1, OFFERS) == 0


@pytest.mark.parametrize("house", ["a drawn", "a committed", "both forms"])
def test_mysteries_next_to_cards_and_offers(house: str) -> None:
    """Y1-Y12, P6: both forms, as the soak plays them."""
    assert soak(400, 1, house) == 0


def lift(level: Level, *, ends: bool) -> None:
    """People's money decides nothing, and nothing is decided by it."""


def pays_all(state: BankState, award: Award) -> LevelChange:
    """An undone award goes whole into the overflow, also what the house had added."""
    return LevelChange(award.link, award.level, Accounts(awards=-award.amount, overflow=award.amount))


@pytest.mark.parametrize(
    ("name", "wrong"),
    [("apply_moved", lift), ("without_award", pays_all), ("floor_to_cent", lambda micros: micros)],
)
def test_a_mystery_that_keeps_other_books_is_found(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], name: str, wrong: Any
) -> None:
    """Y1, Y4, Y11: what is decided, what goes back, and what an award leaves."""
    monkeypatch.setattr(mystery, name, wrong)
    assert soak(20_000, 2, "a drawn mystery") == 1
    assert "a drawn mystery, cards and offers, " in capsys.readouterr().out


def test_wagers_that_do_not_go_back_are_found(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """T2, T6, B3: an engine that keeps what it should give back differs, and the step is named."""
    monkeypatch.setattr(recompute, "given_back", lambda _link, _bets: [])
    assert soak(300, 1, OFFERS) == 1
    assert f"{OFFERS}, Lively, seed 1, step " in capsys.readouterr().out
