"""The lab's page: what a link returns at its meters of now, with every figure in its files."""

import asyncio
import csv
import json
import re
from decimal import Decimal
from html import unescape
from pathlib import Path

import aiohttp
import msgspec
import pytest

from jackpot.api.worker_pool import WorkerPool
from jackpot.app import Server
from jackpot.odds.worker import LabCall, LabReply
from jackpot.web import lab
from tests.running_server import LINK, LINKS, WAIT_S, on_loop, table, until
from tests.web.test_authentication import floor, signed_in
from tests.web.test_offer_pages import OFFERS
from tests.web.test_ops import FREE


@pytest.mark.real_workers
@on_loop
async def test_a_link_at_its_meters_of_now_with_pictures_and_files(tmp_path: Path) -> None:
    """A1, A5, S1: the live meter stands in the form; the pictures and files are of the same figures."""
    async with floor(tmp_path) as (_, web), table(_):
        (await signed_in(web)).close()
        async with web.get("/ops/lab") as page:
            text = await page.text()
        assert page.status == 200
        assert 'value="10000.00"' in text
        assert "Return of a wager at these meters" in text
        at = f"link={LINK}&meter.mega=81250.00&players=7&rate=2000"
        async with web.get(f"/ops/lab?{at}") as page:
            text = await page.text()
            assert "mega at $81,250.00" in text
            assert f'src="/ops/lab/year-mega.svg?link={LINK}&amp;meter.mega=81250.00&amp;' in text
            assert 'alt="What a $1.00 wager returns at each mega meter"' in text
        async with web.get(f"/ops/lab?{at}&of=another-link&game=chess") as page:
            text = await page.text()
            assert 'value="10000.00"' in text, "what was typed for another link is not this one's"
            assert 'role="alert"' not in text
        async with web.get(f"/ops/lab/year-mega.svg?{at}") as picture:
            assert picture.content_type == "image/svg+xml"
            assert "script" not in picture.headers["Content-Security-Policy"]
            assert "days at 2,000 wagers an hour" in await picture.text()
        async with web.get(f"/ops/lab?{at}&as=csv") as file:
            lines = list(csv.reader((await file.text()).splitlines()))
            assert ["levels", "1", "meter", "81250"] in lines
        async with web.get(f"/ops/lab?{at}&as=json") as file:
            assert json.loads(await file.text())["levels"][0]["meter"] == "81250"
        async with web.get(f"/ops/lab?{at}&as=print") as paper:
            assert "script" not in paper.headers["Content-Security-Policy"]
            assert "Control of the reset key" in await paper.text()


@on_loop
async def test_a_question_that_cannot_be_meant_is_answered_on_its_page(tmp_path: Path) -> None:
    """Misuse: a wrong level, number or link is named; there is no other file or picture."""
    async with floor(tmp_path) as (_, web):
        (await signed_in(web)).close()
        for query, said in (
            ("players=9", "Players: let-it-ride seats 1 to 7, not 9"),
            ("players=many", "is no whole number"),
            ("rate=99999999", "is no whole number of up to 7 digits"),
            ("meter.mega=-1", "Mega: &#39;-1&#39; is no sum: write it like $5,000.00"),
            ("game=chess", "is played at let-it-ride"),
            ("players=0", "Players: let-it-ride seats 1 to 7, not 0"),
            ("rate=NaN", "Rate: &#39;NaN&#39; is no whole number"),
            ("meter.mega=inf", "is no sum"),
            ("meter.mega=99999999999999", "at most $1,000,000,000.00"),
            (
                "meter.grand=5.00",
                "Meter.grand: nothing of it is asked of Floor Five; its levels are mega, major",
            ),
            ("wager=0", "Wager: nothing of it is asked of Floor Five"),
        ):
            async with web.get(f"/ops/lab?{query}") as page:
                text = await page.text()
                assert (page.status, 'role="alert"' in text, said in text) == (200, True, True), query
        for path, status in (
            ("/ops/lab?meter.mega=$81,250.00&as=json", 200),
            ("/ops/lab?link=none", 400),
            ("/ops/lab?as=exe", 404),
            ("/ops/lab/odd.svg", 404),
            ("/ops/lab?as=csv&players=9", 400),
            ("/ops/lab/return-mega.svg?players=NaN", 400),
            ("/ops/lab/return-mega.svg?meter.grand=5.00", 400),
        ):
            async with web.get(path) as page:
                assert page.status == status, path


@on_loop
async def test_a_mystery_link_has_its_figures(tmp_path: Path) -> None:
    """Y5: at the meter of the form, in each file; no game and no players are asked, and nothing is drawn."""
    mystery = (
        '[[link]]\nid = "lantern"\nkind = "mystery"\nform = "drawn"\nwager = "5.00"\nelectronic = true\n'
        '[link.level.meter]\nseed = "10.00"\nmust_hit_by = "20.00"\nprimary = "10%"\n'
    )
    at = "/ops/lab?link=lantern"
    async with floor(tmp_path, links=LINKS + mystery) as (_, web):
        (await signed_in(web)).close()
        async with web.get(f"{at}&meter.meter=19.00") as page:
            text = await page.text()
            assert page.status == 200
            for said in (
                "Cycles from the minimum",
                "29.05 %",
                "$18.13",
                "each wager draws for itself",
                "<img",
            ):
                assert said in text
            for absent in ('name="game"', 'name="players"', "running trigger"):
                assert absent not in text
        async with web.get(f"{at}&meter.meter=19.00&as=json") as file:
            told = await file.json()
            assert told["levels"][0]["chance"] == "1/2"
        async with web.get(f"{at}&as=csv") as file:
            assert 'filename="lantern.csv"' in file.headers["Content-Disposition"]
        async with web.get(f"{at}&meter.meter=20.00") as page:
            assert "is not below 20.00, by which it must hit" in await page.text()


@on_loop
async def test_every_figure_of_the_page_is_in_its_files(tmp_path: Path) -> None:
    """The lab, proof: each cell of each table is a line of the CSV, and stands in the JSON, as exact."""
    at = f"/ops/lab?link={LINK}&meter.mega=81250.00&players=7&rate=2000"
    async with floor(tmp_path) as (_, web):
        (await signed_in(web)).close()
        async with web.get(at) as answer:
            page = unescape(await answer.text())
        async with web.get(f"{at}&as=csv") as answer:
            lines = list(csv.DictReader((await answer.text()).splitlines()))
        async with web.get(f"{at}&as=json") as answer:
            told = await answer.json()
    facts = {line["figure"].capitalize(): line["value"] for line in lines if line["sheet"] == "subject"}
    assert facts == dict(re.findall("<dt>(.*?)</dt><dd>(.*?)</dd>", page))
    cells = re.findall("<td[^>]*>(.*?)</td>", page)
    figures = [line for line in lines if line["sheet"] != "subject"]
    assert len(cells) == len(figures) > 200
    for cell, line in zip(cells, figures, strict=True):
        assert same(cell, line["value"]), (cell, line)
        found = told[line["sheet"]][int(line["row"]) - 1][line["figure"]]
        assert ("" if found is None else str(found)) == line["value"]


def same(cell: str, value: str) -> bool:
    """Whether a page's cell equals a file's figure: cut to the cent, or rounded to two digits."""
    digits = cell.replace(",", "")
    if cell.startswith("$"):
        return 0 <= Decimal(value) - Decimal(digits[1:]) < Decimal("0.01")
    if cell.endswith(" %") and "of" not in value and not value.endswith("%"):
        return abs(100 * Decimal(value) - Decimal(digits[:-2])) <= Decimal("0.005")
    if re.fullmatch(r"\d+ in \d+", digits):
        return digits.replace(" in ", "/") == value
    if re.fullmatch(r"-?[\d.]+", digits):
        return abs(Decimal(digits) - Decimal(value)) <= abs(Decimal(value)) / 100
    return not re.search(r"\d", cell) or cell == value


@on_loop
async def test_the_lab_speaks_the_browsers_language(tmp_path: Path) -> None:
    """Pages, M1: tables, titles, pictures, paper and refusals are Spanish; files for programs are not."""
    async with floor(tmp_path) as (_, web):
        (await signed_in(web)).close()

        async def read(path: str, language: str) -> str:
            async with web.get(f"/ops/lab{path}", headers={"Accept-Language": language}) as answer:
                return await answer.text()

        at = f"?link={LINK}&meter.mega=81250.00&players=7&rate=2000"
        page = await read(at, "es")
        assert "Retorno de una apuesta con estos contadores" in page
        assert "mega con $81,250.00" in page
        assert 'alt="Qué devuelve una apuesta de $1.00 con cada contador mega"' in page
        assert page.count('lang="en"') == 1, "the button that shows the page in English"
        for english in (
            "of the wager",
            "house edge",
            "Mean at",
            "each dealt a hand",
            " in 649,740",
            "for 1<",
        ):
            assert english not in page
        assert "días con 2,000 apuestas por hora" in await read(f"/year-mega.svg{at}", "es")
        assert '<html lang="es">' in (paper := await read(f"{at}&as=print", "es"))
        assert "Control de la llave de reinicio" in paper
        assert "no es un número entero de hasta 7 cifras" in await read("?rate=x", "es")
        assert "Jugadores: en let-it-ride caben de 1 a 7, no 9" in await read("?players=9", "es")
        assert await read(f"{at}&as=csv", "es") == await read(f"{at}&as=csv", "en")


@pytest.mark.real_workers
@on_loop
async def test_a_lab_that_cannot_answer_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """S4's manner: what is slow is given up, what is missing is named, and the pages go on."""
    async with floor(tmp_path) as (_, web):
        (await signed_in(web)).close()
        monkeypatch.setattr(lab, "FIGURES_WITHIN_S", 0.001)
        async with web.get("/ops/lab") as page:
            assert page.status == 503
            assert "The lab did not answer" in await page.text()
        monkeypatch.setattr(lab, "FIGURES_WITHIN_S", 30.0)

        async def bare(*_question: object) -> bytes:
            return msgspec.json.encode(LabReply(facts=[("game", "let-it-ride")]))

        monkeypatch.setattr(WorkerPool, "_answer", bare)
        async with web.get("/ops/lab") as page:
            assert "-m pip install 'jackpot[lab]'." in unescape(await page.text())


@on_loop
async def test_figures_wait_for_no_picture_and_a_page_is_drawn_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page answers at once while its pictures, or those of a page left again, are still being drawn."""
    asked_for: list[bool] = []
    begun, end = asyncio.Event(), asyncio.Event()

    async def slow_to_draw(_apart: WorkerPool, question: bytes, _within_s: float) -> bytes:
        draw = msgspec.json.decode(question, type=LabCall).draw
        asked_for.append(draw)
        if draw:
            begun.set()
            await end.wait()
        return msgspec.json.encode(LabReply(pictures=dict.fromkeys(("return-mega", "envy"), "<svg/>")))

    async def status(web: aiohttp.ClientSession, path: str) -> int:
        async with web.get(f"/ops/lab{path}?meter.mega=81250.00") as answer:
            return answer.status

    async with floor(tmp_path) as (_, web), asyncio.timeout(WAIT_S):
        (await signed_in(web)).close()
        monkeypatch.setattr(WorkerPool, "_answer", slow_to_draw)
        async with asyncio.TaskGroup() as tasks:
            names = ("return-mega", "envy") * 5
            drawn = [tasks.create_task(status(web, f"/{name}.svg")) for name in names]
            await begun.wait()
            assert await status(web, "") == 200
            end.set()
        assert [task.result() for task in drawn] == [200] * len(drawn)
    assert sorted(asked_for) == [False, True]


@on_loop
async def test_a_question_ends_once_all_who_asked_have_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Misuse: pages and reports that were left again hold nobody up; what somebody waits for goes on."""
    begun, ended = list[bytes](), list[bytes]()

    async def slow(_apart: WorkerPool, question: bytes, _within_s: float) -> bytes:
        begun.append(question)
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(question)
        return b""

    async def status(web: aiohttp.ClientSession, path: str) -> int:
        async with web.get(path) as page:
            return page.status

    monkeypatch.setattr(WorkerPool, "_answer", slow)
    async with floor(tmp_path) as (server, web), asyncio.timeout(WAIT_S), asyncio.TaskGroup() as tasks:
        (await signed_in(web)).close()
        paths = ("/ops/lab?meter.mega=81250.00", "/ops/lab/envy.svg?players=2", "/ops/reports/hits")
        asked = list[str]()
        for path in paths:
            asked.append(path)
            first = tasks.create_task(status(web, path))
            await until(lambda: len(begun) == len(asked))
            left = [first, *(tasks.create_task(status(web, path)) for _ in range(2))]
            await until(lambda: joined(server) == 3)
            for task in left[:2]:
                task.cancel()
            await until(lambda: joined(server) == 1)
            assert (len(begun), len(ended)) == (len(asked), len(asked) - 1)
            left[2].cancel()
            await until(lambda: len(ended) == len(asked))
    assert begun == ended


def joined(server: Server) -> int:
    """Connections that wait for an answer from a worker."""
    return sum(visitor.works is not None for visitor in server.connections.all)


@on_loop
async def test_no_person_fills_the_lab_for_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Misuse: what one person asks beyond a page is refused, others are answered; what is known, at once."""
    end = asyncio.Event()

    async def slow(*_question: object) -> bytes:
        await end.wait()
        return msgspec.json.encode(LabReply())

    async def status(web: aiohttp.ClientSession, players: int) -> int:
        async with web.get(f"/ops/lab?meter.mega=81250.00&players={players}") as page:
            return page.status

    jar = aiohttp.CookieJar(unsafe=True)
    async with floor(tmp_path) as (server, web), asyncio.timeout(WAIT_S):
        (await signed_in(web)).close()
        assert await status(web, 1) == 200
        monkeypatch.setattr(WorkerPool, "_answer", slow)
        at = f"http://127.0.0.1:{server.ports['http']}"
        async with aiohttp.ClientSession(at, cookie_jar=jar) as other, asyncio.TaskGroup() as tasks:
            (await signed_in(other, login="bo")).close()
            mine = [tasks.create_task(status(web, players)) for players in range(2, 9)]
            refused, waiting = await asyncio.wait(mine, return_when=asyncio.FIRST_COMPLETED)
            theirs = tasks.create_task(status(other, 7))
            assert await status(web, 1) == 200
            end.set()
        assert [task.result() for task in refused] == [503]
        assert [task.result() for task in waiting] == [200] * lab.WAITING_EACH
        assert theirs.result() == 200


@on_loop
async def test_the_lab_tells_an_offers_exact_return_and_simulates_it(tmp_path: Path) -> None:
    """B5, B14: the odds of the configured terms, the stake kept among them; it has no meter and no rate."""
    async with floor(tmp_path, links=FREE + OFFERS) as (_, web):
        (await signed_in(web)).close()
        page = await shown(web, "/ops/lab?link=three-bonus&players=5")
        for said in (
            "97.68 %",
            "What a player comes away with, simulated",
            "200 sessions",
            "Three Card Bonus",
        ):
            assert said in page
        assert 'src="/ops/lab/sessions.svg?' in page
        assert 'name="rate"' not in page
        assert 'name="meter.' not in page
        assert "95.11 %" in await shown(web, "/ops/lab?link=five-bonus"), "the stake is kept"
        refused = await shown(web, "/ops/lab?link=three-bonus&meter.mega=5.00")
        assert "Meter.mega: nothing of it is asked of three-bonus: it has no meter" in refused
        assert "sessions,1,exact,0.976" in await shown(web, "/ops/lab?link=three-bonus&as=csv")


async def shown(web: aiohttp.ClientSession, path: str) -> str:
    async with web.get(path) as answer:
        return await answer.text()
