"""Is this configuration whole and consistent? Its shape, then every rule that ties its parts together.

What has a good shape is checked further even where another part has not, so that one reading finds
every mistake.
"""

import string
import tomllib
from collections.abc import Collection, Mapping, Sequence
from datetime import time
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import msgspec

from controllers.pace import Limits
from jackpot.catalogue import LinkEntry, TermsRefused, cards_by_house, games_of, resolve, return_of
from jackpot.catalogue import load as load_paytable
from jackpot.config.display import DEFAULT_LOCALE, Display, display_of, locale_fault, logo_fault
from jackpot.config.keys import open_to_all, read_key
from jackpot.config.settings import (
    Address,
    Config,
    ConfigErrors,
    Ledger,
    Listen,
    ServerAt,
    Sign,
    Signage,
    Site,
    Tls,
    UdpSign,
)
from jackpot.config.shape import convert, faults_of, sound
from jackpot.config.writing import currency_fault, zone_fault
from jackpot.rules.paytable import SEATS, Game, LinkTerms, TableTerms

# A unix socket's address holds 107 bytes and a terminating zero.
SOCKET_PATH_MOST: Final = 107
LISTENERS: Final = ("tables", "signs", "http", "public")
# Addresses to listen at that nobody can be sent to.
EVERYWHERE: Final = ("", "0.0.0.0", "::")  # noqa: S104 - nothing is bound here
LISTEN_LIMITS: Final = (
    "strangers_per_address",
    "http_connections",
    "http_per_address",
    "streams_per_address",
)
SIGNAGE_LISTENERS: Final = ("signs", "http", "public")
ROLES: Final = ("table", "sign")
UDP_FIELDS: Final = {
    "format": frozenset({"link", "level", "amount", "cents"}),
    "state_format": frozenset({"link", "state"}),
}
DEFAULT_BOXES: Final = 2


def load(path: Path | str, roles: Collection[str] = ROLES) -> Config:
    """The configuration in a TOML file, checked whole; ConfigErrors lists every mistake.

    roles: whose keys are read. A signage machine has the signs' keys alone, and no table's.
    """
    path = Path(path).absolute()
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigErrors([("", f"{path} cannot be read: {error.strerror}")]) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigErrors([("", f"{path} is not TOML: {error}")]) from error
    reading = _Reading(path, data, roles)
    config = reading.config()
    if config is None or reading.mistakes:
        raise ConfigErrors(reading.mistakes)
    return config


class _Reading:
    """One reading of one file; gathers mistakes and warnings on the way."""

    def __init__(self, path: Path, data: Mapping[str, Any], roles: Collection[str]) -> None:
        self.path = path
        self.roles = roles
        self.base = path.parent
        self.data = data
        faults = faults_of(data)
        self.mistakes = [(fault.path, fault.sentence) for fault in faults]
        self.misshapen = tuple(fault.path for fault in faults if fault.spoils)
        self.warnings: list[str] = []
        self.keys: dict[tuple[str, str], tuple[bytes, ...]] = {}

    def config(self) -> Config | None:
        """The whole; None where mistakes left a part out."""
        links = self.links()
        self.broken_links()
        tables = self.tables(links)
        self.broken_tables(links)
        signs = self.signs(links)
        self.broken_signs(links)
        redis = self.redis()
        signage = self.signage(redis)
        udp_signs = self.udp_signs(links)
        site, ledger = self.site(), self.ledger()
        listen = self.listen(ledger)
        servers = () if listen is None else self.servers(ledger, listen, links)
        displays = self.displays(site)
        self.shared_keys()
        if len(servers) > 1:
            self.spread_signs(links, signs)
        if site is None or ledger is None or listen is None or self.mistakes:
            return None
        self.idle_links(links, tables)
        return Config(
            path=self.path,
            site=site,
            ledger=ledger,
            listen=listen,
            limits=self.limits(),
            links=tuple(terms for terms in links.values() if terms is not None),
            tables=tables,
            signs=signs,
            udp_signs=udp_signs,
            keys=self.keys,
            displays=displays,
            redis=redis,
            signage=signage,
            servers=servers,
            warnings=tuple(self.warnings),
        )

    # Shape and small things

    def wrong(self, path: str, sentence: str) -> None:
        self.mistakes.append((path, sentence))

    def warn_once(self, sentence: str) -> None:
        """A warning that many tables give rise to."""
        if sentence not in self.warnings:
            self.warnings.append(sentence)

    def note(self, path: str, fault: str | None) -> None:
        """A check's verdict, None where it is good."""
        if fault is not None:
            self.wrong(path, fault)

    def shaped(self, path: str) -> bool:
        """Whether the part at this path is there and has a good shape, down to its leaves."""
        below = (f"{path}.", f"{path}[")
        return not any(where == path or where.startswith(below) for where in self.misshapen)

    def entries(self, name: str) -> list[tuple[str, Mapping[str, Any]]]:
        """The [[name]] tables of good shape, each with its path."""
        found = self.data.get(name, [])
        if not isinstance(found, list):
            return []
        paths = [(f"{name}[{index}]", entry) for index, entry in enumerate(found)]
        return [(path, entry) for path, entry in paths if self.shaped(path)]

    def broken(self, name: str) -> list[tuple[str, dict[str, Any]]]:
        """The [[name]] tables with faults of shape, each with its path: what of them is good."""
        found = self.data.get(name, [])
        paths = [
            (f"{name}[{index}]", entry)
            for index, entry in enumerate(found if isinstance(found, list) else ())
        ]
        return [
            (path, sound(path, entry, self.misshapen))
            for path, entry in paths
            if isinstance(entry, dict) and not self.shaped(path)
        ]

    def section(self, name: str) -> dict[str, Any]:
        """What of [name] has a good shape; empty where it is not there."""
        given = sound(name, self.data.get(name), self.misshapen)
        return given if isinstance(given, dict) else {}

    def declared(self, name: str) -> dict[str, list[str]]:
        """The ids of all [[name]] tables, those with other mistakes too, each with the paths that have it."""
        found = self.data.get(name, [])
        ids: dict[str, list[str]] = {}
        for index, entry in enumerate(found if isinstance(found, list) else ()):
            if isinstance(entry, dict) and "id" in entry:
                ids.setdefault(str(entry["id"]), []).append(f"{name}[{index}]")
        return ids

    def unique(self, name: str) -> None:
        """No two [[name]] tables share an id."""
        for id_, paths in self.declared(name).items():
            if len(paths) > 1:
                self.wrong(name, f"the id {id_} is given to {len(paths)} of them: {', '.join(paths)}")

    def file(self, path: str, name: str, how: str = "") -> Path | None:
        file = self.base / name
        if file.is_file():
            return file
        self.wrong(path, f"there is no file {file}{how}")
        return None

    def address(self, path: str, text: str | None) -> Address | None:
        if text is None:
            return None
        try:
            return Address.of(text)
        except ValueError as error:
            self.wrong(path, str(error))
            return None

    # The server

    def site(self) -> Site | None:
        site = self.section("site")
        if "timezone" in site:
            self.note("site.timezone", zone_fault(site["timezone"]))
        if "currency" in site:
            self.note("site.currency", currency_fault(site["currency"]))
        if "logo" in site:
            self.note("site.logo", logo_fault(self.base / site["logo"]))
        locale = site.get("locale", DEFAULT_LOCALE)
        self.note("site.locale", locale_fault(locale))
        if not self.shaped("site") or not site:
            return None
        ends = time.fromisoformat(site["gaming_day_ends"])
        return Site(site["name"], site["currency"], ends, site["timezone"], locale, site.get("id", ""))

    def displays(self, site: Site | None) -> dict[str, Display]:
        """How pages show each link."""
        given = {} if site is None else self.data["site"]
        displays = {}
        for path, entry in self.entries("link"):
            own = entry.get("display", {})
            if "logo" in own:
                self.note(f"{path}.display.logo", logo_fault(self.base / own["logo"]))
            displays[entry["id"]] = display_of(entry["id"], own, given, self.base)
        return displays

    def ledger(self) -> Ledger | None:
        given = self.section("ledger")
        if "url" not in given:
            return None
        url: str = given["url"]
        synchronous: bool = given.get("require_synchronous", False)
        if url.startswith("sqlite:///"):
            if synchronous:
                self.wrong("ledger.require_synchronous", "a ledger in SQLite has no standby")
            return Ledger(f"sqlite:///{self.base / url.removeprefix('sqlite:///')}", synchronous)
        parts = urlsplit(url)
        if not parts.path.strip("/"):
            self.wrong("ledger.url", "names no database: postgresql://user@host:5432/database")
        if parts.password is not None:
            self.warnings.append("ledger.url: holds a password; a PGPASSFILE keeps it out of this file")
        return Ledger(url, synchronous)

    def limits(self) -> Limits:
        given = self.data.get("limits", {})
        default = Limits()
        return Limits(
            commands=given.get("commands_per_second", default.commands),
            bytes=given.get("bytes_per_second", default.bytes),
            refusals=given.get("refusals_per_second", default.refusals),
            heartbeat_ms=given.get("heartbeat_ms", default.heartbeat_ms),
        )

    def listen(self, ledger: Ledger | None) -> Listen | None:
        given = self.section("listen")
        if not given:
            return None
        insecure = given.get("insecure", False)
        addresses = {name: self.address(f"listen.{name}", given.get(name)) for name in LISTENERS}
        tls = self.tls(given.get("tls"))
        self.ports("listen", addresses)
        self.plain("listen", addresses)
        admin = self.admin(given.get("admin"), ledger)
        tables = addresses["tables"]
        if tables is None or not self.shaped("listen"):
            return None
        rest = addresses["signs"], addresses["http"], addresses["public"]
        limits = {name: given[name] for name in LISTEN_LIMITS if name in given}
        hosts = tuple(host.lower() for host in given.get("hosts", ()))
        return Listen(tables, admin, *rest, tls=tls, insecure=insecure, hosts=hosts, **limits)

    def tls(self, given: Mapping[str, str] | None) -> Tls | None:
        if given is None:
            return None
        files = {name: self.file(f"listen.tls.{name}", given[name]) for name in given}
        cert, key = files.get("cert"), files.get("key")
        if key is not None and (open_ := open_to_all(key)) is not None:
            self.warnings.append(f"listen.tls.key: {open_}")
        return None if cert is None or key is None else Tls(cert, key, files.get("client_ca"))

    def plain(self, path: str, addresses: Mapping[str, Address | None]) -> None:
        """Beyond loopback a listener has TLS, or is meant to have none."""
        given = self.data["listen"]
        for name, address in addresses.items():
            if address is None or address.loopback or "tls" in given:
                continue
            if given.get("insecure", False):
                sentence = f"{path}.{name}: {address} is plain: who listens on the way can read it"
                self.warnings.append(sentence)
            else:
                sentence = f"{address} is plain and beyond loopback: give [listen.tls], or insecure = true"
                self.wrong(f"{path}.{name}", sentence)

    def ports(self, path: str, addresses: Mapping[str, Address | None]) -> None:
        """Each listener has a port of its own; 0 is whatever the system gives."""
        taken: dict[int, str] = {}
        for name, address in addresses.items():
            if address is None or address.port == 0:
                continue
            if address.port in taken:
                self.wrong(f"{path}.{name}", f"port {address.port} is already that of {taken[address.port]}")
            taken.setdefault(address.port, name)

    def redis(self) -> tuple[str, ...]:
        """The urls of the nodes, tried in turn."""
        if not self.shaped("redis") or "redis" not in self.data:
            return ()
        url = self.data["redis"]["url"]
        urls = (url,) if isinstance(url, str) else tuple(url)
        for each in urls:
            try:
                named = urlsplit(each).hostname, urlsplit(each).port
            except ValueError:
                named = None, None
            if named[0] is None:
                self.wrong("redis.url", f"{each!r} names no host and port")
        return urls

    def signage(self, redis: Sequence[str]) -> tuple[Signage, ...]:
        """The signage processes; Redis feeds them."""
        self.unique("signage")
        found = []
        for path, entry in self.entries("signage"):
            if not redis and self.shaped("redis"):
                self.wrong(path, "a signage process is fed by Redis: give [redis] url")
            addresses = {name: self.address(f"{path}.{name}", entry.get(name)) for name in SIGNAGE_LISTENERS}
            self.ports(path, addresses)
            if self.shaped("listen") and "listen" in self.data:
                self.plain(path, addresses)
            found.append(Signage(entry["id"], **addresses))
        return tuple(found)

    def servers(
        self, ledger: Ledger | None, listen: Listen, links: Mapping[str, LinkTerms | None]
    ) -> tuple[ServerAt, ...]:
        """The servers that share the ledger; devices are sent from one to the others."""
        self.unique("server")
        banks = {terms.bank for terms in links.values() if terms is not None}
        holders: dict[Address, str] = {}
        found = []
        for path, entry in self.entries("server"):
            if ledger is not None and ledger.url.startswith("sqlite:///"):
                self.wrong(path, "a ledger in SQLite has one server: several share one in PostgreSQL")
            addresses = {name: self.address(f"{path}.{name}", entry.get(name)) for name in LISTENERS}
            self.ports(path, addresses)
            self.plain(path, addresses)
            for name in ("tables", "signs"):
                address = addresses[name]
                if address is not None and (address.port == 0 or address.host in EVERYWHERE):
                    self.wrong(f"{path}.{name}", f"{address} is no place where devices could be sent")
                elif address is not None and holders.setdefault(address, entry["id"]) != entry["id"]:
                    self.wrong(f"{path}.{name}", f"{address} is already that of server {holders[address]}")
            for bank in entry.get("banks", ()):
                if bank not in banks:
                    self.wrong(f"{path}.banks", f"no link lies in a bank {bank}")
            admin = self.admin(entry.get("admin", f"{entry['id']}.sock"), ledger)
            if (tables := addresses.pop("tables")) is not None:
                own = msgspec.structs.replace(listen, tables=tables, admin=admin, **addresses)
                found.append(ServerAt(entry["id"], own, tuple(entry.get("banks", ()))))
        return tuple(found)

    def admin(self, given: str | None, ledger: Ledger | None) -> Path:
        """The admin socket: beside the ledger's file, else beside the configuration, unless configured."""
        file = ledger is not None and ledger.url.startswith("sqlite:///")
        beside = Path(ledger.url.removeprefix("sqlite:///")) if ledger and file else self.path
        admin = beside.with_suffix(".sock") if given is None else self.base / given
        if len(str(admin).encode()) > SOCKET_PATH_MOST:
            self.wrong(
                "listen.admin", f"{admin} is longer than {SOCKET_PATH_MOST} bytes: give a shorter path"
            )
        return admin

    # Links

    def links(self) -> dict[str, LinkTerms | None]:
        """Every declared link; None where its terms are not known for its mistakes."""
        self.unique("link")
        links: dict[str, LinkTerms | None] = dict.fromkeys(self.declared("link"))
        for path, entry in self.entries("link"):
            try:
                links[entry["id"]] = terms = resolve(convert(entry, LinkEntry), path)
            except TermsRefused as error:
                self.mistakes += error.mistakes
                continue
            if load_paytable(terms.paytable).status == "proposed":
                self.warnings.append(f"link {terms.link}: {terms.paytable} was proposed, not adopted")
            if not terms.hold_table:
                self.warnings.append(
                    f"link {terms.link}: hold_table = false, other controls keep the cards (T11)"
                )
            self.warnings += [
                f"link {terms.link}: level {level.level} has a limit approved as: {approval}"
                for level in terms.levels
                if (approval := entry.get("level", {}).get(level.level, {}).get("limit_approval"))
            ]
        return links

    def broken_links(self) -> None:
        """What else is wrong with a link of bad shape: what it lacks is taken for the most harmless."""
        for path, entry in self.broken("link"):
            if "logo" in (own := entry.get("display", {})):
                self.note(f"{path}.display.logo", logo_fault(self.base / own["logo"]))
            if "paytable" in entry:
                harmless = {"id": "link", "wager": "1.00", "decks": 1}
                try:
                    resolve(convert(harmless | entry, LinkEntry), path)
                except TermsRefused as error:
                    self.mistakes += [found for found in error.mistakes if not self.spoiled(found[0])]

    def spoiled(self, path: str) -> bool:
        """Whether what stands there, or above or below, was said to be misshapen."""
        return not self.shaped(path) or any(path.startswith((f"{bad}.", f"{bad}[")) for bad in self.misshapen)

    def known_links(self, path: str, names: Sequence[str], links: Mapping[str, LinkTerms | None]) -> bool:
        unknown = [name for name in names if name not in links]
        for name in unknown:
            self.wrong(path, f"there is no link {name}")
        return not unknown

    def idle_links(self, links: Mapping[str, object], tables: Sequence[TableTerms]) -> None:
        used = {link for table in tables for link in table.links}
        self.warnings += [f"link {link}: no table is on it" for link in links if link not in used]

    # Devices

    def tables(self, links: Mapping[str, LinkTerms | None]) -> tuple[TableTerms, ...]:
        self.unique("table")
        return tuple(self.table(path, entry, links) for path, entry in self.entries("table"))

    def broken_tables(self, links: Mapping[str, LinkTerms | None]) -> None:
        """What else is wrong with a table of bad shape: as of links."""
        for path, entry in self.broken("table"):
            names = entry.get("links", [])
            if "game" not in entry:
                self.known_links(f"{path}.links", names, links)
                names = []
            game = entry.get("game", "let-it-ride")
            if "seats" not in entry:
                entry.pop("adjacent_boxes", None)
            harmless = {"id": "of bad shape", "game": game, "seats": SEATS[game]}
            self.table(path, harmless | entry | {"links": names}, links)

    def broken_signs(self, links: Mapping[str, LinkTerms | None]) -> None:
        for path, entry in self.broken("sign"):
            self.known_links(f"{path}.links", entry.get("links", []), links)
            self.device_keys(path, "sign", {"id": "of bad shape"} | entry)

    def table(self, path: str, entry: Mapping[str, Any], links: Mapping[str, LinkTerms | None]) -> TableTerms:
        game: Game = entry["game"]
        self.device_keys(path, "table", entry)
        if entry["seats"] > SEATS[game]:
            self.wrong(f"{path}.seats", f"{game} has at most {SEATS[game]} betting positions (L11)")
        boxes = entry.get("adjacent_boxes", min(DEFAULT_BOXES, entry["seats"]))
        if game == "ultimate-texas-holdem":
            if entry.get("adjacent_boxes", 1) != 1:
                self.wrong(f"{path}.adjacent_boxes", f"a player of {game} has one position (T9)")
            boxes = 1
        elif boxes > entry["seats"]:
            self.wrong(f"{path}.adjacent_boxes", f"more than the table's {entry['seats']} seats (T9)")
        self.known_links(f"{path}.links", entry["links"], links)
        known = [terms for name in entry["links"] if (terms := links.get(name)) is not None]
        self.table_links(f"{path}.links", entry["id"], game, known)
        for terms in known:
            self.house_readings(f"{path}.links", entry["id"], game, terms)
            self.total_return(f"{path}.links", entry["id"], game, entry["seats"], terms)
        return TableTerms(
            table=entry["id"],
            game=game,
            seats=entry["seats"],
            links=tuple(entry["links"]),
            adjacent_boxes=boxes,
            max_rounds_per_minute=entry.get("max_rounds_per_minute", 0),
        )

    def table_links(self, path: str, table: str, game: Game, links: Sequence[LinkTerms]) -> None:
        """A table's links take its game (L1) and lie in one bank (L2)."""
        for terms in links:
            games = games_of(load_paytable(terms.paytable))
            if game == "criss-cross-poker":
                self.wrong(
                    path, f"table {table}: {game} has no progressive, link {terms.link} cannot take it (L1)"
                )
            elif game not in games:
                allowed = " or ".join(games)
                self.wrong(path, f"table {table} plays {game}, link {terms.link} is for {allowed} only (L1)")
        if len({terms.bank for terms in links}) > 1:
            shown = ", ".join(f"{terms.link} {terms.bank}" for terms in links)
            self.wrong(path, f"table {table}: its links differ in bank: {shown} (L2)")

    def house_readings(self, path: str, table: str, game: Game, terms: LinkTerms) -> None:
        """What a game's own text says, or leaves open, of a link that it shares with another (A7, H2)."""
        paytable = load_paytable(terms.paytable)
        if game not in paytable.games and (terms.magic_every or terms.lucky_every):
            why = load_paytable(paytable.same_as or terms.paytable).draws_refused
            self.wrong(path, f"table {table}, link {terms.link}: its draws are not for {game}: {why} (A7)")
        if (reading := cards_by_house(paytable, game)) is not None:
            self.warn_once(f"link {terms.link} at {game}: {reading} (H2)")

    def total_return(self, path: str, table: str, game: Game, seats: int, terms: LinkTerms) -> None:
        """With draws a link returns the wager at most; without, more is only said (A7)."""
        returns = return_of(terms, seats)
        if returns.total <= 1:
            return
        if returns.draws:
            sentence = f"table {table}, link {terms.link} returns {returns}, more than the wager"
            self.wrong(path, f"{sentence}: fewer draws (A7)")
        else:
            self.warn_once(f"link {terms.link} at {game} returns {returns}, more than the wager (A7)")

    def signs(self, links: Mapping[str, LinkTerms | None]) -> tuple[Sign, ...]:
        self.unique("sign")
        signs = []
        for path, entry in self.entries("sign"):
            self.known_links(f"{path}.links", entry["links"], links)
            self.device_keys(path, "sign", entry)
            signs.append(Sign(entry["id"], tuple(entry["links"])))
        return tuple(signs)

    def spread_signs(self, links: Mapping[str, LinkTerms | None], signs: Sequence[Sign]) -> None:
        """A server shows its own banks: a sign of several banks has none while they are apart."""
        for sign in signs:
            banks = {terms.bank for name in sign.links if (terms := links.get(name)) is not None}
            if len(banks) > 1:
                self.warnings.append(
                    f"sign {sign.id} shows links of the banks {', '.join(sorted(banks))}: only a server that "
                    "holds them all takes it; a signage process always does"
                )

    def udp_signs(self, links: Mapping[str, LinkTerms | None]) -> tuple[UdpSign, ...]:
        signs = []
        for path, entry in self.entries("udp_sign"):
            self.known_links(f"{path}.links", entry["links"], links)
            address = self.address(f"{path}.address", entry["address"])
            if (sender := entry.get("sender")) is not None and sender not in self.declared("signage"):
                self.wrong(f"{path}.sender", f"there is no signage process {sender}")
            formats = [self.udp_format(f"{path}.{name}", name, entry.get(name)) for name in UDP_FIELDS]
            if address is not None and all(formats):
                links_ = tuple(entry["links"])
                rest = entry.get("state_format"), entry.get("interface"), entry.get("sender")
                signs.append(UdpSign(address, links_, entry["format"], *rest))
        return tuple(signs)

    def udp_format(self, path: str, name: str, text: str | None) -> bool:
        """Whether a format can be filled in, whatever the values are."""
        if text is None:
            return True
        try:
            fields = {field for _, field, _, _ in string.Formatter().parse(text) if field is not None}
            unknown = sorted(fields - UDP_FIELDS[name])
            if not unknown:
                text.format_map(dict.fromkeys(UDP_FIELDS[name], "0"))
        except (ValueError, LookupError, AttributeError) as error:
            self.wrong(path, f"{text!r}: {error}")
            return False
        allowed = ", ".join(f"{{{field}}}" for field in sorted(UDP_FIELDS[name]))
        for field in unknown:
            self.wrong(path, f"{{{field}}} is not one of {allowed}")
        return not unknown

    # Keys

    def device_keys(self, path: str, role: str, entry: Mapping[str, Any]) -> None:
        """The device's key, and the next one where it is being changed."""
        if role not in self.roles:
            return
        named = [name for name in ("key_file", "key_file_next") if name in entry]
        found = [self.key(f"{path}.{name}", entry[name]) for name in named]
        self.keys[(role, entry["id"])] = tuple(key for key in found if key is not None)

    def key(self, path: str, name: str) -> bytes | None:
        file = self.file(path, name, ": `jackpot keys new FILE` makes one")
        if file is None:
            return None
        key, mistakes = read_key(file)
        for mistake in mistakes:
            self.wrong(path, mistake)
        return key

    def shared_keys(self) -> None:
        """A key is one device's: whoever steals it may act for no other."""
        holders: dict[bytes, list[str]] = {}
        for (role, device), keys in self.keys.items():
            for key in set(keys):
                holders.setdefault(key, []).append(f"{role} {device}")
        for devices in holders.values():
            if len(devices) > 1:
                self.warnings.append(
                    f"{', '.join(devices)} share one key: who has it can act for each of them"
                )
