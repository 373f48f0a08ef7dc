"""Key files: whose are read, and their mistakes."""

import os
from pathlib import Path

import pytest

from jackpot.config import load
from tests.config.floor import WriteFloor, mistakes


def test_a_key_rotation_has_both_keys(floor: WriteFloor) -> None:
    """A device's next key is valid too, listed after its present one."""
    file = floor(('key_file = "keys/T01"', 'key_file = "keys/T01"\nkey_file_next = "keys/T01.next"'))
    assert load(file).keys_of("table", "T01") == (b"\x01" * 32, b"\x02" * 32)


@pytest.mark.parametrize(
    ("content", "mode", "words"),
    [
        ("01" * 32, 0o640, "mode 0640"),
        ("01" * 32, 0o644, "chmod 600"),
        ("01" * 31, 0o600, "64 hex digits"),
        ("01" * 33, 0o600, "64 hex digits"),
        ("xy" * 32, 0o600, "64 hex digits"),
        ("01 " * 32, 0o600, "64 hex digits"),
        ("é" * 32, 0o600, "64 hex digits"),
        ("", 0o600, "64 hex digits"),
    ],
)
def test_a_key_file_is_checked(
    floor: WriteFloor, tmp_path: Path, content: str, mode: int, words: str
) -> None:
    """A key is 32 bytes as 64 hex digits in a file that only its owner reads; no key is ever shown."""
    key = tmp_path / "keys" / "T01"
    key.write_text(content)
    key.chmod(mode)
    found = mistakes(floor())
    assert list(found) == ["table[0].key_file"]
    assert words in found["table[0].key_file"]
    assert not content or content not in found["table[0].key_file"]


def test_keys_grow_old(floor: WriteFloor, tmp_path: Path) -> None:
    """Deploy: a key is as old as its file, in a rotation as the next one's; too old a one is warned of."""
    rotating = ('key_file = "keys/T01"', 'key_file = "keys/T01"\nkey_file_next = "keys/T01.next"')
    aged = ("[listen]", "[keys]\ngood_days = 30\n[listen]")
    assert load(floor(rotating)).keys_end == {}
    file = floor(rotating, aged)
    made = {"T01": 0, "T01.next": 2_000_000_000, "T02": 2_000_000_100, "S01": 0}
    for name, at in made.items():
        os.utime(tmp_path / "keys" / name, (at, at))
    found = load(file)
    month = 30 * 86_400
    assert found.keys_end == {
        ("table", "T01"): 2_000_000_000 + month,
        ("table", "T02"): 2_000_000_100 + month,
        ("sign", "S01"): month,
    }
    (warning,) = [one for one in found.warnings if "older" in one]
    assert warning == "the key of sign S01 is older than 30 days: make another one"
    assert load(file, ["sign"]).keys_end.keys() == {("sign", "S01")}
