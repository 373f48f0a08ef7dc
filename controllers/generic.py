"""Tolerant payload reader, used where the typed decoder fails.

The typed decoder is quick, but stops at the first value that does not fit, even if a later duplicate key
would count. Then the payload is read again. Of duplicate keys the last counts, nil is the same as left out,
and unknown keys are skipped. Only named fields are decoded, and a list or map only if its header says that it
is short. So the work here is bounded for every payload; skipping costs the library some nanoseconds a byte.
"""

from collections.abc import Callable, Iterable
from typing import Any, Final

import msgspec
from msgspec import Raw

from controllers.frames import BadFrame

NIL: Final = b"\xc0"

Form = Callable[[bytes], Any]
"""How the bytes of one field are opened."""

_CLOSED: Final = frozenset(
    {*range(0x80, 0xA0), *range(0xDC, 0xE0), 0xC7, 0xC8, 0xC9, 0xD4, 0xD5, 0xD6, 0xD7, 0xD8}
)
"""Codes of maps, arrays and extensions."""

_ARRAY: Final = (0x90, 0xDC)
_MAP: Final = (0x80, 0xDE)
_ITEMS: Final = msgspec.msgpack.Decoder(list[Raw])
_PAIRS: Final = msgspec.msgpack.Decoder(dict[str, Raw])


class Opaque(msgspec.Struct, frozen=True):
    """A value that no field accepts: an extension, invalid UTF-8, a list or map where none belongs."""

    data: bytes


class TooMany(msgspec.Struct, frozen=True):
    """A list or map of more elements than its field may have."""

    data: bytes


class Shell:
    """Lazy map reader: finds the named fields and leaves each value as encoded bytes."""

    def __init__(self, fields: Iterable[str]) -> None:
        self._fields = tuple(fields)
        struct = msgspec.defstruct("Shell", [(field, Raw, Raw(NIL)) for field in self._fields])
        self._decoder: msgspec.msgpack.Decoder[Any] = msgspec.msgpack.Decoder(struct)

    def open(self, payload: bytes) -> dict[str, bytes]:
        """The fields that are present and not nil; raises BadFrame unless it is a map with string keys."""
        try:
            found = self._decoder.decode(payload)
        except RecursionError as error:
            raise BadFrame("not MessagePack that can be read: lists in lists too deep") from error
        except msgspec.MsgspecError as error:
            raise BadFrame("not a MessagePack map with string keys") from error
        given = ((field, bytes(getattr(found, field))) for field in self._fields)
        return {field: raw for field, raw in given if raw != NIL}


def scalar(raw: bytes) -> Any:
    """A decoded number, text, bytes or boolean; anything else is Opaque."""
    if raw[0] in _CLOSED:
        return Opaque(raw)
    try:
        return msgspec.msgpack.decode(raw)
    except UnicodeDecodeError:
        return Opaque(raw)


def listed(most: int, form: Form = scalar) -> Form:
    """Reader of a list, each element by `form`; TooMany above so many elements."""

    def opened(raw: bytes) -> Any:
        size = _size(raw, _ARRAY)
        if size is None:
            return scalar(raw)
        return [form(bytes(item)) for item in _ITEMS.decode(raw)] if size <= most else TooMany(raw)

    return opened


def mapped(most: int) -> Form:
    """Reader of a map from text to scalar; TooMany above so many pairs."""

    def opened(raw: bytes) -> Any:
        size = _size(raw, _MAP)
        if size is None:
            return scalar(raw)
        if size > most:
            return TooMany(raw)
        try:
            pairs = _PAIRS.decode(raw)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            return Opaque(raw)
        return {key: scalar(bytes(item)) for key, item in pairs.items()}

    return opened


def item(forms: dict[str, Form]) -> Form:
    """Reader of a map with these known fields; nil counts as left out."""
    shell = Shell(forms)

    def opened(raw: bytes) -> Any:
        if _size(raw, _MAP) is None:
            return scalar(raw)
        try:
            return {field: forms[field](part) for field, part in shell.open(raw).items()}
        except BadFrame:
            return Opaque(raw)

    return opened


def _size(raw: bytes, kind: tuple[int, int]) -> int | None:
    """Number of elements or pairs in the header of a list or map; None if the value is of another kind."""
    small, large = kind
    code = raw[0]
    if code & 0xF0 == small:
        return code & 0x0F
    if code not in (large, large + 1):
        return None
    return int.from_bytes(raw[1 : 3 if code == large else 5], "big")
