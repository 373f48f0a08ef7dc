"""Names, secrets and sessions of people, kept next to the journal; they can be changed and erased.

The journal holds digests of a name, of what is kept of a secret, and of each session. So a person who may
write to these tables alone can keep people out. But they cannot give a person another's name, and no secret
or session that they write is accepted.
"""

import hashlib
import secrets
from typing import Final

import msgspec

from jackpot.ledger.reading import Reader
from jackpot.ledger.store import Statement

SALT_BYTES: Final = 16

_PEOPLE: Final = "SELECT mark, login, name, salt FROM person ORDER BY mark"
_SECRETS: Final = "SELECT digest, person, hash, totp FROM secret ORDER BY digest"
_OF_DIGEST: Final = "SELECT person, hash, totp FROM secret WHERE digest = ?1"
_STEP: Final = "SELECT totp_step FROM attempt WHERE person = ?1"
_SEEN: Final = "SELECT seen FROM session WHERE token = ?1"


class StoredName(msgspec.Struct, frozen=True):
    """Name and login of a person."""

    mark: bytes
    login: str
    name: str
    salt: bytes

    @classmethod
    def of(cls, login: str, name: str) -> "StoredName":
        """A new person's."""
        salt = secrets.token_bytes(SALT_BYTES)
        return cls(mark_of(login, name, salt), login, name, salt)

    def is_marked(self) -> bool:
        """Whether its digest is of this name."""
        return self.mark == mark_of(self.login, self.name, self.salt)

    def kept(self) -> Statement:
        """Keeps it; refused where the login is another's."""
        return "INSERT INTO person VALUES (?1, ?2, ?3, ?4)", (self.mark, self.login, self.name, self.salt)


class Secret(msgspec.Struct, frozen=True):
    """Stored credentials of a person. hash: argon2id, as text. totp: the key of their codes, or empty."""

    person: int
    hash: str
    totp: bytes = b""

    @property
    def digest(self) -> bytes:
        """Digest in the journal; 32 bytes."""
        return hashlib.sha256(self.hash.encode() + b"\0" + self.totp).digest()

    def kept(self) -> Statement:
        """Keeps it, next to the one before: the journal says which of them is the person's."""
        return "INSERT INTO secret VALUES (?1, ?2, ?3, ?4)", (self.digest, self.person, self.hash, self.totp)


class SecretRow(msgspec.Struct, frozen=True):
    """A row of `secret` as stored, which may not match its digest. digest: its key."""

    digest: bytes
    kept: Secret

    def is_its_own(self) -> bool:
        """Whether its digest matches the stored row."""
        return self.digest == self.kept.digest


def mark_of(login: str, name: str, salt: bytes) -> bytes:
    """Salted digest of a name in the journal; 32 bytes. Nothing can be read in it once the salt is erased."""
    return hashlib.sha256(b"\0".join((salt, login.encode(), name.encode()))).digest()


def digest_of(token: str) -> bytes:
    """Stored digest of a random token or code; 32 bytes."""
    return hashlib.sha256(token.encode()).digest()


def people(ledger: Reader) -> dict[bytes, StoredName]:
    """People whose name is stored, by its digest."""
    return {one.mark: one for one in names(ledger) if one.is_marked()}


def names(ledger: Reader) -> list[StoredName]:
    """Every row of `person` as stored, also where its digest is of another name."""
    return [StoredName(*row) for row in ledger.look_up(_PEOPLE)]


def secret_rows(ledger: Reader) -> list[SecretRow]:
    """Every row of `secret` as stored, also where its digest is of another secret."""
    return [SecretRow(digest, Secret(*rest)) for digest, *rest in ledger.look_up(_SECRETS)]


def secret(ledger: Reader, digest: bytes) -> Secret | None:
    """The secret with that digest, if the stored row matches it."""
    found = [Secret(*row) for row in ledger.look_up(_OF_DIGEST, digest)]
    return found[0] if found and found[0].digest == digest else None


def used_step(ledger: Reader, person: int) -> int:
    """Time step of the last two-factor code that the person used, 0 for none; a code is used once."""
    found = ledger.look_up(_STEP, person)
    return int(found[0][0]) if found else 0


def session_seen(ledger: Reader, token: bytes) -> int | None:
    """When a session was used last, in unix milliseconds; None if it is not stored."""
    found = ledger.look_up(_SEEN, token)
    return int(found[0][0]) if found else None


def end_session(token: bytes) -> Statement:
    """Statement that deletes a session."""
    return "DELETE FROM session WHERE token = ?1", (token,)


def drop_name(mark: bytes) -> Statement:
    """Statement that erases a name."""
    return "DELETE FROM person WHERE mark = ?1", (mark,)


def drop_secret(digest: bytes) -> Statement:
    """The same of a secret."""
    return "DELETE FROM secret WHERE digest = ?1", (digest,)


def carried(ledger: Reader) -> list[Statement]:
    """Statements that let the people of this ledger sign in at a copy of it; without sessions."""
    return [
        ("DELETE FROM person", ()),
        ("DELETE FROM secret", ()),
        *(one.kept() for one in people(ledger).values()),
        *(one.kept.kept() for one in secret_rows(ledger) if one.is_its_own()),
    ]
