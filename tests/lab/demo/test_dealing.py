"""The simulated decks are real decks."""

from random import Random

import pytest

from jackpot.lab.demo.dealing import LAYOUTS, STACKED, DemoDeal, deal
from jackpot.rules.paytable import SEATS, Game

ROUNDS = 200


def all_cards(dealt: DemoDeal) -> list[str]:
    return [
        *dealt.board,
        *dealt.dealer,
        *dealt.bonus,
        *(card for hand in dealt.hands.values() for card in hand),
    ]


@pytest.mark.parametrize("game", LAYOUTS)
@pytest.mark.parametrize("stack", [False, True])
def test_one_deck_holds_each_card_once(game: Game, stack: bool) -> None:
    """H4: no card lies twice on a table of one deck, stacked or not."""
    rng = Random(1)
    for _ in range(ROUNDS):
        dealt = deal(game, range(SEATS[game], 0, -1), rng, stack=stack)
        assert len(all_cards(dealt)) == len(set(all_cards(dealt)))


@pytest.mark.parametrize("game", LAYOUTS)
def test_each_seat_gets_its_games_cards(game: Game) -> None:
    """H2, B13, B16: each seat's cards, the board, the dealer's, and the bonus cards of Let It Ride."""
    dealt = deal(game, [4, 2], Random(2))
    layout = LAYOUTS[game]
    assert list(dealt.hands) == [4, 2]
    assert {len(hand) for hand in dealt.hands.values()} == {layout.own}
    shared = len(dealt.board), len(dealt.dealer), len(dealt.bonus)
    assert shared == (layout.board, layout.dealer, layout.bonus)
    assert dealt.stacked is None


def test_a_seed_deals_the_same_again() -> None:
    """A demo can be repeated: the same seed gives the same cards and folds."""
    first, second = (
        [deal("three-card-poker", [7, 3, 1], rng, stack=True) for _ in range(5)]
        for rng in (Random(3), Random(3))
    )
    assert first == second


def test_nobody_folds_where_the_game_has_no_fold() -> None:
    """T8: Let It Ride knows no fold; the other two games see some."""
    rng = Random(4)
    folds = {game: sum(len(deal(game, [3, 2, 1], rng).folded) for _ in range(ROUNDS)) for game in LAYOUTS}
    assert folds["let-it-ride"] == 0
    assert folds["three-card-poker"] > 0
    assert folds["ultimate-texas-holdem"] > 0


def test_nobody_folds_what_a_forfeited_wager_pays_for() -> None:
    """B8: what Pair Plus pays is as its odds say, though a fold forfeits it."""
    rng = Random(6)
    for _ in range(ROUNDS):
        dealt = deal("three-card-poker", [3, 2, 1], rng)
        for seat in dealt.folded:
            ranks = sorted("23456789TJQKA".index(card[0]) for card in dealt.hands[seat])
            assert len(set(ranks)) == 3, "no pair"
            assert len({card[1] for card in dealt.hands[seat]}) > 1, "no flush"
            assert ranks[2] - ranks[0] > 2, "no straight"
            assert ranks != [0, 1, 12], "nor one with a low ace"


@pytest.mark.parametrize("game", LAYOUTS)
def test_a_stacked_deck_says_who_got_what(game: Game) -> None:
    """A stacked deck is never passed off as an honest one: the seat and the hand are named, and are there."""
    layout, rng = LAYOUTS[game], Random(5)
    for _ in range(ROUNDS):
        dealt = deal(game, [5, 3, 1], rng, stack=True)
        assert dealt.stacked is not None
        seat, name = dealt.stacked
        hand = [*dealt.board[: layout.shared], *dealt.hands[seat][: layout.held]]
        ranks = "".join(sorted(card[0] for card in hand))
        suits = {card[1] for card in hand}
        assert name in STACKED[len(hand)]
        assert seat not in dealt.folded
        match name:
            case "royal-flush":
                assert (ranks, len(suits)) == ("AJKQT", 1)
            case "mini-royal":
                assert (ranks, len(suits)) == ("AKQ", 1)
            case "straight-flush":
                assert (len(set(ranks)), len(suits)) == (5, 1)
            case _:
                most = max(ranks.count(rank) for rank in ranks)
                assert most == {"four-of-a-kind": 4, "full-house": 3, "three-of-a-kind": 3}[name]


def test_a_table_deals_to_its_own_seats_only() -> None:
    """L11: six at Ultimate Texas Hold 'Em, seven at the others."""
    with pytest.raises(ValueError, match=r"1\.\.6 seats"):
        deal("ultimate-texas-holdem", range(7, 0, -1), Random(6))
