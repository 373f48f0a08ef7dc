"""Worked examples: the player of a box without a progressive wager (A5, T9)."""

from tests.faults.worked.form import (
    UTH,
    Example,
    Frame,
    Level,
    Link,
    Message,
    Table,
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
T1 = Table("T1")
ROYAL = "royal-flush"
OWN = "58 Pa. Code 643a.11(g)(4)(v): not entitled to an Envy Bonus for his own hand"
BOXES = "58 Pa. Code 643a.7(l)"


def royal_in_five(**more: str) -> Message:
    return settle("r1", shown(5, "Qs Js Ts", **more), board="As Ks")


def nothing(seat: int, player: str) -> Message:
    return shown(seat, hand="pair", player=player)


def two(one: str, other: str) -> Message:
    """Wagers of seats 4 and 1, which are no neighbours, by these players."""
    return wager("r1", bets("L", [4, 1], players={4: one, 1: other}))


EXAMPLES: list[Example] = [
    Example(
        "no envy for a player's own royal in a second box without a wager",
        ("A5", "T9"),
        OWN,
        (A,),
        (T1,),
        (
            Frame("T1", wager("r1", bets("L", [4, 1], players={4: "p9", 1: "p2"}))),
            Frame("T1", royal_in_five(player="p9"), envies([1], "1000", ROYAL, 5)),
        ),
        # 2 x 0.21
        {("L", ""): Level("10000.42", "10000", "0.42")},
    ),
    Example(
        "a box of which nothing is said is another player's",
        ("A5", "T9"),
        "58 Pa. Code 643a.11(g)(4)(v): another player ... is the holder",
        (A,),
        (T1,),
        (
            Frame("T1", wager("r1", bets("L", [4, 1], players={4: "p9", 1: "p2"}))),
            Frame("T1", royal_in_five(), envies([4, 1], "1000", ROYAL, 5)),
        ),
        {("L", ""): Level("10000.42", "10000", "0.42")},
    ),
    Example(
        "a hand's player is its wager's: any other is refused, also where the wager named none",
        ("A5", "T9"),
        "house rule on 58 Pa. Code 643a.11(g)(4)(v)",
        (A,),
        (T1,),
        (
            Frame("T1", wager("r1", bets("L", [5, 4], players={5: "p9"}))),
            Frame("T1", royal_in_five(player="p2"), code="bad_message"),
            Frame("T1", settle("r1", nothing(4, "p9")), code="bad_message"),
            Frame("T1", settle("r1", nothing(5, "p9"), nothing(3, "p3"), close=False)),
            Frame("T1", settle("r1", nothing(3, "p4")), code="bad_message"),
            Frame("T1", close("r1")),
        ),
        {("L", ""): Level("10000.42", "10000", "0.42")},
    ),
    Example(
        "boxes of one player, with and without wagers, are neighbours and not more than two",
        ("T9", "A5"),
        BOXES,
        (A,),
        (T1,),
        (
            Frame("T1", wager("r1", bets("L", [4], players={4: "p9"}))),
            Frame("T1", settle("r1", nothing(6, "p9")), code="bad_message"),
            Frame("T1", settle("r1", nothing(5, "p9"), nothing(3, "p9")), code="bad_message"),
            Frame("T1", settle("r1", nothing(5, "p9"), close=False)),
            Frame("T1", settle("r1", nothing(3, "p9")), code="bad_message"),
            Frame("T1", close("r1")),
        ),
        {("L", ""): Level("10000.21", "10000", "0.21")},
    ),
    Example(
        "Ultimate Texas Hold 'Em: one position a player, whether it has a wager or not",
        ("T9", "A5"),
        "house rule; one position a player under 653a",
        (Link("L", "pa-653a-progressive-A"),),
        (Table("T1", UTH, 6),),
        (
            Frame("T1", wager("r1", bets("L", [4], players={4: "p9"}))),
            Frame("T1", settle("r1", nothing(5, "p9")), code="bad_message"),
            Frame("T1", settle("r1", nothing(4, "p9"))),
            Frame("T1", plain("r2", [2])),
        ),
        {("L", ""): Level("10000.42", "10000", "0.42")},
    ),
    Example(
        "a player is one however the name is written: case, blanks, width and how accents are put in",
        ("A5", "T9"),
        OWN,
        (A,),
        (T1,),
        (
            Frame("T1", two("Bob", "bob"), code="bad_message"),
            Frame("T1", two("Bob Lee", " BOB  LEE "), code="bad_message"),
            Frame("T1", two("Bob", "\uff22\uff4f\uff42"), code="bad_message"),
            Frame("T1", two("Zo\u00eb", "ZOE\u0308"), code="bad_message"),
            # an accent is part of the name
            Frame("T1", two("Zo\u00eb", "Zoe")),
            Frame("T1", void("r1"), refunds=("L:4", "L:1")),
            Frame("T1", wager("r2", bets("L", [4], players={4: "Bob"}), lock=False)),
            Frame("T1", wager("r2", bets("L", [1], players={1: "BOB"}), lock=False), code="bad_message"),
            Frame("T1", wager("r2", bets("L", [1], players={1: "Ann"}))),
            Frame(
                "T1",
                settle("r2", shown(5, "Qs Js Ts", player="BOB"), nothing(4, " bob"), board="As Ks"),
                envies([1], "1000", ROYAL, 5),
            ),
        ),
        {("L", ""): Level("10000.42", "10000", "0.42")},
    ),
]
