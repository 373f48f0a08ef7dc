"""What do the simulated floorpersons do? They validate, pay, undo, alone or by two, and put things right.

They look at what is durable (the model's books), pick an act, and ask for it until it is answered: over
crashes and doubt, always under the same digest, as the admin socket's client would.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import Any

from jackpot.rules.acts.hits import Correct, Pay, Undo, Validate
from jackpot.rules.acts.links import Resume, Suspend
from jackpot.rules.acts.rounds import Reopen, Strike, VoidRound
from jackpot.rules.acts.tables import Release
from jackpot.rules.acts.witness import ConfirmBehind
from jackpot.rules.commands import Command
from jackpot.rules.outcome import Outcome
from tests.faults.floor import Table
from tests.faults.model import Model
from tests.faults.network import Timeline

# Seconds between two acts, and before an unanswered one is asked for again.
PAUSE_S = 0.02
AGAIN_S = 0.5
# Of the acts, how many answer a table that is called ahead of the ledger.
ANSWERS = 0.05

Ask = Callable[[Command, tuple[str, ...], bytes, Callable[[Outcome], None]], None]
Act = tuple[Command, tuple[str, ...]]


class Person:
    """Two floorpersons, of whom the second confirms.

    ids: the server's id of the model's. said: what tables say that they have, which nobody has answered.
    ask: submits to a server that runs; it may be lost.
    """

    def __init__(
        self,
        timeline: Timeline,
        random: Random,
        model: Model,
        tables: list[Table],
        ids: Callable[[str], str | None],
        said: Mapping[str, int],
        ask: Ask,
    ) -> None:
        self._timeline = timeline
        self._random = random
        self._model = model
        self._tables = tables
        self._ids = ids
        self._said = said
        self._ask = ask
        self._waiting: tuple[Act, bytes] | None = None
        self._called: list[str] = []
        self.tidying = False
        timeline.after(PAUSE_S, self._go_on)

    @property
    def idle(self) -> bool:
        return self._waiting is None and not self._called

    def called(self, hits: list[str]) -> None:
        """A table wants these hits (the server's ids) undone, so that its round can be void."""
        self._called += [hit for hit in hits if hit not in self._called]

    def _go_on(self) -> None:
        if self._waiting is None and (act := self._choose()) is not None:
            self._waiting = act, self._random.randbytes(16)
        if self._waiting is None:
            self._timeline.after(PAUSE_S, self._go_on)
            return
        (command, people), digest = self._waiting
        self._timeline.after(AGAIN_S, lambda: self._again(digest))
        self._ask(command, people, digest, lambda _outcome: self._answered(digest))

    def _again(self, digest: bytes) -> None:
        if self._waiting is not None and self._waiting[1] == digest:
            self._go_on()

    def _answered(self, digest: bytes) -> None:
        if self._waiting is not None and self._waiting[1] == digest:
            self._waiting = None
            self._timeline.after(PAUSE_S * 2 * self._random.random(), self._go_on)

    def _choose(self) -> Act | None:
        random = self._random
        if not self._model.tables:
            return None  # nothing is open yet
        if self._called:
            return Undo(self._called.pop(), "void round"), ("ann", "bob")
        if self._said and (self.tidying or random.random() < ANSWERS):
            return self._on_claim()
        suspended = [link.name for link in self._model.links.values() if link.suspended]
        if suspended and (self.tidying or random.random() < 0.3):
            reason = random.choice(["floor", "internal", "ledger_behind"])
            return Resume(reason, (random.choice(suspended),), ""), ("ann", "bob")
        if random.random() < 0.35 and (act := self._on_table()) is not None:
            return act
        if random.random() < 0.004 and not self.tidying:
            return Suspend("floor", (random.choice(list(self._model.links)),), ""), ("ann",)
        return self._on_hit()

    def _on_claim(self) -> Act:
        """Believe what a table says that it has, or not; now and then one alone, or a number too high."""
        random = self._random
        people = ("ann", "bob") if random.random() < 0.8 else ("ann",)
        believe = random.random() < 0.4
        return ConfirmBehind(random.choice(list(self._said)), "asked its dealer", believe), people

    def _on_table(self) -> Act | None:
        """Strike, reopen, void or release, wherever something stands that allows it."""
        random = self._random
        table = random.choice(list(self._model.tables.values()))
        if table.unfinished:
            name, round_ = random.choice(list(table.unfinished.items()))
            if (
                round_.state == "mismatch"
                and not round_.players
                and (wagers := [wager for wager in round_.wagers if wager.live])
            ):
                one = random.choice(wagers)
                on: Any = one.on
                return Strike(table.name, name, one.seat, one.link, "count", on), ("ann",)
            if random.random() < 0.02 and not self.tidying:
                return VoidRound(table.name, name, "floor"), ("ann", "bob")
        elif table.reopenable is not None and random.random() < 0.1 and not self.tidying:
            return Reopen(table.name, table.reopenable.name, "missed hand"), ("ann", "bob")
        if self._model.held(table.name) and random.random() < 0.5:
            return Release(table.name, "photographed"), ("ann",)
        return None

    def _on_hit(self) -> Act | None:
        random = self._random
        hits = [
            hit
            for hit in self._model.hits_made.values()
            if any(award.status in ("pending", "validated") for award in hit.awards)
        ]
        if not hits:
            return None
        hit = hits[0] if random.random() < 0.5 else random.choice(hits)
        award = random.choice(hit.awards)
        theirs, one = self._ids(hit.id), self._ids(award.id)
        if theirs is None or one is None:
            return None
        people = ("ann", "bob") if random.random() < 0.6 else ("ann",)
        waiting = any(award.status == "pending" for award in hit.awards)
        choice = random.random()
        if self.tidying or choice < 0.7:
            return (Validate(theirs) if waiting else Pay(theirs)), people
        if choice < 0.76:
            return Validate(theirs, one), people
        if choice < 0.8:
            return Pay(theirs, one), people
        if choice < 0.88:
            return Undo(theirs, "not so"), people
        if choice < 0.94:
            return Undo(theirs, "not so", one), people
        amount = max(0, award.amount + random.randint(-2000, 2000))
        return Correct(one, amount, "misread", "W-1"), people
