"""Measures page latency for a signed-in person."""

import asyncio
import secrets
import time
import urllib.error
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Final
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, build_opener

from jackpot.auth.offline_people import sign_in_offline
from jackpot.auth.person_admin import NewPerson, PersonAdmin
from jackpot.clock import SystemClock
from jackpot.lab.bench.load import LoadError
from jackpot.ledger.open import opened

# Timeout: a report of a million rows takes so long on a busy machine.
PAGE_WITHIN_S: Final = 300.0
BY: Final = "bench"


def hire(url: str) -> NewPerson:
    """Makes the first of two admins in a ledger without people and without a server."""
    both = [NewPerson(login, login, secrets.token_urlsafe(12)) for login in ("ann", "bo")]

    async def begin() -> None:
        clock = SystemClock()
        async with opened(url) as store, sign_in_offline(store, url, clock) as auth:
            await PersonAdmin(auth).begin(both, BY)

    asyncio.run(begin())
    return both[0]


class BrowserSession:
    """Signed-in browser of one person. Raises LoadError."""

    def __init__(self, port: int, person: NewPerson) -> None:
        self._at = f"http://127.0.0.1:{port}"
        policy = DefaultCookiePolicy(strict_ns_domain=DefaultCookiePolicy.DomainLiberal)
        self._open = build_opener(HTTPCookieProcessor(CookieJar(policy))).open
        form = urlencode({"login": person.login, "secret": person.secret})
        self._get("/ops/sign-in", form.encode())

    def page(self, path: str) -> float:
        """Seconds until the whole page has arrived."""
        began = time.perf_counter()
        self._get(path)
        return time.perf_counter() - began

    def _get(self, path: str, form: bytes | None = None) -> None:
        try:
            with self._open(self._at + path, form, PAGE_WITHIN_S) as answer:
                answer.read()
                if "/sign-in" in answer.url:
                    raise LoadError(f"{path}: nobody is signed in")
        except urllib.error.HTTPError as error:
            raise LoadError(f"{path}: {error}: {error.read().decode(errors='replace')[:200]}") from error
