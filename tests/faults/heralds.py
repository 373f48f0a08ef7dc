"""Checks server pushes: each device is told of all hits and awards, before later meters, and nothing else.

By what the independent model says, row by row (WIRE, server pushes; S5, S7). What is told on one connection
is compared with what was durable: meters at a row say that everything up to that row has been told.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NamedTuple, Protocol

from controllers.device import CommandAnswered, DeviceEvent, PushReceived, WelcomeReceived
from tests.faults.difference import Difference, same
from tests.faults.figures import known_round, round_of, told_round
from tests.faults.house import BANK, server_level
from tests.faults.model import Model
from tests.faults.model_facts import PAID, PENDING, UNDONE, VALIDATED, Hit

Map = dict[str, Any]

# What a status of a hit as a whole says of its awards; one that was final at once says nothing.
OF_HIT: Final[Mapping[str, frozenset[str]]] = {
    "validated": frozenset({VALIDATED, PAID, UNDONE}),
    "paid": frozenset({PAID, UNDONE}),
    "undone": frozenset({UNDONE}),
}
FINAL: Final = "final"
# A new connection is told the hits of a minute, by the server's clock; by ours it may be a little less.
RECENT_S: Final = 50.0
# Of the hits of a link that wait, how many a sign is told.
WAITS_MAX: Final = 16


class Was(NamedTuple):
    """An award's state from a row on; amount in cents."""

    row: int
    status: str
    amount: int


Waits = tuple[str, str, str, int]  # a hit, its level, its table, and cents


class Stood(NamedTuple):
    """A table's round from a row on; None where it has none. by_people: they made it so."""

    row: int
    round: Map | None
    by_people: bool = False


class Won:
    """A hit as the server calls it. facts: as signs are told of it once it has won a percentage, at `row`.

    at: when, in simulated seconds. sums: of its percentages, in cents, as they were ever published, all of
    them or without the undone ones. stood: its awards' statuses, from each row.
    """

    def __init__(self, table: str, link: str) -> None:
        self.table, self.link = table, link
        self.row, self.at = 0, 0.0
        self.facts: Map = {}
        self.sums: list[int] = []
        self.stood: list[tuple[int, frozenset[str]]] = []


class History:
    """Durable history of hits and awards, by the server's names. news: what changed at each row.

    found: the last row when a server last began.
    """

    def __init__(self, now: Callable[[], float]) -> None:
        self.now = now
        self.found = 0
        self.news: list[tuple[int, str]] = []
        self.hits: dict[str, Won] = {}
        self.awards: dict[str, list[Was]] = {}
        self.hit_of: dict[str, str] = {}
        self.rounds: dict[str, list[Stood]] = {}
        self.waiting: dict[str, list[tuple[int, set[Waits]]]] = {}

    def note(self, row: int, model: Model, theirs: Mapping[str, str]) -> None:
        """Records this row, once the model has it."""
        for hit in model.hits_made.values():
            if hit.awards and hit.id in theirs:
                self._note_hit(row, hit, theirs)
        for link in model.links:
            waiting = set(self._waiting(model, link, theirs))
            trail = self.waiting.setdefault(link, [(0, set())])
            if trail[-1][1] != waiting:
                trail.append((row, waiting))

    def _waiting(self, model: Model, link: str, theirs: Mapping[str, str]) -> Iterator[Waits]:
        """The hits of a link of which a percentage waits for a floorperson."""
        for hit in model.hits_made.values():
            awards = [one for one in hit.awards if one.kind == "meter" and one.status == PENDING]
            if hit.link == link and awards:
                yield (
                    theirs[hit.id],
                    server_level(hit.level or ""),
                    hit.table,
                    sum(one.amount for one in awards),
                )

    def _note_hit(self, row: int, hit: Hit, theirs: Mapping[str, str]) -> None:
        name = theirs[hit.id]
        won = self.hits.setdefault(name, Won(hit.table, hit.link))
        for award in hit.awards:
            trail = self.awards.setdefault(theirs[award.id], [])
            self.hit_of[theirs[award.id]] = name
            if not trail or trail[-1][1:] != (award.status, award.amount):
                trail.append(Was(row, award.status, award.amount))
                self.news.append((row, theirs[award.id]))
        stood = frozenset(award.status for award in hit.awards) - {FINAL}
        if not won.stood or won.stood[-1][1] != stood:
            won.stood.append((row, stood))
        percentages = [award for award in hit.awards if award.kind == "meter"]
        for told in (percentages, [award for award in percentages if award.status != UNDONE]):
            if told and (amount := sum(award.amount for award in told)) not in won.sums:
                won.sums.append(amount)
        if percentages and not won.row:
            won.row, won.at = row, self.now()
            self.news.append((row, name))
            level = server_level(hit.level or "")
            won.facts = {"link": hit.link, "level": level, "hand": hit.hand, "table": hit.table}
            won.facts |= {"cycle": hit.cycle, "bank": BANK, "rev": row}

    def note_rounds(self, row: int, model: Model, *, by_people: bool) -> None:
        """Every table's round, once the model has been told this row; what people did to it is news."""
        for table in model.tables:
            round_ = round_of(model, table)
            known = known_round(round_, model) if round_ is not None else None
            trail = self.rounds.setdefault(table, [Stood(0, None)])
            if trail[-1].round != known:
                trail.append(Stood(row, known, by_people))
                if by_people:
                    self.news.append((row, f"round of {table}"))

    def between(self, first: int, last: int) -> set[str]:
        """The hits and awards of which there is something new after the first row, and up to the last."""
        places = [bisect_right(self.news, (row, "~")) for row in (first, last)]
        return {name for _, name in self.news[slice(*places)]}

    def at(self, award: str, row: int) -> int | None:
        """The state of an award at a row; None where it was not there yet."""
        places = [place for place, was in enumerate(self.awards[award]) if was.row <= row]
        return places[-1] if places else None


class Truth(Protocol):
    """Read access to the durable history."""

    history: History

    def last_answer(self, table: str, seq: int) -> Map | None:
        """The answer to a table's command, if it is remembered."""


class Herald:
    """Tracks what one device was told on its connection. table: whether it is a table or a sign.

    near: it is connected to the bank's server, so that nothing is lost on the way.
    """

    def __init__(self, device: str, witness: Truth, *, table: bool, near: bool) -> None:
        self.device, self.near = device, near
        self._truth, self._history, self._table = witness, witness.history, table
        self._links: set[str] = set()
        self._waiting: dict[str, set[Waits]] = {}  # by link, as a sign was told
        self._at_welcome: Map | None = None  # the table's round
        self._base: int | None = None  # of the first meters
        self._checked = 0  # the last meters: what came before them was told
        self._owed: set[str] = set()  # from before the connection
        self._hits: set[str] = set()
        self._rounds: list[Stood] = []  # of the table, as told, by what was durable
        self._awards: dict[str, int] = {}  # the least of its states that it can be in, by what was told

    def hear(self, event: DeviceEvent) -> None:
        """Checks a message to the device; raises Difference."""
        if isinstance(event, WelcomeReceived):
            self._welcomed(event.message)
        elif isinstance(event, CommandAnswered):
            self._answered(event.answer)
        elif isinstance(event, PushReceived):
            self._told(event.message)

    def _welcomed(self, message: Map) -> None:
        """A new connection, on which nothing was told; `last` is the answer that was recorded."""
        self._links = {one["link"] for one in message["links"]}
        self._base, self._hits, self._awards, self._rounds = None, set(), {}, []
        self._waiting = {}
        self._at_welcome = message.get("round")
        if message.get("last") is not None:
            recorded = self._truth.last_answer(self.device, message["last_seq"])
            same(f"{self.device}, its last answer", message["last"], recorded or message["last"])

    def _answered(self, answer: Map) -> None:
        """The answer to a command of its own; an old one may have been given before this connection."""
        for award in answer.get("awards", ()):
            if self._base is not None and self._history.awards[award["award"]][0].row > self._base:
                self._awards.setdefault(award["award"], 0)

    def _told(self, message: Map) -> None:
        hear: Callable[[Map], None] | None = getattr(self, f"_{message['t']}", None)
        if hear is None:
            return
        if self._base is None and message["t"] != "meters":
            raise Difference(f"{self.device} is told {message} before any meters")
        hear(message)

    def _meters(self, message: Map) -> None:
        if message["bank"] != BANK:
            return
        if self._base is None:
            self._base = self._checked = message["rev"]
            self._owed = set(self._told_at_first(message["rev"]))
            self._check_welcome(message["rev"])
        elif self.near:
            for name in self._owed | self._history.between(self._checked, message["rev"]):
                self._must_know(name, message["rev"])
            self._owed, self._checked = set(), message["rev"]
            for link, waiting in self._waiting.items():
                self._must_wait(link, waiting, message["rev"])

    def _check_welcome(self, base: int) -> None:
        """The table's round was as at the first meters, or is so since."""
        stood = self._history.rounds.get(self.device, [Stood(0, None)]) if self._table else []
        first = max((place for place, one in enumerate(stood) if one.row <= base), default=0)
        told = told_round(self._at_welcome) if self._at_welcome else None
        if stood and all(one.round != told for one in stood[first:]):
            raise Difference(f"{self.device} is welcomed with {told}, it was {stood[first:]} from row {base}")

    def _told_at_first(self, base: int) -> Iterator[str]:
        """The awards of the table that wait, and the hits of the last minute that its server has seen."""
        for name, trail in self._history.awards.items():
            place = self._history.at(name, base)
            if place is not None and trail[place].status in (PENDING, VALIDATED):
                yield name
        for name, won in self._history.hits.items():
            recent = self._history.found < won.row <= base and won.at > self._history.now() - RECENT_S
            if recent and all(stood != {UNDONE} for _, stood in won.stood):
                yield name

    def _must_know(self, name: str, rev: int) -> None:
        """Checks that a hit or an award was told with its state at that row."""
        if name.startswith("round of"):
            self._must_know_round(name, rev)
            return
        won = self._history.hits.get(name)
        if won is not None:
            if won.link in self._links and name not in self._hits:
                raise Difference(f"{self.device} is told row {rev} of the meters, not {name}: {won.facts}")
            return
        mine = self._history.hits[self._history.hit_of[name]].table == self.device
        if mine and self._awards.get(name, -1) < (self._history.at(name, rev) or 0):
            trail = self._history.awards[name]
            raise Difference(f"{self.device} is told row {rev} of the meters, not {name}: {trail}")

    def _must_know_round(self, name: str, rev: int) -> None:
        """Checks that the last change by people to the table's round, up to that row, was told."""
        if name != f"round of {self.device}":
            return
        acts = [one for one in self._history.rounds[self.device] if one.row <= rev and one.by_people]
        if not self._rounds or self._rounds[-1].row < acts[-1].row:
            raise Difference(f"{self.device} is told row {rev} of the meters, not its round: {acts[-1]}")

    def _round(self, message: Map) -> None:
        """Checks a told round: it stands so, or has on this connection; a void one is none to finish."""
        told = None if message["state"] == "void" else told_round(message)
        stood = [one for one in self._history.rounds[self.device] if one.round == told]
        if not stood:
            raise Difference(f"{self.device} is told {message}, which its round never was")
        self._rounds.append(stood[-1])

    def _state(self, message: Map) -> None:
        fields = ("hit", "level", "table", "amount")
        self._waiting[message["link"]] = {tuple(one[name] for name in fields) for one in message["waiting"]}

    def _must_wait(self, link: str, told: set[Waits], rev: int) -> None:
        """Checks a sign's last message on waiting levels: true at that row, or since."""
        trail = self._history.waiting.get(link, [(0, set())])
        first = max(place for place, (row, _) in enumerate(trail) if row <= rev)
        full = len(told) == WAITS_MAX
        if not any(told == waiting or (full and told < waiting) for _, waiting in trail[first:]):
            raise Difference(
                f"{self.device} is told row {rev} of the meters, and that {told} waits: {trail[first:]}"
            )

    def _hit(self, message: Map) -> None:
        won = self._history.hits.get(message["hit"])
        if won is None or not won.row:
            raise Difference(f"{self.device} is told of a hit that is not durable: {message}")
        same(f"{self.device}, {message['hit']}", {key: message[key] for key in won.facts}, won.facts)
        same(f"{self.device}, a sum of {message['hit']} {message}", message["amount"] in won.sums, True)
        same(f"{self.device} has the link of {message}", won.link in self._links, True)
        self._hits.add(message["hit"])

    def _award(self, message: Map) -> None:
        same(f"{self.device} has the table of {message}", self._of_it(message), True)
        self._stands(message, message["status"])

    def _status(self, message: Map) -> None:
        same(f"{self.device} has the table or link of {message}", self._of_it(message), True)
        status, won = message["status"], self._history.hits[message["hit"]]
        if "award" in message and status != "released":
            same(
                f"{self.device} is told {message}: a sign only of what is raised",
                self._table or status == "raised",
                True,
            )
            self._stands(message, PENDING if status == "raised" else status)
        elif status in OF_HIT:
            stood = [one for row, one in won.stood if row >= self._last_before(won)]
            if not any(one <= OF_HIT[status] for one in stood):
                raise Difference(f"{self.device} is told {message}, its awards were {stood}")

    def _of_it(self, message: Map) -> bool:
        """Whether a hit is durable, and concerns the table or a link of the sign."""
        won = self._history.hits.get(message["hit"])
        return won is not None and (won.table == self.device if self._table else won.link in self._links)

    def _last_before(self, won: Won) -> int:
        """The row from which on its awards stood as they did when this connection began."""
        return max((row for row, _ in won.stood if row <= (self._base or 0)), default=0)

    def _stands(self, message: Map, status: str) -> None:
        """Checks a told award: that is its state, or was since the last message about it."""
        award = message["award"]
        same(f"{award}, its hit", message["hit"], self._history.hit_of.get(award))
        trail = self._history.awards[award]
        first = max(self._awards.get(award, 0), self._history.at(award, self._base or 0) or 0)
        for place in range(first, len(trail)):
            if trail[place][1:] == (status, message.get("amount", trail[place].amount)):
                self._awards[award] = place
                return
        raise Difference(f"{self.device} is told {message}, it was {trail[first:]}")
