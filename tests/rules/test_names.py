"""Normalisation and validation of names (A5, A10, T9)."""

import pytest

from jackpot.rules import names
from jackpot.rules.acts.tables import Release
from jackpot.rules.engine import Engine
from jackpot.rules.phrases import Phrase, phrase
from tests import frames
from tests.frames import Bet, Claim, Settle, Wager
from tests.rules.test_engine import bank, send
from tests.said import refusal

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
    "braille cell without dots": ("Bob", "Bob\u2800"),
    "note without a head": ("Bob", "B\U0001d159ob"),
    "filler of another script": ("Bob", "Bob\U00016fe4"),
    "g of phonetics": ("George", "\u0261eor\u0261e"),
    "a of phonetics": ("Adam", "Ad\u0251m"),
    "no dot": ("Billy", "B\u0131lly"),
    "two dots": ("Billy", "Bi\u0307lly"),
    "two dots and one below": ("B\u1ecblly", "Bi\u0307\u0323lly"),
    "capital with a dot": ("Irem", "\u0130rem"),
    "d with stroke": ("\u00d0or\u0111e", "\u0110or\u0111e"),
    "apostrophe": ("O'Neil", "O\u02bcNeil"),
    "apostrophe of a typesetter": ("O'Neil", "O\u2019Neil"),
    "hyphen": ("Ann-Lee", "Ann\u2010Lee"),
}
ROYAL, BOARD = ("As", "Ks", "Qs"), ("Js", "Ts")


@pytest.mark.parametrize(("one", "other"), SAME.values(), ids=SAME)
def test_a_player_is_one_however_their_name_is_written(one: str, other: str) -> None:
    """T9, A5: boxes apart are refused, no seat is of two, and nobody is paid for their own hand."""
    subject = bank()
    subject.auditor = Engine("another")  # for no frame can say all of these names
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


@pytest.mark.parametrize(
    "name",
    [
        "Ann Lee", "O'Neil", "O\u2019Neil", "Anne-Marie", "J.R. Ewing", "ann_lee@cage", "7421",
        "José Núñez", "Łukasz Żółć", "Jürgen Groß", "Søren Ærø", "Đorđe", "Þór", "Nguyễn Thị Ánh", "Trương",
        "I\u015f\u0131l G\u00fcne\u015f", "İrem", "Əli", "Ọláọ\u0301", "Re\u0301ne\u0301", "Ha\u02bbunani",
        "\u0410\u043d\u043d\u0430", "\u0393\u03b9\u03ce\u03c1\u03b3\u03bf\u03c2", "王小明", "ジョー",
        "محمد", "नरेंद्र", "สมชาย",
    ],
)  # fmt: skip
def test_real_people_have_names(name: str) -> None:
    """A10: a name of Spain, Poland, Germany, Denmark, Vietnam, Turkey, Nigeria, or of another script."""
    assert names.fault(name) is None
    assert names.normal_form(name)


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("\u0261eorge", phrase("name_letter", name="\u0261eorge", letter="\u0261")),
        ("Ad\u0251m", phrase("name_letter", name="Ad\u0251m", letter="\u0251")),
        ("\u01c0saac", phrase("name_letter", name="\u01c0saac", letter="\u01c0")),
        ("Bob\u02d0", phrase("name_scripts", name="Bob\u02d0", others=["modifier"])),
        ("Bob\u0651", phrase("name_scripts", name="Bob\u0651", others=["arabic"])),
        ("Bob\u2665", phrase("name_sign", name="Bob\u2665", sign="\u2665")),
        ("Bob\u2800", phrase("name_length", most=names.NAME_MAX)),
        ("\U0001d159Bob", phrase("name_length", most=names.NAME_MAX)),
        ("Bob\U00016fe4", phrase("name_length", most=names.NAME_MAX)),
        ("...", phrase("name_unreadable", name="...")),
        ("\u2665", phrase("name_unreadable", name="\u2665")),
        ("\u0301", phrase("name_unreadable", name="\u0301")),
    ],
)
def test_what_looks_like_another_name_is_none(name: str, why: Phrase) -> None:
    """A10: a letter or digit at least, no sign that shows nothing, no Latin letter drawn like another."""
    assert names.fault(name) == why


@pytest.mark.parametrize("name", ["An\u200bn", "An\u00adn", "Ann\ufe0f", "A\nnn", "\u0410nn", "n" * 65])
def test_what_a_name_may_not_hold_stands_for_no_act(name: str) -> None:
    """A10: the rules refuse it: no way in goes past them, and `verify` decides by them, too."""
    subject = bank()
    held = subject.execute(Release("T1", "x"), people=(name,)).answer
    assert refusal(held)[:2] == ("bad_request", "name_faulty")
    assert names.fault(name) is not None
    longest = "\u0410\u043d\u043d\u0430" * (names.NAME_MAX // 4)
    assert subject.execute(Release("T1", "x"), people=(longest,)).answer["code"] == "not_held"
