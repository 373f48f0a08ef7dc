"""Worked examples: wagers on a dealer's hand that is not shown (T8, A6, and the protocol's `close`)."""

from tests.faults.worked.form import (
    DEALER,
    UTH,
    Act,
    Example,
    Frame,
    Hand,
    Level,
    Link,
    Message,
    Now,
    Prize,
    Table,
    Won,
    bets,
    close,
    lock,
    plain,
    settle,
    shown,
    void,
    wager,
)

BONUS = Link("L", "pa-653a-five-card-hand-bonus")
SF = "straight-flush"
ROYAL = "royal-flush"
LAW = "58 Pa. Code 653a.12(e)(2)"
BOARD = "Tc Jc Qc 2d 3h"
SPADES = "9s Ts Js 2d 3h"
ROYAL_BOARD = "Ts Js Qs 2d 3h"
SEAT_5 = Frame("T1", settle("r1", shown(5, "8c 9c"), board=BOARD, close=False), code="bad_message")


def strike(seat: int, people: int = 2, *, on: str = "dealer", ok: bool = True) -> Act:
    fields: Message = {"table": "T1", "round": "r1", "seat": seat, "link": "L", "on": on}
    return Act("strike", fields=fields, people=people, ok=ok)


EXAMPLES: list[Example] = [
    Example(
        "a round does not close while wagers on the dealer's hand are unpaid",
        ("T8", "A6"),
        LAW,
        (BONUS, Link("P", "pa-653a-progressive-A", options={"count_chips": True})),
        (Table("T1", UTH, 6, ("L", "P")),),
        (
            Frame("T1", wager("r1", bets("L", [3], on="dealer"), bets("P", [3])), warn=True),
            Frame("T1", close("r1"), code="chip_mismatch"),
            Frame("T1", lock("r1", {"P": 1})),
            Frame("T1", close("r1", {"nowhere": 1}), code="bad_message"),
            Frame("T1", settle("r1", shown(3, "4h 4s"), board=BOARD), code="bad_message"),
            Frame("T1", settle("r1", shown(3, "4h 4s"), board=BOARD, close=False), code="bad_message"),
            Frame("T1", close("r1"), code="bad_message"),
            # a tenth of 10,000.13 is 1,000.013
            Frame(
                "T1",
                settle("r1", shown(3, "4h 4s"), board=BOARD, dealer="8c 9c"),
                (Won(3, "meter", "1000.01", SF),),
            ),
        ),
        {
            ("L", ""): Level("9000.12", "10000", "0.21", "1000.01", reserve="0.08"),
            ("P", ""): Level("10000.21", "10000", "0.21"),
        },
        held=("T1",),
    ),
    Example(
        "a dealer's hand that cannot be shown: two people strike the wagers on it, then seats are settled",
        ("T8", "A11", "A10"),
        LAW,
        (BONUS,),
        (Table("T1", UTH, 6), Table("T2", UTH, 6)),
        (
            Frame("T1", wager("r1", bets("L", [5]), bets("L", [5, 3], on="dealer"))),
            Frame("T2", wager("r2", bets("L", [1]))),
            # 10,000 + 4 x 0.13 = 10,000.52, a tenth floored 1,000.05
            Frame("T2", settle("r2", shown(1, "8c 9c"), board=BOARD), (Won(1, "meter", "1000.05", SF),)),
            Act("validate", Hand("r2", 1)),
            Act("pay", Prize(Hand("r2", 1), 1)),
            SEAT_5,
            strike(5, people=1, ok=False),
            strike(5, on="own", ok=False),
            # 10,000.39: a tenth is 1,000.03, the house makes up 0.02 of what was paid; 9,000.36 left
            strike(5),
            strike(5, ok=False),
            SEAT_5,
            Frame("T1", close("r1"), code="bad_message"),
            # 10,000.26: a tenth is 1,000.02, the house makes up 0.03; 9,000.24 left
            strike(3),
            # a tenth of that is 900.02
            Frame("T1", SEAT_5.message, (Won(5, "meter", "900.02", SF),)),
            Frame("T1", settle("r1", shown(4, "4h 4s"), close=False)),
            Frame("T1", close("r1")),
        ),
        {("L", ""): Level("8100.22", "10000.03", "0.42", "1900.07", reserve="0.16")},
        (Now(Prize(Hand("r2", 1), 1), "1000.05", "paid"),),
        held=("T1",),
    ),
    Example(
        "wagers on a dealer's hand that was shown are not struck, and no hand comes after it",
        ("T8", "A6"),
        LAW,
        (BONUS,),
        (Table("T1", UTH, 6),),
        (
            Frame("T1", wager("r1", bets("L", [5]), bets("L", [3], on="dealer"))),
            Frame("T1", settle("r1", shown(5, "4h 4s"), board=BOARD, dealer="2h 7s", close=False)),
            strike(3, ok=False),
            Frame("T1", settle("r1", shown(3, "8c 9c"), close=False), code="bad_message"),
            Frame("T1", close("r1")),
        ),
        {("L", ""): Level("10000.26", "10000", "0.42", reserve="0.16")},
    ),
    Example(
        "a dealer's hand shown alone is paid at its turn, when the hands come",
        ("A6", "T5", "T8"),
        LAW,
        (BONUS,),
        (Table("T1", UTH, 6), Table("T2", UTH, 6)),
        (
            Frame("T1", wager("r1", bets("L", [5]), bets("L", [3], on="dealer"))),
            Frame("T1", settle("r1", board=SPADES, dealer="7s 8s", close=False)),
            strike(3, ok=False),
            Frame("T1", settle("r1", board=SPADES, dealer="7s 8h", close=False), code="bad_message"),
            Frame("T1", settle("r1", board="9s Ts Js 2d 3c", close=False), code="bad_message"),
            Frame("T1", settle("r1", dealer="7s 8s", close=False)),
            Frame("T2", plain("r2", [1])),
            # seat 5 is left out, and the round is not closed
            Frame("T1", settle("r1", shown(6, "4h 4s"), close=False), code="bad_message"),
            # 10,000 + 3 x 0.13: a tenth is 1,000.03 for seat 5; of the 9,000.36 left it is 900.03
            Frame(
                "T1",
                settle("r1", shown(5, "Qs Ks"), close=False),
                (Won(5, "meter", "1000.03", SF), Won(3, "meter", "900.03", SF)),
            ),
            Frame("T1", settle("r1", dealer="7s 8s", close=False)),
            Frame("T1", close("r1")),
        ),
        {("L", ""): Level("8100.33", "10000", "0.63", "1900.06", reserve="0.24")},
        held=("T1",),
    ),
    Example(
        "a dealer's hand shown alone is paid when the round closes without hands",
        ("A6", "A3", "T8"),
        LAW,
        (BONUS,),
        (Table("T1", UTH, 6),),
        (
            Frame("T1", wager("r1", bets("L", [5]), bets("L", [3], on="dealer"))),
            Frame("T1", settle("r1", board=ROYAL_BOARD, dealer="As Ks", close=False)),
            Frame("T1", close("r1"), (Won(3, "meter", "10000.26", ROYAL),)),
        ),
        # 10,000 + 2 x 0.13; then what the reserve had gathered
        {("L", ""): Level("0.16", "10000", "0.42", "10000.26", cycle=2)},
        held=("T1",),
    ),
    Example(
        "a dealer's hand shown alone on a shared link: equal parts at the close",
        ("A6", "T5"),
        LAW,
        (Link("L", "pa-653a-five-card-hand-bonus", options={"simultaneous": "share"}),),
        (Table("T1", UTH, 6),),
        (
            Frame("T1", wager("r1", bets("L", [5]), bets("L", [4, 3], on="dealer"))),
            Frame("T1", settle("r1", board=ROYAL_BOARD, dealer="As Ks", close=False)),
            # 10,000.39 halved is 5,000.195: the cent stays
            Frame(
                "T1",
                settle("r1"),
                (Won(4, "meter", "5000.19", ROYAL), Won(3, "meter", "5000.19", ROYAL)),
            ),
        ),
        {("L", ""): Level("0.25", "10000", "0.63", "10000.38", cycle=2)},
        held=("T1",),
    ),
    Example(
        "a round whose dealer's hand was only shown is void like any other: nothing was paid",
        ("T6", "A11"),
        LAW,
        (BONUS,),
        (Table("T1", UTH, 6),),
        (
            Frame("T1", wager("r1", bets("L", [5]), bets("L", [3], on="dealer"))),
            Frame("T1", settle("r1", board=ROYAL_BOARD, dealer="As Ks", close=False)),
            Frame("T1", void("r1"), refunds=("L:5:account", "L:3:account")),
        ),
        {("L", ""): Level("10000", "10000", "0")},
    ),
    Example(
        "a hand found late is paid before the dealer's hand that the close paid",
        ("T10", "A6", "A11"),
        LAW,
        (BONUS,),
        (Table("T1", UTH, 6),),
        (
            Frame("T1", wager("r1", bets("L", [6]), bets("L", [5], on="dealer"))),
            Frame("T1", settle("r1", board=SPADES, dealer="7s 8s", close=False)),
            # a tenth of 10,000.26
            Frame("T1", close("r1"), (Won(5, "meter", "1000.02", SF),)),
            Act("reopen", fields={"table": "T1", "round": "r1"}, people=2),
            # a tenth of 10,000.26 is seat 6's; the dealer's 900.02 of the 9,000.24 left: the house gives 100
            Frame("T1", settle("r1", shown(6, "Qs Ks")), (Won(6, "meter", "1000.02", SF),)),
        ),
        {("L", ""): Level("8100.22", "10100", "0.42", "2000.04", reserve="0.16")},
        (Now(Prize(Hand("r1", DEALER), 5), "1000.02", "pending"),),
        held=("T1",),
    ),
]
