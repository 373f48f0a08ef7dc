"""Additions to a hit's papers once it is paid."""

from typing import Any

from jackpot.rules.acts.hits import Validate
from jackpot.rules.acts.papers import AddPapers, PapersAdded
from jackpot.rules.commands import ActCommand
from tests.rules.acts.test_requests import ANN, LOOKER, PAYER, ask, last, won


def test_an_addendum_changes_no_sum_and_no_status() -> None:
    """A10: to any hit, by the floor or the cage, with its reason; nothing written is nothing added."""
    subject = won()

    def code(command: ActCommand, signed: Any) -> str:
        return str(ask(subject, command, signed).answer.get("code", ""))

    add = AddPapers("H1", "left out", surveillance="cam 12", paper=b"p" * 32, on_paper=("witness",))
    assert code(add, PAYER) == "not_validated", "there are no papers yet to add to"
    assert code(Validate("H1"), ANN) == ""
    assert [code(pay, PAYER) for pay in subject.payments()] == ["", ""]
    before = subject.engine.state.links
    assert code(add, LOOKER) == "not_allowed"
    assert code(add, PAYER) == ""
    added = last(subject)
    assert isinstance(added, PapersAdded)
    assert (added.number, added.reason, added.surveillance) == (1, "left out", "cam 12")
    assert subject.engine.state.links == before
    assert code(AddPapers("H9", "x", "cam 12"), PAYER) == "no_such_hit"
    assert code(AddPapers("H1", "x"), PAYER) == "bad_request"
