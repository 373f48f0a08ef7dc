"""Verifies a whole ledger: chain, rules, accounts, snapshots and head. Trusts nothing but the first row.

Verifies the whole chain; redecides every row from the state before it (S8); recomputes every account from the
events (by the engine), from the stored postings (row by row) and from the database's own sums; holds the
three together, and with M4, the snapshots and the head. Works next to a running server: it looks at what was
there when it began.
"""

from collections.abc import Callable
from typing import Final, NamedTuple

import msgspec

from jackpot.ledger import names, takeovers
from jackpot.ledger.archived import cut_of, has_hash, undeleted_rows, untrue_cuts, why_not_archive
from jackpot.ledger.heads import BankHeads
from jackpot.ledger.joined_banks import broken_joint
from jackpot.ledger.journal import Head
from jackpot.ledger.opening import untrue_balances
from jackpot.ledger.programs import ProgramSpan, ProgramStart, stretches, went_on
from jackpot.ledger.reading import Reader
from jackpot.ledger.rebuild import PAGE_ROWS, Totals, accounts_of, check_sealed, meters_differ, summed
from jackpot.ledger.store import LedgerCorrupt, LedgerUnusable
from jackpot.ledger.verify.chain_verifier import (
    EPOCH_MAX,
    PROBLEMS_MAX,
    ChainPosition,
    ChainVerifier,
    Sums,
    beginning,
    first,
)
from jackpot.ledger.verify.resume_point import position_at, redecider_at
from jackpot.ledger.verify.signer_history import unsigned_opening
from jackpot.rules.acts.archives import Cut

Progress = Callable[[int, int], None]


class Task(msgspec.Struct, frozen=True):
    """Verification task for a bank. head: of the rows to verify. known: as in `verify`.

    chain: only the chain is verified; nothing is redecided or summed. cut: where the rows begin, because
    those before are archived; None where row 1 is here.
    """

    bank: str
    head: Head
    known: bytes | None
    chain: bool
    cut: Cut | None = None


class ChainResult(msgspec.Struct, frozen=True):
    """Result of a pass over all rows. ended: after the last. sums: as the rows post. totals: as the database
    sums. accounts: as the events make them, None where a row could not be applied. began: where each program
    does. The rest as in `VerifyReport`.
    """

    ended: ChainPosition
    problems: list[str]
    known: bytes | None
    older: int
    refusals: int
    stopped: list[int]
    sums: Sums
    totals: Totals
    accounts: Totals | None
    began: list[ProgramStart]


Parts = Callable[[Task, Progress], ChainResult | None]
"""Walks the rows in parts, at the same time; None where they cannot be, or where anything is wrong: then one
walk from the first row says what."""


class VerifyReport(msgspec.Struct, frozen=True):
    """Result of a verification. head: of the verified rows; its hash is to be kept elsewhere for the next
    time.

    problems: one sentence each, naming the row; none if all is well. older: how many rows were not decided
    again, for older rules decided them. refusals: how many rows refuse what they do not keep, and so cannot
    be decided again: a long frame, or what was refused as internal. stopped: those of them, by row, that
    stopped links: nothing shows whether an error did. unproved: how many rows are newer than the last signed
    head. archived: up to which row an archive alone has the tables' frames; 0 where every row is here.
    programs: which one decided which rows.
    """

    head: Head
    problems: tuple[str, ...]
    older: int = 0
    refusals: int = 0
    stopped: tuple[int, ...] = ()
    unproved: int = 0
    archived: int = 0
    programs: tuple[ProgramSpan, ...] = ()


class VerifyOptions(NamedTuple):
    """Options of a verification. chain: only check that each row follows from the one before and balances.

    parts: none, where it is left out. progress: called with (rows done, rows in all). archive: the ledger
    with the archived rows; it is verified separately.
    """

    chain: bool = False
    parts: Parts = lambda _task, _progress: None
    progress: Progress = lambda _done, _of: None
    archive: Reader | None = None


WHOLE: Final = VerifyOptions()


def verify(
    ledger: Reader,
    bank: str,
    known: bytes | None = None,
    heads: BankHeads | None = None,
    options: VerifyOptions = WHOLE,
) -> VerifyReport:
    """Verifies one bank from its first row, or from the archive cut.

    known: a hash that the bank's head once had, kept elsewhere: it shows a tail that was cut off.
    heads: signed ones of the bank, which this uses up (S8). Raises LedgerUnusable where the file cannot be
    read, or old rows left for an archive meanwhile.
    """
    cut = cut_of(ledger, bank)
    task, kept = Task(bank, ledger.head(bank), known, options.chain, cut), heads or BankHeads(bank)
    progress = options.progress
    progress(0, task.head.seq)
    walked = options.parts(task, progress) or _whole(ledger, task, progress)
    problems = [*walked.problems, *_end(task, walked, options.archive), *untrue_cuts(ledger, bank)]
    if cut is not None:
        problems += undeleted_rows(ledger, bank, cut)
        problems += [] if options.archive is None else _against(ledger, options.archive, task, cut)
    problems += _heads(ledger, kept, walked.ended.seq, options.archive, cut)
    problems += [f"{bank}: {stray}" for stray in ledger.strays(bank)]
    problems += takeovers.differences(ledger, bank)
    if not options.chain:
        if walked.accounts is not None:
            problems += broken_joint(ledger, bank)
            problems += unsigned_opening(ledger, bank)
        problems += _unsealed(ledger, bank)
        problems += untrue_balances(ledger, bank, cut)
        problems += names.differences(ledger, bank, task.head.seq)
        problems += _unequal(task, walked)
    if cut_of(ledger, bank) != cut:
        raise LedgerUnusable(f"{bank}: old rows left for an archive while this was read: verify once more")
    progress(task.head.seq, task.head.seq)
    if len(problems) > PROBLEMS_MAX:
        problems[PROBLEMS_MAX:] = [f"{bank}: and {len(problems) - PROBLEMS_MAX} more"]
    unproved = kept.unproved(walked.ended.seq)
    began = walked.began if cut is None else [went_on(ledger, bank, cut), *walked.began]
    return VerifyReport(
        task.head,
        tuple(problems),
        walked.older,
        walked.refusals,
        tuple(walked.stopped),
        unproved,
        cut.seq if cut else 0,
        tuple(stretches(began, walked.ended.seq)),
    )


def _whole(ledger: Reader, task: Task, progress: Progress) -> ChainResult:
    """One pass over all rows that are here."""
    bank, head, begin = task.bank, task.head, beginning(task.bank, task.cut)
    redecider, before, said = None, Totals(), list[str]()
    if not task.chain:
        try:
            redecider = redecider_at(ledger, bank, begin)
            before = accounts_of(redecider.engine)
        except LedgerCorrupt as error:
            said = [f"{error}, and the rows before it are archived"]
    verifier = ChainVerifier(bank, begin, redecider, task.known)
    verifier.go_on(before)
    pass_over(ledger, verifier, head.seq, lambda: progress(verifier.seq, head.seq))
    if verifier.seq < head.seq:
        verifier.missing(verifier.seq + 1, head.seq)
    return ChainResult(
        ChainPosition(verifier.seq, verifier.hash, verifier.epoch, verifier.version),
        said + verifier.problems(),
        verifier.known,
        verifier.older,
        verifier.refusals,
        verifier.stopped,
        verifier.sums,
        {} if task.chain else summed(ledger, bank, verifier.seq, begin.seq, before),
        verifier.accounts(),
        verifier.began,
    )


def pass_over(ledger: Reader, verifier: ChainVerifier, upto: int, tell: Callable[[], None]) -> None:
    """Verifies up to a row, or to the end of the rows. tell: called after each page."""
    while verifier.seq < upto:
        page = ledger.rows(verifier.bank, verifier.seq, min(PAGE_ROWS, upto - verifier.seq))
        for row in page:
            if row.seq <= upto:
                verifier.take(row)
        if not page or page[-1].seq > upto:
            break
        tell()


def _knows(task: Task, archive: Reader | None) -> bool:
    """Whether the archive has the hash that the caller knows."""
    if task.cut is None or archive is None or task.known is None:
        return False
    return has_hash(archive, task.bank, task.known, task.cut.seq)


def _end(task: Task, walked: ChainResult, archive: Reader | None) -> list[str]:
    """Problems after the last row: the head, and the hash that the caller knows."""
    head, ended, said = task.head, walked.ended, []
    if head.epoch == 0:
        said.append("there is no such bank in this ledger, or its head is gone")
    if ended.seq == head.seq and ended.hash != head.hash:
        said.append(f"the head names another hash than row {ended.seq} has")
    if ended.epoch > head.epoch:
        said.append(f"the head is of epoch {head.epoch}, row {ended.seq} of {ended.epoch}")
    if head.epoch > EPOCH_MAX:
        said.append(f"the head is of epoch {head.epoch}, and no ledger comes beyond {EPOCH_MAX}")
    if walked.known is not None and not _knows(task, archive):
        told = "" if task.cut is None or archive else ", or that row is archived: give --archive FILE"
        said.append(
            f"none of its {ended.seq} rows has the hash {walked.known.hex()}: "
            f"the end was cut off, or it is another ledger{told}"
        )
    return [f"{task.bank}: {one}" for one in said]


def _heads(ledger: Reader, heads: BankHeads, last: int, archive: Reader | None, cut: Cut | None) -> list[str]:
    """Problems: signed heads that the rows contradict.

    One of an archived row is compared with the archive; without it, only if that row stayed here.
    """
    for seq in heads.rows:
        old = cut is not None and seq <= cut.seq
        there = archive if old and archive is not None else ledger
        for row in there.rows(heads.bank, seq - 1, 1) if seq <= last else ():
            heads.saw(row)
        if old and archive is None:
            heads.leave(seq)
    return heads.end(last)


def _against(ledger: Reader, archive: Reader, task: Task, cut: Cut) -> list[str]:
    """Problems: contradictions between the archive and the ledger that continues it."""
    bank, head = task.bank, archive.head(task.bank)
    if (said := why_not_archive(ledger, archive, bank, cut)) is not None:
        return [said]
    (row,) = archive.rows(bank, cut.seq - 1, 1)
    if position_at(archive, row, first(bank)) != beginning(bank, cut):
        return [f"{bank}: row {cut.seq} of the archive is not the one that the ledger goes on from"]
    ends = [one.hash for one in ledger.rows(bank, head.seq - 1, 1) if one.seq == head.seq]
    if head.seq > cut.seq and ends != [head.hash]:
        return [f"{bank}: the archive ends with a row {head.seq} that the ledger does not have"]
    return []


def _unsealed(ledger: Reader, bank: str) -> list[str]:
    """Problems: snapshots that differ from what the chain sealed. The sealed states were redecided."""
    said = []
    snapshot = ledger.newest_snapshot(bank)
    while snapshot is not None:
        try:
            check_sealed(ledger, snapshot)
        except LedgerCorrupt as error:
            said.append(str(error))
        snapshot = ledger.newest_snapshot(bank, below=snapshot.seq)
    return said


def _unequal(task: Task, walked: ChainResult) -> list[str]:
    """Problems: differences between the accounts by rows, by the database and by the events (M4)."""
    by_row, totals = {key: tuple(sums) for key, sums in walked.sums.items()}, walked.totals
    said = [
        f"{task.bank}: link {link} level {level}: the rows post {by_row.get((link, level))}, "
        f"the database sums {totals.get((link, level))}"
        for link, level in sorted(by_row.keys() | totals.keys())
        if by_row.get((link, level)) != totals.get((link, level))
    ]
    said += [
        f"{task.bank}: link {link} level {level} is out of balance by {sum(accounts)} micro-dollars (M4)"
        for (link, level), accounts in sorted(totals.items())
        if sum(accounts) != 0
    ]
    if walked.accounts is not None and walked.ended.seq == task.head.seq:
        said += meters_differ(task.bank, walked.accounts, totals)
    return said
