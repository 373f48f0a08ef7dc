"""Credits: an award to a game account is confirmed as credited once, with a reference (P4)."""

import pytest

from controllers.messages import Bet
from jackpot.rules import registry
from jackpot.rules.acts.account_credits import Credit, Credited
from jackpot.rules.acts.hits import Correct, Undo, Validate
from jackpot.rules.state import CREDITS_KEPT, Uncredited
from tests.faults.worked.form import Link, Table
from tests.frames import Claim, Close, Settle, Wager
from tests.rules.acts.test_meters import DOLLAR, act, code, done, frame, suspended
from tests.rules.subject import OfEngine


def electronic(validate_at: str | None = "1000.00") -> OfEngine:
    """A bank of one electronic link, whose odds awards below a sum are final at once."""
    subject = OfEngine()
    options = {} if validate_at is None else {"validate_at": validate_at}
    subject.open(Link("L", "pa-643a-five-card-hand-bonus", "5.00", options=options))
    subject.add(Table("T1"))
    subject.add(Table("T2"))
    return subject


def won(subject: OfEngine, round_: str = "r1", *, close: bool = True) -> str:
    """Seat 3 wins 50 for 1 with a flush; the award's id."""
    frame(subject, Wager(round_, (Bet(3, "L", 500),), lock=True))
    hand = Claim(3, ("As", "Ks", "9s"))
    answer = frame(subject, Settle(round_, (hand,), board=("7s", "2s"), close=close)).answer
    (award,) = answer["awards"]
    assert award["pays"] == "account"
    return str(award["award"])


def waits(subject: OfEngine) -> list[int]:
    """The awards that wait; a snapshot has them, too."""
    subject.rebuild()
    return list(subject.engine.state.uncredited)


def test_a_credit_is_confirmed_once() -> None:
    """P4: with its reference, what it came to, and who confirmed it; a second confirmation is refused."""
    subject = electronic()
    award = won(subject)
    assert waits(subject) == [1]
    done(subject, Credit(award, "TX-1"))
    assert waits(subject) == []
    entry = subject.entries[-1]
    event = registry.decode(entry.kind, entry.version, entry.body)
    assert isinstance(event, Credited)
    assert (event.hit, event.award, event.reference) == (1, 1, "TX-1")
    assert event.amount == subject.engine.state.hits[1].awards[0].amount
    assert entry.hits == (1,)
    assert code(subject, Credit(award, "TX-2")) == "credited"


def test_only_a_settled_award_to_an_account_is_credited() -> None:
    """P4: not one that waits for people, nor what the cage pays, nor what nobody won."""
    subject = electronic(validate_at=None)
    award = won(subject)
    assert (waits(subject), code(subject, Credit(award, "TX-1"))) == ([], "no_such_award")
    assert code(subject, Credit("A9", "TX-1")) == "no_such_award"
    done(subject, Validate("H1"))
    assert code(subject, Credit(award, "TX-1")) == "no_such_award"
    done(subject, *subject.payments("H1"))
    assert waits(subject) == [1]
    done(subject, Credit(award, "TX-1"))
    frame(subject, Wager("r2", (Bet(3, "L", 500),), lock=True))
    royal = Claim(3, ("As", "Ks", "Qs"))
    answer = frame(subject, Settle("r2", (royal,), board=("Js", "Ts"), close=True)).answer
    (cage,) = [one for one in answer["awards"] if one["pays"] == "cage"]
    assert code(subject, Credit(cage["award"], "TX-1")) == "no_such_award"


def test_what_is_credited_is_corrected_and_never_undone() -> None:
    """P4, A10, A11: the money is in the account; until then it may be undone, and waits no more."""
    subject = electronic()
    award = won(subject, close=False)
    done(subject, Undo("H1", "misread"))
    assert waits(subject) == []
    assert code(subject, Credit(award, "TX-1")) == "no_such_award"
    other = electronic()
    award = won(other, close=False)
    done(other, Credit(award, "TX-1"))
    assert code(other, Undo("H1", "misread")) == "credited"
    frame(other, Close("r1"))
    done(other, Correct(award, 500, "misread", "D-1"))
    assert code(other, Credit(award, "TX-2")) == "credited"


def test_a_corrected_award_is_credited_with_its_difference() -> None:
    """P4, A10: what it comes to by then is what is confirmed."""
    subject = electronic()
    award = won(subject)
    done(subject, Correct(award, 4_500, "misread", "D-1"), Credit(award, "TX-1"))
    entry = subject.entries[-1]
    event = registry.decode(entry.kind, entry.version, entry.body)
    assert isinstance(event, Credited)
    assert event.amount == 45 * DOLLAR


def test_a_credit_outlives_the_hit_in_the_state() -> None:
    """P4: however many hits come after it, until so many credits wait that nobody confirms any."""
    subject = electronic()
    award = won(subject)
    for engine in (subject.engine, subject.auditor):
        engine.state.hits.clear()
        engine.state.paid.clear()
    done(subject, Credit(award, "TX-1"))
    for engine in (subject.engine, subject.auditor):
        state = engine.state
        state.uncredited = {number: Uncredited(1, 1, 1, 3, 1, 0) for number in range(2, CREDITS_KEPT + 2)}
        state.next_award = CREDITS_KEPT + 2
    won(subject, "r2")
    left = waits(subject)
    assert (len(left), left[0], left[-1]) == (CREDITS_KEPT, 3, CREDITS_KEPT + 2)


@pytest.mark.parametrize("credited", [False, True])
def test_a_join_hands_on_what_waits(*, credited: bool) -> None:
    """P4: under the numbers of the new bank; what was confirmed stays so."""
    subject, other = electronic(), OfEngine("other")
    other.open(Link("X", "pa-643a-five-card-A"))
    award = won(subject)
    if credited:
        done(subject, Credit(award, "TX-1"))
    suspended(subject, "L")
    suspended(other, "X")
    subject.become(other.engine, "one")
    assert waits(subject) == ([] if credited else [2])
    assert code(subject, Credit("A1", "TX-2")) == "no_such_award"
    assert act(subject, Credit("A2", "TX-2")).get("code", "done") == ("credited" if credited else "done")
