"""Registry of all operations. Each subject's file is named here, and nothing else of it.

The HTTP API, the published schema and the tests take their operations from these two tuples. What names the
bank of each stands in BANK_KEYS.
"""

from collections.abc import Iterable
from typing import Final, TypeVar

from jackpot.api import preview
from jackpot.api.act_reply import ActReply
from jackpot.api.operation import Ask, Query, Reply, ServerCommand, path_of
from jackpot.api.queries import (
    alarms,
    devices,
    hits,
    journal,
    links,
    notices,
    payouts,
    people,
    posted,
    programs,
    requests,
    servers,
    tables,
)
from jackpot.rules.acts import ACT_OF, ACTS
from jackpot.rules.acts.act import BankKey, key_of
from jackpot.rules.commands import ActCommand

T = TypeVar("T")
_SUBJECTS: Final = (
    alarms,
    devices,
    hits,
    journal,
    links,
    notices,
    payouts,
    people,
    posted,
    preview,
    programs,
    requests,
    servers,
    tables,
)


def _offered(base: type[T]) -> list[type[T]]:
    """The subclasses that the subjects offer; a base class of others is no operation itself."""
    return [
        kind
        for subject in _SUBJECTS
        for kind in vars(subject).values()
        if isinstance(kind, type) and issubclass(kind, base) and kind.__module__ == subject.__name__
        if not kind.__subclasses__()
    ]


QUESTIONS: Final[tuple[type[Query], ...]] = tuple(
    sorted(_offered(Query), key=path_of)  # type: ignore[type-abstract]  # those that are not
)
ASKED_ACTS: Final[tuple[type[ServerCommand | ActCommand], ...]] = tuple(
    sorted((*_offered(ServerCommand), *(act.command for act in ACTS if act.asked)), key=path_of)
)


def bank_keys(kinds: Iterable[type[Ask]]) -> dict[type[Ask], BankKey]:
    """What names the bank of each operation that is about one.

    Raises TypeError for an act of which nothing names it, or for a key that its operation has no field for.
    """
    found: dict[type[Ask], BankKey] = {}
    for kind in kinds:
        declared = ACT_OF[kind].bank if issubclass(kind, ActCommand) else kind.bank_key
        if (key := key_of(kind.__struct_fields__, declared)) is not None:
            found[kind] = key
        elif not issubclass(kind, Query):
            raise TypeError(f"nothing names the bank of {kind.__name__}: declare a BankKey")
    return found


BANK_KEYS: Final = bank_keys((*QUESTIONS, *ASKED_ACTS))


def reply_of(kind: type[Ask]) -> type[Reply]:
    """The reply type of an operation."""
    return ActReply if issubclass(kind, ActCommand) else kind.reply
