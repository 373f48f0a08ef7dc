"""What is one's own? The page of a person's password, six digits and programs."""

import secrets
from base64 import b32decode, b32encode
from binascii import Error as NotBase32
from typing import Any, Final

from aiohttp import web

from jackpot.books.output import drawing
from jackpot.config.languages import told
from jackpot.rules.codes import Code
from jackpot.server.asks.ask import NotDone
from jackpot.server.asks.people import TOKEN_DAYS_MOST, AskTokens
from jackpot.server.hashing import invitation
from jackpot.server.people import SECRET_LEAST, Person, SignedIn, Typed
from jackpot.web.forms import form_of
from jackpot.web.front import Front, Maker, saying, there
from jackpot.words import Sentence

ACCOUNT: Final = "/ops/account"
# Of a key of six digits, in bytes: as many as RFC 4226 has for it.
KEY_BYTES: Final = 20


class Account:
    """Answers for what is one's own. Each change of it takes the password once more."""

    def __init__(self, make: Maker, front: Front) -> None:
        self._make = make
        self._access = front.access
        self._site = front.config.site.name

    async def page(self, request: web.Request, person: Person) -> web.StreamResponse:
        """Who one is, and the forms. A new key is drawn each time, and kept once it is confirmed."""
        key = secrets.token_bytes(KEY_BYTES)
        shown: dict[str, Any] = {
            "digits": bool(await self._access.entrance.key_of(person)),
            "new_key": b32encode(key).decode(),
            "drawing": drawing(invitation(key, person.login, self._site)),
            "tokens": [],
            "days_most": TOKEN_DAYS_MOST,
            "least": SECRET_LEAST,
        }
        if person.roles:
            found = await self._make.ask(AskTokens, person)
            shown["tokens"] = [one for one in found.tokens if one.person == person.id]
        return await self._make.page(request, person, "ops/account.html", **shown)

    async def change_password(self, request: web.Request, person: Person) -> web.StreamResponse:
        """POST: another password, typed twice."""
        form = await form_of(request)
        if form.get("new", "") != form.get("again", ""):
            raise NotDone(Code.BAD_REQUEST, "again: it is not the same password: type the new one twice")
        own = await self._typed(request, person)
        signed = await self._access.entrance.change(person, own, form.get("new", ""))
        return self._kept(request, signed, "Your password is changed. You are signed out everywhere else.")

    async def set_digits(self, request: web.Request, person: Person) -> web.StreamResponse:
        """POST: six digits are needed from now on, or no longer. new_key: of them, empty for none."""
        form = await form_of(request)
        try:
            key = b32decode(form.get("new_key", ""))
        except (NotBase32, ValueError) as error:
            raise NotDone(Code.BAD_REQUEST, "new_key: it is not the key of this page") from error
        if len(key) not in (0, KEY_BYTES):
            raise NotDone(Code.BAD_REQUEST, "new_key: it is not the key of this page")
        own = await self._typed(request, person)
        signed = await self._access.entrance.set_digits(person, own, key, form.get("digits", ""))
        said = "From now on you sign in with six digits." if key else "You sign in without six digits now."
        return self._kept(request, signed, said)

    async def _typed(self, request: web.Request, person: Person) -> Typed:
        form = await form_of(request)
        place = self._access.place(request, person.login)
        return Typed(form.get("secret", ""), form.get("totp", ""), place)

    def _kept(self, request: web.Request, signed: SignedIn, said: str) -> web.StreamResponse:
        """Back to the page, in the session that has begun."""
        words = told(self._make.language(request), Sentence(said))
        answer = there(saying(ACCOUNT, words, signed.token))
        self._access.keep(request, answer, signed.token, signed.person.login)
        return answer
