"""Entry point and root of the command line; imports only the command that runs."""

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple

from jackpot import __version__

if TYPE_CHECKING:
    import typer

FLOOR: Final = "Floor and cage"
AUDITOR: Final = "Auditor"
OPERATIONS: Final = "Operations"
VENDOR: Final = "Maker of tables and signs"
DIRECTOR: Final = "Slot director"


class CommandEntry(NamedTuple):
    """Entry of the list of commands.

    module: has its `app`. help: the same as its own. of: who uses it most.
    """

    module: str
    help: str
    of: str


# By name, in the order of the list.
COMMANDS: Final[dict[str, CommandEntry]] = {
    "hits": CommandEntry(
        "jackpot.cli.hits",
        "Hits: list, show, validate, pay, add, dispute, lift, undo, correct, erase, release.",
        FLOOR,
    ),
    "rounds": CommandEntry(
        "jackpot.cli.rounds", "A table's round: show, strike, void, abandoned seats, reopen, decline.", FLOOR
    ),
    "links": CommandEntry(
        "jackpot.cli.links",
        "Links and their meters: list, show, suspend, resume, correct, transfer, close, change, announce.",
        FLOOR,
    ),
    "alarms": CommandEntry(
        "jackpot.cli.alarms", "Alarms that nobody has acknowledged: list, acknowledge.", FLOOR
    ),
    "report": CommandEntry(
        "jackpot.cli.report",
        "What the books say: reconciliation, jackpots explained, hits, refusals, slips to sign.",
        AUDITOR,
    ),
    "verify": CommandEntry("jackpot.cli.verify", "Prove the ledger from its first row.", AUDITOR),
    "about": CommandEntry(
        "jackpot.cli.about", "Which program this is: its release, its digest, its files.", AUDITOR
    ),
    "serve": CommandEntry("jackpot.cli.serve", "Serve tables and signs.", OPERATIONS),
    "signage": CommandEntry("jackpot.cli.signage", "Show meters from Redis alone.", OPERATIONS),
    "config": CommandEntry(
        "jackpot.cli.config", "The configuration file: check it, begin one, its schema.", OPERATIONS
    ),
    "users": CommandEntry(
        "jackpot.cli.users",
        "People: make the first two, list, add, grant, withdraw, end, reset, codes, tokens, erase, recover.",
        OPERATIONS,
    ),
    "keys": CommandEntry(
        "jackpot.cli.keys",
        "Keys of devices and of the site: make, show, revoke, clear a conflict.",
        OPERATIONS,
    ),
    "mystery": CommandEntry(
        "jackpot.cli.mystery",
        "Mystery levels that are committed: make and rotate their key, show what runs.",
        OPERATIONS,
    ),
    "ledger": CommandEntry(
        "jackpot.cli.ledger",
        "Make, migrate, copy, back up and restore a ledger, and say what it has lost.",
        OPERATIONS,
    ),
    "bank": CommandEntry(
        "jackpot.cli.bank", "Banks: open a new one, join two into one, confirm a program.", OPERATIONS
    ),
    "lease": CommandEntry("jackpot.cli.lease", "Which server writes a bank: show, hand over.", OPERATIONS),
    "dashboards": CommandEntry("jackpot.cli.dashboards", "Write the dashboards for Grafana.", OPERATIONS),
    "bench": CommandEntry("jackpot.cli.bench", "Measure the server next to other designs.", OPERATIONS),
    "conformance": CommandEntry(
        "jackpot.cli.conformance",
        "Test another maker's device, or server, against the floor protocol.",
        VENDOR,
    ),
    "demo": CommandEntry("jackpot.cli.demo", "A whole simulated floor on this machine.", DIRECTOR),
    "paytable": CommandEntry(
        "jackpot.cli.paytable", "The paytable catalogue: list, show, analyze, count.", DIRECTOR
    ),
    "simulate": CommandEntry(
        "jackpot.cli.simulate", "A year of a floor in minutes, compared with exact odds.", DIRECTOR
    ),
}


def main() -> None:
    """The program's entry: `jackpot COMMAND ...`."""
    from typer.main import get_command

    whole = get_command(root(next((word for word in sys.argv[1:] if not word.startswith("-")), None)))
    without_types(whole)
    whole(prog_name="jackpot")


def without_types(command: Any) -> None:
    """Removes the type of flags from the help of a command and of all below it: a flag takes no value."""
    from typer import Context

    for parameter in (*command.params, command.get_help_option(Context(command))):
        if getattr(parameter, "is_flag", False):
            parameter.metavar = ""
    for below in getattr(command, "commands", {}).values():
        without_types(below)


def root(wanted: str | None) -> "typer.Typer":
    """Builds the command line; imports only the wanted command, and has a line of help for the others."""
    import typer

    whole = typer.Typer(
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode="markdown",
    )

    def tell_version(asked: bool) -> None:
        if asked:
            typer.echo(f"jackpot {__version__}")
            raise typer.Exit

    @whole.callback()
    def jackpot(
        version: Annotated[
            bool,
            typer.Option(
                "--version", callback=tell_version, is_eager=True, help="Say which release this is."
            ),
        ] = False,
    ) -> None:
        """One server for all the linked progressives of a casino floor.

        Example: jackpot demo
        """

    for name, (module, text, of) in COMMANDS.items():
        if name != wanted:
            whole.command(name, help=text, rich_help_panel=of)(_not_this_one)
            continue
        app: typer.Typer = import_module(module).app
        single = app.registered_callback is None and len(app.registered_commands) == 1
        only = app.registered_commands[0].callback if single else None
        if only is None:
            whole.add_typer(app, name=name, rich_help_panel=of)
        else:
            whole.command(name, rich_help_panel=of)(only)
    return whole


def _not_this_one() -> None:
    """Placeholder of a command that was not asked for."""


if __name__ == "__main__":
    main()
