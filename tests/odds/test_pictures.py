"""The pictures are valid files, and show the figures."""

import xml.etree.ElementTree as ET
from functools import partial
from itertools import pairwise
from math import isclose
from typing import Any

import pytest
from matplotlib.figure import Figure

from jackpot.config.languages import translate
from jackpot.config.writing import writing
from jackpot.odds.cycle import mystery_path
from jackpot.odds.must_hit_by import odds_of
from jackpot.odds.pictures import pictures, written
from jackpot.odds.sheets import SheetFormat
from jackpot.rules.money import MICROS_PER_UNIT
from tests.odds.test_analysis import found_of
from tests.odds.test_mystery_analysis import FIGURES
from tests.odds.test_mystery_analysis import found_of as mystery_found
from tests.rules.floor import DOLLAR

SVG = "{http://www.w3.org/2000/svg}"


def axes_of(figure: Figure) -> Any:
    """The only axes of a picture."""
    (axes,) = figure.axes
    return axes


def test_each_level_has_three_pictures_and_envy_one() -> None:
    """L3, A5: what a wager returns, how high the meter is when won, and a year. Their texts are text."""
    drawn = pictures(found_of("pa-643a-five-card-C", players=7), "7")
    levels = ("mega", "major", "minor")
    assert list(drawn) == [
        *(f"{kind}-{level}" for kind in ("return", "hit", "year") for level in levels),
        "envy",
    ]
    by_meter = written(drawn["return-mega"], "svg").decode()
    assert "What a $1.00 wager returns at each mega meter" in by_meter
    assert "100 % at $267,880" in by_meter
    assert "A year of the minor meter" in written(drawn["year-minor"], "svg").decode()
    assert written(drawn["envy"], "png").startswith(b"\x89PNG")


def test_a_picture_writes_sums_as_the_site_does() -> None:
    """M1: axes and labels have the site's currency, as its locale writes it."""
    drawn = pictures(
        found_of("pa-643a-three-card-B"), manner=SheetFormat(writing("de_DE", "EUR")), ground="page"
    )
    for name in ("return-meter", "hit-meter", "year-meter"):
        svg = written(drawn[name], "svg").decode()
        assert "000\xa0€" in svg
        assert "$" not in svg
    assert (
        ",0 %" in written(drawn["hit-meter"], "svg").decode() + written(drawn["return-meter"], "svg").decode()
    )


@pytest.mark.parametrize("language", ["en", "es"])
def test_every_text_fits_its_picture(language: str) -> None:
    """Pages: nothing that is written in a picture runs out of it, in any language."""
    manner = SheetFormat(say=partial(translate, language))
    for paytable in ("pa-643a-five-card-C", "pa-643a-five-card-A"):
        found = found_of(paytable, {"meter": 99_999_999 * MICROS_PER_UNIT} if paytable[-1] == "A" else None)
        for name, figure in pictures(found, manner=manner).items():
            figure.draw_without_rendering()
            drawn, (width, height) = figure.get_tightbbox(), figure.get_size_inches()
            inside = min(drawn.x0, drawn.y0, width - drawn.x1, height - drawn.y1) >= 0
            assert inside, (name, axes_of(figure).get_title())


def test_the_line_of_the_return_crosses_the_whole_wager_at_the_break_even_meter() -> None:
    """A1: drawn from the slope, it meets what was worked out."""
    found = found_of("pa-643a-three-card-B")
    axes = axes_of(pictures(found)["return-meter"])
    (low, high), (least, most) = (axes.lines[0].get_xdata(), axes.lines[0].get_ydata())
    at = found.levels[0].break_even
    assert isclose(least + (most - least) * (at - low) / (high - low), 1)


def test_the_bars_are_nearly_all_hits() -> None:
    """A2: from the least that a hit can find to what 99 of 100 do not exceed."""
    for paytable in ("pa-643a-five-card-A", "pa-643a-five-card-hand-bonus", "pa-643a-three-card-A"):
        axes = axes_of(pictures(found_of(paytable))["hit-meter"])
        assert sum(bar.get_height() for bar in axes.patches) == pytest.approx(0.99, abs=0.002)


@pytest.mark.parametrize("language", ["en", "es"])
def test_a_mystery_level_has_three_pictures_that_fit(language: str) -> None:
    """Y5: what a wager returns at each meter, how high it is when won, and a year; no text runs out."""
    found = mystery_found({"minor": 18 * DOLLAR})
    drawn = pictures(found, "7", SheetFormat(say=partial(translate, language)))
    kinds = ("return", "hit", "year")
    assert list(drawn) == [f"{kind}-{level}" for kind in kinds for level in ("major", "minor")]
    for name, figure in drawn.items():
        figure.draw_without_rendering()
        box, (width, height) = figure.get_tightbbox(), figure.get_size_inches()
        assert min(box.x0, box.y0, width - box.x1, height - box.y1) >= 0, name
        assert written(figure, "svg").startswith(b"<?xml")
    bars = axes_of(drawn["hit-minor"]).patches
    assert isclose(sum(bar.get_height() for bar in bars), 1)
    assert {round(bar.get_height(), 9) for bar in bars} == {round(1 / len(bars), 9)}


def test_the_curve_of_a_mystery_crosses_the_whole_wager_at_the_break_even_meter() -> None:
    """Y5: of one level that of its analysis; of several as far as the others do not return it."""
    alone = mystery_found(figures={name: text for name, text in FIGURES.items() if name.startswith("minor")})
    for found, even in ((alone, float(alone.levels[0].cycle.break_even or 0)), (mystery_found(), None)):
        line, _, now, *marked = axes_of(pictures(found)["return-minor"]).lines
        (at,) = marked[0].get_xdata()
        assert even is None or isclose(at, even)
        meters, parts = line.get_xdata(), line.get_ydata()
        below = max(place for place, meter in enumerate(meters) if meter <= at)
        assert parts[below] < 1.02
        assert parts[below + 1] > 0.98
        assert isclose(now.get_ydata()[0], float(found.total))


def test_a_year_of_a_mystery_has_its_law() -> None:
    """Y2, Y5: it never stands above its maximum, and its cycles are as long as the exact ones."""
    terms = mystery_found().levels[1].terms
    course = mystery_path(terms, terms.minimum, 1_000_000, "7")
    won = [before for before, after in pairwise(course) if after.meter < before.meter]
    assert max(point.meter for point in course) == terms.must_hit_by
    assert all(
        after.wagers == before.wagers for before, after in pairwise(course) if after.meter < before.meter
    )
    mean = won[-1].wagers / len(won)
    assert abs(mean - float(odds_of(terms).mean_wagers)) < 5 * 5.8 / len(won) ** 0.5


def test_the_same_picture_is_the_same_file() -> None:
    """A file that did not change is not a change."""
    found = found_of("pa-643a-three-card-B")
    first, second = (written(pictures(found)["year-meter"], "svg") for _ in range(2))
    assert first == second
    assert ET.fromstring(first).tag == f"{SVG}svg"  # noqa: S314 - we wrote it
