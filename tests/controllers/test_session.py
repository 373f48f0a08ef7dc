"""The server's session keeps the protocol's table of faults, its limits and its deadlines."""

from math import inf

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controllers.answers import Ack, Award, Link, Nack, RoundFacts, StandingBet
from controllers.frames import FRAME_MAX, STRANGER_MAX, encode, frame
from controllers.messages import Lock, Malformed, Ping
from controllers.pace import Limits
from controllers.session import Commanded, Greeted, SessionClosed
from controllers.states import SessionState
from tests.controllers.pair import (
    NONCE,
    ack,
    heard,
    hello,
    lock,
    said,
    server,
    welcome,
    welcomed,
)
from tests.said import told


def test_the_server_challenges_at_once() -> None:
    """WIRE handshake: version, nonce and name."""
    assert said(server()) == [{"t": "challenge", "v": 1, "nonce": NONCE, "server": "north"}]


def test_no_hello_within_five_seconds() -> None:
    """WIRE faults: single bytes do not help."""
    session = server(now=100.0)
    assert session.receive_bytes(hello()[:-1], 104.0) == []
    assert session.next_deadline() == 105.0
    assert session.tick(104.9) == []
    (closed,) = session.tick(105.0)
    assert isinstance(closed, SessionClosed)
    assert closed.code == "auth_failed"


BAD = [b"\0\0\0\0", b"\xff\xff\xff\xff", frame(b"\xc1"), frame(b"\x90"), frame(b"\x80"), encode({"t": 5})]


@pytest.mark.parametrize("data", [*BAD, (STRANGER_MAX + 1).to_bytes(4, "big")])
def test_a_strangers_bad_frame(data: bytes) -> None:
    """WIRE faults: before welcome a frame has at most 4,096 bytes."""
    session = server()
    (closed,) = session.receive_bytes(data, 0.0)
    assert isinstance(closed, SessionClosed)
    assert said(session)[-1]["code"] == closed.code == "bad_frame"


@pytest.mark.parametrize(
    "data", [*BAD, (FRAME_MAX + 1).to_bytes(4, "big"), encode({"t": "lock"}), encode({"t": "x"}), hello()]
)
def test_a_tables_bad_frame_closes_after_what_came_before(data: bytes) -> None:
    """WIRE faults: `error bad_frame`, closed; whole commands before it stand."""
    session = welcomed()
    first, closed = session.receive_bytes(lock(1) + data + lock(2), 0.0)
    assert isinstance(first, Commanded)
    assert isinstance(closed, SessionClosed)
    assert said(session)[-1]["code"] == closed.code == "bad_frame"
    session.answer(ack(first))
    assert (session.data_to_send(), session.next_deadline()) == (b"", inf)
    assert session.receive_bytes(lock(3), 1.0) == session.tick(99.0) == session.receive_eof() == []


def test_a_longer_frame_after_welcome() -> None:
    """WIRE frames: 65,536 bytes after welcome."""
    (event,) = welcomed().receive_bytes(encode({"t": "lock", "seq": 1, "round": "R", "x": "x" * 9000}), 0.0)
    assert isinstance(event, Commanded)


def test_well_formed_but_wrong_is_a_command_to_refuse() -> None:
    """WIRE faults: the engine refuses it in its turn, after resend and seq_gap."""
    session = welcomed()
    events = heard(session, lock(1, "a b") + encode({"t": "nope", "seq": 2}), 0.0)
    messages = [event.message for event in events if isinstance(event, Commanded)]
    assert [type(message) for message in messages] == [Malformed, Malformed]
    assert [message.seq for message in messages] == [1, 2]
    assert session.state is SessionState.TABLE


def test_what_is_sent_before_welcome_waits_for_it() -> None:
    """WIRE handshake: the table goes on from the welcome; nothing is read before it."""
    session = server()
    (greeted,) = session.receive_bytes(hello() + lock(1), 0.0)
    assert isinstance(greeted, Greeted)
    assert session.reading_paused
    assert session.receive_bytes(lock(2), 0.0) == session.tick(1.0) == []
    session.welcome(welcome())
    assert session.waiting
    assert session.next_deadline() <= 1.0
    assert [event.seq for event in session.tick(1.0) if isinstance(event, Commanded)] == [1, 2]
    assert not session.waiting


def test_ping_is_answered_with_pong() -> None:
    """WIRE pushes: either side may ping; `at` comes back."""
    session = welcomed()
    session.receive_bytes(encode({"t": "ping", "at": 5}) + encode({"t": "ping"}) + encode({"t": "pong"}), 0.0)
    assert said(session) == [{"t": "pong", "at": 5}, {"t": "pong"}]


def test_something_is_sent_every_heartbeat() -> None:
    """WIRE faults: the server sends something every heartbeat, the welcome's wait included."""
    session = server()
    session.receive_bytes(hello(), 0.0)
    session.data_to_send()
    assert session.next_deadline() == 5.0
    session.tick(5.0)
    assert [message["t"] for message in said(session)] == ["ping"]
    session.welcome(welcome())
    session.data_to_send()
    for beat in (10.0, 15.0, 20.0):
        assert session.next_deadline() == beat
        session.receive_bytes(encode({"t": "pong"}), beat - 1)
        session.tick(beat)
        assert [message["t"] for message in said(session)] == ["ping"]


def test_a_ping_that_is_due_soon_goes_with_what_is_said() -> None:
    """WIRE faults: a heartbeat holds one ping, alone or with meters; it is never late, and never sooner."""
    session = server()
    session.receive_bytes(hello(), 0.0)
    session.welcome(welcome())
    session.data_to_send()
    for now, pings, due in ((3.9, [], 5.0), (4.2, ["ping"], 9.2), (5.0, [], 9.2), (8.3, ["ping"], 13.3)):
        session.receive_bytes(encode({"t": "pong"}), now)
        session.send_frame(encode({"t": "meters"}), now)
        assert [message["t"] for message in said(session)] == ["meters", *pings]
        assert session.next_deadline() == due


def test_two_silent_heartbeats_close() -> None:
    """WIRE faults: any whole frame counts, single bytes do not."""
    session = welcomed(Limits(heartbeat_ms=1000))
    session.receive_bytes(encode({"t": "pong"}), 1.5)
    session.receive_bytes(lock(1)[:-1], 3.0)
    assert session.tick(3.4) == []
    (closed,) = session.tick(3.5)
    assert isinstance(closed, SessionClosed)
    assert (closed.code, session.state) == (None, SessionState.CLOSED)


def test_a_device_that_is_not_read_is_not_silent() -> None:
    """WIRE faults: silence is the device's, not that of a server whose queue is full."""
    session = welcomed()
    session.intake.halted = True
    assert session.receive_bytes(lock(1), 1.0) == []
    for now in (5.0, 10.0, 15.0, 20.0):
        assert session.next_deadline() == now
        assert session.tick(now) == []
    session.intake.halted = False
    assert len(session.tick(21.0)) == 1
    assert session.next_deadline() == 25.0


def test_a_sign_only_pongs() -> None:
    """WIRE signs: nothing but pong is ever expected of a sign."""
    session = welcomed(role="sign")
    assert session.receive_bytes(encode({"t": "pong"}), 0.0) == []
    (closed,) = session.receive_bytes(lock(1), 0.0)
    assert closed == SessionClosed("bad_frame", "t: no lock is expected of a sign")


def test_fail_is_the_last_word() -> None:
    """WIRE faults: `replaced` is read no further and answers to it are dropped."""
    session = welcomed()
    (event,) = session.receive_bytes(lock(1), 0.0)
    session.fail("not_active", "standby", servers=["b:1"])
    session.answer(ack(event))  # type: ignore[arg-type]
    session.push(Link("a", "active", ""))
    session.send_frame(b"late")
    session.fail("replaced", "twice")
    assert said(session) == [{"t": "error", "code": "not_active", "message": "standby", "servers": ["b:1"]}]
    assert session.receive_bytes(lock(2), 0.0) == []


HUGE = "x" * 65_400


def test_an_answer_that_fits_no_frame_is_reduced() -> None:
    """WIRE frames: a ledger of before may hold one; the table hears seq and code, and the rest goes on."""
    session = welcomed()
    (first, second) = session.receive_bytes(lock(1) + lock(2), 0.0)
    assert isinstance(first, Commanded)
    assert isinstance(second, Commanded)
    session.answer(Nack(1, "bad_message", HUGE + HUGE, hits=("H1",)))
    session.answer(Ack(2, warn=(HUGE, HUGE)))
    nack, acked = said(session)
    assert nack == {"t": "nack", "seq": 1, "code": "bad_message", "message": "x" * 253 + "..."}
    assert acked == {"t": "ack", "seq": 2, "warn": ["too_long"]}


def test_a_last_answer_without_room_follows_the_welcome() -> None:
    """WIRE handshake: `last` is nil, `last_follows` true, and the answer is the next frame."""
    for message, shown in ((HUGE[:65_000], HUGE[:65_000]), (HUGE + HUGE, "x" * 253 + "...")):
        session = server()
        session.receive_bytes(hello(), 0.0)
        last = Nack(7, "bad_message", message)
        bets = (StandingBet(1, "L", "own", "p" * 64),) * 64
        round_ = RoundFacts("R1", "locked", bets, {}, None, (), (), ())
        session.welcome(welcome(last_seq=7, last=last, round=round_))
        _, welcomed_, follows = said(session)
        assert welcomed_ == told(welcome(last_seq=7, last=None, last_follows=True, round=round_))
        assert follows == {"t": "nack", "seq": 7, "code": "bad_message", "message": shown}
    session = server()
    session.receive_bytes(hello(), 0.0)
    short = Nack(7, "bad_message", "x")
    session.welcome(welcome(last_seq=7, last=short))
    assert said(session)[1:] == [told(welcome(last_seq=7, last=short))]


def test_an_error_is_never_long() -> None:
    """WIRE frames: the last word fits its frame too."""
    session = welcomed()
    session.fail("not_active", HUGE + HUGE)
    assert len(said(session)[0]["message"]) == 256


def test_the_server_may_not_speak_out_of_turn() -> None:
    """WIRE handshake: no push before welcome, no award for a sign: a mistake of the caller, told as such."""
    with pytest.raises(ValueError, match="ping may not be said"):
        server().push(Ping())
    with pytest.raises(ValueError, match="award may not be said"):
        welcomed(role="sign").push(
            Award(
                "A1",
                "H1",
                1,
                "L",
                None,
                "flush",
                "odds",
                1,
                "cage",
                "final",
                unverified=False,
                because=None,
                light=True,
            )
        )
    with pytest.raises(ValueError, match="lock may not be said"):
        server().push(Lock(1, "R1"))  # type: ignore[arg-type]


def test_an_ended_connection_is_told_once() -> None:
    """WIRE faults: a device that leaves is closed."""
    session = welcomed()
    assert session.receive_eof() == [SessionClosed(None, "ended by the device")]
    assert session.receive_eof() == []
    cut = welcomed()
    cut.receive_bytes(lock(1)[:9], 0.0)
    assert cut.receive_eof() == [SessionClosed(None, "ended inside a frame")]


pieces = st.one_of(
    st.binary(max_size=40),
    st.binary(min_size=1, max_size=40).map(frame),
    st.sampled_from([hello(), lock(1), lock(2, "\n"), encode({"t": "ping", "at": 1}), *BAD]),
)


@settings(max_examples=500, deadline=None)
@given(st.lists(st.tuples(pieces, st.sampled_from([0.0, 0.1, 3.0])), max_size=12), st.booleans())
def test_any_bytes_end_in_an_answer_or_a_closed_connection(
    steps: list[tuple[bytes, float]], greet: bool
) -> None:
    """Never an exception, and the server is never left without a deadline."""
    session = welcomed() if greet else server()
    now = 0.0
    for data, wait in steps:
        now += wait
        for event in [*session.receive_bytes(data, now), *session.tick(now)]:
            if isinstance(event, Greeted):
                session.welcome(welcome())
            elif isinstance(event, Commanded):
                session.answer(ack(event))
            else:
                assert session.state is SessionState.CLOSED
        said(session)
        assert (session.state is SessionState.CLOSED) == (session.next_deadline() == inf)
