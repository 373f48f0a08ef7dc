"""What may be asked of a running server? Questions, acts of its own, and the acts of people in the registry.

A request names one of them in `do`, with its fields next to it. What is wrong with it is said of the field.
"""

import re
from collections.abc import Mapping
from typing import Any, Final, Union, get_args, get_type_hints

import msgspec

from controllers.messages import Id
from jackpot.rules import names
from jackpot.rules.acts import ACTS
from jackpot.rules.acts.fields import HitId, Role
from jackpot.rules.commands import ActCommand
from jackpot.rules.refusal import bounded

# What a complaint repeats of a request.
QUOTED_MOST: Final = 64


class BadRequest(Exception):
    """The request cannot be carried out as it stands; its text names the field that is missing or wrong."""


class Question(msgspec.Struct, frozen=True, tag_field="do", forbid_unknown_fields=True):
    """It changes nothing, and nobody stands for it."""


class Leases(Question, tag="leases", frozen=True):
    """Who has each bank?"""


class OfSite(Question, tag="site", frozen=True):
    """Where does the server stand, and how are sums and times written there?"""


class Status(Question, tag="status", frozen=True):
    """What do the books of each bank say (S1)?"""


class OpenHits(Question, tag="hits", frozen=True):
    """Which hits of a bank wait for people, the oldest first? after: newer ones than this."""

    after: HitId | None = None


class History(Question, tag="history", frozen=True):
    """Which hits did a bank ever have, the newest first? before: older ones than this."""

    before: HitId | None = None


class OneHit(Question, tag="hit", frozen=True):
    """What became of a hit?"""

    hit: HitId


class OneRound(Question, tag="round", frozen=True):
    """What is on a table?"""

    table: Id


class ServerAct(msgspec.Struct, frozen=True, tag_field="do", forbid_unknown_fields=True):
    """People ask it of this server, and not of a bank's rules."""


class HandOver(ServerAct, tag="hand-over", frozen=True):
    """Another server may take the bank now."""


class Revoke(ServerAct, tag="revoke", frozen=True):
    """A device's keys end for ever. key: the fingerprint of one of them, None for all that are valid."""

    device: Id
    role: Role = "table"
    key: str | None = None


Ask = Question | ServerAct | ActCommand
KINDS: Final[tuple[type[Ask], ...]] = (
    *Question.__subclasses__(),
    *ServerAct.__subclasses__(),
    *(act.command for act in ACTS if act.asked),
)
_BY_NAME: Final = {str(kind.__struct_config__.tag): kind for kind in KINDS}
_UNION: Final[Any] = Union[KINDS]  # noqa: UP007 - of the registry, so it cannot be written out


class Request(msgspec.Struct, frozen=True):
    """people: who stands for it, nobody for a question. bank: where its fields do not say which it is."""

    ask: Ask
    people: tuple[str, ...] = ()
    bank: str | None = None


class _Next(msgspec.Struct, frozen=True):
    """What may stand next to any ask. by: None for who is known otherwise; and_by: the second of two."""

    by: str | None = None
    and_by: str | None = None
    bank: str | None = None


def request_of(fields: Mapping[str, Any], login: str) -> Request:
    """A request of its fields, as in JSON. login: who asks where `by` does not say. Raises BadRequest."""
    near = {name: value for name, value in fields.items() if name in _Next.__struct_fields__}
    rest = {name: value for name, value in fields.items() if name not in near}
    try:
        found = msgspec.convert(near, _Next)
        ask: Ask = msgspec.convert(rest, _UNION)
    except msgspec.ValidationError as error:
        raise BadRequest(_wrong(error, fields.get("do"))) from error
    if isinstance(ask, Question):
        return Request(ask, (), found.bank)
    return Request(ask, _people(login if found.by is None else found.by, found.and_by), found.bank)


def _people(by: str, and_by: str | None) -> tuple[str, ...]:
    """Who stands for the act: one, or two different people."""
    asked = {"by": by, "and_by": and_by}
    given = {field: " ".join(name.split()) for field, name in asked.items() if name is not None}
    for field, name in given.items():
        wrong = names.fault(name)
        if wrong is not None:
            raise BadRequest(f"{field}: {wrong}")
    if len({names.plain(name) for name in given.values()}) < len(given):
        raise BadRequest(f"and_by: {given['and_by']!r} is the same person; a second one must stand for it")
    return tuple(given.values())


def _wrong(error: msgspec.ValidationError, do: Any) -> str:
    """The decoder's complaint as `field: what is wrong`."""
    text = str(error).replace("`", "")
    if absent := re.fullmatch(r"Object (missing required|contains unknown) field (.+?)(?: - at .*)?", text):
        return f"{absent[2][:QUOTED_MOST]}: {'missing' if absent[1][0] == 'm' else 'unknown'}"
    complaint, _, path = text.rpartition(" - at $.")
    field = re.split(r"\W", path)[0] if complaint else ""
    if field == "do":
        return f"do: {str(do)[:QUOTED_MOST]!r} is unknown"
    complaint = "characters not allowed" if "regex" in complaint else complaint
    said = _bounds(_BY_NAME.get(do) if isinstance(do, str) else None, field) or complaint or text
    return bounded(f"{field or 'request'}: {said[:1].lower()}{said[1:]}")


def _bounds(kind: type[Ask] | None, field: str) -> str | None:
    """What may stand in the field, in words; None where its type says enough."""
    hint = get_type_hints(kind, include_extras=True).get(field) if kind else None
    for part in (hint, *get_args(hint)):
        for meta in getattr(part, "__metadata__", ()):
            if meta.description:
                return str(meta.description)
    return None
