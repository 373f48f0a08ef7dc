"""Compares the stored schema with that of the migrations, fact by fact (S3).

A SQLite file may come from an earlier program: a backup, an archive. Its facts are those of the migrations
that it has.

A fact is the name of an object and its definition: `column journal.seq` is `bigint not null`. On SQLite the
migrations' own facts are those of a database in memory; on PostgreSQL, where the role that compares may make
nothing, they are in a file, which a test holds to what the migrations make.
"""

import re
from contextlib import closing
from functools import cache
from importlib import resources
from typing import Final, NamedTuple

import apsw
import msgspec

from jackpot.ledger.migrations import CREATE, migrations
from jackpot.ledger.reading import Conversation, Differences, Version, carry

# SQLite's catalogue has some things only as text. They are compared word by word, without spaces and
# comments.
_WORD: Final = re.compile(r"--[^\n]*|/\*.*?\*/|'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|\w+|\S", re.DOTALL)
# A fact that is longer than a line is not shown; the message says only that it differs.
_TOLD_MAX: Final = 80

# SQLite makes things with such names by itself: statistics, counters, a constraint's index. So a person could
# give a trigger such a name.
_SQLITE_OWN: Final = """
    (type = 'table' AND name IN ('sqlite_stat1', 'sqlite_stat4', 'sqlite_sequence')
        OR type = 'index' AND sql IS NULL AND name GLOB 'sqlite_autoindex_*')
"""
_SQLITE_THINGS: Final = f"""
    SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_schema WHERE NOT {_SQLITE_OWN}
"""  # noqa: S608
_SQLITE_COLUMNS: Final = f"""
    SELECT t.name, c.name, c.type, c."notnull", coalesce(c.dflt_value, ''), c.pk, c.hidden
    FROM (SELECT name FROM sqlite_schema WHERE type = 'table' AND NOT {_SQLITE_OWN}) AS t,
        pragma_table_xinfo(t.name) AS c
"""  # noqa: S608
_SQLITE_UNIQUE: Final = """
    SELECT i.name FROM sqlite_schema AS t, pragma_index_list(t.name) AS i
    WHERE t.type = 'table' AND i.origin = 'c' AND i."unique"
"""

# Older versions of PostgreSQL print it also where there is no other table; every other table's is needed.
_QUALIFIER: Final = re.compile(r"\b(?:posting|mystery_trigger)\.")
_QUERY: Final = "query of view "
_POSTGRES: Final = ("schemas", "sql", "postgres")
# These words of catalogue.sql say which kind of fact a line is.
_FACT, _INDEX, _RIGHT = "fact", "index", "right"
EVERYBODY: Final = "everybody"
_READ: Final = "SELECT"


class SchemaFacts(NamedTuple):
    """Facts of a schema. facts: all but plain indexes. plain: those, by name. rights: (object, role,
    right).
    """

    facts: dict[str, str]
    plain: list[str]
    rights: list[tuple[str, str, str]]


class ExpectedSchema(msgspec.Struct, frozen=True):
    """Expected schema. rights: for each object, the most that anybody but its owner may have."""

    facts: dict[str, str]
    plain: list[str]
    rights: dict[str, list[str]]


def sqlite(number: int) -> Conversation[Differences]:
    """How a SQLite ledger's schema differs from that of the migrations up to this one."""
    return _compared((yield from _sqlite_facts()), _sqlite_known(number))


def sqlite_version(number: int) -> Version:
    """The version of a SQLite ledger that has the migrations up to this one."""
    newest = len(migrations("sqlite"))
    added = (
        _places(_sqlite_known(newest)) - _places(_sqlite_known(number)) if number < newest else frozenset()
    )
    return Version(number, newest, added)


def postgres_version() -> Version:
    """The version of a PostgreSQL ledger: an older one is not opened."""
    newest = len(migrations("postgres"))
    return Version(newest, newest)


def _places(expected: ExpectedSchema) -> frozenset[str]:
    """The names of its tables and columns."""
    sorts = (fact.partition(" ") for fact in expected.facts)
    return frozenset(name for sort, _, name in sorts if sort in {"table", "column"})


def postgres() -> Conversation[Differences]:
    """How a PostgreSQL ledger's schema, owners and rights differ from the migrations'."""
    return _compared((yield from postgres_facts()), _postgres_known())


def _compared(facts: SchemaFacts, expected: ExpectedSchema) -> Differences:
    problems = [
        _differ(thing, facts.facts.get(thing), expected.facts.get(thing))
        for thing in sorted(facts.facts.keys() | expected.facts.keys())
        if facts.facts.get(thing) != expected.facts.get(thing)
    ]
    warnings: list[str] = []
    for what, who, right in facts.rights:
        if any(right in expected.rights.get(rights_key(what, whose), ()) for whose in (who, EVERYBODY)):
            continue
        said = f"the schema: {who} may {right} on {what}, which the migrations give nobody but its owner"
        (warnings if right == _READ else problems).append(said)  # who reads changes nothing
    warnings += [
        f"the schema: index {name} is not the ledger's" for name in facts.plain if name not in expected.plain
    ]
    warnings += [f"the schema: index {name} is missing" for name in expected.plain if name not in facts.plain]
    return Differences(problems, warnings)


def _differ(thing: str, found: str | None, known: str | None) -> str:
    if found is None:
        return f"the schema: {thing} is missing"
    if known is None:
        return f"the schema: {thing} is not the ledger's"
    if len(found) > _TOLD_MAX or len(known) > _TOLD_MAX or not (found and known):
        return f"the schema: {thing} is not as the migrations make it"
    return f"the schema: {thing} is {found!r}, the migrations make it {known!r}"


def _sqlite_facts() -> Conversation[SchemaFacts]:
    facts: dict[str, str] = {}
    plain = []
    unique = {name for (name,) in (yield _SQLITE_UNIQUE, ())}
    for kind, name, table, sql in (yield _SQLITE_THINGS, ()):
        if kind == "index" and name not in unique:
            plain.append(name)
        else:
            facts[f"{kind} {name}" + (f" on {table}" if kind == "trigger" else "")] = _words(sql)
    for table, column, type_, not_null, default, key, hidden in (yield _SQLITE_COLUMNS, ()):
        parts = [type_, "not null" * not_null, f"default {default}" * bool(default), f"key {key}" * bool(key)]
        facts[f"column {table}.{column}"] = " ".join(filter(None, [*parts, "hidden" * bool(hidden)]))
    return SchemaFacts(facts, plain, [])


@cache
def _sqlite_known(number: int) -> ExpectedSchema:
    """Expected facts of the migrations up to this one, from a database in memory."""
    with closing(apsw.Connection(":memory:")) as connection:
        for sql in (CREATE, *(migration.sql for migration in migrations("sqlite")[:number])):
            connection.execute(sql)
        made = carry(_sqlite_facts(), lambda sql, values: connection.execute(sql, values).fetchall())
    return ExpectedSchema(made.facts, made.plain, {})


def postgres_facts() -> Conversation[SchemaFacts]:
    """Facts of the ledger's own schema."""
    found = SchemaFacts({}, [], [])
    for sort, thing, fact, which in (yield _of_postgres("catalogue.sql").decode(), ()):
        if sort == _RIGHT:
            found.rights.append((thing, fact, which))
        elif sort == _INDEX and not fact:
            found.plain.append(thing)
        elif sort == _INDEX:
            found.facts[f"index {thing}"] = fact
        else:
            found.facts[thing] = _words(_QUALIFIER.sub("", fact)) if thing.startswith(_QUERY) else fact
    return found


@cache
def _postgres_known() -> ExpectedSchema:
    return msgspec.json.decode(_of_postgres("facts.json"), type=ExpectedSchema)


def _of_postgres(name: str) -> bytes:
    return resources.files("jackpot").joinpath(*_POSTGRES, name).read_bytes()


def rights_key(what: str, who: str) -> str:
    """Normalises a grantee: role names differ between sites, and PUBLIC is kept apart."""
    return f"{what}, {EVERYBODY}" if who == EVERYBODY else what


def _words(sql: str) -> str:
    return " ".join(word for word in _WORD.findall(sql) if not word.startswith(("--", "/*")))
