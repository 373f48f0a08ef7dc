"""`jackpot verify` reports in plain words, and in its exit code, whether the ledger holds."""

import shutil
from contextlib import closing
from pathlib import Path
from typing import Final

import apsw
import pytest

from jackpot.ledger.banks import UNFINISHED_COPY
from jackpot.ledger.migrations import migrations
from jackpot.ledger.sqlite.store import SqliteLedger
from jackpot.ledger.verify.verifier import verify
from jackpot.rules.events import Refused
from tests.deploy.test_metrics import documented
from tests.deploy.tools import promtool
from tests.ledger.conftest import Place
from tests.ledger.planted import run_sql
from tests.ledger.play import Play
from tests.ledger.verify.test_side_tables import Scene
from tests.ledger.verify.test_verifier import spoil, write
from tests.ledger.waiting import copy, open_banks
from tests.program import jackpot
from tests.running_server import LINKS, configure

# The first line of its output, once it is known what is to be verified.
SCHEMA: Final = f"ledger: schema {len(migrations('sqlite')):04}"


def run(*arguments: str) -> tuple[int, str, str]:
    """Exit code, output and errors of the command as people start it."""
    done = jackpot("verify", *arguments)
    return done.returncode, done.stdout, done.stderr


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ledger as a server left it."""
    path = tmp_path_factory.mktemp("sound") / "ledger.db"
    write(path, Play(21).until(100).rows, [])
    return path


def test_a_sound_ledger(sound: Path) -> None:
    """S3, S8: exit code 0, what was not decided again, and the hash to keep; given back, it is found."""
    server = SqliteLedger(sound)
    head = server.head("main")
    code, out, errors = run("--ledger", f"sqlite:///{sound}")
    assert (code, errors) == (0, "")
    assert any(row.kind == Refused.kind for row in server.rows("main", 0, 1_000)), "decided again, too"
    assert out.splitlines() == [
        SCHEMA,
        f"main: {head.seq} rows hold, the books balance",
        *(
            f"main: rows {one.first} to {one.last}: "
            + (f"jackpot {one.version}, digest {one.digest.hex()}" if one.version else "program not recorded")
            for one in verify(server, "main").programs
        ),
        f"main: head {head.hash.hex()}",
    ]
    assert run("--ledger", f"sqlite:///{sound}", "--head", head.hash.hex())[0] == 0
    server.close()


def test_prometheus_is_told_that_the_books_hold(sound: Path, tmp_path: Path) -> None:
    """S8: the moment and the row are written where the books hold; where they do not, the file stays."""
    told = tmp_path / "jackpot.prom"
    server = SqliteLedger(sound)
    seq = server.head("main").seq
    server.close()
    assert run("--ledger", f"sqlite:///{sound}", "--textfile", str(told))[0] == 0
    (checked,) = [line for line in told.read_text().splitlines() if line.startswith("jackpot_verified_seq")]
    assert checked == f'jackpot_verified_seq{{bank="main"}} {seq}'
    wanted = {name for name in documented("timer") if name.startswith("jackpot_verified_")}
    assert {name for name in wanted if name in told.read_text()} == wanted != set()
    assert promtool("check", "metrics", given=told.read_text()).returncode in {0, 3}  # 3: it wants help texts
    before = told.read_text()
    path = Path(shutil.copy(sound, tmp_path))
    spoil(path, "UPDATE journal SET body = x'90' WHERE seq = 20")
    assert run("--ledger", f"sqlite:///{path}", "--textfile", str(told))[0] == 1
    assert told.read_text() == before
    code, _, errors = run("--ledger", f"sqlite:///{sound}", "--chain", "--textfile", str(told))
    assert (code, errors.startswith("--textfile says")) == (1, True)


def test_the_chain_alone(sound: Path, tmp_path: Path) -> None:
    """S8: it says that nothing was decided again, and names a changed row all the same."""
    code, out, _ = run("--ledger", f"sqlite:///{sound}", "--chain", "--jobs", "2")
    assert code == 0
    assert "each following from the one before; none was decided again" in out
    path = Path(shutil.copy(sound, tmp_path))
    spoil(path, "UPDATE journal SET body = x'90' WHERE seq = 20")
    code, _, errors = run("--ledger", f"sqlite:///{path}", "--chain")
    assert code == 1
    assert "main: row 20 was changed or added: it does not follow from row 19" in errors


def test_a_spoiled_ledger(sound: Path, tmp_path: Path) -> None:
    """S3: each problem on a line of its own, one line that sums up, exit code 1."""
    path = Path(shutil.copy(sound, tmp_path))
    spoil(path, "UPDATE journal SET body = x'90' WHERE seq = 20")
    code, out, errors = run("--ledger", f"sqlite:///{path}")
    assert (code, out) == (1, f"{SCHEMA}\n")
    assert errors.splitlines() == [
        "main: row 20 was changed or added: it does not follow from row 19",
        "main: 1 problem: this is not what was written",
    ]


def test_what_lies_next_to_the_chain(tmp_path: Path) -> None:
    """S8: rows of people, secrets and papers are held to the chain; emptied papers to the configuration."""
    place = Place(f"sqlite:///{tmp_path / 'ledger.db'}")
    Scene(place.open())
    place.close()
    code, out, errors = run("--ledger", place.url)
    assert (code, errors) == (0, "")
    assert "believed" not in out
    run_sql(place.url, "UPDATE paper SET salt = x'', facts = ''")
    code, out, _ = run("--ledger", place.url)
    assert code == 0
    assert "believed as it stands: 3 rows of paper emptied without an entry: only --config says" in out
    run_sql(
        place.url,
        "UPDATE person SET name = 'Mallory' WHERE login = 'ann'",
        "DELETE FROM secret",
        "DELETE FROM paper",
    )
    code, _, errors = run("--ledger", place.url)
    assert code == 1
    assert len(errors.splitlines()) == 1 + 3 + 4 + 1
    assert "site: person 1: the row of person was changed" in errors
    assert run("--ledger", place.url, "--chain")[0] == 0, "the chain itself holds"


def test_a_file_that_sqlite_finds_broken(sound: Path, tmp_path: Path) -> None:
    """S8: an index that lacks a row of its table hides it; SQLite's own check names the index."""
    path = Path(shutil.copy(sound, tmp_path))
    with closing(apsw.Connection(str(path))) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute(
            "UPDATE sqlite_schema SET sql = replace(sql, 'kind = 9', 'kind IN (2, 9)') "
            "WHERE name = 'journal_of_refusals'"
        )
    code, _, errors = run("--ledger", f"sqlite:///{path}")
    assert code == 1
    assert "missing from index journal_of_refusals" in errors


def test_every_bank_is_verified(sound: Path, tmp_path: Path) -> None:
    """S3: without --bank all of them, and one that is spoiled does not hide behind the others."""
    path = tmp_path / "two.db"
    with closing(SqliteLedger(sound, readonly=True)) as source, closing(SqliteLedger(path)) as ledger:
        copy(source, ledger)
        open_banks(ledger, ("side",), "riverside", 0)
    code, out, _ = run("--ledger", f"sqlite:///{path}")
    assert code == 0
    told = [line.split(":")[0] for line in out.splitlines() if ": rows " not in line]
    assert told == ["ledger", *["main"] * 2, *["side"] * 2]
    assert "say --bank too (main, side)" in run("--ledger", f"sqlite:///{path}", "--head", "00" * 32)[2]
    spoil(path, "UPDATE head SET hash = zeroblob(32) WHERE bank = 2")
    code, out, errors = run("--ledger", f"sqlite:///{path}")
    assert code == 1
    assert out.startswith(f"{SCHEMA}\nmain: ")
    assert errors.endswith("side: 1 problem: this is not what was written\n")
    assert run("--ledger", f"sqlite:///{path}", "--bank", "main")[0] == 0


def test_a_head_that_keeps_every_server_away(sound: Path, tmp_path: Path) -> None:
    """S8: no server takes an unfinished copy, so a forged head that says it is one stops the bank."""
    path = Path(shutil.copy(sound, tmp_path))
    spoil(path, f"UPDATE head SET holder = '{UNFINISHED_COPY}'")
    code, _, errors = run("--ledger", f"sqlite:///{path}")
    assert code == 1
    assert errors.startswith("main: its head says that it is an unfinished copy: go on with that copy; if")


def test_a_bank_without_a_row(sound: Path, tmp_path: Path) -> None:
    """S8: no server leaves one; where the configuration names the bank it is missing as well."""
    path = Path(shutil.copy(sound, tmp_path / "ledger.db"))
    with closing(SqliteLedger(path)) as ledger:
        ledger.new_epoch("side", "test")
    code, out, errors = run("--ledger", f"sqlite:///{path}")
    assert code == 1
    assert errors.startswith("side: its head is of epoch 1, and it has no rows: they were taken away; or")
    assert "side" not in out
    assert run("--ledger", f"sqlite:///{path}", "--bank", "main")[0] == 0
    config = configure(tmp_path, links=LINKS + 'bank = "side"\n')
    code, _, errors = run("--config", str(config.path))
    assert code == 1
    assert "\nbank side is not in the ledger, or has no row there" in errors


def test_a_bank_of_which_the_first_row_is_left(sound: Path, tmp_path: Path) -> None:
    """S8: a server that takes a bank opens its links, so that later epochs with no row tell of some lost."""
    path = Path(shutil.copy(sound, tmp_path / "ledger.db"))
    with closing(SqliteLedger(path)) as ledger:
        open_banks(ledger, ("side",), "riverside", 0)
    assert run("--ledger", f"sqlite:///{path}")[0] == 0, "it was opened just now"
    with closing(SqliteLedger(path)) as source, closing(SqliteLedger(tmp_path / "copy.db")) as target:
        copy(source, target)
        assert source.head("side").epoch < target.head("side").epoch == source.new_epoch("side", "one").epoch
    assert run("--ledger", f"sqlite:///{tmp_path}/copy.db")[0] == 0
    code, _, errors = run("--ledger", f"sqlite:///{path}")
    assert code == 1
    assert errors.startswith(
        "side: row 1 opens it and is its last row, and the head is of epoch 2: the rows "
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--ledger", "sqlite:////nowhere/ledger.db"], "cannot be opened: there is no such file"),
        (["--ledger", "ledger.db"], "is not a ledger: write sqlite:///"),
        ([], "which ledger? give --ledger URL or --config FILE"),
        (
            ["--ledger", "sqlite:///{sound}", "--bank", "mian"],
            "there is no bank mian in this ledger; there is main",
        ),
        (
            ["--ledger", "sqlite:///{sound}", "--head", "cafe"],
            "--head: 'cafe' is not a hash of 64 hex digits",
        ),
        (
            ["--ledger", "sqlite:///{sound}", "--head", "00" * 32],
            "the end was cut off, or it is another ledger",
        ),
    ],
)
def test_what_cannot_be_verified(sound: Path, arguments: list[str], said: str) -> None:
    """S3: one clear line and a non-zero exit, never a traceback."""
    code, out, errors = run(*(argument.format(sound=sound) for argument in arguments))
    assert (code, out.removeprefix(f"{SCHEMA}\n")) == (1, "")
    assert said in errors
    assert "Traceback" not in errors


def test_help_has_an_example() -> None:
    """DESIGN, commands: every command's help shows how it is used."""
    code, out, _ = run("--help")
    assert code == 0
    assert "Example: jackpot verify --config" in out
