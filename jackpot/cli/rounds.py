"""`jackpot rounds`: shows a table's round; strikes wagers, voids and reopens rounds."""

from typing import Annotated, Any

import typer

from jackpot.api.queries.tables import AskTable
from jackpot.cli.act_command import ActCall, act_command
from jackpot.cli.api_client import LOOK, ApiClient, with_api_options
from jackpot.cli.options import table as print_table
from jackpot.rules.acts.rounds import DecideAbandoned, Decline, Reopen, Strike, VoidRound
from jackpot.rules.void_causes import CAUSES
from jackpot.text import counted

app = typer.Typer(
    help="A table's round: show, strike, void, abandoned seats, reopen, decline.",
    epilog="Example: jackpot rounds show T01 --config /etc/jackpot/config.toml",
    no_args_is_help=True,
)

Table = Annotated[str, typer.Argument(metavar="TABLE", help="The table's id.")]


@app.command("show")
@with_api_options(*LOOK)
def show_(
    client: ApiClient,
    table: Table,
) -> None:
    """Show the table's unfinished round, or its last closed one while it can be reopened.

    Example: jackpot rounds show T01 --config /etc/jackpot/config.toml
    """
    found = client.ask(AskTable(table))["round"]
    if client.as_json or found is None:
        client.show(found, f"{table}: no round")
        return
    typer.echo(f"{table}: round {found['round']}, {found['state']}")
    if found["state"] == "closed":
        typer.echo("its hits: " + (", ".join(found["hits"]) or "none"))
        if found["asked"]:
            typer.echo(f"{found['asked']} asked to reopen it: `rounds reopen` or `decline` by another person")
        return
    bets = found["bets"]
    rows = [[str(bet["seat"]), bet["link"], bet["on"], bet["player"] or "-"] for bet in bets]
    columns = ["seat", "link", "on", "player"]
    if any(bet["amount"] for bet in bets):  # of a wager on an offer
        columns.append("amount")
        for row, bet in zip(rows, bets, strict=True):
            row.append(client.money(bet["amount"]) if bet["amount"] else "-")
    print_table(counted(len(rows), "wager"), columns, rows)
    for what in ("board", "dealer", "bonus"):
        if found[what]:
            typer.echo(f"{what}: {' '.join(found[what])}")
    if found["players"]:
        typer.echo(f"players: {found['players']}")
    if found["unseen"]:
        typer.echo(f"cards are still to be shown for {', '.join(found['unseen'])}")
    for one in found["abandoned"]:
        said = "abandoned" if one["confirmed"] else "abandoned? `rounds decide-abandoned` says whether it is"
        typer.echo(f"seat {one['seat']}: {said}")
    if found.get("settled"):
        typer.echo("settled seats: " + ", ".join(map(str, found["settled"])))


@act_command(app, Strike, without=("on",), helps={"link": "The link that it was made on."})
def strike(
    call: ActCall,
    dealer: Annotated[
        bool, typer.Option("--dealer", help="The seat's wager on the dealer's hand, not on its own.")
    ] = False,
) -> None:
    """Strike one wager, which gives it back, from a round whose chip count differs from its wagers.

    A wager on an offer may be struck where the cards that decide it cannot be shown, and with --dealer one on
    a dealer's hand that cannot be shown: that takes two people.

    Example: jackpot rounds strike T01 R77 4 floor-five --reason "no chip in the slot" -c config.toml
    """
    struck = "{table} {round}: wager of seat {seat} on {link} struck".format_map(call.fields)
    call.done(lambda answer: struck + _refunds(call.client, answer), on="dealer" if dealer else "own")


@act_command(app, VoidRound, helps={"cause": f"The irregularity: {', '.join(CAUSES)}."})
def void(call: ActCall) -> None:
    """Void an unfinished round: every wager goes back. A reopened round takes two people.

    Example: jackpot rounds void T01 R77 --cause exposed-card --reason "an ace fell over" -c config.toml
    """
    round_ = "{table} {round}".format_map(call.fields)
    call.done(lambda answer: f"{round_}: void{_refunds(call.client, answer)}")


@act_command(app, DecideAbandoned, helps={"seat": "The seat that the player left."})
def decide_abandoned(call: ActCall) -> None:
    """Say whether a player has left a seat, as its table asks: the wagers there then lose.

    The round closes only after that. With --stays the hand is settled as ever.

    Example: jackpot rounds decide-abandoned T01 R77 5 --left --reason "went home" -c config.toml
    """
    where = "{table} {round}: seat {seat} ".format_map(call.fields)
    call.done(where + ("is abandoned" if call.fields["abandoned"] else "stays"))


@act_command(app, Reopen, two=True)
def reopen(call: ActCall) -> None:
    """Reopen the table's last closed round for a missed hand, until the table's next lock.

    It takes two people. When one of them asks, the table opens no new round until another person answers,
    with the same command or with `decline`, or until 15 minutes have passed.

    Example: jackpot rounds reopen T01 R77 --reason "seat 3 was missed" --by Ann --and-by Bo -c config.toml
    """
    waits = "{table} {round}: asked for; the table waits up to 15 minutes until another person answers"
    call.done("{table} {round}: open again, until the next lock", waits.format_map(call.fields))


@act_command(app, Decline)
def decline(call: ActCall) -> None:
    """Say no to somebody who asks to reopen a round: the table goes on at once.

    Example: jackpot rounds decline T01 R77 --reason "no hand was missed" -c config.toml
    """
    call.done("{table} {round}: stays closed")


def _refunds(client: ApiClient, answer: dict[str, Any]) -> str:
    given = [
        f"seat {one['seat']} {client.money(one['amount'])} ({one['pays']})"
        for one in answer.get("refunds", [])
    ]
    return "; refunds: " + ", ".join(given) if given else ""
