"""`jackpot rounds`: what is on a table, and what may a floorperson change there?"""

from typing import Annotated, Any

import typer

from jackpot.cli.api_client import LOOK, ONE, TWO, Talk, talking
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
@talking(*LOOK)
def show_(
    talk: Talk,
    table: Table,
) -> None:
    """Show the table's unfinished round, or its last closed one while it can be reopened.

    Example: jackpot rounds show T01 --config /etc/jackpot/config.toml
    """
    from jackpot.api.queries.tables import AskTable

    found = talk.ask(AskTable(table))["round"]
    if talk.as_json or found is None:
        talk.show(found, f"{table}: no round")
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
@talking(*TWO)
def strike(
    talk: Talk,
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

    answer = talk.ask(Strike(table, round_, seat, link, reason, "dealer" if dealer else "own"))
    talk.show(answer, f"{table} {round_}: wager of seat {seat} on {link} struck{_refunds(talk, answer)}")


@app.command()
@talking(*TWO)
def void(
    talk: Talk,
    table: Table,
    round_: Round,
    reason: Reason,
) -> None:
    """Void an unfinished round: every wager goes back. A reopened round takes two people.

    Example: jackpot rounds void T01 R77 --reason "exposed card" --config /etc/jackpot/config.toml
    """
    from jackpot.rules.acts.rounds import VoidRound

    answer = talk.ask(VoidRound(table, round_, reason))
    talk.show(answer, f"{table} {round_}: void{_refunds(talk, answer)}")


@app.command()
@talking(*TWO)
def reopen(
    talk: Talk,
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
    talk.show(
        talk.ask(Reopen(table, round_, reason), waits=waits), f"{name}: open again, until the next lock"
    )


@app.command("decline")
@talking(*ONE)
def decline(
    talk: Talk,
    table: Table,
    round_: Round,
    reason: Reason,
) -> None:
    """Say no to somebody who asks to reopen a round: the table goes on at once.

    Example: jackpot rounds decline T01 R77 --reason "no hand was missed" -c config.toml
    """
    from jackpot.rules.acts.rounds import Decline

    talk.show(talk.ask(Decline(table, round_, reason)), f"{table} {round_}: stays closed")


def _refunds(talk: Talk, answer: dict[str, Any]) -> str:
    given = [
        f"seat {one['seat']} {talk.money(one['amount'])} ({one['pays']})" for one in answer.get("refunds", [])
    ]
    return "; refunds: " + ", ".join(given) if given else ""
