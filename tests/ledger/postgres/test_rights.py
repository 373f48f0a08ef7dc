"""Rights and settings of a PostgreSQL ledger: which it is written with, and which are refused."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Final

import asyncpg
import pytest

from jackpot.lab.testing import postgres as engines
from jackpot.lab.testing.postgres import EnginesMissing, Postgres
from jackpot.ledger import connect
from jackpot.ledger.journal import Snapshot
from jackpot.ledger.keyring import Secret, StoredName
from jackpot.ledger.open import make_roles
from jackpot.ledger.postgres.store import PostgresStore
from jackpot.ledger.store import CommitInDoubt, LedgerUnusable
from jackpot.ledger.verify.side_tables import KeptRows, compare
from jackpot.ledger.verify.verifier import verify
from tests.ledger.backends import stores, watching
from tests.ledger.material import rows
from tests.ledger.waiting import open_ledger
from tests.ledgers import Fresh
from tests.running_server import on_loop

# Whatever somebody set for the database or the role, a session of ours has its own.
SET_OTHERWISE: Final = {
    "client_min_messages": "error",
    "default_transaction_isolation": "serializable",
    "idle_in_transaction_session_timeout": "1ms",
    "idle_session_timeout": "1ms",
    "lock_timeout": "1ms",
    "search_path": "elsewhere, public",
    "standard_conforming_strings": "off",
    "statement_timeout": "1ms",
    "synchronous_commit": "off",
    "tcp_user_timeout": "1",
}
CHANGES = (
    "UPDATE journal SET at = 0",
    "DELETE FROM journal",
    "TRUNCATE journal",
    "UPDATE posting SET cycle = 2",
    "DELETE FROM posting",
    "TRUNCATE posting",
    "UPDATE hit_entry SET hit = 2",
    "DELETE FROM hit_entry",
    "TRUNCATE hit_entry",
    "UPDATE takeover SET epoch = 2",
    "DELETE FROM takeover",
    "TRUNCATE takeover",
    "UPDATE name SET name = 'x'",
    "DELETE FROM name",
    "TRUNCATE name",
    "UPDATE bank SET name = 'x'",
    "DELETE FROM bank",
    "TRUNCATE bank",
)
KEPT: Final = KeptRows(known=True, days=None, at=0)
AUDITED = ("takeover", "name", "audit_meters", "audit_hits", "audit_people", "audit_commitments")
WRITES = (
    "INSERT INTO bank (name) VALUES ('x')",
    "INSERT INTO journal SELECT * FROM journal",
    "INSERT INTO posting SELECT * FROM posting",
    "INSERT INTO hit_entry SELECT * FROM hit_entry",
    "INSERT INTO takeover (bank, epoch, how, holder, seq) SELECT bank, epoch, how, holder, seq FROM takeover",
    "INSERT INTO name SELECT * FROM name",
    "INSERT INTO head SELECT * FROM head",
    "UPDATE head SET seq = 0",
    "DELETE FROM head",
    "DELETE FROM snapshot",
    "INSERT INTO migration VALUES (2, 'x')",
    "SELECT take_bank('main', ''::bytea, 'x', gen_random_uuid(), 0, false, false)",
    "SELECT fence(1, 1, 4, 5, ''::bytea, 0, 0, false)",
    "CREATE TABLE mine (number int)",
)


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Postgres]:
    """A cluster whose settings may be changed."""
    with Postgres(tmp_path_factory.mktemp("own") / "cluster") as cluster:
        yield cluster


@pytest.fixture
def ledger(database: str, postgres: Postgres) -> Iterator[str]:
    """A ledger with roles and four rows, and a login of each group: server_login, auditor_login."""
    make_roles(database)
    for group in ("server", "auditor"):
        postgres.sql(f"CREATE ROLE {group}_login LOGIN IN ROLE jackpot_{group}")
    with closing(open_ledger(database)) as writer:
        writer.new_epoch("main", "owner")
        writer.append("main", 1, 0, rows(4))
    yield database
    for group in ("server", "auditor"):
        postgres.sql(f"DROP ROLE {group}_login")


def login(url: str, user: str) -> str:
    return url.replace("postgres@", f"{user}@")


# Rights


@pytest.mark.parametrize("session", ["origin", "replica"])
@on_loop
async def test_the_owner_cannot_change_the_past(ledger: str, session: str) -> None:
    """DESIGN, append-only: triggers refuse a superuser and owner, in a replication session too."""
    async with watching(ledger) as owner:
        await owner.run(f"SET session_replication_role = {session}")
        for change in CHANGES:
            with pytest.raises(asyncpg.PostgresError, match="is append-only"):
                await owner.run(change)
        assert await owner.run("SELECT count(*) FROM journal") == [(4,)]


def test_a_servers_role_serves_and_changes_nothing(ledger: str) -> None:
    """DESIGN, roles: all that a server does, without UPDATE, DELETE or TRUNCATE on what is written."""
    url = login(ledger, "server_login")
    with closing(open_ledger(url)) as server:
        assert server.new_epoch("main", "server").epoch == 2
        server.append("main", 2, 4, rows(2, epoch=2, after=rows(4)[-1]))
        assert server.new_epoch("second", "server").epoch == 1
        server.save_snapshot(Snapshot("main", 6, bytes(32), 1, b"a"))
        server.save_snapshot(Snapshot("main", 6, bytes(32), 1, b"b"))
        for seq in (3, 4, 5):
            server.save_snapshot(Snapshot("main", seq, bytes(32), 1, b"c"))
        server.beat("main", 2)
        server.recover()
        assert server.new_epoch("main", "server").epoch == 3
        server.release("main", 3)
        assert len(server.rows("main", 0, 10)) == 6
    with closing(open_ledger(ledger)) as owner:
        assert owner.new_epoch("main", "owner").epoch == 4

    @on_loop
    async def refused() -> None:
        async with watching(url) as session:
            for change in (
                *CHANGES,
                "ALTER TABLE journal DISABLE TRIGGER ALL",
                "DROP TABLE posting",
            ):
                with pytest.raises(asyncpg.InsufficientPrivilegeError):
                    await session.run(change)

    refused()


def test_servers_that_sign_in_apart_take_over_too(ledger: str, postgres: Postgres) -> None:
    """DESIGN, fence: a takeover says so where its role may not see or end the old server's connection."""
    postgres.sql("CREATE ROLE other_login LOGIN IN ROLE jackpot_server")
    try:
        with (
            closing(open_ledger(login(ledger, "server_login"))) as first,
            closing(open_ledger(login(ledger, "other_login"))) as second,
        ):
            first.new_epoch("main", "first")
            with pytest.raises(CommitInDoubt, match="server_login"):
                second.new_epoch("main", "second")
            first.append("main", 2, 4, rows(1, epoch=2, after=rows(4)[-1]))
            first.close()
            second.recover()
            assert second.new_epoch("main", "second").seq == 5
    finally:
        postgres.sql("DROP ROLE other_login")


def test_an_auditors_role_reads_all_and_writes_nothing(ledger: str) -> None:
    """DESIGN, roles: SELECT on every table and view, and nothing else; `verify` needs no more."""
    url = login(ledger, "auditor_login")
    with closing(open_ledger(url, readonly=True)) as reader:
        assert reader.rows("main", 0, 10) == rows(4)
        assert len(verify(reader, "main").problems) > 0  # rows of no engine, read to the end

    @on_loop
    async def refused() -> None:
        async with watching(url) as session:
            for table in ("account_entry", "conservation", "snapshot", "head", "migration", *AUDITED):
                await session.run(f"SELECT * FROM {table}")
            for change in (*CHANGES, *WRITES):
                with pytest.raises(asyncpg.InsufficientPrivilegeError):
                    await session.run(change)

    refused()


def test_an_auditors_role_compares_all_but_the_secrets(ledger: str, postgres: Postgres) -> None:
    """S8, roles: what lets anybody in is not read, and the look says that it was not compared."""
    with closing(open_ledger(ledger)) as owner:
        owner.change(StoredName.of("mallory", "Mallory").kept(), Secret(1, "$argon2id$mallory").kept())
        (name, secret) = compare(owner, ["site"], KEPT).problems
    with closing(open_ledger(login(ledger, "auditor_login"), readonly=True)) as auditor:
        looked = compare(auditor, ["site"], KEPT)
    assert (looked.problems, looked.unread) == ([name], True)
    assert "row of secret" in secret


@on_loop
async def test_too_many_rights_are_a_warning(ledger: str) -> None:
    """DESIGN, the ledger: a role with too many rights is warned of, and serves."""
    async with stores(ledger) as (owner,), stores(login(ledger, "server_login")) as (server,):
        assert server.warnings == []
        assert len(owner.warnings) == 1
        assert "journal: UPDATE" in owner.warnings[0]


@on_loop
async def test_who_may_not_make_the_schema_is_told_who_must(ledger: str, fresh: Fresh) -> None:
    """DESIGN, the ledger: a server's role makes no schema; the sentence names the command and the owner."""
    url = login(fresh("postgres"), "server_login")
    with pytest.raises(LedgerUnusable, match="must be made by its owner: jackpot ledger init --ledger URL"):
        await PostgresStore.open(url)


# Settings


@pytest.mark.parametrize("of", ["DATABASE", "ROLE"])
def test_our_settings_win(own: Postgres, of: str) -> None:
    """DESIGN 4: no setting of a database or role times a COMMIT out, hides its warning or commits early."""
    name = f"set_{of.lower()}"
    url = own.create(name)
    open_ledger(url).close()
    own.sql("CREATE ROLE tuned LOGIN SUPERUSER") if of == "ROLE" else None
    user, target = ("tuned", "tuned") if of == "ROLE" else ("postgres", name)
    for setting, value in SET_OTHERWISE.items():
        own.sql(f"ALTER {of} {target} SET {setting} = '{value}'")

    @on_loop
    async def run() -> None:
        async with stores(login(url, user)) as (store,):
            await store.new_epoch("main", "test")
            await store.append("main", 1, 0, rows(300))
            assert await store.rows("main", 0, 1_000) == rows(300)
            assert store.session.connection is not None
            for setting, value in SET_OTHERWISE.items():
                assert await store.session.connection.fetchval(f"SHOW {setting}") != value
            for setting, value in connect.WRITER.items():
                assert await store.session.connection.fetchval(
                    f"SHOW {setting}"
                ) == value or setting.startswith("tcp")

    run()


@pytest.mark.parametrize("setting", ["fsync", "full_page_writes"])
def test_a_database_that_could_lose_commits_is_refused(own: Postgres, setting: str) -> None:
    """DESIGN 4: at the start and after every reconnect: what acknowledges without a disk is no ledger."""
    name = f"without_{setting}"
    url = own.create(name)
    with closing(open_ledger(url)) as ledger:
        ledger.new_epoch("main", "test")
        own.configure({setting: "off"})
        try:
            while own.sql(f"SHOW {setting}") != [("off",)]:
                pass
            with pytest.raises(
                LedgerUnusable, match=f"has {setting} = off: what it acknowledges could be lost"
            ):
                open_ledger(url)
            open_ledger(url, readonly=True).close()
            with pytest.raises(CommitInDoubt, match=f"{setting} = off"):
                ledger.recover()
        finally:
            own.configure({setting: "on"})
        while own.sql(f"SHOW {setting}") != [("on",)]:
            pass
        ledger.recover()
        ledger.new_epoch("main", "test")


def test_no_newer_limit_of_time_ends_a_commit(tmp_path: Path) -> None:
    """DESIGN 4: since PostgreSQL 17 a transaction may have a limit, and its COMMIT with it."""
    try:
        programs = engines._wheel()
    except EnginesMissing as missing:
        pytest.skip(str(missing))
    with Postgres(tmp_path / "newer", programs=programs) as newer:
        if newer.programs.version < connect.TRANSACTION_TIMEOUT_SINCE:
            pytest.skip("an older PostgreSQL")
        newer.sql("ALTER DATABASE postgres SET transaction_timeout = '10s'")

        @on_loop
        async def run() -> None:
            async with stores(newer.url()) as (store,):
                await store.new_epoch("main", "test")
                await store.append("main", 1, 0, rows(2))
                assert store.session.connection is not None
                assert await store.session.connection.fetchval("SHOW transaction_timeout") == "0"

        run()


@on_loop
async def test_where_nothing_can_be_written_is_said_so(database: str) -> None:
    """DESIGN, commands: what to look at, in the database's own words."""
    async with watching(database) as owner:
        name = database.rpartition("/")[2]
        await owner.run(f"ALTER DATABASE {name} SET default_transaction_read_only = on")
    with pytest.raises(LedgerUnusable, match="no host takes writes: each is a standby, or default_"):
        await PostgresStore.open(database)


@pytest.mark.parametrize("setting", ["fsync", "full_page_writes"])
def test_a_setting_that_is_cleared_meanwhile_is_noticed(own: Postgres, setting: str) -> None:
    """DESIGN 4: nothing more is acknowledged once somebody has switched durability off, for however short."""
    with closing(open_ledger(own.create(f"meanwhile_{setting}"))) as ledger:
        ledger.new_epoch("main", "test")

        def write() -> None:
            """Appends rows one by one; the database applies the new setting between two of them."""
            for row in rows(1_000):
                ledger.append("main", 1, row.seq - 1, [row])

        own.configure({setting: "off"})
        try:
            with pytest.raises(CommitInDoubt, match="fsync or full_page_writes is off"):
                write()
        finally:
            own.configure({setting: "on"})
        while own.sql(f"SHOW {setting}") != [("on",)]:
            pass
        ledger.recover()
        ledger.new_epoch("main", "test")
