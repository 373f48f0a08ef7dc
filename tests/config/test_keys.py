"""Whose keys are read, and what is wrong with a key file?"""

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
