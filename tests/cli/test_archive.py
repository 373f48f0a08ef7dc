"""`jackpot ledger seal`: old rows leave a ledger; what is refused is told in a sentence."""

import asyncio
import shutil
from contextlib import closing
from pathlib import Path

import pytest
from typer.testing import CliRunner

from jackpot.app import Server
from jackpot.cli.__main__ import root
from jackpot.clock import SystemClock
from jackpot.config import Config, load
from jackpot.config.writing import local_time
from jackpot.ledger.banks import _first
from jackpot.ledger.maintenance.archive import Archiving
from jackpot.ledger.maintenance.archive import archive as let_go
from jackpot.ledger.open import opened
from jackpot.ledger.postgres.store import PostgresStore
from jackpot.ledger.sqlite.store import SqliteLedger
from jackpot.rules.signing import People
from tests.ledger.people import Paper
from tests.ledger.season import Season
from tests.ledger.verify.test_verifier import spoil
from tests.net.test_admin_socket import jackpot
from tests.running_server import configure, on_loop

BOTH = ("--by", "Ann", "--and-by", "Bo", "--reason", "books of then", "--older-than", "1")


@on_loop
async def test_old_rows_leave_by_two_people(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """S8: two names, a reason, an archive; then verify proves nothing of old rows without that."""
    config = configure(tmp_path)
    path = Path(load(config.path).ledger.url.removeprefix("sqlite:///"))
    season, archive = Season(), tmp_path / "archive.db"
    with closing(SqliteLedger(path)) as ledger:
        season.write(ledger)
        seal = ("ledger", "seal", str(archive), "--config", str(config.path))
        code, out, _ = await jackpot(*seal, "--older-than", "1", "--preview")
        cut = season.snapshots[2].seq
        day = local_time(season.rows[cut].at, "America/New_York", "%Y-%m-%d")
        said = f"up to row {cut} of {day} would leave; no later ones: the cycle of three meter"
        assert (code, said in out) == (0, True)
        code, _, error = await jackpot(*seal, *BOTH)
        assert (code, "is in use by process" in error, archive.exists()) == (1, True, False)
    for words, said in (
        ((*BOTH[:2], *BOTH[4:]), "it takes two people"),
        ((*BOTH[:3], "Ann", *BOTH[4:]), "it takes two people"),
        ((*BOTH[:4], "--reason", " "), "--reason: say why"),
    ):
        code, _, error = await jackpot(*seal, *words)
        assert (code, said in error, archive.exists()) == (1, True, False)
    code, out, _ = await jackpot(*seal, *BOTH[:-1], "30000")
    assert (code, "nothing to archive" in out) == (0, True)
    code, out, error = await jackpot(*seal, *BOTH)
    assert (code, error, f"up to row {cut} of {day} left" in out, "keep a second copy" in out) == (
        0,
        "",
        True,
        True,
    )
    verify = ("verify", "--ledger", f"sqlite:///{path}")
    code, out, error = await jackpot(*verify)
    assert (code, "main:" in out) == (1, False)
    assert f"main: rows 1 to {cut}: old frames are archived" in error
    assert "give --archive FILE" in error
    code, out, _ = await jackpot(*verify, "--archive", str(archive))
    assert (code, f"rows 1 to {cut} are proved by {archive}" in out) == (0, True)
    monkeypatch.setenv("JACKPOT_ARCHIVE", str(archive))  # as the timers' units have it
    nights = tmp_path / "nights"
    nights.mkdir()
    code, out, error = await jackpot("ledger", "nightly", str(nights), "--ledger", f"sqlite:///{path}")
    assert (code, error) == (0, ""), error
    assert f"came back with all {len(season.rows) + 2} rows" in out  # the program, and what was archived
    code, out, _ = await jackpot(*verify)
    assert (code, f"rows 1 to {cut} are proved by {archive}" in out) == (0, True)
    spoil(archive, "UPDATE journal SET at = at + 1 WHERE seq = 7")
    code, _, error = await jackpot(*verify)
    assert (code, "archive: main: row 7 was changed" in error) == (1, True)


@on_loop
async def test_an_archive_without_the_peoples_bank_is_none(tmp_path: Path) -> None:
    """S8: the bank of the people, taken out of the archive, or with other rows there; one that opened since
    the rows left may be missing.
    """
    path, archive = tmp_path / "ledger.db", tmp_path / "archive.db"
    with closing(SqliteLedger(path)) as ledger:
        Season().write(ledger)
        Paper().write(ledger)
    now = SystemClock().unix_ms()
    async with opened(f"sqlite:///{path}") as store:
        how = Archiving(People(("Ann", "Bo")), "books of then", now, now)
        await let_go(store, archive, how, lambda _plan: None)
    with closing(SqliteLedger(path)) as ledger:
        ledger.open_banks([_first("side", "riverside", SystemClock().unix_ms() + 1, People())])

    async def errors(file: Path) -> list[str]:
        _, _, error = await jackpot("verify", "--ledger", f"sqlite:///{path}", "--archive", str(file))
        return [line for line in error.splitlines() if "archive" in line]

    assert await errors(archive) == []
    number = "(SELECT id FROM bank WHERE name = 'site')"
    tables = ("hit_entry", "posting", "journal", "snapshot", "head", "takeover", "name")
    gone = [
        *(f"DELETE FROM {table} WHERE bank = {number}" for table in tables),
        "DELETE FROM bank WHERE id = 2",
    ]
    spoiled = tmp_path / "spoiled.db"
    shutil.copy(archive, spoiled)
    spoil(spoiled, *gone)
    assert await errors(spoiled) == [
        "site: the archive lacks this bank, which was there when rows left: it was taken out"
    ]
    shutil.copy(archive, spoiled)
    spoil(spoiled, f"UPDATE journal SET at = at + 1 WHERE seq = 3 AND bank = {number}")
    assert any(line.startswith("archive: site: row 3 was changed") for line in await errors(spoiled))
    other = Paper(site="elsewhere")
    with closing(SqliteLedger(tmp_path / "elsewhere.db")) as ledger:
        Season().write(ledger)
        other.write(ledger)
    shutil.copy(tmp_path / "elsewhere.db", spoiled)
    last = len(other.rows)
    said = f"site: the archive ends with a row {last} that the ledger does not have"
    assert said in await errors(spoiled)


def after_a_season(folder: Path) -> Config:
    """A configuration whose ledger has rows that may leave."""
    config = configure(folder)
    with closing(SqliteLedger(folder / "ledger.db")) as ledger:
        Season().write(ledger)
    return config


def sealed(config: Config, archive: Path) -> tuple[int, str]:
    """The exit code, and all that it says."""
    words = ["ledger", "seal", str(archive), "--config", str(config.path), *BOTH]
    done = CliRunner().invoke(root("ledger"), words)
    return done.exit_code, " ".join(done.output.split())


def test_what_left_is_told_where_it_does_not_end_well(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S8: nobody throws an archive away because the command failed after it had deleted."""
    config, archive = after_a_season(tmp_path), tmp_path / "archive.db"
    monkeypatch.setattr(
        "jackpot.ledger.maintenance.archive.undeleted_rows", lambda *_: ["main: row 7 is here as well"]
    )
    code, said = sealed(config, archive)
    assert (code, "is the only place that has these rows now" in said) == (1, True)
    assert "not sealed to the end, run the same command again: main: row 7" in said
    monkeypatch.undo()
    code, said = sealed(config, archive)
    assert (code, said.endswith("nothing to archive")) == (0, True)


@on_loop
async def test_nothing_leaves_while_a_server_has_any_bank(database: str, tmp_path: Path) -> None:
    """S8: a bank that another configuration names is in the same tables."""
    config = configure(tmp_path)
    config.path.write_text(config.path.read_text().replace(config.ledger.url, database))
    async with Server(load(config.path)):
        pass
    store = await PostgresStore.open(database)
    head, over = await store.new_epoch("side", "another server"), asyncio.Event()

    async def serve() -> None:
        while not over.is_set():
            await store.beat("side", head.epoch)

    async with asyncio.TaskGroup() as group:
        group.create_task(serve())
        words = ("ledger", "seal", str(tmp_path / "archive.db"), "--config", str(config.path))
        code, _, error = await jackpot(*words, *BOTH)
        over.set()
    await store.close()
    assert (code, "another server is writing bank side: stop it first" in error) == (1, True)


def test_who_interrupts_it_is_told_to_keep_the_archive(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S8: after Ctrl-C it is unknown whether the rows were deleted, so the archive must be kept."""
    config, archive = after_a_season(tmp_path), tmp_path / "archive.db"

    async def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("jackpot.ledger.maintenance.archive._seal_bank", interrupt)
    code, said = sealed(config, archive)
    assert (code, f"rows may have left, so keep {archive}" in said) == (1, True)
