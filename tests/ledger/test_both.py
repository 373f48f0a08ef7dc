"""SQLite and PostgreSQL hold the same ledger, byte for byte, and report the same damage alike."""

import asyncio
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from itertools import count
from pathlib import Path
from typing import Any, Final, TypeVar

import apsw
import asyncpg
import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jackpot.lab.testing.postgres import Postgres
from jackpot.ledger import schema
from jackpot.ledger.journal import Head, Row, Snapshot, canonical, genesis
from jackpot.ledger.reading import Differences, Question, Reader, carry
from jackpot.ledger.store import CommitInDoubt, DataRefused, Fenced
from jackpot.ledger.verify.verifier import VerifyReport, verify
from jackpot.rules.postings import Posting
from tests.ledger.play import Play
from tests.ledger.verify.test_verifier import changed, spoil
from tests.ledger.waiting import Ledger, Waiting, open_ledger

ROWS: Final = 120
TABLES: Final = ("bank", "journal", "posting", "hit_entry", "head", "snapshot")
# What both databases have of a head; PostgreSQL's also names its writer's connection.
COLUMNS: Final = {
    "head": "bank, epoch, seq, hash, holder, beat",
    "takeover": "bank, epoch, how, holder, seq",  # when it was, and its number, are the database's own
}
EQUAL: Final = (*TABLES, "takeover", "name")
KEYS: Final = {
    "journal": ("bank", "seq"),
    "posting": ("bank", "seq", "link", "level"),
    "hit_entry": ("bank", "seq", "hit"),
    "takeover": ("id",),
    "name": ("bank", "kind", "link", "number"),
}
_ANYTHING_GOES: Final = """
    ALTER TABLE bank DISABLE TRIGGER ALL;
    ALTER TABLE journal DISABLE TRIGGER ALL;
    ALTER TABLE posting DISABLE TRIGGER ALL;
    ALTER TABLE hit_entry DISABLE TRIGGER ALL;
    DO $$ DECLARE it record; BEGIN
        FOR it IN SELECT conrelid::regclass AS of, conname AS name FROM pg_constraint WHERE contype = 'c' AND
            connamespace = 'public'::regnamespace
        LOOP EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', it.of, it.name); END LOOP;
    END $$;
"""
_numbers = count(1)

T = TypeVar("T")


def _no_sql(_sql: str, _values: tuple[Any, ...]) -> Sequence[Any]:
    raise AssertionError("it knows no SQL")


class Memory(Reader):
    """Plain in-memory Reader over the rows as they were decided."""

    def __init__(self) -> None:
        super().__init__(_no_sql, schema.postgres, schema.postgres_version())
        self.kept = Head("main", 0, 0, genesis("main"), "", 0)
        self.written: list[Row] = []
        self.snapshots: dict[int, Snapshot] = {}

    def banks(self) -> list[str]:
        return ["main"] if self.kept.epoch else []

    def head(self, bank: str) -> Head:
        return self.kept if bank == "main" else Head(bank, 0, 0, genesis(bank), "", 0)

    def rows(self, bank: str, after: int, limit: int) -> list[Row]:
        return self.written[after : after + limit]

    def newest_snapshot(self, bank: str, below: int | None = None) -> Snapshot | None:
        kept = sorted(self.snapshots)[-2:]
        return next((self.snapshots[seq] for seq in kept[::-1] if below is None or seq < below), None)

    def sums(self, bank: str, after: int | None, upto: int) -> list[Posting]:
        found: dict[tuple[int, int], list[int]] = {}
        for row in self.written[after or 0 : upto]:
            for link, level, _, *accounts in row.postings:
                before = found.setdefault((link, level), [0] * len(accounts))
                found[link, level] = [a + b for a, b in zip(before, accounts, strict=True)]
        return [Posting(*key, 0, *found[key]) for key in sorted(found)]

    def strays(self, bank: str) -> list[str]:
        return []

    def ask(self, bank: str, question: Question[T]) -> T:
        """It has no archived rows."""
        return carry(question(0), lambda _sql, _values: [])

    def schema(self) -> Differences:
        return Differences([], [])


class Pair:
    """One sequence of commands, written into both databases as their servers would; `memory` is the truth."""

    def __init__(self, seed: int, ledgers: Sequence[Ledger]) -> None:
        self.play = Play(seed)
        self.memory = Memory()
        self.ledgers = ledgers
        self.take("first")

    def take(self, holder: str) -> None:
        """A new epoch in both, of the number that the next rows have."""
        epoch = max(self.memory.kept.epoch + 1, self.play.epoch)
        self.memory.kept = msgspec.structs.replace(self.memory.kept, epoch=epoch, holder=holder)
        for ledger in self.ledgers:
            assert ledger.new_epoch("main", holder, at_least=epoch) == self.memory.kept
        if epoch > self.play.epoch:
            self.play.new_epoch(epoch)

    def unwritten(self) -> list[Row]:
        return self.play.rows[len(self.memory.written) :]

    def write(self, rows: list[Row]) -> None:
        """One batch, in a new epoch where its rows need one."""
        if rows[-1].epoch > self.memory.kept.epoch:
            self.take("next")
        self.each(lambda ledger: ledger.append("main", self.memory.kept.epoch, rows[0].seq - 1, rows))
        self.written(rows)

    def written(self, rows: list[Row]) -> None:
        self.memory.written += rows
        self.memory.kept = msgspec.structs.replace(self.memory.kept, seq=rows[-1].seq, hash=rows[-1].hash)

    def each(self, work: Callable[[Ledger], None], error: type[Exception] | None = None) -> None:
        for ledger in self.ledgers:
            if error is None:
                work(ledger)
            else:
                with pytest.raises(error):
                    work(ledger)

    def doubt(self, rows: list[Row], *, before: bool) -> None:
        """The connection is lost before the batch or right after it; then recovery and a new epoch."""
        if rows and not before:
            self.write(rows)
        for ledger in self.ledgers:
            if isinstance(ledger, Waiting):
                lose(ledger)
                with pytest.raises(CommitInDoubt):
                    ledger.append("main", self.memory.kept.epoch, len(self.memory.written), self.rest(rows))
            ledger.recover()
        self.take("again")

    def rest(self, rows: list[Row]) -> list[Row]:
        """What a server that did not hear of its last commit would send next."""
        seq = len(self.memory.written)
        return [row for row in rows if row.seq > seq] or [msgspec.structs.replace(rows[-1], seq=seq + 1)]

    def snapshot(self) -> None:
        """Of what is written, if that is all there is, and the row that seals it."""
        if self.memory.written and not self.unwritten():
            made = self.play.seal()
            self.write(self.unwritten())
            self.each(lambda ledger: ledger.save_snapshot(made))
            self.memory.snapshots[made.seq] = made

    def refuse(self, rows: list[Row]) -> None:
        """Tries bad data, then an old epoch: neither writes anything."""
        kept = self.memory.kept
        if rows[-1].epoch > kept.epoch:
            return
        bad = [*rows[:-1], msgspec.structs.replace(rows[-1], postings=(Posting(1, 1, 1, primary=1),))]
        self.each(lambda ledger: ledger.append("main", kept.epoch, rows[0].seq - 1, bad), DataRefused)
        self.each(lambda ledger: ledger.append("main", kept.epoch - 1, rows[0].seq - 1, rows), Fenced)


def lose(ledger: Waiting) -> None:
    """Cuts the connection under a store, as a network does."""
    assert ledger.store.session.connection is not None
    ledger.store.session.connection.terminate()


def whole(ledger: Reader) -> list[Any]:
    """Everything that a reader can return."""
    head = ledger.head("main")
    spans = [(None, head.seq), (0, head.seq // 2), (head.seq // 3, head.seq - 1), (None, 0)]
    newest = ledger.newest_snapshot("main")
    rows = [row for after in range(0, head.seq, 37) for row in ledger.rows("main", after, 37)]
    return [
        ledger.banks(),
        head,
        [(canonical(row), row.hash) for row in rows],
        [ledger.sums("main", *span) for span in spans],
        [newest, newest and ledger.newest_snapshot("main", below=newest.seq)],
        ledger.strays("main"),
        ledger.head("other"),
        verify(ledger, "main", rows[len(rows) // 2].hash),
    ]


def in_sqlite(path: Path) -> dict[str, list[tuple[Any, ...]]]:
    """Every table as it lies in the file."""
    with closing(apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)) as connection:
        return {table: connection.execute(_select(table)).fetchall() for table in EQUAL}


def in_postgres(url: str) -> dict[str, list[tuple[Any, ...]]]:
    """Every table as PostgreSQL gives it."""

    async def read() -> dict[str, list[tuple[Any, ...]]]:
        connection = await asyncpg.connect(url)
        try:
            return {table: [tuple(row) for row in await connection.fetch(_select(table))] for table in EQUAL}
        finally:
            await connection.close()

    return asyncio.run(read())


def _select(table: str) -> str:
    key = ", ".join(KEYS.get(table, ("1", "2")))
    return f"SELECT {COLUMNS.get(table, '*')} FROM {table} ORDER BY {key}"


@contextmanager
def a_copy(postgres: Postgres, template: str) -> Iterator[str]:
    """The URL of a database that is dropped at the end."""
    name = f"both_{next(_numbers)}"
    url = postgres.create(name, template)
    try:
        yield url
    finally:
        postgres.drop(name)


@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_any_sequence_gives_the_same_ledger(
    postgres: Postgres, ledger_template: str, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    """DESIGN, the ledger: journals, hashes, postings, heads, sums and snapshots do not know their database.

    Whatever is played, wherever batches are cut, epochs begin, connections are lost and data is refused.
    """
    path = tmp_path_factory.mktemp("both") / "ledger.db"
    with (
        a_copy(postgres, ledger_template) as url,
        closing(open_ledger(f"sqlite:///{path}")) as sqlite,
        closing(open_ledger(url)) as other,
    ):
        pair = Pair(data.draw(st.integers(0, 2**32), "seed"), (sqlite, other))
        for _ in range(data.draw(st.integers(1, 12), "batches")):
            for _ in range(data.draw(st.integers(0, 8), "steps")):
                pair.play.step()
            rows = pair.unwritten()
            rows = rows[: data.draw(st.integers(1, len(rows)), "cut")] if rows else []
            what = data.draw(st.sampled_from(("write", "write", "write", "take", "doubt", "refuse")), "what")
            if what == "take":
                pair.take("other")
            elif rows and what == "doubt":
                pair.doubt(rows, before=data.draw(st.booleans(), "before"))
            elif rows and what == "refuse":
                pair.refuse(rows)
            elif rows:
                pair.write(rows)
            pair.snapshot()
        if pair.unwritten():
            pair.write(pair.unwritten())
        truth = whole(pair.memory)
        assert (truth[-1].head, truth[-1].problems) == (pair.memory.kept, ())
        assert whole(sqlite) == truth
        assert whole(other) == truth
        assert in_sqlite(path) == in_postgres(url)


class Twins:
    """The same ledger in both databases, to be spoiled in the same way, copy after copy."""

    def __init__(self, postgres: Postgres, path: Path, template: str) -> None:
        self.postgres = postgres
        self.path = path
        self.template = template
        self.rows: list[Row] = []

    def spoiled(
        self, statements: Sequence[str], known: bytes | None = None
    ) -> tuple[VerifyReport, VerifyReport]:
        """Problems that verify finds in either. A statement's `X'...'` is a string of bytes in both."""
        path = Path(shutil.copy(self.path, self.path.with_name(f"copy-{next(_numbers)}.db")))
        with a_copy(self.postgres, self.template) as url:
            spoil(path, *statements)
            asyncio.run(_spoil(url, [statement.replace("X'", r"'\x") for statement in statements]))
            with (
                closing(open_ledger(f"sqlite:///{path}", readonly=True)) as sqlite,
                closing(open_ledger(url, readonly=True)) as other,
            ):
                return verify(sqlite, "main", known), verify(other, "main", known)


async def _spoil(url: str, statements: Sequence[str]) -> None:
    """Damages the ledger as somebody with all rights could."""
    connection = await asyncpg.connect(url)
    try:
        await connection.execute(_ANYTHING_GOES)
        for statement in statements:
            await connection.execute(statement)
    finally:
        await connection.close()


@pytest.fixture(scope="module")
def twins(
    postgres: Postgres, ledger_template: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Twins]:
    """Some hundred rows of every kind, in several epochs, with two snapshots."""
    path = tmp_path_factory.mktemp("twins") / "ledger.db"
    url = postgres.create("twins", ledger_template)
    with closing(open_ledger(f"sqlite:///{path}")) as sqlite, closing(open_ledger(url)) as other:
        pair = Pair(10, (sqlite, other))
        for upto in (ROWS // 2, ROWS - 10, ROWS):
            pair.play.until(upto)
            pair.write(pair.unwritten())
            if upto != ROWS:
                pair.snapshot()
    made = Twins(postgres, path, "twins")
    made.rows = pair.memory.written
    yield made
    postgres.drop("twins")


SWAP: Final = [
    f"UPDATE {table} SET seq = {new} WHERE seq = {old}"
    for table in ("journal", "posting")
    for old, new in ((20, 1_000_000), (21, 20), (1_000_000, 21))
]
ADD: Final = [
    "UPDATE journal SET seq = seq + 1000000 WHERE seq >= 30",
    "UPDATE journal SET seq = seq - 999999 WHERE seq >= 1000000",
    """INSERT INTO journal SELECT bank, 30, at, epoch, kind, version, link, NULL, NULL, digest, body, hash
    FROM journal WHERE seq = 29""",
]
POSTING: Final = "1, 5, 0, 0, -5, 0, 0, 0, 0"  # cycle and balanced accounts


@pytest.mark.parametrize(
    ("statements", "said"),
    [
        ([], ""),
        (["UPDATE journal SET body = X'90' WHERE seq = 20"], "row 20 was changed or added"),
        (["UPDATE journal SET hash = X'" + "00" * 32 + "' WHERE seq = 20"], "hash of row 20 was changed"),
        (['UPDATE posting SET "primary" = "primary" + 1, house = house - 1 WHERE seq = 2 AND level = 2'],
         "the postings of row 2 were changed"),
        (['UPDATE posting SET "primary" = 1 WHERE seq = 2 AND level = 2'], "row 2 does not balance"),
        (["DELETE FROM posting WHERE seq = 2 AND level = 1"], "the postings of row 2 were changed"),
        ([f"INSERT INTO posting VALUES (1, 2, 9, 1, {POSTING})"], "the postings of row 2 were changed"),
        ([f"INSERT INTO posting VALUES (1, 999999, 1, 1, {POSTING})"], "posting row 999999 lies"),
        ([f"INSERT INTO posting VALUES (1, -3, 1, 1, {POSTING})"], "the database sums"),
        ([f"INSERT INTO posting VALUES (7, 3, 1, 1, {POSTING})"], "bank number 7, which has no"),
        (["DELETE FROM hit_entry WHERE hit = 1"], "is of the hits [1, 2, 3], hit_entry names [2, 3]"),
        (["INSERT INTO hit_entry VALUES (1, 2, 7)"], "row 2 is of the hits [], hit_entry names [7]"),
        (["DELETE FROM journal WHERE seq = 20"], "row 20 is missing"),
        (["DELETE FROM journal WHERE seq BETWEEN 20 AND 29"], "rows 20 to 29 are missing"),
        (SWAP, "row 20 was moved: it was written as row 21"),
        (ADD, "row 30 was changed or added"),
        (["UPDATE head SET seq = seq - 1"], "the head names another hash"),
        (["UPDATE head SET seq = seq + 5"], "are missing"),
        (["UPDATE head SET hash = X'" + "00" * 32 + "'"], "the head names another hash"),
        (["UPDATE head SET epoch = 0"], "there is no such bank"),
        (["DELETE FROM head"], "there is no such bank"),
        (["UPDATE bank SET name = 'mine'"], "there is no such bank"),
        (["UPDATE snapshot SET state = X'90'"], " sealed"),
        (["UPDATE snapshot SET seq = seq + 1000"], "is sealed by no row after it"),
    ],
)  # fmt: skip
def test_the_same_harm_gives_the_same_problems(twins: Twins, statements: list[str], said: str) -> None:
    """S3: an auditor is told the same of either database, whatever was done to it."""
    sqlite, other = twins.spoiled(statements)
    assert sqlite == other
    assert any(said in problem for problem in other.problems) == bool(statements), other.problems


def test_a_cut_tail_is_found_by_its_last_hash(twins: Twins) -> None:
    """S3: rows, snapshots and head taken back leave a sound, shorter ledger; the kept hash tells."""
    kept, last = twins.rows[-20], twins.rows[-1]
    cut = [
        *(f"DELETE FROM {table} WHERE seq > {kept.seq}" for table in TABLES[1:] if table != "head"),
        f"UPDATE head SET seq = {kept.seq}, hash = X'{kept.hash.hex()}'",
    ]
    sqlite, other = twins.spoiled(cut, kept.hash)
    assert sqlite == other
    assert other.problems == ()
    sqlite, other = twins.spoiled(cut, last.hash)
    assert sqlite == other
    (problem,) = other.problems
    assert last.hash.hex() in problem
    assert "the end was cut off" in problem


@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_any_changed_value_is_found_alike(twins: Twins, data: st.DataObject) -> None:
    """S3: whatever is changed, in any column of any row of journal and posting: found, in the same words."""
    table = data.draw(st.sampled_from(["journal", "posting"]))
    with closing(apsw.Connection(str(twins.path), flags=apsw.SQLITE_OPEN_READONLY)) as connection:
        names = [name for _, name, *_ in connection.execute(f"PRAGMA table_info({table})")]
        row = data.draw(st.sampled_from(connection.execute(_select(table)).fetchall()))
    column = data.draw(st.sampled_from([name for name in names if name not in KEYS[table]]))
    new = changed(row[names.index(column)], data.draw(st.integers(1, 2**20)))
    value = f"X'{new.hex()}'" if isinstance(new, bytes) else str(new)
    where = " AND ".join(f"{key} = {row[names.index(key)]}" for key in KEYS[table])
    sqlite, other = twins.spoiled([f'UPDATE {table} SET "{column}" = {value} WHERE {where}'])
    assert sqlite == other
    assert other.problems
