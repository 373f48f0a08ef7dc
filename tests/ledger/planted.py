"""SQL that an attacker with the rights of the owner could run, for either database."""

import asyncio
from contextlib import closing

import apsw
import asyncpg


def run_sql(url: str, *statements: str) -> None:
    """As a role that may do anything, even while a writer runs."""
    if url.startswith("sqlite"):
        with closing(apsw.Connection(url.removeprefix("sqlite:///"))) as connection:
            connection.set_busy_timeout(5_000)
            for statement in statements:
                connection.execute(statement)
        return

    async def run() -> None:
        connection = await asyncpg.connect(url)
        try:
            for statement in statements:
                await connection.execute(statement)
        finally:
            await connection.close()

    asyncio.run(run())


def swallow(url: str, table: str, only: str = "true") -> None:
    """A trigger that lets rows of a table vanish without an error; only: a condition on NEW."""
    if url.startswith("sqlite"):
        run_sql(
            url,
            f"CREATE TRIGGER swallow BEFORE INSERT ON {table} WHEN {only} BEGIN SELECT RAISE(IGNORE); END",
        )
        return
    run_sql(
        url,
        "CREATE FUNCTION swallow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$",
        f"CREATE TRIGGER swallow BEFORE INSERT ON {table} FOR EACH ROW WHEN ({only}) "
        "EXECUTE FUNCTION swallow()",
    )
