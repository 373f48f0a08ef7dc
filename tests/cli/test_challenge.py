"""Answers to an inspector's challenge depend on every byte and on the seed."""

from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

from jackpot.cli import challenge
from jackpot.cli.challenge import INTERPRETER, OTHER, PROGRAM, answers

SEED = "an inspector's own"


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """One dependency, with a list of its files; what the interpreter is takes no time here."""
    site = tmp_path / "lib" / "site-packages"
    files = {"dep/__init__.py": "1", "dep-1.dist-info/METADATA": "Name: Dep\nVersion: 1\n"}
    for path, text in files.items():
        (site / path).parent.mkdir(parents=True, exist_ok=True)
        (site / path).write_text(text)
    listed = "".join(f"{path},,\n" for path in (*files, "dep-1.dist-info/RECORD", "../../bin/dep"))
    (site / "dep-1.dist-info/RECORD").write_text(listed)
    found: Any = [metadata.Distribution.at(site / "dep-1.dist-info")]
    monkeypatch.setattr(metadata, "distributions", lambda: found)
    monkeypatch.setattr(challenge, "own_files", lambda: iter([("jackpot/a.py", b"a")]))
    monkeypatch.setattr(challenge, "_interpreter", lambda: iter([("executable", b"python")]))
    return site


def changed(site: Path, path: str, text: str) -> set[str]:
    """Which answers are others once that file has that text."""
    before = answers(SEED)
    (site / path).parent.mkdir(parents=True, exist_ok=True)
    (site / path).write_text(text)
    after = answers(SEED)
    return {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}


def test_each_part_has_an_answer_of_its_own(site: Path) -> None:
    """S3: program, interpreter, each dependency, and what lies next to them; by the seed."""
    found = answers(SEED)
    assert list(found) == [PROGRAM, INTERPRETER, "Dep 1", OTHER]
    assert len(set(found.values())) == len(found)
    assert answers(SEED) == found
    assert not set(answers(SEED + "!").values()) & set(found.values())


@pytest.mark.parametrize(
    ("path", "name"),
    [("dep/__init__.py", "Dep 1"), ("sitecustomize.py", OTHER), ("dep/more.py", OTHER), ("a.pth", OTHER)],
)
def test_another_byte_is_another_answer(site: Path, path: str, name: str) -> None:
    """S3: in a dependency, or in what nobody installed."""
    assert changed(site, path, "2") == {name}


def test_a_file_that_is_missing_is_another_answer(site: Path) -> None:
    """S3: as much as one that differs."""
    before = answers(SEED)
    (site / "dep/__init__.py").unlink()
    assert answers(SEED)["Dep 1"] != before["Dep 1"]


@pytest.mark.parametrize("path", ["dep/__pycache__/x.pyc", "dep-1.dist-info/INSTALLER", "jackpot/own.py"])
def test_what_differs_from_machine_to_machine_counts_nowhere(site: Path, path: str) -> None:
    """S3: bytecode and the installer's own; this program has its own answer."""
    assert changed(site, path, "2") == set()


def test_the_interpreter_answers_with_its_library() -> None:
    """S3: its program and each module that it brings; no bytecode, and nothing that is installed."""
    names = [name for name, _ in challenge._interpreter()]
    assert {"executable", "json/decoder.py", "os.py"} <= set(names)
    assert not [name for name in names if name.endswith(".pyc") or "site-packages" in name]
