"""The light of a page in a picture, as WCAG 2 counts it: how well texts are read, how often it flashes."""

from collections.abc import Callable, Sequence
from io import BytesIO
from typing import Final

import numpy as np
import numpy.typing as npt
from PIL import Image

Numbers = npt.NDArray[np.float32]
# A text in a picture: its name, whether its letters are dark, left, top, width, height.
Text = tuple[str, bool, float, float, float, float]

BYTES: Final = np.arange(256) / 255
# What a byte of a picture is of a colour's whole light.
LINEAR: Final = np.where(BYTES <= 0.04045, BYTES / 12.92, ((BYTES + 0.055) / 1.055) ** 2.4).astype(np.float32)
# Of red, green and blue in relative luminance.
WEIGHTS: Final = np.array([0.2126, 0.7152, 0.0722], dtype=np.float32)
# Most of a text's box is its ground; its strokes are the lightest or the darkest part of it.
GROUND: Final = 0.5
STROKES: Final = 0.98
# Of a large text every so many pixels are enough.
LOOKED_AT: Final = 40_000

# Cells in which a picture is looked at for flashes.
CELLS: Final = 24, 16
# A flash (WCAG 2): two opposite changes of relative luminance of a tenth, the darker below 0.8, on a quarter
# of the middle of the view, taken as a tenth of the whole.
CHANGE_MIN: Final = 0.1
DARKER_MAX: Final = 0.8
AREA_MIN: Final = 0.1
# A red flash has a threshold of its own: red is so much of the light before or after, and what red has above
# green and blue, as a part of all that it can have, changes by so much (20 of 320).
SATURATED: Final = 0.8
RED_CHANGE_MIN: Final = 20 / 320
FLASHES_MAX: Final = 3

Changes = Callable[[Numbers, Numbers], tuple[bool, bool]]


class Picture:
    """A picture in linear light."""

    def __init__(self, png: bytes) -> None:
        self._light: Numbers = LINEAR[np.asarray(Image.open(BytesIO(png)).convert("RGB"))]

    def contrast(self, text: Text) -> float:
        """How far a text's strokes stand out from their ground: a ratio of luminances, 1 off the picture."""
        _, is_dark, left, top, width, height = text
        rows = slice(max(0, round(top)), max(0, round(top + height)))
        columns = slice(max(0, round(left)), max(0, round(left + width)))
        light = (self._light[rows, columns] @ WEIGHTS).ravel()
        if not light.size:
            return 1.0
        light = np.sort(light[:: max(1, light.size // LOOKED_AT)])
        ground, ink = (
            float(light[int(part * (light.size - 1))]) + 0.05
            for part in (GROUND, 1 - STROKES if is_dark else STROKES)
        )
        return ground / ink if is_dark else ink / ground

    def cells(self) -> Numbers:
        """The mean red, green and blue of each cell, in linear light: a row for each."""
        wide, high = CELLS
        rows, columns, _ = self._light.shape
        down = np.linspace(0, rows, high, endpoint=False, dtype=int)
        across = np.linspace(0, columns, wide, endpoint=False, dtype=int)
        sums = np.add.reduceat(np.add.reduceat(self._light, down, axis=0), across, axis=1)
        sizes = np.outer(np.diff([*down, rows]), np.diff([*across, columns]))
        means: Numbers = (sums / sizes[:, :, None]).reshape(-1, 3).astype(np.float32)
        return means


def changes(before: Numbers, after: Numbers) -> tuple[bool, bool]:
    """Whether enough cells became lighter, and darker, for half a flash."""
    early, late = before @ WEIGHTS, after @ WEIGHTS
    counted = np.minimum(early, late) < DARKER_MAX
    return _enough(late - early >= CHANGE_MIN, counted), _enough(early - late >= CHANGE_MIN, counted)


def red_changes(before: Numbers, after: Numbers) -> tuple[bool, bool]:
    """Whether enough cells became a saturated red, and ceased to be one, for half a red flash."""
    counted = np.maximum(_red_part(before), _red_part(after)) >= SATURATED
    early, late = (np.maximum(0, cells @ np.array([1, -1, -1], np.float32)) for cells in (before, after))
    return _enough(late - early > RED_CHANGE_MIN, counted), _enough(early - late > RED_CHANGE_MIN, counted)


def _red_part(cells: Numbers) -> Numbers:
    whole: Numbers = np.maximum(cells.sum(axis=1), np.finfo(np.float32).tiny)
    return cells[:, 0] / whole


def _enough(changed: npt.NDArray[np.bool_], counted: npt.NDArray[np.bool_]) -> bool:
    return bool((changed & counted).sum() >= AREA_MIN * len(counted))


def flashes(frames: Sequence[Numbers], frame_ms: int) -> int:
    """The most flashes in one second, general ones or red ones. frames: the cells of each."""
    return max(_turns(frames, frame_ms, changed) for changed in (changes, red_changes))


def _turns(frames: Sequence[Numbers], frame_ms: int, changed: Changes) -> int:
    """The most pairs in one second of a change one way and the next one back."""
    turns: list[tuple[int, bool]] = []
    settled = frames[0]
    for at, cells in enumerate(frames):
        up, down = changed(settled, cells)
        if up or down:
            if not turns or turns[-1][1] != up:
                turns.append((at, up))
            settled = cells
    within = 1_000 // frame_ms
    return max((sum(at <= other < at + within for other, _ in turns) // 2 for at, _ in turns), default=0)
