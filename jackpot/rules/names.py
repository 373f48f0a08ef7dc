"""Normalisation and validation of the names of people and players (A5, A10, T9).

A name is kept as it was written, and compared by what people read: two spellings that look alike are one
name.
"""

import re
import unicodedata
from typing import Final

from jackpot.rules.phrases import Phrase, phrase

# A person's name fits a line of a table and of a slip, as a player's on the wire does.
NAME_MAX: Final = 64

# What shows nothing: soft hyphens, zero-width signs and joiners, fillers, variation selectors, tags (most of
# Unicode's Default_Ignorable_Code_Point), and what is drawn empty, such as a braille cell without dots. Two
# names that differ by them alone look the same.
_INVISIBLE: Final = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u2800"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U00016fe4\U0001bca0-\U0001bca3\U0001d159"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)

# Letters and signs of different alphabets that are drawn alike, as the one that they are compared as: i and j
# without their dot, eth as the d with stroke whose capital it shares, a and g as phonetics write them,
# apostrophes, hyphens.
_ALIKE: Final = str.maketrans(
    {"\u0131": "i", "\u0237": "j", "\u00f0": "\u0111", "\u0251": "a", "\u0261": "g"}
    | dict.fromkeys("\u02b9\u02bb\u02bc\u02bd\u02c8\u2018\u2019\u201b\u2032", "'")
    | dict.fromkeys("\u2010\u2012\u2013\u2014\u2015\u2212", "-")
)
# The dot of i and j, put in as an accent: nobody sees whether it is there once or twice.
_DOT: Final = re.compile("([ij][\u0300-\u0306\u0308-\u036f]*)\u0307+")

# Latin letters of people's names that are no plain letter with an accent: ae, oe, o and l with stroke, d with
# stroke and eth, thorn, dotless i, h and t with stroke, eng, schwa. All others of the alphabets of Europe,
# Turkey, Azerbaijan and Vietnam decompose (NFKD) to A..Z and accents. What is not among them, such as the
# letters of phonetics, looks like one that is: who has it writes the name as in their passport's lower lines.
_OWN: Final = frozenset("\u00e6\u0153\u00f8\u0142\u0111\u00f0\u00fe\u0131\u0127\u0167\u014b\u0259")


def normal_form(name: str) -> str:
    """The normal form by which names are compared; "" where there is nothing to read.

    Case, blanks, width, the composition of accents, invisible characters and a few lookalike letters and
    signs make no difference.
    """
    if name.isascii():
        return " ".join(name.lower().split())
    seen = _INVISIBLE.sub("", name)
    folded = unicodedata.normalize("NFKC", seen).casefold().translate(_ALIKE)
    parts = _DOT.sub(r"\1", unicodedata.normalize("NFKD", folded))
    return " ".join(unicodedata.normalize("NFKC", parts).split())


def fault(name: str) -> Phrase | None:
    """What is not allowed in this person's name; None where it may stand in the journal."""
    if not name.isprintable() or _INVISIBLE.search(name) or not 1 <= len(name) <= NAME_MAX:
        return phrase("name_length", most=NAME_MAX)
    shown = unicodedata.normalize("NFKC", name)
    if not any(one.isalpha() or unicodedata.category(one) == "Nd" for one in shown):
        return phrase("name_unreadable", name=name)
    for one in shown.translate(_ALIKE):
        kind = unicodedata.category(one)
        if not one.isascii() and kind[0] not in "LM" and kind != "Nd":
            return phrase("name_sign", name=name, sign=one)
    scripts = {script for one in shown.translate(_ALIKE) if (script := _script(one)) is not None}
    if "LATIN" in scripts and len(scripts) > 1:  # a Cyrillic A would make two people of one name (A10)
        others = [script.lower() for script in sorted(scripts - {"LATIN"})]
        return phrase("name_scripts", name=name, others=others)
    foreign = next((one for one in shown if _script(one) == "LATIN" and not _is_in_use(one)), None)
    if foreign is not None:
        return phrase("name_letter", name=name, letter=foreign)
    return None


def _script(character: str) -> str | None:
    """The script of a letter or of a mark; None for what is used with every script."""
    if unicodedata.category(character)[0] not in "LM":
        return None
    script = unicodedata.name(character, "UNKNOWN").split()[0]
    return None if script == "COMBINING" else script


def _is_in_use(letter: str) -> bool:
    """Whether a Latin letter is used in names."""
    first = unicodedata.normalize("NFKD", letter.casefold())[0]
    return first.isascii() or first in _OWN
