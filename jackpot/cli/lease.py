"""`jackpot lease`: which server writes which bank, and how is a bank handed over?"""

import json
from typing import Annotated

import typer

from jackpot.cli.speak import By, ConfigFile, Json, Socket, ask, show
from jackpot.cli.speak import table as print_table
from jackpot.words import counted

app = typer.Typer(
    help="Which server writes a bank: show, hand over.",
    epilog="Example: jackpot lease show --config /etc/jackpot/config.toml",
    no_args_is_help=True,
)


@app.command("show")
def show_(config: ConfigFile = None, socket: Socket = None, as_json: Json = False) -> None:
    """Show who holds each bank, as this server sees it.

    A holder is a server's id, its machine, its process, and the first digits of its program's digest.

    Example: jackpot lease show --config /etc/jackpot/config.toml
    """
    leases = ask(config, socket, do="leases")["leases"]
    if as_json:
        typer.echo(json.dumps(leases, indent=2))
        return
    rows = [
        [
            lease["bank"],
            lease["holder"] or "nobody",
            str(lease["epoch"]),
            f"{lease['seq']:,}",
            ": ".join(filter(None, (lease["here"], lease["why"]))),
        ]
        for lease in leases
    ]
    print_table(counted(len(rows), "bank"), ["bank", "holder", "epoch", "row", "here"], rows)


@app.command("hand-over")
def hand_over(
    bank: Annotated[str, typer.Argument(metavar="BANK", help="A bank that this server writes.")],
    config: ConfigFile = None,
    socket: Socket = None,
    by: By = None,
    as_json: Json = False,
) -> None:
    """Let another server take a bank now, and say which did; this one takes it back only if none does.

    Example: jackpot lease hand-over main --config /etc/jackpot/config.toml
    """
    answer = ask(config, socket, do="hand-over", bank=bank, by=by)
    show(answer, as_json, f"{bank}: {answer['holder']} has it now")
