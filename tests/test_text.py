"""Text formatting for people: counts, ages, names, lists and certificate errors."""

import re
import ssl

from jackpot.config.languages import translate
from jackpot.rules.codes import OF_ACTS
from jackpot.rules.templates import TEMPLATES
from jackpot.text import (
    RefusalSentence,
    Sentence,
    ago,
    both,
    card,
    counted,
    game,
    plural,
    refused_certificate,
    without_rules,
    words,
)


def test_a_number_of_things_is_said() -> None:
    """For commands, pages and logs: one, several, thousands, and words in -ry."""
    assert counted(1, "hit") == "1 hit"
    assert counted(0, "hit") == "0 hits"
    assert counted(12_345, "wager") == "12,345 wagers"
    assert counted(2, "entry") == "2 entries"
    assert plural("table") == "tables"


def test_how_long_ago_something_was() -> None:
    """For pages: in the largest unit that it fills; a clock that was set back makes no future of it."""
    told = [ago(seconds) for seconds in (-3, 0.9, 59.9, 60, 3_599, 3_600, 7_200 * 1_000)]
    assert told == ["0 s ago", "0 s ago", "59 s ago", "1 min ago", "59 min ago", "1 h ago", "2,000 h ago"]


def test_names_and_cards_are_written_as_people_read_them() -> None:
    """A name of ours becomes words; a game keeps the name that its rules have; a ten is 10."""
    assert (words("royal-flush"), game("let-it-ride")) == ("Royal flush", "Let It Ride")
    assert game("three-card-poker") == "Three Card Poker"
    assert (card("Th"), card("As")) == ("10\N{BLACK HEART SUIT}", "A\N{BLACK SPADE SUIT}")


def test_several_names_are_one_row() -> None:
    """Words: commas between names, and "and" once, before the last of them."""
    assert [both(names) for names in ([], ["Ann"], ["Ann", "Bo"], ["Ann", "Bo", "Cal"])] == [
        "",
        "Ann",
        "Ann and Bo",
        "Ann, Bo and Cal",
    ]


def test_a_certificate_that_has_ended_is_not_an_authority_that_is_unknown() -> None:
    """A refused certificate's line says what to do about this cause; of another failure it says nothing."""
    ended = ssl.SSLCertVerificationError("refused")
    ended.verify_code, ended.verify_message = 10, "certificate has expired"
    cure = "have a new one made there, and compare the clocks of both machines"
    failed = ConnectionError("Error 1 connecting")
    failed.__context__ = ended
    said = refused_certificate(failed, "ssl_ca_certs")
    assert said == f"its certificate is refused: certificate has expired; {cure}"
    assert refused_certificate(ConnectionError("refused"), "ssl_ca_certs") is None


def test_a_page_names_no_rule() -> None:
    """Pages: what our texts cite of the rules is left out; what people wrote stays as they wrote it."""
    assert (
        Sentence("{who} waits (T10): {why}", who="A (B1)", why="see (A10)").told(str)
        == "A (B1) waits: see (A10)"
    )
    for language in ("en", "es"):
        for template, row in TEMPLATES.items():
            values = dict.fromkeys(row.names, "x")
            said = translate(language, RefusalSentence(row.english, template=template, **values))
            assert not re.search(r"\([A-Z]\d", said), said
    for about in OF_ACTS.values():
        for text in (about.means, about.then):
            assert not re.search(r"\([A-Z]\d", without_rules(text)), text
