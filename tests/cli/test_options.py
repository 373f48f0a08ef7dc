"""Shared options and tables of the command line print text exactly as it is given."""

import pytest

from jackpot.cli.options import table
from jackpot.text import counted


@pytest.mark.parametrize("text", ["[case 1204]", "a misdeal [/b]", ":warning: 17 [red]", "1 > 0"])
def test_a_table_shows_what_people_wrote(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    """T7: a reason, a name or a holder is text, whatever is in it."""
    table("1 hit", ["reason"], [[text]])
    assert text in capsys.readouterr().out


def test_one_is_not_many() -> None:
    """A title counts as people do."""
    assert [counted(number, "hit") for number in (0, 1, 2, 1000)] == [
        "0 hits",
        "1 hit",
        "2 hits",
        "1,000 hits",
    ]
