"""Reports of the meters at a gaming day's end: the liability, and a slip of each link's reading.

They are made of the day's reading. Of a day that has none they are made of the reading before it, of the
postings up to its end, and of the hits that changed meanwhile.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from jackpot.ledger.banks import became
from jackpot.ledger.reading import Reader
from jackpot.reports.read.entries import must_be_here
from jackpot.reports.read.gaming_days import ReadingRow, last_day, reading_upto, rows_upto
from jackpot.reports.read.hits import HitStory, stories_within
from jackpot.reports.read.names import HOUSE, JournalNames, must_know
from jackpot.reports.reconcile import moved
from jackpot.reports.report import (
    Cell,
    Fact,
    Report,
    ReportColumn,
    ReportRefused,
    ReportRequest,
    ReportResult,
)
from jackpot.rules.state import UNPAID, Award, Status
from jackpot.text import Sentence

COLUMNS: Final = (
    ReportColumn("bank"),
    ReportColumn("link"),
    ReportColumn("level", "word", help="house: odds, envy and draws, which no meter pays"),
    ReportColumn("meter", "money", "as it stood", total=True),
    ReportColumn("base", "money", "what the level begins with again: the house's own", total=True),
    ReportColumn("over_base", "money", "the meter, less its base", total=True, always=True),
    ReportColumn("reserve", "money", total=True),
    ReportColumn("overflow", "money", "above the limit", total=True),
    ReportColumn("pending", "money", "won, and not validated yet", total=True, always=True),
    ReportColumn("unpaid", "money", "validated, and not paid yet", total=True, always=True),
    ReportColumn("liability", "money", "over base, reserve, overflow, pending and unpaid", total=True),
)
READING: Final = (
    ReportColumn("level", "word"),
    ReportColumn("meter", "sum", "as it stood"),
    ReportColumn("reserve", "sum", always=True),
    ReportColumn("overflow", "sum", always=True),
    ReportColumn("wagers", "count", "counted since the link opened", always=True),
    ReportColumn("hits", "count", "of the level, since the link opened", always=True),
)
# Bytes of a hash in one group: as many as the eye keeps while comparing two papers.
_HASH_GROUP: Final = 4

Key = tuple[int, int]
"""A link and a level by their numbers; level 0 is what no meter pays."""


class DayEndMeters(NamedTuple):
    """Meters of a bank at the end of a gaming day, after row `upto`.

    read: the day's own reading, or the newest before it; None where the bank has none. own: it is the day's.
    """

    upto: int
    meters: Mapping[Key, tuple[int, int, int]]
    read: ReadingRow | None
    own: bool


def find(ledger: Reader, request: ReportRequest) -> ReportResult:
    """What is owed of every level at the end of one gaming day. Raises ReportRefused, LedgerError."""
    named = [names for bank in request.banks if (names := JournalNames(ledger, bank)).links]
    must_know(named, [request.link] if request.link else [])
    facts: list[Fact] = []
    rows: list[tuple[Cell, ...]] = []
    for names in named:
        day = request.last or last_day(ledger, names.bank)
        stand = _stand(ledger, request, names, day)
        if not stand.upto or (became(ledger, names.bank) and stand.upto == ledger.head(names.bank).seq):
            continue  # the bank began later, or had become another by then
        facts.append(Fact(names.bank, _basis(stand, day)))
        rows += _rows(names, stand, _waiting(ledger, names, stand), request)
    owed = Fact("amount", sum(int(row[-1] or 0) for row in rows), "money")
    return ReportResult([owed, *facts], iter(rows), [])


def find_slip(ledger: Reader, request: ReportRequest) -> ReportResult:
    """One link's reading, on a paper to sign. Raises ReportRefused, LedgerError."""
    named = [names for bank in request.banks if (names := JournalNames(ledger, bank)).links]
    must_know(named, [request.link] if request.link else [])
    links = {terms.link for names in named for terms in names.links.values()}
    if request.link is None and len(links) != 1:
        known = " ".join(sorted(links))
        raise ReportRefused(
            "slip_of_several_links", "a slip is of one link; there is {links}", field="link", links=known
        )
    link = request.link or links.pop()
    # A link goes on in the bank that its own became: the newest that read it on that day has it.
    holds = [names for names in reversed(named) if names.number(link) is not None]
    day = request.last or next((day for names in holds if (day := last_day(ledger, names.bank))), None)
    names, read = _read_in(ledger, holds, day)
    number = names.number(link)
    row = ledger.rows(names.bank, read.seq - 1, 1)[0]
    facts = [
        Fact("link", request.title(link)),
        Fact("gaming day", read.reading.day),
        Fact("read", read.at, "moment"),
        Fact("journal", Sentence("row {row}, {hash}", row=read.seq, hash=row.hash.hex(" ", _HASH_GROUP))),
    ]
    rows: list[tuple[Cell, ...]] = [
        (names.level(of, level), *figures) for of, level, *figures in read.reading.meters if of == number
    ]
    return ReportResult(facts, iter(rows), [])


def _read_in(
    ledger: Reader, banks: Iterable[JournalNames], day: str | None
) -> tuple[JournalNames, ReadingRow]:
    """The first bank that has a reading of that day, with it. Raises ReportRefused."""
    for names in banks if day is not None else ():
        read = reading_upto(ledger, names.bank, str(day))
        if read is not None and read.reading.day == day:
            return names, read
    raise ReportRefused(
        "no_reading_taken", "no reading was taken for {day}", field="day", day=day or Sentence("any day")
    )


def _stand(ledger: Reader, request: ReportRequest, names: JournalNames, day: str | None) -> DayEndMeters:
    """The meters as they were read, or as the postings since the reading before moved them."""
    bank = names.bank
    read = None if day is None else reading_upto(ledger, bank, day)
    known = (
        {} if read is None else {(one[0], one[1]): (one[2], one[3], one[4]) for one in read.reading.meters}
    )
    if read is not None and read.reading.day == day:
        return DayEndMeters(read.seq, known, read, own=True)
    upto, after = rows_upto(ledger, bank, request.site, day), 0 if read is None else read.seq
    if not after:
        must_be_here(ledger, bank, 0)  # all postings are summed
    for key, accounts in moved(ledger, bank, after, upto).items():
        if key[1]:
            before = known.get(key, (0, 0, 0))
            change = accounts.primary, accounts.reserve, accounts.overflow
            known[key] = before[0] + change[0], before[1] + change[1], before[2] + change[2]
    return DayEndMeters(upto, known, read, own=False)


def _basis(stand: DayEndMeters, day: str | None) -> Sentence:
    """How the meters are known."""
    if stand.own:
        return Sentence("as read at the end of {day}, row {row}", day=day, row=f"{stand.upto:,}")
    if day is None:
        return Sentence("no gaming day has ended: after row {row}", row=f"{stand.upto:,}")
    return Sentence("{day} has no reading: after its last row, {row}", day=day, row=f"{stand.upto:,}")


def _waiting(ledger: Reader, names: JournalNames, stand: DayEndMeters) -> Counter[tuple[Key, Status]]:
    """What was won up to a row and was not paid then, by level and status; micro-dollars.

    A reading has it; after that only the hits that people or tables have changed since are looked at.
    """
    found: Counter[tuple[Key, Status]] = Counter()
    read = stand.read
    for link, level, *sums in () if read is None else read.reading.waiting:
        for status, sum_ in zip(UNPAID, sums, strict=True):
            found[(link, level), status] += sum_
    if stand.own:
        return found
    since = 0 if read is None else read.seq
    for story in stories_within(ledger, names.bank, since, stand.upto):
        for award in story.hit.awards:
            for row, sign in ((since, -1), (stand.upto, 1)):
                if story.bank != names.bank or story.made[award.number] <= row:
                    amount, status = _as_of(story, award, names.bank, row)
                    found[(award.link, award.level), status] += sign * amount
    return found


def _as_of(story: HitStory, award: Award, bank: str, upto: int) -> tuple[int, Status]:
    """What an award came to after a row, and its status then."""
    amount, status = story.first[award.number], story.began[award.number]
    for step in story.steps[award.number]:
        if step.bank == bank and step.seq > upto:
            break
        if step.what in ("raised", "corrected"):
            if status not in ("paid", "final"):
                amount, status = step.amount, "pending"
        else:
            status = step.what  # type: ignore[assignment]  # the names of its events
    return amount, status


def _rows(
    names: JournalNames,
    stand: DayEndMeters,
    waiting: Mapping[tuple[Key, Status], int],
    request: ReportRequest,
) -> Iterator[tuple[Cell, ...]]:
    for key in names.levels():
        owed = [waiting.get((key, status), 0) for status in UNPAID]
        if request.link not in (None, names.link(key[0])) or (key not in stand.meters and not any(owed)):
            continue
        meters = stand.meters.get(key)
        own: list[Cell] = [None] * 5
        over = 0
        if meters is not None:
            # On the day's own terms: a link may have changed them since. One that has ended begins no more.
            base = names.terms(*key, stand.upto).reseed if any(meters) else 0
            own = [meters[0], base, meters[0] - base, meters[1], meters[2]]
            over = sum(meters) - base
        level = names.level(*key) if key[1] else HOUSE
        yield names.bank, request.link_cell(names.link(key[0])), level, *own, *owed, over + sum(owed)


REPORTS: Final = (
    Report(
        "liability",
        "Liability at the end of a gaming day",
        "What stood on the meters over their base, in reserves and overflows, and what was won and not paid? "
        "By link and level, on one page to be signed.",
        COLUMNS,
        ("day", "link"),
        find,
        "--day 2026-11-20 --html liability.html",
        ("Prepared by, signature", "Accounting, signature", "Date and time"),
    ),
    Report(
        "reading-slip",
        "Slip of a reading",
        "One link's meters as they were read at the end of a gaming day, to be signed.",
        READING,
        ("day", "link"),
        find_slip,
        "--day 2026-11-20 --link floor-five --html reading.html",
        ("Read by, signature", "Witness, signature", "Date and time"),
    ),
)
