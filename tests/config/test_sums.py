"""A sum is parsed as pages print it, and an ambiguous text is refused."""

import pytest
from babel.localedata import locale_identifiers
from hypothesis import given
from hypothesis import strategies as st

from jackpot.config.sums import readings
from jackpot.config.writing import Writing, writing
from jackpot.rules.terms import SUM_MAX

AMERICAN, GERMAN = writing("en_US", "USD"), writing("de_DE", "EUR")
CURRENCIES = ("USD", "EUR", "MXN", "CHF", "INR", "JPY", "KWD")
CENTS_MAX = SUM_MAX // 10_000


def every_way() -> dict[str, Writing]:
    """By locale and currency, the ways of writing that a site may have; of equal ones the first."""
    found = dict[Writing, str]()
    for locale in locale_identifiers():
        for currency in CURRENCIES:
            found.setdefault(writing(locale, currency), f"{locale} {currency}")
    return {name: way for way, name in found.items()}


WAYS = every_way()


@given(st.sampled_from(sorted(WAYS)), st.integers(0, CENTS_MAX))
def test_a_page_takes_what_it_prints(name: str, cents: int) -> None:
    """M1: each sum as a page prints it, in every locale, is that sum, and no other; so is its decimal."""
    way = WAYS[name]
    shown = cents * 10_000 if way.decimals == 2 else cents // 100 * 1_000_000
    assert readings(way.text(cents), way) == {shown}
    assert readings(f"{cents // 100}.{cents % 100:02}", way) == {cents * 10_000}


@given(st.sampled_from(sorted(WAYS)), st.integers(-SUM_MAX, SUM_MAX))
def test_a_change_is_taken_to_the_micro_dollar(name: str, micros: int) -> None:
    """L8: what the page of a request prints, with its sign and its six decimals, is taken so."""
    way = WAYS[name]
    if micros % 10_000 or way.decimals == 2:
        assert readings(way.exact(micros), way, change=True) == {micros}
        assert readings(f"+{way.exact(abs(micros))}", way, change=True) == {abs(micros)}


def test_every_way_of_writing_is_among_them() -> None:
    """The two above try what there is: more than a hundred ways to write a sum."""
    assert len(WAYS) > 100
    assert {AMERICAN, GERMAN, writing("es_MX", "MXN"), writing("fr_FR", "EUR")} <= set(WAYS.values())


@pytest.mark.parametrize(
    ("text", "way", "dollars"),
    [
        ("1,200.00", AMERICAN, 1200),
        ("$1,200", AMERICAN, 1200),
        (" $ 1200 ", AMERICAN, 1200),
        ("1200.5", AMERICAN, 1200.5),
        ("1.200,00 \N{EURO SIGN}", GERMAN, 1200),
        ("1.200", GERMAN, 1200),
        ("1200.00", GERMAN, 1200),
        ("1'200.00", writing("de_CH", "CHF"), 1200),
        ("1 200,00", writing("fr_FR", "EUR"), 1200),
        ("12,34,567.00", writing("en_IN", "INR"), 1_234_567),
    ],
)
def test_what_people_leave_out_or_type_otherwise_is_the_same_sum(
    text: str, way: Writing, dollars: float
) -> None:
    """M1: the currency, the separators and the kind of space do not matter."""
    assert readings(text, way) == {dollars * 1_000_000}


@pytest.mark.parametrize(
    ("text", "way"),
    [
        ("1,20", AMERICAN),
        ("1.200,00", AMERICAN),
        ("12,00,000.00", AMERICAN),
        ("1,200.001", AMERICAN),
        ("1,200.00", GERMAN),
        ("1,200", GERMAN),
        ("\N{EURO SIGN}5", AMERICAN),
        ("-5", AMERICAN),
        ("+5", AMERICAN),
        ("1" * 15, AMERICAN),
        ("\N{ARABIC-INDIC DIGIT FIVE}", AMERICAN),
        ("", AMERICAN),
        ("$", AMERICAN),
        ("5e3", AMERICAN),
    ],
)
def test_what_is_written_otherwise_is_no_sum(text: str, way: Writing) -> None:
    """M1: nothing is guessed: a separator stands where the site puts it, and cents are two at most."""
    assert readings(text, way) == set()


def test_what_may_be_two_sums_is_said_to_be_two() -> None:
    """L8: "1.234" is a thousand and more as Germans print it, and less than two as a plain decimal."""
    assert readings("-1.234", GERMAN, change=True) == {-1_234_000_000, -1_234_000}
    assert readings("-1.234,00", GERMAN, change=True) == {-1_234_000_000}
    assert readings("-1,234", AMERICAN, change=True) == {-1_234_000_000}
