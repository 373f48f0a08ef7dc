"""Network clients for tables and signs: the sans-I/O sessions, run on asyncio.

    async with TableClient("T01", key, ["127.0.0.1:5710"], FileMemory(path)) as table:
        await table.wait_online()
        answer = await table.wager("R1", [{"seat": 1, "link": "floor-five", "amount": 100}], lock=True)

The client connects, reconnects and resends by itself until the block ends. The sessions in
`controllers.device` and `controllers.table` decide what it does; here are only sockets, timers and waiters.
"""

import asyncio
import random
import ssl
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Any, Final, Self

from controllers.device import (
    CommandAnswered,
    ConnectionRefused,
    DeviceEvent,
    DeviceSession,
    PushReceived,
    SignSession,
    WelcomeReceived,
)
from controllers.memory import Memory
from controllers.session import SessionClosed
from controllers.states import GREETED, SessionState
from controllers.table import TableSession

CONNECT_WITHIN_S: Final = 5.0
"""Seconds to make a connection before the next server is tried."""

READ_BYTES: Final = 65_536

UNWELCOMED: Final = GREETED | {SessionState.START, SessionState.CHALLENGED}
"""A connection that ends in one of these had nobody behind it who could serve."""

Message = dict[str, Any]


class ServerRefused(Exception):
    """The server ended the conversation with an error: its code, and its message."""


class Client:
    """One device on the network.

    servers: `host:port`, tried in turn. tls: how to check the server's certificate and show our own; None for
    plain TCP.
    """

    def __init__(
        self, session: DeviceSession, servers: Sequence[str], tls: ssl.SSLContext | None = None
    ) -> None:
        self.on_push: Callable[[Message], None] | None = None
        """Called with every welcome, push and error of the server; set it before the block begins."""
        self._session = session
        self._home = tuple(servers)
        self._servers = list(servers)
        self._tls = tls
        self._writer: asyncio.StreamWriter | None = None
        self._group = asyncio.TaskGroup()
        self._runner: asyncio.Task[None] | None = None
        self._changed = asyncio.Event()
        self.welcome: Message | None = None
        """The newest welcome."""
        self.trouble: Exception | None = None
        """Why no connection could be made, or the error with which the server ended it; None once welcome."""

    async def __aenter__(self) -> Self:
        await self._group.__aenter__()
        self._runner = self._group.create_task(self._run())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._runner is not None:
            self._runner.cancel()
        await self._group.__aexit__(kind, error, trace)

    def _now(self) -> float:
        return asyncio.get_running_loop().time()

    async def _run(self) -> None:
        session = self._session
        while True:
            await asyncio.sleep(max(0.0, session.connect_at - self._now()))
            host, _, port = self._servers[0].rpartition(":")
            try:
                async with asyncio.timeout(CONNECT_WITHIN_S):
                    reader, writer = await asyncio.open_connection(host.strip("[]"), int(port), ssl=self._tls)
            except (OSError, ValueError) as error:  # no connection, a bad certificate, an unresolvable name
                self.trouble = error
                self._next_server()
                session.disconnected(self._now())
                continue
            self._writer = writer
            session.connected(self._now())
            try:
                await self._converse(reader)
                if session.state in UNWELCOMED:
                    self._next_server()
            finally:
                self._writer = None
                writer.close()
                session.disconnected(self._now())
                self._wake()

    async def _converse(self, reader: asyncio.StreamReader) -> None:
        session = self._session
        while not session.finished:
            self._flush()
            data = None
            try:
                async with asyncio.timeout_at(session.next_deadline()):
                    data = await reader.read(READ_BYTES)
            except TimeoutError:
                pass  # a deadline of the session passed: `tick` is called below
            except OSError:
                return
            if data == b"":
                return
            now = self._now()
            events = session.tick(now) if data is None else session.receive_bytes(data, now)
            for event in events:
                self._act(event)
            self._wake()

    def _flush(self) -> None:
        if self._writer is not None and (data := self._session.data_to_send()):
            self._writer.write(data)

    def _wake(self) -> None:
        """Wake the tasks that wait for a change."""
        self._changed.set()
        self._changed = asyncio.Event()

    async def _wait_for(self, condition: Callable[[], bool]) -> None:
        while not condition():
            await self._changed.wait()

    def _act(self, event: DeviceEvent) -> None:
        match event:
            case WelcomeReceived(message):
                self.welcome, self.trouble = message, None
                self._tell(message)
            case PushReceived(message):
                self._tell(message)
            case ConnectionRefused(message):
                self.trouble = ServerRefused(f"{message.get('code')}: {message.get('message')}")
                self._move_on(message.get("code"))
                self._tell(message)
            case CommandAnswered():
                self._answered(event)
            case SessionClosed(None):
                self._next_server()
            case closed:
                self._move_on(closed.code)

    def _next_server(self) -> None:
        """Rotate to the next server after a failed connection or unreadable answers."""
        self._servers.append(self._servers.pop(0))

    def _move_on(self, code: str | None) -> None:
        """Rotate away from a server that is not active: try all known and named servers before it again.

        In turn, and not those that it named first: two that are not active name each other.
        """
        if code == "not_active":
            refused, *others = self._servers
            known = (*self._home, *self._session.servers)
            walk = [server for server in dict.fromkeys((*others, *known, refused)) if server in known]
            walk.sort(key=lambda server: server == refused)
            self._servers = walk

    def _tell(self, message: Message) -> None:
        if self.on_push is not None:
            self.on_push(message)

    def _answered(self, event: CommandAnswered) -> None:
        """Handle the answer to a command; only tables have commands."""


class SignClient(Client):
    """A sign on the network: show `meters`, cents by (link, level), while `showing`, else the fault state."""

    def __init__(
        self,
        device: str,
        key: bytes,
        servers: Sequence[str],
        *,
        links: Sequence[str] | None = None,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self.session = SignSession(device, key, random.random, links)
        super().__init__(self.session, servers, tls)

    @property
    def showing(self) -> bool:
        """Whether the values are fresh."""
        return self.session.showing

    @property
    def meters(self) -> Mapping[tuple[str, str], int]:
        """The meters to show, cents by (link, level)."""
        return self.session.meters

    async def wait_showing(self) -> None:
        """Return when the values are fresh."""
        await self._wait_for(lambda: self.showing)


class TableClient(Client):
    """A table on the network. memory: what must survive a power loss.

    Each command returns its answer, an `ack` or a `nack`; a nack is not an exception: it is what the rules
    say. While the server is away a command waits, but `wager` raises Offline. Cancelling a call stops the
    waiting alone: the command will be decided.
    """

    def __init__(
        self,
        device: str,
        key: bytes,
        servers: Sequence[str],
        memory: Memory,
        *,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self.session = TableSession(device, key, random.random, memory)
        super().__init__(self.session, servers, tls)
        self._waiting: dict[int, asyncio.Future[Message]] = {}

    @property
    def online(self) -> bool:
        """Whether progressive wagers may be taken."""
        return self.session.online(self._now())

    async def wait_online(self) -> None:
        """Return when progressive wagers may be taken."""
        await self._wait_for(lambda: self.online)

    async def wait_answered(self) -> None:
        """Return when no command is unanswered, including those from before a restart."""
        await self._wait_for(lambda: not self.session.pending)

    async def wager(
        self,
        round_id: str,
        bets: Sequence[Mapping[str, Any]],
        *,
        lock: bool = False,
        chips: Mapping[str, int] | None = None,
        sums: Mapping[str, int] | None = None,
        players: int | None = None,
    ) -> Message:
        """Place wagers; with lock, end the betting. Raises Offline."""
        counted = {"chips": chips, "sums": sums, "players": players}
        return await self.command("wager", round=round_id, bets=bets, lock=lock or None, **counted)

    async def withdraw(self, round_id: str, bets: Sequence[Mapping[str, Any]]) -> Message:
        """Take wagers back before the lock."""
        return await self.command("withdraw", round=round_id, bets=bets)

    async def lock(
        self,
        round_id: str,
        chips: Mapping[str, int] | None = None,
        sums: Mapping[str, int] | None = None,
        players: int | None = None,
    ) -> Message:
        """No more bets; or a corrected count. players: who are dealt a hand, where a wager depends on it."""
        return await self.command("lock", round=round_id, chips=chips, sums=sums, players=players)

    async def settle(self, round_id: str, hands: Sequence[Mapping[str, Any]], **facts: Any) -> Message:
        """Settle seats in payout order; facts: board, dealer, bonus, close, counts, sums."""
        return await self.command("settle", round=round_id, hands=hands, **facts)

    async def close(
        self,
        round_id: str,
        counts: Mapping[str, int] | None = None,
        sums: Mapping[str, int] | None = None,
    ) -> Message:
        """End the round."""
        return await self.command("close", round=round_id, counts=counts, sums=sums)

    async def void(
        self, round_id: str, reason: str, cause: str | None = None, settles: Sequence[str] | None = None
    ) -> Message:
        """Return every wager of the round, or all but those on the links that `settles` names."""
        return await self.command("void", round=round_id, reason=reason, cause=cause, settles=settles)

    async def lamp(self, award: str, state: str) -> Message:
        """Say what the lamp of an award shows: `lit` or `lamp_failed`."""
        return await self.command("lamp", award=award, state=state)

    async def command(self, kind: str, **fields: Any) -> Message:
        """Submit any command and wait for its decision; fields that are None are left out."""
        await self._wait_for(lambda: not self.session.full)
        message = {name: value for name, value in fields.items() if value is not None}
        ticket = self.session.submit({"t": kind, **message}, self._now())
        self._flush()
        self._waiting[ticket] = asyncio.get_running_loop().create_future()
        return await self._waiting[ticket]

    def _answered(self, event: CommandAnswered) -> None:
        waiter = self._waiting.pop(event.ticket, None)
        if waiter is not None and not waiter.done():
            waiter.set_result(event.answer)
