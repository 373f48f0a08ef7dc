"""`jackpot alarms`: lists and acknowledges open alarms."""

import typer

from jackpot.api.queries.alarms import AskAlarms
from jackpot.cli.act_command import ActCall, act_command
from jackpot.cli.api_client import LOOK, ApiClient, with_api_options
from jackpot.cli.options import table as print_table
from jackpot.rules.acts.alarms import AcknowledgeAlarm
from jackpot.text import counted

app = typer.Typer(
    help="Alarms that nobody has acknowledged: list, acknowledge.",
    epilog="Example: jackpot alarms list --config /etc/jackpot/config.toml",
    no_args_is_help=True,
)


@app.command("list")
@with_api_options(*LOOK)
def list_(
    client: ApiClient,
) -> None:
    """List every open alarm, the oldest first; `jackpot report alarms` has those of the past.

    Example: jackpot alarms list --config /etc/jackpot/config.toml
    """
    found = client.ask(AskAlarms())
    if client.told(found):
        return
    for bank in found["elsewhere"]:
        typer.echo(f"without bank {bank['bank']}: {bank['why']}", err=True)
    alarms = found["alarms"]
    rows = [
        [
            alarm["alarm"], alarm["bank"], alarm["kind"], alarm["place"], alarm["what"],
            client.moment(alarm["last"]), str(alarm["times"]), alarm["then"],
        ]
        for alarm in alarms
    ]  # fmt: skip
    names = ["alarm", "bank", "kind", "place", "what", "last raised", "times", "what to do"]
    print_table(counted(len(rows), "open alarm"), names, rows)


@act_command(app, AcknowledgeAlarm)
def acknowledge(call: ActCall) -> None:
    """Say that you have seen an alarm and deal with it. If it is raised again, it is open again.

    Example: jackpot alarms acknowledge AL7 --remark "two chips under the felt" -c config.toml
    """
    call.done("{alarm}: acknowledged")
