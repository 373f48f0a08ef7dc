"""Starts the measured servers, and measures how much processor time they use."""

import os
import secrets
import subprocess
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Final, NamedTuple, Self
from urllib.request import urlopen

import msgspec

from jackpot.clock import SystemClock
from jackpot.lab.bench.frames import LINK
from jackpot.lab.bench.load import LoadError
from jackpot.lab.testing.postgres import tied

# With 12,000 tables and a million rows a start takes seconds; a busy machine needs several times as long.
STARTS_S: Final = 60.0
STOPS_S: Final = 30.0
_LOOK_EVERY_S: Final = 0.01
_SCRAPE_AGAIN_S: Final = 0.1
_TICKS: Final = os.sysconf("SC_CLK_TCK")
_LOG_TAIL: Final = 1500  # characters
_FREE: Final = "127.0.0.1:0"
# Here all devices have one address, and all may come at once; on a floor each has its own.
_ONE_ADDRESS: Final = 60_000
# Fields of a process's user and system time in /proc/PID/stat, after its name.
_USER, _SYSTEM = 11, 12


class MeasuredSide(ABC):
    """A measured side, as a context manager. pids: of the processes that do its work."""

    @abstractmethod
    def pids(self) -> Iterable[int]:
        """The process ids now."""

    def cpu(self) -> dict[int, float]:
        """Processor seconds that each has used so far."""
        return {pid: _cpu(pid) for pid in self.pids()}


def used(before: dict[int, float], after: dict[int, float]) -> float:
    """Processor seconds between two moments, of the processes that exist at the second."""
    return sum(seconds - before.get(pid, 0.0) for pid, seconds in after.items())


class Cluster(MeasuredSide):
    """Processes that are started and stopped elsewhere. pids: gives their ids."""

    def __init__(self, pids: Callable[[], Iterable[int]]) -> None:
        self._pids = pids

    def pids(self) -> Iterable[int]:
        return self._pids()


class Program(MeasuredSide):
    """A program, started with `words`; its log is in `folder`. program: this interpreter, if not another."""

    def __init__(self, folder: Path, *words: str, program: str = sys.executable) -> None:
        self.folder = folder
        self._command = (program, *words)
        self._process: subprocess.Popen[bytes]

    def pids(self) -> Iterable[int]:
        return [self._process.pid]

    def start(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(  # noqa: S603 - our own programs, and the system's
                [*tied(), *self._command], stdout=log, stderr=log, stdin=subprocess.DEVNULL
            )

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        end({"": self})

    def terminate(self) -> None:
        """Sends the signal to end, and does not wait."""
        self._process.terminate()

    def ended(self, within_s: float) -> bool:
        """Whether it ends by itself within that time; else it is killed."""
        try:
            self._process.wait(within_s)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait(STOPS_S)
            return False
        return True

    @property
    def _log(self) -> Path:
        return self.folder / "log"

    def said(self, wanted: Callable[[str], Any]) -> Any:
        """The match of `wanted` in a line of the log, as soon as there is one. Raises LoadError."""
        ends = time.monotonic() + STARTS_S
        while True:
            lines = self._log.read_text(errors="replace").splitlines(keepends=True)
            for line in lines:
                if line.endswith("\n") and (found := wanted(line)):
                    return found
            if self._process.poll() is not None or time.monotonic() > ends:
                raise LoadError(f"{self.folder.name} does not start: {''.join(lines)[-_LOG_TAIL:].strip()}")
            time.sleep(_LOOK_EVERY_S)


def end(programs: Mapping[str, Program], within_s: float = STOPS_S) -> list[str]:
    """Ends all programs at once, and waits. Returns which had to be killed after that time."""
    for program in programs.values():
        program.terminate()
    ends = time.monotonic() + within_s
    return [
        name for name, program in programs.items() if not program.ended(max(0.0, ends - time.monotonic()))
    ]


class EchoServer(Program):
    """The bare echo. port: its own."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, "-m", "jackpot.lab.bench.echo")
        self.port = 0

    def __enter__(self) -> Self:
        super().__enter__()
        self.port = int(self.said(str.strip))
        return self


class ServedProgram(Program):
    """`jackpot serve` on a configuration. helpers: the database's processes, if any."""

    def __init__(self, config: Path, helpers: Callable[[], Iterable[int]] = tuple) -> None:
        super().__init__(config.parent, "-m", "jackpot.cli", "serve", "--config", str(config))
        self.ports: dict[str, int] = {}
        self._helpers = helpers

    def __enter__(self) -> Self:
        super().__enter__()
        try:
            self.ports = self.said(serving)
        except LoadError:
            self.__exit__(None, None, None)
            raise
        return self

    def pids(self) -> Iterable[int]:
        return [*self._own(), *self._helpers()]

    def _own(self) -> list[int]:
        """The server and its child processes: it starts one that writes large batches."""
        (pid,) = super().pids()
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        return [pid, *map(int, children)]

    def batches(self) -> tuple[float, float]:
        """Rows and commits so far. A scrape is cached for a second, so a stale one is repeated."""
        asked = SystemClock().unix_ms() / 1000
        while True:
            at, rows, commits = self._scraped(
                "jackpot_clock_timestamp_seconds", "jackpot_batch_rows_sum", "jackpot_batch_rows_count"
            )
            if at >= asked:
                return rows, commits
            time.sleep(_SCRAPE_AGAIN_S)

    def _scraped(self, *names: str) -> list[float]:
        """Sums of these metrics over all their labels."""
        with urlopen(f"http://127.0.0.1:{self.ports['http']}/metrics", timeout=STARTS_S) as answer:
            lines = [line.rpartition(" ") for line in answer.read().decode().splitlines() if line[:1] != "#"]
        found = dict.fromkeys(names, 0.0)
        for name, _, value in lines:
            key = name.partition("{")[0]
            if key in found:
                found[key] += float(value)
        return list(found.values())

    def written(self) -> int:
        """Bytes written to disk so far; none where the folder is in memory."""
        counts = [Path(f"/proc/{pid}/io").read_text().splitlines() for pid in self._own()]
        return sum(int(dict(line.split(": ") for line in lines)["write_bytes"]) for lines in counts)

    def resident(self) -> int:
        """Bytes in memory now."""
        return sum(_resident(pid) for pid in self._own())


class JackpotServer(ServedProgram):
    """`jackpot serve` on an empty ledger, for a floor made for it. keys, signs: in hex, by id."""

    def __init__(
        self, folder: Path, url: str, floor: "int | ServedFloor", helpers: Callable[[], Iterable[int]] = tuple
    ) -> None:
        config = folder / "bench.toml"
        super().__init__(config, helpers)
        folder.mkdir(parents=True)
        self.keys, self.signs = furnish(
            config, url, floor if isinstance(floor, ServedFloor) else ServedFloor(floor)
        )


def serving(line: str) -> dict[str, int] | None:
    """The ports in the server's log line that names them."""
    try:
        event = msgspec.json.decode(line, type=dict[str, Any])
    except msgspec.DecodeError:
        return None
    if event.get("event") != "serving":
        return None
    return {name: event[name] for name in ("tables", "signs", "http") if name in event}


def _resident(pid: int) -> int:
    lines = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
    return int(lines["VmRSS"].removesuffix("kB")) * 1024


def _cpu(pid: int) -> float:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return 0.0  # it has ended
    return (int(fields[_USER]) + int(fields[_SYSTEM])) / _TICKS


class ServedFloor(NamedTuple):
    """The devices. tables: that may play, on the first link, which signs show. idle: tables on the last."""

    tables: int
    idle: int = 0
    signs: int = 0
    links: int = 1


class Keys(NamedTuple):
    """Keys in hex, by id: of tables, those that may play first, and of signs."""

    tables: dict[str, str]
    signs: dict[str, str]


def furnish(config: Path, url: str, floor: ServedFloor) -> Keys:
    """Writes a configuration of such a floor, with links of three levels, and the keys."""
    links = [LINK, *(f"{LINK}{number}" for number in range(2, floor.links + 1))]
    parts = [
        '[site]\nname = "Bench"\ncurrency = "USD"\ngaming_day_ends = "06:00"\ntimezone = "UTC"',
        f'[ledger]\nurl = "{url}"',
        f'[listen]\ntables = "{_FREE}"\nhttp = "{_FREE}"\nstrangers_per_address = {_ONE_ADDRESS}'
        + (f'\nsigns = "{_FREE}"' if floor.signs else ""),
        "[limits]\ncommands_per_second = 1000000\nbytes_per_second = 1073741824",
    ]
    for link in links:
        terms = 'paytable = "pa-643a-five-card-C"\nwager = "1.00"\ndecks = 1\nvalidate_at = "500.00"'
        terms += "\ncount_chips = false"  # nobody counts the bench's chips
        terms += "\nhold_table = false"  # a table plays on while its hit waits
        parts.append(f'[[link]]\nid = "{link}"\n{terms}')
    tables = {f"T{number:05}": secrets.token_hex(32) for number in range(1, floor.tables + floor.idle + 1)}
    signs = {f"S{number:05}": secrets.token_hex(32) for number in range(1, floor.signs + 1)}
    for number, name in enumerate(tables):
        link = links[0 if number < floor.tables else -1]
        place = f'id = "{name}"\ngame = "let-it-ride"\nseats = 7\nlinks = ["{link}"]\nkey_file = "{name}"'
        parts.append(f"[[table]]\n{place}")
    parts += [f'[[sign]]\nid = "{name}"\nlinks = ["{LINK}"]\nkey_file = "{name}"' for name in signs]
    for name, key in (tables | signs).items():
        path = config.with_name(name)
        path.touch(mode=0o600)
        path.write_text(key)
    config.write_text("\n\n".join(parts) + "\n")
    return Keys(tables, signs)
