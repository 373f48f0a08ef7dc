"""Parses sums that people type: as pages here print them, or as plain decimals like the API's (M1)."""

import re
from collections.abc import Set as AbstractSet
from typing import Final

from jackpot.config.writing import Writing
from jackpot.rules.money import of_decimal

# What is typed for each other; and marks that nobody sees.
_ALIKE: Final = str.maketrans({"\N{RIGHT SINGLE QUOTATION MARK}": "'", "\N{MINUS SIGN}": "-"})
_UNSEEN: Final = dict.fromkeys(map(ord, "\u200e\u200f\u061c"))
_DIGITS: Final = "[0-9]{1,14}"


def readings(text: str, writing: Writing, *, change: bool = False) -> AbstractSet[int]:
    """All possible readings, in micro-dollars: none where it is no sum, two where it is ambiguous.

    change: a difference, with a sign and down to the micro-dollar; else there are two decimals at most.
    """
    typed = _folded(text).strip()
    plain = _form(_DIGITS, r"\.", change)
    matches = [form.fullmatch(typed) for form in (_printed(writing, change), plain)]
    return {_micros(match) for match in matches if match is not None}


def _printed(writing: Writing, change: bool) -> re.Pattern[str]:
    """Parses a sum as pages print it; the currency and the grouping of digits may be left out."""
    before, after, group, decimal = (
        re.escape(_folded(part))
        for part in (writing.before.strip(), writing.after.strip(), writing.group, writing.decimal)
    )
    last, others = writing.groups
    grouped = rf"[0-9]{{1,{others}}}(?:{group}[0-9]{{{others}}}){{0,6}}{group}[0-9]{{{last}}}"
    return _form(f"{grouped}|{_DIGITS}", decimal, change, f"(?:{before} ?)?", f"(?: ?{after})?")


def _form(whole: str, decimal: str, change: bool, before: str = "", after: str = "") -> re.Pattern[str]:
    sign, most = ("[+-]?", 6) if change else ("", 2)
    rest = rf"(?:{decimal}(?P<rest>[0-9]{{1,{most}}}))?"
    return re.compile(rf"(?P<sign>{sign}){before}(?P<whole>{whole}){rest}{after}")


def _micros(match: re.Match[str]) -> int:
    whole = re.sub("[^0-9]", "", match["whole"])
    micros = of_decimal(f"{whole}.{match['rest'] or ''}")
    return -micros if match["sign"] == "-" else micros


def _folded(text: str) -> str:
    """Normalises blanks, apostrophes and minus signs."""
    return re.sub(r"\s", " ", text.translate(_UNSEEN).translate(_ALIKE))
