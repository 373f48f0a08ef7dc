"""Page latency counts for a signed-in person only."""

from pathlib import Path

import pytest

from jackpot.lab.bench.ledger_fixture import past
from jackpot.lab.bench.load import LoadError
from jackpot.lab.bench.servers import ServedFloor, ServedProgram
from jackpot.lab.bench.visit import BrowserSession, hire


def test_a_page_is_seen_by_who_signed_in(tmp_path: Path) -> None:
    """Bench: a page takes time; where it is not shown, or nobody could sign in, nothing was measured."""
    made = past(tmp_path / "past", 60, ServedFloor(2))
    person = hire(made.url)
    with ServedProgram(made.config) as server:
        port = server.ports["http"]
        assert BrowserSession(port, person).page("/ops/journal") > 0
        with pytest.raises(LoadError, match="/ops/nowhere: HTTP Error 404"):
            BrowserSession(port, person).page("/ops/nowhere")
        with pytest.raises(LoadError, match="/ops/sign-in: HTTP Error 403"):
            BrowserSession(port, person._replace(secret="another one"))
