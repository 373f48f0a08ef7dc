"""Worked examples: the payer is who signs the payment, and what is journalled against it later (A8, A10)."""

from dataclasses import replace
from typing import Any

from tests.faults.worked.form import (
    Act,
    Check,
    Example,
    Hand,
    Level,
    Now,
    Prize,
    Signer,
)
from tests.faults.worked.papers import ENVIED, ENVY, HAND, T1, VALIDATED, L
from tests.faults.worked.signing import ANN, BEN, CASHIER, VIEWER, one_royal
from tests.faults.worked.undo import FIRST, A
from tests.faults.worked.winners import BONUS, DEALERS, SHARED, UTH_TABLE

LAW = "58 Pa. Code 643a.11(g)(4)(iv), (g)(5)(iii): no part of a meter is of the table inventory; house"
TELLER, BOTH = Signer(12, ("cage",)), Signer(13, ("floor", "cage"))


def pays(who: Signer, on: Hand | Prize = FIRST, why: str = "", **fields: Any) -> Act:
    return Act("pay", on, fields, ok=not why, signed=(who,), why=why)


def corrects(on: Prize, amount: str, *signed: Signer, why: str = "", asked: int | None = None) -> Act:
    """A correction with a document of its own winner, as for a paid award."""
    fields = {"amount": amount, "document": f"V-{on.seat}"}
    return Act("correct", on, fields, ok=not why, signed=signed, why=why, asked=asked)


def answers(kind: str, number: int, *signed: Signer, why: str = "", **fields: Any) -> Act:
    return Act(kind, None, {"request": number, **fields}, ok=not why, signed=signed, why=why)


EXAMPLES: list[Example] = [
    Example(
        "the floor pays the envy of another seat while the royal waits for the cage",
        ("A8", "A10"),
        LAW,
        (A,),
        (T1,),
        (
            *VALIDATED,
            pays(ANN, why="not_allowed"),
            pays(ANN, HAND, seat=5, why="not_allowed"),
            pays(ANN, HAND, why="not_allowed"),  # of both seats, and one of them is the cage's
            pays(CASHIER, HAND, why="several_winners"),
            Act("pay", FIRST, ok=False, signed=(CASHIER, ANN), why="not_allowed"),
            Act("dispute", HAND, signed=(ANN,)),
            pays(ANN, why="not_allowed"),  # before the dispute
            pays(ANN, HAND, seat=3, why="disputed"),
            Act("lift", HAND, {"dispute": 1}, signed=(ANN, BEN)),
            pays(ANN, tax_from=1, why="not_allowed"),  # before the tax form
            pays(VIEWER, ENVY, why="not_allowed"),
            pays(ANN, HAND, seat=3),
            pays(replace(CASHIER, means="token")),
        ),
        ENVIED,
        (Now(FIRST, "10000.42", "paid"), Now(ENVY, "1000", "paid")),
    ),
    Example(
        "the floor pays an envy by its award, the cage may, and who has both roles pays all",
        ("A8",),
        LAW,
        (A,),
        (T1,),
        (*VALIDATED, pays(ANN, ENVY), pays(BOTH)),
        ENVIED,
        (Now(FIRST, "10000.42", "paid"), Now(ENVY, "1000", "paid")),
    ),
    Example(
        "of the cage's awards that are undone or paid nothing is paid, so the rest is the floor's",
        ("A8", "A11"),
        LAW,
        (A,),
        (T1,),
        (
            *VALIDATED,
            Act("undo", FIRST, signed=(ANN,)),
            pays(ANN, HAND),
        ),
        {L: Level("10000.42", "10000", "0.42", cycle=2)},
        (Now(FIRST, "10000.42", "undone"), Now(ENVY, "1000", "paid")),
    ),
    Example(
        "players who share a part of a meter are all paid by the cage",
        ("A6", "A8"),
        LAW,
        (BONUS,),
        (UTH_TABLE,),
        (
            *SHARED,
            Act("validate", DEALERS, signed=(ANN,)),
            *(pays(ANN, DEALERS, seat=seat, why="not_allowed") for seat in (5, 3)),
            *(pays(CASHIER, DEALERS, seat=seat) for seat in (5, 3)),
        ),
        {L: Level("0.16", "10000", "0.42", "10000.26", cycle=2)},
    ),
    Example(
        "what the cage has paid two of the cage correct; what the floor may pay, two of the floor",
        ("A8", "A10"),
        LAW,
        (A,),
        (T1,),
        (
            *VALIDATED,
            pays(CASHIER),
            pays(ANN, ENVY),
            corrects(FIRST, "10001.42", ANN, why="not_allowed"),
            corrects(FIRST, "10001.42", ANN, CASHIER, why="not_allowed"),
            corrects(FIRST, "10001.42", CASHIER, BEN, why="not_allowed"),
            corrects(FIRST, "10001.42", CASHIER, asked=1),
            answers("confirm", 1, CASHIER, ANN, why="not_allowed"),
            answers("reject", 1, ANN, why="not_allowed"),
            Check(ENVIED),
            answers("confirm", 1, CASHIER, TELLER),
            corrects(FIRST, "10002.42", BOTH, asked=2),
            answers("reject", 2, TELLER),
            corrects(ENVY, "1001", ANN, BEN),
            corrects(ENVY, "1000", CASHIER, ANN),
        ),
        # the dollar is the house's, for the meter is never below its reseed
        {L: Level("10000", "20001", "0.42", "10001.42", cycle=2)},
        (Now(ENVY, "1000", "paid"),),
    ),
    Example(
        "what the floor has asked for waits for the cage alone once the award is paid",
        ("A8", "A10", "S8"),
        LAW,
        (A,),
        (T1,),
        (
            *one_royal(),
            corrects(FIRST, "9000.21", ANN, asked=1),
            corrects(FIRST, "9000.22", ANN, asked=2),
            corrects(FIRST, "9000.23", BOTH, asked=3),
            Act("validate", HAND, signed=(ANN,)),
            pays(CASHIER),
            answers("confirm", 1, ANN, CASHIER, why="not_allowed"),
            answers("confirm", 3, BOTH, BEN, why="not_allowed"),
            answers("reject", 1, BEN, why="not_allowed"),
            answers("reject", 1, CASHIER),
            answers("reject", 2, ANN),
            answers("reject", 3, TELLER),
        ),
        {L: Level("10000", "20000", "0.21", "10000.21", cycle=2)},
        (Now(FIRST, "10000.21", "paid"),),
    ),
]
