"""`require` returns the value, or the money stops."""

import pytest

from jackpot.rules.invariant import InvariantError, require
from jackpot.rules.paytable import TableTerms
from jackpot.rules.rounds.apply import unfinished
from jackpot.rules.state import Round, Table


@pytest.mark.parametrize("value", ["a round", "", 0, ()])
def test_what_is_there_is_given_back(value: object) -> None:
    """What is empty or zero is there, too."""
    assert require(value, "nothing is there") is value


def test_what_is_missing_stops_the_money() -> None:
    """The error says what was missing."""
    with pytest.raises(InvariantError, match="a lock without a round"):
        require(None, "a lock without a round")


def test_an_event_of_a_round_that_the_table_does_not_have_breaks_an_invariant() -> None:
    """T1: events are of a table's unfinished round; of a closed one nothing is applied."""
    table = Table(1, TableTerms("T01", "let-it-ride", 7, ()), [1], round=Round("R1", "open", 1))
    assert unfinished(table, "R1") is table.round
    table.closed = Round("R0", "closed", 1)
    for unknown in ("R0", "R2"):
        with pytest.raises(InvariantError, match=f"table T01 has no unfinished round {unknown}"):
            unfinished(table, unknown)
