"""The program's identity: each file against the list that came with it, and one digest for a release."""

import csv
import hashlib
import importlib.util
import marshal
import os
import zipfile
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Final

import pytest

from jackpot import __version__, program
from jackpot.program import (
    Installed,
    Program,
    digest_of,
    faults_text,
    installed,
    of_wheel,
    read_record,
    running,
)

OWN: Final = {
    "jackpot/__init__.py": "",
    "jackpot/text.py": "def f(x):\n    return {1, 'b', 2.5, x} | {frozenset({'a', 'b'})}\n",
    "jackpot/web/page.html": "<p>a page</p>",
    "jackpot/schemas/paytables/a.toml": "seed = 1",
    "controllers/__init__.py": "VERSION = 1\n",
    "jackpot-1.dist-info/METADATA": "Name: jackpot",
    "jackpot-1.dist-info/WHEEL": "Wheel-Version: 1.0",
    "jackpot-1.dist-info/entry_points.txt": "[console_scripts]",
    "jackpot-1.dist-info/licenses/LICENSE": "a licence",
}
OF_INSTALLER: Final = {
    "../../bin/jackpot": "#!/somewhere/python",
    "jackpot-1.dist-info/INSTALLER": "pip",
    "jackpot-1.dist-info/REQUESTED": "",
    "jackpot-1.dist-info/direct_url.json": "{}",
}


def line(path: str, text: str) -> list[str]:
    data = text.encode()
    hashed = urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return [path, f"sha256={hashed}", str(len(data))]


def record(*files: dict[str, str], more: tuple[list[str], ...] = ()) -> str:
    """A RECORD of these files, and of what has no hash."""
    rows = [line(path, text) for one in files for path, text in one.items()]
    rows += [["jackpot-1.dist-info/RECORD", "", ""], *more]
    return "".join(",".join(row) + "\n" for row in rows)


def wheel_of(folder: Path, files: dict[str, str]) -> Path:
    """A wheel, of which only the list is read."""
    wheel = folder / "jackpot-1-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("jackpot-1.dist-info/RECORD", record(files))
    return wheel


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder where a small program of that name is installed, which is taken for the one that runs."""
    root = tmp_path / "lib" / "site"
    for path, text in (OWN | OF_INSTALLER).items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    pyc = ["jackpot/__pycache__/words.cpython-311.pyc", "", ""]
    (root / "jackpot-1.dist-info/RECORD").write_text(record(OWN, OF_INSTALLER, more=(pyc,)))
    monkeypatch.setattr(program, "_package", lambda: root / "jackpot")
    found = metadata.Distribution.at(root / "jackpot-1.dist-info")
    monkeypatch.setattr(metadata, "distribution", lambda _name: found)
    running.cache_clear()
    yield root
    running.cache_clear()


def faults() -> tuple[str, ...]:
    found = installed()
    assert bool(found.faults) != bool(found.program.digest)  # what is not proved has no digest
    return found.faults


def test_a_whole_program_has_the_digest_of_its_wheel(root: Path, tmp_path: Path) -> None:
    """S3: the same for a wheel as for what any installer made of it."""
    assert of_wheel(wheel_of(tmp_path, OWN)).digest == running().digest == installed().program.digest != b""
    assert installed() == Installed(running(), files=len(OWN) + len(OF_INSTALLER) + 2)
    lines = sorted(",".join(line(*one)) + "\n" for one in OWN.items())  # as sort and sha256sum do it
    assert running() == Program(__version__, hashlib.sha256("".join(lines).encode()).digest())


@pytest.mark.parametrize("path", [*OWN, "../../bin/jackpot"])
def test_each_file_that_differs_or_is_missing_is_named(root: Path, path: str) -> None:
    """S3: modules, pages, paytables, what the wheel says of itself, and the start script."""
    (root / path).write_text("other")
    assert faults() == (f"{path} differs",)
    (root / path).unlink()
    assert faults() == (f"{path} is missing",)


@pytest.mark.parametrize(
    "path", ["jackpot/more.py", "jackpot/text.pyc", "controllers/x.so", "jackpot/web/y.js"]
)
def test_each_file_that_is_not_listed_is_named(root: Path, path: str) -> None:
    """S3: bytecode, too, where the interpreter would load it without a source."""
    (root / path).write_text("more")
    assert faults() == (f"{path} is not listed",)


def test_a_folder_that_is_a_link_is_named(root: Path, tmp_path: Path) -> None:
    """S3: what is behind the link was not installed."""
    (root / "jackpot/lab").symlink_to(tmp_path)
    assert faults() == ("jackpot/lab is not listed",)


def test_what_the_installer_adds_is_no_part_of_the_digest(root: Path) -> None:
    """S3: it differs from machine to machine, and a list without it gives the same digest."""
    listed = read_record((root / "jackpot-1.dist-info/RECORD").read_text())
    assert digest_of(listed) == digest_of(read_record(record(OWN)))
    assert digest_of(listed) != digest_of(read_record(record({**OWN, "jackpot/text.py": "other"})))


@pytest.mark.parametrize("text", ["", "jackpot/__init__.py,,\n"])
def test_a_list_that_lists_nothing_proves_nothing(root: Path, text: str) -> None:
    """S3: without the list, or without hashes, no digest is claimed."""
    (root / "jackpot-1.dist-info/RECORD").write_text(text)
    assert any("RECORD" in one or "without a hash" in one for one in faults())


def test_a_list_of_another_place_proves_nothing(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """S3: the program that runs is not the one that the list is about."""
    monkeypatch.setattr(program, "_package", lambda: root / "elsewhere" / "jackpot")
    (said,) = faults()
    assert "and the program runs from" in said


def bytecode(source: Path, text: str) -> Path:
    """Bytecode of that text, as the interpreter caches it for a source."""
    cached = Path(importlib.util.cache_from_source(str(source)))
    cached.parent.mkdir(exist_ok=True)
    stands = source.stat()
    header = importlib.util.MAGIC_NUMBER + bytes(4)
    header += int(stands.st_mtime).to_bytes(4, "little") + stands.st_size.to_bytes(4, "little")
    cached.write_bytes(header + marshal.dumps(compile(text, str(source), "exec")))
    return cached


def test_bytecode_is_compiled_again(root: Path) -> None:
    """S3: what the interpreter would read in place of a source is what that source compiles to."""
    source = root / "jackpot/text.py"
    cached = bytecode(source, source.read_text())
    assert faults() == ()
    bytecode(source, source.read_text().replace("2.5", "2.6"))
    assert faults() == (f"{cached.relative_to(root)} differs",)
    cached.write_bytes(cached.read_bytes()[:16] + b"no code")
    assert faults() == (f"{cached.relative_to(root)} differs",)


def test_bytecode_that_is_never_read_is_none(root: Path) -> None:
    """S3: of another time, another interpreter or no source it decides nothing."""
    source = root / "jackpot/text.py"
    cached = bytecode(source, "import os")
    os.utime(source, (1, 1))
    cached.with_name("words.cpython-39.pyc").write_bytes(b"old")
    cached.with_name("gone.cpython-311.pyc").write_bytes(b"of a module that is no more")
    assert faults() == ()


def test_a_checkout_says_that_it_is_one() -> None:
    """S3: these tests run from one; no list is about its files, so it claims no digest."""
    assert program.is_checkout()
    assert installed() == Installed(Program(__version__), checkout=True)


def test_a_sentence_names_the_first_files() -> None:
    """S3: a page and `/readyz` have room for some; the log names all."""
    names = [f"f{number} differs" for number in range(7)]
    assert faults_text(names[:2]) == "f0 differs, f1 differs"
    assert faults_text(names).endswith("f4 differs, and 2 more")


@pytest.mark.parametrize("name", ["jackpot", "other"])
def test_a_file_that_is_no_wheel_of_it_is_refused(tmp_path: Path, name: str) -> None:
    """S3: no digest of something else is taken for the program's."""
    file = tmp_path / "a.whl"
    file.write_text("no archive")
    with pytest.raises(ValueError, match="is no wheel"):
        of_wheel(file)
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(f"{name}-1.dist-info/METADATA", "")
    with pytest.raises(ValueError, match="is no wheel: it has 0 files RECORD"):
        of_wheel(file)
    with zipfile.ZipFile(file, "a") as archive:
        archive.writestr("other-1.dist-info/RECORD", "")
    with pytest.raises(ValueError, match="is a wheel of other"):
        of_wheel(file)


def test_a_record_is_read_as_it_is_written() -> None:
    """S3: a path with a comma stands in quotes."""
    row = next(csv.reader(['"jackpot/a,b.py",sha256=x,1']))
    assert read_record('"jackpot/a,b.py",sha256=x,1\n\n') == [tuple(row)]
