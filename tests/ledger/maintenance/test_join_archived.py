"""A joined bank is archived, backed up and restored as any other, with what was corrected there (A10, S8)."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from random import Random

import pytest

from jackpot.ledger.journal import Snapshot, row_of
from jackpot.ledger.open import open_reader
from jackpot.ledger.reading import Reader
from jackpot.ledger.rebuild import rebuild
from jackpot.ledger.verify.verifier import VerifyOptions, verify
from jackpot.rules.acts.hits import Correct
from jackpot.rules.acts.links import Resume, Suspend
from jackpot.rules.acts.snapshot_seals import SNAPSHOT_FORMAT, SnapshotSeal
from jackpot.rules.commands import Envelope
from jackpot.rules.outcome import Outcome
from tests.ledger.conftest import Place
from tests.ledger.maintenance.test_archive import Kept
from tests.ledger.maintenance.test_join import NOW
from tests.ledger.season import Season
from tests.ledger.waiting import Ledger, backup, join
from tests.reports.asked import said

JOINED = "floor"


class Onward(Season):
    """The season of a bank that was joined, in the bank that it became."""

    def __init__(self, ledger: Ledger) -> None:
        self.random = Random(2)
        self.engine, head = rebuild(ledger, JOINED)
        self.rows = ledger.rows(JOINED, 0, 10_000)
        self.snapshots: list[Snapshot] = []
        self.epoch, self.acts, self.rounds = head.epoch, 1_000, 1_000
        self.new_epoch(head.epoch + 1)

    def _do(self, envelope: Envelope) -> Outcome:
        outcome = self.engine.execute(envelope)
        if outcome.entry is not None:
            self.rows.append(row_of(JOINED, self.epoch, outcome.entry, self.rows[-1].hash))
        return outcome

    def seal(self) -> Snapshot:
        last = self.rows[-1]
        made = Snapshot(JOINED, last.seq, last.hash, SNAPSHOT_FORMAT, self.engine.snapshot())
        self.act(SnapshotSeal())
        return made

    def write(self, ledger: Ledger, after: int = 0) -> None:
        for row in self.rows[after:]:
            while ledger.head(JOINED).epoch < row.epoch:
                ledger.new_epoch(JOINED, "server")
            ledger.append(JOINED, row.epoch, row.seq - 1, [row])
        for snapshot in self.snapshots:
            ledger.save_snapshot(snapshot)


@contextmanager
def onward(ledger: Ledger) -> Iterator[Onward]:
    """The joined bank goes on; what is played within is written at the end."""
    season = Onward(ledger)
    known = len(season.rows)
    yield season
    season.write(ledger, known)


def first_award(season: Onward) -> tuple[str, str]:
    """The names that H1 and A1 of the bank before have here."""
    (part,) = season.engine.state.parts
    return f"H{1 + part.hits.moved}", f"A{1 + part.awards.moved}"


def sound(ledger: Reader, archive: Reader | None = None) -> None:
    for bank in ("main", JOINED):
        assert verify(ledger, bank, options=VerifyOptions(archive=archive)).problems == ()


@pytest.mark.parametrize("first", ["archived", "whole"])
def test_a_hit_of_before_the_join_is_told_as_by_the_whole_ledger(
    place: Place, tmp_path: Path, first: str
) -> None:
    """A10, L10: rows of either bank left for the archive; forms and accounts of the hit stay the same."""
    kept = Kept(place, tmp_path)
    if first == "archived":
        assert kept.seal().leaving > 20
    with kept.going_on() as season:
        season.does(Suspend("operator", (), "one room"), "anna")
    join(kept.ledger, ("main",), JOINED, "anna", "one room", NOW)
    with onward(kept.ledger) as later:
        later.does(Resume("operator", (), "one room"), "anna")
        hit, award = first_award(later)
        later.does(Correct(award, 5_000_12, "misread", "W-9"), "anna", "ben")
        for _ in range(5):
            later.weeks()
            later.win()
            later.weeks()
            later.snapshots.append(later.seal())
    assert kept.seal().leaving > 20
    asked = {"hit": int(hit[1:]), "banks": (JOINED,)}
    with kept.whole() as whole:
        sound(kept.ledger, whole)
        sound(whole)
        for report in ("slip", "payout"):
            told = said(kept.ledger, report, **asked, archive=lambda: whole)
            if first == "archived" and report == "payout":
                assert told.facts.pop("cards from") == "the archive"
            assert told == said(whole, report, **asked)
            assert told.facts["amount"] == 5_000_120_000
        if first == "whole":
            assert said(kept.ledger, "explain", **asked) == said(whole, "explain", **asked)
    assert rebuild(kept.ledger, JOINED)[0].snapshot()


def test_a_backup_has_the_correction_and_goes_on(place: Place, tmp_path: Path) -> None:
    """A10, S8: in a copy of the ledger the hit is corrected once more."""
    kept = Kept(place, tmp_path)
    with kept.going_on() as season:
        season.does(Suspend("operator", (), "one room"), "anna")
    join(kept.ledger, ("main",), JOINED, "anna", "one room", NOW)
    with onward(kept.ledger) as later:
        hit, award = first_award(later)
        later.does(Correct(award, 5_000_12, "misread", "W-9"), "anna", "ben")
    backup(kept.ledger, kept.file)
    with closing(open_reader(f"sqlite:///{kept.file}")) as copied:
        sound(copied)
        engine, _ = rebuild(copied, JOINED)
    assert engine.snapshot() == later.engine.snapshot()
    again = Envelope(Correct(award, 5_000_13, "misread", "W-9"), NOW, 0, b"y" * 16, people=("anna", "ben"))
    assert engine.execute(again).of_act().ok
    assert engine.state.paid[int(hit[1:])].awards[0].worth() == 5_000_130_000
