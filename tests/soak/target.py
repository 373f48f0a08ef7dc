"""The target of an attack: its ports, keys and certificates, and the clock that ends it."""

import time
from collections.abc import Iterator
from typing import Final

import msgspec

HOST: Final = "127.0.0.1"
# The site's proxy, named in [listen]; who sits there is believed about the address of a client.
PROXY: Final = "127.0.0.67"
# Of both people of the site, and where the one whose login strangers guess at has come in before.
LOGINS: Final = ("ann", "bo")
SECRET: Final = "correct horse battery"
BROWSER: Final = "127.0.0.77"


class Target(msgspec.Struct, frozen=True):
    """tables, signs, http: ports. keys: of the devices that the attacker holds, in hex, tables first.

    authority: of the server's certificate, a file; "" where it has no TLS.
    cookies: of a browser at BROWSER in which the first of LOGINS has come in, as it sends them; "" with TLS.
    """

    tables: int
    signs: int
    http: int
    seconds: float
    table_keys: dict[str, str]
    sign_keys: dict[str, str]
    link: str
    authority: str = ""
    cookies: str = ""


class Harmed(Exception):
    """An attack has harmed honest people; the text says how."""


def until(target: Target) -> Iterator[float]:
    """The seconds that have passed, until the target's are over."""
    began = time.monotonic()
    while (passed := time.monotonic() - began) < target.seconds:
        yield passed


def wait_a_moment(seconds: float) -> None:
    """The attack's own pace: there is nothing to wait for."""
    time.sleep(seconds)
