"""A device is read up to its limits, and no further."""

from typing import Any

import pytest

from controllers.answers import Nack
from controllers.frames import encode, frame
from controllers.pace import UNANSWERED_MAX, Limits
from controllers.session import Commanded, SessionClosed
from controllers.states import SessionState
from tests.controllers.attacks import PAYLOADS
from tests.controllers.pair import ack, heard, lock, said, welcomed


def test_the_sixty_fifth_command_waits() -> None:
    """WIRE faults: at 64 unanswered commands nothing further is read, but a full pipeline is no fault."""
    session = welcomed()
    events = heard(session, b"".join(map(lock, range(1, 65))), 0.0)
    assert (len(events), session.reading_paused) == (UNANSWERED_MAX, False)
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
    assert isinstance(closed, SessionClosed)
    assert said(session)[-1]["code"] == closed.code == "too_many"


LIMITS = Limits(commands=10, bytes=1000, refusals=5)


def test_patience_begins_with_the_excess() -> None:
    """WIRE faults: a table that kept its limits for minutes has 60 s when it first does not."""
    session = welcomed(LIMITS)
    for step in range(200):
        assert session.receive_bytes(encode({"t": "ping"}), step / 2) == []
    session.data_to_send()
    assert session.receive_bytes(encode({"t": "ping"}) * 20, 100.0) == []
    assert session.reading_paused
    assert session.state is SessionState.TABLE


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


def test_refusals_are_above_the_limit_from_when_they_are_told() -> None:
    """WIRE faults: a minute of too many refusals is one, though the device waits after each turn."""
    session = welcomed(Limits(refusals=5))
    seq, now = 1, 0.0
    for step in range(68):
        now = step * 0.9  # which makes room for 4.5 refusals
        refused = range(seq, seq + (6 if step == 0 else 5 - step % 2))
        for event in session.receive_bytes(b"".join(map(lock, refused)), now):
            assert isinstance(event, Commanded)
            seq = event.seq + 1
            session.answer(Nack(event.seq, "no_such_round", "none"))
        assert session.reading_paused
    (closed,) = session.tick(now + 0.05)
    assert isinstance(closed, SessionClosed)
    assert closed.code == "too_many"


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
    while not session.reading_paused and session.state is SessionState.TABLE:
        for event in session.receive_bytes(frame(payload), 0.0):
            if isinstance(event, Commanded):
                session.answer(ack(event))
        frames += 1
        assert frames <= 2
    assert session.state is SessionState.CLOSED or frames == 2


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
    while session.state is SessionState.TABLE:
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
    assert session.state is SessionState.TABLE


def test_a_flood_is_sent_away_and_a_burst_is_not() -> None:
    """WIRE faults: sustained means for 60 s, and a second below the limits begins again."""
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
        if flood.state is SessionState.CLOSED and closed_at is None:
            closed_at = now
    assert closed_at is not None
    assert 60.0 <= closed_at <= 63.0
    assert burst.state is SessionState.TABLE
