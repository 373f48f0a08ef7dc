"""A season of one link whose first part is over: hits paid, cycles ended, states sealed."""

from itertools import groupby
from typing import Final

from controllers.answers import Ack
from jackpot.ledger.journal import Row, Snapshot
from jackpot.rules.acts.banks import OpenBank
from jackpot.rules.acts.hits import Validate, payments
from jackpot.rules.acts.links import OpenLink
from jackpot.rules.acts.readings import Reading
from jackpot.rules.acts.tables import OpenTable
from jackpot.rules.commands import Command
from jackpot.rules.engine import Engine
from jackpot.rules.paytable import TableTerms
from tests import frames
from tests.frames import Bet, Claim
from tests.ledger.play import FIRST_DAY, THREE, Play
from tests.ledger.waiting import Ledger

TABLE: Final = "T01"
_ROYAL: Final = Claim(1, ("As", "Ks", "Qs"))
_LOST: Final = Claim(1, ("2c", "7d", "9h"))


class Season(Play):
    """Rounds, two hits that are paid, five sealed states, three epochs; nothing waits at the end."""

    def __init__(self) -> None:
        super().__init__(1)
        self.engine, self.rows = Engine("main"), list[Row]()
        self.act(OpenBank("riverside"))
        self.act(OpenLink(THREE))
        self.act(OpenTable(TableTerms(TABLE, "let-it-ride", 7, ("three",))))
        self.snapshots: list[Snapshot] = []
        for number in range(5):
            self.new_epoch(1 + number // 2)
            self.weeks()
            if number in {0, 3}:
                self.win()
            self.weeks()
            self.snapshots.append(self.seal())
        self.weeks()

    def weeks(self) -> None:
        """Rounds that nobody wins, a refusal, and a reading."""
        for number in range(4):
            self.round(_LOST, f"r{len(self.rows)}-{number}")
        self.frame(TABLE, frames.Wager("odd", (Bet(1, "three", 499),), lock=True))
        self.act(Reading(f"{FIRST_DAY.replace(day=1 + len(self.rows) // 20)}"))

    def win(self) -> str:
        """A whole meter, validated and paid: the hit."""
        hit = self.won()
        self.act(Validate(hit), "anna")
        for pay in payments(self.engine.state.hits[int(hit[1:])], "W-1"):
            assert self.act(pay, "ben").of_act().ok
        return hit

    def won(self) -> str:
        """A hit of a whole meter that waits for validation."""
        settled = self.round(_ROYAL, f"royal-{len(self.rows)}")
        return settled.awards[0].hit

    def round(self, claim: Claim, name: str) -> Ack:
        self.frame(TABLE, frames.Wager(name, (Bet(1, "three", 500),), lock=True))
        settled = self.frame(TABLE, frames.Settle(name, (claim,), close=True)).answer
        assert isinstance(settled, Ack)
        return settled

    def does(self, command: Command, *people: str) -> None:
        """An act that is not refused."""
        answer = self.act(command, *people).of_act()
        assert answer.ok, answer

    def write(self, ledger: Ledger, after: int = 0) -> None:
        """As its servers wrote it, each epoch by one of its own, in one batch."""
        for epoch, rows in groupby(self.rows[after:], key=lambda row: row.epoch):
            batch = list(rows)
            while ledger.head("main").epoch < epoch:
                ledger.new_epoch("main", "server")
            ledger.append("main", epoch, batch[0].seq - 1, batch)
        for snapshot in self.snapshots:
            if snapshot.seq > after:
                ledger.save_snapshot(snapshot)
