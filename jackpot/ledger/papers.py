"""What lies next to the journal about payouts? Who was paid and who was there, which can be erased.

The journal holds the digest of what was written, so nobody can give a payout another patron unseen. Once the
salt is erased with the rest, nothing can be read in the digest.
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
_ALL: Final = "SELECT mark, request, made, salt, facts FROM paper ORDER BY made"
_ERASE: Final = "DELETE FROM paper WHERE mark = ?1"
_OLD: Final = "DELETE FROM paper WHERE made < ?1"


def keep(facts: Mapping[str, str], request: bytes, made: int) -> Statement:
    """Keeps what was written; the statement gives its mark, 32 bytes, for the journal.

    request: the digest of what was asked, 16 bytes. made: unix milliseconds.
    """
    salt, text = secrets.token_bytes(SALT_BYTES), msgspec.json.encode(dict(facts)).decode()
    return _KEEP, (_mark(salt, text), request, made, salt, text)


def erase(mark: bytes) -> Statement:
    """Erases what has that mark."""
    return _ERASE, (mark,)


def erase_older(than: int) -> Statement:
    """Erases what was kept before that moment, in unix milliseconds."""
    return _OLD, (than,)


def facts(ledger: Reader, mark: bytes) -> dict[str, str] | None:
    """What was written under that mark; None where it is erased, or is not of the mark."""
    for salt, text in ledger.look_up(_FACTS, mark):
        if _mark(salt, text) == mark:
            return msgspec.json.decode(text, type=dict[str, str])
    return None


def carried(ledger: Reader) -> list[Statement]:
    """What a copy of the ledger needs."""
    insert = _KEEP.partition("ON CONFLICT")[0]
    return [("DELETE FROM paper", ()), *((insert, row) for row in ledger.look_up(_ALL))]


def _mark(salt: bytes, text: str) -> bytes:
    return hashlib.sha256(salt + b"\0" + text.encode()).digest()
