"""Resolution of a link's configuration: its terms for its wager, or the rules that it breaks."""

from typing import Any

import msgspec
import pytest

from jackpot.catalogue import LevelEntry, LinkEntry, TermsRefused, resolve
from jackpot.rules.paytable import EnvyRow, ForOne, LevelTerms, Percent

DOLLAR = 1_000_000


def entry(
    paytable: str, wager: str = "1.00", level: dict[str, dict[str, str]] | None = None, **more: Any
) -> LinkEntry:
    levels = {name: msgspec.convert(values, LevelEntry) for name, values in (level or {}).items()}
    return LinkEntry(id="L", paytable=paytable, wager=wager, level=levels, **more)


def refused(given: LinkEntry) -> list[tuple[str, str]]:
    with pytest.raises(TermsRefused) as caught:
        resolve(given, "link[0]")
    return caught.value.mistakes


def the_one_refusal(given: LinkEntry) -> str:
    mistakes = refused(given)
    assert len(mistakes) == 1, mistakes
    return ": ".join(mistakes[0])


def test_seeds_and_envy_follow_the_wager() -> None:
    """L4, A5: $10,000 for 1 on a $5 link seeds at $50,000, envy is the sum printed for $5."""
    terms = resolve(entry("pa-643a-five-card-C", "5.00"))
    assert terms.wager == 5 * DOLLAR
    assert terms.levels == (
        LevelTerms("mega", 900, 0, 50_000 * DOLLAR, 50_000 * DOLLAR),
        LevelTerms("major", 700, 0, 5_000 * DOLLAR, 5_000 * DOLLAR),
        LevelTerms("minor", 300, 0, 1_250 * DOLLAR, 1_250 * DOLLAR),
    )
    assert terms.envy == (EnvyRow("royal-flush", 5_000 * DOLLAR), EnvyRow("straight-flush", 1_500 * DOLLAR))
    assert terms.rows[0].pays == Percent("mega", 10_000)
    assert terms.rows[-1].pays == ForOne(10)
    assert terms.always_validate_for is None


def test_the_hand_bonus_reseeds_at_nothing() -> None:
    """A3, A6, A7, A10: seed $10,000 for 1, reseed 0, 13 % and 8 %; draws off; 500 for 1 always waits.

    L1: the twin of 643a has the same terms, and takes what a 653a table may wager on the dealer's hand.
    """
    terms = resolve(entry("pa-653a-five-card-hand-bonus", "2.50", simultaneous="share"))
    assert terms.levels == (LevelTerms("meter", 1_300, 800, 25_000 * DOLLAR, 0),)
    assert (terms.electronic, terms.dealer_hand, terms.always_validate_for) == (True, True, 500)
    assert (terms.magic_every, terms.magic_for, terms.lucky_every, terms.lucky_for) == (0, 0, 0, 0)
    twin = resolve(entry("pa-643a-five-card-hand-bonus", "2.50", simultaneous="share"))
    assert msgspec.structs.replace(twin, paytable=terms.paytable) == terms
    drawn = resolve(entry("pa-643a-five-card-hand-bonus", magic_card_every=100, lucky_every=50))
    assert (drawn.magic_every, drawn.magic_for, drawn.lucky_every, drawn.lucky_for) == (100, 20, 50, 5)


RATE = {"meter": {"primary": "12.5%"}}
APPROVED = {"royal-flush": "1800.00", "straight-flush": "0.01"}


def test_massachusetts_envy_is_printed_for_one_wager() -> None:
    """A5: as printed for $1, for PTMGL02 for $5; L4: one seed, which is the reseed too, follows the wager."""
    one = resolve(entry("ma-PTMGL01", "1.00", RATE))
    assert one.envy == (EnvyRow("royal-flush", 1_000 * DOLLAR), EnvyRow("straight-flush", 300 * DOLLAR))
    assert one.levels == (LevelTerms("meter", 1_250, 0, 10_000 * DOLLAR, 10_000 * DOLLAR),)
    five = resolve(entry("ma-PTMGL02", "5.00", RATE, floor_to_seed=True))
    assert five.envy == (EnvyRow("royal-flush", 5_000 * DOLLAR), EnvyRow("straight-flush", 1_500 * DOLLAR))
    assert five.levels[0].seed == 50_000 * DOLLAR
    two = resolve(entry("ma-PTMGLML01", "1.00", {"major": {"primary": "9%"}, "minor": {"primary": "1%"}}))
    assert [(level.level, level.seed) for level in two.levels] == [
        ("major", 10_000 * DOLLAR),
        ("minor", 1_000 * DOLLAR),
    ]


@pytest.mark.parametrize(("paytable", "wager"), [("ma-PTMGL01", "2.50"), ("ma-PTMGL02", "1.00")])
def test_massachusetts_envy_at_another_wager_is_approved(paytable: str, wager: str) -> None:
    """A5: at a wager that no sums are printed for the link gives the approved ones; none is multiplied."""
    terms = resolve(entry(paytable, wager, RATE, envy_approved=APPROVED))
    assert terms.envy == (EnvyRow("royal-flush", 1_800 * DOLLAR), EnvyRow("straight-flush", 10_000))
    assert terms.levels[0].seed == 10_000 * terms.wager


def test_a_seed_that_the_source_does_not_give() -> None:
    """L4: config gives it; the reseed is the seed unless config gives that too."""
    level = {"primary": "10%", "seed": "7500.00"}
    alone = resolve(entry("ma-lir-progressive", level={"meter": level})).levels[0]
    assert (alone.seed, alone.reseed) == (7_500 * DOLLAR, 7_500 * DOLLAR)
    both = resolve(entry("ma-lir-progressive", level={"meter": {**level, "reseed": "5000"}})).levels[0]
    assert (both.seed, both.reseed) == (7_500 * DOLLAR, 5_000 * DOLLAR)


@pytest.mark.parametrize(
    ("schedule", "wager", "sums"),
    [
        ("A", "1.00", (100, 10, 5)),
        ("A", "5.00", (500, 50, 25)),
        ("B", "1.00", (100, 25)),
        ("B", "5.00", (500, 125)),
    ],
)
def test_the_four_card_envy_schedule_is_chosen(schedule: str, wager: str, sums: tuple[int, ...]) -> None:
    """A5: 641a's schedule A or B stands apart from its paytable."""
    level = {"meter": {"primary": "0.01%", "seed": "5000.00", "reseed": "5000.00"}}
    terms = resolve(entry("pa-641a-2011-progressive-A", wager, level, envy=schedule))
    assert tuple(row.amount for row in terms.envy) == tuple(amount * DOLLAR for amount in sums)
    assert terms.levels[0].seed == 5_000 * DOLLAR


OPEN_2011 = {"primary": "15%", "seed": "10000.00", "reseed": "10000.00"}


@pytest.mark.parametrize(
    ("given", "path", "words"),
    [
        (entry("pa-999"), "link[0].paytable", ("pa-999", "L1")),
        (entry("pa-643a-five-card-C", "2.00"), "link[0].wager", ("1.00 or 5.00", "2.00", "L1")),
        (
            entry("ma-lir-progressive", "5.00", {"meter": {"primary": "1%", "seed": "1"}}),
            "link[0].wager",
            ("L1",),
        ),
        (
            entry("ma-PTMGL02", "1.00", RATE),
            "link[0].envy_approved",
            ("5.00 only", "royal-flush, straight-flush", "A5"),
        ),
        (
            entry("ma-PTMGL01", "2.00", RATE, envy_approved={"royal-flush": "2000.00"}),
            "link[0].envy_approved",
            ("each of royal-flush, straight-flush", "A5"),
        ),
        (
            entry("ma-PTMGL01", "2.00", RATE, envy_approved={**APPROVED, "flush": "1.00"}),
            "link[0].envy_approved",
            ("each of royal-flush, straight-flush", "A5"),
        ),
        (
            entry("ma-PTMGL01", "2.00", RATE, envy_approved={**APPROVED, "royal-flush": "0.00"}),
            "link[0].envy_approved.royal-flush",
            ("more than nothing", "A5"),
        ),
        (
            entry("ma-PTMGL01", "1.00", RATE, envy_approved=APPROVED),
            "link[0].envy_approved",
            ("printed for this wager", "A5"),
        ),
        (
            entry("pa-643a-five-card-A", envy_approved=APPROVED),
            "link[0].envy_approved",
            ("printed for this wager", "A5"),
        ),
        (
            entry("ma-PTMGL01", "1.005", {"meter": {"primary": "1%"}}),
            "link[0].wager",
            ("finer than a cent", "M1"),
        ),
        (entry("ma-PTMGL01", "0.00", {"meter": {"primary": "1%"}}), "link[0].wager", ("more than nothing",)),
        (
            entry("pa-643a-five-card-A", level={"mega": {}}),
            "link[0].level.mega",
            ("no level mega", "meter", "L3"),
        ),
        (
            entry("pa-643a-five-card-A", level={"meter": {"primary": "20%"}}),
            "link[0].level.meter.primary",
            ("643a.12(e)(3)", "mandates 21%", "L5"),
        ),
        (
            entry("pa-643a-five-card-A", level={"meter": {"reserve": "1%"}}),
            "link[0].level.meter.reserve",
            ("N/A", "L5"),
        ),
        (
            entry("pa-643a-three-card-A", level={"meter": {"reserve": "1%"}}),
            "link[0].level.meter.reserve",
            ("not printed", "L5"),
        ),
        (
            entry("pa-643a-five-card-hand-bonus", level={"meter": {"reserve": "9%"}}),
            "link[0].level.meter.reserve",
            ("mandates 8%", "L5"),
        ),
        (
            entry("pa-643a-five-card-A", level={"meter": {"seed": "20000.00"}}),
            "link[0].level.meter.seed",
            ("$10000 for 1", "L4"),
        ),
        (
            entry("ma-PTMGL01", level={"meter": {"primary": "1%", "reseed": "1.00"}}),
            "link[0].level.meter.reseed",
            ("reseeds with its seed", "L4"),
        ),
        (
            entry("pa-653a-2011-progressive", level={"meter": {**OPEN_2011, "seed": "9999.99"}}),
            "link[0].level.meter.seed",
            ("at least 10,000.00", "L4"),
        ),
        (
            entry(
                "pa-649a-2011-progressive-B",
                "5.00",
                {"meter": {**OPEN_2011, "reseed": "999.99", "primary": "20%"}},
            ),
            "link[0].level.meter.reseed",
            ("at least 1,000.00", "L4"),
        ),
        (
            entry("pa-649a-2011-progressive-A", level={"meter": {**OPEN_2011, "primary": "13.99%"}}),
            "link[0].level.meter.primary",
            ("at least 14%", "13.99 %", "L5"),
        ),
        (
            entry("pa-649a-2011-progressive-B", level={"meter": {**OPEN_2011, "primary": "19.99%"}}),
            "link[0].level.meter.primary",
            ("at least 20%", "L5"),
        ),
        (
            entry("pa-653a-2011-progressive", level={"meter": {**OPEN_2011, "primary": "0%"}}),
            "link[0].level.meter.primary",
            ("above zero", "L5"),
        ),
        (
            entry("pa-653a-2011-progressive", level={"meter": {**OPEN_2011, "primary": "1.001%"}}),
            "link[0].level.meter.primary",
            ("finer than 0.01 %", "M2"),
        ),
        (
            entry("ma-PTMGLML01", level={"major": {"primary": "60%"}, "minor": {"primary": "40.01%"}}),
            "link[0].level",
            ("100.01 %", "L5"),
        ),
        (
            entry("pa-643a-five-card-A", level={"meter": {"limit": "20000.00"}}),
            "link[0].level.meter.limit",
            ("limit_approval", "L7"),
        ),
        (
            entry("pa-653a-2011-progressive", level={"meter": {**OPEN_2011, "limit": "9999.99"}}),
            "link[0].level.meter.limit",
            ("below 10,000.00", "L7"),
        ),
        (
            entry("pa-653a-2011-progressive", level={"meter": {**OPEN_2011, "limit_approval": "x"}}),
            "link[0].level.meter.limit_approval",
            ("without a limit", "L7"),
        ),
        (entry("pa-643a-five-card-C", simultaneous="share"), "link[0].simultaneous", ("643a.12(e)(4)", "T5")),
        (
            entry("pa-653a-2011-progressive", level={"meter": OPEN_2011}, simultaneous="share"),
            "link[0].simultaneous",
            ("653a.12(d)(4)", "T5"),
        ),
        (
            entry("pa-643a-five-card-A", floor_to_seed=True),
            "link[0].floor_to_seed",
            ("seed and reseed", "A4"),
        ),
        (entry("pa-643a-five-card-hand-bonus", floor_to_seed=True), "link[0].floor_to_seed", ("A4",)),
        (
            entry("pa-643a-five-card-hand-bonus", count_chips=True),
            "link[0].count_chips",
            ("electronic", "T3"),
        ),
        (entry("pa-643a-five-card-A", envy="A"), "link[0].envy", ("no choice", "A5")),
        (
            entry("pa-641a-2011-progressive-B", level={"meter": OPEN_2011}),
            "link[0].envy",
            ("A or B", "A5"),
        ),
        (
            entry("pa-653a-five-card-hand-bonus", magic_card_every=9),
            "link[0].magic_card_every",
            ("653a.12(e)(3) leaves it open", "A7"),
        ),
        (
            entry("pa-653a-five-card-hand-bonus", lucky_every=9),
            "link[0].lucky_every",
            ("653a.1 draws among the boxes and the dealer", "A7"),
        ),
        (entry("pa-643a-five-card-A", lucky_every=9), "link[0].lucky_every", ("Five Card Hand Bonus", "A7")),
        (
            entry("pa-643a-five-card-A", validate_at="12.345"),
            "link[0].validate_at",
            ("finer than a cent", "M1"),
        ),
    ],
)
def test_a_configuration_that_breaks_a_rule(given: LinkEntry, path: str, words: tuple[str, ...]) -> None:
    """L1, L3-L5, L7, T3, T5, A4, A5, A7, M1, M2: refused with path, reason and rule id."""
    text = the_one_refusal(given)
    assert text.startswith(f"{path}: ")
    for word in words:
        assert word in text


def test_every_mistake_of_a_link_is_found_at_once() -> None:
    """L4, L5, T5: what a source leaves open must be given, and one reading says all that is missing."""
    paths = [path for path, _ in refused(entry("ma-PTMGLML02", "0.001", magic_card_every=5))]
    assert paths == [
        "link[0].wager",
        *(
            f"link[0].level.{name}.{key}"
            for name in ("mega", "major", "minor")
            for key in ("primary", "seed")
        ),
        "link[0].magic_card_every",
    ]


def test_a_limit_with_its_approval() -> None:
    """L7: a limit at the seed is allowed, on a mandated seed with its approval."""
    level = {"mega": {"limit": "10000.00", "limit_approval": "letter of 2 March"}}
    assert resolve(entry("pa-643a-five-card-B", level=level)).levels[0].limit == 10_000 * DOLLAR
