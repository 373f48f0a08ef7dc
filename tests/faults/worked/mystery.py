"""Worked cycles of must-hit-by links, both forms; every figure was worked out by hand from the rules.

The usual level lies between $10.00 and $20.00, with a wager of $5.00 and 10 %: each adds 0.50, and the
twentieth reaches the maximum. A wager "decides" where it lifts the meter above all that was decided before.
"""

from __future__ import annotations

from typing import Any

from tests.faults.worked.form import (
    Act,
    Check,
    Frame,
    Hand,
    Level,
    Link,
    Message,
    Now,
    Prize,
    RepeatWagers,
    Step,
    Table,
    Wait,
    Won,
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
from tests.faults.worked.mystery_play import Cycle

COMMITTED, DRAWN = "committed", "drawn"
SOURCE = "house rules on 000's Must-Hit-By Mystery Bonus (643b.1)"
FIVE = "5.00"
LEVEL = ("L", "")
USUAL = {"minimum": "10.00", "must_hit_by": "20.00", "rate": "10"}
# What a drawn level is told where a wager shall not win: only the maximum reaches it.
NOT = "20.00"
T1 = Table("T1", "any", 7, ("L",), per_minute=100)
T2 = Table("T2", "any", 7, ("L",), per_minute=100)


def mystery(form: str, terms: dict[str, str] | None = None, amount: str = FIVE, **more: Any) -> Link:
    """A link of one unnamed level, whose wagers nobody counts in chips."""
    return Link(
        "L", "mystery", amount, {"form": form, "levels": {"": terms or USUAL}, "electronic": True, **more}
    )


def played(table: str, round_: str, seats: list[int], *awards: Won, amount: str = FIVE) -> tuple[Step, ...]:
    """A round of these seats, locked and closed."""
    return (
        Frame(table, plain(round_, seats, amount=amount)),
        Frame(table, close(round_), awards),
    )


def won(seat: int, amount: str, level: str | None = None, link: str = "L") -> Won:
    return Won(seat, "meter", amount, "mystery", level, link=link)


def of(round_: str, seat: int) -> Prize:
    return Prize(Hand(round_, seat), seat)


def in_round(kind: str, round_: str, people: int = 1, *, ok: bool = True, table: str = "T1") -> Act:
    return Act(kind, None, {"table": table, "round": round_}, people, ok)


def corrected(amount: str, people: int = 2, *, account: str = "primary", ok: bool = True) -> Act:
    fields: Message = {"link": "L", "level": "", "account": account, "amount": amount}
    return Act("correct_meter", None, fields, people, ok)


def on_link(kind: str, people: int = 1, *, ok: bool = True, **more: Any) -> Act:
    return Act(kind, None, {"link": "L", **more}, people, ok)


def both(
    name: str,
    rules: tuple[str, ...],
    steps: tuple[Step, ...],
    level: Level,
    committed: tuple[str, ...],
    drawn: tuple[str, ...],
    highest: str,
    *,
    tables: tuple[Table, ...] = (T1, T2),
    awards: tuple[Now, ...] = (),
    **options: Any,
) -> list[Cycle]:
    """The same play, with the same outcome, in both forms."""
    return [
        Cycle(
            f"{form}: {name}", rules, SOURCE, (mystery(form, **options),), tables, steps, {LEVEL: level},
            awards, triggers={LEVEL: triggers}, highest={LEVEL: highest},
        )
        for form, triggers in ((COMMITTED, committed), (DRAWN, drawn))
    ]  # fmt: skip


CYCLES: list[Cycle] = [
    *both(
        "the wager that reaches the trigger wins the meter, which moves at the close alone",
        ("Y1", "Y2", "Y3"),
        (
            Frame("T1", plain("r1", [3, 2, 1], amount=FIVE)),
            Check({LEVEL: Level("10", "10", "0")}),
            # 10.50 and 11.00 are below 11.20; 11.50 is not
            Frame("T1", close("r1"), (won(1, "11.50"),)),
            *played("T1", "r2", [3]),
        ),
        Level("10.50", "20", "2.00", "11.50", cycle=2),
        ("11.20", "17.00"),
        (NOT, NOT, "11.20", NOT),
        "10.50",
        awards=(Now(of("r1", 1), "11.50", "pending"),),
    ),
    *both(
        "a meter of exactly the trigger wins, one that is a micro-dollar below it does not",
        ("Y1", "Y2"),
        (
            *played("T1", "r1", [2], won(2, "10.50")),
            *played("T1", "r2", [2, 1]),
            *played("T1", "r3", [1], won(1, "11.50")),
        ),
        Level("10", "30", "2.00", "22.00", cycle=3),
        ("10.50", "11.000001", "15.00"),
        ("10.50", "10.500001", "11.000001", "11.50"),
        "10",
    ),
    *both(
        "the highest seat comes first, and a second winner of the round finds the reseeded meter",
        ("Y3", "Y1"),
        # seat 3: 10.50; seat 2: 11.00; seat 1 is the first of the next cycle: 10.50
        (*played("T1", "r1", [1, 3, 2], won(2, "11.00"), won(1, "10.50")),),
        Level("10", "30", "1.50", "21.50", cycle=3),
        ("11.00", "10.20", "18.00"),
        (NOT, "11.00", "10.20"),
        "10",
    ),
    *both(
        "at the maximum it is won, whatever was drawn",
        ("Y1", "Y2", "Y5"),
        (RepeatWagers("T1", "L", 19, FIVE), *played("T1", "r1", [4], won(4, "20.00"))),
        Level("10", "20", "10.00", "20.00", cycle=2),
        ("20.00", "12.00"),
        (NOT,) * 20,
        "10",
    ),
    *both(
        "above the maximum the maximum is won, and the rest begins the next cycle",
        ("Y1",),
        # the twenty-first: 20.50, of which 20.25 are won; 10.25 + 0.50 is the next meter
        (RepeatWagers("T1", "L", 20, FIVE), *played("T1", "r1", [5, 4], won(5, "20.25"), won(4, "10.75"))),
        Level("10", "30", "11.00", "31.00", cycle=3),
        ("20.25", "10.250001", "19.00"),
        (*("20.25",) * 21, "10.250001"),
        "10",
        terms={"minimum": "10.00", "must_hit_by": "20.25", "rate": "10"},
    ),
    *both(
        "whole cents are won, and what is below a cent begins the next cycle",
        ("Y1", "M2", "M3"),
        (
            # 1.0333 and 1.0666, then 1.0066 + 0.0333 = 1.0399
            *played("T1", "r1", [2, 1], won(1, "1.06"), amount="1.00"),
            *played("T1", "r2", [1], won(1, "1.03"), amount="1.00"),
        ),
        Level("1.0099", "3", "0.0999", "2.09", cycle=3),
        ("1.05", "1.0067", "1.50"),
        ("2.00", "1.05", "1.0067"),
        "1.0099",
        terms={"minimum": "1.00", "must_hit_by": "2.00", "rate": "3.33"},
        amount="1.00",
    ),
    *both(
        "a minimum of nothing, and a hit of a cent",
        ("Y1", "A2"),
        (
            # 0.0105 is a cent, the least that a level may pay; then 0.0005 + 0.0105 = 0.011, and 0.0215
            *played("T1", "r1", [2, 1], won(2, "0.01"), amount="1.05"),
            *played("T1", "r2", [1], won(1, "0.02"), amount="1.05"),
        ),
        Level("0.0015", "0", "0.0315", "0.03", cycle=3),
        ("0.009", "0.02", "0.50"),
        ("0.009", "1.00", "0.02"),
        "0.0015",
        terms={"minimum": "0.00", "must_hit_by": "1.00", "rate": "1"},
        amount="1.05",
    ),
    *both(
        "what was withdrawn, struck or void before the close never counted, and drew nothing",
        ("Y3", "Y10", "T3"),
        (
            Frame("T1", wager("r1", bets("L", [3, 2, 1], FIVE), lock=False)),
            Frame("T1", close("r1"), code="not_locked"),
            Frame("T1", withdraw("r1", 3)),
            Frame("T1", lock("r1", {"L": 1}), warn=True),
            Frame("T1", close("r1"), code="chip_mismatch"),
            Act("strike", None, {"table": "T1", "round": "r1", "seat": 2, "link": "L"}),
            Frame("T1", close("r1")),
            Check({LEVEL: Level("10.50", "10", "0.50")}),
            Frame("T1", wager("r2", bets("L", [2], FIVE), chips={"L": 1})),
            Frame("T1", void("r2"), refunds=("L:2",)),
            Frame("T1", wager("r3", bets("L", [1], FIVE), chips={"L": 1})),
            Frame("T1", close("r3"), (won(1, "11.00"),)),
        ),
        Level("10", "20", "1.00", "11.00", cycle=2),
        ("10.60", "19.00"),
        (NOT, "10.60"),
        "10",
        electronic=False,
    ),
    *both(
        "tables count in the order of their closes",
        ("Y3", "T7"),
        (
            Frame("T1", plain("r1", [7], amount=FIVE)),
            Frame("T2", plain("r1", [1], amount=FIVE)),
            Frame("T2", close("r1")),
            Frame("T1", close("r1"), (won(7, "11.00"),)),
        ),
        Level("10", "20", "1.00", "11.00", cycle=2),
        ("10.80", "19.00"),
        (NOT, "10.80"),
        "10",
    ),
    *both(
        "another server goes on with the same trigger",
        ("Y2", "Y8"),
        (
            *played("T1", "r1", [2]),
            Frame("T1", plain("r2", [1], amount=FIVE)),
            Wait(take_over=True),
            Frame("T1", close("r2"), (won(1, "11.00"),)),
        ),
        Level("10", "20", "1.00", "11.00", cycle=2),
        ("10.80", "19.00"),
        (NOT, "10.80"),
        "10",
    ),
    *both(
        "there are no cards: a settlement with a hand is no message of this game",
        ("Y7",),
        (
            Frame("T1", plain("r1", [1], amount=FIVE)),
            Frame("T1", settle("r1", shown(1, "Ah Kh Qh")), code="bad_message"),
            Frame("T1", close("r1"), (won(1, "10.50"),)),
        ),
        Level("10", "20", "0.50", "10.50", cycle=2),
        ("10.50", "19.00"),
        ("10.50",),
        "10",
    ),
    *both(
        "an undone award lies in the overflow, its cycle's refunds come from there, and nobody wins it",
        ("Y4", "A11", "L10", "T6"),
        (
            *played("T1", "r1", [3, 2], won(2, "11.00")),
            *played("T2", "r2", [5, 4]),
            in_round("reopen", "r1", 2),
            in_round("void_round", "r1", 2, ok=False),  # the award stands
            Act("undo", Hand("r1", 2), ok=False),
            Act("undo", Hand("r1", 2), people=2),
            Check({LEVEL: Level("11.00", "20", "2.00", "0", overflow="11.00", cycle=2)}),
            Act("undo", Hand("r1", 2), people=2, ok=False),
            Frame("T1", void("r1"), code="two_people"),
            in_round("void_round", "r1", ok=False),
            in_round("void_round", "r1", 2),
            # 2 x 0.50
            Check({LEVEL: Level("11.00", "20", "1.00", "0", overflow="10.00", cycle=2)}),
            *played("T2", "r3", [7, 6, 5, 4, 3, 2], won(2, "14.00")),
        ),
        Level("10", "30", "4.00", "14.00", overflow="10.00", cycle=3),
        ("11.00", "14.00", "19.00"),
        (NOT, "11.00", NOT, NOT, *(NOT,) * 5, "14.00"),
        "10",
        awards=(Now(of("r1", 2), "11.00", "undone"), Now(of("r3", 2), "14.00", "pending")),
    ),
    *both(
        "what two people took off the overflow is not there for a refund: the house pays it",
        ("Y4",),
        (
            *played("T1", "r1", [3, 2], won(2, "11.00")),
            Act("undo", Hand("r1", 2), people=2),
            corrected("-10.60", 1, account="overflow", ok=False),
            corrected("-11.01", account="overflow", ok=False),
            corrected("-10.60", account="overflow"),
            in_round("reopen", "r1", 2),
            in_round("void_round", "r1", 2),
        ),
        # 2 x 0.50, of which 0.40 was there
        Level("10", "20.60", "0", "0", cycle=2, corrections="-10.60"),
        ("11.00", "19.00"),
        (NOT, "11.00"),
        "10",
    ),
    *both(
        "a paid award is neither undone nor its round void",
        ("Y4", "T6"),
        (
            *played("T1", "r1", [2], won(2, "10.50")),
            Act("validate", Hand("r1", 2)),
            Act("pay", of("r1", 2)),
            Act("undo", Hand("r1", 2), people=2, ok=False),
            in_round("reopen", "r1", 2),
            in_round("void_round", "r1", 2, ok=False),
            Frame("T1", close("r1")),
        ),
        Level("10", "20", "0.50", "10.50", cycle=2),
        ("10.50", "19.00"),
        ("10.50",),
        "10",
        awards=(Now(of("r1", 2), "10.50", "paid"),),
    ),
    *both(
        "a refund of the running cycle lowers the meter, and what was decided is not decided again",
        ("Y4", "Y2", "T6"),
        (
            *played("T1", "r1", [3, 2]),
            in_round("reopen", "r1", 2),
            in_round("void_round", "r1", 2),
            Check({LEVEL: Level("10", "10", "0")}),
            *played("T1", "r2", [7, 6]),  # up to 11.00 again
            *played("T1", "r3", [1], won(1, "11.50")),
        ),
        Level("10", "20", "1.50", "11.50", cycle=2),
        ("11.30", "19.00"),
        (NOT, NOT, "11.30"),
        "10",
    ),
    *both(
        "a refund of a cycle whose award stands is the house's",
        ("Y4", "Y3"),
        (
            *played("T1", "r1", [3]),
            *played("T2", "r2", [1], won(1, "11.00")),
            in_round("reopen", "r1", 2),
            in_round("void_round", "r1", 2),
        ),
        Level("10", "20.50", "0.50", "11.00", cycle=2),
        ("11.00", "19.00"),
        (NOT, "11.00"),
        "10",
        awards=(Now(of("r2", 1), "11.00", "pending"),),
    ),
    *both(
        "a round counts once, however often it is closed",
        ("Y3", "T10"),
        (
            *played("T1", "r1", [1]),
            in_round("reopen", "r1", 2),
            Check({LEVEL: Level("10.50", "10", "0.50")}),
            Frame("T1", close("r1")),
            *played("T1", "r2", [1], won(1, "11.00")),
        ),
        Level("10", "20", "1.00", "11.00", cycle=2),
        ("10.80", "19.00"),
        (NOT, "10.80"),
        "10",
    ),
    *both(
        "a correction upward wins nothing, ends below the maximum, and what it passes is drawn anew",
        ("Y11", "L8"),
        (
            *played("T1", "r1", [1]),
            corrected("9.50", ok=False),  # 20.00
            corrected("3.00", 1, ok=False),
            corrected("3.00"),
            Check({LEVEL: Level("13.50", "10", "0.50", corrections="3.00")}),
            *played("T1", "r2", [1], won(1, "14.00")),
        ),
        Level("10", "20", "1.00", "14.00", cycle=2, corrections="3.00"),
        ("12.00", "13.90", "11.00"),
        (NOT, "13.90"),
        "10",
    ),
    *both(
        "a correction downward leaves what was decided decided, and one up to it draws nothing",
        ("Y11", "Y2"),
        (
            *played("T1", "r1", [3, 2]),
            corrected("-0.80"),  # 11.00 -> 10.20
            *played("T1", "r2", [1]),
            corrected("0.20"),  # 10.70 -> 10.90
            *played("T1", "r3", [2, 1], won(2, "11.40")),
        ),
        Level("10.50", "20", "2.50", "11.40", cycle=2, corrections="-0.60"),
        ("11.40", "15.00"),
        (NOT, NOT, "11.40", NOT),
        "10.50",
    ),
    *both(
        "changed terms count from the next reseed, the rate too",
        ("Y11", "L9"),
        (
            *played("T1", "r1", [1]),
            on_link("suspend"),
            on_link(
                "change", levels={"": {"minimum": "20.00", "must_hit_by": "40.00", "rate": "20"}}, ok=False
            ),
            on_link(
                "change", 2, levels={"": {"minimum": "20.00", "must_hit_by": "20.40", "rate": "10"}}, ok=False
            ),
            # small wagers, but an award by the old rate may leave up to 0.49
            on_link(
                "change",
                2,
                levels={"": {"minimum": "20.00", "must_hit_by": "20.40", "rate": "0.2"}},
                ok=False,
            ),
            on_link("change", 2, levels={"": {"minimum": "20.00", "must_hit_by": "40.00", "rate": "20"}}),
            on_link("resume"),
            Check({LEVEL: Level("10.50", "10", "0.50")}),
            # 10.50 + 0.50 at the old rate; then 20.00 + 1.00
            *played("T1", "r2", [2, 1], won(2, "11.00")),
        ),
        Level("21.00", "30", "2.00", "11.00", cycle=2),
        ("11.00", "25.00"),
        (NOT, "11.00", "40.00"),
        "21.00",
    ),
    Cycle(
        "one wager wins two levels of three, each a hit of its own",
        ("Y3", "Y6", "L3"),
        SOURCE,
        (
            Link(
                "L",
                "mystery",
                FIVE,
                {
                    "form": COMMITTED,
                    "electronic": True,
                    "levels": {
                        "mega": {"minimum": "100.00", "must_hit_by": "200.00", "rate": "4"},
                        "major": {"minimum": "20.00", "must_hit_by": "50.00", "rate": "3"},
                        "minor": {"minimum": "10.00", "must_hit_by": "12.00", "rate": "2"},
                    },
                },
            ),
        ),
        (T1,),
        (
            *played("T1", "r1", [2], won(2, "20.15", "major"), won(2, "10.10", "minor")),
            *played("T1", "r2", [2]),
        ),
        {
            ("L", "mega"): Level("100.40", "100", "0.40"),
            ("L", "major"): Level("20.15", "40", "0.30", "20.15", cycle=2),
            ("L", "minor"): Level("10.10", "20", "0.20", "10.10", cycle=2),
        },
        triggers={
            ("L", "mega"): ("150.00",),
            ("L", "major"): ("20.15", "30.00"),
            ("L", "minor"): ("10.10", "11.00"),
        },
        highest={("L", "mega"): "100.40", ("L", "major"): "20.15", ("L", "minor"): "10.10"},
    ),
    Cycle(
        "a closed link's money moves to another, wins nothing there, and has its trigger drawn anew",
        ("Y11", "Y12", "L8"),
        SOURCE,
        (mystery(COMMITTED), Link("M", "mystery", FIVE, mystery(COMMITTED).options)),
        (Table("T1", "any", 7, ("L", "M"), per_minute=100),),
        (
            *played("T1", "r1", [4, 3, 2, 1]),  # 12.00
            on_link("close_link", 2, to="M", ok=False),
            on_link("suspend"),
            on_link("close_link", to="M", ok=False),
            on_link("close_link", 2, to="M"),
            # the house has its 10.00 back
            Check({LEVEL: Level("0", "0", "2.00", transfers="-2.00")}),
            Frame("T1", wager("r2", bets("M", [1], FIVE))),
            Frame("T1", close("r2"), (won(1, "12.50", link="M"),)),
        ),
        {
            LEVEL: Level("0", "0", "2.00", transfers="-2.00"),
            ("M", ""): Level("10", "20", "0.50", "12.50", cycle=2, transfers="2.00"),
        },
        triggers={LEVEL: ("15.00",), ("M", ""): ("11.50", "12.40", "19.00")},
        highest={("M", ""): "10"},
    ),
]
