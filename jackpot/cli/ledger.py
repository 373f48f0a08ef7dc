"""`jackpot ledger`: what do people do where a table knows more than the ledger?"""

from typing import Annotated

import typer

from jackpot.cli.speak import By, ConfigFile, Json, Reason, Socket, ask, show

app = typer.Typer(help="Confirm what the ledger has lost.", no_args_is_help=True)


@app.callback()
def ledger() -> None:
    """Keep `confirm-behind` a command of its own, also while it is the only one."""


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
