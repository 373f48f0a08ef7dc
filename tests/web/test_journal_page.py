"""The journal's page is searched by kind, person, hit and gaming day; tables sort by their heads."""

import html
import re
from pathlib import Path

import aiohttp
import pytest

from jackpot.reports.read import journal
from jackpot.reports.read.gaming_days import gaming_day
from jackpot.rules.acts.hits import Validate
from jackpot.rules.acts.links import Suspend
from tests.net.test_admin_socket import royal
from tests.running_server import LINK, LINKS, on_loop, table
from tests.web.staffed import done, join, prove
from tests.web.test_authentication import floor, signed_in


async def entries(web: aiohttp.ClientSession, **asked: str) -> list[str]:
    """The kinds of the entries that a search finds, the newest first, over all its pages."""
    found, at = list[str](), dict(asked)
    while True:
        async with web.get("/ops/journal", params=at) as answer:
            assert answer.status == 200
            page = await answer.text()
        found += re.findall(r'class="what"><b>([^<]+)</b>', page)
        older = re.search(r'<a class="button" href="\?([^"]*before=(\d+))"', page)
        if older is None:
            return found
        for name, value in asked.items():
            assert f"{name}={value}" in html.unescape(older[1]), "the search goes on as it was asked"
        at = asked | {"before": older[2]}


@on_loop
async def test_the_journal_is_searched_by_person_hit_and_day(tmp_path: Path) -> None:
    """S8: who signed it, which hit it is about, when; each alone and together, whichever page it is on."""
    async with floor(tmp_path) as (server, web), table(server) as device:
        await royal(device)
        bank, (ann, bo) = server.banks["main"], [await prove(server, login) for login in ("ann", "bo")]
        done(await server.auth.act(bank, Validate("H1"), [bo]))
        done(await server.auth.act(bank, Suspend("operator", (LINK,), "drill"), [bo]))
        (await signed_in(web)).close()
        assert await entries(web, person=str(bo.id)) == ["Suspended", "Validated"]
        assert await entries(web, person=str(bo.id), kind="validated") == ["Validated"]
        assert await entries(web, hit="H1") == ["Validated", "Settled"]
        assert await entries(web, hit="H1", person=str(ann.id)) == []
        today = gaming_day(server.clock.unix_ms(), server.config.site)
        of_today = await entries(web, day=today)
        assert {"Suspended", "Settled", "Link opened"} <= set(of_today)
        assert await entries(web, day="2000-01-01") == []
        assert await entries(web, day=today, kind="settled", table="T01") == ["Settled"]
        async with web.get("/ops/journal", headers={"Accept-Language": "es"}) as answer:
            page = await answer.text()
        assert '<option value="validated">Validado</option>' in page, "kinds are a list, in one's language"
        assert f'<option value="{bo.id}">Bo</option>' in page


@on_loop
async def test_a_search_that_cannot_be_is_told_at_its_field(tmp_path: Path) -> None:
    """Pages: what is wrong with a search stands in the label of its field."""
    async with floor(tmp_path) as (_, web):
        (await signed_in(web)).close()
        for asked, said in {
            ("hit", "9"): "A hit's id, such as H12",
            ("day", "2026-13-01"): "'2026-13-01' is no day like 2026-11-20",
            ("before", "x"): "The number of an entry",
            ("table", "T99"): "",
        }.items():
            async with web.get("/ops/journal", params=dict([asked])) as answer:
                page = html.unescape(await answer.text())
            field = asked[0]
            label = re.search(rf'<label for="{field}">(.*?)</label><input [^>]*aria-invalid="true"', page)
            assert label is not None, field
            assert said in label[1]


@on_loop
async def test_a_rare_act_is_found_without_its_neighbours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Limits: a page looks at few acts for one by a person, and goes on from there; none is missed."""
    async with floor(tmp_path) as (server, web):
        bank, (ann, bo) = server.banks["main"], [await prove(server, login) for login in ("ann", "bo")]
        (await signed_in(web)).close()
        done(await server.auth.act(bank, Suspend("operator", (LINK,), "drill"), [bo]))
        before = len(await entries(web, person=str(ann.id)))
        monkeypatch.setattr(journal, "ACTS_MAX", 1)
        assert await entries(web, person=str(bo.id)) == ["Suspended"]
        assert len(await entries(web, person=str(ann.id))) == before


@on_loop
async def test_tables_sort_by_their_heads(tmp_path: Path) -> None:
    """Pages: a head is a plain link; once more turns the order round; what has no value is last."""
    async with floor(tmp_path) as (server, web):
        await join(server, "cal", "floor")
        (await signed_in(web)).close()
        orders = {}
        for sort in ("", "login", "-login", "last", "nonsense"):
            async with web.get("/ops/people", params={"sort": sort} if sort else {}) as answer:
                page = await answer.text()
            orders[sort] = re.findall(r'data-label="sign-in name">(\w+)<', page)
            turned = re.findall(r'<th scope="col"(?: aria-sort="(\w+)")?><a href="\?sort=([-\w]+)">', page)
            if sort.endswith("login"):
                way, then = ("descending", "login") if sort[0] == "-" else ("ascending", "-login")
                assert (way, then) in turned
        assert orders["login"] == sorted(orders[""])
        assert orders["-login"] == sorted(orders[""], reverse=True)
        assert orders["last"][0] == "ann" or set(orders["last"]) == set(orders[""])
        assert orders["nonsense"] == orders[""]
        async with web.get("/ops/reports/access", params={"sort": "-row"}) as answer:
            page = await answer.text()
        rows = [
            int(row.replace(",", ""))
            for row in re.findall(r'<td class="count" data-label="Row">([\d,]+)<', page)
        ]
        assert rows == sorted(rows, reverse=True)
        assert len(rows) > 3


@on_loop
async def test_a_link_is_called_by_its_title_and_a_gap_in_the_readers_language(tmp_path: Path) -> None:
    """Pages: journal and reports say "Riverside Mega" where its id is floor-five; so is what papers lack."""
    titled = LINKS + "hold_table = false\n" + '[link.display]\ntitle = "Riverside Mega"\n'
    async with floor(tmp_path, links=titled) as (server, web), table(server) as device:
        await royal(device)
        bank, bo = server.banks["main"], await prove(server, "bo")
        done(await server.auth.act(bank, Suspend("operator", (LINK,), "drill"), [bo]))
        unknown = Validate("H1", paper=bytes(32), on_paper=("dealer",))
        done(await server.auth.act(bank, unknown, [bo]))
        (await signed_in(web)).close()
        spanish = {"Accept-Language": "es"}
        pages = {}
        for path in ("journal", "hits/main/H1", "reports/hits", "reports/explain?hit=H1", "reports/alarms"):
            async with web.get(f"/ops/{path}", headers=spanish) as answer:
                pages[path] = html.unescape(await answer.text())
        assert "Falta: a quién nombra" in pages["hits/main/H1"]
        said = re.sub(r"<(pre|script).*?</\1>|<[^>]+>", " ", "".join(pages.values()), flags=re.DOTALL)
        assert "who it names" not in said
        assert "Riverside Mega" in said
        assert LINK not in said
        async with web.get("/ops/reports/hits?as=csv") as answer:
            assert f",{LINK}," in await answer.text(), "programs read the id"
