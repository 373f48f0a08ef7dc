"""Authentication of HTTP requests: session cookies, API tokens, CSRF and transport checks.

People sign in on a page and have a session in a cookie; programs have a token. Neither travels in the clear:
beyond this machine it takes TLS, here or at a proxy that the configuration names. What a page sends carries a
token that only our own pages know, besides the cookie, so that no other site's page acts with it.
"""

import hashlib
import hmac
from collections.abc import Collection
from typing import Final

from aiohttp import hdrs, web

from jackpot.auth.auth_service import AuthenticatedPerson, AuthService
from jackpot.auth.device_cookie import DAY_MS, HOLDS_DAYS
from jackpot.rules.codes import Code
from jackpot.runtime.errors import Denied
from jackpot.web.client_address import bare_address, client_address, last_forwarded, rate_limit_group
from jackpot.web.forms import FORM, form_of
from jackpot.web.host_names import loopback
from jackpot.web.http_connection import known_as

# The prefix binds it to this host and to TLS; a browser refuses it without. On loopback there is no TLS.
SECURE_COOKIE: Final = "__Host-jackpot"
PLAIN_COOKIE: Final = "jackpot-session"
# By this a browser is known in which somebody has come in: strangers elsewhere lock nobody out of it.
DEVICE_COOKIE: Final = "jackpot-device"
DEVICE_HOLDS_S: Final = HOLDS_DAYS * DAY_MS // 1_000
# What a page sends next to the cookie.
CSRF_HEADER: Final = "X-Jackpot-Token"
CSRF_FIELD: Final = "page"
SAFE_METHODS: Final = frozenset({hdrs.METH_GET, hdrs.METH_HEAD})
HOW_TO_BE_SAFE: Final = (
    "people sign in only over TLS: give [listen.tls] a certificate, which `jackpot keys tls` makes, "
    "or name in [listen] proxies the proxy that has one and sends X-Forwarded-Proto; on this machine itself "
    "127.0.0.1 works without"
)


class Untrusted(Exception):
    """Base of refusals that come before authentication."""


class InsecureRequest(Untrusted):
    """The request came in the clear from another machine."""


class Forged(Untrusted):
    """The request carries a session, and does not come from a page of ours."""


class RequestAuthentication:
    """Authenticates requests. proxies: where TLS ends, by address."""

    def __init__(self, auth: AuthService, proxies: Collection[str]) -> None:
        self.auth = auth
        self._proxies = frozenset(proxies)

    async def person(self, request: web.Request, *, used: bool = True) -> AuthenticatedPerson:
        """The person of the session or token.

        used: False for what a page asks for by itself: it keeps no session. Raises Denied, InsecureRequest,
        Forged, LedgerError.
        """
        self.check_way(request)
        kind, _, token = request.headers.get(hdrs.AUTHORIZATION, "").partition(" ")
        if kind.lower() == "bearer" and token and token.isascii():
            found = await self.auth.bearer(token.strip())
            known_as(request, found.id)
            return found
        session = self.session(request)
        if session is None:
            raise Denied(Code.NO_PERSON, "nobody is signed in: sign in at /ops/sign-in, or send a token")
        person = await self.auth.who(session, used=used)
        known_as(request, person.id)
        if request.method not in SAFE_METHODS:
            await self.check_page(request, session)
        return person

    def session(self, request: web.Request) -> str | None:
        """The session's token in the browser's cookie."""
        kept = request.cookies.get(SECURE_COOKIE if self.encrypted(request) else PLAIN_COOKIE)
        return kept if kept is not None and kept.isascii() else None  # as all that we gave

    def encrypted(self, request: web.Request) -> bool:
        """Whether the request came over TLS, to us or to a named proxy."""
        if request.transport is not None and request.transport.get_extra_info("sslcontext") is not None:
            return True
        forwarded = last_forwarded(request, hdrs.X_FORWARDED_PROTO).lower() == "https"
        return forwarded and bare_address(request.remote or "") in self._proxies

    def check_way(self, request: web.Request) -> None:
        """Checks that the request came over TLS.

        Raises InsecureRequest; also for an unnamed proxy on this machine.
        """
        passed_on = hdrs.X_FORWARDED_FOR in request.headers or hdrs.FORWARDED in request.headers
        if not self.encrypted(request) and (passed_on or not loopback(request.remote or "")):
            raise InsecureRequest(HOW_TO_BE_SAFE)

    async def check_page(self, request: web.Request, session: str) -> None:
        """Checks that one of our pages sent the request. Raises Forged."""
        check_origin(request)
        sent = request.headers.get(CSRF_HEADER)
        if sent is None and request.content_type == FORM:
            sent = (await form_of(request)).get(CSRF_FIELD)
        given = (sent or "").encode(errors="surrogateescape")  # a header may be any bytes
        if not hmac.compare_digest(given, page_token(session).encode()):
            raise Forged("the page is older than your session: load it again")

    async def keep(self, request: web.Request, answer: web.StreamResponse, session: str, login: str) -> None:
        """Sets the session cookie, and the device cookie for that login."""
        safe = self.encrypted(request)
        name = SECURE_COOKIE if safe else PLAIN_COOKIE
        answer.set_cookie(name, session, path="/", httponly=True, secure=safe, samesite="Strict")
        device = await self.auth.device_cookie(login, request.cookies.get(DEVICE_COOKIE, ""))
        answer.set_cookie(
            DEVICE_COOKIE, device, path="/ops", httponly=True, secure=safe, samesite="Strict",
            max_age=DEVICE_HOLDS_S,
        )  # fmt: skip

    async def place(self, request: web.Request, login: str) -> str:
        """The place of a sign-in, as in a LoginRateLimiter: behind a named proxy the forwarded address."""
        address = rate_limit_group(client_address(request, self._proxies))
        address = address.replace(" ", "_")  # what is no address is taken for no browser's place
        return await self.auth.place(login, address, request.cookies.get(DEVICE_COOKIE, ""))

    def forget(self, answer: web.StreamResponse) -> None:
        """Deletes the session cookie."""
        answer.del_cookie(SECURE_COOKIE, path="/", secure=True, httponly=True, samesite="Strict")
        answer.del_cookie(PLAIN_COOKIE, path="/")


def check_origin(request: web.Request) -> None:
    """Checks the Origin header. Raises Forged if another site's page sent the request."""
    origin = request.headers.get(hdrs.ORIGIN)
    if origin is not None and origin.partition("://")[2] != request.host:
        raise Forged("this came from another site's page")


def page_token(session: str) -> str:
    """The CSRF token of the session's pages; the session cannot be derived from it."""
    return hashlib.sha256(b"page " + session.encode()).hexdigest()


def message_signature(session: str, said: str) -> str:
    """Signature of `said` in a page's address: no foreign link says that a thing is done."""
    text = said.encode(errors="surrogateescape")  # an address may be any bytes
    return hmac.digest(page_token(session).encode(), b"said " + text, "sha256").hex()
