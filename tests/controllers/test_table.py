"""Every command of a table is decided exactly once, whatever the network and the power do."""

import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controllers.answers import Nack
from controllers.device import CommandAnswered, ConnectionRefused, PushReceived, SignSession, WelcomeReceived
from controllers.frames import encode
from controllers.memory import FileMemory, Memory, VolatileMemory
from controllers.session import Commanded, SessionClosed
from controllers.states import SessionState
from controllers.table import MEMORY_MAX, Full, Offline, TableSession
from tests.controllers.pair import KEY, Ledger, Pair, said, welcome


def table(memory: Memory | None = None) -> TableSession:
    return TableSession("T01", KEY, lambda: 1.0, memory or VolatileMemory())


def lock(name: str) -> dict[str, Any]:
    return {"t": "lock", "round": name}


WAGER = {"t": "wager", "round": "R1", "bets": []}


def paired(device: TableSession | None = None, ledger: Ledger | None = None) -> tuple[Pair, TableSession]:
    device = device or table()
    pair = Pair(device, ledger)
    assert any(isinstance(event, WelcomeReceived) for event in pair.run())
    return pair, device


def answers(events: list[Any]) -> list[tuple[int, str]]:
    return [
        (event.ticket, event.answer.get("code", "ack"))
        for event in events
        if isinstance(event, CommandAnswered)
    ]


def test_commands_are_numbered_and_answered_in_order() -> None:
    """WIRE table commands: seq is contiguous, up to 64 are on the way."""
    pair, device = paired()
    tickets = [device.submit(lock(f"R{n}"), 0.0) for n in range(64)]
    assert device.full
    with pytest.raises(Full):
        device.submit(lock("R64"), 0.0)
    assert answers(pair.run()) == [(ticket, "ack") for ticket in tickets]
    assert [message.round for message in pair.ledger.applied] == [f"R{n}" for n in range(64)]
    assert (device.acked, device.last, device.pending) == (64, {"t": "ack", "seq": 64}, [])


def test_what_is_unanswered_is_sent_again_and_applied_once() -> None:
    """WIRE table commands: a resend is answered again and applied never twice."""
    pair, device = paired()
    ticket = device.submit(lock("R1"), 0.0)
    assert answers(pair.run(lose=lambda _: b"")) == []
    assert pair.ledger.seq == 1
    pair.cut()
    pair.connect()
    assert answers(pair.run()) == [(ticket, "ack")]
    assert pair.ledger.seq == 1


def test_a_gap_is_closed_from_expected() -> None:
    """WIRE table commands: the table awaits all answers, then goes on from `expected`."""
    pair, device = paired()
    pair.ledger.suspended = True
    tickets = [device.submit(message, 0.0) for message in (WAGER, lock("R1"), lock("R2"))]
    assert answers(pair.run()) == [(tickets[0], "suspended"), (tickets[1], "ack"), (tickets[2], "ack")]
    assert [message.round for message in pair.ledger.applied] == ["R1", "R2"]
    assert (device.acked, pair.ledger.seq) == (2, 2)


def test_a_command_given_during_a_gap_waits_its_turn() -> None:
    """WIRE table commands: nothing new is sent until all that was sent is answered."""
    pair, device = paired()
    pair.ledger.suspended = True
    pair.answering = False
    device.submit(WAGER, 0.0)
    device.submit(lock("R1"), 0.0)
    pair.run()
    pair.server.answer(pair.ledger.decide(pair.held.pop(0)))
    device.receive_bytes(pair.server.data_to_send(), 0.0)
    device.submit(lock("R2"), 0.0)
    assert device.data_to_send() == b""
    pair.answering = True
    pair.release()
    assert [code for _, code in answers(pair.run())] == ["ack", "ack"]
    assert [message.round for message in pair.ledger.applied] == ["R1", "R2"]


def test_a_nack_without_a_number_is_not_acked() -> None:
    """WIRE handshake: `acked` counts durable answers alone, or the ledger would seem behind."""
    pair, device = paired()
    pair.ledger.suspended = True
    device.submit(WAGER, 0.0)
    pair.run()
    assert (device.acked, pair.ledger.seq) == (0, 0)


def test_a_nack_without_a_number_is_not_acked_after_a_power_loss_either() -> None:
    """WIRE handshake: what the memory says of it is that it is done with, and no more."""
    memory = VolatileMemory()
    pair, device = paired(table(memory))
    pair.ledger.suspended = True
    pair.answering = False
    device.submit(WAGER, 0.0)
    device.submit(lock("R1"), 0.0)
    pair.run()
    pair.server.answer(pair.ledger.decide(pair.held.pop(0)))
    device.receive_bytes(pair.server.data_to_send(), 0.0)
    again = table(memory)
    assert (again.acked, again.last) == (0, None)
    assert [item.message["round"] for item in again.pending] == ["R1"]


class Broken(VolatileMemory):
    """Memory that stores nothing more once it is full."""

    full = False

    def append(self, record: list[Any]) -> None:
        if self.full:
            raise OSError(28, "No space left on device")
        super().append(record)


def test_nothing_is_sent_that_is_not_kept() -> None:
    """WIRE table commands: a command is kept across power loss until it is answered, so before it is sent."""
    memory = Broken()
    pair, device = paired(table(memory))
    memory.full = True
    with pytest.raises(OSError, match="No space"):
        device.submit(lock("R1"), 0.0)
    assert (device.data_to_send(), device.pending) == (b"", [])
    memory.full = False
    device.submit(lock("R2"), 0.0)
    assert len(answers(pair.run())) == 1
    assert [message.round for message in pair.ledger.applied] == ["R2"]


def test_new_numbers_are_kept_before_they_are_sent() -> None:
    """WIRE table commands: the rest goes on from `expected`, also if the power fails just then."""
    memory = VolatileMemory()
    pair, device = paired(table(memory))
    pair.ledger.suspended = True
    for message in (WAGER, lock("R1"), lock("R2")):
        device.submit(message, 0.0)
    pair.answering = False
    pair.run()
    for command in pair.held:
        pair.server.answer(pair.ledger.decide(command))
    device.receive_bytes(pair.server.data_to_send(), 0.0)
    sent = [(message["seq"], message["round"]) for message in said(device)]
    assert sent == [(1, "R1"), (2, "R2")]
    again = table(memory)
    assert [(item.message["seq"], item.message["round"]) for item in again.pending] == sent


@pytest.mark.parametrize("pending", [0, 2])
def test_a_welcome_below_what_was_acked_is_believed(pending: int) -> None:
    """WIRE handshake: the ledger lost answers, as people confirmed: the table goes on from `last_seq` + 1."""
    memory = VolatileMemory()
    ledger = Ledger()
    pair, device = paired(table(memory), ledger)
    for number in range(5):
        device.submit(lock(f"R{number}"), 0.0)
    pair.run()
    assert device.acked == 5
    pair.answering = False
    tickets = [device.submit(lock(f"N{number}"), 0.0) for number in range(pending)]
    pair.cut()
    for lost in (4, 5):
        del ledger.answers[lost]
        ledger.applied.pop()
    ledger.seq = 3
    pair.connect()
    pair.run()
    again = table(memory)
    for one in (device, again):
        assert (one.acked, one.last) == (3, {"t": "ack", "seq": 3})
        assert [(item.message["seq"], item.message["round"]) for item in one.pending] == [
            (4 + number, f"N{number}") for number in range(pending)
        ]
    pair.answering = True
    pair.release()
    assert answers(pair.run()) == [(ticket, "ack") for ticket in tickets]
    device.submit(lock("R9"), 0.0)
    pair.run()
    assert [message.round for message in ledger.applied[3:]] == [*(f"N{n}" for n in range(pending)), "R9"]


LAST = {"t": "nack", "seq": 1, "code": "bad_message", "message": "x" * 64_000}


def followed(device: TableSession, *after: dict[str, Any]) -> list[Any]:
    """The device is welcomed without the last answer; then these frames follow."""
    pair = Pair(device)
    device.receive_bytes(pair.server.data_to_send(), 0.0)
    device.data_to_send()
    frames = [encode(welcome(last_seq=1, last=None, last_follows=True)), *map(encode, after)]
    return device.receive_bytes(b"".join(frames), 0.0)


def test_the_last_answer_may_follow_the_welcome() -> None:
    """WIRE handshake: `last_follows`: the next answer is that to `last_seq`, and to nothing that was sent."""
    memory = VolatileMemory()
    device = table(memory)
    ping = {"t": "ping", "at": 1}
    (event,) = followed(device, ping, LAST)
    assert isinstance(event, WelcomeReceived)
    assert (device.acked, device.last, device.state) == (1, LAST, SessionState.TABLE)
    assert table(memory).last == LAST


def test_the_resent_command_is_answered_after_the_last_answer() -> None:
    """WIRE handshake: the table resends what it has no answer to; both answers come, each for itself."""
    device = table()
    ticket = device.submit(lock("R1"), 0.0)
    events = followed(device, LAST, LAST)
    assert [event.ticket for event in events if isinstance(event, CommandAnswered)] == [ticket]
    assert (device.acked, device.last, device.pending) == (1, LAST, [])


def test_an_answer_that_is_known_is_kept_until_the_last_one_follows() -> None:
    """WIRE handshake: the line may break before the last answer follows; what the table knew stands."""
    device = table()
    followed(device, LAST)
    device.disconnected(1.0)
    device.submit(lock("R2"), 1.0)
    followed(device)
    assert (device.acked, device.last) == (1, LAST)


def test_another_answer_in_the_place_of_the_last_one_ends_the_connection() -> None:
    """WIRE frames: the server is not believed blindly."""
    device = table()
    assert isinstance(followed(device, {"t": "ack", "seq": 2})[-1], SessionClosed)
    assert device.last is None


def test_a_table_without_memory_goes_on() -> None:
    """WIRE handshake: a table that lost its memory goes on from `last_seq` + 1."""
    pair, device = paired()
    device.submit(lock("R1"), 0.0)
    pair.run()
    pair, fresh = paired(ledger=pair.ledger)
    assert (fresh.acked, fresh.last) == (1, {"t": "ack", "seq": 1})
    fresh.submit(lock("R2"), 0.0)
    pair.run()
    assert pair.ledger.seq == 2


def test_other_content_under_a_used_number_is_told_to_the_giver() -> None:
    """WIRE table commands: `seq_conflict` goes to the caller that gave the command, to nobody else."""
    memory = VolatileMemory()
    memory.append(["put", {"t": "lock", "seq": 1, "round": "old"}])
    ledger = Ledger()
    ledger.decide(Commanded(1, lock("R1"), b""))  # type: ignore[arg-type]
    device = table(memory)
    pair = Pair(device, ledger)
    assert answers(pair.run()) == [(1, "seq_conflict")]
    device.submit(lock("R2"), 0.0)
    pair.run()
    assert ledger.seq == 2


def test_an_offline_table_takes_no_wager() -> None:
    """S4 and WIRE faults: no wager without the server, nor while an answer is late; other commands wait."""
    device = table()
    with pytest.raises(Offline):
        device.submit(WAGER, 0.0)
    ticket = device.submit(lock("R1"), 0.0)
    pair, _ = paired(device)
    assert device.online(0.0)
    pair.answering = False
    device.submit(lock("R2"), 0.0)
    pair.run()
    assert device.online(9.9)
    with pytest.raises(Offline):
        device.submit(WAGER, 10.0)
    pair.answering = True
    pair.release()
    assert len(answers(pair.run())) == 1
    assert ticket == 1
    assert device.online(10.0)


def test_two_silent_heartbeats_end_the_connection() -> None:
    """WIRE faults: a device without a frame for 2 heartbeats is offline; before that it pings."""
    _, device = paired()
    assert device.next_deadline() == 5.0
    assert device.tick(5.0) == []
    assert device.data_to_send() == encode({"t": "ping", "at": 5000})
    assert device.tick(10.0) == [SessionClosed(None, "no frame for 2 heartbeats")]
    assert device.finished


def test_waits_double_up_to_ten_seconds() -> None:
    """WIRE faults: 0.2 s doubled up to 10 s, times a random 0.5 to 1.0; 30 s after `replaced`."""
    for low_or_high, factor in ((0.0, 0.5), (1.0, 1.0)):
        device = TableSession("T01", KEY, lambda value=low_or_high: value, VolatileMemory())  # type: ignore[misc]
        waits = []
        for _ in range(8):
            device.disconnected(100.0)
            waits.append(round(device.connect_at - 100.0, 6))
        assert waits == [wait * factor for wait in (0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 10.0, 10.0)]
        pair, _ = paired(device)
        pair.server.fail("replaced", "another connection")
        (refused,) = pair.run()
        assert isinstance(refused, ConnectionRefused)
        device.disconnected(100.0)
        assert device.connect_at == 130.0
        device.disconnected(100.0)
        assert device.connect_at == 100.0 + 0.4 * factor


def test_a_server_no_longer_active_keeps_the_commands() -> None:
    """WIRE table commands: `not_active` is certainly not applied: the next server gets the command."""
    pair, device = paired()
    pair.answering = False
    device.submit(lock("R1"), 0.0)
    pair.run()
    pair.server.answer(Nack(1, "not_active", "standby", 1))
    assert [event.code for event in pair.run() if isinstance(event, SessionClosed)] == ["not_active"]
    assert device.finished
    pair.answering = True
    pair.cut()
    pair.connect()
    assert answers(pair.run()) == [(1, "ack")]


def test_the_server_is_not_believed_blindly() -> None:
    """WIRE frames: what the table may not be told ends the connection, and nothing is lost."""
    for wrong in (
        {"t": "ack", "seq": 9},
        {"t": "ack", "seq": 2},
        {"t": "nack", "seq": 1, "code": "seq_gap", "expected": 0},
        {"t": "challenge", "v": 1, "nonce": bytes(16)},
        {"t": "meters", "bank": 5},
        {"t": "meters", "bank": "main", "rev": 1, "values": [5]},
    ):
        pair, device = paired()
        pair.answering = False
        device.submit(lock("R1"), 0.0)
        pair.run()
        (closed,) = device.receive_bytes(encode(wrong), 0.0)
        assert isinstance(closed, SessionClosed), wrong
        assert isinstance(closed.reason, str), wrong
        assert len(device.pending) == 1
        assert device.receive_bytes(encode({"t": "ping"}), 0.0) == []


def test_a_wrong_version_or_nonce_gets_no_mac() -> None:
    """WIRE handshake: a device answers a challenge of version 1 alone."""
    for challenge in ({"v": 2, "nonce": bytes(16)}, {"v": 1, "nonce": b"short"}, {"v": 1}):
        device = table()
        device.connected(0.0)
        assert isinstance(
            device.receive_bytes(encode({"t": "challenge", **challenge}), 0.0)[0], SessionClosed
        )
        assert device.data_to_send() == b""


def test_news_the_device_does_not_know_is_ignored() -> None:
    """WIRE frames: later versions may say more."""
    _, device = paired()
    assert device.receive_bytes(encode({"t": "weather", "at": 1}), 0.0) == []
    push = {"t": "link", "link": "a", "state": "suspended", "reason": "ledger"}
    assert device.receive_bytes(encode(push), 0.0) == [PushReceived(push)]


def test_a_sign_shows_the_newest_and_forgets_when_it_connects_anew() -> None:
    """WIRE pushes: a lower `rev` of the same bank is ignored, forgotten on a new connection; S7."""
    sign = SignSession("S01", KEY, lambda: 1.0, links=["a"])
    pair = Pair(sign)
    assert (sign.showing, len(pair.run()), sign.showing) == (False, 1, True)

    def told(bank: str, rev: int, cents: int) -> bool:
        message = {"t": "meters", "bank": bank, "rev": rev, "at": 0, "values": [["a", bank, cents]]}
        return bool(sign.receive_bytes(encode(message), 0.0))

    assert told("main", 5, 100)
    assert told("main", 5, 101)
    assert not told("main", 4, 99)
    assert told("other", 1, 7)
    assert sign.meters == {("a", "main"): 101, ("a", "other"): 7}
    assert sign.tick(10.0) != []
    assert not sign.showing
    pair.cut()
    pair.connect()
    pair.run()
    assert sign.meters == {}
    assert told("main", 1, 50)


def test_memory_survives_a_torn_write(tmp_path: Path) -> None:
    """WIRE table commands: the table keeps a command across power loss until it is answered."""
    path = tmp_path / "T01.log"
    memory = FileMemory(path)
    device = table(memory)
    pair, _ = paired(device)
    pair.answering = False
    device.submit(lock("R1"), 0.0)
    device.submit(lock("R2"), 0.0)
    memory.close()
    whole = path.read_bytes()
    for torn in (whole + b"\0\0\0\x09torn", whole + b"\0", whole + whole[-20:-1]):
        path.write_bytes(torn)
        memory = FileMemory(path)
        again = table(memory)
        assert [item.message["round"] for item in again.pending] == ["R1", "R2"]
        again.submit(lock("R3"), 0.0)
        memory.close()
        memory = FileMemory(path)
        assert [item.message["seq"] for item in table(memory).pending] == [1, 2, 3]
        memory.close()


def test_memory_begins_anew_before_it_is_large(tmp_path: Path) -> None:
    """WIRE table commands: what is kept stays small over thousands of rounds."""
    memory = FileMemory(tmp_path / "T01.log", sync=False)
    pair, device = paired(table(memory))
    largest = 0
    for number in range(3000):
        device.submit({**lock(f"R{number}"), "padding": "x" * 200}, 0.0)
        pair.now += 0.01
        pair.run()
        largest = max(largest, (tmp_path / "T01.log").stat().st_size)
    assert MEMORY_MAX - 1000 < largest <= MEMORY_MAX
    memory.close()
    memory = FileMemory(tmp_path / "T01.log")
    assert table(memory).acked == 3000
    memory.close()


def test_a_foreign_memory_is_refused() -> None:
    """WIRE table commands: a table never guesses its number."""
    memory = VolatileMemory()
    memory.append(["what", 1])
    with pytest.raises(ValueError, match="not ours"):
        table(memory)


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 2**32), st.lists(st.integers(0, 9), max_size=60))
def test_every_command_is_applied_once_in_order(seed: int, steps: list[int]) -> None:
    """WIRE table commands: through lost answers, cuts, suspensions and power loss, each exactly once."""
    chance = random.Random(seed)
    memory, ledger = VolatileMemory(), Ledger()
    pair, device = paired(table(memory), ledger)
    given_names: list[str] = []
    for step in [*steps, 9]:
        pair.now += 0.1
        if step < 5 and not device.full:
            given_names.append(f"R{len(given_names)}")
            device.submit(lock(given_names[-1]), pair.now)
        elif step == 5 and device.online(pair.now):
            ledger.suspended = chance.random() < 0.5
            device.submit({**WAGER, "round": "W"}, pair.now)
        if step in (6, 7, 9):
            pair.cut()
            if step == 7:
                device = table(memory)
                pair.device = device
            pair.connect()
        keep = 1.0 if step == 9 else chance.random()
        pair.run(lambda data, keep=keep: data if keep > 0.4 else b"")  # type: ignore[misc]
        if keep <= 0.4:
            pair.cut()
            pair.connect()
            pair.run()
    assert [message.round for message in ledger.applied if message.round != "W"] == given_names
    assert (device.pending, device.acked, device.state) == ([], ledger.seq, SessionState.TABLE)
