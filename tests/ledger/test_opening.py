"""Sums are right after old postings left, and changed opening balances are found."""

import asyncio
from contextlib import closing
from typing import Any, Final

import apsw
import asyncpg

from tests.ledger.maintenance.test_archive import Kept, kept
from tests.ledger.planted import run_sql

__all__ = ["kept"]

_VIEW: Final = """
    SELECT bank, link, level, house, contributions, corrections, transfers, "primary", reserve, overflow,
        awards, money_in, money_out, difference
    FROM conservation ORDER BY bank, link, level
"""


async def _view_of_postgres(url: str) -> list[tuple[Any, ...]]:
    connection = await asyncpg.connect(url)
    try:
        return [tuple(row) for row in await connection.fetch(_VIEW)]
    finally:
        await connection.close()


def conservation(url: str) -> list[tuple[Any, ...]]:
    """What an auditor reads of the view that shows M4, in either database."""
    if url.startswith("sqlite"):
        with closing(
            apsw.Connection(url.removeprefix("sqlite:///"), apsw.SQLITE_OPEN_READONLY)
        ) as connection:
            return list(connection.execute(_VIEW))
    return asyncio.run(_view_of_postgres(url))


def test_the_view_of_conservation_is_right_whatever_left(kept: Kept) -> None:
    """M4: what was put in and awarded since the first row, also after a second archive: no part of it."""
    before = conservation(kept.url)
    kept.seal()
    assert conservation(kept.url) == before
    kept.more(3)
    after = conservation(kept.url)
    kept.seal()
    assert conservation(kept.url) == after != before
    with kept.whole():
        assert conservation(f"sqlite:///{kept.file}") == after
    assert kept.verified().problems == ()


def test_a_whole_ledger_has_no_opening_balance(kept: Kept) -> None:
    """S8: who writes one into a ledger of which nothing left would change its sums; verify names the line."""
    assert kept.verified().problems == ()
    run_sql(kept.url, "INSERT INTO opening VALUES (1, 1, 1, 1, 5, 0, 0, -5, 0, 0, 0, 0)")
    (problem,) = kept.verified().problems
    assert "opening of link 1 level 1 at row 1" in problem


def test_opening_balances_of_no_bank_are_found(kept: Kept) -> None:
    """S3: each line belongs to a bank that has a name."""
    run_sql(kept.url, "INSERT INTO opening VALUES (7, 1, 1, 1, 5, 0, 0, -5, 0, 0, 0, 0)")
    assert "opening has rows of bank number 7" in " ".join(kept.verified().problems)
