"""A season of gaming days on a busy floor: eight tables, nine links, every kind of act, daily readings.

The floor's choices are those of `tests/rules/floor.py`, from one seed; time goes on, and changes its clocks.
"""

from datetime import date, datetime, time, timedelta
from random import Random
from typing import Final, get_args
from zoneinfo import ZoneInfo

from controllers.messages import VoidCause
from jackpot.config import Site
from jackpot.ledger.journal import Row, genesis, row_of
from jackpot.rules.acts.alarms import AcknowledgeAlarm
from jackpot.rules.acts.banks import OpenBank
from jackpot.rules.acts.hits import Undo, Validate, payments
from jackpot.rules.acts.links import OpenLink, Resume, Suspend
from jackpot.rules.acts.lost_acks import ConfirmBehind
from jackpot.rules.acts.readings import Reading
from jackpot.rules.acts.rounds import Reopen
from jackpot.rules.acts.tables import OpenTable, Release
from jackpot.rules.commands import Command, Envelope, TableHello
from jackpot.rules.engine import Engine
from jackpot.rules.outcome import Outcome
from jackpot.rules.state import Table
from tests import frames
from tests.frames import numbered
from tests.ledger.waiting import Ledger
from tests.rules import floor

SITE: Final = Site("Riverside", "USD", time(6), "America/New_York")
VOID_CAUSES: Final = (None, *get_args(VoidCause))
# Two days before the clocks go back.
FIRST: Final = date(2026, 10, 30)


class Season:
    """rows: the journal of its bank. refusals: of frames, by the row, the code that was answered."""

    def __init__(self, seed: int, days: int, steps: int) -> None:
        self.random = Random(seed)
        self.engine = Engine(floor.BANK)
        self.rows: list[Row] = []
        self.asked = 0
        self.rounds = 0
        self.at = self._begins(FIRST)
        self.ask(OpenBank("riverside"))
        for terms in floor.LINKS:
            self.ask(OpenLink(terms))
        for table in floor.TABLES:
            self.ask(OpenTable(table))
        for number in range(days):
            self._day(FIRST + timedelta(days=number), steps)

    def ask(self, command: Command, table: Table | None = None, *people: str) -> Outcome:
        self.asked += 1
        self.at += self.random.randrange(1, 90_000)
        envelope = Envelope(
            numbered(command, table.last_seq + 1) if table else command,
            at=self.at,
            tick=500 * self.asked,
            digest=self.asked.to_bytes(16, "big"),
            table=table.terms.table if table else None,
            people=people,
            draws=floor.draws(self.random, self.engine.state),
        )
        outcome = self.engine.execute(envelope)
        if outcome.entry is not None:
            previous = self.rows[-1].hash if self.rows else genesis(floor.BANK)
            self.rows.append(row_of(floor.BANK, 1, outcome.entry, previous))
        return outcome

    def write(self, ledger: Ledger) -> None:
        """Writes the rows as the bank's writer would have."""
        ledger.new_epoch(floor.BANK, "test")
        ledger.append(floor.BANK, 1, 0, self.rows)

    def _begins(self, day: date) -> int:
        local = datetime.combine(day, SITE.gaming_day_ends, ZoneInfo(SITE.timezone))
        return int(local.timestamp() * 1000)

    def _day(self, day: date, steps: int) -> None:
        self.at = max(self.at, self._begins(day))
        for _ in range(steps):
            self._step()
        self.at = max(self.at, self._begins(day + timedelta(days=1)))
        self.ask(Reading(day.isoformat()))

    def _step(self) -> None:
        rng, tables = self.random, self.engine.state.tables
        table = rng.choice(tables)
        match rng.randrange(10):
            case 0 | 1 | 2 | 3 | 4:
                self._play(table)
            case 5 | 6:
                self._about_hits()
            case 7:
                self.ask(floor.round_act(rng, self.engine.state, table), None, *floor.people(rng))
            case 8:
                self._missed_hand(table)
            case _:
                self._rarely(table)

    def _play(self, table: Table) -> None:
        rng, state = self.random, self.engine.state
        if table.held:
            self.ask(Release(table.terms.table, "tests"), None, "ann")
        if table.unfinished() is None:
            self.rounds += 1
            self.ask(floor.wagers(rng, state, table, f"r{self.rounds}"), table)
        for _ in range(3):
            round_ = table.unfinished()
            if round_ is None:
                return
            if round_.bets and round_.state == "open" and rng.random() < 0.3:
                self.ask(floor.withdrawals(rng, state, round_), table)
            elif round_.state == "mismatch" and rng.random() < 0.7:
                self.ask(floor.round_act(rng, state, table), None, "ann", "bob")
            elif round_.state != "locked":
                self.ask(frames.Lock(round_.id, floor.chips(rng, state, table, round_)), table)
            elif rng.random() < 0.1:
                cause = VOID_CAUSES[self.rounds % len(VOID_CAUSES)]
                self.ask(frames.Void(round_.id, "misdeal", cause), table)
            else:
                self.ask(floor.settlements(rng, state, table, round_), table)

    def _about_hits(self) -> None:
        hits = list(self.engine.state.hits.values())
        for _ in range(4 if hits else 0):
            command = floor.hit_act(self.random, self.random.choice(hits))
            self.ask(command, None, *floor.people(self.random))

    def _missed_hand(self, table: Table) -> None:
        """A late hand; now and then it wins on a level on which something has been undone since its turn."""
        if table.closed is None or table.unfinished() is not None:
            return
        self.ask(Reopen(table.terms.table, table.closed.id, "a missed hand"), None, "ann", "bob")
        if self.random.random() < 0.3:
            for hit in list(self.engine.state.hits.values()):
                if hit.link in table.links:
                    self.ask(Undo(f"H{hit.number}", "misread"), None, "ann", "bob")
        self.ask(floor.settlements(self.random, self.engine.state, table, table.closed), table)

    def _about_meters(self) -> None:
        """Two people correct a meter, transfer its money or change its parameters, mostly with it at rest."""
        acts = floor.meter_acts(self.random, self.engine.state)
        links = [link for act in acts if isinstance(act, Suspend) for link in act.links]
        if links and self.random.random() < 0.9:
            self._rest(links[0])
        for act in acts:
            self.ask(act, None, "ann", "bob")

    def _rest(self, link: str) -> None:
        """Ends the rounds with wagers on the link, and pays its hits."""
        for table in self.engine.state.tables:
            for _ in range(6 if link in table.terms.links else 0):
                if table.unfinished() is not None:
                    self._play(table)
        for hit in list(self.engine.state.hits.values()):
            for act in (Validate(f"H{hit.number}"), *payments(hit, "W-1")):
                self.ask(act, None, "ann")

    def _rarely(self, table: Table) -> None:
        match self.random.randrange(6):
            case 0:
                self.ask(Suspend("operator", (self.random.choice(table.terms.links),), "dust"), None, "ann")
                self._play(table)
                self.ask(Resume("operator", (), "clean"), None, "ann")
            case 1:
                self.ask(frames.malformed("bets: no list"), table)
            case 2:
                round_ = table.unfinished()
                if round_ is not None:
                    self.ask(frames.Close(round_.id, floor.counts(self.random, table)), table)
            case 3 | 4:
                self._about_meters()
            case _:
                self.ask(TableHello(table.last_seq + 2), table)
                self.ask(ConfirmBehind(table.terms.table, "a new disk", True), None, "ann", "bob")
                for alarm in list(self.engine.state.alarms.values()):
                    self.ask(AcknowledgeAlarm(f"AL{alarm.number}", "seen"), None, "ann")
