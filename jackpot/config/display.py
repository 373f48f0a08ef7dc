"""How do pages show a floor and its links? Names, colours, a logo and a locale, all with defaults."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import msgspec
from babel import Locale, UnknownLocaleError

DEFAULT_LOCALE: Final = "en_US"
DEFAULT_ACCENT: Final = "#f5c542"
DEFAULT_BACKGROUND: Final = "#0a0d16"
# Kinds of file that browsers show as an image without running anything in it.
LOGO_TYPES: Final[Mapping[str, str]] = {
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".webp": "image/webp",
}
LEVEL_NAMES: Final[Mapping[str, str]] = {
    "meter": "Progressive",
    "mega": "Mega",
    "major": "Major",
    "minor": "Minor",
}


class Display(msgspec.Struct, frozen=True):
    """A link's face. title: in words. accent, background: "#rrggbb". levels: the level's name by its id."""

    title: str
    accent: str
    background: str
    logo: Path | None
    levels: Mapping[str, str]


def display_of(link: str, given: Mapping[str, Any], site: Mapping[str, Any], base: Path) -> Display:
    """A link's face: its own settings, else the site's, else defaults. base: where relative paths begin."""
    logo = given.get("logo", site.get("logo"))
    return Display(
        title=given.get("title", link.replace("-", " ").title()),
        accent=given.get("accent", site.get("accent", DEFAULT_ACCENT)),
        background=given.get("background", site.get("background", DEFAULT_BACKGROUND)),
        logo=None if logo is None else base / logo,
        levels={**LEVEL_NAMES, **given.get("levels", {})},
    )


def logo_fault(path: Path) -> str | None:
    """What is wrong with a logo's file, in a sentence; None where nothing is."""
    if path.suffix.lower() not in LOGO_TYPES:
        return f"{path.name} is no image that pages show: {', '.join(LOGO_TYPES)}"
    return None if path.is_file() else f"there is no file {path}"


def locale_fault(name: str) -> str | None:
    """What is wrong with a locale's name; None where nothing is."""
    try:
        Locale.parse(name, sep="-" if "-" in name else "_")
    except (UnknownLocaleError, ValueError):
        return f"{name!r} is no locale, like en_US or de_AT"
    return None
