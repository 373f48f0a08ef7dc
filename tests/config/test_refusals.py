"""Refusals are translated into Spanish, each by its own form."""

import ast
import re
from collections.abc import Iterator, Sequence
from importlib import resources
from pathlib import Path

import pytest
from babel.messages.pofile import read_po

from jackpot.config.languages import OWN_MIN, PAGES, REFUSALS, answered, words
from jackpot.rules.codes import Code
from jackpot.text import words as as_words

CATALOGUE = resources.files("jackpot.config").joinpath("catalogues", REFUSALS, "es.po")
RULES = Path(str(resources.files("jackpot.rules")))
BRACES = re.compile(r"{[^}]*}")
# What refusing calls take: the place of the sentence among their arguments.
PLACE = {"refuse_if": 2, "Refusal": 1, "two_people": 1}
# They repeat another sentence, which is found by its own form; or the sender is no page.
PASSED_ON = {
    "by: {}",
    "by: {}; {}",
    "{}: missing {}; with `close` a seat left out has lost",
    "{}; it was taken before",
    "people are in bank {}, not in {}",
    "round: {} is not this table's unfinished round{}",
    "request {}: {}",
    "request {} waited {} ms only",
}


def entries() -> dict[str, str]:
    """By the English form, the Spanish one."""
    with CATALOGUE.open("rb") as lines:
        return {str(one.id): str(one.string) for one in read_po(lines) if one.id}


def filled_in(form: str) -> str:
    """A sentence of that form, with a value of its own for each name."""
    return BRACES.sub(lambda name: f"X{len(name[0])}{name[0][1]}", form)


def test_each_form_is_told_by_itself() -> None:
    """Refusals: a sentence of a form is told in that form's Spanish, with the same values."""
    left = {
        english: spanish for english, spanish in entries().items() if len(BRACES.sub("", english)) >= OWN_MIN
    }
    assert len(left) > 100
    for english, spanish in left.items():
        assert {*BRACES.findall(spanish)} <= {*BRACES.findall(english)}
        assert answered("es_MX", filled_in(english)) == filled_in(spanish), english


@pytest.mark.parametrize(
    ("english", "spanish"),
    [
        (
            "by: person 7 may not change parameters: only floor or admin may",
            "la persona 7 no puede hacer «Cambiar las condiciones»: solo puede sala o administración",
        ),
        ("award: A1 is paid, not validated", "A1 está pagado, no validado"),
        (
            "seat: H1 has no award for seat 3",
            "H1 no tiene nada para el asiento 3",
        ),
        (
            "two different people must confirm this: a link is closed",
            "deben confirmarlo dos personas distintas: se cierra un enlace",
        ),
        ("hit: there is no 'floor or admin'", "no hay ningún premio 'floor or admin'"),
        ("a sentence or another that nobody wrote", None),
    ],
)
def test_what_varies_is_told_too(english: str, spanish: str | None) -> None:
    """Refusals: roles, states and reasons within a sentence are Spanish; what was typed stays as it was."""
    assert answered("es_MX", english) == spanish
    assert answered("en_US", english) is None


def test_every_refusal_has_its_form() -> None:
    """Refusals: what rules say to people, and to tables, is in the catalogue: a report shows both."""
    known = {BRACES.sub("{}", english) for english in entries()}
    said = {
        (file.name, text) for file in RULES.rglob("*.py") for text in refusals(ast.parse(file.read_text()))
    }
    assert len(said) > 150
    assert sorted((name, text) for name, text in said if text not in known | PASSED_ON) == []


def test_every_code_of_a_refusal_has_its_name() -> None:
    """Refusals: the report of refusals names in Spanish why, too."""
    assert [code for code in Code if as_words(code) not in words("es", PAGES)] == []


def refusals(module: ast.Module) -> Iterator[str]:
    """The forms of the sentences of refusing calls, with nothing within the braces."""
    for function in ast.walk(module):
        if not isinstance(function, ast.FunctionDef):
            continue
        named = [
            (step.targets[0].id, step.value)
            for step in ast.walk(function)
            if isinstance(step, ast.Assign) and isinstance(step.targets[0], ast.Name)
        ]
        for call in ast.walk(function):
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in PLACE:
                yield from forms(call.args[PLACE[call.func.id]], named)


def forms(said: ast.expr, named: Sequence[tuple[str, ast.expr]]) -> Iterator[str]:
    """The forms that a sentence may have: of each value of a name, and of both sides of a choice."""
    if isinstance(said, ast.Constant) and isinstance(said.value, str):
        yield said.value
    elif isinstance(said, ast.JoinedStr):
        yield "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in said.values)
    elif isinstance(said, ast.Name):
        for name, value in named:
            if name == said.id:
                yield from forms(value, ())
