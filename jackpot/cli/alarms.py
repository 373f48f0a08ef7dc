"""`jackpot alarms`: lists and acknowledges open alarms."""

from typing import Annotated

import typer

from jackpot.cli.api_client import LOOK, ONE, ApiClient, with_api_options
from jackpot.cli.options import table as print_table
from jackpot.text import counted

app = typer.Typer(
    help="Alarms that nobody has acknowledged: list, acknowledge.",
    epilog="Example: jackpot alarms list --config /etc/jackpot/config.toml",
    no_args_is_help=True,
)

Alarm = Annotated[str, typer.Argument(metavar="ALARM", help="The alarm's id, as `alarms list` gives it.")]
Remark = Annotated[str, typer.Option("--remark", metavar="TEXT", help="What you found; it is journalled.")]


@app.command("list")
@with_api_options(*LOOK)
def list_(
    client: ApiClient,
) -> None:
    """List every open alarm, the oldest first; `jackpot report alarms` has those of the past.

    Example: jackpot alarms list --config /etc/jackpot/config.toml
    """
    from jackpot.api.queries.alarms import AskAlarms

    found = client.ask(AskAlarms())
    if client.told(found):
        return
    for bank in found["elsewhere"]:
        typer.echo(f"without bank {bank['bank']}: {bank['why']}", err=True)
    alarms = found["alarms"]
    rows = [
        [
            alarm["alarm"], alarm["bank"], alarm["kind"], alarm["where"], alarm["what"],
            client.moment(alarm["last"]), str(alarm["times"]), alarm["then"],
        ]
        for alarm in alarms
    ]  # fmt: skip
    names = ["alarm", "bank", "kind", "where", "what", "last raised", "times", "what to do"]
    print_table(counted(len(rows), "open alarm"), names, rows)


@app.command()
@with_api_options(*ONE, "bank")
def acknowledge(
    client: ApiClient,
    alarm: Alarm,
    remark: Remark = "",
) -> None:
    """Say that you have seen an alarm and deal with it. If it is raised again, it is open again.

    Example: jackpot alarms acknowledge AL7 --remark "two chips under the felt" -c config.toml
    """
    from jackpot.rules.acts.alarms import AcknowledgeAlarm

    client.show(client.ask(AcknowledgeAlarm(alarm, remark)), f"{alarm}: acknowledged")
