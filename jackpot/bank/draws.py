"""Random draws: at a lock by the terms that it is decided on (A7, L9), and at a close (Y2).

A command that is decided again gets the bytes that it drew before (`RepeatedChance`). A lock that waited
while its bank was in doubt may be decided after a change of terms: the same bytes give its numbers by these.
"""

import secrets
from collections.abc import Callable
from typing import Final

from jackpot.rules.cards import DECK
from jackpot.rules.chance import Chance
from jackpot.rules.commands import RawDraws
from jackpot.rules.commitment import RAW_BYTES, uniform
from jackpot.rules.engine import Engine
from jackpot.rules.paytable import LinkTerms

# A chance that never draws, for a draw that is off.
_NEVER: Final = 1


Below = Callable[[int], int]
"""A number from 0 to one below the one given."""

# The place of a lock's draws among what a command draws, by link and level: of no level.
_NO_LEVEL: Final = 0

Drawn = dict[tuple[int, int], list[bytes]]
"""What was drawn for one command, by link and level, in order."""


class RepeatedChance:
    """Source of a bank's decisions: a command that is decided again gets the bytes that it got before.

    A person who sees what is written, and can make its commit fail, gains nothing: no draw is made anew (A7,
    Y2).
    """

    def __init__(self, source: Chance) -> None:
        self._source = source
        self._drawn: Drawn = {}
        self._used: dict[tuple[int, int], int] = {}

    def begin(self, drawn: Drawn) -> None:
        """The next bytes are for the command for which these were drawn, as far as they go."""
        self._drawn = drawn
        self._used = {}

    def raw(self, link: int, level: int) -> bytes:
        """The next bytes of the command for that level."""
        key = link, level
        kept, used = self._drawn.setdefault(key, []), self._used.get(key, 0)
        self._used[key] = used + 1
        if used == len(kept):
            kept.append(self._source.raw(link, level))
        return kept[used]

    def below(self, link: int) -> Below:
        """The command's next numbers for a draw of that link at a lock (A7)."""
        return lambda most: uniform(self.raw(link, _NO_LEVEL), most).value


class SecureChance:
    """Random bytes of the operating system's secure source."""

    def raw(self, _link: int, _level: int) -> bytes:
        """Fresh bytes for one number."""
        return secrets.token_bytes(RAW_BYTES)


def draws_at(engine: Engine, name: str, below: Callable[[int], Below]) -> dict[str, RawDraws]:
    """Random numbers for a lock at that table, by link; empty if none of its links draws.

    below: what gives a link its numbers.
    """
    draws: dict[str, RawDraws] = {}
    if (table := engine.table(name)) is not None:
        for number in table.links:
            terms = engine.state.link(number).terms
            if terms.magic_every or terms.lucky_every:
                draws[terms.link] = _draw(terms, table.terms.seats, below(number))
    return draws


def _draw(terms: LinkTerms, seats: int, below: Below) -> RawDraws:
    """Draw of one lock on one link. Each number has a place of its own, also where another is off."""
    magic, card, lucky, box = (
        below(terms.magic_every or 1),
        below(DECK),
        below(terms.lucky_every or 1),
        below(seats),
    )
    return RawDraws(
        magic_chance=magic if terms.magic_every else _NEVER,
        magic_card=card,
        lucky_chance=lucky if terms.lucky_every else _NEVER,
        lucky_box=1 + box,
    )
