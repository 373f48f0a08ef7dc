"""Recomputing a level from its short history gives the same as a recount of everything.

The recount here keeps every wager and every award one by one, for ever, and counts them again in plain
steps; the history under test keeps counts between awards and folds what can no longer change.
"""

from dataclasses import dataclass, field
from typing import Any, Final

from hypothesis import given, settings
from hypothesis import strategies as st

from jackpot.rules import commands
from jackpot.rules.acts.hits import Undo, Validate
from jackpot.rules.acts.rounds import Reopen
from jackpot.rules.meter import Accounts, contribute
from jackpot.rules.meter import take as take_now
from jackpot.rules.paytable import LevelTerms
from jackpot.rules.rounds.undo import (
    AwardShare,
    LevelPoint,
    MeterMove,
    MeterTake,
    PlayedTerms,
    due_of,
    floor_of,
    new_history,
    replay,
)
from tests import frames
from tests.faults.worked.form import Link, Table
from tests.rules.subject import PEOPLE, OfEngine

CENT: Final = 10_000
WHOLE: Final = 10_000
SEED: Final = 50_000_000
WAGER: Final = 1_000_000
LEVELS: Final = (
    LevelTerms("meter", 5_033, 1_207, SEED, 0),
    LevelTerms("meter", 5_033, 1_207, SEED, SEED, 53_000_000),
    LevelTerms("meter", 2_100, 0, SEED, SEED // 2),
)


@dataclass
class Happened:
    """One wager, or one award when `rate` is set, and what became of it.

    moved: to the primary, the reserve and the overflow, by people. terms: from here on.
    """

    seq: int
    primary: int = 0
    reserve: int = 0
    rate: int = 0
    amount: int = 0
    paid: bool = False
    undone: bool = False
    finished: bool = False
    moved: tuple[int, int, int] = (0, 0, 0)
    terms: LevelTerms | None = None
    wagers: int = 0


@dataclass
class Recount:
    """All that happened on a level, counted from the start each time."""

    terms: LevelTerms
    floor_to_seed: bool
    events: list[Happened] = field(default_factory=list)

    def accounts(self) -> Accounts:
        terms = self.terms
        primary, reserve, overflow, house, wagers, awards = terms.seed, 0, 0, -terms.seed, 0, 0
        corrections, reset = 0, terms.reseed
        for event in self.events:
            if event.undone:
                continue
            terms = event.terms or terms
            if not event.rate:
                held = [sum(both) for both in zip((primary, reserve, overflow), event.moved, strict=True)]
                primary, reserve, overflow = (max(0, sum_) for sum_ in held)
                corrections -= sum(event.moved)
                house += sum(min(0, sum_) for sum_ in held)
                primary, reserve = primary + event.primary, reserve + event.reserve
                wagers -= event.primary + event.reserve
            else:
                due = primary * event.rate // WHOLE // CENT * CENT
                if not event.paid:
                    event.amount = max(event.amount, due)
                primary -= min(due, event.amount)
                house -= event.amount - min(due, event.amount)
                awards += event.amount
                if event.rate == WHOLE:
                    reset = terms.reseed
                    primary, house = primary + reset + reserve + overflow, house - reset
                    reserve = overflow = 0
                elif self.floor_to_seed and primary < reset:
                    primary, house = reset, house - (reset - primary)
            if terms.limit is not None and primary > terms.limit:
                primary, overflow = terms.limit, overflow + primary - terms.limit
        return Accounts(primary, reserve, overflow, house, wagers, awards, corrections)


class Both:
    """A level's history as the engine keeps it, next to the recount."""

    def __init__(self, terms: LevelTerms, *, floor_to_seed: bool) -> None:
        self.terms = terms
        self.floor_to_seed = floor_to_seed
        self.recount = Recount(terms, floor_to_seed)
        self.history = new_history(terms, WAGER, floor_to_seed=floor_to_seed)
        self.accounts = self.history.base.copy()

    def seq(self) -> int:
        return len(self.recount.events) + 1

    def wager(self, count: int) -> None:
        primary, reserve = count * self.terms.primary * 100, count * self.terms.reserve * 100
        self.recount.events.append(Happened(self.seq(), primary, reserve, wagers=count))
        contribute(self.accounts, self.terms, primary, reserve)
        self.history.wagers += count

    def take(self, rate: int) -> None:
        seq, share = self.seq(), AwardShare(self.seq(), 0)
        share.amount = due_of(self.accounts.primary, rate, [share], share)
        self.recount.events.append(Happened(seq, rate=rate, amount=share.amount))
        take_now(
            self.accounts,
            self.terms,
            rate=rate,
            from_meter=share.amount,
            total=share.amount,
            floor=floor_of(self.history),
        )
        self.history.insert((seq, 1), MeterTake(rate, [share]), self.history.wagers)

    def undo(self, event: Happened) -> None:
        event.undone = True
        if event.rate:
            for share in self.history.shares():
                share.undone = share.undone or share.award == event.seq
        else:
            for _ in range(event.wagers):
                self.history.drop(event.seq)
        self.accounts = replay(self.history).accounts

    def move(self, pick: int) -> None:
        """Two people put some millions in, or take what there is of them, from each account in turn (L8)."""
        change = Accounts()
        account, amount = ("primary", "reserve", "overflow")[pick % 3], (pick % 7 - 3) * 1_000_000
        held = getattr(self.accounts, account)
        room = 10**12 if self.terms.limit is None or account != "primary" else self.terms.limit - held
        amount = min(max(amount, -held), room)
        setattr(change, account, amount)
        change.corrections = -amount
        moved = (change.primary, change.reserve, change.overflow)
        seq = self.seq()
        self.recount.events.append(Happened(seq, moved=moved))
        self.accounts.add(change)
        self.history.points.append(LevelPoint((seq, 0), self.history.wagers, moved=MeterMove(change)))

    def change(self, pick: int) -> None:
        """Two people change rates, reseed and limit (L7, L9)."""
        limit = max(self.accounts.primary, SEED) if pick % 2 else None
        self.terms = LevelTerms("meter", 1_000 + pick * 10, pick * 5, SEED, SEED // (pick + 1), limit)
        seq = self.seq()
        self.recount.events.append(Happened(seq, terms=self.terms))
        played = PlayedTerms(self.terms, self.floor_to_seed)
        self.history.points.append(LevelPoint((seq, 0), self.history.wagers, played=played))

    def pay(self, event: Happened) -> None:
        event.paid = True
        for share in self.history.shares():
            share.paid = share.paid or share.award == event.seq

    def fold(self) -> None:
        open_ = [event.seq for event in self.recount.events if event.primary and not event.finished]
        needed = min(open_, default=self.seq())
        self.history.fold(needed)

    def step(self, what: str, pick: int) -> None:
        """Let one thing happen, if it can."""
        events = self.recount.events
        wagers = [e for e in events if e.primary and not e.finished and not e.undone]
        awards = [e for e in events if e.rate and not e.paid and not e.undone]
        if what == "wager":
            self.wager(pick % 7 + 1)
        elif what == "take":
            self.take((WHOLE, 1_000, 3_333)[pick % 3])
        elif what == "fold":
            self.fold()
        elif what == "move":
            self.move(pick)
        elif what == "change":
            self.change(pick)
        elif what == "finish" and wagers:
            wagers[pick % len(wagers)].finished = True
        elif what == "void" and wagers:
            self.undo(wagers[pick % len(wagers)])
        elif what == "undo" and awards:
            self.undo(awards[pick % len(awards)])
        elif what == "pay" and awards:
            self.pay(awards[pick % len(awards)])


STEPS: Final = ("wager", "wager", "take", "finish", "void", "undo", "pay", "fold", "move", "change")


@given(
    st.sampled_from(LEVELS),
    st.booleans(),
    st.lists(st.tuples(st.sampled_from(STEPS), st.integers(0, 20)), min_size=15, max_size=80),
)
@settings(max_examples=300, deadline=None)
def test_a_history_gives_what_a_full_recount_gives(
    terms: LevelTerms, floor_to_seed: bool, steps: list[tuple[str, int]]
) -> None:
    """A11, A2, A4, L7-L9: as if the undone had not been made, whatever came after and was folded away."""
    both = Both(terms, floor_to_seed=floor_to_seed)
    for what, pick in steps:
        both.step(what, pick)
        assert both.accounts == both.recount.accounts()
        amounts = {event.seq: event.amount for event in both.recount.events}
        assert all(share.undone or share.amount == amounts[share.award] for share in both.history.shares())


def test_folding_keeps_apart_what_a_void_may_still_take_back() -> None:
    """A11, L7: a void after a folding frees the room under the limit that its wagers had taken."""
    both = Both(LEVELS[1], floor_to_seed=False)
    both.step("wager", 6)
    both.step("take", 1)
    both.recount.events[0].finished = True
    both.pay(both.recount.events[1])
    both.step("wager", 6)
    both.step("wager", 6)
    both.step("wager", 6)
    both.recount.events[2].finished = both.recount.events[3].finished = True
    both.fold()
    assert both.accounts.primary == 53_000_000
    both.undo(both.recount.events[4])
    assert both.accounts == both.recount.accounts()


def test_what_the_recomputed_meter_cannot_give_the_house_makes_up() -> None:
    """A11: a later award already published is not lowered when the wagers before it are void."""
    both = Both(LEVELS[0], floor_to_seed=False)
    both.wager(7)
    both.take(WHOLE)
    published = both.history.shares()[0].amount
    both.undo(both.recount.events[0])
    assert both.history.shares()[0].amount == published == 53_520_000
    assert both.accounts == Accounts(primary=0, house=-published, awards=published)


def test_a_later_award_is_raised_and_a_paid_one_is_not() -> None:
    """A11: undoing the first whole-meter award gives a later unpaid one all that gathered since the seed."""
    for paid in (False, True):
        both = Both(LEVELS[0], floor_to_seed=False)
        both.take(WHOLE)
        both.wager(7)
        both.take(WHOLE)
        if paid:
            both.pay(both.recount.events[2])
        later = both.history.shares()[1].amount
        assert later == 3_520_000
        both.undo(both.recount.events[0])
        assert both.history.shares()[1].amount == (later if paid else SEED + later)
        assert both.accounts.primary == (SEED if paid else 0) + 3_100 + 844_900


ROYAL: Final = ("As", "Ks", "Qs")
BOARD: Final = ("Js", "Ts")


class Floor:
    """Two tables on one link whose meter grows by $0.21 a wager."""

    def __init__(self) -> None:
        self.subject = OfEngine()
        self.subject.open(Link("L", "pa-643a-five-card-A"))
        for name in ("T1", "T2"):
            self.subject.add(Table(name))

    def send(self, table: str, command: commands.Command) -> dict[str, Any]:
        found = self.subject.engine.table(table)
        assert found is not None
        outcome = self.subject.execute(command, table=table, table_seq=found.last_seq + 1)
        assert outcome.answer["t"] == "ack", outcome.answer
        return outcome.answer

    def act(self, command: commands.Command) -> dict[str, Any]:
        answer = self.subject.execute(command, people=PEOPLE).answer
        assert answer["ok"], answer
        return answer

    def wager(self, table: str, round_: str, seats: int = 2) -> None:
        bets = tuple(frames.Bet(seat, "L", 100) for seat in range(1, seats + 1))
        self.send(table, frames.Wager(round_, bets, lock=True))

    def royal(self, table: str, round_: str) -> int:
        """A royal at seat 1; what the meter pays for it, in cents."""
        settle = frames.Settle(round_, (frames.Claim(1, ROYAL),), BOARD, close=True)
        return int(self.send(table, settle)["awards"][0]["amount"])

    def pay(self, hit: str) -> None:
        self.act(Validate(hit))
        for payment in self.subject.payments(hit):
            self.act(payment)

    def fold_soon(self) -> None:
        """The next lock folds whatever of the level's history may be folded."""
        self.subject.engine.state.links[0].levels[0].history.fold_at = 0

    def primary(self) -> int:
        return self.subject.meters()["L", ""]["primary"]


def test_a_wager_is_taken_out_from_where_it_went_in() -> None:
    """A11, T2: wagers before, between and after two awards, each void from its own place."""
    for gone, left in (("before", 42), ("between", 42), ("after", 0)):
        floor = Floor()
        floor.send("T2", frames.Wager("before", (frames.Bet(1, "L", 100), frames.Bet(2, "L", 100))))
        if gone != "before":
            floor.send("T2", frames.Void("before", "misdeal"))
        for number in (1, 2):
            floor.wager("T1", f"r{number}", 1)
            floor.royal("T1", f"r{number}")
            floor.pay(f"H{number}")
            if gone == "between" and number == 1:
                floor.send("T2", frames.Wager(gone, (frames.Bet(1, "L", 100), frames.Bet(2, "L", 100))))
        if gone == "after":
            floor.send("T2", frames.Wager(gone, (frames.Bet(1, "L", 100), frames.Bet(2, "L", 100))))
        house = floor.subject.meters()["L", ""]["house"]
        floor.send("T2", frames.Void(gone, "misdeal"))
        made_good = floor.subject.meters()["L", ""]["house"] - house
        assert (floor.primary(), made_good) == (10_000 * 1_000_000, left * 10_000), gone


def test_a_missed_hand_is_paid_what_stood_at_its_turn() -> None:
    """T2, T10: of another table's wagers neither one that was taken back since, nor one that came since."""
    for gone, due in (("before", 42), ("after", 84)):
        floor = Floor()
        floor.send("T2", frames.Wager("before", (frames.Bet(1, "L", 100), frames.Bet(2, "L", 100))))
        floor.wager("T1", "r1")
        floor.send("T1", frames.Close("r1"))
        if gone == "before":
            floor.send("T2", frames.Void("before", "misdeal"))
            floor.send("T2", frames.Wager("after", (frames.Bet(1, "L", 100),)))
        else:
            floor.send("T2", frames.Wager("before", (frames.Bet(3, "L", 100),)))
        floor.act(Reopen("T1", "r1", "missed"))
        assert floor.royal("T1", "r1") == 1_000_000 + due
        assert floor.primary() == 10_000_210_000, "the reseeded meter has what came since"


def test_folding_keeps_what_a_closed_round_of_another_table_stands_on() -> None:
    """A11, T10: a missed royal is paid as at its turn, before a royal that was paid since."""
    floor = Floor()
    floor.wager("T2", "x1")
    floor.send("T2", frames.Close("x1"))
    floor.wager("T1", "r1")
    assert floor.royal("T1", "r1") == 1_000_084
    floor.pay("H1")
    floor.fold_soon()
    floor.wager("T1", "r2")
    floor.act(Reopen("T2", "x1", "missed"))
    assert floor.royal("T2", "x1") == 1_000_042


def test_folding_keeps_what_an_open_round_of_another_table_stands_on() -> None:
    """A11, T6: its wagers are taken out from before the royal that was paid since; the house makes it up."""
    floor = Floor()
    floor.wager("T2", "x1")
    floor.wager("T1", "r1")
    floor.royal("T1", "r1")
    floor.pay("H1")
    floor.wager("T1", "r2")
    run = frames.Settle("r2", (frames.Claim(1, ("9s", "8s", "7s")),), BOARD, close=True)
    assert floor.send("T1", run)["awards"][0]["amount"] == 100_004
    floor.pay("H2")
    floor.fold_soon()
    floor.wager("T1", "r3")
    floor.send("T2", frames.Void("x1", "misdeal"))
    assert floor.primary() == 10_000_420_000 - 1_000_040_000 + 420_000
    assert floor.subject.meters()["L", ""]["house"] == 20_000_420_000


def test_a_raised_award_is_raised_wherever_it_is_shown() -> None:
    """A11, S1: the hit among the last of its level, and the sum of the level's wins."""
    floor = Floor()
    floor.wager("T1", "r1")
    floor.royal("T1", "r1")
    floor.wager("T2", "x1")
    floor.royal("T2", "x1")
    floor.act(Undo("H1", "misdealt"))
    level = floor.subject.engine.state.links[0].levels[0]
    assert [(shown.hit, shown.amount) for shown in level.shown] == [(2, 10_000_840_000)]
    assert (level.wins, level.hits) == (10_000_840_000, 1)
