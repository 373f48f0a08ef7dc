"""`jackpot hits`: which hits wait, and what does a floorperson do with them?"""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from jackpot.cli.speak import (
    AndBy,
    By,
    ConfigFile,
    Json,
    Reason,
    Socket,
    ask,
    awards,
    fail,
    moment,
    money,
    show,
)
from jackpot.cli.speak import table as print_table
from jackpot.words import counted

app = typer.Typer(
    help="Hits and their awards: list, show, validate, pay, undo, correct, release.",
    epilog="Example: jackpot hits list --config /etc/jackpot/config.toml",
    no_args_is_help=True,
)

Hit = Annotated[str, typer.Argument(metavar="HIT", help="Its id, such as H12.")]
Award = Annotated[
    str | None, typer.Option("--award", metavar="ID", help="One award of it alone, such as A34.")
]
Bank = Annotated[str | None, typer.Option("--bank", help="Which bank, where there are several.")]


@app.command("list")
def list_(
    config: ConfigFile = None,
    socket: Socket = None,
    bank: Bank = None,
    all_: Annotated[bool, typer.Option("--all", help="Every one ever made, the newest first.")] = False,
    before: Annotated[
        str | None, typer.Option("--before", metavar="HIT", help="With --all: those older than this one.")
    ] = None,
    as_json: Json = False,
) -> None:
    """List the hits that wait for people, oldest first; or, with --all, the last hundred of each bank.

    Example: jackpot hits list --config /etc/jackpot/config.toml
    """
    banks = [bank] if bank else _banks(config, socket)
    if before is not None and (not all_ or len(banks) > 1):
        fail("--before goes with --all and, where there are several banks, with --bank")
    request = {"do": "history", "before": before} if all_ else {"do": "hits"}
    answers = {name: ask(config, socket, bank=name, **request) for name in banks}
    found = [{"bank": name, **hit} for name, answer in answers.items() for hit in answer["hits"]]
    hits = [hit for hit in found if all_ or hit["status"] in ("pending", "validated")]
    if as_json:
        typer.echo(json.dumps(hits, indent=2))
        return
    for name, answer in answers.items():
        if answer.get("more"):
            typer.echo(f"bank {name} has older ones: --bank {name} --before {answer['hits'][-1]['hit']}")
    names = ["hit", "at", "link", "level", "table", "hand", "amount", "envy", "status"]
    if any(hit["difference"] for hit in hits):
        names.insert(-1, "difference")
    if len(banks) > 1:  # each counts its own hits from H1
        names.insert(0, "bank")
    rows = [_row(hit, names) for hit in hits]
    print_table(counted(len(rows), "hit"), ["when" if name == "at" else name for name in names], rows)


@app.command("show")
def show_(
    hit: Hit, config: ConfigFile = None, socket: Socket = None, bank: Bank = None, as_json: Json = False
) -> None:
    """Show one hit with all its awards.

    Example: jackpot hits show H12 --config /etc/jackpot/config.toml
    """
    found = ask(config, socket, do="hit", bank=bank, hit=hit)["hits"]
    if not found:
        where = f" in bank {bank}" if bank else ""
        fail(f"there is no hit {hit}{where}: `jackpot hits list --all` lists every one ever made")
    one = found[0]
    if as_json:
        typer.echo(json.dumps(one, indent=2))
        return
    made = f"{one['hand']} at {one['table']} on {one['link']}, {moment(one['at'])}"
    typer.echo(
        f"{one['hit']}: {made}, {one['status']}: {money(one['amount'])}"
        + (f", and {money(one['envy'])} envy" if one["envy"] else "")
        + (f"; corrected by {money(one['difference'])} once it was paid" if one["difference"] else "")
    )
    columns = ["award", "seat", "kind", "level", "amount", "pays", "status", "unverified"]
    if any(award["difference"] for award in one["awards"]):
        columns.insert(5, "difference")
    print_table("awards", columns, [_row(award, columns) for award in one["awards"]])


@app.command()
def validate(
    hit: Hit,
    award: Award = None,
    config: ConfigFile = None,
    socket: Socket = None,
    bank: Bank = None,
    by: By = None,
    as_json: Json = False,
) -> None:
    """Validate a hit: its hand was seen and its awards are right (A10).

    Example: jackpot hits validate H12 --by "Ann Lee" --config /etc/jackpot/config.toml
    """
    _act("validate", "validated", as_json, config, socket, hit=hit, award=award, bank=bank, by=by)


@app.command()
def pay(
    hit: Hit,
    award: Award = None,
    config: ConfigFile = None,
    socket: Socket = None,
    bank: Bank = None,
    by: By = None,
    as_json: Json = False,
) -> None:
    """Record that a validated hit is paid and its documentation complete (A10, T11).

    Example: jackpot hits pay H12 --config /etc/jackpot/config.toml
    """
    _act("pay", "paid", as_json, config, socket, hit=hit, award=award, bank=bank, by=by)


@app.command()
def undo(
    hit: Hit,
    reason: Reason,
    award: Award = None,
    config: ConfigFile = None,
    socket: Socket = None,
    bank: Bank = None,
    by: By = None,
    and_by: AndBy = None,
    as_json: Json = False,
) -> None:
    """Undo a hit, or one award of it, as if it had not been made (A11); by two where a later one exists.

    Example: jackpot hits undo H12 --reason "misdeal, round void" --config /etc/jackpot/config.toml
    """
    who = {"by": by, "and_by": and_by, "reason": reason}
    _act("undo", "undone", as_json, config, socket, hit=hit, award=award, bank=bank, **who)


@app.command()
def correct(  # noqa: PLR0917 - an option is an argument
    award: Annotated[str, typer.Argument(metavar="AWARD", help="Its id, such as A34.")],
    amount: Annotated[
        str, typer.Option("--amount", metavar="SUM", help='What it comes to, such as "9999.21".')
    ],
    reason: Reason,
    document: Annotated[
        str, typer.Option("--document", metavar="NUMBER", help="A must where the award is paid.")
    ] = "",
    config: ConfigFile = None,
    socket: Socket = None,
    bank: Bank = None,
    by: By = None,
    and_by: AndBy = None,
    as_json: Json = False,
) -> None:
    """Correct what an award comes to, by two people (A10); it waits for its validation once more.

    The sum of a paid award stays as it is: the difference is journalled against it, with a document's number.
    The meter takes the difference, or gives it down to its reseed and the house the rest.

    Example: jackpot hits correct A34 --amount 9999.21 --reason misread --by "Ann Lee" --and-by "Bo Ray" -c F
    """
    request: dict[str, Any] = {"award": award, "amount": _cents(amount), "document": document}
    answer = ask(config, socket, do="correct", reason=reason, bank=bank, by=by, and_by=and_by, **request)
    more = answer.get("difference")
    done = f"comes to {money(request['amount'])}, to be validated"
    if more is not None:
        done = f"stays as it was paid; {money(more)} journalled against it"
    show(answer, as_json, f"{award}: {done}")


@app.command()
def release(
    table: Annotated[str, typer.Argument(metavar="TABLE", help="The table whose cards were kept.")],
    reason: Reason,
    config: ConfigFile = None,
    socket: Socket = None,
    by: By = None,
    as_json: Json = False,
) -> None:
    """Release the cards of a held table: it may open rounds again (T11).

    Example: jackpot hits release T01 --reason "cards photographed" --config /etc/jackpot/config.toml
    """
    answer = ask(config, socket, do="release", table=table, reason=reason, by=by)
    show(answer, as_json, f"{table}: released")


def _cents(amount: str) -> int:
    from jackpot.catalogue.figures import parse_money
    from jackpot.rules.money import to_cents

    try:
        return to_cents(parse_money(amount))
    except ValueError as error:
        fail(f"--amount: {error}")


def _banks(config: Path | None, socket: Path | None) -> list[str]:
    """The banks that this server holds; where it holds none the first, of which it says who does."""
    from jackpot.server.life import Here

    leases = ask(config, socket, do="leases")["leases"]
    held = [lease["bank"] for lease in leases if Here(lease["here"]) in (Here.HELD, Here.UNCONFIRMED)]
    for lease in leases:
        if held and lease["bank"] not in held:
            typer.echo(f"without bank {lease['bank']}: {lease['holder'] or 'nobody'} has it", err=True)
    return held or [lease["bank"] for lease in leases][:1]


def _row(facts: dict[str, Any], columns: Sequence[str]) -> list[str]:
    return [_SHOWN.get(column, _plain)(facts[column]) for column in columns]


def _plain(value: Any) -> str:
    return "-" if value is None else str(value)


def _flag(value: Any) -> str:
    return "unverified" if value else ""


_SHOWN: dict[str, Callable[[Any], str]] = {
    "amount": money,
    "difference": lambda cents: money(cents) if cents else "",
    "envy": money,
    "at": moment,
    "unverified": _flag,
}


def _act(act: str, done: str, as_json: bool, config: Any, socket: Any, **request: Any) -> None:
    answer = ask(config, socket, do=act, **request)
    show(answer, as_json, f"{request['hit']}: {done} ({awards(answer)})")
