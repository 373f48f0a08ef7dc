"""Line numbers of a configuration's tables and settings, however TOML writes them."""

import tomllib
from typing import Final

from jackpot.config import ConfigErrors
from jackpot.config.lines import line_of, lines_of

TEXT: Final = """\
title.of = "all"   # 1
[site]
name = "Riverside" # [not.a.table]
hours = [
  "06:00",
]
[ listen . tls ]
cert = "tls/server.pem"
[[link]]
id = "five"
display = { title = "Five", theme = "gold" }
[link.level.mega]
seed = "1.00"
[[link]]
id = "six"
[link.level.mega]
seed = "2.00"
"odd name" = 1
"""


def test_each_table_and_setting_has_its_line() -> None:
    """DESIGN, config: tables, their parts, the newest of many, dotted names; not comments or lists."""
    assert list(tomllib.loads(TEXT)) == ["title", "site", "listen", "link"]
    assert lines_of(TEXT) == {
        "title": 1,
        "title.of": 1,
        "site": 2,
        "site.name": 3,
        "site.hours": 4,
        "listen.tls": 7,
        "listen.tls.cert": 8,
        "link[0]": 9,
        "link[0].id": 10,
        "link[0].display": 11,
        "link[0].level.mega": 12,
        "link[0].level.mega.seed": 13,
        "link[1]": 14,
        "link[1].id": 15,
        "link[1].level.mega": 16,
        "link[1].level.mega.seed": 17,
    }


def test_what_has_no_line_is_of_what_is_around_it() -> None:
    """DESIGN, config: a missing setting, one of an inline table, an element; nothing of an unknown table."""
    lines = lines_of(TEXT)
    paths = (
        "site.currency",
        "link[0].display.theme",
        "site.hours[0]",
        "link[1].level.mega.limit",
        "heads.key",
    )
    assert [line_of(path, lines) for path in paths] == [2, 11, 4, 16, None]


def test_a_mistake_is_told_by_its_name_and_its_line() -> None:
    """DESIGN, config: the place, then what a sentence names, each with a line where there is one."""
    names = {"link[0]": 'link "five"', "link[1]": "link number 2"}
    told = [
        ("", "unreadable"),
        ("site.name", "is missing"),
        ("link[1].level.mega.seed", "is not a sum"),
        ("link", "the id five is given to 2 of them: link[0], link[1]."),
        ("udp_sign[0].links", "there is no link ten"),
    ]
    assert str(ConfigErrors(told, names, lines_of(TEXT))).splitlines() == [
        "unreadable",
        "site.name (line 3): is missing",
        "link number 2 level.mega.seed (line 17): is not a sum",
        'link: the id five is given to 2 of them: link "five" (line 9), link number 2 (line 14).',
        "udp_sign[0].links: there is no link ten",
    ]
