"""The table of templates: ids, codes and fields stay for ever, and every sentence is said somewhere."""

import ast
from functools import cache
from pathlib import Path
from typing import Final

import pytest

from jackpot.rules.codes import Code
from jackpot.rules.phrases import MESSAGE_MAX, Phrase, english, field_of, misfit, phrase
from jackpot.rules.refusal import Refusal
from jackpot.rules.templates import KINDS, NAMED, TEMPLATES

ROOT: Final = Path(__file__).parents[2]
# As `python -m tests.generated` writes them: id, code, and each field with its kind.
GOLDEN: Final = Path(__file__).with_name("templates.txt")
# How a call names its template: by the place of its argument.
CALLS: Final = {"Refusal": 0, "refuse_if": 1, "two_people": 1, "phrase": 0, "Fault": 0}
# Names of templates that are put together from a part that is not constant, as hits.py does.
PUT_TOGETHER: Final = frozenset(
    {
        "award_not_pending",
        "award_not_validated",
        "hit_has_nothing_pending",
        "hit_has_nothing_validated",
        "seat_has_nothing_pending",
        "seat_has_nothing_validated",
    }
)


def test_no_template_changes_its_code_or_its_fields() -> None:
    """S8: the journal holds ids and values for ever: one is added, and none is changed or used again."""
    then = dict(line.split(" ", 1) for line in GOLDEN.read_text("utf-8").splitlines())
    now = dict(line.split(" ", 1) for line in lines())
    assert {id_: now.get(id_) for id_ in then} == then
    assert now == then, "a new template is not in the golden list: python -m tests.generated"


def lines() -> list[str]:
    """What of a template never changes, a line each, in the order of the table."""
    return [" ".join((id_, row.code or "-", row.field or "-", *row.fields)) for id_, row in TEMPLATES.items()]


def text() -> str:
    """The golden list, as it should be."""
    return "".join(f"{line}\n" for line in lines())


@pytest.mark.parametrize("id_", TEMPLATES)
def test_a_template_says_all_of_its_values(id_: str) -> None:
    """Refusals: each field has a kind and stands in the English, and nothing else stands there in braces."""
    row = TEMPLATES[id_]
    assert len(row.kinds) == len(row.names)
    assert set(row.kinds) <= set(KINDS)
    told = row.english + row.field
    assert all(f"{{{name}}}" in told for name in row.names)
    assert told.count("{") == len(row.names)
    assert (row.field == NAMED) == ("field" in row.names)


@pytest.mark.parametrize("id_", TEMPLATES)
def test_every_template_is_rendered(id_: str) -> None:
    """WIRE frames: 1 to 256 characters, the wrong field first; a part of other sentences refuses nothing."""
    row, said = TEMPLATES[id_], sample(id_)
    assert misfit(said.template, said.values) is None
    text = english(said.template, said.values)
    assert 1 <= len(text) <= MESSAGE_MAX
    assert text.startswith(f"{field_of(said.template, said.values)}: " if row.field else "")
    if row.code is None:
        with pytest.raises(ValueError, match=id_):
            Refusal(said)
    else:
        assert (Refusal(said).code, Refusal(said).message) == (row.code, text)


def sample(id_: str) -> Phrase:
    """A phrase of that template, with a value of each kind."""
    row = TEMPLATES[id_]
    values = {
        "plain": "N1",
        "quoted": "typed",
        "person": 7,
        "sum": 1_230_000,
        "word": "floor",
        "phrase": phrase("why_link_closed"),
        "phrases": [phrase("alarm_failures", count=2), phrase("alarm_number_used", number=3)],
        "list": ["H1", "H2"],
        "words": ["floor", "cage"],
        "either": ["floor", "admin"],
    }
    return phrase(id_, **{name: values[kind] for name, kind in zip(row.names, row.kinds, strict=True)})


def test_what_no_rule_has_made_is_found() -> None:
    """S8: an unknown template, too few values, one of another kind, one that is longer than is kept."""
    for template, values in (
        ("nothing", ()),
        ("seat_settled_already", ()),
        ("seat_settled_already", (1, 2)),
        ("hit_unknown", (3,)),
        ("two_people", ("why_link_closed",)),
        ("two_people", (Phrase("nothing"),)),
        ("hit_unknown", ("H" * 66,)),
        ("bank_hits_stand", (("H1",) * 1_000,)),
        ("bank_hits_stand", ((phrase("why_link_closed"),),)),
        ("alarm_left", (("A1",),)),
        ("alarm_left", ((Phrase("nothing"),),)),
    ):
        assert misfit(template, values) is not None, template
        assert 1 <= len(english(template, values)) <= MESSAGE_MAX, "a reader is told something all the same"
    alike = phrase("made_without_server", person=1)
    for _ in range(5):
        alike = Phrase("same_origin", (alike, 2))
    assert misfit(alike.template, alike.values) is not None, "no phrase is so deep"


def test_every_call_names_a_template_with_its_values() -> None:
    """Refusals: no path refuses with a template that is not there, or with other values."""
    assert len(calls()) > 200
    for where, template, names, starred in calls():
        assert template in TEMPLATES, where
        known = set(TEMPLATES[template].names)
        assert set(names) <= known if starred else set(names) == known, f"{where}: {template}"


def test_every_template_is_said() -> None:
    """Refusals, alarms: a sentence that no rule says is a mistake of the table."""
    constants = {
        node.value
        for file in (ROOT / "jackpot" / "rules").rglob("*.py")
        if file.name != "templates.py"
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    assert {*TEMPLATES} - constants - PUT_TOGETHER == set()


@cache
def calls() -> list[tuple[str, str, tuple[str, ...], bool]]:
    """Each call that names its template: where, which, the names of its values, whether more are added."""
    found = []
    for file in (ROOT / "jackpot").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in CALLS):
                continue
            place = CALLS[node.func.id]
            if len(node.args) <= place:
                continue
            names = tuple(each.arg for each in node.keywords if each.arg is not None)
            starred = len(names) < len(node.keywords)
            said = node.args[place]
            either = [said.body, said.orelse] if isinstance(said, ast.IfExp) else [said]
            found += [
                (f"{file.name}:{node.lineno}", str(one.value), names, starred)
                for one in either
                if isinstance(one, ast.Constant)
            ]
    return found


def test_a_value_that_was_cut_shows_it() -> None:
    """WIRE frames: at most 64 characters of what was sent are repeated."""
    long = Refusal("hit_unknown", hit="H" * 70)
    assert long.values == ("H" * 65,)
    assert long.message == f"hit: there is no '{'H' * 64}'..."
    assert Refusal("hit_unknown", hit="H" * 64).message == f"hit: there is no '{'H' * 64}'"


def test_how_each_kind_of_value_is_told() -> None:
    """WIRE table commands: the field first, what was sent quoted, sums with their cents, people by number."""
    for refusal, text in (
        (Refusal("no_bets"), "bets: at least one"),
        (Refusal("frame_malformed", field="seat", complaint="missing"), "seat: missing"),
        (
            Refusal("amount_not_exact", amount=5, link="L", exact=100),
            "amount: 5 cents; link L takes exactly 100",
        ),
        (Refusal("link_closed", field="to", link="L"), "to: L has ended"),
        (
            Refusal("meter_below_zero", account="primary", held=12_345_678),
            "amount: the primary holds 12.345678, and nothing ends below zero",
        ),
        (
            Refusal("may_not", person=7, act="pay", power=("floor", "cage")),
            "by: person 7 may not pay: only floor or cage may",
        ),
        (
            Refusal(
                "two_people_other",
                why=phrase("why_link_closed"),
                fault=phrase("password_by_code", person=4, giver=3),
            ),
            (
                "two different people must confirm this: a link is closed "
                "(person 4 chose their password with a code from person 3)"
            ),
        ),
    ):
        assert refusal.message == text
    assert Refusal("no_bets").code is Code.BAD_MESSAGE


if __name__ == "__main__":
    GOLDEN.write_text(text(), "utf-8")
