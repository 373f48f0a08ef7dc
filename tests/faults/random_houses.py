"""The houses that are played at random. Between them they combine what is easily got wrong together."""

from __future__ import annotations

from typing import Final, NamedTuple

from tests.faults.model_floor import ANY
from tests.faults.worked.form import CRISS, FOUR, THREE, UTH, Link, Table

LIMITED: Final = {"primary": {"mega": "30.33", "major": "22.22", "minor": "9.99"}}


class House(NamedTuple):
    """Links and tables that are played together."""

    links: tuple[Link, ...]
    tables: tuple[Table, ...]


HOUSES: Final = {
    "levels, a limit, two games": House(
        (
            Link(
                "L",
                "ma-PTMGLML03",
                options={
                    **LIMITED,
                    "reserve": {"mega": "1.01"},
                    "limit": {"mega": "10002.00", "major": "1001.00"},
                },
            ),
            Link("P", "pa-643a-five-card-C", options={"hold_table": False, "validate_at": "40.00"}),
        ),
        (
            Table("T1", links=("L", "P")),
            Table("T2", links=("P",)),
            Table("T3", UTH, 6, ("P",)),
        ),
    ),
    "shared, never below the seed": House(
        (
            Link(
                "L",
                "ma-PTMGL01",
                options={"primary": {"": "50.33"}, "simultaneous": "share", "floor_to_seed": True},
            ),
            Link("P", "pa-643a-three-card-A", options={"count_chips": True}),
        ),
        (Table("T1", links=("L", "P")), Table("T2"), Table("T3")),
    ),
    "the dealer's hand by turn": House(
        (
            Link("L", "pa-653a-five-card-hand-bonus", "5.00", {"hold_table": False}),
            Link("P", "pa-653a-progressive-A"),
        ),
        (Table("T1", UTH, 6, ("L", "P")), Table("T2", UTH, 6)),
    ),
    "the dealer's hand shared": House(
        (Link("L", "pa-653a-five-card-hand-bonus", options={"simultaneous": "share"}),),
        (Table("T1", UTH, 6), Table("T2", UTH, 6)),
    ),
    "both draws": House(
        (
            Link(
                "L",
                "pa-643a-five-card-hand-bonus",
                options={"magic_every": 40, "lucky_every": 40, "validate_at": "100.00"},
            ),
        ),
        (Table("T1"), Table("T2")),
    ),
    "folds that forfeit": House(
        (
            Link(
                "L",
                "pa-641a-2011-progressive-A",
                options={
                    "seed": {"": "5000"},
                    "reseed": {"": "5000"},
                    "primary": {"": "14.5"},
                    "envy": "B",
                    "validate_at": "200.00",
                },
            ),
            Link(
                "P",
                "pa-649a-2011-progressive-A",
                options={"seed": {"": "1000"}, "reseed": {"": "1000"}, "primary": {"": "14"}},
            ),
        ),
        (Table("T1", FOUR), Table("T2", FOUR), Table("T3", THREE, links=("P",))),
    ),
}

# Mystery levels of few wagers a cycle; some of them leave a residue (Y1). Nobody counts rounds a minute.
MUST_HIT: Final = {
    "": {"minimum": "10.00", "must_hit_by": "12.03", "rate": "3.33"},
}
TWO_LEVELS: Final = {
    "mega": {"minimum": "15.00", "must_hit_by": "20.00", "rate": "12"},
    "minor": {"minimum": "0.00", "must_hit_by": "1.50", "rate": "5"},
}
UNWATCHED: Final = 1_000_000


def mystery(name: str, form: str, levels: dict[str, dict[str, str]], *, electronic: bool) -> Link:
    """A link that must hit, of $5 a wager."""
    options = {"form": form, "levels": levels, "electronic": electronic, "hold_table": electronic}
    return Link(name, "mystery", "5.00", options)


SIX: Final = ("own-1", "own-2", "dealer-1", "board-1", "board-2", "board-4")
LAYOUT: Final = {"placed": "layout", "most": "100.00", "unit": "5.00"}
# Offers next to links with levels, on the device and on the layout (B1).
OFFERING: Final = {
    "Let It Ride": House(
        (
            Link("L", "pa-643a-five-card-C", options={"validate_at": "40.00"}),
            Link(
                "F",
                "pa-643a-five-card-bonus-C",
                "1.00",
                {"most": "25.00", "unit": "1.00", "count_chips": True, "stake": "kept"},
            ),
            Link("T", "pa-643a-three-card-bonus-A", "5.00", LAYOUT),
        ),
        (Table("T1", links=("L", "F", "T")), Table("T2", links=("L", "T")), Table("T3", links=("F",))),
    ),
    "Ultimate Texas Hold 'Em": House(
        (
            Link("L", "pa-653a-five-card-hand-bonus"),
            Link("R", "pa-653a-trips-A", "5.00", {**LAYOUT, "validate_at": "50.00", "cage_at": "200.00"}),
        ),
        (Table("T1", UTH, 6, ("L", "R")), Table("T2", UTH, 6, ("R",))),
    ),
    "Three Card": House(
        (
            Link(
                "L",
                "pa-649a-2011-progressive-A",
                options={
                    "seed": {"": "1000"},
                    "reseed": {"": "1000"},
                    "primary": {"": "14"},
                },
            ),
            Link(
                "P", "pa-649a-2011-pair-plus-B", "5.00", {**LAYOUT, "cage_at": "150.00", "hold_table": False}
            ),
        ),
        (Table("T1", THREE, links=("L", "P")), Table("T2", THREE, links=("P",))),
    ),
    "Aces Up": House(
        (
            Link(
                "L",
                "pa-641a-2011-progressive-A",
                options={
                    "seed": {"": "5000"},
                    "reseed": {"": "5000"},
                    "primary": {"": "14.5"},
                    "envy": "B",
                    "validate_at": "200.00",
                },
            ),
            Link("A", "pa-641a-2011-aces-up-A", "5.00", {**LAYOUT, "validate_at": "60.00"}),
        ),
        (Table("T1", FOUR, links=("L", "A")), Table("T2", FOUR, links=("A",))),
    ),
    "Six Card and Cover All": House(
        (
            Link("L", "pa-643a-five-card-C", options={"validate_at": "40.00"}),
            Link("S", "pa-643a-six-card-bonus-E", "5.00", {**LAYOUT, "validate_at": "50.00"}),
            Link("C", "ma-lir-cover-all", "5.00", LAYOUT),
        ),
        (Table("T1", links=("L", "S", "C")), Table("T2", links=("S",)), Table("T3", links=("L", "C"))),
    ),
    "Six Card of Three Card": House(
        (
            Link("P", "pa-649a-2011-pair-plus-B", "5.00", LAYOUT),
            Link("S", "pa-649a-2011-six-card-bonus-A", "5.00", {**LAYOUT, "validate_at": "50.00"}),
        ),
        (Table("T1", THREE, links=("P", "S")), Table("T2", THREE, links=("S",))),
    ),
    "Bad Beat, and six named cards": House(
        (
            Link("L", "pa-653a-progressive-A", options={"hold_table": False}),
            Link("B", "pa-653a-bad-beat-A", "5.00", {**LAYOUT, "validate_at": "60.00"}),
            Link("S", "pa-653a-six-card-bonus-C", "5.00", {**LAYOUT, "cards": SIX}),
        ),
        (Table("T1", UTH, 6, ("L", "B", "S")), Table("T2", UTH, 6, ("B",)), Table("T3", UTH, 6, ("L", "S"))),
    ),
    "Criss-Cross": House(
        (Link("X", "pa-674a-five-card-bonus", "5.00", {**LAYOUT, "validate_at": "25.00"}),),
        (Table("T1", CRISS, 6, ("X",)), Table("T2", CRISS, 6, ("X",))),
    ),
}

# Mysteries next to links with cards and to offers, and a table of any game (Y7).
MIXED: Final = {
    "a drawn mystery, cards and offers": House(
        (
            *OFFERING["Let It Ride"].links,
            mystery("M", "drawn", MUST_HIT, electronic=True),
            mystery("N", "drawn", TWO_LEVELS, electronic=False),
        ),
        (
            Table("T1", links=("L", "F", "M", "T"), per_minute=UNWATCHED),
            Table("T2", links=("N", "L"), per_minute=UNWATCHED),
            Table("T3", ANY, 7, ("M", "N"), per_minute=UNWATCHED),
        ),
    ),
    "a committed mystery, cards and offers": House(
        (
            *OFFERING["Ultimate Texas Hold 'Em"].links,
            mystery("M", "committed", MUST_HIT, electronic=True),
            mystery("N", "committed", TWO_LEVELS, electronic=False),
        ),
        (
            Table("T1", UTH, 6, ("L", "M", "R", "N"), per_minute=UNWATCHED),
            Table("T2", UTH, 6, ("R", "N"), per_minute=UNWATCHED),
            Table("T3", ANY, 5, ("N", "M"), per_minute=UNWATCHED),
        ),
    ),
    "both forms, and levels": House(
        (
            *HOUSES["levels, a limit, two games"].links,
            mystery("M", "committed", MUST_HIT, electronic=False),
            mystery("N", "drawn", MUST_HIT, electronic=True),
        ),
        (
            Table("T1", links=("L", "M"), per_minute=UNWATCHED),
            Table("T2", UTH, 6, ("P", "N", "M"), per_minute=UNWATCHED),
            Table("T3", ANY, 4, ("M",), per_minute=UNWATCHED),
        ),
    ),
}
