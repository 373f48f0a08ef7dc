"""Every micro-dollar of every hit is explained, whatever was undone, corrected, shared or joined."""

from collections import defaultdict
from typing import Any

import pytest

from jackpot.ledger.open import open_reader
from jackpot.ledger.reading import Reader
from jackpot.rules import events, registry
from jackpot.rules.acts.hits import Pay, Undone, Validate
from jackpot.rules.acts.links import Resume
from jackpot.rules.acts.rounds import Struck
from jackpot.rules.commands import Envelope
from jackpot.rules.engine import Engine
from jackpot.rules.state import Award, Hit
from tests import frames
from tests.frames import Bet, numbered
from tests.ledger.conftest import Place
from tests.ledger.maintenance.test_join import NOW
from tests.ledger.resting import BANKS, ROYAL, SITE, two_banks
from tests.ledger.waiting import join
from tests.reports.asked import said, unanswerable
from tests.reports.season import Season

Line = dict[str, Any]


@pytest.fixture(scope="module")
def explained(books: Reader, season: Season) -> dict[int, list[Line]]:
    """Explanations of every hit of the season; none has a problem."""
    found = {}
    for number in range(1, season.engine.state.next_hit):
        report = said(books, "explain", hit=number)
        assert report.problems == [], report
        found[number] = report.rows
    return found


def hits_of(season: Season) -> dict[int, Hit]:
    """Every hit ever made, from the events alone."""
    engine = Engine("main")
    hits: dict[int, Hit] = {}
    for row in season.rows:
        engine.replay(row)
        hits |= {hit.number: hit for hit in engine.state.hits.values()}
    return hits


def events_of(season: Season) -> dict[int, events.Event]:
    return {row.seq: registry.decode(row.kind, row.version, row.body) for row in season.rows}


def parts(lines: list[Line], award: Award, *names: str) -> list[Line]:
    return [line for line in lines if line["award"] == f"A{award.number}" and line["part"] in names]


def test_every_hit_adds_up_to_what_is_paid(explained: dict[int, list[Line]], season: Season) -> None:
    """L10, A10, A11: from the cycle to the meter, from the meter to the sum, to the micro-dollar."""
    hits = hits_of(season)
    assert explained.keys() == hits.keys()
    assert len(hits) > 200
    for number, lines in explained.items():
        for award in hits[number].awards:
            (total,) = parts(lines, award, "total")
            assert total["amount"] == (award.worth() if award.stands() else 0)
            assert total["amount"] == sum(line["amount"] for line in parts(lines, award, "share", "later"))
            for meter in parts(lines, award, "meter"):
                assert meter["amount"] == sum(line["amount"] for line in parts(lines, award, "how it grew"))
                assert meter["amount"] >= 0


def test_the_season_has_what_is_hard_to_explain(explained: dict[int, list[Line]], season: Season) -> None:
    """L10, T5, T10: undone cycles, shares, late hands, raised and corrected awards are all among the hits."""
    said_ = [line["what"] for lines in explained.values() for line in lines]
    for words in (
        "of 2 equal parts", "undone later", "raised by", "corrected by", "hands settled as if at their turn",
        "since its turn", "above the limit, to overflow", "the whole reserve", "cycles 1 and 2",
        "wagers taken back", "struck by", "voided by", "topped up", "what the paytable gives",
        "correction of the meter", "transfer to", "transfer from",
    ):  # fmt: skip
        assert any(words in one for one in said_), words
    taken = {type(event) for event in events_of(season).values()}
    assert taken >= {events.Withdrawn, events.Voided, Undone, Struck}


def test_an_award_is_explained_by_the_wagers_of_its_cycle(
    explained: dict[int, list[Line]], season: Season
) -> None:
    """L10: the wagers named for a table are those that it made between the way's beginning and the turn."""
    hits, links = hits_of(season), season.engine.state.links
    tables = {table.number: table.terms.table for table in season.engine.state.tables}
    compared = 0
    for number, lines in explained.items():
        for award in hits[number].awards:
            way, meters = parts(lines, award, "how it grew"), parts(lines, award, "meter")
            if not meters:
                continue
            first = min(line["row"] for line in way if line["row"])
            wagered: dict[tuple[str, int], list[int]] = defaultdict(lambda: [0, 0, 0])
            for row in season.rows[first - 1 : meters[0]["row"] - 1]:
                for posting in row.postings:
                    level = (posting.link, posting.level) == (award.link, award.level)
                    if level and row.kind == events.Wagered.kind:
                        sums = wagered[tables[row.table or 0], posting.cycle]
                        sums[:] = map(sum, zip(sums, posting[3:6], strict=True))
            told: dict[tuple[str, int], list[int]] = defaultdict(lambda: [0, 0, 0])
            for line in (one for one in way if one["what"] == "wagers"):
                sums = told[line["table"], line["cycle"]]
                moved = (line["amount"], line["reserve"], line["overflow"])
                sums[:] = map(sum, zip(sums, moved, strict=True))
            assert told == wagered, (number, links[award.link - 1].terms.link)
            compared += len(told)
    assert compared > 100


def test_each_way_names_the_cycles_that_it_goes_through(
    explained: dict[int, list[Line]], season: Season
) -> None:
    """L10: the hit's own cycle is the last of the way; one that was joined by an undo is named before it."""
    hits = hits_of(season)
    joined = 0
    for number, lines in explained.items():
        hit = hits[number]
        for award in hit.awards:
            way, meters = parts(lines, award, "how it grew"), parts(lines, award, "meter")
            late = any("since its turn" in line["what"] for line in parts(lines, award, "share"))
            if not meters or late or len({one.level for one in hit.awards if one.level}) > 1:
                continue
            cycles = range(way[0]["cycle"], hit.cycle + 1)
            *earlier, own = map(str, cycles)
            named = f"{', '.join(earlier)} and {own}" if earlier else own
            assert meters[0]["what"].endswith(f"{named})")
            assert {line["cycle"] for line in way} <= set(cycles)
            joined += len(cycles) > 1
    assert joined > 3


def test_what_follows_from_no_sum_has_an_undo_or_a_late_hand_behind_it(
    explained: dict[int, list[Line]], season: Season
) -> None:
    """T10: a late award differs from its meter's share only where something was recomputed since its turn."""
    hits, seen = hits_of(season), events_of(season)
    differing = 0
    for number, lines in explained.items():
        for award in hits[number].awards:
            share = parts(lines, award, "share")
            if len(share) < 2 or not award.level:
                continue
            differing += 1
            made = share[0]["row"]
            turn = parts(lines, award, "meter")[0]["row"]
            between = [seen[row] for row in range(turn + 1, made + 1)]
            assert any(
                (award.link, award.level) == (change.link, change.level)
                for event in between
                for change in _changes(event)
            )
    assert differing


def test_a_hit_of_a_joined_bank_is_explained_from_the_bank_before(place: Place) -> None:
    """L10: its cycle began in another chain, whose wagers are named; the way goes on in the new one."""
    ledger = place.open()
    _, south = two_banks(ledger)
    primary = south.engine.state.links[0].levels[0].accounts.primary
    head = join(ledger, BANKS, "floor", "anna", "one room", NOW)
    won = _win_in(ledger, "floor", head.epoch)
    reader = open_reader(place.url)
    place.opened.append(reader)
    report = said(reader, "explain", banks=("floor",), hit=won)
    assert report.problems == []
    meter = next(line for line in report.rows if line["part"] == "meter")
    way = [line for line in report.rows if line["part"] == "how it grew"]
    assert meter["amount"] == primary + 90_000
    assert sum(line["amount"] for line in way) == meter["amount"]
    assert [line["what"] for line in way] == ["seed, from the house", "wagers", "wagers"]
    assert [line["amount"] for line in way[1:]] == [6 * 90_000, 90_000]
    assert {line["table"] for line in way[1:]} == {"south-2"}


def test_an_unknown_hit_is_said_and_two_of_a_number_are_told_apart(place: Place) -> None:
    """L10: each bank counts its own hits; a number that two banks have wants the bank's name."""
    ledger = place.open()
    two_banks(ledger)
    with unanswerable("no_hit_there", hit="H99", banks="north or south"):
        said(ledger, "explain", banks=BANKS, hit=99)
    assert said(ledger, "explain", banks=BANKS, hit=1).facts["hit"] == "H1 in bank north"
    with unanswerable("hit_of_several_banks", banks="north or north"):
        said(ledger, "explain", banks=("north", "north"), hit=1)


def _win_in(ledger: Any, bank: str, epoch: int) -> int:
    """Plays a royal at the second bank's second table, in the joined bank; returns the hit's number."""
    from jackpot.ledger.journal import row_of
    from jackpot.ledger.rebuild import rebuild

    ledger.new_epoch(bank, "test")
    engine, head = rebuild(ledger, bank)
    table = engine.table("south-2")
    assert table is not None
    commands: list[tuple[Any, bool]] = [
        (Resume("operator", (), "joined"), False),
        (frames.Wager("again", (Bet(1, "five-south", 100),), lock=True), True),
        (frames.Settle("again", (ROYAL,), board=("Js", "Ts"), close=True), True),
    ]
    number = engine.state.next_hit
    commands += [(Validate(f"H{number}"), False), (Pay(f"H{number}", document="W-1"), False)]
    for asked, (command, framed) in enumerate(commands, 1):
        envelope = Envelope(
            numbered(command, table.last_seq + 1) if framed else command, NOW + asked, NOW + asked,
            (1_000 + asked).to_bytes(16, "big"), table.terms.table if framed else None,
            () if framed else ("anna", "ben"),
        )  # fmt: skip
        entry = engine.execute(envelope).entry
        assert entry is not None, command
        row = row_of(bank, head.epoch, entry, head.hash)
        ledger.append(bank, head.epoch, head.seq, [row])
        head = ledger.head(bank)
    assert engine.state.site == SITE
    return number


def _makes(event: events.Event, award: int) -> bool:
    made = getattr(event, "made", None)
    return made is not None and any(one.number == award for hit in made.hits for one in hit.awards)


def _changes(event: events.Event) -> list[events.LevelChange]:
    made = getattr(event, "made", None)
    recomputed = getattr(event, "recomputed", None) if made is None else made.recomputed
    return [] if recomputed is None else list(recomputed.changes)
