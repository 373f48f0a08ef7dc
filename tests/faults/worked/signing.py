"""Worked examples: roles, and requests that a second person confirms (A10, A11, T10, T11).

A floorperson validates, strikes, voids, reopens and releases; the cage pays what comes of a meter; what
moves money against an award takes two different people, of whom the second signs with a secret of their own.
"""

from dataclasses import replace
from typing import Any

from tests.faults.worked.form import (
    MACHINE,
    Act,
    Check,
    Example,
    Frame,
    Hand,
    Level,
    Link,
    Now,
    Prize,
    Signer,
    Table,
    close,
    plain,
)
from tests.faults.worked.undo import FIRST, SECOND, A, royal

ANN, BEN = Signer(3, ("floor",)), Signer(4, ("floor",))
CASHIER, VIEWER = Signer(5, ("cage",)), Signer(6, ("viewer",))
AUDITOR, ADMIN = Signer(7, ("auditor",)), Signer(8, ("admin",))
EVE, FAY = Signer(9, ("admin",), given_by=MACHINE), Signer(10, ("admin",), given_by=MACHINE)
T1, T2 = Table("T1"), Table("T2")
L = ("L", "")
LAW = "58 Pa. Code 643a.11(g)(4)(iii): a floorperson or above validates"
TWO = "LAP: dual key"
WON = {L: Level("10000", "20000", "0.21", "10000.21", cycle=2)}
FREE = Link("L", "pa-643a-five-card-A", options={"hold_table": False})


def by(kind: str, *signed: Signer, ok: bool = True, asked: int | None = None, **fields: Any) -> Act:
    """Something that is done to the hit of round r1."""
    on = Hand("r1", 5) if kind in ("validate", "pay", "undo") else FIRST if kind == "correct" else None
    return Act(kind, on, fields, ok=ok, signed=signed, asked=asked)


def no(kind: str, *each: Signer, **fields: Any) -> tuple[Act, ...]:
    """Each of them alone is refused."""
    return tuple(by(kind, one, ok=False, **fields) for one in each)


def agree(asker: Signer, other: Signer, ok: bool = True) -> Act:
    """Another agrees to reopen round r1. asker: who asked, as they stand then."""
    return by("agree_to_reopen", asker, other, ok=ok, table="T1", round="r1")


def one_royal() -> tuple[Frame, ...]:
    return Frame("T1", plain("r1", [5])), royal("T1", "r1", "10000.21")


def add_cents(*signed: Signer, ok: bool = True, asked: int | None = None) -> Act:
    """A cent is put on the meter."""
    fields = {"link": "L", "level": "", "account": "primary", "amount": "0.01"}
    return Act("correct_meter", None, fields, ok=ok, signed=signed, asked=asked)


EXAMPLES: list[Example] = [
    Example(
        "the floor validates and releases, the cage pays a part of a meter, and nobody else",
        ("A8", "A10", "T11"),
        LAW,
        (A,),
        (T1,),
        (
            *one_royal(),
            *no("release", CASHIER, VIEWER, AUDITOR, ADMIN, table="T1"),
            by("release", ANN, table="T1"),
            *no("validate", CASHIER, VIEWER, AUDITOR, ADMIN),
            by("validate", replace(ANN, means="token")),
            *no("pay", ANN, VIEWER, AUDITOR, ADMIN),
            by("pay", CASHIER),
        ),
        WON,
        (Now(FIRST, "10000.21", "paid"),),
    ),
    Example(
        "a correction is asked for by one, confirmed by another of the floor or the cage",
        ("A10",),
        TWO,
        (A,),
        (T1,),
        (
            *one_royal(),
            *no("correct", VIEWER, AUDITOR, ADMIN, amount="9000.21"),
            by("correct", ANN, amount="9000.21", asked=1),
            Check(WON),
            by("confirm", ANN, ANN, request=1, ok=False),
            by("confirm", ANN, VIEWER, request=1, ok=False),
            by("confirm", BEN, CASHIER, request=1, ok=False),
            by("confirm", ANN, replace(BEN, means="token"), request=1, ok=False),
            by("confirm", ANN, replace(BEN, means="login"), request=1, ok=False),
            by("confirm", ANN, replace(BEN, given_by=3), request=1, ok=False),
            by("confirm", replace(ANN, given_by=4), BEN, request=1, ok=False),
            by("confirm", replace(ANN, roles=("viewer",)), BEN, request=1, ok=False),
            Check(WON),
            by("confirm", ANN, CASHIER, request=1),
            by("confirm", ANN, CASHIER, request=1, ok=False),
        ),
        {L: Level("11000", "20000", "0.21", "9000.21", cycle=2)},
        (Now(FIRST, "9000.21", "pending"),),
        held=("T1",),
    ),
    Example(
        "at once on the first one's screen, where a token is no second person",
        ("A10",),
        TWO,
        (A,),
        (T1,),
        (
            *one_royal(),
            by("correct", ANN, ANN, amount="9000.21", ok=False),
            by("correct", ANN, replace(BEN, means="token"), amount="9000.21", ok=False),
            by("correct", ANN, replace(BEN, given_by=3), amount="9000.21", ok=False),
            by("correct", ANN, ADMIN, amount="9000.21", ok=False),
            by("correct", replace(ANN, given_by=8), replace(BEN, given_by=8), amount="9000.21", ok=False),
            by("correct", replace(ANN, given_by=8), replace(BEN, given_by=8, vouched=9), amount="9000.21"),
        ),
        {L: Level("11000", "20000", "0.21", "9000.21", cycle=2)},
        (Now(FIRST, "9000.21", "pending"),),
        held=("T1",),
    ),
    Example(
        "admins whom the machine's operator made are one, until an admin from before vouches for one of them",
        ("A11", "L8"),
        TWO,
        (A,),
        (T1,),
        (
            *(add_cents(one, other, ok=False) for one, other in ((EVE, FAY), (FAY, EVE))),
            add_cents(EVE, asked=1),
            by("confirm", EVE, FAY, request=1, ok=False),
            by("confirm", EVE, ADMIN, request=1),
            add_cents(EVE, replace(FAY, vouched=8)),
            add_cents(replace(EVE, vouched=8), FAY),
        ),
        {L: Level("10000.03", "10000", "0", corrections="0.03")},
    ),
    Example(
        "a token or a login may ask, and the one who confirms has a secret",
        ("A10",),
        TWO,
        (A,),
        (T1,),
        (
            *one_royal(),
            by("correct", replace(ANN, means="token"), amount="9000.21", asked=1),
            by("confirm", ANN, BEN, request=1, ok=False),
            by("confirm", replace(ANN, means="token"), BEN, request=1),
            by("correct", replace(BEN, means="login"), amount="8000.21", asked=2),
            by("confirm", replace(BEN, means="login"), ANN, request=2),
        ),
        {L: Level("12000", "20000", "0.21", "8000.21", cycle=2)},
        held=("T1",),
    ),
    Example(
        "what two would be refused waits for nobody, and what one may do is done",
        ("A10", "A11"),
        TWO,
        (A,),
        (T1,),
        (
            *one_royal(),
            by("undo", CASHIER, ok=False),
            by("undo", ANN),
            by("undo", ANN, ok=False),
            by("correct", ANN, amount="9000.21", ok=False),
        ),
        {L: Level("10000.21", "10000", "0.21", cycle=2)},
        (Now(FIRST, "10000.21", "undone"),),
    ),
    Example(
        "undoing over a later award waits for a second person, and is refused if that came to nothing",
        ("A11",),
        TWO,
        (FREE,),
        (T1, T2),
        (
            *one_royal(),
            Frame("T2", plain("r2", [5])),
            royal("T2", "r2", "10000.21"),
            by("undo", ANN, asked=1),
            *no("undo", ANN, BEN),
            by("confirm", ANN, CASHIER, request=1, ok=False),
            Act(
                "confirm",
                None,
                {"request": 1},
                signed=(ANN, BEN),
                changed=(Now(SECOND, "10000.42", "pending"),),
            ),
            by("confirm", ANN, BEN, request=1, ok=False),
        ),
        {L: Level("10000", "20000", "0.42", "10000.42", cycle=3)},
    ),
    Example(
        "a request is taken back by the asker, or rejected by who may ask for the same",
        ("A10",),
        TWO,
        (A,),
        (T1,),
        (
            *one_royal(),
            by("correct", ANN, amount="9000.21", asked=1),
            by("correct", ANN, amount="8000.21", asked=2),
            *no("reject", VIEWER, AUDITOR, ADMIN, request=1),
            by("reject", CASHIER, request=1),
            by("reject", replace(ANN, roles=(), means="token"), request=2),
            by("confirm", ANN, BEN, request=1, ok=False),
            by("confirm", ANN, BEN, request=2, ok=False),
        ),
        WON,
        held=("T1",),
    ),
    Example(
        "what others have done at once is asked for no more; another sum waits on",
        ("S8", "A10"),
        TWO,
        (A,),
        (T1,),
        (
            *one_royal(),
            by("correct", ANN, amount="9000.21", asked=1),
            *no("correct", ANN, CASHIER, amount="9000.21"),
            *no("correct", ANN, amount="9000.21", reason="another reason"),
            by("correct", ANN, amount="8000.21", asked=2),
            by("correct", BEN, CASHIER, amount="9000.21"),
            by("confirm", ANN, BEN, request=1, ok=False),
            *no("reject", ANN, request=1),
            by("reject", ANN, request=2),
        ),
        {L: Level("11000", "20000", "0.21", "9000.21", cycle=2)},
        (Now(FIRST, "9000.21", "pending"),),
        held=("T1",),
    ),
    Example(
        "a request waits on where its confirmation is refused; once it is done the same is asked for anew",
        ("S8", "A10"),
        TWO,
        (A,),
        (T1,),
        (
            *one_royal(),
            by("correct", ANN, amount="9000.21", asked=1),
            *no("correct", BEN, amount="9000.21"),
            by("confirm", ANN, VIEWER, request=1, ok=False),
            by("confirm", ANN, CASHIER, request=1),
            *no("reject", ANN, request=1),
            by("correct", ANN, amount="9000.21", asked=2),
            by("reject", ANN, request=2),
        ),
        {L: Level("11000", "20000", "0.21", "9000.21", cycle=2)},
        held=("T1",),
    ),
    Example(
        "what took two, and one has done meanwhile, is asked for no more",
        ("S8", "A11"),
        TWO,
        (FREE,),
        (T1, T2),
        (
            *one_royal(),
            Frame("T2", plain("r2", [5])),
            royal("T2", "r2", "10000.21"),
            by("undo", ANN, asked=1),
            Act("undo", Hand("r2", 5), signed=(BEN,)),
            by("undo", BEN),
            *no("reject", ANN, request=1),
        ),
        {L: Level("10000.42", "10000", "0.42", cycle=3)},
    ),
    Example(
        "the undo of a hit waits on when one of its awards was undone, and ends with the last one",
        ("S8", "A11"),
        TWO,
        (FREE,),
        (T1, T2),
        (
            Frame("T1", plain("r1", [5, 3])),
            royal("T1", "r1", "10000.42", [3]),
            Frame("T2", plain("r2", [5])),
            royal("T2", "r2", "10000.21"),
            by("undo", ANN, asked=1),
            *no("undo", ANN, reason="another reason"),
            Act("undo", Prize(Hand("r1", 5), 3, "envy"), signed=(BEN,)),
            Act("undo", FIRST, signed=(BEN, ANN), changed=(Now(SECOND, "10000.63", "pending"),)),
            *no("reject", ANN, request=1),
        ),
        {L: Level("10000", "20000", "0.63", "10000.63", cycle=3)},
    ),
    Example(
        "a missed hand: one of the floor asks, another of the floor reopens",
        ("T10",),
        "house rule on 58 Pa. Code 643a.11(g)",
        (A,),
        (T1,),
        (
            Frame("T1", plain("r1", [5])),
            Frame("T1", close("r1")),
            *no("reopen", CASHIER, VIEWER, AUDITOR, ADMIN, table="T1", round="r1"),
            by("reopen", ANN, table="T1", round="r1"),
            Frame("T1", plain("r2", [5]), code="table_held"),
            *no("reopen", ANN, BEN, CASHIER, table="T1", round="r1"),
            agree(ANN, ANN, ok=False),
            agree(ANN, CASHIER, ok=False),
            agree(ANN, replace(BEN, means="token"), ok=False),
            agree(ANN, replace(BEN, given_by=3), ok=False),
            agree(replace(ANN, means="token"), BEN, ok=False),
            agree(replace(ANN, roles=("viewer",)), BEN, ok=False),
            agree(replace(ANN, lost=7), BEN, ok=False),
            agree(BEN, ANN, ok=False),
            *no("decline", CASHIER, ADMIN, table="T1", round="r1"),
            agree(ANN, BEN),
            royal("T1", "r1", "10000.21"),
        ),
        WON,
        held=("T1",),
    ),
    Example(
        "the floor or an admin suspends and resumes a link",
        ("S4",),
        "LAP: the progressive is unplayable while it is disabled",
        (A,),
        (T1,),
        (
            *no("suspend", CASHIER, VIEWER, AUDITOR, link="L"),
            by("suspend", ADMIN, link="L"),
            Frame("T1", plain("r1", [5]), code="suspended"),
            *no("resume", CASHIER, VIEWER, AUDITOR, link="L"),
            by("resume", ANN, link="L"),
            Frame("T1", plain("r1", [5])),
        ),
        {L: Level("10000.21", "10000", "0.21")},
    ),
]
