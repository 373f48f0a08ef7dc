"""`jackpot links`: what do the meters say, and how are wagers on a link stopped and let in again?"""

import json
from typing import Annotated

import typer

from jackpot.cli.speak import By, ConfigFile, Json, Reason, Socket, ask, counted, money, show
from jackpot.cli.speak import table as print_table

app = typer.Typer(help="Links and their meters: list, suspend, resume.", no_args_is_help=True)

Link = Annotated[str, typer.Argument(metavar="LINK", help="The link's id.")]
After = Annotated[
    str,
    typer.Option(
        "--after", metavar="REASON", help="What is over: `operator`, or `internal` once it is understood."
    ),
]
_MICROS_PER_CENT = 10_000


@app.command("list")
def list_(config: ConfigFile = None, socket: Socket = None, as_json: Json = False) -> None:
    """List every link with its state and its meters.

    Example: jackpot links list --config /etc/jackpot/config.toml
    """
    banks = ask(config, socket, do="status")["banks"]
    links = [link for bank in banks for link in bank["statistics"]["links"]]
    if as_json:
        typer.echo(json.dumps(links, indent=2))
        return
    rows = [
        [
            link["link"],
            level["level"],
            money(level["primary"] // _MICROS_PER_CENT),
            money(level["reserve"] // _MICROS_PER_CENT),
            str(level["cycle"]),
            str(level["hits"]),
            ", ".join(link["reasons"]) or "active",
        ]
        for link in links
        for level in link["levels"]
    ]
    print_table(
        counted(len(links), "link"), ["link", "level", "meter", "reserve", "cycle", "hits", "state"], rows
    )


@app.command()
def suspend(
    link: Link,
    reason: Reason,
    config: ConfigFile = None,
    socket: Socket = None,
    by: By = None,
    as_json: Json = False,
) -> None:
    """Stop new wagers on a link; money already bet is settled as always.

    Example: jackpot links suspend floor-five --reason "new felt on every table" -c config.toml
    """
    answer = ask(config, socket, do="suspend", link=link, reason=reason, by=by)
    show(answer, as_json, f"{link}: suspended")


@app.command()
def resume(
    link: Link,
    reason: Reason,
    after: After = "operator",
    config: ConfigFile = None,
    socket: Socket = None,
    by: By = None,
    as_json: Json = False,
) -> None:
    """Let wagers in again, unless something else still holds the link.

    Example: jackpot links resume floor-five --after internal --reason "case 1204 closed" -c config.toml
    """
    answer = ask(config, socket, do="resume", link=link, after=after, reason=reason, by=by)
    show(
        answer,
        as_json,
        f"{link}: {after} is over; `jackpot links list` shows what else holds it, if anything does",
    )
