"""Sealed triggers for tests, whose digits and bytes are nowhere by chance."""

from collections.abc import Sequence
from typing import Any, Final

from msgspec.structs import replace

from jackpot.config.mystery_key import MysteryKey
from jackpot.ledger.trigger_rows import KEEP, SealedTrigger
from jackpot.ledger.trigger_vault import seal
from jackpot.rules.commitment import CommitmentId
from jackpot.rules.triggers import NewTrigger, Trigger

KEY: Final = MysteryKey(bytes(range(32)))
OTHER: Final = MysteryKey(bytes(range(1, 33)))
SALT: Final = bytes(range(100, 132))
RAW: Final = bytes(range(200, 216))
VALUE: Final = 5_318_008_121_415
WHICH: Final = CommitmentId("riverside", "main", "mystery", "major", 7, 12)
# What must stand in no file, log or answer while the trigger runs.
TRACES: Final = (SALT, SALT.hex().encode(), RAW, VALUE.to_bytes(8, "big"), str(VALUE).encode())


def new(which: CommitmentId = WHICH, value: int = VALUE) -> NewTrigger:
    return NewTrigger(which, Trigger(SALT, value, RAW))


def numbered(number: int) -> SealedTrigger:
    """The stored trigger of another commitment of the level."""
    return seal(KEY, new(replace(WHICH, number=number)))


def put(kept: Sequence[SealedTrigger]) -> list[tuple[str, tuple[Any, ...]]]:
    """Statements that store them."""
    return [(KEEP, row.values()) for row in kept]
