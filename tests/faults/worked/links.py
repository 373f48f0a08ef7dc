"""Worked examples: two people correct a meter, or change the terms of a link (L8, L9).

For $1: 643a A 21 %; LOW 20 %, seed 500.00, reseed 300.00; LIMITED 20 % and 5 % reserve, seed 10,000.00, limit
10,000.50. A royal takes the whole meter, a straight flush a tenth.
"""

from typing import Any

from tests.faults.worked.form import (
    THREE,
    Act,
    Check,
    Example,
    Frame,
    Hand,
    Level,
    Link,
    Now,
    Prize,
    Step,
    Table,
    Won,
    bets,
    close,
    plain,
    settle,
    shown,
    void,
    wager,
)
from tests.faults.worked.undo import FIRST, LIMITED, SECOND, A, royal, straight_flush

LOW = Link(
    "L",
    "ma-lir-progressive",
    options={"seed": {"": "500"}, "reseed": {"": "300"}, "primary": {"": "20"}},
)
NEXT = Link("N", "pa-643a-five-card-A")
T1, T2 = Table("T1"), Table("T2")
BOTH = Table("T1", links=("L", "N"))
L, N = ("L", ""), ("N", "")
KEY = "LAP: dual key on manual adjustment"
IDLE = "LAP: no parameter changes while the link is in operation"
SUSPEND, RESUME = Act("suspend", fields={"link": "L"}), Act("resume", fields={"link": "L"})


def correct_meter(amount: str, account: str = "primary", people: int = 2, *, ok: bool = True) -> Act:
    return Act(
        "correct_meter", None, {"link": "L", "level": "", "account": account, "amount": amount}, people, ok
    )


def change(people: int = 2, *, ok: bool = True, **terms: Any) -> Act:
    return Act("change", None, {"link": "L", **terms}, people, ok)


def lost(round_: str, seats: list[int], link: str = "L", table: str = "T1") -> tuple[Step, ...]:
    """A round that nobody wins."""
    return Frame(table, plain(round_, seats, link)), Frame(table, close(round_))


def paid(round_: str, *others: int) -> tuple[Step, ...]:
    """Seat 5's hand on L is seen, and it is paid, and so are these seats for it."""
    hand = Hand(round_, 5)
    return Act("validate", hand), *(Act("pay", hand, {"seat": seat}) for seat in (5, *others))


CORRECTIONS: list[Example] = [
    Example(
        "two people correct a meter, never above its limit",
        ("L8", "L7", "M4"),
        KEY,
        (
            Link(
                "L",
                "ma-lir-progressive",
                options={"seed": {"": "10000"}, "primary": {"": "20"}, "limit": {"": "10006"}},
            ),
        ),
        (T1,),
        (
            Frame("T1", plain("r1", [1])),
            correct_meter("5.00", people=1, ok=False),
            correct_meter("5.00"),
            correct_meter("0.81", ok=False),
            correct_meter("0.80"),
        ),
        {L: Level("10006", "10000", "0.20", corrections="5.80")},
    ),
    Example(
        "a correction leaves no account below nothing",
        ("L8", "M4"),
        KEY,
        (LIMITED,),
        (T1,),
        (
            *lost("r1", [1, 2, 3, 4, 5]),
            # 10,001.00, of which 0.50 above the limit; the reserve 5 x 0.05
            Check({L: Level("10000.50", "10000", "1.25", overflow="0.50", reserve="0.25")}),
            correct_meter("-0.26", "reserve", ok=False),
            correct_meter("-0.25", "reserve"),
            correct_meter("-0.51", "overflow", ok=False),
            correct_meter("0.01", ok=False),
            correct_meter("-10000.51", ok=False),
            correct_meter("-1.00"),
            # below its limit again: the overflow waits for the reseed, as ever
            Check({L: Level("9999.50", "10000", "1.25", overflow="0.50", corrections="-1.25")}),
            correct_meter("-0.50", "overflow"),
        ),
        {L: Level("9999.50", "10000", "1.25", corrections="-1.75")},
    ),
    Example(
        "what was put into the overflow comes with the reseed",
        ("L8", "A2", "L7"),
        KEY,
        (LIMITED,),
        (T1,),
        (
            Frame("T1", plain("r1", [5])),
            correct_meter("30.00", "overflow"),
            royal("T1", "r1", "10000.20"),
        ),
        # 10,000 + reserve 0.05 + overflow 30.00 = 10,030.05, of which 29.55 above the limit
        {L: Level("10000.50", "20000", "0.25", "10000.20", overflow="29.55", cycle=2, corrections="30")},
        held=("T1",),
    ),
    Example(
        "a correction stands when the award before it is undone",
        ("A11", "L8", "L10"),
        KEY,
        (A,),
        (T1,),
        (
            Frame("T1", plain("r1", [5])),
            royal("T1", "r1", "10000.21"),
            correct_meter("50.00"),
            Check({L: Level("10050", "20000", "0.21", "10000.21", cycle=2, corrections="50")}),
            Act("undo", Hand("r1", 5)),
        ),
        {L: Level("10050.21", "10000", "0.21", cycle=2, corrections="50")},
        (Now(FIRST, "10000.21", "undone"),),
    ),
    Example(
        "a correction that the recomputed meter cannot bear: the house makes up the rest",
        ("A11", "L8", "T6"),
        KEY,
        (LOW,),
        (T1,),
        (
            Frame("T1", wager("r1", bets("L", [1, 2, 3, 4, 5]), lock=False)),
            correct_meter("-501.00"),
            Check({L: Level("0", "500", "1.00", corrections="-501")}),
            Frame("T1", void("r1"), refunds=("L:1", "L:2", "L:3", "L:4", "L:5")),
        ),
        # 500.00 - 501.00: one dollar from the house
        {L: Level("0", "501", "0", corrections="-501")},
    ),
    Example(
        "a later royal took the correction with it, and is raised by what came before",
        ("A11", "L8", "A2"),
        KEY,
        (A,),
        (T1, T2),
        (
            Frame("T1", plain("r1", [5])),
            royal("T1", "r1", "10000.21"),
            correct_meter("100.00"),
            Frame("T2", plain("r2", [5])),
            royal("T2", "r2", "10100.21"),
            Act("undo", Hand("r1", 5), people=2, changed=(Now(SECOND, "10100.42", "pending"),)),
        ),
        # 10,000 + 0.21 + 100 + 0.21, all won; reseeded once
        {L: Level("10000", "20000", "0.42", "10100.42", cycle=3, corrections="100")},
        held=("T2",),
    ),
]

CHANGES: list[Example] = [
    Example(
        "a new rate from the next wager, a new reseed from the next reseed",
        ("L9", "L6", "A2"),
        IDLE,
        (LOW,),
        (T1,),
        (
            *lost("r1", [5]),
            change(primary={"": "10"}, reseed={"": "400"}, ok=False),
            SUSPEND,
            change(people=1, primary={"": "10"}, reseed={"": "400"}, ok=False),
            change(primary={"": "10"}, reseed={"": "400"}),
            Check({L: Level("500.20", "500", "0.20")}),
            Frame("T1", plain("r2", [5]), code="suspended"),
            RESUME,
            Frame("T1", plain("r2", [5])),
            royal("T1", "r2", "500.30"),
        ),
        {L: Level("400", "900", "0.30", "500.30", cycle=2)},
        held=("T1",),
    ),
    Example(
        "nothing changes while a round holds wagers of the link, or a hit of it waits",
        ("L9",),
        IDLE,
        (LOW, NEXT),
        (BOTH,),
        (
            Frame("T1", plain("r1", [5])),
            SUSPEND,
            change(primary={"": "10"}, ok=False),
            royal("T1", "r1", "500.20"),
            change(primary={"": "10"}, ok=False),
            Act("validate", Hand("r1", 5)),
            change(primary={"": "10"}, ok=False),
            Act("pay", Hand("r1", 5)),
            change(primary={"": "10"}),
            Frame("T1", plain("r2", [5], "N")),
            change(primary={"": "11"}),
        ),
        {L: Level("300", "800", "0.20", "500.20", cycle=2), N: Level("10000.21", "10000", "0.21")},
    ),
    Example(
        "an envy bonus that waits is a hit that waits; one that was undone is not",
        ("L9", "A5", "A10"),
        IDLE,
        (LOW,),
        (T1,),
        (
            Frame("T1", plain("r1", [5, 3])),
            royal("T1", "r1", "500.40", [3]),
            Act("validate", Hand("r1", 5)),
            Act("pay", FIRST),
            SUSPEND,
            change(primary={"": "10"}, ok=False),
            Act("undo", Prize(Hand("r1", 5), 3, "envy")),
            change(primary={"": "10"}),
        ),
        {L: Level("300", "800", "0.40", "500.40", cycle=2)},
    ),
    Example(
        "a limit at or above the meter and the reseed, and no reseed above it",
        ("L9", "L7"),
        "LAP progressive limit",
        (Link("L", "ma-lir-progressive", options={**LOW.options, "reseed": {"": "600"}}),),
        (T1,),
        (
            *lost("r1", [5]),  # 500.20
            SUSPEND,
            change(limit={"": "599.99"}, ok=False),
            change(limit={"": "600"}),
            change(reseed={"": "600.01"}, ok=False),
            correct_meter("99.81", ok=False),
            correct_meter("99.80"),
            change(limit={"": "599.99"}, reseed={"": "500"}, ok=False),
            RESUME,
            *lost("r2", [5]),
        ),
        {L: Level("600", "500", "0.40", overflow="0.20", corrections="99.80")},
    ),
    Example(
        "what the source mandates is not changed",
        ("L9", "L5", "L4"),
        "58 Pa. Code 643a.12(e)(3)",
        (A,),
        (T1,),
        (
            SUSPEND,
            change(primary={"": "20"}, ok=False),
            change(reserve={"": "1"}, ok=False),
            change(seed={"": "9000"}, reseed={"": "9000"}, ok=False),
            change(simultaneous="share", ok=False),
            change(floor_to_seed=True, ok=False),
            change(validate_at="100"),
            RESUME,
            Frame("T1", plain("r1", [5])),
            Frame(
                "T1",
                settle("r1", shown(5, "2h 9h Th"), board="6h 7h"),
                (Won(5, "odds", "40.00", "flush", status="final"),),
            ),
        ),
        {L: Level("10000.21", "10000", "0.21")},
    ),
    Example(
        "what the source sets a minimum for is not changed below it",
        ("L9", "L5", "L4"),
        "41 Pa.B. 3836, 649a.12(e)",
        (
            Link(
                "L",
                "pa-649a-2011-progressive-A",
                options={"seed": {"": "1000"}, "reseed": {"": "1000"}, "primary": {"": "20"}},
            ),
        ),
        (Table("T1", THREE),),
        (
            SUSPEND,
            change(primary={"": "13.99"}, ok=False),
            change(reseed={"": "999.99"}, ok=False),
            change(primary={"": "14"}, reseed={"": "1200"}),
            RESUME,
            *lost("r1", [5]),
        ),
        {L: Level("1000.14", "1000", "0.14")},
    ),
    Example(
        "a hand found late, after a change: at its turn, by the terms that were",
        ("L9", "T10", "A11"),
        "house rule on 58 Pa. Code 643a.11(g)",
        (LOW,),
        (T1, T2),
        (
            *lost("r1", [5, 3]),  # 500.40
            SUSPEND,
            change(primary={"": "10"}, reseed={"": "250"}),
            RESUME,
            Frame("T2", plain("r2", [1])),  # 0.10
            Act("reopen", fields={"table": "T1", "round": "r1"}, people=2),
            royal("T1", "r1", "500.40", [3]),
            # reseeded with 300.00, as it was then, and 0.10 since
            Check({L: Level("300.10", "800", "0.50", "500.40", cycle=2)}),
            Frame("T2", void("r2"), refunds=("L:1",)),
        ),
        {L: Level("300", "800", "0.40", "500.40", cycle=2)},
        held=("T1",),
    ),
]

IN_FORCE: list[Example] = [
    Example(
        "until the next reseed a meter is topped up to the reseed in force",
        ("L9", "A4"),
        IDLE,
        (Link("L", "ma-lir-progressive", options={**LOW.options, "floor_to_seed": True}),),
        (T1,),
        (
            *lost("r1", [5]),
            correct_meter("-250"),
            SUSPEND,
            change(reseed={"": "400"}),
            RESUME,
            Frame("T1", plain("r2", [5])),
            straight_flush("T1", "r2", "25.04"),  # of 250.40: 225.36 left, and 74.64 from the house
        ),
        {L: Level("300", "574.64", "0.40", "25.04", corrections="-250")},
        held=("T1",),
    ),
    Example(
        "a hand found late, from before a meter had a floor: nothing tops it up",
        ("L9", "A4", "T10"),
        IDLE,
        (LOW,),
        (T1,),
        (
            correct_meter("-250"),
            *lost("r1", [5, 3]),
            SUSPEND,
            change(floor_to_seed=True),
            RESUME,
            Act("reopen", fields={"table": "T1", "round": "r1"}, people=2),
            straight_flush("T1", "r1", "25.04", [3]),
        ),
        {L: Level("225.36", "500", "0.40", "25.04", corrections="-250")},
        held=("T1",),
    ),
    Example(
        "upward after a change: the meter gives what lies above the reseed that was made",
        ("L9", "A10"),
        IDLE,
        (LOW,),
        (T1,),
        (
            Frame("T1", plain("r1", [5])),
            royal("T1", "r1", "500.20"),
            *paid("r1"),
            correct_meter("50"),
            SUSPEND,
            change(reseed={"": "400"}),
            Act("correct", FIRST, {"amount": "520.20", "document": "V-1"}, people=2),
        ),
        {L: Level("330", "800", "0.20", "520.20", cycle=2, corrections="50")},
    ),
]

EXAMPLES: list[Example] = CORRECTIONS + CHANGES + IN_FORCE
