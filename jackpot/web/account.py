"""Account page: a person's own password, two-factor code and API tokens.

Its forms ask for acts that the API has, too. A refusal stands on the page itself, for a phone that has taken
a key must not take another one.
"""

import secrets
from base64 import b32decode, b32encode
from typing import Any, Final

from aiohttp import web

from jackpot.api.http_call import act_of, with_idempotency_key
from jackpot.api.operation import BadRequest, name_of
from jackpot.api.queries.people import TOKEN_DAYS_MAX, AskMe, AskTokens, ChangeSecret, EndDigits, SetDigits
from jackpot.auth.auth_service import SECRET_MIN, AuthenticatedPerson
from jackpot.auth.password_hashing import invitation
from jackpot.config.languages import translate
from jackpot.reports.output import drawing
from jackpot.runtime.errors import ServerError
from jackpot.text import RefusalSentence
from jackpot.web.act_labels import DOINGS
from jackpot.web.form_refusal import FormRefusal, refused_on
from jackpot.web.forms import SIGN_IN_MAX, form_of
from jackpot.web.pages_base import PageContext, PageRenderer, saying, there

ACCOUNT: Final = "/ops/account"
NOT_TWICE: Final = RefusalSentence("it is not the same password: type the new one twice", field="again")
# Length of a two-factor key, in bytes: as many as RFC 4226 has for it.
KEY_BYTES: Final = 20
_ACTS: Final = {name_of(kind): kind for kind in (ChangeSecret, SetDigits, EndDigits)}


class Account:
    """Serves the account page. Each change takes the password once more."""

    def __init__(self, make: PageRenderer, front: PageContext) -> None:
        self._make = make
        self._acts, self._access = front.acts, front.access
        self._site = front.config.site.name

    async def page(self, request: web.Request, person: AuthenticatedPerson) -> web.StreamResponse:
        """The person and the forms.

        A two-factor key is drawn each time, and kept once it is confirmed. That of a refused form stays.
        """
        me, key = await self._make.ask(AskMe, person), _key_sent(refused_on(request))
        key = key or secrets.token_bytes(KEY_BYTES)
        link = invitation(key, person.login, self._site)
        shown: dict[str, Any] = {
            "me": me,
            "digits": me.digits,
            "new_key": b32encode(key).decode(),
            "link": link,
            "drawing": drawing(link),
            "tokens": [],
            "days_max": TOKEN_DAYS_MAX,
            "least": SECRET_MIN,
        }
        if person.roles:
            found = await self._make.ask(AskTokens, person)
            shown["tokens"] = [one for one in found.tokens if one.person == person.id]
        return await self._make.page(request, person, "ops/account.html", **shown)

    async def change(self, request: web.Request, person: AuthenticatedPerson) -> web.StreamResponse:
        """POST: a form of the page that takes the password.

        The person stays signed in here, and nowhere else.
        """
        form = await form_of(request, SIGN_IN_MAX)
        kind = _ACTS.get(form.get("act", ""))
        if kind is None:
            raise web.HTTPNotFound(text="there is no such act\n")
        act, fields = name_of(kind), {name: form[name] for name in kind.__struct_fields__ if form.get(name)}
        try:
            if form.get("again", form.get("new")) != form.get("new"):
                raise BadRequest(NOT_TWICE)
            asked = act_of(kind, fields, person)
            await self._acts.carry_out(
                with_idempotency_key(asked, person, form.get("key") or secrets.token_hex(16))
            )
        except ServerError as error:
            return await self._make.come_back(request, error, form, ACCOUNT)
        signed = await self._access.auth.begin(person)
        answer = there(
            saying(ACCOUNT, translate(self._make.language(request), DOINGS[act].done), signed.token)
        )
        await self._access.keep(request, answer, signed.token, person.login)
        return answer


def _key_sent(refused: FormRefusal | None) -> bytes | None:
    """The two-factor key of a refused form, which a phone may have taken; None if it has none."""
    sent = next(iter(refused.typed.get("totp_key", ())), "") if refused else ""
    try:
        key = b32decode(sent)
    except ValueError:
        return None
    return key if len(key) == KEY_BYTES else None
