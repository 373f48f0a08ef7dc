"""Reports as page, print and file, and answers to wrong questions."""

import asyncio
import csv
import html
import re
from pathlib import Path

import aiohttp
import pytest

from jackpot.api.worker_pool import WorkerPool
from jackpot.lab.bench.pages import here
from jackpot.odds.sheets import DOLLARS
from jackpot.reports.registry import REPORTS
from jackpot.rules.acts.hits import Validate
from jackpot.rules.money import of_decimal
from jackpot.text import name_sentence
from tests.net.test_admin_socket import royal
from tests.running_server import LINK, WAIT_S, StepClock, on_loop, table, until
from tests.web.staffed import done, prove, token
from tests.web.test_authentication import floor, signed_in


@on_loop
async def test_every_report_is_a_page_a_paper_and_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S1, S2: what the reports say, for people signed in; a paper runs no script and loads nothing."""
    monkeypatch.setattr("jackpot.app.readers", here)
    clock = StepClock()
    async with floor(tmp_path, clock=clock) as (server, web), table(server) as device:
        await royal(device)
        ann = await prove(server, "ann")
        done(await server.auth.act(server.banks["main"], Validate("H1"), [ann]))
        clock.stepped_s += 86_400  # the gaming day ends, and its meters are read
        await until(lambda: bool(server.banks["main"].sequencer.engine.state.last_day))
        (await signed_in(web)).close()
        for report in REPORTS.values():
            at = f"/ops/reports/{report.name}?bank=main" + ("&hit=H1" if "hit" in report.options else "")
            at += f"&link={LINK}" if report.name == "reading-slip" else ""
            async with web.get(at) as page:
                text = await page.text()
                assert (page.status, report.title in text, 'role="alert"' in text) == (200, True, False), at
            async with web.get(f"{at}&as=print") as paper:
                assert paper.status == 200
                assert "script" not in paper.headers["Content-Security-Policy"]
                assert report.title in await paper.text()
            async with web.get(f"{at}&as=csv") as file:
                rows = list(csv.reader((await file.text()).splitlines()))
                assert rows[0] == [column.name for column in report.columns]
            async with web.get(f"{at}&as=json") as file:
                assert file.content_type == "application/json"
                told = await file.json()
            facts = dict(re.findall("<dt>(.*?)</dt><dd>(.*?)</dd>", text))
            assert [str(name_sentence(name)) for name in told["facts"]] == list(facts), (
                "what stands above the rows"
            )
            assert all(list(row) == rows[0] for row in told["rows"])
            write = {column.name: DOLLARS.to_the_cent if column.kind == "money" else DOLLARS.exact
                     for column in report.columns}  # fmt: skip
            sums = [write[name](of_decimal(sum_)) for name, sum_ in told["totals"].items()]
            for total in re.findall(r'<td class="sum"[^>]*>(\$[^<]+)</td>', text.partition("<tfoot>")[2]):
                assert total in sums, "and below them"
        async with web.get("/ops/reports/slip?hit=H1&as=print") as paper:
            assert "$10,000.18" in await paper.text()
        async with web.get("/ops/reports/payout?hit=H1&as=print") as paper:
            text = await paper.text()
            assert ("Ann" in text, "person 1" in text) == (True, False)
        async with web.get("/ops/reports/cost?by=month&as=json") as file:
            totals = (await file.json())["totals"]
        assert {name: sum_ for name, sum_ in totals.items() if of_decimal(sum_)} == {
            "wagered": "2.000000", "onto_meters": "0.380000", "envy_paid": "1000.000000",
            "seeds": "21250.000000",
            "cost": "22250.380000", "left_to_the_house": "-22248.380000", "paid_from_meters": "10000.180000",
        }  # fmt: skip


@on_loop
async def test_a_question_that_cannot_be_meant_is_answered_on_its_page(tmp_path: Path) -> None:
    """Misuse: a wrong day, hit or bank is named, and an unknown report is none."""
    async with floor(tmp_path) as (_, web):
        (await signed_in(web)).close()
        for query, said in (
            ("hits?first=yesterday", "'yesterday' is no day like"),
            ("hits?first=2026-11-20&last=2026-11-01", "2026-11-20 is after 2026-11-01"),
            ("slip?hit=H1%27%20OR%201", "is no hit, such as H12"),
            ("slip?hit=H77", "H77"),
            ("hits?bank=other", "is unknown; there is"),
            ("cost?by=week", "is neither day nor month"),
            ("result?month=2026-13", "is no month like 2026-11"),
            ("result?group=seat", "is none of link or table or game or shift or day"),
            ("contributions?table=T99", "'T99' is unknown; there is T01"),
            ("awards?game=chess", "'chess' is unknown; there is let-it-ride"),
            ("expected?shift=noon", "'noon' is unknown; there is 06:00 14:00 22:00"),
            ("reading-slip", "no reading was taken for any day"),
        ):
            async with web.get(f"/ops/reports/{query}") as page:
                text = html.unescape(await page.text())
                told = 'role="alert"' in text or '<strong class="wrong">' in text
                assert (page.status, told, said.casefold() in text.casefold()) == (200, True, True), query
        async with web.get("/ops/reports/everything") as page:
            assert page.status == 404


@on_loop
async def test_why_there_is_no_report_is_said_in_the_readers_language(tmp_path: Path) -> None:
    """S1, the lab: a worker's refusal comes back as data, so that a Spanish page says it in Spanish."""
    async with floor(tmp_path) as (_, web):
        (await signed_in(web)).close()
        for at, said in (
            ("reports/hits?first=2026-11-20&last=2026-11-01", "2026-11-20 es después de 2026-11-01"),
            ("reports/slip?hit=H77", "No hay ningún acierto H77 en main o site"),
            ("lab?players=9", "Jugadores: en let-it-ride caben de 1 a 7, no 9"),
        ):
            async with web.get(f"/ops/{at}", headers={"Accept-Language": "es"}) as page:
                assert f'<bdi lang="es">{said}</bdi>' in await page.text(), at


@pytest.mark.real_workers
@on_loop
async def test_no_report_is_read_by_the_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Misuse: a process reads each; who asks meanwhile shares its answer, and no page and no paper waits."""
    asked, answer = list[bytes](), WorkerPool._answer
    going, end = asyncio.Event(), asyncio.Event()

    async def counted(apart: WorkerPool, question: bytes, within_s: float) -> bytes:
        asked.append(question)
        going.set()
        await end.wait()
        return await answer(apart, question, within_s)

    monkeypatch.setattr(WorkerPool, "_answer", counted)
    async with floor(tmp_path) as (server, web), table(server) as device:
        await royal(device)
        (await signed_in(web)).close()
        async with asyncio.timeout(WAIT_S), asyncio.TaskGroup() as tasks:
            both = [tasks.create_task(page_of(web, "/ops/reports/hits")) for _ in range(2)]
            await going.wait()
            assert "<h1>Hits</h1>" in await page_of(web, "/ops/hits")
            assert "There is no H77" in await page_of(web, "/ops/reports/payout?hit=H77")
            assert not any(task.done() for task in both)
            end.set()
        assert len(asked) == 1
        assert all("H1" in task.result() for task in both)
        monkeypatch.setattr("jackpot.web.reports.REPORT_WITHIN_S", 0.001)
        late = await page_of(web, "/ops/reports/hits")
        assert "There is too much to read for a page: jackpot report hits on the" in late


async def page_of(web: aiohttp.ClientSession, at: str) -> str:
    """A page's text."""
    async with web.get(at) as page:
        return await page.text()


@on_loop
async def test_a_program_has_reports_by_its_token(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """L6: as the description of the API says, without a session."""
    monkeypatch.setattr("jackpot.app.readers", here)
    async with floor(tmp_path) as (server, _), aiohttp.ClientSession() as program:
        at = f"http://127.0.0.1:{server.ports['http']}/ops/reports/liability?as=json"
        bearer = {"Authorization": f"Bearer {await token(server)}"}
        async with program.get(at, headers=bearer) as answer:
            assert (answer.status, (await answer.json())["report"]) == (200, "liability")
        async with program.get(at, allow_redirects=False) as answer:
            assert answer.status == 303, "nobody is signed in"
