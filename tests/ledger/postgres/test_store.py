"""Fencing of writers in PostgreSQL; every broken connection is doubt."""

import asyncio
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import asyncpg
import msgspec
import pytest

from jackpot.lab.testing.postgres import Postgres
from jackpot.ledger.store import CommitInDoubt, DataRefused, Fenced
from jackpot.rules.postings import Posting
from tests.ledger.backends import WAIT_S, backend, stores, watching
from tests.ledger.material import rows
from tests.running_server import on_loop

# Takes the bank, sends a part of a batch and stops where it is.
FREEZES_IN_A_BATCH = """
import asyncio, os, signal, sys
from jackpot.ledger.postgres.store import PostgresStore
from tests.ledger.material import rows

async def main():
    store = await PostgresStore.open(sys.argv[1])
    await store.new_epoch("main", "frozen")
    first, *others = rows(50_000)
    await store.append("main", 1, 0, [first])
    async with asyncio.TaskGroup() as group:
        group.create_task(store.append("main", 1, 1, others))
        while not store.session.ready()._transport.get_write_buffer_size():
            await asyncio.sleep(0)
        print("in a batch", flush=True)  # as much of it as the socket takes has left this process
        os.kill(os.getpid(), signal.SIGSTOP)

asyncio.run(main())
"""


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Postgres]:
    """A cluster that a test may break."""
    with Postgres(tmp_path / "own") as own:
        yield own


@on_loop
async def test_a_takeover_ends_the_old_writer(database: str) -> None:
    """DESIGN, fence: the old connection is ended, its writer is fenced for good, the new one undisturbed."""
    written = rows(4)
    async with stores(database, 2) as (old, new):
        await old.new_epoch("main", "old")
        await old.append("main", 1, 0, written[:2])
        assert (await new.new_epoch("main", "new")).epoch == 2
        with pytest.raises(CommitInDoubt):
            await old.append("main", 1, 2, written[2:])
        await old.recover()
        with pytest.raises(Fenced, match="taken by another writer"):
            await old.new_epoch("main", "old")
        await new.append("main", 2, 2, rows(2, epoch=2, after=written[1]))
        head = await new.head("main")
        assert (head.holder, head.epoch, head.seq) == ("new", 2, 4)


@on_loop
async def test_an_old_epoch_writes_nothing_on_a_live_connection(database: str) -> None:
    """DESIGN, fence: compare-and-swap of epoch and seq, also where the old writer was not ended."""
    async with stores(database) as (old,), watching(database) as other:
        await old.new_epoch("main", "old")
        await other.run(TAKE)
        with pytest.raises(Fenced, match="epoch 1 is over"):
            await old.append("main", 1, 0, rows(2))
        assert await old.rows("main", 0, 10) == []
        again = TAKE.replace("0, false, false", "0, true, false")
        with pytest.raises(asyncpg.PostgresError, match="taken by another writer"):
            await other.run(again)


@on_loop
async def test_a_row_that_another_writer_added_is_a_fence(database: str) -> None:
    """DESIGN, fence: two writers of one seq meet in the key; the second is Fenced, not at fault."""
    async with stores(database) as (old,), watching(database) as other:
        await old.new_epoch("main", "old")
        await other.run(TAKE)
        row = rows(1)[0]
        await other.run(
            "INSERT INTO journal VALUES (1, 1, 1, 2, 1, 1, 1, 1, 1, $1, '', $2)", row.digest, row.hash
        )
        await other.run("SELECT fence(1, 2, 0, 1, $1, 0, 0, false)", row.hash)
        with pytest.raises(Fenced, match="epoch 1 is over"):
            await old.append("main", 1, 0, rows(2))
        assert (await old.head("main")).seq == 1


TAKE = "SELECT take_bank('main', sha256(''), 'another', gen_random_uuid(), 0, false, false)"


@on_loop
async def test_a_writer_that_stands_in_its_transaction_is_ended(database: str) -> None:
    """DESIGN, fence: rows and head that a frozen writer holds locked do not keep another from the bank."""
    async with stores(database, 2) as (old, new), asyncio.timeout(WAIT_S):
        await old.new_epoch("main", "old")
        await old.append("main", 1, 0, rows(2))
        assert old.session.connection is not None
        await old.session.connection.execute("BEGIN")
        await old.session.connection.execute(
            'INSERT INTO journal SELECT bank, 3, at, epoch, kind, version, link, "table", table_seq, digest, '
            "body, hash FROM journal WHERE seq = 2"
        )
        await old.session.connection.execute(
            "SELECT fence(1, 1, 2, 3, (SELECT hash FROM journal WHERE seq = 2), 0, 0, false)"
        )
        await new.new_epoch("main", "new")
        assert (await new.head("main")).seq == 2
        await new.append("main", 2, 2, rows(2, epoch=2, after=rows(2)[-1]))


@on_loop
async def test_a_server_frozen_in_a_batch_is_ended(database: str) -> None:
    """DESIGN, fence: no timeout reaches a client that is frozen in its message; the takeover ends it."""
    async with stores(database) as (new,), asyncio.timeout(WAIT_S):
        program = [sys.executable, "-c", FREEZES_IN_A_BATCH, database]
        with subprocess.Popen(program, stdout=subprocess.PIPE, text=True) as frozen:
            try:
                assert frozen.stdout is not None
                assert await asyncio.to_thread(frozen.stdout.readline) == "in a batch\n"
                assert (await new.new_epoch("main", "new")).seq == 1
                await new.append("main", 2, 1, rows(4, epoch=2, after=rows(1)[0]))
            finally:
                frozen.send_signal(signal.SIGKILL)
        assert len(await new.rows("main", 0, 10)) == 5


@on_loop
async def test_a_backend_that_cannot_be_ended_still_holds_the_bank(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """DESIGN 4: an old backend may have the COMMIT in its buffer still: without its end there is no look."""
    monkeypatch.setattr("jackpot.ledger.postgres.lease.END_BACKEND_MS", 100)
    async with stores(database) as (store,), watching(database) as other, asyncio.TaskGroup() as group:
        await store.new_epoch("main", "test")
        old = backend(store)
        await other.until_waiting(old, "ClientRead")
        with stopped(old):
            written = rows(3)
            call = group.create_task(outcome(store.append("main", 1, 0, written)))
            await asyncio.sleep(0)  # it is on its way
            call.cancel()
            assert isinstance(await call, CommitInDoubt)
            await store.recover()
            with pytest.raises(CommitInDoubt, match="does not end the connection"):
                await store.new_epoch("main", "test")
        monkeypatch.undo()  # it goes on now, and may take its time to end
        await store.recover()
        head = await store.new_epoch("main", "test")
        assert await store.rows("main", 0, 10) == written[: head.seq]


async def outcome(call: Any) -> BaseException | None:
    """How a call ended, as a value."""
    try:
        await call
    except BaseException as error:  # noqa: BLE001 - whatever it was, the test looks at it
        return error
    return None


@contextmanager
def stopped(process: int) -> Iterator[None]:
    """Stops a process (SIGSTOP) within the context, and always resumes it: a stopped backend blocks its
    cluster.
    """
    send(process, signal.SIGSTOP)
    try:
        yield
    finally:
        send(process, signal.SIGCONT)


def send(process: int, number: int) -> None:
    subprocess.run(["kill", f"-{number:d}", str(process)], check=True)


@on_loop
async def test_a_takeover_ends_who_locks_the_head_unheard(database: str) -> None:
    """DESIGN, lease: a process died in a transaction on a connection that the head does not name yet; who
    takes the bank ends that one too, and waits for no keepalive.
    """
    async with stores(database, 2) as (old, new), watching(database) as other, asyncio.timeout(WAIT_S):
        seen = await old.new_epoch("main", "old")
        unheard = old.session.ready()
        await old.session.open()  # as after doubt, but the head names the connection before it
        await old.session.ready().execute("SET idle_in_transaction_session_timeout = 0")
        await old.session.ready().execute("BEGIN")
        await old.session.ready().execute("SELECT 1 FROM head FOR UPDATE")
        left = backend(old)
        assert (await new.new_epoch("main", "new", expected=seen)).epoch == seen.epoch + 1
        assert not await other.run("SELECT 1 FROM pg_stat_activity WHERE pid = $1", left)
        unheard.terminate()


@on_loop
async def test_an_ended_backend_is_doubt(database: str) -> None:
    """DESIGN 4: pg_terminate_backend is a lost connection: doubt, then nothing but recover."""
    async with stores(database) as (store,), watching(database) as other:
        await store.new_epoch("main", "test")
        await other.run("SELECT pg_terminate_backend($1, 30000)", backend(store))
        for forbidden in (
            store.append("main", 1, 0, rows(1)),
            store.head("main"),
            store.new_epoch("main", "x"),
        ):
            with pytest.raises(CommitInDoubt):
                await forbidden
        await store.recover()
        assert (await store.new_epoch("main", "test")).seq == 0
        await store.append("main", 2, 0, rows(1, epoch=2))


@pytest.mark.parametrize("table", ["journal", "posting"])
def test_a_database_that_vanishes_in_copy_is_doubt(cluster: Postgres, table: str) -> None:
    """DESIGN 4: a batch that no buffer holds ends in doubt too when its connection ends halfway."""
    levels = tuple(Posting(1, level, 1, primary=1, wagers=-1) for level in range(1, 50_001))
    first, *large = rows(200)
    if table == "journal":
        large = [msgspec.structs.replace(row, body=bytes(60_000)) for row in large]
    else:
        large[0] = msgspec.structs.replace(large[0], postings=levels)

    @on_loop
    async def run() -> None:
        url = cluster.url()
        async with stores(url) as (store,), asyncio.TaskGroup() as group, asyncio.timeout(WAIT_S):
            await store.new_epoch("main", "test")
            await store.append("main", 1, 0, [first])
            async with watching(url) as other:
                await other.run("BEGIN")
                await other.run(f"LOCK TABLE {table}")
                call = group.create_task(outcome(store.append("main", 1, 1, large)))
                await other.until_waiting(backend(store), "relation")
            cluster.kill()
            e = await call
            import traceback

            traceback.print_exception(e)
            assert isinstance(e, CommitInDoubt)
            with pytest.raises(CommitInDoubt):
                await store.recover()
            cluster.start()
            await store.recover()
            assert (await store.new_epoch("main", "test")).seq == 1
            await store.append("main", 2, 1, large)

    run()


@on_loop
async def test_refused_data_leaves_the_connection_as_it_was(database: str) -> None:
    """DESIGN 4: the data is at fault: same connection, same epoch, no doubt."""
    async with stores(database) as (store,):
        await store.new_epoch("main", "test")
        good, before = rows(2), backend(store)
        bad = msgspec.structs.replace(good[1], postings=(Posting(1, 1, 1, primary=1),))
        with pytest.raises(DataRefused, match="check constraint"):
            await store.append("main", 1, 0, [good[0], bad])
        await store.append("main", 1, 0, good)
        assert backend(store) == before
        assert await store.rows("main", 0, 10) == good
