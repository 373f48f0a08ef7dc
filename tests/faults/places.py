"""Storage of a simulated floor's ledger, and its faults. Disks are here; for PostgreSQL see `clusters`."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random
from typing import Final, NamedTuple, Protocol

from jackpot.ledger.sqlite.store import SqliteLedger
from jackpot.ledger.store import LedgerError
from tests.faults.disk import Disk
from tests.faults.network import Timeline
from tests.faults.plan import Kinds
from tests.ledger.waiting import Ledger

_names = itertools.count()
# How often the system forgets what a dead process's files still held in memory.
EVICTED: Final = 0.2

# What happens to devices, network, clocks and data, wherever the ledger lies; and the server's death.
EVERYWHERE: Final[Mapping[str, int]] = {
    "kill": 6,
    "cut": 6,
    "half_open": 4,
    "abandon": 3,
    "restart": 5,
    "amnesia": 3,
    "storm": 3,
    "clock": 2,
    "poison": 2,
    "dying": 2,
    "strangers": 3,
    "thief": 4,
}


class Killed(BaseException):
    """Ends the server's process in the middle of a ledger call; no code may catch it."""


class Place(Protocol):
    """One ledger, for process after process. Its faults are methods, each taking a number from 0 to 1.

    racing: faults so far whose outcome no seed decides. robbed: a dead process has come to life and taken
    the bank, so that the living one is fenced rightly.
    """

    @property
    def racing(self) -> int: ...

    @property
    def robbed(self) -> bool: ...

    def open(self) -> Ledger:
        """Opens the ledger for a new process. Raises LedgerError, Killed."""

    def died(self) -> None:
        """Cleans up after a dead process and what it had open."""

    def fine(self) -> None:
        """Ends all faults; everything works again."""

    def last(self) -> None:
        """Applies the worst harmless fault after the last process."""

    def close(self) -> None:
        """Leaves nothing behind."""


class Around(NamedTuple):
    """Context of a place. recovering: no process has committed since it began or recovered."""

    folder: Path
    random: Random
    timeline: Timeline
    note: Callable[[str], None]
    recovering: Callable[[], bool]


class Ground(Kinds, Protocol):
    """A kind of place, and its possible faults. alone: it has one server, else several."""

    @property
    def alone(self) -> bool: ...

    def place(self, around: Around) -> Place:
        """Makes a new place."""


class OnDisk:
    """A SQLite file on a disk that misbehaves as `disk` says."""

    racing = 0
    robbed = False

    def __init__(self, path: Path, disk: Disk, timeline: Timeline, recovering: Callable[[], bool]) -> None:
        self.disk = disk
        self._path = path
        self._timeline = timeline
        self._recovering = recovering
        self._ledgers: list[SqliteLedger] = []

    def open(self) -> Ledger:
        self.disk.start()
        ledger = SqliteLedger(self._path, self.disk.name)
        self._ledgers.append(ledger)
        return ledger

    def died(self) -> None:
        self._gone()
        if self.disk.random.random() < EVICTED:
            self.disk.evict()

    def _gone(self) -> None:
        self.disk.kill()
        for ledger in self._ledgers:
            with contextlib.suppress(LedgerError):  # a dead process's files refuse
                ledger.close()
        self._ledgers.clear()

    def power(self, more: float) -> None:
        """Fails the power, unless that may undo what no program above SQLite can know to be undone."""
        risky = self.disk.tainted() and self._recovering()
        self._gone()
        if not risky:
            self.disk.power_loss([0.0, 0.5, 1.0][int(more * 3)])
        raise Killed

    def fail_sync(self, _more: float) -> None:
        self.disk.fail_sync = True

    def revive_sync(self, _more: float) -> None:
        self.disk.revive_sync = True

    def fail_write(self, more: float) -> None:
        self.disk.fail_write = int(more * 8)

    def fail_read(self, more: float) -> None:
        self.disk.fail_read = int(more * 4)

    def full(self, more: float) -> None:
        self.disk.room = int(more * 20_000)
        self._timeline.after(0.2 + 3 * more, self._made_room)

    def _made_room(self) -> None:
        self.disk.room = None

    def down(self, more: float) -> None:
        self.disk.down = True
        self._timeline.after(0.01 + more * 0.5, self._up)

    def _up(self) -> None:
        self.disk.down = False

    def write_back(self, more: float) -> None:
        self.disk.write_back(more)

    def fine(self) -> None:
        self._made_room()
        self._up()
        self.disk.fail_sync = self.disk.revive_sync = False
        self.disk.fail_write = self.disk.fail_read = None

    def last(self) -> None:
        self.disk.power_loss(0.0)

    def close(self) -> None:
        self._gone()


class Disks:
    """One server, and a disk of its own for each run."""

    option = ""
    alone = True
    weights: Mapping[str, int] = {
        **EVERYWHERE,
        "power": 6,
        "fail_sync": 4,
        "revive_sync": 4,
        "fail_write": 3,
        "fail_read": 2,
        "full": 3,
        "down": 2,
        "write_back": 4,
    }
    worse: tuple[str, ...] = ("kill", "power")
    later_s = 0.0

    def place(self, around: Around) -> Place:
        disk = Disk(f"faults-{next(_names)}", around.random)
        return OnDisk(around.folder / "ledger.db", disk, around.timeline, around.recovering)


DISKS: Final = Disks()


class Sound:
    """A SQLite file that never fails by itself. It stays open when a process dies."""

    racing = 0
    robbed = False

    def __init__(self, path: Path) -> None:
        self._ledger = SqliteLedger(path)

    def open(self) -> Ledger:
        return self._ledger

    def died(self) -> None:
        """The database is on a machine of its own."""

    fine = last = died

    def close(self) -> None:
        self._ledger.close()


class Servers:
    """Several servers and signage processes. Their way to the ledger fails (`reach`), the ledger does not."""

    option = "--servers"
    alone = False
    weights: Mapping[str, int] = {
        **EVERYWHERE,
        "kill": 8,
        "power": 5,
        "freeze": 8,
        "cut_ledger": 6,
        "cut_tables": 3,
        "cut_redis": 3,
        "stop": 4,
        "hand_over": 5,
        "rolling": 2,
        "end_backend": 3,
        "call_lost": 3,
        "call_unheard": 3,
        "call_late": 4,
        "call_slow": 4,
        "redis_die": 4,
        "redis_fail_over": 3,
        "redis_hang": 3,
        "message_lost": 5,
        "message_late": 4,
        "kill_screen": 2,
        "freeze_screen": 2,
        "cut_screen": 3,
    }
    worse: tuple[str, ...] = ("kill", "power", "freeze", "cut_ledger", "hand_over", "stop", "call_late")
    later_s = 6.0

    def place(self, around: Around) -> Place:
        return Sound(around.folder / "ledger.db")


SERVERS: Final = Servers()
