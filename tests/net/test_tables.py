"""Tables over TCP: exactly-once commands, and each table's place and no other's."""

import asyncio
import socket
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import msgspec
import pytest
import structlog

from controllers import messages
from controllers.frames import encode
from controllers.session import TABLE_UNREAD_MAX
from controllers.states import SessionState
from jackpot.app import Server
from jackpot.bank.draws import RepeatedChance
from jackpot.net.device_registry import fingerprint
from jackpot.rules import commands
from jackpot.rules.acts.links import Resume, Suspend
from jackpot.rules.acts.parameters import ChangeLink
from jackpot.rules.outgoing_messages import AWARDS_AT_ONCE
from tests import frames
from tests.running_server import (
    LINK,
    LINKS,
    WAIT_S,
    Device,
    StepClock,
    administer,
    configure,
    connected,
    on_loop,
    sign,
    table,
    until,
)

# More than asyncio keeps unless it is told to.
TOGETHER = 300
THREES = [{"seat": seat, "cards": [f"{9 - seat}{suit}" for suit in "shd"]} for seat in range(7, 0, -1)]
ROYAL = {"seat": 3, "cards": ["As", "Ks", "Qs"]}


@on_loop
async def test_a_wager_and_its_royal(tmp_path: Path) -> None:
    """A2, A5, S7: from bytes to award, envy, table's and sign's pushes, and the new meter."""
    async with Server(configure(tmp_path)) as server, table(server) as device, sign(server) as board:
        device.wager(1, "R1", 1, 2, 3, lock=True)
        assert await device.answer(1) == {"t": "ack", "seq": 1}
        device.say(t="settle", seq=2, round="R1", hands=[ROYAL], board=["Js", "Ts"], close=True)
        answer = await device.answer(2)
        assert [(award["kind"], award["amount"]) for award in answer["awards"]] == [
            ("meter", 1_000_027),
            ("envy", 100_000),
            ("envy", 100_000),
        ]
        assert (await board.type("hit"))["amount"] == 1_000_027
        assert (await device.type("hit"))["hit"] == "H1"
        shown = await board.hear(
            lambda message: message["t"] == "meters" and [LINK, "mega", 1_000_000] in message["values"]
        )
        assert shown["rev"] == server.banks["main"].sequencer.durable_seq
        assert server.banks["main"].counts.awards == {(LINK, "meter"): 1_000_027, (LINK, "envy"): 200_000}


@on_loop
async def test_resends_conflicts_and_gaps(tmp_path: Path) -> None:
    """WIRE, table commands: the same is answered again, another content never, a gap names `expected`."""
    async with Server(configure(tmp_path)) as server, table(server) as device:
        device.wager(1, "R1", 1)
        first = await device.answer(1)
        device.wager(1, "R1", 1, unknown=[1, 2])
        assert await device.answer(1) == first
        device.wager(1, "R1", 2)
        conflict = await device.answer(1)
        assert (conflict["code"], conflict["expected"]) == ("seq_conflict", 2)
        device.wager(5, "R1", 2)
        gap = await device.answer(5)
        assert (gap["code"], gap["expected"]) == ("seq_gap", 2)
        device.say(t="wager", seq=2, round="R1", bets="no list")
        assert (await device.answer(2))["code"] == "bad_message"
        meters = await administer(server.config, do="/links")
        assert meters["links"][0]["levels"][0]["value"] == "10000.09"


@on_loop
async def test_a_table_that_lost_its_memory_goes_on(tmp_path: Path) -> None:
    """WIRE, handshake: after a restart `welcome` tells the last answer, the round and what waits."""
    config = configure(tmp_path)
    async with Server(config) as server, table(server) as device:
        device.wager(1, "R1", 3, lock=True)
        await device.answer(1)
        device.say(t="settle", seq=2, round="R1", hands=[ROYAL], board=["Js", "Ts"])
        settled = await device.answer(2)
    async with Server(config) as server, table(server) as device:
        welcome = device.heard[-1]
        assert (welcome["last_seq"], welcome["last"]) == (2, settled)
        assert (welcome["round"]["round"], welcome["round"]["settled"]) == ("R1", [3])
        await device.type("meters")
        award = await device.type("award")
        assert (award["award"], award["status"]) == ("A1", "pending")
        assert (await device.type("hit"))["hit"] == "H1"


async def pile_up(device: Device, awards: int) -> dict[str, Any]:
    """Wins at least so many odds awards for T01 and a few more, seven a round; returns the last one."""
    made = []
    for number in range(awards // 7 + 3):
        device.wager(2 * number + 1, f"R{number}", *range(1, 8), lock=True)
        threes = {"hands": THREES, "board": ["Jc", "Tc"], "close": True}
        device.say(t="settle", seq=2 * number + 2, round=f"R{number}", **threes)
        made = (await device.answer(2 * number + 2))["awards"]
    return dict(made[-1])


@on_loop
async def test_a_table_is_told_all_that_waits_as_it_reads(tmp_path: Path) -> None:
    """WIRE, handshake: each award once, in order, the first ones at once; then what people do with them."""
    config = configure(tmp_path)
    async with Server(config) as server:
        async with table(server) as device:
            last = (await pile_up(device, AWARDS_AT_ONCE))["award"]
        async with table(server) as device:
            await device.hear(lambda message: message["t"] == "award" and message["award"] == last)
            told = [message["award"] for message in device.heard if message["t"] == "award"]
            assert told == [f"A{number}" for number in range(1, int(last[1:]) + 1)]
            assert len(told) > AWARDS_AT_ONCE
            answer = await administer(config, do="validate", hit="H1", by="Ann")
            assert answer["ok"], answer
            assert (await device.type("award", "status"))["status"] == "validated"


@on_loop
async def test_a_table_ahead_of_the_ledger_stops_the_bank(tmp_path: Path) -> None:
    """WIRE, handshake: `acked` beyond the ledger is `ledger_behind`, until it is confirmed."""
    config = configure(tmp_path)
    async with Server(config) as server, table(server, "T02") as other:
        async with connected(server.ports["tables"]) as device:
            await device.hello(config, "table", "T01", acked=7)
            assert (await device.type("error"))["code"] == "ledger_behind"
        assert (await other.type("link"))["state"] == "suspended"
        answer = await administer(
            config,
            do="confirm-behind",
            table="T01",
            reason="a disk",
            believe=True,
            by="Ann",
            and_by="Bo",
        )
        assert answer["ok"]
        assert (await other.type("link"))["state"] == "active"
        async with table(server, acked=7) as device:
            assert device.heard[-1]["last_seq"] == 7


@on_loop
async def test_the_newer_connection_wins(tmp_path: Path) -> None:
    """WIRE, faults: the old one is told `replaced`, and the welcome knows all that it had sent."""
    async with Server(configure(tmp_path)) as server, table(server) as old:
        old.wager(1, "R1", 1)
        await until(lambda: server.banks["main"].sequencer.submitted > 4)
        async with table(server) as new:
            assert new.heard[-1]["last_seq"] == 1
            assert (await old.type("error"))["code"] == "replaced"
            old.wager(2, "R1", 2)
            await old.closed()
            new.wager(2, "R1", 3)
            assert (await new.answer(2))["t"] == "ack"


async def _fight(server: Server, times: int) -> list[Device]:
    fighters = []
    for _ in range(times):
        reader, writer = await asyncio.open_connection("127.0.0.1", server.ports["tables"])
        fighters.append(Device(reader, writer))
        await fighters[-1].hello(server.config, "table", "T01")
        await fighters[-1].type("welcome")
    return fighters


@on_loop
async def test_two_devices_with_one_key_are_stopped_and_cleared(tmp_path: Path) -> None:
    """WIRE, faults: after three replacements in a minute `device_conflict`, over a restart, until cleared."""
    config = configure(tmp_path)
    async with Server(config) as server:
        with structlog.testing.capture_logs() as logs:
            fighters = await _fight(server, 4)
        between = [tuple(line["addresses"]) for line in logs if line["event"] == "device_conflict_seen"]
        came_from = [fighter.writer.get_extra_info("sockname") for fighter in fighters[-2:]]
        assert between == [tuple(f"{host}:{port}" for host, port in came_from)]
        async with connected(server.ports["tables"]) as device:
            await device.hello(config, "table", "T01")
            assert (await device.type("error"))["code"] == "device_conflict"
        for fighter in fighters:
            fighter.writer.transport.abort()
    async with Server(config) as server:
        async with connected(server.ports["tables"]) as device:
            await device.hello(config, "table", "T01")
            assert (await device.type("error"))["code"] == "device_conflict"
        assert (await administer(config, do="clear", role="table", device="T01", by="Ann"))["ok"]
        async with table(server) as device:
            assert device.heard[-1]["last_seq"] == 0


@on_loop
async def test_a_device_that_reconnects_is_no_conflict(tmp_path: Path) -> None:
    """WIRE, faults: only replaced connections that are still open on the device's side count."""
    async with Server(configure(tmp_path)) as server:
        for _ in range(6):
            async with table(server):
                pass
        assert server.tables.registry.blocked == set()


@on_loop
async def test_the_first_hello_with_a_new_key_ends_the_old(tmp_path: Path) -> None:
    """WIRE, handshake: in a rotation both keys are valid until then, also after a restart."""
    config = configure(tmp_path, next_keys=True)
    old = config.keys["table", "T01"][0]
    async with Server(config) as server:
        async with table(server, key=0):
            pass
        async with table(server, key=1):
            pass
        assert server.tables.registry.ended == {("T01", fingerprint(old))}
    async with Server(config) as server:
        async with connected(server.ports["tables"]) as device:
            await device.hello(config, "table", "T01", key=0)
            assert (await device.type("error"))["code"] == "auth_failed"
        async with table(server, key=1):
            pass


@on_loop
async def test_strangers_learn_nothing(tmp_path: Path) -> None:
    """WIRE, faults: an unknown device, a wrong key and a sign at the tables' listener get the same words."""
    config = configure(tmp_path)
    said = set()
    async with Server(config) as server:
        for role, name, key in (("table", "T99", "T01"), ("table", "T01", "T02"), ("sign", "S01", "S01")):
            async with connected(server.ports["tables"]) as device:
                keys = {**config.keys, (role, name): config.keys["sign" if key == "S01" else "table", key]}
                await device.hello(msgspec.structs.replace(config, keys=keys), role, name)
                error = await device.type("error")
                said.add((error["code"], error["message"]))
    assert len(said) == 1
    assert next(iter(said))[0] == "auth_failed"


@on_loop
async def test_a_table_that_does_not_read_is_closed(tmp_path: Path) -> None:
    """WIRE, faults: at 1 MiB unread the table is closed, and the memory is free."""
    async with Server(configure(tmp_path)) as server:
        raw = socket.socket()
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        raw.setblocking(False)
        await asyncio.get_running_loop().sock_connect(raw, ("127.0.0.1", server.ports["tables"]))
        reader, writer = await asyncio.open_connection(sock=raw, limit=1_024)
        device = Device(reader, writer)
        await device.hello(server.config, "table", "T01")
        await device.type("welcome")
        writer.transport.pause_reading()  # type: ignore[attr-defined]
        shell = server.tables.current["T01"]
        frame = encode({"t": "status", "hit": "H1", "status": "x" * 60_000})
        for _ in range(20 * TABLE_UNREAD_MAX // len(frame)):
            shell.tell(frame)
            server.tables.flush()
        await until(lambda: not server.tables.connections)
        writer.transport.abort()


@on_loop
async def test_a_silent_table_is_closed(tmp_path: Path) -> None:
    """WIRE, faults: no whole frame for two heartbeats; the table's seat in the registry is free."""
    clock, config = StepClock(), configure(tmp_path, heartbeat_ms=2_000)
    async with Server(config, clock) as server, connected(server.ports["tables"]) as device:
        await until(lambda: bool(server.tables.connections))
        server.tables.sweep()  # from here on it is waited for its hello, which may take longer than silence
        await device.hello(config, "table", "T01")
        await device.type("welcome")
        silent = server.tables.current["T01"]
        server.tables.sweep()
        clock.ahead_s += 4.5
        server.tables.sweep()
        assert silent.session.state is SessionState.CLOSED
        await device.closed()
        await until(lambda: server.tables.current == {})


@on_loop
async def test_draws_are_made_at_the_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A7: where chance says so a card and a box are drawn, at the lock; a resend draws nothing."""
    bonus = LINKS.replace("pa-643a-five-card-C", "pa-643a-five-card-hand-bonus")
    monkeypatch.setattr(RepeatedChance, "below", lambda *_: lambda _most: 0)
    config = configure(tmp_path, links=bonus + "magic_card_every = 8\nlucky_every = 8\n")
    async with Server(config) as server, table(server) as device:
        device.wager(1, "R1", 1, lock=True)
        first = await device.answer(1)
        assert first["draw"] == {LINK: {"magic_card": "2s", "lucky_box": 1}}
        monkeypatch.setattr(RepeatedChance, "below", lambda *_: lambda _most: 3)
        device.wager(1, "R1", 1, lock=True)
        assert await device.answer(1) == first


@on_loop
async def test_a_lock_draws_by_the_terms_of_now(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A7, L9: terms that change next to a running server are what the next lock of that link is drawn by."""
    bonus = LINKS.replace("pa-643a-five-card-C", "pa-643a-five-card-hand-bonus")
    asked: list[int] = []

    def unlucky(below: int) -> int:
        asked.append(below)
        return below - 1

    monkeypatch.setattr(RepeatedChance, "below", lambda *_: unlucky)
    config = configure(tmp_path, links=bonus + "magic_card_every = 200\n")
    async with Server(config) as server, table(server) as device:
        bank = server.banks["main"]

        async def lock(seq: int) -> int:
            asked.clear()
            device.wager(seq, f"R{seq}", 1, lock=True)
            assert (await device.answer(seq))["t"] == "ack"
            device.say(t="close", seq=seq + 1, round=f"R{seq}")
            assert (await device.answer(seq + 1))["t"] == "ack"
            return asked[0]

        assert await lock(1) == 200
        for number, every in enumerate((1000, 3), 1):
            terms = await bank.ask(lambda engine: engine.state.links[0].terms)
            changed = ChangeLink(msgspec.structs.replace(terms, magic_every=every), "another chance")
            for act in (
                Suspend("operator", (LINK,), "a change"),
                changed,
                Resume("operator", (LINK,), "done"),
            ):
                assert (await bank.person(act, ("Ann", "Bob"))).ok
            assert await lock(1 + 2 * number) == every


@on_loop
async def test_sixty_four_unanswered_are_held_back_not_lost(tmp_path: Path) -> None:
    """WIRE, faults: a burst beyond the limits is answered whole, in order."""
    async with Server(configure(tmp_path)) as server, table(server) as device:
        for number in range(150):
            device.say(
                t="wager",
                seq=2 * number + 1,
                round=f"R{number}",
                bets=[{"seat": 1, "link": LINK, "amount": 100}],
            )
            device.say(t="void", seq=2 * number + 2, round=f"R{number}", reason="misdeal")
        for seq in range(1, 301):
            assert (await device.type("ack", "nack"))["seq"] == seq
        assert server.banks["main"].sequencer.depth == 0


@pytest.mark.parametrize("noise", [b"", b"\0\0\0\0", b"\xff" * 64, b"GET / HTTP/1.1\r\n\r\n"])
@on_loop
async def test_noise_is_answered_or_closed(tmp_path: Path, noise: bytes) -> None:
    """WIRE, faults: bytes that are no frame end in `bad_frame` or a closed connection."""
    async with Server(configure(tmp_path)) as server, connected(server.ports["tables"]) as device:
        device.writer.write(noise)
        device.writer.write_eof()
        await device.closed()
        assert {message["t"] for message in device.heard} <= {"challenge", "error"}


@on_loop
async def test_a_whole_floor_may_come_at_one_moment(tmp_path: Path) -> None:
    """Takeover: the kernel keeps those who connect while the server is busy; nobody has to try again."""
    async with Server(configure(tmp_path)) as server, AsyncExitStack() as stack:
        address = "127.0.0.1", server.ports["tables"]
        for _ in range(TOGETHER):  # the loop, which would accept them, waits for us
            stack.enter_context(socket.create_connection(address, WAIT_S))


@on_loop
async def test_a_ledger_of_before_that_holds_an_endless_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """WIRE, frames: it starts, answers the resend and welcomes: with seq, code and a short text."""
    config = configure(tmp_path)
    wrong = {"t": "lock", "seq": 1, "round": 5}
    async with Server(config) as server:
        bank = server.banks["main"]
        digest = messages.digest(messages.decode_device(encode(wrong)[4:]))  # type: ignore[arg-type]
        command = frames.malformed("x" * 65_500)
        envelope = commands.Envelope(command, 1, 1, digest, table="T01")
        done = asyncio.Event()
        with monkeypatch.context() as before:
            before.setattr("jackpot.rules.phrases._cut", lambda _kind, value: value)
            bank.submit(envelope, lambda _outcome: done.set())
        await asyncio.wait_for(done.wait(), WAIT_S)
    nack = {"t": "nack", "seq": 1, "code": "bad_message", "message": "x" * 253 + "..."}
    async with Server(config) as server:
        async with table(server) as device:
            welcome = device.heard[1]
            assert (welcome["last_seq"], welcome["last"]) == (1, nack)
            device.say(**wrong)
            assert await device.answer(1) == nack
            device.wager(2, "R1", 1)
            assert (await device.answer(2))["t"] == "ack"
        async with table(server) as device:
            assert device.heard[1]["last"] == {"t": "ack", "seq": 2}
