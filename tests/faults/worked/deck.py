"""Worked examples: one deck is in play, so no card lies in two places (H4, L1)."""

from tests.faults.worked.form import (
    UTH,
    Example,
    Frame,
    Level,
    Link,
    Table,
    Won,
    bets,
    envies,
    plain,
    settle,
    shown,
    wager,
)

ROYAL = "royal-flush"
TWICE = "impossible_cards"

EXAMPLES: list[Example] = [
    Example(
        "the same card in two hands, in a hand and on the board, twice in a hand, and in a later message",
        ("H4", "L1"),
        "58 Pa. Code 643a.3(b)(3)",
        (Link("L", "pa-643a-five-card-A"),),
        (Table("T1"),),
        (
            Frame("T1", plain("r1", [7, 5])),
            Frame("T1", settle("r1", shown(7, "As Ks Qs"), shown(5, "As Ks Qs"), board="Js Ts"), code=TWICE),
            Frame("T1", settle("r1", shown(7, "As Ks Js"), board="Js Ts"), code=TWICE),
            Frame("T1", settle("r1", shown(7, "As Ks Ks"), board="Js Ts"), code=TWICE),
            Frame(
                "T1",
                settle("r1", shown(7, "As Ks Qs"), board="Js Ts", close=False),
                (Won(7, "meter", "10000.42", ROYAL), *envies([5], "1000", ROYAL, 7)),
            ),
            Frame("T1", settle("r1", shown(5, "As 2h 7d")), code=TWICE),
            Frame("T1", settle("r1", shown(5, "Ac 2h 7d"))),
        ),
        # refused whole, each time: 2 x 0.21 on 10,000, all of it won once; reseeded with 10,000
        {("L", ""): Level("10000", "20000", "0.42", "10000.42", cycle=2)},
        held=("T1",),
    ),
    Example(
        "a card of the dealer's that lies on the board or in a hand",
        ("H4",),
        "58 Pa. Code 653a.3",
        (Link("L", "pa-653a-progressive-A"),),
        (Table("T1", UTH, 6),),
        (
            Frame("T1", plain("r1", [5])),
            Frame("T1", settle("r1", shown(5, "2h 3h"), board="9c 9s 2d Kd 4c", dealer="9c 8d"), code=TWICE),
            Frame("T1", settle("r1", shown(5, "2h 3h"), board="9c 9s 2d Kd 4c", dealer="2h 8d"), code=TWICE),
            Frame("T1", settle("r1", shown(5, "2h 3h"), board="9c 9s 2d Kd 4c", dealer="Qh 8d")),
        ),
        {("L", ""): Level("10000.21", "10000", "0.21")},
    ),
    Example(
        "cards come in the numbers that are dealt, and a field without cards says nothing",
        ("H2", "A6"),
        "58 Pa. Code 643a.11, 653a.11; 653a.12(e)(2)",
        (Link("L", "pa-653a-five-card-hand-bonus"), Link("P", "pa-643a-five-card-A")),
        (Table("T1", UTH, 6), Table("T2", links=("P",))),
        (
            Frame("T1", settle("r0", shown(5, "2h 3h 4h")), code="bad_message"),
            Frame("T1", settle("r0", board="9c 9s 2d Kd"), code="bad_message"),
            Frame("T2", settle("r0", board="9c"), code="bad_message"),
            Frame("T1", wager("r1", bets("L", [5]), bets("L", [3], on="dealer"))),
            Frame("T1", settle("r1", board="9c 9s 2d", dealer="9d", close=False), code="bad_message"),
            Frame("T1", settle("r1", board="9c 9s 2d", dealer="9d 9h", close=False)),
            # the dealer's nines, of two cards and the flop
            Frame(
                "T1",
                settle("r1", shown(5, "2h 3h"), close=False) | {"board": [], "dealer": []},
                (Won(3, "odds", "500.00", "four-of-a-kind", pays="account"),),
            ),
            Frame("T1", settle("r1", board="9c 9s 2d Kd 4c")),
        ),
        # 2 x 0.13, 2 x 0.08
        {
            ("L", ""): Level("10000.26", "10000", "0.42", reserve="0.16"),
            ("P", ""): Level("10000", "10000", "0"),
        },
    ),
]
