"""When are two names one, and what may a name hold (A5, A10, T9)?"""

import pytest

from jackpot.rules import names
from jackpot.rules.acts.tables import Release
from tests import frames
from tests.frames import Bet, Claim, Settle, Wager
from tests.rules.test_engine import bank, send

SAME = {
    "case": ("Bob", "bOB"),
    "blanks": ("Bob Lee", " Bob  Lee "),
    "width": ("Bob", "\uff22\uff4f\uff42"),
    "accents": ("Ren\u00e9", "Rene\u0301"),
    "sharp s": ("Stra\u00dfe", "STRASSE"),
    "zero width": ("Bob", "B\u200bob"),
    "soft hyphen": ("Bob", "Bo\u00adb"),
    "variation selector": ("Bob", "Bob\ufe0f"),
    "filler": ("Bob", "\u3164Bob"),
    "tag": ("Bob", "Bob\U000e0041"),
}
ROYAL, BOARD = ("As", "Ks", "Qs"), ("Js", "Ts")


@pytest.mark.parametrize(("one", "other"), SAME.values(), ids=SAME)
def test_a_player_is_one_however_their_name_is_written(one: str, other: str) -> None:
    """T9, A5: boxes apart are refused, no seat is of two, and nobody is paid for their own hand."""
    subject = bank()
    apart = Wager("r1", (Bet(5, "L", 100, one), Bet(2, "L", 100, other)))
    assert send(subject, 1, apart).answer["message"].startswith("player: ")
    boxes = Wager("r1", (Bet(4, "L", 100, one), Bet(5, "L", 100, one), Bet(1, "L", 100)))
    assert send(subject, 2, boxes).answer["t"] == "ack"
    assert send(subject, 3, Wager("r1", (Bet(6, "L", 100, other),))).answer["code"] == "bad_message"
    assert send(subject, 4, frames.Withdraw("r1", (frames.Unbet(4, "L"),))).answer["t"] == "ack"
    assert send(subject, 5, frames.Lock("r1")).answer["t"] == "ack"
    royal = Settle("r1", (Claim(4, ROYAL, player=other),), BOARD)
    assert [award["seat"] for award in send(subject, 6, royal).answer["awards"]] == [1]


def test_a_player_is_told_as_they_were_named() -> None:
    """T9: the name is compared, and not rewritten."""
    subject = bank()
    send(subject, 1, Wager("r1", (Bet(4, "L", 100, " BOB"), Bet(5, "L", 100, "bob")), lock=True))
    round_ = subject.engine.state.tables[0].round
    assert round_ is not None
    assert [bet.player for bet in round_.bets] == [" BOB", "bob"]


@pytest.mark.parametrize(("one", "other"), [("Rene", "Ren\u00e9"), ("Bob", "Rob"), ("Bob Lee", "Boblee")])
def test_names_that_people_tell_apart_are_two(one: str, other: str) -> None:
    """T9: an accent, a letter or a blank between is another name."""
    bets = (Bet(7, "L", 100, one), Bet(1, "L", 100, other))
    assert send(bank(), 1, Wager("r1", bets)).answer["t"] == "ack"


@pytest.mark.parametrize("name", ["An\u200bn", "An\u00adn", "Ann\ufe0f", "A\nnn", "\u0410nn", "n" * 65])
def test_what_a_name_may_not_hold_stands_for_no_act(name: str) -> None:
    """A10: the rules refuse it: no way in goes past them, and `verify` decides by them, too."""
    subject = bank()
    held = subject.execute(Release("T1", "x"), people=(name,)).answer
    assert (held["code"], held["message"].split(":")[0]) == ("bad_request", "by")
    assert names.fault(name) is not None
    longest = "\u0410\u043d\u043d\u0430" * (names.NAME_MOST // 4)
    assert subject.execute(Release("T1", "x"), people=(longest,)).answer["code"] == "not_held"
