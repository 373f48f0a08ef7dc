"""`jackpot rounds`: what is on a table, and what may a floorperson change there?"""

import json
from typing import Annotated, Any

import typer

from jackpot.cli.speak import By, ConfigFile, Json, Reason, Socket, ask, counted, money, show
from jackpot.cli.speak import table as print_table

app = typer.Typer(help="A table's round: show, strike, void, reopen.", no_args_is_help=True)

Table = Annotated[str, typer.Argument(metavar="TABLE", help="The table's id.")]
Round = Annotated[str, typer.Argument(metavar="ROUND", help="The round's id, as `rounds show` gives it.")]


@app.command("show")
def show_(table: Table, config: ConfigFile = None, socket: Socket = None, as_json: Json = False) -> None:
    """Show the table's unfinished round, or its last closed one while it can be reopened.

    Example: jackpot rounds show T01 --config /etc/jackpot/config.toml
    """
    found = ask(config, socket, do="round", table=table)["round"]
    if as_json:
        typer.echo(json.dumps(found, indent=2))
        return
    if found is None:
        typer.echo(f"{table}: no round")
        return
    typer.echo(f"{table}: round {found['round']}, {found['state']}")
    if found["state"] == "closed":
        typer.echo("its hits: " + (", ".join(found["hits"]) or "none"))
        return
    bets = found["bets"]
    rows = [[str(bet["seat"]), bet["link"], bet["on"], bet["player"] or "-"] for bet in bets]
    print_table(counted(len(rows), "wager"), ["seat", "link", "on", "player"], rows)
    if found.get("settled"):
        typer.echo("settled seats: " + ", ".join(map(str, found["settled"])))


@app.command()
def strike(  # noqa: PLR0917 - an option is an argument
    table: Table,
    round_: Round,
    seat: Annotated[int, typer.Argument(metavar="SEAT", min=1, help="Whose wager.")],
    link: Annotated[str, typer.Argument(metavar="LINK", help="On which link.")],
    reason: Reason,
    dealer: Annotated[bool, typer.Option("--dealer", help="The wager on the dealer's hand.")] = False,
    config: ConfigFile = None,
    socket: Socket = None,
    by: By = None,
    as_json: Json = False,
) -> None:
    """Strike one wager of a round that waits for its chip count (T3).

    Example: jackpot rounds strike T01 R77 4 floor-five --reason "no chip in the slot" -c config.toml
    """
    on = "dealer" if dealer else "own"
    request: dict[str, Any] = {"table": table, "round": round_, "seat": seat, "link": link, "on": on}
    answer = ask(config, socket, do="strike", reason=reason, by=by, **request)
    show(answer, as_json, f"{table} {round_}: wager of seat {seat} on {link} struck{_refunds(answer)}")


@app.command()
def void(
    table: Table,
    round_: Round,
    reason: Reason,
    config: ConfigFile = None,
    socket: Socket = None,
    by: By = None,
    as_json: Json = False,
) -> None:
    """Void an unfinished or reopened round: every wager goes back (T6).

    Example: jackpot rounds void T01 R77 --reason "exposed card" --config /etc/jackpot/config.toml
    """
    answer = ask(config, socket, do="void", table=table, round=round_, reason=reason, by=by)
    show(answer, as_json, f"{table} {round_}: void{_refunds(answer)}")


@app.command()
def reopen(
    table: Table,
    round_: Round,
    reason: Reason,
    config: ConfigFile = None,
    socket: Socket = None,
    by: By = None,
    as_json: Json = False,
) -> None:
    """Reopen the table's last closed round, until its next lock (T10).

    Example: jackpot rounds reopen T01 R77 --reason "hand of seat 3 missed" -c config.toml
    """
    answer = ask(config, socket, do="reopen", table=table, round=round_, reason=reason, by=by)
    show(answer, as_json, f"{table} {round_}: open again, until the next lock")


def _refunds(answer: dict[str, Any]) -> str:
    given = [
        f"seat {one['seat']} {money(one['amount'])} ({one['pays']})" for one in answer.get("refunds", [])
    ]
    return "; refunds: " + ", ".join(given) if given else ""
