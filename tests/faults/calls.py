"""Fault injection into the calls of a real database connection.

A fault is armed and strikes a later call: before it is sent, while the server carries it out, or once it was
carried out and before its answer is heard. A call may also be *held*, as in the buffer of a connection that
its client has given up: it reaches the server some calls later, whatever has happened in between.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import Any, ClassVar, Final

import asyncpg

from jackpot.ledger import connect
from jackpot.ledger.connect import FAILURES
from tests.faults.difference import Difference
from tests.faults.places import Killed

# What an alive server may say no with, to any call: disk full, out of memory, deadlock, read-only.
NOES: Final = ("53100", "53200", "40P01", "25006")
# Of the faults, how many wait for the next call that commits something; the others strike any of the next.
AT_COMMIT: Final = 0.6
CALLS: Final = 12
# Calls of others, at most, that come before a held one: in the middle of a recovery, or long after the
# rebuild, which ends some 25 calls later.
HELD_CALLS: Final = (10, 40)
# How often a held COMMIT's backend is not among those that the next holder of the bank sees, and can end.
UNSEEN: Final = 0.4
ENDS_MS: Final = 5_000

_OPEN: Final = """
    SELECT pid, query FROM pg_stat_activity WHERE datname = $1 AND backend_type = 'client backend'
        AND (state LIKE 'idle in transaction%' OR pid = ANY ($2::int[])) AND pid <> ALL ($3::int[])
"""

# Another bank's holder is ended when that bank is taken.
_OTHERS: Final = "SELECT backend FROM head WHERE backend <> pg_backend_pid()"

Call = Callable[[], Awaitable[Any]]


class Faulty(connect._MonitoredConnection):
    """A database connection of one process life; inert once that life is over."""

    trouble: ClassVar[Trouble]

    def __init__(self, *what: Any) -> None:
        super().__init__(*what)
        self.life = self.trouble.life
        self.held = False
        self.trouble.connections.append(self)

    @property
    def abandoned(self) -> bool:
        """Whether the connection still stands although its client gave it up."""
        return self.held or self.life != self.trouble.life

    def drop(self) -> None:
        """Breaks the connection as a network does: what was sent may have arrived."""
        self._transport.abort()  # type: ignore[attr-defined]

    async def execute(self, query: str, *values: Any, **how: Any) -> Any:
        return await self.trouble.carry_out(self, query, partial(super().execute, query, *values, **how))

    async def fetch(self, query: str, *values: Any, **how: Any) -> Any:
        if "pg_terminate_backend" in query and values[0] in self.trouble.unseen:
            return []
        return await self.trouble.carry_out(self, query, partial(super().fetch, query, *values, **how))

    async def fetchrow(self, query: str, *values: Any, **how: Any) -> Any:
        return await self.trouble.carry_out(self, query, partial(super().fetchrow, query, *values, **how))

    async def fetchval(self, query: str, *values: Any, **how: Any) -> Any:
        return await self.trouble.carry_out(self, query, partial(super().fetchval, query, *values, **how))

    async def say_no(self, state: str) -> None:
        """Fails the call with a server error, which ends the transaction."""
        await super().execute(f"DO $$ BEGIN RAISE EXCEPTION 'not now' USING ERRCODE = '{state}'; END $$")

    async def close(self, **how: Any) -> None:
        if not self.abandoned:
            await super().close(**how)

    def terminate(self) -> None:
        if not self.abandoned:
            super().terminate()


@dataclass
class Armed:
    """An armed fault. calls: how many come before it. commit: it strikes only a call that commits."""

    kind: str
    calls: int
    commit: bool


@dataclass
class Held:
    """A delayed call on its way to the server. calls: how many others come before it."""

    connection: Faulty
    what: str
    call: Call
    calls: int


class Trouble:
    """All connections to one database, and their armed faults.

    admin: runs a statement as the superuser, on a connection that nothing happens to. crash: ends the whole
    cluster at once. later: calls in simulated time. racing, robbed: as of a Place.
    """

    def __init__(
        self,
        database: str,
        random: Random,
        admin: Callable[..., Awaitable[Any]],
        crash: Callable[[], None],
        later: Callable[[Held], None],
        note: Callable[[str], None],
    ) -> None:
        self.life = 0
        self.racing = 0
        self.robbed = False
        self.connections: list[Faulty] = []
        self.unseen: set[int] = set()
        self.held: list[Held] = []
        self._armed: list[Armed] = []
        self._database = database
        self._random = random
        self._admin = admin
        self._crash_cluster = crash
        self._later = later
        self._note = note

    def arm(self, kind: str) -> None:
        """Arms a fault for a later call; kind: the name of one of the methods below, without its line."""
        commit = "late" in kind or self._random.random() < AT_COMMIT
        self._armed.append(Armed(kind, self._random.randrange(1 if commit else CALLS), commit))

    def disarm(self) -> None:
        self._armed.clear()

    async def carry_out(self, connection: Faulty, what: str, call: Call) -> Any:
        """Runs one call with its fault, if one is armed."""
        if connection.life != self.life:
            raise Killed
        if connection.held:
            raise _lost()
        await self._deliver_due()
        kind = self._due(what)
        if kind is None:
            answer = await call()
        else:
            self._note(f"{kind}: {' '.join(what.split())[:60]}")
            answer = await getattr(self, f"_{kind}")(connection, what, call)
        if "take_bank(" in what:
            await self._taken(connection)
        return answer

    def _due(self, what: str) -> str | None:
        for armed in self._armed:
            armed.calls -= 1
        for armed in self._armed:
            if armed.calls < 0 and (not armed.commit or _commits(what)):
                self._armed.remove(armed)
                return armed.kind
        return None

    async def _taken(self, connection: Faulty) -> None:
        """Checks that a process that takes a bank has ended every connection that may still write to it."""
        self.robbed = False
        others = [backend for (backend,) in await super(Faulty, connection).fetch(_OTHERS)]
        left = [connection.get_server_pid(), *self.unseen, *others]
        late = [held.connection.get_server_pid() for held in self.held if "append_rows(" in held.what]
        for pid, query in await self._admin(_OPEN, self._database, late, left):
            raise Difference(f"the bank was taken, and backend {pid} may still write to it: {query}")

    # Before, while and after it is carried out

    async def _lost(self, connection: Faulty, _what: str, call: Call) -> Any:
        connection.drop()
        return await call()

    async def _unheard(self, connection: Faulty, _what: str, call: Call) -> Any:
        with contextlib.suppress(*FAILURES):  # nobody hears that either
            await call()
        connection.drop()
        raise _lost()

    async def _ended(self, connection: Faulty, _what: str, call: Call) -> Any:
        await self._admin("SELECT pg_terminate_backend($1, $2)", connection.get_server_pid(), ENDS_MS)
        return await call()

    async def _race(self, connection: Faulty, _what: str, call: Call) -> Any:
        return await self._meanwhile(
            call, self._admin("SELECT pg_terminate_backend($1)", connection.get_server_pid())
        )

    async def _crash(self, _connection: Faulty, _what: str, call: Call) -> Any:
        async def crash() -> None:
            self._crash_cluster()

        return await self._meanwhile(call, crash())

    async def _meanwhile(self, call: Call, trouble: Awaitable[Any]) -> Any:
        """Sends the call, and runs the other action before its answer is read."""
        self.racing += 1
        both: list[Awaitable[Any]] = [call(), trouble]
        answer, failed = await asyncio.gather(*both, return_exceptions=True)
        for error in (answer, failed):
            if isinstance(error, BaseException):
                raise error
        return answer

    async def _refuse(self, connection: Faulty, _what: str, _call: Call) -> None:
        await connection.say_no(self._random.choice(NOES))

    async def _die(self, _connection: Faulty, _what: str, _call: Call) -> None:
        self.life += 1
        raise Killed

    async def _die_unheard(self, connection: Faulty, what: str, call: Call) -> None:
        with contextlib.suppress(*FAILURES):  # nobody hears that either
            await call()
        await self._die(connection, what, call)

    # Late

    async def _late(self, connection: Faulty, what: str, call: Call) -> None:
        self._hold(connection, what, call)
        raise _lost()

    async def _die_late(self, connection: Faulty, what: str, call: Call) -> None:
        self._hold(connection, what, call)
        await self._die(connection, what, call)

    def _hold(self, connection: Faulty, what: str, call: Call) -> None:
        connection.held = True
        held = Held(connection, what, call, self._random.randrange(self._random.choice(HELD_CALLS)))
        if "append_rows(" in what and self._random.random() < UNSEEN:
            self.unseen.add(connection.get_server_pid())
        self.held.append(held)
        self._later(held)

    async def _deliver_due(self) -> None:
        for held in list(self.held):
            held.calls -= 1
            if held.calls < 0:
                await self.deliver(held)

    async def deliver(self, held: Held) -> None:
        """The server reads what has lain in the buffer, if its backend still lives."""
        self.held.remove(held)
        try:
            await held.call()
        except FAILURES as error:
            self._note(f"late, in vain: {' '.join(held.what.split())[:60]}: {error}")
        else:
            self._note(f"late, carried out: {' '.join(held.what.split())[:60]}")
            if "take_bank(" in held.what and held.connection.life != self.life:
                self.robbed = True
        self.unseen.discard(held.connection.get_server_pid())
        held.connection.drop()


def _commits(what: str) -> bool:
    return any(one in what for one in ("COMMIT", "append_rows(", "take_bank("))


def _lost() -> Exception:
    return asyncpg.ConnectionDoesNotExistError("connection was closed in the middle of operation")
