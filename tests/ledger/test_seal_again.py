"""Running `ledger seal` again: which rows leave, and which stay for a jackpot that waits."""

from pathlib import Path

import pytest

from jackpot.ledger.rebuild import rebuild
from jackpot.rules.acts.tables import Release
from tests.ledger.conftest import Place
from tests.ledger.maintenance.test_archive import HOW, Interrupted, Kept, years
from tests.ledger.season import TABLE, Season
from tests.ledger.waiting import seal
from tests.reports.asked import said


@pytest.mark.parametrize("order", ["less, more, less", "more, less, more"])
def test_what_was_said_last_is_done(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, order: str
) -> None:
    """S4, S8: two seals with other --older-than are interrupted, and the first of them is run again."""
    for written in ("jackpot.ledger.sqlite.store.kept_apart", "jackpot.ledger.postgres.rows.kept_apart"):
        monkeypatch.setattr(written, lambda _snapshot: 1)
    season = Season()
    years(season)
    kept = Kept(place, tmp_path, season)
    seqs = {"less": season.snapshots[1].seq, "more": season.snapshots[3].seq}
    asked = {name: HOW._replace(before_ms=season.rows[seq].at + 1) for name, seq in seqs.items()}

    def stop(what: str, done: int, _of: int) -> None:
        if "deleting" in what and not done:
            raise Interrupted

    first, second, again = order.split(", ")
    for name in (first, second):
        with pytest.raises(Interrupted):
            seal(kept.ledger, kept.file, asked[name], stop)
    (one,) = seal(kept.ledger, kept.file, asked[again])
    assert (one.upto, kept.verified().archived) == (seqs[again], seqs[again])
    rebuild(kept.ledger, "main")
    assert kept.with_archive() == ()


def test_the_cycle_of_an_award_that_waits_stays(place: Place, tmp_path: Path) -> None:
    """L10, A10: it is explained before it is paid, also where a later award of its meter is paid already."""
    season = Season()
    waits = season.won()
    season.does(Release(TABLE, "photographed"), "anna")
    for _ in range(2):
        season.win()
        season.weeks()
        season.snapshots.append(season.seal())
    season.win()
    kept = Kept(place, tmp_path, season)
    award = season.engine.state.hits[int(waits[1:])].awards[0]
    held = kept.plan().held
    assert f"the cycle of A{award.number} of {waits}, which waits, began in row" in held
    seal(kept.ledger, kept.file, HOW)
    asked = {"hit": int(waits[1:]), "banks": ("main",)}
    with kept.whole() as whole:
        assert said(kept.ledger, "explain", **asked) == said(whole, "explain", **asked)
