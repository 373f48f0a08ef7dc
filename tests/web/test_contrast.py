"""Contrast of the signs, measured in the picture itself, in every state, and in several brands."""

from collections.abc import Iterable
from pathlib import Path
from typing import Final

import pytest

from jackpot.app import Server
from jackpot.config.display import CONTRAST_MIN
from tests.nightly import at_night, repeated
from tests.running_server import LINK, LINKS, configure
from tests.web.browser import chromium, needs_chromium, on_browser_loop, opened, painted, state
from tests.web.pictures import Picture

# What people read in each state.
READ: Final = {
    "normal": "header h1, .level .name, .level .digit, #idle",
    "pending": ".level .name, .level .digit, .note",
    "suspended": "#notice",
    "win": "#win .what, #win .level, #win .jackpot, #win .amount, #win .hand, #win .table, #win .exact",
    "fault": "#fault p",
}
# [link.display] of a link: the themes, and brands as far from it as `config check` lets pass unwarned.
BRANDS: Final = {
    "own": "",
    "neon": '[link.display]\ntheme = "neon"\n',
    "red": '[link.display]\ntheme = "red"\n',
    "dark": '[link.display]\ntheme = "dark"\n',
    "wine": '[link.display]\nbackground = "#4a0d22"\naccent = "#ffd9e4"\n',
    "sea": (
        '[link.display]\nbackground = "#0b4f5c"\naccent = "#ffffff"\n'
        'colours = { mega = "#00e5ff", minor = "#b7f7c0" }\n'
    ),
}
# The lowest screen: letters are thinnest there.
SIZE: Final = "strip"

# The parts that are on the screen and say something, as `Picture` takes them. Letters of a gradient have a
# colour that is not seen.
PARTS: Final = """(chosen) => [...document.querySelectorAll(chosen)].map((part) => {
    const {left, top, width, height} = part.getBoundingClientRect();
    const [red, green, blue, seen = 1] = getComputedStyle(part).color.match(/[0-9.]+/g).map(Number);
    const name = `${part.className || part.id || part.tagName} ${part.textContent.slice(0, 20)}`;
    return [name, seen > 0 && red + green + blue < 200, left, top, width, height];
}).filter(([name, _, ...box]) => box[2] >= 1 && box[3] >= 1 && name.trim().includes(' '))"""


async def measured(folder: Path, brand: str, states: Iterable[str] = READ) -> dict[str, float]:
    """The contrast of each part that people read, by state and part, with nothing in motion."""
    found, faults = dict[str, float](), list[str]()
    config = configure(folder, links=LINKS + brand)
    async with chromium() as browser, Server(config) as server:
        sign = f"http://127.0.0.1:{server.ports['http']}/sign/{LINK}"
        page = await opened(browser, sign, SIZE, faults, reduced_motion="reduce")
        for shown in states:
            await page.goto(f"{sign}?preview={shown}&held&past=0.9")
            await state(page, shown)
            await painted(page)
            parts = await page.evaluate(PARTS, READ[shown])
            picture = Picture(await page.screenshot())
            found |= {f"{shown} {part[0]}": picture.contrast(part) for part in parts}
    assert faults == []
    assert {part.split()[0] for part in found} == set(states)
    return found


@needs_chromium
@on_browser_loop
@pytest.mark.parametrize(
    ("brand", "states"),
    [("own", READ), ("sea", repeated(("normal", "win"), READ)), pytest.param("wine", READ, marks=at_night)],
    ids=lambda value: value if isinstance(value, str) else "",
)
async def test_what_a_sign_says_is_read_from_afar(tmp_path: Path, brand: str, states: Iterable[str]) -> None:
    """Signs: every name, amount and sentence stands out from its ground."""
    found = await measured(tmp_path, BRANDS[brand], states)
    assert {part: ratio for part, ratio in found.items() if ratio < CONTRAST_MIN} == {}


@needs_chromium
@on_browser_loop
async def test_what_cannot_be_read_is_seen(tmp_path: Path) -> None:
    """The measure itself: a brand that `config check` warns of is found in the picture, too."""
    found = await measured(tmp_path, '[link.display]\nbackground = "#f4f4f4"\n', ["normal"])
    assert min(found.values()) < CONTRAST_MIN
