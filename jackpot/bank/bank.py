"""How does the rest of this server deal with a bank? It asks, acts, looks, and is told what becomes of it."""

import asyncio
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from typing import Any, Final, TypeVar

import structlog

from jackpot.bank.counts import Counts
from jackpot.bank.lifecycle import Do, Hold
from jackpot.bank.sequencer import Core, Release
from jackpot.clock import Clock
from jackpot.ledger.store import LedgerError
from jackpot.publish.board import Board
from jackpot.rules.codes import Code
from jackpot.rules.commands import DIGEST_BYTES, Command, Envelope
from jackpot.rules.engine import Engine
from jackpot.rules.invariant import InvariantError
from jackpot.rules.outcome import ActAnswer, Outcome
from jackpot.rules.paytable import LinkTerms
from jackpot.rules.signing import Proof
from jackpot.runtime.errors import ProgramUnproved, ServerError
from jackpot.runtime.service_states import Service

T = TypeVar("T")
log: Final = structlog.get_logger()


# Names alone, which nobody looked up.
UNPROVED: Final = Proof()


class BankStopped(ServerError):
    """The bank is not decided here, now or any more; its text says why."""

    code = Code.BANK_STOPPED


class Desk(ABC):
    """One bank, as this server deals with it. links: what its board will show. core: where it is decided.

    hold: what the bank is in this server. on_durable is called after each commit; on_opened when devices may
    be let in; on_stopped whenever it is seen that they may not.
    """

    core: Core

    def __init__(self, hold: Hold, clock: Clock, links: Iterable[LinkTerms] = ()) -> None:
        self.bank = hold.bank
        self.hold = hold
        self.clock = clock
        self.board = Board(hold.bank, clock, hold)
        self.board.expect(links)
        self.counts = Counts()
        self.on_durable: list[Callable[[], None]] = []
        self.on_opened: list[Callable[[Desk], None]] = []
        self.on_stopped: list[Callable[[Desk], None]] = []
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
        """An act of people, answered once it is durable. digest: under which it is done once alone.

        proof: who signed, in place of names. Raises BankStopped.
        """
        envelope = self._envelope(command, people, digest, proof)
        outcome: Outcome = await self._answered(lambda release: self.submit(envelope, release))
        return outcome.of_act()

    def look(self, question: Callable[[Engine], T], release: Callable[[T], None]) -> None:
        """As `ask`, for a question that cannot fail; `release` is not called where the bank stops first."""
        if self.hold.stopped is None:
            self.core.submit(question, release)

    async def ask(self, question: Callable[[Engine], T]) -> T:
        """Reads the state, answered once what was read is durable (S5). Raises BankStopped, or its error."""

        def guarded(engine: Engine) -> tuple[T | None, Exception | None]:
            try:
                return question(engine), None
            except Exception as error:  # noqa: BLE001 - the asker's mistake is the asker's, not the bank's
                return None, error

        # Nothing is woken: the core answers at once, or has work that is being done already.
        answer, error = await self._answered(lambda release: self.core.submit(guarded, release))
        if error is not None:
            raise error
        return answer  # type: ignore[no-any-return]

    async def _answered(self, submit: Callable[[Release], None]) -> Any:
        if (stopped := self.hold.stopped) is not None:
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
        """What a device of the bank finds here."""
        return self.hold.service

    @property
    def active(self) -> bool:
        """Whether commands are being decided and made durable."""
        return self.hold.trusted(self.clock.monotonic())

    @property
    def epoch(self) -> int:
        """The epoch in which the bank is written."""
        return self.core.epoch

    @property
    def full(self) -> bool:
        """Whether the queue can take no more commands."""
        return self.core.full

    def statistics(self) -> dict[str, Any]:
        """Its counts since the start, and where it stands now; links as they may be shown."""
        return {
            "bank": self.bank,
            "active": self.active,
            "stopped": self.hold.failed,
            "standby": self.hold.elsewhere,
            "links": {link: self.board.state(link)[0] == "active" for link in self.board.links},
            **vars(self.counts),
            **self.core.statistics(),
        }

    def carry_out(self, what: Iterable[Do]) -> None:
        """Tells devices, signs and askers what follows from a change of the hold."""
        if self.board.restand():
            self.flush()
        for each in what:
            if each is Do.STAND_BY:
                log.info("standing_by", bank=self.bank, reason=self.hold.stopped)
            elif each is Do.GIVE_UP:
                log.info("bank_given_up", bank=self.bank)
            elif each is Do.STOP:
                for answer in self._asked:
                    if not answer.done():
                        answer.set_exception(BankStopped(self.hold.stopped))
            elif each is Do.SEND_AWAY:
                for send_away in self.on_stopped:
                    send_away(self)
            elif each is Do.LET_IN:
                for let_in in self.on_opened:
                    let_in(self)

    def flush(self) -> None:
        """Lets all that was said to devices leave."""
        for call in self.on_durable:
            call()

    def tick(self) -> None:
        """Lets time pass; about ten times a second.

        Once another server may hold the bank, devices that were let in are sent there: this one may not hear
        of it. An error that nobody can explain stops the bank.
        """
        try:
            self.board.tick()
            if what := self.hold.tick(self.clock.monotonic()):
                log.warning("lease_lapsed", bank=self.bank)
                self.carry_out(what)
        except Exception as error:  # noqa: BLE001 - see above
            self.fail(error)

    def fail(self, error: Exception) -> None:
        """Stops for good: a person must look. What no check of ours has found is named `internal`."""
        explained = isinstance(error, LedgerError | InvariantError | ProgramUnproved)
        reason = f"{type(error).__name__}: {error}"
        if self.hold.failed:
            log.error("bank_stopped_again", bank=self.bank, reason=reason, kind=(self.bank, reason))
            return
        told = reason if explained else f"internal: {reason}"
        what = self.hold.fail(told)
        if not explained:
            self.counts.alarms["internal"] += 1
        log.critical("bank_stopped", bank=self.bank, reason=told, exc_info=None if explained else error)
        try:
            self.carry_out(what)
        except Exception as worse:
            log.exception("bank_stopped_untold", bank=self.bank, exc_info=worse)
