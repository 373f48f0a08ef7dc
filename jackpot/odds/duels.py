"""Counts of what more than one hand decides: player against dealer, the highest hand of a table, best play.

Player against dealer and best play are counted over every deal. The highest hand of one player is a hand of
five, that of two follows from the deals of two players, and that of more is simulated (B14).

Needs numpy, of the extra `lab`.
"""

from itertools import combinations
from math import comb
from typing import Any, Final

import numpy as np

from jackpot.catalogue import load, odds_of, parse_printed
from jackpot.odds.deals import (
    CARDS,
    COUNT_OF,
    Array,
    HeldCards,
    boards_of,
    masks_of,
    places_of,
    sets_of,
)
from jackpot.rules.cards import DECK, RANKS, SUITS
from jackpot.rules.hands import NAMES, Ranked, best_row
from jackpot.rules.paytable import PaytableRow, ToOne

_FIVE: Final = (*NAMES["five-best"], "high-card")
_OWN: Final = 2
_BOARD: Final = 5
_LEFT: Final = DECK - _BOARD

# Boards whose 1,081 hands are ranked at a time: they fit into the caches of a core.
_BOARDS_AT_A_TIME: Final = 128
# Rounds of the simulated table: the bound of every return is below 0.5 % of the wager (B14).
ROUNDS: Final = 10_000_000
_ROUNDS_AT_A_TIME: Final = 100_000
SEED: Final = 11
"""Seed of the simulated table: the section of the rules that have Cover All."""
MOST_PLAYERS: Final = 7

# Where the parts of a hand's strength begin, in bits; below are the ranks that decide last.
_FIRST: Final = len(RANKS)
_NAME: Final = 2 * len(RANKS)


def others() -> dict[str, dict[str, Any]]:
    """The sections of `schemas/odds.toml` that are no kind of hand that one hand makes."""
    return {**duels(), "best-of-table": tables(ROUNDS), "best-play": best_plays()}


def duels(boards: tuple[Array, Array] | None = None) -> dict[str, dict[str, Any]]:
    """Player against dealer, over every deal: the hands that are beaten, and the player's that win (B11).

    boards: as `boards_of`, whose deals to count; left out, all.
    """
    masks, weights = boards_of(_BOARD) if boards is None else boards
    beaten, winning = [0] * len(_FIVE), [0] * len(_FIVE)
    for at in range(0, len(masks), _BOARDS_AT_A_TIME):
        here = masks[at : at + _BOARDS_AT_A_TIME]
        stronger, weaker = _duels(here, weights[at : at + _BOARDS_AT_A_TIME].astype(np.int64))
        beaten = [old + int(new) for old, new in zip(beaten, stronger, strict=True)]
        winning = [old + int(new) for old, new in zip(winning, weaker, strict=True)]
    hands = comb(_LEFT, _OWN) * comb(_LEFT - _OWN, _OWN)
    deals = int(weights.sum()) * hands
    # Either of the two may be the beaten one.
    lost = {name: 2 * count for name, count in zip(_FIVE, beaten, strict=True) if name in NAMES["beaten"]}
    won = dict(zip(_FIVE, winning, strict=True))
    return {
        "beaten": {"cards": CARDS["beaten"], "deals": deals, "hands": lost},
        "winning": {"cards": CARDS["winning"], "deals": deals, "hands": won},
    }


def _duels(boards: Array, weights: Array) -> tuple[Array, Array]:
    """By category, how often another hand is dealt that is stronger, and that is weaker; weighted.

    Of the hands that are stronger than one, those with one of its two cards cannot be dealt with it: they
    are found among the hands with that card.
    """
    left = _cards_left(boards)
    first, second = np.triu_indices(_LEFT, 1)
    hands = boards[:, None, :] | _bit(left[:, first]) | _bit(left[:, second])
    strength = _strength(hands)
    with_card = np.full((len(boards), _LEFT, _LEFT), -1, dtype=np.int32)
    with_card[:, first, second] = strength
    with_card[:, second, first] = strength
    # The card with itself is no hand; sorted, it stands first, and is cut off.
    rows = np.sort(with_card, axis=2)[:, :, 1:].reshape(len(boards) * _LEFT, _LEFT - 1)
    whole = _tallied(np.sort(strength, axis=1), weights)
    shared = _tallied(rows, np.repeat(weights, _LEFT))
    return whole[0] - shared[0], whole[1] - shared[1]


def _tallied(strengths: Array, weights: Array) -> tuple[Array, Array]:
    """By category, how many of a row are stronger than each of its hands, and how many weaker.

    strengths: each row sorted.
    """
    length = strengths.shape[1]
    places = np.arange(length)
    rises = strengths[:, 1:] != strengths[:, :-1]
    edge = np.ones((len(strengths), 1), dtype=bool)
    begins = np.maximum.accumulate(np.where(np.hstack([edge, rises]), places, 0), axis=1)
    ends = np.where(np.hstack([rises, edge]), places, length - 1)
    ends = np.minimum.accumulate(ends[:, ::-1], axis=1)[:, ::-1]
    names = len(_FIVE) - 1 - (strengths >> _NAME)
    weight = weights[:, None]
    stronger = _sums(names, (length - 1 - ends) * weight)
    return stronger, _sums(names, begins * weight)


def _sums(names: Array, numbers: Array) -> Array:
    """Sums by name; whole, and far below 2^53."""
    found: Array = np.bincount(names.ravel(), numbers.ravel(), minlength=len(_FIVE))
    return found


def _cards_left(boards: Array) -> Array:
    """The cards that are not on each board, a row a board."""
    held = np.zeros((len(boards), DECK), dtype=bool)
    for card in range(DECK):
        held[:, card] = boards[:, card & 3] >> (card >> 2) & 1
    left: Array = np.nonzero(~held)[1].reshape(len(boards), _LEFT)
    return left


def _bit(cards: Array) -> Array:
    """Cards as rank masks, a last axis of suits."""
    bits = (1 << (cards >> 2)).astype(np.uint16)
    return np.where(cards[..., None] % len(SUITS) == np.arange(len(SUITS)), bits[..., None], np.uint16(0))


def strengths(cards: Array) -> Array:
    """As `_strength`, of rows of seven cards."""
    return _strength(masks_of(cards))


def _strength(hands: Array) -> Array:
    """A number for the best five of seven cards, the higher for the higher hand.

    hands: rank masks, the last axis the suits.
    A mask with as many ranks as another is the higher number where its ranks are higher.
    """
    suits = list(np.moveaxis(hands, -1, 0))
    held = HeldCards(suits, 5)
    place = places_of(_FIVE, held)
    once, twice, thrice, four = (
        part.astype(np.int32) for part in (held.once, held.twice, held.thrice, held.four)
    )
    flush = np.max([_top(mask.astype(np.int32), 5) * (COUNT_OF[mask] >= 5) for mask in suits], axis=0)
    run = np.max([_RUN_TOP[mask] for mask in suits], axis=0)
    pairs, trips = _top(twice, 2), _top(thrice, 1)
    second = _top(twice & ~trips, 1)
    decide = {
        "royal-flush": (run, 0),
        "straight-flush": (run, 0),
        "four-of-a-kind": (four, _top(once & ~four, 1)),
        "full-house": (trips, second),
        "flush": (0, flush),
        "straight": (_RUN_TOP[held.once], 0),
        "three-of-a-kind": (thrice, _top(once & ~thrice, 2)),
        "two-pair": (pairs, _top(once & ~pairs, 1)),
        "pair": (twice, _top(once & ~twice, 3)),
        "high-card": (0, _top(once, 5)),
    }
    found = np.zeros(place.shape, dtype=np.int32)
    for at, name in enumerate(_FIVE):
        ranks, rest = decide[name]
        number = (len(_FIVE) - 1 - at << _NAME) + (np.asarray(ranks, dtype=np.int32) << _FIRST) + rest
        found = np.where(place == at, number, found)
    return found


def _top(masks: Array, count: int) -> Array:
    """The highest ranks of each mask, so many of them."""
    found: Array = _TOP[count][masks]
    return found


def _highest(mask: int, count: int) -> int:
    kept = 0
    for _ in range(min(count, mask.bit_count())):
        bit = 1 << mask.bit_length() - 1
        kept, mask = kept | bit, mask ^ bit
    return kept


_EVERY: Final = range(1 << len(RANKS))
_TOP: Final = {
    count: np.array([_highest(mask, count) for mask in _EVERY], dtype=np.int32) for count in (1, 2, 3, 5)
}


def _run_top(mask: int) -> int:
    """One more than the highest rank of the best run of five, 0 of none; the ace is low and high (H1)."""
    twice = mask << 1 | mask >> len(RANKS) - 1
    found = [top for top in range(4, len(RANKS) + 1) if twice >> top - 4 & 31 == 31]
    return max(found, default=0)


_RUN_TOP: Final = np.array([_run_top(mask) for mask in _EVERY], dtype=np.int32)


def tables(rounds: int, seed: int = SEED) -> dict[str, Any]:
    """The highest hand of one to seven players of Let It Ride, by players (B10)."""
    five = odds_of("five-flop")
    pairs = five.pairs["let-it-ride"]
    names = list(pairs)
    two = {
        name: sum(pairs[name][at:]) + sum(pairs[other][at] for other in names[at + 1 :])
        for at, name in enumerate(names)
    }
    exact = {1: (five.deals, dict(five.hands)), 2: (sum(map(sum, pairs.values())), two)}
    found: dict[str, Any] = {
        str(players): {
            "cards": CARDS["best-of-table"],
            "deals": deals,
            "hands": {name: hands[name] for name in NAMES["best-of-table"]},
        }
        for players, (deals, hands) in exact.items()
    }
    for players, counts in enumerate(_dealt(rounds, seed), 3):
        hands = dict(zip(NAMES["best-of-table"], map(int, counts), strict=False))
        cards = CARDS["best-of-table"]
        found[str(players)] = {"cards": cards, "deals": rounds, "seed": seed, "hands": hands}
    return found


def _dealt(rounds: int, seed: int) -> list[Array]:
    """By players from three on, how many of the rounds have each hand as their highest."""
    random = np.random.PCG64(seed)
    counts = [np.zeros(len(_FIVE), dtype=np.int64) for _ in range(3, MOST_PLAYERS + 1)]
    for at in range(0, rounds, _ROUNDS_AT_A_TIME):
        cards = _shuffled(random, min(_ROUNDS_AT_A_TIME, rounds - at), 2 + 3 * MOST_PLAYERS)
        best = np.full(len(cards), len(_FIVE))
        for player in range(MOST_PLAYERS):
            own = cards[:, 2 + 3 * player : 5 + 3 * player]
            held = HeldCards(list(masks_of(np.hstack([cards[:, :2], own])).T), 5)
            best = np.minimum(best, places_of(_FIVE, held))
            if player >= 2:
                counts[player - 2] += np.bincount(best, minlength=len(_FIVE))
    return counts


def _shuffled(random: "np.random.PCG64", rounds: int, cards: int) -> Array:
    """The first cards of a shuffled deck, a row a round, from the generator's raw numbers.

    They stay the same in all versions of numpy. A number of 64 bits modulo 52 is as good as uniform.
    """
    deck = np.tile(np.arange(DECK), (rounds, 1))
    every = np.arange(rounds)
    for place in range(cards):
        other = place + (random.random_raw(rounds) % np.uint64(DECK - place)).astype(np.int64)
        deck[every, place], deck[every, other] = deck[every, other], deck[every, place].copy()
    return deck[:, :cards]


def best_plays() -> dict[str, Any]:
    """What the three bets of Let It Ride win under best play, by base paytable (B2)."""
    fives = sets_of(5)
    ids = ("pa-643a-base-A", "pa-643a-base-B")
    held = HeldCards(list(masks_of(fives).T), 5)
    places = places_of(_FIVE, held)
    tens = held.twice >> RANKS.index("T") != 0
    return {paytable: _best_play(_wins(paytable, places, tens), fives) for paytable in ids}


def _wins(paytable: str, places: Array, tens: Array) -> Array:
    """What a bet wins with each five cards. tens: whether a pair is of tens or better."""
    rows = [
        PaytableRow(row.hand, ToOne(int(parse_printed(row.pays))), "", row.least)
        for row in load(paytable).rows
    ]
    wins = []
    for rank in ("2", "T"):
        paid = (best_row(rows, Ranked(name, "", rank if name == "pair" else "")) for name in _FIVE)
        wins.append([-1 if row is None or not isinstance(row.pays, ToOne) else row.pays.n for row in paid])
    low, high = np.array(wins)
    found: Array = np.where(tens, high[places], low[places])
    return found


def _best_play(wins: Array, fives: Array) -> dict[str, int]:
    """Sums of what is won. Each bet stays where it wins on average, with the cards seen until then."""
    found = {"third": int(wins.sum())}
    for name, size in (("second", 4), ("first", 3)):
        sums = np.zeros(comb(DECK, size))
        for places in combinations(range(5), size):
            number = sum(_WAYS[at][fives[:, place]] for at, place in enumerate(places))
            sums += np.bincount(number, wins, minlength=len(sums))
        found[name] = int(sums[sums > 0].sum())
    return dict(sorted(found.items()))


# By place of a card in an ascending set, how many sets of lower cards stand before it.
_WAYS: Final = [np.array([comb(card, place + 1) for card in range(DECK)]) for place in range(4)]
