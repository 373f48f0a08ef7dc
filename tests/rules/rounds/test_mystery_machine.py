"""Whatever tables and people do: each cycle of a mystery has one winner, no second draw (Y2-Y4, Y11)."""

from random import Random
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, invariant, rule

from jackpot.rules.acts.hits import Correct, Undo, Validate, payments
from jackpot.rules.acts.links import OpenLink, Resume, Suspend
from jackpot.rules.acts.meters import CorrectMeter
from jackpot.rules.acts.parameters import ChangeLink
from jackpot.rules.acts.rounds import Reopen, VoidRound
from jackpot.rules.acts.tables import OpenTable
from jackpot.rules.commitment import RAW_BYTES
from jackpot.rules.events import Closed
from jackpot.rules.paytable import TableTerms
from jackpot.rules.rounds.mystery import COUNTED_FROM
from jackpot.rules.state import Level
from tests.frames import Bet, Close, Lock, Unbet, Void, Wager, Withdraw
from tests.rules.rounds.test_mystery import level, mystery
from tests.rules.subject import PEOPLE, OfEngine

TABLES = ("T1", "T2")
LEVELS = level("mega", 5, 9, 1_000), level("minor", 1, 2, 700)


class SeededChance:
    """Random bytes of a seed; it counts how often it was asked."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)
        self.asked = 0

    def raw(self, _link: int, _level: int) -> bytes:
        self.asked += 1
        return self._random.randbytes(RAW_BYTES)


class MysteryFloor(RuleBasedStateMachine):
    """Two tables on a mystery link of two levels; an auditor decides every entry again (S8)."""

    rounds = Bundle("rounds")

    @initialize(seed=st.integers(0, 2**32))
    def begin(self, seed: int) -> None:
        self.subject = OfEngine()
        self.chance = self.subject.engine.chance = SeededChance(seed)
        assert self.subject.execute(OpenLink(mystery("M", *LEVELS))).answer["ok"]
        for name in TABLES:
            terms = TableTerms(name, "any", 7, ("M",), max_rounds_per_minute=10_000)
            assert self.subject.execute(OpenTable(terms)).answer["ok"]
        self.count = 0
        self.decided: dict[int, tuple[int, int]] = {}
        self.winners: set[tuple[int, int]] = set()

    @property
    def levels(self) -> list[Level]:
        found: list[Level] = self.subject.link("M").levels
        return found

    def frame(self, table: str, command: Any) -> dict[str, Any]:
        found = self.subject.engine.table(table)
        assert found is not None
        return self.subject.execute(command, table=table, table_seq=found.last_seq + 1).answer

    def act(self, command: Any) -> bool:
        return bool(self.subject.execute(command, people=PEOPLE).answer["ok"])

    @rule(table=st.sampled_from(TABLES), seats=st.sets(st.integers(1, 7), min_size=1), wrong=st.booleans())
    def play(self, table: str, seats: set[int], wrong: bool) -> None:
        self.count += 1
        name = f"R{self.count}"
        bets = tuple(Bet(seat, "M", 500) for seat in sorted(seats))
        if self.frame(table, Wager(name, bets))["t"] != "ack":
            return
        if wrong:
            self.frame(table, Lock(name, {"M": len(seats) + 1}))
            before = self.chance.asked
            assert self.frame(table, Close(name))["code"] == "chip_mismatch"
            assert self.chance.asked == before
        self.frame(table, Lock(name, {"M": len(seats)}))
        self.close(table, name)

    @rule(table=st.sampled_from(TABLES), seats=st.sets(st.integers(1, 7), min_size=2))
    def play_and_void(self, table: str, seats: set[int]) -> None:
        self.count += 1
        name, before = f"R{self.count}", (self.chance.asked, [one.accounts.copy() for one in self.levels])
        if self.frame(table, Wager(name, tuple(Bet(seat, "M", 500) for seat in sorted(seats))))["t"] == "ack":
            self.frame(table, Withdraw(name, (Unbet(min(seats), "M"),)))
            assert self.frame(table, Void(name, "misdeal"))["t"] == "ack"
        assert (self.chance.asked, [one.accounts for one in self.levels]) == before

    @rule(table=st.sampled_from(TABLES), void=st.booleans())
    def reopen(self, table: str, void: bool) -> None:
        found = self.subject.engine.table(table)
        assert found is not None
        if found.closed is None or found.closed.state != "closed":
            return
        name, hits = found.closed.id, list(found.closed.hits)
        if void:
            for number in hits:
                self.act(Undo(f"H{number}", "phantom round"))
        if not self.act(Reopen(table, name, "again")):
            return
        before = self.chance.asked
        if not (void and self.act(VoidRound(table, name, "again"))):
            assert self.frame(table, Close(name))["t"] == "ack"
        assert self.chance.asked == before

    @rule(
        number=st.integers(0, 30),
        what=st.sampled_from(("undo", "validate", "pay", "correct")),
        cents=st.integers(0, 1_500),
    )
    def about_a_hit(self, number: int, what: str, cents: int) -> None:
        hits = list(self.subject.engine.state.hits.values())
        if not hits:
            return
        hit = hits[number % len(hits)]
        match what:
            case "undo":
                self.act(Undo(f"H{hit.number}", "phantom round"))
            case "validate":
                self.act(Validate(f"H{hit.number}"))
            case "pay":
                for payment in payments(hit, "W"):
                    self.act(payment)
            case _:
                self.act(Correct(f"A{hit.awards[0].number}", cents, "read again", document="W-9"))

    @rule(place=st.integers(0, 1), cents=st.integers(-500, 500))
    def correct_meter(self, place: int, cents: int) -> None:
        self.act(CorrectMeter("M", LEVELS[place].level, cents * 10_000, "found"))

    @rule(more=st.integers(0, 3))
    def change(self, more: int) -> None:
        self.act(Suspend("operator", ("M",), "terms"))
        self.act(ChangeLink(mystery("M", level("mega", 5, 9 + more, 1_000), LEVELS[1]), "terms"))
        self.act(Resume("operator", ("M",), "terms"))

    @rule()
    def restart(self) -> None:
        self.subject.take_over()
        self.subject.engine.chance = self.chance

    def close(self, table: str, name: str) -> None:
        cycles = [one.cycle for one in self.levels]
        answer = self.frame(table, Close(name))
        assert answer["t"] == "ack"
        event = self.subject._last_event()
        assert isinstance(event, Closed)
        for take in event.made.takes:
            assert take.order >= COUNTED_FROM
            cycle = cycles[take.level - 1]
            cycles[take.level - 1] += 1
            assert (take.level, cycle) not in self.winners, "two winners of one cycle"
            self.winners.add((take.level, cycle))
        assert cycles == [one.cycle for one in self.levels]

    @invariant()
    def no_meter_passes_its_highest_sum(self) -> None:
        """Y2: somebody has won before; and what was decided never falls within a cycle."""
        for one in self.levels if hasattr(self, "subject") else ():
            assert one.mystery is not None
            most = one.mystery.terms.must_hit_by or 0
            assert 0 <= one.accounts.primary < most
            assert one.mystery.decided < most
            cycle, before = self.decided.get(one.number, (0, 0))
            if cycle == one.cycle:
                assert one.mystery.decided >= before
            self.decided[one.number] = one.cycle, one.mystery.decided

    @invariant()
    def money_is_conserved(self) -> None:
        """M4, Y4: every account, and what waits for refunds is never more than the overflow had."""
        for one in self.levels if hasattr(self, "subject") else ():
            accounts = one.accounts
            assert sum(accounts.values()) == 0
            assert min(accounts.primary, accounts.overflow, accounts.awards, one.wagers) >= 0
            assert accounts.reserve == 0
            assert one.wins == accounts.awards

    def teardown(self) -> None:
        if hasattr(self, "subject"):
            assert self.subject.engine.snapshot() == self.subject.auditor.snapshot()


TestMysteryFloor = MysteryFloor.TestCase
TestMysteryFloor.settings = settings(max_examples=40, stateful_step_count=40, deadline=None)
