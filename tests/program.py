"""Runs `jackpot` in tests as a separate process, forked from one that has already loaded the program.

Loading the program costs half a second of a processor, and tests start it some hundred times. Each start here
has its own process, arguments, files, signals and exit code. Only loading is shared. What a fresh interpreter
loads, and that it is enough, is proved by tests/test_wheel.py and tests/e2e/test_serve.py.
"""

import atexit
import contextlib
import gc
import io
import json
import os
import select
import shlex
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, Final, NoReturn

import typer

from tests import ceilings

WITHIN_S: Final = ceilings.PROGRAM_S
# One call: its words and its environment. A longer one does not fit into a packet.
CALL_MAX: Final = 128 * 1024
# With this in its environment a server writes every batch by a process of its own, not the large ones alone,
# and starts another at once where that has ended.
EACH_BATCH_APART: Final = "EACH_BATCH_APART"
# Where a test gives one of these, it must be there before the interpreter is: a library under it, another
# program in place of this one. What the whole run has of them, the source has too.
OWN_START: Final = {"LD_PRELOAD", "PYTHONPATH"}
_STREAMS: Final = 3
_NUMBER: Final = struct.Struct("i")
_one_at_a_time: Final = threading.Lock()


def jackpot(
    *words: str | Path, given: str = "", more: Mapping[str, str] | None = None
) -> "subprocess.CompletedProcess[str]":
    """Runs a command line to its end. given: its input. more: additional environment variables.

    Raises TimeoutExpired, and kills it then.
    """
    with tempfile.TemporaryFile() as fed, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as error:
        fed.write(given.encode())
        fed.seek(0)
        started = Started(*words, streams=(fed.fileno(), out.fileno(), error.fileno()), more=more)
        try:
            code = started.wait()
        finally:
            started.kill()
        texts = []
        for file in (out, error):
            file.seek(0)
            texts.append(file.read().decode())
    done = subprocess.CompletedProcess(words, code, *texts)
    if code:
        print(f"$ {shlex.join(['jackpot', *map(str, words)])}: {code}", done.stderr, sep="\n")
    return done


class Started:
    """A running `jackpot WORDS`. streams: its input, output and errors. more: additional environment."""

    def __init__(
        self, *words: str | Path, streams: tuple[int, int, int], more: Mapping[str, str] | None = None
    ) -> None:
        self._news, theirs = os.pipe()
        call = {
            "words": [str(word) for word in words],
            "folder": str(Path.cwd()),
            "environment": {**os.environ, **(more or {})},
            "own": bool(OWN_START & (more or {}).keys()),
        }
        try:
            with _one_at_a_time:
                socket.send_fds(_source(), [json.dumps(call).encode()], [*streams, theirs])
        finally:
            os.close(theirs)
        self.pid = _NUMBER.unpack(os.read(self._news, _NUMBER.size))[0]
        self._code: int | None = None

    def send_signal(self, number: int) -> None:
        if self._ended(0) is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """Ends it if it runs, and waits for its end."""
        self.send_signal(signal.SIGKILL)
        self.wait()

    def wait(self, within_s: float = WITHIN_S) -> int:
        """Waits for the exit code, negative for a signal. Raises TimeoutExpired."""
        code = self._ended(within_s)
        if code is None:
            raise subprocess.TimeoutExpired("jackpot", within_s)
        return code

    def _ended(self, within_s: float) -> int | None:
        if self._code is None and select.select([self._news], [], [], within_s)[0]:
            self._code = _NUMBER.unpack(os.read(self._news, _NUMBER.size))[0]
            os.close(self._news)
        return self._code


@cache
def _source() -> socket.socket:
    """Connection to the fork server that starts the others; it ends with this process."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, CALL_MAX)
    with theirs:
        process = subprocess.Popen(
            [sys.executable, "-m", __name__, str(theirs.fileno())],
            stdin=subprocess.DEVNULL,
            pass_fds=[theirs.fileno()],
            cwd=Path(__file__).parent.parent,
            start_new_session=True,
        )

    def end() -> None:
        ours.close()
        process.wait()

    atexit.register(end)
    return ours


def _load() -> None:
    """Imports all modules that a command may need."""
    cli = import_module("jackpot.cli.__main__")
    for module in ("jackpot.app", "jackpot.signage", "redis.asyncio", "asyncpg"):
        import_module(module)
    for module, *_ in cli.COMMANDS.values():
        import_module(module)
    _use_typer()
    gc.freeze()


def _use_typer() -> None:
    """Reads a command line and shows a help: what typer loads for these costs more than most commands."""
    app = typer.Typer()

    @app.command()
    def command(file: Path = Path(), number: int = 0, *, flag: bool = False) -> None:
        """A command with options of each kind."""

    with contextlib.redirect_stdout(io.StringIO()):
        app(["--number", "1", "--file", ".", "--flag"], standalone_mode=False)
        app(["--help"], standalone_mode=False)


def _forked(calls: socket.socket) -> list[str] | None:
    """Forks a process for each call. Returns its arguments in the child, and None here at the end."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for the keepers
    while True:
        said, files, _, _ = socket.recv_fds(calls, CALL_MAX, _STREAMS + 1)
        if not said:
            return None
        if not os.fork():
            calls.close()
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            if process := os.fork():
                _keep(process, files)
            return _become(json.loads(said), files)
        for file in files:
            os.close(file)


def _keep(process: int, files: list[int]) -> NoReturn:
    """Reports the pid of the process, waits for its end, and reports its exit status."""
    *streams, news = files
    for file in streams:
        os.close(file)
    os.write(news, _NUMBER.pack(process))
    _, status = os.waitpid(process, 0)
    os.write(news, _NUMBER.pack(os.waitstatus_to_exitcode(status)))
    os._exit(0)


def _become(call: dict[str, Any], files: list[int]) -> list[str]:
    """Takes over the streams, folder and environment of a call; returns its arguments."""
    *streams, news = files
    os.close(news)
    for number, file in enumerate(streams):
        os.dup2(file, number)
        os.close(file)
    os.chdir(call["folder"])
    words: list[str] = call["words"]
    if call["own"]:
        os.execve(  # noqa: S606
            sys.executable, [sys.executable, "-m", "jackpot.cli", *words], call["environment"]
        )
    os.environ.clear()
    os.environ.update(call["environment"])
    if EACH_BATCH_APART in os.environ:
        vars(import_module("jackpot.ledger.open"))["LARGE"] = 1
        vars(import_module("jackpot.ledger.sqlite.writer_process"))["AGAIN_S"] = 0.0
    return words


if __name__ == "__main__":
    _load()
    with socket.socket(fileno=int(sys.argv[1])) as source:
        wanted = _forked(source)
    if wanted is not None:
        sys.argv = ["jackpot", *wanted]
        import_module("jackpot.cli.__main__").main()
