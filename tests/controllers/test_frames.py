"""Frames are cut and encoded as the protocol says."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controllers.frames import FRAME_MAX, BadFrame, FrameReader, decode, encode, frame


@given(st.lists(st.binary(min_size=1, max_size=300), max_size=8), st.integers(1, 400))
def test_a_stream_is_cut_where_it_was_joined(payloads: list[bytes], step: int) -> None:
    """WIRE frames: a u32 length and as many bytes, however the network cuts them."""
    stream = b"".join(map(frame, payloads))
    reader = FrameReader()
    cut = [part for at in range(0, len(stream), step) for part in reader.feed(stream[at : at + step])]
    assert cut == payloads
    assert len(reader) == 0


@pytest.mark.parametrize("length", [0, FRAME_MAX + 1, 2**32 - 1])
def test_a_forbidden_length_is_refused_at_its_head(length: int) -> None:
    """WIRE frames: 1 to 65,536 bytes; nothing is gathered for a longer one."""
    with pytest.raises(BadFrame):
        FrameReader().feed(length.to_bytes(4, "big"))


def test_the_longest_frame_passes_and_a_longer_one_cannot_be_sent() -> None:
    """WIRE frames: 65,536 bytes are allowed, both ways."""
    longest = bytes(FRAME_MAX)
    assert FrameReader().feed(frame(longest)) == [longest]
    with pytest.raises(ValueError, match="cannot be sent"):
        frame(longest + b"x")
    with pytest.raises(ValueError, match="cannot be sent"):
        frame(b"")


@given(st.binary(max_size=64))
def test_a_device_reads_any_payload_or_refuses_it(payload: bytes) -> None:
    """WIRE frames: bad bytes raise one exception type."""
    with suppress(BadFrame):
        assert isinstance(decode(payload)["t"], str)


def test_a_message_comes_back_as_it_was() -> None:
    """WIRE frames: one MessagePack map with string keys."""
    message = {"t": "ping", "at": 2**53 - 1}
    (payload,) = FrameReader().feed(encode(message))
    assert decode(payload) == message
