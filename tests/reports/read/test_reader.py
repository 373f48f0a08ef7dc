"""Pages read the ledger without blocking anybody."""

import asyncio
import threading
from pathlib import Path
from typing import NoReturn

import pytest

from jackpot.ledger.reading import Reader
from jackpot.ledger.store import CommitInDoubt
from jackpot.reports.read import reader
from jackpot.reports.read.reader import LedgerReader
from tests.ledger.waiting import open_ledger
from tests.running_server import WAIT_S, on_loop


@on_loop
async def test_books_that_nobody_has_read_are_not_opened_to_be_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """DESIGN: a server ends at once, also where its database is gone and nobody had looked at a page."""
    url = f"sqlite:///{tmp_path}/ledger.db"
    open_ledger(url).close()
    books = LedgerReader(url)
    assert await books.read(lambda ledger: ledger.banks()) == []
    await books.close()

    def opened(*_what: object, **_how: object) -> NoReturn:
        raise AssertionError

    monkeypatch.setattr(reader, "open_reader", opened)
    await LedgerReader(url).close()


@on_loop
async def test_a_reading_that_nobody_waits_for_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Misuse: what takes too long is read no further, so the next reading need not wait for it."""
    url = f"sqlite:///{tmp_path}/ledger.db"
    open_ledger(url).close()
    monkeypatch.setattr(reader, "READ_WITHIN_S", 0.2)
    books = LedgerReader(url)
    enough, ended = threading.Event(), threading.Event()

    def long(ledger: Reader) -> None:
        try:
            while not enough.is_set():
                ledger.banks()
        finally:
            ended.set()

    with pytest.raises(CommitInDoubt):
        await books.read(long)
    try:
        assert await asyncio.to_thread(ended.wait, WAIT_S)
    finally:
        enough.set()
        await books.close()
