"""Display settings of a link, their defaults and mistakes."""

from pathlib import Path

from jackpot.config import load
from jackpot.config.display import LEVEL_NAMES, LOGO_MAX, THEMES, titles_of
from tests.config.floor import WriteFloor, mistakes


def test_how_pages_show_a_link(floor: WriteFloor) -> None:
    """DESIGN config: a link's own display, else the site's, else a default; mistakes have their paths."""
    face = '[link.display]\ntitle = "Royal"\naccent = "#112233"\nlevels = { mega = "Grand" }\n'
    config = load(
        floor(
            ('[[link]]\nid = "bonus"', face + '[[link]]\nid = "bonus"'),
            ("[ledger]", 'background = "#445566"\n[ledger]'),
        )
    )
    five, bonus_ = config.displays["five"], config.displays["bonus"]
    assert (five.title, five.accent, five.background) == ("Royal", "#112233", "#445566")
    assert (five.levels["mega"], five.levels["minor"]) == ("Grand", "Minor")
    assert (bonus_.title, bonus_.background, bonus_.logo) == ("Bonus", "#445566", None)
    wrong = 'locale = "xx_YY"\nlogo = "keys/T01"\n[ledger]'
    assert mistakes(floor(("[ledger]", wrong))) == {
        "site.locale": "'xx_YY' is no locale, like en_US or de_AT",
        "site.logo": "T01 is no image that pages show: .svg, .png, .jpg, .jpeg, .webp",
    }


def test_a_link_has_its_own_brand(floor: WriteFloor) -> None:
    """Signs: colours by level, a language, sound; what cannot be read from afar is a warning."""
    face = (
        '[link.display]\nlocale = "es_MX"\nsound = true\nbackground = "#ffffff"\n'
        'levels = { minor = "Chico" }\ncolours = { major = "#101010" }\n'
    )
    config = load(floor(('[[link]]\nid = "bonus"', face + '[[link]]\nid = "bonus"')))
    five, bonus = config.displays["five"], config.displays["bonus"]
    assert (five.levels["major"], five.levels["minor"], bonus.levels["major"]) == ("Mayor", "Chico", "Major")
    assert (five.sound, bonus.sound, five.colours) == (True, False, {"major": "#101010"})
    unread = [line for line in config.warnings if "cannot be read" in line]
    assert [line.partition(" on the background #ffffff")[0] for line in unread] == [
        "link five: white text #ffffff",
        "link five: accent #f5c542",
    ]
    wrong = face.replace("es_MX", "xx_YY").replace("major =", "grand =") + 'font = "keys/T01"\n'
    assert mistakes(floor(('[[link]]\nid = "bonus"', wrong + '[[link]]\nid = "bonus"'))) == {
        "link[0].display.locale": "'xx_YY' is no locale, like en_US or de_AT",
        "link[0].display.font": "T01 is no font that pages show: .woff2",
        "link[0].display.colours": f"no paytable has a level grand, only {', '.join(LEVEL_NAMES)}",
    }


def test_a_theme_brings_its_colours(floor: WriteFloor, tmp_path: Path) -> None:
    """Signs: a link's theme, else the site's, else gold; its own colours override it; pictures are files."""
    face = '[link.display]\ntheme = "neon"\naccent = "#112233"\n[[link]]\nid = "bonus"'
    config = load(floor(('[[link]]\nid = "bonus"', face), ("[ledger]", 'theme = "red"\n[ledger]')))
    five, bonus = config.displays["five"], config.displays["bonus"]
    assert (five.theme, five.accent, five.background) == ("neon", "#112233", THEMES["neon"][1])
    assert (bonus.theme, bonus.accent, bonus.background) == ("red", *THEMES["red"])
    wrong = '[link.display]\ntheme = "pink"\npictures = ["none.webp", "keys/T01"]\n[[link]]\nid = "bonus"'
    found = mistakes(floor(('[[link]]\nid = "bonus"', wrong)))
    assert found["link[0].display.theme"] == "'pink' is not a theme: gold, neon, red or dark"
    assert found["link[0].display.pictures[0]"] == f"there is no file {tmp_path / 'none.webp'}"
    assert "T01 is no image that pages show" in found["link[0].display.pictures[1]"]


def test_links_of_one_title_are_told_apart(floor: WriteFloor) -> None:
    """Pages: people see a link's title, and its id where two are alike."""
    face = '[link.display]\ntitle = "{title}"\n[[link]]\nid = "bonus"'
    for title, told in (("Royal", ["Royal", "Bonus"]), ("Bonus", ["Bonus (five)", "Bonus (bonus)"])):
        displays = load(floor(('[[link]]\nid = "bonus"', face.format(title=title)))).displays
        assert [titles_of(displays)[link] for link in ("five", "bonus")] == told


def test_a_logo_that_is_too_large_is_refused(floor: WriteFloor, tmp_path: Path) -> None:
    """Signs: a logo of more than 4 MB is named with its size, and never cut."""
    logo = tmp_path / "large.png"
    with logo.open("wb") as file:
        file.truncate(LOGO_MAX)
    given = floor(("[ledger]", f'logo = "{logo}"\n[ledger]'))
    assert load(given).displays["five"].logo == logo
    with logo.open("r+b") as file:
        file.truncate(LOGO_MAX + 1)
    assert mistakes(given) == {
        "site.logo": "large.png is 4,194,305 bytes large: a logo has at most 4,194,304"
    }
