"""Operations on links and their levels: meters, terms, totals and suspensions."""

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Literal

import msgspec

from controllers.messages import Id
from jackpot.api.act_reply import ActReply
from jackpot.api.operation import (
    BankElsewhere,
    Moment,
    Money,
    NotDone,
    Query,
    Rate,
    Reply,
    Seq,
    ServerCommand,
    money,
)
from jackpot.api.preview import Difference, differing
from jackpot.api.queries.notices import StandingNotice, standing
from jackpot.catalogue import rate_text
from jackpot.ledger.store import LedgerError
from jackpot.reports.read import suspensions
from jackpot.reports.read.names import opened_at
from jackpot.rules import views
from jackpot.rules.acts.fields import Reason
from jackpot.rules.codes import Code
from jackpot.rules.effects import Map
from jackpot.rules.money import decimal
from jackpot.text import RefusalSentence

if TYPE_CHECKING:
    from jackpot.api.query_context import QueryContext
    from jackpot.bank.bank import Bank


class ShownHit(Reply, frozen=True):
    """A percentage hit, as a level remembers its last ones (S1). before, after: where the meter stood."""

    hit: str
    table: str
    hand: str
    amount: Money
    at: Moment
    cycle: int
    before: Money
    after: Money


class Level(Reply, frozen=True):
    """All of S1. value: the live meter. wagers: counted in it. awards: all that it ever paid.

    must_hit_by: of a mystery level, the sum by which its running cycle must hit (Y6).
    undone_wagers, undone_hits: left out of the other counts.
    """

    level: str
    value: Money
    reserve: Money
    overflow: Money
    seed: Money
    reseed: Money
    limit: Money | None
    primary_rate: Rate
    reserve_rate: Rate
    cycle: int
    hits: int
    wins: Money
    wagers: int
    undone_hits: int
    undone_wagers: int
    house: Money
    contributions: Money
    corrections: Money
    transfers: Money
    awards: Money
    last_hits: tuple[ShownHit, ...]
    must_hit_by: Money | None = None


class Left(Reply, frozen=True):
    """A sum that stays on a level until two people decide on it: a paid award would be higher by it (A11)."""

    left: str
    award: str
    level: str
    amount: Money


class Suspension(Reply, frozen=True):
    """Entry of the journal since which a cause holds a link. people: nobody where the server itself did it.

    reason: in people's words, "" where the server itself stopped wagers.
    """

    cause: str
    people: tuple[str, ...]
    at: Moment
    reason: str
    seq: Seq


class Link(Reply, frozen=True):
    """A link with its levels; an offer, which has none, with the amounts that it takes (B3).

    wagered: what stands of the wagers on an offer, which the house has. reasons: why it takes no wagers.
    paid_by: standing awards of all levels, by who pays (A8).

    awards_outside: odds, envy and draws, which no meter pays. opened: when, where one link is asked for.

    notices: those of it that stand, given at least so many days before (P2).

    form: of a mystery link, how the trigger is drawn (Y2); "" of another. ends: its last gaming day by the
    configuration, where that names one (P2).

    suspensions: who stopped wagers, when and why, for each of its reasons that an act began. It has none for
    the others, none from before banks were joined, and none while the ledger cannot be read.
    """

    link: str
    bank: str
    paytable: str
    wager: Money
    state: Literal["active", "suspended", "closed"]
    reasons: tuple[str, ...]
    paid_by: dict[str, Money]
    awards_outside: Money
    levels: tuple[Level, ...]
    left: tuple[Left, ...]
    differences: tuple[Difference, ...]
    opened: Moment | None = None
    most: Money | None = None
    unit: Money | None = None
    wagered: Money | None = None
    notice_days: int = 0
    notices: tuple[StandingNotice, ...] = ()
    form: Literal["", "committed", "drawn"] = ""
    ends: str | None = None
    suspensions: tuple[Suspension, ...] = ()


class Links(Reply, frozen=True):
    links: tuple[Link, ...]
    elsewhere: tuple[BankElsewhere, ...]


class AskLinks(Query, frozen=True):
    """Every link and level, as the books have them (S1). bank: of that one alone."""

    path = "/links"
    reply = Links
    bank: Id | None = None

    async def answer(self, at: "QueryContext") -> Links:
        here, elsewhere = at.whose.here(self.bank)
        links = tuple([link for bank in here for link in await _links(at, bank)])
        return Links(links=links, elsewhere=elsewhere)


class AskLink(Query, frozen=True):
    """One link and its levels, as the books have them (S1)."""

    path = "/links/{link}"
    reply = Link
    link: Id

    async def answer(self, at: "QueryContext") -> Link:
        bank = await at.own(self)
        found = {one.link: one for one in await _links(at, bank)}.get(self.link)
        if found is None:
            raise NotDone(
                Code.UNKNOWN_LINK,
                RefusalSentence("{link} is not open yet", field="link", link=repr(self.link)),
            )
        began = await at.books.read(lambda ledger: opened_at(ledger, bank.name, self.link))
        return msgspec.structs.replace(found, opened=began)


class ChangeParameters(ServerCommand, tag="change-parameters", frozen=True):
    """A suspended link plays on the terms of this server's configuration from now on (L9); two people."""

    reply = ActReply
    what = "change a link's parameters"
    link: Id
    reason: Reason


async def _links(at: "QueryContext", bank: "Bank") -> list[Link]:
    state, terms, notices = await bank.ask(
        lambda engine: (views.statistics(engine), views.link_terms(engine.state), standing(engine.state))
    )
    began = await _suspensions(at, bank, state["links"])
    return [
        Link(
            link=link["link"],
            bank=bank.name,
            paytable=link["paytable"],
            wager=money(link["wager"]),
            state=link["state"],
            reasons=tuple(link["reasons"]),
            paid_by={pays: decimal(micros) for pays, micros in link["paid_by"].items()},
            awards_outside=decimal(link["awards_outside"]),
            levels=tuple(map(_level, link["levels"])),
            left=tuple(_residual(one) for one in state["left"] if one["link"] == link["link"]),
            differences=differing(terms[link["link"]], at.config),
            most=_offered(link, link["most"]),
            unit=_offered(link, link["unit"]),
            wagered=_offered(link, link["wagered"]),
            notice_days=terms[link["link"]].notice_days,
            form=link["form"],
            ends=at.config.ends.get(link["link"]),
            notices=tuple(one for one in notices if one.link == link["link"]),
            suspensions=began.get(link["number"], ()),
        )
        for link in state["links"]
    ]


async def _suspensions(
    at: "QueryContext", bank: "Bank", links: Sequence[Map]
) -> dict[int, tuple[Suspension, ...]]:
    """The suspensions by link's number; of no link where the ledger cannot be read: its meters are shown."""
    standing = [(link["number"], cause) for link in links for cause in link["reasons"]]
    told = dict[int, tuple[Suspension, ...]]()
    if not standing:
        return told
    with suppress(LedgerError):
        found = await at.books.read(lambda ledger: suspensions.suspensions(ledger, bank.name, standing))
        called = await at.called(one.people for one in found)
        for one in found:
            said = Suspension(
                cause=one.cause, people=called.said(one.people), at=one.at, reason=one.reason, seq=one.seq
            )
            told[one.link] = (*told.get(one.link, ()), said)
    return told


def _offered(link: Map, micros: int) -> str | None:
    """A sum of an offer; None for a link with levels."""
    return None if link["levels"] else decimal(micros)


def _residual(one: Map) -> Left:
    return Left(left=one["left"], award=one["award"], level=one["level"], amount=decimal(one["amount"]))


def _level(level: Map) -> Level:
    sums = (
        "reserve", "overflow", "seed", "reseed", "wins", "house", "contributions", "corrections", "transfers",
        "awards",
    )  # fmt: skip
    told = {
        "value": decimal(level["primary"]),
        **{name: None if level[name] is None else decimal(level[name]) for name in ("limit", "must_hit_by")},
        "last_hits": [
            hit
            | {"amount": money(hit["amount"])}
            | {stood: decimal(hit[stood]) for stood in ("before", "after")}
            for hit in level["last_hits"]
        ],
        **{name: decimal(level[name]) for name in sums},
        **{name: _rate(level[name]) for name in ("primary_rate", "reserve_rate")},
    }
    return msgspec.convert(level | told, Level)


def _rate(points: int) -> str:
    return rate_text(points).replace(" ", "")
