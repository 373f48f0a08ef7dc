"""Every meter reconciles over every gaming day, and a changed sum is found."""

from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from jackpot.ledger.journal import row_of
from jackpot.ledger.open import open_reader
from jackpot.ledger.reading import Reader
from jackpot.ledger.rebuild import accounts_of, rebuild
from jackpot.reports.report import ReportRefused
from jackpot.rules.acts.readings import Reading, ReadingTaken
from jackpot.rules.commands import Envelope
from jackpot.rules.engine import Engine
from tests.ledger.conftest import Place
from tests.ledger.resting import BANKS, two_banks
from tests.ledger.verify.test_verifier import spoil
from tests.ledger.waiting import Ledger, join, open_ledger
from tests.reports.asked import day, said, unanswerable
from tests.reports.season import FIRST, Season

ACCOUNTS = ("primary", "reserve", "overflow", "house", "wagers", "awards", "corrections", "transfers")


def days(season: Season) -> list[str]:
    read = sum(row.kind == ReadingTaken.kind for row in season.rows)
    return [(FIRST + timedelta(days=number)).isoformat() for number in range(read)]


def test_every_line_of_every_day_comes_to_zero(books: Reader, season: Season) -> None:
    """S2, M4: opening and what moved are closing, as a walk over the events alone has them."""
    engine, left = Engine("main"), iter(season.rows)
    before = accounts_of(engine)
    assert len(days(season)) > 2
    for text in days(season):
        report = said(books, "reconcile", **day(text))
        assert report.problems == []
        for row in left:
            engine.replay(row)
            if row.kind == ReadingTaken.kind:
                break
        now = accounts_of(engine)
        names = {terms.terms.link: terms for terms in engine.state.links}
        seen = set()
        for line in report.rows:
            link = names[line["link"]]
            levels = ["house", *(level.terms.level for level in link.levels)]
            key = (link.number, levels.index(line["level"]))
            seen.add(key)
            then = before.get(key, (0,) * 8)
            moved = dict(zip(ACCOUNTS, (a - b for a, b in zip(now[key], then, strict=True)), strict=True))
            assert line["difference"] == 0
            assert (line["opening"], line["closing"]) == (sum(then[:3]), sum(now[key][:3]))
            assert line["contributions"] == -moved["wagers"]
            assert line["house"] == -moved["house"]
            assert line["awards"] == moved["awards"]
            assert (line["corrections"], line["transfers"]) == (-moved["corrections"], -moved["transfers"])
            assert line["joined"] == 0
        assert seen >= {key for key, accounts in now.items() if accounts != before.get(key, (0,) * 8)}
        before = now


def test_wagers_are_counted_against_the_drop(books: Reader, season: Season) -> None:
    """S2, L6: so many wagers as the readings counted, what they came to, and what the drop has too much."""
    readings = {}
    engine = Engine("main")
    for row in season.rows:
        engine.replay(row)
        if row.kind == ReadingTaken.kind:
            readings[engine.state.last_day] = {
                link.terms.link: (link.levels[0].wagers, link.terms.wager) for link in engine.state.links
            }
    counted = dict.fromkeys(readings[FIRST.isoformat()], 0)
    for text in days(season):
        drop = {"five-C": 100_000_000}
        lines = said(books, "reconcile", drops=drop, **day(text)).rows
        for line in (one for one in lines if one["wagers"] is not None):
            count, wager = readings[text][line["link"]]
            assert line["wagers"] == count - counted[line["link"]]
            assert line["wagered"] == line["wagers"] * wager
            over = drop[line["link"]] - line["wagered"] if line["link"] in drop else None
            assert (line["drop"], line["over"]) == (drop.get(line["link"]), over)
            counted[line["link"]] = count
    assert sum(counted.values()) > 100


def test_a_day_that_cannot_be_told_is_said(books: Reader, season: Season) -> None:
    """S2: a day without a reading is named with the day that has it; an unknown link with those that are."""
    with unanswerable("day_without_reading", day="2026-01-01", later=str(FIRST)):
        said(books, "reconcile", **day("2026-01-01"))
    with unanswerable("link_not_known", link="nowhere"):
        said(books, "reconcile", link="nowhere")
    open_ = said(books, "reconcile", **day("2027-01-01"))
    assert open_.facts["main"] == "gaming day 2027-01-01: no row; it has not ended"
    assert {line["difference"] for line in open_.rows} == {0}
    only = said(books, "reconcile", link="five-C").rows
    assert {line["link"] for line in only} == {"five-C"}


@pytest.mark.parametrize("change", ["wagers", "reading"])
def test_a_sum_that_was_changed_is_found(season: Season, tmp_path: Path, change: str) -> None:
    """M4, S8: a day whose postings were changed no longer adds up, and the report says where."""
    path = tmp_path / "ledger.db"
    with closing(open_ledger(f"sqlite:///{path}")) as ledger:
        season.write(ledger)
    last = max(row.seq for row in season.rows if any(posting.wagers for posting in row.postings))
    row = next(row for row in season.rows if row.seq == last)
    link = row.postings[0].link
    changes = {
        "wagers": f'UPDATE posting SET "primary" = "primary" + 7, wagers = wagers - 7 '
        f"WHERE seq = {last} AND link = {link}",
        "reading": f"DELETE FROM posting WHERE seq = {last} AND link = {link}",
    }
    spoil(path, changes[change])
    with closing(open_reader(f"sqlite:///{path}")) as ledger:
        report = said(ledger, "reconcile")
    assert {problem.template for problem in report.problems} == {"meter_not_accounted"}
    links = {line["link"] for line in report.rows if line["difference"]}
    assert {problem.values["link"] for problem in report.problems} == links
    assert any(line["difference"] for line in report.rows)


def test_a_joined_bank_adds_up_with_what_it_was_joined_of(place: Place) -> None:
    """M4, L10: what the old banks hand on leaves them, and is in the new one, under its own column."""
    ledger = place.open()
    two_banks(ledger)
    join(ledger, BANKS, "floor", "anna", "one room", 1_800_000_000_000)
    report = said(ledger, "reconcile", banks=(*BANKS, "floor"))
    assert report.problems == []
    joined = {(line["bank"], line["link"], line["level"]): line["joined"] for line in report.rows}
    meters = {key: sum_ for key, sum_ in joined.items() if key[2] != "house"}
    assert all(sum_ < 0 for (bank, *_), sum_ in meters.items() if bank in BANKS)
    for (_, link, level), sum_ in meters.items():
        bank = link.removeprefix("five-")
        assert joined["floor", link, level] == -joined[bank, link, level] == abs(sum_)
    assert all(line["closing"] == 0 for line in report.rows if line["bank"] in BANKS)


BEFORE, LAST, FIRST_JOINED, UNREAD = "2025-12-29", "2025-12-30", "2026-01-01", "2026-01-02"


@pytest.fixture
def joined(place: Place) -> Ledger:
    """Two banks with readings of two days, and the bank that they became, with one reading.

    The day between has no reading of its own.
    """
    ledger = place.open()
    banks = two_banks(ledger)
    for bank in banks:
        for each in (BEFORE, LAST):
            bank.act(Reading(each))
    head = join(ledger, BANKS, "floor", "anna", "one room", 1_800_000_000_000)
    engine, _ = rebuild(ledger, "floor")
    outcome = engine.execute(Envelope(Reading(FIRST_JOINED), head.seq, 0, bytes(16)))
    assert outcome.entry is not None
    ledger.append("floor", head.epoch, head.seq, [row_of("floor", head.epoch, outcome.entry, head.hash)])
    return ledger


@pytest.mark.parametrize(
    ("each", "has", "told"),
    [
        (BEFORE, BANKS, "gaming day 2025-12-29: rows "),
        (LAST, BANKS, "gaming day 2025-12-30: rows "),
        (FIRST_JOINED, (*BANKS, "floor"), "gaming day 2026-01-01: rows "),
        (UNREAD, ("floor",), "gaming day 2026-01-02: no row; it has not ended"),
    ],
)
def test_a_day_is_told_by_the_banks_that_have_it(
    joined: Ledger, each: str, has: tuple[str, ...], told: str
) -> None:
    """S2, M4: no row stands under two days, and none under a day when its bank was not there."""
    report = said(joined, "reconcile", banks=(*BANKS, "floor"), **day(each))
    assert report.problems == []
    assert (tuple(report.facts), {line["bank"] for line in report.rows}) == (has, set(has))
    assert str(report.facts["floor" if "floor" in has else "north"]).startswith(told)
    if each == FIRST_JOINED:
        assert str(report.facts["north"]).endswith("; then the bank became part of floor")


@pytest.mark.parametrize(
    ("bank", "each", "template", "values"),
    [
        ("floor", LAST, "day_before_join", {"day": LAST, "before": "north and south"}),
        ("north", UNREAD, "day_after_join", {"day": UNREAD, "into": "floor"}),
        ("north", "2025-12-31", "day_without_reading", {"later": FIRST_JOINED}),
        ("floor", "2025-12-31", "day_without_reading", {"later": FIRST_JOINED}),
    ],
)
def test_a_day_of_another_bank_is_refused_with_its_name(
    joined: Ledger, bank: str, each: str, template: str, values: dict[str, str]
) -> None:
    """S2: where the rows of a day are in other banks, the refusal says in which."""
    with pytest.raises(ReportRefused) as refused:
        said(joined, "reconcile", banks=(bank,), **day(each))
    told = refused.value.said
    if told.template == "day_of_other_banks":
        (told,) = told.values["banks"].values.values()  # type: ignore[attr-defined]  # it says one bank's
    assert told.template == template
    assert told.english_values.items() >= values.items()


def test_wagers_of_a_day_before_a_join_are_of_the_banks_before(joined: Ledger) -> None:
    """S2: every report of days counts a row under one day, in one bank."""
    for each in (BEFORE, LAST, FIRST_JOINED, UNREAD):
        facts = said(joined, "contributions", banks=(*BANKS, "floor"), **day(each)).facts
        none = {bank for bank in (*BANKS, "floor") if str(facts[bank]) == "no row"}
        assert none == {LAST: {"floor"}, BEFORE: {"floor"}, UNREAD: set(BANKS)}.get(each, set())
