"""Worked examples: payment of the Magic Card, and its time (A7)."""

from tests.faults.worked.form import Example, Frame, Level, Link, Table, Won, close, plain, settle, shown

T1 = Table("T1")
MAGIC = {"magic_every": 10}
DEFINED = "58 Pa. Code 643a.1, Magic Card Bonus; 643a.12(f)(3)"


def magic(seat: int, amount: str = "20.00") -> Won:
    return Won(seat, "draw", amount, "magic-card", pays="account")


EXAMPLES: list[Example] = [
    Example(
        "a Magic Card on the board pays a seat that was left out",
        ("A7",),
        DEFINED,
        (Link("L", "pa-643a-five-card-hand-bonus", "5.00", MAGIC),),
        (T1,),
        (
            Frame("T1", plain("r1", [5, 2], amount="5.00"), draws={"L": {"magic_card": "Kd"}}),
            # 20 x 5.00 each: one of the two community cards is the drawn one, whatever the seats hold
            Frame(
                "T1", settle("r1", shown(5, "2c 7h 8h"), board="9s Kd"), (magic(5, "100"), magic(2, "100"))
            ),
        ),
        # seed 10,000 x 5; 2 x 5.00 x 13 % = 1.30, 2 x 5.00 x 8 % = 0.80
        {("L", ""): Level("50001.30", "50000", "2.10", reserve="0.80")},
    ),
    Example(
        "a Magic Card among a seat's own cards pays that seat alone, if they were sent",
        ("A7",),
        DEFINED,
        (Link("L", "pa-643a-five-card-hand-bonus", options=MAGIC),),
        (T1,),
        (
            Frame("T1", plain("r1", [5, 2]), draws={"L": {"magic_card": "Th"}}),
            Frame("T1", settle("r1", shown(5, "Th 7h 8c"), board="9s Kd"), (magic(5),)),
            Frame("T1", plain("r2", [5, 2]), draws={"L": {"magic_card": "Th"}}),
            Frame("T1", settle("r2", shown(5, "4h 7h 8c"), board="9s Kd")),
        ),
        # 4 x 0.13, 4 x 0.08
        {("L", ""): Level("10000.52", "10000", "0.84", reserve="0.32")},
    ),
    Example(
        "a seat settled before the board was known has its Magic Card at the close",
        ("A7", "H4", "T4"),
        DEFINED,
        (Link("L", "pa-643a-five-card-hand-bonus", options=MAGIC),),
        (T1,),
        (
            Frame("T1", plain("r1", [6, 4, 2]), draws={"L": {"magic_card": "Kd"}}),
            Frame(
                "T1",
                settle("r1", shown(6, hand="flush"), close=False),
                (Won(6, "odds", "50.00", "flush", pays="account", unverified=True),),
            ),
            Frame("T1", settle("r1", shown(4, "2c 3h 8s"), board="9h Kd", close=False), (magic(4),)),
            Frame("T1", close("r1"), (magic(6), magic(2))),
        ),
        # 3 x 0.13, 3 x 0.08
        {("L", ""): Level("10000.39", "10000", "0.63", reserve="0.24")},
    ),
]
