"""Languages of signs and pages: English, and each that has catalogues.

`catalogues/signs/LANGUAGE.po` translates the scripts of signs and pages, by the English sentence.
`catalogues/pages/LANGUAGE.po` translates the other texts of the pages that people work in.
`catalogues/refusals/LANGUAGE.po` translates the sentences that refuse: those of the rules, by the English of
their template, and those of the server.
"""

from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any, Final

from babel import Locale, UnknownLocaleError
from babel.localedata import exists
from babel.messages.pofile import read_po

from jackpot.text import CONTEXT_ENDS, Sentence

# The sentences in the program are written in it.
ENGLISH: Final = "en"
SIGNS: Final = "signs"
PAGES: Final = "pages"
REFUSALS: Final = "refusals"
# Languages that a browser may ask for; a person knows fewer.
ASKED_MAX: Final = 16


@cache
def offered() -> Mapping[str, str]:
    """The languages of the pages by code, English first, each called as its own people call it."""
    files = resources.files("jackpot.config").joinpath("catalogues", PAGES).iterdir()
    codes = [ENGLISH, *sorted(file.name.removesuffix(".po") for file in files if file.name.endswith(".po"))]
    names = {code: Locale(code).get_language_name(code) or code for code in codes}
    return {code: f"{name[:1].upper()}{name[1:]}" for code, name in names.items()}


def words(locale: str, kind: str = SIGNS) -> Mapping[str, str]:
    """The translations of a locale's language by the English sentence; empty without a catalogue.

    kind: SIGNS, or PAGES, which include those of signs and of refusals.
    """
    return _words(_language(locale), kind)


@cache
def _words(language: str, kind: str) -> Mapping[str, str]:
    found = {**_words(language, SIGNS), **_words(language, REFUSALS)} if kind == PAGES else {}
    file = resources.files("jackpot.config").joinpath("catalogues", kind, f"{language}.po")
    if not file.is_file():
        return found
    with file.open("rb") as lines:
        catalogue = read_po(lines)
    for message in catalogue:
        if message.id and message.string:
            context = f"{message.context}{CONTEXT_ENDS}" if message.context else ""
            found[f"{context}{message.id}"] = str(message.string)
    return found


def translate(locale: str, text: str) -> str:
    """Translates a text of ours for pages of a locale; unchanged where no catalogue has it."""
    said = words(locale, PAGES)
    if isinstance(text, Sentence):
        return text.told(lambda key: _translated(said, key))
    return said.get(text, text)


def is_told(locale: str, text: str) -> bool:
    """Whether a catalogue of the locale's language has the text; of a sentence, its own words."""
    said = words(locale, PAGES)
    return text in said or (isinstance(text, Sentence) and not {text.key, text.plain}.isdisjoint(said))


def _translated(said: Mapping[str, str], key: str) -> str:
    """A sentence by its key, or without its context; a word also by how it begins a sentence."""
    plain = key.rpartition(CONTEXT_ENDS)[2]
    return said.get(key) or said.get(plain) or said.get(plain.capitalize(), plain)


def translate_all(locale: str, found: Any) -> Any:
    """JSON's value with every Sentence in it translated for a locale; other texts in it are names."""
    if isinstance(found, Mapping):
        return {name: translate_all(locale, value) for name, value in found.items()}
    if isinstance(found, list | tuple):
        return [translate_all(locale, value) for value in found]
    return translate(locale, found) if isinstance(found, Sentence) else found


def spoken(locale: str) -> str:
    """The language that pages of a locale are really in, for `<html lang>`: "es-MX", or "en".

    Browsers may ask for anything, so only a region that there is goes along: pages are kept by this name.
    """
    if not _has_language(locale):
        return ENGLISH
    asked = _parsed(locale)
    name = f"{asked.language}_{asked.territory}"
    return name.replace("_", "-") if exists(name) else asked.language


def preferred(asked: str, site: str) -> str:
    """Negotiates the language of a page: the first that the browser accepts and we have, else the site's.

    asked: an Accept-Language (RFC 9110, 12.5.4); what cannot be read in it asks for nothing. site: a locale.
    """
    wanted = []
    for part in asked.split(",")[:ASKED_MAX]:
        name, _, weight = part.partition(";")
        try:
            liking = float(weight.partition("=")[2] or 1)
            if liking > 0 and _has_language(name.strip()):
                wanted.append((liking, spoken(name.strip())))
        except (UnknownLocaleError, ValueError):
            continue  # it asks for nothing
    return max(wanted, key=lambda one: one[0])[1] if wanted else spoken(site)


def _has_language(locale: str) -> bool:
    return _language(locale) == ENGLISH or bool(words(locale))


def _language(locale: str) -> str:
    return _parsed(locale).language


def _parsed(locale: str) -> Locale:
    return Locale.parse(locale, sep="-" if "-" in locale else "_")
