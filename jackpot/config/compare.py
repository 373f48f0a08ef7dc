"""Where does a configuration differ from what the ledger holds?"""

from typing import Any, Final

import msgspec

from jackpot.catalogue import money_text, rate_text
from jackpot.rules.paytable import LevelTerms, LinkTerms

MONEY_FIELDS: Final = frozenset({"wager", "validate_at", "seed", "reseed", "limit"})
RATE_FIELDS: Final = frozenset({"primary", "reserve"})


def differences(journal: LinkTerms, config: LinkTerms) -> list[str]:
    """Where the terms in the ledger and in the configuration differ, each in words (L9); pure."""
    found = []
    for field in LinkTerms.__struct_fields__:
        old, new = getattr(journal, field), getattr(config, field)
        if old == new:
            continue
        if field == "levels":
            found += _level_differences(old, new)
        else:
            found.append(
                f"{field}: {_shown(field, old)} in the ledger, {_shown(field, new)} in the configuration"
            )
    return found


def _level_differences(old: tuple[LevelTerms, ...], new: tuple[LevelTerms, ...]) -> list[str]:
    if [level.level for level in old] != [level.level for level in new]:
        shown = [", ".join(level.level for level in levels) for levels in (old, new)]
        return [f"levels: {shown[0]} in the ledger, {shown[1]} in the configuration"]
    return [
        f"level {was.level} {field}: {_shown(field, getattr(was, field))} in the ledger, "
        f"{_shown(field, getattr(now, field))} in the configuration"
        for was, now in zip(old, new, strict=True)
        for field in LevelTerms.__struct_fields__
        if getattr(was, field) != getattr(now, field)
    ]


def _shown(field: str, value: Any) -> str:
    if value is None:
        return "none"
    if field in MONEY_FIELDS:
        return money_text(value)
    if field in RATE_FIELDS:
        return rate_text(value)
    if isinstance(value, tuple):
        return msgspec.json.encode(value).decode()
    return str(value)
