"""Pictures of each link's sign in every state, as a browser of this machine draws them."""

import asyncio
import os
import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from aiohttp import web

from jackpot.cli.options import fail
from jackpot.clock import SystemClock
from jackpot.config import Config
from jackpot.rules.terms import METER
from jackpot.web.live import LiveStreams
from jackpot.web.sign_pages import Screens, secure, whole_hands

BROWSERS: Final = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
SIZES: Final = {"landscape": (1920, 1080), "portrait": (1080, 1920)}
# The posted odds are the idle sign's, later.
ODDS: Final = "odds"
STATES: Final = ("normal", ODDS, "pending", "suspended", "fault")
# Seconds after a win at which its sum has been counted, by level; a lower one is celebrated as a minor.
SHOWN_S: Final = {METER: 12.0, "mega": 12.0, "major": 8.0}
SHOWN_LOW_S: Final = 4.0
# The acts of a mega after the first one, each at a moment that shows what it is (phases.js).
ACTS_S: Final = {"fountain": 20.0, "again": 28.5, "spot": 40.0, "hand": 48.0}
HIGHEST: Final = (METER, "mega")
# How much of its way a meter that must hit by a sum has gone in its picture: there it is tensest.
NEAR: Final = 0.98
# How long an idle sign shows each of its scenes (idle.js).
SCENE_S: Final = 8
# Page time in which fonts come, digits settle and cards are dealt.
SETTLES_MS: Final = 6_000
# Of a browser that draws one picture: a machine without a graphics card needs some of it.
WITHIN_S: Final = 120.0


def browser() -> str:
    """The browser that draws; ends the command where there is none."""
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        fail(f"pictures need a browser on this machine: {', '.join(BROWSERS)}")
    return found


def states_of(config: Config, link: str) -> Iterator[tuple[str, str]]:
    """(name, query) of each picture of a link."""
    (terms,) = (one for one in config.links if one.link == link)
    # After the hands that win a level, and the line that the meter grows.
    later = f"normal&past={(len(whole_hands(terms)) + 1) * SCENE_S}"
    for state in STATES:
        if state != ODDS:
            yield state, f"preview={state}&held=settled"
        elif terms.rows:
            yield state, f"preview={later}&held=settled"
    if any(level.must_hit_by is not None for level in terms.levels):
        yield "near", f"preview=normal&near={NEAR}&held=settled"
    for level in terms.levels:
        won = f"preview=win&held=settled&level={level.level}&past="
        yield f"win-{level.level}", f"{won}{SHOWN_S.get(level.level, SHOWN_LOW_S)}"
        for act, past in ACTS_S.items() if level.level in HIGHEST else ():
            yield f"win-{level.level}-{act}", f"{won}{past}"


async def pictures(config: Config, folder: Path) -> AsyncIterator[Path]:
    """Writes LINK-STATE-SHAPE.png for each into a folder that is there, and yields it."""
    program = browser()
    async with _served(config) as address:
        for link in config.displays:
            for name, query in states_of(config, link):
                for shape, size in SIZES.items():
                    file = folder / f"{link}-{name}-{shape}.png"
                    await _draw(program, f"{address}/sign/{link}?{query}", size, file)
                    yield file


@asynccontextmanager
async def _served(config: Config) -> AsyncIterator[str]:
    """The sign pages alone, on an address of this machine that nobody else knows."""
    app = web.Application()
    app.add_routes(Screens(config, LiveStreams([], SystemClock())).public())
    app.on_response_prepare.append(secure)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    try:
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        host, port = runner.addresses[0][:2]
        yield f"http://{host}:{port}"
    finally:
        await runner.cleanup()


async def _draw(program: str, url: str, size: tuple[int, int], file: Path) -> None:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        drawing = await asyncio.create_subprocess_exec(
            program,
            "--headless",
            "--disable-gpu",
            "--hide-scrollbars",
            "--no-first-run",
            f"--user-data-dir={profile}",
            # Chromium refuses its sandbox to root; the pages are our own.
            *(["--no-sandbox"] if os.geteuid() == 0 else []),
            f"--window-size={size[0]},{size[1]}",
            f"--virtual-time-budget={SETTLES_MS}",
            f"--screenshot={file}",
            url,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
        )
        try:
            async with asyncio.timeout(WITHIN_S):
                _, said = await drawing.communicate()
        except TimeoutError:
            drawing.kill()
            await drawing.wait()
            fail(f"{program} drew no {file.name} within {WITHIN_S:.0f} s")
    if drawing.returncode != 0 or not await asyncio.to_thread(file.is_file):
        last = said.decode(errors="replace").strip().rpartition("\n")[2]
        fail(f"{program} drew no {file.name}: {last}")
