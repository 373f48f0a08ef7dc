"""How do rows and snapshots get into PostgreSQL's tables? Counted, and rows by COPY."""

from collections.abc import Iterator, Sequence
from typing import Any, Final, TypeVar
from uuid import UUID

from jackpot.ledger.connect import FAILURES, Connection
from jackpot.ledger.journal import Row, Snapshot
from jackpot.ledger.session import Session
from jackpot.ledger.store import DROP_SNAPSHOTS, SNAPSHOTS_KEPT, Statement, kept_apart, not_written

# Of one COPY; a larger batch takes several. After each 512 KiB of one, asyncpg waits until the socket takes
# more, and waits for ever where the connection is lost meanwhile.
COPY_BYTES: Final = 256 * 1024
# A row of journal or posting as COPY sends it, at most, but for the body.
ROW_BYTES: Final = 160

JOURNAL: Final = (
    "bank", "seq", "at", "epoch", "kind", "version", "link", "table", "table_seq", "digest", "body", "hash",
)  # fmt: skip
_POSTING: Final = (
    "bank", "seq", "link", "level", "cycle", "primary", "reserve", "overflow", "house", "wagers", "awards",
    "corrections", "transfers",
)  # fmt: skip
_HIT_ENTRY: Final = ("bank", "seq", "hit")

T = TypeVar("T")


async def copy_rows(connection: Connection, number: int, rows: Sequence[Row]) -> None:
    """Adds the rows, in a transaction; LedgerCorrupt where some are not written. number: the bank's."""
    journal = [
        (number, row.seq, row.at, row.epoch, row.kind, row.version, row.link, row.table, row.table_seq,
         row.digest, row.body, row.hash)
        for row in rows
    ]  # fmt: skip
    postings = [(number, row.seq, *posting) for row in rows for posting in row.postings]
    hits = [(number, row.seq, hit) for row in rows for hit in row.hits]
    for part in _parts(journal, [len(row.body) + ROW_BYTES for row in rows]):
        status = await connection.copy_records_to_table("journal", records=part, columns=JOURNAL)
        check_wrote("journal", status, len(part))
    for lines in _parts(postings, [ROW_BYTES] * len(postings)):
        status = await connection.copy_records_to_table("posting", records=lines, columns=_POSTING)
        check_wrote("posting", status, len(lines))
    for found in _parts(hits, [ROW_BYTES] * len(hits)):
        status = await connection.copy_records_to_table("hit_entry", records=found, columns=_HIT_ENTRY)
        check_wrote("hit_entry", status, len(found))


def check_wrote(table: str, status: str, asked: int) -> None:
    """status: what the database said, "COPY 3" or "INSERT 0 1": without the rows that a trigger left out."""
    wrote = int(status.rpartition(" ")[2])
    if wrote != asked:
        raise not_written(table, wrote, asked)


async def begin_banks(connection: Connection, firsts: Sequence[Row], writer: UUID) -> None:
    """Adds banks with their first rows, in a transaction. No connection holds them: backend 0 is nobody's."""
    for row in firsts:
        number = await connection.fetchval("INSERT INTO bank (name) VALUES ($1) RETURNING id", row.bank)
        status = await connection.execute(
            "INSERT INTO head VALUES ($1, $2, $3, $4, '', 0, $5, 0, now())",
            number, row.epoch, row.seq, row.hash, writer,
        )  # fmt: skip
        check_wrote("head", status, 1)
        await copy_rows(connection, number, [row])


async def carry_out(connection: Connection, statements: Sequence[Statement]) -> list[tuple[Any, ...]]:
    """Changes what lies next to the journal, in a transaction; the rows that the last statement gives."""
    found: list[Any] = []
    for sql, values in statements:
        found = await connection.fetch(sql.replace("?", "$"), *values)
    return [tuple(row) for row in found]


async def save_snapshot(session: Session, snapshot: Snapshot) -> None:
    """As of a Store."""
    connection = session.ready()
    number = await session.number(snapshot.bank)
    try:
        async with connection.transaction():
            # It only shortens a start, so nothing waits for it.
            await connection.execute("SET LOCAL synchronous_commit = off")
            status = await connection.execute(
                "INSERT INTO snapshot VALUES ($1, $2, $3, $4, $5) ON CONFLICT (bank, seq) DO UPDATE "
                "SET hash = excluded.hash, format = excluded.format, state = excluded.state",
                number, snapshot.seq, snapshot.hash, snapshot.format, snapshot.state,
            )  # fmt: skip
            check_wrote("snapshot", status, 1)
            await connection.execute(
                DROP_SNAPSHOTS.replace("?", "$"), number, snapshot.seq, SNAPSHOTS_KEPT, kept_apart(snapshot)
            )  # fmt: skip
    except FAILURES as error:
        raise session.in_doubt(error) from error


def _parts(records: list[T], sizes: list[int]) -> Iterator[list[T]]:
    """The records, in order, a list for each COPY. sizes: bytes of each."""
    start = size = 0
    for end, each in enumerate(sizes, 1):
        size += each
        if size > COPY_BYTES or end == len(records):
            yield records[start:end]
            start, size = end, 0
