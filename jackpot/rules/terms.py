"""Sanity checks of the terms of links and tables, whatever their paytable prints.

A configuration is checked against its paytable before. Verification has the journal alone, and decides an
opening by these checks again (S8).
"""

from collections.abc import Sequence
from typing import Final

import msgspec

from controllers.messages import Id
from jackpot.rules.hands import NAMES
from jackpot.rules.money import BASIS_POINTS, MICROS_PER_CENT, MICROS_PER_UNIT
from jackpot.rules.paytable import (
    Fixed,
    HandKind,
    LevelTerms,
    LinkTerms,
    Pays,
    PaytableRow,
    Percent,
    TableTerms,
)
from jackpot.rules.refusal import quoted

# No table takes more on one progressive wager, and a seed of 10,000 for 1 of it fits the ledger.
WAGER_MAX: Final = 10_000 * MICROS_PER_UNIT
# A thousand meters at this sum, in micro-dollars, still add up within the ledger's 64-bit integers.
SUM_MAX: Final = 1_000_000_000 * MICROS_PER_UNIT

METER: Final = "meter"
LEVELS: Final = ((METER,), ("mega", "major", "minor"))
"""The names that a paytable's levels may have, in their order (L3)."""


def check_link(terms: LinkTerms, *, opens: bool = True) -> None:
    """Raises ValueError, naming the field, for terms that no configuration could give (L3-L7, A7).

    opens: with its seeds; a meter that stands may have a limit below its seed.
    """
    for name, text in (("link", terms.link), ("bank", terms.bank), ("paytable", terms.paytable)):
        _id(name, text)
    _money("wager", terms.wager, 1, WAGER_MAX)
    check_levels([level.level for level in terms.levels])
    for level in terms.levels:
        _level(level)
        starts = max(level.seed if opens else 0, level.reseed)
        if level.limit is not None and level.limit < starts:
            raise ValueError(f"level {level.level}: the limit is below {'seed or ' * opens}reseed (L7)")
    total = sum(level.primary + level.reserve for level in terms.levels)
    if total > BASIS_POINTS:
        raise ValueError(f"the rates add up to {total} of {BASIS_POINTS}, more than the whole wager (L5)")
    check_rows(terms.rows, terms.hand_kind, [level.level for level in terms.levels])
    for row in terms.rows:
        _pays(row.hand, row.pays, terms.wager)
    check_hands([(row.hand, row.suits) for row in terms.envy], terms.hand_kind, "envy")
    for bonus in terms.envy:
        _money(f"envy {bonus.hand}", bonus.amount, 1, SUM_MAX)
    if terms.validate_at is not None:
        _money("validate_at", terms.validate_at, 0, SUM_MAX)
    if terms.electronic and terms.count_chips:
        raise ValueError("an electronic wager has no chips to count (T3)")
    _draws(terms)


def check_table(terms: TableTerms) -> None:
    """Raises ValueError, naming the field, for a table that nobody can play at (T9, L11)."""
    _id("table", terms.table)
    if terms.adjacent_boxes < 1:
        raise ValueError(f"adjacent_boxes is {terms.adjacent_boxes}, at least the player's own counts (T9)")
    if terms.max_rounds_per_minute < 0:
        raise ValueError(f"max_rounds_per_minute is {terms.max_rounds_per_minute}, below 0 (L11)")


def check_levels(names: Sequence[str]) -> None:
    """Raises ValueError unless they are one `meter`, or some of the others in their order (L3)."""
    if not any(names and tuple(names) == tuple(one for one in order if one in names) for order in LEVELS):
        known = ", ".join(LEVELS[1])
        raise ValueError(f"levels {', '.join(names)}: one `meter`, or {known} in this order (L3)")


def check_hands(hands: Sequence[tuple[str, str]], kind: HandKind, what: str) -> None:
    """Raises ValueError unless the hands stand best first, each once, and only suits split a hand."""
    names = NAMES[kind]
    for hand, suits in hands:
        if hand not in names:
            raise ValueError(f"{what}: {hand!r} is no hand of this game")
        if len(set(suits)) != len(suits) or not set(suits) <= set("shdc"):
            raise ValueError(f"{what}: {hand} has the suits {suits!r}")
    order = [names.index(hand) for hand, _ in hands]
    if order != sorted(order):
        raise ValueError(f"{what}: the hands are not in their order, best first")
    for name in {hand for hand, _ in hands}:
        taken = "".join(suits or "shdc" for hand, suits in hands if hand == name)
        if len(taken) != len(set(taken)):
            raise ValueError(f"{what}: {name} stands more than once")


def check_rows(rows: Sequence[PaytableRow], kind: HandKind, levels: Sequence[str]) -> None:
    """Raises ValueError unless rows are of this kind of hand, and one row wins each level whole (A1)."""
    if not rows:
        raise ValueError("it has no rows")
    check_hands([(row.hand, row.suits) for row in rows], kind, "rows")
    shares = [(row, row.pays) for row in rows if isinstance(row.pays, Percent)]
    for row, pays in shares:
        if pays.level not in levels:
            raise ValueError(f"rows: {row.hand} is paid from {pays.level!r}, which is no level of it")
    if sorted(pays.level for _, pays in shares if pays.rate == BASIS_POINTS) != sorted(levels):
        raise ValueError("rows: each level needs exactly one row that wins the whole of it")


def _level(level: LevelTerms) -> None:
    """Checks a level's rates, seed and limit (L4, L5, L7)."""
    for name, rate, least in (("primary", level.primary, 1), ("reserve", level.reserve, 0)):
        if not least <= rate <= BASIS_POINTS:
            raise ValueError(f"level {level.level}: its {name} rate is {rate} of {BASIS_POINTS} (L5)")
    for name, amount in (("seed", level.seed), ("reseed", level.reseed), ("limit", level.limit)):
        if amount is not None:
            _money(f"level {level.level}: {name}", amount, 0, SUM_MAX)


def _pays(hand: str, pays: Pays, wager: int) -> None:
    """Checks that a row's payout is positive, and fits the ledger's integers (A1)."""
    if isinstance(pays, Percent):
        if not 0 < pays.rate <= BASIS_POINTS:
            raise ValueError(f"rows: {hand} is paid {pays.rate} of {BASIS_POINTS} of a meter")
    else:
        amount = pays.amount if isinstance(pays, Fixed) else pays.n * wager
        _money(f"rows: {hand}", amount, 1, SUM_MAX)


def _draws(terms: LinkTerms) -> None:
    """Checks that a draw that is on has a prize (A7)."""
    for name, every, prize in (
        ("magic", terms.magic_every, terms.magic_for),
        ("lucky", terms.lucky_every, terms.lucky_for),
    ):
        if every < 0 or (every > 0 and prize == 0):
            raise ValueError(f"{name}_every is {every} with a prize of {prize} for 1 (A7)")
        _money(f"{name}_for", prize * terms.wager, 0, SUM_MAX)


def _id(name: str, text: str) -> None:
    """Checks that an id is short and plain, for it goes into frames, pages and logs as it is (WIRE)."""
    try:
        msgspec.convert(text, Id)
    except msgspec.ValidationError as error:
        raise ValueError(f"{name}: {quoted(text)} is no id") from error


def _money(name: str, micros: int, least: int, most: int) -> None:
    if micros % MICROS_PER_CENT or not least <= micros <= most:
        raise ValueError(f"{name} is {micros} micro-dollars, no sum of whole cents that can stand there (M1)")
