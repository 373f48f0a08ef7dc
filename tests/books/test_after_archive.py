"""Do the books say of a ledger whose old frames left what they would say of the whole one?

The oracle is the archive, brought up to date: it is whole from row 1.
"""

from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import pytest
from msgspec.structs import replace

from controllers.answers import Ack
from jackpot.books.report import Unanswerable
from jackpot.ledger.journal import row_of
from jackpot.ledger.open import open_reader
from jackpot.ledger.rebuild import rebuild
from jackpot.ledger.sqlite import SqliteLedger
from jackpot.rules.acts.links import OpenLink, Resume, Suspend
from jackpot.rules.acts.parameters import ChangeLink
from jackpot.rules.acts.readings import Reading
from jackpot.rules.acts.rounds import Reopen, VoidRound
from jackpot.rules.acts.tables import OpenTable
from jackpot.rules.commands import Envelope
from jackpot.rules.paytable import TableTerms
from tests import frames
from tests.books.asked import said
from tests.frames import Bet, Claim, Unbet, numbered
from tests.ledger.conftest import Place, place
from tests.ledger.play import NEW, THREE
from tests.ledger.season import Season
from tests.ledger.test_join import NOW
from tests.ledger.test_seal import Kept
from tests.ledger.waiting import join
from tests.program import jackpot

__all__ = ["place"]

# Of 17 %, it is half: a wager of before looks like two.
HALF: Final = replace(THREE, levels=(replace(THREE.levels[0], primary=750, reserve=100),))
LOST: Final = ("2c", "7d", "9h")
ROYAL: Final = ("As", "Ks", "Qs")
# Of which the reports tell what happened after the rows left.
AFTER: Final = "1991-01-01"
LAST: Final = "1991-01-02"


class Idle(Season):
    """A table closes a round, and then none for a year: it may be reopened all the time."""

    def idle(self) -> None:
        """Two wagers, of which one hand is settled and the other is missed."""
        self.does(OpenTable(TableTerms("T02", "let-it-ride", 7, ("three",))))
        bets = (Bet(1, "three", 500), Bet(2, "three", 500))
        assert self.frame("T02", frames.Wager("idle", bets, lock=True)).entry is not None
        settle = frames.Settle("idle", (Claim(1, LOST),), close=True)
        assert self.frame("T02", settle).entry is not None

    def halved(self) -> None:
        """Two people change the rates of the link."""
        self.does(Suspend("operator", ("three",), "a change"), "anna")
        self.does(ChangeLink(HALF, "approved"), "anna", "ben")
        self.does(Resume("operator", ("three",), "approved"), "anna", "ben")

    def years(self) -> None:
        """Enough sealed states that the first of them may become the cut."""
        for number in range(4):
            self.weeks()
            if number == 2:
                self.win()
            self.weeks()
            self.snapshots.append(self.seal())
        self.weeks()


def kept_of(place: Place, folder: Path, season: Idle, *first: Any) -> Kept:
    """Its ledger, sealed once it was played."""
    for play in first:
        play(season)
    season.years()
    kept = Kept(place, folder, season)
    assert kept.seal().leaving > 20
    return kept


def void(kept: Kept) -> None:
    """The idle round is reopened and voided by two people, a year later."""
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
    """The idle round is reopened a year later, and its missed royal settled as if at its turn."""
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
    with closing(open_reader(f"sqlite:///{other}")) as archive, pytest.raises(Unanswerable, match="archive:"):
        said(kept.ledger, "payout", hit=int(hit[1:]), archive=lambda: archive)


def explained(kept: Kept, hits: list[str], banks: tuple[str, ...] = ("main",)) -> None:
    """Each is explained as in the whole ledger, with no problem."""
    with kept.whole() as whole:
        for hit in hits:
            found = said(kept.ledger, "explain", hit=int(hit[1:]), banks=banks)
            assert found.problems == []
            assert found == said(whole, "explain", hit=int(hit[1:]), banks=banks)


class Won(Idle):
    """A win right after a sealed state, before any reading; then years."""

    def years(self) -> None:
        """The cut is where the win is next."""
        for _ in range(3):
            self.weeks()
        self.snapshots.append(self.seal())
        self.win()
        for _ in range(2):
            self.weeks()
            self.snapshots.append(self.seal())


def test_the_next_hits_are_explained_after_an_archive(place: Place, tmp_path: Path) -> None:
    """L10: the cycle began with a win that no reading stands before in the rows that are here."""
    kept = kept_of(place, tmp_path, Won())
    with kept.going_on() as season:
        hits = []
        for _ in range(2):
            season.weeks()
            hits.append(season.win())
    explained(kept, hits)


def test_the_hits_of_a_link_that_opened_after_the_cut_are_explained(place: Place, tmp_path: Path) -> None:
    """L10: its first cycle began with its opening, and all of it is here."""
    kept = kept_of(place, tmp_path, Idle(), Idle.idle)
    with kept.going_on() as season:
        season.does(OpenLink(NEW))
        season.does(OpenTable(TableTerms("T03", "let-it-ride", 7, ("new",))))
        season.frame("T03", frames.Wager("first", (Bet(1, "new", 500),), lock=True))
        settled = season.frame("T03", frames.Settle("first", (Claim(1, ROYAL),), close=True)).answer
        assert isinstance(settled, Ack)
    explained(kept, [settled.awards[0].hit])


def test_a_hit_of_a_joined_bank_is_explained_after_an_archive(place: Place, tmp_path: Path) -> None:
    """L10: the cycle began in a bank whose old rows left before it became part of another."""
    kept = kept_of(place, tmp_path, Won())
    with kept.going_on() as season:
        season.does(Suspend("operator", (), "one room"), "anna")
    join(kept.ledger, ("main",), "floor", "anna", "one room", NOW)
    kept.ledger.new_epoch("floor", "test")
    engine, head = rebuild(kept.ledger, "floor")
    told: list[Ack] = []
    for command, people, table in (
        (Resume("operator", (), "one room"), ("anna",), None),
        (frames.Wager("royal", (Bet(1, "three", 500),), lock=True), (), "T01"),
        (frames.Settle("royal", (Claim(1, ROYAL),), close=True), (), "T01"),
    ):
        own = engine.table(table) if table else None
        sent = numbered(command, own.last_seq + 1) if own else command
        digest = sha256(repr(command).encode()).digest()[:16]
        outcome = engine.execute(Envelope(sent, NOW, NOW, digest, table=table, people=people))
        assert outcome.entry is not None
        told += [outcome.answer] if isinstance(outcome.answer, Ack) else []
        row = row_of("floor", head.epoch, outcome.entry, head.hash)
        kept.ledger.append("floor", head.epoch, head.seq, [row])
        head = kept.ledger.head("floor")
    explained(kept, [told[-1].awards[0].hit], ("floor",))
