"""Worked examples: which cards make the hand, and for which links a name alone speaks (H2, H4)."""

from tests.faults.worked.form import (
    LIR,
    UTH,
    Example,
    Frame,
    Level,
    Link,
    Message,
    Table,
    Won,
    bets,
    close,
    envies,
    settle,
    shown,
    wager,
)

ROYAL = "royal-flush"
SF = "straight-flush"
ACES = "four-aces"  # of four-card hands alone
FLOP = Link("L", "pa-653a-progressive-A")
SEVEN = Link(
    "M",
    "pa-653a-2011-progressive",
    options={"seed": {"": "12000"}, "reseed": {"": "10000"}, "primary": {"": "15"}},
)
FIVE = Link("L", "pa-643a-five-card-A")
BOTH = Table("T1", UTH, 6, ("L", "M"))
NAMED = "house rule; 58 Pa. Code 653a.12(d)(2) and 41 Pa.B. 3836, proposed 653a.12(d)"


def by_name(link: str, hand: str, **more: str) -> Message:
    """Seat 7's hand by its name alone, for one link."""
    return shown(7, hand=hand, link=link, **more)


def showing(*hands: Message) -> Message:
    """Hands of round r1, with a board and a dealer's hand that win nothing."""
    return settle("r1", *hands, board="Ts Js Qs 2d 3h", dealer="Kh Kc")


EXAMPLES: list[Example] = [
    Example(
        "the Five Card Hand Bonus of Ultimate Texas Hold 'Em: two cards and the flop, the dealer's too",
        ("H2", "A6"),
        "58 Pa. Code 653a.12(e)(2), read as (d)(2)",
        (Link("L", "pa-653a-five-card-hand-bonus"),),
        (Table("T1", UTH, 6),),
        (
            Frame("T1", wager("r1", bets("L", [5, 2]), bets("L", [4], on="dealer"))),
            # of seven cards everybody has the board's straight flush and seat 5 a royal; of two and the flop
            # seat 2 has a queen-high flush, seat 5 and the dealer nothing that is paid
            Frame(
                "T1",
                settle("r1", shown(5, "As Kd"), shown(2, "2s 3s"), board="Qs Js 9s Ts Ks", dealer="Kc Kh"),
                (Won(2, "odds", "50.00", "flush", pays="account"),),
            ),
            Frame("T1", wager("r2", bets("L", [5, 2]), bets("L", [4], on="dealer"))),
            # of seven cards seat 2 has four aces and the dealer kings full; of five, aces full and two pair
            Frame(
                "T1",
                settle("r2", shown(5, "8d 8h"), shown(2, "Ah Ad"), board="8s 8c Ac As Kc", dealer="Ks Kd"),
                (
                    Won(5, "odds", "500.00", "four-of-a-kind", pays="account"),
                    Won(2, "odds", "100.00", "full-house", pays="account"),
                ),
            ),
        ),
        # 6 x 0.13, 6 x 0.08
        {("L", ""): Level("10000.78", "10000", "1.26", reserve="0.48")},
    ),
    Example(
        "a name alone does not say whether it is of two cards and the flop or of all seven",
        ("H4", "H2"),
        NAMED,
        (FLOP, SEVEN),
        (BOTH,),
        (
            Frame("T1", wager("r1", bets("L", [4]), bets("M", [4]))),
            Frame("T1", settle("r1", shown(4, hand=ROYAL)), code="bad_message"),
            Frame(
                "T1",
                settle("r1", shown(4, hand=ROYAL, link="M"), shown(4, hand="straight", link="L")),
                (
                    Won(4, "meter", "12000.15", ROYAL, unverified=True, link="M"),
                    Won(4, "odds", "30.00", "straight", unverified=True),
                ),
            ),
        ),
        {
            ("L", ""): Level("10000.21", "10000", "0.21"),
            ("M", ""): Level("10000", "22000", "0.15", "12000.15", cycle=2),
        },
        held=("T1",),
    ),
    Example(
        "cards are ranked for each link by its own: a royal of seven is nothing of the flop",
        ("H4", "H2"),
        NAMED,
        (FLOP, SEVEN),
        (BOTH,),
        (
            Frame("T1", wager("r1", bets("L", [4]), bets("M", [4]))),
            Frame(
                "T1",
                settle("r1", shown(4, "As Ks"), board="Qs Js 2d Ts 3d"),
                (Won(4, "meter", "12000.15", ROYAL, link="M"),),
            ),
        ),
        {
            ("L", ""): Level("10000.21", "10000", "0.21"),
            ("M", ""): Level("10000", "22000", "0.15", "12000.15", cycle=2),
        },
        held=("T1",),
    ),
    Example(
        "a name alone is of the seat's own wager: no envy where other cards make the hand",
        ("H4", "A5"),
        NAMED,
        (FLOP, SEVEN),
        (BOTH,),
        (
            Frame("T1", wager("r1", bets("L", [4, 2]), bets("M", [1]))),
            Frame("T1", settle("r1", shown(5, hand=ROYAL)), code="bad_message"),
            Frame(
                "T1",
                settle("r1", shown(4, hand=ROYAL)),
                (
                    Won(4, "meter", "10000.42", ROYAL, unverified=True),
                    *envies([2], "1000", ROYAL, 4, unverified=True),
                ),
            ),
        ),
        # 10,000 + 2 x 0.21; seat 1's wager is for the best five of seven, of which nothing was said
        {
            ("L", ""): Level("10000", "20000", "0.42", "10000.42", cycle=2),
            ("M", ""): Level("12000.15", "12000", "0.15"),
        },
        held=("T1",),
    ),
    Example(
        "a mini-royal by name earns no envy for a straight flush of five cards",
        ("H4", "A5", "H3"),
        "58 Pa. Code 643a.1, Five-Card Envy Bonus Qualifying Hand",
        (FIVE, Link("M", "pa-643a-three-card-A")),
        (Table("T1", LIR, 7, ("L", "M")),),
        (
            Frame("T1", wager("r1", bets("L", [1]), bets("M", [3]))),
            Frame(
                "T1",
                settle("r1", shown(3, hand="mini-royal", suit="s"), close=False),
                (Won(3, "meter", "1000.14", "mini-royal", unverified=True, link="M"),),
            ),
            Frame("T1", close("r1")),
        ),
        {
            ("L", ""): Level("10000.21", "10000", "0.21"),
            ("M", ""): Level("1000", "2000", "0.14", "1000.14", cycle=2),
        },
        held=("T1",),
    ),
    Example(
        "a royal by name on the bonus earns envy on the five-card link: the same five cards",
        ("H4", "A5"),
        "58 Pa. Code 643a.11(g)(4)(v), 643a.12(f)(2)",
        (FIVE, Link("M", "pa-643a-five-card-hand-bonus")),
        (Table("T1", LIR, 7, ("L", "M")),),
        (
            Frame("T1", wager("r1", bets("L", [1]), bets("M", [7]))),
            Frame(
                "T1",
                settle("r1", shown(7, hand=ROYAL)),
                (
                    Won(7, "meter", "10000.13", ROYAL, unverified=True, link="M"),
                    *envies([1], "1000", ROYAL, 7, unverified=True),
                ),
            ),
        ),
        {
            ("L", ""): Level("10000.21", "10000", "0.21"),
            ("M", ""): Level("0.08", "10000", "0.21", "10000.13", cycle=2),
        },
        held=("T1",),
    ),
    Example(
        "a hand says something, or is folded; and a seat has one turn, whatever its links",
        ("H4", "T4", "T8"),
        "protocol: a folded hand needs no cards; already_settled",
        (FLOP, SEVEN),
        (BOTH,),
        (
            Frame("T1", wager("r1", bets("L", [4, 2]), bets("M", [4]))),
            Frame("T1", settle("r1", shown(4)), code="bad_message"),
            Frame(
                "T1",
                settle("r1", shown(4, hand="straight", link="L"), close=False),
                (Won(4, "odds", "30.00", "straight", unverified=True),),
            ),
            Frame("T1", settle("r1", shown(4, hand=ROYAL, link="M")), code="already_settled"),
            Frame("T1", settle("r1", shown(2, folded=True))),
        ),
        # the wager on M was not named at the seat's turn: it has lost
        {("L", ""): Level("10000.42", "10000", "0.42"), ("M", ""): Level("12000.15", "12000", "0.15")},
    ),
    Example(
        "cards speak for every link; a message wrong in itself is refused before its order is looked at",
        ("H4", "H2", "T4"),
        "protocol: settle, link; the order in which codes are looked for",
        (FIVE, Link("M", "pa-643a-three-card-A")),
        (Table("T1", LIR, 7, ("L", "M")),),
        (
            Frame("T1", wager("r1", bets("L", [7, 3, 1]), bets("M", [7, 3, 1]))),
            Frame(
                "T1",
                settle("r1", shown(3, "7s 8s 9s", hand="straight-flush"), board="5s 6d"),
                code="bad_message",
            ),
            Frame(
                "T1",
                settle("r1", shown(3, "7s 8s 9s", hand="straight", link="M"), board="5s 6d"),
                code="hand_mismatch",
            ),
            Frame(
                "T1",
                settle(
                    "r1", shown(3, "7s 8s 9s", hand="straight-flush", link="M"), board="5s 6d", close=False
                ),
                (Won(3, "odds", "30.00", "straight"), Won(3, "odds", "70.00", "straight-flush", link="M")),
            ),
            Frame("T1", settle("r1", shown(7, "Th Jh Qh")), code="out_of_order"),
            Frame("T1", settle("r1", shown(7, hand="straight")), code="bad_message"),
            Frame("T1", settle("r1", shown(7, "Th Jh Qh"), board="5s 6c"), code="bad_message"),
            Frame("T1", settle("r1", shown(1, "Th Jh Qh"), shown(1, "Th Jh Qh")), code="bad_message"),
            Frame("T1", close("r1")),
        ),
        # 3 x 0.21, 3 x 0.14
        {("L", ""): Level("10000.63", "10000", "0.63"), ("M", ""): Level("1000.42", "1000", "0.42")},
    ),
    Example(
        "a hand by name is one of its link's hands, and says its suit where rows tell suits apart",
        ("H1", "H4"),
        "58 Pa. Code 643a.6(b), (d); protocol: suit",
        (FIVE, Link("M", "pa-643a-three-card-A")),
        (Table("T1", LIR, 7, ("L", "M")),),
        (
            Frame("T1", wager("r1", bets("L", [5]), bets("M", [3]))),
            Frame("T1", settle("r1", shown(5, hand="mini-royal", suit="s")), code="bad_message"),
            Frame("T1", settle("r1", shown(3, hand="mini-royal")), code="bad_message"),
            Frame(
                "T1",
                settle("r1", shown(3, hand="mini-royal", suit="h"), close=False),
                (Won(3, "odds", "500.00", "mini-royal", unverified=True, link="M"),),
            ),
            Frame("T1", close("r1")),
        ),
        {("L", ""): Level("10000.21", "10000", "0.21"), ("M", ""): Level("1000.14", "1000", "0.14")},
    ),
    Example(
        "a name that is no hand of its link is wrong in itself, before it disagrees with another",
        ("H1", "H4"),
        "58 Pa. Code 643a.6(b); protocol: the order in which codes are looked for",
        (FIVE,),
        (Table("T1", LIR, 7),),
        (
            Frame("T1", wager("r1", bets("L", [7]))),
            Frame("T1", settle("r1", shown(7, hand=ACES), by_name("L", "straight")), code="bad_message"),
            Frame("T1", settle("r1", by_name("L", "straight"), shown(7, hand=ACES)), code="bad_message"),
            Frame("T1", settle("r1", shown(7, hand="pair"), by_name("L", "straight")), code="hand_mismatch"),
            Frame("T1", close("r1")),
        ),
        {("L", ""): Level("10000.21", "10000", "0.21")},
    ),
    Example(
        "a seat's same cards have one name and one suit, whatever links they are named for",
        ("H4", "H2"),
        "58 Pa. Code 643a.6(d), 643a.12(d)(1), (e)(1)",
        (Link("L", "pa-643a-three-card-A"), Link("M", "pa-643a-three-card-B"), Link("N", FIVE.paytable)),
        (Table("T1", LIR, 7, ("L", "M", "N")),),
        (
            Frame("T1", wager("r1", bets("L", [7]), bets("M", [7]), bets("N", [7]))),
            Frame("T1", settle("r1", by_name("L", "straight"), by_name("M", SF)), code="hand_mismatch"),
            Frame(
                "T1",
                settle("r1", by_name("L", "mini-royal", suit="s"), by_name("M", "mini-royal", suit="h")),
                code="hand_mismatch",
            ),
            # two of the five cards are the board's: they have a name of their own
            Frame(
                "T1",
                settle("r1", by_name("L", SF), by_name("M", SF), by_name("N", "straight")),
                (
                    Won(7, "odds", "70.00", SF, unverified=True),
                    Won(7, "odds", "100.00", SF, unverified=True, link="M"),
                    Won(7, "odds", "30.00", "straight", unverified=True, link="N"),
                ),
            ),
            # the hand on a link that others have wagered on is made of the same cards too
            Frame("T1", wager("r2", bets("L", [7]), bets("M", [3]))),
            Frame("T1", settle("r2", by_name("L", "straight"), by_name("M", SF)), code="hand_mismatch"),
            Frame("T1", settle("r2", shown(7, hand="straight"), by_name("M", SF)), code="hand_mismatch"),
            Frame("T1", settle("r2", by_name("M", SF), shown(7, hand="straight")), code="hand_mismatch"),
            Frame(
                "T1",
                settle("r2", shown(7, hand=SF), by_name("M", SF), shown(3, hand="straight", link="M")),
                (Won(7, "odds", "70.00", SF, unverified=True),),
            ),
        ),
        # 2 x 0.14, 2 x 0.20, 0.21; a straight pays nothing on paytable B
        {
            ("L", ""): Level("1000.28", "1000", "0.28"),
            ("M", ""): Level("1000.40", "1000", "0.40"),
            ("N", ""): Level("10000.21", "10000", "0.21"),
        },
    ),
    Example(
        "a name is held to its link and its cards, also where the dealer's hand alone is wagered on",
        ("H4", "A6"),
        "58 Pa. Code 653a.6(b), 653a.12(e)(2); protocol: hand_mismatch, no_wager",
        (Link("L", "pa-653a-five-card-hand-bonus"),),
        (Table("T1", UTH, 6),),
        (
            Frame("T1", wager("r1", bets("L", [2], on="dealer"))),
            Frame("T1", showing(shown(3, hand="mini-royal", folded=True)), code="bad_message"),
            Frame("T1", showing(shown(3, "5c 6c", hand=ACES)), code="bad_message"),
            # with the flop two deuces are a pair, and so are the dealer's kings
            Frame("T1", showing(shown(3, "2h 2s", hand="flush")), code="hand_mismatch"),
            Frame("T1", showing(shown(3, "2h 2s", hand="pair"), shown(1, hand="flush", folded=True))),
        ),
        {("L", ""): Level("10000.13", "10000", "0.21", reserve="0.08")},
    ),
]
