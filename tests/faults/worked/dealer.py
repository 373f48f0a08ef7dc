"""Worked examples: wagers on a dealer's hand that is not shown (T8, A6, and the protocol's `close`)."""

from tests.faults.worked.form import (
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
    settle,
    shown,
    wager,
)

BONUS = Link("L", "pa-653a-five-card-hand-bonus")
SF = "straight-flush"
LAW = "58 Pa. Code 653a.12(e)(2)"
BOARD = "Tc Jc Qc 2d 3h"


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
            Frame("T1", settle("r1", shown(3, "4h 4s"), board=BOARD, close=False)),
            Frame("T1", close("r1"), code="bad_message"),
            # a tenth of 10,000.13 is 1,000.013
            Frame("T1", settle("r1", dealer="8c 9c"), (Won(3, "meter", "1000.01", SF),)),
        ),
        {
            ("L", ""): Level("9000.12", "10000", "0.21", "1000.01", reserve="0.08"),
            ("P", ""): Level("10000.21", "10000", "0.21"),
        },
        held=("T1",),
    ),
    Example(
        "a dealer's hand that cannot be shown: two people strike the wagers on it, paid awards stay",
        ("T8", "A11", "A10"),
        LAW,
        (BONUS,),
        (Table("T1", UTH, 6),),
        (
            Frame("T1", wager("r1", bets("L", [5]), bets("L", [5, 3], on="dealer"))),
            # 10,000 + 3 x 0.13 = 10,000.39, a tenth floored 1,000.03
            Frame(
                "T1",
                settle("r1", shown(5, "8c 9c"), board=BOARD, close=False),
                (Won(5, "meter", "1000.03", SF),),
            ),
            Act("validate", Hand("r1", 5)),
            Act("pay", Prize(Hand("r1", 5), 5)),
            strike(5, people=1, ok=False),
            strike(5, on="own", ok=False),
            strike(5),
            strike(5, ok=False),
            Frame("T1", close("r1"), code="bad_message"),
            strike(3),
            Frame("T1", close("r1")),
        ),
        # one wager stands: a tenth of 10,000.13 is 1,000.01, the house makes up 0.02; 9,000.12 left
        {("L", ""): Level("9000.12", "10000.02", "0.21", "1000.03", reserve="0.08")},
        (Now(Prize(Hand("r1", 5), 5), "1000.03", "paid"),),
    ),
    Example(
        "wagers on a dealer's hand that was shown are not struck",
        ("T8", "A6"),
        LAW,
        (BONUS,),
        (Table("T1", UTH, 6),),
        (
            Frame("T1", wager("r1", bets("L", [3], on="dealer"))),
            Frame("T1", settle("r1", board=BOARD, dealer="2h 7s", close=False)),
            strike(3, ok=False),
            Frame("T1", close("r1")),
        ),
        {("L", ""): Level("10000.13", "10000", "0.21", reserve="0.08")},
    ),
]
