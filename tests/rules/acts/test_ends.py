"""The announced end of a link: wagers stop with its last day, and its money goes on (P2, L8)."""

from collections.abc import Callable
from typing import Any, Final

import pytest

from controllers.answers import Notice
from jackpot.rules import views
from jackpot.rules.acts import ACT_OF
from jackpot.rules.acts.act import ActContext
from jackpot.rules.acts.banks import CloseBank
from jackpot.rules.acts.ends import (
    ALARM_AFTER_MS,
    EndGiven,
    EndLink,
    EndWaits,
    GiveEnd,
    LinkEnded,
    decide_end,
    ending,
)
from jackpot.rules.acts.fields import DAY_MS
from jackpot.rules.acts.hits import Undo, Validate
from jackpot.rules.acts.level_order import CheckLevelOrder, order_changed
from jackpot.rules.acts.links import OpenLink, Resume, Suspend
from jackpot.rules.acts.lost_acks import ConfirmBehind
from jackpot.rules.acts.meters import CloseLink, CorrectMeter, LinkClosed, Transfer
from jackpot.rules.acts.notices import GiveNotice, WithdrawNotice
from jackpot.rules.acts.readings import Reading
from jackpot.rules.acts.rounds import Decline, Reopen
from jackpot.rules.acts.triggers import RenewTriggers, TriggersRenewed
from jackpot.rules.commands import TableHello
from jackpot.rules.engine import Engine
from jackpot.rules.events import Event
from jackpot.rules.outgoing_messages import notices
from jackpot.rules.refusal import Refusal
from jackpot.rules.signing import People
from jackpot.rules.state import CLOSED, ENDED
from tests.faults.worked.form import Link
from tests.frames import Close, Void
from tests.ledger.play import Play
from tests.rules.acts.test_meters import DOLLAR, act, done, frame, jackpot, meter
from tests.rules.acts.test_notices import NOW, at, moment, notice
from tests.rules.rounds.test_committed import Committed
from tests.rules.rounds.test_mystery import CENT, Place, level, mystery
from tests.rules.subject import PEOPLE, OfEngine
from tests.rules.test_engine import bank, royal, wager

DAYS: Final = 7
# The last day of the link; its end is a week after now to the millisecond.
DAY: Final = "2026-12-07"
OVER: Final = moment("2026-12-08")
SOONER: Final = "2026-12-06"


def end(link: str = "L", to: str | None = "M", day: str = DAY, **more: Any) -> GiveEnd:
    return GiveEnd(link, day, moment(day) + DAY_MS, "a season", to, **more)


def step(subject: OfEngine, when: int = OVER, link: str = "L") -> str:
    """What the server's own step comes to: the name of its event, or the template of the refusal."""
    heard = subject.execute(EndLink(link), at=when)
    return type(subject._last_event()).__name__ if heard.answer["ok"] else str(heard.answer["template"])


def ended(subject: OfEngine, when: int = OVER, link: str = "L") -> None:
    """The day is over: wagers stop, and the meters are read."""
    assert step(subject, when, link) == "WagersEnded"
    assert subject.execute(Reading(DAY)).answer["ok"]


def season(**options: Any) -> OfEngine:
    """A bank with link L, which goes to M a week after that was announced."""
    subject = bank(notice_days=DAYS, **options)
    subject.open(Link("M", "pa-643a-five-card-A"))
    assert at(subject, NOW, end()) == "done"
    return subject


def state_of(subject: OfEngine, link: str = "L") -> list[str]:
    found: list[str] = subject.link(link).suspended
    return found


def told(subject: OfEngine) -> list[tuple[str, Any]]:
    """The open alarms of ends: where, and why."""
    return [
        (alarm["place"], alarm["what"].template)
        for alarm in views.open_alarms(subject.engine)
        if alarm["kind"] == "end_waits"
    ]


def test_a_jackpot_ends_with_its_day_and_its_money_goes_on() -> None:
    """P2, L8, M4: by hand. Each $5 wager adds 50 cents; the house has put $10.00 on each of the two meters.

    Three wagers lift M from 10.00 to 11.50. Its end returns 10.00 to the house, and 1.50 goes to N, which
    stood at 10.00: 11.50. Nobody wins by that.
    """
    place = Place(mystery("M"), mystery("N", level(b=40)))
    assert at(place.subject, NOW, end("M", "N")) == "done"
    assert place.play((1, 2, 3), *[8_999_999] * 3) == []
    assert place.cents() == (1_150, 0, 1_000, 150, 0)
    assert step(place.subject, OVER - 1, "M") == "end_not_due"
    ended(place.subject, link="M")
    assert step(place.subject, link="M") == "LinkEnded"
    assert place.cents() == (0, 0, 0, 150, 0)
    there = place.level("N").accounts
    sums = (there.primary, there.overflow, there.house, there.wagers, there.transfers, there.awards)
    assert [one // CENT for one in sums] == [1_150, 0, -1_000, 0, -150, 0]
    assert place.cycle("N").decided == 1_150 * CENT
    assert state_of(place.subject, "M") == [ENDED, CLOSED]
    assert place.subject.engine.state.notices == []
    assert list(ending(place.subject.engine.state, OVER)) == []


def test_each_account_of_a_card_link_goes_to_its_own() -> None:
    """L8, A3: by hand, as of $100.00 of wagers: 13.00 over the seed of 10,000.00, and 8.00 in the reserve."""
    subject = bank("pa-643a-five-card-hand-bonus")
    subject.open(Link("M", "pa-643a-five-card-hand-bonus"))
    lift = CorrectMeter("L", "meter", 13 * DOLLAR, "a hundred wagers")
    done(subject, lift, CorrectMeter("L", "meter", 8 * DOLLAR, "of them", "reserve"))
    before = meter(subject, "M")
    assert at(subject, NOW, end()) == "done"
    ended(subject)
    assert step(subject) == "LinkEnded"
    assert meter(subject) == (0, 0, 0)
    primary, reserve, overflow = meter(subject, "M")
    assert (primary - before[0], reserve - before[1], overflow - before[2]) == (13 * DOLLAR, 8 * DOLLAR, 0)
    assert subject.meters()["L", ""]["house"] == 0


def test_what_the_other_meter_cannot_take_is_overflow() -> None:
    """L7, L8: by hand. L has 13.00 over its seed; M has 5.00 left below its limit, so 8.00 is overflow."""
    subject = bank()
    subject.open(Link("M", "pa-643a-five-card-A", options={"limit": {"": "10005.00"}}))
    done(subject, CorrectMeter("L", "meter", 13 * DOLLAR, "wagers"))
    assert at(subject, NOW, end()) == "done"
    ended(subject)
    assert step(subject) == "LinkEnded"
    assert meter(subject, "M") == (10_005 * DOLLAR, 0, 8 * DOLLAR)


def test_levels_go_where_the_two_people_said() -> None:
    """L8: a level that the other link lacks; without a place nothing is announced."""
    subject = bank("pa-643a-five-card-C")
    subject.open(Link("M", "pa-643a-five-card-A"))
    names = [one.terms.level for one in subject.link("L").levels]
    assert act(subject, end())["template"] == "level_needs_place"
    places = tuple(f"{name}=meter" for name in names)
    assert at(subject, NOW, end(levels=places)) == "done"
    done(subject, *(CorrectMeter("L", name, 2 * DOLLAR, "wagers") for name in names))
    before = meter(subject, "M")[0]
    ended(subject)
    assert step(subject) == "LinkEnded"
    assert meter(subject, "M")[0] - before == 2 * DOLLAR * len(names)


def test_an_offer_ends_without_another_link() -> None:
    """B1, P2: no meter has its money."""
    subject = bank()
    options = {"most": "100.00", "unit": "5.00", "placed": "layout"}
    subject.open(Link("bonus", "ma-lir-three-card-bonus-B", "5.00", options=options))
    assert at(subject, NOW, end("bonus", None)) == "done"
    ended(subject, link="bonus")
    assert step(subject, link="bonus") == "LinkEnded"
    assert subject.link("bonus").closed


@pytest.mark.parametrize(
    ("command", "template"),
    [
        (end(day=SOONER), "end_too_late"),
        (end(day="2026-11-29"), "end_day_past"),
        (end("X"), "link_not_open_in_bank"),
        (end(to=None), "end_needs_link"),
        (end(to="L"), "money_to_same_link"),
        (end(to="X"), "money_leaves_bank"),
        (GiveEnd("L", "2026-12-09", OVER, "x", "M"), "done"),
        (GiveEnd("L", "2026-12-11", OVER, "x", "M"), "day_malformed"),
        (GiveEnd("L", "2026-02-30", OVER, "x", "M"), "day_malformed"),
    ],
)
def test_what_is_announced_can_be_done(command: GiveEnd, template: str) -> None:
    """P2: so many days before the day is over, with a place for the money."""
    subject = bank(notice_days=DAYS)
    subject.open(Link("M", "pa-643a-five-card-A"))
    answer = subject.execute(command, people=PEOPLE, at=NOW).answer
    assert answer.get("template", "done") == template


def test_two_people_announce_an_end_and_two_take_it_back() -> None:
    """L8: one alone does neither; of a link one end, or closing, is announced."""
    subject = bank()
    subject.open(Link("M", "pa-643a-five-card-A"))
    assert act(subject, end(), ("Ada",))["code"] == "two_people"
    assert at(subject, NOW, end()) == "done"
    assert at(subject, NOW, end(day="2026-12-30")) == "notice_stands"
    gone = WithdrawNotice("N1", "it goes on")
    assert act(subject, gone, ("Ada",))["code"] == "two_people"
    assert at(subject, OVER - 1, gone) == "done"
    assert step(subject) == "end_not_announced"


def test_nobody_takes_an_end_back_once_the_day_is_over() -> None:
    """P2: players were told; neither before the server has done it, nor where the clock went back since."""
    subject = season()
    gone = WithdrawNotice("N1", "it goes on")
    assert at(subject, OVER, gone) == "link_closed"
    ended(subject)
    assert at(subject, NOW, gone) == "link_closed"
    assert step(subject, NOW) == "LinkEnded"


def test_a_link_closes_no_sooner_by_hand() -> None:
    """P2: an end is a notice as any other; afterwards people may close it, also elsewhere."""
    subject = season()
    subject.open(Link("O", "pa-643a-five-card-A"))
    done(subject, Suspend("operator", ("L",), "a new game"))
    closing = CloseLink("L", "a new game", "O")
    assert at(subject, OVER - 1, closing) == "notice_needed"
    assert at(subject, OVER, closing) == "done"
    assert subject.engine.state.notices == []


def test_no_wager_is_taken_once_the_day_is_over() -> None:
    """P2, T1: the table is told why; a wager of before is settled, and its jackpot is paid first."""
    subject = season()
    frame(subject, wager("r1"))
    ended(subject)
    heard = subject.execute(wager("r2"), table="T2", table_seq=1)
    assert (heard.answer["code"], heard.answer["link"]) == ("suspended", "L")
    assert "ended" in heard.answer["message"]
    assert step(subject) == "link_round_unfinished"
    (hit,) = {award["hit"] for award in frame(subject, royal("r1")).answer["awards"]}
    assert step(subject) == "link_hits_stand"
    done(subject, Validate(hit), *subject.payments(hit))
    assert step(subject) == "LinkEnded"
    assert at(subject, OVER, Resume("operator", ("L",), "x")) == "link_closed"


def test_a_mystery_may_be_won_by_a_wager_of_its_last_day() -> None:
    """Y3: a round that is open at the end counts as it closes; what is won is paid before the link ends."""
    place = Place(mystery("M"), mystery("N", level(b=40)))
    assert at(place.subject, NOW, end("M", "N")) == "done"
    name = place.lock(7)
    ended(place.subject, link="M")
    (award,) = place.close(name, 0)
    assert award["amount"] == 1_050
    assert step(place.subject, link="M") == "link_hits_stand"
    place.act(Validate("H1"))
    for payment in place.subject.payments():
        place.act(payment)
    assert step(place.subject, link="M") == "LinkEnded"
    assert place.cents() == (0, 0, 1_000, 50, 1_050)


def test_a_round_that_is_void_after_the_end_gives_its_wagers_back() -> None:
    """T6, A11: as ever; nothing of them goes on."""
    subject = season()
    seed = meter(subject)
    frame(subject, wager("r1"))
    ended(subject)
    frame(subject, Void("r1", "misdeal"))
    assert meter(subject) == seed
    before = meter(subject, "M")
    assert step(subject) == "LinkEnded"
    assert meter(subject, "M") == before


def test_a_running_trigger_is_opened_once_the_link_has_ended() -> None:
    """Y12: no win; each commitment is opened in the journal when it ends."""
    place = Committed()
    place.subject.execute(OpenLink(mystery("N", level(b=40))))
    assert at(place.subject, NOW, end("M", "N")) == "done"
    ended(place.subject, link="M")
    assert step(place.subject, link="M") == "LinkEnded"
    assert place.subject.execute(RenewTriggers()).answer["ok"]
    event = place.subject._last_event()
    assert isinstance(event, TriggersRenewed)
    (one,) = event.levels
    assert one.opened is not None
    assert one.committed is None


def test_the_reading_of_the_last_day_comes_first() -> None:
    """S2: it has what stood on the meters."""
    subject = season()
    assert step(subject) == "WagersEnded"
    assert step(subject) == "end_before_reading"
    assert subject.execute(Reading(DAY)).answer["ok"]
    assert step(subject) == "LinkEnded"


def test_nothing_moves_while_a_table_says_that_answers_were_lost() -> None:
    """S9: a hit may be among them; one table alone stops no link, and people say whether they believe it."""
    subject = season()
    frame(subject, wager("r1"), "T2")
    frame(subject, Close("r1"), "T2")
    assert subject.execute(TableHello(acked=7), table="T1").answer["code"] == "ledger_behind"
    ended(subject)
    assert state_of(subject) == [ENDED]
    assert step(subject) == "EndWaits"
    assert told(subject) == [("link L", "end_while_behind")]
    done(subject, ConfirmBehind("T1", "a test", believe=False))
    assert step(subject) == "LinkEnded"


@pytest.mark.parametrize("agrees", [True, False])
def test_a_hand_that_somebody_says_was_missed_is_paid_by_the_link_itself(agrees: bool) -> None:
    """T10: the last round's reopening is answered first; by then its meter has all that is won on it."""
    subject = season()
    frame(subject, wager("r1"))
    ended(subject)
    frame(subject, Close("r1"))
    assert subject.execute(Reopen("T1", "r1", "missed"), people=PEOPLE[:1]).answer["ok"]
    assert step(subject) == "end_while_reopening_asked"
    assert step(subject, OVER + ALARM_AFTER_MS) == "EndWaits"
    assert told(subject) == [("link L", "end_while_reopening_asked")]
    if not agrees:
        assert subject.execute(Decline("T1", "r1", "seen again"), people=PEOPLE[1:]).answer["ok"]
        assert step(subject) == "LinkEnded"
        return
    assert subject.execute(Reopen("T1", "r1", "missed"), people=PEOPLE[1:]).answer["ok"]
    assert step(subject) == "link_round_unfinished"
    award, _ = frame(subject, royal("r1")).answer["awards"]
    assert award["amount"] == 1_000_042
    done(subject, Validate(award["hit"]), *subject.payments(award["hit"]))
    assert step(subject) == "LinkEnded"
    assert subject.meters()["L", ""]["transfers"] == 0


def test_what_a_floor_finishes_is_told_after_an_hour() -> None:
    """P2: once for each cause; when it is over the server goes on by itself."""
    subject = season()
    frame(subject, wager("r1"))
    ended(subject)
    assert step(subject, OVER + ALARM_AFTER_MS - 1) == "link_round_unfinished"
    assert told(subject) == []
    assert step(subject, OVER + ALARM_AFTER_MS) == "EndWaits"
    assert told(subject) == [("link L", "link_round_unfinished")]
    assert step(subject, OVER + 2 * ALARM_AFTER_MS) == "link_round_unfinished"
    (hit,) = {award["hit"] for award in frame(subject, royal("r1")).answer["awards"]}
    assert step(subject, OVER + 2 * ALARM_AFTER_MS) == "EndWaits"
    event = subject._last_event()
    assert isinstance(event, EndWaits)
    assert event.hits == [int(hit[1:])]
    assert told(subject) == [("link L", "link_hits_stand")]
    done(subject, Undo(hit, "misdealt"))
    assert step(subject, OVER + 3 * ALARM_AFTER_MS) == "LinkEnded"


def test_a_clock_that_jumped_ends_no_link() -> None:
    """P2: people are told at once, and once; by a right clock the day is over as announced."""
    subject = season()
    heard = subject.execute(EndLink("L", 90 * 60_000), at=OVER)
    assert heard.answer["ok"]
    assert told(subject) == [("link L", "end_while_clock_jumped")]
    assert list(ending(subject.engine.state, OVER, ahead_ms=1)) == []
    assert state_of(subject) == []
    assert step(subject, OVER - 1) == "end_not_due"
    assert list(ending(subject.engine.state, OVER)) == ["L"]
    ended(subject)
    assert list(ending(subject.engine.state, OVER, ahead_ms=1)) == ["L"]
    assert step(subject) == "LinkEnded"


def test_people_are_told_at_once_where_the_other_link_has_ended() -> None:
    """P2, L8: before the day, too. On it wagers stop, nothing moves, and two people say where it goes."""
    subject = season()
    subject.open(Link("O", "pa-643a-five-card-A"))
    frame(subject, wager("r1"))
    frame(subject, Close("r1"))
    done(subject, Suspend("operator", ("M",), "x"), CloseLink("M", "a new game", "O"))
    assert list(ending(subject.engine.state, NOW)) == ["L"]
    assert step(subject, NOW) == "EndWaits"
    assert told(subject) == [("link L", "link_closed")]
    assert step(subject, NOW) == "link_closed"
    held = meter(subject)
    ended(subject)
    assert step(subject) == "link_closed"
    assert meter(subject) == held
    assert state_of(subject) == [ENDED]
    before = meter(subject, "O")[0]
    assert at(subject, OVER, CloseLink("L", "to another one", "O")) == "done"
    assert meter(subject, "O")[0] - before == 420_000


def test_no_end_is_announced_to_a_link_that_closes_by_then() -> None:
    """P2: its money would have no place; one that closes later takes it."""
    subject = season()
    subject.open(Link("O", "pa-643a-five-card-A"))
    assert act(subject, end("O", "L", "2026-12-09"))["template"] == "end_to_closing_link"
    assert at(subject, NOW, end("O", "L", SOONER)) == "done"


@pytest.mark.parametrize(
    "command",
    [end("M", "L", SOONER), end("M", "O", SOONER), notice(SOONER, link="M")],
    ids=["circle", "sooner", "closing"],
)
def test_no_link_closes_before_another_one_ends_into_it(command: GiveEnd | GiveNotice) -> None:
    """P2: neither in a circle nor else; both are named, and a later day is announced."""
    subject = season()
    subject.open(Link("O", "pa-643a-five-card-A"))
    refused = act(subject, command)
    assert (refused["template"], refused["values"]) == ("end_of_receiving_link", ["M", "L", "N1", DAY])
    assert at(subject, NOW, end("M", "O", "2026-12-08")) == "done"


def test_two_links_end_at_once_the_first_one_into_the_second() -> None:
    """P2, L8: in the order in which they were announced, so the money goes through both."""
    subject = season()
    subject.open(Link("O", "pa-643a-five-card-A"))
    done(subject, CorrectMeter("L", "meter", 7 * DOLLAR, "wagers"))
    assert at(subject, NOW, end("M", "O")) == "done"
    before = meter(subject, "O")[0]
    assert subject.execute(EndLink("L"), at=OVER).answer["ok"]
    assert subject.execute(EndLink("M"), at=OVER).answer["ok"]
    assert subject.execute(Reading(DAY)).answer["ok"]
    assert list(ending(subject.engine.state, OVER)) == ["L", "M"]
    assert [step(subject, link=link) for link in ("L", "M")] == ["LinkEnded", "LinkEnded"]
    assert meter(subject, "O")[0] - before == 7 * DOLLAR


def test_a_mystery_that_would_be_lifted_to_its_sum_takes_nothing_yet() -> None:
    """Y11: only a wager wins it; once it was won the money goes there."""
    place = Place(mystery("M"), mystery("N"))
    assert at(place.subject, NOW, end("M", "N")) == "done"
    done(
        place.subject,
        CorrectMeter("M", "meter", 3 * DOLLAR, "x"),
        CorrectMeter("N", "meter", 8 * DOLLAR, "x"),
    )
    ended(place.subject, link="M")
    assert step(place.subject, link="M") == "EndWaits"
    assert told(place.subject) == [("link M", "mystery_would_hit")]
    done(place.subject, CorrectMeter("N", "meter", -4 * DOLLAR, "x"))
    assert step(place.subject, link="M") == "LinkEnded"
    assert place.level("N").accounts.primary == 17 * DOLLAR


@pytest.mark.parametrize("cause", ["operator", "restored", "rolled_back", "config"])
def test_nothing_moves_while_the_link_stands_still_for_another_reason(cause: str) -> None:
    """P2, S9, Y8: the ledger may have lost rows of it; people are told at once, and lift that first."""
    subject = season()
    by = PEOPLE if cause == "operator" else ()
    assert subject.execute(Suspend(cause, ("L",), "x"), people=by).answer["ok"]
    ended(subject)
    assert step(subject) == "EndWaits"
    assert told(subject) == [("link L", "end_while_suspended")]
    by = () if cause == "config" else PEOPLE
    assert subject.execute(Resume(cause, ("L",), "in order"), people=by).answer["ok"]
    assert step(subject) == "LinkEnded"


def test_a_link_whose_money_people_took_away_before_ends_empty() -> None:
    """L8: a transfer suspends it, and is no hindrance."""
    subject = season()
    done(
        subject,
        Suspend("operator", ("L",), "x"),
        Transfer("L", "M", "early"),
        Resume("operator", ("L",), "x"),
    )
    ended(subject)
    assert step(subject) == "LinkEnded"


def test_a_paid_jackpot_of_a_link_that_ended_is_kept() -> None:
    """S1, L8: what was won on it stays to be read, and only a closing ends it once."""
    subject = season()
    jackpot(subject, "r1")
    ended(subject)
    assert step(subject) == "LinkEnded"
    event = subject._last_event()
    assert isinstance(event, LinkEnded)
    assert (event.notice, event.day, event.to) == (1, DAY, 2)
    assert step(subject) == "link_closed"
    assert [one.hit for one in subject.link("L").levels[0].shown] == [1]


def test_a_takeover_goes_on_with_what_is_left_to_do() -> None:
    """S5: each step is of the state; a snapshot has what was announced, and what was told."""
    subject = season()
    ended(subject)
    subject.take_over()
    assert step(subject) == "LinkEnded"
    subject.take_over()
    assert step(subject) == "link_closed"


def test_a_join_hands_an_end_on() -> None:
    """P2: with the numbers of the new bank, and done there on its day."""
    subject, other = season(), OfEngine("other")
    other.open(Link("X", "pa-643a-five-card-A"))
    done(subject, CorrectMeter("L", "meter", 5 * DOLLAR, "wagers"))
    subject.become(other.engine, "one")
    before = meter(subject, "M")[0]
    ended(subject)
    assert step(subject) == "LinkEnded"
    assert meter(subject, "M")[0] - before == 5 * DOLLAR


def test_a_join_hands_the_order_of_levels_on() -> None:
    """L12: what was alarmed is not alarmed again, nor what was not."""
    subject, other = bank("pa-643a-five-card-C"), OfEngine("other")
    other.open(Link("X", "pa-643a-five-card-A"))
    lower = subject.link("L").levels[1].terms.level
    done(subject, CorrectMeter("L", lower, 20_000 * DOLLAR, "counted"))
    assert subject.execute(CheckLevelOrder("L")).answer["ok"]
    subject.become(other.engine, "one")
    assert not order_changed(subject.link("L"))


def test_a_bank_closes_with_an_end_that_waits() -> None:
    """S9: a link that ended is suspended, as a join wants it."""
    subject = season()
    ended(subject)
    done(subject, Suspend("operator", ("M",), "x"), CloseBank("one", "one room"))


def decided(decide: Callable[..., Event], *of: Any) -> Any:
    """The event, or the sentence of its refusal with its values."""
    try:
        return decide(*of)
    except Refusal as refusal:
        return refusal.template, refusal.values


@pytest.mark.parametrize("seed", range(4))
def test_an_end_moves_what_two_people_would_by_closing_the_link(seed: int) -> None:
    """P2, L8: in every state of a floor. Where they would be refused it waits, for that same reason."""
    play, compared = Play(seed), set[str]()
    play.act(GiveEnd("three", DAY, OVER, "a season", "five", ("meter=mega",)), *PEOPLE)
    for rows in range(30, 400, 10):
        play.until(rows)
        state = Engine.from_snapshot(play.engine.snapshot()).state
        state.last_day = DAY
        for table in state.tables:  # an end waits for it; two people know better
            table.asked = None
        link = state.links[1]
        link.suspended = [ENDED]
        closing = CloseLink("three", "a season", "five", ("meter=mega",))
        by = ActContext(People(PEOPLE), at=OVER)
        right = decided(ACT_OF[CloseLink].decide, state, closing, by)
        made = decided(decide_end, state, EndLink("three"), ActContext(at=OVER))
        if isinstance(right, LinkClosed):
            assert isinstance(made, LinkEnded)
            right, made = right.changes, made.changes
        assert made == right
        compared.add(str(type(right)))
    assert len(compared) > 1


def test_signs_say_the_last_day() -> None:
    """P2: as any notice, until the link has ended."""
    subject = season()
    assert notices(subject.engine.state)["L"] == (Notice(DAY, last=True),)
    ended(subject)
    assert notices(subject.engine.state)["L"] == (Notice(DAY, last=True),)
    assert step(subject) == "LinkEnded"
    assert notices(subject.engine.state)["L"] == ()


def test_the_journal_says_what_was_announced() -> None:
    """P2, S8: day, place and people, in the row itself."""
    subject = season()
    event = subject._last_event()
    assert isinstance(event, EndGiven)
    assert (event.link, event.to, event.day, event.due) == (1, 2, DAY, OVER)
    assert event.people.names == PEOPLE
