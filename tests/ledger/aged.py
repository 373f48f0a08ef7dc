"""Builds SQLite ledgers of earlier schemas: the same rows, in the tables of an older migration."""

from contextlib import closing
from pathlib import Path
from typing import Final

import apsw

from jackpot.ledger.migrations import CREATE, migrations

# Each schema that a file may have come from, but for today's.
EARLIER: Final = range(1, len(migrations("sqlite")))


def aged(file: Path, number: int) -> Path:
    """Puts in the file's place what has its rows, and of the migrations only those up to that number."""
    old = file.with_name(f"{file.name}.old")
    with closing(apsw.Connection(str(old))) as connection:
        connection.execute(CREATE)
        for migration in migrations("sqlite")[:number]:
            connection.execute(migration.sql)
            connection.execute("INSERT INTO migration VALUES (?, ?)", (migration.number, migration.name))
        connection.execute("ATTACH ? AS today", (str(file),))
        tables = "SELECT name FROM main.sqlite_schema WHERE type = 'table' AND name <> 'migration'"
        for (table,) in connection.execute(tables).fetchall():
            found = connection.execute("SELECT name FROM pragma_table_info(?)", (table,)).fetchall()
            columns = ", ".join(f'"{name}"' for (name,) in found)
            connection.execute(f"INSERT INTO main.{table} ({columns}) SELECT {columns} FROM today.{table}")
    for end in ("-wal", "-shm", "-lock"):
        file.with_name(file.name + end).unlink(missing_ok=True)
    return old.replace(file)
