"""The golden ledgers of every release verify with the code of today."""

import shutil
from contextlib import closing
from pathlib import Path
from typing import Final

import pytest

from jackpot.ledger.rebuild import rebuild
from jackpot.ledger.sqlite.store import SqliteLedger
from jackpot.ledger.verify.verifier import verify
from jackpot.rules.acts import ACT_BY, snapshot_seals
from jackpot.rules.acts.banks import BeginBank, CloseBank
from jackpot.rules.acts.ends import EndLink
from jackpot.rules.acts.links import OpenLink
from jackpot.rules.registry import KINDS
from tests.faults.terms import ACTIONS
from tests.ledger import golden
from tests.ledger.waiting import copy, open_ledger

# What moves money, and the model follows in words of its own, or ends the bank that it follows. An announced
# end moves what a closing does, which it follows: tests/rules/acts/test_ends.py holds the two together.
FOLLOWED: Final = (OpenLink, EndLink, CloseBank, BeginBank)


@pytest.fixture(autouse=True)
def seals_are_as_far_apart_as_a_servers(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is kept for ever holds by the rules of the program, and not by those of tests."""
    monkeypatch.setattr(snapshot_seals, "SEAL_MIN", snapshot_seals.SEAL_STEP)


def test_every_golden_ledger_is_listed() -> None:
    """DESIGN, the ledger: a golden ledger of each release, and the hash that its head must have."""
    assert {path.stem for path in golden.FOLDER.glob("*.db")} == golden.heads().keys() != set()


@pytest.mark.parametrize("version", golden.heads())
def test_a_golden_ledger_verifies_for_ever(version: str, tmp_path: Path) -> None:
    """S3, M4: chain, postings, meters and snapshots of a ledger that an older program wrote."""
    path = Path(shutil.copy(golden.FOLDER / f"{version}.db", tmp_path))
    ledger = SqliteLedger(path)
    report = verify(ledger, "main", bytes.fromhex(golden.heads()[version]))
    assert report.problems == ()
    assert report.head.hash.hex() == golden.heads()[version]
    _, head = rebuild(ledger, "main")
    assert head == report.head
    for bank in ledger.banks():
        assert verify(ledger, bank).problems == ()
        assert {row.kind for row in ledger.rows(bank, 0, 1_000)} <= KINDS.keys()
    ledger.close()


@pytest.mark.parametrize("version", golden.heads())
def test_a_golden_ledger_loads_into_postgresql(version: str, tmp_path: Path, database: str) -> None:
    """S3, M4: as it is, row for row the same there, with epochs, hashes and snapshots, and it verifies."""
    path = Path(shutil.copy(golden.FOLDER / f"{version}.db", tmp_path))
    head = bytes.fromhex(golden.heads()[version])
    with closing(SqliteLedger(path, readonly=True)) as source, closing(open_ledger(database)) as loaded:
        copied = copy(source, loaded)[0]
        assert copied.head.hash == head
        report = verify(loaded, "main", head)
        assert report.problems == ()
        assert (report.head.seq, report.head.hash) == (copied.rows, head)
        assert loaded.rows("main", 0, 1_000) == source.rows("main", 0, 1_000)
        assert loaded.newest_snapshot("main") == source.newest_snapshot("main")
        rebuild(loaded, "main")


def test_a_golden_ledger_has_everything_in_it(tmp_path: Path) -> None:
    """DESIGN, the ledger, M4: what is made for the next release has every kind of event, and verifies."""
    head = golden.make(tmp_path / "next.db")
    ledger = SqliteLedger(tmp_path / "next.db")
    assert verify(ledger, "main", head).problems == ()
    rows = [row for bank in ledger.banks() for row in ledger.rows(bank, 0, 1_000)]
    assert {row.kind for row in rows} == KINDS.keys()
    moved = {ACT_BY[KINDS[row.kind]].command for row in rows if row.postings and KINDS[row.kind] in ACT_BY}
    assert moved <= {*ACTIONS, *FOLLOWED}, "no act moves money unseen by the model"
    assert ledger.newest_snapshot("main") is not None
    ledger.close()
