"""`jackpot bench`: benchmarks against other designs and the machine's own limits."""

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from jackpot.cli.options import fail, require_lab

if TYPE_CHECKING:
    from jackpot.lab.bench.figures import BenchReport
    from jackpot.lab.bench.run_plan import BenchPlan

app = typer.Typer(help="Measure the server next to other designs.")

# With --quick: rounds, seconds of each measurement, seconds of each open load.
_QUICK = (1, 0.4, 1.0)
_FULL = (5, 2.0, 10.0)

Only = Annotated[
    list[str] | None,
    typer.Option(
        metavar="PART",
        help="Only throughput, latency, idle, crowd, fan or growth; may be repeated. [default: all]",
    ),
]


@app.command()
def bench(
    *,
    quick: Annotated[
        bool, typer.Option("--quick", help="One short round, no second pass, small floors: minutes.")
    ] = False,
    only: Only = None,
    rounds: Annotated[
        int | None, typer.Option(min=1, help="How many rounds; their medians are shown. [default: 5]")
    ] = None,
    seconds: Annotated[
        float | None, typer.Option(min=0.1, help="How long each measurement takes. [default: 2]")
    ] = None,
    calm: Annotated[
        float | None,
        typer.Option(min=0, help="Seconds of each load at a floor's pace; 0: none. [default: 10]"),
    ] = None,
    tables: Annotated[int, typer.Option(min=1, max=500, help="Tables that play without a pause.")] = 64,
    floor: Annotated[int, typer.Option(min=1, max=10_000, help="Tables that play at a floor's pace.")] = 500,
    folder: Annotated[
        Path | None, typer.Option(metavar="DIR", help="A folder for the ledgers, on the disk to measure.")
    ] = None,
    slower: Annotated[
        bool | None,
        typer.Option("--slower/--as-it-is", help="A second pass, with each flush 1 ms slower, or none."),
    ] = None,
    save: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the report to this file, as JSON.")
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Draw the report in this .svg or .png; needs the extra lab."),
    ] = None,
    compare: Annotated[
        Path | None, typer.Option(metavar="OLD.json", help="Compare with a saved report.")
    ] = None,
    show: Annotated[
        Path | None, typer.Option(metavar="FILE.json", help="Measure nothing: show a saved report.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Every round, as JSON.")] = False,
) -> None:
    """Measure this server, other designs that do the same work, and the bare machine, in turns.

    Everything runs here for the time of the bench alone: this server on SQLite and on PostgreSQL, a stored
    function a frame, a Redis script a frame, and a bare echo, COPY and flush. Each load is a process of its
    own. Ratios are made within a round, so a busy machine changes them less than the figures. Then a floor of
    10,000 tables waits, and comes back at once; signs show a wager; tables at a floor's own pace are
    disturbed; and what must not grow with tables, links, signs and the past is measured at several sizes.

    Example: jackpot bench --folder /var/lib/jackpot --save bench.json --plot bench.svg
    """
    from msgspec import structs

    if plot is not None:
        _check_plot(plot)
    old = None if compare is None else _read(compare)
    if show is not None:
        found = _read(show)
    else:
        plan = _plan(rounds, seconds, calm, _QUICK if quick else _FULL)
        plan = structs.replace(plan, tables=tables, floor=max(floor, tables))
        slow = not quick if slower is None else slower
        found = _measure(folder, plan, _parts(only), slower=slow, small=quick)
    _print(found, old, as_json=as_json)
    if save is not None:
        save.write_bytes(_json(found))
    if plot is not None:
        from jackpot.lab.bench.plot import draw

        draw(found, plot)


def _parts(only: list[str] | None) -> tuple[str, ...]:
    from jackpot.lab.bench.figures import PARTS

    if unknown := {*(only or ())} - PARTS.keys():
        fail(f"--only {min(unknown)}: there is {' '.join(PARTS)}")
    return tuple(only or PARTS)


def _plan(
    rounds: int | None, seconds: float | None, calm: float | None, usual: tuple[int, float, float]
) -> "BenchPlan":
    from jackpot.lab.bench.run_plan import BenchPlan

    given = rounds, seconds, calm
    count, each, open_load = (own if one is None else one for one, own in zip(given, usual, strict=True))
    return BenchPlan("", "", int(count), each, open_load)


def _measure(
    folder: Path | None, plan: "BenchPlan", parts: tuple[str, ...], *, slower: bool, small: bool
) -> "BenchReport":
    from msgspec import structs

    from jackpot.lab.bench.load import LoadError
    from jackpot.lab.bench.parts import SMALL, Sizes
    from jackpot.lab.bench.passes import bench as measure
    from jackpot.ledger.store import LedgerError

    if folder is not None and not folder.is_dir():
        fail(f"--folder {folder}: there is no such folder; make it first, on the disk to measure")
    try:
        with tempfile.TemporaryDirectory(prefix="jackpot-bench-", dir=folder) as made:
            sizes = SMALL if small else Sizes(floor=plan.floor)
            return measure(structs.replace(plan, folder=made), sizes, parts, slower=slower)
    except (LoadError, LedgerError, OSError) as error:
        fail(f"not measured: {error}")


def _print(report: "BenchReport", old: "BenchReport | None", *, as_json: bool) -> None:
    from jackpot.lab.bench.tables import compared, lines

    if as_json:
        typer.echo(_json(report).decode())
        return
    for line in lines(report):
        typer.echo(line)
    for line in compared(old, report) if old else ():
        typer.echo(line)


def _json(report: "BenchReport") -> bytes:
    import msgspec

    return msgspec.json.format(msgspec.json.encode(report))


def _read(file: Path) -> "BenchReport":
    import msgspec

    from jackpot.lab.bench.figures import BenchReport

    try:
        return msgspec.json.decode(file.read_bytes(), type=BenchReport)
    except (OSError, msgspec.DecodeError) as error:
        fail(f"{file} is no report of a bench: {error}")


def _check_plot(file: Path) -> None:
    """Checks the plot option before minutes are spent on measuring."""
    if file.suffix not in (".svg", ".png"):
        fail(f"--plot {file}: its name must end in .svg or .png")
    require_lab("matplotlib", "--plot")
