"""In which languages do signs speak? English, and each in `catalogues`, by the English sentence."""

from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Final

from babel import Locale
from babel.messages.pofile import read_po

# The sentences in the program are written in it.
ENGLISH: Final = "en"


@cache
def words(locale: str) -> Mapping[str, str]:
    """What a locale's language says for each English sentence; empty where there is no catalogue of it."""
    file = resources.files("jackpot.config").joinpath("catalogues", f"{_language(locale)}.po")
    if not file.is_file():
        return {}
    with file.open("rb") as lines:
        catalogue = read_po(lines)
    return {str(message.id): str(message.string) for message in catalogue if message.id and message.string}


def spoken(locale: str) -> str:
    """The language that pages of a locale are really in, for `<html lang>`: "es-MX", or "en"."""
    name = locale.replace("_", "-")
    return name if _language(locale) == ENGLISH or words(locale) else ENGLISH


def _language(locale: str) -> str:
    return Locale.parse(locale, sep="-" if "-" in locale else "_").language
