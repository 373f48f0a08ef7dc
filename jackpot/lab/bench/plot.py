"""Plot of a bench report: throughput of everything measured, and latencies, in one picture."""

from itertools import zip_longest
from pathlib import Path
from typing import Any, Final

from jackpot.lab.bench.figures import (
    NAMES,
    OURS,
    BenchReport,
    DiskResults,
    FigureTable,
    medians,
    middle_latencies,
)

_OURS: Final = "#1f6feb"
_OTHERS: Final = "#8c959f"
_MS: Final = 1000
_BAR_INCHES: Final = 0.28
_LINES_INCHES: Final = 3.2
# Upper limit of the relative growth that is drawn.
_PARTS_SHOWN: Final = (0.05, 100)


def draw(report: BenchReport, file: Path) -> None:
    """Writes the picture; the file's suffix says which kind (.svg, .png). Raises ImportError, ValueError."""
    import matplotlib as mpl  # noqa: PLC0415 - of the extra `lab`; nothing else needs it

    mpl.use("agg")
    mpl.rcParams["svg.fonttype"] = "none"  # text stays text
    from matplotlib import pyplot as plt  # noqa: PLC0415 - as above

    grown = [sheet for sheet in report.sheets.values() if sheet.points]
    columns = max(1, len(report.passes))
    lines = -(-len(grown) // columns)
    rows = 2 * bool(report.passes) + lines
    heights = [_BAR_INCHES * (len(NAMES) + 2), _BAR_INCHES * 12] * bool(report.passes) + [
        _LINES_INCHES
    ] * lines
    figure, axes = plt.subplots(
        max(1, rows),
        columns,
        figsize=(9 * columns, 2 + sum(heights)),
        squeeze=False,
        height_ratios=heights or None,
    )
    for place, found in enumerate(report.passes):
        _frames(axes[0][place], found)
        _latencies(axes[1][place], found)
    free = [axis for line in axes[2 * bool(report.passes) :] for axis in line]
    for axis, sheet in zip_longest(free, grown):
        if sheet is None:
            axis.axis("off")
        else:
            _growth(axis, sheet)
    figure.tight_layout()
    figure.savefig(file)
    plt.close(figure)


def _frames(axes: Any, bench_pass: DiskResults) -> None:
    """Throughputs as bars, sorted, on a log scale; a line from the minimum to the maximum."""
    shown = medians(bench_pass)
    titles = [NAMES[name] for name in shown]
    middles = [each.middle for each in shown.values()]
    spread = [
        [each.middle - each.least for each in shown.values()],
        [each.most - each.middle for each in shown.values()],
    ]
    colours = [_OURS if name in OURS else _OTHERS for name in shown]
    axes.barh(titles, middles, xerr=spread, color=colours, error_kw={"elinewidth": 0.8})
    for title, middle in zip(titles, middles, strict=True):
        axes.text(middle, title, f" {middle:,.0f}", va="bottom", fontsize="x-small")
    axes.set_xscale("log")
    axes.invert_yaxis()
    axes.set_xlabel("frames a second, all durable")
    axes.set_title(f"{bench_pass.disk}: medians of {len(bench_pass.rounds)}")


def _latencies(axes: Any, bench_pass: DiskResults) -> None:
    """Latencies of the open loads: median and 99th percentile in milliseconds."""
    shown = middle_latencies(bench_pass)
    names = [name for name in shown if len(shown[name]) > 1]
    for part, marker in (("p50", "o"), ("p99", "|")):
        axes.plot([shown[name][part] * _MS for name in names], names, marker, label=part, color=_OURS)
    if names:
        axes.set_xscale("log")
        axes.legend()
        axes.invert_yaxis()
    axes.set_xlabel("ms from sending a wager to its answer; 1 or 10 rounds a minute a table")


def _growth(axes: Any, sheet: FigureTable) -> None:
    """Each figure relative to its value at the least size: what does not grow stays at 1."""
    titles = [title for title in sheet.rows if title in sheet.points]
    sizes = [sheet.points[title] for title in titles]
    for name in sheet.rows[titles[0]] if titles else ():
        values = [sheet.rows[title][name] for title in titles]
        if all(value > 0 for value in values):
            axes.plot(sizes, [value / values[0] for value in values], "o-", label=name, linewidth=1)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_ylim(*_PARTS_SHOWN)
    axes.legend(fontsize="x-small", ncols=2)
    axes.set_title(sheet.title)
    axes.set_ylabel("times the first")
