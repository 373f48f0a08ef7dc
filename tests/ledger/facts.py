"""Writes the facts of the PostgreSQL schema for `verify`: `python -m tests.ledger.facts`.

To be run after a change of `schemas/sql/postgres/`; a test holds the file to what they make on each version.
"""

import asyncio
import json
import tempfile
from pathlib import Path
from typing import Any, Final

import asyncpg

from jackpot.lab.testing.postgres import Postgres
from jackpot.ledger import schema
from jackpot.ledger.connect import SEARCH_PATH
from jackpot.ledger.open import make_roles
from tests.ledger.waiting import open_ledger

FILE: Final = Path(__file__).parents[2] / "schemas" / "sql" / "postgres" / "facts.json"


def made(url: str) -> bytes:
    """The file as it must be, of a new ledger at `url` with its roles."""
    open_ledger(url).close()
    make_roles(url)
    return _known(asyncio.run(_facts(url)))


def _known(made: schema.SchemaFacts) -> bytes:
    """The text of facts.json, of what the migrations and the roles have just made."""
    rights: dict[str, list[str]] = {}
    for what, who, right in made.rights:
        rights.setdefault(schema.rights_key(what, who), []).append(right)
    known = {
        "facts": made.facts,
        "plain": made.plain,
        "rights": {key: sorted(set(given)) for key, given in rights.items()},
    }
    return json.dumps(known, indent=2, sort_keys=True).encode() + b"\n"


async def _facts(url: str) -> schema.SchemaFacts:
    connection = await asyncpg.connect(url, server_settings={"search_path": SEARCH_PATH})
    try:
        conversation = schema.postgres_facts()
        found: list[Any] | None = None
        while True:
            try:
                sql, _ = conversation.send(found)  # type: ignore[arg-type]  # a generator starts with None
            except StopIteration as done:
                return done.value  # type: ignore[no-any-return]
            found = await connection.fetch(sql)
    finally:
        await connection.close()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder, Postgres(Path(folder) / "cluster") as cluster:
        FILE.write_bytes(made(cluster.create("ledger")))
