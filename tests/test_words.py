"""Is a number of things said as people say it?"""

from jackpot.words import counted, plural


def test_a_number_of_things_is_said() -> None:
    """For commands, pages and logs: one, several, thousands, and words in -ry."""
    assert counted(1, "hit") == "1 hit"
    assert counted(0, "hit") == "0 hits"
    assert counted(12_345, "wager") == "12,345 wagers"
    assert counted(2, "entry") == "2 entries"
    assert plural("table") == "tables"
