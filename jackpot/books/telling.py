"""What does an entry of the journal say, in words? One sentence for each, with its names and its sums."""

from base64 import b64decode
from collections.abc import Callable, Iterator
from typing import Any, Final

import msgspec

from jackpot.books.names import Names
from jackpot.rules.acts import decode_asked
from jackpot.rules.acts.hits import Correct
from jackpot.rules.acts.links import LinkOpened
from jackpot.rules.acts.meters import CorrectMeter, LeftDecided, MeterCorrected
from jackpot.rules.acts.parameters import ChangeLink, LinkChanged
from jackpot.rules.acts.readings import ReadingTaken
from jackpot.rules.acts.tables import TableOpened
from jackpot.rules.events import Closed, Event, HitMade, Locked, Settled, Voided, Wagered, Withdrawn
from jackpot.rules.money import from_cents
from jackpot.rules.state import Placed
from jackpot.words import counted

# How a sum of micro-dollars is written.
Money = Callable[[int], str]

# Fields that say nothing to people, or have a place of their own.
_NOT_ABOUT: Final = (
    "people", "reason", "note", "recomputed", "tick", "handed_on", "parts", "code", "message", "mark",
    "marks", "changes", "before", "terms", "digest", "secret", "paper", "waited_ms", "asked_ms", "seen",
    "session", "kept_days", "written",
)  # fmt: skip


def about(names: Names, event: Event, money: Money) -> str:
    """What an event is about: hits, awards, tables, links, sums and its plain values."""
    match event:
        case Wagered() | Withdrawn() | Locked() | Settled() | Closed() | Voided():
            return ", ".join(_of_round(names, event, money))
        case LinkOpened() | LinkChanged():
            return f"link {event.terms.link}, {event.terms.paytable} at {money(event.terms.wager)}"
        case TableOpened():
            return f"table {event.terms.table}, {event.terms.game}"
        case ReadingTaken():
            return f"gaming day {event.day}, {counted(len(event.meters), 'meter')}"
    said = []
    for name in event.__struct_fields__:
        value = getattr(event, name)
        if name not in _NOT_ABOUT and value not in ("", b"", None, [], ()):
            said.append(_word(names, event, name, value, money))
    cause = getattr(event, "reason", "") if getattr(event, "note", None) is not None else ""
    return ", ".join(word for word in (*said, cause) if word)


def reason(event: Event) -> str:
    """Why people did it, in their words; a link's suspension has a cause next to it."""
    return str(getattr(event, "note", "") or getattr(event, "reason", ""))


def _of_round(names: Names, event: Any, money: Money) -> Iterator[str]:
    """What a frame, or people, did to a round."""
    yield f"round {event.round}"
    match event:
        case Wagered():
            yield counted(len(event.bets), "wager")
        case Withdrawn():
            yield f"{counted(len(event.bets), 'wager')} taken back"
        case Locked() if event.recount:
            yield "counted again"
        case Settled():
            yield f"{counted(len(event.shown), 'hand')} shown"
    if getattr(event, "locking", None) is not None and not getattr(event, "recount", False):
        yield "no more bets"
    if (made := getattr(event, "made", None)) is not None:
        yield from (_hit(names, hit, money) for hit in made.hits)
    if getattr(event, "closing", None) is not None:
        yield "closed"


def _hit(names: Names, hit: HitMade, money: Money) -> str:
    awards = ", ".join(f"A{award.number} {money(award.amount)}" for award in hit.awards)
    return f"H{hit.number} {hit.hand} on {names.link(hit.link)}: {awards}"


def _word(names: Names, event: Any, name: str, value: Any, money: Money) -> str:
    """One field of an event; "" where it says nothing."""
    if name in ("amount", "tax_from"):
        return _sum(event, name, value, money)
    if isinstance(value, int) and name in _NUMBERS:
        return _NUMBERS[name](names, event, value)
    match name, value:
        case "hits", list():
            return " ".join(f"H{number}" for number in value)
        case "awards", list():
            return " ".join(f"A{number}" for number in value)
        case "links", list():
            return f"links {' '.join(map(names.link, value))}"
        case "bet", Placed():
            return f"seat {value.seat}'s wager on {names.link(value.link)}"
        case _, bool():
            return name if value else f"not {name}"
        case "command", bytes():
            return _asked(names, value, money)
        case _, str() | int():
            return f"{name.replace('_', ' ')} {value}"
    return f"{name} {len(value)}" if isinstance(value, list | tuple) else name


def _sum(event: Any, name: str, amount: int, money: Money) -> str:
    if name == "tax_from":
        return f"tax form from {money(from_cents(amount))}"
    return f"{'by' if isinstance(event, MeterCorrected | LeftDecided) else 'comes to'} {money(amount)}"


def _asked(names: Names, command: bytes, money: Money) -> str:
    """What somebody asked for, which waits or was refused."""
    asked, fields = decode_asked(command), msgspec.json.decode(command)
    what = str(fields.pop("do"))
    match asked:
        case ChangeLink():
            fields = {"link": asked.terms.link}
        case CorrectMeter():
            fields["amount"] = money(asked.amount)
        case Correct():
            fields["amount"] = money(from_cents(asked.amount))
    if "mark" in fields:
        fields["person"] = names.people.marked(b64decode(fields.pop("mark")))
    elif "person" in fields:
        fields["person"] = names.people.name(fields["person"])
    rest = (
        f"{name.replace('_', ' ')} {' '.join(map(str, value)) if isinstance(value, list) else value}"
        for name, value in fields.items()
        if name not in (*_NOT_ABOUT, "tax_from") and value not in (None, "", [], {})
    )
    return ", ".join([what, *rest])


_NUMBERS: Final[dict[str, Callable[[Names, Any, int], str]]] = {
    "hit": lambda _names, _event, number: f"H{number}",
    "award": lambda _names, _event, number: f"A{number}",
    "left": lambda _names, _event, number: f"D{number}",
    "table": lambda names, _event, number: f"table {names.table(number)}",
    "link": lambda names, _event, number: f"link {names.link(number)}",
    "to": lambda names, _event, number: f"to link {names.link(number)}" if number else "",
    "level": lambda names, event, number: names.level(event.link, number),
    "person": lambda names, _event, number: names.people.name(number),
}
"""What a field that is a number says: of what it is the number."""
