"""Sign pages for screens: a sign for each link, several on one screen, and the whole floor.

Nothing here changes anything.
"""

import hashlib
from collections.abc import Awaitable, Callable, Mapping
from importlib import resources
from pathlib import Path
from typing import Any, Final

import msgspec
from aiohttp import hdrs, web
from jinja2 import Environment, FunctionLoader, StrictUndefined, pass_context
from jinja2.runtime import Context

from jackpot.config import BACKDROP_TYPES, FONT_TYPES, LOGO_TYPES, Config, titles_of
from jackpot.config.languages import ENGLISH, offered, preferred, spoken, translate, words
from jackpot.config.posting import posted
from jackpot.config.writing import Writing, writing
from jackpot.rules.money import to_cents
from jackpot.rules.paytable import Fixed, ForOne, LinkTerms, Pays, Percent, ToOne
from jackpot.text import Sentence, filled, game
from jackpot.web.live import LiveStreams
from jackpot.web.posted import Announced, posted_table

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

# A page loads nothing from elsewhere, runs only our own files, and is never framed by another site.
SECURITY: Final = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "font-src 'self'; media-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'self'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
}
# Kinds of file with their charset, which a font has none of.
STATIC_TYPES: Final[Mapping[str, tuple[str, str | None]]] = {
    "js": ("text/javascript", "utf-8"),
    "css": ("text/css", "utf-8"),
    "svg": ("image/svg+xml", "utf-8"),
    "woff2": ("font/woff2", None),
}
STATIC: Final = (
    "base.css",
    "cards.js",
    "chart.js",
    "docs.css",
    "effects.js",
    "fit.js",
    "floor.css",
    "floor.js",
    "focus.js",
    "icon.svg",
    "idle.js",
    "light.js",
    "live.js",
    "notify.js",
    "odds.js",
    "odometer.js",
    "ops.css",
    "ops.js",
    "particles.js",
    "particles_canvas.js",
    "particles_webgl.js",
    "phases.js",
    "posted.css",
    "posted.js",
    "preview.js",
    "sign-in.js",
    "sign.css",
    "sign.js",
    "sound.js",
    "sprites.js",
    "tension.js",
    "themes.css",
    "tones.js",
    "typed.js",
    "vendor/anton-ext.woff2",
    "vendor/anton.woff2",
    "vendor/barlow-condensed-ext.woff2",
    "vendor/barlow-condensed.woff2",
    "vendor/bebas-neue-ext.woff2",
    "vendor/bebas-neue.woff2",
    "vendor/bodoni-moda-ext.woff2",
    "vendor/bodoni-moda.woff2",
    "vendor/cinzel-ext.woff2",
    "vendor/cinzel.woff2",
    "vendor/htmx.js",
    "vendor/inter-ext.woff2",
    "vendor/inter.woff2",
    "vendor/limelight-ext.woff2",
    "vendor/limelight.woff2",
    "vendor/marcellus-ext.woff2",
    "vendor/marcellus.woff2",
    "vendor/pixi.js",
    "vendor/tilt-neon-ext.woff2",
    "vendor/tilt-neon.woff2",
    "wall.css",
    "wall.js",
    "walls.js",
    "win.js",
    "wins.js",
    "words.js",
)
# Links on one screen: of more nobody reads one from afar, and each is a page and a stream of its own.
WALL_MAX: Final = 8
# A wall holds signs of ours in frames; for the rest it is as strict as a sign.
_WALL_POLICY: Final = SECURITY["Content-Security-Policy"] + "; frame-src 'self'"
_DIGEST_SHOWN: Final = 16
# What a sign without amounts says: who can help, and no word about jackpots that may have stopped (S4).
ASK: Final = "Please ask your dealer"
UNAVAILABLE: Final = "Display unavailable"
# The word over every win.
JACKPOT: Final = "Jackpot"
# Cards of a hand, by its kind; the others are of five.
_CARDS: Final[Mapping[str, int]] = {"three": 3, "four": 4}
_CARDS_DEFAULT: Final = 5
# Basis points of a whole meter.
WHOLE: Final = 10_000


def _file(folder: str, name: str) -> bytes:
    return resources.files("jackpot.web").joinpath(folder, name).read_bytes()


def templates() -> Environment:
    """The template environment of all pages: values are escaped as text."""
    loader = FunctionLoader(lambda name: _file("pages", name).decode())
    made = Environment(autoescape=True, undefined=StrictUndefined, loader=loader)
    made.globals["say"] = say
    return made


@pass_context
def say(context: Context, text: str, **values: object) -> str:
    """A sentence in the page's language. values: for its braces, if it has not got them."""
    said = translate(context.get("language", ENGLISH), text)
    return said if isinstance(text, Sentence) else filled(said, values)


def asked_in(request: web.Request, site: str) -> str:
    """The language of a request. site: the locale of a browser without a preference."""
    return preferred(",".join(request.headers.getall(hdrs.ACCEPT_LANGUAGE, [])), site)


class Screens:
    """The pages of one configuration, rendered once. Raises OSError if a logo cannot be read."""

    def __init__(self, config: Config, live: LiveStreams) -> None:
        self.live = live
        self.writing: Writing = writing(config.site.locale, config.site.currency)
        self._config = config
        self._files = {name: _file("static", name) for name in STATIC}
        self._logos: dict[str, tuple[bytes, str]] = {}
        for link, display in config.displays.items():
            if display.logo is not None:
                self._logos[link] = display.logo.read_bytes(), LOGO_TYPES[display.logo.suffix.lower()]
        self._version = hashlib.sha256(b"".join(self._files.values())).hexdigest()[:_DIGEST_SHOWN]
        self._tables = {table.table: table for table in config.tables}
        self._templates = templates()
        self._templates.filters["game"] = game
        self._signs = {link: self._sign(link) for link in config.displays}
        self._floors: dict[str, bytes] = {}  # by language, of which a locale's regions are not endless

    def public(self) -> list[web.RouteDef]:
        """Routes of sign pages and streams: what may be shown to everybody."""
        return [
            web.get("/sign/wall", self.wall),
            web.get("/sign/{link}", self.sign),
            web.get("/sign/{table}/posted", self.posted),
            web.get("/static/{name:.+}", self.static),
            web.get("/logo/{link}", self.logo),
            web.get("/backdrop/{link}", self.backdrop),
            web.get("/font/{link}", self.font),
            web.get("/picture/{link}/{place:[0-9]{1,3}}", self.picture),
            web.get("/ws/meters", self.live.websocket, allow_head=False),
            web.get("/events/meters", self.live.events, allow_head=False),
        ]

    def private(self) -> list[web.RouteDef]:
        """Routes of the floor page, for those who may see every table."""
        return [web.get("/", self.floor)]

    async def sign(self, request: web.Request) -> web.Response:
        """GET /sign/LINK: one link, over the whole screen."""
        return self._own_sign(request.match_info["link"])

    async def wall(self, request: web.Request) -> web.Response:
        """GET /sign/wall?links=A,B: several links on one screen, in this order. Without: the first WALL_MAX.

        A link that is called "wall" has the address without links. preview: what the first of them shows,
        made up; the others then show made-up amounts.
        """
        if "links" not in request.query and "wall" in self._signs:
            return self._own_sign("wall")
        known = ",".join(list(self._signs)[:WALL_MAX])
        links = list(dict.fromkeys(filter(None, request.query.get("links", known).split(","))))
        if not 0 < len(links) <= WALL_MAX or not self._signs.keys() >= set(links):
            text = f"a wall has 1 to {WALL_MAX} links of these: /sign/wall?links={known}\n"
            raise web.HTTPNotFound(text=text)
        preview = request.query.get("preview")
        shown = [None if preview is None else "normal" if place else preview for place in range(len(links))]
        signs = [
            {"link": link, "title": self._config.displays[link].title, "preview": one}
            for link, one in zip(links, shown, strict=True)
        ]
        answer = html(self._page("wall.html", links[0], {"signs": signs}))
        answer.headers["Content-Security-Policy"] = _WALL_POLICY
        return answer

    async def posted(self, request: web.Request) -> web.Response:
        """GET /sign/TABLE/posted: the odds of every wager of a table, for a screen or to print (P1).

        language: of those of the pages; without, the site's.
        """
        name, locale = request.match_info["table"], self._config.site.locale
        language = request.query.get("language", locale)
        if name not in self._tables:
            known = "  ".join(f"/sign/{table}/posted" for table in self._tables)
            raise web.HTTPNotFound(text=f"there is no such table; there are {known}\n")
        if language != locale and language not in offered():
            raise web.HTTPNotFound(text=f"a language is one of {', '.join(offered())}\n")
        found = posted(self._config, self._tables[name], lambda text: translate(language, text))
        notices = {wager.link: self.live.notices(wager.link) for wager in found.wagers}
        page = self._templates.get_template("posted.html").render(
            site=self._config.site.name,
            language=spoken(language),
            posted=posted_table(self._config, found, self.writing, Announced(notices, language)),
            notices=msgspec.json.encode(notices).decode(),
            version=self._version,
        )
        return html(page.encode())

    def _own_sign(self, link: str) -> web.Response:
        """The sign of a link. Raises HTTPNotFound where there is no such link."""
        page = self._signs.get(link)
        if page is None:
            known = "  ".join(f"/sign/{name}" for name in self._signs)
            raise web.HTTPNotFound(text=f"there is no such link; there are {known}\n")
        return html(page)

    def in_words(self, *, private: bool) -> Any:
        """Answers a browser at an unknown address with a page in its language, with ways on.

        Programs get the line of text. private: whether the floor's pages are here.
        """

        @web.middleware
        async def told_of(request: web.Request, handler: Handler) -> web.StreamResponse:
            try:
                return await handler(request)
            except web.HTTPNotFound:
                if "text/html" not in request.headers.get(hdrs.ACCEPT, ""):
                    raise
            language = asked_in(request, self._config.site.locale)
            page = self._templates.get_template("nowhere.html").render(
                site=self._config.site.name,
                language=language,
                sign=request.path.startswith("/sign/"),
                private=private,
                signs=titles_of(self._config.displays).items(),
            )
            answer = html(page.encode())
            answer.set_status(404)
            answer.headers["Vary"] = f"{hdrs.ACCEPT}, {hdrs.ACCEPT_LANGUAGE}"
            return answer

        return told_of

    async def floor(self, request: web.Request) -> web.Response:
        """GET /: the whole floor, in the browser's language if there is a catalogue."""
        language = asked_in(request, self._config.site.locale)
        if language not in self._floors:
            self._floors[language] = self._page("floor.html", "", self._floor_settings(language))
        answer = html(self._floors[language])
        answer.headers["Vary"] = hdrs.ACCEPT_LANGUAGE
        return answer

    async def static(self, request: web.Request) -> web.Response:
        """GET /static/NAME: one of the files named above, nothing else."""
        name = request.match_info["name"]
        if name not in self._files:
            raise web.HTTPNotFound(text="there is no such file\n")
        kind, charset = STATIC_TYPES[name.rpartition(".")[2]]
        return web.Response(
            body=self._files[name], content_type=kind, charset=charset, headers={"Cache-Control": "no-cache"}
        )

    async def logo(self, request: web.Request) -> web.Response:
        """GET /logo/LINK: the image in the configuration."""
        found = self._logos.get(request.match_info["link"])
        if found is None:
            raise web.HTTPNotFound(text="this link has no logo\n")
        # A drawing may hold scripts: they do not run, even if somebody opens the drawing by itself.
        headers = {"Cache-Control": "no-cache", "Content-Security-Policy": "default-src 'none'; sandbox"}
        return web.Response(body=found[0], content_type=found[1], headers=headers)

    async def backdrop(self, request: web.Request) -> web.FileResponse:
        """GET /backdrop/LINK: the image or the film in the configuration; supports ranges."""
        display = self._config.displays.get(request.match_info["link"])
        return _sent(display.backdrop if display else None, BACKDROP_TYPES)

    async def picture(self, request: web.Request) -> web.FileResponse:
        """GET /picture/LINK/NUMBER: one of the pictures and films of the house; supports ranges."""
        display = self._config.displays.get(request.match_info["link"])
        files, place = display.pictures if display else (), int(request.match_info["place"])
        return _sent(files[place] if place < len(files) else None, BACKDROP_TYPES)

    async def font(self, request: web.Request) -> web.FileResponse:
        """GET /font/LINK: the font in the configuration."""
        display = self._config.displays.get(request.match_info["link"])
        return _sent(display.font if display else None, FONT_TYPES)

    def _display(self, link: str) -> dict[str, Any]:
        display = self._config.displays[link]
        return {
            "title": display.title,
            "theme": display.theme,
            "accent": display.accent,
            "background": display.background,
            "levels": dict(display.levels),
            "colours": dict(display.colours),
            "sound": display.sound,
            "font": f"/font/{link}" if display.font else None,
            "logo": f"/logo/{link}" if link in self._logos else None,
        }

    def _sign(self, link: str) -> bytes:
        (terms,) = (one for one in self._config.links if one.link == link)
        locale = self._config.displays[link].locale
        settings = {
            "link": link,
            "money": written_in(locale, self._config.site.currency),
            "display": self._display(link),
            "hands": whole_hands(terms),
            "dealt": _CARDS.get(terms.hand_kind, _CARDS_DEFAULT),
            "rows": [{"hand": row.hand, "suits": row.suits, "pays": _pays(row.pays)} for row in terms.rows],
            "wager": to_cents(terms.wager),
            "pictures": [
                {"address": f"/picture/{link}/{place}", "moves": _moves(file)}
                for place, file in enumerate(self._config.displays[link].pictures)
            ],
            "levels": [level.level for level in terms.levels],
            "bounds": {
                level.level: [to_cents(level.reseed), to_cents(level.must_hit_by)]
                for level in terms.levels
                if level.must_hit_by is not None
            },
            "words": dict(words(locale)),
            "insecure": self._config.listen.insecure,
        }
        return self._page("sign.html", link, settings)

    def _floor_settings(self, language: str) -> dict[str, Any]:
        return {
            "language": language,
            "words": dict(words(language)),
            "money": written_in(self._config.site.locale, self._config.site.currency),
            "displays": {link: self._display(link) for link in self._config.displays},
            "insecure": self._config.listen.insecure,
        }

    def _page(self, template: str, link: str, settings: dict[str, Any]) -> bytes:
        text = msgspec.json.encode(settings).decode()
        digest = hashlib.sha256(text.encode() + b"".join(self._files.values())).hexdigest()
        display = self._config.displays[link] if link else None
        said = words(display.locale) if display else {}
        backdrop = display.backdrop if display else None
        page = self._templates.get_template(template).render(
            site=self._config.site.name,
            language=spoken(display.locale) if display else settings["language"],
            title=display.title if display else "",
            theme=display.theme if display else "",
            logo=f"/logo/{link}" if link in self._logos else None,
            backdrop=f"/backdrop/{link}" if backdrop else None,
            backdrop_moves=backdrop is not None and _moves(backdrop),
            settings=text,
            unavailable=said.get(UNAVAILABLE, UNAVAILABLE),
            ask=said.get(ASK, ASK),
            jackpot=said.get(JACKPOT, JACKPOT),
            version=digest[:_DIGEST_SHOWN],
        )
        return page.encode()


def written_in(locale: str, currency: str) -> dict[str, str]:
    """The locale with which a page's scripts write sums (`Intl.NumberFormat`)."""
    return {"locale": locale.replace("_", "-"), "currency": currency}


def whole_hands(terms: LinkTerms) -> dict[str, str]:
    """By level, the lowest hand that wins all of it; a hand of one suit alone is no promise to make."""
    return {
        row.pays.level: row.hand
        for row in terms.rows
        if isinstance(row.pays, Percent) and row.pays.rate == WHOLE and not row.suits
    }


def _pays(pays: Pays) -> dict[str, str | int]:
    """What a row pays, as `odds.js` reads it: a share of a level in basis points, or cents of a fixed sum."""
    match pays:
        case Percent(level=level, rate=rate):
            return {"kind": "percent", "level": level, "of": rate}
        case ForOne(n=n):
            return {"kind": "for", "of": n}
        case ToOne(n=n):
            return {"kind": "to", "of": n}
        case Fixed(amount=amount):
            return {"kind": "fixed", "of": to_cents(amount)}


def _moves(file: Path) -> bool:
    """Whether it is a film."""
    return BACKDROP_TYPES[file.suffix.lower()].startswith("video/")


def _sent(file: Path | None, kinds: Mapping[str, str]) -> web.FileResponse:
    """A file of the configuration. Raises HTTPNotFound if it names none, or the file is gone."""
    if file is None or not file.is_file():
        raise web.HTTPNotFound(text="this link has none\n")
    kind = kinds[file.suffix.lower()]
    return web.FileResponse(file, headers={"Cache-Control": "no-cache", "Content-Type": kind})


async def secure(_request: web.Request, response: web.StreamResponse) -> None:
    """Adds the security headers to an answer."""
    for name, value in SECURITY.items():
        response.headers.setdefault(name, value)


def html(page: bytes) -> web.Response:
    """An HTML answer that is never cached."""
    return web.Response(
        body=page, content_type="text/html", charset="utf-8", headers={"Cache-Control": "no-store"}
    )
