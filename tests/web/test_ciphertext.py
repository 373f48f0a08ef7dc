"""TLS is decrypted in turns, whatever records it comes in, and read no further meanwhile."""

import asyncio
import socket
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import ExitStack, asynccontextmanager, suppress
from pathlib import Path

import pytest
import trustme

from jackpot.app import Server
from jackpot.config import Config
from jackpot.runtime.isolate import failures
from jackpot.web.ciphertext import DECRYPTED_AT_ONCE, Tls
from jackpot.web.http_budget import BudgetShare
from jackpot.web.http_connection import READ_MAX, TURN_S, HttpConnection
from tests.running_server import call, configure, ended, on_loop, until
from tests.web.test_http_budget import readable

# Less than asyncio itself waits for a goodbye.
GOODBYE_S = 15.0
HEAD = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n"


def encrypted(folder: Path) -> tuple[Config, ssl.SSLContext]:
    """A floor whose listeners have TLS, and a client that believes it."""
    authority = trustme.CA()
    made, cert, key = (
        authority.issue_cert("localhost", "127.0.0.1"),
        folder / "server.pem",
        folder / "server.key",
    )
    key.touch(mode=0o600)
    made.private_key_pem.write_to_path(str(key))
    made.cert_chain_pems[0].write_to_path(str(cert))
    trusting = ssl.create_default_context()
    authority.configure_trust(trusting)
    authority.cert_pem.write_to_path(str(folder / "authority.pem"))
    return configure(folder, extra=f'[listen.tls]\ncert = "{cert}"\nkey = "{key}"'), trusting


class Client:
    """A client that makes each TLS record itself."""

    def __init__(self, stack: ExitStack, port: int, trusting: ssl.SSLContext) -> None:
        self.raw = call(stack, port)
        self._coming, self._going = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._tls = trusting.wrap_bio(self._coming, self._going, server_hostname="localhost")

    def greets(self) -> bool:
        """Takes one step of the handshake; whether it is over."""
        self._hear()
        with suppress(ssl.SSLWantReadError):
            self._tls.do_handshake()
            self.raw.send(self._going.read())
            return True
        self.raw.send(self._going.read())
        return False

    def seal(self, *records: bytes) -> bytes:
        """Encrypts each piece as one record."""
        for record in records:
            self._tls.write(record)
        return self._going.read()

    def goodbye(self) -> bytes:
        """The closing record (close_notify)."""
        with suppress(ssl.SSLWantReadError):
            self._tls.unwrap()
        return self._going.read()

    def heard(self) -> bytes:
        """Decrypts what came since."""
        self._hear()
        try:
            return self._tls.read(65_536)
        except ssl.SSLWantReadError:
            return b""

    def _hear(self) -> None:
        with suppress(BlockingIOError):
            self._coming.write(self.raw.recv(65_536))


async def greeted(stack: ExitStack, server: Server, trusting: ssl.SSLContext) -> Client:
    """A client whose handshake is over."""
    client = Client(stack, server.ports["http"], trusting)
    await until(client.greets)
    return client


@asynccontextmanager
async def visited(config: Config) -> AsyncIterator[tuple[Server, ExitStack]]:
    """A server, and the sockets of its clients. They leave before it stops."""
    async with Server(config) as server:
        with ExitStack() as stack:
            yield server, stack
        await until(lambda: not any(door.admission_control.inside for door in server.listeners))


def single(data: bytes) -> list[bytes]:
    return [data[at : at + 1] for at in range(len(data))]


@on_loop
async def test_records_of_one_byte_are_decrypted_in_turns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Misuse: a head in records of one byte is taken piece by piece, each in a turn that its address pays."""
    turns, outside = list[int](), list[int]()
    feed, look = Tls.buffer_updated, HttpConnection.get_buffer
    config, trusting = encrypted(tmp_path)
    async with visited(config) as (server, stack):
        budget = server.connections.budget

        def fed(self: Tls, nbytes: int) -> None:
            (turns if budget._working else outside).append(nbytes)
            feed(self, nbytes)

        def looked(self: HttpConnection, sizehint: int) -> memoryview:
            if not budget._working:
                outside.append(sizehint)
            return look(self, sizehint)

        monkeypatch.setattr(Tls, "buffer_updated", fed)
        monkeypatch.setattr(HttpConnection, "get_buffer", looked)
        client = await greeted(stack, server, trusting)
        records = client.seal(*single(HEAD + b"X: " + b"x" * 4_000 + b"\r\n\r\n"))
        assert len(records) > 20 * DECRYPTED_AT_ONCE
        sent = 0

        def told() -> bool:
            nonlocal sent
            with suppress(BlockingIOError):
                sent += client.raw.send(records[sent:])
            return client.heard().startswith(b"HTTP/1.1 200")

        await until(told)
        assert not outside
        assert max(turns) <= DECRYPTED_AT_ONCE
        assert sum(turns) > len(records)
        assert budget.used[BudgetShare.STRANGER] >= len(turns) * TURN_S
    assert not any(failures().values())


@on_loop
async def test_nothing_is_decrypted_while_its_payer_waits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Misuse: neither a handshake nor a record is looked at before its turn, nor is more read."""
    config, trusting = encrypted(tmp_path)
    held: list[Callable[[], None]] = []
    async with visited(config) as (server, stack):
        port, budget = server.ports["http"], server.connections.budget
        turn = budget.turn
        greets = Client(stack, port, trusting)
        talks = await greeted(stack, server, trusting)
        await until(lambda: len(server.connections.all) == 1)
        (visitor,) = server.connections.all
        monkeypatch.setattr(
            budget,
            "turn",
            lambda payer, work: (
                turn(payer, work) if payer.share is BudgetShare.LISTENER else held.append(work)
            ),
        )
        greets.greets()
        records = talks.seal(*single(HEAD + b"X: " + b"x" * 40_000 + b"\r\n\r\n"))
        talks.raw.send(records)
        await until(lambda: len(held) == 2)
        for _ in range(20):
            await asyncio.sleep(0)
        assert len(held) == 2
        assert visitor._unparsed == b""
        assert not readable(greets.raw)
        monkeypatch.setattr(budget, "turn", turn)
        for work in held:
            work()
        await until(greets.greets)
        assert len(visitor._unparsed) <= READ_MAX


@on_loop
async def test_whole_records_and_their_bodies_arrive(tmp_path: Path) -> None:
    """A body in records of the largest size, between others, is read to its last byte."""
    config, trusting = encrypted(tmp_path)
    body = b"login=nobody&secret=" + b"x" * 50_000
    head = b"POST /nowhere HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % len(body)
    async with visited(config) as (server, stack):
        client = await greeted(stack, server, trusting)
        large = [body[at : at + 16_384] for at in range(0, len(body), 16_384)]
        records = client.seal(head, *large, *single(HEAD + b"\r\n"))
        sent, said = 0, b""

        def told() -> bool:
            nonlocal sent, said
            with suppress(BlockingIOError):
                sent += client.raw.send(records[sent:])
            said += client.heard()
            return said.count(b"HTTP/1.1 ") == 2

        await until(told)
        assert b"HTTP/1.1 404" in said
        assert b"HTTP/1.1 200" in said
        assert all(len(one._unparsed) <= READ_MAX for one in server.connections.all)
    assert not any(failures().values())


@on_loop
async def test_a_connection_that_ends_hears_the_other_side_s_goodbye(tmp_path: Path) -> None:
    """Misuse: one that is ended while it is not read is gone as soon as it says goodbye."""
    config, trusting = encrypted(tmp_path)
    async with visited(config) as (server, stack):
        client = await greeted(stack, server, trusting)
        await until(lambda: len(server.connections.all) == 1)
        (visitor,) = server.connections.all
        visitor._read_on(reads=False)
        visitor._inner.force_close()
        client.raw.send(client.goodbye())
        async with asyncio.timeout(GOODBYE_S):
            await until(lambda: not server.connections.all)
        await until(lambda: ended(client.raw))
    assert not any(failures().values())


@on_loop
async def test_who_leaves_in_a_handshake_frees_its_place(tmp_path: Path) -> None:
    """WIRE, faults: a handshake that breaks, or is none, leaves nobody behind at the listener."""
    config, trusting = encrypted(tmp_path)
    async with visited(config) as (server, stack):
        (door,) = (door for door in server.listeners if door.name == "http")
        rubbish = call(stack, server.ports["http"], b"GET / HTTP/1.1\r\n\r\n")
        leaves = Client(stack, server.ports["http"], trusting)
        leaves.greets()
        silent = call(stack, server.ports["http"])
        await until(lambda: ended(rubbish))
        await until(lambda: len(door.admission_control.inside) == 2)
        leaves.raw.close()
        silent.shutdown(socket.SHUT_WR)
        await until(lambda: not door.admission_control.inside)
    assert not any(failures().values())
