"""`jackpot bank`: opens a bank, joins two into one, and confirms the program that decides for one."""

import asyncio
from typing import TYPE_CHECKING, Annotated

import typer

from jackpot.cli.act_command import ActCall, act_command
from jackpot.cli.api_client import ALONE, ApiClient, with_api_options
from jackpot.cli.offline_ledger import alone
from jackpot.cli.options import Reason, configured, fail, person
from jackpot.cli.person_admin import signers
from jackpot.rules.acts.programs import ConfirmProgram

if TYPE_CHECKING:
    from jackpot.ledger.journal import Head
    from jackpot.ledger.reading import Reader

app = typer.Typer(
    help="Banks: open a new one, join two into one, confirm a program.",
    epilog="Example: jackpot bank open high-limit --config /etc/jackpot/config.toml",
    no_args_is_help=True,
)


@app.command("open")
@with_api_options(*ALONE)
def open_(
    client: ApiClient,
    name: Annotated[str, typer.Argument(metavar="BANK", help="A bank of the configuration.")],
) -> None:
    """Open a bank that the configuration names and the ledger never had. Its links open at the next start.

    The first start on a new ledger opens every bank by itself. If a bank that had meters is gone, it was
    lost: do not open it again, for its links would begin at their seeds. Restore a backup.

    Who does it is an admin, and types their password: --by LOGIN.

    Example: jackpot bank open high-limit -c config.toml
    """
    from jackpot.bank.config_alignment import check_site
    from jackpot.clock import SystemClock
    from jackpot.ledger.banks import open_banks
    from jackpot.ledger.store import LedgerError
    from jackpot.rules.signing import SITE

    who, found = person(client.by), configured(client.config, "give --config FILE")
    if name not in (*found.banks, SITE):
        fail(f"no link of {found.path} lies in bank {name}; it has {', '.join(found.banks)}")

    def site_there(ledger: "Reader") -> str:
        if name in ledger.banks():
            lost = ", and has no row: they were taken away, or a join was broken off"
            fail(f"bank {name} is open already{'' if ledger.head(name).seq else lost}")
        return check_site(ledger, found) or found.site.first_id

    async def work() -> None:
        async with alone(found, nobody=name == SITE) as store:  # without that bank there can be no people
            site = await store.run(site_there)
            by = await signers(store, found.ledger.url, who)
            await open_banks(store, [name], site, SystemClock().unix_ms(), by)

    try:
        asyncio.run(work())
    except LedgerError as error:
        fail(f"not opened: {error}")
    typer.echo(f"bank {name} is open: start the server, and its links open at their seeds")


@app.command()
@with_api_options(*ALONE)
def join(
    client: ApiClient,
    first: Annotated[str, typer.Argument(metavar="A", help="A bank.")],
    second: Annotated[str, typer.Argument(metavar="B", help="Another bank of the same ledger.")],
    into: Annotated[str, typer.Option("--into", metavar="BANK", help="The new bank's name.")],
    reason: Reason,
) -> None:
    """Join two banks into a new one; every meter stays as it is.

    Before: suspend all their links, let every round end, pay every award, and stop the servers.
    After: name the new bank on each link in the configuration, start the servers, and resume the links.

    Hits and awards get new numbers. Paid awards can still be corrected; pages and forms say both numbers.

    Who does it is an admin, and types their password: --by LOGIN.

    Each chain ends with an entry that names the new bank, and the new chain begins with both ends, so that
    `jackpot verify` proves all three together. If it is interrupted, run the same command again.

    Example: jackpot bank join north south --into floor --reason "one control room" -c config.toml
    """
    from jackpot.clock import SystemClock
    from jackpot.ledger.maintenance.join import Joining
    from jackpot.ledger.maintenance.join import join as join_banks
    from jackpot.ledger.store import LedgerError

    who = person(client.by)
    if len({first, second, into}) < 3:
        fail("three different names: two banks, and the one that they become")
    if not reason.strip():
        fail("--reason: say why; it is journalled")
    found = configured(client.config, "give --config FILE")

    async def work() -> "Head":
        async with alone(found, first, second, into) as store:
            by = await signers(store, found.ledger.url, who)
            return await join_banks(
                store, (first, second), Joining(into, by, reason, SystemClock().unix_ms())
            )

    try:
        head = asyncio.run(work())
    except LedgerError as error:
        fail(f"not joined: {error}")
    typer.echo(f"{first} and {second} are {into} now, head {head.hash.hex()}")
    typer.echo(
        f'Write bank = "{into}" on each of their links in the configuration before the server is started.'
    )


@act_command(app, ConfirmProgram)
def confirm_program(call: ActCall) -> None:
    """Confirm that a program is the one that was released. It takes two people.

    With `[site] confirm_program` a bank's links wait until then, reason `program`. Compare the digest with
    the one published with the release; `jackpot about` prints that of the installed program. A release may be
    confirmed before it is installed: then no link waits.

    Example: jackpot bank confirm-program "$DIGEST" --reason "as published" --by Ann --and-by Bo -c F
    """
    call.done("{digest}: the bank knows this program now")
