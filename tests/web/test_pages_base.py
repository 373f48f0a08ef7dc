"""Base of the pages: sign-in leads to our own pages, and a page offers only what its person may do."""

import re
from pathlib import Path

import aiohttp
import pytest
from yarl import URL

from jackpot.auth.person_admin import PersonAdmin
from jackpot.config.languages import PAGES, words
from jackpot.reports.registry import REPORTS
from jackpot.rules.acts.hits import Validate
from jackpot.rules.signing import Role
from jackpot.web import overview
from jackpot.web.authentication import PLAIN_COOKIE, message_signature, page_token
from tests.api.test_papers import joined_floor
from tests.net.test_admin_socket import royal
from tests.running_server import LINK, StepClock, on_loop, table
from tests.web.staffed import done, join, prove, staffed
from tests.web.test_authentication import floor, signed_in

# Words that stand in most English sentences, and in no Spanish one.
ENGLISH_WORDS = re.compile(r"\b(the|of|and|is|are|was|by|from|with|it|that|has|be|not|which|this)\b")


@pytest.mark.parametrize(
    "back", ["//evil.example", "https://evil.example", "/ops\\@evil", "/opsevil", "/", "/ops/\0"]
)
@on_loop
async def test_the_door_leads_to_our_own_pages_alone(tmp_path: Path, back: str) -> None:
    """Access: where somebody is sent after signing in is never another site."""
    async with floor(tmp_path) as (_, web):
        async with web.get("/ops/sign-in", params={"back": back}) as answer:
            assert re.search(r'name="back" value="([^"]*)"', await answer.text())[1] == "/ops"  # type: ignore[index]
        async with await signed_in(web, back=back) as answer:
            assert answer.headers["Location"] == "/ops"


@pytest.mark.parametrize(
    ("roles", "offered"),
    [
        (("viewer",), set()),
        (("auditor",), set()),
        (("cage",), {"correct"}),
        (("floor",), {"validate", "undo", "correct", "dispute"}),
        (("floor", "cage"), {"validate", "undo", "correct", "dispute"}),
    ],
)
@on_loop
async def test_a_page_offers_what_its_person_may_do(
    tmp_path: Path, roles: tuple[Role, ...], offered: set[str]
) -> None:
    """Powers: a button that would only refuse is none; what each act takes stands in the registry of acts."""
    async with floor(tmp_path) as (server, web), table(server) as device:
        await royal(device)
        await join(server, "cal", *roles)
        (await signed_in(web, login="cal")).close()
        async with web.get("/ops/hits/H1") as answer:  # its bank is found
            said = await answer.text()
        assert answer.url.path == "/ops/hits/main/H1"
        assert ">Floor Five</a>, Mega" in said, "a link and its level are called what people call them"
        found = re.findall(r'(?:action="/ops/acts/|name="act" value=")([a-z-]+)"', said)  # done, or looked at
        assert set(found) == offered
        told = "Somebody with the role floor validates it."
        assert (told in said) == ("validate" not in offered), "who sees it and may not do it reads who may"


@on_loop
async def test_pages_say_what_a_hit_was_called_before_banks_were_joined(tmp_path: Path) -> None:
    """A10: the list and the hit's own page; and what is in the address of a form of before."""
    config = await joined_floor(tmp_path, StepClock())
    jar = aiohttp.CookieJar(unsafe=True)
    async with staffed(config) as server:
        at = f"http://127.0.0.1:{server.ports['http']}"
        async with aiohttp.ClientSession(at, cookie_jar=jar) as web:
            (await signed_in(web)).close()
            said = {}
            for path in ("/ops/hits", "/ops/hits/floor/H2", "/ops/hits/north/H1"):
                async with web.get(path) as answer:
                    said[path] = await answer.text()
    assert "<small>H1 of north</small>" in said["/ops/hits"]
    assert "H2 of bank floor (H1 of north)" in said["/ops/hits/floor/H2"]
    assert 'name="act" value="correct"' in said["/ops/hits/floor/H2"]
    assert "north became part of floor: its H1 is H2 there" in said["/ops/hits/north/H1"]


@pytest.mark.parametrize(
    ("path", "status", "said", "on"),
    [
        ("/hits/main/H9", 404, "There is no H9 in bank main", "/ops/hits"),
        ("/hits/main/9", 400, "Hit: A hit&#39;s id, such as H12", "/ops/hits"),
        ("/hits/H9", 404, "There is no H9 in any bank", "/ops/hits"),
        ("/hits/9", 400, "Hit: A hit&#39;s id, such as H12", "/ops/hits"),
        ("/links/nine", 400, "nine", "/ops/links"),
        ("/nowhere/at/all", 404, "The menu leads to every page.", "/ops"),
        ("/tables/T99", 400, "The menu leads to every page.", "/ops"),
        ("/people/99", 404, "what it showed is gone. The list shows all", "/ops/people"),
        ("/reports/none", 404, "There is no page /ops/reports/none", "/ops/reports"),
    ],
)
@on_loop
async def test_what_is_not_there_leads_on(tmp_path: Path, path: str, status: int, said: str, on: str) -> None:
    """Pages: an address at which nothing is gets a page of ours, which says where to look."""
    async with floor(tmp_path) as (_, web):
        (await signed_in(web)).close()
        async with web.get(f"/ops{path}") as answer:
            page = await answer.text()
        assert (answer.status, said in page) == (status, True)
        assert f'<a class="button" href="{on}">' in page


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("/sign/none", "No hay ninguna pantalla"),
        ("/sign/wall?links=x", "No hay ninguna pantalla"),
        ("/no", "No hay ninguna página"),
    ],
)
@on_loop
async def test_who_looks_for_a_page_is_led_on(tmp_path: Path, path: str, said: str) -> None:
    """Pages: a browser is told in its language that nothing is there, and where to go; a program, a line."""
    async with floor(tmp_path) as (_, web):
        headers = {"Accept": "text/html,*/*;q=0.8", "Accept-Language": "es-MX"}
        async with web.get(path, headers=headers) as answer:
            page = await answer.text()
        assert (answer.status, answer.content_type, said in page) == (404, "text/html", True)
        ways = re.findall(r'<a href="([^"]+)">([^<]+)</a>', page)
        assert ("/sign/floor-five", "Pantalla de Floor Five") in ways
        for way, _name in ways:
            async with web.get(way) as there:
                assert there.status == 200, way
        assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
        async with web.get(path, headers={"Accept": "*/*"}) as plain:
            assert (plain.status, plain.content_type) == (404, "text/plain")


@on_loop
async def test_a_page_speaks_the_language_of_the_browser(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pages: each of them, a refusal and the sign-in in Spanish; what is English says that it is."""
    monkeypatch.setattr(overview, "BACK_WITHIN_S", 0.0)
    spanish = {"Accept-Language": "es-MX,es;q=0.9,en;q=0.8"}
    async with floor(tmp_path) as (_, web):
        async with web.get("/ops/sign-in", headers=spanish) as answer:
            door = await answer.text()
        assert (answer.headers["Vary"], '<html lang="es-MX">' in door) == ("Accept-Language", True)
        assert ">Contraseña</label>" in door
        wrong = {"login": "ann", "secret": "no password of ann's"}
        async with web.post("/ops/sign-in", data=wrong, headers=spanish) as answer:
            refused = await answer.text()
        assert (
            '<p class="problem" role="alert"><bdi lang="es-MX">El nombre de usuario, la contraseña o'
            in refused
        )
        (await signed_in(web)).close()
        pages = {}
        for path in ("/ops/hits", "/ops/hits/main/H9", "/ops"):
            async with web.get(path, headers=spanish) as answer:
                pages[path] = await answer.text()
        for page in pages.values():
            assert ">Aciertos</a>" in page
            assert "&#34;Notify me&#34;:&#34;Avisarme&#34;" in page  # what scripts say
        assert "Todavía no hay aciertos." in pages["/ops/hits"]
        assert '<p class="detail">No hay ningún acierto H9 en el banco main</p>' in pages["/ops/hits/main/H9"]
        assert '<h2 id="tables">Mesas</h2>' in pages["/ops"]
        assert "está sin conexión</b><span" in pages["/ops"].replace(' lang="es-MX"', "")
        assert "revise la corriente, la red y la clave;" in pages["/ops"]
        assert re.search(r'<p class="fine">0 de \d+ mesas?, 0 de \d+ pantallas?', pages["/ops"])
        async with web.get("/ops/hits") as answer:
            assert '<html lang="en-US">' in await answer.text()


WALKED = (
    "",
    "/hits",
    "/hits/main/H1",
    "/hits/main/H1/preview?act=undo",
    "/hits/main/H9",
    "/links",
    f"/links/{LINK}",
    f"/links/{LINK}/preview?act=correct-meter&level=mega&account=primary&amount=-1.50",
    "/tables/T01",
    "/requests",
    "/alarms",
    "/people",
    "/people/1",
    "/account",
    "/journal",
    "/readings",
    "/reports",
    "/reports/access",
    "/reports/cost",
    "/reports/result?group=shift",
    "/reports/liability",
    "/director",
    "/what-if",
    "/lab",
)
# No gaming day has ended, so there is no reading to print: the page says so, and where to look.
UNREAD = "/reports/reading-slip?&as=print"


@on_loop
async def test_no_page_leaves_english_to_who_reads_spanish(tmp_path: Path) -> None:
    """Pages, reports, papers: what people read is Spanish, except where it says that it is English."""
    english = {text.strip() for text in words("es", PAGES)} - set(words("es", PAGES).values())
    asked, left = {"hit": "hit=H1", "days": "first=2000-01-01"}, set[str]()
    async with floor(tmp_path) as (server, web), table(server) as device:
        await royal(device)
        ann = await prove(server, "ann")
        done(await server.auth.act(server.banks["main"], Validate("H1"), [ann]))
        (await signed_in(web)).close()
        reports = [
            f"/reports/{report.name}?{'&'.join(asked[one] for one in report.options if one in asked)}"
            for report in REPORTS.values()
        ]
        for path in (*WALKED, *reports, *(f"{report}&as=print" for report in reports)):
            async with web.get(f"/ops{path}", headers={"Accept-Language": "es-MX"}) as answer:
                page = await answer.text()
            status = 404 if path.endswith("H9") else 400 if path == UNREAD else 200
            assert answer.status == status, path
            left |= {text for text in shown_in(page) if text in english or ENGLISH_WORDS.search(text)}
    assert sorted(left - {"main", "site"}) == []  # banks


def shown_in(page: str) -> set[str]:
    """The texts and the labels of a page, without what says that it is English, and the journal's own."""
    page = re.sub(r"(?s)<(pre|style|select|datalist)\b.*?</\1>", "", page)
    page = re.sub(r'(?s)<(\w+)[^>]*\slang="en"[^>]*>.*?</\1>', "", page)
    labels = re.findall(r'(?:aria-label|data-label|data-says|alt)="([^"]*)"', page)
    return {text.strip() for text in (*re.split(r"<[^>]*>", page), *labels)}


@on_loop
async def test_who_was_given_a_code_chooses_a_password_at_the_door(tmp_path: Path) -> None:
    """Access: the field of the code stands where it is wanted, also after a mistake."""
    async with floor(tmp_path) as (server, web):
        ann = await prove(server, "ann")
        added = await PersonAdmin(server.auth).add([ann], "cal", "Cal", ())
        given = await PersonAdmin(server.auth).give_code(ann, added.person)
        assert 'href="/ops/sign-in?first=yes&amp;back=%2Fops"' in await text(web, "/ops/sign-in")
        form = {"login": "cal", "first": "wrong", "secret": "long enough now", "back": "/ops/hits"}
        async with web.post("/ops/sign-in", data=form, allow_redirects=False) as answer:
            page = await answer.text()
        assert answer.status == 403
        for kept in ('id="first" name="first" required', 'value="cal"', 'name="back" value="/ops/hits"'):
            assert kept in page
        async with web.post(
            "/ops/sign-in", data=form | {"first": given.code}, allow_redirects=False
        ) as answer:
            assert (answer.status, answer.headers["Location"]) == (303, "/ops/hits")


@on_loop
async def test_a_page_says_only_what_became_of_its_own_form(tmp_path: Path) -> None:
    """A10: no link from elsewhere says that a hit is paid, also not with a word that was ours."""
    async with floor(tmp_path) as (server, web), table(server) as device:
        await royal(device)
        async with await signed_in(web) as answer:
            token = page_token(answer.cookies[PLAIN_COOKIE].value)
        form = {"hit": "H1", "page": token, "back": "/ops/hits/main/H1"}
        async with web.post("/ops/acts/validate", data=form, allow_redirects=False) as answer:
            ours = answer.headers["Location"]
        assert 'class="said" role="status">H1 is validated. Now it is to be paid.<' in await text(web, ours)
        for other in (
            "/ops/hits/main/H1?said=Pay:%20done",
            f"/ops/hits/main/H1?said=Pay:%20done&word={message_signature('', 'Pay: done')}",
            ours.replace("validated", "paid"),
            ours[:-1],
            "/ops?said=%ff&word=%ff",
        ):
            assert 'class="said"' not in await text(web, other), other
        paid = form | {"document": "P-1", "seat": "1"}
        spanish = {"Accept-Language": "es"}
        async with web.post("/ops/acts/pay", data=paid, headers=spanish) as answer:
            said = "El asiento 1 de H1 está pagado, folio P-1."
            assert f'class="said" role="status">{said}<' in await answer.text()
        (await signed_in(web, login="bo")).close()
        assert 'class="said"' not in await text(web, ours), "it was said to somebody else"


async def text(web: aiohttp.ClientSession, at: str) -> str:
    """The text of the page there."""
    async with web.get(URL(at, encoded=True)) as answer:
        assert answer.status == 200
        return await answer.text()
