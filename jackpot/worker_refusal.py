"""Refusal of a worker process: its code, and its sentence as data, so that a page says it in its language."""

from typing import Self

import msgspec

from jackpot.rules.codes import Code
from jackpot.text import RefusalSentence, Sentence


class SentenceData(msgspec.Struct, frozen=True, omit_defaults=True):
    """A sentence in JSON; plain, values, field and template as of `RefusalSentence`."""

    plain: str
    values: dict[str, "int | str | SentenceData"] = {}
    field: str = ""
    template: str = ""

    @classmethod
    def of(cls, sentence: Sentence) -> Self:
        """The data of a sentence; values that are neither numbers nor sentences become texts."""
        values = {name: _data(value) for name, value in sentence.values.items()}
        if isinstance(sentence, RefusalSentence):
            return cls(sentence.plain, values, sentence.field, sentence.template)
        return cls(sentence.plain, values)

    def sentence(self) -> RefusalSentence:
        """The sentence itself."""
        values = {
            name: value.sentence() if isinstance(value, SentenceData) else value
            for name, value in self.values.items()
        }
        return RefusalSentence(self.plain, field=self.field, template=self.template, **values)


class WorkerRefusal(msgspec.Struct, frozen=True):
    """Why a worker does not do what it was asked for. code: as of a refused act."""

    code: Code
    said: SentenceData

    @classmethod
    def of(cls, code: Code, sentence: Sentence) -> Self:
        """The refusal with that code, which says this."""
        return cls(code, SentenceData.of(sentence))


def _data(value: object) -> int | str | SentenceData:
    if isinstance(value, Sentence):
        return SentenceData.of(value)
    return value if isinstance(value, int) else str(value)
