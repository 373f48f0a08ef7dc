"""Outgoing messages: each is made once, kept as it was decided, and sent to whom it concerns."""

from controllers.answers import Ack
from jackpot.rules.commands import Envelope
from jackpot.rules.outcome import Outcome
from jackpot.rules.outgoing_messages import JACKPOTS_MAX, jackpots
from jackpot.rules.rounds import unpaid
from jackpot.rules.state import Award, BankState, Hit
from tests.frames import Claim, Settle, numbered
from tests.ledger.play import Play
from tests.rules.test_engine import bank, send, wager


class Watched(Play):
    """A floor where somebody takes from each outcome what waits, and nothing from the state."""

    def __init__(self, seed: int) -> None:
        self.waiting: dict[str, object] = {}
        self.changes = 0
        super().__init__(seed)

    def _do(self, envelope: Envelope) -> Outcome:
        outcome = super()._do(envelope)
        assert outcome.entry is not None or not outcome.waiting, "a resend changes nothing"
        self.changes += len(outcome.waiting)
        self.waiting |= dict(outcome.waiting)
        state = self.engine.state
        now = {link.terms.link: found for link in state.links if (found := jackpots(state, link.number))}
        assert {link: found for link, found in self.waiting.items() if found} == now
        return outcome


def test_outcomes_say_all_that_waits() -> None:
    """S7: who heard every outcome knows which jackpots wait for a floorperson, without asking the state."""
    floor = Watched(3)
    floor.until(600)
    assert floor.changes > 50


def test_a_kept_answer_is_the_value_that_was_decided() -> None:
    """WIRE table commands: a resend is answered with the same answer; nothing makes it again."""
    subject = bank()
    envelope = Envelope(wager(), 1, 1, bytes(16), table="T1")
    first = subject.engine.execute(envelope)
    assert first.entry is not None
    again = subject.engine.execute(envelope)
    assert again.entry is None
    assert again.answer is first.answer


def test_an_odds_award_looks_at_no_hit_that_waits() -> None:
    """S9: a table that wins odds awards all night makes nobody else's entries more work (S7)."""
    subject = bank()
    send(subject, 1, wager())
    flush = Settle("r1", (Claim(3, ("As", "9s", "2s")),), ("5s", "3s"), close=True)
    settled = subject.engine.execute(Envelope(numbered(flush, 2), 1, 1_000, bytes(16), table="T1"))
    assert isinstance(settled.answer, Ack)
    assert [award.kind for award in settled.answer.awards] == ["odds"]
    assert settled.waiting == ()


def test_no_more_waiting_jackpots_are_named_than_a_sign_has_room_for() -> None:
    """S7, WIRE signs: the oldest of them."""
    state: BankState = bank().engine.state
    for number in range(1, JACKPOTS_MAX + 5):
        award = Award(number, number, 1, 1, 1, "royal-flush", "meter", 10_000, "cage", "pending")
        state.hits[number] = Hit(number, 1, "r", 1, 1, "royal-flush", number, 0, 1, [award])
        unpaid.count(state, award)
    assert [one.hit for one in jackpots(state, 1)] == [f"H{number}" for number in range(1, JACKPOTS_MAX + 1)]
