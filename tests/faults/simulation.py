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
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Final, Protocol

from jackpot.ledger.journal import Head, Row
from jackpot.ledger.store import Fenced, Ledger, LedgerCorrupt, LedgerError
from jackpot.ledger.verify import verify
from jackpot.rules import commands
from jackpot.rules.commands import Envelope
from jackpot.rules.engine import Engine
from jackpot.rules.outcome import Outcome
from jackpot.server.sequencer import Core
from jackpot.server.writer import face
from tests.faults.devices import REFUSED_S
from tests.faults.difference import Difference, same
from tests.faults.house import BANK
from tests.faults.network import Timeline, Wire
from tests.faults.places import DISKS, Ground, Killed
from tests.faults.plan import Fault, Kinds, plan_of
from tests.faults.play import EPOCH_MS, WRONG, Play
from tests.faults.repeat import repeatable
from tests.faults.server import Process

# Runs that shortening may take.
SHRINKS: Final = 40


class FalseClock:
    """The server's clock: the timeline's, and a wall clock that steps."""

    def __init__(self, timeline: Timeline) -> None:
        self._timeline = timeline
        self.step_ms = 0

    def unix_ms(self) -> int:
        return EPOCH_MS + self.step_ms + int(self._timeline.now * 1000)

    def monotonic(self) -> float:
        return self._timeline.now


class Begin(Protocol):
    """A kind of run."""

    def __call__(self, seed: int, rounds: int, plan: list[Fault], folder: Path, ground: Any) -> Play: ...


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
    ground: Kinds
    racing: int
    begin: Begin

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


class Simulation(Play):
    """One process on a place of its own."""

    def __init__(self, seed: int, rounds: int, plan: list[Fault], folder: Path, ground: Ground) -> None:
        super().__init__(seed, rounds, plan, ("S1", "S2"))
        self.clock = FalseClock(self.timeline)
        self.process: Process | None = None
        self._wires: list[Wire] = []
        self.place = ground.place(folder, self.random("disk"), self.timeline, self.note, self._recovering)
        self.start()

    @property
    def racing(self) -> int:  # type: ignore[override]
        return self.place.racing

    def servers(self, _device: str) -> tuple[str, ...]:
        return ("the only one",)

    def accept(self, wire: Wire, role: str, _server: str) -> float | None:
        if self.process is None:
            return REFUSED_S
        self._wires = [*(one for one in self._wires if not one.gone), wire]
        self.process.accept(wire, role)
        return None

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
                self,
                self.poison,
                partial(self._listen, lambda _message: None),
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
        process.writer.core.ask(face, lambda shown: process.writer.board.reset(*shown))

    def end(self, more: float = 1.0) -> None:
        """Kill -9: the process is gone, the operating system lives."""
        process, self.process = self.process, None
        self.place.died(more)
        if process is not None:
            process.alive = False
            for wire in self._wires:
                wire.cut()

    def _end_and_start(self, more: float = 1.0) -> None:
        self.end(more)
        self.timeline.after(self._faults.random(), self.start)

    def _recovering(self) -> bool:
        return self.process is None or self.process.writer.stepped.recovering

    # Faults

    def inject(self, fault: Fault) -> None:
        self.injected[fault.kind] += 1
        self.note(f"fault: {fault}")
        ours = getattr(self, f"_{fault.kind}", None)
        (ours or getattr(self.place, fault.kind))(fault.more)

    def _kill(self, more: float) -> None:
        self._end_and_start(more)

    def _clock(self, more: float) -> None:
        self.clock.step_ms += int((more - 0.5) * 7_200_000)

    # What the process does

    def asked(self, envelope: Envelope) -> None:
        self.witness.asked(envelope)

    def written(self, rows: Sequence[Row]) -> None:
        self.witness.written(rows)

    def released(self, envelope: Envelope, outcome: Outcome) -> None:
        self._held(partial(self._released, envelope, outcome))

    def looked(self, ledger: Ledger, engine: Engine, head: Head) -> None:
        self.witness.looked(ledger, engine, head)

    def durable(self, core: Core) -> None:
        self.witness.durable(core)

    # The loop

    def _happen(self) -> None:
        try:
            super()._happen()
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

    def _ticked(self) -> None:
        if self.process is not None:
            self.process.tick()
            self._clear(self.process)

    def _clear(self, process: Process) -> None:
        """An operator looks into every conflict of devices, over the admin socket."""
        for devices in (process.floor, process.signs):
            for name in sorted(devices.blocked):
                command = commands.ClearDevice(devices.role, name)
                digest = self._faults.randbytes(16)
                process.submit(command, ("ann",), digest, partial(_cleared, devices.blocked, name))

    def _serving(self) -> str:
        return "server: " + ("none" if self.process is None else f"{self.process.writer.core.depth} wait")

    def _fine(self) -> None:
        self.place.fine()

    def _at_rest(self) -> bool:
        process = self.process
        return process is not None and process.writer.core.depth == 0 and super()._at_rest()

    def _check_at_rest(self) -> None:
        """The whole state, the tables' own counts, and the ledger from its first row."""
        process = self.process
        assert process is not None
        self.witness.durable(process.writer.core, every=True)
        super()._check_at_rest()
        self.end()
        self.place.last()
        ledger = self.place.open()
        try:
            report = verify(ledger, BANK)
            same("verify", report.problems, type(report.problems)())
            same("the last row", report.head.seq, self.witness.seq)
        finally:
            ledger.close()

    def close(self) -> None:
        self.end()
        self.place.close()
        super().close()


def _cleared(blocked: set[str], name: str, outcome: Outcome) -> None:
    if outcome.answer["ok"]:
        blocked.discard(name)


def run(
    seed: int,
    rounds: int,
    plan: list[Fault] | None = None,
    progress: Callable[[int], None] = lambda _rounds: None,
    ground: Kinds = DISKS,
    begin: Begin = Simulation,
) -> Failure | Play:
    """One run, in a place of its own; a failure is returned, not raised."""
    faults = plan_of(seed, rounds, ground) if plan is None else plan
    with repeatable(seed) as folder:
        play = begin(seed, rounds, faults, folder, ground)
        try:
            play.run(progress)
        except WRONG as error:
            witness = play.witness
            happened = tuple(fault for fault in faults if fault.round <= witness.rounds)
            reason = f"{type(error).__name__}: {error}"
            if not isinstance(error, Difference):
                reason += "\n" + "".join(traceback.format_exception(error)[-4:])
            return Failure(
                seed,
                rounds,
                happened,
                witness.rounds,
                witness.seq,
                reason,
                tuple(play.notes),
                ground,
                play.racing,
                begin,
            )
        finally:
            play.close()
        return play


def shorten(failure: Failure, runs: int = SHRINKS) -> Failure:
    """The same seed failing sooner and with fewer faults, as far as a few tries go."""
    best = failure
    size = max(1, len(best.plan) // 2)
    while runs > 0 and best.plan:
        for start in range(0, len(best.plan), size):
            fewer = [*best.plan[:start], *best.plan[start + size :]]
            runs -= 1
            again = run(best.seed, best.at_round + 20, fewer, ground=best.ground, begin=best.begin)
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
