"""Lamps: a table says what the lamp of an award shows, and the validation what was seen of it (P3)."""

from typing import Any, Final, get_args

import pytest

from controllers.messages import Bet, LampState
from jackpot.rules import registry, views
from jackpot.rules.acts.hits import Undo, Validate, Validated
from jackpot.rules.alarms import KINDS
from jackpot.rules.events import LampReported
from jackpot.rules.outgoing_messages import greeting
from jackpot.rules.rounds.lamps import LAMP_CHANGES_MAX
from tests.faults.worked.form import Link, Table
from tests.frames import Claim, Lamp, Lock, Settle, Void, Wager
from tests.rules.acts.test_meters import act, code, done, frame, suspended
from tests.rules.subject import OfEngine
from tests.rules.test_engine import send
from tests.said import Heard, refused_frame

ROYAL: Final = ("As", "Ks", "Qs")
NOTHING: Final = ("2h", "7d", "9c")
BOARD: Final = ("Js", "Ts")


def floor() -> OfEngine:
    subject = OfEngine()
    subject.open(Link("L", "pa-643a-five-card-A", "1.00"))
    for name in ("T1", "T2"):
        subject.add(Table(name))
    return subject


def won(subject: OfEngine, round_: str = "r1") -> None:
    """Seat 3 wins the meter, and seat 5 the envy bonus of its hand: A1 and A2 of H1 the first time."""
    frame(subject, Wager(round_, (Bet(5, "L", 100), Bet(3, "L", 100)), lock=True))
    hands = (Claim(5, NOTHING), Claim(3, ROYAL))
    frame(subject, Settle(round_, hands, board=BOARD, close=True))


def lamp(subject: OfEngine, award: str, state: LampState = "lit", table: str = "T1") -> Heard:
    return frame(subject, Lamp(award, state), table)


def refused(subject: OfEngine, award: str, state: LampState = "lit", table: str = "T1") -> str:
    found = subject.engine.table(table)
    assert found is not None
    return str(refused_frame(send(subject, found.last_seq + 1, Lamp(award, state), table=table))[0])


def shown(subject: OfEngine) -> dict[str, str | None]:
    """What pages and programs are told of the lamps of the first hit."""
    subject.rebuild()  # a snapshot has them, too
    hit = views.hit(subject.engine.state, subject.engine.state.hits[1])
    return {award["award"]: award.get("lamp") for award in hit["awards"]}


def last(subject: OfEngine) -> Any:
    entry = subject.entries[-1]
    return registry.decode(entry.kind, entry.version, entry.body)


def test_an_award_has_what_its_table_said_last() -> None:
    """P3: each award its own lamp; the row is one of the hit's, and a table that comes back is told."""
    subject = floor()
    won(subject)
    assert shown(subject) == {"A1": None, "A2": None}
    assert lamp(subject, "A1").answer == {"t": "ack", "seq": 3}
    assert (subject.entries[-1].hits, last(subject)) == ((1,), LampReported(1, 1, 3, "lit", True))
    lamp(subject, "A2", "lamp_failed")
    assert shown(subject) == {"A1": "lit", "A2": "lamp_failed"}
    lamp(subject, "A2")
    assert shown(subject) == {"A1": "lit", "A2": "lit"}
    state = subject.engine.state
    assert [award.lamp for award in greeting(state, state.tables[0]).waiting.awards] == ["lit", "lit"]


def test_an_award_of_which_nobody_speaks_is_as_before() -> None:
    """P3: a table that never says it is told nothing more, and its hit is validated without a word of it."""
    subject = floor()
    won(subject)
    state = subject.engine.state
    assert all("lamp" not in award for award in views.hit(state, state.hits[1])["awards"])
    done(subject, Validate("H1"), *subject.payments("H1"))


def test_to_say_the_same_again_changes_nothing() -> None:
    """P3: it is acked, and its row is none of the hit's history; no alarm counts it."""
    subject = floor()
    won(subject)
    lamp(subject, "A1", "lamp_failed")
    lamp(subject, "A1", "lamp_failed")
    assert (subject.entries[-1].hits, last(subject).changed) == ((), False)
    (alarm,) = subject.engine.state.alarms.values()
    assert alarm.times == 1
    assert subject.engine.state.tallies["lamp", "lamp_failed"] == 1


def test_a_failed_lamp_is_an_alarm_of_its_table() -> None:
    """P3: it says which award and seat; a lit one is none, and takes none back."""
    subject = floor()
    won(subject)
    assert lamp(subject, "A1").alarms == ()
    ((name, facts),) = lamp(subject, "A2", "lamp_failed").alarms
    assert (name, facts["table"], facts["award"], facts["seat"]) == ("lamp_failed", "T1", "A2", 5)
    lamp(subject, "A2")
    (alarm,) = views.open_alarms(subject.engine)
    assert (alarm["kind"], alarm["place"], str(alarm["what"])) == ("lamp_failed", "table T1", "A2, seat 5")
    assert alarm["means"] == KINDS["lamp_failed"].means


def test_a_failed_lamp_is_looked_at_before_the_award_is_validated() -> None:
    """P3: the validation then says what it shows; it takes no award away, and journals what was seen."""
    subject = floor()
    won(subject)
    lamp(subject, "A2", "lamp_failed")
    assert code(subject, Validate("H1")) == "lamp_failed"
    done(subject, Validate("H1", lamp="lamp_failed"))
    assert isinstance(last(subject), Validated)
    assert last(subject).lamp == "lamp_failed"
    done(subject, *subject.payments("H1"))


@pytest.mark.parametrize("state", get_args(LampState))
def test_what_is_seen_of_a_lamp_may_always_be_said(state: LampState) -> None:
    """P3: the floorperson ticks it, whether the table speaks of its lamps or not; a lit one needs no word."""
    subject = floor()
    won(subject)
    done(subject, Validate("H1", lamp=state))
    assert last(subject).lamp == state
    other = floor()
    won(other)
    lamp(other, "A1", "lamp_failed")
    lamp(other, "A1")
    done(other, Validate("H1"))
    assert last(other).lamp == ""


def test_only_an_award_that_still_wants_its_lamp_has_one() -> None:
    """P3: not one that never was, is another table's, or is undone; nor a settled one of an earlier round."""
    subject = floor()
    won(subject)
    for name in ("A9", "H1", "A01", "A1"):
        assert refused(subject, name, table="T2" if name == "A1" else "T1") == "no_such_award"
    done(subject, Undo("H1", "misread", "A2"))
    assert refused(subject, "A2") == "no_such_award"
    done(subject, Validate("H1"), *subject.payments("H1"))
    lamp(subject, "A1", "lamp_failed")  # paid, and its round may still be reopened
    assert code(subject, Undo("H1", "misread")) != "done"
    frame(subject, Wager("r2", (Bet(3, "L", 100),)))
    lamp(subject, "A1")
    frame(subject, Lock("r2"))
    assert refused(subject, "A1") == "no_such_award"


def test_a_waiting_award_of_an_earlier_round_has_its_lamp() -> None:
    """P3: as long as people have not paid it, whatever is played meanwhile; without a round as well."""
    subject = floor()
    won(subject)
    done(subject, Validate("H1"))
    for engine in (subject.engine, subject.auditor):
        engine.state.tables[0].held.clear()
    frame(subject, Wager("r2", (Bet(3, "L", 100),), lock=True))
    lamp(subject, "A1")
    frame(subject, Void("r2", "misdeal"))
    lamp(subject, "A1", "lamp_failed")
    assert shown(subject) == {"A1": "lamp_failed", "A2": None}


def test_a_lamp_that_flickers_is_unreasonable() -> None:
    """P3: so many changes are taken down, and the next one alarms; to say the same still changes nothing."""
    subject = floor()
    won(subject)
    states: tuple[LampState, ...] = get_args(LampState)
    for number in range(LAMP_CHANGES_MAX):
        lamp(subject, "A1", states[number % 2])
    assert refused(subject, "A1", states[0]) == "unreasonable"
    lamp(subject, "A1", states[1])
    lamp(subject, "A2", states[0])
    assert "unreasonable" in [kind for kind, _ in subject.engine.state.alarms]
    assert len(subject.engine.state.hits[1].awards[0].lamps) == LAMP_CHANGES_MAX


def test_a_bank_counts_lamps_for_its_life() -> None:
    """P3: each change of a state, and a bank that it becomes goes on from there."""
    subject, other = floor(), OfEngine("other")
    other.open(Link("X", "pa-643a-five-card-A"))
    won(subject)
    for state in ("lamp_failed", "lit", "lit"):
        lamp(subject, "A1", state)
    done(subject, Validate("H1"), *subject.payments("H1"))
    counted = {("lamp", "lamp_failed"): 1, ("lamp", "lit"): 1}
    assert subject.engine.state.tallies == counted
    for bank, link in ((subject, "L"), (other, "X")):
        suspended(bank, link)
    subject.become(other.engine, "one")
    assert subject.engine.state.tallies == counted
    assert act(subject, Validate("H1"))["code"] == "no_such_hit"
