"""Lists of hits and of envy match the events, and the time people took."""

from collections import defaultdict

from jackpot.ledger.reading import Reader
from jackpot.reports.output import span_of
from jackpot.rules import registry
from jackpot.rules.acts.hits import Paid, Validated
from tests.reports.asked import day, said
from tests.reports.season import FIRST, Season
from tests.reports.test_explain import hits_of


def test_every_hit_is_listed_once_as_it_stands(books: Reader, season: Season) -> None:
    """S1, A10: the hand's own sum and the envy it earned others stand apart, the newest hit first."""
    hits = hits_of(season)
    lines = said(books, "hits", first="2000-01-01").rows
    assert [line["hit"] for line in lines] == [f"H{number}" for number in sorted(hits, reverse=True)]
    for line in lines:
        hit = hits[int(line["hit"][1:])]
        standing = [award for award in hit.awards if award.stands()]
        assert line["made"] == hit.at
        assert line["hand"] == hit.hand
        assert line["seat"] == hit.seat
        assert line["amount"] == sum(award.worth() for award in standing if award.kind != "envy")
        assert line["envy"] == sum(award.worth() for award in standing if award.kind == "envy")
        statuses = {award.status for award in hit.awards}
        assert line["status"] in statuses
        assert ("pending" in statuses) == (line["status"] == "pending")
    assert {line["status"] for line in lines} >= {"pending", "validated", "paid", "undone"}


def test_how_long_people_took(books: Reader, season: Season) -> None:
    """A10: from the hit to its last validation and payment, and by whom; envy alone counts for itself."""
    did: dict[tuple[str, int], tuple[int, str]] = {}
    for row in season.rows:
        event = registry.decode(row.kind, row.version, row.body)
        if isinstance(event, Validated | Paid):
            for award in event.awards:
                did[type(event).__name__, award] = (row.at, " and ".join(event.people.said()))
    hits = hits_of(season)
    paid = 0
    for line in said(books, "hits", first="2000-01-01").rows:
        hit = hits[int(line["hit"][1:])]
        own = [award for award in hit.awards if award.kind != "envy"] or hit.awards
        for what, name, took in (("Validated", "validated", "to_validation"), ("Paid", "paid", "to_payment")):
            last = max(
                (did[what, award.number] for award in own if (what, award.number) in did), default=None
            )
            assert (line[name], line[f"{name}_by"]) == (last or (None, ""))
            assert line[took] == (None if last is None else last[0] - hit.at)
            paid += last is not None
    assert paid > 50
    assert [span_of(ms) for ms in (45_000, 125_000, 7_380_000, -1_000)] == [
        "45 s",
        "2 min 05 s",
        "2 h 03 min",
        "-1 s",
    ]


def test_a_day_has_its_own_hits(books: Reader, season: Season) -> None:
    """S2: the hits of all days are those of each day, and of one link those of that link."""
    every = [line["hit"] for line in said(books, "hits", first="2000-01-01").rows]
    first = [line["hit"] for line in said(books, "hits", **day(FIRST.isoformat())).rows]
    after = [line["hit"] for line in said(books, "hits", first="2026-10-31").rows]
    assert first
    assert after + first == every
    by_link = defaultdict(list)
    for line in said(books, "hits", first="2000-01-01").rows:
        by_link[line["link"]].append(line["hit"])
    for link, wanted in by_link.items():
        assert [line["hit"] for line in said(books, "hits", first="2000-01-01", link=link).rows] == wanted


def test_every_envy_bonus_is_listed(books: Reader, season: Season) -> None:
    """A5: for whose hand, to which seat, how much, and when it was paid."""
    expected = {
        f"A{award.number}": (hit.seat, award.seat, award.worth() if award.stands() else 0, award.status)
        for hit in hits_of(season).values()
        for award in hit.awards
        if award.kind == "envy"
    }
    lines = said(books, "envy", first="2000-01-01").rows
    found = {
        line["award"]: (line["for_seat"], line["to_seat"], line["amount"], line["status"]) for line in lines
    }
    assert len(found) == len(lines)
    assert found == expected
    assert all((line["paid"] is not None) == (line["status"] == "paid") for line in lines)
    assert any(line["paid_by"] for line in lines)
