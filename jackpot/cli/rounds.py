"""`jackpot rounds`: shows a table's round; strikes wagers, voids and reopens rounds."""

from typing import Annotated, Any

import typer

from jackpot.cli.api_client import LOOK, ONE, TWO, ApiClient, with_api_options
from jackpot.cli.options import Reason
from jackpot.cli.options import table as print_table
from jackpot.text import counted

app = typer.Typer(
    help="A table's round: show, strike, void, reopen, decline.",
    epilog="Example: jackpot rounds show T01 --config /etc/jackpot/config.toml",
    no_args_is_help=True,
)

Table = Annotated[str, typer.Argument(metavar="TABLE", help="The table's id.")]
Round = Annotated[str, typer.Argument(metavar="ROUND", help="The round's id, as `rounds show` gives it.")]


@app.command("show")
@with_api_options(*LOOK)
def show_(
    client: ApiClient,
    table: Table,
) -> None:
    """Show the table's unfinished round, or its last closed one while it can be reopened.

    Example: jackpot rounds show T01 --config /etc/jackpot/config.toml
    """
    from jackpot.api.queries.tables import AskTable

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
    print_table(counted(len(rows), "wager"), ["seat", "link", "on", "player"], rows)
    if found.get("settled"):
        typer.echo("settled seats: " + ", ".join(map(str, found["settled"])))


@app.command()
@with_api_options(*TWO)
def strike(
    client: ApiClient,
    table: Table,
    round_: Round,
    seat: Annotated[int, typer.Argument(metavar="SEAT", min=1, help="The seat that made the wager.")],
    link: Annotated[str, typer.Argument(metavar="LINK", help="The link that it was made on.")],
    reason: Reason,
    dealer: Annotated[
        bool, typer.Option("--dealer", help="The seat's wager on the dealer's hand, not on its own.")
    ] = False,
) -> None:
    """Strike one wager, which gives it back, from a round whose chip count differs from its wagers.

    With --dealer it is a wager on a dealer's hand that cannot be shown, and takes two people.

    Example: jackpot rounds strike T01 R77 4 floor-five --reason "no chip in the slot" -c config.toml
    """
    from jackpot.rules.acts.rounds import Strike

    answer = client.ask(Strike(table, round_, seat, link, reason, "dealer" if dealer else "own"))
    client.show(answer, f"{table} {round_}: wager of seat {seat} on {link} struck{_refunds(client, answer)}")


@app.command()
@with_api_options(*TWO)
def void(
    client: ApiClient,
    table: Table,
    round_: Round,
    reason: Reason,
    undo_final: Annotated[
        bool, typer.Option("--undo-final", help="Undo awards of offers that were final at once, too.")
    ] = False,
) -> None:
    """Void an unfinished round: every wager goes back. A reopened round takes two people.

    Example: jackpot rounds void T01 R77 --reason "exposed card" --config /etc/jackpot/config.toml
    """
    from jackpot.rules.acts.rounds import VoidRound

    answer = client.ask(VoidRound(table, round_, reason, undo_final))
    client.show(answer, f"{table} {round_}: void{_refunds(client, answer)}")


@app.command()
@with_api_options(*TWO)
def reopen(
    client: ApiClient,
    table: Table,
    round_: Round,
    reason: Reason,
) -> None:
    """Reopen the table's last closed round for a missed hand, until the table's next lock.

    It takes two people. When one of them asks, the table opens no new round until another person answers,
    with the same command or with `decline`, or until 15 minutes have passed.

    Example: jackpot rounds reopen T01 R77 --reason "seat 3 was missed" --by Ann --and-by Bo -c config.toml
    """
    from jackpot.rules.acts.rounds import Reopen

    name = f"{table} {round_}"
    waits = f"{name}: asked for; the table waits up to 15 minutes until another person answers"
    client.show(
        client.ask(Reopen(table, round_, reason), waits=waits), f"{name}: open again, until the next lock"
    )


@app.command("decline")
@with_api_options(*ONE)
def decline(
    client: ApiClient,
    table: Table,
    round_: Round,
    reason: Reason,
) -> None:
    """Say no to somebody who asks to reopen a round: the table goes on at once.

    Example: jackpot rounds decline T01 R77 --reason "no hand was missed" -c config.toml
    """
    from jackpot.rules.acts.rounds import Decline

    client.show(client.ask(Decline(table, round_, reason)), f"{table} {round_}: stays closed")


def _refunds(client: ApiClient, answer: dict[str, Any]) -> str:
    given = [
        f"seat {one['seat']} {client.money(one['amount'])} ({one['pays']})"
        for one in answer.get("refunds", [])
    ]
    return "; refunds: " + ", ".join(given) if given else ""
