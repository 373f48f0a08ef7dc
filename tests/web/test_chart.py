"""Charts of meters, from the beginning or their readings to now, within the frame."""

import msgspec

from jackpot.api.queries.journal import Meter, Reading
from jackpot.api.queries.links import Level, Link, ShownHit
from jackpot.config.writing import writing
from jackpot.web.chart import BOTTOM, HEIGHT, ROOM, TICKS_MAX, TOP, WIDTH, Axes, lines

DAY = 86_400_000
LOW = HEIGHT - BOTTOM
AXES = Axes(writing("en_US", "USD"), "America/New_York")
NOW = 1_795_176_000_000


def hit(at: int, before: str = "900.00", after: str = "100.00") -> ShownHit:
    return ShownHit(
        hit="H1", table="T01", hand="royal-flush", amount=before, at=at, cycle=1, before=before, after=after
    )


def level(name: str, shown: tuple[ShownHit, ...] = (), **given: str | int) -> Level:
    sums = ("value", "reserve", "overflow", "seed", "reseed", "wins", "house", "contributions", "awards")
    moved = ("corrections", "transfers")
    counts = ("cycle", "hits", "wagers", "undone_hits", "undone_wagers")
    facts = dict.fromkeys(sums + moved, "0.00") | dict.fromkeys(counts, 0)
    more = {"level": name, "limit": None, "primary_rate": "9%", "reserve_rate": "0%", "last_hits": shown}
    return msgspec.convert(facts | more | given, Level)


def link(*levels: Level) -> Link:
    facts = {"link": "L", "bank": "main", "paytable": "p", "wager": "1.00", "state": "active", "reasons": ()}
    return msgspec.convert(
        facts | {"paid_by": {}, "awards_outside": "0.00", "levels": levels, "left": (), "differences": ()},
        Link,
    )


def reading(at: int, **values: str) -> Reading:
    meters = tuple(
        Meter(link="L", level=name, value=value, reserve="0.00", overflow="0.00", wagers=0, hits=0)
        for name, value in values.items()
    )
    return Reading(day="2026-11-20", bank="main", at=at, seq=1, epoch=1, hash="", meters=meters)


def test_each_moment_has_its_place_and_a_hit_is_marked() -> None:
    """S2: the oldest at the left, now at the right, the highest above; a hit is marked where it was made."""
    days = [
        reading(NOW - DAY, mega="150.00"),
        reading(NOW - 2 * DAY, mega="100.00", minor="1.00"),
        reading(NOW - 4 * DAY, mega="900.00"),
    ]
    mega, _ = lines(
        link(level("mega", (hit(NOW - 3 * DAY, "500.00", "450.00"),), value="500.00"), level("minor")),
        days,
        NOW,
        AXES,
    )
    points = [tuple(map(int, point.split(","))) for point in mega.points.split()]
    quarter = (WIDTH - 2 * ROOM) // 4
    assert [x for x, _ in points] == [
        ROOM,
        *[ROOM + quarter] * 2,
        WIDTH // 2,
        ROOM + 3 * quarter,
        WIDTH - ROOM,
    ]
    assert [points[0][1], points[3][1]] == [TOP, LOW]
    assert mega.hits == ((str(ROOM + quarter), str((TOP + LOW) // 2)),)
    assert (mega.low, mega.high, mega.first, mega.last) == ("100.00", "900.00", NOW - 4 * DAY, NOW)


def test_a_win_falls_upright() -> None:
    """A2, A4, S2: from where the meter stood to where it stood then, of all of it or of a part."""
    days = [reading(NOW - DAY, mega="300.00"), reading(NOW - 3 * DAY, mega="500.00")]
    part = hit(NOW - DAY // 2, "310.00", "279.00")
    one = level("mega", (part, hit(NOW - 2 * DAY)), value="400.00", hits=2)
    (mega,) = lines(link(one), days, NOW, AXES)
    third = ROOM + (WIDTH - 2 * ROOM) // 3
    points = mega.points.split()
    assert points[1:3] == [f"{third},{TOP}", f"{third},{LOW}"]
    assert len(points) == len(days) + 5
    assert mega.hits[0] == (str(third), str(TOP))
    assert (mega.low, mega.high) == ("100.00", "900.00")
    (late,) = lines(
        link(msgspec.structs.replace(one, last_hits=(hit(NOW + 1), hit(NOW - 4 * DAY)))), days, NOW, AXES
    )
    assert (late.high, late.hits) == ("500.00", ()), "what is not within the readings is not drawn"
    (cut,) = lines(link(msgspec.structs.replace(one, hits=3)), days, NOW, AXES)
    assert (cut.first, cut.points.split()[0]) == (NOW - 2 * DAY, f"{ROOM},{TOP}"), "older hits are not known"


def test_shares_of_one_meter_are_one_fall_and_two_wins_of_a_round_are_two() -> None:
    """T5: what two hands shared stood there in one sum; the second winner in turn takes the reseed."""
    at = NOW - DAY
    shares = (hit(at, "1800.00"), hit(at, "1800.00"))
    second = hit(at, "100.00", "100.00")
    (mega,) = lines(
        link(level("mega", (second, *shares), value="150.00")),
        [reading(NOW - 2 * DAY, mega="150.00")],
        NOW,
        AXES,
    )
    assert (mega.low, mega.high) == ("100.00", "1800.00")
    middle = str(WIDTH // 2)
    assert mega.points.split()[1:5] == [f"{middle},{y}" for y in (TOP, LOW, LOW, LOW)]


def test_the_line_begins_with_the_link_and_a_still_meter_is_a_flat_one() -> None:
    """S2: on its first day a link is drawn from its seed to now; nothing is divided by nought."""
    one = msgspec.structs.replace(link(level("mega", value="12.00", seed="10.00")), opened=NOW - 5)
    (mega,) = lines(one, [], NOW, AXES)
    assert mega.points == f"{ROOM},{LOW} {WIDTH - ROOM},{TOP}"
    assert (mega.low, mega.high, mega.first) == ("10.00", "12.00", NOW - 5)
    (still,) = lines(link(level("mega")), [reading(NOW, mega="0.00")], NOW, AXES)
    assert {point.split(",")[1] for point in still.points.split()} == {str(LOW)}


def test_the_grid_has_round_sums_and_the_midnights_of_the_site() -> None:
    """S2: few lines, each with its label, at whole steps; a point says when it was and what stood there."""
    days = [reading(NOW - number * DAY, mega=f"{12_000 - 1_000 * number}.50") for number in range(1, 11)]
    (mega,) = lines(link(level("mega", value="12000.50")), days, NOW, AXES)
    assert [one.text for one in mega.sums] == ["$2,500", "$5,000", "$7,500", "$10,000"]
    assert [one.at for one in mega.sums] == sorted((one.at for one in mega.sums), reverse=True)
    assert [one.text for one in mega.times] == ["2026-11-13", "2026-11-16", "2026-11-19"]
    day = (WIDTH - 2 * ROOM) / 10
    # It begins at seven in the morning of the 10th in New York.
    assert [one.at for one in mega.times] == [ROOM + int(day * (days - 7 / 24)) for days in (3, 6, 9)]
    assert [(spot.text, spot.at) for spot in mega.spots[-2:]] == [("11000.50", NOW - DAY), ("12000.50", NOW)]


def test_a_short_or_a_flat_line_has_a_grid_too() -> None:
    """S2: hours of one day; cents; one line where nothing moved. No more lines than a phone can label."""
    one = msgspec.structs.replace(link(level("mega", value="10.02", seed="10.00")), opened=NOW - DAY // 6)
    (mega,) = lines(one, [], NOW, AXES)
    assert [one.text for one in mega.sums] == ["$10.00", "$10.01", "$10.02"]
    assert [one.text for one in mega.times] == ["03:00", "04:00", "05:00", "06:00", "07:00"]
    (still,) = lines(link(level("mega")), [reading(NOW, mega="0.00")], NOW, AXES)
    assert [(one.at, one.text) for one in still.sums] == [(LOW, "$0.00")]
    for cents in range(1, 20_000, 37):
        for days in (1, 400, 4_000):
            given = level("mega", value=f"{cents // 100}.{cents % 100:02}", seed="0.00")
            begun = msgspec.structs.replace(link(given), opened=NOW - days * DAY)
            (drawn,) = lines(begun, [], NOW, AXES)
            assert 1 <= len(drawn.sums) <= TICKS_MAX
            assert 1 <= len(drawn.times) <= TICKS_MAX
