"""Which questions and acts are there? Each file of a subject is named here, and nothing else of it.

What the HTTP API serves, the published schema describes and the tests ask comes from these two tuples.
"""

from typing import Final, TypeVar

from jackpot.api import preview
from jackpot.api.act_reply import Done
from jackpot.api.operation import Ask, Question, Reply, ServerAct, path_of
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
    """What of that the subjects have; a class that others are made of is not asked itself."""
    return [
        kind
        for subject in _SUBJECTS
        for kind in vars(subject).values()
        if isinstance(kind, type) and issubclass(kind, base) and kind.__module__ == subject.__name__
        if not kind.__subclasses__()
    ]


QUESTIONS: Final[tuple[type[Question], ...]] = tuple(
    sorted(_offered(Question), key=path_of)  # type: ignore[type-abstract]  # those that are not
)
ASKED_ACTS: Final[tuple[type[ServerAct | ActCommand], ...]] = tuple(
    sorted((*_offered(ServerAct), *(act.command for act in ACTS if act.asked)), key=path_of)
)


def reply_of(kind: type[Ask]) -> type[Reply]:
    """What an ask is answered with."""
    return Done if issubclass(kind, ActCommand) else kind.reply
