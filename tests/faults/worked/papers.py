"""Worked examples: holds on a payment: a dispute, and a large sum's tax form (A10)."""

from typing import Any

from tests.faults.worked.form import Act, Example, Frame, Hand, Level, Now, Prize, Signer, Table, plain
from tests.faults.worked.signing import ADMIN, ANN, AUDITOR, BEN, CASHIER, VIEWER, WON, one_royal
from tests.faults.worked.undo import FIRST, A, royal, straight_flush

T1 = Table("T1")
L = ("L", "")
HAND = Hand("r1", 5)
ENVY = Prize(HAND, 3, "envy")
LAW = "58 Pa. Code 643a.11(g)(4)(iv): paid when the documentation is complete; house rule on disputes"
TAX = "the holder's internal controls: a payment from a sum on is reported for tax"
# A royal of 10,000.42, by two wagers of 0.21, with envy of 1,000.00 for seat 3: seen, and what it leaves.
VALIDATED = (
    Frame("T1", plain("r1", [5, 3])),
    royal("T1", "r1", "10000.42", [3]),
    Act("validate", HAND),
)
# A tenth of 10,000.42, with envy of 300.00 for seat 3; and what is left once it was raised to 2,000.00.
TENTH = (Frame("T1", plain("r1", [5, 3])), straight_flush("T1", "r1", "1000.04", [3]))
RAISED = {L: Level("8000.42", "10000", "0.42", "2000")}
ENVIED = {L: Level("10000", "20000", "0.42", "10000.42", cycle=2)}


def by(kind: str, *signed: Signer, ok: bool = True, asked: int | None = None, **fields: Any) -> Act:
    """Something that people who sign do to the hand of round r1."""
    return Act(kind, None if kind == "confirm" else HAND, fields, ok=ok, signed=signed, asked=asked)


def pay(
    on: Hand | Prize,
    tax_from: int | None = None,
    form: str = "",
    *,
    seat: int | None = None,
    ok: bool = True,
    why: str = "",
) -> Act:
    """tax_from in cents. seat: which winner of a hand."""
    fields = {"tax_from": tax_from, "tax_form": form} | ({} if seat is None else {"seat": seat})
    return Act("pay", on, fields, ok=ok and not why, why=why)


def correct(amount: str, tax_from: int | None, *, ok: bool = True) -> Act:
    fields = {"amount": amount, "document": "V-1", "tax_from": tax_from}
    return Act("correct", FIRST, fields, people=2, ok=ok)


EXAMPLES: list[Example] = [
    Example(
        "a disputed hit is not paid until two of the floor and the auditors lift that",
        ("A10",),
        LAW,
        (A,),
        (T1,),
        (
            *one_royal(),
            *(by("dispute", one, ok=False) for one in (CASHIER, VIEWER, AUDITOR, ADMIN)),
            by("dispute", ANN),
            by("dispute", BEN, ok=False),
            by("validate", ANN),
            by("pay", CASHIER, ok=False),
            Act("pay", FIRST, signed=(CASHIER,), ok=False),
            *(by("lift", one, ok=False, dispute=1) for one in (CASHIER, VIEWER, ADMIN)),
            by("lift", ANN, ok=False, dispute=2),
            by("lift", AUDITOR, dispute=1, asked=1),
            by("pay", CASHIER, ok=False),
            by("confirm", AUDITOR, ANN, request=1),
            by("lift", ANN, BEN, dispute=1, ok=False),
            by("pay", CASHIER),
            by("dispute", ANN, ok=False),
        ),
        WON,
        (Now(FIRST, "10000.21", "paid"),),
    ),
    Example(
        "what was asked about one dispute lifts no later one",
        ("A10", "S8"),
        LAW,
        (A,),
        (T1,),
        (
            *one_royal(),
            by("dispute", ANN),
            by("lift", ANN, dispute=1, asked=1),
            by("lift", BEN, AUDITOR, dispute=1, reason="pictures seen"),
            by("dispute", BEN),
            by("confirm", ANN, BEN, request=1, ok=False),
            by("validate", ANN),
            by("pay", CASHIER, ok=False),
            by("lift", ANN, AUDITOR, dispute=2),
            by("pay", CASHIER),
        ),
        WON,
    ),
    Example(
        "a disputed award is corrected and undone; with the last that waits the dispute is over",
        ("A10", "A11"),
        LAW,
        (A,),
        (T1,),
        (
            *VALIDATED,
            Act("dispute", HAND),
            Act("correct", FIRST, {"amount": "9000.42"}, people=2),
            Act("undo", FIRST),
            pay(ENVY, ok=False),
            Act("lift", HAND, {"dispute": 1}, ok=False),
            Act("undo", ENVY),
            Act("lift", HAND, {"dispute": 1}, people=2, ok=False),
            Act("dispute", HAND, ok=False),
        ),
        {L: Level("10000.42", "10000", "0.42", cycle=2)},
    ),
    Example(
        "a payment from the site's sum on takes a tax form",
        ("A10",),
        TAX,
        (A,),
        (T1,),
        (
            *one_royal(),
            Act("validate", HAND),
            pay(HAND, 1_000_021, why="no_tax_form"),
            pay(FIRST, 60_000, why="no_tax_form"),
            pay(HAND, 1_000_021, "W-2G"),
        ),
        WON,
    ),
    Example(
        "below that sum, or where the site names none, it takes none",
        ("A10",),
        TAX,
        (A,),
        (T1,),
        (
            *VALIDATED,
            pay(FIRST, 1_000_043),
            pay(ENVY, None),
        ),
        ENVIED,
        (Now(FIRST, "10000.42", "paid"), Now(ENVY, "1000", "paid")),
    ),
    Example(
        "a correction that raises what was paid to the sum takes a form that was not there",
        ("A10",),
        TAX,
        (A,),
        (T1,),
        (
            *TENTH,
            correct("2000", 200_000),  # unpaid: its payment will ask
            correct("1000.04", 200_000),
            Act("validate", HAND),
            pay(FIRST, 200_000),
            correct("1999.99", 200_000),
            correct("2000", 200_000, ok=False),
            correct("2000", None),
            correct("2500", 200_000, ok=False),
            correct("1000.04", 200_000),
            correct("2000", None),
        ),
        RAISED,
        (Now(FIRST, "1000.04", "paid"),),
    ),
    Example(
        "a form that was given with the payment serves for what is paid on top",
        ("A10",),
        TAX,
        (A,),
        (T1,),
        (
            *TENTH,
            Act("validate", HAND),
            pay(FIRST, 200_000, "W-2G"),
            correct("2000", 200_000),
            correct("2500", 200_000),
            correct("2000", 200_000),
        ),
        RAISED,
        (Now(FIRST, "1000.04", "paid"),),
    ),
    Example(
        "each winner that comes to the sum has a form of its own",
        ("A10", "A5"),
        TAX,
        (A,),
        (T1,),
        (
            *VALIDATED,
            pay(HAND, 60_000, "W-2G", why="several_winners"),
            pay(FIRST, 60_000, "W-2G"),
            pay(ENVY, 100_000, why="no_tax_form"),
            pay(ENVY, 100_000, "W-2G"),
        ),
        ENVIED,
    ),
    Example(
        "a winner below the sum takes no form, whatever another of the hit gets",
        ("A10", "A5"),
        TAX,
        (A,),
        (T1,),
        (
            Frame("T1", plain("r1", [5, 3])),
            straight_flush("T1", "r1", "1000.04", [3]),  # a tenth of 10,000.42; envy 300.00
            Act("validate", HAND),
            pay(HAND, 60_000, seat=5, why="no_tax_form"),
            pay(HAND, 60_000, seat=3),
            pay(HAND, 60_000, "W-2G", seat=5),
        ),
        {L: Level("9000.38", "10000", "0.42", "1000.04")},
        (Now(ENVY, "300", "paid"),),
    ),
]
