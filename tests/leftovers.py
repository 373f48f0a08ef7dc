"""Detects processes and shared memory that a test run has left behind on this machine."""

import os
import time
from pathlib import Path
from typing import Final

# Whatever ends a killed owner's processes, and each one's own stopping, has this long.
ENDS_S: Final = 5.0


def shared_memory() -> set[str]:
    """PostgreSQL's files in the kernel's shared memory that belong to this user."""
    found = Path("/dev/shm").glob("PostgreSQL*")  # noqa: S108
    return {str(path) for path in found if _owner(path) == os.geteuid()}


def _owner(path: Path) -> int | None:
    try:
        return path.stat().st_uid
    except FileNotFoundError:
        return None  # gone meanwhile: `initdb` has some for moments


def until_nothing_is_left(folder: Path, before: set[str]) -> list[str]:
    """Waits, then gives what is left: processes that work in a folder, and new shared memory.

    Memory that a process uses is that of another run, or of a process that is named itself.
    """
    ends = time.monotonic() + ENDS_S
    while (left := [*_processes(folder), *_unused(shared_memory() - before)]) and time.monotonic() < ends:
        time.sleep(0.05)
    return left


def _unused(files: set[str]) -> set[str]:
    """Of these files those that no process has in its memory."""
    unused = set(files)
    for process in Path("/proc").iterdir() if files else ():
        if process.name.isdigit():
            try:
                text = (process / "maps").read_text(errors="replace")
            except (FileNotFoundError, ProcessLookupError, PermissionError):
                continue  # gone meanwhile, or somebody else's
            unused = {file for file in unused if file not in text}
    return unused


def _processes(folder: Path) -> list[str]:
    found = []
    for process in Path("/proc").iterdir():
        if process.name.isdigit():
            try:
                place = (process / "cwd").readlink()
                command = (process / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            except (FileNotFoundError, ProcessLookupError, PermissionError):
                continue  # gone meanwhile, or somebody else's
            if place.is_relative_to(folder):
                found.append(f"process {process.name} in {place}: {command.strip()}")
    return found
