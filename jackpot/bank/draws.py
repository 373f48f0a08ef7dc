"""Random draws: at a lock by the terms that it is decided on (A7, L9), and at a close (Y2).

A lock that waited while its bank was in doubt may be decided after a change of terms. So its numbers are
drawn with each decision, and those of a decision that was thrown away are thrown away with it: nobody was
told. A close that is decided again gets the bytes that it drew before (`RepeatedChance`).
"""

import secrets
from collections.abc import Callable
from typing import Final

from jackpot.rules.cards import DECK
from jackpot.rules.chance import Chance
from jackpot.rules.commands import RawDraws
from jackpot.rules.commitment import RAW_BYTES
from jackpot.rules.engine import Engine
from jackpot.rules.paytable import LinkTerms

# A chance that never draws, for a draw that is off.
_NEVER: Final = 1


Below = Callable[[int], int]
"""A number from 0 to one below the one given."""


Drawn = dict[tuple[int, int], list[bytes]]
"""What was drawn for one command, by link and level, in order."""


class RepeatedChance:
    """Source of a bank's decisions: a command that is decided again gets the bytes that it got before (Y2).

    A person who sees what is written, and can make its commit fail, gains nothing: no draw is made anew.
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


class SecureChance:
    """Random bytes of the operating system's secure source, for mystery levels."""

    def raw(self, _link: int, _level: int) -> bytes:
        """Fresh bytes for one number."""
        return secrets.token_bytes(RAW_BYTES)


def draws_at(engine: Engine, name: str, below: Below | None = None) -> dict[str, RawDraws]:
    """Random numbers for a lock at that table, by link; empty if none of its links draws.

    below: in place of the system's secure source, for a simulation alone.
    """
    if (table := engine.table(name)) is None:
        return {}
    return {
        terms.link: _draw(terms, table.terms.seats, below or secrets.randbelow)
        for number in table.links
        if (terms := engine.state.link(number).terms).magic_every or terms.lucky_every
    }


def _draw(terms: LinkTerms, seats: int, below: Below) -> RawDraws:
    """Draw of one lock on one link."""
    return RawDraws(
        magic_chance=below(terms.magic_every) if terms.magic_every else _NEVER,
        magic_card=below(DECK),
        lucky_chance=below(terms.lucky_every) if terms.lucky_every else _NEVER,
        lucky_box=1 + below(seats),
    )
