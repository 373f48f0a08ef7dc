"""Every rule that the product claims to keep is cited by a test."""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
README: Final = ROOT / "jackpot" / "rules" / "README.md"

ENTRY: Final = re.compile(r"^- \*\*([MLTHABYPS]\d+)\*\*( \*later\*)?", re.MULTILINE)
# "A5", or a range such as "L1-L7" or "H1-H3".
CITED: Final = re.compile(r"\b([MLTHABYPS])([1-9]\d?)(?:-\1([1-9]\d?))?\b")
GROUPS: Final = "MLTHABYPS"


def rules() -> dict[str, bool]:
    """Each id of the README, and whether it is built in this release."""
    return {name: not later for name, later in ENTRY.findall(README.read_text("utf-8"))}


def prose(source: str) -> Iterator[str]:
    """The docstrings of functions and the comments of a file: not its code, where T1 may be a table."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield ast.get_docstring(node) or ""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.string


def cited(text: str) -> Iterator[str]:
    """The ids that a text cites, ranges spelled out."""
    for letter, first, last in CITED.findall(text):
        for number in range(int(first), int(last or first) + 1):
            yield f"{letter}{number}"


@cache
def proved() -> dict[str, set[str]]:
    """By each file of tests, the ids that its docstrings and comments cite."""
    return {
        str(path.relative_to(ROOT)): {name for text in prose(path.read_text("utf-8")) for name in cited(text)}
        for path in sorted((ROOT / "tests").rglob("test_*.py"))
        if path != Path(__file__).resolve()
    }


def test_the_readme_states_every_rule_once() -> None:
    """M1, L1, T1, H1, A1, B1, P1, S1: the README has each rule once, in order, and each that is cited."""
    stated = [name for name, _ in ENTRY.findall(README.read_text("utf-8"))]
    counts = {group: sum(name[0] == group for name in stated) for group in GROUPS}
    assert stated == [f"{group}{number}" for group in GROUPS for number in range(1, counts[group] + 1)]
    assert set().union(*proved().values()) <= set(stated)


def test_ranges_are_read_as_every_id_between() -> None:
    """A docstring may cite several rules at once."""
    assert list(cited("proves M4, L10-L11 and A5; T01 and S3a are none")) == ["M4", "L10", "L11", "A5"]


def test_every_built_rule_is_cited_by_a_test() -> None:
    """Every id of the README that is not marked later stands in a test's docstring or comment."""
    found = set().union(*proved().values())
    missing = [name for name, built in rules().items() if built and name not in found]
    assert not missing, f"no test cites {', '.join(missing)}"
