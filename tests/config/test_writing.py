"""Is money written as the site's locale writes it?"""

import pytest
from babel.numbers import format_currency

from jackpot.config.writing import writing


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
    assert writing(locale, currency).text(cents) == expected


def test_a_currency_without_cents_has_none() -> None:
    """The wire counts hundredths of every currency; what is below its smallest coin is not shown."""
    assert writing("ja_JP", "JPY").text(123_456_78) == format_currency(123_456, "JPY", locale="ja_JP")
