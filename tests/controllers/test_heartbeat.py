"""A pong is read at little cost, and never out of order."""

from controllers.frames import encode
from controllers.pace import Limits
from controllers.session import SessionClosed
from tests.controllers.pair import hello, lock, said, server, welcomed


def test_the_pong_that_is_waited_for_is_all_there_is_to_say() -> None:
    """WIRE faults: it is a whole frame, so the device is not silent; a ping is answered once in this way."""
    session = welcomed()
    assert session.heartbeat.pong == b""
    session.tick(5.0)
    (ping,) = said(session)
    assert session.heartbeat.pong == encode({"t": "pong", "at": ping["at"]})
    assert session.heartbeat.ponged(session.intake, 9.0)
    assert session.heartbeat.pong == b""
    assert session.tick(18.9) == []
    (closed,) = session.tick(19.0)
    assert isinstance(closed, SessionClosed)


def test_a_pong_behind_something_else_waits_its_turn() -> None:
    """WIRE faults: behind half a frame, above the device's pace, or at a full server it is read in order."""
    for before in (lock(1)[:9], b"", encode({"t": "ping"}) * 20):
        session = welcomed(Limits(commands=10))
        session.receive_bytes(before, 5.0)
        session.intake.halted = not before
        assert not session.heartbeat.ponged(session.intake, 5.0)
    session = server()
    session.receive_bytes(hello(), 0.0)
    session.tick(5.0)
    assert not session.heartbeat.ponged(session.intake, 5.0)  # not before its welcome
