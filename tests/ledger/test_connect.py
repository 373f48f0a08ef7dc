"""Connection to PostgreSQL: choice of host, certificates, passwords and timeouts."""

import asyncio
import socket
import traceback
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import pytest
import trustme

from jackpot.lab.testing.postgres import SYSTEM, Postgres
from jackpot.ledger import connect
from jackpot.ledger.postgres.store import PostgresStore
from jackpot.ledger.store import LedgerUnusable
from tests.ledger.backends import WAIT_S, stores
from tests.running_server import on_loop

SECRET: Final = "hunter2"


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Postgres]:
    """A cluster whose settings may be changed."""
    with Postgres(tmp_path_factory.mktemp("own") / "cluster") as cluster:
        yield cluster


@on_loop
async def test_a_silent_end_is_noticed(database: str) -> None:
    """DESIGN, fence: each end of the connection asks whether the other is there, and gives it 10 s."""
    async with stores(database) as (store,):
        assert store.session.connection is not None
        found = store.session.connection._transport.get_extra_info("socket")  # type: ignore[attr-defined]
        assert found.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE) == 1
        assert found.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT) == connect.UNHEARD_MS
        assert found.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE) == connect.KEEPALIVE_S
        assert await store.session.connection.fetchval("SHOW tcp_user_timeout") == "10000"
        assert await store.session.connection.fetchval("SHOW tcp_keepalives_idle") == "3"


@pytest.fixture
def closed() -> Iterator[int]:
    """A port that refuses connections."""
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        yield nobody.getsockname()[1]


@pytest.fixture
def silent() -> Iterator[int]:
    """A port that takes connections and never says a word."""
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        nobody.listen()
        yield nobody.getsockname()[1]


@pytest.fixture(scope="module")
def standby(own: Postgres, tmp_path_factory: pytest.TempPathFactory) -> Postgres:
    return own.standby(tmp_path_factory.mktemp("standby") / "cluster", "second")


@pytest.mark.parametrize("first", ["closed", "silent", "standby", "unknown.invalid"])
def test_the_first_host_that_can_write_is_taken(
    own: Postgres, standby: Postgres, closed: int, silent: int, first: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """DESIGN, beyond one machine: the primary is found past a host that is dead, silent or a standby."""
    monkeypatch.setattr(connect, "CONNECT_S", 0.5)
    ports = {"closed": closed, "silent": silent, "standby": standby.port}
    other = f"127.0.0.1:{ports[first]}" if first in ports else first
    url = f"postgresql://postgres@{other},127.0.0.1:{own.port}/postgres"

    @on_loop
    async def run() -> None:
        async with asyncio.timeout(WAIT_S), stores(url) as (store,):
            assert store.session.connection is not None
            assert await store.session.connection.fetchval("SELECT inet_server_port()") == own.port
            await store.recover()
            await store.new_epoch("main", "test")

    run()


@on_loop
async def test_no_host_that_can_write_is_a_sentence(
    standby: Postgres, closed: int, silent: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """DESIGN, beyond one machine: no host can be written: a sentence in bounded time, without a password."""
    monkeypatch.setattr(connect, "CONNECT_S", 0.2)
    for port in (closed, silent, standby.port):
        for sign_in, more in ((f"postgres:{SECRET}", ""), ("postgres", f"?password={SECRET}")):
            with pytest.raises(LedgerUnusable, match="cannot be opened") as caught:
                await PostgresStore.open(f"postgresql://{sign_in}@127.0.0.1:{port}/postgres{more}")
            assert SECRET not in told(caught.value)


@pytest.mark.parametrize("address", ["127.0.0.1:wrong", "[::1", "127.0.0.1:99999999"])
@pytest.mark.parametrize("password", [SECRET, f"a/{SECRET}", f"a@{SECRET}", f"a:{SECRET}", f"{SECRET}#?/b"])
@on_loop
async def test_what_is_no_address_is_a_sentence(address: str, password: str) -> None:
    """DESIGN, the ledger: a URL that cannot be read is refused without its password, however written."""
    url = f"postgresql://postgres:{password}@{address}/postgres"
    assert SECRET not in connect.without_password(url)
    with pytest.raises(LedgerUnusable) as caught:
        await PostgresStore.open(url)
    assert SECRET not in told(caught.value)


@pytest.mark.parametrize("url", ["postgresql://,host://,", "postgresql://me:p@ss@127.0.0.1:1/ledger"])
@on_loop
async def test_what_asyncpg_cannot_read_at_all_is_a_sentence(url: str) -> None:
    """DESIGN, the ledger: no mistake in a URL is more than a line, and a password's @ is no host's."""
    with pytest.raises(LedgerUnusable, match="and / : @ in a password are %2F %3A %40"):
        await PostgresStore.open(url)


def told(error: BaseException | None) -> str:
    """Everything that a log could show of an error."""
    return "".join(traceback.format_exception(error))


@asynccontextmanager
async def elsewhere(port: int) -> AsyncIterator[int]:
    """The port of another address, 127.0.0.2, that passes on to one of 127.0.0.1."""

    async def carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(65_536):
            writer.write(data)
        writer.close()

    async def passed_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        back, on = await asyncio.open_connection("127.0.0.1", port)
        async with asyncio.TaskGroup() as group:
            group.create_task(carry(reader, on))
            group.create_task(carry(back, writer))

    server = await asyncio.start_server(passed_on, "127.0.0.2", 0)
    yield server.sockets[0].getsockname()[1]
    server.close()


@pytest.mark.skipif(not SYSTEM.exists(), reason="needs a PostgreSQL with TLS: Debian's postgresql")
@on_loop
async def test_tls_to_the_database(tmp_path: Path) -> None:
    """DESIGN, TLS to the database: verify-full takes the right authority's certificate and no other."""
    ours, other = trustme.CA(), trustme.CA()
    ours.cert_pem.write_to_path(str(tmp_path / "ours.pem"))
    other.cert_pem.write_to_path(str(tmp_path / "other.pem"))
    certificate = ours.issue_cert("localhost")
    key, chain = tmp_path / "server.key", tmp_path / "server.pem"
    key.touch(mode=0o600)
    certificate.private_key_pem.write_to_path(str(key))
    certificate.cert_chain_pems[0].write_to_path(str(chain))
    settings = {"ssl": "on", "ssl_cert_file": str(chain), "ssl_key_file": str(key)}
    with Postgres(tmp_path / "own", settings) as cluster:
        url = f"postgresql://postgres:{SECRET}@localhost:{cluster.port}/postgres?sslmode=verify-full&sslrootcert="
        async with stores(f"{url}{tmp_path / 'ours.pem'}") as (store,):
            assert store.session.connection is not None
            found = await store.session.connection.fetchval(
                "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()"
            )
            assert found is True
            await store.new_epoch("main", "test")
        with pytest.raises(LedgerUnusable, match="signed it: sslrootcert=FILE") as caught:
            await PostgresStore.open(f"{url}{tmp_path / 'other.pem'}")
        assert SECRET not in told(caught.value)
        async with elsewhere(cluster.port) as port:
            for mode, said in (
                ("disable", "is not encrypted"), ("require", "takes whatever answers"), ("verify-ca", None)
            ):  # fmt: skip
                far = f"postgresql://postgres@127.0.0.2:{port}/postgres?sslmode={mode}"
                trusted = f"&sslrootcert={tmp_path / 'ours.pem'}" if said is None else ""
                async with stores(far + trusted) as (store,):
                    warned = [warning for warning in store.warnings if "sslmode=verify-full" in warning]
                    assert len(warned) == (said is not None)
                    assert all(f"the database {said}" in warning for warning in warned)
        by_number = url.replace("localhost", "127.0.0.1")
        with pytest.raises(LedgerUnusable, match="write the host in the URL as"):
            await PostgresStore.open(f"{by_number}{tmp_path / 'ours.pem'}")
