"""Commitments of mystery levels, and numbers of a range from raw random bytes (Y1, Y2, Y12).

A commitment is a hash that fixes a trigger before its meter starts and tells nothing of it. When it ends,
salt and trigger are published, and anybody computes the hash again, in any language:

    commitment = SHA-256( field(domain) field(ledger) field(bank) field(link) field(level)
                          field(cycle) field(number) field(salt) field(trigger) )
    field(x)   = the length of x in four bytes, the highest first, then x

domain is the ASCII text below; ledger, bank, link and level are UTF-8; cycle, number and trigger are decimal
digits without leading zeros, the trigger in micro-dollars; salt is 32 bytes. The length before each field
keeps two different lists of fields from making the same bytes.

A number of 0 .. n-1, where n is at most 2^50, comes from random bytes in words of eight, each a number of
0 .. 2^64-1, the highest byte first. A word of 2^64 - (2^64 mod n) or more is rejected, and the next one is
taken; the number is the first other word modulo n. So each number of the range comes from equally many words:
there is no bias, however small.
"""

from hashlib import sha256
from hmac import compare_digest
from typing import Final, NamedTuple

import msgspec

from jackpot.rules.invariant import InvariantError, invariant

# First field of every commitment: no other hash of this project can be mistaken for one, nor one of a later
# form.
DOMAIN: Final = b"jackpot mystery commitment 1"
_LENGTH_BYTES: Final = 4
# As long as the hash: guessing the salt is no easier than guessing the hash's input as a whole.
SALT_BYTES: Final = 32
WORD_BYTES: Final = 8
# No range is wider: the highest sum of the rules, $1,000,000,000 in micro-dollars, is below it. A word of any
# such range is rejected with a chance below 2^-14. Of ranges close to all words it could be nearly a half.
RANGE_MAX: Final = 1 << 50
# Random bytes that are drawn for one number: eight words. All are rejected with a chance below 2^-112. Then
# the decision fails and changes nothing.
RAW_BYTES: Final = 8 * WORD_BYTES

_WORDS: Final = 1 << (8 * WORD_BYTES)


class CommitmentId(msgspec.Struct, frozen=True, order=True):
    """Which commitment of a ledger this is: it is a part of the hash, and public.

    ledger: the site's id in it. bank, link, level: names. number: of the commitment in its level; each
    commitment of a level has a higher one than all before.
    """

    ledger: str
    bank: str
    link: str
    level: str
    cycle: int
    number: int

    def fields(self) -> bytes:
        """The hashed bytes before the salt: domain and id. Also what a stored trigger is bound to."""
        texts = self.ledger, self.bank, self.link, self.level, str(self.cycle), str(self.number)
        return b"".join(_field(field) for field in (DOMAIN, *(text.encode() for text in texts)))


class Drawing(NamedTuple):
    """A number drawn from raw bytes. raw: those that were read: the rejected words, then the one that
    counts.
    """

    value: int
    raw: bytes


def commitment(
    ledger: str, bank: str, link: str, level: str, cycle: int, number: int, salt: bytes, trigger: int
) -> bytes:
    """The commitment to a trigger; 32 bytes. trigger: micro-dollars."""
    return commitment_of(CommitmentId(ledger, bank, link, level, cycle, number), salt, trigger)


def commitment_of(id_: CommitmentId, salt: bytes, trigger: int) -> bytes:
    """The same of a commitment's id."""
    invariant(len(salt) == SALT_BYTES, "a commitment has a salt of 32 bytes")
    invariant(trigger >= 0, "a trigger is a sum")
    return sha256(id_.fields() + _field(salt) + _field(str(trigger).encode())).digest()


def opens(committed: bytes, id_: CommitmentId, salt: bytes, trigger: int) -> bool:
    """Whether this salt and this trigger are those that were committed to."""
    if len(salt) != SALT_BYTES or trigger < 0:
        return False
    return compare_digest(commitment_of(id_, salt, trigger), committed)


def uniform(raw: bytes, below: int) -> Drawing:
    """A number of 0 .. below-1 from random bytes, each equally likely; more bytes than needed may be given.

    Raises InvariantError where every word is rejected, and for a range above RANGE_MAX.
    """
    invariant(0 < below <= RANGE_MAX, f"a range has 1 to 2^50 numbers, not {below}")
    accepted_below = _WORDS - _WORDS % below
    for end in range(WORD_BYTES, len(raw) + 1, WORD_BYTES):
        word = int.from_bytes(raw[end - WORD_BYTES : end], "big")
        if word < accepted_below:
            return Drawing(word % below, raw[:end])
    raise InvariantError("no word of the random bytes is usable")


def drawn_from(raw: bytes, value: int, below: int) -> bool:
    """Whether these bytes give that number of 0 .. below-1, and none comes after the word that counts.

    Without rejected words the rest gives the same number: they have no part in it. They are kept so that
    tests of randomness see every bit that was drawn.
    """
    if len(raw) > RAW_BYTES:
        return False
    try:
        return uniform(raw, below) == (value, raw)
    except InvariantError:
        return False


def _field(value: bytes) -> bytes:
    return len(value).to_bytes(_LENGTH_BYTES, "big") + value
