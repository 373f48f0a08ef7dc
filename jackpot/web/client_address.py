"""Client addresses behind configured proxies (X-Forwarded-For).

A client can send an X-Forwarded-For of its own, in a line of its own. Only what the named proxy wrote is
believed: the last element of the last line. Limits count the addresses of one customer of a provider as one.
"""

import ipaddress
from collections.abc import Collection
from typing import Final

from aiohttp import hdrs, web

# The longest text that is kept of what is no address. The longest address is shorter: IPv6 with a zone.
ADDRESS_MAX: Final = 64
# What a provider gives to one customer, at least: a customer that has one address of it has all of them.
IPV6_CUSTOMER_BITS: Final = 64
# What a provider gives to one site, or for nothing to anybody who asks: 65,536 customers' networks.
IPV6_SITE_BITS: Final = 48

Address = ipaddress.IPv4Address | ipaddress.IPv6Address


def client_address(request: web.BaseRequest, proxies: Collection[str]) -> str:
    """The address of the client. proxies: whose X-Forwarded-For is believed, each as `str(ip_address(...))`.

    A named proxy that passes no address on is the client itself. What is no address is returned as it was
    sent, cut to ADDRESS_MAX characters. "" where the connection has no address, as at the admin socket.
    """
    peer = bare_address(request.remote or "")
    if peer not in proxies:
        return peer
    return bare_address(last_forwarded(request, hdrs.X_FORWARDED_FOR)) or peer


def last_forwarded(request: web.BaseRequest, header: str) -> str:
    """The last element of the last line of a header, as the nearest proxy wrote it. "" for none."""
    lines = request.headers.getall(header, ())
    return lines[-1].rpartition(",")[2].strip() if lines else ""


def rate_limit_group(address: str) -> str:
    """The addresses that count as one client: an IPv6 /64, or one IPv4 address. Other text is a group."""
    return _group(address, IPV6_CUSTOMER_BITS)


def site_network(address: str) -> str:
    """The /48 of an IPv6 address, whose clients may be one and the same; IPv4 and other text unchanged."""
    return _group(address, IPV6_SITE_BITS)


def _group(address: str, ipv6_bits: int) -> str:
    ip = _parsed(address)
    if ip is None:
        return address[:ADDRESS_MAX]
    if isinstance(ip, ipaddress.IPv4Address):
        return str(ip)
    return str(ipaddress.IPv6Network((int(ip), ipv6_bits), strict=False))


def bare_address(text: str) -> str:
    """An address in its one usual form, without a port; other text as it is, bounded."""
    ip = _parsed(text)
    return text[:ADDRESS_MAX] if ip is None else str(ip)


def _parsed(text: str) -> Address | None:
    """Parses an address, in brackets or with a port or not. IPv4 within IPv6 is IPv4."""
    for candidate in (text, _without_port(text)):
        try:
            ip = ipaddress.ip_address(candidate)
        except ValueError:
            continue  # the next form, or None: the caller keeps the text
        mapped = ip.ipv4_mapped if isinstance(ip, ipaddress.IPv6Address) else None
        return mapped or ip
    return None


def _without_port(text: str) -> str:
    """The host of `1.2.3.4:5` or `[2001:db8::1]:5`; the same text where it has another form."""
    if text.startswith("["):
        host, _, port = text[1:].partition("]")
        return host if not port or (port[0] == ":" and port[1:].isdecimal()) else text
    host, _, port = text.rpartition(":")
    return host if port.isdecimal() and ":" not in host else text
