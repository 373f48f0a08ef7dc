"""Is what people read plain English? Words that make a reader stop are banned, in code, texts and pages."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parent.parent
KINDS: Final = {".py", ".md", ".html", ".js", ".css", ".toml", ".yml", ".sh", ".sql", ".service"}
TOPS: Final = ("jackpot", "controllers", "schemas", "deploy", "tests", ".ci")
SKIPPED: Final = (
    "node_modules",
    "__pycache__",
    "jackpot/schemas/",
    "schemas/paytables/",
    "tests/test_writing.py",
)

# Each with what to write instead.
BANNED: Final = {
    "whoever": "the server that, a person who, what",
    "whomever": "the person whom",
    "anew": "again, from the start",
    "beside": "next to, besides, compared with, while it runs",
    "so long as": "while, if",
    "of those that": "name what it is of",
    "that of those": "name what it is of",
    "hitherto": "until now",
    "hereby": "nothing",
    "thereof": "of it",
    "wherein": "in which",
    "whereof": "of which",
}
WORDS: Final = re.compile(rf"\b({'|'.join(BANNED)})\b", re.IGNORECASE)


def texts() -> Iterator[Path]:
    yield from sorted(ROOT.glob("*.md"))
    for top in TOPS:
        yield from (
            file for file in sorted((ROOT / top).rglob("*")) if file.suffix in KINDS and file.is_file()
        )


def findings(path: str, text: str) -> list[str]:
    return [
        f"{path}:{number}: {found[0]}: write {BANNED[found[0].lower()]}"
        for number, line in enumerate(text.splitlines(), 1)
        for found in WORDS.finditer(line)
    ]


def test_the_words_are_plain() -> None:
    """House rule: a native engineer gets every sentence the first time."""
    found = []
    for file in texts():
        path = file.relative_to(ROOT).as_posix()
        if not any(part in path for part in SKIPPED):
            found += findings(path, file.read_text(encoding="utf-8"))
    assert not found, "\n" + "\n".join(found)


@pytest.mark.parametrize("word", BANNED)
def test_each_banned_word_is_found(word: str) -> None:
    """A check that could not fail would prove nothing."""
    assert findings("a.md", f"one\n{word.capitalize()} two") == [
        f"a.md:2: {word.capitalize()}: write {BANNED[word]}"
    ]
