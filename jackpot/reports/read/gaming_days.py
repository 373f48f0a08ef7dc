"""Gaming days as spans of journal entries between two readings (S2)."""

from calendar import monthrange
from collections.abc import Iterable
from datetime import UTC, date, datetime, time, timedelta
from itertools import groupby
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

from jackpot.config import Site
from jackpot.ledger.archived import cut_of
from jackpot.ledger.banks import became, begun_with
from jackpot.ledger.reading import Reader
from jackpot.ledger.store import LedgerCorrupt
from jackpot.reports.read.entries import Entry, one, seqs
from jackpot.reports.report import Fact, ReportRequest
from jackpot.rules.acts.readings import ReadingTaken
from jackpot.text import Sentence

# Suffix of a day's name for the moment after it: it sorts after the day, and before the next one.
_LATER: Final = "+"
# Length of the month in a day's name.
_OF_MONTH: Final = len("2026-11")


class DayPart(NamedTuple):
    """The entries with after < seq <= upto. name: "2026-11-20" of a gaming day, "2026-11" of a month."""

    name: str
    after: int
    upto: int


class ReadingRow(NamedTuple):
    """A reading and its entry. at: unix milliseconds."""

    seq: int
    at: int
    reading: ReadingTaken


class EntrySpan(NamedTuple):
    """The entries with after < seq <= upto. opening, closing: the readings that bound them.

    opening: None from the first entry on. closing: None where the last day has not ended.
    """

    after: int
    upto: int
    opening: ReadingRow | None
    closing: ReadingRow | None

    def covers(self, seq: int) -> bool:
        """Whether that entry lies in the span."""
        return self.after < seq <= self.upto

    def rows(self) -> Sentence:
        """The span in words."""
        if self.upto <= self.after:
            return Sentence("no row")
        return Sentence("rows {first} to {last}", first=f"{self.after + 1:,}", last=f"{self.upto:,}")


def span(ledger: Reader, bank: str, site: Site, first: str | None, last: str | None) -> EntrySpan:
    """The entries of the gaming days `first` to `last`, each like 2026-11-20; None has no bound.

    A day without a reading of its own is in the next one's. In a bank without any the site's clocks decide.
    A bank that others became has nothing of the days that were read in those, and they have nothing of the
    days after its first.
    """
    taken = seqs(ledger, bank, ReadingTaken.kind)
    head = ledger.head(bank).seq
    if last is not None and last <= (read_before(ledger, bank) or ""):
        return EntrySpan(0, 0, None, None)
    if first is not None and first > (ends_in(ledger, bank) or first):
        return EntrySpan(head, head, None, None)
    if not taken:
        after = 0 if first is None else _rows_before(ledger, bank, head, site, first)
        upto = head if last is None else _rows_before(ledger, bank, head, site, last + _LATER)
        return EntrySpan(after, upto, None, None)
    after = 0 if first is None else _before(ledger, bank, taken, first)
    end = len(taken) if last is None else _before(ledger, bank, taken, last)
    opening = _read(ledger, bank, taken[after - 1]) if after else None
    closing = _read(ledger, bank, taken[end]) if end < len(taken) else None
    upto = closing.seq if closing else head
    return EntrySpan(opening.seq if opening else 0, upto, opening, closing)


def month_parts(ledger: Reader, bank: str, site: Site, month: str) -> list[DayPart]:
    """The gaming days of a month, like 2026-11, in order."""
    first, last = days_of(month)
    days = span(ledger, bank, site, first, last)
    return [part for part in parts_of(ledger, bank, site, days, "day") if part.name.startswith(month)]


def days_of(month: str) -> tuple[str, str]:
    """The first and the last day of a month."""
    first = date.fromisoformat(f"{month}-01")
    return first.isoformat(), first.replace(day=monthrange(first.year, first.month)[1]).isoformat()


def month_before(month: str) -> str:
    """The month before, like 2026-10."""
    return (date.fromisoformat(f"{month}-01") - timedelta(days=1)).isoformat()[:_OF_MONTH]


def months_of(ledger: Reader, banks: Iterable[str], site: Site) -> list[str]:
    """The months from the first row of these banks to the last one, the newest first."""
    ends = [
        gaming_day(entry.at, site)[:_OF_MONTH]
        for bank in banks
        for entry in (one(ledger, bank, 1), one(ledger, bank, ledger.head(bank).seq))
        if entry is not None
    ]
    months = sorted(ends)[-1:]
    while months and months[-1] > min(ends):
        months.append(month_before(months[-1]))
    return months


def is_month(text: str) -> bool:
    """Whether what somebody typed is a month like 2026-11."""
    return is_day(f"{text}-01")


def wanted_span(ledger: Reader, bank: str, request: ReportRequest) -> EntrySpan:
    """The entries of the days or the month wanted; if none is named, of the last day read, else of all."""
    first, last = request.first, request.last
    if request.month is not None:
        parts = month_parts(ledger, bank, request.site, request.month)
        return EntrySpan(parts[0].after if parts else 0, parts[-1].upto if parts else 0, None, None)
    if first is None and last is None:
        first = last = last_day(ledger, bank)
    return span(ledger, bank, request.site, first, last)


def last_month(ledger: Reader, banks: Iterable[str]) -> tuple[str | None, str | None]:
    """The first and the last day of the last month that has ended; of the first one while that goes on.

    None where no day was read.
    """
    reads = [(_read(ledger, bank, taken[0]).reading.day, _read(ledger, bank, taken[-1]).reading.day)
             for bank in banks if (taken := seqs(ledger, bank, ReadingTaken.kind))]  # fmt: skip
    if not reads:
        return None, None
    next_day = date.fromisoformat(max(last for _, last in reads)) + timedelta(days=1)
    month = next_day.replace(day=1) - timedelta(days=1)
    if month.isoformat() < min(first for first, _ in reads):
        month = next_day
    last = month.replace(day=monthrange(month.year, month.month)[1])
    return month.replace(day=1).isoformat(), last.isoformat()


def parts_of(ledger: Reader, bank: str, site: Site, days: EntrySpan, by: str) -> list[DayPart]:
    """The gaming days or months of a span, in order. by: one of BY.

    Behind the last reading, and in a bank without any, the site's clocks decide.
    """
    parts, after = list[DayPart](), days.after
    for seq in seqs(ledger, bank, ReadingTaken.kind):
        if days.covers(seq):
            parts.append(DayPart(_read(ledger, bank, seq).reading.day, after, seq))
            after = seq
    while after < days.upto and (entry := one(ledger, bank, after + 1)) is not None:
        day = gaming_day(entry.at, site)
        end = min(days.upto, _rows_before(ledger, bank, days.upto, site, day + _LATER))
        parts.append(DayPart(day, after, end if end > after else days.upto))
        after = parts[-1].upto
    if by == "day":
        return parts
    months = [list(of) for _, of in groupby(parts, lambda part: part.name[:_OF_MONTH])]
    return [DayPart(of[0].name[:_OF_MONTH], of[0].after, of[-1].upto) for of in months]


def last_day(ledger: Reader, bank: str) -> str | None:
    """The gaming day that was read last; None where none was."""
    taken = seqs(ledger, bank, ReadingTaken.kind)
    return _read(ledger, bank, taken[-1]).reading.day if taken else None


def reading_upto(ledger: Reader, bank: str, day: str) -> ReadingRow | None:
    """The last reading of that day or of one before it; None where there is none."""
    taken = seqs(ledger, bank, ReadingTaken.kind)
    number = _before(ledger, bank, taken, day + _LATER)
    return _read(ledger, bank, taken[number - 1]) if number else None


def rows_upto(ledger: Reader, bank: str, site: Site, day: str | None) -> int:
    """The number of the last row of a gaming day by the rows' own times; of the last row of all for None."""
    head = ledger.head(bank).seq
    return head if day is None else _rows_before(ledger, bank, head, site, day + _LATER)


def read_before(ledger: Reader, bank: str) -> str | None:
    """The gaming day that was read last in the banks that became this one; None where none was."""
    days = [day for part in begun_with(ledger, bank)
            if (day := last_day(ledger, part) or read_before(ledger, part))]  # fmt: skip
    return max(days, default=None)


def ends_in(ledger: Reader, bank: str) -> str | None:
    """The first gaming day read in the bank that a joined bank became: the day of its last rows.


    None where the bank goes on, or none was read.
    """
    if not (into := became(ledger, bank)):
        return None
    taken = seqs(ledger, into, ReadingTaken.kind)
    return _read(ledger, into, taken[0]).reading.day if taken else ends_in(ledger, into)


def gaming_day(unix_ms: int, site: Site) -> str:
    """The gaming day of a moment by the site's clocks: named by the date on which it began."""
    local = datetime.fromtimestamp(unix_ms // 1000, UTC).astimezone(ZoneInfo(site.timezone))
    began = local.date() if local.time() >= site.gaming_day_ends else local.date() - timedelta(days=1)
    return began.isoformat()


def day_began(day: str, site: Site) -> int:
    """When the gaming day of that date begins by the site's clocks, in unix milliseconds."""
    local = datetime.combine(date.fromisoformat(day), site.gaming_day_ends, ZoneInfo(site.timezone))
    return int(local.timestamp()) * 1000


def day_ended(day: str, site: Site) -> int:
    """When the gaming day of that date ends, and the next one begins, in unix milliseconds."""
    return day_began((date.fromisoformat(day) + timedelta(days=1)).isoformat(), site)


def hour(unix_ms: int, site: Site) -> str:
    """The hour of a moment by the site's clocks: "2026-11-20 21:00 EST"."""
    local = datetime.fromtimestamp(unix_ms // 1000, UTC).astimezone(ZoneInfo(site.timezone))
    return local.strftime("%Y-%m-%d %H:00 %Z")


def hour_began(unix_ms: int, site: Site) -> int:
    """The beginning of the hour of a time by the site's clocks, in unix milliseconds."""
    local = datetime.fromtimestamp(unix_ms // 1000, UTC).astimezone(ZoneInfo(site.timezone))
    return unix_ms - (local.minute * 60 + local.second) * 1000 - unix_ms % 1000


def periods(spans: dict[str, EntrySpan]) -> list[Fact]:
    """The entries of each bank that a report covers."""
    return [Fact(bank, _period(each)) for bank, each in spans.items()]


def _period(span: EntrySpan) -> Sentence:
    if not (span.opening or span.closing):
        return span.rows()
    if not span.closing:
        last = Sentence("to the last row")
    else:
        last = Sentence("to the reading of {day}", day=span.closing.reading.day)
    if not span.opening:
        first = Sentence("from the first row")
    else:
        first = Sentence("after the reading of {day}", day=span.opening.reading.day)
    return Sentence("{rows}: {first}, {last}", rows=span.rows(), first=first, last=last)


def is_day(text: str) -> bool:
    """Whether what somebody typed is a day like 2026-11-20.

    None is of the calendar's last year: the end of its last day is in a year that no clock can show.
    """
    try:
        day = date.fromisoformat(text)
        return day.year < date.max.year and day.isoformat() == text
    except ValueError:
        return False


def offset_ms(ends: time) -> int:
    """Milliseconds after midnight at which a gaming day ends."""
    return ((ends.hour * 60 + ends.minute) * 60 + ends.second) * 1000


def _before(ledger: Reader, bank: str, taken: list[int], day: str) -> int:
    """Number of the readings of days before that one."""
    low, high = 0, len(taken)
    while low < high:
        middle = (low + high) // 2
        if _read(ledger, bank, taken[middle]).reading.day < day:
            low = middle + 1
        else:
            high = middle
    return low


def _rows_before(ledger: Reader, bank: str, head: int, site: Site, day: str) -> int:
    """Number of rows of the bank of gaming days before that one, by their own times.


    0 where archived rows may be of it.
    """
    cut = cut_of(ledger, bank)
    first = cut.seq if cut else 0
    low, high = first, head
    while low < high:
        middle = (low + high) // 2
        entry = one(ledger, bank, middle + 1)
        if entry is not None and gaming_day(entry.at, site) < day:
            low = middle + 1
        else:
            high = middle
    return low if low > first else 0


def _read(ledger: Reader, bank: str, seq: int) -> ReadingRow:
    entry: Entry | None = one(ledger, bank, seq)
    event = None if entry is None else entry.event
    if entry is None or not isinstance(event, ReadingTaken):
        raise LedgerCorrupt(f"{bank}: row {seq} was a reading and is none now")
    return ReadingRow(entry.seq, entry.at, event)
