"""A small valid configuration for tests to break, and the mistakes of a broken one."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from jackpot.config import ConfigErrors, load

# What every configuration begins with.
HEAD: Final = """
[site]
name = "Riverside"
currency = "USD"
gaming_day_ends = "06:00"
timezone = "America/New_York"
[ledger]
url = "sqlite:///ledger.db"
[listen]
tables = "127.0.0.1:5710"
"""

BASE: Final = f"""{HEAD}
signs = "127.0.0.1:5711"
[[link]]
id = "five"
paytable = "pa-643a-five-card-C"
wager = "1.00"
decks = 1
[[link]]
id = "bonus"
paytable = "pa-643a-five-card-hand-bonus"
wager = "1.00"
decks = 1
[[table]]
id = "T01"
game = "let-it-ride"
seats = 7
links = ["five", "bonus"]
key_file = "keys/T01"
[[table]]
id = "T02"
game = "ultimate-texas-holdem"
seats = 6
links = ["five"]
key_file = "keys/T02"
[[sign]]
id = "S01"
links = ["five"]
key_file = "keys/S01"
"""


WriteFloor = Callable[..., Path]


@pytest.fixture
def floor(tmp_path: Path) -> WriteFloor:
    """A folder with device keys; called with edits (old, new) of BASE it writes the file."""
    keys = tmp_path / "keys"
    keys.mkdir()
    for number, device in enumerate(("T01", "T01.next", "T02", "T03", "T04", "S01"), 1):
        (keys / device).write_text(f"{number:02x}" * 32 + "\n")
        (keys / device).chmod(0o600)

    def write(*edits: tuple[str, str], more: str = "", text: str = BASE) -> Path:
        for old, new in edits:
            assert old in text, old
            text = text.replace(old, new, 1)
        file = tmp_path / "floor.toml"
        file.write_text(text + more)
        return file

    return write


def mistakes(file: Path) -> dict[str, str]:
    with pytest.raises(ConfigErrors) as caught:
        load(file)
    return dict(caught.value.mistakes)
