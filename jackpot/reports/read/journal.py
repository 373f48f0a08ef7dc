"""Paged search of a bank's journal, the newest first; of one kind or table alone.

A page reads a bounded number of rows, however long the journal is: a search for what is rare goes on with
the next page, from where this one ended.
"""

from typing import Any, Final, NamedTuple

from jackpot.ledger.archived import cut_of
from jackpot.ledger.journal import Row
from jackpot.ledger.reading import ACCOUNTS, Conversation, Reader
from jackpot.reports.report import Unanswerable
from jackpot.rules import registry
from jackpot.rules.postings import Posting

# Entries that one page of a search looks at, at most: some tens of milliseconds.
LOOKED_AT_MAX: Final = 20_000

_FOUND: Final = """
    SELECT seq, at, epoch, kind, version, link, "table", table_seq, digest, body, hash FROM journal
    WHERE bank = ?1 AND seq < ?2 AND seq >= ?3
        AND (CAST(?4 AS bigint) IS NULL OR kind = ?4) AND (CAST(?5 AS bigint) IS NULL OR "table" = ?5)
    ORDER BY seq DESC LIMIT ?6
"""
_POSTINGS: Final = f"""
    SELECT seq, link, level, cycle, {ACCOUNTS} FROM posting
    WHERE bank = ?1 AND seq >= ?2 AND seq <= ?3 ORDER BY seq, link, level
"""  # noqa: S608

_NUMBERS: Final = {registry.name_of(kind): kind for kind in registry.KINDS}


class NoSuchKind(Unanswerable):
    """Unknown kind of entry; `said` lists the known ones."""


class JournalPage(NamedTuple):
    """One page of a search. before: where it goes on; None at its end.

    archived: up to that row the frames of tables that made no hit are in an archive alone; None where the
    page looks at no row that is so old.
    """

    rows: list[Row]
    before: int | None
    archived: int | None


class JournalFilter(NamedTuple):
    """Filter of a search.

    limit: entries of a page. before: exclusive upper bound. kind: its name. table: its number.
    """

    limit: int
    before: int | None = None
    kind: str | None = None
    table: int | None = None


def search(ledger: Reader, bank: str, wanted: JournalFilter) -> JournalPage:
    """The newest entries that match. Raises NoSuchKind, LedgerError."""
    if wanted.kind is not None and wanted.kind not in _NUMBERS:
        kinds = ", ".join(sorted(_NUMBERS))
        raise NoSuchKind(
            "{kind} is unknown; there is {kinds}", field="kind", kind=repr(wanted.kind), kinds=kinds
        )
    top = ledger.head(bank).seq + 1
    below = top if wanted.before is None else min(wanted.before, top)
    least = max(below - LOOKED_AT_MAX, 1)
    kind = None if wanted.kind is None else _NUMBERS[wanted.kind]
    values = (below, least, kind, wanted.table, wanted.limit)
    found = ledger.ask(bank, lambda number: _rows(bank, (number, *values)))
    end = found[-1].seq if len(found) == wanted.limit else least
    cut = cut_of(ledger, bank)
    archived = cut.seq if cut is not None and end <= cut.seq else None
    return JournalPage(found, end if end > 1 else None, archived)


def _rows(bank: str, values: tuple[int | None, ...]) -> Conversation[list[Row]]:
    found = yield _FOUND, values
    postings: dict[int, list[Posting]] = {}
    for seqs in _runs([row[0] for row in found]):
        posted = yield _POSTINGS, (values[0], *seqs)
        for seq, *moved in posted:
            postings.setdefault(seq, []).append(Posting(*moved))
    return [_row(bank, row, tuple(postings.get(row[0], ()))) for row in found]


def _runs(seqs: list[int]) -> list[tuple[int, int]]:
    """The first and last of each run of consecutive numbers, which arrive in falling order."""
    runs: list[tuple[int, int]] = []
    for seq in seqs:
        if runs and runs[-1][0] == seq + 1:
            runs[-1] = seq, runs[-1][1]
        else:
            runs.append((seq, seq))
    return runs


def _row(bank: str, values: Any, postings: tuple[Posting, ...]) -> Row:
    seq, at, epoch, kind, version, link, table, table_seq, digest, body, hash_ = values
    return Row(bank, seq, at, epoch, kind, version, link, table, table_seq, digest, body, postings, hash_)
