"""How does a report look? One picture: frames a second of everything, and how long answers took."""

from pathlib import Path
from typing import Any, Final

from jackpot.lab.bench.figures import NAMES, OURS, Pass, Report, medians, middle_latencies

_OURS: Final = "#1f6feb"
_OTHERS: Final = "#8c959f"
_MS: Final = 1000
_BAR_INCHES: Final = 0.28


def draw(report: Report, file: Path) -> None:
    """Writes the picture; the file's suffix says which kind (.svg, .png). Raises ImportError, ValueError."""
    import matplotlib as mpl  # noqa: PLC0415 - of the extra `lab`; nothing else needs it

    mpl.use("agg")
    mpl.rcParams["svg.fonttype"] = "none"  # text stays text
    from matplotlib import pyplot as plt  # noqa: PLC0415 - as above

    count = len(report.passes)
    height = 2 + _BAR_INCHES * (len(NAMES) + 10)
    figure, axes = plt.subplots(2, count, figsize=(9 * count, height), squeeze=False)
    for place, found in enumerate(report.passes):
        _frames(axes[0][place], found)
        _latencies(axes[1][place], found)
    figure.tight_layout()
    figure.savefig(file)
    plt.close(figure)


def _frames(axes: Any, found: Pass) -> None:
    """A bar each, from best to least on a scale of powers of ten; a line from the least round to the most."""
    shown = medians(found)
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
    axes.set_title(f"{found.disk}: medians of {len(found.rounds)}")


def _latencies(axes: Any, found: Pass) -> None:
    """The open loads: half of the answers, and 99 in 100, came within so many milliseconds."""
    shown = middle_latencies(found)
    names = [name for name in shown if len(shown[name]) > 1]
    for part, marker in (("p50", "o"), ("p99", "|")):
        axes.plot([shown[name][part] * _MS for name in names], names, marker, label=part, color=_OURS)
    if names:
        axes.set_xscale("log")
        axes.legend()
        axes.invert_yaxis()
    axes.set_xlabel("ms from sending a wager to its answer; 1 or 10 rounds a minute a table")
