"""Sentences of the rules' phrases, for pages and replies: each holds its parts, so that a page translates it.

Its English is what the rules render for tables.
"""

from collections.abc import Sequence
from typing import Any, Final

from jackpot.rules.money import decimal
from jackpot.rules.phrases import Phrase, bounded, field_of, misfit, quoted
from jackpot.rules.templates import TEMPLATES, Kind
from jackpot.text import RefusalSentence, Sentence, Sum, joined, one_of

# How a person is named where the name is not known.
PERSON: Final = "person {number}"


def sentence_of(template: str, values: Sequence[Any]) -> RefusalSentence:
    """The sentence of a refusal, or of a part of one."""
    if misfit(template, values) is not None:  # a row that no rule has made: it says which sentence it names
        return RefusalSentence("{id}", template=template, id=bounded(template))
    row, field = TEMPLATES[template], field_of(template, values)
    fields = zip(row.names, row.kinds, values, strict=True)
    named = {name: _value(kind, value) for name, kind, value in fields if name != "field"}
    return RefusalSentence(row.english, field=field, template=template, **named)


def sentence(phrase: Phrase, field: str = "") -> RefusalSentence:
    """The sentence of a phrase. field: which field of a request is wrong."""
    said = sentence_of(phrase.template, phrase.values)
    return RefusalSentence(said.plain, field=field or said.field, template=said.template, **said.values)


def unnamed(number: int) -> Sentence:
    """A person by number; `Directory.in_names` puts the name in its place."""
    return Sentence(PERSON, number=number)


def _value(kind: Kind, value: Any) -> object:
    """A value as the sentence has it; what is ours is a sentence itself."""
    match kind:
        case "quoted":
            return quoted(value)
        case "person":
            return value if isinstance(value, str) else unnamed(value)
        case "sum":
            return Sum(decimal(value))
        case "word":
            return Sentence(value)
        case "phrase":
            return sentence(value)
        case "phrases":
            return joined([sentence(one) for one in value])
        case "list":
            return ", ".join(map(str, value))
        case "words":
            return joined([Sentence(str(one)) for one in value])
        case "either":
            return either(value)
    return value


def either(words: Sequence[int | str]) -> str:
    """Words of ours of which one is enough."""
    return one_of([Sentence(str(one)) for one in words])
