"""HTTP client of the commands: its options, and requests to a running server."""

import json
import socket
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, wraps
from inspect import Parameter, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Concatenate, Final, NamedTuple, ParamSpec

import typer

from jackpot.cli.options import By, ConfigFile, as_owner, at_server, configured, fail, read

if TYPE_CHECKING:
    from jackpot.api.admin_client import HttpAnswer
    from jackpot.api.operation import Ask
    from jackpot.config.settings import Listen

# Where a second person confirms what one asked for.
REQUESTS: Final = "/ops/requests"

# As in `jackpot.api.admin_client`, which is imported only by a command that needs it.
ANSWER_WITHIN_S: Final = 30.0
# The next command to type, by the code of the refusal.
_HINTS: Final = {
    "two_people": "; type both names: --by NAME --and-by OTHER",
    "no_document": ": --write document=NUMBER",
    "no_tax_form": ": --write tax_form=NAME --write tax_number=NUMBER; before a correction by `hits add`",
    "withheld_differs": ": --withheld SUM",
    "no_paper": ": --write NAME=TEXT, or before it `jackpot hits add`",
    "several_winners": ": --seat N, with a document of its own",
    "not_validated": "; validate it first",
    "no_such_hit": "; `jackpot hits list --all` lists every one ever made",
    "bank_stopped": "; `jackpot lease show` says who has each bank",
    "misdirected": "; `jackpot lease show` says who has each bank",
    "round_unfinished": "; `jackpot rounds show TABLE` shows it",
    "no_such_round": "; `jackpot rounds show TABLE` shows which there is",
    "no_such_alarm": "; `jackpot alarms list` lists the open ones",
    "not_behind": "; `jackpot ledger behind` lists what tables say",
}

Socket = Annotated[
    Path | None,
    typer.Option(
        "--socket",
        envvar="JACKPOT_SOCKET",
        metavar="PATH",
        help="The server's admin socket, in place of --config.",
    ),
]
Bank = Annotated[str | None, typer.Option("--bank", help="Which bank, where there are several.")]
AndBy = Annotated[
    str | None, typer.Option("--and-by", metavar="NAME", help="The second person, for what takes two people.")
]
Look = Annotated[bool, typer.Option("--preview", help="Only show what would change.")]
Seen = Annotated[
    str | None,
    typer.Option(
        "--seen", metavar="MARK", help="From a preview: refuse the act if it would do anything else."
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print the server's answer as JSON.")]

P = ParamSpec("P")


class _SiteFormat(NamedTuple):
    """Format of sums and times at the server's site."""

    locale: str
    currency: str
    timezone: str


@dataclass(frozen=True)
class ApiClient:
    """Client of a running server for one command, and the options that say who asks which server."""

    config: Path | None = None
    socket: Path | None = None
    bank: str | None = None
    by: str | None = None
    and_by: str | None = None
    as_json: bool = False
    preview: bool = False
    seen: str | None = None

    def ask(self, ask: "Ask", bank: str | None = None, waits: str = "") -> dict[str, Any]:
        """The server's answer; ends the command on a refusal, or where no server answers.

        An act that waits for a second person ends it too, with what `waits` says of it, if anything.
        """
        import msgspec

        from jackpot.api.operation import Query

        bank, near = bank or self.bank, dict[str, str]()
        if not isinstance(ask, Query):
            given = {"by": self.by, "and_by": self.and_by, "bank": bank, "seen": self.seen}
            near = {name: value for name, value in given.items() if value is not None}
        elif bank is not None and "bank" in ask.__struct_fields__:
            ask = msgspec.structs.replace(ask, bank=bank)
        answer = self._answer(ask, near)
        if not answer.ok:
            fail(
                answer.said.get("detail", "the server refused it")
                + _HINTS.get(answer.said.get("code", ""), "")
            )
        if answer.said.get("asked") is True and not isinstance(ask, Query):
            self.show(answer.said, waits or self.waits(answer.said["request"]))
            raise typer.Exit
        return answer.said

    def waits(self, request: str) -> str:
        """State of an operation that one person asked for and that takes two."""
        at = None if self.config is None else pages_at(at_server(configured(self.config, "")).listen)
        return (
            f"{request}: asked for, and not done: it waits 15 minutes for a second person, who confirms it "
            f"at {at or ''}{REQUESTS}"
        )

    def answered(self) -> bool:
        """Whether a server can be reached; ends the command where this user may not reach it."""
        path = self.socket or _configured(self.config)
        try:
            with socket.socket(socket.AF_UNIX) as line:
                line.connect(str(path))
        except PermissionError:
            fail(f"{path} may not be opened by you; {as_owner(path)}")
        except OSError:
            if self.socket is not None:
                fail(f"no server answers at {path}: is it running?")
            return False
        return True

    def show(self, answer: Any, text: str) -> None:
        """Prints an answer as JSON, or the sentence given."""
        typer.echo(json.dumps(answer, indent=2) if self.as_json else text)

    def told(self, answer: Any) -> bool:
        """Prints the answer and returns true if JSON was asked for."""
        if self.as_json:
            self.show(answer, "")
        return self.as_json

    def money(self, amount: str) -> str:
        """Formats a sum as the server's site does; a fraction below a cent is left out."""
        from jackpot.config.writing import writing
        from jackpot.rules.money import of_decimal, to_cents

        return writing(self._place.locale, self._place.currency).text(to_cents(of_decimal(amount)))

    def moment(self, unix_ms: int) -> str:
        """Formats a time in the site's time zone, to the second."""
        from jackpot.config.writing import moment

        return moment(unix_ms, self._place.timezone)

    @cached_property
    def _place(self) -> "_SiteFormat":
        """Format of the site: from its configuration, else from the server."""
        import msgspec

        from jackpot.api.queries.servers import AskSite, Site

        if self.config is not None:
            site = configured(self.config, "").site
            return _SiteFormat(site.locale, site.currency, site.timezone)
        told = msgspec.convert(self.ask(AskSite()), Site)
        return _SiteFormat(told.locale, told.currency, told.timezone)

    def _answer(self, ask: "Ask", near: dict[str, str]) -> "HttpAnswer":
        """The server's response; without one, an act may have been carried out."""
        from jackpot.api import admin_client
        from jackpot.api.operation import Query

        path = self.socket or _configured(self.config)
        try:
            return admin_client.ask(path, ask, near, ANSWER_WITHIN_S)
        except TimeoutError:
            perhaps = "" if isinstance(ask, Query) else "; whether it was done shows once the ledger is well"
            fail(f"no answer within {ANSWER_WITHIN_S:.0f} s: the server waits for its ledger{perhaps}")
        except PermissionError:
            fail(f"{path} may not be opened by you; {as_owner(path)}")
        except OSError as error:
            fail(f"no server answers at {path}: {error.strerror or error}; is it running?")


# All options a command may have, in the order of its help.
_OPTIONS: Final[dict[str, tuple[Any, Any]]] = {
    "config": (ConfigFile, None),
    "socket": (Socket, None),
    "bank": (Bank, None),
    "by": (By, None),
    "and_by": (AndBy, None),
    "as_json": (Json, False),
    "preview": (Look, False),
    "seen": (Seen, None),
}
# Options of a query, of an act of one person, and of one that may take two.
LOOK: Final = ("config", "socket", "as_json")
ONE: Final = (*LOOK, "by")
TWO: Final = (*ONE, "and_by")
# Options of an act with a preview.
MOVES: Final = (*TWO, "preview", "seen")
# Options of a command that needs no server.
ALONE: Final = ("config", "by")


def with_api_options(
    *options: str,
) -> Callable[[Callable[Concatenate[ApiClient, P], None]], Callable[..., None]]:
    """Adds these options to a command, and passes it an ApiClient as its first argument."""

    def with_options(command: Callable[Concatenate[ApiClient, P], None]) -> Callable[..., None]:
        @wraps(command)
        def run(**given: Any) -> None:
            said = {name: given.pop(name) for name in options}
            command(ApiClient(**said), **given)  # type: ignore[call-arg]

        own = list(signature(command).parameters.values())[1:]
        added = [
            Parameter(name, Parameter.KEYWORD_ONLY, annotation=kind, default=default)
            for name, (kind, default) in _OPTIONS.items()
            if name in options
        ]
        by_name = [one.replace(kind=Parameter.KEYWORD_ONLY) for one in own]
        run.__signature__ = signature(command).replace(parameters=by_name + added)  # type: ignore[attr-defined]
        return run

    return with_options


def pages_at(listen: "Listen") -> str | None:
    """Address of the pages for people, if the configuration has it."""
    from jackpot.config.places import EVERYWHERE

    at, scheme = listen.http, "http" if listen.tls is None else "https"
    if at is None or not at.port:
        return None
    if at.host not in EVERYWHERE:
        return f"{scheme}://{at}"
    return f"{scheme}://{listen.hosts[0]}:{at.port}" if listen.hosts else None


def _configured(config: Path | None) -> Path:
    if config is None:
        fail("which server? give --config FILE or --socket PATH")
    return at_server(read(config)).listen.admin
