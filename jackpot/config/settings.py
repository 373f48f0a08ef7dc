"""The checked configuration: typed, frozen, every path absolute."""

import ipaddress
import re
from collections.abc import Mapping
from datetime import UTC, datetime, time
from pathlib import Path
from typing import Final, Literal
from zoneinfo import ZoneInfo

import msgspec

from controllers.pace import Limits
from jackpot.config.compare import ParameterDifference, compared
from jackpot.config.display import DEFAULT_LOCALE, Display
from jackpot.config.lines import line_of
from jackpot.config.tax import TaxLaw
from jackpot.rules.acts.fields import PaperField
from jackpot.rules.paytable import LinkTerms, TableTerms
from jackpot.rules.tax import TaxTerms

# The longest id, as everywhere.
ID_MAX: Final = 64
SQLITE: Final = "sqlite:///"

Keys = dict[tuple[str, str], tuple[bytes, ...]]
"""By (role, id), role "table" or "sign": the device's keys, the next one of a rotation last."""


# The path of a table of many, like link[0], and of a part of it.
_TABLE_PATH: Final = re.compile(
    r"(?P<table>[a-z_.]+\[\d+\])(?:\.(?P<part>[a-z_][\w-]*(?:\.[\w-]+|\[\d+\])*))?"
)


class ConfigErrors(Exception):
    """The configuration has mistakes: `mistakes` lists every one as (path, sentence).

    names: by path, what people call a table of many, as `ConfigSource.names` finds it. lines: by path, where
    a table or setting begins, as `lines_of` finds it.
    """

    def __init__(
        self,
        mistakes: list[tuple[str, str]],
        names: Mapping[str, str] | None = None,
        lines: Mapping[str, int] | None = None,
    ) -> None:
        super().__init__(mistakes)
        self.mistakes = mistakes
        self._names = names or {}
        self._lines = lines or {}

    def __str__(self) -> str:
        return "\n".join(f"{self._place(path)}{self._named(told)}" for path, told in self.mistakes)

    def _place(self, path: str) -> str:
        """The place of a mistake: what people call it, and its line."""
        if not path:
            return ""
        called = _TABLE_PATH.sub(self._called, path)
        line = line_of(path, self._lines)
        return f"{called}: " if line is None else f"{called} (line {line}): "

    def _named(self, sentence: str) -> str:
        """The sentence with the tables that it names as people call them."""
        return _TABLE_PATH.sub(self._numbered, sentence)

    def _numbered(self, match: re.Match[str]) -> str:
        line = line_of(match[0], self._lines)
        return self._called(match) if line is None else f"{self._called(match)} (line {line})"

    def _called(self, match: re.Match[str]) -> str:
        """What people call the table, and the part of it that a path names."""
        called = self._names.get(match["table"])
        return match[0] if called is None else f"{called} {match['part']}" if match["part"] else called


# How long a system of game accounts may take to confirm a credit: what a day's reconciliation finds (P4).
CREDIT_WITHIN_HOURS: Final = 24


class Shift(msgspec.Struct, frozen=True):
    """A shift of every gaming day. begins: local time, at a quarter of an hour; it ends with the next one."""

    name: str
    begins: time


class Site(msgspec.Struct, frozen=True):
    """The site. gaming_day_ends: local time in `timezone`, an IANA name (S2). locale: how pages write money.

    id: names the ledger. "" if the configuration does not say: the ledger then keeps its first one.
    tax_form_from: the sum in cents from which a payment takes a tax form, None where none does.
    papers_kept_days: how long papers of a paid hit keep whom they name, None for ever. names_kept_days: how
    long names of people who left are kept, None for ever. address: where people open the pages, "" if the
    configuration does not say. payout_needs: what must be on the papers of every payment. confirm_program:
    links wait until two people confirm a program that their bank does not know (S3). shifts: in the order of
    the configuration; none where a gaming day has thirds. tax: the law of its country, whose sum
    `tax_form_from` and whose wants `payout_needs` then replace. logo: of the house, a file's absolute path,
    "" for none. credit_within_hours: how long after a win its credit to a game account may stay unconfirmed
    (P4).
    """

    name: str
    currency: str
    gaming_day_ends: time
    timezone: str
    locale: str = DEFAULT_LOCALE
    id: str = ""
    tax_form_from: int | None = None
    papers_kept_days: int | None = None
    names_kept_days: int | None = None
    address: str = ""
    payout_needs: tuple[PaperField, ...] = ()
    confirm_program: bool = False
    shifts: tuple[Shift, ...] = ()
    tax: TaxLaw | None = None
    logo: str = ""
    credit_within_hours: int = CREDIT_WITHIN_HOURS

    def tax_terms(self, unix_ms: int) -> TaxTerms | None:
        """The figures of the law of that day; None where the site's country has no taxes here."""
        if self.tax is None:
            return None
        terms = self.tax.terms(self.year(unix_ms))
        if self.tax_form_from is not None:
            terms = msgspec.structs.replace(terms, form_from=self.tax_form_from)
        if self.payout_needs:
            terms = msgspec.structs.replace(terms, needs=())
        return terms

    def year(self, unix_ms: int) -> int:
        """The calendar year of a moment, by the site's clocks."""
        return datetime.fromtimestamp(unix_ms // 1000, UTC).astimezone(ZoneInfo(self.timezone)).year

    @property
    def form_from(self) -> int | None:
        """The sum in cents from which a win may take a tax form: the site's own, else the law's newest."""
        if self.tax_form_from is not None or self.tax is None:
            return self.tax_form_from
        return self.tax.years[-1].form_from

    @property
    def plain_tax_from(self) -> int | None:
        """`tax_form_from` where no country's law says which wins take a form."""
        return self.tax_form_from if self.tax is None else None

    @property
    def first_id(self) -> str:
        """The id that a new ledger gets: the configured one, else one made from the name."""
        made = re.sub(r"[^a-z0-9]+", "-", self.name.lower()).strip("-")
        return self.id or made[:ID_MAX] or "site"


# `jackpot ledger nightly`, and `jackpot verify`.
Timer = Literal["backup", "verify"]


class Ledger(msgspec.Struct, frozen=True):
    """The ledger's place and settings.

    url: sqlite:////absolute.db or postgresql://... require_synchronous: no commit without a standby.

    timers: what the site has a timer for, so that an alert sees one that never ran.
    """

    url: str
    require_synchronous: bool = False
    timers: tuple[Timer, ...] = ()

    @property
    def file(self) -> Path | None:
        """The database's file, None where the ledger is in PostgreSQL."""
        return Path(self.url.removeprefix(SQLITE)) if self.url.startswith(SQLITE) else None


class Address(msgspec.Struct, frozen=True):
    """Address of a listener; port 0 lets the system choose one."""

    host: str
    port: int

    @classmethod
    def of(cls, text: str) -> "Address":
        """Parses "host:port" or "[v6]:port". Raises ValueError."""
        host, _, port = text.rpartition(":")
        if int(port) > 65_535:
            raise ValueError(f"{text!r} has a port above 65535")
        return cls(host.removeprefix("[").removesuffix("]"), int(port))

    @property
    def loopback(self) -> bool:
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


class Tls(msgspec.Struct, frozen=True):
    """TLS of the listeners.

    client_ca: it signs the certificates that devices must show; None if they need none.
    """

    cert: Path
    key: Path
    client_ca: Path | None = None


# A whole floor may connect at one moment from behind one address, a router or a gateway of controllers. Each
# device is a stranger only until its hello, for some milliseconds.
STRANGERS_PER_ADDRESS: Final = 256
# All streams that there may be, and enough pages and scrapes for one site.
HTTP_CONNECTIONS: Final = 1_200
# All screens of a house may be behind one address: their streams, and the pages and files that they load.
HTTP_PER_ADDRESS: Final = 256
# A wall of screens behind one address; ten of them use up all the streams there are.
STREAMS_PER_ADDRESS: Final = 100


class Listen(msgspec.Struct, frozen=True):
    """The listeners of a server. insecure: listeners beyond loopback may be without TLS.

    strangers_per_address: limits connections from one address without a valid hello, at each of `tables` and
    `signs`. http_connections: limits those at each of `http` and `public`; http_per_address those from one
    address, and streams_per_address the streams among them. hosts: names by which browsers reach the pages,
    besides the addresses listened at, loopback and this machine's own name. proxies: where TLS ends for
    people who sign in, by address. scrapers: addresses that read the metrics, with processor time of their
    own. admin_group: whose members may open the admin socket, "" for nobody else.
    """

    tables: Address
    admin: Path
    signs: Address | None = None
    http: Address | None = None
    public: Address | None = None
    tls: Tls | None = None
    insecure: bool = False
    strangers_per_address: int = STRANGERS_PER_ADDRESS
    http_connections: int = HTTP_CONNECTIONS
    http_per_address: int = HTTP_PER_ADDRESS
    streams_per_address: int = STREAMS_PER_ADDRESS
    hosts: tuple[str, ...] = ()
    proxies: tuple[str, ...] = ()
    scrapers: tuple[str, ...] = ()
    admin_group: str = ""


class Sign(msgspec.Struct, frozen=True):
    """A signage controller. tables: whose posted odds it gets, none for a sign of meters alone (P1)."""

    id: str
    links: tuple[str, ...]
    tables: tuple[str, ...] = ()


class Signage(msgspec.Struct, frozen=True):
    """A signage process, by its id: its listeners; Redis alone feeds it."""

    id: str
    signs: Address | None = None
    http: Address | None = None
    public: Address | None = None


class ServerAt(msgspec.Struct, frozen=True):
    """One of several servers of one ledger, by its id: its listeners. banks: those that it takes first."""

    id: str
    listen: Listen
    banks: tuple[str, ...] = ()


class UdpSign(msgspec.Struct, frozen=True):
    """A receiver of meters as UDP text.

    format: of a value, with {link}, {level}, {amount} and {cents}. state_format: of a link's state.

    sender: the signage process that sends it; None, the server itself. Two would overtake each other.
    interface: this machine's address on the network by which a multicast leaves; None, the system chooses.
    """

    address: Address
    links: tuple[str, ...]
    format: str
    state_format: str | None = None
    interface: str | None = None
    sender: str | None = None


class Heads(msgspec.Struct, frozen=True):
    """Sinks of signed heads (S8). key: the site's private key, 32 bytes. known: public keys of earlier years.

    file, syslog, webhook: one or more of them. syslog: a unix socket. webhook_ca: who signed the certificate
    of the webhook's server, None for a public authority.
    """

    key: bytes
    known: tuple[bytes, ...] = ()
    file: Path | None = None
    syslog: Path | None = None
    webhook: str | None = None
    webhook_ca: Path | None = None


class Mystery(msgspec.Struct, frozen=True):
    """What committed mystery levels need (Y12). key: the key's file, which may be missing."""

    key: Path


class Notify(msgspec.Struct, frozen=True):
    """The webhook that is notified of what waits for people. secret: 32 bytes that sign. events: by name.

    ca: who signed its certificate, None for a public authority.
    """

    url: str
    secret: bytes
    events: tuple[Literal["hit", "alarm", "request"], ...] = ("hit", "alarm", "request")
    ca: Path | None = None


class People(msgspec.Struct, frozen=True):
    """The rule about a site without people.

    required: without people of its own the site accepts nobody; else any name, until it has the first.
    """

    required: bool = True


class Config(msgspec.Struct, frozen=True):
    """One checked configuration.

    links: offers too, which are links without levels (B1). displays: by link, how pages show it. redis: the
    nodes' urls, tried in turn. signage: the processes that Redis feeds. servers: all that share the ledger;
    server: which of them this is, None where it is alone. warnings: what an operator should know and may
    mean, in sentences. heads: None where none are signed. notify: None where nobody is told. keys_end: by
    (role, id), the site's own as ("site", "heads"), when a key is as old as `[keys] good_days` lets it
    become, unix seconds; empty where the site sets no age. count_unsaid: links and offers whose count it
    leaves to the journal (P8). mystery: None where no key is named. ends: by link, the last gaming day of
    those that it lets end (P2).
    """

    path: Path
    site: Site
    ledger: Ledger
    listen: Listen
    limits: Limits
    links: tuple[LinkTerms, ...]
    tables: tuple[TableTerms, ...]
    signs: tuple[Sign, ...]
    udp_signs: tuple[UdpSign, ...]
    keys: Keys
    displays: dict[str, Display]
    redis: tuple[str, ...] = ()
    signage: tuple[Signage, ...] = ()
    servers: tuple[ServerAt, ...] = ()
    server: ServerAt | None = None
    warnings: tuple[str, ...] = ()
    heads: Heads | None = None
    notify: Notify | None = None
    people: People = People()
    keys_end: dict[tuple[str, str], int] = {}
    count_unsaid: frozenset[str] = frozenset()
    mystery: Mystery | None = None
    ends: dict[str, str] = {}

    def keys_of(self, role: str, device: str) -> tuple[bytes, ...]:
        """The keys that a device may greet with, none for a device that is not configured."""
        return self.keys.get((role, device), ())

    def compared(self, journal: LinkTerms) -> list[ParameterDifference]:
        """Where it has other terms of a link than the journal (L9); nothing where it has no such link."""
        own = next((terms for terms in self.links if terms.link == journal.link), journal)
        return compared(journal, self.completed(own, journal))

    def completed(self, own: LinkTerms, journal: LinkTerms) -> LinkTerms:
        """Its terms of a link that plays already: where it leaves the count open, they keep the journal's."""
        if own.link not in self.count_unsaid:
            return own
        return msgspec.structs.replace(own, count_chips=journal.count_chips)

    def of_server(self, name: str) -> "Config":
        """The configuration as that server uses it. Raises KeyError."""
        server = {server.id: server for server in self.servers}[name]
        return msgspec.structs.replace(self, listen=server.listen, server=server)

    @property
    def banks(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(link.bank for link in self.links))
