"""`jackpot lease`: shows which server holds each bank, and hands a bank over."""

from typing import Annotated

import typer

from jackpot.cli.api_client import LOOK, ONE, ApiClient, with_api_options
from jackpot.cli.options import table as print_table
from jackpot.text import counted

app = typer.Typer(
    help="Which server writes a bank: show, hand over.",
    epilog="Example: jackpot lease show --config /etc/jackpot/config.toml",
    no_args_is_help=True,
)


@app.command("show")
@with_api_options(*LOOK)
def show_(
    client: ApiClient,
) -> None:
    """Show who holds each bank, as this server sees it.

    A holder is a server's id, its machine, its process, and the first digits of its program's digest.

    Example: jackpot lease show --config /etc/jackpot/config.toml
    """
    from jackpot.api.queries.servers import AskBanks

    leases = client.ask(AskBanks())["banks"]
    if client.told(leases):
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
@with_api_options(*ONE)
def hand_over(
    client: ApiClient,
    bank: Annotated[str, typer.Argument(metavar="BANK", help="A bank that this server writes.")],
) -> None:
    """Hand a bank over to another server, and say which one took it. If none does, this server takes it back.

    Example: jackpot lease hand-over main --config /etc/jackpot/config.toml
    """
    from jackpot.api.queries.servers import HandOver

    answer = client.ask(HandOver(), bank)
    client.show(answer, f"{bank}: {answer['holder']} has it now")
