"""A row's canonical bytes and its hash never change."""

import hashlib
from typing import Final

import msgpack
import msgspec
import pytest

from jackpot.ledger.journal import canonical, chained, genesis, row_of
from jackpot.rules.outcome import DecidedEntry
from jackpot.rules.postings import Posting

WAGER: Final = DecidedEntry(
    seq=7,
    at=1_767_225_600_123,
    kind=3,
    version=1,
    link=1,
    table=12,
    table_seq=70_000,
    digest=bytes(range(16)),
    body=b"\x81\xa1a\x01",
    postings=(
        Posting(1, 1, 9, primary=630_000, wagers=-630_000),
        Posting(1, 2, 4, primary=490_000, wagers=-490_000),
    ),
)
ACT: Final = DecidedEntry(
    seq=8, at=0, kind=200, version=2, link=None, table=None, table_seq=None, digest=b"\xff" * 16, body=b"",
    postings=(Posting(2, 0, 0, house=-10_000_000, awards=10_000_000), Posting(2, 3, 1, -(2**62), 2**62)),
)  # fmt: skip

GENESIS_MAIN: Final = "c6f14e8291bf902a451070c3532f6328cd412e17d96a81061e832f2c195964fe"
WAGER_BYTES: Final = (
    "9d01a46d61696e07cf0000019b76daa87b020301010cce00011170c410000102030405060708090a0b0c0d0e0fc40481a16101929b"
    "010109ce00099cf0000000d2fff663100000009b010204ce00077a10000000d2fff885f0000000"
)
WAGER_HASH: Final = "c14b356ed6c2a7478b8f35fa774b213ab9606ff1534e016a64d83826ab8c58e7"
ACT_BYTES: Final = (
    "9d01a46d61696e0800cd012cccc802c0c0c0c410ffffffffffffffffffffffffffffffffc400929b020000000000d2ff67698000ce"
    "0098968000009b020301d3c000000000000000cf4000000000000000000000000000"
)
ACT_HASH: Final = "28d0869465d46a8d838d606c47201414311cbf46b346a888381aeb673487ce2f"


def test_genesis_is_fixed() -> None:
    """M4: the chain of a bank starts from its name alone."""
    assert genesis("main").hex() == GENESIS_MAIN
    assert genesis("main") == hashlib.sha256(b"jackpot ledger 1 main").digest()
    assert genesis("main") != genesis("Main")


def test_golden_vectors() -> None:
    """M4: a row's canonical bytes and hash never change."""
    first = row_of("main", 2, WAGER, genesis("main"))
    assert canonical(first).hex() == WAGER_BYTES
    assert first.hash.hex() == WAGER_HASH
    second = row_of("main", 300, ACT, first.hash)
    assert canonical(second).hex() == ACT_BYTES
    assert second.hash.hex() == ACT_HASH


@pytest.mark.parametrize("entry", [WAGER, ACT])
def test_another_library_makes_the_same_bytes(entry: DecidedEntry) -> None:
    """M4: an auditor recomputes the bytes from the page alone, with the msgpack package."""
    postings = [list(posting) for posting in sorted(entry.postings)]
    fields = [1, "north", entry.seq, entry.at, 5, entry.kind, entry.version, entry.link, entry.table]
    packed = msgpack.packb([*fields, entry.table_seq, entry.digest, entry.body, postings], use_bin_type=True)
    row = row_of("north", 5, entry, genesis("north"))
    assert canonical(row) == packed
    assert row.hash == hashlib.sha256(genesis("north") + packed).digest() == chained(genesis("north"), row)


def test_every_field_is_under_the_hash() -> None:
    """M4: two rows that differ anywhere have different hashes."""
    row = row_of("main", 2, WAGER, genesis("main"))
    changes = {
        "bank": "mbin", "seq": 8, "at": 1, "epoch": 3, "kind": 4, "version": 2, "link": None, "table": 13,
        "table_seq": None, "digest": bytes(16), "body": b"", "postings": row.postings[:1],
    }  # fmt: skip
    assert changes.keys() == set(row.__struct_fields__) - {"hash", "hits", "triggers"}  # no part of it
    hashes = {
        chained(genesis("main"), msgspec.structs.replace(row, **{name: new})) for name, new in changes.items()
    }
    assert len(hashes | {row.hash}) == len(changes) + 1


def test_too_large_a_number_is_refused() -> None:
    """M1: a sum that 64 bits cannot hold has no bytes."""
    with pytest.raises(OverflowError):
        row_of("main", 1, msgspec.structs.replace(ACT, seq=2**64), genesis("main"))
