"""Everything that people should hear of is notified once, however the journal is read."""

from typing import Any

from jackpot.ledger.reading import Reader
from jackpot.reports.notifications import Notice, Notifications
from jackpot.rules import registry
from jackpot.rules.state import UNPAID
from tests.reports.season import Season

EVERYTHING = ("hit", "alarm", "request")


def told(books: Reader, step: int, *about: Any) -> list[Notice]:
    """All notifications of a season, read with at most about so many a poll."""
    news, after, found = Notifications("main", "riverside", about), 0, list[Notice]()
    while after < (upto := books.head("main").seq):
        look = news.look(books, after, upto, step)
        assert look.upto > after
        found += look.notices
        after = look.upto
    return found


def test_every_alarm_that_opens_is_told_once(books: Reader, season: Season) -> None:
    """T3, S6, S9, L11: as often as the engine opened one; not again while it stays open."""
    found = told(books, 10**6, "alarm")
    assert len(found) == season.engine.state.next_alarm - 1
    assert {one.facts["alarm"] for one in found} >= {"chip_mismatch", "count_mismatch", "ledger_behind"}
    assert {one.page for one in found} == {"/ops/alarms"}


def test_every_hit_that_waits_is_told_with_its_own_sum(books: Reader, season: Season) -> None:
    """A10: each entry that made it awards which wait, with what its hand won; final ones need nobody."""
    expected = []
    for row in season.rows:
        made: Any = getattr(registry.decode(row.kind, row.version, row.body), "made", None)
        for hit in made.hits if made is not None else ():
            if any(award.status in UNPAID for award in hit.awards):
                own = sum(award.amount for award in hit.awards if award.kind != "envy")
                expected.append((row.seq, f"H{hit.number}", own))
    found = told(books, 10**6, "hit")
    sums = [int(one.facts["amount"].replace(".", "").ljust(1)) for one in found]
    assert [(one.seq, one.facts["hit"]) for one in found] == [(seq, hit) for seq, hit, _ in expected]
    assert [total * 10_000 for total in sums] == [own for *_, own in expected]
    assert found[0].page == f"/ops/hits/main/{found[0].facts['hit']}"


def test_however_it_is_read_it_is_the_same(books: Reader) -> None:
    """At least once: an id names one thing for ever; a short look goes on where the last one ended."""
    whole = told(books, 10**6, *EVERYTHING)
    assert told(books, 3, *EVERYTHING) == whole
    assert len({one.id for one in whole}) == len(whole)
    assert whole[0].id.startswith(f"riverside/main/{whole[0].seq}/")
