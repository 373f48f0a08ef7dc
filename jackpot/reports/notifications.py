"""Notifications read from the journal: hits that wait, alarms and requests.

The journal is read forwards, so nothing is left out, however long the sinks were down. An alarm that is open
already is not notified again.
"""

from collections.abc import Iterator, Sequence
from functools import cached_property
from heapq import merge
from typing import Any, Final, Literal, NamedTuple

import msgspec

from jackpot.config.phrases import sentence
from jackpot.ledger.reading import Reader
from jackpot.reports.alarms import entries
from jackpot.reports.read.entries import Entry, of_kind
from jackpot.reports.read.names import JournalNames
from jackpot.rules import alarms
from jackpot.rules.acts import decode_asked
from jackpot.rules.acts.alarms import AlarmAcknowledged
from jackpot.rules.acts.requests import Requested
from jackpot.rules.events import Closed, HitMade, Settled
from jackpot.rules.money import decimal
from jackpot.rules.state import UNPAID

# Entries of one poll: a second of a very busy floor, read in a fraction of one.
LOOKED_AT_MAX: Final = 20_000

About = Literal["hit", "alarm", "request"]


class Notice(msgspec.Struct, frozen=True):
    """One notification. id: the same however often it is sent. about: one of the configuration's `events`.

    at: unix milliseconds. page: of the server, where people work it. facts: as texts; sums are decimal.
    """

    id: str
    site: str
    bank: str
    seq: int
    at: int
    about: About
    text: str
    page: str
    facts: dict[str, str]


class PollResult(NamedTuple):
    """Result of one poll. upto: the last entry whose notifications are in it."""

    notices: list[Notice]
    upto: int


class _Content(NamedTuple):
    """Content of a notice: all but its id and entry."""

    about: About
    text: str
    page: str
    facts: dict[str, str]


class Notifications:
    """Polls a bank for notifications. site: its id. about: the events that people subscribed to."""

    def __init__(self, bank: str, site: str, about: Sequence[About]) -> None:
        self._bank = bank
        self._site = site
        self._about = about
        self._open: set[tuple[str, str]] = set()

    def look(self, ledger: Reader, after: int, upto: int, most: int) -> PollResult:
        """Notifications of the entries with after < seq <= upto; stops early once there are `most`.

        Raises LedgerError.
        """
        upto = min(upto, after + LOOKED_AT_MAX)
        names, found, open_ = _Names(ledger, self._bank), list[Notice](), set(self._open)
        asked = of_kind(ledger, self._bank, Requested.kind, after, upto)
        for entry in merge(entries(ledger, self._bank, after, upto), asked):
            contents = [each for each in _contents(names, entry, open_) if each.about in self._about]
            for number, content in enumerate(contents, 1):
                id_ = f"{self._site}/{self._bank}/{entry.seq}/{number}"
                found.append(Notice(id_, self._site, self._bank, entry.seq, entry.at, *content))
            if len(found) >= most:
                upto = entry.seq
                break
        self._open = open_  # not before: a poll that fails is repeated
        return PollResult(found, upto)


class _Names:
    """Names of a bank, read only when there is a notification: most polls have none."""

    def __init__(self, ledger: Reader, bank: str) -> None:
        self.bank = bank
        self._ledger = ledger

    @cached_property
    def known(self) -> JournalNames:
        return JournalNames(self._ledger, self.bank)

    def link(self, number: int | None) -> str:
        return self.known.link(number)

    def table(self, number: int | None) -> str:
        return self.known.table(number)

    def level(self, link: int, level: int) -> str:
        return self.known.level(link, level)


def _contents(names: _Names, entry: Entry, open_: set[tuple[str, str]]) -> Iterator[_Content]:
    """Notifications of an entry. open_: kind and place of each open alarm, updated with the entries."""
    event: Any = entry.event
    match event:
        case AlarmAcknowledged():
            open_.discard((event.what, event.place))
        case Requested():
            yield _request(names, event)
        case Settled() | Closed():
            for hit in event.made.hits:
                if any(award.status in UNPAID for award in hit.awards):
                    yield _hit(names, hit, entry)
    for one in alarms.raised(event, entry.table, names):
        if (place := (one.kind, alarms.place(one.facts))) not in open_:
            open_.add(place)
            yield _alarm(names, one)


def _hit(names: _Names, hit: HitMade, entry: Entry) -> _Content:
    """A hit's own awards, as on every page; what it earned others is its envy bonus."""
    table, own = names.table(entry.table), [award for award in hit.awards if award.kind != "envy"]
    amount = decimal(sum(award.amount for award in own))
    levels = [names.known.level(award.link, award.level) for award in own if award.level]
    seat = f", seat {hit.seat}" if hit.seat else ""
    facts = {
        "hit": f"H{hit.number}",
        "link": names.link(hit.link),
        "level": levels[0] if levels else "",
        "table": table,
        "seat": str(hit.seat or ""),
        "hand": hit.hand,
        "amount": amount,
        "envy": decimal(sum(award.amount for award in hit.awards if award.kind == "envy")),
    }
    text = f"{hit.hand.replace('-', ' ')} of {amount} at {table}{seat} waits for people"
    return _Content("hit", text, f"/ops/hits/{names.bank}/H{hit.number}", facts)


def _alarm(names: _Names, raised: alarms.RaisedAlarm) -> _Content:
    """An alarm, in English."""
    kind, facts, said = raised
    place = names.known.people.name(facts["person"]) if "person" in facts else alarms.place(facts)
    what = "" if said is None else str(sentence(said))
    means = alarms.KINDS[kind].means
    text = ": ".join(part for part in (place, means, what) if part)
    return _Content("alarm", text, "/ops/alarms", {"alarm": kind, "place": place, "what": what})


def _request(names: _Names, event: Requested) -> _Content:
    what = str(decode_asked(event.command).__struct_config__.tag)
    who = names.known.who(event.people)
    text = f"{who} asks for {what.replace('-', ' ')}: a second person confirms it within 15 minutes"
    return _Content(
        "request", text, "/ops/requests", {"request": f"{names.bank}-{event.id}", "what": what, "asked": who}
    )
