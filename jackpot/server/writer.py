"""How do batches get into the ledger, and what happens when one does not? The asyncio shell of the sequencer.

One task drains the core into a store, without a timer on the way: while one transaction is flushed the
next batch gathers. A commit in doubt suspends every link at once; then, in this order: recover the ledger,
take a new epoch in an acknowledged commit, rebuild the state from what is there, decide what waits again.
"""

import asyncio
import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import Any, Final, TypeVar

import structlog

from controllers.answers import Hit, Nack, WaitingHit
from jackpot.clock import Clock
from jackpot.ledger.journal import Head, Snapshot, genesis
from jackpot.ledger.reading import Reader
from jackpot.ledger.rebuild import rebuild, still_own
from jackpot.ledger.store import (
    CommitInDoubt,
    DataRefused,
    Fenced,
    LedgerCorrupt,
    LedgerError,
    Store,
)
from jackpot.rules import views
from jackpot.rules.commands import Command, Envelope
from jackpot.rules.effects import Map
from jackpot.rules.engine import Engine
from jackpot.rules.facts import hit_push, jackpots
from jackpot.rules.invariant import InvariantError
from jackpot.rules.outcome import ActAnswer, Outcome
from jackpot.rules.paytable import LinkTerms
from jackpot.rules.refusal import NOT_APPLIED
from jackpot.server.board import Board
from jackpot.server.histogram import ANSWER_SECONDS, BATCH_ROWS, COMMIT_SECONDS, Histogram
from jackpot.server.hold import Do, Hold
from jackpot.server.life import Service
from jackpot.server.sequencer import SNAPSHOT_EVERY, Batch, Core, Item, Release

# DESIGN: a holder without an acknowledged commit for 2 s suspends its tables; the commit itself goes on.
SLOW_COMMIT_S: Final = 2.0
# A ledger that still takes nothing is looked at again after these pauses: soon, then seldom enough not to
# load a struggling disk or use up epochs.
RETRY_FIRST_S: Final = 0.1
RETRY_MOST_S: Final = 5.0
# Batches between two chances for the ledger's housekeeping, which asks for itself whether it is needed.
CHECKPOINT_BATCHES: Final = 64

# A start that replays more rows says so: it takes seconds. A process that ended between a seal and its
# snapshot leaves up to twice what is between two seals.
REPLAY_ROWS_MOST: Final = 2 * SNAPSHOT_EVERY

# Everything that the rules and the server alarm; counted from 0, so that the first of a kind is a rise too.
ALARMS: Final = (
    "chip_mismatch",
    "count_mismatch",
    "device_conflict",
    "internal",
    "key_ended",
    "ledger_behind",
    "ledger_behind_confirmed",
    "left_on_meter",
    "seq_conflict",
    "unreasonable",
)

T = TypeVar("T")
log: Final = structlog.get_logger()


def face(engine: Engine) -> tuple[list[Map], list[Hit], int, dict[str, tuple[WaitingHit, ...]]]:
    """What a board shows of a state: links, the last hits by age, seq, and by link what waits (S7)."""
    state = engine.state
    shown = [
        (past.seq, hit_push(state.bank, link, level.terms.level, past))
        for link in state.links
        for level in link.levels
        for past in level.shown
    ]
    hits = [hit for _, hit in sorted(shown, key=lambda pair: pair[0])]
    waiting = {link.terms.link: jackpots(state, link.number) for link in state.links}
    return views.statistics(engine)["links"], hits, state.seq, waiting


class BankStopped(Exception):
    """The bank decides nothing any more in this process; its text says why."""


class Writer:
    """One bank at work: its core, its board, and the store that both depend on.

    hold: what the bank is in this server; the writer tells it how commits end. on_durable is called
    after each commit; on_opened when devices may be let in; on_stopped whenever it is seen that they may not.
    """

    def __init__(self, hold: Hold, board: Board, store: Store, clock: Clock) -> None:
        bank = hold.bank
        self.core = Core(Engine(bank), Head(bank, 0, 0, genesis(bank), "", 0), self._tell)
        self.bank = bank
        self.hold = hold
        self.board = board
        self.commits = Histogram(COMMIT_SECONDS)
        self.batches = Histogram(BATCH_ROWS)
        self.answers = Histogram(ANSWER_SECONDS)
        self.doubts = 0
        self.batches_refused = 0
        self.slow_commits = 0
        self.not_applied = dict.fromkeys(sorted(NOT_APPLIED), 0)
        self.alarms = dict.fromkeys(ALARMS, 0)
        self.on_durable: list[Callable[[], None]] = []
        self.on_opened: list[Callable[[], None]] = []
        self.on_stopped: list[Callable[[], None]] = []
        self._batches_written = 0
        self._store = store
        self._pause = 0.0
        self._unsaved = False
        self._clock = clock
        self._ending = False
        self._wake = asyncio.Event()
        self._questions: set[asyncio.Future[Any]] = set()

    @classmethod
    def standing_by(cls, hold: Hold, store: Store, clock: Clock, links: Iterable[LinkTerms] = ()) -> "Writer":
        """One that decides nothing until `begin`. links: what its board will show."""
        board = Board(hold.bank, clock, hold)
        writer = cls(hold, board, store, clock)
        board.expect(links)
        return writer

    def begin(self, engine: Engine, head: Head) -> None:
        """What is decided from here on is decided on this state, which the ledger holds."""
        self.core = Core(engine, head, self._tell)
        self._pause = 0.0
        self._ending = False
        self.board.hits.forget()
        self.board.reset(*face(engine))

    def read_whole(self, ledger: Reader) -> tuple[Engine, Head]:
        """The state as the ledger holds it, after `new_epoch`; LedgerCorrupt where that cannot be believed.

        Its schema is compared too, for whoever can plant a trigger can do so at any time (S3). Snapshots that
        it has lost are saved again on the way, unless the last one could not be.
        """

        def tell(rows: int, why: Sequence[str]) -> None:
            if why or rows > REPLAY_ROWS_MOST:
                log.warning("ledger_replayed", bank=self.bank, rows=rows, reasons=list(why))

        def keep(snapshot: Snapshot) -> None:
            if not self._unsaved:
                self._unsaved = True
                ledger.save_snapshot(snapshot)
                self._unsaved = False

        if problems := ledger.schema().problems:
            raise LedgerCorrupt("; ".join(problems))
        return rebuild(ledger, self.bank, tell, keep)

    @property
    def service(self) -> Service:
        """What a device of the bank finds here."""
        return self.hold.service

    def open(self) -> None:
        """Configuration and journal agree: devices may be let in from here on."""
        self.carry_out(self.hold.agreed())

    def carry_out(self, what: Iterable[Do]) -> None:
        """Tells devices, signs and askers what follows from a change of the hold."""
        if self.board.restand():
            self._flush()
        for each in what:
            if each is Do.STAND_BY:
                log.info("standing_by", bank=self.bank, reason=self.hold.stopped)
            elif each is Do.STOP:
                self._refuse_questions()
            elif each is Do.SEND_AWAY:
                for call in self.on_stopped:
                    call()
            elif each is Do.LET_IN:
                for call in self.on_opened:
                    call()

    def _refuse_questions(self) -> None:
        for question in self._questions:
            if not question.done():
                question.set_exception(BankStopped(self.hold.stopped))

    def tick(self) -> None:
        """Lets time pass; about ten times a second.

        Once another server may hold the bank devices that were let in are sent there, for this one may not
        hear of it. An error that nobody can explain stops the bank.
        """
        try:
            self._tick()
        except Exception as error:  # noqa: BLE001 - see above
            self.fail(error)

    def _tick(self) -> None:
        self.board.tick()
        if what := self.hold.tick(self._clock.monotonic()):
            log.warning("lease_lapsed", bank=self.bank)
            self.carry_out(what)

    @property
    def active(self) -> bool:
        """Whether commands are being decided and made durable."""
        return self.hold.trusted(self._clock.monotonic())

    @property
    def epoch(self) -> int:
        """The epoch in which the bank is written."""
        return self.core.epoch

    @property
    def full(self) -> bool:
        """Whether the queue can take no more commands: it is full, or shall become empty for the end."""
        return self.core.full or self._ending

    def statistics(self) -> dict[str, Any]:
        """Its counts since the start, and where it stands now; links as they may be shown."""
        return {
            "bank": self.bank,
            "active": self.active,
            "stopped": self.hold.failed,
            "standby": self.hold.elsewhere,
            "links": {link: self.board.state(link)[0] == "active" for link in self.board.links},
            "doubts": self.doubts,
            "batches_refused": self.batches_refused,
            "slow_commits": self.slow_commits,
            "not_applied": self.not_applied,
            "alarms": self.alarms,
            "commits": self.commits,
            "batches": self.batches,
            "answers": self.answers,
            **self.core.statistics(),
        }

    def submit(self, envelope: Envelope, release: Release) -> None:
        """Decides a command at its place in the order; `release(outcome)` comes once it is durable.

        It never comes where the bank stops first, which `on_stopped` tells. Raises BankStopped.
        """
        if (stopped := self.hold.stopped) is not None:
            raise BankStopped(stopped)
        self.core.submit(envelope, release)
        self._wake.set()

    def act(self, command: Command, release: Release, digest: bytes | None = None) -> None:
        """Submits what the server itself decides, as `submit`. digest: for what must not happen twice."""
        self.submit(self._envelope(command, (), digest), release)

    async def person(self, command: Command, people: tuple[str, ...]) -> ActAnswer:
        """An act of people, answered once it is durable. Raises BankStopped."""
        envelope = self._envelope(command, people, None)
        outcome: Outcome = await self._await(lambda release: self.submit(envelope, release))
        return outcome.of_act()

    async def ask(self, question: Callable[[Engine], T]) -> T:
        """Reads the state, answered once what was read is durable (S5). Raises BankStopped, or its error."""

        def guarded(engine: Engine) -> tuple[T | None, Exception | None]:
            try:
                return question(engine), None
            except Exception as error:  # noqa: BLE001 - the asker's mistake is the asker's, not the bank's
                return None, error

        # It wakes nobody: the core answers at once, or has work that is being done already.
        answer, error = await self._await(lambda release: self.core.submit(guarded, release))
        if error is not None:
            raise error
        return answer  # type: ignore[no-any-return]

    async def refresh(self) -> None:
        """Shows links that were opened since; only while nobody else submits. Raises BankStopped."""
        self.board.reset(*await self.ask(face))

    def end(self) -> None:
        """Lets `run` return once nothing waits; in doubt at once, for nobody knows how long that lasts."""
        self._ending = True
        self._wake.set()

    async def run(self) -> None:
        """Writes until `end`, or until another server takes the bank; what cannot go on stops for good."""
        try:
            await self._run()
        except Fenced as error:
            log.warning("fenced", bank=self.bank, reason=str(error))
            self.carry_out(self.hold.fenced())
        except Exception as error:  # noqa: BLE001 - also what nobody can explain stops this bank, and it alone
            self.fail(error)

    async def _run(self) -> None:
        while True:
            if self.core.broken:
                if self._ending and self.hold.in_doubt:
                    return
                await self._look()
            elif (batch := self.core.take_batch()) is None:
                if self._ending and not self.core.depth:
                    return
                await self._idle()
            elif batch.rows:
                await self._write(batch)
            else:
                self.core.committed()

    async def _idle(self) -> None:
        """Waits for work; where others watch the bank, no longer than until its lease must be confirmed."""
        self._wake.clear()
        if not self._store.shared:
            await self._wake.wait()
            return
        left = self.hold.beat_due - self._clock.monotonic()
        if left > 0:
            with suppress(TimeoutError):
                async with asyncio.timeout(left):
                    await self._wake.wait()
            return
        began = self._clock.monotonic()
        try:
            await self._store.beat(self.bank, self.core.epoch)
            self._acknowledged(began)
        except CommitInDoubt as error:
            self._doubt(error)

    def _acknowledged(self, began: float) -> None:
        """What was sent at `began` is durable."""
        self._pause = 0.0
        self.carry_out(self.hold.acknowledged(began, self._clock.monotonic()))

    async def _write(self, batch: Batch) -> None:
        """One transaction, and what follows from how it ends, or from how long it takes."""
        slow = asyncio.get_running_loop().call_later(SLOW_COMMIT_S, self._slow)
        began = self._clock.monotonic()
        try:
            await self._store.append(self.bank, batch.epoch, batch.before, batch.rows)
            self.commits.observe(self._clock.monotonic() - began)
            self.batches.observe(len(batch.rows))
            self._batches_written += 1
            self._acknowledged(began)
            self.core.committed()
            if batch.snapshot is not None:
                self._unsaved = True
                await self._store.save_snapshot(batch.snapshot)
                self._unsaved = False
            if self._batches_written % CHECKPOINT_BATCHES == 0:
                await self._store.checkpoint()
        except DataRefused as error:
            self.batches_refused += 1
            log.warning("batch_refused", bank=self.bank, rows=len(batch.rows), reason=str(error))
            self.core.refused()
        except CommitInDoubt as error:
            self._doubt(error)
        finally:
            slow.cancel()

    def _slow(self) -> None:
        self.slow_commits += 1
        log.error("commit_slow", bank=self.bank, seconds=SLOW_COMMIT_S)
        self.carry_out(self.hold.slow())

    def _doubt(self, error: CommitInDoubt) -> None:
        log.error("commit_in_doubt", bank=self.bank, durable_seq=self.core.durable_seq, reason=str(error))
        self.doubts += 1
        self.core.failed()
        self.carry_out(self.hold.doubted())

    async def _look(self) -> None:
        """Makes state and ledger one again; at once, but ever later while nothing becomes durable.

        Raises LedgerError where that is impossible.
        """
        while True:
            if self.hold.in_doubt:
                await asyncio.sleep(self._pause)
                self._pause = min(max(2 * self._pause, RETRY_FIRST_S), RETRY_MOST_S)
            if await self._looked() or self._ending:
                return

    async def _looked(self) -> bool:
        """Whether one try did it; if not, the next one starts from a doubt."""
        try:
            engine, head = await self._read_again()
        except CommitInDoubt as error:
            self.carry_out(self.hold.doubted())
            log.warning("ledger_unavailable", bank=self.bank, reason=str(error))
            return False
        if head.epoch > self.core.epoch:
            engine.new_epoch(int(self._clock.monotonic() * 1000))
        else:
            engine.go_on(self.core.engine)
        if head.seq > self.core.durable_seq:
            self._pause = 0.0  # the batch in doubt was durable
        self.board.reset(*face(engine))  # before anything is decided on it: what a board shows is durable
        self.core.rebuilt(engine, head)
        self.carry_out(self.hold.rebuilt())
        self._flush()
        log.info("rebuilt", bank=self.bank, seq=head.seq, epoch=head.epoch)
        return True

    async def _read_again(self) -> tuple[Engine, Head]:
        """The state as the ledger has it; after a doubt from a fresh connection and in a new epoch.

        Raises CommitInDoubt where it may be tried again, Fenced where another writer has the bank by now,
        LedgerCorrupt where what was acknowledged is gone.
        """
        epoch = self.core.epoch
        if self.hold.in_doubt:
            await self._store.recover()
            epoch = await self.take()
        engine, head = await self._store.run(self.read_whole)
        still_own(head, epoch)
        await self.check_acknowledged()
        return engine, head

    async def take(self, seen: Head | None = None) -> int:
        """The new epoch, once it is acknowledged. seen: the head that it is taken on, as Store.new_epoch.

        Raises CommitInDoubt, Fenced.
        """
        began = self._clock.monotonic()
        head = await self._store.new_epoch(self.bank, self.hold.own, seen=seen)
        self.carry_out(self.hold.taken(head, began, self._clock.monotonic()))
        return head.epoch

    async def check_acknowledged(self, seen: Head | None = None) -> None:
        """Raises LedgerCorrupt where the ledger has lost what this process ever acknowledged (S5).

        seen: where another server was seen to stand, whose rows must be there too.
        """
        last, expected = self.core.durable_seq, self.core.durable_hash
        if seen is not None and seen.seq > last:
            last, expected = seen.seq, seen.hash
        known = [row.hash for row in await self._store.rows(self.bank, last - 1, 1)] if last else []
        if last and known != [expected]:
            head = await self._store.head(self.bank)
            raise LedgerCorrupt(
                f"{self.bank}: row {last}, which was acknowledged, is not in the ledger, which ends at row "
                f"{head.seq}: the database has lost it (an old copy, a standby that was behind); bring "
                "one back that has it, or start again to go on without"
            )

    def fail(self, error: Exception) -> None:
        """Stops for good: a person must look. What no check of ours has found is named `internal`."""
        explained = isinstance(error, LedgerError | InvariantError)
        reason = f"{type(error).__name__}: {error}"
        if self.hold.failed:
            log.error("bank_stopped_again", bank=self.bank, reason=reason, kind=(self.bank, reason))
            return
        told = reason if explained else f"internal: {reason}"
        what = self.hold.fail(told)
        if not explained:
            self.alarms["internal"] += 1
        log.critical("bank_stopped", bank=self.bank, reason=told, exc_info=None if explained else error)
        try:
            self.carry_out(what)
        except Exception as worse:
            log.exception("bank_stopped_untold", bank=self.bank, exc_info=worse)

    def _tell(self, items: Sequence[Item], seq: int) -> None:
        """What became durable together: first the answers, then pushes, then meters (WIRE); and all leave."""
        for item in items:
            item.answer()
        outcomes = [item.outcome for item in items if isinstance(item.outcome, Outcome)]
        if outcomes:
            self.board.push(outcomes, seq)
            self.board.move(outcomes)
            self._count(outcomes)
            self._flush()

    def _count(self, outcomes: Sequence[Outcome]) -> None:
        for outcome in outcomes:
            for name, facts in outcome.alarms:
                self.alarms[name] = self.alarms.get(name, 0) + 1
                whose = tuple(str(facts.get(key)) for key in ("table", "role", "device"))
                log.warning(name, bank=self.bank, **facts, kind=(self.bank, *whose))
            answer = outcome.answer
            if isinstance(answer, Nack) and answer.expected is not None:
                self.not_applied[answer.code] += 1

    def _flush(self) -> None:
        for call in self.on_durable:
            call()

    def _envelope(self, command: Command, people: tuple[str, ...], digest: bytes | None) -> Envelope:
        tick = int(self._clock.monotonic() * 1000)
        digest = digest or os.urandom(16)
        return Envelope(command, at=self._clock.unix_ms(), tick=tick, digest=digest, people=people)

    async def _await(self, submit: Callable[[Release], None]) -> Any:
        if (stopped := self.hold.stopped) is not None:
            raise BankStopped(stopped)
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()

        def release(result: Any) -> None:
            if not answer.done():
                answer.set_result(result)

        self._questions.add(answer)
        try:
            submit(release)
            return await answer
        finally:
            self._questions.discard(answer)
