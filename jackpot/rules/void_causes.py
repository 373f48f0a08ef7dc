"""Irregularities that void a round, each with the sections that name it (P5).

A jam of a shuffler is none of them: the cards are shuffled again, and nothing is void (.13(e) of each
chapter, 13(d) of Massachusetts).
"""

from collections.abc import Iterable, Mapping
from typing import Final, get_args

from controllers.messages import VoidCause
from jackpot.rules.paytable import MASSACHUSETTS, Game, LinkTerms

# The chapter of Pennsylvania's regulation by which each game is played; a game of any name has none (Y7).
CHAPTERS: Final[Mapping[Game, str]] = {
    "four-card-poker": "641a",
    "let-it-ride": "643a",
    "three-card-poker": "649a",
    "ultimate-texas-holdem": "653a",
    "criss-cross-poker": "674a",
}

# By cause the sections of a chapter of Pennsylvania, and of the rules of Massachusetts, if they name it.
# The stub is counted as the cards are dealt: from a shoe, from the hand, or from an automated shoe.
_SECTIONS: Final[Mapping[VoidCause, tuple[tuple[str, ...], tuple[str, ...]]]] = {
    "cards-face-up": ((".13(a)",), ("13(a)",)),
    "wrong-number-of-cards": ((".13(c)",), ("13(c)",)),
    "exposed-card": ((".13(d)",), ()),
    "shoe-jam": ((".13(f)",), ("13(e)",)),
    "stub-count": ((".8(h)", ".9(f)", ".10(f)"), ("7(e)(2)", "8(e)")),
}

CAUSES: Final[Mapping[str, VoidCause]] = {cause: cause for cause in get_args(VoidCause)}

# What a void is counted as, where nobody named an irregularity.
NO_CAUSE: Final = "none"

# After these the community cards are dealt, and each Trips Wager is settled, where players and dealer have
# their first two cards (653a.13(a), (d) of 2011).
SETTLES: Final[frozenset[VoidCause]] = frozenset(("cards-face-up", "exposed-card"))


def sections(cause: VoidCause, game: Game, paytables: Iterable[str]) -> str:
    """The sections that name the cause at such a table, by its jurisdictions; "" for a game of any name.

    paytables: of its links. A mystery has none.
    """
    if game not in CHAPTERS:
        return ""
    pennsylvania, massachusetts = _SECTIONS[cause]
    ours = {paytable.startswith(MASSACHUSETTS) for paytable in paytables if paytable != "mystery"}
    found = [] if ours == {True} else [f"{CHAPTERS[game]}{section}" for section in pennsylvania]
    return ", ".join(found + [f"MA {section}" for section in massachusetts if True in ours])


def is_trips(terms: LinkTerms, game: Game) -> bool:
    """Whether it is a Trips Wager of today: an offer on the best five of seven, which nobody counts."""
    return (
        game == "ultimate-texas-holdem"
        and terms.offer
        and terms.hand_kind == "five-best"
        and terms.placed == "layout"
    )
