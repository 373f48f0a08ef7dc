"""Text of a journal entry: one sentence for each, with its names and its sums."""

from base64 import b64decode
from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

import msgspec

from jackpot.catalogue.figures import rate_text
from jackpot.config.phrases import sentence, sentence_of
from jackpot.reports.read.names import JournalNames
from jackpot.rules.acts import decode_asked
from jackpot.rules.acts.devices import KeyEnded
from jackpot.rules.acts.ends import EndWaits
from jackpot.rules.acts.hits import Correct
from jackpot.rules.acts.links import LinkOpened
from jackpot.rules.acts.meters import CorrectMeter, LeftDecided, MeterCorrected
from jackpot.rules.acts.parameters import ChangeLink, LinkChanged
from jackpot.rules.acts.programs import ProgramBegan, ProgramConfirmed
from jackpot.rules.acts.readings import ReadingTaken
from jackpot.rules.acts.requests import RequestExpired, why_over
from jackpot.rules.acts.tables import TableOpened
from jackpot.rules.events import (
    Closed,
    Event,
    HitMade,
    LampReported,
    Locked,
    Settled,
    Voided,
    Wagered,
    Withdrawn,
)
from jackpot.rules.money import from_cents
from jackpot.rules.state import Placed
from jackpot.text import LAMPS, Sentence, game, joined, name_sentence, several

# How a sum of micro-dollars is written.
Money = Callable[[int], str]
# What people call a link, by its id.
Title = Callable[[str], str]

# Fields that say nothing to people, or are shown elsewhere.
NOT_ABOUT: Final = (
    "people", "reason", "cause", "recomputed", "tick", "handed_on", "parts", "code", "template",
    "mark", "due",
    "marks", "changes", "before", "terms", "digest", "secret", "paper", "waited_ms", "asked_ms", "seen",
    "session", "kept_days", "written", "needs", "filled", "lost", "more", "values", "tax", "cash_before",
    "settles",
)  # fmt: skip


class EntryNames(NamedTuple):
    """What an entry's text calls things: by their numbers in the journal, and a link by its title."""

    journal: JournalNames
    title: Title

    def link(self, number: int) -> str:
        """What people call a link, by its number."""
        return self.title(self.journal.link(number))


def about(journal: JournalNames, event: Event, money: Money, title: Title) -> Sentence:
    """The subjects of an event: hits, awards, tables, links, sums and its plain values."""
    names = EntryNames(journal, title)
    match event:
        case Wagered() | Withdrawn() | Locked() | Settled() | Closed() | Voided():
            return joined(_of_round(names, event, money))
        case LampReported():
            return Sentence(
                "the lamp of A{award} at seat {seat}: {state}",
                award=event.award,
                seat=event.seat,
                state=LAMPS[event.state],
            )
        case LinkOpened() | LinkChanged():
            wager, terms = money(event.terms.wager), event.terms
            link = title(terms.link)
            return Sentence("link {link}, {paytable} at {sum}", link=link, paytable=terms.paytable, sum=wager)
        case TableOpened():
            return Sentence("table {table}, {game}", table=event.terms.table, game=game(event.terms.game))
        case EndWaits():
            link, why = names.link(event.link), sentence_of(event.template, event.values)
            return joined([Sentence("link {link}", link=link), why], ": ")
        case ProgramBegan():
            return Sentence(
                "program {version}, {digest}", version=event.version, digest=_digest(event.digest)
            )
        case ProgramConfirmed():
            return Sentence("program {digest}", digest=_digest(event.digest))
        case RequestExpired():
            why = sentence(why_over(event.waited_ms, event.lost))
            return Sentence("request {request} {why}", request=event.request, why=why)
        case ReadingTaken():
            return Sentence(
                "gaming day {day}, {meters}", day=event.day, meters=several(len(event.meters), "meter")
            )
    said = []
    for name in event.__struct_fields__:
        value = getattr(event, name)
        if name not in NOT_ABOUT and value not in ("", b"", None, [], ()):
            said.append(_word(names, event, name, value, money))
    cause = getattr(event, "cause", "")
    return joined(word for word in (*said, name_sentence(cause) if cause else "") if word)


def _digest(digest: bytes) -> Sentence | str:
    return digest.hex() or Sentence("not shown to be a release")


def reason(event: Event) -> str:
    """The reason that people gave; the cause of a link's suspension where the server itself stopped it."""
    return str(getattr(event, "reason", "") or getattr(event, "cause", ""))


def _of_round(names: EntryNames, event: Any, money: Money) -> Iterator[Sentence]:
    """What a frame, or people, did to a round, in words."""
    yield Sentence("round {round}", round=event.round)
    match event:
        case Wagered():
            yield several(len(event.bets), "wager")
        case Withdrawn():
            yield Sentence("{wagers} taken back", wagers=several(len(event.bets), "wager"))
        case Locked() if event.recount:
            yield Sentence("counted again")
        case Settled():
            left = [hand.seat for hand in event.shown if hand.abandoned and not hand.cards]
            shown = len(event.shown) - len(left)
            if shown or not left:
                yield Sentence("{hands} shown", hands=several(shown, "hand"))
            for seat in left:
                yield Sentence("seat {seat} may be abandoned", seat=seat)
        case Voided():
            if event.cause:
                yield name_sentence(event.cause)
            if event.undone:
                yield Sentence("{awards} undone", awards=" ".join(f"A{number}" for number in event.undone))
            if event.settles:
                links = " ".join(map(names.link, event.settles))
                yield Sentence("the wagers on {links} are settled", links=links)
    if getattr(event, "locking", None) is not None and not getattr(event, "recount", False):
        yield Sentence("no more bets")
    if (made := getattr(event, "made", None)) is not None:
        yield from (_hit(names, hit, money) for hit in made.hits)
    if getattr(event, "closing", None) is not None:
        yield Sentence("closed")


def _hit(names: EntryNames, hit: HitMade, money: Money) -> Sentence:
    awards = ", ".join(f"A{award.number} {money(award.amount)}" for award in hit.awards)
    told = {
        "hit": f"H{hit.number}",
        "hand": name_sentence(hit.hand),
        "link": names.link(hit.link),
        "awards": awards,
    }
    return Sentence("{hit} {hand} on {link}: {awards}", **told)


def _word(names: EntryNames, event: Any, name: str, value: Any, money: Money) -> Sentence | str:
    """One field of an event in words; "" for a field that says nothing to people."""
    if name in ("amount", "seed", "tax_from"):
        return _sum(event, name, value, money)
    if name in _TAXED:
        return _taxed(name, value, money)
    if isinstance(value, int) and name in _NUMBERS:
        return _NUMBERS[name](names, event, value)
    plain = Sentence(name.replace("_", " "))
    match name, value:
        case "hits", list():
            return " ".join(f"H{number}" for number in value)
        case "awards", list():
            return " ".join(f"A{number}" for number in value)
        case "fingerprint", str() if isinstance(event, KeyEnded):
            return Sentence("{name} {value}", name=plain, value=", ".join(event.keys))
        case "links", list():
            return Sentence("links {links}", links=", ".join(map(names.link, value)))
        case "stated", list():
            return joined(
                Sentence(
                    "{level} of {link} decided up to {sum}",
                    level=name_sentence(names.journal.level(one.link, one.level)),
                    link=names.link(one.link),
                    sum=money(one.decided),
                )
                for one in value
            )
        case "lamp", str():
            return Sentence("lamp {state}", state=LAMPS[value])
        case "bet", Placed():
            return Sentence("seat {seat}'s wager on {link}", seat=value.seat, link=names.link(value.link))
        case _, bool():
            return plain if value else Sentence("not {what}", what=plain)
        case "command", bytes():
            return _operation_text(names, value, money)
        case (("role" | "account" | "way" | "other_way"), str()):
            return Sentence("{name} {value}", name=plain, value=Sentence(value))
        case _, str() | int():
            return Sentence("{name} {value}", name=plain, value=value)
    return (
        Sentence("{name} {value}", name=plain, value=len(value)) if isinstance(value, list | tuple) else plain
    )


def _sum(event: Any, name: str, amount: int, money: Money) -> Sentence:
    if name == "tax_from":
        return Sentence("tax form from {sum}", sum=money(from_cents(amount)))
    if name == "seed":
        return Sentence("begins with {sum}", sum=money(amount))
    if isinstance(event, MeterCorrected | LeftDecided):
        return Sentence("by {sum}", sum=money(amount))
    return Sentence("comes to {sum}", sum=money(amount))


# Of a payment what it says of taxes: sums in cents, and a rate.
_TAXED: Final = ("withheld", "rate", "treaty_rate", "wager", "winnings", "paid", "other_sum")


def _taxed(name: str, value: int, money: Money) -> Sentence | str:
    """What a payment says of taxes; "" for what is not there."""
    told = rate_text(value) if "rate" in name else money(from_cents(value))
    return Sentence("{name} {value}", name=Sentence(name.replace("_", " ")), value=told) if value else ""


# Fields of what was asked for that say nothing by themselves, or that its outcome says.
_SAID_OTHERWISE: Final = (*NOT_ABOUT, "tax_from", "withheld", "other_sum", "nonresident")


def _operation_text(names: EntryNames, command: bytes, money: Money) -> Sentence:
    """An operation that was asked for, and waits or was refused, in words."""
    asked, fields = decode_asked(command), msgspec.json.decode(command)
    what = str(fields.pop("do"))
    match asked:
        case ChangeLink():
            fields = {"link": asked.terms.link}
        case CorrectMeter():
            fields["amount"] = money(asked.amount)
        case Correct():
            fields["amount"] = money(from_cents(asked.amount))
    for name in ("link", "to"):
        if name in fields:
            fields[name] = names.title(fields[name])
    if "links" in fields:
        fields["links"] = list(map(names.title, fields["links"]))
    if "mark" in fields:
        fields["person"] = names.journal.people.marked(b64decode(fields.pop("mark")))
    elif "person" in fields:
        fields["person"] = names.journal.people.name(fields["person"])
    rest = (
        Sentence(
            "{name} {value}",
            name=Sentence(name.replace("_", " ")),
            value=" ".join(map(str, value)) if isinstance(value, list) else value,
        )
        for name, value in fields.items()
        if name not in _SAID_OTHERWISE and value not in (None, "", [], {})
    )
    return joined([name_sentence(what), *rest])


_NUMBERS: Final[dict[str, Callable[[EntryNames, Any, int], Sentence | str]]] = {
    "hit": lambda names, _event, number: names.journal.called("H", number),
    "award": lambda names, _event, number: names.journal.called("A", number),
    "notice": lambda _names, _event, number: f"N{number}",
    "left": lambda _names, _event, number: f"D{number}",
    "table": lambda names, _event, number: Sentence("table {table}", table=names.journal.table(number)),
    "link": lambda names, _event, number: Sentence("link {link}", link=names.link(number)),
    "to": lambda names, _event, number: Sentence("to link {link}", link=names.link(number)) if number else "",
    "level": lambda names, event, number: name_sentence(names.journal.level(event.link, number)),
    "person": lambda names, _event, number: names.journal.people.name(number),
}
"""What a field that is a number says: of what it is the number."""
