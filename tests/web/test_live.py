"""Live meters: every output shows the same durable values in order, and no receiver delays another."""

import asyncio
import socket
from contextlib import AsyncExitStack
from pathlib import Path

import aiohttp
import pytest

from controllers.answers import Error
from jackpot.app import Server
from jackpot.net.signs import SIGN_UNREAD_MAX, SIGN_UNREAD_S
from jackpot.net.udp import DATAGRAM_MAX, datagrams
from jackpot.web.live import STREAMS_MAX, event_chunk, websocket_frame
from tests import ceilings
from tests.running_server import (
    LINK,
    Faulty,
    StepClock,
    administer,
    configure,
    doubt,
    on_loop,
    sign,
    table,
    until,
)
from tests.web.receivers import (
    Amounts,
    events,
    read_events,
    read_sign,
    read_udp,
    read_websocket,
    udp_receiver,
    until_told,
    with_ports,
)

WAYS = (read_websocket, read_events, read_sign)
SILENT = 500
GOOD = 20
WAGERS = 3


def udp_sign(receiver: socket.socket, more: str = "") -> str:
    port = receiver.getsockname()[1]
    text = f'[[udp_sign]]\naddress = "127.0.0.1:{port}"\nlinks = ["{LINK}"]\n'
    return f'{text}format = "{{link}}.{{level}}:{{amount}}"\n{more}'


def changes(shown: Amounts) -> list[str]:
    """Drops consecutive duplicates of the amounts."""
    return [amount for at, (_, amount) in enumerate(shown) if not at or shown[at - 1][1] != amount]


async def until_all_show(shown: list[Amounts], amount: str) -> None:
    await until(lambda: all(one and one[-1][1] == amount for one in shown))


@on_loop
async def test_every_way_out_shows_the_same_values_in_order(tmp_path: Path) -> None:
    """WIRE, other ways out: the same values in the same order, none older than one seen, across a restart."""
    receiver = udp_receiver()
    config = configure(tmp_path, extra=udp_sign(receiver))
    shown: list[Amounts] = [[], [], [], []]
    number = 0

    async def play(server: Server) -> None:
        nonlocal number
        async with table(server, acked=number) as device:
            for _ in range(WAGERS):
                number += 1
                device.wager(number, "R1", number)
                await device.answer(number)
                cents = server.banks["main"].board.links[LINK].levels["mega"]
                await until_all_show(shown, f"{cents // 100}.{cents % 100:02}")

    async with asyncio.TaskGroup() as group:
        udp = group.create_task(read_udp(receiver, shown[3]))
        for _ in range(2):
            async with Server(config) as server:
                config = with_ports(config, server.ports)
                reading = [group.create_task(way(server, shown[at])) for at, way in enumerate(WAYS)]
                await until(lambda: all(shown))
                await play(server)
                for task in reading:
                    task.cancel()
        udp.cancel()
    receiver.close()
    seen = changes(shown[0])
    assert len(seen) == 1 + 2 * WAGERS
    assert all(changes(one) == seen for one in shown[1:])
    for one in shown[:3]:
        assert [rev for rev, _ in one] == sorted(rev for rev, _ in one)


@on_loop
async def test_five_hundred_that_never_read_hold_up_nobody(tmp_path: Path) -> None:
    """Proof: 500 signs that never read, next to 20 good ones: memory bounded, the good ones on time."""
    clock = StepClock()
    many = "http_per_address = 1200\nstreams_per_address = 1000"
    async with (
        Server(configure(tmp_path, extra=many), clock) as server,
        table(server) as device,
        AsyncExitStack() as stack,
    ):
        loop = asyncio.get_running_loop()
        silent = []
        for _ in range(SILENT):
            raw = stack.enter_context(socket.socket())
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2_048)
            raw.setblocking(False)
            await loop.sock_connect(raw, ("127.0.0.1", server.ports["http"]))
            await loop.sock_sendall(raw, b"GET /events/meters HTTP/1.1\r\nHost: localhost\r\n\r\n")
            silent.append(raw)
        good: list[Amounts] = [[] for _ in range(GOOD)]
        group = await stack.enter_async_context(asyncio.TaskGroup())
        reading = [group.create_task(WAYS[at % 2](server, one)) for at, one in enumerate(good)]
        await until(lambda: len(server._live.streams) == SILENT + GOOD and all(good))
        # More than their systems hold is told to all, so that the silent ones have something left unread.
        board = server.banks["main"].board
        ports = {raw.getsockname()[1] for raw in silent}
        stuck = [one for one in server._live.streams if one._transport.get_extra_info("peername")[1] in ports]
        padding = event_chunk(Error("x" * 4_000, ""))
        while unfilled := [one for one in stuck if not one._transport.get_write_buffer_size()]:
            for stream in unfilled:
                stream.tell(padding)
            await asyncio.sleep(0)
        for seq in range(1, 8):
            device.wager(seq, "R1", seq)
            await device.answer(seq)
            await until(lambda: all(one[-1][0] == board.rev for one in good))
        held = [stream._transport.get_write_buffer_size() for stream in server._live.streams]
        assert max(held) <= SIGN_UNREAD_MAX
        # Nothing is queued for the silent: what they are owed is the snapshot of the moment they read again.
        assert sum(held) <= SILENT * 8_192
        await until(lambda: all(stream._unread_since is not None for stream in stuck))
        clock.ahead_s += SIGN_UNREAD_S + 1
        await until(lambda: len(server._live.streams) == GOOD)
        for task in reading:
            task.cancel()


@on_loop
async def test_a_links_state_is_told_on_every_way(tmp_path: Path) -> None:
    """S7, A10: win, pending with the jackpot's facts, normal once validated; suspended; the same over TCP."""
    receiver, clock = udp_receiver(), StepClock()
    config = configure(tmp_path, extra=udp_sign(receiver, 'state_format = "state:{state}"\n'))
    loop = asyncio.get_running_loop()

    async def until_udp(state: str) -> None:
        async with asyncio.timeout(ceilings.WAIT_S):
            while f"state:{state}" not in (await loop.sock_recv(receiver, 2_000)).decode().split("!!"):
                pass

    royal = {"seat": 1, "cards": ["As", "Ks", "Qs"]}
    jackpot = {"hit": "H1", "level": "mega", "table": "T01", "amount": 1_000_009}
    async with Server(config, clock) as server, table(server) as device, sign(server) as tcp:
        async with events(server) as told:
            await until_told(told, "state", state="normal", waiting=[])
            device.wager(1, "R1", 1, lock=True)
            device.say(t="settle", seq=2, round="R1", hands=[royal], board=["Js", "Ts"], close=True)
            assert (await until_told(told, "hit"))["amount"] == 1_000_009
            await until_told(told, "state", state="win", waiting=[jackpot])
            await until_udp("WIN")
            clock.ahead_s += 21
            await until_told(told, "state", state="pending", waiting=[jackpot])
            await until_udp("PENDING")
            await tcp.hear(lambda message: message["t"] == "state" and message["state"] == "pending")
        async with events(server) as told:
            await until_told(told, "state", state="pending", waiting=[jackpot])
            await administer(config, do="validate", by="Ann", hit="H1")
            await until_told(told, "state", state="normal", waiting=[])
            await tcp.hear(lambda message: message["t"] == "state" and message["state"] == "normal")
            await until_udp("NORMAL")
    receiver.close()


@on_loop
async def test_a_waiting_jackpot_is_still_told_after_a_restart(tmp_path: Path) -> None:
    """S7: what waits for a floorperson is read from the ledger, not from what this process saw."""
    config, clock = configure(tmp_path), StepClock()
    royal = {"seat": 1, "cards": ["As", "Ks", "Qs"]}
    async with Server(config, clock) as server, table(server) as device:
        device.wager(1, "R1", 1, lock=True)
        device.say(t="settle", seq=2, round="R1", hands=[royal], board=["Js", "Ts"], close=True)
        await device.answer(2)
    clock.ahead_s += 61
    async with Server(config, clock) as server, events(server) as told:
        state = await until_told(told, "state", state="pending")
        assert state["waiting"] == [{"hit": "H1", "level": "mega", "table": "T01", "amount": 1_000_009}]
        await administer(config, do="undo", by="Ann", hit="H1", reason="misread")
        await until_told(told, "state", state="normal", waiting=[])


@on_loop
async def test_doubt_is_a_fault_and_silence_on_udp(tmp_path: Path) -> None:
    """S5, WIRE udp: while the ledger is in doubt signs are told a fault, and UDP players nothing."""
    receiver = udp_receiver()
    config = configure(tmp_path, extra=udp_sign(receiver))
    ledger = Faulty(config)
    async with Server(config, ledger=ledger) as server, table(server) as device, events(server) as told:
        board = server.banks["main"].board
        await until_told(told, "state", state="normal")
        ledger.go.clear()
        ledger.faults.append(doubt)
        ledger.recover_faults += [OSError("still broken")]
        device.wager(1, "R1", 1)
        await until(lambda: server.banks["main"].sequencer.engine.seq > board.rev)
        server.banks["main"].perform(server.banks["main"].lifecycle.slow())
        sent = server._udp[0].sent
        await until_told(told, "state", state="fault")
        server._udp[0].tick(server.clock.monotonic() + 60)
        assert server._udp[0].sent == sent
        ledger.recover_faults.clear()
        ledger.go.set()
        await until_told(told, "state", state="normal")
        await until(lambda: server._udp[0].sent > sent)
    receiver.close()


@on_loop
async def test_text_is_multicast(tmp_path: Path) -> None:
    """WIRE, udp text: one datagram reaches every player of a group, from the network that is named."""
    group = "239.255.57.12"
    players = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(2)]
    port = 0
    for player in players:
        player.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        player.bind((group, port))
        port = player.getsockname()[1]
        member = socket.inet_aton(group) + socket.inet_aton("127.0.0.1")
        player.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, member)
        player.setblocking(False)
    text = f'[[udp_sign]]\naddress = "{group}:{port}"\ninterface = "127.0.0.1"\nlinks = ["{LINK}"]\n'
    config = configure(tmp_path, extra=text + 'format = "{link}/{level}:{cents}"')
    loop = asyncio.get_running_loop()
    async with Server(config), asyncio.timeout(ceilings.WAIT_S):
        for player in players:
            told = (await loop.sock_recv(player, 2_000)).decode()
            assert told == f"{LINK}/mega:1000000!!{LINK}/major:100000!!{LINK}/minor:25000"
    for player in players:
        player.close()


@pytest.mark.parametrize(
    ("path", "headers", "status"),
    [
        ("/ws/meters?links=nothing", {}, 404),
        ("/events/meters?links=nothing", {}, 404),
        ("/ws/meters", {"Origin": "https://elsewhere.example"}, 403),
        ("/sign/nothing", {}, 404),
        ("/static/..%2fsite.py", {}, 404),
        ("/static/nothing.js", {}, 404),
        (f"/logo/{LINK}", {}, 404),
        ("/metrics", {}, 404),
        ("/floor.json", {}, 404),
        ("/", {}, 404),
        (f"/sign/{LINK}", {}, 200),
        ("/static/sign.js", {}, 200),
    ],
)
@on_loop
async def test_the_public_listener_has_signs_alone(
    tmp_path: Path, path: str, headers: dict[str, str], status: int
) -> None:
    """DESIGN config, `public`: sign pages and streams, nothing of the floor, nothing of another site."""
    config = configure(tmp_path)
    config = with_ports(config, {"public": 0})
    async with Server(config) as server, aiohttp.ClientSession() as session:
        url = f"http://127.0.0.1:{server.ports['public']}{path}"
        async with session.get(url, headers=headers) as response:
            assert response.status == status
            if path == "/sign/nothing":
                assert await response.text() == f"there is no such link; there are /sign/{LINK}\n"
            assert "default-src 'none'" in response.headers["Content-Security-Policy"]
            assert response.headers["X-Content-Type-Options"] == "nosniff"
        async with session.post(url, headers=headers) as response:
            assert response.status in {404, 405}


@on_loop
async def test_receivers_are_limited(tmp_path: Path) -> None:
    """WIRE, faults: more receivers than the server can feed are sent away, and come back later."""
    async with Server(configure(tmp_path)) as server, events(server) as told:
        await until_told(told, "welcome")
        (stream,) = server._live.streams
        server._live.streams |= {object() for _ in range(STREAMS_MAX)}  # type: ignore[misc]
        url = f"http://127.0.0.1:{server.ports['http']}/events/meters"
        async with aiohttp.ClientSession() as session, session.get(url) as response:
            assert (response.status, response.headers["Retry-After"]) == (503, "10")
        server._live.streams = {stream}


@pytest.mark.parametrize("length", [1, 100, 125, 126, 65_535, 65_536])
def test_each_frame_is_what_a_client_reads(length: int) -> None:
    """RFC 6455, 5.2: the three forms of a length; an event's chunk says its own length."""
    message = Error("x" * length, "")
    size_of = length + len('{"t":"error","code":"","message":""}')
    frame = websocket_frame(message)
    head = 2 if size_of < 126 else 4 if size_of < 65_536 else 10
    assert (frame[0], len(frame) - head) == (0x81, size_of)
    assert int.from_bytes(frame[2:head] or frame[1:2], "big") == size_of
    size, _, rest = event_chunk(message).partition(b"\r\n")
    assert len(rest) == int(size, 16) + 2


def test_datagrams_are_whole_and_small() -> None:
    """WIRE, udp text: values joined by `!!`, each whole in a datagram that no network cuts."""
    items = [f"link-{number}.meter:{number}.00" for number in range(500)]
    sent = datagrams(items)
    assert max(map(len, sent)) <= DATAGRAM_MAX
    assert "!!".join(part.decode() for part in sent).split("!!") == items


@on_loop
async def test_nobody_is_shown_a_board_that_they_have_left(tmp_path: Path) -> None:
    """Memory: a receiver that goes away is forgotten, also where a board's links changed in between."""
    config = configure(tmp_path)
    async with Server(config) as server, AsyncExitStack() as receivers:
        board = server.banks["main"].board
        url = f"http://127.0.0.1:{server.ports['http']}/ws/meters"
        session = await receivers.enter_async_context(aiohttp.ClientSession())
        await receivers.enter_async_context(session.ws_connect(url))
        await receivers.enter_async_context(events(server))
        await receivers.enter_async_context(sign(server))
        await receivers.enter_async_context(table(server))
        await until(lambda: sum(len(group.watchers) for group in board.broadcaster.groups.values()) == 4)
        board.links.clear()  # as of a takeover that finds the link in another bank
        await receivers.aclose()
        await until(lambda: not board.broadcaster.groups)
