"""Browser for tests: the system's Chromium, and pages of a set size that report every mistake."""

import asyncio
import contextvars
import functools
import shutil
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING, Any, Final

import pytest

from tests import ceilings
from tests.nightly import NIGHTLY, repeated

if TYPE_CHECKING:
    from playwright.async_api import Browser, ConsoleMessage, Frame, Page

# The whole browser. It has a window around the page, also where nobody sees it, and may notify people.
WHOLE: Final = shutil.which("chromium") or shutil.which("google-chrome") or shutil.which("chromium-browser")
# Where it is there, the shell: it draws alike for half of the processor time.
CHROMIUM: Final = shutil.which("chromium-headless-shell") or WHOLE
WAIT_MS: Final = 1000 * ceilings.WAIT_S
FLAGS: Final = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
SIZES: Final = {
    "wall": (1920, 1080),
    "portrait": (1080, 1920),
    "wide": (3840, 1080),
    "strip": (1280, 400),
    "tablet": (820, 1180),
    "phone": (390, 844),
}
# What the browser says of a script whose page was left for another, or for the same, before it answered.
LOADED_AGAIN: Final = "Execution context was destroyed"
# The lowest screen and the narrowest one: there is the least room there. A larger one costs by its pixels.
TIGHTEST: Final = ("strip", "phone")

# What is looked at stands still: drawing what moves costs more than all else. At night it moves.
MOTION: Final = repeated("reduce", "no-preference")

needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="no chromium on this machine")
needs_whole_chromium = pytest.mark.skipif(WHOLE is None, reason="no whole chromium on this machine")


class SharedBrowser:
    """The browser of this process, on an event loop that goes on from test to test.

    To start Chromium and its driver costs more than most pages do. Each test has contexts of its own, which
    share no cookie, storage, cache or setting.
    """

    def __init__(self) -> None:
        self._runner = asyncio.Runner()
        self._started = AsyncExitStack()
        self._browser: Browser | None = None

    def run(self, test: Coroutine[Any, Any, None]) -> None:
        """Runs a test, and ends the tasks that it leaves, as `asyncio.run` does."""
        self._runner.run(self._alone(test), context=contextvars.copy_context())

    def close(self) -> None:
        """Ends the browser and the loop."""
        self._runner.run(self._started.aclose())
        self._runner.close()

    async def _alone(self, test: Coroutine[Any, Any, None]) -> None:
        if self._browser is None or not self._browser.is_connected():
            await self._started.aclose()
            self._browser = await self._started.enter_async_context(started(CHROMIUM))
        before = asyncio.all_tasks()
        try:
            await test
        finally:
            left = asyncio.all_tasks() - before
            for task in left:
                task.cancel()
            await asyncio.gather(*left, return_exceptions=True)

    def here(self) -> "Browser | None":
        """The browser, to a test that runs on its loop."""
        if self._browser is not None and asyncio.get_running_loop() is self._runner.get_loop():
            return self._browser
        return None


@functools.cache
def shared() -> SharedBrowser:
    """The one of this process; `close_shared` ends it."""
    return SharedBrowser()


def close_shared() -> None:
    """Ends this process's browser, if a test has asked for it."""
    if shared.cache_info().currsize:
        shared().close()
        shared.cache_clear()


def on_browser_loop(test: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    """Runs an async test on the loop of the shared browser; fixtures are passed on."""

    @functools.wraps(test)
    def run(*args: Any, **fixtures: Any) -> None:
        shared().run(test(*args, **fixtures))

    return run


@asynccontextmanager
async def started(program: str | None) -> AsyncIterator["Browser"]:
    """A headless browser of its own."""
    from playwright.async_api import async_playwright

    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=program, args=list(FLAGS))
        try:
            yield browser
        finally:
            await browser.close()


@asynccontextmanager
async def chromium(program: str | None = CHROMIUM) -> AsyncIterator["Browser"]:
    """A headless browser without a page: the shared one on its loop, else one of its own."""
    browser = shared().here() if program == CHROMIUM else None
    if browser is None:
        async with started(program) as own:
            yield own
        return
    try:
        yield browser
    finally:
        for context in browser.contexts:
            for page in context.pages:
                # A request that a test holds up is let go with it: its error would be a later test's.
                await page.unroute_all(behavior="ignoreErrors")
            await context.close()


async def opened(browser: "Browser", url: str, size: str, faults: list[str], **more: Any) -> "Page":
    """Opens a page; faults gets what scripts, policy and browser complain about, and what it asks of others.

    more: of the browser's settings.
    """
    width, height = SIZES[size]
    page = await browser.new_page(viewport={"width": width, "height": height}, **more)
    page.set_default_timeout(WAIT_MS)
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda line: faults.append(said_of(line)) if complains(line) else None)
    page.on("request", lambda asked: None if asked.url.startswith(url[:17]) else faults.append(asked.url))
    await page.goto(url)
    return page


def said_of(line: "ConsoleMessage") -> str:
    """A line of the console with the address that it is about."""
    return f"{line.text} {line.location['url']}"


def complains(line: "ConsoleMessage") -> bool:
    """Whether a line of the console is a fault, and not that a test refused an act or stopped the server."""
    refused = line.text.startswith("Failed to load resource: the server responded with a status of 4")
    gone = "net::ERR_CONNECTION_" in line.text
    return line.type in {"error", "warning"} and not gone and not (refused and "/ops" in line.location["url"])


async def resized(page: "Page", size: str) -> None:
    """Makes the page's screen this large. At night the page is loaded anew on it, too."""
    width, height = SIZES[size]
    await page.set_viewport_size({"width": width, "height": height})
    if NIGHTLY:
        await page.reload()


def sizes_from(place: int) -> Iterator[str]:
    """The sizes that a thing is looked at on, beginning with the one that a page is loaded on.

    Each run has the tightest ones and one of the others, another one for each place. At night there are all.
    """
    ample = [size for size in SIZES if size not in TIGHTEST]
    sizes = repeated((ample[place % len(ample)], *TIGHTEST), tuple(SIZES))
    for number in range(len(sizes)):
        yield sizes[(place + number) % len(sizes)]


async def state(page: "Page | Frame", name: str) -> None:
    """Waits until the page shows this state."""
    await page.wait_for_selector(f"body[data-state={name}]")


async def until_shown(page: "Page", level: str, cents: int) -> None:
    """Waits until a level's odometer stands at this amount."""
    await page.wait_for_selector(f".level[data-level={level}] [data-cents='{cents}']")


async def until_true(page: "Page | Frame", expression: str) -> None:
    """Waits until a script's expression holds; the page's policy lets no page evaluate one by itself.

    A page that is loaded again meanwhile is asked anew.
    """
    async with asyncio.timeout(ceilings.WAIT_S):
        while not await _holds(page, expression):  # noqa: ASYNC110 - the condition is the page's
            await asyncio.sleep(0.05)


async def _holds(page: "Page | Frame", expression: str) -> bool:
    from playwright.async_api import Error

    try:
        return bool(await page.evaluate(expression))
    except Error as error:
        if LOADED_AGAIN not in str(error):
            raise
        return False


async def painted(page: "Page | Frame") -> None:
    """Waits until what changed by now was laid out and is seen: sizes follow a change within its frame."""
    await page.evaluate("new Promise((seen) => requestAnimationFrame(() => requestAnimationFrame(seen)))")


# Longer than any page takes to fit its texts, on a busy machine too.
SETTLES_S: Final = 5.0
CUT_OFF: Final = """(parts) => [...document.querySelectorAll(parts)].filter((part) => {
    const own = part.getBoundingClientRect();
    return part.scrollWidth > part.clientWidth + 1 || own.left < -1 || own.right > innerWidth + 1
        || own.top < -1 || own.bottom > innerHeight + 1;
}).map((part) => part.className + ' ' + part.textContent)"""
OVERFLOWS: Final = """() => {
    const parts = [...document.querySelectorAll('.level:not(.fills), .amount-run, header h1, .name')];
    return parts.filter((part) => {
        const own = part.getBoundingClientRect();
        const box = part.parentElement.getBoundingClientRect();
        return own.width && (own.left < box.left - 1 || own.right > box.right + 1 || own.top < box.top - 1
            || own.bottom > box.bottom + 1 || own.right > innerWidth || own.bottom > innerHeight);
    }).map((part) => part.className + ' ' + part.textContent);
}"""


async def cut_off(page: "Page | Frame", parts: str) -> Any:
    """Of these elements those whose text is wider than they are, or that lie partly off the screen."""
    return await settled(page, CUT_OFF, parts)


async def overflows(page: "Page | Frame") -> Any:
    """Elements that are wider or higher than the screen, or than their container."""
    return await settled(page, OVERFLOWS)


async def settled(page: "Page | Frame", misfits: str, parts: str | None = None) -> Any:
    """What does not fit once the page has had time to: a sign fits its texts some frames after a change."""
    ends = time.monotonic() + SETTLES_S
    while True:
        await painted(page)
        found = await page.evaluate(misfits, parts)
        if not found or time.monotonic() > ends:
            return found


async def misfits(page: "Page | Frame", parts: str) -> Any:
    """What overflows, and which of these parts are cut off, as the page stands at one moment."""
    return [*await overflows(page), *await page.evaluate(CUT_OFF, parts)]
