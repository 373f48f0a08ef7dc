"""Loads and validates a configuration: its shape, then every rule that ties its parts together."""

import tomllib
from collections.abc import Collection, Sequence
from datetime import time
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from controllers.pace import Limits
from jackpot.catalogue.figures import money_text, parse_money
from jackpot.config.devices import read_ends, read_keys, read_signs, read_tables, read_udp_signs
from jackpot.config.display import DEFAULT_LOCALE, Display, display_of, unreadable
from jackpot.config.heads import read_heads
from jackpot.config.lines import lines_of
from jackpot.config.links import Links, count_unsaid, read_banks, read_link_ends, read_links
from jackpot.config.mystery_key import read_mystery_section
from jackpot.config.notify import read_notify
from jackpot.config.offers import read_offers
from jackpot.config.places import read_listen, read_redis, read_servers, read_signage
from jackpot.config.settings import (
    CREDIT_WITHIN_HOURS,
    SQLITE,
    Config,
    ConfigErrors,
    Ledger,
    People,
    Shift,
    Sign,
    Site,
)
from jackpot.config.shape import convert
from jackpot.config.source import ConfigSource
from jackpot.config.tax import TaxLaw, law_of
from jackpot.config.writing import currency_fault, zone_fault
from jackpot.rules.money import from_cents, to_cents
from jackpot.rules.paytable import TableTerms

ROLES: Final = ("table", "sign")
LIMITS: Final = {
    "commands_per_second": "commands",
    "bytes_per_second": "bytes",
    "refusals_per_second": "refusals",
    "heartbeat_ms": "heartbeat_ms",
}
"""The settings of [limits], each with the field of `Limits` that it sets."""


def load(path: Path | str, roles: Collection[str] = ROLES) -> Config:
    """Loads the configuration in a TOML file, checked whole. Raises ConfigErrors with every mistake.

    roles: whose keys are read. A signage machine has the signs' keys alone, and no table's.
    """
    path = Path(path).absolute()
    try:
        text = path.read_text(encoding="utf-8")
        data = tomllib.loads(text)
    except OSError as error:
        raise ConfigErrors([("", f"{path} cannot be read: {error.strerror}")]) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigErrors([("", f"{path} is not TOML: {error}")]) from error
    source = ConfigSource(path, data)
    config = _config(source, roles)
    if config is None or source.mistakes:
        raise ConfigErrors(source.mistakes, source.names(), lines_of(text))
    return config


def _config(source: ConfigSource, roles: Collection[str]) -> Config | None:
    """The whole; None where mistakes left a part out."""
    links, site = read_links(source), _site(source)
    if not links and not source.ids("offer") and not source.spoiled("offer"):
        source.wrong("link", "a floor has a [[link]] at least, or an [[offer]]")
    offers = read_offers(source, links, None if site is None else site.form_from)
    terms = tuple(one for one in (*links.values(), *(offer.terms for offer in offers)) if one is not None)
    tables, signs = read_tables(source, links, offers), read_signs(source, links)
    udp_signs = read_udp_signs(source, links)
    keys = read_keys(source, roles)
    mystery = read_mystery_section(source, roles, terms)
    redis, heads, notify = read_redis(source), read_heads(source, roles), read_notify(source, roles)
    signage = read_signage(source, redis)
    ledger = _ledger(source)
    listen = read_listen(source, ledger)
    servers = () if listen is None else read_servers(source, listen, ledger, read_banks(source))
    if site is None or ledger is None or listen is None or source.mistakes:
        return None
    _warn_of_links(source, links, tables, signs if len(servers) > 1 else ())
    _warn_of_final(source, site, links)
    ends, people = read_ends(source, roles), _people(source)
    return Config(
        path=source.path,
        site=site,
        ledger=ledger,
        listen=listen,
        limits=Limits(**{LIMITS[name]: value for name, value in source.section("limits").items()}),
        links=terms,
        tables=tables,
        signs=signs,
        udp_signs=udp_signs,
        keys=keys,
        displays=_displays(source),
        redis=redis,
        signage=signage,
        servers=servers,
        warnings=tuple(source.warnings),
        heads=heads,
        notify=notify,
        people=people,
        keys_end=ends,
        count_unsaid=count_unsaid(source),
        ends=read_link_ends(source),
        mystery=mystery,
    )


def _site(source: ConfigSource) -> Site | None:
    site = source.section("site")
    locale = site.get("locale", DEFAULT_LOCALE)
    source.wrong("site.timezone", zone_fault(site["timezone"]) if "timezone" in site else None)
    source.wrong("site.currency", currency_fault(site["currency"]) if "currency" in site else None)
    source.check_display("site", site)
    tax_from, shifts = _tax_from(source, site.get("tax_form_from")), _shifts(source)
    if not source.shaped("site") or not site:
        return None
    ends = time.fromisoformat(site["gaming_day_ends"])
    law = law_of(site["tax"]) if "tax" in site else None
    if law is not None:
        _warn_of_tax(source, law, tax_from, site.get("payout_needs", ()))
    return Site(
        site["name"],
        site["currency"],
        ends,
        site["timezone"],
        locale,
        site.get("id", ""),
        tax_from,
        site.get("papers_kept_days"),
        site.get("names_kept_days"),
        site.get("address", ""),
        tuple(site.get("payout_needs", ())),
        site.get("confirm_program", False),
        shifts,
        law,
        str(source.path.parent / site["logo"]) if "logo" in site else "",
        site.get("credit_within_hours", CREDIT_WITHIN_HOURS),
    )


def _shifts(source: ConfigSource) -> tuple[Shift, ...]:
    """The shifts of a gaming day; no two have a name or a beginning in common."""
    entries = source.entries("shift")
    for key in ("name", "begins"):
        given = [(path, one[key]) for path, one, _ in entries if key in one]
        for number, (path, value) in enumerate(given):
            if value in [earlier for _, earlier in given[:number]]:
                source.wrong(f"{path}.{key}", f"{value!r} is that of another shift, too")
    return tuple(Shift(one["name"], time.fromisoformat(one["begins"])) for _, one, whole in entries if whole)


def _warn_of_tax(source: ConfigSource, law: TaxLaw, tax_from: int | None, needs: Collection[str]) -> None:
    """Warns of settings that ask for less than the law of the site's country."""
    last = law.years[-1]
    if tax_from is not None and tax_from > last.form_from:
        least = money_text(from_cents(last.form_from))
        source.warn(f"site.tax_form_from: form {last.form} is due from {least} on in {last.year}")
    if needs and (left := [name for name in last.needs if name not in needs]):
        source.warn(
            f"site.payout_needs: it replaces what a payment with form {last.form} wants, "
            f"and leaves out {', '.join(left)}"
        )


def _warn_of_final(source: ConfigSource, site: Site, links: Links) -> None:
    """Warns of links whose odds may be final at once, without a cashier, where they take a tax form."""
    for link, terms in links.items():
        if site.tax is None or site.form_from is None or terms is None or terms.validate_at is None:
            continue
        least = from_cents(site.form_from)
        if terms.validate_at > least:
            source.warn(
                f"link {link}: validate_at lets wins of {money_text(least)} and more be final at once, "
                f"without form {site.tax.years[-1].form} and withholding"
            )


def _tax_from(source: ConfigSource, given: str | None) -> int | None:
    """The sum in cents from which a payment takes a tax form."""
    try:
        return None if given is None else to_cents(parse_money(given))
    except ValueError as error:
        source.wrong("site.tax_form_from", str(error))
        return None


def _ledger(source: ConfigSource) -> Ledger | None:
    given = source.section("ledger")
    if "url" not in given:
        return None
    url: str = given["url"]
    synchronous: bool = given.get("require_synchronous", False)
    timers = tuple(given.get("timers", ()))
    if url.startswith(SQLITE):
        if synchronous:
            source.wrong("ledger.require_synchronous", "a ledger in SQLite has no standby")
        return Ledger(f"{SQLITE}{source.path.parent / url.removeprefix(SQLITE)}", synchronous, timers)
    parts = urlsplit(url)
    if not parts.path.strip("/"):
        source.wrong("ledger.url", "names no database: postgresql://user@host:5432/database")
    if parts.password is not None:
        source.warn("ledger.url: holds a password; a PGPASSFILE keeps it out of this file")
    return Ledger(url, synchronous, timers)


def _people(source: ConfigSource) -> People:
    people = convert(source.section("people"), People)
    if not people.required:
        source.warn("people.required: until jackpot users init makes the first people, any name is believed")
    return people


def _displays(source: ConfigSource) -> dict[str, Display]:
    """How pages show each link."""
    site, base = source.section("site"), source.path.parent
    links = [link.given for link in source.entries("link")]
    displays = {link["id"]: display_of(link["id"], link.get("display", {}), site, base) for link in links}
    for link, display in displays.items():
        for sentence in unreadable(display):
            source.warn(f"link {link}: {sentence}")
    return displays


def _warn_of_links(
    source: ConfigSource, links: Links, tables: Sequence[TableTerms], signs: Sequence[Sign]
) -> None:
    """Of links without a table, and of signs (of several servers) that show links of several banks."""
    used = {link for table in tables for link in table.links}
    for link in links:
        if link not in used:
            source.warn(f"link {link}: no table is on it")
    for sign in signs:
        banks = {terms.bank for name in sign.links if (terms := links[name]) is not None}
        if len(banks) > 1:
            source.warn(
                f"sign {sign.id} shows links of the banks {', '.join(sorted(banks))}: only a server that "
                "holds them all takes it; a signage process always does"
            )
