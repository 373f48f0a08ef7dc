"""Answers to an inspector's challenge: HMACs over everything that decides here, not precomputable (S3).

The inspector chooses a seed, and runs the same command on a machine with the same release, interpreter and
dependencies. Equal answers prove equal bytes, as far as the interpreter that computes them can be trusted.
"""

import hmac
import os
import platform
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from importlib import metadata
from pathlib import Path
from typing import Final

from jackpot.program import DISTRIBUTION, PACKAGES, own_files, read_record

# Minimum length of a seed: with a shorter one the answers to every seed could be prepared.
SEED_MIN: Final = 16
PROGRAM: Final = "program"
INTERPRETER: Final = "interpreter"
# Files next to the dependencies that belong to none of them: included so that nothing is loaded unseen.
OTHER: Final = "other files"
# The installer's files differ from machine to machine; bytecode is covered by its source.
_OF_INSTALLER: Final = ("INSTALLER", "RECORD", "REQUESTED", "direct_url.json")
_SITE: Final = ("site-packages", "dist-packages")


def answers(seed: str) -> dict[str, str]:
    """HMAC-SHA256 in hex by subject, with the seed as key."""
    found = {PROGRAM: _answer(seed, own_files()), INTERPRETER: _answer(seed, _interpreter())}
    known, roots = set[Path](), set[Path]()
    for one in sorted(metadata.distributions(), key=lambda one: one.metadata["Name"].lower()):
        name, root = one.metadata["Name"], Path(str(one.locate_file(""))).resolve()
        listed = [root / line.path for line in read_record(one.read_text("RECORD") or "")]
        known.update(listed)
        roots.add(root)
        if name != DISTRIBUTION:
            files = (path for path in listed if path.is_relative_to(root) and _decides(path))
            found[f"{name} {one.version}"] = _answer(seed, _read(root, files))
    found[OTHER] = _answer(
        seed, (pair for root in sorted(roots) for pair in _read(root, _unlisted(root, known)))
    )
    return found


def _answer(seed: str, files: Iterable[tuple[str, bytes]]) -> str:
    """HMAC over names and contents, each with its length, in the order given."""
    total = hmac.new(seed.encode(), digestmod="sha256")
    for name, data in files:
        total.update(f"{name}\0{len(data)}\0".encode() + data)
    return total.hexdigest()


def _decides(path: Path) -> bool:
    of_installer = path.name in _OF_INSTALLER and path.parent.suffix == ".dist-info"
    return path.suffix != ".pyc" and not of_installer


def _read(root: Path, files: Iterable[Path]) -> Iterator[tuple[str, bytes]]:
    """Each file by its name; a missing one by its name alone."""
    for path in sorted(files):
        name = path.relative_to(root).as_posix()
        yield (name, path.read_bytes()) if path.is_file() else (f"{name} is missing", b"")


def _unlisted(root: Path, known: set[Path]) -> Iterator[Path]:
    """Files in a folder of dependencies that no package lists, without this program's own."""
    for path in _below(root):
        if path not in known and path.relative_to(root).parts[0] not in PACKAGES and _decides(path):
            yield path


def _interpreter() -> Iterator[tuple[str, bytes]]:
    """The interpreter: its version, its program and shared library, and its standard library."""
    yield platform.python_implementation(), sys.version.encode()
    yield "executable", Path(sys.executable).resolve().read_bytes()
    library = Path(sysconfig.get_config_var("LIBDIR") or "", sysconfig.get_config_var("LDLIBRARY") or "")
    if library.suffix != ".a" and library.is_file():
        yield "library", library.read_bytes()
    folders = {Path(sysconfig.get_path(name)).resolve() for name in ("stdlib", "platstdlib")}
    for folder in sorted(folders):
        yield from _read(folder, (path for path in _below(folder) if path.suffix != ".pyc"))


def _below(root: Path) -> Iterator[Path]:
    """Every file below a folder, except packages installed next to the standard library."""
    for folder, folders, files in os.walk(root):
        folders[:] = [name for name in folders if name not in (*_SITE, "__pycache__")]
        yield from (Path(folder, name) for name in files)
