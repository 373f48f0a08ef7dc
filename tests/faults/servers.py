"""Simulates a floor's server or servers and signage processes, and checks their invariants.

Checked at every step: that one server at a time holds the bank and shows it, that nothing is acknowledged by
another, and all that `witness` knows.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Final

from controllers.client import CONNECT_WITHIN_S
from jackpot.bank.draws import Drawn
from jackpot.bank.sequencer import Sequencer
from jackpot.config.mystery_key import read_mystery_key
from jackpot.ledger.store import LedgerCorrupt, LedgerError
from jackpot.ledger.trigger_rows import stored
from jackpot.ledger.verify.verifier import verify
from jackpot.publish.redis_follower import STALE_S
from jackpot.rules import commands
from jackpot.rules.acts.devices import ClearDevice
from jackpot.rules.commands import Envelope
from jackpot.rules.money import to_cents
from jackpot.rules.outcome import Outcome
from jackpot.rules.signing import SITE
from tests.faults.devices import REFUSED_S
from tests.faults.difference import Difference, same
from tests.faults.drawing import Source
from tests.faults.house import BANK, model_level
from tests.faults.mishaps import Mishaps
from tests.faults.network import Wire
from tests.faults.nodes import (
    AT_SCREENS,
    AT_SERVERS,
    SCREENS,
    Machine,
    Node,
    Screen,
    config_of,
    key_file,
    simulated,
)
from tests.faults.places import Around, Ground, Killed
from tests.faults.plan import Fault
from tests.faults.play import TICK_S, WRONG, Play
from tests.faults.reach import Reach
from tests.faults.relays import FalseRedis
from tests.faults.shared import Shared
from tests.faults.site import By

# Seconds until a supervisor starts a process again that was killed or ended, and one whose node lost power.
RESTARTS_S: Final = 2.0
POWERS_UP_S: Final = 12.0
# How often in a tick an operator writes what the configuration lacks, and starts a server again for it.
WRITES: Final = 0.1
RESTARTS: Final = 0.1
# How often people ask a server that does not answer.
ASKS_FROZEN: Final = 0.05
# With a server in good health nobody may be without one for longer: a lapse, a long look, and another's try.
ABSENT_S: Final = 15.0
# A sign shows nothing as good that the active server said longer ago: what a follower lets pass, once while
# the message is on its way and once when it has come, and until it notices.
OLD_S: Final = 2 * STALE_S + 3.0
# The signs of a floor with one server.
ALONE: Final = ("S1", "S2")


class Simulation(Play):
    """One server; or two or three servers, and two signage processes.

    written: the links as the configuration has them, that the next start reads.
    longest_absence: for how long a server in good health was there and none served, at most; seconds.
    """

    def __init__(
        self, seed: int, rounds: int, plan: list[Fault], folder: Path, ground: Ground, source: Source
    ) -> None:
        self.alone = ground.alone
        self.names = "a" if self.alone else "abc"[: 2 + seed // 3 % 2]
        self.screen_names = () if self.alone else SCREENS
        far = () if self.alone else AT_SCREENS
        signs = (*(ALONE if self.alone else AT_SERVERS), *far)
        super().__init__(seed, rounds, plan, signs, far, source)
        self._patched.enter_context(simulated(self.random("chance")))
        random, timeline = self.random("disk"), self.timeline
        self.place = ground.place(Around(folder, random, timeline, self.note, lambda: self.shared.recovering))
        self.shared = Shared(self.place, timeline, self.witness, self.poison, alone=self.alone)
        self.of_site = Shared(
            self.place, timeline, self.site, set(), alone=self.alone, bank=SITE, of=self.shared
        )
        self.shared.firsts, self.shared.opened = self.site.firsts, self.site.come
        self.redis = FalseRedis(timeline)
        self._folder = folder
        self._operator = self.random("operator")
        self.written = dict(self.witness.plans)
        self.config = config_of(self.house, self.names, folder, confirms=self.witness.programs.confirms)
        self.machines: dict[str, Machine] = {}
        self.unreachable: set[str] = set()
        self.thawed: dict[str, float] = {}
        self.held_up = 0.0
        self._mishaps = Mishaps(self, self._faults)
        self._lives = dict.fromkeys((*self.names, *self.screen_names), 0)
        self._shown: dict[str, tuple[int, ...]] = {}
        self._well: dict[str, float] = {}
        self._served = self.longest_absence = 0.0
        for name in self._lives:
            self.start(name)

    # Machines

    @property
    def nodes(self) -> list[Node]:
        """The servers that run, or are frozen."""
        return [one for one in self.machines.values() if isinstance(one, Node) and one.alive]

    @property
    def screens(self) -> list[Screen]:
        return [one for one in self.machines.values() if isinstance(one, Screen) and one.alive]

    @property
    def active(self) -> Node | None:
        """The server that serves the floor now."""
        return next((node for node in self.nodes if node.active and not node.loop.frozen), None)

    def start(self, name: str) -> None:
        """Starts the node, unless it runs."""
        if name in self.machines and self.machines[name].alive:
            return
        self._lives[name] += 1
        self.note(f"starts: {name}{self._lives[name]}")
        self.config = config_of(
            replace(self.house, links=tuple(self.written.values())),
            self.names,
            self._folder,
            confirms=self.witness.programs.confirms,
        )
        if name in self.screen_names:
            self.machines[name] = Screen(self, name, self._lives[name], self.config)
        else:
            self.machines[name] = Node(self, name, self._lives[name], self.config, self._reaches)

    def _reaches(self, node: Node) -> tuple[Reach, Reach]:
        """The node's connections to the bank of the links, and to that of the people."""
        random = self.random(f"reach {node.life}")
        first = Reach(node.life, node.loop, self.shared, self.timeline, random, self.witness.looked)
        random = self.random(f"reach of site {node.life}")
        site = self.site.looked
        return first, Reach(node.life, node.loop, self.of_site, self.timeline, random, site, first.line)

    def _later(self, most: float, action: Callable[[], None]) -> None:
        """Schedules a call within that time."""
        self.timeline.after(most * self._faults.random(), action)

    def end(self, machine: Machine, *, told: bool = True) -> None:
        """Kill -9; or, where nobody is told, the power fails. Its supervisor starts it again."""
        if machine.alive:
            self.note(f"{'killed' if told else 'powerless'}: {machine.life}")
            machine.die(told=told)
            self._later(RESTARTS_S if told else POWERS_UP_S, partial(self.start, machine.name))

    # What processes do

    def ran(self, machine: Machine) -> None:
        if machine.loop.troubles:
            raise machine.loop.troubles[0]
        if isinstance(machine, Node):
            self._judge_node(machine)
        elif isinstance(machine, Screen):
            self._judge_screen(machine)

    def _judge_node(self, node: Node) -> None:
        """Checks that one server at a time shows the bank, and only while its lease is certain (DESIGN 4)."""
        bank = node.bank
        if bank is None:
            return
        if not bank.board.trusted or bank.lifecycle.stopped is not None:
            return
        if node.loop.time() > node.reach.until:
            late = node.loop.time() - node.reach.until
            raise Difference(f"{node.life} shows the bank {late:.3f} s after its lease has lapsed")
        for other in self.nodes:
            if (
                other is not node
                and other.bank is not None
                and other.bank.lifecycle.stopped is None
                and other.bank.board.trusted
            ):
                raise Difference(f"{node.life} and {other.life} both show the bank")

    def _judge_screen(self, screen: Screen) -> None:
        """Checks that a screen never goes back, and shows a fault where no server was heard for long."""
        follower = screen.follower
        if follower.rev < self._shown.get(screen.life, follower.rev):
            raise Difference(f"{screen.life} goes back from {self._shown[screen.life]} to {follower.rev}")
        self._shown[screen.life] = follower.rev
        if self._just_thawed(screen):
            return
        if follower.board.trusted and follower.rev in self.redis.taken:
            age = self.timeline.now - self.redis.taken[follower.rev]
            if age > OLD_S:
                raise Difference(
                    f"{screen.life} shows what was said {age:.1f} s ago, {follower.rev}, as good"
                )

    def failed(self, node: Node, error: Exception) -> None:
        if not node.alive:
            return
        if self._of_ledger(error):
            self.note(f"stopped: {node.life}: {error}")
            self.timeline.after(0.0, partial(self.end, node))
        else:
            wrong = error if isinstance(error, WRONG) else Difference(f"{node.life} has stopped: {error!r}")
            self._held(lambda: _raise(wrong))

    def _of_ledger(self, error: BaseException) -> bool:
        """Whether an operator just starts the server again: its own ledger has failed, and lost nothing."""
        return self.alone and isinstance(error, LedgerError) and not isinstance(error, LedgerCorrupt)

    def over(self, machine: Machine, error: BaseException | None) -> None:
        if error is not None and not self._of_ledger(error):
            told = "".join(traceback.format_exception(error)[-12:])
            self._held(lambda: _raise(Difference(f"{machine.life} ended by itself: {told}")))
            return
        self.note(f"ended: {machine.life}" + (f": {error}" if error else ""))
        machine.die(told=True)
        self._later(RESTARTS_S, partial(self.start, machine.name))

    def asked(self, bank: str, envelope: Envelope) -> None:
        if bank == SITE:
            self.site.asked(envelope)
        else:
            self.witness.asked(envelope)

    def drew(self, node: Node, command: bytes, drawn: Drawn) -> None:
        self.witness.oracle.chance.note(command, node.life, drawn)

    def released(self, node: Node, bank: str, envelope: Envelope, outcome: Outcome) -> None:
        if node.alive and bank == SITE:
            self._held(lambda: self.site.released(envelope, outcome))
        elif node.alive:
            self._held(lambda: self._released_by(node, envelope, outcome))

    def _released_by(self, node: Node, envelope: Envelope, outcome: Outcome) -> None:
        if outcome.entry is not None:
            writer = self.shared.writers.get(outcome.entry.seq)
            if writer is not None or not self.alone:  # nobody knows of a commit that failed and came back
                same(f"who wrote row {outcome.entry.seq}, which is acknowledged", node.life, writer)
        self._released(envelope, outcome, current=self._current(node))
        if outcome.entry is not None:
            key = key_file(self._folder, node.name)
            self.witness.oracle.check_published(outcome.entry.seq, key.with_name(f"{key.name}.witness"))

    def durable(self, node: Node, sequencer: Sequencer) -> None:
        if node.alive and self._current(node):
            self._held(lambda: self.witness.durable(sequencer))

    def _current(self, node: Node) -> bool:
        """Whether the server holds the bank, by the ledger."""
        owner = self.shared.owner
        return (
            owner is not None
            and owner.name == node.life
            and node.bank is not None
            and node.bank.sequencer.epoch == owner.epoch
        )

    def ear(self, machine: Machine) -> Callable[[bytes], None]:
        """Takes what it says on a new connection."""
        return self._listen(partial(self._heard_of, machine))

    def _heard_of(self, machine: Machine, message: dict[str, Any]) -> None:
        if message["t"] == "meters" and message["values"]:
            self._said(machine, message["rev"])

    def _said(self, machine: Machine, rev: int) -> None:
        """Checks that a server knows all earlier rows of others, and that a screen is not stale."""
        if isinstance(machine, Node):
            self._lease(machine, "tells a device meters")
            late = self.shared.others_last(machine.life)
        else:
            assert isinstance(machine, Screen)
            freely = self.timeline.now - self.held_up > OLD_S
            good = freely and machine.follower.board.trusted and not self._just_thawed(machine)
            late = self.shared.durable_at(self.timeline.now - OLD_S) if good else 0
        if rev < late:
            raise Difference(f"{machine.life} shows row {rev} where {late} has long been durable")

    def _just_thawed(self, machine: Machine) -> bool:
        """Whether the server was just thawed, and has not looked at its clock since."""
        return self.timeline.now < self.thawed.get(machine.life, -1.0) + 2 * TICK_S

    def fed(self, machine: Machine) -> None:
        if machine.alive and isinstance(machine, Node):
            self._held(lambda: self._lease(machine, "feeds Redis"))

    def _lease(self, node: Node, what: str) -> None:
        late = node.loop.time() - node.reach.until
        if late > 0:
            raise Difference(f"{node.life} {what} {late:.3f} s after its lease has lapsed")

    # What devices and people find

    def servers(self, device: str) -> tuple[str, ...]:
        """The servers in the device's own order."""
        names = list(self.screen_names if self.screen_names and device in AT_SCREENS else self.names)
        self.random(f"servers of {device}").shuffle(names)
        return tuple(f"{name}:1" for name in names)

    def accept(self, wire: Wire, role: str, server: str) -> float | None:
        name = server.partition(":")[0]
        if name in self.unreachable:
            return CONNECT_WITHIN_S
        machine = self.machines[name]
        assert isinstance(machine, Node | Screen)
        return None if machine.accept(wire, role) else REFUSED_S

    def _ask(
        self,
        command: commands.Command,
        by: By,
        digest: bytes,
        hear: Callable[[Outcome], None],
    ) -> None:
        """Sends an act to the active server; where there is none, to any, now and then a frozen one."""
        nodes = [node for node in self.nodes if not node.loop.frozen or self._faults.random() < ASKS_FROZEN]
        node = self.active or (self._faults.choice(nodes) if nodes else None)
        if node is not None:
            node.submit(command, by, digest, hear)

    def inject(self, fault: Fault) -> None:
        """Injects a fault now: in the ledger, in servers and signage, or else in devices."""
        self.injected[fault.kind] += 1
        self.note(f"fault: {fault}")
        for what, name in ((self.place, fault.kind), (self._mishaps, fault.kind), (self, f"_{fault.kind}")):
            if (happen := getattr(what, name, None)) is not None:
                break
        else:
            raise AssertionError(f"no such fault: {fault}")
        try:
            happen(fault.more)
        except Killed:
            for node in self.nodes:
                self.end(node)

    # The loop

    def _ticked(self) -> None:
        """An operator looks at the active server, and into every conflict of devices.

        A signage process is started again for it (deploy/README.md).
        """
        for screen in self.screens:
            if screen.conflicts:
                self.note(f"restarted, for it lets a sign in no more: {screen.life}")
                screen.stop()
        self._write()
        node = self.active
        self._judge_absence(node)
        if node is None:
            return
        for devices in (node.server.tables, node.server.signs):
            devices.statistics()
            for name in sorted(devices.registry.blocked):
                command = ClearDevice(devices.registry.role, name)
                hear = partial(_cleared, devices.registry.blocked, name)
                node.submit(command, self.person.alone(), self._faults.randbytes(16), hear)

    def _write(self) -> None:
        """An operator writes into the configuration what people want of links, or have agreed on (L9).

        Now and then they are late, and a server that has started meanwhile stops the link: it starts again.
        """
        random = self._operator
        for link, agreed in self.witness.plans.items():
            wanted = agreed if self._resting else self.person.wants(link) or agreed
            if self.written[link] != wanted and random.random() < WRITES:
                self.note(f"written: {wanted}")
                self.written[link] = wanted
            settled = self.written[link] == agreed
            if settled and link in self.witness.differs() and self.active and random.random() < RESTARTS:
                self.note(f"restarted, for {link} is as the configuration has it: {self.active.life}")
                self.active.stop()

    def _judge_absence(self, active: Node | None) -> None:
        """Checks that a floor of several servers is served while one of them is healthy."""
        if self.alone:
            return
        now = self.timeline.now
        well = {node.life for node in self.nodes if node.well and node.name not in self.unreachable}
        self._well = {life: self._well.get(life, now) for life in well}
        if active is not None:
            self._served = now
        since = max(self._served, min(self._well.values(), default=now))
        self.longest_absence = max(self.longest_absence, now - since)
        if now - since > ABSENT_S:
            raise Difference(f"nobody serves the floor for {now - since:.1f} s: {self._serving()}")

    def _serving(self) -> str:
        return ", ".join(f"{one.life} {_state(one)}" for one in self.machines.values())

    def _fine(self) -> None:
        self.place.fine()
        self._mishaps.over()

    def _at_rest(self) -> bool:
        node = self.active
        return (
            node is not None
            and node.bank is not None
            and node.bank.sequencer.depth == 0
            and super()._at_rest()
            and all(self._shows_all(sign) for sign in self.signs)
        )

    def _shows_all(self, sign: Any) -> bool:
        """Whether a screen shows the current meters, and no fault."""
        truth = {key: to_cents(meter["primary"]) for key, meter in self.witness.model.meters().items()}
        shown = {(link, model_level(level)): cents for (link, level), cents in sign.session.meters.items()}
        return sign.online and shown == truth and "fault" not in sign.states.values()

    def _standstill(self) -> str:
        signs = [f"{sign.session.id} {sign.session.state.name} {sign.states}" for sign in self.signs]
        return f"{super()._standstill()}; {'; '.join(signs)}"

    def _check_at_rest(self) -> None:
        """The whole state, the tables' own counts, and the ledger from its first row."""
        node = self.active
        assert node is not None
        assert node.bank is not None
        self.witness.durable(node.bank.sequencer, every=True)
        super()._check_at_rest()
        self._end_all()
        self.place.last()
        ledger = self.place.open()
        self.witness.look_at_running(stored(ledger), read_mystery_key(key_file(self._folder, self.names[0])))
        for bank, last in ((BANK, self.witness.seq), (SITE, self.site.seq)):
            if last:
                report = verify(ledger, bank)
                same(f"verify {bank}", report.problems, type(report.problems)())
                same(f"the last row of {bank}", report.head.seq, last)

    def _end_all(self) -> None:
        for machine in self.machines.values():
            if machine.alive:
                machine.die(told=True)

    def close(self) -> None:
        self._end_all()
        self.place.close()
        super().close()


def _raise(error: Exception) -> None:
    raise error


def _state(machine: Machine) -> str:
    if not machine.alive:
        return "dead"
    if machine.loop.frozen:
        return "frozen"
    if isinstance(machine, Node):
        bank = machine.bank
        return (
            "starting"
            if bank is None
            else f"{bank.lifecycle.state.name.lower()}, {bank.sequencer.depth} wait"
        )
    assert isinstance(machine, Screen)
    return "shows" if machine.follower.board.trusted else "fault"


def _cleared(blocked: set[str], name: str, outcome: Outcome) -> None:
    if outcome.of_act().ok:
        blocked.discard(name)
