"""One bank at work: its queue, its one order of decisions, its ledger, and its board.

Callers submit a command to a bank, act on it, ask it or look at it. One task (`run`) drains the sequencer
into the store, without a timer: while one transaction is flushed the next batch gathers. A commit in doubt
suspends every link at once. Then the bank is recovered from its ledger (`recovery`), and what waits is
decided again. What becomes durable is answered, then shown on the board.
"""

import asyncio
import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, TypeVar

import structlog

from controllers.answers import Ack
from jackpot.bank.clock_jump import ClockJump
from jackpot.bank.counts import Counts
from jackpot.bank.lifecycle import BankLifecycle, LifecycleAction
from jackpot.bank.recovery import Recovery
from jackpot.bank.running_triggers import RunningTriggers
from jackpot.bank.sequencer import QueuedCommand, Release, Sequencer
from jackpot.clock import Clock
from jackpot.ledger.journal import Head, genesis
from jackpot.ledger.store import CommitInDoubt, DataRefused, Fenced, LedgerError, Store
from jackpot.ledger.trigger_rows import SealedTrigger
from jackpot.ledger.witness import WitnessError
from jackpot.publish.board import BoardLink, BoardSnapshot, MeterBoard
from jackpot.rules import views
from jackpot.rules.acts.programs import BeginProgram
from jackpot.rules.codes import Code
from jackpot.rules.commands import DIGEST_BYTES, Command, Envelope
from jackpot.rules.engine import Engine
from jackpot.rules.invariant import InvariantError
from jackpot.rules.outcome import ActAnswer, Outcome
from jackpot.rules.outgoing_messages import hit_push, jackpots, notices
from jackpot.rules.paytable import LinkTerms
from jackpot.rules.signing import Proof
from jackpot.runtime.errors import ProgramUnproved, ServerError
from jackpot.runtime.service import Service

# DESIGN: a holder without an acknowledged commit for 2 s suspends its tables; the commit itself goes on.
SLOW_COMMIT_S: Final = 2.0
# Commands that wait or are decided but not durable. 64 tables at their own limit of 64; beyond it tables
# are read no further, so that memory and the work of deciding again stay bounded.
QUEUE_MAX: Final = 4_096
# A ledger that still takes nothing is looked at again after these pauses: soon, then seldom enough not to
# load a struggling disk or use up epochs.
RETRY_FIRST_S: Final = 0.1
RETRY_MAX_S: Final = 5.0

# The signers of an act that has none, or names alone, which nobody looked up.
UNPROVED: Final = Proof()

T = TypeVar("T")
log: Final = structlog.get_logger()


class BankStopped(ServerError):
    """The bank does not take commands in this server, now or for good; the text says why."""

    code = Code.BANK_STOPPED


def snapshot_of(engine: Engine) -> BoardSnapshot:
    """What a board has of a state: links, the last hits by age, seq, what waits for people, and notices."""
    state = engine.state
    shown = [
        (past.seq, hit_push(state.bank, link, level.terms.level, past))
        for link in state.links
        for level in link.levels
        for past in level.shown
        if past.seq  # signs were told of the others by the bank that became this one
    ]
    return BoardSnapshot(
        [BoardLink.of(link) for link in views.statistics(engine)["links"]],
        [hit for _, hit in sorted(shown, key=lambda pair: pair[0])],
        state.seq,
        {link.terms.link: jackpots(state, link.number) for link in state.links},
        notices(state),
    )


class Bank:
    """One bank in this server. It decides nothing until `begin`, and writes while `run` does.

    lifecycle: its state here; each commit is reported to it. links: those on its board by the configuration.
    program: the version that begins each epoch here. mystery_key: the file of the key (Y12). full: whether
    devices are read no further, for its queue is full or is being drained for the end. on_durable is called
    after each commit; on_opened when devices may be accepted; on_stopped when they may not be accepted any
    more.
    """

    def __init__(
        self,
        lifecycle: BankLifecycle,
        store: Store,
        clock: Clock,
        program: BeginProgram,
        links: Iterable[LinkTerms] = (),
        mystery_key: Path | None = None,
    ) -> None:
        self.name = lifecycle.bank
        self.triggers = RunningTriggers(self.name, mystery_key)
        self.lifecycle = lifecycle
        self.store = store
        self.clock = clock
        self.clock_jump = ClockJump(clock, lifecycle.bank)
        self.sequencer = Sequencer(
            Engine(self.name),
            Head(self.name, 0, 0, genesis(self.name), "", 0),
            self._tell,
            triggers=self.triggers,
        )
        self.recovery = Recovery(self, store)
        self.board = MeterBoard(lifecycle.bank, clock, lifecycle)
        self.board.expect(links)
        self.counts = Counts()
        self.full = False
        self.on_durable: list[Callable[[], None]] = []
        self.on_opened: list[Callable[[Bank], None]] = []
        self.on_stopped: list[Callable[[Bank], None]] = []
        self._program = program
        self._asked: set[asyncio.Future[Any]] = set()
        self._pause = 0.0
        self._wake = asyncio.Event()

    # What is asked of it.

    def submit(self, envelope: Envelope, release: Release) -> None:
        """Decides a command at its place in the order; `release(outcome)` comes once it is durable.

        It never comes where the bank stops first, which `on_stopped` tells. Raises BankStopped.
        """
        if (stopped := self.lifecycle.stopped) is not None:
            raise BankStopped(stopped)
        self.sequencer.submit(envelope, release)
        if self.sequencer.depth >= QUEUE_MAX:
            self.full = True
        self._wake.set()

    def act(self, command: Command, release: Release) -> None:
        """Submits what the server itself decides, as `submit`."""
        self.submit(self._envelope(command), release)

    async def person(
        self, command: Command, people: tuple[str, ...], digest: bytes = b"", proof: Proof = UNPROVED
    ) -> ActAnswer:
        """Submits a person's act; answered once it is durable. digest: its idempotency key.

        proof: the signers, in place of names. Raises BankStopped.
        """
        envelope = self._envelope(command, people, digest, proof)
        outcome: Outcome = await self._answered(lambda release: self.submit(envelope, release))
        return outcome.of_act()

    def look(self, question: Callable[[Engine], T], release: Callable[[T], None]) -> None:
        """As `ask`, for a query that cannot fail; `release` is not called if the bank stops first."""
        if self.lifecycle.stopped is None:
            self.sequencer.submit(question, release)

    async def ask(self, question: Callable[[Engine], T]) -> T:
        """Reads the state, answered once what was read is durable (S5). Raises BankStopped, or its error."""

        def guarded(engine: Engine) -> tuple[T | None, Exception | None]:
            try:
                return question(engine), None
            except Exception as error:  # noqa: BLE001 - the asker's mistake is the asker's, not the bank's
                return None, error

        # Nothing is woken: the sequencer answers at once, or has work that is being done already.
        answer, error = await self._answered(lambda release: self.sequencer.submit(guarded, release))
        if error is not None:
            raise error
        return answer  # type: ignore[no-any-return]

    async def _answered(self, submit: Callable[[Release], None]) -> Any:
        if (stopped := self.lifecycle.stopped) is not None:
            raise BankStopped(stopped)
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()

        def release(result: Any) -> None:
            if not answer.done():
                answer.set_result(result)

        self._asked.add(answer)
        try:
            submit(release)
            return await answer
        finally:
            self._asked.discard(answer)

    def _envelope(
        self,
        command: Command,
        people: tuple[str, ...] = (),
        digest: bytes = b"",
        proof: Proof = UNPROVED,
    ) -> Envelope:
        at, tick = self.clock.unix_ms(), int(self.clock.monotonic() * 1000)
        return Envelope(command, at, tick, digest or os.urandom(DIGEST_BYTES), people=people, proof=proof)

    @property
    def service(self) -> Service:
        """State of service for a device of the bank."""
        return self.lifecycle.service

    @property
    def active(self) -> bool:
        """Whether commands are being decided and made durable."""
        return self.lifecycle.trusted(self.clock.monotonic())

    @property
    def epoch(self) -> int:
        """The epoch in which the bank is written."""
        return self.sequencer.epoch

    def statistics(self) -> dict[str, Any]:
        """Counters since the start, and the current state; links as they may be shown."""
        return {
            "bank": self.name,
            "active": self.active,
            "stopped": self.lifecycle.failed,
            "standby": self.lifecycle.elsewhere,
            "links": {link: self.board.state(link)[0] == "active" for link in self.board.links},
            "queue_limit": QUEUE_MAX,
            **vars(self.counts),
            **self.sequencer.statistics(),
        }

    # Its writing.

    def begin(self, engine: Engine, head: Head) -> None:
        """Starts deciding, on a state that the ledger holds."""
        self.sequencer = Sequencer(engine, head, self._tell, triggers=self.triggers)
        self._pause = 0.0
        self.board.reset(snapshot_of(engine))
        self.sequencer.begin(self._envelope(self._program))

    async def refresh(self) -> None:
        """Adds links that were opened since to the board; only while nobody else submits. Raises
        BankStopped.
        """
        self.board.reset(await self.ask(snapshot_of))

    def end(self, *, hand_over: bool = False) -> None:
        """Lets `run` return once nothing waits; in doubt at once, for nobody knows how long that lasts.

        hand_over: as in `BankLifecycle.ending`.
        """
        if self.lifecycle.stopped is None:
            self.perform(self.lifecycle.ending(hand_over=hand_over))
        self._wake.set()

    async def run(self) -> None:
        """Writes until `end`, or until another server takes the bank; what cannot go on stops for good."""
        try:
            while True:
                if await self._write_next():
                    continue
                lost, draining = self.lifecycle.stopped is not None, self.lifecycle.draining
                if self.sequencer.broken:
                    if lost or (draining and self.lifecycle.in_doubt):
                        return
                    await self._recover()
                elif (lost or draining) and not self.sequencer.depth:
                    return
                else:
                    await self._idle()
        except Fenced as error:
            log.warning("bank_fenced", bank=self.name, reason=str(error))
            self.perform(self.lifecycle.fenced())
        except Exception as error:  # noqa: BLE001 - also what nobody can explain stops this bank, and it alone
            self.fail(error)

    async def _idle(self) -> None:
        """Waits for work; where others watch the bank, no longer than until its lease must be confirmed."""
        self._wake.clear()
        left = self.lifecycle.beat_due - self.clock.monotonic()
        if left > 0 or not self.store.shared:
            with suppress(TimeoutError):
                async with asyncio.timeout(left if self.store.shared else None):
                    await self._wake.wait()
            return
        began = self.clock.monotonic()
        try:
            await self.store.beat(self.name, self.sequencer.epoch)
            self._acknowledged(began, self.clock.monotonic())
        except CommitInDoubt as error:
            self._doubt(error)

    def _acknowledged(self, began: float, now: float) -> None:
        """Reports to the lifecycle that a commit or beat sent at `began` is durable.

        Nearly always that changes nothing but the lease: then nobody has to be told.
        """
        self._pause = 0.0
        actions = self.lifecycle.acknowledged(began, now)
        if actions or self.lifecycle.trusted(now) != self.board.told_trusted:
            self.perform(actions)

    async def _write_next(self) -> bool:
        """Writes the next batch in one transaction, and handles its failure or slowness.

        Returns False if there is none.
        """
        batch = self.sequencer.take_batch()
        if batch is None:
            return False
        if not batch.rows:
            self.sequencer.committed()
            return True
        slow = asyncio.get_running_loop().call_later(SLOW_COMMIT_S, self._slow)
        began = self.clock.monotonic()
        try:
            await self.store.append(self.name, batch.epoch, batch.before, batch.rows)
            now = self.clock.monotonic()
            self._acknowledged(began, now)
            changes = (row.triggers for row in batch.rows)
            await self._publish([one for change in changes if change is not None for one in change.kept])
            self.sequencer.committed()
            self.counts.commits.observe(now - began)
            self.counts.batches.observe(len(batch.rows))
            if batch.snapshot is not None:
                await self.recovery.save(batch.snapshot)
        except DataRefused as error:
            self.counts.batches_refused += 1
            log.warning("batch_refused", bank=self.name, rows=len(batch.rows), reason=str(error))
            self.sequencer.refused()
        except CommitInDoubt as error:
            self._doubt(error)
        finally:
            slow.cancel()
        return True

    async def _publish(self, kept: Sequence[SealedTrigger]) -> None:
        """Writes durable commitments to the witness (Y8); nobody is told of their rows before that.

        Raises WitnessError where it cannot be written until the bank ends.
        """
        pause = RETRY_FIRST_S
        while kept:
            try:
                await asyncio.to_thread(self.triggers.publish, kept)
                return
            except WitnessError as error:
                log.warning("witness_not_written", bank=self.name, reason=str(error))
                if self.lifecycle.stopped is not None or self.lifecycle.draining:
                    raise
            await asyncio.sleep(pause)
            pause = min(2 * pause, RETRY_MAX_S)

    def _slow(self) -> None:
        self.counts.slow_commits += 1
        log.error("commit_slow", bank=self.name, seconds=SLOW_COMMIT_S)
        self.perform(self.lifecycle.slow())

    def _doubt(self, error: CommitInDoubt) -> None:
        log.error(
            "commit_in_doubt", bank=self.name, durable_seq=self.sequencer.durable_seq, reason=str(error)
        )
        self.counts.doubts += 1
        self.sequencer.failed()
        self.perform(self.lifecycle.doubted())

    async def _recover(self) -> None:
        """Tries once to rebuild the state from the ledger, with growing pauses while nothing becomes durable.

        Raises LedgerError where that is impossible.
        """
        if self.lifecycle.in_doubt:
            await asyncio.sleep(self._pause)
            self._pause = min(max(2 * self._pause, RETRY_FIRST_S), RETRY_MAX_S)
        new_epoch = self.lifecycle.in_doubt
        try:
            engine, head = await self.recovery.again()
        except CommitInDoubt as error:
            self.perform(self.lifecycle.doubted())
            log.warning("ledger_unavailable", bank=self.name, reason=str(error))
            return
        if head.seq > self.sequencer.durable_seq:
            self._pause = 0.0  # the batch in doubt was durable
        await self._publish(self.sequencer.kept_in_doubt(head))
        # Before anything is decided on it: what a board shows is durable.
        self.board.reset(snapshot_of(engine))
        self.sequencer.rebuilt(engine, head, self._envelope(self._program) if new_epoch else None)
        self.perform(self.lifecycle.rebuilt())
        self.flush()
        log.info("bank_rebuilt", bank=self.name, seq=head.seq, epoch=head.epoch)

    def _tell(self, items: Sequence[QueuedCommand], seq: int) -> None:
        """Publishes what became durable and was answered: pushes, then meters (WIRE); then flushes.

        Answers leave first: no table waits for a thousand signs.
        """
        self.full = self.sequencer.depth >= QUEUE_MAX or self.lifecycle.draining
        outcomes = [item.outcome for item in items if isinstance(item.outcome, Outcome)]
        if outcomes:
            self.flush()
            self.board.push(outcomes, seq)
            for outcome in outcomes:
                answer = outcome.answer
                if outcome.alarms or type(answer) is not Ack or answer.awards:
                    self.counts.add(self.name, outcome)
            self.flush()

    # What happens to it.

    def perform(self, actions: Iterable[LifecycleAction]) -> None:
        """Performs the actions of a lifecycle change on devices, signs and callers."""
        self.full = self.sequencer.depth >= QUEUE_MAX or self.lifecycle.draining
        if self.board.restand(self.clock.monotonic()):
            self.flush()
        for action in actions:
            if action is LifecycleAction.STAND_BY:
                log.info("bank_standing_by", bank=self.name, reason=self.lifecycle.stopped)
            elif action is LifecycleAction.GIVE_UP:
                log.info("bank_released", bank=self.name)
            elif action is LifecycleAction.STOP:
                for answer in self._asked:
                    if not answer.done():
                        answer.set_exception(BankStopped(self.lifecycle.stopped))
            elif action is LifecycleAction.DISCONNECT:
                for send_away in self.on_stopped:
                    send_away(self)
            elif action is LifecycleAction.ACCEPT_DEVICES:
                for let_in in self.on_opened:
                    let_in(self)

    def flush(self) -> None:
        """Flushes the messages to devices."""
        for call in self.on_durable:
            call()

    def tick(self) -> None:
        """Lets time pass; about ten times a second.

        Once another server may hold the bank, accepted devices are disconnected and sent there, since this
        server may not hear of the takeover. An unexpected error stops the bank.
        """
        try:
            now = self.clock.monotonic()
            self.board.tick(now)
            if actions := self.lifecycle.tick(now):
                log.warning("lease_expired", bank=self.name)
                self.perform(actions)
        except Exception as error:  # noqa: BLE001 - see above
            self.fail(error)

    def fail(self, error: Exception) -> None:
        """Stops the bank for good: a person must look. An unexpected error is reported as `internal`."""
        explained = isinstance(error, LedgerError | InvariantError | ProgramUnproved)
        reason = f"{type(error).__name__}: {error}"
        if self.lifecycle.failed:
            log.error("bank_stopped_again", bank=self.name, reason=reason, kind=(self.name, reason))
            return
        told = reason if explained else f"internal: {reason}"
        actions = self.lifecycle.fail(told)
        if not explained:
            self.counts.alarms["internal"] += 1
        log.critical("bank_stopped", bank=self.name, reason=told, exc_info=None if explained else error)
        try:
            self.perform(actions)
        except Exception as worse:
            log.exception("bank_stop_failed", bank=self.name, exc_info=worse)
