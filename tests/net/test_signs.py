"""Signs see every durable value, only durable ones, and no more than they read."""

import asyncio
import socket
from itertools import pairwise
from pathlib import Path

import pytest

from controllers.frames import encode
from jackpot.app import Server
from jackpot.net.connection import Connection
from jackpot.net.signs import SIGN_UNREAD_MAX, SIGN_UNREAD_S, SignConnection
from jackpot.publish import broadcaster
from jackpot.publish.board import MeterBoard
from tests.running_server import (
    LINK,
    Device,
    Faulty,
    StepClock,
    configure,
    connected,
    on_loop,
    sign,
    table,
    until,
)


@on_loop
async def test_a_sign_shows_nothing_that_is_not_durable(tmp_path: Path) -> None:
    """S5: while the commit is held back the sign's value stays, then it moves with its revision."""
    config = configure(tmp_path, signs=2)
    ledger = Faulty(config)
    async with Server(config, ledger=ledger) as server, table(server) as device, sign(server) as board:
        before = await board.type("meters")
        ledger.go.clear()
        device.wager(1, "R1", 1)
        sequencer = server.banks["main"].sequencer
        await until(lambda: sequencer.engine.seq == before["rev"] + 1)
        async with sign(server, "S02") as second:
            assert (await second.type("meters"))["rev"] == before["rev"]
        ledger.go.set()
        after = await board.hear(lambda message: message["t"] == "meters" and message["rev"] > before["rev"])
        assert [LINK, "mega", 1_000_009] in after["values"]


@on_loop
async def test_others_have_their_turn_between_two_signs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Design 3: a wager does not wait until every sign was shown a value; each of them sees it."""
    monkeypatch.setattr(broadcaster, "SHOWN_AT_ONCE", 1)
    order: list[str] = []
    show = SignConnection.show

    def noted(one: SignConnection, frame: bytes) -> bool:
        order.append("sign")
        asyncio.get_running_loop().call_soon(order.append, "others")
        return show(one, frame)

    monkeypatch.setattr(SignConnection, "show", noted)
    async with (
        Server(configure(tmp_path, signs=2)) as server,
        table(server) as device,
        sign(server) as first,
        sign(server, "S02") as second,
    ):
        device.wager(1, "R1", 1)
        for each in (first, second):
            await each.hear(lambda said: [LINK, "mega", 1_000_009] in said.get("values", ()))
    assert order.count("sign") > 1
    assert ("sign", "sign") not in pairwise(order)


@on_loop
async def test_a_sign_chooses_among_its_own_links(tmp_path: Path) -> None:
    """WIRE, signs: `links` narrows what it is shown; a link that is not its own is refused."""
    config = configure(tmp_path)
    async with Server(config) as server:
        async with sign(server, links=[]) as nothing:
            assert nothing.heard[-1]["links"] == []
        async with connected(server.ports["signs"]) as device:
            await device.hello(config, "sign", "S01", links=["other"])
            assert (await device.type("error"))["message"] == "links: other is not of this sign"


@on_loop
async def test_the_whole_snapshot_comes_again(tmp_path: Path) -> None:
    """WIRE, pushes: at least every 5 s, even when nothing moved."""
    clock = StepClock()
    async with Server(configure(tmp_path), clock) as server, sign(server) as board:
        first = await board.type("meters")
        clock.ahead_s += 5
        again = await board.type("meters")
        assert again["values"] == first["values"]
        assert again["at"] > first["at"]


@on_loop
async def test_late_signs_see_the_hits_of_the_last_minute(tmp_path: Path) -> None:
    """WIRE, handshake: a welcome brings the hits of the last 60 s, not older ones, also after a restart."""
    config, clock = configure(tmp_path), StepClock()
    royal = {"seat": 1, "cards": ["As", "Ks", "Qs"]}
    async with Server(config, clock) as server, table(server) as device:
        device.wager(1, "R1", 1, lock=True)
        device.say(t="settle", seq=2, round="R1", hands=[royal], board=["Js", "Ts"], close=True)
        await device.answer(2)
    async with Server(config, clock) as server:
        async with sign(server) as board:
            assert (await board.type("hit"))["hit"] == "H1"
        clock.ahead_s += 61
        assert server.banks["main"].board.recent_hits(frozenset([LINK])) == []


@pytest.mark.parametrize("step_s", [-3600, 3600])
@on_loop
async def test_a_clock_that_steps_does_not_prolong_a_win(tmp_path: Path, step_s: int) -> None:
    """S7: a win is shown for 20 s and a hit told for 60 s, whatever the wall clock says meanwhile."""
    config, clock = configure(tmp_path), StepClock()
    royal = {"seat": 1, "cards": ["As", "Ks", "Qs"]}
    async with Server(config, clock) as server, table(server) as device:
        board = server.banks["main"].board
        device.wager(1, "R1", 1, lock=True)
        device.say(t="settle", seq=2, round="R1", hands=[royal], board=["Js", "Ts"], close=True)
        await device.answer(2)
        clock.stepped_s += step_s
        assert board.display(LINK).state == "win"
        clock.ahead_s += 21
        assert board.display(LINK).state == "pending"
        assert [hit.hit for hit in board.recent_hits(frozenset([LINK]))] == ["H1"]
        clock.ahead_s += 40
        assert board.recent_hits(frozenset([LINK])) == []


@on_loop
async def test_a_clock_an_hour_ahead_makes_no_new_win(tmp_path: Path) -> None:
    """S7, DESIGN, lease: after a takeover a hit of a clock far off is not celebrated for an hour."""
    config, clock = configure(tmp_path), StepClock()
    royal = {"seat": 1, "cards": ["As", "Ks", "Qs"]}
    clock.stepped_s = 3600
    async with Server(config, clock) as server, table(server) as device:
        device.wager(1, "R1", 1, lock=True)
        device.say(t="settle", seq=2, round="R1", hands=[royal], board=["Js", "Ts"], close=True)
        await device.answer(2)
    clock = StepClock()
    async with Server(config, clock) as server:
        board = server.banks["main"].board
        for _ in range(3):
            assert board.display(LINK).state == "pending"
            assert board.recent_hits(frozenset([LINK])) == []
            clock.ahead_s += 1800


def meters(board: MeterBoard) -> bytes:
    """A frame of the link's values, as any sign may get it."""
    values = [list(value) for value in board.values([LINK])]
    return encode({"t": "meters", "bank": "main", "rev": 0, "at": 0, "values": values})


async def _fill(server: Server, shell: Connection) -> None:
    """Sends more to a sign that does not read than the system's buffers hold, until some stays with us."""
    frame = meters(server.banks["main"].board)
    while shell.protocol.unread < SIGN_UNREAD_MAX // 2:
        shell.tell(frame)
        server.signs.flush()
        await asyncio.sleep(0)


@on_loop
async def test_a_sign_that_does_not_read_is_bounded_and_closed(tmp_path: Path) -> None:
    """WIRE, faults: values are conflated while it does not read; after 10 s it is closed."""
    clock = StepClock()
    async with Server(configure(tmp_path), clock) as server, table(server) as device:
        raw = socket.socket()
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        raw.setblocking(False)
        await asyncio.get_running_loop().sock_connect(raw, ("127.0.0.1", server.ports["signs"]))
        slow = Device(*await asyncio.open_connection(sock=raw, limit=1_024))
        await slow.hello(server.config, "sign", "S01")
        await slow.type("welcome")
        slow.writer.transport.pause_reading()  # type: ignore[attr-defined]
        shell = server.signs.current["S01"]
        board = server.banks["main"].board
        await _fill(server, shell)
        assert shell.protocol.unread <= SIGN_UNREAD_MAX
        assert not shell.show(meters(board))
        device.wager(1, "R1", 1)
        await device.answer(1)
        slow.writer.transport.resume_reading()  # type: ignore[attr-defined]
        newest = await slow.hear(lambda message: message["t"] == "meters" and message["rev"] == board.rev)
        assert [LINK, "mega", 1_000_009] in newest["values"]
        slow.writer.transport.pause_reading()  # type: ignore[attr-defined]
        await _fill(server, shell)
        clock.ahead_s += SIGN_UNREAD_S + 1
        await until(lambda: server.signs.current == {})
        slow.writer.transport.abort()
