"""Seals running triggers with the mystery key, and opens them again (Y12).

AES-256-GCM, by the `cryptography` library. Each sealing has a nonce of its own, 12 random bytes, which stand
before the encrypted ones. Random nonces are safe as long as far fewer than 2^32 triggers are sealed with one
key; a house seals some thousands a year, and with 2^20 of them the chance of one nonce used twice is 2^-57.
The commitment and the fields of its hash are authenticated with it: a row that was moved to another level,
ledger or commitment does not open. Every sealed trigger is equally long, whatever it holds.
"""

import os
from collections.abc import Iterable
from enum import StrEnum
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from jackpot.config.mystery_key import MysteryKey
from jackpot.ledger.store import LedgerError
from jackpot.ledger.trigger_rows import SealedTrigger
from jackpot.rules.commitment import RAW_BYTES, SALT_BYTES, CommitmentId, opens
from jackpot.rules.invariant import invariant
from jackpot.rules.triggers import NewTrigger, Trigger

# Before the authenticated fields: nothing else that this key may ever protect can be taken for a trigger.
_DOMAIN: Final = b"jackpot sealed trigger 1"
_NONCE_BYTES: Final = 12
_TAG_BYTES: Final = 16
_VALUE_BYTES: Final = 8
# Salt, value, the length of the raw bytes, and these, filled up to the most that there can be.
_PLAIN_BYTES: Final = SALT_BYTES + _VALUE_BYTES + 1 + RAW_BYTES
SEALED_BYTES: Final = _NONCE_BYTES + _PLAIN_BYTES + _TAG_BYTES


class SealFault(StrEnum):
    """Why a running trigger cannot be opened."""

    NO_KEY = "no_key"
    OTHER_KEY = "other_key"
    NO_ROW = "no_row"
    DAMAGED = "damaged"


class TriggerUnreadable(LedgerError):
    """A stored trigger that cannot be opened; the text names the row, and says what to do."""

    def __init__(self, fault: SealFault, text: str) -> None:
        super().__init__(text)
        self.fault = fault


def seal(key: MysteryKey, new: NewTrigger) -> SealedTrigger:
    """The stored form of a trigger. Each call gives other bytes."""
    trigger, nonce = new.trigger, os.urandom(_NONCE_BYTES)
    invariant(len(trigger.raw) <= RAW_BYTES, "a trigger was drawn from too many bytes")
    plain = b"".join((
        trigger.salt,
        trigger.value.to_bytes(_VALUE_BYTES, "big"),
        bytes((len(trigger.raw),)),
        trigger.raw.ljust(RAW_BYTES, b"\0"),
    ))  # fmt: skip
    invariant(len(plain) == _PLAIN_BYTES, "a trigger has a salt of 32 bytes")
    sealed = nonce + AESGCM(key.secret).encrypt(nonce, plain, _bound_to(new.which, new.committed))
    return SealedTrigger(new.committed, new.which, key.id, sealed)


def unseal(key: MysteryKey, row: SealedTrigger) -> Trigger:
    """The trigger of a row, which opens the row's commitment. Raises TriggerUnreadable."""
    where = commitment_text(row.which)
    if row.key != key.id:
        raise TriggerUnreadable(
            SealFault.OTHER_KEY,
            f"the trigger of {where} is sealed with key {row.key}, and the key file has key {key.id}: "
            f"bring back the file of key {row.key}",
        )
    damaged = TriggerUnreadable(
        SealFault.DAMAGED,
        f"the stored trigger of {where} was changed: key {key.id} is the right one and does not open it",
    )
    nonce, sealed = row.sealed[:_NONCE_BYTES], row.sealed[_NONCE_BYTES:]
    if len(row.sealed) != SEALED_BYTES:
        raise damaged
    try:
        plain = AESGCM(key.secret).decrypt(nonce, sealed, _bound_to(row.which, row.committed))
    except InvalidTag:
        raise damaged from None
    salt, rest = plain[:SALT_BYTES], plain[SALT_BYTES:]
    value, size = int.from_bytes(rest[:_VALUE_BYTES], "big"), rest[_VALUE_BYTES]
    trigger = Trigger(salt, value, rest[_VALUE_BYTES + 1 :][:size])
    if not opens(row.committed, row.which, salt, value):
        raise damaged  # somebody sealed it who has the key
    return trigger


def reseal(keys: Iterable[MysteryKey], new: MysteryKey, row: SealedTrigger) -> SealedTrigger:
    """The same trigger under a new key. keys: those that are there. Raises TriggerUnreadable."""
    old = next((key for key in keys if key.id == row.key), None)
    if old is None:
        raise TriggerUnreadable(
            SealFault.OTHER_KEY,
            f"the trigger of {commitment_text(row.which)} is sealed with key {row.key}, which is not here: "
            "bring back its file",
        )
    return seal(new, NewTrigger(row.which, unseal(old, row)))


def commitment_text(commitment: CommitmentId) -> str:
    """Which level a commitment is of, for people."""
    level = f"{commitment.bank}: {commitment.link} {commitment.level}"
    return f"{level}, cycle {commitment.cycle}, commitment {commitment.number}"


def _bound_to(commitment: CommitmentId, committed: bytes) -> bytes:
    """The bytes that are authenticated with a sealed trigger; each part has its length before it."""
    return b"".join(len(part).to_bytes(4, "big") + part for part in (_DOMAIN, committed, commitment.fields()))
