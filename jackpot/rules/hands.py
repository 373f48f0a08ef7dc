"""Hand evaluation: a hand's category by its game's own order, and the paytable row that it takes (H1-H3).

A set of cards is read into one integer, its tally: a hexadecimal digit a rank and, above them, one a suit,
say how often each is held. Where enough cards are of one suit, only flush and straight flush are possible:
too few cards are left for anything else. Elsewhere the ranks alone decide, so each set of ranks is ranked
once and kept. A mask has a bit a card, four bits a rank: a run of ranks within one suit is found by shifting
four bits at a time.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import combinations, product
from typing import Final, NamedTuple, TypeVar

from jackpot.rules.cards import DECK, RANKS, SUITS
from jackpot.rules.paytable import EnvyRow, Game, HandKind, PaytableRow
from jackpot.rules.phrases import Fault


class Ranked(NamedTuple):
    """A hand's category, and its suit (one of "shdc") where the category is of one suit, else "".

    rank: of a pair ("T"), "" of any other hand, and of a hand that only its name is known of.
    """

    name: str
    suit: str
    rank: str = ""


# Sets of ranks that were ranked before and are only looked up: five cards have 6,175 of them. Ranking every
# hand took four times as long.
RANKINGS_KEPT: Final = 8_192

_FIVE: Final = (
    "royal-flush",
    "straight-flush",
    "four-of-a-kind",
    "full-house",
    "flush",
    "straight",
    "three-of-a-kind",
    "two-pair",
    "pair",
)
NAMES: Final[dict[HandKind, tuple[str, ...]]] = {
    "three": ("mini-royal", "straight-flush", "three-of-a-kind", "straight", "flush", "pair"),
    "four": (
        "four-aces",
        "four-of-a-kind",
        "straight-flush",
        "three-of-a-kind",
        "flush",
        "straight",
        "two-pair",
        "pair",
    ),
    "five-flop": _FIVE,
    "five-best": _FIVE,
    "six": ("six-card-royal-flush", *_FIVE),
    "five-board": _FIVE,
    "best-of-table": _FIVE,
    "beaten": _FIVE,
    "winning": (*_FIVE, "high-card"),
    "five-line": _FIVE,
    "mystery": (),
}
"""The names of a kind of hand, best first (H1). Only those of a link with levels may be claimed (B16)."""

# A hand that is more than its category's name says: every name that it satisfies, best first (H3).
_ALSO: Final = {
    "six-card-royal-flush": ("six-card-royal-flush", "royal-flush", "straight-flush"),
    "royal-flush": ("royal-flush", "straight-flush"),
    "mini-royal": ("mini-royal", "straight-flush"),
    "four-aces": ("four-aces", "four-of-a-kind"),
}

# A 1 in every digit of the ranks of a tally.
_DIGITS: Final = int("1" * len(RANKS), 16)
_RANK_BITS: Final = 4 * len(RANKS)
_ALL_RANKS: Final = (1 << _RANK_BITS) - 1
_ACES: Final = 15 << 4 * RANKS.index("A")
_TALLY: Final = tuple((1 << 4 * (card >> 2)) + (1 << _RANK_BITS + 4 * (card & 3)) for card in range(DECK))

# Where a run that ends with the ace begins, in bits, once the ace stands below the two as well.
_NINE: Final = 4 * (RANKS.index("9") + 1)
_TEN: Final = 4 * (RANKS.index("T") + 1)
_QUEEN: Final = 4 * (RANKS.index("Q") + 1)


def _mask(cards: Iterable[int]) -> int:
    """A bit for each card."""
    mask = 0
    for card in cards:
        mask |= 1 << card
    return mask


def _tally(cards: Iterable[int]) -> int:
    """How often each rank and each suit is held."""
    return sum(map(_TALLY.__getitem__, cards))


def _runs(mask: int, length: int) -> int:
    """A bit where each run of `length` consecutive ranks of one suit begins; the ace is low and high (H1)."""
    found = mask << 4 | mask >> _RANK_BITS - 4
    for _ in range(length - 1, 0, -1):
        found &= found >> 4
    return found


def _straight(ranks: int, length: int) -> int:
    """As `_runs`, whatever the suits: as if there were one card of each rank held, a spade."""
    return _runs(_held(ranks, 1) >> 3, length)


def _held(ranks: int, count: int) -> int:
    """The top bit of every digit that is at least `count`; no digit of seven cards overflows."""
    return ranks + (8 - count) * _DIGITS & 8 * _DIGITS


def _suited(cards: int, count: int) -> dict[int, str]:
    """The suit of which at least `count` of so many cards are held, by the suits of their tally."""
    found = {}
    for suits in product(range(cards + 1), repeat=len(SUITS)):
        if sum(suits) <= cards and max(suits) >= count:
            found[sum(held << 4 * at for at, held in enumerate(suits))] = SUITS[suits.index(max(suits))]
    return found


# Looked up for every hand; to work it out took twice as long as all else that ranks one.
_SUITED_THREE: Final = _suited(3, 3)
_SUITED_FOUR: Final = _suited(5, 4)
_SUITED_FIVE: Final = _suited(7, 5)


def three(cards: Sequence[int]) -> Ranked:
    """The category of three cards: a straight stands above a flush (H1)."""
    tally = _tally(cards)
    if suit := _SUITED_THREE.get(tally >> _RANK_BITS):
        if runs := _runs(_mask(cards), 3):
            return Ranked("mini-royal" if runs >> _QUEEN else "straight-flush", suit)
        return Ranked("flush", suit)
    return _three_by_rank(tally & _ALL_RANKS)


@lru_cache(RANKINGS_KEPT)
def _three_by_rank(ranks: int) -> Ranked:
    pairs = _held(ranks, 2)
    if pairs and _held(ranks, 3):
        return Ranked("three-of-a-kind", "")
    if _straight(ranks, 3):
        return Ranked("straight", "")
    return Ranked("pair", "", _rank_of(pairs)) if pairs else Ranked("high-card", "")


def four_best(cards: Sequence[int]) -> Ranked:
    """The best four of five cards: four of a kind stands above a straight flush (H1, H2)."""
    tally = _tally(cards)
    if suit := _SUITED_FOUR.get(tally >> _RANK_BITS):
        return Ranked("straight-flush" if _runs(_mask(cards), 4) else "flush", suit)
    return _four_by_rank(tally & _ALL_RANKS)


@lru_cache(RANKINGS_KEPT)
def _four_by_rank(ranks: int) -> Ranked:
    pairs = _held(ranks, 2)
    if fours := pairs and _held(ranks, 4):
        return Ranked("four-aces" if fours & _ACES else "four-of-a-kind", "")
    if pairs and _held(ranks, 3):
        return Ranked("three-of-a-kind", "")
    if _straight(ranks, 4):
        return Ranked("straight", "")
    return _pairs(pairs)


def five_best(cards: Sequence[int]) -> Ranked:
    """The best five of five, six or seven cards (H1, H2)."""
    tally = _tally(cards)
    if suit := _SUITED_FIVE.get(tally >> _RANK_BITS):
        if runs := _runs(_mask(cards), 5):
            return Ranked("royal-flush" if runs >> _TEN else "straight-flush", suit)
        return Ranked("flush", suit)
    return _five_by_rank(tally & _ALL_RANKS)


@lru_cache(RANKINGS_KEPT)
def _five_by_rank(ranks: int) -> Ranked:
    pairs = _held(ranks, 2)
    threes = pairs and _held(ranks, 3)
    if threes and _held(ranks, 4):
        return Ranked("four-of-a-kind", "")
    if threes and pairs & pairs - 1:
        return Ranked("full-house", "")
    if _straight(ranks, 5):
        return Ranked("straight", "")
    return Ranked("three-of-a-kind", "") if threes else _pairs(pairs)


def _pairs(pairs: int) -> Ranked:
    """The category of hands with nothing but pairs; `pairs & pairs - 1` is what is left without one."""
    if not pairs:
        return Ranked("high-card", "")
    return Ranked("two-pair", "") if pairs & pairs - 1 else Ranked("pair", "", _rank_of(pairs))


def _rank_of(held: int) -> str:
    """The rank of the one digit that has a bit."""
    return RANKS[held.bit_length() - 1 >> 2]


def six_best(cards: Sequence[int]) -> Ranked:
    """The best five of six cards, or all six as a six-card royal flush (643a.6(e), 649a.6(d))."""
    ranked = five_best(cards)
    if ranked.name == "royal-flush" and _runs(_mask(cards), 6) >> _NINE:
        return Ranked("six-card-royal-flush", ranked.suit)
    return ranked


# The ranks that decide between two hands of a category, by how often each is held. Of a run its highest does.
_DECIDES: Final = {
    "four-of-a-kind": (4, 1),
    "full-house": (3, 2),
    "flush": (1, 1, 1, 1, 1),
    "three-of-a-kind": (3, 1, 1),
    "two-pair": (2, 2, 1),
    "pair": (2, 1, 1, 1),
    "high-card": (1, 1, 1, 1, 1),
}


def strength(cards: Sequence[int]) -> int:
    """A number for the best five of five, six or seven cards; the higher hand has the higher one (653a.6).

    Two hands are a tie where the numbers are equal.
    """
    ranked = five_best(cards)
    held = Counter(card >> 2 for card in cards if not ranked.suit or SUITS[card & 3] == ranked.suit)
    sizes = _DECIDES.get(ranked.name)
    if sizes is None:
        decides = [_top_of_run(held)]
    else:
        decides = []
        for size in sizes:
            best = max(rank for rank, count in held.items() if count >= size)
            decides.append(best)
            del held[best]
    number = 0 if ranked.name == "high-card" else len(_FIVE) - _FIVE.index(ranked.name)
    for rank in (*decides, 0, 0, 0, 0)[:5]:
        number = number * len(RANKS) + rank
    return number


def _top_of_run(held: Counter[int]) -> int:
    """The highest rank of the best run of five; the ace is low and high (H1)."""
    tops = range(len(RANKS) - 1, 2, -1)
    return next(top for top in tops if all(held[rank % len(RANKS)] for rank in range(top - 4, top + 1)))


class GameDeal(NamedTuple):
    """The cards that a game deals.

    own: cards dealt to a player. boards: how many community cards may lie open. dealer: of the dealer's hand,
    where a wager counts them. bonus: Six Card Bonus cards, dealt once a round, where that wager is offered.
    """

    own: int
    boards: tuple[int, ...]
    dealer: int = 0
    bonus: int = 0


DEALS: Final[dict[Game, GameDeal]] = {
    "let-it-ride": GameDeal(3, (0, 2), bonus=3),
    "ultimate-texas-holdem": GameDeal(2, (0, 3, 5), dealer=2),
    "three-card-poker": GameDeal(3, (0,), dealer=3),
    "four-card-poker": GameDeal(5, (0,)),
    "criss-cross-poker": GameDeal(2, (0, 5)),
    "any": GameDeal(0, (0,)),
}

# How many community cards each kind of hand takes in each game, and what ranks it with the hand's own (H2).
_MADE_OF: Final[dict[tuple[HandKind, Game], tuple[int, Callable[[Sequence[int]], Ranked]]]] = {
    ("three", "let-it-ride"): (0, three),
    ("three", "three-card-poker"): (0, three),
    ("four", "four-card-poker"): (0, four_best),
    ("five-flop", "let-it-ride"): (2, five_best),
    ("five-flop", "ultimate-texas-holdem"): (3, five_best),
    ("five-best", "ultimate-texas-holdem"): (5, five_best),
}


class CardsShown(NamedTuple):
    """The cards of a seat, and those that all seats share, each in the order dealt; empty where not shown."""

    own: tuple[int, ...] = ()
    board: tuple[int, ...] = ()
    dealer: tuple[int, ...] = ()
    bonus: tuple[int, ...] = ()


class CardNeeds(NamedTuple):
    """How many cards a kind of hand needs to be shown (B16). own, dealer, bonus: all of them, or none."""

    own: int = 0
    board: int = 0
    dealer: int = 0
    bonus: int = 0

    def missing(self, shown: CardsShown) -> tuple[str, ...]:
        """The fields that lack cards: of `own`, `board`, `dealer`, `bonus`."""
        return tuple(
            name for name, needed, cards in zip(self._fields, self, shown, strict=True) if len(cards) < needed
        )


# The kinds of hand of bonus wagers that are made of other cards than a hand's own and the first of the board.
_BONUS_NEEDS: Final[dict[tuple[HandKind, Game], CardNeeds]] = {
    ("six", "let-it-ride"): CardNeeds(own=3, bonus=3),
    ("six", "three-card-poker"): CardNeeds(own=3, dealer=3),
    ("five-board", "criss-cross-poker"): CardNeeds(board=5),
    ("best-of-table", "let-it-ride"): CardNeeds(own=3, board=2),
    ("beaten", "ultimate-texas-holdem"): CardNeeds(own=2, board=5, dealer=2),
}

OF_SEVERAL: Final[frozenset[HandKind]] = frozenset(("beaten", "best-of-table"))
"""Hands that more than one hand decides: no seat's cards alone make one."""

SIX_PLACES: Final = (
    "own-1", "own-2", "dealer-1", "dealer-2", "board-1", "board-2", "board-3", "board-4", "board-5",
)  # fmt: skip
"""Cards of which a Six Card Bonus of Ultimate Texas Hold 'Em takes the six that its approval names."""


def makes(kind: HandKind, game: Game, six: Sequence[str] | None = None) -> bool:
    """Whether a game's cards can make this kind of hand at all (H2).

    six: as in `needs`; None leaves open which they are.
    """
    if kind == "mystery":
        return True  # no cards decide, so any game may join (Y7)
    if (kind, game) == ("six", "ultimate-texas-holdem"):
        return six is None or bool(six)
    return not six and ((kind, game) in _MADE_OF or (kind, game) in _BONUS_NEEDS)


def needs(kind: HandKind, game: Game, six: Sequence[str] = ()) -> CardNeeds:
    """The cards that must be shown before the hand can be named (B16).

    six: of `SIX_PLACES`, for a Six Card Bonus of Ultimate Texas Hold 'Em. ValueError as `made_of`.
    """
    if kind == "six" and six:
        return _six_needs(six)
    if (found := _BONUS_NEEDS.get((kind, game))) is not None:
        return found
    taken, _ = made_of(kind, game)
    return CardNeeds(DEALS[game].own, taken)


def _six_needs(six: Sequence[str]) -> CardNeeds:
    deal = DEALS["ultimate-texas-holdem"]
    last = dict.fromkeys(("own", "board", "dealer"), 0)
    for place in six:
        what, at = place.split("-")
        last[what] = max(last[what], int(at))
    return CardNeeds(deal.own if last["own"] else 0, last["board"], deal.dealer if last["dealer"] else 0)


def rank_shown(kind: HandKind, game: Game, shown: CardsShown, six: Sequence[str] = ()) -> Ranked | None:
    """The category of a seat's hand, made of the cards that count (H2, B16); None where one is not shown.

    Not of `beaten` and `best-of-table`, which more than one hand makes: see `beaten`, `best_of_table`.
    six: as in `needs`. ValueError as `made_of`.
    """
    if needs(kind, game, six).missing(shown):
        return None
    if kind == "five-board":
        return five_best(shown.board)
    if kind == "six":
        return six_best(six_cards(shown, six))
    taken, ranking = made_of(kind, game)
    return ranking((*shown.own, *shown.board[:taken]))


def six_cards(shown: CardsShown, six: Sequence[str] = ()) -> tuple[int, ...]:
    """The six cards of a Six Card Bonus. six: as in `needs`; without it a player's three and three others."""
    if not six:
        return (*shown.own, *shown.bonus, *shown.dealer)[:6]
    held = {"own": shown.own, "dealer": shown.dealer, "board": shown.board}
    return tuple(held[what][int(at) - 1] for what, at in (place.split("-") for place in six))


def cards_of(kind: HandKind, game: Game, shown: CardsShown, six: Sequence[str] = ()) -> tuple[int, ...]:
    """The cards of which a seat's hand is made, or the beaten one (H2, B11, B16).

    None where one is missing, of the highest hand of a table, which no seat has, and of a mystery. six: as in
    `needs`.
    ValueError as `made_of`.
    """
    if kind in ("best-of-table", "mystery") or needs(kind, game, six).missing(shown):
        return ()
    if kind == "six":
        return six_cards(shown, six)
    if kind == "five-board":
        return shown.board
    if kind == "beaten":
        lost = beaten(shown.own, shown.dealer, shown.board)
        return () if lost is None else (*(shown.dealer if lost.by_player else shown.own), *shown.board)
    taken, _ = made_of(kind, game)
    return (*shown.own, *shown.board[:taken])


class LowerHand(NamedTuple):
    """The lower of a player's and the dealer's hand (B11). by_player: whether it is the dealer's."""

    ranked: Ranked
    by_player: bool


def beaten(own: Sequence[int], dealer: Sequence[int], board: Sequence[int]) -> LowerHand | None:
    """The hand that the other one beats, each the best five of seven cards; None of a tie (B11)."""
    player, house = (*own, *board), (*dealer, *board)
    difference = strength(player) - strength(house)
    if not difference:
        return None
    return LowerHand(five_best(house if difference > 0 else player), difference > 0)


def best_of_table(hands: Iterable[Sequence[int]], board: Sequence[int]) -> Ranked:
    """The highest category among the players' hands, each of three cards and two of the board (B10)."""
    return five_best(best_cards(hands, board))


def best_cards(hands: Iterable[Sequence[int]], board: Sequence[int]) -> tuple[int, ...]:
    """The cards of the hand of `best_of_table`, the first of equals."""
    return min(((*own, *board[:2]) for own in hands), key=lambda cards: _place(five_best(cards)))


def _place(ranked: Ranked) -> int:
    return len(_FIVE) if ranked.name == "high-card" else _FIVE.index(ranked.name)


def check_bonus(game: Game, bonus: Sequence[int]) -> None:
    """Raises Fault, naming `bonus`, unless the game deals so many Six Card Bonus cards, or none (B16)."""
    deals = DEALS[game].bonus
    if len(bonus) not in (0, deals):
        raise Fault("bonus_count_wrong", game=game, deals=deals, sent=len(bonus))


def check_counts(game: Game, cards: Sequence[int], board: Sequence[int]) -> None:
    """Raises Fault, naming `cards` or `board`, unless the game deals that many; none is always right."""
    deal = DEALS[game]
    if len(cards) not in (0, deal.own):
        raise Fault("card_count_wrong", game=game, deals=deal.own, sent=len(cards))
    if len(board) not in deal.boards:
        wanted: list[int | str] = [count for count in deal.boards if count]
        raise Fault("board_count_wrong", game=game, wanted=wanted or ["none"], sent=len(board))


def own_and_board(kind: HandKind, game: Game) -> tuple[int, Callable[[Sequence[int]], Ranked]] | None:
    """As `made_of`; None of a hand that takes other cards than its own and the first of the board."""
    return _MADE_OF.get((kind, game))


def made_of(kind: HandKind, game: Game) -> tuple[int, Callable[[Sequence[int]], Ranked]]:
    """The number of community cards that a hand takes, and the function that ranks it with them (H2).

    Raises ValueError naming `kind` where the game cannot make such a hand of its own and community cards.
    """
    made = own_and_board(kind, game)
    if made is None:
        raise ValueError(f"kind: {game} makes no {kind} hand")
    return made


def rank(kind: HandKind, game: Game, cards: Sequence[int], board: Sequence[int] = ()) -> Ranked | None:
    """The category of a player's or a dealer's hand, made of the cards that count (H2).

    cards: the hand's own, none if it was not shown. board: the community cards that lie open, in the
    order dealt, the flop first. None where the cards needed are not all there. ValueError as
    `check_counts` and `made_of`.
    """
    check_counts(game, cards, board)
    taken, ranking = made_of(kind, game)
    if not cards or len(board) < taken:
        return None
    return ranking((*cards, *board[:taken]))


_ACE: Final = RANKS.index("A")
# How many cards make a hand of each kind that levels are won by.
_MADE_BY: Final[dict[HandKind, int]] = {"three": 3, "four": 4, "five-flop": 5, "five-best": 5}


def making(kind: HandKind, game: Game, own: Sequence[int], board: Sequence[int]) -> tuple[int, ...]:
    """The cards that make the hand, of all that count for it (H2), in the order in which people lay them.

    Equal ranks lie together, the largest such group first, then higher ranks first. None where one is not
    shown, as of a hand that was claimed by name.
    """
    taken, ranking = made_of(kind, game)
    if not own or len(board) < taken:
        return ()
    held = (*own, *board[:taken])
    best = ranking(held)
    alike = (some for some in combinations(held, _MADE_BY[kind]) if ranking(some) == best)
    places = max(_places(some, run="straight" in best.name) for some in alike)
    return tuple(place[-1] for place in places)


def _places(cards: Sequence[int], *, run: bool) -> list[tuple[int, int, int]]:
    """The count of its rank, the rank, and itself of each card; best first. run: an ace may be low."""
    counts = Counter(card >> 2 for card in cards)
    ranks = {rank: rank for rank in counts}
    if run and 0 in counts and _ACE in counts:
        ranks[_ACE] = -1
    return sorted(((counts[card >> 2], ranks[card >> 2], card) for card in cards), reverse=True)


def satisfies(name: str) -> tuple[str, ...]:
    """The names of the rows that a hand of this name satisfies, best first (H3)."""
    return _ALSO.get(name, (name,))


AnyRow = TypeVar("AnyRow", PaytableRow, EnvyRow)


def best_row(rows: Sequence[AnyRow], ranked: Ranked) -> AnyRow | None:
    """The one row, of a paytable or of an envy schedule, that a hand is paid by (H3, A5).

    rows: best first. The first whose hand is satisfied, that is for every suit or for the hand's, and for
    every pair or for one of the hand's rank.
    """
    names = satisfies(ranked.name)
    for row in rows:
        suited = row.hand in names and (not row.suits or (ranked.suit and ranked.suit in row.suits))
        if suited and _pair_counts(row, ranked.rank):
            return row
    return None


def _pair_counts(row: PaytableRow | EnvyRow, rank: str) -> bool:
    least = row.least if isinstance(row, PaytableRow) else ""
    return not least or (rank != "" and RANKS.index(rank) >= RANKS.index(least))
