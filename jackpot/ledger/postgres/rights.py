"""Roles and rights in a PostgreSQL ledger, and warnings about rights that should be revoked."""

from typing import Final

from jackpot.ledger import connect
from jackpot.ledger.connect import FAILURES, text
from jackpot.ledger.migrations import roles
from jackpot.ledger.store import LedgerUnusable

_TOO_MANY_RIGHTS: Final = """
    SELECT 'the database role may do more than a server needs ('
        || string_agg(name || ': ' || verb, ', ' ORDER BY name, verb) || ')'
    FROM unnest(ARRAY['bank', 'journal', 'posting', 'hit_entry']) AS name,
        unnest(ARRAY['UPDATE', 'DELETE', 'TRUNCATE']) AS verb
    WHERE has_table_privilege(name, verb)
    HAVING count(*) > 0
"""
_ANYBODYS: Final = """
    SELECT format('anybody may make functions next to the ledger''s: REVOKE CREATE ON SCHEMA %I FROM '
        'PUBLIC', nspname)
    FROM pg_namespace, aclexplode(nspacl) AS right_of
    WHERE nspname = current_schema() AND right_of.grantee = 0 AND right_of.privilege_type = 'CREATE'
"""


async def warnings(connection: connect.Connection) -> list[str]:
    """Warnings about rights or settings that an operator should change; `schema` finds the rest."""
    return connect.exposed(connection) + [
        warning for look in (_TOO_MANY_RIGHTS, _ANYBODYS) for (warning,) in await connection.fetch(look)
    ]


async def make_roles(url: str) -> None:
    """Creates the group roles of a ledger's database and grants them their rights. Raises LedgerUnusable."""
    try:
        connection = await connect.connect(url)
        try:
            await connection.execute(roles())
        finally:
            connection.terminate()
    except FAILURES as error:
        raise LedgerUnusable(
            f"the roles of {connect.without_password(url)} cannot be made: {text(error)}; a role that may "
            "create roles can run schemas/sql/postgres/roles.sql"
        ) from error
