"""Cards as whole numbers 0..51, so that hands are ranked by integer arithmetic alone.

A card's number is rank * 4 + suit. In text, as in the protocol, it is its rank and its suit: "As", "Td".
"""

from collections.abc import Iterable
from typing import Final

from jackpot.rules.phrases import Fault, quoted

RANKS: Final = "23456789TJQKA"
SUITS: Final = "shdc"
DECK: Final = len(RANKS) * len(SUITS)

_TEXTS: Final = tuple(rank + suit for rank in RANKS for suit in SUITS)
_CARDS: Final = {name: card for card, name in enumerate(_TEXTS)}
_card_of: Final = _CARDS.__getitem__


def parse(name: str) -> int:
    """Parses a card such as "As". Raises ValueError, naming the text, if it is none (H4)."""
    card = _CARDS.get(name)
    if card is None:
        raise ValueError(f"{quoted(name)} is no card")
    return card


def parse_all(names: Iterable[str] | None, field: str = "cards") -> tuple[int, ...]:
    """Parses a field's cards, in order. Raises Fault, naming field and text, if one is none (H4)."""
    if not names:
        return ()
    try:
        return tuple(map(_card_of, names))
    except KeyError as missing:
        raise Fault("card_unknown", field=field, card=missing.args[0]) from missing


def text(card: int) -> str:
    """The text of a card 0..51, the inverse of `parse`."""
    return _TEXTS[card]


def pack(cards: Iterable[int]) -> bytes:
    """Packs cards, one byte each, for events and digests."""
    return bytes(cards)


def unpack(data: bytes) -> tuple[int, ...]:
    """Unpacks the cards of `pack`. Raises ValueError if a byte is no card."""
    if data and max(data) >= DECK:
        raise ValueError(f"{data.hex()} holds a byte that is no card")
    return tuple(data)
