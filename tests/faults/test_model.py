"""The independent model against the examples worked out by hand, and against its own slow self."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping
from itertools import combinations
from typing import Any, Final

import pytest

from tests.faults.model import Model
from tests.faults.model_hands import RANKS, SUITS, best_name, is_hand
from tests.faults.model_must_hit import MYSTERY
from tests.faults.model_mystery_floor import terms_of
from tests.faults.model_people import Mark
from tests.faults.worked import ALL
from tests.faults.worked.form import Example, Link, Message, Signer, Table, cents, usd
from tests.faults.worked.play import accounts, play
from tests.nightly import repeated

# Where another server's clock stands.
NEW_CLOCK_MS: Final = 5_000


def percents(values: dict[str, str]) -> dict[str, int]:
    """Percent as hundredths of a percent: "12.34" -> 1234."""
    return {level: usd(text) // 10_000 for level, text in values.items()}


def options_of(given: Mapping[str, Any]) -> dict[str, Any]:
    """A link's options as the model takes them: sums in micro-dollars, rates in hundredths of a percent."""
    options: dict[str, Any] = {}
    for name, value in given.items():
        if name in ("seed", "reseed", "limit"):
            options[name] = {level: text and usd(text) for level, text in value.items()}
        elif name in ("primary", "reserve"):
            options[name] = percents(value)
        elif name == "validate_at":
            options["validate_at_cents"] = value and cents(value)
        elif name in ("most", "unit", "cage_at"):
            options[name] = cents(value)
        elif name == "envy_approved":
            options[name] = {hand: cents(text) for hand, text in value.items()}
        else:
            options[name] = value
    return options


class OfModel:
    """The model as a subject of the worked examples."""

    def __init__(self) -> None:
        self.model = Model()

    def open(self, link: Link) -> None:
        if link.paytable == MYSTERY:
            options = dict(link.options)
            levels = {name: terms_of(usd(link.wager), given) for name, given in options.pop("levels").items()}
            self.model.open_must_hit(link.name, options.pop("form"), cents(link.wager), levels, **options)
            return
        self.model.open_link(link.name, link.paytable, cents(link.wager), **options_of(link.options))

    def add(self, table: Table) -> None:
        self.model.add_table(
            table.name, table.game, table.seats, list(table.links), table.adjacent_boxes, table.per_minute
        )

    def frame(self, table: str, message: Message, draws: Message) -> Message:
        return self.model.frame(table, message, draws)

    def act(self, kind: str, **fields: Any) -> Message:
        return self.model.act(kind, **(options_of(fields) if kind == "change" else fields))

    def sign(self, kind: str, signed: tuple[Signer, ...], **fields: Any) -> Message:
        return self.model.sign(kind, signed, **(options_of(fields) if kind == "change" else fields))

    def preview(self, kind: str, **fields: Any) -> Mark | str:
        return self.model.preview(kind, **(options_of(fields) if kind == "change" else fields))

    def wait(self, ms: int, *, take_over: bool = False) -> None:
        self.model.now_ms += ms
        if take_over:
            self.model.take_over(NEW_CLOCK_MS)

    def meters(self) -> dict[tuple[str, str], dict[str, int]]:
        return self.model.meters()

    def hits(self) -> list[Message]:
        return self.model.hits()

    def held(self, table: str) -> bool:
        return self.model.held(table)


class OfFoldedModel(OfModel):
    """The same, folding away whatever history it can after every step."""

    def frame(self, table: str, message: Message, draws: Message) -> Message:
        answer = super().frame(table, message, draws)
        self.model.checkpoint()
        return answer

    def act(self, kind: str, **fields: Any) -> Message:
        answer = super().act(kind, **fields)
        self.model.checkpoint()
        return answer

    def sign(self, kind: str, signed: tuple[Signer, ...], **fields: Any) -> Message:
        answer = super().sign(kind, signed, **fields)
        self.model.checkpoint()
        return answer


@pytest.mark.parametrize("example", ALL, ids=lambda example: example.name)
def test_worked_example(example: Example) -> None:
    """Each names its rules: what the regulations' own numbers say, the model says.

    A11: it may forget what nothing can undo any more, and says the same.
    """
    play(example, OfModel())
    play(example, OfFoldedModel())


def test_every_expectation_balances() -> None:
    """M4: the numbers written by hand conserve money themselves."""
    for example in ALL:
        for where, level in example.meters.items():
            have = accounts(level)
            given = have["house"] + have["wagers"] + have["corrections"] + have["transfers"]
            kept = have["primary"] + have["reserve"] + have["overflow"] + have["awards"]
            assert given == kept, (example.name, where)


def test_examples_are_named_once_and_cite_rules() -> None:
    """Every worked example can be found by its name, its rules and its source."""
    assert len({example.name for example in ALL}) == len(ALL) >= 40
    assert all(example.rules and example.source for example in ALL)


def test_a_link_of_two_decks_is_refused() -> None:
    """L1: in every game here one deck is in play in a round."""
    with pytest.raises(AssertionError, match="one deck"):
        Model().open_link("L", "pa-643a-five-card-A", 100, decks=2)


@pytest.mark.parametrize("draw", ["magic_every", "lucky_every"])
def test_draws_are_refused_at_ultimate_texas_holdem(draw: str) -> None:
    """A7: neither is drawn under 653a, by the link's paytable or by the table's game."""
    model = Model()
    every: dict[str, Any] = {draw: 20}
    with pytest.raises(AssertionError, match="no draws"):
        model.open_link("U", "pa-653a-five-card-hand-bonus", 100, **every)
    model.open_link("L", "pa-643a-five-card-hand-bonus", 100, **every)
    model.add_table("T1", "let-it-ride", 7, ["L"])
    with pytest.raises(AssertionError, match="no draws"):
        model.add_table("T2", "ultimate-texas-holdem", 6, ["L"])


@pytest.mark.parametrize(("paytable", "dollars"), [("ma-PTMGL01", 5), ("ma-PTMGL02", 1), ("ma-PTMGLML03", 2)])
def test_massachusetts_envy_is_not_multiplied(paytable: str, dollars: int) -> None:
    """A5: at another wager than the printed one the link gives every approved sum itself."""
    rates = dict.fromkeys(("", "mega", "major", "minor"), 500)
    royal_only = {"royal-flush": 100_000}
    for approved in (None, royal_only):
        with pytest.raises(AssertionError, match="approved"):
            Model().open_link("L", paytable, 100 * dollars, primary=rates, envy_approved=approved)


def test_three_card_hands_are_counted_right() -> None:
    """H1: every category over all C(52,3) hands, counted by formula."""
    deck = [rank + suit for rank in RANKS for suit in SUITS]
    found = Counter(best_name("three", list(some)) for some in combinations(deck, 3))
    assert found == {
        "mini-royal": 4,  # one a suit
        "straight-flush": 44,  # 12 runs x 4 suits, less the mini-royals
        "three-of-a-kind": 52,  # 13 x 4
        "straight": 720,  # 12 runs x (64 - 4)
        "flush": 1096,  # 4 x 286 - 48
        "pair": 3744,  # 13 x 6 x 48
        "nothing": 16440,
    }


@pytest.mark.parametrize(
    ("kind", "hand", "name"),
    [
        ("five", "As Ks Qs Js Ts", "royal-flush"),
        ("five", "As 2s 3s 4s 5s", "straight-flush"),
        ("five", "Ks As 2s 3s 4s", "flush"),
        ("five", "As 2h 3s 4s 5s", "straight"),
        ("five", "9s 9h 9d 2s 2h", "full-house"),
        ("five", "9s 9h 2d 2s 3h", "two-pair"),
        ("five", "2s 3s 4s 5s 6s 7d 7h", "straight-flush"),
        ("four", "As Ah Ad Ac Ks", "four-aces"),
        ("four", "As 2s 3s 4s 4d", "straight-flush"),
        ("four", "Ks Kh Kd 2c 2d", "three-of-a-kind"),
        ("three", "Kd Ad 2d", "flush"),
        ("three", "Ad 2c 3d", "straight"),
    ],
)
def test_hand_names(kind: str, hand: str, name: str) -> None:
    """H1, H3: edges of the categories, and what a hand of seven or five cards still is."""
    assert best_name(kind, hand.split()) == name
    assert is_hand(name, hand.split()) or len(hand.split()) > {"five": 5, "four": 4, "three": 3}[kind]


def seven_cards(rng: random.Random) -> list[str]:
    return rng.sample([rank + suit for rank in RANKS for suit in SUITS], 40)


def one_round(model: Model, rng: random.Random, table: str, number: int) -> list[str]:
    """A round of random wagers and cards, sometimes a straight flush; the ids of its hits."""
    seats = sorted(rng.sample(range(1, 8), rng.randint(1, 7)), reverse=True)
    name = f"{table}-{number}"
    message = {"t": "wager", "round": name, "lock": True}
    wagers = [{"seat": seat, "link": "L", "amount": 100} for seat in seats]
    assert model.frame(table, message | {"bets": wagers})["ok"]
    deck = seven_cards(rng)
    hands = [{"seat": seat, "cards": deck[2 + 3 * i : 5 + 3 * i]} for i, seat in enumerate(seats)]
    board = deck[:2]
    if rng.random() < 0.05:
        suit = rng.choice(SUITS)
        high = rng.choice("TK")
        board, dealt = (
            [f"Q{suit}", f"J{suit}"],
            [f"{rank}{suit}" for rank in ("AKT" if high == "K" else "T98")],
        )
        hands = [{"seat": seats[0], "cards": dealt}]
    message = {"t": "settle", "round": name, "hands": hands, "board": board, "close": True}
    answer = model.frame(table, message)
    assert answer["ok"], answer
    return sorted({award["hit"] for award in answer["awards"]})


def simulate(seed: int, rounds: int, fold: bool) -> dict[tuple[str, str], dict[str, int]]:
    """Eight tables on one link; hits are validated, undone or paid some rounds later."""
    rng, model = random.Random(seed), Model()
    model.open_link("L", "pa-643a-five-card-A", 100, hold_table=False)
    for table in range(8):
        model.add_table(f"T{table}", "let-it-ride", 7, ["L"])
    waiting: list[str] = []
    for number in range(rounds):
        waiting += one_round(model, rng, f"T{rng.randrange(8)}", number)
        if rng.random() < 0.2:
            rng.shuffle(waiting)
            for hit in waiting:
                if rng.random() < 0.3:
                    assert model.act("undo", hit=hit, people=2)["ok"]
                else:
                    assert model.act("validate", hit=hit)["ok"]
                    for seat in {award.seat for award in model.hits_made[hit].awards}:
                        assert model.act("pay", hit=hit, seat=seat)["ok"]
            waiting = []
        if fold and number % 50 == 49:
            model.checkpoint(forget=True)
    return model.meters()


def test_folding_history_changes_nothing() -> None:
    """A11: a long play ends with the same meters, with and without forgetting."""
    assert simulate(7, 300, True) == simulate(7, 300, False)


def test_a_long_play_forgets_what_it_may() -> None:
    """L10: over many cycles, with what may be forgotten forgotten."""
    meters = simulate(11, repeated(1_500, 5_000), True)
    assert meters["L", ""]["cycle"] > 10
