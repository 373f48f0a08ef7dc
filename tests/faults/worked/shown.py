"""Worked examples: an act is refused where its effect differs from its preview (L8, A11).

643a A for $1: 21 %, seed and reseed 10,000.00. A royal takes the whole meter.
"""

from typing import Any

from tests.faults.worked.changed import ADA, HAND, L
from tests.faults.worked.form import Act, Check, Example, Hand, Level, Look, Now, Prize, Step, Table
from tests.faults.worked.left import LEFT, LISTED, two_royals, won
from tests.faults.worked.links import BOTH, NEXT, lost
from tests.faults.worked.signing import ADMIN, ANN, BEN, FREE, TWO, one_royal
from tests.faults.worked.undo import FIRST, SECOND, A

T1, T2, OTHER = Table("T1"), Table("T2"), Table("T3", links=("N",))
N = ("N", "")
CENT: dict[str, Any] = {"link": "L", "level": "", "account": "primary", "amount": "0.01"}
MOVE: dict[str, Any] = {"link": "L", "to": "N"}
SUSPEND = Act("suspend", fields={"link": "L"}, people=1)
RESUME = Act("resume", fields={"link": "L"}, people=1)
ENDED = {L: Level("10000.21", "10000", "0.21", cycle=2)}
MOVED = {
    L: Level("0", "0", "0.21", transfers="-0.21"),
    N: Level("10000.21", "10000", "0", transfers="0.21"),
}


def looks(kind: str, on: Hand | Prize | None = None, *, ok: bool = True, **fields: Any) -> Look:
    return Look(1, Act(kind, on, fields, ok=ok))


def does(kind: str, on: Hand | Prize | None = None, why: str = "", people: int = 2, **fields: Any) -> Act:
    """An act as it was previewed."""
    return Act(kind, on, fields, people, ok=not why, why=why, shown=1)


def other(kind: str, **fields: Any) -> Step:
    """An act without a preview."""
    return Act(kind, None, fields, 2)


EXAMPLES: list[Example] = [
    Example(
        "to look at an act does nothing; whether one may do it alone is not looked at",
        ("A11", "L8"),
        TWO,
        (FREE,),
        (T1, T2),
        (
            *won("T1", "r1"),
            *won("T2", "r2"),
            looks("undo", HAND),
            looks("correct", FIRST, amount="9000"),
            looks("correct_meter", **CENT),
            looks("undo", FIRST),
            looks("transfer", ok=False, link="L", to="L"),
            Check({L: Level("10000", "30000", "0.42", "20000.42", cycle=3)}),
            Act("validate", HAND),
            Act("pay", HAND),
            looks("undo", HAND, ok=False),
            looks("correct", FIRST, amount="9000", ok=False),
            looks("correct", FIRST, amount="9000", document="V-1"),
        ),
        {L: Level("10000", "30000", "0.42", "20000.42", cycle=3)},
        (Now(FIRST, "10000.21", "paid"),),
    ),
    Example(
        "a correction of a meter: wagers make it no other, what else moves that meter does",
        ("L8", "S8"),
        TWO,
        (A,),
        (T1,),
        (
            looks("correct_meter", **CENT),
            *lost("r1", [5]),
            does("correct_meter", **CENT),
            does("correct_meter", why="changed", **CENT),
            looks("correct_meter", **CENT),
            does("correct_meter", why="changed", **CENT | {"amount": "0.02"}),
            does("correct_meter", why="changed", **CENT | {"account": "overflow"}),
            other("correct_meter", **CENT | {"amount": "0.02"}),
            does("correct_meter", why="changed", **CENT),
            other("correct_meter", **CENT | {"amount": "-0.02"}),
            does("correct_meter", **CENT),
        ),
        {L: Level("10000.23", "10000", "0.21", corrections="0.02")},
    ),
    Example(
        "an undo that was looked at is no other if the award is seen meanwhile; of an award that is another",
        ("A11", "S8"),
        TWO,
        (A,),
        (T1,),
        (
            *one_royal(),
            looks("undo", HAND),
            Act("validate", HAND),
            does("correct", FIRST, "changed", amount="9000.21"),
            does("undo", HAND, people=1),
        ),
        ENDED,
        (Now(FIRST, "10000.21", "undone"),),
    ),
    Example(
        "an undo that would raise another award since; looked at again, one asks and another confirms",
        ("A11", "S8"),
        TWO,
        (FREE,),
        (T1, T2),
        (
            *won("T1", "r1"),
            looks("undo", HAND),
            *won("T2", "r2"),
            Act("undo", HAND, ok=False, why="changed", shown=1, signed=(ANN,)),
            Act("undo", HAND, ok=False, why="changed", shown=1, signed=(ANN, BEN)),
            looks("undo", HAND),
            Act("undo", HAND, shown=1, signed=(ANN,), asked=1),
            Act(
                "confirm",
                None,
                {"request": 1},
                signed=(ANN, BEN),
                changed=(Now(SECOND, "10000.42", "pending"),),
            ),
        ),
        {L: Level("10000", "20000", "0.42", "10000.42", cycle=3)},
    ),
    Example(
        "a correction of an award that others have corrected since",
        ("A10", "S8"),
        TWO,
        (A,),
        (T1,),
        (
            *one_royal(),
            looks("correct", FIRST, amount="9000.21"),
            does("correct", FIRST, "changed", amount="9000.20"),
            Act("correct", FIRST, {"amount": "9500.21"}, 2),
            does("correct", FIRST, "changed", amount="9000.21"),
            Act("correct", FIRST, {"amount": "10000.21"}, 2),
            does("correct", FIRST, amount="9000.21"),
        ),
        {L: Level("11000", "20000", "0.21", "9000.21", cycle=2)},
        (Now(FIRST, "9000.21", "pending"),),
        held=("T1",),
    ),
    Example(
        "to let it stay is another decision than to take it off",
        ("A11", "S8"),
        LISTED,
        (FREE,),
        (T1, T2),
        (
            *two_royals(),
            looks("decide_left", SECOND, remove=True),
            does("decide_left", SECOND, "changed", remove=False),
            Check({L: LEFT}),
            does("decide_left", SECOND, remove=True),
        ),
        {L: Level("10000", "20000", "0.42", "10000.21", cycle=3, corrections="-0.21")},
    ),
    Example(
        "a transfer moves all that stands there, so wagers change it",
        ("L8", "S8"),
        TWO,
        (A, NEXT),
        (BOTH, OTHER),
        (
            looks("transfer", ok=False, **MOVE),
            SUSPEND,
            looks("transfer", **MOVE),
            RESUME,
            *lost("r1", [5]),
            SUSPEND,
            does("transfer", why="changed", **MOVE),
            looks("transfer", **MOVE),
            does("close_link", why="changed", **MOVE),
            does("transfer", **MOVE),
        ),
        MOVED,
    ),
    Example(
        "new terms are looked at against the terms in force",
        ("L9", "S8"),
        TWO,
        (A,),
        (T1,),
        (
            SUSPEND,
            looks("change", link="L", validate_at="100"),
            other("change", link="L", hold_table=False),
            does("change", why="changed", link="L", validate_at="100"),
            looks("change", link="L", validate_at="100"),
            does("change", why="changed", link="L", validate_at="101"),
            does("change", link="L", validate_at="100"),
            does("change", why="unchanged", link="L", validate_at="100"),
        ),
        {L: Level("10000", "10000", "0")},
    ),
    Example(
        "what one asks for by what they were shown waits, and the look serves two more",
        ("L8", "S8"),
        TWO,
        (A,),
        (T1,),
        (
            looks("correct_meter", **CENT),
            Act("correct_meter", None, CENT, signed=(ADMIN,), shown=1, asked=1),
            Act("correct_meter", None, CENT, signed=(ADA, ADMIN), shown=1),
            Act("confirm", None, {"request": 1}, signed=(ADMIN, ADA), ok=False),
        ),
        {L: Level("10000.01", "10000", "0", corrections="0.01")},
    ),
]
