"""Does the ledger still say what was written, and do its books balance? Trusts nothing but the first row.

Walks the whole chain; decides every row again from the state before it (S8); recomputes every account from
the events (by the engine), from the stored postings (row by row) and from the database's own sums; holds the
three together, and with M4, the snapshots and the head. Works next to a running server: it looks at what was
there when it began.
"""

from collections.abc import Callable
from typing import Final

import msgspec

from jackpot.ledger.heads import BankHeads
from jackpot.ledger.join import broken_joint
from jackpot.ledger.journal import Head, Row, chained, genesis
from jackpot.ledger.reading import Reader
from jackpot.ledger.rebuild import (
    PAGE_ROWS,
    Totals,
    check_sealed,
    meters_differ,
    postings_of,
    replay,
    summed,
)
from jackpot.ledger.roll import untrue_in
from jackpot.ledger.store import LedgerCorrupt
from jackpot.ledger.timely import Timely
from jackpot.rules import again, events, kinds
from jackpot.rules.engine import Engine
from jackpot.rules.signing import People

# Problems told one by one: the first say what happened, a thousand more say it again.
PROBLEMS_MAX: Final = 20

# Told where deciding a row again broke; where the row cannot be applied either, that is told as well.
UNDECIDED: Final = "the rules cannot decide it"

# A row is written between 1970 and 9999, in milliseconds: what stands outside of it no calendar can show.
AT_MOST: Final = 253_402_300_799_999
# One epoch a second comes so far in 30,000 years. A forged one beyond lets no server take the bank again.
EPOCH_MOST: Final = 2**40

Progress = Callable[[int, int], None]


class Report(msgspec.Struct, frozen=True):
    """What was found. head: of the rows walked; its hash is what to keep elsewhere for the next time.

    problems: one sentence each, naming the row; none if all is well. older: how many rows were not decided
    again, for older rules decided them. refusals: of how many the requests are not there to be decided again.
    stopped: those of them, by row, that stopped links: no request shows whether an error did. unproved: how
    many rows are newer than the last signed head.
    """

    head: Head
    problems: tuple[str, ...]
    older: int = 0
    refusals: int = 0
    stopped: tuple[int, ...] = ()
    unproved: int = 0


def verify(
    ledger: Reader,
    bank: str,
    known: bytes | None = None,
    progress: Progress = lambda _done, _of: None,
    heads: BankHeads | None = None,
) -> Report:
    """Verifies one bank from its first row.

    known: a hash that the bank's head once had, kept elsewhere: it shows a tail that was cut off.
    progress: called with (rows done, rows in all). heads: signed ones of the bank, which this uses up (S8).
    Raises LedgerUnusable where the file cannot be read.
    """
    head = ledger.head(bank)
    walk, kept = _Walk(bank, head, known, untrue_in(ledger, bank)), heads or BankHeads(bank)
    progress(0, head.seq)
    while walk.seq < head.seq:
        page = ledger.rows(bank, walk.seq, min(PAGE_ROWS, head.seq - walk.seq))
        for row in page:
            if row.seq <= head.seq:
                walk.take(row)
                kept.saw(row)
        if not page or page[-1].seq >= head.seq:
            break
        progress(walk.seq, head.seq)
    walk.end()
    problems = [*_explain(walk.broken, walk.stored), *walk.problems, *kept.end(walk.seq)]
    problems += [f"{bank}: {stray}" for stray in ledger.strays(bank)]
    if walk.engine is not None:
        problems += [*broken_joint(ledger, bank)]
    problems += _unsealed(ledger, bank)
    problems += _unequal(walk, summed(ledger, bank, walk.seq))
    progress(head.seq, head.seq)
    if len(problems) > PROBLEMS_MAX:
        problems[PROBLEMS_MAX:] = [f"{bank}: and {len(problems) - PROBLEMS_MAX} more"]
    unproved = kept.unproved(walk.seq)
    return Report(head, tuple(problems), walk.older, walk.refusals, tuple(walk.stopped), unproved)


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


class _Walk:
    """One pass over the rows. engine: None once a row could not be applied: no meters from there on.

    untrue: as of `again.fault`.
    """

    def __init__(
        self, bank: str, head: Head, known: bytes | None, untrue: Callable[[People], str | None]
    ) -> None:
        self.bank = bank
        self.untrue = untrue
        self.head = head
        self.known = known
        self.engine: Engine | None = Engine(bank)
        self.seq = 0
        self.epoch = 0
        self.version = 1
        self.older = 0
        self.refusals = 0
        self.stopped: list[int] = []
        self.hash = genesis(bank)
        self.sums: dict[tuple[int, int], list[int]] = {}
        self.timely = Timely()
        self.problems: list[str] = []
        self.broken: list[tuple[Row, bytes]] = []
        self.stored: list[bytes] = [self.hash]
        self._check_known()

    def take(self, row: Row) -> None:
        """One row, in the order of the journal."""
        follows = row.seq == self.seq + 1
        if not follows:
            self._missing(self.seq + 1, row.seq - 1)
        if not self.epoch <= row.epoch <= EPOCH_MOST:
            self._problem(f"row {row.seq} is of epoch {row.epoch}, the row before it of {self.epoch}")
        if not 0 <= row.at <= AT_MOST:
            self._problem(f"row {row.seq} was written at {row.at} ms, which is in no year from 1970 to 9999")
        if row.version < self.version:
            self._problem(f"row {row.seq} is of rules {row.version}, the row before it of {self.version}")
        for posting in row.postings:
            sums = self.sums.setdefault((posting.link, posting.level), [0] * len(posting[3:]))
            for account, micros in enumerate(posting[3:]):
                sums[account] += micros
            if sum(posting[3:]) != 0:
                self._problem(f"row {row.seq} does not balance: {posting} (M4)")
        if chained(self.hash, row) == row.hash:
            self._replay(row)
        elif follows:
            self._broken(row)
        self.seq, self.epoch, self.version, self.hash = row.seq, row.epoch, row.version, row.hash
        self._check_known()

    def end(self) -> None:
        """After the last row: the head, and the hash that the caller knows."""
        if self.head.epoch == 0:
            self._problem("there is no such bank in this ledger, or its head is gone")
        if self.seq < self.head.seq:
            self._missing(self.seq + 1, self.head.seq)
        elif self.hash != self.head.hash:
            self._problem(f"the head names another hash than row {self.seq} has")
        if self.epoch > self.head.epoch:
            self._problem(f"the head is of epoch {self.head.epoch}, row {self.seq} of {self.epoch}")
        if self.head.epoch > EPOCH_MOST:
            self._problem(f"the head is of epoch {self.head.epoch}, and no ledger comes beyond {EPOCH_MOST}")
        if self.known is not None:
            self._problem(
                f"none of its {self.seq} rows has the hash {self.known.hex()}: "
                "the end was cut off, or it is another ledger"
            )

    def _problem(self, said: str) -> None:
        self.problems.append(f"{self.bank}: {said}")

    def _missing(self, first: int, last: int) -> None:
        which = f"row {first} is" if first == last else f"rows {first} to {last} are"
        self._problem(f"{which} missing")
        self.engine = None

    def _replay(self, row: Row) -> None:
        if self.engine is None:
            return
        if row.epoch > self.epoch:
            self.engine.new_epoch(0)  # its clock decides nothing: an event says how long was waited (T10)
        fault = self._decided(self.engine, row)
        try:
            replay(self.engine, row)
        except LedgerCorrupt as error:
            self.engine = None
            if fault is None or fault.startswith(UNDECIDED):
                self.problems.append(str(error))
        if fault is not None:
            self._problem(f"row {row.seq} ({kinds.name_of(row.kind)}): {fault}")

    def _decided(self, engine: Engine, row: Row) -> str | None:
        """Why the rules do not decide the row from the state before it; None where they do, or did once."""
        if row.version < events.RULES_VERSION:
            self.older += 1
            return None
        try:
            event = kinds.decode(row.kind, row.version, row.body)
        except (kinds.UnknownEventError, msgspec.MsgspecError):
            return None  # applying it tells the same
        try:
            if isinstance(event, events.Refused):
                self.refusals += 1
                self.stopped += [row.seq] * bool(event.suspended)
            untimely = self.timely.fault(engine.state, row, event)
            fault = again.fault(engine, row, event, self.untrue) or untimely
            return fault or again.unsayable(engine.state, row, event)
        except Exception as error:  # noqa: BLE001 - a forged event may break anything inside
            return f"{UNDECIDED}: {error!r}"

    def _broken(self, row: Row) -> None:
        """The row is not what was written; where its event and the rest are, its postings are at fault."""
        if self.engine is not None:
            try:
                made = postings_of(self.engine, row)
            except LedgerCorrupt:
                made = row.postings
            if (
                made != row.postings
                and chained(self.hash, msgspec.structs.replace(row, postings=made)) == row.hash
            ):
                self._problem(
                    f"the postings of row {row.seq} were changed: written {made}, stored {row.postings}"
                )
                return
            self.engine = None
        if len(self.broken) < PROBLEMS_MAX:
            self.broken.append((row, self.hash))
            self.stored += [self.hash, row.hash]

    def _check_known(self) -> None:
        if self.hash == self.known:
            self.known = None


def _explain(broken: list[tuple[Row, bytes]], stored: list[bytes]) -> list[str]:
    """Why rows do not follow from the row before: moved, their hash alone changed, or anything else."""
    said = []
    innocent = 0
    for place, (row, previous) in enumerate(broken):
        after = broken[place + 1][0] if place + 1 < len(broken) else None
        if row.seq == innocent:
            continue
        home = _home(row, [other.seq for other, _ in broken], stored)
        if home == row.seq:
            continue  # whole, behind a row that is not
        if home is not None:
            said.append(f"{row.bank}: row {row.seq} was moved: it was written as row {home}")
        elif after and chained(chained(previous, row), after) == after.hash:
            said.append(f"{row.bank}: the hash of row {row.seq} was changed")
            innocent = after.seq
        else:
            said.append(
                f"{row.bank}: row {row.seq} was changed or added: it does not follow from row {row.seq - 1}"
            )
    return said


def _home(row: Row, seqs: list[int], stored: list[bytes]) -> int | None:
    """Under which of these seqs, behind which of these hashes, the row's own hash holds."""
    for seq in seqs:
        moved = msgspec.structs.replace(row, seq=seq)
        if any(chained(previous, moved) == row.hash for previous in stored):
            return seq
    return None


def _unequal(walk: _Walk, totals: Totals) -> list[str]:
    """The accounts by rows, by the database and by the events, held together (M4)."""
    by_row = {key: tuple(sums) for key, sums in walk.sums.items()}
    said = [
        f"{walk.bank}: link {link} level {level}: the rows post {by_row.get((link, level))}, "
        f"the database sums {totals.get((link, level))}"
        for link, level in sorted(by_row.keys() | totals.keys())
        if by_row.get((link, level)) != totals.get((link, level))
    ]
    said += [
        f"{walk.bank}: link {link} level {level} is out of balance by {sum(accounts)} micro-dollars (M4)"
        for (link, level), accounts in sorted(totals.items())
        if sum(accounts) != 0
    ]
    if walk.engine is not None and walk.seq == walk.head.seq:
        said += meters_differ(walk.engine, totals)
    return said
