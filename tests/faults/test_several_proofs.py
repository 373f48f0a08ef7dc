"""Mutation tests: the simulator finds planted bugs among several servers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from random import Random
from typing import Any

import msgspec
import pytest

from jackpot import app
from jackpot.bank.bank import Bank
from jackpot.bank.lifecycle import HELD, SURE, BankLifecycle, HeadWatch, LifecycleAction, LifecycleState
from jackpot.bank.recovery import Recovery
from jackpot.bank.supervisor import BankSupervisor
from jackpot.ledger.journal import Head, Row
from jackpot.ledger.sqlite.store import SqliteLedger
from jackpot.ledger.store import CommitInDoubt, Fenced
from jackpot.publish.redis_follower import RedisFollower
from jackpot.publish.redis_relay import BEAT_S, RedisRelay, RelayedState
from tests.faults import proofs
from tests.faults.places import SERVERS
from tests.faults.plan import Fault
from tests.faults.reach import wait_out
from tests.faults.relays import FalseRedis

# Rounds within which each bug is found, on one of the seeds.
ROUNDS = 400
SEEDS = range(12)
# Rounds between the faults of a run with few kinds of them.
EVERY_ROUNDS = 8
# Between a standby's look at a bank and its taking of it.
TAKES_S = 0.5


def found(*words: str, kinds: tuple[str, ...] = (), within_s: float = 5.0, first: int | None = None) -> None:
    """Asserts that the run fails on one of the seeds and says one of these.

    kinds: the only faults, all of them again and again; the first at once, the others within so many seconds.
    """
    plan = partial(dense, kinds, within_s) if kinds else None
    proofs.found(*words, seeds=SEEDS, rounds=ROUNDS, plan=plan, ground=SERVERS, first=first)


def dense(kinds: tuple[str, ...], within_s: float, seed: int) -> list[Fault]:
    random = Random(f"{seed}/dense")
    return [
        Fault(at, kind, random.random(), within_s * random.random() if number else 0.0)
        for at in range(5, ROUNDS, EVERY_ROUNDS)
        for number, kind in enumerate(kinds)
    ]


def test_an_append_without_its_fence_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """DESIGN, ledger: an old holder that wakes up writes nothing."""
    right = SqliteLedger.append

    def append(ledger: SqliteLedger, bank: str, _epoch: int, before: int, rows: Sequence[Row]) -> None:
        right(ledger, bank, ledger.head(bank).epoch, before, rows)

    monkeypatch.setattr(SqliteLedger, "append", append)
    found("who has the bank", kinds=("freeze", "cut_ledger"), first=8)


def test_a_release_without_its_fence_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """DESIGN, lease: an old holder that ends does not free another's bank."""
    right = SqliteLedger.release

    def release(ledger: SqliteLedger, bank: str, _epoch: int) -> None:
        right(ledger, bank, ledger.head(bank).epoch)

    monkeypatch.setattr(SqliteLedger, "release", release)
    found("who has the bank", kinds=("cut_tables", "freeze", "stop"), within_s=0.2, first=1)


@pytest.mark.parametrize("limit", ["TAKEOVER_S", "GONE_S"])
def test_a_standby_that_takes_too_early_is_found(monkeypatch: pytest.MonkeyPatch, limit: str) -> None:
    """DESIGN, lease: nobody takes the bank from a holder that may still show it."""
    monkeypatch.setattr(f"jackpot.bank.lifecycle.{limit}", 1.0)
    found("stand for", "both show", first=5)


def test_a_bank_taken_whatever_has_happened_since_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """DESIGN, lease: a holder that wakes while a standby is about to take its bank keeps it."""
    right = BankSupervisor._take

    async def take(self: BankSupervisor, _seen: Head | None) -> None:
        await wait_out(
            TAKES_S
        )  # a busy machine's moment, in which a holder wakes up often enough to be found
        await right(self, None)

    monkeypatch.setattr(BankSupervisor, "_take", take)
    words = ("stand for", "the epoch of the bank that is taken", "both show")
    found(*words, kinds=("freeze", "freeze"), within_s=3.5, first=2)


def test_a_bank_shown_until_it_is_known_to_be_free_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """DESIGN, lease: another may have the bank before this server hears that it is free.

    Nothing is shown of a bank that drains, so that this cannot come about; without that it is found.
    """

    async def release(self: BankSupervisor) -> None:
        try:
            await self._store.release(self.bank.name, self.bank.sequencer.epoch)
            self._given_up(free=True)
        except (CommitInDoubt, Fenced):
            pass  # others wait until it has lapsed
        self.bank.perform(self.lifecycle.drained())
        self.bank.perform(self.lifecycle.released())

    monkeypatch.setattr(BankSupervisor, "_release", release)
    monkeypatch.setattr("jackpot.bank.lifecycle.SURE", SURE | {LifecycleState.DRAINING})
    found("after its lease has lapsed", "both show")


def test_a_lease_counted_from_its_answer_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """DESIGN, lease: it holds from when the ledger was asked, for the answer may have taken long."""
    right = BankLifecycle.acknowledged

    def acknowledged(lifecycle: BankLifecycle, _began: float, now: float) -> tuple[LifecycleAction, ...]:
        return right(lifecycle, now, now)

    monkeypatch.setattr(BankLifecycle, "acknowledged", acknowledged)
    found("after its lease has lapsed", "both show", kinds=("call_slow", "cut_ledger"))


def test_a_board_without_the_lease_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """DESIGN, lease: a frozen server that wakes up shows nothing."""
    monkeypatch.setattr(BankLifecycle, "leased", lambda lifecycle, _now: lifecycle.state in HELD)
    monkeypatch.setattr(BankLifecycle, "trusted", lambda lifecycle, _now: lifecycle.state in SURE)
    found("after its lease has lapsed", "both show")


def test_a_relay_fed_without_the_lease_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """DESIGN, signage: Redis is fed by the active server only, while its lease is fresh."""

    def publisher(shown: Any, urls: Any, clock: Any, _allowed: Callable[[], bool], signs: Any) -> RedisRelay:
        return RedisRelay(shown, urls, clock, lambda: True, signs)

    monkeypatch.setattr(app, "RedisRelay", publisher)
    found("feeds Redis", "long been durable")


def test_answers_to_what_was_fenced_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """S5: a server that lost its bank answers nothing that it could not write."""
    right = Bank._write_next

    async def write(bank: Bank) -> bool:
        try:
            return await right(bank)
        except Fenced:
            bank.sequencer.committed()
            raise

    monkeypatch.setattr(Bank, "_write_next", write)
    found("which is acknowledged", "before its row", kinds=("freeze", "cut_ledger"))


def test_a_doubt_without_a_new_epoch_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """DESIGN 4: first a new epoch, then a look: what was on its way may still arrive."""

    async def again(recovery: Recovery) -> Any:
        lifecycle, sequencer = recovery._bank.lifecycle, recovery._bank.sequencer
        if lifecycle.in_doubt:
            await recovery._store.recover()
            lifecycle._new_epoch = True
        engine, head = await recovery.whole(sequencer.epoch)
        engine.go_on(sequencer.engine)
        return engine, head

    monkeypatch.setattr(Recovery, "again", again)
    found("is fenced though", "whether a program begins", kinds=("call_late", "call_late"))


def test_an_epoch_that_is_another_s_by_now_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """DESIGN, lease: an epoch is one server's; a server that reads another's does not write in it."""
    monkeypatch.setattr("jackpot.bank.recovery.still_own", lambda *_: None)
    found("whose epoch", "who has the bank", "both show", kinds=("kill", "freeze", "freeze"), first=0)


def test_a_standby_that_never_takes_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """DESIGN, lease: a server that dies is replaced within seconds."""
    right = HeadWatch.free

    def free(watch: HeadWatch, head: Head, **how: Any) -> bool:
        return right(watch, head, **how) and not head.holder

    monkeypatch.setattr(HeadWatch, "free", free)
    found("nobody serves the floor")


def test_a_script_that_compares_nothing_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """DESIGN, signage: a deposed server's late message is refused."""
    monkeypatch.setattr(FalseRedis, "newer", lambda *_: True)
    found("Redis takes", kinds=("message_late", "freeze"))


def test_a_follower_that_goes_back_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """DESIGN, signage: never an older value over a newer one."""
    right = RedisFollower._hear

    def hear(follower: RedisFollower, said: Any, age: float) -> None:
        follower.rev = min(follower.rev, said.rev)
        right(follower, said, age)

    monkeypatch.setattr(RedisFollower, "_hear", hear)
    found("goes back", kinds=("redis_fail_over",))


def test_a_follower_that_sees_no_gap_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """DESIGN, signage: a gap fetches the snapshot."""

    async def listen(follower: RedisFollower, redis: Any, channel: Any) -> None:
        message = await channel.get_message(timeout=BEAT_S)
        if message is not None and message["type"] == "ssubscribe":
            await follower._read(redis)
        elif message is not None:
            follower._hear(msgspec.json.decode(message["data"], type=RelayedState), 0.0)

    monkeypatch.setattr(RedisFollower, "_listen", listen)
    found(" sees ", kinds=("message_lost", "message_lost", "kill"), first=5)


def test_a_follower_that_never_doubts_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """DESIGN, signage: a fault where Redis or the server's heartbeat is gone."""
    monkeypatch.setattr(RedisFollower, "fresh", property(lambda follower: follower.rev[0] >= 0))
    found("as good", "long been durable", kinds=("cut_screen", "kill", "kill"), first=0)
