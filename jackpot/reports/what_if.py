"""Replays a journal's wagers on the link's own terms and on others, each by an engine of its own.

The journal is only read. Frames are put together from its events: wagers, locks, cards, closes, voids, wagers
that were struck, rounds that were reopened. A hand whose awards were undone wins nothing that stands,
whatever it won on other terms. What else people did to money is repeated on neither side: awards and meters
corrected, money transferred. So two plays differ by their terms alone. Each hit is paid before its table
locks its next round, unless it will be undone.

A replay begins with the journal, or with the meters as a reading found them: then both sides begin with
these, and everything before, rounds that were in play then among it, is left out.

A mystery link has no hands: its random numbers are the journal's (`what_if_random`). What began with a
reading counts as decided up to what the meters showed then.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from heapq import merge
from typing import Final, NamedTuple

from msgspec import convert
from msgspec.structs import replace

from controllers import messages as m
from controllers.answers import Nack
from jackpot.catalogue import LevelEntry, LinkEntry, TermsRefused, parse_money, parse_rate, rate_text, resolve
from jackpot.config.phrases import sentence
from jackpot.ledger.archived import archived_message, cut_of
from jackpot.ledger.reading import Reader
from jackpot.ledger.rebuild import read_to
from jackpot.reports.read.entries import Entry, counting, of_kinds
from jackpot.reports.read.gaming_days import reading_upto
from jackpot.reports.read.names import HOUSE, JournalNames
from jackpot.reports.reconcile import moved
from jackpot.reports.report import ReportRefused
from jackpot.reports.what_if_random import ReplayRandomness, commitments_of
from jackpot.rules import cards as deck
from jackpot.rules import hands
from jackpot.rules.acts.banks import OpenBank
from jackpot.rules.acts.hits import Corrected, Undo, Undone, Validate, payments
from jackpot.rules.acts.links import OpenLink
from jackpot.rules.acts.meters import LeftDecided, MeterCorrected, Transferred
from jackpot.rules.acts.parameters import LinkChanged
from jackpot.rules.acts.readings import ReadingTaken
from jackpot.rules.acts.rounds import (
    AbandonedDecided,
    DecideAbandoned,
    Reopen,
    Reopened,
    Struck,
    VoidRound,
)
from jackpot.rules.acts.tables import OpenTable, TableOpened
from jackpot.rules.acts.triggers import RenewTriggers, TriggersRenewed, due
from jackpot.rules.commands import DIGEST_BYTES, ActCommand, Envelope, RawDraws
from jackpot.rules.engine import Engine
from jackpot.rules.events import (
    RULES_VERSION,
    Closed,
    Event,
    Locked,
    Locking,
    Settled,
    Voided,
    Wagered,
    Withdrawn,
)
from jackpot.rules.meter import Accounts, hold_limit
from jackpot.rules.money import to_cents
from jackpot.rules.outcome import DecidedEntry
from jackpot.rules.paytable import LinkTerms, TableTerms
from jackpot.rules.phrases import Fault
from jackpot.rules.rounds import mystery
from jackpot.rules.rounds.recompute import without_bets
from jackpot.rules.rounds.settling import LUCKY_BONUS, MAGIC_CARD
from jackpot.rules.signing import People
from jackpot.rules.state import Hit, Link, Placed, Round, Table
from jackpot.rules.terms import check_link
from jackpot.text import Sentence, game

# The name of who validates, pays, undoes and reopens.
TWO: Final = ("what", "if")
AS_IT_WAS: Final = "as it was"
RATES: Final = ("primary", "reserve")
SUMS: Final = ("seed", "reseed", "limit")
# Figures of a mystery level: its seed is its reseed, and it has no reserve and no limit (Y1).
MYSTERY_FIGURES: Final = ("primary", "seed", "must_hit_by")
# Rounds a minute that a table may play: it has kept its own limit.
_PACE_MAX: Final = 1_000_000
# Acts of people on money that are not replayed, with their names.
LEFT_OUT: Final[dict[type[Event], str]] = {
    Corrected: "awards corrected",
    MeterCorrected: "meters corrected",
    Transferred: "meters transferred",
    LeftDecided: "differences decided on",
    LinkChanged: "terms changed",
}
_REPEATED: Final[tuple[type[Event], ...]] = (
    Voided, Struck, Reopened, AbandonedDecided, ReadingTaken, TableOpened, Undone, TriggersRenewed,
)  # fmt: skip
_ACTS: Final = tuple(event.kind for event in (*_REPEATED, *LEFT_OUT))

# Rows after which it is told how far a replay is.
_TELL_EVERY: Final = 4_096
# Accounts that say what happened; the others say what stands.
_FLOWS: Final = ("house", "wagers", "awards", "corrections", "transfers")

Draws = dict[str, RawDraws]
NO_DRAWS: Final = Draws()
# Hits made by a draw, by the name of the draw's hand.
DRAWN: Final = (MAGIC_CARD, LUCKY_BONUS)
Change = Callable[[LinkTerms], LinkTerms]


class ReplayRefused(ReportRefused):
    """The journal cannot be replayed so."""


class MeterRead(NamedTuple):
    """A level as a reading found it: micro-dollars, and what was counted up to then."""

    primary: int
    reserve: int
    overflow: int
    wagers: int
    hits: int

    @property
    def stood(self) -> int:
        return self.primary + self.reserve + self.overflow


class End(NamedTuple):
    """End of one level, or of what the house paid.

    meter, paid, house: micro-dollars; house: what it put in.
    """

    level: str
    wagers: int
    meter: int
    hits: int
    paid: int
    house: int


class ReplayStart(NamedTuple):
    """Beginning of a replay, after an entry. meters: by level, as the reading there found them, if any.

    day: of that reading, "" where there is none.
    """

    after: int = 0
    meters: Mapping[str, MeterRead] = {}
    day: str = ""


class Total(NamedTuple):
    """Totals of a link over all its levels, in micro-dollars.

    onto_meters: the wagers' part on meters and reserves. put_in: by the house, seeds and what no meter paid.
    paid: every award. standing: on meters, reserves and overflows at the end.
    """

    wagered: int
    onto_meters: int
    put_in: int
    paid: int
    standing: int

    @property
    def left(self) -> int:
        """What the house keeps of the wagers, less what it puts in."""
        return self.wagered - self.onto_meters - self.put_in


class Day(NamedTuple):
    """A level at the end of a gaming day, as it was and as it would have been; None where a side lacks it."""

    day: str
    level: str
    meter: int | None
    hits: int | None
    meter_if: int | None
    hits_if: int | None


class HitPlace(NamedTuple):
    """Place of a hit, on any terms. seat: 0 for the dealer's. drawn: which draw, or which level of a mystery;
    "" for a hand.
    """

    table: str
    round: str
    seat: int
    drawn: str


class Winner(NamedTuple):
    """Winner of an award of a hit. because: the seat whose hand earned an envy bonus, or 0."""

    seat: int
    because: int
    dealer: bool


class WhatIfResult(NamedTuple):
    """Result. was, would: by level, the house last, and totals, both replayed. days: in order.

    journal: the link as it stands, with what was not repeated. hidden: wagers without cards. left_out: acts
    of people that were not repeated. refused: what an engine did not take, and why. not_allowed: of the terms
    that were tried, those that no configuration may have. own_numbers: random numbers on the terms that were
    tried that are not the journal's.
    """

    was: list[End]
    would: list[End]
    journal: list[End]
    was_total: Total
    would_total: Total
    journal_total: Total
    days: list[Day]
    rounds: int
    hidden: int
    left_out: Counter[str]
    refused: Counter[str]
    not_allowed: list[str]
    own_numbers: int


def other_terms(now: LinkTerms, paytable: str | None, settings: Mapping[str, str]) -> LinkTerms:
    """The terms to try. paytable: None for the link's own. settings: "15%" or "5.00" by "meter.primary".

    Raises ReplayRefused, CatalogueError.
    """
    if now.mystery and paytable is not None:
        raise ReplayRefused("what_if_mystery", "{link} is won by chance alone, and no hand", link=now.link)
    figures: dict[str, dict[str, str]] = {}
    for name, text in settings.items():
        level, _, figure = name.partition(".")
        if now.mystery and figure not in MYSTERY_FIGURES:
            raise ReplayRefused(
                "what_if_figure_of_mystery",
                "{name} is none of LEVEL.primary, seed and must_hit_by",
                name=repr(name),
            )
        if not now.mystery and figure not in (*RATES, *SUMS):
            raise ReplayRefused(
                "what_if_figure_unknown",
                "{name} is none of LEVEL.primary, reserve, seed, reseed and limit",
                name=repr(name),
            )
        figures.setdefault(level, {})[figure] = text
    try:
        terms = _changed(now, figures) if paytable is None else _configured(now, paytable, figures)
        check_link(terms)
    except Fault as fault:
        raise ReplayRefused("what_if_terms", "{why}", why=sentence(fault.phrase)) from fault
    except TermsRefused as refused:
        raise ReplayRefused("what_if_terms", "{why}", why=str(refused)) from refused
    return terms


def _changed(now: LinkTerms, figures: Mapping[str, Mapping[str, str]]) -> LinkTerms:
    known = [level.level for level in now.levels]
    if unknown := sorted(set(figures) - set(known)):
        raise ReplayRefused(
            "what_if_level_unknown",
            "{paytable} has no level {level}, only {levels}",
            paytable=now.paytable, level=unknown[0], levels=", ".join(known),
        )  # fmt: skip
    levels = []
    for level in now.levels:
        given = {name: _figure(name, text) for name, text in figures.get(level.level, {}).items()}
        if now.mystery and "seed" in given:
            given["reseed"] = given["seed"]
        levels.append(replace(level, **given))
    return replace(now, levels=tuple(levels))


def not_allowed(now: LinkTerms, terms: LinkTerms) -> list[str]:
    """Changed terms that the paytable's source forbids, in the words of the configuration (L4, L5, L7)."""
    if terms.paytable != now.paytable or now.mystery:
        return []  # another paytable takes only what a configuration may give it
    tried = {
        (level.level, name): _figure_text(name, figure)
        for was, level in zip(now.levels, terms.levels, strict=True)
        for name in (*RATES, *SUMS)
        if (figure := getattr(level, name)) != getattr(was, name)
    }
    levels = {level: {name: text for (of, name), text in tried.items() if of == level} for level, _ in tried}
    try:
        _configured(now, now.paytable, levels)
    except TermsRefused as refused:
        return [
            f"{level}.{name}={text}: {sentence}"
            for path, sentence in refused.mistakes
            for (level, name), text in tried.items()
            if path == f"link.level.{level}.{name}"
        ]
    return []


def _figure_text(name: str, figure: int) -> str:
    return rate_text(figure).replace(" ", "") if name in RATES else _text(figure)


def _figure(name: str, text: str) -> int:
    try:
        return parse_rate(text) if name in RATES else parse_money(text)
    except ValueError as error:
        if name in RATES:
            raise ReplayRefused(
                "what_if_rate",
                "{text} is not a rate like 15% or 0.25%, of at most the whole wager",
                text=repr(text),
            ) from error
        raise ReplayRefused(
            "what_if_sum", "{text} is not a sum of whole cents like 5000.00", text=repr(text)
        ) from error


def _configured(now: LinkTerms, paytable: str, figures: Mapping[str, Mapping[str, str]]) -> LinkTerms:
    return resolve(
        LinkEntry(
            now.link,
            paytable,
            _text(now.wager),
            validate_at=None if now.validate_at is None else _text(now.validate_at),
            level={name: LevelEntry(**given) for name, given in figures.items()},
        )
    )


def _text(micros: int) -> str:
    """A sum of whole cents, as a configuration writes it."""
    whole, cents = divmod(to_cents(micros), 100)
    return f"{whole}.{cents:02}"


def _check_whole(ledger: Reader, bank: str, after: int) -> None:
    """Raises ReplayRefused where only an archive has rows of the bank after that one."""
    if (cut := cut_of(ledger, bank)) is not None and after < cut.seq:
        raise ReplayRefused("rows_archived", "{archived}", archived=archived_message(bank, cut))


def _beginning(ledger: Reader, names: JournalNames, number: int, since: str | None) -> ReplayStart:
    """Where to begin. since: the gaming day whose reading it is. Raises ReplayRefused."""
    if since is None:
        if names.begun is not None:
            raise ReplayRefused(
                "what_if_joined",
                "bank {bank} was joined of others, whose journals hold its wagers",
                bank=names.bank,
            )
        return ReplayStart()
    read = reading_upto(ledger, names.bank, since)
    if read is None or read.reading.day != since:
        raise ReplayRefused("no_reading_taken", "no reading was taken for {day}", day=since)
    meters = {
        names.level(link, level): MeterRead(*figures)
        for link, level, *figures in read.reading.meters
        if link == number
    }
    if not meters:
        raise ReplayRefused(
            "what_if_not_open", "{link} was not open at the end of {day}", link=names.link(number), day=since
        )
    return ReplayStart(read.seq, meters, since)


def what_if(
    ledger: Reader,
    bank: str,
    link: str,
    change: Change,
    tell: Callable[[int, int], None],
    since: str | None = None,
) -> WhatIfResult:
    """Replays a link's journal. change: its terms into those to try. tell: rows read, and rows in all.

    since: the gaming day with whose reading it begins, None for the first row. Raises ReplayRefused,
    LedgerError.
    """
    names = JournalNames(ledger, bank)
    number = names.number(link)
    if number is None:
        known = ", ".join(terms.link for terms in names.links.values())
        raise ReplayRefused(
            "what_if_link_unknown", "bank {bank} has no link {link}, only {links}",
            bank=bank, link=repr(link), links=known,
        )  # fmt: skip
    begin = _beginning(ledger, names, number, since)
    after = begin.after
    _check_whole(ledger, bank, after)
    now = names.links[number]
    terms = change(now)
    _check_above(begin, terms)
    for table in names.tables.values():
        if link in table.links and not hands.makes(terms.hand_kind, table.game):
            raise ReplayRefused(
                "what_if_no_hand",
                "table {table}: the cards of {game} make no hand of {paytable}",
                table=table.table, game=Sentence(game(table.game)), paytable=terms.paytable,
            )  # fmt: skip
    head = ledger.head(bank)
    upto = head.seq
    undone = _undone(ledger, bank, upto)
    journal = read_to(ledger, bank, head).state.link(number)
    sources = [_randomness_of(ledger, bank, journal, begin, upto) for _ in (now, terms)]
    sides = zip((now, terms), sources, strict=True)
    own, other = (
        _LinkReplay(names, number, side, undone, begin.meters, randomness) for side, randomness in sides
    )
    for table in _opened_before(ledger, names, after):
        for again in (own, other):
            again.open(table)
    for entry in merge(counting(ledger, bank, after, upto), of_kinds(ledger, bank, _ACTS, after, upto)):
        event = entry.event
        for again in (own, other):
            again.take(entry, event)
        if entry.seq % _TELL_EVERY == 0:
            tell(entry.seq - after, upto - after)
    _check_whole(ledger, bank, after)  # rows may have been archived meanwhile
    tell(upto - after, upto - after)
    for again in (own, other):
        again.pay_all()
    if begin.after:
        _only_since(journal, begin, moved(ledger, bank, after, upto))
    return WhatIfResult(
        was=own.ends(),
        would=other.ends(),
        journal=_ends(journal, {}),
        was_total=own.total(),
        would_total=other.total(),
        journal_total=_total(journal, 0),
        days=_days(own, other),
        rounds=other.rounds,
        hidden=other.hidden,
        left_out=other.left_out,
        refused=own.refused | other.refused,
        not_allowed=not_allowed(now, terms),
        own_numbers=sources[-1].own,
    )


def _randomness_of(ledger: Reader, bank: str, link: Link, begin: ReplayStart, upto: int) -> ReplayRandomness:
    committed = mystery.is_committed(link)
    commitments = commitments_of(ledger, bank, link, begin.after, upto) if committed else {}
    levels = [level.terms.level for level in link.levels]
    return ReplayRandomness(f"{bank} {link.terms.link}", commitments, levels)


def _check_above(begin: ReplayStart, terms: LinkTerms) -> None:
    """Raises ReplayRefused where a mystery level stood at its highest sum already, as the replay begins."""
    for level in terms.levels:
        read = begin.meters.get(level.level)
        if read is not None and level.must_hit_by is not None and read.primary >= level.must_hit_by:
            raise ReplayRefused(
                "what_if_reached",
                "{level} had reached that sum by the end of {day} already",
                level=level.level, day=begin.day,
            )  # fmt: skip


def _opened_before(ledger: Reader, names: JournalNames, after: int) -> Iterator[TableTerms]:
    """The tables that were open at the beginning."""
    if not after:
        return
    later = {
        entry.event.number
        for entry in of_kinds(ledger, names.bank, (TableOpened.kind,), after)
        if isinstance(entry.event, TableOpened)
    }
    yield from (terms for number, terms in names.tables.items() if number not in later)


def _only_since(link: Link, begin: ReplayStart, since: Mapping[tuple[int, int], Accounts]) -> None:
    """Takes from a link what happened before the beginning; what stands on its meters stays.

    since: what its postings came to from then on.
    """
    for level in link.levels:
        flows, read = since.get((link.number, level.number), Accounts()), begin.meters.get(level.terms.level)
        for name in _FLOWS:
            setattr(level.accounts, name, getattr(flows, name))
        if read is not None:
            level.history.wagers -= read.wagers
            level.hits -= read.hits
    link.outside = since.get((link.number, 0), Accounts())


def _undone(ledger: Reader, bank: str, upto: int) -> dict[int, int]:
    """By the journal's number of a hit, the last entry that undid an award of it."""
    return {
        entry.event.hit: entry.seq
        for entry in of_kinds(ledger, bank, (Undone.kind,), 0, upto)
        if isinstance(entry.event, Undone)
    }


class _LinkReplay:
    """Replays a link's events on an engine that has that link alone.

    undone: as `_undone` finds it. meters: with which it begins; a level that has none begins with its seed.
    randomness: the random numbers of a mystery link. No award is final at once, so that each can still be
    undone.
    """

    def __init__(
        self,
        names: JournalNames,
        number: int,
        terms: LinkTerms,
        undone: Mapping[int, int],
        meters: Mapping[str, MeterRead],
        randomness: ReplayRandomness,
    ) -> None:
        self._names = names
        self._number = number
        self._randomness = randomness
        # Nobody counts a mystery's wagers here (Y10).
        self._terms = replace(
            terms,
            hold_table=False,
            count_chips=False,
            validate_at=None,
            electronic=terms.electronic or terms.mystery,
        )
        self._named = hands.NAMES[terms.hand_kind]
        # A seat whose hand was named for other links alone was shown, and has won nothing here.
        poor = (name for name in reversed(self._named) if not _pays(terms, name))
        self._nothing = convert(next(poor, None), m.HandName | None)
        self._engine = Engine(names.bank)
        self._engine.chance = self._engine.triggers = randomness
        self._asked = 0
        self._undone = undone
        self._winners: dict[int, tuple[HitPlace, dict[int, Winner]]] = {}
        self._to_undo: Counter[HitPlace] = Counter()
        self.days: list[tuple[str, dict[str, tuple[int, int]]]] = []
        self.left_out: Counter[str] = Counter()
        self.refused: Counter[str] = Counter()
        self.rounds = self.hidden = 0
        self._act(OpenBank("what-if"))
        self._act(OpenLink(self._terms))
        self._stood = {level.terms.level: meters[level.terms.level].stood
                       for level in self.link.levels if level.terms.level in meters}  # fmt: skip
        self._begin(meters)
        self._renew()

    def _begin(self, meters: Mapping[str, MeterRead]) -> None:
        """Puts the meters where the reading found them, as if they were the seeds."""
        for level in self.link.levels:
            if (read := meters.get(level.terms.level)) is not None:
                begun = Accounts(read.primary, read.reserve, read.overflow, -read.stood)
                hold_limit(begun, level.terms)
                level.accounts, level.history.base = begun, begun.copy()
                if level.mystery is not None:
                    level.mystery.start = level.mystery.decided = read.primary

    def ends(self) -> list[End]:
        """The ends of its levels; what they began with is nothing that the house put in."""
        return _ends(self.link, self._stood)

    def total(self) -> Total:
        return _total(self.link, sum(self._stood.values()))

    def take(self, entry: Entry, event: Event) -> None:
        """Applies one event of the journal."""
        match event:
            case TableOpened():
                self.open(event.terms)
            case ReadingTaken():
                levels = self.link.levels
                self.days.append(
                    (event.day, {one.terms.level: (one.accounts.primary, one.hits) for one in levels})
                )
            case Undone():
                self._undo(entry, event)
            case TriggersRenewed():
                self._replace(event)
            case _ if type(event) in LEFT_OUT:
                self.left_out[LEFT_OUT[type(event)]] += self._is_ours(event)
            case _:
                number = getattr(event, "table", None) or entry.table or 0
                table = self._engine.table(self._names.table(number))
                if table is not None:
                    self._note(table, event)
                    self._round(table, entry.at, event)

    def pay_all(self) -> None:
        """Pays what waits at the end."""
        for table in self._engine.state.tables:
            self._pay(table)

    @property
    def link(self) -> Link:
        return self._engine.state.links[0]

    def open(self, terms: TableTerms) -> None:
        """Opens a table, if the link is played there."""
        if self._terms.link in terms.links:
            pace = _PACE_MAX if self._terms.mystery else 0
            self._act(OpenTable(replace(terms, links=(self._terms.link,), max_rounds_per_minute=pace)))

    def _replace(self, event: TriggersRenewed) -> None:
        """Draws triggers afresh where people had those replaced that ran (Y12)."""
        for one in event.levels:
            if one.link == self._number and one.ended is not None and one.committed is not None:
                mystery.cycle_of(self.link.levels[one.level - 1]).replace = True
        self._renew()

    def _renew(self) -> None:
        """Makes the commitments that are due."""
        if any(True for _ in due(self._engine.state)):
            self._engine.execute(Envelope(RenewTriggers(), 0, 0, self._digest()))

    def _note(self, table: Table, event: Event) -> None:
        """Records by place which hits of the journal will be undone: they are not paid before."""
        if not isinstance(event, Settled | Closed):
            return
        for hit in event.made.hits:
            if hit.link == self._number and hit.number in self._undone:
                place = HitPlace(
                    table.terms.table, event.round, hit.seat, self._drawn(hit.hand, hit.awards[0].level)
                )
                _, winners = self._winners.setdefault(hit.number, (place, {}))
                self._to_undo[place] += not winners
                winners |= {one.number: Winner(one.seat, one.because, one.dealer) for one in hit.awards}

    def _undo(self, entry: Entry, event: Undone) -> None:
        """Undoes the hit here, too; or one winner of it, if the others' awards stand."""
        if event.hit not in self._winners:
            return  # of another link
        place, winners = self._winners[event.hit]
        for number in event.awards:
            gone = winners.pop(number, None)
            for hit in self._at(place):
                for award in hit.awards:
                    if award.stands() and gone == Winner(award.seat, award.because, award.dealer):
                        self._act(Undo(f"H{hit.number}", AS_IT_WAS, f"A{award.number}"), entry.at)
        for hit in self._at(place) if not winners else ():
            self._act(Undo(f"H{hit.number}", AS_IT_WAS), entry.at)
        if self._undone[event.hit] == entry.seq:
            self._to_undo[place] -= 1

    def _at(self, place: HitPlace) -> list[Hit]:
        """The hits at that place that have an award that stands."""
        table = self._engine.table(place.table)
        return [
            hit
            for hit in list(self._engine.state.hits.values())
            if table is not None and hit.table == table.number and self._place(hit) == place
            if any(award.stands() for award in hit.awards)
        ]

    def _place(self, hit: Hit) -> HitPlace:
        table = self._engine.state.table(hit.table).terms.table
        return HitPlace(table, hit.round, hit.seat, self._drawn(hit.hand, hit.awards[0].level))

    def _drawn(self, hand: str, level: int) -> str:
        """Which of the hits of a seat it is, apart from that of its hand."""
        if hand == mystery.MYSTERY:
            return self._terms.levels[level - 1].level
        return hand if hand in DRAWN else ""

    def _is_ours(self, event: Event) -> bool:
        links = {getattr(event, name, None) for name in ("link", "to")}
        return links == {None} or self._number in links

    def _round(self, table: Table, at: int, event: Event) -> None:
        round_ = table.find(getattr(event, "round", ""))
        match event:
            case Wagered():
                self._wager(table, at, event)
            case Reopened():
                if table.closed is not None and table.closed.id == event.round:
                    self._act(Reopen(table.terms.table, event.round, AS_IT_WAS), at)
            case _ if round_ is None:
                pass  # none of its wagers was on this link
            case Withdrawn() | Struck():
                bets = event.bets if isinstance(event, Withdrawn) else [event.bet]
                self._take_back(table, round_, at, bets)
            case Locked() if not event.recount or event.locking.players:
                self._lock(table, at, event.round, event.locking)
            case Settled() if not self._terms.mystery:
                self._settle(table, at, event)
                self._count(table, round_, event.round)
            case Settled() | Closed() if isinstance(event, Closed) or event.closing is not None:
                self._randomness.begin(one for one in event.counted if one.link == self._number)
                self._frame(table, at, m.Close(table.last_seq + 1, event.round))
                self._count(table, round_, event.round)
            case AbandonedDecided() if event.seat in round_.waiting():
                name, seat = table.terms.table, event.seat
                self._act(DecideAbandoned(name, round_.id, seat, event.abandoned, AS_IT_WAS), at)
            case Voided() if self._number not in event.settles:
                self._void(table, round_, at)

    def _wager(self, table: Table, at: int, event: Wagered) -> None:
        bets = tuple(
            m.Bet(
                bet.seat,
                self._terms.link,
                to_cents(bet.wagered(self._terms)),
                bet.player,
                "dealer" if bet.dealer else "own",
            )
            for bet in event.bets
            if self._plays(bet)
        )
        if bets:
            self._frame(table, at, m.Wager(table.last_seq + 1, event.round, bets))
        if event.locking is not None and table.find(event.round) is not None:
            self._lock(table, at, event.round, event.locking)

    def _plays(self, bet: Placed) -> bool:
        return bet.link == self._number and (self._terms.dealer_hand or not bet.dealer)

    def _lock(self, table: Table, at: int, round_id: str, locking: Locking) -> None:
        self._pay(table)
        draws = Draws()
        for made in locking.draws:
            if made.link == self._number:
                numbers = (made.magic_chance, made.magic_card, made.lucky_chance, made.lucky_box)
                draws[self._terms.link] = RawDraws(*numbers)
        lock = m.Lock(table.last_seq + 1, round_id, players=locking.players or None)
        self._frame(table, at, lock, draws)

    def _settle(self, table: Table, at: int, event: Settled) -> None:
        """Settles all shown hands: by their cards, else by a name that the paytable knows."""
        cards = {hand.seat: hand.cards for hand in event.shown if hand.cards}
        shown: dict[int, m.Claim] = {}
        round_ = table.find(event.round)
        played = {bet.seat for bet in round_.bets} if round_ is not None else set[int]()
        for hand in event.shown:
            if hand.abandoned and not hand.cards:
                if hand.seat in played:
                    shown[hand.seat] = m.Claim(hand.seat, player=hand.player, abandoned=True)
                continue
            own = _texts(cards.get(hand.seat, b""))
            claim = m.Claim(hand.seat, own, folded=hand.folded, player=hand.player)
            if own is None and hand.link in (0, self._number) and hand.hand in self._named:
                name, suit = convert(hand.hand, m.HandName), convert(hand.suit or None, m.Suit | None)
                shown[hand.seat] = replace(claim, hand=name, suit=suit)
            elif own is None and not hand.folded and self._nothing is not None:
                shown.setdefault(hand.seat, replace(claim, hand=self._nothing))
            elif own is not None or hand.folded:
                shown.setdefault(hand.seat, claim)
        seats, close = tuple(shown.values()), event.closing is not None
        board, dealer, bonus = map(_texts, (event.board, event.dealer, event.bonus))
        seq = table.last_seq + 1
        settle = m.Settle(seq, event.round, seats, board, dealer, close=close, bonus=bonus)
        self._frame(table, at, settle)

    def _take_back(self, table: Table, round_: Round, at: int, bets: list[Placed]) -> None:
        """Takes wagers back, as a withdrawal, or as people who struck them did for any reason."""
        ours = [(bet.seat, bet.dealer) for bet in bets if self._plays(bet)]
        made = zip(round_.bets, round_.seqs, strict=True)
        for found in [one for one in made if (one[0].seat, one[0].dealer) in ours]:
            less = without_bets(self._engine.state, round_, [found])
            struck = Struck(table.number, round_.id, found[0], AS_IT_WAS, less, People())
            seq, kind = self._engine.seq + 1, (Struck.kind, RULES_VERSION)
            self._engine.replay(
                DecidedEntry(seq, at, *kind, None, None, None, self._digest(), b"", ()), struck
            )

    def _void(self, table: Table, round_: Round, at: int) -> None:
        """Voids a round. Its awards are undone first: none of them stood (T6)."""
        for number in list(round_.hits):
            hit = self._engine.state.hits.get(number)
            if hit is not None and any(award.stands() for award in hit.awards):
                self._act(Undo(f"H{number}", AS_IT_WAS), at)
        self._act(VoidRound(table.terms.table, round_.id, AS_IT_WAS), at)

    def _count(self, table: Table, round_: Round, round_id: str) -> None:
        """Counts a round that has ended."""
        if round_.reopened or table.find(round_id) is not None:
            return
        self.rounds += 1
        if self._terms.mystery:
            return  # no hand decides
        seen = {shown.seat for shown in round_.shown if shown.cards}
        self.hidden += len({bet.seat for bet in round_.bets if not bet.dealer} - seen)

    def _pay(self, table: Table) -> None:
        """Validates and pays everything that waits at the table (A10)."""
        for number in sorted(set(table.unpaid.hits)):
            if self._to_undo[self._place(self._engine.state.hits[number])]:
                continue
            self._act(Validate(f"H{number}"))
            for payment in payments(self._engine.state.hits[number], f"H{number}"):
                self._act(payment)

    def _frame(self, table: Table, at: int, command: m.TableMessage, draws: Draws = NO_DRAWS) -> None:
        tick = at if self._terms.mystery else 0  # its table's pace is limited (Y10)
        envelope = Envelope(command, at, tick, self._digest(), table=table.terms.table, draws=draws)
        answer = self._engine.execute(envelope).answer
        if isinstance(answer, Nack):
            self.refused[answer.message] += 1

    def _act(self, command: ActCommand, at: int = 0) -> None:
        outcome = self._engine.execute(Envelope(command, at, 0, self._digest(), people=TWO))
        if outcome.entry is None:
            self.refused[outcome.of_act().message] += 1

    def _digest(self) -> bytes:
        self._asked += 1
        return self._asked.to_bytes(DIGEST_BYTES // 2, "big") * 2


def _days(own: _LinkReplay, other: _LinkReplay) -> list[Day]:
    """Both sides at each reading, by level."""
    nothing = (None, None)
    return [
        Day(day, level, *was.get(level, nothing), *would.get(level, nothing))
        for (day, was), (_, would) in zip(own.days, other.days, strict=True)
        for level in dict.fromkeys([*was, *would])
    ]


def _ends(link: Link, stood: Mapping[str, int]) -> list[End]:
    """The end of each level, and of what the house paid. stood: by level, what it began with."""
    levels = [
        End(
            one.terms.level,
            one.wagers,
            one.accounts.primary,
            one.hits,
            one.accounts.awards,
            -one.accounts.house - stood.get(one.terms.level, 0),
        )
        for one in link.levels
    ]
    return [*levels, End(HOUSE, 0, 0, 0, link.outside.awards, -link.outside.house)]


def _total(link: Link, stood: int) -> Total:
    """Totals of a link. stood: on its meters at the beginning."""
    accounts = [*(level.accounts for level in link.levels), link.outside]
    offered = -link.outside.wagers  # on an offer the house has them, and they move no meter (B1)
    return Total(
        link.levels[0].wagers * link.terms.wager if link.levels else offered,
        -sum(one.wagers for one in accounts) - offered,
        offered - sum(one.house for one in accounts) - stood,
        sum(one.awards for one in accounts),
        sum(one.primary + one.reserve + one.overflow for one in accounts),
    )


def _pays(terms: LinkTerms, name: str) -> bool:
    return any(hands.best_row(terms.rows, hands.Ranked(name, suit)) for suit in deck.SUITS)


def _texts(packed: bytes) -> tuple[str, ...] | None:
    return tuple(map(deck.text, deck.unpack(packed))) or None
