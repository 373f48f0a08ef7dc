"""`jackpot ledger`: how is a ledger made, moved, backed up, brought back, and missed when it is behind?"""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from jackpot.cli.bar import bar
from jackpot.cli.speak import By, ConfigFile, Json, Reason, Socket, ask, fail, show

if TYPE_CHECKING:
    from jackpot.ledger.copy import Copied
    from jackpot.ledger.store import Ledger, Reader

app = typer.Typer(help="Make, migrate, copy, back up and restore a ledger.", no_args_is_help=True)

Url = Annotated[
    str,
    typer.Argument(metavar="URL", help="sqlite:////absolute.db or postgresql://user@host:port/database."),
]

NoRoles = Annotated[
    bool, typer.Option("--no-roles", help="PostgreSQL: leave roles and rights to somebody else.")
]


@app.command()
def init(url: Url, no_roles: NoRoles = False) -> None:
    """Make an empty ledger; on PostgreSQL also the roles jackpot_server and jackpot_auditor.

    Example: jackpot ledger init postgresql://owner@db.casino:5432/ledger
    """
    with _told():
        with closing(_open(url)) as ledger:
            typer.echo(f"{_shown(url)}: {'made' if ledger.created else 'holds a ledger already'}")
            _tell_applied(ledger)
        _give_rights(url, no_roles)


@app.command()
def migrate(url: Url, no_roles: NoRoles = False) -> None:
    """Bring a ledger's schema up to this program's. It only ever adds; stop the server first.

    Example: jackpot ledger migrate postgresql://owner@db.casino:5432/ledger
    """
    file = Path(url.removeprefix("sqlite:///"))
    if url.startswith("sqlite:///") and not file.exists():
        fail(f"there is no ledger {file}: `jackpot ledger init` makes one")
    with _told():
        with closing(_open(url)) as ledger:
            applied = list(ledger.applied)
            _tell_applied(ledger)
        if applied:
            _give_rights(url, no_roles)
        else:
            typer.echo(f"{_shown(url)}: nothing to migrate")


@app.command()
def copy(
    source: Annotated[str, typer.Argument(metavar="FROM", help="The ledger's URL; a server may use it.")],
    target: Annotated[str, typer.Argument(metavar="TO", help="A new ledger's URL, or an earlier copy's.")],
) -> None:
    """Copy a whole ledger into another, from SQLite or PostgreSQL to either, and prove them equal.

    Run again it goes on where it stopped, or adds what has come since. To move: copy, stop the server, copy
    once more, start the server on the new ledger.

    Example: jackpot ledger copy sqlite:////var/lib/jackpot/ledger.db postgresql://owner@db.casino/ledger
    """
    from jackpot.ledger import copy as copying

    with _told("not copied: "), closing(_open(source, readonly=True)) as from_:
        with closing(_open(target)) as to, bar() as progress:
            copied = copying.copy(from_, to, progress)
        _tell_copied(copied, from_, "the copy")


@app.command()
def backup(
    url: Url,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="An earlier backup of it, or a new file.")],
) -> None:
    """Back a ledger up into one proved SQLite file; the server goes on meanwhile.

    Into an earlier backup of the same ledger, only what has come since is read. FILE is replaced at the end,
    at once: an interrupted backup leaves the earlier one as it was.

    Example: jackpot ledger backup postgresql://auditor@db.casino/ledger /backup/ledger.db
    """
    from jackpot.ledger import backup as backing

    with _told("not backed up: "), closing(_open(url, readonly=True)) as source:
        with bar() as progress:
            copied = backing.backup(source, file, progress)
        _tell_copied(copied, source, str(file))


@app.command()
def restore(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What `jackpot ledger backup` wrote.")],
    url: Url,
) -> None:
    """Bring a backup into an empty ledger. The file is proved first, the ledger after.

    Example: jackpot ledger restore /backup/ledger.db postgresql://owner@db.casino/ledger
    """
    from jackpot.ledger import backup as backing

    with _told("not restored: "), bar() as progress:
        copied = backing.restore(file, lambda: _open(url), progress)
    for bank in copied:
        head = bank.head
        typer.echo(f"{head.bank}: {head.seq:,} rows restored and proved, head {head.hash.hex()}")
    typer.echo(
        "Start the server on it. What the tables did after this backup is missing: a table that has answers\n"
        "beyond it is told `ledger_behind`; its bank stays suspended until each such table is confirmed by\n"
        "    jackpot ledger confirm-behind TABLE --reason TEXT --config FILE\n"
        "Restart the signage processes, if there are any: they show no value older than one that they know."
    )


@app.command("confirm-behind")
def confirm_behind(
    table: Annotated[str, typer.Argument(metavar="TABLE", help="The table that was told `ledger_behind`.")],
    reason: Reason,
    config: ConfigFile = None,
    socket: Socket = None,
    by: By = None,
    as_json: Json = False,
) -> None:
    """Confirm that a table holds answers which this ledger has lost; the bank goes on.

    Example: jackpot ledger confirm-behind T01 --reason "restored last night's copy" -c config.toml
    """
    answer = ask(config, socket, do="confirm-behind", table=table, reason=reason, by=by)
    show(answer, as_json, f"{table}: confirmed; what is missing is in the journal")


def _open(url: str, *, readonly: bool = False) -> "Ledger":
    from jackpot.ledger.open import open_ledger

    return open_ledger(url, readonly=readonly)


@contextmanager
def _told(before: str = "") -> Iterator[None]:
    """What goes wrong with a ledger or a file ends the command with one line."""
    from jackpot.ledger.store import LedgerError

    try:
        yield
    except LedgerError as error:
        fail(f"{before}{error}")
    except OSError as error:
        fail(f"{before}{error.filename or 'the disk'}: {error.strerror or error}")


def _shown(url: str) -> str:
    from jackpot.ledger.connect import without_password

    return without_password(url)


def _give_rights(url: str, no_roles: bool) -> None:
    from jackpot.ledger.open import make_roles

    if not no_roles and make_roles(url):
        typer.echo("jackpot_server and jackpot_auditor have their rights: grant them to roles that sign in")


def _tell_applied(ledger: "Ledger") -> None:
    for note in ledger.applied:
        typer.echo(f"applied {note}")


def _tell_copied(copied: "list[Copied]", source: "Reader", what: str) -> None:
    for bank in copied:
        head = bank.head
        typer.echo(
            f"{head.bank}: {bank.rows:,} rows added; {what} is proved to hold all {head.seq:,}, "
            f"head {head.hash.hex()}"
        )
        now = source.head(head.bank).seq
        if now > head.seq:
            typer.echo(f"{head.bank}: the source has moved on to row {now:,} since")
