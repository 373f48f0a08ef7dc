"""Connections that fall silent, conflict, flood, do not read or end (WIRE: Frames, faults)."""

import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.e2e.floors import EASY, ROYAL, ROYAL_BOARD
from tests.e2e.site import Site, running
from tests.e2e.vendor import Ended, Message, Vendor, bets, pack

HEARTBEAT_MS = 300
FOUR = {"cards": ["2s", "2h", "2d"]}
FOUR_BOARD = ["2c", "9d"]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    floor = Site(tmp_path_factory.mktemp("lines"), EASY, heartbeat_ms=HEARTBEAT_MS)
    floor.add("table", ["easy"], 20)
    floor.add("sign", ["easy"], 5)
    with running(floor):
        yield floor


@pytest.fixture(scope="module")
def calm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A floor with a long heartbeat, whose connections may be silent."""
    floor = Site(tmp_path_factory.mktemp("calm"), EASY)
    floor.add("table", ["easy"], 20)
    floor.add("sign", ["easy"], 5)
    with running(floor):
        yield floor


def play(device: Vendor, rounds: int, **hand: object) -> None:
    """Plays rounds without waiting for their answers."""
    hands = [{"seat": 7, **hand}] if hand else []
    board = FOUR_BOARD if hand else None
    for _ in range(rounds):
        name = f"P{device.seq}"
        device.say(device.command("wager", round=name, bets=bets("easy", [7]), lock=True))
        device.say(device.command("settle", round=name, hands=hands, board=board, close=True))


# Silence


@pytest.mark.parametrize("role", ["table", "sign"])
def test_a_silent_device_is_closed(site: Site, role: str) -> None:
    """WIRE, faults: no whole frame for 2 heartbeats: closed; the server speaks every heartbeat until then."""
    name = site.unused(role)
    with site.connect(role) as device:
        device.hello(site.keys[name], role, name)
        heard: list[Message] = []
        with suppress(Ended):  # what the test waits for
            while True:
                heard.append(device.frame())
        assert heard[-1]["t"] != "error"
        assert sum(message["t"] == "ping" for message in heard) in (1, 2)
    site.logged("closed", role=role, device=name, code=None)


def test_single_bytes_are_no_sign_of_life(site: Site) -> None:
    """WIRE, faults: any frame counts, single bytes do not."""
    name = site.unused()
    with site.table(name) as device:
        long = iter(pack({"t": "ping", "at": 1, "zz": "z" * 60_000}))
        with pytest.raises(Ended):
            drip(device, long)
    site.logged("closed", device=name)


def drip(device: Vendor, data: Iterator[int]) -> None:
    """Sends one byte each heartbeat, for as long as the server lets it."""
    while True:
        if device.frame()["t"] == "ping":
            device.put(bytes([next(data)]))


@pytest.mark.parametrize("said", [{"t": "pong", "at": 1}, {"t": "ping", "at": 1}])
def test_any_frame_is_a_sign_of_life(site: Site, said: Message) -> None:
    """WIRE, faults: a device that says anything whole each heartbeat stays."""
    with site.table(site.unused()) as device:
        for _ in range(6):
            while device.frame()["t"] != "ping":
                pass
            device.say(said)
        device.ack("wager", round="R1", bets=bets("easy", [1]))


# Replacement


def test_the_newer_connection_wins(calm: Site) -> None:
    """WIRE, faults: the old one gets `replaced`, is read no further; welcome waits for what it had sent."""
    name = calm.unused()
    with calm.table(name) as old, calm.connect() as new:
        hello = new.proof(calm.keys[name], "table", name)
        sent = 120
        for _ in range(sent // 2):
            round_id = f"R{old.seq}"
            old.say(old.command("wager", round=round_id, bets=bets("easy", [1]), lock=True))
            old.say(old.command("close", round=round_id))
        new.say(hello)
        welcome = new.welcome()
        assert old.error()["code"] == "replaced"
        answered = [one["seq"] for one in old.heard if one["t"] in {"ack", "nack"}]
        assert answered == list(range(1, len(answered) + 1))
        durable = welcome["last_seq"]
        assert len(answered) <= durable <= sent
        if durable:
            assert welcome["last"] == {"t": "ack", "seq": durable}
        if welcome["round"] is not None:
            new.ack("close", round=welcome["round"]["round"])
        new.ack("wager", round="next", bets=bets("easy", [1]))
        assert new.seq == durable + (2 if welcome["round"] is not None else 1)


def test_only_a_proven_hello_replaces(calm: Site) -> None:
    """WIRE, faults: a second connection wins only once its hello is valid."""
    name = calm.unused()
    with calm.table(name) as device, calm.connect() as thief:
        thief.hello(bytes(32), "table", name)
        assert thief.error()["code"] == "auth_failed"
        device.ack("wager", round="R1", bets=bets("easy", [1]))


@pytest.mark.parametrize("role", ["table", "sign"])
def test_two_devices_with_one_key(calm: Site, role: str) -> None:
    """WIRE, faults: three replacements in a minute are alarmed, the next is a conflict until cleared."""
    name = calm.unused(role)
    lines: list[Vendor] = []

    def connect() -> Vendor:
        device = calm.connect(role)
        lines.append(device)
        device.hello(calm.keys[name], role, name)
        return device

    for _ in range(4):
        connect().welcome()
    assert [one.error()["code"] for one in lines[:3]] == ["replaced"] * 3
    calm.logged("device_conflict", role=role, device=name)
    assert connect().error()["code"] == "device_conflict"
    lines[3].say(t="ping", at=1)
    lines[3].next("pong")
    calm.cli("keys", "clear", name, "--role", role)
    connect().welcome()
    assert lines[3].error()["code"] == "replaced"
    for one in lines:
        one.socket.close()


def test_a_device_that_comes_back_is_no_conflict(calm: Site) -> None:
    """WIRE, faults: only connections still open on the device's side count."""
    name = calm.unused()
    for _ in range(6):
        with calm.table(name):
            pass
    with calm.table(name) as device:
        device.ack("wager", round="R1", bets=bets("easy", [1]))


# Too much, and too slow


def test_a_flood_is_answered_whole_and_in_order(tmp_path: Path) -> None:
    """WIRE, faults: above its limits a device is read no further, never lost, and not thought silent."""
    floor = Site(tmp_path, EASY, heartbeat_ms=HEARTBEAT_MS, commands=200, size=65_536, refusals=50)
    floor.add("table", ["easy"], 2)
    with running(floor), floor.table(floor.unused()) as device, floor.table(floor.unused()) as other:
        data = b"".join(pack(device.command("wager", round="R", bets=[], zz="z" * 300)) for _ in range(150))
        device.put(data)
        other.ack("wager", round="R1", bets=bets("easy", [1]))
        answers = [device.next("ack", "nack") for _ in range(150)]
        assert [one["seq"] for one in answers] == list(range(1, 151))
        assert {one["code"] for one in answers} == {"bad_message"}
        device.ack("wager", round="R1", bets=bets("easy", [1]))


def test_slow_readers_are_closed_and_others_go_on(calm: Site) -> None:
    """WIRE, faults: a table is closed at 1 MiB unread, a sign after 10 s unread; the others do not notice.

    Meanwhile a stranger who says nothing whole is disconnected after 5 s, in the words of a wrong mac.
    """
    slow_table, slow_sign = calm.unused(), calm.unused("sign")
    with (
        calm.table(calm.unused()) as device,
        calm.sign(calm.unused("sign")) as reader,
        calm.connect("sign", 2_048) as sign,
        calm.connect("table", 2_048) as table,
        calm.connect() as stranger,
    ):
        stranger.put(pack(stranger.proof(bytes(32), "table", slow_table))[:-1])
        sign.hello(calm.keys[slow_sign], "sign", slow_sign)
        sign.welcome()
        table.hello(calm.keys[slow_table], "table", slow_table)
        table.welcome()
        play(device, 300, **FOUR)  # a hit each: 60 kB and more for every sign
        assert device.answer(device.seq)["t"] == "ack"
        table.socket.settimeout(1.0)
        chunk = pack({"t": "ping", "at": 2**53 - 1}) * 4_000
        with pytest.raises((Ended, TimeoutError)):
            table.put(chunk * 200)
        calm.logged("closed", device=slow_table, reason="reads too slowly")
        assert stranger.error()["code"] == "auth_failed"
        calm.logged("closed", device=slow_sign, reason="left its values unread for 10 s")
        play(device, 1)
        assert device.answer(device.seq)["t"] == "ack"
        last = [one for one in device.heard if one["t"] == "hit"][-1]
        reader.hear(lambda message: message["t"] == "hit" and message["hit"] == last["hit"])


# The end, and a new beginning


def test_a_graceful_end_answers_what_it_took(tmp_path: Path) -> None:
    """WIRE, commands: SIGTERM delivers every answer that is due; a new start continues where it was.

    last_seq, last and round are the table's own; the hits of the last 60 s come again.
    """
    floor = Site(tmp_path, EASY)
    floor.add("table", ["easy"], 2)
    floor.add("sign", ["easy"])
    name, other = floor.unused(), floor.unused()
    with running(floor):
        with floor.table(name) as device, floor.table(other) as second:
            second.ack("wager", round="R1", bets=bets("easy", [7, 1], player=None), lock=True)
            settled = second.ack("settle", round="R1", hands=[{"seat": 7, **ROYAL}], board=ROYAL_BOARD)
            play(device, 500)
            floor.signal(signal.SIGTERM)
            device.gone()
            answered = [one for one in device.heard if one["t"] in {"ack", "nack"}]
        assert floor.ended() == 0
        assert [one["seq"] for one in answered] == list(range(1, len(answered) + 1))
        floor.start()
        with floor.connect() as device:
            device.hello(floor.keys[name], "table", name, acked=len(answered))
            welcome = device.welcome()
            assert welcome["last_seq"] == len(answered)
            if answered:
                assert welcome["last"] == answered[-1]
        with floor.connect() as second:
            second.hello(floor.keys[other], "table", other, acked=2)
            welcome = second.welcome()
            assert (welcome["last_seq"], welcome["last"]) == (2, settled)
            assert welcome["round"] == {
                "round": "R1",
                "state": "locked",
                "bets": [{"seat": seat, "link": "easy", "on": "own", "player": None} for seat in (7, 1)],
                "chips": {},
                "draw": None,
                "board": ROYAL_BOARD,
                "dealer": [],
                "settled": [7],
            }
            told = [second.next("award") for _ in settled["awards"]]
            assert told == [{"t": "award", **award} for award in settled["awards"]]
            assert second.next("hit")["hit"] == settled["awards"][0]["hit"]
            second.say(t="settle", seq=2, round="R1", hands=[{"seat": 7, **ROYAL}], board=ROYAL_BOARD)
            assert second.answer(2) == settled
            second.ack("close", round="R1")
        with floor.sign(floor.unused("sign")) as sign:
            assert sign.next("hit")["hit"] == settled["awards"][0]["hit"]
        assert floor.stop() == 0
