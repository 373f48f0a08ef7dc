"""`jackpot about`: the program's digest, the integrity of installed files, and a wheel's digest."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from jackpot import __version__, program
from jackpot.cli.__main__ import root
from tests import test_program
from tests.test_program import OF_INSTALLER, OWN, record, wheel_of


def about(*words: str | Path) -> tuple[int, str, str]:
    done = CliRunner().invoke(root("about"), ["about", *map(str, words)])
    return done.exit_code, done.stdout, done.stderr


root_of = test_program.root  # a small program that is installed


def test_a_checkout_says_what_it_is() -> None:
    """S3: it has no list, so it claims nothing."""
    code, out, _ = about()
    assert (code, out.splitlines()[0], out.splitlines()[2]) == (
        0,
        f"jackpot {__version__}",
        "it runs from a checkout: no list says which files it has",
    )
    answer = json.loads(about("--json")[1])
    told = {"version": __version__, "digest": "", "checkout": True, "files": 0, "faults": []}
    assert answer == told


def test_an_installed_program_says_its_digest(root_of: Path, tmp_path: Path) -> None:
    """S3: the one that is published with its wheel."""
    digest = program.running().digest.hex()
    code, out, _ = about()
    assert (code, out.splitlines()) == (
        0,
        [
            f"jackpot {__version__}",
            f"digest {digest}",
            f"{len(OWN) + len(OF_INSTALLER) + 2} installed files are as they are listed",
        ],
    )
    wheel = wheel_of(tmp_path, OWN)
    code, out, _ = about(wheel)
    assert (code, out.splitlines()[1:]) == (0, [f"digest {digest}", "it is what is installed here"])
    other = json.loads(about(wheel_of(tmp_path, OWN | {"jackpot/text.py": "x"}), "--json")[1])
    assert other["installed"] is False
    assert other["digest"] not in ("", digest)


@pytest.mark.parametrize("as_json", [False, True])
def test_each_file_that_differs_is_named(root_of: Path, as_json: bool) -> None:
    """S3: and the command ends with an error."""
    (root_of / "jackpot/text.py").write_text("other")
    (root_of / "jackpot/more.py").write_text("more")
    code, out, error = about(*(["--json"] if as_json else []))
    named = ["jackpot/more.py is not listed", "jackpot/text.py differs"]
    assert (code, error.splitlines()) == (1, named)
    if as_json:
        assert json.loads(out)["faults"] == named


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("nowhere.whl",), "No such file"),
        (("nowhere.whl", "--challenge", "0" * 16), "leave the wheel out"),
        (("--challenge", "0" * 15), "a seed of 16 characters or more"),
    ],
)
def test_what_cannot_be_answered_is_refused(words: tuple[str, ...], said: str) -> None:
    """README, commands: one clear line, and an exit code that is not 0."""
    code, out, error = about(*words)
    assert (code, out, error.count("\n"), said in error) == (1, "", 1, True), error


def test_no_list_no_digest(root_of: Path) -> None:
    """S3: a program without the list that it was installed with is not whole."""
    (root_of / "jackpot-1.dist-info/RECORD").unlink()
    assert about()[0] == 1
    (root_of / "jackpot-1.dist-info/RECORD").write_text(record(OWN, OF_INSTALLER))
    assert about()[0] == 0
