"""`/sign/wall`: several links on one screen, in a real browser before a real server."""

from pathlib import Path

import aiohttp
import pytest
from playwright.async_api import Frame, Page

from jackpot.app import Server
from jackpot.web.sign_pages import WALL_MAX
from tests.nightly import repeated
from tests.running_server import LINK, LINKS, StepClock, configure, on_loop, table
from tests.web.browser import (
    MOTION,
    SIZES,
    chromium,
    misfits,
    needs_chromium,
    on_browser_loop,
    opened,
    resized,
    state,
    until_true,
)
from tests.web.test_sign_pages import CLIPPED, RISEN, ROYAL, page_of

# Next to the link of the tests: one in Spanish, one of a single level, one whose mega is another bank's.
OTHERS = ("north", "salon", "three")
WALL = ",".join((LINK, *OTHERS))
FOUR = (
    LINKS
    + LINKS.replace(LINK, "north")
    + LINKS.replace(LINK, "salon")
    + """
[link.display]
title = "Gran Salón"
locale = "es_MX"
accent = "#ff7ab8"
"""
    + """
[[link]]
id = "three"
paytable = "pa-649a-2011-progressive-A"
wager = "1.00"
decks = 1
count_chips = false
[link.level.meter]
primary = "14%"
seed = "1000.00"
reseed = "1000.00"
"""
)

# Four links, of which two win at once: who has the stage, by what each shows.
STAGES = """async () => {
    const { staged } = await import('/static/walls.js');
    const minor = {level: 'minor', began: 1000};
    const mega = {level: 'mega', began: 4000};
    const later = {level: 'mega', began: 5000};
    const alike = {...mega};
    const shown = [[null, null], [minor, null], [minor, mega], [later, mega], [mega, later], [mega, alike]];
    return shown.map(staged);
}"""


# The least height of a sign's amounts once they fit it, as a part of its own.
# Whether each digit is a twentieth of the frame's height at least.
READABLE = """() => [...document.querySelectorAll('.level .digit')].every(
    (digit) => digit.getBoundingClientRect().height / innerHeight > 0.05)"""


def frame_of(page: Page, link: str) -> Frame:
    (frame,) = (frame for frame in page.frames if frame.url.partition("?")[0].endswith(f"/sign/{link}"))
    return frame


async def part(page: Page, link: str) -> float:
    """The part of the screen that the link's sign takes."""
    box = await (await frame_of(page, link).frame_element()).bounding_box()
    size = page.viewport_size
    assert box
    assert size
    return box["width"] * box["height"] / (size["width"] * size["height"])


# The screens that are least like a grid of four: it is looked at there. The stage is looked at on a low, a
# high and a narrow one; at night on all of them.
GRID = ("portrait", "strip")
STAGE = repeated(("strip", "portrait", "phone"), tuple(SIZES))
# Sizes that are looked at after one load: a win has the stage for a minute, which a busy machine may need.
A_LOAD = 2


@needs_chromium
@on_browser_loop
async def test_four_links_are_whole_on_every_screen(tmp_path: Path) -> None:
    """Signs: each link of a wall keeps its brand and its digits whole, also next to one that celebrates."""
    faults = list[str]()
    async with chromium() as browser, Server(configure(tmp_path, links=FOUR)) as server:
        wall = page_of(server, f"/sign/wall?links={WALL}")
        page = await opened(browser, wall, "wall", faults, reduced_motion=MOTION)
        looked_at = [("normal", size) for size in GRID] + [("win", size) for size in STAGE]
        for place, (shown, size) in enumerate(looked_at):
            await resized(page, size)
            if place % A_LOAD == 0:
                await page.goto(f"{wall}&preview={shown}")
            await until_true(page, f"document.body.dataset.stage === '{LINK if shown == 'win' else ''}'")
            for link in (LINK, *OTHERS):
                frame = frame_of(page, link)
                here = shown if link == LINK else "normal"
                await frame.wait_for_selector(f"body[data-state={here}]")
                if here == "win":
                    await frame.evaluate(RISEN)
                parts = "#win .fills" if here == "win" else "footer p, .note, .name"
                assert await misfits(frame, parts) == [], (size, shown, link)
                assert await frame.evaluate(CLIPPED) == 0, (size, shown, link)
            taken = [await part(page, link) for link in (LINK, *OTHERS)]
            assert 0.98 < sum(taken) < 1.02
            assert (taken[0] > 0.6) == (shown == "win")
            assert min(taken) > 0.05
        assert await page.evaluate(STAGES) == [None, 0, 1, 1, 0, 0]
    assert faults == []


@needs_chromium
@on_browser_loop
async def test_a_win_takes_the_wall_and_gives_it_back(tmp_path: Path) -> None:
    """Signs: a mega of one link has the stage until its minute is over; the others run on next to it."""
    config, faults, clock = configure(tmp_path, links=FOUR), list[str](), StepClock()
    async with chromium() as browser, Server(config, clock) as server, table(server) as device:
        wall = page_of(server, f"/sign/wall?links=north,{LINK}")
        page = await opened(browser, wall, "wall", faults, reduced_motion=MOTION)
        for link in ("north", LINK):
            await state(frame_of(page, link), "normal")
        device.wager(1, "R1", 1, lock=True)
        device.say(t="settle", seq=2, round="R1", hands=[ROYAL], board=["Js", "Ts"], close=True)
        await until_true(page, f"document.body.dataset.stage === '{LINK}'")
        assert await part(page, LINK) > 0.6
        await state(frame_of(page, "north"), "normal")
        clock.ahead_s += 61
        await until_true(page, "document.body.dataset.stage === ''")
        assert await part(page, LINK) == pytest.approx(0.5, abs=0.01)
        await state(frame_of(page, LINK), "pending")
        # The note of what waits leaves room for every amount, also in a frame that is nearly a square.
        await until_true(frame_of(page, LINK), READABLE)
    assert faults == []


@on_loop
async def test_a_wall_that_cannot_be_is_told_which_can(tmp_path: Path) -> None:
    """Signs: no links, one that is not there and too many are refused with an address that works.

    Without the word `links` the wall has all of them, up to eight.
    """
    many = "".join(LINKS.replace(LINK, f"link-{number}") for number in range(WALL_MAX))
    config = configure(tmp_path, links=LINKS + many)
    async with Server(config) as server, aiohttp.ClientSession() as session:
        for links in ("", "another", ",".join((LINK, *(f"link-{number}" for number in range(WALL_MAX))))):
            async with session.get(page_of(server, f"/sign/wall?links={links}")) as response:
                assert response.status == 404
                assert f"/sign/wall?links={LINK},link-0" in await response.text()
        async with session.get(page_of(server, "/sign/wall")) as response:
            assert response.status == 200
            shown = await response.text()
            assert "link-6" in shown  # the first WALL_MAX, in their order
            assert "link-7" not in shown
        async with session.get(page_of(server, f"/sign/wall?links={LINK}")) as response:
            assert "frame-src 'self'" in response.headers["Content-Security-Policy"]
            assert "script-src 'self'" in response.headers["Content-Security-Policy"]
