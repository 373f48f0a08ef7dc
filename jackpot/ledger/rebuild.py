"""How does the state come back from the journal? The newest snapshot it bears out, and the rows after it."""

from typing import Final

import msgspec

from jackpot.ledger.journal import Head, Row, Snapshot, chained, genesis, in_order
from jackpot.ledger.store import Fenced, Ledger, LedgerCorrupt, Reader
from jackpot.rules.engine import SNAPSHOT_FORMAT, Engine
from jackpot.rules.postings import Posting, only_link

# Rows of one read: a few milliseconds, so that a reader never holds the WAL for long.
PAGE_ROWS: Final = 1_000

# Rows whose postings one statement sums: well under a second.
SUM_ROWS: Final = 100_000

# A forged seq of any size must not make the summing endless.
SUM_STATEMENTS_MAX: Final = 10_000

# (link, level) -> its eight accounts, in the order of a posting's.
Totals = dict[tuple[int, int], tuple[int, ...]]


def rebuild(ledger: Reader, bank: str, known: Snapshot | None = None) -> tuple[Engine, Head]:
    """The engine as the ledger has it, and the head that it stands at.

    known: a snapshot of the caller's own. It is preferred to those in the ledger, which anybody who may write
    there could have forged: a hit that nobody made is in no sum. The bank's writer calls this, after
    `new_epoch`: nothing may follow the head. Raises what `read_to` raises; Fenced where another writer took
    the bank meanwhile.
    """
    head = ledger.head(bank)
    engine = read_to(ledger, bank, head, known)
    if ledger.rows(bank, head.seq, 1):
        if ledger.head(bank).epoch != head.epoch:
            raise Fenced(f"bank {bank} was taken by another writer while it was read")
        raise LedgerCorrupt(f"{bank}: there are rows after the head, which stands at {head.seq}")
    return engine, head


def read_to(ledger: Reader, bank: str, head: Head, known: Snapshot | None = None) -> Engine:
    """The engine as the ledger has it at a head, whatever a writer adds meanwhile.

    Checks of every row that it reads: that it is there, follows the chain, and that its event makes the
    postings that are stored; and the head against the last row. Raises LedgerCorrupt, naming the row.
    """
    engine, last = _start(ledger, bank, head, known)
    while engine.seq < head.seq:
        page = ledger.rows(bank, engine.seq, min(PAGE_ROWS, head.seq - engine.seq))
        if not page:
            raise LedgerCorrupt(f"{bank}: row {engine.seq + 1} is missing, the head stands at {head.seq}")
        for row in page:
            if row.seq != engine.seq + 1:
                raise LedgerCorrupt(f"{bank}: row {engine.seq + 1} is missing, row {row.seq} is there")
            if chained(last, row) != row.hash:
                raise LedgerCorrupt(f"{bank}: row {row.seq} does not follow from row {row.seq - 1}")
            replay(engine, row)
            last = row.hash
    if last != head.hash:
        raise LedgerCorrupt(f"{bank}: the head names another hash than row {head.seq} has")
    return engine


def still_own(head: Head, epoch: int) -> None:
    """Raises Fenced where another writer took the bank before it was read: the head's epoch is not ours."""
    if head.epoch != epoch:
        raise Fenced(f"bank {head.bank} was taken by another writer: epoch {epoch} is over")


def _start(ledger: Reader, bank: str, head: Head, known: Snapshot | None) -> tuple[Engine, bytes]:
    """The engine of the newest snapshot that the journal bears out, else an empty one; and its row's hash."""
    if known is not None and (known.seq == 0 or holds(ledger, known)):
        return engine_of(known), known.hash
    snapshot = ledger.newest_snapshot(bank, below=head.seq + 1)
    while snapshot is not None:
        if snapshot.format == SNAPSHOT_FORMAT and holds(ledger, snapshot):
            return engine_of(snapshot), snapshot.hash
        snapshot = ledger.newest_snapshot(bank, below=snapshot.seq)
    return Engine(bank), genesis(bank)


def holds(ledger: Reader, snapshot: Snapshot) -> bool:
    """Whether the journal has the row that the snapshot names."""
    return any(
        (row.seq, row.hash) == (snapshot.seq, snapshot.hash)
        for row in ledger.rows(snapshot.bank, snapshot.seq - 1, 1)
    )


def engine_of(snapshot: Snapshot) -> Engine:
    """The engine in a snapshot of this program's format. Raises LedgerCorrupt where it holds none."""
    try:
        engine = Engine.from_snapshot(snapshot.state)
    except (msgspec.MsgspecError, ValueError) as error:
        raise LedgerCorrupt(
            f"{snapshot.bank}: the snapshot of row {snapshot.seq} is no state: {error}; once it is known "
            "why, it may be deleted, for the journal alone gives the state"
        ) from error
    if (engine.state.bank, engine.seq) != (snapshot.bank, snapshot.seq):
        raise LedgerCorrupt(f"{snapshot.bank}: the snapshot of row {snapshot.seq} is of {engine.seq}")
    return engine


def replay(engine: Engine, row: Row) -> None:
    """Applies a row's event. Raises LedgerCorrupt where it cannot be, or makes other postings (M4)."""
    made = postings_of(engine, row)
    if made != row.postings:
        differ = _differ(made, row.postings)
        raise LedgerCorrupt(f"{row.bank}: the event of row {row.seq} makes other postings: {differ}")
    if only_link(made) != row.link:
        raise LedgerCorrupt(f"{row.bank}: row {row.seq} names link {row.link}, its event {only_link(made)}")


def postings_of(engine: Engine, row: Row) -> tuple[Posting, ...]:
    """Applies a row's event; the postings that it makes. Raises LedgerCorrupt: the engine is then spoiled."""
    try:
        made = engine.replay(row)
    except Exception as error:
        # A forged event may break anything inside; whatever it was, the row is what is wrong.
        raise LedgerCorrupt(f"{row.bank}: the event of row {row.seq} cannot be applied: {error!r}") from error
    return in_order(made)


def _differ(made: tuple[Posting, ...], stored: tuple[Posting, ...]) -> str:
    """What differs, level by level, for people."""
    ours = {(posting.link, posting.level): posting for posting in made}
    theirs = {(posting.link, posting.level): posting for posting in stored}
    return "; ".join(
        f"link {key[0]} level {key[1]}: {ours.get(key, 'none')} made, {theirs.get(key, 'none')} stored"
        for key in sorted(ours.keys() | theirs.keys())
        if ours.get(key) != theirs.get(key)
    )


def carry_forward(ledger: Ledger, bank: str, upto: int) -> None:
    """Brings the balances so near to row `upto` that the rest is summed in well under a second."""
    since, _ = ledger.balances(bank, upto)
    for row in range(since + SUM_ROWS, upto + 1, SUM_ROWS):
        ledger.carry_forward(bank, row)


def check_meters(ledger: Reader, bank: str, engine: Engine) -> None:
    """Holds every account of the engine against the database's own sums (S3, M4).

    They go on from the balances carried forward last; `verify` sums all postings. Raises LedgerCorrupt
    naming the first account that differs.
    """
    since, balances = ledger.balances(bank, engine.seq)
    totals = {(link, level): tuple(accounts) for link, level, _, *accounts in balances}
    for problem in meters_differ(engine, summed(ledger, bank, engine.seq, since, totals)):
        raise LedgerCorrupt(problem)


def summed(ledger: Reader, bank: str, upto: int, since: int = 0, before: Totals | None = None) -> Totals:
    """(link, level) -> its eight accounts, as the database sums the postings of all rows to `upto`.

    since, before: what the rows to `since` come to, where that is known.
    """
    totals = dict(before or {})
    span = max(SUM_ROWS, (upto - since) // SUM_STATEMENTS_MAX)
    for after in range(since, upto, span):
        for link, level, _, *accounts in ledger.sums(bank, after or None, min(upto, after + span)):
            moved = totals.get((link, level), (0,) * len(accounts))
            totals[link, level] = tuple(a + b for a, b in zip(moved, accounts, strict=True))
    return totals


def meters_differ(engine: Engine, totals: Totals) -> list[str]:
    """A sentence for each account that is not what its postings come to."""
    meters = {(link.number, 0): link.outside.values() for link in engine.state.links}
    for link in engine.state.links:
        meters |= {(link.number, level.number): level.accounts.values() for level in link.levels}
    nothing = (0,) * (len(Posting._fields) - 3)
    said = []
    for key in sorted(meters.keys() | totals.keys()):
        both = zip(Posting._fields[3:], meters.get(key, nothing), totals.get(key, nothing), strict=True)
        said += [
            f"{engine.state.bank}: link {key[0]} level {key[1]} {account}: "
            f"the events make {made}, the postings {posted} micro-dollars"
            for account, made, posted in both
            if made != posted
        ]
    return said
