"""Does the view fit a terminal, and does it say what is dealt?"""

import io

from rich.console import Console

from jackpot.lab.house import PLACES, SIGNS
from jackpot.lab.scene import ACTS_SHOWN, HITS_SHOWN, Happening, Scene, TableLine, dollars
from jackpot.lab.view import draw, plain

COLUMNS, LINES = 100, 30
NARROW = 80


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
    for number in range(2 * max(ACTS_SHOWN, HITS_SHOWN)):
        scene.hits.append(Happening(f"T12.7 hit {number}", big=True))
        scene.acts.append(Happening(f"paid H{number}"))
    return scene


def drawn(scene: Scene, columns: int = COLUMNS) -> str:
    out = io.StringIO()
    Console(file=out, width=columns, height=LINES, force_terminal=False).print(draw(scene, columns))
    return out.getvalue()


def test_a_busy_floor_fits_and_nothing_is_cut_off() -> None:
    """100 columns by 30 lines hold it all, big meters and long counts too."""
    text = drawn(busy_scene())
    lines = text.splitlines()
    assert len(lines) <= LINES
    assert max(map(len, lines)) <= COLUMNS
    assert "\N{HORIZONTAL ELLIPSIS}" not in text
    for shown in ("$123,456.78", "T12", "suspended", "123456", "hit 11", "paid H11"):
        assert shown in text


def test_the_usual_terminal_of_80_columns_cuts_nothing_off() -> None:
    """What does not fit is left out as a whole, not in the middle of a word."""
    lines = drawn(busy_scene(), NARROW).splitlines()
    assert max(map(len, lines)) <= NARROW
    assert not [line for line in lines if "\N{HORIZONTAL ELLIPSIS}" in line]
    assert "\n".join(lines).count("suspended") == len(PLACES)
    assert lines[-1].endswith("Ctrl-C ends")


def test_stacked_decks_are_said_to_be_stacked() -> None:
    """Nobody takes a demo of stacked decks for the odds of the game."""
    assert "honest decks" in drawn(busy_scene())
    assert "one deck in 25 is STACKED" in drawn(busy_scene(lucky=25))


def test_a_sign_that_is_offline_says_so() -> None:
    """S7: a value that may be old is not shown as if it were new."""
    scene = busy_scene()
    scene.signs_online["floor-three"] = False
    assert "floor-three (sign offline)" in drawn(scene)


def test_without_a_terminal_one_line_tells_the_floor() -> None:
    """Rounds, wagers and every meter, for a log."""
    line = plain(busy_scene())
    assert "\n" not in line
    assert "14,808 rounds" in line
    assert "floor-five.mega $123,456.78" in line


def test_sums_are_read_as_money() -> None:
    """M1: cents on the wire, dollars and cents for people."""
    assert [dollars(cents) for cents in (0, 5, 1_000_000_09)] == ["$0.00", "$0.05", "$1,000,000.09"]
