"""`jackpot ledger seal`: moves old rows out of a ledger once an archive is proved to hold them."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from jackpot.cli.api_client import ALONE, ApiClient, with_api_options
from jackpot.cli.offline_ledger import alone, until_free
from jackpot.cli.options import configured, fail, person
from jackpot.cli.person_admin import signers
from jackpot.cli.progress import bar
from jackpot.text import counted

if TYPE_CHECKING:
    from jackpot.ledger.maintenance.archive import ArchivePlan

# Next steps after success.
_NEXT: Final = """\
{0} is the only place that has these rows now: keep a second copy on another machine.
Prove both: jackpot verify --archive {0}
Nightly backups need it from now on: jackpot ledger nightly --archive {0}"""


@with_api_options(*ALONE, "and_by", "preview")
def seal(
    client: ApiClient,
    archive: Annotated[
        Path, typer.Argument(metavar="ARCHIVE", help="The archive so far, or a new file; on another disk.")
    ],
    reason: Annotated[
        str, typer.Option("--reason", "-r", metavar="TEXT", help="Why; it is journalled.")
    ] = "",
    ledger: Annotated[
        str | None,
        typer.Option(
            "--ledger", metavar="URL", help="PostgreSQL: the same ledger, as the owner of its tables."
        ),
    ] = None,
    days: Annotated[
        int | None,
        typer.Option(
            "--older-than", min=1, metavar="DAYS", help="Only rows that are older leave. [default: 400]"
        ),
    ] = None,
) -> None:
    """Move old rows of tables into an archive, and delete them from the ledger. It takes two admins.

    Before: stop the servers, and take a backup. What leaves are frames of tables that made no hit; acts,
    readings, hits and refusals stay. Rows since an unpaid hit, and of a running cycle, stay too. ARCHIVE is a
    backup of the whole ledger, which is brought up to date and proved first; each row is then compared with
    it. From then on it is the only place that has what left: keep two copies, on two machines. `jackpot
    verify --archive ARCHIVE` proves both. Each of the two types their password. If it is interrupted, run the
    same command again.

    Example: jackpot ledger seal /archive/ledger.db --reason "books of 2025" --by Ann --and-by Bo -c F
    """
    from msgspec.structs import replace

    from jackpot.clock import SystemClock
    from jackpot.ledger.maintenance.archive import OLDER_THAN_DAYS, Archiving, plans
    from jackpot.ledger.maintenance.archive import archive as archive_rows
    from jackpot.ledger.open import opened
    from jackpot.ledger.reading import Reader
    from jackpot.ledger.store import LedgerError
    from jackpot.rules.acts.fields import DAY_MS

    people = _people(client, reason)
    found = configured(client.config, "give --config FILE")
    found = replace(found, ledger=replace(found.ledger, url=ledger)) if ledger else found
    now = SystemClock().unix_ms()
    before_ms = now - (days or OLDER_THAN_DAYS) * DAY_MS
    told: list[ArchivePlan] = []
    failed = ""

    async def work() -> None:
        if client.preview:  # a server may run
            async with opened(found.ledger.url, readonly=True) as books:
                told.extend(await plans(books, before_ms))
            return
        async with alone(found) as store:
            await until_free(store, await store.run(Reader.banks))
            by = await signers(store, found.ledger.url, *people)
            sealing = Archiving(by, reason, before_ms, now)
            with bar() as progress:
                await archive_rows(store, archive, sealing, told.append, progress)

    try:
        asyncio.run(work())
    except LedgerError as error:
        failed = str(error)
    except OSError as error:
        failed = f"{error.filename or archive}: {error.strerror or error}"
    except KeyboardInterrupt:
        failed = f"it was interrupted; rows may have left, so keep {archive}"
    for one in told:
        typer.echo(_plan_text(one, found.site.timezone, preview=client.preview))
    _end(archive, failed, told, preview=client.preview)


def _end(archive: Path, failed: str, told: "list[ArchivePlan]", *, preview: bool) -> None:
    """Prints the next steps; the command fails where it did not finish."""
    some = any(one.upto for one in told)
    left = some and not preview
    if left:
        typer.echo(_NEXT.format(archive))
    if failed:
        fail(f"not sealed{' to the end, run the same command again' * left}: {failed}")
    if not some:
        typer.echo("nothing to archive")


def _people(client: ApiClient, reason: str) -> tuple[str, str]:
    """The people who authorize the archiving; a preview needs none."""
    people = (person(client.by), person(client.and_by))
    if not client.preview and (client.and_by is None or people[0] == people[1]):
        fail("--by NAME --and-by OTHER: it takes two people")
    if not client.preview and not reason.strip():
        fail("--reason: say why; it is journalled")
    return people


def _plan_text(plan: "ArchivePlan", timezone: str, *, preview: bool) -> str:
    """Describes what leaves a bank, or why nothing does."""
    from jackpot.config.writing import local_time

    if not plan.upto:
        return f"{plan.bank}: nothing leaves: {plan.held}"
    verb, day = "would leave" if preview else "left", local_time(plan.at, timezone, "%Y-%m-%d")
    rows = f"{counted(plan.leaving, 'row')} up to row {plan.upto:,} of {day}"
    return f"{plan.bank}: {rows} {verb}; no later ones: {plan.held}"
