"""How are a journal's rows verified on all processors at once? In parts that prove where the next begins.

A part goes on from a snapshot that is kept, walks to the next one and computes the state there. The part
after it counts only if it began with exactly that: the same row, hash, epoch and state. The first begins at
the first row. So nothing is believed that one walk over all rows would not have shown. Where anything is
wrong, or does not fit, nothing is said of it here: one walk from the first row finds out what, and says so.

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
from jackpot.ledger.programs import Began
from jackpot.ledger.reading import Reader
from jackpot.ledger.rebuild import Totals, summed
from jackpot.ledger.store import LedgerCorrupt
from jackpot.ledger.verify.chain_verifier import Joint, Sums, Walk, beginning
from jackpot.ledger.verify.resume_point import joint_at, judge_on, row_at
from jackpot.ledger.verify.timestamp_checks import Opened, Timely
from jackpot.ledger.verify.verifier import Parts, Progress, Task, Walked, pass_over
from jackpot.rules.acts.snapshot_seals import SEAL_STEP, SNAPSHOT_FORMAT
from jackpot.rules.postings import Posting

# Rows of a part of a chain: a second or less of work, so that processors end at about the same time.
CHAIN_ROWS: Final = 50_000
# A part shorter than what lies between two seals costs more to begin than it gains.
LEAST_ROWS: Final = SEAL_STEP
# How often somebody who looks on is told how far it has come.
TELL_S: Final = 0.2
_NOTHING: Final = (0,) * (len(Posting._fields) - 3)
# A server that runs on the same machine goes first.
NICE: Final = 10


class Span(msgspec.Struct, frozen=True):
    """Rows after < seq <= upto of what a task asks."""

    task: Task
    after: int
    upto: int


class Part(msgspec.Struct, frozen=True):
    """What the walk over a span found, where nothing is wrong in it; as in `Walked`. began: where it went on
    from. programs: where each begins. opened: the rounds of tables with a limit, which are judged by those
    before them.
    """

    began: Joint
    ended: Joint
    known: bytes | None
    older: int
    refusals: int
    stopped: list[int]
    sums: Sums
    totals: Totals
    accounts: Totals | None
    programs: list[Began]
    opened: list[Opened]


def processors() -> int:
    """How many this process may use."""
    return len(os.sched_getaffinity(0))


def in_parts(ledger: Reader, url: str, jobs: int) -> Parts:
    """How `verify` walks a ledger with so many processes. url: of the ledger, which each opens for itself."""
    return partial(_walked, ledger, url, jobs)


def _walked(ledger: Reader, url: str, jobs: int, task: Task, progress: Progress) -> Walked | None:
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
    except BrokenProcessPool:  # one was killed, as for want of memory: one walk needs less
        return None


def _in_order(parts: Sequence[Future[Part | None]], tell: Callable[[], None]) -> Iterator[Part | None]:
    """Each part as soon as it is there and its turn has come."""
    for part in parts:
        while not part.done():
            wait([part], TELL_S, FIRST_COMPLETED)
            tell()
        yield part.result()


def spans(ledger: Reader, task: Task) -> list[Span]:
    """Which rows are walked by themselves: from snapshot to snapshot, or as many of a chain as is handy."""
    begin, last = beginning(task.bank, task.cut).seq, task.head.seq
    if task.chain:
        cuts = list(range(begin + CHAIN_ROWS, last, CHAIN_ROWS))
    else:
        cuts, before = [], begin
        for seq, format_ in ledger.snapshot_rows(task.bank):
            if format_ == SNAPSHOT_FORMAT and seq - before >= LEAST_ROWS and last - seq >= LEAST_ROWS:
                cuts.append(seq)
                before = seq
    return [Span(task, after, upto) for after, upto in pairwise([begin, *cuts, last])]


def joined(task: Task, parts: Iterable[Part | None]) -> Walked | None:
    """The parts put together in their order, as one walk would have found it.

    None where anything is wrong in one, or where one did not begin with what the one before it ended with.
    """
    at, known, accounts = beginning(task.bank, task.cut), task.known, None
    older, refusals, stopped, programs = 0, 0, list[int](), list[Began]()
    sums: Sums = {}
    totals: Totals = {}
    timely = Timely()
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
    return Walked(at, [], known, older, refusals, stopped, sums, totals, accounts, programs)


def _untimely(timely: Timely, opened: Opened) -> bool:
    """Whether a round came too fast, by either clock, after those of the parts before (L11)."""
    return timely.quick(opened) is not None or timely.crowded(opened)


# What follows runs in the processes of the parts.

_url = ""
_done: "Synchronized[int] | None" = None


def _begin(url: str, done: "Synchronized[int]") -> None:
    """Once, in each process."""
    global _url, _done
    _url, _done = url, done
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # who stops it is told by the first process
    os.nice(NICE)


def _part_of(span: Span) -> Part | None:
    with closing(open_reader(_url)) as ledger:
        return part_of(ledger, span, _count)


def _count(rows: int) -> None:
    if _done is not None:
        with _done.get_lock():
            _done.value += rows


def part_of(ledger: Reader, span: Span, count: Callable[[int], None]) -> Part | None:
    """Walks one span; None where anything is wrong. count: called with how many rows more are done.

    Raises LedgerUnusable.
    """
    task, opened = span.task, list[Opened]()
    try:
        walk = _begun(ledger, span, opened.append)
    except LedgerCorrupt:
        return None  # nothing can go on from the snapshot there
    begin, told = beginning(task.bank, task.cut), span.after
    began, before = (walk.joint(), Totals()) if span.after > begin.seq else (begin, walk.accounts() or {})

    def tell() -> None:
        nonlocal told
        count(walk.seq - told)
        told = walk.seq

    pass_over(ledger, walk, span.upto, tell)
    if walk.problems() or walk.seq != span.upto or (walk.judge is None and not task.chain):
        return None
    return Part(
        began,
        walk.joint(),
        walk.known,
        walk.older,
        walk.refusals,
        walk.stopped,
        walk.sums,
        {} if task.chain else summed(ledger, task.bank, span.upto, span.after, before),
        walk.accounts(),
        walk.began,
        opened,
    )


def _begun(ledger: Reader, span: Span, opened: Callable[[Opened], None]) -> Walk:
    """A walk that stands after row `span.after`. Raises LedgerCorrupt where it cannot go on from there."""
    task = span.task
    at = begin = beginning(task.bank, task.cut)
    if span.after > begin.seq:
        row = row_at(ledger, task.bank, span.after)
        at = Joint(row.seq, row.hash, row.epoch, row.version)
        at = at if task.chain else joint_at(ledger, row, begin)
    judge = None if task.chain else judge_on(ledger, task.bank, at, opened)
    walk = Walk(task.bank, at, judge, task.known)
    if at == begin:
        walk.go_on(walk.accounts() or {})
    return walk
