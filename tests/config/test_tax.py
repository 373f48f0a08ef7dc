"""The tax law of a site's country is read from its file, cited and dated; the site's settings come first."""

import re
import tomllib
from datetime import UTC, date, datetime
from importlib import resources
from typing import Any

import msgspec
import pytest

from jackpot.config import Site, load
from jackpot.config.tax import COUNTRIES, law_of
from tests.config.floor import WriteFloor, mistakes
from tests.rules.test_tax import US_2026

TAXED = 'name = "Riverside"\ntax = "us"'
NAMED = 'name = "Riverside"'


def site_of(floor: WriteFloor, *more: str) -> Site:
    return load(floor((NAMED, "\n".join([TAXED, *more])))).site


def ms(year: int, month: int = 6, day: int = 1, hour: int = 12) -> int:
    return int(datetime(year, month, day, hour, tzinfo=UTC).timestamp() * 1000)


def data_of(country: str) -> dict[str, Any]:
    text = resources.files("jackpot").joinpath(f"schemas/tax/{country}.toml").read_text()
    return tomllib.loads(text)


@pytest.mark.parametrize("country", COUNTRIES)
def test_every_figure_has_its_source_and_the_file_its_day(country: str) -> None:
    """A10: nobody need believe the file: it says where each figure is published, and when it was read."""
    data = data_of(country)
    date.fromisoformat(data["checked"])
    parts = [data[name] for name in ("form", "withholding", "backup", "foreign", "cash")] + data["form"][
        "from"
    ]
    assert all(re.search(r"(U\.S\.C\.|CFR) ", part["source"]) for part in parts)


def test_the_figures_are_those_of_the_law() -> None:
    """A10: typed here once more, from the law's own text."""
    assert msgspec.structs.replace(law_of("us").terms(2026), needs=()) == US_2026
    assert law_of("us").terms(2025).form_from == 60_000


def test_the_year_is_that_of_the_sites_own_clock(floor: WriteFloor) -> None:
    """A10: New Year's Eve in New York is still the old year, when it is the new one in London."""
    site = site_of(floor)
    sums = [site.tax_terms(at) for at in (ms(2026, 1, 1, 4), ms(2026, 1, 1, 6), ms(2031), ms(1999))]
    assert [one.form_from for one in sums if one is not None] == [60_000, 200_000, 200_000, 60_000]
    assert [one.year for one in sums if one is not None] == [2025, 2026, 2026, 2025]


def test_the_site_may_set_its_own_sum_and_its_own_wants(floor: WriteFloor) -> None:
    """A10: `tax_form_from` replaces the year's sum, and `payout_needs` what the law's form wants."""
    assert site_of(floor).tax_terms(ms(2026)) == law_of("us").terms(2026)
    site = site_of(floor, 'tax_form_from = "1200.00"', 'payout_needs = ["patron", "identification", "way"]')
    terms = site.tax_terms(ms(2026))
    assert terms is not None
    assert (terms.form_from, terms.needs, terms.withhold_over) == (120_000, (), 500_000)
    assert site.plain_tax_from is None, "the law's own rule takes its place"


def test_another_country_has_no_taxes_here(floor: WriteFloor) -> None:
    """A10: as it always was; and a country that nobody has read is refused."""
    site = load(floor((NAMED, f'{NAMED}\ntax_form_from = "2000.00"'))).site
    assert (site.tax, site.tax_terms(ms(2026)), site.plain_tax_from) == (None, None, 200_000)
    (mistake,) = mistakes(floor((NAMED, f'{NAMED}\ntax = "xx"')))
    assert mistake == "site.tax"


def test_settings_that_ask_for_less_than_the_law_are_named(floor: WriteFloor) -> None:
    """A10: they may be meant; `config check` says so."""
    more = f'{TAXED}\ntax_form_from = "5000.00"\npayout_needs = ["patron"]'
    wager = 'id = "five"\npaytable = "pa-643a-five-card-C"\nwager = "1.00"'
    found = load(floor((NAMED, more), (wager, f'{wager}\nvalidate_at = "6000.00"'))).warnings
    assert [one for one in found if "form" in one] == [
        "site.tax_form_from: form W-2G is due from 2,000.00 on in 2026",
        (
            "site.payout_needs: it replaces what a payment with form W-2G wants, "
            "and leaves out identification, way"
        ),
        (
            "link five: validate_at lets wins of 5,000.00 and more be final at once, "
            "without form W-2G and withholding"
        ),
    ]
    assert load(floor((NAMED, TAXED))).warnings == ()


def test_a_site_goes_to_its_workers_whole(floor: WriteFloor) -> None:
    """Reports: a worker process gets the site as JSON, with the law."""
    site = site_of(floor)
    assert msgspec.json.decode(msgspec.json.encode(site), type=Site) == site
