"""Does the ledger still say what was written, and do its books balance? Trusts nothing but the first row.

Walks the whole chain; decides every row again from the state before it (S8); recomputes every account from
the events (by the engine), from the stored postings (row by row) and from the database's own sums; holds the
three together, and with M4, the snapshots and the head. Works next to a running server: it looks at what was
there when it began.
"""

from collections.abc import Callable
from functools import partial
from typing import Final, NamedTuple

import msgspec

from jackpot.ledger.heads import BankHeads
from jackpot.ledger.join import broken_joint
from jackpot.ledger.journal import Head
from jackpot.ledger.papers import last_written
from jackpot.ledger.reading import Reader
from jackpot.ledger.rebuild import PAGE_ROWS, Totals, check_sealed, meters_differ, summed
from jackpot.ledger.roll import untrue_in
from jackpot.ledger.store import LedgerCorrupt
from jackpot.ledger.timely import Timely
from jackpot.ledger.walk import EPOCH_MOST, PROBLEMS_MAX, Joint, Judge, Sums, Walk, first
from jackpot.rules.engine import Engine

Progress = Callable[[int, int], None]


class Task(msgspec.Struct, frozen=True):
    """What is to be found out about a bank. head: of the rows to walk. known: as in `verify`.

    chain: whether the rows follow each other is all that is asked; nothing is decided or summed.
    """

    bank: str
    head: Head
    known: bytes | None
    chain: bool


class Walked(msgspec.Struct, frozen=True):
    """What a walk over all rows found. ended: after the last. sums: as the rows post. totals: as the database
    sums. accounts: as the events make them, None where a row could not be applied. The rest as in `Report`.
    """

    ended: Joint
    problems: list[str]
    known: bytes | None
    older: int
    refusals: int
    stopped: list[int]
    sums: Sums
    totals: Totals
    accounts: Totals | None


Parts = Callable[[Task, Progress], Walked | None]
"""Walks the rows in parts, at the same time; None where they cannot be, or where anything is wrong: then one
walk from the first row says what."""


class Report(msgspec.Struct, frozen=True):
    """What was found. head: of the rows walked; its hash is what to keep elsewhere for the next time.

    problems: one sentence each, naming the row; none if all is well. older: how many rows were not decided
    again, for older rules decided them. refusals: how many rows refuse a request that is not kept, and so
    cannot be decided again. stopped: those of them, by row, that stopped links: nothing shows whether an
    error did. unproved: how many rows are newer than the last signed head.
    """

    head: Head
    problems: tuple[str, ...]
    older: int = 0
    refusals: int = 0
    stopped: tuple[int, ...] = ()
    unproved: int = 0


class How(NamedTuple):
    """chain: only whether each row follows from the one before and balances, up to the head.

    parts: none, where it is left out. progress: called with (rows done, rows in all).
    """

    chain: bool = False
    parts: Parts = lambda _task, _progress: None
    progress: Progress = lambda _done, _of: None


WHOLE: Final = How()


def verify(
    ledger: Reader,
    bank: str,
    known: bytes | None = None,
    heads: BankHeads | None = None,
    how: How = WHOLE,
) -> Report:
    """Verifies one bank from its first row.

    known: a hash that the bank's head once had, kept elsewhere: it shows a tail that was cut off.
    heads: signed ones of the bank, which this uses up (S8). Raises LedgerUnusable where the file cannot be
    read.
    """
    task, kept = Task(bank, ledger.head(bank), known, how.chain), heads or BankHeads(bank)
    progress = how.progress
    progress(0, task.head.seq)
    walked = how.parts(task, progress) or _whole(ledger, task, progress)
    problems = [*walked.problems, *_end(task, walked), *_heads(ledger, kept, walked.ended.seq)]
    problems += [f"{bank}: {stray}" for stray in ledger.strays(bank)]
    if not how.chain:
        if walked.accounts is not None:
            problems += broken_joint(ledger, bank)
        problems += _unsealed(ledger, bank)
        problems += _unequal(task, walked)
    progress(task.head.seq, task.head.seq)
    if len(problems) > PROBLEMS_MAX:
        problems[PROBLEMS_MAX:] = [f"{bank}: and {len(problems) - PROBLEMS_MAX} more"]
    unproved = kept.unproved(walked.ended.seq)
    return Report(task.head, tuple(problems), walked.older, walked.refusals, tuple(walked.stopped), unproved)


def _whole(ledger: Reader, task: Task, progress: Progress) -> Walked:
    """One walk from the first row."""
    bank, head = task.bank, task.head
    judge = None if task.chain else judge_of(ledger, bank, Engine(bank), Timely())
    walk = Walk(bank, first(bank), judge, task.known)
    pass_over(ledger, walk, head.seq, lambda: progress(walk.seq, head.seq))
    if walk.seq < head.seq:
        walk.missing(walk.seq + 1, head.seq)
    return Walked(
        Joint(walk.seq, walk.hash, walk.epoch, walk.version),
        walk.problems(),
        walk.known,
        walk.older,
        walk.refusals,
        walk.stopped,
        walk.sums,
        {} if task.chain else summed(ledger, bank, walk.seq),
        walk.accounts(),
    )


def judge_of(ledger: Reader, bank: str, engine: Engine, timely: Timely) -> Judge:
    """What decides the rows of a bank again, with what else of the ledger says whether they may be so."""
    return Judge(engine, untrue_in(ledger, bank), timely, partial(last_written, ledger, bank))


def pass_over(ledger: Reader, walk: Walk, upto: int, tell: Callable[[], None]) -> None:
    """Walks on to a row; it stops before it where the rows end. tell: called after each page."""
    while walk.seq < upto:
        page = ledger.rows(walk.bank, walk.seq, min(PAGE_ROWS, upto - walk.seq))
        for row in page:
            if row.seq <= upto:
                walk.take(row)
        if not page or page[-1].seq > upto:
            break
        tell()


def _end(task: Task, walked: Walked) -> list[str]:
    """What is wrong after the last row: the head, and the hash that the caller knows."""
    head, ended, said = task.head, walked.ended, []
    if head.epoch == 0:
        said.append("there is no such bank in this ledger, or its head is gone")
    if ended.seq == head.seq and ended.hash != head.hash:
        said.append(f"the head names another hash than row {ended.seq} has")
    if ended.epoch > head.epoch:
        said.append(f"the head is of epoch {head.epoch}, row {ended.seq} of {ended.epoch}")
    if head.epoch > EPOCH_MOST:
        said.append(f"the head is of epoch {head.epoch}, and no ledger comes beyond {EPOCH_MOST}")
    if walked.known is not None:
        said.append(
            f"none of its {ended.seq} rows has the hash {walked.known.hex()}: "
            "the end was cut off, or it is another ledger"
        )
    return [f"{task.bank}: {one}" for one in said]


def _heads(ledger: Reader, kept: BankHeads, last: int) -> list[str]:
    """A sentence for each signed head that the rows do not bear out."""
    for seq in kept.rows:
        for row in ledger.rows(kept.bank, seq - 1, 1) if seq <= last else ():
            kept.saw(row)
    return kept.end(last)


def _unsealed(ledger: Reader, bank: str) -> list[str]:
    """A sentence for each snapshot that is not what the chain sealed; what it seals, the walk decided."""
    said = []
    snapshot = ledger.newest_snapshot(bank)
    while snapshot is not None:
        try:
            check_sealed(ledger, snapshot)
        except LedgerCorrupt as error:
            said.append(str(error))
        snapshot = ledger.newest_snapshot(bank, below=snapshot.seq)
    return said


def _unequal(task: Task, walked: Walked) -> list[str]:
    """The accounts by rows, by the database and by the events, held together (M4)."""
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
