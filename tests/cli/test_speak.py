"""Does the command line show what it is given, and nothing else?"""

import socket
from pathlib import Path
from typing import Any

import pytest
import typer

from jackpot.cli import speak
from jackpot.cli.speak import table
from jackpot.words import counted


@pytest.mark.parametrize("text", ["[case 1204]", "a misdeal [/b]", ":warning: 17 [red]", "1 > 0"])
def test_a_table_shows_what_people_wrote(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    """T7: a reason, a name or a holder is text, whatever is in it."""
    table("1 hit", ["reason"], [[text]])
    assert text in capsys.readouterr().out


@pytest.mark.parametrize(
    ("request_", "end"),
    [
        ({"do": "status"}, "the server waits for its ledger\n"),
        ({"do": "pay", "by": None}, "its ledger; whether it was done shows once the ledger is well\n"),
    ],
)
def test_a_server_in_doubt_is_not_waited_for_without_end(
    request_: dict[str, Any],
    end: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """S5: who asked an act is told that it may have been done; who only looked is not."""
    monkeypatch.setattr(speak, "ANSWER_WITHIN_S", 0.05)
    with socket.socket(socket.AF_UNIX) as silent:
        silent.bind(str(tmp_path / "s"))
        silent.listen()
        with pytest.raises(typer.Exit):
            speak.ask(None, tmp_path / "s", **request_)
    said = capsys.readouterr().err
    assert said.startswith("no answer within ")
    assert said.endswith(end)


def test_one_is_not_many() -> None:
    """A title counts as people do."""
    assert [counted(number, "hit") for number in (0, 1, 2, 1000)] == [
        "0 hits",
        "1 hit",
        "2 hits",
        "1,000 hits",
    ]
