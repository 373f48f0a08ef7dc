"""Operations on alarms that nobody has acknowledged yet."""

from typing import TYPE_CHECKING

import msgspec

from jackpot.api.operation import Elsewhere, Moment, Query, Reply
from jackpot.api.query_context import NOBODY
from jackpot.reports.read.people import PersonNames
from jackpot.rules import views

if TYPE_CHECKING:
    from jackpot.api.query_context import QueryContext


class Alarm(Reply, frozen=True):
    """An open alarm. alarm: what `acknowledge` calls it. means, then: of its kind, for everybody.

    where: a table, another device or a person. what: of the last time. seq, at: of the entry that raised it
    first. last: when it was raised last; times: how often.
    """

    alarm: str
    bank: str
    kind: str
    means: str
    then: str
    where: str
    what: str
    seq: int
    at: Moment
    last: Moment
    times: int


class Alarms(Reply, frozen=True):
    """The oldest first."""

    alarms: tuple[Alarm, ...]
    elsewhere: tuple[Elsewhere, ...]


class AskAlarms(Query, frozen=True):
    """Alarms that nobody has acknowledged (T3, S6, S9, L11)."""

    path = "/alarms"
    reply = Alarms

    async def answer(self, at: "QueryContext") -> Alarms:
        here, elsewhere = at.whose.with_people()
        found = [{**alarm, "bank": bank.name} for bank in here for alarm in await bank.ask(views.open_alarms)]
        called = await at.books.read(PersonNames.of) if any(one["person"] for one in found) else NOBODY
        told = (one | {"where": called.name(one["person"])} if one["person"] else one for one in found)
        alarms = sorted((msgspec.convert(one, Alarm) for one in told), key=lambda one: one.at)
        return Alarms(alarms=tuple(alarms), elsewhere=elsewhere)
