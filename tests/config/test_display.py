"""How do pages show a link?"""

from jackpot.config import load
from tests.config.floor import WriteFloor, mistakes


def test_how_pages_show_a_link(floor: WriteFloor) -> None:
    """DESIGN config: a link's own face, else the site's, else a default; mistakes have their paths."""
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
