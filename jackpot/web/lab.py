"""The lab's page: returns of a link at its meters of now, or of an offer, worked out in a worker."""

from collections import OrderedDict
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import urlencode

import msgspec
from aiohttp import hdrs, web
from msgspec.structs import replace
from multidict import istr

from jackpot.api.operation import QUOTED_MAX, BadRequest, NotDone
from jackpot.api.queries.links import AskLink
from jackpot.api.worker_pool import WorkerPool, refused_by
from jackpot.auth.auth_service import AuthenticatedPerson
from jackpot.catalogue import games_of, load
from jackpot.config import Config
from jackpot.config.writing import Writing
from jackpot.odds.worker import LabCall, LabReply
from jackpot.program import lab_install
from jackpot.rules.money import decimal, floor_to_cent, of_decimal
from jackpot.rules.paytable import ANY, Game, LinkTerms
from jackpot.text import RefusalSentence, Sentence, both, name_sentence
from jackpot.web.forms import sum_of
from jackpot.web.http_connection import while_there
from jackpot.web.pages_base import SAID, PageContext, PageRenderer

# A tenth of these on a machine that does nothing else; on one that plays, the lab has what the floor leaves.
FIGURES_WITHIN_S: Final = 30.0
PICTURES_WITHIN_S: Final = 120.0
# Questions of one person that wait, or are worked at: pages that were left again, and the pictures of each.
WAITING_EACH: Final = 6
# Of all people. Figures take some tenths of a second, the pictures of a page a second or two.
WAITING_MAX: Final = 30
# Answers that are kept for their pictures and files: one is some 300 kB.
KEPT: Final = 16
# Digits of a number in the form.
DIGITS_MAX: Final = 7
# Of the year that is drawn.
SEED: Final = "1"
# Wagers an hour that a form begins with: a link of a dozen tables on an evening.
RATE: Final = "1000"
# What may be asked besides the meters of the link's levels.
FIELDS: Final = frozenset({"link", "of", "game", "players", "rate", "as"})
FILES: Final = {"csv": "text/csv", "json": "application/json"}
# A page to print has its style within, and so has a picture; neither has anything else.
_POLICY: Final = istr("Content-Security-Policy")
_STYLED: Final = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'self'"


class Lab:
    """Serves the lab's page, pictures and files."""

    def __init__(self, make: PageRenderer, front: PageContext) -> None:
        self._make = make
        self._money = front.money
        self._links = {link.link: link for link in front.config.links}
        self._games = _games(front.config)
        self._kept: OrderedDict[bytes, LabReply] = OrderedDict()
        self._apart = WorkerPool(
            "jackpot.odds.worker", "the lab", each_max=WAITING_EACH, total_max=WAITING_MAX, own_folder=True
        )

    async def page(self, request: web.Request, person: AuthenticatedPerson) -> web.StreamResponse:
        """An offer, or a link at its meters of now or of the form. as: "print", "csv" or "json"."""
        given = _form_values(request)
        terms, games = self._link(given)
        told, problem = None, ""
        try:
            meters = _meters(terms, given, await self._now(terms), self._money)
            told = await self._told(request, self._asked(request, terms, given, meters), person)
        except BadRequest as error:
            if "as" in given:  # a program takes no page for its file
                raise
            meters, problem = {}, error.message
        if told is not None and "as" in given:
            return _file(told, given["as"], terms.link if terms.mystery else terms.paytable)
        written = {f"meter.{name}": decimal(meter) for name, meter in meters.items()}
        shown: dict[str, Any] = {
            "links": [name for name, link in self._links.items() if not link.offer],
            "offers": [name for name, link in self._links.items() if link.offer],
            "link": terms.link,
            "games": games,
            "given": {"game": games[0], "players": "1", "rate": RATE} | given,
            "meters": [
                (level.level, (written | given).get(f"meter.{level.level}", "")) for level in terms.levels
            ],
            "told": told,
            "problem": problem,
            "has_cards": not terms.mystery,
            "lab_install": lab_install(),
        }
        # Pictures and files are of the meters that this page shows, though they rise meanwhile.
        query = urlencode({"link": terms.link} | given | written)
        return await self._make.page(request, person, "ops/lab.html", query=query, **shown)

    async def picture(self, request: web.Request, person: AuthenticatedPerson) -> web.StreamResponse:
        """One of the page's pictures, as SVG."""
        given = _form_values(request)
        terms, _ = self._link(given)
        asked = self._asked(request, terms, given, _meters(terms, given, {}, self._money))
        told = await self._told(request, replace(asked, draw=True), person)
        svg = told.pictures.get(request.match_info["picture"])
        if svg is None:
            raise web.HTTPNotFound(text="there is no such picture\n")
        headers = {_POLICY: _STYLED, hdrs.CACHE_CONTROL: "no-store"}
        return web.Response(text=svg, content_type="image/svg+xml", headers=headers)

    def _link(self, fields: Mapping[str, str]) -> tuple[LinkTerms, tuple[Game, ...]]:
        """The requested link, and the games of its tables. Raises BadRequest."""
        name = fields.get("link", next(iter(self._links), ""))
        terms = self._links.get(name)
        if terms is None:
            raise BadRequest(RefusalSentence("there is no link {link}", field="link", link=name[:QUOTED_MAX]))
        return terms, self._games[name]

    async def _now(self, terms: LinkTerms) -> dict[str, int]:
        """The meter of each level, to the cent; empty for an offer, and for a link that is not open."""
        if terms.offer:
            return {}
        try:
            found = await self._make.ask(AskLink, link=terms.link)
        except NotDone:
            return {}
        return {level.level: floor_to_cent(of_decimal(level.value)) for level in found.levels}

    def _asked(
        self, request: web.Request, terms: LinkTerms, fields: Mapping[str, str], meters: dict[str, int]
    ) -> LabCall:
        """Parses the request. Raises BadRequest."""
        games = self._games[terms.link]
        game = next((game for game in games if game == fields.get("game", games[0])), None)
        if game is None:
            names = {"link": terms.link, "games": both(games)}
            raise BadRequest(RefusalSentence("{link} is played at {games}", field="game", **names))
        numbers = {"players": fields.get("players", "1"), "rate": fields.get("rate", RATE)}
        for name, text in numbers.items():
            if not (text.isascii() and text.isdigit() and len(text) <= DIGITS_MAX):
                said = {"name": Sentence(name), "text": repr(text[:QUOTED_MAX]), "most": DIGITS_MAX}
                raise BadRequest(Sentence("{name}: {text} is no whole number of up to {most} digits", **said))
        players, rate = (int(text) for text in numbers.values())
        language = self._make.language(request)
        return LabCall(terms, game, self._money, meters, players, rate, SEED, language=language)

    async def _told(self, request: web.Request, asked: LabCall, person: AuthenticatedPerson) -> LabReply:
        """The worker's answer, or an earlier one. Raises BadRequest, NotDone."""
        question = msgspec.json.encode(asked)
        told = self._kept.get(question)
        if told is None:
            # Figures wait for no pictures. All of a page are one question: the first has them drawn.
            kind, within_s = ("pictures", PICTURES_WITHIN_S) if asked.draw else ("figures", FIGURES_WITHIN_S)
            asking = self._apart.ask(question, person.id, within_s, kind)
            said = await while_there(request, asking)
            told = self._kept[question] = msgspec.json.decode(said, type=LabReply)
            if len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        self._kept.move_to_end(question)
        if told.refusal is not None:
            raise refused_by(told.refusal)
        return told


def _meters(
    terms: LinkTerms, fields: Mapping[str, str], now: Mapping[str, int], writing: Writing
) -> dict[str, int]:
    """The meter of each level: of the form, else the current one, else the seed. Raises BadRequest."""
    meters = {level.level: now.get(level.level, level.seed) for level in terms.levels}
    for field in fields.keys() - FIELDS - {f"meter.{name}" for name in meters}:
        said = {"field": field[:QUOTED_MAX], "link": terms.link}
        if terms.offer:
            raise BadRequest(Sentence("{field}: nothing of it is asked of {link}: it has no meter", **said))
        said["levels"] = both(list(meters))
        raise BadRequest(
            Sentence("{field}: nothing of it is asked of {link}; its levels are {levels}", **said)
        )
    for name in meters:
        if text := fields.get(f"meter.{name}"):
            meters[name] = sum_of(name_sentence(name), text, writing)
    return meters


def _form_values(request: web.Request) -> dict[str, str]:
    """The values of the form; only link, players and rate if it was filled in for another link."""
    given = {name: value for name, value in request.query.items() if value and name not in SAID}
    if given.get("of", given.get("link")) == given.get("link"):
        return given
    return {name: given[name] for name in ("link", "players", "rate") if name in given}


def _file(reply: LabReply, kind: str, name: str) -> web.Response:
    """The same figures as a file."""
    headers = {hdrs.CACHE_CONTROL: "no-store"}
    if kind == "print":
        return web.Response(text=reply.html, content_type="text/html", headers={**headers, _POLICY: _STYLED})
    if kind not in FILES:
        raise web.HTTPNotFound(text="there is no such file\n")
    headers[hdrs.CONTENT_DISPOSITION] = f'attachment; filename="{name}.{kind}"'
    text = reply.csv if kind == "csv" else reply.json
    return web.Response(text=text, content_type=FILES[kind], headers=headers)


def _games(config: Config) -> dict[str, tuple[Game, ...]]:
    """The games of each link's tables; those of its paytable if it has no tables."""
    return {
        link.link: tuple(dict.fromkeys(table.game for table in config.tables if link.link in table.links))
        or ((ANY,) if link.mystery else games_of(load(link.paytable)))
        for link in config.links
    }
