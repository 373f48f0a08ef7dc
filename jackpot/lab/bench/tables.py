"""Text form of a bench report: plain tables, and a comparison with an older report."""

from collections.abc import Iterator
from itertools import zip_longest
from typing import Final

from jackpot.lab.bench.figures import (
    LOAD_FULL,
    NAMES,
    BenchReport,
    DiskResults,
    FigureTable,
    Median,
    full_loads,
    medians,
    middle_latencies,
    ratios,
)
from jackpot.text import counted

_MS: Final = 1000
# From here on a figure is shown in whole numbers, and in tenths.
_WHOLE: Final = 100
_TENTHS: Final = 10
_FIGURE: Final = 8  # characters of a figure at least
_PARTS: Final = ("p50", "p90", "p99", "max", "late")

EQUAL: Final = """\
Every frame, in every design: the table's order is checked, a journal row and the answer are kept, all durable
before the answer. In the other designs each frame moves three meters. Here a wager moves three, for seven
seats; the frame that ends the round moves them only where a hand wins. This server also decides by the
paytable, posts double entry and chains each row's hash; the others do none of that.
cores: used by the measured side, all its processes together. load: cores that the load itself used."""


def lines(report: BenchReport) -> Iterator[str]:
    """Lines of the whole report."""
    machine = report.machine
    yield (
        f"jackpot {machine['jackpot']}, Python {machine['python']}, {machine['system']}, "
        f"{counted(machine['processors'], 'processor')}, {machine['filesystem']}"
    )
    yield f"work that the machine had before it was measured: {machine['load']:.1f} processors"
    if report.passes:
        yield EQUAL
    for found in report.passes:
        yield ""
        yield from _pass(found)
    for sheet in report.sheets.values():
        yield ""
        yield from _sheet(sheet)
    if report.passes and report.skipped:
        yield ""
        yield f"no second pass with slower flushes: {report.skipped}"
    if machine["filesystem"] == "tmpfs":
        yield "on tmpfs a flush costs nothing: give --folder on a real disk"


def _pass(bench_pass: DiskResults) -> Iterator[str]:
    setup = bench_pass.setup
    rounds = f"medians of {counted(setup['rounds'], 'round')}, {setup['seconds']:g} s each"
    yield f"== {bench_pass.disk}: {rounds}, {counted(setup['tables'], 'table')}"
    yield f"{'frames/s':>10} {'least':>9} {'most':>9} {'cores':>6} {'load':>5}"
    cpu, load = medians(bench_pass, "cpu"), medians(bench_pass, "load")
    for name, frames in medians(bench_pass).items():
        used = f"{cpu[name].middle:6.2f} {load[name].middle:5.2f}"
        yield f"{frames.middle:10,.0f} {frames.least:9,.0f} {frames.most:9,.0f} {used}  {NAMES[name]}"
    for name in full_loads(bench_pass):
        yield f"the load used more than {LOAD_FULL:.0%} of a core and may be what was measured: {NAMES[name]}"
    for name, why in bench_pass.skipped.items():
        yield f"not measured: {name}: {why}"
    yield ""
    yield f"{'ratio':>10} {'least':>9} {'most':>9} {'wanted':>6}"
    for ratio, each in ratios(bench_pass):
        wanted = "" if ratio.least is None else f"{ratio.least:g}"
        yield f"{each.middle:10.2f} {each.least:9.2f} {each.most:9.2f} {wanted:>6}  {ratio.title}"
    yield from _latencies(bench_pass)


def _latencies(bench_pass: DiskResults) -> Iterator[str]:
    """Latencies of an open load: ms from sending a wager to its durable answer."""
    middle = middle_latencies(bench_pass)
    if not middle:
        return
    floor, calm = bench_pass.setup["floor"], bench_pass.setup["calm"]
    yield ""
    yield f"open load of {counted(floor, 'table')}, {calm:g} s each; ms from sending a wager to its answer"
    yield "".join(f"{part:>9}" for part in (*_PARTS[:-1], "late p99"))
    for name, parts in middle.items():
        words = [f"{parts[part] * _MS:9.2f}" if part in parts else f"{'':9}" for part in _PARTS]
        yield f"{''.join(words)}  {_calm_title(name)}"


_CALM: Final = {
    "sqlite": "this server, SQLite",
    "postgres": "this server, PostgreSQL",
    "echo": "bare echo",
    "fsync": "bare flushes of one batch, as many",
    "copy": "bare COPY and COMMIT of one row, as many",
}


def _calm_title(name: str) -> str:
    of, pace = name.split()
    return f"{_CALM[of]}, {counted(int(pace), 'round')} a minute a table"


def _sheet(sheet: FigureTable) -> Iterator[str]:
    """A line for each row; below a figure's name its wanted maximum."""
    names = list(dict.fromkeys(name for row in sheet.rows.values() for name in row))
    widths = [max(len(name), _FIGURE) for name in names]
    yield f"== {sheet.title}"
    yield "  ".join(f"{name:>{width}}" for name, width in zip(names, widths, strict=True))
    if sheet.most:
        wanted = [f"<= {sheet.most[name]:g}" if name in sheet.most else "" for name in names]
        yield "  ".join(f"{word:>{width}}" for word, width in zip(wanted, widths, strict=True)) + "  wanted"
    for title, row in sheet.rows.items():
        words = [_figure(row[name]) if name in row else "" for name in names]
        yield "  ".join(f"{word:>{width}}" for word, width in zip(words, widths, strict=True)) + f"  {title}"
    for title, why in sheet.left_out.items():
        yield f"not measured: {title}: {why}"


def _figure(value: float) -> str:
    """At least three digits, and no more decimals than that."""
    size = abs(value)
    return f"{value:,.{0 if size >= _WHOLE or value == int(value) else 1 if size >= _TENTHS else 2}f}"


def compared(old: BenchReport, new: BenchReport) -> Iterator[str]:
    """Medians and ratios of both reports. Between different machines or loads only ratios are comparable."""
    for before, after in zip_longest(old.passes, new.passes):
        if before is None or after is None:
            yield "one of the two reports has a pass that the other has not"
            continue
        yield ""
        yield f"== {after.disk}: old, new, new / old"
        yield f"{'old':>10} {'new':>10} {'change':>7}  frames/s"
        yield from _changes({NAMES[name]: each for name, each in medians(before).items()},
                            {NAMES[name]: each for name, each in medians(after).items()}, ",.0f")  # fmt: skip
        yield f"{'old':>10} {'new':>10} {'change':>7}  ratio"
        yield from _changes({ratio.title: each for ratio, each in ratios(before)},
                            {ratio.title: each for ratio, each in ratios(after)}, ".2f")  # fmt: skip

    for name, sheet in new.sheets.items():
        if name in old.sheets:
            yield from _compared_sheets(old.sheets[name], sheet)


def _compared_sheets(old: FigureTable, new: FigureTable) -> Iterator[str]:
    yield ""
    yield f"== {new.title}: old, new, new / old"
    for title, row in new.rows.items():
        before = old.rows.get(title, {})
        for name in [name for name in row if before.get(name)]:
            one, other = before[name], row[name]
            yield f"{_figure(one):>10} {_figure(other):>10} {other / one:7.2f}  {title}: {name}"


def _changes(old: dict[str, Median], new: dict[str, Median], form: str) -> Iterator[str]:
    for title in [title for title in new if title in old]:
        one, other = old[title].middle, new[title].middle
        yield f"{format(one, form):>10} {format(other, form):>10} {other / one:7.2f}  {title}"
