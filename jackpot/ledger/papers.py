"""Payout documents, kept next to the journal: who was paid and who was there; they can be erased.

The journal holds the digest of what was written, so nobody can give a payout another patron unseen. Once the
salt is erased with the rest, nothing can be read in the digest. The empty row stays, so that nothing is kept
once more if the request that made it is sent again.
"""

import hashlib
import secrets
from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from jackpot.ledger.joined_banks import parts_of
from jackpot.ledger.reading import Conversation, Reader
from jackpot.ledger.store import Statement
from jackpot.rules import registry
from jackpot.rules.acts.hits import Paid, Validated
from jackpot.rules.acts.papers import PapersAdded

SALT_BYTES: Final = 16

# A request that is sent again finds what it kept the first time.
_KEEP: Final = """
    INSERT INTO paper VALUES (?1, ?2, ?3, ?4, ?5)
    ON CONFLICT (request) DO UPDATE SET request = excluded.request RETURNING mark
"""
_FACTS: Final = "SELECT salt, facts FROM paper WHERE mark = ?1"
_ALL: Final = "SELECT mark, request, made, salt, facts FROM paper ORDER BY made"
_DROP: Final = "DELETE FROM paper WHERE mark = ?1"
_ERASE: Final = "UPDATE paper SET salt = ?2, facts = '' WHERE mark = ?1"
_OLD: Final = "SELECT mark FROM paper WHERE made < ?1 AND facts <> ''"
_SINCE: Final = "SELECT mark FROM paper WHERE made >= ?1 AND facts <> ''"
_TEXTS_SINCE: Final = "SELECT mark, facts FROM paper WHERE made >= ?1 AND facts <> ''"
_NO_SALT: Final = b""
_ENTRIES: Final = """
    SELECT at, kind, version, body FROM journal WHERE bank = ?1 AND seq IN (
        SELECT seq FROM hit_entry WHERE bank = ?1 AND hit = ?2 AND seq < ?3
    ) ORDER BY seq DESC
"""
_BEYOND: Final = 2**63 - 1
# Entries that write on a hit's papers.
Written = Validated | Paid | PapersAdded


class StoredPaper(msgspec.Struct, frozen=True):
    """A row of `paper` as stored, which may not match its digest."""

    mark: bytes
    salt: bytes
    facts: str

    def is_empty(self) -> bool:
        """Whether it was erased; the server empties both."""
        return not self.facts and self.salt == _NO_SALT

    def is_marked(self) -> bool:
        """Whether its digest is of this text."""
        return self.mark == _mark(self.salt, self.facts)


def keep(facts: Mapping[str, str], request: bytes, made: int) -> Statement:
    """Stores a document. Returns its digest for the journal, 32 bytes.

    For a repeated request that is the earlier digest. request: the digest of what was asked, 16 bytes. made:
    unix milliseconds.
    """
    salt, text = secrets.token_bytes(SALT_BYTES), msgspec.json.encode(dict(facts)).decode()
    return _KEEP, (_mark(salt, text), request, made, salt, text)


def drop(mark: bytes) -> Statement:
    """Statement that removes a document to which no entry refers."""
    return _DROP, (mark,)


def erase(mark: bytes) -> Statement:
    """Statement that erases the document with that digest."""
    return _ERASE, (mark, _NO_SALT)


def facts(ledger: Reader, mark: bytes) -> dict[str, str] | None:
    """Content of the document with that digest; empty if erased, None if missing or changed.

    What is emptied with its salt left was changed: the server erases both.
    """
    for salt, text in ledger.look_up(_FACTS, mark):
        kept = StoredPaper(mark, salt, text)
        if kept.is_empty():
            return {}
        if kept.is_marked():
            return msgspec.json.decode(text, type=dict[str, str])
    return None


def rows(ledger: Reader) -> list[StoredPaper]:
    """Every row of `paper`, the oldest first."""
    return [StoredPaper(mark, salt, text) for mark, _, _, salt, text in ledger.look_up(_ALL)]


def patrons_since(ledger: Reader, moment: int) -> dict[bytes, str]:
    """Whom documents stored from that moment on name as the patron, by their digests; "" for nobody.

    Their digests are not compared: what decides something looks at `facts`.
    """
    return {bytes(mark): _patron(text) for mark, text in ledger.look_up(_TEXTS_SINCE, moment)}


def patron(ledger: Reader, mark: bytes) -> str:
    """The same of one document."""
    return next((_patron(text) for _, text in ledger.look_up(_FACTS, mark)), "")


def _patron(text: str) -> str:
    return msgspec.json.decode(text, type=dict[str, str]).get("patron", "") if text else ""


def older(ledger: Reader, than: int) -> set[bytes]:
    """Digests of documents stored before that moment, in unix milliseconds, and is not erased."""
    return {bytes(mark) for (mark,) in ledger.look_up(_OLD, than)}


def since(ledger: Reader, moment: int) -> set[bytes]:
    """Digests of documents stored from that moment on, in unix milliseconds, and is not erased."""
    return {bytes(mark) for (mark,) in ledger.look_up(_SINCE, moment)}


def last_written(ledger: Reader, bank: str, hit: int, below: int = _BEYOND) -> int:
    """When the newest of the hit's papers was written, by the journal before a row; 0 where there was none.

    In unix milliseconds, as the state has it while it keeps the hit: also by a bank that became this one.
    Raises LedgerError.
    """

    def question(number: int) -> Conversation[Sequence[Any]]:
        return (yield _ENTRIES, (number, hit, below))

    for at, kind, version, body in ledger.ask(bank, question):
        event = registry.decode(kind, version, body)
        if isinstance(event, Written) and event.paper and hit_of(event) == hit:
            return int(at)
    for part in parts_of(ledger, bank):
        if hit in part.hits:
            return last_written(ledger, part.bank, hit - part.by.hits)
    return 0


def hit_of(event: Written) -> int:
    """Hit whose documents the entry changes; it may raise awards of other hits."""
    return event.number if isinstance(event, PapersAdded) else event.hit


def carried(ledger: Reader) -> list[Statement]:
    """Statements that a copy of the ledger needs."""
    insert = _KEEP.partition("ON CONFLICT")[0]
    return [("DELETE FROM paper", ()), *((insert, row) for row in ledger.look_up(_ALL))]


def _mark(salt: bytes, text: str) -> bytes:
    return hashlib.sha256(salt + b"\0" + text.encode()).digest()
