"""Is every ask told from every other?"""

from jackpot.api.operation import path_of
from jackpot.api.registry import ASKED_ACTS, QUESTIONS


def test_no_two_asks_have_one_route() -> None:
    """Questions, acts of the server and acts of the rules are told apart by their paths."""
    paths = [path_of(kind) for kind in (*QUESTIONS, *ASKED_ACTS)]
    assert len(set(paths)) == len(paths)
