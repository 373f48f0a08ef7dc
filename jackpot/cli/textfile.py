"""Metrics of a command for Prometheus, as a file for the textfile collector of node_exporter."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Final

import typer

from jackpot.cli.options import fail

# The collector runs as another user, and files of the timers' units are private by default.
READABLE: Final = 0o644

TextFile = Annotated[
    Path | None,
    typer.Option("--textfile", metavar="FILE", help="Tell Prometheus' node_exporter that it holds."),
]


def tell(file: Path, name: str, seqs: Mapping[str, int]) -> None:
    """Writes when each bank was last proved, and up to which entry. The file is replaced atomically.

    name: of the metrics, which are `jackpot_NAME_timestamp_seconds` and `jackpot_NAME_seq`.
    """
    from jackpot.clock import SystemClock

    now = SystemClock().unix_ms() / 1000
    figures = {"timestamp_seconds": dict.fromkeys(seqs, now), "seq": seqs}
    lines = [f"# TYPE jackpot_{name}_{figure} gauge" for figure in figures]
    for figure, banks in figures.items():
        lines += [f'jackpot_{name}_{figure}{{bank="{bank}"}} {value}' for bank, value in banks.items()]
    new = file.with_suffix(".new")
    try:
        new.write_text("\n".join([*lines, ""]))
        new.chmod(READABLE)
        new.replace(file)
    except OSError as error:
        fail(f"{file}: {error.strerror}")
