"""`jackpot ledger`: makes, migrates, copies, backs up and restores a ledger; resolves lost answers."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple

import typer

from jackpot.cli.act_command import ActCall, act_command
from jackpot.cli.api_client import LOOK, ApiClient, with_api_options
from jackpot.cli.archive import seal
from jackpot.cli.nightly import nightly
from jackpot.cli.options import ConfigFile, LedgerUrl, fail, ledger_of
from jackpot.cli.options import table as print_table
from jackpot.cli.progress import bar
from jackpot.cli.readings import readings
from jackpot.cli.what_if import what_if
from jackpot.rules.acts.links import RESTORED, Resume
from jackpot.rules.acts.lost_acks import ConfirmBehind
from jackpot.text import counted

if TYPE_CHECKING:
    from jackpot.ledger.journal import Head
    from jackpot.ledger.maintenance.copy import Copied
    from jackpot.ledger.store import Store

app = typer.Typer(
    help="Make, migrate, copy, back up and restore a ledger, and say what it has lost.",
    epilog="Example: jackpot ledger backup /backup/ledger.db --config /etc/jackpot/config.toml",
    no_args_is_help=True,
)

app.command()(nightly)
app.command()(readings)
app.command()(seal)
app.command("what-if")(what_if)

NoRoles = Annotated[
    bool, typer.Option("--no-roles", help="PostgreSQL: leave roles and rights to somebody else.")
]


# Commands to type after a restore, for each bank.
_RESUMING: Final = "    jackpot ledger resume --bank {} --believe all --reason TEXT --config FILE"
_WHO_RESUMES: Final = (
    "One person asks with it, and a second one confirms at /ops/requests. Where the ledger has no people,\n"
    "jackpot users init makes them before the start."
)


@app.command()
def init(ledger: LedgerUrl = None, config: ConfigFile = None, no_roles: NoRoles = False) -> None:
    """Make an empty ledger; on PostgreSQL also the roles jackpot_server and jackpot_auditor.

    Example: jackpot ledger init --ledger postgresql://owner@db.casino:5432/ledger
    """
    url = ledger_of(ledger, config)
    with _exit_on_error():
        made = asyncio.run(_opened(url))
        typer.echo(f"{_shown_url(url)}: {'made' if made.created else 'holds a ledger already'}")
        _tell_applied(made)
        _give_rights(url, no_roles)


@app.command()
def migrate(ledger: LedgerUrl = None, config: ConfigFile = None, no_roles: NoRoles = False) -> None:
    """Bring a ledger's schema up to date with this program. It only ever adds; stop the server first.

    Example: jackpot ledger migrate --ledger postgresql://owner@db.casino:5432/ledger
    """
    url = ledger_of(ledger, config)
    file = Path(url.removeprefix("sqlite:///"))
    if url.startswith("sqlite:///") and not file.exists():
        fail(f"there is no ledger {file}: `jackpot ledger init` makes one")
    with _exit_on_error():
        made = asyncio.run(_opened(url))
        _tell_applied(made)
        if made.applied:
            _give_rights(url, no_roles)
        else:
            typer.echo(f"{_shown_url(url)}: nothing to migrate")


@app.command()
def copy(
    target: Annotated[str, typer.Argument(metavar="TO", help="A new ledger's URL, or an earlier copy's.")],
    ledger: LedgerUrl = None,
    config: ConfigFile = None,
) -> None:
    """Copy a whole ledger into another, from SQLite or PostgreSQL to either, and prove them equal.

    Run it again, and it goes on where it stopped, or adds what has come since. To move to another database:
    copy, stop the server, copy once more, and start the server on the new ledger.

    Example: jackpot ledger copy postgresql://owner@db.casino/ledger --config /etc/jackpot/config.toml
    """
    from jackpot.ledger.maintenance import copy as ledger_copy
    from jackpot.ledger.open import opened

    source = ledger_of(ledger, config)

    async def work() -> None:
        async with opened(source, readonly=True) as from_:
            async with opened(target) as to:
                with bar() as progress:
                    copied = await ledger_copy.copy(from_, to, progress)
            await _tell_copied(copied, from_, "the copy")

    with _exit_on_error("not copied: "):
        asyncio.run(work())


@app.command()
def backup(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="An earlier backup of it, or a new file.")],
    ledger: LedgerUrl = None,
    config: ConfigFile = None,
) -> None:
    """Back a ledger up into one SQLite file, and prove that file. The server goes on meanwhile.

    If FILE is an earlier backup of this ledger, only what has come since is read. FILE is replaced in one
    step at the end, so an interrupted backup leaves the earlier one as it was.

    Example: jackpot ledger backup /backup/ledger.db --ledger postgresql://floor@db.casino/ledger
    """
    from jackpot.ledger.maintenance import backup as ledger_backup
    from jackpot.ledger.open import opened

    url = ledger_of(ledger, config)

    async def work() -> None:
        async with opened(url, readonly=True) as source:
            with bar() as progress:
                copied = await ledger_backup.backup(source, file, progress)
            await _tell_copied(copied, source, str(file))

    with _exit_on_error("not backed up: "):
        asyncio.run(work())


@app.command()
def restore(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What `jackpot ledger backup` wrote.")],
    ledger: LedgerUrl = None,
    config: ConfigFile = None,
) -> None:
    """Bring a backup into an empty ledger. The file is proved first, then the new ledger.

    Example: jackpot ledger restore /backup/ledger.db --ledger postgresql://owner@db.casino/ledger
    """
    from jackpot.clock import SystemClock
    from jackpot.ledger.maintenance import backup as ledger_backup
    from jackpot.ledger.open import opened
    from jackpot.rules.signing import SITE

    url = ledger_of(ledger, config)
    with _exit_on_error("not restored: "), bar() as progress:
        copied = asyncio.run(
            ledger_backup.restore(file, lambda: opened(url), SystemClock().unix_ms(), progress)
        )
    for bank in copied:
        head = bank.head
        typer.echo(f"{head.bank}: {counted(head.seq, 'row')} restored and proved, head {head.hash.hex()}")
    typer.echo(
        "Start the server on it. Its links are suspended until two people resume them. What the tables did\n"
        "after this backup is missing: a table with newer answers is told `ledger_behind`. Let the tables\n"
        "connect, look at what they say, and confirm it in the same act:\n"
        f"{_resuming([bank.head.bank for bank in copied if bank.head.bank != SITE])}\n"
        "Restart the signage processes, if there are any: they show no value older than one that they know."
    )


@app.command()
def restored(ledger: LedgerUrl = None, config: ConfigFile = None) -> None:
    """Record that a ledger came back from a physical backup: its banks wait until two people resume them.

    `deploy/postgres/restore.sh` runs this command, and `jackpot ledger restore` does the same by itself.

    Example: jackpot ledger restored --ledger postgresql://owner@db.casino:5432/ledger
    """
    from jackpot.clock import SystemClock
    from jackpot.ledger.maintenance.restored import hold
    from jackpot.ledger.open import opened

    url = ledger_of(ledger, config)

    async def work() -> "list[Head]":
        async with opened(url) as store:
            return await hold(store, SystemClock().unix_ms())

    with _exit_on_error():
        heads = asyncio.run(work())
    for head in heads:
        typer.echo(f"{head.bank}: suspended as restored at row {head.seq:,}, head {head.hash.hex()}")
    steps = _resuming([head.bank for head in heads])
    typer.echo(f"Start the server on it, let the tables connect, then resume by two people:\n{steps}")


@act_command(app, ConfirmBehind, helps={"table": "The table that was told `ledger_behind`."})
def confirm_behind(call: ActCall) -> None:
    """Decide whether a table really has answers that this ledger has lost. It takes two people.

    With --believe the table goes on after its own number. With --disbelieve it goes on after the ledger's.
    `jackpot ledger behind` lists what tables say. Where you believe it and the bank has mystery links, say
    the highest value that signs or tables showed of each of their levels.

    Example: jackpot ledger confirm-behind T01 --believe --reason "a standby lagged" --by Ann --and-by Bo -c F
    """
    call.done(
        "{table}: believed; what is missing is in the journal"
        if call.fields["believe"]
        else "{table}: not believed; it goes on where the ledger stands"
    )


@app.command()
@with_api_options(*LOOK)
def behind(
    client: ApiClient,
) -> None:
    """List the tables that say they have answers which this ledger has lost.

    Example: jackpot ledger behind --config /etc/jackpot/config.toml
    """
    found = _behind(client)
    if client.told(found):
        return
    rows = [[one["table"], one["bank"], *_numbers(one)] for one in found]
    columns = ["table", "bank", "it says", "the ledger has", "missing"]
    print_table(counted(len(rows), "table"), columns, rows)


@act_command(app, Resume, without=("cause", "links", "believe"))
def resume(
    call: ActCall,
    believe: Annotated[
        list[str] | None,
        typer.Option(
            "--believe",
            metavar="TABLE=NUMBER",
            help="Believe a table in the same act; `all`: every table that `ledger behind` lists.",
        ),
    ] = None,
) -> None:
    """Let wagers in again on a bank that came back from a backup. It takes two people.

    Let its tables connect first, and look at `jackpot ledger behind`. What they say is missing can be
    confirmed in the same act. Where the bank has mystery links, say the highest value that signs or tables
    showed of each of their levels.

    Example: jackpot ledger resume --believe T01=120 --reason "the night's copy" --by Ann --and-by Bo -c F
    """
    tables = _believed(believe or [], call.client)

    def said(answer: dict[str, Any]) -> str:
        lines = [f"{name}: believed up to {acked}" for name, acked in tables.items()]
        lines += [f"{link} is still suspended: {why}" for link, why in answer.get("suspended", {}).items()]
        return "\n".join([*lines, "resumed"])

    call.done(said, cause=RESTORED, links=[], believe=[[*pair] for pair in tables.items()])


def _resuming(banks: list[str]) -> str:
    return "\n".join(["    jackpot ledger behind --config FILE", *map(_RESUMING.format, banks), _WHO_RESUMES])


def _behind(client: ApiClient) -> list[dict[str, Any]]:
    from jackpot.api.queries.requests import AskRequests

    return [
        {name: one[name] for name in ("bank", "table", "acked", "last_seq")}
        for one in client.ask(AskRequests())["requests"]
        if one["what"] == "confirm-behind"
    ]


def _numbers(one: dict[str, Any]) -> list[str]:
    said, last = one["acked"], one["last_seq"]
    return [str(said), str(last), str(max(0, said - last))]


def _believed(given: list[str], client: ApiClient) -> dict[str, int]:
    """The confirmed numbers by table, from the options."""
    if given == ["all"]:
        found = [one for one in _behind(client) if client.bank in (None, one["bank"])]
        return {one["table"]: one["acked"] for one in found}
    tables = {}
    for text in given:
        table, _, number = text.partition("=")
        if not (number.isascii() and number.isdigit()):
            fail(f"--believe: {text!r}: write TABLE=NUMBER as `jackpot ledger behind` lists it, or all")
        tables[table] = int(number)
    return tables


class _OpenedLedger(NamedTuple):
    """Result of opening a ledger, as of a Store."""

    created: bool
    applied: list[str]


async def _opened(url: str) -> _OpenedLedger:
    """Opens a ledger, which makes or migrates it, and closes it."""
    from jackpot.ledger.open import opened

    async with opened(url) as store:
        return _OpenedLedger(store.created, store.applied)


@contextmanager
def _exit_on_error(before: str = "") -> Iterator[None]:
    """Ends the command with one line on an error of a ledger or a file."""
    from jackpot.ledger.store import LedgerError

    try:
        yield
    except LedgerError as error:
        fail(f"{before}{error}")
    except OSError as error:
        fail(f"{before}{error.filename or 'the disk'}: {error.strerror or error}")


def _shown_url(url: str) -> str:
    from jackpot.ledger.connect import without_password

    return without_password(url)


def _give_rights(url: str, no_roles: bool) -> None:
    from jackpot.ledger.open import make_roles

    if not no_roles and make_roles(url):
        typer.echo("jackpot_server and jackpot_auditor have their rights: grant them to roles that sign in")


def _tell_applied(opened: _OpenedLedger) -> None:
    for note in opened.applied:
        typer.echo(f"applied {note}")


async def _tell_copied(copied: "list[Copied]", source: "Store", what: str) -> None:
    for bank in copied:
        head = bank.head
        typer.echo(
            f"{head.bank}: {counted(bank.rows, 'row')} added; {what} is proved to hold all {head.seq:,}, "
            f"head {head.hash.hex()}"
        )
        now = (await source.head(head.bank)).seq
        if now > head.seq:
            typer.echo(f"{head.bank}: the source has moved on to row {now:,} since")
