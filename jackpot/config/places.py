"""Addresses of the processes: listeners, several servers, signage processes, and Redis between them."""

import grp
import ipaddress
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

import msgspec

from jackpot.clock import SystemClock
from jackpot.config.keys import open_to_all
from jackpot.config.settings import Address, Ledger, Listen, ServerAt, Signage, Tls
from jackpot.config.source import ConfigSource

Addresses = dict[str, Address | None]

# A unix socket's address holds 107 bytes and a terminating zero.
SOCKET_PATH_MAX: Final = 107
LISTENERS: Final = ("tables", "signs", "http", "public")
SIGNAGE_LISTENERS: Final = ("signs", "http", "public")
# Addresses to listen at that nobody can be sent to.
EVERYWHERE: Final = ("", "0.0.0.0", "::")  # noqa: S104 - nothing is bound here
LISTEN_LIMITS: Final = (
    "strangers_per_address",
    "http_connections",
    "http_per_address",
    "streams_per_address",
)


def read_listen(source: ConfigSource, ledger: Ledger | None) -> Listen | None:
    given = source.section("listen")
    if not given:
        return None
    addresses = _addresses(source, "listen", given, LISTENERS)
    tls = _tls(source, given.get("tls", {}))
    admin = _admin(source, "listen.admin", given.get("admin"), ledger)
    if (tables := addresses["tables"]) is None or not source.shaped("listen"):
        return None
    return Listen(
        tables,
        admin,
        addresses["signs"],
        addresses["http"],
        addresses["public"],
        tls,
        insecure=given.get("insecure", False),
        hosts=tuple(host.lower() for host in given.get("hosts", ())),
        proxies=tuple(_plain_addresses(source, given, "proxies")),
        scrapers=tuple(_plain_addresses(source, given, "scrapers")),
        admin_group=_group(source, given.get("admin_group", "")),
        **{name: given[name] for name in LISTEN_LIMITS if name in given},
    )


def read_servers(
    source: ConfigSource, listen: Listen, ledger: Ledger | None, banks: Collection[str]
) -> tuple[ServerAt, ...]:
    """The servers that share the ledger; each sends devices to the others. banks: those of the links."""
    source.unique("server")
    holders: dict[Address, str] = {}
    found = []
    for path, given, whole in source.entries("server"):
        if ledger is not None and ledger.file is not None:
            source.wrong(path, "a ledger in SQLite has one server: several share one in PostgreSQL")
        addresses = _addresses(source, path, given, LISTENERS)
        id_ = given.get("id", path)
        for name in ("tables", "signs"):
            if (address := addresses[name]) is not None:
                source.wrong(f"{path}.{name}", _no_place(address, id_, holders))
        own_banks = tuple(given.get("banks", ()))
        for bank in own_banks:
            source.wrong(f"{path}.banks", None if bank in banks else f"no link is in a bank {bank}")
        admin = _admin(source, f"{path}.admin", given.get("admin", f"{id_}.sock"), ledger)
        if whole and addresses["tables"] is not None:
            own = msgspec.structs.replace(listen, admin=admin, **addresses)
            found.append(ServerAt(id_, own, own_banks))
    return tuple(found)


def _no_place(address: Address, server: str, holders: dict[Address, str]) -> str | None:
    """Why no device can be redirected to this server's address. holders: servers by address so far."""
    if address.port == 0 or address.host in EVERYWHERE:
        return f"devices cannot be sent to {address}: give an address of this server, and a port"
    if holders.setdefault(address, server) != server:
        return f"{address} is already that of server {holders[address]}"
    return None


def read_redis(source: ConfigSource) -> tuple[str, ...]:
    """The urls of the nodes, tried in turn."""
    url = source.section("redis").get("url", ())
    urls = (url,) if isinstance(url, str) else tuple(url)
    for each in urls:
        if not _names_a_host(each):
            source.wrong("redis.url", f"{each!r} names no host and port")
            continue
        asked = parse_qs(urlsplit(each).query)
        if "none" in asked.get("ssl_cert_reqs", ()):
            source.warn("redis.url: ssl_cert_reqs=none takes whatever answers for that node: leave it out")
        for name in asked.get("ssl_ca_certs", ()):
            if source.authority("redis.url", name) and not Path(name).is_absolute():
                source.wrong("redis.url", f"{name}: give its whole path, as /etc/jackpot/redis-ca.pem")
    return urls


def _names_a_host(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.hostname is not None and parts.port != 0
    except ValueError:
        return False


def read_signage(source: ConfigSource, redis: Collection[str]) -> tuple[Signage, ...]:
    """The signage processes; Redis feeds them."""
    source.unique("signage")
    found = []
    for path, given, whole in source.entries("signage"):
        if not redis and source.shaped("redis"):
            source.wrong(path, "a signage process is fed by Redis: give [redis] url")
        addresses = _addresses(source, path, given, SIGNAGE_LISTENERS)
        if whole:
            found.append(Signage(given["id"], **addresses))
    return tuple(found)


def _addresses(
    source: ConfigSource, path: str, section: Mapping[str, Any], names: Collection[str]
) -> Addresses:
    """The addresses of one process: each port once, and beyond loopback with TLS unless `insecure` is set."""
    addresses = {name: source.address(f"{path}.{name}", section.get(name)) for name in names}
    listen = source.section("listen")
    unsaid = not listen or source.spoiled("listen.tls") or source.spoiled("listen.insecure")
    taken: dict[int, str] = {}
    for name, address in addresses.items():
        if address is None:
            continue
        # Port 0 is one that the system chooses: each listener gets another.
        if address.port and taken.setdefault(address.port, name) != name:
            source.wrong(f"{path}.{name}", f"port {address.port} is already that of {taken[address.port]}")
        if address.loopback or "tls" in listen or unsaid:
            continue
        if listen.get("insecure", False):
            source.warn(f"{path}.{name}: {address} has no TLS: anybody on the network can read it")
        else:
            sentence = f"{address} is beyond loopback and has no TLS: give [listen.tls], or insecure = true"
            source.wrong(f"{path}.{name}", sentence)
    return addresses


def _plain_addresses(source: ConfigSource, section: Mapping[str, Any], name: str) -> Iterator[str]:
    for text in section.get(name, ()):
        try:
            yield str(ipaddress.ip_address(text))
        except ValueError:
            source.wrong(f"listen.{name}", f"{text!r} is no address, like 10.0.0.5")


def _group(source: ConfigSource, name: str) -> str:
    """A group of this machine, "" for none."""
    try:
        if name:
            grp.getgrnam(name)
    except KeyError:
        source.wrong("listen.admin_group", f"this machine has no group {name}: make it, or name another")
    return name


def _tls(source: ConfigSource, fields: Mapping[str, str]) -> Tls | None:
    files = {name: source.file(f"listen.tls.{name}", fields[name]) for name in fields}
    cert, key = files.get("cert"), files.get("key")
    if key is not None and (fault := open_to_all(key)) is not None:
        source.warn(f"listen.tls.key: {fault}")
    if cert is None or key is None:
        return None
    from jackpot.config import certificates  # noqa: PLC0415 - it takes long to load, and few need it

    if (fault := certificates.unfit(cert, key)) is not None:
        source.wrong("listen.tls.cert", fault)
    elif (soon := certificates.ending(cert, SystemClock().unix_ms())) is not None:
        source.warn(f"listen.tls.cert: {soon}")
    return Tls(cert, key, files.get("client_ca"))


def _admin(source: ConfigSource, path: str, given: str | None, ledger: Ledger | None) -> Path:
    """The admin socket: as configured, else next to the ledger's file, else next to the configuration."""
    file = (ledger and ledger.file) or source.path
    admin = file.with_suffix(".sock") if given is None else source.path.parent / given
    if len(str(admin).encode()) > SOCKET_PATH_MAX:
        source.wrong(path, f"{admin} is longer than {SOCKET_PATH_MAX} bytes: give a shorter path")
    return admin
