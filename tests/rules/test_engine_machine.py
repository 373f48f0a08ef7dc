"""The accounts balance whatever the floor does: a state machine plays at random over the whole engine.

Next to the engine stand three things that know nothing of its decisions: accounts that add up the postings of
every entry, a mirror that sees the journal alone and must come to the same state, and an elephant that
sees it, too, and never folds a level's history.
"""

from collections import defaultdict
from random import Random
from typing import Any, Final

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from jackpot.rules import commands, registry, views
from jackpot.rules import redecide as again
from jackpot.rules.acts.hits import Correct, Undo
from jackpot.rules.acts.links import OpenLink, Resume, Suspend
from jackpot.rules.acts.parameters import ChangeLink
from jackpot.rules.acts.readings import Reading
from jackpot.rules.acts.rounds import Reopen
from jackpot.rules.acts.tables import OpenTable, Release
from jackpot.rules.commands import Command, Envelope
from jackpot.rules.engine import Engine
from jackpot.rules.events import Refused
from jackpot.rules.meter import parts
from jackpot.rules.outcome import Outcome
from jackpot.rules.paytable import LinkTerms
from jackpot.rules.postings import Posting
from jackpot.rules.rounds.undo import PlayedTerms, replay
from jackpot.rules.state import Award, Level, Link, Table, Unpaid
from tests import frames
from tests.frames import numbered
from tests.nightly import repeated
from tests.rules import floor
from tests.said import told

ACCOUNTS: Final = Posting._fields[3:]
NOWHERE: Final = dict.fromkeys(ACCOUNTS, 0)
NEVER: Final = 10**9
TABLE: Final = st.integers(0, len(floor.TABLES) - 1)
CHANCE: Final = st.randoms(use_true_random=True)


def levels(engine: Engine) -> list[tuple[Link, Level]]:
    return [(link, level) for link in engine.state.links for level in link.levels]


class Floor(RuleBasedStateMachine):
    """Eight tables of three games on nine links, played by somebody who makes mistakes."""

    def __init__(self) -> None:
        super().__init__()
        self.engine = Engine(floor.BANK)
        self.mirror = Engine(floor.BANK)
        self.elephant = Engine(floor.BANK)
        self.books: dict[tuple[int, int], dict[str, int]] = defaultdict(NOWHERE.copy)
        self.awards: dict[int, Award] = {}
        self.published: dict[int, int] = {}
        self.paid: dict[int, int] = {}
        self.played: dict[int, list[LinkTerms]] = {}
        self.rounds = 0
        self.asked = 0
        self.last: tuple[Envelope, Outcome] | None = None

    # One command

    def ask(self, command: Command, table: Table | None = None, **more: Any) -> Outcome:
        """Send one command and book whatever it moved."""
        self.asked += 1
        envelope = Envelope(
            numbered(command, table.last_seq + 1) if table else command,
            at=1_700_000_000_000 + self.asked,
            tick=500 * self.asked,
            digest=self.asked.to_bytes(16, "big"),
            table=table.terms.table if table else None,
            **more,
        )
        before = self.engine.snapshot()
        outcome = self.engine.execute(envelope)
        self.last = (envelope, outcome)
        self.remember()
        if outcome.entry is None:
            assert self.engine.snapshot() == before, "a command without an entry changed the state"
        else:
            self.book(outcome)
        assert getattr(outcome.answer, "code", "") != "internal", outcome.answer
        return outcome

    def remember(self) -> None:
        """Keep every award ever made: a hit of which nothing is left to do leaves the state."""
        for hit in self.engine.state.hits.values():
            self.awards |= {award.number: award for award in hit.awards}

    def book(self, outcome: Outcome) -> None:
        """Add up the entry's postings, and let the mirror decide it again and see it (S8)."""
        entry = outcome.entry
        assert entry is not None
        decided = registry.decode(entry.kind, entry.version, entry.body)
        assert again.check(self.mirror, entry, decided) is None, decided
        for other in (self.mirror, self.elephant):
            replayed = other.replay(entry)
            assert (replayed.postings, replayed.hits) == (entry.postings, entry.hits)
        assert entry.kind != Refused.kind or not entry.postings, "a refusal moved money"
        for posting in entry.postings:
            assert sum(posting[3:]) == 0, posting
            book = self.books[posting.link, posting.level]
            for account in ACCOUNTS:
                book[account] += getattr(posting, account)
        meters = {(link.terms.link, level.terms.level) for link, level in levels(self.engine)}
        assert {(link, level) for link, level, _ in outcome.meters} <= meters

    # What the floor does

    @initialize()
    def open(self) -> None:
        for terms in floor.LINKS:
            assert self.ask(OpenLink(terms)).of_act().ok
            self.played[len(self.played) + 1] = [terms]
        for table in floor.TABLES:
            assert self.ask(OpenTable(table)).of_act().ok
        for _, level in levels(self.elephant):
            level.history.fold_at = NEVER

    @rule(table=TABLE, rng=CHANCE)
    def wager(self, table: int, rng: Random) -> None:
        self.bet(self.engine.state.tables[table], rng)

    def bet(self, table: Table, rng: Random) -> None:
        self.rounds += 1
        command = floor.wagers(rng, self.engine.state, table, f"r{self.rounds}")
        self.ask(command, table, draws=floor.draws(rng, self.engine.state))

    @rule(table=TABLE, rng=CHANCE)
    def before_the_lock(self, table: int, rng: Random) -> None:
        """A wager is taken back, or no more are taken."""
        whose = self.engine.state.tables[table]
        round_ = whose.unfinished()
        if round_ is None:
            return
        if round_.bets and rng.random() < (0.5 if round_.state == "open" else 0.1):
            self.ask(floor.withdrawals(rng, self.engine.state, round_), whose)
        else:
            self.ask(
                frames.Lock(round_.id, floor.chips(rng, self.engine.state, whose, round_)),
                whose,
                draws=floor.draws(rng, self.engine.state),
            )

    @rule(table=TABLE, rng=CHANCE)
    def settle(self, table: int, rng: Random) -> None:
        whose = self.engine.state.tables[table]
        round_ = whose.unfinished()
        if round_ is not None:
            self.ask(floor.settlements(rng, self.engine.state, whose, round_), whose)

    @rule(tables=st.lists(TABLE, min_size=1, max_size=4), rng=CHANCE)
    def play(self, tables: list[int], rng: Random) -> None:
        """Tables go on with their rounds, or play new ones, as far as the settlement."""
        for table in tables:
            self.play_at(self.engine.state.tables[table], rng)

    def play_at(self, table: Table, rng: Random) -> None:
        if table.held:
            self.ask(Release(table.terms.table, "tests"), people=("ann",))
        if table.unfinished() is None:
            self.bet(table, rng)
        for _ in range(3):
            round_ = table.unfinished()
            if round_ is not None and round_.state != "locked":
                self.ask(frames.Lock(round_.id), table, draws=floor.draws(rng, self.engine.state))
            elif round_ is not None:
                self.ask(floor.settlements(rng, self.engine.state, table, round_), table)

    @rule(table=TABLE, rng=CHANCE, void=st.booleans())
    def end(self, table: int, rng: Random, void: bool) -> None:
        """A round is closed or void."""
        whose = self.engine.state.tables[table]
        round_ = whose.unfinished()
        if round_ is not None and void:
            self.ask(frames.Void(round_.id, "misdeal"), whose)
        elif round_ is not None:
            self.ask(frames.Close(round_.id, floor.counts(rng, whose)), whose)

    @precondition(lambda self: self.engine.state.hits)
    @rule(rng=CHANCE)
    def about_hits(self, rng: Random) -> None:
        for _ in range(4):
            command = floor.hit_act(rng, rng.choice(list(self.engine.state.hits.values())))
            outcome = self.ask(command, people=floor.people(rng))
            if isinstance(command, Correct) and outcome.of_act().ok:
                self.published.pop(int(command.award[1:]), None)
            if not self.engine.state.hits:
                return

    @rule(table=TABLE, rng=CHANCE)
    def about_a_round(self, table: int, rng: Random) -> None:
        command = floor.round_act(rng, self.engine.state, self.engine.state.tables[table])
        self.ask(command, people=floor.people(rng))

    @rule(table=TABLE, rng=CHANCE)
    def missed_hand(self, table: int, rng: Random) -> None:
        """The last closed round is opened again by two people, and settled on."""
        whose = self.engine.state.tables[table]
        if whose.closed is not None and whose.unfinished() is None:
            self.ask(Reopen(whose.terms.table, whose.closed.id, "tests"), people=("ann", "bob"))
            self.ask(floor.settlements(rng, self.engine.state, whose, whose.closed), whose)

    @rule(link=st.sampled_from(sorted(floor.TERMS)), table=TABLE, day=st.dates().map(str))
    def server(self, link: str, table: int, day: str) -> None:
        """The server's own acts, and a frame that is none."""
        whose = self.engine.state.tables[table]
        self.ask(Suspend("tests", (link,), ""), people=("ann",))
        assert told(self.ask(frames.malformed("bets: no list"), whose).answer)["code"] == "bad_message"
        self.bet(whose, Random(day))
        self.ask(Resume("tests", (), ""), people=("ann",))
        self.ask(Reading(day))

    @rule(rng=CHANCE)
    def about_meters(self, rng: Random) -> None:
        """A meter is corrected, money transferred, parameters changed, and what was left decided on."""
        for command in floor.meter_acts(rng, self.engine.state):
            outcome = self.ask(command, people=("ann", "bob") if rng.random() < 0.9 else floor.people(rng))
            if isinstance(command, ChangeLink) and outcome.of_act().ok:
                self.played[list(floor.TERMS).index(command.terms.link) + 1].append(command.terms)

    # What must change nothing

    @precondition(lambda self: self.last is not None)
    @rule()
    def resend(self) -> None:
        """The last frame or act again, also after a restart: the same answer, once applied."""
        assert self.last is not None
        envelope, before = self.last
        if before.entry is not None:
            again = self.engine.execute(envelope)
            assert again.entry is None
            assert again.answer == before.answer

    @rule(table=TABLE)
    def restart(self, table: int) -> None:
        """The server goes on from its snapshot, greets a table, and folds histories at the next lock."""
        self.engine = Engine.from_snapshot(self.engine.snapshot())
        self.remember()
        for engine in (self.engine, self.mirror):
            engine.new_epoch(0)
        whose = self.engine.state.tables[table]
        hello = Envelope(commands.TableHello(whose.last_seq), 0, 0, bytes(16), table=whose.terms.table)
        outcome = self.engine.execute(hello)
        assert outcome.entry is None
        assert told(outcome.answer)["last_seq"] == whose.last_seq
        for engine in (self.engine, self.mirror):
            for _, level in levels(engine):
                level.history.fold_at = 0

    # What holds after every step

    @invariant()
    def every_meter_is_the_sum_of_its_postings(self) -> None:
        """M4: primary, reserve and overflow shown are the accounts added up from the journal."""
        for link in views.statistics(self.engine)["links"]:
            for number, level in enumerate(link["levels"], 1):
                book = self.books[link["number"], number]
                for account in ("primary", "reserve", "overflow", "awards"):
                    assert level[account] == book[account], (link["link"], level["level"], account)
                assert level["house"] == -book["house"]
                assert level["contributions"] == -book["wagers"]
                assert level["corrections"] == -book["corrections"]
                assert level["transfers"] == -book["transfers"]
            assert link["awards_outside"] == self.books[link["number"], 0]["awards"]

    @invariant()
    def nothing_is_negative_or_above_its_limit(self) -> None:
        """L7, A11: no account that holds money is below zero, no primary above its limit."""
        for link in views.statistics(self.engine)["links"]:
            for level in link["levels"]:
                assert min(level["primary"], level["reserve"], level["overflow"], level["awards"]) >= 0
                assert level["limit"] is None or level["primary"] <= level["limit"]

    @invariant()
    def counted_wagers_explain_the_contributions(self) -> None:
        """L6, S1: each standing wager added its two rates, each undone one nothing."""
        for link, level in levels(self.engine):
            wager, at = link.terms.wager, level.number - 1
            each = {sum(parts(terms.levels[at], wager)) for terms in self.played[link.number]}
            at_most = level.wagers * max(each)
            assert level.wagers * min(each) <= -level.accounts.wagers <= at_most
            assert min(level.wagers, level.undone_wagers, level.hits, level.undone_hits) >= 0
            assert level.cycle >= 1

    @invariant()
    def standing_awards_are_what_the_books_paid(self) -> None:
        """A11, S1: the awards account of a level is the sum of its standing awards, and its wins.

        B4: without a level it holds the stakes that awards of N to 1 return, too; the sums by payer do not.
        """
        standing: dict[tuple[int, int], int] = defaultdict(int)
        payers: dict[tuple[int, str], int] = defaultdict(int)
        for award in self.awards.values():
            if award.stands():
                standing[award.link, award.level] += award.worth() + award.stake
                payers[award.link, award.pays] += award.worth()
        for key, book in self.books.items():
            assert standing[key] == book["awards"], key
        for _, level in levels(self.engine):
            assert level.wins == level.accounts.awards
        for link in self.engine.state.links:
            assert {pays: sum_ for pays, sum_ in link.paid_by.items() if sum_} == {
                pays: sum_ for (number, pays), sum_ in payers.items() if number == link.number and sum_
            }

    @invariant()
    def what_waits_is_what_was_counted(self) -> None:
        """A10: awards, sums and hits that wait, by level and status and by table, are those of a recount."""
        state = self.engine.state
        groups: dict[tuple[int, int, str], Unpaid] = defaultdict(Unpaid)
        tables: dict[int, Unpaid] = defaultdict(Unpaid)
        for hit in state.hits.values():
            for award in hit.awards:
                if award.status in ("pending", "validated"):
                    for unpaid in (groups[award.link, award.level, award.status], tables[hit.table]):
                        unpaid.amount += award.amount
                        unpaid.hits.append(hit.number)
        counted = {(link.number, *key): group for link in state.links for key, group in link.unpaid.items()}
        assert {key: group for key, group in counted.items() if group != Unpaid()} == groups
        assert {one.number: one.unpaid for one in state.tables if one.unpaid != Unpaid()} == tables

    @invariant()
    def no_published_award_is_lowered(self) -> None:
        """A11: a sum once answered stands or rises, unless two people correct it; paid ones do not move."""
        for number, award in self.awards.items():
            if award.status == "paid":
                assert self.paid.setdefault(number, award.amount) == award.amount
            assert number not in self.paid or award.status == "paid"
            if award.stands():
                assert award.amount >= self.published.get(number, 0)
                self.published[number] = award.amount
            assert award.amount % 10_000 == 0, "M3: awards are whole cents"

    @invariant()
    def a_level_is_what_its_history_gives(self) -> None:
        """A11: recomputing a level, from its kept history or all of it, gives its accounts."""
        for link, level in levels(self.engine) + levels(self.elephant):
            again = replay(level.history.copy())
            assert again.accounts == level.accounts, (link.terms.link, level.terms.level)
            assert again.played == PlayedTerms(level.terms, link.terms.floor_to_seed)

    @invariant()
    def the_journal_alone_gives_the_same_state(self) -> None:
        """DESIGN: the journal is the truth; replay comes to the same bytes."""
        assert self.mirror.snapshot() == self.engine.snapshot()


Floor.TestCase.settings = settings(
    max_examples=repeated(40, 400),
    stateful_step_count=40,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


TestFloor = Floor.TestCase


def test_a_returned_stake_is_in_the_books_until_its_award_is_undone() -> None:
    """A1, B4: $50 for a flush at 50 to 1 and the $1 that it returns, on level 0; undone, both are gone."""
    floor_ = Floor()
    floor_.open()
    table = next(one for one in floor_.engine.state.tables if one.terms.table == "L3")
    link = next(one for one in floor_.engine.state.links if one.terms.link == "ceiling")
    floor_.ask(frames.Wager("r1", (frames.Bet(1, "ceiling", 100),)), table)
    nothing_drawn = {"ceiling": commands.RawDraws(1, 0, 1, 1)}
    floor_.ask(frames.Lock("r1"), table, draws=nothing_drawn)
    flush = frames.Claim(1, cards=("2h", "3h", "5h"))
    floor_.ask(frames.Settle("r1", (flush,), ("Jh", "Th"), close=True), table)
    (award,) = floor_.awards.values()
    assert (award.level, award.amount, award.stake) == (0, 50 * floor.DOLLAR, 1 * floor.DOLLAR)
    books = floor_.books[link.number, 0]
    assert books["awards"] == -books["house"] == 51 * floor.DOLLAR
    floor_.standing_awards_are_what_the_books_paid()

    assert floor_.ask(Undo("H1", "tests", "A1"), people=("ann", "bob")).of_act().ok
    assert books["awards"] == books["house"] == 0
    floor_.standing_awards_are_what_the_books_paid()
