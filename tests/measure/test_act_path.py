"""The way of an act of people: nothing on it is done twice."""

import asyncio
from pathlib import Path
from typing import Final

from tests.measure.act_path import trace
from tests.measure.call_trace import Call

AUTH: Final = "jackpot/auth/auth_service.py"
LOOKS: Final = ("Directory.look", "Directory.look_with")


def test_nothing_is_done_twice_for_an_act(tmp_path: Path) -> None:
    """L8, S8: people are looked up as they send and as it is decided; form and preview are looked at once."""
    path = asyncio.run(trace(tmp_path))
    for way in (path.form, path.confirmation):
        assert sum(call.function in LOOKS and call.by == AUTH for call in way) == 2
        assert _times(way, "body_of") == 1, "the form is parsed once"
        assert _times(way, "preview_of") == 1, "the preview is made once"
        assert _times(way, "BankRouter.bank_for") == 1
    asked = [call.by for call in path.form if call.function == "Bank.ask"]
    assert "jackpot/api/act_effects.py" not in asked, "it has no effect besides the journal"
    assert AUTH not in asked, "it answers nobody's request"


def _times(way: list[Call], function: str) -> int:
    return sum(call.function == function for call in way)
