"""Cookie of a browser in which a person has signed in: a signature over login, device id and day.

It opens nothing: failures elsewhere lock nobody out of a browser that is known for their login. The key is
the hash of the person's password, which only the ledger has. So every server knows the browser, also after a
restart, and a new password ends it. One cookie serves the few people of one screen.
"""

import hmac
import re
import secrets
from typing import Final, NamedTuple

DAY_MS: Final = 24 * 60 * 60 * 1_000
# From the last time that the person signed in there.
HOLDS_DAYS: Final = 90
# People of one screen whose signatures are kept, the last ones first: a shift.
PEOPLE_MAX: Final = 8
_ID_BYTES: Final = 16
_COOKIE: Final = re.compile(
    rf"(?P<id>[0-9a-f]{{{2 * _ID_BYTES}}})(?P<signed>(?:\.[0-9]{{1,6}}-[0-9a-f]{{64}}){{1,{PEOPLE_MAX}}})"
)


class _Cookie(NamedTuple):
    """Content of a cookie. device: the browser's id.

    signed: days with their signatures, the last one first.
    """

    device: str
    signed: tuple[str, ...]


def known_device(cookie: str, login: str, hash_: str, unix_ms: int) -> str | None:
    """The browser's id, if the person of that login has signed in in it; None for any other.

    login: in its plain form. hash_: of their password now.
    """
    found = _read(cookie)
    if found is None:
        return None
    today = unix_ms // DAY_MS
    for one in found.signed:
        day, _, mac = one.partition("-")
        fits = hmac.compare_digest(_signature(found.device, login, int(day), hash_), mac)
        if fits and int(day) <= today < int(day) + HOLDS_DAYS:
            return found.device
    return None


def signed_cookie(cookie: str, login: str, hash_: str, unix_ms: int) -> str:
    """The cookie after that person has signed in.

    cookie: the browser's own until now, "" for none. The id stays, and so do the signatures of others.
    """
    found = _read(cookie) or _Cookie(secrets.token_hex(_ID_BYTES), ())
    others = []
    for one in found.signed:
        day, _, mac = one.partition("-")
        if not hmac.compare_digest(_signature(found.device, login, int(day), hash_), mac):
            others.append(one)
    today = unix_ms // DAY_MS
    own = f"{today}-{_signature(found.device, login, today, hash_)}"
    return ".".join((found.device, own, *others[: PEOPLE_MAX - 1]))


def _read(cookie: str) -> _Cookie | None:
    found = _COOKIE.fullmatch(cookie)
    return None if found is None else _Cookie(found["id"], tuple(found["signed"].split(".")[1:]))


def _signature(device: str, login: str, day: int, hash_: str) -> str:
    return hmac.digest(hash_.encode(), f"device {device} {day} {login}".encode(), "sha256").hex()
