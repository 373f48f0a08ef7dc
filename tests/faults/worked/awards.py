"""Worked examples: odds, envy, folds, the dealer's hand, draws, named claims (A1, A5-A8, A10, H1-H4, T8)."""

from tests.faults.worked.form import (
    FOUR,
    LIR,
    UTH,
    Act,
    Example,
    Frame,
    Hand,
    Level,
    Link,
    Now,
    Prize,
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
BONUS = Link("L", "pa-653a-five-card-hand-bonus")
BONUS_SHARE = Link("L", "pa-653a-five-card-hand-bonus", options={"simultaneous": "share"})
T1 = Table("T1")
HOLDEM = Table("T1", UTH, 6)
ROYAL = "royal-flush"
SF = "straight-flush"
QUADS = "four-of-a-kind"

EXAMPLES: list[Example] = [
    Example(
        "the dealer's hand: a tenth of the meter divided among the players who wagered on it",
        ("A4", "A6", "M3"),
        "58 Pa. Code 653a.12(e)(2)",
        (BONUS,),
        (HOLDEM,),
        (
            Frame("T1", wager("r1", bets("L", [5, 3]), bets("L", [5, 3, 2], on="dealer"))),
            Frame(
                "T1",
                settle("r1", shown(5, "Ah Ad"), shown(3, "4h 4s"), board="Tc Jc Qc 2d 3d", dealer="8c 9c"),
                (Won(5, "meter", "333.35", SF), Won(3, "meter", "333.35", SF), Won(2, "meter", "333.35", SF)),
            ),
        ),
        # 10,000 + 5 x 0.13 = 10,000.65; a tenth floored 1,000.06; a third floored 333.35 = 1,000.05 taken
        # 10,000.65 - 1,000.05 = 9,000.60; reserve 5 x 0.08 = 0.40
        {("L", ""): Level("9000.60", "10000", "1.05", "1000.05", reserve="0.40")},
        held=("T1",),
    ),
    Example(
        "own and dealer's hand at one seat by turn: the dealer's first",
        ("A2", "A3", "A6", "T5", "H2"),
        "58 Pa. Code 653a.12(e)(2)",
        (BONUS,),
        (HOLDEM,),
        (
            Frame("T1", wager("r1", bets("L", [6, 1]), bets("L", [6, 3], on="dealer"))),
            Frame(
                "T1",
                settle("r1", shown(6, "8s 9s"), shown(1, "6h 7h"), board="Ts Js Qs 2d 3h", dealer="As Ks"),
                (
                    Won(6, "meter", "5000.26", ROYAL),
                    Won(3, "meter", "5000.26", ROYAL),
                    Won(6, "meter", "0.03", SF),
                ),
            ),
        ),
        # dealer first, at seat 6's turn: 10,000 + 4 x 0.13 = 10,000.52, halved 5,000.26 each, nothing left;
        # next meter: reseed 0 + reserve 4 x 0.08 = 0.32, of which seat 6's own hand takes a tenth, 0.03
        {("L", ""): Level("0.29", "10000", "0.84", "10000.55", cycle=2)},
        held=("T1",),
    ),
    Example(
        "own and dealer's hand of one row, shared: the dealer's is one winner, divided among its players",
        ("T5", "A6", "M3", "H2"),
        "house rule; 58 Pa. Code 653a.12(e)(2)",
        (BONUS_SHARE,),
        (HOLDEM,),
        (
            Frame("T1", wager("r1", bets("L", [6, 1]), bets("L", [6, 3], on="dealer"))),
            Frame(
                "T1",
                settle("r1", shown(6, "Qs Ks"), shown(1, "6h 7h"), board="9s Ts Js 2d 3h", dealer="7s 8s"),
                (
                    Won(6, "meter", "250.01", SF),
                    Won(3, "meter", "250.01", SF),
                    Won(6, "meter", "500.02", SF),
                ),
            ),
        ),
        # a tenth of 10,000.52 floored 1,000.05, halved 500.02; the dealer's half halved 250.01
        # taken 1,000.04; reserve 4 x 0.08
        {("L", ""): Level("9000.48", "10000", "0.84", "1000.04", reserve="0.32")},
        held=("T1",),
    ),
    Example(
        "the dealer's hand at odds pays every wager on it in full; a fold does not touch it",
        ("A1", "A6", "A8", "T8"),
        "58 Pa. Code 653a.12(e)(1), (2)",
        (BONUS,),
        (HOLDEM,),
        (
            Frame("T1", wager("r1", bets("L", [4]), bets("L", [4, 1], on="dealer"))),
            Frame(
                "T1",
                settle("r1", shown(4, folded=True), board="9c 9s 2d 3d 4c", dealer="9h 9d"),
                (
                    Won(4, "odds", "500.00", QUADS, pays="account"),
                    Won(1, "odds", "500.00", QUADS, pays="account"),
                ),
            ),
        ),
        # 3 x 0.13, 3 x 0.08
        {("L", ""): Level("10000.39", "10000", "0.63", reserve="0.24")},
    ),
    Example(
        "a wager on the dealer's hand is not offered elsewhere",
        ("T2",),
        "58 Pa. Code 643a.12(f), 653a.12(d)",
        (Link("L", "pa-643a-five-card-hand-bonus"),),
        (T1,),
        (Frame("T1", wager("r1", bets("L", [4], on="dealer")), code="bad_message"),),
        {("L", ""): Level("10000", "10000", "0")},
    ),
    Example(
        "envy for a hand whose holder did not bet",
        ("A5", "A10"),
        "58 Pa. Code 643a.11(g)(4)(v)",
        (A,),
        (T1,),
        (
            Frame("T1", plain("r1", [1, 2])),
            Frame("T1", settle("r1", shown(4, "Qs Js Ts"), board="As Ks"), envies([1, 2], "1000", ROYAL, 4)),
            Act("validate", Hand("r1", 4)),
            Act("pay", Prize(Hand("r1", 4), 1, "envy")),
        ),
        {("L", ""): Level("10000.42", "10000", "0.42")},
        (
            Now(Prize(Hand("r1", 4), 1, "envy"), "1000.00", "paid"),
            Now(Prize(Hand("r1", 4), 2, "envy"), "1000.00", "validated"),
        ),
    ),
    Example(
        "two boxes of one player: no envy for his own hand, two for another's",
        ("A5", "T9", "A4"),
        "58 Pa. Code 643a.11(g)(4)(v), 643a.7(l)",
        (A,),
        (T1,),
        (
            Frame("T1", wager("r1", bets("L", [3, 4, 6], players={3: "Ann", 4: "Ann", 6: "Bob"}))),
            Frame(
                "T1",
                settle("r1", shown(6, "7s 8s 9s"), shown(4, "Qs Ks As"), board="Ts Js"),
                (
                    Won(6, "meter", "1000.06", SF),
                    *envies([3, 4], "300", SF, 6),
                    Won(4, "meter", "9000.57", ROYAL),
                    *envies([6], "1000", ROYAL, 4),
                ),
            ),
        ),
        # 10,000.63: a tenth floored 1,000.06, left 9,000.57, which the royal takes; reseed 10,000
        {("L", ""): Level("10000", "20000", "0.63", "10000.63", cycle=2)},
        held=("T1",),
    ),
    Example(
        "Four Card: a fold forfeits the wager, not the envy; a shown folded hand earns others envy",
        ("T8", "A5", "H1"),
        "41 Pa.B. 3836, proposed 641a.11(b)(2), 641a.12(d)",
        (
            Link(
                "L",
                "pa-641a-2011-progressive-A",
                options={"seed": {"": "5000"}, "reseed": {"": "5000"}, "primary": {"": "20"}, "envy": "A"},
            ),
        ),
        (Table("T1", FOUR, 7),),
        (
            Frame("T1", plain("r1", [1, 2, 3, 5])),
            Frame(
                "T1",
                settle(
                    "r1",
                    shown(5, folded=True),
                    shown(3, "Ks Kh Kd Kc 2d", folded=True),
                    shown(2, "As Ah Ad Ac 2c"),
                ),
                (
                    *envies([5, 2, 1], "10", QUADS, 3),
                    Won(2, "meter", "5000.80", "four-aces"),
                    *envies([5, 3, 1], "100", "four-aces", 2),
                ),
            ),
        ),
        # 5,000 + 4 x 0.20
        {("L", ""): Level("5000", "10000", "0.80", "5000.80", cycle=2)},
        held=("T1",),
    ),
    Example(
        "Four Card: envy schedule B has nothing for a straight flush",
        ("A5", "H1", "L4"),
        "41 Pa.B. 3836, proposed 641a.12(d)(5)",
        (
            Link(
                "L",
                "pa-641a-2011-progressive-B",
                "5.00",
                {"seed": {"": "2000"}, "reseed": {"": "1000"}, "primary": {"": "20"}, "envy": "B"},
            ),
        ),
        (Table("T1", FOUR, 7),),
        (
            Frame("T1", plain("r1", [3, 2, 1], amount="5.00")),
            Frame(
                "T1",
                settle(
                    "r1", shown(3, "5s 6s 7s 8s Kd"), shown(2, "9s 9h 9d 9c Kh"), shown(1, "3s 3h 3d 4d 5d")
                ),
                (
                    Won(3, "odds", "500.00", SF),
                    Won(2, "odds", "1500.00", QUADS),
                    *envies([3, 1], "125", QUADS, 2),
                    Won(1, "odds", "75.00", "three-of-a-kind"),
                ),
            ),
        ),
        # 100 for 1, 300 for 1, 15 for 1 on $5; plain-dollar seed; 3 x 1.00
        {("L", ""): Level("2003.00", "2000", "3.00")},
    ),
    Example(
        "Three Card: a folded mini-royal wins nothing itself",
        ("T8", "A5", "H1"),
        "41 Pa.B. 3836, proposed 649a.11(b)(2), 649a.12(e)",
        (
            Link(
                "L",
                "pa-649a-2011-progressive-B",
                options={"seed": {"": "1000"}, "reseed": {"": "1000"}, "primary": {"": "20"}},
            ),
        ),
        (Table("T1", "three-card", 7),),
        (
            Frame("T1", plain("r1", [4, 2])),
            Frame(
                "T1",
                settle("r1", shown(4, "As Ks Qs", folded=True), shown(2, "2h 3d Ac")),
                envies([2], "100", "mini-royal", 4),
            ),
        ),
        # paytable B has no straight row: A-2-3 wins nothing
        {("L", ""): Level("1000.40", "1000", "0.40")},
    ),
    Example(
        "Hold 'Em: a folded wager stands if its cards are sent",
        ("T8", "H2"),
        "58 Pa. Code 653a.12(d)",
        (Link("L", "pa-653a-progressive-A"),),
        (HOLDEM,),
        (
            Frame("T1", plain("r1", [5, 2])),
            Frame(
                "T1",
                settle("r1", shown(5, "Jh Js", folded=True), shown(2, folded=True), board="Jd 4c 4s 2h 3h"),
                (Won(5, "odds", "50.00", "full-house"),),
            ),
        ),
        {("L", ""): Level("10000.42", "10000", "0.42")},
    ),
    Example(
        "Let It Ride has no fold",
        ("T8",),
        "58 Pa. Code 643a.11",
        (A,),
        (T1,),
        (
            Frame("T1", plain("r1", [5])),
            Frame("T1", settle("r1", shown(5, folded=True), board="9c 3d"), code="bad_message"),
            Frame("T1", close("r1")),
        ),
        {("L", ""): Level("10000.21", "10000", "0.21")},
    ),
    Example(
        "a mini-royal in hearts on $5; ace-deuce-trey is a straight, king-ace-deuce is not",
        ("A1", "A5", "H1"),
        "58 Pa. Code 643a.6(d), 643a.12(d)",
        (Link("L", "pa-643a-three-card-A", "5.00"),),
        (T1,),
        (
            Frame("T1", plain("r1", [6, 2, 1], amount="5.00")),
            Frame(
                "T1",
                settle("r1", shown(6, "Ah Kh Qh"), shown(2, "Ac 2d 3h"), shown(1, "Kd Ad 2c")),
                (
                    Won(6, "odds", "2500.00", "mini-royal"),
                    *envies([2, 1], "125", "mini-royal", 6),
                    Won(2, "odds", "30.00", "straight"),
                ),
            ),
        ),
        # 5,000 + 3 x 5.00 x 14 % = 2.10
        {("L", ""): Level("5002.10", "5000", "2.10")},
    ),
    Example(
        "claims: name against cards, a card twice, a name alone; validate_at",
        ("H4", "A10"),
        "58 Pa. Code 643a.11(g)(4)(i)-(iii)",
        (Link("L", "pa-643a-five-card-A", options={"validate_at": "1000"}),),
        (T1,),
        (
            Frame("T1", plain("r1", [5, 3])),
            Frame("T1", settle("r1", shown(5, "As Ks Qs", hand=SF), board="Js Ts"), code="hand_mismatch"),
            Frame(
                "T1",
                settle("r1", shown(5, "As Ks Qs"), shown(3, "As 2d 3d"), board="Js Ts"),
                code="impossible_cards",
            ),
            Frame(
                "T1",
                settle("r1", shown(5, hand=QUADS), shown(3, "9h 9d 9c"), board="2c Kd"),
                (
                    Won(5, "odds", "300.00", QUADS, unverified=True),
                    Won(3, "odds", "9.00", "three-of-a-kind", status="final"),
                ),
            ),
        ),
        {("L", ""): Level("10000.42", "10000", "0.42")},
    ),
    Example(
        "a hand claimed by name for one of two links",
        ("H4", "L2", "A5"),
        "protocol: settle, link",
        (A, Link("M", "pa-643a-three-card-A")),
        (Table("T1", LIR, 7, ("L", "M")),),
        (
            Frame("T1", wager("r1", bets("M", [3]))),
            Frame("T1", settle("r1", shown(3, hand=ROYAL, link="L")), code="no_wager"),
            Frame(
                "T1",
                settle("r1", shown(3, hand="mini-royal", suit="s", link="M")),
                (Won(3, "meter", "1000.14", "mini-royal", unverified=True, link="M"),),
            ),
        ),
        # nobody wagered on L in this round
        {
            ("L", ""): Level("10000", "10000", "0"),
            ("M", ""): Level("1000", "2000", "0.14", "1000.14", cycle=2),
        },
        held=("T1",),
    ),
    Example(
        "a hand claimed by name for a link that only others wagered on earns them envy",
        ("A5", "H4"),
        "58 Pa. Code 643a.11(g)(4)(v): another player ... is the holder",
        (A, Link("M", "pa-643a-five-card-hand-bonus")),
        (Table("T1", LIR, 7, ("L", "M")),),
        (
            Frame("T1", wager("r1", bets("M", [7]), bets("L", [1]))),
            Frame(
                "T1",
                settle("r1", shown(7, hand=ROYAL, link="L"), shown(7, hand=ROYAL, link="M"), close=False),
                (
                    *envies([1], "1000", ROYAL, 7, unverified=True),
                    Won(7, "meter", "10000.13", ROYAL, unverified=True, link="M"),
                ),
            ),
            Frame("T1", settle("r1", shown(7, hand=ROYAL, link="L"), close=False), code="already_settled"),
            Frame("T1", close("r1")),
            Act("validate", Hand("r1", 7)),
        ),
        # L: 10,000 + 0.21. M: 10,000 + 0.13 won; its reserve of 0.08 is the next meter
        {
            ("L", ""): Level("10000.21", "10000", "0.21"),
            ("M", ""): Level("0.08", "10000", "0.21", "10000.13", cycle=2),
        },
        (Now(Prize(Hand("r1", 7), 1, "envy"), "1000", "validated"),),
        held=("T1",),
    ),
    Example(
        "Five Card Hand Bonus: 500 for 1 always waits, a flush below validate_at is final",
        ("A8", "A10"),
        "58 Pa. Code 643a.11(g)(5)(ii), (iii)",
        (Link("L", "pa-643a-five-card-hand-bonus", options={"validate_at": "1000"}),),
        (T1,),
        (
            Frame("T1", plain("r1", [5, 3])),
            Frame(
                "T1",
                settle("r1", shown(5, "9h 9d 9c"), shown(3, "4s 6s Js"), board="9s 2s"),
                (
                    Won(5, "odds", "500.00", QUADS, pays="account"),
                    Won(3, "odds", "50.00", "flush", status="final", pays="account"),
                ),
            ),
        ),
        {("L", ""): Level("10000.26", "10000", "0.42", reserve="0.16")},
    ),
    Example(
        "Magic Card on the board for every seat, Lucky Bonus for a seat left out",
        ("A7", "A8"),
        "58 Pa. Code 643a.12(f)(3)",
        (Link("L", "pa-643a-five-card-hand-bonus", options={"magic_every": 10, "lucky_every": 10}),),
        (T1,),
        (
            Frame("T1", plain("r1", [2, 4, 6]), draws={"L": {"magic_card": "Kc", "lucky_box": 4}}),
            Frame(
                "T1",
                settle("r1", shown(6, "9h 2c 3d"), shown(2, "4c 4d 8s"), board="Kc 5s"),
                (
                    Won(6, "draw", "20.00", "magic-card", pays="account"),
                    Won(2, "draw", "20.00", "magic-card", pays="account"),
                    Won(4, "draw", "20.00", "magic-card", pays="account"),
                    Won(4, "draw", "5.00", "lucky-bonus", pays="account"),
                ),
            ),
        ),
        # the drawn king is a community card: it is everybody's, seat 4's too, who sent no cards
        {("L", ""): Level("10000.39", "10000", "0.63", reserve="0.24")},
    ),
    Example(
        "a draw whose prize is not yet awarded does not block a void, and pays nothing",
        ("A7", "T6"),
        "58 Pa. Code 643a.13",
        (Link("L", "pa-643a-five-card-hand-bonus", options={"lucky_every": 10}),),
        (T1,),
        (
            Frame("T1", plain("r1", [4]), draws={"L": {"lucky_box": 4}}),
            Frame("T1", void("r1"), refunds=("L:4:account",)),
        ),
        {("L", ""): Level("10000", "10000", "0")},
    ),
    Example(
        "an award stands in the way of a void; a final one is undone in an unfinished round",
        ("T6", "A11"),
        "58 Pa. Code 643a.13",
        (Link("L", "pa-643a-five-card-A", options={"validate_at": "1000"}),),
        (T1,),
        (
            Frame("T1", plain("r1", [5, 3])),
            Frame(
                "T1",
                settle("r1", shown(3, "9h 9d 9c"), board="2c Kd", close=False),
                (Won(3, "odds", "9.00", "three-of-a-kind", status="final"),),
            ),
            Frame("T1", void("r1"), code="award_standing"),
            Act("undo", Hand("r1", 3)),
            Frame("T1", void("r1"), refunds=("L:3", "L:5")),
        ),
        {("L", ""): Level("10000", "10000", "0")},
        (Now(Prize(Hand("r1", 3), 3, "odds"), "9.00", "undone"),),
    ),
    Example(
        "an envy bonus may be undone alone; a final award of a closed round may not be undone",
        ("A10", "A11"),
        "58 Pa. Code 643a.12(e)(5)",
        (Link("L", "pa-643a-five-card-A", options={"validate_at": "1000"}),),
        (T1,),
        (
            Frame("T1", plain("r1", [5, 3, 1])),
            Frame(
                "T1",
                settle("r1", shown(5, "8h 9h Th"), shown(3, "6d 6s 6c"), board="6h 7h"),
                (
                    Won(5, "meter", "1000.06", SF),
                    *envies([3, 1], "300", SF, 5),
                    Won(3, "odds", "300.00", QUADS, status="final"),
                ),
            ),
            Act("undo", Prize(Hand("r1", 3), 3, "odds"), ok=False),
            Act("undo", Prize(Hand("r1", 5), 1, "envy")),
            Act("validate", Hand("r1", 5)),
        ),
        # 10,000.63 - 1,000.06
        {("L", ""): Level("9000.57", "10000", "0.63", "1000.06")},
        (
            Now(Prize(Hand("r1", 5), 5), "1000.06", "validated"),
            Now(Prize(Hand("r1", 5), 3, "envy"), "300.00", "validated"),
            Now(Prize(Hand("r1", 5), 1, "envy"), "300.00", "undone"),
        ),
        held=("T1",),
    ),
    Example(
        "a settlement of more than 192 awards is sent seat by seat",
        ("A5",),
        "protocol: too_many",
        tuple(Link(name, "pa-643a-five-card-A") for name in "KLMN"),
        (Table("T1", LIR, 7, ("K", "L", "M", "N")),),
        (
            Frame("T1", wager("r1", *(bets(name, [1, 2, 3, 4, 5, 6, 7]) for name in "KLMN"))),
            # 7 royals by name on 4 links, each with an award of its own and 6 envy bonuses: 196
            Frame(
                "T1",
                settle("r1", *(shown(seat, hand=ROYAL) for seat in (7, 6, 5, 4, 3, 2, 1))),
                code="too_many",
            ),
            Frame("T1", close("r1")),
        ),
        {(name, ""): Level("10001.47", "10000", "1.47") for name in "KLMN"},
    ),
    Example(
        "an envy bonus waits for its hand",
        ("A10", "A5"),
        "58 Pa. Code 643a.11(g)(4)(iii), (v)",
        (A,),
        (T1,),
        (
            Frame("T1", plain("r1", [5, 3])),
            Frame(
                "T1",
                settle("r1", shown(5, "8h 9h Th"), board="6h 7h"),
                (Won(5, "meter", "1000.04", SF), *envies([3], "300", SF, 5)),
            ),
            Act("validate", Prize(Hand("r1", 5), 3, "envy"), ok=False),
            Act("pay", Prize(Hand("r1", 5), 3, "envy"), ok=False),
            Act("validate", Hand("r1", 5)),
            Act("pay", Prize(Hand("r1", 5), 3, "envy")),
        ),
        # a tenth of 10,000.42
        {("L", ""): Level("9000.38", "10000", "0.42", "1000.04")},
        (
            Now(Prize(Hand("r1", 5), 5), "1000.04", "validated"),
            Now(Prize(Hand("r1", 5), 3, "envy"), "300", "paid"),
        ),
        held=("T1",),
    ),
    Example(
        "Three Card, paytable A of 2011: a shown fold still earns no odds; others' straights pay",
        ("T8", "H1", "L4"),
        "41 Pa.B. 3836, proposed 649a.12(e)(1)",
        (
            Link(
                "L",
                "pa-649a-2011-progressive-A",
                options={"seed": {"": "1500"}, "reseed": {"": "1000"}, "primary": {"": "14"}},
            ),
        ),
        (Table("T1", "three-card", 7),),
        (
            Frame("T1", plain("r1", [7, 4, 2])),
            Frame(
                "T1",
                settle("r1", shown(7, "9s 9h 9d", folded=True), shown(4, "As Ks Qs"), shown(2, "2h 3d Ac")),
                (
                    Won(4, "meter", "1500.42", "mini-royal"),
                    *envies([7, 2], "100", "mini-royal", 4),
                    Won(2, "odds", "6.00", "straight"),
                ),
            ),
        ),
        # 1,500 + 3 x 0.14; reseeded with 1,000
        {("L", ""): Level("1000", "2500", "0.42", "1500.42", cycle=2)},
        held=("T1",),
    ),
]
