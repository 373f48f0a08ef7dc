"""What does the server answer to those who only ask? Every question of the API, from state and ledger.

A bank that another server may have changed by now is never answered for.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, Final, NamedTuple

import msgspec

from jackpot import __version__
from jackpot.books import hits as books_of_hits
from jackpot.books import readings as books_of_readings
from jackpot.books.cards import cards_of
from jackpot.books.journal import NoSuchKind, Wanted, search
from jackpot.books.names import Names, opened_at
from jackpot.books.people import Called, last_sign_ins
from jackpot.books.reader import Books
from jackpot.books.telling import about, reason
from jackpot.catalogue import rate_text
from jackpot.config import Config
from jackpot.config.writing import writing
from jackpot.ledger.journal import Row
from jackpot.ledger.reading import Reader
from jackpot.rules import kinds, views
from jackpot.rules.codes import Code
from jackpot.rules.engine import Engine
from jackpot.rules.money import decimal, from_cents
from jackpot.rules.postings import Posting
from jackpot.rules.signing import OPERATOR, People
from jackpot.server import asks, replies
from jackpot.server.agreement import link_terms
from jackpot.server.asks import BadRequest, Question, Request
from jackpot.server.desk import Desk
from jackpot.server.devices import Devices
from jackpot.server.history import hits_of
from jackpot.server.people import Person
from jackpot.server.preview import differing, preview
from jackpot.server.replies import Reply
from jackpot.server.roster import Roster
from jackpot.server.tenure import Tenure
from jackpot.server.waiting import still_ms, told_of, waiting, waits_of
from jackpot.server.whose import NotDone, Whose, number

Map = dict[str, Any]

# Where nobody has signed, the ledger need not be read for names.
NOBODY: Final = Called({}, {})
_ACCOUNTS: Final = Posting._fields[3:]


class _Words(NamedTuple):
    """An entry as people read it."""

    about: str
    by: str
    reason: str


class Questions:
    """Answers questions. tenures: by bank."""

    def __init__(
        self, whose: Whose, tenures: Mapping[str, Tenure], books: Books, config: Config, roster: Roster
    ) -> None:
        self._roster = roster
        self._whose = whose
        self._tenures = tenures
        self._books = books
        self._config = config

    async def answer(self, request: Request) -> Reply:
        """Raises BadRequest, NotDone, BankStopped, LedgerError."""
        match request.ask:
            case asks.OfSite():
                return self._site()
            case asks.Leases():
                return self._leases()
            case asks.Devices():
                return self._devices()
            case asks.Links(bank) | asks.Tables(bank):
                return await self._listed(request.ask, bank)
            case asks.OneLink(link):
                writer = await self._whose.own(request)
                found = {one.link: one for one in await self._links(writer)}.get(link)
                if found is None:
                    raise NotDone(Code.UNKNOWN_LINK, f"link: {link!r} is not open yet")
                began = await self._books.read(lambda ledger: opened_at(ledger, writer.bank, link))
                return msgspec.structs.replace(found, opened=began)
            case asks.Preview():
                return await preview(await self._whose.own(request), request.ask, self._config)
            case asks.OneTable(table):
                tables = {one.table: one for one in await self._tables(await self._whose.own(request))}
                if table not in tables:
                    raise NotDone(Code.NO_SUCH_TABLE, f"table: {table!r} is not open yet")
                return tables[table]
            case asks.Requests():
                return await self._requests()
            case asks.Alarms():
                return await self._alarms()
            case asks.People():
                return await self._people()
        return await self._from_books(request)

    async def _from_books(self, request: Request) -> Reply:
        """What only the ledger still knows."""
        writer, ask = await self._whose.own(request), request.ask
        match ask:
            case asks.WaitingHits():
                after, limit = number(ask.after) or 0, ask.limit
                waits, more = await writer.ask(lambda engine: views.waiting_hits(engine, after, limit))
                hits = tuple(_hit(writer, hit) for hit in waits)
                return replies.Hits(hits=hits, more=hits[-1].hit if more else None)
            case asks.Hits():
                page = await hits_of(writer, self._books, number(ask.before), ask.limit)
                shown = tuple(_hit(writer, hit) for hit in page.hits)
                return replies.Hits(hits=shown, more=None if page.before is None else f"H{page.before}")
            case asks.OneHit():
                hidden = () if sees_papers(request.people) else books_of_hits.PERSONAL
                return await self._hit(writer, ask, hidden)
            case asks.Readings():
                below, most = ask.before, ask.limit
                stored = await self._books.read(
                    lambda ledger: books_of_readings.stored(ledger, writer.bank, below, most)
                )
                days = await writer.ask(
                    lambda engine: [books_of_readings.named(writer.bank, engine.state, one) for one in stored]
                )
                before = stored[-1].seq if len(stored) == most else None
                return replies.Readings(readings=tuple(map(reading_of, days)), before=before)
            case asks.Journal():
                found_, before = await self._search(writer, ask)
                entries = await writer.ask(lambda engine: [_entry(engine, *one) for one in found_])
                return replies.Journal(bank=writer.bank, entries=tuple(entries), before=before)
        raise BadRequest(f"{type(ask).__name__} is no question")

    def _site(self) -> replies.Site:
        site, server = self._config.site, self._config.server
        return replies.Site(
            name=site.name,
            id=site.first_id,
            currency=site.currency,
            locale=site.locale,
            timezone=site.timezone,
            gaming_day_ends=f"{site.gaming_day_ends:%H:%M}",
            server=None if server is None else server.id,
            version=__version__,
        )

    def _leases(self) -> replies.Banks:
        looks = [tenure.look()._asdict() for tenure in self._tenures.values()]
        return replies.Banks(
            banks=tuple(replies.Bank(**look | {"here": look["here"].value}) for look in looks)
        )

    def _devices(self) -> replies.Devices:
        roles = self._whose.devices.items()
        return replies.Devices(
            devices=tuple(
                _device(role, devices, name) for role, devices in roles for name in devices.register.devices
            )
        )

    async def _listed(self, ask: Question, bank: str | None) -> Reply:
        """The links, or the tables, of all banks that are here."""
        here, elsewhere = self._whose.here(bank)
        if isinstance(ask, asks.Links):
            links = tuple([link for writer in here for link in await self._links(writer)])
            return replies.Links(links=links, elsewhere=elsewhere)
        tables = tuple([table for writer in here for table in await self._tables(writer)])
        return replies.Tables(tables=tables, elsewhere=elsewhere)

    async def _tables(self, writer: Desk) -> list[replies.Table]:
        online = self._whose.devices["table"].current

        tick = int(writer.clock.monotonic() * 1000)

        def look(engine: Engine) -> tuple[list[replies.Table], dict[str, tuple[People, int]]]:
            state = views.statistics(engine)
            askers = {
                table.terms.table: (asked.people, still_ms(engine, asked, tick))
                for table in engine.state.tables
                if (asked := table.waits())
            }
            return [
                replies.Table(
                    table=name,
                    bank=writer.bank,
                    game=table["game"],
                    links=tuple(table["links"]),
                    online=name in online,
                    last_seq=table["last_seq"],
                    rounds=table["rounds"],
                    wagers=table["wagers"],
                    held=tuple(table["held"]),
                    behind=state["behind"][name]["acked"] if name in state["behind"] else None,
                    round=msgspec.convert(views.round_of(engine, name), replies.Round | None),
                )
                for table in state["tables"]
                for name in [table["table"]]
            ], askers

        tables, askers = await writer.ask(look)
        called = await self._called(people for people, _ in askers.values())
        return [_asked_by(table, called, *askers.get(table.table, (People(), 0))) for table in tables]

    async def _links(self, writer: Desk) -> list[replies.Link]:
        state, terms = await writer.ask(lambda engine: (views.statistics(engine), link_terms(engine.state)))
        return [
            replies.Link(
                link=link["link"],
                bank=writer.bank,
                paytable=link["paytable"],
                wager=_cents(link["wager"]),
                state=link["state"],
                reasons=tuple(link["reasons"]),
                paid_by={pays: decimal(micros) for pays, micros in link["paid_by"].items()},
                awards_outside=decimal(link["awards_outside"]),
                levels=tuple(map(_level, link["levels"])),
                left=tuple(_left(one) for one in state["left"] if one["link"] == link["link"]),
                differences=differing(terms[link["link"]], self._config),
            )
            for link in state["links"]
        ]

    async def _called(self, people: Iterable[People]) -> Called:
        """What those are called who signed; the ledger is read only where somebody did."""
        if not any(one.signed for one in people):
            return NOBODY
        return await self._books.read(Called.of)

    async def _requests(self) -> replies.Requests:
        """What waits for a second person, of all banks that are here."""
        here, elsewhere = self._whose.with_people()
        found: list[replies.Waiting] = []
        for writer in here:
            tick = int(writer.clock.monotonic() * 1000)
            waits = await writer.ask(lambda engine, tick=tick: waits_of(engine, tick))  # type: ignore[misc]
            called = await self._called(one.request.people for one in waits.requests)
            found += (told_of(writer.bank, one, called) for one in waits.requests)
            for table in await self._tables(writer) if waits.at_tables else ():
                round_, at = table.round, {"bank": writer.bank, "table": table.table}
                if round_ is not None and round_.left_ms:
                    facts = {"round": round_.round, "asked": round_.asked, "left_ms": round_.left_ms}
                    found.append(waiting("reopen", at, **facts))
                if table.behind is not None:
                    found.append(waiting("confirm-behind", at, acked=table.behind, last_seq=table.last_seq))
        return replies.Requests(requests=tuple(found), elsewhere=elsewhere)

    async def _alarms(self) -> replies.Alarms:
        """What nobody has acknowledged, of all banks that are here."""
        here, elsewhere = self._whose.with_people()
        found = [
            {**alarm, "bank": writer.bank} for writer in here for alarm in await writer.ask(views.open_alarms)
        ]
        called = await self._books.read(Called.of) if any(one["person"] for one in found) else NOBODY
        told = (one | {"where": called.name(one["person"])} if one["person"] else one for one in found)
        alarms = sorted((msgspec.convert(one, replies.Alarm) for one in told), key=lambda one: one.at)
        return replies.Alarms(alarms=tuple(alarms), elsewhere=elsewhere)

    async def _people(self) -> replies.People:
        sheet = await self._roster.look()
        seen = await self._books.read(last_sign_ins)
        return replies.People(
            people=tuple(
                replies.Person(
                    person=one.id,
                    login=called.login,
                    name=called.name,
                    roles=tuple(one.roles),
                    secret=bool(one.secret),
                    ended=one.ended,
                    erased=one.erased,
                    last_sign_in=seen.get(one.id),
                    code_from=one.given_by if one.given_by > 0 else None,
                    recovered=one.given_by == OPERATOR,
                    vouched_by=one.vouched or None,
                )
                for one in sheet.state.people
                for called in [sheet.called(one)]
            )
        )

    async def _hit(self, writer: Desk, ask: asks.OneHit, hidden: Collection[str]) -> replies.Hit:
        wanted = number(ask.hit) or 0
        listed = (await hits_of(writer, self._books, wanted + 1, 1)).hits
        hit = next((one for one in listed if one["hit"] == f"H{wanted}"), None)
        if hit is None:
            raise NotDone(Code.NO_SUCH_HIT, f"hit: there is no {ask.hit} in bank {writer.bank}")
        cards, done = await self._books.read(lambda ledger: _looked_into(ledger, writer.bank, wanted))
        steps = tuple(
            replies.Step(
                what=one.what,
                at=one.at,
                awards=tuple(f"A{award}" for award in one.awards),
                people=one.people,
                reason=one.reason,
                document=one.document,
                facts={name: text for name, text in one.facts.items() if name not in hidden},
            )
            for one in done
        )
        return msgspec.structs.replace(_hit(writer, hit), steps=steps, cards=cards)

    async def _search(self, writer: Desk, ask: asks.Journal) -> tuple[list[tuple[Row, _Words]], int | None]:
        """A page of rows, each in words too, and where the next begins."""
        table = None
        if ask.table is not None:
            found = await writer.ask(lambda engine: engine.table(ask.table or ""))
            if found is None:
                raise NotDone(Code.NO_SUCH_TABLE, f"table: {ask.table!r} is not open yet")
            table = found.number
        wanted = Wanted(ask.limit, ask.before, ask.kind, table)
        try:
            return await self._books.read(lambda ledger: self._found(ledger, writer.bank, wanted))
        except NoSuchKind as error:
            raise BadRequest(f"kind: {error}") from error

    def _found(
        self, ledger: Reader, bank: str, wanted: Wanted
    ) -> tuple[list[tuple[Row, _Words]], int | None]:
        page, names, site = search(ledger, bank, wanted), Names(ledger, bank), self._config.site
        money = writing(site.locale, site.currency).exact
        return [(row, _in_words(names, row, money)) for row in page.rows], page.before


def sees_papers(people: Iterable["Person | str"]) -> bool:
    """Whether who asks may read whom a payout's papers name: who only looks on may not.

    A login name on the server's machine can read the ledger itself.
    """
    return all(isinstance(one, str) or set(one.roles) - {"viewer"} for one in people)


def _looked_into(
    ledger: Reader, bank: str, hit: int
) -> tuple[replies.Cards | None, list[books_of_hits.Done]]:
    """Which cards made a hit, and what people did with it."""
    story = books_of_hits.story_of(ledger, bank, hit)
    cards = None if story is None else cards_of(ledger, Names(ledger, bank), story.hit)
    told = None if cards is None else replies.Cards(**cards._asdict())
    return told, books_of_hits.done_with(ledger, bank, hit)


def hit_of(bank: str, hit: Map) -> replies.Hit:
    """A hit, as `views.hit` has it."""
    awards = tuple(award_of(award) for award in hit["awards"])
    sums = {name: _cents(hit[name]) for name in ("amount", "envy", "difference")}
    return msgspec.convert({**hit, **sums, "awards": awards, "bank": bank}, replies.Hit)


def award_of(award: Map) -> replies.Award:
    """An award, as people are told of it."""
    sums = {name: _cents(award[name]) for name in ("amount", "difference") if name in award}
    return msgspec.convert(award | sums, replies.Award)


def _hit(writer: Desk, hit: Map) -> replies.Hit:
    return hit_of(writer.bank, hit)


def _asked_by(table: replies.Table, called: Called, people: People, left_ms: int) -> replies.Table:
    """The table, with who asked to reopen its round as people call them, and for how long it still waits."""
    said = called.said(people)
    if not said or table.round is None:
        return table
    round_ = msgspec.structs.replace(table.round, asked=said[0], left_ms=left_ms)
    return msgspec.structs.replace(table, round=round_)


def _device(role: str, devices: Devices, name: str) -> replies.Device:
    register = devices.register
    return replies.Device(
        role=role,  # type: ignore[arg-type]  # "table" or "sign", as the registers are named
        device=name,
        links=tuple(sorted(register.devices[name].links)),
        online=name in devices.current,
        blocked=name in register.blocked,
        keys=tuple(register.fingerprints(name)),
    )


def _left(one: Map) -> replies.Left:
    return replies.Left(
        left=one["left"], award=one["award"], level=one["level"], amount=decimal(one["amount"])
    )


def _level(level: Map) -> replies.Level:
    sums = (
        "reserve", "overflow", "seed", "reseed", "wins", "house", "contributions", "corrections", "transfers",
        "awards",
    )  # fmt: skip
    told = {
        "value": decimal(level["primary"]),
        "limit": None if level["limit"] is None else decimal(level["limit"]),
        "last_hits": [
            hit
            | {"amount": _cents(hit["amount"])}
            | {stood: decimal(hit[stood]) for stood in ("before", "after")}
            for hit in level["last_hits"]
        ],
        **{name: decimal(level[name]) for name in sums},
        **{name: _rate(level[name]) for name in ("primary_rate", "reserve_rate")},
    }
    return msgspec.convert(level | told, replies.Level)


def reading_of(read: books_of_readings.DayRead) -> replies.Reading:
    """A reading, as people are told of it."""
    meters = tuple(
        replies.Meter(
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
    return replies.Reading(**at, meters=meters)


def _in_words(names: Names, row: Row, money: Callable[[int], str]) -> _Words:
    event = kinds.decode(row.kind, row.version, row.body)
    return _Words(about(names, event, money), names.who(getattr(event, "people", None)), reason(event))


def _entry(engine: Engine, row: Row, words: _Words) -> replies.Entry:
    event = kinds.decode(row.kind, row.version, row.body)
    return replies.Entry(
        seq=row.seq,
        at=row.at,
        epoch=row.epoch,
        kind=kinds.name_of(row.kind),
        version=row.version,
        table=None if row.table is None else engine.state.table(row.table).terms.table,
        table_seq=row.table_seq,
        **words._asdict(),
        event=plain(event),
        postings=tuple(_posting(engine, posting) for posting in row.postings),
        hash=row.hash.hex(),
    )


def _posting(engine: Engine, posting: Posting) -> replies.Posting:
    terms = engine.state.link(posting.link).terms
    moved = zip(_ACCOUNTS, posting[3:], strict=True)
    return replies.Posting(
        link=terms.link,
        level=terms.levels[posting.level - 1].level if posting.level else None,
        cycle=posting.cycle,
        accounts={account: decimal(micros) for account, micros in moved if micros},
    )


def plain(value: Any) -> Any:
    """What the journal holds as JSON with the names of its fields; bytes as hex digits."""
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


def _cents(cents: int) -> str:
    return decimal(from_cents(cents))


def _rate(points: int) -> str:
    return rate_text(points).replace(" ", "")
