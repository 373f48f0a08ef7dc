"""Refusals are told in every language: each template by its id, and the server's own sentences."""

import re

import pytest

from jackpot.config.languages import PAGES, REFUSALS, is_told, translate, words
from jackpot.config.phrases import sentence, sentence_of
from jackpot.rules.codes import Code
from jackpot.rules.phrases import english, phrase
from jackpot.rules.refusal import Refusal
from jackpot.rules.templates import TEMPLATES
from jackpot.text import without_rules
from jackpot.text import words as as_words
from tests.config.extraction import catalogue, languages
from tests.rules.test_templates import sample

NAMES = re.compile(r"{(\w+)}")


@pytest.mark.parametrize("id_", TEMPLATES)
@pytest.mark.parametrize("language", languages(REFUSALS))
def test_every_template_is_rendered_in_every_language(language: str, id_: str) -> None:
    """Refusals: pages say each in their own words, with the same values; its English is that of the wire."""
    row, said = TEMPLATES[id_], sample(id_)
    own = catalogue(REFUSALS, language)[id_, row.english]
    assert {*NAMES.findall(own)} <= {*row.names, "field"}
    shown = sentence(said)
    assert str(shown) == english(said.template, said.values)
    assert is_told(language, shown)
    text = translate(language, shown)
    assert "{" not in text
    assert text[:1].strip()
    assert translate("en", shown) == shown or without_rules(row.english) != row.english


@pytest.mark.parametrize(
    ("refusal", "spanish"),
    [
        (
            Refusal("may_not", person=7, act="change parameters", power=("floor", "admin")),
            "la persona 7 no puede hacer «Cambiar las condiciones»: solo puede sala o administración",
        ),
        (Refusal("award_not_validated", award="A1", status="paid"), "A1 está pagado, no validado"),
        (Refusal("hit_has_no_award_of_seat", hit=1, seat=3), "H1 no tiene ningún premio para el asiento 3"),
        (
            Refusal("two_people", why=phrase("why_link_closed")),
            "deben confirmarlo dos personas distintas: se cierra un progresivo",
        ),
        (Refusal("hit_unknown", hit="floor or admin"), "no hay ningún acierto 'floor or admin'"),
        (Refusal("link_open_already", link="paid"), "el progresivo paid ya está abierto"),
        (
            Refusal("tax_form_incomplete", field="tax_number"),
            "falta «tax_number»: un formulario fiscal tiene nombre y número",
        ),
        (Refusal("round_has_ended"), "la ronda ya terminó"),
        (Refusal("session_ended"), "la sesión terminó"),
    ],
)
def test_what_varies_is_told_too(refusal: Refusal, spanish: str) -> None:
    """Refusals: roles, states and reasons within a sentence are Spanish; what was typed, and ids, stay."""
    shown = sentence_of(refusal.template, refusal.values)
    assert translate("es_MX", shown) == spanish
    assert not is_told("en_US", shown)


def test_a_row_that_no_rule_has_made_is_shown_all_the_same() -> None:
    """Refusals: a report of a journal with a template or values of nobody says which template it names."""
    for template, values in (("nothing", ()), ("hit_unknown", ())):
        shown = sentence_of(template, values)
        assert shown == english(template, values) == translate("es", shown) == template


def test_every_code_of_a_refusal_has_its_name() -> None:
    """Refusals: the report of refusals names in Spanish why, too."""
    assert [code for code in Code if as_words(code) not in words("es", PAGES)] == []
