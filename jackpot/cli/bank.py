"""`jackpot bank`: how is a bank opened, and how do two become one?"""

import time
from collections.abc import Sequence
from contextlib import closing
from math import ceil
from typing import TYPE_CHECKING, Annotated

import typer

from jackpot.cli.speak import Reason, configured, fail, ledger_of, person
from jackpot.cli.talk import ALONE, Talk, talking

if TYPE_CHECKING:
    from jackpot.ledger.store import Reader

app = typer.Typer(
    help="Banks: open a new one, join two into one.",
    epilog="Example: jackpot bank open high-limit --config /etc/jackpot/config.toml",
    no_args_is_help=True,
)


@app.command("open")
@talking(*ALONE)
def open_(
    talk: Talk, name: Annotated[str, typer.Argument(metavar="BANK", help="A bank of the configuration.")]
) -> None:
    """Open a bank that the configuration names and the ledger never had; its links open at the next start.

    The first start of a new ledger opens all. A bank that had meters and is gone was lost: do not open
    it again, its links would begin at their seeds.

    Example: jackpot bank open high-limit -c config.toml
    """
    from jackpot.clock import SystemClock
    from jackpot.ledger.banks import open_banks
    from jackpot.ledger.open import open_ledger
    from jackpot.ledger.store import LedgerError
    from jackpot.server.opening import check_site

    who, found = person(talk.by), configured(talk.config, "give --config FILE")
    if name not in found.banks:
        fail(f"no link of {found.path} lies in bank {name}; it has {', '.join(found.banks)}")
    try:
        with closing(open_ledger(found.ledger.url)) as ledger:
            there = ledger.banks()
            if not there:
                fail(
                    "the ledger is empty: the first start of the server opens every bank of its configuration"
                )
            if name in there:
                lost = ", and has no row: they were taken away, or a join was broken off"
                fail(f"bank {name} is open already{'' if ledger.head(name).seq else lost}")
            site = check_site(ledger, found) or found.site.first_id
            open_banks(ledger, [name], site, SystemClock().unix_ms(), (who,))
    except LedgerError as error:
        fail(f"not opened: {error}")
    typer.echo(f"bank {name} is open: start the server, and its links open at their seeds")


@app.command()
@talking(*ALONE)
def join(
    talk: Talk,
    first: Annotated[str, typer.Argument(metavar="A", help="A bank.")],
    second: Annotated[str, typer.Argument(metavar="B", help="Another bank of the same ledger.")],
    into: Annotated[str, typer.Option("--into", metavar="BANK", help="The new bank's name.")],
    reason: Reason,
) -> None:
    """Join two banks into a new one, with every meter as it stands. Beforehand suspend all their links, let
    every round end and pay every award, and stop the servers; afterwards write the new bank on each link in
    the configuration, start, and resume the links.

    Each chain ends with an entry that names the new bank, and the new chain begins with both ends, so that
    `jackpot verify` proves all three together. Interrupted, it is run again as it was.

    Example: jackpot bank join north south --into floor --reason "one control room" -c config.toml
    """
    from jackpot.clock import SystemClock
    from jackpot.ledger.join import NotJoined
    from jackpot.ledger.join import join as join_banks
    from jackpot.ledger.open import open_ledger
    from jackpot.ledger.store import LedgerError

    who = person(talk.by)
    if len({first, second, into}) < 3:
        fail("three different names: two banks, and the one that they become")
    if not reason.strip():
        fail("--reason: say why; it is journalled")
    try:
        with closing(open_ledger(ledger_of(talk.config, "give --config FILE"))) as ledger:
            _wait_until_free(ledger, (first, second, into))
            now = SystemClock().unix_ms()
            head = join_banks(ledger, (first, second), into, who, reason, now)
    except (NotJoined, LedgerError) as error:
        fail(f"not joined: {error}")
    typer.echo(f"{first} and {second} are {into} now, head {head.hash.hex()}")
    typer.echo(
        f'Write bank = "{into}" on each of their links in the configuration before the server is started.'
    )


def _wait_until_free(ledger: "Reader", banks: Sequence[str]) -> None:
    """Nobody writes beside a server: a bank whose head moves is one's."""
    from jackpot.ledger.sqlite import SqliteLedger
    from jackpot.server.lease import LOOK_S, TAKEOVER_S

    if isinstance(ledger, SqliteLedger):
        return  # its lock says that no server has it
    seen = {bank: ledger.head(bank) for bank in banks}
    for _ in range(ceil(TAKEOVER_S / LOOK_S)):
        if not any(head.holder for head in seen.values()):
            return
        time.sleep(LOOK_S)
        for bank, head in seen.items():
            if ledger.head(bank) != head:
                fail(f"not joined: {head.holder or 'a server'} is writing bank {bank}: stop it first")
