"""Reports of mystery links: each jackpot is explained by the wagers of its cycle; none fails on them."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from jackpot.ledger.open import open_reader
from jackpot.ledger.reading import Reader
from jackpot.ledger.verify.verifier import verify
from jackpot.reports.registry import REPORTS
from jackpot.reports.report import ReportRefused
from jackpot.rules.acts.hits import Correct, Undo, Validate
from jackpot.rules.acts.links import Resume, Suspend
from jackpot.rules.acts.meters import CorrectMeter
from jackpot.rules.acts.parameters import ChangeLink
from jackpot.rules.acts.rounds import Reopen, VoidRound
from jackpot.rules.commitment import RAW_BYTES
from jackpot.rules.paytable import TableTerms
from jackpot.rules.state import Hit, Table
from tests.frames import Bet, Close, Lock, Void, Wager
from tests.ledger.waiting import open_ledger
from tests.reports.asked import said
from tests.reports.season import Season
from tests.rules import floor
from tests.rules.rounds.test_mystery import level, mystery

TWO = ("ann", "bob")
WANTED = {"hit": 1}


class Seeded:
    """Random bytes of a seed."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)

    def raw(self, _link: int, _level: int) -> bytes:
        return self._random.randbytes(RAW_BYTES)


class MysterySeason(Season):
    """Days of two tables on two mystery links: rounds, voids, undone and corrected awards, changed terms.

    hits: every one ever made, as it stood last.
    """

    LINKS = mystery(), mystery("N", level("mega", 5, 30, 1_000), level("minor", 1, 4, 700))

    def __init__(self, seed: int, days: int, steps: int) -> None:
        self.hits: dict[int, Hit] = {}
        was = floor.LINKS, floor.TABLES
        floor.LINKS, floor.TABLES = self.LINKS, tuple(map(_table, ("T1", "T2")))  # type: ignore[assignment,misc]  # for the base alone
        try:
            super().__init__(seed, days, steps)
        finally:
            floor.LINKS, floor.TABLES = was  # type: ignore[misc]  # as above

    def _step(self) -> None:
        self.engine.chance = Seeded(self.asked)
        rng, state = self.random, self.engine.state
        table = rng.choice(state.tables)
        match rng.randrange(12):
            case 0:
                self._about_a_hit()
            case 1 if table.closed is not None:
                round_ = table.closed.id
                for number in table.closed.hits:
                    self.ask(Undo(f"H{number}", "phantom round"), None, *TWO)
                self.ask(Reopen("T1" if table.number == 1 else "T2", round_, "jam"), None, *TWO)
                command = VoidRound if rng.random() < 0.7 else None
                if command is not None:
                    self.ask(command(table.terms.table, round_, "jam"), None, *TWO)
                else:
                    self.ask(Close(round_), table)
            case 2 if rng.random() < 0.3:
                more = rng.choice((-1, 1)) * rng.randrange(1, 300) * 10_000
                self.ask(CorrectMeter("M", "meter", more, "found"), None, *TWO)
            case 3 if rng.random() < 0.2:
                self.ask(Suspend("operator", ("M",), "terms"), None, *TWO)
                terms = mystery("M", level(a=10, b=20 + rng.randrange(3), rate=900 + rng.randrange(3) * 100))
                self.ask(ChangeLink(terms, "terms"), None, *TWO)
                self.ask(Resume("operator", ("M",), "terms"), None, *TWO)
            case _:
                self._round(table)
        self.hits |= state.hits

    def _round(self, table: Table) -> None:
        rng = self.random
        if table.unfinished() is not None:
            self.ask(Close(table.unfinished().id), table)  # type: ignore[union-attr]  # it is there
        self.rounds += 1
        name, seats = f"r{self.rounds}", rng.sample(range(1, 8), rng.randrange(1, 8))
        bets = [Bet(seat, link, 500) for seat in seats for link in ("M", "N") if rng.random() < 0.7]
        if not bets:
            return
        self.ask(Wager(name, tuple(bets)), table)
        chips = {link: sum(bet.link == link for bet in bets) for link in ("M", "N")}
        self.ask(Lock(name, chips), table)
        self.ask(Void(name, "misdeal") if rng.random() < 0.1 else Close(name), table)

    def _about_a_hit(self) -> None:
        rng, hits = self.random, list(self.engine.state.hits.values())
        if not hits:
            return
        hit = rng.choice(hits)
        match rng.randrange(3):
            case 0:
                self.ask(Undo(f"H{hit.number}", "phantom round"), None, *TWO)
            case 1:
                self.ask(Validate(f"H{hit.number}"), None, "ann")
            case _:
                cents = max(0, hit.awards[0].amount // 10_000 + rng.randrange(-300, 300))
                self.ask(Correct(f"A{hit.awards[0].number}", cents, "read again"), None, *TWO)


def _table(name: str) -> TableTerms:
    return TableTerms(name, "any", 7, ("M", "N"), max_rounds_per_minute=1_000)


@pytest.fixture(scope="module")
def mysteries() -> MysterySeason:
    return MysterySeason(5, 3, 120)


@pytest.fixture(scope="module")
def mystery_books(tmp_path_factory: pytest.TempPathFactory, mysteries: MysterySeason) -> Iterator[Reader]:
    url = f"sqlite:///{Path(tmp_path_factory.mktemp('mystery')) / 'ledger.db'}"
    with closing(open_ledger(url)) as ledger:
        mysteries.write(ledger)
    with closing(open_reader(url)) as reader:
        yield reader


def test_the_season_has_what_is_hard(mysteries: MysterySeason) -> None:
    """Y3, Y4, Y11: won and undone awards, refunds of every kind, other terms."""
    links = mysteries.engine.state.links
    levels = [level for link in links for level in link.levels]
    assert all(level.hits > 10 for level in levels)
    assert all(level.undone_hits and level.undone_wagers for level in levels)
    assert any(level.accounts.overflow for level in levels)
    assert len(mysteries.hits) > 100
    for one in levels:
        assert one.mystery is not None
        assert one.accounts.primary < (one.mystery.terms.must_hit_by or 0)
        assert one.mystery.start <= one.mystery.decided < (one.mystery.terms.must_hit_by or 0)


def test_every_mystery_is_explained(mysteries: MysterySeason, mystery_books: Reader) -> None:
    """L10, Y3, Y4: to the micro-dollar, by the wagers of its own cycle alone."""
    for number, hit in mysteries.hits.items():
        report = said(mystery_books, "explain", hit=number)
        assert report.problems == [], report
        for award in hit.awards:
            lines = [line for line in report.rows if line["award"] == f"A{award.number}"]
            (total,) = [line for line in lines if line["part"] == "total"]
            assert total["amount"] == (award.worth() if award.stands() else 0)
            (grown,) = [line for line in lines if line["part"] == "meter"]
            steps = [line for line in lines if line["part"] == "how it grew"]
            assert grown["amount"] == sum(line["amount"] for line in steps)
            assert {line["cycle"] for line in steps} <= {hit.cycle, hit.cycle - 1}


@pytest.mark.parametrize("name", sorted(REPORTS))
def test_each_report_has_mystery_links(name: str, mystery_books: Reader) -> None:
    """S1: as any other; one that cannot be made of them says why."""
    try:
        report = said(mystery_books, name, **WANTED)
    except ReportRefused:
        return
    assert not report.problems, report.problems


def test_verify_decides_every_close_again(mystery_books: Reader) -> None:
    """S8, Y2: from the raw bytes of the journal."""
    report = verify(mystery_books, floor.BANK)
    assert (list(report.problems), report.head.seq > 300) == ([], True)
