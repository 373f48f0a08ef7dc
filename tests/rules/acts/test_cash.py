"""Notices of cash that the server journals after its payments."""

import pytest

from jackpot.rules import views
from jackpot.rules.acts.cash import NoticeCash
from jackpot.rules.rounds import apply
from tests.frames import Claim, Settle, Wager
from tests.rules.rounds.test_offers import THREE, Place, bets


def test_a_notice_is_about_any_hit_that_was_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """A10, S8: papers may name a patron long after the payment; a start and `verify` take the notice, too."""
    monkeypatch.setattr(apply, "PAID_KEPT", 0)
    place = Place(THREE)
    for round_ in ("r1", "r2"):
        place.send(Wager(round_, bets("three", (1, 500)), True))
        place.send(Settle(round_, (Claim(1, ("2h", "2d", "9c")),), close=True))
    assert place.subject.engine.state.hit(1) is None
    assert place.subject.execute(NoticeCash("H1", 1, "2026-11-27", 1_500_000, 1_000_000)).answer["ok"]
    (alarm,) = views.open_alarms(place.subject.engine)
    assert (alarm["kind"], alarm["place"]) == ("currency_report", "hit H1")
