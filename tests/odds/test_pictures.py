"""Do the pictures show the figures, and are they pictures?"""

import xml.etree.ElementTree as ET
from math import isclose
from typing import Any

import pytest
from matplotlib.figure import Figure

from jackpot.odds.pictures import pictures, written
from tests.odds.test_analysis import found_of

SVG = "{http://www.w3.org/2000/svg}"


def axes_of(figure: Figure) -> Any:
    """The one drawing in a picture."""
    (axes,) = figure.axes
    return axes


def test_four_pictures_of_three_levels() -> None:
    """L3, A5: each level has its return, its hits and a year; envy is one picture. Their texts are text."""
    drawn = pictures(found_of("pa-643a-five-card-C", players=7), "7")
    assert list(drawn) == ["return", "hit", "year", "envy"]
    for name in ("return", "hit", "year"):
        svg = written(drawn[name], "svg").decode()
        for level in ("mega", "major", "minor"):
            assert f">{level}<" in svg
    assert "even at 267,880" in written(drawn["return"], "svg").decode()
    assert "One possible year, seed 7" in written(drawn["year"], "svg").decode()
    assert written(drawn["envy"], "png").startswith(b"\x89PNG")


def test_the_line_of_the_return_crosses_the_whole_wager_at_the_break_even_meter() -> None:
    """A1: drawn from the slope, it meets what was worked out."""
    found = found_of("pa-643a-three-card-B")
    axes = axes_of(pictures(found)["return"])
    (low, high), (least, most) = (axes.lines[0].get_xdata(), axes.lines[0].get_ydata())
    at = found.levels[0].break_even
    assert isclose(least + (most - least) * (at - low) / (high - low), 1)


def test_the_bars_are_nearly_all_hits() -> None:
    """A2: from the least that a hit can find to what 99 of 100 do not exceed."""
    for paytable in ("pa-643a-five-card-A", "pa-643a-five-card-hand-bonus", "pa-643a-three-card-A"):
        axes = axes_of(pictures(found_of(paytable))["hit"])
        assert sum(bar.get_height() for bar in axes.patches) == pytest.approx(0.99, abs=0.002)


def test_what_is_not_known_is_not_drawn() -> None:
    """L5: without a rate there is no cycle; a paytable without envy has no picture of it."""
    assert list(pictures(found_of("ma-lir-progressive"))) == ["return", "envy"]
    assert "envy" not in pictures(found_of("pa-643a-five-card-hand-bonus"))


def test_the_same_picture_is_the_same_file() -> None:
    """A file that did not change is not a change."""
    found = found_of("pa-643a-three-card-B")
    first, second = (written(pictures(found)["year"], "svg") for _ in range(2))
    assert first == second
    assert ET.fromstring(first).tag == f"{SVG}svg"  # noqa: S314 - we wrote it
