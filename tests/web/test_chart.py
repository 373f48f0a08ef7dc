"""Is a meter's history drawn from its readings alone, within its frame?"""

from datetime import time

import msgspec

from jackpot.config import Site
from jackpot.server.replies import Level, Link, Meter, Reading, ShownHit
from jackpot.web.chart import HEIGHT, ROOM, WIDTH, lines

NOON = 1_795_176_000_000  # 20 November 2026, 12:00 UTC
# The gaming day of the twentieth ends on the twenty-first: a hit at noon is of the day that began at six.
SITE = Site("Test", "USD", time(6), "UTC")
HIT = ShownHit(hit="H1", table="T01", hand="royal-flush", amount="900.00", at=NOON, cycle=1)


def level(name: str, hits: tuple[ShownHit, ...] = ()) -> Level:
    sums = ("value", "reserve", "overflow", "seed", "reseed", "wins", "house", "contributions", "awards")
    moved = ("corrections", "transfers")
    counts = ("cycle", "hits", "wagers", "undone_hits", "undone_wagers")
    facts = dict.fromkeys(sums + moved, "0.00") | dict.fromkeys(counts, 0)
    more = {"level": name, "limit": None, "primary_rate": "9%", "reserve_rate": "0%", "last_hits": hits}
    return msgspec.convert(facts | more, Level)


def link(*levels: Level) -> Link:
    facts = {"link": "L", "bank": "main", "paytable": "p", "wager": "1.00", "state": "active", "reasons": ()}
    return msgspec.convert(
        facts | {"paid_by": {}, "awards_outside": "0.00", "levels": levels, "left": (), "differences": ()},
        Link,
    )


def reading(day: str, **values: str) -> Reading:
    meters = tuple(
        Meter(link="L", level=name, value=value, reserve="0.00", overflow="0.00", wagers=0, hits=0)
        for name, value in values.items()
    )
    return Reading(day=day, bank="main", at=NOON, seq=1, epoch=1, hash="", meters=meters)


def test_each_day_has_its_place_and_a_hit_is_marked() -> None:
    """S2: the oldest at the left, the highest above; the day of a hit has its mark on the line."""
    days = [
        reading("2026-11-21", mega="150.00"),
        reading("2026-11-20", mega="100.00", minor="1.00"),
        reading("2026-11-19", mega="900.00"),
    ]
    (mega,) = lines(link(level("mega", (HIT,)), level("minor")), days, SITE)
    left, middle, right = (point.split(",") for point in mega.points.split())
    assert [left[0], middle[0], right[0]] == [str(ROOM), str(WIDTH // 2), str(WIDTH - ROOM)]
    assert [left[1], middle[1]] == [str(ROOM), str(HEIGHT - ROOM)]
    assert mega.hits == ((middle[0], middle[1]),)
    assert (mega.low, mega.high, mega.first, mega.last) == ("100.00", "900.00", "2026-11-19", "2026-11-21")


def test_one_day_is_no_line_and_a_still_meter_is_a_flat_one() -> None:
    """S2: nothing is drawn from one reading, and nothing is divided by nought."""
    assert lines(link(level("mega")), [reading("2026-11-20", mega="5.00")], SITE) == []
    still = [reading("2026-11-21", mega="5.00"), reading("2026-11-20", mega="5.00")]
    (mega,) = lines(link(level("mega")), still, SITE)
    assert {point.split(",")[1] for point in mega.points.split()} == {str(HEIGHT - ROOM)}
