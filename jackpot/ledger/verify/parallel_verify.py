"""Verifies a journal on all processors, in parts that prove where the next part begins.

A part resumes at a stored snapshot, verifies up to the next one and computes the state there. The part after
it counts only if it began with exactly that: the same row, hash, epoch and state. The first part begins at
the first row. So nothing passes that one pass over all rows would not accept. If anything is wrong, no part
reports it: one pass from the first row finds and reports it.

Only whether rows follow each other (`chain`) needs no snapshot: any row's hash will do to go on from.
"""

import os
import signal
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing
from functools import partial
from itertools import pairwise
from multiprocessing import get_context
from multiprocessing.sharedctypes import Synchronized
from typing import Final

import msgspec

from jackpot.ledger.open import open_reader
from jackpot.ledger.programs import ProgramStart
from jackpot.ledger.reading import Reader
from jackpot.ledger.rebuild import Totals, summed
from jackpot.ledger.store import LedgerCorrupt
from jackpot.ledger.verify.chain_verifier import ChainPosition, ChainVerifier, Sums, beginning
from jackpot.ledger.verify.resume_point import position_at, redecider_at, row_at
from jackpot.ledger.verify.timestamp_checks import FirstRow, TimestampChecks
from jackpot.ledger.verify.verifier import ChainResult, Parts, Progress, Task, pass_over
from jackpot.rules.acts.snapshot_seals import SEAL_STEP, SNAPSHOT_FORMAT
from jackpot.rules.postings import Posting

# Rows of a part of a chain: a second or less of work, so that processors end at about the same time.
CHAIN_ROWS: Final = 50_000
# A part shorter than what lies between two seals costs more to begin than it gains.
SPAN_ROWS_MIN: Final = SEAL_STEP
# How often somebody who looks on is told how far it has come.
TELL_S: Final = 0.2
_NOTHING: Final = (0,) * (len(Posting._fields) - 3)
# A server that runs on the same machine goes first.
NICE: Final = 10


class RowSpan(msgspec.Struct, frozen=True):
    """Rows after < seq <= upto of a task."""

    task: Task
    after: int
    upto: int


class VerifiedPart(msgspec.Struct, frozen=True):
    """Result of a span without problems; as in `Walked`. began: the position at which it resumed. programs:
    where each begins. opened: the rounds of tables with a limit, which are checked together with those before
    them.
    """

    began: ChainPosition
    ended: ChainPosition
    known: bytes | None
    older: int
    refusals: int
    stopped: list[int]
    sums: Sums
    totals: Totals
    accounts: Totals | None
    programs: list[ProgramStart]
    opened: list[FirstRow]


def processors() -> int:
    """How many this process may use."""
    return len(os.sched_getaffinity(0))


def in_parts(ledger: Reader, url: str, jobs: int) -> Parts:
    """Makes `verify` use so many processes. url: of the ledger, which each process opens."""
    return partial(_walked, ledger, url, jobs)


def _walked(ledger: Reader, url: str, jobs: int, task: Task, progress: Progress) -> ChainResult | None:
    """As `Parts`."""
    found = spans(ledger, task)
    if jobs < 2 or len(found) < 2:
        return None
    context = get_context("spawn")
    done: Synchronized[int] = context.Value("q", 0)
    try:
        with ProcessPoolExecutor(min(jobs, len(found)), context, _begin, (url, done)) as pool:
            parts = [pool.submit(_part_of, span) for span in found]
            try:
                return joined(task, _in_order(parts, lambda: progress(done.value, task.head.seq)))
            finally:
                pool.shutdown(wait=False, cancel_futures=True)
    except BrokenProcessPool:  # one was killed, as for want of memory: one pass needs less
        return None


def _in_order(
    parts: Sequence[Future[VerifiedPart | None]], tell: Callable[[], None]
) -> Iterator[VerifiedPart | None]:
    """Yields the parts in order, each as soon as it is done."""
    for part in parts:
        while not part.done():
            wait([part], TELL_S, FIRST_COMPLETED)
            tell()
        yield part.result()


def spans(ledger: Reader, task: Task) -> list[RowSpan]:
    """Splits the rows into spans: from snapshot to snapshot, or of a fixed size if only the chain is
    checked.
    """
    begin, last = beginning(task.bank, task.cut).seq, task.head.seq
    if task.chain:
        cuts = list(range(begin + CHAIN_ROWS, last, CHAIN_ROWS))
    else:
        cuts, before = [], begin
        for seq, format_ in ledger.snapshot_rows(task.bank):
            if format_ == SNAPSHOT_FORMAT and seq - before >= SPAN_ROWS_MIN and last - seq >= SPAN_ROWS_MIN:
                cuts.append(seq)
                before = seq
    return [RowSpan(task, after, upto) for after, upto in pairwise([begin, *cuts, last])]


def joined(task: Task, parts: Iterable[VerifiedPart | None]) -> ChainResult | None:
    """Combines the parts in order into the result of one pass.

    None where anything is wrong in one, or where one did not begin with what the one before it ended with.
    """
    at, known, accounts = beginning(task.bank, task.cut), task.known, None
    older, refusals, stopped, programs = 0, 0, list[int](), list[ProgramStart]()
    sums: Sums = {}
    totals: Totals = {}
    timely = TimestampChecks()
    for part in parts:
        if part is None or part.began != at or any(_untimely(timely, one) for one in part.opened):
            return None
        at, accounts = part.ended, part.accounts
        known = None if part.known is None else known
        older, refusals, stopped = older + part.older, refusals + part.refusals, stopped + part.stopped
        programs += part.programs
        for key, moved in part.sums.items():
            sums[key] = [a + b for a, b in zip(sums.get(key, _NOTHING), moved, strict=True)]
        for key, more in part.totals.items():
            totals[key] = tuple(a + b for a, b in zip(totals.get(key, _NOTHING), more, strict=True))
    return ChainResult(at, [], known, older, refusals, stopped, sums, totals, accounts, programs)


def _untimely(timely: TimestampChecks, opened: FirstRow) -> bool:
    """Whether a round came too fast, by either clock, after those of the parts before (L11)."""
    return timely.quick(opened) is not None or timely.crowded(opened)


# What follows runs in the processes of the parts.

_url = ""
_done: "Synchronized[int] | None" = None


def _begin(url: str, done: "Synchronized[int]") -> None:
    """Initialises a worker process."""
    global _url, _done
    _url, _done = url, done
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # who stops it is told by the first process
    os.nice(NICE)


def _part_of(span: RowSpan) -> VerifiedPart | None:
    with closing(open_reader(_url)) as ledger:
        return part_of(ledger, span, _count)


def _count(rows: int) -> None:
    if _done is not None:
        with _done.get_lock():
            _done.value += rows


def part_of(ledger: Reader, span: RowSpan, count: Callable[[int], None]) -> VerifiedPart | None:
    """Verifies one span; None if anything is wrong. count: called with how many rows more are done.

    Raises LedgerUnusable.
    """
    task, opened = span.task, list[FirstRow]()
    try:
        verifier = _begun(ledger, span, opened.append)
    except LedgerCorrupt:
        return None  # nothing can go on from the snapshot there
    begin, told = beginning(task.bank, task.cut), span.after
    began, before = (
        (verifier.position(), Totals()) if span.after > begin.seq else (begin, verifier.accounts() or {})
    )

    def tell() -> None:
        nonlocal told
        count(verifier.seq - told)
        told = verifier.seq

    pass_over(ledger, verifier, span.upto, tell)
    if verifier.problems() or verifier.seq != span.upto or (verifier.redecider is None and not task.chain):
        return None
    return VerifiedPart(
        began,
        verifier.position(),
        verifier.known,
        verifier.older,
        verifier.refusals,
        verifier.stopped,
        verifier.sums,
        {} if task.chain else summed(ledger, task.bank, span.upto, span.after, before),
        verifier.accounts(),
        verifier.began,
        opened,
    )


def _begun(ledger: Reader, span: RowSpan, opened: Callable[[FirstRow], None]) -> ChainVerifier:
    """Verifier positioned after row `span.after`. Raises LedgerCorrupt if it cannot resume there."""
    task = span.task
    at = begin = beginning(task.bank, task.cut)
    if span.after > begin.seq:
        row = row_at(ledger, task.bank, span.after)
        at = ChainPosition(row.seq, row.hash, row.epoch, row.version)
        at = at if task.chain else position_at(ledger, row, begin)
    redecider = None if task.chain else redecider_at(ledger, task.bank, at, opened)
    verifier = ChainVerifier(task.bank, at, redecider, task.known)
    if at == begin:
        verifier.go_on(verifier.accounts() or {})
    return verifier
