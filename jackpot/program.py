"""The program's identity: its release, and a digest over the files that the release's wheel lists (S3).

A wheel comes with `RECORD`, a list of its files with their SHA-256, and the installer keeps it. `installed`
compares every file with that list. The digest is over the wheel's own lines of it, so that it is the same on
every machine, and the same for the wheel itself. What the installer adds is compared, too, but is not in the
digest: it differs from machine to machine.

This finds accidents and partial changes. It does not find an owner of the machine who changes the list with
the files, or this file.
"""

import csv
import hashlib
import importlib.util
import marshal
import os
import shlex
import sys
import zipfile
from base64 import urlsafe_b64encode
from collections.abc import Iterable, Iterator
from functools import cache
from importlib import metadata
from io import StringIO
from pathlib import Path, PurePosixPath
from typing import Final, NamedTuple

import jackpot
from jackpot import __version__

DISTRIBUTION: Final = "jackpot"
# The folders that the wheel installs.
PACKAGES: Final = ("jackpot", "controllers")
RECORD: Final = "RECORD"
# What a wheel has of its `.dist-info`. Whatever else lies there is of the installer.
_OF_WHEEL: Final = ("METADATA", "WHEEL", "entry_points.txt")
_LICENSES: Final = "licenses"
_BYTECODE: Final = ".pyc"
_CACHE: Final = "__pycache__"
# The header of a bytecode file: a magic number, flags, and by these the source's time and size, or its hash.
_HEADER_BYTES: Final = 16
_WORD: Final = 0xFFFF_FFFF
# A form of marshal without references between objects: equal code has equal bytes.
_PLAIN: Final = 2
# So many files are named in a sentence; the log names all.
NAMED_MAX: Final = 5


def lab_install() -> str:
    """The command that adds the extra `lab`, plots and simulated decks, to this program's environment."""
    return f"{shlex.quote(sys.executable)} -m pip install '{DISTRIBUTION}[lab]'"


class Program(NamedTuple):
    """The identity of a program. version: the release. digest: 32 bytes over the wheel's lines of RECORD.

    The digest is empty where nothing shows that the files are those of a wheel.
    """

    version: str
    digest: bytes = b""


class Installed(NamedTuple):
    """The result of checking the running program's files.

    checkout: it runs from its source tree, as an editable install does, which no list is about. faults: a
    sentence for each file that is not as it is listed; then the program has no digest. files: how many were
    compared.
    """

    program: Program
    checkout: bool = False
    faults: tuple[str, ...] = ()
    files: int = 0


class Listed(NamedTuple):
    """A line of RECORD. hash: as `sha256=...`; it and the size are empty where the list has none."""

    path: str
    hash: str
    size: str

    def is_of_wheel(self) -> bool:
        """Whether the wheel itself lists it; what the installer added is not."""
        folder, *rest = PurePosixPath(self.path).parts
        if folder in PACKAGES:
            return not self.path.endswith(_BYTECODE)
        return folder.endswith(".dist-info") and (rest[0] in _OF_WHEEL or rest[0] == _LICENSES)


class _Installation(NamedTuple):
    """Location of the installed program. root: to which the paths of the list are relative."""

    root: Path
    listed: list[Listed]


class _Unlisted(Exception):
    """There is no list of the installed files; its text says why."""


def is_checkout() -> bool:
    """Whether the program runs from its source tree: `pyproject.toml` lies next to the package."""
    return (_package().parent / "pyproject.toml").is_file()


@cache
def running() -> Program:
    """The program by its list alone, without a look at the files. It is what it is as long as it runs."""
    if is_checkout():
        return Program(__version__)
    try:
        return Program(__version__, digest_of(_place().listed))
    except _Unlisted:
        return Program(__version__)


def installed() -> Installed:
    """Compares every installed file with the list, and bytecode with its source. Some tenths of a second."""
    if is_checkout():
        return Installed(Program(__version__), checkout=True)
    try:
        place = _place()
    except _Unlisted as error:
        return Installed(Program(__version__), faults=(str(error),))
    faults = tuple(sorted([*_changed(place), *_extra(place)]))
    program = Program(__version__, b"" if faults else digest_of(place.listed))
    return Installed(program, faults=faults, files=len(place.listed))


def of_wheel(wheel: Path) -> Program:
    """The program that a wheel installs. Raises OSError, or ValueError where the file is no wheel of it."""
    try:
        with zipfile.ZipFile(wheel) as archive:
            found = [name for name in archive.namelist() if name.endswith(f".dist-info/{RECORD}")]
            if len(found) != 1:
                raise ValueError(f"{wheel.name} is no wheel: it has {len(found)} files {RECORD}")
            name, _, rest = found[0].removesuffix(f".dist-info/{RECORD}").partition("-")
            listed = read_record(archive.read(found[0]).decode())
    except zipfile.BadZipFile as error:
        raise ValueError(f"{wheel.name} is no wheel: {error}") from error
    if name != DISTRIBUTION:
        raise ValueError(f"{wheel.name} is a wheel of {name}")
    return Program(rest, digest_of(listed))


def faults_text(faults: Iterable[str]) -> str:
    """The first of the faults in one sentence, and how many more there are."""
    faults = list(faults)
    more = len(faults) - NAMED_MAX
    return ", ".join(faults[:NAMED_MAX]) + (f", and {more} more" if more > 0 else "")


def read_record(text: str) -> list[Listed]:
    """The lines of a RECORD."""
    return [Listed(*(*row, "", "")[:3]) for row in csv.reader(StringIO(text)) if row]


def digest_of(listed: Iterable[Listed]) -> bytes:
    """SHA-256 over the wheel's own lines, in the order of their bytes, each with a newline at its end.

    `grep -v` of the list's own line, `LC_ALL=C sort` and `sha256sum` make the same of a wheel's RECORD.
    """
    lines = sorted(",".join(one).encode() for one in listed if one.is_of_wheel())
    return hashlib.sha256(b"".join(line + b"\n" for line in lines)).digest()


def own_files() -> Iterator[tuple[str, bytes]]:
    """The program's own files as they are now, by path, in order: those in its folders, without bytecode.

    A folder that is a link has no bytes.
    """
    root = _package().parent
    for path in sorted(_files_in(root)):
        if not path.endswith(_BYTECODE):
            yield path, (root / path).read_bytes() if (root / path).is_file() else b""


def _package() -> Path:
    """The folder that this program was loaded from."""
    return Path(jackpot.__file__).parent


def _place() -> _Installation:
    """The list of what is installed here. Raises _Unlisted."""
    try:
        distribution = metadata.distribution(DISTRIBUTION)
    except metadata.PackageNotFoundError as error:
        raise _Unlisted(f"nothing says what was installed: there is no {DISTRIBUTION}-*.dist-info") from error
    text = distribution.read_text(RECORD)
    if not text:
        raise _Unlisted(f"the list of the installed files is missing: {RECORD}")
    root = Path(str(distribution.locate_file(""))).resolve()
    if root != _package().parent.resolve():
        raise _Unlisted(f"{RECORD} lists what is installed in {root}, and the program runs from {_package()}")
    return _Installation(root, read_record(text))


def _changed(place: _Installation) -> Iterator[str]:
    """A sentence for each listed file that is missing or has other bytes, and each bytecode that differs."""
    for one in place.listed:
        if one.path.endswith(_BYTECODE) or PurePosixPath(one.path).name == RECORD:
            continue  # bytecode is compiled again; the list does not list itself
        if not one.hash:
            if one.is_of_wheel():
                yield f"{one.path} is listed without a hash"
            continue
        file = place.root / one.path
        try:
            data = file.read_bytes()
        except FileNotFoundError:
            yield f"{one.path} is missing"
            continue
        except OSError as error:
            yield f"{one.path} cannot be read ({error.strerror})"
            continue
        if _hash(one.hash, data) != one.hash:
            yield f"{one.path} differs"
        elif one.is_of_wheel() and file.suffix == ".py" and (cached := _other_bytecode(file, data)):
            yield f"{cached.relative_to(place.root) if cached.is_relative_to(place.root) else cached} differs"


def _hash(like: str, data: bytes) -> str:
    """The hash of the bytes, written as the list has it; "" of a kind that this interpreter lacks."""
    name = like.partition("=")[0]
    if name not in hashlib.algorithms_guaranteed:
        return ""
    digest = hashlib.new(name, data).digest()
    return f"{name}={urlsafe_b64encode(digest).rstrip(b'=').decode()}"


def _extra(place: _Installation) -> Iterator[str]:
    """A sentence for each file in the program's folders that is not listed."""
    known = {one.path for one in place.listed}
    for path in _files_in(place.root):
        if path not in known and not _is_cached(path):
            yield f"{path} is not listed"


def _is_cached(path: str) -> bool:
    """Whether it is bytecode where the interpreter keeps it: read only together with its source."""
    return path.endswith(_BYTECODE) and PurePosixPath(path).parent.name == _CACHE


def _files_in(root: Path) -> Iterator[str]:
    """Every file in the program's folders; a folder that is a link is named as one, and not entered."""
    for package in PACKAGES:
        for folder, folders, files in os.walk(root / package):
            here = Path(folder)
            links = [name for name in folders if (here / name).is_symlink()]
            for name in (*files, *links):
                yield (here / name).relative_to(root).as_posix()


def _other_bytecode(source: Path, data: bytes) -> Path | None:
    """The bytecode that the interpreter would read for a source, where it is not what that compiles to."""
    cached = Path(importlib.util.cache_from_source(str(source)))
    try:
        found = cached.read_bytes()
    except OSError:
        return None  # there is none, or the interpreter cannot read it either: the source is compiled
    if not _would_be_read(found, source):
        return None
    try:
        code = marshal.loads(found[_HEADER_BYTES:])  # noqa: S302 - the interpreter has loaded the same already
        compiled = compile(data, code.co_filename, "exec", dont_inherit=True)
        same = marshal.dumps(code, _PLAIN) == marshal.dumps(compiled, _PLAIN)
    except (ValueError, TypeError, EOFError, AttributeError, SyntaxError):
        return cached  # it holds no code
    return None if same else cached


def _would_be_read(found: bytes, source: Path) -> bool:
    """Whether the interpreter takes it for the source's: of this version, and of its time and size."""
    magic, flags = found[:4], int.from_bytes(found[4:8], "little")
    if magic != importlib.util.MAGIC_NUMBER:
        return False
    if flags:
        return True  # it names a hash of the source, or is not compared with it at all
    stands = source.stat()
    said = tuple(int.from_bytes(found[at : at + 4], "little") for at in (8, 12))
    return said == (int(stands.st_mtime) & _WORD, stands.st_size & _WORD)
