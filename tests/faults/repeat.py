"""Makes the real parts deterministic: a seed repeats their randomness, and nothing is printed."""

from __future__ import annotations

import contextlib
import itertools
import logging
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, Final, cast

import apsw
import structlog

from jackpot.bank import draws as server_draws
from jackpot.bank import running_triggers as server_triggers
from jackpot.net import connection as server_connection
from jackpot.net import signs as server_signs
from jackpot.net import tables as server_tables
from tests.faults.drawing import Source

SHARED_MEMORY: Final = Path("/dev/shm")  # noqa: S108 - quick where there is one; the folder below it is ours


class Seeded:
    """Replaces `secrets` in the server: seeded draws and nonces."""

    def __init__(self, random: Random) -> None:
        self.randbelow = random.randrange
        self.token_bytes = random.randbytes
        self._random = random

    def token_hex(self, length: int) -> str:
        return self._random.randbytes(length).hex()


def _unraised(before: Callable[[Any], Any], what: Any) -> None:
    """Silences the unraisable error of SQLite when a dead process's connection is closed."""
    if not isinstance(what.exc_value, apsw.Error):
        before(what)


def _unsaid(_logger: Any, _name: str, _event: Any) -> Any:
    raise structlog.DropEvent


@contextlib.contextmanager
def repeatable(seed: int) -> Iterator[tuple[Path, Source]]:
    """A folder for the ledger, with quiet logs and seeded randomness and ordering in the server.

    And where its triggers come from.
    """
    source, of_triggers = Source(Random(f"{seed}/triggers")), cast("Any", server_triggers)
    of_triggers.secrets, secret = source, of_triggers.secrets
    seeded: Any = Seeded(Random(f"{seed}/secrets"))
    shells: tuple[Any, ...] = (server_tables, server_draws, server_connection, server_signs)
    connection: Any = server_connection.Connection
    before = [module.secrets for module in shells], connection.__hash__, structlog.get_config()
    numbers = itertools.count()
    for module in shells:
        module.secrets = seeded
    connection.__hash__ = lambda self: self.__dict__.setdefault("number", next(numbers))
    unraised = sys.unraisablehook
    sys.unraisablehook = partial(_unraised, unraised)
    quiet = structlog.make_filtering_bound_logger(logging.CRITICAL)
    structlog.configure(wrapper_class=quiet, processors=[_unsaid])
    quick = SHARED_MEMORY if SHARED_MEMORY.is_dir() else None
    folder = Path(tempfile.mkdtemp(prefix="faults-", dir=quick))
    try:
        yield folder, source
    finally:
        shutil.rmtree(folder)
        sys.unraisablehook = unraised
        for module, secrets in zip(shells, before[0], strict=True):
            module.secrets = secrets
        of_triggers.secrets = secret
        connection.__hash__ = before[1]
        structlog.configure(**before[2])
