"""Looks of every page in both languages: what a judge of the layout, and axe, find in them."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from jackpot.app import Server
from tests.nightly import repeated
from tests.web.browser import WAIT_MS, chromium, complains, needs_chromium, on_browser_loop, said_of
from tests.web.looks import (
    COMPARED,
    LANGUAGES,
    SCREENS,
    WAITING,
    Look,
    at,
    house,
    judged,
    looks,
    signed_page,
    untranslated,
)
from tests.web.test_ops import AXE, FINDINGS

if TYPE_CHECKING:
    from playwright.async_api import Browser, ConsoleMessage, Page

# Pages whose form another one has: reports share one page, papers another. By day they are left out.
FORMS: Final = re.compile(
    r"(report|paper)-(?!(access|cost|liability|submission|wagers|payout|form-wrong)$)"
    r"|paper-(access|cost|wagers|lab)|no-sign|tables-t0[23]|lab-link-floor|hits-main|links-(no-such|side)|people-1$"
    r"|hit-(anywhere|2)|.*twelve|correct|journal-of-hit"
)
# The screens with the least room, by day: on the laptop the menu is a line, on the phone a button.
TIGHTEST: Final = ("laptop", "phone")
# They answer a GET with something other than a page for people.
NO_PAGES: Final = {
    "/healthz", "/readyz", "/metrics", "/floor.json", "/logo/{link}", "/backdrop/{link}", "/font/{link}",
    "/picture/{link}/{place}", "/static/{name}", "/ws/meters", "/events/meters", "/ops/waiting",
    "/ops/floor", "/ops/lab/{picture}.svg",
}  # fmt: skip
# Signs are looked at in tests of their own.
SIGNS: Final = {"/sign/wall"}


def chosen(hits: int) -> Iterator[Look]:
    """The pages of a run: all at night, by day those whose form no other one has."""
    yield from (look for look in looks(hits) if repeated(not FORMS.match(look.name), nightly=True))


def routes(server: Server) -> set[str]:
    """Every address that answers a GET, but those of the API."""
    return {
        route.resource.canonical
        for runner in server._sites
        for route in runner.app.router.routes()
        if route.method == "GET" and route.resource is not None
        if not route.resource.canonical.startswith("/api/v1")
    }


def looked_at(route: str) -> bool:
    pattern = re.compile(re.sub(r"{\w+}", "[^/]+", route))
    return any(pattern.fullmatch(look.path.partition("?")[0]) for look in looks(1))


async def screen(browser: "Browser", root: str, language: str, faults: list[str]) -> "Page":
    """A page of somebody who reads that language and has signed in."""
    context = await browser.new_context(locale=LANGUAGES[language], reduced_motion="reduce")
    page = await context.new_page()
    page.set_default_timeout(WAIT_MS)
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda line: faults.append(said_of(line)) if told(line) else None)
    await signed_page(page, root)
    return page


def told(line: "ConsoleMessage") -> bool:
    """Whether a line of the console is a fault: an address that leads nowhere is none."""
    return complains(line) and "a status of 404" not in line.text


async def found_by_axe(page: "Page") -> Any:
    await page.evaluate(AXE)
    return await page.evaluate(FINDINGS)


@needs_chromium
@pytest.mark.parametrize("hits", repeated([WAITING[-1]], [*WAITING]))
@on_browser_loop
async def test_every_page_is_for_everybody_in_both_languages(tmp_path: Path, hits: int) -> None:
    """AA, A10: on no page is anything cut off, crowded, too small or in another language; axe finds nothing.

    In Spanish, whose words are longer, each page is judged on the tightest screens. Axe looks at it in
    English, and in Spanish where anything but words differs. At night it looks at both, on every screen.
    """
    faults: list[str] = []
    found: list[tuple[str, ...]] = []
    async with house(tmp_path, hits) as server, chromium() as browser:
        assert {route for route in routes(server) if not looked_at(route)} == NO_PAGES | SIGNS
        root = f"http://127.0.0.1:{server.ports['http']}"
        pages = {language: await screen(browser, root, language, faults) for language in LANGUAGES}
        for look in chosen(hits):
            compared = {}
            for language in look.languages:
                page = pages[language]
                await show(page, "laptop")
                await at(page, root, look)
                compared[language] = await page.evaluate(COMPARED)
                first = compared[look.languages[0]]
                told_apart = first is compared[language] or first["bare"] != compared[language]["bare"]
                if repeated(told_apart, nightly=True):
                    found += [(look.name, language, one) for one in await found_by_axe(page)]
                for size in screens(language, look):
                    await show(page, size)
                    found += [(look.name, language, size, one) for one in await judged(page, look.path)]
            if len(compared) > 1:
                same = untranslated(*(one["words"] for one in compared.values()))
                found += [(look.name, "in English", one) for one in same]
    assert not found, "\n".join(map(str, found))
    assert faults == []


def screens(language: str, look: Look) -> tuple[str, ...]:
    """On which screens a page is judged. By day English, whose words are shorter, is on one of them."""
    shorter = language == "en" and len(look.languages) > 1
    return repeated(TIGHTEST[:1] if shorter else TIGHTEST, tuple(SCREENS))


async def show(page: "Page", size: str) -> None:
    width, height = SCREENS[size]
    await page.set_viewport_size({"width": width, "height": height})
