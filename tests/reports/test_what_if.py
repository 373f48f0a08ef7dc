"""A what-if replay equals what the same rules make of the same cards."""

from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from jackpot.catalogue import LevelEntry, LinkEntry, resolve
from jackpot.config.languages import translate
from jackpot.lab.bench.ledger_fixture import BANK
from jackpot.ledger.open import open_reader
from jackpot.ledger.trigger_rows import stored
from jackpot.reports.read.names import HOUSE
from jackpot.reports.readings import readings
from jackpot.reports.what_if import ReplayRefused, WhatIfResult, not_allowed, other_terms, what_if
from jackpot.rules import hands, registry
from jackpot.rules.acts.readings import ReadingTaken
from jackpot.rules.events import Settled
from jackpot.rules.hands import best_row
from jackpot.rules.paytable import ForOne, LinkTerms, Percent
from tests.lab.simulation.floors import FIVE, played
from tests.ledger.seeded_triggers import SeededTriggers
from tests.ledger.waiting import open_ledger
from tests.reports.conftest import SEED
from tests.reports.season import Season
from tests.reports.test_commitments import Committed, books
from tests.rules import floor

LINK = "simulated"
SUMS = {"meter_seed": "10000.00", "meter_reseed": "10000.00"}


@pytest.fixture(scope="module")
def past(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The ledger of a simulated floor: its URL."""
    config, _ = played(tmp_path_factory.mktemp("past") / "floor", FIVE._replace(days=2, rounds=12))
    return config.ledger.url


def tried(url: str, paytable: str | None = None, **settings: str) -> WhatIfResult:
    given = {name.replace("_", ".", 1): text for name, text in settings.items()}
    with closing(open_reader(url)) as ledger:
        before = ledger.head(BANK)
        found = what_if(ledger, BANK, LINK, lambda now: other_terms(now, paytable, given), lambda *_: None)
        assert ledger.head(BANK) == before
    assert found.refused == Counter()
    return found


def test_on_the_same_terms_the_same_happens(past: str) -> None:
    """L6, A2: every meter, hit and sum, on every day, as the journal has it; nothing is written."""
    found = tried(past)
    assert found.would == found.was == found.journal
    assert found.would_total == found.was_total == found.journal_total
    with closing(open_reader(past)) as ledger:
        read = [
            (event.day, primary, hits)
            for row in ledger.rows(BANK, 0, ledger.head(BANK).seq)
            if isinstance(event := registry.decode(row.kind, row.version, row.body), ReadingTaken)
            for _, _, primary, _, _, _, hits in event.meters
        ]
    assert [(day.day, day.meter_if, day.hits_if) for day in found.days] == read
    assert [(day.day, day.meter, day.hits) for day in found.days] == read
    assert {day.day for day in found.days} == {"2026-01-01", "2026-01-02"}
    assert (found.rounds, found.hidden) == (2 * 2 * 24 * 12, 0)


def test_it_begins_with_the_meters_of_a_reading(past: str) -> None:
    """L6, M4: both sides begin with what a reading found; on the same terms they end as the journal does."""
    with closing(open_reader(past)) as ledger:
        found = what_if(ledger, BANK, LINK, lambda now: now, lambda *_: None, "2026-01-01")
        read = next(one for one in readings(ledger, BANK) if one.day == "2026-01-01")
    whole = tried(past)
    assert found.refused == Counter()
    assert found.would == found.was
    wagers = {meter.level: meter.wagers for meter in read.meters}
    for was, journal, end in zip(found.was, found.journal, whole.journal, strict=True):
        assert (was.level, was.meter, was.paid) == (journal.level, journal.meter, journal.paid)
        assert journal.meter == end.meter
        assert journal.wagers == end.wagers - wagers.get(end.level, 0)
    stood = sum(meter.primary + meter.reserve + meter.overflow for meter in read.meters)
    for total in (found.was_total, found.would_total, found.journal_total):
        assert stood + total.onto_meters + total.put_in == total.standing + total.paid, "M4, over all levels"
    assert 0 < found.was_total.wagered < whole.was_total.wagered
    assert [day.day for day in found.days] == [day.day for day in whole.days if day.day == "2026-01-02"]


def test_what_it_cannot_begin_with_is_named(past: str) -> None:
    """Wrong input gets one clear line: a day that was not read."""
    with (
        closing(open_reader(past)) as ledger,
        pytest.raises(ReplayRefused, match="no reading was taken for 2025"),
    ):
        what_if(ledger, BANK, LINK, lambda now: now, lambda *_: None, "2025-12-24")


def test_another_rate_raises_a_meter_as_much_more(past: str) -> None:
    """L6: a level that nobody won gathers by its rate; what other levels do is untouched."""
    found = tried(past, mega_primary="18%")
    was, would = ({end.level: end for end in ends} for ends in (found.was, found.would))
    seed = 10_000_000_000
    assert was["mega"].hits == 0
    assert would["mega"].meter - seed == 2 * (was["mega"].meter - seed)
    assert {level: end for level, end in would.items() if level != "mega"} == {
        level: end for level, end in was.items() if level != "mega"
    }


def test_another_paytable_pays_the_same_cards_by_its_own_rows(past: str) -> None:
    """H3, A1, A5, M4: its hits, what the house pays, both totals, from the cards that the journal shows."""
    terms = resolve(LinkEntry(LINK, "pa-643a-five-card-A", "1.00"))
    _, ranking = hands.made_of("five-flop", "let-it-ride")
    paid = hits = 0
    with closing(open_reader(past)) as ledger:
        for row in ledger.rows(BANK, 0, ledger.head(BANK).seq):
            event = registry.decode(row.kind, row.version, row.body)
            if not isinstance(event, Settled):
                continue
            for shown in event.shown:
                ranked = ranking(shown.cards + event.board)
                best, envy = best_row(terms.rows, ranked), best_row(terms.envy, ranked)
                hits += best is not None and isinstance(best.pays, Percent)
                paid += best.pays.n * 1_000_000 if best is not None and isinstance(best.pays, ForOne) else 0
                paid += (FIVE.players - 1) * envy.amount if envy is not None else 0
    found = tried(past, "pa-643a-five-card-A")
    assert [end.level for end in found.would] == ["meter", HOUSE]
    assert found.would[0].hits == hits
    assert found.would[-1].paid == paid > 0
    for total in (found.was_total, found.would_total):
        assert total.wagered == found.was[0].wagers * 1_000_000 > 0
        assert total.onto_meters + total.put_in == total.standing + total.paid, "M4, over all levels"
        assert total.left == total.wagered - total.standing - total.paid
    assert (
        found.would_total.onto_meters
        == total.wagered * sum(one.primary + one.reserve for one in terms.levels) // 10_000
    )
    assert found.would_total.paid == sum(end.paid for end in found.would)
    assert {(day.level, day.meter is None) for day in found.days} >= {("meter", True), ("mega", False)}


def test_what_tables_and_people_did_to_rounds_is_repeated(tmp_path: Path) -> None:
    """T2, T6, T8, T10: over days of everything that may happen, each link counts its wagers again."""
    season = Season(SEED, 2, 120)
    url = f"sqlite:///{tmp_path / 'season.db'}"
    with closing(open_ledger(url)) as ledger:
        season.write(ledger)
    with closing(open_reader(url)) as reader:
        for link in season.engine.state.links:
            found = what_if(reader, floor.BANK, link.terms.link, lambda now: now, lambda *_: None)
            assert found.refused == Counter(), link.terms.link
            assert [end.wagers for end in found.would[:-1]] == [level.wagers for level in link.levels]


def faster(terms: LinkTerms) -> LinkTerms:
    """Its meters rise a little faster."""
    levels = tuple(replace(level, primary=level.primary + 1) for level in terms.levels)
    return replace(terms, levels=levels)


@pytest.mark.parametrize("seed", [SEED, SEED + 1])
def test_two_plays_differ_by_their_terms_alone(seed: int, tmp_path: Path) -> None:
    """A10, A11, T6: an undone hand won on neither side, a correction is on neither: nothing else differs."""
    season = Season(seed, 2, 120)
    url = f"sqlite:///{tmp_path / 'season.db'}"
    with closing(open_ledger(url)) as ledger:
        season.write(ledger)
    undone, corrected = 0, Counter[str]()
    with closing(open_reader(url)) as reader:
        for link in season.engine.state.links:
            name, hits = link.terms.link, [level.hits for level in link.levels]
            undone += sum(level.undone_hits for level in link.levels)
            found = what_if(reader, floor.BANK, name, lambda now: now, lambda *_: None)
            assert (found.would, found.would_total) == (found.was, found.was_total), name
            assert [end.hits for end in found.journal[:-1]] == hits
            assert [end.hits for end in found.was[:-1]] == hits, name
            assert [(day.meter_if, day.hits_if) for day in found.days] == [
                (day.meter, day.hits) for day in found.days
            ]
            corrected += found.left_out
            found = what_if(reader, floor.BANK, name, faster, lambda *_: None)
            assert [end.hits for end in found.would[:-1]] == hits, name
            assert found.refused == Counter(), name
    assert undone > 0
    assert corrected["awards corrected"] > 0


@pytest.mark.parametrize(
    ("paytable", "settings", "said"),
    [
        (None, {"mega_rate": "5%"}, "none of LEVEL.primary"),
        (None, {"meter_primary": "5%"}, "has no level meter, only mega, major, minor"),
        (None, {"mega_primary": "5"}, "is not a rate"),
        (None, {"mega_primary": "95%"}, "the rates add up"),
        ("pa-649a-2011-progressive-A", {}, "primary rate to the operator"),
        ("pa-641a-2011-progressive-A", {}, "envy schedules"),
        ("pa-653a-2011-progressive", {"meter_primary": "10%", **SUMS}, "cards of Let It Ride make no hand"),
    ],
)  # fmt: skip
def test_terms_that_cannot_be_are_named(
    past: str, paytable: str, settings: dict[str, Any], said: str
) -> None:
    """Wrong input gets one clear line."""
    with pytest.raises(ReplayRefused, match=said):
        tried(past, paytable, **settings)


def test_what_cannot_be_played_again_is_said_in_the_reader_s_language(past: str) -> None:
    """Languages: a template with its values, for page and command."""
    with pytest.raises(ReplayRefused) as rate:
        tried(past, None, mega_primary="5")
    assert str(rate.value) == "'5' is not a rate like 15% or 0.25%, of at most the whole wager"
    assert (
        translate("es_MX", rate.value.said)
        == "'5' no es una tasa como 15% o 0.25%, de la apuesta entera como máximo"
    )
    with pytest.raises(ReplayRefused) as rates:
        tried(past, None, mega_primary="95%")
    assert rates.value.said.template == "what_if_terms"
    assert translate("es_MX", rates.value.said) != str(rates.value)


MANDATES = "58 Pa. Code § 643a.12(e)(3) mandates"
NEEDS_APPROVAL = "a limit needs its approval stated in limit_approval"


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"mega_primary": "18%"}, [f"mega.primary=18%: {MANDATES} 9%: it cannot be configured (L5)"]),
        ({"mega_primary": "9%"}, []),
        (
            {"minor_seed": "300.00", "minor_limit": "900.00"},
            [
                f"minor.seed=300.00: {MANDATES} $250 for 1: it cannot be configured (L4)",
                f"minor.limit=900.00: {MANDATES} the seed: {NEEDS_APPROVAL} (L7)",
            ],
        ),
    ],
)
def test_what_a_regulation_forbids_is_played_and_said(
    past: str, settings: dict[str, str], said: list[str]
) -> None:
    """L4, L5, L7: each figure that no configuration may have, and no other; its own is nothing new."""
    assert tried(past, **settings).not_allowed == said


def test_what_a_source_leaves_open_is_allowed() -> None:
    """L4, L5: above what it wants at least; below that it is said."""
    entry = LinkEntry(
        "four", "pa-649a-2011-progressive-A", "1.00",
        level={"meter": LevelEntry(primary="15%", seed="2000.00", reseed="2000.00")},
    )  # fmt: skip
    now = resolve(entry)
    wanted = "41 Pa.B. 3836 (2011), proposed 58 Pa. Code § 649a.12(e)(3) wants at least 14%"
    for text, said in (
        ("20%", []),
        ("13%", [f"meter.primary=13%: {wanted}, not 13 % (L5)"]),
    ):
        assert not_allowed(now, other_terms(now, None, {"meter.primary": text})) == said


MEGA = ("mega.seed=10.00", "mega.must_hit_by=20.07", "mega.primary=30%")
MINOR = ("minor.seed=0.00", "minor.must_hit_by=5.00", "minor.primary=3.33%")


@pytest.fixture(scope="module", params=["drawn", "committed"])
def chance(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The ledger of a simulated floor with a mystery link of that form: its URL."""
    plan = FIVE._replace(
        paytable="mystery", game="any", days=2, settings=(*MEGA, *MINOR, f"form={request.param}")
    )
    config, _ = played(tmp_path_factory.mktemp("chance") / "floor", plan)
    return config.ledger.url


def test_a_mystery_is_won_as_it_was_on_the_same_terms(chance: str) -> None:
    """Y2, Y9: every cycle by the numbers of the journal, and the one that runs has not ended."""
    found = tried(chance)
    assert found.would == found.was == found.journal
    assert found.would_total == found.was_total == found.journal_total
    assert [(day.meter, day.hits) for day in found.days] == [
        (day.meter_if, day.hits_if) for day in found.days
    ]
    assert (found.rounds, found.hidden) == (2 * 2 * 24 * 20, 0)
    # One of each level stands for a trigger that runs.
    with closing(open_reader(chance)) as ledger:
        assert found.own_numbers == len(stored(ledger))


def test_a_mystery_is_as_fair_on_other_terms(chance: str) -> None:
    """Y2, Y5: as many cycles as the exact law of those terms has, within five deviations."""
    was, would = (
        {end.level: end for end in side}
        for found in [tried(chance, mega_must_hit_by="18.00", minor_primary="5%")]
        for side in (found.was, found.would)
    )
    for level, rise in (("mega", 1_500_000), ("minor", 250_000)):
        assert would[level].hits > was[level].hits
        seed, most = (10_000_000, 18_000_000) if level == "mega" else (0, 5_000_000)
        span = most - seed
        steps = -(-span // rise)
        chances = [rise / span] * (steps - 1) + [1 - (steps - 1) * rise / span]
        mean = sum(chance * number for number, chance in enumerate(chances, 1))
        spread = sum(chance * (number - mean) ** 2 for number, chance in enumerate(chances, 1)) ** 0.5
        expected = would[level].wagers / mean
        # What an award leaves shortens the next cycle by less than a step.
        assert abs(would[level].hits - expected) < 5 * spread / mean * expected**0.5 + 0.02 * expected, level


def test_a_mystery_begins_with_the_meters_of_a_reading(chance: str) -> None:
    """Y2, M4: the trigger that ran then decides, as far as it was opened later."""
    with closing(open_reader(chance)) as ledger:
        found = what_if(ledger, BANK, LINK, lambda now: now, lambda *_: None, "2026-01-01")
    whole = tried(chance)
    assert found.refused == Counter()
    assert found.would == found.was
    for was, journal, end in zip(found.was, found.journal, whole.journal, strict=True):
        assert (was.level, was.meter, was.paid, was.hits) == (
            journal.level,
            end.meter,
            journal.paid,
            journal.hits,
        )
    assert 0 < found.was_total.wagered < whole.was_total.wagered


@pytest.mark.parametrize(
    ("paytable", "settings", "since", "said"),
    [
        ("pa-643a-five-card-A", {}, None, "won by chance alone"),
        (None, {"mega_reserve": "5%"}, None, "none of LEVEL.primary, seed and must_hit_by"),
        (None, {"mega_limit": "50.00"}, None, "none of LEVEL.primary, seed and must_hit_by"),
        (None, {"meter_seed": "5.00"}, None, "has no level meter"),
        (None, {"mega_seed": "25.00"}, None, "must_hit_by"),
        (None, {"mega_seed": "0.00", "mega_must_hit_by": "9.00"}, "2026-01-01", "had reached that sum"),
    ],
)  # fmt: skip
def test_terms_that_no_mystery_has_are_named(
    chance: str, paytable: str | None, settings: dict[str, str], since: str | None, said: str
) -> None:
    """Y1: one clear line."""
    given = {name.replace("_", ".", 1): text for name, text in settings.items()}
    with closing(open_reader(chance)) as ledger, pytest.raises(ReplayRefused, match=said):
        what_if(ledger, BANK, LINK, lambda now: other_terms(now, paytable, given), lambda *_: None, since)


def test_triggers_that_people_replaced_are_replaced_again(tmp_path: Path) -> None:
    """Y12: one that was opened without a win wins nothing, and the next is drawn above what was decided."""
    season = Committed(SeededTriggers(1), rounds=60)
    with books(tmp_path, season) as ledger:
        found = what_if(ledger, floor.BANK, season.link.terms.link, lambda now: now, lambda *_: None)
    assert found.refused == Counter()
    assert found.was == found.would == found.journal
    won, replaced = season.opened()
    assert found.was[0].hits == len(won) > 20
    assert len(replaced) > 10
