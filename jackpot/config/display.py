"""Display settings of a floor and its links: names, colours, a logo and a locale, all with defaults."""

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import msgspec
from babel import Locale, UnknownLocaleError

from jackpot.config.languages import PAGES, words
from jackpot.rules.terms import LEVELS, METER

DEFAULT_LOCALE: Final = "en_US"
DEFAULT_THEME: Final = "gold"
# Accent and background of each theme of a sign; the rest of it is in the pages' style sheet (themes.css).
THEMES: Final[Mapping[str, tuple[str, str]]] = {
    "gold": ("#f5c542", "#0a0d16"),
    "neon": ("#ff4fd8", "#0a0420"),
    "red": ("#ffc83d", "#2e0209"),
    "dark": ("#e2c48d", "#0b0b0e"),
}
# Kinds of file that browsers show as an image without running anything in it.
LOGO_TYPES: Final[Mapping[str, str]] = {
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".webp": "image/webp",
}
BACKDROP_TYPES: Final[Mapping[str, str]] = {
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".webp": "image/webp",
    ".mp4": "video/mp4",
    ".webm": "video/webm",
}
FONT_TYPES: Final[Mapping[str, str]] = {".woff2": "font/woff2"}
# By the setting that names a file: what it may be.
FILES: Final = {"logo": LOGO_TYPES, "backdrop": BACKDROP_TYPES, "font": FONT_TYPES}
# The setting that lists pictures and films which a sign shows between its meters, of the backdrop's kinds.
PICTURES: Final = "pictures"
# A logo is held in memory, and one that is larger was made by mistake: 4 MB.
LOGO_MAX: Final = 4_194_304
# What large letters need to be read (WCAG 2, 1.4.3), as a ratio of luminances; a sign has no small ones.
CONTRAST_MIN: Final = 3.0
WHITE: Final = "#ffffff"
# What signs call a level that is alone; the others are called by their own names.
CALLED: Final[Mapping[str, str]] = {METER: "Progressive"}
LEVEL_NAMES: Final = tuple(name for order in LEVELS for name in order)
# The settings that have an entry for a level.
OF_LEVELS: Final = ("levels", "colours")


class Display(msgspec.Struct, frozen=True):
    """A link's display. title: in words. theme: of THEMES. accent, background: "#rrggbb".

    levels: the level's name by its id. colours: of levels that have their own. locale: language and money
    format of its sign. sound: whether a win is audible. pictures: that it shows while nobody wins.
    """

    title: str
    theme: str
    accent: str
    background: str
    logo: Path | None
    levels: Mapping[str, str]
    colours: Mapping[str, str]
    backdrop: Path | None
    font: Path | None
    locale: str
    sound: bool
    pictures: tuple[Path, ...]


def display_of(link: str, section: Mapping[str, Any], site: Mapping[str, Any], base: Path) -> Display:
    """A link's display: its own settings, else the site's, else defaults. base: of relative paths."""
    both = {**site, **section}
    locale = both.get("locale", DEFAULT_LOCALE)
    said = {} if locale_fault(locale) else words(locale, PAGES)
    names = {level: CALLED.get(level, level) for level in LEVEL_NAMES}
    theme = both.get("theme", DEFAULT_THEME)
    accent, background = THEMES[theme]
    files = {name: None if name not in both else base / both[name] for name in FILES}
    return Display(
        title=section.get("title", link.replace("-", " ").title()),
        theme=theme,
        accent=both.get("accent", accent),
        background=both.get("background", background),
        levels={level: said.get(name, name).capitalize() for level, name in names.items()}
        | section.get("levels", {}),
        colours=section.get("colours", {}),
        locale=locale,
        sound=both.get("sound", False),
        pictures=tuple(base / name for name in both.get(PICTURES, ())),
        **files,
    )


def titles_of(displays: Mapping[str, Display]) -> dict[str, str]:
    """By link, its title for people, with its id where another link has the same title."""
    often = Counter(display.title for display in displays.values())
    return {
        link: display.title if often[display.title] == 1 else f"{display.title} ({link})"
        for link, display in displays.items()
    }


def level_titles_of(displays: Mapping[str, Display]) -> dict[str, dict[str, str]]:
    """By link, what people call each of its levels."""
    return {link: dict(display.levels) for link, display in displays.items()}


def file_fault(name: str, path: Path) -> str | None:
    """What is wrong with the file of a setting in FILES, or of PICTURES; None where nothing is."""
    kinds = FILES.get(name, BACKDROP_TYPES)
    if path.suffix.lower() not in kinds:
        what = "font" if name == "font" else "image"
        return f"{path.name} is no {what} that pages show: {', '.join(kinds)}"
    if not path.is_file():
        return f"there is no file {path}"
    size = path.stat().st_size
    large = name == "logo" and size > LOGO_MAX
    return f"{path.name} is {size:,} bytes large: a logo has at most {LOGO_MAX:,}" if large else None


def contrast(one: str, other: str) -> float:
    """The ratio of two colours' luminances, 1 to 21 (WCAG 2)."""
    dark, light = sorted(_luminance(colour) for colour in (one, other))
    return (light + 0.05) / (dark + 0.05)


def unreadable(display: Display) -> Iterator[str]:
    """The colours of this display without enough contrast, a sentence each."""
    colours = {"white text": WHITE, "accent": display.accent}
    colours |= {f"colours.{level}": colour for level, colour in display.colours.items()}
    for name, colour in colours.items():
        ratio = contrast(colour, display.background)
        if ratio < CONTRAST_MIN:
            yield (
                f"{name} {colour} on the background {display.background} cannot be read from afar: "
                f"the contrast is {ratio:.1f}, and {CONTRAST_MIN:.0f} is needed"
            )


def _luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def locale_fault(name: str) -> str | None:
    """What is wrong with a locale's name; None where nothing is."""
    try:
        Locale.parse(name, sep="-" if "-" in name else "_")
    except (UnknownLocaleError, ValueError):
        return f"{name!r} is no locale, like en_US or de_AT"
    return None
