"""Who may act on this machine, and how? The admin unix socket: one JSON object a line, one answer each.

A person who can open the socket (mode 0600) may act. An act carries the name given, else the login name of
the peer's process, and a second name where the rules ask for two people. Nobody proves who they are, and the
journal says so of every name that comes from here.
"""

import asyncio
import json
import os
import pwd
import socket
import stat
import struct
from pathlib import Path
from typing import Any, Final

import msgspec
import structlog

from jackpot.rules.codes import Code
from jackpot.server.acts import Acts, Answer, refused
from jackpot.server.alone import failed
from jackpot.server.asks import BadRequest, request_of

# One request: a reason of 256 characters and a few ids, with room for escapes.
REQUEST_MOST: Final = 16_384
# pid, uid and gid of the peer, as the kernel gives them.
_CREDENTIALS: Final = struct.Struct("3i")

log: Final = structlog.get_logger()


async def listen(path: Path, acts: Acts) -> asyncio.Server:
    """Listens at `path`, which only this user may open. Raises OSError."""

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await _talk(acts, reader, writer)

    return await asyncio.start_unix_server(talk, sock=_bound(path), limit=REQUEST_MOST)


async def _talk(acts: Acts, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    login = "unknown"
    try:
        login = _login(writer.get_extra_info("socket"))
        while line := await reader.readline():
            answer = await _answer(acts, line, login)
            writer.write(json.dumps(answer).encode() + b"\n")
            await writer.drain()
    except (ConnectionError, ValueError) as error:
        log.warning("admin_connection", reason=str(error), kind=login)
    except Exception as error:  # noqa: BLE001 - one connection of an operator ends, and nothing else
        failed("admin", "talk", error)
    finally:
        writer.close()


async def _answer(acts: Acts, line: bytes, login: str) -> Answer:
    try:
        request = request_of(msgspec.json.decode(line, type=dict[str, Any]), login)
    except (BadRequest, msgspec.MsgspecError) as error:
        return refused(Code.BAD_REQUEST, str(error))
    return await acts.carry_out(request)


def _bound(path: Path) -> socket.socket:
    """A socket at `path`, mode 0600 from its first moment; a stale one there was of an earlier process."""
    if path.exists() and stat.S_ISSOCK(path.stat().st_mode):
        path.unlink()
    raw = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    mask = os.umask(0o177)
    try:
        raw.bind(str(path))
    except OSError:
        raw.close()
        raise
    finally:
        os.umask(mask)
    return raw


def _login(peer: Any) -> str:
    """The login name of the process at the other end."""
    packed = peer.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    _, uid, _ = _CREDENTIALS.unpack(packed)
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return f"uid {uid}"
