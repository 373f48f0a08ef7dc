"""The engine against the must-hit-by cycles worked out by hand; each names its rules.

The model is played first: it says which value each draw must have, and in which order they are asked for.
"""

from collections import deque
from typing import Any, Final

import pytest

from jackpot.rules.acts.links import OpenLink
from jackpot.rules.acts.parameters import ChangeLink
from jackpot.rules.acts.triggers import RenewTriggers, due
from jackpot.rules.commands import Command
from jackpot.rules.commitment import RAW_BYTES, SALT_BYTES, WORD_BYTES, CommitmentId, uniform
from jackpot.rules.engine import Engine
from jackpot.rules.events import TriggerCommitted
from jackpot.rules.paytable import LevelTerms, LinkTerms
from jackpot.rules.triggers import NewTrigger, Trigger
from tests.faults.model_mystery_floor import MysteryFloor
from tests.faults.worked.form import Link, usd
from tests.faults.worked.mystery import COMMITTED, CYCLES, DRAWN
from tests.faults.worked.mystery_play import Cycle, Given, Where, play_cycle
from tests.ledger.seeded_triggers import SeededTriggers
from tests.rules.subject import BANK, OfEngine
from tests.said import Heard

# Bytes of a salt; nothing here hides anything.
SALT: Final = bytes(SALT_BYTES)


class Recorded(Given):
    """Given triggers, and by how much each lies above the least that it could have been."""

    def __init__(self, triggers: tuple[str, ...]) -> None:
        super().__init__(triggers)
        self.above: deque[int] = deque()

    def draw(self, low: int, high: int) -> int:
        found = super().draw(low, high)
        self.above.append(found - low - 1)
        return found


class Scripted:
    """Random bytes that give these numbers: a word below every range is the number itself (Y2)."""

    def __init__(self, numbers: dict[tuple[int, int], deque[int]]) -> None:
        self.numbers = numbers

    def raw(self, link: int, level: int) -> bytes:
        return raw_of(self.numbers[link, level].popleft())


def raw_of(number: int) -> bytes:
    return number.to_bytes(WORD_BYTES, "big") + bytes(RAW_BYTES - WORD_BYTES)


class ScriptedTriggers(SeededTriggers):
    """Triggers of committed levels, by how much each lies above the least that it could be, in order."""

    def __init__(self, above: dict[Where, deque[int]]) -> None:
        super().__init__(0)
        self.above = above

    def commit(
        self, least: CommitmentId, above: int, upto: int, *, people: bool = False
    ) -> TriggerCommitted | None:
        where = least.link, "" if least.level == "meter" else least.level
        drawing = uniform(raw_of(self.above[where].popleft()), upto - above)
        new = NewTrigger(least, Trigger(SALT, above + 1 + drawing.value, drawing.raw))
        self.kept[new.committed] = new.trigger
        return TriggerCommitted(least.number, new.committed)


class OfMysteryEngine(OfEngine):
    """One bank's engine with mystery links. above: what each draw of a level comes to, in order."""

    def __init__(self, above: dict[Where, deque[int]]) -> None:
        super().__init__()
        self.above = above
        self.numbers: dict[tuple[int, int], deque[int]] = {}
        self.triggers = ScriptedTriggers(above)
        self.engine.chance, self.engine.triggers = Scripted(self.numbers), self.triggers

    def execute(self, command: Command, **fields: Any) -> Heard:
        """As the bank's writer does it: commitments that are due after an act follow at once (Y12)."""
        outcome = super().execute(command, **fields)
        if any(True for _ in due(self.engine.state)):
            assert super().execute(RenewTriggers()).answer["ok"]
        return outcome

    def open(self, link: Link) -> None:
        self.opened[link.name] = link
        answer = self.execute(OpenLink(terms_of(link))).answer
        assert answer["ok"], answer
        for level in self.link(link.name).levels:
            self.numbers[self.link(link.name).number, level.number] = self.above[link.name, unnamed(level)]

    def take_over(self, tick: int = 0) -> None:
        super().take_over(tick)
        self.engine.chance, self.engine.triggers = Scripted(self.numbers), self.triggers

    def _about_link(self, kind: str, fields: dict[str, Any]) -> Any:
        if kind != "change":
            return super()._about_link(kind, fields)
        return ChangeLink(terms_of(self._changed(fields)), "worked cycle")

    def highest(self) -> dict[Where, int]:
        return {
            (link.terms.link, unnamed(level)): level.mystery.decided
            for link in self.engine.state.links
            for level in link.levels
            if level.mystery is not None
        }


def unnamed(level: Any) -> str:
    """The level's name as the worked examples have it."""
    return "" if level.terms.level == "meter" else str(level.terms.level)


def terms_of(link: Link) -> LinkTerms:
    """A worked cycle's link as the engine has it."""
    levels = tuple(
        LevelTerms(
            name or "meter", usd(given["rate"]) // 10_000, 0, usd(given["minimum"]), usd(given["minimum"]),
            must_hit_by=usd(given["must_hit_by"]),
        )
        for name, given in link.options["levels"].items()
    )  # fmt: skip
    electronic: bool = link.options["electronic"]
    return LinkTerms(
        link.name, BANK, "mystery", usd(link.wager), "mystery", levels, (), electronic=electronic,
        count_chips=not electronic, hold_table=False, form=link.options["form"],
    )  # fmt: skip


def test_both_forms_are_worked_out() -> None:
    """Y2: each play of the usual level stands there in both, with the same outcome."""
    forms = [{link.options["form"] for link in cycle.links} for cycle in CYCLES]
    assert forms.count({DRAWN}) > 15
    assert forms.count({COMMITTED}) > forms.count({DRAWN})


@pytest.mark.parametrize("cycle", CYCLES, ids=lambda cycle: cycle.name)
def test_worked_cycle(cycle: Cycle) -> None:
    """Y1-Y4, Y6, Y7, Y10-Y12: the answers, awards and meters are those worked out by hand, in both forms.

    M4, S8: its entries, applied again, give the same state and postings.
    """
    draws = {where: Recorded(triggers) for where, triggers in cycle.triggers.items()}
    play_cycle(cycle, MysteryFloor({where: of.draw for where, of in draws.items()}), draws)
    subject = OfMysteryEngine({where: of.above for where, of in draws.items()})
    play_cycle(cycle, subject, {})
    assert not any(subject.numbers.values()), "fewer draws than the cycle has"
    again = Engine(BANK)
    for entry in subject.entries:
        moved = again.replay(entry)
        assert (moved.postings, moved.hits) == (entry.postings, entry.hits)
    assert again.snapshot() == subject.engine.snapshot()
    assert Engine.from_snapshot(again.snapshot()).snapshot() == again.snapshot()
