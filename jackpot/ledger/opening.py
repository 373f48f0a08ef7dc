"""Opening balances of every account of a bank at an archive cut.

They are those of the state that the cut's snapshot holds and the row after it seals. The table `opening` has
them once more, for SQL: sums that begin with it are right though old postings left. It follows from the
state, so it is under no hash; `verify` compares the two.
"""

from collections.abc import Mapping
from typing import Final

from jackpot.ledger.archived import cut_of
from jackpot.ledger.reading import ACCOUNTS, Conversation, Reader
from jackpot.ledger.rebuild import Totals, accounts_of, check_sealed, engine_of
from jackpot.ledger.store import LedgerCorrupt, Statement
from jackpot.rules.acts.archives import Cut
from jackpot.rules.engine import Engine

_BANK: Final = "(SELECT id FROM bank WHERE name = ?1)"
_STORED: Final = f"SELECT seq, link, level, {ACCOUNTS} FROM opening WHERE bank = ?1"  # noqa: S608
_CLEARED: Final = f"DELETE FROM opening WHERE bank = {_BANK}"  # noqa: S608
_FILLED: Final = f"""
    INSERT INTO opening (bank, seq, link, level, {ACCOUNTS})
    VALUES ({_BANK}, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
"""  # noqa: S608


def engine_at(ledger: Reader, bank: str, seq: int) -> Engine:
    """Engine after that row, from the snapshot that the next row seals. Raises LedgerCorrupt if there is
    none.
    """
    snapshot = ledger.newest_snapshot(bank, below=seq + 1)
    if snapshot is None or snapshot.seq != seq:
        raise LedgerCorrupt(f"{bank}: the snapshot of row {seq} is gone")
    check_sealed(ledger, snapshot)
    return engine_of(snapshot)


def filling(ledger: Reader, bank: str, cut: Cut) -> list[Statement]:
    """Statements that replace the opening balances by those at a cut. Raises LedgerCorrupt."""
    accounts = accounts_of(engine_at(ledger, bank, cut.seq))
    return [
        (_CLEARED, (bank,)),
        *((_FILLED, (bank, cut.seq, *level, *balances)) for level, balances in sorted(accounts.items())),
    ]


def balances(ledger: Reader, bank: str) -> Mapping[tuple[int, int], tuple[int, ...]]:
    """(link, level) -> its eight accounts where a bank's rows begin; empty where they begin with row 1."""
    cut = cut_of(ledger, bank)
    return {} if cut is None else _stored(ledger, bank).get(cut.seq, {})


def untrue_balances(ledger: Reader, bank: str, cut: Cut | None) -> list[str]:
    """Problems: rows of `opening` that are missing or differ from the state at the cut.

    cut: None where no row left, and there must be none. A missing snapshot is reported by the verifier.
    """
    stored = {(seq, *level): sums for seq, levels in _stored(ledger, bank).items()
              for level, sums in levels.items()}  # fmt: skip
    right: dict[tuple[int, ...], tuple[int, ...]] = {}
    if cut is not None:
        try:
            accounts = accounts_of(engine_at(ledger, bank, cut.seq))
        except LedgerCorrupt:
            return []
        right = {(cut.seq, *level): sums for level, sums in accounts.items()}
    return [
        f"{bank}: opening of link {link} level {level} at row {seq} is not what the sealed state has: "
        f"{stored.get((seq, link, level), 'none')} stored, {right.get((seq, link, level), 'none')} sealed"
        for seq, link, level in sorted(stored.keys() | right.keys())
        if stored.get((seq, link, level)) != right.get((seq, link, level))
    ]


def _stored(ledger: Reader, bank: str) -> dict[int, Totals]:
    """Stored balances by row; none in a ledger without the table."""
    if "opening" in ledger.version.lacks:
        return {}

    def asked(number: int) -> Conversation[dict[int, Totals]]:
        found: dict[int, Totals] = {}
        for seq, link, level, *sums in (yield _STORED, (number,)):
            found.setdefault(seq, {})[link, level] = tuple(sums)
        return found

    return ledger.ask(bank, asked)
