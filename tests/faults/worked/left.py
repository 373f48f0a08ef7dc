"""Worked examples: two people decide on what an undo leaves with a paid award; a link waits for it (A11, L8).

643a A for $1: 21 %, seed and reseed 10,000.00. Of two royals the first is undone after the second was paid:
that one would have been 0.21 higher, and the 0.21 stays on the meter.
"""

from tests.faults.worked.form import (
    Act,
    Check,
    Example,
    Frame,
    Hand,
    Level,
    Now,
    Prize,
    Signer,
    Step,
    Table,
    plain,
)
from tests.faults.worked.links import BOTH, NEXT, SUSPEND, change, lost, paid
from tests.faults.worked.signing import ADMIN, ANN, AUDITOR, CASHIER, FREE, VIEWER
from tests.faults.worked.transfers import close_link
from tests.faults.worked.undo import FIRST, SECOND, THIRD, A, royal

T1, T2, OTHER = Table("T1"), Table("T2"), Table("T3", links=("N",))
L, N = ("L", ""), ("N", "")
LISTED = "LAP: dual key; house rule on undoing"
MOVE = "LAP: the amount less the reset moves to another progressive"
# 10,000.42 in all, of which 10,000.21 are paid; reseeded twice, once for an award that is undone
LEFT = Level("10000.21", "20000", "0.42", "10000.21", cycle=3)


def won(table: str, round_: str, amount: str = "10000.21") -> tuple[Step, ...]:
    """A wager of seat 5, and its royal flush."""
    return Frame(table, plain(round_, [5])), royal(table, round_, amount)


def undone(*left: Now) -> Act:
    """The first royal is undone."""
    return Act("undo", Hand("r1", 5), people=2, left=left or (Now(SECOND, "0.21", "paid"),))


def two_royals() -> tuple[Step, ...]:
    return (*won("T1", "r1"), *won("T2", "r2"), *paid("r2"), undone())


def decide(on: str, people: int = 2, *signed: Signer, ok: bool = True, asked: int | None = None) -> Act:
    """on: "removed" takes it off, "stays" lets it be."""
    return Act("decide_left", SECOND, {"remove": on == "removed"}, people, ok, signed, asked)


def transfer(people: int = 2, *, ok: bool = True) -> Act:
    return Act("transfer", None, {"link": "L", "to": "N"}, people, ok)


def decide_on(number: int, *, remove: bool, ok: bool = True) -> Act:
    """Two people decide on what is left of the royal of this round."""
    return Act("decide_left", Prize(Hand(f"r{number}", 5), 5), {"remove": remove}, 2, ok)


def won_and_paid(first: int, last: int) -> tuple[Step, ...]:
    """Royals of 10,000.21 at table T2, one a round, each of them paid."""
    rounds = [f"r{number}" for number in range(first, last + 1)]
    return tuple(step for name in rounds for step in (*won("T2", name), *paid(name)))


def much_later(pairs: int = 60) -> tuple[Step, ...]:
    """A cent is put on the meter and taken off again, so many times; then every table plays two rounds."""
    cents = [{"link": "L", "level": "", "account": "primary", "amount": one} for one in ("0.01", "-0.01")]
    moved = tuple(Act("correct_meter", None, fields, people=2) for _ in range(pairs) for fields in cents)
    rounds = (
        step for name in ("y", "z") for table in ("T1", "T2") for step in lost(name + table, [1], "L", table)
    )
    return (*moved, *rounds)


def three_left() -> tuple[Step, ...]:
    """The first of four royals is undone: each later one, paid, would have been 0.21 higher."""
    left = [Now(Prize(Hand(f"r{number}", 5), 5), "0.21", "paid") for number in (2, 3, 4)]
    return (*won("T1", "r1"), *won_and_paid(2, 4), undone(*left))


EXAMPLES: list[Example] = [
    Example(
        "of three sums left the meter holds one, and long after no other can be taken off",
        ("A11", "L8"),
        LISTED,
        (FREE,),
        (T1, T2),
        (
            *three_left(),
            *(decide_on(number, remove=True, ok=False) for number in (2, 3)),
            *much_later(),
            *(decide_on(number, remove=True, ok=False) for number in (2, 3)),
            decide_on(4, remove=True),
            *(decide_on(number, remove=True, ok=False) for number in (2, 3, 4)),
            *(decide_on(number, remove=False) for number in (2, 3)),
        ),
        # 10,000.21 and four wagers more, less 0.21; the house gave the seed and the reseeds of three
        {L: Level("10000.84", "40000", "1.68", "30000.63", cycle=5, corrections="-0.21")},
    ),
    Example(
        "the last sum can be taken off long after, once",
        ("A11",),
        LISTED,
        (FREE,),
        (T1, T2),
        (
            *two_royals(),
            *much_later(),
            decide("removed"),
            *much_later(),
            decide("removed", ok=False),
            decide("stays", ok=False),
        ),
        # eight wagers more, and the 0.21 gone
        {L: Level("10001.68", "20000", "2.10", "10000.21", cycle=3, corrections="-0.21")},
    ),
    Example(
        "what a later winner took along stays taken, however long ago; it can only stay",
        ("A11", "L8"),
        LISTED,
        (FREE,),
        (T1, T2),
        (
            *two_royals(),
            *won("T2", "r3", "10000.42"),
            *paid("r3"),
            *much_later(),
            decide("removed", ok=False),
            decide("stays"),
            decide("removed", ok=False),
        ),
        {L: Level("10000.84", "30000", "1.47", "20000.63", cycle=4)},
    ),
    Example(
        "long after, the last of three awards is corrected upward by what is left of it",
        ("A11", "A10"),
        LISTED,
        (FREE,),
        (T1, T2),
        (
            *three_left(),
            *much_later(),
            Act("correct", Prize(Hand("r4", 5), 5), {"amount": "10000.42", "document": "V-1"}, people=2),
            decide_on(4, remove=True, ok=False),
            *(decide_on(number, remove=True, ok=False) for number in (2, 3)),
            *(decide_on(number, remove=False) for number in (2, 3)),
        ),
        # the meter gives the 0.21 of the last royal
        {L: Level("10000.84", "40000", "1.68", "30000.84", cycle=5)},
    ),
    Example(
        "two people take off what an undo left with a paid award, once",
        ("A11", "L8", "M4"),
        LISTED,
        (FREE,),
        (T1, T2),
        (
            *two_royals(),
            Check({L: LEFT}),
            decide("removed", 1, ok=False),
            decide("removed"),
            decide("removed", ok=False),
            decide("stays", ok=False),
        ),
        {L: Level("10000", "20000", "0.42", "10000.21", cycle=3, corrections="-0.21")},
        (Now(SECOND, "10000.21", "paid"),),
    ),
    Example(
        "or it stays, for the next winner",
        ("A11",),
        LISTED,
        (FREE,),
        (T1, T2),
        (*two_royals(), decide("stays"), decide("removed", ok=False), *won("T1", "r3", "10000.42")),
        {L: Level("10000", "30000", "0.63", "20000.63", cycle=4)},
    ),
    Example(
        "by as much as its award is corrected upward it is decided",
        ("A11", "A10"),
        LISTED,
        (FREE,),
        (T1, T2),
        (
            *two_royals(),
            Act("correct", SECOND, {"amount": "10000.31", "document": "V-1"}, people=2),
            Check({L: Level("10000.11", "20000", "0.42", "10000.31", cycle=3)}),
            decide("removed"),
        ),
        {L: Level("10000", "20000", "0.42", "10000.31", cycle=3, corrections="-0.11")},
    ),
    Example(
        "what the next winner took along is not taken off the players after them, unless that is undone",
        ("A11", "L8"),
        LISTED,
        (FREE,),
        (T1, T2),
        (
            *two_royals(),
            *won("T1", "r3", "10000.42"),
            decide("removed", ok=False),
            Act("undo", Hand("r3", 5)),
            decide("removed"),
        ),
        # 10,000.21 and 0.21 more, less 0.21
        {L: Level("10000.21", "20000", "0.63", "10000.21", cycle=4, corrections="-0.21")},
    ),
    Example(
        "of two winners in a row the second alone has it on the meter",
        ("A11",),
        LISTED,
        (FREE,),
        (T1, T2),
        (
            *won("T1", "r1"),
            *won("T2", "r2"),
            *won("T1", "r3"),
            *paid("r2"),
            *paid("r3"),
            undone(Now(SECOND, "0.21", "paid"), Now(THIRD, "0.21", "paid")),
            decide("removed", ok=False),
            Act("decide_left", THIRD, {"remove": True}, people=2),
            decide("stays"),
        ),
        {L: Level("10000", "30000", "0.63", "20000.42", cycle=4, corrections="-0.21")},
    ),
    Example(
        "the floor and admins decide, one asks and another confirms",
        ("A11", "L8"),
        LISTED,
        (FREE,),
        (T1, T2),
        (
            *two_royals(),
            *(decide("removed", 1, one, ok=False) for one in (CASHIER, AUDITOR, VIEWER)),
            decide("removed", 1, ADMIN, asked=1),
            Check({L: LEFT}),
            Act("confirm", None, {"request": 1}, signed=(ADMIN, ANN)),
        ),
        {L: Level("10000", "20000", "0.42", "10000.21", cycle=3, corrections="-0.21")},
    ),
    Example(
        "a link that something waits on is neither emptied nor closed; its terms may change",
        ("L8", "A11", "L9"),
        MOVE,
        (FREE, NEXT),
        (BOTH, T2, OTHER),
        (
            *two_royals(),
            SUSPEND,
            transfer(ok=False),
            close_link(ok=False),
            change(validate_at="100"),
            decide("stays"),
            transfer(),
        ),
        {
            L: Level("0", "10000", "0.42", "10000.21", cycle=3, transfers="-0.21"),
            N: Level("10000.21", "10000", "0", transfers="0.21"),
        },
    ),
    Example(
        "what comes to stand on a closed link goes to another, and the link stays closed",
        ("L8", "A10"),
        MOVE,
        (A, NEXT),
        (T1, OTHER),
        (
            *won("T1", "r1"),
            *paid("r1"),
            SUSPEND,
            close_link(),
            Act("correct", FIRST, {"amount": "9990.21", "document": "V-1"}, people=2),
            Check({L: Level("10", "10000", "0.21", "9990.21", cycle=2)}),
            transfer(1, ok=False),
            close_link(ok=False),
            transfer(),
            Act("resume", fields={"link": "L"}, ok=False),
            Act("transfer", None, {"link": "N", "to": "L"}, 2, ok=False),
            Frame("T1", plain("r2", [5]), code="suspended"),
        ),
        {
            L: Level("0", "10000", "0.21", "9990.21", cycle=2, transfers="-10"),
            N: Level("10010", "10000", "0", transfers="10"),
        },
    ),
]
