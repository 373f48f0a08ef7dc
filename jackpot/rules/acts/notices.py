"""Notices: what is withdrawn, lowered, or of a mystery changed, on the day that people announced (P2, Y11).

The terms say how many days before (`notice_days`). A notice stands, and signs show it, until what it
announced is done, or people withdraw it.
"""

from calendar import monthrange, timegm
from collections.abc import Callable
from typing import ClassVar, Final

from controllers.messages import Id
from jackpot.rules.acts.act import ADMIN, Act, ActContext, BankKey
from jackpot.rules.acts.fields import DAY_MS, Day, NoticeId, Reason
from jackpot.rules.commands import ActCommand
from jackpot.rules.effects import Effects
from jackpot.rules.events import Event
from jackpot.rules.paytable import LevelTerms, LinkTerms, TableTerms
from jackpot.rules.refusal import Refusal, refuse_if
from jackpot.rules.signing import People
from jackpot.rules.state import ENDED, FIGURES, BankState, Level, Link, Notice, Table

# A gaming day begins within a day of its date's midnight, and no clock is as much as a day from UTC.
_CLOCKS_MS: Final = 2 * DAY_MS
_MONTHS: Final = 12
# The calendar's last: its end is in a year of five digits by other clocks, which none can show.
_YEAR_MAX: Final = 9999


class GiveNotice(ActCommand, tag="give-notice", frozen=True):
    """People announce what ends, or which figure becomes another one, from a day on.

    day: when, as people read it. due: when it begins by the site's clocks, in unix milliseconds.

    link: the link or offer that is withdrawn. table: at that table alone. amount: in place of that, the limit
    of its `level`, the sum by which a mystery `level` must hit, or the highest wager on an offer, becomes
    this; in micro-dollars. With a table and no link it is the payout limit of that table. seed, rate: in
    place of `amount`, the sum with which a mystery `level` begins, and its rate in basis points.
    """

    day: Day
    due: int
    reason: Reason
    link: Id | None = None
    table: Id | None = None
    level: Id | None = None
    amount: int | None = None
    seed: int | None = None
    rate: int | None = None


class NoticeGiven(Event, frozen=True, array_like=True):
    """A notice stands from here on. notice: its number. Otherwise as in `GiveNotice`, by numbers."""

    kind: ClassVar[int] = 90
    notice: int
    day: str
    due: int
    link: int | None
    table: int | None
    level: int | None
    amount: int | None
    reason: str
    people: People
    seed: int | None = None
    rate: int | None = None


def decide_give(state: BankState, command: GiveNotice, by: ActContext) -> NoticeGiven:
    """Announces it, as many days before as the terms want."""
    link = None if command.link is None else _open_link(state, command.link)
    table = None if command.table is None else _table(state, command.table)
    figure, *others = [name for name in FIGURES if getattr(command, name) is not None] or [""]
    if others:
        raise Refusal("notice_of_two_figures", field=others[0])
    level = None
    if link is None:
        refuse_if(table is None or figure != "amount", "notice_of_nothing")
    elif table is not None:
        away = link.number not in table.links
        refuse_if(away, "notice_link_not_of_table", link=link.terms.link, table=table.terms.table)
        refuse_if(bool(figure), "notice_limit_of_all_tables")
    if figure:
        level = _level(link, command.level)
        _check_other(link, table, level, command, figure)
    else:
        refuse_if(command.level is not None, "notice_of_level_without_limit")
    days = _days(link, table)
    check_day(command.day, command.due, days, by.at)
    if link is not None and table is None and not figure:
        check_receives(state, link, command.due)
    number = level.number if level is not None else None
    check_new(state, (link.number if link else 0, table.number if table else 0, number or 0, figure))
    return NoticeGiven(
        state.next_notice,
        command.day,
        command.due,
        link.number if link else None,
        table.number if table else None,
        number,
        command.amount,
        command.reason,
        by.people,
        command.seed,
        command.rate,
    )


def apply_given(effects: Effects, event: NoticeGiven) -> None:
    """Keeps the notice; signs show it."""
    state = effects.state
    about = event.link or 0, event.table or 0, event.level or 0
    state.notices.append(
        Notice(
            event.notice, *about, event.amount, event.day, event.due, effects.at,
            seed=event.seed, rate=event.rate,
        )
    )  # fmt: skip
    state.next_notice = event.notice + 1
    effects.noticed = True


def check_day(day: str, due: int, days: int, at: int, *, last: bool = False) -> None:
    """Refuses a day that is none, is past, or is announced too late.

    due: when the day begins, or ends where it is the `last` one. at: of the entry. Unix milliseconds.
    """
    past, late = ("end_day_past", "end_too_late") if last else ("notice_day_past", "notice_too_late")
    refuse_if(not _is_of(day, due - DAY_MS if last else due), "day_malformed", day=day)
    refuse_if(due <= at, past, day=day)
    refuse_if(due - at < days * DAY_MS, late, day=day, days=days)


def check_new(state: BankState, about: tuple[int, int, int, str]) -> None:
    """Refuses a second notice of one thing. about: as `Notice.about`."""
    stands = next((one for one in state.notices if one.about == about), None)
    if stands is not None:
        raise Refusal("notice_stands", notice=f"N{stands.number}", day=stands.day)


def check_receives(state: BankState, link: Link, due: int) -> None:
    """Refuses that a link closes before another one ends into it: that one's money would have no place.

    due: when it closes, in unix milliseconds.
    """
    for one in state.notices:
        if one.ends and one.to == link.number and due < one.due:
            other = state.link(one.link).terms.link
            raise Refusal(
                "end_of_receiving_link",
                link=link.terms.link,
                other=other,
                notice=f"N{one.number}",
                day=one.day,
            )


def announced_end(state: BankState, link: Link) -> Notice | None:
    """The notice by which the link ends with a gaming day; None where none stands."""
    return next((one for one in state.notices if one.ends and one.link == link.number), None)


class WithdrawNotice(ActCommand, tag="withdraw-notice", frozen=True):
    """What was announced is not done: the notice is taken away."""

    notice: NoticeId
    reason: Reason


class NoticeWithdrawn(Event, frozen=True, array_like=True):
    kind: ClassVar[int] = 91
    notice: int
    reason: str
    people: People


def decide_withdraw(state: BankState, command: WithdrawNotice, by: ActContext) -> NoticeWithdrawn:
    """Withdraws a notice that stands; never that of an end whose day is over."""
    notice = _find(state, command.notice)
    if notice is None:
        raise Refusal("notice_unknown", notice=command.notice)
    if notice.ends:
        link = state.link(notice.link)
        over = by.at >= notice.due or ENDED in link.suspended
        refuse_if(over, "end_has_come", link=link.terms.link, day=notice.day)
    return NoticeWithdrawn(notice.number, command.reason, by.people)


def apply_withdrawn(effects: Effects, event: NoticeWithdrawn) -> None:
    """Drops the notice; signs no longer show it."""
    _drop(effects, lambda one: one.number == event.notice)


def takes_back_end(state: BankState, command: WithdrawNotice, _at: int) -> str:
    """Why two people withdraw the notice of an end: two announced it, and where the money goes (L8)."""
    notice = _find(state, command.notice)
    return "why_end_withdrawn" if notice is not None and notice.ends else ""


def _find(state: BankState, name: str) -> Notice | None:
    return next((one for one in state.notices if f"N{one.number}" == name), None)


def check_closing(state: BankState, link: Link, table: Table | None, at: int) -> None:
    """Refuses to withdraw a link, at one table or at all, before the day that was announced for it.

    at: of the entry, in unix milliseconds.
    """
    here = (0,) if table is None else (0, table.number)
    given = [one for one in state.notices if one.closes(link.number) and one.table in here]
    _check(given, "notice_needed_closes", link.terms.notice_days, at, link.terms.link)


def check_link_terms(state: BankState, link: Link, terms: LinkTerms, at: int) -> None:
    """Refuses terms of a link with a lower limit than was announced, or before that day.

    Of a mystery level no figure is another one than was announced (Y11).
    """
    of = link.terms.notice_days, at, link.terms.link
    wagers = link.terms.most or None, terms.most or None
    _check_limit(state, (link.number, 0, 0, "amount"), wagers, of)
    for level, new in zip(link.levels, terms.levels, strict=True):
        for figure in FIGURES if level.mystery is not None else ("amount",):
            about = link.number, 0, level.number, figure
            check = _check_limit if level.mystery is None else _check_figure
            check(state, about, (_figure_of(level.terms, figure), _figure_of(new, figure)), of)


def check_table_terms(state: BankState, table: Table, terms: TableTerms, at: int) -> None:
    """Refuses terms of a table without a link, or with a lower payout limit, before the announced day."""
    for number in table.links:
        link = state.link(number)
        if not link.closed and link.terms.link not in terms.links:
            check_closing(state, link, table, at)
    about, limits = (0, table.number, 0, "amount"), (table.terms.payout_limit, terms.payout_limit)
    _check_limit(state, about, limits, (table.terms.notice_days, at, table.terms.table))


def _check_limit(
    state: BankState,
    about: tuple[int, int, int, str],
    limits: tuple[int | None, int | None],
    of: tuple[int, int, str],
) -> None:
    """Refuses a limit that is lower than was announced, or sooner.

    about: as `Notice.about`. limits: as it is and as it would be. of: the days before, the time of the entry,
    and whose limit it is.
    """
    (old, new), (days, at, name) = limits, of
    if new is None or (old is not None and new >= old):
        return
    given = [one for one in state.notices if one.about == about]
    _check(given, "notice_needed_lowers", days, at, name)
    told = [one for one in given if one.amount is not None and one.amount > new]
    if told:
        raise Refusal("notice_of_higher_limit", notice=f"N{told[0].number}", amount=told[0].amount)


def _check_figure(
    state: BankState,
    about: tuple[int, int, int, str],
    figures: tuple[int | None, int | None],
    of: tuple[int, int, str],
) -> None:
    """Refuses a figure of a mystery level that is another one than was announced, or sooner.

    about, figures, of: as of `_check_limit`.
    """
    (old, new), (days, at, name) = figures, of
    if new == old:
        return
    given = [one for one in state.notices if one.about == about]
    _check(given, "notice_needed_changes", days, at, name)
    for one in given:
        refuse_if(one.becomes != new, "notice_of_other_figure", notice=f"N{one.number}")


def forget_done(effects: Effects) -> None:
    """Drops the notices of what has come about: of an ended link, a dropped one, a limit as it is now."""
    _drop(effects, lambda one: _is_done(effects.state, one))


def _is_done(state: BankState, notice: Notice) -> bool:
    link = state.link(notice.link) if notice.link else None
    table = state.table(notice.table) if notice.table else None
    if link is not None and link.closed:
        return True
    if notice.becomes is not None:
        level = link.levels[notice.level - 1] if link is not None and notice.level else None
        now = _now(link, table, level, notice.figure)
        if level is not None and level.mystery is not None:
            return now == notice.becomes
        return now is not None and now <= notice.becomes
    return link is not None and table is not None and link.number not in table.links


def _drop(effects: Effects, drops: Callable[[Notice], bool]) -> None:
    kept = [one for one in effects.state.notices if not drops(one)]
    if len(kept) < len(effects.state.notices):
        effects.state.notices = kept
        effects.noticed = True


def _check(notices: list[Notice], needed: str, days: int, at: int, name: str) -> None:
    """Refuses what was not announced, or for a later day.

    notices: those that announce it. needed: the template where there are none.
    """
    if any(one.due <= at for one in notices):
        return
    if notices:
        first = min(notices, key=lambda one: one.due)
        raise Refusal("notice_not_due", name=name, day=first.day, notice=f"N{first.number}")
    refuse_if(days > 0, needed, name=name, days=days)


def _open_link(state: BankState, name: str) -> Link:
    found = next((link for link in state.links if link.terms.link == name), None)
    if found is None:
        raise Refusal("link_not_open_in_bank", field="link", link=name, bank=state.bank)
    refuse_if(found.closed, "link_closed", field="link", link=name)
    return found


def _table(state: BankState, name: str) -> Table:
    found = next((table for table in state.tables if table.terms.table == name), None)
    if found is None:
        raise Refusal("table_unknown", table=name)
    return found


def _level(link: Link | None, name: str | None) -> Level | None:
    """The level whose figure becomes another one, None where it is no level's."""
    if link is None or not link.levels:
        refuse_if(name is not None, "notice_without_level")
        return None
    names = [one.terms.level for one in link.levels]
    chosen = names[0] if name is None and len(names) == 1 else name
    if chosen not in names:
        raise Refusal("level_unknown", link=link.terms.link, level=chosen or "", levels=names)
    return link.levels[names.index(chosen)]


def _check_other(
    link: Link | None, table: Table | None, level: Level | None, command: GiveNotice, figure: str
) -> None:
    """Refuses a limit that is no lower one, and a figure that a mystery level has already, or cannot have."""
    now, then = _now(link, table, level, figure), getattr(command, figure)
    if level is not None and level.mystery is not None:
        refuse_if(then == now, "notice_of_figure_as_now", field=figure)
    else:
        refuse_if(figure != "amount", "notice_of_mystery_figure", field=figure)
        if now is not None and then >= now:
            raise Refusal("notice_not_lower", now=now)


def _now(link: Link | None, table: Table | None, level: Level | None, figure: str) -> int | None:
    """The figure as it is: of a level, of the wagers on an offer, or of a table's payouts."""
    if level is not None:
        return _figure_of(level.terms, figure)
    if link is None:
        return None if table is None else table.terms.payout_limit
    return link.terms.most or None


def _figure_of(terms: LevelTerms, figure: str) -> int | None:
    """A figure of a level's terms, by its name in a notice; a mystery's limit is its highest sum."""
    match figure:
        case "seed":
            return terms.reseed
        case "rate":
            return terms.primary
    return terms.limit if terms.must_hit_by is None else terms.must_hit_by


def _is_of(day: str, due: int) -> bool:
    """Whether a moment may be the beginning of that day by the clocks of any site.

    None is of the calendar's last year: where it begins a day later elsewhere, no clock can show it.
    """
    year, month, date = map(int, day.split("-"))
    if not (0 < month <= _MONTHS and 0 < year < _YEAR_MAX and 0 < date <= monthrange(year, month)[1]):
        return False
    return abs(due - timegm((year, month, date, 0, 0, 0)) * 1000) <= _CLOCKS_MS


def _days(link: Link | None, table: Table | None) -> int:
    """How many days before it is announced, by the terms."""
    if link is not None:
        return link.terms.notice_days
    return 0 if table is None else table.terms.notice_days


ACTS: Final = (
    Act(
        GiveNotice,
        decide_give,
        {NoticeGiven: apply_given},
        power=ADMIN,
    ),
    Act(
        WithdrawNotice,
        decide_withdraw,
        {NoticeWithdrawn: apply_withdrawn},
        asked=True,
        power=ADMIN,
        needs_two=takes_back_end,
        bank=BankKey.SAID,
    ),
)
