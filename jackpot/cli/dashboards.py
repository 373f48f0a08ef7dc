"""`jackpot dashboards`: writes the Grafana dashboards in the site's currency."""

from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import Annotated, Final

import typer

from jackpot.cli.options import ConfigFile, configured, fail

app = typer.Typer(help="Write the dashboards for Grafana.")

# Currencies that Grafana writes by their sign; it puts the code before a sum of any other.
SIGNS: Final = frozenset(
    {
        "USD", "GBP", "EUR", "JPY", "BRL", "DKK", "ISK", "NOK", "SEK", "CZK", "CHF", "PLN", "ZAR", "INR",
    }
)  # fmt: skip
# What the shipped dashboards have where yours have your own: a JSON string each.
UNIT: Final = '"currencyUSD"'
RUNBOOK: Final = '"RUNBOOK.md"'


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
    if not folder.is_dir():
        fail(f"there is no folder {folder}: make it first")
    currency = configured(config, "name the site's configuration with --config").site.currency
    try:
        for name, text in shipped(currency, runbook):
            (folder / name).write_text(text, "utf-8")
    except OSError as error:
        fail(f"{folder}: {error.strerror}")
    typer.echo(f"the dashboards are in {folder}, in {currency}")


def shipped(currency: str, runbook: str) -> Iterator[tuple[str, str]]:
    """Each dashboard's file name and JSON. currency: of ISO 4217. runbook: its address for people."""
    import msgspec

    unit = f"currency{currency}" if currency in SIGNS else f"currency:{currency}"
    for file in resources.files("jackpot").joinpath("web/dashboards").iterdir():
        if file.name.endswith(".json"):
            text = file.read_text("utf-8")
            for ours, theirs in ((UNIT, unit), (RUNBOOK, runbook)):
                text = text.replace(ours, msgspec.json.encode(theirs).decode())
            yield file.name, text
