"""Refusals of commands: a template with its values; what each code means stands in codes.py."""

from typing import Any, Final

from jackpot.rules.codes import OF_FRAMES
from jackpot.rules.phrases import Phrase, english, kept
from jackpot.rules.signing import People
from jackpot.rules.templates import TEMPLATES

# What RULES gives to two different people.
TWO_PEOPLE: Final = 2

# The codes of tables' frames; WIRE states their order, and a frame is answered with the first that applies.
CODES: Final = tuple(code.value for code in OF_FRAMES)

# These use up no sequence number and mean: certainly not applied. They carry `expected`.
NOT_APPLIED: Final = frozenset(code.value for code, frame in OF_FRAMES.items() if not frame.uses)

# Hits that a refusal names. A round has fewer; the list of a table's hits is on the floor page.
HITS_TOLD_MAX: Final = 64


class Refusal(Exception):
    """A command is refused whole. hits: numbers of the hits that stand in the way, the first of them."""

    def __init__(self, sentence: str | Phrase, hits: tuple[int, ...] = (), /, **values: Any) -> None:
        """sentence: its phrase, or the template that these values belong to."""
        if isinstance(sentence, Phrase):
            self.template, self.values = sentence.template, sentence.values
        else:
            self.template, self.values = sentence, kept(sentence, values)
        code = TEMPLATES[self.template].code
        if code is None:
            raise ValueError(f"{self.template} is a part of other sentences")
        self.code = code
        self.hits = hits[:HITS_TOLD_MAX]

    @property
    def message(self) -> str:
        """The English of it."""
        return english(self.template, self.values)

    def __str__(self) -> str:
        return self.message


def refuse_if(condition: bool, template: str, /, **values: Any) -> None:
    """Raises the Refusal if the condition holds."""
    if condition:
        raise Refusal(template, **values)


def two_people(people: People, why: str | Phrase) -> None:
    """Requires two different people; refused as `two_people`. why: the reason, or its template."""
    if people.count() >= TWO_PEOPLE:
        return
    reason, fault = Phrase(why) if isinstance(why, str) else why, people.fault()
    if fault is None:
        raise Refusal("two_people", why=reason)
    raise Refusal("two_people_other", why=reason, fault=fault)
