"""Test helpers for a real server: a configuration with keys, raw-frame devices, and failing ledgers."""

import asyncio
import functools
import secrets
import socket
import ssl
import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, Final, Protocol

from controllers.frames import FrameReader, decode, encode
from controllers.hello import hello_mac
from jackpot.api.admin_client import exchange
from jackpot.api.http_call import target_of
from jackpot.api.operation import path_of
from jackpot.api.registry import ASKED_ACTS, QUESTIONS
from jackpot.app import Server
from jackpot.clock import SystemClock
from jackpot.config import Config, load
from jackpot.ledger.journal import Row
from jackpot.ledger.sqlite.store import SqliteLedger
from jackpot.ledger.store import CommitInDoubt, DataRefused, LedgerStopped
from tests import ceilings

WAIT_S: Final = ceilings.WAIT_S
LINK = "floor-five"

LINKS = f"""
[[link]]
id = "{LINK}"
paytable = "pa-643a-five-card-C"
wager = "1.00"
decks = 1
count_chips = false
"""
# The same link, at whose tables the dealer counts the chips (T3).
COUNTED = LINKS.replace("count_chips = false", "count_chips = true")
# A bonus wager at the first table, to follow the links (B1).
OFFER = """
[[offer]]
id = "three-bonus"
paytable = "pa-643a-three-card-bonus-A"
placed = "layout"
tables = ["T01"]
least = "5.00"
most = "100.00"
approved = "a letter"
"""


def configure(
    folder: Path,
    *,
    tables: int = 2,
    signs: int = 1,
    links: str = LINKS,
    heartbeat_ms: int = 60_000,
    extra: str = "",
    people: str = "required = false",
    next_keys: bool = False,
    of_tables: str = "",
) -> Config:
    """A floor of Let It Ride tables T01.. on one link, signs S01.., every port free.

    heartbeat_ms: so long that no table of a slow machine falls silent. people: before the first of them,
    these tests take any name. of_tables: more lines of each table; a game among them is in place of its own.
    """
    parts = [
        '[site]\nname = "Test"\ncurrency = "USD"\ngaming_day_ends = "06:00"\ntimezone = "America/New_York"',
        f'[ledger]\nurl = "sqlite:///{folder}/ledger.db"',
        '[listen]\ntables = "127.0.0.1:0"\nsigns = "127.0.0.1:0"\nhttp = "127.0.0.1:0"',
        extra,
        f"[people]\n{people}",
        f"[limits]\nheartbeat_ms = {heartbeat_ms}",
        links,
    ]
    game = "" if "game =" in of_tables else 'game = "let-it-ride"\n'
    table = f'{game}seats = 7\nlinks = ["{LINK}"]\n{of_tables}\n'
    parts += [
        f'[[table]]\nid = "T{number:02}"\n{table}{_keys(folder, f"T{number:02}", next_keys)}'
        for number in range(1, tables + 1)
    ]
    parts += [
        f'[[sign]]\nid = "S{number:02}"\nlinks = ["{LINK}"]\n{_keys(folder, f"S{number:02}", False)}'
        for number in range(1, signs + 1)
    ]
    file = folder / "config.toml"
    file.write_text("\n".join(parts))
    return load(file)


def _keys(folder: Path, device: str, rotating: bool) -> str:
    lines = f'key_file = "{_key(folder / device)}"\n'
    return lines + f'key_file_next = "{_key(folder / f"{device}.next")}"\n' if rotating else lines


def _key(path: Path) -> Path:
    if not path.exists():
        path.touch(mode=0o600)
        path.write_text(secrets.token_hex(32))
    return path


class Reached(Protocol):
    """The ports of a server or signage process, in this process or another."""

    @property
    def config(self) -> Config: ...
    @property
    def ports(self) -> dict[str, int]: ...


class Device:
    """One raw connection, which sends whatever a test wants, valid or not."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer
        self.heard: list[dict[str, Any]] = []
        self._frames = FrameReader()

    def say(self, **message: Any) -> None:
        self.writer.write(encode(message))

    async def hear(self, condition: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """The next message that matches; the others are kept in `heard`. EOFError at the connection's end."""
        async with asyncio.timeout(WAIT_S):
            while True:
                while (payload := self._frames.next_frame()) is not None:
                    message = decode(payload)
                    self.heard.append(message)
                    if condition(message):
                        return message
                data = await self.reader.read(65_536)
                if not data:
                    raise EOFError
                self._frames.add(data)

    async def type(self, *types: str) -> dict[str, Any]:
        return await self.hear(lambda message: message["t"] in types)

    async def answer(self, seq: int) -> dict[str, Any]:
        return await self.hear(lambda message: message["t"] in {"ack", "nack"} and message["seq"] == seq)

    async def hello(self, config: Config, role: str, device: str, *, key: int = 0, **more: Any) -> None:
        await self.greet(config.keys[role, device][key], role, device, **more)

    async def greet(self, key: bytes, role: str, device: str, **more: Any) -> None:
        challenge = await self.type("challenge")
        mac = hello_mac(key, challenge["nonce"], role, device)
        self.say(t="hello", v=1, role=role, id=device, mac=mac, **more)

    async def closed(self) -> None:
        """Waits until the server has closed the connection."""
        try:
            await self.hear(lambda _message: False)
        except (EOFError, ConnectionError):
            return

    def wager(self, seq: int, round_id: str, *seats: int, **more: Any) -> None:
        bets = [{"seat": seat, "link": LINK, "amount": 100} for seat in seats]
        self.say(t="wager", seq=seq, round=round_id, bets=bets, **more)


@asynccontextmanager
async def connected(port: int, tls: ssl.SSLContext | None = None) -> AsyncIterator[Device]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port, ssl=tls)
    try:
        yield Device(reader, writer)
    finally:
        writer.transport.abort()


@asynccontextmanager
async def table(
    server: Server, name: str = "T01", tls: ssl.SSLContext | None = None, **hello: Any
) -> AsyncIterator[Device]:
    """A welcomed table; its welcome is `heard[1]`."""
    async with connected(server.ports["tables"], tls) as device:
        await device.hello(server.config, "table", name, **hello)
        await device.type("welcome")
        yield device


@asynccontextmanager
async def sign(server: Reached, name: str = "S01", **hello: Any) -> AsyncIterator[Device]:
    async with connected(server.ports["signs"]) as device:
        await device.hello(server.config, "sign", name, **hello)
        await device.type("welcome")
        yield device


def call(stack: ExitStack, port: int, said: bytes = b"", host: str = "127.0.0.1") -> socket.socket:
    """A peer from that address that has sent this and nothing else. `stack` closes the socket."""
    raw = stack.enter_context(socket.socket())
    raw.bind((host, 0))
    raw.connect(("127.0.0.1", port))
    raw.send(said)
    raw.setblocking(False)
    return raw


def ended(raw: socket.socket) -> bool:
    """Whether the server has closed the connection; earlier messages are skipped."""
    try:
        while raw.recv(65_536):
            pass
    except BlockingIOError:
        return False
    except ConnectionError:
        return True
    return True


async def until(condition: Callable[[], bool]) -> None:
    """Waits until the condition holds."""
    async with asyncio.timeout(WAIT_S):
        while not condition():  # noqa: ASYNC110 - the condition is of another's making
            await asyncio.sleep(0.01)


def on_loop(test: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    """Runs an async test on a loop of its own; fixtures are passed on."""

    @functools.wraps(test)
    def run(*args: Any, **fixtures: Any) -> None:
        asyncio.run(test(*args, **fixtures))

    return run


class StepClock(SystemClock):
    """A clock that a test may move on. stepped_s: a step of the wall clock alone."""

    def __init__(self) -> None:
        self.ahead_s = 0.0
        self.stepped_s = 0.0

    def unix_ms(self) -> int:
        return super().unix_ms() + int((self.ahead_s + self.stepped_s) * 1000)

    def monotonic(self) -> float:
        return super().monotonic() + self.ahead_s


class Faulty(SqliteLedger):
    """A real SQLite ledger whose next appends can be held back, or fail in a given way."""

    def __init__(self, config: Config) -> None:
        super().__init__(config.ledger.url.removeprefix("sqlite:///"))
        self.go = threading.Event()
        self.go.set()
        self.faults: list[Callable[[Callable[[], None]], None]] = []
        self.recover_faults: list[Exception] = []

    def append(self, bank: str, epoch: int, seq_before: int, rows: Sequence[Row]) -> None:
        assert self.go.wait(WAIT_S)
        append = functools.partial(super().append, bank, epoch, seq_before, rows)
        if self.faults:
            self.faults.pop(0)(append)
        else:
            append()

    def recover(self) -> None:
        if self.recover_faults:
            raise self.recover_faults.pop(0)


def doubt(_append: Callable[[], None]) -> None:
    """An append whose outcome is unknown; nothing was written."""
    raise CommitInDoubt("the disk failed")


def doubt_but_written(append: Callable[[], None]) -> None:
    """An append whose outcome is unknown; all was written."""
    append()
    raise CommitInDoubt("the disk failed")


def refuse(_append: Callable[[], None]) -> None:
    raise DataRefused("a constraint")


def stop(_append: Callable[[], None]) -> None:
    raise LedgerStopped("the disk lied")


async def administer(config: Config, **request: Any) -> dict[str, Any]:
    """One request at the admin socket, as `administered`."""
    return await asyncio.to_thread(administered, config.listen.admin, **request)


def administered(path: Path, *, do: str, once: str | None = None, **fields: Any) -> dict[str, Any]:
    """The answer to an operation over the admin socket at `path`. do: an act's name, or a query's path.

    The answer with `ok`; for a refusal the problem, with `detail` as `message` too.
    """
    kinds = {path_of(kind).removeprefix("/acts/"): kind for kind in (*QUESTIONS, *ASKED_ACTS)}
    answer = exchange(path, target_of(kinds[do], fields), once)
    return {"ok": answer.ok, **({} if answer.ok else {"message": answer.said["detail"]}), **answer.said}
