"""Verify finds a forged end of a link: unannounced, too early, to another link, for more, or again (P2)."""

import shutil
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any, Final

import pytest
from msgspec.structs import replace

from jackpot.rules.acts.ends import EndGiven, EndLink, EndWaits, GiveEnd, LinkEnded, WagersEnded
from jackpot.rules.acts.links import OpenLink
from jackpot.rules.acts.meters import CorrectMeter
from jackpot.rules.acts.notices import NoticeWithdrawn, WithdrawNotice
from jackpot.rules.acts.readings import Reading
from jackpot.rules.meter import Accounts
from jackpot.rules.phrases import phrase
from jackpot.rules.signing import People
from tests.ledger.forger import NOW_MS, Forger
from tests.ledger.play import DOLLAR, NEW, SEASON, Play
from tests.ledger.verify.test_verifier import audit, write
from tests.said import refuses

ADA: Final = People(("ada",))
# What a forger writes is of this moment. The day before is over by then, and the one after is not.
TODAY: Final = datetime.fromtimestamp(NOW_MS / 1000, UTC).date()
DAY_MS: Final = 24 * 60 * 60 * 1_000
DAY, LATER = str(TODAY - timedelta(days=1)), str(TODAY)
# Links of the floor, by number: that of the season, the one that its money goes to, and another one.
SEASON_LINK, TO, OTHER = 3, 4, 2
_numbers = count(1)


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sound ledger with a link that has $10.00 of its players, and another one of the same levels."""
    play = Play(12)
    play.plain_rounds(1)
    for terms in (SEASON, NEW):
        assert play.act(OpenLink(terms)).of_act().ok
    (level,) = SEASON.levels
    lift = CorrectMeter("season", level.level, 10 * DOLLAR, "wagers")
    assert play.act(lift, "ada", "ben").of_act().ok
    path = tmp_path_factory.mktemp("ends") / "ledger.db"
    write(path, play.rows, [])
    assert audit(path).problems == ()
    return path


@pytest.fixture
def forger(floor: Path) -> Forger:
    """A forger with a copy of it."""
    return Forger(Path(shutil.copy(floor, floor.with_name(f"forged-{next(_numbers)}.db"))))


def announced(forger: Forger, day: str = DAY, due: int = NOW_MS) -> EndGiven:
    """Two people announce the end, at a moment before it."""
    given = forger.right(GiveEnd("season", day, due, "a season", "new"), "ada", "ben")
    assert isinstance(given, EndGiven)
    forger.append(given, at=due - DAY_MS)
    return given


def over(forger: Forger) -> None:
    """The day is over: wagers stop, and the meters are read."""
    announced(forger)
    forger.append(WagersEnded(SEASON_LINK, 1), command=EndLink("season"))
    forger.append(forger.right(Reading(DAY)))


def ended(forger: Forger) -> LinkEnded:
    """What the rules decide then."""
    notice = forger.state.notices[0]
    due = replace(notice, due=0)  # the forger's `right` is of the first moment of all clocks
    forger.state.notices[0] = due
    right = forger.right(EndLink("season"))
    forger.state.notices[0] = notice
    assert isinstance(right, LinkEnded)
    return right


def given_by_one(forger: Forger) -> Any:
    return replace(
        forger.right(GiveEnd("season", DAY, NOW_MS + DAY_MS, "a season", "new"), "ada", "ben"), people=ADA
    )


def stopped_unannounced(_: Forger) -> Any:
    return WagersEnded(SEASON_LINK, 1)


def stopped_before_its_day(forger: Forger) -> Any:
    announced(forger, LATER, NOW_MS + DAY_MS)
    return WagersEnded(SEASON_LINK, 1)


def stopped_twice(forger: Forger) -> Any:
    over(forger)
    return WagersEnded(SEASON_LINK, 1)


def stopped_by_another_notice(forger: Forger) -> Any:
    announced(forger)
    return WagersEnded(SEASON_LINK, 2)


def ended_unannounced(_: Forger) -> Any:
    return LinkEnded(SEASON_LINK, TO, [], (), 1, DAY)


def ended_before_its_day(forger: Forger) -> Any:
    announced(forger, LATER, NOW_MS + DAY_MS)
    return LinkEnded(SEASON_LINK, TO, [], (), 1, LATER)


def ended_while_wagers_are_taken(forger: Forger) -> Any:
    announced(forger)
    return LinkEnded(SEASON_LINK, TO, [], (), 1, DAY)


def ended_unread(forger: Forger) -> Any:
    announced(forger)
    forger.append(WagersEnded(SEASON_LINK, 1), command=EndLink("season"))
    return LinkEnded(SEASON_LINK, TO, [], (), 1, DAY)


def ended_into_another(forger: Forger) -> Any:
    over(forger)
    right = ended(forger)
    changes = [replace(one, link=OTHER if one.link == TO else one.link) for one in right.changes]
    return replace(right, to=OTHER, changes=changes)


def ended_for_more(forger: Forger) -> Any:
    """A dollar of the other link's players goes to the house."""
    over(forger)
    right = ended(forger)
    *first, last = right.changes
    change = Accounts(*last.change.values())
    change.add(Accounts(primary=-DOLLAR, house=DOLLAR))
    return replace(right, changes=[*first, replace(last, change=change)])


def ended_twice(forger: Forger) -> Any:
    over(forger)
    right = ended(forger)
    forger.append(right, command=EndLink("season"))
    return replace(right, changes=[])


def waits_for_nothing(forger: Forger) -> Any:
    over(forger)
    return EndWaits(SEASON_LINK, 1, "end_waits", "end_before_reading", (DAY,))


def taken_back_when_it_is_over(forger: Forger) -> Any:
    over(forger)
    return NoticeWithdrawn(1, "it stays", People(("ada", "ben")))


FORGED: Final[list[tuple[Callable[[Forger], Any], str]]] = [
    (given_by_one, f"(end_given): {refuses('two_people', why=phrase('why_link_ends'))}"),
    (stopped_unannounced, f"(wagers_ended): {refuses('end_not_announced', link='season')}"),
    (stopped_before_its_day, f"(wagers_ended): {refuses('end_not_due', link='season', day=LATER)}"),
    (stopped_twice, "(wagers_ended): the rules decide otherwise: written WagersEnded, decided LinkEnded"),
    (stopped_by_another_notice, "(wagers_ended): the rules decide otherwise: notice is written 2"),
    (ended_unannounced, f"(link_ended): {refuses('end_not_announced', link='season')}"),
    (ended_before_its_day, f"(link_ended): {refuses('end_not_due', link='season', day=LATER)}"),
    (
        ended_while_wagers_are_taken,
        "(link_ended): the rules decide otherwise: written LinkEnded, decided WagersEnded",
    ),
    (ended_unread, f"(link_ended): {refuses('end_before_reading', day=DAY)}"),
    (ended_into_another, f"(link_ended): the rules decide otherwise: to is written {OTHER}"),
    (ended_for_more, "(link_ended): the rules decide otherwise: changes["),
    (ended_twice, f"(link_ended): {refuses('link_closed', field='link', link='season')}"),
    (waits_for_nothing, "(end_waits): the rules decide otherwise: written EndWaits, decided LinkEnded"),
    (
        taken_back_when_it_is_over,
        f"(notice_withdrawn): {refuses('end_has_come', link='season', day=DAY)}",
    ),
]


@pytest.mark.parametrize(("forgery", "said"), FORGED)
def test_a_forged_end_is_found(forger: Forger, forgery: Callable[[Forger], Any], said: str) -> None:
    """S8, P2, L8: each step is decided again from the notice; what was sound before it is no problem."""
    event = forgery(forger)
    command = WithdrawNotice("N1", "it stays") if isinstance(event, NoticeWithdrawn) else EndLink("season")
    row = forger.append(event, command=None if isinstance(event, EndGiven) else command)
    problems = audit(forger.path).problems
    assert problems[0].startswith(f"main: row {row.seq} {said}"), problems


def test_what_the_rules_decide_is_sound(forger: Forger) -> None:
    """P2: the same steps as two people announced them."""
    over(forger)
    forger.append(ended(forger), command=EndLink("season"))
    assert audit(forger.path).problems == ()
