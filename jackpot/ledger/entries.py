"""Events of a bank by kind, read through the index that holds no wager."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

import msgspec

from jackpot.ledger.reading import Conversation, Reader
from jackpot.rules import registry
from jackpot.rules.events import Event

_ENTRIES: Final = """
    SELECT seq, at, kind, version, body FROM journal
    WHERE +bank = ?1 AND kind IN ({kinds}) AND table_seq IS NULL ORDER BY seq
"""


def events_of(ledger: Reader, bank: str, *wanted: int) -> Iterator[tuple[int, int, Event]]:
    """(row, its time, what it says) of a bank's entries of these kinds, in order, but for unreadable ones.

    wanted: kinds that are no table's frame. Unreadable rows are reported by the chain verifier.
    """
    sql = _ENTRIES.format(kinds=", ".join(map(str, wanted)))

    def asked(number: int) -> Conversation[Sequence[Any]]:
        return (yield sql, (number,))

    for seq, at, kind, version, body in ledger.ask(bank, asked):
        event = readable(kind, version, body)
        if event is not None:
            yield seq, at, event


def readable(kind: int, version: int, body: bytes) -> Event | None:
    """Decoded event of a row; None if this program cannot read it."""
    try:
        return registry.decode(kind, version, body)
    except (registry.UnknownEventError, msgspec.MsgspecError):
        return None
