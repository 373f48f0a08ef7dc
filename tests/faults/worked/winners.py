"""Worked examples: each winner of a hit is paid by itself (A8, A10, T11)."""

from tests.faults.worked.form import (
    DEALER,
    UTH,
    Act,
    Example,
    Frame,
    Hand,
    Level,
    Link,
    Now,
    Prize,
    Table,
    Won,
    bets,
    envies,
    plain,
    settle,
    shown,
    wager,
)
from tests.faults.worked.papers import ENVY, HAND, LAW, T1, VALIDATED, L, pay
from tests.faults.worked.undo import FIRST, ROYAL, A, royal

OTHER = Prize(HAND, 1, "envy")
DEALERS = Hand("r1", DEALER)
EACH = "58 Pa. Code 643a.11(g)(4)(iv): the cards of that player remain until the documentation is complete"
# A royal of seat 5, 10,000 + 3 x 0.21, with envy for seats 3 and 1: seen, and what it leaves.
THREE = (
    Frame("T1", plain("r1", [5, 3, 1])),
    royal("T1", "r1", "10000.63", [3, 1]),
    Act("validate", HAND),
)
LEAVES = {L: Level("10000", "20000", "0.63", "10000.63", cycle=2)}
# The dealer's royal for seats 5 and 3: 10,000 + 2 x 0.13, halved; the reserve of 2 x 0.08 is the next meter.
BONUS, UTH_TABLE = Link("L", "pa-653a-five-card-hand-bonus"), Table("T1", UTH, 6)
SHARED = (
    Frame("T1", wager("r1", bets("L", [5, 3], on="dealer"))),
    Frame(
        "T1",
        settle("r1", dealer="As Ks", board="Qs Js Ts 2d 3h"),
        (Won(5, "meter", "5000.13", ROYAL), Won(3, "meter", "5000.13", ROYAL)),
    ),
)


EXAMPLES: list[Example] = [
    Example(
        "each winner of a hit is paid by its seat or its award, in any order, on papers of its own",
        ("A10", "A8"),
        EACH,
        (A,),
        (T1,),
        (
            *THREE,
            pay(HAND, why="several_winners"),
            pay(HAND, 1_000_063, seat=5, why="no_tax_form"),
            pay(HAND, 1_000_063, "W-2G", seat=5),
            pay(HAND, why="several_winners"),  # a form that is meant for one pays no other
            pay(HAND, 100_000, seat=3, why="no_tax_form"),
            pay(HAND, 100_001, seat=3),
            pay(HAND, seat=3, ok=False),
            pay(HAND, seat=2, ok=False),
            pay(OTHER, seat=3, ok=False),
            pay(HAND, why="several_winners"),
            pay(OTHER, seat=1),
            pay(HAND, ok=False),
        ),
        LEAVES,
        (Now(FIRST, "10000.63", "paid"), Now(ENVY, "1000", "paid"), Now(OTHER, "1000", "paid")),
    ),
    Example(
        "with the awards of all others undone the hit has one winner",
        ("A10", "A11"),
        EACH,
        (A,),
        (T1,),
        (
            *THREE,
            Act("undo", ENVY),
            pay(HAND, why="several_winners"),
            Act("undo", OTHER),
            pay(HAND),
        ),
        LEAVES,
        (Now(FIRST, "10000.63", "paid"),),
    ),
    Example(
        "the envy of one seat for a hand without a wager has one winner",
        ("A10", "A5"),
        "58 Pa. Code 643a.11(g)(4)(v)",
        (A,),
        (T1,),
        (
            Frame("T1", plain("r1", [3])),
            Frame("T1", settle("r1", shown(5, "Qs Js Ts"), board="As Ks"), envies([3], "1000", ROYAL, 5)),
            pay(HAND, ok=False),
            Act("validate", HAND),
            pay(HAND),
        ),
        {L: Level("10000.21", "10000", "0.21")},
        (Now(ENVY, "1000", "paid"),),
    ),
    Example(
        "another winner waits for the hand, and for the end of a dispute, as ever",
        ("A10", "A5"),
        LAW,
        (A,),
        (T1,),
        (
            *VALIDATED,
            Act("correct", FIRST, {"amount": "9000"}, people=2),
            pay(HAND, seat=3, ok=False),
            pay(HAND, seat=5, ok=False),
            Act("validate", HAND),
            Act("dispute", HAND),
            pay(HAND, seat=3, ok=False),
            Act("lift", HAND, {"dispute": 1}, people=2),
            pay(HAND, seat=3),
        ),
        # the thousand and 0.42 went to the meter that had been reseeded
        {L: Level("11000.42", "20000", "0.42", "9000", cycle=2)},
        (Now(FIRST, "9000", "validated"), Now(ENVY, "1000", "paid")),
        held=("T1",),
    ),
    Example(
        "two boxes of one player are two winners",
        ("A10", "A5", "T9"),
        "house rule; 58 Pa. Code 643a.11(g)(4)(v): an Envy Bonus for each wager",
        (A,),
        (T1,),
        (
            Frame("T1", wager("r1", bets("L", [5, 3, 2], players={3: "p", 2: "p"}))),
            royal("T1", "r1", "10000.63", [3, 2]),
            Act("validate", HAND),
            Act("undo", FIRST),
            pay(HAND, why="several_winners"),
            # a sum that one box does not come to
            pay(HAND, 150_000, seat=3),
            pay(HAND, 150_000, seat=2),
        ),
        {L: Level("10000.63", "10000", "0.63", cycle=2)},
    ),
    Example(
        "players who share the dealer's hand are paid by their seats; the last one frees the table",
        ("A6", "A8", "A10", "T11"),
        "58 Pa. Code 653a.12(e)(2), 643a.11(g)(5)(iii)",
        (BONUS,),
        (UTH_TABLE,),
        (
            *SHARED,
            Act("validate", DEALERS),
            pay(DEALERS, why="several_winners"),
            pay(DEALERS, seat=5),
            Frame("T1", plain("r2", [1]), code="table_held"),
            pay(DEALERS, why="several_winners"),
            pay(DEALERS, seat=3),
            Frame("T1", plain("r2", [1])),
        ),
        {L: Level("0.29", "10000", "0.63", "10000.26", reserve="0.08", cycle=2)},
        (Now(Prize(DEALERS, 5), "5000.13", "paid"), Now(Prize(DEALERS, 3), "5000.13", "paid")),
    ),
]
