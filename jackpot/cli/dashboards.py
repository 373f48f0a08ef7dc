"""`jackpot dashboards`: writes the Grafana dashboards in the site's currency."""

from pathlib import Path
from typing import Annotated

import typer

from jackpot.cli.options import ConfigFile, configured, fail

app = typer.Typer(help="Write the dashboards for Grafana.")


@app.command()
def dashboards(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder where Grafana looks for them.")],
    config: ConfigFile = None,
    runbook: Annotated[
        str, typer.Option(metavar="URL", help="The address where your people read deploy/RUNBOOK.md.")
    ] = "RUNBOOK.md",
) -> None:
    """Write the dashboards Floor, Link, Server and Business as JSON, with sums in the site's currency.

    The ones in deploy/grafana/dashboards are in US dollars. Write yours again with each new version.

    Example: jackpot dashboards /etc/grafana/dashboards --config /etc/jackpot/config.toml
    """
    from jackpot.web.dashboards import dashboards as made

    if not folder.is_dir():
        fail(f"there is no folder {folder}: make it first")
    currency = configured(config, "name the site's configuration with --config").site.currency
    try:
        for name, text in made(currency, runbook):
            (folder / name).write_text(text)
    except OSError as error:
        fail(f"{folder}: {error.strerror}")
    typer.echo(f"the dashboards are in {folder}, in {currency}")
