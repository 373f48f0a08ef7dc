"""The table `name`: names of the journal's numbers, for auditors who use plain SQL (S8).

A name follows from the row that gave a number its link, level, table or person. It is written in that row's
transaction, and is not hashed: `verify` compares each one with the rows. Nothing is ever decided by it.
"""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from jackpot.ledger.entries import events_of, readable
from jackpot.ledger.journal import Row
from jackpot.ledger.reading import Conversation, Reader
from jackpot.rules.acts.banks import BankBegun, offsets
from jackpot.rules.acts.links import LinkOpened
from jackpot.rules.acts.people import PeopleBegun, PersonAdded, Recovered
from jackpot.rules.acts.tables import TableOpened
from jackpot.rules.events import Event
from jackpot.rules.paytable import LinkTerms

# The kinds of rows that give a number to anything; no table's frame does.
NAMING: Final = frozenset(
    event.kind for event in (LinkOpened, TableOpened, BankBegun, PeopleBegun, PersonAdded, Recovered)
)
# A table's row with new terms names it once more.
KEEP: Final = """
    INSERT INTO name (bank, kind, link, number, name) VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT DO NOTHING
"""
_OPENINGS: Final = f"""
    SELECT bank, kind, version, body FROM journal
    WHERE kind IN ({", ".join(map(str, sorted(NAMING)))}) AND table_seq IS NULL ORDER BY kind, seq
"""  # noqa: S608
_KEPT: Final = "SELECT kind, link, number, name FROM name WHERE bank = ?1 ORDER BY kind, link, number"


class NumberedThing(NamedTuple):
    """A thing with a number in a bank. link: the link of a level, otherwise 0.

    Of kind `hits` a run of hits, by its first number: of a bank that became this one, whose name it has; the
    last run has none, for the bank made those itself.
    """

    kind: str
    link: int
    number: int


class NameRow(NamedTuple):
    """A row of the table. name: for a person the digest of their name, in hexadecimal."""

    of: NumberedThing
    name: str

    def values(self, bank: int) -> tuple[int, str, int, int, str]:
        """Parameters of KEEP. bank: its number in the database."""
        return bank, *self.of, self.name


def names_of(rows: Sequence[Row]) -> list[NameRow]:
    """Names of the numbers that these rows assign. Few rows do."""
    naming = [row for row in rows if row.kind in NAMING]
    events = (readable(row.kind, row.version, row.body) for row in naming)
    return [name for event in events if event is not None for name in named_by(event)]


def named_by(event: Event) -> Iterator[NameRow]:
    """Names of the numbers that the event assigns."""
    match event:
        case LinkOpened(number=number, terms=terms):
            yield from _of_link(number, terms)
        case TableOpened(number=number, terms=terms):
            yield NameRow(NumberedThing("table", 0, number), terms.table)
        case BankBegun(parts=parts):
            links = [link.terms for part in parts for link in part.links]
            for number, terms in enumerate(links, 1):
                yield from _of_link(number, terms)
            tables = [table.terms for part in parts for table in part.tables]
            for number, told in enumerate(tables, 1):
                yield NameRow(NumberedThing("table", 0, number), told.table)
            own = 1
            for part, by in zip(parts, offsets(parts), strict=True):
                if part.next_hit > 1:
                    yield NameRow(NumberedThing("hits", 0, by.hits + 1), part.bank)
                own = by.hits + part.next_hit
            yield NameRow(NumberedThing("hits", 0, own), "")
        case PeopleBegun(newcomers=newcomers):
            for number, (mark, _) in enumerate(newcomers, 1):
                yield _of_person(number, mark)
        case PersonAdded(id=number, mark=mark) | Recovered(id=number, mark=mark):
            yield _of_person(number, mark)


def _of_link(number: int, terms: LinkTerms) -> Iterator[NameRow]:
    yield NameRow(NumberedThing("link", 0, number), terms.link)
    for level, of in enumerate(terms.levels, 1):
        yield NameRow(NumberedThing("level", number, level), of.level)


def _of_person(number: int, mark: bytes) -> NameRow:
    return NameRow(NumberedThing("person", 0, number), mark.hex())


def fill() -> Conversation[None]:
    """Fills the table from all rows, for a ledger that was made without it."""
    for bank, kind, version, body in (yield _OPENINGS, ()):
        event = readable(kind, version, body)
        for name in named_by(event) if event is not None else ():
            yield KEEP, name.values(bank)


def differences(ledger: Reader, bank: str, upto: int) -> list[str]:
    """Problems: rows of `name` that the bank's rows contradict, and missing ones.

    upto: the head's row, read before this: a server may be at work, so later rows may have names, and need
    none. Nothing is missing from a file of an earlier schema, which has no such table.
    """
    if "name" in ledger.version.lacks:
        return []

    def asked(number: int) -> Conversation[dict[NumberedThing, str]]:
        found = yield _KEPT, (number,)
        return {NumberedThing(kind, link, number): name for kind, link, number, name in found}

    kept = ledger.ask(bank, asked)
    given = dict[NumberedThing, tuple[int, str]]()
    for seq, _, event in events_of(ledger, bank, *NAMING):
        given = {name.of: (seq, name.name) for name in named_by(event)} | given
    said = list[str]()
    for of, (seq, name) in sorted(given.items()):
        if of not in kept:
            said += [f"the table name lacks {_as_text(of)}, {name!r} by row {seq}"] * (seq <= upto)
        elif kept[of] != name:
            said.append(f"the table name calls {_as_text(of)} {kept[of]!r}, row {seq} calls it {name!r}")
    said += [
        f"the table name has {_as_text(of)}, {name!r}, which no row of the journal names"
        for of, name in sorted(kept.items())
        if of not in given
    ]
    return [f"{bank}: {one}" for one in said]


def _as_text(of: NumberedThing) -> str:
    return f"{of.kind} {of.number}" + (f" of link {of.link}" if of.link else "")
