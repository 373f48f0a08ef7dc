"""Analysis of a mystery link: the return of its next wager, and the cycles of its levels (Y5).

All figures are exact. A meter is taken as the highest of its cycle: where it was lowered, by an undo or by
two people, a wager wins nothing until it is as high again, so the next wagers return less than is said here.
"""

from collections.abc import Mapping
from fractions import Fraction
from typing import NamedTuple

from msgspec import structs

from jackpot.catalogue import DEFAULT_BANK, money_text, parse_money, parse_rate
from jackpot.odds.analysis import QUANTILES, RATE_MAX, AnalysisConditions, CycleQuantile
from jackpot.odds.must_hit_by import (
    MustHitByOdds,
    MustHitByTerms,
    chance,
    meter_within,
    odds_of,
    returned,
    wagers_within,
)
from jackpot.odds.subject import AnalysisError, AnalyzedLink, OperatorChoices
from jackpot.rules.paytable import ANY, LevelTerms, LinkTerms
from jackpot.rules.phrases import Fault
from jackpot.rules.terms import check_link
from jackpot.text import Sentence

MYSTERY = "mystery"
"""The name of a mystery link where another has a paytable."""
_FIGURES = ("seed", "must_hit_by", "primary")


class MysteryLevelFound(NamedTuple):
    """Figures of a level.

    chance, part: of the next wager at this meter, to win and as a return. cycle: of cycles from the minimum.
    rest: of the cycle from this meter on. ends: quantiles of a cycle.
    """

    terms: MustHitByTerms
    name: str
    meter: int
    chance: Fraction
    part: Fraction
    cycle: MustHitByOdds
    rest: MustHitByOdds
    ends: tuple[CycleQuantile, ...]


class MysteryAnalysis(NamedTuple):
    """Result of an analysis of a mystery link."""

    subject: AnalyzedLink
    tonight: AnalysisConditions
    levels: tuple[MysteryLevelFound, ...]

    @property
    def total(self) -> Fraction:
        """Return of the next wager at these meters."""
        return sum((level.part for level in self.levels), Fraction(0))

    @property
    def contributed(self) -> Fraction:
        """Part of a wager that goes onto the meters."""
        return sum((level.cycle.contributed for level in self.levels), Fraction(0))

    @property
    def seeded(self) -> Fraction:
        """What the house puts on the meters for each wager, in the long run."""
        return sum((level.cycle.seeded for level in self.levels), Fraction(0))


def analyze_mystery(subject: AnalyzedLink, tonight: AnalysisConditions) -> MysteryAnalysis:
    """The whole analysis of a mystery link. Raises AnalysisError."""
    terms = subject.terms
    if not 1 <= tonight.wagers_an_hour <= RATE_MAX:
        rates = {"most": f"{RATE_MAX:,}", "count": f"{tonight.wagers_an_hour:,}"}
        raise AnalysisError("1 to {most} wagers an hour, not {count}", field="rate", **rates)
    for name in tonight.meters:
        if name not in {level.level for level in terms.levels}:
            known = {
                "level": name,
                "link": terms.link,
                "levels": ", ".join(one.level for one in terms.levels),
            }
            raise AnalysisError("meter {level}: {link} has {levels}", **known)
    return MysteryAnalysis(
        subject, tonight, tuple(_level(terms, level, tonight.meters) for level in terms.levels)
    )


def _level(link: LinkTerms, level: LevelTerms, meters: Mapping[str, int]) -> MysteryLevelFound:
    maximum = level.must_hit_by or 0
    terms = MustHitByTerms(level.reseed, maximum, link.wager, level.primary)
    meter = meters.get(level.level, level.seed)
    if meter >= maximum:
        sums = {"level": Sentence(level.level), "sum": money_text(meter), "most": money_text(maximum)}
        raise AnalysisError("meter {level}: {sum} is not below {most}, by which it must hit", **sums)
    return MysteryLevelFound(
        terms,
        level.level,
        meter,
        chance(terms, meter, meter),
        returned(terms, meter),
        odds_of(terms),
        odds_of(terms._replace(residue=meter - terms.minimum)),
        tuple(CycleQuantile(one, wagers_within(terms, one), meter_within(terms, one)) for one in QUANTILES),
    )


def mystery_of(wish: OperatorChoices) -> AnalyzedLink:
    """A mystery link as an operator would offer it. Raises AnalysisError.

    Its figures are seed, must_hit_by and primary of each level.
    """
    alone = {"envy": wish.envy, "stake": wish.stake, "magic_card_every": wish.magic_card_every}
    alone["lucky_every"] = wish.lucky_every
    for field in (name for name, given in alone.items() if given):
        raise AnalysisError("a mystery link has none", field=field)
    levels: dict[str, dict[str, str]] = {}
    for path, text in wish.figures.items():
        name, _, figure = path.partition(".")
        if figure not in _FIGURES:
            raise AnalysisError("a mystery level has {figures}", field=path, figures=", ".join(_FIGURES))
        levels.setdefault(name, {})[figure] = text
    if not levels:
        raise AnalysisError("a mystery link has levels: give the figures of one", field="set")
    try:
        wager = parse_money(wish.wager or "1.00")
        made = tuple(_as_typed(name, given) for name, given in levels.items())
        terms = LinkTerms(MYSTERY, DEFAULT_BANK, MYSTERY, wager, "mystery", made, (), form="committed")
        check_link(structs.replace(terms, electronic=True))
    except (ValueError, Fault) as error:
        raise AnalysisError("{reason}", reason=str(error)) from error
    return AnalyzedLink(terms, ANY, frozenset())


def _as_typed(name: str, fields: Mapping[str, str]) -> LevelTerms:
    for figure in _FIGURES:
        if figure not in fields:
            raise AnalysisError("is missing", field=f"{name}.{figure}")
    seed, most = parse_money(fields["seed"]), parse_money(fields["must_hit_by"])
    return LevelTerms(name, parse_rate(fields["primary"]), 0, seed, seed, must_hit_by=most)
