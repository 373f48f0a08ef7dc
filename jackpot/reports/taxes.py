"""Report of tax forms and withholding: payments that took a form, or that are to be reported as cash."""

from collections.abc import Iterator
from typing import Final

from jackpot.catalogue.figures import rate_text
from jackpot.config import Site
from jackpot.ledger.reading import Reader
from jackpot.reports.read.entries import Entry, of_kinds
from jackpot.reports.read.gaming_days import EntrySpan, gaming_day, periods, wanted_span
from jackpot.reports.read.hits import story_called
from jackpot.reports.report import Cell, Report, ReportColumn, ReportRequest, ReportResult
from jackpot.rules.acts.cash import CashNoticed
from jackpot.rules.acts.hits import Corrected, Paid, cash_of_day, over_in_cash
from jackpot.rules.money import from_cents, to_cents
from jackpot.rules.tax import Payee, Winnings, withholds
from jackpot.text import Sentence

COLUMNS: Final = (
    ReportColumn("bank"),
    ReportColumn("gaming_day"),
    ReportColumn("paid", "moment"),
    ReportColumn("hit"),
    ReportColumn("seat", "count"),
    ReportColumn("form", help="that was due by law"),
    ReportColumn("winnings", "sum", "of the wager, all that it won"),
    ReportColumn("wager", "sum"),
    ReportColumn("amount", "sum", "of this payment, with what was withheld", total=True),
    ReportColumn("withheld", "sum", "of this payment", total=True),
    ReportColumn("rate_withheld", "figure", spare=True),
    ReportColumn(
        "withheld_as",
        "text",
        "regular, of a win so large; backup, without a taxpayer number; or not a resident",
        spare=True,
    ),
    ReportColumn("way", "word", "of payment", spare=True),
    ReportColumn("other_way", "word", "of a part of it", spare=True),
    ReportColumn("other_sum", "sum", "that part", spare=True),
    ReportColumn("cash_of_day", "sum", "to that patron in the gaming day, where it is to be reported"),
)


def find(ledger: Reader, request: ReportRequest) -> ReportResult:
    """The payments of the gaming days, the oldest first. Raises LedgerError."""
    spans = {bank: wanted_span(ledger, bank, request) for bank in request.banks}
    rows = (row for bank, days in spans.items() for row in _of_bank(ledger, bank, days, request.site))
    return ReportResult(periods(spans), rows, [])


def _of_bank(ledger: Reader, bank: str, days: EntrySpan, site: Site) -> Iterator[tuple[Cell, ...]]:
    kinds = (Paid.kind, Corrected.kind, CashNoticed.kind)
    for entry in of_kinds(ledger, bank, kinds, days.after, days.upto):
        event = entry.event
        if isinstance(event, CashNoticed):
            yield _noticed(bank, event)
        elif isinstance(event, Paid | Corrected) and event.tax is not None and _is_told(event):
            yield _row(ledger, bank, entry, event, site)


def _is_told(event: Paid | Corrected) -> bool:
    return bool(event.form) or over_in_cash(event)


def _noticed(bank: str, event: CashNoticed) -> tuple[Cell, ...]:
    """The row of a notice that came after its payments: of the day, and of no one payment."""
    row: dict[str, Cell] = {
        "bank": bank, "gaming_day": event.day, "hit": f"H{event.hit}", "seat": event.seat, "form": "",
        "rate_withheld": "", "withheld_as": "", "way": "cash", "cash_of_day": from_cents(event.cash),
    }  # fmt: skip
    return tuple(row.get(column.name) for column in COLUMNS)


def _row(ledger: Reader, bank: str, entry: Entry, event: Paid | Corrected, site: Site) -> tuple[Cell, ...]:
    awards = event.awards if isinstance(event, Paid) else [event.award]
    story = story_called(ledger, bank, event.hit)
    made = {award.number: award for award in story.hit.awards} if story is not None else {}
    seat = made[awards[0]].seat if awards[0] in made else None
    returned = sum(one.stake for one in made.values() if one.seat == seat and one.stands())
    return (
        bank, gaming_day(entry.at, site), entry.at, f"H{event.hit}", seat, event.form,
        from_cents(event.winnings), from_cents(event.wager), from_cents(event.paid),
        from_cents(event.withheld), rate_text(event.rate) if event.rate else "",
        withheld_as(event, to_cents(returned)), event.way, *_part(event),
        from_cents(cash_of_day(event)) if over_in_cash(event) else None,
    )  # fmt: skip


def withheld_as(event: Paid | Corrected, returned: int) -> str:
    """Why something was withheld, as the returns of the house have it apart; "" where nothing was.

    returned: of the wager, besides the winnings, in cents.
    """
    if event.tax is None or not event.withheld:
        return ""
    if event.form == event.tax.foreign_form:
        return Sentence("not a resident")
    won = Winnings(event.wager, event.winnings, 0, 0, 0, returned)
    return Sentence("regular") if withholds(event.tax, won, Payee()) else Sentence("backup")


def _part(event: Paid | Corrected) -> tuple[str, int | None]:
    """The part that was given another way, and how; none of a correction."""
    if not isinstance(event, Paid) or not event.other_way:
        return "", None
    return event.other_way, from_cents(event.other_sum)


REPORT: Final = Report(
    "taxes",
    "Tax forms and withholding",
    "Which payments took a tax form, what was withheld, and which cash is to be reported? The oldest first.",
    COLUMNS,
    ("days",),
    find,
    "--from 2026-11-01 --to 2026-11-30",
)
