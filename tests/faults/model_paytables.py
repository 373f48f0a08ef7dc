"""The figures of the paytables, typed from the regulations for the independent model.

58 Pa. Code 643a.12(b)-(f), 653a.12(c)-(e); 41 Pa.B. 3836 (2011) 641a.12(d), 649a.12(d)-(e), 653a.12(d);
205 CMR Let It Ride s.12. All sums are dollars for a wager of $1, in `envy` with `envy_for` for that wager.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

LET_IT_RIDE = "let-it-ride"
HOLD_EM = "ultimate-texas-holdem"
THREE_CARD = "three-card"
FOUR_CARD = "four-card"
CRISS_CROSS = "criss-cross"


@dataclass(frozen=True)
class Row:
    """One row: the hand, the suits it must be in ("" any), and 'percent of level' or 'odds for 1'.

    to_one: the odds are "to 1". least: the lowest pair that it pays. by_players: odds by who many play.
    """

    hand: str
    percent: int = 0
    level: str = ""
    odds: int = 0
    suits: str = ""
    to_one: bool = False
    least: str = ""
    by_players: tuple[int, ...] = ()


@dataclass(frozen=True)
class Envy:
    hand: str
    dollars: int
    suits: str = ""


@dataclass(frozen=True)
class Terms:
    """A level's printed terms; None is left to the operator. Rates in hundredths of a percent."""

    seed_for_1: int | None = None
    reseed_for_1: int | None = None
    primary: int | None = None
    reserve: int = 0


@dataclass(frozen=True)
class Paytable:
    id: str
    kind: str  # five, three or four cards, or the best five of six
    rows: tuple[Row, ...]
    levels: dict[str, Terms]
    envy: dict[str, tuple[Envy, ...]] = field(default_factory=dict)  # by schedule, "" the only one
    # dealt: the game's own cards (at Hold 'Em two and the flop); seven: all of them. Of offers: bonus and
    # dealer: the player's and these three; named: what the approval names; board: the board alone; table: the
    # highest of all players; beaten: the lower of player and dealer.
    best_of: str = "dealt"
    electronic: bool = False
    dealer: bool = False
    envy_for: int | None = None  # dollars: the one wager its envy is printed for; None for $1 and for $5
    fold: str = ""  # what a fold does to the wager, where the game does not say it: "stands" or "forfeits"


def odds(*pairs: tuple[str, int]) -> tuple[Row, ...]:
    return tuple(Row(hand, odds=number) for hand, number in pairs)


def full(hand: str, level: str = "", suits: str = "") -> Row:
    return Row(hand, percent=100, level=level, suits=suits)


LOW = (("full-house", 50), ("flush", 40), ("straight", 30))
LOW9 = odds(*LOW, ("three-of-a-kind", 9))
LOW10 = odds(*LOW, ("three-of-a-kind", 10))
QUADS = odds(("four-of-a-kind", 300))
TENTH = Row("straight-flush", percent=10)
FIVE_A = (full("royal-flush"), TENTH, *QUADS, *LOW9)
TWO_TOP = (full("royal-flush", "mega"), full("straight-flush", "major"))
THREE_TOP = (*TWO_TOP, full("four-of-a-kind", "minor"))
FIVE_ENVY: dict[str, tuple[Envy, ...]] = {"": (Envy("royal-flush", 1000), Envy("straight-flush", 300))}


def same(seed: int, primary: int | None = None) -> Terms:
    """Seed and reseed alike."""
    return Terms(seed, seed, primary)


def five_card(prefix: str, letter: str) -> Paytable:
    """643a.12(e) and 653a.12(d): the same rows, rates and envy under two games."""
    rows = {
        "A": FIVE_A,
        "B": (*TWO_TOP, *QUADS, *LOW9),
        "C": (*THREE_TOP, *LOW10),
        "D": (*THREE_TOP, *LOW9),
    }[letter]
    levels = {
        "A": {"": same(10000, 2100)},
        "B": {"mega": same(10000, 1100), "major": same(1000, 1000)},
        "C": {"mega": same(10000, 900), "major": same(1000, 700), "minor": same(250, 300)},
        "D": {"mega": same(10000, 1000), "major": same(1000, 800), "minor": same(250, 300)},
    }[letter]
    return Paytable(f"{prefix}-{letter}", "five", rows, levels, FIVE_ENVY)


def three_card(name: str, letter: str, terms: Terms) -> Paytable:
    """643a.12(d) and 2011 649a.12(e): the same rows and envy."""
    sums = {"A": (70, 60), "B": (100, 90)}[letter]
    rows = (
        full("mini-royal", suits="s"),
        Row("mini-royal", odds=500, suits="hdc"),
        *odds(("straight-flush", sums[0]), ("three-of-a-kind", sums[1])),
        *(odds(("straight", 6)) if letter == "A" else ()),
    )
    envy: dict[str, tuple[Envy, ...]] = {"": (Envy("mini-royal", 100, "s"), Envy("mini-royal", 25, "hdc"))}
    return Paytable(name, "three", rows, {"": terms}, envy)


def four_card(letter: str) -> Paytable:
    rows = (
        full("four-aces"),
        *odds(("four-of-a-kind", 300), ("straight-flush", 100)),
        *odds(("three-of-a-kind", {"A": 9, "B": 15}[letter])),
    )
    envy: dict[str, tuple[Envy, ...]] = {
        "A": (Envy("four-aces", 100), Envy("four-of-a-kind", 10), Envy("straight-flush", 5)),
        "B": (Envy("four-aces", 100), Envy("four-of-a-kind", 25)),
    }
    return Paytable(f"pa-641a-2011-progressive-{letter}", "four", rows, {"": Terms()}, envy)


def hand_bonus(name: str, dealer: bool) -> Paytable:
    rows = (
        full("royal-flush"),
        TENTH,
        *odds(("four-of-a-kind", 500), ("full-house", 100), ("flush", 50)),
    )
    levels = {"": Terms(10000, 0, 1300, 800)}
    return Paytable(name, "five", rows, levels, electronic=True, dealer=dealer)


def massachusetts() -> list[Paytable]:
    top = "royal-flush", "straight-flush"
    two = (full(top[0], "major"), full(top[1], "minor"), *QUADS, *LOW9)
    single = (full(top[1]), *QUADS, *LOW9)
    three = ("mega", "major", "minor")
    five: dict[str, tuple[Envy, ...]] = {"": (Envy("royal-flush", 5000), Envy("straight-flush", 1500))}
    ml01 = {"major": same(10000), "minor": same(1000)}
    ml03 = {"mega": same(10000), "major": same(1000), "minor": same(250)}
    tables = [
        Paytable("ma-lir-progressive", "five", FIVE_A, {"": Terms()}, FIVE_ENVY),
        Paytable("ma-PTMGL01", "five", FIVE_A, {"": same(10000)}, FIVE_ENVY),
        Paytable("ma-PTMGL02", "five", FIVE_A, {"": same(10000)}, five),
        Paytable("ma-PTMGLML01", "five", two, ml01, FIVE_ENVY),
        Paytable("ma-PTMGLML02", "five", (*THREE_TOP, *LOW10), {n: Terms() for n in three}, FIVE_ENVY),
        Paytable("ma-PTMGLML03", "five", (*THREE_TOP, *LOW9), ml03, FIVE_ENVY),
        Paytable(
            "ma-straight-flush-single", "five", single, {"": same(1000)}, {"": (Envy("straight-flush", 250),)}
        ),
    ]
    return [replace(table, envy_for=5 if table.id == "ma-PTMGL02" else 1) for table in tables]


def fixed_odds(name: str, kind: str, *pairs: tuple[str, int], **more: str) -> Paytable:
    """A bonus wager without a meter: every row to 1 (B1, B4)."""
    rows = tuple(Row(hand, odds=number, to_one=True) for hand, number in pairs)
    return Paytable(name, kind, rows, {}, **more)  # type: ignore[arg-type]  # best_of and fold are texts


def six_card(name: str, rows: tuple[int, ...], best_of: str, fold: str = "") -> Paytable:
    """643a.12(g), 653a.12(f) and 2011 649a.12(f): the best five of six cards."""
    hands = ("royal-flush", "straight-flush", "four-of-a-kind", "full-house", "flush", "straight")
    odds_of = zip((*hands, "three-of-a-kind"), rows, strict=True)
    return fixed_odds(name, "six", *odds_of, best_of=best_of, fold=fold)


def six_card_e(name: str, best_of: str, fold: str = "") -> Paytable:
    """The table E: six to a royal flush, in diamonds and in another suit."""
    rest = six_card(name, (1_000, 200, 50, 20, 15, 10, 5), best_of, fold)
    tops = ("d", 200_000), ("shc", 20_000)
    first = (Row("six-card-royal-flush", odds=n, suits=suits, to_one=True) for suits, n in tops)
    return replace(rest, rows=(*first, *rest.rows))


def cover_all() -> Paytable:
    """205 CMR Let It Ride s.11(k): by one to seven players."""
    columns = {
        "royal-flush": (500, 300, 250, 200, 150, 100, 90),
        "straight-flush": (200, 100, 80, 70, 60, 50, 40),
        "four-of-a-kind": (150, 80, 50, 40, 35, 30, 20),
        "full-house": (100, 40, 25, 20, 17, 15, 10),
        "flush": (70, 30, 20, 15, 11, 10, 7),
        "straight": (30, 15, 10, 8, 6, 5, 4),
        "three-of-a-kind": (20, 11, 7, 5, 4, 3, 3),
    }
    rows = tuple(Row(hand, odds=n[0], to_one=True, by_players=n) for hand, n in columns.items())
    return Paytable("ma-lir-cover-all", "five", rows, {}, best_of="table")


def criss_cross() -> Paytable:
    """674a.12(c)."""
    high = ("royal-flush", 250), ("straight-flush", 100), ("four-of-a-kind", 40), ("full-house", 15)
    low = ("flush", 10), ("straight", 6), ("three-of-a-kind", 4), ("two-pair", 3)
    made = fixed_odds("pa-674a-five-card-bonus", "five", *high, *low, best_of="board", fold="stands")
    return replace(made, rows=(*made.rows, Row("pair", odds=1, to_one=True, least="6")))


def aces_up() -> Paytable:
    """2011 641a.12(c) A: the best four of five cards, and of pairs that of aces alone."""
    high = ("four-of-a-kind", 50), ("straight-flush", 30), ("three-of-a-kind", 9), ("flush", 6)
    made = fixed_odds(
        "pa-641a-2011-aces-up-A", "four", *high, ("straight", 4), ("two-pair", 2), fold="stands"
    )
    return replace(made, rows=(*made.rows, Row("pair", odds=1, to_one=True, least="A")))


def offers() -> list[Paytable]:
    """643a.12(b) C and (c) A, 653a.12(c) A and (g) A, 649a.12(d) B of 2011, and the six cards of each."""
    three = ("straight-flush", 40), ("three-of-a-kind", 30)
    five = ("royal-flush", 20_000), ("straight-flush", 2_000), ("four-of-a-kind", 100), ("full-house", 75)
    low = ("flush", 50), ("straight", 25), ("three-of-a-kind", 9), ("two-pair", 6)
    trips = ("royal-flush", 50), ("straight-flush", 40), ("four-of-a-kind", 30), ("full-house", 9)
    ends = ("flush", 7), ("straight", 4), ("three-of-a-kind", 3)
    return [
        fixed_odds("pa-643a-five-card-bonus-C", "five", *five, *low),
        fixed_odds("pa-643a-three-card-bonus-A", "three", *three, ("straight", 6), ("flush", 4), ("pair", 1)),
        fixed_odds("pa-653a-trips-A", "five", *trips, *ends, best_of="seven", fold="stands"),
        fixed_odds(
            "pa-649a-2011-pair-plus-B",
            "three",
            *three,
            ("straight", 5),
            ("flush", 4),
            ("pair", 1),
            fold="forfeits",
        ),
        six_card_e("pa-643a-six-card-bonus-E", "bonus"),
        six_card("pa-649a-2011-six-card-bonus-A", (1_000, 200, 50, 25, 20, 10, 5), "dealer", "stands"),
        six_card("pa-653a-six-card-bonus-C", (1_000, 200, 100, 20, 15, 9, 8), "named", "stands"),
        fixed_odds(
            "pa-653a-bad-beat-A",
            "five",
            *(("straight-flush", 10_000), ("four-of-a-kind", 500), ("full-house", 40), ("flush", 25)),
            *(("straight", 20), ("three-of-a-kind", 9)),
            best_of="beaten",
            fold="stands",
        ),
        cover_all(),
        criss_cross(),
        aces_up(),
    ]


def catalogue() -> dict[str, Paytable]:
    tables = [
        *(five_card("pa-643a-five-card", letter) for letter in "ABCD"),
        *(five_card("pa-653a-progressive", letter) for letter in "ABCD"),
        three_card("pa-643a-three-card-A", "A", same(1000, 1400)),
        three_card("pa-643a-three-card-B", "B", same(1000, 2000)),
        three_card("pa-649a-2011-progressive-A", "A", Terms()),
        three_card("pa-649a-2011-progressive-B", "B", Terms()),
        four_card("A"),
        four_card("B"),
        hand_bonus("pa-643a-five-card-hand-bonus", False),
        hand_bonus("pa-653a-five-card-hand-bonus", True),
        Paytable("pa-653a-2011-progressive", "five", FIVE_A, {"": Terms()}, FIVE_ENVY, "seven"),
        *massachusetts(),
        *offers(),
    ]
    return {table.id: table for table in tables}


CATALOGUE = catalogue()


def envy_sums(
    paytable: Paytable, wager: int, schedule: str, approved: dict[str, int]
) -> tuple[tuple[Envy, int], ...]:
    """A5: what each qualifying hand pays a wager of so many cents, in cents; `approved` in cents by hand."""
    printed = paytable.envy.get(schedule, ())
    if paytable.envy_for is not None and wager != 100 * paytable.envy_for:
        assert approved.keys() == {envy.hand for envy in printed}, f"{paytable.id}: envy wants approved sums"
        return tuple((envy, approved[envy.hand]) for envy in printed)
    assert not approved, f"{paytable.id}: its envy is printed for this wager"
    times = wager if paytable.envy_for is None else 100
    assert not printed or wager in (100, 500), f"{paytable.id}: no envy is printed for this wager"
    return tuple((envy, envy.dollars * times) for envy in printed)
