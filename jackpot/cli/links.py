"""`jackpot links`: what do the meters say, and how are wagers on a link stopped and let in again?"""

from collections.abc import Callable
from typing import Annotated, Any, Final

import typer

from jackpot.cli.speak import Reason, fail
from jackpot.cli.speak import table as print_table
from jackpot.cli.talk import LOOK, ONE, TWO, Talk, talking
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


@app.command("list")
@talking(*LOOK)
def list_(
    talk: Talk,
) -> None:
    """List every link with its state and its meters.

    Example: jackpot links list --config /etc/jackpot/config.toml
    """
    links = _links(talk)
    if talk.as_json:
        talk.show(links, "")
        return
    rows = [
        [
            link["bank"],
            link["link"],
            level["level"],
            talk.money(level["value"]),
            talk.money(level["reserve"]),
            str(level["cycle"]),
            str(level["hits"]),
            f"suspended: {', '.join(link['reasons'])}" if link["reasons"] else "active",
        ]
        for link in links
        for level in link["levels"]
    ]
    names = ["bank", "link", "level", "meter", "reserve", "cycle", "hits", "state"]
    if len({link["bank"] for link in links}) == 1:
        names, rows = names[1:], [row[1:] for row in rows]
    print_table(counted(len(links), "link"), names, rows)


@app.command("show")
@talking(*LOOK)
def show_levels(
    talk: Talk,
    link: Link,
) -> None:
    """Show all that the books hold of a link's levels: sums, rates, limit and counts.

    Example: jackpot links show floor-five --config /etc/jackpot/config.toml
    """
    links = [one for one in _links(talk) if one["link"] == link]
    if not links:
        fail(f"there is no link {link}: `jackpot links list` names them all")
    if talk.as_json:
        talk.show(links[0], "")
        return
    levels = links[0]["levels"]
    rows = [[name, *(shown(talk, level[key]) for level in levels)] for name, key, shown in _FACTS]
    print_table(f"link {link} of bank {links[0]['bank']}", ["", *(level["level"] for level in levels)], rows)


def _links(talk: Talk) -> list[dict[str, Any]]:
    """The links of every bank of the server, with all that the books hold of them."""
    from jackpot.server.asks import Links

    found = talk.ask(Links())
    for bank in found["elsewhere"]:
        typer.echo(f"without bank {bank['bank']}: {bank['why']}", err=True)
    links: list[dict[str, Any]] = found["links"]
    return links


def _sum(talk: Talk, amount: str | None) -> str:
    return "none" if amount is None else talk.money(amount)


def _rate(_talk: Talk, rate: str) -> str:
    return rate.replace("%", " %")


def _count(_talk: Talk, number: int) -> str:
    return str(number)


_FACTS: Final[tuple[tuple[str, str, Callable[[Talk, Any], str]], ...]] = (
    ("meter", "value", _sum),
    ("reserve", "reserve", _sum),
    ("overflow", "overflow", _sum),
    ("seed", "seed", _sum),
    ("reseed", "reseed", _sum),
    ("primary rate", "primary_rate", _rate),
    ("reserve rate", "reserve_rate", _rate),
    ("limit", "limit", _sum),
    ("cycle", "cycle", _count),
    ("hits", "hits", _count),
    ("wins", "wins", _sum),
    ("wagers", "wagers", _count),
    ("hits undone", "undone_hits", _count),
    ("wagers undone", "undone_wagers", _count),
)
"""What S1 wants of each level, in the order of a person's interest."""


@app.command()
@talking(*ONE)
def suspend(
    talk: Talk,
    link: Link,
    reason: Reason,
) -> None:
    """Stop new wagers on a link; money already bet is settled as always.

    Example: jackpot links suspend floor-five --reason "new felt on every table" -c config.toml
    """
    from jackpot.rules.acts.links import OPERATOR, Suspend

    talk.show(talk.ask(Suspend(OPERATOR, (link,), reason)), f"{link}: suspended")


@app.command()
@talking(*TWO)
def resume(
    talk: Talk,
    link: Link,
    reason: Reason,
    after: After = "operator",
) -> None:
    """Let wagers in again, unless something else still holds the link; after `internal` by two people.

    Example: jackpot links resume floor-five --reason "the felt is new" -c config.toml
    """
    from jackpot.rules.acts.links import Resume

    answer = talk.ask(Resume(after, (link,), reason))
    left = answer.get("suspended", {}).get(link)
    talk.show(
        answer,
        f"{link}: {after} is over; " + (f"still suspended: {left}" if left else "it takes wagers again"),
    )
