"""Audit reports of people's acts, refusals and parameter changes, the oldest first."""

from collections.abc import Callable, Iterator
from heapq import merge
from typing import Any, Final

import msgspec

from jackpot.config import ParameterDifference, compared
from jackpot.config.phrases import sentence_of
from jackpot.config.writing import writing
from jackpot.ledger.reading import Reader
from jackpot.reports.entry_text import about, reason
from jackpot.reports.read.entries import of_kinds, refused
from jackpot.reports.read.gaming_days import EntrySpan, periods, wanted_span
from jackpot.reports.read.meter_history import percent
from jackpot.reports.read.names import JournalNames
from jackpot.reports.report import Cell, Report, ReportColumn, ReportRequest, ReportResult
from jackpot.rules import registry
from jackpot.rules.acts.banks import BankBegun, BankClosed, BankOpened
from jackpot.rules.acts.ends import EndGiven, LinkEnded
from jackpot.rules.acts.links import LinkOpened
from jackpot.rules.acts.meters import LinkClosed
from jackpot.rules.acts.parameters import LinkChanged
from jackpot.rules.acts.requests import ActRefused
from jackpot.rules.acts.sessions import SignedIn, SignedOut
from jackpot.rules.acts.site_cursor import PeopleSeen
from jackpot.rules.acts.tables import TableOpened
from jackpot.rules.events import Refused
from jackpot.rules.money import to_cents
from jackpot.rules.paytable import LevelTerms, LinkTerms, TableTerms
from jackpot.rules.signing import People, Proof, Signed
from jackpot.text import Sentence, both, game, joined, name_sentence

REFUSALS: Final = (
    ReportColumn("bank"),
    ReportColumn("row", "count"),
    ReportColumn("at", "moment"),
    ReportColumn("to", help="a table, or people who had signed in"),
    ReportColumn("code", "word"),
    ReportColumn("message"),
    ReportColumn("hits"),
    ReportColumn("suspended", help="links that the error stopped"),
)
ACCESS: Final = (
    ReportColumn("bank"),
    ReportColumn("row", "count"),
    ReportColumn("at", "moment"),
    ReportColumn("what", "word"),
    ReportColumn("who"),
    ReportColumn("proved", help="by what, if they proved who they are"),
    ReportColumn("refused", "word", help="why it was not done"),
    ReportColumn("about"),
    ReportColumn("reason"),
)
PARAMETERS: Final = (
    ReportColumn("bank"),
    ReportColumn("row", "count"),
    ReportColumn("at", "moment"),
    ReportColumn("what", "word"),
    ReportColumn("name"),
    ReportColumn("terms", help="all of them, or what changed"),
    ReportColumn("who"),
)

# Every kind of event that says which people stood for it; the one left out is no act of people.
ACTS: Final = (
    *(
        kind
        for kind, event in registry.KINDS.items()
        if "people" in event.__struct_fields__ and event is not PeopleSeen
    ),
    SignedIn.kind,
    SignedOut.kind,
)
_OPENINGS: Final = tuple(
    event.kind
    for event in (
        LinkOpened,
        LinkChanged,
        EndGiven,
        LinkClosed,
        LinkEnded,
        TableOpened,
        BankOpened,
        BankBegun,
        BankClosed,
    )
)
Row = tuple[Cell, ...]


def _audit(
    ledger: Reader,
    request: ReportRequest,
    rows: Callable[[Reader, ReportRequest, JournalNames, EntrySpan], Iterator[Row]],
) -> ReportResult:
    spans = {bank: wanted_span(ledger, bank, request) for bank in request.banks}
    every = (
        row for bank, days in spans.items() for row in rows(ledger, request, JournalNames(ledger, bank), days)
    )
    return ReportResult(periods(spans), every, [])


def find_refusals(ledger: Reader, request: ReportRequest) -> ReportResult:
    """Every durable refusal of the gaming days. Raises LedgerError."""
    return _audit(ledger, request, _refusals)


def find_access(ledger: Reader, request: ReportRequest) -> ReportResult:
    """Every act of people in the gaming days. Raises LedgerError."""
    return _audit(ledger, request, _access)


def find_parameters(ledger: Reader, request: ReportRequest) -> ReportResult:
    """Every opening, change and end of links, tables and banks in the gaming days. Raises LedgerError."""
    return _audit(ledger, request, _parameters)


def _refusals(ledger: Reader, request: ReportRequest, names: JournalNames, days: EntrySpan) -> Iterator[Row]:
    people = of_kinds(ledger, names.bank, (ActRefused.kind,), days.after, days.upto)
    for entry in merge(refused(ledger, names.bank, days.after, days.upto), people):
        event = entry.event
        if isinstance(event, Refused | ActRefused):
            by = (
                names.who(event.people)
                if isinstance(event, ActRefused)
                else Sentence("table {table}", table=names.table(entry.table))
            )
            hits = " ".join(f"H{number}" for number in event.hits)
            said = sentence_of(event.template, event.values)
            suspended = event.suspended if isinstance(event, Refused) else ()
            links = ", ".join(request.title(names.link(link)) for link in suspended)
            yield names.bank, entry.seq, entry.at, by, event.code, said, hits, links


def _access(ledger: Reader, request: ReportRequest, names: JournalNames, days: EntrySpan) -> Iterator[Row]:
    money = writing(request.site.locale, request.site.currency)
    for entry in of_kinds(ledger, names.bank, ACTS, days.after, days.upto):
        event: Any = entry.event
        people = getattr(event, "people", None) or People(proof=Proof((Signed(event.person, ()),)))
        if people.said():
            means = both([Sentence(one.means) for one in people.signed])
            refused_ = event.code if isinstance(event, ActRefused) else ""
            yield (
                names.bank, entry.seq, entry.at, entry.name, names.who(people), means,
                refused_, about(names, event, money.exact, request.title), reason(event),
            )  # fmt: skip


def _parameters(
    ledger: Reader, request: ReportRequest, names: JournalNames, days: EntrySpan
) -> Iterator[Row]:
    known: dict[str, TableTerms] = {}
    for entry in of_kinds(ledger, names.bank, _OPENINGS, 0, days.upto):
        event: Any = entry.event
        name: str
        match event:
            case LinkOpened():
                name, terms = request.link_cell(event.terms.link), _link(event.terms, request)
            case LinkChanged():
                changed = joined(map(_changed, compared(event.before, event.terms)), "; ")
                name, terms = request.link_cell(event.terms.link), joined([changed, event.reason], ": ")
            case EndGiven():
                announced = Sentence("last day {day}", day=event.day)
                if event.to:
                    to = request.title(names.link(event.to))
                    announced = Sentence("last day {day}, its money to {link}", day=event.day, link=to)
                name = request.link_cell(names.link(event.link))
                terms = joined([announced, event.reason], ": ")
            case LinkClosed() | LinkEnded() as closed:
                ended = Sentence("closed")
                if event.to:
                    to = request.title(names.link(event.to))
                    ended = Sentence("closed, its money to {link}", link=to)
                name = request.link_cell(names.link(event.link))
                why: str = (
                    Sentence("as announced by {notice}", notice=f"N{closed.notice}")
                    if isinstance(closed, LinkEnded)
                    else closed.reason
                )
                terms = joined([ended, why], ": ")
            case TableOpened():
                name = event.terms.table
                terms = _table(event.terms, known.get(name))
                known[name] = event.terms
            case BankBegun():
                name, terms = (
                    names.bank,
                    Sentence("of {banks}", banks=both([bank for bank, *_ in event.heads])),
                )
            case BankClosed():
                name, terms = (
                    names.bank,
                    Sentence("into {bank}: {reason}", bank=event.into, reason=event.reason),
                )
            case _:
                name, terms = names.bank, Sentence("site {site}", site=event.site)
        if days.covers(entry.seq):
            who = names.who(getattr(event, "people", None))
            yield names.bank, entry.seq, entry.at, entry.name, name, terms, who


def _changed(difference: ParameterDifference) -> Sentence:
    """A parameter of a link that changed."""
    what = Sentence(difference.what.replace("_", " "))
    return Sentence("{what} {before} -> {now}", what=what, before=difference.before, now=difference.now)


def _link(terms: LinkTerms, request: ReportRequest) -> Sentence:
    money = writing(request.site.locale, request.site.currency)

    def sum_(micros: int) -> str:
        return money.text(to_cents(micros))

    def level(terms: LevelTerms) -> Sentence:
        rates = f"{percent(terms.primary)} + {percent(terms.reserve)}"
        parts = [
            Sentence("{level} {rates}", level=name_sentence(terms.level), rates=rates),
            Sentence("seed {sum}", sum=sum_(terms.seed)),
            Sentence("reseed {sum}", sum=sum_(terms.reseed)),
            *([] if terms.limit is None else [Sentence("limit {sum}", sum=sum_(terms.limit))]),
        ]
        return joined(parts)

    played = Sentence("{paytable} at {sum}", paytable=terms.paytable, sum=sum_(terms.wager))
    return joined([played, *map(level, terms.levels)], "; ")


def _table(terms: TableTerms, before: TableTerms | None) -> Sentence:
    """All terms of a new table; only the changes of a known one."""
    now = msgspec.structs.asdict(terms)
    if before is None:
        return joined(
            Sentence(
                "{what} {now}",
                what=Sentence(name.replace("_", " ")),
                now=game(value) if name == "game" else _value(value),
            )
            for name, value in now.items()
            if name != "table"
        )
    then = msgspec.structs.asdict(before)
    changed = {name: (then[name], value) for name, value in now.items() if then[name] != value}
    return joined(
        _changed(ParameterDifference(name, _value(old), _value(new))) for name, (old, new) in changed.items()
    )


def _value(value: Any) -> str:
    return " ".join(map(str, value)) if isinstance(value, tuple) else str(value)


REPORTS: Final = (
    Report(
        "refusals",
        "Refusals",
        "What was refused to tables, and to people who had signed in, and why? Resends and the like are "
        "only in the log.",
        REFUSALS,
        ("days",),
        find_refusals,
        "--from 2026-11-20",
    ),
    Report(
        "access",
        "Access log",
        "Who did what, when and why, and what was refused to them? Every act of people in the journal.",
        ACCESS,
        ("days",),
        find_access,
        "--from 2026-11-01",
    ),
    Report(
        "parameters",
        "Parameters",
        "Which links, tables and banks were opened, changed or closed, on which terms?",
        PARAMETERS,
        ("days",),
        find_parameters,
        "--to 2026-11-20",
    ),
)
