"""Worked examples: hands found late on a link whose winners share, in whatever messages they come (T10)."""

from tests.faults.worked.form import (
    UTH,
    Act,
    Example,
    Frame,
    Level,
    Link,
    Table,
    Won,
    bets,
    close,
    envies,
    plain,
    settle,
    shown,
    wager,
)

T1 = Table("T1")
ROYAL = "royal-flush"
SF = "straight-flush"
SINGLE = Link("L", "ma-straight-flush-single", options={"primary": {"": "7"}, "simultaneous": "share"})
BONUS = Link("L", "pa-653a-five-card-hand-bonus", options={"simultaneous": "share"})
HOUSE = "house rule; 58 Pa. Code 653a.12(e)(2), divided equally"
ALL_IN_ONE = "protocol: settle; close, seats not settled have lost"
REOPEN = Act("reopen", fields={"table": "T1", "round": "r1"}, people=2)

SEVEN, THREE = shown(7, "7s 8s 9s"), shown(3, "2s 3s 4s")
HALVES = (Won(7, "meter", "500.10", SF), Won(3, "meter", "500.10", SF))
ENVY_SEVEN, ENVY_THREE = envies([3, 1], "250", SF, 7), envies([7, 1], "250", SF, 3)
# 1,000 + 3 x 0.07 = 1,000.21; half of it floored 500.10 each; 0.01 stays, reseeded with 1,000
SHARED = {("L", ""): Level("1000.01", "2000", "0.21", "1000.20", cycle=2)}


def named(seat: int) -> tuple[Won, ...]:
    return (Won(seat, "meter", "3333.46", ROYAL, unverified=True),)


EXAMPLES: list[Example] = [
    Example(
        "two missed winners of a row, both in one message",
        ("T10", "T5"),
        HOUSE,
        (SINGLE,),
        (T1,),
        (
            Frame("T1", plain("r1", [7, 3, 1])),
            Frame("T1", close("r1")),
            REOPEN,
            Frame("T1", settle("r1", SEVEN, THREE, board="5s 6s"), (*HALVES, *ENVY_SEVEN, *ENVY_THREE)),
        ),
        SHARED,
        held=("T1",),
    ),
    Example(
        "the same two winners in two messages and a close: the same sums",
        ("T10", "T5"),
        HOUSE,
        (SINGLE,),
        (T1,),
        (
            Frame("T1", plain("r1", [7, 3, 1])),
            Frame("T1", close("r1")),
            REOPEN,
            Frame("T1", settle("r1", SEVEN, board="5s 6s", close=False), ENVY_SEVEN),
            Frame("T1", settle("r1", THREE, close=False), ENVY_THREE),
            Frame("T1", close("r1"), HALVES),
        ),
        SHARED,
        held=("T1",),
    ),
    Example(
        "hands of a round on a shared link come in one settlement",
        ("T5", "T10"),
        ALL_IN_ONE,
        (SINGLE,),
        (T1,),
        (
            Frame("T1", plain("r1", [7, 3, 1])),
            Frame("T1", settle("r1", SEVEN, board="5s 6s", close=False), code="bad_message"),
            Frame("T1", settle("r1", SEVEN, THREE, board="5s 6s", close=False), code="bad_message"),
            Frame("T1", settle("r1", board="5s 6s", close=False)),
            # seat 6 has no wager
            Frame(
                "T1",
                settle("r1", SEVEN, shown(6, "Jh Jd 3c"), THREE, shown(1, "Kh 9d 2c"), close=False),
                (*ENVY_SEVEN, *ENVY_THREE),
            ),
            Frame("T1", settle("r1", shown(1, "Kh 9d 2c"), close=False), code="bad_message"),
            Frame("T1", settle("r1", shown(5, "Ah 9c 2h")), code="bad_message"),
            Frame("T1", settle("r1", close=False)),
            Frame("T1", close("r1"), HALVES),
        ),
        SHARED,
        held=("T1",),
    ),
    Example(
        "a settlement that closes a round on a shared link may leave seats out: they have lost",
        ("T4", "T5"),
        ALL_IN_ONE,
        (SINGLE,),
        (T1,),
        (
            Frame("T1", plain("r1", [7, 3, 1])),
            Frame(
                "T1",
                settle("r1", SEVEN, board="5s 6s"),
                (Won(7, "meter", "1000.21", SF), *ENVY_SEVEN),
            ),
        ),
        {("L", ""): Level("1000", "2000", "0.21", "1000.21", cycle=2)},
        held=("T1",),
    ),
    Example(
        "with a wager on a shared link, one settlement has the hands of every link; without one, it need not",
        ("T4", "T5"),
        ALL_IN_ONE,
        (SINGLE, Link("M", "pa-643a-three-card-A")),
        (Table("T1", links=("L", "M")),),
        (
            Frame("T1", plain("r0", [7, 5], "M")),
            Frame("T1", settle("r0", shown(7, "Qs 9c 2d"), board="5s 6s", close=False)),
            Frame("T1", settle("r0", shown(5, "Kh 9d 2c"), close=False)),
            Frame("T1", close("r0")),
            Frame("T1", wager("r1", bets("L", [7]), bets("M", [5]))),
            Frame("T1", settle("r1", SEVEN, board="5s 6s", close=False), code="bad_message"),
            Frame("T1", settle("r1", SEVEN, shown(5, "Kh 9d 2c"), board="5s 6s", close=False)),
            Frame("T1", close("r1"), (Won(7, "meter", "1000.07", SF),)),
        ),
        # 1,000 + 0.07, and 3 x 0.14
        {
            ("L", ""): Level("1000", "2000", "0.07", "1000.07", cycle=2),
            ("M", ""): Level("1000.42", "1000", "0.42"),
        },
        held=("T1",),
    ),
    Example(
        "two missed royals next to one on time, told in two messages: a third each",
        ("T10", "T5", "A11"),
        HOUSE,
        (BONUS,),
        (Table("T1", UTH, 6),),
        (
            Frame("T1", plain("r1", [6, 4, 2])),
            Frame(
                "T1",
                settle("r1", shown(6, hand=ROYAL)),
                (Won(6, "meter", "10000.39", ROYAL, unverified=True),),
            ),
            REOPEN,
            Frame("T1", settle("r1", shown(4, hand=ROYAL), close=False)),
            Frame("T1", settle("r1", shown(2, hand=ROYAL)), (*named(4), *named(2))),
        ),
        # 10,000 + 3 x 0.13; a third floored 3,333.46: the meter gives 10,000.38, the house 6,666.93 more to
        # seat 6, whose published 10,000.39 stands; 0.01 left + reserve 3 x 0.08
        {("L", ""): Level("0.25", "16666.93", "0.63", "16667.31", cycle=2)},
        held=("T1",),
    ),
    Example(
        "a missed hand of the dealer's row: the dealer's hand is one winner, paid in equal parts",
        ("T10", "A6", "A11"),
        HOUSE,
        (BONUS,),
        (Table("T1", UTH, 6),),
        (
            Frame("T1", wager("r1", bets("L", [6]), bets("L", [5, 3], on="dealer"))),
            # a tenth of 10,000.39 floored 1,000.03, halved 500.01
            Frame(
                "T1",
                settle("r1", board="9s Ts Js 2d 3h", dealer="7s 8s"),
                (Won(5, "meter", "500.01", SF), Won(3, "meter", "500.01", SF)),
            ),
            REOPEN,
            Frame("T1", settle("r1", shown(6, "Qs Ks"), close=False)),
            Frame("T1", close("r1"), (Won(6, "meter", "500.01", SF),)),
        ),
        # half of 1,000.03 is 500.01 for seat 6; the dealer's half is 250.00 for each of two, who keep 500.01:
        # the meter gives 1,000.01, the house 500.02; 9,000.38 left
        {("L", ""): Level("9000.38", "10500.02", "0.63", "1500.03", reserve="0.24")},
        held=("T1",),
    ),
]
