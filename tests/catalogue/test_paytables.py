"""The catalogue matches the printed regulations: every figure is typed here from their own tables."""

import re

import pytest

from jackpot import catalogue
from jackpot.catalogue import CatalogueError, Figure, Paytable

# Each row as (hand, suits, payout); each level as (seed, reseed, primary, reserve); each envy schedule as
# {(schedule, wager): [(hand, suits, sum)]}. A figure starts with "=" where the regulation mandates it, with
# ">=" where it gives a least value, is "open" where the operator sets it, and says otherwise what is printed.
Row = tuple[str, str, str]
Levels = dict[str, tuple[str, str, str, str]]
Envy = dict[tuple[str, str], list[Row]]

# 58 Pa. Code 643a.12(d), Three-Card Progressive Payout Wager
THREE_CARD_ENVY = {
    ("", "1.00"): [("mini-royal", "s", "100.00"), ("mini-royal", "hdc", "25.00")],
    ("", "5.00"): [("mini-royal", "s", "500.00"), ("mini-royal", "hdc", "125.00")],
}
THREE_CARD_ROWS_A = [
    ("mini-royal", "s", "100% of meter"),
    ("mini-royal", "hdc", "500 for 1"),
    ("straight-flush", "", "70 for 1"),
    ("three-of-a-kind", "", "60 for 1"),
    ("straight", "", "6 for 1"),
]
THREE_CARD_ROWS_B = [
    ("mini-royal", "s", "100% of meter"),
    ("mini-royal", "hdc", "500 for 1"),
    ("straight-flush", "", "100 for 1"),
    ("three-of-a-kind", "", "90 for 1"),
]

# 58 Pa. Code 643a.12(e) and 653a.12(d), five-card progressives
FIVE_CARD_ENVY = {
    ("", "1.00"): [("royal-flush", "", "1000.00"), ("straight-flush", "", "300.00")],
    ("", "5.00"): [("royal-flush", "", "5000.00"), ("straight-flush", "", "1500.00")],
}
FIVE_CARD_ROWS = {
    "A": [
        ("royal-flush", "", "100% of meter"),
        ("straight-flush", "", "10% of meter"),
        ("four-of-a-kind", "", "300 for 1"),
        ("full-house", "", "50 for 1"),
        ("flush", "", "40 for 1"),
        ("straight", "", "30 for 1"),
        ("three-of-a-kind", "", "9 for 1"),
    ],
    "B": [
        ("royal-flush", "", "100% of mega"),
        ("straight-flush", "", "100% of major"),
        ("four-of-a-kind", "", "300 for 1"),
        ("full-house", "", "50 for 1"),
        ("flush", "", "40 for 1"),
        ("straight", "", "30 for 1"),
        ("three-of-a-kind", "", "9 for 1"),
    ],
    "C": [
        ("royal-flush", "", "100% of mega"),
        ("straight-flush", "", "100% of major"),
        ("four-of-a-kind", "", "100% of minor"),
        ("full-house", "", "50 for 1"),
        ("flush", "", "40 for 1"),
        ("straight", "", "30 for 1"),
        ("three-of-a-kind", "", "10 for 1"),
    ],
    "D": [
        ("royal-flush", "", "100% of mega"),
        ("straight-flush", "", "100% of major"),
        ("four-of-a-kind", "", "100% of minor"),
        ("full-house", "", "50 for 1"),
        ("flush", "", "40 for 1"),
        ("straight", "", "30 for 1"),
        ("three-of-a-kind", "", "9 for 1"),
    ],
}
FIVE_CARD_LEVELS = {
    "A": {"meter": ("=10000 for 1", "=10000 for 1", "=21%", "N/A")},
    "B": {
        "mega": ("=10000 for 1", "=10000 for 1", "=11%", "not printed"),
        "major": ("=1000 for 1", "=1000 for 1", "=10%", "not printed"),
    },
    "C": {
        "mega": ("=10000 for 1", "=10000 for 1", "=9%", "not printed"),
        "major": ("=1000 for 1", "=1000 for 1", "=7%", "not printed"),
        "minor": ("=250 for 1", "=250 for 1", "=3%", "not printed"),
    },
    "D": {
        "mega": ("=10000 for 1", "=10000 for 1", "=10%", "not printed"),
        "major": ("=1000 for 1", "=1000 for 1", "=8%", "not printed"),
        "minor": ("=250 for 1", "=250 for 1", "=3%", "not printed"),
    },
}

# 58 Pa. Code 643a.12(f) and 653a.12(e), Five Card Hand Bonus
HAND_BONUS_ROWS = [
    ("royal-flush", "", "100% of meter"),
    ("straight-flush", "", "10% of meter"),
    ("four-of-a-kind", "", "500 for 1"),
    ("full-house", "", "100 for 1"),
    ("flush", "", "50 for 1"),
]
HAND_BONUS_LEVELS = {"meter": ("=10000 for 1", "=0 for 1", "=13%", "=8%")}

# 641a.12(d) as proposed in 2011
FOUR_CARD_ENVY = {
    ("A", "1.00"): [
        ("four-aces", "", "100.00"),
        ("four-of-a-kind", "", "10.00"),
        ("straight-flush", "", "5.00"),
    ],
    ("A", "5.00"): [
        ("four-aces", "", "500.00"),
        ("four-of-a-kind", "", "50.00"),
        ("straight-flush", "", "25.00"),
    ],
    ("B", "1.00"): [("four-aces", "", "100.00"), ("four-of-a-kind", "", "25.00")],
    ("B", "5.00"): [("four-aces", "", "500.00"), ("four-of-a-kind", "", "125.00")],
}

# The Massachusetts rules of Let It Ride, section 12
MA_ENVY = [("royal-flush", "", "1000.00"), ("straight-flush", "", "300.00")]
MA_ROWS_SINGLE = [
    ("royal-flush", "", "100% of meter"),
    ("straight-flush", "", "10% of meter"),
    ("four-of-a-kind", "", "300 for 1"),
    ("full-house", "", "50 for 1"),
    ("flush", "", "40 for 1"),
    ("straight", "", "30 for 1"),
    ("three-of-a-kind", "", "9 for 1"),
]
OPEN_RATE = ("open", "not printed")

PRINTED: dict[str, tuple[list[Row], Levels, Envy, tuple[str, ...], str]] = {
    "pa-643a-three-card-A": (
        THREE_CARD_ROWS_A,
        {"meter": ("=1000 for 1", "=1000 for 1", "=14%", "not printed")},
        THREE_CARD_ENVY,
        ("1.00", "5.00"),
        "three",
    ),
    "pa-643a-three-card-B": (
        THREE_CARD_ROWS_B,
        {"meter": ("=1000 for 1", "=1000 for 1", "=20%", "not printed")},
        THREE_CARD_ENVY,
        ("1.00", "5.00"),
        "three",
    ),
    **{
        f"{section}-{letter}": (
            FIVE_CARD_ROWS[letter],
            FIVE_CARD_LEVELS[letter],
            FIVE_CARD_ENVY,
            ("1.00", "5.00"),
            "five-flop",
        )
        for section in ("pa-643a-five-card", "pa-653a-progressive")
        for letter in "ABCD"
    },
    "pa-643a-five-card-hand-bonus": (HAND_BONUS_ROWS, HAND_BONUS_LEVELS, {}, (), "five-flop"),
    "pa-653a-five-card-hand-bonus": (HAND_BONUS_ROWS, HAND_BONUS_LEVELS, {}, (), "five-flop"),
    "pa-641a-2011-progressive-A": (
        [
            ("four-aces", "", "100% of meter"),
            ("four-of-a-kind", "", "300 for 1"),
            ("straight-flush", "", "100 for 1"),
            ("three-of-a-kind", "", "9 for 1"),
        ],
        {"meter": (">=5000.00", ">=5000.00", "open", "not printed")},
        FOUR_CARD_ENVY,
        ("1.00", "5.00"),
        "four",
    ),
    "pa-641a-2011-progressive-B": (
        [
            ("four-aces", "", "100% of meter"),
            ("four-of-a-kind", "", "300 for 1"),
            ("straight-flush", "", "100 for 1"),
            ("three-of-a-kind", "", "15 for 1"),
        ],
        {"meter": (">=1000.00", ">=1000.00", "open", "not printed")},
        FOUR_CARD_ENVY,
        ("1.00", "5.00"),
        "four",
    ),
    "pa-649a-2011-progressive-A": (
        THREE_CARD_ROWS_A,
        {"meter": (">=1000.00", ">=1000.00", ">=14%", "not printed")},
        THREE_CARD_ENVY,
        ("1.00", "5.00"),
        "three",
    ),
    "pa-649a-2011-progressive-B": (
        THREE_CARD_ROWS_B,
        {"meter": (">=1000.00", ">=1000.00", ">=20%", "not printed")},
        THREE_CARD_ENVY,
        ("1.00", "5.00"),
        "three",
    ),
    "pa-653a-2011-progressive": (
        FIVE_CARD_ROWS["A"],
        {"meter": (">=10000.00", ">=10000.00", "open", "not printed")},
        FIVE_CARD_ENVY,
        ("1.00", "5.00"),
        "five-best",
    ),
    "ma-lir-progressive": (
        MA_ROWS_SINGLE,
        {"meter": ("open", "as seed", *OPEN_RATE)},
        {("", "1.00"): MA_ENVY},
        ("1.00",),
        "five-flop",
    ),
    "ma-PTMGL01": (
        MA_ROWS_SINGLE,
        {"meter": ("=10000 for 1", "as seed", *OPEN_RATE)},
        {("", "1.00"): MA_ENVY},
        (),
        "five-flop",
    ),
    "ma-PTMGL02": (
        MA_ROWS_SINGLE,
        {"meter": ("=10000 for 1", "as seed", *OPEN_RATE)},
        {("", "5.00"): [("royal-flush", "", "5000.00"), ("straight-flush", "", "1500.00")]},
        (),
        "five-flop",
    ),
    "ma-PTMGLML01": (
        [
            ("royal-flush", "", "100% of major"),
            ("straight-flush", "", "100% of minor"),
            ("four-of-a-kind", "", "300 for 1"),
            ("full-house", "", "50 for 1"),
            ("flush", "", "40 for 1"),
            ("straight", "", "30 for 1"),
            ("three-of-a-kind", "", "9 for 1"),
        ],
        {"major": ("=10000 for 1", "as seed", *OPEN_RATE), "minor": ("=1000 for 1", "as seed", *OPEN_RATE)},
        {("", "1.00"): MA_ENVY},
        (),
        "five-flop",
    ),
    "ma-PTMGLML02": (
        [
            ("royal-flush", "", "100% of mega"),
            ("straight-flush", "", "100% of major"),
            ("four-of-a-kind", "", "100% of minor"),
            ("full-house", "", "50 for 1"),
            ("flush", "", "40 for 1"),
            ("straight", "", "30 for 1"),
            ("three-of-a-kind", "", "10 for 1"),
        ],
        dict.fromkeys(("mega", "major", "minor"), ("open", "as seed", *OPEN_RATE)),
        {("", "1.00"): MA_ENVY},
        (),
        "five-flop",
    ),
    "ma-PTMGLML03": (
        [
            ("royal-flush", "", "100% of mega"),
            ("straight-flush", "", "100% of major"),
            ("four-of-a-kind", "", "100% of minor"),
            ("full-house", "", "50 for 1"),
            ("flush", "", "40 for 1"),
            ("straight", "", "30 for 1"),
            ("three-of-a-kind", "", "9 for 1"),
        ],
        {
            "mega": ("=10000 for 1", "as seed", *OPEN_RATE),
            "major": ("=1000 for 1", "as seed", *OPEN_RATE),
            "minor": ("=250 for 1", "as seed", *OPEN_RATE),
        },
        {("", "1.00"): MA_ENVY},
        (),
        "five-flop",
    ),
    "ma-straight-flush-single": (
        [
            ("straight-flush", "", "100% of meter"),
            ("four-of-a-kind", "", "300 for 1"),
            ("full-house", "", "50 for 1"),
            ("flush", "", "40 for 1"),
            ("straight", "", "30 for 1"),
            ("three-of-a-kind", "", "9 for 1"),
        ],
        {"meter": ("=1000 for 1", "as seed", *OPEN_RATE)},
        {("", "1.00"): [("straight-flush", "", "250.00")]},
        (),
        "five-flop",
    ),
}

LET_IT_RIDE, HOLDEM = "let-it-ride", "ultimate-texas-holdem"
GAMES = {
    "pa-643a": (LET_IT_RIDE,),
    "pa-653a": (HOLDEM,),
    "pa-641a": ("four-card-poker",),
    "pa-649a": ("three-card-poker",),
    "ma-lir": (LET_IT_RIDE,),
    "ma-PTM": (LET_IT_RIDE, HOLDEM),
    "ma-str": (LET_IT_RIDE, HOLDEM),
}
PROPOSED = {
    "pa-641a-2011-progressive-A",
    "pa-641a-2011-progressive-B",
    "pa-649a-2011-progressive-A",
    "pa-649a-2011-progressive-B",
    "pa-653a-2011-progressive",
}
SHARED = {
    "ma-lir-progressive",
    "ma-PTMGL01",
    "ma-PTMGL02",
    "ma-PTMGLML01",
    "ma-PTMGLML02",
    "ma-PTMGLML03",
    "ma-straight-flush-single",
    "pa-643a-five-card-hand-bonus",
    "pa-653a-five-card-hand-bonus",
}


def printed(figure: Figure) -> str:
    if figure.mandated is not None:
        return f"={figure.mandated}"
    if figure.minimum is not None:
        return f">={figure.minimum}"
    if figure.as_seed:
        return "as seed"
    return "open" if figure.operator else str(figure.none)


def test_the_catalogue_holds_every_paytable_and_no_other() -> None:
    """L1: the paytables of the regulations that have a meter, twenty-four."""
    assert set(catalogue.ids_for("link")) == set(PRINTED)
    assert set(catalogue.every()) == set(catalogue.ids())


@pytest.mark.parametrize("paytable", PRINTED)
def test_figures(paytable: str) -> None:
    """L3, L4, L5, A1, A5: rows, seeds, reseeds, rates, reserves and envy sums are the printed ones."""
    table = catalogue.load(paytable)
    rows, levels, envy, wagers, hand = PRINTED[paytable]
    assert [(row.hand, row.suits, row.pays) for row in table.rows] == rows
    assert {
        name: tuple(printed(figure) for figure in (level.seed, level.reseed, level.primary, level.reserve))
        for name, level in table.level.items()
    } == levels
    assert list(table.level) == list(levels)
    assert {
        (item.schedule, item.wager): [(row.hand, row.suits, row.sum) for row in item.rows]
        for item in table.envy
    } == envy
    assert table.wagers == wagers
    assert table.hand == hand


@pytest.mark.parametrize("paytable", PRINTED)
def test_where_a_paytable_may_be_used(paytable: str) -> None:
    """L1, T5, A6, A7, A10: games, twins, standing, sharing, the dealer's hand, draws, what always waits."""
    table = catalogue.load(paytable)
    assert table.games == GAMES[paytable[:7].rstrip("-") if paytable.startswith("pa") else paytable[:6]]
    assert (table.status == "proposed") == (paytable in PROPOSED)
    assert (table.by_turn is None) == (paytable in SHARED)
    bonus = paytable.endswith("hand-bonus")
    assert (table.electronic is not None) == bonus
    assert (table.dealer_hand is not None) == (paytable == "pa-653a-five-card-hand-bonus")
    assert (table.draws is not None) == (paytable == "pa-643a-five-card-hand-bonus")
    if table.draws is not None:
        assert (table.draws.magic_card, table.draws.lucky_bonus) == ("20 for 1", "5 for 1")
    assert (table.draws_refused is not None) == (paytable == "pa-653a-five-card-hand-bonus")
    assert (table.always_validate.pays if table.always_validate else None) == ("500 for 1" if bonus else None)
    twins = {f"pa-643a-five-card-{letter}": f"pa-653a-progressive-{letter}" for letter in "ABCD"}
    twins["pa-643a-five-card-hand-bonus"] = "pa-653a-five-card-hand-bonus"
    assert table.same_as == (twins | {value: key for key, value in twins.items()}).get(paytable)


def sources(table: Paytable) -> list[str]:
    found = [table.source, *(row.source for row in table.rows), *(item.source for item in table.envy)]
    found += [level.source for level in table.level.values()]
    optional = [table.wagers_source, table.by_turn, table.electronic, table.dealer_hand]
    optional += [part.source for part in (table.draws, table.always_validate) if part is not None]
    return found + [source for source in optional if source is not None]


@pytest.mark.parametrize("paytable", PRINTED)
def test_every_row_is_cited(paytable: str) -> None:
    """L1: each row, level and schedule names a section of a regulation."""
    section = re.compile(
        r"(41 Pa\.B\. 3836 \(2011\), proposed )?58 Pa\. Code § 6\d\da\.\d+\([a-z]\)"
        r"|Massachusetts Gaming Commission, rules of Let It Ride, s\. 12\("
    )
    for source in sources(catalogue.load(paytable)):
        assert section.match(source), source
        assert source.startswith("41 Pa.B.") == (paytable in PROPOSED)


GOOD = """
id = "x"
title = "x"
jurisdiction = "x"
status = "in force"
source = "s"
games = ["let-it-ride"]
hand = "five-flop"
rows = [{ hand = "royal-flush", pays = "100% of meter", source = "s" },
        { hand = "flush", pays = "4 for 1", source = "s" }]
[level.meter]
source = "s"
seed = { mandated = "10 for 1" }
reseed = { as_seed = true }
primary = { operator = true }
reserve = { none = "not printed" }
[[envy]]
wager = "1.00"
source = "s"
rows = [{ hand = "royal-flush", sum = "5.00" }]
"""


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ('id = "x"', 'id = "y"', "its id is 'y'"),
        ('title = "x"', 'title = "x"\nfolds = "none"', "unknown field `folds`"),
        ('"flush", pays', '"flash", pays', "no hand of this game"),
        ('"flush", pays', '"flush", suits = "sx", pays', "suits"),
        ('"royal-flush", pays', '"pair", pays', "best first"),
        ('"flush", pays', '"royal-flush", pays', "more than once"),
        ("100% of meter", "100% of mega", "no level of it"),
        ("100% of meter", "10% of meter", "exactly one row that wins the whole"),
        ("4 for 1", "4 of 1", "is no payout"),
        ("[level.meter]", "[level.big]", "no level of it"),
        ("{ operator = true }", '{ operator = true, minimum = "1%" }', "primary needs one of"),
        ("{ operator = true }", "{ as_seed = true }", "primary cannot be as_seed"),
        ("{ operator = true }", '{ minimum = "0.001%" }', "finer than 0.01 %"),
        ('"10 for 1"', '"10 to 1"', "is not N for 1"),
        (
            'hand = "five-flop"',
            'hand = "five-flop"\nwagers = ["5.00"]\nwagers_source = "s"',
            "a schedule is needed for each wager",
        ),
        (
            "[[envy]]",
            '[[envy]]\nwager = "5.00"\nsource = "s"\nrows = []\n[[envy]]',
            "a paytable for any wager prints one schedule",
        ),
        (
            'hand = "five-flop"',
            'hand = "five-flop"\ncards_by_house = { four-card-poker = "s" }',
            "a game that it is not offered in",
        ),
        ('sum = "5.00"', 'sum = "5.001"', "finer than a cent"),
        ('games = ["let-it-ride"]', "games = []", "no game"),
        ('games = ["let-it-ride"]', 'games = ["poker"]', "Invalid enum value"),
        ('hand = "five-flop"', 'hand = "five-flop"\nwagers = ["1.00"]', "wagers_source"),
        ("[level.meter]", "[level", "paytable x"),
    ],
)
def test_a_file_that_contradicts_itself_is_refused(old: str, new: str, fault: str) -> None:
    """L3, L4, L5, M1, M2, A5: a paytable's file is read strictly, and the refusal says what is wrong."""
    assert catalogue.parse(GOOD, "x").id == "x"
    assert old in GOOD
    with pytest.raises(CatalogueError, match=re.escape(fault)):
        catalogue.parse(GOOD.replace(old, new, 1), "x")


def test_an_unknown_paytable_is_named() -> None:
    """L1: what is not in the catalogue cannot be had."""
    with pytest.raises(CatalogueError, match="no paytable 'pa-000'"):
        catalogue.load("pa-000")
