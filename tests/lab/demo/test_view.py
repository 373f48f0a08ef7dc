"""The terminal view fits, and says how the cards are dealt."""

import io

import pytest
from rich.console import Console

from jackpot.lab.demo.house import BY_HAND, PLACES, SIGNS
from jackpot.lab.demo.scene import FloorEvent, Scene, TableLine, dollars
from jackpot.lab.demo.view import draw, plain

COLUMNS, LINES = 100, 30
NARROW, LOW = 80, 24


def busy_scene(lucky: int = 0) -> Scene:
    scene = Scene(seed=7, speed=20.0, lucky=lucky, address="127.0.0.1:45710")
    scene.meters = {
        ("floor-five", "mega"): 12_345_678,
        ("floor-five", "major"): 1_234_567,
        ("floor-five", "minor"): 123_456,
        ("floor-three", "meter"): 1_234_567,
    }
    scene.signs_online = dict.fromkeys(SIGNS.values(), True)
    for place in PLACES:
        scene.tables[place.table] = TableLine(
            place.table, place.game, place.link, "suspended", rounds=1234, wagers=123_456
        )
    scene.pages = tuple(
        f"http://127.0.0.1:45710/{path}" for path in ("", "ops", *SIGNS.values(), "sign/wall")
    )
    scene.people = tuple(
        f"{name} Abcdefghijkl" for name in ("admin-1", "admin-2", "cashier-1", "auditor-1", "ann")
    )
    for number in range(100):
        scene.hits.append(FloorEvent(f"T12.7 hit {number}", big=True))
        scene.acts.append(FloorEvent(f"paid H{number}"))
    return scene


def drawn(scene: Scene, columns: int = COLUMNS, lines: int = LINES) -> list[str]:
    out = io.StringIO()
    Console(file=out, width=columns, height=lines, force_terminal=False).print(draw(scene, columns))
    return [line.rstrip() for line in out.getvalue().splitlines()]


@pytest.mark.parametrize(("columns", "height"), [(COLUMNS, LINES), (NARROW, LOW)])
def test_a_busy_floor_fits_and_nothing_is_cut_off(columns: int, height: int) -> None:
    """80 columns by 24 lines hold big meters, long counts and who signs in; the rest is left out whole."""
    lines = drawn(busy_scene(), columns, height)
    text = "\n".join(lines)
    assert len(lines) == height
    assert max(map(len, lines)) <= columns
    assert "\N{HORIZONTAL ELLIPSIS}" not in text
    for shown in ("$123,456.78", "/ops  /", "ann Abcdefghijkl", "T12.7 hit", "paid H6"):
        assert shown in text
    assert text.count("suspended") == len(PLACES)
    assert ("123456" in text) == (columns == COLUMNS)
    assert lines[-1].endswith("Ctrl-C ends")


@pytest.mark.parametrize("height", [10, LOW, 60])
def test_it_fills_a_terminal_that_is_resized(height: int) -> None:
    """A terminal of any height is filled and not overrun; the meters are the last that go."""
    lines = drawn(busy_scene(), NARROW, height)
    assert len(lines) == height
    assert "$123,456.78" in "\n".join(lines)


def test_stacked_decks_are_said_to_be_stacked() -> None:
    """Nobody takes a demo of stacked decks for the odds of the game."""
    assert "honest decks" in drawn(busy_scene())[0]
    assert "one deck in 25 is STACKED" in drawn(busy_scene(lucky=25))[0]


def test_what_a_person_does_by_hand_is_not_cut_off() -> None:
    """A10: where nobody simulated pays, the steps stand above the tables in the smallest terminal."""
    scene = busy_scene()
    scene.by_hand = True
    scene.steps = ("a royal flush waits:", f"1. {'x' * (NARROW - 5)}")
    lines = drawn(scene, NARROW, LOW)
    assert set(scene.steps) <= {line.strip() for line in lines}
    assert "T01" in "".join(lines)
    assert "honest decks after one that is STACKED" in lines[0]
    assert "paid H6" not in "\n".join(lines)


def test_a_hit_that_waits_for_a_person_keeps_the_floor_quiet() -> None:
    """A10: nothing is printed under the steps until the table of the hit has played another round."""
    scene = busy_scene()
    waits = []
    for by_hand, rounds in ((False, 1), (True, 0), (True, 1), (True, 2)):
        scene.by_hand, scene.tables[BY_HAND.table].rounds = by_hand, rounds
        waits.append(scene.waits_for_hands())
    assert waits == [False, True, True, False]


def test_a_sign_that_is_offline_says_so() -> None:
    """S7: a value that may be old is not shown as if it were new."""
    scene = busy_scene()
    scene.signs_online["floor-three"] = False
    assert "floor-three (sign offline)" in "".join(drawn(scene))


def test_without_a_terminal_one_line_tells_the_floor() -> None:
    """Rounds, wagers and every meter, for a log."""
    line = plain(busy_scene())
    assert "\n" not in line
    assert "14,808 rounds" in line
    assert "floor-five.mega $123,456.78" in line


def test_sums_are_read_as_money() -> None:
    """M1: cents in the protocol, dollars and cents for people."""
    assert [dollars(cents) for cents in (0, 5, 1_000_000_09)] == ["$0.00", "$0.05", "$1,000,000.09"]
