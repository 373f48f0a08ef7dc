"""Money is formatted for the site's locale."""

import pytest
from babel.numbers import format_currency, get_group_symbol

from jackpot.config.writing import floor_moment, writing


@pytest.mark.parametrize(
    ("locale", "currency"),
    [
        ("en_US", "USD"),
        ("de-DE", "EUR"),
        ("en_IN", "INR"),
        ("fr_FR", "EUR"),
        ("de_CH", "CHF"),
        ("sv_SE", "SEK"),
    ],
)
@pytest.mark.parametrize("cents", [0, 5, 99_999, 100_000, 1_000_063, 123_456_789_012])
def test_a_sum_is_written_as_babel_writes_it(locale: str, currency: str, cents: int) -> None:
    """Signs: currency by locale; the parts that a page puts together make the same text."""
    expected = format_currency(cents / 100, currency, locale=locale.replace("-", "_"))
    written = writing(locale, currency).text(cents)
    if (
        get_group_symbol(locale.replace("-", "_")) == "'"
    ):  # Babel takes two of these for quotes and drops them
        expected, written = expected.replace("'", ""), written.replace("'", "")
    assert written == expected


def test_an_apostrophe_separates_all_groups() -> None:
    """Signs: a Swiss sum has its separator before each group of three."""
    separator = get_group_symbol("de_CH")
    assert separator in "'\u2019"
    assert (
        writing("de_CH", "CHF").text(123_456_789_012).endswith(separator.join(["1", "234", "567", "890.12"]))
    )


def test_a_currency_without_cents_has_none() -> None:
    """The wire counts hundredths of every currency; what is below its smallest coin is not shown."""
    assert writing("ja_JP", "JPY").text(123_456_78) == format_currency(123_456, "JPY", locale="ja_JP")


@pytest.mark.parametrize(
    ("locale", "said"),
    [
        ("en_US", "Nov 20, 2026, 7:00 AM"),
        ("en_GB", "20 Nov 2026, 07:00"),
        ("de_DE", "20.11.2026, 07:00"),
        ("es_ES", "20 nov 2026, 7:00"),
    ],
)
def test_the_floor_page_writes_moments_as_the_site_does(locale: str, said: str) -> None:
    """Floor page: the date of the site's locale, by its clocks, and the letters of its zone apart."""
    shown, zone = floor_moment(1_795_176_000_000, "America/New_York", locale)
    assert (shown.replace("\u202f", " "), zone) == (said, "EST")
    assert floor_moment(10**20, "America/New_York", locale) == (f"{10**20} ms", "")
