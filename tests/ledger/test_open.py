"""Parsing of ledger URLs."""

from pathlib import Path

import pytest

from jackpot.ledger.store import LedgerUnusable
from tests.ledger.waiting import open_ledger


def test_relative_and_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """DESIGN, config: three slashes and a name are relative, four slashes absolute."""
    monkeypatch.chdir(tmp_path)
    for url in ("sqlite:///ledger.db", f"sqlite:///{tmp_path}/other.db"):
        ledger = open_ledger(url)
        assert ledger.created
        ledger.close()
    assert {path.name for path in tmp_path.glob("*.db")} == {"ledger.db", "other.db"}


@pytest.mark.parametrize("url", ["", "ledger.db", "sqlite://ledger.db", "sqlite:///", "oracle:///ledger.db"])
def test_anything_else_is_refused(url: str) -> None:
    """DESIGN, config: nothing is guessed."""
    with pytest.raises(LedgerUnusable, match="is not a ledger: write sqlite:///"):
        open_ledger(url)


def test_a_files_path_is_told_its_url(tmp_path: Path) -> None:
    """DESIGN, commands: a person who names the file learns what to type."""
    path = tmp_path / "ledger.db"
    path.touch()
    with pytest.raises(LedgerUnusable, match=f"is not a ledger: write sqlite:///{path}$"):
        open_ledger(str(path))


@pytest.mark.parametrize(
    "url",
    ["mysql://u:{}@h/db", "postgres+asyncpg://u:{}@h/db", " postgresql://u:{}@h/db", "POSTGRESQL://u:{}@h/db",
     "postgresql:/u:{}@h/db", "u:{}@h/db", "mysql://h/db?user=u&password={}"],
)  # fmt: skip
@pytest.mark.parametrize("password", ["s3cret", "a:s3cret", "a/s3cret", "a@s3cret"])
def test_a_mistaken_url_shows_no_password(url: str, password: str) -> None:
    """DESIGN, commands: one clear line, which may stand in a log."""
    with pytest.raises(LedgerUnusable, match="is not a ledger: write") as said:
        open_ledger(url.format(password))
    assert "s3cret" not in str(said.value)
