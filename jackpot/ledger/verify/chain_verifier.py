"""Verifier of the chain of a bank: each row follows from the row before, and the rules decide it so.

A pass begins at the first row, or at a `ChainPosition` where another pass ended. So a journal may be verified
in parts, each by a separate process, if each part begins exactly where the part before it ended.
"""

from collections.abc import Callable
from typing import Final, NamedTuple

import msgspec

from jackpot.ledger.journal import Row, chained, genesis
from jackpot.ledger.programs import ProgramStart, began_in
from jackpot.ledger.rebuild import Totals, accounts_of, event_in, moved_by, replay
from jackpot.ledger.store import LedgerCorrupt
from jackpot.ledger.verify.timestamp_checks import TimestampChecks
from jackpot.rules import events, redecide, registry
from jackpot.rules.acts.archives import Cut
from jackpot.rules.acts.papers import PapersErased
from jackpot.rules.acts.snapshot_seals import digest_of
from jackpot.rules.engine import Engine
from jackpot.rules.refusal import TWO_PEOPLE
from jackpot.rules.row_commands import is_kept
from jackpot.rules.signing import People

# Problems told one by one: the first say what happened, a thousand more say it again.
PROBLEMS_MAX: Final = 20

# Told where deciding a row again broke; where the row cannot be applied either, that is told as well.
UNDECIDED: Final = "the rules cannot decide it"

# A row is written between 1970 and 9999, in milliseconds: what stands outside of it no calendar can show.
AT_MAX: Final = 253_402_300_799_999
# One epoch a second comes so far in 30,000 years. A forged one beyond lets no server take the bank again.
EPOCH_MAX: Final = 2**40

Sums = dict[tuple[int, int], list[int]]
"""(link, level) -> its eight accounts, as the rows post them."""


class ChainPosition(msgspec.Struct, frozen=True):
    """Position between two rows: all that later rows are verified against, except the clocks.

    seq, hash, epoch, version: of the row before it. since: the row after which its epoch began. state: the
    digest of the state as a seal has it; both are set by a verifier that redecides, otherwise 0 and empty.
    """

    seq: int
    hash: bytes
    epoch: int = 0
    version: int = 1
    since: int = 0
    state: bytes = b""


class Redecider(NamedTuple):
    """Decides rows again. engine: the state after the rows before. untrue: as in `redecide.check`. timely:
    the timestamp checks so far. written: of a hit and a row, when the newest papers were before it.
    nameless: as `nameless_after`.
    """

    engine: Engine
    untrue: Callable[[People], str | None]
    timely: TimestampChecks
    written: Callable[[int, int], int]
    nameless: int | None = None

    def fault(self, row: Row, event: events.Event) -> str | None:
        """Why the rules do not decide the row from the state before it; None where they do."""
        untimely = self.timely.fault(self.engine.state, row, event) or self._too_young(row, event)
        untimely = untimely or self._unproved(row, event)
        return redecide.check(self.engine, row, event, self.untrue, sayable=True) or untimely

    def _unproved(self, row: Row, event: events.Event) -> str | None:
        """Why nobody can have acted by a name that proves nothing: the site had people by then (S8)."""
        people: People | None = getattr(event, "people", None)
        if self.nameless is None or row.seq <= self.nameless or people is None or not people.names:
            return None
        return f"nobody proved its names, and the site had people when the bank stood at row {self.nameless}"

    def _too_young(self, row: Row, event: events.Event) -> str | None:
        """Why documents of a hit that has left the state were too young to be erased by age (S8)."""
        if not isinstance(event, PapersErased) or event.people.count() >= TWO_PEOPLE:
            return None
        written = self.written(event.number, row.seq)
        if written == event.written:
            return None
        return f"the newest papers of H{event.number} are of {written} ms, not of {event.written}"


class ChainVerifier:
    """Verifier of one pass over rows. redecider: None if nothing is redecided, and once a row could not be
    applied.

    known: a hash to look out for, None once it was seen.
    """

    def __init__(
        self, bank: str, at: ChainPosition, redecider: Redecider | None, known: bytes | None = None
    ) -> None:
        self.bank = bank
        self.redecider = redecider
        self.known = known
        self.seq, self.hash, self.epoch, self.version = at.seq, at.hash, at.epoch, at.version
        self.older = 0
        self.refusals = 0
        self.stopped: list[int] = []
        self.began: list[ProgramStart] = []
        self.sums: Sums = {}
        self._problems: list[str] = []
        self._broken: list[tuple[Row, bytes]] = []
        self._stored: list[bytes] = [self.hash]
        self._check_known()

    def go_on(self, accounts: Totals) -> None:
        """Begins with the sums of the rows before the first one. accounts: as the events made them."""
        self.sums = {key: list(sums) for key, sums in accounts.items()}

    def position(self) -> ChainPosition:
        """Where it stands now."""
        stands = ChainPosition(self.seq, self.hash, self.epoch, self.version)
        return stands if self.redecider is None else at_state(stands, self.redecider.engine)

    def accounts(self) -> Totals | None:
        """As the events make them, None where none were decided."""
        return None if self.redecider is None else accounts_of(self.redecider.engine)

    def take(self, row: Row) -> None:
        """Verifies the next row of the journal."""
        follows = row.seq == self.seq + 1
        if not follows:
            self.missing(self.seq + 1, row.seq - 1)
        if not self.epoch <= row.epoch <= EPOCH_MAX:
            self._problem(f"row {row.seq} is of epoch {row.epoch}, the row before it of {self.epoch}")
        if not 0 <= row.at <= AT_MAX:
            self._problem(f"row {row.seq} was written at {row.at} ms, which is in no year from 1970 to 9999")
        if row.version < self.version:
            self._problem(f"row {row.seq} is of rules {row.version}, the row before it of {self.version}")
        for posting in row.postings:
            moved = posting[3:]
            sums = self.sums.setdefault((posting.link, posting.level), [0] * len(moved))
            for account, micros in enumerate(moved):
                sums[account] += micros
            if sum(moved) != 0:
                self._problem(f"row {row.seq} does not balance: {posting} (M4)")
        if (began := began_in(row, self.epoch)) is not None:
            self.began.append(began)
        if chained(self.hash, row) == row.hash:
            self._replay(row)
        elif follows:
            self._break(row)
        self.seq, self.epoch, self.version, self.hash = row.seq, row.epoch, row.version, row.hash
        self._check_known()

    def missing(self, first: int, last: int) -> None:
        """Reports missing rows."""
        which = f"row {first} is" if first == last else f"rows {first} to {last} are"
        self._problem(f"{which} missing")
        self.redecider = None

    def problems(self) -> list[str]:
        """A sentence each, those of the chain first."""
        return [*_explain(self._broken, self._stored), *self._problems]

    def _problem(self, said: str) -> None:
        self._problems.append(f"{self.bank}: {said}")

    def _replay(self, row: Row) -> None:
        if self.redecider is None:
            return
        engine, event = self.redecider.engine, event_in(row)
        if row.epoch > self.epoch:
            engine.new_epoch(0)  # its clock decides nothing: an event says how long was waited (T10)
        fault = None if event is None else self._decided(self.redecider, row, event)
        try:
            replay(engine, row, event)
        except LedgerCorrupt as error:
            self.redecider = None
            if fault is None or fault.startswith(UNDECIDED):
                self._problems.append(str(error))
        if fault is not None:
            self._problem(f"row {row.seq} ({registry.name_of(row.kind)}): {fault}")

    def _decided(self, redecider: Redecider, row: Row, event: events.Event) -> str | None:
        """Why the rules do not decide the row from the state before it; None where they do, or did once."""
        if row.version < events.RULES_VERSION:
            self.older += 1
            return None
        try:
            if isinstance(event, events.Refused):
                self.refusals += not is_kept(row.body)
                self.stopped += [row.seq] * bool(event.suspended)
            return redecider.fault(row, event)
        except Exception as error:  # noqa: BLE001 - a forged event may break anything inside
            return f"{UNDECIDED}: {error!r}"

    def _break(self, row: Row) -> None:
        """The row is not what was written; where its event and the rest are, its postings are at fault."""
        if self.redecider is not None:
            try:
                made = moved_by(self.redecider.engine, row).postings
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
            self.redecider = None
        if len(self._broken) < PROBLEMS_MAX:
            self._broken.append((row, self.hash))
            self._stored += [self.hash, row.hash]

    def _check_known(self) -> None:
        if self.hash == self.known:
            self.known = None


def first(bank: str) -> ChainPosition:
    """Position before the first row; nothing is decided yet, so there is no state to compare."""
    return ChainPosition(0, genesis(bank))


def beginning(bank: str, cut: Cut | None) -> ChainPosition:
    """Position before all rows that are here. cut: None where none are archived."""
    return first(bank) if cut is None else ChainPosition(cut.seq, cut.hash, cut.epoch, cut.version, cut.since)


def at_state(stands: ChainPosition, engine: Engine) -> ChainPosition:
    """The position with the state of an engine at that row."""
    return msgspec.structs.replace(stands, since=engine.epoch.since, state=digest_of(engine.snapshot()))


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
    """Which of these seqs and previous hashes give the row's own hash."""
    for seq in seqs:
        moved = msgspec.structs.replace(row, seq=seq)
        if any(chained(previous, moved) == row.hash for previous in stored):
            return seq
    return None
