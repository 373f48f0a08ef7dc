"""Compares a configuration with the terms that the ledger holds."""

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import msgspec

from jackpot.catalogue import money_text, rate_text
from jackpot.rules.paytable import LinkTerms

MONEY_FIELDS: Final = frozenset(
    {"wager", "most", "unit", "validate_at", "cage_at", "seed", "reseed", "limit", "must_hit_by"}
)
RATE_FIELDS: Final = frozenset({"primary", "reserve"})


class ParameterDifference(NamedTuple):
    """One parameter that has two values, each in words."""

    what: str
    before: str
    now: str


def differences(journal: LinkTerms, config: LinkTerms) -> list[str]:
    """The differences between the terms in the ledger and in the configuration, each in words (L9); pure."""
    return [
        f"{one.what}: {one.before} in the ledger, {one.now} in the configuration"
        for one in compared(journal, config)
    ]


def compared(before: LinkTerms, now: LinkTerms) -> list[ParameterDifference]:
    """The differences between two terms of a link (L9)."""
    return [
        ParameterDifference(what, _field_text(field, old), _field_text(field, new))
        for what, field, old, new in _pairs(before, now)
        if old != new
    ]


def _pairs(before: LinkTerms, now: LinkTerms) -> Iterator[tuple[str, str, Any, Any]]:
    """(in words, the field, its old value, its new value)."""
    names = [tuple(level.level for level in one.levels) for one in (before, now)]
    for field in LinkTerms.__struct_fields__:
        if field != "levels":
            yield field, field, getattr(before, field), getattr(now, field)
        elif names[0] != names[1]:
            yield field, field, names[0], names[1]
        else:
            for was, is_ in zip(before.levels, now.levels, strict=True):
                for of_level in was.__struct_fields__:
                    old, new = getattr(was, of_level), getattr(is_, of_level)
                    yield f"level {was.level} {of_level}", of_level, old, new


def _field_text(field: str, value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if field in MONEY_FIELDS:
        return money_text(value)
    if field in RATE_FIELDS:
        return rate_text(value)
    if field == "levels":
        return ", ".join(value)
    if isinstance(value, tuple):
        return msgspec.json.encode(value).decode()
    return str(value)
