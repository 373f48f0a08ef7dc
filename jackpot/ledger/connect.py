"""Finds the writable PostgreSQL host of a URL, connects to it and checks its settings."""

import asyncio
import re
import socket
import ssl
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, cast
from urllib.parse import urlsplit, urlunsplit

import asyncpg
from asyncpg.connect_utils import SessionAttribute

from jackpot.ledger.store import LedgerUnusable
from jackpot.text import refused_certificate

# To connect to one host, name look-up and sign-in included; then the next host is tried. A COMMIT has no
# limit.
CONNECT_S: Final = 3.0

# A connection whose other end is silent is found dead after some 10 s, on both ends, and ends in doubt. Long
# before that the server has suspended its links.
KEEPALIVE_S: Final = 3
KEEPALIVES: Final = 3
UNHEARD_MS: Final = 10_000

# The schema that a ledger is in, and the only one where its names are looked up. Whatever a database or a
# role has set, no table or function of the same name elsewhere is taken for the ledger's.
SEARCH_PATH: Final = "public, pg_temp"

# Settings that a database may have changed, and that must be as they are here. A time limit would end the
# wait of a COMMIT for its standby. A client that is frozen inside a transaction may hold its locks this long.
WRITER: Final = {
    "application_name": "jackpot",
    "client_min_messages": "warning",
    "default_transaction_isolation": "read committed",
    "idle_in_transaction_session_timeout": "10s",
    "idle_session_timeout": "0",
    "lock_timeout": "0",
    "search_path": SEARCH_PATH,
    "standard_conforming_strings": "on",
    "statement_timeout": "0",
    "synchronous_commit": "on",
    "tcp_keepalives_count": str(KEEPALIVES),
    "tcp_keepalives_idle": str(KEEPALIVE_S),
    "tcp_keepalives_interval": str(KEEPALIVE_S),
    "tcp_user_timeout": str(UNHEARD_MS),
}
READER: Final = {
    "application_name": "jackpot audit",
    "default_transaction_read_only": "on",
    "search_path": SEARCH_PATH,
}

# Without these a commit that was acknowledged can be lost with the power.
MUST_BE_ON: Final = ("fsync", "full_page_writes", "synchronous_commit")

# This version brought one more time limit; an older database does not know it.
TRANSACTION_TIMEOUT_SINCE: Final = 17

# This version brought a pg_terminate_backend that waits for the end.
OLDEST_VERSION: Final = 14

# How a database, the way to it, or asyncpg itself fails.
FAILURES: Final = (asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError, OSError)

if TYPE_CHECKING:  # generic in its type stubs alone
    Connection = asyncpg.Connection[asyncpg.Record]
else:
    Connection = asyncpg.Connection


class _MonitoredConnection(Connection):
    """A connection with socket keepalive and timeouts. exposed: why others could read it."""

    exposed: str | None = None

    def __init__(self, protocol: Any, transport: asyncio.Transport, *more: Any) -> None:
        super().__init__(protocol, transport, *more)
        found = transport.get_extra_info("socket")
        if found is not None and found.family in {socket.AF_INET, socket.AF_INET6}:
            found.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
            found.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, KEEPALIVE_S)
            found.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, KEEPALIVE_S)
            found.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPCNT, KEEPALIVES)
            found.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, UNHEARD_MS)
            if found.getpeername()[0] != found.getsockname()[0]:  # on another machine
                tls = transport.get_extra_info("ssl_object")
                if tls is None:
                    self.exposed = "is not encrypted"
                elif tls.context.verify_mode == ssl.CERT_NONE:
                    self.exposed = "takes whatever answers for it"


async def connect(url: str, *, readonly: bool = False) -> Connection:
    """Connects to the first of the URL's hosts that can be written; a reader connects to the first that
    answers.

    Raises what asyncpg and the system raise for the last host that was tried; LedgerUnusable where the URL is
    no address.
    """
    hosts = each_host(url)
    for number, host in enumerate(hosts, 1):
        try:
            return await asyncpg.connect(
                host,
                timeout=CONNECT_S,
                target_session_attrs=SessionAttribute.any if readonly else SessionAttribute.read_write,
                server_settings=READER if readonly else WRITER,
                connection_class=_MonitoredConnection,
                max_cached_statement_lifetime=0,
            )
        except FAILURES:
            if number == len(hosts):
                raise
        except (ValueError, OverflowError, LookupError):  # its text may hold a part of the password
            raise _no_address(url) from None
    raise LedgerUnusable(f"{without_password(url)} names no host")


def each_host(url: str) -> list[str]:
    """One URL for each host. asyncpg would apply one timeout to all of them together.

    Raises LedgerUnusable.
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        raise _no_address(url) from None
    sign_in, at, hosts = parts.netloc.rpartition("@")
    if "@" in sign_in:  # asyncpg would look for the host after the first
        raise _no_address(url)
    return [urlunsplit(parts._replace(netloc=f"{sign_in}{at}{host}")) for host in hosts.split(",")]


def _no_address(url: str) -> LedgerUnusable:
    return LedgerUnusable(
        f"{without_password(url)} is no address of a PostgreSQL: postgresql://user@host:port/database, and "
        "/ : @ in a password are %2F %3A %40"
    )


def without_password(url: str) -> str:
    """The URL as it may stand in a log."""
    if re.match(r"[^/:@]*://", url) is None:  # not well formed: whatever stands before the host
        url = re.sub(r"^.*@", "...@", url)
    url = re.sub(r"^([^/:@]*://[^/:@]*):.*@", r"\1@", url)
    return re.sub(r"([?&](?:ssl)?password=)[^&]*", r"\1...", url)


def exposed(connection: Connection) -> list[str]:
    """Warning if others could read the connection; empty if both ends are on one machine."""
    if isinstance(connection, _MonitoredConnection) and connection.exposed is not None:
        return [f"the connection to the database {connection.exposed}: sslmode=verify-full in its URL"]
    return []


async def check_settings(connection: Connection, shown: str) -> None:
    """Removes the transaction timeout. Raises LedgerUnusable if an acknowledged commit could be lost."""
    if connection.get_server_version().major < OLDEST_VERSION:
        raise LedgerUnusable(f"{shown} is PostgreSQL older than {OLDEST_VERSION}")
    if await connection.fetchval("SELECT pg_backend_pid()") != connection.get_server_pid():
        raise LedgerUnusable(
            f"{shown} is reached through a pooler, which may serve each transaction by another "
            "connection, with other settings: give the database's own address"
        )
    if connection.get_server_version().major >= TRANSACTION_TIMEOUT_SINCE:
        await connection.execute("SET transaction_timeout = 0")
    for name in MUST_BE_ON:
        value = await connection.fetchval("SELECT current_setting($1::text)", name)
        if value != "on":
            raise LedgerUnusable(
                f"{shown} has {name} = {value}: what it acknowledges could be lost; set it on"
            )


async def backend(connection: Connection) -> tuple[int, datetime]:
    """Backend process of this connection: its pid and start time."""
    found = await connection.fetchrow(
        "SELECT pid, backend_start FROM pg_stat_activity WHERE pid = pg_backend_pid()"
    )
    return cast("tuple[int, datetime]", tuple(found or ()))


def text(error: Exception) -> str:
    """Text of an error on one line."""
    if isinstance(error, asyncpg.TargetServerAttributeNotMatched):
        return "no host takes writes: each is a standby, or default_transaction_read_only is on"
    if refused := refused_certificate(error, "sslrootcert"):
        return refused
    return f"{' '.join(str(error).split()) or 'no more is known'} ({type(error).__name__})"
