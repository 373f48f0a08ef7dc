"""One simulated run without its servers: a house with tables, signs, people and a witness."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter, deque
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from random import Random
from typing import Any, Final

from controllers.device import DeviceEvent
from jackpot.ledger.store import LedgerCorrupt
from jackpot.rules import commands
from jackpot.rules.invariant import InvariantError
from jackpot.rules.outcome import Outcome
from tests.faults.devices import Sign
from tests.faults.difference import Difference, same
from tests.faults.drawing import Chance, Oracle, Source
from tests.faults.dying import Mood, contained
from tests.faults.floor import Table
from tests.faults.heralds import Herald
from tests.faults.house import HOUSES, STOLEN, house_of, keys
from tests.faults.network import Timeline, Weather, Wire
from tests.faults.people import Person
from tests.faults.plan import Fault
from tests.faults.programs import CONFIRMS, Programs
from tests.faults.site import PEOPLED, By, Site
from tests.faults.speech import Ear, check_answer
from tests.faults.strangers import Stranger
from tests.faults.thief import Thief
from tests.faults.witness import Witness
from tests.said import told

TICK_S: Final = 0.1
# Simulated seconds without a durable row after which the floor is said to stand still.
STILL_S: Final = 400.0
# And after which a table on a whole connection must have its answer: longer than any recovery, or any frost.
ANSWERED_S: Final = 60.0
# How many strangers come at most at about one moment, and within how many seconds.
STRANGERS: Final = 6
STRANGERS_S: Final = 4.0
# A transport that is to die does so at one of so many calls.
CALLS: Final = 40
# The notes that a failure prints.
NOTES: Final = 60
# 2026-01-01, the simulated day.
EPOCH_MS: Final = 1_767_225_600_000

# What ends a run. It includes what one peer's transport raises: the server must have caught that.
WRONG: Final = (
    Difference,
    InvariantError,
    LedgerCorrupt,
    AssertionError,
    ValueError,
    KeyError,
    AttributeError,
    TypeError,
    OSError,
    RuntimeError,
)


class Play(ABC):
    """One simulated run: `run` plays so many rounds, then settles everything and checks it whole."""

    def __init__(
        self,
        seed: int,
        rounds: int,
        plan: list[Fault],
        signs: tuple[str, ...],
        far: tuple[str, ...],
        source: Source,
    ) -> None:
        self.seed = seed
        self.rounds = rounds
        self.timeline = Timeline()
        self.weather = Weather()
        self.house = house_of(seed)
        self.poison: set[bytes] = set()
        self.notes: deque[str] = deque(maxlen=NOTES)
        self.injected: Counter[str] = Counter()
        programs = Programs(confirms=self.random("programs").random() < CONFIRMS)
        oracle = Oracle(source, Chance())
        self.witness = Witness(
            self.house, self.poison, self.note, lambda: self.timeline.now, programs, oracle
        )
        peopled = seed // len(HOUSES) % PEOPLED == 0
        self.site = Site("simulated", self.random("site"), self.note, peopled=peopled)
        self._faults = self.random("faults")
        self._plan = deque(plan)
        self._progress = (0, 0.0)
        self._resting = False
        self._wrong: BaseException | None = None
        self._patched = ExitStack()
        self._patched.enter_context(contained(self._wronged))
        tables = [plan.table for plan in self.house.honest]
        self._heralds = {
            name: Herald(name, self.witness, table=name in tables, near=name not in far)
            for name in (*tables, *signs)
        }
        self.tables = [Table(self, plan, self.house, self._standing) for plan in self.house.honest]
        self.strangers: list[Stranger] = []
        stolen = next(plan for plan in self.house.tables if plan.table == STOLEN)
        self.thief = Thief(self, stolen, self.house, self.witness, self.random(STOLEN))
        self.signs = [Sign(self, name, keys("sign", name)[0]) for name in signs]
        self.person = Person(
            self.timeline,
            self.random("person"),
            self.site,
            self.witness.model,
            self.tables,
            self.witness.names,
            self.witness.plans,
            self.witness.claims.said,
            self.witness.programs,
            self._ask,
        )

    # What the others know of the world

    def random(self, name: str) -> Random:
        return Random(f"{self.seed}/{name}")

    def note(self, what: str) -> None:
        self.notes.append(f"{self.timeline.now:10.4f} {what}")

    @abstractmethod
    def servers(self, device: str) -> tuple[str, ...]:
        """As in a device's World."""

    @abstractmethod
    def accept(self, wire: Wire, role: str, server: str) -> float | None:
        """As in a device's World."""

    def shown(self, device: str, message: dict[str, Any], last: int) -> None:
        self.witness.shown(device, message, last)

    def heard(self, table: str, command: dict[str, Any], answer: dict[str, Any]) -> None:
        self.witness.heard(table, command, answer)

    def told(self, device: str, event: DeviceEvent) -> None:
        self._heralds[device].hear(event)

    def _standing(self, hits: list[str]) -> None:
        self.person.called(hits)

    @abstractmethod
    def _ask(
        self,
        command: commands.Command,
        by: By,
        digest: bytes,
        hear: Callable[[Outcome], None],
    ) -> None:
        """People act, over the admin socket of a server that runs. What they ask may be lost."""

    def _released(self, envelope: commands.Envelope, outcome: Outcome, *, current: bool = True) -> None:
        """Checks an answer as it leaves the sequencer."""
        if envelope.table is not None:
            check_answer(told(outcome.answer))
        self.witness.released(envelope, outcome, current=current)

    # Faults

    @abstractmethod
    def inject(self, fault: Fault) -> None:
        """Injects a fault now."""

    def _cut(self, more: float) -> None:
        device = self._device(more)
        if device.protocol is not None:
            device.protocol.cut()

    def _half_open(self, more: float) -> None:
        device = self._device(more)
        if device.protocol is not None:
            told = self._faults.random() < 0.5
            device.protocol.cut(device_told=told, server_told=not told and self._faults.random() < 0.5)

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

    def _poison(self, _more: float) -> None:
        self.witness.poison_next = True

    def _dying(self, more: float) -> None:
        """The transport of a device dies at one of its next calls, or that of its next connection."""
        device, random = self._device(more), self._faults
        mood = Mood(random, CALLS)
        if device.protocol is not None and random.random() < 0.6:
            device.protocol.mood = device.protocol.mood or mood
        else:
            device.next_mood = mood

    def _strangers(self, _more: float) -> None:
        for _ in range(self._faults.randint(1, STRANGERS)):
            self.timeline.after(self._faults.random() * STRANGERS_S, self._stranger)

    def _stranger(self) -> None:
        random = self._faults
        role = random.choice(["table", "sign"])
        claims = random.choice(
            [plan.table for plan in self.house.tables] if role == "table" else ["S1", "S2"]
        )
        if not self._resting:
            self.strangers.append(Stranger(self, Random(f"{random.random()}"), role, claims))

    def _thief(self, _more: float) -> None:
        self.thief.come()

    def _table(self, more: float) -> Table:
        return self.tables[int(more * len(self.tables))]

    def _device(self, more: float) -> Any:
        devices = [*(table.device for table in self.tables), *self.signs]
        return devices[int(more * len(devices))]

    # The loop

    def run(self, progress: Callable[[int], None] = lambda _rounds: None) -> None:
        """Plays the rounds with their faults, comes to rest, checks everything. Raises what is wrong."""
        told = 0
        self._tick()
        while self.witness.rounds < self.rounds:
            self._step()
            while self._plan and self._plan[0].round <= self.witness.rounds:
                fault = self._plan.popleft()
                soon = self._faults.random() * 0.01
                self.timeline.after(soon + fault.after, partial(self._inject_unless_resting, fault))
            if self.witness.rounds >= told + 50:
                told = self.witness.rounds
                progress(told)
        self._rest()
        self._check_at_rest()

    def _inject_unless_resting(self, fault: Fault) -> None:
        if not self._resting:
            self.inject(fault)

    def _step(self) -> None:
        """Runs the next event. Raises what is wrong."""
        try:
            self.timeline.step()
        except WRONG:
            if self._wrong is None:  # what was found before it is why
                raise
        if self._wrong is not None:
            raise self._wrong

    def _held(self, check: Callable[[], None]) -> None:
        """Keeps a difference found inside a process, to raise it outside; the process might catch it."""
        try:
            check()
        except WRONG as error:
            self._wrong = self._wrong or error

    def _wronged(self, what: str) -> None:
        self._wrong = self._wrong or Difference(what)

    def _listen(self, hear: Callable[[dict[str, Any]], None]) -> Callable[[bytes], None]:
        """Checks what a new connection is told."""
        ear = Ear(hear)
        return lambda data: self._held(lambda: ear.listen(data))

    def _tick(self) -> None:
        """Advances all timers by a tenth of a second."""
        self.timeline.after(TICK_S, self._tick)
        self._ticked()
        for table in self.tables:
            table.device.tick()
        for sign in self.signs:
            sign.tick()
        for stranger in self.strangers:
            stranger.judge()
        self.strangers = [stranger for stranger in self.strangers if not stranger.over]
        self._judge_patience()
        rounds, since = self._progress
        if self.witness.rounds != rounds or since == 0.0:
            self._progress = self.witness.rounds, self.timeline.now
        elif self.timeline.now - since > STILL_S:
            raise Difference(f"nothing has gone on for {STILL_S:.0f} simulated seconds: {self._standstill()}")

    def _judge_patience(self) -> None:
        """Checks that a table with a whole connection is answered, whatever others do."""
        for table in self.tables:
            pending, wire = table.session.pending, table.device.protocol
            whole = wire is not None and wire.whole and table.device.online
            if pending and whole and (sent := pending[0].sent_at) is not None:
                waits = self.timeline.now - sent
                if waits > ANSWERED_S:
                    raise Difference(
                        f"{table.plan.table} waits {waits:.0f} s for an answer: {self._standstill()}"
                    )

    @abstractmethod
    def _ticked(self) -> None:
        """Time passed for the servers and their operators."""

    def _standstill(self) -> str:
        tables = [
            f"{table.plan.table} {table.phase} {table.session.state.name} {len(table.session.pending)}"
            for table in self.tables
        ]
        return f"{self._serving()}; " + "; ".join(tables)

    @abstractmethod
    def _serving(self) -> str:
        """A short description of the serving servers."""

    def _rest(self) -> None:
        """Ends all faults; tables finish their rounds, people finish what waits."""
        self._resting = True
        self._plan.clear()
        self._fine()
        self._calm()
        self.poison.clear()
        self.witness.poison_next = False
        self.person.tidying = True
        self.thief.go()
        for table in self.tables:
            table.resting = True
        since = self.timeline.now
        while not self._at_rest():
            self._step()
            if self.timeline.now - since > STILL_S:
                raise Difference(f"the floor does not come to rest: {self._standstill()}")

    @abstractmethod
    def _fine(self) -> None:
        """Ends all faults; everything works again."""

    def _at_rest(self) -> bool:
        return (
            self.person.idle
            and not self.strangers
            and all(table.idle for table in self.tables)
            and not any(link.suspended and not link.closed for link in self.witness.model.links.values())
        )

    def _check_at_rest(self) -> None:
        """The tables' own counts, and what the servers add."""
        for table in self.tables:
            if table.counts is not None:
                accepted = self.witness.accepted(table.plan.table)
                same(
                    f"{table.plan.table}, wagers by its own count",
                    {link: accepted.get(link, 0) for link in table.counts},
                    table.counts,
                )

    def close(self) -> None:
        """Leaves nothing behind."""
        self._patched.close()
