"""Conditions of the erasure of names."""

from typing import Any

import pytest

from jackpot.rules import redecide, row_commands
from jackpot.rules.acts.erasure import EraseName, NameErased
from jackpot.rules.acts.fields import DAY_MS
from jackpot.rules.acts.people import EndPerson
from jackpot.rules.events import RULES_VERSION
from jackpot.rules.outcome import DecidedEntry
from jackpot.rules.signing import People
from tests.rules.site import OfSite

KEPT = 30


def left(site: OfSite, person: int, at: int = 1_000) -> None:
    """Their access ends at that moment, in unix milliseconds."""
    assert site.ask(EndPerson(person), 1, at=at).answer["ok"]


def code(site: OfSite, person: int, *by: int, days: int | None = None, at: int = 2_000) -> str:
    answer = site.ask(EraseName(person, days), *by, at=at).answer
    return "asked" if answer.get("asked") else str(answer.get("code", ""))


def test_who_left_is_erased_once_by_two_admins() -> None:
    """Retention: nobody who is here, nobody whom there never was, and not twice."""
    site = OfSite()
    cal, dee = site.join("floor"), site.join("cage")
    assert code(site, cal, 1, 2) == "not_allowed"
    left(site, cal)
    assert code(site, 99, 1, 2) == "no_such_person"
    assert code(site, cal, dee) == "not_allowed"
    assert code(site, cal, 1) == "asked", "who ends somebody hides nobody"
    assert code(site, cal) == "two_people"
    assert not site.person(cal).erased
    assert code(site, cal, 1, 2) == ""
    assert code(site, cal, 2) == "unchanged"


@pytest.mark.parametrize("by", [(), (1,)])
def test_a_name_is_erased_by_one_or_by_the_server_once_it_is_old(by: tuple[int, ...]) -> None:
    """Retention, S8: by the act's own time and that of the entry by which they left; nobody says so."""
    site = OfSite()
    dee = site.join("cage")
    over = 1_000 + KEPT * DAY_MS
    assert code(site, dee, *by, days=KEPT, at=over) == "not_allowed", "they are here"
    left(site, dee)
    early = "asked" if by else "two_people"
    for days, at in ((None, over), (KEPT, over - 1)):
        assert code(site, dee, *by, days=days, at=at) == early, (days, at)
    assert code(site, dee, *by, days=KEPT, at=500) == ("asked_already" if by else early)
    assert code(site, dee, *by, days=KEPT, at=over) == ""
    waiting = [request.id for request in site.engine.state.requests]
    assert waiting == ([1] if by else []), "of those by the same days none is to be confirmed any more"


def test_a_forged_erasure_by_age_is_found() -> None:
    """S8: a row that says that the time for a name was over is held against when they left."""
    site = OfSite()
    dee = site.join("cage")
    left(site, dee)

    def fault(days: int, at: int) -> str | None:
        event: Any = NameErased(dee, People(), days)
        body = row_commands.encode(event, EraseName(dee, days))
        row = DecidedEntry(
            site.engine.seq + 1, at, event.kind, RULES_VERSION, None, None, None, b"f" * 16, body, ()
        )
        return redecide.check(site.auditor, row, event)

    for days, at in ((KEPT, KEPT * DAY_MS), (0, KEPT * DAY_MS)):
        assert "before its time is over" in (fault(days, at) or "")
    assert fault(KEPT, 1_000 + KEPT * DAY_MS) is None
