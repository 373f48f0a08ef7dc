"""How does a command tell Prometheus what it found? In a file for the textfile collector of node_exporter."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Final

import typer

from jackpot.cli.options import fail

# The collector is another user, and the timers' units make files that their own user alone can read.
READABLE: Final = 0o644

TextFile = Annotated[
    Path | None,
    typer.Option("--textfile", metavar="FILE", help="Tell Prometheus' node_exporter that it holds."),
]


def tell(file: Path, name: str, seqs: Mapping[str, int]) -> None:
    """That each bank was proved now, and up to which entry. The collector sees the old file or the whole new.

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
