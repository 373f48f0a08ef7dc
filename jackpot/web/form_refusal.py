"""Refusal of a form: the page that it came from shows the problem at its field, with what was typed.

The page is rendered again as it stands now. So it says also what has changed meanwhile.
"""

from collections.abc import Collection, Mapping
from typing import Final, NamedTuple

from aiohttp import hdrs, web
from multidict import MultiDict, MultiMapping
from yarl import URL

from jackpot.api.operation import NotDone
from jackpot.rules.codes import OF_ACTS
from jackpot.runtime.errors import ServerError
from jackpot.text import RefusalSentence

# Hidden fields of each form: its id within its page, and the page that it stands on.
FORM_ID: Final = "form"
FORM_PAGE: Final = "here"
# The fields of a second person who signs on the first one's screen.
SECOND: Final = ("second_login", "second_secret", "second_totp")
# What is never written into a page again: secrets, who the second person is, and what a page draws anew.
_NEVER_AGAIN: Final = frozenset({*SECOND, "secret", "totp", "new", "again", "page", "key"})
# What the API calls the second person, as a form calls them.
_AS_IN_FORMS: Final[Mapping[str, str]] = {"and_by": SECOND[0]}


class FormRefusal(NamedTuple):
    """A refused form. form: its id. field: the name of the field that is wrong, "" for none.

    typed: what was typed into it, by field. signed: a second person signed it, and signs anew.
    """

    form: str
    field: str
    refusal: NotDone
    typed: Mapping[str, Collection[str]]
    signed: bool

    @property
    def status(self) -> int:
        """The status of the page that shows it."""
        return OF_ACTS[self.refusal.code].status


_UNREAD: Final = web.RequestKey("unread request", web.Request)
_REFUSED: Final = web.RequestKey("refused form", FormRefusal)


def form_refusal(form: MultiMapping[str], error: ServerError, field: str = "") -> FormRefusal:
    """The refusal of that form. field: the wrong one, if the error does not say it."""
    refusal = error if isinstance(error, NotDone) else NotDone(error.code, error.message)
    named = refusal.message.field if isinstance(refusal.message, RefusalSentence) else ""
    typed = {name: form.getall(name) for name in form if name not in _NEVER_AGAIN}
    wrong = field or _AS_IN_FORMS.get(named, named)
    return FormRefusal(form.get(FORM_ID, ""), wrong, refusal, typed, bool(form.get(SECOND[0])))


def remember_unread(request: web.Request) -> None:
    """Keeps a copy of a request whose body nobody has read: of it a request for a page can be made."""
    request[_UNREAD] = request.clone()


def refused_on(request: web.Request) -> FormRefusal | None:
    """The refused form that the page of this request shows."""
    return request.get(_REFUSED)


def show_refused(request: web.Request, form: str, error: ServerError) -> None:
    """Has the page of this request show that its own form, which only asks, is refused."""
    request[_REFUSED] = form_refusal(MultiDict({**request.query, FORM_ID: form}), error)


async def page_of_form(request: web.Request, at: str, refused: FormRefusal) -> web.StreamResponse:
    """The page at that address, which shows the refused form, or the one that led to this page.

    at: a page of ours, with its query.
    """
    asked = request[_UNREAD]
    again = asked.clone(method=hdrs.METH_GET, rel_url=URL(at, encoded=True))
    again[_UNREAD], again[_REFUSED] = asked, refused_on(request) or refused
    found = await request.app.router.resolve(again)
    again.match_info.clear()
    again.match_info.update(found)
    answer = await found.handler(again)
    # A browser that reloads this page asks for it, and sends no form again.
    answer.headers["HX-Replace-Url"] = at
    return answer
