"""How does the command line reach a running server, and how does it show what it says?"""

import getpass
import json
import os
import socket
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, NoReturn

import typer

if TYPE_CHECKING:
    from jackpot.config import Config, Site

# A server in doubt answers when it knows; a person at a prompt does not wait longer than this.
ANSWER_WITHIN_S: Final = 30.0
# Wide enough that no id or hand is ever cut in a file.
PIPE_WIDTH: Final = 400
# What the person types next, by the code of the refusal.
_HINTS: Final = {
    "two_people": "; type both names: --by NAME --and-by OTHER",
    "no_document": ": --document NUMBER",
    "not_validated": "; validate it first",
    "no_such_hit": "; `jackpot hits list` shows the open ones",
    "bank_stopped": "; `jackpot lease show` says who has each bank",
    "round_unfinished": "; `jackpot rounds show TABLE` shows it",
    "no_such_round": "; `jackpot rounds show TABLE` shows which there is",
    "not_behind": "; `jackpot ledger behind` lists what tables say",
}
# Columns of sums.
_SUMS: Final = ("amount", "difference", "envy")
# The configuration and the socket of the server that was asked last: its site writes sums and times.
_asked: Final[list[Path | None]] = [None, None]

ConfigFile = Annotated[
    Path | None,
    typer.Option(
        "--config", "-c", envvar="JACKPOT_CONFIG", metavar="FILE", help="The server's configuration."
    ),
]
Socket = Annotated[
    Path | None,
    typer.Option("--socket", envvar="JACKPOT_SOCKET", metavar="PATH", help="The admin socket itself."),
]
By = Annotated[str | None, typer.Option("--by", metavar="NAME", help="Who acts; default: your login name.")]
AndBy = Annotated[
    str | None, typer.Option("--and-by", metavar="NAME", help="The second of two people, where it takes two.")
]
Json = Annotated[bool, typer.Option("--json", help="The server's answer as it is.")]
Reason = Annotated[str, typer.Option("--reason", "-r", metavar="TEXT", help="Why; it is journalled.")]


def fail(message: str) -> NoReturn:
    """Ends the command with one clear line and a non-zero exit."""
    typer.echo(message, err=True)
    raise typer.Exit(1)


def ask(config: Path | None, path: Path | None, **request: Any) -> dict[str, Any]:
    """One request to the server, and its answer; a refusal or no server ends the command."""
    _asked[:] = config, path
    path = path or _configured(config)
    wanted = {key: value for key, value in request.items() if value is not None}
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
            line.settimeout(ANSWER_WITHIN_S)
            line.connect(str(path))
            line.sendall(json.dumps(wanted).encode() + b"\n")
            with line.makefile("rb") as answers:
                answer: dict[str, Any] = json.loads(answers.readline() or b"{}")
    except TimeoutError:
        done = "; whether it was done shows once the ledger is well" if "by" in request else ""
        fail(f"no answer within {ANSWER_WITHIN_S:.0f} s: the server waits for its ledger{done}")
    except OSError as error:
        fail(f"no server answers at {path}: {error.strerror or error}; is it running?")
    if not answer.get("ok"):
        hint = _HINTS.get(answer.get("code", ""), "")
        fail(answer.get("message", "the server closed the connection without an answer") + hint)
    return answer


def person(by: str | None) -> str:
    """Who acts where no server is asked: the name given, else the login name."""
    if by is not None and not (by.strip() and by.isprintable()):
        fail("--by: a name of printable characters")
    return " ".join((getpass.getuser() if by is None else by).split())


def show(answer: dict[str, Any], as_json: bool, text: str) -> None:
    """The answer of an act: as JSON, or in the sentence given."""
    typer.echo(json.dumps(answer, indent=2) if as_json else text)


def table(title: str, columns: list[str], rows: list[list[str]]) -> None:
    """Prints a table; to a pipe without colours, and never cut. What people wrote is shown as it is."""
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


def money(cents: int) -> str:
    """Cents as an amount, as the site of the server that was asked last writes it."""
    from jackpot.config.writing import writing

    site = _site(*_asked)
    return writing(site.locale, site.currency).text(cents)


def moment(unix_ms: int) -> str:
    """A moment in that site's time, to the second."""
    from jackpot.config.writing import local_time

    return local_time(unix_ms, _site(*_asked).timezone, "%Y-%m-%d %H:%M:%S %Z")


@cache
def _site(config: Path | None, path: Path | None) -> "Site":
    """Where the server stands: by its configuration, or as it says itself where only its socket is known."""
    import msgspec

    from jackpot.config import Site, load

    if config is not None:
        return load(config).site
    return msgspec.convert(ask(None, path, do="site")["site"], Site)


def awards(answer: dict[str, Any]) -> str:
    """The awards an act touched, one after the other."""
    return ", ".join(
        f"{award['award']} {money(award['amount'])} {award['status']}" for award in answer.get("awards", [])
    )


def _configured(config: Path | None) -> Path:
    from jackpot.config import ConfigErrors, load

    if config is None:
        fail("which server? give --config FILE or --socket PATH")
    try:
        return at_server(load(config)).listen.admin
    except ConfigErrors as errors:
        fail(str(errors))


def ledger_of(config: Path | None, otherwise: str) -> str:
    """The URL of the configured ledger. otherwise: what to do where no configuration was named."""
    return configured(config, otherwise).ledger.url


def configured(config: Path | None, otherwise: str) -> "Config":
    """The configuration, checked. otherwise: what to do where none was named."""
    from jackpot.config import ConfigErrors, load

    if config is None:
        fail(f"which ledger? {otherwise}")
    try:
        return load(config)
    except ConfigErrors as errors:
        fail(str(errors))


def at_server(config: "Config", name: str | None = None) -> "Config":
    """The configuration as one server has it: the named one, else JACKPOT_SERVER's, else the only one."""
    wanted = name or os.environ.get("JACKPOT_SERVER")
    ids = [server.id for server in config.servers]
    if wanted is None:
        if len(ids) > 1:
            fail(f"which server? {' or '.join(ids)}: set JACKPOT_SERVER to its id, or give --id to serve")
        return config.of_server(ids[0]) if ids else config
    if wanted not in ids:
        fail(f"{config.path} has no [[server]] {wanted}; it has {', '.join(ids) or 'none'}")
    return config.of_server(wanted)
