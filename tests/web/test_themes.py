"""Themes of signs: files that come with the server, and pictures of the house between the meters."""

import base64
from io import BytesIO
from pathlib import Path
from typing import Final

import aiohttp
import numpy as np
import pytest
from PIL import Image

from jackpot.app import Server
from jackpot.config.display import CONTRAST_MIN, THEMES
from jackpot.web.sign_pages import STATIC
from tests.nightly import at_night
from tests.running_server import LINK, LINKS, configure
from tests.soak.films import FRAME_MS, contrasts, frames
from tests.web.browser import (
    MOTION,
    SIZES,
    chromium,
    cut_off,
    needs_chromium,
    on_browser_loop,
    opened,
    painted,
    resized,
    sizes_from,
    state,
    until_true,
)
from tests.web.pictures import CELLS, FLASHES_MAX, Numbers, Picture, changes, flashes, red_changes
from tests.web.test_sign_pages import page_of

VENDOR: Final = Path(__file__).parents[2] / "jackpot" / "web" / "static" / "vendor"
# The smallest PNG: one pixel.
PIXEL: Final = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
# Every row of pa-643a-five-card-C.
POSTED: Final = [
    "Royal flush: 100% of the Mega",
    "Straight flush: 100% of the Major",
    "Four of a kind: 100% of the Minor",
    "Full house: 50 for 1",
    "Flush: 40 for 1",
    "Straight: 30 for 1",
    "Three of a kind: 10 for 1",
]
# The seconds of a win that are looked at: its flash, which is the brightest that a sign ever is.
LOOKED_MS: Final = 2_400
# What flashes is of all themes, but for the bulbs, which one of them has not. At night each is looked at.
FLASHES: Final = "gold"
# Pixels of a picture for each one of the page's: the light is taken of cells that are larger than these.
FILMED: Final = 0.25
# Which fonts a sign writes its title and its digits in.
FONTS: Final = """() => ['header h1', '.amount-run'].map(
    (part) => getComputedStyle(document.querySelector(part)).fontFamily.split(',')[0].replace('Brand', '')
).concat([...document.fonts].filter((font) => font.status === 'loaded').map((font) => font.family))"""

# Another half second of the page's own time, and whether a part is hidden then.
LATER: Final = """(window.past = (window.past ?? 0) + 500,
    dispatchEvent(new CustomEvent('moment', {{detail: window.past}})),
    document.querySelector('{part}').hidden === {hidden})"""
# Whether the widest amount takes most of the screen's width.
FILLED: Final = "document.querySelector('.amount-run').getBoundingClientRect().width > 0.8 * innerWidth"
# The rows of the posted odds as they are read, and how many parts of them are cut off or off the screen.
ODDS: Final = """() => {
    const box = document.querySelector('#odds').getBoundingClientRect();
    const out = (part) => {
        const {left, right, top, bottom} = part.getBoundingClientRect();
        return left < box.left || right > box.right || top < box.top || bottom > box.bottom;
    };
    const rows = [...document.querySelectorAll('#odds li')];
    const text = (row, part) => row.querySelector(part).textContent;
    return {
        rows: rows.map((row) => `${text(row, '.named')}: ${text(row, '.pays')}`),
        out: [...document.querySelectorAll('#odds h2, #odds .named, #odds .pays')].filter(out).length,
        wide: document.querySelector('#odds ul').offsetWidth > 0.9 * box.width,
    };
}"""
# The same, and whether the scene without cards has its coins.
COINS: Final = """(window.past = (window.past ?? 0) + 500,
    dispatchEvent(new CustomEvent('moment', {detail: window.past})),
    document.querySelectorAll('#hand .coin').length === 5)"""
# The levels that a scene is about, by their lit frames.
CALLED: Final = """() => [...document.querySelectorAll('.level')].filter(
    (level) => getComputedStyle(level, '::before').boxShadow.includes('inset')
).map((level) => level.dataset.level)"""
# How many amounts are on the screen whole, and the part of it that a picture of the house has.
METERS: Final = """() => {
    const box = (part) => part.getBoundingClientRect();
    const amounts = [...document.querySelectorAll('#levels .amount-run')].map(box);
    const {width, height} = box(document.querySelector('#picture'));
    return {
        whole: amounts.filter(({left, right, top, bottom, width}) => width > 50 && left >= 0 && top >= 0
            && right <= innerWidth && bottom <= innerHeight).length,
        picture: (width * height) / (innerWidth * innerHeight),
    };
}"""


def test_what_comes_with_the_server_has_its_licence() -> None:
    """Signs: each vendored file is served, and its licence lies next to it."""
    names = {file.name for file in VENDOR.iterdir() if file.suffix != ".LICENSE"}
    assert {f"vendor/{name}" for name in names} <= {*STATIC}
    without = [
        name
        for name in names
        if not (VENDOR / f"{name.split('.')[0].removesuffix('-ext')}.LICENSE").is_file()
    ]
    assert without == []


@needs_chromium
@on_browser_loop
async def test_each_theme_has_a_font_of_its_own(tmp_path: Path) -> None:
    """Signs: four themes, picked per link, each with its own title font, which the server brings."""
    links = "".join(LINKS.replace(LINK, theme) + f'[link.display]\ntheme = "{theme}"\n' for theme in THEMES)
    faults, titles = list[str](), set[str]()
    async with chromium() as browser, Server(configure(tmp_path, links=LINKS + links)) as server:
        for theme in THEMES:
            sign = page_of(server, f"/sign/{theme}?preview=normal")
            page = await opened(browser, sign, "phone", faults, reduced_motion=MOTION)
            await state(page, "normal")
            await until_true(page, "document.querySelector('.amount-run') !== null")
            _, digits, *loaded = await page.evaluate(FONTS)
            title = (
                await page.evaluate("getComputedStyle(document.body).getPropertyValue('--title')")
            ).strip()
            assert {title, digits} <= {*loaded}
            titles.add(title)
            await page.close()
    assert len(titles) == len(THEMES) == 4
    assert faults == []


@needs_chromium
@on_browser_loop
async def test_a_picture_of_the_house_leaves_the_meters(tmp_path: Path) -> None:
    """Signs: posted odds and the house's pictures come between the meters, which stay on the screen.

    A meter is as wide as its panel, also where panels are low. The one that a scene is about lights up.
    The odds are every row of the paytable, whole on every screen, and leave no side of it empty.
    """
    (tmp_path / "show.png").write_bytes(PIXEL)
    links = LINKS + '[link.display]\npictures = ["show.png"]\n'
    faults = list[str]()
    async with chromium() as browser, Server(configure(tmp_path, links=links)) as server:
        async with aiohttp.ClientSession() as session:
            for place, status in ((0, 200), (1, 404)):
                async with session.get(page_of(server, f"/picture/{LINK}/{place}")) as response:
                    assert response.status == status
        sign = page_of(server, f"/sign/{LINK}?preview=normal&held")
        page = await opened(browser, sign, "phone", faults, reduced_motion=MOTION)
        await state(page, "normal")
        await until_true(page, "document.querySelector('#idle').textContent !== ''")
        assert await page.evaluate(METERS) == {"whole": 3, "picture": 0}
        assert await page.evaluate(CALLED) == ["mega"]
        await resized(page, "tablet")
        await until_true(page, FILLED)
        await resized(page, "phone")
        await state(page, "normal")
        await until_true(page, COINS)
        await painted(page)
        assert await cut_off(page, "#hand .coin") == []
        await until_true(page, LATER.format(part="#odds", hidden="false"))
        await painted(page)
        assert await page.evaluate(METERS) == {"whole": 3, "picture": 0}
        assert await page.evaluate(CALLED) == []
        for size in sizes_from(0):
            width, height = SIZES[size]
            await page.set_viewport_size({"width": width, "height": height})
            await painted(page)
            assert await page.evaluate(ODDS) == {"rows": POSTED, "out": 0, "wide": True}, size
        await until_true(page, LATER.format(part="#picture", hidden="false"))
        await painted(page)
        meters = await page.evaluate(METERS)
        assert meters["whole"] == 3
        assert meters["picture"] > 0.3
    assert faults == []


def cells(*colours: tuple[float, float, float]) -> Numbers:
    """A picture in cells of linear red, green and blue."""
    return np.array(colours, np.float32)


def test_flashes_are_counted() -> None:
    """WCAG 2.3.1: a flash is a pair of opposite changes of a tenth on enough of the view; a ramp is none."""
    dark, light = ((part, part, part) for part in (0.1, 0.7))
    all_dark, all_light = cells(*[dark] * 100), cells(*[light] * 100)
    assert flashes([all_dark, all_light] * 10, 100) == 5
    slow = [all_dark, *[all_light] * 4, *[all_dark] * 5]
    assert flashes(slow * 3, 100) == 1
    assert flashes([cells(*[(part / 10,) * 3] * 100) for part in range(10)], 100) == 0
    assert changes(all_dark, cells(*[light] * 5, *[dark] * 95)) == (False, False)
    assert changes(cells(*[(0.9,) * 3] * 100), cells(*[(1.0,) * 3] * 100)) == (False, False)


def test_red_flashes_are_counted() -> None:
    """WCAG 2.3.1: a saturated red has a threshold of its own, below the one of luminance."""
    black, wine, ruby, rose = (
        (red, red * part, red * part) for red, part in ((0, 0), (0.1, 0), (0.3, 0), (0.3, 0.8))
    )
    all_of = [cells(*[colour] * 100) for colour in (black, wine, ruby, rose)]
    assert [changes(all_of[0], one) for one in all_of[1:3]] == [(False, False)] * 2
    assert red_changes(all_of[0], all_of[1]) == (True, False)
    assert red_changes(all_of[2], all_of[1]) == (False, True)
    assert red_changes(all_of[2], all_of[3]) == (False, True)
    assert red_changes(all_of[3], cells(*[(0.1, 0.08, 0.08)] * 100)) == (False, False)
    assert red_changes(all_of[0], cells(*[ruby] * 5, *[black] * 95)) == (False, False)
    assert flashes([all_of[0], all_of[2]] * 10, 100) == 5


def test_a_picture_is_taken_in_cells() -> None:
    """Each cell is the mean light of its pixels, wherever the size leaves a rest."""
    wide, high = CELLS
    image = Image.new("RGB", (wide * 2 + 1, high * 2 + 1), (255, 0, 0))
    image.paste((0, 0, 0), (0, 0, wide * 2 + 1, 2))
    png = BytesIO()
    image.save(png, "PNG")
    found = Picture(png.getvalue()).cells()
    assert found.shape == (wide * high, 3)
    assert found[:wide].max() == 0
    assert np.allclose(found[wide:], [1, 0, 0])


@needs_chromium
@on_browser_loop
@pytest.mark.parametrize(
    "theme", [pytest.param(theme, marks=() if theme == FLASHES else at_night) for theme in THEMES]
)
async def test_a_mega_flashes_no_eye(tmp_path: Path, theme: str) -> None:
    """WCAG 2.3.1: at its brightest a sign flashes at most three times a second; no frame of it is empty."""
    links, faults = f'{LINKS}[link.display]\ntheme = "{theme}"\n', list[str]()
    async with chromium() as browser, Server(configure(tmp_path, links=links)) as server:
        url = page_of(server, f"/sign/{LINK}?preview=win&held&level=mega")
        page = await opened(browser, url, "phone", faults, device_scale_factor=FILMED)
        await state(page, "win")
        shown = [frame async for frame in frames(page, LOOKED_MS)]
    assert [frame.wrong for frame in shown if frame.wrong] == []
    assert flashes([Picture(frame.png).cells() for frame in shown], FRAME_MS) <= FLASHES_MAX
    assert faults == []


@needs_chromium
@on_browser_loop
async def test_a_win_is_read_in_every_theme(tmp_path: Path) -> None:
    """WCAG 1.4.3: every text is read on what moves behind it, and nothing is empty or cut off."""
    links = "".join(LINKS.replace(LINK, theme) + f'[link.display]\ntheme = "{theme}"\n' for theme in THEMES)
    faults = list[str]()
    async with chromium() as browser, Server(configure(tmp_path, links=LINKS + links)) as server:
        for theme in THEMES:
            url = page_of(server, f"/sign/{theme}?preview=win&held&level=mega")
            page = await opened(browser, url, "phone", faults)  # a text is read at its full size
            await state(page, "win")
            shown = [frame async for frame in frames(page, LOOKED_MS, LOOKED_MS - FRAME_MS)]
            assert [frame.wrong for frame in shown if frame.wrong] == [], theme
            read = await contrasts(page, Picture(shown[-1].png))
            assert len(read) > 4
            assert [one for one in read if one[1] < CONTRAST_MIN] == [], theme
            await page.close()
    assert faults == []
