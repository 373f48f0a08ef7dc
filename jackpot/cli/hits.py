"""`jackpot hits`: lists hits and carries out what people do with them (validate, pay, undo, correct)."""

from collections.abc import Callable, Sequence
from typing import Annotated, Any, Final

import typer

from jackpot.api.queries.hits import AskHit, AskHits, AskWaitingHits
from jackpot.api.queries.payouts import AddPapers, Correct, ErasePapers, Pay, Validate
from jackpot.cli.act_command import ActCall, act_command
from jackpot.cli.api_client import LOOK, ApiClient, with_api_options
from jackpot.cli.options import fail
from jackpot.cli.options import table as print_table
from jackpot.rules.acts.account_credits import Credit
from jackpot.rules.acts.disputes import Dispute, Lift
from jackpot.rules.acts.hits import Undo
from jackpot.rules.acts.tables import Release
from jackpot.text import LAMPS, counted

app = typer.Typer(
    help="Hits: list, show, validate, pay, add, dispute, lift, undo, correct, erase, release.",
    epilog="Example: jackpot hits list --config /etc/jackpot/config.toml",
    no_args_is_help=True,
)

# Zero, as an answer writes it.
NOTHING: Final = "0.00"
# Whom `hits show` says what the law takes of, by what an answer calls them.
PAYEES: Final = {
    "numbered": "resident, with a taxpayer number",
    "unnumbered": "resident, without the number",
    "nonresident": "not a resident, without a treaty",
}

Hit = Annotated[str, typer.Argument(metavar="HIT", help="The hit's id, such as H12.")]


@app.command("list")
@with_api_options(*LOOK, "bank")
def list_(
    client: ApiClient,
    all_: Annotated[bool, typer.Option("--all", help="Every hit ever made, the newest first.")] = False,
    before: Annotated[
        str | None, typer.Option("--before", metavar="HIT", help="With --all: only hits older than this one.")
    ] = None,
    after: Annotated[
        str | None,
        typer.Option("--after", metavar="HIT", help="Without --all: only hits newer than this one."),
    ] = None,
    limit: Annotated[
        int, typer.Option("--limit", min=1, max=100, help="At most this many hits of each bank.")
    ] = 100,
) -> None:
    """List the hits that wait for people, the oldest first; with --all every hit, the newest first.

    At most a hundred of each bank are shown; the command says how to see the next ones.

    Example: jackpot hits list --config /etc/jackpot/config.toml
    """
    banks, several = ([client.bank], True) if client.bank else _banks(client)
    option, other, which = ("--before", after, "older") if all_ else ("--after", before, "newer")
    if other is not None or ((before or after) and len(banks) > 1):
        fail("--before goes with --all, --after without it; where there are several banks, with --bank")
    question = AskHits(before=before, limit=limit) if all_ else AskWaitingHits(after=after, limit=limit)
    answers = {name: client.ask(question, name) for name in banks}
    hits = [hit for answer in answers.values() for hit in answer["hits"]]
    for name, answer in answers.items():
        if answer["more"]:
            next_ = f"--bank {name} {option} {answer['more']}"
            typer.echo(f"bank {name} has {which} ones: {next_}", err=client.as_json)
    if client.told(hits):
        return
    names = ["hit", "at", "link", "level", "table", "hand", "amount", "envy", "status"]
    if any(map(_differs, hits)):
        names.insert(-1, "difference")
    if not all_:
        names.append("waits for")
    if several:  # each counts its own hits from H1
        names.insert(0, "bank")
    rows = [_row(client, _held(hit), names) for hit in hits]
    print_table(counted(len(rows), "hit"), ["when" if name == "at" else name for name in names], rows)


@app.command("show")
@with_api_options(*LOOK, "bank")
def show_(
    client: ApiClient,
    hit: Hit,
) -> None:
    """Show one hit with all its awards.

    Example: jackpot hits show H12 --config /etc/jackpot/config.toml
    """
    one = client.ask(AskHit(hit))
    if client.told(one):
        return
    made = f"{one['hand']} at {one['table']} on {one['link']}, {client.moment(one['at'])}"
    typer.echo(
        f"{_hit_name(one)}: {made}, {one['status']}: {client.money(one['amount'])}"
        + (f", and {client.money(one['envy'])} envy" if one["envy"] != NOTHING else "")
        + (f"; corrected by {client.money(one['difference'])} after it was paid" if _differs(one) else "")
        + ("; disputed, so it is not paid" if one["disputed"] else "")
    )
    for line in _cards(one["cards"]):
        typer.echo(line)
    columns = ["award", "seat", "kind", "level", "amount", "pays", "status", "unverified"]
    if any(map(_differs, one["awards"])):
        columns.insert(5, "difference")
    if any(award["lamp"] for award in one["awards"]):
        columns.append("lamp")
    print_table("awards", columns, [_row(client, award, columns) for award in one["awards"]])
    for tax in one["taxes"]:
        _show_taxes(client, tax)
    for step in reversed(one["steps"]):
        facts = "".join(f"; {name.replace('_', ' ')} {text}" for name, text in step["facts"].items())
        reason = f": {step['reason']}" if step["reason"] else ""
        document = f"; document {step['document']}" if step["document"] else ""
        who = " and ".join(step["people"])
        typer.echo(f"{step['what']} by {who}, {client.moment(step['at'])}{reason}{document}{facts}")


def _show_taxes(client: ApiClient, tax: dict[str, Any]) -> None:
    """Prints what the law takes of the payment that waits for a seat, by who is paid."""
    winnings, wager = client.money(tax["winnings"]), client.money(tax["wager"])
    won = f"seat {tax['seat']}: {winnings} won with a wager of {wager}"
    rows = [
        [PAYEES[one["payee"]], one["form"] or "-", client.money(one["withheld"]), client.money(one["left"])]
        for one in tax["withholdings"]
    ]
    print_table(won, ["who is paid", "form", "withhold", "pay out"], rows)


def _hit_name(hit: dict[str, Any]) -> str:
    """A hit, and what it was called in banks that became this one."""
    before = ", ".join(f"{old['hit']} of {old['bank']}" for old in hit["former"])
    return f"{hit['hit']} ({before})" if before else str(hit["hit"])


@act_command(app, Validate)
def validate(call: ActCall) -> None:
    """Validate a hit: say that its hand was seen and that its awards are right.

    --write takes dealer, witness and surveillance. Where the table says that a lamp failed, --lamp says what
    it shows.

    Example: jackpot hits validate H12 --write "dealer=Dee Lear" --by "Ann Lee" -c /etc/jackpot/config.toml
    """
    _done(call, "validated")


@act_command(app, Pay)
def pay(call: ActCall) -> None:
    """Record that one winner of a validated hit was paid and that the documentation is complete.

    What the cage pays, a part of a meter, somebody of the cage pays; the rest the floor may pay, too. A hit
    with one winner needs no --seat. `hits show` says what the law takes, with `[site] tax`.

    --write takes document, patron, identification, taxpayer_number, tax_form, tax_number, treaty_rate,
    treaty_form, way (cash, cheque or account) and way_number. The document, which is the number of the payout
    form, is required. Where a part is given another way, --other-sum says how much, and --write takes
    other_way and other_number.

    Example: jackpot hits pay H12 --seat 3 --write document=4711 --write tax_form=W-2G --write tax_number=88
    """
    if "document" not in call.fields:
        fail("--write document=NUMBER: a payment takes the number of its payout form")
    _done(call, "paid")


@act_command(app, AddPapers)
def add(call: ActCall) -> None:
    """Add something to the papers of a hit, or of one winner. What they said before stays.

    Where a hit has several winners, patron, tax_form and tax_number take --seat: each has their own papers.

    --write takes dealer, witness, surveillance, patron, identification, taxpayer_number, tax_form and
    tax_number.

    Example: jackpot hits add H12 --write "witness=Bo Ray" --reason forgotten -c /etc/jackpot/config.toml
    """
    call.done("{hit}: added to its papers")


@act_command(app, Dispute)
def dispute(call: ActCall) -> None:
    """Stop the payment of a hit that somebody says is wrong, until the dispute is lifted.

    Example: jackpot hits dispute H12 --reason "seat 3 says it held the ace" --config /etc/jackpot/config.toml
    """
    call.done("{hit}: disputed; it is not paid until `hits lift`")


@act_command(app, Lift, without=("dispute",))
def lift(call: ActCall) -> None:
    """Lift the dispute about a hit, so that it may be paid. It takes two people.

    Example: jackpot hits lift H12 --reason "pictures seen" --by Ann --and-by Bo -c /etc/jackpot/config.toml
    """
    disputed = call.client.ask(AskHit(call.fields["hit"]))["disputed"]
    call.done("{hit}: no longer disputed", dispute=disputed or 0)  # 0: the server answers that there is none


@act_command(app, ErasePapers)
def erase(call: ActCall) -> None:
    """Erase the names on the papers of a settled hit: patron, dealer, witness, and the tax form's number.

    It takes two people until the papers are `papers_kept_days` old, and then one.

    Example: jackpot hits erase H12 --reason "they asked" --by Ann --and-by Bo -c /etc/jackpot/config.toml
    """
    call.done("{hit}: its papers name nobody any more")


@act_command(app, Undo)
def undo(call: ActCall) -> None:
    """Undo a hit, or one award of it: its levels are computed again as if it had never been made.

    It takes two people where a level has a later award.

    Example: jackpot hits undo H12 --reason "misdeal, round void" --config /etc/jackpot/config.toml
    """
    _done(call, "undone")


@act_command(app, Credit)
def credit(call: ActCall) -> None:
    """Confirm that an award to a game account is credited there. It is confirmed once.

    Example: jackpot hits credit A34 TX-20261127-81 --config /etc/jackpot/config.toml
    """
    call.done("{award}: credited")


@act_command(app, Correct)
def correct(call: ActCall) -> None:
    """Correct the sum of an award. It takes two people, and the award then waits to be validated again.

    An award that is paid keeps its sum: the difference is journalled next to it, with the number of a
    document. What was too much goes back to the meter. What was too little comes from the meter, but never
    lowers it below its reseed: the house pays the rest.

    --write takes document, for a paid award, and way. Where what is paid on top needs a tax form, `hits add`
    it first, with the patron.

    Example: jackpot hits correct A34 --amount 9999.21 --reason misread --by "Ann Lee" --and-by "Bo Ray" -c F
    """
    client, award = call.client, call.fields["award"]

    def said(answer: dict[str, Any]) -> str:
        if (more := answer.get("difference")) is not None:
            return f"{award}: stays as it was paid; {client.money(more)} journalled against it"
        return f"{award}: comes to {client.money(call.fields['amount'])}, to be validated"

    call.done(said)


@act_command(app, Release, helps={"table": "The table that keeps the cards."})
def release(call: ActCall) -> None:
    """Release the cards that a table keeps after a hit, so that it may open rounds again.

    Example: jackpot hits release T01 --reason "cards photographed" --config /etc/jackpot/config.toml
    """
    call.done("{table}: released")


def _cards(cards: dict[str, Any] | None) -> list[str]:
    """The hand and cards that the hit is paid for, a line for each part that is there."""
    if cards is None:
        return []
    names = {"own": "cards", "board": "board", "dealer": "dealer", "ranked": "ranked from"}
    lines = [f"{said}: {' '.join(cards[name])}" for name, said in names.items() if cards[name]]
    return lines + ([f"drawn: {cards['drawn']}"] if cards["drawn"] else [])


def _differs(found: dict[str, Any]) -> bool:
    """Whether an adjustment was journalled after it was paid (A10)."""
    return bool(found["difference"] != NOTHING)


def _banks(client: ApiClient) -> tuple[list[str], bool]:
    """The banks of this server, and whether the floor has several.

    Where it holds none the first, of which it says who does.
    """
    from jackpot.api.queries.servers import AskBanks
    from jackpot.bank.lifecycle import BankCondition
    from jackpot.rules.signing import SITE

    leases = [lease for lease in client.ask(AskBanks())["banks"] if lease["bank"] != SITE]
    held = [
        lease["bank"]
        for lease in leases
        if BankCondition(lease["here"]) in (BankCondition.HELD, BankCondition.UNCONFIRMED)
    ]
    for lease in leases:
        if held and lease["bank"] not in held:
            typer.echo(f"without bank {lease['bank']}: {lease['holder'] or 'nobody'} has it", err=True)
    return held or [lease["bank"] for lease in leases][:1], len(leases) > 1


def _held(hit: dict[str, Any]) -> dict[str, Any]:
    """The hit with the cause that holds its payment in place of its status, and who acts next."""
    told = hit | {"status": "disputed"} if hit["disputed"] else hit
    return told | {"waits for": _waits_for(hit)}


def _waits_for(hit: dict[str, Any]) -> str:
    """The roles that may carry out the next step (A10)."""
    standing = {award["status"] for award in hit["awards"]}
    if hit["disputed"]:
        return "two of floor or auditor"
    if "pending" in standing:
        return "floor"
    pays = {award["pays"] for award in hit["awards"] if award["status"] == "validated"}
    return "" if not pays else "cage" if "cage" in pays else "floor or cage"


def _row(client: ApiClient, facts: dict[str, Any], columns: Sequence[str]) -> list[str]:
    return [_SHOWN.get(column, _plain)(client, facts[column]) for column in columns]


def _plain(_client: ApiClient, value: Any) -> str:
    return "-" if value is None else str(value)


_SHOWN: Final[dict[str, Callable[[ApiClient, Any], str]]] = {
    "amount": ApiClient.money,
    "difference": lambda client, sum_: client.money(sum_) if sum_ != NOTHING else "",
    "envy": ApiClient.money,
    "at": ApiClient.moment,
    "lamp": lambda _, value: LAMPS.get(value, ""),
    "unverified": lambda _, value: "unverified" if value else "",
}


def _done(call: ActCall, what: str) -> None:
    """Carries out an act on awards, and prints each that it changed."""

    def said(answer: dict[str, Any]) -> str:
        awards = ", ".join(
            f"{award['award']} {call.client.money(award['amount'])} {award['status']}"
            for award in answer.get("awards", [])
        )
        return f"{call.fields['hit']}: {what} ({awards})"

    call.done(said)
