"""Rebuilds the state of a bank from a sealed snapshot and the journal rows after it.

It is the older of the two newest, so that the newest seal is decided again on the way. Without two that are
sealed every row is replayed, which is slow and right. A writer that holds a state of the bank already goes on
from that, where the journal has its last row.
"""

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

import msgspec

from jackpot.ledger.archived import archived_message, cut_of
from jackpot.ledger.held import HeldRows, PossibleEnd
from jackpot.ledger.journal import Head, Row, Snapshot, chained, genesis
from jackpot.ledger.reading import Reader
from jackpot.ledger.store import Fenced, LedgerCorrupt, fenced
from jackpot.rules import events, redecide
from jackpot.rules.acts.act import ActContext
from jackpot.rules.acts.lost_acks import FoundBehind
from jackpot.rules.acts.snapshot_seals import (
    SEAL_STEP,
    SNAPSHOT_FORMAT,
    Sealed,
    SnapshotSeal,
    decide_seal,
    digest_of,
)
from jackpot.rules.effects import MovedLevels
from jackpot.rules.engine import Engine
from jackpot.rules.events import Event
from jackpot.rules.invariant import InvariantError
from jackpot.rules.postings import Posting, only_link
from jackpot.rules.registry import UnknownEventError, decode, name_of

# Rows of one read: a few milliseconds, so that a reader never holds the WAL for long.
PAGE_ROWS: Final = 1_000

# Rows whose postings one statement sums: well under a second.
SUM_ROWS: Final = 100_000

# A forged seq of any size must not make the summing endless.
SUM_STATEMENTS_MAX: Final = 10_000

# (link, level) -> its eight accounts, in the order of a posting's.
Totals = dict[tuple[int, int], tuple[int, ...]]

# What people do about a seal that is false: no snapshot that is deleted takes it out of the chain.
WAY_BACK: Final = (
    "somebody wrote it, or changed what is before it: jackpot verify names the first row that is wrong, and "
    "jackpot ledger restore brings back a backup from before that row"
)

Tell = Callable[[int, Sequence[str]], None]
Keep = Callable[[Snapshot], None]


def rebuild(
    ledger: Reader,
    bank: str,
    tell: Tell = lambda _rows, _why: None,
    keep: Keep = lambda _snapshot: None,
    proved: int | None = None,
    held: HeldRows | None = None,
) -> tuple[Engine, Head]:
    """Rebuilds the engine from the ledger. Returns it with its head.

    tell: called with how many rows are to be replayed, and why no newer snapshot spares them. keep: what to
    do with a snapshot that the journal has sealed and the ledger has lost, made again on the way. proved: the
    newest row that a signed head proves, where that is known: no seal after it is believed unread. held: what
    the writer has of the bank; no row of that is read. The bank's writer calls this, after `new_epoch`:
    nothing may follow the head. Raises what `read_to` raises; Fenced where another writer took the bank
    meanwhile.
    """
    head = ledger.head(bank)
    engine = read_to(ledger, bank, head, tell, keep, redecider=True, proved=proved, held=held)
    if ledger.rows(bank, head.seq, 1):
        if ledger.head(bank).epoch != head.epoch:
            raise Fenced(f"bank {bank} was taken by another writer while it was read")
        raise LedgerCorrupt(f"{bank}: there are rows after the head, which stands at {head.seq}")
    return engine, head


def read_to(
    ledger: Reader,
    bank: str,
    head: Head,
    tell: Tell = lambda _rows, _why: None,
    keep: Keep = lambda _snapshot: None,
    *,
    redecider: bool = False,
    proved: int | None = None,
    held: HeldRows | None = None,
) -> Engine:
    """Rebuilds the engine at a head, whatever a writer adds meanwhile.

    tell, keep, proved, held: as `rebuild`.

    Checks of every row that it reads: that it is there, follows the chain, that its event makes the postings
    that are stored, and that a seal is of the state before it; redecider: that the rules decide the newest
    rows so, too. Then the head against the last row, and every account against the database's own sums (S3,
    M4, S8). Raises LedgerCorrupt, naming the row or the account.
    """
    wrong: list[str] = []
    begun = None if held is None else _begin_held(ledger, head, keep, held, wrong)
    if begun is None:
        begun = _begin(ledger, bank, head, proved)
        begun.why.extend(wrong)
    engine, last = begun.engine, begun.hash
    since, before = engine.seq, accounts_of(engine)
    tell(head.seq - since, begun.why)
    redecided = _NewestRows(engine, head) if redecider else None
    while engine.seq < head.seq:
        page = ledger.rows(bank, engine.seq, min(PAGE_ROWS, head.seq - engine.seq))
        if not page:
            raise LedgerCorrupt(f"{bank}: row {engine.seq + 1} is missing, the head stands at {head.seq}")
        for row in page:
            if row.seq != engine.seq + 1:
                raise LedgerCorrupt(f"{bank}: row {engine.seq + 1} is missing, row {row.seq} is there")
            if chained(last, row) != row.hash:
                raise LedgerCorrupt(f"{bank}: row {row.seq} does not follow from row {row.seq - 1}")
            sealed = begun.sealed and engine.seq == since
            if not sealed and _check_seal(engine, row) and engine.seq > begun.kept:
                keep(Snapshot(bank, engine.seq, last, SNAPSHOT_FORMAT, engine.snapshot()))
            if redecided is not None:
                redecided.check(row)
            replay(engine, row)
            last = row.hash
    if last != head.hash:
        raise LedgerCorrupt(f"{bank}: the head names another hash than row {head.seq} has")
    for problem in meters_differ(bank, accounts_of(engine), summed(ledger, bank, head.seq, since, before)):
        raise LedgerCorrupt(problem)
    return engine


def still_own(head: Head, epoch: int) -> None:
    """Raises Fenced where another writer took the bank before it was read: the head's epoch is not ours."""
    if head.epoch != epoch:
        raise fenced(head.bank, epoch)


class _StartingPoint(NamedTuple):
    """Starting point of a replay. hash: of the last row in it. kept: the row of a newer snapshot, 0 for none.

    why: no newer snapshot was taken, a sentence each. sealed: the next row was found to seal it.
    """

    engine: Engine
    hash: bytes
    kept: int
    why: list[str]
    sealed: bool


def _begin_held(
    ledger: Reader, head: Head, keep: Keep, held: HeldRows, wrong: list[str]
) -> _StartingPoint | None:
    """Starting point from the held state, if the journal has its last row; otherwise None, and all is read.

    keep: as `rebuild`. wrong: takes a sentence where what is held contradicts itself.
    """
    for place in held.places():
        if place.seq > head.seq or ledger.hash_at(head.bank, place.seq) != place.hash:
            continue
        newest = max((seq for seq, _ in ledger.snapshot_rows(head.bank)), default=0)
        try:
            engine = _held_at(place, newest, keep)
        except LedgerCorrupt as error:
            wrong.append(f"what this server holds in memory is wrong: {error}")
            return None
        return _StartingPoint(engine, place.hash, newest, [], sealed=False)
    return None


def _held_at(place: PossibleEnd, newest: int, keep: Keep) -> Engine:
    """Held state at a place. newest: the row of the ledger's newest snapshot; later are kept.

    Raises LedgerCorrupt where the rows that are held do not make it.
    """
    engine, last = engine_of(place.snapshot), place.snapshot.hash
    for row in place.rows():
        if chained(last, row) != row.hash:
            raise LedgerCorrupt(f"{row.bank}: row {row.seq} does not follow from row {row.seq - 1}")
        if engine.seq > newest and _check_seal(engine, row):
            keep(Snapshot(row.bank, engine.seq, last, SNAPSHOT_FORMAT, engine.snapshot()))
        replay(engine, row)
        last = row.hash
    if (engine.seq, last) != (place.seq, place.hash):
        raise LedgerCorrupt(f"{place.snapshot.bank}: row {engine.seq} is the last, not row {place.seq}")
    return engine


def _begin(ledger: Reader, bank: str, head: Head, proved: int | None) -> _StartingPoint:
    """Starting point: the older of the two newest sealed snapshots, otherwise an empty engine.

    proved: as `rebuild`. A snapshot below that row has its seal in what was signed; the others are not taken.
    Raises LedgerCorrupt where an archive has the first rows and no two are left.
    """
    why: list[str] = []
    newer: Engine | None = None
    cut = cut_of(ledger, bank)
    least = 0 if cut is None else cut.seq
    # One at the head is of a writer that goes on meanwhile, or no row seals it yet.
    snapshot = ledger.newest_snapshot(bank, below=head.seq)
    if snapshot is not None and proved is not None and snapshot.seq >= proved:
        why.append(f"{bank}: no head that was signed proves the snapshot of row {snapshot.seq}")
        snapshot = ledger.newest_snapshot(bank, below=proved)
    while snapshot is not None and snapshot.seq >= least:
        try:
            check_sealed(ledger, snapshot)
            engine = engine_of(snapshot)
        except LedgerCorrupt as error:
            why.append(str(error))
        else:
            if newer is not None:
                return _StartingPoint(engine, snapshot.hash, newer.seq, why, sealed=True)
            newer = engine
        snapshot = ledger.newest_snapshot(bank, below=snapshot.seq)
    if newer is not None and newer.state.sealed:
        why.append(f"{bank}: the snapshot before that of row {newer.seq} is gone, and a start needs two")
    if cut is not None:
        why.append(f"a start needs two snapshots that are sealed, and {archived_message(bank, cut)}")
        raise LedgerCorrupt("; ".join(why))
    return _StartingPoint(Engine(bank), genesis(bank), 0, why, sealed=False)


def check_sealed(ledger: Reader, snapshot: Snapshot) -> None:
    """Raises LedgerCorrupt where the row after the snapshot's does not seal it.

    Anybody who may write to the database can make a snapshot; that row is chained to the head.
    """
    where = f"{snapshot.bank}: the snapshot of row {snapshot.seq}"
    rows = ledger.rows(snapshot.bank, snapshot.seq, 1)
    row = rows[0] if rows and rows[0].seq == snapshot.seq + 1 else None
    seal = None if row is None else _seal_in(row)
    if row is None or seal is None:
        raise LedgerCorrupt(f"{where} is sealed by no row after it")
    if chained(snapshot.hash, row) != row.hash:
        raise LedgerCorrupt(f"{where} names another hash than its row has")
    if (seal.format, seal.digest) != (snapshot.format, digest_of(snapshot.state)):
        raise LedgerCorrupt(f"{where} is not what row {row.seq} sealed")


def event_in(row: Row) -> Event | None:
    """Event of the row; None if it cannot be read, which the replay of the row reports."""
    try:
        return decode(row.kind, row.version, row.body)
    except (UnknownEventError, msgspec.MsgspecError):
        return None


def _seal_in(row: Row) -> Sealed | None:
    """The row's event, if it is a seal."""
    event = event_in(row) if row.kind == Sealed.kind else None
    return event if isinstance(event, Sealed) else None


def engine_of(snapshot: Snapshot) -> Engine:
    """The engine in a snapshot that is sealed. Raises LedgerCorrupt where nothing can go on from it."""
    where = f"{snapshot.bank}: the snapshot of row {snapshot.seq}"
    if snapshot.format != SNAPSHOT_FORMAT:
        raise LedgerCorrupt(f"{where} has format {snapshot.format}, this program's is {SNAPSHOT_FORMAT}")
    try:
        engine = Engine.from_snapshot(snapshot.state)
    except (msgspec.MsgspecError, ValueError) as error:
        raise LedgerCorrupt(f"{where} is no state: {error}") from error
    if (engine.state.bank, engine.seq) != (snapshot.bank, snapshot.seq):
        raise LedgerCorrupt(f"{where} is of row {engine.seq} of bank {engine.state.bank}")
    return engine


def _check_seal(engine: Engine, row: Row) -> bool:
    """Whether the next row seals a state in this program's form; an older program's row says its version.

    Raises LedgerCorrupt for a seal that no server would write here.
    """
    seal = _seal_in(row)
    if seal is None or (seal.format != SNAPSHOT_FORMAT and row.version < events.RULES_VERSION):
        return False
    try:
        right = decide_seal(engine.state, SnapshotSeal(), ActContext())
    except InvariantError as error:
        raise LedgerCorrupt(f"{row.bank}: row {row.seq} seals too soon, {error}: {WAY_BACK}") from error
    if seal != right:
        said = f"{row.bank}: row {row.seq} seals another state than the rows before it make"
        raise LedgerCorrupt(f"{said}: {WAY_BACK}")
    return True


class _NewestRows:
    """Redecider of the newest rows of a replay (S8): as many as it replays while its snapshots are there.

    Signers of acts are checked by `verify` only. An epoch that began before the replay is not known: what a
    table claims about lost answers once an epoch is not redecided in it.
    """

    def __init__(self, engine: Engine, head: Head) -> None:
        self._engine = engine
        self._after = head.seq - 2 * SEAL_STEP
        self._epoch = 0
        self._known = engine.seq == 0

    def check(self, row: Row) -> None:
        """Raises LedgerCorrupt where the rules would not have decided the next row."""
        if row.epoch > self._epoch:
            self._known = self._known or self._epoch > 0
            self._epoch = row.epoch
            self._engine.new_epoch(0)  # its clock decides nothing: an event says how long was waited (T10)
        if row.seq <= self._after or row.version < events.RULES_VERSION:
            return
        event = event_in(row)
        if event is None or isinstance(event, Sealed) or (isinstance(event, FoundBehind) and not self._known):
            return
        try:
            fault = redecide.check(self._engine, row, event, lambda _people: None)
        except Exception as error:  # noqa: BLE001 - a forged event may break anything inside
            fault = f"the rules cannot decide it: {error!r}"
        if fault is not None:
            raise LedgerCorrupt(f"{row.bank}: row {row.seq} ({name_of(row.kind)}): {fault}: {WAY_BACK}")


def replay(engine: Engine, row: Row, event: Event | None = None) -> None:
    """Applies a row's event. Raises LedgerCorrupt where it cannot be, or makes other postings (M4).

    event: where it was decoded before.
    """
    made = moved_by(engine, row, event)
    if made.postings != row.postings:
        differ = _differ(made.postings, row.postings)
        raise LedgerCorrupt(f"{row.bank}: the event of row {row.seq} makes other postings: {differ}")
    link = only_link(made.postings)
    if link != row.link:
        raise LedgerCorrupt(f"{row.bank}: row {row.seq} names link {row.link}, its event {link}")
    if made.hits != row.hits:
        said = f"row {row.seq} is of the hits {list(made.hits)}, hit_entry names {list(row.hits)}"
        raise LedgerCorrupt(f"{row.bank}: {said}")


def moved_by(engine: Engine, row: Row, event: Event | None = None) -> MovedLevels:
    """Applies a row's event. Returns what it moves, in order. Raises LedgerCorrupt: the engine is then
    spoiled.
    """
    try:
        return engine.replay(row, event)
    except Exception as error:
        # A forged event may break anything inside; whatever it was, the row is what is wrong.
        raise LedgerCorrupt(f"{row.bank}: the event of row {row.seq} cannot be applied: {error!r}") from error


def _differ(made: tuple[Posting, ...], stored: tuple[Posting, ...]) -> str:
    """Differences by level, as text."""
    ours = {(posting.link, posting.level): posting for posting in made}
    theirs = {(posting.link, posting.level): posting for posting in stored}
    return "; ".join(
        f"link {key[0]} level {key[1]}: {ours.get(key, 'none')} made, {theirs.get(key, 'none')} stored"
        for key in sorted(ours.keys() | theirs.keys())
        if ours.get(key) != theirs.get(key)
    )


def accounts_of(engine: Engine) -> Totals:
    """Every account of every level, and of what no meter pays, which is level 0."""
    accounts: Totals = {(link.number, 0): link.outside.values() for link in engine.state.links}
    for link in engine.state.links:
        accounts |= {(link.number, level.number): level.accounts.values() for level in link.levels}
    return accounts


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


def meters_differ(bank: str, meters: Totals, totals: Totals) -> list[str]:
    """Problems: accounts that differ from the sums of their postings. meters: as in `accounts_of`."""
    nothing = (0,) * (len(Posting._fields) - 3)
    said = []
    for key in sorted(meters.keys() | totals.keys()):
        both = zip(Posting._fields[3:], meters.get(key, nothing), totals.get(key, nothing), strict=True)
        said += [
            f"{bank}: link {key[0]} level {key[1]} {account}: "
            f"the events make {made}, the postings {posted} micro-dollars"
            for account, made, posted in both
            if made != posted
        ]
    return said
