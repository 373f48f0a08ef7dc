"""Checks every outgoing frame of the server, by its length and strictly by the schema.

What the server says to anybody is cut into frames here as it leaves, and each is decoded by the types of
`controllers.answers`. A frame that is too long, no message, or a message with a field that the schema does
not know, is a difference.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import msgpack
import msgspec
from msgspec import inspect

from controllers.answers import TEXT_MAX, ServerMessage
from controllers.frames import FRAME_MAX, STRANGER_MAX, BadFrame, FrameReader, TooLong, encode
from jackpot.rules.refusal import CODES
from tests.faults.difference import Difference

Map = dict[str, Any]

# Of a difference's text: what was said may be long.
SHOWN: Final = 300

_TYPED: Final[msgspec.msgpack.Decoder[Any]] = msgspec.msgpack.Decoder(ServerMessage)
_UNION: Final = inspect.type_info(ServerMessage)
assert isinstance(_UNION, inspect.UnionType)
_KINDS: Final = {kind.tag: kind for kind in _UNION.types if isinstance(kind, inspect.StructType)}


class Ear:
    """Reads and checks all that one connection is sent. hear: takes each checked message."""

    def __init__(self, hear: Callable[[Map], None]) -> None:
        self._hear = hear
        self._frames = FrameReader(FRAME_MAX)
        self._welcomed = False

    def listen(self, data: bytes) -> None:
        """The next bytes. Raises Difference."""
        try:
            payloads = self._frames.feed(data)
        except BadFrame as error:
            raise Difference(f"the server sends a {error}") from error
        for payload in payloads:
            message = checked(payload)
            self._welcomed |= message["t"] == "welcome"
            if not self._welcomed and len(payload) > STRANGER_MAX:
                raise Difference(f"a stranger is sent {len(payload)} bytes: {_shown(message)}")
            self._hear(message)


def checked(payload: bytes) -> Map:
    """The message of a payload; raises Difference where it is none of the schema."""
    message: Map = msgpack.unpackb(payload)
    try:
        _TYPED.decode(payload)
    except msgspec.MsgspecError as error:
        raise Difference(f"no message of the schema: {error}: {_shown(message)}") from error
    if unknown := list(_unknown(message, _KINDS[message["t"]])):
        raise Difference(f"fields that the schema does not know: {unknown} in {_shown(message)}")
    _check_text(message)
    return message


def check_answer(answer: Mapping[str, Any]) -> None:
    """An answer as it is decided, before it is journalled, fits a frame as it is; raises Difference."""
    try:
        encode(answer)
    except TooLong as error:
        raise Difference(f"an answer is decided that fits no frame: {error}: {_shown(answer)}") from error
    _check_text(answer)


def _check_text(message: Mapping[str, Any]) -> None:
    """A refusal tells little of what was sent, and by a code that stands in the protocol."""
    if len(message.get("message", "")) > TEXT_MAX:
        raise Difference(f"a text of {len(message['message'])} characters: {_shown(message)}")
    if message["t"] == "nack" and message["code"] not in CODES:
        raise Difference(f"a code that the protocol does not have: {_shown(message)}")


def _unknown(value: Any, kind: Any) -> list[str]:
    """The names in a decoded value that its type does not have."""
    if isinstance(kind, inspect.Metadata):
        return _unknown(value, kind.type)
    if isinstance(kind, inspect.UnionType):
        structs = [one for one in kind.types if isinstance(one, inspect.StructType)]
        if isinstance(value, dict) and structs:
            fitting = [one for one in structs if len(structs) == 1 or one.tag == value.get(one.tag_field)]
            return _unknown(value, fitting[0])
        return []
    if isinstance(kind, inspect.VarTupleType):
        return [name for one in value for name in _unknown(one, kind.item_type)]
    if isinstance(kind, inspect.StructType):
        fields = {field.encode_name: field.type for field in kind.fields}
        names = [name for name in value if name not in fields and name != kind.tag_field]
        return names + [
            f"{name}.{deeper}"
            for name, type_ in fields.items()
            if name in value
            for deeper in _unknown(value[name], type_)
        ]
    return []


def _shown(message: Mapping[str, Any]) -> str:
    return repr(message)[:SHOWN]
