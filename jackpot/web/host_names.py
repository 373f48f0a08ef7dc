"""Check of the Host header: a request for a name that is not this server's is refused.

A page of a foreign name that resolves here must not read the floor through somebody's browser. What is
refused says why, and repeats nothing that a stranger sent.
"""

import ipaddress
import re
from collections.abc import Collection
from typing import Final

from aiohttp import hdrs, web

# Listening here is listening at every address of this machine.
EVERYWHERE: Final = frozenset({"", "0.0.0.0", "::"})  # noqa: S104 - nothing is bound here

_HOST: Final = re.compile(r"(?:\[(?P<address>[0-9A-Fa-f:.]+)\]|(?P<name>[^]\[:@/\s]*))(?::[0-9]*)?")


def check_host(request: web.Request, hosts: Collection[str]) -> None:
    """Raises HTTPMisdirectedRequest for a name that is none of `hosts`, HTTPBadRequest for no name."""
    given = request.headers.get(hdrs.HOST)
    if given is None:
        if request.version >= (1, 1):
            raise web.HTTPBadRequest(text="a request names its host\n")
        return
    host = name_of(given)
    if host in hosts or loopback(host):
        return
    transport = request.transport
    if "*" in hosts and transport is not None and host == transport.get_extra_info("sockname")[0]:
        return
    raise web.HTTPMisdirectedRequest(
        text="this server is not known by that name: ask for its address, or write the name into hosts under "
        "[listen] of its configuration\n"
    )


def name_of(host: str) -> str:
    """A Host header without its port, as it is compared; all of one that is no name with a port."""
    found = _HOST.fullmatch(host)
    if found is None:
        return host
    return (found["address"] or found["name"].rstrip(".")).lower()


def names(hosts: Collection[str], listening: Collection[str]) -> frozenset[str]:
    """The names of a listener: the configured ones, and where it listens; "*" if that is everywhere."""
    own = {"*" if host in EVERYWHERE else host.lower() for host in listening}
    return frozenset(hosts) | own


def loopback(host: str) -> bool:
    """Whether it is this machine itself, by address or name."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
