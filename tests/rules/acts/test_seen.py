"""Is what another person would confirm still what the first one saw (A10, L8)?"""

from msgspec.structs import replace

from jackpot.rules.acts.meters import CorrectMeter
from jackpot.rules.acts.requests import Requested
from jackpot.rules.acts.seen import changed, seen
from jackpot.rules.acts.standing import would
from tests.rules.acts.test_requests import ANN, BEN, CAL, CORRECT, ask, last, won
from tests.rules.subject import OfEngine
from tests.rules.test_engine import royal, send, wager

LESS = CorrectMeter("L", "meter", -12_345_678, "a test wager")


def no_more(subject: OfEngine, *, on_meters: bool) -> str:
    """What of the oldest request is no more as it was seen."""
    state = subject.engine.state
    request = state.requests[0]
    return changed(request.seen, seen(state, would(state, request)), on_meters=on_meters)


def test_wagers_meanwhile_change_nothing_that_matters() -> None:
    """L8: a meter rises all the time; the request has what stood there, and what would have moved."""
    subject = won()
    ask(subject, LESS, ANN)
    asked = last(subject)
    assert isinstance(asked, Requested)
    (level,) = asked.seen.levels
    assert (level.change.primary, level.change.corrections) == (LESS.amount, -LESS.amount)
    assert level.held == subject.engine.state.links[0].levels[0].accounts
    assert send(subject, 1, wager(), table="T2").answer["t"] == "ack"
    assert level.held != subject.engine.state.links[0].levels[0].accounts
    assert no_more(subject, on_meters=True) == ""


def test_a_meter_that_was_won_meanwhile_is_no_more_the_one_that_was_seen() -> None:
    """L8: a jackpot fell between asking and confirming; an award is corrected all the same (A10)."""
    subject = won()
    ask(subject, LESS, ANN)
    for seq, frame in ((1, wager()), (2, royal())):
        assert send(subject, seq, frame, table="T2").answer["t"] == "ack"
    assert "more than wagers has moved the meter" in no_more(subject, on_meters=True)
    assert no_more(subject, on_meters=False) == ""


def test_an_award_that_others_corrected_meanwhile_is_not_corrected_by_what_it_was() -> None:
    """A10: the difference would be another one."""
    subject = won()
    ask(subject, CORRECT, ANN)
    assert no_more(subject, on_meters=False) == ""
    assert ask(subject, replace(CORRECT, amount=950_000), CAL, BEN).answer["ok"]
    assert "it would move other sums now" in no_more(subject, on_meters=False)
