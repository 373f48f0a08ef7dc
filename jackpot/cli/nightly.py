"""`jackpot ledger nightly`: scheduled backup of a ledger, proved by a trial restore."""

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from jackpot.cli.options import ConfigFile, LedgerUrl, SealedArchive, fail, ledger_of, options
from jackpot.cli.progress import bar
from jackpot.cli.textfile import TextFile, tell
from jackpot.text import counted

if TYPE_CHECKING:
    from jackpot.ledger.maintenance.nightly import NightlyBackup


@dataclass(frozen=True)
class NightlyOptions:
    """Options of the command."""

    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="The folder of the backups, on another disk.")
    ]
    config: ConfigFile = None
    ledger: LedgerUrl = None
    keep: Annotated[
        int | None,
        typer.Option(
            "--keep", min=1, metavar="N", help="How many backups stay, the newest ones. [default: 14]"
        ),
    ] = None
    archive: SealedArchive = None
    textfile: TextFile = None


@options(NightlyOptions)
def nightly(asked: NightlyOptions) -> None:
    """Back a ledger up into a new file, restore that on trial, verify it, and delete old backups.

    For a timer, such as deploy/jackpot-backup.timer; a server may run. Each bank of the trial ledger is
    proved from its first row, and must end with the source's head. The trial takes as much room in FOLDER as
    a backup. Each backup is whole from row 1: of a ledger that was sealed it begins as a copy of --archive.
    Only backups of this ledger that no server took into use are counted and deleted. If anything
    fails, no older backup is deleted, and the file of --textfile stays as it was, so that an alert sees it.

    Example: jackpot ledger nightly /backup/ledger --keep 30 --config /etc/jackpot/config.toml
    """
    from jackpot.clock import SystemClock
    from jackpot.ledger.maintenance.nightly import KEPT, BackupRetention, night
    from jackpot.ledger.open import opened
    from jackpot.ledger.store import LedgerError

    url = ledger_of(asked.ledger, asked.config)

    async def work() -> "NightlyBackup":
        async with opened(url, readonly=True) as source:
            with bar() as progress:
                return await night(
                    source,
                    asked.folder,
                    SystemClock().unix_ms(),
                    BackupRetention(asked.keep or KEPT, asked.archive),
                    progress,
                )

    try:
        done = asyncio.run(work())
    except LedgerError as error:
        fail(f"not backed up: {error}")
    except OSError as error:
        fail(f"not backed up: {error.filename or asked.folder}: {error.strerror or error}")
    for bank in done.copied:
        head = bank.head
        typer.echo(f"{head.bank}: {done.file} came back with all {head.seq:,} rows, head {head.hash.hex()}")
    if done.gone:
        typer.echo(f"let go: {counted(len(done.gone), 'older backup')}")
    if asked.textfile is not None:
        tell(asked.textfile, "backup_proved", {bank.head.bank: bank.head.seq for bank in done.copied})
