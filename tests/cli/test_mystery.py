"""The key of committed mystery levels by commands: made once, rotated in one step, shown without a secret."""

import stat
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from msgspec.structs import replace
from typer.testing import CliRunner

from jackpot.app import Server
from jackpot.cli.mystery import app
from jackpot.config import Config, load
from jackpot.config.mystery_key import MysteryKey, read_mystery_key
from jackpot.ledger.sqlite.store import SqliteLedger
from jackpot.ledger.trigger_rows import KEEP, stored
from jackpot.ledger.trigger_vault import seal, unseal
from jackpot.ledger.witness import Witness, Witnessed
from jackpot.rules.invariant import require
from tests import ceilings
from tests.ledger.sealed import OTHER, TRACES, VALUE, WHICH, new
from tests.ledger.waiting import open_ledger
from tests.running_server import configure, on_loop


def mystery(*words: str | Path) -> tuple[int, str, str]:
    """As the command line runs it: in a process of its own, which makes its memory private."""
    done = subprocess.run(
        [sys.executable, "-P", "-m", "jackpot.cli", "mystery", *map(str, words)],
        capture_output=True, text=True, check=False, timeout=ceilings.PROGRAM_S,
    )  # fmt: skip
    return done.returncode, done.stdout, done.stderr


def in_process(*words: str | Path) -> tuple[int, str, str]:
    """The same of a command that loads no key."""
    done = CliRunner().invoke(app, [str(word) for word in words])
    return done.exit_code, done.stdout, done.stderr


def cells(out: str) -> dict[str, list[str]]:
    """By level: key, trigger and witness of the table."""
    rows = ([cell.strip() for cell in line.split("│") if cell.strip()] for line in out.splitlines())
    return {row[2]: row[-3:] for row in rows if row[:2] == ["main", "mystery"]}


@pytest.fixture
def house(tmp_path: Path) -> Config:
    """A floor that was served once, its mystery key, and three running triggers; two levels are witnessed."""
    key_file = tmp_path / "keys" / "mystery"
    key_file.parent.mkdir()
    assert in_process("new-key", key_file)[0] == 0
    config = configure(tmp_path, extra=f'[mystery]\nkey = "{key_file}"')

    @on_loop
    async def served() -> None:
        async with Server(config):
            pass

    served()
    key = read_mystery_key(key_file)
    made = [seal(key, new(replace(WHICH, level=level))) for level in ("grand", "major", "minor")]
    with closing(open_ledger(config.ledger.url)) as ledger:
        ledger.change(*((KEEP, row.values()) for row in made))
    grand, major, _ = made
    Witness(key_file).advance([
        Witnessed(grand.which, grand.committed), Witnessed(replace(major.which, number=13), bytes(32)),
    ])  # fmt: skip
    return config


def key_file(config: Config) -> Path:
    return require(config.mystery, "a key").key


def test_a_new_key_is_private_and_never_replaced(tmp_path: Path) -> None:
    """Y12: mode 0600, with its id; what is there stays, as every running trigger would be lost with it."""
    file = tmp_path / "key"
    code, out, _ = in_process("new-key", file)
    key = read_mystery_key(file)
    assert (code, stat.S_IMODE(file.stat().st_mode)) == (0, 0o600)
    assert out == f'{file}: made, key {key.id}; keep a copy of it elsewhere\n[mystery]\nkey = "{file}"\n'
    assert key.secret.hex() not in out
    code, out, err = in_process("new-key", file)
    assert (code, out) == (1, "")
    assert err == f"{file} exists already: a mystery key is never replaced; give the new one another name\n"
    assert read_mystery_key(file).id == key.id
    code, _, err = in_process("new-key", tmp_path / "nowhere" / "key")
    assert (code, err.startswith(f"there is no folder {tmp_path}/nowhere: make it")) == (1, True)


def test_what_runs_is_shown_without_its_trigger(house: Config) -> None:
    """Y8, Y12: the key's id, each commitment, whether the key opens it, and where the witness stands."""
    code, out, err = mystery("show", "--config", house.path)
    key = read_mystery_key(key_file(house))
    assert (code, err) == (0, "")
    assert out.startswith(f"{key_file(house)}: key {key.id}\n")
    assert cells(out) == {
        "grand": [key.id, "sealed", "equal"],
        "major": [key.id, "sealed", "ahead"],
        "minor": [key.id, "sealed", "unknown"],
    }
    for part in (*TRACES, key.secret.hex().encode()):
        assert part not in out.encode()


def test_a_trigger_that_the_key_does_not_open_is_an_error(house: Config) -> None:
    """Y12: another key and a row that was changed are told apart, also on a standby before it is needed."""
    with closing(open_ledger(house.ledger.url)) as ledger:
        ledger.change(
            ("UPDATE mystery_trigger SET sealed = zeroblob(133) WHERE level = 'minor'", ()),
            ("UPDATE mystery_trigger SET key_id = ?1 WHERE level = 'major'", (OTHER.id,)),
        )
    code, out, err = mystery("show", "--config", house.path)
    assert code == 1
    assert err.endswith("does not open 2 running triggers: see the table\n")
    assert {level: state for level, (_, state, _) in cells(out).items()} == {
        "grand": "sealed", "major": "other key", "minor": "changed",
    }  # fmt: skip


def test_a_missing_key_is_named(house: Config) -> None:
    """Y12: which file, and what to do; and the configuration is warned of it, yet can be used."""
    file = key_file(house)
    file.unlink()
    for words in (("show",), ("rotate-key", file.parent / "new")):
        code, _, err = mystery(*words, "--config", house.path)
        assert (code, f"{file}: there is no such key file" in err) == (1, True)
    assert [
        line for line in load(house.path).warnings if line.startswith(f"mystery.key: {file}: there is no")
    ]


def test_a_rotation_seals_every_trigger_again(house: Config) -> None:
    """Y12: in one step; the old key opens none afterwards, and the witness comes along."""
    file = key_file(house)
    old, next_file = read_mystery_key(file), file.parent / "next"
    in_process("new-key", next_file)
    key = read_mystery_key(next_file)
    code, out, err = mystery("rotate-key", next_file, "--config", house.path)
    assert (code, err) == (0, "")
    assert out == (
        f"3 running triggers sealed with key {key.id}; key {old.id} opens none now\n"
        f'[mystery]\nkey = "{next_file}"\n'
    )
    with closing(open_ledger(house.ledger.url)) as ledger:
        assert [unseal(key, row).value for row in stored(ledger)] == [VALUE] * 3
    assert Witness(next_file).read() == Witness(file).read() != {}
    code, _, err = mystery("show", "--config", house.path)
    assert (code, "does not open 3 running triggers" in err) == (1, True)


def test_a_rotation_changes_nothing_unless_it_changes_all(house: Config) -> None:
    """Y12: with a trigger that the old key does not open, and with the key that is in use already."""
    file = key_file(house)
    next_file = file.parent / "next"
    in_process("new-key", next_file)
    with closing(open_ledger(house.ledger.url)) as ledger:
        ledger.change(("UPDATE mystery_trigger SET key_id = ?1 WHERE level = 'minor'", (OTHER.id,)))
        before = stored(ledger)
    code, _, err = mystery("rotate-key", next_file, "--config", house.path)
    minor = "not rotated: the trigger of main: mystery minor, cycle 7, commitment 12 is sealed with key "
    assert (code, f"{minor}{OTHER.id}" in err) == (1, True)
    with closing(SqliteLedger(house.ledger.url.removeprefix("sqlite:///"), readonly=True)) as ledger:
        assert stored(ledger) == before
    assert "has the key that is in use already" in mystery("rotate-key", file, "--config", house.path)[2]


def test_a_rotation_without_a_witness_changes_nothing(house: Config) -> None:
    """Y8, Y12: where the new witness cannot be written the old key stays good, as the command says."""
    next_file = key_file(house).parent / "next"
    in_process("new-key", next_file)
    next_file.with_name("next.witness.part").mkdir()
    code, _, err = mystery("rotate-key", next_file, "--config", house.path)
    assert (code, "not rotated: " in err, "cannot be written" in err) == (1, True, True)
    key = read_mystery_key(key_file(house))
    with closing(open_ledger(house.ledger.url)) as ledger:
        assert [unseal(key, row).value for row in stored(ledger)] == [VALUE] * 3


def test_no_key_is_rotated_under_a_running_server(house: Config) -> None:
    """Y12: it would go on sealing with the old one."""
    next_file = key_file(house).parent / "next"
    in_process("new-key", next_file)
    with closing(open_ledger(house.ledger.url)):
        code, _, err = mystery("rotate-key", next_file, "--config", house.path)
    assert (code, "is in use by process" in err) == (1, True)


def test_a_house_without_a_key_is_told_so(tmp_path: Path) -> None:
    """Y12: which setting names it."""
    config = configure(tmp_path)
    code, _, err = mystery("show", "--config", config.path)
    assert (code, err) == (1, f'{config.path} names no key: [mystery] key = "FILE"\n')
    assert MysteryKey(bytes(32)).id
