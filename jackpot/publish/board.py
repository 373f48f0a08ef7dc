"""Meter board of a bank: its links with their meters and states, and the hits of the last minute.

Everything on it is durable, or an untrusted bank's word that nothing is promised. Each commit is pushed to
the watchers of the board by its broadcaster. No I/O: the bank calls `push` once a commit, and `tick` about
ten times a second.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple, Protocol

import msgspec
from msgspec import UNSET

from controllers.answers import Hit, Link, LinkFacts, LinkState, Notice, State, Status, WaitingHit
from jackpot.clock import Clock
from jackpot.publish.broadcaster import SIGN_INTERVAL_S, Broadcaster
from jackpot.rules.money import to_cents
from jackpot.rules.outcome import Outcome, Push
from jackpot.rules.paytable import LinkTerms

# WIRE: per commit link first, then hit, then award, status and round, then meters.
_FIRST: Final[tuple[type, ...]] = (Link, Hit)
# WIRE: a welcome brings the hits of the last 60 s.
HIT_MEMORY_S: Final = 60.0
# How long a link's state is `win` after a hit: long enough to be noticed, and below the 30 s that regulators
# allow before the new meter must stand (S7).
WIN_S: Final = 20.0
# A reason is 1..256 characters, an active link's too.
RESUMED: Final = "in order"

LEDGER_REASON: Final = "ledger"
# Of a link that the configuration has in this bank and the journal has not.
NOT_OPENED: Final = "not_opened"


class BoardTrust(Protocol):
    """Says what may be shown of a bank in this process. now: monotonic seconds."""

    def leased(self, now: float) -> bool:
        """Whether this process may show the meters."""

    def trusted(self, now: float) -> bool:
        """Whether what is shown is known to be durable, by the server that may say so (S4)."""


class BoardLink:
    """A link as a board has it, durable: its welcome fields, its state, and its levels in cents."""

    __slots__ = ("facts", "levels", "reason", "state")

    def __init__(self, facts: LinkFacts, levels: dict[str, int], reason: str) -> None:
        self.facts = facts
        self.levels = levels
        self.state: LinkState = facts.state
        self.reason = reason

    @classmethod
    def of(cls, statistics: Mapping[str, Any]) -> "BoardLink":
        """Builds it from `views.statistics`; to a device an ended link takes no wagers."""
        levels = {level["level"]: to_cents(level["primary"]) for level in statistics["levels"]}
        name, wager, paytable = (statistics[key] for key in ("link", "wager", "paytable"))
        state: LinkState = "active" if statistics["state"] == "active" else "suspended"
        most = {
            level["level"]: to_cents(level["must_hit_by"])
            for level in statistics["levels"]
            if level["must_hit_by"]
        }
        facts = LinkFacts(name, wager, paytable, tuple(levels), state, must_hit_by=most or UNSET)
        return cls(facts, levels, ", ".join(statistics["reasons"]))


class RecentHits:
    """The percentage hits of the last 60 s, oldest first; their age is counted by our own monotonic clock."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._known: dict[tuple[str, str], Hit] = {}  # by hit and level: one hit may win two
        self._at: dict[tuple[str, str], float] = {}

    @property
    def all(self) -> Iterable[Hit]:
        return self._known.values()

    def take(self, hits: Iterable[Hit]) -> list[Hit]:
        """Replaces them by the hits of a state within the last minute; returns the new ones."""
        known, self._known = self._known, {}
        for hit in hits:
            age = self._age(hit)
            if (hit.hit, hit.level) in known or abs(age) < HIT_MEMORY_S:
                self.remember(hit, max(age, 0.0))
        self._at = {key: self._at[key] for key in self._known}
        return [hit for key, hit in self._known.items() if key not in known]

    def remember(self, hit: Hit, age: float = 0.0) -> None:
        """Adds a hit that is so many seconds old."""
        key = hit.hit, hit.level
        self._known[key] = hit
        self._at.setdefault(key, self._clock.monotonic() - age)

    def undone(self, hit: str) -> None:
        """Removes a hit that was undone, by its number."""
        self._keep(lambda key: key[0] != hit)

    def forget_old(self) -> None:
        """Drops hits of more than a minute ago."""
        oldest = self._clock.monotonic() - HIT_MEMORY_S
        if any(at < oldest for at in self._at.values()):
            self._keep(lambda key: self._at[key] >= oldest)

    def won(self, link: str) -> bool:
        """Whether a level of the link was won in the last 20 s."""
        after = self._clock.monotonic() - WIN_S
        return any(hit.link == link and self._at[key] > after for key, hit in self._known.items())

    def _age(self, hit: Hit) -> float:
        """Age in seconds by the clock of the hit's server; if that differs much from ours, the hit may be
        old.
        """
        return (self._clock.unix_ms() - hit.at) / 1000

    def _keep(self, which: Callable[[tuple[str, str]], bool]) -> None:
        self._known = {key: hit for key, hit in self._known.items() if which(key)}
        self._at = {key: self._at[key] for key in self._known}


class BoardSnapshot(NamedTuple):
    """Content of a board, taken from a state. hits: the last ones of each level, by age. rev: its last seq.
    waiting: hits that wait for people, by link (S7). notices: those that stand, by link (P2).
    """

    links: list[BoardLink]
    hits: list[Hit]
    rev: int
    waiting: dict[str, tuple[WaitingHit, ...]]
    notices: dict[str, tuple[Notice, ...]]


class MeterBoard:
    """Committed meters and states of one bank, shown to its watchers.

    trust: whether it may be shown now. rev: the bank's last durable seq. waiting: hits that wait for people,
    by link (S7). notices: those that stand, by link (P2). told_trusted: whether its watchers were
    told that it may be trusted. on_status: called with the link of each `status` for signs, and with the
    message.
    """

    def __init__(self, bank: str, clock: Clock, trust: BoardTrust) -> None:
        self.bank = bank
        self.rev = 0
        self.links: dict[str, BoardLink] = {}
        self.hits = RecentHits(clock)
        self.waiting: dict[str, tuple[WaitingHit, ...]] = {}
        self.notices: dict[str, tuple[Notice, ...]] = {}
        self.clock = clock
        self.broadcaster = Broadcaster(self)
        self.on_status: list[Callable[[str, Status], None]] = []
        self._trust = trust
        self._expected: dict[str, BoardLink] = {}
        self.told_trusted = False
        self._stated: dict[str, State] = {}
        self._stated_at = 0.0

    # What it shows.

    @property
    def trusted(self) -> bool:
        """Whether what it shows is known to be durable, by the server that may say so (S4)."""
        return self._trust.trusted(self.clock.monotonic())

    @property
    def leased(self) -> bool:
        """Whether this process may show the meters."""
        return self._trust.leased(self.clock.monotonic())

    def state(self, link: str) -> tuple[LinkState, str]:
        """State and reason of a link, as a device may be told now."""
        if not self.trusted:
            return "suspended", LEDGER_REASON
        view = self.links[link]
        return view.state, view.reason

    def link_message(self, link: str) -> Link:
        """A link's state and reason, for all that watch it."""
        state, reason = self.state(link)
        return Link(link, state, reason or RESUMED, self.links[link].facts.must_hit_by)

    def display(self, link: str) -> State:
        """The `state` message: what signs show of a link next to its meters.

        fault: the ledger is in doubt. suspended: no wagers are taken. win: a level was won in the last 20 s.
        pending: a win waits for a floorperson; `waiting` names those (S7).
        """
        state, reason = self.state(link)
        waiting = self.waiting.get(link, ())
        shown: Literal["normal", "pending", "win", "suspended", "fault"]
        if not self.trusted:
            shown = "fault"
        elif state != "active":
            shown = "suspended"
        elif self.hits.won(link):
            shown = "win"
        else:
            shown = "pending" if waiting else "normal"
        return State(link, shown, reason or RESUMED, waiting, self.notices.get(link) or UNSET)

    def facts(self, links: Iterable[str]) -> list[LinkFacts]:
        """Welcome fields of these links."""
        return [
            msgspec.structs.replace(self.links[link].facts, state=self.state(link)[0])
            for link in links
            if link in self.links
        ]

    def recent_hits(self, links: frozenset[str]) -> list[Hit]:
        """The percentage hits of the last 60 s on these links, oldest first."""
        self.hits.forget_old()
        return [hit for hit in self.hits.all if hit.link in links]

    def values(self, links: Iterable[str]) -> list[tuple[str, str, int]]:
        """Every meter of these links as (link, level, cents)."""
        return [
            (name, level, cents)
            for name in links
            if name in self.links
            for level, cents in self.links[name].levels.items()
        ]

    def must_hit_by(self, links: Iterable[str]) -> list[tuple[str, str, int]]:
        """The meters of mystery links among these, each with the sum by which it must hit, in cents (Y6)."""
        known = [(name, self.links[name].facts.must_hit_by) for name in links if name in self.links]
        return [(name, level, most) for name, by in known if by for level, most in by.items()]

    # What changes it.

    def expect(self, links: Iterable[LinkTerms]) -> None:
        """Shows the links of the configuration, each as a fault until its state is known.

        A link that the journal turns out not to have is shown, too: it takes no wagers, and the reason says
        why.
        """
        for terms in links:
            levels = tuple(level.level for level in terms.levels)
            facts = LinkFacts(terms.link, to_cents(terms.wager), terms.paytable, levels, "suspended")
            self._expected[terms.link] = BoardLink(facts, {}, NOT_OPENED)
        self.links |= self._expected

    def reset(self, snapshot: BoardSnapshot) -> None:
        """Resets the board to a state that equals the ledger: at the start, and after doubt.

        Watchers are told of hits that this process has not pushed: the server that made them may have ended
        before it could.
        """
        self.waiting, self.notices = dict(snapshot.waiting), dict(snapshot.notices)
        known = {view.facts.link: view for view in snapshot.links}
        self.links = known | {link: view for link, view in self._expected.items() if link not in known}
        for hit in self.hits.take(snapshot.hits):
            self.broadcaster.tell(hit.link, hit)
        self.rev = snapshot.rev
        self.broadcaster.owe_all()
        self._restate()

    def push(self, outcomes: Sequence[Outcome], rev: int) -> None:
        """Pushes one commit, after its answers: its messages in order, then the waiting awards, then the
        meters.
        """
        self.rev = rev
        pushes = [push for outcome in outcomes for push in outcome.pushes]
        pushes.sort(key=_order)
        for push in pushes:
            self._push(push)
        waiting = [waits for outcome in outcomes for waits in outcome.waiting]
        self.waiting |= dict(waiting)
        noticed = [outcome.notices for outcome in outcomes if outcome.notices is not None]
        if noticed:
            self.notices = noticed[-1]
        if pushes or waiting or noticed:
            self._restate()
        latest = {(link, level): micros for outcome in outcomes for link, level, micros in outcome.meters}
        for (link, level), micros in latest.items():
            self._move(link, level, to_cents(micros))
        self.tick(self.clock.monotonic())

    def tick(self, now: float) -> None:
        """Broadcasts values that are due; none once the lease has lapsed."""
        self.restand(now)
        if self._trust.leased(now):
            if now - self._stated_at >= SIGN_INTERVAL_S:
                self._restate()
            self.broadcaster.tick(now)

    def restand(self, now: float) -> bool:
        """Sends every link's state when trust in the board is lost or regained. Returns whether it did.

        An untrusted link is reported as suspended, which promises nothing (S4).
        """
        trusted = self._trust.trusted(now)
        if trusted == self.told_trusted:
            return False
        self.told_trusted = trusted
        for link in self.links:
            self.broadcaster.tell(link, self.link_message(link))
        self._restate()
        return True

    def _restate(self) -> None:
        """Sends signs the states that changed; a win also ends by time alone."""
        self._stated_at = self.clock.monotonic()
        self.hits.forget_old()
        for link in self.links:
            shown = self.display(link)
            if self._stated.get(link) != shown:
                self._stated[link] = shown
                self.broadcaster.restated()
                self.broadcaster.tell(link, shown, signs_only=True)

    def _move(self, link: str, level: str, cents: int) -> None:
        levels = self.links[link].levels if link in self.links else {}
        if levels.get(level, cents) != cents:
            levels[level] = cents
            self.broadcaster.moved(link, level)

    def _push(self, push: Push) -> None:
        message = push.message
        if isinstance(message, Link) and (view := self.links.get(message.link)) is not None:
            view.state, view.reason = message.state, message.reason
            if view.facts.must_hit_by != message.must_hit_by:
                view.facts = msgspec.structs.replace(view.facts, must_hit_by=message.must_hit_by)
            self.broadcaster.tell(message.link, self.link_message(message.link))
            return
        if isinstance(message, Hit):
            self.hits.remember(message)
        if push.table is not None:
            self.broadcaster.tell_table(push.table, message)
            return
        link = push.link or push.signs_of or ""
        if isinstance(message, Status):
            if message.status == "undone" and message.award is None:
                self.hits.undone(message.hit)
            for call in self.on_status:
                call(link, message)
        self.broadcaster.tell(link, message, signs_only=push.link is None)


def _order(push: Push) -> int:
    """Sort key of a message among the pushes of a commit."""
    kind = type(push.message)
    return _FIRST.index(kind) if kind in _FIRST else len(_FIRST)
