"""Worked examples: two people move what players have on a link to another, and close it (L8)."""

from typing import Any

from tests.faults.worked.form import (
    Act,
    Check,
    Example,
    Frame,
    Hand,
    Level,
    Link,
    Table,
    Won,
    plain,
    settle,
    shown,
)
from tests.faults.worked.links import BOTH, NEXT, SUSPEND, T1, correct_meter, lost, paid
from tests.faults.worked.undo import FIRST, LIMITED, A, royal, straight_flush

OTHER = Table("T2", links=("N",))
L, N = ("L", ""), ("N", "")
MOVE = "LAP: the amount less the reset moves to another progressive"


def close_link(to: str | None = "N", people: int = 2, *, ok: bool = True, **more: Any) -> Act:
    return Act("close_link", None, {"link": "L", **({} if to is None else {"to": to}), **more}, people, ok)


EXAMPLES: list[Example] = [
    Example(
        "closing moves what players paid, and the house has its seed back",
        ("L8", "L9", "M4"),
        MOVE,
        (A, NEXT),
        (BOTH, OTHER),
        (
            *lost("r1", [1, 2, 3, 4, 5, 6, 7]),  # 7 x 0.21
            close_link(ok=False),
            SUSPEND,
            close_link(people=1, ok=False),
            close_link("L", ok=False),
            close_link(None, ok=False),
            close_link(),
            Check({L: Level("0", "0", "1.47", transfers="-1.47")}),
            Act("resume", fields={"link": "L"}, ok=False),
            close_link(ok=False),
            correct_meter("1.00", ok=False),
            Frame("T1", plain("r2", [1]), code="suspended"),
            Frame("T1", plain("r2", [1], "N")),
        ),
        {
            L: Level("0", "0", "1.47", transfers="-1.47"),
            N: Level("10001.68", "10000", "0.21", transfers="1.47"),
        },
    ),
    Example(
        "account by account, and never above the other link's limit",
        ("L8", "L7"),
        MOVE,
        (LIMITED, Link("N", "ma-lir-progressive", options={**LIMITED.options, "limit": {"": "10000.40"}})),
        (T1, OTHER),
        (
            *lost("r1", [1, 2, 3, 4, 5]),  # 10,000.50, overflow 0.50, reserve 0.25
            SUSPEND,
            close_link(),
        ),
        # 0.50 of the primary, of which 0.10 above the limit; 0.50 of overflow; 0.25 of reserve
        {
            L: Level("0", "0", "1.25", transfers="-1.25"),
            N: Level("10000.40", "10000", "0", overflow="0.60", reserve="0.25", transfers="1.25"),
        },
    ),
    Example(
        "where less is left than the house put in, nothing moves and the house has what there is",
        ("L8", "A4"),
        MOVE,
        (A, NEXT),
        (T1, OTHER),
        (
            Frame("T1", plain("r1", [5])),
            straight_flush("T1", "r1", "1000.02"),  # 9,000.19 left
            SUSPEND,
            close_link(ok=False),
            *paid("r1"),
            close_link(),
        ),
        {L: Level("0", "999.81", "0.21", "1000.02"), N: Level("10000", "10000", "0")},
    ),
    Example(
        "the reserve bears what the primary has not: of house money more than that, the rest moves",
        ("L8", "A3", "A4"),
        MOVE,
        (
            Link(
                "L",
                "ma-lir-progressive",
                options={
                    "seed": {"": "1.00"},
                    "reseed": {"": "0.50"},
                    "primary": {"": "1"},
                    "reserve": {"": "9"},
                },
            ),
            NEXT,
        ),
        (T1, OTHER),
        (
            Frame("T1", plain("r1", [5, 4, 3, 2])),
            straight_flush("T1", "r1", "0.10", [4, 3, 2]),  # a tenth of 1.04: 0.94 left, reserve 0.36
            SUSPEND,
            *paid("r1", 4, 3, 2),
            close_link(),
        ),
        # 0.94 + 0.36 less 1.00: 0.30 of the reserve
        {
            L: Level("0", "0", "0.40", "0.10", transfers="-0.30"),
            N: Level("10000", "10000", "0", reserve="0.30", transfers="0.30"),
        },
    ),
    Example(
        "of the house's money only that of the current cycle returns",
        ("L8", "L10"),
        MOVE,
        (A, NEXT),
        (T1, OTHER),
        (
            Frame("T1", plain("r1", [5])),
            royal("T1", "r1", "10000.21"),
            *paid("r1"),
            *lost("r2", [5, 4]),
            SUSPEND,
            close_link(),
        ),
        {
            L: Level("0", "10000", "0.63", "10000.21", cycle=2, transfers="-0.42"),
            N: Level("10000.42", "10000", "0", transfers="0.42"),
        },
    ),
    Example(
        "what tops a meter up is house money of its cycle",
        ("L8", "A4"),
        MOVE,
        (Link("L", "ma-PTMGL01", options={"primary": {"": "50"}, "floor_to_seed": True}), NEXT),
        (T1, OTHER),
        (
            Frame("T1", plain("r1", [5])),
            straight_flush("T1", "r1", "1000.05"),  # 9,000.45, topped up with 999.55
            *paid("r1"),
            SUSPEND,
            close_link(),
        ),
        # 10,000.00 less 10,999.55
        {L: Level("0", "999.55", "0.50", "1000.05"), N: Level("10000", "10000", "0")},
    ),
    Example(
        "players' money that a reseed took from the reserve moves on",
        ("L8", "A3"),
        MOVE,
        (Link("L", "pa-643a-five-card-hand-bonus"), NEXT),
        (T1, OTHER),
        (
            Frame("T1", plain("r1", [5, 4])),
            royal("T1", "r1", "10000.26"),  # 2 x 0.13; the next meter is the reserve, 2 x 0.08
            *paid("r1"),
            *lost("r2", [5]),
            SUSPEND,
            close_link(),
        ),
        # reseeded with nothing of the house's: 0.16 + 0.13 and 0.08 of reserve
        {
            L: Level("0", "10000", "0.63", "10000.26", cycle=2, transfers="-0.37"),
            N: Level("10000.29", "10000", "0", reserve="0.08", transfers="0.37"),
        },
    ),
    Example(
        "a meter that was corrected moves as it is",
        ("L8",),
        MOVE,
        (A, NEXT),
        (T1, OTHER),
        (correct_meter("25.00"), SUSPEND, close_link()),
        {
            L: Level("0", "0", "0", corrections="25", transfers="-25"),
            N: Level("10025", "10000", "0", transfers="25"),
        },
    ),
    Example(
        "with nothing of the players' on it a link is closed and moves nothing",
        ("L8",),
        MOVE,
        (A,),
        (T1,),
        (SUSPEND, close_link(None)),
        {L: Level("0", "0", "0")},
    ),
    Example(
        "levels of other names: two people say where the money goes",
        ("L8", "L3"),
        MOVE,
        (A, Link("N", "pa-643a-five-card-B")),
        (T1, OTHER),
        (
            *lost("r1", [5]),
            SUSPEND,
            close_link(ok=False),
            close_link(levels={"": "minor"}, ok=False),
            close_link(levels={"": "major"}),
        ),
        {
            L: Level("0", "0", "0.21", transfers="-0.21"),
            ("N", "mega"): Level("10000", "10000", "0"),
            ("N", "major"): Level("1000.21", "1000", "0", transfers="0.21"),
        },
    ),
    Example(
        "an award undone on the other link: what was moved there stays",
        ("A11", "L8"),
        MOVE,
        (A, NEXT),
        (T1, OTHER),
        (
            *lost("r1", [1, 2, 3, 4, 5, 6, 7]),
            Frame("T2", plain("r2", [5], "N")),
            Frame(
                "T2",
                settle("r2", shown(5, "Qs Js Ts"), board="As Ks"),
                (Won(5, "meter", "10000.21", "royal-flush", link="N"),),
            ),
            SUSPEND,
            close_link(),
            Check({N: Level("10001.47", "20000", "0.21", "10000.21", cycle=2, transfers="1.47")}),
            Act("undo", Hand("r2", 5, "N")),
        ),
        {N: Level("10001.68", "10000", "0.21", cycle=2, transfers="1.47")},
    ),
    Example(
        "what an award on a closed link gives back is corrected away, and nothing is put on it",
        ("L8", "A10"),
        MOVE,
        (A, NEXT),
        (T1, OTHER),
        (
            Frame("T1", plain("r1", [5])),
            royal("T1", "r1", "10000.21"),
            *paid("r1"),
            SUSPEND,
            close_link(),
            Act("correct", FIRST, {"amount": "9990.21", "document": "V-1"}, people=2),
            Check({L: Level("10", "10000", "0.21", "9990.21", cycle=2)}),
            correct_meter("1", ok=False),
            correct_meter("-10"),
        ),
        {L: Level("0", "10000", "0.21", "9990.21", cycle=2, corrections="-10")},
    ),
    Example(
        "a hand found late on a link that was closed: what moved stays moved, the house makes up the rest",
        ("T10", "A11", "L8"),
        "house rule on 58 Pa. Code 643a.11(g)",
        (A, NEXT),
        (T1, OTHER),
        (
            *lost("r1", [5, 3]),
            SUSPEND,
            close_link(),
            Act("reopen", fields={"table": "T1", "round": "r1"}, people=2),
            royal("T1", "r1", "10000.42", [3]),
        ),
        # a reseed of 10,000 that goes back to the house, and 0.42 that is on the other link already
        {
            L: Level("0", "10000.42", "0.42", "10000.42", cycle=2, transfers="-0.42"),
            N: Level("10000.42", "10000", "0", transfers="0.42"),
        },
        held=("T1",),
    ),
]
