"""Commitments and numbers from raw bytes, against vectors that were made without the program.

The digests were computed by `printf ... | sha256sum` from the text at the head of
`jackpot/rules/commitment.py`, and the numbers by hand.
"""

from collections import Counter
from hashlib import sha256
from random import Random
from typing import Final

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from jackpot.rules.commitment import (
    RANGE_MAX,
    RAW_BYTES,
    SALT_BYTES,
    WORD_BYTES,
    CommitmentId,
    commitment,
    commitment_of,
    drawn_from,
    opens,
    uniform,
)
from jackpot.rules.invariant import InvariantError
from jackpot.rules.terms import SUM_MAX

WHICH: Final = CommitmentId("Riverside", "main", "mystery", "major", 7, 12)
SALT: Final = bytes(range(32))
TRIGGER: Final = 4_123_456_789
# The whole input of the hash, typed from the text: length and value of each field.
INPUT: Final = (
    b"\x00\x00\x00\x1cjackpot mystery commitment 1"
    b"\x00\x00\x00\x09Riverside"
    b"\x00\x00\x00\x04main"
    b"\x00\x00\x00\x07mystery"
    b"\x00\x00\x00\x05major"
    b"\x00\x00\x00\x017"
    b"\x00\x00\x00\x0212"
    b"\x00\x00\x00\x20" + SALT + b"\x00\x00\x00\x0a4123456789"
)
# By the fields: the digest that sha256sum printed.
DIGESTS: Final = {
    ("Riverside", "main", "mystery", "major", 7, 12, SALT, TRIGGER): (
        "3cae8f249374edd51c00dd2a74d1a666c624b06987df6607d22f512689546c6d"
    ),
    ("a\u00f1o", "b", "l", "grand", 0, 1, b"\xff" * 32, 0): (
        "836a5cf57965ea7b5bb75624eae82f50aad794e03ef6258ef6acb33a771abe14"
    ),
}


@pytest.mark.parametrize("fields", DIGESTS, ids=["letters", "not ASCII, and zeros"])
def test_a_commitment_is_the_hash_that_anybody_computes(
    fields: tuple[str, str, str, str, int, int, bytes, int],
) -> None:
    """Y12: SHA-256 of the domain and the fields, each after its length."""
    assert commitment(*fields).hex() == DIGESTS[fields]


def test_the_hashed_bytes_are_those_of_the_text() -> None:
    """Y12: the input of the hash, byte for byte, and what a stored trigger is bound to is its beginning."""
    assert commitment_of(WHICH, SALT, TRIGGER) == sha256(INPUT).digest()
    assert INPUT.startswith(WHICH.fields())
    assert INPUT.removeprefix(WHICH.fields()) == b"\0\0\0\x20" + SALT + b"\0\0\0\x0a4123456789"


@pytest.mark.parametrize(
    "other",
    [
        msgspec.structs.replace(WHICH, ledger="Riversid"),
        msgspec.structs.replace(WHICH, bank="main2"),
        msgspec.structs.replace(WHICH, link="Mystery"),
        msgspec.structs.replace(WHICH, level="minor"),
        msgspec.structs.replace(WHICH, cycle=8),
        msgspec.structs.replace(WHICH, number=13),
        # The same letters and digits, cut elsewhere.
        msgspec.structs.replace(WHICH, ledger="Riversidem", bank="ain"),
        msgspec.structs.replace(WHICH, cycle=71, number=2),
    ],
)
def test_what_opens_one_commitment_opens_no_other(other: CommitmentId) -> None:
    """Y12: each part of a commitment's id is a part of the hash, and where a part ends is, too."""
    committed = commitment_of(WHICH, SALT, TRIGGER)
    assert opens(committed, WHICH, SALT, TRIGGER)
    assert not opens(committed, other, SALT, TRIGGER)


def test_only_its_own_salt_and_trigger_open_it() -> None:
    """Y12: another trigger, another salt, one that is too short, and no sum at all."""
    committed = commitment_of(WHICH, SALT, TRIGGER)
    assert not opens(committed, WHICH, SALT, TRIGGER + 1)
    assert not opens(committed, WHICH, SALT[::-1], TRIGGER)
    assert not opens(committed, WHICH, SALT[:-1], TRIGGER)
    assert not opens(committed, WHICH, SALT, -TRIGGER)
    assert not opens(committed[:-1], WHICH, SALT, TRIGGER)
    assert len(SALT) == SALT_BYTES


@pytest.mark.parametrize(("salt", "trigger"), [(SALT[:-1], TRIGGER), (b"", TRIGGER), (SALT, -1)])
def test_nothing_weaker_is_committed_to(salt: bytes, trigger: int) -> None:
    """Y12: a short salt could be guessed, so no commitment is made with one."""
    with pytest.raises(InvariantError):
        commitment_of(WHICH, salt, trigger)


def words(*numbers: int) -> bytes:
    """Random bytes, as words of eight."""
    return b"".join(number.to_bytes(8, "big") for number in numbers)


def cut(raw: bytes) -> list[int]:
    """The words of random bytes."""
    return [int.from_bytes(raw[start : start + 8], "big") for start in range(0, len(raw), 8)]


@pytest.mark.parametrize(
    ("raw", "below", "value", "read"),
    [
        (words(0), 10, 0, 1),
        (words(25), 10, 5, 1),
        (words(9_999_999_999_999), 10_000_000, 9_999_999, 1),
        (words(12345, 1), 1, 0, 1),
        (words(2**64 - 1), 2**50, 2**50 - 1, 1),
        # 2^64 = 3 x 6148914691236517205 + 1: one word alone is too many for a range of three.
        (words(2**64 - 2), 3, 2, 1),
        (words(2**64 - 1, 4), 3, 1, 2),
        # 2^64 = 2^14 x (2^50 - 1) + 2^14: the last 2^14 words are rejected.
        (words(2**64 - 2**14 - 1), 2**50 - 1, 2**50 - 2, 1),
        (words(2**64 - 2**14, 2**64 - 1, 7, 9), 2**50 - 1, 7, 3),
        # 2^64 mod 10 = 6: the last six words are rejected.
        (words(2**64 - 7), 10, 9, 1),
        (words(2**64 - 6, 18), 10, 8, 2),
    ],
)
def test_a_number_is_drawn_as_the_text_says(raw: bytes, below: int, value: int, read: int) -> None:
    """Y5, Y12: the first word that is not rejected, modulo the range; and the bytes that were read for it."""
    drawing = uniform(raw, below)
    assert drawing == (value, raw[: 8 * read])
    assert drawn_from(drawing.raw, value, below)


RANGES: Final = st.one_of(st.integers(1, RANGE_MAX), st.integers(RANGE_MAX - 9, RANGE_MAX), st.integers(1, 9))
# Words of which often one or several are rejected.
RAW: Final = st.lists(
    st.one_of(st.integers(0, 2**64 - 1), st.integers(2**64 - 2**14, 2**64 - 1)),
    min_size=RAW_BYTES // WORD_BYTES,
    max_size=RAW_BYTES // WORD_BYTES,
).map(lambda numbers: words(*numbers))


@given(RANGES, RAW)
@example(3, words(2**64 - 1, 4, 0, 0, 0, 0, 0, 0))  # the first word is rejected
@example(2**50 - 1, words(*[2**64 - 1] * 7, 7))  # all but the last are
@example(2**50 - 1, words(*[2**64 - 1] * 8))  # all are
def test_a_drawing_can_be_computed_again_from_its_bytes_alone(below: int, raw: bytes) -> None:
    """Y12: the bytes that were read give the number: no other number, no byte more, none less at the end.

    Without words that were rejected the rest gives the same number; the word that counts cannot be missing.
    """
    read = next((word for word in cut(raw) if word < 2**64 - 2**64 % below), None)
    if read is None:
        with pytest.raises(InvariantError):
            uniform(raw, below)
        return
    drawing = uniform(raw, below)
    assert drawing.value == read % below
    assert raw.startswith(drawing.raw)
    assert drawn_from(drawing.raw, drawing.value, below)
    assert not drawn_from(drawing.raw, drawing.value + 1, below)
    assert not drawn_from(drawing.raw + bytes(8), drawing.value, below)
    assert not drawn_from(drawing.raw + b"\0", drawing.value, below)
    assert not drawn_from(drawing.raw[:-1], drawing.value, below)
    for start in range(WORD_BYTES, len(drawing.raw) + 1, WORD_BYTES):
        counts = start < len(drawing.raw)
        assert drawn_from(drawing.raw[start:], drawing.value, below) == counts
        assert not drawn_from(drawing.raw[:-start], drawing.value, below)


@given(RANGES)
def test_every_number_comes_from_equally_many_words(below: int) -> None:
    """Y1, Y5: the words that are not rejected are whole multiples of the range; less than it is rejected."""
    accepted = 2**64 - 2**64 % below
    assert accepted % below == 0
    assert 2**64 - accepted < below
    assert uniform(words(accepted - 1), below).value == below - 1
    if accepted < 2**64:
        with pytest.raises(InvariantError):
            uniform(words(accepted), below)


def test_no_word_is_taken_where_all_are_rejected() -> None:
    """Y12: it fails, as nothing may be decided by a number that is not uniform; so do too few bytes."""
    for raw in (words(2**64 - 1) * 8, b"", bytes(7)):
        with pytest.raises(InvariantError):
            uniform(raw, 3)


@pytest.mark.parametrize("below", [0, -1, 2**50 + 1, 2**63, 2**64, 2**64 + 1])
def test_a_range_that_no_level_can_have_is_refused(below: int) -> None:
    """Y12: near all words there are, almost half of them would be rejected, and soon all of a drawing."""
    with pytest.raises(InvariantError, match=f"a range has 1 to 2\\^50 numbers, not {below}$"):
        uniform(bytes(RAW_BYTES), below)
    assert not drawn_from(bytes(8), 0, below)


def test_every_sum_that_a_level_must_hit_by_is_a_range() -> None:
    """Y1, Y12: the highest sum of the rules; of every range fewer than one word in 2^14 is rejected."""
    assert SUM_MAX <= RANGE_MAX
    assert RANGE_MAX * 2**14 <= 2**64
    assert uniform(words(SUM_MAX - 1), SUM_MAX).value == SUM_MAX - 1


def test_longer_bytes_than_are_ever_drawn_are_no_drawing() -> None:
    """Y12: nobody tries word after word until one suits: a drawing has RAW_BYTES at the most."""
    raw = words(2**64 - 1) * 8 + words(4)
    assert len(raw) > RAW_BYTES
    assert uniform(raw, 3) == (1, raw)
    assert not drawn_from(raw, 1, 3)


def test_numbers_are_spread_evenly() -> None:
    """Y1, Y5: of 30,000 draws of 0 .. 9 each number has its tenth; chi-squared of nine degrees below 27.9."""
    random = Random(20_261_127)
    counts = Counter(uniform(random.randbytes(RAW_BYTES), 10).value for _ in range(30_000))
    assert set(counts) == set(range(10))
    assert sum((count - 3_000) ** 2 / 3_000 for count in counts.values()) < 27.9
