"""Commitments in reports: opened ones are judged from their own start (Y5), and what each became (Y12)."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final

import pytest
from msgspec.structs import replace

from jackpot.ledger.open import open_reader
from jackpot.ledger.reading import Reader
from jackpot.ledger.verify.verifier import verify
from jackpot.reports.random_numbers import RandomNumbers
from jackpot.rules import registry
from jackpot.rules.acts.links import OpenLink, Suspend
from jackpot.rules.acts.meters import CloseLink, CorrectMeter
from jackpot.rules.acts.tables import OpenTable
from jackpot.rules.acts.triggers import RenewTriggers, ReplaceTriggers, TriggersRenewed, due
from jackpot.rules.commitment import CommitmentId
from jackpot.rules.events import Closed, TriggerCommitted, TriggerOpened
from jackpot.rules.invariant import require
from jackpot.rules.paytable import TableTerms
from jackpot.rules.rounds import mystery as mystery_rules
from jackpot.rules.state import Commitment, Link
from tests.frames import Bet, Close, Wager
from tests.ledger.seeded_triggers import SeededTriggers
from tests.ledger.waiting import open_ledger
from tests.reports.asked import said
from tests.reports.season import Season
from tests.rules import floor
from tests.rules.rounds.test_mystery import mystery

TWO: Final = ("ann", "bob")
LINK: Final = "committed"
TABLE: Final = "T-committed"
# Rounds of seven wagers; a cycle of $10 to $20 takes two of them in the mean.
ROUNDS: Final = 400


class Low(SeededTriggers):
    """A house that draws two triggers, and commits to the lower one: each row proves as well."""

    def commit(
        self, least: CommitmentId, above: int, upto: int, *, people: bool = False
    ) -> TriggerCommitted | None:
        made = [super(Low, self).commit(least, above, upto, people=people) for _ in range(2)]
        return min(made, key=lambda one: self.kept[one.digest].value if one else 0)


class Committed(Season):
    """Rounds on a committed link, whose running trigger people replace now and then."""

    def __init__(self, triggers: SeededTriggers, rounds: int = ROUNDS) -> None:
        super().__init__(1, 0, 0)
        self.engine.triggers = triggers
        self.ask(OpenLink(replace(mystery(LINK), form="committed")))
        self.renew()
        self.ask(OpenTable(TableTerms(TABLE, "any", 7, (LINK,), max_rounds_per_minute=1_000_000)))
        table = self.engine.state.tables[-1]
        for number in range(rounds):
            bets = tuple(Bet(seat, LINK, 500) for seat in range(1, 8))
            self.ask(Wager(f"c{number}", bets, lock=True, chips={LINK: 7}), table)
            self.ask(Close(f"c{number}"), table)
            if number % 7 < 2:  # the second one mostly above the minimum
                self.ask(ReplaceTriggers((LINK,), "a copy of the key"), None, *TWO)
                self.renew()

    def renew(self) -> None:
        if any(True for _ in due(self.engine.state)):
            self.ask(RenewTriggers())

    def opened(self) -> tuple[list[TriggerOpened], list[TriggerOpened]]:
        """The triggers that were won, and those that were replaced."""
        won, replaced = list[TriggerOpened](), list[TriggerOpened]()
        for row in self.rows:
            event = registry.decode(row.kind, row.version, row.body)
            if isinstance(event, Closed):
                won += [one for counted in event.counted for one in counted.opened]
            elif isinstance(event, TriggersRenewed):
                replaced += [one.opened for one in event.levels if one.opened is not None]
        return won, replaced

    @property
    def link(self) -> Link:
        return self.engine.state.links[-1]

    def running(self) -> Commitment:
        return require(mystery_rules.cycle_of(self.link.levels[0]).commitment, "a commitment")

    def act(self, command: Any) -> None:
        self.ask(command, None, *TWO)
        self.renew()


class Witnessed(SeededTriggers):
    """A source whose witness knows so many commitments that the ledger lacks. lacks: once."""

    lacks = 0

    def commit(
        self, least: CommitmentId, above: int, upto: int, *, people: bool = False
    ) -> TriggerCommitted | None:
        lacks, self.lacks = self.lacks, 0
        return super().commit(replace(least, number=least.number + lacks), above, upto, people=people)


@contextmanager
def books(folder: Path, season: Season) -> Iterator[Reader]:
    url = f"sqlite:///{folder / 'ledger.db'}"
    with closing(open_ledger(url)) as ledger:
        season.write(ledger)
    with closing(open_reader(url)) as reader:
        yield reader


def test_every_opened_commitment_is_judged(tmp_path: Path) -> None:
    """Y5, Y12: won and replaced ones, a replaced one from its own start; fair ones are not improbable."""
    season = Committed(SeededTriggers(1))
    won, replaced = season.opened()
    assert len(won) > 150
    assert len(replaced) > 50
    assert {one.above for one in replaced} > {10_000_000}
    with books(tmp_path, season) as ledger:
        found = said(ledger, "fairness", first="2000-01-01", link=LINK)
        assert not verify(ledger, bank=floor.BANK).problems
    assert found.facts["random numbers of mystery links"] == len(won) + len(replaced)
    assert not [row for row in found.rows if row["verdict"]]
    numbers = RandomNumbers()
    for one in (*won, *replaced):
        numbers.opened(one.above, one.value, one.upto, one.raw)
    wanted = {str(finding.what): finding.observed for finding in numbers.findings()}
    told = {str(row["what"]): row["observed"] for row in found.rows if row["link"] == LINK}
    half = "random numbers in the lower half"
    assert told[half] == wanted[half]
    assert {what for what in told if what.startswith("raw bits")} != set()


def test_what_became_of_each_commitment_that_nobody_won(tmp_path: Path) -> None:
    """Y12: replaced by whom and why, lost with the ledger's rows, running; and never a running trigger."""
    triggers = Witnessed(3)
    season = Committed(triggers, rounds=0)
    numbers = [season.running()]
    season.act(ReplaceTriggers((LINK,), "a copy of the key"))
    numbers.append(season.running())
    season.act(CorrectMeter(LINK, "meter", 1_500_000, "case 9", "primary"))
    numbers.append(season.running())
    triggers.lacks = 2
    season.act(ReplaceTriggers((LINK,), "an older copy of the ledger"))
    last = season.running()
    with books(tmp_path, season) as ledger:
        found = said(ledger, "commitments")
        assert said(ledger, "commitments", link=LINK).rows == found.rows
        assert said(ledger, "commitments", link=floor.LINKS[0].link).rows == []
        assert not verify(ledger, bank=floor.BANK).problems
    told = [
        (row["number"], str(row["became"]), str(row["opened"]), row["by"], row["reason"])
        for row in found.rows
    ]
    assert told == [
        ("1", "replaced", "opened", "triggers_replaced", "a copy of the key"),
        ("2", "replaced", "opened", "meter_corrected", "case 9"),
        ("3", "replaced", "opened", "triggers_replaced", "an older copy of the ledger"),
        (
            "4-5",
            "lost with rows of the ledger",
            "never opened",
            "triggers_replaced",
            "an older copy of the ledger",
        ),
        ("6", "it runs", "not yet", "", ""),
    ]
    digests = [one.digest.hex() for one in numbers]
    assert [row["commitment"] for row in found.rows] == [*digests, "", last.digest.hex()]
    assert found.facts == {"commitments that run": 1, "commitments that were never opened": 1}
    assert all(row["who"] for row in found.rows[:4])
    secret = triggers.kept[last.digest]
    for trace in (str(secret.value), f"{secret.value / 1e6:.2f}", secret.salt.hex(), secret.raw.hex()):
        assert trace not in repr(found)


@pytest.mark.parametrize("lost", [False, True])
def test_a_lost_trigger_is_listed_for_ever(tmp_path: Path, *, lost: bool) -> None:
    """Y12: also once its link has ended; one that was there is opened as its link ends."""
    triggers = SeededTriggers(3)
    season = Committed(triggers, rounds=0)
    last = season.running()
    if lost:
        triggers.kept.clear()
    season.ask(Suspend("operator", (LINK,), "the end"), None, *TWO)
    season.act(CloseLink(LINK, "the key is lost"))
    assert season.link.closed
    with books(tmp_path, season) as ledger:
        (row,) = said(ledger, "commitments").rows
        assert not verify(ledger, bank=floor.BANK).problems
    assert (row["link"], row["level"], row["cycle"], row["number"]) == (LINK, "meter", last.cycle, "1")
    assert (row["commitment"], row["row"]) == (last.digest.hex(), season.rows[-1].seq)
    became = (str(row["became"]), str(row["opened"]), row["reason"])
    assert became == ("ended with its link", "never opened" if lost else "opened", "the key is lost")


def test_a_house_that_commits_to_low_triggers_is_found(tmp_path: Path) -> None:
    """Y5: every row of it verifies; what players see of the sums paid would say less."""
    season = Committed(Low(2))
    with books(tmp_path, season) as ledger:
        found = said(ledger, "fairness", first="2000-01-01", link=LINK)
        assert not verify(ledger, bank=floor.BANK).problems
    improbable = {str(row["what"]) for row in found.rows if row["verdict"] == "improbable"}
    assert "random numbers in the lower half" in improbable
