"""`jackpot verify --heads` reports what signed heads prove, and what they do not (S8)."""

import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace

from jackpot.app import Server
from jackpot.config import Config, public_pem
from jackpot.ledger.journal import Row
from tests.cli.test_verify import SCHEMA, run
from tests.ledger.play import Play
from tests.ledger.test_heads import KEY, OTHER, signed
from tests.ledger.verify.test_verifier import write
from tests.notify.heads import heads
from tests.running_server import configure, on_loop


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    return Play(21).until(100).rows


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory, rows: list[Row]) -> Path:
    """A ledger as a server left it, and next to it the public keys of its site and of another."""
    folder = tmp_path_factory.mktemp("sound")
    write(folder / "ledger.db", rows, [])
    (folder / "site.pub").write_text(public_pem(KEY.public))
    (folder / "other.pub").write_text(public_pem(OTHER.public))
    return folder


def checked(folder: Path, lines: Sequence[bytes], *more: str) -> tuple[int, str, str]:
    """`jackpot verify` of the ledger there, with these lines in a file of heads."""
    file = folder / "heads.jsonl"
    file.write_bytes(b"".join(line + b"\n" for line in lines))
    keys = more or ("--key", str(folder / "site.pub"))
    return run("--ledger", f"sqlite:///{folder}/ledger.db", "--heads", str(file), *keys)


def test_what_heads_prove(sound: Path, rows: list[Row]) -> None:
    """S8: exit code 0; what is newer than the last head is unproved, and said so."""
    last = rows[-1].seq
    for lines, said in (
        ([signed(rows[9]), signed(rows[-1])], "every row is proved by a signed head"),
        ([signed(rows[9])], f"unproved: {last - 10} rows after row 10, the last with a signed head"),
        ([signed(rows[-2])], f"unproved: 1 row after row {last - 1}, the last with a signed head"),
        ([], "unproved: all of it: no head of it was signed by a known key"),
    ):
        code, out, errors = checked(sound, lines)
        assert (code, errors) == (0, "")
        assert f"main: {said}\n" in out


def test_a_torn_line_is_passed_over(sound: Path, rows: list[Row]) -> None:
    """S8: a power cut may leave a torn line; it is reported, and is not an error."""
    code, _, errors = checked(sound, [signed(rows[9])[:50], signed(rows[9])])
    assert (code, errors) == (0, "warning: 1 line of the heads hold none: 1\n")


def test_what_heads_disprove(sound: Path, rows: list[Row], tmp_path: Path) -> None:
    """S8: a cut ledger, an unknown key, another site, a missing bank: each is named, exit code 1."""
    shutil.copytree(sound, tmp_path, dirs_exist_ok=True)
    (tmp_path / "ledger.db").unlink()
    write(tmp_path / "ledger.db", rows[:50], [])
    lines = [
        signed(rows[9], key=OTHER),
        signed(rows[9], site="lakeside"),
        signed(rows[9]).replace(b'"main"', b'"side"'),
        signed(rows[79]),
    ]
    code, out, errors = checked(tmp_path, lines)
    assert (code, out) == (1, f"{SCHEMA}\n")
    ahead = "a head of row 80 was signed, and the journal ends at row 50: its end was cut off"
    assert errors.splitlines() == [
        f"line 1 of the heads: it is signed by the key {OTHER.fingerprint}, which is not known",
        'line 2 of the heads: it is of site "lakeside", and the ledger of "riverside"',
        "line 3 of the heads: its signature is not of these values",
        f"main: line 4 of the heads: {ahead}, or an older copy was put in its place",
        "ledger: 3 problems, main: 1 problem: this is not what was written",
    ]
    both = ("--key", str(tmp_path / "site.pub"), "--key", str(tmp_path / "other.pub"))
    assert checked(tmp_path, [signed(rows[9], key=OTHER), signed(rows[19])], *both)[0] == 0


def test_a_bank_that_is_gone(sound: Path, rows: list[Row]) -> None:
    """S8: a whole bank that was taken away is missed by its heads, without any configuration."""
    code, _, errors = checked(sound, [signed(replace(rows[9], bank="side"))])
    assert code == 1
    assert errors.startswith("bank side is not in the ledger, and a head of it was signed\n")


def test_the_keys_of_the_configuration(tmp_path: Path) -> None:
    """S8: without --key those of [heads] count: the site's own, and those known from earlier years."""

    @on_loop
    async def serve(config: Config) -> None:
        async with Server(config):
            pass

    serve(configure(tmp_path, extra=heads(tmp_path)))
    (tmp_path / "site").unlink()
    (tmp_path / "site.pub").rename(tmp_path / "old.pub")
    serve(configure(tmp_path, extra=heads(tmp_path, f'known = ["{tmp_path}/old.pub"]')))
    words = ("--config", str(tmp_path / "config.toml"), "--heads", str(tmp_path / "heads.jsonl"))
    code, out, errors = run(*words)
    assert (code, errors) == (0, "")
    assert out.count("every row is proved by a signed head") == 2
    code, _, errors = run(*words, "--key", str(tmp_path / "site.pub"))
    assert (code, "which is not known" in errors) == (1, True)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--heads", "{folder}/heads.jsonl"], "--heads: signed by whom? give --key PUB, or --config FILE"),
        (["--heads", "{folder}/none", "--key", "{folder}/site.pub"], "none cannot be read: No such file"),
        (["--heads", "{folder}/heads.jsonl", "--key", "{folder}/ledger.db"], "ledger.db holds no public key"),
    ],
)
def test_what_cannot_be_checked(sound: Path, arguments: list[str], said: str) -> None:
    """S8: one clear line and a non-zero exit."""
    (sound / "heads.jsonl").touch()
    url = f"sqlite:///{sound}/ledger.db"
    code, out, errors = run("--ledger", url, *(argument.format(folder=sound) for argument in arguments))
    assert (code, out, errors.count("\n")) == (1, "", 1)
    assert said in errors
