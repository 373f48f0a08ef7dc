"""A metrics file is replaced atomically: Prometheus reads the old one or the whole new one."""

import os
import stat
from pathlib import Path

import pytest
import typer

from jackpot.cli.textfile import tell
from tests.deploy.tools import promtool


def test_a_file_is_whole_or_as_it_was(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """METRICS.md: each bank with its row; a folder that cannot be written is told in one line."""
    file = tmp_path / "jackpot.prom"
    mask = os.umask(0o077)  # as the shipped units have it
    try:
        tell(file, "verified", {"main": 7, "site": 2})
    finally:
        os.umask(mask)
    assert stat.S_IMODE(file.stat().st_mode) == 0o644, "its collector is another user"
    lines = file.read_text().splitlines()
    assert lines[0] == "# TYPE jackpot_verified_timestamp_seconds gauge"
    assert lines[-2:] == ['jackpot_verified_seq{bank="main"} 7', 'jackpot_verified_seq{bank="site"} 2']
    assert promtool("check", "metrics", given=file.read_text()).returncode in {0, 3}  # 3: it wants help texts
    assert [path.name for path in tmp_path.iterdir()] == ["jackpot.prom"]
    with pytest.raises(typer.Exit):
        tell(tmp_path / "nowhere" / "jackpot.prom", "verified", {"main": 7})
    assert capsys.readouterr().err == f"{tmp_path}/nowhere/jackpot.prom: No such file or directory\n"
