"""Client of the HTTP API at a running server's admin socket.

Only the standard library: a command that asks starts quickly.
"""

import http.client
import json
import secrets
import socket
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from jackpot.api.http_call import HttpCall, target
from jackpot.api.operation import BASE, Ask

# A server in doubt answers when it knows; a person at a prompt does not wait longer than this.
ANSWER_WITHIN_S: Final = 30.0


class HttpAnswer(NamedTuple):
    """Answer over HTTP. status: of HTTP; from 400 on `said` is a problem."""

    status: int
    said: dict[str, Any]

    @property
    def ok(self) -> bool:
        """Whether the act was done, or the query answered."""
        return self.status < http.client.BAD_REQUEST


class _UnixConnection(http.client.HTTPConnection):
    """A connection to a unix socket."""

    def __init__(self, path: Path, timeout: float) -> None:
        super().__init__("localhost", timeout=timeout)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(str(self._path))


def ask(
    path: Path, what: Ask, near: Mapping[str, str] | None = None, within_s: float = ANSWER_WITHIN_S
) -> HttpAnswer:
    """Sends an operation to the server whose admin socket is at `path`.

    near: what stands next to an act's fields. Raises TimeoutError if it does not answer in time, OSError if
    no server is there.
    """
    return exchange(path, target(what, near or {}), within_s=within_s)


def exchange(
    path: Path, asked: HttpCall, key: str | None = None, within_s: float = ANSWER_WITHIN_S
) -> HttpAnswer:
    """As `ask`, for a request that may be wrong. key: of an act that was asked before."""
    headers = {} if asked.body is None else {"Idempotency-Key": key or secrets.token_hex(16)}
    if asked.body is not None:
        headers["Content-Type"] = "application/json"
    body = None if asked.body is None else json.dumps(asked.body)
    line = _UnixConnection(path, within_s)
    try:
        line.request(asked.method, BASE + asked.path, body, headers)
        response = line.getresponse()
        return HttpAnswer(response.status, json.loads(response.read()))
    except http.client.HTTPException as error:
        raise ConnectionError(f"the server hung up: {error!r}") from error
    finally:
        line.close()
