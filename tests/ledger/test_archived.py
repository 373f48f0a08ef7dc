"""Proof of the rows that stay after archiving, and the match of ledger and archive."""

import shutil
from contextlib import closing
from pathlib import Path
from typing import Final

import pytest
from msgspec.structs import replace

from jackpot.bank.signed_head_check import check_head
from jackpot.ledger.archived import cut_of, cuts, digest_of_staying, staying, untrue_cuts
from jackpot.ledger.maintenance import archive as sealing
from jackpot.ledger.open import open_reader
from jackpot.ledger.reading import STAYS
from jackpot.ledger.rebuild import rebuild
from jackpot.ledger.sqlite.store import SqliteLedger
from jackpot.ledger.store import LedgerCorrupt
from jackpot.ledger.verify.verifier import VerifyOptions
from jackpot.reports.what_if import ReplayRefused, what_if
from jackpot.rules.acts.archives import Archived
from jackpot.rules.signing import People
from tests.ledger.conftest import Place
from tests.ledger.forger import Forger
from tests.ledger.maintenance.test_archive import Kept, head_of, kept
from tests.ledger.maintenance.test_copy import write
from tests.ledger.verify.test_verifier import spoil
from tests.ledger.waiting import backup

__all__ = ["kept"]

# What somebody may do to a sealed ledger who writes to its database, and what is said of it.
DEEDS: Final = {
    "a row that stayed": ("UPDATE journal SET at = at + 1 WHERE seq = 2", "some stayed"),
    "its money": ("UPDATE posting SET house = house - 1, awards = awards + 1 WHERE seq = 2", "some stayed"),
    "a row that stayed is gone": ("DELETE FROM journal WHERE seq = 2", "some stayed"),
    "a hit's entry": ("DELETE FROM hit_entry WHERE seq < 30", "some stayed"),
    "money of a row that left": (
        "INSERT INTO posting VALUES (1, 7, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0)",
        "posting has a line of row 7, which is archived",
    ),
    "a frame that nobody sent": (
        "INSERT INTO journal SELECT 1, 7, at, 1, 1, 1, 1, 1, 1, digest, body, hash FROM journal LIMIT 1",
        "row 7 is archived, and here as well",
    ),
    "a row after the cut": ("DELETE FROM journal WHERE seq = 90", "missing"),
    "the row that says so": ("DELETE FROM journal WHERE kind = 85", "missing"),
    "an opening balance": (
        "UPDATE opening SET house = house - 1, awards = awards + 1 WHERE level = 0",
        "is not what the sealed state has",
    ),
    "an opening balance is gone": ("DELETE FROM opening WHERE level = 1", "none stored"),
}  # fmt: skip


@pytest.mark.parametrize("deed", DEEDS)
def test_what_is_left_is_proved(tmp_path: Path, deed: str) -> None:
    """S8: verify finds what was done to the rows that stayed, or to the cut, also without the archive."""
    kept = Kept(Place(f"sqlite:///{tmp_path / 'ledger.db'}"), tmp_path)
    kept.seal()
    statement, said = DEEDS[deed]
    spoil(tmp_path / "ledger.db", statement)
    assert said in " ".join(kept.verified().problems)
    kept.ledger.close()


FORGED: Final = (
    ("hash", bytes(32)),
    ("epoch", 7),
    ("version", 9),
    ("since", 3),
    ("stays", bytes(32)),
    ("seq", 60),
)


@pytest.mark.parametrize(("name", "value"), FORGED)
def test_a_forged_cut_is_found(tmp_path: Path, name: str, value: object) -> None:
    """S8: who takes rows away and appends the row that would excuse it is found, by the archive at last."""
    path = tmp_path / "ledger.db"
    kept = Kept(Place(f"sqlite:///{path}"), tmp_path)
    backup(kept.ledger, kept.file)
    cut = sealing._compared(kept.ledger, kept.file, kept.plan(), lambda _done, _of: None)
    kept.ledger.close()
    forger = Forger(path)
    forged = replace(cut, **{name: value})
    forger.append(Archived(forged, People(("anna", "ben")), "forged"))
    spoil(
        path,
        f"DELETE FROM posting WHERE seq <= {cut.seq} AND seq IN (SELECT seq FROM journal WHERE NOT {STAYS})",
        f"DELETE FROM journal WHERE seq <= {cut.seq} AND NOT {STAYS}",
    )
    kept.ledger = SqliteLedger(path)
    assert kept.with_archive() != ()
    kept.ledger.close()


@pytest.mark.parametrize(("name", "value"), [("seq", 2**63), ("gone", 2**63), ("gone", 0), ("gone", 99)])
def test_a_cut_that_no_rule_decides_is_none(tmp_path: Path, name: str, value: int) -> None:
    """S8: a start and verify name the row, also where no database has rows of such numbers."""
    path = tmp_path / "ledger.db"
    kept = Kept(Place(f"sqlite:///{path}"), tmp_path)
    one = kept.seal()
    ((_, cut),) = cuts(kept.ledger, "main")
    kept.ledger.close()
    Forger(path).append(Archived(replace(cut, **{name: value}), People(("anna", "ben")), "forged"))
    kept.ledger = SqliteLedger(path)
    row = kept.ledger.head("main").seq
    (problem,) = kept.verified().problems
    assert f"row {row} (archived): the rules cannot decide it" in problem
    assert cut_of(kept.ledger, "main") == cut
    assert one.upto == cut.seq
    with pytest.raises(LedgerCorrupt, match=rf"row {row} \(archived\)"):
        rebuild(kept.ledger, "main")
    kept.ledger.close()


def test_rows_that_stayed_are_read_once_for_all_cuts(kept: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    """S8: the proof of a ledger that was sealed many times takes one pass over what stayed."""
    monkeypatch.setattr("jackpot.ledger.archived.PAGE_ROWS", 1)

    def statements() -> int:
        asked: list[None] = []
        kept.ledger.check = lambda: asked.append(None)
        assert untrue_cuts(kept.ledger, "main") == []
        kept.ledger.check = lambda: None
        return len(asked)

    kept.seal()
    once = statements()
    kept.more(3)
    kept.seal()
    newest = cuts(kept.ledger, "main")[0][1]
    rows = len(list(staying(kept.ledger, "main", newest.seq)))
    assert once < statements() < 4 * rows


def test_a_second_row_that_excuses_a_change_is_found(tmp_path: Path) -> None:
    """S8: whatever is said later of the rows that stayed, the first `archived` row goes on naming them."""
    path = tmp_path / "ledger.db"
    kept = Kept(Place(f"sqlite:///{path}"), tmp_path)
    kept.seal()
    spoil(path, "UPDATE journal SET at = at + 1 WHERE seq = 2")
    ((_, cut),) = cuts(kept.ledger, "main")
    kept.ledger.close()
    with closing(SqliteLedger(path)) as ledger:
        forged = replace(cut, stays=digest_of_staying(ledger, "main", cut.seq))
    Forger(path).append(Archived(forged, People(("anna", "ben")), "forged"))
    kept.ledger = SqliteLedger(path)
    assert "some stayed" in " ".join(kept.verified().problems)
    kept.ledger.close()


def test_heads_and_a_known_hash_of_old_rows(kept: Kept) -> None:
    """S8: a head that was signed of a row which left is held against the archive, if that is there."""
    before = kept.rows()
    one = kept.seal()
    gone = next(row for row in before if row.seq not in {left.seq for left in kept.rows()})
    assert gone.seq < one.upto
    for known, archive, sound in (
        (gone.hash, True, True),
        (gone.hash, False, False),
        (bytes(32), True, False),
    ):
        found = kept.with_archive(known) if archive else kept.verified(known=known).problems
        assert (found == ()) is sound
    for hash_, wrong in ((gone.hash, 0), (bytes(32), 1)):
        assert [len(found) for found in kept.signed(gone.seq, hash_)] == [0, wrong]
    with pytest.raises(LedgerCorrupt, match="is archived: compare them"):
        check_head(kept.ledger, head_of(gone.seq, gone.hash))
    with pytest.raises(ReplayRefused, match="are archived"):
        what_if(kept.ledger, "main", "three", lambda terms: terms, lambda _done, _of: None)


def test_an_archive_of_another_time_is_none(kept: Kept, tmp_path: Path) -> None:
    """S8: one from before the cut, one that goes on otherwise, and a ledger that lacks rows itself."""
    early = tmp_path / "early.db"
    with closing(SqliteLedger(early)) as ledger:
        write(ledger, kept.season.rows[:20])
    kept.seal()
    other = tmp_path / "other.db"
    shutil.copyfile(kept.file, other)
    Forger(other).append(Archived(cuts(kept.ledger, "main")[0][1], People(("eve", "mal")), "other"))
    said_of = {early: "the archive ends at row 20", other: "that the ledger does not have"}
    if isinstance(kept.ledger, SqliteLedger):
        said_of[kept.ledger.path] = "lacks rows itself"
    for file, said in said_of.items():
        with closing(open_reader(f"sqlite:///{file}")) as archive:
            assert said in " ".join(kept.verified(VerifyOptions(archive=archive)).problems)
