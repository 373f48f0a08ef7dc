"""The PostgreSQL backup scripts restore a verified ledger, and refuse an incomplete one."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Final, NamedTuple

import pytest

from jackpot.lab.testing.postgres import EnginesMissing, Postgres, binaries
from jackpot.ledger.journal import Row
from jackpot.rules.acts.links import Suspended
from jackpot.rules.registry import decode
from tests import ceilings
from tests.deploy.test_units import installed
from tests.deploy.tools import DEPLOY, ROOT
from tests.ledger.play import Play
from tests.ledger.waiting import open_ledger

SCRIPTS: Final = DEPLOY / "postgres"
WAIT_S: Final = ceilings.WAIT_S
FIRST, SECOND, THIRD = 60, 90, 120
LEDGER: Final = "ledger"


class Site(NamedTuple):
    """A cluster that archives its WAL, its backup of the first rows, and a time after the second ones."""

    folder: Path
    cluster: Postgres
    rows: list[Row]
    backup: Path
    archive: Path
    between: str


def run(
    folder: Path, script: str, *words: str | Path, python: str = sys.executable
) -> subprocess.CompletedProcess[str]:
    """Runs a script as PostgreSQL's user, with a `jackpot` on its path."""
    programs = folder / "bin"
    programs.mkdir(exist_ok=True)
    jackpot = programs / "jackpot"
    jackpot.write_text(f'#!/bin/sh\nexec "{python}" -m jackpot.cli "$@"\n')
    jackpot.chmod(0o755)
    not_root = ["unshare", "-U", "--map-user=1", "--map-group=1"] if os.geteuid() == 0 else []
    return subprocess.run(
        [*not_root, SCRIPTS / script, *words],
        env={
            **os.environ, "PATH": f"{programs}:{os.environ['PATH']}", "PGBIN": str(binaries()),
            "PYTHONPATH": str(ROOT),
        },
        capture_output=True, text=True, check=False, timeout=ceilings.PROGRAM_S,
    )  # fmt: skip


def write(cluster: Postgres, rows: list[Row]) -> None:
    """Appends the rows that the ledger lacks, as its server would."""
    with closing(open_ledger(cluster.url(LEDGER))) as ledger:
        head = ledger.new_epoch("main", "server", at_least=rows[-1].epoch)
        ledger.append("main", head.epoch, head.seq, rows[head.seq :])


def read(data: Path) -> list[Row]:
    """Rows of the restored ledger, whose bank waits for two people (S9); removes the cluster afterwards."""
    with (data / "postgresql.auto.conf").open("a") as settings:
        settings.write("archive_mode = off\n")
    with (
        Postgres(data.parent) as cluster,
        closing(open_ledger(cluster.url(LEDGER), readonly=True)) as ledger,
    ):
        *rows, _program, last = ledger.rows("main", 0, 10_000)
    event = decode(last.kind, last.version, last.body)
    assert isinstance(event, Suspended)
    assert event.cause == "restored"
    return rows


def wait_archived(cluster: Postgres, archive: Path) -> None:
    """Waits until all that is written is in the archive."""
    ((name,),) = cluster.sql("select pg_walfile_name(pg_switch_wal())")
    ends = time.monotonic() + WAIT_S
    while not (archive / str(name)).exists():
        assert time.monotonic() < ends, f"{name} was never archived: {cluster.log.read_text()[-2000:]}"
        time.sleep(0.02)


@pytest.fixture(scope="module")
def site(made_once: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    try:
        binaries()
    except EnginesMissing as missing:
        pytest.skip(str(missing))
    folder = tmp_path_factory.mktemp("site")
    archive, backups = folder / "the archive", folder / "backups"
    archive.mkdir()
    backups.mkdir()
    command = f'{SCRIPTS}/archive.sh "{archive}" %p %f'
    with Postgres(folder / "cluster") as cluster:
        settings = cluster.data / "postgresql.auto.conf"
        cluster.stop()
        settings.write_text(f"archive_mode = on\narchive_command = '{command}'\n")
        cluster.start()
        cluster.create(LEDGER)
        rows = Play(10).until(THIRD).rows
        write(cluster, rows[:FIRST])
        done = run(folder, "backup.sh", cluster.url(), backups)
        assert done.returncode == 0, done.stderr
        write(cluster, rows[:SECOND])
        ((between,),) = cluster.sql("select clock_timestamp()::text")
        write(cluster, rows)
        wait_archived(cluster, archive)
        yield Site(folder, cluster, rows, Path(done.stdout.strip()), archive, str(between))


def restored(site: Site, data: Path, *options: str | Path) -> str:
    done = run(site.folder, "restore.sh", *options, site.backup, data, LEDGER)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "the books balance" in done.stdout
    assert "ledger_behind" in done.stderr
    return done.stdout


def test_a_backup_comes_back(site: Site, tmp_path: Path) -> None:
    """S3: the backup alone is the ledger as it was then; it is proved before its folder has its name."""
    data = tmp_path / "data"
    out = restored(site, data)
    assert site.rows[FIRST - 1].hash.hex() in out
    assert not data.with_name("data.unproved").exists()
    assert read(data) == site.rows[:FIRST]


def test_the_archive_carries_it_further(site: Site, tmp_path: Path) -> None:
    """S3, S4: with the WAL archive nothing acknowledged is lost, or it ends where it is told to."""
    (tmp_path / "whole").mkdir()
    restored(site, tmp_path / "whole" / "data", "--wal", site.archive)
    assert read(tmp_path / "whole" / "data") == site.rows
    (tmp_path / "then").mkdir()
    restored(site, tmp_path / "then" / "data", "--wal", site.archive, "--until", site.between)
    assert read(tmp_path / "then" / "data") == site.rows[:SECOND]


def test_a_spoiled_backup_is_refused(site: Site, tmp_path: Path) -> None:
    """S3: one changed byte, or an interrupted backup, is no backup."""
    spoiled = tmp_path / "spoiled"
    shutil.copytree(site.backup, spoiled)
    file = max(spoiled.glob("base/*/*"), key=lambda path: path.stat().st_size)
    data = bytearray(file.read_bytes())
    data[-1] ^= 1
    file.write_bytes(data)
    done = run(site.folder, "restore.sh", spoiled, tmp_path / "data", LEDGER)
    assert done.returncode == 1
    assert "is not what was backed up" in done.stderr
    part = spoiled.rename(tmp_path / "base-1.part")
    done = run(site.folder, "restore.sh", part, tmp_path / "data", LEDGER)
    assert (done.returncode, "is not a whole backup" in done.stderr) == (1, True)
    assert not (tmp_path / "data").exists()


def test_a_spoiled_ledger_is_not_put_to_use(site: Site, tmp_path: Path) -> None:
    """S3: a whole backup of a ledger that does not verify keeps the name of what is not proved."""
    backups = tmp_path / "backups"
    backups.mkdir()
    url = site.cluster.create("forged", LEDGER)
    for statement in (
        "ALTER TABLE journal DISABLE TRIGGER ALL",
        "UPDATE journal SET at = at + 1 WHERE seq = 20",
    ):
        site.cluster.sql(statement, "forged")
    assert url.endswith("/forged")
    done = run(site.folder, "backup.sh", site.cluster.url(), backups)
    assert done.returncode == 0, done.stderr
    done = run(site.folder, "restore.sh", done.stdout.strip(), tmp_path / "data", "forged")
    assert done.returncode == 1
    assert "main: row 20 was changed or added" in done.stderr
    assert "the restored ledger does not verify" in done.stderr
    assert not (tmp_path / "data").exists()
    assert (tmp_path / "data.unproved").exists()
    site.cluster.drop("forged")


def test_a_backup_from_before_an_upgrade_comes_back(site: Site, tmp_path: Path) -> None:
    """S3: what was restored is brought up to date, as its owner's and nobody else's, and proved as that."""
    (tmp_path / "backups").mkdir()
    site.cluster.create("older")
    site.cluster.sql("CREATE ROLE books SUPERUSER LOGIN")
    url = site.cluster.url("older").replace("//postgres@", "//books@")
    with closing(open_ledger(url)) as ledger:
        head = ledger.new_epoch("main", "server", at_least=site.rows[-1].epoch)
        ledger.append("main", head.epoch, 0, site.rows[:FIRST])
    for undone in (
        "DROP VIEW audit_meters, audit_hits, audit_people, audit_commitments",
        "DROP TABLE takeover, name, mystery_trigger",
        "DELETE FROM migration WHERE number >= 4",
    ):
        site.cluster.sql(undone, "older")
    site.cluster.sql("ALTER ROLE books NOSUPERUSER")
    site.cluster.sql("ALTER DATABASE older OWNER TO books")
    done = run(site.folder, "backup.sh", site.cluster.url(), tmp_path / "backups")
    assert done.returncode == 0, done.stderr
    backup, data = done.stdout.strip(), tmp_path / "data"
    done = run(site.folder, "restore.sh", "--no-roles", backup, data, "older")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "applied 0004 " in done.stderr
    assert "have their rights" not in done.stderr
    assert "ledger: schema 0005\n" in done.stdout
    assert "the books balance" in done.stdout
    site.cluster.drop("older")
    site.cluster.sql("DROP ROLE books")


def test_nothing_is_overwritten(site: Site, tmp_path: Path) -> None:
    """DESIGN, what it must withstand: neither a data directory nor another cluster's archive."""
    data = tmp_path / "data"
    data.mkdir()
    done = run(site.folder, "restore.sh", site.backup, data, LEDGER)
    assert (done.returncode, list(data.iterdir())) == (1, [])
    assert "exists: restore into another folder" in done.stderr
    for name, text in (("one", "wal"), ("other", "another")):
        (tmp_path / name).write_text(text)
    kept = tmp_path / "kept"
    kept.mkdir()
    for name, code in (("one", 0), ("one", 0), ("other", 1)):
        assert run(site.folder, "archive.sh", kept, tmp_path / name, "0001").returncode == code
    assert [(path.name, path.read_text()) for path in kept.iterdir()] == [("0001", "wal")]


def test_a_program_that_cannot_run_is_no_broken_ledger(site: Site, tmp_path: Path) -> None:
    """DESIGN, what it must withstand: who restores is told what is missing before anything is copied."""
    done = run(site.folder, "restore.sh", site.backup, tmp_path / "data", LEDGER, python="/nowhere/python3")
    assert (done.returncode, list(tmp_path.iterdir())) == (1, [])
    assert "restore.sh: jackpot cannot be run by " in done.stderr


@pytest.mark.parametrize("script", ["backup.sh", "archive.sh", "restore.sh"])
def test_each_script_says_how_it_is_used(script: str) -> None:
    """DESIGN, commands: --help with an example; wrong words end in the same text and a code of their own."""
    done = subprocess.run([SCRIPTS / script, "--help"], capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert done.stdout.startswith(f"usage: {script} ")
    wrong = subprocess.run([SCRIPTS / script, "one"], capture_output=True, text=True, check=False)
    assert (wrong.returncode, wrong.stdout, wrong.stderr) == (2, "", done.stdout)


def test_shellcheck_finds_nothing() -> None:
    """The house rules, for the scripts that are shipped."""
    check = installed("shellcheck")
    shipped = [*sorted(DEPLOY.glob("*/*.sh")), DEPLOY / "local-up"]
    done = subprocess.run([check, *shipped], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
