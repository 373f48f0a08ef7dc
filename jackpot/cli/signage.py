"""`jackpot signage`: shows meters from Redis alone until told to stop; runs as any number of processes."""

import asyncio
import errno
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from jackpot.cli.options import fail

if TYPE_CHECKING:
    from jackpot.config import Config, Signage

app = typer.Typer(help="Show meters from Redis alone.")


@app.command()
def signage(
    config: Annotated[
        Path,
        typer.Option(
            "--config", "-c", metavar="FILE", help="The server's configuration.", envvar="JACKPOT_CONFIG"
        ),
    ],
    name: Annotated[
        str | None,
        typer.Option(
            "--id", metavar="ID", help="Which [[signage]] of the configuration; not needed where it has one."
        ),
    ] = None,
) -> None:
    """Serve signs, sign pages and streams from Redis alone, without ledger or table keys, until Ctrl-C.

    Example: jackpot signage --config /etc/jackpot/config.toml --id hall
    """
    from jackpot.config import ConfigErrors, load
    from jackpot.logs import write_logs
    from jackpot.signage import show

    try:
        found = load(config, roles=("sign",))
    except ConfigErrors as errors:
        fail(str(errors))
    settings = _chosen(found, name)
    log = write_logs()
    try:
        asyncio.run(show(found, settings))
    except OSError as error:
        running = "; is it running already?" if error.errno == errno.EADDRINUSE else ""
        log.close(f"not started: {error.strerror or error}{running}")
        raise typer.Exit(1) from error


def _chosen(config: "Config", name: str | None) -> "Signage":
    """The [[signage]] of that id, or the only one; ends the command with a clear line otherwise."""
    ids = [each.id for each in config.signage]
    if not ids:
        fail(f"{config.path} has no [[signage]]")
    if name is None and len(ids) > 1:
        fail(f"which one? --id {' or --id '.join(ids)}")
    found = next((each for each in config.signage if name in (None, each.id)), None)
    if found is None:
        fail(f"there is no [[signage]] {name}; there is {', '.join(ids)}")
    return found
