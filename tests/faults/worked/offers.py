"""Worked rounds of the bonus wagers that count other cards than a hand's own, in each chapter's own order.

The figures are those of the texts. A wager is $5.00 on the layout, where it stays: the odds are the award.
"""

from __future__ import annotations

from tests.faults.worked.form import (
    CRISS,
    FOUR,
    THREE,
    UTH,
    Act,
    Example,
    Frame,
    Level,
    Link,
    Message,
    Table,
    Won,
    bets,
    cards,
    close,
    envies,
    lock,
    settle,
    shown,
    void,
    wager,
)

LAYOUT = {"placed": "layout", "most": "100.00", "unit": "5.00"}
FIVE = "5.00"
STRAIGHT = "straight"
FULL = "full-house"
QUADS = "four-of-a-kind"


def offer(name: str, paytable: str, **more: object) -> Link:
    """A bonus wager of $5.00 to $100.00."""
    return Link(name, paytable, FIVE, {**LAYOUT, **more})


def won(seat: int, amount: str, hand: str, link: str, **more: object) -> Won:
    """An award of fixed odds that is final at once: below $1,000.00, and below 500 times the wager."""
    return Won(seat, "odds", amount, hand, link=link, **{"status": "final", **more})  # type: ignore[arg-type]


def strike(round_: str, seat: int, link: str, people: int, *, ok: bool = True) -> Act:
    where = {"table": "T1", "round": round_, "seat": seat, "link": link}
    return Act("strike", None, where, people, ok)


def answer(round_: str, seat: int, *, abandoned: bool, ok: bool = True) -> Act:
    where = {"table": "T1", "round": round_, "seat": seat, "abandoned": abandoned}
    return Act("decide_abandoned", None, where, 1, ok)


BONUS: Message = {"bonus": cards("Jd Td 9d")}

EXAMPLES: list[Example] = [
    Example(
        "Six Card Bonus of Let It Ride: the player's three cards and the three that all share",
        ("B2", "B15", "B16"),
        "58 Pa. Code 643a.6(e), .7(j), .11(g)(6), .12(g) E",
        (offer("S", "pa-643a-six-card-bonus-E"),),
        (Table("T1", links=("S",)),),
        (
            Frame("T1", wager("r1", bets("S", [7, 4, 2], FIVE))),
            Frame("T1", settle("r1", shown(7, "Ad Kd Qd"), close=False), code="bad_message"),
            Frame("T1", settle("r1", close=False) | {"bonus": cards("Jd Td")}, code="bad_message"),
            Frame("T1", close("r1"), code="bad_message"),
            # A-K-Q-J-10-9 of diamonds: 200,000 x 5.00, which the cage pays; J-10-9-8-7: 200 x 5.00, not
            # below the 1,000.00 from which an award waits; the best five of seat 4 are a pair
            Frame(
                "T1",
                settle("r1", shown(7, "Ad Kd Qd"), shown(4, "2c 3c Jh"), shown(2, "8d 7d 2s"), close=False)
                | BONUS,
                (
                    Won(7, "odds", "1000000.00", "six-card-royal-flush", pays="cage", link="S"),
                    Won(2, "odds", "1000.00", "straight-flush", link="S"),
                ),
            ),
            Frame("T1", settle("r1", close=False) | {"bonus": cards("Jd Td 8h")}, code="bad_message"),
            Frame("T1", close("r1")),
            Act("release", None, {"table": "T1"}),
            Frame("T1", wager("r2", bets("S", [3], FIVE))),
            # a bonus card in a player's hand
            Frame("T1", settle("r2", shown(3, "Jd 2c 2h")) | BONUS, code="impossible_cards"),
            # in another suit 20,000 x 5.00
            Frame(
                "T1",
                settle("r2", shown(3, "As Ks Qs")) | {"bonus": cards("Js Ts 9s")},
                (Won(3, "odds", "100000.00", "six-card-royal-flush", pays="cage", link="S"),),
            ),
        ),
        {},
        held=("T1",),
    ),
    Example(
        "Six Card Bonus of Three Card: the player's three and the dealer's, also of a hand that was folded",
        ("B8", "B16"),
        "41 Pa.B. 3836, 649a.6(d), .11(b)(3), (c)(6), .12(d) B, (f) A",
        (offer("P", "pa-649a-2011-pair-plus-B"), offer("S", "pa-649a-2011-six-card-bonus-A")),
        (Table("T1", THREE, links=("P", "S")),),
        (
            Frame("T1", wager("r1", bets("P", [6, 3, 1], FIVE), bets("S", [6, 3, 1], FIVE))),
            Frame("T1", settle("r1", shown(3, "5h 6h 7h"), close=False), code="bad_message"),
            Frame("T1", settle("r1", close=False, dealer="9s 9c"), code="bad_message"),
            # seat 6 folds its nines: Pair Plus is lost, four nines are 50 x 5.00; seat 3's straight flush is
            # 40 x 5.00 and makes nothing of six cards; seat 1 folds and does not show: both are lost
            Frame(
                "T1",
                settle(
                    "r1",
                    shown(6, "9h 9d 2c", folded=True),
                    shown(3, "5h 6h 7h"),
                    shown(1, folded=True),
                    dealer="9s 9c 4d",
                ),
                (won(6, "250.00", QUADS, "S"), won(3, "200.00", "straight-flush", "P")),
            ),
        ),
        {},
    ),
    Example(
        "Aces Up: the best four of five cards; of pairs that of aces alone; a fold stands by the cards shown",
        ("B8", "H3"),
        "41 Pa.B. 3836 (2011), proposed 58 Pa. Code 641a.11(b)(1) and 641a.12(c) A",
        (offer("A", "pa-641a-2011-aces-up-A"),),
        (Table("T1", FOUR, links=("A",)),),
        (
            Frame("T1", wager("r1", bets("A", [7, 6, 5, 4, 3, 1], FIVE))),
            # seat 7 folds a pair of aces and shows it: 1 x 5.00; seat 6's kings pay nothing; seat 5's tens
            # are 50 x 5.00; seat 4 has two pair, 2 x 5.00; seat 3 a flush of four, 6 x 5.00; seat 1 folds and
            # does not show
            Frame(
                "T1",
                settle(
                    "r1",
                    shown(7, "Ah Ad 3c 5s 9d", folded=True),
                    shown(6, "Kh Kd 2c 6s 8d"),
                    shown(5, "Ts Th Td Tc 4c"),
                    shown(4, "7s 7h 9c 9h Qd"),
                    shown(3, "2h 4h 8h Jh 6c"),
                    shown(1, folded=True),
                ),
                (
                    won(7, "5.00", "pair", "A"),
                    won(5, "250.00", QUADS, "A"),
                    won(4, "10.00", "two-pair", "A"),
                    won(3, "30.00", "flush", "A"),
                ),
            ),
        ),
        {},
    ),
    Example(
        "Six Card Bonus of Ultimate Texas Hold 'Em: the six cards that the approval names",
        ("B8", "B16"),
        "58 Pa. Code 653a.12(f) C, which does not say which cards",
        (
            offer(
                "S",
                "pa-653a-six-card-bonus-C",
                cards=("own-1", "own-2", "dealer-1", "board-1", "board-2", "board-4"),
            ),
        ),
        (Table("T1", UTH, 6, ("S",)),),
        (
            Frame("T1", wager("r1", bets("S", [5, 2], FIVE))),
            Frame("T1", settle("r1", shown(5, "Ah Ad"), board="As 7c 8d 9h Kc"), code="bad_message"),
            # four aces, one of the board and one of the dealer: 100 x 5.00; the third eight does not count
            Frame(
                "T1",
                settle("r1", shown(5, "Ah Ad"), shown(2, "8h 8s"), board="As 7c 8d 9h Kc", dealer="Ac 2d"),
                (won(5, "500.00", QUADS, "S"),),
            ),
        ),
        {},
    ),
    Example(
        "Folded hands of Ultimate Texas Hold 'Em come after the others, and take the meter then",
        ("T4", "T5", "B8"),
        "41 Pa.B. 3836, 653a.11(f)(2)(i), (h), (i), (j); 58 Pa. Code 653a.12(c) A, (d) A",
        (Link("L", "pa-653a-progressive-A"), offer("R", "pa-653a-trips-A")),
        (Table("T1", UTH, 6, ("L", "R")),),
        (
            Frame("T1", wager("r1", bets("L", [6, 4, 2]), bets("R", [6, 4, 2], FIVE))),
            # Seat 4 takes the whole meter, 10,000.00 and three times 0.21. Then seat 6, which folded, takes
            # 10 % of the reseeded one. Trips: 50 x 5.00 and 40 x 5.00. Each hand earns the others envy.
            Frame(
                "T1",
                settle(
                    "r1",
                    shown(4, "Ks As"),
                    shown(2, "2c 7h"),
                    shown(6, "8s 9s", folded=True),
                    board="Ts Js Qs 2d 3h",
                ),
                (
                    Won(4, "meter", "10000.63", "royal-flush"),
                    *envies([6, 2], "1000.00", "royal-flush", 4),
                    won(4, "250.00", "royal-flush", "R"),
                    Won(6, "meter", "1000.00", "straight-flush"),
                    *envies([4, 2], "300.00", "straight-flush", 6),
                    won(6, "200.00", "straight-flush", "R"),
                ),
            ),
        ),
        {("L", ""): Level("9000.00", "20000", "0.63", "11000.63", cycle=2)},
        held=("T1",),
    ),
    Example(
        "A missed hand is settled before the folded ones that came after the others",
        ("T10", "A11", "B8"),
        "41 Pa.B. 3836, 653a.11(f)(2)(i), (h); 58 Pa. Code 653a.12(d) A",
        (Link("L", "pa-653a-progressive-A"),),
        (Table("T1", UTH, 6),),
        (
            Frame("T1", wager("r1", bets("L", [6, 4, 2]))),
            # 10 % of 10,000.63, and envy to the two others
            Frame(
                "T1",
                settle(
                    "r1",
                    shown(4, "2c 7h"),
                    shown(6, "8s 9s", folded=True),
                    board="Ts Js Qs 2d 3h",
                    close=False,
                ),
                (
                    Won(6, "meter", "1000.06", "straight-flush"),
                    *envies([4, 2], "300.00", "straight-flush", 6),
                ),
            ),
            Frame("T1", close("r1")),
            Act("reopen", fields={"table": "T1", "round": "r1"}, people=2),
            # The whole meter before seat 6 took its part of it. That part is 1,000.00 of the reseeded meter
            # now; it was published as 1,000.06, and the house makes up 0.06.
            Frame(
                "T1",
                settle("r1", shown(2, "As Ks")),
                (
                    Won(2, "meter", "10000.63", "royal-flush"),
                    *envies([6, 4], "1000.00", "royal-flush", 2),
                ),
            ),
        ),
        {("L", ""): Level("9000.00", "20000.06", "0.63", "11000.69", cycle=2)},
        held=("T1",),
    ),
    Example(
        "Folded hands that came after the others stay after them, whatever is recomputed",
        ("A11", "B8"),
        "41 Pa.B. 3836, 653a.11(f)(2)(i), (h); 58 Pa. Code 653a.12(d) A",
        (Link("L", "pa-653a-progressive-A"),),
        (Table("T1", UTH, 6), Table("T2", UTH, 6)),
        (
            Frame("T2", wager("q1", bets("L", [1]))),
            Frame("T1", wager("r1", bets("L", [6, 4]))),
            Frame(
                "T1",
                settle("r1", shown(4, "As Ks"), shown(6, "8s 9s", folded=True), board="Ts Js Qs 2d 3h"),
                (
                    Won(4, "meter", "10000.63", "royal-flush"),
                    *envies([6], "1000.00", "royal-flush", 4),
                    Won(6, "meter", "1000.00", "straight-flush"),
                    *envies([4], "300.00", "straight-flush", 6),
                ),
            ),
            # The first meter is 0.21 less, which the house makes up; the second, of seat 6, is as it was.
            Frame("T2", void("q1"), refunds=("L:1",)),
        ),
        {("L", ""): Level("9000.00", "20000.21", "0.42", "11000.63", cycle=2)},
        held=("T1",),
    ),
    Example(
        "The dealer's hand is paid at the turn of the first wager on it, before folded hands that come late",
        ("A6", "B8"),
        "58 Pa. Code 653a.12(e)(2); 41 Pa.B. 3836, 653a.11(f)(2)(i), (h)",
        (Link("L", "pa-653a-five-card-hand-bonus"),),
        (Table("T1", UTH, 6),),
        (
            Frame("T1", wager("r1", bets("L", [6, 4]), bets("L", [3], on="dealer"))),
            # 10,000.00 and three times 0.13; then the meter is the reserve, three times 0.08: 10 % is 0.02
            Frame(
                "T1",
                settle(
                    "r1",
                    shown(4, "2c 7h"),
                    shown(6, "8s 9s", folded=True),
                    board="Ts Js Qs 2d 3h",
                    dealer="As Ks",
                ),
                (
                    Won(3, "meter", "10000.39", "royal-flush"),
                    Won(6, "meter", "0.02", "straight-flush"),
                ),
            ),
        ),
        {("L", ""): Level("0.22", "10000", "0.63", "10000.41", cycle=2)},
        held=("T1",),
    ),
    Example(
        "No hand that is not folded comes after folded ones that came late; those fall among themselves",
        ("T4", "B8"),
        "41 Pa.B. 3836, 653a.11(f)(2)(i), (h)",
        (offer("R", "pa-653a-trips-A"),),
        (Table("T1", UTH, 6, ("R",)),),
        (
            Frame("T1", wager("r1", bets("R", [6, 5, 4, 2, 1], FIVE))),
            Frame("T1", settle("r1", shown(4, "2c 7h"), close=False, board="Ts Jd Qs 2d 3h")),
            Frame("T1", settle("r1", shown(6, "4c 8d"), close=False), code="out_of_order"),
            Frame("T1", settle("r1", shown(5, folded=True), close=False)),
            Frame("T1", settle("r1", shown(6, folded=True), close=False), code="out_of_order"),
            Frame("T1", settle("r1", shown(2, "4c 8d"), close=False), code="out_of_order"),
            Frame("T1", settle("r1", shown(4, folded=True), close=False), code="out_of_order"),
            Frame("T1", settle("r1", shown(1, folded=True))),
        ),
        {},
    ),
    Example(
        "a dealer's card is exposed: all wagers go back but Trips, which is settled by the community cards",
        ("P5", "T6"),
        "41 Pa.B. 3836, 653a.13(d), (f); 58 Pa. Code 653a.12(c)",
        (Link("L", "pa-653a-progressive-A"), offer("R", "pa-653a-trips-A"), offer("B", "pa-653a-bad-beat-A")),
        (Table("T1", UTH, 6, ("L", "R", "B")),),
        (
            Frame(
                "T1", wager("r1", bets("L", [6]), bets("R", [6, 2], FIVE), bets("B", [2], FIVE), lock=False)
            ),
            Frame("T1", void("r1", cause="exposed-card", settles=["R"]), code="not_locked"),
            Frame("T1", lock("r1")),
            Frame("T1", void("r1", settles=["R"]), code="bad_message"),
            Frame("T1", void("r1", cause="shoe-jam", settles=["R"]), code="bad_message"),
            Frame("T1", void("r1", cause="exposed-card", settles=["R", "B"]), code="bad_message"),
            Frame("T1", void("r1", cause="exposed-card", settles=["R"]), refunds=("B:2", "L:6")),
            # Seat 6 has a flush, 7 x 5.00. The progressive never was: its dollar and Bad Beat went back.
            Frame(
                "T1",
                settle("r1", shown(6, "As Js"), shown(2, "7d 8d"), board="2s 7s 9s Kd Kh"),
                (won(6, "35.00", "flush", "R"),),
            ),
            Frame("T1", wager("r2", bets("R", [6], FIVE))),
            Frame("T1", void("r2", cause="stub-count"), refunds=("R:6",)),
        ),
        {("L", ""): Level("10000.00", "10000", "0")},
    ),
    Example(
        "a player leaves: the floor confirms it, the wagers lose, and the cards earn the others their envy",
        ("P6", "A5", "T8"),
        "58 Pa. Code 643a.7(b), .12(d)(5) A",
        (Link("L", "pa-643a-three-card-A"),),
        (Table("T1"),),
        (
            Frame("T1", wager("r1", bets("L", [6, 5, 2]))),
            Frame("T1", settle("r1", shown(5, abandoned=True), close=False)),
            Frame("T1", close("r1"), code="bad_message"),
            # Seat 6 would earn seat 5 an envy bonus, and nobody knows yet whether that seat stays.
            Frame("T1", settle("r1", shown(6, "As Ks Qs"), close=False), code="bad_message"),
            answer("r1", 4, abandoned=True, ok=False),
            answer("r1", 5, abandoned=True),
            # The mini-royal of hearts wins seat 5 nothing; it is worth 25.00 to each of the two others.
            Frame(
                "T1",
                settle("r1", shown(6, "2c 7d 9h"), shown(5, "Ah Kh Qh", abandoned=True)),
                envies([6, 2], "25.00", "mini-royal", 5),
            ),
        ),
        {("L", ""): Level("1000.42", "1000", "0.42")},
    ),
    Example(
        "a player did not leave: the hand is settled at its turn",
        ("P6",),
        "58 Pa. Code 643a.7(b), .12(d)(1) A",
        (Link("L", "pa-643a-three-card-A"),),
        (Table("T1"),),
        (
            Frame("T1", wager("r1", bets("L", [5]))),
            Frame("T1", settle("r1", shown(5, abandoned=True), close=False)),
            answer("r1", 5, abandoned=False),
            answer("r1", 5, abandoned=False, ok=False),
            Frame("T1", settle("r1", shown(5, "2c 7d 9h"))),
        ),
        {("L", ""): Level("1000.14", "1000", "0.14")},
    ),
    Example(
        "Cover All is paid at the close by the highest of the players' hands, and by how many there are",
        ("B10", "T8"),
        "205 CMR Let It Ride s.11(b), (c), (g), (j), (k)",
        (offer("C", "ma-lir-cover-all"),),
        (Table("T1", links=("C",)),),
        (
            Frame("T1", wager("r1", bets("C", [7, 2], FIVE)), code="bad_message"),
            Frame("T1", wager("r1", bets("C", [7, 2], FIVE)) | {"players": 1}, code="bad_message"),
            Frame("T1", wager("r1", bets("C", [7, 2], FIVE)) | {"players": 8}, code="bad_message"),
            Frame("T1", wager("r1", bets("C", [7, 2], FIVE)) | {"players": 4}),
            Frame("T1", lock("r1") | {"players": 3}),
            # Seat 7 has three nines; they win nothing yet, for seat 5, a box without a wager, has a straight.
            Frame("T1", settle("r1", shown(7, "9s 9h 2c"), close=False, board="9d 5h")),
            Frame("T1", lock("r1") | {"players": 2}, code="bad_message"),
            Frame("T1", close("r1"), code="bad_message"),
            Frame("T1", settle("r1", shown(5, "6h 7h 8s")), code="bad_message"),
            # a straight with three players: 10 x 5.00, to each wager
            Frame(
                "T1",
                settle("r1", shown(5, "6h 7h 8s"), shown(2, "2h Kd Jc")),
                (won(7, "50.00", STRAIGHT, "C"), won(2, "50.00", STRAIGHT, "C")),
            ),
            # cards that nobody can show: two people give the wager back, and the round closes
            Frame("T1", wager("r2", bets("C", [7, 2], FIVE)) | {"players": 2}),
            Frame("T1", settle("r2", shown(7, "9s 9h 2c"), close=False, board="9d 5h")),
            strike("r2", 2, "C", 1, ok=False),
            strike("r2", 2, "C", 2),
            strike("r2", 7, "C", 2),
            Frame("T1", close("r2")),
            # one player alone: three of a kind is 20 x 5.00, at once with the hand that closes
            Frame("T1", wager("r3", bets("C", [7], FIVE)) | {"players": 1}),
            Frame(
                "T1",
                settle("r3", shown(7, "9s 9h 2c"), board="9d 5h"),
                (won(7, "100.00", "three-of-a-kind", "C"),),
            ),
        ),
        {},
    ),
    Example(
        "Bad Beat pays for the lower of player and dealer, whichever of the two it is",
        ("B11", "B16"),
        "58 Pa. Code 653a.12(g) A",
        (offer("B", "pa-653a-bad-beat-A"),),
        (Table("T1", UTH, 6, ("B",)),),
        (
            Frame("T1", wager("r1", bets("B", [6, 5, 4, 3, 1], FIVE))),
            Frame("T1", settle("r1", shown(5, "9s 2c"), board="9h 9d 9c 4s Kd"), code="bad_message"),
            # The dealer has nines full of fours: 40 x 5.00 where four nines or kings full beat it. It beats
            # seat 1's three nines: 9 x 5.00. Seat 4 ties, which beats nobody; seat 6 shows no cards.
            Frame(
                "T1",
                settle(
                    "r1",
                    shown(6, folded=True),
                    shown(5, "9s 2c"),
                    shown(4, "4c 2h"),
                    shown(3, "Kh Kc"),
                    shown(1, "Ah 7h", folded=True),
                    board="9h 9d 9c 4s Kd",
                    dealer="4h 4d",
                ),
                (
                    won(5, "200.00", FULL, "B", because=0),
                    won(3, "200.00", FULL, "B", because=0),
                    won(1, "45.00", "three-of-a-kind", "B", because=1),
                ),
            ),
        ),
        {},
    ),
    Example(
        "The Criss-Cross Five Card Bonus is paid by the five community cards, folded or not, sent or not",
        ("B13", "L1"),
        "58 Pa. Code 674a.7(e), .11(b), (h)(5), .12(c)",
        (offer("X", "pa-674a-five-card-bonus"),),
        (Table("T1", CRISS, 6, ("X",)),),
        (
            Frame("T1", wager("r1", bets("X", [6, 3, 1], FIVE))),
            Frame("T1", settle("r1", shown(6, folded=True), close=False)),
            Frame("T1", close("r1"), code="bad_message"),
            # a pair of sixes: 1 x 5.00 to each
            Frame(
                "T1",
                settle("r1", shown(3, "2c 3d"), board="6s 6h 7d 8c Th"),
                tuple(won(seat, "5.00", "pair", "X") for seat in (6, 3, 1)),
            ),
            Frame("T1", wager("r2", bets("X", [2], FIVE))),
            Frame("T1", settle("r2", board="5s 5h 7d 8c Th")),
            Frame("T1", wager("r3", bets("X", [2], "100.00"))),
            Frame("T1", settle("r3", close=False, board="7s 7h 7d 8c 8h")),
            # a full house: 15 x 100.00, which waits
            Frame("T1", close("r3"), (Won(2, "odds", "1500.00", FULL, link="X"),)),
            Frame("T1", wager("r4", bets("X", [2], FIVE))),
            strike("r4", 2, "X", 1, ok=False),
            strike("r4", 2, "X", 2),
            Frame("T1", close("r4")),
        ),
        {},
    ),
]
