"""Faults of a real PostgreSQL under a simulated server, injected through `calls`.

What repeats with a seed: which fault strikes which call, and what the server had carried out by then. What
does not: a backend ended, or a cluster killed, at the very moment of a call (`racing` counts these).
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from collections.abc import Callable, Coroutine, Mapping
from random import Random
from typing import Any, Final, TypeVar

import asyncpg

from jackpot.lab.testing.postgres import Postgres
from jackpot.ledger import connect
from jackpot.ledger.connect import FAILURES
from jackpot.ledger.postgres.store import PostgresStore
from tests.faults.calls import Faulty, Held, Trouble
from tests.faults.network import Timeline
from tests.faults.places import EVERYWHERE, Around, Killed, Place
from tests.ledger.waiting import Ledger, Waiting, open_ledger

# Simulated seconds until a held call reaches the server by itself.
HELD_S: Final = 0.2
# Connections of dead processes that stand open: a server has only so many.
LEFT: Final = 20
# How often a dead process's connections stay open: its node is gone, and nobody told the server.
STANDS: Final = 0.5
TEMPLATE: Final = "faults_template"

T = TypeVar("T")
_numbers = itertools.count(1)


class OnPostgres:
    """A database in a cluster. Its faults strike one of the next calls, unless they say so."""

    def __init__(
        self,
        cluster: Postgres,
        database: str,
        random: Random,
        timeline: Timeline,
        note: Callable[[str], None],
    ) -> None:
        self._cluster = cluster
        self._database = database
        self._url = cluster.url(database)
        self._random = random
        self._timeline = timeline
        self._note = note
        self._loop = asyncio.new_event_loop()
        self._superuser: asyncpg.Connection[Any] | None = None
        self._trouble = Trouble(database, random, self._admin, self._crash, self._later, note)
        self._kind = type("Faulty", (Faulty,), {"trouble": self._trouble})

    @property
    def racing(self) -> int:
        return self._trouble.racing

    @property
    def robbed(self) -> bool:
        return self._trouble.robbed

    def open(self) -> Ledger:
        return Waiting(self._run(PostgresStore.open(self._url)), self._run)

    def _run(self, work: Coroutine[Any, Any, T]) -> T:
        product: Any = connect
        before, product._MonitoredConnection = product._MonitoredConnection, self._kind
        try:
            return self._loop.run_until_complete(work)
        except BaseExceptionGroup as group:  # the tasks of the store's groups wrap what ends a process
            if group.subgroup(Killed) is None:
                raise
            raise Killed from group
        finally:
            product._MonitoredConnection = before

    async def _admin(self, statement: str, *values: Any) -> Any:
        if self._superuser is None or self._superuser.is_closed():
            self._superuser = await asyncpg.connect(self._cluster.url())
        return await self._superuser.fetch(statement, *values)

    def died(self) -> None:
        """Closes the connections of a dead process, or leaves them half-open."""
        trouble = self._trouble
        trouble.life += 1
        left = []
        for connection in trouble.connections:
            if connection.is_closed() or connection.held:
                continue
            if self._random.random() < STANDS:
                left.append(connection)
            else:
                connection.drop()
        for connection in left[:-LEFT]:
            connection.drop()
        trouble.connections = left[-LEFT:]

    # Faults of one call

    def lost(self, _more: float) -> None:
        self._trouble.arm("lost")

    def unheard(self, _more: float) -> None:
        self._trouble.arm("unheard")

    def refuse(self, _more: float) -> None:
        self._trouble.arm("refuse")

    def late(self, _more: float) -> None:
        self._trouble.arm("late")

    def race(self, _more: float) -> None:
        self._trouble.arm("race")

    def die(self, more: float) -> None:
        self._trouble.arm(("die", "die_unheard", "die_late")[int(more * 3)])

    def ended(self, more: float) -> None:
        """Ends a backend at a call, or now, between two calls."""
        if more < 0.5:
            self._trouble.arm("ended")
        else:
            self._end_all()

    def _end_all(self) -> None:
        if self._cluster.running:
            self._run(
                self._admin(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1",
                    self._database,
                )
            )

    def _later(self, held: Held) -> None:
        def deliver() -> None:
            if held in self._trouble.held:
                self._run(self._trouble.deliver(held))

        self._timeline.after(self._random.random() * HELD_S, deliver)

    # Faults of all of it

    def down(self, more: float) -> None:
        """Refuses connections, or writes, for a while."""
        if not self._cluster.running:
            return
        how = "ALLOW_CONNECTIONS false" if more < 0.5 else "SET default_transaction_read_only = on"
        self._run(self._admin(f"ALTER DATABASE {self._database} {how}"))
        self._end_all()
        self._timeline.after(0.01 + more, self._up)

    def _up(self) -> None:
        if self._cluster.running:
            self._run(self._admin(f"ALTER DATABASE {self._database} ALLOW_CONNECTIONS true"))
            self._run(self._admin(f"ALTER DATABASE {self._database} RESET default_transaction_read_only"))

    def crash(self, more: float) -> None:
        """Kill -9 of the whole cluster, in the middle of a call or between two; it starts again."""
        if more < 0.5:
            self._trouble.arm("crash")
        else:
            self._crash()

    def _crash(self) -> None:
        if self._cluster.running:
            self._cluster.kill()
            if self._superuser is not None:
                self._superuser.terminate()
                self._superuser = None
            self._timeline.after(self._random.random(), self._start)

    def _start(self) -> None:
        if not self._cluster.running:
            self._cluster.start()
        self._up()

    def fine(self) -> None:
        self._trouble.disarm()
        self._start()

    def last(self) -> None:
        self._crash()
        self._start()

    def close(self) -> None:
        self._start()
        self.died()
        self._run(self._leave())
        self._loop.close()
        self._cluster.drop(self._database)

    async def _leave(self) -> None:
        for held in list(self._trouble.held):
            await self._trouble.deliver(held)
        for connection in self._trouble.connections:
            connection.drop()
        if self._superuser is not None:
            with contextlib.suppress(*FAILURES):  # the cluster was killed under it
                await self._superuser.close()
        await asyncio.sleep(0)


class Clusters:
    """One server, and a database of its own for each run, in a cluster that the run may kill.

    spoiled: SQL that does the database harm.
    """

    option = "--postgres"
    alone = True
    weights: Mapping[str, int] = {
        **EVERYWHERE,
        "lost": 4,
        "unheard": 5,
        "refuse": 3,
        "late": 6,
        "race": 2,
        "die": 7,
        "ended": 4,
        "down": 2,
        "crash": 2,
    }
    worse: tuple[str, ...] = ("die", "late", "lost", "unheard")
    later_s = 0.0

    def __init__(self, cluster: Postgres) -> None:
        self.spoiled: str | None = None
        self._cluster = cluster
        open_ledger(cluster.create(TEMPLATE)).close()

    def place(self, around: Around) -> Place:
        database = f"faults_{next(_numbers)}"
        self._cluster.create(database, TEMPLATE)
        if self.spoiled is not None:
            self._cluster.sql(self.spoiled, database)
        return OnPostgres(self._cluster, database, around.random, around.timeline, around.note)
