"""Routes of operations are unique."""

from jackpot.api.operation import path_of
from jackpot.api.registry import ASKED_ACTS, QUESTIONS


def test_no_two_asks_have_one_route() -> None:
    """Queries, server commands and acts of the rules are told apart by their paths."""
    paths = [path_of(kind) for kind in (*QUESTIONS, *ASKED_ACTS)]
    assert len(set(paths)) == len(paths)
