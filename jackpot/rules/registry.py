"""Registry of event kinds: by its number in the journal, each kind's type and how it changes the state."""

import re
from collections.abc import Callable
from types import GenericAlias
from typing import Any, Final

import msgspec

from jackpot.rules import events
from jackpot.rules.acts import ACT_BY, ACTS, conflict, lost_acks, requests
from jackpot.rules.effects import Effects
from jackpot.rules.events import Event
from jackpot.rules.rounds import apply as apply_rounds
from jackpot.rules.rounds import betting, lamps

APPLY: Final[dict[type[Event], Callable[[Effects, Any], None]]] = (
    betting.APPLIES
    | apply_rounds.APPLIES
    | lamps.APPLIES
    | lost_acks.GREETINGS
    | conflict.APPLIES
    | requests.APPLIES
    | {event: apply for act in ACTS for event, apply in act.applies.items()}
)
"""What each event changes."""

KINDS: Final[dict[int, type[Event]]] = {event.kind: event for event in APPLY}

_WITH_COMMAND: Final[tuple[type[Event], ...]] = (*ACT_BY, *requests.APPLIES, events.Refused)
WITH_COMMAND: Final = frozenset(event.kind for event in _WITH_COMMAND)
"""The kinds whose rows hold the command next to the event, as `row_commands` says."""

_decoders = {kind: msgspec.msgpack.Decoder(event) for kind, event in KINDS.items()}
_pairs: Final[dict[int, Any]] = {
    event.kind: msgspec.msgpack.Decoder(GenericAlias(tuple, (msgspec.Raw, event))) for event in _WITH_COMMAND
}


class UnknownEventError(Exception):
    """The journal holds a kind or version that this program does not know: the program is too old for it."""


def name_of(kind: int) -> str:
    """The name of a kind: `link_opened`."""
    event = KINDS.get(kind)
    return f"kind {kind}" if event is None else re.sub(r"(?<!^)([A-Z])", r"_\1", event.__name__).lower()


def decode(kind: int, version: int, body: bytes) -> Event:
    """Decodes the event of a journal row. Raises UnknownEventError, msgspec.DecodeError if damaged."""
    event = KINDS.get(kind)
    if event is None or not 1 <= version <= events.RULES_VERSION:
        message = f"event kind {kind} version {version} is unknown to this program"
        raise UnknownEventError(message)
    if kind in WITH_COMMAND:
        decoded: Event = _pairs[kind].decode(body)[1]
        return decoded
    return _decoders[kind].decode(body)
