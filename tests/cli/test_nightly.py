"""`jackpot ledger nightly` leaves a proved backup; only then is the metrics file written."""

from pathlib import Path

import pytest

from tests.cli.test_ledger import head_of, played, run
from tests.deploy.test_metrics import documented
from tests.ledgers import KINDS, Fresh

__all__ = ["played"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_night(played: str, fresh: Fresh, tmp_path: Path, kind: str) -> None:
    """S3: a proved backup more, and Prometheus hears of it; nothing is said or let go where one fails."""
    source, told = fresh(kind), tmp_path / "backup.prom"
    (folder := tmp_path / "backups").mkdir()
    assert run("copy", source, "--ledger", played)[0] == 0
    words: list[str | Path] = [folder, "--ledger", source, "--keep", "1", "--textfile", told]
    code, out, errors = run("nightly", *words)
    (file,) = folder.glob("ledger-*.db")
    seq, hash_ = head_of(source)
    assert (code, errors, out) == (0, "", f"main: {file} came back with all {seq} rows, head {hash_}\n")
    assert f'jackpot_backup_proved_seq{{bank="main"}} {seq}' in told.read_text()
    wanted = {name for name in documented("timer") if name.startswith("jackpot_backup_")}
    assert {name for name in wanted if name in told.read_text()} == wanted != set()
    before = told.read_text()
    words[2] = f"sqlite:///{tmp_path}/nowhere.db"
    code, out, errors = run("nightly", *words)
    assert (code, out) == (1, "")
    assert errors.startswith(f"not backed up: the ledger {tmp_path}/nowhere.db")
    assert (told.read_text(), file.exists()) == (before, True)
