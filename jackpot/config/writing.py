"""Formats sums and times by the site's locale, currency and zone, for pages and commands."""

from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import msgspec
from babel import Locale
from babel.dates import format_date, format_time, get_datetime_format
from babel.numbers import (
    get_currency_precision,
    get_currency_symbol,
    get_decimal_symbol,
    get_group_symbol,
    list_currencies,
)

# Codes that are nobody's money: no currency, and one for tests.
_NO_MONEY = frozenset({"X" * 3, "XTS"})
_CURRENCY_SIGN = "\N{CURRENCY SIGN}"
# The wire counts hundredths (WIRE): a currency of three decimals is shown with two.
_DECIMALS_MAX = 2
# Direction marks order whole lines of right-to-left text; here each part has a place of its own.
_DIRECTION_MARKS = "\u200e\u200f"


class Writing(msgspec.Struct, frozen=True):
    """The format of sums. before, after: around the digits. groups: of digits, the rightmost first."""

    before: str
    after: str
    group: str
    groups: tuple[int, int]
    decimal: str
    decimals: int

    def text(self, cents: int) -> str:
        """Formats a sum as pages do; a minus stands before all of it."""
        if cents < 0:
            return f"-{self.text(-cents)}"
        return self._around(str(cents // 100), f"{cents % 100:02}"[: self.decimals])

    def of_micros(self, micros: int) -> str:
        """Formats a sum of micro-dollars, cut to the cent."""
        return self.text(micros // 10_000)

    def to_the_cent(self, micros: int) -> str:
        """The same of a sum of either sign, cut towards nothing, which has no sign."""
        cents = abs(micros) // 10_000
        return self.text(-cents if micros < 0 else cents)

    def whole(self, units: int) -> str:
        """Formats whole units of the currency, without cents, as along an axis."""
        return f"-{self.whole(-units)}" if units < 0 else self._around(str(units), "")

    def exact(self, micros: int) -> str:
        """Formats a sum of micro-dollars: as `text`, or with six decimals if it has a fraction of a cent."""
        if micros % 10_000 == 0:
            return self.text(micros // 10_000)
        if micros < 0:
            return f"-{self.exact(-micros)}"
        return self._around(str(micros // 1_000_000), f"{micros % 1_000_000:06}")

    def count(self, number: int) -> str:
        """Formats a number of things."""
        cut = self._grouped(str(abs(number)))
        return f"-{cut}" if number < 0 else cut

    def number(self, text: str) -> str:
        """Formats a decimal number for this locale. text: like "-1234.50"."""
        whole, _, rest = text.removeprefix("-").partition(".")
        return (
            f"{'-' if text.startswith('-') else ''}{self._grouped(whole)}{self.decimal if rest else ''}{rest}"
        )

    def _around(self, whole: str, rest: str) -> str:
        """The digits before and after the decimal sign, with all that this locale puts around them."""
        tail = f"{self.decimal}{rest}" if rest else ""
        return f"{self.before}{self._grouped(whole)}{tail}{self.after}"

    def _grouped(self, whole: str) -> str:
        cut = [whole[-self.groups[0] :]]
        whole = whole[: -self.groups[0]]
        while whole:
            cut.insert(0, whole[-self.groups[1] :])
            whole = whole[: -self.groups[1]]
        return self.group.join(cut)


def writing(locale: str, currency: str) -> Writing:
    """The format of this currency in this locale, with European digits. locale: like en_US or en-US."""
    place = _place(locale)
    pattern = place.currency_formats["standard"]
    symbol = get_currency_symbol(currency, place)
    parts = []
    for part in (pattern.prefix[0], pattern.suffix[0]):
        text = part.replace(_CURRENCY_SIGN, symbol)
        parts.append("".join(letter for letter in text if letter not in _DIRECTION_MARKS))
    return Writing(
        before=parts[0],
        after=parts[1],
        group=get_group_symbol(place),
        groups=(pattern.grouping[0], pattern.grouping[1]),
        decimal=get_decimal_symbol(place),
        decimals=min(get_currency_precision(currency), _DECIMALS_MAX),
    )


def moment(unix_ms: int, zone: str) -> str:
    """Formats a moment for all pages, papers, reports and commands: "2026-11-20 21:15:03 EST".

    It reads the same in every language, and its days as gaming days are typed. The letters of the zone stand
    in it, as an hour of each autumn comes twice.
    """
    return local_time(unix_ms, zone, "%Y-%m-%d %H:%M:%S %Z")


def floor_moment(unix_ms: int, zone: str, locale: str) -> tuple[str, str]:
    """Formats a moment as the site's locale does, "Nov 20, 2026, 9:15\u202fPM", and the letters of its zone.

    For a screen that is read from afar; elsewhere days stand as they are typed (`moment`).
    """
    try:
        then = datetime.fromtimestamp(unix_ms / 1000, UTC).astimezone(ZoneInfo(zone))
    except (ValueError, OverflowError, OSError):  # as in `local_time`
        return f"{unix_ms} ms", ""
    place = _place(locale)
    parts = format_time(then, "short", locale=place), format_date(then, "medium", locale=place)
    return str(get_datetime_format("medium", locale=place)).replace("'", "").format(*parts), f"{then:%Z}"


def long_day(day: str, locale: str) -> str:
    """Formats a day such as 2026-12-24 for players, as the locale writes it: "December 24, 2026"."""
    return format_date(date.fromisoformat(day), "long", locale=_place(locale))


def iso_moment(unix_ms: int, zone: str) -> str:
    """Formats a moment for spreadsheets and programs, ISO 8601: "2026-11-20T21:15:03.250-05:00".

    In the site's own time, whose offset stands in it. zone: an IANA name.
    """
    try:
        then = datetime.fromtimestamp(unix_ms / 1000, UTC).astimezone(ZoneInfo(zone))
    except (ValueError, OverflowError, OSError):  # as in `local_time`
        return f"{unix_ms} ms"
    return then.isoformat(timespec="milliseconds")


def _place(locale: str) -> Locale:
    return Locale.parse(locale, sep="-" if "-" in locale else "_")


def currency_fault(code: str) -> str | None:
    """What is wrong with a currency's code; None where nothing is."""
    known = code in list_currencies() and code not in _NO_MONEY
    return None if known else f"{code!r} is no currency, like USD or EUR"


def zone_fault(name: str) -> str | None:
    """What is wrong with a time zone's name; None where nothing is."""
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return f"{name!r} is no time zone, like America/New_York"
    return None


def local_time(unix_ms: int, zone: str, form: str) -> str:
    """Formats a moment by the site's clocks. zone: an IANA name. form: of `strftime`.

    A forged row may name a moment that no calendar has: that one is told as its number.
    """
    try:
        return datetime.fromtimestamp(unix_ms / 1000, UTC).astimezone(ZoneInfo(zone)).strftime(form)
    except (ValueError, OverflowError, OSError):
        return f"{unix_ms} ms"
