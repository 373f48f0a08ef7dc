"""The report has every alarm of the journal, and what ended it."""

from collections import Counter
from typing import Any

from jackpot.ledger.reading import Reader
from jackpot.rules import registry
from jackpot.rules.acts.alarms import AlarmAcknowledged
from jackpot.rules.acts.devices import BlockDevice, ClearDevice, EndKey
from jackpot.rules.alarms import KINDS
from jackpot.rules.engine import Engine
from jackpot.rules.events import Refused
from jackpot.rules.rounds.betting import WagerCounts, miscounted
from tests.ledger.conftest import Place
from tests.ledger.play import Play
from tests.reports.asked import said
from tests.reports.season import Season

ENDS = {
    "found_behind": "ledger_behind",
    "behind_confirmed": "ledger_behind over",
    "behind_over": "ledger_behind over",
    "suspended": "suspended",
    "resumed": "suspended over",
    "device_blocked": "device_conflict",
    "device_cleared": "device_conflict over",
    "key_ended": "key_ended",
}


def alarmed(season: Season) -> Counter[str]:
    """The counts that disagreed, from the state after the events."""
    engine, found = Engine("main"), Counter[str]()
    for row in season.rows:
        engine.replay(row)
        event: Any = registry.decode(row.kind, row.version, row.body)
        if row.table is None:
            continue
        table = engine.state.table(row.table)
        round_ = table.unfinished()
        if getattr(event, "locking", None) is not None and round_ is not None:
            counted = WagerCounts(round_.chips, round_.sums)
            found["chip_mismatch"] += bool(miscounted(engine.state, table, round_, counted).wagers)
        if getattr(event, "closing", None) is not None:
            theirs = event.closing.counts
            found["count_mismatch"] += any(table.counts.get(link, 0) != theirs[link] for link in theirs)
    return found


def test_every_alarm_is_listed_in_order(books: Reader, season: Season) -> None:
    """T3, S6, S9, L11: what a table counted and said, what was suspended, and who ended it."""
    expected = Counter[str]()
    for row in season.rows:
        event: Any = registry.decode(row.kind, row.version, row.body)
        name = registry.name_of(row.kind)
        if name in ENDS:
            expected[ENDS[name]] += 1
        elif isinstance(event, Refused) and event.code in ("unreasonable", "internal"):
            expected[event.code] += 1
        elif isinstance(event, AlarmAcknowledged):
            expected[f"{event.what} acknowledged"] += 1
        made = getattr(event, "made", event)
        recomputed = getattr(made, "recomputed", None)
        expected["left_on_meter"] += bool(recomputed is not None and recomputed.grown())
    expected += alarmed(season)
    lines = said(books, "alarms", first="2000-01-01").rows
    assert Counter(line["alarm"] for line in lines) == +expected
    assert [line["row"] for line in lines] == sorted(line["row"] for line in lines)
    assert {"ledger_behind", "suspended", "chip_mismatch", "count_mismatch"} <= set(expected)
    over = [line for line in lines if line["alarm"] == "ledger_behind over"]
    assert {line["who"] for line in over} == {"ann and bob"}
    assert any(line["alarm"].endswith(" acknowledged") and line["who"] == "ann" for line in lines)


def test_what_is_open_is_what_the_report_has_since_it_was_acknowledged(books: Reader, season: Season) -> None:
    """T3, S6, S9, L11: the engine and the report know the same alarms, one after the other."""
    since: Counter[tuple[str, str]] = Counter()
    for line in said(books, "alarms", first="2000-01-01").rows:
        kind, _, seen = line["alarm"].partition(" ")
        if seen == "acknowledged":
            assert since.pop((kind, line["place"])) == int(line["what"].split()[2])
        elif not seen and kind in KINDS:
            since[kind, line["place"]] += 1
    standing = season.engine.state.alarms
    assert {place: alarm.times for place, alarm in standing.items()} == since
    assert since


def test_devices_that_share_a_key(place: Place) -> None:
    """S9: a conflict, its end, and a key that ended, each with its device."""
    play = Play(5)
    play.act(BlockDevice("table", "T03"))
    play.act(ClearDevice("table", "T03"), "anna")
    play.act(EndKey("sign", "S01", "0123456789abcdef"))
    ledger = place.open()
    ledger.new_epoch("main", "test")
    ledger.append("main", 1, 0, play.rows)
    told = [(line["alarm"], line["place"], line["who"]) for line in said(ledger, "alarms").rows]
    assert told == [
        ("device_conflict", "table T03", ""),
        ("device_conflict over", "table T03", "anna"),
        ("key_ended", "sign S01", ""),
    ]
