"""Sequence conflicts: a table used one number for two commands. The first stands, the other is journalled.

A table that lost its memory, or two devices with one key, do so: people look which of the two was true. It is
journalled once an epoch.
"""

from collections.abc import Callable
from typing import Any, ClassVar, Final

from jackpot.rules.effects import Effects
from jackpot.rules.events import Event
from jackpot.rules.state import BankState, Table


class SeqConflict(Event, frozen=True, array_like=True):
    """A table used the number `table_seq` again, with other content: the entry's digest is of that."""

    kind: ClassVar[int] = 72
    table: int
    table_seq: int


def decide_conflict(table: Table, seq: int, digest: bytes, since: int) -> SeqConflict | None:
    """Journals a frame under a used number, once an epoch; nothing for a resend of the journalled one.

    So a table that goes on fills no journal: each is refused and counted. since: the entry after which the
    epoch began.
    """
    kept = next((one for one in table.answers if one.seq == seq), None)
    if kept is None or kept.digest == digest or table.conflict > since:
        return None
    return SeqConflict(table.number, seq)


def apply_conflict(effects: Effects, event: SeqConflict) -> None:
    """Records the conflict at the table; no money moves."""
    effects.state.table(event.table).conflict = effects.seq


APPLIES: Final[dict[type[Event], Callable[[Effects, Any], None]]] = {SeqConflict: apply_conflict}
"""It is neither a table's frame nor an act: it uses up no number, and nobody asked for it."""


def conflicting(state: BankState, event: SeqConflict, digest: bytes, since: int) -> str | None:
    """Why the rules would not have journalled it; None where they would (S8)."""
    table = state.table(event.table)
    if decide_conflict(table, event.table_seq, digest, since) is None:
        return f"table {table.terms.table} used its number {event.table_seq} for nothing else in this epoch"
    return None
