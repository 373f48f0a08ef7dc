"""Does a URL name the ledger that it says?"""

from pathlib import Path

import pytest

from jackpot.ledger.open import open_ledger
from jackpot.ledger.store import LedgerUnusable


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
