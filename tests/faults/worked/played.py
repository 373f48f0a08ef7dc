"""Worked examples: a hand found late is settled as if at its turn, by the terms of its round (T10, L9).

LOW for $1: 20 %, seed 500.00, reseed 300.00; a straight flush has a tenth, a flush 40.00 from the house.
"""

from typing import Any

from tests.faults.worked.form import (
    FOUR,
    Act,
    Example,
    Frame,
    Hand,
    Level,
    Link,
    Step,
    Table,
    Won,
    close,
    lock,
    plain,
    settle,
    shown,
    wager,
)
from tests.faults.worked.links import LOW, RESUME, SUSPEND, change, lost, paid
from tests.faults.worked.undo import SF

T1 = Table("T1")
L = ("L", "")
LATE = "house rule on 58 Pa. Code 643a.11(g)"
QUADS = "Ks Kh Kd Kc 3s"


def changed(**terms: Any) -> tuple[Step, ...]:
    """Between two rounds the link has other terms."""
    return SUSPEND, change(**terms), RESUME


def reopen(round_: str) -> Act:
    return Act("reopen", fields={"table": "T1", "round": round_}, people=2)


def flush(round_: str, status: str) -> Frame:
    """Seat 5 shows a flush in hearts."""
    won = Won(5, "odds", "40.00", "flush", status=status)
    return Frame("T1", settle(round_, shown(5, "2h 9h Th"), board="6h 7h"), (won,))


def quads(round_: str, envy: str) -> Frame:
    """Seat 5 shows four kings, and seat 3 has the envy bonus."""
    won = Won(5, "odds", "300", "four-of-a-kind"), Won(3, "envy", envy, "four-of-a-kind", because=5)
    return Frame("T1", settle(round_, shown(5, QUADS)), won)


def drawn(seat: int, prize: str) -> Won:
    return Won(seat, "draw", {"magic-card": "20", "lucky-bonus": "5"}[prize], prize, pays="account")


def of_a_tenth(five: str, three: str) -> tuple[Won, ...]:
    """Seats 5 and 3 have straight flushes, each with the other's envy bonus."""
    return tuple(
        award
        for seat, other, sum_ in ((5, 3, five), (3, 5, three))
        for award in (Won(seat, "meter", sum_, SF), Won(other, "envy", "300", SF, because=seat))
    )


EXAMPLES: list[Example] = [
    Example(
        "whether odds found late wait: as agreed when the round was played",
        ("T10", "L9", "A10"),
        LATE,
        (LOW,),
        (T1,),
        (
            *lost("r1", [5]),
            *changed(validate_at="100"),
            reopen("r1"),
            flush("r1", "pending"),
            *paid("r1"),
            *lost("r2", [5]),
            SUSPEND,
            change(validate_at=None),
            RESUME,
            reopen("r2"),
            flush("r2", "final"),
            Frame("T1", plain("r3", [5])),
            flush("r3", "pending"),
        ),
        {L: Level("500.60", "500", "0.60")},
    ),
    Example(
        "envy of a hand found late: by the schedule of its round",
        ("T10", "L9", "A5"),
        LATE,
        (
            Link(
                "L",
                "pa-641a-2011-progressive-A",
                options={"seed": {"": "5000"}, "reseed": {"": "5000"}, "primary": {"": "20"}, "envy": "A"},
            ),
        ),
        (Table("T1", FOUR),),
        (
            *lost("r1", [5, 3]),
            *changed(envy="B"),
            reopen("r1"),
            quads("r1", "10.00"),
            *paid("r1")[:1],
            Frame("T1", plain("r2", [5, 3])),
            quads("r2", "25.00"),
        ),
        {L: Level("5000.80", "5000", "0.80")},
    ),
    Example(
        "winners found late share nothing, where they did not when the round was played",
        ("T10", "L9", "T5"),
        LATE,
        (LOW,),
        (T1,),
        (
            *lost("r1", [5, 3]),
            *changed(simultaneous="share"),
            reopen("r1"),
            # a tenth of 500.40, and of 450.36; not 25.02 each
            Frame(
                "T1",
                settle("r1", shown(5, "8h 9h Th"), shown(3, "3h 4h 5h"), board="6h 7h"),
                of_a_tenth("50.04", "45.03"),
            ),
        ),
        {L: Level("405.33", "500", "0.40", "95.07")},
        held=("T1",),
    ),
    Example(
        "winners found late share, where they did when the round was played",
        ("T10", "L9", "T5"),
        LATE,
        (Link("L", "ma-lir-progressive", options={**LOW.options, "simultaneous": "share"}),),
        (T1,),
        (
            *lost("r1", [5, 3]),
            *changed(simultaneous="order"),
            reopen("r1"),
            Frame(
                "T1",
                settle("r1", shown(5, "8h 9h Th"), shown(3, "3h 4h 5h"), board="6h 7h"),
                of_a_tenth("25.02", "25.02"),
            ),
        ),
        {L: Level("450.36", "500", "0.40", "50.04")},
        held=("T1",),
    ),
    Example(
        "what was drawn in a round is paid when it is open again, though nothing is drawn there any more",
        ("T10", "L9", "A7"),
        LATE,
        (Link("L", "pa-643a-five-card-hand-bonus", options={"magic_every": 10, "lucky_every": 10}),),
        (T1,),
        (
            Frame("T1", plain("r1", [5, 3]), draws={"L": {"magic_card": "Td", "lucky_box": 3}}),
            Frame(
                "T1",
                settle("r1", shown(3, "2c 7h 8h"), board="9s Kd", close=False),
                (drawn(3, "lucky-bonus"),),
            ),
            Frame("T1", close("r1")),
            SUSPEND,
            change(magic_every=0, lucky_every=0, ok=False),  # the prize waits
            Act("validate", Hand("r1", 3)),
            Act("pay", Hand("r1", 3)),
            change(magic_every=0, lucky_every=0, validate_at="1000"),
            RESUME,
            reopen("r1"),
            Frame("T1", settle("r1", shown(5, "Td 7c 8c")), (drawn(5, "magic-card"),)),
        ),
        # 2 x 0.13, 2 x 0.08
        {L: Level("10000.26", "10000", "0.42", reserve="0.16")},
    ),
    Example(
        "a round that was played uncounted owes no count when it is open again",
        ("T10", "L9", "T3"),
        LATE,
        (LOW,),
        (T1,),
        (
            *lost("r1", [5]),
            *changed(count_chips=True),
            reopen("r1"),
            Frame("T1", lock("r1")),
            Frame("T1", close("r1")),
            Frame("T1", wager("r2", [{"seat": 5, "link": "L", "amount": 100}]), warn=True),
            Frame("T1", close("r2"), code="chip_mismatch"),
        ),
        {L: Level("500.40", "500", "0.40")},
    ),
    Example(
        "a hand found late holds its table where one won today would",
        ("T10", "T11", "L9"),
        LATE,
        (LOW,),
        (T1,),
        (
            *lost("r1", [5]),
            *changed(hold_table=False),
            reopen("r1"),
            Frame(
                "T1",
                settle("r1", shown(5, "8h 9h Th"), board="6h 7h"),
                (Won(5, "meter", "50.02", SF),),
            ),
        ),
        {L: Level("450.18", "500", "0.20", "50.02")},
    ),
]
