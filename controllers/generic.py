"""What does a payload hold, whatever its keys and values are? The slow decoder behind the typed one.

The typed decoder is quick but stops at the first value that does not fit, also where a later equal key
counts. Then this one reads the payload again, by the letter: of two equal keys the last counts, and
what nobody knows is carried along without being looked into.
"""

import struct
from typing import Any, Final

import msgspec

from controllers.frames import BadFrame

DEPTH_MOST: Final = 8
"""Levels that are opened; known messages have four, so what lies deeper is not ours to understand."""

_SIZED_CODES: Final = (0xC4, 0xC5, 0xC6, 0xC7, 0xC8, 0xC9, 0xD9, 0xDA, 0xDB, 0xDC, 0xDD, 0xDE, 0xDF)
_SIZES: Final = dict(zip(_SIZED_CODES, (1, 2, 4, 1, 2, 4, 1, 2, 4, 2, 4, 2, 4), strict=True))
"""Bytes of the size after a code: binary, extension, text (three codes each), array, map (two each)."""

_FORMS: Final = (">f", ">d", ">B", ">H", ">I", ">Q", ">b", ">h", ">i", ">q")
_NUMBERS: Final = dict(zip(range(0xCA, 0xD4), _FORMS, strict=True))

_CONSTANTS: Final[dict[int, bool | None]] = {0xC0: None, 0xC2: False, 0xC3: True}


class Opaque(msgspec.Struct, frozen=True):
    """A value that no field of the protocol accepts: an extension, text that is not UTF-8, one too deep."""

    data: bytes


class _Reader:
    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def take(self, size: int) -> bytes:
        end = self.at + size
        if end > len(self.data):
            raise BadFrame("not MessagePack: it ends too early")
        piece = self.data[self.at : end]
        self.at = end
        return piece

    def head(self) -> tuple[str, Any]:
        """The next element: its kind, and its value, or the size of an array or map still to be read."""
        code = self.take(1)[0]
        if code < 0x80 or code >= 0xE0:
            return "value", code if code < 0x80 else code - 0x100
        if code < 0xA0:
            return ("map" if code < 0x90 else "array"), code & 0x0F
        if code < 0xC0:
            return "str", self.take(code & 0x1F)
        if code in _CONSTANTS:
            return "value", _CONSTANTS[code]
        if code in _NUMBERS:
            form = _NUMBERS[code]
            return "value", struct.unpack(form, self.take(struct.calcsize(form)))[0]
        if 0xD4 <= code <= 0xD8:
            return "value", Opaque(self.take(1 + (1 << (code - 0xD4))))
        if code not in _SIZES:
            raise BadFrame("not MessagePack: the byte c1")
        return self._sized(code, int.from_bytes(self.take(_SIZES[code]), "big"))

    def _sized(self, code: int, size: int) -> tuple[str, Any]:
        if code >= 0xDC:
            return ("array" if code < 0xDE else "map"), size
        if code >= 0xD9:
            return "str", self.take(size)
        if code >= 0xC7:
            return "value", Opaque(self.take(1 + size))
        return "value", self.take(size)

    def skip(self, elements: int) -> None:
        """Pass over that many elements and all they hold, however deep."""
        while elements:
            kind, size = self.head()
            elements -= 1
            elements += {"array": 1, "map": 2}.get(kind, 0) * (size if kind in ("array", "map") else 0)

    def value(self, depth: int) -> Any:
        start = self.at
        kind, content = self.head()
        if kind == "value":
            return content
        if kind == "str":
            try:
                return content.decode()
            except UnicodeDecodeError:
                return Opaque(content)
        if depth >= DEPTH_MOST:
            self.skip(content * (2 if kind == "map" else 1))
            return Opaque(self.data[start : self.at])
        if kind == "array":
            return [self.value(depth + 1) for _ in range(content)]
        return {self.key(): self.value(depth + 1) for _ in range(content)}

    def key(self) -> Any:
        """A map's key; one that is no text becomes a tuple, which no map of the protocol takes."""
        start = self.at
        kind, content = self.head()
        if kind == "str":
            return content.decode(errors="replace")
        if kind in ("array", "map"):
            self.skip(content * (2 if kind == "map" else 1))
        return (self.data[start : self.at],)


def read(payload: bytes) -> dict[str, Any]:
    """The payload's map; raises BadFrame where it is no MessagePack map with string keys."""
    reader = _Reader(payload)
    content = reader.value(0)
    if reader.at != len(payload):
        raise BadFrame("not MessagePack: bytes follow the map")
    if not isinstance(content, dict) or not all(isinstance(key, str) for key in content):
        raise BadFrame("not a map with string keys")
    return content
