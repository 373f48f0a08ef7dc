"""Queries of a bank's journal, and of the meter readings at each gaming day's end."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple

import msgspec
from msgspec import Meta

from controllers.messages import Id
from jackpot.api.operation import (
    BadRequest,
    Kind,
    Limit,
    Moment,
    Money,
    NotDone,
    Query,
    Reply,
    Seq,
    number,
)
from jackpot.config.display import titles_of
from jackpot.config.writing import writing
from jackpot.reports import readings as books_of_readings
from jackpot.reports.entry_text import about, reason
from jackpot.reports.read.gaming_days import is_day, span
from jackpot.reports.read.journal import JournalFilter, JournalPage, NoSuchKind, search
from jackpot.reports.read.names import JournalNames
from jackpot.rules import registry
from jackpot.rules.acts.act import BankKey
from jackpot.rules.acts.fields import HitId
from jackpot.rules.codes import Code
from jackpot.rules.money import decimal
from jackpot.rules.postings import Posting as Posted
from jackpot.text import RefusalSentence

if TYPE_CHECKING:
    from jackpot.api.query_context import QueryContext
    from jackpot.bank.bank import Bank
    from jackpot.config import Config
    from jackpot.ledger.journal import Row
    from jackpot.ledger.reading import Reader
    from jackpot.rules.engine import Engine

PersonNumber = Annotated[int, Meta(ge=1, le=2**31 - 1, description="a person's number")]
Day = Annotated[
    str, Meta(pattern=r"^\d{4}-\d{2}-\d{2}(?!\n)$", description="a gaming day, such as 2026-11-20")
]
_ACCOUNTS: Final = Posted._fields[3:]


class Meter(Reply, frozen=True):
    """One level in a reading (S2)."""

    link: str
    level: str
    value: Money
    reserve: Money
    overflow: Money
    wagers: int
    hits: int


class Reading(Reply, frozen=True):
    """The meters at a gaming day's end, and the bank's head there."""

    day: str
    bank: str
    at: Moment
    seq: int
    epoch: int
    hash: str
    meters: tuple[Meter, ...]


class Readings(Reply, frozen=True):
    readings: tuple[Reading, ...]
    before: int | None


class AskReadings(Query, frozen=True):
    """Every meter at each gaming day's end, the newest first (S2).

    before: an entry's number.
    """

    path = "/readings"
    reply = Readings
    bank_key = BankKey.SAID
    bank: Id | None = None
    before: Seq | None = None
    limit: Limit = 10

    async def answer(self, at: "QueryContext") -> Readings:
        bank = await at.own(self, self.bank)
        stored = await at.books.read(
            lambda ledger: books_of_readings.stored(ledger, bank.name, self.before, self.limit)
        )
        days = await bank.ask(
            lambda engine: [books_of_readings.with_names(bank.name, engine.state, one) for one in stored]
        )
        before = stored[-1].seq if len(stored) == self.limit else None
        return Readings(readings=tuple(map(reading_of, days)), before=before)


class Posting(Reply, frozen=True):
    """The movement of an entry on one level, by account; level None for awards that no meter pays (M4)."""

    link: str
    level: str | None
    cycle: int
    accounts: dict[str, Money]


class Entry(Reply, frozen=True):
    """A row of the journal. event: its fields as they were decided; sums in it are micro-dollars.

    about, by, reason: the same in words, with sums as the site writes them; "" where nobody stood for it.
    """

    seq: int
    at: Moment
    epoch: int
    kind: str
    version: int
    table: str | None
    table_seq: int | None
    about: str
    by: str
    reason: str
    event: dict[str, Any]
    postings: tuple[Posting, ...]
    hash: str


class Journal(Reply, frozen=True):
    """One page of a search of the journal.

    before: what goes on with the search; a page may be empty where what is looked for is rare.

    archived: up to that entry the frames of tables that made no hit are in an archive alone, where the page
    reaches so far; else null, and no entry is missing.
    """

    bank: str
    entries: tuple[Entry, ...]
    before: int | None
    archived: int | None


class AskJournal(Query, frozen=True):
    """Entries of a bank's journal, the newest first. before: older than this.

    kind, table, person, hit: those alone. person: who signed them, by number. day: the gaming day.
    """

    path = "/journal"
    reply = Journal
    bank: Id | None = None
    before: Seq | None = None
    kind: Kind | None = None
    table: Id | None = None
    person: PersonNumber | None = None
    hit: HitId | None = None
    day: Day | None = None
    limit: Limit = 50

    async def answer(self, at: "QueryContext") -> Journal:
        bank = await at.own(self, self.bank)
        page, words = await self._search(at, bank)
        told = list(zip(page.rows, words, strict=True))
        entries = await bank.ask(lambda engine: [_entry(engine, *one) for one in told])
        return Journal(bank=bank.name, entries=tuple(entries), before=page.before, archived=page.archived)

    async def _search(self, at: "QueryContext", bank: "Bank") -> tuple[JournalPage, list["_Words"]]:
        """A page of rows, and each in words."""
        table = None
        if self.table is not None:
            found = await bank.ask(lambda engine: engine.table(self.table or ""))
            if found is None:
                raise NotDone(
                    Code.NO_SUCH_TABLE,
                    RefusalSentence("{table} is not open yet", field="table", table=repr(self.table)),
                )
            table = found.number
        if self.day is not None and not is_day(self.day):
            day = repr(self.day)
            raise BadRequest(RefusalSentence("{day} is no day like 2026-11-20", field="day", day=day))
        wanted = JournalFilter(self.limit, self.before, self.kind, table, self.person, number(self.hit))
        try:
            return await at.books.read(lambda ledger: _search(ledger, at.config, bank.name, wanted, self.day))
        except NoSuchKind as error:
            raise BadRequest(error.said) from error


class _Words(NamedTuple):
    """Describes an entry in words."""

    about: str
    by: str
    reason: str


def _search(
    ledger: "Reader", config: "Config", bank: str, filter_: JournalFilter, day: str | None
) -> tuple[JournalPage, list[_Words]]:
    if day is not None:
        of_day = span(ledger, bank, config.site, day, day)
        end = of_day.upto + 1
        filter_ = filter_._replace(
            after=of_day.after, before=end if filter_.before is None else min(end, filter_.before)
        )
    page, names, site = search(ledger, bank, filter_), JournalNames(ledger, bank), config.site
    money, titles = writing(site.locale, site.currency).exact, titles_of(config.displays)

    def title(link: str) -> str:
        return titles.get(link, link)

    return page, [_in_words(names, row, money, title) for row in page.rows]


def reading_of(read: books_of_readings.DayRead) -> Reading:
    """A reading as replies have it."""
    meters = tuple(
        Meter(
            link=meter.link,
            level=meter.level,
            value=decimal(meter.primary),
            reserve=decimal(meter.reserve),
            overflow=decimal(meter.overflow),
            wagers=meter.wagers,
            hits=meter.hits,
        )
        for meter in read.meters
    )
    at = {name: getattr(read, name) for name in ("day", "bank", "at", "seq", "epoch", "hash")}
    return Reading(**at, meters=meters)


def _in_words(
    names: JournalNames, row: "Row", money: Callable[[int], str], title: Callable[[str], str]
) -> _Words:
    event = registry.decode(row.kind, row.version, row.body)
    return _Words(about(names, event, money, title), names.who(getattr(event, "people", None)), reason(event))


def _entry(engine: "Engine", row: "Row", words: _Words) -> Entry:
    event = registry.decode(row.kind, row.version, row.body)
    return Entry(
        seq=row.seq,
        at=row.at,
        epoch=row.epoch,
        kind=registry.name_of(row.kind),
        version=row.version,
        table=None if row.table is None else engine.state.table(row.table).terms.table,
        table_seq=row.table_seq,
        **words._asdict(),
        event=plain(event),
        postings=tuple(_posting(engine, posting) for posting in row.postings),
        hash=row.hash.hex(),
    )


def _posting(engine: "Engine", posting: Posted) -> Posting:
    terms = engine.state.link(posting.link).terms
    moved = zip(_ACCOUNTS, posting[3:], strict=True)
    return Posting(
        link=terms.link,
        level=terms.levels[posting.level - 1].level if posting.level else None,
        cycle=posting.cycle,
        accounts={account: decimal(micros) for account, micros in moved if micros},
    )


def plain(value: Any) -> Any:
    """Journal data as JSON with the names of its fields; bytes as hex digits."""
    match value:
        case msgspec.Struct():
            return {name: plain(getattr(value, name)) for name in value.__struct_fields__}
        case tuple() if hasattr(value, "_fields"):
            return {name: plain(part) for name, part in zip(value._fields, value, strict=True)}
        case dict():
            return {str(key): plain(part) for key, part in value.items()}
        case list() | tuple():
            return [plain(part) for part in value]
        case bytes():
            return value.hex()
    return value
