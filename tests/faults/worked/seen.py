"""Worked examples: a request that would move the same sums as when asked for, with another effect (S8).

A transfer goes to a level of another limit, or an undo raises another award, or leaves a decision on another.
For $1: 643a A 21 %, seed and reseed 10,000.00; LOW and NEAR 20 %, seed 500.00. A royal takes the whole meter.
"""

from typing import Any

from tests.faults.worked.changed import ADA, HAND, RESUME, SUSPEND, asks, confirm, ended, paid, two, undone
from tests.faults.worked.form import Act, Example, Hand, Level, Link, Now, Step, Table
from tests.faults.worked.left import won
from tests.faults.worked.links import BOTH, LOW, lost
from tests.faults.worked.signing import ADMIN, ANN, BEN, FREE, TWO
from tests.faults.worked.undo import SECOND, THIRD

T1, T2, T3, OTHER = Table("T1"), Table("T2"), Table("T3"), Table("T2", links=("N",))
L, N = ("L", ""), ("N", "")
LIMIT = "LAP progressive limit"
NEAR = Link("N", "ma-lir-progressive", options=LOW.options)
# 10 % on the mega, 8 % on the major, 3 % on the minor
MANY = Link(
    "N",
    "ma-PTMGLML02",
    options={
        "seed": {"mega": "10000", "major": "1000", "minor": "250"},
        "primary": {"mega": "10", "major": "8", "minor": "3"},
    },
)
MANY_TOO = Link("L", MANY.paytable, options=MANY.options)
TO_MINOR: dict[str, Any] = {"link": "L", "to": "N", "levels": {"": "minor"}}
EMPTIED = Level("0", "0", "0.20", transfers="-0.20")


def change_of_n(**terms: Any) -> tuple[Step, ...]:
    """Two people give the other link new terms, and it is played on."""
    suspend, resume = (Act(kind, fields={"link": "N"}, signed=(ADA,)) for kind in ("suspend", "resume"))
    return suspend, two("change", link="N", **terms), resume


LIMITS: list[Example] = [
    Example(
        "a transfer, where the level that it goes to has a limit since",
        ("L7", "L8", "L9", "S8"),
        LIMIT,
        (LOW, NEAR),
        (BOTH, OTHER),
        (
            *lost("r1", [5]),
            SUSPEND,
            asks(1, "transfer", ADMIN, link="L", to="N"),
            *lost("r2", [5], "N", "T2"),  # 500.20
            *change_of_n(limit={"": "500.30"}),
            confirm(1, ADMIN, ADA, "changed"),
            asks(2, "transfer", ADMIN, link="L", to="N"),
            *lost("r3", [5], "N", "T2"),  # 500.30, and 0.10 above the limit
            confirm(2, ADMIN, ADA),
            ended(1, ADMIN),
        ),
        {L: EMPTIED, N: Level("500.30", "500", "0.40", overflow="0.30", transfers="0.20")},
    ),
    Example(
        "a closing, where the limit of where it goes was raised; with the same limit, whatever else changed",
        ("L7", "L8", "L9", "S8"),
        LIMIT,
        (LOW, Link("N", "ma-lir-progressive", options={**LOW.options, "limit": {"": "500.10"}})),
        (BOTH, OTHER),
        (
            *lost("r1", [5]),
            SUSPEND,
            asks(1, "close_link", ADMIN, link="L", to="N"),
            *change_of_n(limit={"": "600"}),
            confirm(1, ADMIN, ADA, "changed"),
            *change_of_n(limit={"": "500.10"}, validate_at="100", reseed={"": "400"}),
            confirm(1, ADMIN, ADA),
        ),
        {L: EMPTIED, N: Level("500.10", "500", "0", overflow="0.10", transfers="0.20")},
    ),
    Example(
        "a transfer to one level, where it has a limit since; not where another level of that link has one",
        ("L3", "L7", "L8", "L9", "S8"),
        LIMIT,
        (LOW, MANY),
        (BOTH, OTHER),
        (
            *lost("r1", [5]),
            SUSPEND,
            asks(1, "transfer", ADMIN, **TO_MINOR),
            *change_of_n(limit={"minor": "300"}),
            confirm(1, ADMIN, ADA, "changed"),
            *change_of_n(limit={"minor": None, "major": "1000"}),
            confirm(1, ADMIN, ADA),
        ),
        {
            L: EMPTIED,
            ("N", "mega"): Level("10000", "10000", "0"),
            ("N", "major"): Level("1000", "1000", "0"),
            ("N", "minor"): Level("250.20", "250", "0", transfers="0.20"),
        },
    ),
    Example(
        "a transfer, where a level that gets nothing of it has a limit since",
        ("L3", "L7", "L8", "L9", "S8"),
        LIMIT,
        (MANY_TOO, MANY),
        (BOTH, OTHER),
        (
            *lost("r1", [5]),
            two("correct_meter", link="L", level="major", account="primary", amount="-0.08"),
            SUSPEND,
            asks(1, "transfer", ADMIN, link="L", to="N"),
            *change_of_n(limit={"major": "1000"}),
            confirm(1, ADMIN, ADA),
        ),
        {
            ("L", "mega"): Level("0", "0", "0.10", transfers="-0.10"),
            ("L", "major"): Level("0", "0", "0.08", corrections="-0.08"),
            ("L", "minor"): Level("0", "0", "0.03", transfers="-0.03"),
            ("N", "mega"): Level("10000.10", "10000", "0", transfers="0.10"),
            ("N", "major"): Level("1000", "1000", "0"),
            ("N", "minor"): Level("250.03", "250", "0", transfers="0.03"),
        },
    ),
    Example(
        "a transfer, where the limit of the link that it leaves is another since: that limits nothing of it",
        ("L7", "L8", "L9", "S8"),
        LIMIT,
        (LOW, NEAR),
        (BOTH, OTHER),
        (
            *lost("r1", [5]),
            SUSPEND,
            asks(1, "transfer", ADMIN, link="L", to="N"),
            two("change", link="L", limit={"": "600"}),
            RESUME,
            SUSPEND,
            confirm(1, ADMIN, ADA),
        ),
        {L: EMPTIED, N: Level("500.20", "500", "0", transfers="0.20")},
    ),
]

RAISED: list[Example] = [
    Example(
        "an undo that would raise another award by as much as the one that was paid since",
        ("A11", "S8"),
        TWO,
        (FREE,),
        (T1, T2),
        (
            *won("T1", "r1"),
            *won("T2", "r2"),
            asks(1, "undo", ANN, HAND),  # r2 by 0.21
            *paid("r2"),
            *won("T1", "r3"),
            confirm(1, ANN, BEN, "changed"),  # r3 by 0.21
            asks(2, "undo", ANN, HAND),
            confirm(
                2,
                ANN,
                BEN,
                changed=(Now(THIRD, "10000.42", "pending"),),
                left=(Now(SECOND, "0.21", "paid"),),
            ),
            ended(1, ANN),
        ),
        {L: Level("10000", "30000", "0.63", "20000.63", cycle=4)},
    ),
    Example(
        "an undo that would raise the same award, whatever was wagered, validated and won after it",
        ("A11", "S8"),
        TWO,
        (FREE,),
        (T1, T2),
        (
            *won("T1", "r1"),
            *won("T2", "r2"),
            asks(1, "undo", ANN, HAND),
            *lost("r4", [5]),
            Act("validate", Hand("r2", 5), signed=(BEN,)),
            *won("T1", "r3", "10000.42"),
            confirm(1, ANN, BEN, changed=(Now(SECOND, "10000.42", "pending"),)),
        ),
        {L: Level("10000", "30000", "0.84", "20000.84", cycle=4)},
        (Now(THIRD, "10000.42", "pending"),),
    ),
]

DECISIONS: list[Example] = [
    Example(
        "an undo that would leave a decision on one more paid award",
        ("A11", "S8"),
        TWO,
        (FREE,),
        (T1, T2),
        (
            *won("T1", "r1"),
            *won("T2", "r2"),
            *paid("r2"),
            asks(1, "undo", ANN, HAND),
            *won("T1", "r3"),
            *paid("r3"),
            confirm(1, ANN, BEN, "changed"),
            asks(2, "undo", ANN, HAND),
            confirm(2, ANN, BEN, left=(Now(SECOND, "0.21", "paid"), Now(THIRD, "0.21", "paid"))),
            ended(1, ANN),
        ),
        {L: Level("10000.21", "30000", "0.63", "20000.42", cycle=4)},
    ),
    Example(
        "an undo that would leave a decision on the same award, where another was won and undone since",
        ("A11", "S8"),
        TWO,
        (FREE,),
        (T1, T2),
        (
            *won("T1", "r1"),
            *won("T2", "r2"),
            *paid("r2"),
            asks(1, "undo", ANN, HAND),
            *won("T1", "r3"),
            Act("undo", Hand("r3", 5), signed=(BEN,)),
            *lost("r4", [5]),
            confirm(1, ANN, BEN, left=(Now(SECOND, "0.21", "paid"),)),
        ),
        {L: Level("10000.63", "20000", "0.84", "10000.21", cycle=4)},
    ),
    Example(
        "a void that would leave less to decide on, where an undo has left it since",
        ("T6", "A11", "S8"),
        TWO,
        (FREE,),
        (T1, T2, T3),
        (
            *lost("r0", [5], "L", "T3"),
            Act("reopen", fields={"table": "T3", "round": "r0"}, signed=(ADA, BEN)),
            *won("T1", "r1", "10000.42"),
            *won("T2", "r2"),
            *paid("r2"),
            asks(1, "void_round", ANN, table="T3", round="r0"),
            undone("r1", "0.42"),
            confirm(1, ANN, BEN, "changed"),  # of the 0.42 it would take 0.21
        ),
        {L: Level("10000.42", "20000", "0.63", "10000.21", cycle=3)},
    ),
]

EXAMPLES: list[Example] = LIMITS + RAISED + DECISIONS
