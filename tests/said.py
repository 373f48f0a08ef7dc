"""Converts values of the rules to the maps that a receiver decodes."""

from typing import Any, NamedTuple

import msgspec

from jackpot.rules.outcome import DecidedEntry, Greeting, Outcome


class PushHeard(NamedTuple):
    """`outcome.Push` with its message as a map."""

    message: dict[str, Any]
    table: str | None
    link: str | None
    signs_of: str | None


class Heard(NamedTuple):
    """`outcome.Outcome` with its answer and its pushes as maps."""

    entry: DecidedEntry | None
    answer: dict[str, Any]
    pushes: list[PushHeard]
    meters: tuple[tuple[str, str, int], ...]
    alarms: tuple[tuple[str, dict[str, Any]], ...]


def told(message: msgspec.Struct) -> dict[str, Any]:
    """The message as the receiver decodes it; the greeting of a table as its welcome."""
    found: dict[str, Any] = msgspec.msgpack.decode(msgspec.msgpack.encode(message))
    return {"t": "welcome", **found} if isinstance(message, Greeting) else found


def heard(outcome: Outcome) -> Heard:
    """The answer and pushes of an outcome as maps."""
    pushes = [PushHeard(told(push.message), push.table, push.link, push.signs_of) for push in outcome.pushes]
    return Heard(outcome.entry, told(outcome.answer), pushes, outcome.meters, outcome.alarms)
