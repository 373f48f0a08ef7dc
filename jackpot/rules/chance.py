"""The port through which a decision gets random bytes: the rules themselves draw nothing (Y2).

What was drawn stands in the event with its raw bytes. So a replay draws nothing, and `verify` decides the
entry again by the bytes that it holds.
"""

from collections.abc import Iterator, Mapping
from typing import Final, Protocol

from jackpot.rules.commitment import RAW_BYTES
from jackpot.rules.invariant import InvariantError


class Chance(Protocol):
    """A source of random bytes for one decision after the other."""

    def raw(self, link: int, level: int) -> bytes:
        """As many bytes as `commitment.uniform` may read for one number, for a wager on that level."""


class NoChance:
    """For an engine that decides nothing anew: what asks it for a number is at fault."""

    def raw(self, link: int, level: int) -> bytes:
        """Raises InvariantError."""
        raise InvariantError(f"nothing may be drawn here for level {level} of link {link}")


NO_CHANCE: Final = NoChance()


class JournaledChance:
    """The bytes that an event holds, by link and level, each once and in their order."""

    def __init__(self, drawn: Mapping[tuple[int, int], Iterator[bytes]]) -> None:
        self._drawn = drawn

    def raw(self, link: int, level: int) -> bytes:
        """Raises InvariantError where the event holds no more, or more than one number takes."""
        found = next(self._drawn.get((link, level), iter(())), None)
        if found is None or len(found) > RAW_BYTES:
            raise InvariantError(f"the entry holds no number that was drawn for level {level} of link {link}")
        return found
