"""Human-readable texts of counts, names, cards and certificate errors, for commands, pages and logs."""

import re
import ssl
from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import Final, Self

# OpenSSL's X509_V_ERR_ numbers: a name or an address that the certificate has not; too early, too late.
_OTHER_NAME: Final = frozenset({62, 64})
_OTHER_TIME: Final = frozenset({9, 10})

# Between the context of a sentence and the sentence, in the key of a catalogue, as gettext has it.
CONTEXT_ENDS: Final = "\x04"
# The context of sentences about a field that are no template's.
FIELD: Final = "field"

_SUITS: Final = {
    "s": "\N{BLACK SPADE SUIT}",
    "h": "\N{BLACK HEART SUIT}",
    "d": "\N{BLACK DIAMOND SUIT}",
    "c": "\N{BLACK CLUB SUIT}",
}
_BRACES: Final = re.compile(r"\{(\w+)\}")
# Rules that a sentence of ours cites, such as " (T10)", " (L3-L7)" or " (B1, B2)".
_RULES: Final = re.compile(r" \([A-Z]\d{1,2}(?:(?:, |-)[A-Z]\d{1,2})*\)")


class Sum(str):
    """A sum of money as programs read it, a decimal; a page writes it as its site does."""

    __slots__ = ()


class Sentence(str):
    """An English sentence with values, that can be translated.

    plain: the sentence with its names in braces. values: what stands there; some are sentences themselves.
    """

    __slots__ = ("plain", "values")
    plain: str
    values: Mapping[str, object]

    def __new__(cls, plain: str, /, **values: object) -> Self:
        made = super().__new__(cls, filled(plain, values))
        made.plain, made.values = plain, values
        return made

    @property
    def key(self) -> str:
        """Its key in a catalogue: the plain sentence, after its context where it has one."""
        return self.plain

    @property
    def english_values(self) -> dict[str, int | str]:
        """The values as programs get them: numbers, and texts in English."""
        return {name: value if isinstance(value, int) else str(value) for name, value in self.values.items()}

    def told(self, say: Callable[[str], str]) -> str:
        """The sentence for a page, in its language. say: the translation of each sentence, by its key."""
        values = {
            name: value.told(say) if isinstance(value, Sentence) else value
            for name, value in self.values.items()
        }
        return filled(without_rules(say(self.key)), values)

    def renamed(self, name: Callable[["Sentence"], object]) -> Self:
        """The sentence with other values. name: what stands in place of each sentence among
        them, or that sentence itself.
        """
        values = dict(self.values)
        for each, value in self.values.items():
            if isinstance(value, Sentence):
                called = name(value)
                values[each] = value.renamed(name) if called is value else called
        return self.with_values(values)

    def with_values(self, values: Mapping[str, object]) -> Self:
        """The same sentence with these values."""
        return type(self)(self.plain, **values)


class RefusalSentence(Sentence):
    """A sentence that refuses something. field: which field of the request is wrong; "" where none is.

    English says the field first, before a colon, since programs read it; another language leaves it out, or
    names it as {field} where nobody would know. template: its id in `rules/templates.py`; "" where it has
    none.
    """

    __slots__ = ("field", "template")
    field: str
    template: str

    def __new__(cls, plain: str, /, *, field: str = "", template: str = "", **values: object) -> Self:
        made = str.__new__(cls, f"{field}: {filled(plain, values)}" if field else filled(plain, values))
        made.plain, made.values = plain, values
        made.field, made.template = field, template
        return made

    @property
    def key(self) -> str:
        """As of a Sentence; its context is its template, or else that it names a field."""
        context = self.template or (FIELD if self.field else "")
        return f"{context}{CONTEXT_ENDS}{self.plain}" if context else self.plain

    def told(self, say: Callable[[str], str]) -> str:
        """As of a Sentence; {field} is the field's name. A sentence without translation says that first."""
        text = filled(super().told(say), {"field": self.field})
        return f"{self.field}: {text}" if self.field and say(self.key) == self.plain else text

    def with_values(self, values: Mapping[str, object]) -> Self:
        """The same sentence with these values."""
        return type(self)(self.plain, field=self.field, template=self.template, **values)


def without_rules(text: str) -> str:
    """A text of ours without the ids of rules, which say nothing to who works on pages."""
    return _RULES.sub("", text)


def joined(parts: Iterable[str], between: str = ", ") -> Sentence:
    """Several texts after each other; each is translated by itself."""
    named = {str(number): part for number, part in enumerate(parts)}
    return Sentence(between.join(f"{{{name}}}" for name in named), **named)


def both(names: Sequence[str]) -> Sentence | str:
    """A list of names: "Ann and Bo", "Ann, Bo and Cal"; "" for none."""
    if len(names) < 2:
        return names[0] if names else ""
    return Sentence("{one} and {other}", one=joined(names[:-1]), other=names[-1])


def one_of(names: Sequence[str]) -> str:
    """A choice among names: "A", "A or B", "A or B or C"."""
    if len(names) == 1:
        return names[0]
    return Sentence("{one} or {other}", one=names[0], other=one_of(names[1:]))


def several(number: int, what: str) -> Sentence:
    """As `counted`, a sentence: "{count} hits" in a catalogue, and "1 hit"."""
    return (
        Sentence(f"1 {what}") if number == 1 else Sentence(f"{{count}} {plural(what)}", count=f"{number:,}")
    )


def name_sentence(name: str) -> Sentence:
    """As `words`, a sentence: the name of a column, or a word of the ledger."""
    return Sentence(words(name))


def filled(text: str, values: Mapping[str, object]) -> str:
    """A sentence with values in place of its names in braces; a name without a value stays."""
    return _BRACES.sub(lambda name: str(values.get(name[1], name[0])), text)


# Of games, what `words` would write otherwise: they are names, but for that of a table of any game.
_GAMES: Final = {
    "let-it-ride": "Let It Ride",
    "ultimate-texas-holdem": "Ultimate Texas Hold 'Em",
    "any": Sentence("Any Game"),
}
LAMPS: Final = {"lit": Sentence("lit"), "lamp_failed": Sentence("failed")}
"""What is said of a lamp, by what a table calls it."""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A question about the known name that is most like a wrong one; "" where none is like it."""
    close = get_close_matches(name, list(known), n=1)
    return f" (did you mean {close[0]}?)" if close else ""


def counted(number: int, what: str) -> str:
    """A number of something, in words: "1 hit", "2 hits", "3 entries"."""
    if number == 1:
        return f"1 {what}"
    return f"{number:,} {plural(what)}"


def plural(what: str) -> str:
    """The plural of a noun."""
    if what == "person":
        return "people"
    return f"{what[:-1]}ies" if what.endswith("ry") else f"{what}s"


def ago(seconds: float) -> str:
    """A time span in words: "12 s ago", "3 min ago", "2 h ago"."""
    for length, unit in ((3_600, "h"), (60, "min")):
        if seconds >= length:
            return f"{int(seconds // length):,} {unit} ago"
    return f"{max(0, int(seconds))} s ago"


def words(name: str) -> str:
    """A name of ours in words: "Royal flush"."""
    return name.replace("-", " ").replace("_", " ").capitalize()


def game(name: str) -> str:
    """A game's name as its rules write it: "Let It Ride", "Three Card Poker"."""
    return _GAMES.get(name, name.replace("-", " ").title())


def card(name: str) -> str:
    """A card such as "Th" as it is printed: 10 and a heart."""
    return name[:-1].replace("T", "10") + _SUITS[name[-1]]


def suits(letters: str) -> str:
    """Suits such as "hdc" as they are printed."""
    return "".join(_SUITS[letter] for letter in letters)


def refused_certificate(error: BaseException | None, setting: str) -> str | None:
    """Why another machine's certificate was refused, and what to do; None where that was not the cause.

    setting: what names the file of an authority in the URL.
    """
    while not isinstance(error, ssl.SSLCertVerificationError):
        if error is None:
            return None
        error = error.__cause__ or error.__context__
    if error.verify_code in _OTHER_NAME:
        cure = "write the host in the URL as the certificate has it, or have one made for this name"
    elif error.verify_code in _OTHER_TIME:
        cure = "have a new one made there, and compare the clocks of both machines"
    else:
        cure = f"name in the URL the file of the authority that signed it: {setting}=FILE"
    return f"its certificate is refused: {error.verify_message.rstrip('.')}; {cure}"
