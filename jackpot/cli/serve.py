"""`jackpot serve`: runs the server until it is told to stop."""

import asyncio
import errno
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from jackpot.cli.options import at_server, read

if TYPE_CHECKING:
    from jackpot.app import Server
    from jackpot.config import Config

app = typer.Typer(help="Serve tables and signs.")


@app.command()
def serve(
    config: Annotated[
        Path,
        typer.Option(
            "--config", "-c", metavar="FILE", help="A configuration in TOML.", envvar="JACKPOT_CONFIG"
        ),
    ],
    name: Annotated[
        str | None,
        typer.Option(
            "--id",
            metavar="ID",
            envvar="JACKPOT_SERVER",
            help="Which [[server]] of the configuration; not needed where it has one.",
        ),
    ] = None,
) -> None:
    """Check the configuration and the ledger, then serve tables and signs until SIGTERM or Ctrl-C.

    Several servers of one configuration may share a PostgreSQL ledger. Each bank then has one active server,
    and the others stand by.

    Example: jackpot serve --config /etc/jackpot/config.toml
    """
    from jackpot.app import serve as run
    from jackpot.ledger.store import LedgerError
    from jackpot.logs import write_logs
    from jackpot.runtime.errors import ServerError

    found = at_server(read(config), name)
    log = write_logs()

    def told(server: "Server") -> None:
        """Prints the addresses for people; programs find the ports in the log."""
        for line in places(server.config, server.ports) if sys.stderr.isatty() else ():
            log.write(f"{line}\n")

    try:
        asyncio.run(run(found, told))
    except (LedgerError, ServerError) as error:
        log.close(f"not started: {error}")
        raise typer.Exit(1) from error
    except OSError as error:
        running = "; is it running already?" if error.errno == errno.EADDRINUSE else ""
        log.close(f"not started: {error.strerror or error}{running}")
        raise typer.Exit(1) from error


def places(config: "Config", ports: Mapping[str, int]) -> Iterator[str]:
    """Addresses for people and devices, a line each. ports: by listener, as bound."""
    from jackpot.process import found_at, page_at
    from jackpot.web.sign_pages import WALL_MAX

    for name in ("tables", "signs"):
        if name in ports:
            yield f"    {name:8} {found_at(config.listen, name, ports[name])}"
    if "http" in ports:
        page = page_at(config.listen, "http", ports["http"])
        yield f"    floor    {page}"
        yield f"    people   {page}ops"
        yield f"    metrics  {page}metrics"
    if shown := [name for name in ("public", "http") if name in ports]:
        page = f"{page_at(config.listen, shown[0], ports[shown[0]])}sign"
        links = [link.link for link in config.links]
        for link in links:
            yield f"    sign     {page}/{link}"
        if len(links) > 1:
            yield f"    wall     {page}/wall?links={','.join(links[:WALL_MAX])}"
