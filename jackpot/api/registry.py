"""Registry of all operations. Each subject's file is named here, and nothing else of it.

The HTTP API, the published schema and the tests take their operations from these two tuples.
"""

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
    payouts,
    people,
    programs,
    requests,
    servers,
    tables,
)
from jackpot.rules.acts import ACTS
from jackpot.rules.commands import ActCommand

T = TypeVar("T")
_SUBJECTS: Final = (
    alarms,
    devices,
    hits,
    journal,
    links,
    payouts,
    people,
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


def reply_of(kind: type[Ask]) -> type[Reply]:
    """The reply type of an operation."""
    return ActReply if issubclass(kind, ActCommand) else kind.reply
