"""Acknowledgement of alarms by a named person; their cause is resolved where it belongs."""

from typing import Annotated, ClassVar, Final

from msgspec import Meta

from jackpot.rules.acts.act import FLOOR_OR_ADMIN, Act, ActContext, BankKey
from jackpot.rules.acts.fields import NUMBER, Remark
from jackpot.rules.commands import ActCommand
from jackpot.rules.effects import Effects
from jackpot.rules.events import Event
from jackpot.rules.refusal import Refusal, refuse_if
from jackpot.rules.signing import SITE, People
from jackpot.rules.state import Alarm, BankState

AlarmId = Annotated[str, Meta(pattern=f"^AL{NUMBER}", description="an alarm's id, such as AL7")]


class AcknowledgeAlarm(ActCommand, tag="acknowledge", frozen=True):
    """Somebody has seen an alarm and deals with it. remark: what they found, "" where they say nothing."""

    alarm: AlarmId
    remark: Remark = ""


class AlarmAcknowledged(Event, frozen=True, array_like=True):
    """An alarm was acknowledged.

    what, place: the alarm's kind and place. times: how often it was raised until then.
    """

    kind: ClassVar[int] = 64
    alarm: int
    what: str
    place: str
    times: int
    remark: str
    people: People


def decide_acknowledge(state: BankState, command: AcknowledgeAlarm, by: ActContext) -> AlarmAcknowledged:
    """Takes one person; an alarm about people of the site takes an admin other than that person."""
    alarm = _find(state, command.alarm)
    for one in by.people.signed:
        no_admin = state.bank == SITE and "admin" not in one.roles
        refuse_if(no_admin, "alarm_needs_admin", person=one.id, alarm=command.alarm)
        refuse_if(one.id == alarm.person, "alarm_about_oneself", alarm=command.alarm, person=one.id)
    return AlarmAcknowledged(alarm.number, alarm.kind, alarm.place, alarm.times, command.remark, by.people)


def apply_acknowledged(effects: Effects, event: AlarmAcknowledged) -> None:
    """Closes the alarm; raised again, it is another one."""
    del effects.state.alarms[event.what, event.place]


def _find(state: BankState, name: str) -> Alarm:
    """The open alarm of that id; refused as `no_such_alarm`."""
    for alarm in state.alarms.values():
        if name == f"AL{alarm.number}":
            return alarm
    raise Refusal("alarm_not_open", alarm=name)


ACTS: Final = (
    Act(
        AcknowledgeAlarm,
        decide_acknowledge,
        {AlarmAcknowledged: apply_acknowledged},
        asked=True,
        bank=BankKey.SAID,
        power=FLOOR_OR_ADMIN,
    ),
)
