"""Corrections, transfers, closing of links (L8), and decisions on residual amounts (A11).

Each takes two people. What they move stands in the level's history, so that an undo of something before it
comes to the right sums (A11).
"""

from collections.abc import Iterable
from typing import ClassVar, Final, Literal, Protocol

from controllers.messages import Id
from jackpot.rules.acts.act import ADMIN, FLOOR_OR_ADMIN, Act, ActContext, BankKey
from jackpot.rules.acts.fields import LeftId, Levels, Micros, Reason
from jackpot.rules.acts.notices import check_closing, forget_done
from jackpot.rules.commands import ActCommand
from jackpot.rules.effects import Effects
from jackpot.rules.events import Event, LevelChange
from jackpot.rules.meter import Accounts, move
from jackpot.rules.refusal import Refusal, refuse_if
from jackpot.rules.rounds import mystery
from jackpot.rules.rounds.apply import mark_decided
from jackpot.rules.rounds.undo import LevelPoint, MeterMove, replay
from jackpot.rules.signing import People
from jackpot.rules.state import CLOSED, BankState, Level, Link, ResidualAmount
from jackpot.rules.terms import SUM_MAX

# What tables and signs are told of a link whose money went to another one, until two people resume it (L8).
TRANSFERRED: Final = "transferred"

Account = Literal["primary", "reserve", "overflow"]


class CorrectMeter(ActCommand, tag="correct-meter", frozen=True):
    """One account of a level holds so much more, or less (L8), in micro-dollars; two people."""

    link: Id
    level: Id
    amount: Micros
    reason: Reason
    account: Account = "primary"


class MeterCorrected(Event, frozen=True, array_like=True):
    kind: ClassVar[int] = 80
    link: int
    level: int
    account: Account
    amount: int
    reason: str
    people: People


def decide_correct_meter(state: BankState, command: CorrectMeter, by: ActContext) -> MeterCorrected:
    """Corrects a meter; nothing is negative then, and nothing above the limit (L8)."""
    link = find_link(state, "link", command.link)
    level = _find_level(link, command.level)
    amount, account = command.amount, command.account
    refuse_if(amount == 0, "correction_of_nothing")
    closed = link.closed and amount > 0
    refuse_if(closed, "closed_link_takes_nothing", link=link.terms.link)
    after, limit = getattr(level.accounts, account) + amount, level.terms.limit
    held = after - amount
    refuse_if(after < 0, "meter_below_zero", account=account, held=held)
    above = account == "primary" and limit is not None and after > limit
    refuse_if(above, "meter_above_limit", account=account, held=held)
    refuse_if(after > SUM_MAX, "meter_above_max", account=account, held=held, most=SUM_MAX)
    if link.terms.mystery and amount > 0:
        refuse_if(account == "reserve", "mystery_without_reserve", link=link.terms.link)
        _check_below(link, level, after if account == "primary" else 0)
    return MeterCorrected(link.number, level.number, account, amount, command.reason, by.people)


def apply_meter_corrected(effects: Effects, event: MeterCorrected) -> None:
    """Moves the account, against the corrections."""
    change = Accounts(corrections=-event.amount)
    setattr(change, event.account, event.amount)
    _move(effects, LevelChange(event.link, event.level, change))


class DecideLeft(ActCommand, tag="decide-left", frozen=True):
    """A residual amount stays on the meter of a paid award, or is taken off (A11); two people."""

    left: LeftId
    remove: bool
    reason: Reason


class LeftDecided(Event, frozen=True, array_like=True):
    """A residual amount was decided on. amount: what is decided on, in micro-dollars."""

    kind: ClassVar[int] = 81
    left: int
    award: int
    link: int
    level: int
    amount: int
    remove: bool
    reason: str
    people: People


def decide_left(state: BankState, command: DecideLeft, by: ActContext) -> LeftDecided:
    """Two people decide on a residual amount; the winner gets it by a correction of the award (A10)."""
    one = next((one for one in state.left if f"D{one.number}" == command.left), None)
    if one is None:
        raise Refusal("left_unknown", left=command.left)
    level = state.link(one.link).levels[one.level - 1]
    taken = command.remove and level.history.emptied_since(one.award)
    refuse_if(taken, "left_taken_since")
    primary = level.accounts.primary
    gone = command.remove and primary < one.amount
    refuse_if(gone, "left_above_meter", held=primary)
    return LeftDecided(
        one.number, one.award, one.link, one.level, one.amount, command.remove, command.reason, by.people
    )


def apply_left_decided(effects: Effects, event: LeftDecided) -> None:
    """The amount no longer waits; what is removed leaves the meter as a correction does."""
    mark_decided(effects, _residual(effects.state, event.left), event.amount)
    if event.remove:
        change = Accounts(primary=-event.amount, corrections=event.amount)
        _move(effects, LevelChange(event.link, event.level, change))


class Transfer(ActCommand, tag="transfer", frozen=True):
    """A suspended link's money goes to another link of the bank, the house's back to it (L8); two people.

    levels: to which level of the other link, where that has none of the name.
    """

    link: Id
    to: Id
    reason: Reason
    levels: Levels = ()


class Transferred(Event, frozen=True, array_like=True):
    """A link's money went to another link.

    changes: of the levels of both links, before the limit of a level that receives. levels: as people gave
    them.
    """

    kind: ClassVar[int] = 82
    link: int
    to: int
    changes: list[LevelChange]
    levels: tuple[str, ...]
    reason: str
    people: People


def decide_transfer(state: BankState, command: Transfer, by: ActContext) -> Transferred:
    """Transfers all that is on the meters, less the house's money of the current cycle (L8).

    Of a link that has ended, too: a correction of what was won on it may have put money there since.
    """
    link = find_link(state, "link", command.link)
    refuse_if(not link.levels, "transfer_without_meter", link=link.terms.link)
    link, to = rests(state, link), find_other(state, link, command.to)
    changes = outflow(link, to, command.levels)
    _check_received(to, changes)
    return Transferred(link.number, to.number, changes, command.levels, command.reason, by.people)


def apply_transferred(effects: Effects, event: Transferred) -> None:
    """Empties the link, which takes no wagers until two people resume it; never where it has ended."""
    empty(effects, event, CLOSED if effects.state.link(event.link).closed else TRANSFERRED)


class CloseLink(ActCommand, tag="close-link", frozen=True):
    """A suspended link ends for ever (L8); two people. to: the link that its money goes to, None where only
    the house's is left. levels: as in `Transfer`.
    """

    link: Id
    reason: Reason
    to: Id | None = None
    levels: Levels = ()


class LinkClosed(Event, frozen=True, array_like=True):
    """A link was closed.

    to: 0 where nothing is left but the house's own. changes, levels: as in `Transferred`.
    """

    kind: ClassVar[int] = 83
    link: int
    to: int
    changes: list[LevelChange]
    levels: tuple[str, ...]
    reason: str
    people: People


def decide_close_link(state: BankState, command: CloseLink, by: ActContext) -> LinkClosed:
    """Closes a link: its money goes to another link, the house's money of the cycle to the house (L8)."""
    link = rests(state, find_open(state, "link", command.link))
    check_closing(state, link, None, by.at)
    to = None if command.to is None else find_other(state, link, command.to)
    changes = closing(link, to, command.levels)
    return LinkClosed(link.number, to.number if to else 0, changes, command.levels, command.reason, by.people)


def closing(link: Link, to: Link | None, levels: Iterable[str]) -> list[LevelChange]:
    """What closing a link at rest moves; refused where money of its players has no place."""
    changes = outflow(link, to, levels)
    left = sum(change.change.transfers for change in changes)
    if to is not None:
        _check_received(to, changes)
    homeless = to is None and left > 0
    refuse_if(homeless, "money_needs_link", left=left)
    return changes


def apply_link_closed(effects: Effects, event: LinkClosed) -> None:
    """Ends the link, which stays in the ledger."""
    empty(effects, event, CLOSED)
    forget_done(effects)


def find_link(state: BankState, field: str, name: str) -> Link:
    """The link of that id; refused as `unknown_link`."""
    found = next((link for link in state.links if link.terms.link == name), None)
    if found is None:
        raise Refusal("link_not_open_in_bank", field=field, link=name, bank=state.bank)
    return found


def at_rest(state: BankState, link: Link) -> None:
    """Refuses a link that takes wagers, has an unfinished round, or a hit not yet paid or undone (L8, L9)."""
    name = link.terms.link
    refuse_if(not link.suspended, "link_takes_wagers", link=name)
    for table in state.tables:
        for round_ in (table.round, table.closed):
            open_ = round_ is not None and round_.state != "closed" and link.number in round_.links()
            refuse_if(open_, "link_round_unfinished", table=table.terms.table, link=name)
    waits = sorted({hit for group in link.unpaid.values() for hit in group.hits})
    if waits:
        raise Refusal("link_hits_stand", tuple(waits), hits=[f"H{hit}" for hit in waits[:3]], link=name)


def find_open(state: BankState, field: str, name: str) -> Link:
    """The link of that id, unless it has ended; refused as `unknown_link` or `link_closed`."""
    link = find_link(state, field, name)
    refuse_if(link.closed, "link_closed", field=field, link=name)
    return link


def rests(state: BankState, link: Link) -> Link:
    """The link to be emptied; refused unless it is at rest, without residual amounts (A11)."""
    at_rest(state, link)
    waits = [f"D{one.number}" for one in state.left if one.link == link.number]
    refuse_if(bool(waits), "link_left_waits", left=waits, link=link.terms.link)
    return link


def find_other(state: BankState, link: Link, name: str) -> Link:
    """The link that receives the money, in the same bank."""
    if all(other.terms.link != name for other in state.links):
        raise Refusal("money_leaves_bank", link=name, bank=state.bank)
    to = find_open(state, "to", name)
    refuse_if(to is link, "money_to_same_link")
    return to


def _find_level(link: Link, name: str) -> Level:
    found = next((level for level in link.levels if level.terms.level == name), None)
    if found is None:
        known = [level.terms.level for level in link.levels]
        raise Refusal("level_unknown", link=link.terms.link, level=name, levels=known)
    return found


def outflow(link: Link, to: Link | None, levels: Iterable[str]) -> list[LevelChange]:
    """By level, what leaves it, and how much of that goes to which level of the other link; micro-dollars.

    An empty level is among them: the house has nothing in it from then on, either.
    The house gets its money of the current cycle back, as far as it is there: from the primary, then from the
    overflow, then from the reserve.
    """
    into_levels = {} if to is None else places(link, to, levels)
    out: list[LevelChange] = []
    into: dict[int, Accounts] = {}
    for level in link.levels:
        held, rest = level.accounts, stake_of(level)
        goes: dict[str, int] = {}
        for account in ("primary", "overflow", "reserve"):
            there = getattr(held, account)
            goes[account] = there - min(there, rest)
            rest -= min(there, rest)
        total = sum(goes.values())
        back = held.primary + held.reserve + held.overflow - total
        change = Accounts(-held.primary, -held.reserve, -held.overflow, house=back, transfers=total)
        out.append(LevelChange(link.number, level.number, change))
        if total and to is not None:
            if to.terms.mystery:  # it has no reserve, and its overflow never reaches the meter (Y1, Y4)
                goes["primary"] += goes.pop("reserve")
            _receive(into.setdefault(into_levels[level.number], Accounts()), goes)
    if to is not None:
        out += [LevelChange(to.number, number, change) for number, change in sorted(into.items())]
    return out


def stake_of(level: Level) -> int:
    """The house's money in the level's current cycle (L8); micro-dollars."""
    return level.mystery.stake if level.mystery is not None else replay(level.history).stake


def _check_received(to: Link, changes: Iterable[LevelChange]) -> None:
    """Refuses money that would lift a mystery level to the sum by which it must hit (Y11)."""
    for one in changes:
        if one.link == to.number and to.terms.mystery:
            level = to.levels[one.level - 1]
            _check_below(to, level, level.accounts.primary + one.change.primary)


def _check_below(link: Link, level: Level, after: int) -> None:
    most = mystery.must_hit_sum(mystery.cycle_of(level).terms)
    reached = after >= most
    refuse_if(reached, "mystery_would_hit", link=link.terms.link, level=level.terms.level, most=most)


def places(link: Link, to: Link, levels: Iterable[str]) -> dict[int, int]:
    """By each level's number, the level of the other link that receives its money."""
    own = {level.terms.level: level.number for level in link.levels}
    names = {level.terms.level: level.number for level in to.levels}
    given = dict(pair.split("=", 1) for pair in levels)
    for name in given:
        refuse_if(name not in own, "level_not_of_link", link=link.terms.link, level=name)
    goes = {number: given.get(name, name) for name, number in own.items()}
    for name in goes.values():
        refuse_if(name not in names, "level_needs_place", link=to.terms.link, level=name, levels=list(names))
    return {number: names[name] for number, name in goes.items()}


def _receive(change: Accounts, goes: dict[str, int]) -> None:
    change.add(Accounts(**goes, transfers=-sum(goes.values())))


def comes_to(state: BankState, level_change: LevelChange) -> Accounts:
    """The change of a level that people move: what would lift it above its limit is overflow (L7)."""
    level = state.link(level_change.link).levels[level_change.level - 1]
    after = level.accounts.copy()
    move(after, level.terms, level_change.change)
    return after.less(level.accounts)


def _move(effects: Effects, level_change: LevelChange, *, ends: bool = False) -> None:
    """Moves a level's accounts now; an undo of something earlier moves them again at this moment (A11)."""
    effects.move(level_change.link, level_change.level, comes_to(effects.state, level_change))
    level = effects.state.link(level_change.link).levels[level_change.level - 1]
    if level.mystery is not None:
        mystery.apply_moved(level, ends=ends)
        return
    history = level.history
    history.points.append(
        LevelPoint((effects.seq, 0), history.wagers, moved=MeterMove(level_change.change, ends))
    )


class Emptied(Protocol):
    """An event by which a link's money leaves it."""

    @property
    def link(self) -> int: ...
    @property
    def changes(self) -> list[LevelChange]: ...


def empty(effects: Effects, event: Emptied, reason: str) -> None:
    """Takes the link's money, ends its cycles, and suspends it for that reason."""
    for change in event.changes:
        _move(effects, change, ends=change.link == event.link)
    effects.suspend(effects.state.link(event.link), reason)


def _residual(state: BankState, number: int) -> ResidualAmount:
    return next(one for one in state.left if one.number == number)


ACTS: Final = (
    Act(
        CorrectMeter,
        decide_correct_meter,
        {MeterCorrected: apply_meter_corrected},
        asked=True,
        power=FLOOR_OR_ADMIN,
        needs_two="why_meter_corrected",
    ),
    Act(
        DecideLeft,
        decide_left,
        {LeftDecided: apply_left_decided},
        asked=True,
        bank=BankKey.SAID,
        power=FLOOR_OR_ADMIN,
        needs_two="why_left_decided",
    ),
    Act(
        Transfer,
        decide_transfer,
        {Transferred: apply_transferred},
        asked=True,
        power=ADMIN,
        needs_two="why_money_transferred",
    ),
    Act(
        CloseLink,
        decide_close_link,
        {LinkClosed: apply_link_closed},
        asked=True,
        power=ADMIN,
        needs_two="why_link_closed",
    ),
)
