"""All readings are listed as they were journalled, however many there are (S2)."""

from datetime import timedelta

from jackpot.reports.readings import PAGE, readings
from jackpot.rules.acts.readings import Reading, ReadingTaken
from jackpot.rules.registry import decode
from tests.ledger.conftest import Place
from tests.ledger.play import FIRST_DAY, Play


def test_every_reading_is_listed(place: Place) -> None:
    """S2: of both databases, the newest first, over several pages, with names and with the bank's head."""
    play = Play(5).until(60)
    for number in range(2 * PAGE):
        play.act(Reading(str(FIRST_DAY + timedelta(days=1_000 + number))))
    ledger = place.open()
    epoch = ledger.new_epoch("main", "test").epoch
    for start in range(0, len(play.rows), 50):
        ledger.append("main", epoch, start, play.rows[start : start + 50])
    found = list(readings(place.read(), "main"))
    rows = {row.seq: row for row in play.rows if row.kind == ReadingTaken.kind}
    assert [one.seq for one in found] == sorted(rows, reverse=True)
    assert len(found) > PAGE
    names = {
        (link.number, level.number): (link.terms.link, level.terms.level)
        for link in play.engine.state.links
        for level in link.levels
    }
    for one in found:
        row = rows[one.seq]
        event = decode(row.kind, row.version, row.body)
        assert isinstance(event, ReadingTaken)
        assert (one.bank, one.day, one.at) == ("main", event.day, row.at)
        assert (one.epoch, one.hash) == (row.epoch, row.hash.hex())
        listed = [
            (meter.link, meter.level, meter.primary, meter.reserve, meter.overflow, meter.wagers, meter.hits)
            for meter in one.meters
        ]
        assert listed == [(*names[link, level], *facts) for link, level, *facts in event.meters]
