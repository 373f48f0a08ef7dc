"""The announced end of a link: a jackpot that is played up to a gaming day, and no longer (P2, L8).

Two people announce the day, and where the money goes. When that gaming day ends the server itself takes the
steps that they confirmed: wagers stop, and once the link is at rest it closes, and its money goes there. What
stands in the way is told once, as an alarm. Until then the money stays on its meters, and no wager is taken.
"""

from collections.abc import Iterator
from typing import Any, ClassVar, Final

import msgspec

from controllers.messages import Id
from jackpot.rules.acts.act import ADMIN, Act, ActContext
from jackpot.rules.acts.fields import Day, Levels, Reason
from jackpot.rules.acts.meters import (
    TRANSFERRED,
    closing,
    empty,
    find_open,
    find_other,
    outflow,
    places,
    rests,
)
from jackpot.rules.acts.notices import announced_end, check_day, check_new, check_receives, forget_done
from jackpot.rules.commands import ActCommand
from jackpot.rules.effects import Effects
from jackpot.rules.events import Event, LevelChange
from jackpot.rules.phrases import Values
from jackpot.rules.refusal import Refusal, refuse_if
from jackpot.rules.signing import People
from jackpot.rules.state import CLOSED, ENDED, BankState, Link, Notice

# People are told after so long of what the floor's own work will remove: a round takes minutes, and a hit
# waits for its papers. Of anything else they are told at once.
ALARM_AFTER_MS: Final = 60 * 60 * 1_000
MINUTE_MS: Final = 60 * 1_000
_PASSES_BY_ITSELF: Final = (
    "link_round_unfinished", "link_hits_stand", "link_left_waits", "end_before_reading",
    "end_while_reopening_asked",
)  # fmt: skip

# Reasons for which a link may be suspended while it ends: its wagers stopped, and people took its money away
# before. Any other one is for people to look at first: the ledger may have lost rows, or a trigger its file.
_HARMLESS_SUSPENSIONS: Final = (ENDED, TRANSFERRED)


class GiveEnd(ActCommand, tag="give-end", frozen=True):
    """Two people announce that a link ends with a gaming day, and where its money goes then (P2, L8).

    day: the last one on which wagers are taken. due: when it ends by the site's clocks, in unix milliseconds.
    to, levels: as in `CloseLink`.
    """

    link: Id
    day: Day
    due: int
    reason: Reason
    to: Id | None = None
    levels: Levels = ()


class EndGiven(Event, frozen=True, array_like=True):
    """The notice of an end stands from here on. notice: its number. to: 0 for none. Else as in `GiveEnd`."""

    kind: ClassVar[int] = 97
    notice: int
    link: int
    day: str
    due: int
    to: int
    levels: tuple[str, ...]
    reason: str
    people: People


def decide_give(state: BankState, command: GiveEnd, by: ActContext) -> EndGiven:
    """Announces the end, as many days before as the terms want, with a place for the money that there is."""
    link = find_open(state, "link", command.link)
    refuse_if(bool(link.levels) and command.to is None, "end_needs_link", link=link.terms.link)
    check_day(command.day, command.due, link.terms.notice_days, by.at, last=True)
    to = None if command.to is None else find_other(state, link, command.to)
    if to is not None:
        places(link, to, command.levels)
        _check_stays(state, to, command.due)
    check_receives(state, link, command.due)
    check_new(state, (link.number, 0, 0, ""))
    return EndGiven(
        state.next_notice,
        link.number,
        command.day,
        command.due,
        to.number if to else 0,
        command.levels,
        command.reason,
        by.people,
    )


def _check_stays(state: BankState, to: Link, due: int) -> None:
    """Refuses a link that is announced to close by then itself."""
    for one in state.notices:
        if one.closes(to.number) and not one.table and one.due <= due:
            raise Refusal("end_to_closing_link", link=to.terms.link, notice=f"N{one.number}", day=one.day)


def apply_given(effects: Effects, event: EndGiven) -> None:
    """Keeps the notice; signs show it."""
    state = effects.state
    state.notices.append(
        Notice(
            event.notice, event.link, 0, 0, None, event.day, event.due, effects.at,
            ends=True, to=event.to, levels=event.levels,
        )
    )  # fmt: skip
    state.next_notice = event.notice + 1
    effects.noticed = True


class EndLink(ActCommand, tag="end-link", frozen=True):
    """The server takes the next step towards the announced end of a link.

    ahead_ms: how far its clock has jumped ahead, 0 for a clock that did not.
    """

    link: Id
    ahead_ms: int = 0


class WagersEnded(Event, frozen=True, array_like=True):
    """The last gaming day of a link is over: it takes no wagers any more. notice: as announced."""

    kind: ClassVar[int] = 98
    link: int
    notice: int


class LinkEnded(Event, frozen=True, array_like=True):
    """A link was closed by the server, as announced. to, changes, levels: as in `LinkClosed`."""

    kind: ClassVar[int] = 99
    link: int
    to: int
    changes: list[LevelChange]
    levels: tuple[str, ...]
    notice: int
    day: str


class EndWaits(Event, frozen=True, array_like=True):
    """A link cannot end as announced. code, template, values, hits: why, as in `Refused`."""

    kind: ClassVar[int] = 100
    link: int
    notice: int
    code: str
    template: str
    values: Values
    hits: list[int] = msgspec.field(default_factory=list)


def decide_end(state: BankState, command: EndLink, by: ActContext) -> WagersEnded | LinkEnded | EndWaits:
    """The next step: wagers stop when the day is over, then the link closes; what is in the way is told once.

    Wagers that stopped stay stopped, wherever the clock goes. A clock that jumped ahead stops none.
    """
    link = find_open(state, "link", command.link)
    notice = announced_end(state, link)
    if notice is None:
        raise Refusal("end_not_announced", link=link.terms.link)
    over = ENDED in link.suspended
    if not over and by.at >= notice.due and not command.ahead_ms:
        return WagersEnded(link.number, notice.number)
    try:
        to = _receiver(state, link, notice)
        if not over:
            _check_clock(link, notice, command, by.at)
        return _ended(state, link, to, notice)
    except Refusal as refusal:
        early = refusal.template in _PASSES_BY_ITSELF and by.at < notice.due + ALARM_AFTER_MS
        if refusal.template in ("end_not_due", notice.told) or early:
            raise
        return EndWaits(
            link.number, notice.number, refusal.code.value, refusal.template, refusal.values,
            list(refusal.hits),
        )  # fmt: skip


def _check_clock(link: Link, notice: Notice, command: EndLink, at: int) -> None:
    """Refuses an end before its day, by a right clock."""
    minutes = command.ahead_ms // MINUTE_MS
    refuse_if(at >= notice.due, "end_while_clock_jumped", link=link.terms.link, minutes=minutes)
    raise Refusal("end_not_due", link=link.terms.link, day=notice.day)


def _receiver(state: BankState, link: Link, notice: Notice) -> Link | None:
    """The link that the money goes to, None where none was named; refused where it cannot take it."""
    to = state.link(notice.to) if notice.to else None
    if to is not None:
        refuse_if(to.closed, "link_closed", field="to", link=to.terms.link)
        places(link, to, notice.levels)
    return to


def _ended(state: BankState, link: Link, to: Link | None, notice: Notice) -> LinkEnded:
    """The end of a link at rest, after the reading of its last day (S2)."""
    other = [reason for reason in link.suspended if reason not in _HARMLESS_SUSPENSIONS]
    if other:
        raise Refusal("end_while_suspended", link=link.terms.link, reasons=other)
    behind = [
        table.terms.table
        for table in state.tables
        if table.number in state.behind and link.number in table.links
    ]
    refuse_if(bool(behind), "end_while_behind", link=link.terms.link, tables=behind)
    refuse_if(state.last_day < notice.day, "end_before_reading", day=notice.day)
    rests(state, link)
    _nobody_asks(state, link)
    changes = closing(link, to, notice.levels)
    return LinkEnded(link.number, notice.to, changes, notice.levels, notice.number, notice.day)


def _nobody_asks(state: BankState, link: Link) -> None:
    """Refuses while somebody asks to reopen a round for a missed hand: the link's meters pay that (T10)."""
    for table in state.tables:
        asked = table.waits() is not None and table.closed is not None and link.number in table.closed.links()
        refuse_if(asked, "end_while_reopening_asked", table=table.terms.table, link=link.terms.link)


def apply_wagers_ended(effects: Effects, event: WagersEnded) -> None:
    """Stops wagers; open rounds are settled as ever."""
    effects.suspend(effects.state.link(event.link), ENDED)


def apply_ended(effects: Effects, event: LinkEnded) -> None:
    """Ends the link, which stays in the ledger; its notice is done."""
    empty(effects, event, CLOSED)
    forget_done(effects)


def apply_waits(effects: Effects, event: EndWaits) -> None:
    """Keeps what people were told, so that they are told once."""
    notices = effects.state.notices
    place = next(at for at, one in enumerate(notices) if one.number == event.notice)
    notices[place] = msgspec.structs.replace(notices[place], told=event.template)


def ending(state: BankState, at: int, *, closes: bool = True, ahead_ms: int = 0) -> Iterator[str]:
    """The links of which the server has a step to take now, in the order in which their ends were announced.

    at: the time now, in unix milliseconds. closes: whether it closes links now, too. ahead_ms: as
    in `EndLink`.
    """
    for notice in state.notices:
        if not notice.ends:
            continue
        name = state.link(notice.link).terms.link
        try:
            step = decide_end(state, EndLink(name, ahead_ms), ActContext(at=at))
        except Refusal:  # not yet, or told before: it is looked at again
            continue
        if closes or not isinstance(step, LinkEnded):
            yield name


def changes_if_now(state: BankState, event: Any) -> list[LevelChange]:
    """What an announced end would move if the link ended now; nothing of any other event."""
    if not isinstance(event, EndGiven):
        return []
    to = state.link(event.to) if event.to else None
    return outflow(state.link(event.link), to, event.levels)


ACTS: Final = (
    Act(GiveEnd, decide_give, {EndGiven: apply_given}, power=ADMIN, needs_two="why_link_ends"),
    Act(
        EndLink,
        decide_end,
        {WagersEnded: apply_wagers_ended, LinkEnded: apply_ended, EndWaits: apply_waits},
    ),
)
