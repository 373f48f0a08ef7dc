"""Does the whole hold together when everything fails? One seeded loop over the real parts in a false world.

    python -m tests.faults --seed 7 --rounds 5000
    python -m tests.faults --postgres --seed 7 --rounds 5000

Real: engine, sequencer core, writer, board, device shells and sessions on both sides, the ledger, PostgreSQL.
False: time, network, SQLite's disk, cards, people. At every step an independent model says what must have
happened (`witness`).
"""

from __future__ import annotations

import contextlib
import traceback
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, Final

from jackpot.ledger.store import Fenced, Ledger, LedgerCorrupt, LedgerError
from jackpot.ledger.verify import verify
from jackpot.rules import commands
from jackpot.rules.invariant import InvariantError
from jackpot.rules.outcome import Outcome
from tests.faults.devices import Sign
from tests.faults.floor import Table
from tests.faults.house import BANK, HOUSES
from tests.faults.network import Timeline, Weather, Wire
from tests.faults.people import Person
from tests.faults.places import DISKS, Ground, Killed
from tests.faults.plan import Fault, plan_of
from tests.faults.repeat import repeatable
from tests.faults.server import Process, keys
from tests.faults.witness import Difference, Witness, same

TICK_S: Final = 0.1
# Simulated seconds without a durable row after which the floor is said to stand still.
STILL_S: Final = 400.0
# The notes that a failure prints.
NOTES: Final = 60
# Runs that shortening may take.
SHRINKS: Final = 40
# 2026-01-01, the simulated day.
EPOCH_MS: Final = 1_767_225_600_000

WRONG: Final = (
    Difference,
    InvariantError,
    LedgerCorrupt,
    AssertionError,
    ValueError,
    KeyError,
    AttributeError,
    TypeError,
)


class FalseClock:
    """The server's clock: the timeline's, and a wall clock that steps."""

    def __init__(self, timeline: Timeline) -> None:
        self._timeline = timeline
        self.step_ms = 0

    def unix_ms(self) -> int:
        return EPOCH_MS + self.step_ms + int(self._timeline.now * 1000)

    def monotonic(self) -> float:
        return self._timeline.now


@dataclass(frozen=True)
class Failure:
    """What went wrong, and how to see it again."""

    seed: int
    rounds: int
    plan: tuple[Fault, ...]
    at_round: int
    at_row: int
    reason: str
    notes: tuple[str, ...]
    ground: Ground
    racing: int

    def __str__(self) -> str:
        faults = " ".join(map(str, self.plan)) or "none"
        again = f"python -m tests.faults {self.ground.option} --seed {self.seed} --rounds {self.rounds}"
        return "\n".join(
            [
                f"seed {self.seed}, round {self.at_round}, row {self.at_row}: {self.reason}",
                f"again: {' '.join(again.split())}" + (" (perhaps: it held a race)" if self.racing else ""),
                f"faults left after shortening: {faults}",
                "the last of its history:",
                *(f"  {note[:400]}" for note in self.notes),
            ]
        )


class Simulation:
    """One run: `run` until so many rounds have ended, then let everything come to rest and check it whole."""

    def __init__(self, seed: int, rounds: int, plan: list[Fault], folder: Path, ground: Ground) -> None:
        self.seed = seed
        self.rounds = rounds
        self.timeline = Timeline()
        self.clock = FalseClock(self.timeline)
        self.weather = Weather()
        self.house = HOUSES[seed % len(HOUSES)]
        self.poison: set[bytes] = set()
        self.notes: deque[str] = deque(maxlen=NOTES)
        self.injected: Counter[str] = Counter()
        self.witness = Witness(self.house, self.poison, self.note)
        self.process: Process | None = None
        self.place = ground.place(folder, self.random("disk"), self.timeline, self.note, self._recovering)
        self._faults = self.random("faults")
        self._plan = deque(plan)
        self._progress = (0, 0.0)
        self.tables = [Table(self, plan, self.house, self._standing) for plan in self.house.tables]
        self.signs = [Sign(self, name, keys("sign", name)[0]) for name in ("S1", "S2")]
        self.person = Person(
            self.timeline,
            self.random("person"),
            self.witness.model,
            self.tables,
            self.witness.their_id,
            self._ask,
        )
        self.start()
        self._tick()

    # What the others know of the world

    def random(self, name: str) -> Random:
        return Random(f"{self.seed}/{name}")

    def note(self, what: str) -> None:
        self.notes.append(f"{self.timeline.now:10.4f} {what}")

    def accept(self, wire: Wire, role: str) -> bool:
        if self.process is None:
            return False
        self.process.accept(wire, role)
        return True

    def shown(self, device: str, message: dict[str, Any], last: int) -> None:
        self.witness.shown(device, message, last)

    def heard(self, table: str, command: dict[str, Any], answer: dict[str, Any]) -> None:
        self.witness.heard(table, command, answer)

    def _standing(self, hits: list[str]) -> None:
        self.person.called(hits)

    def _ask(
        self,
        command: commands.Command,
        people: tuple[str, ...],
        digest: bytes,
        hear: Callable[[Outcome], None],
    ) -> None:
        if self.process is not None:
            self.process.submit(command, people, digest, hear)

    # The process

    def start(self) -> None:
        """A new process; where it cannot start, another one a little later."""
        if self.process is not None:
            return
        ledgers: list[Ledger] = []

        def opened() -> Ledger:
            ledgers.append(self.place.open())
            return ledgers[0]

        try:
            self.process = Process(
                self.timeline,
                self.clock,
                self.random(f"process {self.timeline.now}"),
                self.house,
                opened,
                self.witness,
                self.poison,
            )
        except LedgerCorrupt:
            raise
        except (LedgerError, Killed) as error:
            self._check_fenced(error)
            self.note(f"no start: {error!r}")
            if isinstance(error, Killed):
                self.place.died(1.0)
            for ledger in ledgers:
                with contextlib.suppress(LedgerError):
                    ledger.close()
            self.timeline.after(0.5, self.start)
            return
        self.note(f"started at row {self.witness.seq}")
        self._open_house(self.process)

    def _open_house(self, process: Process) -> None:
        state = process.writer.core.engine.state
        links = {link.terms.link for link in state.links}
        tables = {table.terms.table for table in state.tables}
        opening: list[tuple[str, commands.Command]] = [
            (plan.link, commands.OpenLink(plan.terms()))
            for plan in self.house.links
            if plan.link not in links
        ]
        opening += [
            (plan.table, commands.OpenTable(plan.terms()))
            for plan in self.house.tables
            if plan.table not in tables
        ]
        for name, command in opening:
            process.submit(command, (), name.encode().ljust(16, b"\0"), lambda _outcome: None)

    def end(self, more: float = 1.0) -> None:
        """Kill -9: the process is gone, the operating system lives."""
        process, self.process = self.process, None
        self.place.died(more)
        if process is not None:
            process.alive = False
            for device in [*(table.device for table in self.tables), *self.signs]:
                if device.wire is not None:
                    device.wire.cut()

    def _end_and_start(self, more: float = 1.0) -> None:
        self.end(more)
        self.timeline.after(self._faults.random(), self.start)

    def _recovering(self) -> bool:
        return self.process is None or self.process.writer.stepped.recovering

    # Faults

    def inject(self, fault: Fault) -> None:
        """Let it happen now."""
        self.injected[fault.kind] += 1
        self.note(f"fault: {fault}")
        ours = getattr(self, f"_{fault.kind}", None)
        (ours or getattr(self.place, fault.kind))(fault.more)

    def _kill(self, more: float) -> None:
        self._end_and_start(more)

    def _cut(self, more: float) -> None:
        device = self._device(more)
        if device.wire is not None:
            device.wire.cut()

    def _half_open(self, more: float) -> None:
        device = self._device(more)
        if device.wire is not None:
            told = self._faults.random() < 0.5
            device.wire.cut(device_told=told, server_told=not told and self._faults.random() < 0.5)

    def _abandon(self, more: float) -> None:
        self._device(more).abandon()

    def _restart(self, more: float) -> None:
        self._table(more).restart(memory=True)

    def _amnesia(self, more: float) -> None:
        self._table(more).restart(memory=False)

    def _storm(self, more: float) -> None:
        self.weather.delay, self.weather.lag_chance, self.weather.split = 0.02, 0.05, 0.8
        self.timeline.after(more, self._calm)

    def _calm(self) -> None:
        fine = Weather()
        self.weather.delay, self.weather.lag_chance, self.weather.split = (
            fine.delay,
            fine.lag_chance,
            fine.split,
        )

    def _clock(self, more: float) -> None:
        self.clock.step_ms += int((more - 0.5) * 7_200_000)

    def _poison(self, _more: float) -> None:
        self.witness.poison_next = True

    def _table(self, more: float) -> Table:
        return self.tables[int(more * len(self.tables))]

    def _device(self, more: float) -> Any:
        devices = [*(table.device for table in self.tables), *self.signs]
        return devices[int(more * len(devices))]

    # The loop

    def run(self, progress: Callable[[int], None] = lambda _rounds: None) -> None:
        """Plays the rounds with their faults, comes to rest, checks everything. Raises what is wrong."""
        told = 0
        while self.witness.rounds < self.rounds:
            self._step()
            while self._plan and self._plan[0].round <= self.witness.rounds:
                fault = self._plan.popleft()
                self.timeline.after(self._faults.random() * 0.01, partial(self.inject, fault))
            if self.witness.rounds >= told + 50:
                told = self.witness.rounds
                progress(told)
        self._rest()
        self._check_at_rest()

    def _step(self) -> None:
        try:
            self.timeline.step()
        except LedgerCorrupt:
            raise
        except LedgerError as error:  # the bank stops for good: an operator starts the server again
            self._check_fenced(error)
            self.note(f"stopped: {error}")
            self._end_and_start()
        except Killed:
            self.note("killed in a call")
            self._end_and_start()

    def _check_fenced(self, error: BaseException) -> None:
        """There is one living process at a time: nobody but the dead may fence it."""
        if isinstance(error, Fenced) and not self.place.robbed:
            raise Difference(f"fenced, though nobody took the bank: {error}") from error

    def _tick(self) -> None:
        """A tenth of a second passed, for everybody who counts time."""
        self.timeline.after(TICK_S, self._tick)
        if self.process is not None:
            self.process.tick()
            self._clear(self.process)
        for table in self.tables:
            table.device.tick()
        for sign in self.signs:
            sign.tick()
        rounds, since = self._progress
        if self.witness.rounds != rounds or since == 0.0:
            self._progress = self.witness.rounds, self.timeline.now
        elif self.timeline.now - since > STILL_S:
            raise Difference(f"nothing has gone on for {STILL_S:.0f} simulated seconds: {self._standstill()}")

    def _clear(self, process: Process) -> None:
        """An operator looks into every conflict of devices, over the admin socket."""
        for devices in (process.floor, process.signs):
            for name in sorted(devices.blocked):
                command = commands.ClearDevice(devices.role, name)
                digest = self._faults.randbytes(16)
                process.submit(command, ("ann",), digest, partial(_cleared, devices.blocked, name))

    def _standstill(self) -> str:
        tables = [
            f"{table.plan.table} {table.phase} {table.session.state.name} {len(table.session.pending)}"
            for table in self.tables
        ]
        server = "none" if self.process is None else f"{self.process.writer.core.depth} wait"
        return f"server: {server}; " + "; ".join(tables)

    def _rest(self) -> None:
        """No more faults: every table finishes its round, people finish what waits."""
        self._plan.clear()
        self.place.fine()
        self._calm()
        self.poison.clear()
        self.witness.poison_next = False
        self.person.tidying = True
        for table in self.tables:
            table.resting = True
        since = self.timeline.now
        while not self._at_rest():
            self._step()
            if self.timeline.now - since > STILL_S:
                raise Difference(f"the floor does not come to rest: {self._standstill()}")

    def _at_rest(self) -> bool:
        process = self.process
        return (
            process is not None
            and process.writer.core.depth == 0
            and self.person.idle
            and all(table.idle for table in self.tables)
            and not any(link.suspended for link in self.witness.model.links.values())
        )

    def _check_at_rest(self) -> None:
        """The whole state, the tables' own counts, and the ledger from its first row."""
        process = self.process
        assert process is not None
        self.witness.durable(process.writer.core, every=True)
        for table in self.tables:
            if table.counts is not None:
                accepted = self.witness.accepted(table.plan.table)
                same(
                    f"{table.plan.table}, wagers by its own count",
                    {link: accepted.get(link, 0) for link in table.counts},
                    table.counts,
                )
        self.end()
        self.place.last()
        ledger = self.place.open()
        try:
            report = verify(ledger, BANK)
            same("verify", report.problems, type(report.problems)())
            same("the last row", report.head.seq, self.witness.seq)
        finally:
            ledger.close()


def _cleared(blocked: set[str], name: str, outcome: Outcome) -> None:
    if outcome.answer["ok"]:
        blocked.discard(name)


def run(
    seed: int,
    rounds: int,
    plan: list[Fault] | None = None,
    progress: Callable[[int], None] = lambda _rounds: None,
    ground: Ground = DISKS,
) -> Failure | Simulation:
    """One run, in a place of its own; a failure is returned, not raised."""
    faults = plan_of(seed, rounds, ground) if plan is None else plan
    with repeatable(seed) as folder:
        simulation = Simulation(seed, rounds, faults, folder, ground)
        try:
            simulation.run(progress)
        except WRONG as error:
            witness = simulation.witness
            happened = tuple(fault for fault in faults if fault.round <= witness.rounds)
            reason = f"{type(error).__name__}: {error}"
            if not isinstance(error, Difference):
                reason += "\n" + "".join(traceback.format_exception(error)[-4:])
            notes = tuple(simulation.notes)
            racing = simulation.place.racing
            return Failure(seed, rounds, happened, witness.rounds, witness.seq, reason, notes, ground, racing)
        finally:
            simulation.end()
            simulation.place.close()
        return simulation


def shorten(failure: Failure, runs: int = SHRINKS) -> Failure:
    """The same seed failing sooner and with fewer faults, as far as a few tries go."""
    best = failure
    size = max(1, len(best.plan) // 2)
    while runs > 0 and best.plan:
        for start in range(0, len(best.plan), size):
            fewer = [*best.plan[:start], *best.plan[start + size :]]
            runs -= 1
            again = run(best.seed, best.at_round + 20, fewer, ground=best.ground)
            if isinstance(again, Failure):
                best = replace(again, rounds=again.at_round + 1)
                break
            if runs <= 0:
                break
        else:
            if size == 1:
                break
            size //= 2
    return best
