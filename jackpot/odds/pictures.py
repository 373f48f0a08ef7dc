"""What does an analysis look like? Four pictures, as SVG or PNG, drawn by matplotlib of the extra `lab`."""

import io
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from typing import Any, Final, Literal

from matplotlib import rc_context
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator, PercentFormatter

from jackpot.odds.analysis import Analysis, LevelFound
from jackpot.odds.cycle import path, won_within
from jackpot.rules.money import MICROS_PER_UNIT

Suffix = Literal["svg", "png"]
SUFFIXES: Final[tuple[Suffix, ...]] = ("svg", "png")

HOURS_OF_A_YEAR: Final = 365 * 24

_OURS: Final = "#1f6feb"
_MARK: Final = "#b35900"
_GREY: Final = "#6e7781"
# Inches of one level's axes, and of a picture that has only one.
_WIDE, _HIGH, _ALONE = 4.2, 3.4, 6.0
# Bars of a distribution: fewer hide its shape, more show the grid that it was worked out on.
_BARS: Final = 40
# Quantiles that a distribution has lines for.
_MARKED: Final = (Fraction(1, 2), Fraction(95, 100))
# Sums along an axis: more of six digits would run into each other.
_SUMS_SHOWN: Final = 4


def pictures(found: Analysis, seed: str = "1") -> dict[str, Figure]:
    """Those that can be drawn, by name. seed: of the year, one of many possible."""
    known = tuple(level for level in found.levels if level.cycle is not None)
    drawn: dict[str, Callable[[], Figure]] = {
        "return": lambda: _by_level(found.levels, "Return by meter", _return, found),
        "hit": lambda: _by_level(known, "The meter when it is won", _hit, found),
        "year": lambda: _by_level(known, f"One possible year, seed {seed}", _year, found, seed),
        "envy": lambda: _envy(found),
    }
    return {name: drawn[name]() for name in found.pictures}


def written(figure: Figure, suffix: Suffix) -> bytes:
    """A picture as a file has it; the same picture is always the same bytes."""
    out = io.BytesIO()
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "jackpot"}):
        figure.savefig(out, format=suffix, metadata={"Date": None} if suffix == "svg" else None)
    return out.getvalue()


def _by_level(levels: tuple[LevelFound, ...], title: str, draw: Callable[..., None], *more: object) -> Figure:
    figure = Figure(figsize=(max(_ALONE, _WIDE * len(levels)), _HIGH), layout="constrained")
    figure.suptitle(title)
    for axes, level in zip(figure.subplots(1, len(levels), squeeze=False)[0], levels, strict=True):
        axes.set_title(level.terms.level, fontsize="medium")
        axes.tick_params(labelsize="small")
        draw(axes, level, *more)
    return figure


def _return(axes: Any, level: LevelFound, found: Analysis) -> None:
    """A straight line: the rest as it is, and what a wager wins of the meter."""
    wager = found.subject.terms.wager
    rest = found.total - level.part
    most = max(level.break_even, level.meter, MICROS_PER_UNIT) * 5 // 4
    axes.plot([0, most], [float(rest), float(rest + level.taken * most / wager)], color=_OURS)
    axes.axhline(1, color=_GREY, linewidth=0.8, linestyle="--")
    axes.plot([level.meter], [float(found.total)], "o", color=_MARK, label=f"now {_sum(level.meter)}")
    if level.break_even:
        axes.plot([level.break_even], [1], "s", color=_OURS, label=f"even at {_sum(level.break_even)}")
    axes.yaxis.set_major_formatter(PercentFormatter(1, 0))
    axes.set_ylabel("of the wager")
    _sums(axes.xaxis)
    axes.set_xlabel("meter")
    axes.set_ylim(bottom=0)
    axes.legend(fontsize="small")


def _hit(axes: Any, level: LevelFound, _found: Analysis) -> None:
    """How many of the hits find so much, bar by bar."""
    if level.cycle is None:
        return
    wide = (level.ends[-1].meter - level.cycle.start) / _BARS
    edges = [level.cycle.start + wide * number for number in range(_BARS + 1)]
    within = [won_within(level.cycle, edge) for edge in edges]
    heights = [after - before for before, after in pairwise(within)]
    axes.bar(edges[:-1], heights, wide, align="edge", color=_OURS)
    mean = level.cycle.mean(level.cycle.mean_start)
    axes.axvline(float(mean), color=_MARK, label=f"mean {_sum(mean)}")
    for at in level.ends:
        if at.quantile in _MARKED:
            label = f"{float(at.quantile):.0%} of the hits: {_sum(at.meter)}"
            axes.axvline(at.meter, color=_GREY, linestyle="--", label=label)
    axes.yaxis.set_major_formatter(PercentFormatter(1))
    axes.set_ylabel("of the hits")
    _sums(axes.xaxis)
    axes.set_xlabel("meter")
    axes.legend(fontsize="small")


def _year(axes: Any, level: LevelFound, found: Analysis, seed: str) -> None:
    """A line that rises with each wager, and falls where a hand wins the meter or a part of it."""
    if level.cycle is None:
        return
    an_hour = found.tonight.wagers_an_hour
    course = path(level.cycle, float(level.meter), an_hour * HOURS_OF_A_YEAR, f"{seed} {level.terms.level}")
    days = [moment.wagers / an_hour / 24 for moment in course]
    axes.plot(days, [moment.meter for moment in course], color=_OURS, linewidth=0.7)
    _sums(axes.yaxis)
    axes.set_ylim(bottom=0)
    axes.set_xlabel(f"days at {an_hour:,} wagers an hour")


def _envy(found: Analysis) -> Figure:
    figure = Figure(figsize=(_ALONE, _HIGH), layout="constrained")
    axes = figure.subplots()
    colours = [_MARK if players == found.tonight.players else _OURS for players in found.envy]
    axes.bar(list(found.envy), [float(part) for part in found.envy.values()], color=colours)
    axes.set_title("What envy costs, by players")
    axes.yaxis.set_major_formatter(PercentFormatter(1))
    axes.set_ylabel("of the wager")
    axes.set_xlabel("players at the table")
    return figure


def _sums(axis: Any) -> None:
    axis.set_major_formatter(FuncFormatter(lambda micros, _: f"{micros / MICROS_PER_UNIT:,.0f}"))
    axis.set_major_locator(MaxNLocator(_SUMS_SHOWN))


def _sum(micros: Any) -> str:
    return f"{float(micros) / MICROS_PER_UNIT:,.0f}"
