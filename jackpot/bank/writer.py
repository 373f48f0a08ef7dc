"""Writes the batches of a bank into its ledger: the asyncio shell of the sequencer.

One task drains the sequencer into a store, without a timer: while one transaction is flushed the next batch
gathers. A commit in doubt suspends every link at once. Then the bank is recovered from its ledger
(`recovery`), and what waits is decided again.
"""

import asyncio
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Final

import structlog

from controllers.answers import Ack, Hit, WaitingHit
from jackpot.bank.bank import Bank, BankStopped
from jackpot.bank.lifecycle import BankLifecycle
from jackpot.bank.recovery import Recovery
from jackpot.bank.sequencer import QueuedCommand, Release, Sequencer
from jackpot.clock import Clock
from jackpot.ledger.journal import Head, genesis
from jackpot.ledger.store import CommitInDoubt, DataRefused, Fenced, Store
from jackpot.rules import views
from jackpot.rules.acts.programs import BeginProgram
from jackpot.rules.commands import Envelope
from jackpot.rules.effects import Map
from jackpot.rules.engine import Engine
from jackpot.rules.outcome import Outcome
from jackpot.rules.outgoing_messages import hit_push, jackpots
from jackpot.rules.paytable import LinkTerms

# DESIGN: a holder without an acknowledged commit for 2 s suspends its tables; the commit itself goes on.
SLOW_COMMIT_S: Final = 2.0
# A ledger that still takes nothing is looked at again after these pauses: soon, then seldom enough not to
# load a struggling disk or use up epochs.
RETRY_FIRST_S: Final = 0.1
RETRY_MOST_S: Final = 5.0

log: Final = structlog.get_logger()


def face(engine: Engine) -> tuple[list[Map], list[Hit], int, dict[str, tuple[WaitingHit, ...]]]:
    """Arguments of a board for a state: links, the last hits by age, seq, and waiting awards by link (S7).

    Signs were told the hits of a bank that became this one when that bank made them.
    """
    state = engine.state
    shown = [
        (past.seq, hit_push(state.bank, link, level.terms.level, past))
        for link in state.links
        for level in link.levels
        for past in level.shown
        if past.seq
    ]
    hits = [hit for _, hit in sorted(shown, key=lambda pair: pair[0])]
    waiting = {link.terms.link: jackpots(state, link.number) for link in state.links}
    return views.statistics(engine)["links"], hits, state.seq, waiting


class Writer(Bank):
    """Writer of one bank: its sequencer and its store. It decides nothing until `begin`.

    It reports each commit to `lifecycle`. program: the version that begins each epoch here.
    """

    def __init__(
        self,
        lifecycle: BankLifecycle,
        store: Store,
        clock: Clock,
        program: BeginProgram,
        links: Iterable[LinkTerms] = (),
    ) -> None:
        super().__init__(lifecycle, clock, links)
        self._program = program
        self.sequencer = Sequencer(
            Engine(self.name), Head(self.name, 0, 0, genesis(self.name), "", 0), self._tell
        )
        self.store = store
        self.recovery = Recovery(self, store)
        self._pause = 0.0
        self._wake = asyncio.Event()

    def begin(self, engine: Engine, head: Head) -> None:
        """Starts deciding, on a state that the ledger holds."""
        self.sequencer = Sequencer(engine, head, self._tell)
        self._pause = 0.0
        self.board.reset(*face(engine))
        self.sequencer.begin(self._envelope(self._program))

    async def refresh(self) -> None:
        """Adds links that were opened since to the board; only while nobody else submits. Raises
        BankStopped.
        """
        self.board.reset(*await self.ask(face))

    @property
    def full(self) -> bool:
        """Whether the queue is full, or is being drained for the end."""
        return self.sequencer.full or self.lifecycle.draining

    def submit(self, envelope: Envelope, release: Release) -> None:
        """As `Bank.submit`."""
        if (stopped := self.lifecycle.stopped) is not None:
            raise BankStopped(stopped)
        self.sequencer.submit(envelope, release)
        self._wake.set()

    def end(self, *, hand_over: bool = False) -> None:
        """Lets `run` return once nothing waits; in doubt at once, for nobody knows how long that lasts.

        hand_over: as in `BankLifecycle.ending`.
        """
        if self.lifecycle.stopped is None:
            self.carry_out(self.lifecycle.ending(hand_over=hand_over))
        self._wake.set()

    async def run(self) -> None:
        """Writes until `end`, or until another server takes the bank; what cannot go on stops for good."""
        try:
            await self._run()
        except Fenced as error:
            log.warning("fenced", bank=self.name, reason=str(error))
            self.carry_out(self.lifecycle.fenced())
        except Exception as error:  # noqa: BLE001 - also what nobody can explain stops this bank, and it alone
            self.fail(error)

    async def _run(self) -> None:
        while True:
            lost, draining = self.lifecycle.stopped is not None, self.lifecycle.draining
            if self.sequencer.broken:
                if lost or (draining and self.lifecycle.in_doubt):
                    return
                await self._recover()
            elif not await self._write_next():
                if (lost or draining) and not self.sequencer.depth:
                    return
                await self._idle()

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
            self._acknowledged(began)
        except CommitInDoubt as error:
            self._doubt(error)

    def _acknowledged(self, began: float) -> None:
        """Reports to the lifecycle that a commit or beat sent at `began` is durable."""
        self._pause = 0.0
        self.carry_out(self.lifecycle.acknowledged(began, self.clock.monotonic()))

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
            took = self.clock.monotonic() - began
            self._acknowledged(began)
            self.sequencer.committed()
            self.counts.commits.observe(took)
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

    def _slow(self) -> None:
        self.counts.slow_commits += 1
        log.error("commit_slow", bank=self.name, seconds=SLOW_COMMIT_S)
        self.carry_out(self.lifecycle.slow())

    def _doubt(self, error: CommitInDoubt) -> None:
        log.error(
            "commit_in_doubt", bank=self.name, durable_seq=self.sequencer.durable_seq, reason=str(error)
        )
        self.counts.doubts += 1
        self.sequencer.failed()
        self.carry_out(self.lifecycle.doubted())

    async def _recover(self) -> None:
        """Tries once to rebuild the state from the ledger, with growing pauses while nothing becomes durable.

        Raises LedgerError where that is impossible.
        """
        if self.lifecycle.in_doubt:
            await asyncio.sleep(self._pause)
            self._pause = min(max(2 * self._pause, RETRY_FIRST_S), RETRY_MOST_S)
        new_epoch = self.lifecycle.in_doubt
        try:
            engine, head = await self.recovery.again()
        except CommitInDoubt as error:
            self.carry_out(self.lifecycle.doubted())
            log.warning("ledger_unavailable", bank=self.name, reason=str(error))
            return
        if head.seq > self.sequencer.durable_seq:
            self._pause = 0.0  # the batch in doubt was durable
        self.board.reset(*face(engine))  # before anything is decided on it: what a board shows is durable
        self.sequencer.rebuilt(engine, head, self._envelope(self._program) if new_epoch else None)
        self.carry_out(self.lifecycle.rebuilt())
        self.flush()
        log.info("rebuilt", bank=self.name, seq=head.seq, epoch=head.epoch)

    def _tell(self, items: Sequence[QueuedCommand], seq: int) -> None:
        """Publishes what became durable and was answered: pushes, then meters (WIRE); then flushes.

        Answers leave first: no table waits for a thousand signs.
        """
        outcomes = [item.outcome for item in items if isinstance(item.outcome, Outcome)]
        if outcomes:
            self.flush()
            self.board.push(outcomes, seq)
            for outcome in outcomes:
                answer = outcome.answer
                if outcome.alarms or type(answer) is not Ack or answer.awards:
                    self.counts.add(self.name, outcome)
            self.flush()
