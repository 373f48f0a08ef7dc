"""Changes of a link's parameters: what changes, from when on, and what stays as it was played."""

from typing import Any

import pytest
from msgspec.structs import replace

from jackpot.rules import registry
from jackpot.rules.acts.links import Resume
from jackpot.rules.acts.meters import CorrectMeter
from jackpot.rules.acts.parameters import ChangeLink, LinkChanged
from jackpot.rules.acts.rounds import Reopen
from jackpot.rules.paytable import EnvyRow, LinkTerms
from tests.faults.worked.form import Link, Table
from tests.frames import Claim, Close, Settle, Wager
from tests.rules.acts.test_meters import CENT, DOLLAR, SEED, code, done, frame, meter, suspended
from tests.rules.subject import PEOPLE, OfEngine
from tests.rules.test_engine import bank, royal, wager


def terms(subject: OfEngine) -> LinkTerms:
    return subject.engine.state.links[0].terms


def change(subject: OfEngine, **level: Any) -> ChangeLink:
    """The link's own terms, with other ones of its level."""
    old = terms(subject)
    return ChangeLink(replace(old, levels=(replace(old.levels[0], **level),)), "approved")


def changed(subject: OfEngine, **level: Any) -> None:
    """The link is suspended, changed and resumed."""
    suspended(subject)
    done(subject, change(subject, **level), Resume("operator", ("L",), "approved"))


def test_a_change_takes_two_people_and_a_link_at_rest() -> None:
    """L9: while it takes wagers, or has a round or a hit to finish, nothing changes."""
    subject = bank()
    assert code(subject, change(subject, reserve=100)) == "not_suspended"
    frame(subject, wager())
    suspended(subject)
    assert code(subject, change(subject, reserve=100)) == "round_unfinished"
    frame(subject, royal())
    assert code(subject, change(subject, reserve=100)) == "award_standing"
    subject.act("undo", hit="H1", people=2)
    alone = subject.execute(change(subject, reserve=100), people=("Ada",)).answer
    assert alone["code"] == "two_people"
    done(subject, change(subject, reserve=100))


def test_a_change_is_journalled_with_the_old_and_the_new_terms() -> None:
    """L9, S8: all that a check needs is in the row."""
    subject = bank()
    old = terms(subject)
    changed(subject, reserve=100)
    entry = subject.entries[-2]
    event = registry.decode(entry.kind, entry.version, entry.body)
    assert isinstance(event, LinkChanged)
    assert (event.before, event.terms) == (old, terms(subject))
    assert (event.people.names, event.reason) == (PEOPLE, "approved")


@pytest.mark.parametrize(
    "other",
    [{"wager": 5 * DOLLAR}, {"paytable": "another"}, {"bank": "other"}, {"electronic": True}, {"rows": ()}],
)
def test_paytable_and_wager_never_change(other: dict[str, Any]) -> None:
    """L9: they make another link of it."""
    subject = bank()
    suspended(subject)
    assert code(subject, ChangeLink(replace(terms(subject), **other), "x")) == "fixed"


def test_levels_never_change() -> None:
    """L3, L9: a level has a meter, which a change cannot make or take away."""
    subject = bank()
    suspended(subject)
    assert code(subject, change(subject, level="mega")) == "fixed"


def test_terms_on_which_nobody_could_play_are_refused_and_so_are_the_same() -> None:
    """L5, L7: a rate of nothing, a limit below what stands there; no change is none."""
    subject = bank()
    done(subject, CorrectMeter("L", "meter", DOLLAR, "a test"))
    suspended(subject)
    assert code(subject, change(subject, primary=0)) == "bad_terms"
    assert code(subject, change(subject, limit=SEED)) == "bad_terms"
    assert code(subject, change(subject, reseed=DOLLAR, limit=DOLLAR)) == "bad_terms"
    assert code(subject, change(subject)) == "unchanged"
    done(subject, change(subject, limit=SEED + DOLLAR))


def test_a_rate_counts_from_the_change_and_a_reseed_from_the_next_one() -> None:
    """L6, L9: the meter has what the old rate gave, and is reseeded with the new sum."""
    subject = bank()
    frame(subject, wager("r1"))
    frame(subject, Close("r1"))
    changed(subject, primary=1_000, reseed=5_000 * DOLLAR)
    assert meter(subject)[0] == SEED + 42 * CENT
    frame(subject, wager("r2"))
    assert meter(subject)[0] == SEED + 62 * CENT
    frame(subject, royal("r2"))
    assert meter(subject)[0] == 5_000 * DOLLAR


def test_a_meter_is_topped_up_to_the_reseed_of_before_until_the_next_one() -> None:
    """A4, L9: a new reseed counts from the next reseed, in the entry of that reseed already."""
    subject = OfEngine()
    subject.open(Link("L", "ma-PTMGL01", options={"primary": {"": "10"}, "floor_to_seed": True}))
    subject.add(Table("T1"))
    old = terms(subject).levels[0].reseed
    changed(subject, reseed=2 * old)
    tenth = Claim(2, ("9s", "8s", "7s"))
    frame(subject, wager("r1"))
    hit = frame(subject, Settle("r1", (tenth,), ("Js", "Ts"), close=True)).answer["awards"][0]["hit"]
    assert meter(subject)[0] == old
    subject.act("validate", hit=hit)
    subject.act("pay", hit=hit, seat=2)
    frame(subject, wager("r2"))
    hands = (Claim(3, hand="royal-flush"), Claim(2, hand="straight-flush"))
    frame(subject, Settle("r2", hands, close=True))
    assert meter(subject)[0] == 2 * old


def test_a_void_takes_a_wager_back_at_the_rate_at_which_it_was_made() -> None:
    """A11, L9: the round of before the change is reopened and void."""
    subject = bank()
    frame(subject, wager("r1"))
    frame(subject, Close("r1"))
    changed(subject, primary=1_000)
    frame(subject, Wager("x1", wager().bets), "T2")
    done(subject, Reopen("T1", "r1", "the wrong deck"))
    subject.act("void_round", people=2, table="T1", round="r1")
    assert meter(subject)[0] == SEED + 20 * CENT


def test_a_reopened_round_is_paid_on_the_terms_on_which_it_was_played() -> None:
    """T10, L9: envy of then, and the reseed of then; the meter's later wagers follow."""
    subject = bank()
    old = replace(terms(subject), envy=(EnvyRow("royal-flush", 300 * DOLLAR),))
    suspended(subject)
    done(subject, ChangeLink(old, "schedule A"), Resume("operator", ("L",), "go"))
    frame(subject, wager("r1"))
    frame(subject, Close("r1"))
    new = replace(old, envy=(EnvyRow("royal-flush", 700 * DOLLAR),))
    new = replace(new, levels=(replace(new.levels[0], reseed=5_000 * DOLLAR),))
    suspended(subject)
    done(subject, ChangeLink(new, "schedule B"), Reopen("T1", "r1", "a missed royal"))
    answer = frame(subject, royal("r1")).answer
    assert [award["amount"] for award in answer["awards"]] == [1_000_042, 30_000]
    assert meter(subject)[0] == SEED
