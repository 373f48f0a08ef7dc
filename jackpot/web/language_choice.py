"""Language that a person chose for their pages, in a cookie of the browser.

A screen that several people share has the choice of each. It is about reading alone, so the ledger holds
nothing of it; on another screen the browser's own language counts until they choose there, too.
"""

from collections.abc import Mapping
from typing import Final

from aiohttp import web

from jackpot.config.languages import offered

_COOKIE: Final = "languages"
# As long as browsers keep a cookie at most.
_HOLDS_S: Final = 400 * 24 * 3600
# People of one screen whose choices are kept, the latest ones: each page asks with all of them.
_PEOPLE_MAX: Final = 50
_PERSON: Final = web.RequestKey("person of the page", int)


def asked_by(request: web.Request, person: int) -> None:
    """Notes whose page it is."""
    request[_PERSON] = person


def chosen(request: web.Request) -> str | None:
    """The language that the person of this page chose on this screen; None if they chose none."""
    person = request.get(_PERSON)
    return None if person is None else _choices(request).get(person)


def choose(request: web.Request, answer: web.StreamResponse, language: str, *, secure: bool) -> None:
    """Keeps the choice of the person of this page. language: a code of `offered`. secure: over TLS."""
    person = request[_PERSON]
    others = {one: code for one, code in _choices(request).items() if one != person}
    kept = [*others.items(), (person, language)][-_PEOPLE_MAX:]
    value = ".".join(f"{one}-{code}" for one, code in kept)
    answer.set_cookie(
        _COOKIE, value, path="/ops", httponly=True, secure=secure, samesite="Lax", max_age=_HOLDS_S
    )


def _choices(request: web.Request) -> Mapping[int, str]:
    """The choices of a cookie by person, the latest last; whatever is none is left out."""
    pairs = (part.split("-", 1) for part in request.cookies.get(_COOKIE, "").split(".") if "-" in part)
    return {int(one): code for one, code in pairs if one.isascii() and one.isdecimal() and code in offered()}
