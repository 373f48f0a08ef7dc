"""Worked examples: undoing an award or a share, with later wagers, hits and reseeds (A10, A11, L8, L10)."""

from tests.faults.worked.form import (
    DEALER,
    UTH,
    Act,
    Check,
    Example,
    Frame,
    Hand,
    Level,
    Link,
    Now,
    Prize,
    RepeatWagers,
    Step,
    Table,
    Won,
    bets,
    envies,
    plain,
    settle,
    shown,
    void,
    wager,
)

A = Link("L", "pa-643a-five-card-A")
B = Link("L", "pa-643a-five-card-B")
SHARED = Link("L", "ma-straight-flush-single", options={"primary": {"": "7"}, "simultaneous": "share"})
LIMITED = Link(
    "L",
    "ma-lir-progressive",
    options={"seed": {"": "10000"}, "primary": {"": "20"}, "reserve": {"": "5"}, "limit": {"": "10000.50"}},
)
BONUS = Link("L", "pa-643a-five-card-hand-bonus")
T1, T2, T3 = Table("T1"), Table("T2"), Table("T3")
ROYAL = "royal-flush"
SF = "straight-flush"
FIRST = Prize(Hand("r1", 5), 5)
SECOND = Prize(Hand("r2", 5), 5)
THIRD = Prize(Hand("r3", 5), 5)
LAW = "58 Pa. Code 643a.11(g)(4)(iii): a floorperson validates; house rule on undoing"


def royal(table: str, round_: str, amount: str, envy: list[int] | None = None) -> Frame:
    """Seat 5 shows a royal flush in spades."""
    won = (Won(5, "meter", amount, ROYAL), *envies(envy or [], "1000", ROYAL, 5))
    return Frame(table, settle(round_, shown(5, "Qs Js Ts"), board="As Ks"), won)


def straight_flush(table: str, round_: str, amount: str, envy: list[int] | None = None) -> Frame:
    """Seat 5 shows a ten-high straight flush in hearts."""
    won = (Won(5, "meter", amount, SF), *envies(envy or [], "300", SF, 5))
    return Frame(table, settle(round_, shown(5, "8h 9h Th"), board="6h 7h"), won)


def two_winners() -> tuple[Step, ...]:
    return (
        Frame("T1", plain("r1", [7, 3])),
        Frame(
            "T1",
            settle("r1", shown(7, "7s 8s 9s"), shown(3, "2s 3s 4s"), board="5s 6s"),
            (
                Won(7, "meter", "1000.20", SF, "major"),
                *envies([3], "300", SF, 7),
                Won(3, "meter", "1000.00", SF, "major"),
                *envies([7], "300", SF, 3),
            ),
        ),
    )


def two_shares() -> tuple[Step, ...]:
    return (
        Frame("T1", plain("r1", [7, 3, 1])),
        Frame(
            "T1",
            settle("r1", shown(7, "7s 8s 9s"), shown(3, "2s 3s 4s"), board="5s 6s"),
            (
                Won(7, "meter", "500.10", SF),
                Won(3, "meter", "500.10", SF),
                *envies([3, 1], "250", SF, 7),
                *envies([7, 1], "250", SF, 3),
            ),
        ),
    )


def two_royals() -> tuple[Step, ...]:
    """1,000 wagers, a royal for 10,210.00; three wagers elsewhere, a second royal for 10,000.63."""
    return (
        RepeatWagers("T3", "L", 999),
        Frame("T1", plain("r1", [5])),
        royal("T1", "r1", "10210.00"),  # 10,000 + 1,000 x 0.21
        Frame("T2", plain("r2", [5, 4, 3])),
        royal("T2", "r2", "10000.63", [4, 3]),  # reseed 10,000 + 3 x 0.21
    )


def dealers_royal() -> tuple[Step, ...]:
    """The dealer's royal before seat 6's straight flush: 5,000.26 twice, then a tenth of the reserve."""
    return (
        Frame("T1", wager("r1", bets("L", [6, 1]), bets("L", [6, 3], on="dealer"))),
        Frame(
            "T1",
            settle("r1", shown(6, "8s 9s"), shown(1, "6h 7h"), board="Ts Js Qs 2d 3h", dealer="As Ks"),
            (
                Won(6, "meter", "5000.26", ROYAL),
                Won(3, "meter", "5000.26", ROYAL),
                Won(6, "meter", "0.03", SF),
            ),
        ),
    )


EXAMPLES: list[Example] = [
    Example(
        "undo of a royal after later wagers",
        ("A11", "L10"),
        LAW,
        (A,),
        (T1, T2),
        (
            Frame("T1", plain("r1", [5])),
            royal("T1", "r1", "10000.21"),
            Frame("T2", plain("r2", [1, 2, 3])),
            Check({("L", ""): Level("10000.63", "20000", "0.84", "10000.21", cycle=2)}),
            Act("undo", Hand("r1", 5)),
        ),
        # as if never won: 10,000 + 4 x 0.21; the reseed goes back to the house; cycles never go back
        {("L", ""): Level("10000.84", "10000", "0.84", cycle=2)},
        (Now(FIRST, "10000.21", "undone"),),
    ),
    Example(
        "undo after a later hit not yet paid: the later one is raised",
        ("A11", "A10"),
        LAW,
        (A,),
        (T1, T2, T3),
        (
            *two_royals(),
            Act("validate", Hand("r2", 5)),
            Act("undo", Hand("r1", 5), ok=False),  # a later award of the level exists: two people
            Act("undo", Hand("r1", 5), people=2, changed=(Now(SECOND, "10210.63", "pending"),)),
        ),
        # without the first: 10,000 + 1,003 x 0.21 = 10,210.63 at the second, and one reseed
        {("L", ""): Level("10000", "20000", "210.63", "10210.63", cycle=3)},
        (
            Now(FIRST, "10210.00", "undone"),
            Now(SECOND, "10210.63", "pending"),
            Now(Prize(Hand("r2", 5), 4, "envy"), "1000", "validated"),
        ),
        held=("T2",),
    ),
    Example(
        "undo after a later hit already paid: it stays, the difference remains on the meter",
        ("A11", "L8"),
        LAW,
        (A,),
        (T1, T2, T3),
        (
            *two_royals(),
            Act("validate", Hand("r2", 5)),
            Act("pay", SECOND),
            Act("undo", Hand("r1", 5), people=2, left=(Now(SECOND, "210.00", "paid"),)),
        ),
        # 10,210.63 - 10,000.63 paid = 210.00 left + reseed 10,000
        {("L", ""): Level("10210.00", "20000", "210.63", "10000.63", cycle=3)},
        (Now(SECOND, "10000.63", "paid"),),
    ),
    Example(
        "undo after two later reseeds: the difference passes through the paid one to the unpaid one",
        ("A11", "L10"),
        LAW,
        (A,),
        (T1, T2, T3),
        (
            *two_royals(),
            Act("validate", Hand("r2", 5)),
            Act("pay", SECOND),
            Frame("T3", plain("r3", [5, 1])),
            royal("T3", "r3", "10000.42", [1]),  # reseed 10,000 + 2 x 0.21
            Act(
                "undo",
                Hand("r1", 5),
                people=2,
                changed=(Now(THIRD, "10210.42", "pending"),),
                left=(Now(SECOND, "210.00", "paid"),),
            ),
        ),
        # second: 210.00 stays; then 10,000 + 210.00 + 0.42 = 10,210.42 for the third
        # awards 10,000.63 + 10,210.42 = 20,211.05; wagers 1,005 x 0.21 = 211.05; seed and two reseeds
        {("L", ""): Level("10000", "30000", "211.05", "20211.05", cycle=4)},
        held=("T3",),
    ),
    Example(
        "undo of the later, then of the earlier: one person each",
        ("A11", "L10"),
        LAW,
        (A,),
        (T1, T2, T3),
        (
            *two_royals(),
            Act("undo", Hand("r2", 5)),
            Check({("L", ""): Level("10000.63", "20000", "210.63", "10210.00", cycle=3)}),
            Act("undo", Hand("r1", 5)),
        ),
        {("L", ""): Level("10210.63", "10000", "210.63", cycle=3)},
        (
            Now(FIRST, "10210.00", "undone"),
            Now(SECOND, "10000.63", "undone"),
            Now(Prize(Hand("r2", 5), 4, "envy"), "1000", "undone"),
        ),
    ),
    Example(
        "undo of the first of two winners in one round",
        ("A11", "T5"),
        LAW,
        (B,),
        (T1,),
        (
            *two_winners(),
            Act("undo", Hand("r1", 7), ok=False),
            Act(
                "undo",
                Hand("r1", 7),
                people=2,
                changed=(Now(Prize(Hand("r1", 3), 3), "1000.20", "pending"),),
            ),
        ),
        # seat 3 is now first: 1,000 + 2 x 0.10
        {
            ("L", "mega"): Level("10000.22", "10000", "0.22"),
            ("L", "major"): Level("1000", "2000", "0.20", "1000.20", cycle=3),
        },
        (
            Now(Prize(Hand("r1", 7), 7), "1000.20", "undone"),
            Now(Prize(Hand("r1", 7), 3, "envy"), "300", "undone"),
            Now(Prize(Hand("r1", 3), 7, "envy"), "300", "pending"),
        ),
        held=("T1",),
    ),
    Example(
        "undo of the second of two winners in one round",
        ("A11", "T5"),
        LAW,
        (B,),
        (T1,),
        (*two_winners(), Act("undo", Hand("r1", 3))),
        # the first winner's reseed stands
        {
            ("L", "mega"): Level("10000.22", "10000", "0.22"),
            ("L", "major"): Level("1000", "2000", "0.20", "1000.20", cycle=3),
        },
        (Now(Prize(Hand("r1", 7), 7), "1000.20", "pending"),),
        held=("T1",),
    ),
    Example(
        "undo of one share of two: the other is raised to the whole award",
        ("A11", "T5"),
        LAW,
        (SHARED,),
        (T1,),
        (
            *two_shares(),
            Act("undo", Hand("r1", 7), changed=(Now(Prize(Hand("r1", 3), 3), "1000.21", "pending"),)),
        ),
        # 1,000 + 3 x 0.07 = 1,000.21, all of it
        {("L", ""): Level("1000", "2000", "0.21", "1000.21", cycle=2)},
        held=("T1",),
    ),
    Example(
        "undo of one share of two when the other is paid",
        ("A11", "T5", "L8"),
        LAW,
        (SHARED,),
        (T1,),
        (
            *two_shares(),
            Act("validate", Hand("r1", 3)),
            Act("pay", Prize(Hand("r1", 3), 3)),
            Act("undo", Hand("r1", 7), left=(Now(Prize(Hand("r1", 3), 3), "500.11", "paid"),)),
        ),
        # 1,000.21 - 500.10 = 500.11 remains + reseed 1,000
        {("L", ""): Level("1500.11", "2000", "0.21", "500.10", cycle=2)},
    ),
    Example(
        "undo of both shares: the award was never made",
        ("A11", "T5"),
        LAW,
        (SHARED,),
        (T1,),
        (
            *two_shares(),
            Act("undo", Hand("r1", 7), changed=(Now(Prize(Hand("r1", 3), 3), "1000.21", "pending"),)),
            Act("undo", Hand("r1", 3)),
        ),
        {("L", ""): Level("1000.21", "1000", "0.21", cycle=2)},
    ),
    Example(
        "undo of one player's share of the dealer's hand",
        ("A11", "A6"),
        LAW,
        (Link("L", "pa-653a-five-card-hand-bonus"),),
        (Table("T1", UTH, 6),),
        (
            Frame("T1", wager("r1", bets("L", [5, 3]), bets("L", [5, 3, 2], on="dealer"))),
            Frame(
                "T1",
                settle("r1", shown(5, "Ah Ad"), board="Tc Jc Qc 2d 3d", dealer="8c 9c"),
                (Won(5, "meter", "333.35", SF), Won(3, "meter", "333.35", SF), Won(2, "meter", "333.35", SF)),
            ),
            Act(
                "undo",
                Prize(Hand("r1", DEALER), 2),
                changed=(
                    Now(Prize(Hand("r1", DEALER), 5), "500.03", "pending"),
                    Now(Prize(Hand("r1", DEALER), 3), "500.03", "pending"),
                ),
            ),
        ),
        # a tenth of 10,000.65 floored is 1,000.06, halved 500.03; 9,000.59 left
        {("L", ""): Level("9000.59", "10000", "1.05", "1000.06", reserve="0.40")},
        held=("T1",),
    ),
    Example(
        "undo of one share of the dealer's royal before a later hit of the round",
        ("A11", "A6", "A3"),
        LAW,
        (Link("L", "pa-653a-five-card-hand-bonus"),),
        (Table("T1", UTH, 6),),
        (
            *dealers_royal(),
            Act("undo", Prize(Hand("r1", DEALER), 3), ok=False),
            Act(
                "undo",
                Prize(Hand("r1", DEALER), 3),
                people=2,
                changed=(Now(Prize(Hand("r1", DEALER), 6), "10000.52", "pending"),),
            ),
        ),
        # the other share is all of it; then 0.32 less a tenth as before
        {("L", ""): Level("0.29", "10000", "0.84", "10000.55", cycle=2)},
        held=("T1",),
    ),
    Example(
        "undo of the dealer's royal: the own hand after it has its tenth of the whole meter",
        ("A11", "A6", "A3"),
        LAW,
        (Link("L", "pa-653a-five-card-hand-bonus"),),
        (Table("T1", UTH, 6),),
        (
            *dealers_royal(),
            Act(
                "undo",
                Hand("r1", DEALER),
                people=2,
                changed=(Now(Prize(Hand("r1", 6), 6), "1000.05", "pending"),),
            ),
        ),
        # 10,000.52 less 1,000.05; the reserve is the reserve again
        {("L", ""): Level("9000.47", "10000", "0.84", "1000.05", reserve="0.32", cycle=2)},
        held=("T1",),
    ),
    Example(
        "undo with a limit: primary, reserve and overflow as if never won",
        ("A11", "L7", "A2"),
        LAW,
        (LIMITED,),
        (T1, T2),
        (
            Frame("T1", plain("r1", [1, 2, 3, 4, 5])),
            royal("T1", "r1", "10000.50", [1, 2, 3, 4]),
            Frame("T2", plain("r2", [1, 2, 3])),
            # after the hit 10,000.50 with 0.25 over; then 3 x 0.20 over, reserve 3 x 0.05
            Check(
                {
                    ("L", ""): Level(
                        "10000.50", "20000", "2.00", "10000.50", reserve="0.15", overflow="0.85", cycle=2
                    )
                }
            ),
            Act("undo", Hand("r1", 5)),
        ),
        # 8 x 0.20 = 1.60, of which 0.50 fits; reserve 8 x 0.05
        {("L", ""): Level("10000.50", "10000", "2.00", reserve="0.40", overflow="1.10", cycle=2)},
    ),
    Example(
        "undo with a limit before a later hit: nothing to raise, the overflow grows",
        ("A11", "L7", "A2"),
        LAW,
        (LIMITED,),
        (T1, T2),
        (
            Frame("T1", plain("r1", [1, 2, 3, 4, 5])),
            royal("T1", "r1", "10000.50", [1, 2, 3, 4]),
            Frame("T2", plain("r2", [5, 2, 3])),
            royal("T2", "r2", "10000.50", [2, 3]),
            # 10,000 + 0.15 + 0.85 = 10,001.00: 0.50 over
            Check({("L", ""): Level("10000.50", "30000", "2.00", "20001.00", overflow="0.50", cycle=3)}),
            Act("undo", Hand("r1", 5), people=2),
        ),
        # at the second: 10,000.50, reserve 0.40, overflow 1.10; after: 10,001.50 of which 1.00 over
        {("L", ""): Level("10000.50", "20000", "2.00", "10000.50", overflow="1.00", cycle=3)},
        (Now(SECOND, "10000.50", "pending"),),
        held=("T2",),
    ),
    Example(
        "undo on the Hand Bonus: the reserve goes back to being the reserve",
        ("A11", "A3"),
        LAW,
        (BONUS,),
        (T1, T2, T3),
        (
            RepeatWagers("T3", "L", 999),
            Frame("T1", plain("r1", [5])),
            royal("T1", "r1", "10130.00"),
            Frame("T2", plain("r2", [1, 2, 3, 4, 5])),
            Check({("L", ""): Level("80.65", "10000", "211.05", "10130.00", reserve="0.40", cycle=2)}),
            Act("undo", Hand("r1", 5)),
        ),
        # 10,000 + 1,005 x 0.13; reserve 1,005 x 0.08
        {("L", ""): Level("10130.65", "10000", "211.05", reserve="80.40", cycle=2)},
    ),
    Example(
        "undo on the Hand Bonus before a later royal, unpaid",
        ("A11", "A3"),
        LAW,
        (BONUS,),
        (T1, T2, T3),
        (
            RepeatWagers("T3", "L", 999),
            Frame("T1", plain("r1", [5])),
            royal("T1", "r1", "10130.00"),
            Frame("T2", plain("r2", [1, 2, 3, 4, 5])),
            royal("T2", "r2", "80.65"),  # the reserve 80.00 + 5 x 0.13
            Act("undo", Hand("r1", 5), people=2, changed=(Now(SECOND, "10130.65", "pending"),)),
        ),
        {("L", ""): Level("80.40", "10000", "211.05", "10130.65", cycle=3)},
        held=("T2",),
    ),
    Example(
        "undo on the Hand Bonus before a later royal, paid",
        ("A11", "A3", "L8"),
        LAW,
        (BONUS,),
        (T1, T2, T3),
        (
            RepeatWagers("T3", "L", 999),
            Frame("T1", plain("r1", [5])),
            royal("T1", "r1", "10130.00"),
            Frame("T2", plain("r2", [1, 2, 3, 4, 5])),
            royal("T2", "r2", "80.65"),
            Act("validate", Hand("r2", 5)),
            Act("pay", SECOND),
            Act("undo", Hand("r1", 5), people=2, left=(Now(SECOND, "10050.00", "paid"),)),
        ),
        # 10,130.65 - 80.65 = 10,050.00 left + reserve 80.40
        {("L", ""): Level("10130.40", "10000", "211.05", "80.65", cycle=3)},
    ),
    Example(
        "undo of a 10 % hit before a later royal",
        ("A11", "A4"),
        LAW,
        (A,),
        (T1, T2),
        (
            Frame("T1", plain("r1", [5])),
            straight_flush("T1", "r1", "1000.02"),  # 10,000.21 -> 9,000.19
            Frame("T2", plain("r2", [5])),
            royal("T2", "r2", "9000.40"),
            Act("undo", Hand("r1", 5), people=2, changed=(Now(SECOND, "10000.42", "pending"),)),
        ),
        {("L", ""): Level("10000", "20000", "0.42", "10000.42", cycle=2)},
        held=("T2",),
    ),
    Example(
        "undo of the first of two 10 % hits",
        ("A11", "A4", "M3"),
        LAW,
        (A,),
        (T1, T2),
        (
            Frame("T1", plain("r1", [5])),
            straight_flush("T1", "r1", "1000.02"),
            Frame("T2", plain("r2", [5])),
            straight_flush("T2", "r2", "900.04"),  # a tenth of 9,000.40
            Act("undo", Hand("r1", 5), people=2, changed=(Now(SECOND, "1000.04", "pending"),)),
        ),
        # a tenth of 10,000.42 floored; 9,000.38 left
        {("L", ""): Level("9000.38", "10000", "0.42", "1000.04")},
        held=("T2",),
    ),
    Example(
        "undo of a 10 % hit that the house had topped up to the seed",
        ("A11", "A4"),
        LAW,
        (Link("L", "ma-PTMGL01", options={"primary": {"": "10"}, "floor_to_seed": True}),),
        (T1, T2),
        (
            Frame("T1", plain("r1", [5, 1])),
            straight_flush("T1", "r1", "1000.02", [1]),
            Frame("T2", plain("r2", [5])),
            Check({("L", ""): Level("10000.10", "10999.82", "0.30", "1000.02")}),
            Act("undo", Hand("r1", 5)),
        ),
        # the 999.82 goes back to the house
        {("L", ""): Level("10000.30", "10000", "0.30")},
    ),
    Example(
        "undo of the mega leaves the major and its later award alone: one person",
        ("A11",),
        LAW,
        (B,),
        (T1, T2),
        (
            Frame("T1", plain("r1", [5])),
            Frame(
                "T1",
                settle("r1", shown(5, "Qs Js Ts"), board="As Ks"),
                (Won(5, "meter", "10000.11", ROYAL, "mega"),),
            ),
            Frame("T2", plain("r2", [5])),
            Frame(
                "T2",
                settle("r2", shown(5, "8h 9h Th"), board="6h 7h"),
                (Won(5, "meter", "1000.20", SF, "major"),),
            ),
            Act("undo", Hand("r1", 5)),
        ),
        {
            ("L", "mega"): Level("10000.22", "10000", "0.22", cycle=2),
            ("L", "major"): Level("1000", "2000", "0.20", "1000.20", cycle=2),
        },
        held=("T2",),
    ),
    Example(
        "a pending award corrected by two people, then undone; a paid one is not undone",
        ("A10", "A11"),
        LAW,
        (A,),
        (T1, T2),
        (
            Frame("T1", plain("r1", [5])),
            royal("T1", "r1", "10000.21"),
            Act("correct", FIRST, {"amount": "9999.21"}, ok=False),
            Act("correct", FIRST, {"amount": "9999.21"}, people=2),
            # the meter takes the difference of 1.00
            Check({("L", ""): Level("10001.00", "20000", "0.21", "9999.21", cycle=2)}),
            Act("undo", Hand("r1", 5)),
            Frame("T2", plain("r2", [5])),
            royal("T2", "r2", "10000.42"),
            Act("validate", Hand("r2", 5)),
            Act("pay", SECOND),
            Act("undo", Hand("r2", 5), people=2, ok=False),
        ),
        {("L", ""): Level("10000", "20000", "0.42", "10000.42", cycle=3)},
        (Now(FIRST, "9999.21", "undone"), Now(SECOND, "10000.42", "paid")),
    ),
    Example(
        "undo of a hit in an unfinished round, then its void",
        ("A11", "T6", "L10"),
        "58 Pa. Code 643a.13",
        (A,),
        (T1, T2),
        (
            Frame("T1", plain("r1", [5, 3])),
            Frame(
                "T1",
                settle("r1", shown(5, "Qs Js Ts"), board="As Ks", close=False),
                (Won(5, "meter", "10000.42", ROYAL), *envies([3], "1000", ROYAL, 5)),
            ),
            Frame("T2", plain("r2", [5])),
            Frame("T1", void("r1"), code="award_standing"),
            Act("undo", Hand("r1", 5)),
            Frame("T1", void("r1"), refunds=("L:3", "L:5")),
        ),
        {("L", ""): Level("10000.21", "10000", "0.21", cycle=2)},
    ),
]
