"""Looks at every page for people, in every state. By hand: `python -m tests.soak looks`.

Each page of the router, with no hit, three and fourteen waiting, in each language, on a phone, a laptop and a
wall. The judge of `tests/web/looks.py` and axe look at each, and a line is printed for each fault. The pages
are also drawn, side by side on sheets, for people to look at: they are written to `looks/`, which is kept out
of git. `--only` takes part of a page's name. The exit code is 0 where nothing was found.
"""

import asyncio
import logging
import tempfile
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Final

import structlog

from tests.web.browser import chromium
from tests.web.looks import COMPARED, SCREENS, WAITING, Look, at, house, judged, looks, untranslated
from tests.web.test_looks import found_by_axe, screen, show

if TYPE_CHECKING:
    from PIL.Image import Image
    from playwright.async_api import Page

FOLDER: Final = Path("looks")
# A sheet: pages in a row, how wide each is drawn, px, and as how many screens at most it is high.
ACROSS: Final = 6
WIDE: Final = {"phone": 260, "laptop": 400, "wall": 400}
SCREENS_HIGH: Final = 2.5
ROWS: Final = 4


class Sheets:
    """Pictures of pages of one state, side by side."""

    def __init__(self, folder: Path, name: str, size: str) -> None:
        self._folder, self._name, self._wide = folder, name, WIDE[size]
        self._pictures: list[tuple[str, Image]] = []
        self._written = 0

    def add(self, name: str, png: bytes) -> None:
        """One more page."""
        from PIL import Image

        with Image.open(BytesIO(png)) as whole:
            high = whole.height * self._wide // whole.width
            self._pictures.append((name, whole.convert("RGB").resize((self._wide, high))))
        if len(self._pictures) == ACROSS * ROWS:
            self.write()

    def write(self) -> None:
        """Writes the pages that are not on a sheet yet."""
        from PIL import Image, ImageDraw

        if not self._pictures:
            return
        rows = [self._pictures[at : at + ACROSS] for at in range(0, len(self._pictures), ACROSS)]
        heights = [max(picture.height for _, picture in row) + 24 for row in rows]
        sheet = Image.new("RGB", ((self._wide + 8) * ACROSS, sum(heights)), "#888888")
        pen, top = ImageDraw.Draw(sheet), 0
        for row, high in zip(rows, heights, strict=True):
            for number, (name, picture) in enumerate(row):
                pen.text((number * (self._wide + 8), top + 4), name, fill="#000000")
                sheet.paste(picture, (number * (self._wide + 8), top + 20))
            top += high
        self._written += 1
        sheet.save(self._folder / f"{self._name}-{self._written}.png")
        self._pictures.clear()


async def _looked_at(page: "Page", look: Look, size: str, sheets: Sheets) -> list[str]:
    """The faults of a page on that screen."""
    await show(page, size)
    found = [*await judged(page, look.path), *await found_by_axe(page)]
    width, height = SCREENS[size]
    high = await page.evaluate("document.documentElement.scrollHeight")
    clip = {"x": 0, "y": 0, "width": width, "height": min(high, int(height * SCREENS_HIGH))}
    sheets.add(look.name, await page.screenshot(clip=clip, full_page=True))  # type: ignore[arg-type]
    return found


async def _run(folder: Path, only: str) -> int:
    """The number of faults."""
    count = 0
    faults: list[str] = []
    for hits in WAITING:
        with tempfile.TemporaryDirectory() as place:
            async with house(Path(place), hits) as server, chromium() as browser:
                root = f"http://127.0.0.1:{server.ports['http']}"
                words: dict[str, dict[str, list[str]]] = {}
                for language in ("en", "es"):
                    page = await screen(browser, root, language, faults)
                    sheets = {size: Sheets(folder, f"{hits}-{language}-{size}", size) for size in SCREENS}
                    for look in looks(hits):
                        if only not in look.name or language not in look.languages:
                            continue
                        await at(page, root, look)
                        compared = await page.evaluate(COMPARED)
                        words.setdefault(look.name, {})[language] = compared["words"]
                        for size in SCREENS:
                            for fault in await _looked_at(page, look, size, sheets[size]):
                                count += 1
                                print(f"{hits} {language} {size} {look.name}: {fault}", flush=True)
                    for each in sheets.values():
                        each.write()
                for name, said in words.items():
                    if len(said) > 1:
                        for text in untranslated(said["en"], said["es"]):
                            count += 1
                            print(f"{hits} {name}: in English: {text}", flush=True)
    for fault in faults:
        print(fault)
    print(f"{count} faults of pages, {len(faults)} of scripts; sheets in {folder}")
    return count + len(faults)


def soak(only: str) -> int:
    """Looks at the pages; 1 if anything was found."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    FOLDER.mkdir(exist_ok=True)
    return 1 if asyncio.run(_run(FOLDER, only)) else 0
