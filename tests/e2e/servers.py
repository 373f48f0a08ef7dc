"""Starts several servers on one ledger, plays at all of them, and checks which server answered what."""

import json
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final

from tests.e2e.load import Message, Played, check, free_ports
from tests.e2e.site import Program, Site
from tests.ledger.waiting import open_ledger
from tests.program import jackpot

LISTENERS: Final = ("tables", "signs", "http")


class Server(Site):
    """One `jackpot serve --id NAME` of a shared floor. at: its port of each listener."""

    def __init__(self, floor: "Servers", name: str) -> None:
        Program.__init__(self, floor.folder / f"{name}.toml", "serve", "--id", name)
        self.name = name
        self.folder, self.url, self.keys = floor.folder, floor.url, floor.keys
        self.socket = floor.folder / f"{name}.sock"
        self.at = dict(zip(LISTENERS, free_ports(len(LISTENERS)), strict=True))
        self._before: list[dict[str, Any]] = []

    @property
    def history(self) -> list[dict[str, Any]]:
        """The server's log of all its starts."""
        return [*self._before, *self.log]

    def start(self) -> None:
        """Waits until the server serves, or stands by."""
        self._before += self.log
        Program.start(self)

    def count(self, event: str, **facts: Any) -> int:
        """How many such lines the server has logged since its start."""
        return len([line for line in self.log if line["event"] == event and facts.items() <= line.items()])

    @property
    def up(self) -> bool:
        """Whether the server was started and not ended by the test."""
        return self._process is not None

    def lease(self, *words: str) -> subprocess.CompletedProcess[str]:
        """`jackpot lease WORDS` to this server."""
        return jackpot("lease", *words, "--config", self.config, more={"JACKPOT_SERVER": self.name})

    def has(self, bank: str = "main") -> dict[str, Any]:
        """The server's view of a bank: its holder, and its state here."""
        (found,) = [each for each in self.admin(do="/banks")["banks"] if each["bank"] == bank]
        return dict(found)

    def holds(self, bank: str = "main") -> bool:
        """Whether the server reports that it holds the bank."""
        return bool(self.has(bank)["here"] == "held")

    def stands_by(self, holder: "Server") -> bool:
        """Whether the server stands by and sees that this other one holds the bank."""
        found = self.has()
        here = found["here"].partition(":")[0]
        return (found["holder"].split()[:1], here) == ([holder.name], "standby")


class Servers(Site):
    """A floor with several servers. pins: the banks that a server takes first."""

    def __init__(
        self,
        folder: Path,
        links: str,
        ledger: str,
        names: Sequence[str] = ("a", "b"),
        pins: Mapping[str, Sequence[str]] | None = None,
        **more: Any,
    ) -> None:
        super().__init__(folder, links, ledger=ledger, **more)
        self.each = {name: Server(self, name) for name in names}
        for name, server in self.each.items():
            lines = ["[[server]]", f'id = "{name}"']
            lines += [f'{listener} = "127.0.0.1:{port}"' for listener, port in server.at.items()]
            if pins and name in pins:
                lines.append(f"banks = {json.dumps(list(pins[name]))}")
            self._parts.append("\n".join(lines))

    def __getitem__(self, name: str) -> Server:
        return self.each[name]

    def write(self) -> None:
        """The configuration, for the servers' next start: each has its own file."""
        for name, server in self.each.items():
            server.config.write_text(self.seen_by(name, "\n".join(self._parts)))

    def seen_by(self, name: str, text: str) -> str:
        """The configuration as a server has it: the same, unless one sees the world otherwise."""
        return text

    def addresses(self, listener: str) -> list[str]:
        return [f"127.0.0.1:{server.at[listener]}" for server in self.each.values()]

    def holder(self, bank: str = "main") -> Server:
        """The server that holds a bank; exactly one must."""
        found = [server for server in self.each.values() if server.up and server.holds(bank)]
        assert len(found) == 1, [server.name for server in found]
        return found[0]

    def other(self, server: Server) -> Server:
        """The other one of two servers."""
        (found,) = [each for each in self.each.values() if each is not server]
        return found


@contextmanager
def serving(floor: Servers, *first: str) -> Iterator[Servers]:
    """Starts the named servers, or all, at once; every one is ended whatever happens."""
    floor.write()
    try:
        at_once([floor[name].start for name in first or floor.each])
        yield floor
    finally:
        for server in floor.each.values():
            server.stop(signal.SIGKILL)


def at_once(calls: Sequence[Callable[[], Any]]) -> list[Any]:
    """Runs the calls in parallel threads; returns their results, or raises the first error."""
    with ThreadPoolExecutor(len(calls)) as threads:
        return [done.result() for done in [threads.submit(call) for call in calls]]


class Heard(Played):
    """Record of what the devices of several servers were told, when, and by whom.

    by: (table, seq) -> the port that its answer came from. waited: the longest time between two answers to
    a table. sent_away: the servers named with each `not_active`.
    """

    def __init__(self) -> None:
        super().__init__()
        self.by: dict[tuple[str, int], int] = {}
        self.waited = 0.0
        self.sent_away: list[tuple[str, list[str]]] = []
        self._last: dict[str, float] = {}

    def told(self, device: str, push: Message) -> None:
        if push["t"] == "error" and push["code"] == "not_active":
            self.sent_away.append((device, list(push["servers"])))
        super().told(device, push)

    def answered(self, table: str, kind: str, answer: Message) -> None:
        now = time.monotonic()
        self.waited = max(self.waited, now - self._last.get(table, now))
        self._last[table] = now
        writer = self.tables[table]._writer
        if "expected" not in answer and writer is not None:
            self.by.setdefault((table, answer["seq"]), writer.get_extra_info("peername")[1])
        super().answered(table, kind, answer)

    def longest(self) -> float:
        """The longest wait since this was last asked, seconds."""
        waited, self.waited = self.waited, 0.0
        return waited


def verdict(floor: Servers, heard: Heard, bank: str = "main", kind: str = "") -> None:
    """S4, S5: nothing lost or doubled, books in order; each answer came from a server entitled to give it.

    A server answers what it wrote itself, and what an earlier one wrote once it holds a later epoch.
    """
    names = floor.of("table", kind)
    check(floor.url, names, heard, bank)
    epochs: dict[int, set[str]] = {}
    for server in floor.each.values():
        for line in server.history:
            if line["event"] in {"ledger_checked", "bank_rebuilt"} and line["bank"] == bank:
                epochs.setdefault(line["epoch"], set()).add(server.name)
    assert all(len(holders) == 1 for holders in epochs.values()), epochs
    own = {server.at["tables"]: server.name for server in floor.each.values()}
    with closing(open_ledger(floor.url, readonly=True)) as ledger:
        rows = {
            (names[row.table - 1], row.table_seq): row.epoch
            for row in ledger.rows(bank, 0, 10**9)
            if row.table is not None and row.table_seq is not None
        }
    for key, port in heard.by.items():
        held = [epoch for epoch, holders in epochs.items() if own[port] in holders]
        assert epochs[rows[key]] == {own[port]} or max(held) > rows[key], (key, own[port], rows[key])


def kill(server: Server) -> float:
    """Sends kill -9; returns the monotonic time of it."""
    began = time.monotonic()
    server.stop(signal.SIGKILL)
    return began
