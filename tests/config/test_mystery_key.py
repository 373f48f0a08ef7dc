"""The key file of committed mystery levels: what is a key, and what each mistake says."""

import os
import re
from hashlib import sha256
from pathlib import Path
from typing import Final

import pytest

from jackpot.config import ConfigErrors, load
from jackpot.config.mystery_key import KeyFault, KeyFileError, MysteryKey, new_key_text, read_mystery_key
from tests.running_server import LINK, configure
from tests.unprivileged import unprivileged

SECRET: Final = bytes(range(32))
# printf 'jackpot mystery key id 1' and the bytes 00 to 1f, through sha256sum: the first 16 digits.
ID: Final = "4ebbfaef60cabf74"
TEXT: Final = f'# a comment\nid = "{ID}"\nkey = "{SECRET.hex()}"\n'


def written(folder: Path, text: str | bytes = TEXT, mode: int = 0o600) -> Path:
    file = folder / "mystery.key"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    file.chmod(mode)
    return file


def refused(file: Path) -> KeyFileError:
    with pytest.raises(KeyFileError) as found:
        read_mystery_key(file)
    assert str(file) in str(found.value)
    assert SECRET.hex() not in str(found.value)
    return found.value


def test_a_key_is_named_by_what_it_is(tmp_path: Path) -> None:
    """Y12: its id follows from it, so that a ledger names it and nobody swaps it under its name."""
    key = read_mystery_key(written(tmp_path))
    assert (key.id, key.secret) == (ID, SECRET)
    assert sha256(b"jackpot mystery key id 1" + SECRET).hexdigest()[:16] == ID


def test_every_new_key_is_another(tmp_path: Path) -> None:
    """Y12: 32 random bytes, in a text that reads back, and says to keep a copy apart from the ledger."""
    texts = [new_key_text() for _ in range(20)]
    assert len({id_ for _, id_ in texts}) == 20
    for text, id_ in texts:
        key = read_mystery_key(written(tmp_path, text))
        assert key.id == id_
        assert "second copy" in text


@pytest.mark.parametrize("mode", [0o600, 0o400])
def test_its_owner_alone_reads_it(tmp_path: Path, mode: int) -> None:
    """Y12: as every key file."""
    assert read_mystery_key(written(tmp_path, mode=mode)).id == ID


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o644, 0o660, 0o700])
def test_a_key_that_others_may_read_is_not_used(tmp_path: Path, mode: int) -> None:
    """Y12: it says the mode, what to do, and that the triggers may be known."""
    error = refused(written(tmp_path, mode=mode))
    assert error.fault == KeyFault.NOT_PRIVATE
    assert f"mode {mode:04o}" in str(error)
    assert "chmod 600" in str(error)


def test_a_key_of_another_user_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Y12: whoever owns a file may change it, and its mode."""
    file = written(tmp_path)
    own = file.stat().st_uid
    monkeypatch.setattr(os, "geteuid", lambda: own + 1)
    error = refused(file)
    assert error.fault == KeyFault.NOT_PRIVATE
    assert f"belongs to user {own}" in str(error)


def test_a_missing_key_is_said_to_be_missing(tmp_path: Path) -> None:
    """Y12: which file it is, and that a new one is no cure for one that was lost."""
    error = refused(tmp_path / "mystery.key")
    assert error.fault == KeyFault.MISSING
    assert re.search("no such key file: bring back its copy .*only for new mystery levels", str(error))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "text",
    [
        "",
        SECRET.hex(),
        f'key = "{SECRET.hex()}"\n',
        f'id = "{ID}"\n',
        TEXT.replace(ID, ID[:-1] + ("0" if ID[-1] != "0" else "1")),
        TEXT.replace("0001", "0002"),
        TEXT.replace(SECRET.hex(), SECRET.hex()[:-2]),
        TEXT.replace(SECRET.hex(), SECRET.hex().upper()),
        TEXT + 'more = "x"\n',
        TEXT.replace(f'"{ID}"', "7"),
        TEXT.replace('id = "', 'id = "' + "é"),
        b"\xff" + TEXT.encode(),
        TEXT.replace("a comment", "c" * 5_000),
        bytes(range(128, 192)),
    ],
)
def test_a_damaged_key_is_told_from_a_missing_one(tmp_path: Path, text: str | bytes) -> None:
    """Y12: half a file, a digit that was changed, another file: it is damaged, and nothing of it is shown."""
    error = refused(written(tmp_path, text))
    assert error.fault == KeyFault.DAMAGED
    assert "bring back its copy" in str(error)


def test_a_folder_and_a_pipe_are_no_key(tmp_path: Path) -> None:
    """Y12: nothing waits for a pipe that nobody writes."""
    folder, pipe = tmp_path / "folder", tmp_path / "pipe"
    folder.mkdir()
    os.mkfifo(pipe, 0o600)
    assert {refused(one).fault for one in (folder, pipe)} == {KeyFault.DAMAGED}


def test_a_key_that_may_not_be_read_says_so(tmp_path: Path) -> None:
    """Y12: the server's user must own it."""
    file = written(tmp_path, mode=0o000)
    with unprivileged():
        assert refused(file).fault == KeyFault.UNREADABLE


COMMITTED: Final = f"""
[[link]]
id = "{LINK}"
kind = "mystery"
form = "committed"
wager = "5.00"
electronic = true
[link.level.meter]
seed = "10.00"
must_hit_by = "20.00"
primary = "10%"
"""
RATE: Final = "max_rounds_per_minute = 20"


def test_a_committed_link_needs_a_key_by_name(tmp_path: Path) -> None:
    """Y12: no server makes one by itself, so the configuration says where it is; a drawn link needs none."""
    with pytest.raises(ConfigErrors) as wrong:
        configure(tmp_path, links=COMMITTED, of_tables=RATE)
    ((path, sentence),) = wrong.value.mistakes
    assert (path, "`jackpot mystery new-key FILE` makes it" in sentence) == ("mystery.key", True)
    assert configure(tmp_path, links=COMMITTED.replace("committed", "drawn"), of_tables=RATE).mystery is None


def test_a_key_that_cannot_be_used_is_warned_of(tmp_path: Path) -> None:
    """Y12: the other links of the house play on; a signage machine has no such key, and needs none."""
    config = configure(tmp_path, links=COMMITTED, of_tables=RATE, extra='[mystery]\nkey = "away"')
    assert [
        one for one in config.warnings if one.startswith(f"mystery.key: {tmp_path}/away: there is no such")
    ]
    assert load(config.path, roles=("sign",)).mystery is None


def test_a_key_shows_its_id_alone() -> None:
    """Y12: in a text or a log."""
    assert repr(MysteryKey(SECRET)) == f"MysteryKey({ID})"
