"""Makes films of what signs show, and looks at every frame. By hand: `python -m tests.soak films`.

Each celebration and the idle sign, in each theme, at each size of screen: a frame each 100 ms, as the page
is at that moment, however slow this machine is. A mystery's celebration, and its meter near the end, are of
a second link. `--only` takes part of a film's name, like `neon-wall-mega`; `--times` is the most seconds of a
film. They are written to `films/` as WebP, which is kept out of git.
`--every` takes a frame each so many milliseconds instead, of which no flash can be counted; `--light` takes
small frames of which nothing else is: both together look at all sizes and themes in an hour or two.

Of every frame it is measured whether title, level and sum are seen, how much of the width the sum takes,
whether anything is cut off, and whether every text is read on what is behind it (but in the flash with
which a win begins); of all frames of a film, how often the picture flashes in one second
(WCAG 2.3.1). A line is printed for each film, and the exit code is 0 where all of them are good.
"""

import asyncio
import logging
import tempfile
from collections.abc import AsyncIterator, Sequence
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import structlog

from jackpot.app import Server
from jackpot.config.display import CONTRAST_MIN, THEMES
from tests.running_server import LINK, LINKS, configure
from tests.web.browser import CUT_OFF, SIZES, chromium, opened, state
from tests.web.pictures import FLASHES_MAX, Numbers, Picture, flashes

if TYPE_CHECKING:
    from playwright.async_api import Browser, Page

FOLDER: Final = Path("films")
FRAME_MS: Final = 100
# Milliseconds of each film: a celebration has its whole time, the idle sign a round of its scenes.
LASTS_MS: Final = {
    "minor": 6_000,
    "major": 12_000,
    "mega": 60_000,
    "idle": 40_000,
    "mystery": 60_000,
    "near": 6_000,
}
# What of them a page is asked for.
QUERIES: Final = {
    "minor": "preview=win&level=minor",
    "major": "preview=win&level=major",
    "mega": "preview=win&level=mega",
    "idle": "preview=normal",
    "mystery": "preview=win",
    "near": "preview=normal&near=0.98",
}
# The films of a link whose meter must hit by a sum.
MYSTERY: Final = "lantern"
OF_MYSTERY: Final = ("mystery", "near")
IDLE: Final = ("idle", "near")
# A frame's pixels for each of the page's, where only its light is looked at.
LIGHT_SCALE: Final = 0.25
# A film's pixels, and the quality of its frames: with them a minute is well below the most bytes of a film.
FILM_PIXELS: Final = 130_000
QUALITY: Final = 40
LARGE_MAX: Final = 8_000_000
WIDE_MIN: Final = 0.9

# Texts that are never cut off.
WHOLE: Final = "#win .fills, .name, #odds h2, #odds .named, #odds .pays"

# Puts the page at a moment: the celebration's, of what flies in it, and of what moves by the style sheet.
STEP: Final = """async (ms) => {
    window.born ??= new WeakMap();
    dispatchEvent(new CustomEvent('moment', {detail: ms}));
    for (const one of document.getAnimations()) {
        if (!window.born.has(one)) window.born.set(one, ms);
        one.pause();
        one.currentTime = ms - window.born.get(one);
    }
    const canvas = document.querySelector('#sparks');
    const flies = canvas.clientWidth && 'ready' in canvas.dataset;
    while (flies && canvas.dataset.drawn !== `${ms}`) {
        await new Promise(requestAnimationFrame);
    }
    await new Promise(requestAnimationFrame); // what changed is fitted within it
}"""
# The texts that are seen whole now, as `Picture` takes them. What comes just now is not yet.
TEXTS: Final = """() => {
    const win = document.querySelector('#win');
    const odds = '#odds h2, #odds .named, #odds .pays';
    const idle = `h1, .level .name, .level .amount-run, #idle, ${odds}`;
    const names = ['jackpot', 'level', 'amount', 'hand', 'table', 'what', 'exact'];
    const won = names.map((name) => `#win .${name}`).join();
    const comes = (part) => part.getAnimations().some((one) => {
        const {progress, endTime} = one.effect.getComputedTiming();
        return progress !== null && Number.isFinite(endTime);
    });
    const found = [];
    if (win.dataset.phase === 'flash' && !win.hidden) return found;
    for (const part of document.querySelectorAll(win.hidden ? idle : won)) {
        const {left, top, width, height} = part.getBoundingClientRect();
        const isSeen = width >= 1 && height >= 1 && getComputedStyle(part).visibility === 'visible';
        if (!isSeen || !part.textContent) continue;
        let above = part;
        while (above && !comes(above)) above = above.parentElement;
        if (!above) found.push([part.className || part.id || part.tagName, false, left, top, width, height]);
    }
    return found;
}"""
# What is wrong with a frame, in sentences. wide: the part of the width that the sum has to take.
WRONG: Final = """(wide) => {
    const found = [];
    const win = document.querySelector('#win');
    const seen = (part) => {
        const box = part.getBoundingClientRect();
        return box.width > 0 && getComputedStyle(part).visibility === 'visible'
            && box.left > -1 && box.right < innerWidth + 1 && box.top > -1 && box.bottom < innerHeight + 1;
    };
    const idle = document.body.matches('.ribbon') ? '#odds h2, #odds .pays' : 'h1';
    const won = '#win .jackpot, #win .level, #win .amount';
    const parts = win.hidden ? `.level .name, .level .amount-run, ${idle}` : won;
    for (const part of document.querySelectorAll(parts)) {
        if (!seen(part)) found.push(`${part.className || part.tagName} is not seen`);
    }
    if (!win.hidden) {
        const sum = win.querySelector('.amount');
        const part = sum.getBoundingClientRect().width / innerWidth;
        if (part < wide) found.push(`the sum takes ${part.toFixed(2)} of the width`);
        if (!sum.getAttribute('aria-label')) found.push('the sum is not said');
    }
    return found;
}"""


class Chosen(NamedTuple):
    """What is filmed. only: part of the names. seconds: the most of each. light: of small frames, alone."""

    only: str
    seconds: int
    every_ms: int = FRAME_MS
    light: bool = False


class Frame(NamedTuple):
    """A picture at a moment of a film, and what is wrong with it."""

    at_ms: int
    png: bytes
    wrong: Sequence[str]


async def contrasts(page: "Page", picture: Picture) -> list[tuple[str, float]]:
    """The name and the contrast of each text of a page in its picture."""
    return [(text[0], picture.contrast(text)) for text in await page.evaluate(TEXTS)]


async def frames(page: "Page", lasts_ms: int, every_ms: int = FRAME_MS) -> AsyncIterator[Frame]:
    """Every frame of a held page."""
    for at_ms in range(0, lasts_ms, every_ms):
        await page.evaluate(STEP, at_ms)
        wrong = await page.evaluate(WRONG, WIDE_MIN)
        wrong += [f"{part} is cut off" for part in await page.evaluate(CUT_OFF, WHOLE)]
        yield Frame(at_ms, await page.screenshot(), wrong)


def written(file: Path, pictures: Sequence[bytes], every_ms: int = FRAME_MS) -> int:
    """Writes a film, and returns its size in bytes."""
    from PIL import Image

    images = [Image.open(BytesIO(png)).convert("RGB") for png in pictures]
    wide, high = images[0].size
    scale = min(1.0, (FILM_PIXELS / (wide * high)) ** 0.5)
    small = [image.resize((round(wide * scale), round(high * scale))) for image in images]
    file.parent.mkdir(exist_ok=True)
    small[0].save(file, save_all=True, append_images=small[1:], duration=every_ms, quality=QUALITY)
    return file.stat().st_size


async def film(browser: "Browser", at: str, name: str, chosen: Chosen) -> list[str]:
    """Makes a film, and returns what is wrong with it. name: theme, size and what is shown."""
    _, size, shown = name.split("-")
    faults, found, cells, pictures = list[str](), dict[str, int](), list[Numbers](), list[bytes]()
    lowest = dict[str, tuple[float, int]]()
    scale = LIGHT_SCALE if chosen.light else 1.0
    page = await opened(browser, f"{at}?{QUERIES[shown]}&held", size, faults, device_scale_factor=scale)
    await state(page, "normal" if shown in IDLE else "win")
    if shown not in IDLE:
        await page.wait_for_selector("#sparks[data-ready]")
    lasts_ms = min(LASTS_MS[shown], 1_000 * chosen.seconds)
    async for frame in frames(page, lasts_ms, chosen.every_ms):
        picture = Picture(frame.png)
        cells.append(picture.cells())
        if chosen.light:
            continue
        for sentence in frame.wrong:
            found.setdefault(sentence, frame.at_ms)
        for part, ratio in await contrasts(page, picture):
            if ratio < lowest.get(part, (CONTRAST_MIN, 0))[0]:
                lowest[part] = ratio, frame.at_ms
        pictures.append(frame.png)
    await page.close()
    wrong = [f"{sentence} at {at_ms} ms" for sentence, at_ms in found.items()] + faults
    wrong += [
        f"{part} has a contrast of {ratio:.1f} at {at_ms} ms" for part, (ratio, at_ms) in lowest.items()
    ]
    said = [f"{len(cells)} frames"]
    if chosen.every_ms <= FRAME_MS:
        most = flashes(cells, chosen.every_ms)
        said.append(f"{most} flashes a second")
        if most > FLASHES_MAX:
            wrong.append(f"it flashes {most} times in a second")
    if pictures:
        large = await asyncio.to_thread(written, FOLDER / f"{name}.webp", pictures, chosen.every_ms)
        said.append(f"{large / 1e6:.1f} MB")
        if large > LARGE_MAX:
            wrong.append(f"it is larger than {LARGE_MAX / 1e6:.0f} MB")
    print(f"{name}: {', '.join(said)}: {'; '.join(wrong) or 'good'}", flush=True)
    return wrong


def links_of(theme: str) -> str:
    """A link that celebrates hands, and one of a mystery, in this theme."""
    display = f'[link.display]\ntheme = "{theme}"\n'
    level = '[link.level.meter]\nseed = "500.00"\nmust_hit_by = "1000.00"\nprimary = "2%"\n'
    mystery = (
        f'[[link]]\nid = "{MYSTERY}"\nkind = "mystery"\nform = "drawn"\nwager = "5.00"\nelectronic = true\n'
    )
    return f"{LINKS}{display}{mystery}{level}{display}"


async def run(folder: Path, chosen: Chosen) -> bool:
    wrong = []
    async with chromium() as browser:
        for theme in THEMES:
            names = [f"{theme}-{size}-{shown}" for size in SIZES for shown in LASTS_MS]
            made = [name for name in names if chosen.only in name]
            if not made:
                continue
            (folder / theme).mkdir()
            async with Server(configure(folder / theme, links=links_of(theme))) as server:
                for name in made:
                    link = MYSTERY if name.endswith(OF_MYSTERY) else LINK
                    at = f"http://127.0.0.1:{server.ports['http']}/sign/{link}"
                    wrong += await film(browser, at, name, chosen)
    return not wrong


def soak(chosen: Chosen) -> int:
    """The exit code."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    with tempfile.TemporaryDirectory() as place:
        return 0 if asyncio.run(run(Path(place), chosen)) else 1
