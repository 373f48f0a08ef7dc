"""Faults of servers and signage processes, and of their connections to ledger and Redis."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from random import Random
from typing import TYPE_CHECKING, Final

from tests.faults.nodes import Machine, Node, Screen
from tests.faults.reach import UNSEEN

if TYPE_CHECKING:
    from tests.faults.servers import Simulation

# A graceful end that takes longer is made short by the supervisor.
STOPS_S: Final = 30.0
# A process is frozen, and a cut lasts, for a part of one of these: within a lease, about it, long after it.
SPELLS_S: Final = (2.0, 5.0, 20.0)
# Between two servers of a rolling restart.
ROLLING_S: Final = 8.0
# A clock steps by at most so much, either way.
STEP_MS: Final = 2 * 3_600_000


class Mishaps:
    """The faults, one a method; its number from 0 to 1 decides target, size and duration."""

    def __init__(self, world: Simulation, random: Random) -> None:
        self._world = world
        self._random = random

    def over(self) -> None:
        """Ends all faults; everything works again."""
        self._world.redis.up = True
        self._passes(self._world.redis.wake)
        self._world.unreachable.clear()
        for machine in self._world.machines.values():
            self._thaw(machine)
            machine.road.heal()
            machine.road.lose.clear()
            machine.road.delay.clear()
            if isinstance(machine, Node):
                machine.reach.heal()
                machine.reach.armed.clear()

    # Of whom

    def _node(self, more: float) -> Node | None:
        """Chooses a node: mostly the holder of the bank, alive or frozen, now and then any."""
        nodes = self._world.nodes
        owner = self._world.shared.owner
        holders = [node for node in nodes if owner is not None and node.life == owner.name]
        if more < 0.7 and holders:
            return holders[0]
        return nodes[int(more * 1000) % len(nodes)] if nodes else None

    def _machine(self, more: float) -> Machine:
        machines = list(self._world.machines.values())
        return machines[int(more * len(machines))]

    def _screen(self, more: float) -> Screen | None:
        screens = self._world.screens
        return screens[int(more * len(screens))] if screens else None

    def _spell(self) -> float:
        return self._random.choice(SPELLS_S) * self._random.random()

    # Of a server

    def kill(self, more: float) -> None:
        if (node := self._node(more)) is not None:
            self._world.end(node)

    def power(self, more: float) -> None:
        if (node := self._node(more)) is not None:
            self._world.end(node, told=False)

    def freeze(self, more: float) -> None:
        if (node := self._node(more)) is not None:
            self._hidden(node)
            self._frozen(node)

    def _hidden(self, node: Node) -> None:
        """Sometimes hides a connection from who would end it: then only the fence stops its writes."""
        if self._random.random() < UNSEEN:
            node.reach.backends[-1].unseen = True

    def _frozen(self, machine: Machine) -> None:
        machine.loop.freeze()
        self._world.note(f"frozen: {machine.life}")
        self._world.timeline.after(self._spell(), partial(self._thaw, machine))

    def _thaw(self, machine: Machine) -> None:
        if machine.alive and machine.loop.frozen:
            self._world.note(f"thawed: {machine.life}")
            self._world.thawed[machine.life] = self._world.timeline.now
            machine.loop.thaw()

    def cut_ledger(self, more: float) -> None:
        if (node := self._node(more)) is not None:
            self._hidden(node)
            node.reach.severed = True
            self._world.note(f"cut from the ledger: {node.life}")
            self._world.timeline.after(self._spell(), node.reach.heal)

    def cut_tables(self, more: float) -> None:
        """Cuts a server off from its devices; each notices by the other's silence."""
        if (node := self._node(more)) is not None:
            self._world.note(f"cut from its devices: {node.life}")
            self._world.unreachable.add(node.name)
            for wire in node.wires:
                wire.cut(device_told=False, server_told=False)
            self._world.timeline.after(self._spell(), partial(self._world.unreachable.discard, node.name))

    def cut_redis(self, more: float) -> None:
        if (node := self._node(more)) is not None:
            self._cut_road(node)

    def _cut_road(self, machine: Machine) -> None:
        self._world.note(f"cut from Redis: {machine.life}")
        machine.road.severed = True
        self._world.timeline.after(self._spell(), partial(self._passes, machine.road.heal))

    def _passes(self, again: Callable[[], None]) -> None:
        """Delivers delayed messages to Redis, where their age is unknown."""
        self._world.held_up = self._world.timeline.now
        again()

    def stop(self, more: float) -> None:
        if (node := self._node(more)) is not None:
            self._terminate(node)

    def _terminate(self, node: Node) -> None:
        self._world.note(f"told to stop: {node.life}")
        node.stop()
        self._world.timeline.after(STOPS_S, partial(self._world.end, node))

    def hand_over(self, more: float) -> None:
        if (node := self._node(more)) is not None:
            self._world.note(f"told to hand over: {node.life}")
            node.hand_over()

    def rolling(self, _more: float) -> None:
        """Every server is stopped and started, one after the other."""
        for turn, node in enumerate(self._world.nodes):
            self._world.timeline.after(turn * ROLLING_S, partial(self._terminate, node))

    def call_lost(self, more: float) -> None:
        self._arm(more, "lost")

    def call_unheard(self, more: float) -> None:
        self._arm(more, "unheard")

    def call_late(self, more: float) -> None:
        self._arm(more, "late")

    def call_slow(self, more: float) -> None:
        self._arm(more, "slow")

    def _arm(self, more: float, kind: str) -> None:
        if (node := self._node(more)) is not None:
            node.reach.arm(kind)

    def end_backend(self, more: float) -> None:
        if (node := self._node(more)) is not None:
            node.reach.end_backend()

    # Of Redis and of signage

    def message_late(self, more: float) -> None:
        if (node := self._node(more)) is not None:
            node.road.arm("delay")

    def message_lost(self, more: float) -> None:
        if (screen := self._screen(more)) is not None:
            screen.road.arm("lose")

    def redis_die(self, _more: float) -> None:
        self._world.redis.die()
        self._world.timeline.after(self._spell(), self._world.redis.start)

    def redis_fail_over(self, more: float) -> None:
        self._world.redis.fail_over(int(more * 20))

    def redis_hang(self, _more: float) -> None:
        self._world.redis.hung = True
        self._world.timeline.after(self._spell(), partial(self._passes, self._world.redis.wake))

    def kill_screen(self, more: float) -> None:
        if (screen := self._screen(more)) is not None:
            self._world.end(screen)

    def freeze_screen(self, more: float) -> None:
        if (screen := self._screen(more)) is not None:
            self._frozen(screen)

    def cut_screen(self, more: float) -> None:
        if (screen := self._screen(more)) is not None:
            self._cut_road(screen)

    def clock(self, more: float) -> None:
        machine = self._machine(more)
        machine.clock.ahead_ms += int((self._random.random() - 0.5) * 2 * STEP_MS)
