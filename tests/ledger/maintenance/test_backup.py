"""A backup is one proved file, and restores to the same ledger."""

from contextlib import AbstractAsyncContextManager, closing
from pathlib import Path

import pytest

from jackpot.ledger.banks import COPY_HOLDER
from jackpot.ledger.journal import Row
from jackpot.ledger.maintenance.copy import NotACopy
from jackpot.ledger.open import opened
from jackpot.ledger.rebuild import rebuild
from jackpot.ledger.sqlite.store import SqliteLedger
from jackpot.ledger.store import LedgerCorrupt, LedgerUnusable, Store
from jackpot.ledger.verify.verifier import verify
from jackpot.rules.acts.links import Suspended
from jackpot.rules.acts.programs import ProgramBegan
from jackpot.rules.registry import decode
from tests.ledger.maintenance.test_copy import ROWS, played, played_to, source, write
from tests.ledger.material import rows
from tests.ledger.play import START_MS
from tests.ledger.verify.test_verifier import spoil
from tests.ledger.waiting import Ledger, backup, open_ledger, restore
from tests.ledgers import KINDS, Fresh

__all__ = ["played", "source"]


def backed_up(file: Path) -> list[Row]:
    with closing(SqliteLedger(file, readonly=True)) as ledger:
        return ledger.rows("main", 0, 10_000)


@pytest.mark.parametrize("source", KINDS, indirect=True)
def test_a_backup_is_one_file(source: Ledger, played: list[Row], tmp_path: Path) -> None:
    """S3: a whole ledger in one file, readable where nothing can be written; the next adds to it."""
    folder = tmp_path / "backups"
    folder.mkdir()
    file = folder / "night.db"
    backup(source, file)
    assert backed_up(file) == played
    assert sorted(path.name for path in folder.iterdir()) == ["night.db", "night.db-lock"]
    more = played_to(ROWS + 30)[0]
    write(source, more, after=len(played))
    (copied,) = backup(source, file)
    assert copied.rows == len(more) - len(played)
    assert backed_up(file) == more
    assert sorted(path.name for path in folder.iterdir()) == ["night.db", "night.db-lock"]


class Interrupted(BaseException):
    """Simulated power failure."""


def interrupt(_what: str, done: int, of: int) -> None:
    if done == of:
        raise Interrupted


def test_an_interrupted_backup_is_not_there(source: Ledger, played: list[Row], tmp_path: Path) -> None:
    """S4: until all is proved the name is not taken, or still the earlier backup's; then it goes on."""
    file = tmp_path / "night.db"
    with pytest.raises(Interrupted):
        backup(source, file, interrupt)
    assert not file.exists()
    backup(source, file)
    write(source, played_to(ROWS + 30)[0], after=len(played))
    before = file.read_bytes()
    with pytest.raises(Interrupted):
        backup(source, file, interrupt)
    assert file.read_bytes() == before
    assert backed_up(file) == played
    assert not file.with_name("night.db.part").exists()


def test_a_backup_takes_nobodys_place(source: Ledger, fresh: Fresh, tmp_path: Path) -> None:
    """DESIGN, the ledger: neither a server's own file nor another ledger's backup is replaced."""
    assert isinstance(source, SqliteLedger)
    with pytest.raises(LedgerUnusable, match="in use by process"):
        backup(source, source.path)
    with closing(SqliteLedger(tmp_path / "other.db")) as other:
        other.new_epoch("main", COPY_HOLDER)
        other.append("main", 1, 0, rows(5))
    before = (tmp_path / "other.db").read_bytes()
    with pytest.raises(NotACopy, match="row 5 of the target is not the source's"):
        backup(source, tmp_path / "other.db")
    assert (tmp_path / "other.db").read_bytes() == before
    (tmp_path / "live.db").touch()
    (tmp_path / "live.db-wal").touch()
    with pytest.raises(LedgerUnusable, match="that a server writes, or wrote"):
        backup(source, tmp_path / "live.db")


@pytest.mark.parametrize("to", KINDS)
def test_a_backup_comes_back(
    source: Ledger, fresh: Fresh, played: list[Row], tmp_path: Path, to: str
) -> None:
    """S3, S4, S9: into an empty ledger alone, whose banks then wait for two people."""
    file = tmp_path / "night.db"
    backup(source, file)
    url = fresh(to)
    (copied,) = restore(file, lambda: opened(url), START_MS)
    assert copied.rows == len(played)
    with pytest.raises(LedgerUnusable, match="the target is not empty"):
        restore(file, lambda: opened(url), START_MS)
    with closing(open_ledger(url)) as ledger:
        *restored, began, last = ledger.rows("main", 0, 10_000)
        assert restored == played
        assert began.kind == ProgramBegan.kind
        assert isinstance(decode(last.kind, last.version, last.body), Suspended)
        engine, head = rebuild(ledger, "main")
        assert all("restored" in link.suspended for link in engine.state.links)
        assert not verify(ledger, "main").problems
        assert ledger.new_epoch("main", "server").epoch > head.epoch > played[-1].epoch


def test_a_spoiled_backup_is_not_restored(source: Ledger, fresh: Fresh, tmp_path: Path) -> None:
    """S3: the file is proved before the ledger is even made."""
    file = tmp_path / "night.db"
    backup(source, file)
    spoil(file, "UPDATE posting SET awards = awards + 1, house = house - 1 WHERE seq = 2")

    def never() -> AbstractAsyncContextManager[Store]:
        raise AssertionError("a ledger was opened")

    with pytest.raises(LedgerCorrupt, match="row 2 "):
        restore(file, never, START_MS)
