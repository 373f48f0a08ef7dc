"""Languages of signs and pages: English, and each that has catalogues.

`catalogues/signs/LANGUAGE.po` translates the scripts of signs and pages, by the English sentence.
`catalogues/pages/LANGUAGE.po` translates the other texts of the pages that people work in.
`catalogues/refusals/LANGUAGE.po` has the forms of refusals: what varies in one is a name in braces.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any, Final

from babel import Locale, UnknownLocaleError
from babel.localedata import exists
from babel.messages.pofile import read_po

from jackpot.text import Sentence, filled

# The sentences in the program are written in it.
ENGLISH: Final = "en"
SIGNS: Final = "signs"
PAGES: Final = "pages"
REFUSALS: Final = "refusals"
# A form with fewer letters of its own fits too much: it is for what stands within another one alone.
OWN_MIN: Final = 7
# Languages that a browser may ask for; a person knows fewer.
ASKED_MAX: Final = 16
_NAME: Final = re.compile(r"\{(\w+)\}")


def words(locale: str, kind: str = SIGNS) -> Mapping[str, str]:
    """The translations of a locale's language by the English sentence; empty without a catalogue.

    kind: SIGNS, or PAGES, which include those of signs.
    """
    return _words(_language(locale), kind)


@cache
def _words(language: str, kind: str) -> Mapping[str, str]:
    found = dict(_words(language, SIGNS)) if kind == PAGES else {}
    file = resources.files("jackpot.config").joinpath("catalogues", kind, f"{language}.po")
    if not file.is_file():
        return found
    with file.open("rb") as lines:
        catalogue = read_po(lines)
    said = {str(message.id): str(message.string) for message in catalogue if message.id and message.string}
    return found | said


def told(locale: str, text: str) -> str:
    """Translates a text of ours for pages of a locale; unchanged where no catalogue has it."""
    said = words(locale, PAGES)
    if isinstance(text, Sentence):
        return text.told(lambda plain: said.get(plain, plain))
    return said.get(text, text)


def told_all(locale: str, found: Any) -> Any:
    """JSON's value with every Sentence in it translated for a locale; other texts in it are names."""
    if isinstance(found, Mapping):
        return {name: told_all(locale, value) for name, value in found.items()}
    if isinstance(found, list | tuple):
        return [told_all(locale, value) for value in found]
    return told(locale, found) if isinstance(found, Sentence) else found


def answered(locale: str, text: str, own: int = OWN_MIN) -> str | None:
    """Translates a refusal for pages of a locale; None where no catalogue has a matching form.

    Tables, programs and the journal get one finished English sentence. Of several forms that fit it has the
    one with the most letters of its own. own: how many those are at least.
    """
    for form, letters, said in _forms(_language(locale)):
        if letters >= own and (found := form.fullmatch(text)) is not None:
            values = {name: _value(locale, value) for name, value in found.groupdict().items()}
            return filled(said, values)
    return None


def _value(locale: str, value: str) -> str:
    """Translates a varying part of a refusal if it is a word or sentence of ours; typed text stays."""
    if value.startswith("'"):
        return value
    said = words(locale, PAGES)
    return answered(locale, value, 0) or said.get(value) or said.get(value.capitalize(), value)


@cache
def _forms(language: str) -> Sequence[tuple[re.Pattern[str], int, str]]:
    """The forms of a language's refusals, with letters and translation; the most letters first."""
    found = []
    for english, said in _words(language, REFUSALS).items():
        parts = _NAME.split(english)  # words of its own, and between them names
        form = "".join(
            f"(?P<{part}>.+?)" if place % 2 else re.escape(part) for place, part in enumerate(parts)
        )
        found.append((re.compile(form, re.DOTALL), sum(map(len, parts[::2])), said))
    return sorted(found, key=lambda one: -one[1])


def spoken(locale: str) -> str:
    """The language that pages of a locale are really in, for `<html lang>`: "es-MX", or "en".

    Browsers may ask for anything, so only a region that there is goes along: pages are kept by this name.
    """
    if not _known(locale):
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
            if liking > 0 and _known(name.strip()):
                wanted.append((liking, spoken(name.strip())))
        except (UnknownLocaleError, ValueError):
            continue  # it asks for nothing
    return max(wanted, key=lambda one: one[0])[1] if wanted else spoken(site)


def _known(locale: str) -> bool:
    return _language(locale) == ENGLISH or bool(words(locale))


def _language(locale: str) -> str:
    return _parsed(locale).language


def _parsed(locale: str) -> Locale:
    return Locale.parse(locale, sep="-" if "-" in locale else "_")
