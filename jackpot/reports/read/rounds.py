"""Rounds that were unfinished or reopenable at an archive's cut, from the snapshot there.

Such a round may be voided, reopened or settled later, although the frames that made it are archived.
"""

from jackpot.ledger.archived import archived_message, cut_of
from jackpot.ledger.opening import engine_at
from jackpot.ledger.reading import Reader
from jackpot.ledger.store import LedgerCorrupt
from jackpot.reports.report import InArchive
from jackpot.rules.state import Round


class RoundsAtCut:
    """Rounds of one bank at an archive's cut. after: up to which entry frames are archived, 0 for none."""

    def __init__(self, ledger: Reader, bank: str) -> None:
        self._ledger = ledger
        self._bank = bank
        self._cut = cut_of(ledger, bank)
        self._found: dict[tuple[int, str], Round] | None = None
        self.after = 0 if self._cut is None else self._cut.seq

    def find(self, table: int, round_: str) -> Round | None:
        """A table's round of that id, if it could still change at the cut. Raises InArchive."""
        if self._found is None:
            self._found = self._read()
        return self._found.get((table, round_))

    def _read(self) -> dict[tuple[int, str], Round]:
        """The snapshot's state, read once, and only when a round is asked for."""
        if self._cut is None:
            return {}
        try:
            state = engine_at(self._ledger, self._bank, self._cut.seq).state
        except LedgerCorrupt as error:
            archived = archived_message(self._bank, self._cut)
            raise InArchive(
                "rows_archived_unread", "{error}; {archived}", error=error, archived=archived
            ) from error
        return {
            (table.number, one.id): one
            for table in state.tables
            for one in (table.closed, table.round)
            if one is not None
        }
