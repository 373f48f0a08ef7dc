"""Worked examples: a request whose effect has changed is refused until asked for again (S8).

For $1: 643a A 21 %, seed and reseed 10,000.00; LOW 20 %, seed 500.00, reseed 300.00. A royal takes the whole
meter, a straight flush a tenth; a flush has 40.00 and a straight 30.00 from the house.
"""

from typing import Any

from tests.faults.worked.form import (
    Act,
    Example,
    Frame,
    Hand,
    Level,
    Now,
    Prize,
    Signer,
    Step,
    Table,
    Won,
    plain,
    settle,
    shown,
    void,
    wager,
)
from tests.faults.worked.left import LEFT, LISTED, won
from tests.faults.worked.links import BOTH, LOW, NEXT, lost
from tests.faults.worked.signing import ADMIN, ANN, BEN, CASHIER, FREE, TWO, VIEWER, one_royal
from tests.faults.worked.undo import FIRST, ROYAL, SECOND, THIRD, A, B, royal, straight_flush

ADA = Signer(11, ("admin", "floor"))
T1, T2, OTHER = Table("T1"), Table("T2"), Table("T2", links=("N",))
L, N = ("L", ""), ("N", "")
HAND = Hand("r1", 5)
FLUSH, STRAIGHT = Prize(HAND, 5, "odds"), Prize(Hand("r1", 3), 3, "odds")
ENVY = Prize(HAND, 3, "envy")
SUSPEND = Act("suspend", fields={"link": "L"}, signed=(ADA,))
RESUME = Act("resume", fields={"link": "L"}, signed=(ADA,))
METER: dict[str, Any] = {"level": "", "account": "primary"}


def asks(number: int, kind: str, who: Signer, on: Hand | Prize | None = None, **fields: Any) -> Act:
    """One person asks for what takes two; the request waits under that number."""
    return Act(kind, on, fields, signed=(who,), asked=number)


def two(kind: str, on: Hand | Prize | None = None, **fields: Any) -> Act:
    """Two others do it at once."""
    return Act(kind, on, fields, signed=(ADA, CASHIER if kind == "correct" else ADMIN))


def confirm(number: int, asker: Signer, second: Signer, why: str = "", **told: Any) -> Act:
    """why: it is refused for that."""
    return Act("confirm", None, {"request": number}, ok=not why, why=why, signed=(asker, second), **told)


def ended(number: int, asker: Signer) -> Act:
    """The request waits no more."""
    return Act("reject", None, {"request": number}, ok=False, signed=(asker,))


def paid(round_: str) -> tuple[Step, ...]:
    """Seat 5's hand on L is seen, and all that it won is paid."""
    hand = Hand(round_, 5)
    return Act("validate", hand, signed=(BEN,)), Act("pay", hand, signed=(CASHIER,))


def undone(round_: str, left: str) -> Act:
    """Two undo a royal; of the second one, which was paid, so much is left on the meter."""
    return Act("undo", Hand(round_, 5), signed=(ADA, BEN), left=(Now(SECOND, left, "paid"),))


def flush_and_straight(table: str, round_: str) -> tuple[Step, ...]:
    """Two wagers; seat 5 has a flush, seat 3 a straight."""
    hands = shown(5, "2h 9h Th"), shown(3, "8c 9c Td")
    odds = Won(5, "odds", "40.00", "flush"), Won(3, "odds", "30.00", "straight")
    return Frame(table, plain(round_, [5, 3])), Frame(table, settle(round_, *hands, board="6h 7h"), odds)


AWARDS: list[Example] = [
    Example(
        "a correction, where others have corrected the award since; as it was, it is confirmed",
        ("A10", "S8"),
        TWO,
        (A,),
        (T1,),
        (
            *one_royal(),
            asks(1, "correct", ANN, FIRST, amount="9000.21"),
            two("correct", FIRST, amount="9500.21"),
            confirm(1, ANN, VIEWER, "not_allowed"),
            confirm(1, ANN, BEN, "changed"),
            two("correct", FIRST, amount="10000.21"),
            confirm(1, ANN, BEN),
        ),
        {L: Level("11000", "20000", "0.21", "9000.21", cycle=2)},
        (Now(FIRST, "9000.21", "pending"),),
        held=("T1",),
    ),
    Example(
        "a correction of what the house pays: another sum of that award changes it, of another award none",
        ("A10", "S8"),
        TWO,
        (A,),
        (T1,),
        (
            *flush_and_straight("T1", "r1"),
            asks(1, "correct", ANN, FLUSH, amount="35.00"),
            two("correct", STRAIGHT, amount="25.00"),
            asks(2, "correct", ANN, FLUSH, amount="30.00"),
            confirm(1, ANN, BEN),
            confirm(2, ANN, BEN, "changed"),  # 5.00 less, and no more 10.00
            asks(3, "correct", ANN, FLUSH, amount="30.00"),
            confirm(3, ANN, BEN),
            ended(2, ANN),
        ),
        {L: Level("10000.42", "10000", "0.42")},
        (Now(FLUSH, "30.00", "pending"), Now(STRAIGHT, "25.00", "pending")),
    ),
    Example(
        "an undo, where the later award that it would raise was paid since; not for wagers",
        ("A11", "S8"),
        TWO,
        (FREE,),
        (T1, T2),
        (
            *won("T1", "r1"),
            *won("T2", "r2"),
            asks(1, "undo", ANN, HAND),
            *lost("r3", [5]),
            *paid("r2"),
            confirm(1, ANN, BEN, "changed"),
            asks(2, "undo", ANN, HAND),
            confirm(2, ANN, BEN, left=(Now(SECOND, "0.21", "paid"),)),
            ended(1, ANN),
        ),
        {L: Level("10000.42", "20000", "0.63", "10000.21", cycle=3)},
    ),
    Example(
        "an undo that would raise one more award than when it was asked for",
        ("A11", "S8"),
        TWO,
        (FREE,),
        (T1, T2),
        (
            Frame("T1", plain("r1", [5])),
            straight_flush("T1", "r1", "1000.02"),  # of 10,000.21, and 9,000.19 stay
            Frame("T2", plain("r2", [5])),
            straight_flush("T2", "r2", "900.04"),  # of 9,000.40, and 8,100.36 stay
            asks(1, "undo", ANN, HAND),
            Frame("T1", plain("r3", [5])),
            straight_flush("T1", "r3", "810.05"),  # of 8,100.57
            confirm(1, ANN, BEN, "changed"),
            asks(2, "undo", ANN, HAND),
            # a tenth of 10,000.42 leaves 9,000.38; a tenth of 9,000.59 leaves 8,100.54
            confirm(
                2, ANN, BEN, changed=(Now(SECOND, "1000.04", "pending"), Now(THIRD, "900.05", "pending"))
            ),
        ),
        {L: Level("8100.54", "10000", "0.63", "1900.09")},
    ),
    Example(
        "an undo of a hit, where one of its envy bonuses was undone since",
        ("A11", "A5", "S8"),
        TWO,
        (FREE,),
        (T1, T2),
        (
            Frame("T1", plain("r1", [5, 3])),
            royal("T1", "r1", "10000.42", [3]),
            *won("T2", "r2"),
            asks(1, "undo", ANN, HAND),
            Act("undo", ENVY, signed=(BEN,)),
            confirm(1, ANN, BEN, "changed"),
            asks(2, "undo", ANN, HAND),
            confirm(2, ANN, BEN, changed=(Now(SECOND, "10000.63", "pending"),)),
        ),
        {L: Level("10000", "20000", "0.63", "10000.63", cycle=3)},
    ),
    Example(
        "a void, whatever other tables have wagered and won since: the published awards stand",
        ("T6", "A11", "S8"),
        TWO,
        (FREE,),
        (T1, T2),
        (
            *lost("r1", [5, 3]),
            Act("reopen", fields={"table": "T1", "round": "r1"}, signed=(ADA, BEN)),
            asks(1, "void_round", ANN, table="T1", round="r1"),
            *won("T2", "r2", "10000.63"),
            confirm(1, ANN, BEN),
        ),
        # 0.21 of 10,000.63 are the players'; the house makes up 0.42
        {L: Level("10000", "20000.42", "0.21", "10000.63", cycle=2)},
    ),
]

METERS: list[Example] = [
    Example(
        "a correction of a meter, where an award was made on it since; not for wagers and house awards",
        ("L8", "S8"),
        TWO,
        (LOW,),
        (T1, T2),
        (
            *lost("r0", [5]),  # 500.20
            asks(1, "correct_meter", ADMIN, link="L", amount="5.00", **METER),
            *lost("r2", [5]),
            *flush_and_straight("T2", "r1"),  # 500.80
            confirm(1, ADMIN, ANN),
            asks(2, "correct_meter", ADMIN, link="L", amount="1.00", **METER),
            Frame("T1", plain("r4", [5])),
            straight_flush("T1", "r4", "50.60"),  # of 506.00, and 455.40 stay
            confirm(2, ADMIN, ANN, "changed"),
            asks(3, "correct_meter", ANN, link="L", amount="1.00", **METER),
            confirm(3, ANN, ADMIN),
            ended(2, ADMIN),
        ),
        {L: Level("456.40", "500", "1.00", "50.60", corrections="6")},
        held=("T1",),
    ),
    Example(
        "a correction of one level, not for what is done on another; an award undone leaves it as it was",
        ("L8", "L3", "A11", "S8"),
        TWO,
        (B,),
        (T1,),
        (
            Frame("T1", plain("r1", [5])),  # 0.11 on the mega, 0.10 on the major
            asks(1, "correct_meter", ADMIN, link="L", level="mega", account="primary", amount="2.00"),
            two("correct_meter", link="L", level="major", account="primary", amount="3.00"),
            Frame(
                "T1",
                settle("r1", shown(5, "Qs Js Ts"), board="As Ks"),
                (Won(5, "meter", "10000.11", ROYAL, "mega"),),
            ),
            confirm(1, ADMIN, ANN, "changed"),
            Act("undo", HAND, signed=(BEN,)),
            confirm(1, ADMIN, ANN),
        ),
        {
            ("L", "mega"): Level("10002.11", "10000", "0.11", cycle=2, corrections="2"),
            ("L", "major"): Level("1003.10", "1000", "0.10", corrections="3"),
        },
    ),
    Example(
        "a correction of a meter, where another was made since, also of the level's reserve",
        ("L8", "S8"),
        TWO,
        (LOW,),
        (T1,),
        (
            asks(1, "correct_meter", ADMIN, link="L", amount="5.00", **METER),
            two("correct_meter", link="L", level="", account="reserve", amount="1.00"),
            confirm(1, ADMIN, ANN, "changed"),
            two("correct_meter", link="L", level="", account="reserve", amount="-1.00"),
            confirm(1, ADMIN, ANN),
        ),
        {L: Level("505", "500", "0", corrections="5")},
    ),
    Example(
        "a correction of a meter, where a void since has moved the house's money",
        ("L8", "T6", "A11", "S8"),
        TWO,
        (LOW,),
        (T1,),
        (
            Frame("T1", wager("r1", [{"seat": 5, "link": "L", "amount": 100}], lock=False)),
            two("correct_meter", link="L", amount="-500.20", **METER),
            asks(1, "correct_meter", ANN, link="L", amount="5.00", **METER),
            Frame("T1", void("r1"), refunds=("L:5",)),  # 0.20 from the house
            confirm(1, ANN, BEN, "changed"),
            asks(2, "correct_meter", ANN, link="L", amount="5.00", **METER),
            Frame("T1", plain("r2", [5])),
            Frame("T1", void("r2"), refunds=("L:5",)),  # a wager more and less: nothing of the house's
            confirm(2, ANN, BEN),
        ),
        {L: Level("5", "500.20", "0", corrections="-495.20")},
    ),
    Example(
        "a correction of a meter, where a transfer came to it since",
        ("L8", "S8"),
        TWO,
        (A, NEXT),
        (BOTH,),
        (
            *lost("r1", [5]),
            asks(1, "correct_meter", ADMIN, link="N", amount="1.00", **METER),
            SUSPEND,
            two("transfer", link="L", to="N"),
            confirm(1, ADMIN, ANN, "changed"),
            asks(2, "correct_meter", ADMIN, link="N", amount="1.00", **METER),
            confirm(2, ADMIN, ANN),
        ),
        {
            L: Level("0", "0", "0.21", transfers="-0.21"),
            N: Level("10001.21", "10000", "0", corrections="1", transfers="0.21"),
        },
    ),
    Example(
        "a transfer, where more stands there since, or where it goes something was done; not for wagers",
        ("L8", "S8"),
        TWO,
        (A, NEXT),
        (BOTH, OTHER),
        (
            *lost("r1", [1, 2, 3, 4, 5, 6, 7]),  # 7 x 0.21
            SUSPEND,
            asks(1, "transfer", ADMIN, link="L", to="N"),
            *lost("r2", [5], "N", "T2"),
            RESUME,
            *lost("r3", [5]),
            SUSPEND,
            confirm(1, ADMIN, ADA, "changed"),  # 1.68, and no more 1.47
            asks(2, "transfer", ADMIN, link="L", to="N"),
            two("correct_meter", link="N", amount="1.00", **METER),
            confirm(2, ADMIN, ADA, "changed"),
            asks(3, "transfer", ADMIN, link="L", to="N"),
            *lost("r4", [5, 3], "N", "T2"),
            confirm(3, ADMIN, ADA),
        ),
        {
            L: Level("0", "0", "1.68", transfers="-1.68"),
            N: Level("10003.31", "10000", "0.63", corrections="1", transfers="1.68"),
        },
    ),
    Example(
        "a closing, where the other link was won since",
        ("L8", "S8"),
        TWO,
        (A, NEXT),
        (BOTH, OTHER),
        (
            *lost("r1", [5]),
            SUSPEND,
            asks(1, "close_link", ADMIN, link="L", to="N"),
            Frame("T2", plain("r2", [5], "N")),
            Frame(
                "T2",
                settle("r2", shown(5, "Qs Js Ts"), board="As Ks"),
                (Won(5, "meter", "10000.21", ROYAL, link="N"),),
            ),
            confirm(1, ADMIN, ADA, "changed"),
            two("close_link", link="L", to="N"),
            ended(1, ADMIN),
        ),
        {
            L: Level("0", "0", "0.21", transfers="-0.21"),
            N: Level("10000.21", "20000", "0.21", "10000.21", cycle=2, transfers="0.21"),
        },
        held=("T2",),
    ),
    Example(
        "what an undo left is taken off, where something was won of the meter since; not for wagers",
        ("A11", "L8", "S8"),
        LISTED,
        (FREE,),
        (T1, T2),
        (
            *won("T1", "r1"),
            *won("T2", "r2"),
            *paid("r2"),
            undone("r1", "0.21"),
            asks(1, "decide_left", ANN, SECOND, remove=True),
            Frame("T2", plain("r4", [5])),
            straight_flush("T2", "r4", "1000.04"),  # of 10,000.42, and 9,000.38 stay
            confirm(1, ANN, BEN, "changed"),
            asks(2, "decide_left", ANN, SECOND, remove=True),
            *lost("r5", [5]),
            confirm(2, ANN, BEN),
        ),
        # 9,000.38 + 0.21 - 0.21
        {L: Level("9000.38", LEFT.house, "0.84", "11000.25", cycle=3, corrections="-0.21")},
    ),
]

SUMS: list[Example] = [
    Example(
        "what an undo left stays, where another sum waits since",
        ("A11", "L8", "S8"),
        LISTED,
        (FREE,),
        (T1, T2),
        (
            *won("T1", "r0"),
            *won("T1", "r1"),
            *won("T2", "r2"),
            *paid("r2"),
            undone("r1", "0.21"),
            asks(1, "decide_left", ANN, SECOND, remove=False),
            undone("r0", "0.42"),
            confirm(1, ANN, BEN, "changed"),
            asks(2, "decide_left", ANN, SECOND, remove=False),
            confirm(2, ANN, BEN),
        ),
        {L: Level("10000.42", "20000", "0.63", "10000.21", cycle=4)},
    ),
]

TERMS: list[Example] = [
    Example(
        "new terms, where others were confirmed since; a correction goes by no terms",
        ("L9", "S8"),
        TWO,
        (LOW,),
        (T1,),
        (
            SUSPEND,
            asks(1, "correct_meter", ANN, link="L", amount="1.00", **METER),
            asks(2, "change", ADMIN, link="L", primary={"": "10"}),
            two("change", link="L", validate_at="100"),
            confirm(1, ANN, BEN),
            confirm(2, ADMIN, ADA, "changed"),
            asks(3, "change", ADMIN, link="L", primary={"": "10"}),
            confirm(3, ADMIN, ADA),
            confirm(2, ADMIN, ADA, "changed"),  # it would end the other change
            two("change", link="L", primary={"": "20"}, validate_at=None),
            confirm(2, ADMIN, ADA),
            RESUME,
            Frame("T1", plain("r1", [5])),
            Frame(
                "T1", settle("r1", shown(5, "2h 9h Th"), board="6h 7h"), (Won(5, "odds", "40.00", "flush"),)
            ),
        ),
        {L: Level("501.10", "500", "0.10", corrections="1")},
    ),
    Example(
        "new terms, whatever was played and won since",
        ("L9", "S8"),
        TWO,
        (LOW,),
        (T1,),
        (
            SUSPEND,
            asks(1, "change", ADMIN, link="L", reseed={"": "400"}),
            RESUME,
            Frame("T1", plain("r1", [5])),
            royal("T1", "r1", "500.20"),
            *paid("r1"),
            SUSPEND,
            confirm(1, ADMIN, ADA),
            RESUME,
            Frame("T1", plain("r2", [5])),
            royal("T1", "r2", "300.20"),
        ),
        {L: Level("400", "1200", "0.40", "800.40", cycle=3)},
        held=("T1",),
    ),
]

EXAMPLES: list[Example] = AWARDS + METERS + SUMS + TERMS
