"""Lease of a bank in PostgreSQL: taken with a new epoch, after the old holder's connection is ended."""

import uuid
from typing import Final

from jackpot.ledger import reading
from jackpot.ledger.connect import FAILURES
from jackpot.ledger.journal import Head, genesis
from jackpot.ledger.postgres.connection import PostgresConnection
from jackpot.ledger.store import Fenced, fenced
from jackpot.ledger.takeovers import RELEASED

# How long a backend that was told to end may take; one that does not is tried again with the next epoch.
END_BACKEND_MS: Final = 5_000

# The SQLSTATE of schemas/sql/postgres for a bank that another writer took.
TAKEN: Final = "JP001"

# Of another role's connection only the number is seen: one that may write here is taken for the holder's.
_END: Final = """
    SELECT usename, CASE WHEN backend_start = $2 THEN pg_terminate_backend(pid, $3::bigint) ELSE false END
    FROM pg_stat_activity
    WHERE pid = $1 AND pid <> pg_backend_pid() AND (backend_start = $2 OR backend_start IS NULL
        AND datname = current_database() AND application_name = current_setting('application_name')
        AND has_table_privilege(usesysid, 'journal', 'INSERT'))
"""
# A process may have died unheard in a transaction on a connection that no head names yet: what it locks there
# waits for its client alone. One that is at work is left in peace, for it ends by itself.
_LOCKS: Final = """
    SELECT a.pid, a.backend_start FROM head JOIN bank ON bank.id = head.bank
    JOIN pg_locks AS held
        ON held.locktype = 'transactionid' AND held.granted AND held.transactionid = head.xmax
    JOIN pg_stat_activity AS a ON a.pid = held.pid
    WHERE bank.name = $1 AND a.state LIKE 'idle in transaction%'
"""
# With the type of every argument, here and below: else another function of that name, which somebody made
# next to the ledger's, may fit better.
_TAKE: Final = "SELECT take_bank($1::text, $2::bytea, $3::text, $4::uuid, $5::bigint, $6::bool, $7::bool)"
# A server takes a bank from its holder only as it saw it: it locks the row before it looks again.
_TAKE_SEEN: Final = f"""
    WITH seen AS MATERIALIZED (
        SELECT 1 FROM head JOIN bank ON bank.id = head.bank
        WHERE name = $1 AND head.epoch = $8 AND head.seq = $9 AND head.beat = $10 FOR UPDATE OF head
    )
    {_TAKE} FROM seen
"""  # noqa: S608

_BEAT: Final = "UPDATE head SET beat = beat + 1 WHERE bank = $1 AND epoch = $2 RETURNING bank"
_RELEASE: Final = f"""
    WITH given AS (
        UPDATE head SET holder = '' WHERE bank = $1 AND epoch = $2 RETURNING bank, epoch, holder, seq
    )
    INSERT INTO takeover (bank, epoch, how, holder, seq)
    SELECT bank, epoch, '{RELEASED}', holder, seq FROM given RETURNING bank
"""  # noqa: S608


class Leases:
    """Leases of the banks that one store took. writer: its id in the database, across connections."""

    def __init__(self, session: PostgresConnection) -> None:
        self.writer = uuid.uuid4()
        self._session = session
        self._taken: set[str] = set()

    async def take(self, bank: str, holder: str, at_least: int, expected: Head | None) -> Head:
        """As `Store.new_epoch`."""
        session, connection = self._session, self._session.begin()
        again = bank in self._taken or (expected is not None and expected.epoch == 0)
        values = bank, genesis(bank), holder, self.writer, at_least, again, session.synchronous
        where = (
            () if expected is None or expected.epoch == 0 else (expected.epoch, expected.seq, expected.beat)
        )
        try:
            await self._end_backends(bank, expected)
            status = await connection.execute(_TAKE_SEEN if where else _TAKE, *values, *where)
        except FAILURES as error:
            if getattr(error, "sqlstate", None) == TAKEN:
                raise self._lost(bank) from error
            raise session.in_doubt(error) from error
        if status != "SELECT 1":
            raise _moved(bank)
        await session.acknowledged()
        self._taken.add(bank)
        head = await self.head(bank)
        # Another writer may have taken it since, and the epoch that was read may be that one's.
        own = "SELECT 1 FROM head WHERE bank = $1 AND epoch = $2 AND writer = $3"
        if not await session.fetch(own, await session.number(bank), head.epoch, self.writer):
            raise self._lost(bank)
        return head

    async def head(self, bank: str) -> Head:
        number = await self._session.number(bank)
        return await self._session.read(reading.head(bank, number))

    def _lost(self, bank: str) -> Fenced:
        self._taken.discard(bank)  # to take it now would be a decision of its own
        return Fenced(f"bank {bank} was taken by another writer")

    async def _end_backends(self, bank: str, expected: Head | None) -> None:
        """Terminates the backends that may hold locks of the bank: its holder's, one that locks its head
        while its client is silent, and every earlier one of ours.

        Raises Fenced, and terminates none, where another process has taken the bank from this one, or where
        the head has moved since it was seen.
        """
        connection = self._session.ready()
        held = await connection.fetch(
            "SELECT epoch, seq, beat, writer, backend, backend_start FROM head JOIN bank ON id = head.bank "
            "WHERE name = $1",
            bank,
        )
        if bank in self._taken and any(writer != self.writer for *_, writer, _, _ in held):
            raise self._lost(bank)
        if expected is not None and any(
            tuple(one)[:3] != (expected.epoch, expected.seq, expected.beat) for one in held
        ):
            raise _moved(bank)
        locking = await connection.fetch(_LOCKS, bank)
        there = [*((pid, start) for *_, pid, start in held), *map(tuple, locking), *self._session.own]
        for pid, start in there:
            for role, ended in await connection.fetch(_END, pid, start, END_BACKEND_MS):
                if not ended:
                    raise OSError(
                        f"the database does not end the connection that held the bank (backend {pid} of role "
                        f"{role}); all servers of a ledger sign in as one role"
                    )
        del self._session.own[:-1]

    async def held(self, bank: str) -> bool:
        """As in `Store`."""
        found = await self._session.fetch(
            "SELECT 1 FROM head JOIN pg_stat_activity AS a ON a.pid = backend AND a.backend_start = "
            "head.backend_start WHERE bank = $1",
            await self._session.number(bank),
        )
        return bool(found)

    async def beat(self, bank: str, epoch: int) -> None:
        """As in `Store`."""
        await self._change(bank, epoch, _BEAT)

    async def release(self, bank: str, epoch: int) -> None:
        """As in `Store`."""
        await self._change(bank, epoch, _RELEASE)

    async def _change(self, bank: str, epoch: int, sql: str) -> None:
        connection = self._session.begin()
        number = await self._session.number(bank)
        try:
            found = await connection.fetch(sql, number, epoch)
        except FAILURES as error:
            raise self._session.in_doubt(error) from error
        await self._session.acknowledged()
        if len(found) != 1:
            raise fenced(bank, epoch)


def _moved(bank: str) -> Fenced:
    return Fenced(f"bank {bank} is at work, or another took it first")
