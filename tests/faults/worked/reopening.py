"""Worked examples: one person asks to reopen a closed round, two reopen it, and two void it (T10, T6)."""

from tests.faults.worked.form import (
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
    bets,
    close,
    lock,
    plain,
    void,
    wager,
    withdraw,
)
from tests.faults.worked.undo import royal

A = Link("L", "pa-643a-five-card-A")
T1, T2 = Table("T1"), Table("T2")
MISSED = "house rule; 58 Pa. Code 643a.11(h), 643a.12(e)(4)"
VOID = "58 Pa. Code 643a.13: all wagers shall be returned"
OF_R1: Message = {"table": "T1", "round": "r1"}
ASK = Act("reopen", fields=OF_R1)
DECLINE = Act("decline", fields=OF_R1)
REOPEN = Act("reopen", fields=OF_R1, people=2)


def refused(kind: str, people: int = 1) -> Act:
    return Act(kind, fields=OF_R1, people=people, ok=False)


EXAMPLES: list[Example] = [
    Example(
        "while one person has asked and the second not answered, no new round; declined, play goes on",
        ("T10",),
        MISSED,
        (A,),
        (T1, T2),
        (
            Frame("T1", plain("r1", [5, 3])),
            refused("reopen"),
            Frame("T1", close("r1")),
            refused("decline"),
            ASK,
            refused("reopen"),
            Frame("T1", plain("r2", [5]), code="table_held"),
            Frame("T1", wager("r2", bets("L", [5]), lock=False), code="table_held"),
            Frame("T1", close("r1"), code="no_such_round"),
            Frame("T2", plain("r9", [5])),
            DECLINE,
            refused("decline"),
            Frame("T1", plain("r2", [5])),
            refused("reopen", people=2),
        ),
        # 2 + 1 + 1 wagers
        {("L", ""): Level("10000.84", "10000", "0.84")},
    ),
    Example(
        "a round already open is locked after the reopened one, or withdrawn from, or void",
        ("T10", "T1"),
        MISSED,
        (A,),
        (T1,),
        (
            Frame("T1", plain("r1", [5, 3])),
            Frame("T1", close("r1")),
            Frame("T1", wager("r2", bets("L", [1, 2]), lock=False)),
            ASK,
            Frame("T1", wager("r2", bets("L", [3]), lock=False)),
            Frame("T1", withdraw("r2", 1)),
            Frame("T1", wager("r2", bets("L", [4])), code="table_held"),
            Frame("T1", lock("r2"), code="table_held"),
            REOPEN,
            Frame("T1", lock("r2"), code="round_unfinished"),
            royal("T1", "r1", "10000.42", [3]),
            ASK,
            Frame("T1", void("r2"), refunds=("L:2", "L:3")),
            DECLINE,
            Frame("T1", plain("r3", [5]), code="table_held"),
        ),
        # as if at its turn, before the wagers of r2: 10,000 + 2 x 0.21; void, those leave nothing
        {("L", ""): Level("10000", "20000", "0.42", "10000.42", cycle=2)},
        held=("T1",),
    ),
    Example(
        "a reopened round is void by two people, never by its table, and not while an award stands",
        ("T6", "T10", "A11"),
        VOID,
        (A,),
        (T1, T2),
        (
            Frame("T1", plain("r1", [5, 3])),
            royal("T1", "r1", "10000.42", [3]),
            Frame("T2", plain("r2", [5])),
            Frame("T1", void("r1"), code="no_such_round"),
            refused("void_round", people=2),
            REOPEN,
            Frame("T1", void("r1"), code="two_people"),
            refused("void_round", people=2),
            Act("undo", Hand("r1", 5)),
            Frame("T1", void("r1"), code="two_people"),
            refused("void_round"),
            Act("void_round", fields=OF_R1, people=2),
            refused("reopen", people=2),
        ),
        # the wager of the other table is left
        {("L", ""): Level("10000.21", "10000", "0.21", cycle=2)},
        (
            Now(Prize(Hand("r1", 5), 5), "10000.42", "undone"),
            Now(Prize(Hand("r1", 5), 3, "envy"), "1000", "undone"),
        ),
    ),
    Example(
        "a losing round is not void for one person after its cards are known",
        ("T6", "T10"),
        VOID,
        (A,),
        (T1,),
        (
            Frame("T1", plain("r1", [5, 3])),
            Frame("T1", close("r1")),
            ASK,
            refused("void_round"),
            refused("void_round", people=2),
            Frame("T1", void("r1"), code="no_such_round"),
            REOPEN,
            refused("void_round"),
            Frame("T1", void("r1"), code="two_people"),
            Frame("T1", close("r1")),
        ),
        {("L", ""): Level("10000.42", "10000", "0.42")},
    ),
    Example(
        "a round with a paid award is not void at all",
        ("T6", "A11"),
        VOID,
        (A,),
        (T1,),
        (
            Frame("T1", plain("r1", [5, 3])),
            royal("T1", "r1", "10000.42", [3]),
            Act("validate", Hand("r1", 5)),
            Act("pay", Prize(Hand("r1", 5), 5)),
            REOPEN,
            refused("void_round", people=2),
            Frame("T1", close("r1")),
        ),
        {("L", ""): Level("10000", "20000", "0.42", "10000.42", cycle=2)},
        (Now(Prize(Hand("r1", 5), 5), "10000.42", "paid"),),
    ),
]
