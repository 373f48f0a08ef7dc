"""Sanity checks of the terms of links and tables, whatever their paytable prints.

A configuration is checked against its paytable before. Verification has the journal alone, and decides an
opening by these checks again (S8).
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Final, NamedTuple

import msgspec

from controllers.messages import Id
from jackpot.rules.cards import RANKS
from jackpot.rules.hands import NAMES, SIX_PLACES
from jackpot.rules.money import BASIS_POINTS, MICROS_PER_CENT, MICROS_PER_UNIT
from jackpot.rules.paytable import (
    ANY,
    OFFER_KINDS,
    SEATS,
    Fixed,
    HandKind,
    LevelTerms,
    LinkTerms,
    Pays,
    PaytableRow,
    Percent,
    TableTerms,
    ToOne,
)
from jackpot.rules.phrases import Fault

# No table takes more on one progressive wager, and a seed of 10,000 for 1 of it fits the ledger.
WAGER_MAX: Final = 10_000 * MICROS_PER_UNIT
# A thousand meters at this sum, in micro-dollars, still add up within the ledger's 64-bit integers.
SUM_MAX: Final = 1_000_000_000 * MICROS_PER_UNIT

# Nothing is announced longer before (P2): a year, so that a slip of the hand binds nobody for ever.
NOTICE_DAYS_MAX: Final = 366

METER: Final = "meter"
LEVELS: Final = ((METER,), ("mega", "major", "minor"))
"""The names that a paytable's levels may have, in their order (L3)."""

# How many mystery levels a table's seats may play for at once: so many awards one close may make, besides the
# 192 of the hands, and its answer still fits a frame (Y7).
WINS_MAX: Final = 64

# What an offer may pay at most for one wager, so that no slip of the hand in a bound promises more (B3).
ODDS_AWARD_MAX: Final = 100_000_000 * MICROS_PER_UNIT


def check_link(terms: LinkTerms, *, opens: bool = True) -> None:
    """Raises Fault, naming the field, for terms that no configuration could give (L3-L7, A7).

    opens: with its seeds; a meter that stands may have a limit below its seed.
    """
    for name, text in (("link", terms.link), ("bank", terms.bank), ("paytable", terms.paytable)):
        _id(name, text)
    _money("wager", terms.wager, 1, WAGER_MAX)
    if terms.offer:
        _offer(terms)
    else:
        check_levels([level.level for level in terms.levels])
        _without_bounds(terms)
    if terms.mystery or terms.hand_kind == "mystery":
        _mystery(terms)
    for level in terms.levels:
        _level(level)
        starts = max(level.seed if opens else 0, level.reseed)
        if level.limit is not None and level.limit < starts:
            start = "terms_limit_below_seed" if opens else "terms_limit_below_reseed"
            raise Fault(start, level=level.level)
    total = sum(level.primary + level.reserve for level in terms.levels)
    if total > BASIS_POINTS:
        raise Fault("terms_rates_above_wager", total=total, whole=BASIS_POINTS)
    if not terms.mystery:
        check_rows(terms.rows, terms.hand_kind, [level.level for level in terms.levels])
    most, highest = max(terms.wager, terms.most), ODDS_AWARD_MAX if terms.offer else SUM_MAX
    for row in terms.rows:
        for pays in (row.pays, *map(ToOne, row.by_players)):
            _pays(row.hand, pays, most, highest)
    check_hands([HandOfRow(row.hand, row.suits) for row in terms.envy], terms.hand_kind, "envy")
    for bonus in terms.envy:
        _money(f"envy {bonus.hand}", bonus.amount, 1, SUM_MAX)
    if terms.validate_at is not None:
        _money("validate_at", terms.validate_at, 0, SUM_MAX)
    if terms.electronic and terms.count_chips:
        raise Fault("terms_chips_electronic")
    if terms.count_chips and not terms.has_chips:
        raise Fault("terms_chips_layout")
    _draws(terms)
    _notice_days(terms.notice_days)


def check_joins(table: TableTerms, links: Sequence[LinkTerms]) -> None:
    """Raises Fault for a table that may not have these mystery links, or too many of them (Y7, Y10).

    links: of the table's links those whose levels must hit.
    """
    if table.game == ANY:
        if len(links) < len(table.links):
            raise Fault("terms_any_game_cards")
        if table.seats * len(links) > WINS_MAX:
            raise Fault("terms_mystery_too_many", seats=table.seats, count=len(links), most=WINS_MAX)
    levels = sum(len(link.levels) for link in links)
    if table.seats * levels > WINS_MAX:
        raise Fault("terms_mystery_too_many", seats=table.seats, count=levels, most=WINS_MAX)
    if links and not table.max_rounds_per_minute:
        raise Fault("terms_mystery_pace", link=links[0].link)


def check_table(terms: TableTerms) -> None:
    """Raises Fault, naming the field, for a table that nobody can play at (T9, L11)."""
    _id("table", terms.table)
    if terms.adjacent_boxes < 1:
        raise Fault("terms_adjacent_boxes", count=terms.adjacent_boxes)
    if terms.max_rounds_per_minute < 0:
        raise Fault("terms_max_rounds", count=terms.max_rounds_per_minute)
    for name in terms.base_wagers:
        _id("base_wagers", name)
    if terms.payout_limit is not None:
        _money("payout_limit", terms.payout_limit, 1, SUM_MAX)
    _notice_days(terms.notice_days)


def _notice_days(days: int) -> None:
    """Checks how many days before something is announced (P2)."""
    if not 0 <= days <= NOTICE_DAYS_MAX:
        raise Fault("terms_notice_days", days=days, most=NOTICE_DAYS_MAX)


def check_levels(names: Sequence[str]) -> None:
    """Raises Fault unless they are one `meter`, or some of the others in their order (L3)."""
    if not any(names and tuple(names) == tuple(one for one in order if one in names) for order in LEVELS):
        raise Fault("terms_levels", levels=names, known=LEVELS[1])


class HandOfRow(NamedTuple):
    """What a row is for: a hand, its suits, and the least rank of a pair; "" for all."""

    hand: str
    suits: str
    least: str = ""


def check_hands(hands: Sequence[HandOfRow], kind: HandKind, field: str) -> None:
    """Raises Fault unless the hands stand best first, each once.

    Only suits, or the least ranks of pairs, split a hand.
    """
    names = NAMES[kind]
    for hand, suits, least in hands:
        if hand not in names:
            raise Fault("terms_hand_unknown", what=field, hand=hand)
        if len(set(suits)) != len(suits) or not set(suits) <= set("shdc"):
            raise Fault("terms_hand_suits", what=field, hand=hand, suits=suits)
        if least and (hand != "pair" or suits or least not in tuple(RANKS)):
            raise Fault("terms_hand_rank", what=field, hand=hand, rank=least)
    order = [(names.index(hand), -RANKS.find(least)) for hand, _, least in hands]
    if order != sorted(order):
        raise Fault("terms_hands_order", what=field)
    for name, rank in {(hand, least) for hand, _, least in hands}:
        taken = "".join(suits or "shdc" for hand, suits, least in hands if (hand, least) == (name, rank))
        if len(taken) != len(set(taken)):
            raise Fault("terms_hand_twice", what=field, hand=name)


def check_rows(rows: Sequence[PaytableRow], kind: HandKind, levels: Sequence[str]) -> None:
    """Raises Fault unless rows are of this kind of hand, and one row wins each level whole (A1)."""
    if not rows:
        raise Fault("terms_no_rows")
    check_hands([HandOfRow(row.hand, row.suits, row.least) for row in rows], kind, "rows")
    shares = [(row, row.pays) for row in rows if isinstance(row.pays, Percent)]
    for row, pays in shares:
        if pays.level not in levels:
            raise Fault("terms_row_level", hand=row.hand, level=pays.level)
    if sorted(pays.level for _, pays in shares if pays.rate == BASIS_POINTS) != sorted(levels):
        raise Fault("terms_whole_levels")


def _level(level: LevelTerms) -> None:
    """Checks a level's rates, seed and limit (L4, L5, L7)."""
    for name, rate, least in (("primary", level.primary, 1), ("reserve", level.reserve, 0)):
        if not least <= rate <= BASIS_POINTS:
            raise Fault("terms_rate", level=level.level, account=name, rate=rate, whole=BASIS_POINTS)
    if level.must_hit_by is not None:
        _money(f"level {level.level}: must_hit_by", level.must_hit_by, 1, SUM_MAX)
    for name, amount in (("seed", level.seed), ("reseed", level.reseed), ("limit", level.limit)):
        if amount is not None:
            _money(f"level {level.level}: {name}", amount, 0, SUM_MAX)


def _offer(terms: LinkTerms) -> None:
    """Checks the bounds of an offer's wagers, and what no offer has (B1, B3, B15)."""
    _money("most", terms.most, terms.wager, WAGER_MAX)
    _money("unit", terms.unit, 1, terms.wager)
    for name, amount in (("wager", terms.wager), ("most", terms.most)):
        if amount % terms.unit:
            raise Fault("terms_not_of_units", name=name, amount=amount, unit=terms.unit)
    if terms.most > terms.wager and any(isinstance(row.pays, Fixed) for row in terms.rows):
        raise Fault("terms_dollars_one_amount")
    if terms.envy or terms.dealer_hand or terms.electronic or terms.magic_every or terms.lucky_every:
        raise Fault("terms_offer_has_none")
    if terms.simultaneous != "order" or terms.floor_to_seed:
        raise Fault("terms_offer_has_none")
    if terms.cage_at is not None:
        _money("cage_at", terms.cage_at, 1, SUM_MAX)
    if terms.cards:
        _six_cards(terms)
    numbers = SEATS["let-it-ride"] if terms.hand_kind == "best-of-table" else 0
    if any(len(row.by_players) != numbers for row in terms.rows):
        raise Fault("terms_by_players")


def _mystery(terms: LinkTerms) -> None:
    """Checks the terms of a link whose levels must hit, and what no such link has (Y1, Y10)."""
    if not terms.mystery or terms.hand_kind != "mystery" or terms.offer:
        raise Fault("terms_mystery_form")
    if terms.rows or terms.envy or terms.dealer_hand or terms.magic_every or terms.lucky_every:
        raise Fault("terms_mystery_has_none")
    if terms.simultaneous != "order" or terms.floor_to_seed or terms.validate_at is not None:
        raise Fault("terms_mystery_has_none")
    if terms.count_chips == terms.electronic:
        raise Fault("terms_mystery_uncounted")
    for level in terms.levels:
        if level.must_hit_by is None or level.reserve or level.limit is not None:
            raise Fault("terms_mystery_level", level=level.level)
        if level.seed != level.reseed:
            raise Fault("terms_mystery_seed", level=level.level)
        if level.reseed + terms.wager * level.primary // BASIS_POINTS >= level.must_hit_by:
            raise Fault("terms_mystery_width", level=level.level)
        if level.reseed + terms.wager * level.primary // BASIS_POINTS < MICROS_PER_CENT:
            raise Fault("terms_mystery_cent", level=level.level)
    if not all(0 < level.primary <= BASIS_POINTS for level in terms.levels):
        return  # it is told next
    if house_return(terms) > 1:
        raise Fault("terms_mystery_return", percent=percent_of(house_return(terms)))


def mean_wagers(level: LevelTerms, wager: int) -> Fraction:
    """How many wagers a cycle of a mystery level takes in the mean, from a meter without a residue (Y5).

    The trigger lies anywhere in D = b - a with the same chance. Each wager lifts the meter by c, and the last
    one that a cycle may have only by what is left of D.
    """
    each, width = wager * level.primary // BASIS_POINTS, (level.must_hit_by or 0) - level.reseed
    most = -(-width // each)
    return most - Fraction(each * most * (most - 1), 2 * width)


def house_return(terms: LinkTerms) -> Fraction:
    """What a wager on a mystery link returns of itself: its rates, and the house's money a cycle (Y5)."""
    total = Fraction(sum(level.primary for level in terms.levels), BASIS_POINTS)
    for level in terms.levels:
        mean = mean_wagers(level, terms.wager)
        total += Fraction(level.reseed * mean.denominator, terms.wager * mean.numerator)
    return total


def percent_of(part: Fraction) -> str:
    """A part of the wager in percent, rounded up to two digits, so that nothing above 100 % looks like it."""
    hundredths = -(-part.numerator * BASIS_POINTS // part.denominator)
    return f"{hundredths // 100}.{hundredths % 100:02}"


def _six_cards(terms: LinkTerms) -> None:
    """Checks the places of the cards that an approval names for a Six Card Bonus (B16)."""
    cards = set(terms.cards)
    six = len(terms.cards) == len(cards) == 6 and cards <= set(SIX_PLACES)
    if terms.hand_kind != "six" or not six or not any(place.startswith("own") for place in cards):
        raise Fault("terms_six_cards")


def _without_bounds(terms: LinkTerms) -> None:
    """Checks that a link with levels has exactly one amount, and nothing else of an offer (T2, B1)."""
    if not terms.mystery and any(level.must_hit_by is not None for level in terms.levels):
        raise Fault("terms_mystery_form")
    given = (terms.most, terms.unit, terms.placed, terms.fold, terms.cage_at, terms.cards)
    by_players = any(row.by_players for row in terms.rows)
    if given != (0, 0, "device", "game", None, ()) or terms.hand_kind in OFFER_KINDS or by_players:
        raise Fault("terms_of_offer")


def _pays(hand: str, pays: Pays, wager: int, limit: int) -> None:
    """Checks that a row's payout is positive, and within its limit (A1, B3). wager: the highest."""
    if isinstance(pays, Percent):
        if not 0 < pays.rate <= BASIS_POINTS:
            raise Fault("terms_row_rate", hand=hand, rate=pays.rate, whole=BASIS_POINTS)
    else:
        amount = pays.amount if isinstance(pays, Fixed) else pays.n * wager
        _money(f"rows: {hand}", amount, 1, limit)


def _draws(terms: LinkTerms) -> None:
    """Checks that a draw that is on has a prize (A7)."""
    for name, every, prize in (
        ("magic", terms.magic_every, terms.magic_for),
        ("lucky", terms.lucky_every, terms.lucky_for),
    ):
        if every < 0 or (every > 0 and prize == 0):
            raise Fault("terms_draw_prize", draw=name, every=every, prize=prize)
        _money(f"{name}_for", prize * terms.wager, 0, SUM_MAX)


def _id(name: str, text: str) -> None:
    """Checks that an id is short and plain, for it goes into frames, pages and logs as it is (WIRE)."""
    try:
        msgspec.convert(text, Id)
    except msgspec.ValidationError as error:
        raise Fault("terms_id", name=name, text=text) from error


def _money(name: str, micros: int, lowest: int, highest: int) -> None:
    if micros % MICROS_PER_CENT or not lowest <= micros <= highest:
        raise Fault("terms_sum", name=name, micros=micros)
