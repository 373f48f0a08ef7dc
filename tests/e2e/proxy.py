"""A fault-injecting PostgreSQL proxy that breaks the connection exactly at a COMMIT.

A client's first packets have no type: a request for TLS, or a startup. Then each message is a type byte and a
length. A batch is a call of `append_rows` outside a transaction: the Sync that follows it is its COMMIT. Only
that is held back; everything else passes as it comes.
"""

import asyncio
import struct
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any, Final

BATCH: Final = b"append_rows("
COMMITTED: Final = b"Z\x00\x00\x00\x05I"  # ReadyForQuery, and no transaction is open
READ_BYTES: Final = 65_536
_CANCEL_REQUEST: Final = 80_877_102
_TLS_REQUEST: Final = 80_877_103


class Line:
    """One proxied connection of a server to its database."""

    def __init__(self, near: asyncio.StreamWriter, far: asyncio.StreamWriter) -> None:
        self.near = near
        self.far = far
        self.muted = False
        self.committed = asyncio.Event()

    def cut(self) -> None:
        """Resets both ends at once."""
        self.near.transport.abort()
        self.far.transport.abort()


Plan = Callable[[Line, bytes], Coroutine[Any, Any, None]]
"""What is done with the next COMMIT of a line: passes it on or not."""


async def cut_before(line: Line, message: bytes) -> None:
    """Drops the COMMIT; it never reaches the database."""
    line.cut()


async def cut_after(line: Line, message: bytes) -> None:
    """Forwards the COMMIT, but its answer never reaches the server."""
    line.muted = True
    line.far.write(message)
    await line.committed.wait()
    line.cut()


async def cut_during(line: Line, message: bytes) -> None:
    """Breaks the connection while the COMMIT is in flight; its outcome is unknown."""
    line.far.write(message)
    await line.far.drain()
    line.cut()


class Proxy:
    """Listens on `port` and passes everything on to a database's port.

    plans: for the next COMMITs, one each. held: set while a COMMIT waits in `hold` or `swallow`.
    go: lets it pass, or ends its connection. cancels: requests to cancel that came.
    """

    def __init__(self, target: int) -> None:
        self.target = target
        self.port = 0
        self.plans: list[Plan] = []
        self.held = asyncio.Event()
        self.go = asyncio.Event()
        self.lines: set[Line] = set()
        self.cancels = 0
        self.dark = False

    async def hold(self, line: Line, message: bytes) -> None:
        """Delays the COMMIT until `go` is set; its answer follows."""
        self.held.set()
        await self.go.wait()
        line.far.write(message)

    async def withhold(self, line: Line, message: bytes) -> None:
        """Forwards the COMMIT and withholds its answer forever."""
        line.muted = True
        line.far.write(message)
        await line.committed.wait()
        self.held.set()

    async def swallow(self, line: Line, message: bytes) -> None:
        """Silently drops all traffic in both directions until `go`. The COMMIT is lost."""
        self.dark = True
        self.held.set()
        await self.go.wait()
        self.light()

    async def swallow_answer(self, line: Line, message: bytes) -> None:
        """As `swallow`, but the COMMIT is made and its answer is lost."""
        await self.withhold(line, message)
        await self.swallow(line, message)

    def light(self) -> None:
        """Restores traffic: old connections are closed, new ones pass."""
        self.dark = False
        for line in self.lines:
            line.cut()

    async def serve(self, near_reader: asyncio.StreamReader, near: asyncio.StreamWriter) -> None:
        try:
            far_reader, far = await asyncio.open_connection("127.0.0.1", self.target)
        except OSError:
            near.transport.abort()
            return
        line = Line(near, far)
        self.lines.add(line)
        try:
            async with asyncio.TaskGroup() as both:
                both.create_task(self._from_server(near_reader, line))
                both.create_task(self._from_database(far_reader, line))
        finally:
            self.lines.discard(line)

    async def _from_server(self, reader: asyncio.StreamReader, line: Line) -> None:
        try:
            starting = True
            while starting:
                size = await reader.readexactly(4)
                rest = await reader.readexactly(struct.unpack("!I", size)[0] - 4)
                code = struct.unpack("!I", rest[:4])[0]
                self.cancels += code == _CANCEL_REQUEST
                starting = code == _TLS_REQUEST
                self._pass(line, size + rest)
            batches, commits = set[bytes](), False
            while True:
                head = await reader.readexactly(5)
                body = await reader.readexactly(struct.unpack("!I", head[1:])[0] - 4)
                match head[:1]:
                    case b"P":  # Parse: a statement's name, and its text
                        name = body.partition(b"\0")[0]
                        (batches.add if BATCH in body else batches.discard)(name)
                    case b"B":  # Bind: a portal's name, and its statement's
                        commits = body.split(b"\0", 2)[1] in batches
                if head[:1] == b"S" and commits and self.plans:
                    commits = False
                    line.committed.clear()
                    await self.plans.pop(0)(line, head + body)
                else:
                    self._pass(line, head + body)
        except (asyncio.IncompleteReadError, OSError):
            line.far.close()

    async def _from_database(self, reader: asyncio.StreamReader, line: Line) -> None:
        try:
            while data := await reader.read(READ_BYTES):
                if COMMITTED in data:
                    line.committed.set()
                if not line.muted and not self.dark:
                    line.near.write(data)
        except OSError:
            pass  # cut
        line.near.close()

    def _pass(self, line: Line, message: bytes) -> None:
        if not self.dark:
            line.far.write(message)


@asynccontextmanager
async def proxying(target: int) -> AsyncIterator[Proxy]:
    """A proxy on a free port, until the block ends."""
    proxy = Proxy(target)
    server = await asyncio.start_server(proxy.serve, "127.0.0.1", 0)
    proxy.port = server.sockets[0].getsockname()[1]
    try:
        yield proxy
    finally:
        server.close()
        proxy.go.set()
        proxy.light()
