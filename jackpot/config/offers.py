"""Offers that the configuration declares: bonus wagers with fixed odds, each a link without levels (B1)."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple

import msgspec

from jackpot.catalogue import (
    DEFAULT_BANK,
    Paytable,
    fold_of,
    ids,
    ids_for,
    money_text,
    notice_days_of,
    odds_return,
    parse_money,
    parse_pays,
    percent_text,
    rows_of,
)
from jackpot.catalogue import load as load_paytable
from jackpot.config.links import Links, warn_of_notice, warn_of_readings
from jackpot.config.shape import convert
from jackpot.config.source import ConfigEntry, ConfigSource
from jackpot.rules.acts.tables import TABLE_LINKS_MAX
from jackpot.rules.hands import SIX_PLACES
from jackpot.rules.money import from_cents
from jackpot.rules.paytable import Fixed, ForOne, Game, LinkTerms, PaytableRow, ToOne
from jackpot.rules.phrases import Fault
from jackpot.rules.signing import SITE
from jackpot.rules.terms import ODDS_AWARD_MAX, WAGER_MAX, check_link
from jackpot.text import did_you_mean

# Cards of a Six Card Bonus.
SIX: Final = 6

# From these sums on an award waits for a floorperson, and is the cage's, unless the offer says another (B15).
VALIDATE_AT: Final = "1000.00"
CAGE_AT: Final = "10000.00"
# An award of so many times its wager always waits (B15).
ALWAYS_VALIDATE_FOR: Final = 500

# Defaults for what an offer of bad shape lacks. None of these values is a mistake in any offer.
_HARMLESS: Final[dict[str, Any]] = {"id": "offer", "placed": "layout", "tables": ()}


class OfferEntry(msgspec.Struct, frozen=True):
    """One [[offer]] of the configuration, its shape already checked; money as decimal text."""

    id: str
    paytable: str
    placed: Literal["device", "layout"]
    tables: tuple[str, ...]
    bank: str = DEFAULT_BANK
    least: str | None = None
    most: str | None = None
    unit: str | None = None
    count_chips: bool | None = None
    cards: tuple[str, ...] = ()
    stake: Literal["returned", "kept"] | None = None
    better_odds: dict[str, str] = {}
    validate_at: str | None = None
    cage_at: str | None = None
    approved: str = ""
    notice_days: int | None = None


class Offer(NamedTuple):
    """An offer, and the tables that take it. terms: None where it has mistakes."""

    path: str
    name: str
    tables: tuple[str, ...]
    terms: LinkTerms | None


def wager_of(terms: LinkTerms) -> str:
    """The wager of an offer, of which a house offers one paytable (B1)."""
    return load_paytable(terms.paytable).wager or ""


def read_offers(source: ConfigSource, links: Links, tax_from: int | None) -> list[Offer]:
    """Every offer. tax_from: the sum in cents from which a payment takes a tax form."""
    source.unique("offer")
    offers = []
    for entry in source.entries("offer"):
        name = entry.given.get("id", "of bad shape")
        if name in links:
            source.wrong(f"{entry.path}.id", f"link {name} has this id already")
        reserved = entry.given.get("bank") == SITE
        source.wrong(f"{entry.path}.bank", f"bank {SITE} is that of the people" if reserved else None)
        for table in entry.given.get("tables", ()):
            if table not in source.ids("table"):
                meant = did_you_mean(table, source.ids("table"))
                source.wrong(f"{entry.path}.tables", f"there is no table {table}{meant}")
        terms = _terms(source, entry, tax_from) if "paytable" in entry.given else None
        tables = tuple(entry.given.get("tables", ()))
        offers.append(Offer(entry.path, name, tables, terms if entry.whole else None))
    _warn_of_house(source, offers)
    return offers


def offers_at(source: ConfigSource, table: str, links: Sequence[str], offers: Sequence[Offer]) -> list[Offer]:
    """The offers of a table. Checks that they may stand there together, and with its links (B1)."""
    here = [offer for offer in offers if table in offer.tables]
    if here and len(links) + len(here) > TABLE_LINKS_MAX:
        most = f"a table takes {TABLE_LINKS_MAX} links and offers at most"
        source.wrong(f"{here[-1].path}.tables", f"{most}, table {table} has {len(links) + len(here)}")
    first: dict[str, Offer] = {}
    for offer in here:
        if offer.terms is None:
            continue
        other = first.setdefault(wager_of(offer.terms), offer)
        if other is not offer:
            same = f"table {table} has offer {other.name} for the same wager: one paytable of it (B1)"
            source.wrong(f"{offer.path}.tables", same)
    return here


def warn_of_jurisdictions(source: ConfigSource, table: str, terms: Sequence[LinkTerms]) -> None:
    """Warns where a table with offers plays by the rules of several jurisdictions (B1)."""
    places = sorted({load_paytable(one.paytable).jurisdiction for one in terms})
    if len(places) > 1 and any(one.offer for one in terms):
        source.warn(f"table {table}: its wagers are of several jurisdictions: {', '.join(places)} (B1)")


def _warn_of_house(source: ConfigSource, offers: Sequence[Offer]) -> None:
    """Warns of two paytables for one wager of a game in the house (B1)."""
    known: dict[tuple[str, Game], set[str]] = {}
    for offer in offers:
        if offer.terms is not None:
            for game in load_paytable(offer.terms.paytable).games:
                known.setdefault((wager_of(offer.terms), game), set()).add(offer.terms.paytable)
    for paytables in {tuple(sorted(paytables)): None for paytables in known.values()}:
        if len(paytables) > 1:
            source.warn(f"the house offers {' and '.join(paytables)}: its source says one of them (B1)")


def _terms(source: ConfigSource, entry: ConfigEntry, tax_from: int | None) -> LinkTerms | None:
    """The terms of an offer; None where a rule is broken, each of which is listed."""
    offer = convert(_HARMLESS | entry.given, OfferEntry)
    if offer.paytable not in ids():
        meant = did_you_mean(offer.paytable, ids_for("offer"))
        source.wrong(
            f"{entry.path}.paytable", f"there is no paytable {offer.paytable!r} in the catalogue{meant}"
        )
        return None
    paytable = load_paytable(offer.paytable)
    if paytable.use != "offer":
        why = paytable.catalogue_only or "it pays from a meter, so it is a [[link]]"
        source.wrong(f"{entry.path}.paytable", f"{paytable.id} is no offer: {why} (B1, B2)")
        return None
    read = _Reading(source, entry.path)
    rows = _rows(read, offer, paytable)
    least, most, unit = _bounds(read, offer, paytable)
    validate_at = read.money("validate_at", offer.validate_at or VALIDATE_AT)
    cage_at = read.money("cage_at", offer.cage_at or CAGE_AT)
    _check_place(read, offer, paytable)
    _check_cards(read, offer, paytable)
    _check_highest(read, rows, most)
    if read.any_wrong() or validate_at is None or cage_at is None:
        return None
    terms = LinkTerms(
        link=offer.id,
        bank=offer.bank,
        paytable=paytable.id,
        wager=least,
        hand_kind=paytable.hand,
        levels=(),
        rows=rows,
        validate_at=validate_at if tax_from is None else min(validate_at, from_cents(tax_from)),
        always_validate_for=ALWAYS_VALIDATE_FOR,
        count_chips=offer.placed == "device" if offer.count_chips is None else offer.count_chips,
        most=most,
        unit=unit,
        placed=offer.placed,
        fold=_fold(paytable),
        cage_at=cage_at,
        cards=offer.cards,
        notice_days=notice_days_of(paytable, offer.notice_days),
    )
    try:
        check_link(terms)
    except Fault as fault:
        read.add("", str(fault))
        return None
    _check_return(read, offer, paytable, terms)
    _warn(source, offer, paytable)
    warn_of_notice(source, f"offer {offer.id}", entry, terms)
    return None if read.any_wrong() else terms


def _fold(paytable: Paytable) -> Literal["game", "stands", "forfeits"]:
    """What a fold does to the wager, which is the same in each of its games (B8)."""
    said = (fold_of(paytable, game) for game in paytable.games)
    return next((fold for fold in said if fold != "none"), "game")


class _Reading:
    """One offer while it is read."""

    def __init__(self, source: ConfigSource, path: str) -> None:
        self.source, self.path = source, path
        self._wrong = False

    def any_wrong(self) -> bool:
        """Whether a mistake was found."""
        return self._wrong

    def add(self, key: str, sentence: str) -> None:
        """Records a mistake, unless the value was of bad shape, which is one already."""
        path = f"{self.path}.{key}" if key else self.path
        self._wrong = True
        if not self.source.spoiled(path):
            self.source.wrong(path, sentence)

    def money(self, key: str, text: str) -> int | None:
        try:
            return parse_money(text)
        except ValueError as error:
            self.add(key, str(error))
            return None


def _bounds(read: _Reading, offer: OfferEntry, paytable: Paytable) -> tuple[int, int, int]:
    """The least and the highest amount of a wager, and the unit of which it is a multiple (B3)."""
    if paytable.wagers:
        printed = parse_money(paytable.wagers[0])
        for key in ("least", "most", "unit"):
            given: str | None = getattr(offer, key)
            if given is not None and read.money(key, given) != printed:
                only = f"{paytable.id} is for a wager of {money_text(printed)} alone (B3)"
                read.add(key, only)
        return printed, printed, printed
    found = {}
    for key in ("least", "most"):
        if getattr(offer, key) is None:
            read.add(key, f"{paytable.id} leaves the amount to the player: give its bounds (B3)")
            return 0, 0, 0
    for key in ("least", "most", "unit"):
        text: str = getattr(offer, key) or offer.least or ""
        found[key] = read.money(key, text) or 0
    least, most, unit = found["least"], found["most"], found["unit"]
    for key, amount in found.items():
        if not 0 < amount <= WAGER_MAX:
            read.add(key, f"an amount is more than nothing, and at most {money_text(WAGER_MAX)} (B3)")
            return least, most, unit
    if most < least:
        read.add("most", f"{money_text(most)} is below the least, {money_text(least)} (B3)")
    elif uneven := [money_text(amount) for amount in dict.fromkeys((least, most)) if amount % unit]:
        what = "is no multiple" if len(uneven) == 1 else "are no multiples"
        read.add("unit", f"{' and '.join(uneven)} {what} of {money_text(unit)} (B3)")
    return least, most, unit


def _rows(read: _Reading, offer: OfferEntry, paytable: Paytable) -> tuple[PaytableRow, ...]:
    """The rows as printed; where the source says "no less than", with the house's better odds (B12)."""
    rows = rows_of(paytable)
    known = {row.hand for row in rows}
    if offer.better_odds and paytable.no_less is None:
        read.add("better_odds", f"{paytable.source} prints its odds, and not the least of them (B12)")
        return rows
    for hand in offer.better_odds:
        if hand not in known:
            read.add(f"better_odds.{hand}", f"{paytable.id} has no such row{did_you_mean(hand, known)}")
    rows = tuple(_better(read, row, offer.better_odds) for row in rows)
    return tuple(map(_with_stake, rows)) if offer.stake == "kept" else rows


def _with_stake(row: PaytableRow) -> PaytableRow:
    """A row "N to 1" whose stake is kept: its odds are the whole payout (B5)."""
    return msgspec.structs.replace(row, pays=ForOne(row.pays.n)) if isinstance(row.pays, ToOne) else row


def _better(read: _Reading, row: PaytableRow, better: Mapping[str, str]) -> PaytableRow:
    if row.hand not in better:
        return row
    key = f"better_odds.{row.hand}"
    try:
        pays = parse_pays(better[row.hand])
    except ValueError as error:
        read.add(key, str(error))
        return row
    if type(pays) is not type(row.pays) or _worth(pays) < _worth(row.pays):
        read.add(key, "a row may be raised, in the form in which it is printed, and never lowered (B12)")
        return row
    return msgspec.structs.replace(row, pays=pays)


def _worth(pays: Any) -> int:
    """How high a row is, for rows of one form."""
    return pays.amount if isinstance(pays, Fixed) else pays.n if isinstance(pays, ForOne | ToOne) else 0


def _check_place(read: _Reading, offer: OfferEntry, paytable: Paytable) -> None:
    """Checks where the wager lies, and what happens to its stake (B2, B5, B6)."""
    if offer.placed not in paytable.placed:
        known = " or ".join(f"{place} ({source})" for place, source in paytable.placed.items())
        read.add("placed", f"{paytable.id} lies on the {known} (B2)")
    elif offer.placed == "layout" and not offer.approved:
        read.add("approved", "chips on the layout need the approval, in words (B2)")
    open_ = paytable.stake_open is not None and offer.placed == "device"
    if open_ and offer.stake is None:
        read.add(
            "stake",
            f'say whether "N to 1" returns the wager, "kept" or "returned": {paytable.stake_open} (B5)',
        )
    elif open_ and not offer.approved:
        read.add("approved", "what happens to the stake needs the approval, in words (B5)")
    elif offer.stake is not None and not open_:
        read.add("stake", f"on the {offer.placed} nothing is left open about the stake of {paytable.id} (B5)")
    if offer.count_chips and offer.placed == "layout":
        read.add("count_chips", "chips on the layout are not counted by the device (B6)")


def _check_cards(read: _Reading, offer: OfferEntry, paytable: Paytable) -> None:
    """Checks the six cards of a Six Card Bonus whose source does not say them (B16)."""
    if paytable.cards_open is None:
        if offer.cards:
            read.add("cards", f"nothing is left open about the cards of {paytable.id} (B16)")
        return
    for place in offer.cards:
        if place not in SIX_PLACES:
            read.add(
                "cards", f"{place!r} is none of {', '.join(SIX_PLACES)}{did_you_mean(place, SIX_PLACES)}"
            )
            return
    own = any(place.startswith("own") for place in offer.cards)
    if len(offer.cards) != SIX or len(set(offer.cards)) != SIX or not own:
        read.add(
            "cards",
            f"name six different ones, the player's own among them: {paytable.cards_open} (B16)",
        )
    elif not offer.approved:
        read.add("approved", "which six cards make the hand needs the approval, in words (B16)")


def _check_highest(read: _Reading, rows: Sequence[PaytableRow], most: int) -> None:
    """Checks that no wager promises more than can be paid (B3)."""
    highest = max((row.pays.n for row in rows if isinstance(row.pays, ForOne | ToOne)), default=0)
    if highest * most > ODDS_AWARD_MAX:
        promised = f"{money_text(highest * most)} at {highest:,} for {money_text(most)}"
        read.add("most", f"it would pay {promised}, more than {money_text(ODDS_AWARD_MAX)} (B3)")


def _check_return(read: _Reading, offer: OfferEntry, paytable: Paytable, terms: LinkTerms) -> None:
    """Refuses a return above the wager, but where the approval says what happens to the stake (B5, B14)."""
    returns = odds_return(terms)
    if returns <= 1:
        return
    sentence = f"returns {percent_text(returns)}, more than the wager"
    if paytable.stake_open is not None and offer.approved and not offer.better_odds:
        read.source.warn(f"offer {offer.id} {sentence}: it is approved (B5)")
    else:
        read.add("better_odds" if offer.better_odds else "paytable", f"{sentence} (B14)")


def _warn(source: ConfigSource, offer: OfferEntry, paytable: Paytable) -> None:
    warn_of_readings(source, f"offer {offer.id}", paytable.id)
    if paytable.status == "proposed":
        source.warn(f"offer {offer.id}: {paytable.id} was proposed, not adopted")
    if offer.approved:
        source.warn(
            f"offer {offer.id}: its wagers are placed on the {offer.placed}, with the approval "
            f'"{offer.approved}" (B2)'
        )
