"""After archiving, each next hit is explained from the beginning of its cycle, as by the whole ledger.

The oracle is the archive, brought up to date: it is whole from row 1.
"""

from hashlib import sha256
from pathlib import Path

from controllers.answers import Ack
from jackpot.ledger.journal import row_of
from jackpot.ledger.rebuild import rebuild
from jackpot.rules.acts.links import OpenLink, Resume, Suspend
from jackpot.rules.acts.tables import OpenTable
from jackpot.rules.commands import Envelope
from jackpot.rules.paytable import TableTerms
from tests import frames
from tests.frames import Bet, Claim, numbered
from tests.ledger.conftest import Place
from tests.ledger.maintenance.test_archive import Kept
from tests.ledger.maintenance.test_join import NOW
from tests.ledger.play import NEW
from tests.ledger.season import Season
from tests.ledger.waiting import join
from tests.reports.asked import said


def sealed(place: Place, folder: Path, season: Season) -> Kept:
    """Its ledger without its old rows."""
    kept = Kept(place, folder, season)
    assert kept.seal().leaving > 20
    return kept


def explained(kept: Kept, hits: list[str], banks: tuple[str, ...] = ("main",)) -> None:
    """Each is explained as in the whole ledger, with no problem."""
    with kept.whole() as whole:
        for hit in hits:
            found = said(kept.ledger, "explain", hit=int(hit[1:]), banks=banks)
            assert found.problems == []
            assert found == said(whole, "explain", hit=int(hit[1:]), banks=banks)


class Won(Season):
    """A win right after the sealed state that becomes the cut, before any reading."""

    def __init__(self) -> None:
        super().__init__()
        for _ in range(3):
            self.weeks()
        self.snapshots.append(self.seal())
        self.win()
        for _ in range(2):
            self.weeks()
            self.snapshots.append(self.seal())


def test_the_next_hits_are_explained_after_an_archive(place: Place, tmp_path: Path) -> None:
    """L10: the cycle began with a win that no reading stands before in the rows that are here."""
    kept = sealed(place, tmp_path, Won())
    with kept.going_on() as season:
        hits = []
        for _ in range(2):
            season.weeks()
            hits.append(season.win())
    explained(kept, hits)


def test_the_hits_of_a_link_that_opened_after_the_cut_are_explained(place: Place, tmp_path: Path) -> None:
    """L10: its first cycle began with its opening, and all of it is here."""
    kept = sealed(place, tmp_path, Season())
    with kept.going_on() as season:
        season.does(OpenLink(NEW))
        season.does(OpenTable(TableTerms("T03", "let-it-ride", 7, ("new",))))
        season.frame("T03", frames.Wager("first", (Bet(1, "new", 500),), lock=True))
        settle = frames.Settle("first", (Claim(1, ("As", "Ks", "Qs")),), close=True)
        settled = season.frame("T03", settle).answer
        assert isinstance(settled, Ack)
    explained(kept, [settled.awards[0].hit])


def test_a_hit_of_a_joined_bank_is_explained_after_an_archive(place: Place, tmp_path: Path) -> None:
    """L10: the cycle began in a bank whose old rows left before it became part of another."""
    kept = sealed(place, tmp_path, Won())
    with kept.going_on() as season:
        season.does(Suspend("operator", (), "one room"), "anna")
    join(kept.ledger, ("main",), "floor", "anna", "one room", NOW)
    kept.ledger.new_epoch("floor", "test")
    engine, head = rebuild(kept.ledger, "floor")
    told: list[Ack] = []
    for command, people, table in (
        (Resume("operator", (), "one room"), ("anna",), None),
        (frames.Wager("royal", (Bet(1, "three", 500),), lock=True), (), "T01"),
        (frames.Settle("royal", (Claim(1, ("As", "Ks", "Qs")),), close=True), (), "T01"),
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


def test_a_cycle_that_an_undo_would_join_stays(place: Place, tmp_path: Path) -> None:
    """L10, A11: while the award that ended a cycle waits for people, that cycle may go on."""
    season = Season()
    season.does(OpenTable(TableTerms("T02", "let-it-ride", 7, ("three",))))
    began = season.rows[-1].seq + 2
    season.win()
    season.weeks()
    season.snapshots.append(season.seal())
    season.frame("T02", frames.Wager("royal", (Bet(1, "three", 500),), lock=True))
    settle = frames.Settle("royal", (Claim(1, ("As", "Ks", "Qs")),), close=True)
    assert season.frame("T02", settle).entry is not None
    for _ in range(2):
        season.weeks()
        season.snapshots.append(season.seal())
    kept = Kept(place, tmp_path, season)
    one = kept.plan()
    assert (one.upto, one.held) == (0, f"the cycle of three meter began in row {began} (L10)")
