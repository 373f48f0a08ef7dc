"""The what-if page: played again in a process of its own, with its progress, and ended when nobody looks."""

import asyncio
import html
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from jackpot.api.worker_pool import WorkerPool
from jackpot.catalogue import load
from jackpot.web import what_if
from tests.net.test_admin_socket import royal
from tests.net.test_examples import OFFERS
from tests.running_server import LINK, LINKS, WAIT_S, StepClock, on_loop, table, until
from tests.web.test_authentication import floor, signed_in
from tests.web.test_mystery import MYSTERY, OF_TABLE

AT = f"/ops/what-if?link={LINK}&go=yes"


async def page_of(web: aiohttp.ClientSession, at: str) -> str:
    async with web.get(at) as page:
        assert page.status == 200
        return html.unescape(await page.text())


async def until_shown(web: aiohttp.ClientSession, at: str, *texts: str) -> str:
    """The page once it says one of these; it is asked for again, as its script does."""
    async with asyncio.timeout(WAIT_S):
        while True:
            said = await page_of(web, at)
            if any(text in said for text in texts):
                return said
            await asyncio.sleep(0.05)


@pytest.mark.real_workers
@on_loop
async def test_a_link_is_played_again_on_other_terms(tmp_path: Path) -> None:
    """What-if: both sides by level, in all and day by day; what cannot be is said in one line."""
    clock = StepClock()
    async with floor(tmp_path, clock=clock) as (server, web), table(server) as device:
        await royal(device)
        clock.stepped_s += 86_400
        await until(lambda: bool(server.banks["main"].sequencer.engine.state.last_day))
        day = server.banks["main"].sequencer.engine.state.last_day
        (await signed_in(web)).close()
        form = await page_of(web, f"/ops/what-if?link={LINK}")
        assert 'name="set.mega.primary"' in form
        assert 'id="played"' not in form, "nothing is played before somebody asks"
        said = await until_shown(web, f"{AT}&set.mega.primary=18%25", "In all")
        for text in (
            "At the end of each gaming day",
            "not allowed on this paytable",
            "$10,000.18",
            "$10,000.36",
        ):
            assert text in said, text
        said = await until_shown(web, f"{AT}&since={day}", "In all")
        assert "$10,000.18" not in said.partition('id="played"')[2], "that was won before"
        for wrong, why in (
            ("&since=2020-01-01", "no reading was taken for 2020-01-01"),
            ("&since=never", "is no day like 2026-11-20"),
            ("&set.mega.primary=5", "is not a rate"),
            ("&set.grand.primary=5%25", "has no level grand"),
            ("&paytable=nothing", "nothing"),
        ):
            said = await until_shown(web, AT + wrong, 'role="alert"')
            assert why in said, wrong
            assert '<p id="played" class="problem" role="alert">' in said, "the page's script puts it there"
        assert 'role="alert"' in await page_of(web, "/ops/what-if?link=nowhere")


@on_loop
async def test_it_offers_the_paytables_of_the_links_kind(tmp_path: Path) -> None:
    """What-if: a progressive is played on no bonus wager's paytable, nor an offer on one with meters."""
    async with floor(tmp_path, links=LINKS + OFFERS) as (_, web):
        (await signed_in(web)).close()
        for link, kind in ((LINK, "link"), ("five-bonus", "offer")):
            form = await page_of(web, f"/ops/what-if?link={link}")
            offered = re.findall(r'<option value="((?:pa|ma)-[^"]+)"', form)
            assert len(offered) > 1
            assert {load(one).use for one in offered} == {kind}


@on_loop
async def test_a_refused_question_stays_as_it_was_typed(tmp_path: Path) -> None:
    """What-if: the form comes back on the link that was asked for, with what was typed."""
    async with floor(tmp_path, links=LINKS + OFFERS) as (_, web):
        (await signed_in(web)).close()
        form = await page_of(
            web, "/ops/what-if?link=five-bonus&go=yes&since=never&paytable=pa-643a-five-card-bonus-B"
        )
        assert "is no day like 2026-11-20" in form
        assert '<option value="five-bonus" selected>' in form
        assert '<option value="pa-643a-five-card-bonus-B" selected>' in form
        assert 'value="never"' in form


@pytest.mark.real_workers
@on_loop
async def test_a_mystery_is_played_again_on_figures_of_its_own(tmp_path: Path) -> None:
    """What-if, Y1: seed, must_hit_by and rate of each level; no paytable, reserve or limit."""
    async with floor(tmp_path, links=MYSTERY, of_tables=OF_TABLE) as (_, web):
        (await signed_in(web)).close()
        form = await page_of(web, "/ops/what-if")
        asked = set(re.findall(r'name="set\.\w+\.(\w+)"', form))
        assert asked == {"primary", "seed", "must_hit_by"}
        assert 'name="paytable"' not in form
        (level,) = set(re.findall(r'name="set\.(\w+)\.', form))
        at = f"/ops/what-if?go=yes&set.{level}.primary=5%25"
        said = await until_shown(web, at, "In all")
        assert "What was played again" in said


class Held:
    """Answers of a pool that come when they may. told: what takes progress."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.asked: list[bytes] = []
        self.ended: list[bytes] = []
        self.pool: WorkerPool | None = None
        held = self

        async def answer(pool: WorkerPool, question: bytes, _within_s: float) -> bytes:
            held.asked.append(question)
            held.pool = pool
            try:
                return await asyncio.get_running_loop().create_future()  # type: ignore[no-any-return]
            finally:
                held.ended.append(question)

        monkeypatch.setattr(WorkerPool, "_answer", answer)

    @property
    def progress(self) -> Callable[[int, int], Any]:
        assert self.pool is not None
        return partial(self.pool._tell, self.asked[-1])


@on_loop
async def test_it_says_how_far_it_is_and_ends_when_nobody_looks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Misuse: one question a person; another one, the button, or nobody at the page ends it."""
    held = Held(monkeypatch)
    async with floor(tmp_path) as (_, web):
        (await signed_in(web)).close()
        assert "Waiting for its turn" in await page_of(web, AT)
        await until(lambda: bool(held.asked))
        held.progress(4_096, 10_000)
        said = await page_of(web, AT)
        assert "4,096 of 10,000 rows" in said
        assert re.search(r'<progress [^>]*value="4096" max="10000"', said)
        assert len(held.asked) == 1, "the page looks at what is worked at already"
        await page_of(web, f"{AT}&set.mega.primary=1%25")
        await until(lambda: len(held.ended) == 1 and len(held.asked) == 2)
        assert 'id="played"' not in await page_of(web, f"/ops/what-if?link={LINK}&stop=yes")
        await until(lambda: len(held.ended) == 2)
        monkeypatch.setattr(what_if, "LEFT_S", 0.01)
        await page_of(web, AT)
        await until(lambda: len(held.ended) == 3)
        monkeypatch.setattr(what_if, "LEFT_S", 30.0)
        assert "Waiting for its turn" in await page_of(web, AT), "the same question may be asked again"
        await until(lambda: len(held.asked) == 4)
        await page_of(web, f"{AT}&since=2026-11-20")
        await until(lambda: len(held.asked) == 5)
    assert len(held.ended) == 5, "the server ends with nothing at work"


@on_loop
async def test_two_pages_of_one_person_do_not_end_each_other_s_questions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Misuse: a page that only looks begins nothing, so that two of them start no process a second."""
    held = Held(monkeypatch)
    async with floor(tmp_path) as (_, web):
        (await signed_in(web)).close()
        first = await page_of(web, AT)
        assert re.search(r'hx-get="[^"]*&look=yes"', first)
        await page_of(web, f"{AT}&since=2026-11-20")
        await until(lambda: len(held.asked) == 2)
        assert "It was ended: ask once more" in await page_of(web, f"{AT}&look=yes")
        assert "Waiting for its turn" in await page_of(web, f"{AT}&since=2026-11-20&look=yes")
        assert len(held.asked) == 2
