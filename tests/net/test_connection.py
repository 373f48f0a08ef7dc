"""Cost of a connection to the server, unauthenticated or idle."""

import asyncio
import sys
from contextlib import ExitStack
from pathlib import Path
from types import FrameType
from typing import Self

import pytest

import jackpot
from controllers.frames import encode
from controllers.pace import Limits
from jackpot.app import Server
from jackpot.clock import SystemClock
from jackpot.config import Address
from jackpot.net import device_listeners
from jackpot.net.admission import AdmissionLimits
from jackpot.net.device_protocol import DeviceProtocol
from jackpot.net.device_registry import DeviceRegistry
from jackpot.net.listener import Listener
from jackpot.net.tables import TableListener
from tests.running_server import StepClock, call, configure, ended, on_loop, sign, table, until

HOUSE = Path(jackpot.__file__).parents[1]
PARTS = (str(HOUSE / "jackpot"), str(HOUSE / "controllers"))
STRANGERS = 20
# Calls of ours for one stranger with a bad frame: accepted, challenged, refused, counted, logged, forgotten.
CALLS_MAX = 100
# Of an idle device in a heartbeat: it is shown the whole with a ping, and its pong comes.
SHOWN_MAX = 14
PONG_MAX = 8


class Calls:
    """Counts calls of our functions since it was entered."""

    def __init__(self) -> None:
        self.count = 0

    def __enter__(self) -> Self:
        sys.setprofile(self._note)
        return self

    def __exit__(self, *_error: object) -> None:
        sys.setprofile(None)

    def _note(self, frame: FrameType, event: str, _argument: object) -> None:
        self.count += event == "call" and frame.f_code.co_filename.startswith(PARTS)


@on_loop
async def test_a_stranger_with_a_bad_frame_costs_little() -> None:
    """WIRE, faults: strangers come as fast as the pace lets them in; each is a small number of calls."""
    clock = SystemClock()
    tables = TableListener("north", DeviceRegistry("table", [], lambda _role, _device: ()), Limits(), clock)
    with ExitStack() as stack:
        async with asyncio.TaskGroup() as group:
            door = Listener(
                "tables", AdmissionLimits(most=1_000, of_address=1_000, pace=1), clock, group.create_task
            )
            await door.bind(Address("127.0.0.1", 0))
            port = device_listeners.listen(door, tables)
            with Calls() as calls:
                for _ in range(STRANGERS):
                    raw = call(stack, port, bytes(8))
                    await until(lambda raw=raw: ended(raw))  # type: ignore[misc]
                    raw.close()
                await until(tables.gone.is_set)
            door.close()
    assert tables.closed["bad_frame"] == STRANGERS
    assert calls.count <= STRANGERS * CALLS_MAX, calls.count / STRANGERS


@on_loop
async def test_an_idle_device_costs_next_to_nothing(tmp_path: Path) -> None:
    """Costs: 12,000 devices may wait, so each costs a few calls a heartbeat, tables and signs."""
    clock = StepClock()
    async with (
        Server(configure(tmp_path), clock=clock) as server,
        table(server) as one,
        sign(server) as other,
    ):
        meters = encode({"t": "meters", "bank": "main", "rev": 1, "at": 1, "values": []})
        for devices, device in ((server.tables, one), (server.signs, other)):
            (connection,) = devices.connections
            clock.ahead_s += connection.session.next_deadline() - clock.monotonic()
            with Calls() as shown:
                assert connection.show(meters)
            assert shown.count <= SHOWN_MAX
            ping = await device.type("ping")
            pong = encode({"t": "pong", "at": ping["at"]})
            with Calls() as heard:
                connection.protocol.data_received(pong)
            assert heard.count <= PONG_MAX


@on_loop
async def test_an_answer_leaves_before_its_value_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """WIRE, pushes: answers come first in a commit, so a table waits for no sign, however many there are."""
    left: list[tuple[str, bytes]] = []
    write = DeviceProtocol.write

    def noted(wire: DeviceProtocol, data: bytes) -> bool:
        left.append((wire._handler.kind, data))
        return write(wire, data)

    async with Server(configure(tmp_path)) as server, sign(server), table(server) as device:
        monkeypatch.setattr(DeviceProtocol, "write", noted)
        device.wager(1, "R1", 1)
        await device.answer(1)
        await until(lambda: any(kind == "sign" and b"meters" in data for kind, data in left))
    kinds = [kind for kind, data in left if b"\xa3ack" in data or (kind == "sign" and b"meters" in data)]
    assert kinds[:2] == ["table", "sign"]


@on_loop
async def test_the_time_of_a_table_s_commands_does_not_go_back(tmp_path: Path) -> None:
    """L11, T10: rounds within a minute and waiting times are counted by it; a sweep may be late."""
    config, clock = configure(tmp_path), StepClock()
    async with Server(config, clock=clock) as server, table(server) as device:
        bank, one = server.banks["main"], server.tables.current["T01"]
        bank.full = True
        device.wager(1, "R1", 1)
        await until(lambda: one.session.intake.halted)
        swept_at = clock.monotonic()
        clock.ahead_s += 5.0
        bank.full = one.session.intake.halted = False
        one.sweep(swept_at)
        assert bank.sequencer.depth == 1
        assert one.now >= swept_at + 5.0
        assert one.tick == int(one.now * 1000)
        assert (await device.answer(1))["t"] == "ack"
