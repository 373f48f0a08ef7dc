"""History of a meter up to a given moment, from where its cycle began (L10).

The primary at a moment is the sum of what all postings since then moved. Wagers are added up by gaming day,
table and cycle; everything else is named. A cycle that ended with an award that was undone is joined to the
next, so the history begins with the oldest of the joined ones. A joined bank's history goes on in its
sources.
"""

from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from jackpot.config import Site
from jackpot.ledger.archived import cut_of
from jackpot.ledger.cycles import Cycles, TakePoint, settlement
from jackpot.ledger.cycles import takes as takes_of
from jackpot.ledger.opening import balances
from jackpot.ledger.reading import Reader
from jackpot.ledger.rebuild import SUM_ROWS
from jackpot.reports.read.entries import Entry, asked, must_be_here, newest, one
from jackpot.reports.read.gaming_days import gaming_day, offset_ms
from jackpot.reports.read.names import JournalNames
from jackpot.rules import meter
from jackpot.rules.acts.banks import BankBegun, BankClosed
from jackpot.rules.acts.ends import LinkEnded
from jackpot.rules.acts.hits import Corrected, Undone
from jackpot.rules.acts.links import LinkOpened
from jackpot.rules.acts.meters import LeftDecided, LinkClosed, MeterCorrected, Transferred
from jackpot.rules.acts.readings import ReadingTaken
from jackpot.rules.acts.rounds import Struck
from jackpot.rules.events import (
    Closed,
    Event,
    Settled,
    TakeMade,
    Voided,
    Wagered,
    Withdrawn,
)
from jackpot.rules.meter import Accounts
from jackpot.rules.paytable import LevelTerms
from jackpot.rules.rounds.mystery import contribution_of, must_hit_sum, place_of
from jackpot.rules.rounds.undo import is_whole
from jackpot.text import Sentence, joined

# Wagers are added up by quarters of an hour: the offset of every time zone is a multiple of one.
QUARTER_MS: Final = 900_000
# Entries of one page.
PAGE: Final = 200

_AT: Final = (
    'SELECT cycle, "primary", reserve FROM posting WHERE bank = ?1 AND seq = ?2 AND link = ?3 AND level = ?4'
)
_WAGERED: Final = "SELECT wagers FROM posting WHERE bank = ?1 AND seq = ?2 AND link = ?3 AND level = ?4"
# A table's wagers, and those that it took back; both are summed by day and table.
_PLAY: Final = (
    f"kind = {Wagered.kind} OR (kind IN ({Withdrawn.kind}, {Voided.kind}) AND table_seq IS NOT NULL)"
)
# On a mystery level the end of a round counts its wagers (Y3); one that also won it is named.
_COUNTED: Final = f"(kind IN ({Settled.kind}, {Closed.kind}) AND awards = 0 AND house = 0)"
_WAGERING: Final = (Wagered.kind, Settled.kind, Closed.kind)
_ADDED: Final = f"""
    SELECT "table", CASE WHEN kind IN {_WAGERING} THEN 1 ELSE 0 END AS wagered,
        (at - ?6) / {QUARTER_MS} AS quarter, cycle, sum("primary"), sum(reserve), sum(overflow)
    FROM posting JOIN journal ON journal.bank = posting.bank AND journal.seq = posting.seq
    WHERE posting.bank = ?1 AND posting.seq > ?2 AND posting.seq <= ?3 AND link_ = ?4 AND level = ?5
        AND ({_PLAY})
    GROUP BY "table", wagered, quarter, cycle ORDER BY quarter, wagered DESC, "table", cycle
""".replace("link_", "posting.link")  # noqa: S608
_NAMED: Final = f"""
    SELECT journal.seq, at, kind, version, "table", table_seq, body, cycle, "primary", reserve, overflow
    FROM posting JOIN journal ON journal.bank = posting.bank AND journal.seq = posting.seq
    WHERE posting.bank = ?1 AND posting.seq > ?2 AND posting.seq <= ?3 AND posting.link = ?4 AND level = ?5
        AND NOT ({_PLAY}) ORDER BY posting.seq LIMIT ?6
"""  # noqa: S608


_ADDED_BY_CLOSES: Final = _ADDED.replace(_PLAY, _COUNTED)
_NAMED_BESIDES_CLOSES: Final = _NAMED.replace(_PLAY, _COUNTED)


class HistoryLine(NamedTuple):
    """One step of a meter's history.

    meter, reserve, overflow: the change in micro-dollars. row: 0 for many.
    """

    what: Sentence
    day: str
    table: str
    row: int
    cycle: int
    meter: int
    reserve: int = 0
    overflow: int = 0


class LevelRef(NamedTuple):
    """A level of a link in one bank."""

    names: JournalNames
    link: int
    level: int

    @property
    def bank(self) -> str:
        return self.names.bank

    @property
    def key(self) -> tuple[int, int]:
        return self.link, self.level


class MeterHistory:
    """History of one level's meter up to a position. primary: its amount there, after lines() is exhausted.

    cycles: those that it went through, of which the moment's own is the last; as `primary`, known at the end.
    """

    def __init__(self, ledger: Reader, site: Site, level_ref: LevelRef, take_point: TakePoint) -> None:
        self.ledger = ledger
        self.site = site
        self.place = level_ref
        self.turn = take_point
        self.primary = 0
        self.cycles = range(0)
        self._cycles = Cycles(ledger, level_ref.bank)
        self._mystery = level_ref.names.links[level_ref.link].mystery

    def lines(self) -> Iterator[HistoryLine]:
        """Each step from the cycle's beginning to the moment."""
        first, last = 0, self._at_turn()
        for line in self._lines():
            self.primary += line.meter
            first, last = first or line.cycle, max(last, line.cycle)
            self.cycles = range(first, last + 1)
            yield line

    def most(self) -> int:
        """What an award of the whole meter may come to: on a mystery level, the sum by which it must hit."""
        if not self._mystery:
            return self.primary
        began = self._cycles.since(self.place.key, self.turn, ()).seq
        return must_hit_sum(self._terms(began))

    def _lines(self) -> Iterator[HistoryLine]:
        begins = self._begins(self.turn)
        at = self.turn.row
        if begins is None:
            yield from self._from_opening(at - 1)
        else:
            entry, take = begins
            yield from self._start(entry, take, self.turn.order if entry.seq == at else None)
            yield from self._between(entry.seq, at - 1)
        if begins is None or begins[0].seq < at:
            yield from self._before_turn()

    def _begins(self, take_point: TakePoint) -> tuple[Entry, TakeMade] | None:
        """The last take of the whole meter before that turn of which an award stands, or None."""
        found = self._cycles.reseed_before(self.place.key, take_point)
        if found is None or found.take is None:
            return None
        return self._entry(found.seq), found.take

    def _start(self, entry: Entry, start: TakeMade, until: int | None) -> Iterator[HistoryLine]:
        """What the take left, what the reseed put on the meter (A2), and the entry's later takes."""
        if self._mystery:
            yield from self._counted(entry, until, start)
            return
        terms = self._terms(entry.seq)
        accounts, cycle = before(self.ledger, self.place, entry.seq), self._cycle(entry)
        day, table = self._when(entry.at), self._table(entry)

        def line(what: Sentence, moved: int, reserve: int = 0, overflow: int = 0) -> HistoryLine:
            return HistoryLine(what, day, table, entry.seq, cycle, moved, reserve, overflow)

        begun = False
        for take in takes(entry.event, self.place):
            if until is not None and take.order >= until:
                break
            given = sum(amounts(entry.event)[number] for number in take.awards)
            was = accounts.copy()
            self._take(accounts, take, given, entry.seq)
            cycle += is_whole(take.rate)
            if take == start:
                begun = True
                yield line(Sentence("left on the meter"), was.primary - given)
                yield line(Sentence("reseed, from the house"), terms.reseed)
                yield line(Sentence("the whole reserve"), was.reserve)
                yield line(Sentence("overflow"), was.overflow)
                back = accounts.primary - (was.primary - given + terms.reseed + was.reserve + was.overflow)
                if back:
                    yield line(Sentence("above the limit, to overflow"), back, 0, -back)
            elif begun:
                yield line(Sentence("award {awards}", awards=award_list(take.awards)), -given)
                rest = accounts.less(was)
                yield line(
                    _FOLLOWED,
                    rest.primary + given,
                    rest.reserve,
                    rest.overflow,
                )
        if until is None:
            late = late_change(entry.event, self.place)
            if late.primary or late.reserve or late.overflow:
                yield line(_LATE, late.primary, late.reserve, late.overflow)

    def _from_opening(self, upto: int) -> Iterator[HistoryLine]:
        """The opening of the link itself, or the bank that it was carried over from."""
        begun = self.place.names.begun
        carried = () if begun is None else zip(begun.heads, begun.parts, strict=True)
        number = 0
        for (bank, seq, _), part in carried:
            for own in range(1, len(part.links) + 1):
                number += 1
                if number == self.place.link:
                    older = LevelRef(JournalNames(self.ledger, bank), own, self.place.level)
                    yield from MeterHistory(self.ledger, self.site, older, TakePoint(seq, 0)).lines()
                    yield from self._between(1, upto)
                    return
        opened = self._cycles.first_entry(self.place.key)
        yield from self._between(max(0, opened - 1), upto)

    def _between(self, after: int, upto: int) -> Iterator[HistoryLine]:
        """All movements of the meter in the entries after < seq <= upto, part by part. Raises InArchive."""
        must_be_here(self.ledger, self.place.bank, after)
        days: dict[tuple[str, int, str, int], HistoryLine] = {}
        for start in range(after, upto, SUM_ROWS):
            end = min(upto, start + SUM_ROWS)
            for line in self._added(start, end):
                key = (line.day, 0 if line.what == _WAGERS else 1, line.table, line.cycle)
                known = days.get(key, line._replace(meter=0, reserve=0, overflow=0))
                days[key] = known._replace(
                    meter=known.meter + line.meter,
                    reserve=known.reserve + line.reserve,
                    overflow=known.overflow + line.overflow,
                )
            last = max((day for day, *_ in days), default="")
            for key in [key for key in days if key[0] < last]:  # the last day may not be over
                yield days.pop(key)
            yield from self._named(start, end)
        yield from days.values()

    def _added(self, after: int, upto: int) -> Iterator[HistoryLine]:
        """Wagers, and wagers that tables took back, by gaming day, table and cycle."""
        shift = offset_ms(self.site.gaming_day_ends) % QUARTER_MS
        sql = _ADDED_BY_CLOSES if self._mystery else _ADDED
        found = asked(self.ledger, self.place.bank, sql, after, upto, *self.place.key, shift)
        for table, wagered, quarter, cycle, *moved in found:
            day = gaming_day(quarter * QUARTER_MS + shift, self.site)
            what = _WAGERS if wagered else _TAKEN_BACK
            yield HistoryLine(what, day, self.place.names.table(table), 0, cycle, *map(int, moved))

    def _named(self, after: int, upto: int) -> Iterator[HistoryLine]:
        sql = _NAMED_BESIDES_CLOSES if self._mystery else _NAMED
        while True:
            found = asked(self.ledger, self.place.bank, sql, after, upto, *self.place.key, PAGE)
            for row in found:
                entry, (cycle, *moved) = Entry(*row[:7]), map(int, row[7:])
                yield from self._told(entry, cycle, Accounts(*moved))
            if len(found) < PAGE:
                return
            after = found[-1][0]

    def _told(self, entry: Entry, cycle: int, moved: Accounts) -> Iterator[HistoryLine]:
        """One entry that is not a wager: its awards, and whatever else it moved."""
        event = entry.event
        if self._mystery and takes(event, self.place):
            yield from self._counted(entry, None)
            return
        day, table = self._when(entry.at), self._table(entry)
        because = _because(self.place, entry)
        for take in takes(event, self.place):
            because = _NEXT if is_whole(take.rate) or because == _NEXT else _TOP_UP
            given = sum(amounts(event)[number] for number in take.awards)
            parts = [Sentence("award {awards}", awards=award_list(take.awards)), _share(take)]
            if set(take.awards) <= self._cycles.undone_since(entry.seq):
                parts.append(Sentence("undone later"))
            yield HistoryLine(joined(parts), day, table, entry.seq, cycle, -given)
            moved.primary += given
            cycle += is_whole(take.rate)
        late = late_change(event, self.place)
        moved = moved.less(late)
        if late.primary or late.reserve or late.overflow:
            yield HistoryLine(_LATE, day, table, entry.seq, cycle, late.primary, late.reserve, late.overflow)
        if moved.primary or moved.reserve or moved.overflow:
            yield HistoryLine(because, day, table, entry.seq, cycle,
                       moved.primary, moved.reserve, moved.overflow)  # fmt: skip

    def _before_turn(self) -> Iterator[HistoryLine]:
        """The takes earlier in the position's own entry; on a mystery level its wagers, too."""
        entry = self._entry(self.turn.row)
        if self._mystery:
            yield from self._counted(entry, self.turn.order)
            return
        earlier = [take for take in takes(entry.event, self.place) if take.order < self.turn.order]
        if not earlier:
            return
        accounts = before(self.ledger, self.place, entry.seq)
        day, table, cycle = self._when(entry.at), self._table(entry), self._cycle(entry)
        for take in earlier:
            given = sum(amounts(entry.event)[number] for number in take.awards)
            was = accounts.copy()
            self._take(accounts, take, given, entry.seq)
            moved = accounts.less(was)
            yield HistoryLine(
                Sentence("award {awards}", awards=award_list(take.awards)),
                day,
                table,
                entry.seq,
                cycle,
                -given,
            )
            if moved.primary + given:
                yield HistoryLine(_FOLLOWED, day, table, entry.seq, cycle,
                           moved.primary + given, moved.reserve, moved.overflow)  # fmt: skip
            cycle += is_whole(take.rate)

    def _counted(
        self, entry: Entry, until: int | None, start: TakeMade | None = None
    ) -> Iterator[HistoryLine]:
        """The wagers and awards of a round that was closed, as they counted on a mystery level (Y3).

        until: the order of the take before which it ends. start: the take after which it begins, with what
        that left and the reseed; else it begins with the entry.
        """
        day, table, cycle = self._when(entry.at), self._table(entry), self._cycle(entry)
        held, begun, place = before(self.ledger, self.place, entry.seq).primary, start is None, 0
        count, amount = self._counting(entry)

        def line(what: Sentence, moved: int) -> HistoryLine:
            return HistoryLine(what, day, table, entry.seq, cycle, moved)

        def wagered(upto: int) -> Iterator[HistoryLine]:
            nonlocal held, place
            moved = sum(amount(one) for one in range(place, upto))
            held, place = held + moved, upto
            if begun and moved:
                yield line(_WAGERS, moved)

        for take in takes(entry.event, self.place):
            yield from wagered(place_of(take) + 1)
            if until is not None and take.order >= until:
                return
            given, reseed = (
                sum(amounts(entry.event)[number] for number in take.awards),
                self._terms(entry.seq).reseed,
            )
            if begun:
                yield line(Sentence("award {awards}", awards=award_list(take.awards)), -given)
            cycle += 1
            if take == start:
                begun = True
                yield line(Sentence("left on the meter"), held - given)
            if begun:
                yield line(Sentence("reseed, from the house"), reseed)
            held += reseed - given
        yield from wagered(count)

    def _counting(self, entry: Entry) -> tuple[int, Callable[[int], int]]:
        """How many wagers the entry counted on the mystery level, and what each added, by its place.

        Those up to the first award counted on the terms on which its cycle had begun, later ones on today's.
        """
        event = entry.event
        counted = event.counted if isinstance(event, Settled | Closed) else []
        count = sum(one.wagers for one in counted if (one.link, one.level) == self.place.key)
        first = next((place_of(take) + 1 for take in takes(event, self.place)), count)
        wager = self.place.names.link_terms(self.place.link, entry.seq).wager
        later = contribution_of(self._terms(entry.seq), wager)
        total = asked(self.ledger, self.place.bank, _WAGERED, entry.seq, *self.place.key)
        whole = -int(total[0][0]) if total else 0
        earlier = (whole - (count - first) * later) // first if first else 0
        return count, lambda place: earlier if place < first else later

    def _take(self, accounts: Accounts, take: TakeMade, given: int, row: int) -> None:
        meter.take(
            accounts,
            self._terms(row),
            rate=take.rate,
            from_meter=given,
            total=given,
            floor=self._floor(take, row),
        )

    def _terms(self, row: int) -> LevelTerms:
        return self.place.names.terms(*self.place.key, row)

    def _floor(self, take: TakeMade, row: int) -> int | None:
        """The amount to which the house restored the meter after the take (A4).

        the reseed of the last one before it.
        """
        if is_whole(take.rate) or not self.place.names.link_terms(self.place.link, row).floor_to_seed:
            return None
        last = self._begins(TakePoint(row, take.order))
        return self._terms(1 if last is None else last[0].seq).reseed

    def _at_turn(self) -> int:
        """The cycle at the position; 0 where its entry moved nothing on the level."""
        entry = self._entry(self.turn.row)
        begun = sum(
            is_whole(take.rate) for take in takes(entry.event, self.place) if take.order < self.turn.order
        )
        return self._cycle(entry) and self._cycle(entry) + begun

    def _cycle(self, entry: Entry) -> int:
        """The level's cycle before the entry; 0 where it moved nothing there."""
        found = asked(self.ledger, self.place.bank, _AT, entry.seq, *self.place.key)
        return found[0][0] if found else 0

    def _entry(self, seq: int) -> Entry:
        return entry_at(self.ledger, self.place.bank, seq)

    def _when(self, unix_ms: int) -> str:
        return gaming_day(unix_ms, self.site)

    def _table(self, entry: Entry) -> str:
        return self.place.names.table(entry.table or getattr(entry.event, "table", None))


_WAGERS: Final = Sentence("wagers")
_TAKEN_BACK: Final = Sentence("wagers taken back")
_FOLLOWED: Final = Sentence("what followed it on the meter")
_LATE: Final = Sentence("hands settled as if at their turn")
_NEXT: Final = Sentence("reseed, reserve and overflow")
_TOP_UP: Final = Sentence("topped up to the reseed, from the house")


def entry_at(ledger: Reader, bank: str, seq: int) -> Entry:
    """The entry of that number. Raises InArchive where it may be archived, LookupError where it is gone."""
    entry = one(ledger, bank, seq)
    if entry is None:
        must_be_here(ledger, bank, seq - 1)
        raise LookupError(f"{bank}: row {seq} is missing; jackpot verify says what was taken away")
    return entry


def before(ledger: Reader, level_ref: LevelRef, seq: int) -> Accounts:
    """The meter before an entry: the last reading, or the start of the rows that are here, plus postings.


    Raises InArchive.
    """
    accounts, after = Accounts(), 0
    read = newest(ledger, level_ref.bank, ReadingTaken.kind, seq)
    event = None if read is None else read.event
    if read is not None and isinstance(event, ReadingTaken):
        after = read.seq
        for link, level, primary, reserve, overflow, *_ in event.meters:
            if (link, level) == level_ref.key:
                accounts.add(Accounts(primary, reserve, overflow))
    cut = cut_of(ledger, level_ref.bank) if after < seq - 1 else None
    if cut is not None and after < cut.seq:
        must_be_here(ledger, level_ref.bank, seq - 1)
        primary, reserve, overflow = balances(ledger, level_ref.bank).get(level_ref.key, (0, 0, 0))[:3]
        accounts, after = Accounts(primary, reserve, overflow), cut.seq
    for start in range(after, seq - 1, SUM_ROWS):
        for posting in ledger.sums(level_ref.bank, start, min(seq - 1, start + SUM_ROWS)):
            if (posting.link, posting.level) == level_ref.key:
                accounts.add(Accounts(*posting[3:]))
    return accounts


def takes(event: Event, level_ref: LevelRef) -> list[TakeMade]:
    """The entry's awards of this meter by their own turn, in order."""
    return takes_of(event, level_ref.key)


def amounts(event: Event) -> dict[int, int]:
    """The amount of each award of the entry when it was made, in micro-dollars."""
    return {award.number: award.amount for hit in settlement(event).hits for award in hit.awards}


def late_change(event: Event, level_ref: LevelRef) -> Accounts:
    """What late awards, settled as if in the past, moved here, with all that followed from them (T10)."""
    made = Accounts()
    recomputed = settlement(event).recomputed
    for change in recomputed.changes if recomputed else ():
        if (change.link, change.level) == level_ref.key:
            made.add(change.change)
    return made


def award_list(awards: list[int]) -> str:
    """A list of awards, in words."""
    return ", ".join(f"A{number}" for number in awards)


def percent(rate: int) -> str:
    """Basis points in words: "10 %"."""
    whole, rest = divmod(rate, 100)
    return f"{whole}.{rest:02} %" if rest else f"{whole} %"


def _share(take: TakeMade) -> Sentence:
    """The share of the meter that an award took."""
    if is_whole(take.rate):
        return Sentence("the whole meter")
    return Sentence("{share} of the meter", share=percent(take.rate))


def _because(level_ref: LevelRef, entry: Entry) -> Sentence:
    """Why an entry that is neither wager nor award moved the meter."""
    names = level_ref.names
    match entry.event:
        case LinkOpened():
            return Sentence("seed, from the house")
        case Undone() as event:
            return Sentence(
                "undo of {awards} of {hit}: {reason}",
                awards=award_list(event.awards), hit=f"H{event.hit}", reason=event.reason,
            )  # fmt: skip
        case Corrected() as event:
            return Sentence(
                "correction of {award} of {hit}: {reason}",
                award=f"A{event.award}", hit=names.called("H", event.hit), reason=event.reason,
            )  # fmt: skip
        case Voided() | Struck() as event:
            by = names.who(event.people)
            return Sentence("{what} by {who}: {reason}", what=_lower(entry), who=by, reason=event.reason)
        case BankBegun() | BankClosed():
            return Sentence("carried over")
        case MeterCorrected() as event:
            account = Sentence("meter") if event.account == "primary" else Sentence(event.account)
            return Sentence("correction of the {account}: {reason}", account=account, reason=event.reason)
        case LeftDecided() as event:
            return Sentence(
                "what was left of {award}, taken off: {reason}", award=f"A{event.award}", reason=event.reason
            )
        case Transferred() | LinkClosed() as event if event.link == level_ref.link:
            to = names.link(event.to) if event.to else Sentence("nobody")
            return Sentence(
                "transfer to {link}, and the house's money back: {reason}", link=to, reason=event.reason
            )
        case Transferred() | LinkClosed() as event:
            came = names.link(event.link)
            return Sentence("transfer from {link}: {reason}", link=came, reason=event.reason)
        case LinkEnded() as event:
            return _ended(level_ref, event)
    return _lower(entry)


def _ended(level_ref: LevelRef, event: LinkEnded) -> Sentence:
    """What an announced end moved, on the link that ended and on the one that has its money."""
    announced = Sentence("as announced by {notice}", notice=f"N{event.notice}")
    if event.link != level_ref.link:
        came = level_ref.names.link(event.link)
        return Sentence("transfer from {link}: {reason}", link=came, reason=announced)
    to = level_ref.names.link(event.to) if event.to else Sentence("nobody")
    return Sentence("transfer to {link}, and the house's money back: {reason}", link=to, reason=announced)


def _lower(entry: Entry) -> Sentence:
    """The name of an entry, within a sentence."""
    return Sentence(entry.name.replace("_", " "))
