"""Commands in journal rows: what was asked for, next to the event that it came to (S8).

The body of a row of an act, or of a refusal, is the pair [command, event]. A frame that was carried out keeps
its event alone: `redecide` builds the frame from that. What the event says under the same name the command
does not repeat, so a text that people wrote stands in a row once. nil stands for a command that is not kept:
of a table's own void, of a refusal as `internal`, and of a refused frame above FRAME_KEPT_MAX. A request, and
a refused act, keep the command in their event.
"""

from functools import cache
from typing import Any, Final, get_type_hints

import msgspec

from controllers.messages import COMMANDS, Malformed
from jackpot.rules import registry
from jackpot.rules.acts import ACTS
from jackpot.rules.commands import Command
from jackpot.rules.events import Event, Refused

# Bytes of a refused frame that its row keeps: more than a frame of a full table has. A device that sends what
# no table means cannot fill the journal with it.
FRAME_KEPT_MAX: Final = 1_024

_NIL: Final = b"\xc0"
# The keys under which acts and frames say which one they are, and what each is.
_ACT, _FRAME = "do", "t"
_NAMED: Final[dict[tuple[str, str], type[Command]]] = {
    **{(_ACT, act.name): act.command for act in ACTS},
    **{(_FRAME, str(kind.__struct_config__.tag)): kind for kind in COMMANDS},
    (_FRAME, "malformed"): Malformed,
}
_KEYS: Final = {kind: key for key, kind in _NAMED.items()}

_encode: Final = msgspec.msgpack.Encoder().encode
_pair: Final = msgspec.msgpack.Decoder(tuple[dict[str, Any] | None, msgspec.Raw])


def encode(event: Event, command: Command | None = None) -> bytes:
    """The canonical bytes of a row's body. command: what led to the event, None where it is not kept."""
    body = _encode(event)
    if event.kind not in registry.WITH_COMMAND:
        return body
    return b"\x92" + _encode_command(event, command) + body


def is_kept(body: bytes) -> bool:
    """Whether a body of such a pair has a command."""
    return body[1:2] != _NIL


def command_in(body: bytes, event: Event) -> Command | None:
    """The command in a row's body, None where it keeps none. Raises msgspec.DecodeError for another form."""
    if event.kind not in registry.WITH_COMMAND:
        return None
    said = _pair.decode(body)[0]
    if said is None:
        return None
    key, name = next(iter(said.items()), ("", ""))
    kind = _NAMED.get((key, str(name)))
    if kind is None:
        raise msgspec.ValidationError(f"there is no command {name!r}")
    fields: dict[str, Any] = {}
    for field, hint in _types(kind).items():
        if field in said:
            fields[field] = msgspec.convert(said[field], hint, builtin_types=(bytes,))
        elif field in event.__struct_fields__:
            told = msgspec.to_builtins(getattr(event, field), builtin_types=(bytes,))
            fields[field] = msgspec.convert(told, hint, builtin_types=(bytes,))
        else:
            raise msgspec.ValidationError(f"{field} of {name!r} is missing")
    return kind(**fields)


def _encode_command(event: Event, command: Command | None) -> bytes:
    if command is None or "command" in event.__struct_fields__:
        return _NIL
    key, name = _KEYS[type(command)]
    unsaid: dict[str, Any] = {key: name}
    for field in command.__struct_fields__:
        value = getattr(command, field)
        if field not in event.__struct_fields__ or _encode(value) != _encode(getattr(event, field)):
            unsaid[field] = value
    kept = _encode(unsaid)
    return _NIL if isinstance(event, Refused) and len(kept) > FRAME_KEPT_MAX else kept


@cache
def _types(kind: type[Command]) -> dict[str, Any]:
    """The types of a command's fields, without bounds: these held where people or devices sent it."""
    hints = get_type_hints(kind)
    return {name: hints[name] for name in kind.__struct_fields__}
