"""Worked examples: wagers given back and hands found late, with hits in between (A11, T2, T3, T6, T10)."""

from tests.faults.worked.form import (
    Act,
    Example,
    Frame,
    Hand,
    Level,
    Link,
    Now,
    RepeatWagers,
    Table,
    Won,
    bets,
    close,
    envies,
    lock,
    plain,
    settle,
    shown,
    void,
    wager,
    withdraw,
)
from tests.faults.worked.undo import (
    BONUS,
    FIRST,
    LIMITED,
    SECOND,
    SF,
    SHARED,
    A,
    royal,
    straight_flush,
)

T1, T2, T3 = Table("T1"), Table("T2"), Table("T3")
VOID = "58 Pa. Code 643a.13: all wagers shall be returned"
MISSED = "house rule; 58 Pa. Code 643a.11(h), 643a.12(e)(4)"

EXAMPLES: list[Example] = [
    Example(
        "a wager withdrawn after another table has won it",
        ("T2", "A11"),
        "58 Pa. Code 643a.7(c)",
        (A,),
        (T1, T2),
        (
            Frame("T1", wager("r1", bets("L", [1, 2, 3]), lock=False)),
            Frame("T2", plain("r2", [5])),
            royal("T2", "r2", "10000.84"),  # 4 x 0.21
            Frame("T1", withdraw("r1", 3)),
        ),
        # recomputed 10,000.63; the published 0.84 stands, the house makes up 0.21
        {("L", ""): Level("10000", "20000.21", "0.63", "10000.84", cycle=2)},
        (Now(SECOND, "10000.84", "pending"),),
        held=("T2",),
    ),
    Example(
        "a wager struck after another table has won it",
        ("T3", "A11"),
        "58 Pa. Code 643a.8(b)(2)",
        (A,),
        (T1, T2),
        (
            Frame("T1", wager("r1", bets("L", [1, 2, 3]), chips={"L": 2}), warn=True),
            Frame("T2", plain("r2", [5])),
            royal("T2", "r2", "10000.84"),
            Act("strike", fields={"table": "T1", "round": "r1", "seat": 3, "link": "L"}),
            Frame("T1", close("r1")),
        ),
        {("L", ""): Level("10000", "20000.21", "0.63", "10000.84", cycle=2)},
        held=("T2",),
    ),
    Example(
        "a round void after later wagers",
        ("T6", "A11"),
        VOID,
        (A,),
        (T1, T2),
        (
            Frame("T1", plain("r1", [1, 2, 3, 4, 5, 6, 7])),
            Frame("T2", plain("r2", [1, 2])),
            Frame("T1", void("r1"), refunds=("L:1", "L:2", "L:3", "L:4", "L:5", "L:6", "L:7")),
            Frame("T1", plain("r3", [1])),
        ),
        # 2 + 1 wagers stand
        {("L", ""): Level("10000.63", "10000", "0.63")},
    ),
    Example(
        "a round void whose contributions preceded another table's royal",
        ("T6", "A11"),
        VOID,
        (A,),
        (T1, T2, T3),
        (
            Frame("T1", plain("r1", [5])),
            royal("T1", "r1", "10000.21"),
            Frame("T3", plain("r3", [1, 2, 3, 4])),
            Frame("T2", plain("r2", [5])),
            royal("T2", "r2", "10001.05"),  # reseed 10,000 + 5 x 0.21
            Act("validate", Hand("r2", 5)),
            Act("pay", SECOND),
            Frame("T3", void("r3"), refunds=("L:1", "L:2", "L:3", "L:4")),
        ),
        # recomputed 10,000.21; paid 10,001.05; the house makes up 0.84
        # awards 10,000.21 + 10,001.05 = 20,001.26
        {("L", ""): Level("10000", "30000.84", "0.42", "20001.26", cycle=3)},
        held=("T1",),
    ),
    Example(
        "a round void whose contributions preceded another table's 10 % hit",
        ("T6", "A11", "A4"),
        VOID,
        (A,),
        (T1, T2),
        (
            Frame("T1", plain("r1", [1, 2, 3, 4, 5])),
            Frame("T2", plain("r2", [5])),
            straight_flush("T2", "r2", "1000.12"),  # a tenth of 10,001.26
            Frame("T1", void("r1"), refunds=("L:1", "L:2", "L:3", "L:4", "L:5")),
        ),
        # recomputed: a tenth of 10,000.21 is 1,000.02, 9,000.19 left; the house makes up 0.10
        {("L", ""): Level("9000.19", "10000.10", "0.21", "1000.12")},
        held=("T2",),
    ),
    Example(
        "the make-good is whole cents: the residue stays on the meter",
        ("T6", "A11", "M3"),
        VOID,
        (Link("L", "ma-lir-progressive", options={"seed": {"": "10000"}, "primary": {"": "12.34"}}),),
        (T1, T2),
        (
            Frame("T1", plain("r1", [1, 2])),
            Frame("T2", plain("r2", [5])),
            royal("T2", "r2", "10000.37"),  # 3 x 0.1234 = 0.3702
            Frame("T1", void("r1"), refunds=("L:1", "L:2")),
        ),
        # recomputed 10,000.1234: it gives 10,000.12, the house 0.25, 0.0034 stays
        {("L", ""): Level("10000.0034", "20000.25", "0.1234", "10000.37", cycle=2)},
        held=("T2",),
    ),
    Example(
        "a round void on a link at its limit",
        ("T6", "A11", "L7"),
        VOID,
        (LIMITED,),
        (T1, T2),
        (
            Frame("T1", plain("r1", [1, 2, 3, 4, 5])),
            Frame("T2", plain("r2", [1, 2, 3])),
            Frame("T1", void("r1"), refunds=("L:1", "L:2", "L:3", "L:4", "L:5")),
        ),
        # 3 x 0.20 = 0.60: 0.50 fits, 0.10 over; reserve 3 x 0.05
        {("L", ""): Level("10000.50", "10000", "0.75", reserve="0.15", overflow="0.10")},
    ),
    Example(
        "an undo raises, a later void lowers: the raised amount is published and stands",
        ("A11", "T6"),
        VOID,
        (A,),
        (T1, T2, T3),
        (
            Frame("T3", plain("r3", [1, 2, 3, 4, 5])),
            Frame("T1", plain("r1", [5])),
            royal("T1", "r1", "10001.26"),  # 6 x 0.21
            Frame("T2", plain("r2", [5, 4, 3])),
            royal("T2", "r2", "10000.63", [4, 3]),  # 3 x 0.21
            Act("undo", Hand("r1", 5), people=2, changed=(Now(SECOND, "10001.89", "pending"),)),  # 9 x 0.21
            Frame("T3", void("r3"), refunds=("L:1", "L:2", "L:3", "L:4", "L:5")),
        ),
        # recomputed 10,000.84 (4 x 0.21); the house makes up 1.05
        {("L", ""): Level("10000", "20001.05", "0.84", "10001.89", cycle=3)},
        (Now(FIRST, "10001.26", "undone"), Now(SECOND, "10001.89", "pending")),
        held=("T2",),
    ),
    Example(
        "a missed royal, found after another table's royal",
        ("T10", "A11", "L10"),
        MISSED,
        (A,),
        (T1, T2),
        (
            Frame("T1", plain("r1", [5, 3])),
            Frame("T1", close("r1")),
            Frame("T2", plain("r2", [5, 4])),
            royal("T2", "r2", "10000.84", [4]),
            Act("reopen", fields={"table": "T1", "round": "r1"}),
            Frame("T1", settle("r1", shown(5, "As Ks Qs"), board="Js Ts"), code="no_such_round"),
            Act("reopen", fields={"table": "T1", "round": "r1"}, people=2),
            royal("T1", "r1", "10000.42", [3]),
        ),
        # as if at its turn: 10,000 + 2 x 0.21; the later one recomputed is 10,000.42, published 10,000.84:
        # the house makes up 0.42 besides the seed and two reseeds; awards 20,001.26
        {("L", ""): Level("10000", "30000.42", "0.84", "20001.26", cycle=3)},
        (Now(FIRST, "10000.42", "pending"), Now(SECOND, "10000.84", "pending")),
        held=("T1", "T2"),
    ),
    Example(
        "a missed royal, found after another table's royal was paid; then undone again",
        ("T10", "A11"),
        MISSED,
        (A,),
        (T1, T2),
        (
            Frame("T1", plain("r1", [5, 3])),
            Frame("T1", close("r1")),
            Frame("T2", plain("r2", [5, 4])),
            royal("T2", "r2", "10000.84", [4]),
            Act("validate", Hand("r2", 5)),
            Act("pay", SECOND),
            Act("reopen", fields={"table": "T1", "round": "r1"}, people=2),
            royal("T1", "r1", "10000.42", [3]),
            Act("undo", Hand("r1", 5), ok=False),
            Act("undo", Hand("r1", 5), people=2),
        ),
        # all as before it was found, but the cycle
        {("L", ""): Level("10000", "20000", "0.84", "10000.84", cycle=3)},
    ),
    Example(
        "a missed 10 % hit before a later royal",
        ("T10", "A4", "A11"),
        MISSED,
        (A,),
        (T1, T2),
        (
            Frame("T1", plain("r1", [5, 3])),
            Frame("T1", close("r1")),
            Frame("T2", plain("r2", [5])),
            royal("T2", "r2", "10000.63"),
            Act("reopen", fields={"table": "T1", "round": "r1"}, people=2),
            straight_flush("T1", "r1", "1000.04", [3]),  # a tenth of 10,000.42; 9,000.38 left
        ),
        # the later one recomputed: 9,000.38 + 0.21 = 9,000.59; the house makes up 1,000.04
        {("L", ""): Level("10000", "21000.04", "0.63", "11000.67", cycle=2)},
        held=("T1", "T2"),
    ),
    Example(
        "a missed royal on the Hand Bonus before a later 10 % hit",
        ("T10", "A3", "A4", "A11"),
        MISSED,
        (BONUS,),
        (T1, T2, T3),
        (
            RepeatWagers("T3", "L", 998),
            Frame("T1", plain("r1", [5, 3])),
            Frame("T1", close("r1")),
            Frame("T2", plain("r2", [5])),
            straight_flush("T2", "r2", "1013.01"),  # a tenth of 10,130.13
            Act("reopen", fields={"table": "T1", "round": "r1"}, people=2),
            royal("T1", "r1", "10130.00"),
        ),
        # after the royal 80.00 + 0.13 = 80.13, a tenth 8.01, 72.12 left; the house makes up 1,005.00
        # awards 10,130.00 + 1,013.01; wagers 1,001 x 0.21; reserve 0.08 of the last one
        {("L", ""): Level("72.12", "11005.00", "210.21", "11143.01", reserve="0.08", cycle=2)},
        held=("T1", "T2"),
    ),
    Example(
        "a missed hand between two settled ones is paid as if at its turn",
        ("T10", "T4", "T5", "A11"),
        MISSED,
        (Link("L", "pa-643a-five-card-B"),),
        (T1,),
        (
            Frame("T1", plain("r1", [7, 3])),
            Frame(
                "T1",
                settle("r1", shown(3, "2s 3s 4s"), board="5s 6s"),
                (Won(3, "meter", "1000.20", SF, "major"), *envies([7], "300", SF, 3)),
            ),
            Act("reopen", fields={"table": "T1", "round": "r1"}, people=2),
            Frame(
                "T1",
                settle("r1", shown(7, "7s 8s 9s"), board="5s 6s"),
                (Won(7, "meter", "1000.20", SF, "major"), *envies([3], "300", SF, 7)),
            ),
        ),
        # seat 7 comes first and takes 1,000.20; seat 3 would have had 1,000.00: the house makes up 0.20
        {
            ("L", "mega"): Level("10000.22", "10000", "0.22"),
            ("L", "major"): Level("1000", "3000.20", "0.20", "2000.40", cycle=3),
        },
        held=("T1",),
    ),
    Example(
        "a missed winner of a shared row: the other's published award is not lowered",
        ("T10", "T5", "A11"),
        MISSED,
        (SHARED,),
        (T1,),
        (
            Frame("T1", plain("r1", [7, 3, 1])),
            Frame(
                "T1",
                settle("r1", shown(7, "7s 8s 9s"), board="5s 6s"),
                (Won(7, "meter", "1000.21", SF), *envies([3, 1], "250", SF, 7)),
            ),
            Act("reopen", fields={"table": "T1", "round": "r1"}, people=2),
            Frame(
                "T1",
                settle("r1", shown(3, "2s 3s 4s"), board="5s 6s"),
                (Won(3, "meter", "500.10", SF), *envies([7, 1], "250", SF, 3)),
            ),
        ),
        # each half of 1,000.21 is 500.10; the meter gives 1,000.20, the house 500.11 more to seat 7
        {("L", ""): Level("1000.01", "2500.11", "0.21", "1500.31", cycle=2)},
        held=("T1",),
    ),
    Example(
        "a closed round is reopened until the table's next lock, and not after it",
        ("T10",),
        MISSED,
        (A,),
        (T1,),
        (
            Frame("T1", plain("r1", [5])),
            Act("reopen", fields={"table": "T1", "round": "r1"}, people=2, ok=False),
            Frame("T1", close("r1")),
            Frame("T1", wager("r2", bets("L", [5]), lock=False)),
            Frame("T1", lock("r2")),
            Act("reopen", fields={"table": "T1", "round": "r1"}, people=2, ok=False),
        ),
        {("L", ""): Level("10000.42", "10000", "0.42")},
    ),
    Example(
        "missed hands of several messages have no order, for each is paid as of its own turn",
        ("T10", "T4"),
        "house rule; 58 Pa. Code 643a.12(d)(4)",
        (Link("L", "pa-643a-three-card-A"),),
        (Table("T1"),),
        (
            Frame("T1", wager("r1", bets("L", [7, 3]))),
            Frame("T1", close("r1")),
            Act("reopen", fields={"table": "T1", "round": "r1"}, people=2),
            Frame(
                "T1",
                settle("r1", shown(3, "7s 8s 9s"), close=False),
                (Won(3, "odds", "70.00", "straight-flush"),),
            ),
            Frame("T1", settle("r1", shown(6, "2h 2d 9c"), shown(7, "7h 8h 9h")), code="out_of_order"),
            Frame("T1", settle("r1", shown(7, "7h 8h 9h")), (Won(7, "odds", "70.00", "straight-flush"),)),
        ),
        # 2 x 0.14
        {("L", ""): Level("1000.28", "1000", "0.28")},
    ),
    Example(
        "a turn is the seat's, whatever link a lower seat's hand was for that was settled after it",
        ("T10", "T4", "T5"),
        MISSED,
        (A, Link("N", "pa-643a-five-card-A")),
        (Table("T1", links=("L", "N")), Table("T2", links=("N",))),
        (
            Frame("T1", wager("r1", bets("L", [1]), bets("N", [3, 1]))),
            Frame("T1", settle("r1", shown(1, hand="two-pair", link="L"), close=False)),
            Frame("T2", plain("r2", [5], "N")),  # after the turn of seat 3
            Frame("T1", close("r1")),
            Act("reopen", fields={"table": "T1", "round": "r1"}, people=2),
            Frame(
                "T1",
                settle("r1", shown(3, "Qs Js Ts"), board="As Ks"),
                (
                    Won(3, "meter", "10000.42", "royal-flush", link="N"),
                    *(Won(1, "envy", "1000", "royal-flush", because=3, link=link) for link in "LN"),
                ),
            ),
        ),
        {
            ("L", ""): Level("10000.21", "10000", "0.21"),
            ("N", ""): Level("10000.21", "20000", "0.63", "10000.42", cycle=2),
        },
        held=("T1",),
    ),
]
