"""Does the server's side hold the wire's table of faults, its limits and its deadlines?"""

from math import inf
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controllers.answers import Ack, Award, Link, Nack, RoundFacts, StandingBet
from controllers.frames import FRAME_MOST, STRANGER_MOST, encode, frame
from controllers.messages import Lock, Malformed, Ping
from controllers.pace import UNANSWERED_MOST, Limits
from controllers.session import (
    DEVICE_SAYS,
    SERVER_SAYS,
    TRANSITIONS,
    Closed,
    Commanded,
    Greeted,
    ServerSession,
    SessionEvent,
    State,
)
from tests.controllers.attacks import PAYLOADS
from tests.controllers.pair import KEY, NEW_KEY, NONCE, ack, hello, said, server, welcome, welcomed
from tests.said import told


def lock(seq: int, round_id: str = "R1") -> bytes:
    return encode({"t": "lock", "seq": seq, "round": round_id})


def heard(session: ServerSession, data: bytes, now: float) -> list[SessionEvent]:
    """What comes of these bytes, all turns that they take."""
    events = session.receive_bytes(data, now)
    while session.waiting:
        events += session.tick(now)
    return events


def test_the_table_of_states_is_closed() -> None:
    """WIRE handshake: every state leads to a known one, every message has a side that may say it."""
    assert set(TRANSITIONS) == set(State)
    listed = {message for row in TRANSITIONS.values() for message in row}
    assert listed == DEVICE_SAYS | SERVER_SAYS
    assert all(row["error"] is State.CLOSED for row in TRANSITIONS.values() if row)


def test_the_server_challenges_at_once() -> None:
    """WIRE handshake: version, nonce and name."""
    assert said(server()) == [{"t": "challenge", "v": 1, "nonce": NONCE, "server": "north"}]


@pytest.mark.parametrize(("key", "index"), [(KEY, 0), (NEW_KEY, 1)])
def test_a_valid_hello_greets(key: bytes, index: int) -> None:
    """WIRE handshake: in a key rotation both keys are valid, and the server knows which it was."""
    session = server()
    assert session.receive_bytes(hello(key, acked=7), 1.0) == [Greeted("table", "T01", 7, None, index)]
    assert session.state is State.TABLE_GREETED
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
    assert isinstance(closed, Closed)
    assert closed.code == "auth_failed"
    error = {"t": "error", "code": "auth_failed", "message": "this device is not known here"}
    assert said(session)[1:] == [error]
    assert session.state is State.CLOSED


def test_a_mac_is_computed_for_every_hello(monkeypatch: pytest.MonkeyPatch) -> None:
    """WIRE faults: a mac is always computed, as often for an unknown device as for a known one."""
    counts = []
    for data in (hello(), hello(device="T99"), hello(role="sign", device="S01"), encode({"t": "hello"})):
        macs: list[bytes] = []

        def counted(key: bytes, nonce: bytes, role: str, device: str, macs: list[bytes] = macs) -> bytes:
            macs.append(key)
            return b"never"

        monkeypatch.setattr("controllers.session.hello_mac", counted)
        server().receive_bytes(data, 0.0)
        counts.append(len(macs))
    assert counts == [2, 2, 2, 2]


def test_the_certificate_must_name_the_device() -> None:
    """WIRE handshake: with mutual TLS the common name equals the id, and the mac is still required."""
    assert isinstance(server(common_name="T01").receive_bytes(hello(), 0.0)[0], Greeted)
    for session, data in [(server(common_name="T02"), hello()), (server(common_name="T01"), hello(b"x"))]:
        assert isinstance(session.receive_bytes(data, 0.0)[0], Closed)


@pytest.mark.parametrize(
    ("field", "wrong"), [("v", 2), ("acked", -1), ("acked", 2**53 - 2**32 + 1), ("links", "a")]
)
def test_a_proven_hello_with_a_wrong_field_is_told_which(field: str, wrong: Any) -> None:
    """WIRE faults: the error names the field."""
    session = server()
    (closed,) = session.receive_bytes(hello(**{field: wrong}), 0.0)
    assert isinstance(closed, Closed)
    assert closed.code == "bad_frame"
    assert field in closed.reason


def test_no_hello_within_five_seconds() -> None:
    """WIRE faults: single bytes do not help."""
    session = server(now=100.0)
    assert session.receive_bytes(hello()[:-1], 104.0) == []
    assert session.next_deadline() == 105.0
    assert session.tick(104.9) == []
    (closed,) = session.tick(105.0)
    assert isinstance(closed, Closed)
    assert closed.code == "auth_failed"


BAD = [b"\0\0\0\0", b"\xff\xff\xff\xff", frame(b"\xc1"), frame(b"\x90"), frame(b"\x80"), encode({"t": 5})]


@pytest.mark.parametrize("data", [*BAD, (STRANGER_MOST + 1).to_bytes(4, "big")])
def test_a_strangers_bad_frame(data: bytes) -> None:
    """WIRE faults: before welcome a frame has at most 4,096 bytes."""
    session = server()
    (closed,) = session.receive_bytes(data, 0.0)
    assert isinstance(closed, Closed)
    assert said(session)[-1]["code"] == closed.code == "bad_frame"


@pytest.mark.parametrize(
    "data", [*BAD, (FRAME_MOST + 1).to_bytes(4, "big"), encode({"t": "lock"}), encode({"t": "x"}), hello()]
)
def test_a_tables_bad_frame_closes_after_what_came_before(data: bytes) -> None:
    """WIRE faults: `error bad_frame`, closed; whole commands before it stand."""
    session = welcomed()
    first, closed = session.receive_bytes(lock(1) + data + lock(2), 0.0)
    assert isinstance(first, Commanded)
    assert isinstance(closed, Closed)
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
    assert session.state is State.TABLE


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


def test_two_silent_heartbeats_close() -> None:
    """WIRE faults: any whole frame counts, single bytes do not."""
    session = welcomed(Limits(heartbeat_ms=1000))
    session.receive_bytes(encode({"t": "pong"}), 1.5)
    session.receive_bytes(lock(1)[:-1], 3.0)
    assert session.tick(3.4) == []
    (closed,) = session.tick(3.5)
    assert isinstance(closed, Closed)
    assert (closed.code, session.state) == (None, State.CLOSED)


def test_a_device_that_is_not_read_is_not_silent() -> None:
    """WIRE faults: silence is the device's, not that of a server whose queue is full."""
    session = welcomed()
    session.halted = True
    assert session.receive_bytes(lock(1), 1.0) == []
    for now in (5.0, 10.0, 15.0, 20.0):
        assert session.next_deadline() == now
        assert session.tick(now) == []
    session.halted = False
    assert len(session.tick(21.0)) == 1
    assert session.next_deadline() == 25.0


def test_a_sign_only_pongs() -> None:
    """WIRE signs: nothing but pong is ever expected of a sign."""
    session = welcomed(role="sign")
    assert session.receive_bytes(encode({"t": "pong"}), 0.0) == []
    (closed,) = session.receive_bytes(lock(1), 0.0)
    assert closed == Closed("bad_frame", "t: no lock is expected of a sign")


def test_the_sixty_fifth_command_waits() -> None:
    """WIRE faults: at 64 unanswered commands nothing further is read, but a full pipeline is no fault."""
    session = welcomed()
    events = heard(session, b"".join(map(lock, range(1, 65))), 0.0)
    assert (len(events), session.reading_paused) == (UNANSWERED_MOST, False)
    assert session.receive_bytes(encode({"t": "ping"}) + lock(65) + lock(66), 0.0) == []
    assert said(session) == [{"t": "pong"}]
    assert session.reading_paused
    assert session.tick(30.0) == []
    session.answer(ack(events[0]))  # type: ignore[arg-type]
    assert session.waiting
    (held,) = session.tick(30.0)
    assert isinstance(held, Commanded)
    assert held.seq == 65
    assert session.reading_paused


def test_too_many_for_too_long() -> None:
    """WIRE faults: sustained for 60 s it is `error too_many`, closed."""
    session = welcomed()
    heard(session, b"".join(map(lock, range(1, 67))), 1.0)
    for at in range(5, 60, 5):
        assert session.tick(float(at)) == []
    assert session.next_deadline() <= 61.0
    (closed,) = session.tick(61.0)
    assert isinstance(closed, Closed)
    assert said(session)[-1]["code"] == closed.code == "too_many"


LIMITS = Limits(commands=10, bytes=1000, refusals=5)


def test_refusals_have_a_limit_of_their_own() -> None:
    """WIRE faults: 100 refusals a second, also of a table far below its other limits."""
    session = welcomed()
    seq, now = 0, 0.0
    while not session.reading_paused:
        seq += 1
        assert seq <= 101
        (event,) = session.receive_bytes(lock(seq), now)
        assert isinstance(event, Commanded)
        session.answer(Nack(seq, "no_such_round", "none"))
    assert seq == 101
    assert session.receive_bytes(lock(seq + 1), now) == []
    now = session.next_deadline()
    assert now == pytest.approx(0.01)
    assert len(session.tick(now + 0.001)) == 1
    acked = welcomed()
    for number in range(1, 200):
        (event,) = acked.receive_bytes(lock(number), 0.0)
        assert isinstance(event, Commanded)
        acked.answer(ack(event))
    assert not acked.reading_paused


@pytest.mark.parametrize(
    "payload",
    [
        *PAYLOADS.values(),
        encode({"t": "lock", "seq": 1, "round": "R", "chips": 5})[4:],
        encode({"t": "wager", "seq": 1, "round": "R", "bets": [], "lock": None})[4:],
    ],
)
def test_what_is_read_by_the_letter_counts_for_many_commands(payload: bytes) -> None:
    """WIRE faults: a table's share of the server is limited, whatever it sends: such frames, ever slower."""
    limits = Limits(commands=100, bytes=2**40, refusals=10**6)
    session = welcomed(limits)
    frames = 0
    while not session.reading_paused and session.state is State.TABLE:
        for event in session.receive_bytes(frame(payload), 0.0):
            if isinstance(event, Commanded):
                session.answer(ack(event))
        frames += 1
        assert frames <= 2
    assert session.state is State.CLOSED or frames == 2


BETS = [{"seat": seat, "link": "L", "amount": 100} for seat in range(1, 9)] * 8


@pytest.mark.parametrize(
    ("command", "most"),
    [
        ({"t": "lock", "round": "R"}, 16),
        ({"t": "wager", "round": "R", "bets": BETS[:7]}, 16),
        ({"t": "wager", "round": "R", "bets": BETS}, 2),
        ({"t": "settle", "round": "R", "hands": [{"seat": 1, "hand": "pair"}] * 64}, 2),
        ({"t": "withdraw", "round": "R", "bets": [{"seat": 1, "link": "L"}] * 64}, 2),
        ({"t": "lock", "round": 5}, 1),
    ],
)
def test_a_turn_is_short_whatever_was_sent(command: dict[str, Any], most: int) -> None:
    """WIRE faults: what one table sends at once is looked at in turns: no other waits for all of it."""
    session = welcomed(Limits(commands=10**6))
    data = b"".join(encode({**command, "seq": seq}) for seq in range(1, 41))
    turns = [session.receive_bytes(data, 0.0)]
    while session.waiting:
        assert session.next_deadline() <= 0.0
        turns.append(session.tick(0.0))
    assert [len(turn) for turn in turns if len(turn) > most] == []
    assert [event.seq for turn in turns for event in turn if isinstance(event, Commanded)] == list(
        range(1, 41)
    )


def test_bets_and_hands_count_as_commands_where_they_are_many() -> None:
    """WIRE faults: a table's share of the server is limited, not only its frames and bytes."""
    session = welcomed(Limits(commands=100, bytes=2**40))
    frames = 0
    while not session.reading_paused:
        frames += 1
        (event,) = session.receive_bytes(encode({"t": "wager", "seq": 1, "round": "R", "bets": BETS}), 0.0)
        session.answer(ack(event))  # type: ignore[arg-type]
    assert frames == 12


def test_a_table_of_wrong_frames_alone_is_sent_away() -> None:
    """WIRE faults: above its limits for 60 s it is `error too_many`, although every frame was answered."""
    session = welcomed()
    seq, now = 0, 0.0
    answered = 0
    while session.state is State.TABLE:
        now += 0.01
        assert now < 63.0
        events = session.tick(now)
        if not session.reading_paused:
            seq += 10
            data = b"".join(encode({"t": "lock", "seq": at, "round": 5}) for at in range(seq - 9, seq + 1))
            events += session.receive_bytes(data, now)
        for event in events:
            if isinstance(event, Commanded):
                answered += 1
                session.answer(Nack(event.seq, "bad_message", "round"))
    assert said(session)[-1]["code"] == "too_many"
    assert now >= 60.0
    assert answered <= 64 * 2_000 / 64


@pytest.mark.parametrize("reason", ["commands", "bytes", "refusals"])
def test_above_a_rate_reading_pauses_and_goes_on(reason: str) -> None:
    """WIRE faults: above the device's limits it is read no further for a while."""
    session = welcomed(LIMITS)
    if reason == "bytes":
        session.receive_bytes(encode({"t": "pong", "x": "x" * 1500}), 0.0)
    else:
        events = session.receive_bytes(b"".join(map(lock, range(1, 11))), 0.0)
        assert len(events) == 10
        for event in events:
            assert isinstance(event, Commanded)
            nack = Nack(event.seq, "no_such_round", "none")
            session.answer(nack if reason == "refusals" else ack(event))
        session.receive_bytes(lock(11), 0.0)
    session.receive_bytes(lock(12), 0.0)
    assert session.reading_paused
    assert not session.waiting
    deadline = session.next_deadline()
    assert 0.0 < deadline <= 2.0
    event, *_ = session.tick(deadline + 0.001)
    assert isinstance(event, Commanded)
    assert session.state is State.TABLE


def test_a_flood_is_sent_away_and_a_burst_is_not() -> None:
    """WIRE faults: sustained means for 60 s, and a second below the limits begins anew."""
    flood, burst = welcomed(LIMITS), welcomed(LIMITS)
    seq, closed_at = 0, None
    for step in range(700):
        now = step / 10
        for session in (flood, burst):
            if session.reading_paused or (session is burst and step % 400 > 100):
                session.tick(now)
                session.receive_bytes(
                    encode({"t": "pong"}) if session is burst and step % 20 == 0 else b"", now
                )
                events = []
            else:
                seq += 1
                events = session.receive_bytes(lock(seq) * 5, now)
            for event in events:
                if isinstance(event, Commanded):
                    session.answer(ack(event))
            while session.waiting:
                for event in session.tick(now):
                    if isinstance(event, Commanded):
                        session.answer(ack(event))
        if flood.state is State.CLOSED and closed_at is None:
            closed_at = now
    assert closed_at is not None
    assert 60.0 <= closed_at <= 63.0
    assert burst.state is State.TABLE


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
    assert session.receive_eof() == [Closed(None, "ended by the device")]
    assert session.receive_eof() == []
    cut = welcomed()
    cut.receive_bytes(lock(1)[:9], 0.0)
    assert cut.receive_eof() == [Closed(None, "ended inside a frame")]


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
                assert session.state is State.CLOSED
        said(session)
        assert (session.state is State.CLOSED) == (session.next_deadline() == inf)
