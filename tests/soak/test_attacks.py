"""Attacks on the listener and on TLS are served in turns: the short form of `hostile`, counted in turns."""

import asyncio
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

from jackpot.app import Server
from jackpot.net.listener import Listener
from jackpot.runtime.isolate import failures
from jackpot.web.ciphertext import Tls
from jackpot.web.http_budget import BudgetShare
from jackpot.web.http_connection import TURN_S
from tests.running_server import configure, on_loop, table, until
from tests.soak.attacks import ATTACKS, ENCRYPTED
from tests.soak.target import Target
from tests.web.test_ciphertext import encrypted

SECONDS = 1.0
# What an attack makes the server do; each step is a turn, and costs at least a turn.
STEPS = ((Listener, "_accept"), (Tls, "buffer_updated"))


@pytest.mark.parametrize("name", ["connections that hang up", *ENCRYPTED])
@on_loop
async def test_an_attack_has_nothing_done_outside_of_its_turns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Misuse: records of one byte, handshakes and hang-ups count against the sender, and a table plays."""
    assert name in {**ATTACKS, **ENCRYPTED}
    config, trusting = encrypted(tmp_path) if name in ENCRYPTED else (configure(tmp_path), None)
    inside, outside = list[str](), list[str]()
    async with Server(config) as server, table(server, tls=trusting) as device:
        budget = server.connections.budget

        def watch(kind: type[Any], step: str) -> None:
            work = getattr(kind, step)

            def watched(self: Any, *given: Any) -> Any:
                (inside if budget._working else outside).append(step)
                return work(self, *given)

            monkeypatch.setattr(kind, step, watched)

        for kind, step in STEPS:
            watch(kind, step)
        await until(lambda: budget.tables_connected)
        target = Target(0, 0, server.ports["http"], SECONDS, {}, {}, "", str(tmp_path / "authority.pem"))
        attacker = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "tests.soak.attacks", name, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        async with asyncio.TaskGroup() as group:
            group.create_task(attacker.communicate(msgspec.json.encode(target)))
            await until(lambda: len(inside) >= 10)
            device.wager(1, "R1", 1)
            assert (await device.answer(1))["t"] == "ack"
        assert attacker.returncode == 0
        (door,) = (door for door in server.listeners if door.name == "http")
        await until(lambda: not door.admission_control.inside and not door.admission_control.waiting)
        turns = inside.count("_accept") + inside.count("buffer_updated")
        assert budget.used[BudgetShare.LISTENER] + budget.used[BudgetShare.STRANGER] >= turns * TURN_S
    assert not outside
    assert not any(failures().values())
