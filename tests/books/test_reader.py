"""Do pages read the books without being in anybody's way?"""

from pathlib import Path
from typing import NoReturn

import pytest

from jackpot.books import reader
from jackpot.books.reader import Books
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
