"""Links that the configuration declares, with their terms."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, Final

from jackpot.catalogue import DEFAULT_BANK, LinkEntry, TermsRefused, counts_by_default, ids, resolve
from jackpot.catalogue import load as load_paytable
from jackpot.config.display import LEVEL_NAMES, OF_LEVELS
from jackpot.config.mystery import check_settings, is_mystery, read_mystery
from jackpot.config.shape import convert
from jackpot.config.source import ConfigEntry, ConfigSource
from jackpot.rules.paytable import LinkTerms
from jackpot.rules.signing import SITE
from jackpot.text import did_you_mean

COUNT: Final = "count_chips"
"""The setting whose default is of new links alone (P8)."""

ENDS: Final = "ends"
"""The setting that names a link's last gaming day (P2)."""

Links = Mapping[str, LinkTerms | None]
"""Every declared link by its id. None: the link has mistakes, so its terms are not known."""

# Defaults for what a link of bad shape lacks. None of these values is a mistake in any link.
HARMLESS: Final[dict[str, Any]] = {"id": "link", "wager": "1.00", "decks": 1}


def read_links(source: ConfigSource) -> Links:
    source.unique("link")
    links: dict[str, LinkTerms | None] = dict.fromkeys(source.ids("link"))
    for entry in source.entries("link"):
        display = entry.given.get("display", {})
        source.check_display(f"{entry.path}.display", display)
        for setting in OF_LEVELS:
            for level in display.get(setting, {}).keys() - LEVEL_NAMES:
                unknown = f"no paytable has a level {level}, only {', '.join(LEVEL_NAMES)}"
                source.wrong(f"{entry.path}.display.{setting}", unknown)
        reserved = entry.given.get("bank") == SITE
        source.wrong(f"{entry.path}.bank", f"bank {SITE} is that of the people" if reserved else None)
        check_settings(source, entry)
        if is_mystery(entry):
            terms = read_mystery(source, entry)
        else:
            terms = _terms(source, entry) if "paytable" in entry.given else None
        if terms is not None and entry.whole:
            links[terms.link] = terms
            _warn(source, entry, terms)
    return links


def count_unsaid(source: ConfigSource) -> frozenset[str]:
    """The links and offers of which the configuration does not say whether chips are counted (P8)."""
    entries = [entry for name in ("link", "offer") for entry in source.entries(name)]
    return frozenset(
        entry.given["id"] for entry in entries if "id" in entry.given and COUNT not in entry.given
    )


def read_link_ends(source: ConfigSource) -> dict[str, str]:
    """By link, the last gaming day of those that end (P2).

    No end is of the calendar's last year, as no notice is: where it comes a day later, no clock can show it.
    """
    ends = {}
    for entry in source.entries("link"):
        day = entry.given.get(ENDS)
        if day is None or "id" not in entry.given:
            continue
        try:
            announced = date.fromisoformat(day).year < date.max.year
        except ValueError:
            announced = False
        if announced:
            ends[entry.given["id"]] = day
        else:
            source.wrong(f"{entry.path}.{ENDS}", f"{day} is no day that can be announced")
    return ends


def read_banks(source: ConfigSource) -> set[str]:
    """The banks of all links and offers, those with mistakes too."""
    entries = [entry for name in ("link", "offer") for entry in source.entries(name)]
    return {entry.given.get("bank", DEFAULT_BANK) for entry in entries}


def _terms(source: ConfigSource, entry: ConfigEntry) -> LinkTerms | None:
    """The link's terms. A value that stands in for a missing one is never named as a mistake."""
    counted = entry.given["paytable"] in ids() and counts_by_default(load_paytable(entry.given["paytable"]))
    known = {key: value for key, value in entry.given.items() if key in LinkEntry.__struct_fields__}
    try:
        return resolve(convert(HARMLESS | {COUNT: counted} | known, LinkEntry), entry.path)
    except TermsRefused as error:
        source.mistakes += [found for found in error.mistakes if not source.spoiled(found[0])]
        return None


def warn_of_readings(source: ConfigSource, what: str, paytable: str) -> None:
    """Warns of what the text of a paytable leaves open, and how it is read here (P10)."""
    for reading in load_paytable(paytable).readings:
        source.warn(f"{what}: {reading} (P10)")


def warn_of_notice(source: ConfigSource, what: str, entry: ConfigEntry, terms: LinkTerms) -> None:
    """Warns of days before a withdrawal that the configuration leaves open: the text is not held (P2)."""
    if terms.notice_days and "notice_days" not in entry.given:
        source.warn(
            f"{what}: notice_days is {terms.notice_days}, for the time of 205 CMR 147.03 is not held: "
            "write that time (P2)"
        )


def _warn(source: ConfigSource, entry: ConfigEntry, terms: LinkTerms) -> None:
    if terms.mystery:
        return
    warn_of_readings(source, f"link {terms.link}", terms.paytable)
    if load_paytable(terms.paytable).status == "proposed":
        source.warn(f"link {terms.link}: {terms.paytable} was proposed, not adopted")
    warn_of_notice(source, f"link {terms.link}", entry, terms)
    if not terms.hold_table:
        source.warn(f"link {terms.link}: hold_table = false, so other controls must keep the cards (T11)")
    for level in terms.levels:
        if approval := entry.given.get("level", {}).get(level.level, {}).get("limit_approval"):
            source.warn(f'link {terms.link}: level {level.level} has a limit, with the approval "{approval}"')


def known_links(source: ConfigSource, path: str, names: Sequence[str], links: Links) -> list[LinkTerms]:
    """The terms of the links named there, as far as they are known; a link must be declared, and no offer."""
    for name in names:
        if name in links:
            continue
        if name in source.ids("offer"):
            source.wrong(path, f"{name} is no link but an offer: the [[offer]] names its tables (B1)")
        else:
            source.wrong(path, f"there is no link {name}{did_you_mean(name, links)}")
    return [terms for name in names if (terms := links.get(name)) is not None]
