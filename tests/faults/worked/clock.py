"""Worked examples: time limits: rounds a minute, how long a table waits, a day's end (L11, T10, S2).

643a A for $1: 21 % of each wager.
"""

from tests.faults.worked.form import (
    Act,
    Example,
    Frame,
    Level,
    Link,
    Table,
    Wait,
    bets,
    close,
    lock,
    plain,
    void,
    wager,
)
from tests.faults.worked.reopening import ASK, DECLINE, REOPEN, A, refused

L = ("L", "")
FAST = "LAP: unreasonable contributions"
HOLD = "house rule: a quarter of an hour for the second person"
DAY = "LAP: meter readings at the end of the gaming day"
TWICE = Table("T1", per_minute=2)
T1, T2 = Table("T1"), Table("T2")
SECOND, MINUTE = 1_000, 60_000
QUARTER = 15 * MINUTE
# All that the table waits for is the second person.
ASKED = (Frame("T1", plain("r1", [5])), Frame("T1", close("r1")), ASK)
HELD = Frame("T1", plain("r2", [5]), code="table_held")


def played(round_: str, table: str = "T1") -> tuple[Frame, ...]:
    return Frame(table, plain(round_, [5])), Frame(table, close(round_))


def too_fast(round_: str) -> Frame:
    return Frame("T1", plain(round_, [5]), code="unreasonable")


def reads(day: str, *, ok: bool = True) -> Act:
    return Act("reading", fields={"day": day}, people=0, ok=ok)


def meter(wagers: str) -> dict[tuple[str, str], Level]:
    """The meter after that much of wagers, with nothing won."""
    return {L: Level(f"1000{wagers}", "10000", wagers)}


EXAMPLES: list[Example] = [
    Example(
        "a table opens no more rounds in any minute than its limit, and a refused one moves nothing",
        ("L11",),
        FAST,
        (A,),
        (TWICE, T2),
        (
            *played("r1"),
            Wait(SECOND),
            *played("r2"),
            too_fast("r3"),
            *played("s1", "T2"),
            *played("s2", "T2"),
            *played("s3", "T2"),
            Wait(MINUTE - SECOND - 1),
            too_fast("r3"),
            Wait(1),  # a minute after r1
            *played("r3"),
            too_fast("r4"),
            Wait(SECOND),  # and after r2
            *played("r4"),
            too_fast("r5"),
        ),
        meter("1.47"),
    ),
    Example(
        "what counts is the opening: more wagers are the same round, and a void round was one",
        ("L11", "T6"),
        FAST,
        (A,),
        (TWICE,),
        (
            Frame("T1", wager("r1", bets("L", [5]), lock=False)),
            Frame("T1", wager("r1", bets("L", [4]), lock=False)),
            Frame("T1", wager("r1", bets("L", [3]))),
            Frame("T1", void("r1"), refunds=("L:5", "L:4", "L:3")),
            *played("r2"),
            too_fast("r3"),
        ),
        meter("0.21"),
    ),
    Example(
        "other refusals come first, and are no rounds",
        ("L11", "T2"),
        FAST,
        (A,),
        (TWICE,),
        (
            Frame("T1", wager("r1", bets("L", [5], "2.00")), code="wrong_amount"),
            Frame("T1", wager("r1", bets("L", [5, 5])), code="duplicate_wager"),
            *played("r1"),
            *played("r2"),
            Frame("T1", wager("r3", bets("L", [5], "2.00")), code="wrong_amount"),
            too_fast("r3"),
        ),
        meter("0.42"),
    ),
    Example(
        "nobody answers: the table waits a quarter of an hour from the first asking, and no longer",
        ("T10",),
        HOLD,
        (A,),
        (T1,),
        (
            *ASKED,
            Wait(QUARTER - 1),
            HELD,
            Wait(1),
            Frame("T1", wager("r2", bets("L", [5]), lock=False)),
            Frame("T1", lock("r2")),
            refused("decline"),
            refused("reopen", 2),
        ),
        meter("0.42"),
    ),
    Example(
        "after a no, who asks again has what is left of the quarter",
        ("T10",),
        HOLD,
        (A,),
        (T1,),
        (
            *ASKED,
            Wait(QUARTER - SECOND),
            DECLINE,
            ASK,
            HELD,
            Wait(SECOND - 1),
            HELD,
            Wait(1),
            Frame("T1", wager("r2", bets("L", [5]), lock=False)),
        ),
        meter("0.42"),
    ),
    Example(
        "a second person may still say yes once the table waits no more, until its next lock",
        ("T10",),
        HOLD,
        (A,),
        (T1,),
        (
            *ASKED,
            Wait(QUARTER),
            Frame("T1", wager("r2", bets("L", [5]), lock=False)),
            REOPEN,
            Frame("T1", lock("r2"), code="round_unfinished"),
            Frame("T1", close("r1")),
            ASK,  # a new asking after a yes
            Wait(QUARTER - 1),
            Frame("T1", lock("r2"), code="table_held"),
            Wait(1),
            Frame("T1", lock("r2")),
        ),
        meter("0.42"),
    ),
    Example(
        "another server counts the quarter from its own start",
        ("T10", "S4"),
        HOLD,
        (A,),
        (T1,),
        (
            *ASKED,
            Wait(QUARTER - 1),
            Wait(take_over=True),
            Wait(QUARTER - 1),
            HELD,
            Wait(1),
            Frame("T1", plain("r2", [5])),
        ),
        meter("0.42"),
    ),
    Example(
        "each gaming day's end is read once, in order",
        ("S2",),
        DAY,
        (A, Link("N", "pa-643a-five-card-B")),
        (T1,),
        (
            reads("2026-01-01"),
            *played("r1"),
            reads("2026-01-01", ok=False),
            reads("2025-12-31", ok=False),
            reads("2026-01-02"),
            *played("r2"),
            reads("2026-01-05"),
            reads("2026-01-04", ok=False),
        ),
        meter("0.42"),
    ),
]
