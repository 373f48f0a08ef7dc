"""Report of the result of the bonus in a month: by link, table, game, shift or gaming day.

The running cost is what goes onto meters and reserves, and what the house pays: odds, envy and draws, as in
the report `cost`. A stake that goes back to its winner with an award of "N to 1" is no cost, and stands apart
(B4). So do seeds, which are a link's own and come at once. The expected cost is that of the same wagers by
exact odds; envy is not in it, for it depends on who sat together. Of offers, whose wagers vary, sums alone
are known: their hits are not counted.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Final, NamedTuple, TypeVar

from jackpot.catalogue import draws_return, row_chances, times
from jackpot.catalogue.returns import hit_chance, reseeds_return
from jackpot.config.writing import writing
from jackpot.ledger.reading import Reader
from jackpot.reports import statistics
from jackpot.reports.bonus_book import PAID_BY_HOUSE, BonusBook, BonusKey, WageredTerms
from jackpot.reports.read.entries import must_be_here
from jackpot.reports.read.gaming_days import month_parts, months_of
from jackpot.reports.read.names import JournalNames
from jackpot.reports.read.scope import must_be_there
from jackpot.reports.read.shifts import shifts_of
from jackpot.reports.report import (
    Cell,
    Fact,
    NamedId,
    Report,
    ReportColumn,
    ReportProblem,
    ReportRequest,
    ReportResult,
)
from jackpot.rules.money import floor_to_cent
from jackpot.rules.paytable import Fixed, ForOne, Percent, ToOne, row_for
from jackpot.rules.rounds.mystery import MYSTERY
from jackpot.text import Sentence, game

EXACT: Final = Sentence("exact")
NORMAL: Final = Sentence("normal")
# Below it a chance is told by this bound: one in ten thousand is as good as never.
CHANCE_MIN: Final = 0.0001
# Hundredths of one per cent in the whole.
_PER_CENT: Final = 10_000

COLUMNS: Final = (
    ReportColumn("month", spare=True),
    ReportColumn("of", "word", help="what the row is of", spare=True),
    ReportColumn("name"),
    ReportColumn("wagers", "count", "accepted, less those taken back", spare=True),
    ReportColumn("wagered", "money", "what they came to", total=True),
    ReportColumn(
        "stakes", "money", "of it, returned to winners at odds of N to 1: no cost", total=True, spare=True
    ),
    ReportColumn("onto_meters", "money", "of the wagers, reserves with them", total=True),
    ReportColumn("paid", "money", "awards, by meters and by the house", total=True),
    ReportColumn(
        "paid_by_the_house",
        "money",
        "of these: odds, envy and draws",
        total=True,
        spare=True,
    ),
    ReportColumn("running_cost", "money", "onto meters, and paid by the house", total=True),
    ReportColumn("running_cost_per_cent", "figure", "of what was wagered"),
    ReportColumn("expected_cost", "money", "of the same wagers by exact odds, without envy", total=True),
    ReportColumn("expected_cost_per_cent", "figure", "of what was wagered"),
    ReportColumn("left_to_the_house", "rest", "wagered, less the stakes and the running cost", total=True),
    ReportColumn("seeds", "money", "seeds, reseeds, top-ups and make-goods, less returns", total=True),
    ReportColumn("expected_seeds", "money", "reseeds by exact odds", total=True, spare=True),
    ReportColumn("hits", "count", "hands that were paid, less those undone", always=True),
    ReportColumn("expected_hits", "figure", "by exact odds"),
    ReportColumn("chance", "figure", "of a difference at least so large, to either side"),
    ReportColumn("how", "word", "normal: from 30 expected hits on", spare=True),
)
HANDS: Final = (
    ReportColumn("link"),
    ReportColumn("hand", "word"),
    ReportColumn("wagers", "count", "accepted, less those taken back"),
    ReportColumn("one_in", "figure", "of so many hands one is it"),
    ReportColumn("expected", "figure", "by exact odds"),
    ReportColumn("actual", "count", "paid, less those undone", always=True),
    ReportColumn("chance", "figure", "of a difference at least so large, to either side"),
    ReportColumn("how", "word", "normal: from 30 expected hits on"),
    ReportColumn("expected_paid", "money", "by the house, by exact odds", total=True),
)
# What the floor is divided by, besides its days.
_PLACE: Final = ("link", "table", "game", "shift")
# Groups whose rows have seeds, too.
_OF_LINKS: Final = ("link", "day")
MEANT: Final = (
    Fact("running cost", Sentence(
        "what was put onto meters and reserves, and odds, envy and draws that the house paid; what a meter "
        "pays was put there before"
    )),
    Fact("expected cost", Sentence(
        "of the same wagers by exact odds; envy is not in it, for it depends on who sat together"
    )),
    Fact("seeds", Sentence("they are a link's own, and are divided among no tables")),
    Fact("stakes", Sentence(
        "what goes back to its winner with an award of N to 1 is neither paid nor a cost; it is not left to "
        "the house"
    )),
    Fact("hits", Sentence(
        "hands that links paid, less those undone; of offers, whose wagers vary, none are counted"
    )),
    Fact("chance", Sentence(
        "of hits so far off, to either side, were all fair and each hand by itself: exact where fewer than "
        "30 are expected, else by the normal distribution"
    )),
)  # fmt: skip
NOTHING_YET: Final = Fact("nothing yet", Sentence(
    "once rounds are played, this says what was wagered, what went onto meters, what was paid and what is "
    "left to the house; what that costs next to exact odds; and how likely so many hits are"
))  # fmt: skip


Key = TypeVar("Key")


class Expectation(NamedTuple):
    """Expectation of one wager. paid, seeds: by the house, micro-dollars. hit: the chance of any hand.

    rate: `paid` as a part of the wager.
    hands: by hand, its chance, and what the house pays for it on average. draws: of `paid`.
    """

    paid: Fraction
    seeds: Fraction
    hit: Fraction
    hands: Mapping[str, tuple[Fraction, Fraction]]
    draws: Fraction
    rate: Fraction


class Difference(NamedTuple):
    """Expected hits, and the chance of a difference at least so large; None where nothing is expected."""

    expected: float
    chance: float | None
    exact: bool

    def cells(self) -> tuple[Cell, Cell, Cell]:
        """What is expected, the chance, and how that was found; of a tiny chance people see a bound."""
        if self.chance is None:
            return f"{self.expected:.2f}", "", ""
        chance = f"{self.chance:.2g}"
        if self.chance < CHANCE_MIN:
            chance = NamedId(chance, f"< {CHANCE_MIN}")
        return f"{self.expected:.2f}", chance, EXACT if self.exact else NORMAL


def expectation(played: WageredTerms) -> Expectation:
    """What exact odds say of one wager on these terms."""
    terms, seats, players = played
    hands: dict[str, tuple[Fraction, Fraction]] = {}
    for printed, chance in zip(terms.rows, row_chances(terms, players), strict=True):
        row = row_for(printed, players)
        own, paid = hands.get(row.hand, (Fraction(0), Fraction(0)))
        by_house = 0 if isinstance(row.pays, Percent) else chance * _awarded(row.pays, terms.wager)
        hands[row.hand] = own + chance, paid + by_house
    if terms.mystery:
        won = (hit_chance(terms, level.level) for level in terms.levels)
        hands[MYSTERY] = sum(won, Fraction(0)), Fraction(0)
    draws = draws_return(terms, seats) * terms.wager
    paid = sum((by_house for _, by_house in hands.values()), draws)
    return Expectation(
        paid,
        reseeds_return(terms) * terms.wager,
        sum((chance for chance, _ in hands.values()), Fraction(0)),
        hands,
        draws,
        paid / terms.wager,
    )


def _awarded(pays: ForOne | ToOne | Fixed, wager: int) -> Fraction:
    """What a row awards, without the stake that N to 1 returns besides; micro-dollars (B4)."""
    return (times(pays, wager) - isinstance(pays, ToOne)) * wager


def difference(observed: int, groups: Mapping[Fraction, int]) -> Difference:
    """Hits that came, against those expected. groups: by the chance of each, how many wagers.

    A count is negative where more of an earlier month were undone: it is judged as none.
    """
    observed = max(0, observed)
    trials = [(count, float(rate)) for rate, count in groups.items() if count > 0 and 0 < rate < 1]
    expected = sum(count * rate for count, rate in trials)
    if not trials:
        return Difference(expected, None, exact=True)
    if expected < statistics.EXACT_MAX:
        return Difference(expected, statistics.exactly_beyond(observed, trials), exact=True)
    return Difference(expected, statistics.normally_beyond(observed, trials), exact=False)


class BookRow(NamedTuple):
    """Figures of one day, link, table and shift, by their names. table, game and shift: "" for a link itself.

    wagers: how many, by the place of their expectation. offered: micro-dollars, by the same.
    """

    day: str
    link: str
    table: str
    game: str
    shift: str
    sums: Counter[str]
    hands: Counter[str]
    wagers: Counter[int]
    offered: Counter[int]


class ResultFigures:
    """Figures of one part of the floor, added up.

    sums: micro-dollars by name, and how many wagers. hands: awards by the hand that won. wagers: how many, by
    the place of their expectation in `expectations`. offered: micro-dollars, by the same.
    """

    def __init__(self, expectations: Sequence[Expectation]) -> None:
        self._expectations = expectations
        self.sums: Counter[str] = Counter()
        self.hands: Counter[str] = Counter()
        self.wagers: Counter[int] = Counter()
        self.offered: Counter[int] = Counter()

    def add(self, row: "BookRow | ResultFigures") -> None:
        self.sums.update(row.sums)
        self.hands.update(row.hands)
        self.wagers.update(row.wagers)
        self.offered.update(row.offered)

    @property
    def wagered(self) -> int:
        return self.sums["wagered"]

    @property
    def onto_meters(self) -> int:
        """What went onto meters and reserves."""
        return self.sums["onto_meters"] + self.sums["onto_reserves"]

    @property
    def paid_by_house(self) -> int:
        return sum(self.sums[name] for name in PAID_BY_HOUSE.values())

    @property
    def stakes(self) -> int:
        """What went back to winners with awards of N to 1."""
        return self.sums["stakes"]

    @property
    def paid(self) -> int:
        """All awards: those of meters and those that the house paid."""
        return self.sums["from_meters"] + self.paid_by_house

    @property
    def running(self) -> int:
        return self.onto_meters + self.paid_by_house

    @property
    def left(self) -> int:
        return self.wagered - self.stakes - self.running

    @property
    def seeds(self) -> int:
        return self.sums["seeds"]

    @property
    def hits(self) -> int:
        return self.hands.total()

    @property
    def expected(self) -> int:
        """The expected cost: what goes onto meters is known, and what the house pays is by exact odds."""
        offered = sum(
            (micros * self._expectations[place].rate for place, micros in self.offered.items()),
            Fraction(0),
        )
        return self.onto_meters + int(offered + sum(count * one.paid for one, count in self.played()))

    @property
    def expected_seeds(self) -> int:
        return int(sum(count * one.seeds for one, count in self.played()))

    def played(self) -> Iterator[tuple[Expectation, int]]:
        """Each expectation, with how many wagers have it."""
        return ((self._expectations[place], count) for place, count in self.wagers.items())

    @property
    def has_hands(self) -> bool:
        """Whether hits are counted at all: those of offers are not."""
        return bool(+self.wagers or self.hands)

    def difference(self) -> Difference:
        """Hits of any hand, against those expected."""
        rates: Counter[Fraction] = Counter()
        for one, count in self.played():
            rates[one.hit] += count
        return difference(self.hits, rates)

    def any(self) -> bool:
        """Whether it has anything to say."""
        return any(self.sums.values()) or any(self.hands.values())

    def played_on(self) -> bool:
        """Whether anything was wagered or won: a link that opens has its seeds before its first round."""
        return bool(self.sums["wagers"] or self.paid or any(self.hands.values()))


class MonthBook:
    """Books of one month over several banks, or what of them a report is about.

    rows: of each day, link, table and shift. problems: what does not add up. banks: by name, the first and
    the last row of the month.
    """

    def __init__(self, ledger: Reader, request: ReportRequest, month: str) -> None:
        self.month = month
        self.rows: list[BookRow] = []
        self.problems: list[ReportProblem] = []
        self.banks: dict[str, tuple[int, int]] = {}
        self._expectations: list[Expectation] = []
        for bank in request.banks:
            names = JournalNames(ledger, bank)
            parts = month_parts(ledger, bank, request.site, month) if names.links else []
            if parts:
                must_be_here(ledger, bank, parts[0].after)
                self.banks[bank] = parts[0].after + 1, parts[-1].upto
                self._add(BonusBook(ledger, names, request.site, parts, expected=True), request)

    def by(self, group: str) -> dict[str, ResultFigures]:
        """Figures of each link, table, game, shift or day; a link's own are of no table, game or shift."""
        found = self._of_days
        if group != "day":
            place = _PLACE.index(group)
            found = self._summed((key[place], each) for key, each in self._of_places.items() if key[place])
        return {name: each for name, each in found.items() if each.any()}

    def total(self) -> ResultFigures:
        """Figures of all of it."""
        found = ResultFigures(self._expectations)
        for each in self._of_days.values():
            found.add(each)
        return found

    @cached_property
    def _of_days(self) -> dict[str, ResultFigures]:
        """Figures of each gaming day."""
        return self._summed((row.day, row) for row in self.rows)

    @cached_property
    def _of_places(self) -> dict[tuple[str, ...], ResultFigures]:
        """Figures of each `_PLACE`: a page asks for each part of it; a month has thirty times the rows."""
        return self._summed((tuple(getattr(row, part) for part in _PLACE), row) for row in self.rows)

    def _summed(self, parts: Iterable[tuple[Key, BookRow | ResultFigures]]) -> dict[Key, ResultFigures]:
        """Figures by key, each the sum of its parts."""
        found: dict[Key, ResultFigures] = {}
        for key, part in parts:
            if (figures := found.get(key)) is None:
                figures = found[key] = ResultFigures(self._expectations)
            figures.add(part)
        return found

    def _add(self, book: BonusBook, request: ReportRequest) -> None:
        first = len(self._expectations)
        self._expectations += [expectation(played) for played in book.played]
        self.problems += book.problems
        for key in {**book.figures, **book.hands}:
            row = _row_of(book, key, first)
            if _counts(row, request):
                self.rows.append(row)


def _row_of(book: BonusBook, key: BonusKey, first: int) -> BookRow:
    """A row of the book. first: the place of the book's first expectation."""
    names, table = book.names, book.names.tables.get(key.table)
    return BookRow(
        key.period,
        names.link(key.link),
        "" if table is None else table.table,
        "" if table is None else table.game,
        key.shift,
        book.figures.get(key, Counter()),
        book.hands.get(key, Counter()),
        _from(first, book.wagers.get(key, Counter())),
        _from(first, book.offered.get(key, Counter())),
    )


def _from(first: int, counts: Counter[int]) -> Counter[int]:
    """Counts by the place in a book as counts by the place in all books."""
    return Counter({first + place: count for place, count in counts.items()})


def _counts(row: BookRow, request: ReportRequest) -> bool:
    asked = (
        (request.link, row.link),
        (request.table, row.table),
        (request.game, row.game),
        (request.shift, row.shift),
    )
    return all(value in (None, own) for value, own in asked)


def find(ledger: Reader, request: ReportRequest) -> ReportResult:
    """The month's figures by what was asked for. Raises ReportRefused, LedgerError."""
    book = month_book(ledger, request)
    total = book.total()
    rows = (_row(book.month, request, name, figures) for name, figures in ordered(book, request))
    first = summary(total, request) if total.played_on() else [NOTHING_YET]
    return ReportResult([*first, *_rows_read(book), *MEANT], rows, book.problems)


def find_hands(ledger: Reader, request: ReportRequest) -> ReportResult:
    """Each hand of each link that came, against those expected. Raises ReportRefused, LedgerError."""
    book = month_book(ledger, request)
    links = book.by("link")
    rows = (row for link in sorted(links) for row in _hands(request.link_cell(link), links[link]))
    facts = [*([] if book.total().played_on() else [NOTHING_YET]), *_rows_read(book), MEANT[-1]]
    return ReportResult(facts, rows, book.problems)


def month_book(ledger: Reader, request: ReportRequest) -> MonthBook:
    """The book of the month asked for, or of the last one. Raises ReportRefused, LedgerError."""
    named = [names for bank in request.banks if (names := JournalNames(ledger, bank)).links]
    must_be_there(request, named)
    banks = [names.bank for names in named]
    month = request.month or next(iter(months_of(ledger, banks, request.site)), "")
    return MonthBook(ledger, request._replace(banks=tuple(banks if month else ())), month)


def ordered(book: MonthBook, request: ReportRequest) -> list[tuple[str, ResultFigures]]:
    """The parts of a group with their figures: shifts as they follow each other, the others by name."""
    found = book.by(request.group)
    if request.group == "shift":
        return [(one.name, found[one.name]) for one in shifts_of(request.site) if one.name in found]
    return sorted(found.items())


def summary(total: ResultFigures, request: ReportRequest) -> list[Fact]:
    """The month in a few lines. They add up by hand, to the cent, as those of the report `cost` do."""
    told = writing(request.site.locale, request.site.currency).to_the_cent
    cost, seeds = floor_to_cent(total.running), floor_to_cent(total.seeds)
    left = total.wagered - total.stakes - cost
    sums = {"cost": told(cost), "wagered": told(total.wagered), "left": told(left)}
    back = Sentence(", less {stakes} of stakes returned", stakes=told(total.stakes)) if total.stakes else ""
    facts = [
        Fact(
            "result",
            Sentence(
                "{cost} of {wagered} wagered{back}; {left} is left to the house before seeds",
                **sums,
                back=back,
            ),
        ),
    ]
    if total.wagered > 0:
        shares = {"actual": per_cent(total.running, total), "expected": per_cent(total.expected, total)}
        facts.append(
            Fact("per cent", Sentence("{actual} % of what was wagered; {expected} % expected", **shares))
        )
    said = Sentence("{left} is left; seeds came to {seeds}", left=told(left - seeds), seeds=told(seeds))
    return [*facts, Fact("after seeds", said)]


def per_cent(micros: int, of: ResultFigures) -> str:
    """A part of what was wagered in per cent, rounded down: "19.00"; "" of nothing."""
    if of.wagered <= 0:
        return ""
    hundredths = abs(micros) * _PER_CENT // of.wagered
    return f"{'-' if micros < 0 else ''}{hundredths // 100}.{hundredths % 100:02}"


def _rows_read(book: MonthBook) -> list[Fact]:
    return [Fact("month", book.month or None)] + [
        Fact(bank, Sentence("rows {first} to {last}", first=f"{first:,}", last=f"{last:,}"))
        for bank, (first, last) in book.banks.items()
    ]


def _row(month: str, request: ReportRequest, name: str, figures: ResultFigures) -> tuple[Cell, ...]:
    group = request.group
    of_links = group in _OF_LINKS
    if group == "link":
        name = request.link_cell(name)
    elif group == "game":
        name = NamedId(name, Sentence(game(name)))
    return (
        month, group, name, figures.sums["wagers"], figures.wagered, figures.stakes,
        figures.onto_meters, figures.paid, figures.paid_by_house, figures.running,
        per_cent(figures.running, figures), figures.expected, per_cent(figures.expected, figures),
        figures.left, figures.seeds if of_links else None, figures.expected_seeds, *hit_cells(figures),
    )  # fmt: skip


def hit_cells(figures: ResultFigures) -> tuple[Cell, Cell, Cell, Cell]:
    """Hits, those expected, the chance of the difference, how it was found; none where none are counted."""
    if not figures.has_hands:
        return None, "", "", ""
    return figures.hits, *figures.difference().cells()


def _hands(link: str, figures: ResultFigures) -> Iterator[tuple[Cell, ...]]:
    """A row for each hand that the link pays, and one for its draws."""
    played = list(figures.played())
    wagers = sum(count for _, count in played)
    # Of a hand that came there may be no wager here: it was made in the shift before, or undone in this one.
    came = [hand for hand, count in figures.hands.items() if count]
    for hand in dict.fromkeys([*(hand for one, _ in played for hand in one.hands), *came]):
        rates: Counter[Fraction] = Counter()
        paid = Fraction(0)
        for one, count in played:
            chance, by_house = one.hands.get(hand, (Fraction(0), Fraction(0)))
            rates[chance] += count
            paid += count * by_house
        expected = sum(count * rate for rate, count in rates.items())
        often = f"{float(wagers / expected):,.1f}" if wagers > 0 and expected > 0 else ""
        actual = figures.hands[hand]
        yield link, hand, wagers, often, *_difference_cells(difference(actual, rates), actual), int(paid)
    draws = int(sum(count * one.draws for one, count in played))
    if draws:
        yield link, "draws", wagers, "", "", None, "", "", draws


def _difference_cells(difference: Difference, actual: int) -> tuple[Cell, ...]:
    expected, chance, how = difference.cells()
    return expected, actual, chance, how


_FILTERS: Final = ("link", "table", "game", "shift")
REPORT: Final = Report(
    "result",
    "Result of the bonus",
    "What did the bonus earn and cost in a month, by link, table, game, shift or gaming day? Running cost, "
    "seeds and the cost that exact odds expect stand apart.",
    COLUMNS,
    ("month", "group", *_FILTERS),
    find,
    "--month 2026-11 --group table",
)
EXPECTED: Final = Report(
    "expected",
    "Hits against exact odds",
    "How many hits of each hand were there in a month, how many do exact odds expect, and how likely is such "
    "a difference?",
    HANDS,
    ("month", *_FILTERS),
    find_hands,
    "--month 2026-11 --link floor-five",
)
