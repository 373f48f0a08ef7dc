"""`jackpot ledger` makes, moves, backs up and restores a ledger; a failure is one clear line."""

import asyncio
import re
from contextlib import closing
from pathlib import Path
from typing import Final

import apsw
import asyncpg
import pytest

from jackpot.lab.testing.postgres import Postgres
from jackpot.ledger.sqlite.store import SqliteLedger
from tests.ledger.play import Play
from tests.ledger.verify.test_verifier import spoil, write
from tests.ledger.waiting import open_ledger
from tests.ledgers import KINDS, Fresh
from tests.program import jackpot

COMMANDS: Final = (
    "init",
    "migrate",
    "copy",
    "backup",
    "nightly",
    "restore",
    "restored",
    "confirm-behind",
    "behind",
    "resume",
)
ROWS: Final = 100


def run(*arguments: str | Path) -> tuple[int, str, str]:
    """Exit code, output and errors of the command as people start it."""
    done = jackpot("ledger", *arguments)
    return done.returncode, done.stdout, done.stderr


@pytest.fixture
def played(fresh: Fresh) -> str:
    """The URL of a ledger as a server left it."""
    url = fresh("sqlite")
    write(Path(url.removeprefix("sqlite:///")), Play(21).until(ROWS).rows, [])
    return url


def head_of(url: str) -> tuple[int, str]:
    with closing(open_ledger(url, readonly=True)) as ledger:
        head = ledger.head("main")
        return head.seq, head.hash.hex()


@pytest.mark.parametrize("kind", KINDS)
def test_a_ledger_is_made_once(fresh: Fresh, kind: str) -> None:
    """DESIGN, the ledger: init makes the schema and says what it took; again it changes nothing."""
    url = fresh(kind)
    code, out, errors = run("init", "--ledger", url)
    assert (code, errors) == (0, "")
    assert out.splitlines()[0] == f"{url}: made"
    assert re.match(r"applied 0001 The book of record: ", out.splitlines()[1])
    assert ("jackpot_server and jackpot_auditor have their rights" in out) == (kind == "postgres")
    code, out, _ = run("init", "--ledger", url, "--no-roles")
    assert (code, out) == (0, f"{url}: holds a ledger already\n")
    assert run("migrate", "--ledger", url) == (0, f"{url}: nothing to migrate\n", "")


def test_an_older_schema_is_migrated(tmp_path: Path) -> None:
    """DESIGN, the ledger: migrate applies what is pending and tells the note of each."""
    path = tmp_path / "old.db"
    with closing(apsw.Connection(str(path))) as connection:
        connection.execute("CREATE TABLE migration (number INTEGER PRIMARY KEY, name TEXT NOT NULL)")
    code, out, _ = run("migrate", "--ledger", f"sqlite:///{path}")
    assert code == 0
    assert out.startswith("applied 0001 The book of record: ")


def test_init_gives_the_roles_their_rights(fresh: Fresh, postgres: Postgres) -> None:
    """DESIGN, the ledger: a server may add and never change; an auditor may only look."""
    url = fresh("postgres")
    assert run("init", "--ledger", url)[0] == 0

    async def rights() -> list[tuple[bool, ...]]:
        connection = await asyncpg.connect(url)
        try:
            return [
                tuple(
                    [
                        await connection.fetchval(
                            "SELECT has_table_privilege($1, 'journal', $2)", role, right
                        )
                        for right in ("SELECT", "INSERT", "UPDATE", "DELETE", "TRUNCATE")
                    ]
                )
                for role in ("jackpot_server", "jackpot_auditor")
            ]
        finally:
            await connection.close()

    assert asyncio.run(rights()) == [(True, True, False, False, False), (True, False, False, False, False)]


@pytest.mark.parametrize("kind", KINDS)
def test_a_ledger_is_moved(played: str, fresh: Fresh, kind: str) -> None:
    """S3: copy proves both equal; a second one adds what came since, and says so while the source goes on."""
    target = fresh(kind)
    seq, hash_ = head_of(played)
    code, out, errors = run("copy", target, "--ledger", played)
    assert (code, errors) == (0, "")
    assert out == f"main: {seq} rows added; the copy is proved to hold all {seq}, head {hash_}\n"
    assert head_of(target) == (seq, hash_)
    assert run("copy", target, "--ledger", played)[1].startswith("main: 0 rows added; ")
    with closing(open_ledger(target)) as ledger:
        ledger.new_epoch("main", "riverside:1")
    code, out, errors = run("copy", target, "--ledger", played)
    assert (code, out) == (1, "")
    assert errors == "not copied: main: the target is a copy no longer: riverside:1 has taken it\n"


@pytest.mark.parametrize("kind", KINDS)
def test_a_backup_is_taken_and_brought_back(played: str, fresh: Fresh, tmp_path: Path, kind: str) -> None:
    """S3, S4: out of either database into a file, out of the file into either; and what to do then."""
    source, target, file = fresh(kind), fresh(kind), tmp_path / "night.db"
    assert run("copy", source, "--ledger", played)[0] == 0
    seq, hash_ = head_of(source)
    code, out, errors = run("backup", file, "--ledger", source)
    assert (code, errors) == (0, "")
    assert out == f"main: {seq} rows added; {file} is proved to hold all {seq}, head {hash_}\n"
    code, out, errors = run("restore", file, "--ledger", target)
    assert (code, errors) == (0, "")
    assert out.startswith(f"main: {seq} rows restored and proved, head {hash_}\nStart the server on it.")
    assert "ledger resume --bank main --believe all --reason TEXT --config FILE\nOne person asks" in out
    assert head_of(target)[0] == seq + 2, "which program it was, and its links wait for two people"
    code, out, errors = run("restored", "--ledger", target)
    assert (code, errors) == (0, "")
    assert out.startswith(f"main: suspended as restored at row {seq + 4}, head {head_of(target)[1]}\n")
    code, out, errors = run("restore", file, "--ledger", target)
    assert (code, out) == (1, "")
    assert errors.startswith("not restored: the target is not empty")


def test_a_backup_beside_a_server(played: str, tmp_path: Path) -> None:
    """S3: the server's lock is not needed to read; its own file is never taken for a backup."""
    path = Path(played.removeprefix("sqlite:///"))
    with closing(SqliteLedger(path)) as server:
        server.new_epoch("main", "server")
        assert run("backup", tmp_path / "night.db", "--ledger", played)[0] == 0
        code, _, errors = run("backup", path, "--ledger", played)
        assert code == 1
        assert errors.startswith(f"not backed up: the ledger {path} is in use by process ")
    assert run("restore", tmp_path / "night.db", "--ledger", f"sqlite:///{tmp_path}/new.db")[0] == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ["copy", "sqlite:///{tmp}/b.db", "--ledger", "sqlite:////nowhere/a.db"],
            "not copied: the ledger /nowhere/a.db",
        ),
        (["copy", "sqlite:///{tmp}/b.db", "--ledger", "{tmp}/a.db"], "is not a ledger: write sqlite:///"),
        (["copy", "sqlite:///{tmp}/b.db", "--ledger", "{empty}"], "empty: no server has ever opened it"),
        (["backup", "{tmp}/b.db", "--ledger", "{empty}"], "not backed up: the ledger is empty"),
        (
            ["backup", "{tmp}/b.db", "--ledger", "{spoiled}"],
            "not backed up: main: row 20 does not follow from row 19",
        ),
        (
            ["backup", "/nowhere/b.db", "--ledger", "{spoiled}"],
            "/nowhere/b.db cannot be locked: there is no folder /nowhere",
        ),
        (
            ["restore", "{tmp}/none.db", "--ledger", "sqlite:///{tmp}/b.db"],
            "not restored: the ledger {tmp}/none.db cannot",
        ),
        (
            ["restore", "{tmp}/spoiled.db", "--ledger", "sqlite:///{tmp}/b.db"],
            "not restored: main: row 20 was changed",
        ),
        (
            ["init", "--ledger", "postgresql://nobody@127.0.0.1:1/ledger"],
            "postgresql://nobody@127.0.0.1:1/ledger cannot",
        ),
        (["init", "--ledger", "sqlite:////nowhere/b.db"], "/nowhere/b.db cannot be locked"),
        (
            ["migrate", "--ledger", "sqlite:///{tmp}/b.db"],
            "there is no ledger {tmp}/b.db: `jackpot ledger init` makes one",
        ),
    ],
)
def test_what_cannot_be_done(played: str, tmp_path: Path, arguments: list[str], said: str) -> None:
    """S3: one clear line and a non-zero exit, never a traceback, and nothing is left behind."""
    spoiled, empty = tmp_path / "spoiled.db", tmp_path / "empty.db"
    Path(played.removeprefix("sqlite:///")).rename(spoiled)
    spoil(spoiled, "UPDATE journal SET body = x'90' WHERE seq = 20")
    SqliteLedger(empty).close()
    names = {"tmp": tmp_path, "spoiled": f"sqlite:///{spoiled}", "empty": f"sqlite:///{empty}"}
    code, out, errors = run(*(argument.format(**names) for argument in arguments))
    assert (code, out) == (1, "")
    assert said.format(**names) in errors
    assert errors.count("\n") == 1
    assert not list(tmp_path.glob("b.db.part*"))


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_an_example(command: str) -> None:
    """DESIGN, commands: every command's help shows how it is used."""
    code, out, _ = run(command, "--help")
    assert code == 0
    assert f"Example: jackpot ledger {command}" in out
