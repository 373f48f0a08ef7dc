"""Phrases: sentences of `templates` with their values, and their English.

What the journal and the state hold of a refusal, and of an alarm, is its template and its values. This
renders them for tables, programs and the readers of a journal; `config.phrases` does for pages.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, NamedTuple

import msgspec

from jackpot.rules.money import decimal
from jackpot.rules.templates import NAMED, TEMPLATES, Kind, Template

# What a refusal repeats of what was sent: enough to find the mistake.
QUOTED_MAX: Final = 64

# A refusal's text, in characters: it goes out in a frame and stands in a welcome.
MESSAGE_MAX: Final = 256

# Of several values so many are kept: with a character and a comma each, no text has room for more.
SEVERAL_MAX: Final = MESSAGE_MAX // 3

# How deep a phrase may stand in another one: a refusal, what is wrong with its signers, and how one came.
DEPTH_MAX: Final = 3

_CUT: Final = "..."
_NAME: Final = re.compile(r"\{(\w+)\}")


class Phrase(msgspec.Struct, frozen=True, gc=False):
    """A sentence by its template's id, with its values in the order of the template's fields."""

    template: str
    values: tuple["int | str | Phrase | tuple[int | str | Phrase, ...]", ...] = ()

    def __str__(self) -> str:
        return english(self.template, self.values)


Values = tuple[int | str | Phrase | tuple[int | str | Phrase, ...], ...]


def phrase(template: str, /, **values: Any) -> Phrase:
    """A phrase with these values, each cut where it is long."""
    return Phrase(template, kept(template, values))


class Fault(ValueError):
    """Something that the rules do not take; `phrase` says why, and its text in English."""

    def __init__(self, template: str, /, **values: Any) -> None:
        self.phrase = phrase(template, **values)
        super().__init__(str(self.phrase))


def kept(template: str, values: dict[str, Any]) -> Values:
    """The values in the order of the template's fields, as the journal keeps them."""
    found = []
    for name, most in _ROWS[template].kept:
        value = values[name]
        if type(value) is str:
            value = value[:most]
        elif type(value) is not int:
            value = _cut(value, most)
        found.append(value)
    return tuple(found)


def english(template: str, values: Sequence[Any]) -> str:
    """The English of a refusal: 1 to MESSAGE_MAX characters, the wrong field first.

    Values that do not fit the template, which no rule has made, are left out with its sentence.
    """
    try:
        kept, form, shows, places = _ROWS[template]
        if len(values) != len(kept):
            return bounded(template)
        told = [*values]
        for place, show in shows:
            told[place] = show(told[place])
        text = form % tuple(told if places is None else [told[place] for place in places])
        return text if len(text) <= MESSAGE_MAX else bounded(text)
    except (KeyError, ValueError, TypeError, AttributeError):
        return bounded(template) or _CUT


def field_of(template: str, values: Sequence[Any]) -> str:
    """Which field of the command is wrong; "" where the refusal is about none."""
    row = TEMPLATES[template]
    return str(values[row.names.index("field")]) if row.field == NAMED else row.field


def misfit(template: str, values: Sequence[Any], depth: int = 1) -> str | None:
    """Why no rule makes a phrase of this template with these values; None where one may."""
    row = TEMPLATES.get(template)
    if row is None:
        return f"there is no template {quoted(template)}"
    if len(row.fields) != len(values):
        return f"{template} has {len(row.fields)} values, not {len(values)}"
    for name, kind, value in zip(row.names, row.kinds, values, strict=True):
        if not isinstance(value, _TYPES[kind]):
            return f"{name} of {template} is no {kind}"
        if value != _cut(value, _chars_max(kind)):
            return f"{name} of {template} is longer than is kept"
        for one in value if isinstance(value, tuple) else (value,):
            if isinstance(one, Phrase) != (kind in ("phrase", "phrases")):
                return f"{name} of {template} is no {kind}"
            if isinstance(one, Phrase):
                wrong = misfit(one.template, one.values, depth + 1) if depth < DEPTH_MAX else "it is too deep"
                if wrong is not None:
                    return f"{name} of {template}: {wrong}"
    return None


def quoted(sent: str) -> str:
    """Quotes what was sent, cut where it is long."""
    return repr(sent[:QUOTED_MAX]) + (_CUT if len(sent) > QUOTED_MAX else "")


def bounded(message: str) -> str:
    """Cuts a refusal's text to its maximum."""
    return message if len(message) <= MESSAGE_MAX else message[: MESSAGE_MAX - len(_CUT)] + _CUT


def person(value: int | str) -> str:
    """A person, by number or by name."""
    return value if isinstance(value, str) else f"person {value}"


def _cut(value: Any, length: int) -> Any:
    if isinstance(value, str):
        return value if len(value) <= length else value[:length]
    if isinstance(value, list | tuple):
        return tuple([_cut(one, MESSAGE_MAX) for one in value[:SEVERAL_MAX]])
    return value


def _chars_max(kind: Kind) -> int:
    """How many characters of a text are kept: of what was typed one more than is told, so that it shows."""
    return QUOTED_MAX + 1 if kind == "quoted" else MESSAGE_MAX


def _nested(value: Phrase) -> str:
    return english(value.template, value.values)


def _list(values: Iterable[int | str | Phrase]) -> str:
    return ", ".join(map(str, values))


def _either(values: Iterable[int | str]) -> str:
    return " or ".join(map(str, values))


_SHOWS: Final[dict[Kind, Callable[[Any], str] | None]] = {
    "plain": None,
    "quoted": quoted,
    "person": person,
    "sum": decimal,
    "word": None,
    "phrase": _nested,
    "phrases": _list,
    "list": _list,
    "words": _list,
    "either": _either,
}
"""How a value of each kind is told in English; None for as it is."""

_TYPES: Final[dict[Kind, type | tuple[type, ...]]] = {
    "plain": (int, str),
    "quoted": str,
    "person": (int, str),
    "sum": int,
    "word": str,
    "phrase": Phrase,
    "phrases": tuple,
    "list": tuple,
    "words": tuple,
    "either": tuple,
}


class _Row(NamedTuple):
    """A template ready to be filled.

    kept: the name of each value, and how many characters of it are kept. form: its English, after the field
    that is wrong, with %s for each value. shows: the values that are not told as they are, and how.
    places: which value stands at each %s; None where they stand in the order of the fields.
    """

    kept: tuple[tuple[str, int], ...]
    form: str
    shows: tuple[tuple[int, Callable[[Any], str]], ...]
    places: tuple[int, ...] | None


def _compiled(row: Template) -> _Row:
    english = f"{row.field}: {row.english}" if row.field else row.english
    places = tuple(row.names.index(name) for name in _NAME.findall(english))
    shows = ((place, _SHOWS[kind]) for place, kind in enumerate(row.kinds))
    return _Row(
        tuple((name, _chars_max(kind)) for name, kind in zip(row.names, row.kinds, strict=True)),
        _NAME.sub("%s", english.replace("%", "%%")),
        tuple((place, show) for place, show in shows if show is not None),
        None if places == tuple(range(len(row.names))) else places,
    )


_ROWS: Final = {template: _compiled(row) for template, row in TEMPLATES.items()}
