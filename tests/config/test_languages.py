"""Signs and pages are translated completely into the languages that they offer."""

import ast
import re
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import get_args

import pytest
from jinja2 import nodes
from msgspec import Struct

from jackpot.api.suspension_help import REMEDIES
from jackpot.auth.auth_service import NOBODY_YET, NOT_RIGHT, SESSION_OVER, SHUT
from jackpot.catalogue import ids, load
from jackpot.config.languages import PAGES, preferred, spoken, words
from jackpot.odds.analysis import Tonight, analyze
from jackpot.odds.output import as_html
from jackpot.odds.pictures import pictures
from jackpot.odds.sheets import Manner
from jackpot.odds.subject import Wish, subject_of
from jackpot.reports.entry_text import NOT_ABOUT
from jackpot.reports.registry import REPORTS
from jackpot.rules import alarms, registry
from jackpot.rules.acts import ACTS
from jackpot.rules.codes import OF_ACTS
from jackpot.rules.paytable import SEATS, LevelTerms, LinkTerms, TableTerms
from jackpot.rules.signing import ROLES, Means
from jackpot.rules.views import WAITING
from jackpot.text import CONTEXT_ENDS, Sentence, several
from jackpot.text import game as game_name
from jackpot.text import words as as_words
from jackpot.web.act_labels import CAUSES, DOINGS, WAITS
from jackpot.web.authentication import HOW_TO_BE_SAFE
from jackpot.web.floor_alerts import OFFLINE
from jackpot.web.overview import ALARMS, HERE, HITS, REQUESTS
from jackpot.web.pages_base import FIELDS, LISTS
from jackpot.web.reports import ASKED
from jackpot.web.sign_pages import templates

STATIC = resources.files("jackpot.web").joinpath("static")
PAGES_OF = resources.files("jackpot.web").joinpath("pages")
OPS = [
    *PAGES_OF.joinpath("ops").iterdir(),
    PAGES_OF.joinpath("floor.html"),
    PAGES_OF.joinpath("nowhere.html"),
]
PARSER = templates()
# The names of formats, and examples of what is typed.
SAME_EVERYWHERE = {"CSV", "JSON", "validated", "H12"}
# Fields of an event that `telling.about` puts otherwise than as their name and their value.
PUT_OTHERWISE = {
    "amount", "award", "awards", "bet", "board", "closing", "command", "dealer", "hit", "hits", "left",
    "level", "link", "links", "locking", "made", "meters", "person", "recount", "shown", "table", "tax_from",
    "to", "version", "serves",
}  # fmt: skip


def in_braces(sentence: str) -> list[str]:
    return sorted(re.findall(r"{\w+}", sentence))


def said_by_pages() -> Iterator[str]:
    """Every sentence that a template says: both sides of a choice, and all rows of a list."""
    for file in OPS:
        tree = PARSER.parse(file.read_text())
        for call in _calls(tree, "say"):
            yield from _texts(call.args[0])
        for pair in tree.find_all(nodes.Tuple):  # of the menu: an address and its name
            texts = [item.value for item in pair.items if isinstance(item, nodes.Const)]
            if texts and str(texts[0]).startswith("/ops"):
                yield texts[1]
        for loop in tree.find_all(nodes.For):
            yield from _of_list(loop)


def _calls(tree: nodes.Node, name: str) -> Iterator[nodes.Call]:
    for call in tree.find_all(nodes.Call):
        if isinstance(call.node, nodes.Name) and call.node.name == name:
            yield call


def _of_list(loop: nodes.For) -> Iterator[str]:
    """What a loop over rows that are written there says of each."""
    if not (isinstance(loop.iter, nodes.List) and isinstance(loop.target, nodes.Tuple)):
        return
    named = [item.name for item in loop.target.items if isinstance(item, nodes.Name)]
    said = {call.args[0].name for call in _calls(loop, "say") if isinstance(call.args[0], nodes.Name)}
    for row in loop.iter.items:
        if isinstance(row, nodes.Tuple):
            found = zip(named, row.items, strict=True)
            yield from (text for name, item in found if name in said for text in _texts(item))


def written_in(tree: nodes.Node) -> str:
    """What stands in a template itself, its tags with it, without what it says and works out."""
    if isinstance(tree, nodes.TemplateData):
        return tree.data
    inner = (nodes.Stmt, nodes.Output, nodes.TemplateData)
    return "".join(written_in(child) for child in tree.iter_child_nodes() if isinstance(child, inner))


def test_no_page_is_written_in_one_language_alone() -> None:
    """Pages: what people read on them is said, so that a catalogue can say it otherwise."""
    for file in OPS:
        written = written_in(PARSER.parse(file.read_text()))
        labels = re.findall(r'(?:aria-label|placeholder|data-label|alt)="([^"]*)"', written)
        texts = [*re.sub(r"<[^>]*>", "|", written).split("|"), *labels]
        left = {text.strip() for text in texts if re.search(r"[A-Za-z]{2}", text)}
        assert left <= SAME_EVERYWHERE, file.name


def _texts(said: nodes.Expr) -> Iterator[str]:
    if isinstance(said, nodes.Const):
        yield said.value
    elif isinstance(said, nodes.CondExpr):
        yield from _texts(said.expr1)
        assert said.expr2 is not None
        yield from _texts(said.expr2)


def test_every_sentence_of_a_sign_is_in_every_catalogue() -> None:
    """Signs: Spanish says all that English does, with the same names in braces."""
    texts = [file.read_text() for file in STATIC.iterdir() if file.name.endswith(".js")]
    sentences = {sentence for text in texts for sentence in re.findall(r'\bsay\("([^"]+)"', text)}
    paytables = resources.files("jackpot").joinpath("schemas/paytables")
    rows = "".join(file.read_text() for file in paytables.iterdir())
    hands = set(re.findall(r'\{ hand = "([a-z-]+)"', rows))
    assert len(sentences) > 5
    assert len(hands) > 5
    spanish = words("es_MX")
    assert sentences | {hand.capitalize().replace("-", " ") for hand in hands} <= spanish.keys()
    plain = {english: said for english, said in spanish.items() if CONTEXT_ENDS not in english}
    assert [english for english, said in plain.items() if in_braces(english) != in_braces(said)] == []
    assert words("de_AT") == {}


def calls(package: str) -> Iterator[tuple[str, list[ast.expr]]]:
    """Every call of something by its name in the files of a package, with what it is given."""
    for file in Path(str(resources.files(package))).rglob("*.py"):
        for call in ast.walk(ast.parse(file.read_text())):
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Name):
                yield call.func.id, call.args


def made_by_programs() -> Iterator[str]:
    """Every plain sentence of a Sentence that a page's program makes."""
    for name, given in calls("jackpot.web"):
        if name == "Sentence":
            yield from (
                each.value for each in given if isinstance(each, ast.Constant) and isinstance(each.value, str)
            )
    yield from (*CAUSES.values(), *REMEDIES.values())
    yield from (text for kind in alarms.KINDS.values() for text in kind)
    yield from (text for pair in (*OFFLINE.values(), *HERE.values(), HITS, REQUESTS, ALARMS) for text in pair)


def said_by_books() -> Iterator[str]:
    """What reports and papers say: columns, facts, sentences, and what names of the journal are called."""
    for name, given in calls("jackpot.reports"):
        yield from _of_call(name, given)
    for report in REPORTS.values():
        yield from (*(as_words(column.name) for column in report.columns), *report.lines, *report.copies)
    yield from (as_words(registry.name_of(kind)) for kind in registry.KINDS)
    yield from (as_words(name) for name in (*alarms.KINDS, *(act.name for act in ACTS)))
    yield from (*alarms.KINDS, *get_args(Means), "raised", "struck", "voided")
    told: list[type[Struct]] = [*registry.KINDS.values(), TableTerms, LinkTerms, LevelTerms]
    fields = {name for event in told for name in event.__struct_fields__}
    yield from (name.replace("_", " ") for name in fields - {*NOT_ABOUT, *PUT_OTHERWISE})


def said_by_the_lab() -> tuple[set[str], set[str]]:
    """What it asks the catalogue for of every paytable, on its page, on paper and in its pictures.

    The second: what it says that is no sentence of ours, but a name, a sum or a source.
    """
    asked, names = set[str](), set[str]()

    def plain(text: str) -> str:
        asked.add(text)
        return text

    def say(text: str) -> str:
        if isinstance(text, Sentence):
            return text.told(plain)
        names.add(text)
        return text

    manner = Manner(say=say)
    for paytable in ids():
        subject = subject_of(paytable, Wish())
        for players in (1, SEATS[subject.game]):
            as_html(analyze(subject, Tonight(players=players)), manner)
        pictures(analyze(subject, Tonight(players=2)), manner=manner)
    return asked, names


def test_the_lab_speaks_every_language_of_the_pages() -> None:
    """The lab: tables, titles, notes and the texts in pictures are told, all but names and sources."""
    asked, names = said_by_the_lab()
    for name, given in calls("jackpot.odds"):
        if name == "Sentence":
            asked |= set(_of_call(name, given))
    asked = {text for text in asked if re.sub(r"{\w+}|\W", "", text)}
    assert {"Return of a wager at these meters", "of the wins", "Straight flush", "{level} meter"} <= asked
    spanish = words("es_MX", PAGES)
    assert asked - spanish.keys() == set()
    titles = {f"{load(paytable).id}, {load(paytable).title}" for paytable in ids()}
    ours = {name for name in names - titles if re.search("[a-z]{2}", name)}
    assert ours - spanish.keys() <= {game_name(game) for game in SEATS}


def _of_call(name: str, args: list[ast.expr]) -> Iterator[str]:
    texts = [
        text.value
        for arg in args
        for text in ((arg.body, arg.orelse) if isinstance(arg, ast.IfExp) else (arg,))
        if isinstance(text, ast.Constant) and isinstance(text.value, str)
    ]
    if name == "Sentence":
        yield from texts
    elif name in ("named", "Fact", "ReportColumn"):
        yield from map(as_words, texts[:1])
    elif name == "several":
        yield from (
            sentence for what in texts for sentence in (several(1, what).plain, several(2, what).plain)
        )


def test_every_sentence_of_the_books_is_in_every_catalogue() -> None:
    """Reports, papers and the journal's entries are read in one's own language, all of them."""
    sentences = {text for text in said_by_books() if re.sub(r"{\w+}|\W", "", text)}
    assert {"rows {first} to {last}", "Validated by", "Link opened", "{count} wagers"} <= sentences
    spanish = words("es_MX", PAGES)
    assert sentences - spanish.keys() == set()


def test_every_sentence_of_a_page_is_in_every_catalogue() -> None:
    """Pages: what templates say, what a refusal means and what one does then, roles and states of awards."""
    sentences = set(said_by_pages())
    assert {"Hits", "{count} hits wait for people", "Not here"} <= sentences
    sentences |= {text for act in OF_ACTS.values() for text in (act.means, act.then)}
    sentences |= {*ROLES, *WAITING, "paid", "undone", "final", *LISTS.values()}
    sentences |= {text for report in REPORTS.values() for text in (report.title, report.help)}
    sentences |= {*FIELDS.values(), WAITS, *(text for doing in DOINGS.values() for text in doing)}
    sentences |= {label for fields in ASKED.values() for _, label in fields}
    sentences |= {NOBODY_YET, NOT_RIGHT, SESSION_OVER, SHUT, HOW_TO_BE_SAFE}
    told = {text for text in made_by_programs() if re.sub(r"{\w+}|\W", "", text)}
    assert {"{hit} is paid, form {document}.", "Tables {names} are offline"} <= told
    sentences |= told
    spanish = words("es_MX", PAGES)
    assert sentences - spanish.keys() == set()
    plain = {english: said for english, said in spanish.items() if CONTEXT_ENDS not in english}
    assert [english for english, said in plain.items() if in_braces(english) != in_braces(said)] == []


@pytest.mark.parametrize(
    ("asked", "site", "language"),
    [
        ("", "en_US", "en-US"),
        ("", "es_MX", "es-MX"),
        ("es", "en_US", "es"),
        ("es-MX,es;q=0.9,en;q=0.8", "en_US", "es-MX"),
        ("de-AT,de;q=0.9,es;q=0.3,en;q=0.5", "es_MX", "en"),
        ("de-AT", "es_MX", "es-MX"),
        ("en;q=0, es_MX; q=0.1", "en_US", "es-MX"),
        ("*;q=1,;;;q=a,es-\x00,q,xx-XX", "en_US", "en-US"),
        (",".join(["de"] * 100 + ["es"]), "en_US", "en-US"),
    ],
)
def test_the_browser_is_asked_first_and_then_the_site(asked: str, site: str, language: str) -> None:
    """Pages: the first language that the browser likes and we speak; what cannot be read asks for nothing."""
    assert preferred(asked, site) == language


def test_a_page_says_the_language_that_it_is_in() -> None:
    """Signs: a locale whose language has no catalogue is spoken in English, and is said to be."""
    assert (spoken("es_MX"), spoken("en_GB"), spoken("de_AT")) == ("es-MX", "en-GB", "en")


def test_a_made_up_locale_gets_no_page_of_its_own() -> None:
    """Misuse: pages are kept by language, and anybody may ask for one."""
    made_up = [
        f"{name}{number}" for name in ("es.x", "es@x", "es-MX-v000", "en-US-v000") for number in range(300)
    ]
    assert {preferred(name, "en_US") for name in made_up} <= {"es", "es-MX", "en", "en-US"}
    assert preferred("ES-mx", "en_US") == "es-MX"
