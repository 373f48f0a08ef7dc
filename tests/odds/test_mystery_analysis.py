"""The analysis of a mystery link: the figures of its levels, in every table and every form."""

import csv
import json
from fractions import Fraction
from typing import Final

import pytest
from msgspec.structs import replace

from jackpot.config.writing import writing
from jackpot.odds.analyses import analysis_of, facts_of, sheets_of, wished
from jackpot.odds.analysis import AnalysisConditions
from jackpot.odds.mystery_analysis import MYSTERY, MysteryAnalysis
from jackpot.odds.output import as_csv, as_html, as_json
from jackpot.odds.subject import AnalysisError, OperatorChoices
from jackpot.odds.worker import LabCall, told_of
from jackpot.rules.codes import Code
from tests.rules.floor import DOLLAR

FIGURES: Final = {
    "major.seed": "500.00",
    "major.must_hit_by": "1000.00",
    "major.primary": "1.5%",
    "minor.seed": "10.00",
    "minor.must_hit_by": "20.00",
    "minor.primary": "10%",
}


def found_of(
    meters: dict[str, int] | None = None, figures: dict[str, str] = FIGURES, rate: int = 1_000, **wish: object
) -> MysteryAnalysis:
    choices = OperatorChoices("5.00", figures=figures, **wish)  # type: ignore[arg-type]
    found = analysis_of(wished(MYSTERY, choices), AnalysisConditions(meters or {}, 1, rate))
    assert isinstance(found, MysteryAnalysis)
    return found


def test_a_level_at_its_minimum() -> None:
    """Y5: of $10 to $20 with 50 cents a wager: 1 in 20 wins $10.50; 15.25 in the mean, 29.05 % in all."""
    minor = found_of().levels[1]
    assert (minor.meter, minor.chance) == (10 * DOLLAR, Fraction(1, 20))
    assert minor.part == Fraction("10.50") / 5 / 20
    assert minor.cycle == minor.rest
    assert (minor.cycle.mean_award, minor.cycle.mean_wagers) == (Fraction("15.25") * DOLLAR, Fraction("10.5"))
    assert round(minor.cycle.long_run, 4) == Fraction("0.2905")
    # half of the cycles have ended after ten wagers, at $15.00
    assert next((at.wagers, at.meter) for at in minor.ends if at.quantile == Fraction(1, 2)) == (
        10,
        15 * DOLLAR,
    )


def test_a_meter_that_has_risen() -> None:
    """Y2, Y5: at $19.00 two wagers are left, each of which wins as likely."""
    minor = found_of({"minor": 19 * DOLLAR}).levels[1]
    assert (minor.chance, minor.part) == (Fraction(1, 2), Fraction("19.50") / 5 / 2)
    assert (minor.rest.wagers_max, minor.rest.mean_wagers) == (2, Fraction(3, 2))
    assert minor.rest.mean_award == Fraction("19.75") * DOLLAR
    assert minor.cycle == found_of().levels[1].cycle


def test_a_link_is_the_sum_of_its_levels() -> None:
    """Y6: each level decides by itself."""
    found = found_of()
    assert found.total == sum(level.part for level in found.levels)
    assert found.contributed == Fraction(115, 1_000)
    long_run = dict(
        zip(
            *(zip(*next(one for one in sheets_of(found) if one.name == "long_run").rows, strict=True)),
            strict=True,
        )
    )
    assert sum(part for part in long_run.values() if isinstance(part, Fraction)) == (
        1 + 1 - found.contributed
    )


def test_every_sheet_is_in_every_form() -> None:
    """Y5: on a terminal, on paper, in CSV and JSON; a committed level's paper says who can read a trigger."""
    found = found_of()
    told, page = json.loads(as_json(found)), as_html(found)
    lines = list(csv.reader(as_csv(found).splitlines()))
    assert told["subject"] == dict(facts_of(found))
    for sheet in sheets_of(found):
        assert {len(row) for row in sheet.rows} == {len(sheet.columns)}, sheet.name
        assert len(told[sheet.name]) == len(sheet.rows)
        assert sum(line[0] == sheet.name for line in lines) == len(sheet.rows) * len(sheet.columns)
        for note in sheet.notes:
            assert note.replace("'", "&#39;") in page
    assert "The administrator of the server that decides can read a running trigger" in page
    assert told["levels"][1]["break_even_meter"] == "18.1363636364"
    assert told["filing"][0]["must_hit_by"] == "1000"


def test_a_level_that_draws_has_no_secret() -> None:
    """Y12: its paper does not warn of one."""
    found = found_of()
    terms = found.subject.terms
    drawn = found._replace(
        subject=found.subject._replace(
            terms=type(terms)(
                **{field: getattr(terms, field) for field in terms.__struct_fields__} | {"form": "drawn"}
            )
        )
    )
    assert "running trigger" not in as_html(drawn)
    assert "each wager draws for itself" in as_html(drawn)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"figures": {}}, "a mystery link has levels"),
        ({"figures": {"minor.limit": "5.00"}}, "minor.limit: a mystery level has seed, must_hit_by, primary"),
        ({"figures": {"minor.seed": "5.00"}}, "minor.must_hit_by: is missing"),
        ({"figures": FIGURES | {"minor.must_hit_by": "10.50"}}, "level minor: one wager lifts it"),
        ({"figures": FIGURES | {"minor.primary": "x"}}, "'x'"),
        ({"envy": "A"}, "envy: a mystery link has none"),
        ({"meters": {"minor": 20 * DOLLAR}}, "minor: 20.00 is not below 20.00"),
        ({"meters": {"mega": 20 * DOLLAR}}, "meter mega: mystery has major, minor"),
        ({"rate": 0}, "rate: 1 to 9,999,999 wagers an hour"),
    ],
)
def test_what_cannot_be_meant_is_named(change: dict[str, object], said: str) -> None:
    """Y1: each mistake in one line."""
    with pytest.raises(AnalysisError) as error:
        found_of(**change)  # type: ignore[arg-type]
    assert said in str(error.value)


def test_the_lab_has_its_figures_in_the_sites_writing() -> None:
    """Y5: in the reader's language, with the names of its pictures."""
    terms = found_of().subject.terms
    call = LabCall(
        terms, "any", writing("de_DE", "EUR"), {"minor": 19 * DOLLAR}, 1, 2_000, "1", language="es"
    )
    reply = told_of(call)
    assert reply.refusal is None
    names = [f"{kind}-{level}" for kind in ("return", "hit", "year") for level in ("major", "minor")]
    assert [one.name for one in reply.drawable or ()] == names
    assert list(told_of(replace(call, draw=True)).pictures) == names
    assert {one.sheet for one in reply.drawable or ()} <= {sheet.name for sheet in reply.sheets}
    levels = next(sheet for sheet in reply.sheets if sheet.name == "levels")
    assert levels.rows[1][1] == writing("de_DE", "EUR").of_micros(19 * DOLLAR)
    assert "levels,2,meter,19" in reply.csv
    refused = told_of(LabCall(terms, "any", writing("de_DE", "EUR"), {"minor": 25 * DOLLAR}, 1, 2_000, "1"))
    assert refused.refusal is not None
    assert refused.refusal.code == Code.BAD_REQUEST
