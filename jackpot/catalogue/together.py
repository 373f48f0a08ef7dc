"""How often do two hands of one round make what together? Their cards are of one deck, and may share a board.

So the hands of a table are no independent draws: a board with a pair makes three of a kind for several seats
at once. How far counts may stray from what is expected depends on it.
"""

import functools
import tomllib
from importlib import resources

import msgspec

from jackpot.rules.paytable import Game, HandKind


class Together(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Of `deals` equally likely deals of a board and two hands, `both[i][j]` make the i-th and the j-th hand.

    The hands are in the order of `Odds.hands`; the last place is of all that is none of them.
    """

    deals: int
    both: tuple[tuple[int, ...], ...]


def together_of(kind: HandKind, game: Game) -> Together:
    """The counted deals of two hands. Raises KeyError where the game makes no such hand."""
    return _every()[kind][game]


@functools.cache
def _every() -> dict[HandKind, dict[Game, Together]]:
    text = resources.files("jackpot").joinpath("schemas/together.toml").read_text(encoding="utf-8")
    return msgspec.convert(tomllib.loads(text), dict[HandKind, dict[Game, Together]], strict=True)
