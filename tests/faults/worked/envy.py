"""Worked examples: Massachusetts envy at wagers for which none is printed (A5)."""

from tests.faults.worked.form import Example, Frame, Level, Link, Table, Won, envies, plain, settle, shown

T1 = Table("T1")
ROYAL = "royal-flush"
SF = "straight-flush"
RATE = {"primary": {"": "10"}}
PRINTED = "205 CMR Let It Ride s.12(e): no wager is printed for the Envy column"

EXAMPLES: list[Example] = [
    Example(
        "PTMGL01 on $2: the approved sums, not twice the printed ones",
        ("A5", "L4"),
        PRINTED,
        (Link("L", "ma-PTMGL01", "2.00", RATE | {"envy_approved": {ROYAL: "1800", SF: "550"}}),),
        (T1,),
        (
            Frame("T1", plain("r1", [5, 3], amount="2.00")),
            # seed 10,000 for 1: 20,000 + 2 x 0.20
            Frame(
                "T1",
                settle("r1", shown(5, "Qs Js Ts"), board="As Ks"),
                (Won(5, "meter", "20000.40", ROYAL), *envies([3], "1800", ROYAL, 5)),
            ),
        ),
        {("L", ""): Level("20000", "40000", "0.40", "20000.40", cycle=2)},
        held=("T1",),
    ),
    Example(
        "PTMGL02 on $1: its printed sums are for $5, the link gives those for $1",
        ("A5", "L4"),
        PRINTED,
        (Link("L", "ma-PTMGL02", options=RATE | {"envy_approved": {ROYAL: "900", SF: "250"}}),),
        (T1,),
        (
            Frame("T1", plain("r1", [5, 3])),
            # a tenth of 10,000.20
            Frame(
                "T1",
                settle("r1", shown(5, "8h 9h Th"), board="6h 7h"),
                (Won(5, "meter", "1000.02", SF), *envies([3], "250", SF, 5)),
            ),
        ),
        {("L", ""): Level("9000.18", "10000", "0.20", "1000.02")},
        held=("T1",),
    ),
]
