"""Signs and pages are translated completely into the languages that they offer."""

import ast
import re
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Final

import pytest
from jinja2 import nodes
from msgspec.structs import replace

from jackpot.catalogue import ids, load
from jackpot.config.languages import PAGES, REFUSALS, SIGNS, preferred, spoken, words
from jackpot.odds.analyses import analysis_of, wished
from jackpot.odds.analysis import AnalysisConditions, analyze
from jackpot.odds.mystery_analysis import MYSTERY
from jackpot.odds.output import as_html
from jackpot.odds.pictures import pictures
from jackpot.odds.sheets import SheetFormat
from jackpot.odds.subject import OperatorChoices, subject_of
from jackpot.rules.paytable import SEATS
from jackpot.text import FIELD, Sentence
from jackpot.text import game as game_name
from jackpot.web.sign_pages import templates
from tests.config import extraction
from tests.generated import WRITE_AGAIN

PAGES_OF = resources.files("jackpot.web").joinpath("pages")
OPS = [
    *PAGES_OF.joinpath("ops").iterdir(),
    PAGES_OF.joinpath("floor.html"),
    PAGES_OF.joinpath("nowhere.html"),
]
PARSER = templates()
# The names of formats, and examples of what is typed.
SAME_EVERYWHERE = {"CSV", "JSON", "validated", "H12"}


def in_braces(sentence: str) -> list[str]:
    return sorted(re.findall(r"{\w+}", sentence))


@cache
def said(kind: str) -> frozenset[tuple[str, str]]:
    """Every sentence of a catalogue, after its context."""
    return frozenset((one.context, one.text) for one in extraction.sentences(kind))


EACH = [(kind, language) for kind in extraction.KINDS for language in extraction.languages(kind)]


@pytest.mark.parametrize(("kind", "language"), EACH)
def test_every_sentence_is_in_every_catalogue(kind: str, language: str) -> None:
    """Signs, pages, refusals: each language says all that English does, with the same names in braces."""
    translated = extraction.catalogue(kind, language)
    assert said(kind) - translated.keys() == set()
    named = {key: in_braces(text) for key, text in translated.items() if not key[0]}
    assert [key for key, names in named.items() if names != in_braces(key[1])] == []
    assert words("de_AT", kind) == {}


@pytest.mark.parametrize(("kind", "language"), EACH)
def test_no_translation_is_of_a_sentence_that_is_gone(kind: str, language: str) -> None:
    """Signs, pages, refusals: what nothing says any more is in no catalogue."""
    assert extraction.catalogue(kind, language).keys() - said(kind) == set()


@pytest.mark.parametrize("kind", extraction.KINDS)
def test_translators_get_every_sentence_with_the_files_that_say_it(kind: str) -> None:
    """Languages: `python -m tests.generated` has been run since a sentence changed."""
    assert extraction.file(kind).read_text("utf-8") == extraction.template(kind), WRITE_AGAIN


def test_sentences_of_every_kind_are_found() -> None:
    """Languages: of a page, a script, a program, data, a refusal with a field and one with an id."""
    pages, signs, refusals = map(said, (PAGES, SIGNS, REFUSALS))
    for text in (
        "Not here",
        "{hit} is paid, form {document}.",
        "Validated by",
        "Link opened",
        "{count} wagers",
    ):
        assert ("", text) in pages
    assert ("", "Four of a kind") in signs
    assert ("", "Table {table}") in signs
    assert (FIELD, "given twice") in refusals
    assert ("link_not_known", "{link} is unknown; there is {links}") in refusals


def test_no_sentence_is_hidden_from_translators() -> None:
    """Languages: what is said is written where it is said, each side of a choice by itself."""
    hidden = [
        (file.name, text.value)
        for file in OPS
        for call in PARSER.parse(file.read_text()).find_all(nodes.Call)
        if isinstance(call.node, nodes.Name) and call.node.name == "say"
        for text in call.args[0].find_all(nodes.Const)
        if isinstance(text.value, str)
    ]
    for file in Path(str(resources.files("jackpot"))).rglob("*.py"):
        for made in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(made, ast.Call) and ast.unparse(made.func) in ("Sentence", "RefusalSentence"):
                hidden += [(file.name, ast.unparse(one)) for one in made.args if isinstance(one, ast.IfExp)]
    assert hidden == []


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


# Of a mystery link.
MUST_HIT_BY: Final = {"meter.seed": "10.00", "meter.must_hit_by": "20.00", "meter.primary": "10%"}


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

    manner = SheetFormat(say=say)
    for paytable in ids():
        subject = subject_of(paytable, OperatorChoices())
        for players in (1, SEATS[subject.game]):
            as_html(analyze(subject, AnalysisConditions(players=players)), manner)
        pictures(analyze(subject, AnalysisConditions(players=2)), manner=manner)
    for form in ("drawn", "committed"):
        mystery = wished(MYSTERY, OperatorChoices("5.00", figures=MUST_HIT_BY))
        terms = replace(mystery.terms, form=form)
        as_html(analysis_of(mystery._replace(terms=terms), AnalysisConditions()), manner)
    return asked, names


def test_the_lab_speaks_every_language_of_the_pages() -> None:
    """The lab: tables, titles, notes and the texts in pictures are told, all but names and sources."""
    asked, names = said_by_the_lab()
    asked = {text for text in asked if re.sub(r"{\w+}|\W", "", text)}
    assert {"Return of a wager at these meters", "of the wins", "Straight flush", "{level} meter"} <= asked
    spanish = words("es_MX", PAGES)
    assert asked - spanish.keys() == set()
    tables = [load(paytable) for paytable in ids()]
    titles = {f"{table.id}, {table.title}" for table in tables}
    quoted = {text for table in tables for text in ("; ".join(table.readings), table.catalogue_only)}
    ours = {name for name in names - titles - quoted if re.search("[a-z]{2}", name)}
    assert ours - spanish.keys() <= {game_name(game) for game in SEATS}


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
