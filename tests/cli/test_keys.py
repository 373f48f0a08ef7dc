"""Key files are made safely, never overwritten by mistake, and never shown."""

import re
import stat
import subprocess
from hashlib import sha256
from pathlib import Path

import pytest
from typer.testing import CliRunner

from jackpot.cli.keys import app
from jackpot.config import read_key, read_public
from jackpot.ledger.heads import SiteKey
from jackpot.net.device_registry import fingerprint
from tests.running_server import configure


def keys(*words: str | Path) -> tuple[int, str, str]:
    done = CliRunner().invoke(app, [str(word) for word in words])
    return done.exit_code, done.stdout, done.stderr


def test_a_new_key(tmp_path: Path) -> None:
    """DESIGN, config: 32 random bytes as 64 hex digits, mode 0600; its fingerprint is said, nothing more."""
    file = tmp_path / "T01"
    code, out, _ = keys("new", file)
    text = file.read_text()
    assert code == 0
    assert re.fullmatch(r"[0-9a-f]{64}\n", text)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert out == f"{file}: made, fingerprint {fingerprint(bytes.fromhex(text))}\n"
    assert [entry.name for entry in tmp_path.iterdir()] == ["T01"]
    keys("new", tmp_path / "T02")
    assert (tmp_path / "T02").read_text() != text


def test_a_key_is_replaced_only_by_force(tmp_path: Path) -> None:
    """Keys: never overwritten without --force; with it whole, and still 0600."""
    file = tmp_path / "T01"
    file.write_text("precious")
    file.chmod(0o644)
    code, out, err = keys("new", file)
    assert (code, out, file.read_text()) == (1, "", "precious")
    assert err == f"{file} exists already: a key is replaced only with --force\n"
    assert keys("new", "--force", file)[0] == 0
    assert re.fullmatch(r"[0-9a-f]{64}\n", file.read_text())
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [entry.name for entry in tmp_path.iterdir()] == ["T01"]


def test_a_place_that_is_none(tmp_path: Path) -> None:
    """One clear line and a non-zero exit."""
    code, _, err = keys("new", tmp_path / "nowhere" / "T01")
    assert (code, err.startswith(f"there is no folder {tmp_path}/nowhere: make it")) == (1, True)


def test_one_file_is_shown_by_its_fingerprint(tmp_path: Path) -> None:
    """Keys: show prints the fingerprint, which is no part of the key."""
    file = tmp_path / "T01"
    keys("new", file)
    code, out, _ = keys("show", file)
    assert (code, out) == (0, f"{file}: {fingerprint(bytes.fromhex(file.read_text()))}\n")
    assert file.read_text().strip() not in out


@pytest.mark.parametrize(
    ("content", "mode", "words"),
    [
        ("ab" * 32, 0o644, "has mode 0644: only its owner may read a key"),
        ("ab" * 31, 0o600, "does not hold a key: 64 hex digits"),
        ("schlüssel", 0o600, "does not hold a key: 64 hex digits"),
    ],
)
def test_a_file_that_is_no_key(tmp_path: Path, content: str, mode: int, words: str) -> None:
    """DESIGN, config: a key file that is wrong is said to be, in the words of `config check`."""
    file = tmp_path / "T01"
    file.write_text(content)
    file.chmod(mode)
    code, out, err = keys("show", file)
    assert (code, out) == (1, "")
    assert words in err


def test_all_devices_are_listed(tmp_path: Path) -> None:
    """Keys: every device's fingerprints, in a rotation both; no key."""
    config = configure(tmp_path, tables=1, next_keys=True)
    code, out, _ = keys("show", "--config", config.path)
    assert code == 0
    for both in config.keys.values():
        for key in both:
            assert fingerprint(key) in out
            assert key.hex() not in out


def test_no_file_and_no_configuration() -> None:
    """One clear line says what to give."""
    code, _, err = keys("show")
    assert (code, err) == (1, "which keys? give a key file, or --config FILE for all of them\n")


def test_the_key_pair_of_a_site(tmp_path: Path) -> None:
    """S8: the private key is the server's alone; the public one is what openssl reads, and is printed."""
    file, public = tmp_path / "site", tmp_path / "site.pub"
    code, out, _ = keys("site", file)
    assert code == 0
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(public.stat().st_mode) == 0o644
    private, mistakes = read_key(file)
    assert mistakes == []
    assert private is not None
    assert read_public(public) == SiteKey(private).public
    assert file.read_text().strip() not in out
    der = subprocess.run(
        ["openssl", "pkey", "-pubin", "-in", public, "-outform", "DER"], capture_output=True, check=True
    ).stdout
    assert out == f"{file}: made, and {public}, fingerprint {sha256(der).hexdigest()}\n{public.read_text()}"
    before = file.read_bytes(), public.read_bytes()
    code, _, err = keys("site", file)
    assert (code, "exists already" in err) == (1, True)
    assert (file.read_bytes(), public.read_bytes()) == before
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["site", "site.pub"]
    for one, other in ((file, public), (public, file)):  # half a pair is replaced by no other half
        one.rename(tmp_path / "aside")
        assert keys("site", file)[0] == 1
        assert (one.exists(), other.exists()) == (False, True)
        (tmp_path / "aside").rename(one)
    assert keys("site", "--force", file)[0] == 0
    assert file.read_bytes() != before[0]
    private, _ = read_key(file)
    assert private is not None
    assert read_public(public) == SiteKey(private).public
