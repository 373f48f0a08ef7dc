"""`jackpot ledger readings`: the meter readings at the end of each gaming day."""

from contextlib import closing
from itertools import islice, takewhile
from typing import TYPE_CHECKING, Annotated, Final

import typer

from jackpot.cli.api_client import ApiClient, with_api_options
from jackpot.cli.options import LedgerUrl, configured, fail
from jackpot.cli.options import table as print_table

if TYPE_CHECKING:
    from jackpot.reports.readings import DayRead

# Days shown of each bank by default: as many as a month has.
DAYS_SHOWN: Final = 31
_COLUMNS: Final = ["link", "level", "meter", "reserve", "overflow", "wagers", "hits"]

Day = Annotated[str | None, typer.Option("--from", metavar="DAY", help="From this gaming day on.")]
Until = Annotated[str | None, typer.Option("--to", metavar="DAY", help="Up to this gaming day.")]


@with_api_options("config", "bank", "as_json")
def readings(client: ApiClient, ledger: LedgerUrl = None, from_: Day = None, to: Until = None) -> None:
    """List the readings of every meter, taken at the end of each gaming day, the newest first.

    It reads the ledger itself, so it needs no server. Without --from it shows the last 31 days. A day has the
    date on which it began. head is the hash of the reading's row: the bank's head at that moment.

    Example: jackpot ledger readings --from 2026-11-01 --to 2026-11-30 --config /etc/jackpot/config.toml
    """
    from jackpot.ledger.store import LedgerError

    for option, day in (("--from", from_), ("--to", to)):
        _check(option, day)
    try:
        found = _read(client, ledger, from_, to)
    except LedgerError as error:
        fail(str(error))
    if client.as_json:
        import msgspec

        from jackpot.api.queries.journal import reading_of

        client.show(msgspec.to_builtins(list(map(reading_of, found))), "")
        return
    if not found:
        typer.echo("no readings")
    for reading in found:
        _print(client, reading)


def _check(option: str, day: str | None) -> None:
    from datetime import date

    try:
        as_meant = day is None or date.fromisoformat(day).isoformat() == day
    except ValueError:
        as_meant = False
    if not as_meant:
        fail(f"{option}: {day!r} is no day, like 2026-11-20")


def _read(client: ApiClient, url: str | None, from_: str | None, to: str | None) -> "list[DayRead]":
    from jackpot.ledger.open import open_reader
    from jackpot.reports.readings import readings as read

    config = configured(client.config, "give --config FILE")
    with closing(open_reader(url or config.ledger.url)) as ledger:
        there = ledger.banks()
        if client.bank is not None and client.bank not in there:
            fail(f"there is no bank {client.bank} in this ledger; there is {', '.join(there) or 'none'}")
        found: list[DayRead] = []
        for bank in [client.bank] if client.bank else there:
            wanted = (one for one in read(ledger, bank) if to is None or one.day <= to)
            if from_ is None:
                found += islice(wanted, DAYS_SHOWN)
            else:
                found += takewhile(lambda one: one.day >= from_, wanted)
        return found


def _print(client: ApiClient, reading: "DayRead") -> None:
    from jackpot.rules.money import decimal

    rows = [
        [
            meter.link,
            meter.level,
            *(client.money(decimal(sum_)) for sum_ in (meter.primary, meter.reserve, meter.overflow)),
            str(meter.wagers),
            str(meter.hits),
        ]
        for meter in reading.meters
    ]
    print_table(f"gaming day {reading.day}, bank {reading.bank}", _COLUMNS, rows)
    typer.echo(f"read {client.moment(reading.at)}, row {reading.seq:,}, head {reading.hash}\n")
