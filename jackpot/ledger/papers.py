"""What lies next to the journal about payouts? Who was paid and who was there, which can be erased.

The journal holds the digest of what was written, so nobody can give a payout another patron unseen. Once the
salt is erased with the rest, nothing can be read in the digest. The empty row stays, so that nothing is kept
once more if the request that made it is sent again.
"""

import hashlib
import secrets
from collections.abc import Mapping
from typing import Final

import msgspec

from jackpot.ledger.reading import Reader
from jackpot.ledger.store import Statement

SALT_BYTES: Final = 16

# A request that is sent again finds what it kept the first time.
_KEEP: Final = """
    INSERT INTO paper VALUES (?1, ?2, ?3, ?4, ?5)
    ON CONFLICT (request) DO UPDATE SET request = excluded.request RETURNING mark
"""
_FACTS: Final = "SELECT salt, facts FROM paper WHERE mark = ?1"
_MADE: Final = "SELECT made FROM paper WHERE mark = ?1"
_ALL: Final = "SELECT mark, request, made, salt, facts FROM paper ORDER BY made"
_DROP: Final = "DELETE FROM paper WHERE mark = ?1"
_ERASE: Final = "UPDATE paper SET salt = ?2, facts = '' WHERE mark = ?1"
_OLD: Final = "UPDATE paper SET salt = ?2, facts = '' WHERE made < ?1 AND facts <> ''"
_NO_SALT: Final = b""


def keep(facts: Mapping[str, str], request: bytes, made: int) -> Statement:
    """Keeps what was written; it gives the mark for the journal, 32 bytes.

    That is an earlier one where the same request has kept its papers before. request: the digest of what was
    asked, 16 bytes. made: unix milliseconds.
    """
    salt, text = secrets.token_bytes(SALT_BYTES), msgspec.json.encode(dict(facts)).decode()
    return _KEEP, (_mark(salt, text), request, made, salt, text)


def drop(mark: bytes) -> Statement:
    """As if what has that mark had never been kept: no entry has it."""
    return _DROP, (mark,)


def erase(mark: bytes) -> Statement:
    """Erases what has that mark."""
    return _ERASE, (mark, _NO_SALT)


def erase_older(than: int) -> Statement:
    """Erases what was kept before that moment, in unix milliseconds."""
    return _OLD, (than, _NO_SALT)


def facts(ledger: Reader, mark: bytes) -> dict[str, str] | None:
    """What was written under that mark; nothing where it is erased, None where it is missing or changed."""
    for salt, text in ledger.look_up(_FACTS, mark):
        if not text:
            return {}
        if _mark(salt, text) == mark:
            return msgspec.json.decode(text, type=dict[str, str])
    return None


def made(ledger: Reader, mark: bytes) -> int | None:
    """When what has that mark was written, in unix milliseconds; None where nothing has it."""
    found = ledger.look_up(_MADE, mark)
    return int(found[0][0]) if found else None


def carried(ledger: Reader) -> list[Statement]:
    """What a copy of the ledger needs."""
    insert = _KEEP.partition("ON CONFLICT")[0]
    return [("DELETE FROM paper", ()), *((insert, row) for row in ledger.look_up(_ALL))]


def _mark(salt: bytes, text: str) -> bytes:
    return hashlib.sha256(salt + b"\0" + text.encode()).digest()
