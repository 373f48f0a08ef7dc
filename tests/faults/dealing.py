"""Deals the simulated tables' cards. Decks are rigged: a year's luck of a floor every few rounds."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import Final

from jackpot.rules.paytable import ANY, Game

RANKS: Final = "23456789TJQKA"
SUITS: Final = "shdc"


@dataclass(frozen=True)
class Layout:
    """Card counts of board, dealer and seat; shared: the board's first cards, part of every hand."""

    board: int
    dealer: int
    own: int
    shared: int


LAYOUTS: Final[dict[Game, Layout]] = {
    "let-it-ride": Layout(2, 0, 3, 2),
    "ultimate-texas-holdem": Layout(5, 2, 2, 3),
    "three-card-poker": Layout(0, 3, 3, 0),
    "four-card-poker": Layout(0, 6, 5, 0),
    ANY: Layout(0, 0, 0, 0),
}

# Among the seats that hold a good hand.
DEALER: Final = 0

# The dealer's cards are sent only where a wager may lie on them.
DEALER_SENT: Final = frozenset({"ultimate-texas-holdem"})

# Hands that the paytables pay for, as ranks of one suit (one letter a card) or with a suit each.
MADE_OF_FIVE: Final = ("royal", "royal", "run", "quads", "house", "flush")
MADE_OF_THREE: Final = ("top", "top-spades", "run", "trips")
MADE_OF_FOUR: Final = ("aces", "quads", "run")


@dataclass
class Deal:
    """One round's cards. hands: by seat, each dealt when first asked for."""

    game: Game
    random: Random
    deck: list[str]
    board: list[str]
    dealer: list[str]
    hands: dict[int, list[str]] = field(default_factory=dict)

    def hand(self, seat: int) -> list[str]:
        if seat not in self.hands:
            self.hands[seat] = _take(self.deck, LAYOUTS[self.game].own)
        return self.hands[seat]


def deal(game: Game, seats: list[int], random: Random, rig: float) -> Deal:
    """Deals one round's cards; with chance `rig` some seats, or the dealer, get a hand that is paid for."""
    layout = LAYOUTS[game]
    deck = [rank + suit for rank in RANKS for suit in SUITS]
    random.shuffle(deck)
    made = Deal(game, random, deck, [], [])
    if layout.own and random.random() < rig and seats:
        lucky = random.sample(seats, min(len(seats), random.choice([1, 1, 2])))
        if game in DEALER_SENT and random.random() < 0.3:
            lucky[-1] = DEALER
        made.board = _rig(made, lucky)
    made.board += _take(deck, layout.board - len(made.board))
    if game in DEALER_SENT and not made.dealer:
        made.dealer = _take(deck, layout.dealer)
    return made


def known(game: Game, board: list[str], dealer: list[str], random: Random) -> Deal:
    """Deals a round that is resumed in the middle; cards that were shown are not dealt again."""
    deck = [rank + suit for rank in RANKS for suit in SUITS]
    random.shuffle(deck)
    for card in (*board, *dealer):
        deck.remove(card)
    layout = LAYOUTS[game]
    board = board or _take(deck, layout.board)
    sent = game in DEALER_SENT
    return Deal(game, random, deck, board, dealer or (_take(deck, layout.dealer) if sent else []))


def _rig(made: Deal, lucky: list[int]) -> list[str]:
    """Gives each of these one or two a good hand; returns the board's part of it."""
    layout = LAYOUTS[made.game]
    board, hands = _good_hands(made.random, layout, len(lucky))
    board = _claim(made.deck, board)
    for seat, cards in zip(lucky, hands, strict=True):
        hand = _claim(made.deck, cards)
        hand += _take(made.deck, layout.own - len(hand))
        if seat == DEALER:
            made.dealer = hand
        else:
            made.hands[seat] = hand
    return board


def _good_hands(random: Random, layout: Layout, number: int) -> tuple[list[str], list[list[str]]]:
    """The board's part, and the own cards of that many good hands."""
    if not layout.shared:
        return [], [_good(random, layout) for _ in range(number)]
    if number == 1:
        cards = _good(random, layout)
        random.shuffle(cards)
        return cards[: layout.shared], [cards[layout.shared :]]
    # Two straight flushes lie at both ends of the same board.
    length = layout.own + layout.shared + layout.own
    low, suit = random.randrange(len(RANKS) - length + 1), random.choice(SUITS)
    run = [rank + suit for rank in RANKS[low : low + length]]
    ends = [run[: layout.own], run[layout.own + layout.shared :]]
    return run[layout.own : layout.own + layout.shared], random.sample(ends, 2)


def _good(random: Random, layout: Layout) -> list[str]:
    suit, *others = random.sample(SUITS, 4)
    rank, other = random.sample(RANKS, 2)
    low = random.randrange(8)
    if layout.own == 5:
        kind = random.choice(MADE_OF_FOUR)
        run = [r + suit for r in RANKS[low : low + 4]]
        quads = [("A" if kind == "aces" else rank) + s for s in SUITS]
        return run if kind == "run" else quads
    if layout.shared:
        kind = random.choice(MADE_OF_FIVE)
        return {
            "royal": [r + suit for r in "TJQKA"],
            "run": [r + suit for r in RANKS[low : low + 5]],
            "quads": [*(rank + s for s in SUITS), other + suit],
            "house": [*(rank + s for s in others), *(other + s for s in others[:2])],
            "flush": [r + suit for r in random.sample(RANKS, 5)],
        }[kind]
    kind = random.choice(MADE_OF_THREE)
    return {
        "top": [r + suit for r in "AKQ"],
        "top-spades": [r + "s" for r in "AKQ"],
        "run": [r + suit for r in RANKS[low : low + 3]],
        "trips": [rank + s for s in others],
    }[kind]


def _claim(deck: list[str], cards: list[str]) -> list[str]:
    """Takes these cards out of the deck, with a substitute for each that is already gone."""
    out = []
    for card in cards:
        out.append(card if card in deck else deck[0])
        deck.remove(out[-1])
    return out


def _take(deck: list[str], number: int) -> list[str]:
    return [deck.pop() for _ in range(number)]
