"""Worked examples: an award corrected by two people, before and after it is paid (A10)."""

from tests.faults.worked.form import (
    Act,
    Check,
    Example,
    Frame,
    Hand,
    Level,
    Link,
    Now,
    Prize,
    Table,
    Won,
    envies,
    plain,
    settle,
    shown,
    void,
)
from tests.faults.worked.undo import FIRST, LIMITED, SECOND, A, royal, straight_flush, two_royals

T1, T2, T3 = Table("T1"), Table("T2"), Table("T3")
TURN = "58 Pa. Code 643a.12(e)(4): the amount on the meter when it is the player's turn"
RESEED = "58 Pa. Code 643a.12(e)(3): the reseed amount"
HOUSE = "house rule on 58 Pa. Code 643a.11(g)(4)(iii)"


def correct(prize: Prize, amount: str, people: int = 2, *, document: str = "", ok: bool = True) -> Act:
    fields = {"amount": amount} | ({"document": document} if document else {})
    return Act("correct", prize, fields, people, ok)


EXAMPLES: list[Example] = [
    Example(
        "an award corrected downward moves no other award: the live meter takes the difference",
        ("A10", "A11"),
        TURN,
        (A,),
        (T1, T2),
        (
            Frame("T1", plain("r1", [5])),
            royal("T1", "r1", "10000.21"),
            Frame("T2", plain("r2", [5])),
            royal("T2", "r2", "10000.21"),
            correct(FIRST, "9500.21", people=1, ok=False),
            correct(FIRST, "9500.21"),
        ),
        # 500.00 on top of the second reseed; awards 9,500.21 + 10,000.21
        {("L", ""): Level("10500.00", "30000", "0.42", "19500.42", cycle=3)},
        (Now(FIRST, "9500.21", "pending"), Now(SECOND, "10000.21", "pending")),
        held=("T1", "T2"),
    ),
    Example(
        "upward after a reseed: the meter gives what is above the reseed, the house the rest",
        ("A10",),
        RESEED,
        (A,),
        (T1, T2),
        (
            Frame("T1", plain("r1", [5])),
            royal("T1", "r1", "10000.21"),
            Frame("T2", plain("r2", [5, 4, 3])),
            correct(FIRST, "10100.21"),
            # 3 x 0.21 = 0.63 lay above the reseed: the house pays 99.37
            Check({("L", ""): Level("10000", "20099.37", "0.84", "10100.21", cycle=2)}),
            Frame("T2", void("r2"), refunds=("L:5", "L:4", "L:3")),
        ),
        # without those wagers nothing was above the reseed: the house pays 100.00
        {("L", ""): Level("10000", "20100", "0.21", "10100.21", cycle=2)},
        (Now(FIRST, "10100.21", "pending"),),
        held=("T1",),
    ),
    Example(
        "upward with no reseed since: the meter gives it all, also below its seed",
        ("A10", "A4"),
        TURN,
        (A,),
        (T1,),
        (
            Frame("T1", plain("r1", [5])),
            straight_flush("T1", "r1", "1000.02"),  # 10,000.21 -> 9,000.19
            correct(FIRST, "1500.02"),
            Check({("L", ""): Level("8500.19", "10000", "0.21", "1500.02")}),
            # more than there is: 8,500.19 - 8,500.00 = 0.19 is left, and 1.00 more is 0.19 and 0.81
            correct(FIRST, "10000.02"),
            correct(FIRST, "10001.02"),
        ),
        {("L", ""): Level("0", "10000.81", "0.21", "10001.02")},
        (Now(FIRST, "10001.02", "pending"),),
        held=("T1",),
    ),
    Example(
        "a 10 % award corrected upward after another table's royal; then the royal is undone",
        ("A10", "A11", "A4"),
        RESEED,
        (A,),
        (T1, T2, T3),
        (
            Frame("T1", plain("r1", [5])),
            straight_flush("T1", "r1", "1000.02"),
            Frame("T2", plain("r2", [5])),
            royal("T2", "r2", "9000.40"),  # 9,000.19 + 0.21
            Frame("T3", plain("r3", [5, 4])),
            correct(FIRST, "1001.02"),
            # 2 x 0.21 = 0.42 above the reseed, 0.58 from the house; awards 1,001.02 + 9,000.40
            Check({("L", ""): Level("10000", "20000.58", "0.84", "10001.42", cycle=2)}),
            Act("undo", Hand("r2", 5)),
        ),
        # no reseed stands: 9,000.19 + 3 x 0.21 = 9,000.82, which gives the whole dollar
        {("L", ""): Level("8999.82", "10000", "0.84", "1001.02", cycle=2)},
        (Now(FIRST, "1001.02", "pending"), Now(SECOND, "9000.40", "undone")),
        held=("T1",),
    ),
    Example(
        "upward in a meter that never falls below the reseed amount",
        ("A10", "A4"),
        "house rule; 205 CMR Let It Ride s.12(e), PTMGL01",
        (Link("L", "ma-PTMGL01", options={"primary": {"": "10"}, "floor_to_seed": True}),),
        (T1, T2),
        (
            Frame("T1", plain("r1", [5, 1])),
            straight_flush("T1", "r1", "1000.02", [1]),  # 9,000.18 left, topped up with 999.82
            Frame("T2", plain("r2", [5])),
            correct(FIRST, "1005.02"),
        ),
        # 0.10 from the meter, 4.90 from the house: 10,000 + 999.82 + 4.90
        {("L", ""): Level("10000", "11004.72", "0.30", "1005.02")},
        held=("T1",),
    ),
    Example(
        "the meter gives whole cents: the residue stays",
        ("A10", "M3"),
        RESEED,
        (Link("L", "ma-lir-progressive", options={"seed": {"": "10000"}, "primary": {"": "12.34"}}),),
        (T1, T2),
        (
            Frame("T1", plain("r1", [5])),
            royal("T1", "r1", "10000.12"),  # 0.1234: 0.0034 left
            Frame("T2", plain("r2", [5])),
            correct(FIRST, "10001.12"),
        ),
        # 0.0034 + 0.1234 = 0.1268 above the reseed: it gives 0.12, the house 0.88
        {("L", ""): Level("10000.0068", "20000.88", "0.2468", "10001.12", cycle=2)},
        held=("T1",),
    ),
    Example(
        "downward on a meter at its limit: the overflow takes it",
        ("A10", "L7"),
        "LAP progressive limit",
        (LIMITED,),
        (T1,),
        (
            Frame("T1", plain("r1", [1, 2, 3, 4, 5])),
            royal("T1", "r1", "10000.50", [1, 2, 3, 4]),  # reseeded to the limit, 0.25 over
            correct(FIRST, "9998.50"),
        ),
        {("L", ""): Level("10000.50", "20000", "1.25", "9998.50", overflow="2.25", cycle=2)},
        held=("T1",),
    ),
    Example(
        "a validated award waits again; a paid one keeps its sum, and a document says the difference",
        ("A10",),
        HOUSE,
        (A,),
        (T1,),
        (
            Frame("T1", plain("r1", [5])),
            royal("T1", "r1", "10000.21"),
            Act("validate", Hand("r1", 5)),
            correct(FIRST, "9990.21"),
            Act("pay", FIRST, ok=False),
            Act("validate", Hand("r1", 5)),
            Act("pay", FIRST),
            correct(FIRST, "9980.21", ok=False),
            correct(FIRST, "9980.21", people=1, document="V-17", ok=False),
            correct(FIRST, "9980.21", document="V-17"),
            # 10.00 before it was paid and 10.00 after
            Check({("L", ""): Level("10020", "20000", "0.21", "9980.21", cycle=2)}),
            correct(FIRST, "9990.21", document="V-18"),
        ),
        {("L", ""): Level("10010", "20000", "0.21", "9990.21", cycle=2)},
        (Now(FIRST, "9990.21", "paid"),),
    ),
    Example(
        "an undo takes the correction with it",
        ("A10", "A11"),
        HOUSE,
        (A,),
        (T1, T2),
        (
            Frame("T1", plain("r1", [5])),
            royal("T1", "r1", "10000.21"),
            Frame("T2", plain("r2", [5, 4, 3])),
            correct(FIRST, "10100.21"),
            Act("undo", Hand("r1", 5)),
            correct(FIRST, "10000.21", ok=False),
        ),
        # as if never won: 10,000 + 4 x 0.21
        {("L", ""): Level("10000.84", "10000", "0.84", cycle=2)},
        (Now(FIRST, "10100.21", "undone"),),
    ),
    Example(
        "an award that is corrected and then raised: raised by as much",
        ("A10", "A11"),
        HOUSE,
        (A,),
        (T1, T2, T3),
        (
            *two_royals(),
            correct(SECOND, "9999.63"),
            Act("undo", Hand("r1", 5), people=2, changed=(Now(SECOND, "10209.63", "pending"),)),
        ),
        # recomputed 10,210.63, less the 1.00 that is on the reseeded meter
        {("L", ""): Level("10001", "20000", "210.63", "10209.63", cycle=3)},
        held=("T2",),
    ),
    Example(
        "odds and envy are corrected by the house: no meter moves",
        ("A10", "A1"),
        HOUSE,
        (Link("L", "pa-643a-five-card-A", options={"validate_at": "100"}),),
        (T1,),
        (
            Frame("T1", plain("r1", [5, 3, 1])),
            Frame(
                "T1",
                settle("r1", shown(5, "8h 9h Th"), shown(3, "6d 6s 6c"), board="6h 7h"),
                (
                    Won(5, "meter", "1000.06", "straight-flush"),
                    *envies([3, 1], "300", "straight-flush", 5),
                    Won(3, "odds", "300.00", "four-of-a-kind"),
                ),
            ),
            correct(Prize(Hand("r1", 3), 3, "odds"), "50.00"),
            correct(Prize(Hand("r1", 5), 1, "envy"), "0.00"),
            correct(Prize(Hand("r1", 5), 1, "envy"), "250.00"),
        ),
        # 10,000.63 - 1,000.06
        {("L", ""): Level("9000.57", "10000", "0.63", "1000.06")},
        (
            Now(Prize(Hand("r1", 3), 3, "odds"), "50.00", "pending"),
            Now(Prize(Hand("r1", 5), 1, "envy"), "250.00", "pending"),
            Now(Prize(Hand("r1", 5), 3, "envy"), "300.00", "pending"),
        ),
        held=("T1",),
    ),
]
