"""The address of a request behind proxies, and the group that limits count it in."""

import pytest
from aiohttp import hdrs
from aiohttp.test_utils import make_mocked_request
from multidict import CIMultiDict

from jackpot.web.client_address import ADDRESS_MAX, client_address, rate_limit_group

PROXY = "10.0.0.5"


class Peer:
    """A connection from that address."""

    def __init__(self, address: str) -> None:
        self._address = address

    def get_extra_info(self, name: str, default: object = None) -> object:
        return (self._address, 4711) if name == "peername" else default


def seen(peer: str, *lines: str, proxies: tuple[str, ...] = (PROXY,)) -> str:
    """The address of a request with these lines of X-Forwarded-For."""
    headers = CIMultiDict([(hdrs.X_FORWARDED_FOR, line) for line in lines])
    return client_address(make_mocked_request("GET", "/", headers, transport=Peer(peer)), proxies)


@pytest.mark.parametrize(
    ("lines", "client"),
    [
        (("203.0.113.1",), "203.0.113.1"),
        (("6.6.6.6, 203.0.113.1",), "203.0.113.1"),  # the proxy has continued the client's line
        (("6.6.6.6", "203.0.113.1"), "203.0.113.1"),  # the proxy has added a line of its own
        (("6.6.6.6, 7.7.7.7", "8.8.8.8,203.0.113.1"), "203.0.113.1"),
        (("203.0.113.1:4711",), "203.0.113.1"),
        (("2001:db8::7",), "2001:db8::7"),
        (("2001:0DB8:0::0007",), "2001:db8::7"),
        (("[2001:db8::7]",), "2001:db8::7"),
        (("6.6.6.6, [2001:db8::7]:4711",), "2001:db8::7"),
        (("::ffff:203.0.113.1",), "203.0.113.1"),
        (("unknown",), "unknown"),
        (("x" * 9_000,), "x" * ADDRESS_MAX),
        (("203.0.113.1, ",), PROXY),  # nothing was passed on
        (("",), PROXY),
        ((), PROXY),
    ],
)
def test_a_named_proxy_says_who_asks(lines: tuple[str, ...], client: str) -> None:
    """Misuse: only the last element of the last line is the proxy's own word, not what stands before it."""
    assert seen(PROXY, *lines) == client


def test_nobody_else_says_who_asks() -> None:
    """Misuse: from an address that nobody has named the header is a client's word."""
    assert seen("10.0.0.6", "203.0.113.1") == "10.0.0.6"
    assert seen(PROXY, "203.0.113.1", proxies=()) == PROXY
    assert seen("", "203.0.113.1") == ""


def test_a_proxy_is_known_by_each_form_of_its_address() -> None:
    """A listener for both kinds of address sees an IPv4 proxy as an IPv6 one."""
    assert seen(f"::ffff:{PROXY}", "203.0.113.1") == "203.0.113.1"


@pytest.mark.parametrize(
    ("address", "group"),
    [
        ("203.0.113.1", "203.0.113.1"),
        ("::ffff:203.0.113.1", "203.0.113.1"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2:ffff::", "2001:db8:1:2::/64"),
        ("2001:db8:1:3::", "2001:db8:1:3::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("::1", "::/64"),
        ("unknown", "unknown"),
        ("", ""),
        ("x" * 9_000, "x" * ADDRESS_MAX),
    ],
)
def test_one_clients_addresses_count_as_one(address: str, group: str) -> None:
    """Limits: a client with a whole IPv6 /64 has no more than one with one IPv4 address."""
    assert rate_limit_group(address) == group
