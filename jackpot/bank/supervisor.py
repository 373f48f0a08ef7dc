"""Supervisor of a bank: passes ledger events to the `lifecycle` and performs its actions.

A server that is alone on a ledger takes its banks at once. One of several watches each bank's head and takes
a bank that is free. It watches again once another server has the bank, or an operator has handed it over.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from math import inf
from typing import Any, Final

import structlog

from jackpot.bank.bank import Bank, BankStopped
from jackpot.bank.lifecycle import BEAT_S, HEIR_WITHIN_S, LOOK_S, Lease, LifecycleAction
from jackpot.ledger.banks import UNFINISHED_COPY
from jackpot.ledger.journal import Head
from jackpot.ledger.store import CommitInDoubt, Fenced, LedgerError, LedgerUnusable

# A ledger that does not answer a standby is asked again so often: it costs one connection.
RETRY_S: Final = 1.0

log: Final = structlog.get_logger()


class _PendingHandOver:
    """A hand-over in progress, awaited by an operator.

    given_up: whether the ledger says that the bank is free. heir: the server that took it, "" if it came
    back.
    """

    def __init__(self) -> None:
        loop = asyncio.get_running_loop()
        self.given_up: asyncio.Future[bool] = loop.create_future()
        self.heir: asyncio.Future[str] = loop.create_future()


class BankSupervisor:
    """Supervises one bank in one server through the states of `lifecycle`.

    At its start, a server that knows of no other takes the bank at once. on_taken: runs after a takeover,
    before devices are accepted. waits: for how many seconds a free bank is left to others now. start: runs a
    task next to this one.
    """

    def __init__(
        self,
        bank: Bank,
        *,
        waits: Callable[[], float],
        start: Callable[[Coroutine[Any, Any, None]], asyncio.Task[None]],
        on_taken: Callable[[Bank], Awaitable[None]],
    ) -> None:
        self.bank = bank
        self.lifecycle = bank.lifecycle
        self._store = bank.store
        self._clock = bank.clock
        self._alone = not bank.lifecycle.others
        self._waits = waits
        self._start = start
        self._on_taken = on_taken
        self._patient_until = -inf
        self._ended = asyncio.Event()
        self._handing: _PendingHandOver | None = None
        self._settled: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def settled(self) -> None:
        """Returns once the bank is held here, or watched. Raises the error of the first attempt to take
        it.
        """
        await self._settled

    def end(self) -> None:
        """Lets `run` return once what was decided is durable and the bank is free for others."""
        self._ended.set()
        self.bank.end()

    async def hand_over(self) -> str:
        """Gives the bank up once all decided rows are durable. Returns the name of the server that took it.

        Raises BankStopped where it is not held here, or nobody else could take it, or did.
        """
        if (stopped := self.lifecycle.stopped) is not None:
            raise BankStopped(stopped)
        if not self._store.shared:
            raise BankStopped("a ledger in SQLite has one server")
        handing = self._handing = self._handing or _PendingHandOver()
        self.bank.end(hand_over=True)
        await asyncio.wait((handing.given_up,))
        if not handing.given_up.result():
            raise BankStopped(
                f"{self.bank.name} was not given up in the ledger: other servers wait until it lapses"
            )
        await asyncio.wait((handing.heir,), timeout=HEIR_WITHIN_S)
        if not handing.heir.done():
            raise BankStopped(f"{self.bank.name} was given up, and the ledger does not say who has it now")
        if not handing.heir.result():
            raise BankStopped(f"no other server took {self.bank.name}: this one has it again")
        return handing.heir.result()

    def _given_up(self, *, free: bool) -> None:
        """The bank is not held by this server any more. free: another server may take it at once."""
        if self._handing is not None and not self._handing.given_up.done():
            self._handing.given_up.set_result(free)
            if not free:
                self._handing = None

    def _inherited(self, holder: str) -> None:
        """A server has taken the bank that was handed over; "" if it came back here."""
        if self._handing is not None and self._handing.given_up.done():
            self._handing.heir.set_result(holder)
            self._handing = None

    def look(self) -> Lease:
        """Status of the bank: its holder as last seen, and its state here; works without a ledger."""
        return self.lifecycle.look(self.bank.sequencer.durable_seq, self._clock.monotonic())

    async def run(self) -> None:
        """Holds the bank whenever it may, until `end`; one that cannot be held at all is stopped for good."""
        bank, at_once = self.bank, self._alone
        while not self._ended.is_set() and not self.lifecycle.failed:
            try:
                seen = None
                if at_once := at_once and not await self._at_work():
                    self.lifecycle.take()
                else:
                    seen = await self._until_free()
                if at_once or seen is not None:
                    at_once = False
                    await self._take(seen)
            except Fenced as error:
                log.info("bank_taken_over", bank=self.bank.name, reason=str(error))
                bank.perform(self.lifecycle.fenced())
            except CommitInDoubt as error:
                if self._alone:
                    self._refuse(error)
                await self._recover(error)
            except BankStopped as error:
                self._refuse(error)
            except Exception as error:  # noqa: BLE001 - also what nobody can explain stops this bank alone
                self._refuse(error)
                bank.fail(error)
            finally:
                self._given_up(free=False)

    async def _at_work(self) -> bool:
        """Whether an unknown server seems to hold the bank: its connection stands."""
        if not self._store.shared or not (await self._store.head(self.bank.name)).holder:
            return False
        return await self._store.held(self.bank.name)

    def _settle(self) -> None:
        if not self._settled.done():
            self._settled.set_result(None)

    def _refuse(self, error: Exception) -> None:
        """At the start of the server the error is raised to its operator, and `run` ends."""
        if not self._settled.done():
            self._settled.set_exception(error)
            self._ended.set()

    async def _until_free(self) -> Head | None:
        """Watches until the bank may be taken here. Returns the head as seen then; None if `end` comes first.

        Raises CommitInDoubt.
        """
        while not self._ended.is_set() and not self.lifecycle.failed:
            head = await self._store.head(self.bank.name)
            held = await self._store.held(self.bank.name)
            now = self._clock.monotonic()
            actions = self.lifecycle.seen(head, held=held, now=now, waits=self._waits())
            if LifecycleAction.WENT_BACK in actions and self.lifecycle.furthest is not None:
                log.error(
                    "ledger_rolled_back", bank=self.bank.name, seq=head.seq, was=self.lifecycle.furthest.seq
                )
            if head.holder not in {"", self.lifecycle.own}:
                self._inherited(head.holder)
            self.bank.perform(actions)
            if LifecycleAction.TAKE in actions:
                return head
            self._settle()
            await self._pause(LOOK_S)
        return None

    async def _take(self, expected: Head | None) -> None:
        """Takes the bank, checks it whole (S3), writes it until that ends, and leaves it free if it may.

        expected: the one that it is taken on: where that has moved since, another server is at work (Fenced).
        """
        bank = self.bank
        if (expected or await self._store.head(self.bank.name)).holder == UNFINISHED_COPY:
            raise LedgerUnusable(
                f"bank {self.bank.name} is a copy that was interrupted: jackpot ledger copy goes on with it"
            )
        epoch = await bank.recovery.take(expected)
        self._inherited("")
        async with self._beating(epoch):
            engine, head = await bank.recovery.whole(epoch, self.lifecycle.furthest)
        if into := engine.state.closed_into:
            raise LedgerUnusable(
                f'bank {self.bank.name} was joined: write bank = "{into}" on its links in the configuration'
            )
        engine.new_epoch(int(self._clock.monotonic() * 1000))
        log.info("ledger_checked", bank=self.bank.name, seq=head.seq, epoch=head.epoch, hash=head.hash.hex())
        bank.begin(engine, head)
        bank.perform(self.lifecycle.checked())
        await self._write()

    async def _write(self) -> None:
        """Writes the bank until that ends, and gives it up if it may. Raises BankStopped."""
        if self.lifecycle.failed:
            raise BankStopped(self.lifecycle.stopped)
        bank = self.bank
        writing = self._start(bank.run())
        opening = self._start(self._open())
        if self._ended.is_set():
            bank.end()
        try:
            await asyncio.wait((opening, writing), return_when=asyncio.FIRST_COMPLETED)
            if opening.done():
                await opening
            await asyncio.wait((writing,))
        except asyncio.CancelledError:
            writing.cancel()
            raise
        finally:
            bank.end()
            opening.cancel()
            await asyncio.wait((opening, writing))
        if self.lifecycle.failed:
            raise BankStopped(self.lifecycle.stopped)
        if self.lifecycle.stopped is None:
            await self._release()

    async def _open(self) -> None:
        """Accepts devices once configuration and journal agree; not if the bank is lost meanwhile."""
        while True:
            try:
                await self._on_taken(self.bank)
                break
            except CommitInDoubt as error:  # the bank recovers from it, and it is done again
                log.warning("ledger_unavailable", bank=self.bank.name, retry_s=RETRY_S, reason=str(error))
            except BankStopped:
                return  # the bank's end says why
            except LedgerError as error:
                self.bank.fail(error)
                self.bank.end()
                return
            await self._pause(RETRY_S)
            if self._ended.is_set():
                return
        self.bank.perform(self.lifecycle.agreed())
        self._settle()

    async def _release(self) -> None:
        """Releases the lease, after everything decided is durable; another server may take the bank at
        once.
        """
        self.bank.perform(self.lifecycle.drained())
        if not self._store.shared:
            return  # its file is free for others once this server has closed it
        try:
            await self._store.release(self.bank.name, self.bank.sequencer.epoch)
            self._given_up(free=True)
        except (CommitInDoubt, Fenced) as error:
            log.warning("bank_not_released", bank=self.bank.name, reason=str(error))
        self.bank.perform(self.lifecycle.released())

    @asynccontextmanager
    async def _beating(self, epoch: int) -> AsyncIterator[None]:
        """Moves the head during a long check, so that other servers see that this one lives."""
        done = asyncio.Event()

        async def beat() -> None:
            while not done.is_set():
                with suppress(TimeoutError):
                    async with asyncio.timeout(BEAT_S):
                        await done.wait()
                        return
                with suppress(CommitInDoubt, Fenced):  # who reads the ledger finds out too
                    await self._store.beat(self.bank.name, epoch)

        if not self._store.shared:
            yield
            return
        beating = self._start(beat())
        try:
            yield
        finally:
            done.set()
            await asyncio.wait((beating,))

    async def _recover(self, error: CommitInDoubt) -> None:
        """Reconnects, at once or after a pause; the bank stays with its holder."""
        log.warning("ledger_unavailable", bank=self.bank.name, retry_s=RETRY_S, reason=str(error))
        self.bank.perform(self.lifecycle.lost())
        if not self._alone:
            self._settle()
        if self._clock.monotonic() < self._patient_until:
            await self._pause(RETRY_S)
        while not self._ended.is_set():
            self._patient_until = self._clock.monotonic() + 2 * RETRY_S
            with suppress(CommitInDoubt):
                await self._store.recover()
                return
            await self._pause(RETRY_S)

    async def _pause(self, seconds: float) -> None:
        """Sleeps, until `end` at the latest."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._ended.wait()
