"""Meter readings at the end of a gaming day (S2)."""

import re
from collections import Counter
from typing import ClassVar, Final

from jackpot.rules.acts.act import Act, ActContext
from jackpot.rules.commands import ActCommand
from jackpot.rules.effects import Effects
from jackpot.rules.events import Event
from jackpot.rules.refusal import refuse_if
from jackpot.rules.state import UNPAID, BankState

# How a gaming day is written: its readings are in the order of their texts.
_DAY: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


class Reading(ActCommand, tag="reading", frozen=True):
    """Every meter, at the end of the gaming day named (S2)."""

    day: str


class ReadingTaken(Event, frozen=True, array_like=True):
    """A meter reading. meters: (link, level, primary, reserve, overflow, wagers counted, hits counted).

    waiting: what was won and not paid, (link, level, pending, validated); level 0 is what no meter pays.
    """

    kind: ClassVar[int] = 21
    day: str
    meters: list[tuple[int, int, int, int, int, int, int]]
    waiting: tuple[tuple[int, int, int, int], ...] = ()


def decide_reading(state: BankState, command: Reading, _by: ActContext) -> ReadingTaken:
    """Reads every meter, once a gaming day (S2)."""
    refuse_if(not _DAY.fullmatch(command.day), "day_malformed", day=command.day)
    refuse_if(command.day <= state.last_day, "day_read_already", day=command.day)
    meters = [
        (
            link.number,
            level.number,
            level.accounts.primary,
            level.accounts.reserve,
            level.accounts.overflow,
            level.wagers,
            level.hits,
        )
        for link in state.links
        for level in link.levels
    ]
    return ReadingTaken(command.day, meters, _waiting(state))


def _waiting(state: BankState) -> tuple[tuple[int, int, int, int], ...]:
    """What was won and is not paid, by link and level."""
    found: dict[tuple[int, int], Counter[str]] = {}
    for hit in state.hits.values():
        for award in hit.awards:
            if award.status in UNPAID:
                found.setdefault((award.link, award.level), Counter())[award.status] += award.amount
    return tuple((*key, sums["pending"], sums["validated"]) for key, sums in sorted(found.items()))


def apply_reading(effects: Effects, event: ReadingTaken) -> None:
    """Records the gaming day's reading (S2)."""
    effects.state.last_day = event.day


ACTS: Final = (Act(Reading, decide_reading, {ReadingTaken: apply_reading}),)
