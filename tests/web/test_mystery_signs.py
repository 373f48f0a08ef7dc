"""Signs of mystery links: by which sum a meter must hit, how near it is, and a celebration of their own."""

from pathlib import Path
from typing import Any, Final

import pytest

from jackpot.app import Server
from jackpot.config.display import CONTRAST_MIN, THEMES
from tests.nightly import repeated
from tests.running_server import LINKS, configure
from tests.web.browser import (
    chromium,
    cut_off,
    misfits,
    needs_chromium,
    on_browser_loop,
    opened,
    overflows,
    painted,
    resized,
    settled,
    sizes_from,
    state,
    until_true,
)
from tests.web.pictures import Picture
from tests.web.test_contrast import PARTS
from tests.web.test_sign_pages import page_of

LINK: Final = "lantern"
# Themes of this run; at night all of them.
LOOKED: Final = repeated(("gold", "red"), THEMES)
# What a sign shows of each level.
LEVELS: Final = """() => [...document.querySelectorAll('#levels .level')].map((level) => {
    const gauge = level.querySelector('.gauge').getBoundingClientRect();
    const filled = level.querySelector('.gauge b').getBoundingClientRect();
    return {
        near: level.dataset.near,
        place: Math.round(100 * filled.width / gauge.width),
        note: level.querySelector('.note').textContent,
        moves: level.getAnimations({subtree: true}).length,
        glow: Number(getComputedStyle(level, '::before').opacity),
    };
})"""
# What the celebration says: its tiles and its lines; whether it is a mystery's, before a sky of its own.
SAYS: Final = """() => ({
    tiles: [...document.querySelectorAll('#win .tile')].map((tile) => tile.textContent).join(''),
    hand: document.querySelector('#win .hand').textContent.replace('\\n', ' '),
    mystery: document.querySelector('#win').classList.contains('mystery'),
    sky: ['#win', 'body'].map(
        (part) => getComputedStyle(document.querySelector(part)).getPropertyValue('--velvet')
    ),
})"""
# Whether the amount of a meter alone takes much of the screen's width.
LARGE: Final = "document.querySelector('.amount-run').getBoundingClientRect().width > 0.4 * innerWidth"
# How far the words of each note are from its middle, in pixels.
OFF_MIDDLE: Final = """() => [...document.querySelectorAll('#levels .note')].map((note) => {
    const words = document.createRange();
    words.selectNodeContents(note);
    const [box, text] = [note, words].map((part) => part.getBoundingClientRect());
    return Math.abs(box.left + box.right - text.left - text.right) / 2;
})"""
# Whether the scene below the meters spells the mystery.
SPELLED: Final = """[...document.querySelectorAll('#hand .tile')].map(
    (tile) => tile.textContent).join('') === 'MYSTERY'"""
READ: Final = {
    "normal": ".level .name, .level .digit, .level .note",
    "win": "#win .jackpot, #win .amount, #win .hand, #win .tile b",
}


def links_of(theme: str, levels: tuple[str, ...] = ("meter",)) -> str:
    """A mystery link in this theme, of levels from $500 to $1,000."""
    terms = 'seed = "500.00"\nmust_hit_by = "1000.00"\nprimary = "2%"\n'
    parts = "".join(f"[link.level.{name}]\n{terms}" for name in levels)
    return (
        f'{LINKS}[[link]]\nid = "{LINK}"\nkind = "mystery"\nform = "drawn"\nwager = "5.00"\n'
        f'electronic = true\n{parts}[link.display]\ntheme = "{theme}"\n'
    )


@needs_chromium
@on_browser_loop
@pytest.mark.parametrize("levels", [("meter",), ("mega", "major", "minor")], ids=["one", "three"])
async def test_a_meter_is_tenser_as_it_comes_near(tmp_path: Path, levels: tuple[str, ...]) -> None:
    """Y6, Y9: by its place between its bounds alone; nothing moves where people want no motion.

    What a sign says of it fits every screen.
    """
    faults, config = list[str](), configure(tmp_path, links=links_of("gold", levels))
    async with chromium() as browser, Server(config) as server:
        sign = page_of(server, f"/sign/{LINK}?preview=normal&near=")
        page = await opened(browser, f"{sign}0.5", "wall", faults, reduced_motion="reduce")
        glows = []
        for near, tense in ((0.5, "0"), (0.8, "1"), (0.92, "2"), (0.98, "3")):
            await page.goto(f"{sign}{near}")
            await state(page, "normal")
            await painted(page)
            found = await page.evaluate(LEVELS)
            assert len(found) == len(levels)
            await until_true(page, SPELLED)
            for level in found:
                assert (level["near"], level["moves"]) == (tense, 0)
                assert abs(level["place"] - 100 * near) <= 1
                assert level["note"] == "Must hit by $1,000.00"
            glows.append(found[0]["glow"])
        assert glows == sorted(glows)
        assert len(set(glows)) == 4
        for size in sizes_from(len(levels)):
            await resized(page, size)
            if len(levels) == 1:
                await until_true(page, LARGE)
            assert await overflows(page) == []
            assert await cut_off(page, ".gauge, .note, .level .name, #hand .tile, #hand .coin") == []
            assert max(await page.evaluate(OFF_MIDDLE)) < 2, size
        await page.close()
        moving = await opened(browser, f"{sign}0.98", "phone", faults, reduced_motion="no-preference")
        await state(moving, "normal")
        assert all(level["moves"] for level in await moving.evaluate(LEVELS))
    assert faults == []


@needs_chromium
@on_browser_loop
async def test_a_mystery_is_celebrated_by_its_name(tmp_path: Path) -> None:
    """Y6: tiles that spell it where another win has cards, by which sum it had to hit, its own sky."""
    faults, config = list[str](), configure(tmp_path, links=links_of("gold"))
    async with chromium() as browser, Server(config) as server:
        sign = page_of(server, f"/sign/{LINK}?preview=win&held&past=12")
        page = await opened(browser, sign, "wall", faults, reduced_motion="reduce")
        await state(page, "win")
        for size in sizes_from(0):
            await resized(page, size)
            says = await page.evaluate(SAYS)
            assert len({*says.pop("sky")}) == 2
            assert says == {"tiles": "MYSTERY", "hand": "Must hit by $1,000.00", "mystery": True}
            assert await settled(
                page,
                "() => [...document.querySelectorAll('#win .tile')].filter((tile) => "
                "{ const {left, right, width} = tile.getBoundingClientRect();"
                " return width < 10 || left < 0 || right > innerWidth; }).length || null",
            ) in (None, 0)
            assert await misfits(page, "#win .hand, #win .table") == []
    assert faults == []


@needs_chromium
@on_browser_loop
@pytest.mark.parametrize("theme", LOOKED)
async def test_what_it_says_is_read_from_afar(tmp_path: Path, theme: str) -> None:
    """Y6: names, amounts, the bound and the tiles stand out from their ground, where it is tensest."""
    found, faults = dict[str, float](), list[str]()
    config = configure(tmp_path, links=links_of(theme, ("mega", "major", "minor")))
    async with chromium() as browser, Server(config) as server:
        sign = page_of(server, f"/sign/{LINK}")
        page = await opened(browser, sign, "strip", faults, reduced_motion="reduce")
        for shown, parts in READ.items():
            await page.goto(f"{sign}?preview={shown}&near=0.98&held&past=12")
            await state(page, shown)
            await painted(page)
            picture = Picture(await page.screenshot())
            boxes: Any = await page.evaluate(PARTS, parts)
            found |= {f"{shown} {box[0]}": picture.contrast(box) for box in boxes}
    assert faults == []
    assert {part.split()[1] for part in found if "Must hit by" in part} == {"note", "hand"}
    assert {part: ratio for part, ratio in found.items() if ratio < CONTRAST_MIN} == {}
