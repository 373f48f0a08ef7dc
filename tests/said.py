"""Converts values of the rules to the maps that a receiver decodes."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec

from jackpot.rules import registry
from jackpot.rules.events import Refused
from jackpot.rules.outcome import DecidedEntry, Greeting, Outcome
from jackpot.rules.phrases import field_of, phrase
from jackpot.rules.refusal import Refusal


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


def refusal(answer: Mapping[str, Any]) -> tuple[Any, ...]:
    """How an act was refused: the code, the template and the values."""
    return answer["code"], answer["template"], *answer.get("values", ())


def problem(answer: Mapping[str, Any]) -> tuple[str, str | None, dict[str, Any]]:
    """How the API refused something: the code, the template and the values by name."""
    return answer["code"], answer.get("template"), answer.get("values", {})


def in_words(template: str, /, **values: Any) -> str:
    """What a command prints of a template with these values; a person as the site calls them."""
    return str(phrase(template, **values))


def refused_frame(outcome: "Outcome | Heard") -> tuple[Any, ...]:
    """How a frame was durably refused, by its entry: the code, the template and the values."""
    assert outcome.entry is not None
    event = registry.decode(outcome.entry.kind, outcome.entry.version, outcome.entry.body)
    assert isinstance(event, Refused)
    return event.code, event.template, *event.values


def refuses(template: str, **values: Any) -> str:
    """What `verify` says of a row that the rules refuse."""
    refusal = Refusal(template, **values)
    return f"the rules refuse it: {refusal.message} ({refusal.code})"


def field(answer: Mapping[str, Any]) -> str:
    """Which field of an act is wrong; "" where it was done."""
    return field_of(answer["template"], answer.get("values", ())) if "template" in answer else ""


def heard(outcome: Outcome) -> Heard:
    """The answer and pushes of an outcome as maps."""
    pushes = [PushHeard(told(push.message), push.table, push.link, push.signs_of) for push in outcome.pushes]
    return Heard(outcome.entry, told(outcome.answer), pushes, outcome.meters, outcome.alarms)
