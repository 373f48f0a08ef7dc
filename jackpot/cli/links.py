"""`jackpot links`: what do the meters say, and how are wagers on a link stopped and let in again?"""

import json
from collections.abc import Callable
from typing import Annotated, Any, Final

import typer

from jackpot.cli.speak import AndBy, By, ConfigFile, Json, Reason, Socket, ask, fail, money, show
from jackpot.cli.speak import table as print_table
from jackpot.words import counted

app = typer.Typer(
    help="Links and their meters: list, show, suspend, resume.",
    epilog="Example: jackpot links list --config /etc/jackpot/config.toml",
    no_args_is_help=True,
)

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


@app.command("show")
def show_levels(link: Link, config: ConfigFile = None, socket: Socket = None, as_json: Json = False) -> None:
    """Show all that the books hold of a link's levels: sums, rates, limit and counts.

    Example: jackpot links show floor-five --config /etc/jackpot/config.toml
    """
    banks = ask(config, socket, do="status")["banks"]
    links = [one for bank in banks for one in bank["statistics"]["links"] if one["link"] == link]
    if not links:
        fail(f"there is no link {link}: `jackpot links list` names them all")
    if as_json:
        typer.echo(json.dumps(links[0], indent=2))
        return
    levels = links[0]["levels"]
    rows = [[name, *(shown(level[key]) for level in levels)] for name, key, shown in _FACTS]
    print_table(f"link {link}", ["", *(level["level"] for level in levels)], rows)


def _sum(micros: int | None) -> str:
    return "none" if micros is None else money(micros // _MICROS_PER_CENT)


def _rate(points: int) -> str:
    return f"{points // 100}.{points % 100:02} %"


_FACTS: Final[tuple[tuple[str, str, Callable[[Any], str]], ...]] = (
    ("meter", "primary", _sum),
    ("reserve", "reserve", _sum),
    ("overflow", "overflow", _sum),
    ("seed", "seed", _sum),
    ("reseed", "reseed", _sum),
    ("primary rate", "primary_rate", _rate),
    ("reserve rate", "reserve_rate", _rate),
    ("limit", "limit", _sum),
    ("cycle", "cycle", str),
    ("hits", "hits", str),
    ("wins", "wins", _sum),
    ("wagers", "wagers", str),
    ("hits undone", "undone_hits", str),
    ("wagers undone", "undone_wagers", str),
)
"""What S1 wants of each level, in the order of a person's interest."""


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
    answer = ask(config, socket, do="suspend", cause="operator", links=[link], reason=reason, by=by)
    show(answer, as_json, f"{link}: suspended")


@app.command()
def resume(
    link: Link,
    reason: Reason,
    after: After = "operator",
    config: ConfigFile = None,
    socket: Socket = None,
    by: By = None,
    and_by: AndBy = None,
    as_json: Json = False,
) -> None:
    """Let wagers in again, unless something else still holds the link; after `internal` by two people.

    Example: jackpot links resume floor-five --reason "the felt is new" -c config.toml
    """
    answer = ask(config, socket, do="resume", links=[link], cause=after, reason=reason, by=by, and_by=and_by)
    show(
        answer,
        as_json,
        f"{link}: {after} is over; `jackpot links list` shows what else holds it, if anything does",
    )
