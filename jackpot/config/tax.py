"""The tax law of a country, as `schemas/tax/` has it: read once, with the configuration."""

import tomllib
from importlib import resources
from typing import Any, Final

import msgspec

from jackpot.catalogue.figures import parse_money, parse_rate
from jackpot.rules.money import to_cents
from jackpot.rules.tax import TaxTerms


class TaxLaw(msgspec.Struct, frozen=True):
    """A country's law. years: the figures of each year that is published, the oldest first.

    checked: the day on which somebody last compared it with its sources. treaty_form: what claims a treaty.
    """

    country: str
    checked: str
    treaty_form: str
    years: tuple[TaxTerms, ...]

    def terms(self, year: int) -> TaxTerms:
        """The figures of a year; of the last one before it that is published, else of the first one."""
        known = [terms for terms in self.years if terms.year <= year]
        return known[-1] if known else self.years[0]


COUNTRIES: Final = ("us",)
"""Countries whose taxes a site may have applied."""


def law_of(country: str) -> TaxLaw:
    """The law of one of COUNTRIES."""
    text = resources.files("jackpot").joinpath(f"schemas/tax/{country}.toml").read_text(encoding="utf-8")
    return _law(tomllib.loads(text))


def _law(data: dict[str, Any]) -> TaxLaw:
    form, withholding, foreign = data["form"], data["withholding"], data["foreign"]
    if form["multiple"] != withholding["multiple"]:
        raise ValueError("a form and its withholding look at the same multiple of the wager")
    years = sorted(form["from"], key=lambda one: int(one["year"]))
    return TaxLaw(
        country=data["country"],
        checked=data["checked"],
        treaty_form=foreign["treaty_form"],
        years=tuple(
            TaxTerms(
                country=data["country"],
                year=one["year"],
                form=form["name"],
                form_from=_cents(one["sum"]),
                multiple=form["multiple"],
                withhold_over=_cents(withholding["over"]),
                rate=parse_rate(withholding["rate"]),
                backup_rate=parse_rate(data["backup"]["rate"]),
                foreign_form=foreign["form"],
                foreign_rate=parse_rate(foreign["rate"]),
                cash_over=_cents(data["cash"]["over"]),
                needs=tuple(form["wants"]),
            )
            for one in years
        ),
    )


def _cents(text: str) -> int:
    return to_cents(parse_money(text))
