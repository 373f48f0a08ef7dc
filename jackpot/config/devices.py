"""Tables and signs of the configuration: their links, and their device keys."""

import string
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from jackpot.catalogue import cards_by_house, games_of, ids, notice_days_of, return_of
from jackpot.catalogue import load as load_paytable
from jackpot.clock import SystemClock
from jackpot.config.keys import read_key
from jackpot.config.links import Links, known_links
from jackpot.config.mystery import check_table
from jackpot.config.offers import Offer, offers_at, warn_of_jurisdictions
from jackpot.config.posting import base_wagers, pair_plus, payout_limit
from jackpot.config.settings import Keys, Sign, UdpSign
from jackpot.config.source import ConfigEntry, ConfigSource
from jackpot.rules.paytable import ANY, SEATS, Game, LinkTerms, TableTerms
from jackpot.text import counted, did_you_mean

UDP_FIELDS: Final = {
    "format": frozenset({"link", "level", "amount", "cents"}),
    "state_format": frozenset({"link", "state"}),
}
DEFAULT_BOXES: Final = 2
_DAY_S: Final = 86_400
HOW_KEYS_ARE_MADE: Final = ": `jackpot keys new FILE` makes one"


def read_tables(source: ConfigSource, links: Links, offers: Sequence[Offer] = ()) -> tuple[TableTerms, ...]:
    source.unique("table")
    found = [_table(source, entry, links, offers) for entry in source.entries("table")]
    return tuple(table for table in found if table is not None)


def _table(
    source: ConfigSource, entry: ConfigEntry, links: Links, offers: Sequence[Offer]
) -> TableTerms | None:
    path, given, whole = entry
    game: Game | None = given.get("game")
    # If the number of seats is missing, it is taken for the most that the game may have, which is no mistake.
    most = max(SEATS.values()) if game is None else SEATS[game]
    seats = given.get("seats", most)
    if seats > most:
        source.wrong(f"{path}.seats", f"{game or 'a game'} has at most {most} betting positions (L11)")
    boxes = given.get("adjacent_boxes", min(DEFAULT_BOXES, seats))
    if game == "ultimate-texas-holdem":
        if given.get("adjacent_boxes", 1) != 1:
            source.wrong(f"{path}.adjacent_boxes", f"a player of {game} has one position (T9)")
        boxes = 1
    elif boxes > seats:
        source.wrong(f"{path}.adjacent_boxes", f"more than the table's {seats} seats (T9)")
    name, names = given.get("id", "of bad shape"), given.get("links", [])
    known = known_links(source, f"{path}.links", names, links)
    here = offers_at(source, name, names, offers)
    if not names and not here and not source.spoiled(f"{path}.links"):
        source.wrong(f"{path}.links", "a table is on one link at least, or takes an offer")
    offered = [offer.terms for offer in here if offer.terms is not None]
    table = TableTerms(
        table=name,
        game=game or "let-it-ride",
        seats=seats,
        links=(*names, *(offer.name for offer in here)),
        adjacent_boxes=boxes,
        max_rounds_per_minute=given.get("max_rounds_per_minute", 0),
        payout_limit=payout_limit(source, path, given),
        notice_days=_notice_days(given, [*known, *offered]),
        base_wagers=base_wagers(source, path, given),
        pair_plus=pair_plus(source, path, given, offered),
    )
    _one_bank(source, f"{path}.links", known)
    _bank_of_table(source, name, known, here)
    cards = [terms for terms in known if not terms.mystery]
    warn_of_jurisdictions(source, name, [*cards, *offered])
    check_table(source, f"{path}.links", table, [*known, *offered])
    for terms in cards if game not in (None, ANY) else ():
        _suits(source, f"{path}.links", table, terms)
    for offer in here if game not in (None, ANY) else ():
        _takes(source, offer, table)
    return table if whole else None


def _notice_days(section: Mapping[str, Any], wagers: Sequence[LinkTerms]) -> int:
    """How many days before its payout limit is lowered that is announced, by where its wagers are of (P2)."""
    if "notice_days" in section:
        return int(section["notice_days"])
    paytables = [*(terms.paytable for terms in wagers), *section.get("base_wagers", ())]
    return max((notice_days_of(load_paytable(name), None) for name in paytables if name in ids()), default=0)


def _takes(source: ConfigSource, offer: Offer, table: TableTerms) -> None:
    """Checks that an offer may be made in the table's game (B1)."""
    if offer.terms is not None and table.game not in (games := games_of(load_paytable(offer.terms.paytable))):
        only = f"table {table.table} plays {table.game}, the offer is for {' or '.join(games)} only (B1)"
        source.wrong(f"{offer.path}.tables", only)


def _one_bank(source: ConfigSource, path: str, links: Sequence[LinkTerms]) -> None:
    """Checks that a table's links lie in one bank (L2)."""
    if len({terms.bank for terms in links}) > 1:
        shown = ", ".join(f"{terms.link} {terms.bank}" for terms in links)
        source.wrong(path, f"the links differ in bank: {shown} (L2)")


def _bank_of_table(
    source: ConfigSource, table: str, links: Sequence[LinkTerms], offers: Sequence[Offer]
) -> None:
    """Checks that the offers of a table lie in the bank of its links, or else of its first offer (L2)."""
    banks = [offer.terms.bank for offer in offers if offer.terms is not None]
    bank = next(iter([terms.bank for terms in links] or banks), None)
    for offer in offers:
        if offer.terms is not None and offer.terms.bank != bank:
            other = f"the bank is {offer.terms.bank}, what table {table} takes besides lies in {bank} (L2)"
            source.wrong(f"{offer.path}.bank", other)


def _suits(source: ConfigSource, path: str, table: TableTerms, terms: LinkTerms) -> None:
    """Checks that a link may be played at this table: game (L1), draws (A7), return (A7, H2)."""
    paytable = load_paytable(terms.paytable)
    game, games = table.game, games_of(paytable)
    if game == "criss-cross-poker":
        source.wrong(path, f"{game} has no progressive, link {terms.link} cannot take it (L1)")
    elif game not in games:
        source.wrong(path, f"the game is {game}, link {terms.link} is for {' or '.join(games)} only (L1)")
    if game not in paytable.games and (terms.magic_every or terms.lucky_every):
        why = load_paytable(paytable.same_as or terms.paytable).draws_refused
        source.wrong(path, f"the draws of link {terms.link} are not for {game}: {why} (A7)")
    if (reading := cards_by_house(paytable, game)) is not None:
        source.warn(f"link {terms.link} at {game}: {reading} (H2)")
    returns = return_of(terms, table.seats)
    # With draws a link returns the wager at most. Without, the regulation's own odds may return more.
    if returns.total > 1 and returns.draws:
        sentence = f"link {terms.link} returns {returns}, more than the wager"
        source.wrong(path, f"{sentence}: fewer draws (A7)")
    elif returns.total > 1:
        seats = counted(table.seats, "seat")
        source.warn(f"link {terms.link} at {game}, {seats}, returns {returns}, more than the wager (A7)")


def read_signs(source: ConfigSource, links: Links) -> tuple[Sign, ...]:
    source.unique("sign")
    signs = []
    for path, given, whole in source.entries("sign"):
        names = given.get("links", [])
        known_links(source, f"{path}.links", names, links)
        posts, tables = tuple(given.get("tables", ())), source.ids("table")
        for table in posts:
            unknown = f"there is no table {table}{did_you_mean(table, tables)}"
            source.wrong(f"{path}.tables", None if table in tables else unknown)
        if whole:
            signs.append(Sign(given["id"], tuple(names), posts))
    return tuple(signs)


def read_udp_signs(source: ConfigSource, links: Links) -> tuple[UdpSign, ...]:
    signs = []
    for path, given, whole in source.entries("udp_sign"):
        names = tuple(given.get("links", ()))
        known_links(source, f"{path}.links", names, links)
        address = source.address(f"{path}.address", given.get("address"))
        if (sender := given.get("sender")) is not None and sender not in source.ids("signage"):
            source.wrong(f"{path}.sender", f"there is no signage process {sender}")
        for name, fields in UDP_FIELDS.items():
            for fault in _format_faults(given.get(name, ""), fields):
                source.wrong(f"{path}.{name}", fault)
        if whole and address is not None:
            rest = given.get("state_format"), given.get("interface"), sender
            signs.append(UdpSign(address, names, given["format"], *rest))
    return tuple(signs)


def _format_faults(text: str, fields: Collection[str]) -> list[str]:
    """Why a format cannot be filled in with these fields, whatever their values are."""
    try:
        named = {field for _, field, _, _ in string.Formatter().parse(text) if field is not None}
        unknown = sorted(named.difference(fields))
        if not unknown:
            text.format_map(dict.fromkeys(fields, "0"))
    except (ValueError, LookupError, AttributeError) as error:
        return [f"{text!r}: {error}"]
    allowed = ", ".join(f"{{{field}}}" for field in sorted(fields))
    return [f"{{{field}}} is not one of {allowed}" for field in unknown]


def read_keys(source: ConfigSource, roles: Collection[str]) -> Keys:
    """By (role, id) the device's key, and the next one where it is being changed."""
    keys: Keys = {}
    for role in roles:
        for path, given, _ in source.entries(role):
            keys[(role, given.get("id", "of bad shape"))] = _device_keys(source, path, given)
    # A key is one device's: a thief of it may then act for no other.
    holders: dict[bytes, list[str]] = {}
    for (role, device), own in keys.items():
        for key in set(own):
            holders.setdefault(key, []).append(f"{role} {device}")
    for devices in holders.values():
        if len(devices) > 1:
            source.warn(f"{', '.join(devices)} share one key: a thief of it can act for each of them")
    return keys


def _device_keys(source: ConfigSource, path: str, section: Mapping[str, Any]) -> tuple[bytes, ...]:
    keys = []
    for name in ("key_file", "key_file_next"):
        if name in section and (file := source.file(f"{path}.{name}", section[name], HOW_KEYS_ARE_MADE)):
            key, mistakes = read_key(file)
            for mistake in mistakes:
                source.wrong(f"{path}.{name}", mistake)
            if key is not None:
                keys.append(key)
    return tuple(keys)


def read_ends(source: ConfigSource, roles: Collection[str]) -> dict[tuple[str, str], int]:
    """As `Config.keys_end`. The age of a key is its file's, the next one's where it is being changed.

    Warns of each key that is too old. Of a configuration without a mistake.
    """
    days = source.section("keys").get("good_days")
    if days is None:
        return {}
    files = {
        (role, given["id"]): given.get("key_file_next", given["key_file"])
        for role in roles
        for _, given, _ in source.entries(role)
    }
    if "key" in (heads := source.section("heads")) and "table" in roles:
        files["site", "heads"] = heads["key"]
    ends = {
        who: int((source.path.parent / file).stat().st_mtime) + days * _DAY_S for who, file in files.items()
    }
    now_s = SystemClock().unix_ms() // 1000
    for (role, device), end in ends.items():
        if end <= now_s:
            source.warn(f"the key of {role} {device} is older than {days} days: make another one")
    return ends
