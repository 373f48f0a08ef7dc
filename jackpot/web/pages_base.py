"""Base of the pages: sign-in and sign-out, and the rendering of pages for people who have signed in."""

import hashlib
import secrets
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import suppress
from http import HTTPStatus
from typing import Any, Final, NamedTuple
from urllib.parse import quote, urlencode, urlsplit

import msgspec
from aiohttp import hdrs, web
from jinja2 import pass_context
from jinja2.runtime import Context
from multidict import MultiDict, MultiMapping

from jackpot.api.executor import OperationExecutor
from jackpot.api.http_call import question_of
from jackpot.api.operation import QUOTED_MAX, Money, NotDone, Query
from jackpot.api.queries.alarms import Alarm, AskAlarms
from jackpot.api.queries.hits import AskWaitingHits, Hit
from jackpot.api.queries.requests import AskRequests, Waiting
from jackpot.auth.auth_service import NOBODY_YET, SECRET_MIN, AuthenticatedPerson
from jackpot.bank.bank import BankStopped
from jackpot.config import Config, titles_of
from jackpot.config.languages import ENGLISH, PAGES, is_told, offered, translate
from jackpot.config.languages import words as catalogue
from jackpot.config.writing import Writing, moment
from jackpot.ledger.store import LedgerError
from jackpot.rules.acts import ACTS
from jackpot.rules.codes import OF_ACTS, Code
from jackpot.rules.money import of_decimal, to_cents
from jackpot.rules.phrases import quoted
from jackpot.rules.signing import SITE
from jackpot.runtime.errors import Denied, ServerError
from jackpot.text import RefusalSentence, Sentence, Sum, card, game, joined, without_rules, words
from jackpot.web import act_labels
from jackpot.web.authentication import (
    SAFE_METHODS,
    Forged,
    InsecureRequest,
    RequestAuthentication,
    check_origin,
    message_signature,
    page_token,
)
from jackpot.web.form_refusal import FormRefusal, form_refusal, page_of_form, refused_on, remember_unread
from jackpot.web.forms import SIGN_IN_MAX, form_of
from jackpot.web.language_choice import asked_by, choose, chosen
from jackpot.web.sign_pages import SECURITY, asked_in, html, say, templates, written_in
from jackpot.web.waiting_order import owes_meter, rank, waited

Map = dict[str, Any]
Page = Callable[[web.Request, AuthenticatedPerson], Awaitable[web.StreamResponse]]

HOME: Final = "/ops"
FLOOR: Final = "/ops/floor"
LANGUAGE: Final = "/ops/language"
HITS: Final = "/ops/hits"
LAB: Final = "/ops/lab"
LINKS: Final = "/ops/links"
PEOPLE: Final = "/ops/people"
ALARMS: Final = "/ops/alarms"
REPORTS: Final = "/ops/reports"
REQUESTS: Final = "/ops/requests"
TABLES: Final = "/ops/tables"
SIGN_IN: Final = "/ops/sign-in"
WAITING: Final = "/ops/waiting"
# A page of ours sends its forms here and nowhere else; for the rest it is as strict as a sign's.
_POLICY: Final = SECURITY["Content-Security-Policy"].replace("form-action 'none'", "form-action 'self'")
# Who may ask for each act; a button that only refuses is none.
_POWER: Final[Mapping[str, tuple[str, ...]]] = {act.name: act.power for act in ACTS}
# Where to look for what is not at an address.
LISTS: Final = {HITS: "All hits", LINKS: "All links", PEOPLE: "All people", REPORTS: "All reports"}
# Fields whose name in the API says too little to people; the others are called by it, in words.
FIELDS: Final[Mapping[str, str]] = {
    "by": "Who asks",
    "document": "Number of the payout form",
    "first": "From the gaming day",
    "last": "To the gaming day",
    "left": "What an undo left",
    "on": "Wager on",
    "second_login": "Second person",
    "seen": "What was shown",
    "tax_number": "Number of the tax form",
    "way": "Way of payment",
    "way_number": "Number of the slip, cheque or account",
    "other_way": "Another way, for a part",
    "other_number": "Number of that slip, cheque or account",
    "other_sum": "Sum given that way",
    "to": "To which link",
    "totp": "Two-factor code",
}
# How an address is answered at which nothing can be: mistyped, or there is no such thing.
_NOT_HERE: Final = (400, 404)
# What a form that was sent comes back with: a sentence, and what shows that it is ours.
SAID: Final = ("said", "word")


# Pages that show every hit that waits; the others have one line that leads there.
LISTED_WHOLE: Final = frozenset({HOME, HITS})
# Pages about something that people wait for: each says when what it shows is no longer so.
_WAITED_FOR: Final = frozenset({HITS, LINKS, TABLES, REQUESTS, ALARMS, PEOPLE})
# Parts that a page asks for by itself: they keep no session, and a session that has ended is told so.
_PARTS: Final = frozenset({WAITING, FLOOR})
# By this header a page says which mark it was made with.
_SHOWN: Final = "X-Shown"
# Hits of one list: more than a floor's people work at in a shift, and a page that a phone draws at once.
WAITING_SHOWN_MAX: Final = 50


class PageContext(NamedTuple):
    """Context that templates are rendered with. money: how the site writes sums."""

    acts: OperationExecutor
    access: RequestAuthentication
    config: Config
    money: Writing


class WaitingWork(NamedTuple):
    """Work that waits for people. hits: in the order of `waiting_rank`. now: unix milliseconds.

    others: the hits besides the one whose own page it is. whole: the page shows each hit.
    """

    hits: Sequence[Hit]
    others: Sequence[Hit] = ()
    whole: bool = False
    now: int = 0
    alarms: Sequence[Alarm] = ()
    requests: Sequence[Waiting] = ()
    page: str = ""

    @property
    def about(self) -> Sequence[Waiting]:
        """The requests about what the page shows."""
        return [one for one in self.requests if one.request and self._is_here(one)]

    @property
    def mark(self) -> str:
        """Digest of what waits on the page: another one says that the page is old. "" where nothing may."""
        hits = [hit for hit in self.hits if _hit_page(hit) == self.page]
        kind = "/".join(self.page.split("/")[:3])
        if kind not in _WAITED_FOR:
            return ""
        asked = [
            (one.bank, one.request, one.table, one.round, one.acked, one.fields.get("seat"))
            for one in self.requests
        ]
        about = [(one.bank, one.request) for one in self.about]
        shown = (hits, asked if kind == REQUESTS else about, self._raised if kind == ALARMS else ())
        return hashlib.sha256(msgspec.json.encode(shown)).hexdigest()

    @property
    def _raised(self) -> Sequence[tuple[str, str]]:
        return [(one.bank, one.alarm) for one in self.alarms]

    def _is_here(self, one: Waiting) -> bool:
        """Whether a request is about what the page shows."""
        if self.page.startswith(PEOPLE):
            return one.bank == SITE
        fields = one.fields
        links = {fields.get("link"), fields.get("to"), *fields.get("links", ())}
        pages = {f"{HITS}/{path(one.bank)}/{fields.get('hit')}", f"{TABLES}/{fields.get('table')}"}
        return self.page in pages | {f"{LINKS}/{path(str(link))}" for link in links}

    @property
    def newest(self) -> Sequence[Hit]:
        """The newest hits that nobody has validated: what a page tells of."""
        pending = [hit for hit in self.hits if hit.status == "pending"]
        return sorted(pending, key=lambda hit: hit.at)[-WAITING_SHOWN_MAX:]

    @property
    def highest(self) -> Money:
        """The largest sum that is not paid yet, of the other hits."""
        return max((hit.left for hit in self.others), key=of_decimal, default="0.00")

    @property
    def longest_ms(self) -> int:
        """How long the oldest of the other hits has waited."""
        return self.now - min((hit.at for hit in self.others), default=self.now)


def _hit_page(hit: Hit) -> str:
    """The path of a hit's page."""
    return f"{HITS}/{path(hit.bank)}/{hit.hit}"


def is_of_meter(hit: Hit) -> bool:
    """Whether an award of a meter is not paid yet."""
    return owes_meter((award.kind, award.status) for award in hit.awards)


def waiting_rank(hit: Hit) -> tuple[bool, int, int]:
    """The place of a hit that waits."""
    return rank(of_meter=is_of_meter(hit), left=of_decimal(hit.left), at=hit.at)


class PageRenderer:
    """Renders pages, and signs people in."""

    def __init__(self, front: PageContext) -> None:
        self._acts, self._access = front.acts, front.access
        self._config, self._money = front.config, front.money
        self._titles = titles_of(front.config.displays)
        self._way = written_in(front.config.site.locale, front.config.site.currency)
        self._templates = templates()
        self._templates.filters |= {
            "money": self._sum,
            "exact": self._exact,
            "when": self._moment,
            "words": words,
            "path": path,
            "sentence": sentence,
            "clock": clock,
            "waited": waited,
            "card": card,
            "game": game,
            "doing": act_labels.title,
            "causes": act_labels.causes,
            "placed": self._placed,
            "without_rules": without_rules,
            "titled": self._title,
            "levelled": self._level,
            "called": called,
        }
        self._templates.tests["of_meter"] = is_of_meter
        self._templates.globals["waiting_max"] = WAITING_SHOWN_MAX
        self._templates.globals |= {
            "tongue": tongue,
            "titles": titles,
            "answer": self._answer,
            "in_english": self._in_english,
        }
        self._templates.globals["of_code"] = OF_ACTS.__getitem__

    async def listener(self, request: web.Request) -> web.StreamResponse:
        """GET: the sign-in page, or how the first people are made."""
        try:
            problem = NOBODY_YET if await self._access.auth.is_nobodys() else ""
        except LedgerError:  # a stranger is not told where it is
            about = OF_ACTS[Code.LEDGER]
            return self._sign_in_page(request, request.query, about.means, about.status)
        return self._sign_in_page(request, request.query, problem)

    async def sign_in(self, request: web.Request) -> web.StreamResponse:
        """POST: begins a session. first: the one-time code with which a person chooses their own secret."""
        form = MultiDict[str]()
        try:
            self._access.check_way(request)
            check_origin(request)
            form = await form_of(request, SIGN_IN_MAX)
            login, secret, first = (form.get(name, "") for name in ("login", "secret", "first"))
            auth, place = self._access.auth, await self._access.place(request, login)
            if first:
                signed = await auth.choose(login, first, secret, place)
            else:
                signed = await auth.sign_in(login, secret, form.get("totp", ""), place)
        except InsecureRequest as error:
            return self._sign_in_page(request, form, str(error), 403)
        except ServerError as error:
            return self._sign_in_page(request, form, error.message, 403)
        except Forged as error:
            return self._sign_in_page(request, form, str(error), 403)
        except LedgerError:  # a stranger is not told where it is
            about = OF_ACTS[Code.LEDGER]
            return self._sign_in_page(request, form, about.means, about.status)
        answer = there(back_to(form.get("back", "")))
        await self._access.keep(request, answer, signed.token, signed.person.login)
        return answer

    async def choose_language(self, request: web.Request, _person: AuthenticatedPerson) -> web.StreamResponse:
        """POST: the person's language on this screen; then the page that they came from."""
        form = await form_of(request)
        language = form.get("language", "")
        if language not in offered():
            raise NotDone(
                Code.BAD_REQUEST, RefusalSentence("{language} is no language here", language=quoted(language))
            )
        answer = there(back_to(form.get("back", "")))
        choose(request, answer, language, secure=self._access.encrypted(request))
        return answer

    async def sign_out(self, request: web.Request, _person: AuthenticatedPerson) -> web.StreamResponse:
        """POST: ends the session."""
        if (session := self._access.session(request)) is not None:
            with suppress(BankStopped):  # the session is over all the same: nothing is kept of it here
                await self._access.auth.sign_out(session)
        answer = there(SIGN_IN)
        self._access.forget(answer)
        return answer

    def _sign_in_page(
        self, request: web.Request, given: Mapping[str, str], problem: str = "", status: int = HTTPStatus.OK
    ) -> web.StreamResponse:
        """The sign-in page. given: what the address says, or the refused form; its secret is typed again."""
        if status == HTTPStatus.OK:
            try:
                self._access.check_way(request)
            except InsecureRequest as error:
                problem, status = str(error), 403
        asked = self._sign_in_context(request, given) | {"problem": problem}
        return self.html(request, "ops/sign-in.html", asked, status)

    def _sign_in_context(self, request: web.Request, given: Mapping[str, str]) -> Map:
        return {
            "back": back_to(given.get("back", "")),
            "login": given.get("login", ""),
            "first": bool(given.get("first")),
            "ended": bool(given.get("ended")),
            "least": SECRET_MIN,
            "plain": not self._access.encrypted(request),
        }

    def signed(self, page: Page) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
        """A page for people who have signed in; a refusal is a page too."""

        async def answer(request: web.Request) -> web.StreamResponse:
            if refused_on(request) is None:
                remember_unread(request)
            try:
                person = await self._access.person(request, used=request.path not in _PARTS)
            except InsecureRequest as error:
                return self._sign_in_page(request, request.query, str(error), 403)
            except Denied:
                if request.path in _PARTS:
                    return web.Response(status=HTTPStatus.UNAUTHORIZED)
                over = "&ended=yes" if self._access.session(request) is not None else ""
                return there(f"{SIGN_IN}?back={quote(_sent_from(request))}{over}")
            except Forged as error:
                return self._sign_in_page(request, {}, str(error), 403)
            except LedgerError:
                about, back = OF_ACTS[Code.LEDGER], _sent_from(request)
                return self._sign_in_page(
                    request, {"back": back}, about.means, about.status
                )  # to nobody known
            asked_by(request, person.id)
            try:
                return await page(request, person)
            except NotDone as refusal:
                return await self._problem(request, person, refusal)
            except ServerError as error:
                return await self._problem(request, person, NotDone(error.code, error.message))
            except LedgerError as error:
                return await self._problem(request, person, NotDone(Code.LEDGER, str(error)))

        return answer

    async def _problem(
        self, request: web.Request, person: AuthenticatedPerson, refusal: NotDone, status: int | None = None
    ) -> web.StreamResponse:
        """Why it was refused, and where to go on: the form again, or the list of what was looked for."""
        sent = refused_on(request)
        refusal = refusal if sent is None else sent.refusal  # the page of the form cannot be shown
        about = OF_ACTS[refusal.code]
        looked = request.method in SAFE_METHODS and sent is None
        shown: Map = {"refusal": refusal, "about": about, "looked": looked}
        if looked:
            kind = "/".join(request.path.split("/")[:3])
            # Who may not look at something may mostly not look at its list either.
            listed = kind in LISTS and about.status != HTTPStatus.FORBIDDEN
            shown["back"], shown["back_is"] = (kind, LISTS[kind]) if listed else (HOME, Sentence("The floor"))
            shown["looked"] = (status or about.status) in _NOT_HERE
            shown["listed"], shown["banked"] = kind in LISTS, kind in (HITS, LINKS)
        else:
            form = {} if sent else await form_of(request)
            back = request.path_qs if sent else back_to(form.get("back", ""))
            shown |= {"back": back, "back_is": Sentence("Back")}
        return await self.page(request, person, "ops/problem.html", status or about.status, **shown)

    async def come_back(
        self,
        request: web.Request,
        error: ServerError | LedgerError,
        form: MultiMapping[str],
        at: str,
        field: str = "",
    ) -> web.StreamResponse:
        """The page that a refused form was sent from, with the problem at its field and what was typed.

        field: the wrong one, if the error does not say it.
        """
        known = error if isinstance(error, ServerError) else NotDone(Code.LEDGER, str(error))
        return await page_of_form(request, back_to(at), form_refusal(form, known, field))

    async def nowhere(self, request: web.Request, person: AuthenticatedPerson) -> web.StreamResponse:
        """The page for an address at which there is none."""
        refusal = NotDone(
            Code.BAD_REQUEST, RefusalSentence("there is no page {path}", path=request.path[:QUOTED_MAX])
        )
        return await self._problem(request, person, refusal, 404)

    async def ask(self, kind: type[Query], /, *who: AuthenticatedPerson, **fields: str) -> Any:
        """The reply to a query. who: asks it, if not everybody may. Raises BadRequest, NotDone."""
        return await self._acts.carry_out(question_of(kind, fields, *who))

    async def waiting(self, at: str) -> WaitingWork:
        """What waits for people, of all banks that are here; another server's pages show what is there.

        at: the path of the page that shows it.
        """
        hits: list[Hit] = []
        for bank in self._config.banks:
            with suppress(NotDone):
                hits += (await self.ask(AskWaitingHits, bank=bank)).hits
        ranked = sorted(hits, key=waiting_rank)
        others = [hit for hit in ranked if _hit_page(hit) != at]
        found = WaitingWork(ranked, others, at in LISTED_WHOLE, self._access.auth.clock.unix_ms(), page=at)
        with suppress(NotDone):
            found = found._replace(alarms=(await self.ask(AskAlarms)).alarms)
        with suppress(NotDone):
            found = found._replace(requests=(await self.ask(AskRequests)).requests)
        return found

    async def part(self, request: web.Request, _person: AuthenticatedPerson) -> web.StreamResponse:
        """The part of every page that shows what waits; it is asked for again when the floor changes."""
        waiting = await self.waiting(_asked_from(request))
        shown = request.headers.get(_SHOWN, "")
        changed = shown not in ("", waiting.mark)
        return self.html(request, "ops/waiting.html", {"waiting": waiting, "changed": changed})

    async def page(
        self, request: web.Request, person: AuthenticatedPerson, name: str, status: int = 200, **shown: Any
    ) -> web.StreamResponse:
        """A whole page for a person."""
        session, sent = self._access.session(request), refused_on(request)
        if sent is not None:
            status = sent.status
        shown |= {
            "person": person,
            "path": request.path,
            "here": request.path_qs.partition("?said=")[0].partition("&said=")[0],
            "said": _said(request, session),
            "waiting": await self.waiting(request.rel_url.raw_path),
            "changed": False,
            "token": page_token(session) if session else "",
            "key": lambda: secrets.token_hex(16),
            "may": lambda act: not set(_POWER[act]).isdisjoint(person.roles),
            "who": _POWER.__getitem__,
            "sent": sent,
            **_of_refused(sent),
        }
        return self.html(request, name, shown, status)

    def html(self, request: web.Request, name: str, shown: Map, status: int = 200) -> web.StreamResponse:
        """Renders a template in the language of the page."""
        language = self.language(request)
        common = {
            "site": self._config.site.name,
            "language": language,
            "languages": offered(),
            "displays": self._config.displays,
            "settings": msgspec.json.encode({"money": self._way, "words": catalogue(language)}).decode(),
        }
        answer = html(self._templates.get_template(name).render(**common | shown).encode())
        answer.set_status(status)
        answer.headers["Content-Security-Policy"] = _POLICY
        answer.headers["Vary"] = hdrs.ACCEPT_LANGUAGE
        answer.headers["Referrer-Policy"] = "same-origin"  # else a browser calls a form's origin `null`
        return answer

    def language(self, request: web.Request) -> str:
        """The language of the page: the person's choice, the browser's if it is offered, or the site's."""
        return chosen(request) or asked_in(request, self._config.site.locale)

    def _title(self, link: str) -> str:
        """A link's title; the id of one that is no longer configured."""
        return self._titles.get(link, link)

    @pass_context
    def _level(self, context: Context, level: str, link: str) -> str:
        """A level's title, in the page's language."""
        display = self._config.displays.get(link)
        return say(context, display.levels.get(level, level) if display else level)

    @pass_context
    def _answer(self, context: Context, text: str, *, named: bool = True) -> str | None:
        """As `answer`, with sums and links as the site writes them."""
        return answer(context, self._written(text), named=named)

    def _in_english(self, text: str, *, named: bool = True) -> str:
        """As `in_english`, with sums and links as the site writes them."""
        return in_english(self._written(text), named=named)

    def _written(self, text: str) -> str:
        """A sentence whose sums are written as the site writes them, and its links by their titles."""
        if isinstance(text, Sum):
            return self._exact(text)
        if not isinstance(text, Sentence):
            return text
        values = {
            name: self._written(value) if isinstance(value, str) else value
            for name, value in text.values.items()
        }
        if isinstance(link := values.get("link"), str):
            values["link"] = self._title(link)
        return text.with_values(values)

    def _placed(self, place: str) -> Sentence:
        """Where an alarm is: what it is, and its name, as `alarms.place` says it; a link by its title."""
        kind, between, name = place.partition(" ")
        return joined([Sentence(kind), self._title(name) if kind == "link" else name], between)

    def _sum(self, amount: str) -> str:
        return self._money.text(to_cents(of_decimal(amount)))

    def _exact(self, amount: str) -> str:
        """A sum, to the micro-dollar if it has a fraction of a cent."""
        return self._money.exact(of_decimal(amount))

    def _moment(self, unix_ms: int) -> str:
        return moment(unix_ms, self._config.site.timezone)


@pass_context
def called(context: Context, field: str) -> str:
    """What pages call a field, in the page's language."""
    return say(context, FIELDS.get(field) or words(field))


@pass_context
def titles(context: Context, roles: Sequence[str], between: str = ", ") -> str:
    """Roles in the page's language."""
    return between.join(say(context, role) for role in roles)


@pass_context
def answer(context: Context, text: str, *, named: bool = True) -> str | None:
    """A refusal in the page's language; None if it is there in English alone, and on an English page.

    named: as in `in_english`.
    """
    language: str = context.get("language", ENGLISH)
    return _refusal_in(language, text, named=named) if is_told(language, text) else None


def in_english(text: str, *, named: bool = True) -> str:
    """A refusal in English. named: it begins with what the page calls its field; else it stands at that."""
    return _refusal_in(ENGLISH, text, named=named)


def _refusal_in(language: str, text: str, *, named: bool) -> str:
    """A refusal; its field is called as on pages, and not as in the API."""
    if not isinstance(text, RefusalSentence) or not text.field:
        return _begun(translate(language, text), text)
    field = translate(language, FIELDS.get(text.field) or words(text.field))
    called = RefusalSentence(text.plain, field=field, template=text.template, **text.values)
    said = translate(language, called)
    rest = _begun(said.removeprefix(f"{field}: "), text)
    # Who asks is no field that somebody fills in on a page.
    named = named and text.field != "by"
    return f"{field}: {rest}" if named and said.startswith(f"{field}: ") else rest


def _begun(said: str, text: str) -> str:
    """A refusal with a capital letter; an id that it begins with stays as it is. text: the refusal itself."""
    values = text.values.values() if isinstance(text, Sentence) else ()
    ids = (one for one in values if isinstance(one, str) and not isinstance(one, Sentence) and " " not in one)
    return said if any(said.startswith(f"{one} ") for one in ids if one) else sentence(said)


def _of_refused(sent: FormRefusal | None) -> Map:
    """What the forms of a page ask about the refused one; form: the id of the form that asks."""

    def of(form: str) -> FormRefusal | None:
        return sent if sent is not None and sent.form == form else None

    def typed(form: str, field: str) -> Collection[str]:
        """What was typed there; empty if nothing was, or another form was sent."""
        return found.typed.get(field, ()) if (found := of(form)) else ()

    def wrong(form: str, field: str) -> str:
        """What is wrong with the field; "" if nothing is."""
        return found.refusal.message if (found := of(form)) and found.field == field else ""

    return {"came_back": of, "typed": typed, "wrong": wrong}


@pass_context
def tongue(context: Context, text: str) -> str:
    """The language in which `say` says it: English if no catalogue has it."""
    language: str = context.get("language", ENGLISH)
    if isinstance(text, Sentence):
        text = text.plain
    return language if text in catalogue(language, PAGES) else ENGLISH


def sentence(text: str) -> str:
    """A text of ours with a capital letter, as the beginning of a sentence."""
    return text[:1].upper() + text[1:]


def clock(ms: int) -> str:
    """Remaining time in minutes and seconds; a page counts on from there."""
    seconds = ms // 1000
    return f"{seconds // 60}:{seconds % 60:02}"


def path(part: str) -> str:
    """A path segment of an address."""
    return quote(part, safe="")


def back_to(given: str) -> str:
    """The page that a form came from, if it is ours."""
    ours = given == HOME or given.startswith((f"{HOME}/", f"{HOME}?"))
    return given if ours and "\\" not in given and given.isprintable() else HOME


def _sent_from(request: web.Request) -> str:
    """The page that was asked for, or that a form was sent from. The form itself is not read."""
    if request.method == hdrs.METH_POST:
        sent = urlsplit(request.headers.get(hdrs.REFERER, ""))
        return back_to(f"{sent.path}?{sent.query}" if sent.query else sent.path)
    return request.path_qs


def there(at: str) -> web.Response:
    return web.Response(status=303, headers={hdrs.LOCATION: at, hdrs.CACHE_CONTROL: "no-store"})


def saying(back: str, said: str, session: str | None) -> str:
    """A page's address, with the message that the page shows first."""
    told = zip(SAID, (said, message_signature(session or "", said)), strict=True)
    return f"{back}{'&' if '?' in back else '?'}{urlencode(list(told), quote_via=quote)}"


def _asked_from(request: web.Request) -> str:
    """The path of the page that asks for a part of itself, as its script says; "" if it says none."""
    with suppress(ValueError):  # a header may be any text
        return urlsplit(request.headers.get("HX-Current-URL", "")).path
    return ""


def _said(request: web.Request, session: str | None) -> str:
    said, word = (request.query.get(name, "") for name in SAID)
    ours = session is not None and message_signature(session, said) == word
    return said if ours else ""
