"""Do pages read the books without being in anybody's way?"""

import asyncio
from pathlib import Path
from threading import Event
from typing import NoReturn

import pytest

from jackpot.books import reader
from jackpot.books.reader import Books
from jackpot.ledger.store import CommitInDoubt
from tests.ledger.waiting import open_ledger
from tests.server.bed import on_loop


@on_loop
async def test_books_that_nobody_has_read_are_not_opened_to_be_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """DESIGN: a server ends at once, also where its database is gone and nobody had looked at a page."""
    url = f"sqlite:///{tmp_path}/ledger.db"
    open_ledger(url).close()
    books = Books(url)
    assert await books.read(lambda ledger: ledger.banks()) == []
    await books.close()

    def opened(*_what: object, **_how: object) -> NoReturn:
        raise AssertionError

    monkeypatch.setattr(reader, "open_reader", opened)
    await Books(url).close()


@on_loop
async def test_a_read_that_takes_too_long_is_given_up_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each reader waits for READ_WITHIN_S of its own: one that came later gets its answer after all."""
    url = f"sqlite:///{tmp_path}/ledger.db"
    open_ledger(url).close()
    books, goes_on = Books(url), Event()
    monkeypatch.setattr(reader, "READ_WITHIN_S", 0.01)

    async def too_long() -> None:
        with pytest.raises(CommitInDoubt, match="not waited for"):
            await books.read(lambda _ledger: goes_on.wait())
        goes_on.set()

    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(too_long())
        await asyncio.sleep(0)  # it asks first
        monkeypatch.setattr(reader, "READ_WITHIN_S", 30.0)
        assert await books.read(lambda ledger: ledger.banks()) == []
    await books.close()
