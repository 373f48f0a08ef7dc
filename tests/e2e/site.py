"""Starts the real program for a test: one configuration and process, its ports, log and command line."""

import json
import os
import secrets
import signal
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, Final, TypeVar

from tests.e2e.vendor import WAIT_S, Vendor
from tests.program import Started, jackpot
from tests.running_server import administered

HEAD = """
[site]
name = "Riverside"
currency = "USD"
gaming_day_ends = "06:00"
timezone = "America/New_York"
[ledger]
{ledger}
[listen]
tables = "127.0.0.1:0"
signs = "127.0.0.1:0"
http = "127.0.0.1:0"
{listen}
[people]
required = false
[limits]
heartbeat_ms = {heartbeat_ms}
commands_per_second = {commands}
bytes_per_second = {bytes}
refusals_per_second = {refusals}
"""
STDOUT: Final = 1


class Program:
    """One `jackpot COMMAND --config FILE`: its process, ports and log. more: additional environment."""

    def __init__(self, config: Path, *words: str) -> None:
        self.config = config
        self.more: dict[str, str] = {}
        self.ports: dict[str, int] = {}
        self.log: list[dict[str, Any]] = []
        self._words = words
        self._process: Started | None = None
        self._reader: threading.Thread | None = None
        self._logged = threading.Condition()
        self._over = True

    def start(self) -> None:
        """Waits until the program serves."""
        self.log.clear()
        self._over = False
        errors, theirs = os.pipe()
        with Path(os.devnull).open() as nothing:
            streams = nothing.fileno(), STDOUT, theirs
            self._process = Started(*self._words, "--config", self.config, streams=streams, more=self.more)
        os.close(theirs)
        self._reader = threading.Thread(target=self._read, args=(errors,), daemon=True)
        self._reader.start()
        self.ports = self.logged("serving")

    def stop(self, number: int = signal.SIGTERM) -> int:
        """Ends the server; its exit code."""
        if self._process is None or self._reader is None:
            return 0
        self._process.send_signal(number)
        return self.ended()

    def ended(self) -> int:
        """Waits until the server, which was told to end, has ended; its exit code."""
        assert self._process is not None
        assert self._reader is not None
        code = self._process.wait(WAIT_S)
        self._reader.join(WAIT_S)
        self._process = None
        return code

    def signal(self, number: int) -> None:
        assert self._process is not None
        self._process.send_signal(number)

    def children(self) -> list[int]:
        """The processes that it has started and that still run."""
        assert self._process is not None
        return [
            int(pid)
            for pid in Path(f"/proc/{self._process.pid}/task/{self._process.pid}/children")
            .read_text()
            .split()
        ]

    def logged(self, event: str, *, seen: int = 0, **facts: Any) -> dict[str, Any]:
        """Waits for the first log line of that event with these fields. seen: so many before it are known."""

        def found() -> dict[str, Any] | None:
            lines = (
                line
                for line in self.log
                if line["event"] == event and all(line.get(k) == v for k, v in facts.items())
            )
            return next(islice(lines, seen, None), None)

        with self._logged:
            assert self._logged.wait_for(lambda: found() or self._over, WAIT_S), f"{event} was never logged"
            line = found()
        assert line is not None, f"the server ended without {event}: {self.log}"
        return line

    def _read(self, errors: int) -> None:
        with open(errors) as texts:
            for text in texts:
                try:
                    line = json.loads(text)
                except json.JSONDecodeError:
                    line = {"event": "text", "text": text.rstrip()}
                with self._logged:
                    self.log.append(line)
                    self._logged.notify_all()
        with self._logged:
            self._over = True
            self._logged.notify_all()


class Site(Program):
    """One floor in a folder of its own. Devices are added before `start`; a kind names a table's links.

    ledger: its URL, instead of a file in the folder. more, listen: further lines of [ledger] and [listen].
    """

    def __init__(
        self,
        folder: Path,
        links: str,
        *,
        heartbeat_ms: int = 60_000,
        commands: int = 1_000_000,
        size: int = 1_073_741_824,
        refusals: int = 1_000_000,
        ledger: str = "",
        more: str = "",
        listen: str = "",
    ) -> None:
        super().__init__(folder / "config.toml", "serve")
        self.folder = folder
        self.url = ledger or f"sqlite:///{folder}/ledger.db"
        self.socket = folder / ("config.sock" if ledger else "ledger.sock")
        self.keys: dict[str, bytes] = {}
        self._parts = [
            HEAD.format(
                ledger=f"url = {json.dumps(self.url)}\n{more}",
                listen=listen,
                heartbeat_ms=heartbeat_ms,
                commands=commands,
                bytes=size,
                refusals=refusals,
            ),
            links,
        ]
        self._unused: dict[str, list[str]] = {}

    # Building

    def encrypt(self, cert: str, key: str) -> None:
        """Every listener has TLS with these files."""
        self._parts[0] += f"[listen.tls]\ncert = {json.dumps(cert)}\nkey = {json.dumps(key)}\n"

    def add(
        self, role: str, links: Sequence[str], count: int = 1, kind: str = "", seats: int = 7, **more: Any
    ) -> None:
        """Devices of a kind; tables play Let It Ride unless `game` says otherwise."""
        for _ in range(count):
            device = f"{role[0].upper()}{len(self.keys) + 1:02}"
            self.keys[device] = secrets.token_bytes(32)
            file = self.folder / device
            file.touch(mode=0o600)
            file.write_text(self.keys[device].hex())
            lines = [f"[[{role}]]", f'id = "{device}"', f"links = {json.dumps(list(links))}"]
            lines.append(f'key_file = "{device}"')
            if role == "table":
                fields = {"game": "let-it-ride", "seats": seats, **more}
                lines += [f"{name} = {json.dumps(value)}" for name, value in fields.items()]
            self._parts.append("\n".join(lines))
            self._unused.setdefault(kind or role, []).append(device)

    def unused(self, kind: str = "table") -> str:
        """A device of that kind that no test has used yet."""
        return self._unused[kind].pop(0)

    def devices(self, role: str) -> list[str]:
        """Every device of a role, in order."""
        return [device for device in self.keys if device.startswith(role[0].upper())]

    def of(self, role: str, kind: str = "") -> list[str]:
        """The devices of a role that were added as such a kind, or all, in order."""
        return [name for name in self.devices(role) if not kind or name in self._unused[f"{role} {kind}"]]

    def addresses(self, listener: str) -> list[str]:
        """The address of a listener for its devices."""
        return [f"127.0.0.1:{self.ports[listener]}"]

    # Running

    def begin(self, typed: str) -> None:
        """Creates the first two people before the first start. typed: their data, as `users init` asks."""
        self.config.write_text("\n".join(self._parts))
        done = jackpot("users", "init", "--config", self.config, given=typed)
        assert done.returncode == 0, done.stderr

    def start(self) -> None:
        self.config.write_text("\n".join(self._parts))
        super().start()

    def cli(self, *words: str) -> str:
        """`jackpot WORDS --config FILE`; what it printed."""
        done = jackpot(*words, "--config", self.config)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def admin(self, **request: Any) -> dict[str, Any]:
        """One request over the admin socket, as the command line makes it."""
        return administered(self.socket, **request)

    def get(self, path: str) -> str:
        """The text at a path of the HTTP listener."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.ports['http']}{path}", timeout=WAIT_S) as found:
            return str(found.read().decode())

    def status(self, path: str) -> int:
        """The status at a path of the HTTP listener."""
        try:
            self.get(path)
        except urllib.error.HTTPError as error:
            with error:
                return error.code
        return 200

    # Devices

    def connect(self, role: str = "table", receive_buffer: int | None = None) -> Vendor:
        return Vendor(self.ports[f"{role}s"], receive_buffer)

    @contextmanager
    def table(self, name: str, **hello: Any) -> Iterator[Vendor]:
        """A welcomed table; the welcome is the second frame that it heard."""
        with self.connect("table") as device:
            device.hello(self.keys[name], "table", name, **hello)
            device.welcome()
            yield device

    @contextmanager
    def sign(self, name: str, **hello: Any) -> Iterator[Vendor]:
        with self.connect("sign") as device:
            device.hello(self.keys[name], "sign", name, **hello)
            device.welcome()
            yield device


Running = TypeVar("Running", bound=Program)


@contextmanager
def running(site: Running) -> Iterator[Running]:
    """Starts it, and ends it whatever happens."""
    try:
        site.start()
        yield site
    finally:
        site.stop(signal.SIGKILL)
