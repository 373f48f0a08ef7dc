"""Turns of HTTP: waiting for one is not late or idle, and accepting at the listener takes one, too."""

import socket
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest

from jackpot.app import Server
from jackpot.net.admission import AdmissionStage
from jackpot.net.listener import Listener
from jackpot.web.http_budget import BudgetShare, HttpBudget, Payer
from jackpot.web.http_connection import TURN_S
from tests.running_server import administer, call, configure, ended, on_loop, table, until
from tests.web.staffed import staffed
from tests.web.test_http_budget import FLOODED, HEAD, readable


class Held:
    """A budget whose turns come when a test says so; those of accepting come at once."""

    def __init__(self, budget: HttpBudget, monkeypatch: pytest.MonkeyPatch) -> None:
        self.works: list[Callable[[], None]] = []
        self._budget = budget
        self._turn = budget.turn
        monkeypatch.setattr(budget, "turn", self._held)

    def _held(self, payer: Payer, work: Callable[[], None]) -> None:
        if payer.share is BudgetShare.LISTENER:
            self._turn(payer, work)
        else:
            self.works.append(work)

    def go_on(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(self._budget, "turn", self._turn)
        for work in self.works:
            work()


@on_loop
async def test_who_waits_for_a_turn_is_not_idle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """WIRE, faults: a request is answered however long it waits; who asks for nothing meanwhile is cut."""
    monkeypatch.setattr("jackpot.web.http_connection.HEAD_WITHIN_S", 0.5)
    with ExitStack() as stack:
        async with Server(configure(tmp_path)) as server:
            port = server.ports["http"]
            asks = call(stack, port)
            await until(lambda: len(server.connections.all) == 1)
            held = Held(server.connections.budget, monkeypatch)
            asks.send((HEAD % b"/healthz")[:20])
            await until(lambda: len(held.works) == 1)
            for _ in range(2):
                silent = call(stack, port)
                await until(lambda: ended(silent))  # noqa: B023 - it is waited for here
            held.go_on(monkeypatch)
            server.connections.sweep()
            assert not readable(asks)
            asks.send((HEAD % b"/healthz")[20:])
            await until(lambda: readable(asks))
            assert asks.recv(65_536).startswith(b"HTTP/1.1 200")


@on_loop
async def test_who_waits_for_a_turn_keeps_its_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """WIRE, faults: where others come, those that have asked for nothing go, and not one that we let wait."""
    extra = "http_connections = 32\nhttp_per_address = 32"
    with ExitStack() as stack:
        async with Server(configure(tmp_path, extra=extra)) as server:
            port = server.ports["http"]
            asks = call(stack, port, b"", FLOODED)
            await until(lambda: len(server.connections.all) == 1)
            held = Held(server.connections.budget, monkeypatch)
            asks.send(HEAD % b"/healthz")
            await until(lambda: len(held.works) == 1)
            monkeypatch.setattr(server.connections.budget, "turn", held._turn)
            talkers = [call(stack, port, b"GET /healthz HTT") for _ in range(31)]
            await until(
                lambda: (
                    sum(bool(one.admission.stage is AdmissionStage.TALKING) for one in server.connections.all)
                    == 31
                )
            )
            more = [call(stack, port, b"GET", f"127.0.2.{number + 1}") for number in range(8)]
            await until(lambda: sum(ended(raw) for raw in (*talkers, *more)) == 8)
            assert not ended(asks)
            held.go_on(monkeypatch)
            await until(lambda: readable(asks))


@on_loop
async def test_a_body_that_waits_for_a_turn_is_not_late(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A form is answered however long its bytes wait here; one that its sender holds back is late."""
    monkeypatch.setattr("jackpot.web.forms.BODY_WITHIN_S", 0.5)
    form = b"login=nobody&secret=wrong-wrong-wrong"
    head = b"POST /ops/sign-in HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n" % len(form)
    head += b"Content-Type: application/x-www-form-urlencoded\r\n\r\n"
    with ExitStack() as stack:
        async with staffed(configure(tmp_path)) as server:
            port = server.ports["http"]
            waits = call(stack, port, head)
            await until(lambda: any(one._patience is not None for one in server.connections.all))
            late = call(stack, port, head, FLOODED)
            await until(lambda: sum(one._patience is not None for one in server.connections.all) == 2)
            held = Held(server.connections.budget, monkeypatch)
            waits.send(form)
            await until(lambda: readable(late))
            assert late.recv(65_536).startswith(b"HTTP/1.1 408")
            assert not readable(waits)
            held.go_on(monkeypatch)
            await until(lambda: readable(waits))
            assert not waits.recv(65_536).startswith(b"HTTP/1.1 408")


@on_loop
async def test_what_comes_in_at_the_door_is_in_the_budget(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Misuse: connections that hang up at once are accepted in turns, and charged to the listener."""
    accepted, outside = list[str](), list[str]()
    accept = Listener._accept
    with ExitStack() as stack:
        async with Server(configure(tmp_path)) as server, table(server):
            budget = server.connections.budget

            def watched(self: Listener, listening: socket.socket) -> None:
                (accepted if budget._working else outside).append(self.name)
                accept(self, listening)

            monkeypatch.setattr(Listener, "_accept", watched)
            for _ in range(200):
                call(stack, server.ports["http"]).close()
            await until(lambda: "http" in accepted and not server.connections.all)
            assert "http" not in outside
            assert budget.used[BudgetShare.LISTENER] >= accepted.count("http") * TURN_S
            assert not budget.used[BudgetShare.ADMIN]
            assert (await administer(server.config, do="/tables"))["ok"]
            assert "admin" not in outside
            assert budget.used[BudgetShare.ADMIN]


@on_loop
async def test_an_overdrawn_door_accepts_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Misuse: a connection that comes meanwhile waits in the kernel, and costs nothing.

    Tables have another listener.
    """
    with ExitStack() as stack:
        async with Server(configure(tmp_path)) as server, table(server, "T01"):
            budget, held = server.connections.budget, list[Callable[[], None]]()
            turn = budget.turn
            monkeypatch.setattr(budget, "turn", lambda _payer, work: held.append(work))
            callers = [call(stack, server.ports["http"], HEAD % b"/healthz") for _ in range(20)]
            await until(lambda: len(held) == 1)
            async with table(server, "T02") as device:
                device.wager(1, "R1", 1)
                assert (await device.answer(1))["t"] == "ack"
            assert len(held) == 1
            assert not server.connections.all
            monkeypatch.setattr(budget, "turn", turn)
            held[0]()
            await until(lambda: all(readable(raw) for raw in callers))
