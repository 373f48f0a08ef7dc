"""`jackpot bench`: how fast is it here, beside what this machine's disk and network allow?"""

import asyncio
import logging
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from jackpot.cli.speak import fail
from jackpot.words import counted

if TYPE_CHECKING:
    from jackpot.lab.bench import Measured, Report

app = typer.Typer(help="Measure the server beside the bare floor below it.")

_MS = 1000


@app.command()
def bench(
    tables: Annotated[int, typer.Option(min=1, max=999, help="Tables that play at once.")] = 64,
    seconds: Annotated[
        float, typer.Option(min=0.1, help="Of each measurement; a run has three or four.")
    ] = 2.0,
    runs: Annotated[int, typer.Option(min=1, help="Runs; the medians over them are shown.")] = 5,
    folder: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Where the ledger lies: on the disk to measure.")
    ] = None,
    postgres: Annotated[
        bool, typer.Option("--postgres", help="The ledger in a PostgreSQL that the bench starts itself.")
    ] = False,
    ledger: Annotated[
        str | None,
        typer.Option(metavar="URL", help="The ledger in that PostgreSQL database, which must be empty."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Every run, as JSON.")] = False,
) -> None:
    """Measure the server, a bare TCP echo and a bare fsync, in turns, and their ratios.

    Tables play rounds of two frames and five seats without a pause, from a process of their own. The echo is
    sent the same frames; the fsync flushes as many bytes as a commit wrote. The ledger is in SQLite; in
    PostgreSQL a bare commit is measured too: an INSERT of as many bytes as a commit wrote to its journal.

    Example: jackpot bench --folder /var/lib/jackpot
    """
    import structlog

    from jackpot.lab.bench import Plan
    from jackpot.lab.bench import bench as measure
    from jackpot.lab.engines import EngineError
    from jackpot.lab.load import LoadError
    from jackpot.ledger.store import LedgerError
    from jackpot.server.desk import BankStopped

    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    if ledger is not None and (postgres or ledger.startswith("sqlite:")):
        fail(
            "--ledger names a PostgreSQL database: --postgres starts one, --folder is for a ledger in SQLite"
        )
    try:
        with (
            tempfile.TemporaryDirectory(prefix="jackpot-bench-", dir=folder) as made,
            _database(Path(made), postgres, ledger) as url,
        ):
            found = asyncio.run(measure(Path(made), Plan(tables, seconds, runs), _progress, url))
    except (EngineError, LoadError, LedgerError, BankStopped, OSError) as error:
        fail(f"not measured: {error}")
    if as_json:
        import msgspec

        typer.echo(msgspec.json.format(msgspec.json.encode(found)).decode())
    else:
        show(found)


@contextmanager
def _database(folder: Path, postgres: bool, url: str | None) -> Iterator[str | None]:
    """The URL of a ledger in PostgreSQL; one that is started here is gone afterwards."""
    if not postgres:
        yield url
        return
    from jackpot.lab.engines import Postgres

    cluster = Postgres(folder / "postgres")
    _progress(f"starting PostgreSQL {cluster.programs.version} in {cluster.folder}")
    with cluster:
        yield cluster.create("bench")


def _progress(text: str) -> None:
    typer.echo(text, err=True)


def show(found: "Report") -> None:
    """A report for people: the table of medians, and the ratios in words."""
    from rich.console import Console
    from rich.table import Table

    middle, setup, machine = found.median, found.setup, found.machine
    runs, tables = counted(setup["runs"], "run"), counted(setup["tables"], "table")
    title = f"medians of {runs} of {setup['seconds']:g} s, {tables}"
    table = Table(title=title, title_justify="left")
    table.add_column("")
    for column in ("rounds/s", "least", "most", "p50 ms", "p90 ms", "p99 ms", "max ms"):
        table.add_column(column, justify="right")
    for name in ("server", "echo", "fsync", "postgres"):
        part: Measured | None = getattr(middle, name)
        if part is None:
            continue
        every = [getattr(run, name).rounds for run in found.runs]
        table.add_row(name, *(f"{value:,.0f}" for value in (part.rounds, min(every), max(every))), *_ms(part))
    console = Console()
    console.print(table)
    ratios = middle.ratios
    typer.echo(
        f"the server plays {ratios['rounds_to_echo']:.0%} of the echo's rounds and "
        f"{ratios['rounds_to_fsync']:.0%} of what the disk alone would allow for the same batches\n"
        f"an answer takes {ratios['answer_to_echo']:.1f} times an echo's, a commit "
        f"{ratios['commit_to_fsync']:.1f} times a bare flush of its bytes\n"
        f"{_beside_postgres(ratios)}"
        f"a commit: {middle.rows:.1f} rows, {middle.bytes / 1024:,.0f} KiB, {middle.commit * _MS:.2f} ms\n"
        f"{machine['processors']} processors, Python {machine['python']}, {_database_of(machine)}, "
        f"{machine['filesystem']}"
    )
    if machine["filesystem"] == "tmpfs":
        typer.echo("on tmpfs a flush costs nothing: give --folder on a real disk", err=True)


def _beside_postgres(ratios: dict[str, float]) -> str:
    if "rounds_to_postgres" not in ratios:
        return ""
    return (
        f"beside bare commits of PostgreSQL: {ratios['rounds_to_postgres']:.0%} of what they would allow, "
        f"a commit takes {ratios['commit_to_postgres']:.1f} times theirs\n"
    )


def _database_of(machine: dict[str, Any]) -> str:
    postgresql = machine.get("postgresql")
    return f"PostgreSQL {postgresql}" if postgresql else f"SQLite {machine['sqlite']}"


def _ms(part: "Measured") -> list[str]:
    return [f"{value * _MS:,.2f}" for value in part.latencies.values()]
