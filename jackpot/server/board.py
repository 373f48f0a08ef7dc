"""What may everybody who looks be shown? Committed meters, link states and hits, and who watches them.

Only the newest value counts: values are conflated, framed once for all receivers of the same links in the
same form, and never waited for. A watcher that has not read its last value is passed over and gets a whole
snapshot afterwards. No I/O: the shell calls `push` and `move` once a commit, and `tick` about ten times a
second.
"""

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Final, Literal, Protocol

import msgspec

from controllers.answers import (
    Hit,
    Link,
    LinkFacts,
    LinkState,
    Meters,
    ServerMessage,
    State,
    Status,
    WaitingHit,
)
from controllers.frames import encode
from jackpot.clock import Clock
from jackpot.rules.money import to_cents
from jackpot.rules.outcome import Outcome, Push
from jackpot.rules.paytable import LinkTerms
from jackpot.server.alone import Peer, alone

# WIRE: at most 10 a second to a sign; to a table the first change at once, then at most 2 a second.
SIGN_INTERVAL_S: Final = 0.1
TABLE_INTERVAL_S: Final = 0.5
# WIRE: the whole snapshot again at least every 5 s, so that a receiver that missed anything is right again.
SNAPSHOT_INTERVAL_S: Final = 4.5
# WIRE: a welcome brings the hits of the last 60 s.
HIT_MEMORY_S: Final = 60.0
# A frame holds 65,536 bytes; a value is at most 64 + 8 + 10 bytes and its framing.
VALUES_A_FRAME: Final = 500
# How long a link's state is `win` after a hit: long enough to be noticed, and below the 30 s that regulators
# allow before the new meter must stand (S7).
WIN_S: Final = 20.0

# WIRE: per commit link first, then hit, then award, status and round, then meters.
_FIRST: Final[tuple[type, ...]] = (Link, Hit)
_LEDGER_REASON: Final = "ledger"
# A reason is 1..256 characters, an active link's too.
RESUMED: Final = "in order"


Form = Callable[[ServerMessage], bytes]
"""How a message becomes bytes for one kind of receiver; the same message in every form."""
Subscription = Callable[[], None]
"""Ends what a watcher is shown, whatever became of the board's links since; may be called again."""


class Watcher(Peer, Protocol):
    """Whoever is shown meters; neither call may block."""

    def tell(self, frame: bytes) -> None:
        """A push that must not be lost while the connection lives."""

    def show(self, frame: bytes) -> bool:
        """Meter values; False where the last ones have not left yet, and nothing was taken."""


class Standing(Protocol):
    """What may be shown of a bank in this process. now: monotonic seconds."""

    def leased(self, now: float) -> bool:
        """Whether its meters are this process's to show."""

    def trusted(self, now: float) -> bool:
        """Whether what is shown is known to be durable and its server to be the one that may say so (S4)."""


class LinkView:
    """A link as it is durable: what a welcome says of it, its state, and its levels in cents."""

    __slots__ = ("facts", "levels", "reason", "state")

    def __init__(self, facts: LinkFacts, levels: dict[str, int], reason: str) -> None:
        self.facts = facts
        self.levels = levels
        self.state: LinkState = facts.state
        self.reason = reason

    @classmethod
    def of(cls, statistics: Mapping[str, Any]) -> "LinkView":
        """Of a link in `views.statistics`."""
        levels = {level["level"]: to_cents(level["primary"]) for level in statistics["levels"]}
        name, wager, paytable, state = (statistics[key] for key in ("link", "wager", "paytable", "state"))
        return cls(
            LinkFacts(name, wager, paytable, tuple(levels), state), levels, ", ".join(statistics["reasons"])
        )


class _Group:
    """Watchers of the same links, the same pace and the same form."""

    def __init__(self, links: frozenset[str], form: Form, *, signs: bool) -> None:
        self.links = links
        self.form = form
        self.interval = SIGN_INTERVAL_S if signs else TABLE_INTERVAL_S
        self.signs = signs
        self.watchers: set[Watcher] = set()
        self.behind: set[Watcher] = set()
        self.changed: set[tuple[str, str]] = set()
        self.shown_at = 0.0
        self.whole_at = 0.0


class Board:
    """The committed face of one bank. on_status is called with each `status` for signs, and its link.

    standing: whether it may be shown; it is asked whenever something is.
    """

    def __init__(self, bank: str, clock: Clock, standing: Standing) -> None:
        self.bank = bank
        self.rev = 0
        self.links: dict[str, LinkView] = {}
        self.hits: deque[Hit] = deque()
        self._hit_at: dict[str, float] = {}
        self.on_status: list[Callable[[str, Status], None]] = []
        self._clock = clock
        self._standing = standing
        self._told = False
        self._groups: dict[tuple[bool, Form, frozenset[str]], _Group] = {}
        self._tables: dict[str, Watcher] = {}
        self._snapshots: dict[tuple[bool, Form, frozenset[str]], tuple[int, bytes]] = {}
        self._waiting: dict[str, tuple[WaitingHit, ...]] = {}
        self._stated: dict[str, State] = {}
        self._stated_at = 0.0

    def reset(
        self,
        links: Iterable[dict[str, Any]],
        hits: Iterable[Hit],
        rev: int,
        waiting: Mapping[str, tuple[WaitingHit, ...]],
    ) -> None:
        """Takes everything from a state that equals the ledger: at the start, and after doubt."""
        self._waiting = dict(waiting)
        self.links = {link["link"]: LinkView.of(link) for link in links}
        for hit in hits:
            # Another server's clock said when; by one that is far from ours it is not known to be of now.
            age = (self._clock.unix_ms() - hit.at) / 1000
            if hit.hit not in self._hit_at and abs(age) < HIT_MEMORY_S:
                self._remember(hit, max(age, 0.0))
        self.rev = rev
        self._begin_anew()
        self._restate()

    def expect(self, links: Iterable[LinkTerms]) -> None:
        """What there will be to show, by the configuration; a fault until something is known of it."""
        for terms in links:
            levels = tuple(level.level for level in terms.levels)
            facts = LinkFacts(terms.link, to_cents(terms.wager), terms.paytable, levels, "suspended")
            self.links[terms.link] = LinkView(facts, {}, "")

    def _begin_anew(self) -> None:
        """Everybody is owed a whole snapshot."""
        self._snapshots.clear()
        for group in self._groups.values():
            group.changed.clear()
            group.whole_at = 0.0

    def push(self, outcomes: Sequence[Outcome], rev: int) -> None:
        """One commit, whose answers have left: its pushes in their order, and what waits now."""
        self.rev = rev
        pushes = [push for outcome in outcomes for push in outcome.pushes]
        pushes.sort(key=_order)
        for push in pushes:
            self._push(push)
        waiting = [waits for outcome in outcomes for waits in outcome.waiting]
        self._waiting |= dict(waiting)
        if pushes or waiting:
            self._restate()

    def move(self, outcomes: Sequence[Outcome]) -> None:
        """The same commit, whose pushes have left: the meters that moved."""
        for outcome in outcomes:
            for link, level, micros in outcome.meters:
                self._move(link, level, to_cents(micros))
        self.tick()

    @property
    def trusted(self) -> bool:
        """Whether what it shows is known to be durable and its server to be the one that may say so (S4)."""
        return self._standing.trusted(self._clock.monotonic())

    @property
    def leased(self) -> bool:
        """Whether its meters are this process's to show."""
        return self._standing.leased(self._clock.monotonic())

    def restand(self) -> bool:
        """Where it has become untrusted, or trusted again, tells every link's state; whether it did so.

        An untrusted link is told suspended, which promises nothing (S4).
        """
        trusted = self.trusted
        if trusted == self._told:
            return False
        self._told = trusted
        for link in self.links:
            self._tell_link(link)
        self._restate()
        return True

    def state(self, link: str) -> tuple[LinkState, str]:
        """A link's state and reason, as a device may be told now."""
        if not self.trusted:
            return "suspended", _LEDGER_REASON
        view = self.links[link]
        return view.state, view.reason

    def display(self, link: str) -> State:
        """What signs show of a link beside its meters: the `state` message.

        fault: the ledger is in doubt. suspended: no wagers are taken. win: a level was won in the last 20 s.
        pending: a win waits for a floorperson; `waiting` names those (S7).
        """
        state, reason = self.state(link)
        waiting = self._waiting.get(link, ())
        shown: Literal["normal", "pending", "win", "suspended", "fault"]
        won_after = self._clock.monotonic() - WIN_S
        if not self.trusted:
            shown = "fault"
        elif state != "active":
            shown = "suspended"
        elif any(hit.link == link and self._hit_at[hit.hit] > won_after for hit in self.hits):
            shown = "win"
        else:
            shown = "pending" if waiting else "normal"
        return State(link, shown, reason or RESUMED, waiting)

    def facts(self, links: Iterable[str]) -> list[LinkFacts]:
        """What a welcome says of these links."""
        return [
            msgspec.structs.replace(self.links[link].facts, state=self.state(link)[0])
            for link in links
            if link in self.links
        ]

    def recent_hits(self, links: frozenset[str]) -> list[Hit]:
        """The percentage hits of the last 60 s on these links, oldest first."""
        self._forget_old_hits()
        return [hit for hit in self.hits if hit.link in links]

    def _forget_old_hits(self) -> None:
        oldest = self._clock.monotonic() - HIT_MEMORY_S
        if any(at < oldest for at in self._hit_at.values()):
            self._keep(lambda hit: self._hit_at[hit] >= oldest)

    def forget_hits(self) -> None:
        """As long as another server decided, nothing was heard of its hits."""
        self._keep(lambda _hit: False)

    def _remember(self, hit: Hit, age: float = 0.0) -> None:
        """Its age is counted from here on by our own monotonic clock."""
        self.hits.append(hit)
        self._hit_at[hit.hit] = self._clock.monotonic() - age

    def _keep(self, which: Callable[[str], bool]) -> None:
        self.hits = deque(hit for hit in self.hits if which(hit.hit))
        self._hit_at = {hit.hit: self._hit_at[hit.hit] for hit in self.hits}

    def watch(
        self, watcher: Watcher, links: frozenset[str], table: str | None = None, form: Form = encode
    ) -> Subscription:
        """Shows a table (by its id) or a sign these links from now on, in this form, the snapshot first."""
        signs = table is None
        if table is not None:
            self._tables[table] = watcher
        key = (signs, form, links)
        if key not in self._groups:
            self._groups[key] = _Group(links, form, signs=signs)
            self._groups[key].whole_at = self._clock.monotonic()
        self._groups[key].watchers.add(watcher)
        alone(watcher, watcher.tell, self._snapshot(self._groups[key]))
        return partial(self._forget, watcher, key, table)

    def _forget(self, watcher: Watcher, key: tuple[bool, Form, frozenset[str]], table: str | None) -> None:
        if table is not None and self._tables.get(table) is watcher:
            del self._tables[table]
        if (group := self._groups.get(key)) is not None:
            group.watchers.discard(watcher)
            group.behind.discard(watcher)
            if not group.watchers:
                del self._groups[key]
                self._snapshots.pop(key, None)

    def values(self, links: Iterable[str]) -> list[tuple[str, str, int]]:
        """Every meter of these links as (link, level, cents)."""
        return [
            (name, level, cents)
            for name in links
            if name in self.links
            for level, cents in self.links[name].levels.items()
        ]

    def _snapshot(self, group: _Group) -> bytes:
        """Every meter of a group's links, while they are ours to show, and for signs every link's state."""
        key = (group.signs, group.form, group.links)
        rev, framed = self._snapshots.get(key, (-1, b""))
        if rev != self.rev or not self.leased:
            values = self.values(sorted(group.links)) if self.leased else []
            framed = self._meters(group.form, values)
            if group.signs:
                known = sorted(group.links.intersection(self.links))
                framed += b"".join(group.form(self.display(link)) for link in known)
            self._snapshots[key] = (self.rev, framed)
        return framed

    def tick(self) -> None:
        """Shows what is due; nothing once the lease has lapsed."""
        self.restand()
        if not self.leased:
            return
        now = self._clock.monotonic()
        if now - self._stated_at >= SIGN_INTERVAL_S:
            self._restate()
        for group in self._groups.values():
            if now - group.shown_at < group.interval:
                continue
            if now - group.whole_at >= SNAPSHOT_INTERVAL_S:
                group.whole_at = group.shown_at = now
                self._snapshots.pop((group.signs, group.form, group.links), None)
                self._show(group, group.watchers, self._snapshot(group))
            elif group.changed or group.behind:
                group.shown_at = now
                behind, group.behind = group.behind, set()
                if group.changed:
                    moved = [
                        (*place, self.links[place[0]].levels[place[1]]) for place in sorted(group.changed)
                    ]
                    self._show(group, group.watchers - behind, self._meters(group.form, moved))
                if behind:
                    self._show(group, behind, self._snapshot(group))

    def _show(self, group: _Group, watchers: Iterable[Watcher], frame: bytes) -> None:
        group.changed.clear()
        group.behind.update([watcher for watcher in watchers if not alone(watcher, watcher.show, frame)])

    def _restate(self) -> None:
        """Tells signs the states that changed; a win also ends by time alone."""
        self._stated_at = self._clock.monotonic()
        self._forget_old_hits()
        for link in self.links:
            shown = self.display(link)
            if self._stated.get(link) != shown:
                self._stated[link] = shown
                self._snapshots.clear()
                self._tell(link, shown, signs_only=True)

    def _move(self, link: str, level: str, cents: int) -> None:
        levels = self.links[link].levels if link in self.links else {}
        if levels.get(level, cents) != cents:
            levels[level] = cents
            for group in self._groups.values():
                if link in group.links:
                    group.changed.add((link, level))

    def _push(self, push: Push) -> None:
        message = push.message
        if isinstance(message, Link) and (view := self.links.get(message.link)) is not None:
            view.state, view.reason = message.state, message.reason
            self._tell_link(message.link)
            return
        if isinstance(message, Hit):
            self._remember(message)
        if push.table is not None:
            if (table := self._tables.get(push.table)) is not None:
                alone(table, table.tell, encode(message))
            return
        link = push.link or push.signs_of or ""
        if isinstance(message, Status):
            if message.status == "undone":
                self._keep(lambda hit: hit != message.hit)
            for call in self.on_status:
                call(link, message)
        self._tell(link, message, signs_only=push.link is None)

    def _tell_link(self, link: str) -> None:
        state, reason = self.state(link)
        self._tell(link, Link(link, state, reason or RESUMED), signs_only=False)

    def _tell(self, link: str, message: ServerMessage, *, signs_only: bool) -> None:
        framed: dict[Form, bytes] = {}
        for group in self._groups.values():
            if link in group.links and (group.signs or not signs_only):
                frame = framed.get(group.form)
                if frame is None:
                    frame = framed[group.form] = group.form(message)
                for watcher in tuple(group.watchers):
                    alone(watcher, watcher.tell, frame)

    def _meters(self, form: Form, values: Sequence[tuple[str, str, int]]) -> bytes:
        rev, at = self.rev, self._clock.unix_ms()
        return b"".join(
            form(Meters(self.bank, rev, at, tuple(values[start : start + VALUES_A_FRAME])))
            for start in range(0, max(len(values), 1), VALUES_A_FRAME)
        )


def _order(push: Push) -> int:
    """Its place among the pushes of a commit."""
    kind = type(push.message)
    return _FIRST.index(kind) if kind in _FIRST else len(_FIRST)
