"""The auditors' views agree with the engine on both databases, and show no secret (S8)."""

import asyncio
import os
import shutil
import sqlite3
import subprocess
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import asyncpg
import pytest

from jackpot.lab.testing.postgres import Postgres, binaries
from jackpot.ledger.keyring import Secret, StoredName
from jackpot.ledger.open import make_roles
from jackpot.ledger.rebuild import accounts_of, rebuild
from jackpot.ledger.sqlite.store import SqliteLedger
from jackpot.rules import registry
from jackpot.rules.acts.people import FirstPeople
from tests import ceilings
from tests.ledger import golden
from tests.ledger.people import Paper
from tests.ledger.sealed import KEY, numbered, put
from tests.ledger.waiting import copy, open_ledger

ROOT: Final = Path(__file__).parents[2]
MICROS: Final = 1_000_000
VIEWS: Final = {
    "audit_meters": "bank, link, level",
    "audit_hits": "bank, hit, seq, link, level",
    "audit_people": "number",
    "audit_commitments": "bank, link, level, cycle, number",
}
ANN, BEN = StoredName.of("ann", "Ann"), StoredName.of("ben", "Ben")
KEYS: Final = Secret(1, "$argon2id$1", b"totp"), Secret(2, "$argon2id$2")

Lines = list[dict[str, Any]]


def on_sqlite(path: Path) -> dict[str, Lines]:
    """As `sqlite3` shows them, without the program."""
    answers: dict[str, Lines] = {}
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        for view, order in VIEWS.items():
            cursor = connection.execute(f"SELECT * FROM {view} ORDER BY {order}")
            columns = [column for column, *_ in cursor.description]
            answers[view] = [dict(zip(columns, row, strict=True)) for row in cursor]
    return answers


async def on_postgres(url: str) -> dict[str, Lines]:
    """As an auditor sees them, who may read no secret; letters in the order of their bytes, as SQLite's."""
    connection = await asyncpg.connect(url)
    try:
        await connection.execute("SET ROLE jackpot_auditor")
        return {
            view: [
                dict(row)
                for row in await connection.fetch(f"SELECT * FROM {view} ORDER BY {_by_bytes(order)}")
            ]
            for view, order in VIEWS.items()
        }
    finally:
        await connection.close()


def _by_bytes(order: str) -> str:
    texts = ("bank", "link", "level")
    return ", ".join(f'{one} COLLATE "C" NULLS FIRST' if one in texts else one for one in order.split(", "))


def plain(lines: Lines) -> list[dict[str, str | int | float | None]]:
    """With each sum as a float: on PostgreSQL they are numeric."""
    return [
        {key: value if isinstance(value, str | int | None) else float(value) for key, value in line.items()}
        for line in lines
    ]


def people(path: Path) -> None:
    """Two people with secrets, in a bank of their own ledger; the second one's name was erased."""
    site = Paper(empty=True)
    marks = ((ANN.mark, KEYS[0].digest), (BEN.mark, KEYS[1].digest))
    assert site.act(FirstPeople(marks), names=("root",)).ok
    with closing(SqliteLedger(path)) as ledger:
        site.write(ledger)
        ledger.change(ANN.kept(), *(key.kept() for key in KEYS))


@pytest.fixture(params=["golden", "people"])
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    made = tmp_path / "made.db"
    {"golden": golden.make, "people": people}[request.param](made)
    return made


def test_both_databases_show_the_same(path: Path, database: str) -> None:
    """S8: the same columns, in the same order, with the same values; on PostgreSQL to an auditor's role."""
    with closing(SqliteLedger(path)) as source, closing(open_ledger(database)) as target:
        copy(source, target)
    make_roles(database)
    sqlite, other = on_sqlite(path), asyncio.run(on_postgres(database))
    for view in VIEWS:
        assert plain(other[view]) == plain(sqlite[view])
        assert [list(line) for line in other[view]] == [list(line) for line in sqlite[view]]
    assert any(sqlite.values())


@pytest.fixture
def written(tmp_path: Path) -> Path:
    golden.make(tmp_path / "golden.db")
    return tmp_path / "golden.db"


def test_meters_are_those_of_the_engine(written: Path) -> None:
    """S1, M4: every account of every level that was moved, by its names, in the currency's units."""
    wanted = dict[tuple[str, str, str], Sequence[int]]()
    with closing(SqliteLedger(written)) as ledger:
        for bank in ledger.banks():
            engine, _ = rebuild(ledger, bank)
            for (number, level), accounts in accounts_of(engine).items():
                link = engine.state.link(number)
                name = link.levels[level - 1].terms.level if level else "no meter"
                wanted[bank, link.terms.link, name] = accounts
    order = ("primary", "reserve", "overflow", "house", "contributions", "awards", "corrections", "transfers")
    sources = {"house", "contributions", "corrections", "transfers"}
    found = {
        (line["bank"], line["link"], line["level"]): tuple(
            round(line[account] * MICROS) * (-1 if account in sources else 1) for account in order
        )
        for line in on_sqlite(written)["audit_meters"]
    }
    moved = {key: tuple(accounts) for key, accounts in wanted.items() if any(accounts) or key in found}
    assert found == moved
    assert len(found) > 10


def test_hits_are_those_of_the_rows(written: Path) -> None:
    """S8: each row that made or changed a hit, by its hash, its event's name and what it posted."""
    lines = on_sqlite(written)["audit_hits"]
    shown = {(line["bank"], line["hit"], line["seq"], line["hash"], line["event"]) for line in lines}
    with closing(SqliteLedger(written)) as ledger:
        rows = [(bank, row) for bank in ledger.banks() for row in ledger.rows(bank, 0, 1_000)]
    assert shown == {
        (bank, hit, row.seq, row.hash.hex(), registry.name_of(row.kind))
        for bank, row in rows
        for hit in row.hits
    }
    assert len(lines) == sum(max(1, len(row.postings)) * len(row.hits) for _, row in rows)
    awards = sum(posting.awards * len(row.hits) for _, row in rows for posting in row.postings)
    assert round(sum(line["awards"] or 0 for line in lines) * MICROS) == awards
    assert {line["table"] for line in lines if line["event"] == "settled"} <= {
        table.terms.table for table in _tables(written)
    }
    at = {(bank, row.seq): row.at for bank, row in rows}
    for line in lines:
        assert line["at"] == _utc(at[line["bank"], line["seq"]])


def test_a_hit_from_before_a_join_is_named_as_its_bank_named_it(written: Path) -> None:
    """A10, S8: what the joined bank did with it stands next to what its maker did."""
    lines = on_sqlite(written)["audit_hits"]
    of_floor = {(line["hit"], line["made_in"], line["made_as"]) for line in lines if line["bank"] == "floor"}
    assert of_floor == {(2, "north", 1)}
    told = [line["event"] for line in lines if (line["made_in"], line["made_as"]) == ("north", 1)]
    assert sorted(set(told)) == ["corrected", "paid", "settled", "validated"]
    others = [line for line in lines if line["bank"] != "floor"]
    assert all((line["made_in"], line["made_as"]) == (line["bank"], line["hit"]) for line in others)


def _tables(path: Path) -> list[Any]:
    with closing(SqliteLedger(path)) as ledger:
        return [table for bank in ledger.banks() for table in rebuild(ledger, bank)[0].state.tables]


def _utc(unix_ms: int) -> str:
    return datetime.fromtimestamp(unix_ms / 1000, UTC).isoformat(" ", "milliseconds").removesuffix("+00:00")


def commands() -> list[str]:
    """What ledger/README.md tells auditors to type."""
    page = (ROOT / "jackpot" / "ledger" / "README.md").read_text()
    section = page.partition("## Auditors without the program")[2].partition("\n## ")[0]
    return [line.strip() for line in section.splitlines() if line.startswith("    ")]


def test_the_commands_of_the_page_answer(tmp_path: Path, database: str, postgres: Postgres) -> None:
    """S8: as they stand on the page, but for where the ledger is: each finds something, on its database."""
    programs = f"{binaries()}{os.pathsep}{os.environ['PATH']}"
    for tool in ("sqlite3", "psql"):
        if shutil.which(tool, path=programs) is None:
            (pytest.fail if os.environ.get("CI") else pytest.skip)(f"missing: {tool}")
    path = tmp_path / "ledger.db"
    golden.make(path)
    with closing(SqliteLedger(path)) as source, closing(open_ledger(database)) as target:
        source.change(*put([numbered(1)]))
        copy(source, target)
    make_roles(database)
    postgres.sql("CREATE ROLE auditor LOGIN IN ROLE jackpot_auditor")
    try:
        given = commands()
        assert len(given) == len(VIEWS)
        for command in given:
            own = command.replace(
                "postgresql://auditor@host/ledger", database.replace("postgres@", "auditor@")
            )
            done = subprocess.run(
                ["sh", "-ec", own], cwd=tmp_path, env=os.environ | {"PATH": programs}, capture_output=True,
                text=True, check=False, timeout=ceilings.PROGRAM_S,
            )  # fmt: skip
            assert (done.returncode, done.stderr) == (0, "")
            assert len(done.stdout.splitlines()) > len(VIEWS)
    finally:
        postgres.sql("DROP ROLE auditor")


def test_a_running_commitment_is_shown_without_its_trigger(tmp_path: Path, database: str) -> None:
    """Y12: an auditor sees which commitments run, and which key they need; on PostgreSQL no sealed byte."""
    row = numbered(1)
    path = tmp_path / "ledger.db"
    golden.make(path)
    with closing(SqliteLedger(path)) as source, closing(open_ledger(database)) as target:
        source.change(*put([row]))
        copy(source, target)
    make_roles(database)
    shown = {
        "bank": "main", "link": "mystery", "level": "major", "cycle": 7, "number": 1,
        "committed": row.committed.hex(), "key_id": KEY.id,
    }  # fmt: skip
    of_sqlite, of_postgres = on_sqlite(path), asyncio.run(on_postgres(database))
    assert shown in of_sqlite["audit_commitments"]
    assert of_postgres["audit_commitments"] == of_sqlite["audit_commitments"]
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        asyncio.run(as_auditor(database, "SELECT committed FROM mystery_trigger"))


async def as_auditor(url: str, statement: str) -> Lines:
    connection = await asyncpg.connect(url)
    try:
        await connection.execute("SET ROLE jackpot_auditor")
        return [dict(row) for row in await connection.fetch(statement)]
    finally:
        await connection.close()


def test_people_have_digests_and_no_secret(tmp_path: Path) -> None:
    """S8: who has which number, and the digests that the chain has; a name that was erased is gone."""
    people(tmp_path / "people.db")
    assert on_sqlite(tmp_path / "people.db")["audit_people"] == [
        {"number": 1, "login": "ann", "mark": ANN.mark.hex(), "secret": KEYS[0].digest.hex()},
        {"number": 2, "login": None, "mark": BEN.mark.hex(), "secret": KEYS[1].digest.hex()},
    ]
