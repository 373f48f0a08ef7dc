"""Card dealing for simulated tables: real decks, a seeded shuffle, dealt as each game deals.

Nothing here knows a paytable: the server decides from the cards what a hand is paid.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

from jackpot.rules import cards, hands
from jackpot.rules.paytable import FOLD, SEATS, Game


@dataclass(frozen=True)
class Layout:
    """Number of cards for the board, the dealer and each seat, and which of them make the best paid hand.

    shared, held: how many of the board's first cards, and of a seat's own, make it (H2, B13). bonus: cards
    that all seats share besides the board (B16).
    """

    board: int
    dealer: int
    own: int
    shared: int
    held: int
    bonus: int = 0


LAYOUTS: Final[dict[Game, Layout]] = {
    "let-it-ride": Layout(board=2, dealer=0, own=3, shared=2, held=3, bonus=3),
    "ultimate-texas-holdem": Layout(board=5, dealer=2, own=2, shared=3, held=2),
    "three-card-poker": Layout(board=0, dealer=3, own=3, shared=0, held=3),
    "four-card-poker": Layout(board=0, dealer=6, own=5, shared=0, held=5),
    "criss-cross-poker": Layout(board=5, dealer=0, own=2, shared=5, held=0),
}

# Hands that a stacked deck gives to one seat, by how many cards it is made of.
STACKED: Final[dict[int, tuple[str, ...]]] = {
    5: ("royal-flush", "straight-flush", "four-of-a-kind", "full-house"),
    3: ("mini-royal", "three-of-a-kind"),
}

# Probability that a player folds where the game allows it. T8 says what the wager then earns.
FOLDS: Final = 0.25
# What a seat's own cards are, in the games where a fold forfeits wagers.
_RANK: Final = {"three-card-poker": hands.three, "four-card-poker": hands.four_best}


@dataclass(frozen=True)
class DemoDeal:
    """Cards as texts, as on the wire; `hands` by seat; `folded` the seats that gave up their game.

    stacked: the seat that got its hand from a stacked deck, and that hand; None after an honest shuffle.
    """

    board: tuple[str, ...]
    dealer: tuple[str, ...]
    hands: dict[int, tuple[str, ...]]
    folded: frozenset[int]
    stacked: tuple[int, str] | None
    bonus: tuple[str, ...] = ()


def deal(
    game: Game, seats: Sequence[int], rng: Random, *, stack: bool = False, wins: tuple[int, str] | None = None
) -> DemoDeal:
    """One round's cards for these seats from one deck of 52.

    stack: one seat gets a hand that the table's wagers pay for; it is said so in the result. wins: that seat
    and its hand, where they are not drawn.
    """
    if not 0 < len(seats) <= SEATS[game]:
        raise ValueError(f"{game} deals to 1..{SEATS[game]} seats, not {len(seats)}")
    layout = LAYOUTS[game]
    deck = list(range(cards.DECK))
    rng.shuffle(deck)
    stacked = _stack(deck, layout, seats, rng, wins) if stack or wins else None
    rest = layout.board + layout.dealer
    own = {
        seat: deck[rest + layout.own * place : rest + layout.own * (place + 1)]
        for place, seat in enumerate(seats)
    }
    folded = frozenset(seat for seat in seats if _folds(game, own[seat], rng)) - (
        {stacked[0]} if stacked else set()
    )
    dealt = {seat: _texts(numbers) for seat, numbers in own.items()}
    last = rest + layout.own * len(seats)
    board, dealer, bonus = deck[: layout.board], deck[layout.board : rest], deck[last : last + layout.bonus]
    return DemoDeal(_texts(board), _texts(dealer), dealt, folded, stacked, _texts(bonus))


def _folds(game: Game, own: Sequence[int], rng: Random) -> bool:
    """Whether a player gives up: never a hand that a forfeited wager would be paid for, as nobody would."""
    if FOLD[game] == "none" or rng.random() >= FOLDS:
        return False
    return FOLD[game] == "stands" or _RANK[game](own).name == "high-card"


def _texts(numbers: Sequence[int]) -> tuple[str, ...]:
    return tuple(cards.text(number) for number in numbers)


def _stack(
    deck: list[int], layout: Layout, seats: Sequence[int], rng: Random, wins: tuple[int, str] | None
) -> tuple[int, str]:
    """Swaps a good hand to where a seat's cards and its part of the board will be; returns seat and hand."""
    place = seats.index(wins[0]) if wins else rng.randrange(len(seats))
    first = layout.board + layout.dealer + layout.own * place
    places = [*range(layout.shared), *range(first, first + layout.held)]
    hand = wins[1] if wins else rng.choice(STACKED[len(places)])
    for position, card in zip(places, _hand(hand, rng), strict=True):
        other = deck.index(card)
        deck[position], deck[other] = deck[other], deck[position]
    return seats[place], hand


def _hand(name: str, rng: Random) -> list[int]:
    """Random cards of a hand of that name."""
    suits = rng.sample(cards.SUITS, k=4)
    ranks = rng.sample(cards.RANKS, k=2)
    low = rng.randrange(8)
    texts: dict[str, list[str]] = {
        "royal-flush": [rank + suits[0] for rank in "TJQKA"],
        "straight-flush": [rank + suits[0] for rank in cards.RANKS[low : low + 5]],
        "four-of-a-kind": [*(ranks[0] + suit for suit in suits), ranks[1] + suits[0]],
        "full-house": [*(ranks[0] + suit for suit in suits[:3]), *(ranks[1] + suit for suit in suits[:2])],
        "mini-royal": [rank + suits[0] for rank in "QKA"],
        "three-of-a-kind": [ranks[0] + suit for suit in suits[:3]],
    }
    hand = [cards.parse(text) for text in texts[name]]
    rng.shuffle(hand)
    return hand
