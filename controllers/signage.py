"""How is the news framed for many signs at once? Each message is made once and sent as it is to all.

Money is cents, `rev` the bank's last durable seq, `at` unix milliseconds.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from controllers.frames import encode

VALUES_MOST: Final = 256
"""Values of one `meters` frame: with the longest ids and sums it still fits a frame."""


def meters(bank: str, rev: int, at: int, values: Iterable[tuple[str, str, int]]) -> bytes:
    """Values as (link, level, cents): a whole snapshot or what changed; more than one frame where needed."""
    rows = [list(value) for value in values]
    pieces = [rows[start : start + VALUES_MOST] for start in range(0, len(rows), VALUES_MOST)] or [[]]
    head = {"t": "meters", "bank": bank, "rev": rev, "at": at}
    return b"".join(encode({**head, "values": piece}) for piece in pieces)


def hit(facts: Mapping[str, Any]) -> bytes:
    """A percentage award: hit, link, level, hand, table, amount, cycle, bank, rev, at."""
    return encode({**facts, "t": "hit"})


def link(name: str, state: str, reason: str) -> bytes:
    """A link is `active` or `suspended`, and why."""
    return encode({"t": "link", "link": name, "state": state, "reason": reason})
