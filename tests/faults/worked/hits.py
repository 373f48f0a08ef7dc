"""Worked examples: meters won, turn order, sharing, limits, holding the table (A2-A4, T4, T5, T11)."""

from tests.faults.worked.form import (
    LIR,
    UTH,
    Act,
    Check,
    Example,
    Frame,
    Hand,
    Level,
    Link,
    Now,
    Prize,
    RepeatWagers,
    Table,
    Won,
    bets,
    close,
    envies,
    plain,
    settle,
    shown,
    void,
    wager,
)

A = Link("L", "pa-643a-five-card-A")
B = Link("L", "pa-643a-five-card-B")
C = Link("L", "pa-643a-five-card-C")
T1 = Table("T1")
T2 = Table("T2")
ROYAL = "royal-flush"
SF = "straight-flush"

EXAMPLES: list[Example] = [
    Example(
        "a round that has the name of an old one is another round",
        ("A10", "T5", "T6"),
        "protocol: round, new for each round, and refused only for the last",
        (Link("L", "pa-643a-five-card-A", options={"validate_at": "1000"}),),
        (T1,),
        (
            Frame("T1", plain("r1", [5])),
            Frame(
                "T1",
                settle("r1", shown(5, "9h 9d 2c"), board="9c 3d"),
                (Won(5, "odds", "9.00", "three-of-a-kind", status="final"),),
            ),
            Frame("T1", plain("r2", [2])),
            Frame("T1", close("r2")),
            # the old hand stays final, and does not keep the new round from being void
            Frame("T1", plain("r1", [3])),
            Act("undo", Hand("r1", 5), people=2, ok=False),
            Frame("T1", void("r1"), refunds=("L:3",)),
            Frame("T1", plain("r3", [2])),
            Frame("T1", close("r3")),
            # won at a turn of today: the four wagers that stand have raised it, 10,000 + 4 x 0.21
            Frame("T1", plain("r1", [3])),
            Frame(
                "T1",
                settle("r1", shown(3, "Qs Js Ts"), board="As Ks"),
                (Won(3, "meter", "10000.84", ROYAL),),
            ),
        ),
        {("L", ""): Level("10000", "20000", "0.84", "10000.84", cycle=2)},
        held=("T1",),
    ),
    Example(
        "a royal at a table of seven takes the mega and pays six envy bonuses",
        ("A2", "A5", "A8", "A10"),
        "58 Pa. Code 643a.12(e)(1), (5)",
        (C,),
        (T1,),
        (
            Frame("T1", plain("r1", [1, 2, 3, 4, 5, 6, 7])),
            Frame(
                "T1",
                settle("r1", shown(5, "Qs Js Ts"), board="As Ks"),
                (Won(5, "meter", "10000.63", ROYAL, "mega"), *envies([1, 2, 3, 4, 6, 7], "1000", ROYAL, 5)),
            ),
        ),
        # mega 10,000 + 7 x 0.09 = 10,000.63, all paid; reseeded with 10,000 more of the house's money
        {
            ("L", "mega"): Level("10000", "20000", "0.63", "10000.63", cycle=2),
            ("L", "major"): Level("1000.49", "1000", "0.49"),
            ("L", "minor"): Level("250.21", "250", "0.21"),
        },
        held=("T1",),
    ),
    Example(
        "Five Card Hand Bonus: after a royal the reserve is the next meter",
        ("A2", "A3"),
        "58 Pa. Code 643a.12(f)(1), (4)",
        (Link("L", "pa-643a-five-card-hand-bonus"),),
        (T1,),
        (
            RepeatWagers("T1", "L", 999),
            Frame("T1", plain("r1", [5])),
            Check({("L", ""): Level("10130.00", "10000", "210.00", reserve="80.00")}),
            Frame(
                "T1",
                settle("r1", shown(5, "Qs Js Ts"), board="As Ks"),
                (Won(5, "meter", "10130.00", ROYAL),),
            ),
        ),
        # 10,130.00 paid, residue 0, reseed 0, reserve 80.00: the house has put in the seed only
        {("L", ""): Level("80.00", "10000", "210.00", "10130.00", cycle=2)},
        held=("T1",),
    ),
    Example(
        "the 10 % hit, and what is left",
        ("A4", "A5", "M3"),
        "58 Pa. Code 643a.12(e)(1)",
        (A,),
        (T1,),
        (
            Frame("T1", plain("r1", [1, 2, 3, 4, 5, 6, 7])),
            Frame(
                "T1",
                settle("r1", shown(4, "8h 9h Th"), board="6h 7h"),
                (Won(4, "meter", "1000.14", SF), *envies([1, 2, 3, 5, 6, 7], "300", SF, 4)),
            ),
        ),
        # 10,000 + 7 x 0.21 = 10,001.47; a tenth is 1,000.147, floored 1,000.14; 9,001.33 left; no reseed
        {("L", ""): Level("9001.33", "10000", "1.47", "1000.14")},
        held=("T1",),
    ),
    Example(
        "the residue below a cent stays on the meter",
        ("M2", "M3", "A2"),
        "205 CMR Let It Ride s.12(d)",
        (Link("L", "ma-lir-progressive", options={"seed": {"": "10000"}, "primary": {"": "12.34"}}),),
        (T1,),
        (
            Frame("T1", plain("r1", [1, 2, 3, 4, 5, 6, 7])),
            Frame(
                "T1",
                settle("r1", shown(1, "Qs Js Ts"), board="As Ks"),
                (Won(1, "meter", "10000.86", ROYAL), *envies([2, 3, 4, 5, 6, 7], "1000", ROYAL, 1)),
            ),
        ),
        # 7 x 0.1234 = 0.8638; 10,000.86 paid, 0.0038 left, reseeded with 10,000
        {("L", ""): Level("10000.0038", "20000", "0.8638", "10000.86", cycle=2)},
        held=("T1",),
    ),
    Example(
        "two 100 % winners of a level in one round, by turn",
        ("T5", "A2", "A5"),
        "58 Pa. Code 643a.12(e)(4)",
        (B,),
        (T1,),
        (
            Frame("T1", plain("r1", [7, 3])),
            Frame(
                "T1",
                settle("r1", shown(7, "7s 8s 9s"), shown(3, "2s 3s 4s"), board="5s 6s"),
                (
                    Won(7, "meter", "1000.20", SF, "major"),
                    *envies([3], "300", SF, 7),
                    Won(3, "meter", "1000.00", SF, "major"),
                    *envies([7], "300", SF, 3),
                ),
            ),
        ),
        # seat 7 is paid first: 1,000 + 2 x 0.10; seat 3 gets the reseeded 1,000.00; mega 2 x 0.11
        {
            ("L", "mega"): Level("10000.22", "10000", "0.22"),
            ("L", "major"): Level("1000", "3000", "0.20", "2000.20", cycle=3),
        },
        held=("T1",),
    ),
    Example(
        "by turn, other tables' wagers between the two are the second winner's",
        ("T4", "T5", "T7"),
        "58 Pa. Code 643a.12(e)(4)",
        (B,),
        (T1, T2),
        (
            Frame("T1", plain("r1", [7, 3])),
            Frame(
                "T1",
                settle("r1", shown(7, "7s 8s 9s"), board="5s 6s", close=False),
                (Won(7, "meter", "1000.20", SF, "major"), *envies([3], "300", SF, 7)),
            ),
            Frame("T2", plain("r2", [1, 2])),
            Frame("T1", settle("r1", shown(5, "9h 9d 2c"), close=False)),
            Frame("T1", settle("r1", shown(6, "Kh Qd 2d"), close=False), code="out_of_order"),
            Frame("T1", settle("r1", shown(5, "9h 9d 2c"), close=False), code="already_settled"),
            Frame(
                "T1",
                settle("r1", shown(3, "2s 3s 4s")),
                (Won(3, "meter", "1000.20", SF, "major"), *envies([7], "300", SF, 3)),
            ),
        ),
        # reseeded 1,000 + 2 x 0.10 from the other table = 1,000.20
        {
            ("L", "mega"): Level("10000.44", "10000", "0.44"),
            ("L", "major"): Level("1000", "3000", "0.40", "2000.40", cycle=3),
        },
        held=("T1",),
    ),
    Example(
        "two winners of the same row share one award",
        ("T5", "M3", "A5"),
        "house rule where payment by turn is not mandated; 205 CMR Let It Ride s.12(e)",
        (
            Link(
                "L",
                "ma-straight-flush-single",
                options={"primary": {"": "7"}, "simultaneous": "share"},
            ),
        ),
        (T1,),
        (
            Frame("T1", plain("r1", [7, 3, 1])),
            Frame(
                "T1",
                settle("r1", shown(7, "7s 8s 9s"), shown(3, "2s 3s 4s"), board="5s 6s"),
                (
                    Won(7, "meter", "500.10", SF),
                    Won(3, "meter", "500.10", SF),
                    *envies([3, 1], "250", SF, 7),
                    *envies([7, 1], "250", SF, 3),
                ),
            ),
        ),
        # 1,000 + 3 x 0.07 = 1,000.21; half is 500.105, floored 500.10 each; 0.01 stays; reseed 1,000
        {("L", ""): Level("1000.01", "2000", "0.21", "1000.20", cycle=2)},
        held=("T1",),
    ),
    Example(
        "overflow and reserve at a reseed; what is above the limit goes back",
        ("A2", "L7"),
        "LAP progressive limit",
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
        (
            Frame("T1", plain("r1", [1, 2, 3, 4, 5])),
            Frame(
                "T1",
                settle("r1", shown(5, "Qs Js Ts"), board="As Ks"),
                (Won(5, "meter", "10000.50", ROYAL), *envies([1, 2, 3, 4], "1000", ROYAL, 5)),
            ),
        ),
        # before: 10,000.50, overflow 0.50, reserve 0.25
        # after: 10,000 + 0.25 + 0.50 = 10,000.75, of which 0.25 is above the limit
        {("L", ""): Level("10000.50", "20000", "1.25", "10000.50", overflow="0.25", cycle=2)},
        held=("T1",),
    ),
    Example(
        "floor_to_seed: a 10 % hit leaves at least the reseed amount",
        ("A4", "A5"),
        "house rule; 205 CMR Let It Ride s.12(e), PTMGL01",
        (Link("L", "ma-PTMGL01", options={"primary": {"": "10"}, "floor_to_seed": True}),),
        (T1,),
        (
            Frame("T1", plain("r1", [1, 2])),
            Frame(
                "T1",
                settle("r1", shown(2, "8h 9h Th"), board="6h 7h"),
                (Won(2, "meter", "1000.02", SF), *envies([1], "300", SF, 2)),
            ),
        ),
        # 10,000.20 - 1,000.02 = 9,000.18; the house adds 999.82
        {("L", ""): Level("10000", "10999.82", "0.20", "1000.02")},
        held=("T1",),
    ),
    Example(
        "a table is held until its papers are done; other tables play on",
        ("T11", "A8", "A10"),
        "58 Pa. Code 643a.11(g)(4)(iv)",
        (A,),
        (T1, T2),
        (
            Frame("T1", plain("r1", [5])),
            Frame(
                "T1", settle("r1", shown(5, "Qs Js Ts"), board="As Ks"), (Won(5, "meter", "10000.21", ROYAL),)
            ),
            Frame("T1", plain("r2", [5]), code="table_held"),
            Frame("T2", plain("r3", [5])),
            Act("pay", Prize(Hand("r1", 5), 5), ok=False),
            Act("validate", Hand("r1", 5)),
            Frame("T1", plain("r2", [5]), code="table_held"),
            Act("pay", Prize(Hand("r1", 5), 5)),
            Frame("T1", plain("r2", [5])),
        ),
        # 10,000.21 won; then two more wagers on the reseeded meter: 2 x 0.21
        {("L", ""): Level("10000.42", "20000", "0.63", "10000.21", cycle=2)},
        (Now(Prize(Hand("r1", 5), 5), "10000.21", "paid"),),
    ),
    Example(
        "a floorperson releases the cards; and a link that holds no table",
        ("T11",),
        "58 Pa. Code 643a.11(g)(4)(iv)",
        (A, Link("M", "pa-643a-five-card-A", options={"hold_table": False})),
        (T1, Table("T2", links=("M",))),
        (
            Frame("T1", plain("r1", [5])),
            Frame(
                "T1", settle("r1", shown(5, "Qs Js Ts"), board="As Ks"), (Won(5, "meter", "10000.21", ROYAL),)
            ),
            Act("release", fields={"table": "T1"}),
            Frame("T1", plain("r2", [5])),
            Frame("T2", plain("r3", [5], "M")),
            Frame(
                "T2",
                settle("r3", shown(5, "Qs Js Ts"), board="As Ks"),
                (Won(5, "meter", "10000.21", ROYAL, link="M"),),
            ),
            Frame("T2", plain("r4", [5], "M")),
        ),
        {
            ("L", ""): Level("10000.21", "20000", "0.42", "10000.21", cycle=2),
            ("M", ""): Level("10000.21", "20000", "0.42", "10000.21", cycle=2),
        },
        (Now(Prize(Hand("r1", 5), 5), "10000.21", "pending"),),
    ),
    Example(
        "Hold 'Em: the flop alone makes the progressive hand",
        ("H2",),
        "58 Pa. Code 653a.12(d)(2)",
        (Link("L", "pa-653a-progressive-A"),),
        (Table("T1", UTH, 6),),
        (
            Frame("T1", plain("r1", [4])),
            Frame("T1", settle("r1", shown(4, "As Ks"), board="Qs Js 2d Ts 3d")),
        ),
        # As Ks Qs Js 2d is nothing
        {("L", ""): Level("10000.21", "10000", "0.21")},
    ),
    Example(
        "Hold 'Em, 2011 form: the best five of seven",
        ("H2", "L4", "L5"),
        "41 Pa.B. 3836, proposed 653a.12(d)",
        (
            Link(
                "L",
                "pa-653a-2011-progressive",
                options={"seed": {"": "12000"}, "reseed": {"": "10000"}, "primary": {"": "15"}},
            ),
        ),
        (Table("T1", UTH, 6),),
        (
            Frame("T1", plain("r1", [4])),
            Frame(
                "T1",
                settle("r1", shown(4, "As Ks"), board="Qs Js 2d Ts 3d"),
                (Won(4, "meter", "12000.15", ROYAL),),
            ),
        ),
        {("L", ""): Level("10000", "22000", "0.15", "12000.15", cycle=2)},
        held=("T1",),
    ),
    Example(
        "three-card and five-card progressives at one table, both won by one hand",
        ("L2", "H1", "H2", "A5"),
        "58 Pa. Code 643a.12(d)(1), (e)(1)",
        (A, Link("M", "pa-643a-three-card-A")),
        (Table("T1", LIR, 7, ("L", "M")),),
        (
            Frame("T1", wager("r1", bets("L", [3]), bets("M", [3, 1]))),
            Frame(
                "T1",
                settle("r1", shown(3, "As Ks Qs"), board="Js Ts"),
                (
                    Won(3, "meter", "10000.21", ROYAL),
                    Won(3, "meter", "1000.28", "mini-royal", link="M"),
                    *envies([1], "100", "mini-royal", 3, "M"),
                ),
            ),
        ),
        # L: 10,000 + 0.21; M: 1,000 + 2 x 0.14
        {
            ("L", ""): Level("10000", "20000", "0.21", "10000.21", cycle=2),
            ("M", ""): Level("1000", "2000", "0.28", "1000.28", cycle=2),
        },
        held=("T1",),
    ),
    Example(
        "a royal satisfies a straight-flush row where no royal row stands",
        ("H3", "A2", "A5"),
        "205 CMR Let It Ride s.12(e)",
        (Link("L", "ma-straight-flush-single", options={"primary": {"": "10"}}),),
        (T1,),
        (
            Frame("T1", plain("r1", [5, 4])),
            Frame(
                "T1",
                settle("r1", shown(5, "Qs Js Ts"), board="As Ks"),
                (Won(5, "meter", "1000.20", ROYAL), *envies([4], "250", ROYAL, 5)),
            ),
        ),
        {("L", ""): Level("1000", "2000", "0.20", "1000.20", cycle=2)},
        held=("T1",),
    ),
    Example(
        "Massachusetts on a $5 wager: seeds fivefold; printed or approved envy",
        ("L1", "L4", "A5"),
        "205 CMR Let It Ride s.12(e), PTMGL02 and PTMGLML03",
        (
            Link("L", "ma-PTMGL02", "5.00", {"primary": {"": "10"}}),
            Link(
                "M",
                "ma-PTMGLML03",
                "5.00",
                {
                    "primary": {"mega": "5", "major": "4", "minor": "3"},
                    "envy_approved": {"royal-flush": "4000", "straight-flush": "1200"},
                },
            ),
        ),
        (T1, Table("T2", links=("M",))),
        (
            Frame("T1", plain("r1", [5, 4], amount="5.00")),
            Frame(
                "T1",
                settle("r1", shown(5, "Qs Js Ts"), board="As Ks"),
                (Won(5, "meter", "50001.00", ROYAL), *envies([4], "5000", ROYAL, 5)),
            ),
            Frame("T2", plain("r2", [6, 1], "M", "5.00")),
            Frame(
                "T2",
                settle("r2", shown(6, "8h 9h Th"), shown(1, "7d 7s 7c"), board="6h 7h"),
                (
                    Won(6, "meter", "5000.40", SF, "major", link="M"),
                    *envies([1], "1200", SF, 6, "M"),
                    Won(1, "meter", "1250.30", "four-of-a-kind", "minor", link="M"),
                ),
            ),
        ),
        # L: 50,000 + 2 x 0.50. M: mega 2 x 0.25, major 2 x 0.20, minor 2 x 0.15; envy as approved
        {
            ("L", ""): Level("50000", "100000", "1.00", "50001.00", cycle=2),
            ("M", "mega"): Level("50000.50", "50000", "0.50"),
            ("M", "major"): Level("5000", "10000", "0.40", "5000.40", cycle=2),
            ("M", "minor"): Level("1250", "2500", "0.30", "1250.30", cycle=2),
        },
        held=("T1", "T2"),
    ),
    Example(
        "seats left out have lost; a closed round is over",
        ("T4", "T8"),
        "58 Pa. Code 643a.7(b)",
        (A,),
        (T1,),
        (
            Frame("T1", plain("r1", [5, 2])),
            Frame(
                "T1",
                settle("r1", shown(5, "9h 9d 2c"), board="9c 3d", close=False),
                (Won(5, "odds", "9.00", "three-of-a-kind"),),
            ),
            Frame("T1", close("r1")),
            Frame("T1", settle("r1", shown(2, "Qs Js Ts"), board="As Ks"), code="no_such_round"),
        ),
        {("L", ""): Level("10000.42", "10000", "0.42")},
    ),
    Example(
        "different rows by turn: the straight flush is paid before the royal",
        ("T5", "A3", "A4"),
        "58 Pa. Code 653a.12(e)(1)",
        (Link("L", "pa-653a-five-card-hand-bonus"),),
        (Table("T1", UTH, 6),),
        (
            Frame("T1", plain("r1", [6, 3])),
            Frame(
                "T1",
                settle("r1", shown(6, "8s 9s"), shown(3, "As Ks"), board="Ts Js Qs 2d 3h", dealer="2c 3c"),
                (Won(6, "meter", "1000.02", SF), Won(3, "meter", "9000.24", ROYAL)),
            ),
        ),
        # 10,000.26: a tenth floored 1,000.02; 9,000.24 left for the royal; the reserve 2 x 0.08 is next
        {("L", ""): Level("0.16", "10000", "0.42", "10000.26", cycle=2)},
        held=("T1",),
    ),
    Example(
        "the same hands on a shared link: rows in rank order, the royal first",
        ("T5", "A3", "A4"),
        "house rule; 58 Pa. Code 653a.12(e)(1)",
        (Link("L", "pa-653a-five-card-hand-bonus", options={"simultaneous": "share"}),),
        (Table("T1", UTH, 6),),
        (
            Frame("T1", plain("r1", [6, 3])),
            Frame(
                "T1",
                settle("r1", shown(6, "8s 9s"), shown(3, "As Ks"), board="Ts Js Qs 2d 3h", dealer="2c 3c"),
                (Won(6, "meter", "0.01", SF), Won(3, "meter", "10000.26", ROYAL)),
            ),
        ),
        # the royal takes 10,000.26; then a tenth of the reserve 0.16, floored 0.01
        {("L", ""): Level("0.15", "10000", "0.42", "10000.27", cycle=2)},
        held=("T1",),
    ),
]
