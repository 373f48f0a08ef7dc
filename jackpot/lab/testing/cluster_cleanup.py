"""Finds and removes what is left of a database cluster, running or on disk.

A cluster's processes are those that work in its data folder: every PostgreSQL process does, orphans too.
This file imports nothing but the standard library and is also a program, which `guard` starts: it outlives
the process that started the cluster, and clears up after it if it is killed.
"""

import ctypes
import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

KILL_ENDS_S: Final = 30.0  # a killed process that waits for its disk is gone when the disk has answered
_LOOK_EVERY_S: Final = 0.002
_IPC_RMID: Final = 0
# The line of postmaster.pid that names the shared memory: its key and its id.
_SHARED_MEMORY_LINE: Final = 6

# Waits until its input ends. A word before that says that there is nothing to clear up. A shell waits,
# because it is the smallest program that can. Signals to a terminal's whole group do not reach it.
_WAITING: Final = 'trap "" INT HUP TERM; read -r word || exec "$@"'


def inside(data: Path) -> set[int]:
    """The processes that work in a cluster's data folder, without zombies."""
    found = set()
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                place = (entry / "cwd").readlink()
            except (FileNotFoundError, ProcessLookupError, PermissionError):
                continue  # gone meanwhile, or of another user
            if place == data:
                found.add(int(entry.name))
    return found


def freeze(data: Path) -> set[int]:
    """Stops (SIGSTOP) every process of the cluster, also those forked meanwhile; returns them."""
    frozen: set[int] = set()
    while new := inside(data) - frozen:
        send(new, signal.SIGSTOP)
        frozen |= new
    return frozen


def thaw(data: Path) -> None:
    """Continues a frozen cluster."""
    send(inside(data), signal.SIGCONT)


def kill(data: Path) -> None:
    """Kills the whole cluster at one moment, as a power cut of its node does. Raises TimeoutError."""
    killed = freeze(data)
    send(killed, signal.SIGKILL)
    ends = time.monotonic() + KILL_ENDS_S
    while inside(data):
        if time.monotonic() > ends:
            raise TimeoutError(f"the processes in {data} do not end")
        time.sleep(_LOOK_EVERY_S)
    if killed:
        _forget_memory(data / "postmaster.pid")


def _forget_memory(pid_file: Path) -> None:
    """Frees the few bytes of shared memory that a killed cluster leaves in the kernel."""
    lines = pid_file.read_text().splitlines() if pid_file.exists() else []
    if len(lines) > _SHARED_MEMORY_LINE:
        # It fails only where there is none any more.
        ctypes.CDLL(None).shmctl(int(lines[_SHARED_MEMORY_LINE].split()[1]), _IPC_RMID, None)


def remove(folder: Path, data: Path) -> None:
    """Kills what runs in a folder, and removes it."""
    kill(data)
    shutil.rmtree(folder, ignore_errors=True)


def send(processes: set[int], number: signal.Signals) -> None:
    """Sends a signal to each process that still exists."""
    for process in processes:
        with suppress(ProcessLookupError):  # it ended by itself
            os.kill(process, number)


def guard(folder: Path, data: Path, *, keep: bool) -> "subprocess.Popen[bytes]":
    """Starts a watchdog that kills the cluster once this process is gone; removes it unless `keep`."""
    program = [sys.executable, "-I", "-S", __file__, "keep" if keep else "remove", str(folder), str(data)]
    return subprocess.Popen(  # noqa: S603 - this very file
        ["/bin/sh", "-c", _WAITING, "guard", *program],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd="/",
        start_new_session=True,
    )


def dismiss(guarding: "subprocess.Popen[bytes]") -> None:
    """Ends a watchdog that has nothing left to clean up."""
    guarding.communicate(b"done\n")


if __name__ == "__main__":
    what, *paths = sys.argv[1:]
    if what == "keep":
        kill(Path(paths[1]))
    else:
        remove(Path(paths[0]), Path(paths[1]))
