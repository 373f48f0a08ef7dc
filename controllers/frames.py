"""Framing: cuts a byte stream into frames, and encodes messages as frames.

A frame is a big-endian u32 length N and N bytes of one MessagePack map.
"""

from collections.abc import Mapping
from struct import Struct
from typing import Any, Final

import msgpack
import msgspec

FRAME_MAX: Final = 65_536
"""Bytes of one frame: the largest settle fits many times, and a device can hold it in small memory."""

STRANGER_MAX: Final = 4_096
"""Bytes of one frame before `welcome`: a stranger may not make the server gather more."""

LENGTH_BYTES: Final = 4
_length: Final = Struct(">I").unpack_from


class BadFrame(Exception):
    """The exception for bytes that break the protocol; its text says what is wrong."""


class TooLong(ValueError):
    """A message to be sent does not fit in a frame."""


class FrameReader:
    """Cuts a stream of bytes into frames.

    maximum: the longest frame accepted now, in bytes; it may be raised between frames.
    """

    def __init__(self, maximum: int = FRAME_MAX) -> None:
        self.maximum = maximum
        self._buffer = bytearray()
        self._start = 0

    def __len__(self) -> int:
        """How many bytes are buffered."""
        return len(self._buffer) - self._start

    @property
    def whole(self) -> bool:
        """Whether `next_frame` has a result: a whole frame, or a forbidden length."""
        body = self._start + LENGTH_BYTES
        if len(self._buffer) < body:
            return False
        (length,) = _length(self._buffer, self._start)
        return len(self._buffer) >= body + length or not 1 <= length <= self.maximum

    def add(self, data: bytes) -> None:
        """Buffer bytes from the stream without cutting them yet."""
        if self._start:
            del self._buffer[: self._start]
            self._start = 0
        self._buffer += data

    def next_frame(self) -> bytes | None:
        """The next whole payload, None while it is incomplete; raises BadFrame at a forbidden length."""
        buffer, body = self._buffer, self._start + LENGTH_BYTES
        if len(buffer) < body:
            return None
        (length,) = _length(buffer, self._start)
        if not 1 <= length <= self.maximum:
            raise BadFrame(f"frame of {length} bytes: 1 to {self.maximum} are allowed")
        end = body + length
        if len(buffer) < end:
            return None
        self._start = end
        return bytes(buffer[body:end])

    def feed(self, data: bytes) -> list[bytes]:
        """Buffer bytes and yield every payload that is now whole; raises BadFrame."""
        self.add(data)
        payloads = []
        while (payload := self.next_frame()) is not None:
            payloads.append(payload)
        return payloads


def frame(payload: bytes) -> bytes:
    """The payload with its length prefix; raises TooLong outside 1..65,536 bytes."""
    if not 1 <= len(payload) <= FRAME_MAX:
        raise TooLong(f"a frame of {len(payload)} bytes cannot be sent")
    return len(payload).to_bytes(LENGTH_BYTES, "big") + payload


def encode(message: Mapping[str, Any] | msgspec.Struct) -> bytes:
    """One message as the bytes of its frame; raises TooLong."""
    return frame(msgpack.packb(message, default=msgspec.to_builtins))


def decode(payload: bytes) -> dict[str, Any]:
    """Decode one payload as a map with its type `t`, as a device does. Raises BadFrame."""
    try:
        message = msgpack.unpackb(payload)
    except (ValueError, TypeError, RecursionError) as error:
        raise BadFrame(f"not MessagePack: {error}") from error
    if not isinstance(message, dict) or not isinstance(message.get("t"), str):
        raise BadFrame("not a map with a type t")
    return message
