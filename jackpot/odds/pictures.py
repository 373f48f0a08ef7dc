"""Plots of each level, as SVG or PNG, by matplotlib of the extra `lab`."""

import io
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from functools import partial
from itertools import accumulate, pairwise
from textwrap import fill
from typing import Any, Final, Literal, NamedTuple

from matplotlib import rc_context
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator, PercentFormatter

from jackpot.odds.analysis import Analysis, CycleQuantile, LevelFound
from jackpot.odds.cycle import CyclePoint, mystery_path, path, won_within
from jackpot.odds.drawable import Kind, Picture, drawable
from jackpot.odds.must_hit_by import returned
from jackpot.odds.mystery_analysis import MysteryAnalysis, MysteryLevelFound
from jackpot.odds.sessions import LENGTHS, session
from jackpot.odds.sheets import PLAIN, SheetFormat
from jackpot.rules.money import MICROS_PER_UNIT
from jackpot.text import Sentence

Suffix = Literal["svg", "png"]
SUFFIXES: Final[tuple[Suffix, ...]] = ("svg", "png")
Ground = Literal["paper", "page"]

HOURS_OF_A_YEAR: Final = 365 * 24

# Inches: three stand side by side on a screen, and one fills a phone.
_SIZE: Final = 4.4, 3.4
# Letters of a title in one line of a picture.
_TITLE: Final = 46
# Bars of a distribution: fewer hide its shape, more show the grid that it was worked out on.
_BARS: Final = 40
# Quantiles marked in a distribution.
_MARKED: Final = (Fraction(1, 2), Fraction(95, 100))
# Ticks of an axis of sums: more of six digits would run into each other.
_SUMS_SHOWN: Final = 4
_PERCENT: Final = " %"
# Courses of a session that are drawn, and points of each: more of either run into each other.
_COURSES: Final = 8
_PLACES: Final = 200
# Room above the highest bar for labels.
_ROOM: Final = 1.45
# Wagers that a wager on a mystery returns where its picture ends: the last of a cycle return hundreds.
_RETURN_SHOWN: Final = 3
# An axis of sums shows at least so much, however low the meter is.
_SUM_AXIS_MIN: Final = 10 * MICROS_PER_UNIT


class _Palette(NamedTuple):
    """Colours. ours: the data; mark: what is pointed out; quiet: lines to compare with."""

    ours: str
    mark: str
    quiet: str
    text: str
    ground: str


# For paper, and for the site's own pages, which are dark.
_LOOKS: Final[dict[Ground, _Palette]] = {
    "paper": _Palette("#1f6feb", "#b35900", "#6e7781", "#1f2328", "#ffffff"),
    "page": _Palette("#6fb1ff", "#f5c542", "#94a0b8", "#eef1f8", "#0c111d"),
}


class _Drawing(NamedTuple):
    """Inputs of every picture."""

    found: Analysis | MysteryAnalysis
    seed: str
    manner: SheetFormat
    look: _Palette

    def sum(self, micros: Fraction | float) -> str:
        return self.manner.money.whole(round(micros / MICROS_PER_UNIT))

    def say(self, plain: str, **values: object) -> str:
        return self.manner.say(Sentence(plain, **values))

    def percent(self, part: Fraction) -> str:
        return f"{self.manner.money.number(f'{float(100 * part):.1f}')}{_PERCENT}"

    def percents(self, decimals: int | None = None) -> PercentFormatter:
        """Formatter of an axis."""
        return _Percents(self.manner.money.decimal, decimals)


class _Percents(PercentFormatter):
    """Fractions as percentages, with the site's decimal sign."""

    def __init__(self, sign: str, decimals: int | None) -> None:
        super().__init__(1, decimals, _PERCENT)
        self._sign = sign

    def format_pct(self, x: float, display_range: float) -> str:
        return super().format_pct(x, display_range).replace(".", self._sign)


def pictures(
    analysis: Analysis | MysteryAnalysis,
    seed: str = "1",
    manner: SheetFormat = PLAIN,
    ground: Ground = "paper",
) -> dict[str, Figure]:
    """All pictures by name. seed: of the sample year."""
    drawing = _Drawing(analysis, seed, manner, _LOOKS[ground])
    with _styled(drawing.look):
        return {picture.name: _drawn(picture, drawing) for picture in drawable(analysis, manner.money)}


def written(figure: Figure, suffix: Suffix) -> bytes:
    """A picture encoded as a file; deterministic."""
    out = io.BytesIO()
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "jackpot", "text.parse_math": False}):
        figure.savefig(out, format=suffix, metadata={"Date": None} if suffix == "svg" else None)
    return out.getvalue()


@contextmanager
def _styled(look: _Palette) -> Iterator[None]:
    """Escapes dollar signs, which would begin a formula."""
    coloured = ("text.color", "axes.labelcolor", "axes.titlecolor", "axes.edgecolor")
    grounds = ("figure.facecolor", "axes.facecolor", "legend.facecolor")
    settings: dict[Any, Any] = {
        "axes.titlesize": "medium",
        "legend.fontsize": "small",
        "text.parse_math": False,
    }
    settings |= dict.fromkeys(coloured, look.text) | dict.fromkeys(grounds, look.ground)
    with rc_context(settings):
        yield


def _drawn(picture: Picture, drawing: _Drawing) -> Figure:
    figure = Figure(figsize=_SIZE, layout="constrained")
    axes = figure.subplots()
    axes.set_title(fill(drawing.manner.say(picture.title), _TITLE))
    axes.tick_params(colors=drawing.look.text, labelsize="small")
    axes.spines[["top", "right"]].set_visible(False)
    if isinstance(picture.level, MysteryLevelFound):
        _OF_MYSTERY[picture.kind](axes, picture.level, drawing)
    elif picture.level is not None:
        _BY_LEVEL[picture.kind](axes, picture.level, drawing)
    elif isinstance(drawing.found, Analysis):
        _WITHOUT_LEVEL[picture.kind](axes, drawing.found, drawing)
    return figure


def _return(axes: Any, level: LevelFound, drawing: _Drawing) -> None:
    """Return by meter: a straight line, the rest as it is, plus what a wager wins of the meter."""
    found, look = drawing.found, drawing.look
    wager = found.subject.terms.wager
    rest = found.total - level.part
    most = max(level.break_even, level.meter, _SUM_AXIS_MIN) * 5 // 4
    axes.plot([0, most], [float(rest), float(rest + level.taken * most / wager)], color=look.ours)
    _returned(axes, level.meter, level.break_even, drawing)
    axes.set_ylim(bottom=0)
    axes.legend()


def _returned(axes: Any, meter: int, even_at: Fraction | int | None, drawing: _Drawing) -> None:
    """Marks the meter of now and the one that returns the whole wager, and names the axes."""
    found, look = drawing.found, drawing.look
    axes.axhline(1, color=look.quiet, linewidth=0.8, linestyle="--")
    now = drawing.say("{part} at {sum}", part=drawing.percent(found.total), sum=drawing.sum(meter))
    axes.plot([meter], [float(found.total)], "o", color=look.mark, label=now)
    if even_at:
        even = drawing.say("{part} at {sum}", part=f"100{_PERCENT}", sum=drawing.sum(even_at))
        axes.plot([float(even_at)], [1], "s", color=look.ours, label=even)
    axes.yaxis.set_major_formatter(drawing.percents(0))
    axes.set_ylabel(drawing.say("returned of the wager"))
    _sums(axes.xaxis, drawing)
    alone = len(found.levels) == 1
    axes.set_xlabel(drawing.say("the meter" if alone else "this meter, the others as they are"))


def _hit(axes: Any, level: LevelFound, drawing: _Drawing) -> None:
    """Histogram of the amounts that hits find."""
    if level.cycle is None:
        return
    cycle = level.cycle
    _won(
        axes, (cycle.start, level.ends[-1].meter), partial(won_within, cycle), cycle.mean(cycle.mean_start),
        level.ends, drawing,
    )  # fmt: skip


def _won(
    axes: Any,
    span: tuple[int, int],
    within: Callable[[float], float],
    mean: Fraction,
    ends: Sequence[CycleQuantile],
    drawing: _Drawing,
) -> None:
    """Bars of what is won between these sums. within: the chance of no more than a sum."""
    low, high = span
    wide = (high - low) / _BARS
    edges = [low + wide * number for number in range(_BARS + 1)]
    heights = [after - before for before, after in pairwise(map(within, edges))]
    axes.bar(edges[:-1], heights, wide, align="edge", color=drawing.look.ours)
    axes.axvline(float(mean), color=drawing.look.mark, label=drawing.say("mean {sum}", sum=drawing.sum(mean)))
    for at in ends:
        if at.quantile in _MARKED:
            most = {"part": f"{float(100 * at.quantile):.0f}{_PERCENT}", "sum": drawing.sum(at.meter)}
            label = drawing.say("{part} of the wins: up to {sum}", **most)
            axes.axvline(at.meter, color=drawing.look.text, linestyle="--", label=label)
    axes.yaxis.set_major_formatter(drawing.percents())
    axes.set_ylabel(drawing.say("of the wins"))
    _sums(axes.xaxis, drawing)
    axes.set_xlabel(drawing.say("the meter when it is won"))
    axes.set_ylim(top=max(heights) * _ROOM)
    axes.legend(loc="upper right")


def _year(axes: Any, level: LevelFound, drawing: _Drawing) -> None:
    """Sample path of a year.

    it rises with each wager, and falls where a hand wins the meter or a part of it.
    """
    if level.cycle is None:
        return
    seed = f"{drawing.seed} {level.terms.level}"
    wagers = drawing.found.tonight.wagers_an_hour * HOURS_OF_A_YEAR
    _course(axes, path(level.cycle, float(level.meter), wagers, seed), drawing)


def _course(axes: Any, course: Sequence[CyclePoint], drawing: _Drawing) -> None:
    an_hour = drawing.found.tonight.wagers_an_hour
    days = [moment.wagers / an_hour / 24 for moment in course]
    axes.plot(days, [moment.meter for moment in course], color=drawing.look.ours, linewidth=0.7)
    _sums(axes.yaxis, drawing)
    axes.set_ylim(bottom=0)
    count = drawing.manner.money.count(an_hour)
    axes.set_xlabel(drawing.say("days at {count} wagers an hour", count=count))


def _envy(axes: Any, analysis: Analysis, drawing: _Drawing) -> None:
    look = drawing.look
    colours = [look.mark if players == analysis.tonight.players else look.ours for players in analysis.envy]
    axes.bar(list(analysis.envy), [float(part) for part in analysis.envy.values()], color=colours)
    axes.yaxis.set_major_formatter(drawing.percents())
    axes.set_ylabel(drawing.say("returned of the wager"))
    axes.set_xlabel(drawing.say("players at the table"))


def _sessions(axes: Any, analysis: Analysis, drawing: _Drawing) -> None:
    """Sample courses of what a player has won so far, and what is lost on average."""
    look = drawing.look
    wager, long = analysis.subject.terms.wager, LENGTHS[-1]
    places = range(0, long + 1, long // _PLACES)
    for number in range(_COURSES):
        brought = [0, *accumulate(session(analysis.pays, long, f"{drawing.seed} {number}"))]
        axes.plot(places, [brought[at] - at * wager for at in places], color=look.ours, linewidth=0.7)
    edge = drawing.say("lost on average, {part}", part=drawing.percent(1 - analysis.total))
    axes.plot([0, long], [0, float((analysis.total - 1) * wager * long)], color=look.mark, label=edge)
    axes.axhline(0, color=look.quiet, linewidth=0.8, linestyle="--")
    _sums(axes.yaxis, drawing)
    axes.set_ylabel(drawing.say("won so far"))
    axes.set_xlabel(drawing.say("wagers"))
    axes.legend(loc="upper left")


def _mystery_return(axes: Any, level: MysteryLevelFound, drawing: _Drawing) -> None:
    """Return by meter, to where a wager returns so many times what it costs; it ends at the maximum."""
    terms = level.terms
    rest = float(drawing.found.total - level.part)
    wide = (terms.must_hit_by - terms.minimum) / _PLACES
    meters = [terms.minimum + round(wide * number) for number in range(_PLACES)]
    parts = [rest + float(returned(terms, meter)) for meter in meters]
    axes.plot(meters, parts, color=drawing.look.ours)
    # As `break_even`, of what the other levels do not return.
    owed, rise = terms.wager * (1 - drawing.found.total + level.part), terms.contribution
    even = (owed * terms.must_hit_by - rise**2) / (owed + rise)
    _returned(axes, level.meter, even if terms.minimum < even else None, drawing)
    axes.set_ylim(0, _RETURN_SHOWN)
    axes.legend(loc="upper left")


def _mystery_hit(axes: Any, level: MysteryLevelFound, drawing: _Drawing) -> None:
    """Bars of what cycles from the minimum are won with."""
    terms = level.terms

    def within(meter: float) -> float:
        """A trigger is equally likely anywhere: so is where it is won."""
        return min(1.0, max(0.0, (meter - terms.start) / terms.span))

    _won(axes, (terms.start, terms.must_hit_by), within, level.cycle.mean_award, level.ends, drawing)


def _mystery_year(axes: Any, level: MysteryLevelFound, drawing: _Drawing) -> None:
    """Sample path of a year: it rises with each wager, and falls where it is won."""
    wagers = drawing.found.tonight.wagers_an_hour * HOURS_OF_A_YEAR
    _course(axes, mystery_path(level.terms, level.meter, wagers, f"{drawing.seed} {level.name}"), drawing)


_WITHOUT_LEVEL: Final[dict[Kind, Callable[[Any, Analysis, _Drawing], None]]] = {
    "envy": _envy,
    "sessions": _sessions,
}
_OF_MYSTERY: Final[dict[Kind, Callable[[Any, MysteryLevelFound, _Drawing], None]]] = {
    "return": _mystery_return,
    "hit": _mystery_hit,
    "year": _mystery_year,
}
_BY_LEVEL: Final[dict[Kind, Callable[[Any, LevelFound, _Drawing], None]]] = {
    "return": _return,
    "hit": _hit,
    "year": _year,
}


def _sums(axis: Any, drawing: _Drawing) -> None:
    axis.set_major_formatter(FuncFormatter(lambda micros, _: drawing.sum(micros)))
    axis.set_major_locator(MaxNLocator(_SUMS_SHOWN))
