"""Worked examples: wagers, the lock, chip counts, withdrawals, limits (L4-L7, S6, T1-T3, T9)."""

from tests.faults.worked.form import (
    LIR,
    UTH,
    Act,
    Example,
    Frame,
    Level,
    Link,
    RepeatWagers,
    Table,
    bets,
    close,
    lock,
    plain,
    settle,
    shown,
    void,
    wager,
    withdraw,
)

C = Link("L", "pa-643a-five-card-C")
A = Link("L", "pa-643a-five-card-A")
T1 = Table("T1")

EXAMPLES: list[Example] = [
    Example(
        "seven $1 wagers on five-card C",
        ("L4", "L5", "L6"),
        "58 Pa. Code 643a.12(e)(3)",
        (C,),
        (T1,),
        (Frame("T1", plain("r1", [1, 2, 3, 4, 5, 6, 7])),),
        # mega 7 x 0.09 = 0.63, major 7 x 0.07 = 0.49, minor 7 x 0.03 = 0.21 on 10,000 / 1,000 / 250
        {
            ("L", "mega"): Level("10000.63", "10000", "0.63"),
            ("L", "major"): Level("1000.49", "1000", "0.49"),
            ("L", "minor"): Level("250.21", "250", "0.21"),
        },
    ),
    Example(
        "$N for 1 on a $5 link: five-card D seeds fivefold",
        ("L4", "L5", "L6"),
        "58 Pa. Code 643a.12(e)(3)",
        (Link("L", "pa-643a-five-card-D", "5.00"),),
        (T1,),
        (Frame("T1", plain("r1", [2, 4, 6], amount="5.00")),),
        # a $5 wager raises mega 10 % = 0.50, major 8 % = 0.40, minor 3 % = 0.15; three of them
        {
            ("L", "mega"): Level("50001.50", "50000", "1.50"),
            ("L", "major"): Level("5001.20", "5000", "1.20"),
            ("L", "minor"): Level("1250.45", "1250", "0.45"),
        },
    ),
    Example(
        "Five Card Hand Bonus: 1,000 $1 wagers",
        ("L5", "L6", "A3"),
        "58 Pa. Code 643a.12(f)(4)",
        (Link("L", "pa-643a-five-card-hand-bonus"),),
        (T1,),
        (RepeatWagers("T1", "L", 1000),),
        # 1,000 x 0.13 = 130.00 on 10,000; reserve 1,000 x 0.08 = 80.00; wagers' part 210.00
        {("L", ""): Level("10130.00", "10000", "210.00", reserve="80.00")},
    ),
    Example(
        "one progressive over two games: 643a C and 653a C are the same rows",
        ("L1", "L6"),
        "205 CMR Let It Ride s.12(g); 58 Pa. Code 653a.12(d)(3)",
        (C,),
        (T1, Table("T2", UTH, 6)),
        (
            Frame("T1", plain("r1", [1, 2])),
            Frame("T2", plain("r2", [6, 5, 4])),
        ),
        # five wagers: 5 x 0.09, 5 x 0.07, 5 x 0.03
        {
            ("L", "mega"): Level("10000.45", "10000", "0.45"),
            ("L", "major"): Level("1000.35", "1000", "0.35"),
            ("L", "minor"): Level("250.15", "250", "0.15"),
        },
    ),
    Example(
        "a wager withdrawn before the lock, and refused after it",
        ("T1", "T2", "A11"),
        "58 Pa. Code 643a.7(c)",
        (A,),
        (T1,),
        (
            Frame("T1", wager("r1", bets("L", [3, 4, 5]), lock=False)),
            Frame("T1", withdraw("r1", 4)),
            Frame("T1", withdraw("r1", 4), code="no_wager"),
            Frame("T1", wager("r1", bets("L", [6]), lock=False)),
            Frame("T1", lock("r1")),
            Frame("T1", withdraw("r1", 3), code="locked_out"),
            Frame("T1", plain("r1", [7]), code="locked_out"),
            Frame("T1", close("r1")),
            Frame("T1", plain("r1", [7]), code="locked_out"),
        ),
        # 3 + 1 accepted, 1 taken back: 3 x 0.21 = 0.63
        {("L", ""): Level("10000.63", "10000", "0.63")},
    ),
    Example(
        "a withdrawn wager may be placed again",
        ("T2",),
        "58 Pa. Code 643a.7(c)",
        (A,),
        (T1,),
        (
            Frame("T1", wager("r1", bets("L", [4]), lock=False)),
            Frame("T1", withdraw("r1", 4)),
            Frame("T1", plain("r1", [4])),
        ),
        {("L", ""): Level("10000.21", "10000", "0.21")},
    ),
    Example(
        "wagers refused whole, with the first code that applies",
        ("T1", "T2"),
        "58 Pa. Code 643a.2(d), 643a.7(h)",
        (A, Link("M", "pa-643a-three-card-A")),
        (Table("T1", links=("L", "M")), Table("T2", links=("L",))),
        (
            Frame("T1", plain("r1", [1, 8]), code="unknown_seat"),
            Frame("T2", plain("r2", [8], link="M"), code="unknown_link"),
            Frame("T1", plain("r1", [1, 2], amount="2.00"), code="wrong_amount"),
            Frame("T1", plain("r1", [1, 1]), code="duplicate_wager"),
            Frame("T1", wager("r1", bets("L", [1]), bets("M", [1]), lock=False)),
            Frame("T1", wager("r1", bets("L", [2]), bets("M", [1]), lock=False), code="duplicate_wager"),
            Frame("T1", plain("r9", [1]), code="round_unfinished"),
            Frame("T1", lock("r9"), code="no_such_round"),
            Frame("T1", settle("r1", shown(1, "2s 3s 4s"), board="9h 9d"), code="not_locked"),
            Frame("T1", close("r1"), code="not_locked"),
            Frame("T1", lock("r1")),
            Frame("T1", close("r1")),
            Frame("T1", close("r1"), code="no_such_round"),
            Frame("T1", void("r1"), code="no_such_round"),
        ),
        # one wager on L (0.21) and one on M (0.14) were accepted
        {("L", ""): Level("10000.21", "10000", "0.21"), ("M", ""): Level("1000.14", "1000", "0.14")},
    ),
    Example(
        "chip count disagrees: the round waits, a floorperson strikes one wager",
        ("T3", "A11"),
        "58 Pa. Code 643a.8(b)(2)",
        (Link("L", "pa-643a-five-card-A", options={"count_chips": True}),),
        (T1,),
        (
            Frame("T1", wager("r1", bets("L", [2, 3, 5]), chips={"L": 2}), warn=True),
            Frame("T1", settle("r1", shown(5, "2s 3h 7d"), board="9h Jd"), code="chip_mismatch"),
            Frame("T1", close("r1"), code="chip_mismatch"),
            Act("strike", fields={"table": "T1", "round": "r1", "seat": 3, "link": "L"}),
            Frame("T1", settle("r1", shown(5, "2s 3h 7d"), board="9h Jd")),
        ),
        # 3 accepted, 1 struck: 2 x 0.21
        {("L", ""): Level("10000.42", "10000", "0.42")},
    ),
    Example(
        "chip count owed, then corrected by a second lock, then void while it disagrees",
        ("T3", "T6"),
        "58 Pa. Code 643a.8(b)(2)",
        (Link("L", "pa-643a-five-card-A", options={"count_chips": True}),),
        (T1,),
        (
            Frame("T1", wager("r1", bets("L", [2, 3]), lock=False)),
            Frame("T1", lock("r1"), warn=True),
            Frame("T1", close("r1"), code="chip_mismatch"),
            Frame("T1", lock("r1", {"L": 3}), warn=True),
            Frame("T1", lock("r1", {"L": 2})),
            Act("strike", fields={"table": "T1", "round": "r1", "seat": 3, "link": "L"}, ok=False),
            Frame("T1", close("r1")),
        ),
        {("L", ""): Level("10000.42", "10000", "0.42")},
    ),
    Example(
        "what rises above the limit goes to overflow; the reserve grows on",
        ("L6", "L7"),
        "LAP progressive limit; paytable of 205 CMR Let It Ride s.12(c)",
        (
            Link(
                "L",
                "ma-lir-progressive",
                options={
                    "seed": {"": "10000"},
                    "primary": {"": "20"},
                    "reserve": {"": "5"},
                    "limit": {"": "10000.50"},
                },
            ),
        ),
        (T1,),
        (Frame("T1", plain("r1", [1, 2, 3, 4, 5])),),
        # 5 x 0.20 = 1.00 of which 0.50 fits; reserve 5 x 0.05 = 0.25; wagers' part 1.25
        {("L", ""): Level("10000.50", "10000", "1.25", reserve="0.25", overflow="0.50")},
    ),
    Example(
        "a suspended link refuses only new wagers",
        ("S4", "T1"),
        "protocol: a suspended link refuses only new wagers",
        (A,),
        (T1,),
        (
            Frame("T1", plain("r1", [1])),
            Act("suspend", fields={"link": "L"}),
            Frame("T1", close("r1")),
            Frame("T1", plain("r2", [1]), code="suspended"),
            Act("resume", fields={"link": "L"}),
            Frame("T1", plain("r2", [1])),
        ),
        {("L", ""): Level("10000.42", "10000", "0.42")},
    ),
    Example(
        "players: neighbours only, at most two boxes, one position a player at Hold 'Em",
        ("T9",),
        "58 Pa. Code 643a.7(l)",
        (A, Link("U", "pa-653a-progressive-A")),
        (T1, Table("T2", UTH, 6, ("U",))),
        (
            Frame("T1", wager("r1", bets("L", [2, 4], players={2: "Ann", 4: "Ann"})), code="bad_message"),
            Frame(
                "T1",
                wager("r1", bets("L", [2, 3, 4], players={2: "Ann", 3: "Ann", 4: "Ann"})),
                code="bad_message",
            ),
            Frame("T2", wager("r2", bets("U", [2, 3], players={2: "Bob", 3: "Bob"})), code="bad_message"),
            Frame("T1", wager("r1", bets("L", [2, 3, 4], players={2: "Ann", 3: "Ann", 4: "Bob"}))),
        ),
        {("L", ""): Level("10000.63", "10000", "0.63"), ("U", ""): Level("10000", "10000", "0")},
    ),
    Example(
        "the table's own lifetime count does not reconcile",
        ("S6",),
        "LAP: reconciliation of wager counts; withdrawn wagers count too",
        (A,),
        (T1,),
        (
            Frame("T1", wager("r1", bets("L", [2, 3, 4]), lock=False)),
            Frame("T1", withdraw("r1", 4)),
            Frame("T1", lock("r1")),
            Frame("T1", close("r1", {"L": 3})),
            Frame("T1", plain("r2", [2])),
            Frame("T1", close("r2", {"L": 3}), warn=True),
        ),
        # 3 - 1 + 1 = 3 standing wagers, but 4 were accepted in the table's life
        {("L", ""): Level("10000.63", "10000", "0.63")},
    ),
    Example(
        "a void round gives everything back",
        ("T6", "A11"),
        "58 Pa. Code 643a.13(c), 643a.8(h)",
        (A, Link("M", "pa-643a-five-card-hand-bonus")),
        (Table("T1", LIR, 7, ("L", "M")),),
        (
            Frame("T1", wager("r1", bets("L", [1, 2]), bets("M", [2]))),
            Frame("T1", void("r1"), refunds=("L:1", "L:2", "M:2:account")),
        ),
        {("L", ""): Level("10000", "10000", "0"), ("M", ""): Level("10000", "10000", "0")},
    ),
]
