"""The engine against the examples worked out by hand from the regulations; each names its rules."""

import pytest

from jackpot.rules.engine import Engine
from tests.faults.worked import ALL
from tests.faults.worked.form import Example
from tests.faults.worked.play import play
from tests.rules.subject import BANK, OfEngine


@pytest.mark.parametrize("example", ALL, ids=lambda example: example.name)
def test_worked_example(example: Example) -> None:
    """The answers, awards and meters are those of the regulation (each example cites its rule ids).

    M4, L10: its entries, applied again, give the same state and postings.
    """
    subject = OfEngine()
    play(example, subject)
    again = Engine(BANK)
    for entry in subject.entries:
        moved = again.replay(entry)
        assert (moved.postings, moved.hits) == (entry.postings, entry.hits)
    assert again.snapshot() == subject.engine.snapshot()
    assert Engine.from_snapshot(again.snapshot()).snapshot() == again.snapshot()
