"""Resolves a link's terms from its paytable and configuration, or lists every rule that it breaks."""

from typing import Final, Literal, NamedTuple

import msgspec

from jackpot.catalogue.figures import for_one, money_text, parse_money, parse_rate, rate_text
from jackpot.catalogue.paytables import (
    CatalogueError,
    EnvySchedule,
    Figure,
    Paytable,
    PaytableLevel,
    ids,
    load,
    rows_of,
    sum_of,
    takes_dealer_hand,
)
from jackpot.rules.money import BASIS_POINTS
from jackpot.rules.paytable import EnvyRow, LevelTerms, LinkTerms
from jackpot.rules.terms import WAGER_MAX
from jackpot.text import did_you_mean

DEFAULT_BANK: Final = "main"
# Days before an option of Massachusetts is withdrawn, or a limit lowered, where the configuration says none
# (P2). The time of 205 CMR 147.03 is not held: a week is what players who come once a week see.
NOTICE_DAYS: Final = 7


class TermsRefused(CatalogueError):
    """A link's configuration breaks rules: `mistakes` lists each as (path, sentence)."""

    def __init__(self, mistakes: list[tuple[str, str]]) -> None:
        super().__init__("; ".join(f"{path}: {sentence}" for path, sentence in mistakes))
        self.mistakes = mistakes


class LevelEntry(msgspec.Struct, frozen=True):
    """[link.level.NAME]: what the paytable leaves open; money and rates as decimal text."""

    primary: str | None = None
    reserve: str | None = None
    seed: str | None = None
    reseed: str | None = None
    limit: str | None = None
    limit_approval: str | None = None


class LinkEntry(msgspec.Struct, frozen=True):
    """One [[link]] of the configuration, its shape already checked; money as decimal text."""

    id: str
    paytable: str
    wager: str
    bank: str = DEFAULT_BANK
    simultaneous: Literal["order", "share"] = "order"
    floor_to_seed: bool = False
    validate_at: str | None = None
    envy: str | None = None
    count_chips: bool = False
    hold_table: bool = True
    magic_card_every: int = 0
    lucky_every: int = 0
    notice_days: int | None = None
    envy_approved: dict[str, str] = {}
    level: dict[str, LevelEntry] = {}


class _Mistakes:
    """Collects the mistakes of one link, each with its path."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.found: list[tuple[str, str]] = []

    def add(self, key: str, sentence: str) -> None:
        self.found.append((f"{self.path}.{key}", sentence))

    def money(self, key: str, text: str) -> int | None:
        try:
            return parse_money(text)
        except ValueError as error:
            self.add(key, str(error))
            return None


def counts_by_default(table: Paytable) -> bool:
    """Whether the dealer counts the chips of a new link, where its configuration does not say (P8).

    58 Pa. Code § 643a.8(b)(2) orders it; 641a.8(b), 649a.8(b) and 653a.8(b) of 2011 do, too. Massachusetts
    orders none (s. 12), and an electronic wager has no chips.
    """
    return table.jurisdiction == "Pennsylvania" and table.electronic is None


def notice_days_of(table: Paytable, said: int | None) -> int:
    """How many days before a wager on a paytable is withdrawn people announce it (P2).

    said: by the configuration. Massachusetts, s. 6a(a), 6b(a) and 10(c), wants the time of 205 CMR 147.03.
    """
    if said is not None:
        return said
    return NOTICE_DAYS if table.jurisdiction == "Massachusetts" else 0


def resolve(entry: LinkEntry, path: str = "link") -> LinkTerms:
    """Resolves the whole terms of a configured link, with seeds and envy sums for its wager.

    path: where the entry stands in the configuration, for messages. Raises TermsRefused with every
    mistake (L1, L3-L7, T3, T5, A4, A5, A7, A10, M1, M2).
    """
    mistakes = _Mistakes(path)
    if entry.paytable not in ids():
        meant = did_you_mean(entry.paytable, ids())
        mistakes.add("paytable", f"there is no paytable {entry.paytable!r} in the catalogue{meant} (L1)")
        raise TermsRefused(mistakes.found)
    table = load(entry.paytable)
    if table.use != "link":
        why = table.catalogue_only or "it is for a bonus wager: configure an [[offer]]"
        mistakes.add("paytable", f"{table.id} has no levels: {why} (B1)")
        raise TermsRefused(mistakes.found)
    wager = _wager(entry, table, mistakes)
    terms = LinkTerms(
        link=entry.id,
        bank=entry.bank,
        paytable=table.id,
        wager=wager,
        hand_kind=table.hand,
        levels=_levels(entry, table, wager, mistakes),
        rows=rows_of(table),
        envy=_envy(entry, table, wager, mistakes),
        electronic=table.electronic is not None,
        dealer_hand=takes_dealer_hand(table),
        simultaneous=entry.simultaneous,
        floor_to_seed=entry.floor_to_seed,
        validate_at=None if entry.validate_at is None else mistakes.money("validate_at", entry.validate_at),
        always_validate_for=for_one(table.always_validate.pays) if table.always_validate else None,
        count_chips=entry.count_chips,
        hold_table=entry.hold_table,
        magic_every=entry.magic_card_every,
        lucky_every=entry.lucky_every,
        magic_for=for_one(table.draws.magic_card) if table.draws and entry.magic_card_every else 0,
        lucky_for=for_one(table.draws.lucky_bonus) if table.draws and entry.lucky_every else 0,
        notice_days=notice_days_of(table, entry.notice_days),
    )
    _check_options(entry, table, mistakes)
    if mistakes.found:
        raise TermsRefused(mistakes.found)
    return terms


def _wager(entry: LinkEntry, table: Paytable, mistakes: _Mistakes) -> int:
    wager = mistakes.money("wager", entry.wager)
    if wager is None:
        return 0
    printed = [parse_money(text) for text in table.wagers]
    if not 0 < wager <= WAGER_MAX:
        mistakes.add("wager", f"a wager is more than nothing and at most {money_text(WAGER_MAX)} (L1)")
        return 0
    if not printed or wager in printed:
        return wager
    allowed = " or ".join(money_text(micros) for micros in printed)
    mistakes.add("wager", f"{table.id} is for wagers of {allowed} only, not {money_text(wager)} (L1)")
    return 0


def _check_options(entry: LinkEntry, table: Paytable, mistakes: _Mistakes) -> None:
    if entry.simultaneous == "share" and table.by_turn is not None:
        mistakes.add("simultaneous", f"{table.by_turn} mandates payment by turn: no share (T5)")
    if entry.floor_to_seed and table.mandates_seeds:
        mistakes.add("floor_to_seed", f"{table.source} mandates seed and reseed (A4)")
    if entry.count_chips and table.electronic is not None:
        mistakes.add("count_chips", "an electronic wager has no chips to count (T3)")
    for key in ("magic_card_every", "lucky_every"):
        if getattr(entry, key) and table.draws is None:
            why = table.draws_refused or "only a Five Card Hand Bonus has one"
            mistakes.add(key, f"{table.id} has no such draw: {why} (A7)")


def _envy(entry: LinkEntry, table: Paytable, wager: int, mistakes: _Mistakes) -> tuple[EnvyRow, ...]:
    """The envy sums for this wager: the printed ones, or approved ones if none are printed for it (A5)."""
    if not table.schedules and entry.envy is not None:
        mistakes.add("envy", f"{table.id} leaves no choice of envy schedule (A5)")
    if table.schedules and entry.envy not in table.schedules:
        mistakes.add(
            "envy", f"{table.id} needs one of the envy schedules {' or '.join(table.schedules)} (A5)"
        )
    printed = [item for item in table.envy if item.schedule in ("", entry.envy)]
    schedule = next((item for item in printed if parse_money(item.wager) == wager), None)
    if schedule is not None or not printed or table.wagers:
        if entry.envy_approved:
            mistakes.add("envy_approved", f"{table.id} takes no envy but what is printed for this wager (A5)")
        rows = schedule.rows if schedule else ()
        return tuple(EnvyRow(row.hand, parse_money(row.sum), row.suits) for row in rows)
    return _approved(entry, printed[0], mistakes) if wager else ()


def _approved(entry: LinkEntry, printed: EnvySchedule, mistakes: _Mistakes) -> tuple[EnvyRow, ...]:
    """The sums that a regulator approved for a wager without printed ones (A5)."""
    hands = [row.hand for row in printed.rows]
    if set(entry.envy_approved) != set(hands):
        mistakes.add(
            "envy_approved",
            f"{printed.source} prints envy for a wager of ${printed.wager} only: "
            f"give the approved sum of each of {', '.join(hands)} (A5)",
        )
        return ()
    sums = {hand: mistakes.money(f"envy_approved.{hand}", entry.envy_approved[hand]) for hand in hands}
    for hand, amount in sums.items():
        if amount == 0:
            mistakes.add(f"envy_approved.{hand}", "an envy bonus is more than nothing (A5)")
    return tuple(EnvyRow(hand, amount or 0) for hand, amount in sums.items())


def _levels(entry: LinkEntry, table: Paytable, wager: int, mistakes: _Mistakes) -> tuple[LevelTerms, ...]:
    for name in entry.level:
        if name not in table.level:
            known = ", ".join(table.level)
            mistakes.add(f"level.{name}", f"{table.id} has no level {name}, only {known} (L3)")
    levels = tuple(
        _level(name, level, entry.level.get(name, LevelEntry()), wager, mistakes)
        for name, level in table.level.items()
    )
    total = sum(level.primary + level.reserve for level in levels)
    if total > BASIS_POINTS:
        mistakes.add(
            "level", f"the rates add up to {rate_text(total)} of the wager, more than all of it (L5)"
        )
    return levels


def _level(name: str, level: PaytableLevel, entry: LevelEntry, wager: int, mistakes: _Mistakes) -> LevelTerms:

    def asked(key: str, figure: Figure) -> _LevelFigure:
        return _LevelFigure(f"level.{name}.{key}", key, figure, getattr(entry, key), level.source)

    primary = _rate(asked("primary", level.primary), mistakes)
    reserve = _rate(asked("reserve", level.reserve), mistakes)
    seed = _sum(asked("seed", level.seed), wager, mistakes)
    # A source with one seed reseeds with it (L4). The operator may give another reseed only if the seed is
    # theirs too.
    if level.reseed.as_seed and entry.reseed is None:
        reseed = seed
    else:
        figure = Figure(operator=True) if level.reseed.as_seed and level.seed.operator else level.reseed
        reseed = _sum(asked("reseed", figure), wager, mistakes)
    return LevelTerms(
        level=name,
        primary=primary,
        reserve=reserve,
        seed=seed,
        reseed=reseed,
        limit=_limit(f"level.{name}", level, entry, max(seed, reseed), mistakes),
    )


class _LevelFigure(NamedTuple):
    """One figure of a level: who decides it, and what the configuration gives for it at this path."""

    path: str
    key: str
    figure: Figure
    given: str | None
    source: str


def _rate(asked: _LevelFigure, mistakes: _Mistakes) -> int:
    """A rate in basis points: the mandated one, or the operator's within what the source allows (L5)."""
    path, key, figure, given, source = asked
    if figure.mandated is not None or figure.none is not None:
        if given is not None and figure.mandated is not None:
            mistakes.add(path, f"{source} mandates {figure.mandated}: it cannot be configured (L5)")
        elif given is not None:
            mistakes.add(path, f"{source} has no {key} rate ({figure.none}): none can be configured (L5)")
        return parse_rate(figure.mandated or "0%")
    if given is None:
        mistakes.add(path, f"{source} leaves the {key} rate to the operator: give one above zero (L5)")
        return 0
    try:
        rate = parse_rate(given)
    except ValueError as error:
        mistakes.add(path, str(error))
        return 0
    if figure.minimum is not None and rate < parse_rate(figure.minimum):
        mistakes.add(path, f"{source} wants at least {figure.minimum}, not {rate_text(rate)} (L5)")
    elif rate == 0:
        mistakes.add(path, f"the {key} rate must be above zero (L5)")
    return rate


def _sum(asked: _LevelFigure, wager: int, mistakes: _Mistakes) -> int:
    """A seed or reseed in micro-dollars for this wager (L4)."""
    path, key, figure, given, source = asked
    if figure.mandated is not None or figure.as_seed:
        if given is not None:
            what = f"mandates ${figure.mandated}" if figure.mandated else "reseeds with its seed"
            mistakes.add(path, f"{source} {what}: it cannot be configured (L4)")
        return sum_of(figure, wager)
    if given is None:
        mistakes.add(path, f"{source} leaves the {key} to the operator: give it in dollars (L4)")
        return 0
    amount = mistakes.money(path, given)
    if amount is None:
        return 0
    least = sum_of(figure, wager)
    if amount < least:
        mistakes.add(path, f"{source} wants at least {money_text(least)}, not {money_text(amount)} (L4)")
    return amount


def _limit(path: str, level: PaytableLevel, entry: LevelEntry, least: int, mistakes: _Mistakes) -> int | None:
    """A progressive limit in micro-dollars, not below the meter's seed and reseed (L7)."""
    if entry.limit is None:
        if entry.limit_approval is not None:
            mistakes.add(f"{path}.limit_approval", "an approval is stated without a limit (L7)")
        return None
    if level.seed.mandated is not None and not entry.limit_approval:
        mistakes.add(
            f"{path}.limit",
            f"{level.source} mandates the seed: a limit needs its approval stated in limit_approval (L7)",
        )
    limit = mistakes.money(f"{path}.limit", entry.limit)
    if limit is not None and limit < least:
        mistakes.add(
            f"{path}.limit", f"{money_text(limit)} is below {money_text(least)}, where the meter starts (L7)"
        )
    return limit
