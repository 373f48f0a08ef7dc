"""`jackpot serve`: run the server until it is told to stop."""

import asyncio
import errno
from pathlib import Path
from typing import Annotated

import typer

from jackpot.cli.speak import at_server, read

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
            help="Which [[server]] of it this is; not needed where there is one.",
        ),
    ] = None,
) -> None:
    """Check the configuration and the ledger, then serve tables and signs until SIGTERM or Ctrl-C.

    Several servers of one configuration share a PostgreSQL ledger: each bank is one's, the others stand by.

    Example: jackpot serve --config /etc/jackpot/config.toml
    """
    from jackpot.app import serve as run
    from jackpot.ledger.store import LedgerError
    from jackpot.logs import write_logs
    from jackpot.server.desk import BankStopped

    found = at_server(read(config), name)
    log = write_logs()
    try:
        asyncio.run(run(found))
    except (LedgerError, BankStopped) as error:
        log.close(f"not started: {error}")
        raise typer.Exit(1) from error
    except OSError as error:
        running = "; is it running already?" if error.errno == errno.EADDRINUSE else ""
        log.close(f"not started: {error.strerror or error}{running}")
        raise typer.Exit(1) from error
