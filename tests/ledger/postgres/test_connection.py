"""No commit is acknowledged that its synchronous standby lacks: a primary with a stopped standby."""

import asyncio
from collections.abc import Iterator
from itertools import count
from typing import Any, Final

import pytest

from jackpot.lab.testing.postgres import Postgres
from jackpot.ledger.journal import Snapshot
from jackpot.ledger.store import CommitInDoubt
from tests.ledger.backends import WAIT_S, Watcher, backend, stores, watching
from tests.ledger.material import rows
from tests.running_server import on_loop

STANDBY: Final = {"synchronous_standby_names": "second"}
ALONE: Final = {"synchronous_standby_names": ""}
CANCELED: Final = "canceling wait for synchronous replication"

_numbers = count(1)


class Pair:
    """A primary whose commits wait for its standby."""

    def __init__(self, primary: Postgres, standby: Postgres) -> None:
        self.primary = primary
        self.standby = standby

    def told(self) -> int:
        """How often the primary says that it committed without its standby."""
        return self.primary.log.read_text().count(CANCELED)


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    folder = tmp_path_factory.mktemp("pair")
    with Postgres(folder / "primary") as primary:
        standby = primary.standby(folder / "standby", "second")
        primary.configure(STANDBY)
        yield Pair(primary, standby)


@pytest.fixture
def url(pair: Pair) -> Iterator[str]:
    """A database on both; the standby is there and waited for again afterwards."""
    yield pair.primary.create(f"test_{next(_numbers)}")
    pair.standby.thaw()


async def until_synchronous(watcher: Watcher, names: str) -> None:
    """Returns once new sessions see the setting."""
    async with asyncio.timeout(WAIT_S):
        while await watcher.run("SHOW synchronous_standby_names") != [(names,)]:  # noqa: ASYNC110
            await asyncio.sleep(0)


async def outcome(call: Any) -> Any:
    """Result of a call, or its error as a value."""
    try:
        return await call
    except (CommitInDoubt, asyncio.CancelledError) as error:
        return error


@on_loop
async def test_a_commit_canceled_from_outside_is_doubt(pair: Pair, url: str) -> None:
    """DESIGN 4, S5: COMMIT "succeeds" with a warning: that is doubt, and the look waits for the standby."""
    written = rows(3)
    async with stores(url) as (store,), watching(url) as other, asyncio.TaskGroup() as group:
        await store.new_epoch("main", "test")
        pair.standby.freeze()
        call = group.create_task(outcome(store.append("main", 1, 0, written)))
        await other.until_waiting(backend(store))
        await other.run("SELECT pg_cancel_backend($1)", backend(store))
        error = await call
        assert isinstance(error, CommitInDoubt)
        assert CANCELED in str(error)
        with pytest.raises(CommitInDoubt):
            await store.head("main")
        await store.recover()
        look = group.create_task(outcome(store.new_epoch("main", "test")))
        await other.until_waiting(backend(store))
        assert not look.done()
        pair.standby.thaw()
        assert (await look).seq == 3
        assert await store.rows("main", 0, 10) == written


@on_loop
async def test_a_new_epoch_canceled_from_outside_is_doubt(pair: Pair, url: str) -> None:
    """DESIGN 4: an epoch is taken only by an acknowledged commit."""
    async with stores(url) as (store,), watching(url) as other, asyncio.TaskGroup() as group:
        pair.standby.freeze()
        call = group.create_task(outcome(store.new_epoch("main", "test")))
        await other.until_waiting(backend(store))
        await other.run("SELECT pg_cancel_backend($1)", backend(store))
        assert isinstance(await call, CommitInDoubt)
        pair.standby.thaw()
        await store.recover()
        assert (await store.new_epoch("main", "test")).epoch == 2


@on_loop
async def test_an_epoch_that_nobody_waits_for_is_ended(pair: Pair, url: str) -> None:
    """DESIGN 4: the next attempt ends every earlier one of its own, which may hold the head locked."""
    async with stores(url) as (store,), watching(url) as other, asyncio.TaskGroup() as group:
        await store.new_epoch("main", "test")
        pair.standby.freeze()
        for _ in range(3):
            await store.recover()
            call = group.create_task(outcome(store.new_epoch("main", "test")))
            await other.until_waiting(backend(store))
            call.cancel()
            assert isinstance(await call, CommitInDoubt)
        pair.standby.thaw()
        await store.recover()
        assert (await store.new_epoch("main", "test")).epoch == 5


@on_loop
async def test_a_cancelled_task_cancels_no_commit(pair: Pair, url: str) -> None:
    """DESIGN 4: its connection is dropped and no cancel request sent: the COMMIT waits on for its standby."""
    written = rows(3)
    async with stores(url) as (store,), watching(url) as other, asyncio.TaskGroup() as group:
        await store.new_epoch("main", "test")
        said, old = pair.told(), backend(store)
        pair.standby.freeze()
        call = group.create_task(outcome(store.append("main", 1, 0, written)))
        await other.until_waiting(old)
        call.cancel()
        assert isinstance(await call, CommitInDoubt)
        # A cancel request comes on a connection of its own: later connections have been served already.
        async with watching(url) as later:
            assert await later.waits_for(old) == "SyncRep"
            assert await later.run("SELECT * FROM journal") == []
        assert pair.told() == said
        pair.standby.thaw()
        await store.recover()
        assert (await store.new_epoch("main", "test")).seq == 3
        assert await store.rows("main", 0, 10) == written


@on_loop
async def test_closing_cancels_no_commit(pair: Pair, url: str) -> None:
    """DESIGN 4: a store that is closed while its COMMIT waits drops the connection, waited for or not."""
    async with stores(url) as (store,), watching(url) as other, asyncio.TaskGroup() as group:
        await store.new_epoch("main", "test")
        said, old = pair.told(), backend(store)
        pair.standby.freeze()
        call = group.create_task(outcome(store.append("main", 1, 0, rows(3))))
        await other.until_waiting(old)
        await store.close()
        assert isinstance(await call, CommitInDoubt)
        async with watching(url) as later:
            assert await later.waits_for(old) == "SyncRep"
        assert pair.told() == said


@on_loop
async def test_a_takeover_looks_at_what_waits_for_a_standby(pair: Pair, url: str) -> None:
    """DESIGN 4: the old COMMIT is made by its end and seen only with the new epoch, both on the standby."""
    written = rows(3)
    async with stores(url, 2) as (old, new), watching(url) as other, asyncio.TaskGroup() as group:
        await old.new_epoch("main", "old")
        pair.standby.freeze()
        call = group.create_task(outcome(old.append("main", 1, 0, written)))
        await other.until_waiting(backend(old))
        look = group.create_task(outcome(new.new_epoch("main", "new")))
        assert isinstance(await call, CommitInDoubt)
        await other.until_waiting(backend(new))
        assert not look.done()
        pair.standby.thaw()
        assert (await look).seq == 3
        pair.standby.freeze()  # what was looked at is there without any further word of the primary
        assert await new.rows("main", 0, 10) == written


@on_loop
async def test_nothing_is_written_where_no_standby_is_waited_for(pair: Pair, url: str) -> None:
    """[ledger] require_synchronous: neither an epoch nor a row while synchronous_standby_names is empty."""
    empty = "synchronous_standby_names is empty: a commit would wait for no standby"
    async with stores(url, require_synchronous=True) as (store,), watching(url) as other:
        await store.new_epoch("main", "test")
        await store.append("main", 1, 0, rows(2))
        pair.primary.configure(ALONE)
        await until_synchronous(other, "")
        with pytest.raises(CommitInDoubt, match=empty):
            await store.append("main", 1, 2, rows(2, after=rows(2)[-1]))
        for _ in range(3):
            await store.recover()
            with pytest.raises(CommitInDoubt, match=empty):
                await store.new_epoch("main", "test")
            assert len(store.session.own) == 1  # it may go on for days
        assert await other.run("SELECT epoch, seq FROM head") == [(1, 2)]
        assert await other.run("SELECT count(*) FROM journal") == [(2,)]
        pair.primary.configure(STANDBY)
        await until_synchronous(other, "second")
        await store.recover()
        assert (await store.new_epoch("main", "test")).seq == 2
        await store.append("main", 2, 2, rows(2, epoch=2, after=rows(2)[-1]))


@on_loop
async def test_a_snapshot_waits_for_no_standby(pair: Pair, url: str) -> None:
    """DESIGN 5: a snapshot shortens a start and nothing else: it holds up no batch."""
    async with stores(url) as (store,), asyncio.timeout(WAIT_S):
        await store.new_epoch("main", "test")
        written = rows(1)[0]
        await store.append("main", 1, 0, [written])
        pair.standby.freeze()
        snapshot = Snapshot("main", 1, written.hash, 1, b"state")
        await store.save_snapshot(snapshot)
        assert await store.run(lambda ledger: ledger.newest_snapshot("main")) == snapshot
