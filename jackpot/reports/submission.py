"""Rules Submission: every choice that the holder made at a table, and since when it holds (P7, P10).

It is read from the journal alone. Links, paytables and words of ours stand there as people call them; files
for programs keep the ids.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from jackpot.catalogue import cards_by_house, ids, load
from jackpot.config.writing import Writing, writing
from jackpot.ledger.reading import Reader
from jackpot.reports.read.entries import Entry, of_kinds
from jackpot.reports.read.meter_history import percent
from jackpot.reports.read.names import JournalNames
from jackpot.reports.report import (
    Cell,
    NamedId,
    Report,
    ReportColumn,
    ReportRefused,
    ReportRequest,
    ReportResult,
)
from jackpot.rules.acts.banks import BankBegun, BankClosed
from jackpot.rules.acts.ends import EndGiven, LinkEnded
from jackpot.rules.acts.links import LinkOpened
from jackpot.rules.acts.meters import LinkClosed
from jackpot.rules.acts.notices import NoticeWithdrawn
from jackpot.rules.acts.parameters import LinkChanged
from jackpot.rules.acts.tables import TableOpened
from jackpot.rules.money import to_cents
from jackpot.rules.paytable import Fixed, ForOne, LinkTerms, PaytableRow, Percent, TableTerms
from jackpot.text import Sentence, game, joined, name_sentence, suits

COLUMNS: Final = (
    ReportColumn("bank"),
    ReportColumn("table"),
    ReportColumn("wager", help="a link or an offer; none: the table itself"),
    ReportColumn("choice"),
    ReportColumn("value"),
    ReportColumn("since", "moment"),
    ReportColumn("row", "count"),
    ReportColumn("who", help="whose act it was, where people changed it"),
)
# What a holder chooses of any link, of one with levels, and of an offer (L9, B12). All else follows.
_OF_ANY: Final = ("paytable", "wager", "rows", "validate_at", "count_chips", "hold_table", "notice_days")
_OF_LINK: Final = ("envy", "simultaneous", "floor_to_seed", "magic_every", "lucky_every")
_OF_OFFER: Final = ("most", "unit", "placed", "cage_at")
_OF_LEVEL: Final = ("primary", "reserve", "seed", "reseed", "limit")
_OF_TABLE: Final = (
    "game",
    "seats",
    "links",
    "adjacent_boxes",
    "max_rounds_per_minute",
    "payout_limit",
    "notice_days",
    "base_wagers",
    "pair_plus",
)
_SUMS: Final = frozenset(
    {"wager", "most", "unit", "validate_at", "cage_at", "seed", "reseed", "limit", "payout_limit"}
)
_RATES: Final = frozenset({"primary", "reserve"})
# Our words for a choice of few, by what it is.
_SAID: Final[dict[str, dict[str, Sentence]]] = {
    "placed": {"layout": Sentence("on the layout"), "device": Sentence("in the device")},
    "simultaneous": {"order": Sentence("in payout order"), "share": Sentence("shared")},
    "pair_plus": {
        "ante": Sentence("an Ante of its amount"),
        "half-ante": Sentence("an Ante of half its amount"),
        "both": Sentence("both wagers"),
    },
}
# The end of a link as two people announced it (P2).
LAST_DAY: Final = "last_day"
_DRAWS: Final = frozenset({"magic_every", "lucky_every"})
_KINDS: Final = tuple(
    event.kind
    for event in (
        LinkOpened,
        LinkChanged,
        EndGiven,
        NoticeWithdrawn,
        LinkClosed,
        LinkEnded,
        TableOpened,
        BankBegun,
        BankClosed,
    )
)


class ChoiceEntry(NamedTuple):
    """The entry that made a choice. at: unix milliseconds. who: whose act it was, "" for nobody's."""

    bank: str
    seq: int
    at: int
    who: Cell


class CurrentChoice(NamedTuple):
    """A choice as it stands."""

    value: Any
    made: ChoiceEntry


Choices = dict[tuple[str, str], CurrentChoice]
"""By level, "" for what is of no level, and by the name of the term."""


class FloorChoices:
    """The choices of links and tables, by their ids. joined: when each table took each link.

    ends: by the number of its notice, the link whose end was announced (P2).
    """

    def __init__(self) -> None:
        self.links: dict[str, LinkTerms] = {}
        self.tables: dict[str, TableTerms] = {}
        self.of_link: dict[str, Choices] = {}
        self.of_table: dict[str, Choices] = {}
        self.joined: dict[tuple[str, str], ChoiceEntry] = {}
        self.ends: dict[int, str] = {}
        self.ended = False

    def hear(self, entry: Entry, names: JournalNames) -> None:
        """Takes an entry of the journal in."""
        event: Any = entry.event
        made = ChoiceEntry(names.bank, entry.seq, entry.at, names.who(getattr(event, "people", None)))
        match event:
            case LinkOpened() | LinkChanged():
                self.links[event.terms.link] = event.terms
                _take(self.of_link.setdefault(event.terms.link, {}), dict(_of_link(event.terms)), made)
            case EndGiven():
                link = names.link(event.link)
                to = names.link(event.to) if event.to else ""
                self.of_link[link]["", LAST_DAY] = CurrentChoice((event.day, to), made)
                self.ends[event.notice] = link
            case NoticeWithdrawn() if event.notice in self.ends:
                self.of_link[self.ends.pop(event.notice)].pop(("", LAST_DAY))
            case LinkClosed() | LinkEnded():
                self.links.pop(names.link(event.link), None)
            case TableOpened():
                terms = event.terms
                for link in terms.links:
                    if terms.table not in self.tables or link not in self.tables[terms.table].links:
                        self.joined[terms.table, link] = made
                self.tables[terms.table] = terms
                own = {("", name): getattr(terms, name) for name in _OF_TABLE}
                _take(self.of_table.setdefault(terms.table, {}), own, made)
            case BankClosed():
                self.ended = True
            case BankBegun():
                handed = [(notice, part.links) for part in event.parts for notice in part.notices]
                for number, (notice, links) in enumerate(handed, 1):
                    if notice.ends:
                        self.ends[number] = links[notice.link - 1].terms.link


def _take(held: Choices, now: Mapping[tuple[str, str], Any], entry: ChoiceEntry) -> None:
    """Takes over what is new or has changed."""
    for name, value in now.items():
        if name not in held or held[name].value != value:
            held[name] = CurrentChoice(value, entry)


def _of_link(terms: LinkTerms) -> Iterator[tuple[tuple[str, str], Any]]:
    for name in (*_OF_ANY, *(_OF_OFFER if terms.offer else _OF_LINK)):
        yield ("", name), getattr(terms, name)
    if terms.cards:  # only where the approval names them (B16)
        yield ("", "cards"), terms.cards
    for level in terms.levels:
        for name in _OF_LEVEL:
            yield (level.level, name), getattr(level, name)


def find(ledger: Reader, request: ReportRequest) -> ReportResult:
    """Every choice, table by table, as it stands now. Raises ReportRefused, LedgerError."""
    floors = {bank: _floor(ledger, bank) for bank in request.banks}
    floors = {bank: floor for bank, floor in floors.items() if not floor.ended}
    known = [table for floor in floors.values() for table in floor.tables]
    if request.table is not None and request.table not in known:
        raise ReportRefused(
            "table_not_known",
            "{table} is unknown; there is {tables}",
            field="table",
            table=request.table,
            tables=" ".join(sorted(known)),
        )
    money = writing(request.site.locale, request.site.currency)
    rows = (
        row
        for floor in floors.values()
        for table in sorted(floor.tables)
        if request.table in (None, table)
        for row in _rows(floor, floor.tables[table], _ValueFormat(money, request))
    )
    return ReportResult([], rows, [])


def _floor(ledger: Reader, bank: str) -> FloorChoices:
    """The floor of a bank. What it was joined of began before it did."""
    floor, names = FloorChoices(), JournalNames(ledger, bank)
    for entry in of_kinds(ledger, bank, _KINDS):
        if isinstance(event := entry.event, BankBegun):
            for before, _, _ in event.heads:
                _join(floor, _floor(ledger, before))
        floor.hear(entry, names)
    return floor


def _join(floor: FloorChoices, part: FloorChoices) -> None:
    floor.links |= part.links
    floor.tables |= part.tables
    floor.of_link |= part.of_link
    floor.of_table |= part.of_table
    floor.joined |= part.joined


class _ValueFormat(NamedTuple):
    """Format of the values. request: it knows the titles of links."""

    money: Writing
    request: ReportRequest


def _rows(floor: FloorChoices, table: TableTerms, value_format: _ValueFormat) -> Iterator[tuple[Cell, ...]]:
    for (_, name), chosen in floor.of_table[table.table].items():
        yield _row(
            table.table,
            "",
            Sentence(name.replace("_", " ")),
            _value(name, chosen.value, value_format),
            chosen.made,
        )
    for link in table.links:
        if link not in floor.links:
            continue  # it was closed, and takes no wagers
        since, wager = floor.joined[table.table, link], value_format.request.link_cell(link)
        for (level, name), chosen in floor.of_link[link].items():
            what = Sentence(name.replace("_", " "))
            choice = joined([name_sentence(level), what], " ") if level else what
            made = max(chosen.made, since, key=lambda one: one.at)
            yield _row(table.table, wager, choice, _value(name, chosen.value, value_format), made)
        for reading in _left_open(floor.links[link], table):
            made = max(floor.of_link[link]["", "paytable"].made, since, key=lambda one: one.at)
            yield _row(table.table, wager, Sentence("left open by the text"), reading, made)


def _row(table: str, wager: str, choice: str, value: Cell, entry: ChoiceEntry) -> tuple[Cell, ...]:
    return entry.bank, table, wager, choice, value, entry.at, entry.seq, entry.who


def _left_open(terms: LinkTerms, table: TableTerms) -> Iterator[str]:
    """What the text of its paytable leaves open, where this program has that paytable (P10)."""
    if terms.paytable in ids():
        paytable = load(terms.paytable)
        yield from paytable.readings
        if (reading := cards_by_house(paytable, table.game)) is not None:
            yield reading


def _value(name: str, value: Any, value_format: _ValueFormat) -> str:
    money = value_format.money
    if value is None or value == ():
        return Sentence("none")
    if isinstance(value, bool):
        return Sentence("yes") if value else Sentence("no")
    if name in _SUMS:
        return money.text(to_cents(value))
    if name in _RATES:
        return percent(value)
    if name in _DRAWS:
        return Sentence("{count} in {of}", count=1, of=money.count(value)) if value else Sentence("none")
    if name == "rows":
        return joined((_row_of(row, money) for row in value), "; ")
    if name == "envy":
        return joined((_hand(row.hand, row.suits, money.text(to_cents(row.amount))) for row in value), "; ")
    if name == LAST_DAY:
        day, to = value
        return (
            Sentence("{day}, its money to {link}", day=day, link=value_format.request.title(to))
            if to
            else day
        )
    if name == "game":
        return game(value)
    if name == "paytable":
        return _paytable(value)
    if name == "base_wagers":
        return NamedId(" ".join(value), "; ".join(_paytable(one).called for one in value))
    if name == "links":
        return NamedId(" ".join(value), ", ".join(map(value_format.request.title, value)))
    if name in _SAID:
        return NamedId(value, _SAID[name][value])
    if name == "cards":
        return NamedId(" ".join(value), joined(map(_place, value), ", "))
    if name == "max_rounds_per_minute" and not value:
        return Sentence("none")
    return " ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _place(name: str) -> Sentence:
    """One of the six cards that an approval names (B16)."""
    what, _, number = name.partition("-")
    if what == "own":
        return Sentence("the player's card {number}", number=number)
    if what == "board":
        return Sentence("community card {number}", number=number)
    return Sentence("the dealer's card {number}", number=number)


def _paytable(name: str) -> NamedId:
    """A paytable by its title; by its id where this program does not have it."""
    return NamedId(name, load(name).title if name in ids() else name)


def _row_of(row: PaytableRow, money: Writing) -> Sentence:
    hand = f"{row.hand}-{row.least}" if row.least else row.hand
    return _hand(hand, row.suits, _pays(row, money))


def _pays(row: PaytableRow, money: Writing) -> str:
    match row.pays:
        case Percent(level=level, rate=rate):
            return Sentence("{part} of the {level}", part=percent(rate), level=name_sentence(level))
        case Fixed(amount=amount):
            return money.text(to_cents(amount))
        case ForOne(n=n):
            return Sentence("{n} for 1", n=money.count(n))
    return Sentence("{n} to 1", n="/".join(map(money.count, row.by_players or (row.pays.n,))))


def _hand(hand: str, only: str, pays: str) -> Sentence:
    name = joined([name_sentence(hand), suits(only)], " ") if only else name_sentence(hand)
    return Sentence("{what} {now}", what=name, now=pays)


REPORT: Final = Report(
    "submission",
    "Rules Submission",
    "Which choices did the holder make at each table, and since when does each of them hold? Paytables, "
    "rates, seeds, limits, boxes, counts, and what the texts leave open.",
    COLUMNS,
    ("table",),
    find,
    "--table T01",
    parts=("table", "wager"),
)
