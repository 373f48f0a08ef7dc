"""Server played by the tester: real connections, the protocol's own session, and one device.

It is told by a trial what to answer; left alone it welcomes, answers by its book, and pings.
"""

import asyncio
import secrets
import ssl
from collections.abc import Callable, Iterable, Sequence
from itertools import count
from typing import Final, NamedTuple

import msgspec

from controllers.answers import Link, LinkState, Meters, Welcome
from controllers.frames import BadFrame, FrameReader, decode
from controllers.hello import KeyCheck
from controllers.messages import Ping
from controllers.pace import UNANSWERED_MAX, Limits
from controllers.session import SILENT_HEARTBEATS, Commanded, Greeted, ServerSession, SessionClosed
from controllers.states import WELCOMED, SessionState
from jackpot.lab.conformance.book import Answer, TableRecord
from jackpot.lab.conformance.offers import ConformanceOffer
from jackpot.lab.conformance.report import ConformanceReport

READ_BYTES: Final = 65_536
BANK: Final = "main"


class ReceivedCommand(NamedTuple):
    """A received command, with its time and connection. fresh: it had not been decided."""

    command: Commanded
    at: float
    line: "ConformanceLine"
    fresh: bool

    @property
    def name(self) -> str:
        return type(self.command.message).__name__.lower()


class Setting(NamedTuple):
    """The device under test, and its settings.

    key: its 32 bytes. link, wager: in cents. tls: for the listeners, None for plain TCP. offers: bonus wagers
    that it takes besides.
    """

    role: str
    device: str
    key: bytes
    link: str
    wager: int
    heartbeat_ms: int
    host: str = "127.0.0.1"
    port: int = 0
    tls: ssl.SSLContext | None = None
    offers: tuple[ConformanceOffer, ...] = ()

    @property
    def heartbeat(self) -> float:
        """In seconds."""
        return self.heartbeat_ms / 1000

    @property
    def silence(self) -> float:
        """Seconds after which either side counts as gone."""
        return SILENT_HEARTBEATS * self.heartbeat


class ConformanceLine:
    """One connection. muted: nothing more is sent on it. ended_at: when it ended, None until then.

    port: at which of the server's two addresses it came.
    """

    def __init__(self, session: ServerSession, writer: asyncio.StreamWriter, now: float, port: int) -> None:
        self.session = session
        self.port = port
        self.opened_at = now
        self.ended_at: float | None = None
        self.greeted: Greeted | None = None
        self.muted = False
        self.said_at = now
        self.pongs: set[int] = set()
        self._writer = writer
        self._asked: set[int] = set()
        self._out = FrameReader()
        self._in = FrameReader()

    @property
    def welcomed(self) -> bool:
        return self.ended_at is None and self.session.state in WELCOMED

    def flush(self, now: float) -> None:
        """Sends the session's output; records pings."""
        data = self.session.data_to_send()
        if self.muted or not data or self._writer.is_closing():
            return
        for payload in self._out.feed(data):
            message = decode(payload)
            if message["t"] == "ping":
                self._asked.add(message["at"])
        self._writer.write(data)
        self.said_at = now

    def strange_pongs(self, data: bytes) -> list[object]:
        """Records pongs in the input that answer no ping."""
        strange: list[object] = []
        try:
            for payload in self._in.feed(data):
                message = decode(payload)
                if message["t"] == "pong" and message.get("at") in self._asked:
                    self.pongs.add(message["at"])
                elif message["t"] == "pong":
                    strange.append(message.get("at"))
        except BadFrame:
            pass  # the session hears the same bytes, and says what is wrong with them
        return strange

    def cut(self) -> None:
        """Drops the connection, as if a cable were pulled."""
        self.session.receive_eof()
        self._writer.transport.abort()

    def end(self, code: str, message: str, servers: Sequence[str] | None = None) -> None:
        """Sends a last message and closes the connection."""
        self.session.fail(code, message, servers)
        self.flush(self.said_at)
        self._writer.close()

    def close(self) -> None:
        self._writer.close()


class ConformanceSession:
    """The server. reply: the answer to a command, None for nothing yet. answer_hello: to a good hello."""

    def __init__(self, setting: Setting, report: ConformanceReport) -> None:
        self.setting = setting
        self.report = report
        self.book = TableRecord(report, setting.link, setting.wager, setting.offers)
        self.lines: list[ConformanceLine] = []
        self.heard: list[ReceivedCommand] = []
        self.held: list[ReceivedCommand] = []
        self.refusing: float = 0
        self.visits: list[tuple[float, float]] = []
        """Of each connection that was closed at once: when it came, and when it ended."""
        self.reply: Callable[[ReceivedCommand], Answer | None] = self.decide
        self.answer_hello: Callable[[ConformanceLine], None] = self.welcome
        self.addresses: tuple[str, ...] = ()
        self._changed = asyncio.Event()
        self._servers: list[asyncio.Server] = []
        self._numbers = count(1)
        self._table = setting.role == "table"

    # Lifecycle.

    async def open(self) -> None:
        """Listens at two addresses, so that a device can be sent from one to the other. Raises OSError."""
        for port in (self.setting.port, 0):
            server = await asyncio.start_server(self._serve, self.setting.host, port, ssl=self.setting.tls)
            self._servers.append(server)
        ports = [server.sockets[0].getsockname()[1] for server in self._servers]
        self.addresses = tuple(f"{self.setting.host}:{port}" for port in ports)

    async def close(self) -> None:
        for server in self._servers:
            server.close()
        self.cut()
        await self.until(lambda: all(line.ended_at is not None for line in self.lines), 2.0)

    @property
    def now(self) -> float:
        return asyncio.get_running_loop().time()

    @property
    def line(self) -> ConformanceLine | None:
        """The welcomed connection, if there is one."""
        return next((line for line in reversed(self.lines) if line.welcomed), None)

    async def until(self, condition: Callable[[], bool], seconds: float) -> bool:
        """Whether the condition becomes true within so many seconds."""
        try:
            async with asyncio.timeout(seconds):
                while not condition():
                    await self._changed.wait()
        except TimeoutError:
            return condition()
        return True

    def wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    # Output.

    def decide(self, heard: ReceivedCommand) -> Answer | None:
        return self.book.decide(heard.command)

    def answer(self, line: ConformanceLine, answer: Answer) -> None:
        """Answers the oldest unanswered command of the connection."""
        line.session.answer(answer)
        line.flush(self.now)
        if answer.seq <= self.book.last_seq and not getattr(answer, "expected", None):
            self.book.told = max(self.book.told, answer.seq)

    def release(self) -> None:
        """Answers all held commands that can still be answered."""
        held, self.held = self.held, []
        for heard in held:
            if heard.line.welcomed:
                self.answer(heard.line, self.book.decide(heard.command))

    def welcome(self, line: ConformanceLine) -> None:
        """Welcomes the device, and sends it the meters."""
        line.session.welcome(self.welcoming())
        values = tuple((link.link, level, 1_000_000) for link in self.book.links for level in link.levels)
        line.session.push(Meters(BANK, self.book.last_seq, 0, values))
        self.book.told = max(self.book.told, self.book.last_seq) if self._table else 0

    def welcoming(self) -> Welcome:
        book = self.book
        welcome = Welcome(
            v=1, session="conformance", heartbeat_ms=self.setting.heartbeat_ms, links=book.links
        )
        if not self._table:
            return welcome
        return msgspec.structs.replace(
            welcome, last_seq=book.last_seq, last=book.last, held=False, round=book.facts
        )

    def tell_link(self, state: LinkState) -> None:
        """Suspends every link, or none."""
        self.book.suspended = state == "suspended"
        self.book.closed_offer = None
        self._tell((link.link for link in self.book.links), state)

    def tell_offer(self, offer: str, state: LinkState) -> None:
        """Suspends one offer alone."""
        self.book.closed_offer = offer if state == "suspended" else None
        self._tell((offer,), state)

    def _tell(self, links: Iterable[str], state: LinkState) -> None:
        if (line := self.line) is not None:
            for link in links:
                line.session.push(Link(link, state, "the tester"))
            line.flush(self.now)

    async def fence(self, line: ConformanceLine) -> bool:
        """Whether the device has read everything sent so far."""
        at = next(self._numbers)
        line.session.push(Ping(at))
        line.flush(self.now)
        told = self.book.told
        heard = await self.until(lambda: at in line.pongs or line.ended_at is not None, self.setting.silence)
        if heard and at in line.pongs:
            self.report.met("pong")
            self.book.sure = max(self.book.sure, told)
            return True
        if line.ended_at is None and not line.muted:
            self.report.broken("pong", f"no answer to a ping within {self.setting.silence:g} s")
        return False

    def cut(self) -> None:
        """Breaks every connection."""
        for line in self.lines:
            if line.ended_at is None:
                line.cut()
        self.held.clear()

    # Input.

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self.refusing:
            self.refusing -= 1
            came = self.now
            writer.close()
            self.visits.append((came, self.now))
            self.wake()
            return
        port = writer.get_extra_info("sockname")[1]
        place = next(n for n, address in enumerate(self.addresses) if address.endswith(f":{port}"))
        line = ConformanceLine(session_of(self.setting, self.now), writer, self.now, place)
        self.lines.append(line)
        try:
            await self._converse(line, reader)
        except OSError:
            pass  # the connection broke, as connections do
        finally:
            line.ended_at = self.now
            line.session.receive_eof()
            line.close()
            self.wake()

    async def _converse(self, line: ConformanceLine, reader: asyncio.StreamReader) -> None:
        session = line.session
        while session.state is not SessionState.CLOSED:
            line.flush(self.now)
            data = None
            try:
                async with asyncio.timeout_at(session.next_deadline()):
                    data = await reader.read(READ_BYTES)
            except TimeoutError:
                pass  # a deadline of the session: `tick` is called below
            if data == b"":
                return
            if data:
                for at in line.strange_pongs(data):
                    self.report.broken("pong", f"a pong with {at!r}, which no ping had")
            events = session.tick(self.now) if data is None else session.receive_bytes(data, self.now)
            for event in events:
                self._act(line, event)
            waiting = sum(one.line is line for one in self.held)
            if waiting >= UNANSWERED_MAX and session.reading_paused:
                self.report.broken("unanswered", f"more than {UNANSWERED_MAX} commands on the way")
            self.wake()
        line.flush(self.now)

    def _act(self, line: ConformanceLine, event: Greeted | Commanded | SessionClosed) -> None:
        match event:
            case Greeted():
                self._greet(line, event)
            case Commanded():
                self._command(line, event)
            case SessionClosed("auth_failed", reason):
                self.report.broken("hello", f"{line.session.claimed or 'a hello without id'}: {reason}")
            case SessionClosed(str(), reason):
                self.report.broken("frames", reason)

    def _greet(self, line: ConformanceLine, greeted: Greeted) -> None:
        self.report.met("frames")
        self.report.met("hello")
        line.greeted = greeted
        others = [one for one in self.lines if one is not line and one.welcomed and not one.muted]
        if others:
            self.report.broken("one-connection", "a second hello while the first connection is open")
        else:
            self.report.met("one-connection")
        if self._table:
            self.book.check_acked(greeted.acked)
        self.answer_hello(line)

    def _command(self, line: ConformanceLine, command: Commanded) -> None:
        self.report.met("frames")
        self.report.met("unanswered")
        heard = ReceivedCommand(command, self.now, line, self.book.is_fresh(command))
        self.book.note(command)
        self.heard.append(heard)
        answer = self.reply(heard)
        if answer is None:
            self.held.append(heard)
        elif line.welcomed:
            self.answer(line, answer)


def session_of(setting: Setting, now: float) -> ServerSession:
    """The server's session of a new connection, which knows this device alone."""
    known = {(setting.role, setting.device): [setting.key]}
    check = KeyCheck(secrets.token_bytes(16), "conformance", lambda *who: known.get(who, []))
    return ServerSession(check, Limits(heartbeat_ms=setting.heartbeat_ms), now)
