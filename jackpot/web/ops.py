"""Operations pages below /ops, for people who have signed in, made of what the API answers.

A page asks and acts as any program does: its forms name an act and carry its fields. So a page can do nothing
that the API cannot, and is told the same refusals.
"""

import secrets
from collections.abc import Collection, Iterator, Mapping
from functools import cache
from typing import Any, Final, NamedTuple, get_origin, get_type_hints
from urllib.parse import urlencode

from aiohttp import web
from msgspec import UNSET
from multidict import MultiDict

from controllers.answers import Notice
from jackpot.api.act_reply import ActReply
from jackpot.api.http_call import act_of, with_idempotency_key
from jackpot.api.operation import QUOTED_MAX, NotDone, Reply, ServerCommand, name_of
from jackpot.api.preview import AskPreview
from jackpot.api.queries.alarms import AskAlarms
from jackpot.api.queries.hits import AskHit, AskHits, Award, Hit, Taxes
from jackpot.api.queries.journal import AskJournal, AskReadings
from jackpot.api.queries.links import AskLink, AskLinks, Link
from jackpot.api.queries.notices import Announce, AnnouncePayoutLimit
from jackpot.api.queries.people import AskPeople, AskTokens, NewToken, OneTimeCode
from jackpot.api.queries.programs import AskPrograms
from jackpot.api.queries.requests import AskRequests
from jackpot.api.queries.tables import AskTable, Table
from jackpot.api.registry import ASKED_ACTS
from jackpot.auth.auth_service import AuthenticatedPerson
from jackpot.catalogue import parse_rate
from jackpot.config.languages import translate
from jackpot.config.posting import posted, with_running_cycles
from jackpot.config.writing import Writing
from jackpot.ledger.store import LedgerError
from jackpot.reports.winners import URGENT
from jackpot.rules import registry
from jackpot.rules.acts.hits import payers
from jackpot.rules.acts.links import RESTORED
from jackpot.rules.acts.programs import PROGRAM_REASON
from jackpot.rules.codes import Code
from jackpot.rules.commands import ActCommand
from jackpot.rules.money import decimal, from_cents, of_decimal, to_cents
from jackpot.rules.phrases import quoted
from jackpot.rules.signing import ROLES, Role
from jackpot.rules.void_causes import CAUSES
from jackpot.runtime.errors import Denied, ServerError
from jackpot.text import RefusalSentence, Sentence, both, words
from jackpot.web import chart
from jackpot.web.account import ACCOUNT, Account
from jackpot.web.act_labels import DOINGS, WAITS
from jackpot.web.authentication import CSRF_FIELD
from jackpot.web.director import DIRECTOR, Director
from jackpot.web.form_refusal import FORM_ID, FORM_PAGE, SECOND, show_refused
from jackpot.web.forms import form_of, sum_of
from jackpot.web.lab import Lab
from jackpot.web.overview import Overview
from jackpot.web.pages_base import (
    FLOOR,
    HITS,
    HOME,
    LAB,
    LANGUAGE,
    LINKS,
    PEOPLE,
    REPORTS,
    SIGN_IN,
    WAITING,
    Page,
    PageContext,
    PageRenderer,
    back_to,
    path,
    saying,
    there,
)
from jackpot.web.posted import Announced, posted_table
from jackpot.web.reports import Reports
from jackpot.web.table_order import Key, order_of
from jackpot.web.what_if import WHAT_IF, WhatIf, WhatIfJobs

# Fields of a form that are not an act's own.
_OURS: Final = frozenset({CSRF_FIELD, "key", "back", "what", FORM_ID, FORM_PAGE, *SECOND})
_ACTS: Final = {name_of(kind): kind for kind in ASKED_ACTS}
# What a form asks to see the doing of, besides the hit or link that it is about.
_LOOKED_AT: Final = (
    "act", "level", "account", "amount", "to", "day", "award", "document", "way", "left", "remove",
)  # fmt: skip
# What is looked at before it is done on the page of a hit, and on that of a link.
_OF_HIT: Final = frozenset({"undo", "correct"})
_OF_LINK: Final = frozenset({"correct-meter", "decide-left", "transfer", "close-link", "announce-end"})
# The sum that each of them asks for: what the page calls it, and whether it is a change, with a sign.
_SUMS: Final = {
    "correct": (Sentence("The right amount"), False),
    "correct-meter": (Sentence("Amount"), True),
}
# The sums that a payment may say, and what the page calls them.
_PAYMENT_SUMS: Final = {"withheld": Sentence("Withheld"), "other_sum": Sentence("Sum given that way")}
# The sums of a notice.
_ANNOUNCED: Final = {"amount": Sentence("The lower limit"), "seed": Sentence("The sum with which it begins")}
# How the name of a field begins that asks for the highest shown value of a level: its link and level follow.
_SHOWN: Final = "highest."
# The fields by which people search the journal.
_SEARCHED: Final = ("kind", "table", "person", "hit", "day")
# What an entry of the journal may be, as people search for it.
_KINDS: Final = sorted(registry.name_of(kind) for kind in registry.KINDS)
# What is written on papers where the hand is seen; a site may want it there before a payment.
_SEEN: Final = ("dealer", "witness", "surveillance")
# Replies that are for no address, which browser and proxy keep, and the page that shows each.
_SHOWN_ONCE: Final[dict[type[Reply], str]] = {OneTimeCode: "ops/code.html", NewToken: "ops/token.html"}
# Hits of one page: as many as a level shows (S1).
_HITS: Final = "25"
# By the name of a column, what a table is sorted by.
_HIT_KEYS: Final[Mapping[str, Key]] = {
    "hit": lambda hit: int(hit.hit[1:]),
    "amount": lambda hit: of_decimal(hit.amount),
    "status": lambda hit: hit.status,
    "hand": lambda hit: hit.hand,
    "table": lambda hit: hit.table,
    "when": lambda hit: hit.at,
    "link": lambda hit: hit.link,
    "cycle": lambda hit: hit.cycle,
}
_PERSON_KEYS: Final[Mapping[str, Key]] = {
    "name": lambda one: one.name,
    "status": lambda one: "ended" if one.ended else "active" if one.secret else "without",
    "roles": lambda one: " ".join(one.roles),
    "last": lambda one: one.last_sign_in,
    "login": lambda one: one.login,
}
# Gaming days that a meter's history shows.
_DAYS: Final = "90"


def routes(front: PageContext, overview: Overview, reports: Reports, jobs: WhatIfJobs) -> list[web.RouteDef]:
    """The routes below /ops."""
    make = PageRenderer(front)
    what_if = WhatIf(make, jobs, front.config, front.money)
    director = Director(make, reports, front.money)
    pages, lab, account = Pages(front, make, overview), Lab(make, front), Account(make, front)
    shown: dict[str, Page] = {
        HOME: pages.home,
        FLOOR: pages.floor,
        HITS: pages.hits,
        "/ops/hits/{hit}": pages.hit_of_some_bank,
        "/ops/hits/{bank}/{hit}": pages.hit,
        "/ops/hits/{bank}/{hit}/preview": pages.about_hit,
        LINKS: pages.links,
        "/ops/links/{link}": pages.link,
        "/ops/links/{link}/preview": pages.about_link,
        "/ops/tables/{table}": pages.table,
        "/ops/requests": pages.requests,
        "/ops/alarms": pages.alarms,
        PEOPLE: pages.people,
        f"{PEOPLE}/{{person}}": pages.one_person,
        "/ops/journal": pages.journal,
        "/ops/readings": pages.readings,
        REPORTS: reports.all,
        "/ops/reports/{report}": reports.one,
        DIRECTOR: director.page,
        LAB: lab.page,
        WHAT_IF: what_if.page,
        f"{LAB}/{{picture}}.svg": lab.picture,
        WAITING: make.part,
        ACCOUNT: account.page,
    }
    return [
        *(web.get(at, make.signed(page)) for at, page in shown.items()),
        web.post("/ops/acts/{act}", make.signed(pages.act)),
        web.post(ACCOUNT, make.signed(account.change)),
        web.post("/ops/sign-out", make.signed(make.sign_out)),
        web.post(LANGUAGE, make.signed(make.choose_language)),
        web.get(SIGN_IN, make.listener),
        web.post(SIGN_IN, make.sign_in),
        web.get("/ops/{rest:.+}", make.signed(make.nowhere)),
    ]


class WinnerRow(NamedTuple):
    """A winner of a hit to be paid.

    amount: a decimal. due: it takes a tax form. envy: for another's hand. payers: the roles of which one pays
    it (A8). written: the fields on their papers. missing: of what is written where the hand is seen, what the
    site wants and is not there. taxes: what the law takes of it; None where the site's country has none here.
    wants: the fields that its payment takes, by the law or by the site.
    """

    seat: int
    amount: str
    status: str
    due: bool
    envy: bool
    payers: tuple[Role, ...]
    written: set[str]
    missing: list[str]
    taxes: Taxes | None
    wants: tuple[str, ...]

    def paid_by(self, person: AuthenticatedPerson) -> bool:
        """Whether that person may pay them."""
        return not set(self.payers).isdisjoint(person.roles)


class Pages:
    """Serves the operations pages."""

    def __init__(self, front: PageContext, make: PageRenderer, overview: Overview) -> None:
        self._acts, self._access = front.acts, front.access
        self._make = make
        self._overview = overview
        self._banks = front.config.banks
        self._money = front.money
        self._site = front.config.site
        self._config = front.config
        self._tables = sorted(table.table for table in front.config.tables)

    async def home(self, request: web.Request, person: AuthenticatedPerson) -> web.StreamResponse:
        """What waits, what is wrong, and how the floor stands."""
        return await self._make.page(request, person, "ops/home.html", **await self._floor())

    async def floor(self, request: web.Request, _person: AuthenticatedPerson) -> web.StreamResponse:
        """How the floor stands: a part of its page, which asks for it again when the floor changes."""
        shown = await self._floor() | {"waiting": await self._make.waiting(HOME)}
        return self._make.html(request, "ops/floor.html", shown)

    async def _floor(self) -> dict[str, Any]:
        """How the floor stands: its tables by name, and its links."""
        return {"floor": await self._overview.look(), "links": await self._make.ask(AskLinks)}

    async def hits(self, request: web.Request, person: AuthenticatedPerson) -> web.StreamResponse:
        """Every hit ever made, by pages."""
        bank = self._bank(request)
        page = await self._make.ask(AskHits, bank=bank, limit=_HITS, **_given(request, "before"))
        order = order_of(request)
        shown = {"page": page, "bank": bank, "banks": self._banks, "older": "before" in request.query}
        shown |= {"order": order, "hits": order.sorted(page.hits, _HIT_KEYS)}
        return await self._make.page(request, person, "ops/hits.html", **shown)

    async def hit(self, request: web.Request, person: AuthenticatedPerson) -> web.StreamResponse:
        """One hit, with the forms to work through it."""
        found = await self._make.ask(AskHit, person, **request.match_info)
        needs, least = self._site.payout_needs, self._site.plain_tax_from
        terms = self._site.tax_terms(self._access.auth.clock.unix_ms())
        shown = {
            "hit": found,
            "winners": list(_winners(found, least, needs, () if terms is None else terms.needs)),
            "taxed": terms is not None,
            "correctable": [award for award in found.awards if _corrects(award, person)],
            "seats": {award.award: award.seat for award in found.awards},
            "tax_from": decimal(from_cents(least or 0)),
            "needs": needs,
        }
        return await self._make.page(request, person, "ops/hit.html", **shown)

    async def hit_of_some_bank(self, request: web.Request, person: AuthenticatedPerson) -> web.StreamResponse:
        """Redirects to a hit that is named without its bank. Raises NotDone unless one bank alone has it."""
        wanted, having = request.match_info["hit"], list[str]()
        for bank in self._banks:
            try:
                await self._make.ask(AskHit, person, bank=bank, hit=wanted)
                having.append(bank)
            except NotDone as refusal:
                if refusal.code != Code.NO_SUCH_HIT:
                    raise
        if len(having) == 1:
            return there(f"{HITS}/{path(having[0])}/{wanted}")
        said = RefusalSentence("there is no {hit} in any bank", field="hit", hit=wanted)
        if having:
            plain = "{hit} is in several banks, {banks}: choose one"
            said = RefusalSentence(plain, field="hit", hit=wanted, banks=both(having))
        raise NotDone(Code.NO_SUCH_HIT, said)

    async def about_hit(self, request: web.Request, person: AuthenticatedPerson) -> web.StreamResponse:
        """A preview of an act on a hit, and the form that does it."""
        hit = await self._make.ask(AskHit, person, **request.match_info)
        elsewhere = _elsewhere(request, hit.hit, _OF_HIT, "award", {one.award for one in hit.awards})
        shown = await self._preview(request, elsewhere, bank=hit.bank, hit=hit.hit)
        if isinstance(shown, ServerError):
            at = f"{HITS}/{path(hit.bank)}/{path(hit.hit)}"
            return await self._make.come_back(request, shown, _looked_at(request), at)
        about = {"hit": hit, "link": None, "target": None}
        return await self._make.page(request, person, "ops/preview.html", **about, **shown)

    async def links(self, request: web.Request, person: AuthenticatedPerson) -> web.StreamResponse:
        """Every link, with what stands on its meters."""
        found = await self._make.ask(AskLinks)
        return await self._make.page(request, person, "ops/links.html", links=found)

    async def link(self, request: web.Request, person: AuthenticatedPerson) -> web.StreamResponse:
        """One link with everything that S1 requires."""
        found = await self._make.ask(AskLink, **request.match_info)
        read = await self._make.ask(AskReadings, bank=found.bank, limit=_DAYS)
        axes = chart.Axes(self._money, self._site.timezone)
        history = chart.lines(found, read.readings, self._access.auth.clock.unix_ms(), axes)
        others, program = await self._others(found), None
        if PROGRAM_REASON in found.reasons:
            (program,) = (await self._make.ask(AskPrograms, bank=found.bank)).programs
        restored: list[Link] = []
        if RESTORED in found.reasons:
            links = (await self._make.ask(AskLinks, bank=found.bank)).links
            restored = [one for one in links if RESTORED in one.reasons and one.state != "closed"]
        about = {"link": found, "history": history, "others": others, "program": program}
        about |= {"restored": restored}
        about |= {"order": order_of(request), "hit_keys": _HIT_KEYS}
        return await self._make.page(request, person, "ops/link.html", **about)

    async def about_link(self, request: web.Request, person: AuthenticatedPerson) -> web.StreamResponse:
        """A preview of an act on a link, and the form that does it."""
        link = await self._make.ask(AskLink, **request.match_info)
        elsewhere = _elsewhere(request, link.link, _OF_LINK, "left", {one.left for one in link.left})
        shown = await self._preview(request, elsewhere, bank=link.bank, link=link.link)
        about: dict[str, Any] = {"hit": None, "link": link, "target": None}
        if isinstance(shown, ServerError):
            others = {one.link: one for one in await self._others(link)}
            about["target"] = others.get(request.query.get("to", ""))
            if about["target"] is None or not _wants_levels(shown):
                at = f"{LINKS}/{path(link.link)}"
                return await self._make.come_back(request, shown, _looked_at(request), at)
            shown = self._unpreviewed(request, shown.message)
        return await self._make.page(request, person, "ops/preview.html", **about, **shown)

    async def _preview(
        self, request: web.Request, elsewhere: str, **about: str
    ) -> dict[str, Any] | ServerError:
        """The preview of the query's act, or why there is none. sent: the fields that do it.

        elsewhere: why the page is not about that, "" if it is.
        """
        shown = self._unpreviewed(request, elsewhere)
        if elsewhere:
            return shown
        given, levels = shown["given"], shown["levels"]
        try:
            given |= _amount(given, self._money)
            fields = about | given | ({"levels": ",".join(levels)} if levels else {})
            shown["found"] = await self._make.ask(AskPreview, **fields)
        except ServerError as error:
            return error
        own = {"bank", *_ACTS[given["act"]].__struct_fields__}
        return shown | {"sent_on": {name: value for name, value in (about | given).items() if name in own}}

    @staticmethod
    def _unpreviewed(request: web.Request, problem: str) -> dict[str, Any]:
        """A page without a preview, which asks for what is missing. problem: why there is none."""
        given, levels = _given(request, *_LOOKED_AT), request.query.getall("levels", [])
        return {"given": given, "levels": levels, "problem": problem, "found": None}

    async def _others(self, link: Link) -> list[Link]:
        """The other links of its bank that have not ended."""
        found = await self._make.ask(AskLinks, bank=link.bank)
        return [one for one in found.links if one.link != link.link and one.state != "closed"]

    async def table(self, request: web.Request, person: AuthenticatedPerson) -> web.StreamResponse:
        """One table, its round, and what people may do about it."""
        found = await self._make.ask(AskTable, **request.match_info)
        terms = next((one for one in self._config.tables if one.table == found.table), None)
        shown = None
        if terms is not None:  # of one that is no longer configured nothing is posted
            announced = Announced(_notices_of(found), self._make.language(request))
            at_table = posted(self._config, terms, str)
            if any(wager.must_hit_by for wager in at_table.wagers):
                at_table = with_running_cycles(at_table, await self._must_hit_by(found.bank))
            shown = posted_table(self._config, at_table, self._money, announced)
        levels = await self._mystery_levels(found.bank) if found.behind else []
        return await self._make.page(
            request,
            person,
            "ops/table.html",
            table=found,
            posted=shown,
            void_causes=CAUSES,
            mystery_levels=levels,
        )

    async def _must_hit_by(self, bank: str) -> list[tuple[str, str, int]]:
        """The sums by which running cycles of a bank must hit: of a link and its level, in cents."""
        found = await self._make.ask(AskLinks, bank=bank)
        levels = [(link.link, level) for link in found.links for level in link.levels]
        return [
            (link, level.level, to_cents(of_decimal(level.must_hit_by)))
            for link, level in levels
            if level.must_hit_by is not None
        ]

    async def _mystery_levels(self, bank: str) -> list[tuple[str, str]]:
        """The mystery levels of a bank that have not ended, each with its link."""
        found = await self._make.ask(AskLinks, bank=bank)
        return [
            (link.link, level.level)
            for link in found.links
            if link.form and link.state != "closed"
            for level in link.levels
        ]

    async def requests(self, request: web.Request, person: AuthenticatedPerson) -> web.StreamResponse:
        """What waits for a second person."""
        found = await self._make.ask(AskRequests)
        return await self._make.page(request, person, "ops/requests.html", found=found)

    async def alarms(self, request: web.Request, person: AuthenticatedPerson) -> web.StreamResponse:
        """What nobody has acknowledged, and what is wrong now."""
        found, floor = await self._make.ask(AskAlarms), await self._overview.look()
        return await self._make.page(request, person, "ops/alarms.html", found=found, floor=floor)

    async def people(self, request: web.Request, person: AuthenticatedPerson) -> web.StreamResponse:
        """The people of the site."""
        found = await self._make.ask(AskPeople, person)
        order = order_of(request)
        people = order.sorted(found.people, _PERSON_KEYS)
        return await self._make.page(
            request, person, "ops/people.html", people=people, order=order, roles=ROLES
        )

    async def one_person(self, request: web.Request, person: AuthenticatedPerson) -> web.StreamResponse:
        """One person, and what admins may do about them."""
        number, people = request.match_info["person"], (await self._make.ask(AskPeople, person)).people
        one = next((one for one in people if str(one.person) == number), None)
        if one is None:
            raise NotDone(
                Code.NO_SUCH_PERSON,
                RefusalSentence("there is no person {person}", field="person", person=number[:QUOTED_MAX]),
            )
        named = {each.person: each.name for each in people}
        giver = "where no server ran" if one.recovered else named.get(one.code_from or 0)
        called = {"giver": giver, "voucher": named.get(one.vouched_by or 0)}
        found = await self._make.ask(AskTokens, person)
        tokens = [each for each in found.tokens if each.person == one.person]
        shown: dict[str, Any] = {"one": one, "roles": ROLES, "called": called, "tokens": tokens}
        return await self._make.page(request, person, "ops/person.html", **shown)

    async def journal(self, request: web.Request, person: AuthenticatedPerson) -> web.StreamResponse:
        """A search in a bank's journal; what is wrong with it stands at its field."""
        bank, given = self._bank(request), _given(request, *_SEARCHED, "before")
        page = None
        try:
            page = await self._make.ask(AskJournal, bank=bank, **given)
        except ServerError as error:
            show_refused(request, "search", error)
        language, people = self._make.language(request), await self._access.auth.directory.look()
        kinds = sorted((translate(language, words(kind)), kind) for kind in _KINDS)
        names = sorted((people.called(one).name, str(one.id)) for one in people.state.people)
        shown: dict[str, Any] = {"page": page, "bank": bank, "banks": self._banks, "given": given}
        shown |= {"kinds": kinds, "tables": self._tables, "names": names}
        shown["query"] = urlencode(
            {"bank": bank} | {name: given[name] for name in _SEARCHED if name in given}
        )
        return await self._make.page(request, person, "ops/journal.html", **shown)

    async def readings(self, request: web.Request, person: AuthenticatedPerson) -> web.StreamResponse:
        """The readings of a bank."""
        bank = self._bank(request)
        page = await self._make.ask(AskReadings, bank=bank, **_given(request, "before"))
        return await self._make.page(
            request, person, "ops/readings.html", page=page, bank=bank, banks=self._banks
        )

    async def act(self, request: web.Request, person: AuthenticatedPerson) -> web.StreamResponse:
        """POST: a form that was filled in; then its page, with the result or with what is wrong."""
        form, field, act = await form_of(request), "", request.match_info["act"]
        kind = _ACTS.get(act)
        if kind is None:
            raise web.HTTPNotFound(text="there is no such act\n")
        try:
            fields = _fields(kind, form) | _payment_sums(form, self._money) | _figure(kind, form, self._money)
            fields |= _highest(form, self._money)
            asked = act_of(kind, fields, person, strict=False)
            if login := form.get("second_login", "").strip():
                field = "second_login"
                secret, totp = (form.get(name, "") for name in ("second_secret", "second_totp"))
                place = await self._access.place(request, login)
                second = await self._access.auth.second(person, login, secret, totp, place)
                asked, field = asked._replace(people=(person, second)), ""
            key = form.get("key") or secrets.token_hex(16)
            done = await self._acts.carry_out(with_idempotency_key(asked, person, key))
        except (ServerError, LedgerError) as error:
            at = form.get(FORM_PAGE, form.get("back", ""))
            wrong = field if isinstance(error, Denied) else ""
            return await self._make.come_back(request, error, form, at, wrong)
        if (page := _SHOWN_ONCE.get(type(done))) is not None:
            site = f"{'https' if self._access.encrypted(request) else 'http'}://{request.host}"
            return await self._make.page(request, person, page, given=done, root=site)
        said = translate(self._make.language(request), _became(act, form, done, self._told_sum(fields)))
        back = back_to(form.get("back", ""))
        if "add-person" in (act, form.get("what")) and isinstance(done, ActReply) and done.person:
            back = f"{PEOPLE}/{done.person}"  # where they are given their code
        return there(saying(back, said, self._access.session(request)))

    def _told_sum(self, fields: Mapping[str, Any]) -> str:
        """What a payment withheld, as the site writes sums; "" for nothing."""
        withheld = of_decimal(fields.get("withheld", "0.00"))
        return self._money.exact(withheld) if withheld else ""

    def _bank(self, request: web.Request) -> str:
        return request.query.get("bank") or self._banks[0]


def _notices_of(table: Table) -> dict[str, list[Notice]]:
    """The notices of a table as it posts them, by link; that of its payouts by the first of them."""
    found: dict[str, list[Notice]] = {}
    for one in table.notices:
        amount = UNSET if one.amount is None else to_cents(of_decimal(one.amount))
        seed = UNSET if one.seed is None else to_cents(of_decimal(one.seed))
        rate = UNSET if one.rate is None else parse_rate(one.rate)
        told = Notice(
            one.day, one.table or UNSET, one.level or UNSET, amount, True if one.ends else UNSET, seed, rate
        )
        found.setdefault(one.link or table.links[0], []).append(told)
    return found


def _looked_at(request: web.Request) -> MultiDict[str]:
    """The form that asked for a preview, as one that was sent."""
    return MultiDict(request.query)


def _wants_levels(error: ServerError) -> bool:
    """Whether a transfer is refused because it does not say to which levels the money goes."""
    return isinstance(error.message, RefusalSentence) and error.message.field == "levels"


def _amount(given: Mapping[str, str], way: Writing) -> dict[str, str]:
    """The sum of a form as the API has it, if the form has one. Raises BadRequest."""
    asked = _SUMS.get(given["act"])
    if asked is None or "amount" not in given:
        return {}
    label, change = asked
    return {"amount": decimal(sum_of(label, given["amount"], way, change=change, field="amount"))}


def _payment_sums(form: MultiDict[str], way: Writing) -> dict[str, str]:
    """The sums of a payment's form, as the API has them, if it says them. Raises BadRequest."""
    given = {name: text for name in _PAYMENT_SUMS if (text := form.get(name, "").strip())}
    return {name: decimal(sum_of(_PAYMENT_SUMS[name], text, way, field=name)) for name, text in given.items()}


def _figure(kind: type[ServerCommand | ActCommand], form: MultiDict[str], way: Writing) -> dict[str, str]:
    """The figures that a notice announces, as the API has them, if the form says any. Raises BadRequest."""
    if kind not in (Announce, AnnouncePayoutLimit):
        return {}
    given = {name: text for name in _ANNOUNCED if (text := form.get(name, "").strip())}
    said = {name: decimal(sum_of(_ANNOUNCED[name], text, way, field=name)) for name, text in given.items()}
    rate = "".join(form.get("rate", "").replace(",", ".").removesuffix("%").split())
    return said | ({"rate": f"{rate}%"} if rate else {})


def _winners(
    hit: Hit, least: int | None, needs: tuple[str, ...], of_form: tuple[str, ...]
) -> Iterator[WinnerRow]:
    """The winners to be paid, as the awards stand. least: cents from which a payment takes a tax form.

    needs: what every payment takes. of_form: what one takes besides for which the law wants a form.
    """
    taxes = {one.seat: one for one in hit.taxes}
    standing = [award for award in hit.awards if award.status != "undone"]
    for seat in dict.fromkeys(award.seat for award in standing):
        theirs = [award for award in standing if award.seat == seat]
        amount = sum(of_decimal(award.amount) + of_decimal(award.difference) for award in theirs)
        status = min((award.status for award in theirs), key=URGENT.index)
        written, taxed = _written(hit, seat), taxes.get(seat)
        by_law = taxed is not None and bool(taxed.form)
        yield WinnerRow(
            seat,
            decimal(amount),
            status,
            due=by_law or (least is not None and to_cents(amount) >= least),
            envy=all(award.kind == "envy" for award in theirs),
            payers=payers(award for award in theirs if award.status == "validated"),
            written=written,
            missing=[name for name in needs if name in _SEEN and name not in written],
            taxes=taxed,
            wants=needs + (of_form if by_law else ()),
        )


def _written(hit: Hit, seat: int) -> set[str]:
    """The fields on the papers of one winner."""
    theirs = {award.award for award in hit.awards if award.seat == seat}
    return {
        name
        for step in hit.steps
        if step.what == "validated"
        or (step.what == "added" and step.seat in (None, seat))
        or (step.what == "paid" and not theirs.isdisjoint(step.awards))
        for name in step.facts
    }


def _corrects(award: Award, person: AuthenticatedPerson) -> bool:
    """Whether that person may ask to correct an award (A8, A10)."""
    of = payers([award] if award.status in ("paid", "final") else ())
    return award.status != "undone" and not set(of).isdisjoint(person.roles)


def _became(act: str, form: MultiDict[str], done: Reply, withheld: str) -> Sentence:
    """The page's sentence for an act that was accepted. withheld: of a payment, "" for nothing."""
    if isinstance(done, ActReply) and done.asked:
        return Sentence(WAITS)
    if act == "confirm" and (confirmed := DOINGS.get(form.get("what", ""))):
        return Sentence("It is confirmed. {done}", done=Sentence(confirmed.done))
    whole, seat = not form.get("award"), form.get("seat", "")
    if act == "validate" and whole:
        return Sentence("{hit} is validated. Now it is to be paid.", hit=form["hit"])
    if act == "pay" and withheld:
        paid = {"hit": form["hit"], "document": form["document"], "sum": withheld}
        if seat:
            said = "Seat {seat} of {hit} is paid, form {document}. {sum} of it is withheld."
            return Sentence(said, seat=seat, **paid)
        return Sentence("{hit} is paid, form {document}. {sum} of it is withheld.", **paid)
    if act == "pay" and seat:
        said = "Seat {seat} of {hit} is paid, form {document}."
        return Sentence(said, seat=seat, hit=form["hit"], document=form["document"])
    if act == "pay" and whole:
        return Sentence("{hit} is paid, form {document}.", hit=form["hit"], document=form["document"])
    return Sentence(DOINGS[act].done)


def _elsewhere(
    request: web.Request, name: str, acts: Collection[str], field: str, own: Collection[str]
) -> str:
    """Why an address's act is not about the page's own subject; "" if it is. Anybody may make up an address.

    acts: of the page. field, own: what one of them may name, and what the page has of that.
    """
    act, one = request.query.get("act", ""), request.query.get(field)
    if act not in acts:
        plain = "{act} is not looked at on the page of {name}"
        return RefusalSentence(plain, field="act", act=quoted(act), name=name)
    if one and one not in own:
        return RefusalSentence("{one} is not of {name}", field=field, one=quoted(one), name=name)
    return ""


def _given(request: web.Request, *names: str) -> dict[str, str]:
    """The values of these fields in the query string."""
    return {name: value for name in names if (value := request.query.get(name))}


def _fields(kind: type[ServerCommand | ActCommand], form: MultiDict[str]) -> dict[str, Any]:
    """The fields of an act that a form has filled in; a list has one box for each of its parts."""
    lists = _lists_of(kind)
    found: dict[str, Any] = {}
    for name in dict.fromkeys(form):
        if name in lists:
            found[name] = form.getall(name)
        elif name not in _OURS and not name.startswith(_SHOWN) and form[name] != "":
            found[name] = form[name]
    return found


def _highest(form: MultiDict[str], way: Writing) -> dict[str, list[str]]:
    """The highest shown values of mystery levels, as the API has them, if the form says any (Y8).

    Raises BadRequest.
    """
    given = {name: text for name in form if name.startswith(_SHOWN) and (text := form[name].strip())}
    label = Sentence("The highest value")
    found = [
        f"{name.removeprefix(_SHOWN)}={decimal(sum_of(label, text, way, field=name))}"
        for name, text in given.items()
    ]
    return {"highest": found} if found else {}


@cache
def _lists_of(kind: type[ServerCommand | ActCommand]) -> frozenset[str]:
    """The fields of an act that are lists."""
    return frozenset(name for name, hint in get_type_hints(kind).items() if get_origin(hint) is tuple)
