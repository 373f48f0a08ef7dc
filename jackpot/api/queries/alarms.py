"""Operations on alarms that nobody has acknowledged yet."""

from typing import TYPE_CHECKING, Any

import msgspec

from jackpot.api.operation import BankElsewhere, Moment, Query, Reply
from jackpot.api.query_context import NOBODY
from jackpot.config.phrases import sentence
from jackpot.reports.read.people import PersonNames
from jackpot.rules import views

if TYPE_CHECKING:
    from jackpot.api.query_context import QueryContext


class Alarm(Reply, frozen=True):
    """An open alarm. alarm: what `acknowledge` calls it. means, then: of its kind, for everybody.

    place: a table, another device or a person. what: the details of the last time, "" where the kind says
    all. template, values: the id of that sentence, and what varies in it, by name; a program looks at these,
    for a text may be reworded. seq, at: of the entry that raised it first. last: when it was raised last;
    times: how often.
    """

    alarm: str
    bank: str
    kind: str
    means: str
    then: str
    place: str
    what: str
    seq: int
    at: Moment
    last: Moment
    times: int
    template: str = ""
    values: dict[str, int | str] = msgspec.field(default_factory=dict)


class Alarms(Reply, frozen=True):
    """The oldest first."""

    alarms: tuple[Alarm, ...]
    elsewhere: tuple[BankElsewhere, ...]


class AskAlarms(Query, frozen=True):
    """Alarms that nobody has acknowledged (T3, S6, S9, L11)."""

    path = "/alarms"
    reply = Alarms

    async def answer(self, at: "QueryContext") -> Alarms:
        here, elsewhere = at.whose.with_people()
        found = [(bank.name, alarm) for bank in here for alarm in await bank.ask(views.open_alarms)]
        called = await at.books.read(PersonNames.of) if any(one["person"] for _, one in found) else NOBODY
        alarms = sorted((_alarm(bank, one, called) for bank, one in found), key=lambda one: one.at)
        return Alarms(alarms=tuple(alarms), elsewhere=elsewhere)


def _alarm(bank: str, alarm: dict[str, Any], called: PersonNames) -> Alarm:
    """An alarm of `views.open_alarms`; `what` stays a sentence, which a page translates."""
    person, said = alarm.pop("person"), alarm.pop("what")
    if person:
        alarm["place"] = called.name(person)
    if said is None:
        return Alarm(bank=bank, what="", **alarm)
    what = sentence(said)
    return Alarm(bank=bank, what=what, template=said.template, values=what.english_values, **alarm)
