"""Reports on rounds whose frames are archived are the same as in the whole ledger.

The oracle is the archive, brought up to date: it is whole from row 1.
"""

from contextlib import closing
from pathlib import Path
from typing import Any, Final

import pytest
from msgspec.structs import replace

from controllers.answers import Ack
from jackpot.ledger.open import open_reader
from jackpot.ledger.sqlite.store import SqliteLedger
from jackpot.rules.acts.links import Resume, Suspend
from jackpot.rules.acts.parameters import ChangeLink
from jackpot.rules.acts.readings import Reading
from jackpot.rules.acts.rounds import Reopen, VoidRound
from jackpot.rules.acts.tables import OpenTable
from jackpot.rules.paytable import TableTerms
from tests import frames
from tests.frames import Bet, Claim, Unbet
from tests.ledger.conftest import Place, place
from tests.ledger.maintenance.test_archive import Kept
from tests.ledger.play import THREE
from tests.ledger.season import Season
from tests.program import jackpot
from tests.reports.asked import said, unanswerable

__all__ = ["place"]

# Of 17 %, it is half: a wager of before looks like two.
HALF: Final = replace(THREE, levels=(replace(THREE.levels[0], primary=750, reserve=100),))
LOST: Final = ("2c", "7d", "9h")
ROYAL: Final = ("As", "Ks", "Qs")
# Of which the reports tell what happened after the rows left.
AFTER: Final = "1991-01-01"
LAST: Final = "1991-01-02"


class Idle(Season):
    """A table that closes a round, and then has none for a year: it can be reopened all the time."""

    def idle(self) -> None:
        """A round of two wagers, of which one hand is settled and the other is missed."""
        self.does(OpenTable(TableTerms("T02", "let-it-ride", 7, ("three",))))
        bets = (Bet(1, "three", 500), Bet(2, "three", 500))
        assert self.frame("T02", frames.Wager("idle", bets, lock=True)).entry is not None
        settle = frames.Settle("idle", (Claim(1, LOST),), close=True)
        assert self.frame("T02", settle).entry is not None

    def halved(self) -> None:
        """Two people halve the rates of the link."""
        self.does(Suspend("operator", ("three",), "a change"), "anna")
        self.does(ChangeLink(HALF, "approved"), "anna", "ben")
        self.does(Resume("operator", ("three",), "approved"), "anna", "ben")

    def years(self) -> None:
        """Writes enough snapshots that the first of them may become the cut."""
        for number in range(4):
            self.weeks()
            if number == 2:
                self.win()
            self.weeks()
            self.snapshots.append(self.seal())
        self.weeks()


def kept_of(place: Place, folder: Path, season: Idle, *first: Any) -> Kept:
    """The ledger of a floor, archived after play."""
    for play in first:
        play(season)
    season.years()
    kept = Kept(place, folder, season)
    assert kept.seal().leaving > 20
    return kept


def void(kept: Kept) -> None:
    """Two people reopen and void the idle round, a year later."""
    with kept.going_on() as season:
        season.does(Reading(AFTER))
        for act in (Reopen, VoidRound):
            season.does(act("T02", "idle", "a wrong deck"), "anna", "ben")


@pytest.mark.parametrize("report", ["contributions", "cost", "wagers"])
def test_a_round_of_the_archive_is_taken_back_at_its_own_rates(
    place: Place, tmp_path: Path, report: str
) -> None:
    """L9, A11: two wagers of before a change of the rates, voided after it, are two wagers less."""
    kept = kept_of(place, tmp_path, Idle(), Idle.idle, Idle.halved)
    void(kept)
    assert kept.verified().problems == ()
    found = said(kept.ledger, report, first=LAST)
    with kept.whole() as whole:
        assert found == said(whole, report, first=LAST)
    assert found.problems == []
    of_table = [row for row in found.rows if row["table"] == "T02"]
    if report == "wagers":
        assert [row["what"] for row in of_table] == ["void", "void"]
    else:
        assert [row["wagers"] for row in of_table] == [-2]


def test_a_round_on_both_sides_of_the_cut_is_taken_back_whole(place: Place, tmp_path: Path) -> None:
    """T6: of its wagers some frames are archived and some are here; all of them go back."""
    season = Idle()
    season.idle()
    season.frame("T02", frames.Wager("half", (Bet(1, "three", 500), Bet(3, "three", 500))))
    season.years()
    season.does(Reading(AFTER))
    season.frame("T02", frames.Withdraw("half", (Unbet(3, "three"),)))
    season.frame("T02", frames.Wager("half", (Bet(2, "three", 500),), lock=True))
    season.does(VoidRound("T02", "half", "a jam"), "anna")
    for name in ("other", "half"):  # an id that comes again names another round
        season.frame("T02", frames.Wager(name, (Bet(1, "three", 500),), lock=True))
        season.does(VoidRound("T02", name, "another jam"), "anna")
    kept = Kept(place, tmp_path, season)
    assert kept.seal().leaving > 20
    found = said(kept.ledger, "wagers", first=LAST)
    with kept.whole() as whole:
        assert found == said(whole, "wagers", first=LAST)
    assert found.problems == []


def missed(kept: Kept) -> str:
    """The idle round is reopened a year later, and its missed royal settled at its former turn."""
    with kept.going_on() as season:
        season.does(Reopen("T02", "idle", "a missed hand"), "anna", "ben")
        settle = frames.Settle("idle", (Claim(2, ROYAL),), close=True)
        settled = season.frame("T02", settle).answer
        assert isinstance(settled, Ack)
        return settled.awards[0].hit


def test_nobody_is_told_of_tampering_for_a_missed_hand_of_the_archive(place: Place, tmp_path: Path) -> None:
    """T10, S8: verify proves the ledger; the explanation names the archive, which has the hand's turn."""
    kept = kept_of(place, tmp_path, Idle(), Idle.idle)
    hit = missed(kept)
    assert kept.verified().problems == ()
    site = ("--currency", "USD", "--timezone", "UTC", "--day-ends", "06:00")
    done = jackpot("report", "explain", hit, "--ledger", kept.url, *site)
    assert (done.returncode, "jackpot verify" in done.stderr) == (1, False)
    assert "bring a copy of the archive up to date" in done.stderr
    with kept.whole() as whole:
        assert said(whole, "explain", hit=int(hit[1:])).problems == []


def test_a_missed_hand_of_the_archive_is_paid_on_its_form(place: Place, tmp_path: Path) -> None:
    """A10, T10: the form prints from the archive where that is given, else from the state, and says which."""
    kept = kept_of(place, tmp_path, Idle(), Idle.idle)
    hit = missed(kept)
    site = ("--currency", "USD", "--timezone", "UTC", "--day-ends", "06:00")
    form = ("report", "payout", hit, "--ledger", kept.url, *site)
    for given, source in (((), "the sealed state"), (("--archive", str(kept.file)), "the archive")):
        done = jackpot(*form, *given)
        assert (done.returncode, done.stderr) == (0, "")
        assert "cards: A♠ K♠ Q♠" in done.stdout
        assert f"cards from: {source}" in done.stdout
    told = said(kept.ledger, "payout", hit=int(hit[1:]))
    told.facts.pop("cards from")
    with kept.whole() as whole:
        assert told == said(whole, "payout", hit=int(hit[1:]))


def test_a_form_takes_no_cards_from_another_archive(place: Place, tmp_path: Path) -> None:
    """S8: the archive that is given has the very rows that left, or the form says why it is not that."""
    kept = kept_of(place, tmp_path, Idle(), Idle.idle)
    hit = missed(kept)
    other = tmp_path / "other.db"
    with closing(SqliteLedger(other)) as ledger:
        Idle().write(ledger)
    with closing(open_reader(f"sqlite:///{other}")) as archive, unanswerable("archive_refused"):
        said(kept.ledger, "payout", hit=int(hit[1:]), archive=lambda: archive)
