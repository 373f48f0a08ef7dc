"""Makes films of what signs show, and looks at every frame. By hand: `python -m tests.soak films`.

Each celebration and the idle sign, in each theme, at each size of screen: a frame each 100 ms, as the page
is at that moment, however slow this machine is. `--only` takes part of a film's name, like `neon-wall-mega`;
`--times` is the most seconds of a film. They are written to `films/` as WebP, which is kept out of git.

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
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import structlog

from jackpot.app import Server
from jackpot.config.display import CONTRAST_MIN, THEMES
from tests.running_server import LINK, LINKS, configure
from tests.web.browser import CUT_OFF, SIZES, chromium, opened, state
from tests.web.test_contrast import MEASURE

if TYPE_CHECKING:
    from playwright.async_api import Browser, Page

FOLDER: Final = Path("films")
FRAME_MS: Final = 100
# Milliseconds of each film: a celebration has its whole time, the idle sign a round of its scenes.
LASTS_MS: Final = {"minor": 6_000, "major": 12_000, "mega": 60_000, "idle": 40_000}
# A film's pixels, and the quality of its frames: with them a minute is well below the most bytes of a film.
FILM_PIXELS: Final = 130_000
QUALITY: Final = 40
LARGE_MAX: Final = 8_000_000
# A flash (WCAG 2): two opposite changes of relative luminance of a tenth, the darker below 0.8, on a quarter
# of the middle of the view, taken as a tenth of the whole; the picture is looked at in cells.
CELLS: Final = 24, 16
CHANGE_MIN: Final = 0.1
DARKER_MAX: Final = 0.8
AREA_MIN: Final = 0.1
FLASHES_MAX: Final = 3
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
}"""
# The texts that are seen whole now, as `MEASURE` takes them. What comes just now is not yet.
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
# The relative luminance of a picture in cells, as WCAG 2 has it.
LUMINANCE: Final = """async ([picture, wide, high]) => {
    const image = new Image();
    image.src = picture;
    await image.decode();
    const pen = new OffscreenCanvas(wide, high).getContext('2d', {willReadFrequently: true});
    pen.imageSmoothingQuality = 'high';
    pen.drawImage(image, 0, 0, wide, high);
    const {data} = pen.getImageData(0, 0, wide, high);
    const linear = (byte) => byte <= 10 ? byte / 3294.6 : ((byte / 255 + 0.055) / 1.055) ** 2.4;
    const found = [];
    for (let at = 0; at < data.length; at += 4) {
        const [red, green, blue] = [data[at], data[at + 1], data[at + 2]].map(linear);
        found.push(0.2126 * red + 0.7152 * green + 0.0722 * blue);
    }
    return found;
}"""


class Frame(NamedTuple):
    """A picture at a moment of a film, and what is wrong with it."""

    at_ms: int
    png: bytes
    wrong: Sequence[str]


def changes(before: Sequence[float], after: Sequence[float]) -> tuple[bool, bool]:
    """Whether enough of the picture became lighter, and darker, for half a flash."""
    pairs = [pair for pair in zip(before, after, strict=True) if min(pair) < DARKER_MAX]
    enough = AREA_MIN * len(before)
    lighter = sum(late - early >= CHANGE_MIN for early, late in pairs)
    darker = sum(early - late >= CHANGE_MIN for early, late in pairs)
    return lighter >= enough, darker >= enough


def flashes(lights: Sequence[Sequence[float]], frame_ms: int = FRAME_MS) -> int:
    """The most flashes in one second: a change to lighter that is followed by one to darker, or the reverse.

    lights: of each frame, the luminance of its cells.
    """
    turns: list[tuple[int, bool]] = []
    settled = lights[0]
    for at, light in enumerate(lights):
        lighter, darker = changes(settled, light)
        if lighter or darker:
            if not turns or turns[-1][1] != lighter:
                turns.append((at, lighter))
            settled = light
    within = 1_000 // frame_ms
    return max((sum(at <= other < at + within for other, _ in turns) // 2 for at, _ in turns), default=0)


async def luminance(blank: "Page", png: bytes) -> Any:
    """The luminance of a picture's cells."""
    return await blank.evaluate(LUMINANCE, [_address(png), *CELLS])


async def contrasts(page: "Page", blank: "Page", png: bytes) -> Any:
    """The name and the contrast of each text of a page in its picture."""
    return await blank.evaluate(MEASURE, [_address(png), await page.evaluate(TEXTS)])


def _address(png: bytes) -> str:
    from base64 import b64encode

    return f"data:image/png;base64,{b64encode(png).decode()}"


async def frames(page: "Page", lasts_ms: int, every_ms: int = FRAME_MS) -> AsyncIterator[Frame]:
    """Every frame of a held page."""
    for at_ms in range(0, lasts_ms, every_ms):
        await page.evaluate(STEP, at_ms)
        wrong = await page.evaluate(WRONG, WIDE_MIN)
        wrong += [f"{part} is cut off" for part in await page.evaluate(CUT_OFF, WHOLE)]
        yield Frame(at_ms, await page.screenshot(), wrong)


def written(file: Path, pictures: Sequence[bytes]) -> int:
    """Writes a film, and returns its size in bytes."""
    from PIL import Image

    images = [Image.open(BytesIO(png)).convert("RGB") for png in pictures]
    wide, high = images[0].size
    scale = min(1.0, (FILM_PIXELS / (wide * high)) ** 0.5)
    small = [image.resize((round(wide * scale), round(high * scale))) for image in images]
    file.parent.mkdir(exist_ok=True)
    small[0].save(file, save_all=True, append_images=small[1:], duration=FRAME_MS, quality=QUALITY)
    return file.stat().st_size


async def film(browser: "Browser", at: str, name: str, seconds: int) -> list[str]:
    """Makes a film, and returns what is wrong with it. name: theme, size and what is shown."""
    _, size, shown = name.split("-")
    query = "?preview=normal&held" if shown == "idle" else f"?preview=win&held&level={shown}"
    faults, found, lights, pictures = list[str](), dict[str, int](), list[Any](), list[bytes]()
    lowest = dict[str, tuple[float, int]]()
    page, blank = await opened(browser, at + query, size, faults), await browser.new_page()
    await state(page, "normal" if shown == "idle" else "win")
    async for frame in frames(page, min(LASTS_MS[shown], 1_000 * seconds)):
        for sentence in frame.wrong:
            found.setdefault(sentence, frame.at_ms)
        for part, ratio in await contrasts(page, blank, frame.png):
            if ratio < lowest.get(part, (CONTRAST_MIN, 0))[0]:
                lowest[part] = ratio, frame.at_ms
        lights.append(await luminance(blank, frame.png))
        pictures.append(frame.png)
    await page.close()
    await blank.close()
    most = flashes(lights)
    wrong = [f"{sentence} at {at_ms} ms" for sentence, at_ms in found.items()] + faults
    wrong += [
        f"{part} has a contrast of {ratio:.1f} at {at_ms} ms" for part, (ratio, at_ms) in lowest.items()
    ]
    if most > FLASHES_MAX:
        wrong.append(f"it flashes {most} times in a second")
    large = await asyncio.to_thread(written, FOLDER / f"{name}.webp", pictures)
    if large > LARGE_MAX:
        wrong.append(f"it is larger than {LARGE_MAX / 1e6:.0f} MB")
    said = "; ".join(wrong) or "good"
    print(
        f"{name}: {len(pictures)} frames, {large / 1e6:.1f} MB, {most} flashes a second: {said}", flush=True
    )
    return wrong


async def run(folder: Path, only: str, seconds: int) -> bool:
    wrong = []
    async with chromium() as browser:
        for theme in THEMES:
            names = [f"{theme}-{size}-{shown}" for size in SIZES for shown in LASTS_MS]
            chosen = [name for name in names if only in name]
            if not chosen:
                continue
            (folder / theme).mkdir()
            links = f'{LINKS}[link.display]\ntheme = "{theme}"\n'
            async with Server(configure(folder / theme, links=links)) as server:
                for name in chosen:
                    at = f"http://127.0.0.1:{server.ports['http']}/sign/{LINK}"
                    wrong += await film(browser, at, name, seconds)
    return not wrong


def soak(only: str, seconds: int) -> int:
    """The exit code."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    with tempfile.TemporaryDirectory() as place:
        return 0 if asyncio.run(run(Path(place), only, seconds)) else 1
