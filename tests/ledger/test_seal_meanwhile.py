"""Readers of a ledger are told when old rows leave meanwhile, without a false alarm."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from threading import Thread

import pytest

from jackpot.ledger.maintenance import backup, copy
from jackpot.ledger.maintenance.copy import NotACopy
from jackpot.ledger.open import opened
from jackpot.ledger.store import LedgerUnusable
from jackpot.ledger.verify.verifier import VerifyOptions, verify
from jackpot.reports.what_if import ReplayRefused, what_if
from tests.ledger.conftest import Place
from tests.ledger.maintenance.test_archive import Kept, kept

__all__ = ["kept"]


def once(work: Callable[[], object]) -> Callable[[int], None]:
    """Does it when it is called with a number above 0 for the first time; in a thread of its own."""
    done: list[Thread] = []

    def call(number: int) -> None:
        if number and not done:
            done.append(Thread(target=work))
            done[0].start()
            done[0].join()

    return call


def test_a_proof_says_that_rows_left_and_names_no_row(
    kept: Kept, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S8: rows that leave while they are verified are not called missing; the next proof holds."""
    monkeypatch.setattr("jackpot.ledger.verify.verifier.PAGE_ROWS", 10)
    reader, let_go = place.read(), once(kept.seal)
    with pytest.raises(LedgerUnusable, match="old rows left for an archive while this was read"):
        verify(reader, "main", options=VerifyOptions(progress=lambda done, _of: let_go(done)))
    assert kept.with_archive() == ()


def test_a_backup_of_rows_that_left_is_none(
    kept: Kept, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S3: a backup during which rows leave leaves no file, and says where they are."""
    monkeypatch.setattr(copy, "PAGE_ROWS", 10)
    file, let_go = tmp_path / "backup.db", once(kept.seal)

    async def back_up() -> None:
        async with opened(kept.url, readonly=True) as source:
            await backup.backup(source, file, lambda _what, done, _of: let_go(done))

    with pytest.raises(NotACopy, match="bring a copy of the archive up to date"):
        asyncio.run(back_up())
    assert list(tmp_path.glob("backup.db*")) == [tmp_path / "backup.db-lock"]
    assert kept.with_archive() == ()


def test_no_other_floor_is_played_from_half_a_journal(
    kept: Kept, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S8: what-if reads every wager; where some left meanwhile it says so."""
    monkeypatch.setattr("jackpot.reports.read.entries.PAGE", 10)
    reader, let_go = place.read(), once(kept.seal)
    asked = iter(range(1_000))
    reader.check = lambda: let_go(next(asked) // 12)
    with pytest.raises(ReplayRefused, match="are archived"):
        what_if(reader, "main", "three", lambda terms: terms, lambda _done, _of: None)
