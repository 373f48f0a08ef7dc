"""Minimal floor server: one ServerSession a connection on asyncio, and the tests' Ledger."""

import asyncio
import ssl
from types import TracebackType
from typing import Any, Final, Self

from controllers.frames import encode
from controllers.hello import KeyCheck
from controllers.pace import Limits
from controllers.session import Greeted, ServerSession, SessionClosed, SessionEvent
from controllers.states import SessionState
from tests import ceilings
from tests.controllers.pair import NONCE, Ledger, keys, welcome

CEILING_S: Final = ceilings.WAIT_S


class Host:
    """Serves tables and signs on a free local port while its block runs.

    deaf: answers nothing, as in doubt. standby: sends every device to these servers instead.
    """

    def __init__(self, ledger: Ledger | None = None, heartbeat_ms: int = 5000) -> None:
        self.ledger = ledger or Ledger()
        self.limits = Limits(heartbeat_ms=heartbeat_ms)
        self.deaf = False
        self.standby: list[str] | None = None
        self.sessions: list[ServerSession] = []
        self.tls: ssl.SSLContext | None = None
        self._writers: list[asyncio.StreamWriter] = []
        self._server: asyncio.Server | None = None

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, ssl=self.tls)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._server is not None
        self._server.close()
        self.cut()

    @property
    def address(self) -> str:
        assert self._server is not None
        host, port = self._server.sockets[0].getsockname()
        return f"{host}:{port}"

    def cut(self) -> None:
        """Break every connection."""
        for writer in self._writers:
            writer.transport.abort()
        self._writers.clear()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        now = asyncio.get_running_loop().time
        session = ServerSession(KeyCheck(NONCE, "test", keys), self.limits, now())
        self.sessions.append(session)
        self._writers.append(writer)
        try:
            while session.state is not SessionState.CLOSED:
                writer.write(session.data_to_send())
                try:
                    async with asyncio.timeout_at(session.next_deadline()):
                        data = await reader.read(65_536)
                except TimeoutError:
                    events = session.tick(now())
                else:
                    events = session.receive_bytes(data, now()) if data else session.receive_eof()
                for event in events:
                    self._act(session, event)
            writer.write(session.data_to_send())
        except OSError:
            session.receive_eof()
        finally:
            writer.close()

    def _act(self, session: ServerSession, event: SessionEvent) -> None:
        if isinstance(event, SessionClosed):
            return
        if isinstance(event, Greeted):
            if self.standby is not None:
                session.fail("not_active", "standby", servers=self.standby)
                return
            facts: dict[str, Any] = {"last_seq": self.ledger.seq, "last": self.ledger.last}
            session.welcome(welcome(**facts, heartbeat_ms=self.limits.heartbeat_ms))
            values = [["floor-five", "meter", 12_345]]
            session.send_frame(
                encode({"t": "meters", "bank": "main", "rev": self.ledger.seq, "at": 0, "values": values})
            )
        elif not self.deaf:
            session.answer(self.ledger.decide(event))


async def until(condition: Any) -> None:
    """Wait until the condition holds."""
    async with asyncio.timeout(CEILING_S):
        while not condition():  # noqa: ASYNC110 - two programs have no event in common
            await asyncio.sleep(0.01)
