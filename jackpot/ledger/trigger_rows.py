"""Rows of `mystery_trigger`: running triggers of mystery levels, sealed, next to the journal (Y12).

A row is written in the transaction of the journal's row that commits to it, and deleted in the transaction of
the row that opens it. Without the key it tells nothing (`trigger_vault`). The journal has the commitment,
which is the row's key here; the rest of a row is public as well, but for what is sealed.
"""

from typing import TYPE_CHECKING, Any, Final

import msgspec

from jackpot.rules.commitment import CommitmentId

if TYPE_CHECKING:
    from jackpot.ledger.reading import Reader
    from jackpot.ledger.store import Statement

TABLE: Final = "mystery_trigger"
_COLUMNS: Final = "committed, ledger, bank, link, level, cycle, number, key_id, sealed"
KEEP: Final = f"INSERT INTO {TABLE} ({_COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)"  # noqa: S608
DROP: Final = f"DELETE FROM {TABLE} WHERE committed = ?1"  # noqa: S608
_RESEAL: Final = f"UPDATE {TABLE} SET key_id = ?2, sealed = ?3 WHERE committed = ?1 AND key_id = ?4"  # noqa: S608
_ALL: Final = f"SELECT {_COLUMNS} FROM {TABLE} ORDER BY bank, link, level, cycle, number"  # noqa: S608
# One statement sees one moment of the ledger, on either database.
_WITH_HEADS: Final = f"""
    SELECT bank.name, head.seq, head.hash, {", ".join(f"{TABLE}.{name}" for name in _COLUMNS.split(", "))}
    FROM bank JOIN head ON head.bank = bank.id LEFT JOIN {TABLE} ON true
    ORDER BY {TABLE}.bank, {TABLE}.link, {TABLE}.level, {TABLE}.cycle, {TABLE}.number, bank.id
"""  # noqa: S608
_CLEAR: Final = f"DELETE FROM {TABLE}"  # noqa: S608


class SealedTrigger(msgspec.Struct, frozen=True):
    """A running trigger as it is stored. committed: the commitment. key: the id of the key that opens it.

    sealed: the encrypted bytes.
    """

    committed: bytes
    which: CommitmentId
    key: str
    sealed: bytes

    def values(self) -> tuple[Any, ...]:
        """The values of KEEP."""
        which = self.which
        return (
            self.committed, which.ledger, which.bank, which.link, which.level, which.cycle, which.number,
            self.key, self.sealed,
        )  # fmt: skip


class TriggerChanges(msgspec.Struct, frozen=True):
    """What the transaction of a journal row does to running triggers. opened: by their commitments."""

    kept: tuple[SealedTrigger, ...] = ()
    opened: tuple[bytes, ...] = ()


def stored(ledger: "Reader") -> list[SealedTrigger]:
    """Every row, by bank, link, level, cycle and number. Raises LedgerError."""
    if TABLE in ledger.version.lacks:
        return []
    return [_row(*values) for values in ledger.look_up(_ALL)]


def stored_with_heads(ledger: "Reader") -> tuple[dict[str, tuple[int, bytes]], list[SealedTrigger]]:
    """Every bank's last row, by its number and hash, and every running trigger, all of one moment."""
    found = ledger.look_up(_WITH_HEADS)
    heads = {bank: (seq, bytes(hash_)) for bank, seq, hash_, *_ in found}
    rows = {row[3]: _row(*row[3:]) for row in found if row[3] is not None}
    return heads, list(rows.values())


def resealed(old: SealedTrigger, new: SealedTrigger) -> "Statement":
    """Statement that puts the same trigger under another key."""
    return _RESEAL, (old.committed, new.key, new.sealed, old.key)


def carried(rows: list[SealedTrigger]) -> "list[Statement]":
    """Statements that make these the rows of a copy."""
    return [(_CLEAR, ()), *((KEEP, row.values()) for row in rows)]


def _row(
    committed: bytes, ledger: str, bank: str, link: str, level: str, cycle: int, number: int, key: str,
    sealed: bytes,
) -> SealedTrigger:  # fmt: skip
    which = CommitmentId(ledger, bank, link, level, cycle, number)
    return SealedTrigger(bytes(committed), which, key, bytes(sealed))
