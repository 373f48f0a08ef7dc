"""A bank's site cursor follows the site's people that the bank has seen."""

from jackpot.rules.acts.people import EndPerson, WithdrawRole
from jackpot.rules.acts.sessions import SignIn
from jackpot.rules.acts.site_cursor import SeePeople
from tests.rules.site import SECRET, OfSite
from tests.rules.test_engine import bank

HASH = b"h" * 32


def test_a_bank_looks_forward_alone() -> None:
    """S8: each entry of the site is noted once; an act that names an earlier one is stale."""
    subject = bank()
    assert subject.execute(SeePeople(5, HASH)).answer["ok"]
    assert subject.engine.state.known == 5
    for seq in (4, 5):
        assert subject.execute(SeePeople(seq, HASH)).answer["code"] == "unchanged"
    assert subject.execute(SeePeople(6, HASH)).answer["ok"]


def test_the_people_themselves_are_noted_nowhere_in_their_bank() -> None:
    """S8: bank `site` decides its own acts by its own state."""
    assert OfSite().execute(SeePeople(1, HASH)).answer["code"] == "other_bank"


def test_the_site_knows_when_somebody_lost_a_right() -> None:
    """S8: a role, an end; who only came in lost nothing."""
    site = OfSite()
    third = site.join("floor", "cage")
    state = site.engine.state
    before = state.lost
    assert site.execute(SignIn(third, SECRET)).answer["ok"]
    assert state.lost == before == 2, "since then no name stands for an act"
    assert site.ask(WithdrawRole(third, "cage"), 1).answer["ok"]
    assert state.lost == state.seq
    assert site.ask(EndPerson(third), 1).answer["ok"]
    assert state.lost == state.seq
