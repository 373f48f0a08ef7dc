"""Read interface of a ledger, with the SQL that both databases share.

Each function is a generator that the backend drives: it yields a statement and its values, is sent the rows
that were found, and returns the result. Placeholders are ?1, ?2 and so on. number: a bank's own in the
database; 0, which no bank has, reads as one that was never written.
"""

from collections.abc import Callable, Collection, Generator, Sequence
from typing import Any, Final, NamedTuple, TypeVar

from jackpot.ledger.journal import Head, Row, Snapshot, genesis
from jackpot.rules.postings import Posting

ACCOUNTS: Final = '"primary", reserve, overflow, house, wagers, awards, corrections, transfers'
SUMS: Final = ", ".join(f"sum({account})" for account in ACCOUNTS.split(", "))

_ROWS: Final = """
    SELECT seq, at, epoch, kind, version, link, "table", table_seq, digest, body, hash FROM journal
    WHERE bank = ?1 AND seq > ?2 ORDER BY seq LIMIT ?3
"""
_POSTINGS: Final = f"""
    SELECT seq, link, level, cycle, {ACCOUNTS} FROM posting
    WHERE bank = ?1 AND seq > ?2 AND seq <= ?3 ORDER BY seq, link, level
"""  # noqa: S608
_ABOUT_HITS: Final = """
    SELECT seq, hit FROM hit_entry WHERE bank = ?1 AND seq > ?2 AND seq <= ?3 ORDER BY seq, hit
"""
# What stays of old rows when an archive has them all (`archived.py`): what is no table's frame, refusals
# (kind 9), and what made or changed a hit.
STAYS: Final = """(journal.table_seq IS NULL OR journal.kind = 9 OR EXISTS (
    SELECT 1 FROM hit_entry WHERE hit_entry.bank = journal.bank AND hit_entry.seq = journal.seq
))"""
_STAYING: Final = _ROWS.replace("ORDER BY", f"AND seq <= ?4 AND {STAYS} ORDER BY")
_POSTED_BY: Final = "FROM journal WHERE journal.bank = posting.bank AND journal.seq = posting.seq"
_OF_STAYING: Final = _POSTINGS.replace("ORDER BY", f"AND EXISTS (SELECT 1 {_POSTED_BY} AND {STAYS}) ORDER BY")
_SNAPSHOT: Final = """
    SELECT seq, hash, format, state FROM snapshot
    WHERE bank = ?1 AND (CAST(?2 AS bigint) IS NULL OR seq < ?2) ORDER BY seq DESC LIMIT 1
"""
_SUMMED: Final = f"""
    SELECT link, level, 0, {SUMS} FROM posting
    WHERE bank = ?1 AND seq > ?2 AND seq <= ?3 GROUP BY link, level ORDER BY link, level
"""  # noqa: S608
_BEYOND: Final = """
    SELECT seq FROM {table} WHERE bank = ?1
        AND (seq < 1 OR seq > coalesce((SELECT seq FROM head WHERE bank = ?1), 0)) ORDER BY seq LIMIT 1
"""
# Steps from one bank number to the next along the key, without reading the rows between.
_NAMELESS: Final = """
    WITH RECURSIVE used (bank) AS (
        SELECT min(bank) FROM {table}
        UNION ALL
        SELECT (SELECT min(bank) FROM {table} WHERE bank > used.bank) FROM used WHERE bank IS NOT NULL
    )
    SELECT bank FROM used WHERE bank IS NOT NULL AND bank NOT IN (SELECT id FROM bank)
"""
# What seqs below every row's are.
_NO_BOUND: Final = -(2**63)

T = TypeVar("T")
Conversation = Generator[tuple[str, tuple[Any, ...]], Sequence[Any], T]
Question = Callable[[int], Conversation[T]]
"""A conversation about a bank, given its number in the database."""
Ask = Callable[[str, tuple[Any, ...]], Sequence[Any]]
"""Puts one statement with its values to a database: the rows that it finds. Raises LedgerError."""


# What to do about a schema that is not the migrations'. No link starts on it.
OTHER_SCHEMA: Final = (
    "somebody changed the database, or another program made it: keep a copy, and run jackpot verify; then "
    "bring back a backup from before, or start the program that made it"
)


class Differences(NamedTuple):
    """Differences of a schema. problems: they prevent a start. warnings: for the operator. A sentence
    each.
    """

    problems: list[str]
    warnings: list[str]

    @property
    def refusal(self) -> str:
        """Why no bank is taken, and what to do; "" where nothing is in the way."""
        return "; ".join([*self.problems, OTHER_SCHEMA]) if self.problems else ""


class Version(NamedTuple):
    """Schema version of a ledger. number: its last migration. newest: the last that this program knows.

    lacks: tables that later migrations add, and columns, as `table.column`. Readers of those check here
    first.
    """

    number: int
    newest: int
    lacks: frozenset[str] = frozenset()


def carry(conversation: Conversation[T], ask: Ask) -> T:
    """Runs a generator of SQL statements to its end."""
    found: Sequence[Any] | None = None
    while True:
        try:
            sql, values = conversation.send(found)  # type: ignore[arg-type]  # a generator starts with None
        except StopIteration as done:
            return done.value  # type: ignore[no-any-return]
        found = ask(sql, values)


def number(bank: str) -> Conversation[int]:
    """Number of the bank; 0 if it is not known."""
    found = yield "SELECT id FROM bank WHERE name = ?1", (bank,)
    return int(found[0][0]) if found else 0


def banks() -> Conversation[list[str]]:
    found = yield "SELECT name FROM bank ORDER BY id", ()
    return [name for (name,) in found]


def head(bank: str, number: int) -> Conversation[Head]:
    found = yield "SELECT epoch, seq, hash, holder, beat FROM head WHERE bank = ?1", (number,)
    return Head(bank, *found[0]) if found else Head(bank, 0, 0, genesis(bank), "", 0)


def rows(bank: str, number: int, after: int, limit: int) -> Conversation[list[Row]]:
    found = yield _ROWS, (number, after, limit)
    return (yield from _whole_rows(bank, number, after, found, _POSTINGS))


def hash_at(number: int, seq: int) -> Conversation[bytes | None]:
    found = yield "SELECT hash FROM journal WHERE bank = ?1 AND seq = ?2", (number, seq)
    return bytes(found[0][0]) if found else None


def stays(bank: str, number: int, which: tuple[int, int, int]) -> Conversation[list[Row]]:
    """Rows of after < seq <= upto that stay after archiving. which: after, upto, limit."""
    after, upto, limit = which
    found = yield _STAYING, (number, after, limit, upto)
    return (yield from _whole_rows(bank, number, after, found, _OF_STAYING))


def _whole_rows(
    bank: str, number: int, after: int, found: Sequence[Any], postings_: str
) -> Conversation[list[Row]]:
    """Rows of the journal with their postings and hits. postings_: finds those of a span of rows."""
    span = (number, after, found[-1][0] if found else after)
    postings: dict[int, list[Posting]] = {}
    for seq, *values in (yield postings_, span):
        postings.setdefault(seq, []).append(Posting(*values))
    hits: dict[int, list[int]] = {}
    for seq, hit in (yield _ABOUT_HITS, span):
        hits.setdefault(seq, []).append(hit)
    return [
        Row(bank, seq, at, epoch, kind, version, link, table, table_seq, digest, body,
            tuple(postings.get(seq, ())), hash_, tuple(hits.get(seq, ())))
        for seq, at, epoch, kind, version, link, table, table_seq, digest, body, hash_ in found
    ]  # fmt: skip


def newest_snapshot(bank: str, number: int, below: int | None) -> Conversation[Snapshot | None]:
    found = yield _SNAPSHOT, (number, below)
    return Snapshot(bank, *found[0]) if found else None


def snapshot_rows(number: int) -> Conversation[list[tuple[int, int]]]:
    found = yield "SELECT seq, format FROM snapshot WHERE bank = ?1 ORDER BY seq", (number,)
    return [(seq, format_) for seq, format_ in found]


def sums(number: int, after: int | None, upto: int) -> Conversation[list[Posting]]:
    found = yield _SUMMED, (number, _NO_BOUND if after is None else after, upto)
    return [Posting(*map(int, row)) for row in found]  # PostgreSQL sums to numbers of any size


def strays(number: int, lacks: Collection[str]) -> Conversation[list[str]]:
    said = []
    for table in ("journal", "posting", "hit_entry"):
        beyond = yield _BEYOND.format(table=table), (number,)
        said += [f"{table} row {seq} lies outside rows 1 to the head's" for (seq,) in beyond]
    every = ("journal", "posting", "hit_entry", "head", "snapshot", "opening", "takeover", "name")
    for table in (name for name in every if name not in lacks):
        nameless = yield _NAMELESS.format(table=table), ()
        said += [f"{table} has rows of bank number {bank}, which has no name" for (bank,) in nameless]
    return said


class Reader:
    """Read access to a ledger, for verify, rebuild and pages. Every call is a short read of its own, also
    while a writer is at work, and raises LedgerError.

    schema: the generator that compares the stored schema with the migrations'. version: which that is; one
    that was opened for reading may be an earlier program's. save: keeps a snapshot that was made again while
    the journal was read; only next to a writer. end: called by `close`. check: called before each statement;
    what it raises ends the reading.
    """

    def __init__(
        self,
        ask: Ask,
        schema: Callable[[], Conversation[Differences]],
        version: Version,
        *,
        save: Callable[[Snapshot], None] = lambda _snapshot: None,
        end: Callable[[], None] = lambda: None,
    ) -> None:
        self.check: Callable[[], None] = lambda: None
        self.version = version
        self._put = ask
        self._schema = schema
        self._save = save
        self._end = end
        self._numbers: dict[str, int] = {}

    def _ask(self, sql: str, values: tuple[Any, ...]) -> Sequence[Any]:
        self.check()
        return self._put(sql, values)

    def _number(self, bank: str) -> int:
        """Number of a bank in the database; 0, which no bank has, if it is not known."""
        if bank not in self._numbers:
            if not (found := carry(number(bank), self._ask)):
                return 0
            self._numbers[bank] = found
        return self._numbers[bank]

    def banks(self) -> list[str]:
        """The banks that ever had a writer, in the order of their first."""
        return carry(banks(), self._ask)

    def head(self, bank: str) -> Head:
        """Head of the bank; epoch 0, seq 0 and the genesis hash if it is not known."""
        return carry(head(bank, self._number(bank)), self._ask)

    def rows(self, bank: str, after: int, limit: int) -> list[Row]:
        """At most `limit` rows with a seq above `after`, in order, each with its postings."""
        return carry(rows(bank, self._number(bank), after, limit), self._ask)

    def hash_at(self, bank: str, seq: int) -> bytes | None:
        """The hash of one row, None where the journal does not have it."""
        return carry(hash_at(self._number(bank), seq), self._ask)

    def newest_snapshot(self, bank: str, below: int | None = None) -> Snapshot | None:
        """The newest snapshot; `below`: of a seq less than that."""
        return carry(newest_snapshot(bank, self._number(bank), below), self._ask)

    def snapshot_rows(self, bank: str) -> list[tuple[int, int]]:
        """Row and format of each snapshot that is kept, the oldest first."""
        return carry(snapshot_rows(self._number(bank)), self._ask)

    def sums(self, bank: str, after: int | None, upto: int) -> list[Posting]:
        """The database's own sums of the stored postings of seqs after < seq <= upto, by (link, level).

        after: None for no lower bound. cycle is 0 (M4).
        """
        return carry(sums(self._number(bank), after, upto), self._ask)

    def ask(self, bank: str, question: Question[T]) -> T:
        """Result of a query given as a generator of SQL statements."""
        return carry(question(self._number(bank)), self._ask)

    def look_up(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        """Rows of one statement on the side tables."""
        return [tuple(row) for row in self._ask(sql, values)]

    def strays(self, bank: str) -> list[str]:
        """Problems: each kind of row that belongs to no entry of any bank."""
        return carry(strays(self._number(bank), self.version.lacks), self._ask)

    def schema(self) -> Differences:
        """Differences of the stored schema from that of the migrations up to its version (S3)."""
        return carry(self._schema(), self._ask)

    def save_snapshot(self, snapshot: Snapshot) -> None:
        """As in `Store`; does nothing if the ledger is only read."""
        self._save(snapshot)

    def close(self) -> None:
        """Ends the use of the ledger; nothing else may be called after it."""
        self._end()
