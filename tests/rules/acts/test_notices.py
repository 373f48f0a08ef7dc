"""Notices: nothing is withdrawn or lowered before the day that was announced for it (P2)."""

from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

import pytest
from msgspec.structs import replace

from controllers.answers import Notice
from jackpot.rules.acts.fields import DAY_MS
from jackpot.rules.acts.links import Resume, Suspend
from jackpot.rules.acts.meters import CloseLink
from jackpot.rules.acts.notices import GiveNotice, WithdrawNotice
from jackpot.rules.acts.parameters import ChangeLink
from jackpot.rules.acts.tables import OpenTable
from jackpot.rules.commands import ActCommand, Envelope
from jackpot.rules.effects import Map
from jackpot.rules.outgoing_messages import notices
from tests.faults.worked.form import Link
from tests.rules.acts.test_meters import DOLLAR, act, done, suspended
from tests.rules.rounds.test_mystery import Place, level, mystery
from tests.rules.subject import PEOPLE, OfEngine
from tests.rules.test_engine import bank

DAYS = 7
LIMIT = 50_000 * DOLLAR


def moment(day: str) -> int:
    return int(datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp()) * 1000


NOW = moment("2026-12-01")
# A week later to the millisecond, and one day sooner.
DAY, SOONER = "2026-12-08", "2026-12-07"


def notice(day: str = DAY, **about: Any) -> GiveNotice:
    return GiveNotice(day, moment(day), "a new game", **about)


def at(subject: OfEngine, day: str | int, command: ActCommand) -> str:
    """What two people hear who ask on that day: "done", or the code of the refusal."""
    when = day if isinstance(day, int) else moment(day)
    answer = subject.execute(command, people=PEOPLE, at=when).answer
    return "done" if answer["ok"] else str(answer["code"])


def noticed(**options: Any) -> OfEngine:
    """A bank whose link is withdrawn a week after that was announced."""
    subject = bank(notice_days=DAYS, **options)
    subject.open(Link("M", "pa-643a-five-card-A", options={"notice_days": DAYS}))
    return subject


def told(subject: OfEngine, command: ActCommand) -> Map | None:
    """What signs are told of notices after that; None where nothing of them changed."""
    digest = sha256(repr(command).encode()).digest()[:16]
    return subject.engine.execute(Envelope(command, NOW, 0, digest, people=PEOPLE)).notices


def table_terms(subject: OfEngine, **other: Any) -> OpenTable:
    return OpenTable(replace(subject.engine.state.tables[0].terms, **other))


def link_terms(subject: OfEngine, **level: Any) -> ChangeLink:
    terms = subject.engine.state.links[0].terms
    return ChangeLink(replace(terms, levels=(replace(terms.levels[0], **level),)), "approved")


def stands(subject: OfEngine) -> list[int]:
    """The notices that stand; a snapshot has them, too."""
    subject.rebuild()
    return [one.number for one in subject.engine.state.notices]


def test_a_link_closes_on_the_day_that_was_announced() -> None:
    """P2: not without a notice, not a moment sooner, and then the notice is done."""
    subject = noticed()
    suspended(subject)
    closing = CloseLink("L", "a new game", "M")
    assert at(subject, NOW, closing) == "notice_needed"
    assert at(subject, NOW, notice(link="L")) == "done"
    assert at(subject, moment(DAY) - 1, closing) == "notice_needed"
    assert stands(subject) == [1]
    assert at(subject, DAY, closing) == "done"
    assert stands(subject) == []


def test_a_notice_is_given_so_many_days_before() -> None:
    """P2: 24 hours each, at least; and never for a day that has begun."""
    subject = noticed()
    assert at(subject, NOW + 1, notice(link="L")) == "bad_request"
    assert at(subject, NOW, notice(SOONER, link="L")) == "bad_request"
    assert at(subject, NOW, notice(link="L")) == "done"
    free = bank()
    assert at(free, DAY, notice(link="L")) == "bad_request"
    assert at(free, moment(DAY) - 1, notice(link="L")) == "done"


def test_no_notice_is_for_a_day_that_no_clock_can_show() -> None:
    """P2: the last evening of the calendar is in the year 10000 elsewhere."""
    subject = bank()
    assert at(subject, NOW, notice("9999-12-31", link="L")) == "bad_request"
    assert at(subject, NOW, notice("9998-12-31", link="L")) == "done"


def test_what_was_announced_is_not_done_sooner_even_where_nothing_had_to_be() -> None:
    """P2: people withdraw the notice first; then it is done at once."""
    subject = bank()
    suspended(subject)
    subject.open(Link("M", "pa-643a-five-card-A"))
    closing = CloseLink("L", "a new game", "M")
    assert at(subject, NOW, notice(link="L")) == "done"
    assert at(subject, SOONER, closing) == "notice_needed"
    assert at(subject, SOONER, WithdrawNotice("N1", "at once")) == "done"
    assert at(subject, SOONER, closing) == "done"


def test_a_withdrawn_notice_announces_nothing() -> None:
    """P2: its day passes, and the link goes on; each notice is withdrawn once."""
    subject = noticed()
    suspended(subject)
    assert at(subject, NOW, notice(link="L")) == "done"
    assert at(subject, SOONER, WithdrawNotice("N1", "it stays")) == "done"
    assert at(subject, SOONER, WithdrawNotice("N1", "it stays")) == "no_such_notice"
    assert at(subject, DAY, CloseLink("L", "a new game", "M")) == "notice_needed"


def test_a_fault_suspends_without_any_notice() -> None:
    """P2: wagers stop at once, and go on, as ever."""
    subject = noticed()
    suspended(subject)
    done(subject, Resume("operator", ("L",), "in order"))


def test_a_table_keeps_a_link_until_the_day() -> None:
    """P2: one table alone, or with the link itself; a table takes another link at any time."""
    for about in ({"link": "L", "table": "T1"}, {"link": "L"}):
        subject = noticed()
        more, less = table_terms(subject, links=("L", "M")), table_terms(subject, links=("M",))
        assert at(subject, NOW, more) == "done"
        assert at(subject, NOW, less) == "notice_needed"
        assert at(subject, NOW, notice(**about)) == "done"
        assert at(subject, SOONER, less) == "notice_needed"
        assert at(subject, DAY, less) == "done"
        assert stands(subject) == ([] if "table" in about else [1])


def test_a_notice_at_one_table_lets_no_other_withdraw_it() -> None:
    """P2: what T1 announced does not close the link, nor take it from T2."""
    subject = noticed()
    suspended(subject)
    assert at(subject, NOW, notice(link="L", table="T1")) == "done"
    other = OpenTable(replace(subject.engine.state.tables[1].terms, links=("M",)))
    assert at(subject, DAY, other) == "notice_needed"
    assert at(subject, DAY, CloseLink("L", "a new game", "M")) == "notice_needed"


def test_the_limit_of_a_meter_is_lowered_on_its_day() -> None:
    """P2: also the first limit; higher ones at any time, lower than announced never."""
    subject = noticed()
    suspended(subject)
    lower = link_terms(subject, limit=LIMIT)
    assert at(subject, NOW, lower) == "notice_needed"
    assert at(subject, NOW, notice(link="L", amount=LIMIT)) == "done"
    assert at(subject, SOONER, lower) == "notice_needed"
    assert at(subject, DAY, link_terms(subject, limit=LIMIT - DOLLAR)) == "notice_needed"
    assert at(subject, DAY, lower) == "done"
    assert stands(subject) == []
    assert at(subject, DAY, link_terms(subject, limit=2 * LIMIT)) == "done"
    assert at(subject, DAY, link_terms(subject, limit=None)) == "done"


@pytest.mark.parametrize(
    ("figure", "now", "then", "other"),
    [
        ("amount", {"b": 20}, {"b": 15}, {"b": 14}),
        ("amount", {"b": 20}, {"b": 30}, {"b": 25}),
        ("seed", {"a": 10}, {"a": 8}, {"a": 9}),
        ("seed", {"a": 10}, {"a": 12}, {"a": 11}),
        ("rate", {"rate": 1_000}, {"rate": 900}, {"rate": 950}),
        ("rate", {"rate": 1_000}, {"rate": 1_100}, {"rate": 1_050}),
    ],
)
def test_a_mystery_changes_on_its_day_as_announced(
    figure: str, now: dict[str, Any], then: dict[str, Any], other: dict[str, Any]
) -> None:
    """P2, Y11: what it begins with, its rate and the sum by which it must hit; less or more, and no other."""
    subject = Place(mystery(notice_days=DAYS)).subject
    suspended(subject, "M")

    def announced(figures: dict[str, Any]) -> GiveNotice:
        (value,) = figures.values()
        about: dict[str, Any] = {figure: value if figure == "rate" else value * DOLLAR}
        return notice(link="M", **about)

    def changed(figures: dict[str, Any]) -> ChangeLink:
        return ChangeLink(mystery("M", level(**figures), notice_days=DAYS), "approved")

    assert at(subject, NOW, changed(then)) == "notice_needed"
    assert at(subject, NOW, announced(now)) == "bad_amount"
    assert at(subject, NOW, announced(then)) == "done"
    assert at(subject, NOW, announced(other)) == "notice_stands"
    assert at(subject, SOONER, changed(then)) == "notice_needed"
    assert at(subject, DAY, changed(other)) == "notice_needed"
    assert stands(subject) == [1]
    assert at(subject, DAY, changed(then)) == "done"
    assert stands(subject) == []
    assert at(subject, DAY, changed(now)) == "notice_needed"


def test_each_figure_of_a_mystery_has_a_notice_of_its_own() -> None:
    """P2, Y11: what none of them announced does not change with the others."""
    subject = Place(mystery(notice_days=DAYS)).subject
    suspended(subject, "M")
    assert at(subject, NOW, notice(link="M", amount=15 * DOLLAR)) == "done"
    assert at(subject, NOW, notice(link="M", seed=8 * DOLLAR)) == "done"
    all_three = ChangeLink(mystery("M", level(a=8, b=15, rate=900), notice_days=DAYS), "approved")
    assert at(subject, DAY, all_three) == "notice_needed"
    assert at(subject, NOW, notice(link="M", rate=900)) == "done"
    told = notices(subject.engine.state)["M"]
    assert told == (
        Notice(DAY, level="meter", amount=1_500),
        Notice(DAY, level="meter", seed=800),
        Notice(DAY, level="meter", rate=900),
    )
    assert at(subject, DAY, all_three) == "done"
    assert stands(subject) == []


def test_what_a_mystery_announced_is_not_done_sooner_though_nothing_had_to_be() -> None:
    """P2, Y11: of a link without `notice_days`, too."""
    subject = Place(mystery()).subject
    suspended(subject, "M")
    lower = ChangeLink(mystery("M", level(b=15)), "approved")
    assert at(subject, NOW, notice(link="M", level="meter", amount=15 * DOLLAR)) == "done"
    assert at(subject, SOONER, lower) == "notice_needed"
    assert at(subject, SOONER, WithdrawNotice("N1", "at once")) == "done"
    assert at(subject, SOONER, lower) == "done"


def test_a_higher_limit_is_no_notice() -> None:
    """P2: only what is lower than now is announced."""
    subject = noticed(limit={"": "50000.00"})
    assert at(subject, NOW, notice(link="L", amount=LIMIT)) == "bad_amount"
    assert at(subject, NOW, notice(link="L", amount=LIMIT - DOLLAR)) == "done"


def test_the_payout_limit_of_a_table_is_lowered_on_its_day() -> None:
    """P2, MA 10(c): imposed or lowered; raised at any time."""
    subject = bank()
    assert at(subject, NOW, table_terms(subject, notice_days=DAYS)) == "done"
    lower = table_terms(subject, payout_limit=LIMIT)
    assert at(subject, NOW, lower) == "notice_needed"
    assert at(subject, NOW, notice(table="T1", amount=LIMIT)) == "done"
    assert at(subject, SOONER, lower) == "notice_needed"
    assert at(subject, DAY, table_terms(subject, payout_limit=LIMIT - DOLLAR)) == "notice_needed"
    assert at(subject, DAY, lower) == "done"
    assert at(subject, DAY, table_terms(subject, payout_limit=2 * LIMIT)) == "done"


def test_the_highest_wager_on_an_offer_is_lowered_on_its_day() -> None:
    """P2, L9: its bounds change as those of any link."""
    subject = bank()
    options = {"most": "100.00", "unit": "5.00", "placed": "layout", "notice_days": DAYS}
    subject.open(Link("bonus", "ma-lir-three-card-bonus-B", "5.00", options=options))
    suspended(subject, "bonus")
    terms = subject.engine.state.links[1].terms
    lower = ChangeLink(replace(terms, most=50 * DOLLAR), "approved")
    assert at(subject, NOW, lower) == "notice_needed"
    assert at(subject, NOW, notice(link="bonus", amount=50 * DOLLAR)) == "done"
    assert at(subject, SOONER, lower) == "notice_needed"
    assert at(subject, DAY, lower) == "done"


@pytest.mark.parametrize(
    ("about", "code"),
    [
        ({}, "bad_request"),
        ({"table": "T1"}, "bad_request"),
        ({"link": "X"}, "unknown_link"),
        ({"table": "X", "amount": LIMIT}, "no_such_table"),
        ({"link": "M", "table": "T1"}, "unknown_link"),
        ({"link": "L", "table": "T1", "amount": LIMIT}, "bad_request"),
        ({"link": "L", "level": "meter"}, "bad_request"),
        ({"link": "L", "level": "mega", "amount": LIMIT}, "unknown_link"),
        ({"table": "T1", "level": "meter", "amount": LIMIT}, "bad_request"),
        ({"table": "T1", "rate": 900}, "bad_request"),
        ({"link": "L", "seed": LIMIT}, "bad_request"),
        ({"link": "L", "rate": 900}, "bad_request"),
        ({"link": "L", "amount": LIMIT, "seed": LIMIT}, "bad_request"),
    ],
)
def test_a_notice_says_what_it_is_about(about: dict[str, Any], code: str) -> None:
    """P2: what nobody could do on any day is not announced."""
    assert at(noticed(), NOW, notice(**about)) == code


def test_of_each_thing_one_notice_stands() -> None:
    """P2: so signs never name two days."""
    subject = noticed()
    assert at(subject, NOW, notice(link="L")) == "done"
    assert at(subject, NOW, notice("2026-12-20", link="L")) == "notice_stands"
    assert at(subject, NOW, notice(link="L", amount=LIMIT)) == "done"


@pytest.mark.parametrize("day", ["2026-02-30", "2026-13-01", "0000-01-01", "2026-12-11"])
def test_a_notice_names_the_day_that_begins_then(day: str) -> None:
    """P2, S8: what signs show is what counts."""
    command = GiveNotice(day, moment(DAY), "a new game", link="L")
    assert at(noticed(), NOW, command) == "bad_request"


def test_signs_are_told_what_stands() -> None:
    """P2: of a link its own; what base wagers of a table pay on each link of that table; then no more."""
    subject = noticed()
    for given in (
        notice(link="L"),
        notice(link="L", table="T2"),
        notice(link="L", amount=LIMIT),
        notice(table="T1", amount=LIMIT),
    ):
        assert told(subject, given) == notices(subject.engine.state)
    assert notices(subject.engine.state) == {
        "L": (
            Notice(DAY),
            Notice(DAY, "T2"),
            Notice(DAY, level="meter", amount=5_000_000),
            Notice(DAY, "T1", amount=5_000_000),
        ),
        "M": (),
    }
    assert told(subject, Suspend("operator", ("L",), "a fault")) is None
    assert told(subject, WithdrawNotice("N2", "it stays")) == notices(subject.engine.state)


def test_one_admin_announces() -> None:
    """P2: it takes nothing from anybody, so nobody else confirms it."""
    assert act(noticed(), notice(link="L"), ("Ada",))["ok"]


def test_a_join_hands_notices_on() -> None:
    """P2: under the numbers of the new bank, where they hold as before."""
    subject, other = noticed(), OfEngine("other")
    other.open(Link("X", "pa-643a-five-card-A"))
    done(other, notice(link="X"))
    first = other.engine
    assert at(subject, NOW, notice(link="M")) == "done"
    subject.become(first, "one")
    state = subject.engine.state
    handed = [(one.number, state.link(one.link).terms.link, one.day) for one in state.notices]
    assert handed == [(1, "X", DAY), (2, "M", DAY)]
    suspended(subject, "M")
    assert at(subject, SOONER, CloseLink("M", "a new game", "L")) == "notice_needed"
    assert at(subject, NOW + 7 * DAY_MS, CloseLink("M", "a new game", "L")) == "done"
