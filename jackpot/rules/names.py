"""When are two names one, and what may a name hold? Of people who act and of players (A5, A10, T9).

A name is kept as it was written, and compared by what people read: two who sign alike are one.
"""

import re
import unicodedata
from typing import Final

# A person's name fits a line of a table and of a slip, as a player's on the wire does.
NAME_MOST: Final = 64

# What takes no place where it is shown: soft hyphens, zero-width signs and joiners, fillers, variation
# selectors, tags. Two names that differ by them alone look the same.
_INVISIBLE: Final = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U000e0000-\U000e0fff]"
)

# Letters with a script of their own: upper, lower and title case, and those without case.
_LETTERS: Final = ("Lu", "Ll", "Lt", "Lo")


def plain(name: str) -> str:
    """What tells one name from another; "" where there is nothing to read.

    Case, blanks, width, how accents are put in, and signs that nobody sees make no other name.
    """
    seen = _INVISIBLE.sub("", name)
    folded = unicodedata.normalize("NFKC", seen).casefold()
    return " ".join(unicodedata.normalize("NFKC", folded).split())


def fault(name: str) -> str | None:
    """What a person's name holds that it may not; None where it may stand in the journal."""
    if not name.isprintable() or _INVISIBLE.search(name) or not 1 <= len(name) <= NAME_MOST:
        return f"1 to {NAME_MOST} printable characters"
    letters = [one for one in unicodedata.normalize("NFKC", name) if unicodedata.category(one) in _LETTERS]
    scripts = {unicodedata.name(one, "UNKNOWN").split()[0] for one in letters}
    if "LATIN" in scripts and len(scripts) > 1:  # a Cyrillic A would make two people of one name (A10)
        others = ", ".join(sorted(scripts - {"LATIN"})).lower()
        return f"{name!r} mixes latin letters with others ({others}): write it in one script"
    return None
