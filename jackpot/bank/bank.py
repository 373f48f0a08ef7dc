"""Interface of a bank to the rest of the server: submit, act, ask, look, and notifications."""

import asyncio
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from typing import Any, Final, TypeVar

import structlog

from jackpot.bank.counts import Counts
from jackpot.bank.lifecycle import BankLifecycle, LifecycleAction
from jackpot.bank.sequencer import Release, Sequencer
from jackpot.clock import Clock
from jackpot.ledger.store import LedgerError
from jackpot.publish.board import BoardPublisher
from jackpot.rules.codes import Code
from jackpot.rules.commands import DIGEST_BYTES, Command, Envelope
from jackpot.rules.engine import Engine
from jackpot.rules.invariant import InvariantError
from jackpot.rules.outcome import ActAnswer, Outcome
from jackpot.rules.paytable import LinkTerms
from jackpot.rules.signing import Proof
from jackpot.runtime.errors import ProgramUnproved, ServerError
from jackpot.runtime.service import Service

T = TypeVar("T")
log: Final = structlog.get_logger()


# Names alone, which nobody looked up.
UNPROVED: Final = Proof()


class BankStopped(ServerError):
    """The bank does not take commands in this server, now or for good; the text says why."""

    code = Code.BANK_STOPPED


class Bank(ABC):
    """One bank, as the rest of the server uses it. links: those on its board. sequencer: decides it.

    lifecycle: the bank's state in this server. on_durable is called after each commit; on_opened when devices
    may be accepted; on_stopped when they may not be accepted any more.
    """

    sequencer: Sequencer

    def __init__(self, lifecycle: BankLifecycle, clock: Clock, links: Iterable[LinkTerms] = ()) -> None:
        self.name = lifecycle.bank
        self.lifecycle = lifecycle
        self.clock = clock
        self.board = BoardPublisher(lifecycle.bank, clock, lifecycle)
        self.board.expect(links)
        self.counts = Counts()
        self.on_durable: list[Callable[[], None]] = []
        self.on_opened: list[Callable[[Bank], None]] = []
        self.on_stopped: list[Callable[[Bank], None]] = []
        self._asked: set[asyncio.Future[Any]] = set()

    @abstractmethod
    def submit(self, envelope: Envelope, release: Release) -> None:
        """Decides a command at its place in the order; `release(outcome)` comes once it is durable.

        It never comes where the bank stops first, which `on_stopped` tells. Raises BankStopped.
        """

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

    @property
    def full(self) -> bool:
        """Whether the queue can take no more commands."""
        return self.sequencer.full

    def statistics(self) -> dict[str, Any]:
        """Counters since the start, and the current state; links as they may be shown."""
        return {
            "bank": self.name,
            "active": self.active,
            "stopped": self.lifecycle.failed,
            "standby": self.lifecycle.elsewhere,
            "links": {link: self.board.state(link)[0] == "active" for link in self.board.links},
            **vars(self.counts),
            **self.sequencer.statistics(),
        }

    def carry_out(self, what: Iterable[LifecycleAction]) -> None:
        """Performs the actions of a lifecycle change on devices, signs and callers."""
        if self.board.restand():
            self.flush()
        for each in what:
            if each is LifecycleAction.STAND_BY:
                log.info("standing_by", bank=self.name, reason=self.lifecycle.stopped)
            elif each is LifecycleAction.GIVE_UP:
                log.info("bank_given_up", bank=self.name)
            elif each is LifecycleAction.STOP:
                for answer in self._asked:
                    if not answer.done():
                        answer.set_exception(BankStopped(self.lifecycle.stopped))
            elif each is LifecycleAction.DISCONNECT:
                for send_away in self.on_stopped:
                    send_away(self)
            elif each is LifecycleAction.ACCEPT_DEVICES:
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
            self.board.tick()
            if what := self.lifecycle.tick(self.clock.monotonic()):
                log.warning("lease_lapsed", bank=self.name)
                self.carry_out(what)
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
        what = self.lifecycle.fail(told)
        if not explained:
            self.counts.alarms["internal"] += 1
        log.critical("bank_stopped", bank=self.name, reason=told, exc_info=None if explained else error)
        try:
            self.carry_out(what)
        except Exception as worse:
            log.exception("bank_stopped_untold", bank=self.name, exc_info=worse)
