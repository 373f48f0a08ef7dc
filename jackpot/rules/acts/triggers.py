"""Commitments that are made and opened besides a win (Y8, Y11, Y12).

A level gets its first commitment once its link is open. One that is not to be played on any more is opened
and replaced, and that of a link that ended is opened. No people's act does that itself, for a preview and a
request decide it, too, and must open nothing: it only says that a level is due. The bank's writer has
`RenewTriggers` follow at once, before anything else is decided.
"""

from collections.abc import Iterator
from typing import ClassVar, Final

import msgspec

from controllers.messages import Links
from jackpot.rules.acts.act import ADMIN, Act, ActContext
from jackpot.rules.acts.fields import Reason
from jackpot.rules.acts.links import ROLLED_BACK, TRIGGER_REASON, chosen
from jackpot.rules.commands import ActCommand
from jackpot.rules.effects import Effects
from jackpot.rules.events import Event, TriggerCommitted, TriggerOpened
from jackpot.rules.invariant import invariant
from jackpot.rules.refusal import refuse_if
from jackpot.rules.rounds import mystery
from jackpot.rules.signing import People
from jackpot.rules.state import BankState, Level, Link


class ReplaceTriggers(ActCommand, tag="replace-triggers", frozen=True):
    """Every running trigger of the links is opened and replaced, after a leak (Y12).

    links: none for all of the bank that have any.
    """

    links: Links
    reason: Reason


class TriggersReplaced(Event, frozen=True, array_like=True):
    """No trigger of before is played on. links, reason: as in `ReplaceTriggers`.

    The next row opens them, and commits to fresh ones.
    """

    kind: ClassVar[int] = 95
    links: list[int]
    people: People
    reason: str


def decide_replace(state: BankState, command: ReplaceTriggers, by: ActContext) -> TriggersReplaced:
    """Replaces what runs; never what is not to be had, for that could not be opened."""
    links = [state.link(number) for number in chosen(state, command.links)]
    if command.links:
        for link in links:
            refuse_if(not mystery.is_committed(link), "link_without_triggers", link=link.terms.link)
    links = [link for link in links if mystery.is_committed(link)]
    refuse_if(not links, "bank_without_triggers", bank=state.bank)
    for link in links:
        for cause in (TRIGGER_REASON, ROLLED_BACK):
            refuse_if(cause in link.suspended, "triggers_not_held", link=link.terms.link, cause=cause)
    return TriggersReplaced([link.number for link in links], by.people, command.reason)


def apply_replaced(effects: Effects, event: TriggersReplaced) -> None:
    """Makes every level of the links due."""
    for number in event.links:
        mystery.replace_triggers(effects.state.link(number))


class RenewTriggers(ActCommand, tag="renew-triggers", frozen=True):
    """The bank's writer opens and makes the commitments that are due."""


class EndedCommitment(msgspec.Struct, frozen=True, array_like=True):
    """A commitment that ended without a win. bank, cycle, number: of its id."""

    bank: str
    cycle: int
    number: int
    digest: bytes


class Renewed(msgspec.Struct, frozen=True, array_like=True):
    """A level's commitment. ended: what ran before; None where nothing did.

    opened: what opens it; None where it can never be opened, for its trigger is lost. committed: what the
    level is committed to now; None where its link has ended.
    """

    link: int
    level: int
    ended: EndedCommitment | None
    opened: TriggerOpened | None
    committed: TriggerCommitted | None


class TriggersRenewed(Event, frozen=True, array_like=True):
    """Commitments that were opened and made besides a win, by link and level."""

    kind: ClassVar[int] = 93
    levels: list[Renewed]


def due(state: BankState) -> Iterator[tuple[Link, Level]]:
    """Committed levels without a commitment that may be played on, and those of ended links with one."""
    for link in state.links:
        if not mystery.is_committed(link):
            continue
        for level in link.levels:
            runs = mystery.running_of(level) is not None
            if runs if link.closed else not runs or mystery.cycle_of(level).replace:
                yield link, level


def decide_renew(state: BankState, _command: RenewTriggers, by: ActContext) -> TriggersRenewed:
    """Opens what ran and commits anew, as far as there is a key to keep a trigger with (Y12).

    A commitment whose trigger is lost is never opened, and the journal shows that.
    """
    made = []
    for link, level in due(state):
        running, cycle = mystery.running_of(level), mystery.cycle_of(level)
        opened = committed = None
        if not link.closed:
            last = 0 if cycle.commitment is None else cycle.commitment.number
            least = mystery.commitment_id(state, link, level, state.bank, level.cycle, last + 1)
            most = mystery.must_hit_sum(cycle.terms)
            committed = by.triggers.commit(least, cycle.decided, most, people=cycle.replace)
            if committed is None:
                continue
            invariant(committed.number > last, "numbers of commitments grow")
        if running is not None and not by.triggers.lost(running.digest):
            opened = mystery.opening(state, link, level, running, by.triggers)
            reached = cycle.decided if cycle.reached is None else cycle.reached
            invariant(opened.value > reached, "a wager had reached the trigger, and did not win")
        ended = None
        if running is not None:
            ended = EndedCommitment(running.bank, running.cycle, running.number, running.digest)
        made.append(Renewed(link.number, level.number, ended, opened, committed))
    invariant(bool(made), "no commitment is due")
    return TriggersRenewed(made)


def apply_renewed(effects: Effects, event: TriggersRenewed) -> None:
    """Commits the levels anew, or ends their commitments."""
    for one in event.levels:
        level = effects.state.link(one.link).levels[one.level - 1]
        cycle = mystery.cycle_of(level)
        if one.committed is not None:
            mystery.commit_to(effects.state, level, one.committed)
        elif cycle.commitment is not None:
            cycle.commitment = msgspec.structs.replace(cycle.commitment, running=False)


ACTS: Final = (
    Act(RenewTriggers, decide_renew, {TriggersRenewed: apply_renewed}),
    Act(
        ReplaceTriggers,
        decide_replace,
        {TriggersReplaced: apply_replaced},
        asked=True,
        power=ADMIN,
        needs_two="why_triggers_replaced",
    ),
)
