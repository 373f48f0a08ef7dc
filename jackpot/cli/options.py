"""Helpers shared by all commands: common options, the last line of one that fails, and tables."""

import getpass
import os
import sys
from collections.abc import Callable
from dataclasses import MISSING, fields
from functools import wraps
from inspect import Parameter, Signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final, NoReturn, Protocol, TypeVar, get_type_hints

import typer

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from jackpot.config import Config


class Fields(Protocol):
    """Any options dataclass."""

    __dataclass_fields__: ClassVar[dict[str, Any]]


Given = TypeVar("Given", bound=Fields)
# Wide enough that no id or hand is ever cut in a file.
PIPE_WIDTH: Final = 400
# The option of any command that names a ledger.
NAMED: Final = "give --ledger URL or --config FILE"
# Columns of sums, aligned to the right.
_SUMS: Final = ("amount", "difference", "envy")
ConfigFile = Annotated[
    Path | None,
    typer.Option(
        "--config", "-c", envvar="JACKPOT_CONFIG", metavar="FILE", help="The server's configuration."
    ),
]
SealedArchive = Annotated[
    Path | None,
    typer.Option(
        "--archive",
        envvar="JACKPOT_ARCHIVE",
        metavar="FILE",
        help="Of a sealed ledger: what has its old rows.",
    ),
]
LedgerUrl = Annotated[
    str | None,
    typer.Option(
        "--ledger",
        metavar="URL",
        help="The ledger, where it is not that of --config: sqlite:////absolute.db or "
        "postgresql://user@host:port/database.",
    ),
]
By = Annotated[str | None, typer.Option("--by", metavar="NAME", help="Who acts; default: your login name.")]
Reason = Annotated[str, typer.Option("--reason", "-r", metavar="TEXT", help="Why; it is journalled.")]


def options(given: type[Given]) -> Callable[[Callable[[Given], None]], Callable[..., None]]:
    """Decorator that turns the fields of a dataclass into a command's options."""
    hints = get_type_hints(given, include_extras=True)
    parameters = [
        Parameter(
            field.name,
            Parameter.KEYWORD_ONLY,
            annotation=hints[field.name],
            default=Parameter.empty if field.default is MISSING else field.default,
        )
        for field in fields(given)
    ]

    def making(run: Callable[[Given], None]) -> Callable[..., None]:
        @wraps(run)
        def command(**words: Any) -> None:
            run(given(**words))

        command.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
        command.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        return command

    return making


def digest_text(digest: bytes) -> str:
    """A program's digest for display; empty where the files could not be verified."""
    return (
        f"digest {digest.hex()}" if digest else "without a digest: its files were not shown to be a release's"
    )


def fail(message: str) -> NoReturn:
    """Ends the command with one clear line and a non-zero exit code."""
    typer.echo(message, err=True)
    raise typer.Exit(1)


def hidden(prompt: str, *, twice: bool = False) -> str:
    """What somebody types unseen; without a terminal a line of standard input. twice: it is typed again."""
    if sys.stdin.isatty():
        typed: str = typer.prompt(prompt, hide_input=True, confirmation_prompt=twice)
        return typed
    text = _line(f"{prompt}: ")
    if twice and _line("Repeat for confirmation: ") != text:
        fail("the two entered values do not match")
    return text


def _line(prompt: str) -> str:
    """A line of standard input, which shows nowhere."""
    typer.echo(prompt)
    if not (line := sys.stdin.readline()):
        raise typer.Abort
    return line.rstrip("\r\n")


def require_lab(library: str, what: str) -> None:
    """Ends the command where a library of the extra `lab` is missing, and says what to install."""
    from importlib.util import find_spec

    from jackpot.program import lab_install

    if find_spec(library) is None:
        fail(f"{what} needs {library}, of the extra lab: {lab_install()}")


def person(by: str | None) -> str:
    """The acting person where no server is asked: the name given, else the login name."""
    if by is not None and not (by.strip() and by.isprintable()):
        fail("--by: a name of printable characters")
    return " ".join((getpass.getuser() if by is None else by).split())


def table(title: str, columns: list[str], rows: list[list[str]]) -> None:
    """Prints a table; to a pipe without colours, and never cut. What people wrote is printed literally."""
    from rich.console import Console
    from rich.table import Table

    found = Table(title=title, title_justify="left")
    for column in columns:
        found.add_column(column, justify="right" if column in _SUMS else "left")
    for row in rows:
        found.add_row(*row)
    console = Console(markup=False, emoji=False, highlight=False)
    if not console.is_terminal:
        console.width = PIPE_WIDTH
    console.print(found)


def wide_console() -> "Console":
    """Console as wide as the terminal; unlimited to a pipe."""
    from rich.console import Console

    found = Console()
    if not found.is_terminal:
        found.width = PIPE_WIDTH
    return found


def plain_table(*columns: str, title: str | None = None) -> "Table":
    from rich import box
    from rich.table import Table

    made = Table(title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, pad_edge=False)
    for column in columns:
        # Nothing is cut short: a narrow terminal folds sources and games, not figures.
        made.add_column(column, overflow="fold", no_wrap=column not in {"source", "games"})
    return made


def ledger_of(url: str | None, config: Path | None) -> str:
    """The URL of the ledger that a command names, else of the configured one."""
    return url or configured(config, NAMED).ledger.url


def configured(config: Path | None, otherwise: str) -> "Config":
    """The validated configuration. otherwise: what to do where none was named."""
    if config is None:
        fail(f"which ledger? {otherwise}")
    return read(config)


def read(config: Path) -> "Config":
    """The validated configuration; its mistakes end the command."""
    from jackpot.config import ConfigErrors, load

    try:
        return load(config)
    except ConfigErrors as errors:
        barred = isinstance(errors.__cause__, PermissionError)
        fail(f"{errors}; {as_owner(config)}" if barred else str(errors))


def as_owner(path: Path) -> str:
    """Hint on how to act as the server's user, who owns its files."""
    try:
        owner = path.owner()
    except (OSError, KeyError):
        owner = "jackpot"  # as in deploy/README.md: its folder cannot be looked into from here
    return f"the server's own user may, and root as that user: runuser -u {owner} -- jackpot ..."


def at_server(config: "Config", name: str | None = None) -> "Config":
    """The configuration of one server: the named one, else JACKPOT_SERVER's, else the only one."""
    wanted = name or os.environ.get("JACKPOT_SERVER")
    ids = [server.id for server in config.servers]
    if wanted is None:
        if len(ids) > 1:
            fail(f"which server? {' or '.join(ids)}: set JACKPOT_SERVER to its id, or give --id to serve")
        return config.of_server(ids[0]) if ids else config
    if wanted not in ids:
        fail(f"{config.path} has no [[server]] {wanted}; it has {', '.join(ids) or 'none'}")
    return config.of_server(wanted)
