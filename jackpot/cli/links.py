"""`jackpot links`: shows meters; suspends, resumes, corrects and closes links."""

from collections.abc import Callable
from typing import Annotated, Any, Final

import typer

from jackpot.api.queries.links import AskLinks, ChangeParameters
from jackpot.api.queries.notices import Announce, AnnounceEnd, AnnouncePayoutLimit
from jackpot.cli.act_command import ActCall, act_command
from jackpot.cli.api_client import LOOK, ApiClient, with_api_options
from jackpot.cli.options import fail
from jackpot.cli.options import table as print_table
from jackpot.cli.preview import differences
from jackpot.rules.acts.links import OPERATOR, Resume, Suspend
from jackpot.rules.acts.meters import CloseLink, CorrectMeter, DecideLeft, Transfer
from jackpot.rules.acts.notices import WithdrawNotice
from jackpot.rules.acts.triggers import ReplaceTriggers
from jackpot.text import counted

app = typer.Typer(
    help="Links and their meters: list, show, suspend, resume, correct, transfer, close, change, announce.",
    epilog="Example: jackpot links list --config /etc/jackpot/config.toml",
    no_args_is_help=True,
)

Link = Annotated[str, typer.Argument(metavar="LINK", help="The link's id.")]
After = Annotated[
    str,
    typer.Option(
        "--after",
        metavar="REASON",
        help="Which reason is over: `operator`, or `internal` or `rolled_back` once it is understood.",
    ),
]
Part = Annotated[
    str,
    typer.Argument(metavar="LEVEL[.ACCOUNT]", help="Such as `meter`, `major.reserve` or `major.overflow`."),
]
Sum = Annotated[str, typer.Argument(metavar="AMOUNT", help='By how much: "12.50" up, "=-12.50" down.')]


@app.command("list")
@with_api_options(*LOOK)
def list_(
    client: ApiClient,
) -> None:
    """List every link with its state and its meters.

    Example: jackpot links list --config /etc/jackpot/config.toml
    """
    links = _links(client)
    if client.told(links):
        return
    rows = [
        [
            link["bank"],
            link["link"],
            level["level"],
            client.money(level["value"]),
            client.money(level["reserve"]),
            str(level["cycle"]),
            str(level["hits"]),
            "closed"
            if link["state"] == "closed"
            else f"suspended: {', '.join(link['reasons'])}"
            if link["reasons"]
            else "active",
        ]
        for link in links
        for level in link["levels"]
    ]
    names = ["bank", "link", "level", "meter", "reserve", "cycle", "hits", "state"]
    if len({link["bank"] for link in links}) == 1:
        names, rows = names[1:], [row[1:] for row in rows]
    print_table(counted(len(links), "link"), names, rows)


@app.command("show")
@with_api_options(*LOOK)
def show_levels(
    client: ApiClient,
    link: Link,
) -> None:
    """Show all that the books hold of a link's levels: sums, rates, limit and counts.

    Example: jackpot links show floor-five --config /etc/jackpot/config.toml
    """
    links = [one for one in _links(client) if one["link"] == link]
    if not links:
        fail(f"there is no link {link}: `jackpot links list` names them all")
    if client.told(links[0]):
        return
    levels = links[0]["levels"]
    rows = [[name, *(shown(client, level[key]) for level in levels)] for name, key, shown in _FACTS]
    print_table(f"link {link} of bank {links[0]['bank']}", ["", *(level["level"] for level in levels)], rows)
    differences(links[0]["differences"])
    left = [
        [one["left"], one["award"], one["level"], client.money(one["amount"])] for one in links[0]["left"]
    ]
    notices = [_notice(client, one) for one in links[0]["notices"]]
    if notices:
        print_table("announced", ["", "day", "table", "level", "becomes"], notices)
    if left:
        print_table("two people decide (links decide)", ["", "award", "level", "left"], left)


def _notice(client: ApiClient, one: dict[str, Any]) -> list[str]:
    """A notice that stands, with what becomes of the link or of a figure."""
    becomes = "closes"
    if one["ends"]:
        becomes = f"its last day; its money goes to {one['to']}" if one["to"] else "its last day"
    elif one["amount"] is not None:
        becomes = f"{client.money(one['amount'])} at most"
    elif one["seed"] is not None:
        becomes = f"begins with {client.money(one['seed'])}"
    elif one["rate"] is not None:
        becomes = f"gains {one['rate']} of a wager"
    return [one["notice"], one["day"], one["table"] or "all", one["level"] or "", becomes]


def _links(client: ApiClient) -> list[dict[str, Any]]:
    """The links of every bank of the server, in full."""
    found = client.ask(AskLinks())
    for bank in found["elsewhere"]:
        typer.echo(f"without bank {bank['bank']}: {bank['why']}", err=True)
    links: list[dict[str, Any]] = found["links"]
    return links


def _sum(client: ApiClient, amount: str | None) -> str:
    return "none" if amount is None else client.money(amount)


def _rate(_client: ApiClient, rate: str) -> str:
    return rate.replace("%", " %")


def _count(_client: ApiClient, number: int) -> str:
    return str(number)


_FACTS: Final[tuple[tuple[str, str, Callable[[ApiClient, Any], str]], ...]] = (
    ("meter", "value", _sum),
    ("reserve", "reserve", _sum),
    ("overflow", "overflow", _sum),
    ("seed", "seed", _sum),
    ("reseed", "reseed", _sum),
    ("primary rate", "primary_rate", _rate),
    ("reserve rate", "reserve_rate", _rate),
    ("limit", "limit", _sum),
    ("must hit by", "must_hit_by", _sum),
    ("cycle", "cycle", _count),
    ("hits", "hits", _count),
    ("wins", "wins", _sum),
    ("corrections", "corrections", _sum),
    ("transfers", "transfers", _sum),
    ("wagers", "wagers", _count),
    ("hits undone", "undone_hits", _count),
    ("wagers undone", "undone_wagers", _count),
)
"""What S1 wants of each level, in the order of a person's interest."""


@act_command(app, Suspend, without=("cause",))
def suspend(call: ActCall) -> None:
    """Stop new wagers on links; money already bet is settled as always.

    Example: jackpot links suspend floor-five --reason "new felt on every table" -c config.toml
    """
    call.done(f"{', '.join(call.fields['links'])}: suspended", cause=OPERATOR)


@act_command(app, Resume, without=("cause", "believe"))
def resume(call: ActCall, after: After = "operator") -> None:
    """Let wagers in on links again, unless they are suspended for another reason, too.

    After `internal` and `rolled_back` it takes two people; after `rolled_back` also the highest value that
    was shown of each mystery level.

    Example: jackpot links resume floor-five --reason "the felt is new" -c config.toml
    """

    def said(answer: dict[str, Any]) -> str:
        left = answer.get("suspended", {})
        return "\n".join(
            f"{link}: {after} is over; "
            + (f"still suspended: {left[link]}" if link in left else "it takes wagers again")
            for link in call.fields["links"]
        )

    call.done(said, cause=after)


@act_command(app, CorrectMeter, without=("level", "amount", "account"))
def correct(call: ActCall, level: Part, amount: Sum) -> None:
    """Correct a meter by a sum. It takes two people; nothing ends below zero or above its limit.

    Example: jackpot links correct floor-five meter =-12.50 --reason "a test wager" -c config.toml
    """
    level, _, account = level.partition(".")
    fields = {"level": level, "amount": amount.removeprefix("="), "account": account or "primary"}
    call.done("{link}: corrected", **fields)


@act_command(app, Transfer)
def transfer(call: ActCall) -> None:
    """Transfer a suspended link's money to another link of its bank. It takes two people.

    The house's own money of the current cycle goes back to the house.

    Example: jackpot links transfer floor-five floor-six --reason "a new game" -c config.toml
    """
    call.done("{link}: its money is transferred; it takes wagers again once two people resume it")


@act_command(app, CloseLink)
def close(call: ActCall) -> None:
    """Close a suspended link for ever. It takes two people; what its players put in goes to another link.

    Example: jackpot links close floor-five --to floor-six --reason "a new game" -c config.toml
    """
    call.done("{link}: closed")


@act_command(app, ReplaceTriggers, without=("links",))
def replace_triggers(
    call: ActCall,
    links: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[LINK...]", help="The link's id; there may be several. None: all of the bank."
        ),
    ] = None,
) -> None:
    """Open and replace every running trigger of mystery links, after a leak. It takes two people.

    The fresh ones lie above all that was decided, so the meters go on as they are.

    Example: jackpot links replace-triggers must-hit --reason "the key was copied" -c config.toml
    """
    call.done(f"{', '.join(links or ['all of the bank'])}: running triggers replaced", links=links or [])


@act_command(app, ChangeParameters)
def change(call: ActCall) -> None:
    """Let a suspended link play on the terms of the server's configuration. It takes two people.

    Example: jackpot links change floor-five --reason "approved" -c config.toml
    """
    call.done("{link}: it plays on the terms of the configuration")


@act_command(app, Announce)
def announce(call: ActCall) -> None:
    """Announce that a link, or an offer, closes on a day, or that a figure is another one from then on.

    Signs and posted odds say it until then. With --amount a limit is lowered, in place of closing. With
    --seed or --rate a mystery level begins with another sum, or gains another part of a wager.

    Example: jackpot links announce floor-five 2026-12-24 --reason "a new game" -c config.toml
    """
    call.done("{link}: announced for {day}")


@act_command(app, AnnounceEnd)
def announce_end(call: ActCall) -> None:
    """Announce with which gaming day a link ends, and where its money goes then. It takes two people.

    Signs and posted odds say it until then. When the day is over the server stops wagers, closes the link
    and transfers its money.

    Example: jackpot links announce-end summer 2026-12-31 --to floor-five --reason "a season" -c config.toml
    """
    call.done("{link}: its last day is {day}")


@act_command(app, AnnouncePayoutLimit)
def announce_payout_limit(call: ActCall) -> None:
    """Announce that base wagers of a table pay less at most from a day on.

    Example: jackpot links announce-payout-limit T01 2026-12-24 --amount 50000 --reason "more" -c config.toml
    """
    call.done("{table}: announced for {day}")


@act_command(app, WithdrawNotice)
def withdraw_notice(call: ActCall) -> None:
    """Withdraw a notice: what it announced is not done. For the end of a link it takes two people.

    Example: jackpot links withdraw-notice N3 --reason "it stays" -c config.toml
    """
    call.done("{notice}: withdrawn")


@act_command(app, DecideLeft)
def decide(call: ActCall) -> None:
    """Decide on money that an undo left on a meter, because a later award was paid already.

    It takes two people.

    Example: jackpot links decide D3 --stay --reason "as agreed with the auditor" -c config.toml
    """
    call.done("{left}: " + ("taken off the meter" if call.fields["remove"] else "it stays on the meter"))
