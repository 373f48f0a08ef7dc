"""How long does a signed-in person wait for a page? A person is made, signs in, and looks."""

import asyncio
import secrets
import time
import urllib.error
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Final
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, build_opener

from jackpot.auth.offline_people import entered
from jackpot.auth.person_admin import Coming, Staff
from jackpot.clock import SystemClock
from jackpot.lab.bench.load import LoadError
from jackpot.ledger.open import opened

# A report of a million rows takes so long on a busy machine.
PAGE_WITHIN_S: Final = 300.0
BY: Final = "bench"


def hire(url: str) -> Coming:
    """The first of two admins of a ledger without people and without a server."""
    both = [Coming(login, login, secrets.token_urlsafe(12)) for login in ("ann", "bo")]

    async def begin() -> None:
        clock = SystemClock()
        async with opened(url) as store, entered(store, url, clock) as entrance:
            await Staff(entrance).begin(both, BY)

    asyncio.run(begin())
    return both[0]


class Visit:
    """A signed-in browser of one person. Raises LoadError."""

    def __init__(self, port: int, person: Coming) -> None:
        self._at = f"http://127.0.0.1:{port}"
        policy = DefaultCookiePolicy(strict_ns_domain=DefaultCookiePolicy.DomainLiberal)
        self._open = build_opener(HTTPCookieProcessor(CookieJar(policy))).open
        form = urlencode({"login": person.login, "secret": person.secret})
        self._get("/ops/sign-in", form.encode())

    def page(self, path: str) -> float:
        """Seconds until the whole of it is here."""
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
