"""`jackpot signage` names in one line what it lacks."""

from pathlib import Path

from typer.testing import CliRunner

from jackpot.cli.signage import app
from tests.running_server import configure

TWO = '[redis]\nurl = "redis://127.0.0.1:1"\n[[signage]]\nid = "hall"\n[[signage]]\nid = "bar"\n'


def words(file: Path, *options: str) -> str:
    shown = CliRunner().invoke(app, ["--config", str(file), *options])
    assert shown.exit_code == 1
    assert "Traceback" not in shown.output
    return shown.stderr


def test_which_process_it_is(tmp_path: Path) -> None:
    """Signage: none configured, none named of two, an unknown one, no file: one clear line each."""
    file = configure(tmp_path).path
    assert words(file) == f"{file} has no [[signage]]\n"
    file = configure(tmp_path, extra=TWO).path
    assert words(file) == "which one? --id hall or --id bar\n"
    assert words(file, "--id", "yard") == "there is no [[signage]] yard; there is hall, bar\n"
    assert words(tmp_path / "none").endswith("cannot be read: No such file or directory\n")
