"""Worked examples: one deck is in play, so no card lies in two places (H4, L1)."""

from tests.faults.worked.form import (
    UTH,
    Example,
    Frame,
    Level,
    Link,
    Table,
    Won,
    envies,
    plain,
    settle,
    shown,
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
]
