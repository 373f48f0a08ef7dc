"""Worked examples: each winner has forms and papers of their own, to which more is added later (A10).

643a A for $1: seed and reseed 10,000.00, 21 %; a royal of seat 5 has envy of 1,000.00 for seats 3 and 1.
"""

from typing import Any

from tests.faults.worked.form import Act, Example, Frame, Hand, Level, Now, Prize, Table, plain
from tests.faults.worked.papers import ENVY, HAND, LAW, TAX, L
from tests.faults.worked.signing import ADMIN, ANN, AUDITOR, CASHIER, VIEWER, WON, one_royal
from tests.faults.worked.undo import FIRST, A, royal
from tests.faults.worked.winners import EACH, LEAVES, OTHER, THREE

T1 = Table("T1")
# Nine dollars below the royal and one envy; a dollar above two envies.
TWO_THOUSAND = 200_000


def pay(seat: int, document: str, why: str = "", **fields: Any) -> Act:
    return Act("pay", HAND, {"seat": seat, "document": document, **fields}, ok=not why, why=why)


def adds(seat: int | None = None, why: str = "", *, ok: bool = True, **fields: Any) -> Act:
    whose = {} if seat is None else {"seat": seat}
    return Act("add_papers", HAND, whose | fields, ok=ok and not why, why=why)


def correct(on: Prize, amount: str, document: str | None, why: str = "", **fields: Any) -> Act:
    given = {} if document is None else {"document": document}
    return Act("correct", on, {"amount": amount, **given, **fields}, 2, ok=not why, why=why)


EXAMPLES: list[Example] = [
    Example(
        "no two winners of a hit share the number of a form; one winner may have it twice, and another hit",
        ("A10",),
        EACH,
        (A,),
        (T1,),
        (
            *THREE,
            pay(3, "P-1"),
            pay(1, "P-1", "document_used"),
            pay(1, " p-1", "document_used"),
            pay(5, "P-1", "document_used"),
            pay(1, "P-2"),
            correct(ENVY, "900", "P-2", "document_used"),
            correct(ENVY, "900", "P-1"),
            pay(5, "P-3"),
            correct(FIRST, "9999.63", "P-1", "document_used"),
            correct(FIRST, "9999.63", "V-1"),
            correct(OTHER, "1001", "V-1", "document_used"),
            Frame("T1", plain("r2", [5])),
            royal("T1", "r2", "10001.21"),  # with the dollar that went back
            Act("validate", Hand("r2", 5)),
            Act("pay", Hand("r2", 5), {"document": "P-1"}),
        ),
        {L: Level("10000", "30000", "0.84", "20000.84", cycle=3)},
        (Now(ENVY, "1000", "paid"), Now(FIRST, "10000.63", "paid")),
    ),
    Example(
        "a number with which a paid award was corrected is that winner's; unpaid, it has no form yet",
        ("A10", "A11"),
        EACH,
        (A,),
        (T1,),
        (
            *THREE,
            correct(OTHER, "990", "V-1"),
            Act("validate", HAND),
            pay(3, "V-1"),
            correct(OTHER, "1000", "V-1"),
            correct(ENVY, "990", "V-2"),
            pay(5, "V-2", "document_used"),
            pay(5, "V-1", "document_used"),
            pay(5, "P-2"),
        ),
        LEAVES,
    ),
    Example(
        "a seat whose award is undone has no papers to add to",
        ("A10", "A11"),
        EACH,
        (A,),
        (T1,),
        (
            *THREE,
            Act("undo", OTHER),
            adds(1, "no_such_award", wrote=["witness"]),
            adds(why="several_winners", patron="P"),
            Act("undo", ENVY),
            adds(patron="P"),
            Act("pay", HAND, {"needs": ["patron"]}),
        ),
        LEAVES,
    ),
    Example(
        "to the papers of a hit that was seen the floor and the cage add, nobody else",
        ("A10",),
        LAW,
        (A,),
        (T1,),
        (
            *one_royal(),
            Act("add_papers", HAND, {"wrote": ["witness"]}, ok=False, signed=(ANN,), why="not_validated"),
            Act("validate", HAND, signed=(ANN,)),
            *(
                Act("add_papers", HAND, {"wrote": ["witness"]}, ok=False, signed=(one,), why="not_allowed")
                for one in (ADMIN, AUDITOR, VIEWER)
            ),
            Act("add_papers", HAND, {"wrote": ["witness"]}, signed=(ANN,)),
            Act("add_papers", HAND, {"wrote": ["dealer"]}, signed=(CASHIER,)),
            Act("pay", HAND, {"needs": ["dealer", "witness"]}, signed=(CASHIER,)),
            Act("add_papers", HAND, {"wrote": ["surveillance"]}, signed=(ANN,)),
        ),
        WON,
    ),
    Example(
        "what the site wants on all papers is there with the validation, with the payment, or added",
        ("A10",),
        LAW,
        (A,),
        (T1,),
        (
            *one_royal(),
            Act("validate", HAND, {"wrote": ["dealer"]}),
            Act("pay", HAND, {"needs": ["dealer", "witness", "patron"]}, ok=False, why="no_paper"),
            Act("pay", HAND, {"needs": ["dealer", "witness", "patron"], "patron": "P"}, ok=False),
            adds(wrote=["witness"]),
            Act("pay", HAND, {"needs": ["dealer", "witness", "patron"]}, ok=False, why="no_paper"),
            Act("pay", HAND, {"needs": ["tax_form"], "patron": "P"}, ok=False, why="no_paper"),
            Act("pay", HAND, {"needs": ["dealer", "witness", "patron"], "patron": "P"}),
        ),
        WON,
    ),
    Example(
        "what is added to one winner's papers is not on another's; what is added for all is",
        ("A10",),
        EACH,
        (A,),
        (T1,),
        (
            *THREE,
            adds(why="several_winners", patron="P"),
            adds(why="several_winners", tax_form="W-2G"),
            adds(2, "no_such_award", wrote=["witness"]),
            adds(3, wrote=["witness"], patron="P"),
            adds(1, patron="Q"),
            pay(1, "P-1", "no_paper", needs=["witness"]),
            pay(1, "P-1", "no_paper", needs=["patron", "dealer"]),
            pay(3, "P-1", needs=["witness", "patron"]),
            adds(wrote=["dealer", "witness"]),
            pay(1, "P-2", needs=["patron", "dealer", "witness"]),
            pay(5, "P-3", "no_paper", needs=["patron", "dealer"]),
            pay(5, "P-3", needs=["dealer"]),
        ),
        LEAVES,
    ),
    Example(
        "a form that was added serves for the payment; half a form is none",
        ("A10",),
        TAX,
        (A,),
        (T1,),
        (
            *THREE,
            adds(5, "no_tax_form", tax_form="W-2G", tax_number=""),
            adds(5, "no_tax_form", tax_number="T-1"),
            pay(5, "P-1", "no_tax_form", tax_form="W-2G", tax_number=""),
            pay(5, "P-1", "no_tax_form", tax_from=TWO_THOUSAND),
            adds(3, tax_form="W-2G"),
            pay(5, "P-1", "no_tax_form", tax_from=TWO_THOUSAND),
            adds(5, tax_form="W-2G"),
            pay(5, "P-1", tax_from=TWO_THOUSAND),
            pay(1, "P-2", "no_tax_form", tax_from=100_000),
            pay(1, "P-2", tax_from=100_001),
        ),
        LEAVES,
    ),
    Example(
        "before a correction that takes a form it is added to that winner's papers",
        ("A10",),
        TAX,
        (A,),
        (T1,),
        (
            *THREE,
            pay(3, "P-1", tax_from=TWO_THOUSAND),
            correct(ENVY, "2000", "V-1", "no_tax_form", tax_from=TWO_THOUSAND),
            adds(1, tax_form="W-2G"),
            correct(ENVY, "2000", "V-1", "no_tax_form", tax_from=TWO_THOUSAND),
            adds(3, tax_form="W-2G"),
            correct(ENVY, "2000", "V-1", tax_from=TWO_THOUSAND),
        ),
        LEAVES,
        (Now(ENVY, "1000", "paid"),),
        held=("T1",),
    ),
    Example(
        "seats whose papers name one patron are counted together, each with a form of its own",
        ("A10", "T9"),
        TAX,
        (A,),
        (T1,),
        (
            *THREE,
            adds(3, patron="Pat Ron"),
            pay(1, "P-1", "no_tax_form", patron=" PAT  ron", tax_from=TWO_THOUSAND),
            pay(1, "P-1", "no_tax_form", patron="Pat Ron", tax_from=TWO_THOUSAND),
            pay(1, "P-1", patron="Pat Ron", tax_from=TWO_THOUSAND, tax_form="W-2G"),
            pay(3, "P-2", "no_tax_form", tax_from=TWO_THOUSAND),
            pay(3, "P-2", tax_from=TWO_THOUSAND + 1),
            pay(5, "P-3", patron="Another", tax_from=1_000_064),
        ),
        LEAVES,
    ),
    Example(
        "a correction counts what the seats of that patron were given",
        ("A10", "T9"),
        TAX,
        (A,),
        (T1,),
        (
            *THREE,
            adds(3, patron="Pat Ron"),
            pay(1, "P-1", patron="Pat Ron"),
            pay(3, "P-2", tax_from=TWO_THOUSAND + 1),
            correct(ENVY, "1000.50", "V-1", tax_from=TWO_THOUSAND + 51),
            correct(ENVY, "1000.51", "V-1", "no_tax_form", tax_from=TWO_THOUSAND + 51),
            correct(OTHER, "1000.01", "V-2", "no_tax_form", tax_from=TWO_THOUSAND + 51),
            correct(ENVY, "900", "V-1", tax_from=0),
            correct(OTHER, "1000.01", "V-2", tax_from=TWO_THOUSAND),
        ),
        LEAVES,
        held=("T1",),
    ),
    Example(
        "an undone award of that patron counts no more",
        ("A10", "A11"),
        TAX,
        (A,),
        (T1,),
        (
            *THREE,
            adds(3, patron="Pat Ron"),
            adds(1, patron="Pat Ron"),
            pay(1, "P-1", "no_tax_form", tax_from=TWO_THOUSAND),
            Act("undo", ENVY),
            pay(1, "P-1", tax_from=TWO_THOUSAND),
        ),
        LEAVES,
        held=("T1",),
    ),
]
