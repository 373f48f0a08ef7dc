"""Notices: what people announce, and what of it stands (P2)."""

from typing import TYPE_CHECKING

from controllers.messages import Id
from jackpot.api.act_reply import ActReply
from jackpot.api.operation import BadRequest, Moment, Money, Rate, Reply, ServerCommand
from jackpot.catalogue import parse_rate, rate_text
from jackpot.reports.read.gaming_days import day_began, day_ended, is_day
from jackpot.rules.acts.act import BankKey
from jackpot.rules.acts.ends import GiveEnd
from jackpot.rules.acts.fields import Cents, Day, Levels, Percentage, Reason
from jackpot.rules.acts.notices import GiveNotice
from jackpot.rules.money import decimal, from_cents
from jackpot.text import RefusalSentence

if TYPE_CHECKING:
    from jackpot.config import Site
    from jackpot.rules.state import BankState, Notice


class StandingNotice(Reply, frozen=True):
    """A notice that stands. amount: what a limit becomes. seed, rate: what a mystery level begins with then,
    and gains of a wager. All three are null where a link, or an offer, is withdrawn.

    link: null of a table's payout limit. table: null where it is about every table. level: whose limit it is.
    due: when the day begins, by the site's gaming days. given: when it was announced.

    ends: two people announced that the link ends with that day: due is when the day ends. to: the link that
    its money goes to then. levels: to which levels of it, where they have other names.
    """

    notice: str
    link: str | None
    table: str | None
    level: str | None
    amount: Money | None
    day: str
    due: Moment
    given: Moment
    ends: bool = False
    to: str | None = None
    levels: tuple[str, ...] = ()
    seed: Money | None = None
    rate: Rate | None = None


class Announce(ServerCommand, tag="announce", frozen=True):
    """A notice: a link or an offer is withdrawn from a day on, or a figure of it is another one (P2, Y11).

    day: the gaming day from which it is so. table: at that table alone. In place of withdrawing it, amount:
    the limit of the level, the sum by which a mystery level must hit, or the highest wager on an offer; seed:
    the sum with which a mystery level begins; rate: what it gains of a wager.
    """

    bank_key = BankKey.LINK
    reply = ActReply
    what = "announce that"
    link: Id
    day: Day
    reason: Reason
    table: Id | None = None
    level: Id | None = None
    amount: Cents | None = None
    seed: Cents | None = None
    rate: Percentage | None = None

    def of_site(self, site: "Site") -> GiveNotice:
        """The act of the rules. Raises BadRequest."""
        amount, seed = (None if sum_ is None else from_cents(sum_) for sum_ in (self.amount, self.seed))
        due, rate = _due(self.day, site), None if self.rate is None else _rate(self.rate)
        return GiveNotice(self.day, due, self.reason, self.link, self.table, self.level, amount, seed, rate)


class AnnounceEnd(ServerCommand, tag="announce-end", frozen=True):
    """A notice: a link ends with a gaming day, and its money goes to another link (P2, L8); two people.

    day: the last one on which wagers are taken. When it ends the server itself stops them, and closes the
    link once each round on it is finished, and each hit paid or undone. to: None for an offer. levels: as of
    a transfer.
    """

    reply = ActReply
    what = "announce that"
    link: Id
    day: Day
    reason: Reason
    to: Id | None = None
    levels: Levels = ()

    def of_site(self, site: "Site") -> GiveEnd:
        """The act of the rules. Raises BadRequest."""
        _check(self.day)
        due = day_ended(self.day, site)
        return GiveEnd(self.link, self.day, due, self.reason, self.to, self.levels)


class AnnouncePayoutLimit(ServerCommand, tag="announce-payout-limit", frozen=True):
    """A notice: base wagers of a table pay at most this from a day on (P2). day: as in `announce`."""

    bank_key = BankKey.TABLE
    reply = ActReply
    what = "announce that"
    table: Id
    amount: Cents
    day: Day
    reason: Reason

    def of_site(self, site: "Site") -> GiveNotice:
        """The act of the rules. Raises BadRequest."""
        due = _due(self.day, site)
        return GiveNotice(self.day, due, self.reason, None, self.table, None, from_cents(self.amount))


def _rate(text: str) -> int:
    """A rate in basis points. Raises BadRequest for none, and for one of nothing."""
    try:
        rate = parse_rate(text)
    except ValueError:
        rate = 0
    if rate == 0:
        raise BadRequest(RefusalSentence("{rate} is no rate: above 0%, to 100%", field="rate", rate=text))
    return rate


def _due(day: str, site: "Site") -> int:
    """When the gaming day of that date begins, in unix milliseconds."""
    _check(day)
    return day_began(day, site)


def _check(day: str) -> None:
    if not is_day(day):
        raise BadRequest(RefusalSentence("{day} is no day", field="day", day=day))


def standing(state: "BankState") -> list[StandingNotice]:
    """The notices that stand in a bank, in the order in which they were given."""
    return [_standing_notice(state, notice) for notice in state.notices]


def _standing_notice(state: "BankState", notice: "Notice") -> StandingNotice:
    link = state.link(notice.link) if notice.link else None
    table = state.table(notice.table) if notice.table else None
    return StandingNotice(
        notice=f"N{notice.number}",
        link=None if link is None else link.terms.link,
        table=None if table is None else table.terms.table,
        level=None if link is None or not notice.level else link.levels[notice.level - 1].terms.level,
        amount=None if notice.amount is None else decimal(notice.amount),
        day=notice.day,
        due=notice.due,
        given=notice.at,
        ends=notice.ends,
        to=state.link(notice.to).terms.link if notice.to else None,
        levels=notice.levels,
        seed=None if notice.seed is None else decimal(notice.seed),
        rate=None if notice.rate is None else rate_text(notice.rate).replace(" ", ""),
    )
