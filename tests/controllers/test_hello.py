"""A device is authenticated by its own key, and by nothing else."""

from typing import Any

import pytest

from controllers.frames import encode
from controllers.session import Greeted, SessionClosed
from controllers.states import SessionState
from tests.controllers.pair import (
    KEY,
    NEW_KEY,
    hello,
    lock,
    said,
    server,
    welcome,
)


@pytest.mark.parametrize(("key", "index"), [(KEY, 0), (NEW_KEY, 1)])
def test_a_valid_hello_greets(key: bytes, index: int) -> None:
    """WIRE handshake: in a key rotation both keys are valid, and the server knows which it was."""
    session = server()
    assert session.receive_bytes(hello(key, acked=7), 1.0) == [Greeted("table", "T01", 7, None, index)]
    assert session.state is SessionState.TABLE_GREETED
    session.welcome(welcome())
    assert [message["t"] for message in said(session)] == ["challenge", "welcome"]


def test_a_sign_asks_for_links() -> None:
    """WIRE signs: optional links."""
    (greeted,) = server().receive_bytes(hello(role="sign", device="S01", links=["a"]), 0.0)
    assert greeted == Greeted("sign", "S01", None, ("a",), 0)


@pytest.mark.parametrize(
    "data",
    [
        hello(b"another key" * 3),
        hello(device="T99"),
        hello(role="sign"),
        hello(role="floor"),
        hello(mac=b""),
        hello(mac="x" * 32),
        hello(mac=None),
        hello(id=5),
        hello(id="x" * 65),
        hello(bytes(32), device="T99"),
        encode({"t": "hello"}),
        encode({"t": "ping"}),
        lock(1),
    ],
)
def test_who_cannot_prove_a_key_is_told_one_text(data: bytes) -> None:
    """WIRE faults: unknown device or wrong mac is `auth_failed`, always in the same words."""
    session = server()
    (closed,) = session.receive_bytes(data, 0.0)
    assert isinstance(closed, SessionClosed)
    assert closed.code == "auth_failed"
    error = {"t": "error", "code": "auth_failed", "message": "this device is not known here"}
    assert said(session)[1:] == [error]
    assert session.state is SessionState.CLOSED


def test_a_mac_is_computed_for_every_hello(monkeypatch: pytest.MonkeyPatch) -> None:
    """WIRE faults: a mac is always computed, as often for an unknown device as for a known one."""
    counts = []
    for data in (hello(), hello(device="T99"), hello(role="sign", device="S01"), encode({"t": "hello"})):
        macs: list[bytes] = []

        def counted(key: bytes, nonce: bytes, role: str, device: str, macs: list[bytes] = macs) -> bytes:
            macs.append(key)
            return b"never"

        monkeypatch.setattr("controllers.hello.hello_mac", counted)
        server().receive_bytes(data, 0.0)
        counts.append(len(macs))
    assert counts == [2, 2, 2, 2]


def test_the_certificate_must_name_the_device() -> None:
    """WIRE handshake: with mutual TLS the common name equals the id, and the mac is still required."""
    assert isinstance(server(common_name="T01").receive_bytes(hello(), 0.0)[0], Greeted)
    for session, data in [(server(common_name="T02"), hello()), (server(common_name="T01"), hello(b"x"))]:
        assert isinstance(session.receive_bytes(data, 0.0)[0], SessionClosed)


@pytest.mark.parametrize(
    ("field", "wrong"), [("v", 2), ("acked", -1), ("acked", 2**53 - 2**32 + 1), ("links", "a")]
)
def test_a_proven_hello_with_a_wrong_field_is_told_which(field: str, wrong: Any) -> None:
    """WIRE faults: the error names the field."""
    session = server()
    (closed,) = session.receive_bytes(hello(**{field: wrong}), 0.0)
    assert isinstance(closed, SessionClosed)
    assert closed.code == "bad_frame"
    assert field in closed.reason
