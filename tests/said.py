"""What does somebody hear? Values of the rules as the maps that they are once they were sent."""

from typing import Any, NamedTuple

import msgspec

from jackpot.rules.outcome import Entry, Greeting, Outcome


class PushHeard(NamedTuple):
    """As `outcome.Push`, its message a map."""

    message: dict[str, Any]
    table: str | None
    link: str | None
    signs_of: str | None


class Heard(NamedTuple):
    """As `outcome.Outcome`, its answer and its pushes maps."""

    entry: Entry | None
    answer: dict[str, Any]
    pushes: list[PushHeard]
    meters: tuple[tuple[str, str, int], ...]
    alarms: tuple[tuple[str, dict[str, Any]], ...]


def told(message: msgspec.Struct) -> dict[str, Any]:
    """The message as it is decoded where it arrives; what a table is greeted with as its welcome."""
    found: dict[str, Any] = msgspec.msgpack.decode(msgspec.msgpack.encode(message))
    return {"t": "welcome", **found} if isinstance(message, Greeting) else found


def heard(outcome: Outcome) -> Heard:
    """All that an outcome says."""
    pushes = [PushHeard(told(push.message), push.table, push.link, push.signs_of) for push in outcome.pushes]
    return Heard(outcome.entry, told(outcome.answer), pushes, outcome.meters, outcome.alarms)
