"""Archives old rows: copies them, proves the copy, then deletes them here in one transaction.

The archive is a backup: a whole ledger from row 1, which each later run of `ledger seal` continues. The
order: the archive is brought up to date and proved; rows that are to leave are compared with it one by one;
an `archived` row is appended; they are deleted. After any interruption, the same call continues.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Final, NamedTuple

from jackpot.ledger.archived import (
    archived_events,
    cut_of,
    digest_of_staying,
    undeleted_rows,
    untrue_cuts,
    why_not_archive,
)
from jackpot.ledger.cycles import Cycles, TakePoint
from jackpot.ledger.journal import Head, chained
from jackpot.ledger.maintenance.backup import PART, backup
from jackpot.ledger.maintenance.copy import Progress
from jackpot.ledger.maintenance.nightly import PROVED
from jackpot.ledger.maintenance.offline import command_at, decide
from jackpot.ledger.opening import engine_at, filling, untrue_balances
from jackpot.ledger.reading import STAYS, Conversation, Reader
from jackpot.ledger.rebuild import PAGE_ROWS, read_to, rebuild
from jackpot.ledger.sqlite.file import locked
from jackpot.ledger.sqlite.store import SqliteLedger
from jackpot.ledger.store import (
    CommitInDoubt,
    DataRefused,
    Fenced,
    LedgerCorrupt,
    LedgerError,
    Statement,
    Store,
)
from jackpot.ledger.verify.chain_verifier import beginning
from jackpot.ledger.verify.resume_point import position_at, row_at
from jackpot.rules.acts.archives import Archive, Archived, Cut
from jackpot.rules.acts.snapshot_seals import SEAL_STEP, SNAPSHOT_FORMAT
from jackpot.rules.commands import Envelope
from jackpot.rules.engine import Engine
from jackpot.rules.refusal import Refusal
from jackpot.rules.signing import SITE, People
from jackpot.rules.state import UNPAID, BankState, Hit

HOLDER: Final = "seal"
# A year and a month: what an auditor asks of a year just ended is still here.
OLDER_THAN_DAYS: Final = 400
# A start goes on from the older of two sealed states; the chain begins with another one before them.
STATES_AFTER: Final = 2

_BANK: Final = "(SELECT id FROM bank WHERE name = ?1)"
_LEAVING: Final = f"SELECT count(*), min(seq) FROM journal WHERE bank = ?1 AND seq <= ?2 AND NOT {STAYS}"  # noqa: S608
_STAYING: Final = f"SELECT count(*) FROM journal WHERE bank = ?1 AND seq <= ?2 AND {STAYS}"  # noqa: S608
# A writer that came meanwhile leaves no hash, which the head must have: nothing is deleted then.
_FENCED: Final = f"""
    UPDATE head SET hash = CASE WHEN epoch = ?2 AND seq = ?3 THEN hash END WHERE bank = {_BANK}
"""  # noqa: S608
_NO_POSTINGS: Final = f"""
    DELETE FROM posting WHERE bank = {_BANK} AND seq <= ?2 AND NOT EXISTS (
        SELECT 1 FROM journal WHERE journal.bank = posting.bank AND journal.seq = posting.seq AND {STAYS})
"""  # noqa: S608
_NO_ROWS: Final = f"DELETE FROM journal WHERE bank = {_BANK} AND seq <= ?2 AND NOT {STAYS}"  # noqa: S608
_NO_STATES: Final = f"DELETE FROM snapshot WHERE bank = {_BANK} AND seq < ?2"  # noqa: S608
# The same as above, where more or fewer are left than were counted.
_COUNTED: Final = f"""
    UPDATE head SET hash = CASE
        WHEN (SELECT count(*) FROM journal WHERE bank = {_BANK} AND seq <= ?2) = ?3 THEN hash
    END WHERE bank = {_BANK}
"""  # noqa: S608
_GUARDS: Final = ("journal_is_never_deleted", "posting_is_never_deleted")
_POSTGRES_GUARDS: Final = tuple(
    f"ALTER TABLE {{0}} {change} TRIGGER {{0}}_is_never_changed" for change in ("DISABLE", "ENABLE ALWAYS")
)
_OWNS: Final = """
    SELECT pg_has_role(current_user, relowner, 'USAGE') FROM pg_class WHERE oid = 'journal'::regclass
"""


class NotArchived(LedgerError):
    """Archiving was refused and nothing was deleted; the text says why."""


class Archiving(NamedTuple):
    """Request to archive: by whom, why, and which rows. before_ms: rows of before this moment; unix
    milliseconds, as unix_ms, the time now.
    """

    people: People
    reason: str
    before_ms: int
    unix_ms: int


class ArchivePlan(NamedTuple):
    """Plan of what may leave a bank. upto: the row up to which frames leave, 0 for none. leaving: how many
    rows.

    gone: the first of them. held: why no later row may leave. at: when the last of them was written at the
    latest, unix milliseconds.
    """

    bank: str
    upto: int
    leaving: int
    gone: int
    held: str
    at: int = 0


async def plans(store: Store, before_ms: int) -> list[ArchivePlan]:
    """Archive plans of all banks but ended ones and the people's, which is small and always whole.

    Raises LedgerError.
    """

    def work(ledger: Reader) -> list[ArchivePlan]:
        banks = [bank for bank in ledger.banks() if bank != SITE and ledger.head(bank).seq]
        states = [read_to(ledger, bank, ledger.head(bank)).state for bank in banks]
        return [plan(ledger, state, before_ms) for state in states if not state.closed_into]

    return await store.run(work)


async def archive(
    store: Store,
    file: Path,
    sealing: Archiving,
    tell: Callable[[ArchivePlan], None],
    progress: Progress = lambda _what, _done, _of: None,
) -> None:
    """Deletes old rows of each bank, once `file` has them. Nobody else may write.

    file: the archive of this ledger, which is continued, or where a new one is to be. tell: called for each
    bank with what left, or why nothing does. Raises NotArchived before anything is written, LedgerCorrupt
    where the two differ, Fenced where somebody took a bank meanwhile, what `backup` raises.
    """
    await store.run(_may_delete)
    _check_place(file, await store.run(_path))
    heads = await store.run(lambda ledger: {bank: ledger.head(bank) for bank in ledger.banks()})
    planned = await plans(store, sealing.before_ms)
    for one in planned:
        if not one.upto:
            tell(one)
    if not (banks := [one.bank for one in planned if one.upto]):
        return
    await backup(store, file, progress)
    lock = locked(file)
    try:
        for bank in banks:
            head = await store.new_epoch(bank, HOLDER, expected=heads[bank])
            one = await _seal_bank(store, file, bank, sealing, progress)
            tell(one)
            progress(f"{bank}: deleting", one.leaving, one.leaving)
            await _check_start(store, bank)
            with suppress(Fenced):  # a server has it already
                await store.release(bank, head.epoch)
    finally:
        os.close(lock)


def plan(ledger: Reader, state: BankState, before_ms: int) -> ArchivePlan:
    """Archive plan of one bank. state: at its head."""
    bank, old = state.bank, cut_of(ledger, state.bank)
    least = old.seq if old else 0
    sealed = [seq for seq, format_ in ledger.snapshot_rows(bank) if format_ == SNAPSHOT_FORMAT]
    held, latest = min(_holds(ledger, state, sealed), key=lambda one: one[1])
    for seq in [seq for seq in sealed[::-1] if least < seq]:
        if seq > latest:
            continue
        if _sealed_at(ledger, bank, seq) >= before_ms:
            held = "what is older was archived before, or no sealed state is so old"
            continue
        if (why := _unfit(ledger, state, seq)) is not None:
            held = why
            continue
        count, gone = ledger.ask(bank, partial(_leaving, upto=seq))
        if count:
            return ArchivePlan(bank, seq, count, gone, held, _sealed_at(ledger, bank, seq))
        break
    return ArchivePlan(bank, 0, 0, 0, held)


def _holds(ledger: Reader, state: BankState, sealed: Sequence[int]) -> Iterator[tuple[str, int]]:
    """Constraints (reason, last row that may leave) of everything that still needs rows."""
    good = islice((seq for seq in sealed[::-1] if _is_state(ledger, state.bank, seq)), STATES_AFTER)
    after = [*good, *[0] * STATES_AFTER][STATES_AFTER - 1]
    yield f"a start needs {STATES_AFTER} sealed states after it, one each {SEAL_STEP} rows", after - 1
    cycles, old = Cycles(ledger, state.bank), cut_of(ledger, state.bank)
    for hit in _waiting(state):
        yield f"H{hit.number}, in row {hit.seq}, is not paid", hit.seq - 1
    waiting = [award for hit in _waiting(state) for award in hit.awards]
    unpaid = {award.number for award in waiting if award.status in UNPAID}
    for link in state.links:
        for level in link.levels if not link.closed else ():
            start = cycles.running_since((link.number, level.number), unpaid)
            name = f"{link.terms.link} {level.terms.level}"
            if not start.seq:
                continue  # nothing ever moved it
            yield f"the cycle of {name} began in row {start.seq} (L10)", start.seq - 1
    for award in waiting:
        if award.level and award.won[0] > (old.seq if old else 0):  # else the archive tells how it grew
            start = cycles.since((award.link, award.level), TakePoint(*award.won), unpaid)
            name = f"A{award.number} of H{award.hit}, which waits,"
            yield f"the cycle of {name} began in row {start.seq} (L10)", start.seq - 1


def _waiting(state: BankState) -> list[Hit]:
    """Hits with an award that waits for people; the state may also have hits that are paid or undone."""
    return [hit for hit in state.hits.values() if any(award.status in UNPAID for award in hit.awards)]


def _unfit(ledger: Reader, state: BankState, seq: int) -> str | None:
    """Why the chain cannot begin after that row; None where it can. state: at the head."""
    try:
        then = engine_at(ledger, state.bank, seq).state
    except LedgerCorrupt as error:
        return str(error)
    waits = {(hit.table, hit.round) for hit in _waiting(state)}
    waits |= {(table.number, one.id) for table in state.tables if (one := table.unfinished()) is not None}
    for table in then.tables:
        for one in filter(None, (table.round, table.closed)):
            if (table.number, one.id) in waits:
                return f"round {one.id} of table {table.terms.table} is not over, and began before row {seq}"
    return None


def _is_state(ledger: Reader, bank: str, seq: int) -> bool:
    try:
        engine_at(ledger, bank, seq)
    except LedgerCorrupt:
        return False
    return True


def _leaving(number: int, upto: int) -> Conversation[tuple[int, int]]:
    ((count, gone),) = yield _LEAVING, (number, upto)
    return count, gone or 0


def _staying(number: int, upto: int) -> Conversation[int]:
    ((count,),) = yield _STAYING, (number, upto)
    return int(count)


def _sealed_at(ledger: Reader, bank: str, seq: int) -> int:
    """When the row after it, which seals it, was written."""
    return row_at(ledger, bank, seq + 1).at


def _may_delete(ledger: Reader) -> None:
    """Checks that the role may delete: only the owner of the tables can. Raises NotArchived."""
    if isinstance(ledger, SqliteLedger):
        return
    ((owns,),) = ledger.look_up(_OWNS)
    if not owns:
        raise NotArchived("this database role does not own the tables: give --ledger with the owner's URL")


def _path(ledger: Reader) -> Path | None:
    return ledger.path if isinstance(ledger, SqliteLedger) else None


def _check_place(file: Path, ledger: Path | None) -> None:
    """Checks the place of an archive: a file of its own, not named as a nightly backup. Raises
    NotArchived.
    """
    if file.is_symlink():
        raise NotArchived(f"{file} is a link to another file: name the archive itself")
    if not file.parent.is_dir():
        raise NotArchived(f"there is no folder {file.parent}")
    if ledger is not None and file.exists() and file.samefile(ledger):
        raise NotArchived(f"{file} is the ledger itself")
    if file.match(PROVED) or file.name.endswith(PART):
        raise NotArchived(f"{file.name} is named as a backup that is deleted by itself: give another name")


async def _seal_bank(
    store: Store, file: Path, bank: str, sealing: Archiving, progress: Progress
) -> ArchivePlan:
    """Archives one bank that was taken: compares, appends the `archived` row, deletes."""
    engine, head = await store.run(partial(rebuild, bank=bank))
    engine.new_epoch(0)
    one = await store.run(lambda ledger: plan(ledger, engine.state, sealing.before_ms))
    if not one.upto:
        return one
    compare, stood = partial(progress, f"{bank}: comparing"), _file_identity(file)
    cut = await store.run(lambda ledger: _compared(ledger, file, one, compare))
    head = await _append_archived(store, engine, head, cut, sealing)
    statements = await store.run(lambda ledger: _deletion(ledger, head, cut))
    progress(f"{bank}: deleting", 0, one.leaving)
    if _file_identity(file) != stood:
        raise NotArchived(f"{file} was changed or replaced while it was compared: {bank} has all its rows")
    try:
        await store.change(*statements)
    except DataRefused as error:
        raise Fenced(f"{bank}: somebody wrote into it meanwhile, nothing was deleted: {error}") from error
    except CommitInDoubt as error:
        said = f"{bank}: whether its rows left is not known: keep {file}, and run the same command again"
        raise CommitInDoubt(f"{said}: {error}") from error
    return one


def _file_identity(file: Path) -> tuple[int, ...]:
    """Identity of the file, which differs once somebody changes or replaces it. Raises OSError where it is
    gone.
    """
    found = file.stat()
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns


async def _check_start(store: Store, bank: str) -> None:
    """Checks that a start succeeds on the rows that are left. Raises LedgerCorrupt."""

    def work(ledger: Reader) -> list[str]:
        cut = cut_of(ledger, bank)
        read_to(ledger, bank, ledger.head(bank), redecider=True)
        said = untrue_cuts(ledger, bank) + untrue_balances(ledger, bank, cut)
        return said + ([] if cut is None else undeleted_rows(ledger, bank, cut))

    for problem in await store.run(work):
        raise LedgerCorrupt(problem)


def _compared(ledger: Reader, file: Path, plan: ArchivePlan, tell: Callable[[int, int], None]) -> Cut:
    """Cut, after each row up to it was compared with the archive and its place in the chain.

    Raises LedgerCorrupt.
    """
    bank, old = plan.bank, cut_of(ledger, plan.bank)
    begin = beginning(bank, old)
    after, last = begin.seq, begin.hash
    with closing(SqliteLedger(file, readonly=True)) as archive:
        if old is not None and (said := why_not_archive(ledger, archive, bank, old)) is not None:
            raise LedgerCorrupt(said)
        while after < plan.upto:
            tell(after, plan.upto)
            size = min(PAGE_ROWS, plan.upto - after)
            mine, theirs = ledger.rows(bank, after, size), archive.rows(bank, after, size)
            for row, kept in zip(mine, theirs, strict=False):
                if row != kept or row.seq != after + 1 or chained(last, row) != row.hash:
                    raise LedgerCorrupt(
                        f"{bank}: row {after + 1} is another one in {file} than in the ledger"
                    )
                after, last = row.seq, row.hash
            if len(mine) != size or len(theirs) != size:
                raise LedgerCorrupt(f"{bank}: row {after + 1} is missing in {file} or in the ledger")
        position = position_at(archive, row_at(archive, bank, plan.upto), beginning(bank, None))
        stays = digest_of_staying(ledger, bank, plan.upto)
        if stays != digest_of_staying(archive, bank, plan.upto):
            raise LedgerCorrupt(f"{bank}: what stays of rows 1 to {plan.upto} is other than in {file}")
    return Cut(plan.upto, position.hash, position.epoch, position.version, position.since, plan.gone, stays)


async def _append_archived(store: Store, engine: Engine, head: Head, cut: Cut, sealing: Archiving) -> Head:
    """Appends the `archived` row unless an interrupted run has done so. Returns the bank's head.

    Who goes on with such a run must be two who may archive, as for the row itself; whose names it has does
    not matter. Only the newest such row counts, as in `cut_of`.
    """
    envelope = command_at(sealing.unix_ms, Archive(cut, sealing.reason), sealing.people)
    told = await store.run(lambda ledger: archived_events(ledger, head.bank))
    if told and told[0].cut == cut and _may_archive(engine, envelope):
        return head
    return await decide(store, engine, head, envelope)


def _may_archive(engine: Engine, envelope: Envelope) -> bool:
    """Whether the rules let these people archive now."""
    try:
        return isinstance(engine.decide(envelope, 0), Archived)
    except Refusal:
        return False


def _deletion(ledger: Reader, head: Head, cut: Cut) -> list[Statement]:
    """Statements of the one deleting transaction: append-only is lifted in it, and holds again at its end."""
    bank, upto = head.bank, cut.seq
    left = ledger.ask(bank, partial(_staying, upto=upto))
    lifted, held = _guards(ledger)
    return [
        *((sql, ()) for sql in lifted),
        (_FENCED, (bank, head.epoch, head.seq)),
        (_NO_POSTINGS, (bank, upto)),
        (_NO_ROWS, (bank, upto)),
        (_NO_STATES, (bank, upto)),
        *filling(ledger, bank, cut),
        (_COUNTED, (bank, upto, left)),
        *((sql, ()) for sql in held),
    ]


def _guards(ledger: Reader) -> tuple[list[str], list[str]]:
    """Statements that drop the triggers that forbid deletes, and those that restore them."""
    if isinstance(ledger, SqliteLedger):
        names = ", ".join(f"'{name}'" for name in _GUARDS)
        made = ledger.look_up(f"SELECT sql FROM sqlite_schema WHERE type = 'trigger' AND name IN ({names})")  # noqa: S608
        # Frames name nobody: to overwrite their pages as well would double what is written.
        lifted = ["PRAGMA secure_delete = 0", *(f"DROP TRIGGER {name}" for name in _GUARDS)]
        return lifted, [*(sql for (sql,) in made), "PRAGMA secure_delete = 1"]
    off, on = ([sql.format(table) for table in ("journal", "posting")] for sql in _POSTGRES_GUARDS)
    return off, on
