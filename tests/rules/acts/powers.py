"""The roles of every act, as the README of the rules says them."""

import re
from pathlib import Path
from typing import Final

import msgspec

from jackpot.rules.signing import Role

README: Final = Path(__file__).parents[3] / "jackpot" / "rules" / "README.md"
_SECTION: Final = re.compile(
    r"^## Who may ask for what\n.*?^\| --- \| --- \|\n(.*?)\n\n", re.MULTILINE | re.DOTALL
)


def written() -> list[tuple[str, tuple[Role, ...]]]:
    """Every act of the table with its roles."""
    section = _SECTION.search(README.read_text("utf-8"))
    assert section is not None, "the table of roles is gone"
    found: list[tuple[str, tuple[Role, ...]]] = []
    for row in section[1].splitlines():
        roles, acts = (re.findall(r"`([a-z-]+)`", cell) for cell in row.strip("|").split("|"))
        power = msgspec.convert(roles, tuple[Role, ...])
        found += ((act, power) for act in acts)
    return found


POWERS: Final = dict(written())
