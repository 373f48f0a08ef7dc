"""The test vectors are right: read independently, by hmac and MessagePack's own package."""

import hmac
import json
from typing import Any

import msgpack
import pytest

from controllers.answers import floor_schema
from controllers.frames import BadFrame, FrameReader
from controllers.messages import COMMAND_NAMES, decode_device, decode_hello, digest
from tests.controllers.vectors import BINARY, FILE, text

FOUND: dict[str, Any] = json.loads(FILE.read_text())


def plain(message: Any) -> Any:
    """A decoded message in the form of the file."""
    if isinstance(message, dict):
        return {key: value.hex() if key in BINARY else plain(value) for key, value in message.items()}
    return [plain(item) for item in message] if isinstance(message, list) else message


def payload_of(frame: str) -> bytes:
    (payload,) = FrameReader().feed(bytes.fromhex(frame))
    return payload


def test_the_file_is_what_is_written() -> None:
    """WIRE frames: schemas/vectors.json is made from the protocol's code."""
    assert FILE.read_text() == text(), "write it again: python -m tests.generated"


def test_each_mac_is_that_of_its_key_and_nonce() -> None:
    """WIRE handshake: HMAC-SHA256 over nonce, role, a zero byte and id, with nothing of ours."""
    for one in FOUND["macs"]:
        said = bytes.fromhex(one["nonce"]) + one["role"].encode() + b"\0" + one["id"].encode()
        assert hmac.new(bytes.fromhex(one["key"]), said, "sha256").hexdigest() == one["mac"]


def test_each_frame_is_its_message() -> None:
    """WIRE frames: a length and one map, read by MessagePack's own package."""
    for one in FOUND["frames"]:
        data = bytes.fromhex(one["hex"])
        assert int.from_bytes(data[:4], "big") == len(data) - 4
        assert plain(msgpack.unpackb(data[4:])) == one["message"]


def test_the_server_reads_each_frame_of_a_device() -> None:
    """WIRE: none is refused, so none of its fields is against the contract."""
    for one in FOUND["frames"]:
        kind = one["message"]["t"]
        if one["from"] == "device" and kind == "hello":
            assert decode_hello(payload_of(one["hex"])) is not None
        elif one["from"] == "device":
            assert type(decode_device(payload_of(one["hex"]))).__name__.lower() == kind


def test_every_message_has_a_frame() -> None:
    """Nobody could compare a type without a vector. `round` and `state` are made of parts that are there."""
    known = {
        part["properties"]["t"]["enum"][0]
        for part in floor_schema()["$defs"].values()
        if "t" in part.get("properties", {})
    }
    assert set(COMMAND_NAMES) < known
    assert known - {one["message"]["t"] for one in FOUND["frames"]} == {"round", "state"}


def test_other_forms_are_the_same_content() -> None:
    """WIRE table commands: a resend is known by its decoded fields, however it is written."""
    first, *others = [one["hex"] for one in FOUND["frames"] if one["message"] == FOUND["same"]["message"]]
    assert not others
    wanted = digest(_command(first))
    for one in FOUND["same"]["frames"]:
        assert one["hex"] != first
        assert digest(_command(one["hex"])) == wanted, one["with"]


def _command(frame: str) -> Any:
    return decode_device(payload_of(frame))


@pytest.mark.parametrize("one", FOUND["bad"], ids=lambda one: one["what"])
def test_bad_frames_are_refused(one: dict[str, str]) -> None:
    """WIRE faults: `error bad_frame`, closed."""
    with pytest.raises(BadFrame):
        decode_device(payload_of(one["hex"]))
