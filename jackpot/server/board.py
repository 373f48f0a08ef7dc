"""What may everybody who looks be shown? Committed meters, link states and hits, and who watches them.

Only the newest value counts: values are conflated, framed once for all receivers of the same links, and never
waited for. A watcher that has not read its last value is passed over and gets a whole snapshot afterwards.
No I/O: the shell calls `durable` once a commit and `tick` about ten times a second.
"""

from collections import deque
from collections.abc import Iterable, Sequence
from typing import Any, Final, Protocol

from controllers.frames import encode
from jackpot.clock import Clock
from jackpot.rules.money import to_cents
from jackpot.rules.outcome import Outcome, Push

# WIRE: at most 10 a second to a sign; to a table the first change at once, then at most 2 a second.
SIGN_INTERVAL_S: Final = 0.1
TABLE_INTERVAL_S: Final = 0.5
# WIRE: the whole snapshot again at least every 5 s, so that a receiver that missed anything is right again.
SNAPSHOT_INTERVAL_S: Final = 4.5
# WIRE: a welcome brings the hits of the last 60 s.
HIT_MEMORY_MS: Final = 60_000
# A frame holds 65,536 bytes; a value is at most 64 + 8 + 10 bytes and its framing.
VALUES_A_FRAME: Final = 500

# WIRE: per commit link first, then hit, then award, status and round, then meters.
_PUSH_ORDER: Final = {"link": 0, "hit": 1, "award": 2, "status": 2, "round": 2}
_LEDGER_REASON: Final = "ledger"
# A reason is 1..256 characters, an active link's too.
_RESUMED: Final = "in order"


class Watcher(Protocol):
    """Whoever is shown meters; neither call may block or raise."""

    def tell(self, frame: bytes) -> None:
        """A push that must not be lost while the connection lives."""

    def show(self, frame: bytes) -> bool:
        """Meter values; False where the last ones have not left yet, and nothing was taken."""


class LinkView:
    """A link as it is durable: what a welcome says of it, its state, and its levels in cents."""

    __slots__ = ("facts", "levels", "reason", "state")

    def __init__(self, statistics: dict[str, Any]) -> None:
        levels = statistics["levels"]
        self.facts = {key: statistics[key] for key in ("link", "wager", "paytable")}
        self.facts["levels"] = [level["level"] for level in levels]
        self.levels: dict[str, int] = {level["level"]: to_cents(level["primary"]) for level in levels}
        self.state: str = statistics["state"]
        self.reason: str = ", ".join(statistics["reasons"])


class _Group:
    """Watchers of the same links and the same pace."""

    def __init__(self, links: frozenset[str], interval: float, *, signs: bool) -> None:
        self.links = links
        self.interval = interval
        self.signs = signs
        self.watchers: set[Watcher] = set()
        self.behind: set[Watcher] = set()
        self.changed: set[tuple[str, str]] = set()
        self.shown_at = 0.0
        self.whole_at = 0.0


class Board:
    """The committed face of one bank."""

    def __init__(self, bank: str, clock: Clock) -> None:
        self.bank = bank
        self.rev = 0
        self.links: dict[str, LinkView] = {}
        self.trusted = True
        self.hits: deque[dict[str, Any]] = deque()
        self._clock = clock
        self._groups: dict[tuple[bool, frozenset[str]], _Group] = {}
        self._tables: dict[str, Watcher] = {}
        self._snapshots: dict[frozenset[str], tuple[int, bytes]] = {}

    def reset(self, links: Iterable[dict[str, Any]], hits: Iterable[dict[str, Any]], rev: int) -> None:
        """Takes everything from a state that equals the ledger: at the start, and after doubt."""
        self.links = {link["link"]: LinkView(link) for link in links}
        known = {hit["hit"] for hit in self.hits}
        self.hits.extend(hit for hit in hits if hit["hit"] not in known)
        self.rev = rev
        self._snapshots.clear()
        for group in self._groups.values():
            group.whole_at = 0.0

    def durable(self, outcomes: Sequence[Outcome], rev: int) -> None:
        """One commit, whose answers have left: pushes in their order, then the meters that moved."""
        self.rev = rev
        pushes = [push for outcome in outcomes for push in outcome.pushes]
        pushes.sort(key=lambda push: _PUSH_ORDER.get(push.message["t"], 2))
        for push in pushes:
            self._push(push)
        for outcome in outcomes:
            for link, level, micros in outcome.meters:
                self._move(link, level, to_cents(micros))
        self.tick()

    def distrust(self) -> None:
        """The ledger is in doubt: every link is told suspended, which promises nothing (S4)."""
        if self.trusted:
            self.trusted = False
            for link in self.links:
                self._tell_link(link)

    def trust(self) -> None:
        """The ledger has been looked at: every link is told its own state again."""
        if not self.trusted:
            self.trusted = True
            for link in self.links:
                self._tell_link(link)

    def state(self, link: str) -> tuple[str, str]:
        """A link's state and reason, as a device may be told now."""
        if not self.trusted:
            return "suspended", _LEDGER_REASON
        view = self.links[link]
        return view.state, view.reason

    def facts(self, links: Iterable[str]) -> list[dict[str, Any]]:
        """What a welcome says of these links."""
        return [
            {**self.links[link].facts, "state": self.state(link)[0]} for link in links if link in self.links
        ]

    def recent_hits(self, links: frozenset[str]) -> list[dict[str, Any]]:
        """The percentage hits of the last 60 s on these links, oldest first."""
        oldest = self._clock.unix_ms() - HIT_MEMORY_MS
        while self.hits and self.hits[0]["at"] < oldest:
            self.hits.popleft()
        return [hit for hit in self.hits if hit["link"] in links]

    def watch(self, watcher: Watcher, links: frozenset[str], table: str | None = None) -> None:
        """Shows a table (by its id) or a sign these links from now on, the snapshot first."""
        signs = table is None
        if table is not None:
            self._tables[table] = watcher
        key = (signs, links)
        if key not in self._groups:
            interval = SIGN_INTERVAL_S if signs else TABLE_INTERVAL_S
            self._groups[key] = _Group(links, interval, signs=signs)
            self._groups[key].whole_at = self._clock.monotonic()
        self._groups[key].watchers.add(watcher)
        watcher.tell(self.snapshot(links))

    def forget(self, watcher: Watcher, links: frozenset[str], table: str | None = None) -> None:
        """Shows it nothing more."""
        if table is not None and self._tables.get(table) is watcher:
            del self._tables[table]
        key = (table is None, links)
        if (group := self._groups.get(key)) is not None:
            group.watchers.discard(watcher)
            group.behind.discard(watcher)
            if not group.watchers:
                del self._groups[key]
                self._snapshots.pop(links, None)

    def snapshot(self, links: frozenset[str]) -> bytes:
        """Every meter of these links, framed."""
        rev, framed = self._snapshots.get(links, (-1, b""))
        if rev != self.rev:
            framed = self._meters([(name, level) for name in links for level in self._levels(name)])
            self._snapshots[links] = (self.rev, framed)
        return framed

    def tick(self) -> None:
        """Shows what is due."""
        now = self._clock.monotonic()
        for group in self._groups.values():
            if now - group.shown_at < group.interval:
                continue
            if now - group.whole_at >= SNAPSHOT_INTERVAL_S:
                group.whole_at = group.shown_at = now
                self._snapshots.pop(group.links, None)
                self._show(group, group.watchers, self.snapshot(group.links))
            elif group.changed or group.behind:
                group.shown_at = now
                behind, group.behind = group.behind, set()
                if group.changed:
                    self._show(group, group.watchers - behind, self._meters(sorted(group.changed)))
                if behind:
                    self._show(group, behind, self.snapshot(group.links))

    def _show(self, group: _Group, watchers: Iterable[Watcher], frame: bytes) -> None:
        group.changed.clear()
        group.behind.update([watcher for watcher in watchers if not watcher.show(frame)])

    def _levels(self, link: str) -> Iterable[str]:
        return self.links[link].levels if link in self.links else ()

    def _move(self, link: str, level: str, cents: int) -> None:
        levels = self.links[link].levels if link in self.links else {}
        if levels.get(level, cents) != cents:
            levels[level] = cents
            for group in self._groups.values():
                if link in group.links:
                    group.changed.add((link, level))

    def _push(self, push: Push) -> None:
        message = push.message
        if message["t"] == "link" and message["link"] in self.links:
            view = self.links[message["link"]]
            view.state, view.reason = message["state"], message.get("reason", "")
            self._tell_link(message["link"])
            return
        if message["t"] == "hit":
            self.hits.append(message)
        frame = encode(message)
        if push.table is not None:
            if (table := self._tables.get(push.table)) is not None:
                table.tell(frame)
            return
        self._tell(push.link or push.signs_of or "", frame, signs_only=push.link is None)

    def _tell_link(self, link: str) -> None:
        state, reason = self.state(link)
        self._tell(link, encode({"t": "link", "link": link, "state": state, "reason": reason or _RESUMED}))

    def _tell(self, link: str, frame: bytes, *, signs_only: bool = False) -> None:
        for group in self._groups.values():
            if link in group.links and (group.signs or not signs_only):
                for watcher in group.watchers:
                    watcher.tell(frame)

    def _meters(self, places: Sequence[tuple[str, str]]) -> bytes:
        at = self._clock.unix_ms()
        values = [[link, level, self.links[link].levels[level]] for link, level in places]
        message = {"t": "meters", "bank": self.bank, "rev": self.rev, "at": at}
        return b"".join(
            encode({**message, "values": values[start : start + VALUES_A_FRAME]})
            for start in range(0, max(len(values), 1), VALUES_A_FRAME)
        )
