"""The refusal tables of the READMEs match the codes of the program."""

import ast
from functools import cache
from http import HTTPStatus
from pathlib import Path
from typing import Final

import pytest

from jackpot.rules.codes import OF_ACTS, OF_FRAMES, Code

ROOT: Final = Path(__file__).parents[2]


def table(page: str, after: str) -> list[tuple[str, ...]]:
    """The rows of the first table after a text, its head left out; each code without its marks."""
    text = (ROOT / page).read_text("utf-8").partition(after)[2]
    lines = text[text.index("\n|") + 1 :].partition("\n\n")[0].splitlines()
    rows = [line.strip("| ").split(" | ") for line in lines[2:]]
    return [(code.strip("`"), *cells) for code, *cells in rows]


def test_the_protocol_tells_every_refusal_of_a_frame() -> None:
    """WIRE table commands: each code in its order, what it means, its number, and what the table does."""
    told = [
        (code.value, frame.means, "yes" if frame.uses else "no", frame.then)
        for code, frame in OF_FRAMES.items()
    ]
    assert table("controllers/README.md", '`{t: "nack"') == told


def test_the_rules_tell_every_refusal_of_an_act() -> None:
    """A refused person knows why, and what to do; a program has the status."""
    told = [(code.value, act.means, act.then, str(act.status)) for code, act in OF_ACTS.items()]
    assert table("jackpot/rules/README.md", "## What an act is refused for") == told
    assert all(HTTPStatus(act.status) >= HTTPStatus.BAD_REQUEST for act in OF_ACTS.values())


def test_every_code_is_told() -> None:
    """No code is answered that no table tells; those of frames come first, in their order."""
    assert set(Code) == OF_FRAMES.keys() | OF_ACTS.keys()
    assert list(Code)[: len(OF_FRAMES)] == list(OF_FRAMES)


@pytest.mark.parametrize("code", Code)
def test_every_code_is_made(code: Code) -> None:
    """A code that is never answered is no code."""
    assert code.name in made()


@cache
def made() -> set[str]:
    """The members that the program names outside their own page."""
    return {
        node.attr
        for folder in ("rules", "api", "auth", "bank", "net", "notify", "publish", "runtime")
        for file in (ROOT / "jackpot" / folder).rglob("*.py")
        if file.name != "codes.py"
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "Code"
    }
