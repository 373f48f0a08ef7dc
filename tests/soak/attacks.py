"""Attacks of unknown peers and stolen devices on a server, one attack a process.

It reads a `Target` as JSON, attacks for so many seconds, and prints one line of what it saw. The exit code is
1 where it has harmed honest people. A crowd opens its sockets and reconnects when disconnected. Every loop
ends with the target's seconds.
"""

import resource
import selectors
import socket
import ssl
import struct
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Final

import msgspec

from tests.e2e.vendor import Ended, Vendor, bets, pack, raw
from tests.soak import doors
from tests.soak.target import HOST, PROXY, Harmed, Target, until, wait_a_moment

# Strangers come from an address of their own, as on a floor they would.
STRANGERS: Final = "127.0.0.66"
RESET: Final = struct.pack("ii", 1, 0)
READ: Final = 65_536
# The server's limit for a whole hello, less a moment.
HELLO_LIMIT_S: Final = 4.98
GARBAGE: Final = 65_000
FRAME_MAX: Final = 65_536
LONG: Final = 60_000


class Crowd:
    """So many sockets at one port; each sends `words` and reconnects when disconnected."""

    def __init__(self, port: int, size: int, words: bytes = b"") -> None:
        self.opened = self.lost = 0
        self._port = port
        self._words = words
        self._selector = selectors.DefaultSelector()
        for _ in range(size):
            self._open()

    def turn(self, wait: float = 0.1) -> None:
        """Reads what came, and opens again what was closed."""
        for key, events in self._selector.select(wait):
            one = key.fileobj
            assert isinstance(one, socket.socket)
            try:
                if events & selectors.EVENT_WRITE:
                    one.send(self._words)
                    self._selector.modify(one, selectors.EVENT_READ)
                    continue
                gone = not one.recv(READ)
            except BlockingIOError:  # it was only woken: nothing was lost
                continue
            except OSError:
                gone = True
            if gone:
                self.lost += 1
                self._drop(one)
                self._open()

    def say(self, data: bytes) -> None:
        """Every socket says a little more."""
        for one in self._sockets():
            with suppress(OSError):
                one.send(data)

    def reset(self) -> None:
        """Every socket hangs up without a goodbye."""
        for one in self._sockets():
            with suppress(OSError):
                one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
            self._drop(one)

    def _sockets(self) -> list[socket.socket]:
        return [
            key.fileobj for key in self._selector.get_map().values() if isinstance(key.fileobj, socket.socket)
        ]

    def _open(self) -> None:
        one = socket.socket()
        one.setblocking(False)
        with suppress(OSError):
            one.bind((STRANGERS, 0))
            one.connect((HOST, self._port))
        what = selectors.EVENT_WRITE if self._words else selectors.EVENT_READ
        self._selector.register(one, what)
        self.opened += 1

    def _drop(self, one: socket.socket) -> None:
        self._selector.unregister(one)
        one.close()


def crowd(port: str, size: int, words: bytes = b"") -> Callable[[Target], str]:
    """Defines an attack that consists of a crowd alone."""

    def attack(target: Target) -> str:
        people = Crowd(getattr(target, port), size, words)
        for _ in until(target):
            people.turn()
        return f"{people.opened:,} sockets, {people.lost:,} sent away"

    return attack


def hang_up_at_the_limit(target: Target) -> str:
    """Silent sockets that are reset just when the server's patience ends."""
    times = 0
    for _ in until(target):
        people = Crowd(target.tables, 60)
        ends = time.monotonic() + HELLO_LIMIT_S
        while time.monotonic() < ends:
            people.turn()
        people.reset()
        times += 1
    return f"{times} times 60 sockets"


def gone_at_once(target: Target) -> str:
    """A connection that is reset before the server has looked at it."""
    count = 0
    for _ in until(target):
        people = Crowd(target.tables, 20)
        people.reset()
        count += 20
        wait_a_moment(0.005)
    return f"{count:,} sockets"


def slow_requests(target: Target) -> str:
    """1,000 HTTP requests whose heads never end, a byte a second."""
    people = Crowd(target.http, 1_000, b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: ")
    said = 0.0
    for passed in until(target):
        people.turn()
        if passed - said > 1:
            said = passed
            people.say(b"a")
    return f"{people.opened:,} sockets, {people.lost:,} sent away"


def foreign_host(target: Target) -> str:
    """Requests under a name that is not the server's: a page of that name might read our answers."""
    answers: dict[str, int] = {}
    for _ in until(target):
        with socket.create_connection((HOST, target.http), 5, (STRANGERS, 0)) as one:
            one.sendall(b"GET / HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n")
            status = one.recv(READ).split(b" ", 2)[1:2]
        word = status[0].decode() if status else "nothing"
        answers[word] = answers.get(word, 0) + 1
        wait_a_moment(0.01)
    return f"answered {answers}"


def _device(target: Target, number: int = 0, role: str = "table") -> Vendor:
    """A device that the attacker holds, welcomed."""
    keys = target.table_keys if role == "table" else target.sign_keys
    name = list(keys)[number]
    device = Vendor(target.tables if role == "table" else target.signs)
    device.hello(bytes.fromhex(keys[name]), role, name)
    device.welcome()
    return device


def _again(target: Target, say: Callable[[Vendor], None], number: int = 0) -> str:
    """A stolen table that reconnects whenever it is disconnected."""
    times = 0
    for _ in until(target):
        try:
            with _device(target, number) as device:
                for _ in until(target):
                    say(device)
                    times += 1
        except (Ended, OSError, AssertionError):
            wait_a_moment(0.2)
    return f"{times:,} times"


def quoted(target: Target) -> str:
    """A refusal that quotes what it was sent would be longer than a frame."""

    def say(device: Vendor) -> None:
        bare = device.command("wager", bets=[{"on": "X" * LONG}])
        room = FRAME_MAX + 4 - len(pack(bare))
        device.say({**bare, "bets": [{"on": "X" * (LONG + room)}]})
        device.answer(bare["seq"])

    return _again(target, say)


def garbage(tables: int) -> Callable[[Target], str]:
    """Frames within every limit that cost the most to look at."""

    def attack(target: Target) -> str:
        devices = [_device(target, number) for number in range(tables)]
        body = b"\x83\xa1t\xa5wager\xa3seq\xce" + b"%seq" + b"\xa4bets\xdc" + struct.pack(">H", GARBAGE)
        times = 0
        for _ in until(target):
            for number, device in enumerate(devices):
                device.seq += 1
                seq = struct.pack(">I", device.seq)
                device.socket.settimeout(0.05)
                try:
                    device.put(raw(body.replace(b"%seq", seq) + b"\x80" * GARBAGE))
                    times += 1
                    device.answer(device.seq)
                except TimeoutError:  # it is read more slowly: the next one has its turn
                    continue
                except (Ended, OSError):
                    with suppress(OSError, Ended, AssertionError):
                        devices[number] = _device(target, number)
        return f"{times:,} frames"

    return attack


def wrong_macs(target: Target) -> str:
    """Hellos of a known table with a key that is not its own."""
    name = next(iter(target.table_keys))
    count = 0
    for _ in until(target):
        with suppress(Ended, OSError), Vendor(target.tables) as device:
            device.hello(b"\0" * 32, "table", name)
            device.gone()
            count += 1
    return f"{count:,} hellos"


def replayed_hello(target: Target) -> str:
    """A hello that was good on another connection."""
    name, key = next(iter(target.table_keys.items()))
    with Vendor(target.tables) as device:
        old = pack(device.proof(bytes.fromhex(key), "table", name))
    count = 0
    for _ in until(target):
        with suppress(Ended, OSError), Vendor(target.tables) as device:
            device.put(old)
            device.gone()
            count += 1
    return f"{count:,} hellos"


def single_bytes(target: Target) -> str:
    """A frame that comes a byte at a time and is never whole."""
    frame = pack({"t": "ping", "at": 1, "zz": "z" * 4_000})

    def say(device: Vendor) -> None:
        for byte in frame[:-1]:
            device.put(bytes([byte]))
            wait_a_moment(0.01)
            break

    return _again(target, say)


def half_open(target: Target) -> str:
    """Tables that say they are done, and stay."""
    held = []
    for number in range(len(target.table_keys)):
        device = _device(target, number)
        device.socket.shutdown(socket.SHUT_WR)
        held.append(device)
    for _ in until(target):
        wait_a_moment(0.1)
    return f"{len(held)} tables"


def flood(target: Target) -> str:
    """A table that commands as fast as it can, and is refused each time."""

    def say(device: Vendor) -> None:
        device.ask("wager", round="R1", bets=bets("no-such-link", [1]))

    return _again(target, say)


def pings(target: Target) -> str:
    """A table that pings as fast as it can and reads nothing."""
    many = pack({"t": "ping", "at": 1}) * 500

    def say(device: Vendor) -> None:
        device.put(many)

    return _again(target, say)


def deaf_signs(target: Target) -> str:
    """Signs that never read."""
    held = [_device(target, number, "sign") for number in range(len(target.sign_keys))]
    for _ in until(target):
        wait_a_moment(0.1)
    return f"{len(held)} signs"


class Flood:
    """Sockets that send the same again and again, as fast as they are read, and read the answers.

    hosts: the addresses that they come from, in turns.
    """

    def __init__(
        self, port: int, words: bytes, size: int, hosts: Sequence[str], opening: bytes = b""
    ) -> None:
        self.said = self.opened = 0
        self._port, self._words, self._opening = port, words, opening
        self._selector = selectors.DefaultSelector()
        for number in range(size):
            self._open(hosts[number % len(hosts)])

    def turn(self) -> None:
        """Serves each socket once."""
        for key, events in self._selector.select(0.05):
            one, host = key.fileobj, key.data
            assert isinstance(one, socket.socket)
            try:
                if events & selectors.EVENT_READ and not one.recv(READ):
                    raise ConnectionResetError
                if events & selectors.EVENT_WRITE:
                    self.said += one.send(self._words)
            except BlockingIOError:  # it is read no further now: the next one has its turn
                continue
            except OSError:
                self._selector.unregister(one)
                one.close()
                self._open(host)

    def _open(self, host: str) -> None:
        one = socket.socket()
        one.bind((host, 0))
        one.connect((HOST, self._port))
        with suppress(OSError):
            one.sendall(self._opening)
        one.setblocking(False)
        self._selector.register(one, selectors.EVENT_READ | selectors.EVENT_WRITE, host)
        self.opened += 1


def http_flood(
    words: bytes, size: int, hosts: Sequence[str], opening: bytes = b""
) -> Callable[[Target], str]:
    """An attack that says `words` over HTTP as often as it is let."""

    def attack(target: Target) -> str:
        flood = Flood(target.http, words, size, hosts, opening)
        for _ in until(target):
            flood.turn()
        return f"{flood.said:,} bytes over {flood.opened:,} connections"

    return attack


def request(path: str, *more: str) -> bytes:
    """A request that is answered for everybody."""
    return "\r\n".join((f"GET {path} HTTP/1.1", "Host: localhost", *more, "", "")).encode()


def wrong_secrets(number: int) -> bytes:
    """A sign-in with an unknown login."""
    form = f"login=nobody{number}&secret=wrong-wrong-wrong".encode()
    head = (
        "POST /ops/sign-in HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\n"
    )
    return f"{head}Content-Length: {len(form)}\r\n\r\n".encode() + form


def upgrade(path: str) -> bytes:
    """The head that opens a WebSocket."""
    key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
    head = f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    return f"{head}{key}\r\n".encode()


# Masked WebSocket frames, as a browser would send them: the smallest text and a pong.
TEXT: Final = b"\x81\x81\0\0\0\0a"
PONG: Final = b"\x8a\x80\0\0\0\0"
ENDLESS: Final = b"POST /ops/sign-in HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
FORGED: Final = "X-Forwarded-For: 198.51.100.7"
BEHIND: Final = (FORGED, f"X-Forwarded-For: {doors.NEIGHBOUR}, {doors.GUESSER}")
STREAM: Final = b"GET /events/meters HTTP/1.1\r\nHost: localhost\r\n\r\n"


class Encrypted:
    """One TLS connection of an attacker that sends each byte in a record of its own."""

    def __init__(self, port: int, trusting: ssl.SSLContext, opening: bytes) -> None:
        self.said = 0
        self._coming, self._going = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._tls = trusting.wrap_bio(self._coming, self._going, server_hostname=HOST)
        self._waits = b""
        self.raw = socket.socket()
        self.raw.bind((STRANGERS, 0))
        self.raw.connect((HOST, port))
        self.raw.settimeout(HELLO_LIMIT_S)
        self._greet()
        self._tls.write(opening)
        self.raw.setblocking(False)

    def turn(self, words: bytes) -> None:
        """As much as is taken now. Raises OSError where the server has ended it."""
        with suppress(BlockingIOError, ssl.SSLWantReadError):
            if not self.raw.recv(READ):
                raise ConnectionResetError
        if not self._waits:
            for byte in words:
                self._tls.write(bytes([byte]))
            self._waits = self._going.read()
        with suppress(BlockingIOError):
            sent = self.raw.send(self._waits)
            self._waits = self._waits[sent:]
            self.said += sent

    def _greet(self) -> None:
        while True:
            try:
                self._tls.do_handshake()
            except ssl.SSLWantReadError:
                self.raw.sendall(self._going.read())
                self._coming.write(self.raw.recv(READ))
            else:
                return


def single_records(target: Target) -> str:
    """Six connections that say a body without an end, a byte in each TLS record."""
    trusting = ssl.create_default_context(cafile=target.authority)
    held: list[Encrypted | None] = [None] * 6
    said = opened = 0
    for _ in until(target):
        idle = True
        for number, before in enumerate(held):
            one, had = before, 0 if before is None else before.said
            try:
                if one is None:
                    one = held[number] = Encrypted(target.http, trusting, ENDLESS)
                    opened += 1
                one.turn(b"1\r\na\r\n" * 100)
            except OSError:
                if one is not None:
                    one.raw.close()
                held[number] = None
                continue
            said += one.said - had
            idle = idle and one.said == had
        if idle:
            wait_a_moment(0.001)
    return f"{said:,} bytes over {opened:,} connections"


def churn(port: str) -> Callable[[Target], str]:
    """Connections that hang up at once, as many as there is time for."""

    def attack(target: Target) -> str:
        count = 0
        for _ in until(target):
            for _ in range(100):
                one = socket.socket()
                one.setblocking(False)
                with suppress(OSError):
                    one.bind((STRANGERS, 0))
                    one.connect((HOST, getattr(target, port)))
                one.close()
                count += 1
        return f"{count:,} sockets"

    return attack


def handshakes(target: Target) -> str:
    """Handshakes that hang up as soon as they have cost the server its part."""
    going = ssl.MemoryBIO()
    tls = ssl.create_default_context().wrap_bio(ssl.MemoryBIO(), going, server_hostname=HOST)
    with suppress(ssl.SSLWantReadError):
        tls.do_handshake()
    hello, times = going.read(), 0
    for _ in until(target):
        people = Crowd(target.http, 60, hello)
        for _ in range(4):
            people.turn(0.02)
        people.reset()
        times += 1
    return f"{times} times 60 handshakes"


# These need a server with TLS.
ENCRYPTED: Final[dict[str, Callable[[Target], str]]] = {
    "a byte in each TLS record": single_records,
    "TLS handshakes that hang up": handshakes,
}
ATTACKS: Final[dict[str, Callable[[Target], str]]] = {
    "a refusal longer than a frame": quoted,
    "hang up at the hello's limit": hang_up_at_the_limit,
    "gone at once": gone_at_once,
    "costly garbage, one table": garbage(1),
    "costly garbage, five tables": garbage(5),
    "100 silent strangers": crowd("tables", 100),
    "3,000 strangers that come back": crowd("tables", 3_000),
    "bad frames": crowd("tables", 50, b"\0\0\0\0" * 2),
    "bad frames at the sign port": crowd("signs", 50, b"\xff\xff\xff\xff"),
    "malformed HTTP": crowd("http", 20, b"\x16\x03\x01 GARBAGE \x00\r\n\r\n"),
    "slow HTTP requests": slow_requests,
    "1,000 streams taken": crowd("http", 1_000, STREAM),
    "a foreign host": foreign_host,
    "wrong macs": wrong_macs,
    "a replayed hello": replayed_hello,
    "single bytes": single_bytes,
    "half-open tables": half_open,
    "a flood of refusals": flood,
    "a flood of pings": pings,
    "signs that never read": deaf_signs,
    "WebSockets that never read": crowd("http", 200, upgrade("/ws/meters")),
    "a WebSocket that talks": http_flood(TEXT * 9_000, 1, [STRANGERS], upgrade("/ws/meters")),
    "60 WebSockets that send pongs": http_flood(PONG * 9_000, 60, [STRANGERS], upgrade("/ws/meters")),
    "metrics asked for by 64 connections": http_flood(request("/metrics"), 64, [STRANGERS]),
    "pages asked for by 64 connections": http_flood(request("/ops/sign-in"), 64, [STRANGERS]),
    "pages asked for by forty addresses": http_flood(request("/ops/sign-in"), 80, doors.FORTY),
    "pages under forged addresses": http_flood(request("/", FORGED), 64, [STRANGERS]),
    "pages under forged addresses behind the proxy": http_flood(request("/", *BEHIND), 64, [PROXY]),
    "pipelined requests": http_flood(request("/healthz") * 400, 8, [STRANGERS]),
    "24 bodies without an end": http_flood(b"1\r\na\r\n" * 8_000, 24, [STRANGERS], ENDLESS),
    "wrong secrets by forty addresses": http_flood(wrong_secrets(1), 40, doors.FORTY),
    "a browser that comes back among guesses": doors.a_browser_that_comes_back,
    "wrong codes by ten addresses": doors.wrong_codes,
    "guesses under forged addresses behind the proxy": doors.forged_behind_a_proxy,
    "connections that hang up": churn("http"),
}


def main() -> int:
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    target = msgspec.json.decode(sys.stdin.buffer.read(), type=Target)
    try:
        print({**ATTACKS, **ENCRYPTED}[sys.argv[1]](target))
    except Harmed as harm:
        print(harm)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
