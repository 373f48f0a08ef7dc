"""Each deviation of a schema from the migrations is found, with no false alarm (S3)."""

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Final

import pytest

from jackpot.app import Server
from jackpot.lab.testing.postgres import SYSTEM, EnginesMissing, Postgres, _wheel, binaries
from jackpot.ledger.open import make_roles
from jackpot.ledger.reading import Differences
from jackpot.ledger.store import LedgerCorrupt
from tests.cli.test_verify import run
from tests.ledger import facts
from tests.ledger.conftest import Place
from tests.ledger.planted import run_sql, swallow
from tests.ledger.waiting import open_ledger
from tests.running_server import configure, on_loop

# What the migrations make and roles.sql gives, and ways to spoil it: (statements, what is said).
ON_SQLITE: Final = [
    (["DROP TRIGGER journal_is_never_changed"], "trigger journal_is_never_changed on journal is missing"),
    (
        [
            "DROP TRIGGER journal_is_never_changed",
            "CREATE TRIGGER journal_is_never_changed BEFORE UPDATE ON journal BEGIN SELECT 1; END",
        ],
        "trigger journal_is_never_changed on journal is not as the migrations make it",
    ),
    (
        ["CREATE TRIGGER swallow BEFORE INSERT ON posting BEGIN SELECT RAISE(IGNORE); END"],
        "trigger swallow on posting is not the ledger's",
    ),
    (["ALTER TABLE journal ADD COLUMN note TEXT"], "column journal.note is not the ledger's"),
    (["ALTER TABLE head RENAME COLUMN beat TO pulse"], "column head.beat is missing"),
    (["CREATE TABLE notes (text TEXT)"], "table notes is not the ledger's"),
    (["CREATE UNIQUE INDEX one_digest ON journal (digest)"], "index one_digest is not the ledger's"),
    (["DROP VIEW conservation"], "view conservation is missing"),
    (
        ["DROP VIEW conservation", "CREATE VIEW conservation (bank) AS SELECT name FROM bank"],
        "view conservation is not as the migrations make it",
    ),
    (
        [
            "PRAGMA writable_schema = ON",
            "UPDATE sqlite_schema SET sql = replace(sql, 'CHECK (seq > 0)', '') WHERE name = 'posting'",
        ],
        "table posting is not as the migrations make it",
    ),
    (
        [
            "PRAGMA writable_schema = ON",
            (
                "INSERT INTO sqlite_schema VALUES ('trigger', 'sqlite_evil', 'journal', 0, 'CREATE TRIGGER "
                "sqlite_evil BEFORE INSERT ON journal WHEN NEW.kind = 19 BEGIN SELECT RAISE(IGNORE); END')"
            ),
        ],
        "trigger sqlite_evil on journal is not the ledger's",
    ),
]
# A trigger that the catalogue says PostgreSQL made for itself.
HIDDEN_TRIGGER: Final = (
    "CREATE SCHEMA evil",
    "CREATE FUNCTION evil.eat() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'",
    "CREATE TRIGGER eat AFTER INSERT ON journal FOR EACH ROW EXECUTE FUNCTION evil.eat()",
    "UPDATE pg_trigger SET tgisinternal = true WHERE tgname = 'eat'",
)
ON_POSTGRES: Final = [
    (
        ["DROP TRIGGER journal_is_never_changed ON journal"],
        "trigger journal_is_never_changed on journal is missing",
    ),
    (
        ["ALTER TABLE posting DISABLE TRIGGER USER"],
        "trigger posting_is_never_changed on posting is 'disabled",
    ),
    (
        ["ALTER TABLE posting ENABLE TRIGGER posting_is_never_changed"],
        "trigger posting_is_never_changed on posting is 'unless replicating",
    ),
    (
        [
            "CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN END'",
        ],
        "function refuse_change() is not as the migrations make it",
    ),
    (
        ["CREATE FUNCTION fence(integer) RETURNS void LANGUAGE sql AS ''"],
        "function fence(integer) is not the ledger's",
    ),
    (["ALTER FUNCTION refuse_change SET search_path = pg_temp"], "function refuse_change() is "),
    (["CREATE RULE nothing AS ON INSERT TO snapshot DO INSTEAD NOTHING"], "rule nothing on snapshot is not"),
    (["ALTER TABLE head ENABLE ROW LEVEL SECURITY"], "table head is 'permanent, with row security'"),
    (["CREATE POLICY none ON head USING (false)"], "policy none on head is not the ledger's"),
    (["ALTER TABLE journal SET UNLOGGED"], "table journal is 'not permanent'"),
    (["ALTER TABLE journal ADD COLUMN note text"], "column journal.note is not the ledger's"),
    (["ALTER TABLE snapshot ALTER COLUMN format TYPE bigint"], "column snapshot.format is 'bigint not null'"),
    (["ALTER TABLE journal ALTER COLUMN at DROP NOT NULL"], "column journal.at is 'bigint'"),
    (
        ["ALTER TABLE snapshot ALTER COLUMN format SET DEFAULT 7"],
        "snapshot.format is 'integer not null default 7'",
    ),
    (["ALTER TABLE posting DROP CONSTRAINT posting_check"], "constraint posting.posting_check is missing"),
    (
        ["ALTER TABLE journal ADD CHECK (kind < 9) NOT VALID"],
        "constraint journal.journal_kind_check is not the",
    ),
    (["ALTER TABLE journal DROP CONSTRAINT journal_pkey"], "constraint journal.journal_pkey is missing"),
    (["CREATE UNIQUE INDEX one_digest ON journal (digest)"], "index one_digest is not the ledger's"),
    (["CREATE TABLE notes (text text)"], "table notes is not the ledger's"),
    (["CREATE TABLE heir () INHERITS (journal)"], "table journal is 'permanent, inheriting'"),
    (
        ["DROP VIEW account_entry", "CREATE VIEW account_entry (bank) AS SELECT name FROM bank"],
        "query of view account_entry is not as the migrations make it",
    ),
    (
        ["CREATE ROLE another", "ALTER TABLE posting OWNER TO another"],
        "table posting is 'permanent, of another owner",
    ),
    (["CREATE ROLE another", "GRANT UPDATE ON journal TO another"], "another may UPDATE on journal"),
    (["CREATE ROLE another", "GRANT UPDATE (hash) ON journal TO another"], "another may UPDATE on journal"),
    (["GRANT USAGE ON SEQUENCE bank_id_seq TO PUBLIC"], "everybody may USAGE on bank_id_seq"),
    (
        [
            "CREATE SCHEMA evil",
            "CREATE FUNCTION evil.refuse_change() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN END'",
            "DROP TRIGGER journal_is_never_changed ON journal",
            (
                "CREATE TRIGGER journal_is_never_changed BEFORE UPDATE OR DELETE OR TRUNCATE ON journal "
                "FOR EACH STATEMENT EXECUTE FUNCTION evil.refuse_change()"
            ),
            "ALTER TABLE journal ENABLE ALWAYS TRIGGER journal_is_never_changed",
        ],
        "trigger journal_is_never_changed on journal is 'always, type 58, evil.refuse_change()', the mig",
    ),
    ([*HIDDEN_TRIGGER], "trigger eat on journal is not the ledger's"),
    (
        [
            *HIDDEN_TRIGGER,
            (
                "UPDATE pg_trigger SET tgconstraint = (SELECT oid FROM pg_constraint "
                "WHERE conname = 'journal_pkey') WHERE tgname = 'eat'"
            ),
        ],
        "trigger eat on journal is not the ledger's",
    ),
]


def found(url: str) -> Differences:
    with closing(open_ledger(url, readonly=True)) as ledger:
        return ledger.schema()


def test_a_schema_as_it_was_made_is_sound(place: Place) -> None:
    """S3: nothing is said of a new ledger, nor of one that the database has gathered statistics of."""
    place.open().close()
    assert found(place.url) == ([], [])
    run_sql(place.url, "ANALYZE")
    assert found(place.url) == ([], [])


@pytest.mark.parametrize(("statements", "said"), ON_SQLITE)
def test_what_was_done_on_sqlite_is_said(tmp_path: Path, statements: list[str], said: str) -> None:
    """S3: tables, columns, constraints, triggers, views: what is missing, added or another, each by name."""
    url = f"sqlite:///{tmp_path}/ledger.db"
    open_ledger(url).close()
    run_sql(url, *statements)
    problems = found(url).problems
    assert any(said in problem for problem in problems), problems


@pytest.fixture
def another(postgres: Postgres, database: str) -> Iterator[str]:
    """A ledger with its roles, in which a test may make a role `another`."""
    make_roles(database)
    yield database
    if postgres.sql("SELECT 1 FROM pg_roles WHERE rolname = 'another'"):
        postgres.sql("DROP OWNED BY another CASCADE", database.rpartition("/")[2])
        postgres.sql("DROP ROLE another")


@pytest.mark.parametrize(("statements", "said"), ON_POSTGRES)
def test_what_was_done_on_postgresql_is_said(another: str, statements: list[str], said: str) -> None:
    """S3: the same, and rules, policies, functions' bodies, owners and rights."""
    assert found(another) == ([], [])
    run_sql(another, *statements)
    problems = found(another).problems
    assert any(said in problem for problem in problems), problems


def test_what_lies_elsewhere_is_nobodys_business(another: str) -> None:
    """S3: another schema of the database, and what an extension brings, are ignored; an index is told."""
    run_sql(
        another,
        "CREATE SCHEMA elsewhere",
        "CREATE TABLE elsewhere.journal (note text)",
        "CREATE FUNCTION elsewhere.fence() RETURNS void LANGUAGE sql AS ''",
        "CREATE EXTENSION pg_stat_statements",
        "CREATE INDEX by_time ON journal (at)",
    )
    assert found(another) == ([], ["the schema: index by_time is not the ledger's"])


OWNERS: Final = "which the migrations give nobody but its owner"


def test_what_changes_nothing_stops_no_start(another: str) -> None:
    """S3: how rows are stored is no fact, to read is at most a warning, and what all may, one may."""
    run_sql(
        another,
        "CREATE ROLE another",
        "ALTER TABLE journal SET (autovacuum_vacuum_scale_factor = 0.02, fillfactor = 90)",
        "GRANT SELECT ON ALL TABLES IN SCHEMA public TO another",
        "GRANT SELECT ON ALL SEQUENCES IN SCHEMA public TO another",
        "GRANT EXECUTE ON FUNCTION fence TO another",
        "GRANT SELECT ON journal TO PUBLIC",
    )
    assert found(another) == (
        [],
        [
            f"the schema: another may SELECT on bank_id_seq, {OWNERS}",
            f"the schema: everybody may SELECT on journal, {OWNERS}",
            f"the schema: another may SELECT on takeover_id_seq, {OWNERS}",
        ],
    )


def test_statistics_on_sqlite_are_no_fact(tmp_path: Path) -> None:
    """S3: what SQLite makes by itself, and nothing else, may have a name of its own."""
    url = f"sqlite:///{tmp_path}/ledger.db"
    open_ledger(url).close()
    run_sql(url, "ANALYZE")
    assert found(url) == ([], [])


def test_an_index_on_sqlite_is_told(tmp_path: Path) -> None:
    """S3: an extra index is a warning."""
    url = f"sqlite:///{tmp_path}/ledger.db"
    open_ledger(url).close()
    run_sql(url, "CREATE INDEX by_time ON journal (at)")
    assert found(url) == ([], ["the schema: index by_time is not the ledger's"])


@pytest.mark.parametrize("programs", ["system", "wheel"])
def test_the_facts_are_those_of_the_migrations(programs: str, tmp_path: Path) -> None:
    """S3: what is compared with is what the migrations make, on an older PostgreSQL as on a newer."""
    try:
        folder = binaries() if programs == "system" else _wheel()
    except EnginesMissing as missing:
        pytest.skip(str(missing))
    if programs == "system" and not folder.is_relative_to(SYSTEM):
        pytest.skip("the system has no PostgreSQL of its own")
    with Postgres(tmp_path / "cluster", programs=folder) as cluster:
        made = facts.made(cluster.create("ledger"))
    assert json.loads(made) == json.loads(facts.FILE.read_bytes()), "python -m tests.ledger.facts makes it"


@on_loop
async def test_a_server_starts_on_no_other_schema(tmp_path: Path) -> None:
    """S3: the planted trigger that lets rows vanish: no link starts, and the start and verify name it."""
    config = configure(tmp_path)
    async with Server(config):
        pass
    swallow(config.ledger.url, "journal", "NEW.kind = 6")
    with pytest.raises(LedgerCorrupt, match="trigger swallow on journal is not the ledger's"):
        async with Server(config):
            pytest.fail("it started")
    code, _, errors = run("--config", str(config.path))
    assert code == 1
    assert "the schema: trigger swallow on journal is not the ledger's\n" in errors
    assert errors.endswith("ledger: 1 problem: this is not what was written\n")
